//! Runs two programs that should be one.

pub mod case;
pub mod random;
pub mod run;
