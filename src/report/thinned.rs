//! Curves of bands whose samples do not all fit: a few means each, relative to the band's own
//! peak.

use super::means::Means;
use crate::analysis::BandFigures;
use crate::slice::RowId;

/// The precision of thinned curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fineness {
    /// The points in each curve, at most the stretches that were computed.
    pub points: usize,
    /// The level that represents the band's peak.
    pub levels: u8,
}

/// The most points that a thinned curve has.
pub const MOST_POINTS: usize = 96;

/// How many points are worth computing for this many bands: at most 12 MB in total, or eight per band. More
/// never fit into a page.
pub fn stretches(bands: usize) -> usize {
    (3_000_000 / bands.max(1)).clamp(8, MOST_POINTS)
}

/// All precisions, finest first, none with more points than `stretches`; the first that fits is used.
pub fn choices(stretches: usize) -> Vec<Fineness> {
    let steps = [(96, 255), (48, 255), (32, 127), (24, 63), (16, 31), (12, 15), (8, 15)];
    let mut choices: Vec<Fineness> = steps
        .map(|(points, levels)| Fineness { points: points.min(stretches.max(1)), levels })
        .to_vec();
    choices.dedup();
    choices
}

/// The curves of some bands, one after another: differences of levels, one byte each. `figures` are those
/// of all rows.
pub fn curves(
    means: &Means,
    figures: &[BandFigures],
    rows: &[RowId],
    fineness: Fineness,
) -> Vec<u8> {
    let Fineness { points, levels } = fineness;
    let mut bytes = Vec::with_capacity(rows.len() * points);
    for row in rows {
        let peak = figures[row.index()].peak;
        let row = means.row(row.index());
        let mut before = 0u8;
        for point in 0..points.min(row.len()) {
            let of = |point: usize| point * row.len() / points;
            let stretch = &row[of(point)..of(point + 1)];
            let mean = stretch.iter().map(|&mean| f64::from(mean)).sum::<f64>()
                / stretch.len().max(1) as f64;
            let level = match peak {
                0 => 0.0,
                peak => (mean / peak as f64 * f64::from(levels)).round(),
            };
            let level = level.clamp(0.0, f64::from(levels)) as u8;
            bytes.push(level.wrapping_sub(before));
            before = level;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::chart::testing::{Recipe, names, times};

    #[test]
    fn a_curve_follows_the_means_and_reaches_the_peak() {
        let (names, times) = (names(1), times(192));
        let recipe = Recipe { names: &names, times: &times, ..Recipe::default() };
        let profile = recipe.profile(|_, sample| 1000 * (sample as u64 / 96));
        let slice = crate::slice::Slice::whole(&profile);
        let means = Means::of(&slice, MOST_POINTS, &[Some(0)]);
        let figures = Analysis::of(&slice).figures.bands;
        let rows: Vec<RowId> = slice.rows().collect();
        for fineness in choices(192) {
            let bytes = curves(&means, &figures, &rows, fineness);
            assert_eq!(bytes.len(), fineness.points);
            let half = fineness.points / 2;
            let expected = |i: usize| if i == half { fineness.levels } else { 0 };
            assert!(bytes.iter().enumerate().all(|(i, &byte)| byte == expected(i)), "{bytes:?}");
        }
    }

    #[test]
    fn short_runs_have_as_many_points_as_samples() {
        assert!(choices(5).iter().all(|fineness| fineness.points == 5));
        assert_eq!(choices(0)[0].points, 1);
        assert_eq!(choices(9000)[0].points, MOST_POINTS);
    }
}
