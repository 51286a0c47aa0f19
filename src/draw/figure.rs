//! Areas and lines over time, drawn as plotters' series in groups of their own.

use std::cell::RefCell;
use std::rc::Rc;

use plotters::chart::ChartContext;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::Polygon;
use plotters::series::{AreaSeries, LineSeries};
use plotters::style::BLACK;

use super::axis::TimeAxis;
use super::clip::Place;
use super::heap_axis::HeapAxis;
use super::recorder::{NotRecorded, Pen, Recorder};
use crate::picture::{Group, Line, Paint, Point, Role, Stroke};

/// The plotters chart in which series are drawn.
pub type Plotting<'a> = ChartContext<'a, Recorder, Cartesian2d<TimeAxis, HeapAxis>>;

/// Why a series was not drawn. This cannot happen while a pen is set.
pub type Failure = DrawingAreaErrorKind<NotRecorded>;

/// An area or a line, in a group of its own.
pub struct Figure {
    /// Its parts, each from left to right, or around for an outline; an area has one part.
    pub pieces: Vec<Vec<Place>>,
    /// How the parts are drawn.
    pub pen: Pen,
    /// The group that it becomes.
    pub group: Group,
}

impl Figure {
    /// Lets plotters draw it.
    pub fn draw(
        self,
        plotting: &mut Plotting<'_>,
        recorder: &Rc<RefCell<Recorder>>,
    ) -> Result<(), Failure> {
        if self.pieces.iter().all(Vec::is_empty) {
            return Ok(());
        }
        recorder.borrow_mut().open(self.group, self.pen);
        for piece in self.pieces {
            match self.pen {
                Pen::Area { .. } => plotting.draw_series(AreaSeries::new(piece, 0, BLACK))?,
                Pen::Outline(_) => plotting.draw_series([Polygon::new(piece, BLACK)])?,
                Pen::Line(_) => plotting.draw_series(LineSeries::new(piece, BLACK))?,
            };
        }
        recorder.borrow_mut().close();
        Ok(())
    }
}

/// The width of the mark of growing bands, and the width it takes in a line of text, in pixels.
const RISING: f64 = 7.0;
pub const RISING_ROOM: f64 = 12.0;

/// The mark of bands that grow to the end of the run: a rising arrow, whose left end is at `at`, on
/// the base line of the text after it. It is made of lines, because not every font has such a
/// character.
pub fn rising(at: Point) -> Group {
    let (left, right) = (at.x, at.x + RISING);
    let (low, high) = (at.y - 0.5, at.y - 0.5 - RISING);
    let points = |of: &[(f64, f64)]| of.iter().map(|&(x, y)| Point { x, y }).collect();
    let line =
        |of: &[(f64, f64)]| Line { points: points(of), stroke: Stroke::new(Role::Text, 1.4) };
    let mut group = Group::new("suspect");
    let half = RISING * 0.6;
    group.items.push(line(&[(left, low), (right, high)]).into());
    group.items.push(line(&[(right - half, high), (right, high), (right, high + half)]).into());
    group
}

/// The stroke of a layer drawn as a line. In palettes without colours it has its own dashes and
/// width instead.
pub fn layer_stroke(paint: Paint, layer: usize, width: f64) -> Stroke {
    const DASHES: [Option<(f64, f64)>; 5] =
        [None, Some((7.0, 3.0)), Some((2.0, 2.5)), Some((12.0, 4.0)), Some((4.0, 6.0))];
    const WIDTHS: [f64; 3] = [0.8, 1.5, 0.5];
    match paint {
        Paint::Role(_) | Paint::Band(_) | Paint::Tone(_) => Stroke::new(paint, width),
        Paint::Hatch(_) => Stroke {
            dash: DASHES[layer % DASHES.len()],
            ..Stroke::new(Role::Text, width * WIDTHS[layer / DASHES.len() % WIDTHS.len()])
        },
    }
}
