//! The part of the log that is in memory, and answers that depend on what is not.

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

/// An answer that may need bytes the window does not hold yet. What is asked again with more bytes
/// must have the same answer as if they had been there at once: that makes chunking invisible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookahead<T> {
    /// Settled, whatever follows.
    Known(T),
    /// Unsettled before the window holds this many bytes.
    Needs(usize),
}
