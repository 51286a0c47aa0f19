//! How often a run is sampled, so that it has some hundred samples whatever the program does.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::analysis::constants::{HALF, MANY};
use crate::incident::error::Interval;

/// The number of samples that is aimed at.
const SAMPLES: f64 = 200.0;
/// As many are aimed at if more of them would take more than half of the time from the program.
const LEAST: f64 = 50.0;
/// With fewer, a run is repeated at another pace.
const FEWEST: f64 = 100.0;
/// With fewer, a short run is repeated at another pace.
const FEW_OF_A_SHORT_RUN: usize = 60;
/// The allocation area with which sampling at every collection begins, and its bounds, in KiB.
const AREA: f64 = 64.0;
const SMALLEST_AREA: f64 = 16.0;
const LARGEST_AREA: f64 = 4096.0;

/// What is seen of a run while it goes on.
#[derive(Clone, Debug)]
pub struct Glimpse {
    pub wall: Duration,
    /// The time that its processors worked, if the system says so.
    pub cpu: Option<Duration>,
    /// How long it waited for a processor, on a busy machine.
    pub delayed: Duration,
    /// The size of the heap in each sample of its `.hp`.
    pub heap: Vec<f64>,
    /// The seconds of its own work until the last of them: a `.hp` counts neither collections nor samples.
    pub own: f64,
}

impl Glimpse {
    /// The seconds in which it could work or chose to wait: on a busy machine a program that works looks as if it waited.
    fn awake(&self) -> f64 {
        let cpu = self.cpu.unwrap_or_default();
        self.wall.saturating_sub(self.delayed).max(cpu).as_secs_f64()
    }
}

/// Whether collections and samples take more than half of the time of a program that was awake for so long: what it waits
/// they do not take from it.
pub fn is_kept_from_work(cpu: f64, own: f64, awake: f64) -> bool {
    cpu - own > HALF * awake
}

/// What the samples of a run cost: a census takes as long as the heap is large.
struct Costs {
    /// The seconds that a sample takes, if the heap is as large as at the start.
    each: f64,
    /// How many more each sample takes than the one before it.
    more: f64,
    /// The part of `each` that does not depend on the interval.
    of_census: f64,
}

impl Costs {
    /// Of samples that are so far apart, in a run in which `busy` of the `awake` seconds were spent working.
    fn new(heap: &[f64], interval: f64, busy: f64, awake: f64) -> Costs {
        let samples = heap.len() as f64;
        let sum = |heap: &[f64]| heap.iter().sum::<f64>();
        let (early, late) = heap.split_at(heap.len() / 2);
        let rise = sum(late) / late.len() as f64 - sum(early) / early.len().max(1) as f64;
        let mean = sum(heap) / samples;
        // The mean is that of the middle sample.
        let growth = (2.0 * rise / samples).clamp(0.0, 2.0 * mean / (samples + 1.0));
        let start = mean - growth * (samples + 1.0) / 2.0;
        let ran = interval * samples;
        let of_byte = (busy - ran).max(0.0) / sum(heap).max(1.0);
        let of_census = of_byte * start;
        let between = interval + (awake - busy.max(ran)).max(0.0) / samples;
        Costs { each: between + of_census, more: of_byte * growth, of_census }
    }

    /// How many samples a run of so many seconds has.
    fn samples_in(&self, seconds: f64) -> f64 {
        2.0 * seconds / (self.each + (self.each.powi(2) + 2.0 * self.more * seconds).sqrt())
    }

    /// By how much intervals are to be shorter or longer so that a run has `SAMPLES`, or as many as leave the program half
    /// of the time, but at least `LEAST`: what grows so fast is sampled while it is small.
    fn factor(&self, seconds: f64, interval: f64) -> f64 {
        // By how much a census takes longer after each second of work.
        let growth = self.more / interval;
        let half = seconds / 2.0 / (self.of_census + growth * seconds / 4.0);
        let samples = half.clamp(LEAST, SAMPLES).min(seconds / (2.0 * self.of_census));
        let room = seconds / samples - self.of_census;
        room / (self.each - self.of_census + self.more * samples / 2.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pace {
    /// After so many seconds in which the program worked.
    Interval(f64),
    /// At every collection, of which there is one whenever so many KiB were allocated. The timer of the
    /// profiler stands still while a program waits, and what it does in between may be shorter than any
    /// interval.
    Collections { area: f64 },
}

impl Pace {
    /// For runs of this length, before anything is known: a full run has up to twice as many samples as are
    /// wanted.
    pub fn first(longest: Duration) -> Pace {
        Pace::Interval((longest.as_secs_f64() / (2.0 * SAMPLES)).max(0.01))
    }

    pub fn flags(self) -> Vec<String> {
        match self {
            Pace::Interval(interval) => vec![format!("-i{interval:.4}")],
            Pace::Collections { area } => vec!["-i0".to_owned(), format!("-A{area:.0}k")],
        }
    }

    /// The seconds between samples; 0 if every collection takes one.
    pub fn interval(self) -> f64 {
        match self {
            Pace::Interval(interval) => interval,
            Pace::Collections { .. } => 0.0,
        }
    }

    /// A pace that suits a program better, after the first moments of a run; `None` if the run may go
    /// on.
    pub fn better(self, glimpse: &Glimpse, longest: Duration) -> Option<Pace> {
        let (wall, longest) = (glimpse.wall.as_secs_f64(), longest.as_secs_f64());
        let samples = glimpse.heap.len();
        let interval = match self {
            Pace::Collections { area } => {
                let better = match samples as f64 * longest / wall {
                    few if few < FEWEST => (area * few / SAMPLES).max(SMALLEST_AREA),
                    many if many > 5.0 * SAMPLES => (area * many / SAMPLES).min(LARGEST_AREA),
                    _ => area,
                };
                // An area that leaves it half of the time is larger than one that does not.
                if better <= area
                    && let Some(slower) = self.slower(glimpse, Duration::from_secs_f64(longest))
                {
                    return Some(slower);
                }
                let better = Pace::Collections { area: better };
                return (better != self).then_some(better);
            }
            Pace::Interval(interval) => interval,
        };
        let cpu = glimpse.cpu?.as_secs_f64();
        let awake = glimpse.awake();
        let share = cpu / awake.max(1e-3);
        let costs = (samples > 0).then(|| Costs::new(&glimpse.heap, interval, cpu, awake));
        // Other programs take their part of the rest, too.
        let seconds = longest * awake / wall;
        let expected = costs.as_ref().map_or(0.0, |costs| costs.samples_in(seconds));
        let shorter = |better: f64| {
            let better = better.max(Interval::SHORTEST);
            (better < interval / 1.5).then_some(Pace::Interval(better))
        };
        if expected < FEWEST && share < HALF {
            let better = interval * share;
            // It hardly works at all.
            let hardly = share < 0.1 || better < Interval::SHORTEST;
            return if hardly { Some(Pace::Collections { area: AREA }) } else { shorter(better) };
        }
        if expected < FEWEST {
            // It works, but most of that is for its heap: it is to be sampled while that is small.
            let factor = costs.map_or(0.1, |costs| costs.factor(seconds, interval));
            return shorter(interval * factor);
        }
        self.slower(glimpse, Duration::from_secs_f64(longest))
    }

    /// A slower pace, if most of what was done so far was taking samples. The heap may have become larger than its start
    /// let expect.
    pub fn slower(self, glimpse: &Glimpse, longest: Duration) -> Option<Pace> {
        const LEAST_FACTOR: f64 = 1.5;
        let (wall, cpu) = (glimpse.wall.as_secs_f64(), glimpse.cpu?.as_secs_f64());
        let interval = match self {
            Pace::Collections { area } => return slower_collections(area, glimpse, cpu),
            Pace::Interval(interval) => interval,
        };
        let (own, awake) = (interval * glimpse.heap.len() as f64, glimpse.awake());
        if !is_kept_from_work(cpu, own, awake) || glimpse.heap.is_empty() {
            return None;
        }
        let seconds = longest.as_secs_f64() * awake / wall;
        let factor = Costs::new(&glimpse.heap, interval, cpu, awake).factor(seconds, interval);
        (factor > LEAST_FACTOR).then_some(Pace::Interval(interval * factor))
    }

    /// A pace that suits a program better that ended after a short time with these samples: so many more that it still
    /// ends before half of the longest time is over.
    pub fn for_short_run(self, wall: Duration, samples: usize, longest: Duration) -> Option<Pace> {
        let Pace::Interval(interval) = self else { return None };
        let wall = wall.as_secs_f64();
        // A program that waits takes no samples meanwhile.
        let sampled = if samples > 4 { interval * samples as f64 } else { wall };
        let each = (wall - sampled).max(0.0) / samples.max(1) as f64;
        let most = SAMPLES.min(longest.as_secs_f64() / 2.0 / each);
        let better = (sampled / most).max(Interval::SHORTEST).min(interval / 2.0);
        (samples < FEW_OF_A_SHORT_RUN && interval > Interval::SHORTEST)
            .then_some(Pace::Interval(better))
    }

    /// A pace with enough samples to judge, for a run of which all was seen and that had so few. One that must be sampled as
    /// another was keeps an interval.
    pub fn for_few(self, samples: usize, may_change: bool) -> Option<Pace> {
        let Pace::Interval(interval) = self else { return None };
        let better = interval * samples as f64 / (2 * MANY) as f64;
        let better = match better < Interval::SHORTEST && may_change {
            true => Pace::Collections { area: AREA },
            false => Pace::Interval(better.max(Interval::SHORTEST)),
        };
        (samples < MANY && better.interval() < interval / 1.5).then_some(better)
    }
}

/// A pace that leaves a program half of its time which was sampled at every collection; `None` if it has that. A collection
/// takes the same time however much was allocated before it, and a program works and waits as long for as much.
fn slower_collections(area: f64, glimpse: &Glimpse, cpu: f64) -> Option<Pace> {
    /// With so few it is not known what they cost.
    const FEWEST_COLLECTIONS: usize = 10;
    let (samples, own, awake) = (glimpse.heap.len(), glimpse.own, glimpse.awake());
    if samples < FEWEST_COLLECTIONS || !is_kept_from_work(cpu, own, awake) {
        return None;
    }
    let others = cpu - own;
    let larger = (area * others / (awake - others).max(1e-3)).min(LARGEST_AREA);
    (larger > area).then_some(Pace::Collections { area: larger })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pace after a second of a run of ten, of which the program worked for a share.
    fn after_heap(pace: Pace, share: f64, heap: Vec<f64>, delayed: Duration) -> Option<Pace> {
        let second = Duration::from_secs(1);
        let cpu = Some(second.mul_f64(share));
        pace.better(&Glimpse { wall: second, cpu, delayed, heap, own: share }, 10 * second)
    }

    #[test]
    fn a_program_that_collections_keep_from_its_work_is_sampled_less_often() {
        let after = |samples: usize, own: f64, others: f64| {
            let (wall, cpu) = (Duration::from_secs(5), Some(Duration::from_secs_f64(own + others)));
            let glimpse =
                Glimpse { wall, cpu, delayed: Duration::ZERO, heap: vec![1e6; samples], own };
            let twenty = Duration::from_secs(20);
            let collections = Pace::Collections { area: 64.0 };
            (collections.better(&glimpse, twenty), collections.slower(&glimpse, twenty))
        };
        assert_eq!(after(50, 0.5, 0.25), (None, None));
        // They take more than its work, and less than it waits.
        assert_eq!(after(50, 0.25, 2.0), (None, None));
        let area = |samples, own, others| match after(samples, own, others) {
            (Some(Pace::Collections { area }), other) if other.is_some() => area.round(),
            other => panic!("{other:?}"),
        };
        // It waits for 1.25 s, works all the time, or hardly at all.
        assert_eq!(area(50, 0.75, 3.0), 96.0);
        assert_eq!(area(50, 1.0, 4.0), 256.0);
        assert_eq!(area(50, 0.004, 3.0), 96.0);
        assert_eq!(area(50, 0.004, 4.95), 4096.0);
        assert_eq!(after(5, 0.01, 0.5).1, None);
    }

    #[test]
    fn a_heap_that_grows_fast_is_sampled_while_it_is_small() {
        let (pace, idle) = (Pace::Interval(0.025), Duration::ZERO);
        let growing = |samples: usize| (1..=samples).map(|at| at as f64 * 1e8).collect();
        // 5 samples in the first second mean 16 in ten: each takes longer than the one before it.
        let Some(Pace::Interval(better)) = after_heap(pace, 1.0, growing(5), idle) else {
            panic!()
        };
        assert!((0.003..0.004).contains(&better), "{better}");
        assert_eq!(after_heap(pace, 1.0, growing(39), idle), None);
        let none_yet = after_heap(Pace::Interval(0.5), 1.0, Vec::new(), idle);
        assert_eq!(none_yet, Some(Pace::Interval(0.05)));
        // Each census takes 0.2 s however short the interval is.
        assert_eq!(after_heap(pace, 1.0, vec![1e9; 4], idle), None);
    }

    #[test]
    fn a_run_with_too_few_samples_to_judge_is_repeated() {
        let pace = Pace::Interval(0.06);
        assert_eq!(pace.for_few(10, true), Some(Pace::Interval(0.01)));
        let collections = Pace::Collections { area: 64.0 };
        assert_eq!((pace.for_few(30, true), collections.for_few(5, true)), (None, None));
        let shortest = Pace::Interval(Interval::SHORTEST);
        assert_eq!(
            (shortest.for_few(1, false), shortest.for_few(1, true)),
            (None, Some(collections))
        );
    }

    #[test]
    fn a_short_run_is_repeated_with_more_samples() {
        let after = |interval, millis, samples| {
            let (wall, longest) = (Duration::from_millis(millis), Duration::from_secs(30));
            Pace::Interval(interval).for_short_run(wall, samples, longest)
        };
        assert_eq!(after(0.15, 1_200, 8), Some(Pace::Interval(0.006)));
        assert_eq!(after(0.15, 1_200, 0), Some(Pace::Interval(0.006)));
        assert_eq!((after(0.15, 9_000, 60), after(0.001, 50, 9)), (None, None));
        // It works for 2 s, and each of its samples takes 0.3 s: of 50, 15 s.
        let Some(Pace::Interval(better)) = after(0.1, 8_000, 20) else { panic!("it is repeated") };
        assert!((0.039..0.041).contains(&better), "{better}");
    }
}
