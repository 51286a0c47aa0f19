//! The flags that say how an input is read.

use std::num::NonZeroUsize;

use clap::Args;
use heapviz::input::InputOptions;
use heapviz::profile::{RunChoice, Source};

use super::limits::LimitArgs;

/// What becomes of an input of which something is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossPolicy {
    /// The rest is used.
    Use,
    /// It fails.
    Refuse,
}

/// How an input is read.
#[derive(Debug, Args)]
pub struct ReadingArgs {
    /// Read the inputs as .hp, whatever they look like
    #[arg(long, conflicts_with = "eventlog")]
    hp: bool,

    /// Read the inputs as event logs, whatever they look like
    #[arg(long)]
    eventlog: bool,

    /// Which run of an input that holds several, as appended files do: 1 is the first [default: the
    /// last with samples]
    #[arg(long, value_name = "N")]
    run: Option<NonZeroUsize>,

    /// Draw nothing of an input that is not whole, and exit with 1
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

    /// What becomes of an input of which something is lost.
    pub fn losses(&self) -> LossPolicy {
        if self.strict { LossPolicy::Refuse } else { LossPolicy::Use }
    }
}
