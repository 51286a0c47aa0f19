//! Other files that a profile or chart can become: each a short walk over it.

pub mod csv;
mod findings;
pub mod hp;
pub mod json;
