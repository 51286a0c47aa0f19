//! The trait of all verbs.

use std::process::ExitCode;

use clap::{Args, Command, Parser};

use super::flags::Given;

/// Something that heapviz does: the arguments, with the name and the help as clap's attributes, and
/// the action.
pub trait Verb: Parser + Args {
    /// Does what the arguments ask for, and reports errors itself. `given` are those on the command line.
    ///
    /// # Errors Arguments that do not fit together in ways that clap cannot check.
    fn run(self, given: &Given) -> Result<ExitCode, UsageError>;
}

/// Why arguments do not fit together.
#[derive(Debug)]
pub struct UsageError(pub String);

/// A verb that prints something about the command itself.
pub trait Describe: Parser + Args {
    /// What it prints, given the command with all its verbs, which is built.
    ///
    /// # Errors The same as for [`Verb::run`].
    fn text(&self, all: Command) -> Result<Vec<u8>, UsageError>;
}
