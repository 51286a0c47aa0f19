//! The run's samples, heap series and markers, and the activity of the run-time system for the panels
//! under the chart: single collections as far as they fit, and rates over stretches of the run.

use serde::Serialize;

use super::band_table::shown;
use super::numbers::Deltas;
use crate::analysis::runtime::{Activity, Collection, RateStep};
use crate::base::units::Nanos;
use crate::chart::{Chart, HeapSeriesKind, Marker, MarkerKind, Series};
use crate::draw::{DrawOptions, MarkerChoice};
use crate::slice::Slice;

/// The most points of one heap series.
const MOST_HEAP_POINTS: usize = 6000;
/// The most markers and messages that a page shows; markers come first.
const MOST_MARKERS: usize = 4000;
/// The most characters of a marker.
const LONGEST_MARKER: usize = 400;

/// What happened when. All times are in nanoseconds.
#[derive(Serialize)]
pub struct RunData {
    times: Deltas,
    total: Deltas,
    heap: Vec<HeapLine>,
    markers: Vec<MarkerData>,
    pauses: Pauses,
    productivity: RateData,
    allocation: RateData,
}

/// A heap series, and how its line is drawn.
#[derive(Serialize)]
struct HeapLine {
    kind: &'static str,
    name: &'static str,
    dash: [f64; 2],
    width: f64,
    times: Deltas,
    values: Deltas,
}

#[derive(Serialize)]
struct MarkerData {
    time: Nanos,
    message: bool,
    text: String,
}

/// The collections, a column each.
#[derive(Default, Serialize)]
struct Pauses {
    start: Deltas,
    length: Vec<i64>,
    generation: Vec<u32>,
}

/// A rate over stretches of the run.
#[derive(Default, Serialize)]
struct RateData {
    from: Deltas,
    to: Deltas,
    values: Deltas,
}

/// The samples, the heap series, the markers and the panels of a run.
pub fn run(slice: &Slice<'_>, chart: &Chart, draw: &DrawOptions) -> RunData {
    let activity = Activity::new(slice);
    let heap = |figure: HeapSeriesKind| {
        let points = thinned_heap(&chart.heap[figure]);
        let times = Deltas::of_times(points.iter().map(|point| point.0));
        let values = Deltas::new(points.iter().map(|point| point.1));
        let ((on, off), width) = figure.row().line;
        HeapLine { kind: figure.id(), name: figure.name(), dash: [on, off], width, times, values }
    };
    let marker = |marker: &Marker| MarkerData {
        time: marker.time,
        message: marker.kind == MarkerKind::Message,
        text: shown(&marker.label, LONGEST_MARKER).into_owned(),
    };
    let markers = chosen_markers(wanted_markers(chart, &draw.markers));
    let is_empty = activity.is_empty();
    RunData {
        times: Deltas::of_times(chart.times.iter().map(|time| time.as_nanos())),
        total: Deltas::new(chart.total.iter().copied()),
        heap: HeapSeriesKind::on_the_heap_axis().map(heap).collect(),
        markers: markers.into_iter().map(marker).collect(),
        pauses: if is_empty { Pauses::default() } else { pauses(&activity) },
        productivity: if is_empty {
            RateData::default()
        } else {
            steps(&activity.productivity(MOST_STEPS))
        },
        allocation: if is_empty {
            RateData::default()
        } else {
            steps(&activity.allocation_rate(MOST_STEPS))
        },
    }
}

/// The markers and messages that the options ask for, in order of time.
fn wanted_markers<'a>(
    chart: &'a Chart,
    markers: &'a MarkerChoice,
) -> impl Iterator<Item = &'a Marker> {
    chart.markers.iter().filter(|marker| markers.pattern.matches(&marker.label))
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
        series.points.iter().map(|(time, value)| (time.as_nanos(), value.get())).collect();
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
pub fn markers_left_out(chart: &Chart, markers: &MarkerChoice) -> usize {
    wanted_markers(chart, markers).count().saturating_sub(MOST_MARKERS)
}

/// How many points of the heap series do not fit into a page.
pub fn heap_points_left_out(chart: &Chart) -> usize {
    let left_out = |figure| {
        let series: &Series = &chart.heap[figure];
        series.points.len().saturating_sub(thinned_heap(series).len())
    };
    HeapSeriesKind::on_the_heap_axis().map(left_out).sum()
}

/// The most collections in a page; if there are more, the longest of each stretch is kept.
const MOST_PAUSES: usize = 3000;
/// The most stretches in a rate.
const MOST_STEPS: usize = 400;

fn pauses(activity: &Activity) -> Pauses {
    let pauses = longest(&activity.runtime.collections.all);
    Pauses {
        start: Deltas::of_times(pauses.iter().map(|gc| gc.start.as_nanos())),
        length: pauses.iter().map(|gc| gc.pause().as_nanos()).collect(),
        generation: pauses.iter().map(|gc| u32::from(gc.generation)).collect(),
    }
}

/// All collections, or the longest of each stretch if there are very many.
fn longest(all: &[Collection]) -> Vec<&Collection> {
    let stretch = all.len().div_ceil(MOST_PAUSES).max(1);
    all.chunks(stretch).filter_map(|some| some.iter().max_by_key(|gc| gc.pause())).collect()
}

fn steps(steps: &[RateStep]) -> RateData {
    RateData {
        from: Deltas::of_times(steps.iter().map(|step| step.from.as_nanos())),
        to: Deltas::of_times(steps.iter().map(|step| step.to.as_nanos())),
        values: Deltas::new(steps.iter().map(|step| step.value)),
    }
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
