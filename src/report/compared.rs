//! The comparison of a run with another run, with the numbers that bands have in the page.

use std::collections::HashMap;

use serde::Serialize;

use super::bands::PageBands;
use crate::compare::{Comparison, Figure, Presence};
use crate::incident::error::visible;
use crate::slice::{RowId, Slice};

/// A comparison, and the rows of one of the two runs that belong to its bands.
pub struct Compared<'a> {
    comparison: &'a Comparison,
    names: [&'a str; 2],
    /// For each band its rows in this run; several rows with the same identity are one band.
    rows: Vec<Vec<RowId>>,
}

/// The comparison as the page shows it.
#[derive(Serialize)]
pub struct ComparedFacts {
    names: [String; 2],
    headline: String,
    verdicts: [&'static str; 2],
    figures: Vec<FigureFacts>,
    bands: Vec<BandFacts>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct FigureFacts {
    name: &'static str,
    /// The kind of its values: `bytes`, `rate`, `seconds` or `number`.
    unit: &'static str,
    before: f64,
    after: f64,
    change: String,
}

#[derive(Serialize)]
struct BandFacts {
    label: String,
    /// Its bands in this run; empty if it has none.
    bands: Vec<u32>,
    before: Option<f64>,
    after: Option<f64>,
    became: String,
}

impl<'a> Compared<'a> {
    /// A comparison from the side of one of its runs.
    pub fn of(comparison: &'a Comparison, names: [&'a str; 2], slice: &Slice<'_>) -> Self {
        let places: HashMap<&str, usize> = comparison
            .bands
            .iter()
            .enumerate()
            .map(|(i, band)| (band.identity.as_str(), i))
            .collect();
        let mut rows = vec![Vec::new(); comparison.bands.len()];
        for row in slice.rows().filter(|&row| slice.is_selected(row)) {
            if let Some(&place) = places.get(slice.identity(row).as_str()) {
                rows[place].push(row);
            }
        }
        Compared { comparison, names, rows }
    }

    /// The rows that the comparison names: a page contains all of them.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().flatten().map(|row| row.index())
    }

    /// The comparison as data of the page.
    pub fn facts(&self, bands: &PageBands) -> ComparedFacts {
        let Compared { comparison, names, rows } = self;
        let figure = |row: &crate::compare::FigureRow| FigureFacts {
            name: row.figure.name(),
            unit: match row.figure {
                Figure::Growth => "rate",
                Figure::Duration => "seconds",
                Figure::Samples => "number",
                _ => "bytes",
            },
            before: row.before,
            after: row.after,
            change: row.change(),
        };
        let band = |(row, rows): (&crate::compare::BandRow, &Vec<RowId>)| BandFacts {
            label: visible(&row.name()),
            bands: rows.iter().filter_map(|row| bands.place[row.index()]).collect(),
            before: (row.presence != Presence::New).then_some(row.before),
            after: (row.presence != Presence::Gone).then_some(row.after),
            became: row.became(),
        };
        let (was, is) = comparison.verdicts;
        ComparedFacts {
            names: names.map(visible),
            headline: comparison.headline(),
            verdicts: [was.words(), is.words()],
            figures: comparison.comparable().map(figure).collect(),
            bands: comparison.bands.iter().zip(rows).map(band).collect(),
            remarks: comparison.remarks(usize::MAX),
        }
    }
}
