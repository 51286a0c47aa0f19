//! How often a run is sampled, so that it has some hundred samples whatever the program does.

use std::time::Duration;

use crate::incident::error::Interval;

/// The number of samples that is aimed at.
const SAMPLES: f64 = 200.0;
/// With fewer, a run is repeated at another pace.
const FEWEST: f64 = 100.0;
/// With fewer, a short run is repeated at another pace.
const FEW_OF_A_SHORT_RUN: usize = 60;
/// The allocation area with which sampling at every collection begins, and its bounds, in KiB.
const AREA: f64 = 64.0;
const SMALLEST_AREA: f64 = 16.0;
const LARGEST_AREA: f64 = 4096.0;

/// What is seen of a run while it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Glimpse {
    pub wall: Duration,
    /// The time that its processors worked, if the system says so.
    pub cpu: Option<Duration>,
    /// How long it waited for a processor, on a busy machine.
    pub delayed: Duration,
    /// The samples in its `.hp`.
    pub samples: usize,
    /// How long it ran outside of collections until the last of them, in seconds.
    pub mutator: f64,
}

/// When samples are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    pub fn better(self, glimpse: Glimpse, longest: Duration) -> Option<Pace> {
        let expected = glimpse.samples as f64 * longest.as_secs_f64() / glimpse.wall.as_secs_f64();
        let interval = match self {
            Pace::Collections { area } => {
                let better = match expected {
                    few if few < FEWEST => (area * few / SAMPLES).max(SMALLEST_AREA),
                    many if many > 5.0 * SAMPLES => area * many / SAMPLES,
                    _ => area,
                };
                let area = better.min(LARGEST_AREA);
                return (Pace::Collections { area } != self).then_some(Pace::Collections { area });
            }
            Pace::Interval(interval) => interval,
        };
        let cpu = glimpse.cpu?.as_secs_f64();
        // On a busy machine a program that works looks as if it waited.
        let awake = glimpse.wall.saturating_sub(glimpse.delayed).as_secs_f64();
        let share = cpu / awake.max(cpu).max(1e-3);
        if expected < FEWEST && share < 0.5 {
            let better = interval * share;
            return match better {
                // It hardly works at all.
                short if share < 0.1 || short < Interval::SHORTEST => {
                    Some(Pace::Collections { area: AREA })
                }
                _ => (better < interval / 1.5).then_some(Pace::Interval(better)),
            };
        }
        let in_census = 1.0 - glimpse.mutator / cpu.max(1e-3);
        let is_slow = expected > FEWEST * 2.0 && in_census > 0.7;
        is_slow.then(|| Pace::Interval(interval * (expected / FEWEST / 1.2).min(3.0)))
    }

    /// A pace that suits a program better that ended after a short time with these samples.
    pub fn for_short_run(self, wall: Duration, samples: usize) -> Option<Pace> {
        let Pace::Interval(interval) = self else { return None };
        // A program that waits takes no samples meanwhile.
        let sampled = if samples > 4 { interval * samples as f64 } else { wall.as_secs_f64() };
        let better = (sampled / SAMPLES).max(Interval::SHORTEST).min(interval / 2.0);
        (samples < FEW_OF_A_SHORT_RUN && interval > Interval::SHORTEST)
            .then_some(Pace::Interval(better))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pace after a second of a run of ten, of which the program worked for a share.
    fn after(pace: Pace, share: f64, samples: usize) -> Option<Pace> {
        after_delay(pace, share, samples, Duration::ZERO)
    }

    fn after_delay(pace: Pace, share: f64, samples: usize, delayed: Duration) -> Option<Pace> {
        let second = Duration::from_secs(1);
        let cpu = Some(second.mul_f64(share));
        let glimpse = Glimpse { wall: second, cpu, delayed, samples, mutator: share };
        pace.better(glimpse, 10 * second)
    }

    #[test]
    fn a_program_that_waits_is_sampled_more_often_than_one_that_works() {
        let pace = Pace::first(Duration::from_secs(10));
        assert_eq!(pace, Pace::Interval(0.025));
        assert_eq!(after(pace, 1.0, 40), None);
        assert_eq!(after(pace, 0.25, 9), Some(Pace::Interval(0.00625)));
        let collections = Pace::Collections { area: 64.0 };
        assert_eq!(after(pace, 0.02, 1), Some(collections));
        assert_eq!(collections.flags(), ["-i0", "-A64k"]);
        assert_eq!(after(collections, 0.02, 20), None);
        assert_eq!(after(collections, 0.02, 5), Some(Pace::Collections { area: 16.0 }));
        assert_eq!(after(collections, 0.02, 200), Some(Pace::Collections { area: 640.0 }));
        assert_eq!(after(Pace::Collections { area: 16.0 }, 0.02, 0), None);
        // It would work all the time if it had a processor.
        assert_eq!(after_delay(pace, 0.05, 2, Duration::from_millis(950)), None);
    }

    #[test]
    fn a_short_run_is_repeated_with_more_samples() {
        let after = |interval, millis, samples| {
            Pace::Interval(interval).for_short_run(Duration::from_millis(millis), samples)
        };
        assert_eq!(after(0.15, 1_200, 8), Some(Pace::Interval(0.006)));
        assert_eq!(after(0.15, 1_200, 0), Some(Pace::Interval(0.006)));
        assert_eq!((after(0.15, 9_000, 60), after(0.001, 50, 9)), (None, None));
    }
}
