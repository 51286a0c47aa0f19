//! What unit tests, integration tests and benches share: random numbers and event logs.
//!
//! Integration tests and benches include this folder by its path, so it uses nothing of the library:
//! neither do the logs know anything of the decoder that they try.

#![allow(dead_code, unused_imports, reason = "not every one of them uses all of it")]

pub mod event;
mod log;
mod random;

pub use log::Log;
pub use random::Random;
