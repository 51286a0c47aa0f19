//! heapviz draws GHC heap profiles.
pub mod chart;
pub mod decode;
pub mod error;
pub mod export;
pub mod input;
pub mod profile;
pub mod rank;
pub mod render;
pub mod scene;
pub mod units;
