//! Reading ahead: while one thread decodes a piece, the other reads (and decompresses) the next.
//!
//! A file in the page cache is read at about 8 GB/s and a profile is decoded at 2 to 4; gzip is
//! decompressed at half a gigabyte a second. So on two cores the faster step costs nothing. The
//! source stays on the thread of the caller, so it need not be `Send`; the decoder goes to the
//! other thread.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use super::error::ReadError;
use super::fill::{PIECE, fill};
use crate::decode::Decoder;
use crate::error::Error;
use crate::profile::ProfileBuilder;

/// How many pieces there are: one is read, one decoded, and two may wait.
const PIECES: usize = 4;

/// Feeds a decoder everything that is left in a source, and calls `fed` after each piece.
///
/// # Errors
/// Those of the source and of the decoder, whichever comes first in the input.
pub fn feed_all(
    source: &mut impl Read,
    decoder: &mut Decoder,
    profile: &mut ProfileBuilder,
    mut fed: impl FnMut(&ProfileBuilder) + Send,
) -> Result<(), ReadError> {
    let mut piece = vec![0; PIECE];
    let mut filled = fill(source, &mut piece)?;
    // A short input is read before a thread would have started.
    if filled == PIECE && thread::available_parallelism().is_ok_and(|n| n > NonZeroUsize::MIN) {
        decoder.feed(&piece, profile)?;
        if feed_ahead(source, piece, decoder, profile, &mut fed)? == Outcome::Fed {
            return Ok(());
        }
        piece = vec![0; PIECE];
        filled = fill(source, &mut piece)?;
    }
    while filled > 0 {
        decoder.feed(&piece[..filled], profile)?;
        fed(profile);
        filled = fill(source, &mut piece)?;
    }
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Outcome {
    Fed,
    /// The system cannot start a thread; nothing was read.
    NoThread,
}

fn feed_ahead(
    source: &mut impl Read,
    piece: Vec<u8>,
    decoder: &mut Decoder,
    profile: &mut ProfileBuilder,
    fed: &mut (impl FnMut(&ProfileBuilder) + Send),
) -> Result<Outcome, ReadError> {
    thread::scope(|scope| {
        let (full, to_decode) = sync_channel::<Vec<u8>>(PIECES);
        let (used, empty) = channel::<Vec<u8>>();
        let decode = move || -> Result<(), Error> {
            for piece in to_decode {
                decoder.feed(&piece, profile)?;
                fed(profile);
                // The reader may be done already.
                let _ = used.send(piece);
            }
            Ok(())
        };
        let Ok(decoding) = thread::Builder::new().spawn_scoped(scope, decode) else {
            return Ok(Outcome::NoThread);
        };
        let read = read_ahead(source, piece, full, empty);
        match decoding.join() {
            // An error of the decoder comes earlier in the input than one of the source.
            Ok(decoded) => decoded?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        read?;
        Ok(Outcome::Fed)
    })
}

/// Reads pieces until the source ends or the decoder stops.
fn read_ahead(
    source: &mut impl Read,
    first: Vec<u8>,
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
) -> io::Result<()> {
    let mut spare: Vec<Vec<u8>> = (1..PIECES).map(|_| vec![0; PIECE]).collect();
    spare.push(first);
    loop {
        let Some(mut piece) = spare.pop().or_else(|| empty.recv().ok()) else { return Ok(()) };
        piece.resize(PIECE, 0);
        let filled = fill(source, &mut piece)?;
        if filled == 0 {
            return Ok(());
        }
        piece.truncate(filled);
        if full.send(piece).is_err() {
            return Ok(());
        }
    }
}
