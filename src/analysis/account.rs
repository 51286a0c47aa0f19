//! The account of a heap as data: what rose in it, how that ended, and what it comes to.

use serde::Serialize;

use super::Kind;
use super::movements::{self, Moved, Movement};
use super::remarks::Remark;
use super::rise::{Ends, Rise};
use crate::base::units::Nanos;
use crate::profile::{Breakdown, Clock};
use crate::slice::{RowId, RunEnd, Slice};

/// How certain the verdict is, in words: it is not a calibrated probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leak {
    /// Too few samples to say anything, or the heap climbs at the end for too short a time.
    #[default]
    Unknown,
    /// Nothing that the program holds at the end grows up to it.
    None,
    /// Something grows, for too short a time, too little or too unevenly to be sure.
    Possible,
    /// Something grows steadily, for long, and by much.
    Likely,
}

/// What a heap did over the run, from the least to the most alarming.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// It is level at the end.
    Level,
    /// It built up memory, and freed some of it.
    BuiltUp,
    /// It grew until the program ended, which freed it.
    GrewToExit,
    /// It grows to the last sample.
    Grows,
}

/// What a heap did, as the first of these that holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Headline {
    /// Too few samples.
    TooFew,
    /// The samples are those of two processes.
    TwoProcesses,
    /// The suspects grow to the end.
    Leak,
    /// A suspect grows to the end, but is a small part of the heap's gain.
    GrowsSlowly,
    /// Nothing else happened than that excused bands grew.
    Excused,
    /// The greatest rise of the heap.
    Rose {
        /// The rise, and the bands that made it.
        rise: Movement,
        /// How it ended.
        ends: Ends,
        /// The number of bytes of it that are left in the last sample.
        left: u64,
        /// The lowest and the highest heap after it and before the exit, in bytes.
        range: (u64, u64),
        /// A greater rise that ended before it began.
        earlier: Option<Movement>,
    },
    /// A band grows as much as others fall.
    Moved {
        /// The bands that gained and lost most.
        bands: Vec<Moved>,
    },
    /// The heap rose and was freed again, several times.
    Rounds {
        /// How often.
        times: usize,
        /// From the lowest to the highest that it rose to, and the bands that made it.
        rise: Movement,
        /// The number of bytes that it has at the end above the last low.
        left: u64,
    },
    /// The heap falls over the run.
    Fell {
        /// The number of bytes that it fell from.
        from: u64,
        /// And to, before the exit.
        to: u64,
    },
    /// The heap stays between two values before the exit.
    Level {
        /// The lower one, in bytes.
        low: u64,
        /// The higher one.
        high: u64,
    },
}

/// The account of a heap: what rose in it, how that ended, what it did over the run, and whether something leaks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The answer.
    pub leak: Leak,
    /// What the heap did over the run; `None` if there are too few samples to say.
    pub shape: Option<Shape>,
    /// What the heap did, as one fact.
    #[serde(skip)]
    pub headline: Headline,
    /// What grows to the end of the run, most bytes first; without a leak there can be some that grow slowly.
    pub suspects: Vec<Rise>,
    /// How many bands grow, including those that are too small to be named among the suspects.
    pub growing: usize,
    /// These bands and the number of bytes that each grew by, most first.
    #[serde(skip)]
    pub(crate) growers: Vec<(RowId, u64)>,
    /// The number of bytes that all growing bands grew by together.
    pub grew: u64,
    /// How fast: bytes a second of the profile's clock, or a sample where samples have no times.
    #[serde(rename = "rate_bytes_per_s")]
    pub rate: f64,
    /// How fast in running time without collections, in bytes a second, if the log has collections.
    #[serde(rename = "rate_bytes_per_mutator_s")]
    pub running_rate: Option<f64>,
    /// The share of what was allocated meanwhile that stayed, in percent, if the log counts
    /// allocation. It does not depend on the machine.
    pub kept_percent: Option<f64>,
    /// The number of bytes that all bands together grew by since the growth began; below zero if they
    /// fell.
    pub heap_grew: i64,
    /// The number of bytes that the bands lost that fell meanwhile.
    pub others_fell: u64,
    /// The number of bytes of the heap's greatest rise, wherever it was and however it ended.
    pub greatest_rise: u64,
    /// The greatest rise of each band, largest first, without those below a fiftieth of the largest.
    pub rises: Vec<Rise>,
    /// The rises of bands that may grow: those that the user accepts, and compact regions. Nothing else is judged
    /// with them.
    pub excused: Vec<Rise>,
    /// Growth that no band contains.
    pub outside: Vec<Rise>,
    /// What the heap did, in the order of time.
    pub movements: Vec<Movement>,
    /// What a reader must know to understand the verdict.
    pub remarks: Vec<Remark>,
    /// Whether the steps of the judgement count what the program allocated, or else are samples.
    pub by_allocation: bool,
    /// How long the run was observed; `None` where samples have no times.
    #[serde(rename = "observed_ns")]
    pub observed: Option<Nanos>,
    /// How many samples were judged.
    pub samples: usize,
    /// The time of the last sample; `None` where samples have no times.
    #[serde(skip)]
    pub until: Option<Nanos>,
    /// What the times count.
    #[serde(skip)]
    pub clock: Clock,
    /// What a band stands for.
    #[serde(skip)]
    pub breakdown: Breakdown,
    /// Whether the program was built for profiling.
    #[serde(skip)]
    pub profiled: bool,
    /// What comes after the last sample: for a running program, no leak is ever graded as likely.
    #[serde(skip)]
    pub(crate) end: RunEnd,
}

/// A verdict as data, with the headline as its sentence, in binary units.
#[derive(Debug, Serialize)]
pub struct VerdictData<'a> {
    headline: String,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

impl Verdict {
    pub(crate) fn data(&self) -> VerdictData<'_> {
        VerdictData { headline: self.headline().to_string(), verdict: self }
    }

    /// The rows that gained bytes in the rise that the headline tells, or else while the suspects grew, or else in the
    /// whole run: each with its share of the gain in percent, the largest first.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only a hunt asks it"))]
    pub(crate) fn gained(&self, slice: &Slice<'_>) -> Vec<(RowId, f64)> {
        let suspects = || self.suspects.iter();
        let (since, until) = match &self.headline {
            Headline::Rose { rise, .. } => (Some(rise.from_sample), Some(rise.to_sample)),
            _ => (
                suspects().map(|one| one.since_sample).min(),
                suspects().map(|one| one.until_sample).max(),
            ),
        };
        let first = slice.number(0);
        let from = since.map_or(0, |number| number - first);
        let to = until.map_or(slice.len(), |number| number - first + 1).saturating_sub(1);
        let mut gained = movements::changes(slice, from.min(to), to);
        gained.retain(|(_, change)| *change > 0);
        gained.sort_by_key(|&(row, change)| (std::cmp::Reverse(change), row));
        let all: i128 = gained.iter().map(|(_, change)| i128::from(*change)).sum();
        let share = |change: i64| 100.0 * change as f64 / all.max(1) as f64;
        gained.into_iter().map(|(row, change)| (row, share(change))).collect()
    }

    /// The rise of the process's memory beyond GHC's heap, if it was read and grows.
    pub(crate) fn off_heap(&self) -> Option<&Rise> {
        self.outside.iter().find(|rise| rise.kind == Some(Kind::OffHeap))
    }

    /// The rise of memory that the run-time system holds beyond what live data explain.
    pub(crate) fn held(&self) -> Option<&Rise> {
        self.outside.iter().find(|rise| rise.kind == Some(Kind::Held))
    }
}
