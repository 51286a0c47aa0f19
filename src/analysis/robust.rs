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

/// The value that a share of the values (0 to 1) is below; 0 without values.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    if values.is_empty() {
        return 0.0;
    }
    let place = ((values.len() - 1) as f64 * share).round() as usize;
    *values.select_nth_unstable_by(place, ascending).1
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

    /// A slope of which the interval is not needed.
    #[cfg(feature = "report")]
    pub(crate) fn middle_only(middle: f64) -> Self {
        Slope { middle, ..Slope::default() }
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

pub fn middle_slope(times: &[f64], values: &[f64]) -> f64 {
    median(&mut slopes(times, values, &thinned(times.len(), MOST_PAIRED)))
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

/// Kendall's τ of the values against their order: 1 when all ascend, -1 when all descend.
pub fn kendall(values: &[f64]) -> f64 {
    let pairs = values.len() * values.len().saturating_sub(1) / 2;
    if pairs == 0 {
        return 0.0;
    }
    let mut score = 0i64;
    for (j, later) in values.iter().enumerate() {
        for earlier in &values[..j] {
            score += i64::from(later > earlier) - i64::from(later < earlier);
        }
    }
    score as f64 / pairs as f64
}

/// A least-squares fit of two straight lines that meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    pub at: usize,
    pub before: f64,
    pub after: f64,
    /// The sum of squares that is left, as a share of what one line leaves.
    pub left: f64,
}

/// Where a curve bends best. `None` for fewer than 16 points.
///
/// With running sums, every place takes the same few operations.
pub fn bend(times: &[f64], values: &[f64]) -> Option<Bend> {
    let n = times.len();
    if n < 16 {
        return None;
    }
    let (mean_t, mean_v) = (mean(times), mean(values));
    // The sums of the points from each place on, around the means.
    let mut after = vec![[0.0f64; 4]; n + 1];
    for i in (0..n).rev() {
        let (t, v) = (times[i] - mean_t, values[i] - mean_v);
        let [a, b, c, d] = after[i + 1];
        after[i] = [a + t, b + t * t, c + v, d + t * v];
    }
    let [_, tt, _, tv] = after[0];
    let vv: f64 = values.iter().map(|v| (v - mean_v) * (v - mean_v)).sum();
    if tt <= 0.0 || vv <= 0.0 {
        return None;
    }
    let straight = vv - tv * tv / tt;
    let mut best: Option<(f64, Bend)> = None;
    for at in (n / 20).max(3)..n - (n / 8).max(3) {
        let [t1, t2, v1, tv1] = after[at];
        let (knot, count) = (times[at] - mean_t, (n - at) as f64);
        // The hinge is max(0, t - knot), and hh, ht, hv are its products around its mean.
        let h1 = t1 - knot * count;
        let hh = t2 - 2.0 * knot * t1 + knot * knot * count - h1 * h1 / n as f64;
        let ht = t2 - knot * t1;
        let hv = tv1 - knot * v1;
        let determinant = tt * hh - ht * ht;
        if determinant <= 1e-9 * tt * hh {
            continue;
        }
        let before = (tv * hh - hv * ht) / determinant;
        let hinge = (hv * tt - tv * ht) / determinant;
        let squares = vv - before * tv - hinge * hv;
        if best.is_none_or(|(least, _)| squares < least) {
            let left = if straight > 0.0 { squares.max(0.0) / straight } else { 1.0 };
            best = Some((squares, Bend { at, before, after: before + hinge, left }));
        }
    }
    best.map(|(_, bend)| bend)
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

/// The sum of the squared residuals after a fit of a + b·shape.
pub fn squares_left(shape: &[f64], values: &[f64]) -> f64 {
    let (mean_s, mean_v) = (mean(shape), mean(values));
    let (mut ss, mut sv, mut vv) = (0.0, 0.0, 0.0);
    for (s, v) in shape.iter().zip(values) {
        let (s, v) = (s - mean_s, v - mean_v);
        ss += s * s;
        sv += s * v;
        vv += v * v;
    }
    if ss > 0.0 { (vv - sv * sv / ss).max(0.0) } else { vv }
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
        let values = [4.0, 1.0, 3.0, 2.0, 5.0];
        let found = [0.0, 0.12, 0.13, 0.5, 0.95, 1.0].map(|share| quantile(&values, share));
        assert_eq!(found, [1.0, 1.0, 2.0, 3.0, 5.0, 5.0]);
        assert_eq!(quantile(&[], 0.5), 0.0);
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
        assert_eq!(middle_slope(&times, &values), all[13]);
        assert_eq!(slope(&[1.0, 1.0], &[1.0, 2.0]), Slope::default());
        let thin = thinned(250, 100);
        assert_eq!((thin.len(), thin[0], thin[50], thin[99]), (100, 0, 125, 249));
        assert_eq!(thinned(3, 3), [0, 1, 2]);
    }

    #[test]
    fn order_is_counted_in_pairs() {
        for (values, found) in [
            (&[1.0, 2.0, 3.0][..], 1.0),
            (&[3.0, 2.0, 1.0], -1.0),
            (&[1.0, 2.0, 2.0, 0.0], -1.0 / 6.0),
            (&[1.0], 0.0),
            (&[], 0.0),
        ] {
            assert_eq!(kendall(values), found, "{values:?}");
        }
    }

    #[test]
    fn two_lines_that_meet_are_found() {
        let times: Vec<f64> = (0..40).map(|i| 1000.0 + f64::from(i)).collect();
        for knot in 3..35 {
            let hinge = |i: usize| i as f64 + 2.0 * i.saturating_sub(knot) as f64;
            let found = bend(&times, &(0..40).map(hinge).collect::<Vec<_>>()).expect("a bend");
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert_eq!(found.at, knot);
            assert!(near(found.before, 1.0) && near(found.after, 3.0) && near(found.left, 0.0));
        }
        // What is left is what the two lines leave of what one leaves.
        let values: Vec<f64> = (0..40)
            .map(|i| f64::from(i) + f64::from((i * 17) % 13) + f64::from(30.max(i)))
            .collect();
        let found = bend(&times, &values).expect("a bend");
        let hinge = |t: &f64| (t - times[found.at]).max(0.0);
        let lines: Vec<f64> = times
            .iter()
            .map(|t| found.before * t + (found.after - found.before) * hinge(t))
            .collect();
        let off: Vec<f64> = values.iter().zip(&lines).map(|(value, line)| value - line).collect();
        let left = squares_left(&[0.0; 40], &off) / squares_left(&times, &values);
        assert!((found.left - left).abs() < 1e-9 && left < 0.9, "{found:?} {left}");
        // Nor does the unit of time matter.
        let scaled: Vec<f64> = times.iter().map(|t| 1e-6 * t).collect();
        assert_eq!(bend(&scaled, &values).map(|bend| bend.at), Some(found.at));
        let some = |n: usize| bend(&times[..n], &values[..n]).is_some();
        assert!(some(16) && !some(15));
        assert_eq!(bend(&times, &[7.0; 40]), None);
        assert_eq!(bend(&[7.0; 40], &values), None);
    }

    #[test]
    fn what_a_fit_leaves_is_the_sum_of_the_squared_residuals() {
        let (shape, values) = ([3.0, 4.0, 5.0], [7.0, 8.0, 12.0]);
        assert_eq!(residuals(&shape, &values), [0.5, -1.0, 0.5]);
        assert_eq!(squares_left(&shape, &values), 1.5);
        assert_eq!(residuals(&[2.0; 3], &values), [-2.0, -1.0, 3.0]);
        assert_eq!(squares_left(&[2.0; 3], &values), 14.0);
        assert_eq!((mean(&values), mean(&[])), (9.0, 0.0));
    }

    #[test]
    fn a_bend_is_not_looked_for_at_the_ends() {
        let times: Vec<f64> = (0..40).map(f64::from).collect();
        for knot in [1, 2, 36, 38] {
            let hinge = |i: usize| i as f64 + 2.0 * i.saturating_sub(knot) as f64;
            let found = bend(&times, &(0..40).map(hinge).collect::<Vec<_>>()).expect("a bend");
            assert!((3..35).contains(&found.at), "{knot}: {}", found.at);
        }
    }

    #[test]
    fn a_slope_in_another_unit_has_its_interval_in_it_too() {
        let slope = Slope { low: 1.0, middle: 2.0, high: 3.0 };
        assert_eq!(slope.scaled(2.0), Slope { low: 2.0, middle: 4.0, high: 6.0 });
    }
}
