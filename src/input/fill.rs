//! Reading from the system, in pieces.

use std::io::{self, Read};

/// How much is read at once. Larger pieces gained nothing when they were measured, and three of these, with
/// what is read ahead of them, stay in a second-level cache.
pub const PIECE: usize = 128 << 10;

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
