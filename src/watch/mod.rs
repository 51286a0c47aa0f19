//! `heapviz watch`: the heap of a program that is running.
//!
//! One thread reads the source and never waits for anything else ([`source`]); it passes the bytes to
//! the engine, which all threads share ([`shared`]). The main thread shows the result: in the
//! terminal, or in lines on standard error ([`plain`]), in files that are rewritten ([`outputs`]) and
//! in a browser (`web`); and it reports when the heap is over a budget ([`alerts`]). `serve` answers
//! engines of metrics and profiles.

mod alerts;
mod arrivals;
mod follow;
#[cfg(feature = "web")]
mod http;

mod outputs;
mod plain;
mod program;
mod reader;
mod record;
#[cfg(feature = "web")]
mod serve;
mod shared;
mod source;
mod status;
#[cfg(feature = "tui")]
mod terminal;
#[cfg(feature = "web")]
mod web;

use std::ffi::OsString;
#[cfg(feature = "tui")]
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;

use crate::analysis::alert::Alert;
use crate::base::units::Bytes;
use crate::cli::args::{BandArgs, KeptArgs, SliceArgs, StackArgs, ViewArgs};
use crate::cli::{
    Choice, GivenFlags, Input, Message, Stop, Style, Verb, Voice, args, output, target,
};
use crate::live::LiveOptions;
use crate::profile_view::ViewOptions;
use crate::program::child;
use crate::slice::Privacy;
use alerts::{Alerts, Raised};
use arrivals::Arrivals;
use outputs::Outputs;
use program::WatchedProgram;
use record::Recorder;
use shared::{Shared, SourceState, WatchState, locked, surviving};
use source::{LOOK, LiveSource, WatchEnd, identity, is_socket};
use status::Status;

const EXAMPLES: &str = "\
Examples:
  heapviz watch -- ./prog args +RTS -hT -l  start a program and watch it
  heapviz watch prog.eventlog               a log that grows, or does not exist yet
  heapviz watch prog.eventlog --web         the same in a browser
  heapviz watch prog.hp -o heap.svg         a picture, rewritten at most once a second
  heapviz watch /tmp/prog.sock              a program that serves its event log (eventlog-socket)
  heapviz watch prog.hp --alert 'peak > 2GiB' --alert 'growth > 1MB/min for 10min'
";

const ENDING: &str = "\
To write its event log while it runs, a program must be threaded, compiled by GHC 9.2 or newer,
and run with +RTS -l -hT --eventlog-flush-interval=1; otherwise it writes the log when it ends.
Every GHC writes a .hp file after every sample.

Exit status: see `heapviz --help`; 3 if an alert ended the watch, otherwise after `-- PROG` the exit
status of the program, or 128 and the number of the signal that ended the watch.";

/// Shows the heap of a running program
///
/// Shows the heap in the terminal as it changes; with -o, rewrites a file instead. Ends when the run
/// has ended if there is no terminal, or one that can show only lines (TERM=dumb).
#[derive(Debug, Parser)]
#[command(before_help = EXAMPLES, after_long_help = ENDING)]
pub struct Watch {
    /// What to watch: a growing .eventlog or .hp file, a named pipe, a socket, host:port, or `-`
    /// for standard input
    #[arg(value_name = "SOURCE", required_unless_present = "program")]
    sources: Vec<OsString>,

    /// A file to rewrite at most once a second; the extension chooses the format
    ///
    /// Can be given several times.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Write every byte that arrives to a file that does not exist yet
    #[arg(long, value_name = "FILE", conflicts_with = "redact")]
    record: Option<PathBuf>,

    /// Show the heap in the terminal, even where that is not the default
    #[cfg(feature = "tui")]
    #[arg(long)]
    tui: bool,

    /// Show the heap in a browser: serve the report page to this machine, and print its address
    ///
    /// Continues after the run has ended, until interrupted.
    #[cfg(feature = "web")]
    #[arg(long)]
    #[cfg_attr(feature = "tui", arg(conflicts_with = "tui"))]
    web: bool,

    /// Port of that page [default: any free port]
    #[cfg(feature = "web")]
    #[arg(long, value_name = "PORT", requires = "web", hide_short_help = true)]
    port: Option<u16>,

    /// Serve figures to Prometheus, and the live heap to Pyroscope and others
    ///
    /// The newest sample and the verdict are at http://ADDR:PORT/metrics; the live heap is at /debug/pprof/heap, for
    /// Pyroscope, Parca and `go tool pprof`. Without ADDR only this machine can read them. Continues with the next run
    /// when one has ended, until interrupted.
    #[cfg(feature = "web")]
    #[arg(long, value_name = "[ADDR:]PORT")]
    serve: Option<serve::Listen>,

    /// Wait for the next run when one has ended
    #[arg(long)]
    forever: bool,

    /// Report when the heap is over a budget of `heapviz check --fail-if`
    ///
    /// Growth is measured over the last minutes: 'band("Map").growth > 1MB/min for 10min'. Can be given several times.
    #[arg(long, value_name = "BUDGET")]
    alert: Vec<Alert>,

    /// Exit with status 3 at the first alert, and end the program that `-- PROG` started
    #[arg(long, requires = "alert")]
    exit_on_alert: bool,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    bands: BandArgs,

    #[command(flatten)]
    slice: SliceArgs,

    #[command(flatten)]
    kept: KeptArgs,

    #[command(flatten)]
    voice: Voice,

    /// A program to start and watch, with its arguments
    #[arg(last = true, value_name = "PROG", help_heading = None::<&str>, conflicts_with = "sources")]
    program: Vec<OsString>,
}

impl Verb for Watch {
    fn run(self, given: &GivenFlags) -> Result<ExitCode, Stop> {
        let targets = match &self.output[..] {
            [] => Vec::new(),
            outputs => {
                let jobs = target::jobs(&[PathBuf::from("heap")], outputs, None);
                jobs?.remove(0).targets
            }
        };
        if targets.iter().any(|target| target.output == target::Output::Stdout) {
            return Err("standard output cannot be rewritten: name a file after -o".into());
        }
        let source = self.only_source()?;
        Ok(self.watch(source, targets, given)?)
    }
}

impl Watch {
    /// The source with its name; `None` if a program is started.
    fn only_source(&self) -> Result<Option<(String, LiveSource)>, String> {
        match &self.sources[..] {
            [] => Ok(None),
            [word] => {
                let source = LiveSource::new(word)?;
                Ok(Some((source.name(), source)))
            }
            [_, second, ..] => {
                let second = second.display();
                Err(format!(
                    "only one source can be watched, and {second} is a second one: start another \
                     `heapviz watch` for it; --serve PORT of each lets Prometheus join them"
                ))
            }
        }
    }

    /// Whether something is served, to engines or as a page.
    fn serves(&self) -> (bool, bool) {
        #[cfg(feature = "web")]
        return (self.serve.is_some(), self.web);
        #[cfg(not(feature = "web"))]
        (false, false)
    }

    fn watch(
        self,
        source: Option<(String, LiveSource)>,
        targets: Vec<target::Target>,
        given: &GivenFlags,
    ) -> Result<ExitCode, Message> {
        let options = self.run_options();
        let privacy = options.slice.privacy;
        let (slice, units) = (options.slice.clone(), self.view.units.units);
        let mut alerts = Alerts::new(self.alert.clone(), self.exit_on_alert, slice, units);
        let recorder = self.record.as_deref().map(Recorder::new).transpose()?;
        let shared = Arc::new(Shared::new(self.live(), recorder));
        shared.stop_on_signals();
        let shows_terminal = self.shows_terminal(source.as_ref().map(|(_, source)| source));
        let (called, source, program) = match source {
            Some((called, source)) => (called, source, None),
            None => self.started(shows_terminal)?,
        };
        let name = if privacy == Privacy::Redact { "the program".to_owned() } else { called };
        if let LiveSource::Input(input) = &source {
            output::protect([input]);
        }
        output::refuse_protected(targets.iter().map(|target| &target.output))?;
        let mut outputs = self.outputs(targets, options.clone(), (source.file(privacy), given));
        #[cfg(feature = "web")]
        if let Some(listen) = &self.serve {
            serve::start(listen, serve::ServedSource::new(Arc::clone(&shared), options))?;
        }
        #[cfg(feature = "web")]
        let mut web = self
            .web
            .then(|| web::Web::start(self.port.unwrap_or(0), privacy, &mut outputs))
            .transpose()?;
        #[cfg(feature = "web")]
        let beside = web.as_mut().map(|web| web as &mut dyn plain::Beside);
        #[cfg(not(feature = "web"))]
        let beside = None;
        let pipe = source.pipe();
        // Whoever asks for figures wants those of the next run, too; a program that was started has none.
        let forever = self.forever || (self.serves().0 && program.is_none());
        let reader = reader::spawn(source, Arc::clone(&shared), forever, program);
        let ended = match shows_terminal {
            #[cfg(feature = "tui")]
            true => terminal::run(&shared, &mut outputs, &mut alerts, &name, units)?,
            _ => plain::run(&shared, &mut outputs, &mut alerts, beside, &name, self.voice),
        };
        if let (Some(pipe), WatchEnd::User | WatchEnd::Alert, SourceState::Open) =
            (pipe, ended, &shared.state().source)
        {
            self.voice.say(&full_pipe(&pipe));
        }
        #[cfg(feature = "web")]
        web.into_iter().for_each(|web| web.finish(&shared, &mut outputs));
        shared.stop();
        let exit = exit_code(ended, reader.join_if_done(ended), shared.signal_code());
        shared.end_recording();
        let status = outputs.finish(&shared, exit, (self.voice, given), &name);
        Ok(if ended == WatchEnd::Alert { ExitCode::from(3) } else { status })
    }

    /// Starts the program of the command line: its name, where its log comes from, and the program itself.
    fn started(
        &self,
        shows_terminal: bool,
    ) -> Result<(String, LiveSource, Option<WatchedProgram>), Message> {
        let called = self.program.first().map(|word| word.to_string_lossy().into_owned());
        let (source, program) = WatchedProgram::start(&self.program, shows_terminal)?;
        Ok((called.unwrap_or_default(), source, Some(program)))
    }

    /// The files to rewrite, the same as those of `heapviz draw`.
    fn outputs(
        &self,
        targets: Vec<target::Target>,
        options: ViewOptions,
        (file, given): (Option<String>, &GivenFlags),
    ) -> Outputs {
        let mut style = Style::default();
        self.view.on(&mut style);
        style.page.flags = given.of_a_view(&args::of_a_view(), options.slice.privacy);
        let choice = Choice { view: self.view.view, stacks: StackArgs::default() };
        Outputs::new(targets, choice, style, options, file)
    }

    fn live(&self) -> LiveOptions {
        let (mut options, limits) = (LiveOptions::default(), self.kept.limits());
        options.limits.samples = limits.samples;
        if self.kept.no_limits {
            (options.memory, options.samples) = (Bytes::new(u64::MAX), usize::MAX);
            options.limits = limits;
        }
        options
    }

    /// What the run shows, the same as for `heapviz draw`.
    fn run_options(&self) -> ViewOptions {
        let mut options = ViewOptions::default();
        options.slice = self.slice.options();
        options.rank = self.bands.options();
        options.measure = self.bands.sort;
        options
    }

    /// Whether the heap is shown in the terminal: if there is one, and nothing else was asked for.
    #[cfg(feature = "tui")]
    fn shows_terminal(&self, source: Option<&LiveSource>) -> bool {
        let keys = !matches!(source, Some(LiveSource::Input(Input::Stdin)))
            && stdin().is_terminal()
            && self.serves() == (false, false);
        let is_usual = || self.output.is_empty() && stdout().is_terminal() && keys;
        self.tui || (is_usual() && terminal::has_screen())
    }

    #[cfg(not(feature = "tui"))]
    fn shows_terminal(&self, _: Option<&LiveSource>) -> bool {
        false
    }
}

/// The status of a watch: that of the program, unless the user ended it by a signal. A program may make anything of
/// the signal that it gets then. Without a program, Ctrl-C is how a watch is ended.
fn exit_code(ended: WatchEnd, program: Option<u8>, signal: Option<u8>) -> Option<u8> {
    let is_end =
        |code: &u8| program.is_none() && *code == child::signal_code(signal_hook::consts::SIGINT);
    match ended {
        WatchEnd::User => signal.filter(|code| !is_end(code)).or(program),
        WatchEnd::Run | WatchEnd::Alert => program,
    }
}

/// What happens to a program whose pipe is no longer read.
fn full_pipe(pipe: &Path) -> Message {
    let pipe = pipe.display();
    let text = format!("the program will stop when 64 KiB are waiting in {pipe}");
    Message::warning(text).hint(format_args!("cat {pipe} > rest.eventlog keeps it running"))
}
