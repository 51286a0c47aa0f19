//! Bytes as text that an HTML file can hold: deflated, then five characters for four bytes.
//!
//! Base 85 adds 25 %, Base 64 adds 33 %. The alphabet leaves out the printable characters that mean
//! anything to an HTML or JavaScript parser, so an island needs no escaping and cannot end an element.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// `#` to `~` without `& ' < > \` and the backquote and bar.
pub const ALPHABET: &[u8; 85] =
    b"#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{}~";

/// The data of one run of a page: two islands, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Islands {
    /// Everything except the thinned curves.
    pub exact: String,
    /// The thinned curves; may be empty.
    pub thinned: String,
}

/// The length of this many deflated bytes as text.
pub const fn text_len(bytes: usize) -> usize {
    bytes / 4 * 5 + if bytes.is_multiple_of(4) { 0 } else { bytes % 4 + 1 }
}

/// Raw deflate, as the browser's `deflate-raw` reads it. Of many bytes the best level takes up to five times
/// as long as the seventh, and its text is between half a percent shorter and five percent longer.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    const MANY: usize = 1 << 16;
    deflated_at(if bytes.len() < MANY { Compression::best() } else { Compression::new(7) }, bytes)
}

/// Raw deflate at a level.
pub fn deflated_at(level: Compression, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), level);
    // Writing to a vector never fails.
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory")
}

/// The most that the quick compression's text can exceed the final one's, as a factor with a margin.
pub const QUICK_IS_LONGER: usize = 2;

/// The length of bytes as text after quick compression, which takes half of the time of the final one, or
/// less.
fn quick_len(bytes: &[u8]) -> usize {
    let mut encoder = DeflateEncoder::new(Count(0), Compression::fast());
    let quick = encoder.write_all(bytes).and_then(|()| encoder.finish());
    text_len(quick.expect("counting").0)
}

/// Bytes as text, unless the text would be longer than `most`.
pub fn text_within(bytes: &[u8], most: usize) -> Option<String> {
    if quick_len(bytes) > most.saturating_mul(QUICK_IS_LONGER) {
        return None;
    }
    let deflated = deflated(bytes);
    (text_len(deflated.len()) <= most).then(|| to_text(&deflated))
}

/// Estimates the lengths of similar texts, so that few of them are deflated as they are in a page.
#[derive(Debug, Default)]
pub struct Estimate {
    /// The final text's length relative to the quick one's, once it is known.
    ratio: Option<f64>,
}

impl Estimate {
    /// By how much this ratio may differ for similar bytes.
    const MARGIN: f64 = 0.06;

    /// The approximate length of bytes as the text of an island. The answer to whether it exceeds `most` is
    /// reliable.
    ///
    /// If the quick compression already fits, so does the final one; if it is far too long, so is the final
    /// one. In between, the ratio found for other bytes of the page gives an estimate, and only if that is
    /// close to `most` the final compression is tried.
    pub fn text_len(&mut self, bytes: &[u8], most: usize) -> usize {
        let quick = quick_len(bytes);
        if quick <= most {
            return quick;
        }
        let guess = quick as f64 * self.ratio.unwrap_or(1.0);
        let is_clear = match self.ratio {
            Some(_) => (guess / most as f64 - 1.0).abs() > Self::MARGIN,
            None => quick > most.saturating_mul(QUICK_IS_LONGER),
        };
        if is_clear {
            return guess as usize;
        }
        let exact = text_len(deflated(bytes).len());
        self.ratio = Some(exact as f64 / quick as f64);
        exact
    }

    /// Whether a text of `text` characters may fit into `most` after `saved` characters of names are cut.
    /// A character takes at most as much as a byte that cannot be deflated.
    pub fn may_fit(&self, text: usize, saved: usize, most: usize) -> bool {
        self.least(text) - text_len(saved) as f64 <= most as f64
    }

    /// Whether a `share` of the bands certainly makes a text longer than `most`, if all of them make one of
    /// `text` characters: the share contains the biggest bands, which take at least as much as the others.
    pub fn is_hopeless(&self, text: usize, share: f64, most: usize) -> bool {
        self.least(text) * share > most as f64
    }

    /// The least length that a text with this estimate can have.
    fn least(&self, text: usize) -> f64 {
        match self.ratio {
            Some(_) => text as f64 * (1.0 - 2.0 * Self::MARGIN),
            None => text as f64 / QUICK_IS_LONGER as f64,
        }
    }
}

struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
            let mut read = Vec::new();
            let deflated = from_text(&to_text(&deflated(&bytes)));
            flate2::read::DeflateDecoder::new(&deflated[..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes);
        }
        assert_eq!(from_text(&to_text(&[0xff; 7])), [0xff; 7]);
    }
}
