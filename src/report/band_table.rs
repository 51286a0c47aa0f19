//! The bands contained in the page, and their order.

use std::borrow::Cow;
use std::cmp::Reverse;

use crate::base::text::made_visible;
use crate::slice::rank::Ranking;
use crate::slice::{RowId, Slice};

/// The bands of a page: all but the excluded ones or, if there are very many, the biggest.
///
/// Their order puts similar names next to each other, which compresses well. A band's position in it is
/// its number in the page.
pub struct PageBands {
    /// In the order of the page.
    pub order: Vec<RowId>,
    /// Position in the page by row index; `None` for rows that are not in it.
    pub place: Vec<Option<u32>>,
    /// How many bands did not fit, and their total.
    pub left_out: (usize, u128),
}

impl PageBands {
    /// The bands of a ranked profile: the drawn ones, those that the findings name, and the biggest
    /// `most` of the others.
    pub fn new(
        slice: &Slice<'_>,
        ranking: &Ranking,
        most: usize,
        found: impl Iterator<Item = RowId>,
    ) -> Self {
        let mut wanted = vec![false; slice.rows().len()];
        ranking.kept.iter().for_each(|row| wanted[row.index()] = true);
        found.for_each(|row| wanted[row.index()] = true);
        let mut rest: Vec<RowId> = ranking.other.iter().chain(&ranking.trace).copied().collect();
        rest.retain(|row| !wanted[row.index()]);
        let room = most.min(rest.len());
        if room < rest.len() {
            rest.sort_by_key(|&row| (Reverse(ranking.totals[row.index()]), row));
        }
        let total = rest[room..].iter().map(|row| ranking.totals[row.index()]).sum();
        let left_out = (rest.len() - room, total);
        rest[..room].iter().for_each(|row| wanted[row.index()] = true);
        let mut order: Vec<RowId> = slice.rows().filter(|row| wanted[row.index()]).collect();
        order.sort_by_cached_key(|&row| (neighbourhood(slice, row), row));
        let mut place = vec![None; slice.rows().len()];
        for (at, row) in order.iter().enumerate() {
            place[row.index()] = u32::try_from(at).ok();
        }
        PageBands { order, place, left_out }
    }

    /// The numbers of some rows in the page, without those that are not in it.
    pub fn places(&self, rows: &[RowId]) -> impl Iterator<Item = u32> {
        rows.iter().filter_map(|row| self.place[row.index()])
    }

    /// The bands by total, biggest first.
    pub fn by_total(&self, ranking: &Ranking) -> Vec<RowId> {
        let mut bands = self.order.clone();
        bands.sort_by_key(|&row| (Reverse(ranking.totals[row.index()]), row));
        bands
    }
}

/// The common part of neighbouring bands: module and place, or the label.
fn neighbourhood<'s>(slice: &'s Slice<'_>, row: RowId) -> (Cow<'s, str>, Cow<'s, str>, &'s str) {
    let label = slice.label(row);
    match slice.info_table(row) {
        Some(Cow::Borrowed(table)) => {
            (Cow::Borrowed(&table.module), Cow::Borrowed(&table.location), label)
        }
        Some(Cow::Owned(table)) => (Cow::Owned(table.module), Cow::Owned(table.location), label),
        None => (Cow::Borrowed(""), Cow::Borrowed(""), label),
    }
}

/// A label as the page shows it: with visible characters only, and at most `most` of them. A longer
/// one loses its middle, because both ends distinguish bands.
pub fn shown(label: &str, most: usize) -> Cow<'_, str> {
    let text = made_visible(label);
    // A text never has more characters than bytes.
    if text.len() <= most {
        return text;
    }
    if text.is_ascii() {
        let tail = text.len() - (most - most / 2 - 1);
        return Cow::Owned([&text[..most / 2], "…", &text[tail..]].concat());
    }
    let count = text.chars().count();
    if count <= most {
        return text;
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(count - (most - most / 2 - 1)).collect();
    Cow::Owned(format!("{head}…{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing::Recipe;
    use crate::slice::SliceOptions;
    use crate::slice::rank::{RankOptions, rank};

    #[test]
    fn excluded_bands_have_no_place() {
        let profile = Recipe::of(9, 3).profile(|_, _| 7);
        let mut options = SliceOptions::default();
        options.selection.exclude.push("function3".parse().unwrap());
        let slice = Slice::new(&profile, &options).unwrap();
        let ranking = rank(&slice, &RankOptions::default());
        let page = PageBands::new(&slice, &ranking, usize::MAX, std::iter::empty());
        assert_eq!((page.order.len(), page.left_out), (8, (0, 0)));
        assert_eq!(page.place.iter().flatten().count(), 8);
        assert!(page.place[ranking.excluded[0].index()].is_none());
        assert_eq!(page.by_total(&ranking).len(), 8);
    }

    #[test]
    fn only_small_bands_without_findings_are_left_out() {
        let profile = Recipe::of(40, 3).profile(|band, _| band as u64 + 1);
        let slice = Slice::whole(&profile);
        let ranking = rank(&slice, &RankOptions::default());
        let page = PageBands::new(&slice, &ranking, 5, slice.rows().take(1));
        assert_eq!(page.order.len(), ranking.kept.len() + 5 + 1);
        assert!(page.place[0].is_some(), "the smallest was found to grow");
        let inside: u128 = page.order.iter().map(|row| ranking.totals[row.index()]).sum();
        assert_eq!(inside + page.left_out.1, ranking.grand_total());
    }

    #[test]
    fn long_names_lose_their_middle_only() {
        let names = ["a\u{7}bc".to_owned(), "0123456789".to_owned(), "é".repeat(9), "é".repeat(10)];
        let shown: Vec<_> = names.iter().map(|name| shown(name, 9)).collect();
        assert_eq!(shown[0], "a\\u{7}bc");
        assert_eq!(shown[1], "0123…6789");
        assert_eq!(shown[2], "é".repeat(9));
        assert_eq!(shown[3], "éééé…éééé");
    }
}
