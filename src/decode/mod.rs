//! Bytes in, facts out: one push parser for each format.
//!
//! A decoder takes the input in chunks of any size and tells what it reads to the one
//! [`ProfileBuilder`](crate::profile::ProfileBuilder); it knows neither where the bytes come from
//! nor what becomes of the profile, and keeps no more than the statement or event that is still
//! open. How the input is cut into chunks changes nothing, not even a warning.

mod cursor;
mod decoder;
mod digest;
pub mod eventlog;
pub mod hp;
mod names;
pub mod prof;
#[cfg(test)]
mod tests;

pub use crate::profile::Limits;
pub use decoder::Decoder;
pub(crate) use decoder::Digester;
pub(crate) use digest::Digest;
