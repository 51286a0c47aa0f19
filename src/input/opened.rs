//! An input of which only the first bytes have been read, for the drop-in, which reads a
//! `.hp` by hp2ps's rules.

use std::io::Read;

use super::ahead::feed_all;
use super::compressed::Decompressed;
use super::sniff::{FRONT, sniff};
use super::{InputOptions, ReadError, fill, read};
use crate::incident::error::Error;
use crate::profile::{Profile, ProfileBuilder, Source};

pub struct Opened<R: Read + Send> {
    source: Decompressed<R>,
    /// The bytes that were read to recognise the format.
    front: Vec<u8>,
}

impl<R: Read + Send> Opened<R> {
    /// Looks at the first bytes of a source.
    ///
    /// # Errors
    /// [`ReadError::Io`] when the source fails; [`Error::Compression`] when nothing of it can be
    /// decompressed.
    pub fn new(source: R) -> Result<Self, ReadError> {
        let mut source = Decompressed::new(source)?;
        let mut front = vec![0; FRONT];
        let filled = fill(&mut source, &mut front)?;
        front.truncate(filled);
        if front.is_empty() && source.damage().is_some() {
            return Err(Error::Compression.into());
        }
        Ok(Opened { source, front })
    }

    /// The format, as its first bytes show it.
    ///
    /// # Errors
    /// [`Error::Empty`] and [`Error::NotAProfile`].
    pub fn format(&self) -> Result<Source, Error> {
        sniff(&self.front, None)
    }

    /// Reads all of it, like [`read`].
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(mut self, options: &InputOptions) -> Result<Profile, ReadError> {
        let mut profile = read(self.front.as_slice().chain(&mut self.source), options)?;
        // The inner reader mistakes the end of the decompressed data for the end of the log.
        if let Some(damage) = self.source.damage() {
            profile.incidents.end(damage);
        }
        Ok(profile)
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
        feed_all(&mut self.source, feed)
    }

    /// Records in a profile that the compressed stream was damaged or cut, if it was.
    pub fn note_damage(&self, profile: &mut ProfileBuilder) {
        if let Some(damage) = self.source.damage() {
            profile.incidents.end(damage);
        }
    }
}
