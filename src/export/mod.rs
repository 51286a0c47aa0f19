//! Other formats for a profile, chart or tree: each is a short walk over it. Those of trees are
//! hidden until trees are public.

pub mod csv;
mod findings;
#[doc(hidden)]
pub mod folded;
pub mod hp;
pub mod json;
mod place;
#[doc(hidden)]
pub mod pprof;
pub(crate) mod runtime;
#[doc(hidden)]
pub mod speedscope;
#[doc(hidden)]
pub mod tree;
