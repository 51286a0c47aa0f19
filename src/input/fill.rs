//! Reading from the system, in pieces.

use std::io::{self, Read};
use std::ops::{Deref, DerefMut};

/// How much is read at once. Larger pieces gained nothing when they were measured, and a few of these stay in
/// a second-level cache.
pub const PIECE: usize = 128 << 10;

/// Memory that the system copies to at full speed.
///
/// Some processors (AMD Zen 3 and 4) copy at a fifth of their speed to an address that is 0 to 31 bytes after
/// the beginning of a page, which is where the allocator puts a vector of this size. Here the first byte is
/// [`AFTER_PAGE`] bytes after it.
#[derive(Debug)]
pub struct Buffer {
    memory: Vec<u8>,
    start: usize,
}

const PAGE: usize = 4096;
const AFTER_PAGE: usize = 256;

impl Buffer {
    /// Memory for so many bytes, which are zeros.
    pub fn new(length: usize) -> Self {
        let memory = vec![0; length + PAGE + AFTER_PAGE];
        let start = memory.as_ptr().align_offset(PAGE).min(PAGE) + AFTER_PAGE;
        Buffer { memory, start }
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.memory.len() - PAGE - AFTER_PAGE
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.range()]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        let range = self.range();
        &mut self.memory[range]
    }
}

/// Reads until the buffer is full or the source ends, and returns how much.
pub fn fill(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_begin_where_processors_copy_fast() {
        let buffers: Vec<Buffer> =
            [1, 4096, 64 << 10, PIECE, PIECE, 1 << 20].map(Buffer::new).into();
        for (buffer, length) in buffers.iter().zip([1, 4096, 64 << 10, PIECE, PIECE, 1 << 20]) {
            assert_eq!(buffer.len(), length);
            assert_eq!(buffer.as_ptr() as usize % PAGE, AFTER_PAGE);
        }
    }
}
