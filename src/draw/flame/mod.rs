//! Flame graphs: a bar for each node of a tree, as wide as its amount, on the bar of its parent.
//!
//! A picture is as high as its deepest drawn stack, so that every level can be read; bars too narrow to
//! be seen are left out with everything above them, and the picture says how much was left out.

use super::colour::{INK, Palette, hash, ink_on, preferred_by};
use super::heading::{Fact, HeadingLines, HeadingWords, MARGIN};
use super::labels::visible_text;
use super::options::{DrawOptions, Heading};
use crate::base::units::{UnitSystem, percent};
use crate::chart::flame::{FlameChart, amount};
use crate::picture::text_width::{FontWeight, elide, width, wrap};
use crate::picture::{Group, Item, Paint, Point, Rectangle, Role, Scene, Text, Tone};
use crate::tree::{FrameKind, NodeId, StackTree, TreeSize};

/// Where the root of a flame graph is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum RootPlace {
    /// At the bottom: stacks grow up
    #[default]
    Bottom,
    /// At the top, as an icicle
    Top,
}

/// The height of a bar, including the gap to the next.
const ROW: f64 = 18.0;
/// The gap between two bars, half of it on each side.
const GAP: f64 = 1.0;
const TEXT_SIZE: f64 = 11.0;
/// From the left end of a bar to its text.
const PADDING: f64 = 4.0;
/// A bar narrower than this shows no text: not even one letter and an ellipsis would fit.
const LEAST_TEXT: f64 = 22.0;
/// A bar narrower than this is not drawn.
const LEAST_BAR: f64 = 0.25;
/// The most bars. Real programs have a few thousand visible ones; a crafted file with deep stacks
/// without a common root would have a million.
const MOST_BARS: usize = 6_000;
const SMALL_LINE: f64 = 16.0;

/// How much of a tree can be drawn in a picture of this width. A larger tree would give the same picture.
pub fn tree_size(width: f64) -> TreeSize {
    TreeSize { least_share: LEAST_BAR / (width - 2.0 * MARGIN), most_nodes: MOST_BARS }
}

/// Lays out and draws a flame graph, as high as its stacks are deep.
pub fn flame(chart: &FlameChart, options: &DrawOptions, root: RootPlace) -> Scene {
    let line = options.width - 2.0 * MARGIN;
    let mut items = vec![Item::Rectangle(Rectangle {
        at: Point { x: 0.0, y: 0.0 },
        width: options.width,
        height: 0.0,
        radius: 0.0,
        fill: Role::Background.into(),
    })];
    let heading = heading(chart, options, line);
    let top = heading.height;
    items.push(heading.group().into());
    let bars = Bars::new(&chart.tree, line);
    let rows = bars.depth + 1;
    let bottom = top + rows as f64 * ROW;
    let mut group = Group::new("flame");
    for bar in &bars.bars {
        let row = match root {
            RootPlace::Top => bar.depth,
            RootPlace::Bottom => bars.depth - bar.depth,
        };
        let at = Point { x: MARGIN + bar.left, y: top + row as f64 * ROW };
        group.items.push(self::bar(chart, bar, at, options).into());
    }
    items.push(group.into());
    let mut notes = Vec::new();
    notes.extend(chart.notes(options.units));
    if bars.hidden > 0 {
        notes.push(format!(
            "{}: {} ({})",
            if bars.are_too_many {
                "bars too narrow or too many to draw"
            } else {
                "bars too narrow to draw"
            },
            amount(chart.tree.subject.weight, bars.hidden, options.units),
            percent(bars.hidden, chart.tree.root().total)
        ));
    }
    let height = footer(&notes, bottom, line, &mut items);
    if let Some(Item::Rectangle(background)) = items.first_mut() {
        background.height = height;
    }
    Scene {
        width: options.width,
        height,
        title: title(chart, options),
        description: description(chart, options),
        source: chart.job.as_deref().map(visible_text),
        items,
    }
}

fn title(chart: &FlameChart, options: &DrawOptions) -> String {
    match &options.heading.title {
        Heading::Text(text) => visible_text(text),
        Heading::Auto | Heading::None => format!("Flame graph of {}", visible_text(&chart.title)),
    }
}

fn description(chart: &FlameChart, options: &DrawOptions) -> String {
    let root = chart.tree.root();
    let total = amount(chart.tree.subject.weight, root.total, options.units);
    let mut text = format!("Flame graph, {}: {total} in all.", chart.facts[0]);
    let widest: Vec<String> = root
        .children
        .iter()
        .take(3)
        .map(|&id| {
            let node = chart.tree.node(id);
            format!("{} {}", visible_text(&node.frame.qualified()), percent(node.total, root.total))
        })
        .collect();
    if !widest.is_empty() {
        text += &format!(" Next to the root: {}.", widest.join(", "));
    }
    text
}

/// The heading: the finding or the title, and facts.
fn heading(chart: &FlameChart, options: &DrawOptions, line: f64) -> HeadingLines {
    let finding = (chart.headline.as_ref(), chart.leak);
    let facts = chart.facts.iter().zip(1..).map(|(fact, rank)| Fact::new(rank, fact)).collect();
    let words = HeadingWords::of(finding, &chart.title, facts, options);
    HeadingLines::new(&words, line, options.height)
}

/// Records the notes, and returns the height of the picture.
fn footer(notes: &[String], bottom: f64, line: f64, items: &mut Vec<Item>) -> f64 {
    let mut y = bottom + 4.0;
    let mut group = Group::new("notes");
    for note in notes.iter().flat_map(|note| wrap(note, TEXT_SIZE, line, 2)) {
        y += SMALL_LINE;
        group.items.push(Text::new(MARGIN, y, TEXT_SIZE, Role::Muted, note).into());
    }
    if !group.items.is_empty() {
        items.push(group.into());
    }
    y + MARGIN - 4.0
}

/// A node with its place, in pixels from the left end of the graph.
struct Bar {
    id: NodeId,
    left: f64,
    width: f64,
    depth: usize,
}

struct Bars {
    bars: Vec<Bar>,
    depth: usize,
    /// The total amount of the nodes without a bar.
    hidden: u128,
    /// Whether nodes were left out although they are wide enough to be seen.
    are_too_many: bool,
}

impl Bars {
    /// The bars of a tree in a graph of this width, for its widest nodes. These come first in the
    /// tree, so that a bar is always on top of its parent's.
    fn new(tree: &StackTree, width: f64) -> Bars {
        let whole = tree.root().total.max(1) as f64;
        let pixels = |amount: u128| amount as f64 / whole * width;
        let wide = tree.nodes.partition_point(|node| pixels(node.total) >= LEAST_BAR);
        let drawn = wide.min(MOST_BARS);
        let are_too_many = drawn == MOST_BARS;
        let mut bars = Bars { bars: Vec::new(), depth: 0, hidden: 0, are_too_many };
        // Computed from exact sums, so that rounding errors do not add up along a row.
        let mut open = vec![(NodeId::ROOT, 0_u128)];
        while let Some((id, before)) = open.pop() {
            let node = tree.node(id);
            if id.index() >= drawn {
                bars.hidden += node.total;
                continue;
            }
            bars.hidden += node.left_out;
            bars.depth = bars.depth.max(node.depth);
            let (left, width) = (pixels(before), pixels(node.total));
            bars.bars.push(Bar { id, left, width, depth: node.depth });
            let mut at = before;
            let first = open.len();
            for &child in &node.children {
                open.push((child, at));
                at += tree.node(child).total;
            }
            open[first..].reverse();
        }
        bars
    }
}

fn bar(chart: &FlameChart, bar: &Bar, at: Point, options: &DrawOptions) -> Group {
    let tree = &chart.tree;
    let node = tree.node(bar.id);
    let name = visible_text(&node.frame.qualified());
    let mut group = Group::new("frame");
    group.label = Some(name.clone());
    group.title = Some(hover(tree, bar.id, &name, options.units));
    let fill = paint(tree, bar.id, options.palette);
    let gap = GAP.min(bar.width / 4.0);
    group.items.push(Item::Rectangle(Rectangle {
        at: Point { x: at.x + gap / 2.0, y: at.y + GAP / 2.0 },
        width: bar.width - gap,
        height: ROW - GAP,
        radius: 1.0_f64.min(bar.width / 4.0),
        fill,
    }));
    let grew = chart.grew.iter().find(|(id, _)| *id == bar.id).map(|(_, grew)| *grew);
    let left = at.x + PADDING;
    let room = bar.width - PADDING - (left - at.x);
    if bar.width >= LEAST_TEXT {
        // If not everything fits, the module is left out first.
        let short = visible_text(&node.frame.name);
        let fits = width(&name, TEXT_SIZE, FontWeight::Regular) <= room;
        let mut text =
            elide(if fits { &name } else { &short }, TEXT_SIZE, FontWeight::Regular, room);
        let figure = match grew {
            Some(grew) => format!("grew by {}", options.units.bytes(grew)),
            None => figure(tree, bar.id, options.units),
        };
        let with_figure = format!("{text}  {figure}");
        if fits && width(&with_figure, TEXT_SIZE, FontWeight::Regular) <= room {
            text = with_figure;
        }
        let mut text = Text::new(left, at.y + ROW - 5.5, TEXT_SIZE, Role::Text, text);
        text.paint = match fill {
            Paint::Pale(_) => Tone::INK.into(),
            Paint::Tone(tone) if tone.0 < 50 => Tone::INK.into(),
            Paint::Tone(_) => Tone::PAPER.into(),
            Paint::Band(rgb) => Paint::Band(ink_on(rgb)),
            Paint::Role(_) => Paint::Band(INK),
        };
        group.items.push(text.into());
    }
    group
}

/// The figure next to a name, if there is space for it.
fn figure(tree: &StackTree, id: NodeId, units: UnitSystem) -> String {
    let (node, root) = (tree.node(id), tree.root());
    let all = amount(tree.subject.weight, node.total, units);
    match id == NodeId::ROOT {
        true => all,
        false => format!("{all} ({})", percent(node.total, root.total)),
    }
}

/// The hover text of a bar.
fn hover(tree: &StackTree, id: NodeId, name: &str, units: UnitSystem) -> String {
    let node = tree.node(id);
    let say = |value| amount(tree.subject.weight, value, units);
    let mut lines = vec![name.to_owned()];
    if !node.frame.place.is_empty() {
        lines.push(visible_text(&node.frame.place));
    }
    lines.push(format!("{} ({})", say(node.total), percent(node.total, tree.root().total)));
    if node.own != node.total {
        lines.push(format!("own: {}", say(node.own)));
    }
    lines.join("\n")
}

/// A frame has the colour that a band with its name prefers, as it has on a page.
fn paint(tree: &StackTree, id: NodeId, palette: Palette) -> Paint {
    let node = tree.node(id);
    match node.frame.kind {
        FrameKind::Root | FrameKind::Heading | FrameKind::Pseudo(_) => {
            return Paint::Tone(Tone(16));
        }
        FrameKind::Plain | FrameKind::Caf => {}
    }
    // All CAFs have one name, and those of each module are one cost centre.
    let hash = match &*node.frame.name {
        "CAF" => hash(&node.frame.qualified()),
        name => hash(name),
    };
    match palette {
        Palette::Grey => Paint::Tone(Tone(14 + 8 * (hash % 4) as u8)),
        Palette::Vivid | Palette::Safe => Paint::Band(preferred_by(hash, palette)),
    }
}

#[cfg(test)]
mod tests;
