//! The bands of two sides, matched by what stays the same in their names.

use std::borrow::Cow;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::Serialize;

use super::chance::{Change, MEAN_NOISE, mann_whitney};
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

/// The bands that are shown, and what is known of all.
pub struct ShownBands {
    pub rows: Vec<BandRow>,
    pub small: usize,
    pub sums: (f64, f64),
    pub matched_percent: f64,
}

#[derive(Default)]
struct Matched {
    /// For each side, the first run that has it, and the row there.
    place: [Option<(usize, RowId)>; 2],
    /// Where its means begin in [`MatchedBands::means`].
    means_at: usize,
}

/// The bands of both sides by identity, in the order of the identities.
///
/// There can be a million bands, of which a hundred are shown. What only these need is looked up when
/// they are shown.
struct MatchedBands<'s, 'a> {
    sides: Sides<'s, 'a>,
    by_identity: IndexMap<String, Matched, RandomState>,
    /// The mean residency of each band, in order of first appearance, in each run: first the runs before,
    /// then those after.
    means: Vec<f64>,
}

impl<'s, 'a> MatchedBands<'s, 'a> {
    fn new(sides: Sides<'s, 'a>, clocks: Clocks) -> Self {
        let mut by_identity: IndexMap<String, Matched, RandomState> = IndexMap::default();
        let [before, after] = sides;
        let runs = before.len() + after.len();
        let mut means: Vec<f64> = Vec::new();
        for (column, run) in before.iter().chain(after).enumerate() {
            let side = usize::from(column >= before.len());
            let rows = run.slice();
            let figures = match clocks {
                Clocks::Same => Cow::Borrowed(&run.analysis().figures.bands),
                Clocks::Different => Cow::Owned(figures_over_samples(rows)),
            };
            for row in rows.rows().filter(|&row| rows.is_selected(row)) {
                // Several bands with the same identity count as one.
                let new = Matched { means_at: means.len(), ..Matched::default() };
                let band = by_identity.entry(rows.identity(row)).or_insert(new);
                band.place[side].get_or_insert((column - side * before.len(), row));
                if band.means_at == means.len() {
                    means.resize(means.len() + runs, 0.0);
                }
                means[band.means_at + column] += figures[row.index()].mean;
            }
        }
        by_identity.sort_unstable_keys();
        MatchedBands { sides, by_identity, means }
    }

    /// The means of a band in the runs of a side.
    fn means(&self, band: usize, side: usize) -> &[f64] {
        let [before, after] = self.sides.map(<[&ProfileView<'_>]>::len);
        let of_band = &self.means[self.by_identity[band].means_at..][..before + after];
        if side == 0 { &of_band[..before] } else { &of_band[before..] }
    }

    /// Their medians; 0 where a side does not have the band.
    fn mean(&self, band: usize) -> [f64; 2] {
        [0, 1].map(|side| median_of(self.means(band, side).iter().copied()))
    }

    /// The run after and the row there; those before, if only they have the band.
    fn row(&self, band: usize) -> (&'a ProfileView<'a>, RowId) {
        let [before, after] = self.by_identity[band].place;
        let (side, (run, row)) = match (after, before) {
            (Some(after), _) => (1, after),
            (None, before) => (0, before.expect("a band of a side")),
        };
        (self.sides[side][run], row)
    }

    fn compared(&self, band: usize, growing: &[Vec<String>; 2]) -> BandRow {
        let [before, after] = self.mean(band);
        let tested = self.sides.iter().all(|runs| runs.len() >= 4);
        let p = tested.then(|| mann_whitney(self.means(band, 0), self.means(band, 1)));
        let (identity, _) = self.by_identity.get_index(band).expect("a band of these");
        let (run, row) = self.row(band);
        let names = match run.names(row) {
            [] => run.name_of(row).into_iter().collect(),
            names => names.to_vec(),
        };
        BandRow {
            identity: identity.clone(),
            label: run.slice().label(row).to_owned(),
            names,
            before,
            after,
            change: Change::of_figure(before, after, MEAN_NOISE, p),
            grows: [0, 1].map(|side| growing[side].contains(identity)),
            perhaps: None,
        }
    }

    /// Gives each band that is gone the name of a new one that may be the same: the only two of a module whose means agree
    /// within a tenth.
    fn rename(&self, wanted: &[usize], rows: &mut [BandRow]) {
        let modules: Vec<String> = wanted.iter().map(|&band| self.module(band)).collect();
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

    fn module(&self, band: usize) -> String {
        let (run, row) = self.row(band);
        run.slice().module(row)
    }
}

/// The figures of each row over the samples that have anything in them, each as much as the others.
fn figures_over_samples(slice: &Slice<'_>) -> Vec<BandFigures> {
    let full: Vec<usize> = (0..slice.len()).filter(|&sample| slice.total(sample) > 0).collect();
    let weight = 1.0 / full.len().max(1) as f64;
    figures_of_bands(slice, full.into_iter().map(|sample| (sample, weight)))
}

/// The bands of two sides, of which these grow on each side.
pub fn shown_bands(sides: Sides<'_, '_>, clocks: Clocks, growing: &[Vec<String>; 2]) -> ShownBands {
    let bands = MatchedBands::new(sides, clocks);
    let all = || 0..bands.by_identity.len();
    let sum = |side: usize| all().map(|band| bands.mean(band)[side]).sum::<f64>();
    let sums = (sum(0), sum(1));
    // Smaller bands are not shown. So at most a hundred bands of each side are left, and a side far below the other
    // has its own.
    let least = (0.01 * sums.0, 0.01 * sums.1);
    let is_shown = |&band: &usize| {
        let [was, is] = bands.mean(band);
        (was >= least.0 || is >= least.1) && was.max(is) > 0.0
    };
    let both = all().map(|band| bands.mean(band)).filter(|[was, is]| was.min(*is) > 0.0);
    let matched: f64 = both.map(|[was, is]| was + is).sum();
    let wanted: Vec<usize> = all().filter(is_shown).collect();
    let mut rows: Vec<BandRow> = wanted.iter().map(|&band| bands.compared(band, growing)).collect();
    if sides[0][0].slice().breakdown().traits().names_functions {
        bands.rename(&wanted, &mut rows);
    }
    let change = |row: &BandRow| (row.after - row.before).abs();
    let is_new = |row: &BandRow| row.before <= 0.0;
    rows.sort_by(|a, b| {
        let by_change = ascending(&change(b), &change(a)).then_with(|| a.label.cmp(&b.label));
        by_change.then_with(|| is_new(a).cmp(&is_new(b)))
    });
    let all_bytes = sums.0 + sums.1;
    let matched_percent = if all_bytes > 0.0 { 100.0 * matched / all_bytes } else { 100.0 };
    let small = bands.by_identity.len() - rows.len();
    ShownBands { rows, small, sums, matched_percent }
}
