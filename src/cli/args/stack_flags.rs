//! The flags that choose what a flame graph or an export of stacks shows.

use clap::Args;

use crate::draw::RootPlace;
use crate::tree::{Instant, Weight};

/// What a tree of stacks shows.
#[derive(Clone, Debug, Default, Args)]
#[command(
    next_help_heading = "Stacks (--view flame, -f folded, speedscope, pprof; the tree of a page)"
)]
pub struct StackArgs {
    /// Which instant of the live heap: peak, last, mean, a time as for --from, or the text of a
    /// marker [default: peak]
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, hide_short_help = true)]
    pub at: Option<Instant>,

    /// What to count [default: the first of live, time and alloc that the input has]
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    pub weight: Option<Weight>,

    /// Where the root of a flame graph is
    #[arg(long, value_name = "END", default_value = "bottom", hide_short_help = true)]
    pub root: RootPlace,
}
