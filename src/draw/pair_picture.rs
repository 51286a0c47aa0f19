//! Draws two runs in one picture: the run before above the run after, on one scale, with the same
//! order and colours, and next to them how each band changed. A run that is a line on the floor of that scale is
//! enlarged in an inset above the line.

use super::heading::{Fact, HeadingLines, HeadingWords, MARGIN};
use super::key::{Key, KeyLayers, KeyRoom, KeyTable, WIDENED};
use super::layout::{Layout, NOTES_LINE, NOTES_SIZE, notes_group};
use super::options::{
    DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Scale, TitleOptions,
};
use super::parts::{LayerLook, PictureParts};
use super::plotters::{AXIS_SIZE, PixelFrame};
use super::sampling::{Sampling, common_scale};
use super::value_axis::ValueAxis;
use super::{background, colour, foreground, labels, stack_plot};
use crate::base::units::Bytes;
use crate::chart::pair::{Pair, PairSide};
use crate::picture::text_width::wrap;
use crate::picture::{
    Anchor, Area, Group, Item, Line, Paint, Point, Rectangle, Role, Scene, Stroke, Text,
};

/// A run whose scale is this many times lower than the other's is enlarged.
const LOW: f64 = 8.0;
/// Around an inset, above its plot and below it, in pixels.
const INSET_GAP: f64 = 8.0;
const INSET_HEAD: f64 = 30.0;
const INSET_FOOT: f64 = 34.0;
/// The bands of an inset that is lower than this could not be told apart, in pixels.
const LEAST_INSET: f64 = 40.0;
/// The greatest share of the width for the column of changes beside the panels.
const TABLE_SHARE: f64 = 0.36;
const TABLE_GAP: f64 = 8.0;
/// Below this width the changes are below the panels, in pixels.
const NARROW: f64 = 720.0;
/// The height of a row of changes there.
const TABLE_ROW: f64 = 17.0;
/// How far a panel extends into the margin of the one above it, in pixels.
const OVERLAP: f64 = 12.0;

/// The smallest picture of two runs, in pixels: width and height.
pub const LEAST_PAIR: (f64, f64) = (560.0, 480.0);

/// The names of the two panels.
const NAMES: [&str; 2] = ["before", "after"];

/// Lays out and draws two runs. Smaller sizes are raised to [`LEAST_PAIR`].
pub fn pair(pair: &Pair, options: &DrawOptions) -> Scene {
    let width = options.width.max(LEAST_PAIR.0).round();
    let height = options.height.max(LEAST_PAIR.1).round();
    let line = width - 2.0 * MARGIN;
    let heading = heading(pair, options);
    let lines = HeadingLines::new(&heading, line, height);
    let notes = match pair.notes.is_empty() {
        true => Vec::new(),
        false => wrap(&labels::visible_text(&pair.notes.join(" · ")), NOTES_SIZE, line, 2),
    };
    let top = lines.height - 4.0;
    let room = height - top - notes.len() as f64 * NOTES_LINE - MARGIN / 2.0;

    let before = &pair.sides[0].chart;
    let looks = Looks {
        paints: colour::layer_paints(before, options.palette),
        ids: labels::ids(&before.layers),
    };
    let inner = PixelFrame { left: MARGIN, top, right: width - MARGIN, bottom: top + room };
    let places = PairLayout::new(pair, options, &looks, inner);

    let mut items = vec![background(width, height), lines.group().into()];
    items.extend(panels(pair, options, &looks, &places).map(Item::Group));
    items.extend(places.table.group(places.table_at).map(Item::Group));
    items.extend(notes_group(&notes, height).map(Item::Group));
    Scene {
        width,
        height,
        title: labels::visible_text(&pair.title),
        description: description(pair),
        source: None,
        items,
    }
}

fn heading(pair: &Pair, options: &DrawOptions) -> HeadingWords {
    let facts = pair.facts.iter().map(|fact| Fact::new(1, fact)).collect();
    HeadingWords::of((Some(&pair.headline), pair.mark), &pair.title, facts, options)
}

/// The paints and ids of layers, the same in both runs.
struct Looks {
    paints: Vec<Paint>,
    ids: Vec<String>,
}

impl Looks {
    /// The looks of the layers of one run.
    fn of(&self, side: &PairSide, name: &str, options: &DrawOptions) -> Vec<LayerLook> {
        let ids = self.ids.iter().map(|id| format!("{name}-{id}")).collect();
        LayerLook::all(&side.chart, options.units, &self.paints, ids)
    }

    /// The parts of a plot of one run.
    fn parts<'p>(
        &self,
        side: &'p PairSide,
        name: &str,
        facts: &[String],
        options: &'p DrawOptions,
    ) -> PictureParts<'p> {
        let heading = HeadingWords::new(&side.chart, facts, options);
        // Notes about what is not shown appear once for both runs.
        let sampling = Sampling::new(&side.chart, options);
        PictureParts::of(sampling, self.of(side, name, options), heading, &[])
    }
}

/// Where the panels and the table of changes are.
struct PairLayout {
    table: Key,
    table_at: Point,
    /// The upper edge of the first panel.
    top: f64,
    width: f64,
    height: f64,
}

impl PairLayout {
    /// Places them between heading and notes: the table next to the panels, or below them in a narrow
    /// picture.
    fn new(pair: &Pair, options: &DrawOptions, looks: &Looks, inner: PixelFrame) -> Self {
        let (top, width) = (inner.top, inner.right + MARGIN);
        if width >= NARROW {
            let beside = width - DrawOptions::WIDTHS.start() - MARGIN - TABLE_GAP;
            let most = (TABLE_SHARE * width).min(beside) / WIDENED;
            let room = KeyRoom { width: most, height: inner.height() - MARGIN };
            let table = table(pair, options, looks, room);
            let table_at = Point { x: inner.right - table.width, y: top + MARGIN };
            let width = inner.right - table.width - TABLE_GAP;
            PairLayout { table, table_at, top, width, height: inner.height() }
        } else {
            let height = inner.height();
            let most = (height - 2.0 * DrawOptions::HEIGHTS.start()).min(height / 2.0);
            let needed = (pair.changes.len() + 1) as f64 * TABLE_ROW;
            let room = KeyRoom { width: inner.right - inner.left, height: most.min(needed) };
            let table = table(pair, options, looks, room);
            let table_at = Point { x: MARGIN, y: inner.bottom - table.height - MARGIN / 2.0 };
            let height = height - table.height - MARGIN;
            PairLayout { table, table_at, top, width, height }
        }
    }
}

/// The table of how each band changed.
fn table(pair: &Pair, options: &DrawOptions, looks: &Looks, room: KeyRoom) -> Key {
    let rows = pair.changes.iter();
    let rows = rows.map(|row| vec![row.before.clone(), row.after.clone(), row.change.clone()]);
    let figures = KeyTable { heads: vec!["before", "after", "change"], rows: rows.collect() };
    let [before, after] = &pair.sides;
    // What grows in the run after has the arrow.
    let bands = KeyLayers {
        chart: &after.chart,
        options,
        looks: &looks.of(before, NAMES[0], options),
        unit: None,
    };
    Key::table(&bands, figures, room)
}

/// The panels of both runs, which have one size and scale, and together fill the given height.
fn panels(pair: &Pair, options: &DrawOptions, looks: &Looks, places: &PairLayout) -> [Group; 2] {
    let mut shared = DrawOptions {
        width: places.width,
        // Lines of the run-time system would dwarf the bands in both.
        heap_lines: HeapLines::None,
        key: KeyPlace::None,
        heading: TitleOptions { title: Heading::None, subtitle: Heading::Auto },
        ..options.clone()
    };
    let scales = [0, 1].map(|i| common_scale([&pair.sides[i].chart], &shared));
    shared.scale = scales[0].joined(scales[1]);
    let mut height = (places.height / 2.0 + OVERLAP).floor();
    let mut parts = [0, 1].map(|i| {
        let mut facts = pair.sides[i].words.clone();
        if let Some(first) = facts.first_mut() {
            *first = format!("{}: {first}", NAMES[i]);
        }
        looks.parts(&pair.sides[i], NAMES[i], &facts, &shared)
    });
    let mut layouts = |height: f64| {
        parts.iter_mut().for_each(|parts| parts.set_height(height));
        [0, 1].map(|i| Layout::new(&parts[i]))
    };
    let mut laid_out = layouts(height);
    // The margin under a panel without notes is free.
    if laid_out.iter().any(|layout| !layout.notes.is_empty()) {
        height = (places.height / 2.0).floor();
        laid_out = layouts(height);
    }
    [0, 1].map(|i| {
        let mut group = Group::new(NAMES[i]);
        group.items = foreground(&parts[i], &laid_out[i]);
        let tops = [i, 1 - i].map(|i| scales[i].heap_max);
        group
            .items
            .extend(enlarged(pair, looks, i, (tops, &shared), &laid_out[i]).map(Item::Group));
        let down = places.top + i as f64 * (places.height - height);
        group.items.iter_mut().for_each(|item| shift(item, down));
        group
    })
}

/// An inset over a run whose own scale is far below that of the other; `None` if it is not.
fn enlarged(
    pair: &Pair,
    looks: &Looks,
    i: usize,
    ([own, other], shared): ([Option<Bytes>; 2], &DrawOptions),
    panel: &Layout,
) -> Option<Group> {
    let times = other?.get() as f64 / own?.get().max(1) as f64;
    if times < LOW {
        return None;
    }
    let options = DrawOptions {
        scale: Scale { heap_max: own, ..shared.scale },
        markers: MarkerChoice { pattern: MarkerPattern::None, ..MarkerChoice::default() },
        ..shared.clone()
    };
    let id = format!("{}-enlarged", NAMES[i]);
    inset(&looks.parts(&pair.sides[i], &id, &[], &options), panel, times)
}

/// A run that is a line on the floor of a panel, enlarged in the free part of the panel above it.
fn inset(parts: &PictureParts<'_>, panel: &Layout, times: f64) -> Option<Group> {
    let mut layout = Layout::new(parts);
    let labels = layout.plot.left - MARGIN;
    let PixelFrame { left, top, right, bottom } = panel.plot;
    let floor = (bottom - top) / LOW;
    let frame = PixelFrame {
        left: left + labels + 2.0 * INSET_GAP,
        top: top + INSET_HEAD,
        right: right - 3.0 * INSET_GAP,
        bottom: bottom - floor - INSET_FOOT,
    };
    if frame.height() < LEAST_INSET {
        return None;
    }
    layout.plot = frame;
    layout.time = parts.sampling.time.clone().with_ticks(
        parts.sampling.chart,
        frame.right - frame.left,
        AXIS_SIZE,
    );
    layout.time.title = "".into();
    layout.values = ValueAxis::of_plot(&parts.sampling, frame.height());
    let mut group = Group::new("enlarged");
    let edge = |inset: f64, fill: Role| Rectangle {
        at: Point { x: left + INSET_GAP + inset, y: top + inset },
        width: right - left - 2.0 * (INSET_GAP + inset),
        height: bottom - top - floor - 2.0 * inset - INSET_GAP,
        radius: 0.0,
        fill: fill.into(),
    };
    group.items.push(edge(0.0, Role::Axis).into());
    group.items.push(edge(1.0, Role::Background).into());
    group.items.extend(stack_plot::draw(parts, &layout));
    // A stack that is thinner than a line is drawn as one.
    let chart = parts.sampling.chart;
    let ends = [chart.censuses.start, chart.censuses.end.checked_sub(1)?].map(|sample| {
        let place = panel.time.of_sample(chart, sample);
        Point { x: left + panel.time.pixels(place, right - left), y: bottom - 1.0 }
    });
    let stroke = Stroke::new(Role::Text, 2.0);
    if bottom - top < stroke.width * times {
        group.items.push(Line { points: ends.into(), stroke }.into());
    }
    // The labels of its own axis of bytes make it narrower than the panel.
    let words = format!("enlarged {times:.0} times, with its own axis of time");
    let (x, y) = (frame.right, frame.top - 12.0);
    let words = Text::new(x, y, AXIS_SIZE, Role::Text, words).anchored(Anchor::End);
    group.items.push(words.into());
    Some(group)
}

fn shift(item: &mut Item, down: f64) {
    let points = |points: &mut [Point]| points.iter_mut().for_each(|point| point.y += down);
    match item {
        Item::Group(group) => group.items.iter_mut().for_each(|item| shift(item, down)),
        Item::Area(Area { points: corners, .. }) => points(corners),
        Item::Line(Line { points: places, .. }) => points(places),
        Item::Rectangle(rectangle) => rectangle.at.y += down,
        Item::Text(text) => text.at.y += down,
    }
}

fn description(pair: &Pair) -> String {
    let [before, after] = &pair.sides;
    let facts: Vec<String> = pair.facts.iter().map(|fact| labels::visible_text(fact)).collect();
    format!(
        "Live heap over time of two runs. Before: {}. After: {}. {}.",
        labels::visible_text(&before.words.join(", ")),
        labels::visible_text(&after.words.join(", ")),
        facts.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::pair::{ChangeWords, charts};
    use crate::chart::testing::Recipe;
    use crate::slice::Slice;

    fn of(sizes: [u64; 2], samples: [usize; 2]) -> Pair {
        let profiles = [0, 1].map(|side| {
            Recipe::of(3, samples[side]).profile(|band, _| sizes[side] * (band as u64 + 1))
        });
        let slices = [Slice::whole(&profiles[0]), Slice::whole(&profiles[1])];
        let bands: Vec<String> = slices[0].rows().map(|row| slices[0].identity(row)).collect();
        let [before, after] = charts([&slices[0], &slices[1]], &bands);
        let change = |i: usize| ChangeWords {
            before: format!("{i} KiB"),
            after: format!("{i} MiB"),
            change: "~".to_owned(),
        };
        Pair {
            title: "a -> b".to_owned(),
            headline: "the leak is gone".into(),
            mark: None,
            facts: vec!["peak ~".to_owned()],
            notes: Vec::new(),
            sides: [
                PairSide { words: vec!["a".to_owned()], chart: before },
                PairSide { words: vec!["b".to_owned()], chart: after },
            ],
            changes: (0..3).map(change).collect(),
        }
    }

    fn bands<'s>(items: &'s [Item], out: &mut Vec<(&'s str, &'s Area)>) {
        for item in items {
            let Item::Group(group) = item else { continue };
            match (group.class, &group.id, group.items.first()) {
                ("band", Some(id), Some(Item::Area(area))) => out.push((id, area)),
                (_, _, _) => bands(&group.items, out),
            }
        }
    }

    #[test]
    fn both_runs_share_scale_order_and_colours() {
        let scene = pair(&of([1000, 250], [50, 25]), &DrawOptions::default());
        let mut found = Vec::new();
        bands(&scene.items, &mut found);
        assert_eq!(found.len(), 6);
        let (before, after) = found.split_at(3);
        let extent = |area: &Area| {
            let of = |value: fn(&Point) -> f64| {
                let all = || area.points.iter().map(value);
                all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min)
            };
            (of(|p| p.x), of(|p| p.y))
        };
        for ((a_id, a), (b_id, b)) in before.iter().zip(after) {
            assert_eq!(a_id.replace("before", "after"), *b_id);
            assert_eq!(a.fill, b.fill);
            let ((a_width, a_height), (b_width, b_height)) = (extent(a), extent(b));
            assert!((a_height / b_height - 4.0).abs() < 0.05, "{a_height} {b_height}");
            // From the first sample to the last there are 49 and 24 steps.
            assert!((a_width / b_width - 49.0 / 24.0).abs() < 0.01, "{a_width} {b_width}");
        }
    }

    #[test]
    fn a_run_far_below_the_other_is_enlarged_above_itself() {
        for (after, enlarged) in [(130, false), (120, true)] {
            let options = DrawOptions { height: 760.0, ..DrawOptions::default() };
            let scene = pair(&of([1000, after], [50, 50]), &options);
            let text = crate::picture::svg(&scene, &crate::picture::SvgOptions::default());
            assert_eq!(text.contains("enlarged 8 times, with its own axis of time"), enlarged);
            assert!(text.contains("the leak is gone"));
            let mut found = Vec::new();
            bands(&scene.items, &mut found);
            assert_eq!(found.len(), if enlarged { 9 } else { 6 });
            let top = |area: &Area| area.points.iter().map(|p| p.y).fold(f64::MAX, f64::min);
            let foot = |area: &Area| area.points.iter().map(|p| p.y).fold(0.0, f64::max);
            let height = |at: usize| foot(found[at].1) - top(found[at].1);
            let share = height(3) / height(0);
            assert!((share - f64::from(after as u32) / 1000.0).abs() < 0.02, "{share}");
            if enlarged {
                assert!(height(6) > 3.0 * height(3), "{}", height(6));
                assert_eq!(found[6].1.fill, found[3].1.fill);
            }
        }
    }
}
