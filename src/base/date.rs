//! The date and time of an instant, as people write them: in UTC, or with an explicit offset from
//! it. Time zones are not supported: their rules change from year to year, and the output has to be
//! the same everywhere.

use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp};

use super::units::Nanos;

/// Time zero of computers.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
/// Nanoseconds in a day.
pub const DAY: i64 = 24 * 60 * MINUTE;

/// A time on the wall clock, as a user writes it: an instant, `2026-11-22T03:10Z`, `2026-11-22 03:10:30+01:00`,
/// `2026-11-22`, or a time of day, `03:10`. Without an offset it is UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WallTime {
    text: String,
    /// Days since 1970; `None` for a time of day.
    day: Option<i64>,
    /// Nanoseconds since midnight UTC of that day, or of any day; with an offset, below zero or beyond a day.
    of_day: i64,
}

impl WallTime {
    /// The time as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The time since the start of a run, which was at `started` (nanoseconds since 1970). A time of day is
    /// the first between `from` and `to`; if none is there, it is the one nearest to them.
    pub fn in_run(&self, started: i64, from: Nanos, to: Nanos) -> Nanos {
        let (day, from, to) =
            (i128::from(DAY), i128::from(from.as_nanos()), i128::from(to.as_nanos()));
        let since =
            |days: i64| i128::from(days) * day + i128::from(self.of_day) - i128::from(started);
        let time = match self.day {
            Some(days) => since(days),
            None => {
                let next = from + (since(0) - from).rem_euclid(day);
                let before = next - day;
                if next <= to || next - to <= from - before { next } else { before }
            }
        };
        let most = i128::from(i64::MAX);
        Nanos::from_nanos(time.clamp(-most, most) as i64)
    }
}

impl FromStr for WallTime {
    type Err = NotWallTime;

    fn from_str(text: &str) -> Result<Self, NotWallTime> {
        let (day, of_day) = read(text.trim()).ok_or(NotWallTime)?;
        Ok(WallTime { text: text.trim().to_owned(), day, of_day })
    }
}

/// A text is not a time on the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotWallTime;

/// The day and the time of day in a text.
fn read(text: &str) -> Option<(Option<i64>, i64)> {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else {
        return match day_of(text) {
            Some(day) => Some((Some(day), 0)),
            None => Some((None, time_of_day(text)?)),
        };
    };
    Some((Some(day_of(date)?), time_of_day(time)?))
}

/// The days from 1970 to a date, `2026-11-22`.
fn day_of(text: &str) -> Option<i64> {
    // Further forms that the library reads are of other fields, such as `20261122`.
    let date = text.parse::<Date>().ok().filter(|date| date.to_string() == text)?;
    Some(EPOCH.date().until(date).ok()?.get_days().into())
}

/// Nanoseconds since midnight in UTC, of a time of day that may have an offset.
fn time_of_day(text: &str) -> Option<i64> {
    let hour = text.split_once(':')?.0;
    let zero = if hour.len() == 1 { "0" } else { "" };
    let utc = if text.contains(['Z', 'z', '+', '-', '\u{2212}']) { "" } else { "Z" };
    let at = format!("1970-01-01T{zero}{text}{utc}").replace('\u{2212}', "-");
    at.parse::<Timestamp>().ok()?.as_nanosecond().try_into().ok()
}

/// The day of an instant in UTC, `2026-11-20`; `None` outside the years 1 to 9999.
pub fn day(unix_ns: i128) -> Option<String> {
    let second = i128::from(SECOND);
    let seconds = i64::try_from(unix_ns.div_euclid(second)).ok()?;
    let at = EPOCH.checked_add(SignedDuration::from_secs(seconds)).ok()?;
    (at.year() > 0).then(|| at.date().to_string())
}

/// The time of day of an instant in UTC, `23:53:07.25`, for instants that are `step` nanoseconds apart:
/// with the seconds, and the digits of their parts, in which these differ.
pub fn time_of(unix_ns: i128, step: i128) -> String {
    let in_day = unix_ns.rem_euclid(i128::from(DAY)) as i64;
    let (hour, minute) = (in_day / MINUTE / 60, in_day / MINUTE % 60);
    let mut text = format!("{hour:02}:{minute:02}");
    if step % i128::from(MINUTE) != 0 {
        text.push_str(&format!(":{:02}", in_day / SECOND % 60));
    }
    if step % i128::from(SECOND) != 0 {
        let digits = (1..=9).find(|&digits| step % 10_i128.pow(9 - digits) == 0).unwrap_or(9);
        let part = in_day % SECOND / 10_i64.pow(9 - digits);
        text.push_str(&format!(".{part:0width$}", width = digits as usize));
    }
    text
}

/// An instant to the second, `2026-11-20 23:53:07`; `None` outside the years 1 to 9999.
pub fn to_the_second(unix_ns: i128) -> Option<String> {
    Some(format!("{} {}", day(unix_ns)?, time_of(unix_ns, i128::from(SECOND))))
}

/// `2026-11-20 23:53 UTC`, from nanoseconds since 1970; `None` outside the years 1 to 9999.
pub fn utc(unix_ns: i128) -> Option<String> {
    Some(format!("{} {} UTC", day(unix_ns)?, time_of(unix_ns, i128::from(MINUTE))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_converted_to_dates_and_minutes() {
        for (seconds, text) in [
            (0, Some("1970-01-01 00:00 UTC")),
            (-1, Some("1969-12-31 23:59 UTC")),
            (951_782_400, Some("2000-02-29 00:00 UTC")),
            (1_700_000_000, Some("2023-11-14 22:13 UTC")),
            (4_102_444_799, Some("2099-12-31 23:59 UTC")),
            (253_402_300_799, Some("9999-12-31 23:59 UTC")),
            (253_402_300_800, None),
            (-62_135_596_800, Some("0001-01-01 00:00 UTC")),
            (-62_135_596_801, None),
        ] {
            assert_eq!(utc(seconds * 1_000_000_000).as_deref(), text, "{seconds}");
        }
        assert_eq!((utc(i128::MAX), utc(i128::MIN)), (None, None));
    }

    #[test]
    fn a_time_of_day_is_the_first_in_the_run_or_the_nearest_to_it() {
        let hour = 60 * MINUTE;
        // It starts on the second of January 1970, at 22:00.
        let started = DAY + 22 * hour;
        let of = |text: &str, hours: i64| {
            let time: WallTime = text.parse().unwrap();
            let to = Nanos::from_nanos(hours * hour);
            time.in_run(started, Nanos::ZERO, to).as_nanos() as f64 / hour as f64
        };
        assert_eq!((of("23:30", 9), of("03:00", 9)), (1.5, 5.0));
        assert_eq!((of("03:00", 60), of("22:00", 60)), (5.0, 0.0));
        assert_eq!((of("21:30", 9), of("07:30", 9)), (-0.5, 9.5));
        assert_eq!((of("1970-01-03", 9), of("1970-01-01T00:00+02:00", 9)), (2.0, -48.0));
        assert_eq!(of("03:00+01:00", 9), 4.0);
        let far: WallTime = "9999-12-31".parse().unwrap();
        assert!(far.in_run(i64::MIN, Nanos::ZERO, Nanos::ZERO).as_nanos() > 0);
    }

    #[test]
    fn instants_have_the_digits_in_which_they_differ() {
        let at = 86_399_012_345_678_i128;
        for (step, text) in [
            (60 * SECOND, "23:59"),
            (SECOND, "23:59:59"),
            (SECOND / 2, "23:59:59.0"),
            (SECOND / 100, "23:59:59.01"),
            (20_000, "23:59:59.01234"),
            (1, "23:59:59.012345678"),
        ] {
            assert_eq!(time_of(at, i128::from(step)), text);
        }
        assert_eq!(time_of(-1, 1), "23:59:59.999999999");
        assert_eq!(to_the_second(-1).as_deref(), Some("1969-12-31 23:59:59"));
    }
}
