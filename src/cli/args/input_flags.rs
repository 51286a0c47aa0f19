//! The flags about inputs: how they are read, and which part of them is shown.

use std::num::NonZeroUsize;

use clap::Args;

use crate::input::InputOptions;
use crate::profile::{KeptSamples, Limits, RunChoice, Source};
use crate::slice::{Grouping, Privacy, Selection, SliceOptions, Window};

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct ReadingArgs {
    /// Read the inputs as .hp files, whatever their content looks like
    #[arg(long, conflicts_with = "eventlog", hide_short_help = true)]
    hp: bool,

    /// Read the inputs as event logs, whatever their content looks like
    #[arg(long, hide_short_help = true)]
    eventlog: bool,

    #[command(flatten)]
    kept: KeptArgs,

    /// Which run to read when a file holds several (appended logs do); 1 is the first [default: the
    /// last with samples]
    #[arg(long, value_name = "N", hide_short_help = true)]
    run: Option<NonZeroUsize>,

    /// Refuse an input that is damaged or incomplete, and exit with 1
    #[arg(long, hide_short_help = true)]
    pub strict: bool,
}

/// How much of an input is kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct KeptArgs {
    /// Keep the samples of an event log that are otherwise left out as impossible
    #[arg(long, hide_short_help = true)]
    all_samples: bool,

    /// Keep all of an input, however much memory it takes; real profiles stay far below the limits
    /// (docs/reference.md)
    #[arg(long, hide_short_help = true)]
    pub no_limits: bool,
}

pub const LIMIT_HINT: &str = "if it is a real profile, --no-limits keeps all of it";

impl KeptArgs {
    pub fn limits(&self) -> Limits {
        let mut limits = if self.no_limits { Limits::none() } else { Limits::default() };
        if self.all_samples {
            limits.samples = KeptSamples::All;
        }
        limits
    }
}

impl ReadingArgs {
    pub fn options(&self) -> InputOptions {
        let eventlog = self.eventlog.then_some(Source::Eventlog);
        InputOptions {
            format: self.hp.then_some(Source::Hp).or(eventlog),
            run: self.run.map_or(RunChoice::Last, RunChoice::Number),
            limits: self.kept.limits(),
        }
    }
}

/// What is shown of a profile: a part of the run, some of its bands, and how much of its origin.
#[derive(Debug, Args)]
#[command(next_help_heading = "Part")]
pub struct SliceArgs {
    #[command(flatten)]
    window: Window,

    /// Make the result fit to be shown to strangers
    ///
    /// Leaves out the command line, the date, folders outside the project, hosts and e-mail addresses.
    #[arg(long)]
    redact: bool,

    #[command(flatten)]
    selection: Selection,

    /// Combine bands by package, module, cost-centre, type or retainers; none keeps the bands of the file
    /// [default: retainers for -hr, else none]
    #[arg(long, value_name = "HOW", hide_short_help = true)]
    group: Option<Grouping>,
}

impl SliceArgs {
    pub fn options(&self) -> SliceOptions {
        SliceOptions {
            window: self.window.clone(),
            selection: self.selection.clone(),
            grouping: self.group.unwrap_or_default(),
            privacy: self.privacy(),
        }
    }

    pub fn privacy(&self) -> Privacy {
        if self.redact { Privacy::Redact } else { Privacy::Show }
    }
}
