//! Reads rows as the run-time system writes them in a fast loop: nearly all of a `.hp` consists of
//! such lines.
//!
//! A *plain* row is the line `NAME TAB DIGITS LF` in which NAME is one word and not a keyword, and
//! the number fits: a line that [`statement::read`](super::statement::read) reads as a row without
//! any oddity, by both rules. Before any other line the loop stops, and the slow path continues; the tests compare
//! the two.
//!
//! First the positions of all separators are found, 64 bytes at a time; then each row is read between
//! its own, and the names of all are looked up. So no row waits for the one before it, and the processor
//! reads several at once.

use std::num::NonZeroU64;

use wide::u8x16;

use super::statement::is_plain_name;
use crate::decode::names::{Names, PointColumns, Wanted};

/// How far ahead separators are searched for at once. A longer row is left to the slow path, and the part
/// beyond the end of a sample is searched again.
const AT_ONCE: usize = 1024;

/// What comes after the rows of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// Something other than a plain row, or a row at or after `stop`.
    Other,
    /// The end of the text, perhaps within a row.
    Cut,
}

/// The rows at the front of a text.
struct Split {
    rows: usize,
    end: usize,
    after: After,
}

/// Reads plain rows.
#[derive(Clone, Debug, Default)]
pub struct RowReader {
    names: Names,
    separators: Separators,
    batch: Batch,
}

/// The rows at hand, in arrays that need no test for more space.
#[derive(Clone, Debug)]
struct Batch {
    names: Box<[Wanted; MOST_ROWS]>,
    sizes: Box<[u64; MOST_ROWS]>,
}

/// A row has at least four bytes.
const MOST_ROWS: usize = AT_ONCE / 4;

impl Default for Batch {
    fn default() -> Self {
        Batch { names: Box::new([Wanted::default(); MOST_ROWS]), sizes: Box::new([0; MOST_ROWS]) }
    }
}

impl RowReader {
    /// Adds the plain rows at the front of a text that is at the beginning of a line, as far as they begin
    /// before `stop`. Returns how many bytes they have.
    pub fn read(&mut self, text: &[u8], stop: usize, rows: &mut PointColumns) -> usize {
        let mut at = 0;
        while at < stop {
            let (end, after) = self.read_front(text, at, stop, rows);
            if after == After::Other || end == at {
                return end;
            }
            at = end;
        }
        at
    }

    /// The same for one batch of rows from a position on. Returns where they end, and what comes after
    /// them.
    fn read_front(
        &mut self,
        text: &[u8],
        start: usize,
        stop: usize,
        rows: &mut PointColumns,
    ) -> (usize, After) {
        // Names are looked up in what begins here.
        let text = &text[start..];
        let Split { rows: count, end, after } = self.split(text, stop - start);
        let RowReader { names, batch, .. } = self;
        let wanted = &batch.names[..count];
        let new = |names: &mut Names, i: usize| add(names, wanted[i].of(text));
        let numbered = names.number_all(text, wanted, &mut rows.names, new);
        rows.sizes.extend_from_slice(&batch.sizes[..numbered]);
        match wanted.get(numbered) {
            Some(unknown) => (start + unknown.start(), After::Other),
            None => (start + end, after),
        }
    }

    /// Finds the rows at the front of a text.
    fn split(&mut self, text: &[u8], stop: usize) -> Split {
        let separators = self.separators.find(&text[..text.len().min(AT_ONCE)]);
        let Batch { names, sizes } = &mut self.batch;
        let places = names.iter_mut().zip(sizes.iter_mut());
        let (mut rows, mut at) = (0, 0);
        for (&[tab, feed], (name, size)) in separators.as_chunks().0.iter().zip(places) {
            let (tab, feed) = (tab as usize, feed as usize);
            if at >= stop || text[tab] != b'\t' || text[feed] != b'\n' {
                return Split { rows, end: at, after: After::Other };
            }
            let Some(value) = value(text, tab + 1, feed) else {
                return Split { rows, end: at, after: After::Other };
            };
            *name = Wanted::new(text, at, tab + 1);
            *size = value;
            at = feed + 1;
            rows += 1;
        }
        Split { rows, end: at, after: After::Cut }
    }

    /// The names, each with its TAB.
    pub fn names(&self) -> &Names {
        &self.names
    }
}

#[cold]
fn add(names: &mut Names, with_tab: &[u8]) -> Option<u32> {
    is_plain_name(&with_tab[..with_tab.len() - 1]).then(|| names.add(with_tab))?
}

/// The positions of the bytes up to 0x20: all separators of words, and a few bytes that occur in no
/// name.
#[derive(Clone, Debug)]
struct Separators(Box<[u32; AT_ONCE + MARGIN]>);

/// How many positions are written at once.
const MARGIN: usize = 6;

const LAST: NonZeroU64 = NonZeroU64::new(1 << 63).expect("not zero");

impl Default for Separators {
    fn default() -> Self {
        Separators(Box::new([0; AT_ONCE + MARGIN]))
    }
}

impl Separators {
    /// Their positions in a text of at most [`AT_ONCE`] bytes.
    fn find(&mut self, text: &[u8]) -> &[u32] {
        let mut found = 0;
        let (blocks, rest) = text.as_chunks::<64>();
        for (i, block) in blocks.iter().enumerate() {
            found = self.write(found, marks(block), 64 * i);
        }
        let mut last = [0xFF; 64];
        last[..rest.len()].copy_from_slice(rest);
        found = self.write(found, marks(&last), 64 * blocks.len());
        &self.0[..found]
    }

    /// Writes the positions of the bits of a mask, given with their number. Six at a time, even if there are fewer, because a
    /// branch for each would often be mispredicted.
    #[inline(always)]
    fn write(&mut self, found: usize, (mut mask, count): (u64, usize), start: usize) -> usize {
        let end = found + count;
        let mut at = found;
        loop {
            let Some(places) = self.0[at..].first_chunk_mut::<MARGIN>() else { return end };
            for place in places {
                // No separate case for an empty mask: whatever is written then is ignored.
                let bits = LAST | mask;
                *place = start as u32 + bits.trailing_zeros();
                mask &= mask.wrapping_sub(1);
            }
            at += MARGIN;
            if mask == 0 {
                return end;
            }
        }
    }
}

/// A bit for each byte up to 0x20, and how many there are: counted with the vectors at hand, because the least
/// x86-64 has no instruction that counts bits.
#[inline(always)]
fn marks(block: &[u8; 64]) -> (u64, usize) {
    let last = u8x16::splat(0x20);
    let (mut mask, mut none) = (0, u8x16::splat(0));
    for &bytes in block.as_chunks().0.iter().rev() {
        let equal = u8x16::new(bytes).max(last).simd_eq(last);
        mask = mask << 16 | u64::from(equal.to_bitmask());
        // A byte of ones is -1.
        none -= equal;
    }
    let halves: [u64; 2] = {
        let bytes = none.to_array();
        let (halves, _) = bytes.as_chunks::<8>();
        [u64::from_le_bytes(halves[0]), u64::from_le_bytes(halves[1])]
    };
    let sum = (halves[0] + halves[1]).wrapping_mul(0x0101_0101_0101_0101) >> 56;
    (mask, sum as usize)
}

const ZEROS: u64 = 0x3030_3030_3030_3030;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The number between two positions; up to 15 digits, which is enough for the memory of any present
/// machine.
#[inline(always)]
fn value(text: &[u8], start: usize, end: usize) -> Option<u64> {
    let digits = end - start;
    if digits.wrapping_sub(1) < 8 {
        return word(text, end, digits);
    }
    match digits {
        9..=15 => Some(word(text, end - 8, digits - 8)? * 100_000_000 + word(text, end, 8)?),
        _ => None,
    }
}

/// The value of the last digits before a position, at most eight.
///
/// They are read as one word, in which each step combines neighbours: four times as fast as digit by
/// digit.
#[inline(always)]
fn word(text: &[u8], end: usize, digits: usize) -> Option<u64> {
    let before = &text[..end];
    let word = match before.last_chunk() {
        Some(&last) => u64::from_le_bytes(last),
        None => before.iter().rfold(0, |word, &byte| word << 8 | u64::from(byte)) << (64 - 8 * end),
    };
    const TO_TEN: u64 = 0x7676_7676_7676_7676;
    let others = 64 - 8 * digits as u32;
    // The bytes before the digits are removed, so that zeros precede them.
    let values = (word ^ ZEROS) >> others << others;
    // A digit without its upper half is below ten; adding 0x76 then sets no high bit.
    if (((values & !HIGH) + TO_TEN) | values) & HIGH != 0 {
        return None;
    }
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    Some(fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::super::statement::{self, LinePosition, Statement};
    use super::super::text::{Rules, Tail, Unread, is_white};
    use super::*;
    use crate::testing::Random;

    /// The plain rows at the front, read by the slow path.
    fn oracle(text: &[u8], rules: Rules) -> (Vec<(Vec<u8>, u64)>, usize) {
        let (mut rows, mut at) = (Vec::new(), 0);
        while at < text.len() && !is_white(text[at]) {
            let rest = Unread { bytes: &text[at..], tail: Tail::Open };
            let read = statement::read(rest, LinePosition::LineStart, rules);
            let Some((statement, len)) = read else { break };
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
        let mut rows = PointColumns::default();
        let len = reader.read(text, text.len(), &mut rows);
        let name = |number| reader.names().bytes_of(number).strip_suffix(b"\t").unwrap().to_vec();
        (rows.names.into_iter().map(name).zip(rows.sizes).collect(), len)
    }

    fn number(text: &[u8]) -> Option<u64> {
        let padded = [b"name\t", text].concat();
        let alone = value(text, 0, text.len());
        assert_eq!(alone, value(&padded, 5, padded.len()));
        alone
    }

    #[test]
    fn numbers_of_every_length_are_read() {
        for digits in 1..=15 {
            for value in [10u64.pow(digits - 1), 123_456_789_012_345 % 10u64.pow(digits)] {
                let text = format!("{value:0width$}", width = digits as usize);
                assert_eq!(number(text.as_bytes()), Some(value), "{text}");
            }
        }
        assert_eq!(number(b"0000000012345678"), None);
        assert_eq!(number(b"00000007"), Some(7));
        for bad in ["", "1.5", "12:", ":12", "12345678 ", "12/4567890", "1234567890123456"] {
            assert_eq!(number(bad.as_bytes()), None, "{bad}");
        }
        for byte in 0..=255u8 {
            let is_digit = byte.is_ascii_digit();
            assert_eq!(number(&[b'1', byte]).is_some(), is_digit, "{byte}");
            assert_eq!(
                number(&[byte, b'1', b'2', b'3', b'4', b'5', b'6', b'7', b'8']).is_some(),
                is_digit
            );
        }
    }

    #[test]
    fn separators_are_found_wherever_they_are() {
        let mut random = Random::new(1, "separators");
        let mut separators = Separators::default();
        for length in [0, 1, 63, 64, 65, 1000, AT_ONCE] {
            for share in [1, 2, 30] {
                let byte = |random: &mut Random| match random.one_in(share) {
                    true => random.below(0x21) as u8,
                    false => 0x21 + random.below(0xDF) as u8,
                };
                let text: Vec<u8> = (0..length).map(|_| byte(&mut random)).collect();
                let expected: Vec<u32> =
                    (0..length).filter(|&at| text[at] <= 0x20).map(|at| at as u32).collect();
                assert_eq!(separators.find(&text), expected);
            }
        }
    }

    #[test]
    fn rows_agree_with_the_slow_way() {
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
            let (all, whole) = oracle(text.as_bytes(), Rules::Lenient);
            assert_eq!(oracle(text.as_bytes(), Rules::Strict).0[..rows.len()], rows, "{text:?}");
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
    fn rows_are_read_up_to_a_stop() {
        let text = b"a\t1\n".repeat(20);
        for stop in [0, 1, 3, 4, 5, 41] {
            let mut rows = PointColumns::default();
            let len = RowReader::default().read(&text, stop, &mut rows);
            assert_eq!((len, rows.len()), (4 * stop.div_ceil(4), stop.div_ceil(4)));
        }
    }
}
