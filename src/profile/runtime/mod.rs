//! What the run-time system reports besides the profile: collections, memory given back, the
//! non-moving collector, ticky counters.
//!
//! Every table is filled through the [`ProfileBuilder`](super::ProfileBuilder) in the order of the
//! log, and sorted by time at the end; all are empty for a `.hp`, and for a log without the events.

mod collections;
mod collector;
mod nonmoving;
mod threads;
mod ticky;

pub use collections::{Collection, Collections, Generation, MemoryReturn};
pub use nonmoving::{BlockCensus, CollectorPhase, NonMoving, SegmentCensus, blocks_in_segment};
pub use threads::Threads;
pub use ticky::{Ticky, TickyBatch, TickyCounter, TickyCounts};

use crate::base::units::Nanos;

#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunTime {
    /// Garbage collections and the memory around them.
    pub collections: Collections,
    pub nonmoving: NonMoving,
    pub ticky: Ticky,
    pub threads: Threads,
}

impl RunTime {
    /// What happened within a window; of events that last, those that begin in it.
    pub fn within(&self, admits: impl Fn(Nanos) -> bool) -> RunTime {
        let mut within = self.clone();
        within.collections.all.retain(|gc| admits(gc.start));
        within.collections.returns.retain(|given| admits(given.time));
        let nonmoving = &mut within.nonmoving;
        nonmoving.marks.retain(|mark| admits(mark.start));
        nonmoving.syncs.retain(|sync| admits(sync.start));
        nonmoving.sweeps.retain(|sweep| admits(sweep.start));
        nonmoving.censuses.retain(|census| admits(census.time));
        within.ticky.batches.retain(|batch| admits(batch.time));
        within
    }

    /// Adds the contents of a later log of the same run.
    pub(super) fn absorb(&mut self, later: RunTime) {
        let RunTime { collections, nonmoving, ticky, threads: _ } = later;
        self.collections.all.extend(collections.all);
        self.collections.returns.extend(collections.returns);
        self.collections.by_capability.extend(collections.by_capability);
        self.collections.area = self.collections.area.or(collections.area);
        self.nonmoving.marks.extend(nonmoving.marks);
        self.nonmoving.syncs.extend(nonmoving.syncs);
        self.nonmoving.sweeps.extend(nonmoving.sweeps);
        self.nonmoving.censuses.extend(nonmoving.censuses);
        for counter in ticky.counters {
            if self.ticky.counters.iter().all(|known| known.id != counter.id) {
                self.ticky.counters.push(counter);
            }
        }
        self.ticky.batches.extend(ticky.batches);
        self.ticky.points += ticky.points;
    }

    pub fn is_empty(&self) -> bool {
        self.collections.is_empty() && self.nonmoving.is_empty() && self.ticky.is_empty()
    }
}
