//! The elements that plotters draws for us: areas and lines over time.

use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingErrorKind};

use super::clip::Place;
use super::outline::thin;
use super::recorder::{FINENESS, NotRecorded, Recorder, point};
use crate::scene::{Area, Group, Line, Paint, Role, Stroke};

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
                        let edge = edge.filter(|_| !is_busy(&outline));
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

/// Whether an edge goes up and down in every pixel: a line along it would be a surface.
fn is_busy(outline: &[BackendCoord]) -> bool {
    let ends = outline.first().zip(outline.last());
    let columns = ends.map_or(0, |(left, right)| (right.0 - left.0) / FINENESS);
    columns > 100 && outline.len() as f64 > 1.2 * f64::from(columns)
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
