//! A tree as JSON: the content of a flame graph and of every export of the same stacks.

use serde::{Serialize, Serializer};

use crate::base::text::json;
use crate::tree::{NodeId, StackTree, TreeFrame};

#[derive(Serialize)]
struct TreeDocument<'a> {
    format: &'static str,
    version: u32,
    weight: &'static str,
    unit: &'static str,
    of: &'a str,
    total: u64,
    /// The amount in stacks that are not part of the program, which is in no node.
    left_out: u64,
    /// The totals of nodes that are not listed, because there are too many.
    folded: u64,
    nodes: TreeNodes<'a>,
}

/// The nodes of a tree, each made while it is written.
struct TreeNodes<'a>(&'a StackTree);

impl Serialize for TreeNodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TreeNodes(tree) = self;
        serializer.collect_seq(tree.ids().map(|id| TreeRow::new(tree, id)))
    }
}

#[derive(Serialize)]
struct TreeRow<'a> {
    /// The index of its parent in the list; absent for the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    module: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    place: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    own: u64,
    total: u64,
    /// The totals of nodes directly below this one that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    folded: Option<u64>,
}

impl<'a> TreeRow<'a> {
    fn new(tree: &'a StackTree, id: NodeId) -> TreeRow<'a> {
        let node = tree.node(id);
        let TreeFrame { name, module, place, id: centre, kind: _ } = &*node.frame;
        TreeRow {
            parent: (id != NodeId::ROOT).then(|| node.parent.index()),
            name,
            module,
            place,
            id: *centre,
            own: number(node.own),
            total: number(node.total),
            folded: (node.left_out > 0).then(|| number(node.left_out)),
        }
    }
}

fn number(amount: u128) -> u64 {
    u64::try_from(amount).unwrap_or(u64::MAX)
}

/// The tree, parents before their children.
pub fn write(tree: &StackTree) -> String {
    let subject = &tree.subject;
    let document = TreeDocument {
        format: "heapviz-tree",
        version: 2,
        weight: subject.weight.name(),
        unit: if subject.weight.is_bytes() { "bytes" } else { "count" },
        of: &subject.words,
        total: number(tree.root().total),
        left_out: number(subject.outside),
        folded: number(tree.left_out()),
        nodes: TreeNodes(tree),
    };
    json(&document)
}
