//! What is told of a heap in which nothing is accused: its greatest rise or its last one, how that ended, and what came before
//! and after it; or that it rises and falls, and what its lows do.

use std::cmp::Reverse;

use super::{Judged, Leak};
use crate::analysis::constants::{FIFTH, HALF, LET_GO, NEAR, PART, SLOW, TOLD, WORTH};
use crate::analysis::curve::{greatest, lows, manner};
use crate::analysis::median::{highest, lowest};
use crate::analysis::rise::{Rise, RiseEnd, Who};
use crate::analysis::story::{
    BandChange, Move, MoveKind, begins, changes, gainers, joined, named_of, of_lows, story,
};

/// A headline tells at most this many rises in addition to the greatest.
const FEW_OTHERS: usize = 2;

impl Judged<'_, '_> {
    /// Whether the story of the heap is that of its floor, in which a tooth is no news.
    fn has_a_floor(&self) -> bool {
        self.account.movements.iter().any(|one| one.floor)
    }

    /// What the heap did in which nothing is accused: its greatest rise, or its last, or that it rises and falls.
    pub(super) fn tell(&mut self) {
        let (heap, cut) = (&self.heap, self.account.timeline.cut);
        let peak = highest(heap);
        let moves = story(heap, (0, cut - 1), WORTH * peak);
        let (rises, falls) = (joined(&moves, MoveKind::Rise), joined(&moves, MoveKind::Fall));
        let by_size = |a: &&(Move, &Move), b: &&(Move, &Move)| a.0.size().cmp(&b.0.size());
        let (Some(big), Some(last)) = (rises.iter().rev().max_by(by_size), rises.last()) else {
            return;
        };
        let (size, first) = (big.0.size() as f64, &rises[0].0);
        if size < self.account.timeline.least.max(TOLD * peak) {
            return;
        }
        // What the first sample holds was built up before it.
        let is_deep = |one: &Move| one.size() as f64 >= HALF * size;
        let starts_high = falls.first().is_some_and(|(fall, _)| fall.to <= first.from);
        let (since, reached) = if starts_high { (0, 0) } else { (first.from, first.to) };
        let later_falls = || falls.iter().map(|fall| &fall.0).filter(|fall| reached <= fall.from);
        let low_after = |fall: &Move| {
            let mut later = rises.iter().map(|rise| rise.0.from).filter(|&from| from >= fall.to);
            let end = later.next().unwrap_or(cut - 1);
            (fall.to..=end).min_by(|&a, &b| heap[a].total_cmp(&heap[b])).unwrap_or(fall.to)
        };
        let lows: Vec<usize> = later_falls().filter(|fall| is_deep(fall)).map(low_after).collect();
        let is_ended = |one: &&(Move, &Move)| lows.last().is_some_and(|&low| one.0.to <= low);
        let ended = || rises.iter().filter(is_ended);
        // Two rounds are one mountain after another, unless both are about as great, and made by the same.
        let is_regular =
            || self.are_alike(ended().map(|one| &one.0).filter(|one| is_deep(one)), size);
        let rounds = lows.iter().filter(|low| **low <= last.0.from).count();
        let is_told = rounds > 2 || rounds == 2 && is_regular();
        if !is_told {
            return self.tell_rise(big, &rises, &falls);
        }
        let big = ended().max_by(by_size).unwrap_or(big);
        // The first rise of a sawtooth may begin below its lows.
        let fallen = later_falls().next().map_or(0, Move::size);
        let early = if starts_high { fallen } else { first.size().min(fallen) };
        let others = rises.iter().skip(usize::from(!starts_high));
        let others = others.map(|one| one.0.size()).max();
        self.account.heights.round = others.unwrap_or(0).max(early);
        self.tell_saw(big, &last.0, (since, lows));
    }

    /// Whether some rises are about as great as this, and made by the same.
    fn are_alike<'m>(&self, rises: impl Iterator<Item = &'m Move>, size: f64) -> bool {
        let rises: Vec<&Move> = rises.collect();
        if rises.iter().any(|one| (one.size() as f64) < (1.0 - TOLD) * size) {
            return false;
        }
        let mut makers = rises.iter().map(|one| {
            let samples = &self.account.timeline.samples[one.from..=one.to];
            gainers(self.slice, samples, &self.account.excused).first().map(|band| band.row)
        });
        let first = makers.next();
        makers.all(|maker| Some(maker) == first)
    }

    /// Tells the greatest rise of the heap, the highest of those that are about as great, or its last if that reaches the
    /// end and makes a fair part of it.
    fn tell_rise(&mut self, big: &(Move, &Move), rises: &[(Move, &Move)], falls: &[(Move, &Move)]) {
        let is_as_great =
            |one: &&(Move, &Move)| one.0.size() as f64 >= (1.0 - WORTH) * big.0.size() as f64;
        let highest_first = rises.iter().rev().filter(is_as_great);
        let big = highest_first.max_by_key(|one| one.0.to_bytes).unwrap_or(big);
        let last = &rises[rises.len() - 1];
        let (mut told, mut end) = (big, self.end_of(&big.0));
        let last_end = self.end_of(&last.0);
        let size = last.0.size() as f64;
        // What falls was built up, be it before the first sample.
        let fallen = falls.iter().map(|fall| fall.0.size()).max().unwrap_or(0);
        // A short one must be nearly as great.
        let is_short = self.account.timeline.share(last.0.from, last.0.to) < FIFTH;
        let least = if is_short { 1.0 - WORTH } else { HALF };
        let is_great = size >= least * big.0.size() as f64 && size >= HALF * fallen as f64;
        if last_end.reaches_the_end() && is_great {
            (told, end) = (last, last_end);
        }
        let after = &self.heap[big.0.to..self.account.timeline.cut.max(big.0.to + 1)];
        let is_saw = lows(after, TOLD * big.0.size() as f64).len() > 2;
        let climbs = last_end == RiseEnd::Climbs && !is_saw;
        // What wavers and climbs at the end is no level.
        let whole = Move::new(MoveKind::Rise, &self.heap, (big.0.from, last.0.to));
        let wavers = (whole.clone(), &whole);
        if climbs && end == RiseEnd::Level {
            (told, end) = (&wavers, last_end);
        }
        let is_unsure = climbs && size >= TOLD * highest(&self.heap);
        let leak = if is_unsure { Leak::Unknown } else { self.account.leak };
        // Of what climbs at the end, the part after its last level is told.
        let is_late = |one: &Move| one.to == last.0.to && last_end.reaches_the_end();
        let others = rises.iter().filter(|one| one.0.to != told.0.to);
        let others = others.map(|one| if is_late(&one.0) { one.1 } else { &one.0 });
        // What the first sample holds was built up before it.
        let at_first = falls.first().map(|fall| &fall.0);
        let at_first = at_first.filter(|fall| fall.to <= rises[0].0.from);
        let built = |one: &Move| if one.from == 0 { one.high_bytes } else { one.size() };
        let (told, again) = self.without_a_last_part(self.whole(&told.0, end));
        let is_fair = |one: &&Move| {
            // The last rise before the exit may be as high.
            let is_late = end == RiseEnd::Exit && one.from >= told.to;
            let least = if is_late { WORTH } else { TOLD };
            built(one) as f64 >= least * told.gain
        };
        let mut others: Vec<&Move> =
            at_first.into_iter().chain(others).chain(&again).filter(is_fair).collect();
        others.sort_by_key(|one| Reverse(built(one)));
        others.truncate(FEW_OTHERS);
        others.sort_by_key(|one| one.from);
        self.account.others =
            others.into_iter().map(|one| self.with_names(self.to_its_top(one))).collect();
        self.report_rise(told, leak);
    }

    /// Tells the greatest of several rises of a heap that falls after each, and what the lows between them do.
    fn tell_saw(
        &mut self,
        big: &(Move, &Move),
        last: &Move,
        (since, mut deep): (usize, Vec<usize>),
    ) {
        let (heap, cut) = (&self.heap, self.account.timeline.cut);
        let told = self.whole(&big.0, RiseEnd::Freed);
        let is_large = last.size() as f64 >= TOLD * highest(heap);
        let climbs = is_large && !self.has_a_floor() && self.end_of(last).reaches_the_end();
        let again = climbs.then(|| last.clone());
        self.account.others = again.into_iter().map(|one| self.with_names(one)).collect();
        let all = lows(&heap[since..cut], WORTH * told.gain);
        let mut all: Vec<usize> = all.into_iter().map(|low| low + since).collect();
        self.account.rounds = all.len();
        // Where the run ends while the heap still falls, that is no low.
        let is_low = |low: &usize| *low <= last.from || *low + cut / PART < cut;
        deep.retain(is_low);
        all.retain(is_low);
        if all.is_empty() {
            all.clone_from(&deep);
        }
        let worth_it = (WORTH * told.gain).min(TOLD * heap[all[all.len() - 1]]);
        let floor = of_lows(heap, &all, worth_it);
        let bounds: Vec<usize> = [since].into_iter().chain(all.iter().copied()).collect();
        let some = bounds.windows(2).step_by(all.len().div_ceil(PART).max(1));
        let by_height = |a: &usize, b: &usize| heap[*a].total_cmp(&heap[*b]);
        let tops: Vec<usize> =
            some.filter_map(|pair| (pair[0]..pair[1]).max_by(by_height)).collect();
        self.account.named = self.makers(floor.from, &tops);
        self.account.floor = Some(self.with_names(floor));
        self.report_rise(told, self.account.leak);
    }

    /// How a move of the heap ended.
    fn end_of(&self, one: &Move) -> RiseEnd {
        let manner = manner(&self.heap[one.from..=one.to]);
        self.account.timeline.end(&self.heap, one.from, one.to, manner)
    }

    /// A rise that was freed, or that lasted until the exit, without a short last part that leads hardly higher than what is
    /// lost before it; and that part.
    fn without_a_last_part(&self, told: Rise) -> (Rise, Option<Move>) {
        let heap = &self.heap;
        let (lost, top, low) = greatest(heap, (told.from, told.to), -1.0);
        let is_higher = heap[told.to] - heap[top] >= WORTH * told.gain;
        let is_short = self.account.timeline.share(low, told.to) < FIFTH;
        let is_ended = matches!(told.end, RiseEnd::Exit | RiseEnd::Freed);
        match is_ended && is_short && lost >= TOLD * told.gain && !is_higher {
            true => {
                let part = |from, to| Move::new(MoveKind::Rise, heap, (from, to));
                (self.whole(&part(told.from, top), told.end), Some(part(low, told.to)))
            }
            false => (told, None),
        }
    }

    /// Tells the greatest band that grew until the program ended, in a heap that is level but for that band.
    pub(super) fn tell_band(&mut self) {
        let account = &self.account;
        let is_level = account.told.as_ref().is_none_or(|told| told.end == RiseEnd::Level);
        if !is_level || !account.suspects.is_empty() || account.rounds > 0 {
            return;
        }
        let heap = &self.heap;
        let told = account.told.as_ref().map_or(0.0, |told| told.gain);
        let least = (SLOW * account.heights.high).max(WORTH * told);
        let is_told = |rise: &&Rise| {
            let gained = |from: usize| heap[rise.to] - heap[from];
            let late = gained(usize::midpoint(rise.from, rise.to));
            let is_held = rise.score > 0.0 && rise.end == RiseEnd::Exit;
            let is_news = gained(rise.from) >= HALF * rise.gain
                && late >= HALF * rise.late.min(HALF) * rise.gain;
            is_held && rise.gain >= least && is_news
        };
        if let Some(rise) = account.rises.iter().find(is_told).cloned() {
            let share = self.late_share(std::slice::from_ref(&rise), rise.from);
            self.account.share = share.filter(|share| *share < 1.0 - LET_GO);
            self.report_rise(rise, self.account.leak);
        }
    }

    /// A rise up to where it is highest, if it goes on for less than a tenth of the run and does not fall by a tenth of itself
    /// before that. Other moves stay as they are.
    fn to_its_top(&self, one: &Move) -> Move {
        let (heap, timeline) = (&self.heap, &self.account.timeline);
        if one.kind != MoveKind::Rise {
            return one.clone();
        }
        let less = |share: f64| share * one.size() as f64;
        let is_near = |at: &usize| {
            heap[*at] >= heap[one.to] - less(WORTH) && timeline.share(one.to, *at) < WORTH
        };
        let end = (one.to..timeline.cut).take_while(is_near).last().unwrap_or(one.to);
        let high = highest(&heap[one.to..=end]);
        let top = (one.to..=end).find(|&at| heap[at] >= high - less(SLOW)).unwrap_or(end);
        Move::new(one.kind, heap, (one.from, top))
    }

    /// A move of the heap as a rise that ended in this way.
    fn whole(&self, one: &Move, end: RiseEnd) -> Rise {
        let (timeline, heap) = (&self.account.timeline, &self.heap);
        // The highest of a level may be long after the rise to it.
        let after = lowest(&heap[one.to..timeline.cut.max(one.to + 1)]);
        let reached = |share: f64| {
            let gain = heap[one.to] - heap[one.from];
            let level = after.min(timeline.last_height(heap) - share * gain);
            (one.from..one.to).find(|&at| heap[at] >= level).unwrap_or(one.to)
        };
        // Or what is nearly as high is for long, before it is as high.
        let (near, level) = (reached(WORTH), reached(NEAR));
        let level = if timeline.share(near, level) >= FIFTH { near } else { level };
        let least = if end == RiseEnd::Climbs { WORTH } else { FIFTH };
        let is_early = timeline.share(level, one.to) >= least;
        let is_level = match end {
            RiseEnd::Level => true,
            RiseEnd::Climbs => {
                let rest = &heap[level..timeline.cut];
                highest(rest) - lowest(rest) < WORTH * one.size() as f64
            }
            RiseEnd::Open | RiseEnd::Exit | RiseEnd::Freed => false,
        };
        let to = match end {
            RiseEnd::Freed | RiseEnd::Exit => self.to_its_top(one).to,
            RiseEnd::Level | RiseEnd::Climbs | RiseEnd::Open if is_level && is_early => level,
            RiseEnd::Level | RiseEnd::Climbs | RiseEnd::Open => one.to,
        };
        let from = begins(heap, timeline.axis(), (one.from, to));
        let rise = timeline.ended(heap, from, to);
        self.described(Who::Heap, Rise { end, ..rise })
    }

    /// Tells a rise of the heap.
    fn report_rise(&mut self, told: Rise, leak: Leak) {
        let after = &self.heap[told.to..self.account.timeline.cut.max(told.to + 1)];
        let heights = &mut self.account.heights;
        // What the last two samples hold is no part of a level.
        let level = after.len().saturating_sub(2).max(3).min(after.len());
        let level = if told.end == RiseEnd::Level { &after[..level] } else { after };
        heights.after = (lowest(level), highest(level));
        let few = (self.account.timeline.cut / PART).max(1);
        let before = after[after.len().saturating_sub(1 + few)];
        // What still falls where the exit begins is not held until then.
        let falls = before - heights.settled > WORTH * told.gain;
        heights.rest = if falls { heights.last } else { heights.settled };
        (heights.base, heights.top) = (self.heap[told.from], self.heap[told.to]);
        (heights.dip, ..) = greatest(&self.heap, (told.from, told.to), -1.0);
        heights.falls = lows(&self.heap[told.from..=told.to], WORTH * told.gain).len();
        let timeline = &self.account.timeline;
        let place = |at: usize| {
            let sample = timeline.samples[at];
            (self.slice.when(sample), self.slice.number(sample) - 1)
        };
        let high = self.heap[told.to] - WORTH * told.gain;
        let held = told.to + after.iter().rposition(|&bytes| bytes >= high).unwrap_or(0);
        let low = heights.rest + NEAR * told.gain;
        let lost = self.heap[held..].iter().position(|&bytes| bytes < low);
        let lost = lost.map_or(self.heap.len() - 1, |at| held + at);
        self.account.drained = (timeline.share(held, lost) >= FIFTH).then(|| place(lost));
        // What climbs until the end does not stand still there, be it for a shorter time.
        let least = match told.end {
            RiseEnd::Climbs => NEAR,
            RiseEnd::Open | RiseEnd::Exit => WORTH,
            RiseEnd::Level | RiseEnd::Freed => FIFTH,
        };
        let is_long = timeline.share(told.to, held) >= least;
        let is_freed = told.end == RiseEnd::Freed && self.account.rounds == 0;
        self.account.left = is_freed.then(|| self.left(&told)).flatten();
        let rises_again = self.account.others.iter().any(|one| one.from >= told.to);
        self.account.held = (is_long && !rises_again).then(|| place(held));
        (self.account.told, self.account.leak) = (Some(told), leak);
    }

    /// Who holds half of what is left of a rise that was freed, and gained that since it began.
    fn left(&self, told: &Rise) -> Option<BandChange> {
        let timeline = &self.account.timeline;
        let [from, last] = [told.from, timeline.cut - 1].map(|at| timeline.samples[at]);
        let gained = changes(self.slice, from, &[last]).into_iter();
        let most = gained.max_by_key(|&(row, change)| (change, Reverse(row)))?;
        let is_half = most.1 as f64 >= HALF * self.account.heights.rest;
        if is_half { named_of(self.slice, vec![most]).pop() } else { None }
    }

    /// Who makes a sawtooth: what each row gains on average from a low to the tops of its teeth.
    fn makers(&self, low: usize, tops: &[usize]) -> Vec<BandChange> {
        let samples = &self.account.timeline.samples;
        let tops: Vec<usize> = tops.iter().map(|&top| samples[top]).collect();
        let mut gained = changes(self.slice, samples[low], &tops);
        gained.iter_mut().for_each(|one| one.1 /= tops.len() as i64);
        let excused = &self.account.excused;
        gained.retain(|one| one.1 > 0 && excused.iter().all(|rise| rise.row() != Some(one.0)));
        let all: f64 = gained.iter().map(|one| one.1 as f64).sum();
        gained.retain(|one| one.1 as f64 >= SLOW * all);
        gained.sort_by_key(|&(row, change)| (Reverse(change), row));
        named_of(self.slice, gained)
    }
}
