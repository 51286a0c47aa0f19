//! What was found in one input.

use std::collections::HashMap;

use heapviz::analysis::{Analysis, Rows};
use heapviz::chart::runtime::RunTimeFigures;
use heapviz::chart::{Chart, names_of};
use heapviz::slice::{RowId, Slice};

use crate::cli::args::measure::{Measure, ranked_by};
use crate::cli::target::Input;

/// What was found in one input.
pub struct Found<'a> {
    /// Where it was read from.
    pub input: &'a Input,
    /// The view of the profile.
    pub slice: Slice<'a>,
    /// The bands that are shown, the first on top.
    pub chart: Chart,
    /// The analysis of the view.
    pub analysis: Analysis,
    /// What the run-time system did.
    pub runtime: RunTimeFigures,
    /// The names of the shown bands and the suspects.
    pub names: Names,
}

/// The names of rows in a table. No two rows share a name.
pub struct Names(HashMap<RowId, Vec<String>>);

impl Names {
    fn of_rows(slice: &Slice<'_>, mut rows: Vec<RowId>) -> Self {
        rows.sort_unstable();
        rows.dedup();
        let names = names_of(slice, &rows);
        Names(rows.into_iter().zip(names).collect())
    }

    /// The names that a row can have, best first.
    pub fn of(&self, row: RowId) -> &[String] {
        self.0.get(&row).map_or(&[], |names| names)
    }
}

impl<'a> Found<'a> {
    /// Analyses a slice, and chooses the first bands by a measure.
    pub fn of(input: &'a Input, slice: Slice<'a>, sort: Measure, bands: usize) -> Self {
        let analysis = Analysis::of(&slice);
        let ranking = ranked_by(&slice, &analysis, sort, bands);
        let chart = Chart::of(&slice, ranking);
        let runtime = RunTimeFigures::of(&slice);
        let (all, suspects) = (Rows::of(&slice), &analysis.verdict.suspects);
        let suspects = suspects.iter().filter_map(|suspect| suspect.row).map(|row| all.id(row));
        let named = chart.ranking.kept.iter().copied().chain(suspects).collect();
        let names = Names::of_rows(&slice, named);
        Found { input, slice, chart, analysis, runtime, names }
    }
}
