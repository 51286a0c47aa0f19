//! Estimators that a few extreme samples cannot change, and the order statistics they need.
//!
//! Everything is summed in one fixed order, so the same samples give the same bits.

use std::cmp::Ordering;

/// The order of two finite numbers; anything else compares as equal.
pub fn ascending(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Equal)
}

/// The median of the values; 0 without values. The values are reordered.
pub fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    if values.is_empty() {
        return 0.0;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, ascending);
    if !even {
        return upper;
    }
    let lower = below.iter().copied().max_by(ascending).unwrap_or(upper);
    lower + (upper - lower) / 2.0
}

/// The median of some values that are to stay in their order.
pub fn median_of(values: impl IntoIterator<Item = f64>) -> f64 {
    // Most are of a few neighbours; allocating for these took as long as finding their median.
    let (mut few, mut count) = ([0.0; 32], 0);
    let mut values = values.into_iter();
    for (place, value) in few.iter_mut().zip(values.by_ref()) {
        *place = value;
        count += 1;
    }
    match values.next() {
        None => median(&mut few[..count]),
        Some(next) => {
            let mut all = few.to_vec();
            all.push(next);
            all.extend(values);
            median(&mut all)
        }
    }
}

/// A robust slope, with its confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Slope {
    /// The median of the slopes between all pairs of points (Theil and Sen).
    pub middle: f64,
    /// A 95 % interval by the rank of Kendall's statistic, for independent noise.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Slope {
    /// One that is known, without an interval.
    pub(crate) fn exactly(middle: f64) -> Self {
        Slope { middle, low: middle, high: middle }
    }

    /// The same in another unit.
    #[must_use]
    pub(crate) fn scaled(self, by: f64) -> Self {
        Slope { middle: self.middle * by, low: self.low * by, high: self.high * by }
    }
}

/// The most points that [`slope`] pairs with each other: more would take longer without being more
/// precise.
const MOST_PAIRED: usize = 100;

/// The slope of a curve; 0 with fewer than two points at different times.
pub fn slope(times: &[f64], values: &[f64]) -> Slope {
    let chosen = thinned(times.len(), MOST_PAIRED);
    let mut slopes = slopes(times, values, &chosen);
    if slopes.is_empty() {
        return Slope::default();
    }
    let (pairs, n) = (slopes.len() as f64, chosen.len() as f64);
    let spread = 1.96 * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    let place = |rank: f64| rank.round().clamp(0.0, pairs - 1.0) as usize;
    let mut at = |rank: f64| *slopes.select_nth_unstable_by(place(rank), ascending).1;
    let low = at((pairs - spread) / 2.0);
    let high = at((pairs + spread) / 2.0);
    Slope { middle: median(&mut slopes), low, high }
}

/// The slopes between all pairs of some points that are at different times.
fn slopes(times: &[f64], values: &[f64], chosen: &[usize]) -> Vec<f64> {
    let mut slopes = Vec::with_capacity(chosen.len() * chosen.len() / 2);
    for (after, &j) in chosen.iter().enumerate() {
        for &i in &chosen[..after] {
            let distance = times[j] - times[i];
            if distance > 0.0 {
                slopes.push((values[j] - values[i]) / distance);
            }
        }
    }
    slopes
}

/// At most `most` of the numbers below `count`, evenly spread, with the first and the last.
fn thinned(count: usize, most: usize) -> Vec<usize> {
    match count <= most {
        true => (0..count).collect(),
        false => (0..most).map(|i| i * (count - 1) / (most - 1)).collect(),
    }
}

/// The highest of some values that are not negative; 0 without values.
pub fn highest(values: &[f64]) -> f64 {
    extreme(values, 0.0, |value, best| if value > best { value } else { best })
}

/// The lowest of some values; infinity without values.
pub fn lowest(values: &[f64]) -> f64 {
    extreme(values, f64::INFINITY, |value, best| if value < best { value } else { best })
}

/// The value that beats all others. Eight are compared at a time: with one, each comparison would wait for
/// the one before it.
fn extreme(values: &[f64], start: f64, better: impl Fn(f64, f64) -> f64) -> f64 {
    let mut best = [start; 8];
    let chunks = values.chunks_exact(best.len());
    let rest = chunks.remainder();
    for chunk in chunks {
        best.iter_mut().zip(chunk).for_each(|(best, &value)| *best = better(value, *best));
    }
    best.iter().chain(rest).fold(start, |best, &value| better(value, best))
}

/// The mean; 0 without values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The residual of each value after a least-squares fit of a + b·shape.
pub fn residuals(shape: &[f64], values: &[f64]) -> Vec<f64> {
    let (mean_s, mean_v) = (mean(shape), mean(values));
    let deviations = || shape.iter().zip(values).map(|(s, v)| (s - mean_s, v - mean_v));
    let ss: f64 = deviations().map(|(s, _)| s * s).sum();
    let sv: f64 = deviations().map(|(s, v)| s * v).sum();
    let slope = if ss > 0.0 { sv / ss } else { 0.0 };
    deviations().map(|(s, v)| v - slope * s).collect()
}

/// Sums with which the fit of a straight line to any stretch of values is known at once.
pub struct Fits {
    /// Of all values before each, as shares of the highest, so that squares of bytes lose no digits: x, y, x²,
    /// xy, y².
    sums: Vec<[f64; 5]>,
}

impl Fits {
    pub fn new(values: &[f64]) -> Fits {
        let (mut sums, scale) = (vec![[0.0; 5]], highest(values).max(1.0));
        for (i, &y) in values.iter().enumerate() {
            let (x, y) = (i as f64, y / scale);
            let last = sums[i];
            let terms = [x, y, x * x, x * y, y * y];
            sums.push(std::array::from_fn(|k| last[k] + terms[k]));
        }
        Fits { sums }
    }

    /// The squares that a line through the values from one to another leaves.
    pub fn left(&self, from: usize, to: usize) -> f64 {
        let Spread { dx, dy, dxy } = self.spread(from, to);
        (dy - if dx > 0.0 { dxy * dxy / dx } else { 0.0 }).max(0.0)
    }

    /// How much that line rises from one value to the next.
    pub fn slope(&self, from: usize, to: usize) -> f64 {
        let Spread { dx, dxy, .. } = self.spread(from, to);
        if dx > 0.0 { dxy / dx } else { 0.0 }
    }

    fn spread(&self, from: usize, to: usize) -> Spread {
        let n = (to + 1 - from) as f64;
        let (first, last) = (self.sums[from], self.sums[to + 1]);
        let [x, y, xx, xy, yy]: [f64; 5] = std::array::from_fn(|k| last[k] - first[k]);
        Spread { dx: xx - x * x / n, dy: yy - y * y / n, dxy: xy - x * y / n }
    }
}

/// Sums of squares and products around the means of some points.
struct Spread {
    dx: f64,
    dy: f64,
    dxy: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_statistics_do_not_interpolate_except_the_median() {
        for (values, found) in
            [(&[][..], 0.0), (&[3.0], 3.0), (&[5.0, 1.0], 3.0), (&[9.0, 1.0, 2.0], 2.0)]
        {
            assert_eq!(
                (median(&mut values.to_vec()), median_of(values.iter().copied())),
                (found, found)
            );
        }
        for count in [31, 32, 33, 34, 100] {
            let numbers = (0..count).map(|i| f64::from(i * 7 % count));
            assert_eq!(median_of(numbers), f64::from(count - 1) / 2.0, "{count}");
        }
    }

    #[test]
    fn extremes_are_found_wherever_they_are() {
        for count in 1..20 {
            for at in 0..count {
                let with = |value: f64| -> Vec<f64> {
                    (0..count).map(|i| if i == at { value } else { 5.0 }).collect()
                };
                assert_eq!((highest(&with(6.0)), lowest(&with(4.0))), (6.0, 4.0));
            }
        }
        assert_eq!((highest(&[]), lowest(&[])), (0.0, f64::INFINITY));
    }

    #[test]
    fn a_slope_is_the_median_of_those_of_all_pairs() {
        let times = [1.0, 2.0, 2.0, 4.0, 5.0, 6.0, 7.0, 9.0];
        let values = [3.0, 1.0, 8.0, 6.0, 9.0, 7.0, 12.0, 11.0];
        let mut all = Vec::new();
        for j in 0..8 {
            for i in 0..j {
                if times[j] > times[i] {
                    all.push((values[j] - values[i]) / (times[j] - times[i]));
                }
            }
        }
        all.sort_by(ascending);
        assert_eq!(all.len(), 27);
        // 1.96 standard deviations of Kendall's statistic of eight values are 15.84 pairs.
        let expected = Slope { middle: all[13], low: all[6], high: all[21] };
        assert_eq!(slope(&times, &values), expected);
        assert_eq!(slope(&[1.0, 1.0], &[1.0, 2.0]), Slope::default());
        let thin = thinned(250, 100);
        assert_eq!((thin.len(), thin[0], thin[50], thin[99]), (100, 0, 125, 249));
        assert_eq!(thinned(3, 3), [0, 1, 2]);
    }

    #[test]
    fn a_slope_in_another_unit_has_its_interval_in_it_too() {
        let slope = Slope { low: 1.0, middle: 2.0, high: 3.0 };
        assert_eq!(slope.scaled(2.0), Slope { low: 2.0, middle: 4.0, high: 6.0 });
    }
}
