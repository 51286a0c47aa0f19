//! The figures of every row: what the table says of it, and its thinned curve.

use crate::slice::{Merger, Slice};

/// The figures of one band over the samples shown; a sample that does not name it counts as 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The highest residency in bytes.
    pub peak: u64,
    /// The first sample that has it.
    pub peak_sample: usize,
    /// The residency in the last sample.
    pub last: u64,
    /// The residency in the sample in which all bands together are highest.
    pub at_peak: u64,
    /// How it grows.
    pub growth: Growth,
}

/// A straight line through the samples by least squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Growth {
    /// Bytes a second, or bytes a sample where samples have no times.
    pub slope: f64,
    /// The share of the variance that the line explains, 0 to 1; 0 for a band that never changes.
    pub r_squared: f64,
}

/// The figures of all bands.
pub struct AllFigures {
    /// By row index.
    pub of_row: Vec<Figures>,
    /// The residency of all bands together in each sample.
    pub total: Vec<u128>,
    /// Means over equal stretches of samples, [`AllFigures::stretches`] for each row, by row
    /// index.
    pub means: Vec<f32>,
    /// How many stretches the samples are cut into.
    pub stretches: usize,
}

/// Running sums of one band.
#[derive(Clone, Copy, Default)]
struct Sums {
    values: f64,
    squares: f64,
    with_time: f64,
}

/// Computes them in two passes over the points.
///
/// A band may have several points in one sample; they are added up first. Sums are taken in the
/// order of the samples, so the same profile gives the same bits.
pub fn figures(slice: &Slice<'_>, stretches: usize) -> AllFigures {
    let (rows, samples) = (slice.rows().len(), slice.len());
    let stretches = stretches.min(samples);
    let total: Vec<u128> = (0..samples).map(|sample| slice.total(sample)).collect();
    let highest = total.iter().copied().max().unwrap_or(0);
    let peak_sample = total.iter().position(|&total| total == highest);
    let times = Times::new(slice);

    let mut of_row = vec![Figures::default(); rows];
    let mut sums = vec![Sums::default(); rows];
    let mut means = vec![0f32; rows * stretches];
    let mut merger = Merger::new(slice);
    for sample in 0..samples {
        let stretch = sample * stretches / samples;
        let time = times.around_mean(sample);
        for &(row, size) in merger.sample(sample) {
            let (row, size) = (row.index(), size.get());
            let figures = &mut of_row[row];
            if size > figures.peak {
                (figures.peak, figures.peak_sample) = (size, sample);
            }
            if sample + 1 == samples {
                figures.last = size;
            }
            if Some(sample) == peak_sample {
                figures.at_peak = size;
            }
            let value = size as f64;
            let sums = &mut sums[row];
            sums.values += value;
            sums.squares += value * value;
            sums.with_time += value * time;
            means[row * stretches + stretch] += value as f32;
        }
    }
    for (stretch, length) in lengths(samples, stretches).enumerate() {
        means.iter_mut().skip(stretch).step_by(stretches).for_each(|sum| *sum /= length as f32);
    }
    for (figures, sums) in of_row.iter_mut().zip(sums) {
        figures.growth = times.growth(sums);
    }
    AllFigures { of_row, total, means, stretches }
}

/// How many samples each stretch has.
fn lengths(samples: usize, stretches: usize) -> impl Iterator<Item = usize> {
    let start = move |stretch: usize| (stretch * samples).div_ceil(stretches);
    (0..stretches).map(move |stretch| start(stretch + 1) - start(stretch))
}

/// The samples' times around their mean: with them, the products of times and values need no
/// further correction.
struct Times {
    from_middle: Vec<f64>,
    squares: f64,
}

impl Times {
    fn new(slice: &Slice<'_>) -> Self {
        let at = |sample| slice.when(sample).map_or(sample as f64, |time| time.as_seconds());
        let seconds: Vec<f64> = (0..slice.len()).map(at).collect();
        let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
        let from_middle: Vec<f64> = seconds.iter().map(|time| time - mean).collect();
        let squares = from_middle.iter().map(|time| time * time).sum();
        Times { from_middle, squares }
    }

    fn around_mean(&self, sample: usize) -> f64 {
        self.from_middle[sample]
    }

    fn growth(&self, sums: Sums) -> Growth {
        let count = self.from_middle.len().max(1) as f64;
        let variance = sums.squares - sums.values * sums.values / count;
        // What is left of a constant after rounding is no variance.
        if self.squares <= 0.0 || variance <= 1e-9 * sums.squares {
            return Growth::default();
        }
        let slope = sums.with_time / self.squares;
        let r_squared = sums.with_time * sums.with_time / (self.squares * variance);
        Growth { slope, r_squared: r_squared.clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BandKeyRef, Profile, ProfileBuilder, Source};
    use crate::units::{Bytes, Nanos};

    /// Samples of points, a second apart; bands are named by letters.
    fn profile(samples: &[&[(&str, u64)]]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for (i, points) in samples.iter().enumerate() {
            for (name, size) in *points {
                let band = builder.band(BandKeyRef::Name(name.as_bytes())).unwrap();
                builder.point(band, Bytes::new(*size));
            }
            builder.seal_sample(Nanos::from_nanos(1_000_000_000 * (i as i64 + 1)));
        }
        builder.finish()
    }

    #[test]
    fn a_band_named_twice_in_a_sample_counts_once() {
        let profile = profile(&[&[("a", 1), ("b", 5), ("a", 6)], &[("a", 3)], &[("b", 9)]]);
        let all = figures(&Slice::whole(&profile), 3);
        let [a, b] = &all.of_row[..] else { panic!("two bands") };
        assert_eq!((a.peak, a.peak_sample, a.last, a.at_peak), (7, 0, 0, 7));
        assert_eq!((b.peak, b.peak_sample, b.last, b.at_peak), (9, 2, 9, 5));
        assert_eq!(all.total, [12, 3, 9]);
        assert_eq!(all.means, [7.0, 3.0, 0.0, 5.0, 0.0, 9.0]);
    }

    #[test]
    fn growth_is_that_of_the_straight_line() {
        let line =
            profile(&[&[("a", 10), ("b", 4)], &[("a", 20), ("b", 4)], &[("a", 30), ("b", 4)]]);
        let all = figures(&Slice::whole(&line), 1);
        assert_eq!(all.of_row[0].growth, Growth { slope: 10.0, r_squared: 1.0 });
        assert_eq!(all.of_row[1].growth, Growth::default());
        assert_eq!(all.means, [20.0, 4.0]);
        // By hand: times 1 to 4, values 0 6 0 6 -> Sxy 6, Sxx 5, Syy 36.
        let zigzag = profile(&[&[("a", 0)], &[("a", 6)], &[("b", 1)], &[("a", 6)]]);
        let growth = figures(&Slice::whole(&zigzag), 4).of_row[0].growth;
        assert!((growth.slope - 1.2).abs() < 1e-12);
        assert!((growth.r_squared - 0.2).abs() < 1e-12);
    }

    #[test]
    fn stretches_share_out_the_samples_as_evenly_as_may_be() {
        for (samples, stretches) in [(10, 3), (7, 7), (300, 64), (5, 1), (8000, 96)] {
            let lengths: Vec<usize> = lengths(samples, stretches).collect();
            assert_eq!(lengths.iter().sum::<usize>(), samples);
            let mut counted = vec![0; stretches];
            (0..samples).for_each(|sample| counted[sample * stretches / samples] += 1);
            assert_eq!(lengths, counted);
        }
    }

    #[test]
    fn a_profile_of_nothing_has_no_figures() {
        let all = figures(&Slice::whole(&profile(&[])), 64);
        assert!(all.of_row.is_empty() && all.means.is_empty() && all.stretches == 0);
        let one = figures(&Slice::whole(&profile(&[&[("a", 8)]])), 64);
        assert_eq!(one.of_row[0].growth, Growth::default());
    }
}
