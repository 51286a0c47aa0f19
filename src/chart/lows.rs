//! The line of lows: where what is accused falls on its way, only its lows show that it grows.

use crate::analysis::constants::{TOLD, TOOTH};
use crate::analysis::lows;
use crate::base::units::Nanos;

/// The lows of a curve by its times, with its ends where they are lows; none of a curve that hardly falls on its way.
pub(crate) fn line_of_lows(curve: &[(Nanos, f64)]) -> Vec<(Nanos, f64)> {
    let values: Vec<f64> = curve.iter().map(|(_, bytes)| *bytes).collect();
    let [Some(first), Some(last)] = [values.first(), values.last()] else { return Vec::new() };
    let (mut top, mut fall, mut low) = (*first, 0.0f64, *first);
    for value in &values {
        (top, low) = (top.max(*value), low.min(*value));
        fall = fall.max(top - value);
    }
    if fall <= TOLD * (last - first) {
        return Vec::new();
    }
    let height = TOOTH * (top - low);
    let (end, mut found) = (values.len() - 1, lows(&values, height));
    if found.first().is_none_or(|&low| low > 0 && *first <= values[low]) {
        found.insert(0, 0);
    }
    if found.last().is_some_and(|&low| low < end && *last <= values[low] + height) {
        found.push(end);
    }
    found.into_iter().map(|at| curve[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: impl IntoIterator<Item = i32>) -> Vec<(Nanos, f64)> {
        let one = |(at, value)| (Nanos::from_nanos(at), f64::from(value));
        (0..).zip(values).map(one).collect()
    }

    #[test]
    fn a_line_of_lows_goes_through_the_lows_of_what_falls_on_its_way() {
        let teeth = curve((0..40).map(|i| i % 10 * 10 + i / 10 * 4));
        let found = line_of_lows(&teeth);
        let found: Vec<(i64, f64)> = found.iter().map(|(at, low)| (at.as_nanos(), *low)).collect();
        assert_eq!(found, [(0, 0.0), (10, 4.0), (20, 8.0), (30, 12.0)]);
        assert_eq!(line_of_lows(&curve([0, 10, 8, 20, 30])), []);
        assert_eq!(line_of_lows(&[]), []);
    }
}
