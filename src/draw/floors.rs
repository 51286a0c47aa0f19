//! How a page shows least totals that are far below the totals: as a picture does.

use super::axis::TimeAxis;
use super::options::DrawOptions;
use super::{heap_axis, heights, shown};
use crate::base::units::Bytes;
use crate::chart::Chart;

/// The columns and the height of a picture whose range is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloorCut {
    /// How many columns there are.
    pub columns: usize,
    /// The value at the top of the axis, below the highest total.
    pub top: Bytes,
}

/// The cut of a picture of a chart; `None` where it shows all of the range.
pub fn floor_cut(chart: &Chart, options: &DrawOptions) -> Option<FloorCut> {
    let axis = TimeAxis::new(chart, options);
    let columns = shown::columns(chart, &axis, options);
    let own = heights::own_highest(chart, &columns, options.view);
    let is_cut = own < heights::highest(chart, &columns, options.view);
    is_cut.then(|| FloorCut {
        columns: shown::raster(&axis, options).count,
        top: Bytes::new(u64::try_from(heap_axis::with_air(own)).unwrap_or(u64::MAX)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing::{Recipe, names, times};
    use crate::draw::ColumnKind;

    /// The cut of a sawtooth of 16 samples, which rises `most` above 1 000 bytes.
    fn cut(most: u64, kind: ColumnKind) -> Option<FloorCut> {
        let (names, times) = (names(1), times(4_000));
        let recipe = Recipe { names: &names, times: &times, ..Recipe::default() };
        let profile = recipe.profile(|_, sample| 1_000 + sample as u64 % 16 * most / 15);
        let slice = crate::slice::Slice::whole(&profile);
        let chart = Chart::of(&slice, crate::slice::rank::rank(&slice, &recipe.rank));
        floor_cut(&chart, &DrawOptions::default().with_columns(kind))
    }

    #[test]
    fn a_page_cuts_the_range_where_a_picture_does() {
        let found = cut(9_000, ColumnKind::Floor).expect("a cut");
        assert!((1_300..1_500).contains(&found.top.get()), "{found:?}");
        assert!((100..250).contains(&found.columns), "{found:?}");
        assert_eq!(cut(500, ColumnKind::Floor), None, "all of it has room");
        assert_eq!(cut(9_000, ColumnKind::Mean), None);
    }
}
