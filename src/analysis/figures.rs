//! The figures of a run and of every band in it: peak, mean, share. One pass over the points.

use super::median::median_of;
use crate::profile::Clock;
use crate::slice::{Merger, RowId, Slice};

/// The figures of the heap: all bands together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct HeapFigures {
    /// The highest residency, in bytes.
    pub peak: u128,
    /// The first sample that has it.
    pub peak_sample: usize,
    /// The value that 99 % of the samples are below, in bytes: a peak that a single extreme sample
    /// cannot change.
    pub p99: u128,
    /// The mean over time, by the trapezoid rule; over samples where they have no times.
    pub mean: u128,
    /// The median of the last 20th of the samples, in bytes. The empty samples that end a `.hp` do
    /// not count.
    pub r#final: u128,
    /// From the first sample to the last, in seconds; in samples where they have no times.
    pub duration: f64,
}

/// The figures of one band; a sample that does not name it counts as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BandFigures {
    /// The highest residency, in bytes.
    pub peak: u64,
    /// The first sample that has it.
    pub peak_sample: usize,
    /// The lowest residency, in bytes.
    pub least: u64,
    /// The mean over time, computed like that of the heap, in bytes.
    pub mean: f64,
    /// The residency in the last sample that has anything in it, in bytes.
    pub last: u64,
}

/// The residency in each sample, in bytes.
#[derive(Clone, Debug)]
pub struct Totals {
    /// That of all bands together, whether or not they take part.
    pub all: Vec<u128>,
    /// That of the bands that take part.
    pub selected: Vec<u128>,
}

impl Totals {
    pub(crate) fn new(slice: &Slice<'_>) -> Self {
        let all: Vec<u128> = (0..slice.len()).map(|sample| slice.total(sample)).collect();
        let selected = if slice.is_partial() { selected(slice) } else { all.clone() };
        Totals { all, selected }
    }
}

/// The residency in each sample of all rows together that take part.
fn selected(slice: &Slice<'_>) -> Vec<u128> {
    let takes_part: Vec<bool> = slice.rows().map(|row| slice.is_selected(row)).collect();
    let of_sample = |sample| {
        let mut sum = 0u128;
        slice.each_point(sample, |row, size| {
            sum += if takes_part[row.index()] { size.get().into() } else { 0 };
        });
        sum
    };
    (0..slice.len()).map(of_sample).collect()
}

/// The figures of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Figures {
    /// All bands together.
    pub heap: HeapFigures,
    /// Each band, by row.
    pub bands: Vec<BandFigures>,
    /// The residency of all bands together in each sample, whether or not they take part.
    pub total: Vec<u128>,
    /// The means of all bands together.
    sum_of_means: f64,
}

impl Figures {
    /// Computes them. `total` is the residency of all bands together in each sample.
    pub(crate) fn new(slice: &Slice<'_>, total: Vec<u128>) -> Self {
        let axis = slice.axis();
        let mut weights = time_weights(&axis, slice.clock());
        let mut full = (0..total.len()).filter(|&sample| total[sample] > 0);
        if let (Some(only), None) = (full.next(), full.next()) {
            // The empty samples around it are when it began and ended.
            weights = (0..total.len()).map(|sample| f64::from(u8::from(sample == only))).collect();
        }
        let mut bands = bands(slice, weights.iter().copied().enumerate());
        if let Some(last) = last_full(&total) {
            for (row, size) in Merger::new(slice).sample(last) {
                bands[row.index()].last = size.get();
            }
        }
        let sum_of_means = bands.iter().map(|band| band.mean).sum();
        Figures { heap: heap(&total, &axis, &weights), bands, total, sum_of_means }
    }

    /// The share of a band in the mean heap, in percent.
    pub fn share_percent(&self, row: RowId) -> f64 {
        let all = self.sum_of_means;
        if all > 0.0 { 100.0 * self.bands[row.index()].mean / all } else { 0.0 }
    }
}

/// The figures of each row over some samples, each with its share in a mean.
pub fn bands(
    slice: &Slice<'_>,
    samples: impl ExactSizeIterator<Item = (usize, f64)>,
) -> Vec<BandFigures> {
    let count = samples.len();
    let mut running = vec![Running::default(); slice.rows().len()];
    for (sample, weight) in samples {
        // A sample can name a row several times, so its sum is known only after one pass.
        slice.each_point(sample, |row, size| {
            let open = &mut running[row.index()].open;
            *open = open.saturating_add(size.get());
        });
        slice.each_point(sample, |row, _| running[row.index()].close(sample, weight));
    }
    running.into_iter().map(|band| band.finish(count)).collect()
}

/// The figures of a band up to some sample.
#[derive(Clone)]
struct Running {
    /// The bytes of the band in the sample that is being read.
    open: u64,
    figures: BandFigures,
    /// How many samples contain it.
    named: usize,
}

impl Default for Running {
    fn default() -> Self {
        let figures = BandFigures { least: u64::MAX, ..BandFigures::default() };
        Running { open: 0, figures, named: 0 }
    }
}

impl Running {
    /// Counts a sample, unless it is counted already.
    #[inline]
    fn close(&mut self, sample: usize, weight: f64) {
        let bytes = std::mem::take(&mut self.open);
        if bytes == 0 {
            return;
        }
        let figures = &mut self.figures;
        if bytes > figures.peak {
            (figures.peak, figures.peak_sample) = (bytes, sample);
        }
        figures.least = figures.least.min(bytes);
        figures.mean += bytes as f64 * weight;
        self.named += 1;
    }

    fn finish(mut self, samples: usize) -> BandFigures {
        if self.named < samples {
            self.figures.least = 0;
        }
        self.figures
    }
}

/// The figures of some bands together, given their residency in each sample.
pub fn figures_of(total: &[u128], axis: &[f64], clock: Clock) -> HeapFigures {
    heap(total, axis, &time_weights(axis, clock))
}

/// The last sample with anything in it.
pub(crate) fn last_full(total: &[u128]) -> Option<usize> {
    total.iter().rposition(|&bytes| bytes > 0)
}

fn heap(total: &[u128], axis: &[f64], weights: &[f64]) -> HeapFigures {
    let (Some(&peak), Some(last)) = (total.iter().max(), last_full(total)) else {
        return HeapFigures::default();
    };
    let values: Vec<f64> = total.iter().map(|&bytes| bytes as f64).collect();
    let mean = mean_over_time(values.iter().copied(), weights);
    let full = &values[..=last];
    HeapFigures {
        peak,
        peak_sample: total.iter().position(|&bytes| bytes == peak).unwrap_or(0),
        p99: percentile(&values, 0.99) as u128,
        mean: mean.round() as u128,
        r#final: median_of(full[full.len() - full.len().div_ceil(20)..].iter().copied()) as u128,
        duration: axis[axis.len() - 1] - axis[0],
    }
}

/// The share of each sample in a mean over time: half the distance between its neighbours, divided
/// by the length of the run. If all samples have the same time, or no times, all have the same
/// share.
pub(crate) fn time_weights(axis: &[f64], clock: Clock) -> Vec<f64> {
    let n = axis.len();
    let span = if n < 2 { 0.0 } else { axis[n - 1] - axis[0] };
    if span <= 0.0 || clock == Clock::Sample {
        return vec![1.0 / n.max(1) as f64; n];
    }
    (0..n).map(|i| (axis[(i + 1).min(n - 1)] - axis[i.saturating_sub(1)]) / (2.0 * span)).collect()
}

/// The mean of some values, each with its share in it.
pub(crate) fn mean_over_time(values: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    values.zip(weights).map(|(value, weight)| value * weight).sum()
}

/// The value that a share of the values is below, interpolated between neighbours.
fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(super::median::ascending);
    let place = (sorted.len() - 1) as f64 * share;
    let (low, rest) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (sorted[high] - sorted[low]) * rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::profile;
    use crate::profile::Profile;
    use crate::slice::Slice;

    fn figures(profile: &Profile) -> Figures {
        let slice = Slice::whole(profile);
        Figures::new(&slice, Totals::new(&slice).all)
    }

    #[test]
    fn the_mean_of_one_sample_is_that_sample() {
        // As a `.hp` has it, between two empty samples.
        let of = |first: u64| {
            figures(&profile(&[(0.0, &[("a", first)]), (1.0, &[("a", 800)]), (4.0, &[("a", 0)])]))
        };
        assert_eq!((of(0).heap.mean, of(0).bands[0].mean), (800, 800.0));
        assert_eq!(of(8).heap.mean, 401);
    }

    #[test]
    fn figures_equal_those_of_a_plain_slow_computation() {
        // Times 0, 1, 4 s; band a named twice in the second sample.
        let profile = profile(&[
            (0.0, &[("a", 100), ("b", 50)]),
            (1.0, &[("a", 200), ("b", 10), ("a", 100)]),
            (4.0, &[("b", 40)]),
        ]);
        let figures = figures(&profile);
        let heap = &figures.heap;
        assert_eq!((heap.peak, heap.peak_sample), (310, 1));
        // (150 + 310) / 2 * 1 s + (310 + 40) / 2 * 3 s, over 4 s.
        assert_eq!(heap.mean, 189, "{}", (230.0 + 525.0) / 4.0);
        assert_eq!(heap.duration, 4.0);
        let a = figures.bands[0];
        assert_eq!((a.peak, a.peak_sample, a.least, a.last), (300, 1, 0, 0));
        assert_eq!(a.mean, (200.0 + 450.0) / 4.0);
        let rows = Slice::whole(&profile).rows();
        let both: f64 = rows.map(|row| figures.share_percent(row)).sum();
        assert!((both - 100.0).abs() < 1e-9);
    }

    #[test]
    fn the_empty_last_sample_of_a_run_is_ignored() {
        let profile = profile(&[(0.0, &[("a", 10)]), (1.0, &[("a", 30)]), (2.0, &[])]);
        let figures = figures(&profile);
        assert_eq!(figures.bands[0].last, 30);
    }

    #[test]
    fn a_run_ends_with_the_median_of_its_last_twentieth() {
        let total: Vec<u128> = (0..100).collect();
        let axis: Vec<f64> = (0..100).map(f64::from).collect();
        let figures = figures_of(&total, &axis, Clock::Elapsed);
        assert_eq!(figures.r#final, 97);
    }

    #[test]
    fn the_99th_percentile_lies_between_samples() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(percentile(&values, 0.99), 99.0);
        assert_eq!(percentile(&[1.0, 3.0], 0.99), 2.98);
        assert_eq!(percentile(&[7.0], 0.99), 7.0);
    }

    #[test]
    fn a_run_that_is_first_seen_late_is_as_long_as_what_is_seen() {
        let profile =
            profile(&[(100.0, &[("a", 10)]), (101.0, &[("a", 30)]), (104.0, &[("a", 10)])]);
        let heap = figures(&profile).heap;
        assert_eq!((heap.duration, heap.mean), (4.0, 20));
    }
}
