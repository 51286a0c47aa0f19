//! Words and lines of a text whose end may not have arrived yet.

use memchr::memchr;

/// How far a statement, or a string in it, may reach. The longest real ones are job lines, which
/// are as long as command lines can be: 128 KiB for each argument.
pub const REACH: usize = 1 << 20;

/// The longest word; further bytes begin another token.
pub const MAX_WORD: usize = 4999;

/// Whether more bytes may follow an [`Unread`] text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// More bytes may follow.
    Open,
    /// The input ends here.
    Final,
}

/// The unread part of the input, as far as it has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Unread<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// What comes after them.
    pub tail: Tail,
}

impl<'a> Unread<'a> {
    /// The text from `at` on.
    pub fn from(self, at: usize) -> Self {
        Unread { bytes: self.bytes.get(at..).unwrap_or_default(), ..self }
    }

    /// The bytes that a reading may look at.
    pub fn reach(self) -> &'a [u8] {
        &self.bytes[..self.bytes.len().min(REACH)]
    }

    /// `value` if further bytes cannot change it because they are out of reach; otherwise `None`.
    pub fn decided<T>(self, value: T) -> Option<T> {
        (self.tail == Tail::Final || self.bytes.len() >= REACH).then_some(value)
    }

    /// Whether `at` is the very end of the input.
    pub fn ends_at(self, at: usize) -> bool {
        self.tail == Tail::Final && at == self.bytes.len()
    }

    /// Where the word at the front ends.
    pub fn word_end(self) -> Option<usize> {
        let window = &self.bytes[..self.bytes.len().min(MAX_WORD)];
        let full = window.len() == MAX_WORD || self.tail == Tail::Final;
        window.iter().position(|&byte| is_white(byte)).or(full.then_some(window.len()))
    }

    /// Where the line at the front ends: at its line feed, or at the end of what is in reach.
    pub fn line_end(self) -> Option<usize> {
        let window = self.reach();
        memchr(b'\n', window).or_else(|| self.decided(window.len()))
    }
}

/// The six bytes that separate tokens.
pub fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// `text` without white space at its end.
pub fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| !is_white(byte)).map_or(0, |last| last + 1);
    &text[..end]
}

/// What C sees of a text: the bytes up to a NUL.
pub fn until_nul(text: &[u8]) -> &[u8] {
    &text[..memchr(0, text).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(bytes: &[u8]) -> Unread<'_> {
        Unread { bytes, tail: Tail::Open }
    }

    #[test]
    fn a_word_is_open_until_white_space_or_its_limit() {
        assert_eq!(open(b"abc").word_end(), None);
        assert_eq!(open(b"abc\x0b").word_end(), Some(3));
        assert_eq!(Unread { bytes: b"abc", tail: Tail::Final }.word_end(), Some(3));
        assert_eq!(open(&[b'x'; 4998]).word_end(), None);
        assert_eq!(open(&[b'x'; 6000]).word_end(), Some(4999));
    }
}
