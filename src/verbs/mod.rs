//! The verbs of the command, and the way from the words of a command line to one of them.
//!
//! A command line without a verb draws. So the command itself also has the flags of *draw*, and
//! only the first word can be a verb, apart from flags that every verb has: `./diff` is the name of a file.

mod check;
mod diff;
mod draw;
mod hp2ps;
mod stats;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Args, ColorChoice, Command, Parser, value_parser};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
#[cfg(unix)]
use signal_hook::consts::signal::SIGXFSZ;

use crate::base::names::{SIMILAR, nearest};
use crate::base::text::visible;
use crate::cli::{GivenFlags, Message, Output, Stop, Verb, message, output};
use crate::hunt::Hunt;
use crate::watch::Watch;
use check::Check;
use diff::Diff;
use draw::Draw;
use stats::Stats;

/// Every verb, in the order of the help. To add one, add its file to this folder and its line here;
/// `hunt` and `watch` have rooms of their own.
const VERBS: &[Entry] = &[
    Entry::new::<Draw>("draw"),
    Entry::new::<Stats>("stats"),
    Entry::new::<Check>("check"),
    Entry::new::<Diff>("diff"),
    Entry::new::<Watch>("watch"),
    Entry::new::<Hunt>("hunt"),
    Entry { name: "hp2ps", describe: hp2ps::describe, run: Handler::Verbatim(hp2ps::run) },
    Entry::new::<Completions>("completions"),
    Entry::new::<ManPage>("man"),
];

struct Entry {
    name: &'static str,
    /// Adds its help and its arguments.
    describe: fn(Command) -> Command,
    run: Handler,
}

enum Handler {
    /// With the arguments as clap read them.
    Parsed(fn(&ArgMatches, GivenFlags) -> Result<ExitCode, Stop>),
    /// With all words after the verb, which clap does not see, because the verb has its own
    /// grammar.
    Verbatim(fn(&[OsString]) -> ExitCode),
}

impl Entry {
    const fn new<V: Verb>(name: &'static str) -> Self {
        Entry { name, describe: described::<V>, run: Handler::Parsed(run_parsed::<V>) }
    }

    fn named(name: &OsStr) -> Option<&'static Entry> {
        VERBS.iter().find(|entry| entry.name == name)
    }

    /// Most runs need a single verb, so clap builds the others only for their help.
    fn command(&self) -> Command {
        let command = Command::new(self.name).max_term_width(100).args_override_self(true);
        command.help_template(HELP).defer(self.describe)
    }
}

fn run_parsed<V: Verb>(matches: &ArgMatches, given: GivenFlags) -> Result<ExitCode, Stop> {
    V::from_arg_matches(matches).unwrap_or_else(|error| leave(&error)).run(&given)
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
    // A limit on the size of files is met with the message of a full disk, not with this signal.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    if let Some(exit) = hp2ps::run_as_called(&words) {
        return exit;
    }
    let words = verb_first(words);
    let Some(first) = words.get(1) else {
        anstream::eprintln!("{START}");
        return ExitCode::from(2);
    };
    if let Some(Entry { run: Handler::Verbatim(run), .. }) = Entry::named(first) {
        return run(&words[2..]);
    }
    let colour = colour(&words);
    message::colour(colour);
    if let Some(verb) = misspelt_verb(first) {
        let name = first.to_string_lossy();
        Message::error(format_args!("there is no file and no verb `{name}`"))
            .hint(format_args!("did you mean `heapviz {verb}`?"))
            .say();
        return ExitCode::from(2);
    }
    let matches =
        matches(&words, colour).unwrap_or_else(|error| leave(&with_way_out(error, first)));
    let (name, matches) = match matches.subcommand() {
        Some((name, matches)) => (Some(name), matches),
        None => (None, &matches),
    };
    // Before clap forgets an argument because a field has it.
    let given = GivenFlags::new(matches);
    let done = match name.and_then(|name| Entry::named(OsStr::new(name))) {
        Some(Entry { run: Handler::Parsed(run), .. }) => run(matches, given),
        _ => run_parsed::<Draw>(matches, given),
    };
    match done {
        Ok(code) => code,
        Err(Stop::BySignal(signal)) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(1)),
        Err(Stop::Failed(message)) => {
            message.say();
            ExitCode::from(1)
        }
        Err(Stop::Usage(message)) => {
            let mut command = command().color(colour);
            command.build();
            let command = match name {
                Some(name) => command.find_subcommand_mut(name).expect("clap found this verb"),
                None => &mut command,
            };
            command.error(ErrorKind::ValueValidation, message).exit()
        }
    }
}

fn matches(words: &[OsString], colour: ColorChoice) -> Result<ArgMatches, clap::Error> {
    command().color(colour).try_get_matches_from(words).or_else(|error| {
        if error.kind() != ErrorKind::DisplayHelp {
            return Err(error);
        }
        // The list of verbs needs all of them.
        let mut all = command().color(colour);
        all.build();
        all.try_get_matches_from(words)
    })
}

/// The command with all its verbs.
fn command() -> Command {
    described::<Draw>(Command::new("heapviz"))
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
        .subcommands(VERBS.iter().map(Entry::command))
        .subcommand_help_heading("Verbs")
        .subcommand_value_name("VERB")
        .subcommand_negates_reqs(true)
        .args_conflicts_with_subcommands(true)
}

/// Adds the arguments of a verb, and the one of every verb.
fn described<V: Args>(command: Command) -> Command {
    V::augment_args(command).arg(
        Arg::new("color")
            .long("color")
            .value_name("WHEN")
            .value_parser(value_parser!(ColorChoice))
            .default_value("auto")
            .help_heading("Messages")
            .help("Use colours in messages, and in what `watch` shows; auto does on a terminal unless NO_COLOR is set"),
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
    // A release built in a checkout, or a package, knows it; a build from a folder does not.
    let commit = option_env!("HEAPVIZ_COMMIT").filter(|commit| !commit.is_empty());
    let commit = commit.map_or(String::new(), |commit| format!("\ncommit: {commit}"));
    format!(
        "{}{commit}\nfeatures: cli, png{pdf}, report{tui}{web}\ntarget: {} {}{environment}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

/// The words with the verb first, if only flags that all verbs have are before it.
fn verb_first(mut words: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            "-q" | "--quiet" => 1,
            "--color" => 2,
            _ if word.starts_with("--color=") => 1,
            _ => break,
        };
    }
    if words.get(at).is_some_and(|word| Entry::named(word).is_some()) {
        words[1..=at].rotate_right(1);
    }
    words
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

const BUDGET: &str =
    "a budget is given by --fail-if, as in --fail-if 'peak > 10M' and --fail-if 'growth > 1M/min'";

const GONE: &[(&str, &str)] = &[
    (
        "--align",
        "--align is gone: --from and --to compare a part of both runs, between two times or markers",
    ),
    (
        "--view",
        "two runs as flame graphs: write both with draw -f pprof, and let pprof compare them",
    ),
    (
        "--columns",
        "--columns is gone: close samples are drawn as their means, under a line of the highest; --from and --to show each",
    ),
    (
        "--memory",
        "--memory is gone: a verdict says how fast a leak grows, and --fail-if 'peak > 512MiB' of check, \
         or --alert of watch, what is too much",
    ),
    (
        "--phases",
        "--phases is gone: --from MARKER --to MARKER shows the part of the run between two markers",
    ),
    ("--callers", "--callers is gone: the tree of a page (-o heap.html) shows callers"),
    (
        "--focus",
        "--focus is gone: the tree of a page (-o heap.html) searches, and puts one cost centre in the middle",
    ),
    (
        "--merge-names",
        "--merge-names is gone: pprof, to which -f pprof writes, merges functions by name",
    ),
    (
        "--trace-elements",
        "--trace-elements is gone: with --trace 0 the smallest bands are part of OTHER",
    ),
    ("--rts-stacks", "--rts-stacks is gone: stats --all shows what collections take"),
    ("--limit", "--limit is gone: --no-limits keeps all of an input"),
    (
        "--same-scale",
        "--same-scale is gone: --x-max and --y-max draw several runs on one scale, and diff draws two",
    ),
    ("--reverse", "--reverse is gone: --sort orders by another figure, or by name"),
];

/// An error of clap with the way out that there is: its own is to give a flag that does not exist as a file.
fn with_way_out(mut error: clap::Error, verb: &OsStr) -> clap::Error {
    let flag = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(flag))) if verb == "hunt" => {
            let tip = format!("the arguments of the program follow a `--`: `-- {flag}`");
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            return error;
        }
        (ErrorKind::UnknownArgument, Some(ContextValue::String(flag))) => flag.clone(),
        (ErrorKind::MissingRequiredArgument, _) if verb == "hunt" => {
            let tip = "name a program (`hunt -- ./prog args`), or build the one in this folder (`hunt --cabal`)";
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            return error;
        }
        _ => return error,
    };
    let gone = GONE.iter().find(|(name, _)| *name == flag);
    let tip = gone.map(|(_, instead)| *instead).or((verb == "check").then_some(BUDGET));
    let tips = tip.into_iter().map(Into::into).collect();
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    error
}

/// Prints clap's output (an error, or the requested help or version) and exits. clap's own exit
/// would report success even when the text could not be printed.
fn leave(said: &clap::Error) -> ! {
    // clap repeats arguments as they are.
    let is_fit = |word: OsString| matches!(word.to_str(), Some(text) if visible(text) == text);
    if said.use_stderr() {
        let text = said.render();
        match std::env::args_os().all(is_fit) {
            true => message::print(text.ansi().to_string().trim_end()),
            false => {
                let fit: Vec<String> = text.to_string().lines().map(visible).collect();
                message::print(fit.join("\n"));
            }
        }
        std::process::exit(said.exit_code());
    }
    let printed = said.print().and_then(|()| io::stdout().flush());
    let delivered = output::delivery(printed);
    std::process::exit(i32::from(delivered.map_or_else(report, |_| 0)));
}

/// Reports why standard output was not written, and returns the exit status.
fn report(error: anyhow::Error) -> u8 {
    Message::from(error).say();
    1
}

/// Prints the completions for a shell
///
/// For example: heapviz completions bash > ~/.local/share/bash-completion/completions/heapviz
#[derive(Debug, Parser)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

impl Verb for Completions {
    fn run(self, _: &GivenFlags) -> Result<ExitCode, Stop> {
        let mut script = Vec::new();
        generate(self.shell, &mut command(), "heapviz", &mut script);
        Ok(print(&script))
    }
}

/// Prints the manual page of heapviz, or of one of its verbs
///
/// For example: heapviz man > ~/.local/share/man/man1/heapviz.1
#[derive(Debug, Parser)]
pub struct ManPage {
    /// The verb [default: a page about heapviz as a whole]
    verb: Option<String>,
}

impl Verb for ManPage {
    fn run(self, _: &GivenFlags) -> Result<ExitCode, Stop> {
        let mut all = command();
        all.build();
        let page = match &self.verb {
            None => &all,
            Some(name) => {
                all.find_subcommand(name).ok_or_else(|| format!("there is no verb `{name}`"))?
            }
        };
        // The page of `heapviz draw` is heapviz-draw.1.
        let title = page.get_display_name().unwrap_or(page.get_name()).to_owned();
        // clap_mangen takes the help that is too long for `-h` only where it has a long form.
        let page =
            page.clone().mut_args(|arg| match (arg.get_long_help(), arg.get_help().cloned()) {
                (None, Some(help)) => arg.long_help(help),
                (Some(_), _) | (None, None) => arg,
            });
        let mut text = Vec::new();
        Man::new(page)
            .title(title)
            .source(concat!("heapviz ", env!("CARGO_PKG_VERSION")))
            .render(&mut text)
            .expect("writing to memory cannot fail");
        Ok(print(&text))
    }
}

/// Prints what a verb made to standard output.
fn print(bytes: &[u8]) -> ExitCode {
    ExitCode::from(output::write(&Output::Stdout, bytes).map_or_else(report, |_| 0))
}

/// The verb that a first word was meant to be, if it names no file.
fn misspelt_verb(word: &OsStr) -> Option<String> {
    let text = word.to_str().filter(|text| text.chars().all(|c| c.is_ascii_alphanumeric()))?;
    if Entry::named(word).is_some() || Path::new(word).exists() {
        return None;
    }
    nearest(&text.to_ascii_lowercase(), VERBS.iter().map(|entry| entry.name), SIMILAR)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::analysis::Metric;
    use crate::cli::flags::USES;
    use crate::cli::formats::{Format, Spec};

    #[test]
    fn the_definition_of_the_command_is_sound() {
        command().debug_assert();
    }

    /// Flags without a row in `cli/flags.rs`: they change what is read, or every document of their verbs, or no document.
    const OF_ALL_DOCUMENTS: &str = "accept after again alert all all_samples annotate baseline before cabal color drive \
        eventlog exclude exit_on_alert fail_if fail_if_unknown forever format from ghc group \
        help hp include inputs keep length no_limits no_verdict output port program \
        quiet record redact run runs serve sources stack strict to tui view warmup web \
        write_baseline";

    #[test]
    fn a_flag_has_a_row_that_says_what_it_is_for_or_is_for_everything() {
        let mut all = command();
        all.build();
        let verbs = ["draw", "stats", "check", "diff", "hunt", "watch"];
        let verbs = verbs.map(|name| all.find_subcommand(name).expect("a verb"));
        let flags = verbs.into_iter().flat_map(|verb| verb.get_arguments());
        let flags: BTreeSet<&str> = flags.map(|flag| flag.get_id().as_str()).collect();
        let rows = USES.iter().map(|row| row.id).chain(OF_ALL_DOCUMENTS.split(' '));
        assert_eq!(flags, rows.collect());
    }

    #[test]
    fn the_documents_describe_every_format_and_figure() {
        let (formats, diagnosis) =
            (include_str!("../../docs/reference.md"), include_str!("../../docs/diagnosis.md"));
        let written = formats.split_once("## What is written").expect("the formats").1;
        for format in Format::ALL {
            let Spec { name, ending, .. } = format.spec();
            let of = [name.to_uppercase(), format!("`.{ending}`"), format!("`-f {name}`")];
            assert!(of.iter().any(|words| written.contains(words)), "{name} in docs/reference.md");
        }
        let figures = diagnosis.split_once("## Figures").expect("the figures").1;
        let rows = figures.lines().filter_map(|row| row.strip_prefix("| ")?.split(" | ").next());
        let rows: Vec<&str> = rows.flat_map(|names| names.split(", ")).collect();
        for metric in Metric::ALL {
            let name = metric.name();
            assert!(
                rows.iter().any(|row| row.trim_matches('`') == name),
                "{name} in docs/diagnosis.md"
            );
        }
    }

    #[test]
    fn a_misspelt_verb_is_noticed_and_a_file_name_is_not_a_verb() {
        let meant = |word: &str| misspelt_verb(OsStr::new(word));
        assert_eq!(meant("drav").as_deref(), Some("draw"));
        assert_eq!(meant("HP2PS").as_deref(), Some("hp2ps"));
        for file in ["draw", "drav.hp", "./drav", "-", "--drav", "prog", "heap"] {
            assert_eq!(meant(file), None, "{file}");
        }
    }
}
