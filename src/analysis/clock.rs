//! The clock by which curves are judged.
//!
//! GHC's timer loses ticks and takes several samples at once, and on a busy machine other programs take the
//! time: by the number of the sample, a straight leak bends. What the program has allocated does not bend: it
//! allocates the same for each piece of work. So where a log counts allocation, a curve is looked at in steps
//! of the same allocation; otherwise its samples are the steps.

use std::borrow::Cow;

use super::robust::{highest, lowest};

/// The last part of a run, in which a curve that has stopped growing is level: a fifth.
const LAST_PART: f64 = 0.2;
/// A curve is level where it stays within this share of the highest value there.
pub const LEVEL: f64 = 0.03;

/// As many steps as there are samples, all of the same length by the clock.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Between which samples each step is: the number of the sample before it, and how far it is on the way to
    /// the next one. `None` if each step is a sample.
    places: Option<Vec<(usize, f64)>>,
}

impl Steps {
    /// By what was allocated until each sample; by the samples themselves if that is not known.
    pub fn new(allocated: Option<&[f64]>) -> Self {
        Steps { places: allocated.and_then(places) }
    }

    /// Whether they count allocation.
    pub fn count_allocation(&self) -> bool {
        self.places.is_some()
    }

    /// The values of a curve at these steps, given its values in the samples.
    pub fn of<'v>(&self, values: &'v [f64]) -> Cow<'v, [f64]> {
        let Some(places) = &self.places else { return Cow::Borrowed(values) };
        let at = |&(before, share): &(usize, f64)| {
            let next = values[(before + 1).min(values.len() - 1)];
            values[before] + share * (next - values[before])
        };
        Cow::Owned(places.iter().map(at).collect())
    }

    /// The sample that is nearest to a step.
    pub fn sample(&self, step: usize) -> usize {
        match &self.places {
            Some(places) => places[step].0 + usize::from(places[step].1 > 0.5),
            None => step,
        }
    }
}

fn places(clock: &[f64]) -> Option<Vec<(usize, f64)>> {
    let [first, .., last] = *clock else { return None };
    if last <= first || !clock.is_sorted() {
        return None;
    }
    let most = clock.len() - 1;
    let mut before = 0;
    let place = |step: usize| {
        let time = first + (last - first) * step as f64 / most as f64;
        while before + 1 < most && clock[before + 1] <= time {
            before += 1;
        }
        let length = clock[before + 1] - clock[before];
        let share = if length > 0.0 { (time - clock[before]) / length } else { 0.0 };
        (before, share.clamp(0.0, 1.0))
    };
    Some((0..=most).map(place).collect())
}

/// The sample from which on a curve is level, if it is by all of some clocks: in the last fifth of the run it stays
/// within 3 % of the highest value there.
pub fn level_since(values: &[f64], clocks: &[&[f64]]) -> Option<usize> {
    let n = values.len();
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    let is_near = |value: &&f64| {
        (low, high) = (low.min(**value), high.max(**value));
        high - low <= LEVEL * high
    };
    let since = n - values.iter().rev().take_while(is_near).count();
    lasts_to_the_end(since, n, clocks).then_some(since)
}

/// Whether what follows a sample is the last fifth of the run or more, by its samples and by all of some clocks.
pub fn lasts_to_the_end(since: usize, samples: usize, clocks: &[&[f64]]) -> bool {
    let is_last_part = |clock: &&[f64]| match (clock.first(), clock.get(since), clock.last()) {
        (Some(first), Some(begin), Some(last)) => last - begin >= LAST_PART * (last - first),
        _ => false,
    };
    let least = ((LAST_PART * samples as f64).ceil() as usize).max(FEWEST_LEVEL);
    samples - since >= least && clocks.iter().all(is_last_part)
}

/// The fewest samples that are level.
const FEWEST_LEVEL: usize = 4;

/// Whether a curve stands still in the last eighth of the time: it stays within a five-hundredth of its range.
pub fn stands_still(values: &[f64], times: &[f64]) -> bool {
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return false };
    let since = times.partition_point(|time| *time <= last - STILL_PART * (last - first));
    // The sample before that time is the value at it.
    let part = &values[since.saturating_sub(1)..];
    part.len() >= FEWEST_STILL
        && highest(part) - lowest(part) < STILL * (highest(values) - lowest(values))
}

const FEWEST_STILL: usize = 3;
const STILL_PART: f64 = 0.125;
const STILL: f64 = 0.002;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_evenly_spread_over_what_was_allocated() {
        let steps = Steps::new(Some(&[0.0, 10.0, 20.0, 40.0, 80.0]));
        assert!(steps.count_allocation());
        assert_eq!(*steps.of(&[0.0, 1.0, 2.0, 4.0, 8.0]), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!([0, 1, 2, 3, 4].map(|step| steps.sample(step)), [0, 2, 3, 3, 4]);
    }

    #[test]
    fn without_allocation_the_samples_are_the_steps() {
        for clock in [None, Some(&[][..]), Some(&[1.0]), Some(&[2.0, 2.0]), Some(&[0.0, 2.0, 1.0])]
        {
            let steps = Steps::new(clock);
            assert!(!steps.count_allocation(), "{clock:?}");
            assert_eq!((steps.of(&[1.0, 5.0]).to_vec(), steps.sample(1)), (vec![1.0, 5.0], 1));
        }
    }

    #[test]
    fn a_curve_is_level_if_it_is_by_every_clock() {
        let mut values: Vec<f64> = (0..80).map(f64::from).collect();
        values.extend([80.0; 25]);
        let number: Vec<f64> = (0..105).map(f64::from).collect();
        assert_eq!(level_since(&values, &[&number]), Some(78));
        assert_eq!(level_since(&values[..90], &[&number[..90]]), None);
        // By another clock, the last samples came all at once.
        let bent: Vec<f64> =
            (0..105).map(|i: i32| f64::from(i.min(80)) + 0.01 * f64::from(i)).collect();
        assert_eq!(level_since(&values, &[&number, &bent]), None);
    }
}
