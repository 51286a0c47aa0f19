//! Why there is no picture. hp2ps refuses the same files and flags, in other words
//! (`docs/format/hp.md#messages`).

use thiserror::Error;

use crate::input::ReadError;

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum Failure {
    /// The input cannot be read, or hp2ps's language does not allow what is in it.
    #[error(transparent)]
    Input(#[from] ReadError),
    /// The `.aux` of a previous run contains something that hp2ps never writes.
    #[error("line {line}: {what}")]
    Aux {
        /// Line of the file, from 1.
        line: u64,
        /// What was expected, and what was there.
        what: String,
    },
}

/// Why the words after the program's name do not call for a picture. Flags are fit to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UsageError {
    /// `-?`: the list of flags was asked for.
    #[error("-? asks for the list of flags")]
    Help,
    /// A letter that is no flag.
    #[error("`{flag}` is not a flag of hp2ps")]
    Unknown {
        /// From the dash on.
        flag: String,
    },
    /// A trace threshold that is not from 0 to 5 per cent.
    #[error("`{flag}`: the trace threshold is from 0 to 5 per cent")]
    Trace {
        /// From the dash on.
        flag: String,
    },
    /// A width that is no number, or not above two inches.
    #[error("`{flag}`: the width must be more than 144pt, 2in or 50.8mm")]
    Width {
        /// From the dash on.
        flag: String,
    },
}

impl UsageError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            UsageError::Help | UsageError::Unknown { .. } => "-? lists the flags",
            UsageError::Trace { .. } => {
                "a modern chart takes up to 100: heapviz --trace 10 FILE -o heap.svg"
            }
            UsageError::Width { .. } => "the number follows the e without a blank: -e300, -e8in",
        }
    }
}
