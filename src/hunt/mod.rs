//! `heapviz hunt`: runs a program up to five times, and names the lines that leak.
//!
//! This is the method of GHC's own guide (section 8.4), run by one command: find what grows and who
//! makes it, restrict further runs to that, and see what it is and who holds it. The program says which
//! flags it takes (`crate::program`); each run is ended in order and its files are kept apart from those of
//! the user ([`execute`]); the profiles of the runs become one chain ([`chain`]), which is shown in
//! words or as data ([`answer`]).

mod again;
mod answer;
mod cabal;
mod card;
mod chain;
mod drive;
mod execute;
mod keepers;
mod pace;
mod rebuild;
mod sampled;
mod standard_input;
mod tool;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use clap::Parser;

use crate::analysis::{Leak, rate};
use crate::base::text::visible;
use crate::base::units::{Nanos, UnitSystem, count};
use crate::cli::args::{OpenArgs, SourceLineArgs, UnitArgs};
use crate::cli::target::targets;
use crate::cli::write::{places, write_each};
use crate::cli::{
    Document, DocumentKind, FlagUses, Format, GivenFlags, Input, Message, Output, Sources, Stop,
    Style, Target, Verb, Voice, output,
};
use crate::profile_view::ProfileView;
use crate::program::ghc_program::GhcProgram;
use crate::program::own_folder::own_folder;
use crate::program::{child, residency};
use crate::slice::{Bound, Privacy};
use again::{Found, Growth, Last, Repair};
use answer::{Report, StepResult};
use chain::Chain;
use execute::{Executed, HuntRunEnd, HuntStep, RunDisplay, Runner, StepRun, failed_run, remarks};
use pace::Pace;
use rebuild::BuildArgs;
pub use sampled::RunArgs;
use tool::Built;

const EXAMPLES: &str = "\
Examples:
  heapviz hunt -- ./prog args              which line makes what leaks, what it is, who holds it
  heapviz hunt --cabal -- args             build the package here for profiling first
  heapviz hunt --again                     after an edit: build again, and see whether it still leaks
  heapviz hunt --for 2min -- ./server      interrupt a program that does not end after two minutes
  heapviz hunt --drive 'wrk -d 1h http://localhost:80/' -- ./server
                                           give a server its requests
  heapviz hunt -o hunt.html -- ./prog      one page with all runs; -o leak.png is the answer as one picture
";

const ENDING: &str = "\
With --cabal, --stack or --ghc it builds the program for profiling, or with info tables if profiling libraries
are missing, in the folder dist-heapviz, and leaves all other files as they are. To build it yourself,
link it with -rtsopts, and with -eventlog if GHC is older than 9.4. Built with -prof -fprof-auto, five
runs answer all questions; with -finfo-table-map (GHC 9.2 and newer), two show what grows and where.

Every run gets the same arguments and the same standard input. If the result goes to standard output as
data, the program's output goes to standard error.

Exit status: see `heapviz --help`; 3 if what --again repeats is not shown to be repaired. The exit
status of the program is reported. In CI, `heapviz check -- ./prog` judges one run of a program.";

/// Finds the lines that leak: runs a program up to five times
#[derive(Debug, Parser)]
#[command(before_help = EXAMPLES, after_long_help = ENDING)]
pub struct Hunt {
    /// Build again what the last hunt in this folder built, make its first run only, and say whether what it found
    /// is repaired
    #[arg(long, conflicts_with_all = ["BuildArgs", "program", "length", "warmup", "drive", "runs"])]
    again: bool,

    /// That hunt.
    #[arg(skip)]
    last: Option<Last>,

    #[command(flatten)]
    how: RunArgs,

    /// Leave out the beginning of each run, in which the program starts up
    #[arg(long, value_name = "TIME")]
    warmup: Option<Nanos>,

    /// How many runs: 1 finds only who makes what grows, 2 also who holds it, 3 also whether it is unevaluated, 4 also
    /// its types, 5 also who keeps it in a container
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=5))]
    runs: u8,

    /// Keep the files of the runs in a folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,

    /// Where to write the result; the extension chooses the format. Can be given several times.
    /// Without it, or as `-`: standard output
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Format, if the extension of FILE does not determine it [default: txt]
    #[arg(short, long, value_name = "FORMAT", value_parser = Format::parser(&[DocumentKind::Hunt]))]
    format: Option<Format>,

    #[command(flatten)]
    build: BuildArgs,

    #[command(flatten)]
    open: OpenArgs,

    #[command(flatten)]
    source: SourceLineArgs,

    #[command(flatten)]
    units: UnitArgs,

    #[command(flatten)]
    voice: Voice,

    /// The program to run, with its arguments; only the arguments after --cabal, --stack or --ghc
    #[arg(last = true, value_name = "PROG", help_heading = None::<&str>,
          required_unless_present_any = ["BuildArgs", "again"])]
    program: Vec<OsString>,
}

impl Verb for Hunt {
    fn run(mut self, given: &GivenFlags) -> Result<ExitCode, Stop> {
        if self.again {
            let last = Last::read()?;
            (self.build, self.how) = (last.build.clone(), last.how.clone());
            (self.warmup, self.runs) = (last.warmup, 1);
            self.program = last.arguments.iter().map(OsString::from).collect();
            self.last = Some(last);
        }
        if let Some(warmup) = self.warmup.filter(|warmup| *warmup >= self.how.length) {
            let length = self.how.length;
            let text = format!("a run of {length} has nothing after a warm-up of {warmup}");
            return Err((text + ": give it more time with --for").into());
        }
        let targets = targets(&self.output, self.format, Format::Txt, &[DocumentKind::Hunt]);
        let targets = targets?;
        if let Some(note) = residency::cannot_be_read() {
            self.voice.say(&note);
        }
        let signal = Arc::new(AtomicUsize::new(0));
        child::note_signals(&signal);
        let failed = |failure| Stop::unless_signalled(&signal, failure);
        let built = self.build.build(&signal, self.voice).map_err(failed)?;
        let mut words = self.program.clone();
        let mut files = Vec::new();
        if let Some(Built { program, sources, .. }) = &built {
            words.insert(0, program.into());
            files.extend(sources.iter().map(|folder| folder.join("Main.hs")));
        }
        files.extend(words.first().map(PathBuf::from));
        let sources = self.source.sources(Privacy::Show, &files)?;
        let mut program = GhcProgram::ask(&words).map_err(failed)?;
        if let Some(built) = built {
            (program.lacks, program.variables) = (built.lacks, built.data);
        }
        let hunted = self.hunt(&program, &targets, sources, &signal, given);
        hunted.map_err(failed)
    }
}

impl Hunt {
    fn hunt(
        &self,
        program: &GhcProgram,
        targets: &[Target],
        sources: Sources,
        signal: &AtomicUsize,
        given: &GivenFlags,
    ) -> Result<ExitCode, Message> {
        // Every run reads it from the start.
        output::protect([&Input::Stdin]);
        output::refuse_protected(targets.iter().map(|target| &target.output))?;
        // It is removed with this.
        let temporary;
        let folder = match &self.keep {
            Some(folder) => made_folder(folder)?,
            None => {
                temporary = own_folder()?;
                temporary.path().to_owned()
            }
        };
        let input = standard_input::copy(self.how.length, signal, self.voice)?;
        let runner =
            self.how.runner(program, folder, input.as_ref(), targets, signal, self.voice)?;
        let steps = self.steps(program);
        let chosen = self.last.as_ref().map(|last| last.pace);
        let (step_runs, chain) = self.run_all(&runner, &steps, &sources, chosen)?;
        // The user's own file is in its place again before anything is written.
        drop(runner);
        let status = self.report(program, &step_runs, &chain, targets, sources, given)?;
        match step_runs.last().map(|last| last.executed.ended) {
            Some(HuntRunEnd::User(signal)) => Ok(ExitCode::from(child::signal_code(signal))),
            Some(HuntRunEnd::Itself | HuntRunEnd::Time | HuntRunEnd::Again) | None => Ok(status),
        }
    }

    /// Leaves what was asked and found for `--again`. Arguments that are no text cannot be repeated.
    fn remember(&self, found: Found, pace: Pace) -> Result<(), Message> {
        let arguments = self.program.iter().map(|word| word.to_str().map(str::to_owned));
        let Some(arguments) = arguments.collect() else { return Ok(()) };
        let (build, how) = (self.build.clone(), self.how.clone());
        Last { build, how, warmup: self.warmup, arguments, pace, found }.write()
    }

    fn steps(&self, program: &GhcProgram) -> Vec<HuntStep> {
        let mut steps = match program.profiled {
            true => vec![
                HuntStep::Makers,
                HuntStep::Holders,
                HuntStep::Kinds,
                HuntStep::Types,
                HuntStep::Cells,
            ],
            false if program.takes("-hi") => vec![HuntStep::ClosureTypes, HuntStep::InfoTables],
            false => vec![HuntStep::ClosureTypes],
        };
        steps.truncate(usize::from(self.runs));
        steps
    }

    /// Makes the runs, each as the one before it suggests, and all at the same pace: at one that was chosen, or at that
    /// which suits the first run.
    fn run_all(
        &self,
        runner: &Runner<'_>,
        steps: &[HuntStep],
        sources: &Sources,
        chosen: Option<Pace>,
    ) -> Result<(Vec<StepRun>, Chain), Message> {
        let voice = self.voice;
        let mut step_runs: Vec<StepRun> = Vec::new();
        let mut pace = chosen.unwrap_or_else(|| Pace::first(runner.longest));
        let mut chain = Chain::default();
        for (at, &step) in steps.iter().enumerate() {
            // These have the types, too, and the places.
            let has_more = step == HuntStep::Types && chain.has_info_tables;
            let step = if has_more { HuntStep::InfoTables } else { step };
            let of = chain.restriction(step);
            if step == HuntStep::Cells && of.is_empty() {
                break;
            }
            let title = match steps.len() {
                1 => format!("run 1, {}", step.title()),
                most => format!("run {} of at most {most}, {}", at + 1, step.title()),
            };
            let shown = RunDisplay { title: &title, output: step.is_first() };
            let may_change = step.is_first() && chosen.is_none();
            let one = match runner.run_one(step, of, &mut pace, may_change, shown) {
                Ok(mut one) => {
                    one.options.slice.window.from = self.warmup.map(Bound::Time);
                    one.options.slice.window.to = one.end();
                    one
                }
                // The answer is what the other runs show.
                Err(failure) if !step_runs.is_empty() => {
                    voice.say(&Message::warning(failure.parts().0));
                    break;
                }
                Err(failure) => return Err(failure),
            };
            let run = run_of(&one);
            self.say_run(&format!("run {}", at + 1), &one, &run);
            remarks(&one, runner.program, voice);
            let is_over = matches!(one.executed.ended, HuntRunEnd::User(_));
            let found = match &run {
                Ok(run) => chain.learn(step, run, sources),
                Err(_) => !step.is_first(),
            };
            drop(run);
            step_runs.push(one);
            if is_over || !found {
                break;
            }
        }
        chain.finish();
        Ok((step_runs, chain))
    }

    /// Says in one line what a run found.
    fn say_run(&self, number: &str, one: &StepRun, run: &Result<ProfileView<'_>, String>) {
        let summary = summary(one.step, run, self.units.units);
        let title = format!("{number}  {}", one.name());
        let wall = format!("{:.0} s", one.executed.wall.as_secs_f64());
        self.voice.summarise(&visible(&format!("{title:<42}  {wall:>5}   {summary}")));
    }

    fn report(
        &self,
        program: &GhcProgram,
        step_runs: &[StepRun],
        chain: &Chain,
        targets: &[Target],
        sources: Sources,
        given: &GivenFlags,
    ) -> Result<ExitCode, Message> {
        let result = |step_run| StepResult { step_run, run: run_of(step_run) };
        let runs: Vec<StepResult<'_>> = step_runs.iter().map(result).collect();
        let first = match runs.first().map(|first| &first.run) {
            Some(Ok(first)) => first,
            Some(Err(why)) => return Err(failed_run(why, program, &step_runs[0])),
            None => return Err(Message::error("nothing was run")),
        };
        let executed = &step_runs[0].executed;
        let found = Found::new(first, executed, &chain.made_by, &sources);
        let again = self.last.as_ref().map(|Last { found: before, .. }| {
            let own = Growth::of_makers(first, &before.makers, &sources);
            before.compared(&found, &own, first.account())
        });
        let outcome = again.as_ref().map(|again| again.outcome);
        if self.last.is_none() && self.build.is_asked() {
            self.remember(found, step_runs[0].pace)?;
        }
        let kept = self.keep.is_some();
        let report = Report { program, runs: &runs, chain, again, kept };
        self.write(&report, targets, sources, given)?;
        Ok(match outcome {
            Some(Repair::Less | Repair::NotRepaired | Repair::Unknown) => ExitCode::from(3),
            Some(Repair::Repaired) | None => ExitCode::SUCCESS,
        })
    }

    fn write(
        &self,
        report: &Report<'_>,
        targets: &[Target],
        sources: Sources,
        given: &GivenFlags,
    ) -> Result<(), Message> {
        let voice = self.voice;
        let mut style = Style::default();
        style.draw.units = self.units.units;
        style.sources = sources;
        style.opens = self.open.open;
        let uses = FlagUses::new(given, None, self.format);
        write_each(report, targets, &style, uses, voice)?;
        // Files do not replace the answer.
        if !targets.iter().any(|target| target.output == Output::Stdout)
            && let Some(blocks) = report.blocks(&style)
        {
            blocks.text(style.draw.units).trim_end().lines().for_each(|line| voice.summarise(line));
        }
        self.say_files(targets);
        Ok(())
    }

    fn say_files(&self, targets: &[Target]) {
        let written = places(&targets.iter().collect::<Vec<_>>());
        let kept =
            self.keep.iter().map(|folder| format!("the files of all runs -> {}", folder.display()));
        let said = (!written.is_empty()).then(|| format!("the answer{written}")).into_iter();
        said.chain(kept).for_each(|line| self.voice.summarise(&visible(&line)));
    }
}

fn run_of(step_run: &StepRun) -> Result<ProfileView<'_>, String> {
    let profile = step_run.profile.as_ref().map_err(String::clone)?;
    ProfileView::new(profile, &step_run.options).map_err(|error| error.to_string())
}

/// The folder for the files of the runs, which replace those of an earlier hunt.
fn made_folder(named: &Path) -> Result<PathBuf, Message> {
    let made = std::fs::create_dir_all(named).and_then(|()| std::fs::canonicalize(named));
    made.map_err(|error| Message::error(format!("cannot make {}: {error}", named.display())))
}

/// What a run found, in a few words.
fn summary(step: HuntStep, run: &Result<ProfileView<'_>, String>, units: UnitSystem) -> String {
    let run = match run {
        Ok(run) => run,
        Err(why) => return why.clone(),
    };
    let account = run.account();
    if !step.is_first() {
        return count(run.slice().with_data(), "sample");
    }
    match account.leak {
        Leak::Likely | Leak::Possible => {
            format!("grows, {}", rate(account.rate(), account.clock).text(units))
        }
        Leak::None | Leak::Unknown => account.grade().to_owned(),
    }
}
