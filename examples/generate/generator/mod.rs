//! Generates valid profiles of any shape, for the benchmarks, for the tests and by hand
//! (`cargo run --release --example generate -- --help`).
//!
//! The same [`Shape`] gives the same bytes on every machine. Output is streamed: only the bands and one
//! buffer per capability are kept, so a file of many gigabytes needs little memory. The generator shares no
//! code with the decoders that it tests.

#![allow(
    dead_code,
    unused_imports,
    reason = "not every target that includes this module uses all of it"
)]

mod census;
mod eventlog;
mod header;
mod hp;
mod names;
mod report;
mod shape;
#[path = "../../../src/testing/mod.rs"]
pub mod testing;

pub use eventlog::write_eventlog;
pub use hp::write_hp;
pub use report::write_prof;
pub use shape::{Breakdown, LogShape, Shape};
pub use testing::Random;
