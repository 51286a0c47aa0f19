//! Number tokens and what they mean as a time or an amount.

use super::unread::{Tail, Unread};
use crate::base::units::{Bytes, Nanos};

/// The longest number token; further bytes begin another.
pub const MAX_NUMBER: usize = 32;

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<'a> {
    /// Whether a minus precedes it, which hp2ps does not support.
    sign: Sign,
    /// Digits and points, the first a digit.
    digits: &'a [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// Whether a quantity is the number as written or, if that is out of range, the nearest possible
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// As it is written.
    Exact,
    /// The nearest.
    Clamped,
}

impl<'a> Number<'a> {
    /// The number at the front with its length; `Some(None)` without one.
    pub fn read(text: Unread<'a>) -> Option<Option<(Self, usize)>> {
        let (sign, skip) = match text.bytes.first() {
            Some(b'-') => (Sign::Minus, 1),
            _ => (Sign::Plus, 0),
        };
        let rest = text.from(skip).bytes;
        let window = &rest[..rest.len().min(MAX_NUMBER)];
        match window.first() {
            Some(byte) if byte.is_ascii_digit() => {}
            None if text.tail == Tail::Open => return None,
            _ => return Some(None),
        }
        let end = window.iter().position(|&byte| !(byte.is_ascii_digit() || byte == b'.'));
        let full = window.len() == MAX_NUMBER || text.tail == Tail::Final;
        let end = end.or(full.then_some(window.len()))?;
        Some(Some((Number { sign, digits: &window[..end] }, skip + end)))
    }

    /// Its digits and points.
    pub fn digits(self) -> &'a [u8] {
        self.digits
    }

    /// A number of digits only.
    pub fn from_digits(digits: &'a [u8]) -> Self {
        Number { sign: Sign::Plus, digits }
    }

    /// Whether it has a point: hp2ps accepts times only with one and values only without.
    pub fn has_point(self) -> bool {
        self.digits.contains(&b'.')
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.sign == Sign::Minus
    }

    /// The longest valid prefix, split at its point.
    fn parts(self) -> (&'a [u8], &'a [u8]) {
        let mut parts = self.digits.splitn(3, |&byte| byte == b'.');
        (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
    }

    /// The number as C's `atof` reads it, without the sign.
    pub fn as_double(self) -> f64 {
        let (whole, fraction) = self.parts();
        let point = if fraction.is_empty() { 0 } else { 1 + fraction.len() };
        let prefix = &self.digits[..whole.len() + point];
        // Digits with at most one point among them, which are always a number.
        str::from_utf8(prefix).ok().and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// The number as bytes: a whole number between zero and the greatest possible one.
    pub fn bytes(self) -> (Bytes, Rounding) {
        let (whole, _) = self.parts();
        match (self.sign, decimal(whole)) {
            (Sign::Plus, Some(value)) => (Bytes::new(value), Rounding::Exact),
            (Sign::Plus, None) => (Bytes::new(u64::MAX), Rounding::Clamped),
            (Sign::Minus, Some(0)) => (Bytes::ZERO, Rounding::Exact),
            (Sign::Minus, _) => (Bytes::ZERO, Rounding::Clamped),
        }
    }

    /// The number as seconds, from the decimal text: a double would already be off by nanoseconds
    /// after some weeks. Decimals beyond the ninth round to nearest.
    pub fn seconds(self) -> (Nanos, Rounding) {
        let (whole, fraction) = self.parts();
        let mut nanos = fraction
            .iter()
            .chain(b"000000000")
            .take(9)
            .fold(0i128, |nanos, &digit| 10 * nanos + i128::from(digit - b'0'));
        nanos += i128::from(fraction.get(9).is_some_and(|&digit| digit >= b'5'));
        // Whole seconds beyond u64 are beyond i64 nanoseconds by far.
        nanos += i128::from(decimal(whole).unwrap_or(u64::MAX)) * 1_000_000_000;
        if self.is_negative() {
            nanos = -nanos;
        }
        match i64::try_from(nanos) {
            Ok(nanos) => (Nanos::from_nanos(nanos), Rounding::Exact),
            Err(_) if nanos < 0 => (Nanos::from_nanos(i64::MIN), Rounding::Clamped),
            Err(_) => (Nanos::from_nanos(i64::MAX), Rounding::Clamped),
        }
    }
}

/// The value of decimal digits; `None` beyond u64.
fn decimal(digits: &[u8]) -> Option<u64> {
    digits
        .iter()
        .try_fold(0u64, |value, &digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number<'_> {
        let text = Unread { bytes: text.as_bytes(), tail: Tail::Final };
        Number::read(text).unwrap().unwrap().0
    }

    #[test]
    fn a_number_ends_after_32_digits_and_points() {
        let digits = "1".repeat(40);
        let text = Unread { bytes: digits.as_bytes(), tail: Tail::Open };
        assert_eq!(Number::read(text).unwrap().unwrap().1, 32);
        let open = |bytes| Number::read(Unread { bytes, tail: Tail::Open });
        assert_eq!(open(b"12"), None);
        assert_eq!(open(b"-"), None);
        assert_eq!(open(b"-x"), Some(None));
        assert_eq!(open(b".5"), Some(None));
        assert_eq!(open(b"-1e").unwrap().unwrap().1, 2);
    }

    #[test]
    fn amounts_are_exact_up_to_64_bits_and_capped_there() {
        for (text, value, rounding) in [
            ("0", 0, Rounding::Exact),
            ("9007199254740993", 9_007_199_254_740_993, Rounding::Exact),
            ("18446744073709551615", u64::MAX, Rounding::Exact),
            ("18446744073709551616", u64::MAX, Rounding::Clamped),
            ("000000000000000000000000000007", 7, Rounding::Exact),
            ("3.9", 3, Rounding::Exact),
            ("-0", 0, Rounding::Exact),
            ("-5", 0, Rounding::Clamped),
        ] {
            assert_eq!(number(text).bytes(), (Bytes::new(value), rounding), "{text}");
        }
    }

    #[test]
    fn times_are_exact_to_the_nanosecond() {
        for (text, nanos, rounding) in [
            ("0.042452", 42_452_000, Rounding::Exact),
            ("1.", 1_000_000_000, Rounding::Exact),
            ("1.5.9", 1_500_000_000, Rounding::Exact),
            ("7", 7_000_000_000, Rounding::Exact),
            ("-0.003706", -3_706_000, Rounding::Exact),
            ("0.0000000014", 1, Rounding::Exact),
            ("0.0000000015", 2, Rounding::Exact),
            ("0.9999999999", 1_000_000_000, Rounding::Exact),
            ("9223372036.854775807", i64::MAX, Rounding::Exact),
            ("9223372036.854775808", i64::MAX, Rounding::Clamped),
            ("99999999999999999999.0", i64::MAX, Rounding::Clamped),
            ("-99999999999999999999.0", i64::MIN, Rounding::Clamped),
        ] {
            assert_eq!(number(text).seconds(), (Nanos::from_nanos(nanos), rounding), "{text}");
        }
    }
}
