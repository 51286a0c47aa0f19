//! The command line: flags to options, files, messages, exit status.

pub mod args;
mod bands;
mod output;
mod picture;
mod report;
pub mod run;
mod target;
