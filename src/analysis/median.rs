//! Medians, extremes and means of a few thousand values.
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
}
