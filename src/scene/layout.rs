//! Where everything goes: heading, plot, key, notes, from the outside in.

use super::axis::{HeapAxis, TimeAxis};
use super::key::{self, Key};
use super::marks::{self, Marks};
use super::text::{Weight, elide, width, wrap};
use super::{Paint, Point, SceneOptions, colour, words};
use crate::chart::Chart;
use crate::error::visible;

/// Room at the edges of the picture, in pixels.
pub const MARGIN: f64 = 16.0;
/// Font sizes in pixels.
pub const TITLE_SIZE: f64 = 16.0;
/// The line of facts under the title.
pub const FACTS_SIZE: f64 = 12.0;
/// Tick labels and axis titles.
pub const AXIS_SIZE: f64 = 11.0;
/// Notes at the bottom.
pub const NOTES_SIZE: f64 = 11.0;

/// The distance between two lines of notes.
pub const NOTES_LINE: f64 = 15.0;
/// From the plot to tick labels beside it.
pub const TICK_GAP: f64 = 8.0;
/// What the vertical axis counts.
pub const HEAP_TITLE: &str = "live heap";

const FACTS_BASELINE: f64 = 50.0;
const HEADING: f64 = 62.0;
/// Room under the plot for tick labels and the axis title.
const FOOT: f64 = 40.0;
const MOST_NOTES: usize = 3;
const KEY_GAP: f64 = 22.0;
const KEY_SHARE: f64 = 0.32;
const LEAST: (f64, f64) = (320.0, 200.0);
const MOST: f64 = 20_000.0;

/// A rectangle between two corners, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

/// A picture's parts and places.
pub struct Layout {
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// The heading, and its base line.
    pub title: (String, f64),
    /// The line below it, and its base line.
    pub facts: (String, f64),
    /// Lines at the bottom, and the base line of the first.
    pub notes: (Vec<String>, f64),
    /// The area between the axes.
    pub plot: Frame,
    /// The axes.
    pub time: TimeAxis,
    /// The vertical axis.
    pub heap: HeapAxis,
    /// The markers.
    pub marks: Marks,
    /// The key, and its upper left corner.
    pub key: (Key, Point),
    /// The paint of each layer.
    pub paints: Vec<Paint>,
    /// The id of each layer.
    pub ids: Vec<String>,
}

impl Layout {
    /// Lays out a chart.
    pub fn new(chart: &Chart, options: &SceneOptions) -> Self {
        let whole = |wish: f64, least: f64| {
            if wish.is_finite() { wish.clamp(least, MOST).round() } else { least }
        };
        let picture_width = whole(options.width, LEAST.0);
        let wished = whole(options.height, LEAST.1);
        let line = picture_width - 2.0 * MARGIN;

        let notes_of = |extra: Option<String>| {
            let mut notes: Vec<String> = chart.notes.iter().map(|note| visible(note)).collect();
            notes.extend(extra);
            match notes.is_empty() {
                true => Vec::new(),
                false => wrap(&notes.join(" · "), NOTES_SIZE, line, MOST_NOTES),
            }
        };
        // Which markers fit is known last, so room is made for the longest note about them.
        let notes_height = notes_of(Marks::longest_note(chart)).len() as f64 * NOTES_LINE;

        let around = HEADING + FOOT + notes_height + MARGIN;
        let height = wished
            .max((around + key::least_height(chart)).ceil())
            .min(whole(options.max_height, LEAST.1).max(wished));

        let paints = colour::layer_paints(chart, options.palette);
        let ids = words::ids(&chart.layers);
        let room = (KEY_SHARE * picture_width, height - around);
        let key = Key::new(chart, &paints, &ids, room);

        let heap = HeapAxis::new(chart, height - around);
        let labels = heap.ticks.iter().map(|tick| tick.label.as_str()).chain([HEAP_TITLE]);
        let label_width =
            labels.map(|label| width(label, AXIS_SIZE, Weight::Regular)).fold(0.0, f64::max);
        let left = (MARGIN + label_width + TICK_GAP).ceil();
        let key_left = picture_width - MARGIN - key.width;
        let right = if key.width > 0.0 { key_left - KEY_GAP } else { key_left - MARGIN };
        let time = TimeAxis::new(chart, right - left, AXIS_SIZE);
        let marks = Marks::new(chart, &time, right - left, right + MARGIN - 4.0 - left);

        let plot = Frame {
            left,
            top: HEADING + 8.0 + marks.rows.max(1) as f64 * marks::ROW,
            right,
            bottom: height - MARGIN - notes_height - FOOT,
        };
        let notes = notes_of(marks.note());
        let notes_top = height - MARGIN - (notes.len().max(1) - 1) as f64 * NOTES_LINE;
        let title = visible(&chart.title);
        let facts = chart.facts.iter().map(|fact| visible(fact)).collect::<Vec<_>>().join(" · ");
        Layout {
            width: picture_width,
            height,
            title: (elide(&title, TITLE_SIZE, Weight::Bold, line), MARGIN + 14.0),
            facts: (elide(&facts, FACTS_SIZE, Weight::Regular, line), FACTS_BASELINE),
            notes: (notes, notes_top),
            plot,
            time,
            heap,
            marks,
            // Its heading stands level with the title of the vertical axis.
            key: (key, Point { x: key_left, y: HEADING - 4.0 }),
            paints,
            ids,
        }
    }
}
