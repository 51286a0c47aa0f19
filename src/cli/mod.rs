//! The command line: verbs, their arguments, files, messages, exit status.

mod args;
#[cfg(target_os = "linux")]
mod confined;
mod failure;
mod given;
mod look;
mod message;
mod output;
mod picture;
mod progress;
mod read;
mod stacks;
mod table;
mod target;
mod verb;
pub mod verbs;
mod whole_file;
