//! The stacked chart in the cells of a terminal: what `draw` draws of the same run, with a column of cells in place
//! of some pixels.
//!
//! Each cell is cut into eighths: a block character shows where one layer ends and the next begins,
//! with the colour of the lower one on that of the upper one. Without colours, gaps show where a layer ends.

use std::ops::Range;

use crate::base::units::{Bytes, Nanos};
use crate::chart::columns::{Columns, Place};
use crate::chart::{Chart, LayerRole};
use crate::draw::{DrawOptions, KeyPlace, Sampling, TimeAxis, XAxis, width_of};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::TerminalView;

/// A cell filled from below to this many eighths.
pub const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const STEPS: u64 = 8;
/// The character for a time without samples.
const SHADE: char = '░';
const NO_SAMPLES: &str = "no samples";
/// How wide a cell is taken to be, where a picture counts in pixels.
const PIXELS: f64 = 8.0;

/// What is at some height of the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellPart {
    /// A layer, counted from the top.
    Layer(usize),
    /// The bands without a layer of their own.
    Other,
    /// The samples of the column that are higher than the one shown, or than their mean.
    Range,
    /// The figure of the run-time system that is accused, above the bands.
    Outside,
}

/// What is shown in one column of cells.
#[derive(Clone, Debug)]
enum Column {
    /// The upper edge of each part in bytes, from the bottom.
    Stack(Vec<(u128, CellPart)>),
    /// There is nothing: the run began later, or ended.
    Empty,
    /// Nothing is known, because no samples were taken.
    Gap,
}

/// The chart of what a view shows, a column of cells each.
pub struct CellColumns<'a> {
    columns: Vec<Column>,
    /// The value at the top of the chart, in bytes.
    pub top: u128,
    chart: &'a Chart,
    axis: TimeAxis,
    /// The place at the left end.
    low: Place,
}

impl<'a> CellColumns<'a> {
    /// The columns of a chart from a sample on; of a run that has not ended, to its last sample: other buffers of its log
    /// arrive earlier than those with samples.
    pub fn new(chart: &'a Chart, first: usize, width: usize, ended: bool) -> CellColumns<'a> {
        let mut options = DrawOptions { key: KeyPlace::None, ..DrawOptions::default() };
        options.width = width_of(width);
        if !ended {
            options.scale.time_max = chart.times.last().copied();
        }
        if first > 0 {
            options.scale.time_min = chart.times.get(first).copied();
        }
        let sampling = Sampling::new(chart, &options);
        let axis = &sampling.time;
        let place = |sample| axis.of_sample(chart, sample);
        // An axis of samples has no other beginning than its own.
        let low = if first > 0 { axis.low.max(place(first)) } else { axis.low };
        let highest = (0..chart.times.len()).max_by_key(|&sample| chart.total[sample]);
        let single = highest.filter(|_| axis.is_single(chart));
        let bar = single.map(|sample| {
            Columns::bar(chart, sample, axis.bar(place(sample), PIXELS * width as f64))
        });
        let shown = bar.as_ref().unwrap_or_else(|| sampling.columns());
        let outside = chart.outside.map(|accused| &chart.heap[accused.figure].points);
        let place_of = |&(time, bytes): &(Nanos, Bytes)| {
            Some((axis.of_marker(chart, time)?, u128::from(bytes.get())))
        };
        let (highs, over): (Vec<(Place, u128)>, CellPart) = match outside {
            Some(points) => (points.iter().filter_map(place_of).collect(), CellPart::Outside),
            None => (shown.range.iter().map(|range| range.high).collect(), CellPart::Range),
        };
        let edge = |x: usize| {
            let share = x as f64 / width.max(1) as f64;
            low.saturating_add((share * (axis.high as f64 - low as f64)) as i64)
        };
        let column = |x: usize| {
            // A sample at the right end is in the last cell.
            let last = x + 1 == width;
            let ends = [edge(x), if last { axis.high.saturating_add(1) } else { edge(x + 1) }];
            column(chart, shown, (&highs, over), ends)
        };
        let columns: Vec<Column> = (0..width).map(column).collect();
        let heights = columns.iter().filter_map(|column| match column {
            Column::Stack(edges) => edges.last().map(|edge| edge.0),
            Column::Empty | Column::Gap => None,
        });
        let highest = heights.max().unwrap_or(0);
        CellColumns { columns, top: round_up(highest), chart, axis: axis.clone(), low }
    }

    /// The column in which an instant is; `None` outside of what is shown.
    pub fn place_of(&self, time: Nanos) -> Option<u16> {
        let share = self.share_of(time)?;
        (0.0..=1.0).contains(&share).then(|| self.column_at(share))
    }

    /// Where an instant is, from 0 at the left end to 1 at the right one.
    fn share_of(&self, time: Nanos) -> Option<f64> {
        let (low, high) = (self.low as f64, self.axis.high as f64);
        let place = self.axis.of_marker(self.chart, time)? as f64;
        Some((place - low) / (high - low).max(1.0))
    }

    fn column_at(&self, share: f64) -> u16 {
        let last = self.columns.len().saturating_sub(1);
        ((share.max(0.0) * self.columns.len() as f64) as usize).min(last) as u16
    }

    /// What is at the left and the right end.
    pub fn ends(&self) -> [String; 2] {
        match self.axis.kind() {
            XAxis::Sample => {
                let Range { start, end } = self.chart.censuses;
                let last = self.chart.number(end.saturating_sub(1));
                [format!("sample {}", self.chart.number(start)), last.to_string()]
            }
            XAxis::Time | XAxis::Clock => {
                [self.low, self.axis.high].map(|end| Nanos::from_nanos(end).to_string())
            }
        }
    }
}

/// Which of the points, in order of their places, are shown between two places: one of them, or the two around and the
/// share of the second.
fn shown_at<T>(
    points: &[T],
    place: impl Fn(&T) -> Place,
    [from, to]: [Place; 2],
    best: impl Fn(&usize, &usize) -> std::cmp::Ordering,
) -> Option<(usize, usize, f64)> {
    let [first, next] = [from, to].map(|end| points.partition_point(|point| place(point) < end));
    if let Some(one) = (first..next).max_by(best) {
        return Some((one, one, 0.0));
    }
    let before = first.checked_sub(1)?;
    (next < points.len()).then(|| {
        let (a, b) = (place(&points[before]) as f64, place(&points[next]) as f64);
        let middle = f64::midpoint(from as f64, to as f64);
        (before, next, ((middle - a) / (b - a).max(1.0)).clamp(0.0, 1.0))
    })
}

/// What is shown between two ends. What is over the bands has its points, and what it is.
fn column(
    chart: &Chart,
    shown: &Columns<'_>,
    (highs, over): (&[(Place, u128)], CellPart),
    ends: [Place; 2],
) -> Column {
    let (places, total) = (&shown.places, &shown.total);
    // Peaks must not get lost between columns.
    let best = |a: &usize, b: &usize| total[*a].cmp(&total[*b]);
    let Some((a, b, share)) = shown_at(places, |place| *place, ends, best) else {
        return Column::Empty;
    };
    if a != b && shown.is_interrupted(places[a], places[b]) {
        return Column::Gap;
    }
    let between = |a: u128, b: u128| (a as f64 + share * (b as f64 - a as f64)).round() as u128;
    let of = |layer: usize| {
        let residency = &shown.layers[layer];
        between(residency[a].get().into(), residency[b].get().into())
    };
    let total = between(total[a], total[b]);
    let in_layers: u128 = (0..chart.layers.len()).map(of).sum();
    // Each layer is rounded by itself.
    let rounding = chart.layers.len() as u128 + 1;
    let hidden = total.saturating_sub(in_layers);
    let mut height = if hidden > rounding { hidden } else { 0 };
    let mut edges = vec![(height, CellPart::Other)];
    for (from_top, (at, layer)) in
        (0..chart.layers.len()).rev().zip(chart.layers.iter().enumerate())
    {
        height += of(at);
        let is_band = layer.role == LayerRole::Band;
        edges.push((height, if is_band { CellPart::Layer(from_top) } else { CellPart::Other }));
    }
    let highest = |a: &usize, b: &usize| highs[*a].1.cmp(&highs[*b].1);
    if let Some((a, b, share)) = shown_at(highs, |high| high.0, ends, highest) {
        let (a, b) = (highs[a].1 as f64, highs[b].1 as f64);
        edges.push(((a + share * (b - a)).round() as u128, over));
    }
    Column::Stack(edges)
}

/// The next of a few steps above a height, so that the scale rarely changes.
fn round_up(height: u128) -> u128 {
    let mut unit = 1u128;
    while unit * 10 <= height && unit < u128::MAX / 20 {
        unit *= 2;
    }
    (height / unit + 1) * unit
}

/// What is at a height, `None` above the stack.
fn part_at(edges: &[(u128, CellPart)], height: u128) -> Option<CellPart> {
    edges.iter().find(|(edge, _)| height < *edge).map(|&(_, part)| part)
}

/// Draws the columns into an area, one each.
pub fn draw(columns: &CellColumns<'_>, view: &TerminalView, area: Rect, buffer: &mut Buffer) {
    let rows = u128::from(area.height);
    let height_of = |step: u128| columns.top * step / (rows * u128::from(STEPS));
    for (x, column) in columns.columns.iter().take(usize::from(area.width)).enumerate() {
        for y in 0..area.height {
            let cell = &mut buffer[(area.x + x as u16, area.y + y)];
            let edges = match column {
                Column::Stack(edges) => edges,
                Column::Empty => continue,
                Column::Gap => {
                    cell.set_char(SHADE).set_fg(Color::DarkGray);
                    continue;
                }
            };
            let bottom = u128::from(area.height - 1 - y) * u128::from(STEPS);
            let parts: Vec<_> = (0..u128::from(STEPS))
                .map(|step| part_at(edges, height_of(bottom + step)))
                .collect();
            block(&parts, view, cell);
        }
    }
    label_gaps(columns, area, buffer);
}

/// Writes what a shaded time is, where it is wide enough.
fn label_gaps(columns: &CellColumns<'_>, area: Rect, buffer: &mut Buffer) {
    let mut x = 0;
    for run in columns.columns.chunk_by(|a, b| matches!((a, b), (Column::Gap, Column::Gap))) {
        let room = run.len().saturating_sub(NO_SAMPLES.len());
        if matches!(run[0], Column::Gap) && room >= 2 && area.height > 0 {
            let at = (area.x + (x + room / 2) as u16, area.y + area.height / 2);
            let style = Style::new().fg(Color::Gray);
            buffer.set_string(at.0 - 1, at.1, format!(" {NO_SAMPLES} "), style);
        }
        x += run.len();
    }
}

/// One cell in block characters. If it has more than two parts, the lowest and the highest are
/// shown.
fn block(parts: &[Option<CellPart>], view: &TerminalView, cell: &mut Cell) {
    let Some(lower) = parts[0] else { return };
    let filled = parts.iter().take_while(|&&part| part == Some(lower)).count();
    let style = Style::default().fg(colour(view, lower));
    let above = parts.get(filled..).and_then(|rest| rest.last()).copied().flatten();
    let style = above.map_or(style, |upper| style.bg(colour(view, upper)));
    cell.set_symbol(EIGHTHS[filled]).set_style(style);
}

/// The colour of a part of the chart.
pub fn colour(view: &TerminalView, part: CellPart) -> Color {
    let known = match part {
        CellPart::Layer(layer) => view.seen.colours.get(layer).copied(),
        CellPart::Other => None,
        CellPart::Range => view.seen.range,
        CellPart::Outside => Some(Color::Red),
    };
    known.unwrap_or(Color::DarkGray)
}
