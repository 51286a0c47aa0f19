//! What all verbs are, and how one ends: done, with a status, or not, with the reason and the way out.

use std::borrow::Cow;
use std::io;
use std::process::ExitCode;

use clap::{Args, Parser};

use super::args::input_flags::hint;
use super::{GivenFlags, Message};
use crate::input::ReadError;
#[cfg(feature = "pdf")]
use crate::picture::PdfError;
use crate::picture::PngError;

/// Something that heapviz does: the arguments, with the name and the help as clap's attributes, and
/// the action.
pub trait Verb: Parser + Args {
    /// Does what the arguments ask for. `given` are those on the command line.
    ///
    /// # Errors Arguments that do not fit together in ways that clap cannot check, or why it was not done.
    fn run(self, given: &GivenFlags) -> Result<ExitCode, Stop>;
}

/// Why a verb did not do what it was asked for.
pub enum Stop {
    /// Arguments that do not fit together.
    Usage(String),
    Failed(Message),
}

impl From<String> for Stop {
    fn from(error: String) -> Self {
        Stop::Usage(error)
    }
}

impl From<&str> for Stop {
    fn from(error: &str) -> Self {
        Stop::Usage(error.to_owned())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failed(failure.message())
    }
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Failure::from(error).into()
    }
}

/// Why something was not done, and the way out.
#[derive(Debug)]
pub struct Failure {
    error: String,
    hint: Option<String>,
}

impl Failure {
    /// A failure without a way out.
    pub fn new(error: impl Into<String>) -> Self {
        Failure { error: error.into(), hint: None }
    }

    /// Adds what the user can do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What went wrong, without the way out.
    pub fn words(&self) -> &str {
        &self.error
    }

    fn with_hint(error: impl ToString, hint: Option<&str>) -> Self {
        Failure { error: error.to_string(), hint: hint.map(str::to_owned) }
    }

    pub fn message(&self) -> Message {
        let message = Message::error(&self.error);
        match &self.hint {
            Some(hint) => message.hint(hint),
            None => message,
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let hint = error.hint().map(Cow::into_owned).or_else(|| error.limit().map(hint));
        Failure { error: error.to_string(), hint }
    }
}

impl From<PngError> for Failure {
    fn from(error: PngError) -> Self {
        Failure::with_hint(&error, error.hint())
    }
}

#[cfg(feature = "pdf")]
impl From<PdfError> for Failure {
    fn from(error: PdfError) -> Self {
        Failure::with_hint(error, None)
    }
}

impl From<anyhow::Error> for Failure {
    #[allow(clippy::wildcard_enum_match_arm, reason = "the system has many kinds of errors")]
    fn from(error: anyhow::Error) -> Self {
        let system = error.downcast_ref::<io::Error>().map(io::Error::kind);
        let hint = system.and_then(|kind| match kind {
            io::ErrorKind::NotFound => Some("make the folder first, or name another with -o FILE"),
            io::ErrorKind::PermissionDenied => {
                Some("make it writable, or name a place where you may write with -o FILE")
            }
            io::ErrorKind::ReadOnlyFilesystem => {
                Some("name a place where you may write with -o FILE")
            }
            io::ErrorKind::FileTooLarge => {
                Some("the limit on the size of files is too low (ulimit -f)")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some("make room, or name a place on another disk with -o FILE")
            }
            _ => None,
        });
        Failure::with_hint(format!("{error:#}"), hint)
    }
}
