//! The elements that plotters draws for us: areas and lines over time.

use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingErrorKind};

use super::backend::{FINENESS, NotRecorded, Recorder, point};
use super::clip::Place;
use super::outline::thin;
use super::{Area, Group, Line, Paint, Stroke};

pub type Drawn = Result<(), DrawingErrorKind<NotRecorded>>;

/// Half the width of the bar that stands for a single sample, in canvas units.
const HALF_BAR: i32 = 32 * FINENESS;

/// How the places of a figure become a line.
#[derive(Clone, Copy)]
pub enum Run {
    /// By joining them.
    Joined,
    /// Each is the middle of a bar, which ends at these canvas units.
    Bars(i32, i32),
}

/// What is drawn along the places of a figure.
#[derive(Clone, Copy)]
pub enum Shape {
    /// All between them and the base line.
    Area {
        /// What fills it.
        fill: Paint,
        /// A line along it.
        edge: Option<Stroke>,
    },
    /// A line.
    Line(Stroke),
}

/// An area or a line, in a group of its own.
pub struct Figure {
    /// Its parts, each from left to right; an area has one.
    pub pieces: Vec<Vec<Place>>,
    /// How places become a line.
    pub run: Run,
    /// What is drawn.
    pub shape: Shape,
    /// What it is.
    pub group: Group,
}

impl<'a> PointCollection<'a, Place> for &'a Figure {
    type Point = Place;
    type IntoIter = Box<dyn Iterator<Item = Place> + 'a>;

    /// A place on the base line first, then those of the pieces.
    fn point_iter(self) -> Self::IntoIter {
        let mut places = self.pieces.iter().flatten().copied().peekable();
        let foot = places.peek().map(|&(time, _)| (time, 0));
        Box::new(foot.into_iter().chain(places))
    }
}

impl Drawable<Recorder> for Figure {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut pos: I,
        recorder: &mut Recorder,
        _: (u32, u32),
    ) -> Drawn {
        let Some((_, base)) = pos.next() else { return Ok(()) };
        recorder.group(self.group.clone(), |recorder| {
            for piece in &self.pieces {
                let mut outline = outline(pos.by_ref().take(piece.len()), self.run);
                match self.shape {
                    Shape::Area { fill, edge } => {
                        let ends = (outline.first().copied(), outline.last().copied());
                        if let (Some((left, _)), Some((right, _))) = ends {
                            outline.extend([(right, base), (left, base)]);
                        }
                        let points = outline.into_iter().map(point).collect();
                        recorder.push(Area { points, fill, edge });
                    }
                    // A single place has no line.
                    Shape::Line(stroke) if outline.len() > 1 => {
                        let points = outline.into_iter().map(point).collect();
                        recorder.push(Line { points, stroke });
                    }
                    Shape::Line(_) => {}
                }
            }
        });
        Ok(())
    }
}

/// A line as drawn: thinned, or bars.
fn outline(points: impl Iterator<Item = BackendCoord>, run: Run) -> Vec<BackendCoord> {
    match run {
        Run::Joined => thin(points, FINENESS),
        Run::Bars(left, right) => points
            .flat_map(|(x, y)| [((x - HALF_BAR).max(left), y), ((x + HALF_BAR).min(right), y)])
            .collect(),
    }
}
