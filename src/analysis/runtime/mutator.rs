//! Time in the program: elapsed time without the pauses of collections.
//!
//! It is a form of elapsed time, not the CPU time that a `.hp` counts: the two differ by a few
//! percent on an idle machine, and by any factor on a busy one.

use crate::base::units::Nanos;
use crate::profile::Collection;

/// Computes how much of an elapsed time the program was running.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutatorClock {
    /// Start, end, and the nanoseconds of all earlier pauses; in order of time, without overlaps.
    pauses: Vec<(Nanos, Nanos, i64)>,
}

impl MutatorClock {
    /// The clock of a run with these collections, which are in order of time.
    pub fn of(collections: &[Collection]) -> Self {
        let mut pauses: Vec<(Nanos, Nanos, i64)> = Vec::with_capacity(collections.len());
        let (mut done, mut sum) = (Nanos::from_nanos(i64::MIN), 0_i64);
        for gc in collections {
            // Only a damaged log has one collection inside another.
            let (start, end) = (gc.start.max(done), gc.end.max(done));
            if start < end {
                pauses.push((start, end, sum));
                sum = sum.saturating_add(end.since(start).as_nanos());
                done = end;
            }
        }
        MutatorClock { pauses }
    }

    /// The time on this clock, which stops during a pause.
    pub fn at(&self, time: Nanos) -> Nanos {
        time.since(Nanos::from_nanos(self.paused_before(time)))
    }

    /// How many nanoseconds of pauses there are before a time.
    fn paused_before(&self, time: Nanos) -> i64 {
        let next = self.pauses.partition_point(|&(start, ..)| start < time);
        let Some(&(start, end, before)) = next.checked_sub(1).map(|last| &self.pauses[last]) else {
            return 0;
        };
        before.saturating_add(end.min(time).since(start).as_nanos())
    }

    /// How long the program ran between two times, in nanoseconds.
    pub fn between(&self, from: Nanos, to: Nanos) -> i64 {
        self.at(to).since(self.at(from)).as_nanos().max(0)
    }

    /// Whether there are no pauses, so that it is elapsed time.
    pub fn is_elapsed(&self) -> bool {
        self.pauses.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::runtime::testing::gc;

    #[test]
    fn the_clock_stands_still_in_pauses() {
        let clock = MutatorClock::of(&[gc(0, 10, 15), gc(1, 30, 40), gc(0, 35, 42)]);
        let at = |time| clock.at(Nanos::from_nanos(time)).as_nanos();
        assert_eq!([0, 10, 12, 15, 30, 41, 50].map(at), [0, 10, 10, 10, 25, 25, 33]);
        assert_eq!(clock.between(Nanos::from_nanos(5), Nanos::from_nanos(20)), 10);
        assert!(MutatorClock::of(&[]).is_elapsed() && !clock.is_elapsed());
    }
}
