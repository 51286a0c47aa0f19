//! What a flame graph shows: a tree, and the words around it.

use super::captions;
use crate::base::text::visible;
use crate::base::units::{UnitSystem, percent};
use crate::profile::Breakdown;
use crate::slice::Slice;
use crate::tree::{StackTree, Weight};

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
}

impl FlameChart {
    /// A flame graph of a tree that was made from the slice.
    pub fn new(slice: &Slice<'_>, tree: StackTree) -> FlameChart {
        let metadata = slice.metadata();
        let mut facts = vec![subject(&tree, slice.breakdown())];
        facts.extend(captions::ghc_and_date(metadata));
        FlameChart { title: captions::title(metadata), facts, job: metadata.job.clone(), tree }
    }

    /// The notes about what is not drawn.
    pub fn notes(&self, units: UnitSystem) -> Vec<String> {
        let mut notes = Vec::new();
        let tree = &self.tree;
        let outside = tree.subject.outside;
        if outside > 0 {
            let whole = outside + tree.root().total.now;
            notes.push(format!(
                "GC, idle and the run-time system are left out: {} ({})",
                amount(tree.subject.weight, outside, units),
                percent(outside, whole)
            ));
        }
        let out_of_focus = tree.subject.out_of_focus;
        if out_of_focus > 0 {
            notes.push(format!(
                "stacks without it: {} ({})",
                amount(tree.subject.weight, out_of_focus, units),
                percent(out_of_focus, out_of_focus + tree.root().width)
            ));
        }
        if tree.subject.weight == Weight::Time {
            notes.push("shares of ticks: a tick is not a fixed time on a busy machine".to_owned());
        }
        notes
    }
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
    let what = if tree.subject.is_difference { format!("change of {what}") } else { what };
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
