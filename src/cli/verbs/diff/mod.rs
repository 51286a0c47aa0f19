//! `heapviz diff`: two runs compared, or several before a change with several after it; as text, as
//! data, and as a picture.

mod compared;
mod flame;
mod format;
mod page;
mod picture;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use heapviz::analysis::Analysis;
use heapviz::analysis::compare::{Run, compare};
use heapviz::render::Rendered;
use heapviz::slice::Slice;

use crate::cli::args::figures::FigureArgs;
use crate::cli::args::given::Given;
use crate::cli::args::paper::PaperArgs;
use crate::cli::failure::Failure;
use crate::cli::look;
use crate::cli::message::Message;
use crate::cli::output;
use crate::cli::read::slices;
use crate::cli::target::{Input, Target};
use crate::cli::verb::{UsageError, Verb};
use compared::Compared;
use flame::FlameArgs;
use format::Format;
use picture::{Align, Asked, Picture};
use text::Words;

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

`~` marks a change that two runs of the same program can also have.

Exit status: see `heapviz --help`. What is found does not change it.";

/// Compares two runs: figures, verdicts, and what each band gained or lost
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "heapviz diff [OPTIONS] <BEFORE> <AFTER>\n       \
                            heapviz diff [OPTIONS] <BEFORE>... -- <AFTER>...")]
pub struct Diff {
    // First, because clap forgets an argument as soon as a field has it.
    #[command(flatten)]
    given: Given,

    /// The profile before and the profile after; or several before, `--`, and several after
    #[arg(value_name = "INPUT", required = true)]
    before: Vec<PathBuf>,

    /// The profiles after
    #[arg(value_name = "AFTER", last = true)]
    after: Vec<PathBuf>,

    /// Format, if the extension of FILE does not determine it [default: txt]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Show at most this many bands; 0 shows all
    #[arg(short = 'm', long, value_name = "N", default_value_t = 15)]
    bands: usize,

    #[command(flatten)]
    flame: FlameArgs,

    /// Which points of the two runs a picture puts at the same place: their starts, also their
    /// ends, or markers of the same text. The run after is stretched in between
    #[arg(long, value_name = "WHAT", default_value = "start")]
    align: Align,

    #[command(flatten)]
    figures: FigureArgs,

    #[command(flatten)]
    paper: PaperArgs,
}

impl Verb for Diff {
    fn run(self) -> Result<ExitCode, UsageError> {
        let (before, after) = self.sides()?;
        if self.flame.is_asked() {
            let reader = self.figures.reader();
            let (outputs, units) = (self.figures.outputs(), self.figures.units());
            return self.flame.run((&before, &after), outputs, (reader, units), &self.paper);
        }
        let targets = self.figures.targets(self.format, Format::Txt)?;
        if targets.iter().any(|target| target.format.is_picture()) {
            picture::fitting_size(&self.paper).map_err(UsageError)?;
        }
        Ok(self.compared(&before, &after, &targets).unwrap_or_else(|failure| {
            failure.message().say();
            ExitCode::from(1)
        }))
    }
}

impl Diff {
    fn sides(&self) -> Result<(Vec<Input>, Vec<Input>), UsageError> {
        let inputs = |paths: &[PathBuf]| paths.iter().map(|path| Input::of(path)).collect();
        match (&self.before[..], &self.after[..]) {
            ([before, after], []) => Ok((vec![Input::of(before)], vec![Input::of(after)])),
            (_, []) => Err(UsageError(
                "two inputs are compared; put `--` between several before and several after"
                    .to_owned(),
            )),
            (before, after) => Ok((inputs(before), inputs(after))),
        }
    }

    fn compared(
        &self,
        before: &[Input],
        after: &[Input],
        targets: &[Target<Format>],
    ) -> Result<ExitCode, Failure> {
        let inputs = || before.iter().chain(after);
        for target in targets {
            output::refuse_inputs(&target.output, inputs())?;
        }
        let reader = self.figures.reader();
        let readings = reader.read_all(inputs());
        let slices: Vec<Slice<'_>> =
            slices(&readings, reader.voice).into_iter().map(|(_, _, slice)| slice).collect();
        if slices.len() < inputs().count() {
            // What could not be read has been reported.
            return Ok(ExitCode::from(1));
        }
        let analyses: Vec<Analysis> = slices.iter().map(Analysis::of).collect();
        let runs: Vec<Run<'_>> = slices
            .iter()
            .zip(&analyses)
            .map(|(slice, analysis)| Run::new(slice, analysis))
            .collect();
        let (was, is) = runs.split_at(before.len());
        let comparison = compare(was, is).map_err(|error| {
            let hint = "profile both with the same break-down flag, such as -hy";
            Failure::new(error.to_string()).hint(hint)
        })?;
        let compared = Compared { sides: [(before, was), (after, is)], comparison: &comparison };
        let picture = match targets.iter().any(|target| target.format.is_picture()) {
            true => Some(Picture::of(&compared, &self.asked())?),
            false => None,
        };
        for target in targets {
            let rendered = self.rendered(&compared, picture.as_ref(), target.format)?;
            output::write(&target.output, &rendered.bytes)?;
            look::missing(&rendered.missing).iter().for_each(|lack| reader.voice.say(lack));
        }
        self.unused(targets).for_each(|message| reader.voice.say(&message));
        Ok(ExitCode::SUCCESS)
    }

    /// Notes on flags that none of the outputs uses.
    fn unused(&self, targets: &[Target<Format>]) -> impl Iterator<Item = Message> {
        let has = |is: fn(Format) -> bool| targets.iter().any(|target| is(target.format));
        let picture = has(Format::is_picture);
        let page = has(|format| format == Format::Html);
        let uses = [
            (picture, "pictures", &["align", "width", "height", "scale", "font"][..]),
            (picture || page, "pictures and pages", &["theme", "palette"]),
        ];
        let useless =
            uses.into_iter().filter(|(is_used, ..)| !is_used).flat_map(|(_, what, flags)| {
                flags.iter().filter(|flag| self.given.has(flag)).map(move |flag| {
                    Message::note(format!("--{flag} is for {what}, and this call writes none"))
                })
            });
        useless.collect::<Vec<_>>().into_iter()
    }

    fn asked(&self) -> Asked<'_> {
        let Diff { bands, align, paper, .. } = self;
        Asked { units: self.figures.units(), bands: *bands, align: *align, paper }
    }

    fn rendered(
        &self,
        compared: &Compared<'_>,
        picture: Option<&Picture>,
        format: Format,
    ) -> Result<Rendered, Failure> {
        let words = Words {
            comparison: compared.comparison,
            names: compared.names(),
            most: if self.bands == 0 { usize::MAX } else { self.bands },
            clock: compared.sides[0].1[0].slice.clock(),
            units: self.figures.units(),
        };
        let text = match (format, picture) {
            (Format::Md, _) => words.markdown(),
            (Format::Json, _) => words.json(),
            (Format::Html, _) => page::page(compared, words.units, &self.paper)?,
            (format, Some(picture)) if format.is_picture() => return picture.render(format),
            _ => words.plain(),
        };
        Ok(text.into_bytes().into())
    }
}
