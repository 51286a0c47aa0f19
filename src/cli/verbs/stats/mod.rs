//! `heapviz stats`: what leaks, the figures of every band and of the run-time system, as text.

mod found;
mod runtime;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use heapviz::export::json;

use crate::cli::args::measure::Measure;
use crate::cli::args::reading::ReadingArgs;
use crate::cli::args::slice::SliceArgs;
use crate::cli::args::units::UnitArgs;
use crate::cli::args::voice::VoiceArgs;
use crate::cli::failure::Failure;
use crate::cli::output::{self, Delivery};
use crate::cli::read::{Reader, Reading};
use crate::cli::target::{Input, Output};
use crate::cli::verb::{UsageError, Verb};
use found::Found;

const EXAMPLES: &str = "\
Examples:
  heapviz stats prog.eventlog               what grows, since when, and the biggest bands
  heapviz stats --sort growth prog.hp       the bands that grow fastest first
  heapviz stats --phases prog.eventlog      and the run from marker to marker
  heapviz stats --ticky prog.eventlog       how often each closure was entered (-ticky, -lT)
  heapviz stats -f md prog.eventlog         for a pull request
  heapviz stats *.eventlog                  a line each, then each in detail

Exit status: 0 whatever is found, 1 something could not be read, 2 wrong usage. `heapviz check`
fails when something grows.";

/// Says what leaks, since when and how sure, with the figures of the bands
#[derive(Debug, Parser)]
#[command(name = "stats", after_help = EXAMPLES)]
pub struct Stats {
    /// Profiles; `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Where the text goes; its ending chooses the format. Without it, to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Format, when the ending of FILE does not say it [default: txt]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<Format>,

    /// What the bands are ordered by, and which are shown: the first by this
    #[arg(long, value_name = "KEY", default_value = "mean")]
    sort: Measure,

    /// Show at most this many bands; 0 shows all
    #[arg(short = 'm', long, value_name = "N", default_value_t = 10)]
    bands: usize,

    /// Show the run from marker to marker, too
    #[arg(long)]
    phases: bool,

    /// Show the ticky counters, too (a program built with -ticky, run with +RTS -lT)
    #[arg(long)]
    ticky: bool,

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
    /// The document of `heapviz -f json` without the samples; a line for each input
    Json,
    /// A row a band
    Csv,
}

impl Verb for Stats {
    fn run(self) -> Result<ExitCode, UsageError> {
        let format = self.format()?;
        let reader = Reader::new(&self.reading, &self.slice, self.voice.voice()).of_runtime_too();
        let inputs: Vec<Input> = self.inputs.iter().map(|path| Input::of(path)).collect();
        let output = self.output.as_deref().map_or(Output::Stdout, Output::of);
        let mut failed = false;
        let mut fail = |input: Option<&Input>, failure: Failure| {
            failed = true;
            let message = failure.message();
            match input {
                Some(input) => message.about(input).say(),
                None => message.say(),
            }
        };
        if let Err(error) = output::refuse_inputs(&output, &inputs) {
            fail(None, error.into());
            return Ok(ExitCode::from(1));
        }
        let mut readings: Vec<(&Input, Reading)> = Vec::new();
        for input in &inputs {
            match reader.read(input) {
                Ok(reading) => readings.push((input, reading)),
                Err(failure) => fail(Some(input), failure),
            }
        }
        let mut found = Vec::new();
        for (input, reading) in &readings {
            match reading.slice() {
                Ok(slice) => {
                    for message in reading.messages(&slice, input) {
                        reader.voice.say(&message);
                    }
                    found.push(Found::of(input, slice, self.sort, self.bands));
                }
                Err(failure) => fail(Some(input), failure),
            }
        }
        if !found.is_empty() {
            let text = self.written(&found, format);
            match output::write(&output, text.as_bytes()) {
                Ok(Delivery::Taken | Delivery::ReaderGone) => {}
                Err(error) => fail(None, error.into()),
            }
        }
        Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

impl Stats {
    fn format(&self) -> Result<Format, UsageError> {
        let Some(path) = self.output.as_deref().filter(|_| self.format.is_none()) else {
            return Ok(self.format.unwrap_or(Format::Txt));
        };
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        match ending.as_deref() {
            Some("txt") => Ok(Format::Txt),
            Some("md") => Ok(Format::Md),
            Some("json") => Ok(Format::Json),
            Some("csv") => Ok(Format::Csv),
            _ if path.as_os_str() == "-" => Ok(Format::Txt),
            _ => Err(UsageError(format!(
                "cannot tell the format of {} from its ending: use .txt, .md, .json or .csv, or say \
                 it with -f",
                path.display()
            ))),
        }
    }

    fn written(&self, found: &[Found<'_>], format: Format) -> String {
        let options =
            text::Options { units: self.units.units(), phases: self.phases, ticky: self.ticky };
        match format {
            Format::Txt => text::plain(found, &options),
            Format::Md => text::markdown(found, &options),
            Format::Csv => text::csv(found),
            Format::Json => found
                .iter()
                .map(|found| json::write_figures(&found.chart, &found.slice, &found.analysis, &[]))
                .collect(),
        }
    }
}
