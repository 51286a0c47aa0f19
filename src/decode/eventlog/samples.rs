//! When a sample begins and ends, and whether it is complete.
//!
//! Source: `docs/format/eventlog.md#samples`. Samples may straddle blocks; logs of GHC 8.2 to 8.8
//! have no end events, so there a sample ends where the next begins or the log ends properly.

use crate::incident::{Incident, What};
use crate::profile::ProfileBuilder;
use crate::units::Nanos;

/// How a log ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnd {
    /// With everything that was written.
    Complete,
    /// Where something may be missing.
    Early,
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
        if let Some(begun) = self.open.replace(time) {
            if self.has_end_events {
                self.superseded += 1;
                let what = What::UnendedSample { points: profile.open_points() };
                profile.discard_open_sample();
                profile.incidents.note(Incident::new(what).when(begun));
            } else {
                profile.seal_sample(begun);
            }
        }
    }

    /// A band is about to be added at `time`.
    pub fn entry(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        if self.open.is_none() {
            profile.incidents.note(Incident::new(What::StrayPoints).when(time));
            self.open = Some(time);
        }
    }

    /// The sample ends.
    pub fn end(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        match self.open.take() {
            Some(begun) => profile.seal_sample(begun),
            None => {
                let what = match self.superseded.checked_sub(1) {
                    Some(left) => {
                        self.superseded = left;
                        What::LateEnd
                    }
                    None => What::EndWithoutBegin,
                };
                profile.incidents.note(Incident::new(what).when(time));
            }
        }
    }

    /// The log ends.
    pub fn end_log(&mut self, end: LogEnd, profile: &mut ProfileBuilder) {
        let Some(begun) = self.open.take() else { return };
        if !self.has_end_events && end == LogEnd::Complete {
            return profile.seal_sample(begun);
        }
        let points = profile.open_points();
        profile.discard_open_sample();
        profile.incidents.unfinished_sample(begun, points);
    }
}
