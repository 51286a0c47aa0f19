//! `heapviz check`: budgets for CI.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use super::stats::MOST_BANDS;
use crate::analysis::baseline::{Baseline, BaselineError};
use crate::analysis::budget::{Budget, BudgetState, Outcome};
use crate::analysis::metric::Unit;
use crate::analysis::{CAUTION, Leak, Metric, Rise, Shape};
use crate::base::pattern::Pattern;
use crate::base::sentence::{Sentence, name, say};
use crate::base::text::file_and_line;
use crate::base::units::UnitSystem;
use crate::cli::args::{FigureArgs, LabelArgs, SourceLineArgs};
use crate::cli::read::runs;
use crate::cli::write::write_each;
use crate::cli::{
    Blocks, Content, Document, DocumentKind, FlagUses, Format, GivenFlags, Input, Job, Message,
    Output, Reading, Sources, Stop, Style, Table, Target, Verb, Voice, output, targets, user_file,
};
use crate::export::json::{self, BudgetJson, Detail};
use crate::hunt::RunArgs;
use crate::profile::Clock;
use crate::profile_view::{Measure, ProfileView, ViewOptions};

const EXAMPLES: &str = "\
Examples:
  heapviz check --fail-if 'leak == likely' -- ./prog args       run the program first
  heapviz check run.eventlog --fail-if 'leak == likely' --fail-if 'peak > 800MiB'
  heapviz check run.eventlog --fail-if 'band(\"^THUNK\").peak > 20MiB' --fail-if 'growth > 1MiB/min'
  heapviz check batch.eventlog --fail-if 'shape >= grew-to-exit'
  heapviz check run.eventlog --write-baseline heap.json --accept '^Cache$'
  heapviz check run.eventlog --baseline heap.json --fail-if 'p99 > baseline * 1.1'
";

/// The grammar of budgets, with every figure, grade and shape that there is.
fn ending() -> String {
    let listed = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let of_bands = Metric::ALL.into_iter().filter(|figure| figure.is_of_bands());
    format!(
        "A budget is METRIC OP LIMIT. METRIC is one of {}; or band(\"REGEX\").NAME, with one of the names {}. \
         `keep` is the share of all allocation that stays. OP is one of > >= < <= == !=. LIMIT is 800MiB, \
         1MB/min (of a .hp: of CPU time), 2%, 30s, a number, baseline, baseline * 1.1; for `leak` one of {}; for \
         `shape` one of {}.\n\n\
         Exit status: see `heapviz --help`; 3 if a budget is exceeded.",
        listed(&mut Metric::ALL.into_iter().map(Metric::name)),
        listed(&mut of_bands.map(Metric::name)),
        listed(&mut Unit::Grade.names().into_iter()),
        listed(&mut Unit::Shape.names().into_iter()),
    )
}

/// Fails when a heap exceeds its budget, for CI
#[derive(Debug, Parser)]
#[command(before_help = EXAMPLES, after_long_help = ending())]
pub struct Check {
    /// Profiles; `-` is standard input
    #[arg(value_name = "INPUT", required_unless_present = "program")]
    inputs: Vec<PathBuf>,

    /// A program to run, with its arguments, in place of a profile: as often as it needs, its heap is sampled by closure
    /// type, for which it must be linked with -rtsopts (and -eventlog before GHC 9.4)
    #[arg(last = true, value_name = "PROG", conflicts_with = "inputs")]
    program: Vec<OsString>,

    #[command(flatten)]
    how: RunArgs,

    /// When to fail, such as 'peak > 800MiB'; can be given several times
    #[arg(long, value_name = "BUDGET")]
    fail_if: Vec<Budget>,

    /// Also fail when a budget cannot be checked because the input or the baseline lacks its figure, or
    /// the input its band
    #[arg(long)]
    fail_if_unknown: bool,

    /// An earlier run to compare this one with
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write the figures of this run, as a baseline for later runs
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,

    /// Bands that may grow by design: they are not suspects; can be given several times
    #[arg(long, value_name = "REGEX")]
    accept: Vec<Pattern>,

    /// Format, if the extension of FILE does not determine it [default: txt]
    #[arg(short, long, value_name = "FORMAT", value_parser = Format::parser(&[DocumentKind::Checks]))]
    format: Option<Format>,

    /// If a budget is exceeded, also print each suspect as an error on its line of source, for the
    /// pull request: to standard error if the results go to standard output
    #[arg(long, value_name = "SERVICE")]
    annotate: Option<Service>,

    #[command(flatten)]
    labels: LabelArgs,

    #[command(flatten)]
    source: SourceLineArgs,

    #[command(flatten)]
    figures: FigureArgs,
}

/// A service that shows errors beside lines of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Service {
    /// GitHub Actions: a line `::error file=...,line=...::...` for each suspect with a place
    Github,
}

const EXCEEDED: u8 = 3;

impl Verb for Check {
    fn run(self, given: &GivenFlags) -> Result<ExitCode, Stop> {
        if self.fail_if.is_empty() && self.write_baseline.is_none() {
            let example = "give a budget, such as --fail-if 'leak == likely'";
            return Err(example.into());
        }
        if self.fail_if.is_empty() && !self.figures.output.is_empty() {
            return Err("-o is for the report on budgets, and there is no budget; give one with \
                 --fail-if"
                .into());
        }
        for (id, flag) in [("length", "--for"), ("drive", "--drive")] {
            if self.program.is_empty() && given.has(id) {
                let text = format!("{flag} is about a run of a program: check ... -- ./prog args");
                return Err(text.into());
            }
        }
        if self.write_baseline.is_some() && self.inputs.len() > 1 {
            return Err("a baseline is made from one input; several were given".into());
        }
        if self.baseline.is_none()
            && let Some(budget) = self.fail_if.iter().find(|budget| budget.needs_baseline())
        {
            return Err(format!("`{}` needs --baseline FILE", budget.text()).into());
        }
        let targets =
            targets(&self.figures.output, self.format, Format::Txt, &[DocumentKind::Checks])?;
        let files: Vec<PathBuf> =
            self.inputs.iter().cloned().chain(self.program.first().map(PathBuf::from)).collect();
        let sources = self.source.sources(self.figures.slice.privacy(), &files)?;
        self.checked(&targets, sources, given)
    }
}

impl Check {
    fn checked(
        &self,
        targets: &[Target],
        sources: Sources,
        given: &GivenFlags,
    ) -> Result<ExitCode, Stop> {
        let reader = self.figures.reader();
        let jobs: Vec<Job> = self.inputs.iter().map(|path| Job::new(path)).collect();
        output::protect(jobs.iter().flat_map(Job::inputs));
        let baseline = self.baseline.as_deref().map(read_baseline).transpose()?;
        output::refuse_protected(targets.iter().map(|target| &target.output))?;
        let mut options =
            ViewOptions::for_table(self.figures.slice.options(), Measure::Mean, MOST_BANDS);
        options.accepted.clone_from(&self.accept);
        let view = given.as_written(&["from", "to", "include", "exclude", "group", "accept"]);
        let mut readings = reader.read_all(&jobs);
        let program = Input::File(self.program.first().map(PathBuf::from).unwrap_or_default());
        if !self.program.is_empty() {
            let sampled = self.how.sampled(&self.program, targets, reader.voice)?;
            options.slice.window.to = options.slice.window.to.or(sampled.end);
            readings.push(Reading { input: &program, profile: sampled.profile });
        }
        let mut checked = Vec::new();
        for (input, run) in runs(&readings, &options, reader.voice) {
            match self.check(input, run, baseline.as_ref(), view.as_deref()) {
                Ok(one) => {
                    self.say(&one, reader.voice);
                    checked.push(one);
                }
                Err(failure) => failure.about(input).say(),
            }
        }
        let unread = checked.len() < jobs.len().max(1);
        if let (Some(path), Some(one)) = (&self.write_baseline, checked.first()) {
            let (slice, analysis) = (one.run.slice(), one.run.analysis());
            let baseline = Baseline::new(slice, analysis, view);
            let baseline = baseline.map_err(|error| refused(path, &error))?;
            write_baseline(&baseline, path, one.run.account().leak, reader.voice)?;
        }
        let exceeded = checked.iter().any(|one| self.fails(one));
        if !checked.is_empty() && !self.fail_if.is_empty() {
            self.report(checked, targets, (sources, given), reader.voice)?;
        }
        Ok(match (unread, exceeded) {
            (true, _) => ExitCode::from(1),
            (false, true) => ExitCode::from(EXCEEDED),
            (false, false) => ExitCode::SUCCESS,
        })
    }

    fn report(
        &self,
        checked: Vec<Checked<'_>>,
        targets: &[Target],
        (sources, given): (Sources, &GivenFlags),
        voice: Voice,
    ) -> Result<(), Message> {
        let is_run_here = !self.program.is_empty();
        let checks = Checks { inputs: checked, budgets: &self.fail_if, is_run_here };
        let mut style = Style::default();
        style.draw.units = self.figures.units.units;
        style.sources = sources;
        style.labels = self.labels.labels(self.figures.slice.privacy());
        let uses = FlagUses::new(given, None, self.format);
        write_each(&checks, targets, &style, uses, voice)?;
        if self.annotate == Some(Service::Github) {
            let lines = checks.inputs.iter().filter(|one| self.fails(one));
            let lines: String = lines
                .map(|one| annotations(one, &self.fail_if, &style.sources, style.draw.units))
                .collect();
            annotate(&lines, targets)?;
        }
        Ok(())
    }

    fn check<'a>(
        &self,
        input: &'a Input,
        run: ProfileView<'a>,
        baseline: Option<&Baseline>,
        view: Option<&str>,
    ) -> Result<Checked<'a>, Message> {
        if let (Some(path), Some(baseline)) = (&self.baseline, baseline) {
            baseline.fits(run.slice(), view).map_err(|error| refused(path, &error))?;
        }
        let was = |figure| baseline.and_then(|baseline| baseline.get(figure));
        let check = |budget: &Budget| budget.check(run.slice(), run.analysis(), was);
        let outcomes = self.fail_if.iter().map(check).collect();
        Ok(Checked { input, run, outcomes })
    }

    /// Warns about budgets that could not be checked.
    fn say(&self, one: &Checked<'_>, voice: Voice) {
        for (budget, outcome) in self.fail_if.iter().zip(&one.outcomes) {
            if outcome.state == BudgetState::Unknown {
                let (text, why) = (budget.text(), why_unknown(budget, outcome, &one.run));
                let unknown = Message::warning(format_args!("`{text}` cannot be checked: {why}"));
                let hint = "--fail-if-unknown counts it as exceeded";
                voice.say(&unknown.about(one.input).hint(hint));
            }
        }
    }

    /// Whether the budgets of an input make the check fail.
    fn fails(&self, one: &Checked<'_>) -> bool {
        one.outcomes.iter().any(|outcome| match outcome.state {
            BudgetState::Exceeded => true,
            BudgetState::Unknown => self.fail_if_unknown,
            BudgetState::Ok => false,
        })
    }
}

/// Why nobody can tell whether a budget is exceeded.
fn why_unknown(budget: &Budget, outcome: &Outcome, run: &ProfileView<'_>) -> String {
    let (slice, figure) = (run.slice(), budget.figure());
    let is_there = |band: &Pattern| slice.rows().any(|row| band.matches(slice.label(row)));
    let why = match budget.band() {
        _ if outcome.measured.is_some() => "the baseline does not contain it",
        Some(band) if !is_there(band) => "no band matches it",
        _ if figure.is_by_clock() && slice.clock() == Clock::Sample => {
            "the times of this input are not usable"
        }
        _ if matches!(figure, Metric::Leak | Metric::Shape | Metric::Growth) => {
            let headline = run.account().headline().to_string();
            return headline.trim_start_matches("cannot tell: ").to_owned();
        }
        Some(_) | None => "this input does not contain it",
    };
    why.to_owned()
}

fn read_baseline(path: &Path) -> Result<Baseline, Message> {
    let text = user_file::text(path).map_err(|error| {
        Message::error(format!("cannot read {}: {error}", path.display()))
            .hint("--write-baseline FILE writes one")
    })?;
    Baseline::read(&text).map_err(|error| refused(path, &error))
}

fn write_baseline(
    baseline: &Baseline,
    path: &Path,
    leak: Leak,
    voice: Voice,
) -> Result<(), Message> {
    output::write(&Output::new(path), baseline.text().as_bytes())?;
    voice.summarise(&format!("baseline -> {}", path.display()));
    if leak >= Leak::Possible {
        voice.say(&Message::note("this run grows: its growth is the measure of later runs"));
    }
    Ok(())
}

fn refused(path: &Path, error: &BaselineError) -> Message {
    Message::error(format!("{}: {error}", path.display())).hint(error.hint())
}

pub struct Checks<'a> {
    inputs: Vec<Checked<'a>>,
    budgets: &'a [Budget],
    /// Whether heapviz ran the program: then it chose the interval, and advises no other.
    is_run_here: bool,
}

/// What was measured in one input.
struct Checked<'a> {
    input: &'a Input,
    run: ProfileView<'a>,
    outcomes: Vec<Outcome>,
}

impl Document for Checks<'_> {
    fn kind(&self) -> DocumentKind {
        DocumentKind::Checks
    }

    /// A line for each input: that of `heapviz stats`, with the results of the budgets.
    fn json(&self, style: &Style) -> Option<Content<'_>> {
        let identities: Vec<_> = self.inputs.iter().map(|one| style.identity(&one.run)).collect();
        Some(Content::pieces(move |mut out| {
            let mut inputs = self.inputs.iter().zip(&identities);
            inputs.try_for_each(|(Checked { run, outcomes, .. }, identity)| {
                let budgets = self.budgets.iter().zip(outcomes);
                let budgets: Vec<BudgetJson> =
                    budgets.map(|(budget, outcome)| BudgetJson::new(budget, outcome)).collect();
                json::write_to(run, identity, Detail::Figures(&budgets), &mut out)
            })
        }))
    }

    /// The answer first, as the summary of a CI run shows it.
    fn blocks(&self, style: &Style) -> Option<Blocks> {
        let mut blocks = Blocks::default();
        for one in &self.inputs {
            let account = one.run.account();
            let input = name(one.input.title(one.run.slice().privacy()));
            blocks.heading(say![input, ": ", heading(one, self.budgets)]);
            blocks.table(table(one, self.budgets));
            blocks.paragraph(one.run.headline());
            blocks.list(passed_to_the_exit(one, self.budgets));
            blocks.list(account.kept());
            for suspect in account.suspects.iter().take(MOST_SUSPECTS) {
                let place = suspect.place.as_deref();
                let made = place.map(|at| say![", made at ", name(at)]).unwrap_or_default();
                blocks.list([one.run.named(say![suspect.growth(), made])]);
                if let Some((at, line)) = place.and_then(|at| Some((at, style.sources.line(at)?))) {
                    blocks.source(at, line);
                }
            }
            if account.leak >= Leak::Possible {
                blocks.paragraph(CAUTION);
            }
            let advice = account.sampling().filter(|_| !self.is_run_here);
            blocks.list(advice.map(|advice| advice.to_string().into()));
        }
        Some(blocks)
    }
}

const MOST_SUSPECTS: usize = 10;

/// The suspects of an input as workflow commands of GitHub, one a line, each with the budgets that are exceeded.
fn annotations(
    one: &Checked<'_>,
    budgets: &[Budget],
    sources: &Sources,
    units: UnitSystem,
) -> String {
    let account = one.run.account();
    let title = format!("heapviz: {}", account.grade());
    let exceeded = budgets.iter().zip(&one.outcomes);
    let exceeded = exceeded.filter(|(_, outcome)| outcome.state == BudgetState::Exceeded);
    let exceeded: Vec<String> = exceeded
        .map(|(budget, outcome)| exceeded_text(budget, outcome, account.clock, units))
        .collect();
    let exceeded = if exceeded.is_empty() { heading(one, budgets) } else { exceeded.join("; ") };
    let line = |suspect: &Rise| {
        let place = suspect.place.as_ref()?;
        let (file, line) = file_and_line(place)?;
        let file = sources.path(place).unwrap_or_else(|| file.to_owned());
        let text = format!("{exceeded}. {}", suspect.growth().text(units));
        let (file, title) = (property(&file), property(&title));
        Some(format!("::error file={file},line={line},title={title}::{}\n", message(&text)))
    };
    let lines: String = account.suspects.iter().take(MOST_SUSPECTS).filter_map(line).collect();
    match lines.is_empty() {
        false => lines,
        // Nothing has a place, but the check has failed.
        true => format!("::error title={}::{}\n", property(&title), message(&exceeded)),
    }
}

/// `peak > 800MiB: 912 MiB`, with the limit where the budget does not say it.
fn exceeded_text(budget: &Budget, outcome: &Outcome, clock: Clock, units: UnitSystem) -> String {
    let unit = budget.figure().unit();
    let text = |value: Option<f64>| amount(value, unit, clock).text(units);
    let measured = text(outcome.measured);
    match budget.needs_baseline() {
        true => format!("{}: {measured}, the limit is {}", budget.text(), text(outcome.limit)),
        false => format!("{}: {measured}", budget.text()),
    }
}

/// The text of a workflow command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a workflow command.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// Prints workflow commands where a runner reads them: to standard error if standard output has data.
fn annotate(lines: &str, targets: &[Target]) -> Result<(), Message> {
    let is_data = |target: &Target| target.output == Output::Stdout && target.format != Format::Txt;
    if targets.iter().any(is_data) {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), lines.as_bytes());
        return Ok(());
    }
    output::write(&Output::Stdout, lines.as_bytes())?;
    Ok(())
}

fn heading(one: &Checked<'_>, budgets: &[Budget]) -> String {
    let count_of = |state| one.outcomes.iter().filter(|outcome| outcome.state == state).count();
    let (exceeded, unknown) = (count_of(BudgetState::Exceeded), count_of(BudgetState::Unknown));
    match (one.outcomes.len(), exceeded, unknown) {
        (1, 1, _) => "the budget is exceeded".to_owned(),
        (1, _, 1) => state(one, &budgets[0], &one.outcomes[0]),
        (1, ..) => "within the budget".to_owned(),
        (all, 0, 0) => format!("within all {all} budgets"),
        (all, 0, unknown) => format!("cannot tell for {unknown} of {all} budgets"),
        (all, exceeded, _) => format!("{exceeded} of {all} budgets exceeded"),
    }
}

/// That a budget on `leak` passed a heap that grew until the program ended, and which budget would not.
fn passed_to_the_exit(one: &Checked<'_>, budgets: &[Budget]) -> Option<Sentence> {
    let is_passed = |(budget, outcome): (&Budget, &Outcome)| {
        budget.figure() == Metric::Leak && outcome.state == BudgetState::Ok
    };
    let passes = budgets.iter().zip(&one.outcomes).any(is_passed);
    let grew = one.run.account().shape() == Some(Shape::GrewToExit);
    (passes && grew).then(|| {
        say![
            "it grew until the program ended, which is no leak by itself; ",
            name("--fail-if 'shape >= grew-to-exit'"),
            " would fail"
        ]
    })
}

/// What was measured; `?` if nothing was.
fn amount(value: Option<f64>, unit: Unit, clock: Clock) -> Sentence {
    value.map_or("?".into(), |value| unit.words(value, clock))
}

fn table(one: &Checked<'_>, budgets: &[Budget]) -> Table {
    let mut table = Table::new(&["fail if", ">limit", ">measured", ""]);
    let clock = one.run.analysis().account.clock;
    for (budget, outcome) in budgets.iter().zip(&one.outcomes) {
        let unit = budget.figure().unit();
        table.row(vec![
            name(budget.text()),
            amount(outcome.limit, unit, clock),
            amount(outcome.measured, unit, clock),
            state(one, budget, outcome).into(),
        ]);
    }
    table
}

fn state(one: &Checked<'_>, budget: &Budget, outcome: &Outcome) -> String {
    match outcome.state {
        BudgetState::Ok => "ok".to_owned(),
        BudgetState::Exceeded => "exceeded".to_owned(),
        BudgetState::Unknown => {
            format!("cannot tell: {}", why_unknown(budget, outcome, &one.run))
        }
    }
}
