//! The parts of bands: their frames, the tree of their stacks, and the facts about info tables. The page
//! groups by these parts; it never parses a label.

use std::borrow::Cow;

use foldhash::HashSet;
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::bands::PageBands;
use super::columns::Sections;
use crate::incident::error::{made_visible, visible};
use crate::profile::{Band, BandKind, Frame};
use crate::slice::{RowId, Slice};

/// The most bytes of text about frames, and about info tables, in a page; the biggest bands come first.
const MOST_TEXT: usize = 250_000;
/// The most nodes in the tree of stacks.
const MOST_NODES: usize = 60_000;
/// How many frames of each stack to keep if the tree would have too many nodes, tried in this order.
const DEPTHS: [usize; 6] = [usize::MAX, 96, 48, 24, 12, 6];

/// The parts that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct PartsLeftOut {
    /// The most frames of a stack that were kept; `None` if all were.
    pub depth: Option<usize>,
    /// How many bands have no description because it did not fit.
    pub bands: usize,
}

/// A path through the tree of frames, callers before callees.
type Path<'a> = Vec<Option<&'a Frame>>;

/// Appends the frames of the bands and the tree of their stacks.
///
/// `frame.name`, `.module`, `.package` and `.place` are the columns of the frames. `node.parent` and
/// `node.frame` are the tree's nodes, callers before callees; a parent is counted from 1, and 0 is
/// the root. `node.of` is each band's node, counted likewise; the frames of a retainer set are a path in
/// the order of the file. A band without known parts has one node whose frame has no name, because the
/// name is the band's own.
pub fn frames(
    sections: &mut Sections,
    slice: &Slice<'_>,
    bands: &PageBands,
    biggest: &[RowId],
) -> PartsLeftOut {
    let described = described(slice, biggest);
    let paths = |depth: usize| {
        let described = &described;
        bands.order.iter().map(move |&row| {
            let band = described[row.index()].then(|| band_of(slice, row)).flatten();
            band.map_or_else(Vec::new, |band| path(&band, depth))
        })
    };
    let tries = DEPTHS.map(|depth| (depth, MOST_NODES)).into_iter();
    // At last the shortest stacks are used, however many nodes they make.
    let mut tries = tries.chain([(DEPTHS[DEPTHS.len() - 1], usize::MAX)]);
    let found = tries.find_map(|(depth, most)| Some((depth, Tree::of(paths(depth), most)?)));
    let (depth, (tree, of)) = found.unwrap_or_default();
    if tree.nodes.is_empty() {
        return PartsLeftOut::default();
    }
    tree.write(sections, bare_names(slice));
    sections.numbers("node.of", of);
    let left = bands.order.iter().filter(|row| !described[row.index()]);
    PartsLeftOut { depth: (depth < usize::MAX).then_some(depth), bands: left.count() }
}

/// Whether the description of each row fits, by row index; the biggest come first.
fn described(slice: &Slice<'_>, biggest: &[RowId]) -> Vec<bool> {
    let mut room = MOST_TEXT;
    let mut known: HashSet<&Frame> = HashSet::default();
    let mut described = vec![false; slice.rows().len()];
    for &row in biggest.iter().filter(|&&row| slice.key(row).is_some()) {
        let bytes = slice.with_band(slice.members(row)[0], |band| {
            let new = band.frames().filter(|&frame| !known.contains(frame));
            new.map(|frame| text_of(frame, band.kind())).sum::<usize>()
        });
        if bytes <= room {
            room -= bytes;
            described[row.index()] = true;
            known.extend(band_of(slice, row).iter().flat_map(Band::frames));
        }
    }
    described
}

/// The band of a row; a group has no parts of its own.
fn band_of<'a>(slice: &'a Slice<'_>, row: RowId) -> Option<Band<'a>> {
    slice.key(row)?;
    Some(slice.band(slice.members(row)[0]))
}

/// Whether the bands of a slice are named after their only frame.
fn bare_names(slice: &Slice<'_>) -> bool {
    let mut kinds = slice.rows().filter_map(|row| band_of(slice, row).map(|band| band.kind()));
    kinds.next().is_some_and(is_bare)
}

fn is_bare(kind: BandKind) -> bool {
    !matches!(kind, BandKind::Stack | BandKind::RetainerSet | BandKind::InfoTable)
}

fn text_of(frame: &Frame, kind: BandKind) -> usize {
    let name = if is_bare(kind) { 0 } else { frame.name.len() };
    // There are few modules, and they deflate well.
    name + frame.module.len() / 4 + frame.place.len() + 1
}

/// The frames of a band as a path; a deep one keeps its outermost and innermost frames.
fn path<'a>(band: &Band<'a>, depth: usize) -> Path<'a> {
    let mut path: Path<'a> = band.frames().map(Some).collect();
    if band.kind() == BandKind::Stack {
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
    fn of(paths: impl Iterator<Item = Path<'a>>, most: usize) -> Option<(Self, Vec<u64>)> {
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

    fn write(&self, sections: &mut Sections, bare: bool) {
        let mut column = |title: &str, part: fn(&Frame) -> &str, left_out: &'static str| {
            let text = |frame: &Option<&'a Frame>| match *frame {
                Some(frame) => made_visible(part(frame)),
                None => Cow::Borrowed(left_out),
            };
            let texts: Vec<Cow<'_, str>> = self.frames.iter().map(text).collect();
            sections.texts(title, texts.iter().map(|text| &**text));
        };
        column("frame.name", if bare { |_| "" } else { |frame| &frame.name }, "…");
        column("frame.module", |frame| &frame.module, "");
        column("frame.package", |frame| &frame.package.name, "");
        column("frame.place", |frame| &frame.place, "");
        sections.numbers("node.parent", self.nodes.iter().map(|&(parent, _)| parent as u64));
        sections.numbers("node.frame", self.nodes.iter().map(|&(_, frame)| frame as u64));
    }
}

/// Whether the report of a slice has a tree of stacks, from its bands or from the calls of its run.
pub fn has_stacks(slice: &Slice<'_>) -> bool {
    kind(slice) == "stack" || !slice.calls().is_empty()
}

/// What the frames of a band are: `stack`, `set` or `one`.
pub fn kind(slice: &Slice<'_>) -> &'static str {
    let first = slice.rows().find_map(|row| band_of(slice, row));
    match first.map(|band| band.kind()) {
        Some(BandKind::Stack) => "stack",
        Some(BandKind::RetainerSet) => "set",
        _ => "one",
    }
}

/// Appends the facts about info tables beyond their frames, for the biggest bands as far as they
/// fit.
pub fn info_tables(
    sections: &mut Sections,
    slice: &Slice<'_>,
    bands: &PageBands,
    biggest: &[RowId],
) {
    let mut known: Vec<(u32, [String; 3])> = Vec::new();
    let mut bytes = 0;
    for &row in biggest {
        let Some(table) = slice.info_table(row) else { continue };
        let [name, kind, ty, ..] = table.fields();
        bytes += name.len() + kind.len() + ty.len();
        if bytes > MOST_TEXT / 2 {
            break;
        }
        let place = bands.place[row.index()];
        known.extend(place.map(|place| (place, [name, kind, ty].map(visible))));
    }
    if known.is_empty() {
        return;
    }
    known.sort_by_key(|&(place, _)| place);
    sections.numbers("info.band", known.iter().map(|&(place, _)| u64::from(place)));
    for (i, name) in ["name", "kind", "type"].into_iter().enumerate() {
        sections.texts(&format!("info.{name}"), known.iter().map(|(_, texts)| texts[i].as_str()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, Breakdown, CostCentre, Profile, ProfileBuilder, Source};
    use crate::slice::rank::{RankOptions, rank};

    fn profile(stacks: &[Vec<u32>]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        builder.declare_breakdown(Breakdown::CostCentre);
        for &id in stacks.iter().flatten() {
            builder.define_cost_centre(id, CostCentre::new(format!("f{id}"), "", ""));
        }
        for stack in stacks {
            let band = builder.band(BandKeyRef::Stack(stack)).unwrap();
            builder.point(band, Bytes::new(8));
        }
        builder.seal_sample(Nanos::ZERO);
        builder.finish()
    }

    fn all(slice: &Slice<'_>) -> (PageBands, Vec<RowId>) {
        let options = RankOptions { trace_percent: 0.0, ..RankOptions::default() };
        let ranking = rank(slice, &options);
        let bands = PageBands::new(slice, &ranking, usize::MAX, std::iter::empty());
        let biggest = bands.by_total(&ranking);
        (bands, biggest)
    }

    #[test]
    fn stacks_that_begin_alike_share_their_nodes() {
        let profile = profile(&[vec![7, 1], vec![9, 7, 1], vec![], vec![1]]);
        let slice = Slice::whole(&profile);
        let (bands, biggest) = all(&slice);
        let mut sections = Sections::default();
        let left = frames(&mut sections, &slice, &bands, &biggest);
        assert_eq!(left, PartsLeftOut::default());
        let mut expected = Sections::default();
        expected.texts("frame.name", ["f1", "f7", "f9"]);
        for part in ["module", "package", "place"] {
            expected.texts(&format!("frame.{part}"), ["", "", ""]);
        }
        expected.numbers("node.parent", [0, 1, 2]);
        expected.numbers("node.frame", [0, 1, 2]);
        expected.numbers(
            "node.of",
            bands.order.iter().map(|&row| match slice.label(row) {
                "MAIN" => 0,
                label => label.split('/').count() as u64,
            }),
        );
        assert_eq!(sections.bytes(), expected.bytes());
    }

    #[test]
    fn deep_stacks_lose_their_middle_when_there_are_too_many() {
        let stack = |i: u32| (0..255).map(|j| (i * 31 + j * (1 + i % 7)) % 500).collect();
        let stacks: Vec<Vec<u32>> = (0..700).map(stack).collect();
        let profile = profile(&stacks);
        let slice = Slice::whole(&profile);
        let (bands, biggest) = all(&slice);
        let mut sections = Sections::default();
        let left = frames(&mut sections, &slice, &bands, &biggest);
        assert_eq!(left, PartsLeftOut { depth: Some(48), bands: 0 });
        assert!(sections.bytes().len() < 1_000_000, "{}", sections.bytes().len());
    }

    #[test]
    fn package_and_module_are_read_from_a_name_alone() {
        let mut builder = ProfileBuilder::new(Source::Hp);
        builder.declare_breakdown(Breakdown::ClosureType);
        let band = builder.band(BandKeyRef::Name(b"base:GHC.Maybe.Just")).unwrap();
        builder.point(band, Bytes::new(8));
        builder.seal_sample(Nanos::ZERO);
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        let (bands, biggest) = all(&slice);
        let mut sections = Sections::default();
        frames(&mut sections, &slice, &bands, &biggest);
        let mut expected = Sections::default();
        expected.texts("frame.name", [""]);
        expected.texts("frame.module", ["GHC.Maybe"]);
        expected.texts("frame.package", ["base"]);
        expected.texts("frame.place", [""]);
        expected.numbers("node.parent", [0]);
        expected.numbers("node.frame", [0]);
        expected.numbers("node.of", [1]);
        assert_eq!(sections.bytes(), expected.bytes());
    }
}
