//! Heap series: what the run-time system logs about the heap besides the profile, as a table with one
//! row for each figure.
//!
//! To add a figure, add a variant of [`HeapSeriesKind`] with its row in `row`, and a decoder that calls
//! [`ProfileBuilder::heap_point`](super::ProfileBuilder::heap_point). Options, pictures, the page and the JSON
//! take all that they show of a series from its row.

use std::ops::Index;

use crate::base::units::{Bytes, Nanos};

/// What a heap series counts (`docs/format/eventlog.md#heap-figures`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HeapSeriesKind {
    /// Memory held from the operating system, in megablocks; at each collection.
    Size,
    /// Live data; at each major collection.
    Live,
    /// Blocks in use; at each collection, GHC 9.2 and newer.
    Blocks,
    /// The bytes that all capabilities together have ever allocated; at each collection.
    Allocated,
    /// What the process has in memory, without what belongs to files, as the system says; only of a program
    /// that was started here, about ten times a second.
    Resident,
}

/// How the values of a heap series relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeriesKind {
    /// An amount that rises and falls. Each value belongs to one instant.
    Level,
    /// An amount that only grows, counted from the start of the run. Differences are what happened in
    /// between.
    Sum,
}

/// A row of the table of heap series.
pub(crate) struct SeriesRow {
    id: &'static str,
    name: &'static str,
    kind: SeriesKind,
    /// What one value is called where there are too many.
    pub values: &'static str,
    /// The name of its series for engines of metrics, and what it is. Those of the run-time system have the names of
    /// eventlog-live.
    pub served: (&'static str, &'static str),
    pub by_default: bool,
    /// Whether few inputs have it, so that the others do not list it.
    pub is_rare: bool,
    /// The lengths of its dashes and of the gaps between them, and the width of its line, in pixels.
    pub line: ((f64, f64), f64),
}

impl HeapSeriesKind {
    /// All figures, in the order in which outputs list them.
    pub const ALL: &'static [HeapSeriesKind] = &[
        HeapSeriesKind::Size,
        HeapSeriesKind::Live,
        HeapSeriesKind::Blocks,
        HeapSeriesKind::Allocated,
        HeapSeriesKind::Resident,
    ];

    pub(crate) const fn row(self) -> SeriesRow {
        use SeriesKind::{Level, Sum};
        match self {
            HeapSeriesKind::Size => SeriesRow {
                id: "size",
                name: "heap size",
                kind: Level,
                values: "heap sizes",
                served: ("ghc_eventlog_HeapSize_bytes", "Memory held from the operating system."),
                by_default: true,
                is_rare: false,
                line: ((10.0, 3.0), 1.2),
            },
            HeapSeriesKind::Live => SeriesRow {
                id: "live",
                name: "live bytes",
                kind: Level,
                values: "figures of live data",
                served: (
                    "ghc_eventlog_HeapLive_bytes",
                    "Live data after the last major collection.",
                ),
                by_default: true,
                is_rare: false,
                line: ((1.5, 2.5), 1.6),
            },
            HeapSeriesKind::Blocks => SeriesRow {
                id: "blocks",
                name: "blocks size",
                kind: Level,
                values: "figures of blocks in use",
                served: ("ghc_eventlog_BlocksSize_bytes", "Blocks in use."),
                // They are between the other two, and jump with every collection.
                by_default: false,
                is_rare: false,
                line: ((4.0, 3.0), 1.2),
            },
            HeapSeriesKind::Allocated => SeriesRow {
                id: "allocated",
                name: "bytes allocated",
                kind: Sum,
                values: "figures of allocation",
                served: (
                    "ghc_eventlog_HeapAllocated_bytes_total",
                    "Bytes that the program has allocated.",
                ),
                by_default: false,
                is_rare: false,
                line: ((10.0, 10.0), 1.2),
            },
            HeapSeriesKind::Resident => SeriesRow {
                id: "resident",
                name: "resident memory",
                kind: Level,
                values: "figures of resident memory",
                served: (
                    "heapviz_resident_bytes",
                    "What the process has in memory, if it was started here.",
                ),
                // Much of it is not of the heap.
                by_default: false,
                // Only a program that was started here has it.
                is_rare: true,
                line: ((6.0, 2.0), 1.6),
            },
        }
    }

    /// The name of the series in options, ids and fields of outputs: one word in ASCII.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// The name of the series for readers.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// How its values relate to each other.
    pub(crate) const fn kind(self) -> SeriesKind {
        self.row().kind
    }

    /// Whether it has a meaning on the axis of the bands: a level. All figures are in bytes.
    pub(crate) const fn is_of_the_heap_axis(self) -> bool {
        match self.kind() {
            SeriesKind::Level => true,
            SeriesKind::Sum => false,
        }
    }

    /// The figures that have a meaning on the axis of the bands.
    pub(crate) fn on_the_heap_axis() -> impl Iterator<Item = HeapSeriesKind> {
        Self::ALL.iter().copied().filter(|figure| figure.is_of_the_heap_axis())
    }
}

/// One figure over time, sorted by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Series {
    /// The points, in order of time.
    pub points: Vec<(Nanos, Bytes)>,
}

impl Series {
    /// Blocks of the log overlap in time, so points arrive out of order; equal times keep the
    /// order of the file.
    pub(super) fn sort(&mut self) {
        if !self.points.is_sorted_by_key(|&(time, _)| time) {
            self.points.sort_by_key(|&(time, _)| time);
        }
    }

    /// The highest value, and when it was first reached.
    pub fn peak(&self) -> Option<(Nanos, Bytes)> {
        let highest = self.points.iter().map(|&(_, bytes)| bytes).max()?;
        self.points.iter().copied().find(|&(_, bytes)| bytes == highest)
    }
}

/// The heap as the run-time system sees it: a series for each [`HeapSeriesKind`], all empty for a `.hp`.
///
/// `heap[HeapSeriesKind::Live]` is one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeapSeries {
    /// By the number of the figure.
    series: [Series; HeapSeriesKind::ALL.len()],
}

impl Index<HeapSeriesKind> for HeapSeries {
    type Output = Series;

    fn index(&self, figure: HeapSeriesKind) -> &Series {
        &self.series[figure as usize]
    }
}

impl HeapSeries {
    /// Every figure with its series.
    pub fn iter(&self) -> impl Iterator<Item = (HeapSeriesKind, &Series)> {
        HeapSeriesKind::ALL.iter().map(|&figure| (figure, &self[figure]))
    }

    /// All series with only the points whose times are wanted.
    pub fn within(&self, admits: impl Fn(Nanos) -> bool) -> HeapSeries {
        let mut within = self.clone();
        within.each(|series| series.points.retain(|&(time, _)| admits(time)));
        within
    }

    pub(super) fn of_mut(&mut self, figure: HeapSeriesKind) -> &mut Series {
        &mut self.series[figure as usize]
    }

    /// Changes every series in the same way.
    pub(super) fn each(&mut self, change: impl FnMut(&mut Series)) {
        self.series.iter_mut().for_each(change);
    }

    /// Appends the points of a later log of the same run.
    pub(super) fn absorb(&mut self, later: HeapSeries) {
        for (ours, theirs) in self.series.iter_mut().zip(later.series) {
            ours.points.extend(theirs.points);
        }
    }
}
