//! Details of single rows: the bands in a group, the retainers in a set.

use crate::base::units::count;
use crate::profile::Breakdown;
use crate::slice::{RowId, Slice};

/// The most bands or candidates that are named.
const MOST: usize = 6;

/// Lines about a row; empty for most rows.
pub fn lines(slice: &Slice<'_>, row: RowId) -> Vec<String> {
    let sets = slice.retainer_sets(row);
    match &sets[..] {
        [] => {}
        [set] => return vec![format!("kept by {}", set.words())],
        several => {
            let of = format!("kept by one of {} sets:", several.len());
            let named = several.iter().take(MOST).map(|set| set.words());
            return std::iter::once(of).chain(named).collect();
        }
    }
    // The numbers of a single retainer set are of no use to readers.
    if slice.key(row).is_some() || slice.breakdown() == Breakdown::Retainer {
        return Vec::new();
    }
    let members = slice.members(row);
    if members.len() < 2 {
        return Vec::new();
    }
    let mut names: Vec<&str> =
        members.iter().take(MOST).map(|&band| slice.band(band).label()).collect();
    names.extend((members.len() > MOST).then_some("…"));
    vec![format!("{}: {}", count(members.len(), "band"), names.join(", "))]
}

/// The note that several numbered retainer sets are drawn as one band, and where names were cut.
pub fn merged_sets(slice: &Slice<'_>) -> Option<String> {
    if slice.breakdown() != Breakdown::Retainer {
        return None;
    }
    let groups = || slice.rows().filter(|&row| slice.key(row).is_none());
    let merged: usize = groups().map(|row| slice.members(row).len()).sum();
    let several = groups().any(|row| slice.members(row).len() > 1);
    let cut = groups().filter(|&row| slice.label(row).ends_with('…')).count();
    several.then(|| {
        let mut note = format!(
            "{merged} numbered retainer sets are {} here, one for each text",
            count(groups().count(), "band")
        );
        if cut > 0 {
            note += &format!(" ({cut} cut at …: +RTS -L500 keeps them apart)");
        }
        note
    })
}
