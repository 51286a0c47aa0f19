//! JSON: what the chart shows, integers exact. `docs/formats.md` describes every field.

use serde::{Serialize, Serializer};

use crate::chart::{
    self, Breakdown, Chart, Clock, Condition, Layer, Losses, Marker, MarkerKind, Role, Series,
    Source, Warning,
};
use crate::units::{Bytes, Nanos};

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    source: Source,
    state: Condition,
    job: Option<&'a str>,
    date: Option<&'a str>,
    rts: Option<&'a str>,
    breakdown: Breakdown,
    clock: Clock,
    first_sample: usize,
    times_ns: &'a [Nanos],
    total: &'a [u128],
    bands: Vec<Band<'a>>,
    trace: Trace,
    excluded: Trace,
    markers: Vec<Mark<'a>>,
    heap: Heap<'a>,
    warnings: &'a [Warning],
    losses: &'a Losses,
}

#[derive(Serialize)]
struct Band<'a> {
    label: &'a str,
    role: Role,
    members: usize,
    total: u128,
    residency: &'a [Bytes],
}

#[derive(Serialize)]
struct Trace {
    bands: usize,
    total: u128,
    share_percent: f64,
}

#[derive(Serialize)]
struct Mark<'a> {
    time_ns: Nanos,
    label: &'a str,
    kind: MarkerKind,
}

#[derive(Serialize)]
struct Heap<'a> {
    #[serde(serialize_with = "pairs")]
    size: &'a Series,
    #[serde(serialize_with = "pairs")]
    live: &'a Series,
    #[serde(serialize_with = "pairs")]
    blocks: &'a Series,
}

fn pairs<S: Serializer>(series: &&Series, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(series.points())
}

/// The chart as one line of JSON and a line end.
pub fn write(chart: &Chart) -> String {
    let document = Document {
        format: "heapviz",
        version: 1,
        source: chart.source,
        state: chart.condition,
        job: chart.job.as_deref(),
        date: chart.date.as_deref(),
        rts: chart.rts.as_deref(),
        breakdown: chart.breakdown,
        clock: chart.clock,
        first_sample: chart.number(0),
        times_ns: &chart.times,
        total: &chart.total,
        bands: chart.layers.iter().rev().map(band).collect(),
        trace: left_out(&chart.trace),
        excluded: left_out(&chart.excluded),
        markers: chart.markers.iter().map(mark).collect(),
        heap: Heap { size: &chart.heap.size, live: &chart.heap.live, blocks: &chart.heap.blocks },
        warnings: &chart.warnings,
        losses: &chart.losses,
    };
    // Strings, integers and finite floats: nothing that JSON cannot say.
    let mut text = serde_json::to_string(&document).expect("plain data");
    text.push('\n');
    text
}

fn band(layer: &Layer) -> Band<'_> {
    Band {
        label: &layer.label,
        role: layer.role,
        members: layer.members,
        total: layer.total,
        residency: &layer.residency,
    }
}

fn left_out(bands: &chart::Trace) -> Trace {
    Trace { bands: bands.bands, total: bands.total, share_percent: bands.share_percent() }
}

fn mark(marker: &Marker) -> Mark<'_> {
    Mark { time_ns: marker.time, label: &marker.label, kind: marker.kind }
}
