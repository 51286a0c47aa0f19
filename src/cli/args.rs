//! The flags, and what they mean. This is the one place where the command line is documented.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};
use heapviz::input::InputOptions;
use heapviz::profile::Source;
use heapviz::rank::{Direction, RankOptions, SortKey, TraceElements};

use super::target::{self, Format, Job};

/// What the command line asks for.
#[derive(Debug)]
pub struct Command {
    /// One input each, and where its chart goes.
    pub jobs: Vec<Job>,
    /// How to read.
    pub input: InputOptions,
    /// Which bands to draw.
    pub rank: RankOptions,
    /// Whether to tell what was done.
    pub voice: Voice,
}

/// Whether to tell what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// A summary line and warnings.
    Normal,
    /// Errors only.
    Quiet,
}

const EXAMPLES: &str = "\
Examples:
  heapviz prog.eventlog                     draw prog.svg beside the log
  heapviz prog.hp -o heap.svg               from a text profile
  heapviz --bands 8 --trace 0 prog.hp       the 7 biggest bands, all others as OTHER
  heapviz --sort deviation prog.eventlog    the most changeable bands on top
  heapviz prog.eventlog -o heap.json        the numbers behind the chart
  heapviz prog.eventlog -o prog.hp          all bands, for tools that read only .hp
  ssh host cat prog.hp | heapviz - -o -     as a filter

To make a profile, run a program with +RTS -hT -l, or build it with -prof and run it with
+RTS -hy -l (by type), -hc -l (by cost centre), -hd -l (by constructor). GHC before 9.4 also
needs -eventlog when linking. A .hp file is written in any case.

Exit status: 0 all drawn, 1 something could not be drawn, 2 wrong usage.";

/// Draws GHC heap profiles.
///
/// Reads an event log (.eventlog) or a text profile (.hp), chooses and orders the bands as hp2ps
/// does, and draws them as a stacked chart.
#[derive(Debug, Parser)]
#[command(name = "heapviz", version, after_help = EXAMPLES, max_term_width = 100)]
struct Args {
    /// Profiles to draw; `-` is standard input. The format is found by content
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Where the chart goes: a file, `-` for standard output, or a folder. Its ending chooses the
    /// format. Without it the chart goes beside the input: prog.hp to prog.svg
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Output format, when the ending of FILE does not say it [default: svg]
    #[arg(short, long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Read the inputs as .hp, whatever they look like
    #[arg(long, conflicts_with = "eventlog")]
    hp: bool,

    /// Read the inputs as event logs, whatever they look like
    #[arg(long)]
    eventlog: bool,

    /// Leave out the smallest bands as long as together they have less than this share of the
    /// total, in percent (0 to 100)
    #[arg(short, long, value_name = "PERCENT", value_parser = percent,
          default_value_t = RankOptions::default().trace_percent)]
    trace: f64,

    /// Draw at most this many bands; the rest become OTHER. 0 draws all
    #[arg(short = 'm', long, value_name = "N", default_value_t = default_bands())]
    bands: usize,

    /// What the stack is ordered by
    #[arg(long, value_name = "KEY", default_value = "total")]
    sort: Sort,

    /// Turn the order of the stack upside down; OTHER stays at the bottom
    #[arg(long)]
    reverse: bool,

    /// What becomes of the bands that --trace leaves out
    #[arg(long, value_name = "WHAT", default_value = "drop")]
    trace_elements: Trace,

    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sort {
    /// The biggest on top
    Total,
    /// The most changeable on top (hp2ps -d)
    Deviation,
    /// The last in the alphabet on top (hp2ps -i+)
    Name,
    /// The first in the alphabet on top (hp2ps -i-)
    NameDesc,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Trace {
    /// They are not drawn, only counted
    Drop,
    /// They become part of OTHER
    Other,
}

fn default_bands() -> usize {
    RankOptions::default().band_limit.map_or(0, NonZeroUsize::get)
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 100".to_owned()),
    }
}

/// Reads the command line.
///
/// # Errors
/// Usage errors, and the answers to `--help` and `--version`, as clap prints them.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let args = Args::try_parse_from(words)?;
    let jobs = target::jobs(&args.inputs, args.output.as_deref(), args.format)
        .map_err(|usage| Args::command().error(ErrorKind::ValueValidation, usage))?;
    Ok(Command {
        jobs,
        input: args.input_options(),
        rank: args.rank_options(),
        voice: if args.quiet { Voice::Quiet } else { Voice::Normal },
    })
}

impl Args {
    fn input_options(&self) -> InputOptions {
        let format = match (self.hp, self.eventlog) {
            (true, _) => Some(Source::Hp),
            (_, true) => Some(Source::Eventlog),
            _ => None,
        };
        InputOptions { format, ..InputOptions::default() }
    }

    fn rank_options(&self) -> RankOptions {
        RankOptions {
            trace_percent: self.trace,
            band_limit: NonZeroUsize::new(self.bands),
            sort: match self.sort {
                Sort::Total => SortKey::Total,
                Sort::Deviation => SortKey::Deviation,
                Sort::Name => SortKey::Name,
                Sort::NameDesc => SortKey::NameDescending,
            },
            direction: if self.reverse { Direction::Reversed } else { Direction::AsSorted },
            trace_elements: match self.trace_elements {
                Trace::Drop => TraceElements::Drop,
                Trace::Other => TraceElements::Fold,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &[&str]) -> Result<Command, clap::Error> {
        parse(["heapviz"].iter().chain(words).map(OsString::from))
    }

    #[test]
    fn no_flags_mean_the_defaults_of_the_library() {
        let command = parse_words(&["x.hp"]).unwrap();
        assert_eq!(command.rank, RankOptions::default());
        assert_eq!(command.input, InputOptions::default());
        assert_eq!(command.voice, Voice::Normal);
    }

    #[test]
    fn every_flag_reaches_its_option() {
        let command = parse_words(&[
            "-t5%",
            "-m0",
            "--sort",
            "name-desc",
            "--reverse",
            "--trace-elements",
            "other",
            "--hp",
            "-q",
            "x",
        ])
        .unwrap();
        let rank = RankOptions {
            trace_percent: 5.0,
            band_limit: None,
            sort: SortKey::NameDescending,
            direction: Direction::Reversed,
            trace_elements: TraceElements::Fold,
        };
        assert_eq!(command.rank, rank);
        assert_eq!(command.input.format, Some(Source::Hp));
        assert_eq!(command.voice, Voice::Quiet);
    }

    #[test]
    fn thresholds_outside_0_to_100_are_refused() {
        for bad in ["-t101", "-t=-1", "-tnan", "-tx", "-tinf"] {
            assert!(parse_words(&[bad, "x.hp"]).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_definition_of_the_flags_is_sound() {
        Args::command().debug_assert();
    }
}
