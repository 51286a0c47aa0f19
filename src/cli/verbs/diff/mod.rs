//! `heapviz diff`: two runs compared, or several before a change with several after it.

mod flame;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use heapviz::analysis::Analysis;
use heapviz::analysis::compare::{Comparison, Run, compare};
use heapviz::slice::Slice;

use crate::cli::args::reading::ReadingArgs;
use crate::cli::args::slice::SliceArgs;
use crate::cli::args::units::UnitArgs;
use crate::cli::args::voice::VoiceArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::read::{Reader, Reading};
use crate::cli::target::{Input, Output};
use crate::cli::verb::{UsageError, Verb};
use flame::FlameArgs;

const EXAMPLES: &str = "\
Examples:
  heapviz diff before.eventlog after.eventlog
  heapviz diff -f md before.hp after.hp             for a pull request
  heapviz diff --view flame before.eventlog after.eventlog -o change.svg
                                                    which stacks grew and shrank (-hc)
  heapviz diff a1.hp a2.hp a3.hp a4.hp -- b1.hp b2.hp b3.hp b4.hp
                                                    from four runs a side, differences are tested

`~` says that two runs of one program differ by as much.

Exit status: 0 compared, whatever was found, 1 something could not be read or compared, 2 wrong
usage.";

/// Compares two runs: figures, verdicts, and what each band gained or lost
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
#[command(override_usage = "heapviz diff [OPTIONS] <BEFORE> <AFTER>\n       \
                            heapviz diff [OPTIONS] <BEFORE>... -- <AFTER>...")]
pub struct Diff {
    /// The profile before and the profile after; or several before, `--`, and several after
    #[arg(value_name = "INPUT", required = true)]
    before: Vec<PathBuf>,

    /// The profiles after
    #[arg(value_name = "AFTER", last = true)]
    after: Vec<PathBuf>,

    /// Where to write the result: .txt, .md or .json; can be given several times [default: standard
    /// output]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Format of standard output
    #[arg(short, long, value_name = "FORMAT", default_value = "txt")]
    format: Format,

    /// Show at most this many bands; 0 shows all
    #[arg(short = 'm', long, value_name = "N", default_value_t = 15)]
    bands: usize,

    #[command(flatten)]
    flame: FlameArgs,

    #[command(flatten)]
    units: UnitArgs,

    #[command(flatten)]
    slice: SliceArgs,

    #[command(flatten)]
    voice: VoiceArgs,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Txt,
    /// Markdown, for pull requests
    Md,
    /// The comparison as data
    Json,
}

impl Verb for Diff {
    fn run(self) -> Result<ExitCode, UsageError> {
        let (before, after) = self.sides()?;
        if self.flame.is_asked() {
            let reader = Reader::new(&self.reading, &self.slice, self.voice.voice());
            return self.flame.run((&before, &after), &self.output, (reader, self.units.units()));
        }
        let outputs = self.outputs()?;
        Ok(match self.compared(&before, &after, &outputs) {
            Ok(()) => ExitCode::SUCCESS,
            Err((input, failure)) => {
                let message = failure.message();
                match input {
                    Some(input) => message.about(&input).say(),
                    None => message.say(),
                }
                ExitCode::from(1)
            }
        })
    }
}

/// A failure, and the input that it is about.
type Trouble = (Option<Input>, Failure);

fn general(failure: impl Into<Failure>) -> Trouble {
    (None, failure.into())
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

    fn outputs(&self) -> Result<Vec<(Output, Format)>, UsageError> {
        if self.output.is_empty() {
            return Ok(vec![(Output::Stdout, self.format)]);
        }
        let one = |path: &PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
            let format = match (Output::of(path), ending.as_deref()) {
                (Output::Stdout, _) => self.format,
                (_, Some("txt")) => Format::Txt,
                (_, Some("md")) => Format::Md,
                (_, Some("json")) => Format::Json,
                _ => {
                    let path = path.display();
                    return Err(UsageError(format!(
                        "cannot tell the format of {path} from its ending: use .txt, .md or .json"
                    )));
                }
            };
            Ok((Output::of(path), format))
        };
        self.output.iter().map(one).collect()
    }

    fn compared(
        &self,
        before: &[Input],
        after: &[Input],
        outputs: &[(Output, Format)],
    ) -> Result<(), Trouble> {
        for (output, _) in outputs {
            output::refuse_inputs(output, before.iter().chain(after)).map_err(general)?;
        }
        let reader = Reader::new(&self.reading, &self.slice, self.voice.voice());
        let readings = read(&reader, before.iter().chain(after))?;
        let slices = slices(&readings)?;
        for ((input, reading), slice) in readings.iter().zip(&slices) {
            for message in reading.messages(slice, input) {
                reader.voice.say(&message);
            }
        }
        let analyses: Vec<Analysis> = slices.iter().map(Analysis::of).collect();
        let runs: Vec<Run<'_>> =
            slices.iter().zip(&analyses).map(|(slice, analysis)| Run { slice, analysis }).collect();
        let (was, is) = runs.split_at(before.len());
        let comparison = compare(was, is).map_err(|error| {
            let hint = "profile both with the same break-down flag, such as -hy";
            general(Failure::new(error.to_string()).hint(hint))
        })?;
        let names = (name(before), name(after));
        for (output, format) in outputs {
            let text = self.written(&comparison, &names, *format, slices[0].clock());
            output::write(output, text.as_bytes()).map_err(general)?;
        }
        Ok(())
    }

    fn written(
        &self,
        comparison: &Comparison,
        names: &(String, String),
        format: Format,
        clock: heapviz::chart::Clock,
    ) -> String {
        let units = self.units.units();
        let most = if self.bands == 0 { usize::MAX } else { self.bands };
        match format {
            Format::Txt => text::plain(comparison, names, most, clock, units),
            Format::Md => text::markdown(comparison, names, most, clock, units),
            Format::Json => text::json(comparison, names),
        }
    }
}

fn name(side: &[Input]) -> String {
    match side {
        [one] => one.name(),
        several => format!("{} runs", several.len()),
    }
}

fn read<'a>(
    reader: &Reader,
    inputs: impl Iterator<Item = &'a Input>,
) -> Result<Vec<(&'a Input, Reading)>, Trouble> {
    inputs
        .map(|input| match reader.read(input) {
            Ok(reading) => Ok((input, reading)),
            Err(failure) => Err((Some(input.clone()), failure)),
        })
        .collect()
}

fn slices<'a>(readings: &'a [(&Input, Reading)]) -> Result<Vec<Slice<'a>>, Trouble> {
    readings
        .iter()
        .map(|(input, reading)| {
            reading.slice().map_err(|failure| (Some((*input).clone()), failure))
        })
        .collect()
}
