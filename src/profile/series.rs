//! Quantities that the run-time system logs beside the profile.

use crate::units::{Bytes, Nanos};

/// One quantity over time, sorted by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    pub(super) points: Vec<(Nanos, Bytes)>,
}

impl Series {
    pub(super) fn push(&mut self, time: Nanos, value: Bytes) {
        self.points.push((time, value));
    }

    /// Blocks of the log overlap in time, so points arrive out of order; equal times keep the
    /// order of the file.
    pub(super) fn sort(&mut self) {
        if !self.points.is_sorted_by_key(|&(time, _)| time) {
            self.points.sort_by_key(|&(time, _)| time);
        }
    }

    /// The points between two times, both included; all from or to where there is none.
    fn between(&self, from: Option<Nanos>, to: Option<Nanos>) -> Series {
        let start = from.map_or(0, |from| self.points.partition_point(|&(time, _)| time < from));
        let end = to.map_or(self.points.len(), |to| self.points.partition_point(|p| p.0 <= to));
        Series { points: self.points[start..end.max(start)].to_vec() }
    }

    /// The points, in order of time.
    pub fn points(&self) -> &[(Nanos, Bytes)] {
        &self.points
    }
}

/// The heap as the run-time system sees it (`docs/format/eventlog.md#heap-figures`); all empty for
/// a `.hp`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeapSeries {
    /// Memory held from the operating system, in megablocks; at each collection.
    pub size: Series,
    /// Live data; at each major collection.
    pub live: Series,
    /// Blocks in use; at each collection, GHC 9.2 and newer.
    pub blocks: Series,
}

impl HeapSeries {
    /// Sorts every series by time.
    pub(super) fn sort(&mut self) {
        [&mut self.size, &mut self.live, &mut self.blocks].into_iter().for_each(Series::sort);
    }

    /// What lies between two times, both included.
    pub fn between(&self, from: Option<Nanos>, to: Option<Nanos>) -> HeapSeries {
        HeapSeries {
            size: self.size.between(from, to),
            live: self.live.between(from, to),
            blocks: self.blocks.between(from, to),
        }
    }
}
