//! The stacked chart in the cells of a terminal.
//!
//! Each cell is cut into eighths: a block character shows where one layer ends and the next begins,
//! with the colour of the lower one on that of the upper one. Without colours, a cell shows its
//! layer's letter from the table.

use std::ops::RangeInclusive;

use crate::base::units::Nanos;
use crate::chart::{Chart, LayerRole};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::view::View;

/// A cell filled from below to this many eighths.
pub const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const STEPS: u64 = 8;
/// The character for bands without their own layer.
pub const OTHER: char = '.';

/// The letter of a layer, where there are no colours.
pub fn letter(layer: usize) -> char {
    char::from(b'a' + (layer % 26) as u8)
}

/// What is shown in one column of cells, from the bottom: the upper edge of each layer in bytes, and which
/// layer it is; `None` for all bands without one.
type Column = Vec<(u128, Option<usize>)>;

/// The chart of what a view shows, a column of cells each.
pub struct CellColumns {
    /// Left to right; `None` where no sample is near.
    columns: Vec<Option<Column>>,
    /// The value at the top of the chart, in bytes.
    pub top: u128,
    /// From its left end to its right one; `None` if samples have no ascending times.
    pub span: Option<RangeInclusive<Nanos>>,
}

impl CellColumns {
    pub fn new(chart: &Chart, first: usize, width: usize) -> CellColumns {
        let (times, total) = (&chart.times, &chart.total);
        let shown = &times[first..];
        let span = match (shown.first(), shown.last()) {
            (Some(&from), Some(&to)) if shown.is_sorted() && to > from => Some(from..=to),
            _ => None,
        };
        let place = |sample: usize| match &span {
            Some(span) => place_in(span, times[sample], width),
            None => {
                (sample - first) * width.saturating_sub(1) / shown.len().max(2).saturating_sub(1)
            }
        };
        let mut chosen: Vec<Option<usize>> = vec![None; width];
        for sample in first..times.len() {
            let slot = &mut chosen[place(sample).min(width - 1)];
            // Peaks must not get lost between columns.
            if slot.is_none_or(|other| total[sample] > total[other]) {
                *slot = Some(sample);
            }
        }
        hold(&mut chosen);
        let highest = chosen.iter().flatten().map(|&sample| total[sample]).max();
        let columns = chosen.iter().map(|sample| sample.map(|sample| column(chart, sample)));
        CellColumns { columns: columns.collect(), top: round_up(highest.unwrap_or(0)), span }
    }
}

/// The column in which a time is, of so many.
pub fn place_in(span: &RangeInclusive<Nanos>, time: Nanos, width: usize) -> usize {
    let (at, whole) = (time.since(*span.start()), span.end().since(*span.start()));
    (at.as_seconds() / whole.as_seconds() * (width as f64 - 1.0)).round() as usize
}

/// A sample is shown until the next one, except over gaps several times as wide as usual, such as
/// between two connections.
fn hold(chosen: &mut [Option<usize>]) {
    let places: Vec<usize> = (0..chosen.len()).filter(|&x| chosen[x].is_some()).collect();
    let mut gaps: Vec<usize> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(1);
    for pair in places.windows(2) {
        let gap = pair[1] - pair[0];
        let held = if gap > 4 * usual + 2 { usual } else { gap };
        for x in pair[0] + 1..pair[0] + held {
            chosen[x] = chosen[pair[0]];
        }
    }
}

fn column(chart: &Chart, sample: usize) -> Column {
    let of = |layer: &crate::chart::Layer| u128::from(layer.residency[sample].get());
    let in_layers: u128 = chart.layers.iter().map(of).sum();
    let mut height = chart.total[sample].saturating_sub(in_layers);
    let mut edges = vec![(height, None)];
    for (from_top, layer) in (0..chart.layers.len()).rev().zip(&chart.layers) {
        height += of(layer);
        let own = (layer.role == LayerRole::Band).then_some(from_top);
        edges.push((height, own));
    }
    edges
}

/// The next of a few steps above a height, so that the scale rarely changes.
fn round_up(height: u128) -> u128 {
    let mut unit = 1u128;
    while unit * 10 <= height && unit < u128::MAX / 20 {
        unit *= 2;
    }
    (height / unit + 1) * unit
}

/// The layer at a height, `None` above the stack.
fn layer_at(column: &Column, height: u128) -> Option<Option<usize>> {
    column.iter().find(|(edge, _)| height < *edge).map(|&(_, layer)| layer)
}

/// Draws the columns into an area, one each.
pub fn draw(columns: &CellColumns, view: &View, area: Rect, buffer: &mut Buffer) {
    let rows = u128::from(area.height);
    let height_of = |step: u128| columns.top * step / (rows * u128::from(STEPS));
    for (x, column) in columns.columns.iter().take(usize::from(area.width)).enumerate() {
        let Some(column) = column else { continue };
        for y in 0..area.height {
            let bottom = u128::from(area.height - 1 - y) * u128::from(STEPS);
            let layers: Vec<_> = (0..u128::from(STEPS))
                .map(|step| layer_at(column, height_of(bottom + step)))
                .collect();
            let cell = &mut buffer[(area.x + x as u16, area.y + y)];
            match view.charset.unicode && view.charset.colour {
                true => block(&layers, view, cell),
                false => {
                    if let Some(layer) = layers[STEPS as usize / 2] {
                        cell.set_char(layer.map_or(OTHER, letter));
                    }
                }
            }
        }
    }
}

/// One cell in block characters. If it has more than two layers, the lowest and the highest are
/// shown.
fn block(layers: &[Option<Option<usize>>], view: &View, cell: &mut ratatui::buffer::Cell) {
    let Some(lower) = layers[0] else { return };
    let filled = layers.iter().take_while(|&&layer| layer == Some(lower)).count();
    let style = Style::default().fg(colour(view, lower));
    let above = layers.get(filled..).and_then(|rest| rest.last()).copied().flatten();
    let style = match above {
        Some(upper) => style.bg(colour(view, upper)),
        None => style,
    };
    cell.set_symbol(EIGHTHS[filled]).set_style(style);
}

pub fn colour(view: &View, layer: Option<usize>) -> Color {
    match layer.and_then(|layer| view.seen.colours.get(layer)) {
        Some(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        None => Color::DarkGray,
    }
}
