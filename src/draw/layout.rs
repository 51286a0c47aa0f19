//! Decides where heading, plot, key and notes are, from the outside in.
//!
//! The parts of a picture are laid out perhaps several times: with the key in one place or the other, and
//! with less and less of what a low picture can do without.

use super::heading::{HeadingLines, MARGIN};
use super::key::{Key, KeyRoom};
use super::marks::{self, Marks};
use super::options::KeyPlace;
use super::parts::PictureParts;
use super::plotters::{AXIS_SIZE, PixelFrame, TICK_GAP};
use super::time_axis::TimeAxis;
use super::value_axis::ValueAxis;
use crate::chart::columns::Columns;
use crate::picture::text_width::{FontWeight, elide, width, wrap};
use crate::picture::{Anchor, Group, Point, Role, Text};

/// The font size of notes at the bottom, in pixels.
pub const NOTES_SIZE: f64 = 11.0;

/// The distance between two lines of notes.
pub const NOTES_LINE: f64 = 15.0;

/// The height of the tick labels below the plot, and of the axis title where that is not beside them, under the key.
const FOOT: f64 = 24.0;
const TITLE: f64 = 16.0;
const KEY_GAP: f64 = 22.0;
const KEY_SHARE: f64 = 0.265;
/// The height of the row above the plot: the title of its axis, names of markers, headings of the key.
const ABOVE: f64 = marks::ROW + 4.0;
const KEY_ABOVE: f64 = 8.0;
/// A key beside the plot leaves it this part of the picture's width, or moves below.
const LEAST_WIDTH: f64 = 0.5;
/// The key does not move below if less than this part of the plot's height would be left.
const LEAST_LEFT: f64 = 0.6;
/// If the plot would be lower than this, the picture grows.
const LEAST_PLOT: f64 = 64.0;

/// Where the parts of a picture are.
pub struct Layout {
    pub picture: PixelFrame,
    pub heading: HeadingLines,
    pub notes: Vec<String>,
    /// The area between the axes; it has no height if there are only panels.
    pub plot: PixelFrame,
    /// The horizontal axis, with ticks.
    pub time: TimeAxis,
    pub values: ValueAxis,
    pub marks: Marks,
    /// The frames of the panels, from top to bottom.
    pub panels: Vec<PixelFrame>,
    pub key: Key,
    /// The upper left corner of the key.
    pub key_at: Point,
    /// The bar that stands for a single sample.
    bar: Option<Columns<'static>>,
    tight: Tightness,
    /// Whether the key is beside the plot.
    is_beside: bool,
}

struct Around {
    tight: Tightness,
    heading: HeadingLines,
    /// The height of the axis and the panels below the plot.
    foot: f64,
    key: Key,
    place: KeyPlace,
    notes: f64,
}

impl Around {
    /// The height of the key below the plot.
    fn key_below(&self) -> f64 {
        let is_below = self.place == KeyPlace::Below && self.key.height > 0.0;
        if is_below { self.key.height + KEY_ABOVE } else { 0.0 }
    }

    /// The height of everything below the plot.
    fn under(&self) -> f64 {
        self.foot + self.key_below() + self.notes + MARGIN
    }

    /// The height that is not the plot's, except for the markers.
    fn height(&self) -> f64 {
        self.heading.height + self.under()
    }
}

impl Layout {
    /// Lays out a picture in the size that the options say. In a low picture, other parts give way to
    /// the plot one after the other.
    pub fn new(parts: &PictureParts<'_>) -> Self {
        let options = parts.sampling.options;
        let place = options.key_place();
        let layout = Layout::fitting(parts, place);
        let may_move = options.key == KeyPlace::Auto && place == KeyPlace::Right;
        let is_narrow = layout.plot.right - layout.plot.left < LEAST_WIDTH * parts.size.width;
        if !may_move || !layout.key.is_cut() && !is_narrow {
            return layout;
        }
        let below = Layout::fitting(parts, KeyPlace::Below);
        let is_high_enough = below.plot.height() >= LEAST_LEFT * layout.plot.height();
        let says_more = is_narrow || below.key.says_much_more_than(&layout.key);
        let is_better = below.tight == layout.tight && says_more;
        if is_better && is_high_enough { below } else { layout }
    }

    /// The first layout that is not too high.
    fn fitting(parts: &PictureParts<'_>, place: KeyPlace) -> Self {
        let mut layout = Layout::at(parts, Tightness::Roomy, place);
        for tight in Tightness::ALL.into_iter().skip(1) {
            if layout.picture.bottom <= parts.size.too_high_above {
                break;
            }
            layout = Layout::at(parts, tight, place);
        }
        layout
    }

    fn at(parts: &PictureParts<'_>, tight: Tightness, place: KeyPlace) -> Self {
        let has_key = tight != Tightness::NoKey && Key::entries(&parts.sampling) > 0;
        let place = if has_key { place } else { KeyPlace::None };
        let size = &parts.size;
        let notes = lines_of_notes(parts, tight).len() as f64 * NOTES_LINE;
        let mut around = Around {
            tight,
            heading: match tight {
                Tightness::NoKey => HeadingLines::none(),
                Tightness::NoFacts => HeadingLines::without_facts(&parts.heading, size.line()),
                Tightness::Roomy => HeadingLines::new(&parts.heading, size.line(), size.height),
            },
            foot: match place {
                KeyPlace::Right => FOOT,
                KeyPlace::Auto | KeyPlace::Below | KeyPlace::None => FOOT + TITLE,
            } + parts.panels.height(size.panel),
            key: Key::default(),
            place,
            notes,
        };
        let taken = around.height();
        let height = match place {
            KeyPlace::Below => {
                let growth = (size.limit - size.height).max((size.height - taken) / 2.0);
                let left = size.limit - taken - LEAST_PLOT - ABOVE;
                let room = KeyRoom { width: size.line(), height: growth.min(left) - KEY_ABOVE };
                around.key = Key::new(parts, place, room);
                (size.height + around.key_below()).min(size.limit).ceil()
            }
            KeyPlace::Auto | KeyPlace::Right | KeyPlace::None => {
                let least = (taken + ABOVE + Key::least_height(parts, place)).ceil();
                let height = size.height.max(least).min(size.limit);
                let room =
                    KeyRoom { width: KEY_SHARE * size.width, height: height - taken - ABOVE };
                around.key = Key::new(parts, place, room);
                height
            }
        };
        Layout::of_plot(parts, around, height)
    }

    /// Places the plot in a picture of this height, which grows if the plot would be too low.
    fn of_plot(parts: &PictureParts<'_>, around: Around, height: f64) -> Self {
        let (sampling, size) = (&parts.sampling, &parts.size);
        let chart = sampling.chart;
        let values = ValueAxis::of_plot(sampling, height - around.height());
        let left = (MARGIN + width_of_labels(parts, &values) + TICK_GAP).ceil();
        let beside = if around.place == KeyPlace::Right { around.key.width } else { 0.0 };
        let key_left = size.width - MARGIN - beside;
        let right = if beside > 0.0 { key_left - KEY_GAP } else { key_left - MARGIN };
        let time = sampling.time.clone().with_ticks(chart, right - left, AXIS_SIZE);
        let time = time.with_unit_in_title();
        let marks = Marks::new(chart, &sampling.options.markers, &time, right - left);

        let top = around.heading.height + ABOVE;
        let under = around.under();
        let height = match parts.has_plot() {
            true => height.max((top + LEAST_PLOT + under).ceil()),
            false => (top + under).ceil(),
        };
        let plot = PixelFrame { left, top, right, bottom: height - under };
        let mut key = around.key;
        if around.place == KeyPlace::Right {
            key.place(plot, values.top);
        }
        Layout {
            picture: PixelFrame { left: 0.0, top: 0.0, right: size.width, bottom: height },
            key_at: match around.place {
                KeyPlace::Auto | KeyPlace::Right | KeyPlace::None => {
                    Point { x: key_left, y: plot.top }
                }
                KeyPlace::Below => Point { x: MARGIN, y: plot.bottom + around.foot },
            },
            heading: around.heading,
            notes: lines_of_notes(parts, around.tight),
            panels: parts.panels.frames(plot, size.panel),
            bar: chart.peak().filter(|_| time.is_single(chart)).map(|peak| {
                let place = time.of_sample(chart, peak.sample);
                Columns::bar(chart, peak.sample, time.bar(place, right - left))
            }),
            plot,
            time,
            values,
            marks,
            key,
            tight: around.tight,
            is_beside: around.place == KeyPlace::Right,
        }
    }

    /// What is drawn of the bands.
    pub fn columns<'l>(&'l self, parts: &'l PictureParts<'_>) -> &'l Columns<'l> {
        self.bar.as_ref().unwrap_or_else(|| parts.sampling.columns())
    }

    /// Whether there is a plot of bands, rather than panels in its place.
    pub fn plot_is_shown(&self) -> bool {
        self.plot.bottom > self.plot.top
    }

    /// The title of the time axis, under the lowest plot, which ends at `bottom`, or under the key beside it.
    pub fn time_title(&self, bottom: f64) -> Text {
        let title = |x: f64, y: f64, text: &str| Text::new(x, y, AXIS_SIZE, Role::Muted, text);
        let room = self.picture.right - MARGIN - self.key_at.x;
        if self.is_beside && room > 0.0 {
            let words = elide(&self.time.title, AXIS_SIZE, FontWeight::Regular, room);
            return title(self.key_at.x, bottom + 17.0, &words);
        }
        let middle = f64::midpoint(self.plot.left, self.plot.right);
        title(middle, bottom + 34.0, &self.time.title).anchored(Anchor::Middle)
    }

    /// The markers, if there is no plot of bands for them to be drawn in.
    pub fn marks_above_panels(&self) -> impl Iterator<Item = Group> {
        let PixelFrame { left, right, .. } = self.plot;
        self.marks.marks.iter().map(move |mark| {
            let x = left + self.time.pixels(mark.time, right - left);
            mark.group(self.plot, x)
        })
    }

    pub fn notes(&self) -> Option<Group> {
        notes_group(&self.notes, self.picture.bottom)
    }
}

/// The notes, one a line, at the bottom of a picture that is `height` pixels high; `None` without notes.
pub fn notes_group(notes: &[String], height: f64) -> Option<Group> {
    let last = notes.len().checked_sub(1)?;
    let mut group = Group::new("notes");
    let top = height - MARGIN - last as f64 * NOTES_LINE;
    for (i, note) in notes.iter().enumerate() {
        let y = top + i as f64 * NOTES_LINE;
        group.items.push(Text::new(MARGIN, y, NOTES_SIZE, Role::Muted, &**note).into());
    }
    Some(group)
}

/// The width of the texts next to the vertical axes.
fn width_of_labels(parts: &PictureParts<'_>, values: &ValueAxis) -> f64 {
    let axes = parts.panels.panels.iter().map(|panel| &panel.axis).chain([values]);
    let labels = axes.flat_map(|axis| axis.ticks.iter().map(|tick| tick.label.as_str()));
    let widths =
        labels.chain([&*values.title]).map(|text| width(text, AXIS_SIZE, FontWeight::Regular));
    widths.fold(0.0, f64::max)
}

/// The notes, in as many lines as the picture has room for.
fn lines_of_notes(parts: &PictureParts<'_>, tight: Tightness) -> Vec<String> {
    fitting(parts.notes.clone(), parts.size.line(), usize::from(tight == Tightness::Roomy))
}

/// As many complete notes as fit into this many lines.
fn fitting(mut notes: Vec<String>, line: f64, most: usize) -> Vec<String> {
    while !notes.is_empty() && most > 0 {
        let lines = wrap(&notes.join(" · "), NOTES_SIZE, line, most + 1);
        if lines.len() <= most {
            return lines;
        }
        if notes.len() == 1 {
            return wrap(&notes[0], NOTES_SIZE, line, most);
        }
        notes.pop();
    }
    Vec::new()
}

/// How much a low picture leaves out; each level drops one more part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Roomy,
    /// The facts below the title, and notes.
    NoFacts,
    /// The key, and the heading.
    NoKey,
}

impl Tightness {
    const ALL: [Tightness; 3] = [Tightness::Roomy, Tightness::NoFacts, Tightness::NoKey];
}
