//! Curves of bands whose samples do not all fit: a few means each, relative to the band's own
//! peak.

use crate::analysis::BandFigures;
use crate::slice::{Merger, RowId, Slice};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fineness {
    /// The points in each curve, at most the stretches that were computed.
    pub points: usize,
    /// The level that represents the band's peak.
    pub levels: u8,
}

/// The most points that a thinned curve has.
pub const MOST_POINTS: usize = 96;

/// How many points are worth computing for this many bands: at most 10 MB in total, or eight per band. More
/// never fit into a page.
pub fn stretches(bands: usize) -> usize {
    (2_500_000 / bands.max(1)).clamp(8, MOST_POINTS)
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
    means: &Means<'_>,
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

pub struct Means<'a> {
    /// Means over stretches of samples: [`Means::stretches`] for each row in the page.
    of_place: Vec<f32>,
    /// By row index.
    place: &'a [Option<u32>],
    /// How many stretches the samples are divided into.
    pub stretches: usize,
}

impl<'a> Means<'a> {
    /// Computes the means of the rows in the page in one pass over the points. A band may have several
    /// points in one sample, which are added up first.
    pub fn of(slice: &Slice<'_>, stretches: usize, place: &'a [Option<u32>]) -> Means<'a> {
        let samples = slice.len();
        let stretches = stretches.min(samples);
        let places = place.iter().flatten().count();
        let mut of_place = vec![0f32; places * stretches];
        let mut merger = Merger::new(slice);
        for sample in 0..samples {
            let stretch = sample * stretches / samples;
            for &(row, size) in merger.sample(sample) {
                if let Some(place) = place[row.index()] {
                    of_place[place as usize * stretches + stretch] += size.get() as f32;
                }
            }
        }
        for (stretch, length) in lengths(samples, stretches).enumerate() {
            let means = of_place.iter_mut().skip(stretch).step_by(stretches);
            means.for_each(|sum| *sum /= length as f32);
        }
        Means { of_place, place, stretches }
    }

    /// The means of one row; empty if it is not in the page.
    pub fn row(&self, row: usize) -> &[f32] {
        let at = self.place[row].map(|place| place as usize * self.stretches);
        at.map_or(&[], |at| &self.of_place[at..][..self.stretches])
    }
}

/// The size of every row in one sample, by row index.
pub fn sizes_in(slice: &Slice<'_>, sample: usize) -> Vec<u64> {
    let mut sizes = vec![0; slice.rows().len()];
    if sample < slice.len() {
        for &(row, size) in Merger::new(slice).sample(sample) {
            sizes[row.index()] = size.get();
        }
    }
    sizes
}

/// How many samples each stretch has.
fn lengths(samples: usize, stretches: usize) -> impl Iterator<Item = usize> {
    let start = move |stretch: usize| (stretch * samples).div_ceil(stretches);
    (0..stretches).map(move |stretch| start(stretch + 1) - start(stretch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::base::units::{Bytes, Nanos};
    use crate::chart::testing::{Recipe, names, times};
    use crate::profile::{BandKeyRef, Profile, ProfileBuilder, Source};

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

    /// Samples of points, a second apart; bands are named by letters.
    fn profile(samples: &[&[(&str, u64)]]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for (i, points) in samples.iter().enumerate() {
            for (name, size) in *points {
                let band = builder.band(BandKeyRef::Name(name.as_bytes())).unwrap();
                builder.point(band, Bytes::new(*size));
            }
            builder.seal_sample(Nanos::from_nanos(1_000_000_000 * (i as i64 + 1)));
        }
        builder.finish()
    }

    #[test]
    fn a_band_named_twice_in_a_sample_counts_once() {
        let profile = profile(&[&[("a", 1), ("b", 5), ("a", 6)], &[("a", 3)], &[("b", 9)]]);
        let slice = Slice::whole(&profile);
        let means = Means::of(&slice, 3, &[None, Some(0)]);
        assert_eq!(sizes_in(&slice, 0), [7, 5]);
        assert_eq!(means.row(0), [0f32; 0]);
        assert_eq!(means.row(1), [5.0, 0.0, 9.0]);
    }

    #[test]
    fn samples_are_distributed_evenly_over_stretches() {
        for (samples, stretches) in [(10, 3), (7, 7), (300, 64), (5, 1), (8000, 96)] {
            let lengths: Vec<usize> = lengths(samples, stretches).collect();
            assert_eq!(lengths.iter().sum::<usize>(), samples);
            let mut counted = vec![0; stretches];
            (0..samples).for_each(|sample| counted[sample * stretches / samples] += 1);
            assert_eq!(lengths, counted);
        }
    }

    #[test]
    fn a_profile_of_nothing_has_no_means() {
        let profile = profile(&[]);
        let slice = Slice::whole(&profile);
        let none = Means::of(&slice, 64, &[]);
        assert!(none.of_place.is_empty() && none.stretches == 0);
        assert!(sizes_in(&slice, 0).is_empty());
    }
}
