//! Why an input gave no profile.

use std::io;

use thiserror::Error;

use crate::error::Error;

/// Why an input gave no profile.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The system would not give its bytes.
    #[error("cannot read: {0}")]
    Io(io::Error),
    /// Its bytes are not a profile.
    #[error(transparent)]
    Decode(#[from] Error),
}

/// What the decompression refuses comes by way of the system's errors.
impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        error.downcast::<Error>().map_or_else(ReadError::Io, ReadError::Decode)
    }
}
