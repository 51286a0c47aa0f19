//! Text as coverage of pixels: outlines of glyphs, filled exactly.
//!
//! tiny-skia samples each pixel sixteen times, which for the small outlines of text took a third of a
//! picture's time.

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use skrifa::outline::OutlinePen;
use tiny_skia::Pixmap;

use super::theme::Rgb;

/// How many degrees of covered a pixel can have: nobody sees more of them, and a file with 255 is a third
/// longer.
const LEVELS: f32 = 15.0;

/// Collects outlines, from font units with y up to pixels with y down.
#[derive(Default)]
pub struct Ink {
    steps: Vec<OutlinePiece>,
    first: Point,
    last: Point,
    /// Where the next glyph is, in pixels.
    pub origin: (f32, f32),
    /// Pixels for each font unit.
    pub scale: (f32, f32),
}

/// A piece of an outline, from the first point to the last.
enum OutlinePiece {
    Line([Point; 2]),
    Quadratic([Point; 3]),
    Cubic([Point; 4]),
}

impl OutlinePiece {
    fn points(&self) -> &[Point] {
        match self {
            OutlinePiece::Line(points) => points,
            OutlinePiece::Quadratic(points) => points,
            OutlinePiece::Cubic(points) => points,
        }
    }
}

impl Ink {
    pub fn paint(&self, pixels: &mut Pixmap, rgb: Rgb) {
        // Control points are never inside of a curve, so they bound it.
        let points = || self.steps.iter().flat_map(OutlinePiece::points);
        let low = |at: fn(&Point) -> f32| points().map(at).fold(f32::MAX, f32::min).max(0.0);
        let high = |at: fn(&Point) -> f32, most: u32| {
            (points().map(at).fold(0.0, f32::max) + 1.0).min(most as f32) as usize
        };
        let (left, top) = (low(|p| p.x) as usize, low(|p| p.y) as usize);
        let (right, bottom) = (high(|p| p.x, pixels.width()), high(|p| p.y, pixels.height()));
        if left >= right || top >= bottom {
            return;
        }
        // An outline that touches the right side also writes into the two columns after it.
        let (width, height) = (right - left, bottom - top);
        let mut coverage = Rasterizer::new(width + 2, height);
        let place =
            |p: Point| point((p.x - left as f32).clamp(0.0, width as f32 + 1.0), p.y - top as f32);
        for step in &self.steps {
            match *step {
                OutlinePiece::Line([from, to]) => coverage.draw_line(place(from), place(to)),
                OutlinePiece::Quadratic([from, a, to]) => {
                    coverage.draw_quad(place(from), place(a), place(to));
                }
                OutlinePiece::Cubic([from, a, b, to]) => {
                    coverage.draw_cubic(place(from), place(a), place(b), place(to));
                }
            }
        }
        let stride = pixels.width() as usize;
        let below = pixels.data_mut().as_chunks_mut::<4>().0;
        let step = 255.0 / LEVELS;
        coverage.for_each_pixel(|at, covered| {
            let (x, y) = (at % (width + 2), at / (width + 2));
            let alpha = ((covered.min(1.0) * LEVELS).round() * step) as u32;
            if alpha > 0 && x < width {
                let [red, green, blue, _] = &mut below[(top + y) * stride + left + x];
                for (channel, ink) in [(red, rgb.r), (green, rgb.g), (blue, rgb.b)] {
                    let mixed = u32::from(*channel) * (255 - alpha) + u32::from(ink) * alpha;
                    *channel = ((mixed + 127) / 255) as u8;
                }
            }
        });
    }

    fn place(&self, x: f32, y: f32) -> Point {
        point(self.origin.0 + x * self.scale.0, self.origin.1 - y * self.scale.1)
    }
}

impl OutlinePen for Ink {
    fn move_to(&mut self, x: f32, y: f32) {
        self.first = self.place(x, y);
        self.last = self.first;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.place(x, y);
        self.steps.push(OutlinePiece::Line([self.last, to]));
        self.last = to;
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (control, to) = (self.place(x1, y1), self.place(x, y));
        self.steps.push(OutlinePiece::Quadratic([self.last, control, to]));
        self.last = to;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second, to) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.steps.push(OutlinePiece::Cubic([self.last, first, second, to]));
        self.last = to;
    }

    fn close(&mut self) {
        self.steps.push(OutlinePiece::Line([self.last, self.first]));
        self.last = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The red of the pixels of a row after a black square was painted on white.
    fn row(from: (f32, f32), side: f32, y: u32) -> Vec<u8> {
        let mut pixels = Pixmap::new(6, 4).unwrap();
        pixels.fill(tiny_skia::Color::WHITE);
        let mut ink = Ink { origin: from, scale: (1.0, 1.0), ..Ink::default() };
        ink.move_to(0.0, 0.0);
        ink.line_to(side, 0.0);
        ink.line_to(side, -side);
        ink.line_to(0.0, -side);
        ink.close();
        ink.paint(&mut pixels, Rgb { r: 0, g: 0, b: 0 });
        (0..6).map(|x| pixels.pixel(x, y).unwrap().red()).collect()
    }

    #[test]
    fn what_is_outside_of_the_picture_is_cut_off() {
        assert_eq!(row((4.0, -9.0), 99.0, 3), [255, 255, 255, 255, 0, 0]);
        assert_eq!(row((-9.0, -9.0), 12.0, 2), [0, 0, 0, 255, 255, 255]);
        assert_eq!(row((-9.0, -9.0), 2.0, 0), [255; 6]);
        assert_eq!(row((7.0, 0.0), 2.0, 0), [255; 6]);
    }
}
