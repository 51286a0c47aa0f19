//! The values on the vertical axis: what a view draws for residencies.

use super::options::View;
use crate::chart::columns::{ColumnKind, Columns};
use crate::chart::{Chart, Layer};

/// The total of a sample in the view of shares.
pub const WHOLE: u128 = 1_000_000_000;

/// Whether the line of all bands is drawn: only if the stack is lower than the heap. Over shares it
/// would be the upper edge, and it would dwarf single lines. Over columns there is already the
/// range of all bands, so the line is drawn only if the stack lacks much.
pub fn has_total(chart: &Chart, columns: &Columns<'_>, view: View) -> bool {
    let hidden = chart.trace.total.saturating_add(chart.excluded.total);
    let least = match columns.are_dense() {
        true => chart.trace.grand_total / MUCH,
        false => 0,
    };
    view == View::Stacked && hidden > least
}

/// The stack lacks much if it lacks one part in this many of all bands.
const MUCH: u128 = 20;

/// Whether the range of the total is drawn. Over shares and single lines it would not refer to
/// anything that is drawn, and over the greatest totals it would cover them.
pub fn has_range(columns: &Columns<'_>, view: View) -> bool {
    view == View::Stacked && columns.are_dense() && columns.kind != ColumnKind::Peak
}

/// The highest value that a view shows of the bands, including the range of their total.
pub fn highest(chart: &Chart, columns: &Columns<'_>, view: View) -> u128 {
    match view {
        View::Stacked => chart.total.iter().copied().max().unwrap_or(0),
        View::Lines => {
            let residencies = columns.layers.iter().flat_map(|layer| layer.iter());
            residencies.map(|size| u128::from(size.get())).max().unwrap_or(0)
        }
        View::Percent => WHOLE,
    }
}

/// The highest value that a chart's own axis must show of the bands. Below a high sawtooth the least
/// totals would be a thin line at the bottom, so there the range is cut; a note gives its highest.
pub fn own_highest(chart: &Chart, columns: &Columns<'_>, view: View) -> u128 {
    let highest = highest(chart, columns, view);
    if !has_range(columns, view) || columns.kind != ColumnKind::Floor {
        return highest;
    }
    let floors = columns.total.iter().copied().max().unwrap_or(0);
    let wish = floors.saturating_add(floors / FLOORS_AIR).max(1);
    if wish.saturating_mul(CUT) < highest { wish } else { highest }
}

/// The free space above the highest of the columns' least totals is that total divided by this.
const FLOORS_AIR: u128 = 3;
/// The range is cut if it is this many times as high.
const CUT: u128 = 2;

/// The upper edges of the layers, from the top of the stack down. Each is computed when it is asked
/// for, because the edges of many samples take much memory.
pub struct Edges<'a> {
    columns: &'a Columns<'a>,
    view: View,
    heights: Vec<u128>,
    next: usize,
}

impl<'a> Edges<'a> {
    /// The edges of what is shown of a chart.
    pub fn new(columns: &'a Columns<'a>, view: View) -> Self {
        let layers = &columns.layers;
        let height = |i: usize| layers.iter().map(|layer| u128::from(layer[i].get())).sum();
        let heights = (0..columns.places.len()).map(height).collect();
        Edges { columns, view, heights, next: layers.len() }
    }
}

impl Iterator for Edges<'_> {
    /// The index of a layer, and its edge at each place.
    type Item = (usize, Vec<u128>);

    fn next(&mut self) -> Option<Self::Item> {
        self.next = self.next.checked_sub(1)?;
        let residency = &self.columns.layers[self.next];
        let edge = match self.view {
            View::Stacked => self.heights.clone(),
            View::Lines => residency.iter().map(|size| u128::from(size.get())).collect(),
            View::Percent => {
                // Means are rounded one by one, so their sum may be a byte over the total's.
                let totals = self.columns.total.iter();
                let shares = self.heights.iter().zip(totals);
                shares.map(|(&h, &total)| share(h, total).min(WHOLE)).collect()
            }
        };
        for (height, size) in self.heights.iter_mut().zip(residency.iter()) {
            *height -= u128::from(size.get());
        }
        Some((self.next, edge))
    }
}

/// A part of a total as a fraction of [`WHOLE`]; 0 if the total is 0.
fn share(part: u128, total: u128) -> u128 {
    (part * WHOLE).checked_div(total).unwrap_or(0)
}

/// The highest share a layer has of a sample, as part and total.
pub fn highest_share(chart: &Chart, layer: &Layer) -> (u128, u128) {
    let parts = layer.residency.iter().map(|size| u128::from(size.get()));
    let shares = parts.zip(chart.total.iter().copied());
    shares.max_by_key(|&(part, total)| share(part, total)).unwrap_or((0, 0))
}
