//! What all verbs are, and how one ends: done, with a status, or not, with the reason and the way out.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Args, Parser};

use super::args::LIMIT_HINT;
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
    /// The user ended it with this signal.
    BySignal(usize),
}

impl Stop {
    /// Why a verb that runs a program fails: a signal that came, or else this.
    pub fn unless_signalled(signal: &AtomicUsize, failure: Message) -> Stop {
        match signal.load(Ordering::Relaxed) {
            0 => Stop::Failed(failure),
            signal => Stop::BySignal(signal),
        }
    }
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

impl From<Message> for Stop {
    fn from(failure: Message) -> Self {
        Stop::Failed(failure)
    }
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Message::from(error).into()
    }
}

impl From<ReadError> for Message {
    fn from(error: ReadError) -> Self {
        let hint = error.hint().or_else(|| error.is_over_limit().then_some(LIMIT_HINT.into()));
        Message::error(error).hint_if(hint)
    }
}

impl From<PngError> for Message {
    fn from(error: PngError) -> Self {
        Message::error(&error).hint_if(error.hint())
    }
}

#[cfg(feature = "pdf")]
impl From<PdfError> for Message {
    fn from(error: PdfError) -> Self {
        Message::error(error)
    }
}

impl From<anyhow::Error> for Message {
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
        Message::error(format_args!("{error:#}")).hint_if(hint)
    }
}
