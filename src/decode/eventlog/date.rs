//! The date and time of an instant, as people write them.

/// `2026-11-20 23:53 UTC`, from nanoseconds since 1970; `None` outside the years 1 to 9999.
pub fn utc(unix_ns: i128) -> Option<String> {
    let minutes = i64::try_from(unix_ns.div_euclid(60_000_000_000)).ok()?;
    let (year, month, day) = date(minutes.div_euclid(24 * 60))?;
    let minute = minutes.rem_euclid(24 * 60);
    Some(format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minute / 60, minute % 60))
}

/// Year, month and day, from days since 1 January 1970.
fn date(days_since_1970: i64) -> Option<(i64, usize, i64)> {
    const CYCLE: i64 = days_before(401);
    let days = days_since_1970.checked_add(days_before(1970)).filter(|&days| days >= 0)?;
    // This is wrong by at most one year, because leap days are spread evenly over a cycle of 400
    // years.
    let about = days.checked_mul(400)? / CYCLE + 1;
    let year = (about - 1..=about + 1).rev().find(|&year| days_before(year) <= days)?;
    if year > 9999 {
        return None;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut day = days - days_before(year);
    for (month, length) in (1..).zip(months) {
        if day < length {
            return Some((year, month, day + 1));
        }
        day -= length;
    }
    None
}

/// The number of days from 1 January of the year 1 to 1 January of another year.
const fn days_before(year: i64) -> i64 {
    let years = year - 1;
    365 * years + years / 4 - years / 100 + years / 400
}

fn is_leap(year: i64) -> bool {
    days_before(year + 1) - days_before(year) == 366
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
    fn one_day_follows_another() {
        let (mut before, mut leap_days) = (date(days_before(1600) - days_before(1970)).unwrap(), 0);
        assert_eq!(before, (1600, 1, 1));
        for day in days_before(1600) + 1..days_before(2401) {
            let (year, month, of_month) = date(day - days_before(1970)).unwrap();
            let follows = (year, month, of_month) == (before.0, before.1, before.2 + 1)
                || (year, month, of_month) == (before.0, before.1 + 1, 1)
                || (year, month, of_month) == (before.0 + 1, 1, 1) && before.1 == 12;
            assert!(follows && before.2 <= 31, "{before:?} {year} {month} {of_month}");
            leap_days += i64::from((month, of_month) == (2, 29));
            before = (year, month, of_month);
        }
        // 801 years: one in four, but not 1700, 1800, 1900, 2100, 2200, 2300.
        assert_eq!((before, leap_days), ((2400, 12, 31), 201 - 6));
    }
}
