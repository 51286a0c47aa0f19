//! Columns of numbers in the page's data.

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// The largest number up to which JavaScript holds all whole numbers exactly.
pub const MOST: i64 = (1 << 53) - 1;

/// Numbers as their unit and their differences in it, each from the one before and the first from 0. Small numbers deflate
/// well; neighbouring samples differ little, and closures are whole words. Most bands stay as they are for many samples: a
/// list of one number says how many differences in a row are 0. For numbers that JavaScript does not hold exactly, the unit
/// is doubled until it does.
#[derive(Debug, Default, PartialEq)]
pub struct Deltas(Vec<i64>);

impl Deltas {
    /// Of amounts; those that no 64 bits with a sign can hold are set to the greatest.
    pub fn new(values: impl IntoIterator<Item = impl Into<u128>>) -> Self {
        Deltas(
            values
                .into_iter()
                .map(|value| i64::try_from(value.into()).unwrap_or(i64::MAX))
                .collect(),
        )
    }

    /// Of times in nanoseconds.
    pub fn of_times(times: impl IntoIterator<Item = i64>) -> Self {
        Deltas(times.into_iter().map(|time| time.clamp(-MOST, MOST)).collect())
    }
}

impl Serialize for Deltas {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let runs = || self.0.chunk_by(|a, b| a == b);
        let mut unit = runs().fold(0, |unit, run| divisor(run[0].abs(), unit)).max(1);
        let most = self.0.iter().copied().max().unwrap_or(0);
        while most / unit > MOST {
            unit *= 2;
        }
        let mut list = serializer.serialize_seq(None)?;
        list.serialize_element(&unit)?;
        let mut before = 0;
        for run in runs() {
            let value = run[0] / unit;
            list.serialize_element(&(value - before))?;
            before = value;
            match run.len() - 1 {
                few @ 0..FEWEST => (0..few).try_for_each(|_| list.serialize_element(&0))?,
                many => list.serialize_element(&[many])?,
            }
        }
        list.end()
    }
}

/// Fewer zeros in a row are written one by one.
const FEWEST: usize = 3;

/// The greatest common divisor; that of 0 and a number is the number.
fn divisor(mut a: i64, mut b: i64) -> i64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A sum as a number of 64 bits: a greater one is set to the greatest.
pub fn saturated(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// A number with three digits, which is what a page shows of it; 0 if it is none.
pub fn three_digits(value: f64) -> f64 {
    if value.is_finite() { format!("{value:.2e}").parse().unwrap_or(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(deltas: &Deltas) -> String {
        serde_json::to_string(deltas).expect("plain data")
    }

    #[test]
    fn deltas_add_up_to_the_numbers() {
        assert_eq!(json(&Deltas::new([24_u64, 72, 48, 0])), "[24,1,2,-1,-2]");
        assert_eq!(json(&Deltas::of_times([5, 15, i64::MIN])), format!("[1,5,10,{}]", -MOST - 15));
        assert_eq!(json(&Deltas::new([0_u64; 0])), "[1]");
        assert_eq!(json(&Deltas::new([8_u64, 8, 8, 16, 16, 16, 16, 0])), "[8,1,0,0,1,[3],-2]");
    }

    #[test]
    fn javascript_adds_up_the_greatest_numbers_exactly() {
        let steps = json(&Deltas::new([u128::MAX, 0, 96]));
        assert_eq!(steps, format!("[1024,{0},-{0},0]", i64::MAX / 1024));
    }
}
