//! The command line: verbs, their arguments, files, messages, exit status.
//!
//! A verb reads its inputs ([`read`]), makes runs of them (`crate::run`), and writes documents
//! about the runs ([`formats`]) to their targets ([`target`]). Flags decide what the documents look
//! like ([`look`]), and [`flags`] finds those that had no effect.

pub mod args;
pub mod charts;
pub mod flags;
pub mod formats;
pub mod look;
pub mod message;
pub mod output;
mod progress;
pub mod read;
pub mod source;
pub mod stacks;
pub mod table;
pub mod target;
mod user_file;
pub mod verb;
pub mod verbs;
pub mod write;
