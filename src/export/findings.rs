//! What the analysis found, as the parts of the JSON document.

use serde::Serialize;

use crate::analysis::{
    After, Analysis, Climb, Kind, Leak, Phase, Rows, Slope, Suspect, Verdict, rates,
};
use crate::base::units::{Nanos, UnitSystem};
use crate::chart::Clock;
use crate::slice::{RowId, Slice};

/// The field `verdict`.
#[derive(Serialize)]
pub struct VerdictJson<'a> {
    leak: Leak,
    suspects: Vec<SuspectJson<'a>>,
    /// How many bands grow, including those that are too small to be named.
    growing: usize,
    grew: u64,
    rate_bytes_per_s: f64,
    climbs: Vec<ClimbJson<'a>>,
    remarks: Vec<String>,
    observed_ns: Option<Nanos>,
    samples: usize,
}

#[derive(Serialize)]
struct SuspectJson<'a> {
    id: Option<usize>,
    label: &'a str,
    grew: u64,
    share_percent: f64,
    rate_bytes_per_s: f64,
    since_ns: Option<Nanos>,
    since_sample: usize,
    at_end: u64,
    kind: Option<Kind>,
    place: Option<&'a str>,
}

#[derive(Serialize)]
struct ClimbJson<'a> {
    id: usize,
    label: &'a str,
    rose: u64,
    from_ns: Option<Nanos>,
    to_ns: Option<Nanos>,
    from_sample: usize,
    to_sample: usize,
    after: After,
}

impl<'a> VerdictJson<'a> {
    /// The verdict; samples are numbered from `first`, the number of the first one shown.
    pub fn of(verdict: &'a Verdict, first: usize) -> Self {
        VerdictJson {
            leak: verdict.leak,
            suspects: verdict.suspects.iter().map(|suspect| suspect_json(suspect, first)).collect(),
            growing: verdict.growing,
            grew: verdict.grew,
            rate_bytes_per_s: verdict.rate,
            climbs: verdict.climbs.iter().map(|climb| climb_json(climb, first)).collect(),
            remarks: verdict.remarks.iter().map(|r| r.text(UnitSystem::Binary)).collect(),
            observed_ns: verdict.observed,
            samples: verdict.samples,
        }
    }
}

fn suspect_json(suspect: &Suspect, first: usize) -> SuspectJson<'_> {
    SuspectJson {
        id: suspect.row,
        label: &suspect.label,
        grew: suspect.grew,
        share_percent: suspect.share_percent,
        rate_bytes_per_s: suspect.rate,
        since_ns: suspect.since,
        since_sample: first + suspect.since_sample,
        at_end: suspect.at_end,
        kind: suspect.kind,
        place: suspect.place.as_deref(),
    }
}

fn climb_json(climb: &Climb, first: usize) -> ClimbJson<'_> {
    ClimbJson {
        id: climb.row,
        label: &climb.label,
        rose: climb.rose,
        from_ns: climb.times.map(|times| times.0),
        to_ns: climb.times.map(|times| times.1),
        from_sample: first + climb.samples.0,
        to_sample: first + climb.samples.1,
        after: climb.after,
    }
}

/// The field `metrics`.
#[derive(Serialize)]
pub struct MetricsJson {
    peak: u128,
    peak_ns: Option<Nanos>,
    peak_sample: usize,
    p99: u128,
    mean: u128,
    r#final: u128,
    growth_bytes_per_s: f64,
    duration_s: f64,
    samples: usize,
    /// What rates and durations count.
    per: &'static str,
}

impl MetricsJson {
    /// The figures of the run.
    pub fn of(slice: &Slice<'_>, analysis: &Analysis) -> Self {
        let heap = &analysis.figures.heap;
        let is_there = heap.peak_sample < slice.len();
        MetricsJson {
            peak: heap.peak,
            peak_ns: is_there.then(|| slice.when(heap.peak_sample)).flatten(),
            peak_sample: slice.number(heap.peak_sample),
            p99: heap.p99,
            mean: heap.mean,
            r#final: heap.last,
            growth_bytes_per_s: analysis.verdict.rate,
            duration_s: heap.duration,
            samples: slice.len(),
            per: match slice.clock() {
                Clock::Elapsed => "second",
                Clock::Mutator => "cpu-second",
                Clock::Sample => "sample",
            },
        }
    }
}

/// An element of the field `phases`.
#[derive(Serialize)]
pub struct PhaseJson<'a> {
    label: Option<&'a str>,
    from_ns: Nanos,
    to_ns: Nanos,
    samples: usize,
    mean: u128,
    peak: u128,
    gained: Option<GainJson<'a>>,
}

#[derive(Serialize)]
struct GainJson<'a> {
    id: usize,
    label: &'a str,
    bytes: u64,
}

impl<'a> PhaseJson<'a> {
    /// A phase of a run.
    pub fn of(phase: &'a Phase, rows: &Rows<'a>) -> Self {
        PhaseJson {
            label: phase.label.as_deref(),
            from_ns: phase.from,
            to_ns: phase.to,
            samples: phase.samples,
            mean: phase.mean,
            peak: phase.peak,
            gained: phase.gained.map(|(row, bytes)| GainJson {
                id: row,
                label: rows.label(row),
                bytes,
            }),
        }
    }
}

/// What is known about one band beyond its residency.
#[derive(Serialize)]
pub struct StatisticsJson {
    id: usize,
    peak: u64,
    peak_ns: Option<Nanos>,
    peak_sample: usize,
    mean: f64,
    last: u64,
    share_percent: f64,
    growth_bytes_per_s: f64,
    /// The ends of a 95 % interval of the growth.
    growth_from: f64,
    growth_to: f64,
    since_ns: Option<Nanos>,
}

/// The statistics of some rows.
pub fn statistics(slice: &Slice<'_>, analysis: &Analysis, rows: &[RowId]) -> Vec<StatisticsJson> {
    let wanted: Vec<usize> = rows.iter().map(|row| row.index()).collect();
    let rates = rates(&Rows::of(slice), &analysis.figures.total, &wanted);
    wanted.iter().zip(rates).map(|(&row, rate)| one(slice, analysis, row, rate)).collect()
}

fn one(slice: &Slice<'_>, analysis: &Analysis, row: usize, rate: Slope) -> StatisticsJson {
    let band = &analysis.figures.bands[row];
    let suspect = analysis.verdict.suspects.iter().find(|suspect| suspect.row == Some(row));
    StatisticsJson {
        id: row,
        peak: band.peak,
        peak_ns: slice.when(band.peak_sample),
        peak_sample: slice.number(band.peak_sample),
        mean: band.mean,
        last: band.last,
        share_percent: analysis.figures.share_percent(row),
        growth_bytes_per_s: rate.middle,
        growth_from: rate.low,
        growth_to: rate.high,
        since_ns: suspect.and_then(|suspect| suspect.since),
    }
}
