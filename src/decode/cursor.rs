//! The one place that takes bytes apart: a reader over a slice that never reads past it.

/// Reads big-endian integers and strings from the front of a slice. Every read returns `None` if
/// the slice ends first, and then leaves the cursor where it was.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// A cursor over all of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes }
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*taken)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// The bytes up to the next NUL, which is skipped.
    pub fn c_string(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.rest)?;
        let text = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(text)
    }

    /// Like [`Cursor::c_string`], but a string without a NUL ends with the slice; the result is
    /// then `false`.
    pub fn c_string_or_rest(&mut self) -> (&'a [u8], bool) {
        match self.c_string() {
            Some(text) => (text, true),
            None => (std::mem::take(&mut self.rest), false),
        }
    }
}
