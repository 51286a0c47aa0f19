//! A verdict in words: first the fact, then its interpretation. The words always state how long the
//! run was observed, and claim no more than was observed.

use super::{
    Ends, FEWEST_SAMPLES, Headline, Kind, Leak, Manner, Moved, Movement, MovementKind, Remark,
    Rise, RunEnd, SamplingAdvice, Shape, Verdict,
};
use crate::base::sentence::{Sentence, joined, part_of_unit, rounded, row_name, say, size};
use crate::base::units::{Nanos, count, percent_text};
use crate::profile::{Clock, Tells};
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
const MANY: usize = 10;
const SPREAD_PERCENT: f64 = 10.0;
/// Other bands fell if they did by this share of the difference or more.
const HALF_OF_IT: f64 = 0.5;

/// Whether two ends of a range are as near to each other as those of a level curve.
fn is_level(low: u64, high: u64) -> bool {
    (high - low) as f64 <= super::clock::LEVEL * high as f64
}

/// What to change where thunks pile up.
pub const THUNKS_PILE_UP: &str = "Thunks pile up, as in a lazy accumulator: force it with a bang pattern, \
                                  foldl', modifyIORef', or Data.Map.Strict.";

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
fn kept(percent: f64) -> Sentence {
    let share = percent / 100.0;
    let power = if share * (1u64 << 20) as f64 >= 1.0 { 2 } else { 3 };
    let (unit, kept) = (part_of_unit(1.0, power), part_of_unit(share, power));
    say!["of ", unit, " that it allocates, ", kept, " are never freed"]
}

/// A place in a run: `1.5 s`, or `sample 12` where samples have no times.
pub fn place_text(time: Option<Nanos>, sample: usize) -> String {
    time.map_or_else(|| format!("sample {}", sample + 1), |time| time.to_string())
}

impl Rise {
    /// Since when it grows: `the start`, `1.5 s`, or `sample 12`.
    pub fn since_text(&self) -> String {
        match self.from_start {
            true => "the start".to_owned(),
            false => place_text(self.since, self.since_sample - 1),
        }
    }

    /// It by its name: that of its row, if it is one.
    pub(crate) fn name(&self) -> Sentence {
        row_name(self.row.map(RowId::index), &self.label)
    }

    /// `THUNK grew by 20.7 MiB since the start, 99 % of the growth`.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only `check` says it"))]
    pub(crate) fn growth(&self) -> Sentence {
        let share = format!(", {:.0} % of the growth", self.share_percent);
        say![self.name(), " grew by ", size(self.grew), " since ", self.since_text(), share]
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

    /// It in words: `built up, then freed`.
    pub fn words(self) -> &'static str {
        match self {
            Shape::Level => "level",
            Shape::BuiltUp => "built up, then freed",
            Shape::GrewToExit => "grew until the program ended",
            Shape::Grows => "grows",
        }
    }
}

impl Headline {
    /// What it is called, besides the grades of a leak.
    fn name(&self) -> Option<&'static str> {
        match self {
            Headline::Rose { ends: Ends::Freed, rise, left, .. }
                if *left > rise.change().unsigned_abs() / 2 =>
            {
                Some("not growing at the end")
            }
            Headline::Rose { ends: Ends::Freed, .. } => Some("built up, then freed"),
            Headline::Rose { ends: Ends::UntilTheProgramEnded, .. } => {
                Some("grew until the program ended")
            }
            Headline::Rose { ends: Ends::ToTheEnd, .. } => Some("climbs at the end"),
            Headline::GrowsSlowly => Some("grows slowly"),
            Headline::TooFew
            | Headline::TwoProcesses
            | Headline::Leak
            | Headline::Excused
            | Headline::Moved { .. }
            | Headline::Rounds { .. }
            | Headline::Rose { ends: Ends::LevelSince, .. }
            | Headline::Fell { .. }
            | Headline::Level { .. } => None,
        }
    }
}

impl Verdict {
    /// The verdict in a few words. While the program is running, it describes what was seen so far: only
    /// the end of the run can show whether that is a leak.
    pub(crate) fn grade(&self) -> &'static str {
        match (self.headline.name(), self.leak) {
            (Some(name), _) => name,
            // The headline also tells what grows outside of it.
            (None, Leak::None) if self.off_heap().or(self.held()).is_some() => {
                "no leak of live data"
            }
            (None, leak) if self.end != RunEnd::Running => leak.words(),
            (None, Leak::Unknown) => "too early to tell",
            (None, Leak::None) => "no growth so far",
            (None, Leak::Possible | Leak::Likely) => "growing so far",
        }
    }

    /// Whether the program is still running, so that more is to come.
    pub(crate) fn is_so_far(&self) -> bool {
        self.end == RunEnd::Running
    }

    /// The headline: the verdict in a few words, and the fact behind it.
    pub fn headline(&self) -> Sentence {
        let verdict = say![self.grade(), ": ", self.fact()];
        joined(self.outside_words().into_iter().chain([verdict]), "; ")
    }

    /// The same without the verdict.
    #[cfg_attr(not(feature = "report"), allow(dead_code, reason = "verbs and pages say it"))]
    pub(crate) fn facts(&self) -> Sentence {
        joined(self.outside_words().into_iter().chain([self.fact()]), "; ")
    }

    /// Whether the headline says more than that nothing happened.
    pub(crate) fn is_news(&self) -> bool {
        self.leak >= Leak::Possible
            || self.headline.name().is_some()
            || self.off_heap().or(self.held()).is_some()
    }

    /// What the process or the run-time system holds more and more of, besides live data:
    /// `grows off the heap: +40 MiB in 10 s (malloc, FFI, a C library)`.
    pub(crate) fn outside_words(&self) -> Vec<Sentence> {
        let one = |rise: &Rise, what: &'static str| {
            let time = rise.since.zip(rise.until).map_or(Nanos::ZERO, |(a, b)| b.since(a));
            say![what, ": +", size(rise.grew), format!(" in {time}{}", of_cpu(self.clock))]
        };
        let off_heap = self
            .off_heap()
            .map(|rise| say![one(rise, "grows off the heap"), " (malloc, FFI, a C library)"]);
        let held = self.held().map(|rise| {
            let why = " held at the end, far more than is live: fragmented blocks)";
            say![one(rise, "memory held grows"), " (", size(rise.at_end), why]
        });
        off_heap.into_iter().chain(held).collect()
    }

    /// The fact on which the verdict is based.
    pub fn fact(&self) -> Sentence {
        match &self.headline {
            Headline::TooFew => {
                let samples = count(self.samples, "sample");
                format!("{samples}; {FEWEST_SAMPLES} are needed, 30 are better").into()
            }
            Headline::TwoProcesses => {
                "two processes wrote their samples into this file in turn, as after a fork".into()
            }
            Headline::Leak => self.grew(),
            Headline::GrowsSlowly => self.grew_slowly(),
            Headline::Excused => {
                let (why, all) = self.excused();
                say!["all that grows is ", why, ": ", all]
            }
            Headline::Rose { rise, ends, left, range, earlier } => {
                let earlier = earlier.as_ref().map(|rise| {
                    let until = place_text(rise.to, rise.to_sample - 1);
                    let gain = size(rise.change().unsigned_abs());
                    say!["; before that +", gain, format!(" until {until}")]
                });
                let rose = self.rose(rise, *ends, *left, *range);
                say![rose, earlier.unwrap_or_default(), self.not_counted()]
            }
            Headline::Moved { bands } => {
                let moved = "bands change places, and the heap stays about the same: ";
                say![moved, bands_words(bands), self.not_counted()]
            }
            Headline::Rounds { times, rise, left } => {
                let by = rise.change().unsigned_abs();
                let times = format!("the heap rises and is freed again, {times} times, by up to ");
                let end = match *left > by / 10 {
                    true => say!["; it ends ", size(*left), " above its last low"],
                    false => Sentence::default(),
                };
                say![times, size(by), end, self.not_counted()]
            }
            Headline::Fell { from, to } => {
                say!["the heap falls from ", size(*from), " to ", size(*to), self.not_counted()]
            }
            Headline::Level { low, high } => {
                say!["the heap stays ", stays(*low, *high), self.not_counted()]
            }
        }
    }

    /// Why what is excused may grow, and what that is.
    fn excused(&self) -> (&'static str, Sentence) {
        let one = |known: &Rise| say![known.name(), " +", size(known.grew)];
        let all = joined(self.excused.iter().take(3).map(one), ", ");
        let is_compact = |rise: &Rise| rise.kind == Some(Kind::CompactRegion);
        match self.excused.iter().all(is_compact) {
            true => ("in a compact region, which the program fills", all),
            false => ("accepted", all),
        }
    }

    /// What of the heap the fact leaves out.
    fn not_counted(&self) -> Sentence {
        let (why, all) = self.excused();
        match self.excused.is_empty() {
            true => Sentence::default(),
            false => say!["; besides ", all, format!(" ({why})")],
        }
    }

    fn rose(&self, rise: &Movement, ends: Ends, left: u64, (low, high): (u64, u64)) -> Sentence {
        let change = rise.change().unsigned_abs();
        let gain = size(change);
        let bands = match rise.bands.is_empty() {
            true => Sentence::default(),
            false => say![" (", bands_words(&rise.bands), ")"],
        };
        let until = place_text(rise.to, rise.to_sample - 1);
        let is_all = left <= change / 10;
        let rest = if is_all { "nothing".into() } else { size(left) };
        match ends {
            Ends::ToTheEnd => {
                let way_out = if self.is_so_far() { "" } else { ": let it run longer" };
                let (part, share) = self.last_part(rise);
                // Most of a run is short only if it has few samples, as before and after a gap.
                let why = match share > 50.0 {
                    true => ", too few samples to judge",
                    false => ", too short to judge",
                };
                say!["+", gain, format!(" {part}"), bands, why, way_out]
            }
            Ends::UntilTheProgramEnded => {
                let until = format!(" until {until}");
                let freed = if left > change / 2 { "partly freed" } else { "freed" };
                say!["+", gain, until, bands, ", then ", freed, ": ", rest, " of it is left"]
            }
            Ends::Freed if left > change / 2 => {
                let (top, end) =
                    (size(rise.to_bytes), size(u128::from(rise.from_bytes) + u128::from(left)));
                let at = format!(" at {until}, after +");
                say![top, at, gain, bands, "; ", end, " at the end"]
            }
            Ends::Freed => {
                say![gain, format!(" until {until}"), bands, ", ", rest, " of it left at the end"]
            }
            Ends::LevelSince => {
                let then = match left < change.div_ceil(2) {
                    true => "near that until the program ended, which freed it".into(),
                    false => stays(low, high),
                };
                say!["the heap climbs by ", gain, format!(" until {until}, then stays "), then]
            }
        }
    }

    /// `in the last 0.6 s, 18 % of the run`, and how many percent of the run that is.
    fn last_part(&self, rise: &Movement) -> (String, f64) {
        match (rise.from, self.until, self.observed) {
            (Some(from), Some(until), Some(observed)) if observed > Nanos::ZERO => {
                let part = until.since(from);
                let share = 100.0 * part.as_seconds() / observed.as_seconds();
                (format!("in the last {part}, {} of the run", percent_text(share)), share)
            }
            _ => (format!("since sample {}", rise.from_sample), 0.0),
        }
    }

    fn grew(&self) -> Sentence {
        let pace = match self.rate > 0.0 {
            true => say![" (", rate(self.rate, self.clock), ")"],
            false => Sentence::default(),
        };
        let Some(first) = self.suspects.first() else { return pace };
        let since = format!(" since {}", first.since_text());
        if first.row.is_some() && self.growing >= MANY && first.share_percent < SPREAD_PERCENT {
            let bands = format!("{} bands grew by ", self.growing);
            let others = ", none of them by much: the largest is ";
            let largest = say![first.name(), ", +", size(first.grew)];
            return say![bands, size(self.grew), " together", since, others, largest, pace];
        }
        let others = match self.growing {
            0 | 1 => Sentence::default(),
            n => say![format!("; {n} bands together by "), size(self.grew)],
        };
        let end = match (first.manner, self.is_so_far() || !first.rises_at_end, first.row) {
            (Manner::Steps, ..) => match first.steps {
                Some(steps) => format!(" in {steps} steps"),
                None => String::new(),
            },
            (_, true, _) => String::new(),
            (_, false, Some(_)) => " and was still growing at the end".to_owned(),
            (_, false, None) => " and were still growing at the end".to_owned(),
        };
        say![first.name(), " grew by ", size(first.grew), since, end, others, pace]
    }

    fn grew_slowly(&self) -> Sentence {
        let Some(first) = self.suspects.first() else { return Sentence::default() };
        const MEBIBYTE: u64 = 1 << 20;
        let every = MEBIBYTE as f64 / first.rate;
        let pace = match (first.rate > 0.0, self.clock) {
            (false, _) => Sentence::default(),
            (true, Clock::Sample) => {
                say![", ", size(MEBIBYTE), format!(" every {every:.0} samples")]
            }
            (true, clock @ (Clock::Elapsed | Clock::Mutator)) => {
                let time = Nanos::from_nanos((1e9 * every) as i64);
                say![", ", size(MEBIBYTE), format!(" every {time}{}", of_cpu(clock))]
            }
        };
        let since = format!(" since {}", first.since_text());
        say![first.name(), " +", size(first.grew), since, pace]
    }

    /// What the fact is a part of, and what no machine changes about it: clauses without a full stop.
    pub fn details(&self) -> Vec<Sentence> {
        let mut details = Vec::new();
        if self.suspects.first().is_some_and(|first| first.row.is_some()) {
            let heap = size(self.heap_grew.unsigned_abs());
            let share = self.grew as f64 / self.heap_grew as f64;
            let missing = self.grew.saturating_sub(self.heap_grew.max(0).unsigned_abs()) as f64;
            // Medians at the ends can differ without any band that fell.
            let fell = match self.others_fell as f64 >= HALF_OF_IT * missing && missing > 0.0 {
                true => ", because other bands shrank".into(),
                false => Sentence::default(),
            };
            details.push(if self.heap_grew <= 0 {
                say!["in that time the whole heap fell by ", heap, fell]
            } else if share > 1.05 {
                say!["in that time the whole heap grew by only ", heap, fell]
            } else if share >= 0.95 {
                say!["that is all of the heap's growth in that time (", heap, ")"]
            } else {
                let share = format!("that is {} of the ", percent_text(100.0 * share));
                say![share, heap, " that the heap grew by in that time"]
            });
        }
        let differs = |rate: &f64| (rate / self.rate - 1.0).abs() > 0.1;
        let running = self.running_rate.filter(differs);
        let running = running.map(|running| {
            say!["not counting garbage collection: ", rate(running, Clock::Elapsed)]
        });
        details.extend(running.into_iter().chain(self.kept_percent.map(kept)));
        details
    }

    /// What the next run should do to be sampled better, if this one could have been.
    pub(crate) fn sampling(&self) -> Option<&SamplingAdvice> {
        self.remarks.iter().find_map(|remark| match remark {
            Remark::Sampling(advice) => Some(advice),
            _ => None,
        })
    }

    /// What to change, where the pattern is sure.
    pub fn cure(&self) -> Option<&'static str> {
        let traits = self.breakdown.traits();
        let moved: Vec<(&str, f64)> = match &self.headline {
            Headline::Rose { rise, ends: Ends::Freed | Ends::UntilTheProgramEnded, .. } => {
                rise.bands.iter().map(|band| (&*band.label, band.change as f64)).collect()
            }
            Headline::Leak | Headline::GrowsSlowly => {
                self.suspects.iter().map(|one| (&*one.label, one.grew as f64)).collect()
            }
            _ => return None,
        };
        let all: f64 = moved.iter().map(|(_, bytes)| bytes).sum();
        let mostly = |is: &dyn Fn(&str) -> bool| {
            let part = moved.iter().filter(|(label, _)| is(label));
            part.map(|(_, bytes)| bytes).sum::<f64>() >= 0.5 * all
        };
        // Thunks that are being evaluated are black holes, and what waits for them is on a stack.
        let is_thunk = |label: &str| (traits.kind_of)(label) == Some(Kind::Unevaluated);
        let is_being_evaluated = |label: &str| {
            is_thunk(label)
                || label == "STACK"
                    && moved.iter().any(|(label, _)| *label == "BLACKHOLE" && is_thunk(label))
        };
        if mostly(&is_being_evaluated) {
            Some(THUNKS_PILE_UP)
        } else if mostly(&traits.is_function) {
            Some(
                "Functions pile up, as in a state or a difference list that nobody runs: apply it \
                 as it grows.",
            )
        } else if mostly(&|label| label.ends_with("Concurrent.Chan.ChItem")) {
            Some("A channel fills: nobody reads it as fast as it is written; bound it, or read it.")
        } else {
            None
        }
    }

    /// What a verdict of growth does not say, and what to do next; `None` when nothing grows.
    pub fn next_step(&self) -> Option<String> {
        let cure = self.cure().map(str::to_owned);
        if self.leak < Leak::Possible {
            return cure;
        }
        let step = match self.breakdown.traits().tells {
            Tells::Maker => {
                "Run it with +RTS -hy to see its type, with -hr to see what keeps it alive."
            }
            Tells::Place => "To see what keeps it alive, build with -prof and run with +RTS -hr.",
            Tells::Holder => "Run it with +RTS -hy to see its type, with -hc to see who makes it.",
            Tells::Age => "Run it with +RTS -hT or -hy to see what it is.",
            Tells::Content | Tells::Phase | Tells::Unknown => match self.profiled {
                true => "Run it with +RTS -hc to see who makes it.",
                false => {
                    "To see who makes it, build with -prof and run with +RTS -hc; \
                     or build with -finfo-table-map and run with -hi (GHC 9.2 or newer)."
                }
            },
        };
        let first = cure.unwrap_or_else(|| CAUTION.to_owned());
        Some(format!("{first} {step}"))
    }
}

/// What to consider before a cure.
pub const CAUTION: &str = "A cache that is meant to grow would look like this, too.";

/// What follows a time that counts only what the program itself ran.
pub fn of_cpu(clock: Clock) -> &'static str {
    if clock == Clock::Mutator { " of CPU" } else { "" }
}

/// Where a heap stays: `level`, `between 1 MiB and 2 MiB`.
fn stays(low: u64, high: u64) -> Sentence {
    match is_level(low, high) {
        true => "level".into(),
        false => say!["between ", size(low), " and ", size(high)],
    }
}

/// The bands that moved: `THUNK +4.9 MiB, Int +1.2 MiB`.
fn bands_words(bands: &[Moved]) -> Sentence {
    let one = |band: &Moved| {
        let sign = if band.change < 0 { " -" } else { " +" };
        say![row_name(Some(band.row.index()), &band.label), sign, size(band.change.unsigned_abs())]
    };
    joined(bands.iter().take(3).map(one), ", ")
}

impl Movement {
    /// `rose by 10.5 MiB from 8.2 s to 10.2 s: THUNK_2_0 +4.9 MiB, THUNK_1_0 +2.5 MiB`.
    pub fn words(&self) -> Sentence {
        let floor = if self.floor { "the floor " } else { "" };
        let (did, bytes) = match self.kind {
            MovementKind::Rise => ("rose by ", self.change().unsigned_abs()),
            MovementKind::Fall => ("fell by ", self.change().unsigned_abs()),
            MovementKind::Level => ("stayed at ", self.from_bytes),
        };
        let from = place_text(self.from, self.from_sample - 1);
        let to = place_text(self.to, self.to_sample - 1);
        // A step can be shorter than what is written of its times.
        let part = if from == to { format!(" at {to}") } else { format!(" from {from} to {to}") };
        let bands = match self.bands.is_empty() {
            true => Sentence::default(),
            false => say![": ", bands_words(&self.bands)],
        };
        say![floor, did, size(bytes), part, bands]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::profile::Breakdown;
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
            [3.0, 1e-4, 9e-5, 1e-6].map(|percent| kept(percent).to_string()),
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
        let sizes: Vec<f64> = (0..100).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
        let profile = crate::analysis::testing::grown(&[("a", &sizes)], 1.0);
        let mut verdict = Analysis::new(&Slice::whole(&profile), &[]).verdict;
        assert_eq!(verdict.heap_grew, 9_900_000);
        verdict.grew = 1000 << 10;
        verdict.others_fell = 600 << 10;
        let mut detail = |kib: i64| {
            verdict.heap_grew = kib << 10;
            verdict.details().swap_remove(0).to_string()
        };
        for (kib, expected) in [
            (-50, "in that time the whole heap fell by 50 KiB, because other bands shrank"),
            (0, "in that time the whole heap fell by 0 B, because other bands shrank"),
            (950, "in that time the whole heap grew by only 950 KiB, because other bands shrank"),
            (960, "that is all of the heap's growth in that time (960 KiB)"),
            (1050, "that is all of the heap's growth in that time (1.03 MiB)"),
            (1060, "that is 94.3 % of the 1.04 MiB that the heap grew by in that time"),
        ] {
            assert_eq!(detail(kib), expected);
        }
        // Medians at the ends can differ by more than any band fell.
        verdict.others_fell = 20 << 10;
        verdict.heap_grew = 890 << 10;
        let details = verdict.details();
        assert_eq!(details[0].to_string(), "in that time the whole heap grew by only 890 KiB");
        // The rate without collections is another one only if it differs by more than a tenth.
        let mut is_told = |factor: f64| {
            verdict.running_rate = Some(factor * verdict.rate);
            let details = verdict.details();
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
        let profile = crate::analysis::testing::grown(&bands, 1.0);
        let verdict = Analysis::new(&Slice::whole(&profile), &[]).verdict;
        assert_eq!(verdict.suspects.len(), 1, "{verdict:?}");
        let line = verdict.headline().to_string();
        assert!(line.contains("all bands together grew by"), "{line}");
        assert!(line.contains(" and were still growing at the end ("), "{line}");
    }

    #[test]
    fn the_next_step_is_one_that_the_build_allows() {
        let sizes: Vec<f64> = (0..60).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
        let profile = crate::analysis::testing::grown(&[("THUNK", &sizes)], 0.1);
        let verdict = Analysis::new(&Slice::whole(&profile), &[]).verdict;
        let step = |profiled| Verdict { profiled, ..verdict.clone() }.next_step().expect("growth");
        assert!(step(true).ends_with("Run it with +RTS -hc to see who makes it."));
        assert!(step(false).contains("To see who makes it, build with -prof"));
    }

    #[test]
    fn what_piles_up_has_a_cure() {
        let cure = |label: &str| {
            let sizes: Vec<f64> = (0..60).map(|i| 1e6 + 1e5 * f64::from(i)).collect();
            let mut builder = crate::analysis::testing::growing(&[(label, &sizes)], 0.1);
            builder.declare_breakdown(Breakdown::ClosureType);
            Analysis::verdict_of(&Slice::whole(&builder.finish()), &[]).cure()
        };
        assert!(cure("THUNK_1_0").is_some_and(|cure| cure.contains("foldl'")));
        assert!(cure("FUN_1_0").is_some_and(|cure| cure.starts_with("Functions pile up")));
        assert!(cure("base:Control.Concurrent.Chan.ChItem").is_some_and(|c| c.contains("channel")));
        assert_eq!(cure("ghc-prim:GHC.Types.:"), None);
    }

    /// A verdict on two bands that grow, the first twice as fast.
    fn two_grow() -> Verdict {
        let line =
            |rate: f64| -> Vec<f64> { (0..100).map(|i| 1e6 + rate * f64::from(i)).collect() };
        let (fast, slow) = (line(2e5), line(1e5));
        let profile = crate::analysis::testing::grown(&[("slow", &slow), ("fast", &fast)], 1.0);
        let verdict = Analysis::new(&Slice::whole(&profile), &[]).verdict;
        assert_eq!((verdict.leak, verdict.suspects.len()), (Leak::Likely, 2));
        verdict
    }

    #[test]
    fn the_first_suspect_is_named_and_the_others_are_counted() {
        let mut verdict = two_grow();
        let line = |verdict: &Verdict| verdict.headline().to_string();
        assert!(line(&verdict).starts_with("likely leak: fast grew by"), "{}", line(&verdict));
        assert!(line(&verdict).contains("; 2 bands together by "));
        verdict.growing = 5;
        assert!(line(&verdict).contains("; 5 bands together by "));
        verdict.suspects[1].row = None;
        assert_eq!(verdict.details().len(), 1, "the first is a band");
    }

    #[test]
    fn a_running_program_is_described_so_far() {
        let mut verdict = two_grow();
        assert_eq!((verdict.grade(), verdict.is_so_far()), (Leak::Likely.words(), false));
        assert!(verdict.fact().to_string().contains("still growing at the end"));
        verdict.end = RunEnd::Running;
        assert_eq!((verdict.grade(), verdict.is_so_far()), ("growing so far", true));
        assert!(!verdict.fact().to_string().contains("at the end"));
        (verdict.leak, verdict.headline) = (Leak::None, Headline::Level { low: 1, high: 1 });
        assert_eq!(verdict.grade(), "no growth so far");
        let mut suspect = verdict.suspects.swap_remove(0);
        (suspect.since, suspect.since_sample, suspect.from_start) = (None, 12, false);
        assert_eq!(suspect.since_text(), "sample 12");
    }
}
