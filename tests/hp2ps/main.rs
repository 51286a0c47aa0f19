//! The drop-in for hp2ps, and charts compared with those of the real one.

mod command;
#[path = "../common/mod.rs"]
mod common;
mod fields;
mod twin;
mod vectors;
