//! Draws panels with plotters, each in its own coordinate system, with its legend above it.

use std::cell::RefCell;
use std::rc::Rc;

use plotters::prelude::DrawingArea;

use super::panel::{Curve, Look, Panel};
use crate::draw::clip::{Place, PlotRange};
use crate::draw::figure::{Failure, Figure};
use crate::draw::frame::Frame;
use crate::draw::heading::MARGIN;
use crate::draw::layout::{AXIS_SIZE, Layout};
use crate::draw::mesh::{Mesh, chart_in};
use crate::draw::recorder::{Pen, Recorder};
use crate::picture::text::{Weight, elide, width};
use crate::picture::{Group, Item, Line, Point, Rectangle, Role, Stroke, Text};

const SWATCH: f64 = 10.0;
/// Long enough to tell dashes apart.
const LINE_SWATCH: f64 = 17.0;
const AFTER_SWATCH: f64 = 5.0;
const BETWEEN: f64 = 14.0;
/// The distance from the legend's base line down to the panel.
const BASE: f64 = 7.0;

/// Records the panels of a picture.
pub fn record(layout: &Layout<'_>, recorder: &Rc<RefCell<Recorder>>) -> Result<(), Failure> {
    let last = layout.panels.len().saturating_sub(1);
    for (i, (panel, frame)) in layout.panels.iter().enumerate() {
        draw(panel, *frame, layout, i == last, recorder)?;
    }
    Ok(())
}

fn draw(
    panel: &Panel,
    frame: Frame,
    layout: &Layout<'_>,
    is_last: bool,
    recorder: &Rc<RefCell<Recorder>>,
) -> Result<(), Failure> {
    let root = DrawingArea::from(recorder);
    let mut context = chart_in(&root, frame, (layout.width, layout.height))
        .build_cartesian_2d(layout.time.clone(), panel.axis.clone())?;
    let mut mesh = Mesh {
        time: &layout.time,
        heap: &panel.axis,
        frame,
        width: layout.width,
        foot: is_last.then_some(frame.bottom),
        grid: Group::new("panel-grid"),
        ticks: Group::new("panel-axis"),
    };
    context.plotting_area().draw_mesh(
        |_, line| {
            mesh.line(&line);
            Ok(())
        },
        panel.axis.ticks.len(),
        layout.time.ticks.len(),
    )?;
    mesh.base_line();
    let Mesh { grid, mut ticks, .. } = mesh;
    if is_last {
        ticks.items.push(layout.time_title(frame.bottom).into());
    }
    recorder.borrow_mut().push(grid);
    let shown = PlotRange { low: layout.time.low, high: layout.time.high, top: panel.axis.top };
    for (i, curve) in panel.curves.iter().enumerate() {
        let mut group = Group::new("panel");
        group.id = Some(format!("panel-{}-{i}", panel.id));
        group.label = Some(curve.name.clone());
        group.title = Some(format!("{}\n{}\n{}", panel.title, curve.name, curve.figure));
        let (pieces, pen) = drawn(curve, shown);
        Figure { pieces, pen, group }.draw(&mut context, recorder)?;
    }
    for mark in &layout.marks.marks {
        let pen = Pen::Line(Stroke::new(Role::Marker, 0.8));
        let pieces = shown.pieces(vec![(mark.time, 0), (mark.time, panel.axis.top)]);
        Figure { pieces, pen, group: Group::new("panel-marker") }.draw(&mut context, recorder)?;
    }
    recorder.borrow_mut().push(ticks);
    recorder.borrow_mut().push(legend(panel, frame, layout.width - MARGIN - frame.left));
    Ok(())
}

fn drawn(curve: &Curve, shown: PlotRange) -> (Vec<Vec<Place>>, Pen) {
    let pieces = curve.pieces.iter().cloned();
    match curve.look {
        Look::Area(fill) => {
            (pieces.map(|piece| shown.edge(piece)).collect(), Pen::Area { fill, edge: None })
        }
        Look::Stairs(fill) => {
            let closed = |piece| {
                let mut edge = shown.edge(piece);
                let ends = edge.last().copied().zip(edge.first().copied());
                edge.extend(ends.into_iter().flat_map(|(last, first)| [(last.0, 0), (first.0, 0)]));
                edge
            };
            (pieces.map(closed).collect(), Pen::Outline(fill))
        }
        Look::Line(stroke) => {
            (pieces.flat_map(|piece| shown.pieces(piece)).collect(), Pen::Line(stroke))
        }
    }
}

/// The title of a panel and the names of its curves, with figures if there is space. The key beside
/// the bands ends above the panels, so a legend can use the full width of the picture.
fn legend(panel: &Panel, frame: Frame, room: f64) -> Group {
    let mut group = Group::new("panel-legend");
    let y = frame.top - BASE;
    let text = |text: &str| width(text, AXIS_SIZE, Weight::Regular);
    let title_width = width(panel.title, AXIS_SIZE, Weight::Bold);
    let title = elide(panel.title, AXIS_SIZE, Weight::Bold, room);
    group.items.push(Text::new(frame.left, y, AXIS_SIZE, Role::Text, title).bold().into());
    // If not all figures fit, those of the last curves are left out first.
    let mut figures = panel.curves.len();
    let swatch = |curve: &Curve| match curve.look {
        Look::Line(_) => LINE_SWATCH,
        Look::Area(_) | Look::Stairs(_) => SWATCH,
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
        let said = elide(&words(i, figures), AXIS_SIZE, Weight::Regular, left);
        let advance = text(&said);
        group.items.push(Text::new(x, y, AXIS_SIZE, Role::Muted, said).into());
        x += advance + BETWEEN;
    }
    group
}

/// A sample of what a curve looks like, with its left end in the middle of a line of text.
fn sample(curve: &Curve, at: Point) -> Item {
    match curve.look {
        Look::Area(fill) | Look::Stairs(fill) => {
            let corner = Point { x: at.x, y: at.y - SWATCH / 2.0 };
            let (width, height) = (SWATCH, SWATCH);
            Rectangle { at: corner, width, height, radius: 1.5, fill }.into()
        }
        Look::Line(stroke) => Line {
            points: [0.0, LINE_SWATCH].map(|x| Point { x: at.x + x, y: at.y }).to_vec(),
            stroke,
        }
        .into(),
    }
}
