//! `hunt --again`: whether what the last hunt in a folder found still grows after an edit.
//!
//! A hunt in a program that it built leaves its question and what its first run found beside the build. `--again` asks the
//! same question again by its first run alone, and compares what memory keeps of each byte that the program allocates.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::chain::{self, LinkPart};
use super::tool::own_folder;
use super::{BuildArgs, Pace, cabal};
use crate::analysis::constants::{CHANCE, HALF, MANY, REPAIR, TOLD};
use crate::analysis::{Account, Leak, Rise, RiseEnd, Who, rate};
use crate::base::sentence::{Sentence, joined, name, say, size};
use crate::cli::{Message, Sources};
use crate::profile::{Clock, HeapSeriesKind};
use crate::profile_view::ProfileView;

/// The name of the file of the last hunt, among our builds.
const FILE: &str = "last-hunt.json";

/// What the last hunt asked, and what it found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Last {
    pub build: BuildArgs,
    pub late: bool,
    pub arguments: Vec<String>,
    pub length_ns: i64,
    pub warmup_ns: Option<i64>,
    /// The command that gave the program work.
    pub drive: Option<String>,
    /// How often its runs were sampled.
    pub pace: Pace,
    pub found: Found,
}

/// What the first run of a hunt found, as another run is compared with it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Found {
    /// How the memory that is accused grew, or else the heap.
    growth: Growth,
    /// The exit status of the program, if it ended by itself.
    ended: Option<u8>,
    /// How long it ran.
    wall: Duration,
    /// The most that the heap was before the exit of the program, in bytes.
    high: f64,
    /// Whether the log counts what the program allocated: that is its work, and seconds are it otherwise.
    counts_allocation: bool,
    /// Whether a second is one of the clock on the wall: those of a `.hp` are of the program's own work.
    is_elapsed: bool,
    /// How much work was done where what rose most began to rise, and where that ended; `None` if nothing rose.
    rise: Option<(f64, f64)>,
    /// How what they make grew, which the rest of the heap may hide.
    own: Growth,
    pub makers: Vec<LinkPart>,
    curve: Vec<Seen>,
}

/// What is kept of a sample.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Seen {
    /// The place on the axis.
    at: f64,
    /// The work that was done until then.
    work: f64,
    /// The bytes of all bands.
    bands: f64,
    /// These, or the live bytes if they are more.
    live: f64,
}

/// How memory grew to the end of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Growth {
    /// The memory outside of the heap of which this is, by its name; `None` if it is the heap.
    outside: Option<String>,
    /// Whether these are its live bytes, of which no band has most.
    is_live: bool,
    /// The number of bytes that it gained; 0 if it does not grow.
    gain: f64,
    /// Bytes a second.
    rate: f64,
    /// What it kept of all that was allocated, in percent, if the log counts allocation.
    kept_percent: Option<f64>,
}

/// Whether an edit repaired what a hunt found.
#[derive(Clone, Debug, Serialize)]
pub struct RepairCheck {
    pub outcome: Repair,
    words: Sentence,
    /// What still grows, after a repair.
    left: Sentence,
    /// Places on the axis, and the bytes of all bands there, of the run before the edit.
    #[serde(skip)]
    pub before: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    Repaired,
    NotRepaired,
    Unknown,
}

impl RepairCheck {
    /// The first line of the answer.
    pub fn line(&self) -> Sentence {
        say![self.title(), self.left.clone()]
    }

    /// The outcome with its reason, without what is left.
    pub fn title(&self) -> Sentence {
        say![self.outcome.words(), ": ", self.words.clone()]
    }
}

impl Repair {
    /// The word for it within a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Repair::Repaired => "repaired",
            Repair::NotRepaired => "not repaired",
            Repair::Unknown => "cannot tell whether it is repaired",
        }
    }
}

/// Whether a rise is of memory that is not in the heap.
fn is_outside(rise: &&Rise) -> bool {
    match rise.who {
        Who::Memory => true,
        Who::Heap | Who::Band(_) | Who::Live => false,
    }
}

impl Growth {
    /// That of one rise, or of nothing.
    fn of(rise: Option<&Rise>) -> Growth {
        Growth {
            outside: rise.filter(is_outside).map(|rise| rise.label.clone()),
            is_live: rise.is_some_and(|rise| rise.who == Who::Live),
            gain: rise.map_or(0.0, |rise| rise.gain),
            rate: rise.map_or(0.0, |rise| rise.rate),
            // What does not grow keeps nothing.
            kept_percent: rise.map_or(Some(0.0), |rise| rise.kept_percent),
        }
    }

    /// That of all that some functions make.
    pub fn of_makers(run: &ProfileView<'_>, makers: &[LinkPart], sources: &Sources) -> Growth {
        let made = chain::made_by(run, makers, sources);
        Growth::of(run.account().growth_of(&made).as_ref())
    }

    /// By how much it is more than another growth: by each byte that is allocated, and by each second. The first is the
    /// second where a log does not count allocation.
    fn over(&self, other: &Growth) -> (f64, f64) {
        let of = |one: f64, other: f64| one / other.max(f64::MIN_POSITIVE);
        let by_second = of(self.rate, other.rate);
        let kept = self.kept_percent.zip(other.kept_percent);
        (kept.map_or(by_second, |(one, other)| of(one, other)), by_second)
    }

    /// How the heap grows, as its bands do or as its live bytes do, of which no band may have most; what is accused, if the
    /// heap around it hides that it grows.
    fn of_heap(account: &Account) -> Growth {
        let live = account.outside.iter().find(|rise| rise.who == Who::Live);
        let whole = Growth::of(live.or(account.heap.as_ref()));
        let inside = || account.suspects.iter().filter(|rise| rise.row().is_some());
        let gain = inside().map(|rise| rise.gain).sum::<f64>();
        if whole.gain > 0.0 || gain <= 0.0 {
            return whole;
        }
        Growth {
            gain,
            rate: inside().map(|rise| rise.rate).sum(),
            kept_percent: inside().map(|rise| rise.kept_percent).sum(),
            ..whole
        }
    }
}

impl Found {
    /// What a run found that took so long. `ended` is the exit status of a program that ended by itself.
    pub fn new(
        run: &ProfileView<'_>,
        wall: Duration,
        ended: Option<u8>,
        makers: &[LinkPart],
        sources: &Sources,
    ) -> Found {
        /// The most points of a curve that a picture of this width can show.
        const MOST_POINTS: usize = 400;
        let (account, slice) = (run.account(), run.slice());
        let accused = account.suspects.first();
        let outside = accused.filter(is_outside);
        let step = slice.len().div_ceil(MOST_POINTS).max(1);
        let rose = accused.or(account.told.as_ref());
        let (axis, allocated) = (slice.axis(), slice.work().allocated);
        let work = allocated.as_ref().unwrap_or(&axis);
        let heap = slice.heap();
        let live = &heap[HeapSeriesKind::Live].points;
        let seen = |sample: usize| {
            let bands = slice.total(sample) as f64;
            let until =
                slice.when(sample).map_or(0, |when| live.partition_point(|at| at.0 <= when));
            let live = live[..until].last().map_or(0.0, |(_, bytes)| bytes.get() as f64);
            Seen { at: axis[sample], work: work[sample], bands, live: live.max(bands) }
        };
        let done = |number: usize| work.get(number.saturating_sub(slice.number(0))).copied();
        let rise = rose.and_then(|rose| done(rose.since_sample).zip(done(rose.until_sample)));
        Found {
            growth: match outside {
                Some(outside) => Growth::of(Some(outside)),
                None => Growth::of_heap(account),
            },
            ended,
            wall,
            high: match ended {
                Some(_) => account.heights.high,
                // The last samples only look like an exit.
                None => account.heights.high.max(account.heights.exit),
            },
            counts_allocation: allocated.is_some(),
            is_elapsed: account.clock == Clock::Elapsed,
            rise,
            own: Growth::of_makers(run, makers, sources),
            makers: makers.to_vec(),
            curve: (0..slice.len()).rev().step_by(step).rev().map(seen).collect(),
        }
    }

    /// Whether what this run found is repaired in another run, by what memory keeps of each byte that is allocated, or
    /// else by its rate: a second of one run is not a second of another. `own` is how what the makers of this run make
    /// grows in the other.
    pub fn compared(&self, now: &Found, own: &Growth, account: &Account) -> RepairCheck {
        let (outcome, words) = self.outcome(now, own, account);
        let rest = joined(now.makers.iter().map(|part| name(&part.label)), ", ");
        let is_left =
            outcome == Repair::Repaired && !now.makers.is_empty() && now.growth.gain > 0.0;
        let left = match is_left {
            true => say![" (what is left: ", rest, ", which may be by design)"],
            false => Sentence::default(),
        };
        let before = self.curve.iter().map(|seen| (seen.at, seen.bands)).collect();
        RepairCheck { outcome, words, left, before }
    }

    fn outcome(&self, now: &Found, own: &Growth, account: &Account) -> (Repair, Sentence) {
        let unknown = |words: Sentence| (Repair::Unknown, words);
        if let Some(status) = now.ended.filter(|&status| status != 0 && self.ended != Some(status))
        {
            return unknown(format!("the program ended with exit status {status}").into());
        }
        let before = &self.growth;
        if before.gain <= 0.0 || self.is_all(now) || now.is_elapsed != self.is_elapsed {
            return self.by_peak(now, account);
        }
        let left = match &before.outside {
            Some(label) => Growth::of(account.outside.iter().find(|rise| rise.label == *label)),
            None => Growth::of_heap(account),
        };
        if !account.is_judged() {
            return unknown(account.facts());
        }
        let (factor, by_second) = left.over(before);
        let rates = rates(before, &left, account.clock);
        if factor > 1.0 / CHANCE {
            // The program may allocate so much less that what it keeps by design is more of it.
            return match by_second <= 1.0 / REPAIR {
                true => unknown(say![rates, ", but it does not work as before"]),
                false => (Repair::NotRepaired, rates),
            };
        }
        // A heap that rises and falls hides what rises in it.
        if left.gain <= 0.0 && own.over(&self.own).0 > 1.0 / CHANCE && self.own.gain > 0.0 {
            let makers = joined(self.makers.iter().map(|part| name(&part.label)), ", ");
            let rates = self::rates(&self.own, own, account.clock);
            return (Repair::NotRepaired, say!["what ", makers, " makes grows as before: ", rates]);
        }
        if let Some(words) = self.why_unknown(now, &left, account) {
            return unknown(words);
        }
        // Of what was found, nothing is left: the rest is made by others.
        let of_makers = match self.own.gain > 0.0 {
            true => own.over(&self.own).0,
            false => factor * self.share_in(now),
        };
        let is_gone = of_makers <= 1.0 / REPAIR;
        if factor > 1.0 / REPAIR && !is_gone {
            return (Repair::NotRepaired, say![rates, times_less(factor)]);
        }
        match factor <= 1.0 / REPAIR && by_second > 1.0 / CHANCE {
            true => unknown(say![rates, ", but it does not work as before"]),
            false => (Repair::Repaired, say![rates, times_less(factor)]),
        }
    }

    /// The work that it did.
    fn work(&self) -> f64 {
        self.curve.last().map_or(0.0, |last| last.work)
    }

    /// The share of the work of this run that another one did; `None` if they count it otherwise.
    fn share_done(&self, now: &Found) -> Option<f64> {
        let counts = |found: &Found| (found.counts_allocation, found.is_elapsed);
        (counts(self) == counts(now)).then(|| now.work() / self.work().max(f64::MIN_POSITIVE))
    }

    /// How much of the work another run did, in words.
    fn done(&self, now: &Found) -> String {
        let longer = if now.ended.is_some() { "" } else { " (--for)" };
        match self.share_done(now) {
            Some(share) => format!(
                "{:.0} % of the work of the run before, which had {:.0} % of its rise by then{longer}",
                100.0 * share,
                100.0 * self.reached(now).clamp(0.0, 1.0)
            ),
            None => format!("work that cannot be compared{longer}"),
        }
    }

    /// Whether another run did all of its work: it ended by itself, and much sooner. If it also allocates much less, it may
    /// have had less to do.
    fn is_all(&self, now: &Found) -> bool {
        let counted = self.share_done(now).filter(|_| self.counts_allocation);
        let is_soon = now.ended.is_some() && now.wall < self.wall.mul_f64(HALF);
        is_soon && counted.is_none_or(|share| share >= 1.0 / REPAIR)
    }

    /// Whether what grew was most of the heap.
    fn is_most(&self) -> bool {
        let growth = &self.growth;
        let high = high_at(&self.curve, f64::INFINITY, growth.is_live);
        growth.outside.is_none() && growth.gain >= HALF * high
    }

    /// How much of what rose in this run had risen when it had done as much work as another run.
    fn reached(&self, now: &Found) -> f64 {
        if self.share_done(now).is_none() {
            return 0.0;
        }
        // Of what is only a part of the heap it is known where it rose.
        if let Some((from, to)) = self.rise.filter(|_| self.growth.gain > 0.0 && !self.is_most()) {
            return if now.work() >= to { 1.0 } else { (now.work() - from) / (to - from) };
        }
        let at = |work: f64| high_at(&self.curve, work, self.growth.is_live);
        let base = at(self.curve.first().map_or(0.0, |first| first.work));
        (at(now.work()) - base) / (at(f64::INFINITY) - base).max(1.0)
    }

    /// The part of what grows in another run that is made by those who made it in this one, perhaps by another name.
    fn share_in(&self, now: &Found) -> f64 {
        let is_same =
            |part: &&LinkPart| self.makers.iter().any(|maker| maker.is_function(&part.label));
        now.makers.iter().filter(is_same).map(|part| part.share).sum::<f64>() / 100.0
    }

    /// Why a run that grows less to its end may leak as before. On a busy machine a run does less work, be it this one or that
    /// before: they are compared only as far as both came.
    fn why_unknown(&self, now: &Found, left: &Growth, account: &Account) -> Option<Sentence> {
        let (before, heights) = (&self.growth, account.heights);
        let least = if self.is_most() { TOLD } else { 1.0 / CHANCE };
        if self.reached(now) < least {
            return Some(say!["it did ", self.done(now)]);
        }
        if !self.is_most() && account.samples < MANY {
            let few = format!(
                "{} samples, {MANY} are needed for what was a part of the heap",
                account.samples
            );
            return Some(few.into());
        }
        // The run before may have ended on the way up.
        let was = high_at(&self.curve, now.work(), before.is_live);
        let next = now.curve.partition_point(|seen| seen.work <= self.work());
        let next = now.curve.get(next).map_or(f64::INFINITY, |seen| seen.work);
        let is = high_at(&now.curve, next, before.is_live);
        if self.is_most() && is > was / CHANCE {
            let than = say!["at the same work it is as high as before: ", size(was as u64)];
            return Some(say![than, " -> ", size(is as u64)]);
        }
        let told = account.told.as_ref().filter(|_| before.outside.is_none())?;
        let says = || say![account.grade(), ": ", account.facts()];
        let least = HALF * before.gain;
        match told.end {
            // It was as large, and then stayed so: the run before it may have been too short to see that.
            RiseEnd::Level if told.gain >= least => Some(say![
                "it grows by ",
                size(told.grew()),
                " as before, and is level after that: if it has to load so much, leave that out (--warmup)"
            ]),
            // Most of it is still there where the exit begins, be it that the exit frees it slowly.
            RiseEnd::Freed if account.rounds == 0 && heights.gained(heights.settled) >= least => {
                Some(says())
            }
            RiseEnd::Open | RiseEnd::Climbs | RiseEnd::Exit | RiseEnd::Level | RiseEnd::Freed => {
                let is_unknown = account.leak == Leak::Unknown && left.gain <= 0.0;
                (is_unknown && told.gain > before.gain / REPAIR).then(says)
            }
        }
    }

    /// What did not grow to the end, or ended by itself, or has another clock, is compared by the highest heap. The leak is
    /// repaired if the program did all of its work with less, or as much as before with a tenth.
    fn by_peak(&self, now: &Found, account: &Account) -> (Repair, Sentence) {
        if self.rise.is_none() {
            return (Repair::Unknown, "the hunt before found nothing that grew".into());
        }
        let bytes = |bytes: f64| size(bytes as u64);
        let less = now.high.max(1.0) / self.high.max(1.0);
        let least = if now.ended.is_some() { CHANCE * CHANCE } else { REPAIR };
        let was = high_at(&self.curve, now.work(), false);
        let is_less = self.reached(now) >= TOLD && now.high <= was / least;
        let words = say!["the most that it holds is ", bytes(self.high), " -> ", bytes(now.high)];
        match less {
            _ if !account.is_judged() => (Repair::Unknown, account.facts()),
            _ if less > 1.0 / (CHANCE * CHANCE) => (Repair::NotRepaired, words),
            _ if self.is_all(now) || is_less => (Repair::Repaired, say![words, times_less(less)]),
            _ => (Repair::Unknown, say![words, ", but it did ", self.done(now)]),
        }
    }
}

/// The most that the heap was until so much work was done: of its bands, or of its live bytes.
fn high_at(curve: &[Seen], work: f64, is_live: bool) -> f64 {
    let until = curve.iter().take_while(|seen| seen.work <= work);
    until.map(|seen| if is_live { seen.live } else { seen.bands }).fold(0.0, f64::max)
}

/// Two growths: by the second, if these rates agree with those by the byte, and otherwise by the byte.
fn rates(before: &Growth, left: &Growth, clock: Clock) -> Sentence {
    let (by_byte, by_second) = left.over(before);
    let apart = (by_second / by_byte.max(f64::MIN_POSITIVE)).max(by_byte / by_second);
    match before.kept_percent.zip(left.kept_percent) {
        Some((was, is)) if apart > CHANCE && is > 0.0 => {
            let percent = |kept: f64| format!("{} %", significant(kept));
            say![percent(was), " -> ", percent(is), " of what it allocates is kept"]
        }
        Some(_) | None => say![rate(before.rate, clock), " -> ", rate(left.rate, clock)],
    }
}

/// That what is left is this share.
fn times_less(share: f64) -> String {
    match share > 0.0 {
        true => format!(", {} times less", significant(1.0 / share)),
        false => String::new(),
    }
}

/// A number in so many digits as are of use.
fn significant(number: f64) -> String {
    let digits = (1.0 - libm::log10(number.abs().max(f64::MIN_POSITIVE)).floor()).clamp(0.0, 6.0);
    format!("{number:.*}", digits as usize)
}

impl Last {
    /// Reads it where the current folder's builds are.
    ///
    /// # Errors
    /// A folder without a hunt, or with that of another version.
    pub fn read() -> Result<Last, Message> {
        let path = own_folder(&cabal::project(), "".as_ref())?.join(FILE);
        let none = |why: &str| {
            Message::error(format!("there is no hunt to repeat: {why}{}", path.display()))
                .hint("hunt with --cabal, --stack or --ghc first, in this folder")
        };
        let text = fs::read(&path).map_err(|_| none("no "))?;
        serde_json::from_slice(&text).map_err(|_| none("another version of heapviz wrote "))
    }

    /// Leaves it for the next hunt.
    pub fn write(&self) -> Result<(), Message> {
        let path = own_folder(&cabal::project(), "".as_ref())?.join(FILE);
        let text = serde_json::to_string(self).expect("plain data");
        fs::write(&path, text)
            .map_err(|error| Message::error(format!("cannot write {}: {error}", path.display())))
    }

    /// The arguments of the program that was hunted.
    pub fn words(&self) -> Vec<OsString> {
        self.arguments.iter().map(OsString::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Curve, curves, growing};
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::Profile;
    use crate::profile_view::ViewOptions;

    fn found(bytes: Curve<'_>, samples: usize, makers: &[(&str, f64)]) -> (Found, Account) {
        found_in(&curves(samples, &[("a", bytes)]).finish(), makers)
    }

    fn found_in(profile: &Profile, makers: &[(&str, f64)]) -> (Found, Account) {
        let options = ViewOptions::default();
        let run = ProfileView::new(profile, &options).expect("a run");
        let part = |(label, share): &(&str, f64)| {
            let label = (*label).to_owned();
            LinkPart { label, place: None, through: None, share: *share }
        };
        let makers: Vec<LinkPart> = makers.iter().map(part).collect();
        let wall = Duration::from_secs_f64(run.slice().axis().last().copied().unwrap_or(0.0));
        (Found::new(&run, wall, None, &makers, &Sources::default()), run.account().clone())
    }

    fn says(before: &Found, now: &(Found, Account)) -> String {
        before.compared(&now.0, &now.0.own, &now.1).line().to_string()
    }

    #[test]
    fn a_repair_is_a_tenth_of_the_growth_and_chance_is_none() {
        let leaks = |rate: f64, samples: usize, makers: &[(&str, f64)]| {
            found(&|at| 1e6 + rate * at, samples, makers)
        };
        let (before, _) = leaks(1e6, 60, &[("parseEntry", 97.0)]);
        for (rate, samples, maker, starts) in [
            (0.0, 60, "parseEntry", "repaired: 977 KiB/s -> 0 B/s"),
            (
                0.9e5,
                60,
                "parseEntry",
                "repaired: 977 KiB/s -> 87.9 KiB/s, 11 times less (what is left: parseEntry",
            ),
            (2e5, 60, "parseEntry", "not repaired: 977 KiB/s -> 195 KiB/s, 5.0 times less"),
            // A local binding is the same function; another one leaks less by design.
            (2e5, 60, "parseEntry.rest", "not repaired: "),
            (
                2e5,
                60,
                "post",
                "repaired: 977 KiB/s -> 195 KiB/s, 5.0 times less (what is left: post",
            ),
            (0.7e6, 60, "post", "not repaired: "),
            (0.8e6, 60, "post", "not repaired: 977 KiB/s -> 781 KiB/s"),
            (2e6, 60, "parseEntry.rest", "not repaired: "),
            (1e6, 8, "parseEntry", "cannot tell whether it is repaired: "),
        ] {
            let words = says(&before, &leaks(rate, samples, &[(maker, 97.0)]));
            assert!(words.starts_with(starts), "{rate} {samples} {maker}: {words}");
        }
    }

    #[test]
    fn what_climbs_at_the_end_or_is_hidden_by_rise_and_fall_is_not_repaired() {
        let profile = |leak: f64, tooth: f64, period: f64| {
            let (leak, tooth) = (|at| 1e6 + leak * at, |at| tooth * (at % period));
            curves(60, &[("audit", &leak), ("batch", &tooth)]).finish()
        };
        let of = |leak: f64, tooth: f64, period: f64| {
            found_in(&profile(leak, tooth, period), &[("audit", 97.0)])
        };
        let (before, _) = of(1e4, 0.0, 40.0);
        let words = says(&before, &of(1e4, 2e6, 40.0));
        assert!(
            words.starts_with("not repaired: what audit makes grows as before: 9.77 KiB/s -> "),
            "{words}"
        );
        assert!(says(&before, &of(0.0, 2e6, 25.0)).starts_with("repaired: 9.77 KiB/s -> 0 B/s"));
        let words = says(&before, &of(0.0, 2e6, 35.0));
        let unknown = "cannot tell whether it is repaired: climbs at the end";
        assert!(words.starts_with(unknown), "{words}");
    }

    #[test]
    fn what_grew_as_far_and_stayed_or_was_freed_in_part_is_not_repaired() {
        let growing =
            |base: f64, samples| found(&|at| 1e6 * (base + at), samples, &[("load", 97.0)]).0;
        let (short, long, large) = (growing(1.0, 30), growing(1.0, 60), growing(80.0, 60));
        let stays = |at: f64| 1e6 * (1.0 + at.min(35.0));
        let again = |at: f64| 1e6 * (1.0 + at % 30.0);
        let once = |at: f64| 1e6 * if at < 50.0 { 1.0 + at } else { 1.0 };
        let freed = |at: f64| 1e6 * (80.0 + if at < 50.0 { at } else { 35.0 });
        // It falls up to its exit, and is not held in its last sample.
        let falls = |at: f64| {
            let height = 80.0 + at.min(50.0) - 2.5 * (at - 50.0).max(0.0);
            1e6 * if at < 57.0 { height } else { 1.0 }
        };
        let unknown = "cannot tell whether it is repaired: ";
        let as_high = "at the same work it is as high as before: ";
        for (before, now, samples, says_so) in [
            (&long, &stays as Curve<'_>, 60, format!("{unknown}it grows by 33")),
            (&short, &again, 105, format!("{unknown}{as_high}28.6 MiB -> 28.6 MiB")),
            (&short, &|at| again(at) / 2.0, 105, "repaired: ".to_owned()),
            (&long, &once, 60, format!("{unknown}{as_high}57.2 MiB -> 47.7 MiB")),
            (&large, &freed, 60, format!("{unknown}built up, then")),
            (&large, &falls, 60, format!("{unknown}built up, then")),
            (&large, &|_| 8e7, 60, "repaired: ".to_owned()),
        ] {
            let words = says(before, &found(now, samples, &[("load", 97.0)]));
            assert!(words.starts_with(&says_so), "{says_so} {words}");
        }
    }

    #[test]
    fn what_grows_in_bands_may_grow_outside_of_them_in_another_run() {
        let of = |bands: f64, live: f64| {
            let mut builder = curves(60, &[("a", &|at| 1e7 + bands * at)]);
            for at in 0..60_u64 {
                let time = Nanos::from_nanos(i64::try_from(at).unwrap() * 1_000_000_000);
                let live = 1e7 + live * at as f64;
                builder.heap_point(HeapSeriesKind::Live, time, Bytes::new(live as u64));
            }
            found_in(&builder.finish(), &[("a", 97.0)])
        };
        let (inside, outside, level) = (of(1e6, 1e6), of(0.0, 1e6), of(0.0, 0.0));
        for (before, now, starts) in [
            (&inside, &outside, "not repaired: 977 KiB/s -> "),
            (&outside, &inside, "not repaired: 977 KiB/s -> "),
            (&outside, &level, "repaired: "),
        ] {
            let words = says(&before.0, now);
            assert!(words.starts_with(starts), "{words}");
        }
    }

    #[test]
    fn a_program_that_works_otherwise_is_not_compared() {
        // It allocates so many bytes a second.
        let of = |rate: f64, allocates: u64| {
            let mut builder = curves(60, &[("a", &|at| 1e6 + rate * at)]);
            for at in 0..62_u64 {
                let time = Nanos::from_nanos(i64::try_from(at).unwrap() * 1_000_000_000);
                builder.allocated(time, 0, Bytes::new(at * allocates));
            }
            found_in(&builder.finish(), &[("a", 97.0)])
        };
        let (before, _) = of(1e6, 100_000_000);
        for (rate, allocates, starts) in [
            (1e6, 100_000_000, "not repaired: 977 KiB/s -> 977 KiB/s"),
            (0.5e5, 100_000_000, "repaired: 977 KiB/s -> 48.8 KiB/s, 20 times less"),
            // It does half as much in each second.
            (
                0.25e5,
                50_000_000,
                "repaired: 1.0 % -> 0.050 % of what it allocates is kept, 20 times less",
            ),
            // The same leak beside twenty times the work, and the other way round.
            (1e6, 2_000_000_000, "cannot tell whether it is repaired: 1.0 % -> 0.050 % of what"),
            (0.5e5, 5_000_000, "cannot tell whether it is repaired: 1.0 % -> 1.0 % of what"),
        ] {
            let words = says(&before, &of(rate, allocates));
            assert!(words.starts_with(starts), "{rate} {allocates}: {words}");
        }
    }

    /// A run in which a program did some of its work within a minute, seen in so many samples, after each fourth of which it
    /// waited for a processor. Its heap has these bytes after each part of its work.
    fn starved(heap: &dyn Fn(f64) -> f64, work: f64, samples: usize) -> (Found, Account) {
        let done = |at: usize| work * (at - at % 4) as f64 / (samples - 1) as f64;
        let sizes: Vec<f64> = (0..samples).map(|at| heap(done(at))).collect();
        let apart = 60.0 / samples as f64;
        let mut builder = growing(&[("a", &sizes)], apart);
        for at in 0..samples {
            let time = Nanos::from_nanos((apart * at as f64 * 1e9) as i64);
            builder.allocated(time, 0, Bytes::new((1e9 * done(at)) as u64));
        }
        found_in(&builder.finish(), &[("a", 97.0)])
    }

    #[test]
    fn a_run_without_a_processor_proves_no_cure() {
        let straight = |work: f64| 1e6 + 1e8 * work;
        let late = |work: f64| 1e6 + 2e8 * (work - 0.5).max(0.0);
        let teeth = |work: f64| 1e6 + 1e8 * work + 2e7 * (10.0 * work).fract();
        let freed = |work: f64| 1e6 + 1e8 * work.min(3.0 * (1.0 - work).max(0.0));
        let level = |_: f64| 1e6;
        let heaps: [&dyn Fn(f64) -> f64; 4] = [&straight, &late, &teeth, &freed];
        for (number, heap) in heaps.into_iter().enumerate() {
            for (before, now) in [(1.0, 1.0), (1.0, 0.5), (1.0, 0.2), (1.0, 0.1), (0.6, 1.0)] {
                for samples in [61, 31, 17] {
                    let before = starved(heap, before, 61).0;
                    let (mut now, account) = starved(heap, now, samples);
                    for ended in [None, Some(0)] {
                        now.ended = ended;
                        let check = before.compared(&now, &now.own, &account);
                        let words = check.line().to_string();
                        assert_ne!(check.outcome, Repair::Repaired, "{number} {samples} {words}");
                    }
                }
            }
        }
        for (heap, work, starts) in [
            (heaps[0], 1.0, "repaired: "),
            (heaps[0], 0.6, "repaired: "),
            (
                heaps[0],
                0.2,
                "cannot tell whether it is repaired: it did 20 % of the work of the run before",
            ),
            (heaps[1], 0.6, "cannot tell whether it is repaired: it did 60 % of the work"),
            (heaps[1], 0.7, "repaired: "),
            (heaps[3], 0.1, "cannot tell whether it is repaired: the most that it holds is 70.9"),
            (heaps[3], 0.3, "repaired: the most"),
        ] {
            let words = says(&starved(heap, 1.0, 61).0, &starved(&level, work, 61));
            assert!(words.starts_with(starts), "{work} {words}");
        }
        // A part of a large heap needs more samples.
        let large = starved(&|work| 1e8 + 6e7 * work, 1.0, 61).0;
        let of = |samples: usize| says(&large, &starved(&|_| 1e8, 1.0, samples));
        assert!(of(29).ends_with("29 samples, 30 are needed for what was a part of the heap"));
        assert!(of(33).starts_with("repaired: "));
    }

    #[test]
    fn a_program_that_now_ends_soon_is_compared_by_its_height() {
        let (before, _) = found(&|at| 1e6 * at, 60, &[("load", 97.0)]);
        let mut now = found(&|at| 1e4 * at, 20, &[("load", 97.0)]);
        now.0.ended = Some(0);
        let words = says(&before, &now);
        assert!(words.starts_with("repaired: the most that it holds is 56.3 MiB -> "), "{words}");
        // If it did a hundredth of the work, that says nothing.
        let counts = |mut found: Found, work: f64| {
            let last = found.work();
            found.curve.iter_mut().for_each(|seen| seen.work *= work / last);
            Found { counts_allocation: true, rise: Some((0.0, work)), ..found }
        };
        let before = counts(before, 1e9);
        now.0 = counts(now.0, 1e7);
        let words = says(&before, &now);
        assert!(
            words.contains("it did 1 % of the work of the run before, which had 0 % of"),
            "{words}"
        );
        // Without its event log a run has another clock.
        let other = Found { is_elapsed: false, ..before.clone() };
        assert!(says(&other, &now).starts_with("repaired: the most that it holds is 56.3 MiB -> "));
        now.0.ended = None;
        assert!(says(&other, &now).ends_with("but it did work that cannot be compared (--for)"));
        // It need not end, if it did as much.
        now.0 = counts(now.0, 1e9);
        let freed = Found { growth: Growth::default(), ..before };
        assert!(says(&freed, &now).starts_with("repaired: the most"));
        now.0 = counts(now.0, 1e8);
        assert!(says(&freed, &now).ends_with("which had 8 % of its rise by then (--for)"));
    }

    #[test]
    fn a_program_that_fails_is_not_repaired() {
        let (before, _) = found(&|at| 1e6 * at, 60, &[]);
        let mut now = found(&|_| 1e6, 60, &[]);
        assert!(says(&before, &now).starts_with("repaired: "));
        now.0.ended = Some(1);
        let words = says(&before, &now);
        assert!(
            words.starts_with("cannot tell whether it is repaired: the program ended with"),
            "{words}"
        );
        // One that failed before, too, is compared, if something was found.
        let failed = Found { ended: Some(1), ..before };
        assert!(says(&failed, &now).starts_with("repaired: "));
        let nothing = Found { growth: Growth::default(), rise: None, ..failed };
        assert!(says(&nothing, &now).ends_with("the hunt before found nothing that grew"));
    }

    #[test]
    fn what_is_freed_before_the_end_is_compared_by_its_height() {
        let tooth = |height: f64| {
            let size = |at: f64| 1e5 + height * at.min(60.0 - at);
            let (mut found, account) = found(&size, 60, &[("load", 97.0)]);
            found.ended = Some(0);
            (found, account)
        };
        let (before, _) = tooth(1e6);
        assert!(
            says(&before, &tooth(1e5))
                .starts_with("repaired: the most that it holds is 28.7 MiB -> ")
        );
        assert!(says(&before, &tooth(0.9e6)).starts_with("not repaired: the most that it holds"));
        // What a run that did not end holds in its last sample is no exit.
        let late = found(&|at| if at < 59.0 { 1e5 } else { 2.5e7 }, 60, &[]);
        assert!(says(&before, &late).starts_with("not repaired: the most that it holds"));
    }
}
