//! The verbs of the command, and the way from the words of a command line to one of them.
//!
//! A command line without a verb draws. So the command itself also has the flags of *draw*, and
//! only the first word can be a verb: in `./diff` and `-q diff`, it is the name of a file.

mod check;
mod completions;
mod diff;
mod draw;
mod hp2ps;
mod man;
mod stats;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Args, ColorChoice, Command, value_parser};

use super::config::Config;
use super::failure::Failure;
use super::flags::Given;
use super::formats::Format;
use super::message::{self, Message};
use super::output;
use super::target::Output;
use super::verb::{Describe, UsageError, Verb};
use crate::hunt::Hunt;
use crate::incident::error::visible;
use crate::watch::Watch;
use check::Check;
use completions::Completions;
use diff::Diff;
use draw::Draw;
use man::ManPage;
use stats::Stats;

/// Every verb, in the order of the help. To add one, add its file to this folder and its line here;
/// `hunt` and `watch` have rooms of their own.
const VERBS: &[Entry] = &[
    Entry::of::<Draw>("draw"),
    Entry::of::<Stats>("stats"),
    Entry::of::<Check>("check"),
    Entry::of::<Diff>("diff"),
    Entry::of::<Watch>("watch"),
    Entry::of::<Hunt>("hunt"),
    Entry::verbatim("hp2ps", hp2ps::command, hp2ps::run),
    Entry::describing::<Completions>("completions"),
    Entry::describing::<ManPage>("man"),
];

/// A verb in the list.
struct Entry {
    /// Its name. Most runs need a single verb, so the others are not built to learn their names.
    name: &'static str,
    command: fn() -> Command,
    run: Run,
}

enum Run {
    /// With the arguments as clap read them.
    Parsed(fn(&ArgMatches, Given) -> Result<ExitCode, UsageError>),
    /// With all words after the verb, which clap does not see, because the verb has its own
    /// grammar.
    Verbatim(fn(&[OsString]) -> ExitCode),
}

impl Entry {
    const fn of<V: Verb>(name: &'static str) -> Self {
        Entry { name, command: V::command, run: Run::Parsed(run_parsed::<V>) }
    }

    const fn describing<V: Describe>(name: &'static str) -> Self {
        Entry { name, command: V::command, run: Run::Parsed(run_describing::<V>) }
    }

    const fn verbatim(
        name: &'static str,
        command: fn() -> Command,
        run: fn(&[OsString]) -> ExitCode,
    ) -> Self {
        Entry { name, command, run: Run::Verbatim(run) }
    }

    fn named(name: &OsStr) -> Option<&'static Entry> {
        VERBS.iter().find(|entry| entry.name == name)
    }

    fn command(&self) -> Command {
        let command = (self.command)().name(self.name).max_term_width(100);
        command.args_override_self(true).help_template(HELP)
    }
}

fn run_parsed<V: Verb>(matches: &ArgMatches, given: Given) -> Result<ExitCode, UsageError> {
    V::from_arg_matches(matches).unwrap_or_else(|error| leave(&error)).run(&given)
}

fn run_describing<V: Describe>(matches: &ArgMatches, _: Given) -> Result<ExitCode, UsageError> {
    let verb = V::from_arg_matches(matches).unwrap_or_else(|error| leave(&error));
    Ok(print(&verb.text(command())?))
}

/// Examples come before the flags: they are what most readers look for.
const HELP: &str = "\
{about-with-newline}
{usage-heading} {usage}

{before-help}{all-args}{after-help}";

const START: &str = "\
heapviz draws the heap profiles of GHC-compiled programs, .eventlog and .hp.

  heapviz prog.eventlog                draw prog.svg next to the log
  heapviz prog.eventlog -o heap.html   a page to explore the profile in
  heapviz prog.hp -o heap.png          a picture for chat

To make a profile, link the program with -rtsopts (GHC before 9.4: -rtsopts -eventlog) and run it
with +RTS -hT -l-agu. Or build it with -prof, too, and run it with +RTS -hy -l-agu (by type) or
-hc -l-agu (by cost centre). Add -i0.02 if the program runs for less than five seconds.

Usage: heapviz [OPTIONS] <INPUT>...    All flags and verbs: heapviz --help";

const ABOUT: &str = "\
Draws GHC heap profiles.

Reads event logs (.eventlog), text profiles (.hp) and time profiles (.prof). The first word can be a
verb; without one heapviz draws its inputs, and the options below are for drawing.";

/// Does what a command line asks for. The first word is the name by which the program was called.
pub fn run(words: Vec<OsString>) -> ExitCode {
    let words = verb_first(words);
    if let Some(exit) = hp2ps::run_as_called(&words) {
        return exit;
    }
    let Some(first) = words.get(1) else {
        anstream::eprintln!("{START}");
        return ExitCode::from(2);
    };
    if let Some(Entry { run: Run::Verbatim(run), .. }) = Entry::named(first) {
        return run(&words[2..]);
    }
    message::colour(colour(&words));
    let config = match asks_about_the_command(&words) {
        true => Config::default(),
        false => Config::of_environment(command).unwrap_or_else(|failure| {
            failure.message().say();
            std::process::exit(2)
        }),
    };
    if let Some(meant) = near_miss(first) {
        let name = first.to_string_lossy();
        let rest = words[2..].iter().map(|word| word.to_string_lossy());
        let meant = ["heapviz".into(), meant.into()].into_iter().chain(rest);
        let meant: Vec<Cow<str>> = meant.filter(|word| !word.is_empty()).collect();
        Message::error(format_args!("there is no file and no verb `{name}`"))
            .hint(format_args!("did you mean `{}`?", meant.join(" ")))
            .say();
        return ExitCode::from(2);
    }
    let typed = words;
    let (words, unasked) = with_config(&config, &typed);
    let colour = colour(&words);
    message::colour(colour);
    // If the lean command cannot read the words, they are read again with the full one, so that
    // clap's help and hints know all verbs.
    let mut lean = lean_command(&words).color(colour);
    let matches = lean
        .try_get_matches_from_mut(&words)
        .or_else(|error| match error.kind() {
            ErrorKind::DisplayVersion => Err(error),
            _ => command().color(colour).try_get_matches_from(&words),
        })
        .unwrap_or_else(|error| {
            if error.use_stderr()
                && words != typed
                && command().try_get_matches_from(&typed).is_ok()
            {
                config.failure(&error).message().say();
                std::process::exit(2);
            }
            leave(&error)
        });
    // Taking it apart would take half as long as building it.
    std::mem::forget(lean);
    let (name, matches) = match matches.subcommand() {
        Some((name, matches)) => (Some(name), matches),
        None => (None, &matches),
    };
    // Before clap forgets an argument because a field has it.
    let given = Given::of(matches, unasked);
    let done = match name.and_then(|name| Entry::named(OsStr::new(name))) {
        Some(Entry { run: Run::Parsed(run), .. }) => run(matches, given),
        _ => late_verb(matches).map_or_else(|| run_parsed::<Draw>(matches, given), Err),
    };
    done.unwrap_or_else(|UsageError(message)| {
        let mut command = command().color(colour);
        command.build();
        let command = match name {
            Some(name) => command.find_subcommand_mut(name).expect("clap found this verb"),
            None => &mut command,
        };
        command.error(ErrorKind::ValueValidation, message).exit()
    })
}

/// Whether a command line asks for help, the version or the like. The file of flags is not used
/// then, so an error in it cannot prevent the answer.
fn asks_about_the_command(words: &[OsString]) -> bool {
    const FIRST: [&str; 6] = ["help", "man", "completions", "-h", "-V", "--version"];
    let mut ours = words.iter().skip(1).take_while(|word| *word != "--");
    words.get(1).is_some_and(|first| FIRST.iter().any(|word| first == word))
        || ours.any(|word| word == "--help")
}

/// The words of a command line with those of the file of arguments, and the flags that only the file has.
fn with_config(config: &Config, typed: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    if config.is_empty() {
        return (typed.to_vec(), Vec::new());
    }
    let entry = typed.get(1).and_then(|first| Entry::named(first));
    let verb = entry.map_or_else(command, Entry::command);
    let (before, after) = typed.split_at(1 + usize::from(entry.is_some()));
    // A flag of the command line comes later, so it counts.
    ([before, &config.words(&verb), after].concat(), config.unasked(&verb, typed))
}

/// The command with all its verbs.
fn command() -> Command {
    with_verbs(Draw::augment_args(named()), VERBS.iter().map(Entry::command))
}

/// The command with only the flags that a command line may mean, because building all flags takes as many
/// instructions as drawing a small profile. It accepts the same words.
fn lean_command(words: &[OsString]) -> Command {
    let first = words.get(1).map_or(OsStr::new(""), OsString::as_os_str);
    let is_version = first == "--version" || first == "-V";
    if is_version || Entry::named(first).is_some() {
        return with_verbs(named(), Entry::named(first).into_iter().map(Entry::command));
    }
    let is_named = |name: &str| words.iter().any(|word| word == name);
    // clap adds the verb `help` if there are others.
    let verbs: &[Entry] = match is_named("help") || VERBS.iter().any(|entry| is_named(entry.name)) {
        true => VERBS,
        false => &[],
    };
    let verb = |entry: &Entry| match is_named(entry.name) {
        true => entry.command(),
        false => Command::new(entry.name),
    };
    with_verbs(Draw::augment_args(named()), verbs.iter().map(verb))
}

fn named() -> Command {
    Command::new("heapviz")
}

fn with_verbs(command: Command, verbs: impl Iterator<Item = Command>) -> Command {
    command
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(long_version())
        .about("Draws GHC heap profiles")
        .long_about(ABOUT)
        .before_help(draw::FEW_EXAMPLES)
        .before_long_help(draw::EXAMPLES)
        .after_help("All flags: heapviz --help. The flags of a verb: heapviz VERB --help.")
        .after_long_help(draw::ENDING)
        .help_template(HELP)
        .override_usage("heapviz [OPTIONS] <INPUT>...\n       heapviz <VERB> ...")
        .max_term_width(100)
        .args_override_self(true)
        .subcommands(verbs)
        .subcommand_help_heading("Verbs")
        .subcommand_value_name("VERB")
        .subcommand_negates_reqs(true)
        .args_conflicts_with_subcommands(true)
        .arg(
            Arg::new("color")
                .long("color")
                .value_name("WHEN")
                .value_parser(value_parser!(ColorChoice))
                .default_value("auto")
                .global(true)
                .help_heading("Messages")
                .help("Use colours in messages; auto does on a terminal unless NO_COLOR is set"),
        )
}

/// The version, and what else a bug report should state.
fn long_version() -> String {
    let environment = match () {
        () if cfg!(target_env = "gnu") => " gnu",
        () if cfg!(target_env = "musl") => " musl",
        () if cfg!(target_env = "msvc") => " msvc",
        () => "",
    };
    let pdf = if cfg!(feature = "pdf") { ", pdf" } else { "" };
    let tui = if cfg!(feature = "tui") { ", tui" } else { "" };
    let web = if cfg!(feature = "web") { ", web" } else { "" };
    // What makes a release or a package knows it; a build from a folder does not.
    let commit = option_env!("HEAPVIZ_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map_or(String::new(), |commit| format!("\ncommit: {commit}"));
    format!(
        "{}{commit}\nfeatures: cli, png{pdf}, report{tui}{web}\ntarget: {} {}{environment}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

/// The value of `--color`, which is needed before clap has read the words, because its own errors
/// are coloured too. clap reports a value that is not valid.
fn colour(words: &[OsString]) -> ColorChoice {
    let mut words = words.iter().skip(1).map_while(|word| word.to_str().filter(|&w| w != "--"));
    let mut value = None;
    while let Some(word) = words.next() {
        if let Some(given) = word.strip_prefix("--color=") {
            value = Some(given);
        } else if word == "--color" {
            value = words.next();
        }
    }
    value.and_then(|value| value.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// The words with the verb first: `heapviz -q diff a b` means `heapviz diff -q a b`. Only flags that every
/// verb understands may stand before it.
fn verb_first(mut words: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            "-q" | "--quiet" | "--strict" => 1,
            "--color" => 2,
            word if word.starts_with("--color=") => 1,
            _ => break,
        };
    }
    let is_verb = |word: &OsString| Entry::named(word).is_some() && !Path::new(word).exists();
    if words.get(at).is_some_and(is_verb) {
        words[1..=at].rotate_right(1);
    }
    words
}

/// Flags of version 0.1, flags that people try, and what to write instead.
const OTHER_FLAGS: [(&str, &str); 12] = [
    ("--limit-", "is now `--limit NAME=N`, such as --limit bands=5000"),
    ("--until", "is now `--exit-on-alert`, which ends the watch at the first `--alert`"),
    ("--control", "is gone: all releases of eventlog-socket read the same messages"),
    ("--reverse", "is `--root top` for flame graphs; for charts, `heapviz draw` has it"),
    ("--budget", "is not a flag: write `heapviz check --fail-if 'peak > 64MB'`"),
    ("--max", "is not a flag: write `heapviz check --fail-if 'peak > 64MB'`"),
    ("--json", "is not a flag: write `-f json`"),
    ("--html", "is not a flag: write `-o FILE.html`"),
    ("--svg", "is not a flag: write `-o FILE.svg`"),
    ("--png", "is not a flag: write `-o FILE.png`"),
    ("--pdf", "is not a flag: write `-o FILE.pdf`"),
    ("--csv", "is not a flag: write `-o FILE.csv`"),
];

/// What to write instead of an unknown flag.
fn instead(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    let (_, text) = OTHER_FLAGS.into_iter().find(|(other, _)| flag.starts_with(other))?;
    (error.kind() == ErrorKind::UnknownArgument).then(|| format!("{flag} {text}"))
}

/// Prints clap's output (an error, or the requested help or version) and exits. clap's own exit
/// would report success even when the text could not be printed.
fn leave(said: &clap::Error) -> ! {
    if let Some(text) = instead(said) {
        Message::error(text).say();
        std::process::exit(2);
    }
    // clap repeats arguments as they are.
    let is_fit = |word: OsString| matches!(word.to_str(), Some(text) if visible(text) == text);
    if said.use_stderr() && !std::env::args_os().all(is_fit) {
        let plain = said.render().to_string();
        let fit: Vec<String> = plain.lines().map(visible).collect();
        anstream::eprintln!("{}", fit.join("\n"));
        std::process::exit(said.exit_code());
    }
    let printed = said.print().and_then(|()| io::stdout().flush());
    if said.use_stderr() {
        std::process::exit(said.exit_code());
    }
    let delivered = output::delivery(printed);
    std::process::exit(i32::from(delivered.map_or_else(report, |_| 0)));
}

/// Reports why standard output was not written, and returns the exit status.
fn report(error: anyhow::Error) -> u8 {
    Failure::from(error).message().say();
    1
}

/// Prints what a verb made to standard output.
fn print(bytes: &[u8]) -> ExitCode {
    ExitCode::from(output::write(&Output::Stdout, bytes).map_or_else(report, |_| 0))
}

/// Words that people write for a verb, and what does it.
const WISHES: [(&str, &str); 9] = [
    ("version", "--version"),
    ("chart", ""),
    ("plot", ""),
    ("graph", ""),
    ("picture", ""),
    ("page", "-f html"),
    ("report", "-f html"),
    ("flamegraph", "--view flame"),
    ("compare", "diff"),
];

/// What a first word may have been meant to be: it looks like a verb or names a format, and names no file.
fn near_miss(word: &OsStr) -> Option<String> {
    // As similar as clap asks for in its own suggestions.
    const SIMILAR: f64 = 0.7;
    let text = word.to_str()?;
    let is_name = text.chars().all(|c| c.is_ascii_alphanumeric());
    if !is_name || Entry::named(word).is_some() || Path::new(word).exists() {
        return None;
    }
    if let Some((_, flags)) = WISHES.iter().find(|(wish, _)| *wish == text) {
        return Some((*flags).to_owned());
    }
    if Format::ALL.iter().any(|format| format.spec().name == text) {
        return Some(format!("-f {text}"));
    }
    let verbs = VERBS.iter().map(|entry| entry.name);
    let likeness = |verb: &str| strsim::jaro(verb, &text.to_ascii_lowercase());
    let best = verbs.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > SIMILAR).then(|| best.to_owned())
}

/// Detects flags before a verb, which turn the verb into an input.
fn late_verb(matches: &ArgMatches) -> Option<UsageError> {
    let mut inputs = matches.get_many::<PathBuf>(draw::INPUTS)?;
    let verb = inputs.find(|input| Entry::named(input.as_os_str()).is_some() && !input.exists())?;
    let verb = verb.display();
    Some(UsageError(format!(
        "there is no file `{verb}`; a verb has to be the first word: heapviz {verb} ..."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn the_colour_choice_is_found_before_the_arguments_are_parsed() {
        let colour = |words: &[&str]| {
            let words: Vec<OsString> =
                ["heapviz"].iter().chain(words).map(OsString::from).collect();
            super::colour(&words)
        };
        assert_eq!(colour(&["x.hp"]), ColorChoice::Auto);
        assert_eq!(colour(&["x.hp", "--color", "never"]), ColorChoice::Never);
        assert_eq!(colour(&["stats", "--color=always", "x.hp"]), ColorChoice::Always);
        assert_eq!(colour(&["--color=pink"]), ColorChoice::Auto);
        assert_eq!(colour(&["--", "--color=always"]), ColorChoice::Auto);
    }

    #[test]
    fn a_misspelt_verb_is_noticed_and_a_file_name_is_not_a_verb() {
        let meant = |word: &str| near_miss(OsStr::new(word));
        assert_eq!(meant("drav"), Some("draw".to_owned()));
        assert_eq!(meant("HP2PS"), Some("hp2ps".to_owned()));
        assert_eq!(meant("compare"), Some("diff".to_owned()));
        for file in ["draw", "drav.hp", "./drav", "-", "--drav", "prog", "heap"] {
            assert_eq!(meant(file), None, "{file}");
        }
    }
}
