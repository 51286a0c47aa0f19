//! The values on the vertical axis: what a view makes of residencies.

use super::options::View;
use crate::chart::{Chart, Layer};

/// The whole of a sample in the view of shares.
pub const WHOLE: u128 = 1_000_000_000;

/// Whether the line of all bands is drawn: where the stack is lower than the heap. Beside shares it
/// would be the upper edge, beside single lines it would dwarf them.
pub fn has_total(chart: &Chart, view: View) -> bool {
    view == View::Stacked && chart.total_differs() && chart.trace.grand_total > 0
}

/// The highest value that a view shows of the bands.
pub fn highest(chart: &Chart, view: View) -> u128 {
    match view {
        View::Stacked => chart.total.iter().copied().max().unwrap_or(0),
        View::Lines => {
            let residencies = chart.layers.iter().flat_map(|layer| &layer.residency);
            residencies.map(|size| u128::from(size.get())).max().unwrap_or(0)
        }
        View::Percent => WHOLE,
    }
}

/// The upper edges of the layers, from the top of the stack down, over some samples. Each is made
/// when it is asked for: the edges of many samples are big.
pub struct Edges<'a> {
    chart: &'a Chart,
    view: View,
    first: usize,
    heights: Vec<u128>,
    next: usize,
}

impl<'a> Edges<'a> {
    /// The edges of a chart over `samples`.
    pub fn new(chart: &'a Chart, view: View, samples: std::ops::Range<usize>) -> Self {
        let first = samples.start;
        let heights = samples.map(|sample| chart.drawn(sample)).collect();
        Edges { chart, view, first, heights, next: chart.layers.len() }
    }
}

impl Iterator for Edges<'_> {
    /// Which layer, and its edge in each sample.
    type Item = (usize, Vec<u128>);

    fn next(&mut self) -> Option<Self::Item> {
        self.next = self.next.checked_sub(1)?;
        let layer = &self.chart.layers[self.next];
        let residency = &layer.residency[self.first..];
        let edge = match self.view {
            View::Stacked => self.heights.clone(),
            View::Lines => {
                let own = residency.iter().map(|size| u128::from(size.get()));
                own.take(self.heights.len()).collect()
            }
            View::Percent => {
                let totals = &self.chart.total[self.first..];
                self.heights.iter().zip(totals).map(|(&h, &total)| share(h, total)).collect()
            }
        };
        for (height, size) in self.heights.iter_mut().zip(residency) {
            *height -= u128::from(size.get());
        }
        Some((self.next, edge))
    }
}

/// A part of a total in parts of [`WHOLE`]; 0 of nothing.
fn share(part: u128, total: u128) -> u128 {
    (part * WHOLE).checked_div(total).unwrap_or(0)
}

/// The highest share a layer has of a sample, as part and total.
pub fn highest_share(chart: &Chart, layer: &Layer) -> (u128, u128) {
    let parts = layer.residency.iter().map(|size| u128::from(size.get()));
    let shares = parts.zip(chart.total.iter().copied());
    shares.max_by_key(|&(part, total)| share(part, total)).unwrap_or((0, 0))
}
