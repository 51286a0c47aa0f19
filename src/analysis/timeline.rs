//! The timeline of a run: the samples that are judged, its clocks, and the cut, before which nothing is exit.

use std::ops::Range;

use super::constants::{
    FEW, FIFTH, HALF, LATE, LEAST, LEAST_BYTES, MANY, NEAR, PART, SOME, TOLD, WORTH,
};
use super::curve::{greatest_rise, lows, manner, rise_to_the_end};
use super::figures;
use super::median::{highest, lowest, mean, median_of};
use super::rise::{Manner, Rise, RiseEnd};
use crate::base::units::Nanos;
use crate::profile::{Clock, HeapSeriesKind};
use crate::slice::{RowId, RunEnd, Slice, Work};

/// The most samples that are judged: every n-th of them when there are more, up to the last one.
const MOST_SAMPLES: usize = 8192;
/// The most samples that are searched for bands that change: growth to the end of a run shows in a few
/// samples, and most bands of a heap hardly change.
const MOST_ASKED: usize = 64;
/// The most numbers that all judged bands have together: 32 MiB of them. If bands must be left out, those that
/// change least are.
const MOST_NUMBERS: usize = 1 << 22;

/// The samples of a run that are judged, and where each is on every clock.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Their places in the slice: those that are not empty.
    pub(super) samples: Vec<usize>,
    /// Seconds, or numbers of samples where they have no times.
    pub(super) axis: Vec<f64>,
    work: Work,
    /// How many samples there are before the exit.
    pub(super) cut: usize,
    /// Whether the end of the program was seen.
    exits: bool,
    /// Whether its first sample is a fair part of the run after its beginning.
    starts_late: bool,
    /// By how many bytes a curve moves at least to be looked at.
    pub(super) least: f64,
}

/// A curve of a band, by the samples of a timeline.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BandCurve {
    pub row: RowId,
    pub values: Vec<f64>,
}

impl Timeline {
    /// The timeline of a slice whose bands have so many bytes together in each sample. It has no cut yet.
    pub(super) fn new(slice: &Slice<'_>, total: &[u128]) -> Self {
        let all: Vec<usize> = (0..total.len()).filter(|&sample| total[sample] > 0).collect();
        let samples: Vec<usize> =
            picks(all.len(), MOST_SAMPLES).into_iter().map(|at| all[at]).collect();
        let picked = |all: Vec<f64>| -> Vec<f64> { samples.iter().map(|&at| all[at]).collect() };
        let Work { allocated, running } = slice.work();
        let work = Work { allocated: allocated.map(picked), running: running.map(picked) };
        let (axis, cut) = (picked(slice.axis()), samples.len());
        let exits = slice.end() == RunEnd::Exit;
        let begins = begins(slice).map_or(f64::NEG_INFINITY, Nanos::as_seconds);
        let starts_late = axis.first().zip(axis.last()).is_some_and(|(first, last)| {
            begins.is_finite() && first - begins >= FIFTH * (last - begins)
        });
        let mut timeline = Timeline { axis, work, cut, exits, starts_late, least: 0.0, samples };
        timeline.least = (LEAST * mean(&timeline.values(total))).max(LEAST_BYTES);
        timeline
    }

    /// The timeline up to its exit: in the last samples the program lets go of what it built, or forces it, so that more
    /// changes hands at once than ever before.
    pub(super) fn with_cut(mut self, heap: &[f64], bands: &[BandCurve]) -> Self {
        self.least = (LEAST * mean(heap)).max(LEAST_BYTES);
        let n = heap.len();
        let room = (n / PART).max(2);
        if !self.exits || n <= room {
            return self;
        }
        let peak = highest(heap);
        let late = self.late(room);
        // What is held for long wavers: it is let go of after the last sample that is as high.
        let high = late.clone().rev().find(|&at| heap[at] >= (1.0 - WORTH) * peak);
        let top = high.unwrap_or_else(|| knee(heap, late.start));
        let lost = heap[top] - heap[n - 1];
        let is_first = || lows(&heap[..=top], lost).is_empty();
        let since = (FIFTH * n as f64) as usize;
        // Before it falls fast, it may fall for long.
        let before = heap[(2 * top + 1).saturating_sub(n)] - heap[top];
        let is_below_all = || {
            let is_lowest = top > since && heap[n - 1] < HALF * lowest(&heap[since..top]);
            is_lowest && before < TOLD * lost
        };
        let is_exit = || high.is_some() && is_first() || is_below_all();
        // What is low for a tenth of the run was freed before it ended.
        let length = |from: usize| self.axis[n - 1] - self.axis[from];
        let is_low = |at: &usize| heap[*at] < heap[top] - HALF * lost;
        let is_brief = (top..n).find(is_low).is_none_or(|low| length(low) <= WORTH * length(0));
        if lost > FIFTH * peak && is_brief && is_exit() {
            self.cut = top + 1;
        }
        let mut moved = vec![0.0; n];
        for band in bands {
            let steps = band.values[1..].iter().zip(&band.values);
            moved[1..]
                .iter_mut()
                .zip(steps)
                .for_each(|(moved, (to, from))| *moved += (to - from).abs());
        }
        let most = (FIFTH * peak).max(2.0 * highest(&moved[..n - room]));
        // The last of few samples may be a good part of the run.
        let is_short = |at: &usize| {
            let since = if n >= MANY { *at } else { at - 1 };
            length(since) <= WORTH * length(0)
        };
        let forced = (n - room..self.cut).filter(is_short).find(|&at| moved[at] >= most);
        if let Some(forced) = forced {
            self.cut = forced;
        }
        self
    }

    /// The last samples: so few of them, or those of a short time.
    fn late(&self, few: usize) -> Range<usize> {
        let (axis, last) = (&self.axis, self.len() - 1);
        let short = (axis[last] - axis[0]) / PART as f64;
        let is_late =
            |at: &usize| last - at <= few || 2 * at > last && axis[last] - axis[*at] <= short;
        (0..last).find(is_late).unwrap_or(last)..last
    }

    /// Where each sample is: seconds, or numbers of samples where they have no times.
    pub(super) fn axis(&self) -> &[f64] {
        &self.axis
    }

    /// Which share of the run before the exit passes from one sample to another, if that is later.
    pub(super) fn share(&self, from: usize, to: usize) -> f64 {
        let (axis, last) = (&self.axis, self.cut - 1);
        let run = axis[last] - axis[0];
        if run > 0.0 { (axis[to] - axis[from]) / run } else { 0.0 }
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether some samples follow the cut.
    pub(super) fn has_exit(&self) -> bool {
        self.cut < self.len()
    }

    /// Whether what follows a sample is the last fifth of the run before the exit, by every clock.
    pub(super) fn is_last_part(&self, since: usize) -> bool {
        let last = self.cut.saturating_sub(1);
        let is_long = |clock: &[f64]| {
            let counts = clock.is_sorted() && clock.last() > clock.first();
            !counts || clock[last] - clock[since] >= FIFTH * (clock[last] - clock[0])
        };
        last >= since + 3
            && (last - since) as f64 >= FIFTH * last as f64
            && is_long(&self.axis)
            && self.work.allocated.as_deref().is_none_or(is_long)
    }

    /// How a curve grows: to its end, or as far as it was seen, or until the program ended; `None` if it does not.
    pub(super) fn growth(&self, curve: &[f64]) -> Option<Rise> {
        self.to_the_end(curve).or_else(|| {
            let least = self.least.max(TOLD * highest(curve));
            let (from, to) = greatest_rise(curve, self.cut, least)?;
            let rise = self.ended(curve, from, to);
            rise.end.reaches_the_end().then_some(rise)
        })
    }

    /// How a curve rises to the cut, if that can be shown, for so long that it is no event.
    pub(super) fn to_the_end(&self, curve: &[f64]) -> Option<Rise> {
        self.to_the_end_or_late(curve).filter(|rise| !rise.is_brief)
    }

    /// How a curve rises to the cut, if that can be shown, be it for a short time.
    pub(super) fn to_the_end_or_late(&self, curve: &[f64]) -> Option<Rise> {
        let judged = &curve[..self.cut];
        let n = judged.len();
        if highest(curve) - lowest(curve) < self.least || n < FEW {
            return None;
        }
        // What ends as low as it ever was needs no search.
        let ends = highest(&judged[n - 2 - n / (PART / 2)..]);
        if ends - lowest(judged) < HALF * self.least {
            return None;
        }
        let is_long = self.len() >= SOME;
        // So few samples show only what rises in every one of them, and does not slow down.
        let rises = || {
            let step = (judged[n - 1] - judged[0]) / (n - 1) as f64;
            judged.is_sorted_by(|a, b| a < b) && judged[n - 1] - judged[n - 3] > 2.0 * HALF * step
        };
        let rise =
            if is_long || rises() { rise_to_the_end(judged, &self.axis)? } else { return None };
        let rise = self.with_its_ends(curve, rise);
        let last = curve[curve.len() - 1];
        let top = if rise.manner == Manner::Floors { curve[rise.to] } else { highest(curve) };
        let is_held = !self.exits || last >= (1.0 - FIFTH) * top;
        (rise.gain >= self.least).then_some(Rise {
            at_end: last as u64,
            second_half: self.second_half(curve, rise.from, rise.to),
            is_from_start: self.is_from_start(curve, rise.from, rise.to),
            end: if is_held { RiseEnd::Open } else { RiseEnd::Exit },
            ..rise
        })
    }

    /// A rise with what belongs to it by the clock. It begins at the lowest sample before it, if the curve gained about as
    /// fast from there, or faster and slows down. It ends at the last sample, if what was taken for the exit lasts and gains.
    fn with_its_ends(&self, curve: &[f64], rise: Rise) -> Rise {
        let by_height = |a: &usize, b: &usize| curve[*a].total_cmp(&curve[*b]);
        let low = (0..=rise.from).rev().min_by(by_height).unwrap_or(rise.from);
        let (part, whole) = (self.share(low, rise.from), self.share(rise.from, rise.to));
        let gained = (curve[rise.from] - curve[low]) / rise.gain * whole;
        let is_part = gained >= HALF * part && (HALF * gained <= part || rise.late < LATE);
        let from = if is_part { low } else { rise.from };
        let last = curve.len() - 1;
        let goes_on = curve[last] > curve[rise.to] && self.share(rise.to, last) > NEAR;
        let to = if goes_on && rise.manner != Manner::Floors { last } else { rise.to };
        let more = curve[rise.from] - curve[from] + curve[to] - curve[rise.to];
        Rise { from, to, gain: rise.gain + more, ..rise }
    }

    /// The greatest rise of a curve before the exit, if it is worth a look: from where to where.
    pub(super) fn greatest_rise(&self, curve: &[f64]) -> Option<(usize, usize)> {
        greatest_rise(curve, self.cut, self.least)
    }

    /// A rise that was not shown to go on to the end.
    pub(super) fn ended(&self, values: &[f64], from: usize, to: usize) -> Rise {
        let rise = self.between(values, from, to);
        Rise { end: self.end(values, from, to, rise.manner), ..rise }
    }

    /// A rise from one sample to another, which may be after the cut.
    pub(super) fn between(&self, values: &[f64], from: usize, to: usize) -> Rise {
        Rise {
            from,
            to,
            gain: values[to] - values[from],
            manner: manner(&values[from..=to]),
            second_half: self.second_half(values, from, to),
            is_from_start: self.is_from_start(values, from, to),
            at_end: values[values.len() - 1] as u64,
            ..Rise::default()
        }
    }

    /// The share of what a curve gains from one sample to another that it gains in the second half of the time; half of it, if
    /// the samples are too few to say.
    pub(super) fn second_half(&self, values: &[f64], from: usize, to: usize) -> f64 {
        let middle = (self.axis[from] + self.axis[to]) / 2.0;
        let at = from + self.axis[from..to].partition_point(|&time| time < middle);
        if self.axis[from] >= middle || to - from < MANY {
            return HALF;
        }
        // Without samples there, it is on the line between its neighbours.
        let [near, next] = [at - 1, at].map(|at| (self.axis[at], values[at]));
        let part = (middle - near.0) / (next.0 - near.0);
        let height = near.1 + part * (next.1 - near.1);
        (values[to] - height) / (values[to] - values[from])
    }

    /// Whether a rise of a curve begins with the run: what is before it is too short to be told, and gains less than half as
    /// much.
    fn is_from_start(&self, values: &[f64], from: usize, to: usize) -> bool {
        let is_small = values[from] - values[0] < HALF * (values[to] - values[from]);
        is_small && self.share(0, from) <= NEAR && !self.starts_late
    }

    /// How a rise of a curve ended. An array that doubles is level for half of any run.
    pub(super) fn end(&self, values: &[f64], from: usize, to: usize, manner: Manner) -> RiseEnd {
        let (cut, gain) = (self.cut, values[to] - values[from]);
        let to = to.min(cut - 1);
        let lost = values[to] - values[cut - 1];
        let at_the_end = if self.has_exit() { RiseEnd::Exit } else { RiseEnd::Climbs };
        let fell = values[to] - lowest(&values[to..cut]);
        if lost >= TOLD * gain || fell >= HALF * gain {
            return RiseEnd::Freed;
        }
        if manner == Manner::Doubling {
            return at_the_end;
        }
        let last = &values[self.cut - self.cut.div_ceil(PART)..self.cut];
        let height = median_of(last.iter().copied());
        // One or two samples in which a program sums up what it built must not hide that it was level.
        let most = |at: usize| if at + 2 < cut { WORTH } else { TOLD };
        let far = |&at: &usize| (values[at] - height).abs() > most(at) * gain;
        let since = (0..cut).rev().find(far).map_or(0, |at| at + 1);
        if self.is_last_part(since.min(cut - 1)) { RiseEnd::Level } else { at_the_end }
    }

    /// A rise with its rates: what it gains by the time that it takes, on every clock.
    pub(super) fn with_rates(&self, rise: Rise) -> Rise {
        let per = |clock: &[f64]| {
            let passed = clock[rise.to] - clock[rise.from];
            if passed > 0.0 { rise.gain / passed } else { 0.0 }
        };
        Rise {
            rate: per(&self.axis),
            running_rate: self.work.running.as_deref().map(per),
            kept_percent: self.work.allocated.as_deref().map(|clock| 100.0 * per(clock)),
            ..rise
        }
    }

    /// Whether the log counts what the program allocated.
    pub(super) fn counts_allocation(&self) -> bool {
        self.work.allocated.is_some()
    }

    /// A curve of the whole slice in these samples.
    pub(super) fn values(&self, total: &[u128]) -> Vec<f64> {
        self.samples.iter().map(|&sample| total[sample] as f64).collect()
    }

    /// A figure of the heap in these samples, between its points; `None` if it has few, or if samples have another clock.
    pub(super) fn figure(&self, slice: &Slice<'_>, figure: HeapSeriesKind) -> Option<Vec<f64>> {
        let heap = slice.heap();
        let points = &heap[figure].points;
        if slice.clock() != Clock::Elapsed || points.len() < 4 {
            return None;
        }
        let mut next = 0;
        let at = |&time: &f64| {
            let is_before = |point: &(crate::base::units::Nanos, crate::base::units::Bytes)| {
                point.0.as_seconds() < time
            };
            next += points[next..].partition_point(is_before);
            let (after, to) = points[next.min(points.len() - 1)];
            let (before, from) = points[next.saturating_sub(1).min(points.len() - 1)];
            let (from, to, gap) =
                (from.get() as f64, to.get() as f64, after.since(before).as_seconds());
            let share = (time - before.as_seconds()) / gap;
            if gap > 0.0 { from + (to - from) * share.clamp(0.0, 1.0) } else { to }
        };
        Some(self.axis.iter().map(at).collect())
    }
}

/// When what is seen of a run begins; `None` if that is not known.
fn begins(slice: &Slice<'_>) -> Option<Nanos> {
    let extent = slice.extent();
    let is_timed = slice.clock() != Clock::Sample;
    let from_start = || (is_timed && extent.before == 0).then_some(Nanos::ZERO);
    extent.from.or_else(from_start)
}

/// Where a curve that falls to its end begins to fall fast: the sample that is farthest above a line from one on to the
/// last.
fn knee(values: &[f64], from: usize) -> usize {
    let last = values.len() - 1;
    let slope = (values[last] - values[from]) / (last - from).max(1) as f64;
    let above = |at: usize| values[at] - slope * (at - from) as f64;
    (from..last).rev().max_by(|&a, &b| above(a).total_cmp(&above(b))).unwrap_or(last)
}

/// At most about this many of the samples, evenly spread, with the first and the last.
fn picks(samples: usize, most: usize) -> Vec<usize> {
    let step = samples.div_ceil(most).max(1);
    let mut picks: Vec<usize> = (0..samples).rev().step_by(step).collect();
    if picks.last().is_some_and(|&first| first > 0) {
        picks.push(0);
    }
    picks.reverse();
    picks
}

/// The curves of the bands that may change by `least` bytes or more.
pub(super) fn band_curves(slice: &Slice<'_>, samples: &[usize], least: f64) -> Vec<BandCurve> {
    let (picks, least) = (samples, (least / 2.0) as u64);
    let asked: Vec<(usize, f64)> =
        self::picks(picks.len(), MOST_ASKED).into_iter().map(|pick| (picks[pick], 0.0)).collect();
    let bands = figures::bands(slice, asked.into_iter());
    let change = |row: RowId| {
        let band = &bands[row.index()];
        band.peak - band.least.min(band.peak)
    };
    let is_wanted = |row: &RowId| change(*row) >= least && slice.is_selected(*row);
    let mut wanted: Vec<RowId> = slice.rows().filter(is_wanted).collect();
    let most = MOST_NUMBERS / picks.len().max(1);
    if wanted.len() > most {
        wanted.sort_by_key(|&row| (std::cmp::Reverse(change(row)), row));
        wanted.truncate(most);
        wanted.sort_unstable();
    }
    // One curve for each of them and one for all others, so that the loop over points needs no test.
    let others = wanted.len();
    let mut curve_of = vec![others; slice.rows().len()];
    wanted.iter().enumerate().for_each(|(i, &row)| curve_of[row.index()] = i);
    let mut curves = vec![vec![0.0; picks.len()]; others + 1];
    for (pick, &sample) in picks.iter().enumerate() {
        slice.each_point(sample, |row, size| {
            curves[curve_of[row.index()]][pick] += size.get() as f64;
        });
    }
    let curves = wanted.into_iter().zip(curves);
    curves.map(|(row, values)| BandCurve { row, values }).collect()
}
