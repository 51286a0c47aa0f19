//! The parts of bands: their frames, the tree of their stacks, and the facts about info tables. The page
//! groups by these parts; it never parses a label.

use std::borrow::Cow;

use foldhash::fast::RandomState;
use indexmap::IndexSet;
use serde::Serialize;

use super::band_table::{PageBands, shown};
use super::numbers::Deltas;
use crate::profile::glossary::closure_kind;
use crate::profile::{Band, Breakdown, Frame};
use crate::slice::{RowId, Slice};

/// The most nodes in the tree of stacks.
const MOST_NODES: usize = 60_000;
/// How many frames of each stack to keep if the tree would have too many nodes, tried in this order.
const DEPTHS: [usize; 6] = [usize::MAX, 96, 48, 24, 12, 6];

/// The frames of the bands, and the tree of their stacks.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct StackData<'a> {
    /// The columns of the frames. The name is empty where the name of a band is that of its frame.
    names: Vec<Cow<'a, str>>,
    modules: Vec<Cow<'a, str>>,
    packages: Vec<Cow<'a, str>>,
    places: Vec<Cow<'a, str>>,
    /// The nodes of the tree, callers before callees: each its parent, counted from 1, as 0 is the root, and its frame.
    parent: Deltas,
    frame: Deltas,
    /// The innermost node of each band, counted from 1. The frames of a retainer set are a path in the order of the file.
    of: Deltas,
    /// The most frames of a stack that were kept; `None` if all were.
    #[serde(skip)]
    pub depth: Option<usize>,
}

/// A path through the tree of frames, callers before callees.
type Path<'a> = Vec<Option<&'a Frame>>;

/// The parts of the bands of a page, with texts of at most `length` characters.
pub fn parts<'a>(slice: &'a Slice<'_>, bands: &PageBands, length: usize) -> StackData<'a> {
    let paths = |depth: usize| {
        let path = move |&row| band_of(slice, row).map_or_else(Vec::new, |band| path(&band, depth));
        bands.order.iter().map(path)
    };
    let tries = DEPTHS.map(|depth| (depth, MOST_NODES)).into_iter();
    // At last the shortest stacks are used, however many nodes they make.
    let mut tries = tries.chain([(DEPTHS[DEPTHS.len() - 1], usize::MAX)]);
    let found = tries.find_map(|(depth, most)| Some((depth, Tree::new(paths(depth), most)?)));
    let Some((depth, (tree, of))) = found.filter(|(_, (tree, _))| !tree.nodes.is_empty()) else {
        return StackData::default();
    };
    let column = |part: fn(&'a Frame) -> &'a str, left_out: &'static str| {
        let text = |frame: &Option<&'a Frame>| frame.map_or(left_out, part);
        tree.frames.iter().map(|frame| shown(text(frame), length)).collect()
    };
    let name: fn(&'a Frame) -> &'a str =
        if bare_names(slice) { |_| "" } else { |frame| &frame.name };
    StackData {
        names: column(name, "…"),
        modules: column(|frame| &frame.module, ""),
        packages: column(|frame| &frame.package.name, ""),
        places: column(|frame| &frame.place, ""),
        parent: Deltas::new(tree.nodes.iter().map(|&(parent, _)| parent as u64)),
        frame: Deltas::new(tree.nodes.iter().map(|&(_, frame)| frame as u64)),
        of: Deltas::new(of),
        depth: (depth < usize::MAX).then_some(depth),
    }
}

/// The band of a row; a group has no parts of its own.
fn band_of<'a>(slice: &'a Slice<'_>, row: RowId) -> Option<Band<'a>> {
    slice.key(row)?;
    Some(slice.band(slice.members(row)[0]))
}

/// Whether the bands of a slice are named after their only frame.
fn bare_names(slice: &Slice<'_>) -> bool {
    slice.rows().all(|row| {
        slice.key(row).is_none()
            || slice.with_band(slice.members(row)[0], |band| match band.kind {
                Breakdown::CostCentre | Breakdown::Retainer => false,
                Breakdown::InfoTable => band.frames().all(|frame| *frame.name == *slice.label(row)),
                Breakdown::ClosureType | Breakdown::ClosureDescription | Breakdown::Type => true,
                Breakdown::Module | Breakdown::Biography | Breakdown::Era | Breakdown::Unknown => {
                    true
                }
            })
    })
}

/// The frames of a band as a path; a deep one keeps its outermost and innermost frames.
fn path<'a>(band: &Band<'a>, depth: usize) -> Path<'a> {
    let mut path: Path<'a> = band.frames().map(Some).collect();
    if band.kind == Breakdown::CostCentre {
        path.reverse();
    }
    if path.len() > depth {
        let tail = path.split_off(path.len() - depth / 2);
        path.truncate(depth - depth / 2 - 1);
        path.push(None);
        path.extend(tail);
    }
    path
}

#[derive(Default)]
struct Tree<'a> {
    frames: IndexSet<Option<&'a Frame>, RandomState>,
    nodes: IndexSet<(usize, usize), RandomState>,
}

impl<'a> Tree<'a> {
    /// The tree of some paths, and the node of each path; `None` if it has more than `most` nodes.
    fn new(paths: impl Iterator<Item = Path<'a>>, most: usize) -> Option<(Self, Vec<u64>)> {
        let mut tree = Tree::default();
        let mut of = Vec::new();
        for path in paths {
            of.push(tree.node_of(&path) as u64);
            if tree.nodes.len() > most {
                return None;
            }
        }
        Some((tree, of))
    }

    /// The node at the end of a path, counted from 1; 0 for an empty one.
    fn node_of(&mut self, path: &Path<'a>) -> usize {
        let mut node = 0;
        for &frame in path {
            let frame = self.frames.insert_full(frame).0;
            node = 1 + self.nodes.insert_full((node, frame)).0;
        }
        node
    }
}

/// Whether the report of a slice has a tree of stacks, from its bands or from the calls of its run.
pub fn has_stacks(slice: &Slice<'_>) -> bool {
    kind(slice) == "stack" || !slice.calls().is_empty()
}

/// What the frames of a band are: `stack`, `set` or `one`.
pub fn kind(slice: &Slice<'_>) -> &'static str {
    let first = slice.rows().find_map(|row| band_of(slice, row));
    first.map_or("one", |band| match band.kind {
        Breakdown::CostCentre => "stack",
        Breakdown::Retainer => "set",
        Breakdown::ClosureType | Breakdown::ClosureDescription | Breakdown::Type => "one",
        Breakdown::Module | Breakdown::InfoTable => "one",
        Breakdown::Biography | Breakdown::Era | Breakdown::Unknown => "one",
    })
}

/// What is known about the info tables of some bands beyond their frames: a column each.
#[derive(Default, Serialize)]
pub struct InfoTableData {
    bands: Vec<u32>,
    names: Vec<String>,
    kinds: Vec<String>,
    types: Vec<String>,
}

/// The info tables of the bands of a page, with texts of at most `length` characters.
pub fn info_tables(slice: &Slice<'_>, bands: &PageBands, length: usize) -> InfoTableData {
    let mut tables = InfoTableData::default();
    for &row in &bands.order {
        let Some(table) = slice.info_table(row) else { continue };
        let [name, kind, ty, ..] = table.fields().map(|text| shown(text, length).into_owned());
        tables.bands.extend(bands.place[row.index()]);
        tables.names.push(name);
        tables.kinds.push(closure_kind(&kind).map_or(kind.clone(), str::to_owned));
        tables.types.push(ty);
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Breakdown, CostCentre, Profile, ProfileBuilder, Source};
    use crate::slice::rank::{RankOptions, rank};

    fn profile(stacks: &[Vec<u32>]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.declare_breakdown(Breakdown::CostCentre);
        for &id in stacks.iter().flatten() {
            builder.define_cost_centre(id, CostCentre::new(format!("f{id}"), "", ""));
        }
        builder.stack_sample(0, stacks.iter().map(|stack| (stack, 8)));
        builder.finish()
    }

    fn all(slice: &Slice<'_>) -> PageBands {
        let options = RankOptions { trace_percent: 0.0, ..RankOptions::default() };
        let ranking = rank(slice, &options);
        PageBands::new(slice, &ranking, usize::MAX, std::iter::empty())
    }

    #[test]
    fn deep_stacks_lose_their_middle_when_there_are_too_many() {
        let stack = |i: u32| (0..255).map(|j| (i * 31 + j * (1 + i % 7)) % 500).collect();
        let stacks: Vec<Vec<u32>> = (0..700).map(stack).collect();
        let profile = profile(&stacks);
        let slice = Slice::whole(&profile);
        let bands = all(&slice);
        let parts = parts(&slice, &bands, 100);
        assert_eq!(parts.depth, Some(48));
        assert!(parts.names.contains(&"…".into()));
    }

    #[test]
    fn package_and_module_are_read_from_a_name_alone() {
        let mut builder = ProfileBuilder::new(Source::Hp);
        builder.declare_breakdown(Breakdown::ClosureType);
        builder.sample(0, [("base:GHC.Maybe.Just", 8)]);
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        let bands = all(&slice);
        let one = |text: &'static str| vec![Cow::Borrowed(text)];
        let expected = StackData {
            names: one(""),
            modules: one("GHC.Maybe"),
            packages: one("base"),
            places: one(""),
            parent: Deltas::new([0_u64]),
            frame: Deltas::new([0_u64]),
            of: Deltas::new([1_u64]),
            depth: None,
        };
        assert_eq!(parts(&slice, &bands, 100), expected);
    }
}
