//! The figures of what the run-time system did: of collections, memory, allocation and the
//! non-moving collector.

use super::Activity;
use crate::base::units::{Bytes, Nanos};
use crate::profile::{
    BlockCensus, Generation, HeapFigure, HeapSeries, NonMoving, Ticky, TickyCounter, TickyCounts,
    blocks_in_segment,
};
use crate::slice::Slice;

/// All figures; those that the input says nothing about are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunTimeFigures {
    /// Collections.
    pub gc: Option<GcFigures>,
    /// The memory that the run-time system holds.
    pub memory: Option<MemoryFigures>,
    /// Allocation.
    pub allocation: Option<AllocationFigures>,
    /// The non-moving collector.
    pub nonmoving: Option<NonMovingFigures>,
    /// Ticky counters, most entries first.
    pub ticky: Vec<TickyFigures>,
}

/// The figures of one ticky counter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TickyFigures {
    /// The counter.
    pub counter: TickyCounter,
    /// Its sums until the last batch.
    pub counts: TickyCounts,
    /// Its entries in each of 24 equal parts of the time from the first batch to the last; empty for
    /// fewer than two batches.
    pub curve: Vec<u64>,
}

/// How many parts the curve of a ticky counter has.
const CURVE: usize = 24;

impl TickyFigures {
    /// The figures of all counters that counted anything, most entries first.
    fn of(ticky: &Ticky) -> Vec<TickyFigures> {
        let mut curves = ticky.curves(CURVE).unwrap_or_default();
        let one = |(counter, counts): (TickyCounter, TickyCounts)| {
            let curve = curves.remove(&counter.id).unwrap_or_default();
            TickyFigures { counter, counts, curve }
        };
        let mut all: Vec<TickyFigures> = ticky.sums().into_iter().map(one).collect();
        all.sort_by_key(|one| std::cmp::Reverse((one.counts.entries, one.counts.allocations)));
        all
    }
}

/// The figures of collections. Times are counted as by `-s`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GcFigures {
    /// The number of collections.
    pub collections: usize,
    /// The sum of all pauses, in nanoseconds.
    pub pause_ns: i128,
    /// The longest pause.
    pub longest: Nanos,
    /// The collections of each generation, youngest first.
    pub generations: Vec<Generation>,
    /// The collections in which a heap census was taken: their number, and their pauses in
    /// nanoseconds.
    pub census: (usize, i128),
    /// Bytes copied.
    pub copied: u128,
    /// The elapsed time.
    pub elapsed: Nanos,
}

impl GcFigures {
    /// The figures of an activity; `None` without collections.
    pub fn of(activity: &Activity) -> Option<GcFigures> {
        let collections = &activity.runtime.collections;
        (!collections.all().is_empty()).then(|| GcFigures {
            collections: collections.all().len(),
            pause_ns: collections.pause_ns(),
            longest: collections.longest(),
            generations: collections.generations(),
            census: collections.with_census(),
            copied: collections.copied(),
            elapsed: activity.elapsed(),
        })
    }

    /// How much of the elapsed time the program ran, in percent.
    pub fn productivity_percent(&self) -> f64 {
        let elapsed = self.elapsed.as_nanos().max(1) as f64;
        (100.0 * (1.0 - self.pause_ns as f64 / elapsed)).clamp(0.0, 100.0)
    }
}

/// The figures of the memory that the run-time system holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryFigures {
    /// The most that was held from the operating system, and when.
    pub held: Option<(Nanos, Bytes)>,
    /// The most live data after a major collection, and when.
    pub live: Option<(Nanos, Bytes)>,
    /// The most memory in blocks that are in use, and when.
    pub blocks: Option<(Nanos, Bytes)>,
    /// What was held at the end.
    pub held_last: Option<Bytes>,
}

impl MemoryFigures {
    /// The figures of the heap as the run-time system sees it.
    pub fn of(heap: &HeapSeries) -> MemoryFigures {
        MemoryFigures {
            held: heap[HeapFigure::Size].peak(),
            live: heap[HeapFigure::Live].peak(),
            blocks: heap[HeapFigure::Blocks].peak(),
            held_last: heap[HeapFigure::Size].points().last().map(|&(_, bytes)| bytes),
        }
    }

    /// The most memory held, as a multiple of the most live data; `None` if live data is an estimate
    /// or not known.
    pub fn held_by_live(&self) -> Option<f64> {
        let (held, live) = (self.held?.1.get(), self.live?.1.get());
        (live > 0 && held >= live).then(|| held as f64 / live as f64)
    }
}

/// The figures of allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocationFigures {
    /// Bytes allocated.
    pub bytes: u64,
    /// How many nanoseconds the program ran in that time.
    pub ran_ns: i64,
}

impl AllocationFigures {
    /// The figures of an activity; `None` if allocation is not known.
    pub fn of(activity: &Activity) -> Option<AllocationFigures> {
        let known = activity.allocated.points();
        let (&(first, before), &(last, after)) = (known.first()?, known.last()?);
        let (from, before) = match activity.begins_the_run {
            true => (activity.from, Bytes::ZERO),
            false => (first, before),
        };
        Some(AllocationFigures {
            bytes: after.get().saturating_sub(before.get()),
            ran_ns: activity.clock.between(from, last),
        })
    }

    /// Bytes for each second that the program ran.
    pub fn bytes_per_second(&self) -> u128 {
        u128::from(self.bytes) * 1_000_000_000 / self.ran_ns.max(1) as u128
    }
}

/// The figures of the non-moving collector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NonMovingFigures {
    /// How often it swept.
    pub sweeps: usize,
    /// Nanoseconds of marking, which is concurrent with the program in the threaded run-time
    /// system.
    pub marking_ns: i128,
    /// Objects marked.
    pub marked: u64,
    /// Pauses at the end of marking: their number and nanoseconds. They are not part of any
    /// collection.
    pub syncs: (usize, i128),
    /// The longest of them.
    pub longest_sync: Nanos,
    /// Bytes of live blocks after the last sweep.
    pub live: Bytes,
    /// Bytes of all blocks, live and free, after the last sweep.
    pub capacity: Bytes,
    /// Bytes of free segments that were kept after the last sweep (GHC 9.10 and newer).
    pub kept: Option<Bytes>,
    /// The blocks after the last sweep, by size; sizes without blocks are left out.
    pub blocks: Vec<BlockFigures>,
}

/// The blocks of one size after a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockFigures {
    /// Bytes of a block.
    pub size: u32,
    /// Segments that are full.
    pub filled: u32,
    /// Segments that are partly filled.
    pub active: u32,
    /// Bytes of live blocks.
    pub live: u64,
    /// Bytes of all blocks.
    pub capacity: u64,
}

impl NonMovingFigures {
    /// The figures of an activity; `None` if the non-moving collector did not run.
    pub fn of(activity: &Activity) -> Option<NonMovingFigures> {
        let nonmoving: &NonMoving = &activity.runtime.nonmoving;
        if nonmoving.is_empty() {
            return None;
        }
        let capabilities = activity.runtime.collections.capabilities();
        let last = nonmoving.censuses().last();
        let length = |ns: i64| i128::from(ns);
        Some(NonMovingFigures {
            sweeps: nonmoving.sweeps().len(),
            marking_ns: nonmoving.marks().iter().map(|(m, _)| length(m.length().as_nanos())).sum(),
            marked: nonmoving.marks().iter().map(|&(_, objects)| u64::from(objects)).sum(),
            syncs: (
                nonmoving.syncs().len(),
                nonmoving.syncs().iter().map(|sync| length(sync.length().as_nanos())).sum(),
            ),
            longest_sync: nonmoving.syncs().iter().map(|s| s.length()).max().unwrap_or_default(),
            live: last.map_or(Bytes::ZERO, |census| census.live()),
            capacity: last.map_or(Bytes::ZERO, |census| census.capacity(capabilities)),
            kept: nonmoving.pruned().last().map(|pruned| pruned.kept_bytes()),
            blocks: last.map_or(Vec::new(), |census| {
                let used = census.blocks.iter().filter(|block| is_used(block));
                used.map(|block| one_size(block, capabilities)).collect()
            }),
        })
    }
}

impl RunTimeFigures {
    /// The figures of what a slice shows.
    pub fn of(slice: &Slice<'_>) -> RunTimeFigures {
        let activity = Activity::of(slice);
        let memory = MemoryFigures::of(&slice.heap());
        let memory = (memory != MemoryFigures::default()).then_some(memory);
        RunTimeFigures {
            gc: GcFigures::of(&activity),
            memory,
            allocation: AllocationFigures::of(&activity),
            nonmoving: NonMovingFigures::of(&activity),
            ticky: TickyFigures::of(&activity.runtime.ticky),
        }
    }

    /// Whether there are no figures at all.
    pub fn is_empty(&self) -> bool {
        *self == RunTimeFigures::default()
    }
}

fn is_used(block: &BlockCensus) -> bool {
    [block.active, block.filled, block.live] != [0; 3]
}

fn one_size(block: &BlockCensus, capabilities: u32) -> BlockFigures {
    let size = u64::from(block.size);
    let segments = u64::from(block.active) + u64::from(block.filled) + u64::from(capabilities);
    BlockFigures {
        size: block.size,
        filled: block.filled,
        active: block.active,
        live: u64::from(block.live) * size,
        capacity: (blocks_in_segment(block.size) * size).saturating_mul(segments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::{activity, gc};

    #[test]
    fn productivity_is_the_share_of_time_outside_pauses() {
        let activity = activity(vec![gc(0, 10, 20), gc(1, 50, 65)], vec![], 100);
        let figures = GcFigures::of(&activity).unwrap();
        assert_eq!((figures.collections, figures.pause_ns), (2, 25));
        assert_eq!(figures.productivity_percent(), 75.0);
    }

    #[test]
    fn a_rate_is_per_second_of_mutator_time() {
        let allocated = vec![(Nanos::from_nanos(40), Bytes::new(60))];
        let activity = activity(vec![gc(0, 10, 20)], allocated, 100);
        let figures = AllocationFigures::of(&activity).unwrap();
        assert_eq!((figures.ran_ns, figures.bytes_per_second()), (30, 2_000_000_000));
    }

    #[test]
    fn counts_of_a_damaged_census_are_not_added_up() {
        let most =
            BlockCensus { size: u32::MAX, active: u32::MAX, filled: u32::MAX, live: u32::MAX };
        assert!(is_used(&most) && !is_used(&BlockCensus { active: 0, filled: 0, live: 0, ..most }));
        assert_eq!(one_size(&most, u32::MAX).live, u64::from(u32::MAX).pow(2));
    }
}
