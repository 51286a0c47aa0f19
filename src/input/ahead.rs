//! Reads ahead: while one thread decodes a piece, the other reads (and decompresses) the next.
//!
//! A file in the page cache is read at about 8 GB/s and a profile is decoded at 2 to 4; gzip is
//! decompressed at half a gigabyte a second. So on two cores the faster step costs nothing. The
//! source stays on the thread of the caller, so it need not be `Send`; the decoder goes to the
//! other thread.
//!
//! If the decoder cannot keep up, the reading thread does a part of its work: it digests a piece
//! ([`Digester`]) before it passes it on.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use super::error::ReadError;
use super::fill::{PIECE, fill};
use crate::decode::{Decoder, Digest, Digester};
use crate::error::Error;
use crate::profile::ProfileBuilder;

/// How many pieces there are: one is read, one decoded, and two may wait.
const PIECES: usize = 4;

/// The reader digests a piece if the decoder has not read this many others yet. Then the reader would
/// have to wait anyway. A lower number would slow down sources that are slower than the decoder, such as
/// compressed files.
const BEHIND: usize = PIECES - 1;

/// Something that takes the pieces of an input.
pub trait Feed: Send {
    /// A reader ahead of the pieces that follow, if there is one for the format.
    fn digester(&mut self) -> Option<Digester>;

    /// Takes the next piece, and what was read ahead of it.
    ///
    /// # Errors
    /// The decoder's own.
    fn feed(
        &mut self,
        piece: &[u8],
        digest: &Digest,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error>;
}

impl Feed for Decoder {
    fn digester(&mut self) -> Option<Digester> {
        Decoder::digester(self)
    }

    fn feed(
        &mut self,
        piece: &[u8],
        digest: &Digest,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        self.feed_digested(piece, digest, profile)
    }
}

/// Feeds a decoder all that is left in a source, and calls `fed` after each piece.
///
/// # Errors
/// Those of the source and of the decoder, whichever comes first in the input.
pub fn feed_all(
    source: &mut impl Read,
    decoder: &mut impl Feed,
    profile: &mut ProfileBuilder,
    mut fed: impl FnMut(&ProfileBuilder) + Send,
) -> Result<(), ReadError> {
    let nothing = Digest::default();
    let mut piece = vec![0; PIECE];
    let mut filled = fill(source, &mut piece)?;
    // A short input has been read before a thread could start.
    if filled == PIECE && thread::available_parallelism().is_ok_and(|n| n > NonZeroUsize::MIN) {
        decoder.feed(&piece, &nothing, profile)?;
        if feed_ahead(source, piece, decoder, profile, &mut fed)? == Outcome::Fed {
            return Ok(());
        }
        piece = vec![0; PIECE];
        filled = fill(source, &mut piece)?;
    }
    while filled > 0 {
        decoder.feed(&piece[..filled], &nothing, profile)?;
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

/// A piece of the source, and what was read ahead of it.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    digest: Digest,
}

fn feed_ahead(
    source: &mut impl Read,
    piece: Vec<u8>,
    decoder: &mut impl Feed,
    profile: &mut ProfileBuilder,
    fed: &mut (impl FnMut(&ProfileBuilder) + Send),
) -> Result<Outcome, ReadError> {
    let digester = decoder.digester();
    thread::scope(|scope| {
        let (full, to_decode) = sync_channel::<Piece>(PIECES);
        let (used, empty) = channel::<Piece>();
        let decode = move || -> Result<(), Error> {
            for piece in to_decode {
                decoder.feed(&piece.bytes, &piece.digest, profile)?;
                fed(profile);
                // The reader may be done already.
                let _ = used.send(piece);
            }
            Ok(())
        };
        let Ok(decoding) = thread::Builder::new().spawn_scoped(scope, decode) else {
            return Ok(Outcome::NoThread);
        };
        let read = read_ahead(source, piece, digester, full, empty);
        match decoding.join() {
            // An error of the decoder comes earlier in the input than one of the source.
            Ok(decoded) => decoded?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        read?;
        Ok(Outcome::Fed)
    })
}

/// Reads pieces until the source ends or the decoder stops. Digests those for which there is time.
/// Which ones these are differs from run to run, but the result does not.
fn read_ahead(
    source: &mut impl Read,
    first: Vec<u8>,
    mut digester: Option<Digester>,
    full: SyncSender<Piece>,
    empty: Receiver<Piece>,
) -> io::Result<()> {
    let mut spare: Vec<Piece> = (1..PIECES).map(|_| Piece::default()).collect();
    spare.push(Piece { bytes: first, ..Piece::default() });
    loop {
        let Some(mut piece) = spare.pop().or_else(|| empty.recv().ok()) else { return Ok(()) };
        piece.bytes.resize(PIECE, 0);
        let filled = fill(source, &mut piece.bytes)?;
        if filled == 0 {
            return Ok(());
        }
        piece.bytes.truncate(filled);
        piece.digest.clear();
        spare.extend(empty.try_iter());
        let behind = PIECES - 1 - spare.len();
        if let Some(digester) = &mut digester
            && behind >= BEHIND
        {
            digester.digest(&piece.bytes, &mut piece.digest);
        }
        if full.send(piece).is_err() {
            return Ok(());
        }
    }
}
