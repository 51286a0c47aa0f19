//! Rows whose names are longer than any statement may reach.
//!
//! No program writes such a name. But a name beyond the limit on texts is cut and its row kept, and
//! that must not end where the decoder can no longer hold the line. So the beginning of the name is
//! kept, and the rest passed over up to the TAB and the value.

use memchr::{memchr, memchr2};

use crate::hp_text::line::digits_to_line_end;
use crate::hp_text::unread::{REACH, trim_end};
use crate::hp_text::{MAX_WORD, Number, Unread, is_white};

/// A name of which the TAB is not in sight.
#[derive(Clone, Debug, Default)]
pub struct LongName {
    /// Its beginning, at most as much as a statement may reach.
    kept: Vec<u8>,
    /// How long it is.
    pub length: usize,
}

/// What comes of a long name.
#[derive(Debug)]
pub enum Step<'a> {
    /// This many bytes more belong to it.
    Name(usize),
    /// Its row, and how long the rest of the line is.
    Row(Number<'a>, usize),
    /// Its line is not a row.
    NoRow,
}

impl LongName {
    /// Whether a line begins with a name that is out of reach, or so near to its end that the value
    /// is: a first word that is too long for hp2ps, without a TAB in sight.
    pub fn begins(text: Unread<'_>) -> bool {
        // A value and its line end have room in these.
        const VALUE: usize = 64;
        let window = text.reach();
        window.len() == REACH
            && !window[..=MAX_WORD].iter().any(|&byte| is_white(byte))
            && memchr(b'\t', &window[..REACH - VALUE]).is_none()
            && memchr(b'\n', window).is_none()
    }

    /// The name, or its beginning.
    pub fn kept(&self) -> &[u8] {
        if self.length == self.kept.len() { trim_end(&self.kept) } else { &self.kept }
    }

    /// Reads on; `None` when only more bytes can tell what comes.
    pub fn step<'a>(&mut self, text: Unread<'a>) -> Option<Step<'a>> {
        let end = memchr2(b'\t', b'\n', text.bytes).unwrap_or(text.bytes.len());
        if end > 0 {
            let room = REACH - self.kept.len();
            self.length += end;
            self.kept.extend_from_slice(&text.bytes[..end.min(room)]);
            return Some(Step::Name(end));
        }
        if text.bytes.first() != Some(&b'\t') {
            return Some(Step::NoRow);
        }
        Some(match digits_to_line_end(text, 1)? {
            Some((digits, len)) => Step::Row(Number::from_digits(digits), len),
            None => Step::NoRow,
        })
    }
}
