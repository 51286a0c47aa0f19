//! The thin lines between layers. They are drawn only where they cover little of the layers.

use super::frame::Frame;
use super::heights::Edges;
use super::options::View;
use crate::chart::columns::Columns;

/// The widths that a line between two layers can have, in pixels, widest first.
const WIDTHS: [f64; 2] = [0.6, 0.3];

/// The greatest share that a line may cover of each of the layers that it separates.
const MOST_INK: f64 = 0.03;

/// The width of the line along the upper edge of each layer, bottom first. `None` if a line would
/// cover more than that share of a layer that it touches, which happens to thin and to rough
/// layers.
pub fn widths(
    columns: &Columns<'_>,
    view: View,
    plot: Frame,
    ends: (i64, i64),
    top: u128,
) -> Vec<Option<f64>> {
    let count = columns.layers.len();
    if view == View::Lines {
        return vec![None; count];
    }
    let across = (plot.right - plot.left) / (ends.1 as f64 - ends.0 as f64);
    let up = (plot.bottom - plot.top) / top as f64;
    // The ink of a layer and the length of its upper edge, in square pixels and pixels.
    let mut ink = vec![0.0; count];
    let mut length = vec![0.0; count];
    let mut above: Option<(usize, f64)> = None;
    for (layer, edge) in Edges::new(columns, view) {
        let mut under = 0.0;
        for i in 1..edge.len() {
            let dx = (columns.places[i] as f64 - columns.places[i - 1] as f64) * across;
            let (a, b) = (edge[i - 1] as f64 * up, edge[i] as f64 * up);
            under += dx * f64::midpoint(a, b);
            length[layer] += libm::hypot(dx, b - a);
        }
        if let Some((above, area)) = above.replace((layer, under)) {
            ink[above] = area - under;
        }
    }
    if let Some((lowest, area)) = above {
        ink[lowest] = area;
    }
    let width = |layer: usize| {
        let least = ink.get(layer + 1).map_or(ink[layer], |above| ink[layer].min(*above));
        WIDTHS.into_iter().find(|width| width * length[layer] <= MOST_INK * least)
    };
    (0..count).map(width).collect()
}
