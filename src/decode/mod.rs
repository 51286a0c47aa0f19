//! Bytes to facts: one push parser for each file format.
//!
//! A decoder is fed bytes in pieces of any size and tells a [`crate::profile::ProfileBuilder`] what
//! they say. It knows neither where the bytes come from nor what becomes of the profile, and keeps
//! no more than the statement or event that is still open.

mod cursor;
pub mod eventlog;
pub mod hp;
