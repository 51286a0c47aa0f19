//! The command line: verbs, their arguments, files, messages, exit status.
//!
//! A verb reads its inputs ([`read`]), makes runs of them (`crate::run`), and writes documents
//! about the runs ([`formats`]) to their targets ([`target`]). Flags decide what the documents look
//! like ([`look`]), and [`flags`] finds those that had no effect.

mod args;
mod charts;
mod child;
mod config;
mod failure;
mod flags;
mod formats;
mod ghc_program;
mod look;
mod message;
mod output;
mod progress;
mod read;
mod source;
mod stacks;
mod table;
mod target;
mod user_file;
mod verb;
pub mod verbs;
mod whole_file;
mod write;
