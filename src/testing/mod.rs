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

use std::time::{Duration, Instant};

/// Measures the time of the processor that this thread uses: other work on the machine does not change it.
pub struct Stopwatch {
    used: Option<Duration>,
    began: Instant,
}

impl Stopwatch {
    pub fn start() -> Self {
        Stopwatch { used: used(), began: Instant::now() }
    }

    /// Where the system does not say what a thread uses, the time that has passed.
    pub fn elapsed(&self) -> Duration {
        let of_thread = used().zip(self.used).map(|(now, then)| now.saturating_sub(then));
        of_thread.unwrap_or_else(|| self.began.elapsed())
    }
}

fn used() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
