//! The key: an entry for every line and layer, top of the stack first, with the figure that the stack
//! is ordered by. It is next to the plot, or below it in columns. Next to two runs it is a table, with
//! several figures for each layer, under its name where two lines for each fit.

use std::ops::RangeInclusive;

use super::heading::{RISING_ROOM, rising};
use super::labels;
use super::options::{DrawOptions, KeyPlace, View};
use super::parts::{LayerLook, PictureParts};
use super::sampling::{Overlay, Sampling, has_total};
use crate::analysis::Leak;
use crate::base::names;
use crate::chart::{Chart, KeyFigure};
use crate::picture::text_width::{FontWeight, elide, width};
use crate::picture::{Anchor, Group, Item, Line, Paint, Point, Rectangle, Role, Stroke, Text};

/// The least and the greatest height of a row, and the font sizes that go with them, in pixels.
const ROWS: RangeInclusive<f64> = 11.5..=19.0;
const SIZES: RangeInclusive<f64> = 8.5..=12.0;

/// The height of a row below the plot, and its font size.
const ROW_BELOW: f64 = 17.0;
const SIZE_BELOW: f64 = 11.5;
/// Two lines of an entry are at least this high each.
const ROW_OF_TWO: f64 = 15.0;
/// How far the second line is below the first, in rows: nearer than the entry below.
const SECOND_LINE: f64 = 0.85;
/// The least and the greatest width of a column below the plot, as names need it.
const COLUMNS: RangeInclusive<f64> = 140.0..=250.0;
const COLUMN_GAP: f64 = 24.0;
/// The width of a column when space is short.
const LEAST_COLUMN: f64 = 100.0;
/// The least width of a column of names without figures.
const LEAST_NAMES: f64 = 64.0;
/// The height of a row of names without figures, and their font size, when space is even shorter.
const DENSE_ROW: f64 = 14.0;
const DENSE_SIZE: f64 = 10.5;

const SWATCH: f64 = 11.0;
/// Long enough to tell dashes apart.
const LINE_SWATCH: f64 = 17.0;
const AFTER_SWATCH: f64 = 7.0;
const BEFORE_VALUE: f64 = 14.0;

/// A key is better than another if it cuts less than this part of what the other cuts.
const MUCH_LESS: f64 = 0.75;

/// How much wider, at most, the key becomes when even the shortest names need it.
pub const WIDENED: f64 = 1.35;

/// The key's contents and the size that they need.
#[derive(Default)]
pub struct Key {
    /// The width in pixels; 0 when there is nothing to explain.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
    entries: Vec<KeyEntry>,
    /// The headings of the columns of figures, from left to right.
    heads: Vec<&'static str>,
    /// How many layers have no row.
    left_out: usize,
    /// The total width that was cut from names, in pixels.
    lost: f64,
    /// The number of entries in one column.
    rows: usize,
    /// Whether the figures of an entry are under its name, so that the name has the width of the column.
    has_two_lines: bool,
    column: f64,
    swatch: f64,
    /// The width of the mark of growing bands, if an entry has it.
    mark: f64,
    row: f64,
    size: f64,
}

struct KeyEntry {
    /// The names that it can have, best first.
    names: Vec<String>,
    /// The name that was chosen, once that is known.
    name: String,
    /// The figures beside the name, one for each heading.
    values: Vec<String>,
    swatch: Swatch,
    group: Group,
    is_band: bool,
    suspect: Option<Leak>,
    /// How much it grew, if it is a suspect.
    grew: Option<String>,
}

#[derive(Clone, Copy)]
enum Swatch {
    Box(Paint),
    Line(Stroke),
}

/// The greatest size of a key, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct KeyRoom {
    pub width: f64,
    pub height: f64,
}

/// The figures of a table, for each layer one under each heading, bottom first.
pub struct KeyTable {
    pub heads: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
}

/// The layers that a key explains.
#[derive(Clone, Copy)]
pub struct KeyLayers<'a> {
    pub chart: &'a Chart,
    pub options: &'a DrawOptions,
    pub looks: &'a [LayerLook],
    /// The figure of each layer in a picture of floors: that of all samples is of what it does not draw.
    pub floors: Option<&'a [u128]>,
}

/// How many entries of a key are lines: over the bands, or of the highest totals.
fn lines_of(sampling: &Sampling<'_>) -> usize {
    let has_total = has_total(sampling.chart, sampling.columns(), sampling.options.view);
    let others = usize::from(has_total) + usize::from(sampling.shows_highest());
    sampling.overlays().lines.len() + others
}

impl Key {
    /// The height below which the key next to the plot does not fit.
    pub fn least_height(parts: &PictureParts<'_>, place: KeyPlace) -> f64 {
        match place {
            KeyPlace::Auto | KeyPlace::Right => {
                let entries = parts.sampling.chart.layers.len() + lines_of(&parts.sampling);
                (entries + 1) as f64 * ROWS.start()
            }
            KeyPlace::Below | KeyPlace::None => 0.0,
        }
    }

    /// The key of a chart: at most as wide as the room next to the plot, and exactly as wide below it.
    pub fn new(parts: &PictureParts<'_>, place: KeyPlace, room: KeyRoom) -> Self {
        let sampling = &parts.sampling;
        let (chart, options) = (sampling.chart, sampling.options);
        let lines = lines_of(sampling);
        let count = chart.layers.len() + lines;
        if place == KeyPlace::None || count == 0 {
            return Key::default();
        }
        let has_lines = lines > 0 || options.view == View::Lines;
        let total = has_total(chart, sampling.columns(), options.view);
        let floors = sampling.floors();
        let of_floors = floors.as_ref().and_then(|floors| floors.last());
        let value = of_floors.map(|bytes| options.units.text(*bytes));
        let value = value.unwrap_or_else(|| labels::total_figure(chart, options));
        let total = total.then(|| total_entry(chart, options, value));
        let range = sampling.shows_highest().then(range_entry);
        let over = sampling.overlays().lines.iter().map(|line| overlay_entry(line, options));
        let bands = KeyLayers { chart, options, looks: &parts.looks, floors: floors.as_deref() };
        let layers = (0..chart.layers.len()).rev().map(|i| layer_entry(&bands, i));
        let entries = over.chain(range).chain(total).chain(layers);
        let grew = chart.suspects_lead.then_some("grew");
        let entries = entries.map(|mut entry| {
            if grew.is_some() {
                entry.values.insert(0, entry.grew.take().unwrap_or_default());
            }
            entry
        });
        let head = match floors {
            Some(_) if chart.figure == KeyFigure::Mean => "mean floor",
            Some(_) | None => labels::figure_head(chart, options),
        };
        let mut key = Key {
            swatch: if has_lines { LINE_SWATCH } else { SWATCH },
            mark: mark_room(chart),
            heads: grew.into_iter().chain([head]).collect(),
            ..Key::default()
        };
        match place {
            KeyPlace::Below => key.below(entries.collect(), room),
            KeyPlace::Auto | KeyPlace::Right | KeyPlace::None => {
                key.beside(entries, count, room);
            }
        }
        key
    }

    /// Whether names had to be cut.
    pub fn is_cut(&self) -> bool {
        self.lost > 0.0
    }

    /// Whether much more of the names can be read than in another key of the same entries.
    pub fn says_much_more_than(&self, other: &Key) -> bool {
        self.left_out <= other.left_out && self.lost < MUCH_LESS * other.lost
    }

    /// A table next to the charts of two runs, whose layers are the same.
    pub fn table(bands: &KeyLayers<'_>, figures: KeyTable, room: KeyRoom) -> Self {
        let count = figures.rows.len();
        let layers = figures.rows.into_iter().enumerate().rev();
        let layers = layers.map(|(i, values)| KeyEntry { values, ..layer_entry(bands, i) });
        let (mark, heads) = (mark_room(bands.chart), figures.heads);
        let has_two_lines = (2 * count + 1) as f64 * ROW_OF_TWO <= room.height;
        let mut key = Key { swatch: SWATCH, mark, heads, has_two_lines, ..Key::default() };
        key.beside(layers, count, room);
        key
    }

    /// One column, with rows as high as fit.
    fn beside(&mut self, mut entries: impl Iterator<Item = KeyEntry>, count: usize, room: KeyRoom) {
        let KeyRoom { width: most_width, height } = room;
        // One row is the heading.
        let lines = self.lines();
        self.row = (height / (lines * count + 1) as f64).clamp(*ROWS.start(), *ROWS.end());
        self.size = (self.row * 0.68).clamp(*SIZES.start(), *SIZES.end());
        let fitting = ((height / self.row + 1e-6) as usize).saturating_sub(1) / lines;
        self.rows = if count <= fitting { count } else { fitting.saturating_sub(1) };
        self.entries = entries.by_ref().take(self.rows).collect();
        if self.mark > 0.0 {
            // What is accused takes the places of the last of the others.
            for suspect in entries.filter(|entry| entry.suspect.is_some()) {
                let last = self.entries.iter().rposition(|entry| entry.suspect.is_none());
                let Some(last) = last else { break };
                self.entries.remove(last);
                self.entries.push(suspect);
            }
        }
        self.left_out = count - self.entries.len();
        // Names are worth more than what bands have besides their gains.
        let readable = |entry: &KeyEntry, size: f64| shortest(entry, size).min(LEAST_NAMES);
        if self.heads.len() == 2 && self.around() + self.widest_of(readable) > most_width * WIDENED
        {
            self.heads.truncate(1);
            self.entries.iter_mut().for_each(|entry| entry.values.truncate(1));
        }
        let wish = self.natural_width();
        // Names that can be told apart are worth some of the plot's width.
        let needed = self.around() + self.widest_of(shortest);
        let most = most_width.max(needed.min(most_width * WIDENED));
        self.column = wish.min(most.max(self.before_name() + self.figures_width()));
        self.fit();
        // What shorter names leave is the plot's.
        self.column = self.column.min(self.natural_width());
        self.width = self.column;
        self.height = height;
    }

    /// Columns, as many as fit, and rows as needed.
    fn below(&mut self, entries: Vec<KeyEntry>, room: KeyRoom) {
        self.row = ROW_BELOW;
        self.size = SIZE_BELOW;
        self.entries = entries;
        let most_rows = ((room.height / self.row) as usize).saturating_sub(1).max(2);
        let count = self.entries.len();
        let fitting_at = |wish: f64| {
            (((room.width + COLUMN_GAP) / (wish + COLUMN_GAP)) as usize).clamp(1, count)
        };
        let fits = |columns: &usize| count.div_ceil(*columns) <= most_rows;
        let usual = fitting_at(self.natural_width().clamp(*COLUMNS.start(), *COLUMNS.end()));
        let needed = self.around() + self.widest_of(shortest);
        // Uses fewer columns than usual before it cuts names, and more columns of short names before
        // it leaves any out.
        let columns = (fitting_at(needed)..=usual)
            .find(fits)
            .unwrap_or_else(|| fitting_at(needed.clamp(LEAST_COLUMN, *COLUMNS.end())));
        let columns = if fits(&columns) { columns } else { self.names_only(room) };
        if self.rows == 0 {
            self.rows = count.div_ceil(columns);
        }
        let columns = count.div_ceil(self.rows).min(columns);
        let widest = (room.width + COLUMN_GAP) / columns as f64 - COLUMN_GAP;
        self.column = self.natural_width().min(widest.max(self.around())).floor();
        self.fit();
        self.width = room.width;
        self.height = (self.rows + self.head_rows()) as f64 * self.row;
    }

    /// Gives the space of the figures to the names, and returns the number of columns. The last row
    /// counts the entries that still do not fit.
    fn names_only(&mut self, room: KeyRoom) -> usize {
        (self.row, self.size) = (DENSE_ROW, DENSE_SIZE);
        self.heads.clear();
        self.entries.iter_mut().for_each(|entry| entry.values.clear());
        let column = self.natural_width().min(self.around() + self.widest_of(shortest));
        let column = column.clamp(LEAST_NAMES, LEAST_COLUMN);
        let columns = ((room.width + COLUMN_GAP) / (column + COLUMN_GAP)) as usize;
        let columns = columns.clamp(1, self.entries.len());
        let (count, most_rows) = (self.entries.len(), ((room.height / self.row) as usize).max(2));
        self.rows = count.div_ceil(columns).min(most_rows);
        if count > self.rows * columns {
            // What is accused is more useful than other bands, and those are than the lines over them.
            self.entries.sort_by_key(|entry| (entry.suspect.is_none(), !entry.is_band));
            self.entries.truncate(self.rows * columns - 1);
            self.left_out = count - self.entries.len();
        }
        columns
    }

    /// How many rows the headings of the figures take.
    fn head_rows(&self) -> usize {
        usize::from(!self.heads.is_empty())
    }

    fn widest_of(&self, width: impl Fn(&KeyEntry, f64) -> f64) -> f64 {
        self.entries.iter().map(|entry| width(entry, self.size)).fold(0.0, f64::max)
    }

    /// How many lines an entry has.
    fn lines(&self) -> usize {
        1 + usize::from(self.has_two_lines)
    }

    /// The width of a column without its names.
    fn around(&self) -> f64 {
        let beside = if self.has_two_lines { 0.0 } else { self.figures_width() };
        self.before_name() + beside
    }

    /// The width of all figures of an entry.
    fn figures_width(&self) -> f64 {
        (0..self.heads.len()).map(|i| BEFORE_VALUE + self.value_width(i)).sum()
    }

    /// The width of the figures under one of the headings.
    fn value_width(&self, i: usize) -> f64 {
        let head = width(self.heads[i], self.size, FontWeight::Regular);
        self.widest_of(|entry, size| width(&entry.values[i], size, FontWeight::Regular)).max(head)
    }

    /// The distance from the left end of an entry to its name.
    fn before_name(&self) -> f64 {
        self.swatch + AFTER_SWATCH + self.mark
    }

    /// The width of a column in which nothing is elided.
    fn natural_width(&self) -> f64 {
        let more = match self.left_out {
            0 => 0.0,
            n => self.before_name() + width(&more_texts(n)[0], self.size, FontWeight::Regular),
        };
        let names = self.widest_of(|entry, size| width(&entry.name, size, FontWeight::Regular));
        let figures = self.before_name() + self.figures_width();
        (self.around() + names).max(figures).max(more).ceil()
    }

    /// Gives each entry the best name that fits the column. A name that is still cut gets a number
    /// if it would look the same as another.
    fn fit(&mut self) {
        let room = (self.column - self.around()).max(0.0);
        let size = self.size;
        let long = |name: &str| width(name, size, FontWeight::Regular);
        let mut given: Vec<String> = Vec::new();
        for entry in &mut self.entries {
            let names = || entry.names.iter();
            let fitting = names().find(|name| long(name) <= room);
            let shortest = || names().min_by(|a, b| long(a).total_cmp(&long(b)));
            let Some(name) = fitting.or_else(shortest) else { continue };
            self.lost += (long(name) - room).max(0.0);
            let with = |end: &str| {
                elide(name, size, FontWeight::Regular, (room - long(end)).max(0.0)) + end
            };
            let shown = names::free(with, |shown| given.iter().any(|given| given == shown));
            given.push(shown.clone());
            entry.name = shown;
        }
    }

    /// Which of the names of a band it shows, by the id of the band; `None` if it has no row, or cuts its name.
    pub fn name(&self, id: &str) -> Option<&str> {
        let target = format!("band-{id}");
        let entry = self.entries.iter().find(|entry| entry.group.target.as_ref() == Some(&target));
        entry.filter(|entry| entry.names.contains(&entry.name)).map(|entry| &*entry.name)
    }

    /// The items of the key, with its upper left corner at `at`; `None` if there is nothing to explain.
    pub fn group(&self, at: Point) -> Option<Group> {
        if self.entries.is_empty() && self.left_out == 0 {
            return None;
        }
        let mut group = Group::new("key");
        let corner = |column: usize| at.x + column as f64 * (self.column + COLUMN_GAP);
        let baseline = |row: usize| at.y + (row as f64 + 0.5) * self.row + 0.36 * self.size;
        let (rows, heads) = (self.rows.max(1), self.head_rows());
        for column in 0..self.entries.len().div_ceil(rows).max(1) {
            let right = Point { x: corner(column) + self.column, y: baseline(0) };
            group.items.extend(self.values(&self.heads, right));
        }
        for (i, entry) in self.entries.iter().enumerate() {
            let place = Point { x: corner(i / rows), y: baseline(i % rows * self.lines() + heads) };
            group.items.push(self.entry(entry, place).into());
        }
        if self.left_out > 0 {
            let i = self.entries.len();
            // Beside the plot, it is below the only column.
            let (column, row) = if i == rows || rows * self.entries.len() == 0 {
                (0, i * self.lines() + heads)
            } else {
                (i / rows, i % rows + heads)
            };
            let x = corner(column) + self.before_name();
            let room = self.column - self.before_name();
            let [long, short] = more_texts(self.left_out);
            let is_long = width(&long, self.size, FontWeight::Regular) > room;
            let text = if is_long { short } else { long };
            let text = elide(&text, self.size, FontWeight::Regular, room);
            group.items.push(Text::new(x, baseline(row), self.size, Role::Muted, text).into());
        }
        Some(group)
    }

    /// An entry with its left end at `at` on its base line.
    fn entry(&self, entry: &KeyEntry, at: Point) -> Group {
        let mut group = entry.group.clone();
        let middle = at.y - 0.36 * self.size;
        let square = |side: f64, radius, fill| {
            let x = at.x + (self.swatch - side) / 2.0;
            let at = Point { x, y: middle - side / 2.0 };
            Rectangle { at, width: side, height: side, radius, fill }.into()
        };
        let side = SWATCH.min(self.row - 2.5);
        match entry.swatch {
            Swatch::Box(fill) => group.items.push(square(side, 2.0, fill)),
            Swatch::Line(stroke) => {
                let points = [0.0, self.swatch].map(|x| Point { x: at.x + x, y: middle });
                group.items.push(Line { points: points.to_vec(), stroke }.into());
            }
        }
        if let Some(leak) = entry.suspect {
            let mark = rising(Point { x: at.x + self.swatch + AFTER_SWATCH, y: at.y }, leak);
            group.items.push(mark.into());
        }
        let name = &*entry.name;
        let name = Text::new(at.x + self.before_name(), at.y, self.size, Role::Text, name);
        group.items.push(name.into());
        let below = if self.has_two_lines { SECOND_LINE * self.row } else { 0.0 };
        let right = Point { x: at.x + self.column, y: at.y + below };
        group.items.extend(self.values(&entry.values, right));
        group
    }

    /// Figures or their headings, from right to left; the last one ends at `right`.
    fn values<S: AsRef<str>>(&self, texts: &[S], right: Point) -> Vec<Item> {
        let mut x = right.x;
        let values = texts.iter().enumerate().rev().map(|(i, text)| {
            let value = Text::new(x, right.y, self.size, Role::Muted, text.as_ref());
            x -= self.value_width(i) + BEFORE_VALUE;
            value.anchored(Anchor::End)
        });
        values.filter(|value| !value.content.is_empty()).map(Item::from).collect()
    }
}

/// The room before the names for the mark of growing bands.
fn mark_room(chart: &Chart) -> f64 {
    if chart.suspects().is_some() { RISING_ROOM } else { 0.0 }
}

/// The width of an entry's shortest name.
fn shortest(entry: &KeyEntry, size: f64) -> f64 {
    let widths = entry.names.iter().map(|name| width(name, size, FontWeight::Regular));
    widths.fold(f64::INFINITY, f64::min)
}

/// The words about entries that are left out, and those for a narrow column.
fn more_texts(left_out: usize) -> [String; 2] {
    [format!("… and {left_out} more"), format!("… +{left_out}")]
}

fn entry(names: Vec<String>, value: String, swatch: Swatch, group: Group) -> KeyEntry {
    let name = names.first().cloned().unwrap_or_default();
    let is_band = group.target.is_some();
    let values = vec![value];
    KeyEntry { names, name, values, swatch, group, is_band, suspect: None, grew: None }
}

fn layer_entry(bands: &KeyLayers<'_>, i: usize) -> KeyEntry {
    let KeyLayers { chart, options, looks, floors } = *bands;
    let (layer, look) = (&chart.layers[i], &looks[i]);
    let group = Group {
        id: Some(format!("key-{}", look.id)),
        target: Some(format!("band-{}", look.id)),
        label: Some(look.name.clone()),
        title: Some(look.title.clone()),
        ..Group::new("key-entry")
    };
    let swatch = match options.view {
        View::Stacked | View::Percent => Swatch::Box(look.paint),
        View::Lines => Swatch::Line(Stroke::new(look.paint, 3.0)),
    };
    let value = match floors {
        Some(floors) => options.units.text(floors[i]),
        None => labels::layer_figure(chart, i, options),
    };
    let entry = entry(layer.names.clone(), value, swatch, group);
    let grew = layer.grew.map(|grew| format!("+{}", options.units.bytes(grew)));
    KeyEntry { suspect: layer.suspect, grew, ..entry }
}

fn total_entry(chart: &Chart, options: &DrawOptions, value: String) -> KeyEntry {
    let mut group = Group::new("key-entry");
    group.id = Some("key-total".to_owned());
    group.title = Some(labels::total_title(chart, options.units));
    let swatch = Swatch::Line(Stroke::new(Role::Total, 1.5));
    entry(vec!["all bands".to_owned()], value, swatch, group)
}

fn range_entry() -> KeyEntry {
    let mut group = Group::new("key-entry");
    group.id = Some("key-range".to_owned());
    group.title = Some("the highest sample of each column".to_owned());
    // A line is not a single figure.
    let swatch = Swatch::Line(Stroke::new(Role::RangeEdge, 0.7));
    let value = String::new();
    let names = ["highest of all bands", "highest"].map(str::to_owned);
    entry(names.into(), value, swatch, group)
}

fn overlay_entry(overlay: &Overlay, options: &DrawOptions) -> KeyEntry {
    let mut group = Group::new("key-entry");
    group.id = Some(format!("key-heap-{}", overlay.figure.id()));
    group.title = Some(overlay.title(options.units));
    // The figure of a line is its peak, whatever the figures of the layers are.
    let name = overlay.figure.name();
    let peak = format!("{name}, peak {}", options.units.bytes(overlay.peak.1));
    let names = vec![peak, name.to_owned()];
    let suspect = overlay.grew.map(|_| Leak::Possible);
    let grew = overlay.grew.map(|grew| format!("+{}", options.units.bytes(grew)));
    let swatch = Swatch::Line(overlay.stroke());
    let at_end = overlay.at_end.map_or(String::new(), |bytes| options.units.bytes(bytes));
    KeyEntry { suspect, grew, ..entry(names, at_end, swatch, group) }
}
