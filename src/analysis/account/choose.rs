//! Chooses what is found of a heap in which nothing is accused, by its highest, its lowest, its falls and its ends.

use std::ops::Range;

use super::{Judged, Leak};
use crate::analysis::constants::{FIFTH, HALF, LATE, NEAR, PART, SOME, TEETH, TOLD, WORTH};
use crate::analysis::curve::{lows, manner};
use crate::analysis::finding::{Finding, Unjudged};
use crate::analysis::median::{highest, lowest, median_of};
use crate::analysis::rise::{Manner, Rise, RiseEnd, Who};
use crate::analysis::story::{begins, changes};
use crate::slice::{Merger, RowId};

/// A value of sorted ones below which so many of 20 are.
fn part_of_twenty(sorted: &[f64], part: usize) -> f64 {
    sorted[(sorted.len() * part / 20).min(sorted.len() - 1)]
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn median(values: &[f64]) -> f64 {
    median_of(values.iter().copied())
}

/// Between which heights a heap is. If most of its samples differ by less than a tenth, both are the median. Otherwise they
/// are `ends`.
fn level(sorted: &[f64], ends: (f64, f64)) -> (f64, f64) {
    let (middle, few) = (sorted.len() / 2, sorted.len().div_ceil(20));
    let is_level =
        sorted[few.min(middle)] >= (1.0 - WORTH) * sorted[sorted.len() - 1 - few.min(middle)];
    if is_level { (sorted[middle], sorted[middle]) } else { ends }
}

/// What some heights gain, if each is above the one before, and they do not slow down; otherwise 0.
fn rises_in_turn(heights: &[f64]) -> f64 {
    let [first, .., last] = *heights else { return 0.0 };
    let gain = last - first;
    let goes_on = last - heights[heights.len() / 2] >= LATE * gain;
    if goes_on && heights.is_sorted_by(|a, b| a < b) { gain } else { 0.0 }
}

impl Judged<'_, '_> {
    /// Finds what the heap did, and accuses who makes its lows rise.
    pub(super) fn find(&mut self) {
        self.account.finding = match self.account.suspects.is_empty() {
            _ if self.slice.metadata().interleaved => Finding::CannotTell(Unjudged::TwoProcesses),
            false => Finding::Grows,
            true if self.heap.len() < SOME => Finding::CannotTell(Unjudged::FewSamples),
            true => self.of_heap(),
        };
        self.account.jumps_to = self.jumps_to();
    }

    /// What a heap did in which nothing is accused.
    fn of_heap(&mut self) -> Finding {
        let (cut, high) = (self.account.timeline.cut, self.account.high);
        let top = self.highest_of(0..cut);
        let judged = &self.heap[..cut];
        let few = (cut / 20).max(1);
        let [first, late] = [&judged[..few], &judged[cut - few..]].map(median);
        // The last samples may be a good part of a climb.
        let last = judged[cut - 1];
        let end = if last >= (1.0 - WORTH) * high { last } else { late };
        if let Some(level) = self.level() {
            return level;
        }
        let deep = lows(judged, HALF * (high - lowest(judged)));
        // Two bursts as high as each other are as good as three, if another one follows.
        let is_alike = |part: Range<usize>| highest(&judged[part]) >= (1.0 - WORTH) * high;
        let is_wave = |first: usize, last: usize| {
            let again = highest(&judged[last..]) - judged[last] > LATE * (high - lowest(judged));
            top < last && again && is_alike(0..first) && is_alike(first..last)
        };
        if deep.len() > 2 || matches!(deep[..], [first, last] if is_wave(first, last)) {
            return self.bursts(&deep, top);
        }
        if end < (1.0 - TOLD) * high {
            return self.falls(top);
        }
        // Of what is level for half as long, and of an array that doubles, which is level for half of any run, nobody knows.
        let doubles = manner(&self.heap[self.low_before(top)..=top]) == Manner::Doubling;
        let is_last = top as f64 >= (1.0 - WORTH) * cut as f64;
        for (wavers, lasts, is_sure) in [(WORTH, FIFTH, !doubles), (NEAR, WORTH, false)] {
            if let Some(fills) = self.fills((first, end), is_last, (wavers, lasts)) {
                self.account.leak = if is_sure { Leak::None } else { Leak::Unknown };
                return fills;
            }
        }
        match deep.last().is_some_and(|&low| low > top) {
            true => self.peak(top),
            false => self.rises_to_its_end(self.low_before(top), top),
        }
    }

    /// The first of the highest of some samples.
    fn highest_of(&self, samples: Range<usize>) -> usize {
        let by_height = |a: &usize, b: &usize| self.heap[*a].total_cmp(&self.heap[*b]);
        samples.rev().max_by(by_height).unwrap_or(0)
    }

    /// That it is level, if it is. A band that rises straight until the exit is told first, though it hardly lifts the heap.
    fn level(&self) -> Option<Finding> {
        let (heap, timeline, high) = (&self.heap, &self.account.timeline, self.account.high);
        let judged = &heap[..timeline.cut];
        let all = sorted(judged);
        let ends = (part_of_twenty(&all, 1), part_of_twenty(&all, 19));
        let is_near = |bytes: &f64| *bytes >= (1.0 - TOLD) * high;
        let is_soon = timeline.share(0, judged.iter().position(is_near)?) <= WORTH;
        if !is_soon || ends.1 - ends.0 > TOLD * high {
            return None;
        }
        let is_freed = |rise: &&Rise| {
            let lifts = heap[rise.to] - heap[rise.from] >= HALF * rise.gain;
            let is_straight = rise.score > 0.0 && rise.end == RiseEnd::Exit;
            is_straight && lifts && rise.gain >= WORTH * high
        };
        let (low, high) = level(&all, ends);
        let freed = self.account.rises.iter().find(is_freed);
        Some(freed.map_or(Finding::Level { low, high }, |rise| Finding::GrewToExit {
            to: self.bytes_of(rise.row(), rise.to),
            rise: rise.clone(),
        }))
    }

    /// That it ends below its highest. What a band gains meanwhile, up to the last sample, is to be looked at first.
    fn falls(&mut self, top: usize) -> Finding {
        let high = self.account.high;
        let is_next = |rise: &&Rise| {
            rise.score > 0.0 && rise.end == RiseEnd::Open && rise.gain >= TOLD * high
        };
        if let Some(rise) = self.account.rises.iter().find(is_next).cloned() {
            (self.account.leak, self.account.is_freed) = (Leak::Unknown, false);
            return Finding::Climbs { to: rise.at_end as f64, rise };
        }
        let is_early = self.account.timeline.share(0, top) <= FIFTH;
        match is_early && self.heap[0] >= (1.0 - TOLD) * high {
            true => Finding::Falls { from: high, to: self.heap[self.heap.len() - 1] },
            false => self.peak(top),
        }
    }

    /// The height to which a heap jumps at last that was level or in bursts.
    fn jumps_to(&self) -> Option<f64> {
        let (Finding::Bursts { high, .. }
        | Finding::Fills { high, .. }
        | Finding::Level { high, .. }) = &self.account.finding
        else {
            return None;
        };
        let n = self.heap.len();
        let to = highest(&self.heap[n - n.div_ceil(PART)..]);
        (to - high >= WORTH * to).then_some(to)
    }

    /// What a band has in a sample.
    fn bytes_of(&self, row: Option<RowId>, at: usize) -> f64 {
        let mut merger = Merger::new(self.slice);
        let bands = merger.sample(self.account.timeline.samples[at]);
        bands.iter().find(|one| Some(one.0) == row).map_or(0, |one| one.1.get()) as f64
    }

    /// Where the heap is lowest before a sample, after its last fall by half of what it gained.
    fn low_before(&self, top: usize) -> usize {
        let by_height = |a: &usize, b: &usize| self.heap[*a].total_cmp(&self.heap[*b]);
        let low = (0..=top).rev().min_by(by_height).unwrap_or(0);
        let height = HALF * (self.heap[top] - self.heap[low]);
        lows(&self.heap[low..=top], height).last().map_or(low, |last| low + last)
    }

    fn rise_of_heap(&self, from: usize, to: usize, end: RiseEnd) -> Rise {
        let timeline = &self.account.timeline;
        let from = begins(&self.heap, timeline.axis(), (from, to)).min(timeline.cut - 1);
        let rise = timeline.between(&self.heap, from, to);
        self.described(Who::Heap, Rise { end, ..rise })
    }

    /// That it rises to its end, or to its highest where the exit begins: it grew until the program ended, or nobody knows how
    /// far it climbs.
    fn rises_to_its_end(&mut self, from: usize, top: usize) -> Finding {
        // What follows a spike rises to the end, too.
        let last = self.account.timeline.cut - 1;
        let is_spike = self.account.timeline.share(top, last) > WORTH;
        let top = if is_spike { last } else { self.highest_of(top..self.heap.len()) };
        let (to, last) = (self.heap[top], self.heap[self.heap.len() - 1]);
        if self.account.timeline.has_exit() && last < (1.0 - FIFTH) * to {
            // The exit frees half of the heap, or what it frees at once.
            self.account.is_freed =
                last < HALF * to || self.heap[top + 1] - last <= HALF * (to - last);
            if !self.account.is_freed {
                let rise = self.rise_of_heap(from, top, RiseEnd::Freed);
                return Finding::Peak { rise, high: to, end: last };
            }
            return Finding::GrewToExit { rise: self.rise_of_heap(from, top, RiseEnd::Exit), to };
        }
        self.account.leak = Leak::Unknown;
        Finding::Climbs { rise: self.rise_of_heap(from, top, RiseEnd::Climbs), to }
    }

    /// That it fell from its peak; what has climbed since, up to the last sample, is not judged.
    fn peak(&mut self, top: usize) -> Finding {
        let (high, is_freed) = (self.heap[top], self.account.is_freed);
        let last = if is_freed { self.account.timeline.cut } else { self.heap.len() } - 1;
        let end = self.heap[last];
        if end > high {
            return self.rises_to_its_end(self.low_before(top), top);
        }
        let since = self.low_before(last).max(top);
        let is_high = end >= (1.0 - WORTH) * highest(&self.heap[since..]);
        let is_half = end >= HALF * high && !is_freed;
        if is_high && is_half && end - self.heap[since] > TOLD * high {
            self.account.leak = Leak::Unknown;
        }
        let rise = self.rise_of_heap(self.low_before(top), top, RiseEnd::Freed);
        Finding::Peak { rise, high, end }
    }

    /// That it rises to a level and stays there, if it does: what is highest at its end still climbs, unless it is level by
    /// thirds.
    fn fills(
        &self,
        (first, end): (f64, f64),
        is_last: bool,
        (wavers, lasts): (f64, f64),
    ) -> Option<Finding> {
        let judged = &self.heap[..self.account.timeline.cut];
        let n = judged.len();
        let from = |least: f64, since: usize| {
            judged[since..].iter().position(|&bytes| bytes >= least).map(|at| since + at)
        };
        // It is full where it is as high as it usually is at its highest.
        let most = from(first + (1.0 - FIFTH) * (end - first), 0)?;
        let usual = part_of_twenty(&sorted(&judged[most..]), 18);
        let full = from((1.0 - wavers) * usual, most)?;
        let rest = sorted(&judged[full..]);
        let (low, high) = (part_of_twenty(&rest, 1), part_of_twenty(&rest, 19));
        let third = (rest.len() / 3).max(1);
        let [early, late] = [&judged[full..full + third], &judged[n - third..]].map(median);
        // The later it is full, the less it may waver.
        let latest = if low < (1.0 - wavers) * high { LATE } else { lasts };
        let is_level = low > LATE * high && (!is_last || late < (1.0 + WORTH) * early);
        let share = self.account.timeline.share(full, n - 1);
        let is_early = share.min((n - full) as f64 / n as f64) > latest;
        // A long exit of many samples is told.
        let all = self.heap.len();
        let is_long = self.account.timeline.share(n - 1, all - 1) * PART as f64 > 1.0;
        let till = if is_long { n.max(all - all.div_ceil(PART)) } else { n };
        let rest_of_run = &self.heap[full..till];
        let ends = (lowest(rest_of_run), rest[rest.len() - 1]);
        let (low, high) = level(&rest, ends);
        // A reader sees it full where it is first as high as it then usually is, or where it is between its heights for good.
        let (by, low, high) = match low == high {
            true => (from((1.0 - NEAR) * high, full).unwrap_or(full), low, high),
            false => {
                let is_below = |&bytes: &f64| bytes < (1.0 - NEAR) * low;
                let by = judged[..full].iter().rposition(is_below).map_or(0, |at| at + 1);
                (by, lowest(&self.heap[by..till]), highest(&judged[by..]))
            }
        };
        (is_early && end > (1.0 + TOLD) * first && is_level).then(|| Finding::Fills {
            rise: self.rise_of_heap(self.low_before(by), by, RiseEnd::Level),
            low,
            high,
        })
    }

    /// That it rises and falls; or that its lows rise, of which who makes them is accused, if they are enough.
    fn bursts(&mut self, deep: &[usize], top: usize) -> Finding {
        let (heap, cut, high) = (&self.heap, self.account.timeline.cut, self.account.high);
        let heights = |lows: &[usize]| lows.iter().map(|&low| heap[low]).collect::<Vec<f64>>();
        // Where the run ends while the heap still falls, that is no low.
        let is_low = |low: &&usize| **low + (cut / PART).max(1) < cut;
        let found: Vec<usize> = deep.iter().filter(is_low).copied().collect();
        let is_shown = found.len() >= TEETH && rises_in_turn(&heights(&found)) >= WORTH * high;
        let told = if is_shown { &found } else { deep };
        let (first, last) = (told[0], told[told.len() - 1]);
        let (from, to) = (heap[first], heap[last]);
        let least = self.account.timeline.least.max(TOLD * to);
        if is_shown || rises_in_turn(&heights(deep)) >= least {
            let has_exit = self.account.timeline.has_exit();
            let end = if is_shown && has_exit { RiseEnd::Exit } else { RiseEnd::Open };
            let rise = self.account.timeline.between(heap, first, last);
            let rise = self.described(Who::Heap, Rise { end, manner: Manner::Floors, ..rise });
            if end == RiseEnd::Exit {
                return Finding::GrewToExit { rise, to: highest(&heap[first..]) };
            }
            match is_shown {
                true => self.accuse_lows(&rise),
                false => self.account.leak = Leak::Unknown,
            }
            return Finding::LowsRise { rise, from, to, bursts: deep.len() };
        }
        let before = deep.iter().rfind(|&&low| low < top).copied();
        let from = before.unwrap_or_else(|| self.low_before(top));
        // Bursts that are higher in each fifth of the run than in the one before may go on.
        let fifths = (0..TEETH).map(|i| highest(&heap[i * cut / TEETH..(i + 1) * cut / TEETH]));
        let grows = rises_in_turn(&fifths.collect::<Vec<_>>()) >= WORTH * high;
        if deep.len() >= TEETH && grows {
            return self.rises_to_its_end(from, top);
        }
        let rise = self.rise_of_heap(from, top, RiseEnd::Freed);
        let judged = &self.heap[..cut];
        let shallow = lows(judged, TOLD * (high - lowest(judged)));
        let low = heights(&shallow).into_iter().fold(0.0, f64::max);
        Finding::Bursts { rise, high: self.heap[top], low }
    }

    /// Accuses who gained a fair part of what the heap did between two of its lows.
    fn accuse_lows(&mut self, all: &Rise) {
        let (samples, gain) = (&self.account.timeline.samples, all.gain);
        let mut gained = changes(self.slice, samples[all.from], &[samples[all.to]]);
        let excused = &self.account.excused;
        gained.retain(|one| {
            one.1 as f64 >= FIFTH * gain && excused.iter().all(|rise| rise.row() != Some(one.0))
        });
        gained.sort_by_key(|&(row, change)| (std::cmp::Reverse(change), row));
        let rise_of = |(row, bytes): (RowId, i64)| {
            let at_end = self.bytes_of(Some(row), samples.len() - 1) as u64;
            self.described(Who::Band(row), Rise { gain: bytes as f64, at_end, ..all.clone() })
        };
        let suspects: Vec<Rise> = match gained.is_empty() {
            true => vec![all.clone()],
            false => gained.into_iter().map(rise_of).collect(),
        };
        self.account.leak = Leak::Possible;
        self.accuse(suspects, gain, gain);
    }
}
