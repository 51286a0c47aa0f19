//! `heapviz diff --view flame`: the difference between two runs, stack by stack.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use heapviz::chart::flame::FlameChart;
use heapviz::draw::{DrawOptions, FlameOptions, flame};
use heapviz::export;
use heapviz::render::Rendered;
use heapviz::slice::Slice;
use heapviz::tree::{Instant, Paths, StackTree, Stacks, TreeError, TreeSize, Weight, of_calls};
use heapviz::units::UnitSystem;

use crate::cli::args::paper::PaperArgs;
use crate::cli::args::stacks::{At, StackArgs, StackChoice};
use crate::cli::failure::Failure;
use crate::cli::look::fonts;
use crate::cli::output;
use crate::cli::picture::{self, Look};
use crate::cli::read::{Reader, Reading};
use crate::cli::stacks::{live_at, weight};
use crate::cli::target::{self, Format, Input, Target};
use crate::cli::verb::UsageError;

/// What a flame graph of the difference shows.
#[derive(Debug, Args)]
pub struct FlameArgs {
    /// Draw the change of each stack as a flame graph into the files that -o names: .svg, .png, .pdf,
    /// .html, .json, .folded or .pb.gz. --at A..B compares the instant A of the run before with B of
    /// the run after
    #[arg(long, value_name = "VIEW")]
    view: Option<View>,

    #[command(flatten)]
    stacks: StackArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum View {
    /// Stacks
    Flame,
}

impl FlameArgs {
    /// Whether a flame graph is asked for.
    pub fn is_asked(&self) -> bool {
        self.view == Some(View::Flame)
    }

    /// Draws the difference between two runs.
    ///
    /// # Errors Several runs on one side, or no output.
    pub fn run(
        &self,
        (before, after): (&[Input], &[Input]),
        outputs: &[PathBuf],
        (reader, units): (Reader, UnitSystem),
        paper: &PaperArgs,
    ) -> Result<ExitCode, UsageError> {
        let ([before], [after]) = (before, after) else {
            return Err(UsageError("--view flame compares one run with one".to_owned()));
        };
        if outputs.is_empty() {
            let text = "--view flame draws a picture: name its file, -o change.svg";
            return Err(UsageError(text.to_owned()));
        }
        let target = |path| target::target(Path::new("-"), Some(path), None, (1, outputs.len()));
        let targets: Vec<Target> =
            outputs.iter().map(target).collect::<Result<_, _>>().map_err(UsageError)?;
        let reader = reader.of_time_too();
        let done = self.drawn([before, after], &targets, &reader, (units, paper));
        Ok(done.map_or_else(
            |(input, failure)| {
                let message = failure.message();
                match input {
                    Some(input) => message.about(input).say(),
                    None => message.say(),
                }
                ExitCode::from(1)
            },
            |()| ExitCode::SUCCESS,
        ))
    }

    fn drawn<'a>(
        &self,
        inputs: [&'a Input; 2],
        targets: &[Target],
        reader: &Reader,
        looks: (UnitSystem, &PaperArgs),
    ) -> Result<(), (Option<&'a Input>, Failure)> {
        for target in targets {
            output::refuse_inputs(&target.output, inputs).map_err(|error| (None, error.into()))?;
        }
        let read = |input| reader.read(input).map_err(|failure| (Some(input), failure));
        let readings: [Reading; 2] = [read(inputs[0])?, read(inputs[1])?];
        let slice = |i: usize| readings[i].slice().map_err(|failure| (Some(inputs[i]), failure));
        let slices: [Slice<'_>; 2] = [slice(0)?, slice(1)?];
        for ((reading, slice), input) in readings.iter().zip(&slices).zip(inputs) {
            reading.messages(slice, input).iter().for_each(|message| reader.voice.say(message));
        }
        let choice = self.stacks.choice();
        let side =
            |i: usize| stacks(&slices[i], &choice, i).map_err(|failure| (Some(inputs[i]), failure));
        let (mut before, mut now) = (side(0)?, side(1)?);
        for (stacks, which) in [(&mut before, "before"), (&mut now, "after")] {
            let words = &mut stacks.subject.words;
            *words = format!("{words} of the run {which}").trim_start().to_owned();
        }
        let general = |failure| (None, failure);
        if before.subject.weight != now.subject.weight {
            let text = "the two runs have nothing in common to count";
            let hint = "--weight time, alloc, entries or live chooses what both have";
            return Err(general(Failure::new(text).hint(hint)));
        }
        let difference = Stacks::difference(&before, &now);
        let paths = Paths::of(&difference, &choice.tree).map_err(|error| {
            general(match error {
                TreeError::Empty => {
                    Failure::new("nothing changed: every stack has as much as before")
                }
                other => other.into(),
            })
        })?;
        for target in targets {
            let rendered = rendered(&paths, &slices[1], target.format, looks).map_err(general)?;
            output::write(&target.output, &rendered.bytes).map_err(|e| general(e.into()))?;
        }
        Ok(())
    }
}

/// The stacks of a side, 0 before and 1 after.
fn stacks(slice: &Slice<'_>, choice: &StackChoice, side: usize) -> Result<Stacks, Failure> {
    match weight(choice.weight, slice.profile()) {
        Weight::Live => live_at(slice, instant(choice, side)),
        weight => Ok(of_calls(slice, weight, choice.pseudo)?),
    }
}

fn instant(choice: &StackChoice, side: usize) -> &Instant {
    match &choice.instants[0] {
        At::One(instant) => instant,
        At::Difference(before, now) => [before, now][side],
    }
}

fn rendered(
    paths: &Paths,
    slice: &Slice<'_>,
    format: Format,
    (units, paper): (UnitSystem, &PaperArgs),
) -> Result<Rendered, Failure> {
    Ok(match format {
        Format::Folded => export::folded::write(paths).into_bytes().into(),
        Format::Pprof => export::pprof::write(paths).into(),
        Format::Json => {
            let tree = StackTree::of_paths(paths, TreeSize::default());
            export::tree::write(&tree).into_bytes().into()
        }
        Format::Csv | Format::Hp | Format::Speedscope => {
            let text = "the difference of two runs has no form in this format";
            return Err(Failure::new(text).hint("use .svg, .png, .pdf, .html, .json or .pb.gz"));
        }
        format => {
            let mut options = FlameOptions::default();
            let DrawOptions { width, palette, .. } = paper.of(DrawOptions::default());
            (options.units, options.width, options.palette) = (units, width, palette);
            let fonts = fonts(paper.font.as_deref())?;
            let tree = StackTree::of_paths(paths, options.tree_size());
            let chart = FlameChart::of(slice, tree);
            let look = Look { theme: paper.theme(), scale: paper.scale(), fonts: &fonts };
            picture::render(&flame(&chart, &options), format, &look)?
        }
    })
}
