//! Builds a tree from paths, the widest nodes first.
//!
//! Deep stacks with little in common would make a node for each of their frames. A picture shows only
//! what is wide enough to be seen, so nodes are made in order of their width until there are enough,
//! and each node knows how much is in those below it that were not made. At any time at most one group
//! for each path waits to become a node, so memory depends on the stacks and not on the tree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;

use super::{Paths, Roots, StackMeasure, Stacks, TreeError, TreeFrame};

/// How much of a tree is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeSize {
    /// A node with a smaller share of the whole than this is left out with everything below it.
    /// Default 0.
    pub least_share: f64,
    /// The most nodes; the narrowest are left out. Default 60 000.
    pub most_nodes: usize,
}

impl Default for TreeSize {
    fn default() -> Self {
        TreeSize { least_share: 0.0, most_nodes: 60_000 }
    }
}

/// A node of a tree, numbered so that parents come before their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

impl NodeId {
    /// The root of the tree.
    pub const ROOT: NodeId = NodeId(0);

    /// The position of the node in [`StackTree::nodes`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// What it stands for; all nodes of a frame share it.
    pub frame: Arc<TreeFrame>,
    /// The parent of the node; the root is its own parent.
    pub parent: NodeId,
    /// The distance from the root, which is at 0.
    pub depth: usize,
    /// The amount that ends here.
    pub own: u128,
    /// The amount that ends here or below.
    pub total: u128,
    /// The totals of nodes directly below it that were left out.
    pub left_out: u128,
    /// The children of the node, the widest first.
    pub children: Vec<NodeId>,
}

/// Weighted stacks as a tree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StackTree {
    /// What the amounts count.
    pub subject: StackMeasure,
    /// The nodes, widest first; equally wide ones in order of their distance from the root. The
    /// first is the root.
    pub nodes: Vec<Node>,
}

impl StackTree {
    /// The tree of some stacks, of the default size.
    ///
    /// # Errors
    /// Those of [`Paths::new`].
    pub fn new(stacks: &Stacks, roots: Roots) -> Result<StackTree, TreeError> {
        Ok(Self::of_paths(&Paths::new(stacks, roots)?, TreeSize::default()))
    }

    /// The tree that paths make, of at most this size.
    pub fn of_paths(paths: &Paths, size: TreeSize) -> StackTree {
        let nodes = Builder::new(paths).nodes(size);
        StackTree { subject: paths.subject.clone(), nodes }
    }

    /// The node above all others.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The totals of all nodes that were left out and whose parents were not.
    pub fn left_out(&self) -> u128 {
        self.nodes.iter().map(|node| node.left_out).sum()
    }

    /// The frames from the root to a node, including both.
    pub fn path(&self, id: NodeId) -> Vec<&TreeFrame> {
        let mut path: Vec<&TreeFrame> = vec![&self.nodes[id.0].frame];
        let mut at = id;
        while at != NodeId::ROOT {
            at = self.nodes[at.0].parent;
            path.push(&self.nodes[at.0].frame);
        }
        path.reverse();
        path
    }

    /// The ids of all nodes, parents before their children.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len()).map(NodeId)
    }
}

/// Neighbouring paths with the same first steps, which will become one node. The widest group is
/// next.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PathGroup {
    width: u128,
    /// How many steps they have in common.
    depth: Reverse<usize>,
    /// Groups are numbered in the order of [`Builder::below`], so that no two are equal.
    number: Reverse<usize>,
    parent: usize,
    paths: (usize, usize),
}

struct Builder<'a> {
    paths: &'a Paths,
    /// The amounts of all paths before each path, and finally of all paths.
    sums: Vec<u128>,
    found: usize,
}

impl<'a> Builder<'a> {
    fn new(paths: &'a Paths) -> Self {
        let mut sums = vec![0];
        for at in 0..paths.len() {
            sums.push(sums[at] + paths.get(at).amount);
        }
        Builder { paths, sums, found: 0 }
    }

    fn nodes(mut self, size: TreeSize) -> Vec<Node> {
        let all = self.group(0, 0, 0..self.paths.len());
        let least = all.width as f64 * size.least_share;
        let mut nodes: Vec<Node> = Vec::new();
        let mut waiting = BinaryHeap::from([all]);
        while let Some(group) = waiting.pop() {
            if nodes.len() >= size.most_nodes.max(1) {
                nodes[group.parent].left_out += group.width;
                continue;
            }
            let at = nodes.len();
            nodes.push(self.node(&group));
            if at > 0 {
                nodes[group.parent].children.push(NodeId(at));
            }
            for below in self.below(&group, at) {
                match below.width as f64 >= least {
                    true => waiting.push(below),
                    false => nodes[at].left_out += below.width,
                }
            }
        }
        nodes
    }

    /// A group that is not numbered yet; the first of all keeps its 0.
    fn group(&self, parent: usize, depth: usize, paths: Range<usize>) -> PathGroup {
        let width = self.sums[paths.end] - self.sums[paths.start];
        let (depth, number) = (Reverse(depth), Reverse(0));
        PathGroup { width, depth, number, parent, paths: (paths.start, paths.end) }
    }

    fn node(&self, group: &PathGroup) -> Node {
        let first = self.paths.get(group.paths.0);
        Node {
            frame: Arc::clone(self.frame(group)),
            parent: NodeId(group.parent),
            depth: group.depth.0,
            // The paths are in order, so the one that ends here is the first.
            own: if first.steps.len() == group.depth.0 { first.amount } else { 0 },
            total: group.width,
            left_out: 0,
            children: Vec::new(),
        }
    }

    fn frame(&self, group: &PathGroup) -> &Arc<TreeFrame> {
        let step = group.depth.0.checked_sub(1);
        let step = step.map_or(0, |last| self.paths.get(group.paths.0).steps[last]);
        &self.paths.frames[step as usize]
    }

    /// The groups one step further, the widest first. Equally wide ones are in order of their
    /// names, so that the order in the file does not matter.
    fn below(&mut self, group: &PathGroup, parent: usize) -> Vec<PathGroup> {
        let depth = group.depth.0;
        let steps = |at: usize| self.paths.get(at).steps;
        let mut at = group.paths.0;
        if steps(at).len() == depth {
            at += 1;
        }
        let mut found = Vec::new();
        while at < group.paths.1 {
            let step = steps(at)[depth];
            let end = at + (at..group.paths.1).take_while(|&at| steps(at)[depth] == step).count();
            found.push(self.group(parent, depth + 1, at..end));
            at = end;
        }
        found.sort_by(|a, b| {
            let names = || self.frame(a).cmp_qualified(self.frame(b));
            b.width.cmp(&a.width).then_with(names)
        });
        for group in &mut found {
            self.found += 1;
            group.number = Reverse(self.found);
        }
        found
    }
}
