//! `hunt --again`: whether what the last hunt in a folder found still grows after an edit.
//!
//! A hunt in a program that it built leaves its question and what its first run found beside the build. `--again` asks the
//! same question again by its first run alone, and compares what memory keeps of each byte that the program allocates, and in
//! each second: only what is less by both is a repair. Two runs are compared as far as both came in their work.

use std::fs;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::chain::{self, LinkPart};
use super::tool::own_folder;
use super::{BuildArgs, Executed, HuntRunEnd, Pace, RunArgs, cabal};
use crate::analysis::constants::{CHANCE, HALF, MANY, REPAIR, TOLD};
use crate::analysis::{Account, Leak, Rise, Who, rate};
use crate::base::sentence::{Sentence, joined, name, say, size};
use crate::base::units::{Nanos, percent_text};
use crate::cli::{Message, Sources};
use crate::compare::times;
use crate::profile::{Clock, HeapSeriesKind};
use crate::profile_view::ProfileView;

/// What is less by more than so many times in one measure than in the other does not work as before.
const APART: f64 = 3.0;

/// The name of the file of the last hunt, among our builds.
const FILE: &str = "last-hunt.json";

/// What the last hunt asked, and what it found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Last {
    pub build: BuildArgs,
    pub how: RunArgs,
    pub warmup: Option<Nanos>,
    pub arguments: Vec<String>,
    /// How often its runs were sampled.
    pub pace: Pace,
    pub found: Found,
}

/// What the first run of a hunt found, as another run is compared with it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Found {
    /// How what is accused grew, or else the heap.
    growth: Growth,
    /// Whether that is memory outside of the heap.
    is_off_heap: bool,
    /// Whether these are its live bytes, of which no band has most: they have the profiler's own words, too.
    is_live: bool,
    /// How memory outside of the heap grew.
    off_heap: Growth,
    /// How what the makers make grew, which the rest of the heap may hide.
    own: Growth,
    /// How a few chunks of the run-time system grew, which are no leak.
    #[serde(skip)]
    system: Growth,
    pub makers: Vec<LinkPart>,
    /// The exit status of the program, if it ended by itself.
    ended: Option<u8>,
    /// How long it ran.
    wall: Duration,
    /// For which part of that it had a processor, or waited by its own choice.
    awake: f64,
    /// Whether the log counts what the program allocated: that is its work, and seconds are it otherwise.
    counts_allocation: bool,
    /// Whether a second is one of the clock on the wall: those of a `.hp` are of the program's own work.
    is_elapsed: bool,
    /// How much work was done where what rose most began to rise, and where that ended; `None` if nothing rose.
    rise: Option<(f64, f64)>,
    curve: Vec<Seen>,
}

/// A sample, as far as it is kept.
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

impl Seen {
    fn bytes(&self, is_live: bool) -> f64 {
        if is_live { self.live } else { self.bands }
    }
}

/// How memory grew to the end of a run.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Growth {
    /// The number of bytes that it gained; 0 if it does not grow.
    gain: f64,
    /// Bytes a second.
    rate: f64,
    /// Bytes a second of the program's own time, without collections and samples.
    own_rate: f64,
    /// What it kept of all that was allocated, in percent, if the log counts allocation.
    kept_percent: Option<f64>,
    /// How often the function that makes most of it was called, if the run counts calls.
    #[serde(default)]
    calls: Option<f64>,
}

/// Whether an edit repaired what a hunt found.
#[derive(Clone, Debug)]
pub struct RepairCheck {
    pub outcome: Repair,
    /// The outcome with its reason.
    pub title: Sentence,
    /// That, and what still grows, after a repair: the first line of the answer.
    pub line: Sentence,
    /// Places on the axis, and the bytes of all bands there, of the run before the edit.
    pub before: Vec<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    Repaired,
    /// It grows less than before, and still grows.
    Less,
    NotRepaired,
    Unknown,
}

impl Repair {
    /// The word for it within a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Repair::Repaired => "repaired",
            Repair::Less => "less, but it still grows",
            Repair::NotRepaired => "not repaired",
            Repair::Unknown => "cannot tell whether it is repaired",
        }
    }
}

impl Growth {
    /// That of some rises together; of none, nothing grows and nothing is kept.
    fn of<'r>(rises: impl Iterator<Item = &'r Rise> + Clone) -> Growth {
        Growth {
            gain: rises.clone().map(|rise| rise.gain).sum(),
            rate: rises.clone().map(|rise| rise.rate).sum(),
            own_rate: rises.clone().map(|rise| rise.running_rate.unwrap_or(rise.rate)).sum(),
            kept_percent: rises.map(|rise| rise.kept_percent).sum(),
            calls: None,
        }
    }

    /// That of all that some functions make.
    pub fn of_makers(run: &ProfileView<'_>, makers: &[LinkPart], sources: &Sources) -> Growth {
        let made = chain::made_by(run, makers, sources);
        let calls = makers.first().map_or(0, |first| chain::calls(run.profile(), &first.label));
        let calls = (calls > 0).then_some(calls as f64);
        Growth { calls, ..Growth::of(run.account().growth_of(&made).iter()) }
    }

    /// That of memory outside of the heap.
    fn off_heap(account: &Account) -> Growth {
        Growth::of(account.outside.iter().filter(|rise| rise.who == Who::Memory))
    }

    /// How the heap grows, as its live bytes do, of which no band may have most, or its bands; what is accused, if the heap
    /// around it hides that it grows.
    fn of_heap(account: &Account) -> Growth {
        let live = account.outside.iter().find(|rise| rise.who == Who::Live);
        match Growth::of(live.or(account.heap.as_ref()).into_iter()) {
            Growth { gain, .. } if gain <= 0.0 => {
                Growth::of(account.suspects.iter().filter(|rise| rise.row().is_some()))
            }
            whole => whole,
        }
    }

    /// What is left of it without a part of it.
    fn without(self, part: &Growth) -> Growth {
        let less = |all: f64, part: f64| (all - part).max(0.0);
        let kept = self.kept_percent.zip(part.kept_percent);
        Growth {
            gain: less(self.gain, part.gain),
            rate: less(self.rate, part.rate),
            own_rate: less(self.own_rate, part.own_rate),
            kept_percent: kept.map(|(all, part)| less(all, part)).or(self.kept_percent),
            ..self
        }
    }

    /// Which part of another growth this is: by each byte that is allocated, and by each second. The first is the second
    /// where a log does not count allocation.
    fn part_of(&self, other: &Growth) -> (f64, f64) {
        let part = |one: f64, other: f64| one / other.max(f64::MIN_POSITIVE);
        let by_second = part(self.rate, other.rate);
        let kept = self.kept_percent.zip(other.kept_percent);
        (kept.map_or(by_second, |(one, other)| part(one, other)), by_second)
    }
}

impl Found {
    /// What a run found.
    pub fn new(
        run: &ProfileView<'_>,
        executed: &Executed,
        makers: &[LinkPart],
        sources: &Sources,
    ) -> Found {
        /// The most points of a curve that a picture of this width can show.
        const MOST_POINTS: usize = 400;
        let (account, slice) = (run.account(), run.slice());
        let accused = account.suspects.first();
        let is_off_heap = accused.is_some_and(|rise| rise.who == Who::Memory);
        let step = slice.len().div_ceil(MOST_POINTS).max(1);
        let (axis, allocated) = (slice.axis(), slice.work().allocated);
        let work = allocated.as_ref().unwrap_or(&axis);
        let seen = |sample: usize| {
            let bands = slice.total(sample) as f64;
            let live = chain::figure_at(slice, HeapSeriesKind::Live, sample).max(bands);
            Seen { at: axis[sample], work: work[sample], bands, live }
        };
        let done = |number| work.get(slice.sample(number)).copied();
        let rise = accused.or(account.finding.rise());
        let off_heap = Growth::off_heap(account);
        Found {
            growth: if is_off_heap { off_heap } else { Growth::of_heap(account) },
            is_off_heap,
            is_live: account.outside.iter().any(|rise| rise.who == Who::Live),
            off_heap,
            own: Growth::of_makers(run, makers, sources),
            system: Growth::of(chain::few_chunks(run, &account.rises).into_iter()),
            makers: makers.to_vec(),
            ended: (executed.ended == HuntRunEnd::Itself).then_some(executed.exit),
            wall: executed.wall,
            awake: 1.0 - executed.delayed.as_secs_f64() / executed.wall.as_secs_f64().max(1e-3),
            counts_allocation: allocated.is_some(),
            is_elapsed: account.clock == Clock::Elapsed,
            rise: rise.and_then(|rise| done(rise.since_sample).zip(done(rise.until_sample))),
            curve: (0..slice.len()).rev().step_by(step).rev().map(seen).collect(),
        }
    }

    /// Whether what this run found is repaired in another run. `own` is how what the makers of this run make grows in the
    /// other.
    pub fn compared(&self, now: &Found, own: &Growth, account: &Account) -> RepairCheck {
        let (outcome, words) = self.outcome(now, own, account);
        let title = say![outcome.words(), ": ", words];
        let is_left =
            outcome == Repair::Repaired && !now.makers.is_empty() && now.growth.gain > 0.0;
        let line = match is_left {
            true => {
                let left = names(&now.makers);
                say![title.clone(), " (what is left: ", left, ", which may be by design)"]
            }
            false => title.clone(),
        };
        let before = self.curve.iter().map(|seen| (seen.at, seen.bands)).collect();
        RepairCheck { outcome, title, line, before }
    }

    fn outcome(&self, now: &Found, own: &Growth, account: &Account) -> (Repair, Sentence) {
        const REPAIRED: f64 = 1.0 / REPAIR;
        const AS_BEFORE: f64 = 1.0 / CHANCE;
        let before = &self.growth;
        if let Some(status) = now.ended.filter(|&status| status != 0 && self.ended != Some(status))
        {
            let words = format!("the program ended with exit status {status}");
            return (Repair::Unknown, words.into());
        }
        // What moved off the heap grows there.
        let moved = now.off_heap.rate;
        if !self.is_off_heap && moved > CHANCE * self.off_heap.rate + before.rate * REPAIRED {
            let words = say!["memory off the heap grows now: ", rate(moved, account.clock)];
            return (Repair::NotRepaired, words);
        }
        if before.gain <= 0.0 || self.is_all(now) || now.is_elapsed != self.is_elapsed {
            return self.by_peak(now, account);
        }
        if !account.is_judged() {
            let longer = "; let it run longer (--for), or leave its start out (--warmup)";
            return (Repair::Unknown, say![account.facts(), longer]);
        }
        let left = match self.is_off_heap {
            true => now.off_heap,
            false => Growth::of_heap(account).without(&now.system),
        };
        let (by_byte, by_second) = left.part_of(before);
        // On a busy machine a second is less.
        let own_seconds = (left.own_rate / before.own_rate) * (self.awake / now.awake.max(0.05));
        let by_second = if own_seconds.is_finite() { own_seconds } else { by_second };
        let (least, most) = (by_byte.min(by_second), by_byte.max(by_second));
        if least > AS_BEFORE {
            return (Repair::NotRepaired, rates(before, &left, account.clock));
        }
        // A heap that rises and falls hides what rises in it.
        let own_part = own.part_of(&self.own).0;
        if left.gain <= 0.0 && own_part > AS_BEFORE && self.own.gain > 0.0 {
            let words = say!["what ", names(&self.makers), " makes grows as before: "];
            return (Repair::NotRepaired, say![words, rates(&self.own, own, account.clock)]);
        }
        if let Some(words) = self.why_unknown(now, &left, account) {
            return (Repair::Unknown, words);
        }
        let words = rates(before, &left, account.clock);
        // That they differ is no matter where both show a repair.
        if most > APART * least && most > REPAIRED {
            return (Repair::Unknown, say![words, ": it does not work as before"]);
        }
        if most > AS_BEFORE {
            return (Repair::NotRepaired, words);
        }
        // Nothing of what was accused is left, and others make the rest: a byte string is no longer charged to its maker.
        let is_gone = own_part.max(self.share_in(now)) <= REPAIRED && self.own.gain > 0.0;
        // Of a piece of work that takes longer as much may be kept.
        let by_call = self.own.calls.zip(own.calls);
        if by_call.is_some_and(|(was, is)| left.gain / is > AS_BEFORE * before.gain / was) {
            let first = names(&self.makers[..1]);
            let words = say![words, ", but as much as before of each call of ", first];
            return (Repair::Unknown, words);
        }
        match most <= REPAIRED || is_gone {
            true => (Repair::Repaired, words),
            false => (Repair::Less, words),
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

    /// The most that its heap was until so much work was done.
    fn high_at(&self, work: f64, is_live: bool) -> f64 {
        let until = self.curve.iter().take_while(|seen| seen.work <= work);
        until.map(|seen| seen.bytes(is_live)).fold(0.0, f64::max)
    }

    /// Its heap where it began.
    fn base(&self, is_live: bool) -> f64 {
        self.curve.first().map_or(0.0, |first| first.bytes(is_live))
    }

    /// What its heap holds at least before its exit.
    fn held(&self, is_live: bool) -> f64 {
        let part = |sixteenths: usize| self.curve.len() * sixteenths / 16;
        let late = &self.curve[part(11)..part(15)];
        late.iter().map(|seen| seen.bytes(is_live)).fold(f64::INFINITY, f64::min)
    }

    /// Whether what grew was most of the heap.
    fn is_most(&self) -> bool {
        !self.is_off_heap && self.growth.gain >= HALF * self.high_at(f64::INFINITY, self.is_live)
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
        let gained = |work: f64| self.high_at(work, self.is_live) - self.base(self.is_live);
        gained(now.work()) / gained(f64::INFINITY).max(1.0)
    }

    /// The part of what grows in another run that is made by those who made it in this one: a local binding is the same
    /// function as that around it.
    fn share_in(&self, now: &Found) -> f64 {
        let is_same =
            |part: &&LinkPart| self.makers.iter().any(|maker| maker.is_function(&part.label));
        now.makers.iter().filter(is_same).map(|part| part.share).sum::<f64>() / 100.0
    }

    /// Why a run that grows less to its end may leak as before. On a busy machine a run does less work, be it this one or that
    /// before: they are compared only as far as both came.
    fn why_unknown(&self, now: &Found, left: &Growth, account: &Account) -> Option<Sentence> {
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
        if self.is_off_heap {
            return None;
        }
        // The run before may have ended on the way up.
        let was = self.high_at(now.work(), self.is_live);
        let next = now.curve.partition_point(|seen| seen.work <= self.work());
        let is =
            now.high_at(now.curve.get(next).map_or(f64::INFINITY, |seen| seen.work), self.is_live);
        let to = |was: f64, is: f64| say![size(was as u64), " -> ", size(is as u64)];
        if self.is_most() && is > was / CHANCE {
            return Some(say!["at the same work it is as high as before: ", to(was, is)]);
        }
        let (gain, rose) =
            (self.growth.gain, now.high_at(f64::INFINITY, self.is_live) - now.base(self.is_live));
        if account.leak == Leak::Unknown && left.gain <= 0.0 && rose > gain / REPAIR {
            return Some(account.headline());
        }
        // It rose as far, and stayed so: the run before may have been too short to see that.
        let words = || {
            say![
                "it rose as far as before: ",
                to(now.base(self.is_live), now.held(self.is_live)),
                "; if it has to load so much, leave that out (--warmup)"
            ]
        };
        (now.held(self.is_live) - now.base(self.is_live) - left.gain >= HALF * gain).then(words)
    }

    /// What did not grow to the end, or ended by itself, or has another clock, is compared by the highest heap. The leak is
    /// repaired if the program did all of its work with less, or as much as before with a tenth.
    fn by_peak(&self, now: &Found, account: &Account) -> (Repair, Sentence) {
        if self.rise.is_none() {
            return (Repair::Unknown, "the hunt before found nothing that grew".into());
        }
        let [was, is] = [self, now].map(|found| found.high_at(f64::INFINITY, false).max(1.0));
        let part = is / was;
        let least = if now.ended.is_some() { CHANCE * CHANCE } else { REPAIR };
        let is_less = self.reached(now) >= TOLD && is <= self.high_at(now.work(), false) / least;
        let words = say!["the most that it holds is ", size(was as u64), " -> ", size(is as u64)];
        match part {
            _ if !account.is_judged() => (Repair::Unknown, account.facts()),
            _ if part > 1.0 / (CHANCE * CHANCE) => (Repair::NotRepaired, words),
            _ if self.is_all(now) || is_less => (Repair::Repaired, say![words, times_less(part)]),
            _ => (Repair::Unknown, say![words, ", but it did ", self.done(now)]),
        }
    }
}

fn names(makers: &[LinkPart]) -> Sentence {
    joined(makers.iter().map(|part| name(&part.label)), ", ")
}

/// Two growths and how many times less the second is; with what is kept of each byte that is allocated, if that does not
/// agree.
fn rates(before: &Growth, left: &Growth, clock: Clock) -> Sentence {
    let (by_byte, by_second) = left.part_of(before);
    let apart = (by_second / by_byte).max(by_byte / by_second);
    let kept = match apart > APART && apart.is_finite() {
        true => {
            let percent = percent_text(100.0 * by_byte);
            format!("; of each byte that it allocates it keeps {percent} of before")
        }
        false => String::new(),
    };
    say![rate(before.rate, clock), " -> ", rate(left.rate, clock), times_less(by_second), kept]
}

/// That what is left is this part.
fn times_less(part: f64) -> String {
    match part > 0.0 && part < 1.0 / CHANCE {
        true => format!(", {} times less", times(part, 1.0)),
        false => String::new(),
    }
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
        let part = |(label, share): &(&str, f64)| LinkPart::new((*label).to_owned(), None, *share);
        let makers: Vec<LinkPart> = makers.iter().map(part).collect();
        let wall = Duration::from_secs_f64(run.slice().axis().last().copied().unwrap_or(0.0));
        let executed = Executed { wall, ended: HuntRunEnd::Time, ..Executed::default() };
        (Found::new(&run, &executed, &makers, &Sources::default()), run.account().clone())
    }

    fn says(before: &Found, now: &(Found, Account)) -> String {
        before.compared(&now.0, &now.0.own, &now.1).line.to_string()
    }

    #[test]
    fn a_repair_is_a_tenth_of_the_growth() {
        let leaks = |rate: f64, samples: usize, makers: &[(&str, f64)]| {
            found(&|at| 1e6 + rate * at, samples, makers)
        };
        let (before, _) = leaks(1e6, 60, &[("parseEntry", 97.0)]);
        for (rate, samples, maker, starts) in [
            (0.0, 60, "parseEntry", "repaired: 977 KiB/s -> 0 B/s"),
            (
                0.9e5,
                60,
                "post",
                "repaired: 977 KiB/s -> 87.9 KiB/s, 11 times less (what is left: post",
            ),
            (2e5, 60, "post", "less, but it still grows: 977 KiB/s -> 195 KiB/s, 5.0 times less"),
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
    fn what_else_grew_before_may_be_by_design_and_what_moved_may_not() {
        let of = |leak: f64, design: f64, off_heap: f64| {
            let (leak, design) = (|at| 1e6 + leak * at, |at| 1e6 + design * at);
            let mut profile = curves(60, &[("note", &leak), ("post", &design)]).finish();
            let resident = |at: u32| {
                let bytes = 5e7 + f64::from(at) * (1e6 + off_heap);
                (Nanos::from_nanos(i64::from(at) * 1_000_000_000), Bytes::new(bytes as u64))
            };
            profile.set_resident((0..60).map(resident).collect());
            profile
        };
        let (before, _) = found_in(&of(8e5, 2e5, 0.0), &[("note", 80.0)]);
        for (design, off_heap, maker, starts) in [
            (2e5, 0.0, "post", "repaired: 977 KiB/s -> 195 KiB/s, 5.0 times less (what is left: "),
            // The same function; most of it by another name.
            (2e5, 0.0, "note.rest", "less, but it still grows: 977 KiB/s -> 195 KiB/s, 5.0 times"),
            (8e5, 0.0, "post", "not repaired: 977 KiB/s -> 781 KiB/s"),
            (0.0, 2e6, "post", "not repaired: memory off the heap grows now: "),
        ] {
            let profile = of(0.0, design, off_heap);
            let options = ViewOptions::default();
            let run = ProfileView::new(&profile, &options).expect("a run");
            let own = Growth::of_makers(&run, &before.makers, &Sources::default());
            let (now, account) = found_in(&profile, &[(maker, 97.0)]);
            let words = before.compared(&now, &own, &account).line.to_string();
            assert!(words.starts_with(starts), "{design} {off_heap}: {words}");
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
        let unknown = "cannot tell whether it is repaired: peak of 65.8 MiB at 34 s (batch)";
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
            (&long, &stays as Curve<'_>, 60, format!("{unknown}it rose as far as before: ")),
            (&short, &again, 105, format!("{unknown}{as_high}28.6 MiB -> 28.6 MiB")),
            (&short, &|at| again(at) / 2.0, 105, "repaired: ".to_owned()),
            (&long, &once, 60, format!("{unknown}{as_high}57.2 MiB -> 47.7 MiB")),
            (&large, &freed, 60, format!("{unknown}it rose as far as before: ")),
            (&large, &falls, 60, format!("{unknown}it rose as far as before: ")),
            (&large, &|_| 8e7, 60, "repaired: ".to_owned()),
        ] {
            let words = says(before, &found(now, samples, &[("load", 97.0)]));
            assert!(words.starts_with(&says_so), "{says_so} {words}");
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
        let (mut before, _) = of(1e6, 100_000_000);
        before.own.calls = Some(30_000.0);
        for (rate, allocates, starts) in [
            (1e6, 100_000_000, "not repaired: 977 KiB/s -> 977 KiB/s"),
            (0.5e5, 100_000_000, "repaired: 977 KiB/s -> 48.8 KiB/s, 20 times less"),
            // It does half as much in each second.
            (0.25e5, 50_000_000, "repaired: 977 KiB/s -> 24.4 KiB/s, 40 times less"),
            // The same leak beside twenty times the work, and the other way round.
            (
                1e6,
                2_000_000_000,
                "cannot tell whether it is repaired: 977 KiB/s -> 977 KiB/s; of each byte that it allocates it keeps 5.0 % \
                 of before: it does not work as before",
            ),
            (0.5e5, 5_000_000, "cannot tell whether it is repaired: it did 5 % of the work"),
            // Each entry takes thirty times the work, and some more time.
            (
                2.2e5,
                600_000_000,
                "cannot tell whether it is repaired: 977 KiB/s -> 215 KiB/s, 4.5 times less; of each byte that it \
                 allocates it keeps 3.7 % of before: it does",
            ),
        ] {
            let words = says(&before, &of(rate, allocates));
            assert!(words.starts_with(starts), "{rate} {allocates}: {words}");
        }
        // Each entry takes twenty times the work, and that is all that it does.
        let mut now = of(0.5e5, 100_000_000);
        now.0.own.calls = Some(1_500.0);
        let words = says(&before, &now);
        assert!(
            words.ends_with("20 times less, but as much as before of each call of a"),
            "{words}"
        );
        now.0.own.calls = Some(28_000.0);
        assert!(says(&before, &now).starts_with("repaired: "));
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
                        let words = check.line.to_string();
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
}
