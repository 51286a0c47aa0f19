//! The figures that rows are sorted by.

use crate::slice::Slice;

/// The plain sum of each row's points, by row index (`docs/format/hp.md#trace-elements`): not an area,
/// not weighted by time.
pub fn totals(slice: &Slice<'_>) -> Vec<u128> {
    let mut totals = vec![0u128; slice.rows().len()];
    slice.each_point_of_all(|row, size| totals[row.index()] += u128::from(size.get()));
    totals
}

/// hp2ps's standard deviation of each row, by row index (`docs/format/hp.md#deviation`).
///
/// The mean counts a sample without the row as zero, but the squares leave it out; a row named
/// twice in a sample has two points. With one sample, the divisor is zero and the result is not a
/// number, or infinite. heapviz keeps all of this, because users compare its pictures with hp2ps's.
pub fn deviations(slice: &Slice<'_>) -> Vec<f64> {
    let samples = slice.len() as f64;
    let mut means = vec![0.0f64; slice.rows().len()];
    slice.each_point_of_all(|row, size| means[row.index()] += size.get() as f64);
    for mean in &mut means {
        *mean /= samples;
    }
    let mut squares = vec![0.0f64; slice.rows().len()];
    slice.each_point_of_all(|row, size| {
        let distance = size.get() as f64 - means[row.index()];
        squares[row.index()] += distance * distance;
    });
    squares.into_iter().map(|sum| (sum / (samples - 1.0)).sqrt()).collect()
}
