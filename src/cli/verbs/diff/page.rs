//! A comparison as a page: one run of each side to explore, and the changes of figures and bands
//! over all runs.

use heapviz::chart::Chart;
use heapviz::draw::{DrawOptions, SameScale, common_scale};
use heapviz::rank::{RankOptions, rank};
use heapviz::units::UnitSystem;

use super::compared::Compared;
use super::picture::{median_run, words};
use crate::cli::args::paper::PaperArgs;
use crate::cli::failure::Failure;
use crate::cli::look::{Drawn, Look};

/// The page of a comparison.
///
/// # Errors
/// A font that cannot be read.
pub fn page(
    compared: &Compared<'_>,
    units: UnitSystem,
    paper: &PaperArgs,
) -> Result<String, Failure> {
    let chosen = compared.sides.map(|(inputs, runs)| (inputs, runs, median_run(runs)));
    let charts = chosen.map(|(_, runs, i)| {
        let slice = runs[i].slice;
        Chart::of(slice, rank(slice, &RankOptions::default()))
    });
    let options = paper.of(DrawOptions::default().with_units(units));
    let mut look = Look::new(options, paper)?;
    // On one scale, changing the tab shows which run is higher.
    look.scene.scale = common_scale(&charts, SameScale::Y, &look.scene);
    let drawn = [0, 1].map(|side| {
        let (_, runs, i) = chosen[side];
        let (slice, analysis) = (runs[i].slice, Some(runs[i].analysis));
        Drawn { slice, chart: &charts[side], advice: &[], analysis }
    });
    let names = ["before", "after"]
        .into_iter()
        .zip(chosen)
        .map(|(side, (inputs, runs, i))| format!("{side}: {}", words(inputs, runs, i)[0]));
    Ok(look.comparison(&drawn, &names.collect::<Vec<_>>(), compared.comparison))
}
