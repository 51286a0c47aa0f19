//! Turns a chart into its picture: decides the place, size and colour of everything.
//!
//! [`chart`] first determines what is drawn (`sampling`, `parts`). Then it gives each part its place
//! (`layout`). Finally, plotters draws the plots into a backend that records them (`plotters`). The
//! result is a [`Scene`](crate::picture::Scene), a plain list of items. Text is measured on a
//! bundled font, so the same chart gives the same scene on every machine.

pub mod colour;
mod flame;
mod heading;
mod key;
mod labels;
mod layout;
mod marks;
mod options;
mod outline;
mod pair_picture;
mod panels;
mod parts;
mod plotters;
mod sampling;
mod stack_plot;
mod time_axis;
mod value_axis;

#[cfg(test)]
mod tests;

pub use colour::Palette;
pub use flame::{RootPlace, flame, tree_size};
pub use options::{
    DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages, PanelKind,
    Scale, TitleOptions, UnknownWord, View, XAxis,
};
pub use pair_picture::{LEAST_PAIR, pair};
#[cfg(feature = "cli")]
pub(crate) use panels::has_panels;
pub use sampling::common_scale;
#[cfg(feature = "report")]
pub(crate) use sampling::heap_lines;
#[cfg(feature = "tui")]
pub(crate) use sampling::{Sampling, width_of};
#[cfg(feature = "cli")]
pub(crate) use time_axis::Tick;
#[cfg(feature = "tui")]
pub(crate) use time_axis::TimeAxis;
#[cfg(feature = "cli")]
pub(crate) use value_axis::ValueAxis;

use crate::base::text::visible;
use crate::chart::Chart;
use crate::picture::{Item, Point, Rectangle, Role, Scene};
use layout::Layout;
use parts::PictureParts;
use plotters::PlotArea;

/// The title of the horizontal axis of a chart.
pub(crate) fn axis_title(chart: &Chart, options: &DrawOptions) -> String {
    time_axis::TimeAxis::new(chart, options).title.into_owned()
}

/// Lays out and draws a chart.
pub fn chart(chart: &Chart, options: &DrawOptions) -> Scene {
    let parts = PictureParts::new(chart, options);
    let layout = Layout::new(&parts);
    let (width, height) = (layout.picture.right, layout.picture.bottom);
    let mut items = vec![background(width, height)];
    items.extend(foreground(&parts, &layout));
    Scene {
        width,
        height,
        title: labels::title(chart, options),
        description: labels::description(chart, options),
        source: chart.job.as_deref().map(visible),
        items,
    }
}

/// The background of a picture of this size.
fn background(width: f64, height: f64) -> Item {
    let (at, radius) = (Point { x: 0.0, y: 0.0 }, 0.0);
    Rectangle { at, width, height, radius, fill: Role::Background.into() }.into()
}

/// Everything in front of the background.
fn foreground(parts: &PictureParts<'_>, layout: &Layout) -> Vec<Item> {
    let mut items = vec![layout.heading.group().into()];
    items.extend(layout.notes().map(Item::Group));
    if layout.plot_is_shown() {
        items.extend(stack_plot::draw(parts, layout));
    } else {
        items.extend(layout.marks_above_panels().map(Item::Group));
    }
    let panels = parts.panels.panels.iter().zip(&layout.panels).enumerate();
    for (i, (panel, &frame)) in panels {
        let title = (i + 1 == layout.panels.len()).then(|| layout.time_title(frame.bottom));
        let area = PlotArea {
            picture: layout.picture,
            frame,
            time: &layout.time,
            values: &panel.axis,
            has_time_labels: title.is_some(),
        };
        items.extend(panel.draw(&area, title));
    }
    items.extend(layout.key.group(layout.key_at).map(Item::Group));
    items
}
