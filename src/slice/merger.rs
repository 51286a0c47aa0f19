//! The points of a sample, added up by row.

use super::{RowId, Slice};
use crate::base::units::Bytes;

/// Adds up the points of each row within a sample: a file can name a band several times in one
/// sample, and a group has many bands. Made once and used for every sample, it allocates once.
#[derive(Debug)]
pub struct Merger<'s, 'a> {
    slice: &'s Slice<'a>,
    merged: Vec<(RowId, Bytes)>,
    /// By row: its place in `merged`. It only counts if that place is the row's, which saves clearing it
    /// for every sample.
    place_of: Vec<usize>,
}

impl<'s, 'a> Merger<'s, 'a> {
    /// For the rows of a slice.
    pub fn new(slice: &'s Slice<'a>) -> Self {
        Merger { slice, merged: Vec::new(), place_of: vec![0; slice.rows().len()] }
    }

    /// The rows that a sample names, each once, in order of first appearance in it, with their
    /// residency. Sums beyond 64 bits become the greatest number.
    pub fn sample(&mut self, sample: usize) -> &[(RowId, Bytes)] {
        let Merger { slice, merged, place_of } = self;
        merged.clear();
        slice.each_point(sample, |row, size| {
            let place = place_of[row.index()];
            match merged.get_mut(place) {
                Some((owner, sum)) if *owner == row => *sum = sum.plus(size),
                _ => {
                    place_of[row.index()] = merged.len();
                    merged.push((row, size));
                }
            }
        });
        merged
    }
}
