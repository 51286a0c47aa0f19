//! Which bands the page knows, and in which order.

use std::cmp::Reverse;

use crate::profile::{BandId, BandKey, Bands, Profile, parse_address};
use crate::rank::Ranking;

/// The bands of a page: all but the excluded ones.
///
/// Their order puts alike names beside each other, which is what makes them short; a band's place
/// in it is its number in the page.
pub struct PageBands {
    /// In the order of the page.
    pub order: Vec<BandId>,
    /// Place in the page by band index; `None` for excluded bands.
    pub place: Vec<Option<u32>>,
}

impl PageBands {
    /// The bands of a ranked profile.
    pub fn new(profile: &Profile, ranking: &Ranking) -> Self {
        let mut order: Vec<BandId> = [&ranking.kept, &ranking.other, &ranking.trace]
            .into_iter()
            .flat_map(|list| list.iter().copied())
            .collect();
        order.sort_by_cached_key(|&band| (neighbourhood(profile, band), band));
        let mut place = vec![None; profile.bands.len()];
        for (at, band) in order.iter().enumerate() {
            place[band.index()] = u32::try_from(at).ok();
        }
        PageBands { order, place }
    }

    /// The bands by total, biggest first.
    pub fn by_total(&self, ranking: &Ranking) -> Vec<BandId> {
        let mut bands = self.order.clone();
        bands.sort_by_key(|&band| (Reverse(ranking.totals[band.index()]), band));
        bands
    }
}

/// What bands that stand together have in common: module and place, or the label.
fn neighbourhood(profile: &Profile, band: BandId) -> (String, String, String) {
    let label = profile.bands.label(band).to_owned();
    match info_table(profile, band) {
        Some(table) => (table.module.clone(), table.location.clone(), label),
        None => (String::new(), String::new(), label),
    }
}

/// What is known about the info table that a band is, if it is one.
pub fn info_table(profile: &Profile, band: BandId) -> Option<&crate::profile::InfoTable> {
    if profile.info_tables.is_empty() {
        return None;
    }
    match profile.bands.key(band) {
        BandKey::Name(name) => profile.info_tables.get(&parse_address(name)?),
        BandKey::Stack(_) => None,
    }
}

/// A label as the page shows it: visible, and not longer than `most` characters. Of a longer one
/// the middle is left out, since both ends tell bands apart.
pub fn shown(bands: &Bands, band: BandId, most: usize) -> String {
    let text = crate::error::visible(bands.label(band));
    let count = text.chars().count();
    if count <= most {
        return text;
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(count - (most - most / 2 - 1)).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing::{Recipe, names, times};
    use crate::rank::{RankOptions, rank};

    #[test]
    fn excluded_bands_have_no_place() {
        let (names, times) = (names(9), times(3));
        let profile =
            Recipe { names: &names, times: &times, ..Recipe::default() }.profile(|_, _| 7);
        let mut options = RankOptions::default();
        options.selection.exclude.push("function3".parse().unwrap());
        let ranking = rank(&profile, &options);
        let page = PageBands::new(&profile, &ranking);
        assert_eq!(page.order.len(), 8);
        assert_eq!(page.place.iter().flatten().count(), 8);
        assert!(page.place[ranking.excluded[0].index()].is_none());
        assert_eq!(page.by_total(&ranking).len(), 8);
    }

    #[test]
    fn long_names_lose_their_middle_only() {
        let names = vec!["a\u{7}bc".to_owned(), "0123456789".to_owned(), "é".repeat(9)];
        let profile =
            Recipe { names: &names, times: &times(1), ..Recipe::default() }.profile(|_, _| 1);
        let shown: Vec<String> =
            profile.bands.ids().map(|band| shown(&profile.bands, band, 9)).collect();
        assert_eq!(shown[0], "a\\u{7}bc");
        assert_eq!(shown[1], "0123…6789");
        assert_eq!(shown[2], "é".repeat(9));
    }
}
