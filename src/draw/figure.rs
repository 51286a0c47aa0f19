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
use crate::scene::{Group, Paint, Role, Stroke};

/// What plotters draws series in.
pub type Plotting<'a> = ChartContext<'a, Recorder, Cartesian2d<TimeAxis, HeapAxis>>;

/// Why a series was not drawn: never, as long as it is drawn with a pen.
pub type Failure = DrawingAreaErrorKind<NotRecorded>;

/// An area or a line, in a group of its own.
pub struct Figure {
    /// Its parts, each from left to right; an area has one. An outline goes round.
    pub pieces: Vec<Vec<Place>>,
    /// What they are drawn with, and as.
    pub pen: Pen,
    /// What it is.
    pub group: Group,
}

impl Figure {
    /// Has plotters draw it.
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

/// The line that stands for a layer. Without a colour of its own it is told by dashes and width.
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
