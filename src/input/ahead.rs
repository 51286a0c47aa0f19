//! Reads and decompresses on one thread what another decodes.

use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::{Deref, DerefMut};
use std::sync::mpsc::channel;
use std::{io, thread};

use thiserror::Error;

use crate::incident::error::Error;

/// How many pieces there are: one is decoded, the others are read in the meantime.
const PIECES: usize = 4;

/// Passes the rest of a source to `feed`, in order and on this thread.
///
/// # Errors
/// Those of the source and of `feed`, whichever comes first in the input.
pub fn feed_all(
    source: &mut (impl Read + Send),
    mut feed: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), ReadError> {
    let mut piece = Buffer::new(PIECE);
    let mut filled = fill(source, &mut piece)?;
    // A short input has been read before a thread could start.
    if filled == PIECE && thread::available_parallelism().is_ok_and(|n| n > NonZeroUsize::MIN) {
        feed(&piece)?;
        if feed_while_reading(source, &mut feed)? {
            return Ok(());
        }
        filled = fill(source, &mut piece)?;
    }
    while filled > 0 {
        feed(&piece[..filled])?;
        filled = fill(source, &mut piece)?;
    }
    Ok(())
}

/// Whether a thread could be started; if not, nothing was read.
fn feed_while_reading(
    source: &mut (impl Read + Send),
    feed: &mut impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<bool, ReadError> {
    let (used, empty) = channel::<Buffer>();
    let (ready, pieces) = channel();
    // The closure owns `used`: after an error it must be gone, or the reader waits for pieces for ever.
    thread::scope(move |scope| {
        // Ends with the source, or when this thread needs no more.
        let read = move || {
            for mut piece in empty {
                let filled = fill(source, &mut piece);
                let is_last = !matches!(filled, Ok(1..));
                if ready.send((piece, filled)).is_err() || is_last {
                    return;
                }
            }
        };
        if thread::Builder::new().spawn_scoped(scope, read).is_err() {
            return Ok(false);
        }
        for _ in 0..PIECES {
            // The reader may have reached the end, here and below.
            let _ = used.send(Buffer::new(PIECE));
        }
        for (piece, filled) in pieces {
            feed(&piece[..filled?])?;
            let _ = used.send(piece);
        }
        Ok(true)
    })
}

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

/// Why an input gave no profile.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system could not read its bytes.
    #[error("cannot read: {0}")]
    Io(io::Error),
    /// The bytes are not a profile.
    #[error(transparent)]
    Decode(#[from] Error),
}

/// What the decompression refuses is wrapped in a system error.
impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        error.downcast::<Error>().map_or_else(ReadError::Io, ReadError::Decode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn all_bytes_arrive_in_order() {
        for most in [0, 1, PIECE - 1, PIECE, PIECE + 1, 9 * PIECE + 5, 10 * PIECE] {
            let bytes: Vec<u8> = (0..most).map(|at| (at % 251) as u8).collect();
            let mut arrived = Vec::new();
            let fed = feed_all(&mut &bytes[..], |piece| {
                arrived.extend_from_slice(piece);
                Ok(())
            });
            assert!(fed.is_ok() && arrived == bytes, "{most}");
        }
    }

    #[test]
    fn a_reader_that_waits_for_an_empty_buffer_ends_after_an_error() {
        /// Says how many pieces were asked for.
        struct Endless(Arc<AtomicUsize>);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0.fetch_add(1, Ordering::SeqCst);
                Ok(buffer.len())
            }
        }
        let (ended, end) = channel();
        thread::spawn(move || {
            let read = Arc::new(AtomicUsize::new(0));
            let result = feed_while_reading(&mut Endless(Arc::clone(&read)), &mut |_| {
                while read.load(Ordering::SeqCst) < PIECES {
                    thread::yield_now();
                }
                thread::sleep(Duration::from_millis(50));
                Err(Error::Empty)
            });
            ended.send(result.is_err())
        });
        assert_eq!(end.recv_timeout(Duration::from_secs(120)), Ok(true));
    }

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
