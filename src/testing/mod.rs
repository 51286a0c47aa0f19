//! Random numbers and event logs that unit tests, integration tests and benches share.
//!
//! Integration tests and benches include this folder by its path, so it uses nothing of the library,
//! and its logs do not depend on the decoder that they test.

#![allow(dead_code, unused_imports, reason = "not every one of them uses all of it")]

pub mod event;
mod log;
mod random;

pub use log::Log;
pub use random::Random;
