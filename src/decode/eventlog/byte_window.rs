//! The part of the log that is in memory, where a header begins in it, and answers that may depend on bytes
//! beyond it.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::decode::cursor::Cursor;

/// Bytes of the log from some offset on.
#[derive(Clone, Copy, Debug)]
pub struct ByteWindow<'a> {
    pub bytes: &'a [u8],
    /// Offset of the first of them in the input.
    pub base: u64,
    /// Whether the input ends with them.
    pub last: bool,
}

impl<'a> ByteWindow<'a> {
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

/// An answer, decided whatever follows, or how many bytes it needs. A question that is repeated with
/// more bytes must get the same answer as if they had been there from the beginning; so the result
/// does not depend on chunks.
pub type Ahead<T> = Result<T, More>;

/// An answer is undecided until the window has this many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct More(pub usize);

/// The first eight bytes of every real header: the begin marks of the header and of its types.
pub const BEGIN: &[u8; 8] = b"hdrbhetb";

/// How far into a stream its first header is looked for.
pub const FRONT: usize = 64 * 1024;

static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(BEGIN));

/// Whether a header may begin in these bytes, or with the last of them.
pub fn may_begin_in(bytes: &[u8]) -> bool {
    FINDER.find(bytes).is_some() || may_begin_at_end(bytes)
}

/// Whether a header may begin with the last of these bytes.
pub fn may_begin_at_end(bytes: &[u8]) -> bool {
    begun_at_end(bytes).is_some()
}

/// Where the first few of a header's eight bytes begin, if these bytes end with them.
fn begun_at_end(bytes: &[u8]) -> Option<usize> {
    if !bytes.last().is_some_and(|last| BEGIN.contains(last)) {
        return None;
    }
    let first = bytes.len().saturating_sub(BEGIN.len() - 1);
    (first..bytes.len()).find(|&at| BEGIN.starts_with(&bytes[at..]))
}

/// The first position from `from` on and before `to` at which a header may begin.
pub fn begins_in(window: ByteWindow<'_>, from: usize, to: usize) -> Ahead<Option<usize>> {
    let until = (to + BEGIN.len() - 1).min(window.bytes.len());
    let bytes = window.bytes.get(from..until).unwrap_or_default();
    if let Some(found) = FINDER.find(bytes) {
        return Ok(Some(from + found));
    }
    if window.last || until < window.bytes.len() {
        return Ok(None);
    }
    match begun_at_end(bytes).map(|at| from + at) {
        Some(at) if at < to => Err(More(at + BEGIN.len())),
        _ => Ok(None),
    }
}

/// A part of the input in which no header begins.
///
/// Most events to check follow each other, and searching each one separately costs more than searching the
/// bytes of many at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headerless {
    from: u64,
    to: u64,
}

impl Headerless {
    /// Whether no header begins at any position from `from` on and before `to`. `false` may also mean that
    /// the necessary bytes are not there.
    #[inline]
    pub fn covers(&mut self, window: ByteWindow<'_>, from: usize, to: usize) -> bool {
        (self.from <= window.offset(from) && window.offset(to) <= self.to)
            || self.search(window, from, to)
    }

    #[inline(never)]
    fn search(&mut self, window: ByteWindow<'_>, from: usize, to: usize) -> bool {
        const AT_ONCE: usize = 1024;
        let rest_of_header = BEGIN.len() - 1;
        let until = (to.max(from + AT_ONCE) + rest_of_header).min(window.bytes.len());
        let bytes = window.bytes.get(from..until).unwrap_or_default();
        let searched = FINDER.find(bytes).unwrap_or(bytes.len().saturating_sub(rest_of_header));
        *self = Headerless { from: window.offset(from), to: window.offset(from + searched) };
        to <= from + searched
    }
}
