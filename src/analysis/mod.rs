//! The interpretation of a profile: figures, phases, and the verdict on whether something leaks.
//!
//! Everything here is a function of all rows of a profile, before bands are chosen to be drawn: a
//! leak may be smaller than what a picture shows. `docs/diagnosis.md` explains the method, how it
//! was tested, and what it cannot know.
//!
//! `robust.rs` has the estimators, `growth.rs` the curves that they are applied to and the judgement of
//! one, `verdict.rs` that of a heap; `suspect.rs` turns what was found into what readers see, and
//! `rows.rs` is the one place that reads a profile.

pub mod alert;
pub mod baseline;
pub mod budget;
mod figures;
mod growth;
mod phases;
mod rates;
pub(crate) mod robust;
pub(crate) mod rows;
pub mod runtime;
mod sampling;
mod suspect;
mod verdict;
mod words;

#[cfg(test)]
mod simulated;
#[cfg(test)]
pub(crate) mod testing;

pub use figures::{BandFigures, Figures, HeapFigures};
pub(crate) use figures::{last_full, mean_over_time, time_weights};
pub use growth::Manner;
pub use phases::{Gain, MOST_PHASES, Phase};
#[cfg(feature = "report")]
pub(crate) use rates::Courses;
pub use rates::rates;
pub use robust::Slope;
pub use rows::Rows;
pub use sampling::{Interval, SamplingAdvice, Why};
pub use suspect::{After, Climb, InStep, Kind, Suspect};
pub use verdict::{FEWEST_SAMPLES, Leak, RunEnd};
pub use words::{place_text, rate_text};

use serde::{Serialize, Serializer};

use crate::base::parallel::at_once;
use crate::base::units::{Nanos, UnitSystem};
use crate::profile::{Breakdown, Clock, HeapFigure};
use crate::slice::Slice;
use figures::Totals;
use growth::{Curve, Demands, growth};
use rows::Work;
use suspect::{climb, in_step, rises, suspects};
use verdict::{Candidate, Evidence, Excuse, Finding, Judged, judge};

/// What is known about a run beyond its samples.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// Peaks, means and shares.
    pub figures: Figures,
    /// Whether something leaks.
    pub verdict: Verdict,
    /// The run from marker to marker; empty without markers.
    pub phases: Vec<Phase>,
}

/// Whether something leaks, and what.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// The answer.
    pub leak: Leak,
    /// What grows to the end of the run, most bytes first.
    pub suspects: Vec<Suspect>,
    /// How many bands grow, including those that are too small to be named among the suspects.
    pub growing: usize,
    /// The number of bytes that all growing bands grew by together.
    pub grew: u64,
    /// How fast: bytes a second of the profile's clock, or a sample where samples have no times.
    #[serde(rename = "rate_bytes_per_s")]
    pub rate: f64,
    /// How fast in running time without collections, in bytes a second, if the log has collections.
    #[serde(rename = "rate_bytes_per_mutator_s")]
    pub running_rate: Option<f64>,
    /// The share of what was allocated meanwhile that stayed, in percent, if the log counts
    /// allocation. It does not depend on the machine.
    pub kept_percent: Option<f64>,
    /// The number of bytes that all bands together grew by since the growth began; below zero if they
    /// fell.
    pub heap_grew: i64,
    /// Bands that rose and then stopped or fell.
    pub climbs: Vec<Climb>,
    /// What a reader must know to understand the verdict.
    pub remarks: Vec<Remark>,
    /// How long the run was observed; `None` where samples have no times.
    #[serde(rename = "observed_ns")]
    pub observed: Option<Nanos>,
    /// How many samples were judged.
    pub samples: usize,
    /// The time of the last sample; `None` where samples have no times.
    #[serde(skip)]
    pub until: Option<Nanos>,
    /// What the times count.
    #[serde(skip)]
    pub clock: Clock,
    /// What a band stands for.
    #[serde(skip)]
    pub breakdown: Breakdown,
    /// Whether the program was built for profiling.
    #[serde(skip)]
    pub profiled: bool,
    /// What comes after the last sample: for a running program, no leak is ever graded as likely.
    #[serde(skip)]
    pub end: RunEnd,
}

/// What a reader must know to understand a verdict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// The run-time system's live bytes grew more than four times as much as all bands.
    OutsideBands {
        /// The number of bytes that they grew by.
        live: u64,
        /// The number of bytes that all bands grew by in the same time.
        bands: u64,
    },
    /// A census counts more than the heap can hold: the non-moving collector counts large objects
    /// several times, so rates and budgets are wrong.
    MoreThanTheHeap {
        /// All bands of one sample together.
        bands: u64,
        /// The heap at that time.
        heap: u64,
    },
    /// The first suspect is only an address; this is the first suspect that has a name.
    NamedSuspect {
        /// Its label.
        label: String,
    },
    /// The next run should be sampled differently.
    Sampling(SamplingAdvice),
    /// Only all bands together were judged: a band of an era stops growing when its era ends.
    ErasEnd,
    /// Bands grow to the end of the run, but other bands fall, so the heap does not grow, or shrinks.
    OthersFell {
        /// The label of the one that grew most.
        label: String,
        /// The number of bytes that all those that grow grew by.
        grew: u64,
        /// The number of bytes that the others fell by.
        fell: u64,
    },
    /// A band grew more than one that is accused, and it is not accused itself.
    GrewMore {
        /// Its label.
        label: String,
        /// The number of bytes that it grew by since the growth began.
        grew: u64,
        /// Why it is not accused.
        why: WhyNot,
    },
    /// The profiler does not know who holds a suspect.
    WithoutOwner {
        /// Its label.
        label: String,
        /// The bands that grow in proportion to it, most bytes first.
        in_step: Vec<InStep>,
    },
    /// A band rises to the end of the run, and it is not accused.
    StillRises {
        /// Its label.
        label: String,
        /// The number of bytes that it rose by.
        rose: u64,
        /// Why it is not accused.
        why: WhyNot,
    },
}

/// Its sentences, with sizes in binary units.
impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text(UnitSystem::Binary))
    }
}

/// Why a band that rises to the end of the run is not accused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyNot {
    /// Most of what grew in the heap has stopped growing.
    MostHasStopped,
    /// It does not grow at the end.
    StandsStill,
    /// It falls a lot in between.
    Falls,
    /// It slows down like something that has a bound, or chance could explain it, or it has not
    /// risen for long.
    NotSure,
}

impl Analysis {
    /// Analyses a slice.
    pub fn of(slice: &Slice<'_>) -> Self {
        let rows = Rows::of(slice);
        let totals = Totals::of(&rows);
        let ((verdict, phases), figures) = at_once(
            rows.are_many(),
            || (verdict_of(&rows, &totals), phases::phases(&rows, &totals.all)),
            || Figures::of(&rows, totals.all.clone()),
        );
        Analysis { figures, verdict, phases }
    }
}

impl Verdict {
    /// Only the verdict, the same as in [`Analysis::of`]: for a picture, which shows no figures.
    pub fn of(slice: &Slice<'_>) -> Self {
        let rows = Rows::of(slice);
        verdict_of(&rows, &Totals::of(&rows))
    }
}

/// What is judged of a run: some of its samples, and the bands that change.
struct Sampled {
    picks: Vec<usize>,
    axis: Vec<f64>,
    work: Work,
    total: Vec<f64>,
    candidates: Vec<Candidate>,
    end: RunEnd,
}

impl Sampled {
    fn of(rows: &Rows<'_>, totals: &Totals) -> Sampled {
        let picks = picks(rows.samples(), MOST_SAMPLES);
        let picked = |all: Vec<f64>| -> Vec<f64> { picks.iter().map(|&at| all[at]).collect() };
        let Work { allocated, running } = rows.work();
        let total: Vec<f64> = picks.iter().map(|&at| totals.selected[at] as f64).collect();
        Sampled {
            axis: picked(rows.axis()),
            work: Work { allocated: allocated.map(picked), running: running.map(picked) },
            candidates: candidates(rows, &total, &picks, MOST_NUMBERS),
            total,
            end: rows.end(),
            picks,
        }
    }

    /// What is found, by the numbers of all samples.
    fn finding(&self, breakdown: Breakdown) -> Finding {
        let mut finding = judge(&Evidence {
            times: &self.axis,
            allocated: self.work.allocated.as_deref(),
            running: self.work.running.as_deref(),
            total: &self.total,
            candidates: &self.candidates,
            judged: if breakdown == Breakdown::Era { Judged::Total } else { Judged::Bands },
            end: self.end,
        });
        // What grows from the first of them grows from the start.
        let at = |since: usize| if since == 0 { 0 } else { self.picks[since] };
        finding.growers.iter_mut().for_each(|grower| grower.since = at(grower.since));
        finding
    }

    /// How many of the samples are before the exit.
    fn to_exit(&self) -> usize {
        let allocated = self.work.allocated.as_deref();
        verdict::samples_to_exit(&self.axis, allocated, &self.total, self.end)
    }
}

fn verdict_of(rows: &Rows<'_>, totals: &Totals) -> Verdict {
    let sampled = Sampled::of(rows, totals);
    let mut finding = sampled.finding(rows.breakdown());
    let excused = excused(rows, &mut finding);
    if sampled.end == RunEnd::Running {
        // Most young heaps grow.
        finding.leak = finding.leak.min(Leak::Possible);
    }
    let first = rows.when(0);
    let last = rows.when(rows.samples().saturating_sub(1));
    let mut verdict = Verdict {
        leak: finding.leak,
        suspects: suspects(rows, totals, &finding),
        growing: finding.growing,
        grew: finding.bytes as u64,
        rate: finding.rate,
        running_rate: finding.running_rate,
        kept_percent: finding.kept.map(|kept| 100.0 * kept),
        heap_grew: 0,
        climbs: Vec::new(),
        remarks: excused.into_iter().collect(),
        observed: first.zip(last).map(|(first, last)| last.since(first)),
        samples: totals.selected.iter().filter(|&&bytes| bytes > 0).count(),
        until: last,
        clock: rows.clock(),
        breakdown: rows.breakdown(),
        profiled: rows.is_profiled(),
        end: sampled.end,
    };
    let sampling = sampling::advice(rows, verdict.samples).map(Remark::Sampling);
    if verdict.leak == Leak::Unknown {
        verdict.remarks.extend(sampling);
        return verdict;
    }
    // Compact regions are filled on purpose and kept as a whole, so their growth is hardly a
    // mistake.
    if verdict.suspects.first().is_some_and(|first| first.kind == Some(Kind::CompactRegion)) {
        verdict.leak = verdict.leak.min(Leak::Possible);
    }
    add_whole(rows, &sampled, &mut verdict);
    add_live_bytes(rows, &sampled, &mut verdict);
    add_remarks(rows, totals, &mut verdict);
    add_climbs(rows, &sampled, &mut verdict);
    verdict.remarks.extend(sampling);
    verdict
}

/// Reports what the whole heap did since the growth began, which bands grew more than one that is
/// accused, and what grows in step with a suspect that has no owner.
fn add_whole(rows: &Rows<'_>, sampled: &Sampled, verdict: &mut Verdict) {
    let n = sampled.to_exit();
    let Some(first) = verdict.suspects.iter().map(|suspect| suspect.since_sample).min() else {
        return;
    };
    let from = sampled.picks.partition_point(|&pick| rows.number(pick) < first);
    let end = ((n - from) / 20).max(1);
    let grew = |values: &[f64]| {
        let median = |part: &[f64]| robust::median_of(part.iter().copied());
        median(&values[n - end..n]) - median(&values[from..from + end])
    };
    verdict.heap_grew = grew(&sampled.total) as i64;
    let accused = |row: usize| verdict.suspects.iter().any(|suspect| suspect.row == Some(row));
    // All bands together leave none out.
    let least = verdict.suspects.iter().map(|s| s.row.map_or(u64::MAX, |_| s.grew)).min();
    let others = sampled.candidates.iter().filter(|candidate| !accused(candidate.row));
    let most = others
        .map(|candidate| (candidate, grew(&candidate.values)))
        .max_by(|a, b| robust::ascending(&a.1, &b.1));
    let mut remarks = Vec::new();
    if let Some((candidate, grew)) = most
        && least.is_some_and(|least| least < u64::MAX && grew > least as f64)
    {
        let label = rows.label(candidate.row).to_owned();
        let why = why_not(&candidate.values[from..n], grew);
        remarks.push(Remark::GrewMore { label, grew: grew as u64, why });
    }
    let ownerless = verdict.suspects.iter().find(|s| s.kind.is_some_and(Kind::has_no_owner));
    if let Some((suspect, row)) = ownerless.and_then(|suspect| Some((suspect, suspect.row?))) {
        let in_step = in_step(rows, &sampled.picks[from..n], row);
        remarks.push(Remark::WithoutOwner { label: suspect.label.clone(), in_step });
    }
    verdict.remarks.extend(remarks);
}

/// Why a band that grew by so many bytes is not accused.
fn why_not(values: &[f64], grew: f64) -> WhyNot {
    let late = &values[values.len() - (values.len() / 8).max(2).min(values.len())..];
    let (first, second) = late.split_at(late.len() / 2);
    let median = |part: &[f64]| robust::median_of(part.iter().copied());
    match median(second) - median(first) {
        gained if gained <= 0.005 * grew => WhyNot::StandsStill,
        _ if verdict::deepest_fall(values) >= 0.3 * grew => WhyNot::Falls,
        _ => WhyNot::NotSure,
    }
}

/// Reports the rises of bands that are not accused.
fn add_climbs(rows: &Rows<'_>, sampled: &Sampled, verdict: &mut Verdict) {
    let peak = sampled.total.iter().copied().fold(0.0, f64::max);
    let found = rises(&sampled.axis, sampled.to_exit(), peak, &sampled.candidates);
    let accused = |row| verdict.suspects.iter().any(|suspect| suspect.row == Some(row));
    let ended = found.ended.iter().filter(|rise| !accused(rise.row));
    verdict.climbs = ended.map(|rise| climb(rows, rise, &sampled.picks)).collect();
    if let Some(&(row, bytes)) = found.going_on.first()
        && verdict.leak == Leak::None
    {
        // Of two reasons not to accuse, readers want the one about the much larger rise.
        let (label, rose) = (rows.label(row).to_owned(), bytes as u64);
        if verdict.remarks.iter().all(|remark| remark.rise().is_none_or(|other| other < rose / 2)) {
            verdict.remarks.retain(|remark| remark.rise().is_none());
            verdict.remarks.insert(0, Remark::StillRises { label, rose, why: WhyNot::NotSure });
        }
    }
}

/// Reports bands that grow although the heap as a whole does not; then nothing is accused, unless
/// what grows is not evaluated. A list that is read while thunks pile up looks like one type of
/// record that replaces another, but what is replaced is the work that is still to be done.
fn excused(rows: &Rows<'_>, finding: &mut Finding) -> Option<Remark> {
    let (first, excuse) = (finding.growers.first()?, finding.excuse?);
    let label = first.row.map_or("", |row| rows.label(row)).to_owned();
    let kind = Kind::of(rows.breakdown(), &label, first.manner);
    let remark = match excuse {
        Excuse::OthersFell(fell) => {
            Remark::OthersFell { label, grew: finding.bytes as u64, fell: fell as u64 }
        }
        Excuse::MostHasStopped => {
            Remark::StillRises { label, rose: first.bytes as u64, why: WhyNot::MostHasStopped }
        }
    };
    if kind == Some(Kind::Unevaluated) && matches!(excuse, Excuse::OthersFell(_)) {
        finding.leak = Leak::Possible;
    } else {
        *finding = Finding::of(Leak::None);
    }
    Some(remark)
}

/// The most samples that are judged: every n-th of them when there are more, up to the last one.
/// Judging more would take longer and give the same verdict.
const MOST_SAMPLES: usize = 8192;

/// The most samples that are searched for bands that change: growth to the end of a run shows in a
/// few samples, and most bands of a heap hardly change.
const MOST_ASKED: usize = 64;

/// At most about this many of the samples, evenly spread, with the last.
fn picks(samples: usize, most: usize) -> Vec<usize> {
    let step = samples.div_ceil(most).max(1);
    let mut picks: Vec<usize> = (0..samples).rev().step_by(step).collect();
    picks.reverse();
    picks
}

/// The most numbers that all judged bands have together: 32 MiB of them. If bands must be left out,
/// those that change least are.
const MOST_NUMBERS: usize = 1 << 22;

/// The bands that change enough to be judged, as dense rows of the picked samples, and some more
/// that change about as much; at most so many `numbers` together.
fn candidates(rows: &Rows<'_>, total: &[f64], picks: &[usize], numbers: usize) -> Vec<Candidate> {
    let least = (verdict::least_change(robust::mean(total)) / 2.0) as u64;
    let asked: Vec<(usize, f64)> =
        self::picks(picks.len(), MOST_ASKED).into_iter().map(|pick| (picks[pick], 0.0)).collect();
    let bands = figures::bands(rows, asked.into_iter());
    let change = |row: usize| bands[row].peak - bands[row].least.min(bands[row].peak);
    let mut wanted: Vec<usize> =
        (0..bands.len()).filter(|&row| change(row) >= least && rows.takes_part(row)).collect();
    let most = numbers / picks.len().max(1);
    if wanted.len() > most {
        wanted.sort_by_key(|&row| (std::cmp::Reverse(change(row)), row));
        wanted.truncate(most);
        wanted.sort_unstable();
    }
    // One column for each of them and one for all others, so that the loop over points needs no
    // test.
    let width = wanted.len() + 1;
    let mut column_of = vec![width - 1; rows.count()];
    wanted.iter().enumerate().for_each(|(i, &row)| column_of[row] = i);
    let mut line = vec![0u64; width];
    let mut candidates: Vec<Candidate> =
        wanted.into_iter().map(|row| Candidate { row, values: vec![0.0; picks.len()] }).collect();
    for (pick, &sample) in picks.iter().enumerate() {
        rows.each_point(sample, |row, size| {
            let bytes = &mut line[column_of[row]];
            *bytes = bytes.saturating_add(size);
        });
        for (candidate, bytes) in candidates.iter_mut().zip(&mut line) {
            candidate.values[pick] = std::mem::take(bytes) as f64;
        }
    }
    candidates
}

/// Checks the run-time system's own count of live bytes, which includes what no band contains.
fn add_live_bytes(rows: &Rows<'_>, sampled: &Sampled, verdict: &mut Verdict) {
    let Sampled { axis, total, picks, .. } = sampled;
    let heap = rows.heap();
    let points = heap[HeapFigure::Live].points();
    let n = sampled.to_exit();
    if rows.is_filtered() || rows.clock() == Clock::Sample {
        return;
    }
    let end = axis[n - 1];
    let points: Vec<(f64, f64)> = points
        .iter()
        .map(|(time, bytes)| (time.as_seconds(), bytes.get() as f64))
        .filter(|(time, _)| *time <= end)
        .collect();
    let (times, values): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    if times.len() < FEWEST_SAMPLES {
        return;
    }
    let busy = verdict::busy_time(&times);
    let curve = Curve::new(&busy, &values);
    let run = busy[busy.len() - 1];
    let Some(live) = growth(&curve, run, &Demands::default()) else { return };
    let since = curve.first_sample(live.since);
    let from = axis[..n].partition_point(|&time| time < times[since]);
    let bands = robust::slope(&axis[from..n], &total[from..n]).middle * (end - axis[from]);
    if live.manner == Manner::Doubling
        || live.bytes < 4.0 * bands.max(0.0)
        || live.bytes < verdict::least_change(robust::mean(total))
    {
        return;
    }
    let grew = live.bytes as u64;
    verdict.remarks.push(Remark::OutsideBands { live: grew, bands: bands.max(0.0) as u64 });
    if verdict.leak == Leak::None {
        verdict.leak = Leak::Possible;
        verdict.grew = grew;
        verdict.rate = live.rate;
        verdict.heap_grew = live.bytes as i64;
        verdict.suspects.push(Suspect {
            row: None,
            label: "live bytes".to_owned(),
            grew,
            share_percent: 100.0,
            rate: live.rate,
            interval: Slope::exactly(live.rate),
            running_rate: None,
            kept_percent: None,
            since: rows.when(picks[from]),
            since_sample: rows.number(picks[from]),
            from_start: picks[from] == 0,
            at_end: values[values.len() - 1] as u64,
            kind: Some(Kind::OutsideBands),
            place: None,
            objects: None,
        });
    }
}

fn add_remarks(rows: &Rows<'_>, totals: &Totals, verdict: &mut Verdict) {
    if rows.breakdown() == Breakdown::Era {
        verdict.remarks.push(Remark::ErasEnd);
    }
    if let Some(first) = verdict.suspects.first()
        && rows.is_bare(&first.label)
        && let Some(named) = verdict.suspects.iter().find(|suspect| !rows.is_bare(&suspect.label))
    {
        verdict.remarks.push(Remark::NamedSuspect { label: named.label.clone() });
    }
    let heap = rows.heap();
    let size = heap[HeapFigure::Size].points();
    let over = totals.all.iter().zip(rows.axis()).filter_map(|(&bands, time)| {
        let next = size.partition_point(|(at, _)| at.as_seconds() < time);
        // The heap may be measured shortly before the census or after it.
        let near = size[next.saturating_sub(1)..(next + 2).min(size.len())].iter();
        let heap = near.map(|(_, bytes)| bytes.get()).max()?;
        (bands > u128::from(heap) + u128::from(heap / 20)).then_some((bands, heap))
    });
    if let Some((bands, heap)) = over.max() {
        let bands = u64::try_from(bands).unwrap_or(u64::MAX);
        verdict.remarks.push(Remark::MoreThanTheHeap { bands, heap });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::growing;
    use crate::base::units::Bytes;

    #[test]
    fn a_band_that_is_not_accused_stands_still_or_falls() {
        // A thousand bytes in 40 samples; from the 35th on it grows by so much in each.
        let why = |late: f64, dip: f64| {
            let bytes = |i: usize| {
                let dip = if i == 20 { dip } else { 0.0 };
                25.0 * i.min(35) as f64 + late * i.saturating_sub(35) as f64 - dip
            };
            why_not(&(0..40).map(bytes).collect::<Vec<_>>(), 1000.0)
        };
        assert_eq!([2.0, 2.01].map(|late| why(late, 0.0)), [WhyNot::StandsStill, WhyNot::NotSure]);
        // It falls from 475 by three tenths of a thousand.
        assert_eq!([324.0, 325.0].map(|dip| why(25.0, dip)), [WhyNot::NotSure, WhyNot::Falls]);
        assert_eq!(why_not(&[1.0], 1000.0), WhyNot::StandsStill);
    }

    /// The verdict over one band and a heap figure at each of its samples, 40 seconds.
    fn judged(
        band: &dyn Fn(usize) -> f64,
        figure: HeapFigure,
        of: &dyn Fn(usize) -> f64,
    ) -> Verdict {
        let sizes: Vec<f64> = (0..40).map(band).collect();
        let mut builder = growing(&[("a", &sizes)], 1.0);
        for i in 0..40 {
            let time = Nanos::from_nanos(i as i64 * 1_000_000_000);
            builder.heap_point(figure, time, Bytes::new(of(i) as u64));
        }
        Analysis::of(&Slice::whole(&builder.finish())).verdict
    }

    #[test]
    fn bands_that_are_more_than_the_heap_was_then_are_remarked() {
        let line = |i: usize| 16e6 + 1e6 * i as f64;
        let is_remarked = |share: f64| {
            let verdict = judged(&line, HeapFigure::Size, &|i| share * line(i));
            verdict.remarks.iter().any(|remark| matches!(remark, Remark::MoreThanTheHeap { .. }))
        };
        assert_eq!([1.0, 0.96, 0.9].map(is_remarked), [false, false, true]);
    }

    #[test]
    fn live_bytes_that_no_band_has_are_a_suspect() {
        let suspect = |band: f64| {
            let verdict =
                judged(&|i| 1e6 + band * i as f64, HeapFigure::Live, &|i| 2e6 + 1e6 * i as f64);
            let first = verdict.suspects.first().and_then(|first| first.kind);
            (verdict.leak, first, verdict.heap_grew)
        };
        let outside = suspect(0.0);
        assert_eq!((outside.0, outside.1), (Leak::Possible, Some(Kind::OutsideBands)));
        assert!((outside.2 as f64 / 39e6 - 1.0).abs() < 0.1, "{}", outside.2);
        assert_ne!(suspect(0.5e6).1, Some(Kind::OutsideBands));
    }

    fn outside(verdict: &Verdict) -> Option<(u64, u64)> {
        verdict.remarks.iter().find_map(|remark| match remark {
            Remark::OutsideBands { live, bands } => Some((*live, *bands)),
            _ => None,
        })
    }

    #[test]
    fn live_bytes_are_remarked_if_they_grow_four_times_as_much_as_the_bands() {
        let live = |i: usize| 2e6 + 1e6 * i as f64;
        let grows = |rate: f64| judged(&|i| 5e6 + rate * i as f64, HeapFigure::Live, &live);
        let (live, bands) = outside(&grows(0.23e6)).expect("a remark");
        assert!((live as f64 / 39e6 - 1.0).abs() < 0.1, "{live}");
        assert!((bands as f64 / (0.23 * 39e6) - 1.0).abs() < 0.1, "{bands}");
        assert_eq!(outside(&grows(0.28e6)), None);
        assert_eq!(outside(&grows(-0.1e6)).map(|(_, bands)| bands), Some(0));
        // So little of the heap that it is noise.
        let little = |i: usize| 1e9 + 1e4 * i as f64;
        assert_eq!(outside(&judged(&|_| 1e9, HeapFigure::Live, &little)), None);
    }

    #[test]
    fn live_bytes_grow_since_their_growth_began() {
        let late = |i: usize| 2e6 + 1e6 * i.saturating_sub(10) as f64;
        let verdict = judged(&|i| 5e6 + 2e5 * i as f64, HeapFigure::Live, &late);
        let bands = outside(&verdict).expect("a remark").1;
        assert!((bands as f64 / (0.2 * 29e6) - 1.0).abs() < 0.15, "{bands}");
        let suspect = |begin: usize| {
            let late = |i: usize| 2e6 + 1e6 * i.saturating_sub(begin) as f64;
            judged(&|_| 1e6, HeapFigure::Live, &late).suspects.swap_remove(0)
        };
        let (from_start, late) = (suspect(0), suspect(10));
        assert!(from_start.from_start && from_start.since_sample == 1, "{from_start:?}");
        assert!(!late.from_start && (9..14).contains(&late.since_sample), "{late:?}");
        assert_eq!(
            late.since.map(|since| since.as_seconds() as usize + 1),
            Some(late.since_sample)
        );
    }

    #[test]
    fn live_bytes_say_nothing_about_a_part_of_the_heap_or_without_times() {
        let live = |change: &dyn Fn(&mut crate::profile::Profile)| {
            let mut builder = growing(&[("a", &[1e6; 40])], 1.0);
            for i in 0..40 {
                let time = Nanos::from_nanos(i * 1_000_000_000);
                builder.heap_point(
                    HeapFigure::Live,
                    time,
                    Bytes::new(2_000_000 + 1_000_000 * i as u64),
                );
            }
            let mut profile = builder.finish();
            change(&mut profile);
            outside(&Analysis::of(&Slice::whole(&profile)).verdict).is_some()
        };
        assert!(live(&|_| ()));
        assert!(!live(&|profile| profile.clock = Clock::Sample));
        let filtered = || crate::profile::Filters::from_flags(["-hmMain"]);
        assert!(!live(&|profile| profile.metadata.filters = filtered()));
    }

    /// The verdict over bands of a hundred samples, a second apart.
    fn verdict(bands: &[(&str, &dyn Fn(f64) -> f64)]) -> Verdict {
        let sizes: Vec<Vec<f64>> =
            bands.iter().map(|(_, of)| (0..100).map(|i| of(f64::from(i))).collect()).collect();
        let bands: Vec<(&str, &[f64])> =
            bands.iter().zip(&sizes).map(|((name, _), sizes)| (*name, &sizes[..])).collect();
        Analysis::of(&Slice::whole(&growing(&bands, 1.0).finish())).verdict
    }

    #[test]
    fn a_band_that_grew_more_than_one_that_is_accused_is_explained() {
        let steady = |i: f64| 1e6 + 1e5 * i;
        // It falls by a third of what it gains, again and again.
        let falls = |i: f64| 1e6 + 3e5 * i - if i % 33.0 < 16.0 { 0.0 } else { 1.2e7 };
        let more = |verdict: &Verdict| {
            verdict.remarks.iter().find_map(|remark| match remark {
                Remark::GrewMore { label, why, .. } => Some((label.clone(), *why)),
                _ => None,
            })
        };
        let both = verdict(&[("steady", &steady), ("falls", &|i| falls(i).max(0.0))]);
        assert_eq!(both.suspects[0].label, "steady");
        assert_eq!(more(&both), Some(("falls".to_owned(), WhyNot::Falls)));
        let less = verdict(&[("steady", &steady), ("falls", &|i| (falls(i) / 10.0).max(0.0))]);
        assert_eq!((less.suspects[0].label.as_str(), more(&less)), ("steady", None));
    }

    #[test]
    fn the_heap_grew_since_the_growth_began() {
        let late = verdict(&[("a", &|i| 5e6 + 1e5 * (i - 50.0).max(0.0))]);
        assert_eq!(late.leak, Leak::Likely);
        assert!((late.heap_grew as f64 / 4.8e6 - 1.0).abs() < 0.05, "{}", late.heap_grew);
    }

    #[test]
    fn a_running_program_has_no_likely_leak_and_a_flat_one_none() {
        let leak = |rate: f64| {
            let sizes: Vec<f64> = (0..100).map(|i| 1e6 + rate * f64::from(i)).collect();
            let mut builder = growing(&[("a", &sizes)], 1.0);
            builder.incidents.end(crate::incident::End::Running);
            Analysis::of(&Slice::whole(&builder.finish())).verdict.leak
        };
        assert_eq!((leak(1e5), leak(0.0)), (Leak::Possible, Leak::None));
    }

    #[test]
    fn what_stays_is_a_share_of_what_was_allocated() {
        let sizes: Vec<f64> = (0..100).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
        let mut builder = growing(&[("a", &sizes)], 1.0);
        for i in 0..100 {
            builder.allocated(
                Nanos::from_nanos(i * 1_000_000_000),
                0,
                Bytes::new(1_000_000 * i as u64),
            );
        }
        let verdict = Analysis::of(&Slice::whole(&builder.finish())).verdict;
        let percent = verdict.kept_percent.expect("allocation is known");
        assert!((percent - 10.0).abs() < 0.1, "{percent}");
    }

    #[test]
    fn only_bands_that_take_part_and_change_are_judged() {
        let sizes: Vec<f64> = (0..100).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
        let bands = [("out", &sizes[..]), ("flat", &[1e6; 100]), ("up", &sizes)];
        let profile = growing(&bands, 1.0).finish();
        let mut options = crate::slice::SliceOptions::default();
        options.selection.exclude.push("out".parse().unwrap());
        let slice = Slice::of(&profile, &options).unwrap();
        let rows = Rows::of(&slice);
        let candidates = Sampled::of(&rows, &Totals::of(&rows)).candidates;
        let labels: Vec<&str> = candidates.iter().map(|one| rows.label(one.row)).collect();
        assert_eq!(labels, ["up"]);
    }

    #[test]
    fn bands_that_change_by_half_of_what_matters_are_asked_and_those_that_change_most_are_kept() {
        let by =
            |bytes: f64| -> Vec<f64> { (0..50).map(|i| bytes * f64::from(i) / 49.0).collect() };
        let (few, half, more, most) = (by(4000.0), by(4100.0), by(9000.0), by(20_000.0));
        let bands = [("most", &most[..]), ("few", &few), ("half", &half), ("more", &more)];
        let profile = growing(&bands, 1.0).finish();
        let slice = Slice::whole(&profile);
        let rows = Rows::of(&slice);
        let labels = |numbers: usize| -> Vec<&str> {
            let picks = picks(50, 50);
            let found = candidates(&rows, &[1e5; 50], &picks, numbers);
            found.iter().map(|one| rows.label(one.row)).collect()
        };
        assert_eq!(labels(1000), ["most", "half", "more"]);
        assert_eq!(
            (labels(150), labels(149), labels(50)),
            (labels(1000), vec!["most", "more"], vec!["most"])
        );
    }

    #[test]
    fn what_grows_from_the_first_of_many_samples_grows_from_the_start() {
        let sizes: Vec<f64> = (0..MOST_SAMPLES + 2).map(|i| 1e6 + 1e3 * i as f64).collect();
        let profile = growing(&[("a", &sizes)], 0.01).finish();
        let suspect = Analysis::of(&Slice::whole(&profile)).verdict.suspects.swap_remove(0);
        assert!(suspect.from_start && suspect.since_sample == 1, "{suspect:?}");
    }

    #[test]
    fn a_climb_is_of_a_band_that_is_not_accused() {
        let found = verdict(&[
            ("one", &|i| 1e6 + 2e5 * i),
            ("two", &|i| 1e6 + 1e5 * i),
            ("back", &|i| if i < 60.0 { 1e5 * i } else { 0.0 }),
        ]);
        let suspects: Vec<&str> = found.suspects.iter().map(|one| &*one.label).collect();
        let climbs: Vec<&str> = found.climbs.iter().map(|one| &*one.label).collect();
        assert_eq!((suspects, climbs), (vec!["one", "two"], vec!["back"]));
        assert_eq!(found.remarks, []);
    }

    #[test]
    fn of_bands_that_still_rise_the_one_that_rose_most_is_remarked() {
        let late = |rate: f64| move |i: f64| 1e5 + rate * (i - 76.0).max(0.0);
        let found = verdict(&[("less", &late(1e4)), ("more", &late(3e4)), ("flat", &|_| 3e5)]);
        assert_eq!(found.leak, Leak::None);
        let [Remark::StillRises { label, .. }] = &found.remarks[..] else {
            panic!("{:?}", found.remarks)
        };
        assert_eq!(label, "more");
    }

    #[test]
    fn of_bands_that_replace_others_the_one_that_grew_most_is_remarked() {
        let found = verdict(&[
            ("some", &|i| 1e6 + 5e4 * i),
            ("most", &|i| 1e6 + 1e5 * i),
            ("falls", &|i| 2e7 - 1.6e5 * i),
        ]);
        let [Remark::OthersFell { label, .. }] = &found.remarks[..] else {
            panic!("{:?}", found.remarks)
        };
        assert_eq!((found.leak, label.as_str()), (Leak::None, "most"));
    }

    /// The verdict over bands of a hundred samples that grow by so many bytes in each.
    fn growth_of(breakdown: Breakdown, bands: &[(&str, f64)]) -> Verdict {
        let sizes =
            |rate: f64| -> Vec<f64> { (0..100).map(|i| 1e6 + rate * f64::from(i)).collect() };
        let sizes: Vec<Vec<f64>> = bands.iter().map(|&(_, rate)| sizes(rate)).collect();
        let bands: Vec<(&str, &[f64])> =
            bands.iter().zip(&sizes).map(|((name, _), sizes)| (*name, &sizes[..])).collect();
        let mut builder = growing(&bands, 1.0);
        builder.declare_breakdown(breakdown);
        Analysis::of(&Slice::whole(&builder.finish())).verdict
    }

    #[test]
    fn a_compact_region_that_grows_most_is_no_likely_leak() {
        let leak = |region: f64| {
            let bands = [("COMPACT_NFDATA", region), ("THUNK", 1e5)];
            growth_of(Breakdown::ClosureType, &bands).leak
        };
        assert_eq!((leak(2e5), leak(5e4)), (Leak::Possible, Leak::Likely));
    }

    #[test]
    fn a_suspect_with_a_name_is_remarked_if_the_first_has_none() {
        let named = |bands: [(&str, f64); 3]| {
            let verdict = growth_of(Breakdown::InfoTable, &bands);
            verdict.remarks.iter().find_map(|remark| match remark {
                Remark::NamedSuspect { label } => Some(label.clone()),
                _ => None,
            })
        };
        let bare = [("0x40", 3e5), ("0x80", 2e5), ("Main.go", 1e5)];
        assert_eq!(named(bare), Some("Main.go".to_owned()));
        assert_eq!(named([("0x40", 2e5), ("0x80", 1e5), ("Main.go", 3e5)]), None);
        assert_eq!(named([("0x40", 3e5), ("0x80", 2e5), ("0xc0", 1e5)]), None);
    }

    #[test]
    fn samples_are_picked_evenly_and_with_the_last() {
        assert_eq!(picks(10, 4), [0, 3, 6, 9]);
        assert_eq!((picks(4, 4), picks(0, 4)), (vec![0, 1, 2, 3], vec![]));
        assert_eq!(picks(5, 4), [0, 2, 4]);
    }
}
