//! The account of a heap: what rose in it, since when, how fast, how that ended, and last of all, whether it leaks.
//!
//! The heap, each of its bands, and memory outside of them are curves on one timeline. The exit of the program is cut off
//! first. What rises up to the cut, is still held in the last sample, and makes a fair part of what the heap gained is
//! accused. Otherwise the story of the heap is told: its greatest rise, and how that ended. Everything that heapviz says
//! of growth is a function of this. `docs/diagnosis.md` has the rules and their constants.

mod told;

use std::cmp::Reverse;

use serde::Serialize;
use serde::ser::SerializeStruct;

use super::ClosureKind;
use super::constants::{
    FEW, FIFTH, HALF, LASTS, LATE, LEAST, LEAST_BYTES, LET_GO, LIKELY, MANY, PART, SCORE, SLOW,
    SOME, TOLD, TOOTH, WORTH,
};
use super::curve::{greatest, lows};
use super::figures::Totals;
use super::median::{highest, lowest, mean, median_of};
use super::memory;
use super::remarks::{Remark, of_sampling, remarks};
use super::rise::{Manner, Rise, RiseEnd, Who, objects};
use super::sampling_advice;
use super::story::{BandChange, Move, MoveKind, changes, gainers, named_of, readable};
use super::timeline::{BandCurve, Timeline, Unsampled, band_curves, unsampled};
use crate::base::pattern::Pattern;
use crate::base::units::Nanos;
use crate::profile::{Breakdown, Clock, Tells};
use crate::slice::{RowId, RunEnd, Slice};

/// How certain the verdict is, in words: it is not a calibrated probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Leak {
    /// Too few samples to say anything, or the heap climbs at the end for too short a time.
    #[default]
    Unknown,
    /// Nothing that the program holds at the end grows up to it.
    None,
    /// Something grows, for too short a time, too little or too unevenly to be sure.
    Possible,
    /// Something grows steadily, for long, and by much.
    Likely,
}

/// What a heap did over the run, from the least to the most alarming.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The heap is level at the end.
    Level,
    /// The heap built up memory, and freed some of it.
    BuiltUp,
    /// The heap grew until the program ended, which freed it.
    GrewToExit,
    /// The heap grows to the last sample.
    Grows,
}

/// The account of a heap.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Account {
    /// Whether something leaks.
    pub leak: Leak,
    /// What is accused, most bytes first.
    pub suspects: Vec<Rise>,
    /// Whether what is accused is a small part of the heap.
    pub is_slow: bool,
    /// The number of bytes that all of them gained together.
    pub grew: u64,
    /// The number of bytes that all bands together gained meanwhile; below zero if they fell.
    pub heap_grew: i64,
    /// Which share of that made what is accused or told, if it is not nearly all.
    pub(crate) share: Option<f64>,
    /// The rise of the heap that the headline tells where nothing is accused, and how it ended.
    pub told: Option<Rise>,
    /// When it is held for the last time, and in which sample, if it stands still until then.
    pub(crate) held: Option<(Option<Nanos>, usize)>,
    /// When most of it is lost, and in which sample, if it falls for a fair part of the run.
    pub(crate) drained: Option<(Option<Nanos>, usize)>,
    /// Who holds half of what is left of it, if it was freed, and gained that since it began.
    pub(crate) left: Option<BandChange>,
    /// How often the heap rises and is freed again, if it does so several times.
    pub rounds: usize,
    /// What the lows between these rounds do.
    pub floor: Option<Move>,
    /// How the heap rises by twice what is accused and falls again, if it does: its greatest rise, how often it falls, and
    /// what it gains after that.
    pub(crate) peaks: Option<(Move, usize, f64)>,
    /// In which short part of its time the heap makes much of what is accused or told, if it does.
    pub(crate) burst: Option<Move>,
    /// What the heap gains where its exit begins, if that is a fair part of all.
    pub(crate) jump: Option<Move>,
    /// The greatest two other rises of the heap that are a fair part of what is told: before it, and after it if it was freed,
    /// be it by the exit; of a sawtooth, its climb at the end. Of what the first sample holds the fall is here.
    pub(crate) others: Vec<Move>,
    /// How the heap grows to its end, or until the program ended, if it does.
    pub heap: Option<Rise>,
    /// The memory of the process at the last sample before the exit, the most it was, and its rise to the end, if it rises;
    /// `None` if the input does not say it.
    pub memory: Option<ProcessMemory>,
    /// The rise of each band that gains enough, the greatest first.
    pub rises: Vec<Rise>,
    /// The rises of bands that may grow: those that the user accepts, and compact regions.
    pub excused: Vec<Rise>,
    /// What grows outside of the bands: live bytes, memory that the run-time system or the process holds.
    pub outside: Vec<Rise>,
    /// What the heap did, in the order of time.
    pub movements: Vec<Move>,
    /// Who gained most while what is told happened, most bytes first, but who is large only in its last sample last.
    pub named: Vec<BandChange>,
    /// Who held much more than the first of them meanwhile.
    pub(crate) held_most: Option<BandChange>,
    /// What a reader must know to understand the account.
    pub remarks: Vec<Remark>,
    /// The heap in the first sample, the lowest and the highest before the exit, the last before the exit, and the last
    /// of all, in bytes.
    pub(crate) heights: Heights,
    /// The parts without samples, if they are a fair part of the run.
    pub(crate) unsampled: Vec<Unsampled>,
    /// By how much live bytes rise between few samples that do not show it.
    pub(crate) unseen: Option<f64>,
    /// How many samples were judged.
    pub samples: usize,
    /// The samples of two processes are in it, in turn.
    pub two_processes: bool,
    /// How long the run was observed; `None` where samples have no times.
    pub observed: Option<Nanos>,
    /// What the times count.
    pub clock: Clock,
    /// What a band stands for.
    pub breakdown: Breakdown,
    /// Whether the program was built for profiling.
    pub profiled: bool,
    /// Whether the program still runs: then no leak is ever graded as likely.
    pub(crate) is_running: bool,
    pub(super) timeline: Timeline,
}

/// The memory of a process: resident memory, or what the run-time system holds.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ProcessMemory {
    /// Before the exit, in bytes.
    pub last: f64,
    /// The most that it was, in bytes.
    pub most: f64,
    /// The rise to the end, if there is one.
    pub rise: Option<Rise>,
}

/// Some heights of a heap, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Heights {
    pub first: f64,
    pub low: f64,
    pub high: f64,
    /// Before the exit.
    pub settled: f64,
    /// In the last sample.
    pub last: f64,
    /// The median before the exit.
    pub usual: f64,
    /// The highest from then on.
    pub exit: f64,
    /// The lowest and the highest after the rise that is told and before the exit.
    pub after: (f64, f64),
    /// By how much a sawtooth rises and falls in its greatest round.
    pub round: u64,
    /// From which and to which height the rise that is told leads, how much of it is lost again on the way, and how often it
    /// falls by a tenth.
    pub base: f64,
    pub top: f64,
    pub dip: f64,
    pub falls: usize,
    /// What stays until the exit: the heap before it, or in the last sample if it still falls where the exit begins.
    pub rest: f64,
}

impl Heights {
    /// What a height has of the rise that is told.
    pub fn gained(&self, height: f64) -> f64 {
        (height - self.base).max(0.0)
    }
}

/// What is judged: the heap without what is excused, and the curves of the bands.
struct Judged<'a, 'r> {
    slice: &'a Slice<'r>,
    heap: Vec<f64>,
    bands: Vec<BandCurve>,
    totals: &'a Totals,
    account: Account,
}

impl Account {
    /// The account of the rows of a slice. `accepted` are bands that may grow.
    pub(super) fn new(slice: &Slice<'_>, totals: &Totals, accepted: &[Pattern]) -> Account {
        let timeline = Timeline::new(slice, &totals.selected);
        let all = timeline.values(&totals.selected);
        let least = (LEAST * mean(&all)).max(LEAST_BYTES);
        let curves = band_curves(slice, &timeline.samples, least);
        let is_excused = |curve: &BandCurve| {
            let label = slice.label(curve.row);
            slice.kind(label) == Some(ClosureKind::CompactRegion)
                || accepted.iter().any(|pattern| pattern.matches(label))
        };
        let (excused, bands): (Vec<_>, Vec<_>) = curves.into_iter().partition(is_excused);
        let mut heap = all.clone();
        for band in &excused {
            heap.iter_mut().zip(&band.values).for_each(|(heap, bytes)| *heap -= bytes);
        }
        let timeline = timeline.with_cut(&heap, &bands);
        let judged = &heap[..timeline.cut];
        let number = |sample: usize| (sample < slice.len()).then(|| slice.when(sample)).flatten();
        let account = Account {
            heights: Heights {
                first: heap.first().copied().unwrap_or(0.0),
                low: lowest(judged).min(highest(judged)),
                high: highest(judged),
                settled: judged.last().copied().unwrap_or(0.0),
                last: heap.last().copied().unwrap_or(0.0),
                usual: median_of(judged.iter().copied()),
                exit: highest(&heap[timeline.cut.saturating_sub(1)..]),
                ..Heights::default()
            },
            unsampled: unsampled(slice, &totals.selected),
            unseen: memory::unseen(slice, &timeline, &heap),
            samples: heap.len(),
            two_processes: slice.metadata().interleaved,
            observed: number(0)
                .zip(number(slice.len().saturating_sub(1)))
                .map(|(first, last)| last.since(first)),
            clock: slice.clock(),
            breakdown: slice.breakdown(),
            profiled: slice.metadata().is_profiled(),
            is_running: slice.end() == RunEnd::Running,
            timeline,
            ..Account::default()
        };
        let mut judged = Judged { slice, heap, bands, totals, account };
        judged.account(&all, excused);
        judged.account
    }

    /// How anybody's curve grows to its end, or until the program ended; `None` if it does not.
    pub fn rise(&self, who: Who) -> Option<&Rise> {
        let mut all = self.rises.iter().chain(&self.excused).chain(&self.outside);
        match who {
            Who::Heap => self.heap.as_ref(),
            Who::Band(_) | Who::Live | Who::Memory => {
                all.find(|rise| rise.who == who && rise.end.reaches_the_end())
            }
        }
    }

    /// How a curve that has a value for each sample of the slice grows: to its end, or as far as it was seen, or until the
    /// program ended; `None` if it does not.
    pub(crate) fn growth_of(&self, total: &[u128]) -> Option<Rise> {
        self.timeline
            .growth(&self.timeline.values(total))
            .map(|rise| self.timeline.with_rates(rise))
    }

    /// What the heap did over the run; `None` if there are too few samples to say.
    pub fn shape(&self) -> Option<Shape> {
        if !self.suspects.is_empty() {
            return Some(Shape::Grows);
        }
        let end = self.told.as_ref().map(|told| told.end);
        match end {
            _ if !self.is_judged() => None,
            _ if self.grew_under_rounds().is_some() => Some(Shape::GrewToExit),
            _ if self.climbs_at_last() => Some(Shape::Grows),
            Some(RiseEnd::Open | RiseEnd::Climbs) => Some(Shape::Grows),
            Some(RiseEnd::Exit) => Some(Shape::GrewToExit),
            Some(RiseEnd::Freed) if self.grew_again().is_some() => {
                Some(if self.timeline.has_exit() { Shape::GrewToExit } else { Shape::Grows })
            }
            Some(RiseEnd::Freed) if self.rounds == 0 => Some(Shape::BuiltUp),
            Some(RiseEnd::Freed | RiseEnd::Level) | None => Some(Shape::Level),
        }
    }

    /// The rise with which the run ends, if it is half as great as what was freed, or greater.
    pub(crate) fn grew_again(&self) -> Option<&Move> {
        let is_freed = |told: &&Rise| told.end == RiseEnd::Freed && self.rounds == 0;
        let told = self.told.as_ref().filter(is_freed)?;
        self.rises_at_last(told).filter(|again| again.size() as f64 >= HALF * told.gain)
    }

    /// Whether a heap of which nothing is told becomes twice as high where its exit begins.
    pub(crate) fn climbs_at_last(&self) -> bool {
        let high = self.heights.high;
        let is_much = self.jump.as_ref().is_some_and(|jump| jump.size() as f64 > high);
        is_much && self.told.is_none() && self.suspects.is_empty()
    }

    /// The greatest band that grew until the program ended under a heap that rises and falls, if it is a fair part of that.
    pub(crate) fn grew_under_rounds(&self) -> Option<&Rise> {
        let is_one = |rise: &&Rise| {
            let is_much = rise.gain >= LIKELY * self.heights.usual;
            rise.score > 0.0 && rise.end == RiseEnd::Exit && is_much
        };
        let is_asked = self.rounds > 0 && self.suspects.is_empty();
        self.rises.iter().filter(|_| is_asked).find(is_one)
    }

    /// Whether there are samples enough to say anything.
    pub(crate) fn is_judged(&self) -> bool {
        let is_seen = self.samples >= SOME || !self.suspects.is_empty();
        is_seen && !self.two_processes
    }

    /// How fast what is accused grows together: bytes a second, or a sample where samples have no times.
    pub fn rate(&self) -> f64 {
        // The sum of no numbers is a negative zero.
        self.suspects.iter().map(|rise| rise.rate).sum::<f64>() + 0.0
    }
}

/// The account as data, with the headline as its sentence, in binary units.
impl Serialize for Account {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = |of: fn(&Rise) -> Option<f64>| {
            let sum = self.suspects.iter().map(of).sum::<Option<f64>>();
            sum.filter(|_| !self.suspects.is_empty())
        };
        let most = self.rises.first().map_or(0.0, |rise| rise.gain);
        let rises = self.rises.iter().filter(|rise| rise.gain >= SLOW * most);
        let mut data = serializer.serialize_struct("Account", 17)?;
        data.serialize_field("headline", &self.headline().to_string())?;
        data.serialize_field("leak", &self.leak)?;
        data.serialize_field("shape", &self.shape())?;
        data.serialize_field("suspects", &self.suspects)?;
        data.serialize_field("growing", &self.suspects.len())?;
        data.serialize_field("grew", &self.grew)?;
        data.serialize_field("rate_bytes_per_s", &self.rate())?;
        data.serialize_field("rate_bytes_per_mutator_s", &all(|rise| rise.running_rate))?;
        data.serialize_field("kept_percent", &all(|rise| rise.kept_percent))?;
        data.serialize_field("heap_grew", &self.heap_grew)?;
        data.serialize_field("rises", &rises.collect::<Vec<_>>())?;
        data.serialize_field("excused", &self.excused)?;
        data.serialize_field("outside", &self.outside)?;
        data.serialize_field("movements", &self.movements)?;
        data.serialize_field("remarks", &self.remarks)?;
        data.serialize_field("observed_ns", &self.observed)?;
        data.serialize_field("samples", &self.samples)?;
        data.end()
    }
}

impl Judged<'_, '_> {
    fn account(&mut self, all: &[f64], excused: Vec<BandCurve>) {
        let n = self.heap.len();
        let moves = readable(all, self.account.timeline.axis(), self.account.timeline.cut);
        self.account.movements = moves.into_iter().map(|one| self.with_names(one)).collect();
        if n == 0 {
            self.account.remarks.extend(of_sampling(self.slice, n));
            return;
        }
        // Each curve is needed once more, so a run of many bands does not keep both curves and rises.
        let bands = std::mem::take(&mut self.bands);
        self.account.rises = self.rises(bands);
        self.account.excused = self.rises(excused);
        let timeline = &self.account.timeline;
        let heap = timeline.growth(&self.heap);
        self.account.heap = heap.map(|rise| self.described(Who::Heap, rise));
        self.account.memory = self.memory();
        if !self.account.two_processes {
            self.judge_or_tell(mean(&all[..self.account.timeline.cut]));
        }
        self.name();
        self.account.jump = self.jump();
        if self.account.climbs_at_last() {
            self.account.leak = Leak::Unknown;
        }
        self.account.burst = self.burst();
        let account = &self.account;
        let told = account.suspects.first().or(account.told.as_ref());
        let samples = &account.timeline.samples;
        let growing = &samples[told.map_or(0, |told| told.from)..account.timeline.cut];
        let accused = (&account.suspects[..], &account.outside[..]);
        let found =
            if n >= FEW { remarks(self.slice, self.totals, accused, growing) } else { Vec::new() };
        self.account.remarks = found.into_iter().chain(of_sampling(self.slice, n)).collect();
    }

    /// The grade, as far as the number of samples allows one, with what grows outside of the bands. All bands together have
    /// so many bytes on average.
    fn judge_or_tell(&mut self, mean: f64) {
        let n = self.heap.len();
        match n {
            FEW.. => self.judge(mean),
            _ => {
                self.tell();
                self.account.leak = Leak::Unknown;
            }
        }
        if n >= SOME {
            self.tell_band();
            self.look_outside();
        }
        // Most young heaps grow, and so does one that was mostly counted, and whose end nobody saw.
        let is_mostly_census =
            self.slice.is_killed() && sampling_advice::is_mostly_census(self.slice);
        if self.account.is_running || is_mostly_census {
            self.account.leak = self.account.leak.min(Leak::Possible);
        }
    }

    fn jump(&self) -> Option<Move> {
        let (heap, cut) = (&self.heap, self.account.timeline.cut - 1);
        // What the last two samples before it hold is no part of a level.
        let is_level = self.account.told.as_ref().is_some_and(|told| told.end == RiseEnd::Level);
        let few = if is_level && self.slice.end() == RunEnd::Exit { cut.min(2) } else { 0 };
        let cut = (cut - few..=cut).min_by(|&a, &b| heap[a].total_cmp(&heap[b]))?;
        let top = (cut..heap.len()).max_by(|&a, &b| heap[a].total_cmp(&heap[b]))?;
        let is_much = heap[top] - heap[cut] >= WORTH * self.account.heights.high.max(1.0);
        let is_told = is_much && self.account.is_judged();
        is_told.then(|| self.with_names(Move::new(MoveKind::Rise, heap, (cut, top))))
    }

    /// The short part of what is accused or told in which it makes much of its gain.
    fn burst(&self) -> Option<Move> {
        let (account, heap) = (&self.account, &self.heap);
        let rise = account.suspects.first().or(account.told.as_ref())?;
        let is_heap = match account.suspects.is_empty() {
            true => {
                let is_even = account.heights.dip < TOLD * rise.gain;
                rise.who == Who::Heap && account.rounds == 0 && is_even
            }
            false => {
                let gain = heap[rise.to] - heap[rise.from];
                account.grew as f64 >= (1.0 - LET_GO) * gain
            }
        };
        let is_asked = is_heap && account.is_judged() && account.unsampled.is_empty();
        let is_asked = is_asked && matches!(rise.manner, Manner::Steady | Manner::Steps);
        if !is_asked || rise.to - rise.from < FEW {
            return None;
        }
        let later = if account.suspects.is_empty() { self.after_a_level(rise) } else { None };
        let (from, to) = later.or_else(|| self.steepest(rise))?;
        let burst = self.with_names(Move::new(MoveKind::Rise, heap, (from, to)));
        if account.suspects.is_empty() || rise.who == Who::Heap {
            return Some(burst);
        }
        // Of what is accused, what its bands made is a part.
        let samples = &account.timeline.samples;
        let is_accused = |row| account.suspects.iter().any(|one| one.row() == Some(row));
        let gained = changes(self.slice, samples[from], &[samples[to]]).into_iter();
        let made: i64 = gained.filter(|one| is_accused(one.0)).map(|one| one.1).sum();
        let is_much = made as f64 >= TOLD * account.grew as f64;
        is_much.then(|| Move { to_bytes: burst.from_bytes + made.unsigned_abs(), ..burst })
    }

    /// From where to where a rise goes on after its last level, if it makes a quarter of its gain then.
    fn after_a_level(&self, rise: &Rise) -> Option<(usize, usize)> {
        let heap = &self.heap;
        let kinds = [MoveKind::Level, MoveKind::Rise];
        let is_asked = |pair: &&[Move]| {
            let is_inside = pair[0].from > rise.from && pair[1].from < rise.to;
            is_inside && [pair[0].kind, pair[1].kind] == kinds
        };
        let last = self.account.movements.windows(2).rfind(is_asked)?;
        let (level, to) = (last[0].from, last[1].to.min(rise.to));
        let low = lowest(&heap[level..=to]);
        let gain = heap[to] - low;
        let from = (level..to).rfind(|&at| heap[at] <= low + WORTH * gain)?;
        (gain >= TOLD * rise.gain).then_some((from, to))
    }

    /// From where to where the heap makes a quarter more of its gain in a rise than of its time, if that is short.
    fn steepest(&self, rise: &Rise) -> Option<(usize, usize)> {
        let (account, heap) = (&self.account, &self.heap);
        let (from, to, gain) = (rise.from, rise.to, heap[rise.to] - heap[rise.from]);
        let share = |from, to| account.timeline.share(from, to);
        let time = share(from, to);
        // What falls back at once was not gained.
        let mut kept = heap[from..=to].to_vec();
        for at in (0..to - from).rev() {
            kept[at] = kept[at].min(kept[at + 1]);
        }
        let (mut best, mut sum, mut begin) = ((0.0, from, from), 0.0, from);
        for at in from + 1..=to {
            let gained = kept[at - from] - kept[at - from - 1];
            sum += gained / gain - share(at - 1, at) / time;
            if sum <= 0.0 {
                (sum, begin) = (0.0, at);
            } else if sum > best.0 {
                best = (sum, begin, at);
            }
        }
        let (most, from, to) = best;
        // What quickens or slows down up to the end, and does so beside that part, has no such part.
        let beside = if from == rise.from { (to, rise.to) } else { (rise.from, from) };
        let beside = account.timeline.second_half(heap, beside.0, beside.1);
        let is_alike = match rise.second_half < HALF {
            true => beside < LASTS,
            false => beside > 1.0 - LASTS,
        };
        let longest = match (LATE..=1.0 - LATE).contains(&rise.second_half) {
            true => LATE,
            false if rise.end.reaches_the_end() && is_alike => return None,
            false => TOLD,
        };
        (gain > 0.0 && most >= TOLD && share(from, to) <= longest * time).then_some((from, to))
    }

    fn memory(&self) -> Option<ProcessMemory> {
        let timeline = &self.account.timeline;
        let (memory, most) = memory::of_process(self.slice, timeline)?;
        let rise = timeline.to_the_end(&memory);
        Some(ProcessMemory {
            last: memory[timeline.cut - 1],
            most: most.max(highest(&memory)),
            rise: rise.map(|rise| self.described(Who::Memory, rise)),
        })
    }

    /// The rises of bands that gain enough, the greatest first.
    fn rises(&self, bands: Vec<BandCurve>) -> Vec<Rise> {
        let mut rises: Vec<Rise> = bands.into_iter().filter_map(|band| self.band(&band)).collect();
        rises.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.row().cmp(&b.row())));
        let all: f64 = rises.iter().map(|rise| rise.gain).sum();
        rises.iter_mut().for_each(|rise| rise.share_percent = 100.0 * rise.gain / all);
        rises
    }

    /// The rise of a band: up to the cut, if that can be shown; otherwise its greatest one, and how that ended.
    fn band(&self, band: &BandCurve) -> Option<Rise> {
        let (account, values) = (&self.account, &band.values);
        // A band of an era stops growing when its era ends.
        let is_asked = account.breakdown.traits().tells != Tells::Age;
        let shown = is_asked.then(|| account.timeline.to_the_end(values)).flatten();
        let rise = shown.or_else(|| {
            let (from, to) = account.timeline.greatest_rise(values)?;
            Some(account.timeline.ended(values, from, to))
        })?;
        Some(self.described(Who::Band(band.row), rise))
    }

    /// A rise with its rates, its times, and what it is made of.
    fn described(&self, who: Who, rise: Rise) -> Rise {
        let (slice, timeline) = (self.slice, &self.account.timeline);
        let label = match who {
            Who::Heap => "all bands together",
            Who::Band(row) => slice.label(row),
            Who::Live => "live bytes",
            Who::Memory if rise.kind == Some(ClosureKind::OffHeap) => "resident memory",
            Who::Memory => "memory held",
        };
        let kind = match who {
            Who::Heap => Some(ClosureKind::WholeHeap),
            Who::Band(_) if rise.manner == Manner::Doubling => Some(ClosureKind::DoublingArray),
            Who::Band(_) => slice.kind(label),
            Who::Live => Some(ClosureKind::OutsideBands),
            Who::Memory => rise.kind,
        };
        let place = if let Who::Band(row) = who { slice.place(row) } else { None };
        let [since, until] = [rise.from, rise.to].map(|at| timeline.samples[at]);
        timeline.with_rates(Rise {
            who,
            label: label.to_owned(),
            share_percent: 100.0,
            since: slice.when(since),
            since_sample: slice.number(since),
            until: slice.when(until),
            until_sample: slice.number(until),
            objects: objects(slice.breakdown(), label, rise.at_end),
            kind,
            place,
            ..rise
        })
    }

    /// Accuses what rises to the end, if it makes a fair part of what the heap gained, the heap of what it gained, and the
    /// program still holds it.
    fn judge(&mut self, mean: f64) {
        let samples = self.account.samples;
        let rises = self.account.rises.iter().filter(|rise| rise.score > 0.0);
        let mut shown: Vec<Rise> = rises.cloned().collect();
        if samples < SOME && shown.is_empty() {
            self.tell();
            self.account.leak = Leak::Unknown;
            return;
        }
        self.account.leak = Leak::None;
        let sum = |rises: &[Rise]| rises.iter().map(|rise| rise.gain).sum::<f64>();
        let (mut gain, mut heap_gain) = (sum(&shown), self.heap_gain(&shown));
        if gain < HALF * heap_gain || shown.is_empty() {
            // Growth that is spread over many bands, or that no single band shows.
            let shown_whole = |whole: &Rise| whole.score > 0.0 && samples >= MANY;
            if let Some(whole) = self.account.heap.clone().filter(shown_whole) {
                (gain, heap_gain) = (whole.gain, whole.gain);
                shown = vec![whole];
            }
        }
        // Bands that change places are no growth, unless one rises under a sawtooth whose floor wavers by more than that.
        let is_under_teeth = |first: &Rise| {
            let is_clear = first.score >= 4.0 * SCORE && samples >= MANY;
            let heights = &self.account.heights;
            let wavers = heights.low < HALF * heights.high && self.is_sawtooth(first.from);
            is_clear && wavers && gain >= SLOW * heights.high
        };
        let is_growth = heap_gain > HALF * gain || shown.first().is_some_and(is_under_teeth);
        if shown.is_empty() || !is_growth {
            return self.tell();
        }
        let first = shown[0].clone();
        shown.retain(|rise| rise.end == RiseEnd::Open);
        let held = shown;
        // The program let go of it, or it is a small part of what the heap did.
        if held.is_empty() || sum(&held) < HALF * gain || gain < TOLD * heap_gain {
            return self.tell();
        }
        let (is_part, is_slow) = (gain < HALF * heap_gain, gain < SLOW * mean);
        if (is_part || is_slow) && (first.score < 2.0 * SCORE || samples < MANY) {
            return self.tell();
        }
        let is_likely = samples >= MANY
            && !is_part
            && !is_slow
            && gain >= LIKELY * mean
            && first.late >= LATE
            && first.manner == Manner::Steady
            && first.who != Who::Heap;
        let from = held.iter().map(|rise| rise.from).min().unwrap_or(0);
        let to = held.iter().map(|rise| rise.to).max().unwrap_or(from);
        let accused = sum(&held);
        let (heap_grew, share) = self.growth(&held, (from, to));
        self.account.peaks = self.peaks(accused).filter(|_| first.manner != Manner::Floors);
        let account = &mut self.account;
        account.leak = if is_likely { Leak::Likely } else { Leak::Possible };
        account.is_slow = is_slow;
        account.grew = accused as u64;
        account.heap_grew = heap_grew as i64;
        account.share = Some(share).filter(|share| *share < 1.0 - LET_GO);
        let all = if is_part || is_slow { heap_gain } else { gain };
        let mut suspects: Vec<Rise> = held;
        suspects.iter_mut().for_each(|rise| rise.share_percent = 100.0 * rise.gain / all.max(1.0));
        account.suspects = suspects;
    }

    /// The peaks of the heap from which it falls by more than what is accused, if they are much higher than usual.
    fn peaks(&self, accused: f64) -> Option<(Move, usize, f64)> {
        let judged = &self.heap[..self.account.timeline.cut];
        let over = self.account.heights.high - self.account.heights.usual;
        let lows = lows(judged, accused.max(HALF * over));
        let after = judged.last()? - judged[*lows.last()?];
        let (_, lowest, top) = greatest(judged, (0, judged.len() - 1), 1.0);
        let from = lows.iter().copied().rfind(|&low| low < top).unwrap_or(lowest);
        let rise = self.with_names(Move::new(MoveKind::Rise, judged, (from, top)));
        Some((rise, lows.len(), after))
    }

    /// What the heap gained while some bands rose, and which share of it they made: all in all, or in the second half, which
    /// tells what goes on; of a sawtooth up to the low where it is largest, because samples may miss how low it falls.
    fn growth(&self, rises: &[Rise], (since, to): (usize, usize)) -> (f64, f64) {
        let heap = &self.heap[since..self.account.timeline.cut];
        let gain: f64 = rises.iter().map(|rise| rise.gain).sum();
        if self.is_sawtooth(since) {
            let third = heap.len().div_ceil(3);
            let by_height = |a: &usize, b: &usize| heap[*a].total_cmp(&heap[*b]);
            let early = (0..third).min_by(by_height).unwrap_or(0);
            let lows = lows(heap, TOOTH * (highest(heap) - lowest(heap))).into_iter();
            let late = lows.filter(|low| *low >= heap.len() - third);
            let shares = late.filter_map(|low| self.share(rises, since, [&[early], &[low]]));
            let share = shares.max_by(f64::total_cmp).unwrap_or(1.0);
            return (gain / share, share);
        }
        let grew = self.heap[to] - self.heap[since];
        let share = gain / grew.max(1.0);
        let goes_on = || self.late_share(rises, since).is_some_and(|late| late >= 1.0 - LET_GO);
        (grew, if share < 1.0 - LET_GO && goes_on() { 1.0 } else { share })
    }

    /// Which share of what the heap gains in the second half of a time some bands make.
    fn late_share(&self, rises: &[Rise], since: usize) -> Option<f64> {
        let n = self.account.timeline.cut - since;
        let part = ((FIFTH * n as f64) as usize).max(1);
        let some = |from: usize| -> Vec<usize> {
            (from..from + part).step_by(part.div_ceil(PART)).collect()
        };
        self.share(rises, since, [&some(n / 2), &some(n - part)])
    }

    /// Which share of what the heap gained some bands made from some samples after this one to others.
    fn share(&self, rises: &[Rise], since: usize, parts: [&[usize]; 2]) -> Option<f64> {
        let samples = &self.account.timeline.samples[since..];
        let is_one = |row| rises.iter().any(|rise| rise.row() == Some(row));
        let [early, late] = parts.map(|part| {
            let of_part: Vec<usize> = part.iter().map(|&at| samples[at]).collect();
            let gained = changes(self.slice, samples[parts[0][0]], &of_part).into_iter();
            let bands: f64 = gained.filter(|one| is_one(one.0)).map(|one| one.1 as f64).sum();
            let all: f64 = part.iter().map(|&at| self.heap[since + at]).sum();
            [bands, all].map(|sum| sum / part.len() as f64)
        });
        let [bands, all] = [late[0] - early[0], late[1] - early[1]];
        (bands > 0.0 && all > 0.0).then(|| bands / all)
    }

    /// Whether the heap falls and rises again from a sample on, before the exit.
    fn is_sawtooth(&self, since: usize) -> bool {
        let heap = &self.heap[since..self.account.timeline.cut];
        let height = TOOTH * (highest(heap) - lowest(heap));
        heap.len() > 2 && lows(heap, height).len() >= 2
    }

    /// What the heap gained while some bands rose; of a sawtooth, its floor.
    fn heap_gain(&self, rises: &[Rise]) -> f64 {
        let since = rises.iter().map(|rise| rise.from).min().unwrap_or(0);
        let heap = &self.heap[since..self.account.timeline.cut];
        let n = heap.len();
        if self.is_sawtooth(since) {
            let third = n.div_ceil(3);
            // Two thirds of the time lie between the lows of the first third and those of the last.
            return 1.5 * (lowest(&heap[n - third..]) - lowest(&heap[..third]));
        }
        let few = (n / PART).max(1);
        let median = |part: &[f64]| median_of(part.iter().copied());
        median(&heap[n - few..]) - median(&heap[..few])
    }

    /// Memory outside of the bands leads where it grew by more than all of them.
    fn look_outside(&mut self) {
        let found = memory::outside(self.slice, &self.account.timeline, self.totals);
        self.account.outside =
            found.into_iter().map(|rise| self.described(rise.who, rise)).collect();
        let by_gain = |a: &&Rise, b: &&Rise| a.gain.total_cmp(&b.gain);
        let Some(most) = self.account.outside.iter().max_by(by_gain).cloned() else { return };
        let account = &mut self.account;
        let told = if account.suspects.is_empty() { 0 } else { account.grew };
        if most.gain > told as f64 {
            account.leak = Leak::Possible;
            (account.grew, account.is_slow) = (most.grew(), false);
            account.heap_grew = (self.heap[most.to] - self.heap[most.from]) as i64;
            account.suspects = vec![most];
        }
    }

    /// The bands that a reader should look at: those that are accused, or that made what is told.
    fn name(&mut self) {
        let account = &self.account;
        let rows = account.suspects.iter().chain(&account.told).filter_map(|rise| {
            Some(BandChange {
                row: rise.row()?,
                label: rise.label.clone(),
                change: rise.gain as i64,
            })
        });
        let named: Vec<BandChange> = rows.collect();
        let told = account.suspects.first().or(account.told.as_ref());
        let greatest = account.movements.iter().filter(|one| one.kind == MoveKind::Rise);
        let (from, to) = match (told, greatest.max_by_key(|one| one.size())) {
            (Some(told), _) => (told.from, told.to),
            (None, Some(rise)) => (rise.from, rise.to),
            (None, None) => (0, account.timeline.cut.saturating_sub(1)),
        };
        let samples = &account.timeline.samples;
        let samples = &samples[from..=to];
        if !named.is_empty() {
            self.account.named = named;
            return;
        }
        // Who makes a sawtooth is named where it is told.
        if account.rounds > 0 && account.suspects.is_empty() {
            return;
        }
        let named = gainers(self.slice, samples, &self.account.excused);
        self.account.held_most = self.held_most(samples, &named);
        self.account.named = named;
    }

    /// Who held half of what the heap gained meanwhile, and half as much again as the first of these bands; and what that
    /// gained.
    fn held_most(&self, samples: &[usize], named: &[BandChange]) -> Option<BandChange> {
        let (first, last) = (named.first()?, samples.len() - 1);
        if last < 3 {
            return None;
        }
        let meanwhile = [1, 2, 3].map(|part| samples[part * last / 4]);
        let meanwhile = changes(self.slice, samples[0], &meanwhile);
        let excused = &self.account.excused;
        let is_asked = |row: RowId| excused.iter().all(|rise| rise.row() != Some(row));
        let held = || meanwhile.iter().copied().filter(|one| is_asked(one.0));
        let (row, most) = held().max_by_key(|&(row, bytes)| (bytes, Reverse(row)))?;
        let all: f64 = held().map(|one| one.1 as f64).sum();
        let of_first = held().find(|one| one.0 == first.row).map_or(0, |one| one.1);
        let least = (HALF * all).max((1.0 + HALF) * of_first as f64);
        if row == first.row || (most as f64) < least {
            return None;
        }
        let gained = changes(self.slice, samples[0], &samples[last..]);
        let change = gained.iter().find(|one| one.0 == row).map_or(0, |one| one.1);
        named_of(self.slice, vec![(row, change)]).pop()
    }

    /// A move as readers see it.
    fn with_names(&self, one: Move) -> Move {
        let (slice, samples) = (self.slice, &self.account.timeline.samples);
        let (from, to) = (samples[one.from], samples[one.to]);
        let part = &samples[one.from..=one.to];
        let bands = match one.kind {
            MoveKind::Rise => gainers(slice, part, &[]),
            MoveKind::Fall => {
                let reversed: Vec<usize> = part.iter().rev().copied().collect();
                let mut bands = gainers(slice, &reversed, &[]);
                bands.iter_mut().for_each(|band| band.change = -band.change);
                bands
            }
            MoveKind::Level => Vec::new(),
        };
        // Of a very long run only some samples are judged.
        let full = || self.totals.selected[from..=to].iter().copied().filter(|&bytes| bytes > 0);
        let range = full().min().zip(full().max()).filter(|_| !one.floor);
        let bytes = |bytes: u128| u64::try_from(bytes).unwrap_or(u64::MAX);
        let (low_bytes, high_bytes) = match range {
            Some((low, high)) => (bytes(low), bytes(high)),
            None => (one.low_bytes, one.high_bytes),
        };
        Move {
            low_bytes,
            high_bytes,
            since: slice.when(from),
            until: slice.when(to),
            from_sample: slice.number(from),
            to_sample: slice.number(to),
            bands,
            ..one
        }
    }
}
