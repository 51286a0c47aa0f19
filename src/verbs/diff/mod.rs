//! `heapviz diff`: two runs compared, or several before a change with several after it; as text, as
//! data, as pictures, as a page.

mod compared;
mod pair_of_charts;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::args::{FigureArgs, OpenArgs, PageSourceArgs, PaintArgs, SizeArgs};
use crate::cli::read::runs;
use crate::cli::write::{places, write_each};
use crate::cli::{
    DocumentKind, FlagUses, Format, GivenFlags, Job, Message, Stop, Style, Target, Verb, output,
    targets,
};
use crate::profile_view::ViewOptions;
use compared::Compared;
use pair_of_charts::{USUAL_HEIGHT, fitting_size};

const EXAMPLES: &str = "\
Examples:
  heapviz diff before.eventlog after.eventlog
  heapviz diff before.hp after.hp -o change.svg     a picture: before above after, on one scale
  heapviz diff before.hp after.hp -o change.html    a page to explore both runs in
  heapviz diff -f md before.hp after.hp             for a pull request
  heapviz diff a1.hp a2.hp a3.hp a4.hp -- b1.hp b2.hp b3.hp b4.hp
                                                    with four runs on each side, differences are tested
";

const ENDING: &str = "\
`≈ same` (in pictures `~`): two runs of the same program can also differ by that.

Exit status: see `heapviz --help`. It does not depend on what is found.";

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
          value_parser = Format::parser(&[DocumentKind::Comparison]))]
    format: Option<Format>,

    /// Show at most this many bands; 0 shows all
    #[arg(short = 'm', long, value_name = "N", default_value_t = 15)]
    bands: usize,

    #[command(flatten)]
    figures: FigureArgs,

    #[command(flatten)]
    size: SizeArgs,

    #[command(flatten)]
    paint: PaintArgs,

    #[command(flatten)]
    source: PageSourceArgs,

    #[command(flatten)]
    open: OpenArgs,
}

impl Verb for Diff {
    fn run(self, given: &GivenFlags) -> Result<ExitCode, Stop> {
        let sides = self.sides()?;
        let kinds = &[DocumentKind::Comparison];
        let targets = targets(&self.figures.output, self.format, Format::Txt, kinds)?;
        let mut style = self.style()?;
        if targets.iter().any(|target| target.format.is_picture()) {
            fitting_size(&style.draw)?;
        }
        style.sources = self.source.sources(self.figures.slice.privacy())?;
        self.write_targets(&sides, &targets, &style, given)
    }
}

impl Diff {
    /// The inputs before, and those after.
    fn sides(&self) -> Result<[Vec<Job>; 2], String> {
        let jobs = |paths: &[PathBuf]| paths.iter().map(|path| Job::new(path)).collect();
        match (&self.before[..], &self.after[..]) {
            ([before, after], []) => Ok([vec![Job::new(before)], vec![Job::new(after)]]),
            (_, []) => Err("give two inputs, or two groups separated by `--`".to_owned()),
            (before, after) => Ok([jobs(before), jobs(after)]),
        }
    }

    fn style(&self) -> Result<Style, Message> {
        let mut style = Style::default();
        style.draw.height = USUAL_HEIGHT;
        style.draw.units = self.figures.units.units;
        self.size.on(&mut style);
        self.paint.on(&mut style)?;
        style.opens = self.open.open;
        Ok(style)
    }

    /// What a run of either side shows in every output.
    fn run_options(&self) -> ViewOptions {
        let mut options = ViewOptions::default();
        options.slice = self.figures.slice.options();
        // The bands with the greatest changes may be small ones.
        options.rank.trace_percent = 0.0;
        // OTHER takes one place of the limit.
        let bands = if self.bands == 0 { 0 } else { self.bands + 1 };
        options.rank.band_limit = NonZeroUsize::new(bands);
        options
    }

    fn write_targets(
        &self,
        sides: &[Vec<Job>; 2],
        targets: &[Target],
        style: &Style,
        given: &GivenFlags,
    ) -> Result<ExitCode, Stop> {
        let jobs = sides.concat();
        output::protect(jobs.iter().flat_map(Job::inputs));
        output::refuse_protected(targets.iter().map(|target| &target.output))?;
        let reader = self.figures.reader();
        let readings = reader.read_all(&jobs);
        let options = self.run_options();
        let runs = runs(&readings, &options, reader.voice);
        if runs.len() < jobs.len() {
            // What could not be read has been reported.
            return Ok(ExitCode::from(1));
        }
        let (before, after) = runs.split_at(sides[0].len());
        let mut compared = Compared::new([before, after], self.bands)?;
        if targets.iter().any(|target| target.format.is_picture()) {
            compared.picture = Some(pair_of_charts::pair(&compared, style)?);
        }
        let uses = FlagUses::new(given, None, self.format);
        write_each(&compared, targets, style, uses, reader.voice)?;
        let written = places(&targets.iter().collect::<Vec<_>>());
        if !written.is_empty() {
            let [before, after] = compared.names();
            reader.voice.summarise(&format!("{before} and {after} compared{written}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
