//! The part of the log that is in memory, and answers that may depend on bytes beyond it.

use crate::decode::cursor::Cursor;

/// Bytes of the log from some offset on.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Offset of the first of them in the input.
    pub base: u64,
    /// Whether the input ends with them.
    pub last: bool,
}

impl<'a> Window<'a> {
    /// A cursor at position `at`; empty past the end.
    pub fn cursor(&self, at: usize) -> Cursor<'a> {
        Cursor::new(self.bytes.get(at..).unwrap_or_default())
    }

    /// The offset in the input of position `at`.
    pub fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    /// Whether the input ends at position `at`, as far as can be told.
    pub fn ends_at(&self, at: usize) -> bool {
        self.last && at == self.bytes.len()
    }
}

/// An answer that may need bytes that are not in the window yet. A question that is repeated with
/// more bytes must get the same answer as if they had been there from the beginning; so the result
/// does not depend on chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookahead<T> {
    /// Decided, whatever follows.
    Known(T),
    /// Undecided until the window has this many bytes.
    Needs(usize),
}

impl<T> Lookahead<T> {
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Lookahead<U> {
        match self {
            Lookahead::Known(answer) => Lookahead::Known(form(answer)),
            Lookahead::Needs(needs) => Lookahead::Needs(needs),
        }
    }
}
