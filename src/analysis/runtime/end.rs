//! When a run ended.

use crate::base::units::Nanos;
use crate::incident::Condition;
use crate::profile::{Clock, HeapFigure};
use crate::slice::{Extent, Slice};

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
