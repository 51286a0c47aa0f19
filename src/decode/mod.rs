//! Bytes in, facts out: one push parser for each format.
//!
//! A decoder takes the input in chunks of any size and tells what it reads to the one
//! [`ProfileBuilder`](crate::profile::ProfileBuilder); it does not know whether the bytes come
//! from a file, a pipe or a decompressor. How the input is cut into chunks changes nothing in the
//! profile, not even a warning.

pub mod hp;
