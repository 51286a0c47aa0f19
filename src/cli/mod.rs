//! The command line: flags to options, files, messages, exit status.

pub mod args;
mod output;
mod report;
pub mod run;
mod target;
