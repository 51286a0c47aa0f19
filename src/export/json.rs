//! JSON: what the chart shows and what the analysis found, integers exact. `docs/formats.md`
//! describes every field.

use std::io;

use serde::{Serialize, Serializer};

use super::findings::{MetricsJson, PhaseJson, StatisticsJson, VerdictJson, statistics};
use super::runtime::RunTimeJson;
use crate::analysis::budget::{Budget, BudgetState, Outcome};
use crate::analysis::{Analysis, Rows, Verdict};
use crate::base::units::{Bytes, Nanos};
use crate::chart::{
    self, Breakdown, Chart, Clock, Condition, HeapFigure, HeapSeries, Layer, LayerRole, Losses,
    Marker, MarkerKind, Source, Warning,
};
use crate::slice::{RowId, Slice};

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
    #[serde(skip_serializing_if = "Option::is_none")]
    times_ns: Option<&'a [Nanos]>,
    total: &'a [u128],
    bands: Vec<Band<'a>>,
    trace: LeftOutJson,
    excluded: LeftOutJson,
    markers: Vec<Mark<'a>>,
    heap: Heap<'a>,
    warnings: &'a [Warning],
    losses: &'a Losses,
    verdict: VerdictJson<'a>,
    metrics: MetricsJson,
    phases: Vec<PhaseJson<'a>>,
    runtime: RunTimeJson,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    budgets: &'a [BudgetJson],
}

/// A budget and its result: an element of the field `budgets`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BudgetJson {
    /// The budget as it was written.
    pub budget: String,
    /// The limit in numbers, in the unit of the metric.
    pub limit: Option<f64>,
    /// The measured value.
    pub measured: Option<f64>,
    /// Whether it holds.
    pub state: BudgetState,
}

impl BudgetJson {
    /// A budget and its result.
    pub fn new(budget: &Budget, outcome: &Outcome) -> Self {
        let Outcome { limit, measured, state } = *outcome;
        BudgetJson { budget: budget.text().to_owned(), limit, measured, state }
    }
}

/// How much of a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Everything.
    Samples,
    /// No `times_ns` and no `residency`: the figures without the samples.
    Figures,
}

#[derive(Serialize)]
struct Band<'a> {
    label: &'a str,
    role: LayerRole,
    members: usize,
    total: u128,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grouped: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    retainer_sets: Vec<Vec<Vec<String>>>,
    #[serde(flatten)]
    statistics: Option<StatisticsJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    residency: Option<&'a [Bytes]>,
}

#[derive(Serialize)]
struct LeftOutJson {
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

/// The series on the axis of the bands, each by the id of its figure.
struct Heap<'a>(&'a HeapSeries);

impl Serialize for Heap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures = HeapFigure::on_the_heap_axis();
        serializer.collect_map(figures.map(|figure| (figure.id(), self.0[figure].points())))
    }
}

/// The chart and what was found, as one line of JSON and a line end. `slice` and `analysis` are those
/// of the chart.
pub fn write(chart: &Chart, slice: &Slice<'_>, analysis: &Analysis) -> String {
    text_of(&document(chart, slice, analysis, &[], Detail::Samples))
}

/// The same, written piece by piece, without keeping all of it in memory.
///
/// # Errors
/// Those of `out`.
pub fn write_to(
    chart: &Chart,
    slice: &Slice<'_>,
    analysis: &Analysis,
    mut out: impl io::Write,
) -> io::Result<()> {
    serde_json::to_writer(&mut out, &document(chart, slice, analysis, &[], Detail::Samples))?;
    out.write_all(b"\n")
}

/// The same document without the samples: no `times_ns`, no `residency`; with the results of
/// budgets, if there are any.
///
/// # Errors
/// Those of `out`.
pub fn write_figures_to(
    chart: &Chart,
    slice: &Slice<'_>,
    analysis: &Analysis,
    budgets: &[BudgetJson],
    mut out: impl io::Write,
) -> io::Result<()> {
    serde_json::to_writer(&mut out, &document(chart, slice, analysis, budgets, Detail::Figures))?;
    out.write_all(b"\n")
}

/// The field `verdict` of these documents, for documents about other things that have a verdict, too.
/// Samples are numbered from `first`.
pub(crate) fn verdict(verdict: &Verdict, first: usize) -> impl Serialize + '_ {
    VerdictJson::of(verdict, first)
}

fn text_of(document: &Document<'_>) -> String {
    // It has only strings, integers and finite floats, which JSON can all express.
    let mut text = serde_json::to_string(document).expect("plain data");
    text.push('\n');
    text
}

fn document<'a>(
    chart: &'a Chart,
    slice: &'a Slice<'_>,
    analysis: &'a Analysis,
    budgets: &'a [BudgetJson],
    extent: Detail,
) -> Document<'a> {
    let rows = Rows::of(slice);
    Document {
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
        times_ns: (extent == Detail::Samples).then_some(&chart.times),
        total: &chart.total,
        bands: bands(chart, slice, analysis, extent),
        trace: left_out(&chart.trace),
        excluded: left_out(&chart.excluded),
        markers: chart.markers.iter().map(mark).collect(),
        heap: Heap(&chart.heap),
        warnings: &chart.warnings,
        losses: &chart.losses,
        verdict: VerdictJson::of(&analysis.verdict, chart.number(0)),
        metrics: MetricsJson::of(slice, analysis),
        phases: analysis.phases.iter().map(|phase| PhaseJson::of(phase, &rows)).collect(),
        runtime: RunTimeJson::of(slice),
        budgets,
    }
}

/// The layers, top of the stack first; the kept rows of the ranking are those that are one band.
fn bands<'a>(
    chart: &'a Chart,
    slice: &Slice<'_>,
    analysis: &Analysis,
    extent: Detail,
) -> Vec<Band<'a>> {
    let kept = &chart.ranking.kept;
    let mut rows = kept.iter().rev();
    let mut statistics = statistics(slice, analysis, kept).into_iter().rev();
    let band = |layer: &'a Layer| {
        let row = (layer.role == LayerRole::Band).then(|| rows.next().copied()).flatten();
        Band {
            label: &layer.label,
            role: layer.role,
            members: layer.members,
            total: layer.total,
            grouped: row.map_or(Vec::new(), |row| grouped(slice, row)),
            retainer_sets: row.map_or(Vec::new(), |row| {
                slice.retainer_sets(row).iter().map(|set| set.retainers.clone()).collect()
            }),
            statistics: row.and_then(|_| statistics.next()),
            residency: (extent == Detail::Samples).then_some(&layer.residency),
        }
    };
    chart.layers.iter().rev().map(band).collect()
}

/// The labels of the bands that a group stands for; empty for a row that is a band.
fn grouped(slice: &Slice<'_>, row: RowId) -> Vec<String> {
    if slice.key(row).is_some() {
        return Vec::new();
    }
    slice.members(row).iter().map(|&band| slice.band(band).label().to_owned()).collect()
}

fn left_out(bands: &chart::LeftOut) -> LeftOutJson {
    LeftOutJson { bands: bands.bands, total: bands.total, share_percent: bands.share_percent() }
}

fn mark(marker: &Marker) -> Mark<'_> {
    Mark { time_ns: marker.time, label: &marker.label, kind: marker.kind }
}
