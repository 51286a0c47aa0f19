//! Exports.
pub mod csv;
pub mod json;
