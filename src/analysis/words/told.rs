//! What a heap did in which nothing is accused, in words.

use std::cmp::Reverse;

use super::{amount, band_name, first_of, place_of, place_text, stays, to_height};
use crate::analysis::constants::{FIFTH, HALF, LASTS, LET_GO, MANY, NEAR, SLOW, SOME, TOLD, WORTH};
use crate::analysis::{Account, BandChange, Manner, Move, MoveKind, Rise, RiseEnd, Who};
use crate::base::sentence::{Sentence, aside, detail, joined, least, others, rounded, say, size};
use crate::base::units::count;

impl Account {
    pub(super) fn too_few(&self) -> Sentence {
        let needed = format!("{}, {SOME} are needed", count(self.samples, "sample"));
        // Fewer have no story.
        match self.samples {
            ..3 => needed.into(),
            _ => say![needed, "; so far ", self.story()],
        }
    }

    /// The rise that is told: `5.5 MiB in one step until 275 ms, mostly THUNK`.
    fn rise_told(&self, told: &Rise) -> Sentence {
        let how = match (told.manner, told.steps) {
            (Manner::Doubling, _) => " by doubling".to_owned(),
            (Manner::Steps, _) if !self.is_judged() => String::new(),
            (Manner::Steps, Some(1)) => String::new(),
            (Manner::Steps, Some(steps)) => format!(" in {steps} steps"),
            (Manner::Steady | Manner::Floors | Manner::Steps, _) => String::new(),
        };
        let until = place_of(told.until, told.until_sample);
        let to = until.strip_prefix("sample ").unwrap_or(&until);
        let goes_on = match told.end {
            RiseEnd::Climbs | RiseEnd::Open => self.held.is_none(),
            RiseEnd::Exit | RiseEnd::Freed | RiseEnd::Level => false,
        };
        let is_short = !goes_on && self.timeline.share(told.from, told.to) < NEAR;
        let when = match (goes_on, told.is_from_start) {
            _ if is_short && self.is_judged() => format!(" at {to}"),
            (true, _) => format!(" since {}", told.since_text()),
            (false, true) => format!(" until {until}"),
            (false, false) => format!(" from {} to {to}", told.since_text()),
        };
        let heights = self.heights;
        let is_on_a_base = told.who == Who::Heap
            && told.end != RiseEnd::Level
            && heights.top - told.gain >= WORTH * heights.top;
        let to = match is_on_a_base {
            true if heights.base >= HALF * heights.top => say![" to ", rounded(heights.top)],
            true => detail(say![" to ", rounded(heights.top)]),
            false => Sentence::default(),
        };
        let is_dip = told.who == Who::Heap && heights.dip >= TOLD * told.gain;
        let dip = || {
            let falls = match heights.falls {
                ..=1 => ", with a fall by ".to_owned(),
                falls => format!(", with {falls} falls by up to "),
            };
            say![falls, rounded(heights.dip), " on the way"]
        };
        let dip = is_dip.then(dip).unwrap_or_default();
        let has_pace = told.end.reaches_the_end() && self.is_judged() && !is_dip;
        let pace = if has_pace { self.pace(told) } else { "" };
        let (burst, who) = (self.burst(told), self.mostly(told.gain));
        say![size(told.grew()), to, burst, how, when, who, pace, dip]
    }

    /// The bands that are named with what is told: the first, and the second if it is nearly as great. Before them who held
    /// much more meanwhile.
    pub(super) fn leaders(&self) -> Vec<&BandChange> {
        let held = self.held_most.as_ref().filter(|_| self.rounds == 0);
        match (&self.named[..], held) {
            ([first, ..], Some(held)) if (held.change as f64) < FIFTH * first.change as f64 => {
                vec![held, first]
            }
            ([first, ..], Some(held)) if (held.change as f64) < HALF * first.change as f64 => {
                vec![first, held]
            }
            ([first, second, ..], _)
                if self.rounds == 0 && second.change as f64 >= HALF * first.change as f64 =>
            {
                vec![first, second]
            }
            (all, _) => all.iter().take(1).collect(),
        }
    }

    /// Who made what is told: `, mostly THUNK`, or the first of several: ` (THUNK, Int and 2 more)`.
    fn mostly(&self, gain: f64) -> Sentence {
        let leaders = self.leaders();
        if self.told.as_ref().is_some_and(|told| told.row().is_some()) {
            return Sentence::default();
        }
        let is_other = |band: &&BandChange| leaders.iter().all(|one| one.row != band.row);
        let beside = self.named.iter().filter(is_other).count();
        let [first, rest @ ..] = &leaders[..] else { return Sentence::default() };
        if rest.is_empty() && first.change as f64 >= HALF * gain {
            return say![", mostly ", band_name(first)];
        }
        let rest = rest.iter().map(|band| say![", ", band_name(band)]);
        let more = if beside > 0 { format!(" and {beside} more") } else { String::new() };
        let rest = others(say![joined(rest, ""), more]);
        aside(say![" (", band_name(first), rest, ")"])
    }

    /// What the heap did in which nothing is accused.
    fn story(&self) -> Sentence {
        let heights = self.heights;
        let Some(told) = &self.told else {
            let fell = heights.first - heights.settled;
            return match fell >= FIFTH * heights.high.max(heights.exit).max(1.0) {
                true => {
                    let (from, to) = (rounded(heights.high), rounded(heights.settled));
                    say!["the heap falls from ", from, " to ", to]
                }
                false => {
                    let level = stays((heights.low, heights.high), heights.usual);
                    say!["the heap stays ", level, self.freed_at_last()]
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
                say!["; climbs by ", size(last.size()), self.at_the_end(), first_of(last)]
            }
            None => Sentence::default(),
        }
    }

    /// When the run ends, as its heap shows it.
    fn at_the_end(&self) -> &'static str {
        let heights = self.heights;
        if heights.last < HALF * heights.rest { " until its exit" } else { " at the end" }
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

    /// What the heap gained beside what is told: `+8.53 MiB to 9.1 MiB until 533 ms (LAG)`.
    fn peak(&self, one: &Move, until: String) -> Sentence {
        let sign = if one.kind == MoveKind::Rise { "+" } else { "" };
        say![sign, size(one.size()), to_height(one), until, first_of(one)]
    }

    /// Until when the heap rises in a move, or is as high as before it falls; or when it rose, if that is short.
    fn until(&self, one: &Move) -> String {
        let is_short = self.timeline.share(one.from, one.to) < NEAR;
        let until = if is_short && one.kind == MoveKind::Rise { "at" } else { "until" };
        format!(" {until} {}", top(one))
    }

    /// How high the heap was before what is told, the highest first: `; before that 15.6 MiB at 547 ms (THUNK), freed`.
    fn before(&self, told: &Rise) -> Sentence {
        let mut before: Vec<&Move> = self.others.iter().filter(|one| one.to <= told.from).collect();
        before.sort_by_key(|one| Reverse(one.high_bytes));
        let height = |one: &Move| say![size(one.high_bytes), " at ", top(one), first_of(one)];
        match before.is_empty() {
            true => Sentence::default(),
            false => {
                let heights = joined(before.into_iter().map(height), ", ");
                say!["; before that ", heights, detail(", freed")]
            }
        }
    }

    /// What the exit frees: `freed by the exit`. If it was freed early, or nobody saw the exit: `freed by 103 ms` has the time
    /// of the first sample that shows it.
    fn freed_by(&self) -> Option<Sentence> {
        let heights = self.heights;
        match heights.last / heights.settled.max(1.0) {
            left if left < FIFTH => Some(self.freed_when("freed")),
            left if left < 1.0 - LET_GO => Some(self.freed_when("partly freed")),
            _ => None,
        }
    }

    fn freed_when(&self, freed: &'static str) -> Sentence {
        let place = |(time, at)| place_text(time, at);
        let when = self.freed.map_or_else(|| "the exit".to_owned(), place);
        say![freed, detail(format!(" by {when}"))]
    }

    /// What the exit frees of a level: `, freed by the exit`.
    fn freed_at_last(&self) -> Sentence {
        let heights = self.heights;
        let freed = self.freed_by().filter(|_| heights.last < HALF * heights.settled);
        freed.map(|freed| say![", ", freed]).unwrap_or_default()
    }

    /// A heap that rose once, and how that ended.
    fn rose_once(&self, told: &Rise) -> Sentence {
        let rise = self.rise_told(told);
        let then = match told.end {
            RiseEnd::Climbs | RiseEnd::Open => {
                let way_out = if self.is_running { "" } else { ": run it longer" };
                let cut = self.timeline.cut.saturating_sub(1);
                let is_short = self.timeline.share(told.from, cut) < LASTS;
                let flaw = if self.held.is_some() {
                    ", held until the end"
                } else if is_short {
                    ", too short to judge"
                } else if self.heights.dip >= WORTH * told.gain {
                    ", too uneven to judge"
                } else if self.samples < MANY {
                    ", too few samples to judge"
                } else {
                    ", slowing down"
                };
                say![flaw, detail(way_out)]
            }
            RiseEnd::Exit => self.until_the_exit(told),
            RiseEnd::Freed => return self.freed(told),
            RiseEnd::Level => {
                let heights = self.heights;
                let (low, high) = heights.after;
                let is_usual = low <= heights.usual && heights.usual <= high;
                let settled = heights.settled.clamp(low, high);
                let near = if is_usual { heights.usual } else { settled };
                let level = stays(heights.after, near);
                return say![
                    "climbs by ",
                    rise,
                    ", then level ",
                    level,
                    self.freed_at_last(),
                    self.before(told)
                ];
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

    /// What became of a rise that lasted until the program ended.
    fn until_the_exit(&self, told: &Rise) -> Sentence {
        let heights = self.heights;
        let is_held = self.held.is_some() && self.freed.is_none();
        let held = if is_held { ", held until the program ended" } else { "" };
        let later = self.others.iter().filter(|one| one.from >= told.to);
        let later = joined(later.map(|one| say![", ", self.peak(one, self.until(one))]), "");
        let is_freed = heights.gained(heights.last) < WORTH * told.gain;
        let freed = match self.freed_by() {
            _ if is_freed && self.freed.is_none() => say!["; ", self.freed_when("freed")],
            Some(freed) => say!["; ", freed],
            None => Sentence::default(),
        };
        // A mountain before it has more to say.
        let is_high = |one: &Move| one.to <= told.from && one.size() as f64 >= HALF * told.gain;
        let freed = if self.others.iter().any(is_high) { detail(freed) } else { freed };
        say![held, later, self.jump(), freed]
    }

    /// A rise that was freed, between those before and after it, and what is left of them.
    fn freed(&self, told: &Rise) -> Sentence {
        let heights = self.heights;
        let peaks = &self.others;
        let later = peaks.iter().position(|one| one.from >= told.to).unwrap_or(peaks.len());
        let (before, after) = peaks.split_at(later);
        let end = self.at_the_end();
        let is_high = |one: &&Move| heights.settled >= (1.0 - WORTH) * one.to_bytes as f64;
        let ends_high = after.last().filter(is_high);
        let peak = |one: &Move| match ends_high.is_some_and(|last| last.to == one.to) {
            true => self.peak(one, end.to_owned()),
            false => self.peak(one, self.until(one)),
        };
        // The smallest is left out before others, but not the one with which the run ends.
        let ends = |one: &&Move| ends_high.is_none_or(|last| last.to != one.to);
        let smallest = peaks.iter().filter(ends).min_by_key(|one| one.size()).map(|one| one.to);
        let clause = |one: &Move, clause: Sentence| match smallest == Some(one.to) {
            true => least(clause),
            false => clause,
        };
        let it = [say!["+", self.rise_told(told)]];
        let before = before.iter().map(|one| clause(one, say![peak(one), ", "]));
        let later = after.iter().map(|one| clause(one, say![", ", peak(one)]));
        let all = before.chain(it).chain(later);
        let others = match self.smaller {
            (0, _) => Sentence::default(),
            (1, _) => ", and 1 smaller rise".into(),
            (n, most) => say![format!(", and {n} smaller rises by up to "), size(most)],
        };
        let held = self.held.filter(|_| after.is_empty());
        let held = held.map(|(time, at)| format!(", held until {}", place_text(time, at)));
        let is_small = heights.rest < TOLD * heights.top;
        let is_gone = is_small && heights.gained(heights.rest) < NEAR * told.gain;
        let is_up = heights.rest - heights.after.0 >= WORTH * told.gain;
        let level = self.last_level(told);
        let is_last = after.is_empty() && self.smaller.0 == 0;
        let drains = self.drains && is_last && (is_gone || level.is_none());
        let at_last = match level {
            _ if ends_high.is_some() => Sentence::default(),
            None if is_up => say![", then up to ", rounded(heights.rest), end],
            _ if drains => say![", then falls to ", rounded(heights.rest)],
            _ if is_gone && after.is_empty() => detail(", nothing of it left at the end"),
            Some(level) => {
                let (low, high) = (level.low_bytes as f64, level.high_bytes as f64);
                say![", then level ", stays((low, high), heights.settled), self.freed_at_last()]
            }
            None => say![", ", rounded(heights.rest), " left", end],
        };
        say![joined(all, ""), others, held.unwrap_or_default(), at_last]
    }

    /// A heap that rises and is freed several times, and what its lows do.
    fn teeth(&self, floor: &Move) -> Sentence {
        let rises = format!("the heap rises and falls {} times, by up to ", self.rounds);
        let higher = if self.heights.rounds_grow { ", higher and higher" } else { "" };
        let rises = say![rises, size(self.heights.round), higher];
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
                let heights = self.heights;
                let (least, greatest) = heights.lows;
                let is_told = high - low > WORTH * high && greatest - least < HALF * (high - low);
                let most = || say![", most ", stays((least, greatest), greatest)];
                let most = is_told.then(most).unwrap_or_default();
                let lows = stays((low, high), high);
                say![rises, self.mostly(all), again, "; lows ", lows, most]
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
        let excused = self.excused_words();
        let (first, second) = match self.is_led_by_a_compact_region() {
            true => (excused, self.story()),
            false => (self.story(), excused),
        };
        let under = self.grew_under_rounds();
        let growing = if under.is_some() { None } else { self.growing() };
        let first = joined(under.map(amount).into_iter().chain([first]), "; ");
        let besides = (!second.is_empty()).then(|| say!["besides ", second]);
        joined([Some(first), growing, besides].into_iter().flatten(), "; ")
    }

    /// The greatest band that rises to the end beside what is told: `Map +1.2 MiB all the while`.
    fn growing(&self) -> Option<Sentence> {
        // It goes on where the heap is level.
        let goes_on = |rise: &Rise| {
            let is_after = |told: &Rise| {
                told.end == RiseEnd::Level && self.timeline.share(told.to, rise.to) >= FIFTH
            };
            self.told.as_ref().is_some_and(is_after)
        };
        // What rose as long as what is told is a part of it, and not news beside it.
        let is_part = |rise: &Rise| {
            let is_it = |band: &BandChange| Some(band.row) == rise.row();
            let lasts = self.told.as_ref().is_some_and(|told| {
                let is_news = self.timeline.share(rise.from, told.from) >= FIFTH;
                told.end.reaches_the_end() && !is_news
            });
            let floor = self.floor.iter().filter_map(|floor| floor.bands.first());
            let is_told = self.told.is_some() && self.leaders().into_iter().chain(floor).any(is_it);
            let is_told = is_told && !goes_on(rise);
            is_told || lasts && self.named.iter().any(is_it)
        };
        let is_worth_it = |rise: &&Rise| {
            rise.score > 0.0
                && (rise.end == RiseEnd::Open
                    || self.told.is_none()
                    || self.rounds > 0
                    || goes_on(rise))
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
        Some(say![amount(rise), since, until])
    }
}

/// When the heap is highest in a move.
fn top(one: &Move) -> String {
    match one.kind {
        MoveKind::Rise => place_of(one.until, one.to_sample),
        MoveKind::Fall | MoveKind::Level => place_of(one.since, one.from_sample),
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::testing::{Curve, curves, verdict};
    use crate::analysis::{Analysis, Leak, Shape};
    use crate::slice::Slice;

    fn headline(bands: &[(&str, Curve<'_>)]) -> String {
        verdict(bands).headline().to_string()
    }

    #[test]
    fn a_mountain_before_it_has_more_to_say_than_that_it_was_freed() {
        let then = |i: f64| match i {
            i if i < 50.0 => 1e6 + 1e5 * i,
            i if i < 98.0 => 1e6 + 8e4 * (i - 50.0),
            _ => 1e4,
        };
        let says = |curve: Curve<'_>, form: usize| {
            verdict(&[("a", curve)]).headline().forms()[form].to_string()
        };
        let rise =
            "grew until the program ended: +3.59 MiB to 4.54 MiB from 50 s to 97 s, mostly a";
        assert_eq!(
            says(&then, 0),
            format!("{rise}; freed by the exit; before that 5.63 MiB at 49 s (a), freed")
        );
        assert_eq!(says(&then, 2), format!("{rise}; before that 5.63 MiB at 49 s (a)"));
        let small = |i: f64| if i < 50.0 { 3e4 * i } else { (then(i) - 99e4).max(1e4) };
        let says = says(&small, 2);
        assert!(says.ends_with(", mostly a; freed; before that 1.4 MiB at 49 s (a)"), "{says}");
    }

    #[test]
    fn the_headline_says_what_a_heap_of_one_band_did() {
        let hill = |i: f64| if i < 60.0 { 1e5 * i } else { 0.0 };
        for (of, says) in [
            (&(|i: f64| 1e6 + 1e5 * i) as Curve<'_>, "likely leak: a grew by 9.4"),
            (
                &hill,
                "built up, then freed: +5.63 MiB until 59 s, mostly a, nothing of it left at the end",
            ),
            (
                &|i: f64| 1e6 + 1e6 * (i - 80.0).max(0.0),
                "climbs at the end: +18.1 MiB since 80 s, mostly a, too short",
            ),
            (&|i: f64| 1e6 + 1e6 * (i % 25.0), "no leak: the heap rises and falls 3 times"),
            (
                &|i: f64| 1e6 + 1e5 * (i - 40.0).clamp(0.0, 40.0),
                "no leak: climbs by 3.72 MiB from 41 s to 80 s",
            ),
            (
                &|i: f64| 1e5 * i.min(40.0),
                "no leak: climbs by 3.81 MiB until 40 s, mostly a, then level near 3.82 MiB",
            ),
            (
                &|i: f64| {
                    if i < 40.0 {
                        1e5 * i
                    } else if i < 80.0 {
                        4e6
                    } else {
                        0.0
                    }
                },
                "built up, then freed: +3.81 MiB until 40 s, mostly a, held until 79 s, nothing of it left",
            ),
            (
                &|i: f64| 1e6 + 1e6 * (i % 25.0) + 1e6 * (i / 25.0).floor(),
                "lows rise: from 1.91 MiB to 3.82 MiB (a +1.91 MiB); the heap rises and falls 3 times",
            ),
            (
                &|i: f64| if i < 60.0 { 1e5 * i } else { 1e5 + 2e5 * (i - 71.0).max(0.0) },
                "climbs at the end: +5.34 MiB since 71 s, mostly a, too short to judge: run it longer; \
                 before that 5.63 MiB at 59 s (a), freed",
            ),
            (
                &|i: f64| if i < 60.0 { 1e5 * i } else { 1e5 + 1e5 * (i - 79.0).max(0.0) },
                "built up, then freed: +5.63 MiB until 59 s, mostly a, +1.91 MiB at the end (a)",
            ),
            (
                &|i: f64| 3e6 + if i < 60.0 { 1e5 * i } else { 0.0 },
                "built up, then freed: +5.63 MiB to 8.49 MiB until 59 s, mostly a, then level near 2.86 MiB",
            ),
            (
                &|i: f64| {
                    1e5 * (i.min(70.0) - 2.8 * (i - 70.0).clamp(0.0, 10.0)
                        + 2.0 * (i - 80.0).max(0.0))
                },
                "climbs at the end: +7.63 MiB (3.62 MiB of that since 80 s) since the start, mostly a, with a fall by \
                 2.67 MiB on the way, too uneven to judge: run it longer",
            ),
            (
                &|i: f64| 1e6 * libm::sqrt(i),
                "possible leak: a grew by 9.49 MiB since the start (98.1 KiB/s), slower and slower",
            ),
            (
                &|i: f64| 3e2 * i * i * i,
                "likely leak: a grew by 272 MiB since 27 s (3.78 MiB/s), faster and faster",
            ),
            (
                &|i: f64| {
                    if i < 97.0 {
                        1e5 * i
                    } else if i < 99.0 {
                        25e6
                    } else {
                        1e4
                    }
                },
                "grew until the program ended: +9.16 MiB until 96 s, mostly a; climbs by 14.7 MiB as the program ends (a); freed by the exit",
            ),
            (
                &|i: f64| if i < 97.0 { 1e5 * i } else { 25e6 },
                "likely leak: a grew by 9.16 MiB since the start (97.7 KiB/s); climbs by 14.7 MiB as the program ends",
            ),
            // It ends far below all that was there before.
            (
                &|i: f64| match i {
                    i if i < 50.0 => 1e6 + 1e5 * i,
                    i if i < 98.0 => 1e6 + 8e4 * (i - 50.0),
                    _ => 1e4,
                },
                "grew until the program ended: +3.59 MiB to 4.54 MiB from 50 s to 97 s, mostly a; freed by the exit; \
                 before that 5.63 MiB at 49 s (a), freed",
            ),
            // It falls for long before its exit.
            (
                &|i: f64| match i {
                    i if i < 50.0 => 1e5 * i,
                    i if i < 98.0 => 5e6 - 8e4 * (i - 50.0),
                    _ => 1e4,
                },
                "built up, then freed: +4.77 MiB until 50 s, mostly a, then falls to 1.18 MiB",
            ),
            // A short rise before its exit is nearly as great, or one of several.
            (
                &|i: f64| match i as usize {
                    0..50 => 1e5 * i,
                    50..90 => 1e5,
                    90..98 => 1e5 + 58e4 * (i - 89.0),
                    _ => 1e4,
                },
                "grew until the program ended: +4.43 MiB from 89 s to 97 s, mostly a; freed by the exit; before that",
            ),
            (
                &|i: f64| match i as usize {
                    0..50 => 1e5 * i,
                    50..90 => 1e5,
                    90..98 => 1e5 + 4e5 * (i - 89.0),
                    _ => 1e4,
                },
                "built up, then freed: +4.67 MiB until 49 s, mostly a, +3.05 MiB until its exit (a)",
            ),
            // It doubles and rests, twice before it rests at first; without rests it is a start.
            (
                &|i: f64| match i as usize {
                    0 => 1e6,
                    1 => 2e6,
                    2..8 => 4e6,
                    8..30 => 8e6,
                    30..60 => 16e6,
                    _ => 32e6,
                },
                "built up: +29.6 MiB by doubling until 60 s, mostly a, held until the end",
            ),
            (
                &|i: f64| 1e6 * (1 << (i as usize).min(5)) as f64,
                "no leak: climbs by 28.6 MiB until 5 s, mostly a, then level near 30.5 MiB",
            ),
            // What wavers and climbs at the end is no level.
            (
                &|i: f64| match i as usize {
                    0..60 => 36e3 * i,
                    60..75 => 22e5 - 53e3 * (i - 60.0),
                    _ => 14e5 + 33e3 * (i - 75.0),
                },
                "climbs at the end: +2.09 MiB since the start, mostly a, with a fall by 781 KiB on the way, too uneven",
            ),
            // It falls to its end as fast as before, which is no exit.
            (
                &|i: f64| if i < 85.0 { 12e4 * i } else { 1008e4 - 6e5 * (i - 84.0) },
                "built up, then freed: +9.61 MiB until 84 s, mostly a, 1.03 MiB left at the end",
            ),
            // It sums up in its last sample what it built.
            (
                &|i: f64| if i < 99.0 { 1e5 * i.min(40.0) } else { 45e5 },
                "no leak: climbs by 3.72 MiB until 39 s, mostly a, then level near 3.82 MiB",
            ),
            // Its highest sample is a late one of a level that wavers.
            (
                &|i: f64| {
                    let wavers = if i == 70.0 { 32e4 } else { 2e4 * ((i * 5.0) % 12.0) };
                    2e5 * i.min(5.0) + wavers
                },
                "no leak: climbs by 996 KiB until 5 s, mostly a, then level between 978 KiB",
            ),
            // What its exit frees is a small part of all.
            (
                &|i: f64| if i < 98.0 { 3e7 + 1e5 * i } else { 3e7 },
                "grew until the program ended: a +9.25 MiB until 97 s; freed by the exit",
            ),
            // It falls before it climbs during its exit.
            (
                &|i: f64| match i {
                    i if i < 90.0 => 1e5 * i,
                    i if i < 97.0 => 9e6 - 2e5 * (i - 90.0),
                    i if i < 99.0 => 12e6,
                    _ => 1e4,
                },
                "grew until the program ended: +8.58 MiB until 90 s, mostly a; climbs by 4.01 MiB to 11.4 MiB as the program ends (a)",
            ),
            // It falls and rises again on its way to the exit.
            (
                &|i: f64| match i {
                    i if i < 88.0 => 1e5 * i,
                    i if i < 91.0 => 88e5 - 1e6 * (i - 88.0),
                    i if i < 98.0 => 58e5 + 4e5 * (i - 91.0),
                    _ => 1e4,
                },
                "grew until the program ended: +8.39 MiB until 88 s, mostly a, +2.29 MiB to 7.82 MiB until 97 s (a); \
                 freed by the exit",
            ),
            // Teeth that are much smaller than the greatest are counted, too.
            (
                &|i: f64| {
                    1e5 + 1e5
                        * (i % 10.0)
                        * if (i as usize / 10).is_multiple_of(2) { 1.0 } else { 0.2 }
                },
                "no leak: the heap rises and falls 9 times, by up to 879 KiB, mostly a; lows near 98.6 KiB",
            ),
            (
                &|i: f64| 1e5 + 1e3 * i * (i % 10.0),
                "no leak: the heap rises and falls 8 times, by up to 870 KiB, higher and higher, mostly a; lows near",
            ),
            (
                &|i: f64| match i as usize {
                    0..20 => 1e6,
                    20..45 => 3e6,
                    45..70 => 5e6,
                    _ => 12e6,
                },
                "no leak: climbs by 10.5 MiB in 3 steps from 19 s to 70 s, mostly a, then level near 11.4 MiB",
            ),
            // What its first sample holds was built up before it.
            (
                &|i: f64| match i as usize {
                    0..20 => 12e6,
                    20..40 => 1e5,
                    40..60 => 1e5 + 3e5 * (i - 40.0),
                    _ => 1e5,
                },
                "built up, then freed: 11.3 MiB until 19 s (a), +5.44 MiB from 40 s to 59 s, mostly a, nothing of it left",
            ),
            (
                &|i: f64| if i % 25.0 < 12.0 { 5e6 + 2e6 * (i / 25.0).floor() } else { 1e5 },
                "built up, then freed: +6.58 MiB at 25 s (a), +8.49 MiB at 50 s (a), +10.4 MiB at 75 s, mostly a, and 1 smaller rise",
            ),
            // Its first rise begins below its lows.
            (
                &|i: f64| if i < 10.0 { 8e5 * i } else { 4e6 + 4e6 * f64::from(i % 20.0 < 10.0) },
                "no leak: the heap rises and falls 5 times, by up to 3.81 MiB, mostly a; lows near 3.82",
            ),
            // One of its lows is high.
            (
                &|i: f64| 1e6 * (1.0 + i % 8.0) + if (48.0..56.0).contains(&i) { 3e6 } else { 0.0 },
                "no leak: the heap rises and falls 12 times, by up to 9.54 MiB, mostly a; lows between 978 KiB and 3.82 MiB, \
                 most near 978 KiB",
            ),
            // It makes much of its gain in a short time.
            (
                &|i: f64| 2e5 * i.min(20.0) + 4e4 * (i - 20.0).max(0.0),
                "possible leak: a grew by 6.83 MiB (3.81 MiB of that by 20 s) since the start (70.6 KiB/s)",
            ),
            (
                &|i: f64| 1e4 * i.min(90.0) + 2e5 * (i.min(60.0) - 50.0).clamp(0.0, 10.0),
                "no leak: climbs by 2.61 MiB (2 MiB of that from 50 s to 60 s) from 8 s to 82 s, mostly a, then level near",
            ),
            // What falls back at once was not gained.
            (
                &|i: f64| 5e4 * i + if i == 50.0 { 2e6 } else { 0.0 },
                "climbs at the end: +4.72 MiB since the start, mostly a, with a fall by 1.86 MiB on the way",
            ),
            // What falls back at once is no step.
            (
                &|i: f64| 1e6 * (1.0 + (i / 12.0).floor()) + if i == 30.0 { 5e5 } else { 0.0 },
                "possible leak: a grew by 7.63 MiB in 8 steps since 11 s",
            ),
            // It rises highest after it was freed where it does not rise by most.
            (
                &|i: f64| match i as usize {
                    0..40 => 25e4 * i,
                    40..45 => 6e6,
                    45..60 => 95e5,
                    60..75 => 5e5,
                    75..85 => 75e5,
                    _ => 5e5,
                },
                "built up, then freed: +9.3 MiB until 39 s, mostly a, +3.34 MiB to 9.06 MiB at 45 s (a), +6.68 MiB at 75 s (a), 489 KiB left at the end",
            ),
            // What it held at first was higher than what it climbs to until its exit.
            (
                &|i: f64| match i as usize {
                    0..40 => 6e6 + 1e5 * i,
                    40..60 => 5e5,
                    60..98 => 5e5 + 7e4 * (i - 59.0),
                    _ => 1e4,
                },
                "built up, then freed: +3.72 MiB to 9.44 MiB until 39 s, mostly a, +2.47 MiB to 3.01 MiB until its exit (a)",
            ),
            // It falls by less than a quarter before its exit, and rises by less.
            (
                &|i: f64| match i as usize {
                    0..88 => 1e5 * i,
                    88..91 => 87e5 - 6e5 * (i - 87.0),
                    91..98 => 69e5 + 2e5 * (i - 90.0),
                    _ => 1e4,
                },
                "built up: +8.3 MiB until 87 s, mostly a, held until the program ended, +1.34 MiB to 7.92 MiB until 97 s (a)",
            ),
            // It is level for long before its last climb.
            (
                &|i: f64| match i as usize {
                    0..40 => 1e5 * i,
                    40..52 => 1e5,
                    52..95 => 8e5,
                    _ => 8e5 + 22e4 * (i - 94.0),
                },
                "built up, then freed: +3.72 MiB until 39 s, mostly a, +1.05 MiB to 1.81 MiB at the end (a)",
            ),
            // It falls deep, and rises by less than a quarter.
            (
                &|i: f64| match i as usize {
                    0..50 => 1e5 * i,
                    50..98 => 1e5 + 2e4 * (i - 50.0),
                    _ => 1e4,
                },
                "built up, then freed: +4.67 MiB until 49 s, mostly a, then up to 1017 KiB until its exit",
            ),
            // The higher one of those before comes first.
            (
                &|i: f64| match i as usize {
                    10..20 => 4e6,
                    30..40 => 6e6,
                    _ => 1e5 + 2e5 * (i - 71.0).max(0.0),
                },
                "climbs at the end: +5.34 MiB since 71 s, mostly a, too short to judge: run it longer; \
                 before that 5.72 MiB at 30 s (a), 3.82 MiB at 10 s (a), freed",
            ),
            // The smallest of four mountains is only counted.
            (
                &|i: f64| match i as usize {
                    10..20 => 3e6,
                    30..40 => 1e7,
                    50..60 => 35e5,
                    70..80 => 4e6,
                    _ => 1e5,
                },
                "built up, then freed: +9.44 MiB at 30 s, mostly a, +3.24 MiB at 50 s (a), \
                 +3.72 MiB at 70 s (a), and 1 smaller rise, 98.6 KiB left at the end",
            ),
            // If many smaller ones follow, all are teeth.
            (
                &|i: f64| match i as usize {
                    4..10 => 1e7,
                    i if i > 15 && i < 90 && i % 14 < 6 => 3e6 + 1e5 * (i / 14) as f64,
                    _ => 1e5,
                },
                "no leak: the heap rises and falls 7 times, by up to 9.44 MiB, mostly a; lows near 98.6 KiB",
            ),
            // What climbs at the end is told beside many mountains.
            (
                &|i: f64| match i as usize {
                    4..10 => 2e7,
                    i if i > 15 && i < 85 && i % 14 < 6 => 7e6,
                    _ => 1e5 + 1e6 * (i - 88.0).max(0.0),
                },
                "built up, then freed: +19 MiB at 4 s, mostly a, +6.58 MiB at 16 s (a), +10.5 MiB at the end (a), and 4 smaller rises",
            ),
            // What was there in its first sample is freed.
            (
                &|i: f64| match i as usize {
                    0..10 => 7e6 + 2e5 * i,
                    10..40 => 9e6,
                    40..50 => 1e5,
                    _ => 1e5 + 1e6 * (i - 50.0).min(12.0),
                },
                "no leak: climbs by 11.4 MiB from 50 s to 62 s, mostly a, then level near 11.5 MiB; before that 8.58 MiB at 39 s (a), freed",
            ),
            // The level that is left is freed by its exit.
            (
                &|i: f64| match i as usize {
                    0..60 => 3e6 + 1e5 * i,
                    60..98 => 3e6,
                    _ => 1e4,
                },
                "built up, then freed: +5.63 MiB to 8.49 MiB until 59 s, mostly a, then level near 2.86 MiB, freed by the exit",
            ),
            (&|_| 1e6, "no leak: the heap stays near 978 KiB"),
            (&|i: f64| 4e6 - 1e4 * i, "no leak: the heap falls from 3.82 MiB to 2.87 MiB"),
            (&|i: f64| 4e6 - 7e3 * i, "no leak: the heap stays between 3.15 MiB and 3.82 MiB"),
        ] {
            let found = headline(&[("b", &|_| 1000.0), ("a", of)]);
            assert!(found.starts_with(says), "{found}");
        }
    }

    #[test]
    fn the_headline_says_who_of_several_bands_did_it() {
        let moves = headline(&[("in", &|i| 1e6 + 1e5 * i), ("out", &|i| 2e7 - 1e5 * i)]);
        assert!(moves.starts_with("no leak: the heap stays near 20 MiB; in +9.44 MiB"), "{moves}");
        let before_exit = |i: f64, bytes: f64| if i < 99.0 { bytes } else { 1e4 };
        let over =
            headline(&[("base", &|i| before_exit(i, 4e6)), ("in", &|i| before_exit(i, 5e3 * i))]);
        let says = "grew until the program ended: in +479 KiB until 98 s, in a heap of 4.28 MiB; freed by the exit";
        assert!(over.starts_with(says), "{over}");
        // It is forced as the program ends, to what is as high or a tenth higher.
        for (last, says) in [(98e5, ""), (112e5, "; climbs by 1.43 MiB as the program ends (b)")] {
            let (before, after) = (
                |i: f64| if i < 98.0 { 1e5 * i } else { 1e4 },
                |i: f64| if i < 98.0 { 1e4 } else { last },
            );
            let forced = headline(&[("a", &before), ("b", &after)]);
            let until_exit = "grew until the program ended: +9.25 MiB until 97 s, mostly a";
            assert_eq!(forced, format!("{until_exit}{says}"));
        }
        // Another band is large in the last sample.
        let spike = |i: f64| if i == 98.0 { 6e6 } else { 1e4 };
        let spiked = headline(&[("up", &|i| before_exit(i, 5e4 * i)), ("spike", &spike)]);
        let says = "grew until the program ended: +10.1 MiB (5.76 MiB of that since 97 s) from 6 s to 98 s (up, spike); freed by the exit";
        assert_eq!(spiked, says);
        // Who made most of it, until another took its place.
        let early = |i: f64| 1e5 * i.min(80.0) - 799e4 * (i - 88.0).clamp(0.0, 1.0);
        let late = |i: f64| 9e6 * (i - 88.0).clamp(0.0, 1.0);
        let taken = headline(&[("early", &early), ("late", &late)]);
        assert!(taken.contains("(early, late)"), "{taken}");
        // What it still holds is less than what the other does.
        let left = |i: f64| before_exit(i, 1e5 * i.min(80.0) - 5e5 * (i - 80.0).clamp(0.0, 9.0));
        let takes = |i: f64| before_exit(i, 7e5 * (i - 80.0).max(0.0));
        let taken = headline(&[("early", &left), ("late", &takes)]);
        assert!(taken.contains("(late, early)"), "{taken}");
        // Beside others who held more together, or one who held nearly as much, that is no news.
        for beside in [&[8e4, 8e4][..], &[94e3]] {
            let line = |rate: &f64| {
                let rate = *rate;
                move |i: f64| before_exit(i, rate * i)
            };
            let lines: Vec<_> = beside.iter().map(line).collect();
            let mut bands: Vec<(&str, Curve<'_>)> = vec![("early", &early), ("late", &late)];
            bands.extend(["x", "y"].into_iter().zip(lines.iter().map(|line| line as Curve<'_>)));
            let taken = headline(&bands);
            assert!(!taken.contains("early"), "{taken}");
        }
        let peaks = |i: f64| if (i + 10.0) % 30.0 < 4.0 { 1e7 } else { 1e5 };
        let besides = headline(&[("up", &|i| 1e6 + 1e4 * i), ("peaks", &peaks)]);
        let says = "; besides 3 peaks of up to 11.3 MiB (peaks), freed";
        assert!(besides.ends_with(says), "{besides}");
        // It is high in its last samples only.
        let last = |i: f64| if (i + 24.0) % 30.0 < 4.0 { 1e7 } else { 1e5 };
        let besides = headline(&[("up", &|i| 1e6 + 1e4 * i), ("peaks", &last)]);
        assert!(!besides.contains("in a heap"), "{besides}");
        // What wavers beside a slow leak is no part of it.
        let wavers = |i: f64| 1e8 - 6e5 * f64::from(i > 40.0 && i < 75.0);
        let slow = headline(&[("up", &|i| 1e4 * i), ("wavers", &wavers)]);
        let says = "grows slowly: up grew by 967 KiB since the start (9.77 KiB/s), in a heap of";
        assert!(slow.starts_with(says), "{slow}");
        // Another band is a third of the growth, unless it made that in the first half.
        for (jumps, part) in [(72.0, ", 66 % of the heap's growth; jumps +4.77 MiB"), (40.0, "")] {
            let jump = |i: f64| if i < jumps { 0.0 } else { 5e6 };
            let also = headline(&[("up", &|i| 1e6 + 1e5 * i), ("jumps", &jump)]);
            let says = "likely leak: up grew by 9.44 MiB since the start (97.7 KiB/s)";
            assert_eq!(also, format!("{says}{part}"));
        }
        // It is less than half, and another gained more, which may be one that stays.
        let jump = |i: f64| if i < 88.0 { 0.0 } else { 8e6 };
        let less = headline(&[("up", &|i| 5e5 + 5e4 * i), ("jumps", &jump)]);
        let says = "possible leak: up grew by 4.72 MiB since the start (48.8 KiB/s), 38 % of the heap's growth; \
                    jumps +7.63 MiB";
        assert_eq!(less, says);
        // From low to low of a sawtooth it is all of the growth, if the run ends within a tooth or not.
        let saw = |i: f64| 1e6 * (i % 15.0);
        let jump = |i: f64| 4e6 * f64::from(i > 50.0);
        let under = headline(&[("up", &|i| 1e6 + 1e5 * i), ("saw", &saw), ("jump", &jump)]);
        let says = "up grew by 9.44 MiB since the start (97.7 KiB/s), 69 % of the heap's growth";
        assert!(under.contains(says), "{under}");
        // Several bands slow down together, in few samples.
        let slows = |i: f64| 1e6 * (i + 1.0).sqrt().sqrt();
        let beside: [Curve<'_>; 2] = [&slows, &|i| 1e6 + 5e4 * i];
        let is_slow = beside.map(|beside| {
            let both = curves(20, &[("a", &|i| 1.1 * slows(i)), ("b", beside)]).finish();
            let both = Analysis::account_of(&Slice::whole(&both), &[]).headline().to_string();
            assert!(both.starts_with("possible leak: a and 1 more grew by"), "{both}");
            both.ends_with(", slower and slower")
        });
        assert_eq!(is_slow, [true, false]);
        // What is lost at the exit grew under a sawtooth.
        let teeth = |i: f64| before_exit(i, 5e5 * (i % 10.0) + 1e6 * f64::from(i % 20.0 < 10.0));
        let under = headline(&[("teeth", &teeth), ("in", &|i| before_exit(i, 5e3 * i))]);
        assert!(under.ends_with("; in +479 KiB until the program ended"), "{under}");
        let under = verdict(&[("teeth", &teeth), ("in", &|i| before_exit(i, 3e4 * i))]);
        let says = "grew until the program ended: in +2.8 MiB; the heap rises and falls 9 times";
        assert!(under.headline().to_string().starts_with(says), "{}", under.headline());
        assert_eq!(under.shape(), Some(Shape::GrewToExit));
        // In few samples, who comes last is who made it.
        let spike = |i: f64, at: f64, bytes: f64| if (i - at).abs() < 0.5 { bytes } else { 1e4 };
        let took = headline(&[
            ("soon", &|i| spike(i, 51.0, 4e6)),
            ("last", &|i| spike(i, 52.0, 9e6) + spike(i, 53.0, 9e6)),
        ]);
        assert!(took.contains(", mostly last"), "{took}");
        // All of it comes in the last sample.
        let last = verdict(&[("low", &|_| 1e4), ("last", &|i| 9e6 * f64::from(i > 98.0))]);
        assert_eq!((last.leak, last.shape()), (Leak::Unknown, Some(Shape::Grows)));
        let says = "climbs at the end: the heap stays near 9.77 KiB; climbs by 8.58 MiB as the program ends (last)";
        assert_eq!(last.headline().to_string(), says);
        // It goes on where the heap is level.
        let gives = |i: f64| before_exit(i, 4e5 * i.min(20.0) - 1e5 * (i - 20.0).max(0.0));
        let goes_on = |i: f64| before_exit(i, 1e5 * (i + i.min(20.0)));
        let level = headline(&[("gives", &gives), ("goes on", &goes_on)]);
        assert!(level.ends_with("; goes on +11.1 MiB until the program ended"), "{level}");
        // It begins with what makes a tenth of it.
        let since = headline(&[
            ("most", &|i| 1e6 + 1e6 * (i - 30.0).max(0.0)),
            ("little", &|i| 1e5 + 2e4 * i),
        ]);
        assert!(since.contains(" and 1 more grew by 67.7 MiB since 29 s"), "{since}");
        // A band made a part of what grew until the program ended.
        let half = headline(&[
            ("base", &|i| before_exit(i, 9e6)),
            ("in", &|i| before_exit(i, 7e3 * i)),
            ("too", &|i| before_exit(i, 4e3 * i)),
        ]);
        assert!(half.contains("in a heap of 9.61 MiB, 64 % of the heap's growth"), "{half}");
        // It only takes the place of others.
        let gives = |i: f64| before_exit(i, 1e6 * i.min(10.0) - 1e5 * (i - 10.0).max(0.0));
        let takes = |i: f64| before_exit(i, 1e5 * i);
        let level = headline(&[("gives", &gives), ("takes", &takes)]);
        assert!(level.starts_with("no leak: climbs by 9.44 MiB until 10 s"), "{level}");
        // What was there before the growth is told with it.
        let base = headline(&[("up", &|i| 1e7 + 1e5 * i)]);
        let says = "likely leak: up grew by 9.44 MiB to 19 MiB since the start (97.7 KiB/s)";
        assert!(base.starts_with(says), "{base}");
        // What was built up is freed, and others take its place.
        let hill = |i: f64| if i < 90.0 { 1e5 * i } else { 0.0 };
        let others = |i: f64| if i < 90.0 { 1e6 } else { 1.2e7 };
        let evaluated = headline(&[("thunks", &hill), ("records", &others)]);
        assert!(evaluated.starts_with("climbs at the end: +10.5 MiB"), "{evaluated}");
        let slow = headline(&[("up", &|i| 1e6 + 1e4 * i), ("saw", &|i| 1e7 * (i % 60.0) / 60.0)]);
        assert!(slow.contains("up +"), "{slow}");
    }
}
