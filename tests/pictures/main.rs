//! Pictures: to the byte, format against format, and the gallery of the documents.

#[path = "../common/mod.rs"]
mod common;
mod eps;
mod gallery;
mod golden;
mod ink;
mod rasters;
mod survey;
