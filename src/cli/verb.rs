//! The trait of all verbs.

use std::process::ExitCode;

use clap::{Args, Command, Parser};

use super::failure::Failure;
use super::flags::Given;
use super::message::Message;

/// Something that heapviz does: the arguments, with the name and the help as clap's attributes, and
/// the action.
pub trait Verb: Parser + Args {
    /// Does what the arguments ask for. `given` are those on the command line.
    ///
    /// # Errors Arguments that do not fit together in ways that clap cannot check, or why it was not done.
    fn run(self, given: &Given) -> Result<ExitCode, Stop>;
}

/// Why arguments do not fit together.
#[derive(Debug)]
pub struct UsageError(pub String);

/// Why a verb did not do what it was asked for.
pub enum Stop {
    Usage(UsageError),
    Failed(Message),
}

impl From<UsageError> for Stop {
    fn from(error: UsageError) -> Self {
        Stop::Usage(error)
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

/// A verb that prints something about the command itself.
pub trait Describe: Parser + Args {
    /// What it prints, given the command with all its verbs, which is built.
    ///
    /// # Errors Arguments that do not fit together.
    fn text(&self, all: Command) -> Result<Vec<u8>, UsageError>;
}
