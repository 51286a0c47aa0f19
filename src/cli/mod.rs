//! The command line: flags to options, files, messages, exit status.

pub mod args;
mod bands;
pub mod hp2ps;
mod limits;
mod output;
mod picture;
mod progress;
mod report;
pub mod run;
mod target;
