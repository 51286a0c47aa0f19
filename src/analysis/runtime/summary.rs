//! The figures of the run-time system: collections, memory, allocation and the non-moving
//! collector. Serialised, they are the part `runtime` of the JSON document.

use serde::Serialize;

use super::{Activity, span};
use crate::base::units::{Bytes, Nanos};
use crate::profile::{
    Clock, Collections, Generation, HeapSeries, HeapSeriesKind, NonMoving, TickyCounter,
    TickyCounts,
};
use crate::slice::Slice;

/// All figures; those that the input says nothing about are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunTimeFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc: Option<GcFigures>,
    /// The memory that the run-time system holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocation: Option<AllocationFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonmoving: Option<NonMovingFigures>,
    /// Ticky counters, most entries first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ticky: Vec<TickyFigures>,
}

impl RunTimeFigures {
    /// The figures of what a slice shows.
    pub fn new(slice: &Slice<'_>) -> RunTimeFigures {
        let activity = Activity::new(slice);
        let memory = MemoryFigures::new(&slice.heap(), &activity.runtime.collections);
        let memory = (memory != MemoryFigures::default()).then_some(memory);
        RunTimeFigures {
            gc: GcFigures::new(&activity.runtime.collections, activity.elapsed()),
            memory,
            allocation: AllocationFigures::new(&activity),
            nonmoving: NonMovingFigures::new(&activity),
            ticky: TickyFigures::new(&activity, slice),
        }
    }
}

/// The figures of collections. Times are counted as by `-s`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GcFigures {
    pub collections: usize,
    /// The sum of all pauses, in nanoseconds.
    pub pause_ns: i128,
    #[serde(rename = "longest_ns")]
    pub longest: Nanos,
    #[serde(rename = "elapsed_ns")]
    pub elapsed: Nanos,
    /// How much of the elapsed time the program ran, in percent.
    pub productivity_percent: f64,
    /// Bytes copied.
    pub copied: u128,
    /// The number of collections in which a heap census was taken.
    pub census_collections: usize,
    /// The sum of their pauses, in nanoseconds.
    pub census_pause_ns: i128,
    /// The collections of each generation, youngest first.
    pub generations: Vec<Generation>,
}

impl GcFigures {
    /// The figures of what a slice shows; `None` without collections or elapsed times.
    pub(crate) fn of_slice(slice: &Slice<'_>) -> Option<GcFigures> {
        if slice.clock() != Clock::Elapsed {
            return None;
        }
        let runtime = slice.runtime();
        let (from, to) = span(slice, &runtime);
        Self::new(&runtime.collections, to.since(from))
    }

    /// The figures of collections in so much time; `None` without collections.
    pub fn new(collections: &Collections, elapsed: Nanos) -> Option<GcFigures> {
        let pause_ns = collections.pause_ns();
        let (census_collections, census_pause_ns) = collections.with_census();
        let paused = pause_ns as f64 / elapsed.as_nanos().max(1) as f64;
        (!collections.all.is_empty()).then(|| GcFigures {
            collections: collections.all.len(),
            pause_ns,
            longest: collections.longest(),
            elapsed,
            productivity_percent: (100.0 * (1.0 - paused)).clamp(0.0, 100.0),
            copied: collections.copied(),
            census_collections,
            census_pause_ns,
            generations: collections.generations(),
        })
    }
}

/// The figures of the memory that the run-time system holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryFigures {
    /// The most that was held from the operating system.
    pub held_peak: Option<Bytes>,
    /// What was held at the end.
    pub held_last: Option<Bytes>,
    /// The most live data after a major collection.
    pub live_peak: Option<Bytes>,
    /// The most memory held, as a multiple of the most live data; `None` if live data is an estimate
    /// or not known.
    pub held_by_live: Option<f64>,
    /// What of the most memory held are the areas in which all capabilities together allocate.
    pub areas: Option<Bytes>,
    /// How many capabilities that are.
    #[serde(skip)]
    pub capabilities: u32,
    /// What of it are free blocks that were not given back.
    pub free: Option<Bytes>,
}

impl MemoryFigures {
    /// The figures of the heap as the run-time system sees it.
    pub fn new(heap: &HeapSeries, collections: &Collections) -> MemoryFigures {
        let peak = |figure| heap[figure].peak();
        let held = peak(HeapSeriesKind::Size);
        let held_peak = held.map(|(_, bytes)| bytes);
        let live_peak = peak(HeapSeriesKind::Live).map(|(_, bytes)| bytes);
        let by_live = |(held, live): (Bytes, Bytes)| {
            let (held, live) = (held.get(), live.get());
            (live > 0 && held >= live).then(|| held as f64 / live as f64)
        };
        let before = |time| collections.all.partition_point(|gc| gc.start <= time).checked_sub(1);
        let free = held.and_then(|(time, _)| Some(collections.all[before(time)?].fragmentation));
        // More than all is damage.
        let within = |part: Option<Bytes>| part.filter(|part| Some(*part) <= held_peak);
        let areas = within(collections.areas());
        MemoryFigures {
            areas,
            capabilities: areas.map_or(0, |_| collections.capabilities()),
            free: within(free),
            held_peak,
            held_last: heap[HeapSeriesKind::Size].points.last().map(|&(_, bytes)| bytes),
            live_peak,
            held_by_live: held_peak.zip(live_peak).and_then(by_live),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AllocationFigures {
    /// Bytes allocated.
    pub bytes: u64,
    /// Bytes for each second that the program ran.
    #[serde(rename = "bytes_per_mutator_s")]
    pub bytes_per_second: u128,
}

impl AllocationFigures {
    /// The figures of an activity; `None` if allocation is not known.
    pub fn new(activity: &Activity) -> Option<AllocationFigures> {
        let known = &activity.allocated.points;
        let (&(first, before), &(last, after)) = (known.first()?, known.last()?);
        let (from, before) = match activity.begins_the_run {
            true => (activity.from, Bytes::ZERO),
            false => (first, before),
        };
        let bytes = after.get().saturating_sub(before.get());
        let pauses = activity.runtime.collections.all.iter().filter(|gc| gc.start < last);
        let paused: i64 = pauses.map(|gc| gc.end.min(last).since(gc.start).as_nanos()).sum();
        let ran_ns = (last.since(from).as_nanos() - paused).max(1) as u128;
        Some(AllocationFigures {
            bytes,
            bytes_per_second: u128::from(bytes) * 1_000_000_000 / ran_ns,
        })
    }
}

/// The figures of the non-moving collector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NonMovingFigures {
    pub sweeps: usize,
    /// Nanoseconds of marking, which is concurrent with the program in the threaded run-time
    /// system.
    pub marking_ns: i128,
    /// The number of pauses at the end of marking. They are not part of any collection.
    pub stops: usize,
    /// The sum of these pauses, in nanoseconds.
    pub stopped_ns: i128,
    #[serde(rename = "longest_stop_ns")]
    pub longest_stop: Nanos,
    /// Bytes of live blocks after the last sweep.
    pub live: Bytes,
    /// Bytes of all blocks, live and free, after the last sweep.
    pub capacity: Bytes,
}

impl NonMovingFigures {
    /// The figures of an activity; `None` if the non-moving collector did not run.
    pub fn new(activity: &Activity) -> Option<NonMovingFigures> {
        let nonmoving: &NonMoving = &activity.runtime.nonmoving;
        if nonmoving.is_empty() {
            return None;
        }
        let capabilities = activity.runtime.collections.capabilities();
        let last = nonmoving.censuses.last();
        let (marks, syncs) = (&nonmoving.marks, &nonmoving.syncs);
        Some(NonMovingFigures {
            sweeps: nonmoving.sweeps.len(),
            marking_ns: marks.iter().map(|mark| i128::from(mark.length().as_nanos())).sum(),
            stops: syncs.len(),
            stopped_ns: syncs.iter().map(|sync| i128::from(sync.length().as_nanos())).sum(),
            longest_stop: syncs.iter().map(|sync| sync.length()).max().unwrap_or_default(),
            live: last.map_or(Bytes::ZERO, |census| census.live()),
            capacity: last.map_or(Bytes::ZERO, |census| census.capacity(capabilities)),
        })
    }
}

/// The figures of one ticky counter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TickyFigures {
    #[serde(flatten)]
    pub counter: TickyCounter,
    /// The sums of the counter until the last batch.
    #[serde(flatten)]
    pub counts: TickyCounts,
    /// Where in the source its closure is, if its info table says so.
    pub place: Option<String>,
}

impl TickyFigures {
    /// The figures of all counters that counted anything, most entries first.
    fn new(activity: &Activity, slice: &Slice<'_>) -> Vec<TickyFigures> {
        let one = |(counter, counts): (TickyCounter, TickyCounts)| {
            let (counter, place) = slice.counter(&counter);
            TickyFigures { counter, counts, place }
        };
        let mut all: Vec<TickyFigures> =
            activity.runtime.ticky.sums().into_iter().map(one).collect();
        all.sort_by_key(|one| std::cmp::Reverse((one.counts.entries, one.counts.allocations)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::{activity, gc};
    use crate::profile::{BlockCensus, ProfileBuilder, Source};

    #[test]
    fn productivity_is_the_share_of_time_outside_pauses() {
        let activity = activity(vec![gc(0, 10, 20), gc(1, 50, 65)], vec![], 100);
        let figures = GcFigures::new(&activity.runtime.collections, activity.elapsed()).unwrap();
        assert_eq!((figures.collections, figures.pause_ns), (2, 25));
        assert_eq!(figures.productivity_percent, 75.0);
    }

    #[test]
    fn a_rate_is_per_second_of_mutator_time() {
        let allocated = vec![(Nanos::from_nanos(40), Bytes::new(60))];
        let activity = activity(vec![gc(0, 10, 20)], allocated, 100);
        let figures = AllocationFigures::new(&activity).unwrap();
        assert_eq!((figures.bytes, figures.bytes_per_second), (60, 2_000_000_000));
    }

    #[test]
    fn memory_is_known_if_its_figures_are() {
        let memory = |sizes: &[u64]| {
            let mut builder = ProfileBuilder::new(Source::Eventlog);
            for &size in sizes {
                builder.heap_point(HeapSeriesKind::Size, Nanos::from_nanos(1), Bytes::new(size));
            }
            builder.seal_sample(Nanos::from_nanos(2));
            let profile = builder.finish();
            let memory = RunTimeFigures::new(&Slice::whole(&profile)).memory;
            memory.map(|memory| memory.held_peak)
        };
        assert_eq!((memory(&[]), memory(&[8])), (None, Some(Some(Bytes::new(8)))));
    }

    #[test]
    fn memory_is_held_at_most_at_the_end_and_as_a_multiple_of_live_data() {
        let figures = |size: &[u64], live: &[u64]| {
            let mut builder = ProfileBuilder::new(Source::Eventlog);
            for (figure, sizes) in [(HeapSeriesKind::Size, size), (HeapSeriesKind::Live, live)] {
                for (at, &bytes) in sizes.iter().enumerate() {
                    builder.heap_point(figure, Nanos::from_nanos(at as i64), Bytes::new(bytes));
                }
            }
            MemoryFigures::new(&builder.finish().heap, &Collections::default())
        };
        let held = figures(&[10, 30, 20], &[12, 4]);
        assert_eq!(held.held_peak.zip(held.held_last), Some((Bytes::new(30), Bytes::new(20))));
        assert_eq!((held.live_peak, held.held_by_live), (Some(Bytes::new(12)), Some(2.5)));
        assert_eq!(figures(&[12], &[12]).held_by_live, Some(1.0));
        assert_eq!(figures(&[11], &[12]).held_by_live, None, "live data is an estimate");
        assert_eq!(figures(&[0], &[0]).held_by_live, None);
        assert_eq!(figures(&[], &[]), MemoryFigures::default());
    }

    #[test]
    fn what_a_window_allocates_begins_with_its_first_collection() {
        let at = |time, bytes| (Nanos::from_nanos(time), Bytes::new(bytes));
        let allocated = vec![at(20, 100), at(40, 250), at(60, 400)];
        let mut activity = activity(vec![], allocated, 100);
        let figures = |activity: &Activity| AllocationFigures::new(activity).unwrap();
        assert_eq!(figures(&activity).bytes, 400);
        activity.begins_the_run = false;
        let window = figures(&activity);
        assert_eq!((window.bytes, window.bytes_per_second), (300, 300 * 1_000_000_000 / 40));
    }

    #[test]
    fn the_last_census_counts_and_a_segment_in_use_has_room() {
        let block = BlockCensus { size: 16, active: 1, filled: 2, live: 100 };
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for (time, live) in [(1, 100), (2, 7)] {
            builder.block_census(Nanos::from_nanos(time), BlockCensus { live, ..block });
        }
        let activity = Activity { runtime: builder.finish().runtime, ..Activity::default() };
        let figures = NonMovingFigures::new(&activity).unwrap();
        assert_eq!((figures.live.get(), figures.capacity.get()), (112, 4 * 1926 * 16));
    }
}
