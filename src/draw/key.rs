//! The key: an entry for every line and layer, top of the stack first, with two figures. Beside the plot, each entry is as
//! near to the middle of its band at the right edge as its neighbours allow, with a line to it. In a narrow picture it is
//! below the plot in columns. Next to two runs it is a table, with several figures for each layer, under its name where two
//! lines for each fit.

use std::ops::RangeInclusive;

use super::labels;
use super::options::{DrawOptions, KeyPlace, View};
use super::parts::{LayerLook, PictureParts};
use super::plotters::PixelFrame;
use super::sampling::{Overlay, Sampling, has_total, share};
use super::value_axis::AxisUnit;
use crate::analysis::Leak;
use crate::base::names;
use crate::base::units::Bytes;
use crate::chart::Chart;
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

const SWATCH: f64 = 11.0;
/// Long enough to tell dashes apart.
const LINE_SWATCH: f64 = 17.0;
const AFTER_SWATCH: f64 = 7.0;
const BEFORE_VALUE: f64 = 12.0;

/// How far the headings of a key beside the plot are above that, in pixels.
const HEADS_ABOVE: f64 = 8.0;
/// The room for a swatch before an entry whose band has no height at the right edge.
const BEFORE_NAME: f64 = 5.0;
/// The width of the line from an entry to its band, and how far before the entry it becomes level, in pixels.
const LINK: f64 = 1.6;
const LINK_END: f64 = 9.0;

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
    /// The unit of the figures, in the heading of the names; empty where each figure has its own.
    unit: &'static str,
    /// How many layers have no row.
    left_out: usize,
    /// The total width that was cut from names, in pixels.
    lost: f64,
    /// The number of entries in one column.
    rows: usize,
    /// Whether the figures of an entry are under its name, so that the name has the width of the column.
    has_two_lines: bool,
    column: f64,
    /// The width of a swatch; beside its band, an entry has a line to it instead.
    swatch: f64,
    row: f64,
    size: f64,
    /// The middles of the entries, and then of the words about those that are left out, if they are beside their bands.
    places: Vec<f64>,
    /// Where their lines begin: of bands that have a height there.
    links: Vec<Option<Point>>,
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
    /// Whether it is accused, or climbs at the end.
    grows: bool,
    /// The height at the right edge of the plot that it explains, and how high that is.
    level: Option<(u128, u128)>,
}

/// A figure of a layer.
#[derive(Clone, Copy, PartialEq)]
enum Column {
    Peak,
    End,
    Grew,
}

impl Column {
    /// The figures in the key of a chart.
    fn of(chart: &Chart) -> [Column; 2] {
        let grew = chart.outside.is_some() || chart.layers.iter().any(|one| one.grew.is_some());
        if grew { [Column::End, Column::Grew] } else { [Column::Peak, Column::End] }
    }

    fn head(self, chart: &Chart, options: &DrawOptions) -> &'static str {
        match self {
            Column::Peak if options.view == View::Percent => "highest",
            Column::Peak => "peak",
            Column::End if chart.end_sample() != chart.last_full() => "before exit",
            Column::End => "at the end",
            Column::Grew => "grew",
        }
    }
}

/// Whether a key tells the peak of all bands.
pub fn tells_peak(chart: &Chart, options: &DrawOptions, peak: u128) -> bool {
    let is_end = || chart.end_sample().is_some_and(|end| chart.total[end] == peak);
    let has_amounts = options.view == View::Stacked && options.key != KeyPlace::None;
    has_amounts && (Column::of(chart).contains(&Column::Peak) || is_end())
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
    /// The unit of the plot's axis, if that has one.
    pub unit: Option<AxisUnit>,
}

impl KeyLayers<'_> {
    /// An amount, in the unit of the axis if there is one.
    fn amount(&self, bytes: u128) -> String {
        self.unit.map_or_else(|| self.options.units.text(bytes), |unit| unit.number(bytes))
    }

    /// What something grew by.
    fn grown(&self, grew: Option<Bytes>) -> String {
        grew.map_or(String::new(), |grew| format!("+{}", self.amount(grew.get().into())))
    }
}

/// How many entries of a key are lines: over the bands, or of the highest totals.
fn lines_of(sampling: &Sampling<'_>) -> usize {
    let has_total = has_total(sampling.chart, sampling.columns(), sampling.options.view);
    let others = usize::from(has_total) + usize::from(sampling.shows_highest());
    sampling.overlays().lines.len() + others
}

impl Key {
    /// How many entries a key has.
    pub fn entries(sampling: &Sampling<'_>) -> usize {
        sampling.chart.layers.len() + lines_of(sampling)
    }

    /// The height below which the key next to the plot does not fit.
    pub fn least_height(parts: &PictureParts<'_>, place: KeyPlace) -> f64 {
        match place {
            KeyPlace::Auto | KeyPlace::Right => Key::entries(&parts.sampling) as f64 * ROWS.start(),
            KeyPlace::Below | KeyPlace::None => 0.0,
        }
    }

    /// The key of a chart: at most as wide as the room next to the plot, and exactly as wide below it.
    pub fn new(parts: &PictureParts<'_>, place: KeyPlace, room: KeyRoom) -> Self {
        let sampling = &parts.sampling;
        let (chart, options) = (sampling.chart, sampling.options);
        let lines = lines_of(sampling);
        let count = Key::entries(sampling);
        if place == KeyPlace::None || count == 0 {
            return Key::default();
        }
        let has_lines = lines > 0 || options.view == View::Lines;
        let columns = Column::of(chart);
        let unit = (options.view != View::Percent)
            .then(|| AxisUnit::of(sampling.shown_top(), options.units));
        let bands = KeyLayers { chart, options, looks: &parts.looks, unit };
        let levels = levels(sampling);
        let total = has_total(chart, sampling.columns(), options.view);
        let total = total.then(|| total_entry(&bands, columns));
        let range = sampling.shows_highest().then(range_entry);
        let over = sampling.overlays().lines.iter();
        let over = over.map(|line| overlay_entry(line, &bands, columns));
        let layers = (0..chart.layers.len())
            .rev()
            .map(|i| KeyEntry { level: levels.get(i).copied(), ..layer_entry(&bands, i, columns) });
        let entries = over.chain(range).chain(total).chain(layers);
        let mut key = Key {
            swatch: match place {
                KeyPlace::Below if has_lines => LINE_SWATCH,
                KeyPlace::Below => SWATCH,
                KeyPlace::Auto | KeyPlace::Right | KeyPlace::None => 0.0,
            },
            heads: columns.map(|column| column.head(chart, options)).to_vec(),
            unit: unit.map_or("", |unit| unit.name),
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

    /// Places the entries of a key beside a plot whose top has this value.
    pub fn place(&mut self, plot: PixelFrame, top: u128) {
        let y = |level: u128| plot.bottom - plot.height() * (level as f64 / top as f64).min(1.0);
        // Lines over the bands are among these.
        let level = |entry: &KeyEntry| entry.level.map_or(u128::MAX, |level| level.0);
        self.entries.sort_by_key(|entry| std::cmp::Reverse(level(entry)));
        let wanted = self.entries.iter().map(|entry| entry.level.map_or(plot.top, |at| y(at.0)));
        let mut wanted: Vec<f64> = wanted.collect();
        let is_seen = |size: u128| size as f64 * plot.height() >= top as f64;
        let link = |(entry, &y): (&KeyEntry, &f64)| {
            entry.level.filter(|at| is_seen(at.1)).map(|_| Point { x: plot.right + 2.0, y })
        };
        self.links = self.entries.iter().zip(&wanted).map(link).collect();
        wanted.extend((self.left_out > 0).then_some(plot.bottom));
        let half = self.row / 2.0;
        self.places = spread(&wanted, self.row, plot.top + half, plot.bottom - half / 2.0);
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
        let columns = Column::of(bands.chart);
        let layers =
            layers.map(|(i, values)| KeyEntry { values, ..layer_entry(bands, i, columns) });
        let has_two_lines = (2 * count + 1) as f64 * ROW_OF_TWO <= room.height;
        let mut key = Key { swatch: SWATCH, heads: figures.heads, has_two_lines, ..Key::default() };
        key.beside(layers, count, room);
        key
    }

    /// One column, with rows as high as fit.
    fn beside(&mut self, mut entries: impl Iterator<Item = KeyEntry>, count: usize, room: KeyRoom) {
        let KeyRoom { width: most_width, height } = room;
        // One row of a table is the heading; that of other keys is above the plot.
        let (lines, heading) = (self.lines(), usize::from(self.swatch > 0.0));
        self.row = (height / (lines * count + heading) as f64).clamp(*ROWS.start(), *ROWS.end());
        self.size = (self.row * 0.68).clamp(*SIZES.start(), *SIZES.end());
        let fitting = ((height / self.row + 1e-6) as usize).saturating_sub(heading) / lines;
        self.rows = if count <= fitting { count } else { fitting.saturating_sub(1) };
        self.entries = entries.by_ref().take(self.rows).collect();
        // What grows takes the places of the last of the others.
        for growing in entries.filter(|entry| entry.grows) {
            let last = self.entries.iter().rposition(|entry| !entry.grows);
            let Some(last) = last else { break };
            self.entries.remove(last);
            self.entries.push(growing);
        }
        self.left_out = count - self.entries.len();
        // Names are worth more than what bands have besides their gains.
        let readable = |entry: &KeyEntry, size: f64| shortest(entry, size).min(LEAST_NAMES);
        if self.heads.len() == 2 && self.around() + self.widest_of(readable) > most_width * WIDENED
        {
            // Most of a picture that fell is nothing at its end.
            let end = usize::from(self.heads[1] != "grew");
            self.heads.remove(end);
            for entry in &mut self.entries {
                let at_end = entry.values.remove(end);
                // A peak that is what it has at the end stands there.
                if end == 1 && entry.values[0].is_empty() {
                    entry.values[0] = at_end;
                }
            }
        }
        let wish = self.natural_width();
        // Names that can be told apart are worth some of the plot's width.
        let needed = self.around() + self.widest_of(shortest);
        let most = most_width.max(needed.min(most_width * WIDENED));
        self.column = wish.min(most.max(self.before_name() + self.figures_width()));
        self.fit();
        // What shorter names leave is the plot's.
        self.column = self.column.min(self.natural_width()).ceil();
        self.width = self.column;
        self.height = height;
    }

    /// Columns, as many as fit, and rows as needed.
    fn below(&mut self, entries: Vec<KeyEntry>, room: KeyRoom) {
        self.row = ROW_BELOW;
        self.size = SIZE_BELOW;
        self.entries = entries;
        let mut most_rows = ((room.height / self.row) as usize).saturating_sub(1).max(2);
        let count = self.entries.len();
        let fitting_at = |wish: f64| {
            (((room.width + COLUMN_GAP) / (wish + COLUMN_GAP)) as usize).clamp(1, count)
        };
        let fits = |columns: &usize| count.div_ceil(*columns) <= most_rows;
        let usual = fitting_at(self.natural_width().clamp(*COLUMNS.start(), *COLUMNS.end()));
        let needed = self.around() + self.widest_of(shortest);
        let short = fitting_at(needed.clamp(LEAST_COLUMN, *COLUMNS.end()));
        // Uses fewer columns than usual before it cuts names, more columns of short names before it leaves out figures,
        // and names alone before it leaves any out.
        let mut columns = (fitting_at(needed)..=usual).find(fits).unwrap_or(short);
        if !fits(&columns) {
            most_rows += 1;
            self.heads.clear();
            self.entries.iter_mut().for_each(|entry| entry.values.clear());
            columns = fitting_at(self.around() + self.widest_of(shortest).max(LEAST_NAMES));
        }
        self.rows = count.div_ceil(columns).min(most_rows);
        if count > self.rows * columns {
            // What is accused is more useful than other bands, and those are than the lines over them.
            self.entries.sort_by_key(|entry| (!entry.grows, !entry.is_band));
            self.entries.truncate(self.rows * columns - 1);
            self.left_out = count - self.entries.len();
        }
        let columns = count.div_ceil(self.rows).min(columns);
        let widest = (room.width + COLUMN_GAP) / columns as f64 - COLUMN_GAP;
        self.column = self.natural_width().min(widest.max(self.around())).floor();
        self.fit();
        self.width = room.width;
        self.height = (self.rows + self.head_rows()) as f64 * self.row;
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
        if self.swatch > 0.0 { self.swatch + AFTER_SWATCH } else { 0.0 }
    }

    /// The width of a column in which nothing is elided.
    fn natural_width(&self) -> f64 {
        let more = match self.left_out {
            0 => 0.0,
            n => self.before_name() + width(&more_text(n), self.size, FontWeight::Regular),
        };
        let names = self.widest_of(|entry, size| width(&entry.name, size, entry.weight()));
        let figures = self.before_name() + self.figures_width();
        (self.around() + names).max(figures).max(more).ceil()
    }

    /// Gives each entry the best name that fits the column. A name that is still cut gets a number
    /// if it would look the same as another.
    fn fit(&mut self) {
        let room = (self.column - self.around()).max(0.0);
        let size = self.size;
        let mut given: Vec<String> = Vec::new();
        for entry in &mut self.entries {
            let weight = entry.weight();
            let long = |name: &str| width(name, size, weight);
            let names = || entry.names.iter();
            let fitting = names().find(|name| long(name) <= room);
            let shortest = || names().min_by(|a, b| long(a).total_cmp(&long(b)));
            let Some(name) = fitting.or_else(shortest) else { continue };
            self.lost += (long(name) - room).max(0.0);
            let with = |end: &str| elide(name, size, weight, (room - long(end)).max(0.0)) + end;
            let shown = names::free(with, |shown| given.iter().any(|given| given == shown));
            given.push(shown.clone());
            entry.name = shown;
        }
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
            let y = if self.places.is_empty() { baseline(0) } else { at.y - HEADS_ABOVE };
            let right = Point { x: corner(column) + self.column, y };
            group.items.extend(self.values(&self.heads, right, false));
            let unit = Text::new(corner(column), y, self.size, Role::Muted, self.unit);
            let has_unit = !self.unit.is_empty() && !self.heads.is_empty();
            group.items.extend(has_unit.then(|| unit.into()));
        }
        for (i, entry) in self.entries.iter().enumerate() {
            let place = match self.places.get(i) {
                Some(middle) => Point { x: at.x, y: middle + 0.36 * self.size },
                None => {
                    let row = i % rows * self.lines() + heads;
                    Point { x: corner(i / rows), y: baseline(row) }
                }
            };
            group.items.push(self.entry(entry, place, self.links.get(i).copied().flatten()).into());
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
            let text = elide(&more_text(self.left_out), self.size, FontWeight::Regular, room);
            let y = self.places.get(i).map_or(baseline(row), |middle| middle + 0.36 * self.size);
            group.items.push(Text::new(x, y, self.size, Role::Muted, text).into());
        }
        Some(group)
    }

    /// An entry with its left end at `at` on its base line, and the line to its band.
    fn entry(&self, entry: &KeyEntry, at: Point, link: Option<Point>) -> Group {
        let mut group = entry.group.clone();
        let middle = at.y - 0.36 * self.size;
        let square = |side: f64, radius, fill| {
            let x = match self.swatch > 0.0 {
                true => at.x + (self.swatch - side) / 2.0,
                false => at.x - side - BEFORE_NAME,
            };
            let at = Point { x, y: middle - side / 2.0 };
            Rectangle { at, width: side, height: side, radius, fill }.into()
        };
        let side = SWATCH.min(self.row - 2.5);
        let (fill, stroke) = match entry.swatch {
            Swatch::Box(fill) => (Some(fill), Stroke::new(fill, LINK)),
            Swatch::Line(stroke) => (None, stroke),
        };
        match (link, fill) {
            (Some(band), _) => {
                let ends = [at.x - LINK_END, at.x - LINK_END / 3.0].map(|x| Point { x, y: middle });
                let points = [band].into_iter().chain(ends).collect();
                group.items.push(Line { points, stroke }.into());
            }
            (None, Some(fill)) => group.items.push(square(side, 2.0, fill)),
            (None, None) => {
                let ends = if self.swatch > 0.0 {
                    [0.0, self.swatch]
                } else {
                    [-LINE_SWATCH, -BEFORE_NAME]
                };
                let points = ends.map(|x| Point { x: at.x + x, y: middle });
                group.items.push(Line { points: points.to_vec(), stroke }.into());
            }
        }
        let name = &*entry.name;
        let name = Text::new(at.x + self.before_name(), at.y, self.size, Role::Text, name);
        group.items.push(if entry.grows { name.bold() } else { name }.into());
        let below = if self.has_two_lines { SECOND_LINE * self.row } else { 0.0 };
        let right = Point { x: at.x + self.column, y: at.y + below };
        group.items.extend(self.values(&entry.values, right, entry.grows));
        group
    }

    /// Figures or their headings, from right to left; the last one ends at `right`. What grew is in the colour of an alarm.
    fn values<S: AsRef<str>>(&self, texts: &[S], right: Point, grows: bool) -> Vec<Item> {
        let mut x = right.x;
        let values = texts.iter().enumerate().rev().map(|(i, text)| {
            let is_alarm = grows && self.heads.get(i) == Some(&"grew");
            let role = if is_alarm { Role::Alarm } else { Role::Muted };
            let value = Text::new(x, right.y, self.size, role, text.as_ref());
            x -= self.value_width(i) + BEFORE_VALUE;
            value.anchored(Anchor::End)
        });
        values.filter(|value| !value.content.is_empty()).map(Item::from).collect()
    }
}

impl KeyEntry {
    fn weight(&self) -> FontWeight {
        if self.grows { FontWeight::Bold } else { FontWeight::Regular }
    }
}

/// The middle of each layer at the right edge of a plot, and its height there, bottom first; none if nothing is drawn.
fn levels(sampling: &Sampling<'_>) -> Vec<(u128, u128)> {
    let (chart, columns, time) = (sampling.chart, sampling.columns(), &sampling.time);
    let end = chart.end_sample().map(|sample| time.of_sample(chart, sample));
    let is_shown = |&i: &usize| {
        let place = columns.places[i];
        columns.total[i] > 0
            && (time.low..=time.high).contains(&place)
            && end.is_none_or(|end| place <= end)
    };
    let Some(end) = (0..columns.places.len()).rfind(is_shown) else { return Vec::new() };
    let mut under = 0;
    let middle = |layer: &std::borrow::Cow<'_, [crate::base::units::Bytes]>| {
        let size = u128::from(layer[end].get());
        under += size;
        match sampling.options.view {
            View::Stacked => (under - size / 2, size),
            View::Percent => {
                let total = columns.total[end];
                (share(under - size / 2, total), share(size, total))
            }
            View::Lines => (size, u128::MAX),
        }
    };
    columns.layers.iter().map(middle).collect()
}

/// Places as near to these, which are in order from the top down, as so much room for each allows: runs of neighbours that
/// are too near share their room around the middle of what they want.
fn spread(wanted: &[f64], room: f64, low: f64, high: f64) -> Vec<f64> {
    // Without the room, runs are places that are equal.
    let mut runs: Vec<(f64, usize)> = Vec::new();
    for (i, y) in wanted.iter().enumerate() {
        let (mut sum, mut count) = (y - i as f64 * room, 1);
        while let Some((before, n)) =
            runs.pop_if(|(before, n)| *before / *n as f64 >= sum / f64::from(count))
        {
            (sum, count) = (sum + before, count + n as u32);
        }
        runs.push((sum, count as usize));
    }
    let most = high - low - wanted.len().saturating_sub(1) as f64 * room;
    let places = runs.into_iter().flat_map(|(sum, count)| {
        std::iter::repeat_n((sum / count as f64 - low).clamp(0.0, most.max(0.0)) + low, count)
    });
    places.enumerate().map(|(i, y)| y + i as f64 * room).collect()
}

/// The width of an entry's shortest name.
fn shortest(entry: &KeyEntry, size: f64) -> f64 {
    let widths = entry.names.iter().map(|name| width(name, size, entry.weight()));
    widths.fold(f64::INFINITY, f64::min)
}

/// The words about entries that are left out.
fn more_text(left_out: usize) -> String {
    format!("… and {left_out} more")
}

fn entry(names: Vec<String>, values: [String; 2], swatch: Swatch, group: Group) -> KeyEntry {
    let name = names.first().cloned().unwrap_or_default();
    let (is_band, values) = (group.target.is_some(), values.into());
    KeyEntry { names, name, values, swatch, group, is_band, grows: false, level: None }
}

fn layer_entry(bands: &KeyLayers<'_>, i: usize, columns: [Column; 2]) -> KeyEntry {
    let KeyLayers { chart, options, looks, .. } = *bands;
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
    let is_percent = options.view == View::Percent;
    let amount = |bytes: Bytes| bands.amount(bytes.get().into());
    let values = columns.map(|column| match column {
        Column::Grew => bands.grown(layer.grew),
        Column::Peak if is_percent => labels::peak_share(chart, layer),
        Column::Peak => amount(labels::peak(layer).0),
        Column::End if is_percent => labels::end_share(chart, layer),
        Column::End => amount(labels::at_end(chart, layer)),
    });
    let values = once(columns, values);
    let grows = layer.suspect.is_some_and(|leak| leak != Leak::None);
    KeyEntry { grows, ..entry(layer.names.clone(), values, swatch, group) }
}

/// The figures of a band without a peak that is what it has at the end, and without what is nothing.
fn once(columns: [Column; 2], mut values: [String; 2]) -> [String; 2] {
    if columns == [Column::Peak, Column::End] && values[0] == values[1] {
        values[0].clear();
    }
    let is_nothing = |value: &String| value.split(' ').next() == Some("0");
    values.iter_mut().filter(|value| is_nothing(value)).for_each(String::clear);
    values
}

fn total_entry(bands: &KeyLayers<'_>, columns: [Column; 2]) -> KeyEntry {
    let KeyLayers { chart, options, .. } = *bands;
    let mut group = Group::new("key-entry");
    group.id = Some("key-total".to_owned());
    group.title = Some(labels::total_title(chart, options.units));
    let swatch = Swatch::Line(Stroke::new(Role::Total, 1.5));
    let end = chart.end_sample().map_or(0, |sample| chart.total[sample]);
    let peak = chart.peak().map_or(0, |peak| peak.total);
    let values = columns.map(|column| match column {
        Column::Peak => bands.amount(peak),
        Column::End => bands.amount(end),
        Column::Grew => String::new(),
    });
    KeyEntry {
        level: Some((end, u128::MAX)),
        ..entry(vec!["all bands".to_owned()], once(columns, values), swatch, group)
    }
}

fn range_entry() -> KeyEntry {
    let mut group = Group::new("key-entry");
    group.id = Some("key-range".to_owned());
    group.title = Some("the highest sample of each column".to_owned());
    // A line is not a single figure.
    let swatch = Swatch::Line(Stroke::new(Role::RangeEdge, 0.7));
    let names = ["highest of all bands", "highest"].map(str::to_owned);
    entry(names.into(), [const { String::new() }; 2], swatch, group)
}

fn overlay_entry(overlay: &Overlay, bands: &KeyLayers<'_>, columns: [Column; 2]) -> KeyEntry {
    let mut group = Group::new("key-entry");
    group.id = Some(format!("key-heap-{}", overlay.figure.id()));
    group.title = Some(overlay.title(bands.options.units));
    let names = vec![overlay.figure.name().to_owned()];
    let swatch = Swatch::Line(overlay.stroke());
    let end = overlay.at_end.map(|bytes| bytes.get().into());
    let values = columns.map(|column| match column {
        Column::Peak => bands.amount(overlay.peak.1.get().into()),
        Column::End => end.map_or_else(String::new, |bytes| bands.amount(bytes)),
        Column::Grew => bands.grown(overlay.grew),
    });
    let level = end.or_else(|| Some(overlay.points.last()?.1)).map(|bytes| (bytes, u128::MAX));
    KeyEntry { grows: overlay.grew.is_some(), level, ..entry(names, values, swatch, group) }
}
