//! Numbers as the C library reads and prints them.

use crate::decode::hp::is_white;

fn trim_start(text: &[u8]) -> &[u8] {
    &text[leading(text, is_white)..]
}

/// The sign in front, and what comes after it.
fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn leading(text: &[u8], takes: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&byte| !takes(byte)).unwrap_or(text.len())
}

/// `atoi`: the number at the start, or 0 without one. Limited to 64 bits, of which the lower 32 count.
pub fn integer(text: &[u8]) -> i32 {
    let (negative, digits) = signed(trim_start(text));
    let digits = &digits[..leading(digits, |byte| byte.is_ascii_digit())];
    let value = digits.iter().fold(0i64, |value, digit| {
        let digit = i64::from(digit - b'0');
        let digit = if negative { -digit } else { digit };
        value.saturating_mul(10).saturating_add(digit)
    });
    value as i32
}

/// `atof`: the number at the start, decimal, hexadecimal, `inf` or `nan`; 0 without one.
pub fn float(text: &[u8]) -> f64 {
    let (negative, text) = signed(trim_start(text));
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word));
    let size = if begins(b"inf") {
        f64::INFINITY
    } else if begins(b"nan") {
        f64::NAN.copysign(1.0)
    } else if let Some(size) = begins(b"0x").then(|| hexadecimal(&text[2..])).flatten() {
        size
    } else {
        decimal(text)
    };
    if negative { -size } else { size }
}

fn decimal(text: &[u8]) -> f64 {
    let whole = leading(text, |byte| byte.is_ascii_digit());
    let mut end = whole;
    if text.get(end) == Some(&b'.') {
        let fraction = leading(&text[end + 1..], |byte| byte.is_ascii_digit());
        if whole + fraction == 0 {
            return 0.0;
        }
        end += 1 + fraction;
    }
    if let Some(b'e' | b'E') = text.get(end) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let digits = leading(&text[end + 1 + sign..], |byte| byte.is_ascii_digit());
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    str::from_utf8(&text[..end]).ok().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

/// What is after `0x`; `None` without a digit.
fn hexadecimal(text: &[u8]) -> Option<f64> {
    // Further digits can change the nearest double by at most half of its last place.
    const ENOUGH: usize = 28;
    let (mut mantissa, mut exponent, mut digits, mut at) = (0u128, 0i64, 0usize, 0usize);
    let mut point = false;
    while let Some(&byte) = text.get(at) {
        if byte == b'.' && !point {
            point = true;
        } else if let Some(digit) = char::from(byte).to_digit(16) {
            digits += 1;
            if mantissa >> (4 * ENOUGH) == 0 {
                mantissa = mantissa << 4 | u128::from(digit);
                exponent -= if point { 4 } else { 0 };
            } else if !point {
                exponent += 4;
            }
        } else {
            break;
        }
        at += 1;
    }
    if digits == 0 {
        return None;
    }
    if let Some(b'p' | b'P') = text.get(at) {
        exponent = exponent.saturating_add(i64::from(integer(&text[at + 1..])));
    }
    let power = exponent.clamp(-4000, 4000) as i32;
    // In two steps, because a power of two alone may be out of range.
    Some(mantissa as f64 * 2f64.powi(power / 2) * 2f64.powi(power - power / 2))
}

/// `(int64_t)`: rounds toward zero. A value out of range becomes the least number, as on x86-64.
pub fn to_i64(value: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&value) { value as i64 } else { i64::MIN }
}

/// `(int)`: rounds toward zero. A value out of range becomes the least number, as on x86-64.
pub fn to_i32(value: f64) -> i32 {
    let whole = value.trunc();
    let fits = whole >= f64::from(i32::MIN) && whole <= f64::from(i32::MAX);
    if fits { whole as i32 } else { i32::MIN }
}

/// `%.*f`.
pub fn print_fixed(value: f64, decimals: usize, out: &mut Vec<u8>) {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let word = if value.is_nan() { "nan" } else { "inf" };
        out.extend_from_slice(format!("{sign}{word}").as_bytes());
    } else if decimals != 6 || !print_six(value, out) {
        out.extend_from_slice(format!("{value:.decimals$}").as_bytes());
    }
}

/// `%f` for numbers in the range of a page, computed with integers. A picture has hundreds of
/// thousands of them, and this is several times as fast as the general way.
fn print_six(value: f64, out: &mut Vec<u8>) -> bool {
    let magnitude = value.abs();
    // For these, the product below has at most 73 bits and the shift is 22 to 102.
    if !(1e-15..1e9).contains(&magnitude) {
        return false;
    }
    let bits = magnitude.to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | 1 << 52;
    let shift = 1075 - (bits >> 52) as u32;
    let scaled = u128::from(mantissa) * 1_000_000;
    let (floor, rest, half) = (scaled >> shift, scaled & ((1 << shift) - 1), 1 << (shift - 1));
    let up = rest > half || (rest == half && floor & 1 == 1);
    let mut millionths = floor as u64 + u64::from(up);
    let mut text = [b'0'; 24];
    let mut at = text.len();
    for place in 0.. {
        if place == 6 {
            at -= 1;
            text[at] = b'.';
        } else if place > 7 && millionths == 0 {
            break;
        }
        at -= 1;
        text[at] = b'0' + (millionths % 10) as u8;
        millionths /= 10;
        if place >= 6 && millionths == 0 {
            break;
        }
    }
    if value.is_sign_negative() {
        out.push(b'-');
    }
    out.extend_from_slice(&text[at..]);
    true
}

/// A whole number with a comma before every three digits. Of a negative number hp2ps prints only
/// the lower 32 bits.
pub fn print_grouped(value: i64, out: &mut Vec<u8>) {
    if value < 1000 {
        out.extend_from_slice((value as i32).to_string().as_bytes());
    } else {
        print_grouped(value / 1000, out);
        out.extend_from_slice(format!(",{:03}", value % 1000).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_read_from_the_start_of_a_text() {
        for (text, value) in [
            ("", 0.0),
            (".", 0.0),
            (".e1", 0.0),
            ("1.5x", 1.5),
            (" 2e2", 200.0),
            ("5e", 5.0),
            ("5e-", 5.0),
            (".5.5", 0.5),
            ("-3.", -3.0),
            ("1e400", f64::INFINITY),
            ("INFINITY", f64::INFINITY),
            ("0x200", 512.0),
            ("0x.8", 0.5),
            ("0x1p-1", 0.5),
            ("0x", 0.0),
            ("0x1p", 1.0),
            ("0x1.8p99999", f64::INFINITY),
        ] {
            assert_eq!(float(text.as_bytes()), value, "{text}");
        }
        assert!(float(b"nan").is_nan() && float(b"nan").is_sign_positive());
        assert!(float(b"-nan(7)").is_sign_negative());
    }

    fn fixed(value: f64, decimals: usize) -> String {
        let mut out = Vec::new();
        print_fixed(value, decimals, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_fast_way_prints_what_the_general_one_prints() {
        let mut random = crate::testing::Random::new(1, "numbers");
        let mut tried = 0;
        for round in 0..200_000 {
            let state = random.next();
            let value = match round % 4 {
                0 => f64::from_bits(state),
                1 => (state % 1_000_000_000) as f64 / 1_000_000.0,
                // Ties: an odd number of halves of a millionth is never exact, of 2^-7 it is.
                2 => (state % 100_000) as f64 / 128.0,
                _ => -((state % 648_000) as f64) / 997.0,
            };
            if value.is_finite() {
                tried += 1;
                assert_eq!(fixed(value, 6), format!("{value:.6}"), "{value:e}");
            }
        }
        assert!(tried > 100_000);
        assert_eq!(fixed(999_999_999.999_999_9, 6), "1000000000.000000");
        assert_eq!([fixed(0.0, 6), fixed(-0.0, 6)], ["0.000000", "-0.000000"]);
        assert_eq!([fixed(1e-15, 6), fixed(0.000_000_5, 6)], ["0.000000", "0.000000"]);
    }
}
