//! Chooses what is found of a heap in which nothing is accused, by its highest, its lowest, its falls and its ends.

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

impl Judged<'_, '_> {
    /// Finds what the heap did, and accuses who makes its lows rise.
    pub(super) fn find(&mut self) {
        self.account.jumps_to = self.jumps_to();
        self.account.finding = match self.account.suspects.is_empty() {
            _ if self.slice.metadata().interleaved => Finding::CannotTell(Unjudged::TwoProcesses),
            false => Finding::Grows,
            true if self.heap.len() < SOME => Finding::CannotTell(Unjudged::FewSamples),
            true => self.of_heap(),
        };
    }

    /// What a heap did in which nothing is accused.
    fn of_heap(&mut self) -> Finding {
        let (timeline, heap) = (&self.account.timeline, &self.heap);
        let (cut, high) = (timeline.cut, self.account.high);
        let by_height = |a: &usize, b: &usize| heap[*a].total_cmp(&heap[*b]);
        let top = (0..cut).rev().max_by(by_height).unwrap_or(0);
        let judged = &heap[..cut];
        let (all, few) = (sorted(judged), (cut / 20).max(1));
        let [first, usual, late] = [&judged[..few], judged, &judged[cut - few..]].map(median);
        // The last samples may be a good part of a climb.
        let last = judged[cut - 1];
        let end = if last >= (1.0 - WORTH) * high { last } else { late };
        let spread = part_of_twenty(&all, 19) - part_of_twenty(&all, 1);
        if spread <= TOLD * high && high <= (1.0 + HALF) * usual {
            // What rises straight until the exit is told before a heap that it hardly lifts.
            let is_freed = |rise: &&Rise| {
                let lifts = heap[rise.to] - heap[rise.from] >= HALF * rise.gain;
                let is_straight = rise.score > 0.0 && rise.end == RiseEnd::Exit;
                is_straight && lifts && rise.gain >= WORTH * high
            };
            let freed = self.account.rises.iter().find(is_freed);
            return freed.map_or(Finding::Level { at: usual }, |rise| Finding::GrewToExit {
                to: self.bytes_of(rise.row(), rise.to),
                rise: rise.clone(),
            });
        }
        let deep = lows(judged, HALF * (high - all[0]));
        if deep.len() > 2 {
            return self.bursts(&deep, top);
        }
        // An array that doubles is level for half of any run.
        let doubles = (2 * top >= cut || timeline.share(0, top) >= HALF)
            && manner(&heap[self.low_before(top)..=top]) == Manner::Doubling;
        let is_last = top as f64 >= (1.0 - WORTH) * cut as f64;
        if end < (1.0 - TOLD) * high {
            // What a band gains while the others fall, up to the last sample, is to be looked at first.
            let is_next = |rise: &&Rise| {
                rise.score > 0.0 && rise.end == RiseEnd::Open && rise.gain >= TOLD * high
            };
            if let Some(rise) = self.account.rises.iter().find(is_next).cloned() {
                self.account.leak = Leak::Unknown;
                return Finding::Climbs { to: rise.at_end as f64, rise };
            }
            return match top < few || first > (1.0 - WORTH) * high {
                true => Finding::Falls { from: high, to: self.heap[self.heap.len() - 1] },
                false => self.peak(top),
            };
        }
        // Of what is level for half as long, and of an array that doubles, nobody knows.
        for (wavers, lasts, is_sure) in [(WORTH, FIFTH, !doubles), (NEAR, WORTH, false)] {
            if let Some(fills) = self.fills((first, end), is_last, (wavers, lasts)) {
                self.account.leak = if is_sure { Leak::None } else { Leak::Unknown };
                return fills;
            }
        }
        if deep.last().is_some_and(|&low| low > top) {
            return self.peak(top);
        }
        self.rises_to_its_end(self.low_before(top), top)
    }

    /// The height to which the heap jumps where its exit begins.
    fn jumps_to(&self) -> Option<f64> {
        let (heap, cut) = (&self.heap, self.account.timeline.cut);
        let to = highest(&heap[cut..]);
        (to > self.account.high && to - heap[cut - 1] >= TOLD * to).then_some(to)
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
        let by_height = |a: &usize, b: &usize| self.heap[*a].total_cmp(&self.heap[*b]);
        let top = (top..self.heap.len()).rev().max_by(by_height).unwrap_or(top);
        let (to, last) = (self.heap[top], self.heap[self.heap.len() - 1]);
        if self.account.timeline.has_exit() && last < (1.0 - FIFTH) * to {
            return Finding::GrewToExit { rise: self.rise_of_heap(from, top, RiseEnd::Exit), to };
        }
        self.account.leak = Leak::Unknown;
        Finding::Climbs { rise: self.rise_of_heap(from, top, RiseEnd::Climbs), to }
    }

    /// That it fell from its peak; what has climbed since, up to the last sample, is not judged.
    fn peak(&mut self, top: usize) -> Finding {
        let (high, after) = (self.heap[top], &self.heap[top..]);
        let (low, end) = (lowest(after), after[after.len() - 1]);
        if end > high {
            return self.rises_to_its_end(self.low_before(top), top);
        }
        let since = self.low_before(self.heap.len() - 1).max(top);
        let is_high = end >= HALF * high && end >= (1.0 - WORTH) * highest(&self.heap[since..]);
        if is_high && end - low > TOLD * high {
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
        let usual = median(&judged[full..]);
        let (low, high) = if ends.0 >= (1.0 - TOLD) * ends.1 { (usual, usual) } else { ends };
        // An eye sees it full where it is as high as it then usually is.
        let by = from((1.0 - NEAR) * usual, full).unwrap_or(full);
        (is_early && end > (1.0 + TOLD) * first && is_level).then(|| Finding::Fills {
            rise: self.rise_of_heap(self.low_before(by), by, RiseEnd::Level),
            low,
            high,
        })
    }

    /// That it rises and falls; or that its lows rise, of which who makes them is accused.
    fn bursts(&mut self, deep: &[usize], top: usize) -> Finding {
        let (heap, cut) = (&self.heap, self.account.timeline.cut);
        // Where the run ends while the heap still falls, that is no low.
        let is_low = |low: &&usize| **low + (cut / PART).max(1) < cut;
        let found: Vec<usize> = deep.iter().filter(is_low).copied().collect();
        let heights: Vec<f64> = found.iter().map(|&low| heap[low]).collect();
        if self.rises_in_turn(&heights) {
            let (from, to) = (heights[0], heights[heights.len() - 1]);
            let ends = (found[0], found[found.len() - 1]);
            if !self.account.timeline.has_exit() {
                self.accuse_lows(ends, to - from);
                return Finding::LowsRise { from, to, bursts: deep.len() };
            }
            let rise = self.rise_of_heap(ends.0, ends.1, RiseEnd::Exit);
            let rise = Rise { manner: Manner::Floors, ..rise };
            return Finding::GrewToExit { rise, to: highest(&heap[ends.0..]) };
        }
        let before = deep.iter().rfind(|&&low| low < top).copied();
        let from = before.unwrap_or_else(|| self.low_before(top));
        // Bursts that are higher in each fifth of the run than in the one before may go on.
        let fifths = (0..TEETH).map(|i| highest(&heap[i * cut / TEETH..(i + 1) * cut / TEETH]));
        if deep.len() >= TEETH && self.rises_in_turn(&fifths.collect::<Vec<_>>()) {
            return self.rises_to_its_end(from, top);
        }
        let rise = self.rise_of_heap(from, top, RiseEnd::Freed);
        let low = deep.iter().map(|&low| self.heap[low]).fold(0.0, f64::max);
        Finding::Bursts { rise, high: self.heap[top], low }
    }

    /// Whether there are enough heights, each is higher than the one before it, and they do not slow down.
    fn rises_in_turn(&self, heights: &[f64]) -> bool {
        let [first, .., last] = *heights else { return false };
        let gain = last - first;
        heights.len() >= TEETH
            && heights.is_sorted_by(|a, b| a < b)
            && gain >= WORTH * self.account.high
            && last - heights[heights.len() / 2] >= LATE * gain
    }

    /// Accuses who gained a fair part of what the heap did between two of its lows.
    fn accuse_lows(&mut self, (from, to): (usize, usize), gain: f64) {
        let samples = &self.account.timeline.samples;
        let mut gained = changes(self.slice, samples[from], &[samples[to]]);
        let excused = &self.account.excused;
        gained.retain(|one| {
            one.1 as f64 >= FIFTH * gain && excused.iter().all(|rise| rise.row() != Some(one.0))
        });
        gained.sort_by_key(|&(row, change)| (std::cmp::Reverse(change), row));
        let rise = Rise { from, to, manner: Manner::Floors, end: RiseEnd::Open, ..Rise::default() };
        let rise_of = |who, bytes: f64, at_end: f64| {
            let rise = Rise { gain: bytes, at_end: at_end as u64, ..rise.clone() };
            self.described(who, rise)
        };
        let at_end = |row| self.bytes_of(Some(row), samples.len() - 1);
        let suspects: Vec<Rise> = match gained.is_empty() {
            true => vec![rise_of(Who::Heap, gain, self.account.settled)],
            false => gained
                .iter()
                .map(|&(row, bytes)| rise_of(Who::Band(row), bytes as f64, at_end(row)))
                .collect(),
        };
        self.account.leak = Leak::Possible;
        self.accuse(suspects, gain, gain);
    }
}
