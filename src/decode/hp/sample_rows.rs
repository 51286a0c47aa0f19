//! Reads rows as the run-time system writes them in a fast loop: nearly all of a `.hp` consists of
//! such lines.
//!
//! A *plain* row is the line `NAME TAB DIGITS LF` in which NAME is one word and not a keyword, and
//! the number fits: a line that [`statement::read`](super::statement::read) reads as a row without
//! any oddity, by both rules. Before any other line the loop stops, and the slow path continues; the tests compare
//! the two.
//!
//! Where the name and the number of a row end is found in 64 bytes at once; then the names of many rows are looked up
//! together. A text must go on for [`WIDE`] bytes after the beginning of a row, or the row is left to the slow path.

use wide::u8x16;

use super::statement::is_plain_name;
use crate::decode::name_table::{
    BATCH, Batch, KnownBands, Names, PointColumns, WIDE, WantedName, separators, wide_at,
};
use crate::incident::error::Error;
use crate::profile::{BandKeyRef, ProfileBuilder};

/// How far the end of a name is searched for. A longer row is left to the slow path.
const LONGEST: usize = 1024;

/// How many bytes of rows are read before their points are added: the columns stay in the nearest cache.
const AT_ONCE: usize = 2048;

/// Turns plain rows into points of the profile.
#[derive(Clone, Debug, Default)]
pub struct FastRows {
    reader: RowReader,
    bands: KnownBands,
    /// The run of the file in which the bands have these numbers.
    run: usize,
    /// The columns of the rows that are read at once; kept to save their allocation.
    read: PointColumns,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadRows {
    pub bytes: usize,
    /// In rows, each of which is a line.
    pub rows: usize,
}

impl FastRows {
    /// Forgets the numbers of bands, which change here.
    pub fn forget_bands(&mut self) {
        self.bands = KnownBands::default();
    }

    /// The run of the file that is read from here on.
    pub fn begin_run(&mut self, run: usize) {
        if self.run != run {
            self.forget_bands();
            self.run = run;
        }
    }

    /// Adds the points of the plain rows at the front of a text that is at the beginning of a line.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    pub fn take(&mut self, text: &[u8], profile: &mut ProfileBuilder) -> Result<ReadRows, Error> {
        let mut all = ReadRows::default();
        loop {
            let FastRows { reader, bands, read, .. } = self;
            read.clear();
            let bytes = reader.read(&text[all.bytes..], AT_ONCE, read);
            if bytes == 0 {
                return Ok(all);
            }
            bands.add(read, profile, |bands, number, profile| {
                let with_tab = reader.names.bytes_of(number);
                bands.resolve(number, BandKeyRef::Name(&with_tab[..with_tab.len() - 1]), profile)
            })?;
            all.bytes += bytes;
            all.rows += read.len();
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct RowReader {
    /// The names, each with its TAB.
    pub names: Names,
    batch: Batch,
}

impl RowReader {
    /// Adds the plain rows at the front of a text that is at the beginning of a line, as far as they begin
    /// before `stop`. Returns how many bytes they have.
    pub fn read(&mut self, text: &[u8], stop: usize, rows: &mut PointColumns) -> usize {
        let mut at = 0;
        loop {
            // Names are looked up in what begins here.
            let text = &text[at..];
            let (count, end) = self.batch.split(text, stop.saturating_sub(at));
            let RowReader { names, batch } = self;
            let wanted = &batch.names[..count];
            let new = |names: &mut Names, i: usize| add(names, wanted[i].of(text));
            let numbered = names.number_all(text, wanted, &mut rows.names, new);
            rows.sizes.extend_from_slice(&batch.sizes[..numbered]);
            match wanted.get(numbered) {
                Some(unknown) => return at + unknown.start(),
                None => at += end,
            }
            if count < BATCH {
                return at;
            }
        }
    }
}

impl Batch {
    /// Finds the rows at the front of a text, and returns how many there are and where they end.
    fn split(&mut self, text: &[u8], stop: usize) -> (usize, usize) {
        let (mut rows, mut at) = (0, 0);
        for (name, size) in self.names.iter_mut().zip(self.sizes.iter_mut()) {
            if at >= stop {
                break;
            }
            let Some((tab, feed)) = ends_of_row(text, at) else { break };
            let Some(value) = value(text, tab + 1, feed) else { break };
            (*name, *size) = (WantedName::new(text, at, tab + 1), value);
            at = feed + 1;
            rows += 1;
        }
        (rows, at)
    }
}

#[cold]
fn add(names: &mut Names, with_tab: &[u8]) -> Option<u32> {
    is_plain_name(&with_tab[..with_tab.len() - 1]).then(|| names.add(with_tab))?
}

/// Where the first two bytes up to 0x20 are, from a position on, if they are a TAB and a line feed: such bytes are
/// all separators of words, and a few that occur in no name. Both are found at once, so that the next row has to
/// wait for nothing else.
#[inline(always)]
fn ends_of_row(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let row = wide_at(text, start)?;
    let first = separators(row);
    let second = first & first.wrapping_sub(1);
    if second == 0 {
        return ends_of_long_row(text, start);
    }
    let [tab, feed] = [first, second].map(|bits| bits.trailing_zeros() as usize);
    // The remainders need no test whether they are in the row.
    (row[tab % WIDE] == b'\t' && row[feed % WIDE] == b'\n').then_some((start + tab, start + feed))
}

/// Finds what [`ends_of_row`] finds in a row that is longer than [`WIDE`].
#[cold]
fn ends_of_long_row(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let (blocks, _) = text[start..text.len().min(start + LONGEST)].as_chunks();
    let mut places = blocks.iter().enumerate().flat_map(|(i, block)| {
        let first = separators(block);
        let place = move |bits: u64| start + WIDE * i + bits.trailing_zeros() as usize;
        [first, first & first.wrapping_sub(1)].into_iter().filter(|&bits| bits != 0).map(place)
    });
    let (tab, feed) = (places.next()?, places.next()?);
    (text[tab] == b'\t' && text[feed] == b'\n').then_some((tab, feed))
}

/// The number between two positions; up to 15 digits, which is enough for the memory of any present
/// machine.
#[inline(always)]
fn value(text: &[u8], start: usize, end: usize) -> Option<u64> {
    let (digits, text) = (end - start, text.get(start..start + 16)?.first_chunk()?);
    let values = u8x16::new(*text) - u8x16::splat(b'0');
    let is_digit = values.min(u8x16::splat(9)).simd_eq(values).to_bitmask();
    if (!is_digit).trailing_zeros() as usize != digits {
        return None;
    }
    match digits {
        1..=8 => Some(digits_of(text, 0, digits)),
        9..=15 => {
            let first = digits_of(text, 0, digits - 8);
            Some(first * 100_000_000 + digits_of(text, digits - 8, 8))
        }
        _ => None,
    }
}

/// The value of some digits, one to eight.
///
/// They are read as one word, in which each step combines neighbours: four times as fast as digit by
/// digit.
#[inline(always)]
fn digits_of(text: &[u8; 16], start: usize, count: usize) -> u64 {
    let word =
        u64::from_le_bytes(*text[start..].first_chunk().expect("at most eight are before them"));
    // What follows the digits is shifted out, and zeros are shifted in before them.
    let values = (word << (64 - 8 * count)) & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF
}

#[cfg(test)]
mod tests {
    use super::super::statement::{self, LinePosition, Statement};
    use super::super::unread::{Rules, Unread, is_white};
    use super::*;
    use crate::testing::Random;

    /// The plain rows at the front, read by the slow path.
    fn oracle(text: &[u8], rules: Rules) -> (Vec<(Vec<u8>, u64)>, usize) {
        let (mut rows, mut at) = (Vec::new(), 0);
        while at < text.len() && !is_white(text[at]) {
            let rest = Unread { bytes: &text[at..], is_final: false };
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
        let name = |number| reader.names.bytes_of(number).strip_suffix(b"\t").unwrap().to_vec();
        (rows.names.into_iter().map(name).zip(rows.sizes).collect(), len)
    }

    #[test]
    fn rows_agree_with_the_slow_way() {
        // The first name is longer than what is looked at at once.
        let pieces: Vec<&str> =
            "abcdefghijklmnopqrstuvwxyz:abcdefghijklmnopqrstuvwxyz:abcdefghijklmnopqrstuvwxyz|\
            a|b|é|\"|MARK|BEGIN_SAMPLE|END_SAMPLE 1.0\n|\t|\t|\t|\n|\n|1|23|456|78901234|\x20|\r\n|.|-|\
            (12)x/y|0|DATE|\x0b"
                .split('|')
                .collect();
        let mut random = Random::new(1, "rows");
        let mut reader = RowReader::default();
        let mut plain = 0;
        for round in 0..20_000 {
            let mut text = String::new();
            for _ in 0..random.below(12) {
                match random.below(4) {
                    0 => text += pieces[random.below(25) as usize],
                    1 => text += &format!("{}\t12\n", "x".repeat(1 + random.below(200) as usize)),
                    _ => {
                        text += ["a\t12\n", "b\t7\n", "(1)c\t99887766\n"][random.below(3) as usize]
                    }
                }
            }
            // White space ends the reading, and lets whole words be looked at before it.
            text += &"\n".repeat(WIDE);
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
        let text = b"a\t1\n".repeat(40);
        for stop in [0, 1, 3, 4, 5, 41] {
            let mut rows = PointColumns::default();
            let len = RowReader::default().read(&text, stop, &mut rows);
            assert_eq!((len, rows.len()), (4 * stop.div_ceil(4), stop.div_ceil(4)));
        }
    }
}
