//! Reads rows whose names are longer than the limit of a statement.
//!
//! No program writes such a name. But names beyond the limit on texts are cut and their rows kept,
//! and this must also work if the decoder cannot keep the whole line. So it keeps the beginning of
//! the name, and skips the rest up to the TAB and the value.

use memchr::{memchr, memchr2};

use super::statement::digits_to_line_end;
use super::unread::{REACH, trim_end};
use super::{MAX_WORD, Number, Unread, is_white};

/// A name whose TAB has not been read yet.
#[derive(Clone, Debug, Default)]
pub struct LongName {
    /// The beginning of the name, at most as much as a statement may reach.
    kept: Vec<u8>,
    pub length: usize,
}

/// The result of a step through a long name.
#[derive(Debug)]
pub enum NameStep<'a> {
    /// So many further bytes belong to the name.
    Name(usize),
    /// The row of the name, and how long the rest of its line is.
    Row(Number<'a>, usize),
    /// The line of the name is not a row.
    NoRow,
}

impl LongName {
    /// Whether a line begins with a name whose end is out of reach, or so near to the limit that the value
    /// is: a first word that is too long for hp2ps, without a TAB nearby.
    pub fn begins(text: Unread<'_>) -> bool {
        // A value and its line end fit into this many bytes.
        const VALUE: usize = 64;
        let window = text.reach();
        window.len() == REACH
            && !window[..=MAX_WORD].iter().any(|&byte| is_white(byte))
            && memchr(b'\t', &window[..REACH - VALUE]).is_none()
            && memchr(b'\n', window).is_none()
    }

    pub fn front(&self) -> &[u8] {
        if self.length == self.kept.len() { trim_end(&self.kept) } else { &self.kept }
    }

    /// Continues; `None` if only more bytes can show what follows.
    pub fn step<'a>(&mut self, text: Unread<'a>) -> Option<NameStep<'a>> {
        let end = memchr2(b'\t', b'\n', text.bytes).unwrap_or(text.bytes.len());
        if end > 0 {
            let room = REACH - self.kept.len();
            self.length += end;
            self.kept.extend_from_slice(&text.bytes[..end.min(room)]);
            return Some(NameStep::Name(end));
        }
        if text.bytes.first() != Some(&b'\t') {
            return Some(NameStep::NoRow);
        }
        Some(match digits_to_line_end(text, 1)? {
            Some((digits, len)) => NameStep::Row(Number::from_digits(digits), len),
            None => NameStep::NoRow,
        })
    }
}
