//! `heapviz hunt`: runs a program up to four times, and names the lines that leak.
//!
//! This is the method of GHC's own guide (section 8.4), run by one command: find what grows and who
//! makes it, restrict further runs to that, and see what it is and who holds it. The program says which
//! flags it takes (`crate::program`); each run is ended in order and its files are kept apart from those of
//! the user ([`execute`]); the profiles of the runs become one chain ([`chain`]), which is shown in
//! words or as data ([`words`]).

mod again;
mod build;
mod cabal;
mod card;
mod chain;
mod execute;
mod pace;
mod tool;
mod words;

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Parser;

use crate::analysis::budget::{Budget, BudgetState};
use crate::analysis::{Leak, rate};
use crate::base::text::visible;
use crate::base::units::{Nanos, UnitSystem};
use crate::input::InputOptions;
use crate::kit::args::output::{OpenArgs, SourceLineArgs};
use crate::kit::args::picture::UnitArgs;
use crate::kit::flags::{Given, Uses};
use crate::kit::formats::{Format, Kind};
use crate::kit::look::Look;
use crate::kit::message::{Message, Voice};
use crate::kit::output;
use crate::kit::read::Reader;
use crate::kit::source::Sources;
use crate::kit::target::{Input, Job, Output, Target, targets};
use crate::kit::verb::Failure;
use crate::kit::verb::{Stop, UsageError, Verb};
use crate::kit::write::{Document, write_each};
use crate::profile::{Profile, Source};
use crate::program::child;
use crate::program::ghc_program::GhcProgram;
use crate::program::memory::{self, nanos};
use crate::program::own_folder::own_folder;
use crate::program::symbols;
use crate::run::{Run, RunOptions};
use crate::slice::{Bound, Privacy};
use again::Last;
use build::BuildArgs;
use chain::{Chain, Places, Rate};
use execute::{Ended, Executed, Runner, Step, StepRun};
use pace::Pace;
use tool::Built;
use words::{Report, StepResult};

const EXAMPLES: &str = "\
Examples:
  heapviz hunt -- ./prog args              which line makes what leaks, what it is, who holds it
  heapviz hunt --cabal -- args             build the package here for profiling first
  heapviz hunt --again                     after an edit: build again, and see whether it still leaks
  heapviz hunt --for 2min -- ./server      interrupt a program that does not end after two minutes
  heapviz hunt --keep logs -- ./prog       keep the event logs of the runs
  heapviz hunt -o hunt.html -- ./prog      one page with all runs
  heapviz hunt -o leak.png -- ./prog       the answer as one picture
  heapviz hunt --fail-if 'leak == likely' -- ./prog
                                           for CI
";

const ENDING: &str = "\
Link the program with -rtsopts, and with -eventlog if GHC is older than 9.4. If it is built for
profiling (-prof -fprof-auto), four runs answer all questions; with info tables (-finfo-table-map
-fdistinct-constructor-tables, GHC 9.2 and newer) two runs show what grows and where it is made;
otherwise hunt only finds what grows. --cabal, --stack and --ghc build it for profiling, or with
info tables if profiling libraries are missing, in the folder dist-heapviz, and leave all other
files as they are.

Every run gets the same arguments. If standard input is a file, every run reads it from the start.
If the result goes to standard output as JSON, Markdown or a page, the program's output goes to
standard error.

Exit status: see `heapviz --help`; 3 if a budget is exceeded. The exit status of the
program is reported.";

/// How long a run takes at most, unless another time is given.
const USUAL_LENGTH: &str = "60s";
/// Finds the lines that leak: runs a program up to four times
#[derive(Debug, Parser)]
#[command(before_help = EXAMPLES, after_long_help = ENDING)]
pub struct Hunt {
    /// Build again what the last hunt in this folder built, make its first run only, and say whether what it found
    /// still grows
    #[arg(long, conflicts_with_all = ["BuildArgs", "program", "late", "length", "warmup", "runs"])]
    again: bool,

    /// How long each run may take; a program that has not ended by then is interrupted
    #[arg(long = "for", value_name = "TIME", default_value = USUAL_LENGTH, value_parser = length)]
    length: Nanos,

    /// Leave out the beginning of each run, in which the program starts up
    #[arg(long, value_name = "TIME")]
    warmup: Option<Nanos>,

    /// How many runs: 1 finds only who makes what grows, 2 also whether it is unevaluated, 3 also its
    /// types, 4 also who holds it
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=4))]
    runs: u8,

    /// Keep the files of the runs in a folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,

    /// Fail when the first run exceeds a budget, such as 'leak == likely'; can be given several times
    #[arg(long, value_name = "BUDGET")]
    fail_if: Vec<Budget>,

    /// Where to write the result; the extension chooses the format. Can be given several times.
    /// Without it, or as `-`: standard output
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Format, if the extension of FILE does not determine it [default: txt]
    #[arg(short, long, value_name = "FORMAT", value_parser = Format::parser(&[Kind::Hunt]))]
    format: Option<Format>,

    #[command(flatten)]
    build: BuildArgs,

    /// Build with cost centres where they cost least (-fprof-late, GHC 9.4 and newer): the program is as
    /// fast as without profiling, but what the optimiser inlined has no name
    #[arg(long, requires = "BuildArgs")]
    late: bool,

    #[command(flatten)]
    open: OpenArgs,

    #[command(flatten)]
    source: SourceLineArgs,

    #[command(flatten)]
    units: UnitArgs,

    #[command(flatten)]
    voice: Voice,

    /// A program without the `--` before it
    #[arg(hide = true)]
    misplaced: Vec<String>,

    /// The program to run, with its arguments; only the arguments after --cabal, --stack or --ghc
    #[arg(last = true, value_name = "PROG", help_heading = None::<&str>,
          required_unless_present_any = ["BuildArgs", "again", "misplaced"])]
    program: Vec<OsString>,
}

fn length(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    match time >= Nanos::from_nanos(500_000_000) {
        true => Ok(time),
        false => Err("a run takes at least 0.5 s".to_owned()),
    }
}

impl Verb for Hunt {
    fn run(mut self, given: &Given) -> Result<ExitCode, Stop> {
        let last = match self.again.then(Last::read) {
            Some(Ok(last)) => Some(last),
            Some(Err(failure)) => return Ok(failed(&failure, &AtomicUsize::new(0))),
            None => None,
        };
        if let Some(last) = &last {
            (self.build, self.late, self.runs) = (last.build.clone(), last.late, 1);
            (self.program, self.length) = (last.words(), Nanos::from_nanos(last.length_ns));
            self.warmup = last.warmup_ns.map(Nanos::from_nanos);
        }
        if let Some(budget) = self.fail_if.iter().find(|budget| budget.needs_baseline()) {
            let text = budget.text();
            return Err(
                UsageError(format!("`{text}` needs a baseline: use `heapviz check`")).into()
            );
        }
        if let Some(warmup) = self.warmup.filter(|warmup| *warmup >= self.length) {
            let text = format!("a run of {} has nothing after a warm-up of {warmup}", self.length);
            return Err(UsageError(text + ": give it more time with --for").into());
        }
        let targets = targets(&self.output, self.format, Format::Txt, &[Kind::Hunt]);
        let targets = targets.map_err(UsageError)?;
        if !self.misplaced.is_empty() {
            let words: Vec<String> = self.misplaced.iter().map(|word| visible(word)).collect();
            return Err(UsageError(format!(
                "the program follows a `--`: write `heapviz hunt -- {}`",
                words.join(" ")
            ))
            .into());
        }
        if let Some(note) = memory::cannot_be_read() {
            self.voice.say(&note);
        }
        let signal = Arc::new(AtomicUsize::new(0));
        child::note_signals(&signal);
        let built = match self.build.build(self.late, &signal, self.voice) {
            Ok(built) => built,
            Err(failure) => return Ok(failed(&failure, &signal)),
        };
        let mut words = self.program.clone();
        let mut files = Vec::new();
        if let Some(Built { program, sources, .. }) = &built {
            words.insert(0, program.into());
            files.extend(sources.iter().map(|folder| folder.join("Main.hs")));
        }
        files.extend(words.first().map(PathBuf::from));
        let sources = self.source.sources(Privacy::Show, &files)?;
        let about = About { built: built.as_ref(), last: last.as_ref() };
        let hunted = self.hunt(&words, about, &targets, sources, &signal, given);
        Ok(hunted.unwrap_or_else(|failure| failed(&failure, &signal)))
    }
}

/// Reports why there is no result: a signal is no failure.
fn failed(failure: &Failure, signal: &AtomicUsize) -> ExitCode {
    match signal.load(Ordering::Relaxed) {
        0 => {
            failure.message().say();
            ExitCode::from(1)
        }
        signal => ExitCode::from(child::signal_code(i32::try_from(signal).unwrap_or_default())),
    }
}

/// What is known of a hunt before its first run.
#[derive(Clone, Copy)]
struct About<'a> {
    /// The program, if it was built for this.
    built: Option<&'a Built>,
    /// The hunt that is repeated.
    last: Option<&'a Last>,
}

impl Hunt {
    fn hunt(
        &self,
        words: &[OsString],
        about: About<'_>,
        targets: &[Target],
        sources: Sources,
        signal: &AtomicUsize,
        given: &Given,
    ) -> Result<ExitCode, Failure> {
        // Every run reads it from the start.
        output::protect([&Input::Stdin]);
        let mut program = GhcProgram::ask(words)?;
        if let Some(built) = about.built {
            program.lacks_libraries = !built.way.is_profiled();
            program.variables.clone_from(&built.data);
        }
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
        let runner = Runner {
            program: &program,
            folder,
            longest: Duration::from_nanos(self.length.as_nanos().unsigned_abs()),
            diverted: targets
                .iter()
                .any(|target| target.output == Output::Stdout && target.format != Format::Txt),
            signal,
            place: program.hp_place()?,
            copies: Cell::new(false),
        };
        let steps = self.steps(&program);
        for step in steps.iter().filter(|_| self.keep.is_some()) {
            runner.files(step.flag()).refuse_existing()?;
        }
        let step_runs = self.run_all(&runner, &steps, &sources)?;
        // The user's own file is in its place again before anything is written.
        drop(runner);
        let status = self.report(&program, &step_runs, about.last, targets, sources, given)?;
        match step_runs.last().map(|last| last.executed.ended) {
            Some(Ended::User(signal)) => Ok(ExitCode::from(child::signal_code(signal))),
            Some(Ended::Itself | Ended::Time | Ended::Again) | None => Ok(status),
        }
    }

    /// The part of a run that counts: after the warm-up, and before the interrupt, after which a program
    /// frees what it held.
    fn options(&self, executed: &Executed, profile: Option<&Profile>) -> RunOptions {
        // Its clock begins a little later than ours.
        const BEFORE: Duration = Duration::from_millis(50);
        let mut options = RunOptions::default();
        options.slice.window.from = self.warmup.map(Bound::Time);
        if let (Some(interrupted), Some(profile)) = (executed.interrupted, profile) {
            let times = profile.samples.times();
            let last = match profile.source {
                Source::Eventlog => Some(nanos(interrupted.saturating_sub(BEFORE))),
                // Its clock is the time that the program worked.
                Source::Hp | Source::Prof => times.iter().rev().nth(1).copied(),
            };
            options.slice.window.to = last.filter(|_| times.len() > 1).map(Bound::Time);
        }
        options
    }

    /// Leaves what was asked and found for `--again`. Arguments that are no text cannot be repeated.
    fn remember(&self, chain: &Chain, mut rates: Vec<Rate>) -> Result<(), Failure> {
        let arguments = self.program.iter().map(|word| word.to_str().map(str::to_owned));
        let Some(arguments) = arguments.collect() else { return Ok(()) };
        rates.retain(|rate| {
            let mut parts = chain.made_by.iter().chain(&chain.is);
            rate.per_second > 0.0 && parts.any(|part| part.label == rate.label)
        });
        rates.sort_by(|a, b| b.per_second.total_cmp(&a.per_second));
        Last {
            build: self.build.clone(),
            late: self.late,
            arguments,
            length_ns: self.length.as_nanos(),
            warmup_ns: self.warmup.map(Nanos::as_nanos),
            rates,
        }
        .write()
    }

    fn steps(&self, program: &GhcProgram) -> Vec<Step> {
        let mut steps = match program.profiled {
            true => vec![Step::Makers, Step::Kinds, Step::Types, Step::Holders],
            false if program.takes("-hi") => vec![Step::ClosureTypes, Step::InfoTables],
            false => vec![Step::ClosureTypes],
        };
        steps.truncate(usize::from(self.runs));
        steps
    }

    /// Makes the runs, each as the one before it suggests.
    fn run_all(
        &self,
        runner: &Runner<'_>,
        steps: &[Step],
        sources: &Sources,
    ) -> Result<Vec<StepRun>, Failure> {
        let (voice, units) = (self.voice, self.units.units);
        let mut step_runs: Vec<StepRun> = Vec::new();
        let mut pace = Pace::first(runner.longest);
        let mut restriction = Vec::new();
        for (at, &step) in steps.iter().enumerate() {
            let of = if step.is_first() { Vec::new() } else { restriction.clone() };
            let one = match self.run_one(runner, step, of, &mut pace) {
                Ok(one) => one,
                // The answer is what the other runs show.
                Err(failure) if !step_runs.is_empty() => {
                    voice.say(&Message::warning(failure.words()));
                    break;
                }
                Err(failure) => return Err(failure),
            };
            let run = run_of(&one);
            let summary = summary(one.step, &run, units);
            // Only its log says whether a program that takes -hi has info tables.
            let of = if steps.contains(&Step::InfoTables) {
                String::new()
            } else {
                format!(" of {}", steps.len())
            };
            let title = format!("run {}{of}  {}", at + 1, one.name());
            let wall = format!("{:.0} s", one.executed.wall.as_secs_f64());
            voice.summarise(&visible(&format!("{title:<42}  {wall:>5}   {summary}")));
            remarks(&one, runner.program, voice);
            let is_over = matches!(one.executed.ended, Ended::User(_));
            let mut found = true;
            match (step, run.as_ref()) {
                (Step::Makers, Ok(run)) => {
                    restriction = chain::restriction(&chain::makers(run, sources).0);
                    if restriction.is_empty() {
                        restriction.extend(chain::nobody(run).map(str::to_owned));
                    }
                    found = !restriction.is_empty();
                }
                // Without info tables, a run by them shows addresses.
                (Step::ClosureTypes, Ok(run)) => {
                    found = !chain::kinds(run, false).is_empty() && run.profile().has_info_tables;
                }
                (Step::Makers | Step::ClosureTypes, Err(_)) => found = false,
                (Step::Kinds | Step::Types | Step::Holders | Step::InfoTables, _) => {}
            }
            drop(run);
            step_runs.push(one);
            if is_over || !found {
                break;
            }
        }
        Ok(step_runs)
    }

    /// Makes one run. If its first moments, or all of a short run, show that the interval between
    /// samples does not suit the program, it is started again with another one.
    fn run_one(
        &self,
        runner: &Runner<'_>,
        step: Step,
        of: Vec<String>,
        pace: &mut Pace,
    ) -> Result<StepRun, Failure> {
        let mut tries = if step.is_first() { 2 } else { 0 };
        let mut ends_soon = false;
        loop {
            let mut flags = pace.flags();
            if !of.is_empty() {
                flags.push(format!("-hc{}", of.join(",")));
            }
            // The stacks and retainer sets in full.
            if step == Step::Holders || (runner.program.profiled && !runner.program.logs) {
                flags.push("-p".to_owned());
            }
            let mut better = None;
            let executed = runner.run(step, &flags, |glimpse, is_first_look| {
                let seen = match is_first_look {
                    true => pace.better(glimpse, runner.longest),
                    false => pace.slower(glimpse, runner.longest),
                };
                better = seen.filter(|_| tries > 0 && !ends_soon);
                better.is_none()
            })?;
            if let (Ended::Again, Some(better)) = (executed.ended, better) {
                (*pace, tries) = (better, tries - 1);
                continue;
            }
            if runner.copies_after(&executed) {
                let text = "crashed at once, so it is run with --copying-gc, the collector that can be profiled";
                let name = runner.program.name.to_string_lossy();
                self.voice.say(&Message::warning(format_args!("{name} {text}")));
                continue;
            }
            let mut profile = read(&executed);
            if let Ok(profile) = &mut profile
                && step == Step::InfoTables
            {
                let bare = profile.bare_addresses().collect();
                profile.name_addresses(symbols::info_tables(&runner.program.file(), &bare));
            }
            let samples = profile.as_ref().map_or(0, |profile| profile.samples.len());
            let was_short = executed.ended == Ended::Itself
                && executed.exit == 0
                && executed.wall < runner.longest / 2;
            let better = pace.for_short_run(executed.wall, samples, runner.longest);
            if let Some(better) = better.filter(|_| was_short && tries > 0) {
                // What a longer run would need does not suit it.
                (*pace, tries, ends_soon) = (better, tries - 1, true);
                continue;
            }
            let options = self.options(&executed, profile.as_ref().ok());
            return Ok(StepRun { step, of, pace: *pace, executed, profile, options });
        }
    }

    fn report(
        &self,
        program: &GhcProgram,
        step_runs: &[StepRun],
        last: Option<&Last>,
        targets: &[Target],
        sources: Sources,
        given: &Given,
    ) -> Result<ExitCode, Failure> {
        let result = |step_run| StepResult { step_run, run: run_of(step_run) };
        let runs: Vec<StepResult<'_>> = step_runs.iter().map(result).collect();
        let first = match runs.first().map(|first| &first.run) {
            Some(Ok(first)) => first,
            Some(Err(why)) => {
                return Err(Failure::new(why).hint(no_profile_hint(program, &step_runs[0])));
            }
            None => return Err(Failure::new("nothing was run")),
        };
        let chain = chain_of(&runs, &sources);
        let rates = chain::rates(first, &sources);
        let again = last.map(|last| last.compared(&rates, first.verdict().clock));
        if last.is_none() && self.build.is_asked() {
            self.remember(&chain, rates)?;
        }
        let check = |budget: &Budget| budget.check(first.slice(), first.analysis(), |_| None);
        let budgets: Vec<_> = self.fail_if.iter().map(|budget| (budget, check(budget))).collect();
        let report = Report {
            program,
            runs: &runs,
            chain: &chain,
            again: again.unwrap_or_default(),
            budgets: &budgets,
            kept: self.keep.as_deref(),
        };
        let mut look = Look::default();
        look.draw.units = self.units.units;
        look.sources = sources;
        look.show_outside(first);
        look.opens = self.open.open;
        let mut uses = Uses::new(given, None, self.format);
        let voice = self.voice;
        write_each(&report, targets, &look, &mut uses, voice)?;
        // Files do not replace the answer.
        if !targets.iter().any(|target| target.output == Output::Stdout)
            && let Some(blocks) = report.blocks(&look)
        {
            blocks.text(look.draw.units).trim_end().lines().for_each(|line| voice.summarise(line));
        }
        let pages = targets.iter().filter(|target| target.format == Format::Html);
        for page in pages {
            if let Output::File(path) = &page.output {
                voice.summarise(&format!("{} has all runs", path.display()));
            }
        }
        if let Some(folder) = &self.keep {
            voice.summarise(&format!("{} has the files of all runs", folder.display()));
        }
        uses.notes().iter().for_each(|note| voice.say(note));
        let mut is_exceeded = false;
        for (budget, outcome) in &budgets {
            match outcome.state {
                BudgetState::Ok => {}
                BudgetState::Exceeded => {
                    is_exceeded = true;
                    voice.summarise(&format!("the budget `{}` is exceeded", budget.text()));
                }
                BudgetState::Unknown => {
                    let text = format!("`{}` cannot be checked", budget.text());
                    voice.say(&Message::warning(text));
                }
            }
        }
        Ok(if is_exceeded { ExitCode::from(3) } else { ExitCode::SUCCESS })
    }
}

fn run_of(step_run: &StepRun) -> Result<Run<'_>, String> {
    let profile = step_run.profile.as_ref().map_err(String::clone)?;
    Run::new(profile, &step_run.options).map_err(|error| error.to_string())
}

fn made_folder(folder: &Path) -> Result<PathBuf, Failure> {
    let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::canonicalize(folder));
    made.map_err(|error| Failure::new(format!("cannot make {}: {error}", folder.display())))
}

fn read(executed: &Executed) -> Result<Profile, String> {
    let files = &executed.files;
    let there = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|about| about.len() > 0).then(|| Input::new(path))
    };
    let (input, twin) = match (there(&files.log), there(&files.hp)) {
        (Some(log), hp) => (log, hp),
        (None, Some(hp)) => (hp, None),
        (None, None) => return Err("the program wrote no profile".to_owned()),
    };
    let report = there(&files.prof);
    let job = Job { input, twin, report, targets: Vec::new() };
    let reader = Reader {
        input: InputOptions::default(),
        strict: false,
        privacy: Privacy::Show,
        voice: Voice { quiet: true },
        instead: &[],
    };
    let reading = reader.read(&job).map_err(|failure| failure.words().to_owned())?;
    let mut profile = reading.profile;
    // The clock of a .hp is another one.
    if profile.source == Source::Eventlog {
        profile.set_resident(executed.residency.points.clone());
    }
    Ok(profile)
}

/// What a run found, in a few words.
fn summary(step: Step, run: &Result<Run<'_>, String>, units: UnitSystem) -> String {
    let run = match run {
        Ok(run) => run,
        Err(why) => return why.clone(),
    };
    let verdict = run.verdict();
    if !step.is_first() {
        return crate::base::units::count(run.slice().with_data(), "sample");
    }
    let pace = || rate(verdict.rate, verdict.clock).text(units);
    match verdict.leak {
        Leak::Likely => format!("likely leak, {}", pace()),
        Leak::Possible => format!("possible leak, {}", pace()),
        Leak::None | Leak::Unknown => verdict.grade().to_owned(),
    }
}

/// Reports what was odd about a run.
fn remarks(step_run: &StepRun, program: &GhcProgram, voice: Voice) {
    let executed = &step_run.executed;
    let name = program.name.to_string_lossy();
    let warning = |what: &str| Message::warning(format_args!("{name} {what}"));
    match (executed.signal, executed.ended) {
        (Some(signal), _) => {
            let hint = match step_run.step == Step::Holders {
                true => "GHC's retainer profiler can crash; the other runs do not depend on it",
                false => "what it had written by then is used",
            };
            voice.say(&warning(&format!("was ended by signal {signal}")).hint(hint));
        }
        (None, Ended::Itself) if executed.exit != 0 => {
            voice.say(&warning(&format!("ended with exit status {}", executed.exit)));
        }
        (None, Ended::Time) if executed.exit == 137 => voice.say(
            &warning("did not end when it was interrupted, so it was killed")
                .hint("the end of its log may be missing"),
        ),
        (None, Ended::Itself | Ended::Time | Ended::User(_) | Ended::Again) => {}
    }
    if executed.left {
        voice.say(
            &warning("left processes running; they were ended")
                .hint("only the program itself is profiled: keep it in the foreground"),
        );
    }
}

fn no_profile_hint(program: &GhcProgram, step_run: &StepRun) -> String {
    let seconds = step_run.executed.wall.as_secs_f64();
    match (step_run.executed.ended, step_run.executed.exit) {
        (Ended::Itself, 0) => format!(
            "it ran for {seconds:.2} s: give it more to do, so that it runs for some seconds"
        ),
        (Ended::Itself, exit) => format!(
            "it ended with exit status {exit}: run `{} +RTS {}` to see why",
            program.name.to_string_lossy(),
            step_run.step.flag()
        ),
        (Ended::Time | Ended::User(_) | Ended::Again, _) => {
            "a program that waits takes no samples: give it something to do".to_owned()
        }
    }
}

/// The chain that the runs show.
fn chain_of(runs: &[StepResult<'_>], sources: &Sources) -> Chain {
    let mut chain = Chain::default();
    let mut places = Places::new();
    let mut value = None;
    for StepResult { step_run, run } in runs {
        let Ok(run) = run else { continue };
        match step_run.step {
            Step::Makers => {
                let (makers, is_pinned) = chain::makers(run, sources);
                chain.nobody = chain::nobody(run);
                value = makers.first().and_then(|maker| maker.value.clone());
                chain.made_by = makers.into_iter().map(|maker| maker.part).collect();
                chain.is_pinned = is_pinned;
                places = chain::places(run.profile());
            }
            Step::InfoTables => {
                (chain.made_by, chain.kinds, chain.is_pinned) = chain::tables(run);
            }
            Step::Kinds => chain.kinds = chain::kinds(run, true),
            Step::ClosureTypes => chain.is = chain::kinds(run, false),
            Step::Types => chain.is = chain::kinds(run, true),
            Step::Holders => chain.held_by = chain::holders(run, &places, value.as_ref()),
        }
    }
    chain
}
