//! Memory that no band contains: live bytes beyond the bands, memory that the run-time system holds beyond what its
//! live data explains, and memory of the process beyond GHC's heap. Each is a curve that is judged like that of a band.

use super::Kind;
use super::figures::Totals;
use super::growth::{Manner, Trend, trend};
use super::rise::{Ends, Rise, rate_of};
use super::robust::{self, Slope};
use crate::base::units::Nanos;
use crate::profile::{Clock, HeapFigure};
use crate::slice::Slice;

/// What the process has is only judged above this: less is the run-time system's own buffers and tables.
const LEAST_BYTES: f64 = (8 << 20) as f64;
/// The least share of what was there before.
const LEAST_SHARE: f64 = 0.1;
/// How many times its live data a copying collector holds at most: up to three times, and what is allocated before
/// the next collection.
const MOST_HELD: f64 = 4.0;
/// How much more than all bands live bytes have to grow, and by which share of the mean heap.
const MORE_THAN_BANDS: f64 = 4.0;
const LEAST_OF_HEAP: f64 = 0.02;

/// A figure over time.
#[derive(Default)]
struct Curve {
    times: Vec<Nanos>,
    values: Vec<f64>,
}

impl Curve {
    fn new(points: impl Iterator<Item = (Nanos, f64)>) -> Curve {
        let (times, values) = points.unzip();
        Curve { times, values }
    }

    fn trend(&self, slice: &Slice<'_>) -> Option<Trend> {
        trend(&self.values, slice.end()).filter(|risen| risen.manner != Manner::Doubling)
    }

    fn rise(&self, risen: &Trend, label: &str, kind: Kind, at_end: f64) -> Rise {
        let axis: Vec<f64> = self.times.iter().map(|time| time.as_seconds()).collect();
        let span = (risen.since, risen.end - 1);
        let rate =
            rate_of((&axis, &Default::default()), &self.values, span, (Manner::Floors, risen.gain));
        let [since, until] = [span.0, span.1].map(|at| Some(self.times[at]));
        Rise {
            row: None,
            label: label.to_owned(),
            grew: risen.gain as u64,
            share_percent: 100.0,
            rate: rate.shown.middle,
            interval: Slope::exactly(rate.shown.middle),
            running_rate: None,
            kept_percent: None,
            since,
            since_sample: risen.since + 1,
            from_start: risen.since == 0,
            until,
            until_sample: risen.end,
            manner: risen.manner,
            steps: None,
            ends: Ends::ToTheEnd,
            rises_at_end: true,
            at_end: at_end as u64,
            objects: None,
            kind: Some(kind),
            place: None,
        }
    }
}

/// What grows, and no band contains it.
pub(super) fn outside(slice: &Slice<'_>, totals: &Totals) -> Vec<Rise> {
    if slice.clock() == Clock::Sample {
        return Vec::new();
    }
    [live(slice, totals), held(slice), resident(slice)].into_iter().flatten().collect()
}

/// The run-time system's own count of live bytes, which includes what no band contains.
fn live(slice: &Slice<'_>, totals: &Totals) -> Option<Rise> {
    let (axis, heap) = (slice.axis(), slice.heap());
    let end = *axis.last()?;
    let points = heap[HeapFigure::Live].points().iter();
    let seen = points.filter(|(time, _)| time.as_seconds() <= end && !slice.is_filtered());
    let curve = Curve::new(seen.map(|&(time, bytes)| (time, bytes.get() as f64)));
    let risen = curve.trend(slice)?;
    let sample = |at: usize| {
        let time = curve.times[at].as_seconds();
        axis.partition_point(|&sample| sample < time).min(axis.len() - 1)
    };
    let (from, to) = (sample(risen.since), sample(risen.end - 1));
    let total: Vec<f64> = totals.all.iter().map(|&bytes| bytes as f64).collect();
    let slope = robust::slope(&axis[from..=to], &total[from..=to]).middle;
    let bands = (slope * (axis[to] - axis[from])).max(0.0);
    let is_much =
        risen.gain >= MORE_THAN_BANDS * bands && risen.gain >= LEAST_OF_HEAP * robust::mean(&total);
    let at_end = *curve.values.last()?;
    let rise = curve.rise(&risen, "live bytes", Kind::OutsideBands, at_end);
    let (since_sample, until_sample) = (slice.number(from), slice.number(to));
    is_much.then_some(Rise { since: slice.when(from), since_sample, until_sample, ..rise })
}

/// Memory that the run-time system holds beyond what the most live data so far explain: blocks that are mostly
/// empty, or large objects that were freed.
fn held(slice: &Slice<'_>) -> Option<Rise> {
    let heap = slice.heap();
    let size = heap[HeapFigure::Size].points();
    let mut most = 0.0f64;
    let beyond = heap[HeapFigure::Live].points().iter().filter_map(|&(time, live)| {
        most = most.max(live.get() as f64);
        let next = size.partition_point(|(at, _)| *at <= time);
        let (_, held) = size.get(next.saturating_sub(1))?;
        Some((time, held.get() as f64 - MOST_HELD * most))
    });
    let now = size.last()?.1.get() as f64;
    much(slice, &Curve::new(beyond), now)
        .map(|(curve, risen)| curve.rise(&risen, "memory held", Kind::Held, now))
}

/// What the system says is resident and GHC has not reserved was allocated by somebody else: `malloc`, a foreign
/// library. GHC's part is the most that it has held so far, because the pages that it gives back remain resident
/// until somebody needs them.
fn resident(slice: &Slice<'_>) -> Option<Rise> {
    let heap = slice.heap();
    let now = heap[HeapFigure::Resident].points().last()?.1.get() as f64;
    let held: Vec<(Nanos, f64)> = match heap[HeapFigure::Size].points() {
        [] => {
            let held = |at| Some((slice.when(at)?, MOST_HELD * slice.total(at) as f64));
            (0..slice.len()).filter_map(held).collect()
        }
        sizes => sizes.iter().map(|(time, size)| (*time, size.get() as f64)).collect(),
    };
    let mut sizes = held.into_iter().peekable();
    let mut most: Option<f64> = None;
    let beyond = heap[HeapFigure::Resident].points().iter().filter_map(|&(time, bytes)| {
        while let Some((_, size)) = sizes.next_if(|size| size.0 <= time) {
            most = Some(most.unwrap_or(0.0).max(size));
        }
        Some((time, (bytes.get() as f64 - most?).max(0.0)))
    });
    much(slice, &Curve::new(beyond), now)
        .map(|(curve, risen)| curve.rise(&risen, "resident memory", Kind::OffHeap, now))
}

/// The curve and its trend, if what it gained is a large part of the memory held now.
fn much<'c>(slice: &Slice<'_>, curve: &'c Curve, now: f64) -> Option<(&'c Curve, Trend)> {
    let risen = curve.trend(slice)?;
    let is_much = risen.gain >= LEAST_BYTES && risen.gain >= LEAST_SHARE * (now - risen.gain);
    is_much.then_some((curve, risen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::profile::{Profile, ProfileBuilder, Source};
    use crate::slice::{Slice, SliceOptions};

    /// What is found of a run of 10 s; both sizes in MiB, of the tenth of a second.
    fn risen(resident: impl Fn(u64) -> u64, size: impl Fn(u64) -> u64) -> Option<u64> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for tenth in 0..100 {
            let time = Nanos::from_nanos(tenth as i64 * 100_000_000);
            builder.heap_point(HeapFigure::Size, time, Bytes::new(size(tenth) << 20));
        }
        grew(builder.finish(), resident)
    }

    /// The same, if a sample says what is live, and nothing what GHC holds.
    fn found_in_hp(resident: impl Fn(u64) -> u64, live: impl Fn(u64) -> u64) -> Option<u64> {
        let mut text = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n".to_owned();
        for tenth in 0..100 {
            let (time, live) = (tenth as f64 / 10.0, live(tenth) << 20);
            text += &format!("BEGIN_SAMPLE {time}\na\t{live}\nEND_SAMPLE {time}\n");
        }
        let options = crate::input::InputOptions::default();
        grew(crate::input::read(text.as_bytes(), &options).expect("a profile"), resident)
    }

    fn grew(mut profile: Profile, resident: impl Fn(u64) -> u64) -> Option<u64> {
        let points = (0..100).map(|tenth| {
            let time = Nanos::from_nanos(tenth as i64 * 100_000_000);
            (time, Bytes::new(resident(tenth) << 20))
        });
        profile.set_resident(points.collect());
        let slice = Slice::new(&profile, &SliceOptions::default()).unwrap();
        super::resident(&slice).map(|risen| risen.grew >> 20)
    }

    #[test]
    fn without_its_size_a_heap_is_taken_for_four_times_its_live_data() {
        assert_eq!(found_in_hp(|tenth| 20 + tenth, |_| 2), Some(99));
        assert_eq!(found_in_hp(|tenth| 20 + 3 * tenth, |tenth| 1 + tenth), None);
    }

    #[test]
    fn what_malloc_takes_is_told_apart_from_what_ghc_takes() {
        assert_eq!(risen(|tenth| 20 + tenth, |_| 10), Some(99));
        assert_eq!(risen(|tenth| 20 + tenth, |tenth| 10 + tenth), None, "GHC's own");
        assert_eq!(risen(|tenth| 20 + tenth, |tenth| 10 + tenth / 2), Some(50), "both");
        assert_eq!(risen(|tenth| 20 + 30 * (tenth / 90), |_| 10), None, "a step at the end");
        assert_eq!(risen(|tenth| 20 + tenth.min(50), |_| 10), None, "a cache that is full");
        assert_eq!(risen(|tenth| 20 + tenth / 20, |_| 10), None, "little");
        assert_eq!(risen(|tenth| 20 + tenth, |_| 200), None, "pages of the heap are touched");
        // GHC gives memory back, of which the system takes nothing.
        assert_eq!(risen(|_| 100, |tenth| 100 - tenth), None);
    }
}
