//! `heapviz diff`: two runs compared, or several before a change with several after it; as text, as
//! data, as pictures, as a page, and stack by stack.

mod picture;

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use serde::Serialize;

use crate::analysis::compare::{self, Comparison, Presence, compare};
use crate::cli::args::output::FigureArgs;
use crate::cli::args::picture::{PaintArgs, SizeArgs};
use crate::cli::args::stacks::StackArgs;
use crate::cli::failure::Failure;
use crate::cli::flags::{Given, Uses};
use crate::cli::formats::{Document, Format, Kind, write};
use crate::cli::look::{self, Look};
use crate::cli::output;
use crate::cli::read::{Instead, Reader, runs};
use crate::cli::stacks::Trees;
use crate::cli::table::{Side, Table, code, shortened};
use crate::cli::target::{Input, Job, Target};
use crate::cli::verb::{UsageError, Verb};
use crate::draw::{DrawOptions, SameScale, common_scale};
use crate::error::visible;
use crate::profile::Clock;
use crate::report;
use crate::run::{Run, RunOptions};
use crate::scene::Scene;
use crate::units::UnitSystem;
use picture::{Align, USUAL_HEIGHT, fitting_size, words};

const EXAMPLES: &str = "\
Examples:
  heapviz diff before.eventlog after.eventlog
  heapviz diff before.hp after.hp -o change.svg     a picture: before above after, on one scale
  heapviz diff before.hp after.hp -o change.html    a page to explore both runs in
  heapviz diff -f md before.hp after.hp             for a pull request
  heapviz diff --view flame before.eventlog after.eventlog -o change.svg
                                                    which stacks grew and shrank (-hc)
  heapviz diff a1.hp a2.hp a3.hp a4.hp -- b1.hp b2.hp b3.hp b4.hp
                                                    with four runs on each side, differences are tested
";

const ENDING: &str = "\
`~` marks a change that two runs of the same program can also have.

Exit status: see `heapviz --help`. What is found does not change it.";

/// Compares two runs: figures, verdicts, and what each band gained or lost
#[derive(Debug, Parser)]
#[command(before_help = EXAMPLES, after_long_help = ENDING)]
#[command(override_usage = "heapviz diff [OPTIONS] <BEFORE> <AFTER>\n       \
                            heapviz diff [OPTIONS] <BEFORE>... -- <AFTER>...")]
pub struct Diff {
    /// The profile before and the profile after; or several before, `--`, and several after
    #[arg(value_name = "INPUT", required = true)]
    before: Vec<PathBuf>,

    /// The profiles after
    #[arg(value_name = "AFTER", last = true)]
    after: Vec<PathBuf>,

    /// Format, if the extension of FILE does not determine it [default: txt]
    #[arg(short, long, value_name = "FORMAT",
          value_parser = Format::parser(&[Kind::Comparison, Kind::Stacks]))]
    format: Option<Format>,

    /// Show at most this many bands; 0 shows all
    #[arg(short = 'm', long, value_name = "N", default_value_t = 15)]
    bands: usize,

    /// Draw the change of each stack as a flame graph into the files that -o names. --at A..B compares
    /// the instant A of the run before with B of the run after
    #[arg(long, value_name = "VIEW")]
    view: Option<View>,

    /// Which points of the two runs a picture puts at the same place: their starts, also their
    /// ends, or markers of the same text. The run after is stretched in between
    #[arg(long, value_name = "WHAT", default_value = "start", hide_short_help = true)]
    align: Align,

    #[command(flatten)]
    figures: FigureArgs,

    #[command(flatten)]
    size: SizeArgs,

    #[command(flatten)]
    paint: PaintArgs,

    #[command(flatten)]
    stacks: StackArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum View {
    /// Stacks
    Flame,
}

impl Verb for Diff {
    fn run(self, given: &Given) -> Result<ExitCode, UsageError> {
        let (before, after) = self.sides()?;
        let kinds: &[Kind] = match self.view {
            Some(View::Flame) => &[Kind::Stacks],
            None => &[Kind::Comparison],
        };
        if let Some(View::Flame) = self.view {
            if (before.len(), after.len()) != (1, 1) {
                return Err(UsageError("--view flame compares one run with one".to_owned()));
            }
            if self.figures.outputs().is_empty() {
                let text = "--view flame draws a picture: name its file, -o change.svg";
                return Err(UsageError(text.to_owned()));
            }
        }
        let usual = if self.view.is_some() { Format::Svg } else { Format::Txt };
        let targets = self.figures.targets(self.format, usual, kinds)?;
        let is_picture = |target: &Target| target.format.is_picture();
        if self.view.is_none() && targets.iter().any(is_picture) {
            fitting_size(&self.draw_options()).map_err(UsageError)?;
        }
        let sides = Sides { split: before.len(), jobs: [before, after].concat() };
        Ok(self.written(&sides, &targets, given).unwrap_or_else(|(input, failure)| {
            let message = failure.message();
            match input {
                Some(i) => message.about(&sides.jobs[i].input).say(),
                None => message.say(),
            }
            ExitCode::from(1)
        }))
    }
}

/// The inputs of both sides; the first `split` are those before.
struct Sides {
    jobs: Vec<Job>,
    split: usize,
}

impl Diff {
    fn sides(&self) -> Result<(Vec<Job>, Vec<Job>), UsageError> {
        let jobs = |paths: &[PathBuf]| paths.iter().map(|path| Job::of(path)).collect();
        match (&self.before[..], &self.after[..]) {
            ([before, after], []) => Ok((vec![Job::of(before)], vec![Job::of(after)])),
            (_, []) => {
                Err(UsageError("give two inputs, or two groups separated by `--`".to_owned()))
            }
            (before, after) => Ok((jobs(before), jobs(after))),
        }
    }

    fn draw_options(&self) -> DrawOptions {
        let height = if self.view.is_some() { DrawOptions::default().height } else { USUAL_HEIGHT };
        let default = DrawOptions::default().with_height(height).with_units(self.figures.units());
        self.paint.of(self.size.of(default))
    }

    fn look(&self) -> Result<Look, Failure> {
        let mut look = Look::of(self.draw_options());
        self.size.on(&mut look);
        self.paint.on(&mut look)?;
        look.flame.root = self.stacks.root();
        Ok(look)
    }

    /// What a run of either side shows in every output.
    fn run_options(&self) -> RunOptions {
        let mut options = RunOptions::default();
        options.slice = self.figures.slice();
        options.units = self.figures.units();
        // The bands with the greatest changes may be small ones.
        options.rank.trace_percent = 0.0;
        // OTHER takes one place of the limit.
        let bands = if self.bands == 0 { 0 } else { self.bands + 1 };
        options.rank.band_limit = NonZeroUsize::new(bands);
        options
    }

    /// The exit status; or what failed, and the number of the input that it is about.
    fn written(
        &self,
        sides: &Sides,
        targets: &[Target],
        given: &Given,
    ) -> Result<ExitCode, (Option<usize>, Failure)> {
        let general = |failure: Failure| (None, failure);
        let jobs = &sides.jobs;
        for target in targets {
            output::refuse_inputs(&target.output, jobs.iter().map(|job| &job.input))
                .map_err(|error| general(error.into()))?;
        }
        let look = self.look().map_err(general)?;
        let instead: &[Instead] = if self.view.is_some() { &[Instead::Calls] } else { &[] };
        let reader = Reader { instead, ..self.figures.reader() };
        let readings = reader.read_all(jobs);
        let options = self.run_options();
        let runs = runs(&readings, &options, reader.voice);
        if runs.len() < jobs.len() {
            // What could not be read has been reported.
            return Ok(ExitCode::from(1));
        }
        let mut uses = Uses::new(given, None);
        let mut put = |document: Document<'_>| {
            for target in targets {
                uses.document(document.kind(), target.format);
                let lacks = write(document, target, &look).map_err(general)?;
                look::missing(&lacks).iter().for_each(|lack| reader.voice.say(lack));
            }
            Ok::<_, (Option<usize>, Failure)>(())
        };
        match (self.view, &runs[..]) {
            (Some(View::Flame), [(_, before), (_, after)]) => {
                let trees = Trees::of_difference(&self.stacks.choice(), [before, after])?;
                put(Document::Stacks(&trees))?;
            }
            _ => {
                let (before, after) = runs.split_at(sides.split);
                let mut compared = Compared::of([before, after]).map_err(general)?;
                (compared.bands, compared.align) = (self.bands, self.align);
                if targets.iter().any(|target| target.format.is_picture()) {
                    compared.picture =
                        Some(picture::pair(&compared, look.draw.units).map_err(general)?);
                }
                put(Document::Comparison(&compared))?;
            }
        }
        uses.notes().iter().for_each(|note| reader.voice.say(note));
        Ok(ExitCode::SUCCESS)
    }
}

/// The runs of one side, with their inputs.
type Runs<'a> = [(&'a Input, Run<'a>)];

/// Two sides that were compared.
pub struct Compared<'a> {
    sides: [&'a Runs<'a>; 2],
    /// How the second side differs from the first.
    comparison: Comparison,
    /// The most bands that are listed or drawn; 0 for all.
    bands: usize,
    /// What pictures align.
    align: Align,
    /// What pictures show, if there are any.
    picture: Option<picture::Picture>,
}

impl<'a> Compared<'a> {
    fn of(sides: [&'a Runs<'a>; 2]) -> Result<Self, Failure> {
        let runs = |side: &'a Runs<'a>| -> Vec<compare::Run<'a>> {
            side.iter().map(|(_, run)| compare::Run::new(run.slice(), run.analysis())).collect()
        };
        let comparison = compare(&runs(sides[0]), &runs(sides[1])).map_err(|error| {
            let hint = "profile both with the same break-down flag, such as -hy";
            Failure::new(error.to_string()).hint(hint)
        })?;
        Ok(Compared { sides, comparison, bands: 0, align: Align::Start, picture: None })
    }

    /// What pictures and tables call the sides.
    fn names(&self) -> [String; 2] {
        self.sides.map(|side| match side {
            [(input, run)] => input.shown(run.slice().privacy()),
            runs => format!("{} runs", runs.len()),
        })
    }

    /// The run whose mean heap is the middle one of its side, by its number.
    fn median_run(&self, side: usize) -> usize {
        let runs = self.sides[side];
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|&i| (runs[i].1.analysis().figures.heap.mean, i));
        order[(runs.len() - 1) / 2]
    }

    /// The picture: before above after, and the change of each band.
    pub fn scene(&self, look: &Look) -> Option<Scene> {
        self.picture.as_ref().map(|picture| picture.scene(look))
    }

    /// The texts about it.
    pub fn words(&self, look: &Look) -> Words<'_> {
        Words {
            comparison: &self.comparison,
            names: self.names(),
            most: if self.bands == 0 { usize::MAX } else { self.bands },
            clock: self.sides[0][0].1.slice().clock(),
            units: look.draw.units,
        }
    }

    /// The page: one run of each side to explore, and the changes of figures and bands over all runs.
    pub fn page(&self, look: &Look) -> String {
        let chosen = [0, 1].map(|side| &self.sides[side][self.median_run(side)].1);
        let mut look = look.clone();
        // On one scale, changing the tab shows which run is higher.
        let charts = chosen.iter().map(|run| run.chart());
        look.draw.scale = common_scale(charts, SameScale::Y, &look.draw);
        let named = [0, 1].map(|side| {
            let name = &words(self.sides[side], self.median_run(side))[0];
            (format!("{}: {name}", ["before", "after"][side]), chosen[side])
        });
        look.with_runs(&named, |runs| {
            report::write_comparison([runs[0], runs[1]], &self.comparison)
        })
    }
}

/// A comparison and how its texts show it.
pub struct Words<'a> {
    /// What is shown.
    pub comparison: &'a Comparison,
    /// The names of the side before and the side after.
    pub names: [String; 2],
    /// The most bands that are listed.
    pub most: usize,
    /// What the times of both sides count.
    pub clock: Clock,
    /// The units of amounts.
    pub units: UnitSystem,
}

impl Words<'_> {
    /// For a terminal.
    pub fn plain(&self) -> String {
        let mut out = self.figures().text();
        let _ = write!(out, "\n{}", self.bands().text());
        for line in self.comparison.remarks(self.most) {
            let _ = writeln!(out, "  {line}");
        }
        out
    }

    /// For a pull request.
    pub fn markdown(&self) -> String {
        let [before, after] = &self.names;
        let mut out = format!("### Heap: {}\n\n", self.comparison.headline());
        let _ = writeln!(out, "{} → {}\n", code(&visible(before)), code(&visible(after)));
        out.push_str(&self.figures().markdown());
        let _ = write!(out, "\n{}\n", self.bands().markdown());
        for line in self.comparison.remarks(self.most) {
            let _ = writeln!(out, "{line}  ");
        }
        out
    }

    fn figures(&self) -> Table {
        let short = |name: &String| {
            let name = name.rsplit('/').next().unwrap_or(name);
            visible(&shortened(name, 20))
        };
        let [before, after] = self.names.each_ref().map(short);
        let mut table = Table::new(&[
            ("", Side::Left),
            (&before, Side::Right),
            (&after, Side::Right),
            ("", Side::Left),
        ]);
        for row in self.comparison.comparable() {
            table.row(vec![
                row.figure.name().to_owned(),
                row.figure.text(row.before, self.clock, self.units),
                row.figure.text(row.after, self.clock, self.units),
                row.change(),
            ]);
        }
        let (was, is) = self.comparison.verdicts;
        table.row(vec![
            "verdict".to_owned(),
            was.words().to_owned(),
            is.words().to_owned(),
            String::new(),
        ]);
        table
    }

    fn bands(&self) -> Table {
        let mut table = Table::new(&[
            ("band (mean)", Side::Left),
            ("before", Side::Right),
            ("after", Side::Right),
            ("change", Side::Right),
            ("", Side::Left),
        ]);
        for row in self.comparison.bands.iter().take(self.most) {
            table.row(vec![
                row.name(),
                cell(row.before, row.presence != Presence::New, self.units),
                cell(row.after, row.presence != Presence::Gone, self.units),
                signed(row.after - row.before, self.units),
                row.became(),
            ]);
        }
        table
    }

    /// One line of JSON, with all bands and plain numbers.
    pub fn json(&self) -> String {
        let [before, after] = &self.names;
        let comparison = self.comparison;
        let document = Json { format: "heapviz-diff", version: 1, before, after, comparison };
        let mut text = serde_json::to_string(&document).expect("plain data");
        text.push('\n');
        text
    }
}

#[derive(Serialize)]
struct Json<'a> {
    format: &'static str,
    version: u32,
    before: &'a str,
    after: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// An amount, or nothing if the band is not there.
fn cell(bytes: f64, is_there: bool, units: UnitSystem) -> String {
    if is_there { units.text(bytes.round() as u128) } else { String::new() }
}

/// A difference of two amounts.
fn signed(change: f64, units: UnitSystem) -> String {
    let sign = if change < 0.0 { "-" } else { "+" };
    format!("{sign}{}", units.text(change.abs().round() as u128))
}
