//! Decides when a sample begins and ends, and whether it is complete.
//!
//! Source: `docs/format/eventlog.md#samples`. Samples may straddle blocks; logs of GHC 8.2 to 8.8
//! have no end events, so there a sample ends where the next begins or the log ends properly.
//!
//! The time profile is read here, too: ticks (types 167 and 168) have a stack of every capability, coded as in
//! samples: innermost first, without MAIN, so depth 0 is MAIN.

use super::framing::Event;
use crate::base::units::{Nanos, count};
use crate::decode::cursor::Cursor;
use crate::incident::error::Error;
use crate::incident::{Incident, Loss, WarningCode};
use crate::profile::ProfileBuilder;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEnd {
    Complete,
    Early,
}

/// The open sample of a log, if any.
#[derive(Clone, Debug, Default)]
pub struct SampleMachine {
    open: Option<Open>,
    has_end_events: bool,
    /// How many samples were left out because another began: their ends may still follow.
    superseded: usize,
}

/// A sample that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    time: Nanos,
    completeness: Completeness,
}

/// Whether a sample is complete, as far as it has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completeness {
    Complete,
    /// Bytes within it were lost, and bands with them.
    Damaged,
    /// The begin is missing, and bands may be; that is recorded already.
    Headless,
}

impl SampleMachine {
    /// Begins a new log. `has_end_events`: whether its header declares sample-end events.
    pub fn start_log(&mut self, has_end_events: bool) {
        self.has_end_events = has_end_events;
    }

    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Records that bytes are lost here: the open sample is incomplete, and its last band may have
    /// had a wrong length.
    pub fn damage(&mut self) {
        if let Some(Open { completeness: completeness @ Completeness::Complete, .. }) =
            &mut self.open
        {
            *completeness = Completeness::Damaged;
        }
    }

    pub fn begin(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        let Some(before) = self.open.replace(Open { time, completeness: Completeness::Complete })
        else {
            return;
        };
        if !self.has_end_events {
            return close(before, profile);
        }
        self.superseded += 1;
        let points = profile.open_points();
        profile.discard_open_sample();
        if before.completeness != Completeness::Headless {
            let incident = Incident::new(WarningCode::UnfinishedSample).loses(Loss::Sample);
            profile.incidents.note(incident.when(before.time), || {
                let (time, bands) = (before.time, count(points, "band"));
                format!("the sample at {time} never ends and is left out with its {bands}")
            });
        }
    }

    /// Prepares for a band that is about to be added at `time`.
    pub fn entry(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        if self.open.is_none() {
            let incident = Incident::new(WarningCode::StrayPoints).loses(Loss::Sample);
            profile.incidents.note(incident.when(time), || {
                format!(
                    "bands at {time} without the beginning of their sample; left out, because others \
                     may be missing"
                )
            });
            self.open = Some(Open { time, completeness: Completeness::Headless });
        }
    }

    pub fn end(&mut self, time: Nanos, profile: &mut ProfileBuilder) {
        match self.open.take() {
            Some(open) => close(open, profile),
            None => {
                // The end of a sample that is already counted as lost loses nothing more.
                let is_late = self.superseded > 0;
                self.superseded -= usize::from(is_late);
                let loss = if is_late { Loss::Nothing } else { Loss::Sample };
                let incident = Incident::new(WarningCode::UnfinishedSample).loses(loss);
                profile.incidents.note(incident.when(time), || {
                    format!("the end of a sample at {time} without its beginning")
                });
            }
        }
    }

    pub fn end_log(&mut self, end: LogEnd, profile: &mut ProfileBuilder) {
        let Some(open) = self.open.take() else { return };
        if !self.has_end_events && end == LogEnd::Complete {
            return close(open, profile);
        }
        let points = profile.open_points();
        profile.discard_open_sample();
        if open.completeness != Completeness::Headless {
            profile.incidents.unfinished_sample(open.time, points);
        }
    }
}

/// Ends a sample, which is kept or left out completely: without some of its bands it would look
/// like a fall.
fn close(open: Open, profile: &mut ProfileBuilder) {
    if open.completeness == Completeness::Complete {
        return profile.seal_sample(open.time);
    }
    let points = profile.open_points();
    profile.discard_open_sample();
    if open.completeness == Completeness::Damaged {
        let incident = Incident::damaged_sample(WarningCode::DamagedSample, open.time);
        profile.incidents.note(incident, || {
            let (time, bands) = (open.time, count(points, "band"));
            format!("the sample at {time} is damaged and left out with its {bands}")
        });
    }
}

/// The length of a tick; `None` when the payload is too short.
pub fn begin_ticks(mut cursor: Cursor<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    profile.calls.tick = Some(Nanos::from_unsigned_nanos(cursor.u64()?));
    Some(())
}

/// A tick of one capability; `stack` is kept to save an allocation for each event. Returns `None`
/// if the payload is too short.
///
/// # Errors
/// [`Error::OverLimit`].
pub fn tick(
    event: &Event<'_>,
    stack: &mut Vec<u32>,
    profile: &mut ProfileBuilder,
) -> Result<Option<()>, Error> {
    let mut cursor = Cursor::new(event.payload);
    let (Some(capability), Some(_tick), Some(depth)) = (cursor.u32(), cursor.u64(), cursor.u8())
    else {
        return Ok(None);
    };
    if ids(event, cursor, depth, stack, profile).is_none() {
        return Ok(Some(()));
    }
    profile.tick(Nanos::from_unsigned_nanos(event.time), capability, stack)?;
    Ok(Some(()))
}

/// Reads the ids of a stack of this depth; `None` if it is longer than the event that has it.
pub fn ids(
    event: &Event<'_>,
    mut cursor: Cursor<'_>,
    depth: u8,
    stack: &mut Vec<u32>,
    profile: &mut ProfileBuilder,
) -> Option<()> {
    let Some(ids) = cursor.take(4 * usize::from(depth)) else {
        note_deep_stack(event, depth, cursor.rest().len() / 4, profile);
        return None;
    };
    stack.clear();
    let (ids, _) = ids.as_chunks::<4>();
    stack.extend(ids.iter().map(|id| u32::from_be_bytes(*id)));
    Some(())
}

#[cold]
fn note_deep_stack(event: &Event<'_>, depth: u8, held: usize, profile: &mut ProfileBuilder) {
    let incident = event.incident(WarningCode::OddEvent).loses(Loss::Values(1));
    profile.incidents.note(incident, || {
        format!("a stack of {depth} cost centres in an event with room for {held}; it is left out")
    });
}
