//! When a sample begins and ends, and whether it is complete.
//!
//! Source: `docs/format/eventlog.md#samples`. Samples may straddle blocks; logs of GHC 8.2 to 8.8
//! have no end events, so there a sample ends where the next begins or the log ends properly.

use crate::error::WarningCode;
use crate::profile::{ProfileBuilder, State};
use crate::units::{Nanos, count};

/// What became of the open sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    Nothing,
    Sealed,
    Discarded,
}

/// The open sample of a log, if any.
#[derive(Clone, Debug, Default)]
pub struct SampleMachine {
    open: Option<Nanos>,
    has_end_events: bool,
    /// How many samples were left out because another began: their ends may yet come.
    superseded: usize,
}

impl SampleMachine {
    /// A new log begins, whose header declares sample-end events or not.
    pub fn start_log(&mut self, has_end_events: bool) {
        self.has_end_events = has_end_events;
    }

    /// Whether a sample is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// A sample begins.
    pub fn begin(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        if self.close(!self.has_end_events, profile) == Closed::Discarded {
            self.superseded += 1;
            profile.losses.lose_sample();
        }
        self.open = Some(time);
    }

    /// A band is about to be added at `time`.
    pub fn entry(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        if self.open.is_none() {
            profile.warn(WarningCode::StrayPoints, || {
                format!("bands at {time} without a sample's begin; taken as a sample of that time")
            });
            self.open = Some(time);
        }
    }

    /// The sample ends.
    pub fn end(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        match self.open.take() {
            Some(begun) => profile.seal_sample(begun),
            None => {
                match self.superseded.checked_sub(1) {
                    Some(left) => self.superseded = left,
                    None => profile.losses.lose_sample(),
                }
                profile.warn(WarningCode::UnfinishedSample, || {
                    format!("a sample's end at {time} without its begin")
                });
            }
        }
    }

    /// The log ends.
    pub fn end_log(&mut self, state: State, profile: &mut ProfileBuilder) {
        let closed = self.close(!self.has_end_events && state == State::Whole, profile);
        if closed == Closed::Discarded {
            profile.losses.lose_last_sample();
        }
    }

    fn close(&mut self, complete: bool, profile: &mut ProfileBuilder) -> Closed {
        let Some(time) = self.open.take() else { return Closed::Nothing };
        if complete {
            profile.seal_sample(time);
            Closed::Sealed
        } else {
            let bands = count(profile.open_points(), "band");
            profile.discard_open_sample();
            profile.warn(WarningCode::UnfinishedSample, || {
                format!("the sample at {time} never ends and is left out with its {bands}")
            });
            Closed::Discarded
        }
    }
}
