//! The decoder of any format.

use super::eventlog::EventlogDecoder;
use super::hp::HpDecoder;
use super::prof::ProfDecoder;
use crate::incident::error::Error;
use crate::profile::{ProfileBuilder, Source};

/// A decoder of a recognised format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Decoder {
    Eventlog(EventlogDecoder),
    Hp(HpDecoder),
    Prof(ProfDecoder),
}

impl Decoder {
    /// A decoder at the start of a stream.
    pub fn new(format: Source) -> Self {
        match format {
            Source::Eventlog => Decoder::Eventlog(EventlogDecoder::new()),
            Source::Hp => Decoder::Hp(HpDecoder::new()),
            Source::Prof => Decoder::Prof(ProfDecoder::new()),
        }
    }

    /// Takes the next bytes of the stream, however many.
    ///
    /// # Errors
    /// Those of [`EventlogDecoder::feed`] and [`HpDecoder::feed`].
    pub fn feed(&mut self, bytes: &[u8], profile: &mut ProfileBuilder) -> Result<(), Error> {
        match self {
            Decoder::Eventlog(decoder) => decoder.feed(bytes, profile),
            Decoder::Hp(decoder) => decoder.feed(bytes, profile),
            Decoder::Prof(decoder) => decoder.feed(bytes, profile),
        }
    }

    /// Reads everything that can be decided now of the bytes so far, for a stream that may pause
    /// here.
    ///
    /// # Errors
    /// As [`Decoder::feed`].
    pub fn catch_up(&mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        match self {
            Decoder::Eventlog(decoder) => decoder.catch_up(profile),
            // Nothing of a report can be decided before its end.
            Decoder::Prof(_) => Ok(()),
            Decoder::Hp(decoder) => decoder.catch_up(profile),
        }
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// Those of [`EventlogDecoder::finish`] and [`HpDecoder::finish`].
    pub fn finish(self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        match self {
            Decoder::Eventlog(decoder) => decoder.finish(profile),
            Decoder::Hp(decoder) => decoder.finish(profile),
            Decoder::Prof(decoder) => decoder.finish(profile),
        }
    }

    /// Forgets the numbers of bands, which change here because the log was joined to the run that
    /// it continues.
    pub fn forget_bands(&mut self) {
        match self {
            Decoder::Eventlog(decoder) => decoder.forget_bands(),
            Decoder::Hp(decoder) => decoder.forget_bands(),
            Decoder::Prof(_) => {}
        }
    }

    /// Whether the program has finished its output, as far as the bytes so far show.
    pub fn has_ended(&self) -> bool {
        match self {
            Decoder::Eventlog(decoder) => decoder.has_ended(),
            Decoder::Hp(decoder) => decoder.has_ended(),
            // A report is written at once when the program ends.
            Decoder::Prof(_) => true,
        }
    }
}
