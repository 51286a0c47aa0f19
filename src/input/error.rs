//! Why an input gave no profile.

use std::io;

use thiserror::Error;

use crate::incident::error::Error;

/// Why an input gave no profile.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system could not read its bytes.
    #[error("cannot read: {0}")]
    Io(io::Error),
    /// Its bytes are not a profile.
    #[error(transparent)]
    Decode(#[from] Error),
}

/// What the decompression refuses is wrapped in a system error.
impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        error.downcast::<Error>().map_or_else(ReadError::Io, ReadError::Decode)
    }
}
