//! What a heap did in which nothing is accused, in words.

use std::cmp::Reverse;

use super::{
    CLIMBS, amount, and_more, band_name, first_of, place_of, place_text, span, stays, to_height,
};
use crate::analysis::constants::{
    FIFTH, HALF, LASTS, LATE, LET_GO, MANY, NEAR, SLOW, SOME, TOLD, WORTH,
};
use crate::analysis::{Account, BandChange, Manner, Move, MoveKind, Rise, RiseEnd, Who};
use crate::base::sentence::{
    Sentence, aside, detail, detail_or, joined, least, others_or, part, part_or, rounded, say, size,
};
use crate::base::units::Nanos;

impl Account {
    pub(super) fn too_few(&self) -> Sentence {
        let needed = format!("{} of {SOME} samples", self.samples);
        let freed = self.told.as_ref().filter(|told| told.end == RiseEnd::Freed);
        let words = |told| {
            let words = self.freed_words(told);
            let shorter = words.strip_prefix("built up, then ").unwrap_or(words);
            part_or(say![words, ": "], say![shorter, ": "])
        };
        let freed = freed.filter(|_| self.rounds == 0).map(words);
        let rises = |by| say!["; live bytes +", rounded(by), " between samples"];
        let unseen = self.unseen.map(rises).unwrap_or_default();
        // Fewer have no story.
        match self.samples {
            ..3 => needed.into(),
            _ => say![needed, "; so far ", freed.unwrap_or_default(), self.story(), unseen],
        }
    }

    /// The rise that is told: `5.5 MiB by doubling until 275 ms (THUNK)`.
    fn rise_told(&self, told: &Rise) -> Sentence {
        let heights = self.heights;
        let is_dip = told.who == Who::Heap && heights.dip >= TOLD * told.gain;
        let dip = || {
            let falls = match heights.falls {
                ..=1 => ", with a fall by ".to_owned(),
                falls => format!(", with {falls} falls by up to "),
            };
            let dip = say![falls, rounded(heights.dip)];
            if heights.dip < LATE * told.gain { part(dip) } else { dip }
        };
        let dip = is_dip.then(dip).unwrap_or_default();
        let has_pace = told.end.reaches_the_end() && self.is_judged() && !is_dip;
        let pace = if has_pace { self.pace(told) } else { "" };
        let is_steady = has_pace && pace.is_empty() && self.is_steady(told);
        let steadily = detail(if is_steady { " steadily" } else { "" });
        let first = self.burst.as_ref().and_then(|burst| {
            let is_half = |band: &&BandChange| band.change as f64 >= HALF * burst.size() as f64;
            burst.bands.first().filter(is_half)
        });
        let burst = self.burst(told).map(|burst| {
            let burst = say![", ", burst];
            part_or(say![burst.clone(), self.if_other(first)], part(burst))
        });
        say![
            size(told.grew()),
            steadily,
            self.to_height(told),
            told.how(),
            self.when(told),
            self.who_made(told.gain),
            burst.unwrap_or_default(),
            part(pace),
            dip
        ]
    }

    /// When the rise that is told was.
    fn when(&self, told: &Rise) -> Sentence {
        let until = place_of(told.until, told.until_sample);
        let goes_on = match told.end {
            RiseEnd::Climbs | RiseEnd::Open => self.held.is_none(),
            RiseEnd::Exit | RiseEnd::Freed | RiseEnd::Level => false,
        };
        let is_short = !goes_on && self.timeline.share(told.from, told.to) < NEAR;
        let by = if self.others.is_empty() { "until" } else { "by" };
        let by = format!(" {by} {until}");
        match (goes_on, told.is_from_start) {
            _ if is_short && self.is_judged() => format!(" at {until}").into(),
            (true, _) => format!(" since {}", told.since_text()).into(),
            (false, true) => by.into(),
            (false, false) => {
                let all = span(&told.since_text(), &until);
                // Beside other rises, who made them is worth more than since when, unless it is the last.
                let is_last = told.end.reaches_the_end()
                    && self.is_judged()
                    && self.others.iter().all(|one| one.to <= told.from);
                if self.others.is_empty() || is_last { all.into() } else { detail_or(all, by) }
            }
        }
    }

    /// To which height the rise that is told leads, from a base that is not small.
    fn to_height(&self, told: &Rise) -> Sentence {
        let top = self.heights.top;
        let has_height = told.who == Who::Heap && told.end != RiseEnd::Level;
        let base = if has_height { top - told.gain } else { 0.0 };
        let large = if self.others.is_empty() { LATE } else { HALF };
        let to = say![" to ", rounded(top)];
        match base {
            base if base < WORTH * top => Sentence::default(),
            base if base < large * top => detail(to),
            _ => to,
        }
    }

    /// Whether what is told rises steadily up to the exit, for half of the run.
    fn is_steady(&self, told: &Rise) -> bool {
        told.end == RiseEnd::Exit
            && told.manner == Manner::Steady
            && self.heap.as_ref().is_some_and(|heap| heap.score > 0.0)
            && self.timeline.share(told.from, told.to) >= HALF
            && self.burst.is_none()
            && self.unsampled.is_empty()
    }

    /// The bands that are named with what is told: the first, and the second if it is nearly as great, or the one that is
    /// larger in the last sample only. Before them who held much more meanwhile.
    pub(super) fn leaders(&self) -> Vec<&BandChange> {
        let held = self.held_most.as_ref().filter(|_| self.rounds == 0);
        let largest = self.named.iter().rev().max_by_key(|band| band.change);
        match (&self.named[..], held) {
            ([first, ..], None) if largest.is_some_and(|one| one.change > first.change) => {
                std::iter::once(first).chain(largest).collect()
            }
            ([first, ..], Some(held)) if (held.change as f64) < HALF * first.change as f64 => {
                vec![held, first]
            }
            ([first, second, ..], _)
                if self.rounds == 0 && second.change as f64 >= HALF * first.change as f64 =>
            {
                vec![first, second]
            }
            (all, _) => all.iter().take(1).collect(),
        }
    }

    /// Who made what is told: ` (THUNK)`, or the first of several: ` (THUNK, Int and 2 more)`.
    fn who_made(&self, gain: f64) -> Sentence {
        let leaders = self.leaders();
        if self.told.as_ref().is_some_and(|told| told.row().is_some()) {
            return Sentence::default();
        }
        let is_other = |band: &&BandChange| leaders.iter().all(|one| one.row != band.row);
        let beside = self.named.iter().filter(is_other).count();
        let [first, rest @ ..] = &leaders[..] else { return Sentence::default() };
        // Who made a part of it is not named alone.
        let is_part = (first.change as f64) < (1.0 - LET_GO) * gain;
        let others = if is_part { ", …" } else { "" };
        let names = joined(rest.iter().map(|band| say![", ", band_name(band)]), "");
        let more = match beside {
            0 if rest.is_empty() => Sentence::default(),
            0 => others_or(names, others),
            _ if rest.is_empty() && first.change as f64 >= HALF * gain => others.into(),
            _ => {
                let fewer = others_or(say![names.clone(), ", …"], others);
                others_or(say![names, and_more(beside)], fewer)
            }
        };
        say![" (", band_name(first), more, ")"]
    }

    /// A band if it is another than what is named first: ` (THUNK)`.
    fn if_other(&self, band: Option<&BandChange>) -> Sentence {
        let leader = self.leaders().first().map(|band| band.row);
        let other = band.filter(|band| Some(band.row) != leader);
        other.map(|band| aside(say![" (", band_name(band), ")"])).unwrap_or_default()
    }

    /// What the heap did in which nothing is accused.
    fn story(&self) -> Sentence {
        let heights = self.heights;
        let Some(told) = &self.told else {
            let fell = heights.first - heights.settled;
            return match fell >= FIFTH * heights.high.max(heights.exit).max(1.0) {
                true => {
                    let (from, to) = (rounded(heights.high), rounded(heights.settled));
                    let falls = self.movements.iter().filter(|one| one.kind == MoveKind::Fall);
                    let who = falls.max_by_key(|one| one.size()).map(first_of).unwrap_or_default();
                    say![self.heap_name(), " falls from ", from, " to ", to, aside(who)]
                }
                false => {
                    let level = stays((heights.low, heights.high), heights.usual);
                    say![
                        self.heap_name(),
                        " stays ",
                        level,
                        self.freed_at_last(", ", heights.settled)
                    ]
                }
            };
        };
        match &self.floor {
            Some(floor) => self.teeth(floor),
            None => self.rose_once(told),
        }
    }

    /// A climb at the end that follows what is told: `; climbs by 6.62 MiB at the end (VOID)`.
    fn climbs_again(&self) -> Sentence {
        let is_later = |one: &&Move| self.told.as_ref().is_some_and(|told| one.from >= told.to);
        match self.others.last().filter(is_later) {
            Some(last) => {
                let freed = self.freed_at_last(", ", last.to_bytes as f64);
                say!["; climbs by ", size(last.size()), " at the end", aside(first_of(last)), freed]
            }
            None => Sentence::default(),
        }
    }

    /// What became of a rise that was freed, in a few words.
    pub(super) fn freed_words(&self, told: &Rise) -> &'static str {
        let heights = self.heights;
        let left = heights.gained(heights.rest.min(heights.after.0));
        let again = self.rises_at_last(told).filter(|one| one.size() as f64 >= LATE * told.gain);
        match again {
            Some(_) => "built up again",
            None if left > TOLD * told.gain => "built up, then partly freed",
            None => "built up, then freed",
        }
    }

    /// The rise after one that was freed with which the run ends, and as high as it led.
    pub(in crate::analysis) fn rises_at_last(&self, told: &Rise) -> Option<&Move> {
        self.others.last().filter(|one| {
            one.from >= told.to && self.is_held(one) && self.share_from(one.to) < WORTH
        })
    }

    /// The level with which the run ends, if it is long and follows what is told.
    fn last_level(&self, told: &Rise) -> Option<&Move> {
        let cut = self.timeline.cut;
        self.movements.iter().rfind(|one| one.to < cut).filter(|last| {
            let share = self.timeline.share(last.from, last.to);
            let is_level = ((last.high_bytes - last.low_bytes) as f64) < WORTH * told.gain;
            last.kind == MoveKind::Level && is_level && last.from >= told.to && share >= FIFTH
        })
    }

    /// What the heap gained beside what is told, and who made it: `+8.53 MiB to 9.1 MiB by 533 ms`.
    fn peak(&self, one: &Move, who: Sentence) -> Sentence {
        let amount = match one.kind {
            MoveKind::Rise => say!["+", size(one.size())],
            MoveKind::Fall | MoveKind::Level => size(one.high_bytes),
        };
        say![amount, to_height(one), self.by(one), who]
    }

    /// Whether the heap is about as high from the end of a rise on.
    fn is_held(&self, one: &Move) -> bool {
        self.heights.rest >= (1.0 - WORTH) * one.to_bytes as f64
    }

    /// Whether the run ends with a rise that is held.
    fn ends_with(&self, one: &Move) -> bool {
        self.is_held(one) && self.share_from(one.to) < NEAR
    }

    /// By when the heap has risen in a move, or is as high as before it falls; or when it rose, if that is short; or that the
    /// run ends with it.
    fn by(&self, one: &Move) -> String {
        let is_short = self.timeline.share(one.from, one.to) < NEAR;
        match one.kind {
            MoveKind::Rise if self.ends_with(one) => " at the end".to_owned(),
            MoveKind::Rise if is_short => format!(" at {}", top(one)),
            MoveKind::Rise | MoveKind::Fall | MoveKind::Level => format!(" by {}", top(one)),
        }
    }

    /// How high the heap was before what is told, the highest first: `; before that 15.6 MiB at 547 ms (THUNK), freed`.
    fn before(&self, told: &Rise) -> Sentence {
        let mut before: Vec<&Move> = self.others.iter().filter(|one| one.to <= told.from).collect();
        before.sort_by_key(|one| Reverse(one.high_bytes));
        let height =
            |one: &Move| say![size(one.high_bytes), " at ", top(one), aside(first_of(one))];
        match before.is_empty() {
            true => Sentence::default(),
            false => {
                let heights = joined(before.into_iter().map(height), ", ");
                say!["; before that ", heights, detail(", freed")]
            }
        }
    }

    /// What the exit frees of a height: `, freed by the exit`.
    pub(super) fn freed_at_last(&self, mark: &'static str, height: f64) -> Sentence {
        match self.heights.last / height {
            _ if height < 1.0 => Sentence::default(),
            left if left < FIFTH => say![mark, by_the_exit("freed")],
            left if left < HALF => say![mark, by_the_exit("partly freed")],
            left if left < 1.0 - LET_GO => aside(say![mark, by_the_exit("partly freed")]),
            _ => Sentence::default(),
        }
    }

    /// A heap that rose once, and how that ended.
    fn rose_once(&self, told: &Rise) -> Sentence {
        let rise = self.rise_told(told);
        let then = match told.end {
            RiseEnd::Climbs | RiseEnd::Open => {
                let is_asked = self.is_judged() && !self.is_running;
                let way_out = if is_asked { ": run it longer" } else { "" };
                let is_short = self.share_from(told.from) < LASTS;
                let is_uneven = self.heights.dip >= WORTH * told.gain;
                let uneven = ", too uneven to judge";
                let flaw = if is_short {
                    ", too short to judge"
                } else if is_uneven {
                    uneven
                } else if !self.is_judged() {
                    ""
                } else if self.samples < MANY {
                    ", too few samples to judge"
                } else {
                    ", slowing down"
                };
                let level = |(time, at)| {
                    let level = self.level_since(told, time, at);
                    say![level, part(if is_uneven { uneven } else { "" })]
                };
                say![self.held.map_or_else(|| part(flaw), level), detail(way_out)]
            }
            RiseEnd::Exit => self.until_the_exit(told),
            RiseEnd::Freed if self.wanders(told) => return self.wandered(told),
            RiseEnd::Freed => return self.freed(told),
            RiseEnd::Level if self.still_climbs(told) => {
                return say![CLIMBS, rise, ", slowing down"];
            }
            RiseEnd::Level => {
                let heights = self.heights;
                let (low, high) = heights.after;
                let is_usual = low <= heights.usual && heights.usual <= high;
                let settled = heights.settled.clamp(low, high);
                let near = if is_usual { heights.usual } else { settled };
                let level = stays(heights.after, near);
                let (freed, before) = (self.freed_at_last(", ", near), self.before(told));
                let jump = self.jump("+");
                return say![CLIMBS, rise, ", then level ", level, jump, freed, before];
            }
        };
        let (who, beside) = match told.who {
            Who::Band(_) => {
                let beside = self.beside(told.at_end.into());
                (say![told.name(), " "], say![beside, self.share_words()])
            }
            Who::Heap | Who::Live | Who::Memory => Default::default(),
        };
        say![who, "+", rise, beside, then, self.before(told)]
    }

    /// For how long the run is level at its end: `, level for 200 ms`.
    fn level_since(&self, told: &Rise, time: Option<Nanos>, at: usize) -> Sentence {
        let lasts = told.until.zip(time).map(|(since, until)| until.since(since).to_string());
        let samples = || format!("{} samples", at + 1 - told.until_sample);
        format!(", level for {}", lasts.unwrap_or_else(samples)).into()
    }

    /// Whether few samples show no level, but that it still rises for a short time.
    fn still_climbs(&self, told: &Rise) -> bool {
        let gain = self.heights.settled - self.heights.top;
        !self.is_judged() && gain >= NEAR * told.gain && self.share_from(told.to) < TOLD
    }

    /// The share of the run from a sample up to its exit.
    pub(super) fn share_from(&self, since: usize) -> f64 {
        self.timeline.share(since, self.timeline.cut.saturating_sub(1))
    }

    /// What became of a rise that lasted until the program ended.
    fn until_the_exit(&self, told: &Rise) -> Sentence {
        let heights = self.heights;
        let held = self.held.map(|_| detail_or(", held until the exit", ", held"));
        let later = self.others.iter().filter(|one| one.from >= told.to);
        let again = |one: &Move| {
            let until = format!(" at {}", top(one));
            say![", again to ", size(one.to_bytes), until, aside(first_of(one))]
        };
        let later = joined(later.map(again), "");
        let is_freed = heights.gained(heights.last) < WORTH * told.gain;
        let freed = match is_freed {
            true => say!["; ", by_the_exit("freed")],
            false => self.freed_at_last("; ", heights.exit),
        };
        // A mountain before it has more to say.
        let is_high = |one: &Move| one.to <= told.from && one.size() as f64 >= HALF * told.gain;
        let freed = if self.others.iter().any(is_high) { part(freed) } else { freed };
        say![held.unwrap_or_default(), later, self.jump(CLIMBS), freed]
    }

    /// Whether the heap falls so far on its way up, and again and again, that it has no way.
    fn wanders(&self, told: &Rise) -> bool {
        let heights = self.heights;
        heights.dip >= LATE * told.gain && heights.falls + self.others.len() > 1
    }

    /// A heap that goes up and down.
    fn wandered(&self, told: &Rise) -> Sentence {
        let heights = self.heights;
        let (low, high) = (rounded(heights.low), rounded(heights.high));
        let top = place_of(told.until, told.until_sample);
        let last = rounded(heights.settled);
        let freed = self.freed_at_last(", ", heights.settled);
        let who = self.who_made(told.gain);
        say![
            "up and down between ",
            low,
            " and ",
            high,
            who,
            ", highest at ",
            top,
            ", ",
            last,
            " at the end",
            freed
        ]
    }

    /// A rise that was freed, between those before and after it, and what is left of them.
    fn freed(&self, told: &Rise) -> Sentence {
        let peaks = &self.others;
        let later = peaks.iter().position(|one| one.from >= told.to).unwrap_or(peaks.len());
        let (before, after) = peaks.split_at(later);
        let ends_high = self.rises_at_last(told);
        // The one with which the run ends is not left out.
        let tell = |before: &'static str, one: &Move, after: &'static str| {
            let is_last = ends_high.is_some_and(|last| last.to == one.to);
            let who = first_of(one);
            let peak = self.peak(one, if is_last { who } else { aside(who) });
            let clause = say![before, peak, after];
            if is_last { clause } else { least(clause) }
        };
        let it = [say!["+", self.rise_told(told)]];
        let all = before.iter().map(|one| tell("", one, ", ")).chain(it);
        let all = all.chain(after.iter().map(|one| tell(", ", one, "")));
        let held = self.held.map(|(time, at)| format!(", held until {}", place_text(time, at)));
        let at_last = match ends_high {
            Some(last) => self.freed_at_last(", ", last.to_bytes as f64),
            None => self.afterwards(told, after.last().map(|one| one.to)),
        };
        say![joined(all, ""), held.unwrap_or_default(), at_last]
    }

    /// What the heap does after a rise that was freed, and after the last one that follows, or what is left of all.
    fn afterwards(&self, told: &Rise, last: Option<usize>) -> Sentence {
        let (heights, is_last) = (self.heights, last.is_none());
        let since = last.unwrap_or(told.to);
        let is_small = heights.rest < TOLD * heights.top;
        let is_gone = is_small && heights.gained(heights.rest) < NEAR * told.gain;
        let is_again = |one: &&Move| one.kind == MoveKind::Rise && one.from >= since;
        let again = self.movements.iter().rfind(is_again);
        let again = again.filter(|one| one.size() as f64 >= WORTH * told.gain);
        let level = self.last_level(told);
        let is_drained = is_last && (is_gone || level.is_none());
        let drained = self.drained.filter(|_| is_drained);
        let who = self.if_other(self.left.as_ref());
        match (level, drained, again) {
            (None, _, Some(one)) => {
                let low = say!["falls to ", size(one.from_bytes), ", "];
                let to = one.to_bytes as f64;
                let freed = self.freed_at_last(", ", to);
                let when = match (self.ends_with(one), self.is_held(one)) {
                    (true, _) => say![" at the end", freed],
                    (false, true) => say![" by ", top(one), ", and held", freed],
                    (false, false) if heights.rest < FIFTH * to => {
                        say![" by ", top(one), ", freed"]
                    }
                    (false, false) => say![" by ", top(one)],
                };
                say![", then ", detail(low), "up to ", size(one.to_bytes), when]
            }
            (_, Some((time, at)), _) => {
                let by = detail(format!(" by {}", place_text(time, at)));
                say![", then falls to ", rounded(heights.rest), by, who]
            }
            _ if is_gone && is_last => detail(", nothing of it left at the end"),
            (Some(level), ..) => {
                let (low, high) = (level.low_bytes as f64, level.high_bytes as f64);
                let level = stays((low, high), heights.settled);
                say![", then level ", level, who, self.freed_at_last(", ", heights.settled)]
            }
            // For most of the run it was higher than at its end.
            (None, ..)
                if heights.rest <= HALF * heights.usual
                    && self.share_from(told.to) >= 1.0 - TOLD =>
            {
                let usual = rounded(heights.usual);
                say![", then mostly near ", usual, ", ", rounded(heights.rest), " left at the end"]
            }
            (None, ..) if heights.last < FIFTH * heights.rest => {
                say![", ", rounded(heights.rest), who, " freed by the exit"]
            }
            (None, ..) => {
                let freed = self.freed_at_last(", ", heights.rest);
                say![", ", rounded(heights.rest), " left at the end", who, freed]
            }
        }
    }

    /// A heap that rises and is freed several times, and what its lows do.
    fn teeth(&self, floor: &Move) -> Sentence {
        let heap = self.heap_name();
        let rises = format!("{heap} rises and falls {} times, by up to ", self.rounds);
        let rises = say![rises, size(self.heights.round)];
        let all = self.named.iter().map(|band| band.change as f64).sum();
        let again = self.climbs_again();
        match floor.kind {
            MoveKind::Rise => {
                let (from, to) = (size(floor.from_bytes), size(floor.to_bytes));
                let lows = say!["from ", from, " to ", to];
                let lows = match (self.grew_under_rounds(), floor.bands.first()) {
                    (Some(_), _) => say!["lows rise ", lows],
                    (None, Some(band)) => {
                        let change = size(band.change.unsigned_abs());
                        say![lows, aside(say![" (", band_name(band), " +", change, ")"])]
                    }
                    (None, None) => lows,
                };
                say![lows, "; ", rises, again]
            }
            MoveKind::Fall | MoveKind::Level => {
                let (low, high) = (floor.low_bytes as f64, floor.high_bytes as f64);
                say![rises, self.who_made(all), again, "; lows ", stays((low, high), high)]
            }
        }
    }

    /// Whether a compact region grew by more than what is told.
    pub(super) fn is_led_by_a_compact_region(&self) -> bool {
        let gain = self.told.as_ref().map_or(0.0, |told| told.gain);
        let is_led = |rise: &Rise| rise.is_compact() && rise.gain > gain;
        self.suspects.is_empty() && self.excused.first().is_some_and(is_led)
    }

    /// What the heap did, and who grows besides that: bands that rise to the end, and bands that may.
    pub(super) fn told_first(&self) -> Sentence {
        let (story, excused) = (self.story(), self.excused_words());
        let names_the_heap = self.told.is_none() || self.rounds > 0;
        let (first, besides) = match self.is_led_by_a_compact_region() {
            true if names_the_heap => (excused, Some(story)),
            true => (excused, Some(say!["besides ", story])),
            false if excused.is_empty() => (story, None),
            false => (story, Some(say!["besides ", excused])),
        };
        let under = self.grew_under_rounds();
        let growing = if under.is_some() { None } else { self.growing() };
        let first = joined(under.map(amount).into_iter().chain([first]), "; ");
        let first = say![first, growing.unwrap_or_default()];
        joined([first].into_iter().chain(besides), "; ")
    }

    /// What a story is of.
    fn heap_name(&self) -> &'static str {
        match self.is_led_by_a_compact_region() {
            true => "the rest of the heap",
            false => "the heap",
        }
    }

    /// The greatest band that rises to the end beside what is told: `Map +1.2 MiB all the while`.
    fn growing(&self) -> Option<Sentence> {
        // What rose as long as what is told is a part of it, and not news beside it.
        let is_part = |rise: &Rise| {
            let is_it = |band: &BandChange| Some(band.row) == rise.row();
            let lasts = self.told.as_ref().is_some_and(|told| {
                let is_news = self.timeline.share(rise.from, told.from) >= FIFTH;
                told.end.reaches_the_end() && !is_news
            });
            let floor = self.floor.iter().filter_map(|floor| floor.bands.first());
            let is_told = self.told.is_some() && self.leaders().into_iter().chain(floor).any(is_it);
            is_told || lasts && self.named.iter().any(is_it)
        };
        let is_worth_it = |rise: &&Rise| {
            rise.score > 0.0
                && (rise.end == RiseEnd::Open || self.told.is_none() || self.rounds > 0)
                && rise.gain >= SLOW * self.heights.high
                && !is_part(rise)
        };
        let rise = self.rises.iter().find(is_worth_it)?;
        let is_later = self.told.as_ref().is_some_and(|told| rise.from > told.from);
        let since = match is_later && !rise.is_from_start {
            true => format!(" since {}", rise.since_text()),
            false => String::new(),
        };
        let until = match rise.end {
            RiseEnd::Exit => " until the program ended",
            RiseEnd::Open | RiseEnd::Climbs | RiseEnd::Level | RiseEnd::Freed => {
                if since.is_empty() { " all the while" } else { "" }
            }
        };
        Some(part(say!["; ", amount(rise), since, until]))
    }
}

fn by_the_exit(freed: &'static str) -> Sentence {
    say![freed, detail(" by the exit")]
}

/// When the heap is highest in a move.
fn top(one: &Move) -> String {
    match one.kind {
        MoveKind::Rise => place_of(one.until, one.to_sample),
        MoveKind::Fall | MoveKind::Level => place_of(one.since, one.from_sample),
    }
}

#[cfg(test)]
mod tests;
