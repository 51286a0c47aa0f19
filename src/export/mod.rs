//! Other files that a profile can become: each a short walk over it.

pub mod hp;
