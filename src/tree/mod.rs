//! Weighted stacks as a tree: who holds the live heap, where time is spent, where allocations are
//! made.
//!
//! ```text
//! Slice -> Stacks (frames, outermost first, with their amount) -> StackTree -> flame graph, exports
//! ```
//!
//! A tree has the same form for every quantity and in both directions: from the root down to where
//! a stack ends, or (callers) from the innermost cost centre up. Each stack enters it once, and no
//! cost centre occurs twice in a stack, so nothing is counted twice, and inner nodes keep their own
//! amounts.

mod build;
mod frame;
mod instant;
mod stacks;
#[cfg(test)]
mod tests;

pub use build::{Direction, Identity, Node, NodeId, Roots, StackTree, TreeOptions};
pub use frame::{FrameKind, TreeFrame};
pub use instant::{Instant, InstantError, Moment};
pub use stacks::{Amount, PseudoChoice, Stack, Stacks, TreeError, Weight, of_calls, of_heap};
