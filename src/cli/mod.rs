//! What the verbs of the command share: arguments, files, formats, messages, how a verb ends.
//!
//! A verb reads its inputs ([`read`]), makes runs of them (`crate::run`), and writes documents
//! about the runs ([`formats`]) to their targets ([`target`]). Flags decide what the documents look
//! like ([`look`]), and [`flags`] finds those that had no effect.

pub mod args;
pub mod blocks;
pub mod charts;
pub mod flags;
pub mod formats;
pub mod message;
pub mod output;
pub mod progress;
pub mod read;
pub mod source_line;
pub mod style;
pub mod table;
pub mod target;
pub mod trees;
pub mod user_file;
pub mod verb;
pub mod write;
