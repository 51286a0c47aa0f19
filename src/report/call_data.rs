//! The call tree of a time profile: the time spent and the bytes allocated at each place.

use std::cmp::Reverse;

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

use super::numbers::{Deltas, saturated};
use crate::base::text::visible;
use crate::slice::Slice;
use crate::tree::{Stack, Stacks, TreeFrame, Weight, of_calls};

/// The most nodes of the tree.
const MOST_NODES: usize = 12_000;
/// The weights that a page can have, in the order of its columns.
const WEIGHTS: [Weight; 2] = [Weight::Time, Weight::Alloc];

#[derive(Serialize)]
pub struct CallTreeData {
    /// The columns of the frames.
    names: Vec<String>,
    modules: Vec<String>,
    places: Vec<String>,
    /// The nodes, callers before callees: each its parent, counted from 1, as 0 is the root, its frame, and its own
    /// ticks and bytes.
    parent: Deltas,
    frame: Deltas,
    time: Vec<u64>,
    alloc: Vec<u64>,
    /// The weights that the input has: `time`, `alloc`.
    weights: Vec<&'static str>,
    /// The length of a tick in nanoseconds; `None` if it is not known.
    tick_ns: Option<u64>,
    ticks: Ticks,
    /// A description of how the amounts were counted; may be empty.
    words: String,
    /// How many stacks did not fit: their amounts are counted with their callers.
    folded: usize,
}

/// The ticks that a page counts.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Ticks {
    /// All: the input has no times of ticks.
    Untimed,
    /// All ticks of the run.
    Whole,
    /// The ticks of a part of the run.
    Part,
}

impl Ticks {
    fn new(slice: &Slice<'_>) -> Ticks {
        let all = slice.profile().calls.ticks.len();
        match (all, slice.calls().ticks.len()) {
            (0, _) => Ticks::Untimed,
            (all, counted) if counted < all => Ticks::Part,
            _ => Ticks::Whole,
        }
    }
}

/// The call tree of a slice; `None` if it has none.
pub fn calls(slice: &Slice<'_>) -> Option<CallTreeData> {
    let found = WEIGHTS.map(|weight| of_calls(slice, weight).ok());
    let given: Vec<&Stacks> = found.iter().flatten().filter(|all| all.total() > 0).collect();
    let subject = &given.first()?.subject;
    let mut tree = CallTree::new(&given[0].root);
    let mut folded = 0;
    // Start with the biggest, so that they fit.
    let mut stacks: Vec<(f64, usize, usize)> = Vec::new();
    for (which, all) in given.iter().enumerate() {
        let total = all.total() as f64;
        let share = |(i, stack): (usize, Stack<'_>)| (stack.amount as f64 / total, which, i);
        stacks.extend(all.stacks.iter().enumerate().map(share));
    }
    stacks.sort_by_key(|&(share, which, i)| (Reverse((share * 1e15) as u64), which, i));
    for (_, which, i) in stacks {
        let (all, stack) = (given[which], given[which].stacks.get(i));
        let column = usize::from(all.subject.weight == Weight::Alloc);
        let path = stack.frames.iter().map(|&at| all.frame(at));
        folded += usize::from(!tree.add(path, column, stack.amount));
    }
    let texts = |part: fn(&TreeFrame) -> &str| {
        tree.frames.iter().map(|frame| visible(part(frame))).collect()
    };
    let own = |column: usize| tree.nodes.values().map(|own| saturated(own[column])).collect();
    Some(CallTreeData {
        names: texts(|frame| &frame.name),
        modules: texts(|frame| &frame.module),
        places: texts(|frame| &frame.place),
        parent: Deltas::new(tree.nodes.keys().map(|key| key.0 as u64)),
        frame: Deltas::new(tree.nodes.keys().map(|key| key.1 as u64)),
        time: own(0),
        alloc: own(1),
        weights: given.iter().map(|all| all.subject.weight.name()).collect(),
        tick_ns: subject.tick_ns,
        ticks: Ticks::new(slice),
        words: visible(&subject.words),
        folded,
    })
}

struct CallTree<'a> {
    frames: IndexSet<&'a TreeFrame, RandomState>,
    /// Own ticks and own bytes, by parent (counted from 1) and frame.
    nodes: IndexMap<(usize, usize), [u128; 2], RandomState>,
}

impl<'a> CallTree<'a> {
    /// A tree with only its root.
    fn new(root: &'a TreeFrame) -> Self {
        let mut tree = CallTree { frames: IndexSet::default(), nodes: IndexMap::default() };
        tree.frames.insert(root);
        tree.nodes.insert((0, 0), [0; 2]);
        tree
    }

    /// Adds an amount at the end of a path below the root, or as far down as the tree may grow. Returns
    /// whether the path fitted.
    fn add(
        &mut self,
        path: impl Iterator<Item = &'a TreeFrame>,
        column: usize,
        amount: u128,
    ) -> bool {
        let mut node = 1;
        let mut has_room = true;
        for frame in path {
            let is_full = self.nodes.len() >= MOST_NODES;
            let known = self.frames.get_index_of(frame);
            let next = known.and_then(|frame| self.nodes.get_index_of(&(node, frame)));
            node = match next {
                Some(next) => next + 1,
                None if is_full => {
                    has_room = false;
                    break;
                }
                None => {
                    let frame = self.frames.insert_full(frame).0;
                    self.nodes.insert_full((node, frame), [0; 2]).0 + 1
                }
            };
        }
        self.nodes[node - 1][column] += amount;
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::FrameKind;

    #[test]
    fn stacks_that_do_not_fit_are_counted_with_their_callers() {
        let frame = |name: &str| TreeFrame::named(name, FrameKind::Plain);
        let outer = frame("outer");
        let inner: Vec<TreeFrame> = (0..MOST_NODES + 5).map(|i| frame(&i.to_string())).collect();
        let root = frame("MAIN");
        let mut tree = CallTree::new(&root);
        let added = inner.iter().filter(|inner| tree.add([&outer, *inner].into_iter(), 0, 2));
        assert_eq!(added.count(), MOST_NODES - 2);
        assert_eq!(tree.nodes.len(), MOST_NODES);
        let sum: u128 = tree.nodes.values().map(|own| own[0]).sum();
        assert_eq!(sum, 2 * inner.len() as u128, "nothing is lost");
        assert_eq!((tree.nodes[0], tree.nodes[1]), ([0, 0], [14, 0]));
    }
}
