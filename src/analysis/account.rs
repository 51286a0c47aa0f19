//! The account of a heap: what rose in it, since when, how fast, how that ended, and last of all, whether it leaks.
//!
//! The heap, each of its bands, and memory outside of them are curves on one timeline. The exit of the program is cut off
//! first. What rises up to the cut, is still held in the last sample, and makes a fair part of what the heap gained is
//! accused. Otherwise the finding is what else the heap did. Everything that heapviz says of growth is a function of
//! this. `docs/diagnosis.md` has the rules and their constants.

mod choose;

use serde::Serialize;
use serde::ser::SerializeStruct;

use super::ClosureKind;
use super::constants::{
    FEW, FIFTH, HALF, LATE, LEAST, LEAST_BYTES, MANY, PART, SCORE, SLOW, SOME, TOLD, TOOTH, WORTH,
};
use super::curve::{greatest, lows};
use super::figures::Totals;
use super::finding::Finding;
use super::median::{highest, lowest, mean, median_of};
use super::memory;
use super::remarks::{Remark, of_sampling, remarks};
use super::rise::{Manner, Rise, RiseEnd, Who, objects};
use super::sampling_advice;
use super::story::{BandChange, Move, MoveKind, gainers, readable};
use super::timeline::{BandCurve, Timeline, band_curves};
use crate::base::pattern::Pattern;
use crate::base::units::Nanos;
use crate::profile::{Breakdown, Clock, Tells};
use crate::slice::{RunEnd, Slice};

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
    /// The number of bytes that all of them gained together.
    pub grew: u64,
    /// The number of bytes that all bands together gained meanwhile; below zero if they fell.
    pub heap_grew: i64,
    /// What the heap did: the headline is a function of it and of the suspects.
    pub finding: Finding,
    /// The height to which the heap jumps in its last samples, where its exit begins, in bytes.
    pub(crate) jumps_to: Option<f64>,
    /// How the heap grows to its end, or until the program ended, if it does.
    pub heap: Option<Rise>,
    /// The rise of each band that gains enough, the greatest first.
    pub rises: Vec<Rise>,
    /// The rises of bands that may grow: those that the user accepts, and compact regions.
    pub excused: Vec<Rise>,
    /// What grows outside of the bands: live bytes, memory that the run-time system or the process holds.
    pub outside: Vec<Rise>,
    /// What the heap did, in the order of time.
    pub movements: Vec<Move>,
    /// Who gained most while what was found happened, most bytes first, but who is large only in its last sample last.
    pub named: Vec<BandChange>,
    /// What a reader must know to understand the account.
    pub remarks: Vec<Remark>,
    /// The highest of the heap before the exit, in bytes.
    pub(crate) high: f64,
    /// Whether the exit frees a quarter of that.
    pub(crate) is_freed: bool,
    /// How many samples were judged.
    pub samples: usize,
    /// How long the run was observed; `None` where samples have no times.
    pub observed: Option<Nanos>,
    /// What the times count.
    pub clock: Clock,
    /// What a band stands for.
    pub breakdown: Breakdown,
    /// Whether the program still runs: then no leak is ever graded as likely.
    pub(crate) is_running: bool,
    pub(super) timeline: Timeline,
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
            high: highest(judged),
            is_freed: judged
                .last()
                .zip(heap.last())
                .is_some_and(|(before, after)| before - after > TOLD * highest(judged)),
            samples: heap.len(),
            observed: number(0)
                .zip(number(slice.len().saturating_sub(1)))
                .map(|(first, last)| last.since(first)),
            clock: slice.clock(),
            breakdown: slice.breakdown(),
            is_running: slice.end() == RunEnd::Running,
            timeline,
            ..Account::default()
        };
        let mut judged = Judged { slice, heap, bands, totals, account };
        judged.account(&all, excused);
        judged.account
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
        match self.finding {
            Finding::CannotTell(_) => None,
            Finding::Grows | Finding::LowsRise { .. } | Finding::Climbs { .. } => {
                Some(Shape::Grows)
            }
            Finding::GrewToExit { .. } => Some(Shape::GrewToExit),
            Finding::Peak { .. } | Finding::Falls { .. } => Some(Shape::BuiltUp),
            Finding::Bursts { .. } | Finding::Fills { .. } | Finding::Level { .. } => {
                Some(Shape::Level)
            }
        }
    }

    /// Whether there are samples enough to say anything.
    pub(crate) fn is_judged(&self) -> bool {
        !matches!(self.finding, Finding::CannotTell(_))
    }

    /// The last sample before the exit, if nothing is accused, and that frees what is told.
    pub(crate) fn before_exit(&self) -> Option<usize> {
        if let Finding::GrewToExit { rise, .. } = &self.finding {
            return Some(self.timeline.samples[rise.to]);
        }
        (self.is_freed && self.suspects.is_empty())
            .then(|| self.timeline.samples[self.timeline.cut - 1])
    }

    /// Those of the accused that a headline counts: who gained a tenth of it, if they made most of it, or else all.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &Rise> {
        let all = sum(&self.suspects);
        let is_much = move |rise: &&Rise| rise.gain >= WORTH * all;
        let much: f64 = self.suspects.iter().filter(is_much).map(|rise| rise.gain).sum();
        self.suspects.iter().filter(move |rise| much < (1.0 - TOLD) * all || is_much(rise))
    }

    /// Since when what is accused grows: since a fair part of it does. The greatest of it may be the last to begin.
    pub(crate) fn begun(&self) -> Option<&Rise> {
        let mut begun: Vec<&Rise> = self.suspects.iter().collect();
        begun.sort_by_key(|rise| rise.from);
        let mut gained = 0.0;
        let is_fair = |rise: &&Rise| {
            gained += rise.gain;
            gained >= FIFTH * self.grew as f64
        };
        begun.into_iter().find(is_fair)
    }

    /// How fast what is accused grows together since then: bytes a second, or a sample where samples have no times.
    pub fn rate(&self) -> f64 {
        let to = self.suspects.iter().map(|rise| rise.to).max();
        let ends = self.begun().map(|rise| rise.from).zip(to);
        let passed =
            ends.map_or(0.0, |(from, to)| self.timeline.axis()[to] - self.timeline.axis()[from]);
        if passed > 0.0 { self.grew as f64 / passed } else { 0.0 }
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

fn sum(rises: &[Rise]) -> f64 {
    rises.iter().map(|rise| rise.gain).sum()
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
        if !self.slice.metadata().interleaved {
            self.judge_all(mean(&all[..self.account.timeline.cut]));
        }
        self.find();
        // Most young heaps grow, and so does one that was mostly counted, and whose end nobody saw.
        let is_mostly_census =
            self.slice.is_killed() && sampling_advice::is_mostly_census(self.slice);
        if self.account.is_running || is_mostly_census {
            self.account.leak = self.account.leak.min(Leak::Possible);
        }
        self.name();
        let account = &self.account;
        let found = account.suspects.first().or(account.finding.rise());
        let samples = &account.timeline.samples;
        let growing = &samples[found.map_or(0, |rise| rise.from)..account.timeline.cut];
        let found =
            if n >= FEW { remarks(self.slice, self.totals, account, growing) } else { Vec::new() };
        self.account.remarks = found.into_iter().chain(of_sampling(self.slice, n)).collect();
    }

    /// The grade, as far as the number of samples allows one, with what grows outside of the bands. All bands together have
    /// so many bytes on average.
    fn judge_all(&mut self, mean: f64) {
        let n = self.heap.len();
        if n >= FEW {
            self.judge(mean);
        }
        if n >= SOME {
            self.look_outside();
        }
    }

    /// The rises of bands that gain enough, the greatest first.
    fn rises(&self, bands: Vec<BandCurve>) -> Vec<Rise> {
        let mut rises: Vec<Rise> = bands.into_iter().filter_map(|band| self.band(&band)).collect();
        rises.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.row().cmp(&b.row())));
        let all = sum(&rises);
        rises.iter_mut().for_each(|rise| rise.share_percent = 100.0 * rise.gain / all);
        rises
    }

    /// The rise of a band: up to the cut, if that can be shown; otherwise its greatest one, and how that ended.
    fn band(&self, band: &BandCurve) -> Option<Rise> {
        let (account, values) = (&self.account, &band.values);
        // A band of an era stops growing when its era ends.
        let is_asked = account.breakdown.traits().tells != Tells::Age;
        let shown = is_asked.then(|| account.timeline.to_the_end_or_late(values)).flatten();
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

    /// What rises straight to the end, and what it and the heap gained: bands, or all of them together where growth is spread
    /// over many, or no single band shows it.
    fn rising(&self) -> (Vec<Rise>, f64, f64) {
        let account = &self.account;
        let mut shown: Vec<Rise> =
            account.rises.iter().filter(|rise| rise.score > 0.0).cloned().collect();
        // One that is brief is an event; several are a leak that began late.
        if shown.iter().filter(|rise| rise.is_brief).count() < 2 {
            shown.retain(|rise| !rise.is_brief);
        }
        let (gain, heap_gain) = (sum(&shown), self.heap_gain(&shown));
        let shown_whole = |whole: &&Rise| whole.score > 0.0 && account.samples >= MANY;
        let whole = account.heap.as_ref().filter(shown_whole);
        match whole.filter(|_| gain < HALF * heap_gain || shown.is_empty()) {
            Some(whole) => (vec![whole.clone()], whole.gain, whole.gain),
            None => (shown, gain, heap_gain),
        }
    }

    /// Accuses what rises to the end, if it makes a fair part of what the heap gained, the heap of what it gained, and the
    /// program still holds it.
    fn judge(&mut self, mean: f64) {
        let samples = self.account.samples;
        let (mut held, gain, heap_gain) = self.rising();
        if samples >= SOME {
            self.account.leak = Leak::None;
        }
        // Bands that change places are no growth, unless one rises under a sawtooth whose floor wavers by more than that.
        let is_under_teeth = |first: &Rise| {
            let is_clear = first.score >= 4.0 * SCORE && samples >= MANY;
            let high = self.account.high;
            let low = lowest(&self.heap[..self.account.timeline.cut]);
            let wavers = low < HALF * high && self.is_sawtooth(first.from);
            is_clear && wavers && gain >= SLOW * high
        };
        let Some(first) = held.first().cloned() else { return };
        if heap_gain <= HALF * gain && !is_under_teeth(&first) {
            return;
        }
        held.retain(|rise| rise.end == RiseEnd::Open);
        // The program let go of it, or it is a small part of what the heap did.
        if held.is_empty() || sum(&held) < HALF * gain || gain < TOLD * heap_gain {
            return;
        }
        let (is_part, is_slow) = (gain < HALF * heap_gain, gain < SLOW * mean);
        if (is_part || is_slow) && (first.score < 2.0 * SCORE || samples < MANY) {
            return;
        }
        // Who gained more than all that rises straight is to be looked at first, however it rises.
        if is_part {
            let is_more = |rise: &&Rise| {
                let ends = matches!(rise.end, RiseEnd::Open | RiseEnd::Climbs);
                ends && rise.score <= 0.0 && rise.gain > gain
            };
            let more: Vec<Rise> = self.account.rises.iter().filter(is_more).cloned().collect();
            held.splice(0..0, more);
        }
        let is_likely = samples >= MANY
            && !is_part
            && !is_slow
            && gain >= FIFTH * mean
            && first.late >= LATE
            && !first.is_brief
            && first.manner == Manner::Steady
            && first.who != Who::Heap;
        let account = &mut self.account;
        account.leak = if is_likely { Leak::Likely } else { Leak::Possible };
        let all = if is_part || is_slow { heap_gain } else { gain };
        self.accuse(held, heap_gain, all);
    }

    /// Accuses some rises, while the heap gained so much. Their shares are those of `all`.
    fn accuse(&mut self, mut suspects: Vec<Rise>, heap_gain: f64, all: f64) {
        let account = &mut self.account;
        suspects.iter_mut().for_each(|rise| rise.share_percent = 100.0 * rise.gain / all.max(1.0));
        account.heap_grew = heap_gain as i64;
        account.suspects = suspects;
        account.grew = account.counted().map(|rise| rise.gain).sum::<f64>() as u64;
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
        let accused = if self.account.suspects.is_empty() { 0 } else { self.account.grew };
        if most.gain > accused as f64 {
            self.account.leak = Leak::Possible;
            let heap_grew = self.heap[most.to] - self.heap[most.from];
            let gain = most.gain;
            self.accuse(vec![most], heap_grew, gain);
        }
    }

    /// The bands that a reader should look at: those that are accused, or that made what was found.
    fn name(&mut self) {
        let account = &self.account;
        let found = account.suspects.iter().chain(account.finding.rise());
        // Of what climbs at the end, who makes a fair part of it and rises straight is asked for.
        let climb = if let Finding::Climbs { rise, .. } = &account.finding {
            rise.gain
        } else {
            f64::INFINITY
        };
        let straight = |rise: &&Rise| {
            rise.score > 0.0 && rise.end == RiseEnd::Open && rise.gain >= FIFTH * climb
        };
        let straight = account.rises.iter().filter(straight);
        let rows = found.clone().chain(straight).filter_map(|rise| {
            Some(BandChange {
                row: rise.row()?,
                label: rise.label.clone(),
                change: rise.gain as i64,
            })
        });
        let named: Vec<BandChange> = rows.collect();
        if !named.is_empty() {
            self.account.named = named;
            return;
        }
        let timeline = &account.timeline;
        let whole = (0, timeline.cut - 1);
        let (from, to) = found.map(|rise| (rise.from, rise.to)).next().unwrap_or_else(|| {
            let (_, from, to) = greatest(&self.heap, whole, 1.0);
            (from, to)
        });
        self.account.named = gainers(self.slice, &timeline.samples[from..=to], &account.excused);
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
