//! What was lost between an input and its profile.

use serde::Serialize;

use super::End;
use crate::base::units::{Nanos, count};

/// What an incident takes from the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    Nothing,
    Bytes(u64),
    Sample,
    Values(usize),
    Statement,
    /// One of the things beyond a limit.
    OverLimit,
}

/// What an input contained, or began, and what is not in the profile: counted by the ledger of
/// incidents.
///
/// A log that merely lacks its end mark ([`Condition::Open`](super::Condition::Open)) has not lost
/// anything that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Losses {
    /// Samples that were begun or ended and are left out.
    pub samples: usize,
    /// Values of single bands that could not be read, or belong to no sample.
    pub values: usize,
    /// Bytes that are not events and were skipped.
    pub bytes: u64,
    /// The number of places where bytes were skipped.
    pub places: usize,
    /// The first few of the places, in order.
    pub gaps: Vec<SkippedBytes>,
    /// Statements of a `.hp` that make no sense, skipped.
    pub statements: usize,
    /// Markers, messages, definitions and heap figures beyond the limits.
    pub over_limits: usize,
    /// How the last sample ends.
    pub last_sample: LastSample,
    /// How the input ends.
    pub end: End,
}

/// A stretch of bytes that was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkippedBytes {
    /// Offset in the input, decompressed.
    pub offset: u64,
    /// How many bytes were skipped.
    pub bytes: u64,
    /// The time of the last event before it, when there is one.
    pub time_ns: Option<Nanos>,
}

/// How the last sample ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LastSample {
    /// With its end, or without having one.
    #[default]
    Complete,
    /// Without its end: it is left out, and counted in [`Losses::samples`].
    Unfinished,
}

/// How many gaps are kept one by one.
const KEPT_GAPS: usize = 16;

impl Losses {
    /// Counts what an incident loses; `byte` is its place, and `time` that of the last event before it.
    pub(super) fn add(&mut self, loss: Loss, byte: Option<u64>, time: Option<Nanos>) {
        match loss {
            Loss::Nothing => {}
            Loss::Bytes(bytes) => self.skip(byte.unwrap_or_default(), bytes, time),
            Loss::Sample => self.samples += 1,
            Loss::Values(values) => self.values += values,
            Loss::Statement => self.statements += 1,
            Loss::OverLimit => self.over_limits += 1,
        }
    }

    /// Records bytes that were skipped at `offset`, and the time of the last event before them.
    fn skip(&mut self, offset: u64, bytes: u64, time_ns: Option<Nanos>) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.places += 1;
        if self.gaps.len() < KEPT_GAPS {
            self.gaps.push(SkippedBytes { offset, bytes, time_ns });
        }
    }

    /// Adds the losses of a later part of the same input.
    pub(super) fn absorb(&mut self, later: Losses) {
        self.samples += later.samples;
        self.values += later.values;
        self.bytes = self.bytes.saturating_add(later.bytes);
        self.places += later.places;
        self.gaps.extend(later.gaps);
        self.gaps.truncate(KEPT_GAPS);
        self.statements += later.statements;
        self.over_limits += later.over_limits;
        self.last_sample = later.last_sample;
        self.end = later.end;
    }

    /// Whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        !self.end.is_loss() && Losses { end: End::Clean, ..self.clone() } == Losses::default()
    }

    /// One line that reports them, `None` without losses: `drew 2031 of 2040 samples; skipped 118
    /// bytes at 3.1 s (damaged events); last sample unfinished`. `drawn` is how many samples the
    /// profile has.
    pub fn summary(&self, drawn: usize) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let mut parts = vec![match self.samples {
            0 => format!("drew {}", count(drawn, "sample")),
            lost => format!("drew {drawn} of {}", count(drawn + lost, "sample")),
        }];
        parts.extend(self.skipped());
        let unfinished = self.last_sample == LastSample::Unfinished;
        parts.extend(unfinished.then(|| "last sample unfinished".to_owned()));
        parts.extend(self.end.words().map(|(_, words)| words));
        Some(parts.join("; "))
    }

    /// Which kinds of things were lost before the end, by a bit for each.
    pub(crate) fn kinds(&self) -> u8 {
        let before =
            self.samples.saturating_sub(usize::from(self.last_sample == LastSample::Unfinished));
        let lost =
            [before, self.places, self.statements, self.values, self.over_limits].map(|n| n > 0);
        lost.iter().fold(0, |kinds, &is_lost| kinds << 1 | u8::from(is_lost))
    }

    /// What was lost before the end of an input that may go on: `left out 1 sample; skipped 3 statements`.
    pub(crate) fn so_far(&self) -> Option<String> {
        let before =
            self.samples.saturating_sub(usize::from(self.last_sample == LastSample::Unfinished));
        let samples = (before > 0).then(|| format!("left out {}", count(before, "sample")));
        let parts: Vec<String> = samples.into_iter().chain(self.skipped()).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// What was skipped or left out, besides samples.
    fn skipped(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if self.bytes > 0 {
            let bytes = count(usize::try_from(self.bytes).unwrap_or(usize::MAX), "byte");
            parts.push(format!("skipped {bytes}{} (damaged events)", self.where_skipped()));
        }
        if self.statements > 0 {
            parts.push(format!("skipped {}", count(self.statements, "statement")));
        }
        if self.values > 0 {
            parts.push(format!("left out {}", count(self.values, "value")));
        }
        if self.over_limits > 0 {
            parts.push(format!("left out {} over the limits", count(self.over_limits, "item")));
        }
        parts
    }

    fn where_skipped(&self) -> String {
        let time = self.gaps.first().and_then(|gap| gap.time_ns);
        match (self.places, time) {
            (0 | 1, None) => String::new(),
            (0 | 1, Some(time)) => format!(" at {time}"),
            (places, None) => format!(" in {places} places"),
            (places, Some(time)) => format!(" in {places} places, first at {time}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_beyond_the_first_are_counted() {
        let mut losses = Losses::default();
        (0..40).for_each(|at| losses.skip(at, 1, None));
        assert_eq!(losses.gaps.len(), KEPT_GAPS);
        losses.end = End::InsideEvent(77);
        assert_eq!(
            losses.summary(1).unwrap(),
            "drew 1 sample; skipped 40 bytes in 40 places (damaged events); the log ends inside an \
             event, at byte 77"
        );
    }
}
