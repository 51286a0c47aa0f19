//! What the run-time system did in the part of the run that is shown: for the panels under a chart,
//! the lines of `stats` and the JSON.

mod end;
mod figures;
mod mutator;
mod steps;
#[cfg(test)]
pub(crate) mod testing;

pub use figures::{
    AllocationFigures, BlockFigures, GcFigures, MemoryFigures, NonMovingFigures, RunTimeFigures,
    TickyFigures,
};
pub use mutator::MutatorClock;
pub use steps::{Step, WHOLE};

use crate::base::units::Nanos;
use crate::profile::{Clock, HeapFigure, RunTime, Series};
pub use crate::profile::{Collection, Generation, Interval, SegmentCensus};
use crate::slice::Slice;
pub use end::end;

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
