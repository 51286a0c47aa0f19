//! Where bands stand among all bands of a run, by size. Colours go by it, so that a band keeps its
//! colour in every window and whatever else is drawn.

use crate::rank::Ranking;
use crate::slice::{RowId, Slice};

/// The labels of the biggest bands of the whole run, the biggest first, as far as one of `rows` is
/// among them; and the place of each of `rows` in that order.
///
/// Of a slice that groups bands and shows a part of the run, the order is that of the part.
pub fn standings(
    slice: &Slice<'_>,
    ranking: &Ranking,
    rows: &[RowId],
) -> (Vec<String>, Vec<usize>) {
    let profile = slice.profile();
    let whole = slice.len() == profile.samples.len();
    let grouped = rows.iter().any(|&row| slice.key(row).is_none());
    let mut all: Vec<(u128, &str, usize)> = match whole || grouped {
        true => slice
            .rows()
            .map(|row| (ranking.total_of(&[row]), slice.label(row), row.index()))
            .collect(),
        false => {
            let mut totals = vec![0_u128; profile.bands.len()];
            for sample in 0..profile.samples.len() {
                profile.samples.points(sample).for_each(|(band, size)| {
                    totals[band.index()] += u128::from(size.get());
                });
            }
            let bands = profile.bands.ids();
            bands
                .map(|band| (totals[band.index()], profile.bands.label(band), band.index()))
                .collect()
        }
    };
    all.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)).then(a.2.cmp(&b.2)));
    let mut place_of = vec![0; all.iter().map(|item| item.2 + 1).max().unwrap_or(0)];
    all.iter().enumerate().for_each(|(place, item)| place_of[item.2] = place);
    let index = |row: &RowId| match whole || grouped {
        true => row.index(),
        false => slice.members(*row)[0].index(),
    };
    let places: Vec<usize> = rows.iter().map(|row| place_of[index(row)]).collect();
    let needed = places.iter().max().map_or(0, |last| last + 1);
    (all[..needed].iter().map(|item| item.1.to_owned()).collect(), places)
}
