//! The grid behind a plot and the labels of its ticks, line by line as plotters hands them over.

use plotters::coord::Shift;
use plotters::coord::cartesian::MeshLine;
use plotters::prelude::{ChartBuilder, DrawingArea};

use super::axis::TimeAxis;
use super::frame::Frame;
use super::heap_axis::HeapAxis;
use super::layout::{AXIS_SIZE, TICK_GAP};
use super::recorder::{Recorder, fine, pixels};
use crate::picture::{Anchor, Group, Line, Point, Role, Stroke, Text, text};

/// A plotters chart that fills a frame in a picture of this width and height.
pub fn chart_in(
    root: &DrawingArea<Recorder, Shift>,
    frame: Frame,
    (width, height): (f64, f64),
) -> ChartBuilder<'_, '_, Recorder> {
    let fine = |pixels: f64| fine(pixels) as u32;
    let mut builder = ChartBuilder::on(root);
    // plotters leaves the last unit of an area unused.
    builder
        .margin_left(fine(frame.left))
        .margin_top(fine(frame.top))
        .margin_right(fine(width - frame.right) - 1)
        .margin_bottom(fine(height - frame.bottom) - 1);
    builder
}

/// The mesh of one plot.
pub struct Mesh<'a> {
    /// The horizontal axis.
    pub time: &'a TimeAxis,
    /// The vertical axis.
    pub heap: &'a HeapAxis,
    /// Where the plot is.
    pub frame: Frame,
    /// The width of the picture, which labels stay within.
    pub width: f64,
    /// The height below which the labels of time are; `None` for a plot without them.
    pub foot: Option<f64>,
    /// The lines.
    pub grid: Group,
    /// The labels.
    pub ticks: Group,
}

impl Mesh<'_> {
    /// Takes in a tick's grid line and label.
    pub fn line(&mut self, line: &MeshLine<'_, TimeAxis, HeapAxis>) {
        let label = |x: f64, y: f64, label: &str| Text::new(x, y, AXIS_SIZE, Role::Muted, label);
        match line {
            MeshLine::XMesh(bottom, top, at) => {
                let x = crisp(pixels(bottom.0));
                self.rule(Point { x, y: pixels(bottom.1) }, Point { x, y: pixels(top.1) });
                let tick = self.time.ticks.iter().find(|tick| tick.at == **at);
                let (Some(tick), Some(foot)) = (tick, self.foot) else { return };
                let half = text::width(&tick.label, AXIS_SIZE, text::Weight::Regular) / 2.0;
                let x = pixels(bottom.0).clamp(half + 2.0, self.width - half - 2.0);
                let text = label(x, foot + 17.0, &tick.label);
                self.ticks.items.push(text.anchored(Anchor::Middle).into());
            }
            MeshLine::YMesh(left, right, at) => {
                let y = crisp(pixels(left.1));
                self.rule(Point { x: pixels(left.0), y }, Point { x: pixels(right.0), y });
                let Some(tick) = self.heap.ticks.iter().find(|tick| tick.at == **at) else {
                    return;
                };
                let y = pixels(left.1) + 0.36 * AXIS_SIZE;
                let text = label(self.frame.left - TICK_GAP, y, &tick.label);
                self.ticks.items.push(text.anchored(Anchor::End).into());
            }
        }
    }

    fn rule(&mut self, from: Point, to: Point) {
        let stroke = Stroke::new(Role::Grid, 1.0);
        self.grid.items.push(Line { points: vec![from, to], stroke }.into());
    }

    /// Takes in the line along the bottom.
    pub fn base_line(&mut self) {
        let Frame { left, right, bottom, .. } = self.frame;
        self.ticks.items.push(
            Line {
                points: [left, right].map(|x| Point { x, y: crisp(bottom) }).to_vec(),
                stroke: Stroke::new(Role::Axis, 1.0),
            }
            .into(),
        );
    }
}

/// The middle of the pixel at `place`: a line one pixel wide that lies there is not blurred.
fn crisp(place: f64) -> f64 {
    place.floor() + 0.5
}
