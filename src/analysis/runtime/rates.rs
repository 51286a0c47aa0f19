//! Rates over time: how much of each stretch the program ran, and how fast it allocated.
//!
//! Measured between single collections, both are a jumble of spikes. So the run is cut into
//! stretches of equal length with a few collections each, and every figure is the mean of a
//! stretch.

use super::Activity;
use crate::base::units::Nanos;

/// How many collections a stretch has on average.
const COLLECTIONS: usize = 4;

/// A stretch in which the program ran for less than this part of the time is nearly all collection.
const LEAST_OF_STRETCH: i64 = 10;

/// The fewest stretches of a run.
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

impl Activity {
    /// How much of each stretch the program ran, in parts of [`WHOLE`]. At most `most` stretches.
    pub fn productivity(&self, most: usize) -> Vec<RateStep> {
        let part = |from: Nanos, to: Nanos| {
            let whole = to.since(from).as_nanos().max(1) as u128;
            let ran = self.clock.between(from, to) as u128;
            Some(ran * WHOLE / whole)
        };
        self.steps(most, part)
    }

    /// Bytes allocated for each second that the program ran, in each stretch in which it did. What is nearly all collection
    /// is joined with what follows, or at the end with what is before it: of a few microseconds no rate is known.
    pub fn allocation_rate(&self, most: usize) -> Vec<RateStep> {
        if self.allocated.points.is_empty() {
            return Vec::new();
        }
        let rate = |from: Nanos, to: Nanos| {
            let ran = self.clock.between(from, to);
            let bytes = self.allocated_at(to).saturating_sub(self.allocated_at(from));
            (ran > 0).then(|| u128::from(bytes) * 1_000_000_000 / ran as u128)
        };
        let is_short = |from: Nanos, to: Nanos| {
            self.clock.between(from, to) <= to.since(from).as_nanos() / LEAST_OF_STRETCH
        };
        let mut ends: Vec<(Nanos, Nanos)> = Vec::new();
        for RateStep { from, to, .. } in self.steps(most, |_, _| Some(0)) {
            match ends.last_mut() {
                Some(last) if is_short(last.0, last.1) => last.1 = to,
                Some(_) | None => ends.push((from, to)),
            }
        }
        if let [.., before, last] = &mut ends[..]
            && is_short(last.0, last.1)
        {
            before.1 = last.1;
            ends.pop();
        }
        let step =
            |&(from, to): &(Nanos, Nanos)| Some(RateStep { from, to, value: rate(from, to)? });
        ends.iter().filter_map(step).collect()
    }

    fn steps(&self, most: usize, value: impl Fn(Nanos, Nanos) -> Option<u128>) -> Vec<RateStep> {
        let (from, to) = (self.from.as_nanos(), self.to.as_nanos());
        let collections = self.runtime.collections.all.len();
        if to <= from || collections == 0 {
            return Vec::new();
        }
        let count = (collections / COLLECTIONS).max(FEWEST).min(most.max(1)) as i128;
        let span = i128::from(to) - i128::from(from);
        let end = |i: i128| Nanos::from_nanos((i128::from(from) + span * i / count) as i64);
        (0..count)
            .filter_map(|i| {
                let (from, to) = (end(i), end(i + 1));
                Some(RateStep { from, to, value: value(from, to)? })
            })
            .collect()
    }

    /// Bytes allocated up to a time: known after each collection, and taken to grow evenly while the
    /// program runs.
    fn allocated_at(&self, time: Nanos) -> u64 {
        let known = &self.allocated.points;
        let right = known.partition_point(|&(at, _)| at < time);
        // At the beginning of a run nothing is allocated; at the beginning of a window this is not
        // known.
        let before = match right.checked_sub(1) {
            Some(left) => known[left],
            None if self.begins_the_run => (self.from, crate::base::units::Bytes::ZERO),
            None => return known.first().map_or(0, |&(_, bytes)| bytes.get()),
        };
        let Some(&after) = known.get(right) else { return before.1.get() };
        let (all, part) =
            (self.clock.between(before.0, after.0), self.clock.between(before.0, time));
        let more = after.1.get().saturating_sub(before.1.get());
        let share = if all > 0 { part as f64 / all as f64 } else { 1.0 };
        before.1.get().saturating_add((more as f64 * share) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::{activity, gc};
    use crate::base::units::{Bytes, Nanos};

    #[test]
    fn steps_are_means_of_equal_stretches() {
        // 120 ns, of which from 60 ns on 5 of every 10 are pauses.
        let collections: Vec<_> = (6..12).map(|i| gc(0, 10 * i, 10 * i + 5)).collect();
        let allocated = [(60, 60_u64), (115, 90)];
        let allocated = allocated.map(|(at, bytes)| (Nanos::from_nanos(at), Bytes::new(bytes)));
        let activity = activity(collections, allocated.to_vec(), 120);
        let shares: Vec<u128> = activity.productivity(100).iter().map(|step| step.value).collect();
        assert_eq!(shares, [vec![WHOLE; 6], vec![WHOLE / 2; 6]].concat());
        let rates = activity.allocation_rate(100);
        // A byte a nanosecond up to the first collection, then 30 bytes in 25 ns.
        assert_eq!((rates[0].value, rates[7].value), (1_000_000_000, 1_200_000_000));
        assert_eq!((rates[0].to, rates[11].to), (Nanos::from_nanos(10), Nanos::from_nanos(120)));
        assert_eq!(activity.productivity(3).len(), 3);
    }

    #[test]
    fn a_stretch_that_is_nearly_all_collection_is_told_with_its_neighbour() {
        // Of 120 ns in 12 stretches, the fourth and the last are collections but for a nanosecond.
        let collections = vec![gc(1, 30, 39), gc(1, 110, 119)];
        let allocated = [(39, 40_u64), (119, 120)];
        let allocated = allocated.map(|(at, bytes)| (Nanos::from_nanos(at), Bytes::new(bytes)));
        let rates = activity(collections, allocated.to_vec(), 120).allocation_rate(100);
        assert_eq!(rates.len(), 10);
        assert!(rates.iter().all(|step| step.value < 3_000_000_000), "{rates:?}");
        let ends = [rates[3].from, rates[3].to, rates[9].from, rates[9].to];
        assert_eq!(ends.map(Nanos::as_nanos), [30, 50, 100, 120]);
    }

    #[test]
    fn a_window_has_steps_from_its_own_beginning() {
        let at = |time, bytes| (Nanos::from_nanos(time), Bytes::new(bytes));
        let mut window = activity(vec![gc(0, 70, 80)], vec![at(70, 500), at(90, 540)], 100);
        (window.from, window.begins_the_run) = (Nanos::from_nanos(60), false);
        // Before the first collection of a window it is not known what was allocated.
        assert_eq!(window.allocated_at(Nanos::from_nanos(65)), 500);
        let steps = window.productivity(2);
        assert_eq!((steps[0].from.as_nanos(), steps[0].to.as_nanos()), (60, 80));
        assert_eq!((steps[0].value, steps[1].value), (WHOLE / 2, WHOLE));
        window.from = window.to;
        assert!(window.productivity(2).is_empty());
        assert!(activity(vec![], vec![], 100).productivity(2).is_empty());
    }
}
