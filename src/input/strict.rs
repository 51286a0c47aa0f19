//! Reading for the drop-in of hp2ps: text by hp2ps's rules, event logs as everywhere.

use std::io::Read;

use super::compressed::Decompressed;
use super::sniff::{FRONT, sniff};
use super::{InputOptions, PIECE, ReadError, fill, read};
use crate::decode::hp::strict::{Reading, Refusal, StrictDecoder};
use crate::error::Error;
use crate::profile::{Profile, ProfileBuilder, Source};

/// What a stream is to hp2ps.
#[derive(Debug)]
pub enum Strict {
    /// Text that it reads.
    Hp(Box<Profile>, Box<Reading>),
    /// Text that it refuses.
    Refused(Refusal),
    /// An event log, which it never could read.
    Eventlog(Box<Profile>),
}

/// Reads a profile, and takes for hp2ps's text whatever is no event log.
///
/// # Errors
/// [`ReadError::Io`] when the source fails; [`ReadError::Decode`] when it holds more than the
/// limits allow, or is an event log damaged beyond use.
pub fn read_strict(source: impl Read, options: &InputOptions) -> Result<Strict, ReadError> {
    let mut source = Decompressed::new(source)?;
    let mut piece = vec![0; PIECE];
    let mut filled = fill(&mut source, &mut piece[..FRONT])?;
    if filled == 0 && source.damage().is_some() {
        return Err(Error::Compression.into());
    }
    if let Ok(Source::Eventlog) = sniff(&piece[..filled], None) {
        let mut profile = read(piece[..filled].chain(&mut source), options)?;
        // The inner reading takes the end of what could be decompressed for that of the log.
        if let Some(damage) = source.damage() {
            profile.incidents.end(damage.into());
        }
        return Ok(Strict::Eventlog(Box::new(profile)));
    }
    let mut profile = ProfileBuilder::with_limits(Source::Hp, options.limits.clone());
    let mut decoder = StrictDecoder::new();
    while filled > 0 {
        decoder.feed(&piece[..filled], &mut profile)?;
        filled = fill(&mut source, &mut piece)?;
    }
    Ok(match decoder.finish(&mut profile)? {
        Ok(reading) => {
            if let Some(damage) = source.damage() {
                profile.incidents.end(damage.into());
            }
            Strict::Hp(Box::new(profile.finish()), Box::new(reading))
        }
        Err(refusal) => Strict::Refused(refusal),
    })
}
