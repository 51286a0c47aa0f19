//! From weighted stacks to a tree.

use foldhash::HashMap;

use std::sync::Arc;

use super::frame::{FrameKind, TreeFrame};
use super::stacks::{Amount, Stacks, TreeError, Weight};
use crate::pattern::Pattern;

/// Which end of a stack is next to the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The outermost frame: a node's children are what it calls.
    #[default]
    Callees,
    /// The innermost frame: a node's children are its callers.
    Callers,
}

/// When two frames are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    /// When they are the same cost centre.
    #[default]
    ById,
    /// When they have the same name and module, which several cost centres may.
    ByText,
}

/// How roots that are not functions are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// CAFs are under one heading, the run-time system's stacks under another.
    #[default]
    Grouped,
    /// As they are.
    AsWritten,
}

/// How a tree is made. The defaults show all stacks from the root down.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TreeOptions {
    /// Which end of a stack is next to the root. Default callees.
    pub direction: Direction,
    /// Only the stacks through a frame that matches, cut off outside of it. Default all.
    pub focus: Option<Pattern>,
    /// When two frames are one. Default by id.
    pub identity: Identity,
    /// How CAFs and the like are treated. Default grouped.
    pub roots: Roots,
}

/// How many nodes a tree may have besides one for each stack. A node takes some 350 bytes while the
/// tree is made; the stacks of real programs have most of their frames in common, and a node is the
/// end of one in four. A crafted log of a few megabytes could need millions.
const MOST_NODES: usize = 100_000;

/// A node of a tree, numbered so that parents come before their children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

impl NodeId {
    /// The root.
    pub const ROOT: NodeId = NodeId(0);

    /// Position in [`StackTree::nodes`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it stands for; all nodes of a frame share it.
    pub frame: Arc<TreeFrame>,
    /// Its parent; the root is its own parent.
    pub parent: NodeId,
    /// How far from the root, which is at 0.
    pub depth: usize,
    /// What ends here.
    pub own: Amount,
    /// What ends here or below.
    pub total: Amount,
    /// How wide it is drawn: its total, or in a difference everything that changed here or below.
    pub width: u128,
    /// What hangs under it, the widest first.
    pub children: Vec<NodeId>,
}

/// Weighted stacks as a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct StackTree {
    /// What the amounts count.
    pub weight: Weight,
    /// The nodes, parents before their children; the first is the root.
    pub nodes: Vec<Node>,
    /// Whether the amounts are compared with others.
    pub is_difference: bool,
    /// The nominal length of a tick: see [`Stacks::tick_ns`].
    pub tick_ns: Option<u64>,
    /// Which instant it is of, in words.
    pub words: String,
    /// The amount of stacks that are not part of the program, which is left out.
    pub left_out: u128,
}

impl StackTree {
    /// The tree of some stacks.
    ///
    /// # Errors [`TreeError::Empty`] when the focus leaves nothing, or a difference has none;
    /// [`TreeError::TooLarge`] when deep stacks share too few frames.
    pub fn of(stacks: &Stacks, options: &TreeOptions) -> Result<StackTree, TreeError> {
        let mut builder = Builder::new(stacks, options);
        for stack in &stacks.stacks {
            if let Some(path) = builder.path(&stack.frames) {
                builder.add(path, stack.amount)?;
            }
        }
        let tree = builder.finish();
        match tree.nodes[0].width {
            0 => Err(TreeError::Empty),
            _ => Ok(tree),
        }
    }

    /// The root.
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The frames from the root to a node, both included.
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

struct Builder<'a> {
    stacks: &'a Stacks,
    options: &'a TreeOptions,
    /// The frame that stands for each frame of the stacks: itself, or the first with its text.
    same: Vec<usize>,
    in_focus: Vec<bool>,
    headings: [Arc<TreeFrame>; 2],
    /// The frames of the stacks, as nodes share them.
    shared: Vec<Arc<TreeFrame>>,
    nodes: Vec<Node>,
    children: HashMap<(usize, Step), usize>,
}

/// A step of a path: a frame of the stacks, or a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Frame(usize),
    Heading(usize),
}

impl<'a> Builder<'a> {
    fn new(stacks: &'a Stacks, options: &'a TreeOptions) -> Self {
        let mut by_text: HashMap<(&str, &str), usize> = HashMap::default();
        let frames = stacks.frames.iter().enumerate();
        let same = frames
            .map(|(at, frame)| match options.identity {
                Identity::ById => at,
                Identity::ByText => {
                    *by_text.entry((frame.module.as_str(), frame.name.as_str())).or_insert(at)
                }
            })
            .collect();
        let in_focus = |frame: &TreeFrame| {
            options.focus.as_ref().is_none_or(|focus| focus.matches(&frame.qualified()))
        };
        let headings = ["CAFs", "run-time system"];
        Builder {
            stacks,
            options,
            same,
            in_focus: stacks.frames.iter().map(in_focus).collect(),
            headings: headings.map(|name| Arc::new(TreeFrame::named(name, FrameKind::Heading))),
            shared: stacks.frames.iter().cloned().map(Arc::new).collect(),
            nodes: vec![node(Arc::new(stacks.root.clone()), NodeId::ROOT, 0)],
            children: HashMap::default(),
        }
    }

    /// The steps of a stack from the root on; `None` for one that is not in focus.
    fn path(&self, frames: &[usize]) -> Option<Vec<Step>> {
        let step = |&at: &usize| Step::Frame(self.same[at]);
        let Some(focus) = &self.options.focus else {
            let mut path: Vec<Step> = frames.iter().map(step).collect();
            return Some(match self.options.direction {
                Direction::Callers => {
                    path.reverse();
                    path
                }
                Direction::Callees => self.under_heading(frames.first(), path),
            });
        };
        // What matches is next to the root: its callees below it, or its callers.
        Some(match self.options.direction {
            Direction::Callees => {
                let first = frames.iter().position(|&at| self.in_focus[at]);
                match first {
                    Some(first) => frames[first..].iter().map(step).collect(),
                    None if focus.matches(&self.stacks.root.qualified()) => {
                        frames.iter().map(step).collect()
                    }
                    None => return None,
                }
            }
            Direction::Callers => {
                let last = frames.iter().rposition(|&at| self.in_focus[at])?;
                frames[..=last].iter().rev().map(step).collect()
            }
        })
    }

    fn under_heading(&self, first: Option<&usize>, mut path: Vec<Step>) -> Vec<Step> {
        let heading = first.and_then(|&at| match self.stacks.frame(at).kind {
            FrameKind::Caf => Some(0),
            FrameKind::Pseudo(_) => Some(1),
            _ => None,
        });
        if let (Some(heading), Roots::Grouped) = (heading, self.options.roots) {
            path.insert(0, Step::Heading(heading));
        }
        path
    }

    fn add(&mut self, path: Vec<Step>, amount: Amount) -> Result<(), TreeError> {
        let most = MOST_NODES + self.stacks.stacks.len();
        let mut at = 0;
        for step in path {
            at = match self.children.get(&(at, step)) {
                Some(&child) => child,
                None if self.nodes.len() >= most => return Err(TreeError::TooLarge { most }),
                None => {
                    let child = self.nodes.len();
                    let frame = match step {
                        Step::Frame(frame) => &self.shared[frame],
                        Step::Heading(heading) => &self.headings[heading],
                    };
                    let depth = self.nodes[at].depth + 1;
                    self.nodes.push(node(Arc::clone(frame), NodeId(at), depth));
                    self.children.insert((at, step), child);
                    child
                }
            };
        }
        self.nodes[at].own.add(amount);
        Ok(())
    }

    fn finish(self) -> StackTree {
        let mut nodes = self.nodes;
        let is_difference = self.stacks.is_difference;
        for at in (0..nodes.len()).rev() {
            let own = nodes[at].own;
            nodes[at].total.add(own);
            nodes[at].width += if is_difference { own.change() } else { own.now };
            if at > 0 {
                let (parent, total, width) = (nodes[at].parent, nodes[at].total, nodes[at].width);
                nodes[parent.0].total.add(total);
                nodes[parent.0].width += width;
            }
        }
        for at in 1..nodes.len() {
            let parent = nodes[at].parent;
            nodes[parent.0].children.push(NodeId(at));
        }
        for at in 0..nodes.len() {
            let mut children = std::mem::take(&mut nodes[at].children);
            // Equal ones in order of their names, so that the order of a file does not show.
            children.sort_by(|a, b| {
                let (a, b) = (&nodes[a.0], &nodes[b.0]);
                b.width.cmp(&a.width).then_with(|| a.frame.qualified().cmp(&b.frame.qualified()))
            });
            nodes[at].children = children;
        }
        StackTree {
            weight: self.stacks.weight,
            nodes,
            is_difference,
            tick_ns: self.stacks.tick_ns,
            words: self.stacks.words.clone(),
            left_out: self.stacks.left_out,
        }
    }
}

fn node(frame: Arc<TreeFrame>, parent: NodeId, depth: usize) -> Node {
    let (own, total) = (Amount::default(), Amount::default());
    Node { frame, parent, depth, own, total, width: 0, children: Vec::new() }
}
