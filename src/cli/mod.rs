//! The command line: flags to options, files, messages, exit status.

pub mod args;
mod bands;
pub mod hp2ps;
mod output;
mod picture;
mod report;
pub mod run;
mod target;
