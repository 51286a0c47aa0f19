//! The drawing itself, which plotters does: its coordinate system places every sample and tick, its
//! mesh visits the ticks, its series draw bands and lines, and the recorder keeps the result.
//!
//! Layers are painted from the top of the stack down, each as the outline of everything below its
//! upper edge. The part that stays visible is the layer. So there is no hairline between
//! neighbours, and only one edge per layer is stored.

use std::cell::RefCell;
use std::rc::Rc;

use plotters::element::{Drawable, PointCollection};
use plotters::prelude::DrawingArea;
use plotters_backend::{BackendCoord, DrawingErrorKind};

use super::clip::{Place, PlotRange};
use super::figure::{Failure, Figure, layer_stroke};
use super::frame::Frame;
use super::heading::{FACTS_SIZE, MARGIN};
use super::heights::{self, Edges, has_total};
use super::layout::{AXIS_SIZE, Layout, NOTES_LINE, NOTES_SIZE, TICK_GAP};
use super::marks::{self, Mark};
use super::mesh::{Mesh, chart_in};
use super::options::{DrawOptions, View};
use super::recorder::{NotRecorded, Pen, Recorder, pixels};
use super::{panels, separators, words};
use crate::chart::Chart;
use crate::chart::columns::Columns;
use crate::picture::{Anchor, Group, Item, Line, Point, Rectangle, Role, Stroke, Text, text};

/// Records the picture of a chart.
pub fn record(chart: &Chart, layout: &Layout<'_>, options: &DrawOptions) -> Vec<Item> {
    let mut recorder = Recorder::new(layout.width, layout.height);
    record_heading(&mut recorder, layout);
    let recorder = Rc::new(RefCell::new(recorder));
    // The recorder refuses only elements without a pen, and all of these have one.
    let drawn = match layout.plot_is_shown() {
        true => draw_plot(chart, layout, options, &recorder),
        false => {
            names_of_marks(layout, &mut recorder.borrow_mut());
            Ok(())
        }
    };
    debug_assert!(drawn.is_ok(), "{drawn:?}");
    let drawn = panels::record(layout, &recorder);
    debug_assert!(drawn.is_ok(), "{drawn:?}");
    let mut recorder = recorder.borrow_mut();
    layout.key.0.record(&mut recorder, layout.key.1);
    recorder.take()
}

/// Everything around the plot except the key.
fn record_heading(recorder: &mut Recorder, layout: &Layout<'_>) {
    recorder.push(Rectangle {
        at: Point { x: 0.0, y: 0.0 },
        width: layout.width,
        height: layout.height,
        radius: 0.0,
        fill: Role::Background.into(),
    });
    layout.heading.record(recorder);
    let (notes, baseline) = &layout.notes;
    if !notes.is_empty() {
        recorder.group(Group::new("notes"), |recorder| {
            for (i, note) in notes.iter().enumerate() {
                let y = baseline + i as f64 * NOTES_LINE;
                recorder.push(Text::new(MARGIN, y, NOTES_SIZE, Role::Muted, &**note));
            }
        });
    }
}

fn draw_plot(
    chart: &Chart,
    layout: &Layout<'_>,
    options: &DrawOptions,
    recorder: &Rc<RefCell<Recorder>>,
) -> Result<(), Failure> {
    let plot = layout.plot;
    let root = DrawingArea::from(recorder);
    let mut context = chart_in(&root, plot, (layout.width, layout.height))
        .build_cartesian_2d(layout.time.clone(), layout.heap.clone())?;

    let mut mesh = Mesh {
        time: &layout.time,
        heap: &layout.heap,
        frame: plot,
        width: layout.width,
        foot: layout.panels.is_empty().then_some(plot.bottom),
        grid: Group::new("grid"),
        ticks: Group::new("axis"),
    };
    let area = context.plotting_area();
    area.draw_mesh(
        |_, line| {
            mesh.line(&line);
            Ok(())
        },
        layout.heap.ticks.len(),
        layout.time.ticks.len(),
    )?;
    mesh.base_line();
    let Mesh { grid, mut ticks, .. } = mesh;
    axis_titles(layout, &mut ticks);
    recorder.borrow_mut().push(grid);

    if let Some(message) = nothing_drawn(chart) {
        let middle = Point { x: (plot.left + plot.right) / 2.0, y: (plot.top + plot.bottom) / 2.0 };
        let size = FACTS_SIZE + 1.0;
        let message = text::elide(message, size, text::Weight::Regular, plot.right - plot.left);
        let message = Text::new(middle.x, middle.y, size, Role::Muted, message);
        recorder.borrow_mut().push(message.anchored(Anchor::Middle));
    }
    let columns = &layout.columns;
    let shown = shown(layout);
    let has_range = heights::has_range(columns, options.view);
    if has_range {
        range(columns, shown).draw(&mut context, recorder)?;
    }
    let ends = (layout.time.low, layout.time.high);
    let separators = separators::widths(columns, options.view, plot, ends, layout.heap.top);
    for (i, edge) in Edges::new(columns, options.view) {
        band(chart, layout, options, i, edge, separators[i]).draw(&mut context, recorder)?;
    }
    if has_total(chart, columns, options.view) {
        let mut group = Group::new("total");
        group.title = Some(words::total_title(chart, options.units));
        let places = columns.places.iter().copied().zip(columns.total.iter().copied());
        let pen = Pen::Line(Stroke::new(Role::Total, 1.0));
        let pieces = shown.pieces(places.collect());
        Figure { pieces, pen, group }.draw(&mut context, recorder)?;
    }
    if has_range {
        range_edge(columns, shown).draw(&mut context, recorder)?;
    }
    for overlay in overlays(layout, options) {
        overlay.draw(&mut context, recorder)?;
    }
    context.draw_series(layout.marks.marks.iter().map(|mark| MarkLine { mark, layout }))?;
    recorder.borrow_mut().push(ticks);
    Ok(())
}

/// The words in a plot without layers.
fn nothing_drawn(chart: &Chart) -> Option<&'static str> {
    if !chart.layers.is_empty() {
        None
    } else if chart.times.is_empty() {
        Some("no samples")
    } else if chart.trace.bands > 0 {
        Some("every band is below the trace threshold")
    } else if chart.excluded.bands > 0 {
        Some("every band is excluded")
    } else {
        Some("nothing was live")
    }
}

/// The titles of the axes.
fn axis_titles(layout: &Layout<'_>, ticks: &mut Group) {
    let plot = layout.plot;
    let heap =
        Text::new(plot.left - TICK_GAP, plot.top - 12.0, AXIS_SIZE, Role::Muted, layout.heap.title);
    ticks.items.push(heap.anchored(Anchor::End).into());
    if layout.panels.is_empty() {
        ticks.items.push(layout.time_title(plot.bottom).into());
    }
}

/// The range of the axes that the plot shows.
fn shown(layout: &Layout<'_>) -> PlotRange {
    PlotRange { low: layout.time.low, high: layout.time.high, top: layout.heap.top }
}

/// The area between the lowest and the highest total of each column.
fn range(columns: &Columns<'_>, shown: PlotRange) -> Figure {
    let highs = columns.range.iter().map(|span| span.high).collect();
    let lows = columns.range.iter().map(|span| span.low).collect();
    let (highs, mut lows): (Vec<Place>, Vec<Place>) = (shown.edge(highs), shown.edge(lows));
    lows.reverse();
    let pen = Pen::Outline(Role::Range.into());
    Figure { pieces: vec![[highs, lows].concat()], pen, group: Group::new("range") }
}

/// The line along the highest totals.
fn range_edge(columns: &Columns<'_>, shown: PlotRange) -> Figure {
    let highs = columns.range.iter().map(|span| span.high).collect();
    let pen = Pen::Line(Stroke::new(Role::RangeEdge, 0.7));
    Figure { pieces: shown.pieces(highs), pen, group: Group::new("range-edge") }
}

/// A band, with its upper edge and the width of the line along it.
fn band(
    chart: &Chart,
    layout: &Layout<'_>,
    options: &DrawOptions,
    i: usize,
    edge: Vec<u128>,
    separator: Option<f64>,
) -> Figure {
    let layer = &chart.layers[i];
    let mut group = Group::new("band");
    group.id = Some(format!("band-{}", layout.ids[i]));
    group.label = Some(words::name(layer));
    group.title = Some(words::layer_title(chart, layer, options.units));
    let fill = layout.paints[i];
    let places = layout.columns.places.iter().copied().zip(edge).collect();
    match options.view {
        View::Lines => {
            let pieces = shown(layout).pieces(places);
            Figure { pieces, pen: Pen::Line(layer_stroke(fill, i, 1.8)), group }
        }
        View::Stacked | View::Percent => {
            let pieces = vec![shown(layout).edge(places)];
            let edge = separator.map(|width| Stroke::new(fill.separator(), width));
            Figure { pieces, pen: Pen::Area { fill, edge }, group }
        }
    }
}

/// The run-time system's own figures.
fn overlays<'a>(
    layout: &'a Layout<'_>,
    options: &'a DrawOptions,
) -> impl Iterator<Item = Figure> + 'a {
    layout.overlays.lines.iter().map(move |overlay| {
        let mut group = Group::new("heap-line");
        group.id = Some(format!("heap-{}", overlay.figure.id()));
        group.label = Some(overlay.figure.name().to_owned());
        group.title = Some(overlay.title(options.units));
        let pieces = shown(layout).pieces(overlay.places.clone());
        Figure { pieces, pen: Pen::Line(overlay.stroke()), group }
    })
}

/// Records the markers above panels, if there is no plot of bands.
fn names_of_marks(layout: &Layout<'_>, recorder: &mut Recorder) {
    let Frame { left, right, top, .. } = layout.plot;
    for mark in &layout.marks.marks {
        let x = left + layout.time.pixels(mark.time, right - left);
        record_mark(mark, (x, top), layout.plot, recorder);
    }
}

/// A marker's line and name.
struct MarkLine<'a> {
    mark: &'a Mark,
    layout: &'a Layout<'a>,
}

impl<'a> PointCollection<'a, Place> for &'a MarkLine<'_> {
    type Point = Place;
    type IntoIter = [Place; 1];

    fn point_iter(self) -> Self::IntoIter {
        [(self.mark.time, 0)]
    }
}

impl Drawable<Recorder> for MarkLine<'_> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut pos: I,
        recorder: &mut Recorder,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<NotRecorded>> {
        if let Some((x, base)) = pos.next() {
            record_mark(self.mark, (pixels(x), pixels(base)), self.layout.plot, recorder);
        }
        Ok(())
    }
}

/// Records a marker whose line is on a place.
fn record_mark(mark: &Mark, (x, base): (f64, f64), plot: Frame, recorder: &mut Recorder) {
    let baseline = |row: usize| plot.top - 8.0 - row as f64 * marks::ROW;
    let name = mark.name.as_ref();
    let top = name.map_or(plot.top, |name| match plot.left + name.x > x {
        true => baseline(name.row) - 0.75 * marks::SIZE,
        false => baseline(name.row) + 3.0,
    });
    let mut group = Group::new("marker");
    group.title = Some(mark.title.clone());
    recorder.group(group, |recorder| {
        recorder.push(Line {
            points: vec![Point { x, y: top }, Point { x, y: base }],
            stroke: Stroke::new(Role::Marker, 0.8),
        });
        if let Some(name) = name {
            let x = plot.left + name.x;
            let y = baseline(name.row);
            recorder.push(Text::new(x, y, marks::SIZE, Role::Muted, &*name.text));
        }
    });
}
