//! Programs that `hunt` and `watch` start: what they are asked, and how they are ended.

pub mod child;
pub mod ghc_program;
pub mod memory;
