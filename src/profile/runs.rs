//! The runs of one input.
//!
//! One stream can hold several logs: files that were appended, and the connections to a program
//! that serves its event log, each of which begins with its own header. A log of the same process
//! that continues where the one before it stopped belongs to the same run; every other log begins a
//! new run. Samples of two runs are never put on one axis: a profile is one run, the last unless
//! another is chosen, and it records how many runs there are.

use std::num::NonZeroUsize;

use serde::Serialize;

use crate::base::units::Nanos;

/// Which run of an input is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunChoice {
    /// The last one that has samples; without any, the last.
    #[default]
    Last,
    /// The run with this number, from 1.
    Number(NonZeroUsize),
}

/// Which of the runs in an input a profile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RunPlace {
    /// The number of the run, from 1.
    pub number: usize,
    pub of: usize,
}

impl RunPlace {
    /// The place of the only run of an input.
    pub const ONLY: RunPlace = RunPlace { number: 1, of: 1 };
}

/// What distinguishes one execution of a program from another
/// (`docs/format/eventlog.md#the-clock`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Process {
    /// The number that the operating system gave it.
    pub id: Option<u32>,
    /// The wall-clock time at time zero of the log, in nanoseconds since 1970.
    pub epoch_ns: Option<i128>,
    /// The time at which the log states it: a log that continues a run states it late.
    pub dated: Option<Nanos>,
}

/// How two consecutive logs belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Succession {
    /// There is no log before it.
    First,
    /// The second continues the run of the first.
    SameRun,
    /// The second belongs to another run.
    NewRun,
    /// The second does not show it yet.
    Unknown,
}

/// A run, or a log that may become one.
#[derive(Clone, Debug)]
pub(super) struct EndedRun<Log> {
    pub(super) number: usize,
    pub(super) log: Box<Log>,
}

/// The logs of an input before the current one. Only what may still be drawn is kept.
#[derive(Clone, Debug)]
pub(super) struct EarlierRuns<Log> {
    pub(super) choice: RunChoice,
    /// How many runs cannot be continued any more.
    pub(super) over: usize,
    /// The one of these that may be drawn.
    pub(super) kept: Option<EndedRun<Log>>,
    /// The run that the current log may continue.
    pub(super) previous: Option<EndedRun<Log>>,
}

impl<Log> Default for EarlierRuns<Log> {
    fn default() -> Self {
        EarlierRuns { choice: RunChoice::default(), over: 0, kept: None, previous: None }
    }
}

impl<Log> EarlierRuns<Log> {
    pub(super) fn previous(&self) -> Option<&Log> {
        self.previous.as_ref().map(|ended| &*ended.log)
    }

    /// Records that the previous run cannot be continued any more.
    pub(super) fn retire(&mut self, has_samples: impl Fn(&Log) -> bool) {
        let Some(run) = self.previous.take() else { return };
        self.over += 1;
        let wanted = match self.choice {
            RunChoice::Last => has_samples(&run.log) || self.kept.is_none(),
            RunChoice::Number(number) => run.number == number.get(),
        };
        if wanted {
            self.kept = Some(run);
        }
    }
}
