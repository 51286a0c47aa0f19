//! The flags that choose what a flame graph or an export of stacks shows.

use clap::Args;

use crate::base::pattern::Pattern;
use crate::draw::RootPlace;
use crate::report::TreeStart;
use crate::tree::{Direction, Instant, NodeIdentity, PseudoStacks, TreeOptions, Weight};

/// What a tree of stacks shows.
#[derive(Clone, Debug, Args)]
#[command(
    next_help_heading = "Stacks (--view flame, -f folded, speedscope, pprof; the tree of a page)"
)]
pub struct StackArgs {
    /// Which instant of the live heap: peak, last, mean, a time as for --from, or the text of a
    /// marker; A..B is the difference between two instants. Can be given several times for
    /// speedscope [default: peak]
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true, hide_short_help = true)]
    at: Vec<At>,

    /// What to count [default: the first of live, time and alloc that the input has]
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    weight: Option<Weight>,

    /// Invert the graph: start from the innermost cost centres and show their callers
    #[arg(long, hide_short_help = true)]
    callers: bool,

    /// Show only stacks that contain a cost centre whose Module.name matches; a page opens with
    /// this search
    #[arg(long, value_name = "REGEX", hide_short_help = true)]
    focus: Option<Pattern>,

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

/// One instant, or two to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    One(Instant),
    /// The second compared with the first.
    Difference(Instant, Instant),
}

impl std::str::FromStr for At {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once("..") {
            Some((before, now)) if !before.is_empty() && !now.is_empty() => {
                At::Difference(before.parse()?, now.parse()?)
            }
            _ => At::One(text.parse()?),
        })
    }
}

/// What a tree of stacks shows, in the library's terms.
#[derive(Clone, Debug, PartialEq)]
pub struct StackChoice {
    /// The instants; at least one.
    pub instants: Vec<At>,
    /// What is counted; `None` for the first that the input has.
    pub weight: Option<Weight>,
    /// Whether stacks that are not part of the program count.
    pub pseudo: PseudoStacks,
    pub tree: TreeOptions,
}

impl Default for StackChoice {
    fn default() -> Self {
        StackChoice {
            instants: vec![At::One(Instant::default())],
            weight: None,
            pseudo: PseudoStacks::LeftOut,
            tree: TreeOptions::default(),
        }
    }
}

impl StackChoice {
    /// How the tree of a page begins. A page marks what it is focused on, and has the rest.
    pub fn page_start(&self) -> TreeStart {
        TreeStart {
            weight: self.weight,
            direction: self.tree.direction,
            search: self.tree.focus.as_ref().map(|focus| focus.as_str().to_owned()),
        }
    }
}

impl StackArgs {
    pub fn choice(&self) -> StackChoice {
        let mut choice = StackChoice { weight: self.weight, ..StackChoice::default() };
        let tree = &mut choice.tree;
        tree.direction = if self.callers { Direction::Callers } else { Direction::Callees };
        tree.identity = if self.merge_names { NodeIdentity::ByText } else { NodeIdentity::ById };
        tree.focus.clone_from(&self.focus);
        if !self.at.is_empty() {
            choice.instants.clone_from(&self.at);
        }
        if self.rts_stacks {
            choice.pseudo = PseudoStacks::Counted;
        }
        choice
    }
}
