//! How fast the rows of a run grow.

use std::ops::Range;

use super::Analysis;
use super::growth::before_exit;
use super::robust::{Slope, mean, slope};
use crate::base::parallel::in_halves;
use crate::slice::{Merger, RowId, RunEnd, Slice};

/// How fast each of some rows grows, robustly: bytes a second, or a sample where samples have no times.
/// What the verdict accuses has the verdict's rate, since its growth began.
pub fn rates(slice: &Slice<'_>, analysis: &Analysis, wanted: &[RowId]) -> Vec<Slope> {
    let courses = Courses::new(slice, analysis, wanted);
    (0..wanted.len()).map(|at| courses.slope(at)).collect()
}

/// How some rows grow over the run: the means of each over at most 24 stretches of samples, without
/// an end in which memory was given back.
#[derive(Debug)]
pub(crate) struct Courses {
    /// By place, the rates of those that the verdict accuses: it measures them since their growth began.
    accused: Vec<(usize, Slope)>,
    /// The middle of each stretch.
    times: Vec<f64>,
    /// For each row a mean over each stretch.
    means: Vec<f64>,
}

impl Courses {
    const STRETCHES: usize = 24;

    /// Of the `wanted` rows, in their order.
    pub(crate) fn new(slice: &Slice<'_>, analysis: &Analysis, wanted: &[RowId]) -> Self {
        // All other rows share a place after the last one, so that points need no test.
        let mut place = vec![wanted.len(); slice.rows().len()];
        wanted.iter().enumerate().for_each(|(at, &row)| place[row.index()] = at);
        let suspects = analysis.verdict.suspects.iter();
        let accused = suspects.filter_map(|suspect| {
            let row = suspect.row?;
            let at = wanted.iter().position(|&wanted| wanted == row)?;
            Some((at, suspect.interval))
        });
        let accused = accused.collect();
        Courses { accused, ..Courses::of_groups(slice, analysis, &place, wanted.len()) }
    }

    /// Of `count` groups of rows together; a row whose place is `count` is in none.
    pub(crate) fn of_groups(
        slice: &Slice<'_>,
        analysis: &Analysis,
        place: &[usize],
        count: usize,
    ) -> Self {
        let total = &analysis.figures.total;
        let axis = slice.axis();
        let heights: Vec<f64> = total.iter().map(|&bytes| bytes as f64).collect();
        let n = match slice.end() {
            RunEnd::Exit => before_exit(&heights),
            RunEnd::Cut | RunEnd::Running => heights.len(),
        };
        let stretches = Self::STRETCHES.min(n);
        let edge = |stretch: usize| (stretch * n).div_ceil(stretches.max(1));
        let times = (0..stretches).map(|s| mean(&axis[edge(s)..edge(s + 1)])).collect();
        // For each row a mean over each of some stretches.
        let means = |some: Range<usize>| {
            let mut means = vec![0.0; (count + 1) * some.len()];
            let mut merger = Merger::new(slice);
            for (at, stretch) in some.clone().enumerate() {
                let place = |row: &RowId| place[row.index()] * some.len() + at;
                let samples = edge(stretch)..edge(stretch + 1);
                let samples_in = samples.len() as f64;
                for sample in samples {
                    for (row, size) in merger.sample(sample) {
                        means[place(row)] += size.get() as f64;
                    }
                }
                means[at..].iter_mut().step_by(some.len()).for_each(|sum| *sum /= samples_in);
            }
            means
        };
        let halves = in_halves(slice.has_many_points(), stretches, means);
        let mut means = Vec::with_capacity(count * stretches);
        for at in 0..count {
            for half in &halves {
                let width = half.len() / (count + 1);
                means.extend_from_slice(&half[at * width..][..width]);
            }
        }
        Courses { accused: Vec::new(), times, means }
    }

    /// How fast a row grows, by its place among those that were wanted.
    pub fn slope(&self, at: usize) -> Slope {
        self.accused(at).unwrap_or_else(|| slope(&self.times, self.means_of(at)))
    }

    fn accused(&self, at: usize) -> Option<Slope> {
        self.accused.iter().find(|(accused, _)| *accused == at).map(|(_, slope)| *slope)
    }

    fn means_of(&self, at: usize) -> &[f64] {
        &self.means[at * self.times.len()..][..self.times.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{grown, profile};
    use crate::slice::Slice;

    /// The last row first.
    fn rows(slice: &Slice<'_>) -> Vec<RowId> {
        slice.rows().collect::<Vec<_>>().into_iter().rev().collect()
    }

    #[test]
    fn the_interval_of_a_rate_contains_the_rate() {
        let samples: Vec<(f64, Vec<(&str, u64)>)> = (0..100)
            .map(|i| (f64::from(i), vec![("a", 1000 + 50 * i as u64 + (i as u64 * 37) % 90)]))
            .collect();
        let borrowed: Vec<(f64, &[(&str, u64)])> =
            samples.iter().map(|(time, points)| (*time, points.as_slice())).collect();
        let profile = profile(&borrowed);
        let slice = Slice::whole(&profile);
        let analysis = Analysis::new(&slice, &[]);
        let courses = Courses::new(&slice, &analysis, &rows(&slice));
        let rate = courses.slope(0);
        assert!((rate.middle - 50.0).abs() < 1.0, "{rate:?}");
        assert!(
            rate.low <= rate.middle && rate.middle <= rate.high && rate.high < 55.0,
            "{rate:?}"
        );
    }

    /// The mean of each stretch is at its mean time, so those of a straight line are on the line.
    #[test]
    fn lines_have_their_rates_however_many_samples_there_are() {
        for samples in [2, 23, 24, 25, 50, 95] {
            let line = |rate: f64| -> Vec<f64> {
                (0..samples).map(|i| 5e4 + rate * f64::from(i)).collect()
            };
            let profile = grown(&[("a", &line(-100.0)), ("b", &line(-50.0))], 0.5);
            let slice = Slice::whole(&profile);
            let found = rates(&slice, &Analysis::new(&slice, &[]), &rows(&slice));
            for (slope, rate) in found.iter().zip([-100.0, -200.0]) {
                let close = |found: f64| (found - rate).abs() < 1e-6;
                assert!([slope.low, slope.middle, slope.high].map(close) == [true; 3], "{slope:?}");
            }
        }
    }

    #[test]
    fn what_is_accused_has_the_rate_of_its_verdict() {
        let up: Vec<f64> = (0..100).map(|i| 1e6 + 5e4 * f64::from(i)).collect();
        let down: Vec<f64> = (0..100).map(|i| 1e6 - 5e3 * f64::from(i)).collect();
        let profile = grown(&[("down", &down), ("up", &up)], 1.0);
        let slice = Slice::whole(&profile);
        let mut analysis = Analysis::new(&slice, &[]);
        let interval = Slope { low: 1.0, middle: 2.0, high: 3.0 };
        analysis.verdict.suspects[0].interval = interval;
        let courses = Courses::new(&slice, &analysis, &rows(&slice));
        assert_eq!(courses.slope(0), interval);
        assert!((courses.slope(1).middle + 5e3).abs() < 1.0);
    }
}
