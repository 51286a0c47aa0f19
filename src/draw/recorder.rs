//! The plotters backend that draws nothing: it records a [`Scene`](crate::picture::Scene)'s items.
//!
//! plotters' coordinates are whole numbers, so the canvas it sees is ten times finer than the
//! picture. plotters' elements have only colours, but a scene says what a thing *is* (a band, a
//! marker), and is painted by purpose. So a series is drawn into an open group with a [`Pen`], and
//! what plotters hands over becomes items of that group. Outside a group it is refused with
//! [`NotRecorded`], rather than recorded without a meaning.

use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};
use thiserror::Error;

use super::outline::thin;
use crate::picture::text::{Weight, width};
use crate::picture::{Area, Group, Item, Line, Paint, Point, Stroke};

/// Units of the recorded canvas per pixel.
pub const FINENESS: i32 = 10;

/// The recorder's error for an element outside a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("nothing is recorded outside a group that has a pen")]
pub struct NotRecorded;

/// What the elements of a group are drawn with; plotters' own colours are ignored.
#[derive(Clone, Copy, Debug)]
pub enum Pen {
    /// For area series.
    Area {
        /// What fills the areas.
        fill: Paint,
        /// A line along their outline.
        edge: Option<Stroke>,
    },
    /// For polygons, corner by corner.
    Outline(Paint),
    /// For line series.
    Line(Stroke),
}

/// Records items, inside the innermost open group.
pub struct Recorder {
    size: (u32, u32),
    open: Vec<Group>,
    done: Vec<Item>,
    pen: Option<Pen>,
}

type Recorded = Result<(), DrawingErrorKind<NotRecorded>>;

impl Recorder {
    /// A recorder for a picture of this size in pixels.
    pub fn new(width: f64, height: f64) -> Self {
        let fine = |pixels: f64| fine(pixels) as u32;
        Recorder {
            size: (fine(width), fine(height)),
            open: Vec::new(),
            done: Vec::new(),
            pen: None,
        }
    }

    /// Adds an item.
    pub fn push(&mut self, item: impl Into<Item>) {
        match self.open.last_mut() {
            Some(group) => group.items.push(item.into()),
            None => self.done.push(item.into()),
        }
    }

    /// Adds `group`, with what `fill` records as its items.
    pub fn group(&mut self, group: Group, fill: impl FnOnce(&mut Recorder)) {
        self.open.push(group);
        fill(self);
        self.close();
    }

    /// Everything that plotters draws until [`Recorder::close`] becomes an item of `group`.
    pub fn open(&mut self, group: Group, pen: Pen) {
        self.open.push(group);
        self.pen = Some(pen);
    }

    /// Adds the group that was opened last.
    pub fn close(&mut self) {
        self.pen = None;
        if let Some(group) = self.open.pop() {
            self.push(group);
        }
    }

    /// All that was recorded.
    pub fn take(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.done)
    }
}

/// Converts a length from pixels to units of the recorded canvas.
pub fn fine(pixels: f64) -> i32 {
    (pixels * f64::from(FINENESS)).round() as i32
}

/// Converts recorded units to pixels.
pub fn pixels(units: i32) -> f64 {
    f64::from(units) / f64::from(FINENESS)
}

fn points(places: Vec<BackendCoord>) -> Vec<Point> {
    places.into_iter().map(|(x, y)| Point { x: pixels(x), y: pixels(y) }).collect()
}

impl DrawingBackend for Recorder {
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
        Err(DrawingErrorKind::DrawingError(NotRecorded))
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
                let line = thin(path.into_iter(), FINENESS);
                // A single place is not a line.
                if line.len() > 1 {
                    self.push(Line { points: points(line), stroke });
                }
            }
            _ => return Err(DrawingErrorKind::DrawingError(NotRecorded)),
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
                let mut outline = thin(corners.into_iter(), FINENESS);
                outline.extend([right, left]);
                self.push(Area { points: points(outline), fill, edge });
            }
            (Some(Pen::Outline(fill)), &[_, _, _, ..]) => {
                self.push(Area { points: points(corners), fill, edge: None });
            }
            (Some(Pen::Area { .. } | Pen::Outline(_)), _) => {}
            _ => return Err(DrawingErrorKind::DrawingError(NotRecorded)),
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<NotRecorded>> {
        let weight = match style.style() {
            FontStyle::Bold => Weight::Bold,
            _ => Weight::Regular,
        };
        let advance = width(text, style.size(), weight).ceil() as u32;
        Ok((advance, style.size().ceil() as u32))
    }
}

#[cfg(test)]
mod tests {
    use plotters::prelude::*;

    use super::*;

    #[test]
    fn elements_without_a_meaning_are_refused() {
        let mut recorder = Recorder::new(10.0, 10.0);
        assert_eq!(recorder.get_size(), (100, 100));
        let line = recorder.draw_line((0, 0), (5, 5), &BLACK);
        assert!(line.is_err());
        assert!(recorder.fill_polygon([(0, 0), (5, 5)], &BLACK).is_err());
        assert!(recorder.draw_pixel((0, 0), BLACK.to_backend_color()).is_err());
    }

    #[test]
    fn a_series_becomes_items_of_the_open_group() {
        let recorder = std::rc::Rc::new(std::cell::RefCell::new(Recorder::new(10.0, 10.0)));
        let stroke = Stroke::new(crate::picture::Role::Total, 1.0);
        recorder.borrow_mut().open(Group::new("line"), Pen::Line(stroke));
        let root = DrawingArea::from(&recorder);
        let mut chart = ChartBuilder::on(&root).build_cartesian_2d(0..99, 0..99).unwrap();
        chart.draw_series(LineSeries::new([(0, 0), (50, 99)], &BLACK)).unwrap();
        recorder.borrow_mut().close();
        assert!(chart.draw_series(LineSeries::new([(0, 0), (50, 99)], &BLACK)).is_err());
        let [Item::Group(group)] = &recorder.borrow_mut().take()[..] else { panic!("one group") };
        let [Item::Line(line)] = &group.items[..] else { panic!("one line") };
        assert_eq!((line.points[0], line.points[1].y), (Point { x: 0.0, y: 9.9 }, 0.0));
        assert_eq!(line.stroke, stroke);
    }

    #[test]
    fn text_is_measured_on_the_bundled_font() {
        let recorder = Recorder::new(10.0, 10.0);
        let style = ("sans-serif", 100.0).into_text_style(&(1000, 1000));
        let (advance, _) = recorder.estimate_text_size("iiii", &style).unwrap();
        assert_eq!(f64::from(advance), width("iiii", 100.0, Weight::Regular).ceil());
    }

    #[test]
    fn groups_nest() {
        let mut recorder = Recorder::new(10.0, 10.0);
        recorder.group(Group::new("outer"), |r| r.group(Group::new("inner"), |_| {}));
        let [Item::Group(outer)] = &recorder.take()[..] else { panic!("one group") };
        assert!(matches!(&outer.items[..], [Item::Group(inner)] if inner.class == "inner"));
    }
}
