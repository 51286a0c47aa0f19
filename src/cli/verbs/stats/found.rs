//! What was found in one input.

use heapviz::analysis::Analysis;
use heapviz::chart::Chart;
use heapviz::chart::runtime::RunTimeFigures;
use heapviz::slice::Slice;

use crate::cli::args::measure::{Measure, ranked_by};
use crate::cli::target::Input;

/// What was found in one input.
pub struct Found<'a> {
    /// Where it was read from.
    pub input: &'a Input,
    /// What is looked at.
    pub slice: Slice<'a>,
    /// The bands that are shown, the first on top.
    pub chart: Chart,
    /// What they mean.
    pub analysis: Analysis,
    /// What the run-time system did.
    pub runtime: RunTimeFigures,
}

impl<'a> Found<'a> {
    /// Analyses a slice, and chooses the first bands by a measure.
    pub fn of(input: &'a Input, slice: Slice<'a>, sort: Measure, bands: usize) -> Self {
        let analysis = Analysis::of(&slice);
        let ranking = ranked_by(&slice, &analysis, sort, bands);
        let chart = Chart::of(&slice, ranking);
        let runtime = RunTimeFigures::of(&slice);
        Found { input, slice, chart, analysis, runtime }
    }
}
