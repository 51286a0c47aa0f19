//! A verdict in words: first the fact, then its interpretation. The words always state how long the
//! run was observed, and claim no more than was observed.

mod told;

use super::constants::{FIFTH, HALF, LATE, TOLD, WORTH};
use super::timeline::Unsampled;
use super::{
    Account, BandChange, ClosureKind, Leak, Manner, Move, MoveKind, Remark, Rise, RiseEnd,
    SamplingAdvice, Shape, Who,
};
use crate::base::sentence::{
    Sentence, aside, detail, joined, others_or, part_of_unit, rounded, row_name, say, size,
};
use crate::base::units::{Nanos, percent_text, whole_percent};
use crate::profile::Clock;
use crate::slice::RowId;

impl Leak {
    /// The grade in words.
    pub fn words(self) -> &'static str {
        match self {
            Leak::Unknown => "cannot tell",
            Leak::None => "no leak",
            Leak::Possible => "possible leak",
            Leak::Likely => "likely leak",
        }
    }

    /// The grade as data: `likely`.
    pub fn id(self) -> &'static str {
        match self {
            Leak::Unknown => "unknown",
            Leak::None => "none",
            Leak::Possible => "possible",
            Leak::Likely => "likely",
        }
    }
}

/// The headline counts the bands that grow, in place of naming the first, if there are so many of them and the largest
/// grew by less than [`SPREAD_PERCENT`] of all growth.
const MANY_BANDS: usize = 10;
const SPREAD_PERCENT: f64 = 10.0;
/// What a heap does that was not said to climb.
const CLIMBS: &str = "climbs by ";
/// A rate on a clock: `1.34 MiB/s`, `1.34 MiB/s of CPU`, `12 KiB/sample`.
pub fn rate(rate: f64, clock: Clock) -> Sentence {
    let sign = if rate < 0.0 { "-" } else { "" };
    let per = match clock {
        Clock::Elapsed => "/s",
        Clock::Mutator => "/s of CPU",
        Clock::Sample => "/sample",
    };
    say![sign, rounded(rate.abs()), per]
}

/// What stays of all that is allocated: `of 1 MiB that it allocates, 31 KiB are never freed`.
fn never_freed(percent: f64) -> Sentence {
    let share = percent / 100.0;
    let power = if share * (1u64 << 20) as f64 >= 1.0 { 2 } else { 3 };
    let (unit, kept) = (part_of_unit(1.0, power), part_of_unit(share, power));
    say!["of ", unit, " that it allocates, ", kept, " are never freed"]
}

/// The place of the sample with this number, from 1.
fn place_of(time: Option<Nanos>, number: usize) -> String {
    place_text(time, number.saturating_sub(1))
}

/// From where to where, a unit that both have once: ` from 1.2 to 1.5 s`, ` from sample 3 to 12`; what is shorter than is
/// written of times is ` at 1.2 s`.
fn span(from: &str, to: &str) -> String {
    match (from.split_once(' '), to.split_once(' ')) {
        _ if from == to => format!(" at {to}"),
        (Some(("sample", _)), Some((_, last))) => format!(" from {from} to {last}"),
        (Some((first, unit)), Some((_, same))) if unit == same => format!(" from {first} to {to}"),
        (Some(_) | None, _) => format!(" from {from} to {to}"),
    }
}

/// A place in a run: `1.5 s`, or `sample 12` where samples have no times.
pub fn place_text(time: Option<Nanos>, sample: usize) -> String {
    time.map_or_else(|| format!("sample {}", sample + 1), |time| time.to_string())
}

impl Rise {
    /// Since when it grows: `the start`, `1.5 s`, or `sample 12`.
    pub fn since_text(&self) -> String {
        match self.is_from_start {
            true => "the start".to_owned(),
            false => place_of(self.since, self.since_sample),
        }
    }

    fn is_compact(&self) -> bool {
        self.kind == Some(ClosureKind::CompactRegion)
    }

    /// In which way it rises, if that is another than most do.
    fn how(&self) -> &'static str {
        if self.manner == Manner::Doubling { " by doubling" } else { "" }
    }

    /// Whether it slows down or quickens.
    fn pace(&self) -> &'static str {
        match self.manner {
            Manner::Steady if self.second_half < LATE => ", slower and slower",
            Manner::Steady if self.second_half > 1.0 - LATE => ", faster and faster",
            Manner::Steady | Manner::Floors | Manner::Steps | Manner::Doubling => "",
        }
    }

    /// The name of what rises: that of its row, if a band rises.
    pub(crate) fn name(&self) -> Sentence {
        row_name(self.row().map(RowId::index), &self.label)
    }

    /// `THUNK grew by 20.7 MiB since the start, 99 % of the growth`.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only `check` says it"))]
    pub(crate) fn growth(&self) -> Sentence {
        let share = format!(", {} of the growth", whole_percent(self.share_percent));
        say![self.name(), " grew by ", size(self.grew()), " since ", self.since_text(), share]
    }
}

impl Shape {
    /// All of them with their names, the least alarming first.
    pub const ALL: [(&'static str, Shape); 4] = [
        ("level", Shape::Level),
        ("built-up", Shape::BuiltUp),
        ("grew-to-exit", Shape::GrewToExit),
        ("grows", Shape::Grows),
    ];

    /// The shape in words: `built up, then freed`.
    pub fn words(self) -> &'static str {
        match self {
            Shape::Level => "level",
            Shape::BuiltUp => "built up, then freed",
            Shape::GrewToExit => "grew until the program ended",
            Shape::Grows => "grows",
        }
    }
}

impl Account {
    /// The account in a few words. While the program is running, it describes what was seen so far: only
    /// the end of the run can show whether that is a leak.
    pub(crate) fn grade(&self) -> &'static str {
        let told = self.told.as_ref().filter(|_| self.rounds == 0 && self.suspects.is_empty());
        match (told.map(|told| told.end), self.leak) {
            _ if !self.is_judged() && self.is_running => "too early to tell",
            _ if !self.is_judged() => Leak::Unknown.words(),
            _ if self.is_slow => "grows slowly",
            _ if self.climbs_at_last() => "climbs at the end",
            _ if self.grew_under_rounds().is_some() => "grew until the program ended",
            (_, Leak::None) if self.is_led_by_a_compact_region() => "a compact region grows",
            (Some(RiseEnd::Climbs | RiseEnd::Open), _) if self.held.is_some() => "built up",
            (Some(RiseEnd::Climbs | RiseEnd::Open), _) => "climbs at the end",
            (Some(RiseEnd::Exit), _) if self.held.is_some() => "built up",
            (Some(RiseEnd::Exit), _) => "grew until the program ended",
            (Some(RiseEnd::Freed), _) => told.map_or("", |told| self.freed_words(told)),
            _ if self.has_rising_lows() => "lows rise",
            (Some(RiseEnd::Level) | None, leak) if !self.is_running => leak.words(),
            (Some(RiseEnd::Level) | None, Leak::Unknown) => "too early to tell",
            (Some(RiseEnd::Level) | None, Leak::None) => "no growth so far",
            (Some(RiseEnd::Level) | None, Leak::Possible | Leak::Likely) => "growing so far",
        }
    }

    /// The headline: the account in a few words, and the fact behind it.
    pub fn headline(&self) -> Sentence {
        say![self.grade(), ": ", self.facts()]
    }

    /// Whether the headline says more than that nothing happened.
    pub(crate) fn is_news(&self) -> bool {
        let ended = self.told.as_ref().is_some_and(|told| told.end != RiseEnd::Level);
        let is_once = self.rounds == 0 || self.has_rising_lows();
        self.leak >= Leak::Possible || ended && is_once && self.is_judged()
    }

    /// Whether the lows of a heap that rises and falls rise, too few to accuse what is in them.
    fn has_rising_lows(&self) -> bool {
        self.suspects.is_empty()
            && self.floor.as_ref().is_some_and(|floor| floor.kind == MoveKind::Rise)
    }

    /// The fact on which the grade is based, and what grows besides.
    pub fn facts(&self) -> Sentence {
        if self.two_processes {
            let both = "two processes wrote their samples into this file in turn, as after a fork";
            let (low, high) = (rounded(self.heights.low), rounded(self.heights.high));
            return say![both, "; their heaps are between ", low, " and ", high];
        }
        let fact = match self.suspects.first() {
            Some(first) => self.grew(first),
            None if !self.is_judged() => self.too_few(),
            None => self.told_first(),
        };
        let is_other = |rise: &&Rise| self.suspects.iter().all(|suspect| suspect.who != rise.who);
        let others = self.outside.iter().filter(is_other).map(outside_words);
        let is_much = |rise: &&Rise| rise.gain >= TOLD * self.grew as f64;
        let excused = self.excused.iter().filter(|_| self.grew > 0).find(is_much);
        let others = others.chain(excused.map(|_| self.excused_words())).chain(self.peaks());
        let fact = joined([fact].into_iter().chain(others), "; ");
        // What is told until the exit, or is level, says it itself.
        let says = |told: &Rise| matches!(told.end, RiseEnd::Exit | RiseEnd::Level);
        let is_told = self.suspects.is_empty() && self.told.as_ref().is_some_and(says);
        let jump = if is_told { Sentence::default() } else { self.jump(CLIMBS) };
        say![fact, jump, self.unsampled()]
    }

    /// What the heap gains where its exit begins: `; climbs by 1.12 MiB at the exit (STACK)`, or in one of several parts
    /// without samples: `; 2.23 MiB more in a part without samples`.
    fn jump(&self, climbs: &'static str) -> Sentence {
        let Some(jump) = &self.jump else { return Sentence::default() };
        match &self.unsampled[..] {
            // The part says it.
            [one] if self.jumps_in(one) => Sentence::default(),
            parts if parts.iter().any(|part| Some(part.from) == jump.since) => {
                say!["; ", size(jump.size()), " more in a part without samples"]
            }
            [..] => {
                say!["; ", climbs, size(jump.size()), " at the exit", aside(first_of(jump))]
            }
        }
    }

    /// Whether all that it gains there came in this part without samples.
    fn jumps_in(&self, part: &Unsampled) -> bool {
        let is_it = |jump: &Move| (jump.since, jump.until) == (Some(part.from), Some(part.to));
        self.jump.as_ref().is_some_and(is_it)
    }

    /// The peaks that are higher than what is accused, and are freed: `3 peaks up to 1.7 MiB (Map), freed`.
    fn peaks(&self) -> Option<Sentence> {
        let (rise, peaks, after) = self.peaks.as_ref()?;
        let peaks = match peaks {
            1 => "a peak of ".to_owned(),
            n => format!("{n} peaks up to "),
        };
        let most = rise.bands.iter().max_by_key(|band| band.change);
        let name = most.map(|band| aside(say![" (", band_name(band), ")"])).unwrap_or_default();
        let last = match *after > self.grew as f64 / HALF {
            true => say![", ", rounded(self.heights.settled), " at the end"],
            false => Sentence::default(),
        };
        Some(say![peaks, rounded(self.heights.high), name, ", freed", last])
    }

    /// How much of the run has no samples, if that is a fair part of it: `; 60 % unsampled`; or where, if it grew there:
    /// `; no samples from 23.2 to 53.6 ms, where it grew by 4 MiB`.
    fn unsampled(&self) -> Sentence {
        let (parts, Some(all)) = (&self.unsampled[..], self.observed) else {
            return Sentence::default();
        };
        let gain = |part: &Unsampled| part.heap.1 - part.heap.0;
        let is_much = |part| gain(part) >= TOLD * self.heights.high || self.jumps_in(part);
        let length = |part: &Unsampled| part.to.since(part.from).as_seconds();
        let sum = parts.iter().map(length).sum::<f64>();
        let share = || say!["; ", whole_percent(100.0 * sum / all.as_seconds()), " unsampled"];
        match parts {
            [] => Sentence::default(),
            [one] if is_much(one) => {
                let when = span(&one.from.to_string(), &one.to.to_string());
                say!["; no samples", when, ", where it grew by ", rounded(gain(one))]
            }
            [..] if sum < HALF * all.as_seconds() => detail(share()),
            [..] => share(),
        }
    }

    /// What the process or the run-time system holds more and more of, besides live data.
    pub(crate) fn outside_words(&self) -> impl Iterator<Item = Sentence> {
        self.outside.iter().filter(|rise| rise.who == Who::Memory).map(outside_words)
    }

    /// Whether a rise slows down or quickens, where no part of it says more.
    fn pace(&self, rise: &Rise) -> &'static str {
        // Of several bands that are accused, that of all of them.
        let of_all = |of: fn(&Rise) -> f64| self.suspects.iter().map(of).sum::<f64>();
        let late = of_all(|one| one.second_half * one.gain) / of_all(|one| one.gain);
        match self.burst {
            Some(_) => "",
            None if self.suspects.len() > 1 => Rise { second_half: late, ..rise.clone() }.pace(),
            None => rise.pace(),
        }
    }

    /// In which short part of its time much of a rise was made: `4.5 MiB of it by 2 s`.
    fn burst(&self, rise: &Rise) -> Option<Sentence> {
        let burst = self.burst.as_ref()?;
        let from = place_of(burst.since, burst.from_sample);
        let to = place_of(burst.until, burst.to_sample);
        let when = match (burst.from == rise.from, burst.to == rise.to) {
            (true, _) => format!(" of it by {to}"),
            (false, true) => format!(" of it since {from}"),
            (false, false) => format!(" of it{}", span(&from, &to)),
        };
        Some(say![size(burst.size()), when])
    }

    /// What is accused: who, by how much, since when, how fast.
    fn grew(&self, first: &Rise) -> Sentence {
        let pace = match self.rate() > 0.0 {
            true => detail(say![" (", rate(self.rate(), self.clock), ")"]),
            false => Sentence::default(),
        };
        let is_much = |rise: &&Rise| rise.gain >= WORTH * self.grew as f64;
        let since = self.suspects.iter().filter(is_much).min_by_key(|rise| rise.from);
        let since = since.unwrap_or(first);
        let since = format!(" since {}", since.since_text());
        match first.who {
            Who::Live | Who::Memory => return say![outside_words(first), pace],
            Who::Heap | Who::Band(_) => {}
        }
        let height: u128 = self.suspects.iter().map(|rise| u128::from(rise.at_end)).sum();
        let is_on_a_base = self.grew as f64 <= (1.0 - TOLD) * height as f64;
        // Of a sawtooth that is a low, and what climbs as the program ends is told beside it.
        let is_told = is_on_a_base && first.manner != Manner::Floors && self.jump.is_none();
        let to = if is_told { say![" to ", size(height)] } else { Sentence::default() };
        let burst = self.burst(first);
        let burst = burst.map(|burst| detail(say![" (", burst, ")"])).unwrap_or_default();
        let grew = size(self.grew);
        let inside = first.who != Who::Heap;
        let beside = if inside { self.beside(height) } else { Sentence::default() };
        let by =
            say![" grew by ", grew, to, burst, first.how(), since, pace, self.pace(first), beside];
        let most = self.most_of_all(first.gain).filter(|_| first.who == Who::Heap);
        let growing = self.suspects.len();
        let is_spread = growing >= MANY_BANDS && first.share_percent < SPREAD_PERCENT;
        let part = match most {
            Some(bands) => say![", most of it ", bands],
            None if is_spread => {
                say!["; the largest is ", first.name(), ", +", size(first.grew())]
            }
            None => say![self.share_words(), self.other()],
        };
        // Who grew much less than the first is counted only.
        let second = self.suspects.get(1).filter(|second| second.gain >= TOLD * first.gain);
        let beside = match (second, growing) {
            (Some(second), 2) => others_or(say![" and ", second.name()], and_more(1)),
            (Some(second), n) => {
                others_or(say![", ", second.name(), and_more(n - 2)], and_more(n - 1))
            }
            (None, n) => and_more(n - 1).into(),
        };
        let who = match is_spread {
            true => format!("{growing} bands").into(),
            false => say![first.name(), beside],
        };
        say![who, by, part]
    }

    /// Which share of the heap's growth this is, if it is not nearly all of it: `, 48 % of the heap's growth`.
    pub(super) fn share_words(&self) -> Sentence {
        let words =
            |share| detail(format!(", {} of the heap's growth", whole_percent(100.0 * share)));
        self.share.map(words).unwrap_or_default()
    }

    /// Who else made a fair part of the heap's growth, if it is not nearly all of what is accused: `; Map +1.32 MiB`.
    fn other(&self) -> Sentence {
        let is_other = |rise: &&Rise| {
            self.suspects.iter().all(|one| one.who != rise.who)
                && rise.gain >= FIFTH * self.heap_grew as f64
                && rise.end != RiseEnd::Freed
                && self.share_from(rise.to) < HALF
        };
        let other = self.rises.iter().find(is_other).filter(|_| self.share.is_some());
        other.map(|other| aside(say!["; ", amount(other)])).unwrap_or_default()
    }

    /// The few bands that made half of what the heap gained: `THUNK, [] and Int`.
    fn most_of_all(&self, gain: f64) -> Option<Sentence> {
        let mut sum = 0.0;
        let is_enough = |band: &BandChange| {
            sum += band.change as f64;
            sum >= HALF * gain
        };
        let few = 1 + self.named.iter().take(3).position(is_enough)?;
        let (last, others) = self.named[..few].split_last()?;
        let others = joined(others.iter().map(band_name), ", ");
        Some(match few {
            1 => band_name(last),
            _ => say![others, " and ", band_name(last)],
        })
    }

    /// How large the heap is beside a small part of it that is told: `, in a heap of 29.9 MiB`.
    fn beside(&self, bytes: u128) -> Sentence {
        let heights = self.heights;
        match (bytes as f64) < TOLD * heights.settled.min(heights.usual) {
            true => say![", in a heap of ", rounded(heights.settled)],
            false => Sentence::default(),
        }
    }

    /// The bands that may grow: `COMPACT_NFDATA +100 MiB since 2 s (a compact region)`.
    fn excused_words(&self) -> Sentence {
        let why = match self.excused.iter().all(Rise::is_compact) {
            // The grade says it.
            true if self.is_led_by_a_compact_region() => "",
            true => " (a compact region)",
            false => " (accepted)",
        };
        let Some(first) = self.excused.first() else { return Sentence::default() };
        let since = match first.end.reaches_the_end() {
            true => format!(" since {}", first.since_text()),
            false => String::new(),
        };
        let others = self.excused.iter().skip(1).take(2).map(|rise| say![", ", amount(rise)]);
        say![amount(first), since, joined(others, ""), why]
    }

    /// What the fact is a part of, and what no machine changes about it: clauses without a full stop.
    pub fn details(&self) -> Vec<Sentence> {
        let mut details = Vec::new();
        let Some(first) = self.suspects.first() else { return details };
        if first.row().is_some() {
            let heap = size(self.heap_grew.unsigned_abs());
            let share = self.grew as f64 / self.heap_grew as f64;
            details.push(if self.heap_grew <= 0 {
                say!["in that time the whole heap fell by ", heap]
            } else if share > 1.0 + WORTH / 2.0 {
                say!["in that time the whole heap grew by only ", heap]
            } else if share >= 1.0 - WORTH / 2.0 {
                say!["that is all of the heap's growth in that time (", heap, ")"]
            } else {
                let share = format!("that is {} of the ", percent_text(100.0 * share));
                say![share, heap, " that the heap grew by in that time"]
            });
        }
        let sum = |of: fn(&Rise) -> Option<f64>| self.suspects.iter().map(of).sum::<Option<f64>>();
        let differs = |running: &f64| (running / self.rate() - 1.0).abs() > WORTH;
        let running = sum(|rise| rise.running_rate).filter(differs);
        let running = running.map(|running| {
            say!["not counting garbage collection: ", rate(running, Clock::Elapsed)]
        });
        // A heap that was judged by its bands may gain more than was counted.
        let kept = sum(|rise| rise.kept_percent).filter(|percent| *percent <= 100.0);
        details.extend(running.into_iter().chain(kept.map(never_freed)));
        details
    }

    /// What the next run should do to be sampled better, if this one could have been.
    pub(crate) fn sampling(&self) -> Option<&SamplingAdvice> {
        self.remarks.iter().find_map(|remark| {
            let Remark::Sampling(advice) = remark else { return None };
            Some(advice)
        })
    }
}

/// What follows a time that counts only what the program itself ran.
pub fn of_cpu(clock: Clock) -> &'static str {
    if clock == Clock::Mutator { " of CPU" } else { "" }
}

/// Where a heap stays, if it is there most of the time: `near 1 MiB`, or `between 1 MiB and 2 MiB`.
fn stays((low, high): (f64, f64), most: f64) -> Sentence {
    match high - low <= WORTH * high {
        true => say!["near ", rounded(most)],
        false => say!["between ", rounded(low), " and ", rounded(high)],
    }
}

/// Memory outside of the bands that grows: `memory off the heap grew by 40 MiB since 2 s (malloc, FFI, a C library)`.
fn outside_words(rise: &Rise) -> Sentence {
    let (what, why) = match rise.kind {
        Some(ClosureKind::OffHeap) => ("memory off the heap", aside(" (malloc, FFI, a C library)")),
        Some(ClosureKind::Held) => {
            let why = " held at the end, far more than is live: fragmented blocks)";
            ("memory held", aside(say![" (", size(rise.at_end), why]))
        }
        _ => ("live bytes", ", most of it in no band".into()),
    };
    say![what, " grew by ", size(rise.grew()), format!(" since {}", rise.since_text()), why]
}

/// A rise by its name and what it gained: `THUNK +9.44 MiB`.
fn amount(rise: &Rise) -> Sentence {
    say![rise.name(), " +", size(rise.grew())]
}

fn band_name(band: &BandChange) -> Sentence {
    row_name(Some(band.row.index()), &band.label)
}

/// How many others there are, if there are any: ` and 2 more`.
fn and_more(others: usize) -> String {
    if others > 0 { format!(" and {others} more") } else { String::new() }
}

/// To which height a rise leads from a base that is not small: ` to 9.1 MiB`.
fn to_height(one: &Move) -> Sentence {
    let (from, to) = (one.from_bytes as f64, one.to_bytes as f64);
    match one.kind {
        MoveKind::Rise if from >= WORTH * to => detail(say![" to ", rounded(to)]),
        MoveKind::Rise | MoveKind::Fall | MoveKind::Level => Sentence::default(),
    }
}

/// Who made most of a move: ` (THUNK)`, or ` (THUNK and 2 more)` if that is no more than half of it.
fn first_of(one: &Move) -> Sentence {
    let [first, rest @ ..] = &one.bands[..] else { return Sentence::default() };
    let is_most = first.change.unsigned_abs() as f64 > HALF * one.size() as f64;
    let more = match is_most || rest.is_empty() {
        true => Sentence::default(),
        false => others_or(and_more(rest.len()), ", …"),
    };
    say![" (", band_name(first), more, ")"]
}

/// The bands that moved: `THUNK +4.9 MiB, Int +1.2 MiB`.
fn bands_words(bands: &[BandChange]) -> Sentence {
    let one = |band: &BandChange| {
        let sign = if band.change < 0 { " -" } else { " +" };
        say![band_name(band), sign, size(band.change.unsigned_abs())]
    };
    joined(bands.iter().take(3).map(one), ", ")
}

impl Move {
    /// `rose by 10.5 MiB from 8.2 s to 10.2 s: THUNK_2_0 +4.9 MiB, THUNK_1_0 +2.5 MiB`.
    pub fn words(&self) -> Sentence {
        let floor = if self.floor { "the floor " } else { "" };
        let did = match self.kind {
            MoveKind::Rise => say!["rose by ", size(self.size())],
            MoveKind::Fall => say!["fell by ", size(self.size())],
            MoveKind::Level => {
                let (low, high) = (self.low_bytes as f64, self.high_bytes as f64);
                say!["stayed ", stays((low, high), high)]
            }
        };
        let from = place_of(self.since, self.from_sample);
        let to = place_of(self.until, self.to_sample);
        let bands = match self.bands.is_empty() {
            true => Sentence::default(),
            false => say![": ", bands_words(&self.bands)],
        };
        say![floor, did, span(&from, &to), bands]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::analysis::testing::{growing, verdict};
    use crate::slice::Slice;

    #[test]
    fn a_rate_names_its_clock() {
        let text = |clock| rate(1_400_000.0, clock).to_string();
        assert_eq!(text(Clock::Elapsed), "1.34 MiB/s");
        assert_eq!(text(Clock::Mutator), "1.34 MiB/s of CPU");
        assert_eq!(text(Clock::Sample), "1.34 MiB/sample");
    }

    #[test]
    fn what_stays_is_a_part_of_the_unit_in_which_it_is_bytes() {
        assert_eq!(
            [3.0, 1e-4, 9e-5, 1e-6].map(|percent| never_freed(percent).to_string()),
            [
                "of 1 MiB that it allocates, 30.7 KiB are never freed",
                "of 1 MiB that it allocates, 1 B are never freed",
                "of 1 GiB that it allocates, 966 B are never freed",
                "of 1 GiB that it allocates, 11 B are never freed",
            ]
        );
    }

    #[test]
    fn growth_is_compared_with_that_of_the_whole_heap() {
        let mut account = verdict(&[("a", &|i| 1e6 + 1e5 * i)]);
        account.grew = 1000 << 10;
        for (kib, says) in [
            (-50, "in that time the whole heap fell by 50 KiB"),
            (950, "in that time the whole heap grew by only 950 KiB"),
            (990, "that is all of the heap's growth in that time (990 KiB)"),
            (1050, "that is all of the heap's growth in that time (1.03 MiB)"),
            (1060, "that is 94.3 % of the 1.04 MiB that the heap grew by in that time"),
        ] {
            account.heap_grew = kib << 10;
            assert_eq!(account.details()[0].to_string(), says);
        }
        // The rate without collections is another one only if it differs by more than a tenth.
        let mut is_told = |factor: f64| {
            account.suspects[0].running_rate = Some(factor * account.rate());
            let details = account.details();
            details
                .iter()
                .any(|detail| detail.to_string().starts_with("not counting garbage collection"))
        };
        assert_eq!(
            [0.85, 0.95, 1.0, 1.05, 1.15].map(&mut is_told),
            [true, false, false, false, true]
        );
    }

    #[test]
    fn all_bands_together_are_many() {
        // Growth that is a part of the noise of each band, but not of their sum.
        let mut random = crate::testing::Random::new(1, "bands");
        let mut sizes = || (0..60).map(|i| (900 + random.below(300) + 4 * i) as f64).collect();
        let sizes: Vec<Vec<f64>> = (0..500).map(|_| sizes()).collect();
        let names: Vec<String> = (0..500).map(|i| format!("band {i}")).collect();
        let bands: Vec<_> =
            names.iter().map(String::as_str).zip(sizes.iter().map(Vec::as_slice)).collect();
        let profile = growing(&bands, 1.0).finish();
        let verdict = Analysis::new(&Slice::whole(&profile), &[]).account;
        assert_eq!(verdict.suspects.len(), 1, "{:?}", verdict.suspects);
        let line = verdict.headline().to_string();
        assert!(line.contains("all bands together grew by"), "{line}");
    }

    /// The account of two bands that grow, the first twice as fast.
    fn two_grow() -> Account {
        let account = verdict(&[("slow", &|i| 1e6 + 1e5 * i), ("fast", &|i| 1e6 + 2e5 * i)]);
        assert_eq!((account.leak, account.suspects.len()), (Leak::Likely, 2));
        account
    }

    #[test]
    fn the_first_suspects_are_named_and_the_others_are_counted() {
        let mut account = two_grow();
        let says = |account: &Account, who: &str| {
            let forms = account.headline().forms();
            let is_said = |form: &Sentence| form.to_string().contains(who);
            assert!(forms.iter().any(is_said), "{who}: {}", forms[0]);
            forms[0].to_string().contains(who)
        };
        let both = "likely leak: fast and slow grew by 28.3 MiB since the start (293 KiB/s)";
        assert!(says(&account, both));
        assert!(!says(&account, "likely leak: fast and 1 more grew by"));
        let slow = account.suspects[1].clone();
        account.suspects.push(slow);
        assert!(says(&account, "likely leak: fast, slow and 1 more grew by"));
        assert!(!says(&account, "likely leak: fast and 2 more grew by"));
        // Who grew by less than a quarter as much is counted.
        account.suspects[1].gain = 0.24 * account.suspects[0].gain;
        assert!(says(&account, "likely leak: fast and 2 more grew by"));
        // Together they may hold more than a number of 64 bits.
        let mut account = two_grow();
        account.suspects.iter_mut().for_each(|rise| rise.at_end = u64::MAX);
        let huge = account.headline().to_string();
        assert!(huge.contains(" grew by 28.3 MiB to 32 EiB since"), "{huge}");
    }

    #[test]
    fn of_two_processes_in_one_file_it_is_said_how_large_their_heaps_are() {
        let account = Account { two_processes: true, ..two_grow() };
        let says = account.headline().to_string();
        assert!(
            says.ends_with("as after a fork; their heaps are between 1.91 MiB and 30.2 MiB"),
            "{says}"
        );
    }

    #[test]
    fn a_running_program_is_described_so_far() {
        let mut account = two_grow();
        assert_eq!(account.grade(), Leak::Likely.words());
        account.is_running = true;
        assert_eq!(account.grade(), "growing so far");
        let mut suspect = account.suspects.swap_remove(0);
        (account.leak, account.suspects) = (Leak::None, Vec::new());
        assert_eq!(account.grade(), "no growth so far");
        (suspect.since, suspect.since_sample, suspect.is_from_start) = (None, 12, false);
        assert_eq!(suspect.since_text(), "sample 12");
    }
}
