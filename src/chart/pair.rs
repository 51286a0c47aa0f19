//! Two runs in one picture: the same bands in the same order, even if only one of the runs has
//! them.
//!
//! Bands are matched by their identities, and both charts get a layer for each band of either run;
//! it is empty in a run that lacks the band. Names, and the ranks that decide colours, are
//! determined once for both.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::short_names::{names, told_apart};
use super::stack::{NOT_BANDS, name_parts, names_of_other};
use super::{Chart, Layer, LayerRole};
use crate::analysis::Leak;
use crate::base::sentence::Sentence;
use crate::slice::rank::{RankOptions, Ranking, rank};
use crate::slice::{RowId, Slice};

/// Two runs as one picture shows them.
#[derive(Clone, Debug)]
pub struct Pair {
    pub title: String,
    /// What the change is, in a few words; empty if that is not known.
    pub headline: Sentence,
    /// The mark of the headline, if the run after leaks or is worse.
    pub mark: Option<Leak>,
    /// Facts about both runs in words, most important first.
    pub facts: Vec<String>,
    /// What a reader must know, in complete sentences.
    pub notes: Vec<String>,
    /// The run before and the one after. Their layers are the same bands.
    pub sides: [PairSide; 2],
    /// The change of each layer, bottom first.
    pub changes: Vec<ChangeWords>,
}

#[derive(Clone, Debug)]
pub struct PairSide {
    /// A description of the run: its name, then facts, most important first.
    pub words: Vec<String>,
    pub chart: Chart,
}

/// The change of a band, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeWords {
    /// The figure of the band before; empty for a layer that did not exist.
    pub before: String,
    /// What it is after; empty for one that is gone.
    pub after: String,
    pub change: String,
}

/// The charts of two runs with a layer for each of some bands, by [`Slice::identity`], bottom first;
/// all others are OTHER. Both have OTHER if one does.
pub fn charts(slices: [&Slice<'_>; 2], bands: &[String]) -> [Chart; 2] {
    let rows = slices.map(|slice| rows_of(slice, bands));
    let mut charts = [0, 1].map(|side| {
        let ranking = ranking(slices[side], &rows[side]);
        Chart::new(slices[side], ranking)
    });
    let has_other = charts.iter().any(|chart| !chart.ranking.other.is_empty());
    for (chart, rows) in charts.iter_mut().zip(&rows) {
        align(chart, rows, has_other);
    }
    name_all(&mut charts, slices, &rows, has_other);
    charts
}

/// The rows of each band, in the order of the bands.
fn rows_of(slice: &Slice<'_>, bands: &[String]) -> Vec<Vec<RowId>> {
    let places: HashMap<&str, usize> =
        bands.iter().enumerate().map(|(i, band)| (band.as_str(), i)).collect();
    let mut rows = vec![Vec::new(); bands.len()];
    for row in slice.rows().filter(|&row| slice.is_selected(row)) {
        if let Some(&place) = places.get(slice.identity(row).as_str()) {
            rows[place].push(row);
        }
    }
    rows
}

fn ranking(slice: &Slice<'_>, rows: &[Vec<RowId>]) -> Ranking {
    let options = RankOptions { trace_percent: 0.0, band_limit: None, ..RankOptions::default() };
    let mut ranking = rank(slice, &options);
    ranking.kept = rows.concat();
    let is_kept = |row: &RowId| ranking.kept.contains(row);
    ranking.other =
        slice.rows().filter(|&row| slice.is_selected(row)).filter(|row| !is_kept(row)).collect();
    ranking
}

/// Gives a chart one layer for each band, and OTHER at the bottom where both have it.
fn align(chart: &mut Chart, rows: &[Vec<RowId>], has_other: bool) {
    let samples = chart.times.len();
    let mut old = std::mem::take(&mut chart.layers).into_iter();
    let mut layers = Vec::new();
    if !chart.ranking.other.is_empty() {
        layers.extend(old.next());
    } else if has_other {
        layers.push(Layer::empty("OTHER".into(), LayerRole::Other, samples));
    }
    for rows in rows {
        let mut layer = Layer::empty("".into(), LayerRole::Band, samples);
        for part in old.by_ref().take(rows.len()) {
            layer.label = part.label;
            layer.about = part.about;
            layer.members += 1;
            layer.total += part.total;
            layer.mean += part.mean;
            for (sum, size) in layer.residency.iter_mut().zip(part.residency) {
                *sum = sum.plus(size);
            }
        }
        layers.push(layer);
    }
    chart.layers = layers;
}

/// Gives the layers of both charts one label, one set of names, and one standing.
fn name_all(
    charts: &mut [Chart; 2],
    slices: [&Slice<'_>; 2],
    rows: &[Vec<Vec<RowId>>; 2],
    has_other: bool,
) {
    let first = usize::from(has_other);
    let bands = rows[0].len();
    let owner = |band: usize| usize::from(!rows[1][band].is_empty());
    let parts: Vec<_> = (0..bands)
        .flat_map(|band| {
            let side = owner(band);
            name_parts(slices[side], &rows[side][band][..1.min(rows[side][band].len())])
        })
        .collect();
    let mut all_names = names(&parts, &NOT_BANDS).into_iter().zip(told_apart(&parts));
    let labels: Vec<Arc<str>> =
        (0..bands).map(|band| charts[owner(band)].layers[first + band].label.clone()).collect();
    for (band, label) in labels.iter().enumerate() {
        let Some((names, full_name)) = all_names.next() else { break };
        let full_name = match full_name {
            Cow::Borrowed(_) => Arc::clone(label),
            Cow::Owned(name) => name.into(),
        };
        for chart in charts.iter_mut() {
            let layer = &mut chart.layers[first + band];
            layer.label.clone_from(label);
            layer.full_name.clone_from(&full_name);
            layer.names.clone_from(&names);
            layer.standing = Some(bands - 1 - band);
        }
    }
    let biggest: Vec<Arc<str>> = labels.into_iter().rev().collect();
    let members = charts.iter().filter_map(|chart| chart.layers.first()).map(|l| l.members).max();
    for chart in charts.iter_mut() {
        chart.biggest.clone_from(&biggest);
        if has_other {
            chart.layers[0].names = names_of_other(members.unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::chart::testing::Recipe;

    #[test]
    fn both_charts_have_the_same_layers_and_keep_their_own_numbers() {
        let profile = |all: &[&str], size: u64| {
            let names = all.iter().map(|&name| name.to_owned()).collect();
            Recipe { names, ..Recipe::of(0, 3) }.profile(|band, _| size * (band as u64 + 1))
        };
        let (before, after) = (profile(&["a", "b", "c"], 10), profile(&["d", "b"], 100));
        let slices = [Slice::whole(&before), Slice::whole(&after)];
        let identity = |label: &&str| {
            let mut rows =
                slices.iter().flat_map(|slice| slice.rows().map(move |row| (slice, row)));
            let (slice, row) =
                rows.find(|(slice, row)| slice.label(*row) == *label).expect("a row");
            slice.identity(row)
        };
        let bands: Vec<String> = ["b", "a", "d"].iter().map(identity).collect();
        let charts = charts([&slices[0], &slices[1]], &bands);
        let of = |chart: &Chart| -> Vec<(String, u64)> {
            chart.layers.iter().map(|l| (l.label.to_string(), l.residency[1].get())).collect()
        };
        let pairs = |all: [(&str, u64); 4]| all.map(|(n, s)| (n.to_owned(), s)).to_vec();
        assert_eq!(of(&charts[0]), pairs([("OTHER", 30), ("b", 20), ("a", 10), ("d", 0)]));
        assert_eq!(of(&charts[1]), pairs([("OTHER", 0), ("b", 200), ("a", 0), ("d", 100)]));
        for (left, right) in charts[0].layers.iter().zip(&charts[1].layers) {
            assert_eq!((&left.names, left.standing), (&right.names, right.standing));
        }
        assert_eq!(charts[0].biggest, charts[1].biggest);
        assert_eq!(charts[0].total, [60, 60, 60]);
        // "d" grows in the run after, which has no band of one of the layers below.
        let mut own = Chart::of_profile(&after, &RankOptions::default());
        let grows = own.layers.iter_mut().find(|layer| &*layer.label == "d").expect("a layer");
        (grows.suspect, grows.grew) = (Some(Leak::Likely), Some(Bytes::new(8)));
        let [before, mut after] = charts;
        after.mark_as(&own);
        let marks = |chart: &Chart| chart.layers.iter().map(|l| l.suspect).collect::<Vec<_>>();
        assert_eq!(marks(&before), [None; 4]);
        assert_eq!(marks(&after), [None, None, None, Some(Leak::Likely)]);
    }
}
