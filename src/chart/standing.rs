//! The rank of bands among all bands of a run, by size. Colours depend on it, so that a band keeps
//! its colour in every window and among any other bands.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::profile::BandId;
use crate::slice::rank::Ranking;
use crate::slice::{RowId, Slice};

/// The labels of the biggest bands of the whole run, the biggest first, up to the last that is one
/// of `rows`, and the place of each of `rows` in that order.
///
/// If the slice groups bands and shows a part of the run, the order is that of the part.
pub fn standings(
    slice: &Slice<'_>,
    ranking: &Ranking,
    rows: &[RowId],
) -> (Vec<Arc<str>>, Vec<usize>) {
    let profile = slice.profile();
    let whole = slice.len() == profile.samples.len();
    let grouped = rows.iter().any(|&row| slice.key(row).is_none());
    if whole || grouped {
        let place = |row: RowId| Place {
            total: Reverse(ranking.total_of(&[row])),
            label: slice.label(row),
            index: row.index(),
        };
        return among(slice.rows().map(place), rows.iter().map(|&row| place(row)).collect());
    }
    let mut totals = vec![0_u128; profile.bands.len()];
    profile.samples.all_points().for_each(|(band, size)| {
        totals[band.index()] += u128::from(size.get());
    });
    let place = |band: BandId| Place {
        total: Reverse(totals[band.index()]),
        label: profile.bands.label(band),
        index: band.index(),
    };
    let wanted = rows.iter().map(|&row| place(slice.members(row)[0])).collect();
    among(profile.bands.ids().map(place), wanted)
}

/// The key by which bands are ordered: the biggest first, bands of equal size by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'a> {
    total: Reverse<u128>,
    label: &'a str,
    index: usize,
}

/// The labels of all places up to the last wanted one, in order, and the positions of the wanted ones in
/// that order. Only the places before the last are sorted: usually a few of very many.
fn among<'a>(
    all: impl Iterator<Item = Place<'a>>,
    wanted: Vec<Place<'a>>,
) -> (Vec<Arc<str>>, Vec<usize>) {
    let Some(last) = wanted.iter().max() else { return (Vec::new(), Vec::new()) };
    let mut before: Vec<Place<'_>> = all.filter(|place| place <= last).collect();
    before.sort_unstable();
    let places = wanted.iter().map(|place| before.partition_point(|other| other < place)).collect();
    (before.iter().map(|place| Arc::from(place.label)).collect(), places)
}
