//! The measures by which bands are chosen and ordered, the same in every verb.

use std::num::NonZeroUsize;

use clap::ValueEnum;
use heapviz::analysis::{Analysis, Rows, rates};
use heapviz::chart::KeyFigure;
use heapviz::rank::{Given, RankOptions, Ranking, SortKey, rank, rank_given};
use heapviz::slice::{RowId, Slice};

/// What bands are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// By the sum over all samples, biggest on top
    Total,
    /// Fastest growing on top; also chooses which bands are shown
    Growth,
    /// Highest peak on top; also chooses which bands are shown
    Peak,
    /// Highest mean over time on top; also chooses which bands are shown
    Mean,
    /// Biggest at the end on top; also chooses which bands are shown
    Last,
    /// Largest standard deviation on top (hp2ps -d)
    Deviation,
    /// By name: tables from A to Z, stacks with Z on top (hp2ps -i+)
    Name,
    /// By name, in the opposite order (hp2ps -i-)
    NameDesc,
}

impl Measure {
    /// The figure in a key that explains this order.
    pub fn figure(self) -> KeyFigure {
        match self {
            Measure::Peak => KeyFigure::Peak,
            Measure::Last => KeyFigure::Last,
            Measure::Growth => KeyFigure::Growth,
            _ => KeyFigure::Mean,
        }
    }

    /// Whether it chooses the bands, and not only their order.
    pub fn chooses(self) -> bool {
        matches!(self, Measure::Growth | Measure::Peak | Measure::Mean | Measure::Last)
    }
}

/// The first bands by a measure, the first on top of the stack; 0 for all. Nothing is left out as a
/// trace element.
pub fn ranked_by(
    slice: &Slice<'_>,
    analysis: &Analysis,
    measure: Measure,
    bands: usize,
) -> Ranking {
    // OTHER takes one place of the limit.
    let sort = match measure {
        Measure::Deviation => SortKey::Deviation,
        Measure::Name => SortKey::NameDescending,
        Measure::NameDesc => SortKey::Name,
        _ => SortKey::Total,
    };
    let band_limit = NonZeroUsize::new(if bands == 0 { 0 } else { bands + 1 });
    let options =
        RankOptions::default().with_trace_percent(0.0).with_band_limit(band_limit).with_sort(sort);
    ranked(slice, analysis, measure, &options)
}

/// The ranking by a measure, which chooses and orders the bands.
pub fn ranked(
    slice: &Slice<'_>,
    analysis: &Analysis,
    measure: Measure,
    options: &RankOptions,
) -> Ranking {
    match weights(slice, analysis, measure) {
        None => rank(slice, options),
        Some(totals) => {
            let places = vec![0; totals.len()];
            rank_given(slice, options, &Given::new(totals, places))
        }
    }
}

/// How fast rows grow, as [`Measure::Growth`] orders them: bytes a second, or a sample where samples
/// have no times.
pub fn growth(slice: &Slice<'_>, analysis: &Analysis, rows: &[RowId]) -> Vec<f64> {
    let all = Rows::of(slice);
    let wanted: Vec<usize> = rows.iter().map(|row| row.index()).collect();
    let rates = rates(&all, &analysis.figures.total, &wanted);
    rates.into_iter().map(|rate| rate.middle).collect()
}

/// The weights of rows by a measure; `None` if the ranking computes them itself.
fn weights(slice: &Slice<'_>, analysis: &Analysis, measure: Measure) -> Option<Vec<f64>> {
    let bands = &analysis.figures.bands;
    Some(match measure {
        Measure::Total | Measure::Deviation | Measure::Name | Measure::NameDesc => return None,
        Measure::Peak => bands.iter().map(|band| band.peak as f64).collect(),
        Measure::Mean => bands.iter().map(|band| band.mean).collect(),
        Measure::Last => bands.iter().map(|band| band.last as f64).collect(),
        Measure::Growth => {
            let rows = Rows::of(slice);
            let all: Vec<usize> = (0..rows.count()).collect();
            let mut weights: Vec<f64> = rates(&rows, &analysis.figures.total, &all)
                .into_iter()
                .map(|rate| rate.middle.max(0.0))
                .collect();
            // The bands that the verdict names come first, in its order.
            let fastest = weights.iter().copied().fold(1.0, f64::max);
            let suspects = &analysis.verdict.suspects;
            for (place, suspect) in suspects.iter().filter_map(|s| s.row).rev().enumerate() {
                weights[suspect] = fastest + 1.0 + place as f64;
            }
            weights
        }
    })
}
