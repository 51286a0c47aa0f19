//! When the samples of a `.hp` arrived. Its own clock is CPU time, which stands still while the program waits and
//! says nothing of when memory runs out.

use crate::base::units::Nanos;
use crate::profile::{Clock, Profile};

/// Beyond this many arrivals every other one is dropped; times between two are interpolated.
const MOST: usize = 1 << 17;

/// How far the clock of the file was whenever samples came: its time, and the elapsed time. Both only grow.
#[derive(Clone, Debug, Default)]
pub struct Arrivals(Vec<(Nanos, Nanos)>);

impl Arrivals {
    /// The arrivals of a program that was started here: both clocks begin with it.
    pub fn of_program() -> Self {
        Arrivals(vec![(Nanos::ZERO, Nanos::ZERO)])
    }

    /// Notes that the newest sample, of this time by its own clock, has come. Nobody knows when the samples came
    /// that were there before: for them both clocks are one.
    pub fn note(&mut self, own: Nanos, now: Nanos) {
        match self.0.last() {
            Some(last) if own > last.0 => self.0.push((own, now.max(last.1))),
            // The same arrival once more, or a sample that took no CPU time.
            Some(last) if own == last.0 => {}
            _ => self.0 = vec![(own, now)],
        }
        if self.0.len() > MOST {
            let mut at = 0..;
            self.0.retain(|_| at.next().is_none_or(|at| at % 2 == 0));
        }
    }

    /// Gives a profile elapsed times in place of CPU times, if its samples came one after another.
    pub fn stamp(&self, profile: &mut Profile) {
        if profile.clock() == Clock::Mutator && self.0.len() > 1 {
            profile.set_elapsed(|own| self.elapsed(own));
        }
    }

    fn elapsed(&self, own: Nanos) -> Nanos {
        let after = self.0.partition_point(|known| known.0 < own);
        let (Some(before), Some(end)) = (after.checked_sub(1), self.0.get(after)) else {
            // Before the first, or after the last.
            let (known, at) = self.0[after.min(self.0.len() - 1)];
            return at.since(known.since(own));
        };
        let begin = self.0[before];
        let share = own.since(begin.0).as_seconds() / end.0.since(begin.0).as_seconds();
        let gone = (share * end.1.since(begin.1).as_nanos() as f64) as i64;
        Nanos::from_nanos(begin.1.as_nanos().saturating_add(gone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::profile::{BandKeyRef, ProfileBuilder, Source};

    fn seconds(seconds: f64) -> Nanos {
        Nanos::from_nanos((seconds * 1e9) as i64)
    }

    /// The times of samples at these CPU seconds.
    fn stamped(arrivals: &Arrivals, own: &[f64]) -> (Clock, Vec<f64>) {
        let mut builder = ProfileBuilder::new(Source::Hp);
        let band = builder.band(BandKeyRef::Name(b"a")).expect("a band");
        for &time in own {
            builder.point(band, Bytes::new(1));
            builder.seal_sample(seconds(time));
        }
        let mut profile = builder.finish();
        arrivals.stamp(&mut profile);
        (profile.clock(), profile.samples.times().iter().map(|time| time.as_seconds()).collect())
    }

    #[test]
    fn samples_of_a_started_program_have_the_time_at_which_they_came() {
        let mut arrivals = Arrivals::of_program();
        arrivals.note(seconds(0.1), seconds(3.0));
        // Two that came together share the time that passed.
        arrivals.note(seconds(0.3), seconds(9.0));
        arrivals.note(seconds(0.3), seconds(20.0));
        let (clock, times) = stamped(&arrivals, &[0.05, 0.1, 0.2, 0.3, 0.4]);
        assert_eq!((clock, times), (Clock::Elapsed, vec![1.5, 3.0, 6.0, 9.0, 9.1]));
    }

    #[test]
    fn what_was_there_before_keeps_its_clock_and_a_new_run_begins_again() {
        let mut arrivals = Arrivals::default();
        arrivals.note(seconds(5.0), seconds(100.0));
        assert_eq!(stamped(&arrivals, &[4.0, 5.0]), (Clock::Mutator, vec![4.0, 5.0]));
        arrivals.note(seconds(6.0), seconds(160.0));
        assert_eq!(
            stamped(&arrivals, &[4.0, 5.0, 6.0]),
            (Clock::Elapsed, vec![99.0, 100.0, 160.0])
        );
        arrivals.note(seconds(1.0), seconds(200.0));
        assert_eq!(stamped(&arrivals, &[1.0]), (Clock::Mutator, vec![1.0]));
    }

    #[test]
    fn many_arrivals_take_little_memory() {
        let mut arrivals = Arrivals::of_program();
        (0..3 * MOST).for_each(|at| arrivals.note(seconds(at as f64), seconds(2.0 * at as f64)));
        assert!(arrivals.0.len() <= MOST);
        assert_eq!(arrivals.elapsed(seconds(1001.0)), seconds(2002.0));
    }
}
