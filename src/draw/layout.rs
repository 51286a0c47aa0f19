//! Decides where heading, plot, key and notes are, from the outside in.

use std::ops::RangeInclusive;

use super::axis::TimeAxis;
use super::frame::Frame;
use super::heading::{HeadingLines, MARGIN};
use super::heap_axis::{self, HeapAxis, Numbers};
use super::key::{self, Key};
use super::marks::{self, Marks};
use super::options::{DrawOptions, KeyPlace, XAxis};
use super::overlay::Overlays;
use super::panels::{self, Panel, Panels};
use super::{colour, heights, shown, words};
use crate::base::units::Nanos;
use crate::chart::Chart;
use crate::chart::columns::Columns;
use crate::incident::error::visible;
use crate::picture::text::{Weight, width, wrap};
use crate::picture::{Anchor, Paint, Point, Role, Text};

/// The font size of tick labels and axis titles, in pixels.
pub const AXIS_SIZE: f64 = 11.0;
/// The font size of notes at the bottom, in pixels.
pub const NOTES_SIZE: f64 = 11.0;

/// The distance between two lines of notes.
pub const NOTES_LINE: f64 = 15.0;
/// The distance from the plot to the tick labels beside it.
pub const TICK_GAP: f64 = 8.0;

/// The height of the tick labels and the axis title below the plot.
const FOOT: f64 = 40.0;
const KEY_GAP: f64 = 22.0;
const KEY_SHARE: f64 = 0.32;
const KEY_ABOVE: f64 = 8.0;
/// The key does not move below if less than this part of the plot's height would be left.
const LEAST_LEFT: f64 = 0.6;
/// If the plot would be lower than this, the picture grows.
const LEAST_PLOT: f64 = 64.0;

/// A picture's parts and places.
pub struct Layout<'a> {
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// What is above the plot.
    pub heading: HeadingLines,
    /// The notes at the bottom, and the base line of the first.
    pub notes: (Vec<String>, f64),
    /// The area between the axes.
    pub plot: Frame,
    /// The axes.
    pub time: TimeAxis,
    /// The vertical axis.
    pub heap: HeapAxis,
    /// The markers.
    pub marks: Marks,
    /// What is drawn of the bands.
    pub columns: Columns<'a>,
    /// The run-time system's own figures.
    pub overlays: Overlays,
    /// The panels about the run-time system, from top to bottom, each with its place.
    pub panels: Vec<(Panel, Frame)>,
    /// The key, and its upper left corner.
    pub key: (Key, Point),
    /// The paint of each layer.
    pub paints: Vec<Paint>,
    /// The id of each layer.
    pub ids: Vec<String>,
}

impl<'a> Layout<'a> {
    /// Lays out a chart in the size that the options say. In a low picture, other parts give way to
    /// the plot one after the other.
    pub fn new(chart: &'a Chart, options: &DrawOptions) -> Self {
        let place = options.key_place();
        let (tight, layout) = Layout::fitting(chart, options, place);
        let may_move = options.key == KeyPlace::Auto && place == KeyPlace::Right;
        if !may_move || !layout.key.0.is_cut() {
            return layout;
        }
        let (tighter, below) = Layout::fitting(chart, options, KeyPlace::Below);
        let is_high_enough = below.plot.height() >= LEAST_LEFT * layout.plot.height();
        let is_better = tighter == tight && below.key.0.says_much_more_than(&layout.key.0);
        if is_better && is_high_enough { below } else { layout }
    }

    /// The first layout that is not too high.
    fn fitting(chart: &'a Chart, options: &DrawOptions, place: KeyPlace) -> (Tightness, Self) {
        let limit = options.height.max(options.max_height);
        let limit = limit.max(*DrawOptions::HEIGHTS.start()).ceil();
        let mut tight = Tightness::Roomy;
        let mut layout = Layout::with(chart, options, tight, place);
        for tighter in Tightness::ALL.into_iter().skip(1) {
            if layout.height <= limit {
                break;
            }
            tight = tighter;
            layout = Layout::with(chart, options, tight, place);
        }
        (tight, layout)
    }

    fn with(
        chart: &'a Chart,
        options: &DrawOptions,
        tight: Tightness,
        key_place: KeyPlace,
    ) -> Self {
        let whole = |wish: f64, bounds: RangeInclusive<f64>| match wish.is_finite() {
            true => wish.clamp(*bounds.start(), *bounds.end()).round(),
            false => *bounds.start(),
        };
        let picture_width = whole(options.width, DrawOptions::WIDTHS);
        let wished = whole(options.height, DrawOptions::HEIGHTS);
        let limit = whole(options.max_height, DrawOptions::HEIGHTS).max(wished);
        let line = picture_width - 2.0 * MARGIN;

        let key_place = match tight {
            Tightness::NoKey => KeyPlace::None,
            _ => key_place,
        };
        let time = TimeAxis::new(chart, options);
        let mut columns = shown::columns(chart, &time, options);
        let overlays = Overlays::new(chart, &columns, &time, options);
        let source = panels::PanelInput { chart, columns: &columns, time: &time, options };
        let panels = Panels::new(&source);
        let panel = panels.height_of_one(limit);
        // Panels make the picture higher, unless the height was given.
        let wished = (wished + panels.height(panel)).min(limit).round();
        let has_range = heights::has_range(&columns, options.view);
        let about_axis = axis_note(chart, &time);
        let notes_of = |markers: Option<String>| {
            let mut notes: Vec<String> = chart.notes.iter().map(|note| visible(note)).collect();
            notes.extend(shown::caption(&columns, has_range));
            notes.extend(cut_note(chart, (&columns, &overlays), options));
            notes.extend(overlays.note.clone());
            notes.extend(panels.notes.iter().cloned());
            notes.extend(about_axis.clone());
            notes.extend(markers);
            fitting(notes, line, tight.most_notes())
        };
        // Which markers fit is known last, so the longest possible note about them is reserved.
        let longest = Marks::longest_note(chart, &options.markers);
        let notes_height = notes_of(longest).len() as f64 * NOTES_LINE;

        let heading = match tight {
            Tightness::NoTitle | Tightness::NoKey => HeadingLines::none(),
            _ => HeadingLines::new(chart, options, line, wished, tight >= Tightness::NoFacts),
        };
        let foot = FOOT + panels.height(panel);
        let around = heading.height + foot + notes_height + MARGIN;
        let paints = colour::layer_paints(chart, options.palette);
        let ids = words::ids(&chart.layers);
        let looks = (&*paints, &*ids);

        let shown = (&columns, &overlays);
        let least = (around + key::least_height(chart, shown, (options, key_place))).ceil();
        let mut height = wished.max(least).min(limit);
        let (key, below) = match key_place {
            KeyPlace::Below => {
                let growth = (limit - wished).max((wished - around) / 2.0);
                let marks = if tight >= Tightness::NoNames {
                    marks::LEAST_HEIGHT
                } else {
                    marks::MOST_HEIGHT
                };
                let left = limit - around - LEAST_PLOT - marks;
                let room = (line, growth.min(left) - KEY_ABOVE);
                let key = Key::new(chart, (&columns, &overlays), (options, key_place), looks, room);
                let below = if key.height > 0.0 { key.height + KEY_ABOVE } else { 0.0 };
                height = (wished + below).min(limit).ceil();
                (key, below)
            }
            KeyPlace::Auto | KeyPlace::Right | KeyPlace::None => {
                let room = (KEY_SHARE * picture_width, height - around);
                (Key::new(chart, (&columns, &overlays), (options, key_place), looks, room), 0.0)
            }
        };
        let beside = if key_place == KeyPlace::Right { key.width } else { 0.0 };

        let heap = HeapAxis::new(chart, (&columns, &overlays), options, height - around - below);
        let axes = panels.panels.iter().map(|panel| &panel.axis).chain([&heap]);
        let labels = axes.flat_map(|axis| axis.ticks.iter().map(|tick| tick.label.as_str()));
        let labels = labels.chain([heap.title]);
        let label_width =
            labels.map(|label| width(label, AXIS_SIZE, Weight::Regular)).fold(0.0, f64::max);
        let left = (MARGIN + label_width + TICK_GAP).ceil();
        let key_left = picture_width - MARGIN - beside;
        let right = if beside > 0.0 { key_left - KEY_GAP } else { key_left - MARGIN };
        let time = time.with_ticks(chart, right - left, AXIS_SIZE);
        let room = right + MARGIN - 4.0 - left;
        let width = right - left;
        let marks = Marks::new(chart, &options.markers, &time, (width, room), tight.most_rows());

        let top = heading.height + 8.0 + marks.rows.max(1) as f64 * marks::ROW;
        let under = foot + below + notes_height + MARGIN;
        height = match is_shown(chart, &panels) {
            true => height.max((top + LEAST_PLOT + under).ceil()),
            false => (top + under).ceil(),
        };
        let plot = Frame { left, top, right, bottom: height - under };
        let key_at = match key_place {
            // Its heading is level with the title of the vertical axis.
            KeyPlace::Auto | KeyPlace::Right | KeyPlace::None => {
                Point { x: key_left, y: heading.height - 4.0 }
            }
            KeyPlace::Below => Point { x: MARGIN, y: plot.bottom + foot },
        };
        let notes = notes_of(marks.note());
        if let Some(peak) = chart.peak().filter(|_| time.is_single(chart)) {
            let place = time.of_sample(chart, peak.sample);
            columns = Columns::bar(chart, peak.sample, time.bar(place, right - left));
        }
        let notes_top = height - MARGIN - (notes.len().max(1) - 1) as f64 * NOTES_LINE;
        Layout {
            width: picture_width,
            height,
            heading,
            notes: (notes, notes_top),
            plot,
            time,
            heap,
            marks,
            columns,
            overlays,
            panels: {
                let frames = panels::frames(panels.panels.len(), plot, panel);
                panels.panels.into_iter().zip(frames).collect()
            },
            key: (key, key_at),
            paints,
            ids,
        }
    }
}

impl Layout<'_> {
    /// Whether there is a plot of bands, rather than panels in its place.
    pub fn plot_is_shown(&self) -> bool {
        self.plot.bottom > self.plot.top
    }

    /// The title of the time axis, under the lowest plot, which ends at `bottom`.
    pub fn time_title(&self, bottom: f64) -> Text {
        let middle = (self.plot.left + self.plot.right) / 2.0;
        let title = Text::new(middle, bottom + 34.0, AXIS_SIZE, Role::Muted, self.time.title);
        title.anchored(Anchor::Middle)
    }
}

/// A chart without samples shows its panels alone.
fn is_shown(chart: &Chart, panels: &Panels) -> bool {
    !chart.times.is_empty() || panels.panels.is_empty()
}

/// The note about samples that the axis leaves out.
fn axis_note(chart: &Chart, time: &TimeAxis) -> Option<String> {
    let activity = &chart.activity;
    let paused = activity.elapsed().as_nanos() - activity.clock.between(activity.from, activity.to);
    (time.kind() == XAxis::Mutator).then(|| {
        format!(
            "the axis leaves out {} of collections; times in words are elapsed",
            Nanos::from_nanos(paused)
        )
    })
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

/// What is left out of a low picture, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    /// Nothing.
    Roomy,
    /// All notes except one line.
    OneNote,
    /// The names of markers.
    NoNames,
    /// The facts below the title.
    NoFacts,
    /// All notes.
    NoNotes,
    /// The title: a chart without a key says less than one without a title.
    NoTitle,
    /// The key.
    NoKey,
}

impl Tightness {
    const ALL: [Tightness; 7] = [
        Tightness::Roomy,
        Tightness::OneNote,
        Tightness::NoNames,
        Tightness::NoFacts,
        Tightness::NoNotes,
        Tightness::NoTitle,
        Tightness::NoKey,
    ];

    fn most_notes(self) -> usize {
        match self {
            Tightness::Roomy => 4,
            Tightness::OneNote | Tightness::NoNames | Tightness::NoFacts => 1,
            Tightness::NoNotes | Tightness::NoTitle | Tightness::NoKey => 0,
        }
    }

    fn most_rows(self) -> usize {
        if self >= Tightness::NoNames { 0 } else { marks::MOST_ROWS }
    }
}

/// The note for a vertical axis that ends below the highest value.
fn cut_note(chart: &Chart, shown: Numbers<'_>, options: &DrawOptions) -> Option<String> {
    let own = heap_axis::highest(chart, shown, options.view);
    let top = heap_axis::shown_top(chart, shown, options);
    let text = |bytes: u128| options.units.text(bytes);
    (own > top).then(|| format!("cut at {}, the highest is {}", text(top), text(own)))
}
