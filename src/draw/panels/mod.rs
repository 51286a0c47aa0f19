//! Panels: small charts of what the run-time system did, below the bands and on their axis of time.
//!
//! A panel is a list of curves. Each has an entry in the legend above the panel, so that everything
//! that is drawn is explained. Colours belong to bands, so areas are painted in greys, and lines
//! look like the same lines over the bands.

mod contents;

use super::heading::MARGIN;
use super::options::{DrawOptions, PanelKind};
use super::plotters::{AXIS_SIZE, PixelFrame, PlotArea};
use super::sampling::Sampling;
use crate::chart::Chart;
use crate::picture::text_width::{FontWeight, elide, width};
use crate::picture::{Group, Item, Line, Point, Rectangle, Role, Text};
use contents::{Curve, CurveShape, Panel};

pub use contents::Panels;

#[cfg(test)]
mod tests;

/// The height of a panel's title and legend, in pixels.
const HEAD: f64 = 20.0;
/// The distance from a panel to what is above it, in pixels.
const GAP: f64 = 14.0;
/// The least and the greatest height of a panel's plot, in pixels.
const LEAST_HEIGHT: f64 = 34.0;
const MOST_HEIGHT: f64 = 66.0;
/// The greatest share of a picture's height that panels take, unless they need more for their least
/// height.
const SHARE: f64 = 0.6;

const SWATCH: f64 = 10.0;
/// Long enough to tell dashes apart.
const LINE_SWATCH: f64 = 17.0;
const AFTER_SWATCH: f64 = 5.0;
const BETWEEN: f64 = 14.0;
/// The distance from the legend's base line down to the panel.
const BASE: f64 = 7.0;

impl Panels {
    /// The panels that the options ask for and that the chart has data for; all that it has if it has no
    /// samples, and so nothing else to show.
    pub fn new(sampling: &Sampling<'_>) -> Panels {
        const ALL: [PanelKind; 3] = [PanelKind::Gc, PanelKind::Memory, PanelKind::Alloc];
        let asked = &sampling.options.panels[..];
        let is_all = asked.is_empty() && sampling.chart.times.is_empty();
        let kinds = if is_all { &ALL } else { asked };
        let mut all = Panels::default();
        for &kind in kinds {
            let Panels { panels, notes } = contents::panels(kind, sampling);
            if panels.is_empty() && !is_all {
                all.notes.push(missing(kind).to_owned());
            }
            all.panels.extend(panels);
            all.notes.extend(notes);
        }
        all
    }

    /// The height of a panel's plot in a picture of this height.
    pub fn height_of_one(&self, picture: f64) -> f64 {
        let room = SHARE * picture / self.panels.len().max(1) as f64 - HEAD - GAP;
        room.clamp(LEAST_HEIGHT, MOST_HEIGHT).floor()
    }

    /// The height of all panels, each with a plot of this height.
    pub fn height(&self, one: f64) -> f64 {
        self.panels.len() as f64 * (GAP + HEAD + one)
    }

    /// Where the plots of the panels are, below another plot or in its place.
    pub fn frames(&self, plot: PixelFrame, one: f64) -> Vec<PixelFrame> {
        let top = |i: usize| plot.bottom + i as f64 * (GAP + HEAD + one) + GAP + HEAD;
        let frame = |i| PixelFrame { top: top(i), bottom: top(i) + one, ..plot };
        (0..self.panels.len()).map(frame).collect()
    }
}

/// Whether a picture of a chart has a panel.
pub fn has_panels(chart: &Chart, options: &DrawOptions) -> bool {
    !Panels::new(&Sampling::new(chart, options)).panels.is_empty()
}

fn missing(kind: PanelKind) -> &'static str {
    match kind {
        PanelKind::Gc => "no panel of collections: the input has none (+RTS -l-agu logs them)",
        PanelKind::Memory => "no panel of memory: the input has no heap figures (+RTS -l-agu)",
        PanelKind::Alloc => "no panel of allocation: the input does not have it (+RTS -l-agu)",
    }
}

impl Panel {
    /// The items of the panel: its own plot, with a title for the axis of time if it is the lowest, and its
    /// legend above it.
    pub fn draw(&self, area: &PlotArea<'_>, title: Option<Text>) -> Vec<Item> {
        let frame = area.frame;
        area.draw(|plot| {
            let mut axes = plot.grid("panel-grid", "panel-axis");
            axes.items.extend(title.map(Item::Text));
            for (i, curve) in self.curves.iter().enumerate() {
                let group = Group {
                    id: Some(format!("panel-{}-{i}", self.id)),
                    label: Some(curve.name.clone()),
                    title: Some(format!("{}\n{}\n{}", self.title, curve.name, curve.figure)),
                    ..Group::new("panel")
                };
                match &curve.shape {
                    CurveShape::Area(edges, fill) => plot.area(group, edges.clone(), *fill, None),
                    CurveShape::Stairs(pieces, fill) => plot.stairs(group, pieces.clone(), *fill),
                    CurveShape::Line(pieces, stroke) => plot.lines(group, pieces.clone(), *stroke),
                }
            }
            plot.push(axes);
            plot.push(legend(self, frame, area.picture.right - MARGIN - frame.left));
        })
    }
}

/// The title of a panel and the names of its curves, with figures if there is space. The key beside
/// the bands ends above the panels, so a legend can use the full width of the picture.
fn legend(panel: &Panel, frame: PixelFrame, room: f64) -> Group {
    let mut group = Group::new("panel-legend");
    let y = frame.top - BASE;
    let text = |text: &str| width(text, AXIS_SIZE, FontWeight::Regular);
    let title_width = width(panel.title, AXIS_SIZE, FontWeight::Bold);
    let title = elide(panel.title, AXIS_SIZE, FontWeight::Bold, room);
    group.items.push(Text::new(frame.left, y, AXIS_SIZE, Role::Text, title).bold().into());
    // If not all figures fit, those of the last curves are left out first.
    let mut figures = panel.curves.len();
    let swatch = |curve: &Curve| match curve.shape {
        CurveShape::Line(..) => LINE_SWATCH,
        CurveShape::Area(..) | CurveShape::Stairs(..) => SWATCH,
    };
    let words = |i: usize, figures: usize| {
        let curve = &panel.curves[i];
        match i < figures && !curve.figure.is_empty() {
            true => format!("{}: {}", curve.name, curve.figure),
            false => curve.name.clone(),
        }
    };
    let needed = |figures: usize| -> f64 {
        let entries = panel.curves.iter().enumerate();
        entries.map(|(i, c)| BETWEEN + swatch(c) + AFTER_SWATCH + text(&words(i, figures))).sum()
    };
    while figures > 0 && title_width + needed(figures) > room {
        figures -= 1;
    }
    let mut x = frame.left + title_width + BETWEEN;
    for (i, curve) in panel.curves.iter().enumerate() {
        let left = frame.left + room - x - swatch(curve) - AFTER_SWATCH;
        if left < 20.0 {
            break;
        }
        group.items.push(sample(curve, Point { x, y: y - 0.36 * AXIS_SIZE }));
        x += swatch(curve) + AFTER_SWATCH;
        let said = elide(&words(i, figures), AXIS_SIZE, FontWeight::Regular, left);
        let advance = text(&said);
        group.items.push(Text::new(x, y, AXIS_SIZE, Role::Muted, said).into());
        x += advance + BETWEEN;
    }
    group
}

/// A sample of what a curve looks like, with its left end in the middle of a line of text.
fn sample(curve: &Curve, at: Point) -> Item {
    match curve.shape {
        CurveShape::Area(_, fill) | CurveShape::Stairs(_, fill) => {
            let corner = Point { x: at.x, y: at.y - SWATCH / 2.0 };
            let (width, height) = (SWATCH, SWATCH);
            Rectangle { at: corner, width, height, radius: 1.5, fill }.into()
        }
        CurveShape::Line(_, stroke) => Line {
            points: [0.0, LINE_SWATCH].map(|x| Point { x: at.x + x, y: at.y }).to_vec(),
            stroke,
        }
        .into(),
    }
}
