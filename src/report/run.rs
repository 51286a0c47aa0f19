//! The run's samples, heap series and markers, and the activity of the run-time system for the panels
//! under the chart: single collections as far as they fit, and rates over stretches of the run.

use super::ReportOptions;
use super::columns::{self, Sections};
use crate::analysis::runtime::{Activity, Collection, Step};
use crate::base::units::Nanos;
use crate::chart::{Chart, HeapFigure, Marker, MarkerKind, Series};
use crate::draw::XAxis;
use crate::slice::Slice;

/// The most points of one heap series.
const MOST_HEAP_POINTS: usize = 6000;
/// The most markers and messages that a page shows; markers come first.
const MOST_MARKERS: usize = 4000;

/// Appends the samples, the heap series, the markers.
pub fn run(sections: &mut Sections, chart: &Chart, options: &ReportOptions) {
    sections.times("times", chart.times.iter().map(|time| time.as_nanos()));
    sections.series(
        "total",
        &chart.total.iter().map(|&total| columns::held(total)).collect::<Vec<_>>(),
    );
    for figure in HeapFigure::on_the_heap_axis() {
        let (id, points) = (figure.id(), thinned_heap(&chart.heap[figure]));
        sections.times(&format!("heap.{id}.time"), points.iter().map(|point| point.0));
        let values: Vec<u64> = points.iter().map(|point| point.1).collect();
        sections.series(&format!("heap.{id}"), &values);
    }
    let markers = chosen_markers(wanted_markers(chart, options));
    sections.times("marker.time", markers.iter().map(|marker| marker.time.as_nanos()));
    let kinds = markers.iter().map(|marker| u64::from(marker.kind == MarkerKind::Message));
    sections.numbers("marker.kind", kinds);
    let texts: Vec<String> = markers
        .iter()
        .map(|marker| crate::incident::error::visible(&marker.label).chars().take(400).collect())
        .collect();
    sections.texts("marker.text", texts.iter().map(String::as_str));
}

/// The markers and messages that the options ask for, in order of time.
fn wanted_markers<'a>(
    chart: &'a Chart,
    options: &'a ReportOptions,
) -> impl Iterator<Item = &'a Marker> {
    chart.markers.iter().filter(|marker| options.markers.pattern.matches(&marker.label))
}

/// The markers, and as many messages as fit, in order of time.
fn chosen_markers<'a>(markers: impl Iterator<Item = &'a Marker>) -> Vec<&'a Marker> {
    let mut chosen: Vec<(usize, &Marker)> = markers.enumerate().collect();
    chosen.sort_by_key(|(i, marker)| (marker.kind == MarkerKind::Message, *i));
    chosen.truncate(MOST_MARKERS);
    chosen.sort_by_key(|(i, _)| *i);
    chosen.into_iter().map(|(_, marker)| marker).collect()
}

/// The points of a heap series; a long one keeps the lowest and highest of each stretch.
fn thinned_heap(series: &Series) -> Vec<(i64, u64)> {
    let points: Vec<(i64, u64)> =
        series.points().iter().map(|(time, value)| (time.as_nanos(), value.get())).collect();
    if points.len() <= MOST_HEAP_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_HEAP_POINTS / 2);
    let extremes = points.chunks(stretch).flat_map(|stretch| {
        let low = (0..stretch.len()).min_by_key(|&i| stretch[i].1).unwrap_or(0);
        let high = (0..stretch.len()).max_by_key(|&i| stretch[i].1).unwrap_or(0);
        let mut two = vec![stretch[low.min(high)], stretch[low.max(high)]];
        two.dedup();
        two
    });
    extremes.collect()
}

/// How many markers do not fit into a page.
pub fn markers_left_out(chart: &Chart, options: &ReportOptions) -> usize {
    wanted_markers(chart, options).count().saturating_sub(MOST_MARKERS)
}

/// How many points of the heap series do not fit into a page.
pub fn heap_points_left_out(chart: &Chart) -> usize {
    let left_out = |figure| {
        let series: &Series = &chart.heap[figure];
        series.points().len().saturating_sub(thinned_heap(series).len())
    };
    HeapFigure::on_the_heap_axis().map(left_out).sum()
}

/// The most collections in a page; if there are more, the longest of each stretch is kept.
const MOST_PAUSES: usize = 3000;
/// The most stretches in a rate.
const MOST_STEPS: usize = 400;

/// Appends the columns of the panels, and their axis if it differs from the samples' times.
pub fn panels(sections: &mut Sections, slice: &Slice<'_>, x: XAxis) {
    let activity = Activity::of(slice);
    if x == XAxis::Mutator && !activity.clock.is_elapsed() {
        let places = slice.times().iter().map(|&time| activity.clock.at(time).as_nanos());
        sections.times("axis", places);
    }
    if activity.is_empty() {
        return;
    }
    let pauses = longest(activity.runtime.collections.all());
    sections.times("gc.start", pauses.iter().map(|gc| gc.start.as_nanos()));
    sections.numbers("gc.length", pauses.iter().map(|gc| length(gc.pause())));
    sections.numbers("gc.generation", pauses.iter().map(|gc| u64::from(gc.generation)));
    steps(sections, "productivity", &activity.productivity(MOST_STEPS));
    steps(sections, "allocation", &activity.allocation_rate(MOST_STEPS));
}

fn length(pause: Nanos) -> u64 {
    u64::try_from(pause.as_nanos()).unwrap_or(0).min(columns::MOST)
}

/// All collections, or the longest of each stretch if there are very many.
fn longest(all: &[Collection]) -> Vec<&Collection> {
    let stretch = all.len().div_ceil(MOST_PAUSES).max(1);
    all.chunks(stretch).filter_map(|some| some.iter().max_by_key(|gc| gc.pause())).collect()
}

fn steps(sections: &mut Sections, name: &str, steps: &[Step]) {
    sections.times(&format!("{name}.from"), steps.iter().map(|step| step.from.as_nanos()));
    sections.times(&format!("{name}.to"), steps.iter().map(|step| step.to.as_nanos()));
    let values: Vec<u64> = steps.iter().map(|step| columns::held(step.value)).collect();
    sections.series(name, &values);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::gc;

    #[test]
    fn the_longest_collection_of_each_stretch_is_kept() {
        let length = |i: i64| if i % 7 == 0 { 50 } else { 3 };
        let gc = |i: i64| gc(0, 100 * i, 100 * i + length(i));
        let all: Vec<Collection> = (0..70_000).map(gc).collect();
        let kept = longest(&all);
        assert!(kept.len() <= MOST_PAUSES);
        assert!(kept.iter().all(|gc| gc.pause().as_nanos() == 50));
        assert_eq!(longest(&all[..5]).len(), 5);
    }
}
