//! Bytes as text that an HTML file can hold: deflated, then five characters for four bytes.
//!
//! Base 85 adds 25 %, Base 64 adds 33 %. The alphabet leaves out the printable characters that mean
//! anything to an HTML or JavaScript parser, so an island needs no escaping and cannot end an element.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// `#` to `~` without `& ' < > \` and the backquote and bar.
pub const ALPHABET: &[u8; 85] =
    b"#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{}~";

/// The data of one run of a page, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Island(pub String);

/// The length of this many deflated bytes as text.
pub const fn text_len(bytes: usize) -> usize {
    bytes / 4 * 5 + if bytes.is_multiple_of(4) { 0 } else { bytes % 4 + 1 }
}

/// Raw deflate, as the browser's `deflate-raw` reads it, to which more can be added.
pub struct Deflating(DeflateEncoder<Vec<u8>>);

impl Deflating {
    /// What begins with these bytes. Of many bytes the best level takes up to five times as long as the
    /// seventh, and its text is between half a percent shorter and five percent longer.
    pub fn of(bytes: &[u8]) -> Self {
        const MANY: usize = 1 << 16;
        let best = bytes.len() < MANY;
        Deflating::at(if best { Compression::best() } else { Compression::new(7) }, bytes)
    }

    /// What begins with these bytes, at a level.
    pub fn at(level: Compression, bytes: &[u8]) -> Self {
        let mut deflating = Deflating(DeflateEncoder::new(Vec::new(), level));
        deflating.add(bytes);
        deflating
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("writing to memory");
    }

    /// The length as text of what was added until now.
    pub fn text_len(&mut self) -> usize {
        self.0.flush().expect("writing to memory");
        text_len(self.0.get_ref().len())
    }

    pub fn into_text(self) -> String {
        to_text(&self.0.finish().expect("writing to memory"))
    }
}

/// Base 85, most significant digit first; a shorter last group has one character more than bytes.
pub fn to_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(text_len(bytes.len()));
    for group in bytes.chunks(4) {
        let mut padded = [0; 4];
        padded[..group.len()].copy_from_slice(group);
        let mut rest = u32::from_be_bytes(padded);
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = ALPHABET[(rest % 85) as usize];
            rest /= 85;
        }
        // The reader restores the cut digits by rounding up.
        text.extend(digits[..=group.len()].iter().map(|&digit| char::from(digit)));
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::io::Read;

    pub fn from_text(text: &str) -> Vec<u8> {
        let digit = |c: u8| ALPHABET.iter().position(|&a| a == c).unwrap() as u32;
        let group = |group: &[u8]| {
            let padded = (0..5).map(|i| group.get(i).map_or(84, |&c| digit(c)));
            let value =
                padded.fold(0u32, |value, digit| value.wrapping_mul(85).wrapping_add(digit));
            value.to_be_bytes()[..group.len() - 1].to_vec()
        };
        text.as_bytes().chunks(5).flat_map(group).collect()
    }

    #[test]
    fn the_alphabet_is_harmless_and_has_no_character_twice() {
        let mut letters = ALPHABET.to_vec();
        letters.dedup();
        assert!(letters.is_sorted() && letters.len() == 85);
        assert!(!letters.iter().any(|c| b"<>&'\"\\`! ".contains(c)));
    }

    #[test]
    fn islands_read_back_whatever_their_length() {
        for length in (0..40).chain([9999]) {
            let bytes: Vec<u8> = (0..length).map(|i| (i * i * 7 % 251) as u8).collect();
            assert_eq!(from_text(&to_text(&bytes)), bytes);
            assert_eq!(to_text(&bytes).len(), text_len(bytes.len()));
            let (mut deflating, mut read) = (Deflating::of(&bytes[..length / 3]), Vec::new());
            assert!(deflating.text_len() > 0);
            deflating.add(&bytes[length / 3..]);
            let deflated = from_text(&deflating.into_text());
            flate2::read::DeflateDecoder::new(&deflated[..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes);
        }
        assert_eq!(from_text(&to_text(&[0xff; 7])), [0xff; 7]);
    }
}
