//! Draws named instants as ticks at the top of the plot, with as many of their names as one row above it has room for.

use super::labels;
use super::options::{MarkerChoice, Messages};
use super::plotters::PixelFrame;
use super::time_axis::TimeAxis;
use crate::chart::{Chart, Marker, MarkerKind};
use crate::picture::text_width::{FontWeight, elide, width};
use crate::picture::{Group, Line, Point, Role, Stroke, Text};

/// The font size of names, in pixels.
const SIZE: f64 = 10.5;
/// The height of the row of names in pixels.
pub const ROW: f64 = 14.0;
/// How far a tick reaches above and into the plot, in pixels.
const TICK: (f64, f64) = (12.0, 6.0);
/// The greatest width of names while they are placed.
const FIRST_WIDTH: f64 = 150.0;
const INDENT: f64 = 4.0;
const GAP: f64 = 8.0;
const LEAST_DISTANCE: f64 = 2.0;

#[derive(Default)]
pub struct Marks {
    /// In order of time.
    pub marks: Vec<MarkerTick>,
}

/// A marker's tick and, if there was room, its name.
pub struct MarkerTick {
    pub time: i64,
    /// The name of the marker, if it fits.
    pub name: Option<MarkerName>,
    pub title: String,
}

pub struct MarkerName {
    pub text: String,
    /// The left end, in pixels from the left edge of the plot; left of the tick if the name would end beyond its room.
    pub x: f64,
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
    pub fn new(chart: &Chart, choice: &MarkerChoice, axis: &TimeAxis, room: f64) -> Self {
        let (mut placed, mut labels) = (Marks::default(), Vec::new());
        let (mut last, mut end) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for marker in chosen(chart, choice) {
            let Some(time) = place_of(chart, marker, axis) else { continue };
            let x = axis.pixels(time, room);
            if x - last < LEAST_DISTANCE {
                continue;
            }
            last = x;
            let label = labels::visible_text(marker.label.trim());
            let text = elide(&label, SIZE, FontWeight::Regular, FIRST_WIDTH.min(room));
            let long = width(&text, SIZE, FontWeight::Regular);
            let left = (x + INDENT).min(room - long);
            let fits = !label.is_empty() && left >= end + GAP;
            if fits {
                end = left + long;
            }
            let name = fits.then_some(MarkerName { text, x: left });
            let title = labels::marker_title(&marker.label, marker.time);
            placed.marks.push(MarkerTick { time, name, title });
            labels.push(label);
        }
        placed.stretch(&labels, room);
        placed
    }

    /// Gives names that were cut the free space to their right, up to the next name.
    fn stretch(&mut self, labels: &[String], room: f64) {
        let mut free = room;
        for (mark, label) in self.marks.iter_mut().zip(labels).rev() {
            let Some(name) = &mut mark.name else { continue };
            name.text = elide(label, SIZE, FontWeight::Regular, free - name.x);
            free = name.x - GAP;
        }
    }
}

impl MarkerTick {
    /// The tick and the name of a marker at the top of a plot, at this place.
    pub fn group(&self, plot: PixelFrame, x: f64) -> Group {
        let mut group = Group { title: Some(self.title.clone()), ..Group::new("marker") };
        let (above, below) = TICK;
        let above = if self.name.is_some() { above } else { 0.0 };
        let points = [plot.top - above, plot.top + below].map(|y| Point { x, y }).to_vec();
        group.items.push(Line { points, stroke: Stroke::new(Role::Marker, 1.0) }.into());
        group.items.extend(self.name.as_ref().map(|name| {
            let left = plot.left + name.x;
            Text::new(left, plot.top - 5.0, SIZE, Role::Muted, &*name.text).into()
        }));
        group
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::MarkerPattern;
    use super::*;
    use crate::chart::testing::Recipe;
    use crate::draw::DrawOptions;

    fn marks(markers: &[(i64, &str)]) -> Marks {
        let chart = Recipe { markers, ..Recipe::of(2, 100) }.chart(|_, _| 1000);
        let axis = TimeAxis::new(&chart, &DrawOptions::default()).with_ticks(&chart, 600.0, 11.0);
        Marks::new(&chart, &MarkerChoice::default(), &axis, 600.0)
    }

    #[test]
    fn names_in_their_row_keep_apart_and_use_the_room_that_there_is() {
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
            let names = marks.marks.iter().filter_map(|mark| mark.name.as_ref());
            let ends = names.map(|name| {
                let is_whole = name.text == label.trim_end();
                (name.x, name.x + width(&name.text, SIZE, FontWeight::Regular), is_whole)
            });
            let ends: Vec<(f64, f64, bool)> = ends.collect();
            assert_eq!(ends.is_empty(), count == 0);
            let next = ends.iter().skip(1).map(|end| end.0 - GAP).chain([600.0]);
            for ((_, end, is_whole), next) in ends.iter().zip(next) {
                assert!(*end <= next + 1e-9 && (*is_whole || next - end < 60.0), "{ends:?}");
            }
        }
        let last = marks(&[(1_990_000_000, "the very end")]);
        let name = last.marks[0].name.as_ref().unwrap();
        assert!(name.x < 597.0 && name.x > 520.0);
        assert!(marks(&[(100_000_000, "")]).marks[0].name.is_none());
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
}
