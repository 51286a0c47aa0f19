//! What the run-time system did in the part of the run that is shown: for the panels under a chart,
//! the lines of `stats` and the JSON.

mod rates;
mod summary;
mod summary_words;
#[cfg(test)]
pub(crate) mod testing;

pub use rates::{RateStep, WHOLE};
pub use summary::{
    AllocationFigures, GcFigures, MemoryFigures, NonMovingFigures, RunTimeFigures, TickyFigures,
};
pub use summary_words::sum_of_times;

use crate::base::units::Nanos;
use crate::incident::Condition;
use crate::profile::{Clock, HeapSeriesKind, RunTime, Series};
pub use crate::profile::{Collection, CollectorPhase, Generation, SegmentCensus};
use crate::slice::{Extent, Slice};

/// What the run-time system did, and between which times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    pub runtime: RunTime,
    /// Bytes ever allocated, after each collection.
    pub allocated: Series,
    /// Where it begins: with the run, or with the window.
    pub from: Nanos,
    pub to: Nanos,
    begins_the_run: bool,
}

impl Activity {
    /// What the run-time system did in the slice; empty for a profile without elapsed times.
    pub fn new(slice: &Slice<'_>) -> Activity {
        if slice.clock() != Clock::Elapsed {
            return Activity::default();
        }
        let runtime = slice.runtime().into_owned();
        let (from, to) = span(slice, &runtime);
        Activity {
            from,
            to,
            begins_the_run: slice.extent().from.is_none(),
            allocated: slice.heap()[HeapSeriesKind::Allocated].clone(),
            runtime,
        }
    }

    /// Whether it contains nothing.
    pub fn is_empty(&self) -> bool {
        self.runtime.is_empty() && self.allocated.points.is_empty()
    }

    pub fn elapsed(&self) -> Nanos {
        self.to.since(self.from)
    }
}

/// From when to when a slice shows what the run-time system did.
fn span(slice: &Slice<'_>, runtime: &RunTime) -> (Nanos, Nanos) {
    let extent = slice.extent();
    let to = extent.to.or_else(|| end(slice, slice.times().last().copied())).unwrap_or_default();
    // In a damaged log, the last to begin may not be the last to end.
    let ends = runtime.collections.all.iter().map(|gc| gc.end);
    (extent.from.unwrap_or_default(), ends.fold(to, Nanos::max))
}

/// When the run ended: the latest known time, within the window. For a damaged input, only the
/// times of samples are trusted, the last of which is given.
pub fn end(slice: &Slice<'_>, last_sample: Option<Nanos>) -> Option<Nanos> {
    let profile = slice.profile();
    if slice.clock() == Clock::Sample {
        return None;
    }
    if profile.condition() == Condition::Damaged {
        return last_sample;
    }
    let Extent { to, .. } = slice.extent();
    let heap = slice.heap();
    let figures = HeapSeriesKind::on_the_heap_axis();
    let figures = figures.filter_map(|figure| Some(heap[figure].points.last()?.0));
    let marker = slice.markers().last().map(|marker| marker.time);
    let collections = profile.runtime.collections.all.iter().map(|gc| gc.end);
    let collections = collections.filter(|end| to.is_none_or(|to| *end <= to));
    last_sample.into_iter().chain(marker).chain(figures).chain(collections).max()
}

#[cfg(test)]
mod tests {
    use super::testing::gc;
    use super::*;
    use crate::analysis::testing::growing;
    use crate::base::units::Bytes;
    use crate::profile::MarkerKind;

    #[test]
    fn a_run_ends_with_the_last_that_is_known_of_it() {
        let seconds = |time: f64| Nanos::from_nanos((1e9 * time) as i64);
        let end = |figure: f64, marker: f64, collection: f64| {
            let mut builder = growing(&[("a", &[8.0, 8.0, 8.0])], 1.0);
            for time in [0.5, figure] {
                builder.heap_point(HeapSeriesKind::Size, seconds(time), Bytes::new(8));
            }
            for time in [0.5, marker] {
                builder.marker(seconds(time), "m".to_owned(), MarkerKind::Marker);
            }
            let nanos = |time| seconds(time).as_nanos();
            builder.runtime_entries(
                |runtime| &mut runtime.collections.all,
                [gc(0, nanos(0.1), nanos(collection))],
            );
            let profile = builder.finish();
            let end = super::end(&Slice::whole(&profile), Some(seconds(2.0)));
            end.map(|end| end.as_nanos() as f64 / 1e9)
        };
        assert_eq!(end(1.0, 1.0, 1.0), Some(2.0));
        assert_eq!(end(3.0, 1.0, 1.0), Some(3.0));
        assert_eq!(end(1.0, 3.0, 1.0), Some(3.0));
        assert_eq!(end(1.0, 1.0, 3.0), Some(3.0));
    }

    #[test]
    fn a_run_is_what_is_known_of_its_time() {
        let small = || growing(&[("a", &[8.0, 8.0, 8.0])], 1.0);
        let of = |profile: &crate::profile::Profile, to: Option<&str>| {
            let mut options = crate::slice::SliceOptions::default();
            options.window.to = to.map(|to| to.parse().unwrap());
            let activity = Activity::new(&Slice::new(profile, &options).unwrap());
            (activity.elapsed().as_seconds(), activity.is_empty())
        };
        assert_eq!(of(&small().finish(), None), (2.0, true));
        let mut builder = small();
        builder.runtime_entries(
            |runtime| &mut runtime.collections.all,
            [gc(0, 3_000_000_000, 7_000_000_000), gc(0, 4_000_000_000, 5_000_000_000)],
        );
        let mut profile = builder.finish();
        assert_eq!(of(&profile, None), (7.0, false));
        // A collection after the window is not in it.
        assert_eq!(of(&profile, Some("1")), (1.0, true));
        profile.incidents.end(crate::incident::End::CompressedDamaged);
        assert_eq!(of(&profile, None), (7.0, false));
        profile.clock = Clock::Sample;
        assert_eq!(of(&profile, None), (0.0, true));
        let mut builder = small();
        builder.allocated(Nanos::from_nanos(1), 0, Bytes::new(8));
        assert_eq!(of(&builder.finish(), None), (2.0, false));
    }
}
