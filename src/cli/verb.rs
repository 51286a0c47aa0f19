//! What a verb is.

use std::process::ExitCode;

use clap::{Command, Parser};

/// Something that heapviz does: its arguments, with its name and its help as clap's attributes, and
/// the doing.
pub trait Verb: Parser {
    /// Does what the arguments ask for, and reports its errors itself.
    ///
    /// # Errors
    /// Arguments that do not fit together, where clap cannot know it.
    fn run(self) -> Result<ExitCode, UsageError>;
}

/// Why arguments do not fit together.
#[derive(Debug)]
pub struct UsageError(pub String);

/// A verb that prints something about the command itself.
pub trait Describe: Parser {
    /// What it prints, of the command with all its verbs.
    ///
    /// # Errors
    /// As [`Verb::run`].
    fn text(&self, all: Command) -> Result<Vec<u8>, UsageError>;
}
