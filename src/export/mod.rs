//! Other formats for a profile, chart or tree: each is a short walk over it. Those of trees are
//! hidden until trees are public.

pub mod csv;
#[doc(hidden)]
pub mod folded;
pub mod hp;
pub mod json;
#[doc(hidden)]
pub mod pprof;
#[doc(hidden)]
pub mod speedscope;
pub mod tidy;
