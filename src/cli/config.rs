//! Arguments from a file: budgets, groups and accepted bands that a project commits once, and that
//! are added to every call. `HEAPVIZ_CONFIG_PATH` names the file. A line is a flag with its value,
//! `--bands=30`, or a comment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command};

use super::failure::Failure;
use super::user_file;

const VARIABLE: &str = "HEAPVIZ_CONFIG_PATH";

/// The flags of a file.
#[derive(Debug, Default)]
pub struct Config {
    path: PathBuf,
    lines: Vec<FlagLine>,
}

#[derive(Debug, PartialEq, Eq)]
struct FlagLine {
    /// From 1.
    number: usize,
    /// The name of the flag without its dashes.
    flag: String,
    word: String,
}

impl Config {
    /// The file that the environment names; no flags if it names none.
    ///
    /// # Errors
    /// A file that cannot be read, and a line that is no flag of any verb of `all`.
    pub fn of_environment(all: impl FnOnce() -> Command) -> Result<Config, Failure> {
        let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) else {
            return Ok(Config::default());
        };
        let path = PathBuf::from(path);
        let text = user_file::text(&path)
            .map_err(|error| Failure::new(format!("{VARIABLE}: {}: {error}", path.display())))?;
        let all = all();
        let mut lines = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let word = line.trim();
            if word.is_empty() || word.starts_with('#') {
                continue;
            }
            let wrong = |what: &str| {
                let place = format!("{}:{}", path.display(), at + 1);
                Failure::new(format!("{place}: {what}: {word}"))
                    .hint("a line is one flag with its value, such as --bands=30, or a # comment")
            };
            let flag = word.strip_prefix("--").ok_or_else(|| wrong("not a flag"))?;
            let (flag, has_value) =
                flag.split_once('=').map_or((flag, false), |(flag, _)| (flag, true));
            let verbs = std::iter::once(&all).chain(all.get_subcommands());
            let Some(arg) = verbs.into_iter().find_map(|verb| named(verb, flag)) else {
                return Err(wrong("no verb has this flag"));
            };
            let may_be_alone = arg.get_num_args().is_some_and(|values| values.min_values() == 0);
            if arg.get_action().takes_values() && !has_value && !may_be_alone {
                // clap would take the next word.
                return Err(wrong("a flag without its value"));
            }
            lines.push(FlagLine { number: at + 1, flag: flag.to_owned(), word: word.to_owned() });
        }
        Ok(Config { path, lines })
    }

    /// Whether it has no flags.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The words for a verb: those of its flags.
    pub fn words(&self, verb: &Command) -> Vec<OsString> {
        let of_verb = self.lines.iter().filter(|line| named(verb, &line.flag).is_some());
        of_verb.map(|line| OsString::from(&line.word)).collect()
    }

    /// The names in clap of the flags that only the file has, not these words.
    pub fn unasked(&self, verb: &Command, words: &[OsString]) -> Vec<String> {
        let args = self.lines.iter().filter_map(|line| named(verb, &line.flag));
        args.filter(|arg| !is_among(arg, words)).map(|arg| arg.get_id().to_string()).collect()
    }

    /// What clap finds wrong with a flag of the file, with its place.
    pub fn failure(&self, error: &clap::Error) -> Failure {
        let text = error.to_string();
        let first =
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let quoted = |line: &&FlagLine| first.contains(&format!("--{}", line.flag));
        let line = self.lines.iter().find(quoted).map(|line| format!(":{}", line.number));
        let place = format!("{}{}", self.path.display(), line.unwrap_or_default());
        Failure::new(format!("{place}: {first}")).hint(format!("{VARIABLE} names this file"))
    }
}

fn named<'a>(command: &'a Command, flag: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| {
        arg.get_long() == Some(flag) || arg.get_all_aliases().is_some_and(|all| all.contains(&flag))
    })
}

/// Whether a flag is among the words of a command line.
fn is_among(arg: &Arg, words: &[OsString]) -> bool {
    let words = words.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str());
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    let is_long =
        |word: &str| long.as_deref().is_some_and(|long| word.split('=').next() == Some(long));
    let is_short = |word: &str| {
        !word.starts_with("--") && short.as_deref().is_some_and(|short| word.starts_with(short))
    };
    words.into_iter().any(|word| is_long(word) || is_short(word))
}
