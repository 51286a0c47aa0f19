//! The drop-in for hp2ps, and charts compared with what the real one drew.

mod command;
#[path = "../common/mod.rs"]
mod common;
mod fields;
mod twin;
mod vectors;
