//! heapviz draws GHC heap profiles.
pub mod chart;
pub mod decode;
pub mod error;
pub mod export;
pub mod profile;
pub mod rank;
pub mod units;
