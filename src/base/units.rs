//! The two quantities every number in a profile is made of: a time and an amount of memory.
//!
//! Both are thin integers, so that nothing is rounded between the file and the picture; only the
//! human forms at the bottom of this file round.

pub(crate) mod parse;

use std::fmt;

use serde::Serialize;

pub use parse::{BytesError, TimeError};

/// A point on a profile's clock, or a distance on it, in nanoseconds.
///
/// Signed, because a real clock can be before its own origin: with the non-moving collector
/// GHC charges the collector's CPU time against the mutator and writes times below zero.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(i64);

impl Nanos {
    /// The origin of the clock.
    pub const ZERO: Nanos = Nanos(0);

    /// Where times that are read end, on both sides of the origin: 2^61 ns, 73 years. Sums and differences of two that
    /// were read, and of such a difference and a time, do not overflow, whatever a file says.
    pub(crate) const END: Nanos = Nanos(1 << 61);

    /// A time of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Nanos(nanos)
    }

    /// A time of `nanos` nanoseconds as event logs store it; beyond 73 years it is the latest
    /// time that is read.
    pub const fn from_unsigned_nanos(nanos: u64) -> Self {
        if nanos > Self::END.0 as u64 { Self::END } else { Nanos(nanos as i64) }
    }

    /// A time that was read, and whether it is beyond 73 years; then it is the latest one, or the earliest.
    pub(crate) fn read(nanos: i128) -> (Self, bool) {
        let end = i128::from(Self::END.0);
        let read = nanos.clamp(-end, end);
        (Nanos(read as i64), read != nanos)
    }

    /// The number of nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// Seconds. Exactly the double nearest to the decimal seconds of a `.hp` file for times below
    /// 2^53 ns (104 days), because both numerator and divisor are then exact.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Seconds as `.hp` files write them, exactly: six decimals, up to nine where they are needed.
    pub fn to_decimal_seconds(self) -> String {
        let nanos = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let mut text = format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000);
        let needless = text.bytes().rev().take(3).take_while(|&digit| digit == b'0').count();
        text.truncate(text.len() - needless);
        text
    }

    /// The distance from `earlier` to `self`, saturating.
    pub const fn since(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Nanos {
    /// Human form with three significant digits: `41.2 s`, `830 ms`, `3 min 20 s`, `2 h 5 min`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.as_seconds();
        let (sign, s) = if seconds < 0.0 { ("-", -seconds) } else { ("", seconds) };
        if s == 0.0 {
            write!(f, "0 s")
        } else if s < 1e-6 {
            write!(f, "{sign}{} ns", self.0.unsigned_abs())
        } else if s < 999.5e-6 {
            write!(f, "{sign}{} µs", three_digits(s * 1e6))
        } else if s < 0.9995 {
            write!(f, "{sign}{} ms", three_digits(s * 1e3))
        } else if s < 119.5 {
            write!(f, "{sign}{} s", three_digits(s))
        } else if s < 3570.0 {
            let whole = s.round() as u64;
            write!(f, "{sign}{} min", whole / 60)?;
            if whole.is_multiple_of(60) { Ok(()) } else { write!(f, " {} s", whole % 60) }
        } else {
            let minutes = (s / 60.0).round() as u64;
            write!(f, "{sign}{} h", minutes / 60)?;
            if minutes.is_multiple_of(60) { Ok(()) } else { write!(f, " {} min", minutes % 60) }
        }
    }
}

/// An amount of memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Bytes(u64);

impl Bytes {
    /// No memory.
    pub const ZERO: Bytes = Bytes(0);

    /// An amount of `bytes` bytes.
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum, or the largest amount if the sum is larger: this happens only with crafted files,
    /// whose single values already exceed any address space.
    #[must_use]
    pub const fn plus(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}

/// Which units amounts of memory are shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum UnitSystem {
    /// KiB, MiB, GiB: powers of 1024, as GHC and most tools for programmers count.
    #[default]
    Binary,
    /// kB, MB, GB: powers of 1000.
    Si,
}

impl UnitSystem {
    /// How many of a unit make one of the next.
    pub(crate) const fn base(self) -> u64 {
        match self {
            UnitSystem::Binary => 1024,
            UnitSystem::Si => 1000,
        }
    }

    /// The units' names, each [`UnitSystem::base`] times the one before.
    pub(crate) const fn names(self) -> [&'static str; 9] {
        match self {
            UnitSystem::Binary => ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"],
            UnitSystem::Si => ["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"],
        }
    }

    /// An amount as people read it, such as `1.5 MiB`.
    pub fn bytes(self, amount: Bytes) -> String {
        self.text(u128::from(amount.get()))
    }

    /// An amount in the human form of [`Bytes`]; sums may exceed 64 bits.
    pub(crate) fn text(self, bytes: u128) -> String {
        let (base, names) = (self.base() as f64, self.names());
        if bytes < u128::from(self.base()) {
            return format!("{bytes} B");
        }
        let mut value = bytes as f64 / base;
        let mut unit = 1;
        // 1023.5 would print as "1024 KiB".
        while value >= base - 0.5 && unit + 1 < names.len() {
            value /= base;
            unit += 1;
        }
        format!("{} {}", three_digits(value), names[unit])
    }
}

impl fmt::Display for Bytes {
    /// Human form in binary units with three significant digits: `512 B`, `14.2 MiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&UnitSystem::Binary.text(u128::from(self.0)))
    }
}

/// A number of things in words: `1 sample`, `12 samples`.
pub fn count(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

/// A share of a whole in percent, with enough digits to distinguish it from 0 and from 100.
pub fn percent(part: u128, whole: u128) -> String {
    if whole == 0 {
        return "0 %".to_owned();
    }
    percent_text(100.0 * part as f64 / whole as f64)
}

/// A number of percent, with enough digits to distinguish it from 0 and from 100.
pub fn percent_text(share: f64) -> String {
    if share <= 0.0 || share == 100.0 {
        format!("{:.0} %", share.max(0.0))
    } else if share < 0.01 {
        "< 0.01 %".to_owned()
    } else if share < 1.0 {
        format!("{share:.2} %")
    } else if !(99.95..100.0).contains(&share) {
        format!("{share:.1} %")
    } else {
        "> 99.9 %".to_owned()
    }
}

/// A number of percent without digits after the point, which distinguishes it from 0.
pub fn whole_percent(share: f64) -> String {
    match share > 0.0 && share <= 0.5 {
        true => "< 1 %".to_owned(),
        false => format!("{share:.0} %"),
    }
}

/// `value` with three significant digits and no trailing zeros after the point.
fn three_digits(value: f64) -> String {
    let decimals = match value {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_change_unit_before_they_need_four_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (1_047_552, "1023 KiB"),
            (1_048_064, "1 MiB"),
            (15_204_352, "14.5 MiB"),
            (u64::MAX, "16 EiB"),
        ] {
            assert_eq!(Bytes::new(bytes).to_string(), text);
        }
    }

    #[test]
    fn times_are_written_in_the_usual_form() {
        for (nanos, text) in [
            (0, "0 s"),
            (17, "17 ns"),
            (41_200, "41.2 µs"),
            (999_400, "999 µs"),
            (999_600, "1 ms"),
            (830_000_000, "830 ms"),
            (41_230_000_000, "41.2 s"),
            (200_000_000_000, "3 min 20 s"),
            (180_000_000_000, "3 min"),
            (7_500_000_000_000, "2 h 5 min"),
            (-114_352_000, "-114 ms"),
        ] {
            assert_eq!(Nanos::from_nanos(nanos).to_string(), text);
        }
    }

    #[test]
    fn decimal_seconds_are_exact() {
        for (nanos, text) in [
            (0, "0.000000"),
            (42_452_000, "0.042452"),
            (1_500_000_100, "1.5000001"),
            (-3_706_001, "-0.003706001"),
            (i64::MAX, "9223372036.854775807"),
            (i64::MIN, "-9223372036.854775808"),
        ] {
            assert_eq!(Nanos::from_nanos(nanos).to_decimal_seconds(), text);
        }
    }

    #[test]
    fn a_share_is_rounded_to_neither_nothing_nor_everything() {
        assert_eq!(percent(0, 10), "0 %");
        assert_eq!(percent(1, 1_000_000), "< 0.01 %");
        assert_eq!(percent(5, 1000), "0.50 %");
        assert_eq!(percent(999_999, 1_000_000), "> 99.9 %");
        assert_eq!(percent(10, 10), "100 %");
        assert_eq!(percent(1, 0), "0 %");
        assert_eq!([0.0, 0.5, 0.6, 99.9].map(whole_percent), ["0 %", "< 1 %", "1 %", "100 %"]);
    }
}
