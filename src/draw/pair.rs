//! Draws two runs in one picture: the run before above the run after, on one scale, with the same
//! order and colours, and beside them how each band changed.

use super::heading::{HeadingLines, MARGIN};
use super::key::{Key, WIDENED};
use super::layout::{Layout, NOTES_LINE, NOTES_SIZE};
use super::options::{DrawOptions, Heading, HeapLines, KeyPlace, SameScale, TitleOptions};
use super::recorder::Recorder;
use super::{colour, common_scale, plot, words};
use crate::chart::Chart;
use crate::chart::pair::{Pair, Side, Stretch};
use crate::picture::text::wrap;
use crate::picture::{Area, Group, Item, Line, Paint, Point, Rectangle, Role, Scene, Text};

/// The greatest share of the width for the column of changes.
const TABLE_SHARE: f64 = 0.42;
const TABLE_GAP: f64 = 8.0;
/// Below this width the changes are below the panels, in pixels.
const NARROW: f64 = 720.0;
/// The height of a row of changes there.
const TABLE_ROW: f64 = 17.0;
/// How far a panel extends into the margin of the one above it, in pixels.
const OVERLAP: f64 = 12.0;

/// The smallest picture of two runs, in pixels: width and height.
pub const LEAST_PAIR: (f64, f64) = (560.0, 480.0);

/// Lays out and draws two runs. Smaller sizes are raised to [`LEAST_PAIR`].
pub fn pair(pair: &Pair, options: &DrawOptions) -> Scene {
    let width = options.width.max(LEAST_PAIR.0).round();
    let height = options.height.max(LEAST_PAIR.1).round();
    let line = width - 2.0 * MARGIN;
    let title = match &options.heading.title {
        Heading::Auto => Some(pair.title.as_str()),
        Heading::Text(text) => Some(text.as_str()),
        Heading::None => None,
    };
    let heading = HeadingLines::of_pair(title, &pair.facts, line);
    let notes = wrap(&words::shown(&pair.notes.join(" · ")), NOTES_SIZE, line, 2);
    let notes_height = if pair.notes.is_empty() { 0.0 } else { notes.len() as f64 * NOTES_LINE };

    let before = &pair.sides[0].chart;
    let paints = colour::layer_paints(before, options.palette);
    let ids = words::ids(&before.layers);
    let top = heading.height - 4.0;
    let room = height - top - notes_height - MARGIN / 2.0;
    let (table, table_at, panel_width, room) = match width < NARROW {
        false => {
            let beside = width - DrawOptions::WIDTHS.start() - MARGIN - TABLE_GAP;
            let most = (TABLE_SHARE * width).min(beside) / WIDENED;
            let table = table(pair, options, (&paints, &ids), (most, room - MARGIN));
            let at = Point { x: width - MARGIN - table.width, y: top + MARGIN };
            let panel_width = width - table.width - MARGIN - TABLE_GAP;
            (table, at, panel_width, room)
        }
        true => {
            let most = (room - 2.0 * DrawOptions::HEIGHTS.start()).min(TABLE_SHARE * room);
            let needed = (pair.changes.len() + 1) as f64 * TABLE_ROW;
            let table = table(pair, options, (&paints, &ids), (line, most.min(needed)));
            let at = Point { x: MARGIN, y: top + room - table.height - MARGIN / 2.0 };
            let room = room - table.height - MARGIN;
            (table, at, width, room)
        }
    };
    let panels = panels(pair, options, panel_width, room);

    let mut recorder = Recorder::new(width, height);
    recorder.push(Rectangle {
        at: Point { x: 0.0, y: 0.0 },
        width,
        height,
        radius: 0.0,
        fill: Role::Background.into(),
    });
    heading.record(&mut recorder);
    for (i, (side, options)) in pair.sides.iter().zip(&panels).enumerate() {
        let down = top + i as f64 * (room - panels[1].height);
        recorder.push(panel(side, options, (&paints, &ids), NAMES[i], down));
    }
    table.record(&mut recorder, table_at);
    if notes_height > 0.0 {
        recorder.group(Group::new("notes"), |recorder| {
            for (i, note) in notes.iter().enumerate() {
                let y = height - MARGIN - (notes.len() - 1 - i) as f64 * NOTES_LINE;
                recorder.push(Text::new(MARGIN, y, NOTES_SIZE, Role::Muted, &**note));
            }
        });
    }
    Scene {
        width,
        height,
        title: title.map_or_else(|| words::shown(&pair.title), words::shown),
        description: description(pair),
        source: None,
        items: recorder.take(),
    }
}

/// The names of the two panels.
const NAMES: [&str; 2] = ["before", "after"];

/// The table of how each band changed.
fn table(
    pair: &Pair,
    options: &DrawOptions,
    (paints, ids): (&[Paint], &[String]),
    room: (f64, f64),
) -> Key {
    let ids: Vec<String> = ids.iter().map(|id| format!("{}-{id}", NAMES[0])).collect();
    let figures: Vec<Vec<String>> = pair
        .changes
        .iter()
        .map(|row| vec![row.before.clone(), row.after.clone(), row.change.clone()])
        .collect();
    let heads = vec!["before", "after", "change"];
    Key::table(&pair.sides[0].chart, options, (paints, &ids), (heads, &figures), room)
}

/// How each panel is drawn: both have one size and scale, and together fill the given height.
fn panels(pair: &Pair, options: &DrawOptions, width: f64, room: f64) -> [DrawOptions; 2] {
    let of = |height: f64| {
        [Stretch::default(), pair.stretch.clone()].map(|stretch| DrawOptions {
            width,
            height,
            max_height: height,
            stretch,
            // Lines of the run-time system would dwarf the bands in both.
            heap_lines: HeapLines::None,
            key: KeyPlace::None,
            heading: TitleOptions { title: Heading::None, subtitle: Heading::Auto },
            ..options.clone()
        })
    };
    let on_one_scale = |mut panels: [DrawOptions; 2]| {
        let scales = [0, 1].map(|i| {
            let chart = &pair.sides[i].chart;
            common_scale([chart], SameScale::Both, &panels[i])
        });
        let scale = scales[0].joined(scales[1]);
        panels.iter_mut().for_each(|panel| panel.scale = scale);
        panels
    };
    let panels = on_one_scale(of((room / 2.0 + OVERLAP).floor()));
    let has_notes = pair.sides.iter().zip(&panels).any(|(side, options)| {
        let chart = Chart { notes: Vec::new(), ..side.chart.clone() };
        !Layout::new(&chart, options).notes.0.is_empty()
    });
    // The margin under a panel without notes is free.
    if has_notes { on_one_scale(of((room / 2.0).floor())) } else { panels }
}

/// A chart without its background, moved down by `down`, with `name` in front of its ids.
fn panel(
    side: &Side,
    options: &DrawOptions,
    (paints, ids): (&[Paint], &[String]),
    name: &'static str,
    down: f64,
) -> Group {
    // Notes about what is not shown appear once for both runs.
    let mut facts = side.words.clone();
    if let Some(first) = facts.first_mut() {
        *first = format!("{name}: {first}");
    }
    let chart = &Chart { notes: Vec::new(), facts, ..side.chart.clone() };
    let mut layout = Layout::new(chart, options);
    layout.paints = paints.to_vec();
    layout.ids = ids.iter().map(|id| format!("{name}-{id}")).collect();
    let mut group = Group::new(name);
    group.items = plot::record(chart, &layout, options).into_iter().skip(1).collect();
    group.items.iter_mut().for_each(|item| shift(item, down));
    group
}

/// Moves an item down.
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
    let facts: Vec<String> = pair.facts.iter().map(|fact| words::shown(fact)).collect();
    format!(
        "Live heap over time of two runs on one scale. Before: {}. After: {}. {}.",
        words::shown(&before.words.join(", ")),
        words::shown(&after.words.join(", ")),
        facts.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::pair::{Change, charts};
    use crate::chart::testing::{Recipe, names, times};
    use crate::slice::Slice;

    fn of(sizes: [u64; 2], samples: [usize; 2]) -> Pair {
        let names = names(3);
        let profiles = [0, 1].map(|side| {
            let times = times(samples[side]);
            Recipe { names: &names, times: &times, ..Recipe::default() }
                .profile(|band, _| sizes[side] * (band as u64 + 1))
        });
        let slices = [Slice::whole(&profiles[0]), Slice::whole(&profiles[1])];
        let bands: Vec<String> = slices[0].rows().map(|row| slices[0].identity(row)).collect();
        let [before, after] = charts([&slices[0], &slices[1]], &bands);
        let change = |i: usize| Change {
            before: format!("{i} KiB"),
            after: format!("{i} MiB"),
            change: "~".to_owned(),
        };
        Pair {
            title: "a -> b".to_owned(),
            facts: vec!["peak ~".to_owned()],
            notes: Vec::new(),
            sides: [
                Side { words: vec!["a".to_owned()], chart: before },
                Side { words: vec!["b".to_owned()], chart: after },
            ],
            changes: (0..3).map(change).collect(),
            stretch: Stretch::default(),
        }
    }

    fn bands<'s>(items: &'s [Item], out: &mut Vec<(&'s str, &'s Area)>) {
        for item in items {
            let Item::Group(group) = item else { continue };
            match (group.class, &group.id, group.items.first()) {
                ("band", Some(id), Some(Item::Area(area))) => out.push((id, area)),
                _ => bands(&group.items, out),
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
    fn a_stretched_run_ends_with_the_other() {
        let mut stretched = of([1000, 250], [50, 25]);
        let ends = |i: usize| {
            let times = &stretched.sides[i].chart.times;
            (times[0], times[times.len() - 1])
        };
        let ((from, to), (after_from, after_to)) = (ends(0), ends(1));
        stretched.stretch = Stretch::through([(after_from, from), (after_to, to)]);
        let scene = pair(&stretched, &DrawOptions::default());
        let mut found = Vec::new();
        bands(&scene.items, &mut found);
        let right = |area: &Area| area.points.iter().map(|p| p.x).fold(0.0, f64::max);
        assert!((right(found[0].1) - right(found[3].1)).abs() < 0.2);
    }
}
