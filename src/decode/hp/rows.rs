//! Rows as the run-time system writes them, read in one go: nearly all of a `.hp` is such lines.
//!
//! A *plain* row is the line `NAME TAB DIGITS LF` in which NAME is one word and no keyword, and
//! the number fits: what [`statement::read`](super::statement::read) makes a row of without any
//! oddity. Whatever else a line is, the reading stops in front of it and the slow way goes on; the
//! tests hold the two against each other.

use memchr::memchr2;

use crate::decode::names::Names;
use crate::hp_text::MAX_WORD;
use crate::hp_text::line::is_plain_name;

/// How many rows are read at once: what they take up stays in the nearest cache.
pub const AT_ONCE: usize = 512;

/// A row: the number of its name, and its value.
pub type Row = (u32, u64);

/// Reads plain rows.
#[derive(Clone, Debug, Default)]
pub struct RowReader {
    names: Names,
}

impl RowReader {
    /// Reads the plain rows at the front of a text, which is at the beginning of a line; no more
    /// than [`AT_ONCE`]. Gives how many bytes they have.
    pub fn read(&mut self, text: &[u8], rows: &mut Vec<Row>) -> usize {
        let mut at = 0;
        rows.clear();
        while rows.len() < AT_ONCE {
            let line = &text[at..];
            let Some((name, start)) = self.names.expected(line).or_else(|| self.name(line)) else {
                break;
            };
            let Some((value, len)) = value(&line[start..]) else { break };
            rows.push((name, value));
            at += start + len;
        }
        at
    }

    /// The name of a number, without its TAB.
    pub fn name_of(&self, number: u32) -> &[u8] {
        let name = self.names.bytes_of(number);
        &name[..name.len() - 1]
    }

    /// The name at the front of a line and where its value begins, when it may be a plain row.
    #[cold]
    fn name(&mut self, line: &[u8]) -> Option<(u32, usize)> {
        let window = &line[..line.len().min(MAX_WORD + 1)];
        let tab = memchr2(b'\t', b'\n', window).filter(|&end| window[end] == b'\t')?;
        let with_tab = &window[..=tab];
        let known = self.names.find(with_tab);
        let known =
            known.or_else(|| is_plain_name(&window[..tab]).then(|| self.names.add(with_tab))?);
        known.map(|number| (number, tab + 1))
    }
}

/// The number that is the rest of a line, and its length with the line feed; up to 15 digits, which
/// no value in bytes exceeds that a machine of today could have.
///
/// Eight digits at a time are the value of one word (each step adds up neighbours), and the first
/// byte in it that is not a digit is found by a carry: four times as fast as digit by digit.
#[inline(always)]
fn value(text: &[u8]) -> Option<(u64, usize)> {
    let (first, digits) = word(text)?;
    if digits < 8 {
        let is_row = digits > 0 && text[digits] == b'\n';
        return is_row.then_some((first, digits + 1));
    }
    let (second, more) = word(&text[8..])?;
    let is_row = more < 8 && text[8 + more] == b'\n';
    is_row.then(|| (first * POWERS[more] + second, 9 + more))
}

const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The number that the digits at the front of eight bytes make, and how many of the bytes they are.
#[inline(always)]
fn word(text: &[u8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*text.first_chunk()?);
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const TO_TEN: u64 = 0x7676_7676_7676_7676;
    // A digit is below ten once its upper half is taken off; adding 0x76 then sets no high bit.
    let values = word ^ ZEROS;
    let others = (((values & !HIGH) + TO_TEN) | values) & HIGH;
    let digits = others.trailing_zeros() as usize / 8;
    // Moved to the upper end, the digits have zeros before them.
    let values = values.checked_shl(64 - 8 * digits as u32).unwrap_or(0);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF;
    Some((eight, digits))
}

#[cfg(test)]
mod tests {
    use super::super::statement::{self, LinePosition, Statement};
    use super::*;
    use crate::hp_text::{Tail, Unread, is_white};
    use crate::testing::Random;

    /// The plain rows at the front by the slow way.
    fn oracle(text: &[u8]) -> (Vec<(Vec<u8>, u64)>, usize) {
        let (mut rows, mut at) = (Vec::new(), 0);
        while at < text.len() && !is_white(text[at]) {
            let rest = Unread { bytes: &text[at..], tail: Tail::Open };
            let Some((statement, len)) = statement::read(rest, LinePosition::LineStart) else {
                break;
            };
            let Statement::Row(name, value, None) = statement else { break };
            if !rest.bytes[..len].ends_with(b"\n") {
                break;
            }
            rows.push((name.to_vec(), value.bytes().0.get()));
            at += len;
        }
        (rows, at)
    }

    fn fast(reader: &mut RowReader, text: &[u8]) -> (Vec<(Vec<u8>, u64)>, usize) {
        let mut rows = Vec::new();
        let len = reader.read(text, &mut rows);
        let rows = rows.into_iter().map(|(name, value)| (reader.name_of(name).to_vec(), value));
        (rows.collect(), len)
    }

    #[test]
    fn numbers_of_every_length_have_their_value() {
        for digits in 1..=15 {
            for number in [10u64.pow(digits - 1), 123_456_789_012_345 % 10u64.pow(digits)] {
                let text = format!("{number}\n????????");
                let len = text.find('\n').unwrap() + 1;
                assert_eq!(value(text.as_bytes()), Some((number, len)));
            }
        }
        assert_eq!(value(b"0000000012345678\n"), None);
        assert_eq!(value(b"00000007\n???????"), Some((7, 9)));
        for bad in ["\n???????", "1", "1\n", "12\r\n????", "1.5\n????", "12345678", "12:\n????"] {
            assert_eq!(value(bad.as_bytes()), None, "{bad}");
        }
        for byte in 0..=255u8 {
            let text = [b'1', byte, b'\n', 0xFF, 0x80, 0, b'9', b':'];
            let is_digit = byte.is_ascii_digit();
            assert_eq!(value(&text).is_some(), is_digit || byte == b'\n', "{byte}");
        }
    }

    #[test]
    fn rows_are_read_as_the_slow_way_reads_them() {
        const PIECES: [&str; 24] = [
            "a",
            "b",
            "é",
            "\"",
            "MARK",
            "BEGIN_SAMPLE",
            "END_SAMPLE 1.0\n",
            "\t",
            "\t",
            "\t",
            "\n",
            "\n",
            "1",
            "23",
            "456",
            "78901234",
            " ",
            "\r\n",
            ".",
            "-",
            "(12)x/y",
            "0",
            "DATE",
            "\x0b",
        ];
        let mut random = Random::new(1, "rows");
        let mut reader = RowReader::default();
        let mut plain = 0;
        for round in 0..20_000 {
            let mut text = String::new();
            for _ in 0..random.below(12) {
                match random.below(3) {
                    0 => text += PIECES[random.below(24) as usize],
                    _ => {
                        text += ["a\t12\n", "b\t7\n", "(1)c\t99887766\n"][random.below(3) as usize]
                    }
                }
            }
            // White space ends the reading, and lets whole words be looked at before it.
            text += &"\n".repeat(16);
            let (rows, len) = fast(&mut reader, text.as_bytes());
            let (all, whole) = oracle(text.as_bytes());
            assert!(len <= whole && rows == all[..rows.len()], "{round}: {text:?}");
            // It may stop early only before a row that ends with CR LF or has a long number.
            let line = text[len..whole].split_inclusive('\n').next().unwrap_or_default();
            let digits = line.bytes().filter(u8::is_ascii_digit).count();
            let left = line.ends_with("\r\n") || digits > 15;
            assert!(len == whole || left, "{round}: {text:?}");
            plain += rows.len();
        }
        assert!(plain > 10_000, "{plain}");
    }

    #[test]
    fn no_more_rows_are_read_than_are_wanted_at_once() {
        let mut rows = Vec::new();
        let text = b"a\t1\n".repeat(AT_ONCE + 9);
        assert_eq!(RowReader::default().read(&text, &mut rows), 4 * AT_ONCE);
        assert_eq!(rows.len(), AT_ONCE);
    }
}
