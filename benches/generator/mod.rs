//! Makes valid profiles of any shape, for the benches, the tests and by hand
//! (`cargo run --release --example generate -- --help`).
//!
//! The same [`Shape`] gives the same bytes on every machine. Output is streamed: what is kept is the
//! bands and one buffer a capability, so that a file of many gigabytes needs little memory.
//! Nothing here is shared with the decoders that it tries.

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
#[path = "../../src/testing/mod.rs"]
pub mod testing;

pub use eventlog::write_eventlog;
pub use hp::write_hp;
pub use report::write_prof;
pub use shape::{Breakdown, LogShape, Shape};
pub use testing::Random;
