//! The flags that say how an input is read.

use std::num::NonZeroUsize;

use clap::Args;
use heapviz::input::InputOptions;
use heapviz::profile::{RunChoice, Source};

use super::limits::LimitArgs;

/// What to do with an input that is damaged or incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossPolicy {
    /// Use the rest of it.
    Use,
    /// Fail.
    Refuse,
}

/// How an input is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct ReadingArgs {
    /// Read the inputs as .hp files, without looking at their content
    #[arg(long, conflicts_with = "eventlog")]
    hp: bool,

    /// Read the inputs as event logs, without looking at their content
    #[arg(long)]
    eventlog: bool,

    /// Which run to read when a file holds several (appended logs do); 1 is the first [default: the
    /// last with samples]
    #[arg(long, value_name = "N")]
    run: Option<NonZeroUsize>,

    /// Refuse an input that is damaged or incomplete, and exit with 1
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    limits: LimitArgs,
}

impl ReadingArgs {
    /// The options of reading.
    pub fn options(&self) -> InputOptions {
        let format = match (self.hp, self.eventlog) {
            (true, _) => Some(Source::Hp),
            (_, true) => Some(Source::Eventlog),
            _ => None,
        };
        let run = self.run.map_or(RunChoice::Last, RunChoice::Number);
        InputOptions::default().with_format(format).with_run(run).with_limits(self.limits.limits())
    }

    /// What to do with an input that is damaged or incomplete.
    pub fn losses(&self) -> LossPolicy {
        if self.strict { LossPolicy::Refuse } else { LossPolicy::Use }
    }
}
