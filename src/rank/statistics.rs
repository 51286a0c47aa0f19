//! The figures that bands are sorted by.

use crate::profile::Profile;

/// The plain sum of each band's points, by band index (`docs/format/hp.md#trace-elements`): not an
/// area, not weighted by time.
pub fn totals(profile: &Profile) -> Vec<u128> {
    let mut totals = vec![0u128; profile.bands.len()];
    let points = profile.samples.all_points();
    points.for_each(|(band, size)| totals[band.index()] += u128::from(size.get()));
    totals
}

/// hp2ps's standard deviation of each band, by band index (`docs/format/hp.md#deviation`).
///
/// The mean counts a sample without the band as zero, the squares leave it out; a band named twice
/// in a sample has two points. With one sample the divisor is zero and the result is not a number,
/// or infinite. All of it is kept, because users compare pictures.
pub fn deviations(profile: &Profile) -> Vec<f64> {
    let samples = profile.samples.len() as f64;
    let mut means = vec![0.0f64; profile.bands.len()];
    let points = profile.samples.all_points();
    points.for_each(|(band, size)| means[band.index()] += size.get() as f64);
    for mean in &mut means {
        *mean /= samples;
    }
    let mut squares = vec![0.0f64; profile.bands.len()];
    profile.samples.all_points().for_each(|(band, size)| {
        let distance = size.get() as f64 - means[band.index()];
        squares[band.index()] += distance * distance;
    });
    squares.into_iter().map(|sum| (sum / (samples - 1.0)).sqrt()).collect()
}
