//! PDF: one page of vectors and selectable text, as large as the picture, so that LaTeX's
//! `\includegraphics` can use it directly. It is written by krilla, which embeds only the used part
//! of each font. Nothing in it depends on the time or the machine.

use krilla::Document;
use krilla::SerializeSettings;
use krilla::color::rgb;
use krilla::configure::{ConfigurationBuilder, PdfVersion};
use krilla::error::KrillaError;
use krilla::geom::{Path, PathBuilder, Point as At, Rect, Transform};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule, LineJoin, Stroke as Pen, StrokeDash};
use krilla::surface::Surface;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use thiserror::Error;

use super::MissingCharacters;
use super::Rendered;
use super::scene::Canvas;
use super::shape::PathStep;
use super::typeset::{self, BOX_HEIGHT, BOX_LINE, BOX_MARGIN, Placed};
use crate::picture::fonts::{Faces, Which};
use crate::picture::{FontWeight, Fonts, Paint, Rgb, Scene, Stroke, Text, Theme, text_width};

/// How a PDF is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PdfOptions {
    /// The colours. Default [`Theme::Light`].
    pub theme: Theme,
    /// The fonts. Default: the bundled one.
    pub fonts: Fonts,
}

/// Why there is no PDF.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PdfError {
    #[error("a page cannot be {width} x {height} pixels")]
    Size { width: f64, height: f64 },
    #[error("the font cannot be embedded in a PDF")]
    Font,
    #[error("the document cannot be written: {0}")]
    Document(String),
}

fn failed(error: KrillaError) -> PdfError {
    let is_font = matches!(error, KrillaError::Font(..));
    if is_font { PdfError::Font } else { PdfError::Document(error.to_string()) }
}

/// The size of a pixel in points: 96 to the inch, of 72 points.
const POINTS: f64 = 0.75;

/// The scene as a PDF file.
pub fn pdf(scene: &Scene, options: &PdfOptions) -> Result<Rendered, PdfError> {
    // LaTeX accepts pages of its own PDF version, by default 1.5, or older ones without a warning.
    let configuration = ConfigurationBuilder::new().with_version(PdfVersion::Pdf14).finish();
    let configuration = configuration.map_err(|error| PdfError::Document(format!("{error:?}")))?;
    let settings = SerializeSettings { configuration, ..SerializeSettings::default() };
    let mut document = Document::new_with(settings);
    let metadata = Metadata::new()
        .title(scene.title.clone())
        .description(scene.description.clone())
        .language("en".to_owned())
        .creator(super::SOFTWARE.to_owned());
    document.set_metadata(metadata);
    let size = [scene.width, scene.height].map(|length| (length * POINTS) as f32);
    let settings = PageSettings::from_wh(size[0], size[1])
        .ok_or(PdfError::Size { width: scene.width, height: scene.height })?;
    let mut page = document.start_page_with(settings);
    let missing = draw(page.surface(), scene, options)?;
    page.finish();
    Ok(Rendered { bytes: document.finish().map_err(failed)?, missing })
}

fn draw(
    mut surface: Surface<'_>,
    scene: &Scene,
    options: &PdfOptions,
) -> Result<MissingCharacters, PdfError> {
    // Everything that may fail comes first: krilla panics if a surface is dropped while something
    // is pushed.
    let embedded = Embedded::new(&options.fonts)?;
    surface.push_transform(&Transform::from_scale(POINTS as f32, POINTS as f32));
    let mut writer = Writer {
        surface,
        theme: options.theme,
        faces: options.fonts.faces(),
        embedded,
        missing: MissingCharacters::default(),
    };
    writer.items(&scene.items);
    writer.surface.pop();
    writer.surface.finish();
    Ok(writer.missing)
}

struct Embedded {
    own: Option<Font>,
    regular: Font,
    bold: Font,
}

impl Embedded {
    fn new(fonts: &Fonts) -> Result<Self, PdfError> {
        let bundled = |bytes: &'static [u8]| Font::new(bytes.into(), 0).ok_or(PdfError::Font);
        let own = match fonts.own() {
            Some(bytes) => Some(Font::new(bytes.clone().into(), 0).ok_or(PdfError::Font)?),
            None => None,
        };
        Ok(Embedded {
            own,
            regular: bundled(text_width::REGULAR)?,
            bold: bundled(text_width::BOLD)?,
        })
    }

    fn font(&self, which: Which) -> Font {
        match (which, &self.own) {
            (Which::Own, Some(own)) => own.clone(),
            (Which::Bundled(FontWeight::Bold), _) => self.bold.clone(),
            (Which::Own | Which::Bundled(FontWeight::Regular), _) => self.regular.clone(),
        }
    }
}

struct Writer<'s, 'f> {
    surface: Surface<'s>,
    theme: Theme,
    faces: Faces<'f>,
    embedded: Embedded,
    missing: MissingCharacters,
}

impl Canvas for Writer<'_, '_> {
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

    fn fill(&mut self, path: &Path, paint: Paint) {
        self.surface.set_stroke(None);
        self.surface.set_fill(Some(fill(paint.rgb(self.theme))));
        self.surface.draw_path(path);
    }

    fn stroke(&mut self, path: &Path, stroke: Stroke) {
        self.surface.set_fill(None);
        let dash = stroke
            .dash
            .map(|(on, off)| StrokeDash { array: vec![on as f32, off as f32], offset: 0.0 });
        let pen = pen(stroke.paint.rgb(self.theme), stroke.width);
        self.surface.set_stroke(Some(Pen { dash, ..pen }));
        self.surface.draw_path(path);
    }

    fn text(&mut self, text: &Text) {
        let line = typeset::set(text, &self.faces, &mut self.missing);
        let colour = text.paint.rgb(self.theme);
        let narrow = Transform::from_row(
            line.narrowing as f32,
            0.0,
            0.0,
            1.0,
            line.left as f32,
            text.at.y as f32,
        );
        self.surface.push_transform(&narrow);
        let which = |placed: &Placed| placed.glyph.map(|(which, _)| which);
        for run in line.glyphs.chunk_by(|a, b| which(a) == which(b)) {
            match which(&run[0]) {
                Some(font) => {
                    self.surface.set_stroke(None);
                    self.surface.set_fill(Some(fill(colour)));
                    self.run(run, font, text);
                }
                None => run.iter().for_each(|placed| self.missing_box(placed, text, colour)),
            }
        }
        self.surface.pop();
    }
}

impl Writer<'_, '_> {
    /// Glyphs of one font, from the beginning of the line at the origin.
    fn run(&mut self, run: &[Placed], font: Which, text: &Text) {
        let glyphs: Vec<KrillaGlyph> = run
            .iter()
            .filter_map(|placed| {
                let id = GlyphId::new(placed.glyph?.1.to_u32());
                let advance = (placed.advance / text.size) as f32;
                Some(KrillaGlyph::new(id, advance, 0.0, 0.0, 0.0, placed.range.clone(), None))
            })
            .collect();
        let start = At::from_xy(run[0].x as f32, 0.0);
        let font = self.embedded.font(font);
        let size = text.size as f32;
        self.surface.draw_glyphs(start, &glyphs, font, &text.content, size, false);
    }

    fn missing_box(&mut self, placed: &Placed, text: &Text, colour: Rgb) {
        let margin = BOX_MARGIN * text.size;
        let sides =
            [placed.x + margin, -BOX_HEIGHT * text.size, placed.x + placed.advance - margin];
        let [left, top, right] = sides.map(|side| side as f32);
        let mut path = PathBuilder::new();
        if let Some(rect) = Rect::from_ltrb(left, top, right, 0.0) {
            path.push_rect(rect);
        }
        if let Some(path) = path.finish() {
            self.surface.set_fill(None);
            self.surface.set_stroke(Some(pen(colour, BOX_LINE * text.size)));
            self.surface.draw_path(&path);
        }
    }
}

fn colour(rgb: Rgb) -> rgb::Color {
    rgb::Color::new(rgb.r, rgb.g, rgb.b)
}

fn fill(rgb: Rgb) -> Fill {
    Fill { paint: colour(rgb).into(), opacity: NormalizedF32::ONE, rule: FillRule::NonZero }
}

fn pen(rgb: Rgb, width: f64) -> Pen {
    Pen {
        paint: colour(rgb).into(),
        width: width as f32,
        line_join: LineJoin::Round,
        ..Pen::default()
    }
}
