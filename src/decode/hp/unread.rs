//! Text whose end may not have arrived yet: its words and lines, and the pieces that it arrives in.
//!
//! Everything that reads here reads at the front of an [`Unread`] text. A reading is `None` while bytes
//! still to come could change it, and once given it never changes: that makes a decoder independent of
//! how its input is cut.

use memchr::memchr;

use crate::incident::error::Error;

/// How the language is read (`docs/format/hp.md#the-language`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// As a stream of lines, as the run-time system writes it, and further than hp2ps reads it.
    Lenient,
    /// Read as hp2ps reads.
    Strict,
}

impl Rules {
    /// How far a statement may reach. hp2ps has no limit.
    fn reach(self) -> usize {
        match self {
            Rules::Lenient => REACH,
            Rules::Strict => usize::MAX,
        }
    }

    /// What is seen of a word: hp2ps, like all of C, sees the bytes up to a NUL.
    pub fn word(self, word: &[u8]) -> &[u8] {
        match self {
            Rules::Lenient => word,
            Rules::Strict => until_nul(word),
        }
    }
}

/// How far a statement, or a string in it, may reach. The longest real ones are job lines, which
/// are as long as command lines can be: 128 KiB for each argument.
pub const REACH: usize = 1 << 20;

/// The longest word; further bytes begin another token.
pub const MAX_WORD: usize = 4999;

/// The unread part of the input, as far as it has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Unread<'a> {
    pub bytes: &'a [u8],
    /// Whether the input ends after them.
    pub is_final: bool,
}

impl<'a> Unread<'a> {
    pub fn from(self, at: usize) -> Self {
        Unread { bytes: self.bytes.get(at..).unwrap_or_default(), ..self }
    }

    /// The bytes that the reading of a line may look at.
    pub fn reach(self) -> &'a [u8] {
        &self.bytes[..self.bytes.len().min(REACH)]
    }

    /// `value` if further bytes cannot change it because they are out of reach; otherwise `None`.
    pub fn decided<T>(self, value: T) -> Option<T> {
        (self.is_final || self.bytes.len() >= REACH).then_some(value)
    }

    /// The bytes that the reading of a statement may look at.
    pub fn within(self, rules: Rules) -> &'a [u8] {
        &self.bytes[..self.bytes.len().min(rules.reach())]
    }

    /// As [`Unread::decided`], for the bytes that are [`Unread::within`] the rules.
    pub fn decided_within<T>(self, rules: Rules, value: T) -> Option<T> {
        (self.is_final || self.bytes.len() >= rules.reach()).then_some(value)
    }

    /// Whether `at` is the very end of the input.
    pub fn ends_at(self, at: usize) -> bool {
        self.is_final && at == self.bytes.len()
    }

    /// Where the word at the front ends.
    pub fn word_end(self) -> Option<usize> {
        let window = &self.bytes[..self.bytes.len().min(MAX_WORD)];
        let full = window.len() == MAX_WORD || self.is_final;
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

/// The undecided rest of the pieces so far. Statements are read directly from a piece; only one that a
/// piece leaves unfinished is carried over, and it is read again only when its text has doubled, so that
/// neither tiny pieces nor endless lines cost quadratic time.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// The beginning of a statement, and perhaps more.
    carry: Vec<u8>,
    /// How long the carry was when it was last found to be undecided.
    undecided: usize,
}

impl Pieces {
    /// Reads the next piece. `run` reads what begins before its second argument, and returns how
    /// far it came: beyond that, or to something that only more bytes can decide.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        mut run: impl FnMut(Unread<'_>, usize) -> Result<usize, Error>,
    ) -> Result<(), Error> {
        let Some(rest) = self.read_carry(bytes, &mut run)? else { return Ok(()) };
        let text = Unread { bytes: rest, is_final: false };
        let used = run(text, rest.len())?;
        self.carry.extend_from_slice(&rest[used..]);
        self.undecided = self.carry.len();
        Ok(())
    }

    /// Reads the carry with the help of the following bytes. Returns the remaining bytes once
    /// nothing is carried any more.
    fn read_carry<'a>(
        &mut self,
        mut bytes: &'a [u8],
        run: &mut impl FnMut(Unread<'_>, usize) -> Result<usize, Error>,
    ) -> Result<Option<&'a [u8]>, Error> {
        while !self.carry.is_empty() {
            let carried = self.carry.len();
            let wanted = (2 * self.undecided).max(64);
            let taken = bytes.len().min(wanted - carried);
            self.carry.extend_from_slice(&bytes[..taken]);
            if self.carry.len() < wanted {
                return Ok(None);
            }
            let text = Unread { bytes: &self.carry, is_final: false };
            let used = run(text, carried)?;
            match used.checked_sub(carried) {
                Some(beyond) => {
                    self.carry.clear();
                    bytes = &bytes[beyond..];
                }
                None => {
                    self.carry.drain(..used);
                    self.undecided = self.carry.len();
                    bytes = &bytes[taken..];
                }
            }
        }
        Ok(Some(bytes))
    }

    /// Reads the carry as far as that can be decided now, for a text that may pause here for a long
    /// time. Long carries are left to [`Pieces::feed`].
    pub fn catch_up(
        &mut self,
        mut run: impl FnMut(Unread<'_>, usize) -> Result<usize, Error>,
    ) -> Result<(), Error> {
        const MOST: usize = 4096;
        if !self.carry.is_empty() && self.carry.len() <= MOST {
            let text = Unread { bytes: &self.carry, is_final: false };
            let used = run(text, self.carry.len())?;
            self.carry.drain(..used.min(self.carry.len()));
            self.undecided = self.carry.len();
        }
        Ok(())
    }

    /// What is still undecided now that the input has ended.
    pub fn rest(&self) -> Unread<'_> {
        Unread { bytes: &self.carry, is_final: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_open_until_its_limit() {
        let word = |length| Unread { bytes: &vec![b'x'; length], is_final: false }.word_end();
        assert_eq!([word(MAX_WORD - 1), word(6000)], [None, Some(MAX_WORD)]);
    }
}
