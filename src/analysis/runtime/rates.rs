//! Rates over time: how much of each stretch the program ran, and how fast it allocated.
//!
//! Measured between single collections, both are a jumble of spikes. So the run is cut into stretches, each of some
//! collections, and every figure is the mean of a stretch. A stretch ends with a collection, because what was allocated is
//! known then.

use super::Activity;
use crate::base::units::Nanos;

/// How many collections a stretch has on average.
const COLLECTIONS: usize = 4;

/// A stretch in which the program ran for less than this part of the time is nearly all collection.
const LEAST_OF_STRETCH: f64 = 0.1;

/// The fewest stretches of a run with as many collections.
const FEWEST: usize = 12;

/// A figure of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateStep {
    pub from: Nanos,
    pub to: Nanos,
    pub value: u128,
}

/// The number that stands for 100 %, so that shares are whole numbers.
pub const WHOLE: u128 = 1_000_000;

/// A stretch of time, and for how many nanoseconds of it the program ran.
struct Stretch {
    from: Nanos,
    to: Nanos,
    ran: i64,
}

impl Activity {
    /// How much of each stretch the program ran, in parts of [`WHOLE`]. At most `most` stretches.
    pub fn productivity(&self, most: usize) -> Vec<RateStep> {
        let mut stretches = self.stretches(most, 0.0);
        if let Some(last) = stretches.last_mut() {
            last.ran += self.to.since(last.to).as_nanos();
            last.to = self.to;
        }
        let step = |Stretch { from, to, ran }: Stretch| {
            let whole = to.since(from).as_nanos().max(1) as u128;
            RateStep { from, to, value: ran as u128 * WHOLE / whole }
        };
        stretches.into_iter().map(step).collect()
    }

    /// Bytes allocated for each second that the program ran, in each stretch. What is nearly all collection is joined with
    /// what follows: of a few microseconds no rate is known.
    pub fn allocation_rate(&self, most: usize) -> Vec<RateStep> {
        let known = &self.allocated.points;
        // It is logged just after the end of a collection.
        let until = |time: Nanos| {
            let next = known.partition_point(|&(at, _)| at < time);
            known.get(next).or(known.last()).map(|&(_, bytes)| bytes.get())
        };
        let step = |Stretch { from, to, ran }: Stretch| {
            let before = match (from == self.from, self.begins_the_run) {
                (true, true) => 0,
                (true, false) => return None,
                (false, _) => until(from)?,
            };
            let ran = u128::try_from(ran).ok().filter(|&ran| ran > 0)?;
            let bytes = u128::from(until(to)?.saturating_sub(before));
            Some(RateStep { from, to, value: bytes * 1_000_000_000 / ran })
        };
        self.stretches(most, LEAST_OF_STRETCH).into_iter().filter_map(step).collect()
    }

    /// Stretches of about the same length, in each of which the program ran for a part of the time, up to the last
    /// collection.
    fn stretches(&self, most: usize, part: f64) -> Vec<Stretch> {
        let collections = &self.runtime.collections.all;
        let count = (collections.len() / COLLECTIONS).max(FEWEST).min(most.max(1)) as i64;
        let least = self.elapsed().as_nanos() / count;
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut open = Stretch { from: self.from, to: self.from, ran: 0 };
        for gc in collections {
            // Only a damaged log has one collection inside another.
            open.ran += gc.start.since(open.to).as_nanos().max(0);
            open.to = open.to.max(gc.end);
            let passed = open.to.since(open.from).as_nanos();
            if passed >= least && open.ran as f64 > part * passed as f64 {
                let next = Stretch { from: open.to, to: open.to, ran: 0 };
                stretches.push(std::mem::replace(&mut open, next));
            }
        }
        match stretches.last_mut() {
            Some(last) => (last.to, last.ran) = (open.to, last.ran + open.ran),
            None if open.to > open.from => stretches.push(open),
            None => {}
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::{activity, gc};
    use crate::base::units::Bytes;

    fn known(points: &[(i64, u64)]) -> Vec<(Nanos, Bytes)> {
        points.iter().map(|&(at, bytes)| (Nanos::from_nanos(at), Bytes::new(bytes))).collect()
    }

    /// From when to when each step lasts, and its value.
    fn told(steps: &[RateStep]) -> Vec<(i64, i64, u128)> {
        steps.iter().map(|step| (step.from.as_nanos(), step.to.as_nanos(), step.value)).collect()
    }

    #[test]
    fn steps_are_means_of_stretches_that_end_with_collections() {
        // 120 ns, of which from 60 ns on 5 of every 10 are pauses.
        let collections: Vec<_> = (6..12).map(|i| gc(0, 10 * i, 10 * i + 5)).collect();
        let allocated: Vec<_> = (6..12).map(|i| (10 * i + 6, 60 + 30 * (i as u64 - 6))).collect();
        let activity = activity(collections, known(&allocated), 120);
        let shares = told(&activity.productivity(100));
        assert_eq!((shares[0], shares.len()), ((0, 65, WHOLE * 60 / 65), 6));
        assert_eq!(shares[1..5].iter().map(|step| step.2).collect::<Vec<_>>(), [WHOLE / 2; 4]);
        assert_eq!(shares[5], (105, 120, WHOLE * 10 / 15), "to the end of the run");
        // A byte a nanosecond up to the first collection, then 30 bytes in each 5 ns.
        let rates = told(&activity.allocation_rate(100));
        assert_eq!((rates[0], rates[5]), ((0, 65, 1_000_000_000), (105, 115, 6_000_000_000)));
        assert_eq!(activity.productivity(3).len(), 2);
    }

    #[test]
    fn a_stretch_that_is_nearly_all_collection_is_told_with_its_neighbour() {
        // After the first and the third, the program runs for a nanosecond.
        let collections = vec![gc(1, 30, 40), gc(1, 41, 60), gc(1, 90, 100), gc(1, 101, 119)];
        let allocated = known(&[(40, 30), (60, 40), (100, 70), (119, 80)]);
        let rates = told(&activity(collections, allocated, 120).allocation_rate(100));
        assert_eq!(rates, [(0, 40, 1_000_000_000), (40, 119, 50 * 1_000_000_000 / 32)]);
    }

    #[test]
    fn a_window_has_steps_from_its_own_beginning() {
        let mut window =
            activity(vec![gc(0, 70, 80), gc(0, 88, 90)], known(&[(80, 500), (90, 540)]), 100);
        (window.from, window.begins_the_run) = (Nanos::from_nanos(60), false);
        assert_eq!(
            told(&window.productivity(4)),
            [(60, 80, WHOLE / 2), (80, 100, WHOLE * 18 / 20)]
        );
        // Before the first collection of a window it is not known what was allocated.
        assert_eq!(told(&window.allocation_rate(9)), [(80, 90, 5_000_000_000)]);
        assert!(activity(vec![], vec![], 100).productivity(2).is_empty());
    }
}
