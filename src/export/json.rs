//! JSON: what the chart shows and what the analysis found, integers exact. `docs/reference.md`
//! describes every field.

use std::collections::{BTreeMap, HashMap};
use std::io;

use serde::{Serialize, Serializer};

use crate::analysis::budget::{Budget, BudgetState, Outcome};
use crate::analysis::runtime::RunTimeFigures;
use crate::analysis::{Account, Analysis, Metric, Rise, Who};
use crate::base::text::write_json;
use crate::base::units::{Bytes, Nanos};
use crate::chart::{
    self, Breakdown, Clock, Condition, HeapSeries, HeapSeriesKind, Layer, LayerRole, Losses,
    Marker, Source, Warning,
};
use crate::profile_view::ProfileView;
use crate::slice::{RowId, SampleNumber, Slice};

#[derive(Serialize)]
struct ProfileDocument<'a> {
    format: &'static str,
    version: u32,
    heapviz: &'static str,
    file: Option<&'a str>,
    labels: &'a BTreeMap<String, String>,
    source: Source,
    state: Condition,
    job: Option<&'a str>,
    date: Option<&'a str>,
    started_unix_ns: Option<i64>,
    rts: Option<&'a str>,
    breakdown: Breakdown,
    clock: Clock,
    first_sample: SampleNumber,
    #[serde(skip_serializing_if = "Option::is_none")]
    times_ns: Option<&'a [Nanos]>,
    total: &'a [u128],
    bands: Vec<BandData<'a>>,
    trace: LeftOutJson,
    excluded: LeftOutJson,
    markers: &'a [Marker],
    heap: Heap<'a>,
    warnings: &'a [Warning],
    losses: &'a Losses,
    verdict: &'a Account,
    metrics: MetricsJson,
    runtime: &'a RunTimeFigures,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    budgets: &'a [BudgetJson],
}

/// What distinguishes a run from the others in an archive, and is not in the run itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunLabels {
    /// The name of its file. Default `None`: it has none, or it is not known.
    pub file: Option<String>,
    /// What its user says about it, such as the commit. Default nothing.
    pub labels: BTreeMap<String, String>,
}

/// A budget and its result: an element of the field `budgets`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BudgetJson {
    /// The budget as it was written.
    pub budget: String,
    /// The limit in numbers, in the unit of the metric.
    pub limit: Option<f64>,
    /// What was measured, in that unit; `None` if the run does not have it.
    pub measured: Option<f64>,
    /// Whether the budget is kept.
    pub state: BudgetState,
}

impl BudgetJson {
    /// What a document says of a budget that was checked in a run.
    pub fn new(budget: &Budget, outcome: &Outcome) -> Self {
        let Outcome { limit, measured, state } = *outcome;
        BudgetJson { budget: budget.text().to_owned(), limit, measured, state }
    }
}

/// How much of a document is written.
#[derive(Clone, Copy, Debug)]
pub enum Detail<'a> {
    /// Samples, figures and verdict.
    Samples,
    /// No `times_ns` and no `residency`: the figures without the samples; with the results of budgets, if
    /// there are any.
    Figures(&'a [BudgetJson]),
}

#[derive(Serialize)]
struct BandData<'a> {
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

/// The series on the axis of the bands, each by the id of its figure.
struct Heap<'a>(&'a HeapSeries);

impl Serialize for Heap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_there =
            |figure: &HeapSeriesKind| !figure.row().is_rare || !self.0[*figure].points.is_empty();
        let figures = HeapSeriesKind::on_the_heap_axis().filter(is_there);
        serializer.collect_map(figures.map(|figure| (figure.id(), &self.0[figure].points)))
    }
}

/// The chart and what was found, as one line of JSON and a line end.
pub fn write(run: &ProfileView<'_>) -> String {
    let mut text = Vec::new();
    write_to(run, &RunLabels::default(), Detail::Samples, &mut text).expect("memory");
    String::from_utf8(text).expect("made of texts")
}

/// Writes what [`write()`] gives piece by piece, without keeping all of it in memory.
///
/// # Errors
/// Those of `out`.
pub fn write_to(
    run: &ProfileView<'_>,
    identity: &RunLabels,
    detail: Detail<'_>,
    out: impl io::Write,
) -> io::Result<()> {
    write_json(out, &document(run, identity, detail))
}

fn document<'a>(
    run: &'a ProfileView<'_>,
    identity: &'a RunLabels,
    detail: Detail<'a>,
) -> ProfileDocument<'a> {
    let (chart, analysis) = (run.chart(), run.analysis());
    let (has_samples, budgets) = match detail {
        Detail::Samples => (true, &[][..]),
        Detail::Figures(budgets) => (false, budgets),
    };
    ProfileDocument {
        format: "heapviz",
        version: 2,
        heapviz: env!("CARGO_PKG_VERSION"),
        file: identity.file.as_deref(),
        labels: &identity.labels,
        source: chart.source,
        state: chart.condition,
        job: chart.job.as_deref(),
        date: run.slice().metadata().date.as_deref(),
        started_unix_ns: chart.started_unix_ns,
        rts: run.slice().metadata().rts.as_deref(),
        breakdown: chart.breakdown,
        clock: chart.clock,
        first_sample: chart.number(0),
        times_ns: has_samples.then_some(&chart.times),
        total: &chart.total,
        bands: bands(run, has_samples),
        trace: left_out(&chart.trace),
        excluded: left_out(&chart.excluded),
        markers: &chart.markers,
        heap: Heap(&chart.heap),
        warnings: &chart.warnings,
        losses: run.slice().profile().losses(),
        verdict: &analysis.account,
        metrics: MetricsJson::new(run.slice(), analysis),
        runtime: run.runtime(),
        budgets,
    }
}

/// The layers, top of the stack first; the kept rows of the ranking are those that are one band.
fn bands<'a>(run: &'a ProfileView<'_>, has_samples: bool) -> Vec<BandData<'a>> {
    let (chart, slice) = (run.chart(), run.slice());
    let account = run.account();
    let rises = account.rises.iter().chain(&account.excused);
    let rises: HashMap<Who, &Rise> =
        rises.filter(|rise| rise.end.reaches_the_end()).map(|rise| (rise.who, rise)).collect();
    let mut rows = chart.ranking.kept.iter().rev();
    let band = |layer: &'a Layer| {
        let row = (layer.role == LayerRole::Band).then(|| rows.next().copied()).flatten();
        BandData {
            label: &layer.label,
            role: layer.role,
            members: layer.members,
            total: layer.total,
            grouped: row.map_or(Vec::new(), |row| grouped(slice, row)),
            retainer_sets: row.map_or(Vec::new(), |row| {
                slice.retainer_sets(row).iter().map(|set| set.retainers.clone()).collect()
            }),
            statistics: row.map(|row| {
                statistics(slice, run.analysis(), row, rises.get(&Who::Band(row)).copied())
            }),
            residency: has_samples.then_some(&layer.residency),
        }
    };
    chart.layers.iter().rev().map(band).collect()
}

/// The labels of the bands that a group stands for; empty for a row that is a band.
fn grouped(slice: &Slice<'_>, row: RowId) -> Vec<String> {
    if slice.key(row).is_some() {
        return Vec::new();
    }
    slice.members(row).iter().map(|&band| slice.band(band).label.to_owned()).collect()
}

fn left_out(bands: &chart::LeftOut) -> LeftOutJson {
    LeftOutJson { bands: bands.bands, total: bands.total, share_percent: bands.share_percent() }
}

/// The figures of the run in the field `metrics`.
#[derive(Serialize)]
struct MetricsJson {
    peak: u128,
    peak_ns: Option<Nanos>,
    peak_sample: SampleNumber,
    p99: u128,
    mean: u128,
    r#final: u128,
    growth_bytes_per_s: f64,
    growth_bytes_per_mutator_s: Option<f64>,
    kept_percent: Option<f64>,
    duration_s: f64,
    samples: usize,
    per: &'static str,
}

impl MetricsJson {
    fn new(slice: &Slice<'_>, analysis: &Analysis) -> Self {
        let heap = &analysis.figures.heap;
        let is_there = heap.peak_sample < slice.len();
        let grows = analysis.account.heap.as_ref();
        MetricsJson {
            peak: heap.peak,
            peak_ns: is_there.then(|| slice.when(heap.peak_sample)).flatten(),
            peak_sample: slice.number(heap.peak_sample),
            p99: heap.p99,
            mean: heap.mean,
            r#final: heap.r#final,
            growth_bytes_per_s: grows.map_or(0.0, |rise| rise.rate),
            growth_bytes_per_mutator_s: grows.and_then(|rise| rise.running_rate),
            kept_percent: Metric::Keep.of_heap(slice, analysis),
            duration_s: heap.duration,
            samples: slice.with_data(),
            per: unit_of_rates(slice.clock()),
        }
    }
}

fn unit_of_rates(clock: Clock) -> &'static str {
    match clock {
        Clock::Elapsed => "second",
        Clock::Mutator => "cpu-second",
        Clock::Sample => "sample",
    }
}

/// What is known about one band beyond its residency.
#[derive(Serialize)]
struct StatisticsJson {
    id: usize,
    peak: u64,
    peak_ns: Option<Nanos>,
    peak_sample: SampleNumber,
    mean: f64,
    last: u64,
    share_percent: f64,
    growth_bytes_per_s: f64,
    since_ns: Option<Nanos>,
}

fn statistics(
    slice: &Slice<'_>,
    analysis: &Analysis,
    row: RowId,
    rise: Option<&Rise>,
) -> StatisticsJson {
    let band = &analysis.figures.bands[row.index()];
    StatisticsJson {
        id: row.index(),
        peak: band.peak,
        peak_ns: slice.when(band.peak_sample),
        peak_sample: slice.number(band.peak_sample),
        mean: band.mean,
        last: band.last,
        share_percent: analysis.figures.share_percent(row),
        growth_bytes_per_s: rise.map_or(0.0, |rise| rise.rate),
        since_ns: rise.and_then(|rise| rise.since),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::{unit_of_rates, write};
    use crate::analysis::budget::BudgetState;
    use crate::analysis::metric::Unit;
    use crate::analysis::{Leak, Manner, Metric, MoveKind, RiseEnd, Shape};
    use crate::chart::LayerRole;
    use crate::incident::Condition;
    use crate::profile::{Breakdown, Clock, ClosureKind, HeapSeriesKind, MarkerKind, Source};
    use crate::profile_view::ProfileView;

    /// All values of an enum without fields: serde names them when it refuses another name.
    fn all<T: DeserializeOwned>() -> Vec<T> {
        let refusal = serde_json::from_value::<T>(json!("")).err().expect("no such name");
        let refusal = refusal.to_string();
        let names = refusal.split('`').skip(3).step_by(2);
        names.map(|name| serde_json::from_value(json!(name)).expect(name)).collect()
    }

    fn names<T: DeserializeOwned + Serialize>() -> Vec<Value> {
        all::<T>().iter().map(|one| json!(one)).collect()
    }

    /// Every `enum` of a schema with its place.
    fn enums(schema: &Value, place: &str, found: &mut BTreeMap<String, Vec<Value>>) {
        for (name, part) in schema.as_object().into_iter().flatten() {
            match (name.as_str(), part) {
                ("enum", Value::Array(values)) => drop(found.insert(place.into(), values.clone())),
                ("properties" | "items" | "definitions", part) => enums(part, place, found),
                (name, part) => enums(part, &format!("{place}/{name}"), found),
            }
        }
    }

    #[test]
    fn the_enums_of_the_schema_have_what_the_code_has() {
        let mut listed = BTreeMap::new();
        enums(&schema(), "", &mut listed);
        let or_null = |names: Vec<Value>| names.into_iter().chain([Value::Null]).collect();
        let known: BTreeMap<String, Vec<Value>> = [
            ("/bands/role", names::<LayerRole>()),
            ("/breakdown", names::<Breakdown>()),
            ("/budgets/state", names::<BudgetState>()),
            ("/clock", names::<Clock>()),
            ("/markers/kind", names::<MarkerKind>()),
            ("/metrics/per", all().into_iter().map(|clock| json!(unit_of_rates(clock))).collect()),
            ("/rise/ends", names::<RiseEnd>()),
            ("/rise/kind", or_null(names::<ClosureKind>())),
            ("/rise/manner", names::<Manner>()),
            ("/source", names::<Source>()),
            ("/state", names::<Condition>()),
            ("/verdict/leak", names::<Leak>()),
            ("/verdict/movements/kind", names::<MoveKind>()),
            ("/verdict/shape", or_null(names::<Shape>())),
        ]
        .map(|(place, names)| (place.to_owned(), names))
        .into();
        // A budget cannot ask for what is unknown.
        let grades =
            Unit::Grade.names().into_iter().chain([Leak::Unknown.id()]).map(|leak| json!(leak));
        let sorted = |mut names: Vec<Value>| {
            names.sort_by_key(Value::to_string);
            names
        };
        assert_eq!(
            listed.keys().collect::<Vec<_>>(),
            known.keys().collect::<Vec<_>>(),
            "an enum of the schema that no type of the code gives"
        );
        assert_eq!(sorted(grades.collect()), sorted(names::<Leak>()), "grades of budgets");
        for (place, names) in listed {
            assert_eq!(sorted(names), sorted(known[&place].clone()), "{place}");
        }
    }

    /// Where a document has what a budget can ask for.
    fn place(metric: Metric) -> &'static str {
        match metric {
            Metric::Peak => "metrics/peak",
            Metric::P99 => "metrics/p99",
            Metric::Mean => "metrics/mean",
            Metric::Final => "metrics/final",
            Metric::Growth => "metrics/growth_bytes_per_s",
            Metric::Keep => "metrics/kept_percent",
            Metric::Samples => "metrics/samples",
            Metric::Duration => "metrics/duration_s",
            Metric::Leak => "verdict/leak",
            Metric::Shape => "verdict/shape",
            Metric::HeapSize => "heap/size",
            Metric::Live => "heap/live",
            Metric::Allocated => "runtime/allocation/bytes",
            Metric::Pauses => "runtime/gc/pause_ns",
            Metric::LongestPause => "runtime/gc/longest_ns",
            Metric::Productivity => "runtime/gc/productivity_percent",
        }
    }

    #[test]
    fn every_metric_of_budgets_is_in_the_document_and_in_the_schema() {
        let log = std::fs::File::open("samples/words-lazy.eventlog.gz").expect("a log");
        let profile = crate::input::read(log, &Default::default()).expect("a profile");
        let options = Default::default();
        let run = ProfileView::new(&profile, &options).expect("all of it");
        let document: Value = serde_json::from_str(&write(&run)).expect("JSON");
        for metric in Metric::ALL {
            let place = format!("/{}", place(metric));
            assert!(document.pointer(&place).is_some(), "{place} in the document");
            let place = place.replace('/', "/properties/");
            assert!(schema().pointer(&place).is_some(), "{place} in the schema");
        }
    }

    fn schema() -> Value {
        serde_json::from_str(include_str!("../../docs/heapviz.schema.json")).expect("JSON")
    }

    #[test]
    fn the_schema_lists_the_series_of_the_heap() {
        let heap = &schema()["properties"]["heap"];
        let listed: BTreeSet<&str> =
            heap["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(listed, HeapSeriesKind::on_the_heap_axis().map(HeapSeriesKind::id).collect());
        let required = heap["required"].as_array().unwrap().len();
        assert_eq!(
            required,
            HeapSeriesKind::on_the_heap_axis().filter(|it| !it.row().is_rare).count()
        );
    }
}
