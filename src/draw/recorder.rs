//! The plotters backend that draws nothing: it records a [`Scene`](crate::scene::Scene)'s items.
//!
//! plotters' coordinates are whole numbers, so the canvas it sees is ten times finer than the
//! picture. Only heapviz's own elements draw here: they know what a thing *is* (a band, a marker)
//! and can open groups, where plotters' own elements know colours alone. Those are refused with
//! [`NotRecorded`] rather than recorded without a meaning.

use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};
use thiserror::Error;

use crate::scene::text::{Weight, width};
use crate::scene::{Group, Item, Point};

/// Units of the recorded canvas in a pixel.
pub const FINENESS: i32 = 10;

/// What a generic plotters element gets from the recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("only heapviz's own elements can be recorded")]
pub struct NotRecorded;

/// Records items, inside the innermost open group.
pub struct Recorder {
    size: (u32, u32),
    open: Vec<Group>,
    done: Vec<Item>,
}

impl Recorder {
    /// A recorder for a picture of this size in pixels.
    pub fn new(width: f64, height: f64) -> Self {
        let fine = |pixels: f64| (pixels * f64::from(FINENESS)).round() as u32;
        Recorder { size: (fine(width), fine(height)), open: Vec::new(), done: Vec::new() }
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
        if let Some(group) = self.open.pop() {
            self.push(group);
        }
    }

    /// All that was recorded.
    pub fn take(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.done)
    }
}

/// The pixel position of a recorded coordinate.
pub fn point((x, y): BackendCoord) -> Point {
    Point { x: pixels(x), y: pixels(y) }
}

/// Recorded units in pixels.
pub fn pixels(units: i32) -> f64 {
    f64::from(units) / f64::from(FINENESS)
}

impl DrawingBackend for Recorder {
    type ErrorType = NotRecorded;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<NotRecorded>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<NotRecorded>> {
        Ok(())
    }

    // Every other drawing operation falls back on this one.
    fn draw_pixel(
        &mut self,
        _point: BackendCoord,
        _color: BackendColor,
    ) -> Result<(), DrawingErrorKind<NotRecorded>> {
        Err(DrawingErrorKind::DrawingError(NotRecorded))
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
    fn plotters_own_elements_are_refused() {
        let mut recorder = Recorder::new(10.0, 10.0);
        assert_eq!(recorder.get_size(), (100, 100));
        let line = recorder.draw_line((0, 0), (5, 5), &BLACK);
        assert!(line.is_err());
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
