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
pub mod event;
mod eventlog;
mod header;
mod hp;
mod names;
#[path = "../../src/testing.rs"]
mod random;
mod report;
mod shape;

pub use eventlog::write_eventlog;
pub use hp::write_hp;
pub use random::Random;
pub use report::write_prof;
pub use shape::{Breakdown, LogShape, Shape};
