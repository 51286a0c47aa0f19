//! What the run-time system did in the part of the run that is shown: for the panels under a chart,
//! the lines of `stats` and the JSON.

mod figures;
mod rates;
#[cfg(test)]
pub(crate) mod testing;
mod words;

pub use figures::{
    AllocationFigures, BlockFigures, GcFigures, MemoryFigures, NonMovingFigures, RunTimeFigures,
    TickyFigures,
};
pub use rates::{MutatorClock, Step, WHOLE};
pub use words::sum_of_times;

use crate::base::units::Nanos;
use crate::incident::Condition;
use crate::profile::{Clock, HeapFigure, RunTime, Series};
pub use crate::profile::{Collection, Generation, Interval, SegmentCensus};
use crate::slice::{Extent, Slice};

/// What the run-time system did, and between which times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// The events.
    pub runtime: RunTime,
    /// Bytes ever allocated, after each collection.
    pub allocated: Series,
    /// The clock that stops during collections.
    pub clock: MutatorClock,
    /// Where it begins: with the run, or with the window.
    pub from: Nanos,
    /// Where it ends.
    pub to: Nanos,
    begins_the_run: bool,
}

impl Activity {
    /// What the run-time system did in the slice; empty for a profile without elapsed times.
    pub fn of(slice: &Slice<'_>) -> Activity {
        if slice.clock() != Clock::Elapsed {
            return Activity::default();
        }
        let runtime = slice.runtime().into_owned();
        let all = slice.profile().runtime.collections.all();
        let extent = slice.extent();
        let to = extent.to.or_else(|| end(slice)).unwrap_or_default();
        Activity {
            clock: MutatorClock::of(all),
            from: extent.from.unwrap_or_default(),
            to: to.max(runtime.collections.all().last().map_or(to, |gc| gc.end)),
            begins_the_run: extent.from.is_none(),
            allocated: slice.heap()[HeapFigure::Allocated].clone(),
            runtime,
        }
    }

    /// Whether it contains nothing.
    pub fn is_empty(&self) -> bool {
        self.runtime.is_empty() && self.allocated.points().is_empty()
    }

    /// How long it is.
    pub fn elapsed(&self) -> Nanos {
        self.to.since(self.from)
    }
}

/// When the run ended: the latest known time, within the window. For a damaged input, only the
/// times of samples are trusted.
pub fn end(slice: &Slice<'_>) -> Option<Nanos> {
    let profile = slice.profile();
    if slice.clock() == Clock::Sample {
        return None;
    }
    let last_sample = slice.times().last().copied();
    if profile.condition() == Condition::Damaged {
        return last_sample;
    }
    let Extent { to, .. } = slice.extent();
    let heap = slice.heap();
    let figures = HeapFigure::on_the_heap_axis();
    let figures = figures.filter_map(|figure| Some(heap[figure].points().last()?.0));
    let marker = slice.markers().last().map(|marker| marker.time);
    let collections = profile.runtime.collections.all().iter().map(|gc| gc.end);
    let collections = collections.filter(|end| to.is_none_or(|to| *end <= to));
    last_sample.into_iter().chain(marker).chain(figures).chain(collections).max()
}
