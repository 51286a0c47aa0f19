//! Pictures: byte for byte, formats compared with each other, and the gallery in the documents.

mod accused;
#[path = "../common/mod.rs"]
mod common;
mod gallery;
mod rasters;
mod survey;
