//! The numbers that a picture draws: every sample of the chart, or columns.

use super::axis::TimeAxis;
use super::options::{DrawOptions, KeyPlace};
use crate::chart::Chart;
use crate::chart::columns::{ColumnKind, Columns, Raster};

/// How wide a column is, in pixels, on a plot of the usual share of a picture.
const COLUMN: f64 = 3.5;

/// The axis of a picture in columns, 3 to 5 pixels wide. It does not depend on the width of names
/// and numbers beside the plot, so that charts of the same size and scale have the same columns.
pub fn raster(axis: &TimeAxis, options: &DrawOptions) -> Raster {
    let share = match options.key_place() {
        KeyPlace::Auto | KeyPlace::Right => 0.68,
        KeyPlace::Below | KeyPlace::None => 0.92,
    };
    axis.raster(((share * options.width / COLUMN) as usize).max(1))
}

/// What is drawn of the samples.
pub fn columns<'a>(chart: &'a Chart, axis: &TimeAxis, options: &DrawOptions) -> Columns<'a> {
    let places = (0..chart.times.len()).map(|sample| axis.of_sample(chart, sample)).collect();
    Columns::new(chart, places, raster(axis, options), options.columns, axis.weighing())
}

/// The note that explains columns.
pub fn caption(columns: &Columns<'_>, has_range: bool) -> Option<String> {
    let shown = match columns.kind {
        ColumnKind::Every => return None,
        ColumnKind::Mean => "mean",
        ColumnKind::Floor => "least total",
        ColumnKind::Peak => "greatest total",
    };
    let range = if has_range { ", range in grey" } else { "" };
    Some(format!("columns of up to {} samples: {shown}{range}", columns.most))
}
