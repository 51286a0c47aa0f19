//! Weighted stacks as a tree: who holds the live heap, where time is spent, where memory is
//! allocated.
//!
//! ```text
//! Slice -> Stacks -> Paths -> StackTree -> flame graph, JSON
//!                      \-> folded, speedscope, pprof
//! ```
//!
//! Stacks have their frames outermost first, with their amounts. A path is a stack as a tree shows
//! it. A tree works in the same way for every quantity. Each stack enters it once, and no cost centre
//! occurs twice in one stack, so nothing is counted twice, and inner nodes keep their own amounts.

mod build;
mod instant;
mod paths;
mod stacks;
#[cfg(test)]
mod tests;
mod tree_frame;

pub use build::{Node, NodeId, StackTree, TreeSize};
pub use instant::{Instant, Moment};
pub use paths::{Path, Paths, Roots};
pub use stacks::{
    Stack, StackMeasure, Stacks, TreeError, Weight, has_something_to_show, of_calls, of_heap,
};
pub use tree_frame::{FrameKind, TreeFrame};
