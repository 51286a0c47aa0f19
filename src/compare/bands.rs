//! The bands of two sides, matched by what stays the same in their names.

use std::borrow::Cow;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::Serialize;

use super::chance::{Change, MEAN_NOISE, tested};
use crate::analysis::constants::WORTH;
use crate::analysis::median::{ascending, median_of};
use crate::analysis::{BandFigures, figures_of_bands};
use crate::profile_view::ProfileView;
use crate::slice::{RowId, Slice};

pub type Sides<'s, 'a> = [&'s [&'a ProfileView<'a>]; 2];

/// Whether the times of two sides can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clocks {
    /// The sides have the same clock.
    Same,
    /// The clocks differ: means are over samples, and rates and durations are not judged.
    Different,
}

/// A band of both sides: the medians over their runs of its mean residency, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BandRow {
    /// What identifies the band in both runs.
    #[serde(skip)]
    pub identity: String,
    /// The label of the band, from the side after the change if it has the band.
    pub label: String,
    /// What it is called, best first, each shorter or longer than the one before; unlike a label, no two bands of a
    /// picture share one.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Before; 0 if it is new.
    pub before: f64,
    /// After; 0 if it is gone.
    pub after: f64,
    /// How its mean differs, beyond what chance makes of two runs.
    pub change: Change,
    /// Whether it is accused before and after.
    pub grows: [bool; 2],
    /// For one that is gone: a new band that may be the same under another name.
    pub perhaps: Option<String>,
}

/// The bands of both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ComparedBands {
    /// Those that have 1 % of the bytes of a side, the greatest change first.
    #[serde(rename = "bands")]
    pub rows: Vec<BandRow>,
    /// How many others there are.
    pub small: usize,
    /// All of a side together: mean residency in bytes.
    #[serde(skip)]
    pub sums: [f64; 2],
    /// The share of the bytes that is in bands of both sides, in percent.
    pub matched_percent: f64,
}

/// A band of either side. There can be a million of them, of which a hundred are shown: what only these need is looked up
/// when they are shown.
struct Matched<'a> {
    /// Its mean in each run of a side.
    means: [Vec<f64>; 2],
    /// A run after that has it, and the row there; one before, if only they have it.
    place: (usize, &'a ProfileView<'a>, RowId),
}

impl Matched<'_> {
    /// The medians of its means; 0 where a side does not have it.
    fn mean(&self) -> [f64; 2] {
        self.means.each_ref().map(|means| median_of(means.iter().copied()))
    }

    fn compared(&self, identity: &str, growing: &[Vec<String>; 2]) -> BandRow {
        let (_, run, row) = self.place;
        let [before, after] = self.mean();
        let names = match run.names(row) {
            [] => run.name_of(row).into_iter().collect(),
            names => names.to_vec(),
        };
        BandRow {
            identity: identity.to_owned(),
            label: run.slice().label(row).to_owned(),
            names,
            before,
            after,
            change: Change::of_figure(before, after, MEAN_NOISE, tested(&self.means)),
            grows: growing.each_ref().map(|side| side.iter().any(|one| one == identity)),
            perhaps: None,
        }
    }
}

/// The bands of both sides by identity.
fn matched<'a>(sides: Sides<'_, 'a>, clocks: Clocks) -> IndexMap<String, Matched<'a>, RandomState> {
    let mut bands: IndexMap<String, Matched<'a>, RandomState> = IndexMap::default();
    for (side, runs) in sides.into_iter().enumerate() {
        for (at, &run) in runs.iter().enumerate() {
            let rows = run.slice();
            let figures = match clocks {
                Clocks::Same => Cow::Borrowed(&run.analysis().figures.bands),
                Clocks::Different => Cow::Owned(figures_over_samples(rows)),
            };
            for row in rows.rows().filter(|&row| rows.is_selected(row)) {
                let place = (side, run, row);
                let new = || Matched { means: sides.map(|runs| vec![0.0; runs.len()]), place };
                let band = bands.entry(rows.identity(row)).or_insert_with(new);
                // Several bands with the same identity count as one.
                band.means[side][at] += figures[row.index()].mean;
                band.place = if band.place.0 < side { place } else { band.place };
            }
        }
    }
    bands.sort_unstable_keys();
    bands
}

/// Gives each band that is gone the name of a new one that may be the same: the only two of a module whose means agree
/// within a tenth.
fn rename(rows: &mut [BandRow], modules: &[String]) {
    let are_alike = |&(old, new): &(usize, usize)| {
        let [was, is] = [rows[old].before, rows[new].after];
        let is_one = rows[old].after <= 0.0 && rows[new].before <= 0.0;
        let is_near = (was - is).abs() <= WORTH * was.max(is);
        is_one && is_near && modules[old] == modules[new] && !modules[old].is_empty()
    };
    let all = (0..rows.len()).flat_map(|old| (0..rows.len()).map(move |new| (old, new)));
    let pairs: Vec<(usize, usize)> = all.filter(are_alike).collect();
    for &(old, new) in &pairs {
        if pairs.iter().filter(|pair| pair.0 == old || pair.1 == new).count() == 1 {
            rows[old].perhaps = Some(rows[new].label.clone());
        }
    }
}

/// The figures of each row over the samples that have anything in them, each as much as the others.
fn figures_over_samples(slice: &Slice<'_>) -> Vec<BandFigures> {
    let full: Vec<usize> = (0..slice.len()).filter(|&sample| slice.total(sample) > 0).collect();
    let weight = 1.0 / full.len().max(1) as f64;
    figures_of_bands(slice, full.into_iter().map(|sample| (sample, weight)))
}

/// The bands of both sides, of which these grow on each side.
pub fn compared_bands(
    sides: Sides<'_, '_>,
    clocks: Clocks,
    growing: &[Vec<String>; 2],
) -> ComparedBands {
    let all = matched(sides, clocks);
    let means = || all.values().map(Matched::mean);
    let sums = [0, 1].map(|side| means().map(|mean| mean[side]).sum::<f64>());
    // At most a hundred bands of each side have so much, and a side far below the other has its own.
    let is_shown = |(_, band): &(_, &Matched<'_>)| {
        let mean = band.mean();
        (0..2).any(|side| mean[side] > 0.0 && mean[side] >= 0.01 * sums[side])
    };
    let shown = || all.iter().filter(is_shown);
    let mut rows: Vec<BandRow> = shown().map(|(name, band)| band.compared(name, growing)).collect();
    if sides[0][0].slice().breakdown().traits().names_functions {
        let module = |(_, band): (_, &Matched<'_>)| band.place.1.slice().module(band.place.2);
        rename(&mut rows, &shown().map(module).collect::<Vec<_>>());
    }
    let change = |row: &BandRow| (row.after - row.before).abs();
    let is_new = |row: &BandRow| row.before <= 0.0;
    rows.sort_by(|a, b| {
        let by_change = ascending(&change(b), &change(a)).then_with(|| a.label.cmp(&b.label));
        by_change.then_with(|| is_new(a).cmp(&is_new(b)))
    });
    let both = means().filter(|[was, is]| was.min(*is) > 0.0);
    let (both, bytes) = (both.flatten().sum::<f64>(), sums[0] + sums[1]);
    let matched_percent = if bytes > 0.0 { 100.0 * both / bytes } else { 100.0 };
    ComparedBands { small: all.len() - rows.len(), rows, sums, matched_percent }
}
