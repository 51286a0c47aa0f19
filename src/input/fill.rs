//! Reading from the system, in pieces.

use std::io::{self, Read};

/// How much is read at once. In measurements, larger pieces were not faster, and four of these fit
/// into a second-level cache.
pub const PIECE: usize = 256 << 10;

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
