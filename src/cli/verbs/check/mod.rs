//! `heapviz check`: budgets for CI.

mod checked;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use heapviz::analysis::Analysis;
use heapviz::analysis::baseline::{Baseline, BaselineError};
use heapviz::analysis::budget::{Budget, BudgetState};
use heapviz::chart::Chart;
use heapviz::export::json::{self, BudgetJson};
use heapviz::pattern::Pattern;
use heapviz::slice::{Bound, Grouping, Selection, Slice, SliceOptions};

use crate::cli::args::figures::FigureArgs;
use crate::cli::args::measure::{Measure, ranked_by};
use crate::cli::args::reading::LossPolicy;
use crate::cli::args::voice::Voice;
use crate::cli::failure::Failure;
use crate::cli::given;
use crate::cli::message::Message;
use crate::cli::output;
use crate::cli::read::slices;
use crate::cli::target::{Input, Output, Target, TextFormat};
use crate::cli::verb::{UsageError, Verb};
use checked::Checked;

const EXAMPLES: &str = "\
Examples:
  heapviz check run.eventlog --fail-if 'leak == likely' --fail-if 'peak > 800MiB'
  heapviz check run.eventlog --fail-if 'band(\"^THUNK\").peak > 20MiB' --fail-if 'growth > 1MiB/min'
  heapviz check run.eventlog --write-baseline heap.json --accept '^Cache$'
  heapviz check run.eventlog --baseline heap.json --fail-if 'p99 > baseline * 1.1'

A budget is METRIC OP LIMIT. METRIC is peak, p99, mean, final, growth, leak, samples, duration,
heap_size or live, or one of band(\"REGEX\").peak, .p99, .mean, .final, .growth. OP is one of
> >= < <= == !=. LIMIT is 800MiB, 1MB/min, 30s, a number, likely, possible or none, 50% of peak,
baseline, baseline * 1.1 or baseline + 10MiB.

Exit status: see `heapviz --help`; 3 if a budget is exceeded.";

/// Fails when a heap exceeds its budget, for CI
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
pub struct Check {
    /// Profiles; `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// When to fail, such as 'peak > 800MiB'; can be given several times
    #[arg(long, value_name = "BUDGET")]
    fail_if: Vec<Budget>,

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
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<Format>,

    #[command(flatten)]
    figures: FigureArgs,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Txt,
    /// Markdown, for the summary of a CI run
    Md,
    /// The document of `heapviz stats -f json` with `budgets`; one line for each input
    Json,
}

impl TextFormat for Format {}

const EXCEEDED: u8 = 3;

impl Verb for Check {
    fn run(self) -> Result<ExitCode, UsageError> {
        if self.fail_if.is_empty() && self.write_baseline.is_none() {
            let example = "give a budget, such as --fail-if 'leak == likely'";
            return Err(UsageError(example.to_owned()));
        }
        if self.fail_if.is_empty() && !self.figures.outputs().is_empty() {
            return Err(UsageError(
                "-o is for the report on budgets; give one with --fail-if".to_owned(),
            ));
        }
        if self.write_baseline.is_some() && self.inputs.len() > 1 {
            return Err(UsageError(
                "a baseline is made from one input; several were given".to_owned(),
            ));
        }
        if self.baseline.is_none()
            && let Some(budget) = self.fail_if.iter().find(|budget| budget.needs_baseline())
        {
            return Err(UsageError(format!("`{}` needs --baseline FILE", budget.text())));
        }
        let targets = self.figures.targets(self.format, Format::Txt)?;
        Ok(match self.checked(&targets) {
            Ok(code) => code,
            Err(failure) => {
                failure.message().say();
                ExitCode::from(1)
            }
        })
    }
}

impl Check {
    fn checked(&self, targets: &[Target<Format>]) -> Result<ExitCode, Failure> {
        let reader = self.figures.reader();
        let inputs: Vec<Input> = self.inputs.iter().map(|path| Input::of(path)).collect();
        for target in targets {
            output::refuse_inputs(&target.output, &inputs)?;
        }
        let baseline = self.baseline.as_deref().map(read_baseline).transpose()?;
        let mut accepted = self.accept.clone();
        if let (Some(path), Some(baseline)) = (&self.baseline, &baseline) {
            accepted.extend(baseline.accepted().map_err(|error| refused(path, &error))?);
        }
        let readings = reader.read_all(&inputs);
        let view = view(&self.figures.slice());
        let mut checked = Vec::new();
        for (input, _, slice) in slices(&readings, reader.voice) {
            match self.check(input, slice, baseline.as_ref(), &accepted, view.as_deref()) {
                Ok(one) => {
                    self.say(&one, baseline.as_ref(), reader.voice);
                    checked.push(one);
                }
                Err(failure) => failure.message().about(input).say(),
            }
        }
        let unread = checked.len() < inputs.len();
        if let (Some(path), Some(one)) = (&self.write_baseline, checked.first()) {
            let baseline = Baseline::of(&one.slice, &one.analysis, &accepted, view);
            let baseline = baseline.map_err(|error| refused(path, &error))?;
            let output = Output::of(path);
            output::refuse_inputs(&output, &inputs)?;
            output::write(&output, baseline.text().as_bytes())?;
            reader.voice.summarise(&format!("baseline -> {}", path.display()));
        }
        if !checked.is_empty() && !self.fail_if.is_empty() {
            for target in targets {
                output::write(&target.output, self.written(&checked, target.format).as_bytes())?;
            }
        }
        let exceeded = checked.iter().any(|one| one.outcomes.iter().any(|o| self.fails(o.state)));
        Ok(match (unread, exceeded) {
            (true, _) => ExitCode::from(1),
            (false, true) => ExitCode::from(EXCEEDED),
            (false, false) => ExitCode::SUCCESS,
        })
    }

    fn check<'a>(
        &self,
        input: &'a Input,
        slice: Slice<'a>,
        baseline: Option<&Baseline>,
        accepted: &[Pattern],
        view: Option<&str>,
    ) -> Result<Checked<'a>, Failure> {
        if let (Some(path), Some(baseline)) = (&self.baseline, baseline) {
            baseline.fits(&slice, view).map_err(|error| refused(path, &error))?;
        }
        let analysis = Analysis::of(&slice).accepting(accepted);
        let was = |subject: &_| baseline.and_then(|baseline| baseline.get(subject));
        let outcomes =
            self.fail_if.iter().map(|budget| budget.check(&slice, &analysis, was)).collect();
        Ok(Checked { input, slice, analysis, outcomes })
    }

    /// Which budgets say little.
    fn say(&self, one: &Checked<'_>, baseline: Option<&Baseline>, voice: Voice) {
        if let Some(ghc) = baseline.and_then(|baseline| baseline.other_ghc(&one.slice)) {
            let note = format_args!("the baseline is of GHC {ghc}, and this run is not");
            voice.say(&Message::note(note).about(one.input));
        }
        for (budget, outcome) in self.fail_if.iter().zip(&one.outcomes) {
            let text = budget.text();
            if outcome.state == BudgetState::Unknown {
                let why = match outcome.measured {
                    None => "this input does not contain it",
                    Some(_) => "the baseline does not have it",
                };
                let unknown = Message::warning(format_args!("`{text}` cannot be checked: {why}"));
                voice.say(&unknown.about(one.input).hint("--strict counts it as exceeded"));
            }
            if budget.over_baseline().is_some_and(|factor| (1.0..1.1).contains(&factor)) {
                let tight =
                    format_args!("`{text}` is tighter than the difference between two equal runs");
                voice.say(&Message::warning(tight).hint("allow at least 10 %: baseline * 1.1"));
            }
        }
    }

    /// Whether a state of a budget makes the check fail.
    fn fails(&self, state: BudgetState) -> bool {
        match state {
            BudgetState::Exceeded => true,
            BudgetState::Unknown => self.figures.losses() == LossPolicy::Refuse,
            BudgetState::Ok => false,
        }
    }

    fn written(&self, checked: &[Checked<'_>], format: Format) -> String {
        let units = self.figures.units();
        match format {
            Format::Txt => text::plain(checked, &self.fail_if, units),
            Format::Md => text::markdown(checked, &self.fail_if, units),
            Format::Json => checked.iter().map(|one| self.json(one)).collect(),
        }
    }

    fn json(&self, one: &Checked<'_>) -> String {
        let ranking = ranked_by(&one.slice, &one.analysis, Measure::Mean, 20);
        let chart = Chart::of(&one.slice, ranking);
        let budgets = self.fail_if.iter().zip(&one.outcomes);
        let budgets = budgets.map(|(budget, outcome)| BudgetJson::new(budget, outcome));
        json::write_figures(&chart, &one.slice, &one.analysis, &budgets.collect::<Vec<_>>())
    }
}

fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let text = given::text(path).map_err(|error| {
        Failure::new(format!("cannot read {}: {error}", path.display()))
            .hint("--write-baseline FILE writes one")
    })?;
    Baseline::read(&text).map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &BaselineError) -> Failure {
    Failure::new(format!("{}: {error}", path.display())).hint(error.hint())
}

/// The requested part of a run; `None` for all of it.
fn view(options: &SliceOptions) -> Option<String> {
    let bound = |name: &str, bound: &Option<Bound>| {
        bound.as_ref().map(|bound| match bound {
            Bound::Number(time) | Bound::Time(time) => format!("{name} {time}"),
            Bound::Marker(text) => format!("{name} `{text}`"),
        })
    };
    let Selection { include, exclude, .. } = &options.selection;
    let patterns = |name: &str, patterns: &[Pattern]| {
        let all: Vec<&str> = patterns.iter().map(Pattern::as_str).collect();
        (!all.is_empty()).then(|| format!("{name} {}", all.join(" ")))
    };
    let grouping = match &options.grouping {
        Grouping::Auto => None,
        other => Some(format!("grouped by {other}")),
    };
    let parts = [
        bound("from", &options.window.from),
        bound("to", &options.window.to),
        patterns("only", include),
        patterns("without", exclude),
        grouping,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
