//! Draws named instants as vertical lines, with their names in a few rows above the plot.
//!
//! A name is to the right of its line, which reaches up to it; at the right edge it is on top of
//! the line. Names are placed from left to right, each in the highest free row, so that a line
//! never crosses an earlier name. Then each name gets the space that is still free in its row.
//! Names without a free row are left out, and so are lines too close together to be told apart.

use super::labels;
use super::options::{MarkerChoice, Messages};
use super::plotters::PixelFrame;
use super::time_axis::TimeAxis;
use crate::base::units::count;
use crate::chart::{Chart, Marker, MarkerKind};
use crate::picture::text_width::{FontWeight, elide, width};
use crate::picture::{Group, Line, Point, Role, Stroke, Text};

/// The font size of names, in pixels.
const SIZE: f64 = 10.5;
/// The height of a row of names in pixels.
pub const ROW: f64 = 14.0;

/// How many rows of names there may be.
pub const MOST_ROWS: usize = 4;
/// The height of all rows of names, and the gap above them, in pixels.
pub const MOST_HEIGHT: f64 = MOST_ROWS as f64 * ROW + 8.0;
/// The height above the plot if there are no names.
pub const LEAST_HEIGHT: f64 = ROW + 8.0;
/// The greatest width of names while they are placed.
const FIRST_WIDTH: f64 = 150.0;
const INDENT: f64 = 4.0;
const GAP: f64 = 8.0;
const LEAST_DISTANCE: f64 = 2.0;

#[derive(Default)]
pub struct Marks {
    /// In order of time.
    pub marks: Vec<MarkerLine>,
    /// How many rows of names there are.
    pub rows: usize,
}

/// A marker's line and, if there was room, its name.
pub struct MarkerLine {
    pub time: i64,
    /// The name of the marker, if it fits.
    pub name: Option<MarkerName>,
    pub title: String,
}

pub struct MarkerName {
    pub text: String,
    /// The row of the name; row 0 is next to the plot.
    pub row: usize,
    /// The left end, in pixels from the left edge of the plot; left of the line when the name
    /// is on top of it.
    pub x: f64,
}

#[derive(Clone, Copy)]
pub struct MarkRoom {
    /// The width of the plot, in pixels.
    pub plot: f64,
    /// Where names must end, in pixels from the left edge of the plot.
    pub names: f64,
    /// The most rows of names.
    pub rows: usize,
}

/// The markers of a chart that are to be drawn, in order of time.
fn chosen<'a>(chart: &'a Chart, choice: &'a MarkerChoice) -> impl Iterator<Item = &'a Marker> {
    chart.markers.iter().filter(|marker| {
        let kind = marker.kind == MarkerKind::Marker || choice.messages == Messages::Show;
        kind && choice.pattern.matches(&marker.label)
    })
}

/// Where a marker is on the axis; `None` beyond its ends.
fn place_of(chart: &Chart, marker: &Marker, axis: &TimeAxis) -> Option<i64> {
    let time = axis.of_marker(chart, marker.time);
    time.filter(|time| (axis.low..=axis.high).contains(time))
}

impl Marks {
    /// Places the markers of a chart.
    pub fn new(chart: &Chart, choice: &MarkerChoice, axis: &TimeAxis, room: MarkRoom) -> Self {
        let mut rows = NameRows {
            lowest: MOST_ROWS - room.rows.min(MOST_ROWS),
            ends: [f64::NEG_INFINITY; MOST_ROWS],
            lines: Vec::new(),
        };
        let mut last = f64::NEG_INFINITY;
        let mut placed = Marks::default();
        let mut labels = Vec::new();
        for marker in chosen(chart, choice) {
            let Some(time) = place_of(chart, marker, axis) else { continue };
            let x = axis.pixels(time, room.plot);
            if x - last < LEAST_DISTANCE {
                continue;
            }
            last = x;
            let label = labels::visible_text(marker.label.trim());
            let name = if label.is_empty() { None } else { rows.place(&label, x, room.names) };
            let title = labels::marker_title(&marker.label, marker.time);
            placed.marks.push(MarkerLine { time, name, title });
            labels.push((x, label));
        }
        placed.stretch(&labels, room.names);
        placed.close_up();
        placed
    }

    /// Gives names that were cut the free space to their right, up to the next name in the row or
    /// the next line that crosses the row.
    fn stretch(&mut self, labels: &[(f64, String)], room: f64) {
        let names = self.marks.iter().map(|mark| mark.name.as_ref().map(|name| (name.row, name.x)));
        let names: Vec<Option<(usize, f64)>> = names.collect();
        // From right to left: for each row, where the next name begins or the next line crosses it.
        let mut free = [room; MOST_ROWS];
        for (i, mark) in self.marks.iter_mut().enumerate().rev() {
            let (Some(name), Some((row, left))) = (&mut mark.name, names[i]) else { continue };
            let (x, label) = &labels[i];
            if left > *x {
                let all = elide(label, SIZE, FontWeight::Regular, (free[row] - left).max(0.0));
                if width(&all, SIZE, FontWeight::Regular)
                    > width(&name.text, SIZE, FontWeight::Regular)
                {
                    name.text = all;
                }
            }
            free[row] = free[row].min(left - GAP);
            for below in &mut free[..row] {
                *below = below.min(x - INDENT);
            }
        }
    }

    /// Names were placed from the highest row down; the rows that stayed empty are below.
    fn close_up(&mut self) {
        let names = || self.marks.iter().filter_map(|mark| mark.name.as_ref());
        let lowest = names().map(|name| name.row).min().unwrap_or(MOST_ROWS);
        self.rows = MOST_ROWS - lowest;
        for name in self.marks.iter_mut().filter_map(|mark| mark.name.as_mut()) {
            name.row -= lowest;
        }
    }

    /// Moves all names up by a row: the words of brackets are next to the plot.
    pub fn raise(&mut self) {
        self.rows += 1;
        let names = self.marks.iter_mut().filter_map(|mark| mark.name.as_mut());
        names.for_each(|name| name.row += 1);
    }

    /// The note about markers beyond the ends of the axis.
    pub fn note(chart: &Chart, choice: &MarkerChoice, axis: &TimeAxis) -> Option<String> {
        let is_outside = |marker: &&Marker| place_of(chart, marker, axis).is_none();
        let outside = chosen(chart, choice).filter(is_outside).count();
        let all = count(chosen(chart, choice).count(), "marker");
        (outside > 0).then(|| format!("{outside} of {all} beyond the axis"))
    }
}

impl MarkerLine {
    /// The line and the name of a marker in a plot; the line's lower end is at `foot`.
    pub fn group(&self, plot: PixelFrame, foot: Point) -> Group {
        let baseline = |row: usize| plot.top - 8.0 - row as f64 * ROW;
        let name = self.name.as_ref();
        let top = name.map_or(plot.top, |name| match plot.left + name.x > foot.x {
            true => baseline(name.row) - 0.75 * SIZE,
            false => baseline(name.row) + 3.0,
        });
        let mut group = Group { title: Some(self.title.clone()), ..Group::new("marker") };
        let points = vec![Point { x: foot.x, y: top }, foot];
        group.items.push(Line { points, stroke: Stroke::new(Role::Marker, 0.8) }.into());
        group.items.extend(name.map(|name| {
            let (x, y) = (plot.left + name.x, baseline(name.row));
            Text::new(x, y, SIZE, Role::Muted, &*name.text).into()
        }));
        group
    }
}

/// The rows while names are placed from left to right.
struct NameRows {
    /// The lowest row that can be used.
    lowest: usize,
    /// Where the last name of each row ends, lowest row first.
    ends: [f64; MOST_ROWS],
    /// The lines that reach up to names, each with the row that it reaches.
    lines: Vec<(f64, usize)>,
}

impl NameRows {
    /// Finds a row for the name of the line at `x`, right of all lines so far.
    fn place(&mut self, label: &str, x: f64, room: f64) -> Option<MarkerName> {
        let text = elide(label, SIZE, FontWeight::Regular, FIRST_WIDTH.min(room));
        let length = width(&text, SIZE, FontWeight::Regular);
        // At the right edge the name is on top of its line.
        let left = (x + INDENT).min(room - length);
        let row = (self.lowest..MOST_ROWS).rev().find(|&row| {
            let line_is_free = self.ends[..row].iter().all(|&end| end < x - 1.0);
            let crossing = self.lines.iter().rev().take_while(|line| line.0 + 2.0 > left);
            self.ends[row] + GAP <= left && line_is_free && !crossing.into_iter().any(|l| l.1 > row)
        })?;
        self.ends[row] = (left + length).max(x);
        self.lines.push((x, row));
        Some(MarkerName { text, row, x: left })
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::MarkerPattern;
    use super::*;
    use crate::chart::testing::Recipe;
    use crate::draw::DrawOptions;

    const ROOM: MarkRoom = MarkRoom { plot: 600.0, names: 620.0, rows: MOST_ROWS };

    fn marks(markers: &[(i64, &str)]) -> Marks {
        let chart = Recipe { markers, ..Recipe::of(2, 100) }.chart(|_, _| 1000);
        let axis = TimeAxis::new(&chart, &DrawOptions::default()).with_ticks(&chart, 600.0, 11.0);
        Marks::new(&chart, &MarkerChoice::default(), &axis, ROOM)
    }

    #[test]
    fn markers_far_apart_share_one_row() {
        let marks = marks(&[(100_000_000, "start"), (1_000_000_000, "middle")]);
        let named = marks.marks.iter().filter(|mark| mark.name.is_some()).count();
        assert_eq!((marks.rows, named), (1, 2));
    }

    #[test]
    fn no_name_is_crossed_by_a_line_or_a_name() {
        let mut random = crate::testing::Random::new(1, "marks");
        for _ in 0..300 {
            let count = random.below(60) as usize;
            let mut times: Vec<i64> =
                (0..count).map(|_| random.below(2_000_000_000) as i64).collect();
            times.sort_unstable();
            let label = &"phase of the program in which all is read and put into a big map"
                [..5 + random.below(60) as usize];
            let all: Vec<(i64, &str)> = times.into_iter().map(|time| (time, label)).collect();
            let marks = marks(&all);
            let scale = 600.0 / 2e9;
            for mark in &marks.marks {
                let Some(name) = &mark.name else { continue };
                let right = name.x + width(&name.text, SIZE, FontWeight::Regular);
                assert!(right <= 620.0);
                for other in &marks.marks {
                    if std::ptr::eq(mark, other) {
                        continue;
                    }
                    let x = other.time as f64 * scale;
                    let Some(beside) = &other.name else { continue };
                    assert!(beside.row < name.row || !(name.x..right).contains(&x));
                    let end = beside.x + width(&beside.text, SIZE, FontWeight::Regular);
                    assert!(beside.row != name.row || end < name.x || right < beside.x);
                }
            }
        }
    }

    #[test]
    fn a_name_at_the_right_edge_is_placed_above_its_line() {
        let marks = marks(&[(1_990_000_000, "the very end")]);
        let name = marks.marks[0].name.as_ref().unwrap();
        assert!(name.x < 597.0 && name.x > 540.0);
    }

    #[test]
    fn a_long_name_uses_the_free_space() {
        let long = "reading the whole of the input into one map and forcing it";
        let placed = marks(&[(100_000_000, long)]);
        assert_eq!(placed.marks[0].name.as_ref().unwrap().text, long);
        let placed = marks(&[(100_000_000, long), (1_000_000_000, long)]);
        let texts = placed.marks.iter().map(|mark| &mark.name.as_ref().unwrap().text);
        let widths: Vec<f64> = texts.map(|text| width(text, SIZE, FontWeight::Regular)).collect();
        assert!(widths[0] > 220.0 && widths[0] < 270.0 && widths[1] > 290.0, "{widths:?}");
    }

    #[test]
    fn messages_and_texts_are_chosen() {
        let markers = [(100_000_000, "load"), (300_000_000, "solve"), (1_000_000_000, "write")];
        let mut chart = Recipe { markers: &markers, ..Recipe::of(1, 100) }.chart(|_, _| 1);
        chart.markers[1].kind = MarkerKind::Message;
        let count = |pattern, messages| {
            let choice = MarkerChoice { pattern, messages };
            chosen(&chart, &choice).count()
        };
        assert_eq!(count(MarkerPattern::All, Messages::Hide), 2);
        assert_eq!(count(MarkerPattern::All, Messages::Show), 3);
        assert_eq!(count(MarkerPattern::None, Messages::Show), 0);
        assert_eq!(count("o".parse().unwrap(), Messages::Show), 2);
        assert_eq!(count("o".parse().unwrap(), Messages::Hide), 1);
    }

    #[test]
    fn marks_without_a_label_are_lines_only() {
        let marks = marks(&[(100_000_000, ""), (1_000_000_000, "")]);
        assert_eq!((marks.rows, marks.marks.len()), (0, 2));
    }
}
