//! Turns a stream of bytes into a profile: finds out what the bytes are, and which decoder gets
//! them.
//!
//! The format is found by content, never by name. The stream is read in pieces of a fixed size, so
//! that memory depends on the profile and not on the file.

mod ahead;
mod compressed;
mod sniff;

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::decode::Decoder;
use crate::incident::error::Error;
use crate::profile::{Limits, Profile, ProfileBuilder, RunChoice, Source};

#[cfg(feature = "cli")]
pub(crate) use ahead::Buffer;
pub use ahead::ReadError;
use ahead::fill;
use compressed::Decompressed;
#[doc(hidden)]
use sniff::as_given;
pub use sniff::sniff;

/// How to read an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputOptions {
    /// The format, if the user gives it. By default it is recognised by content.
    pub format: Option<Source>,
    /// Which run is read if an input contains several. Default: the last with samples.
    pub run: RunChoice,
    /// How much of an input is kept at most. Default: the defaults of [`Limits`].
    pub limits: Limits,
}

impl ReadError {
    /// The error without the command line of the program, and without texts of the input.
    #[must_use]
    pub fn redacted(mut self) -> ReadError {
        if let ReadError::Decode(Error::NoSamples(reason)) = &mut self {
            reason.redact();
        }
        self
    }

    /// What to do about it, if something can be done.
    #[allow(clippy::wildcard_enum_match_arm, reason = "the system has many kinds of errors")]
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        match self {
            ReadError::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => Some(
                    "programs write PROG.eventlog and PROG.hp into the folder in which they run"
                        .into(),
                ),
                io::ErrorKind::PermissionDenied => {
                    Some("ask its owner for a copy that you may read".into())
                }
                io::ErrorKind::IsADirectory => Some("name the profiles in it".into()),
                _ => None,
            },
            ReadError::Decode(error) => error.hint(),
        }
    }

    /// Whether a limit was exceeded, see [`Error::is_over_limit`].
    pub fn is_over_limit(&self) -> bool {
        matches!(self, ReadError::Decode(error) if error.is_over_limit())
    }
}

/// How far a long reading has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes read from the source, before decompression.
    pub bytes: u64,
    /// Samples found in them.
    pub samples: usize,
}

/// Reads a profile that has something to draw.
///
/// # Errors
/// Those of [`read`], and [`Error::NoSamples`] with the reason if there is no point to
/// draw.
pub fn read_drawable(
    source: impl Read + Send,
    options: &InputOptions,
) -> Result<Profile, ReadError> {
    drawable(read(source, options)?)
}

/// The profile, if it has something to draw.
///
/// # Errors
/// [`Error::NoSamples`] with the reason when there is no point to draw.
pub fn drawable(profile: Profile) -> Result<Profile, ReadError> {
    match profile.no_samples() {
        Some(reason) => Err(Error::NoSamples(reason).into()),
        None => Ok(profile),
    }
}

/// Reads a profile, with or without samples.
///
/// # Errors
/// [`ReadError::Io`] when the source fails; [`ReadError::Decode`] when it is empty, something else,
/// or damaged beyond use.
pub fn read(source: impl Read + Send, options: &InputOptions) -> Result<Profile, ReadError> {
    read_watched(source, options, |_| {})
}

/// Like [`read`], but calls a function after each piece with the progress so far.
///
/// # Errors
/// As [`read`].
pub fn read_watched(
    source: impl Read + Send,
    options: &InputOptions,
    watch: impl FnMut(Progress),
) -> Result<Profile, ReadError> {
    Opened::new(source)?.read(options, watch)
}

/// An input of which only the first bytes have been read. The drop-in reads a `.hp` by hp2ps's rules.
pub(crate) struct Opened<R: Read + Send> {
    source: Decompressed<Counted<R>>,
    /// The bytes that were read to recognise the format.
    front: Vec<u8>,
    /// How many bytes were read from the source.
    read: Arc<AtomicU64>,
}

impl<R: Read + Send> Opened<R> {
    /// Looks at the first bytes of a source.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the source fails; [`Error::Compression`] when nothing of it can be
    /// decompressed.
    pub fn new(source: R) -> Result<Self, ReadError> {
        let read = Arc::default();
        let mut source = Decompressed::new(Counted { source, read: Arc::clone(&read) })?;
        let mut front = vec![0; sniff::FRONT];
        let filled = fill(&mut source, &mut front)?;
        front.truncate(filled);
        if front.is_empty() && source.damage.is_some() {
            return Err(Error::Compression.into());
        }
        Ok(Opened { source, front, read })
    }

    /// The format: the one that was given, or as the first bytes show it.
    ///
    /// # Errors
    /// [`Error::Empty`] and [`Error::NotAProfile`].
    pub fn format(&self) -> Result<Source, Error> {
        sniff(&self.front)
    }

    /// Reads all of it, like [`read_watched`].
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(
        mut self,
        options: &InputOptions,
        mut watch: impl FnMut(Progress),
    ) -> Result<Profile, ReadError> {
        let found = self.format();
        let format = options.format.map_or(found.clone(), |given| as_given(given, found))?;
        let mut profile = ProfileBuilder::with_limits(format, options.limits.clone());
        profile.choose_run(options.run);
        let mut decoder = Decoder::new(format);
        let read = Arc::clone(&self.read);
        self.feed(|piece| {
            decoder.feed(piece, &mut profile)?;
            let bytes = read.load(Ordering::Relaxed);
            watch(Progress { bytes, samples: profile.sample_count() });
            Ok(())
        })?;
        decoder.finish(&mut profile)?;
        self.note_damage(&mut profile);
        let profile = profile.finish();
        match options.run {
            RunChoice::Number(asked) if asked.get() != profile.run.number => {
                Err(Error::NoSuchRun { asked: asked.get(), runs: profile.run.of }.into())
            }
            RunChoice::Last | RunChoice::Number(_) => Ok(profile),
        }
    }

    /// Passes all of it to a decoder, in pieces.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the source fails, and the decoder's own.
    pub fn feed(
        &mut self,
        mut feed: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), ReadError> {
        feed(&self.front)?;
        ahead::feed_all(&mut self.source, feed)
    }

    /// Records in a profile that the compressed stream was damaged or cut, if it was.
    pub fn note_damage(&self, profile: &mut ProfileBuilder) {
        if let Some(damage) = self.source.damage {
            profile.incidents.end(damage);
        }
    }
}

/// Counts the bytes read from a source.
struct Counted<R> {
    source: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
