//! Bytes in, facts out: one push parser for each format.
//!
//! A decoder takes the input in chunks of any size and reports what it reads to a
//! [`ProfileBuilder`](crate::profile::ProfileBuilder). It does not know where the bytes come from
//! or what happens to the profile, and keeps only the unfinished statement or event. How the input
//! is cut into chunks changes nothing, not even a warning.

mod cursor;
mod decoder;
pub mod eventlog;
pub mod hp;
mod name_table;
pub mod prof;

pub use crate::profile::Limits;
pub use decoder::Decoder;
