//! PNG: opaque pixels, drawn by tiny-skia.
//!
//! Text is filled outlines, so no font of the machine matters. At whole scales lines lie on the
//! pixels that the scene chose for them; at other scales they are moved to the nearest pixels.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use png::{BitDepth, ColorType, Encoder, PixelDimensions, Unit};
use thiserror::Error;
use tiny_skia::{
    Color, FillRule, LineJoin, Path, PathBuilder, Pixmap, Rect, Shader, Stroke as Pen, StrokeDash,
    Transform,
};

use super::MissingCharacters;
use super::Rendered;
use super::ink::Ink;
use super::scene::Canvas;
use super::shape::{PathStep, polyline};
use super::typeset::{self, BOX_HEIGHT, BOX_LINE, BOX_MARGIN};
use crate::picture::fonts::Faces;
use crate::picture::{Fonts, Line, Paint, Point, Rgb, Role, Scene, Stroke, Text, Theme};

/// How a PNG is written.
#[derive(Clone, Debug, PartialEq)]
pub struct PngOptions {
    /// Pixels of the image for each pixel of the scene, within [`PngOptions::SCALES`]; 2 for
    /// high-resolution screens. Default 1.
    pub scale: f64,
    /// The colours. Default [`Theme::Light`].
    pub theme: Theme,
    /// The fonts. Default: the bundled one.
    pub fonts: Fonts,
}

impl PngOptions {
    /// The scales an image can have.
    pub const SCALES: RangeInclusive<f64> = 0.25..=8.0;
}

impl Default for PngOptions {
    fn default() -> Self {
        PngOptions { scale: 1.0, theme: Theme::default(), fonts: Fonts::default() }
    }
}

/// The most pixels an image may have: a quarter of a gigabyte while it is drawn.
const MOST_PIXELS: u64 = 1 << 26;

/// Why there is no PNG.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PngError {
    #[error("a scale of {0} is not between 0.25 and 8")]
    Scale(f64),
    #[error("{width} x {height} pixels are more than the {} million a PNG may have", MOST_PIXELS / 1_000_000)]
    TooBig { width: u64, height: u64 },
    #[error("the image cannot be encoded: {0}")]
    Encoding(String),
}

impl PngError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            PngError::Scale(_) => Some("a scale of 2 suits screens with fine pixels"),
            PngError::TooBig { .. } => Some("use a smaller scale, width or height, or an SVG"),
            PngError::Encoding(_) => None,
        }
    }
}

/// The scene as a PNG file.
pub fn png(scene: &Scene, options: &PngOptions) -> Result<Rendered, PngError> {
    let scale = options.scale;
    if !PngOptions::SCALES.contains(&scale) {
        return Err(PngError::Scale(scale));
    }
    let whole = |length: f64| ((length * scale).round() as u64).max(1);
    let (width, height) = (whole(scene.width), whole(scene.height));
    let too_big = PngError::TooBig { width, height };
    if width.saturating_mul(height) > MOST_PIXELS {
        return Err(too_big);
    }
    let Some(mut pixels) = Pixmap::new(width as u32, height as u32) else { return Err(too_big) };
    pixels.fill(colour(Role::Background.rgb(options.theme)));
    let mut canvas = PixelPainter {
        pixels,
        scale,
        theme: options.theme,
        faces: options.fonts.faces(),
        missing: MissingCharacters::default(),
    };
    canvas.items(&scene.items);
    let bytes = encode(scene, &canvas.pixels, scale)
        .map_err(|error| PngError::Encoding(error.to_string()))?;
    Ok(Rendered { bytes, missing: canvas.missing })
}

/// How many bytes of pixels are deflated at once. Each call of the encoder clears its buffer of 32 KiB;
/// for every row that was a quarter of the instructions of a small image.
const PIECE: usize = 1 << 18;

const NO_FILTER: u8 = 0;

/// How many bytes there are in a chunk of image data.
const CHUNK: usize = 1 << 12;

/// Puts the pixels into a file.
fn encode(scene: &Scene, pixels: &Pixmap, scale: f64) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    // 96 pixels of the scene are an inch.
    let per_metre = (scale * 96.0 / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions {
        xppu: per_metre,
        yppu: per_metre,
        unit: Unit::Meter,
    }));
    let software = super::SOFTWARE.to_owned();
    let texts = [("Title", Some(&scene.title)), ("Source", scene.source.as_ref())];
    for (keyword, text) in texts.into_iter().chain([("Software", Some(&software))]) {
        match text {
            Some(text) if text.is_ascii() => {
                encoder.add_text_chunk(keyword.to_owned(), text.clone())?;
            }
            Some(text) => encoder.add_itxt_chunk(keyword.to_owned(), text.clone())?,
            None => {}
        }
    }
    let mut writer = encoder.write_header()?;
    for data in deflated(pixels)?.chunks(CHUNK) {
        writer.write_chunk(png::chunk::IDAT, data)?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// The rows of an image as its file has them. Flat colours compress best without a filter.
fn deflated(pixels: &Pixmap) -> io::Result<Vec<u8>> {
    // A tenth longer than the usual level 6, in a third of its time.
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(2));
    let width = pixels.width() as usize;
    let mut rows = Vec::with_capacity(PIECE + 3 * width + 1);
    for line in pixels.data().as_chunks().0.chunks_exact(width) {
        rows.push(NO_FILTER);
        let begin = rows.len();
        rows.resize(begin + 3 * width, 0);
        for (colour, &[red, green, blue, _]) in rows[begin..].as_chunks_mut().0.iter_mut().zip(line)
        {
            // Everything was drawn on an opaque ground.
            *colour = [red, green, blue];
        }
        if rows.len() >= PIECE {
            encoder.write_all(&rows)?;
            rows.clear();
        }
    }
    encoder.write_all(&rows)?;
    encoder.finish()
}

fn colour(rgb: Rgb) -> Color {
    Color::from_rgba8(rgb.r, rgb.g, rgb.b, 255)
}

/// The canvas; it is given places and lengths of the scene.
struct PixelPainter<'a> {
    pixels: Pixmap,
    scale: f64,
    theme: Theme,
    faces: Faces<'a>,
    missing: MissingCharacters,
}

impl PixelPainter<'_> {
    fn transform(&self) -> Transform {
        Transform::from_scale(self.scale as f32, self.scale as f32)
    }
}

impl Canvas for PixelPainter<'_> {
    type Path = Path;

    fn path(&self, steps: impl Iterator<Item = PathStep>, is_closed: bool) -> Option<Path> {
        let mut path = PathBuilder::new();
        for step in steps {
            match step {
                PathStep::Move([x, y]) => path.move_to(x, y),
                PathStep::Line([x, y]) => path.line_to(x, y),
                PathStep::Curve([x1, y1], [x2, y2], [x, y]) => path.cubic_to(x1, y1, x2, y2, x, y),
            }
        }
        if is_closed {
            path.close();
        }
        path.finish()
    }

    fn line(&mut self, line: &Line) {
        let mut stroke = line.stroke;
        let snapped = match line.points[..] {
            [from, to] if self.scale.fract() != 0.0 && (from.x == to.x || from.y == to.y) => {
                let pixels = (stroke.width * self.scale).round().max(1.0);
                stroke.width = pixels / self.scale;
                let snap = |place: f64| {
                    ((place * self.scale - pixels / 2.0).round() + pixels / 2.0) / self.scale
                };
                let crossing = |p: Point| match from.x == to.x {
                    true => Point { x: snap(p.x), y: p.y },
                    false => Point { x: p.x, y: snap(p.y) },
                };
                self.path(polyline(&[crossing(from), crossing(to)]), false)
            }
            _ => self.path(polyline(&line.points), false),
        };
        if let Some(path) = snapped {
            self.stroke(&path, stroke);
        }
    }

    fn text(&mut self, text: &Text) {
        let line = typeset::set(text, &self.faces, &mut self.missing);
        let mut ink = Ink::default();
        let mut boxes = PathBuilder::new();
        let place = |x: f64| line.left + x * line.narrowing;
        for placed in &line.glyphs {
            let Some((which, id)) = placed.glyph else {
                let margin = BOX_MARGIN * text.size;
                let (left, right) =
                    (place(placed.x + margin), place(placed.x + placed.advance - margin));
                let top = text.at.y - BOX_HEIGHT * text.size;
                let sides = [left, top, right, text.at.y].map(|side| side as f32);
                if let Some(rect) = Rect::from_ltrb(sides[0], sides[1], sides[2], sides[3]) {
                    boxes.push_rect(rect);
                }
                continue;
            };
            let Some(face) = self.faces.face(which) else { continue };
            let em = self.scale * text.size / face.units_per_em();
            ink.scale = ((em * line.narrowing) as f32, em as f32);
            ink.origin = ((self.scale * place(placed.x)) as f32, (self.scale * text.at.y) as f32);
            face.outline(id, &mut ink);
        }
        ink.paint(&mut self.pixels, text.paint.rgb(self.theme));
        if let Some(path) = boxes.finish() {
            self.stroke(&path, Stroke::new(text.paint, BOX_LINE * text.size));
        }
    }

    fn fill(&mut self, path: &Path, paint: Paint) {
        let transform = self.transform();
        let with = solid(paint.rgb(self.theme));
        self.pixels.fill_path(path, &with, FillRule::Winding, transform, None);
    }

    fn stroke(&mut self, path: &Path, stroke: Stroke) {
        let dash =
            stroke.dash.and_then(|(on, off)| StrokeDash::new(vec![on as f32, off as f32], 0.0));
        let width = stroke.width as f32;
        let pen = Pen { width, line_join: LineJoin::Round, dash, ..Pen::default() };
        let paint = solid(stroke.paint.rgb(self.theme));
        self.pixels.stroke_path(path, &paint, &pen, self.transform(), None);
    }
}

fn solid(rgb: Rgb) -> tiny_skia::Paint<'static> {
    tiny_skia::Paint {
        shader: Shader::SolidColor(colour(rgb)),
        anti_alias: true,
        ..tiny_skia::Paint::default()
    }
}
