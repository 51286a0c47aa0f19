//! Paints into any plotters drawing area: a bitmap, a canvas in a page, a window.
//!
//! A scene is painted with the elements every plotters backend has: polygons, paths, rectangles and
//! texts. plotters has only whole pixels, so places are rounded here, and lines are at least one
//! pixel wide; the other emitters of this folder are exact. Texts are drawn by the backend, in the
//! font family that is asked for.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{DashedPathElement, PathElement, Polygon, Rectangle as Filled};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, FontTransform, RGBColor, ShapeStyle, TextStyle};
use plotters_backend::{BackendCoord, DrawingBackend};

use super::scene::Canvas;
use super::shape::PathStep;
use crate::picture::{
    Anchor, FontWeight, Paint, Point, Rectangle, Rgb, Scene, Stroke, Text, Theme,
};

/// How a scene is painted into a plotters area.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaOptions {
    /// The colours. Default [`Theme::Light`].
    pub theme: Theme,
    /// The font family that the backend is asked for. Default `sans-serif`.
    pub font: String,
}

impl Default for AreaOptions {
    fn default() -> Self {
        AreaOptions { theme: Theme::default(), font: "sans-serif".to_owned() }
    }
}

/// Paints a scene into a plotters area, as large as possible, beginning at the area's upper left
/// corner.
///
/// # Errors
///
/// What the backend reports. A backend that cannot draw text itself (plotters' bitmap) needs a
/// font: see `plotters::style::register_font`.
pub fn paint<DB: DrawingBackend>(
    scene: &Scene,
    area: &DrawingArea<DB, Shift>,
    options: &AreaOptions,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let (width, height) = area.dim_in_pixel();
    let scale = (f64::from(width) / scene.width).min(f64::from(height) / scene.height);
    let mut painter = AreaPainter { area, options, scale, painted: Ok(()) };
    painter.items(&scene.items);
    painter.painted
}

struct AreaPainter<'a, DB: DrawingBackend> {
    area: &'a DrawingArea<DB, Shift>,
    options: &'a AreaOptions,
    scale: f64,
    /// After a failure, nothing more is painted.
    painted: Painted<DB>,
}

type Painted<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

impl<DB: DrawingBackend> AreaPainter<'_, DB> {
    fn place(&self, point: Point) -> BackendCoord {
        ((point.x * self.scale).round() as i32, (point.y * self.scale).round() as i32)
    }

    fn colour(&self, paint: Paint) -> RGBColor {
        rgb(paint.rgb(self.options.theme))
    }

    fn draw(&mut self, element: impl FnOnce(&DrawingArea<DB, Shift>) -> Painted<DB>) {
        if self.painted.is_ok() {
            self.painted = element(self.area);
        }
    }
}

impl<DB: DrawingBackend> Canvas for AreaPainter<'_, DB> {
    type Path = Vec<Point>;

    fn path(&self, steps: impl Iterator<Item = PathStep>, is_closed: bool) -> Option<Vec<Point>> {
        let mut points = corners(steps);
        if is_closed {
            points.extend(points.first().copied());
        }
        Some(points)
    }

    fn fill(&mut self, outline: &Vec<Point>, paint: Paint) {
        let corners: Vec<BackendCoord> = outline.iter().map(|&point| self.place(point)).collect();
        if corners.len() > 3 {
            let polygon = Polygon::new(corners, self.colour(paint));
            self.draw(|area| area.draw(&polygon));
        }
    }

    fn stroke(&mut self, points: &Vec<Point>, stroke: Stroke) {
        let style = ShapeStyle {
            color: self.colour(stroke.paint).into(),
            filled: false,
            stroke_width: ((stroke.width * self.scale).round() as u32).max(1),
        };
        let places: Vec<BackendCoord> = points.iter().map(|&point| self.place(point)).collect();
        match stroke.dash {
            Some((on, off)) => {
                let [on, off] = [on, off].map(|length| (length * self.scale).max(1.0));
                self.draw(|area| area.draw(&DashedPathElement::new(places, on, off, style)));
            }
            None => self.draw(|area| area.draw(&PathElement::new(places, style))),
        }
    }

    fn rectangle(&mut self, rectangle: &Rectangle) {
        let Rectangle { at, width, height, radius, fill } = *rectangle;
        if radius * self.scale >= 1.0 {
            let path = self.path(rectangle.outline().into_iter(), true);
            return path.iter().for_each(|path| self.fill(path, fill));
        }
        let (left, top) = self.place(at);
        let (right, bottom) = self.place(Point { x: at.x + width, y: at.y + height });
        // plotters' rectangles include their lower right corner.
        let corners = [(left, top), ((right - 1).max(left), (bottom - 1).max(top))];
        let style = ShapeStyle { filled: true, ..self.colour(fill).into() };
        self.draw(|area| area.draw(&Filled::new(corners, style)));
    }

    fn text(&mut self, text: &Text) {
        let across = match text.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let weight = match text.weight {
            FontWeight::Regular => FontStyle::Normal,
            FontWeight::Bold => FontStyle::Bold,
        };
        let size = text.size * self.scale;
        let colour = self.colour(text.paint);
        let style = TextStyle::from((&*self.options.font, size, weight))
            .color(&colour)
            .transform(FontTransform::None)
            .pos(Pos::new(across, VPos::Bottom));
        // plotters has no base line. Letters reach below it by a fifth of the size.
        let below = Point { x: text.at.x, y: text.at.y + 0.21 * text.size };
        let at = self.place(below);
        self.draw(|area| area.draw_text(&text.content, &style, at));
    }
}

fn rgb(colour: Rgb) -> RGBColor {
    RGBColor(colour.r, colour.g, colour.b)
}

/// The corners of an outline, its curves as short lines.
fn corners(steps: impl Iterator<Item = PathStep>) -> Vec<Point> {
    const PARTS: u8 = 4;
    let mut points: Vec<Point> = Vec::new();
    let point = |[x, y]: [f32; 2]| Point { x: f64::from(x), y: f64::from(y) };
    for step in steps {
        match step {
            PathStep::Move(to) | PathStep::Line(to) => points.push(point(to)),
            PathStep::Curve(a, b, to) => {
                let Some(&from) = points.last() else { continue };
                let (a, b, to) = (point(a), point(b), point(to));
                points.extend((1..=PARTS).map(|part| {
                    let t = f64::from(part) / f64::from(PARTS);
                    let s = 1.0 - t;
                    let mix = |p: f64, q: f64, r: f64, z: f64| {
                        s * s * s * p + 3.0 * s * t * (s * q + t * r) + t * t * t * z
                    };
                    Point { x: mix(from.x, a.x, b.x, to.x), y: mix(from.y, a.y, b.y, to.y) }
                }));
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use plotters::prelude::{BitMapBackend, FontStyle, IntoDrawingArea, WHITE};
    use plotters::style::register_font;

    use super::*;
    use crate::picture::{Area, Item, Role};

    #[test]
    fn a_scene_is_painted_to_its_scale_with_its_texts() {
        let mut items: Vec<Item> = Vec::new();
        let points = [(0.0, 0.0), (80.0, 0.0), (80.0, 80.0), (0.0, 80.0)]
            .map(|(x, y)| Point { x, y })
            .to_vec();
        items.push(Area { points, fill: Role::Text.into(), edge: None }.into());
        let fill = Paint::Band(Rgb::hex(0x123456));
        let at = Point { x: 90.0, y: 10.0 };
        items.push(Rectangle { at, width: 10.0, height: 10.0, radius: 3.0, fill }.into());
        items.push(Text::new(20.0, 95.0, 10.0, Role::Text, "words").into());
        let description = String::new();
        let title = String::new();
        let scene = Scene { width: 100.0, height: 100.0, title, description, source: None, items };
        let font = crate::picture::text_width::REGULAR;
        assert!(register_font("sans-serif", FontStyle::Normal, font).is_ok());
        let mut pixels = vec![0; 300 * 200 * 3];
        {
            let area = BitMapBackend::with_buffer(&mut pixels, (300, 200)).into_drawing_area();
            area.fill(&WHITE).unwrap();
            paint(&scene, &area, &AreaOptions::default()).unwrap();
        }
        let at = |x: usize, y: usize| {
            let [r, g, b] = [0, 1, 2].map(|channel| pixels[3 * (y * 300 + x) + channel]);
            Rgb { r, g, b }
        };
        let (ink, paper) = (Role::Text.rgb(Theme::Light), Rgb::hex(0xffffff));
        // The scene is painted twice as big.
        assert_eq!([at(8, 80), at(170, 80)], [ink, paper]);
        assert_eq!([at(190, 30), at(250, 30)], [Rgb::hex(0x123456), paper]);
        let inked = |x: usize| (165..200).any(|y| at(x, y) == ink);
        let ends = [(0..300).find(|&x| inked(x)), (0..300).rfind(|&x| inked(x))];
        assert!(ends[0] >= Some(40) && ends[0] < Some(50), "{ends:?}");
        assert!(ends[1] > Some(80) && ends[1] < Some(110), "{ends:?}");
    }
}
