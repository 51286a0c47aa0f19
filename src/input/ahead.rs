//! Reading on two threads, with the result of one.
//!
//! A file in the page cache is read at about 12 GB/s, and decoded at 2 GB/s on one thread. Most of the work
//! of decoding is done by a [`Digester`], whose result depends only on the bytes of a piece. So both
//! threads take pieces of the source in turn and digest them; the thread of the caller feeds them to the
//! decoder, in order.
//!
//! Each thread reads its own pieces, under a lock. If one thread read for both, all bytes would move from
//! the cache of one processor to that of the other, which takes longer than decoding them. Only if the
//! source is slower than the decoder (a compressed file, for example) does the decoder wait for the reader;
//! it then gets the piece at once and digests it itself.

use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvError, Sender, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::error::ReadError;
use super::fill::{PIECE, fill};
use crate::decode::hp::HpDecoder;
use crate::decode::{Decoder, Digest, Digester};
use crate::incident::error::Error;
use crate::profile::ProfileBuilder;

/// The number of pieces for each thread: one is being digested, the others wait for earlier pieces.
const PIECES: usize = 3;

/// How long a thread polls for what it waits for before it sleeps. In a virtual machine, waking up takes as
/// long as digesting a piece, and most waits are much shorter.
const AWAKE: Duration = Duration::from_micros(50);

/// The receiver of the pieces of an input.
pub trait Feed {
    /// Another reader for the pieces that follow, if the format has one.
    fn digester(&mut self) -> Option<Digester>;

    /// Takes the next piece, with the result of reading it ahead.
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

/// For hp2ps's rules, which no other decoder has.
impl Feed for HpDecoder {
    fn digester(&mut self) -> Option<Digester> {
        Some(Digester::Hp(HpDecoder::digester(self)))
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

/// Feeds the rest of a source to a decoder, and calls `fed` after each piece.
///
/// # Errors
/// Those of the source and of the decoder, whichever comes first in the input.
pub fn feed_all(
    source: &mut (impl Read + Send),
    decoder: &mut impl Feed,
    profile: &mut ProfileBuilder,
    mut fed: impl FnMut(&ProfileBuilder),
) -> Result<(), ReadError> {
    let nothing = Digest::default();
    let mut piece = vec![0; PIECE];
    let mut filled = fill(source, &mut piece)?;
    // A short input has been read before a thread could start.
    if filled == PIECE && thread::available_parallelism().is_ok_and(|n| n > NonZeroUsize::MIN) {
        decoder.feed(&piece, &nothing, profile)?;
        fed(profile);
        if feed_on_two_threads(source, decoder, profile, &mut fed)? == Outcome::Fed {
            return Ok(());
        }
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
    /// If the system cannot start a thread; then nothing was read.
    NoThread,
}

/// A piece of the source, with the result of reading it ahead.
#[derive(Default)]
struct Piece {
    /// Its number, in the order of the source.
    number: usize,
    bytes: Vec<u8>,
    digest: Digest,
    state: Digestion,
    owner: Owner,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Digestion {
    #[default]
    Raw,
    Digested,
}

/// The owner of the memory of a piece.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Owner {
    /// The thread that feeds the decoder.
    #[default]
    Feeder,
    Helper,
}

impl Piece {
    fn of(owner: Owner) -> Self {
        Piece { owner, ..Piece::default() }
    }

    fn digest(&mut self, digester: &mut Option<Digester>) {
        self.digest.clear();
        if let Some(digester) = digester {
            digester.digest(&self.bytes, &mut self.digest);
        }
        self.state = Digestion::Digested;
    }
}

/// The source, which both threads read.
struct Shared<'a, S> {
    source: &'a mut S,
    /// The number of the next piece.
    next: usize,
    end: Option<io::Result<()>>,
}

impl<S: Read> Shared<'_, S> {
    /// Reads the next piece; `None` at the end.
    fn read(&mut self, mut piece: Piece) -> Option<Piece> {
        if self.end.is_some() {
            return None;
        }
        piece.bytes.resize(PIECE, 0);
        match fill(self.source, &mut piece.bytes) {
            Ok(filled) if filled > 0 => {
                piece.bytes.truncate(filled);
                (piece.number, piece.state) = (self.next, Digestion::Raw);
                self.next += 1;
                Some(piece)
            }
            ended => {
                self.end = Some(ended.map(|_| ()));
                None
            }
        }
    }
}

fn feed_on_two_threads(
    source: &mut (impl Read + Send),
    decoder: &mut impl Feed,
    profile: &mut ProfileBuilder,
    fed: &mut impl FnMut(&ProfileBuilder),
) -> Result<Outcome, ReadError> {
    let mut digesters = [decoder.digester(), decoder.digester()];
    let [ref mut digester, ref mut helpers] = digesters;
    let shared = Mutex::new(Shared { source, next: 0, end: None });
    let waiting = AtomicBool::new(false);
    let outcome = thread::scope(|scope| {
        let (used, empty) = channel();
        let (ready, others) = channel();
        let help = || help(&shared, helpers, &waiting, empty, ready);
        let Ok(_helping) = thread::Builder::new().spawn_scoped(scope, help) else {
            return Ok(Outcome::NoThread);
        };
        for _ in 0..PIECES {
            // The helper may have reached the end already.
            let _ = used.send(Piece::of(Owner::Helper));
        }
        let mut queue = Queue {
            shared: &shared,
            waiting: &waiting,
            digester,
            next: 0,
            spare: (0..PIECES).map(|_| Piece::of(Owner::Feeder)).collect(),
            ready: Vec::new(),
            others,
        };
        while let Some(piece) = queue.next_piece() {
            decoder.feed(&piece.bytes, &piece.digest, profile)?;
            fed(profile);
            match piece.owner {
                Owner::Feeder => queue.spare.push(piece),
                Owner::Helper => drop(used.send(piece)),
            }
        }
        Ok::<_, Error>(Outcome::Fed)
    })?;
    // An error of the decoder comes earlier in the input than one of the source.
    match shared.into_inner().unwrap_or_else(PoisonError::into_inner).end {
        Some(Err(error)) => Err(error.into()),
        _ => Ok(outcome),
    }
}

/// Reads and digests pieces until the source ends or nobody needs more of them.
fn help<S: Read>(
    shared: &Mutex<Shared<'_, S>>,
    digester: &mut Option<Digester>,
    waiting: &AtomicBool,
    empty: Receiver<Piece>,
    ready: Sender<Piece>,
) {
    while let Ok(piece) = receive(&empty) {
        let locked = ask_for_a_while(|| try_lock(shared));
        let mut locked =
            locked.unwrap_or_else(|| shared.lock().unwrap_or_else(PoisonError::into_inner));
        let piece = locked.read(piece);
        drop(locked);
        let Some(mut piece) = piece else { return };
        if !waiting.load(Ordering::Relaxed) {
            piece.digest(digester);
        }
        if ready.send(piece).is_err() {
            return;
        }
    }
}

/// Polls for something until it is there, but not for long.
fn ask_for_a_while<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        match ask() {
            None if start.elapsed() < AWAKE => std::hint::spin_loop(),
            answer => return answer,
        }
    }
}

fn receive(pieces: &Receiver<Piece>) -> Result<Piece, RecvError> {
    let received = ask_for_a_while(|| match pieces.try_recv() {
        Err(TryRecvError::Empty) => None,
        Err(TryRecvError::Disconnected) => Some(Err(RecvError)),
        Ok(piece) => Some(Ok(piece)),
    });
    received.unwrap_or_else(|| pieces.recv())
}

fn try_lock<T>(shared: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match shared.try_lock() {
        Ok(locked) => Some(locked),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The pieces for the decoder, in order.
struct Queue<'a, 'b, S> {
    shared: &'a Mutex<Shared<'b, S>>,
    /// Whether the decoder is waiting for the next piece.
    waiting: &'a AtomicBool,
    digester: &'a mut Option<Digester>,
    /// The number of the next piece.
    next: usize,
    spare: Vec<Piece>,
    ready: Vec<Piece>,
    /// The pieces of the helper.
    others: Receiver<Piece>,
}

impl<S: Read> Queue<'_, '_, S> {
    /// The next piece, digested; `None` at the end. While the helper digests it, this thread digests
    /// later ones.
    fn next_piece(&mut self) -> Option<Piece> {
        loop {
            self.ready.extend(self.others.try_iter());
            if let Some(at) = self.ready.iter().position(|piece| piece.number == self.next) {
                let mut piece = self.ready.swap_remove(at);
                if piece.state == Digestion::Raw {
                    piece.digest(self.digester);
                }
                self.next += 1;
                return Some(piece);
            }
            let piece = match self.read() {
                Some(mut piece) => {
                    piece.digest(self.digester);
                    piece
                }
                None => {
                    self.waiting.store(true, Ordering::Relaxed);
                    let piece = receive(&self.others).ok();
                    self.waiting.store(false, Ordering::Relaxed);
                    piece?
                }
            };
            self.ready.push(piece);
        }
    }

    /// Reads a piece, unless there is no space for it, the source has ended, or the helper has been
    /// reading one for long.
    fn read(&mut self) -> Option<Piece> {
        let spare = self.spare.pop()?;
        match ask_for_a_while(|| try_lock(self.shared)) {
            Some(mut shared) => shared.read(spare),
            None => {
                self.spare.push(spare);
                None
            }
        }
    }
}
