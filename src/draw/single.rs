//! Draws one chart.

use super::layout::Layout;
use super::options::DrawOptions;
use super::parts::Parts;
use super::plotters::PlotArea;
use super::{stack_plot, words};
use crate::chart::Chart;
use crate::incident::error::visible;
use crate::picture::{Item, Point, Rectangle, Role, Scene};

/// Lays out and draws a chart.
pub fn chart(chart: &Chart, options: &DrawOptions) -> Scene {
    let parts = Parts::new(chart, options);
    let layout = Layout::new(&parts);
    let (width, height) = (layout.picture.right, layout.picture.bottom);
    let mut items = vec![background(width, height)];
    items.extend(foreground(&parts, &layout));
    Scene {
        width,
        height,
        title: words::title(chart, options),
        description: words::description(chart, options),
        source: chart.job.as_deref().map(visible),
        items,
    }
}

/// The background of a picture of this size.
pub fn background(width: f64, height: f64) -> Item {
    let (at, radius) = (Point { x: 0.0, y: 0.0 }, 0.0);
    Rectangle { at, width, height, radius, fill: Role::Background.into() }.into()
}

/// Everything in front of the background.
pub fn foreground(parts: &Parts<'_>, layout: &Layout) -> Vec<Item> {
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
        items.extend(panel.draw(&area, title, &layout.marks.marks));
    }
    items.extend(layout.key.group(layout.key_at).map(Item::Group));
    items
}
