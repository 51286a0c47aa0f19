//! Everything that connects pictures with plotters.
//!
//! plotters places everything in a plot: its coordinate system, with two ranged types of our own,
//! its mesh, and its line and area series. It draws on a backend that only records, and what it
//! draws becomes items of a [`Scene`](crate::picture::Scene).
//!
//! plotters' coordinates are whole numbers, so the canvas it sees is ten times finer than the
//! picture. Its elements have only colours, but a scene says what a thing *is* (a band, a marker),
//! and is painted by purpose. So each series is drawn with a [`Pen`], and plotters' own colours are
//! ignored. What is drawn without a pen is not recorded, because its purpose is unknown. plotters'
//! own axes and texts are not used, because they know neither binary units nor minutes, and
//! misplace or loop on empty and infinite ranges.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use plotters::chart::ChartContext;
use plotters::coord::cartesian::{Cartesian2d, MeshLine};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::Polygon;
use plotters::prelude::{ChartBuilder, DrawingArea};
use plotters::series::{AreaSeries, LineSeries};
use plotters::style::BLACK;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use thiserror::Error;

use super::outline::{PlotPoint, PlotRange, straight};
use super::time_axis::TimeAxis;
use super::value_axis::ValueAxis;
use crate::picture::text_width::{FontWeight, width};
use crate::picture::{Anchor, Area, Group, Item, Line, Paint, Point, Role, Stroke, Text};

/// The font size of tick labels and axis titles, in pixels.
pub const AXIS_SIZE: f64 = 11.0;
/// The distance from the plot to the tick labels next to it.
pub const TICK_GAP: f64 = 8.0;

/// A rectangle between two corners, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct PixelFrame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl PixelFrame {
    /// The distance from the upper to the lower edge.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// The frame and the axes of a plot.
pub struct PlotArea<'a> {
    pub picture: PixelFrame,
    /// Where the plot is in it.
    pub frame: PixelFrame,
    pub time: &'a TimeAxis,
    pub values: &'a ValueAxis,
    /// Whether the ticks of time have labels, below the plot.
    pub has_time_labels: bool,
}

/// A plot in which plotters draws.
pub struct Plot<'a> {
    area: &'a PlotArea<'a>,
    context: ChartContext<'a, PenRecorder, Cartesian2d<TimeAxis, ValueAxis>>,
    recorder: Rc<RefCell<PenRecorder>>,
    range: PlotRange,
    items: Vec<Item>,
}

/// Why something was not drawn.
type Failure = DrawingAreaErrorKind<NotRecorded>;

impl PlotArea<'_> {
    /// The items of a plot that `fill` draws.
    pub fn draw(&self, fill: impl FnOnce(&mut Plot<'_>)) -> Vec<Item> {
        let recorder = Rc::new(RefCell::new(PenRecorder::new(self.picture)));
        let root = DrawingArea::from(&recorder);
        let mut builder = ChartBuilder::on(&root);
        // plotters leaves the last unit of an area unused.
        builder
            .margin_left(fine(self.frame.left) as u32)
            .margin_top(fine(self.frame.top) as u32)
            .margin_right(fine(self.picture.right - self.frame.right) as u32 - 1)
            .margin_bottom(fine(self.picture.bottom - self.frame.bottom) as u32 - 1);
        let context = builder.build_cartesian_2d(self.time.clone(), self.values.clone());
        let Some(context) = recorded(context) else { return Vec::new() };
        let range = PlotRange { low: self.time.low, high: self.time.high, top: self.values.top };
        let mut plot = Plot { area: self, context, recorder, range, items: Vec::new() };
        fill(&mut plot);
        plot.items
    }
}

/// The recorder refuses only elements without a pen, and every series here has one.
fn recorded<T>(drawn: Result<T, Failure>) -> Option<T> {
    debug_assert!(drawn.is_ok(), "{:?}", drawn.err());
    drawn.ok()
}

impl Plot<'_> {
    pub fn push(&mut self, item: impl Into<Item>) {
        self.items.push(item.into());
    }

    pub fn extend(&mut self, items: impl IntoIterator<Item = impl Into<Item>>) {
        self.items.extend(items.into_iter().map(Into::into));
    }

    /// Draws the grid as a group of one class; returns the labels of the ticks and the line along the
    /// bottom as a group of the other class.
    pub fn grid(&mut self, grid: &'static str, axis: &'static str) -> Group {
        let mut mesh = Mesh { area: self.area, grid: Group::new(grid), axis: Group::new(axis) };
        let take = |_: &mut _, line: MeshLine<'_, TimeAxis, ValueAxis>| {
            mesh.line(&line);
            Ok(())
        };
        let PlotArea { time, values, .. } = self.area;
        let drawing = self.context.plotting_area();
        recorded(drawing.draw_mesh(take, values.ticks.len(), time.ticks.len()));
        mesh.base_line();
        self.items.push(mesh.grid.into());
        mesh.axis
    }

    /// Draws everything below the pieces of a line, which become items of the group.
    pub fn area(
        &mut self,
        group: Group,
        pieces: Vec<Vec<PlotPoint>>,
        fill: Paint,
        separator: Option<Stroke>,
    ) {
        let pieces = pieces.into_iter().map(|piece| self.range.edge(piece)).collect();
        self.figure(group, Pen::Area { fill, edge: separator }, pieces);
    }

    pub fn lines(&mut self, group: Group, lines: Vec<Vec<PlotPoint>>, stroke: Stroke) {
        let pieces = lines.into_iter().flat_map(|line| self.range.pieces(line)).collect();
        self.figure(group, Pen::Line(stroke), pieces);
    }

    /// Draws everything below stairs, every step of them.
    pub fn stairs(&mut self, group: Group, pieces: Vec<Vec<PlotPoint>>, fill: Paint) {
        let closed = |piece| {
            let mut edge = self.range.edge(piece);
            let ends = edge.last().copied().zip(edge.first().copied());
            edge.extend(ends.into_iter().flat_map(|(last, first)| [(last.0, 0), (first.0, 0)]));
            edge
        };
        let pieces = pieces.into_iter().map(closed).collect();
        self.figure(group, Pen::Outline(fill), pieces);
    }

    /// Where a place on the axes is in the picture.
    pub fn pixels(&self, time: i64, value: u128) -> Point {
        point(self.context.backend_coord(&(time, value)))
    }

    /// Draws series, clipped to the plot, into a group; a group of nothing is left out.
    fn figure(&mut self, mut group: Group, pen: Pen, pieces: Vec<Vec<PlotPoint>>) {
        if pieces.iter().all(Vec::is_empty) {
            return;
        }
        self.recorder.borrow_mut().pen = Some(pen);
        for piece in pieces {
            let context = &mut self.context;
            recorded(match pen {
                Pen::Area { .. } => {
                    context.draw_series(AreaSeries::new(piece, 0, BLACK)).map(|_| ())
                }
                Pen::Outline(_) => context.draw_series([Polygon::new(piece, BLACK)]).map(|_| ()),
                Pen::Line(_) => context.draw_series(LineSeries::new(piece, BLACK)).map(|_| ()),
            });
        }
        let mut recorder = self.recorder.borrow_mut();
        recorder.pen = None;
        group.items = std::mem::take(&mut recorder.items);
        self.items.push(group.into());
    }
}

/// The grid of a plot and the labels of its ticks, line by line as plotters hands them over.
struct Mesh<'a> {
    area: &'a PlotArea<'a>,
    grid: Group,
    axis: Group,
}

impl Mesh<'_> {
    fn line(&mut self, line: &MeshLine<'_, TimeAxis, ValueAxis>) {
        let PlotArea { frame, time, values, has_time_labels, .. } = self.area;
        let label = |x: f64, y: f64, label: &str| Text::new(x, y, AXIS_SIZE, Role::Muted, label);
        match line {
            MeshLine::XMesh(bottom, top, at) => {
                let (bottom, top) = (point(*bottom), point(*top));
                let x = crisp(bottom.x);
                self.rule(Point { x, ..bottom }, Point { x, ..top });
                let tick = time.ticks.iter().find(|tick| tick.at == **at);
                let Some(tick) = tick.filter(|_| *has_time_labels) else { return };
                let half = width(&tick.label, AXIS_SIZE, FontWeight::Regular) / 2.0;
                // Under the key beside the plot is the title of the axis.
                let x = bottom.x.clamp(half + 2.0, frame.right + 14.0 - half);
                let text = label(x, frame.bottom + 17.0, &tick.label);
                self.axis.items.push(text.anchored(Anchor::Middle).into());
            }
            MeshLine::YMesh(left, right, at) => {
                let (left, right) = (point(*left), point(*right));
                let y = crisp(left.y);
                self.rule(Point { y, ..left }, Point { y, ..right });
                let Some(tick) = values.ticks.iter().find(|tick| tick.at == **at) else { return };
                let text = label(frame.left - TICK_GAP, left.y + 0.36 * AXIS_SIZE, &tick.label);
                self.axis.items.push(text.anchored(Anchor::End).into());
            }
        }
    }

    fn rule(&mut self, from: Point, to: Point) {
        let stroke = Stroke::new(Role::Grid, 1.0);
        self.grid.items.push(Line { points: vec![from, to], stroke }.into());
    }

    fn base_line(&mut self) {
        let PixelFrame { left, right, bottom, .. } = self.area.frame;
        let points = [left, right].map(|x| Point { x, y: crisp(bottom) }).to_vec();
        self.axis.items.push(Line { points, stroke: Stroke::new(Role::Axis, 1.0) }.into());
    }
}

/// The middle of the pixel at `place`: a line one pixel wide that lies there is not blurred.
fn crisp(place: f64) -> f64 {
    place.floor() + 0.5
}

impl Ranged for TimeAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = i64;

    fn map(&self, value: &i64, limit: (i32, i32)) -> i32 {
        between(limit, self.share(*value))
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<i64> {
        self.ticks.iter().map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<i64> {
        self.low..self.high
    }
}

impl Ranged for ValueAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = u128;

    fn map(&self, value: &u128, limit: (i32, i32)) -> i32 {
        between(limit, *value as f64 / self.top as f64)
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<u128> {
        self.ticks.iter().map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<u128> {
        0..self.top
    }
}

/// The unit of the canvas at `share` of the way between two units.
fn between(ends: (i32, i32), share: f64) -> i32 {
    ends.0 + (f64::from(ends.1 - ends.0) * share.clamp(0.0, 1.0)).round() as i32
}

/// Units of the recorded canvas per pixel.
const FINENESS: i32 = 10;

fn fine(pixels: f64) -> i32 {
    (pixels * f64::from(FINENESS)).round() as i32
}

fn point(place: BackendCoord) -> Point {
    let pixels = |units: i32| f64::from(units) / f64::from(FINENESS);
    Point { x: pixels(place.0), y: pixels(place.1) }
}

fn points(places: Vec<BackendCoord>) -> Vec<Point> {
    places.into_iter().map(point).collect()
}

/// The recorder's error for an element without a pen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("nothing is recorded without a pen")]
struct NotRecorded;

/// What a series is drawn with.
#[derive(Clone, Copy, Debug)]
enum Pen {
    /// For area series: what fills the areas, and a line along their outline.
    Area {
        fill: Paint,
        edge: Option<Stroke>,
    },
    /// For polygons, corner by corner.
    Outline(Paint),
    Line(Stroke),
}

/// The backend that records what plotters draws with a pen.
struct PenRecorder {
    size: (u32, u32),
    pen: Option<Pen>,
    items: Vec<Item>,
}

type Recorded = Result<(), DrawingErrorKind<NotRecorded>>;

const REFUSED: Recorded = Err(DrawingErrorKind::DrawingError(NotRecorded));

impl PenRecorder {
    fn new(picture: PixelFrame) -> Self {
        let size = (fine(picture.right) as u32, fine(picture.bottom) as u32);
        PenRecorder { size, pen: None, items: Vec::new() }
    }
}

impl DrawingBackend for PenRecorder {
    type ErrorType = NotRecorded;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Recorded {
        Ok(())
    }

    fn present(&mut self) -> Recorded {
        Ok(())
    }

    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Recorded {
        REFUSED
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Recorded {
        self.draw_path([from, to], style)
    }

    /// A line series. The transparent border of an area series is not drawn.
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Recorded {
        match self.pen {
            _ if style.color().alpha == 0.0 => {}
            Some(Pen::Line(stroke)) => {
                let line = straight(path);
                // A single place is not a line.
                if line.len() > 1 {
                    self.items.push(Line { points: points(line), stroke }.into());
                }
            }
            Some(Pen::Area { .. } | Pen::Outline(_)) | None => return REFUSED,
        }
        Ok(())
    }

    /// A polygon, or an area series: a line from left to right, and two corners on its base line.
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        _: &S,
    ) -> Recorded {
        let mut corners: Vec<BackendCoord> = corners.into_iter().collect();
        match (self.pen, &corners[..]) {
            (Some(Pen::Area { fill, edge }), &[.., right, left]) => {
                corners.truncate(corners.len() - 2);
                let mut outline = straight(corners);
                outline.extend([right, left]);
                self.items.push(Area { points: points(outline), fill, edge }.into());
            }
            (Some(Pen::Outline(fill)), &[_, _, _, ..]) => {
                self.items.push(Area { points: points(corners), fill, edge: None }.into());
            }
            (Some(Pen::Area { .. } | Pen::Outline(_)), _) => {}
            (Some(Pen::Line(_)) | None, _) => return REFUSED,
        }
        Ok(())
    }

    /// Our pictures draw no texts through plotters.
    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        _: &str,
        _: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<NotRecorded>> {
        Err(DrawingErrorKind::DrawingError(NotRecorded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::UnitSystem;
    use crate::chart::testing;
    use crate::draw::DrawOptions;

    const PICTURE: PixelFrame = PixelFrame { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn elements_without_a_pen_are_refused() {
        let mut recorder = PenRecorder::new(PICTURE);
        assert_eq!(recorder.get_size(), (100, 100));
        assert!(recorder.draw_line((0, 0), (5, 5), &BLACK).is_err());
        assert!(recorder.fill_polygon([(0, 0), (5, 5)], &BLACK).is_err());
        let black = BackendColor { alpha: 1.0, rgb: (0, 0, 0) };
        assert!(recorder.draw_pixel((0, 0), black).is_err());
    }

    #[test]
    fn a_series_becomes_a_group_of_items_inside_its_frame() {
        let time = TimeAxis::new(&testing::wavy(1, 50), &DrawOptions::default());
        let values = ValueAxis::bytes(100, 3, UnitSystem::Binary);
        let (low, high) = (time.low, time.high);
        let frame = PixelFrame { left: 1.0, top: 2.0, right: 8.0, bottom: 7.0 };
        let stroke = Stroke::new(Role::Total, 1.0);
        let (time, values) = (&time, &values);
        let area = PlotArea { picture: PICTURE, frame, time, values, has_time_labels: false };
        let items = area.draw(|plot| {
            plot.lines(Group::new("line"), vec![vec![(low, 0), (high, 100)]], stroke);
            plot.lines(Group::new("nothing"), vec![Vec::new()], stroke);
            assert_eq!(plot.pixels(high, 0), Point { x: 8.0, y: 7.0 });
        });
        let [Item::Group(group)] = &items[..] else { panic!("one group: {items:?}") };
        let [Item::Line(line)] = &group.items[..] else { panic!("one line") };
        assert_eq!(line.points, [Point { x: 1.0, y: 7.0 }, Point { x: 8.0, y: 2.0 }]);
        assert_eq!(line.stroke, stroke);
    }
}
