//! The interpretation of a profile: figures, phases, and the verdict on whether something leaks.
//!
//! Everything here is a function of all rows of a profile, before bands are chosen to be drawn: a
//! leak may be smaller than what a picture shows. `docs/diagnosis.md` explains the method, how it
//! was tested, and what it cannot know.
//!
//! `growth.rs` decides whether one curve rises to its end, `movements.rs` what the heap did, `verdict.rs` what is
//! accused and the headline; `suspect.rs` and `words.rs` turn that into what readers see, and `rows.rs` is the
//! one place that reads a profile.

pub mod alert;
pub mod baseline;
pub mod budget;
mod figures;
mod growth;
mod movements;
mod off_heap;
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
pub(crate) mod testing;

pub use figures::{BandFigures, Figures, HeapFigures};
pub(crate) use figures::{last_full, mean_over_time, time_weights};
pub use growth::Manner;
pub use movements::{Moved, Movement, MovementKind};
pub use off_heap::OffHeap;
pub use phases::{Gain, MOST_PHASES, Phase};
#[cfg(feature = "report")]
pub(crate) use rates::Courses;
pub use rates::rates;
pub use robust::Slope;
pub use rows::{Rows, RunEnd};
pub use sampling::{Interval, SamplingAdvice, Why};
pub use suspect::{InStep, Kind, Suspect};
pub use verdict::{FEWEST_SAMPLES, Headline, Leak};
pub(crate) use words::CAUTION;
#[cfg(feature = "cli")]
pub(crate) use words::THUNKS_PILE_UP;
pub use words::{NameOf, place_text, rate_text};

use serde::{Serialize, Serializer};

use crate::base::parallel::at_once;
use crate::base::units::{Nanos, UnitSystem};
use crate::profile::{Breakdown, Clock, HeapFigure};
use crate::slice::Slice;
use figures::Totals;
use growth::rise;
use suspect::in_step;
use verdict::{Finding, Judged};

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
    /// What the heap did, as one fact.
    #[serde(skip)]
    pub headline: Headline,
    /// What grows to the end of the run, most bytes first; without a leak there can be some that grow slowly.
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
    /// Growth outside of GHC's heap, if the program's resident memory was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) off_heap: Option<OffHeap>,
    /// What the heap did, in the order of time.
    pub movements: Vec<Movement>,
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
    pub(crate) end: RunEnd,
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
    /// The profiler does not know who holds a suspect.
    WithoutOwner {
        /// Its label.
        label: String,
        /// The bands that grow in proportion to it, most bytes first.
        in_step: Vec<InStep>,
    },
}

/// Its sentences, with sizes in binary units.
impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text(UnitSystem::Binary))
    }
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

/// A verdict as data, with the headline as its sentence, in binary units.
#[derive(Debug, Serialize)]
pub struct VerdictData<'a> {
    headline: String,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

impl Verdict {
    pub(crate) fn data(&self) -> VerdictData<'_> {
        VerdictData { headline: self.headline(UnitSystem::Binary, &|_| None), verdict: self }
    }

    /// Only the verdict, the same as in [`Analysis::of`]: for a picture, which shows no figures.
    pub fn of(slice: &Slice<'_>) -> Self {
        let rows = Rows::of(slice);
        verdict_of(&rows, &Totals::of(&rows))
    }
}

fn verdict_of(rows: &Rows<'_>, totals: &Totals) -> Verdict {
    let heap = verdict::heap(totals);
    let finding = Judged::of(rows, &heap).finding();
    let first = rows.when(0);
    let last = rows.when(rows.samples().saturating_sub(1));
    let grew_in = finding.grew_in;
    let Finding { leak, headline, suspects, growing, .. } = finding;
    let mut verdict = Verdict {
        leak,
        headline,
        suspects,
        growing,
        grew: finding.gain as u64,
        rate: finding.rate,
        running_rate: finding.running_rate,
        kept_percent: finding.kept.map(|kept| 100.0 * kept),
        heap_grew: finding.heap_gain as i64,
        off_heap: OffHeap::of(rows),
        movements: heap.movements(rows),
        remarks: Vec::new(),
        observed: first.zip(last).map(|(first, last)| last.since(first)),
        samples: heap.samples.len(),
        until: last,
        clock: rows.clock(),
        breakdown: rows.breakdown(),
        profiled: rows.is_profiled(),
        end: rows.end(),
    };
    if verdict.headline != Headline::TooFew {
        if let Some((since, end)) = grew_in {
            add_in_step(rows, &heap.samples[since..end], &mut verdict);
        }
        add_live_bytes(rows, totals, &mut verdict);
        add_remarks(rows, totals, &mut verdict);
    }
    verdict.remarks.extend(sampling::advice(rows, verdict.samples).map(Remark::Sampling));
    verdict
}

/// Reports what grows in step with a suspect that has no owner.
fn add_in_step(rows: &Rows<'_>, samples: &[usize], verdict: &mut Verdict) {
    let ownerless = verdict.suspects.iter().find(|s| s.kind.is_some_and(Kind::has_no_owner));
    if let Some((suspect, row)) = ownerless.and_then(|suspect| Some((suspect, suspect.row?))) {
        let in_step = in_step(rows, samples, row);
        verdict.remarks.push(Remark::WithoutOwner { label: suspect.label.clone(), in_step });
    }
}

/// Checks the run-time system's own count of live bytes, which includes what no band contains.
fn add_live_bytes(rows: &Rows<'_>, totals: &Totals, verdict: &mut Verdict) {
    let heap = rows.heap();
    if rows.is_filtered() || rows.clock() == Clock::Sample {
        return;
    }
    let axis = rows.axis();
    let end = axis[axis.len() - 1];
    let points = heap[HeapFigure::Live].points().iter();
    let (times, values): (Vec<f64>, Vec<f64>) = points
        .map(|(time, bytes)| (time.as_seconds(), bytes.get() as f64))
        .filter(|(time, _)| *time <= end)
        .unzip();
    if times.len() < FEWEST_SAMPLES {
        return;
    }
    let Some(live) = rise(&values, rows.end()) else { return };
    let from = axis.partition_point(|&time| time < times[live.since]).min(axis.len() - 1);
    let to = axis.partition_point(|&time| time < times[live.end - 1]).min(axis.len() - 1);
    let total: Vec<f64> = totals.all.iter().map(|&bytes| bytes as f64).collect();
    let bands = (robust::slope(&axis[from..=to], &total[from..=to]).middle
        * (axis[to] - axis[from]))
        .max(0.0);
    let is_much = live.gain >= 4.0 * bands && live.gain >= 0.02 * robust::mean(&total);
    if live.manner == Manner::Doubling || !is_much {
        return;
    }
    let grew = live.gain as u64;
    verdict.remarks.push(Remark::OutsideBands { live: grew, bands: bands as u64 });
    if verdict.leak >= Leak::Possible {
        return;
    }
    let rate = live.gain / (times[live.end - 1] - times[live.since]);
    verdict.leak = Leak::Possible;
    verdict.headline = Headline::Leak;
    verdict.grew = grew;
    verdict.rate = rate;
    verdict.heap_grew = grew as i64;
    verdict.suspects = vec![Suspect {
        row: None,
        label: "live bytes".to_owned(),
        grew,
        share_percent: 100.0,
        rate,
        interval: Slope::exactly(rate),
        running_rate: None,
        kept_percent: None,
        since: rows.when(from),
        since_sample: rows.number(from),
        from_start: from == 0,
        at_end: values[values.len() - 1] as u64,
        kind: Some(Kind::OutsideBands),
        place: None,
        objects: None,
    }];
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
    fn a_compact_region_grows_on_purpose() {
        let found = |region: f64| {
            let bands = [("COMPACT_NFDATA", region), ("THUNK", 1e5)];
            let verdict = growth_of(Breakdown::ClosureType, &bands);
            (verdict.leak, matches!(verdict.headline, Headline::OnPurpose(_)))
        };
        assert_eq!((found(2e5), found(5e4)), ((Leak::None, true), (Leak::Likely, false)));
    }

    #[test]
    fn bands_that_do_not_take_part_are_not_judged() {
        let sizes: Vec<f64> = (0..100).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
        let profile = growing(&[("out", &sizes[..]), ("up", &sizes)], 1.0).finish();
        let mut options = crate::slice::SliceOptions::default();
        options.selection.exclude.push("out".parse().unwrap());
        let slice = Slice::of(&profile, &options).unwrap();
        let suspects = Analysis::of(&slice).verdict.suspects;
        assert_eq!(suspects.iter().map(|one| &*one.label).collect::<Vec<_>>(), ["up"]);
    }

    /// The headline over bands of a hundred samples.
    fn headline(bands: &[(&str, &dyn Fn(f64) -> f64)]) -> String {
        verdict(bands).headline(UnitSystem::Binary, &|_| None)
    }

    #[test]
    fn the_headline_says_what_the_heap_did() {
        let hill = |i: f64| if i < 60.0 { 1e5 * i } else { 0.0 };
        for (of, says) in [
            (&(|i: f64| 1e6 + 1e5 * i) as &dyn Fn(f64) -> f64, "likely leak: a grew by 9.4"),
            (&hill, "built up, then freed: 5.63 MiB until 59 s (a +5.63 MiB), all of it freed"),
            (
                &|i: f64| 1e6 + 1e6 * (i - 80.0).max(0.0),
                "climbs at the end: +18.1 MiB in the last 19 s",
            ),
            (
                &|i: f64| 1e6 + 1e6 * (i % 25.0),
                "no leak: the heap rises and is freed again, 3 times",
            ),
            (&|i: f64| 1e6 + 1e5 * (i - 40.0).clamp(0.0, 40.0), "no leak: the heap climbs by"),
            (&|i: f64| 1e5 * i.min(40.0), "no leak: the heap climbs by 3.62 MiB until 38 s, then"),
            (&|_| 1e6, "no leak: the heap stays level"),
            (&|i: f64| 4e6 - 2e4 * i, "no leak: the heap ends below its peak"),
        ] {
            let found = headline(&[("b", &|_| 1000.0), ("a", of)]);
            assert!(found.starts_with(says), "{found}");
        }
        let moves = headline(&[("in", &|i| 1e6 + 1e5 * i), ("out", &|i| 2e7 - 1e5 * i)]);
        assert!(moves.starts_with("no leak: bands change places"), "{moves}");
        // What was built up is freed, and others take its place.
        let hill = |i: f64| if i < 90.0 { 1e5 * i } else { 0.0 };
        let others = |i: f64| if i < 90.0 { 1e6 } else { 1.2e7 };
        let evaluated = headline(&[("thunks", &hill), ("records", &others)]);
        assert!(evaluated.starts_with("no leak: the heap climbs by"), "{evaluated}");
        let slow = headline(&[("up", &|i| 1e6 + 1e4 * i), ("saw", &|i| 1e7 * (i % 60.0) / 60.0)]);
        assert!(slow.contains("up +"), "{slow}");
    }

    #[test]
    fn movements_join_and_are_what_bands_gained() {
        let found = verdict(&[
            ("back", &|i| if i < 60.0 { 1e5 * i } else { 1e5 * (120.0 - i) }),
            ("small", &|i| 1e6 + 1e3 * i),
        ]);
        let [rise, fall] = &found.movements[..] else { panic!("{:?}", found.movements) };
        assert_eq!((rise.kind, fall.kind), (MovementKind::Rise, MovementKind::Fall));
        assert_eq!((rise.from_sample, rise.to_sample, fall.to_sample), (1, 61, 100));
        assert_eq!((rise.to_sample, rise.to_bytes), (fall.from_sample, fall.from_bytes));
        assert_eq!((rise.change(), fall.change()), (6_060_000, -3_861_000));
        let moved = |movement: &Movement| -> Vec<(String, i64)> {
            movement.bands.iter().map(|band| (band.label.clone(), band.change)).collect()
        };
        assert_eq!(moved(rise), [("back".to_owned(), 6_000_000)]);
        assert_eq!(moved(fall), [("back".to_owned(), -3_900_000)]);
    }
}
