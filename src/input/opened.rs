//! An input of which only the first bytes have been looked at, for a reader with a grammar of its
//! own.

use std::io::Read;

use super::compressed::Decompressed;
use super::sniff::{FRONT, sniff};
use super::{InputOptions, PIECE, ReadError, fill, read};
use crate::error::Error;
use crate::profile::{Profile, ProfileBuilder, Source};

/// An opened input.
pub struct Opened<R: Read> {
    source: Decompressed<R>,
    piece: Vec<u8>,
    filled: usize,
}

impl<R: Read> Opened<R> {
    /// Looks at the first bytes of a source.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the source fails; [`Error::Compression`] when nothing of it can be
    /// decompressed.
    pub fn new(source: R) -> Result<Self, ReadError> {
        let mut source = Decompressed::new(source)?;
        let mut piece = vec![0; PIECE];
        let filled = fill(&mut source, &mut piece[..FRONT])?;
        if filled == 0 && source.damage().is_some() {
            return Err(Error::Compression.into());
        }
        Ok(Opened { source, piece, filled })
    }

    /// Whether it is an event log.
    pub fn is_eventlog(&self) -> bool {
        sniff(&self.piece[..self.filled], None) == Ok(Source::Eventlog)
    }

    /// Reads all of it as [`read`] does.
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(mut self, options: &InputOptions) -> Result<Profile, ReadError> {
        let mut profile = read(self.piece[..self.filled].chain(&mut self.source), options)?;
        // The inner reading takes the end of what could be decompressed for the end of the log.
        if let Some(damage) = self.source.damage() {
            profile.incidents.end(damage.into());
        }
        Ok(profile)
    }

    /// Gives all of it to a decoder, in pieces.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the source fails, and the decoder's own.
    pub fn feed(
        &mut self,
        mut decoder: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), ReadError> {
        while self.filled > 0 {
            decoder(&self.piece[..self.filled])?;
            self.filled = fill(&mut self.source, &mut self.piece)?;
        }
        Ok(())
    }

    /// Records in a profile that the compressed stream was damaged or cut, if it was.
    pub fn note_damage(&self, profile: &mut ProfileBuilder) {
        if let Some(damage) = self.source.damage() {
            profile.incidents.end(damage.into());
        }
    }
}
