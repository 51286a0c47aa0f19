//! Where a program spent its time and allocated memory: the tree of its cost-centre stacks.
//!
//! A `.prof` gives the tree with its totals; an event log gives a stack for every tick of every
//! capability (tags 167 and 168), which the tree adds up. Both have the same columns.
//!
//! A tick is not a millisecond: on a loaded machine ticks come late, and three times as much time
//! can have passed. So charts show shares; seconds come from the report's own count.

use foldhash::HashMap;

use super::{CostCentre, CostCentres};
use crate::base::units::Nanos;

/// A node of the call tree, numbered so that parents come before their children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(u32);

impl CallId {
    /// The root of every tree: the stack MAIN.
    pub const MAIN: CallId = CallId(0);

    /// The position of the node in [`Calls::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One cost-centre stack: its innermost cost centre, and the stack that it was pushed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallNode {
    /// The stack that this one extends; the root has itself.
    pub parent: CallId,
    /// The innermost cost centre; `None` for the root of an event log, which does not name MAIN.
    pub centre: Option<u32>,
    /// The run-time system's number of the stack, as in `(12)f/main` of a `-hc` profile; only the
    /// text of a `.prof` has it.
    pub number: Option<u64>,
    /// How often the cost centre was pushed here, without its children.
    pub entries: u64,
    /// Ticks of the timer at which the program was in exactly this stack.
    pub ticks: u64,
    /// Bytes allocated by it, without profiling overheads.
    pub alloc: u64,
}

/// How well a quantity of a call tree is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exactness {
    /// The input does not have it.
    #[default]
    Absent,
    /// Made from percentages with one decimal (`-p` without `-P`).
    Rounded,
    /// The report has the counts themselves.
    Exact,
}

/// The call tree of a run, empty for a profile without one.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// The nodes, parents before their children; the first is MAIN.
    pub nodes: Vec<CallNode>,
    children: HashMap<(CallId, u32), CallId>,
    /// The ticks of an event log one by one, in the order of the file, each with its time and
    /// stack.
    pub ticks: Vec<(Nanos, CallId)>,
    pub entries: Exactness,
    pub time: Exactness,
    pub alloc: Exactness,
    /// The requested length of a tick.
    pub tick: Option<Nanos>,
    pub capabilities: Option<u32>,
    /// The ticks that the report's header states.
    pub total_ticks: Option<u64>,
    /// The allocation that the report's header states, in bytes.
    pub total_alloc: Option<u64>,
}

impl Calls {
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The ids of the nodes, in order.
    pub fn ids(&self) -> impl Iterator<Item = CallId> + use<> {
        (0..self.nodes.len() as u32).map(CallId)
    }

    /// Adds the root if it is missing; returns its id.
    pub(super) fn root(&mut self, centre: Option<u32>, number: Option<u64>) -> CallId {
        if self.nodes.is_empty() {
            self.nodes.push(CallNode {
                parent: CallId::MAIN,
                centre,
                number,
                ..CallNode::default()
            });
        }
        CallId::MAIN
    }

    /// The pseudo stacks that `-p` leaves out.
    pub(super) fn left_out(&self, centres: &CostCentres) -> impl Iterator<Item = &CallNode> {
        self.nodes.iter().skip(1).filter(move |node| {
            let pseudo = node.centre.and_then(|id| centres.get(id)?.pseudo());
            node.parent == CallId::MAIN && pseudo.is_some_and(Pseudo::is_left_out)
        })
    }

    /// Adds a node that is known to be new.
    pub(super) fn push(&mut self, node: CallNode) -> CallId {
        let id = CallId(u32::try_from(self.nodes.len()).expect("the limit on nodes is below 2^32"));
        self.nodes.push(node);
        id
    }

    /// The child of a node for a cost centre, if there is one yet.
    pub(super) fn child(&self, parent: CallId, centre: u32) -> Option<CallId> {
        self.children.get(&(parent, centre)).copied()
    }

    /// Adds the child of a node for a cost centre.
    pub(super) fn add_child(&mut self, parent: CallId, centre: u32) -> CallId {
        let id = self.push(CallNode { parent, centre: Some(centre), ..CallNode::default() });
        self.children.insert((parent, centre), id);
        id
    }

    /// The cost centres from the root's child down to a node; empty for the root.
    pub fn path(&self, mut id: CallId) -> Vec<u32> {
        let mut path = Vec::new();
        while id != CallId::MAIN {
            let node = &self.nodes[id.index()];
            path.extend(node.centre);
            id = node.parent;
        }
        path.reverse();
        path
    }

    /// The tree with only the ticks in a window. Amounts without times, such as all those of a
    /// `.prof`, are kept.
    pub fn within(&self, admits: impl Fn(Nanos) -> bool) -> Calls {
        let mut calls = self.clone();
        if self.ticks.is_empty() {
            return calls;
        }
        calls.ticks.retain(|&(time, _)| admits(time));
        calls.nodes.iter_mut().for_each(|node| node.ticks = 0);
        for &(_, id) in &calls.ticks {
            calls.nodes[id.index()].ticks += 1;
        }
        calls
    }

    /// Adds the ticks of a later log of the same run.
    pub(super) fn absorb(&mut self, later: Calls) {
        self.tick = self.tick.or(later.tick);
        self.capabilities = self.capabilities.max(later.capabilities);
        if later.is_empty() {
            return;
        }
        self.time = later.time;
        let mut ours: Vec<CallId> = Vec::with_capacity(later.nodes.len());
        for (index, node) in later.nodes.iter().enumerate() {
            let id = match (index, node.centre) {
                (0, _) | (_, None) => self.root(node.centre, node.number),
                (_, Some(centre)) => {
                    let parent = ours[node.parent.index()];
                    let known = self.child(parent, centre);
                    known.unwrap_or_else(|| self.add_child(parent, centre))
                }
            };
            self.nodes[id.index()].ticks += node.ticks;
            ours.push(id);
        }
        self.ticks.extend(later.ticks.iter().map(|&(time, id)| (time, ours[id.index()])));
    }

    /// Adds entries and allocation of a report of the same run, and its ticks if this tree has no ticks
    /// yet. `here` has the ids of its cost centres in this tree.
    pub(super) fn add_counts(&mut self, report: Calls, here: &HashMap<u32, u32>) {
        let ticks_are_new = self.time == Exactness::Absent;
        let mut ours: Vec<CallId> = Vec::with_capacity(report.nodes.len());
        for (index, node) in report.nodes.iter().enumerate() {
            let id = match node.centre.and_then(|centre| here.get(&centre)) {
                Some(&centre) if index > 0 => {
                    let parent = ours[node.parent.index()];
                    let known = self.child(parent, centre);
                    known.unwrap_or_else(|| self.add_child(parent, centre))
                }
                _ => self.root(None, None),
            };
            let counts = &mut self.nodes[id.index()];
            counts.number = counts.number.or(node.number);
            counts.entries = counts.entries.saturating_add(node.entries);
            counts.alloc = counts.alloc.saturating_add(node.alloc);
            if ticks_are_new {
                counts.ticks = counts.ticks.saturating_add(node.ticks);
            }
            ours.push(id);
        }
        (self.entries, self.alloc) = (report.entries, report.alloc);
        self.total_alloc = report.total_alloc;
        if ticks_are_new {
            self.time = report.time;
            (self.tick, self.capabilities) = (report.tick, report.capabilities);
            self.total_ticks = report.total_ticks;
        }
    }

    /// The ticks of all nodes together.
    pub fn sum_of_ticks(&self) -> u128 {
        self.nodes.iter().map(|node| u128::from(node.ticks)).sum()
    }

    /// The bytes of all nodes together.
    pub fn sum_of_alloc(&self) -> u128 {
        self.nodes.iter().map(|node| u128::from(node.alloc)).sum()
    }
}

/// What a cost centre stands for, when it is not a part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Pseudo {
    /// The collector ran.
    Gc,
    /// The scheduler and other parts of the run-time system.
    System,
    /// A capability had nothing to do.
    Idle,
    /// The profiler's own work.
    Overhead,
    /// Static objects, whose allocation no function is charged for.
    DontCare,
    /// Whole blocks of pinned objects (GHC 9.0 and older); `-p` does print this one.
    Pinned,
}

impl Pseudo {
    /// The pseudo stack that a cost centre's label and module name, if any.
    pub fn new(label: &str, module: &str) -> Option<Pseudo> {
        Some(match (module, label) {
            ("GC", "GC") => Pseudo::Gc,
            ("SYSTEM", "SYSTEM") => Pseudo::System,
            ("IDLE", "IDLE") => Pseudo::Idle,
            ("PROFILING", "OVERHEAD_of") => Pseudo::Overhead,
            ("MAIN", "DONT_CARE") => Pseudo::DontCare,
            ("SYSTEM", "PINNED") => Pseudo::Pinned,
            _ => return None,
        })
    }

    /// Whether `-p` leaves it out of its totals.
    pub fn is_left_out(self) -> bool {
        self != Pseudo::Pinned
    }
}

impl CostCentre {
    /// What the cost centre stands for, when it is not a part of the program.
    pub fn pseudo(&self) -> Option<Pseudo> {
        Pseudo::new(&self.label, &self.module)
    }
}
