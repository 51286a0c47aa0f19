//! The thin lines between layers: only where they take little of what they set apart.

use super::frame::Frame;
use super::heights::Edges;
use super::options::View;
use crate::chart::columns::Columns;

/// How wide a line between two layers may be, in pixels, widest first.
const WIDTHS: [f64; 2] = [0.6, 0.3];

/// The most that a line may take of the ink of the layers on both its sides.
const MOST_INK: f64 = 0.03;

/// The width of the line along the upper edge of each layer, bottom first. `None` where a line
/// would take more than that of a layer that it touches: of thin layers, and of rough ones.
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
