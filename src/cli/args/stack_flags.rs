//! The flags that choose what a flame graph or an export of stacks shows.

use clap::Args;

use crate::draw::RootPlace;
use crate::report::TreeStart;
use crate::tree::{Instant, NodeIdentity, PseudoStacks, TreeOptions, Weight};

/// What a tree of stacks shows.
#[derive(Clone, Debug, Args)]
#[command(
    next_help_heading = "Stacks (--view flame, -f folded, speedscope, pprof; the tree of a page)"
)]
pub struct StackArgs {
    /// Which instant of the live heap: peak, last, mean, a time as for --from, or the text of a
    /// marker. Can be given several times for speedscope [default: peak]
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, hide_short_help = true)]
    at: Vec<Instant>,

    /// What to count [default: the first of live, time and alloc that the input has]
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    weight: Option<Weight>,

    /// Treat cost centres with the same module and name as one, even if their places in the source differ
    #[arg(long, hide_short_help = true)]
    merge_names: bool,

    /// Count GC, idle time and the run-time system too, as -pa does
    #[arg(long, hide_short_help = true)]
    rts_stacks: bool,

    /// Where the root of a flame graph is
    #[arg(long, value_name = "END", default_value = "bottom", hide_short_help = true)]
    pub root: RootPlace,
}

/// What a tree of stacks shows, in the library's terms.
#[derive(Clone, Debug, PartialEq)]
pub struct StackChoice {
    pub instants: Vec<Instant>,
    /// What is counted; `None` for the first that the input has.
    pub weight: Option<Weight>,
    /// Whether stacks that are not part of the program count.
    pub pseudo: PseudoStacks,
    pub tree: TreeOptions,
}

impl Default for StackChoice {
    fn default() -> Self {
        StackChoice {
            instants: vec![Instant::default()],
            weight: None,
            pseudo: PseudoStacks::LeftOut,
            tree: TreeOptions::default(),
        }
    }
}

impl StackChoice {
    /// How the tree of a page begins.
    pub fn page_start(&self) -> TreeStart {
        TreeStart { weight: self.weight }
    }
}

impl StackArgs {
    pub fn choice(&self) -> StackChoice {
        let mut choice = StackChoice { weight: self.weight, ..StackChoice::default() };
        if self.merge_names {
            choice.tree.identity = NodeIdentity::ByText;
        }
        if !self.at.is_empty() {
            choice.instants.clone_from(&self.at);
        }
        if self.rts_stacks {
            choice.pseudo = PseudoStacks::Counted;
        }
        choice
    }
}
