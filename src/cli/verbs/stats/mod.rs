//! `heapviz stats`: what leaks, the figures of every band and of the run-time system, as text.

mod found;
mod runtime;
mod text;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use heapviz::export::json;

use crate::cli::args::figures::FigureArgs;
use crate::cli::args::measure::Measure;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::read::slices;
use crate::cli::target::{self, Input, Target, TextFormat};
use crate::cli::verb::{UsageError, Verb};
use found::Found;

const EXAMPLES: &str = "\
Examples:
  heapviz stats prog.eventlog               what grows, since when, and the biggest bands
  heapviz stats --sort growth prog.hp       the bands that grow fastest first
  heapviz stats --phases prog.eventlog      and the run from marker to marker
  heapviz stats --ticky prog.eventlog       how often each closure was entered (-ticky, -lT)
  heapviz stats -f md prog.eventlog         for a pull request
  heapviz stats *.eventlog                  a line for each, then each in detail

Exit status: see `heapviz --help`. What is found does not change it; to fail when something grows,
use `heapviz check`.";

/// Reports what leaks, since when, and how certain that is, with figures for the bands
#[derive(Debug, Parser)]
#[command(after_help = EXAMPLES)]
pub struct Stats {
    /// Profiles; `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Format, if the extension of FILE does not determine it [default: txt]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<Format>,

    /// How to order the bands; the first ones are shown
    #[arg(long, value_name = "KEY", default_value = "mean")]
    sort: Measure,

    /// Show at most this many bands; 0 shows all
    #[arg(short = 'm', long, value_name = "N", default_value_t = 10)]
    bands: usize,

    /// Also show the run from marker to marker
    #[arg(long)]
    phases: bool,

    /// Show the ticky counters, too (a program built with -ticky, run with +RTS -lT)
    #[arg(long)]
    ticky: bool,

    #[command(flatten)]
    figures: FigureArgs,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Txt,
    /// Markdown, for pull requests
    Md,
    /// The document of `heapviz -f json` without the samples; one line for each input
    Json,
    /// One row for each band
    Csv,
}

impl TextFormat for Format {}

impl Verb for Stats {
    fn run(self) -> Result<ExitCode, UsageError> {
        let targets = self.figures.targets(self.format, Format::Txt)?;
        let inputs: Vec<Input> = self.inputs.iter().map(|path| Input::of(path)).collect();
        Ok(self.written(&inputs, &targets).unwrap_or_else(|failure| {
            failure.message().say();
            ExitCode::from(1)
        }))
    }
}

impl Stats {
    fn written(&self, inputs: &[Input], targets: &[Target<Format>]) -> Result<ExitCode, Failure> {
        for target in targets {
            output::refuse_inputs(&target.output, inputs)?;
        }
        let reader = self.figures.reader().of_runtime_too();
        let reports = target::reports(&self.inputs);
        let first = |i: &usize| reports.iter().all(|(_, report)| report != i);
        let places: Vec<usize> = (0..inputs.len()).filter(first).collect();
        let mut readings = reader.read_all(places.iter().map(|&i| &inputs[i]));
        for &(profile, report) in &reports {
            let of = readings.iter_mut().find(|(input, _)| **input == inputs[profile]);
            if let Some((_, reading)) = of {
                reader.voice.say(&reader.add_report(reading, &inputs[report]));
            }
        }
        let slices = slices(&readings, reader.voice);
        let found: Vec<Found<'_>> = slices
            .into_iter()
            .map(|(input, _, slice)| Found::of(input, slice, self.sort, self.bands))
            .collect();
        if !found.is_empty() {
            for target in targets {
                output::write_with(&target.output, |out| self.write(&found, target.format, out))?;
            }
        }
        let all = found.len() == places.len();
        Ok(if all { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    fn write(
        &self,
        found: &[Found<'_>],
        format: Format,
        mut out: &mut dyn Write,
    ) -> io::Result<()> {
        let options =
            text::Options { units: self.figures.units(), phases: self.phases, ticky: self.ticky };
        let text = match format {
            Format::Txt => text::plain(found, &options),
            Format::Md => text::markdown(found, &options),
            Format::Csv => text::csv(found),
            Format::Json => {
                return found.iter().try_for_each(|Found { chart, slice, analysis, .. }| {
                    json::write_figures_to(chart, slice, analysis, &mut out)
                });
            }
        };
        out.write_all(text.as_bytes())
    }
}
