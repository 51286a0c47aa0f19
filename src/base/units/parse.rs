//! Times and amounts of memory as people type them.
//!
//! Decimals are read exactly: a value is a whole number of billionths, so `1.5 G` loses nothing on
//! the way through a floating-point number.

use std::str::FromStr;

use thiserror::Error;

use super::{Bytes, Nanos};

/// A text that is not a time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a time: write 1.5s, 200ms, 2min or 1h; a plain number is in seconds")]
pub struct TimeError(String);

/// A text that is not an amount of memory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not an amount of memory: write 80M, 1.5G or 64k (binary), 80MB (decimal), or bytes"
)]
pub struct BytesError(String);

impl FromStr for Nanos {
    type Err = TimeError;

    /// A decimal number and a unit: `ns`, `us` or `µs`, `ms`, `s`, `min` or `m`, `h`, `d`. Without
    /// a unit it is seconds. Rounded down to whole nanoseconds.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let wrong = || TimeError(text.to_owned());
        let (number, unit) = split(text).ok_or_else(wrong)?;
        let nanos: u64 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "" | "s" => 1_000_000_000,
            "m" | "min" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "d" => 86_400_000_000_000,
            _ => return Err(wrong()),
        };
        let value = scaled(number, nanos).ok_or_else(wrong)?;
        match i128::try_from(value).map(Nanos::read) {
            Ok((time, false)) => Ok(time),
            Ok((_, true)) | Err(_) => Err(wrong()),
        }
    }
}

impl FromStr for Bytes {
    type Err = BytesError;

    /// A decimal number and a unit: `k`, `M`, `G`, `T`, with or without `iB`, are binary; `kB`,
    /// `MB`, `GB`, `TB` are decimal; `B` or none is bytes. Case counts only where it must not be
    /// guessed: `m` is not a unit. Rounded down to whole bytes.
    fn from_str(text: &str) -> Result<Self, BytesError> {
        let wrong = || BytesError(text.to_owned());
        let (number, unit) = split(text).ok_or_else(wrong)?;
        let bytes: u64 = match unit {
            "" | "B" => 1,
            "k" | "K" | "KiB" | "kiB" | "Ki" => 1 << 10,
            "M" | "MiB" | "Mi" => 1 << 20,
            "G" | "GiB" | "Gi" => 1 << 30,
            "T" | "TiB" | "Ti" => 1 << 40,
            "kB" | "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "TB" => 1_000_000_000_000,
            _ => return Err(wrong()),
        };
        let value = scaled(number, bytes).ok_or_else(wrong)?;
        u64::try_from(value).map(Bytes::new).map_err(|_| wrong())
    }
}

/// The number at the front, and what follows it.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    number.contains(|c: char| c.is_ascii_digit()).then(|| (number, unit.trim_start()))
}

/// `number * unit`, rounded down; `None` when it is not a number or far too big.
fn scaled(number: &str, unit: u64) -> Option<u128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    // Further digits could not change a value below 2^64.
    let part = &part[..part.len().min(18)];
    let digits = |text: &str| match text {
        "" => Some(0),
        _ if text.len() <= 20 => text.parse::<u128>().ok(),
        _ => None,
    };
    let ten = 10_u128.pow(part.len() as u32);
    let value = digits(whole)? * u128::from(unit);
    Some(value + digits(part)? * u128::from(unit) / ten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_unit() {
        for (text, nanos) in [
            ("1.5s", 1_500_000_000),
            ("200ms", 200_000_000),
            ("2min", 120_000_000_000),
            ("2 m", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("1d", 86_400_000_000_000),
            ("0.25", 250_000_000),
            (".5", 500_000_000),
            ("3.", 3_000_000_000),
            ("7us", 7_000),
            ("7 µs", 7_000),
            ("0.9ns", 0),
            ("2305843009.213693952", 1 << 61),
        ] {
            assert_eq!(text.parse(), Ok(Nanos::from_nanos(nanos)), "{text}");
        }
        for text in ["", "s", ".", "1.5.2s", "-1s", "1 fortnight", "1e3", "2305843009.3", "1,5s"] {
            assert!(text.parse::<Nanos>().is_err(), "{text}");
        }
    }

    #[test]
    fn amounts_are_read_in_binary_and_decimal_units() {
        for (text, bytes) in [
            ("80M", 80 << 20),
            ("80MiB", 80 << 20),
            ("80 MB", 80_000_000),
            ("1.5G", 3 << 29),
            ("64k", 64 << 10),
            ("64K", 64 << 10),
            ("64kB", 64_000),
            ("2T", 2 << 40),
            ("12345", 12_345),
            ("7B", 7),
            ("0.5", 0),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(text.parse(), Ok(Bytes::new(bytes)), "{text}");
        }
        for text in ["", "M", "1m", "1 Mb", "18446744073709551616", "16777216T", "-1", "1e9"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }
}
