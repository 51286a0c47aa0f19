//! Other formats for a profile, chart or tree: each is a short walk over it.

pub mod csv;
mod findings;
pub mod folded;
pub mod hp;
pub mod json;
mod place;
pub mod pprof;
pub(crate) mod runtime;
pub mod speedscope;
pub mod tree;
