//! From a [`Scene`](crate::scene::Scene) to bytes: one short walk for every format. Nothing is
//! decided here but how the format says it.

mod svg;

pub use svg::{SvgOptions, svg};
