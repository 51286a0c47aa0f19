//! What a flame graph shows: a tree, and the words around it.

use super::captions;
use crate::analysis::Leak;
use crate::base::sentence::Sentence;
use crate::base::text::visible;
use crate::base::units::{Bytes, UnitSystem, percent};
use crate::profile::{Breakdown, Frame};
use crate::slice::{RowId, Slice};
use crate::tree::{FrameKind, NodeId, StackTree, Weight};

/// A flame graph with everything but its looks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlameChart {
    /// The heading: the profiled command line.
    pub title: String,
    /// Facts about the run and the instant.
    pub facts: Vec<String>,
    /// The profiled command line, if the file contains it.
    pub job: Option<String>,
    pub tree: StackTree,
    /// The headline of the verdict on a live heap; `None` if it is not shown.
    pub headline: Option<Sentence>,
    /// How sure it is that something grows.
    pub(crate) leak: Option<Leak>,
    /// The bars in which the stacks of what grows end, with the number of bytes that these grew by.
    pub(crate) grew: Vec<(NodeId, Bytes)>,
}

impl FlameChart {
    /// A flame graph of a tree that was made from the slice.
    pub fn new(slice: &Slice<'_>, tree: StackTree) -> FlameChart {
        let (headline, leak, grew) = (None, None, Vec::new());
        let metadata = slice.metadata();
        let mut facts = vec![subject(&tree, slice.breakdown())];
        facts.extend(captions::date(metadata));
        let (title, job) = (captions::title(metadata), metadata.job.clone());
        FlameChart { title, facts, job, tree, headline, leak, grew }
    }

    /// A flame graph with the headline of a live heap, how sure it is that something grows, and which rows did by how
    /// much.
    #[must_use]
    pub(crate) fn with_growth(
        mut self,
        slice: &Slice<'_>,
        headline: Sentence,
        (leak, rows): (Leak, &[(RowId, Bytes)]),
    ) -> FlameChart {
        (self.headline, self.leak) = (Some(headline), (!rows.is_empty()).then_some(leak));
        let grew = |(row, grew): &(RowId, Bytes)| Some((node_of(&self.tree, slice, *row)?, *grew));
        self.grew = rows.iter().filter_map(grew).collect();
        self
    }

    /// The notes about what is not drawn.
    pub fn notes(&self, units: UnitSystem) -> Vec<String> {
        let mut notes = Vec::new();
        let tree = &self.tree;
        let outside = tree.subject.outside;
        if outside > 0 {
            let whole = outside + tree.root().total;
            notes.push(format!(
                "GC, idle and the run-time system are left out: {} ({})",
                amount(tree.subject.weight, outside, units),
                percent(outside, whole)
            ));
        }
        if tree.subject.weight == Weight::Time {
            notes.push("shares of ticks: a tick is not a fixed time on a busy machine".to_owned());
        }
        notes
    }
}

/// The bar in which the stack of a row ends; `None` if the tree has no such bar.
fn node_of(tree: &StackTree, slice: &Slice<'_>, row: RowId) -> Option<NodeId> {
    slice.key(row)?;
    slice.with_band(slice.members(row)[0], |band| {
        let mut path: Vec<&Frame> = band.frames().collect();
        if band.kind == Breakdown::CostCentre {
            path.reverse();
        }
        let mut at = NodeId::ROOT;
        for frame in path {
            let is_of = |id: &NodeId| {
                let own = &tree.node(*id).frame;
                *own.name == *frame.name && *own.module == *frame.module
            };
            let below = |at: NodeId| tree.node(at).children.iter().copied();
            let is_heading = |id: &NodeId| tree.node(*id).frame.kind == FrameKind::Heading;
            if at == NodeId::ROOT && is_of(&at) {
                continue;
            }
            let in_headings = || below(at).filter(is_heading).flat_map(below).find(is_of);
            at = below(at).find(is_of).or_else(in_headings)?;
        }
        (at != NodeId::ROOT).then_some(at)
    })
}

/// What is counted, and at which instant.
fn subject(tree: &StackTree, breakdown: Breakdown) -> String {
    let what = match tree.subject.weight {
        Weight::Live if breakdown == Breakdown::Unknown => "live heap".to_owned(),
        Weight::Live => format!("live heap {}", breakdown.words()),
        Weight::Time => "time by cost-centre stack".to_owned(),
        Weight::Alloc => "allocation by cost-centre stack".to_owned(),
        Weight::Entries => "entries by cost-centre stack".to_owned(),
    };
    match tree.subject.words.is_empty() {
        true => what,
        false => format!("{what} {}", visible(&tree.subject.words)),
    }
}

pub fn amount(weight: Weight, amount: u128, units: UnitSystem) -> String {
    match weight {
        Weight::Live | Weight::Alloc => units.text(amount),
        Weight::Time if amount == 1 => "1 tick".to_owned(),
        Weight::Time => format!("{amount} ticks"),
        Weight::Entries if amount == 1 => "1 entry".to_owned(),
        Weight::Entries => format!("{amount} entries"),
    }
}
