//! Garbage collections that tests put into a profile.

use super::Activity;
use crate::base::units::{Bytes, Nanos};
use crate::profile::{Collection, HeapSeriesKind, Profile, ProfileBuilder, Source};

/// A collection between two times in nanoseconds.
pub fn gc(generation: u16, start: i64, end: i64) -> Collection {
    Collection::between(generation, Nanos::from_nanos(start), Nanos::from_nanos(end))
}

/// The activity of a run of this many nanoseconds.
pub fn activity(collections: Vec<Collection>, allocated: Vec<(Nanos, Bytes)>, to: i64) -> Activity {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.runtime_entries(|runtime| &mut runtime.collections.all, collections);
    allocated.into_iter().for_each(|(time, bytes)| builder.allocated(time, 0, bytes));
    let Profile { runtime, heap, .. } = builder.finish();
    Activity {
        allocated: heap[HeapSeriesKind::Allocated].clone(),
        from: Nanos::ZERO,
        to: Nanos::from_nanos(to),
        begins_the_run: true,
        runtime,
    }
}
