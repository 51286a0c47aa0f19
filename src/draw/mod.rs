//! Turns a chart into its picture: decides the place, size and colour of everything.
//!
//! [`chart`] lays a [`Chart`] out, and plotters draws the plot through a backend that records
//! (`recorder`); the result is a [`Scene`], a plain list of items. Text is measured on a bundled
//! font, so the same chart gives the same scene on every machine.

mod axis;
mod clip;
pub mod colour;
mod figure;
mod flame;
mod floors;
mod frame;
mod hatches;
mod heading;
mod heap_axis;
mod heights;
mod key;
mod layout;
mod marks;
mod meaning;
mod mesh;
mod options;
mod outline;
mod overlay;
mod pair;
mod palette;
mod panels;
mod plot;
mod recorder;
mod scale;
mod separators;
mod shown;
mod vision;
mod vivid;
mod words;

#[cfg(test)]
mod readback;
#[cfg(test)]
mod tests;

use crate::chart::Chart;
pub use crate::chart::columns::ColumnKind;
use crate::incident::error::visible;
use crate::picture::Scene;
pub use flame::{FlameOptions, RootPlace, flame};
pub(crate) use floors::floor_cut;
pub use options::{
    DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages, PanelChoice,
    PanelKind, SameScale, Scale, TitleOptions, UnknownWord, View, XAxis,
};
pub use pair::{LEAST_PAIR, pair};
pub use palette::Palette;
pub use scale::common_scale;

/// Lays out and draws a chart.
pub fn chart(chart: &Chart, options: &DrawOptions) -> Scene {
    let layout = layout::Layout::new(chart, options);
    Scene {
        width: layout.width,
        height: layout.height,
        title: words::title(chart, options),
        description: words::description(chart, options),
        source: chart.job.as_deref().map(visible),
        items: plot::record(chart, &layout, options),
    }
}
