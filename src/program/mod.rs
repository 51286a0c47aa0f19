//! Programs that `hunt` and `watch` start: what they are asked, and how they are ended.

#[cfg_attr(not(unix), allow(dead_code, reason = "without signals, nothing is waited for"))]
pub mod child;
pub mod ghc_program;
pub mod own_folder;
pub mod residency;
pub mod symbols;
