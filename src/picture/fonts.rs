//! The fonts of pictures that contain their text as shapes (PNG) or embed their fonts (PDF).
//!
//! Layout always measures with the bundled font, so that the parts of a picture are in the same
//! places in every format. If another font sets a line wider, the emitter narrows it. An SVG leaves
//! missing characters to its reader's fonts.

use std::fmt;
use std::sync::Arc;

use skrifa::outline::{DrawSettings, OutlineGlyphCollection, OutlinePen};
use skrifa::prelude::{LocationRef, Size};
use skrifa::raw::TableProvider;
use skrifa::raw::tables::kern::{Kern, SubtableKind};
use skrifa::{GlyphId, MetadataProvider};
use thiserror::Error;

use super::text_width::Face;
use super::text_width::{self, FontWeight};

/// The bundled font, and optionally one that is tried first. Cheap to clone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Fonts {
    own: Option<Arc<Vec<u8>>>,
}

impl fmt::Debug for Fonts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.own.as_ref().map(|bytes| bytes.len());
        f.debug_struct("Fonts").field("own_bytes", &own).finish()
    }
}

/// Why bytes are not a font that can be drawn with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FontError {
    #[error("not a TrueType or OpenType font: {0}")]
    Unreadable(String),
    #[error("the font has no outlines for any letter or digit")]
    NoOutlines,
}

impl FontError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        "give a .ttf or .otf file with outlines; web fonts (.woff) and type-1 fonts cannot be read"
    }
}

impl Fonts {
    /// Draws with a TrueType or OpenType font (the first one of a collection), in both weights, and
    /// with the bundled one for characters that it lacks.
    ///
    /// # Errors
    /// [`FontError`] when there is nothing to draw with.
    pub fn with_font(bytes: Vec<u8>) -> Result<Self, FontError> {
        let face = Face::parse(&bytes).map_err(|error| FontError::Unreadable(error.to_string()))?;
        if !DrawnFace::new(face).has_letters() {
            return Err(FontError::NoOutlines);
        }
        Ok(Fonts { own: Some(Arc::new(bytes)) })
    }

    /// The font that is tried first, if there is one.
    #[cfg(feature = "pdf")]
    pub(crate) fn own(&self) -> Option<&Arc<Vec<u8>>> {
        self.own.as_ref()
    }

    /// The fonts, ready to be drawn with.
    pub(crate) fn faces(&self) -> Faces<'_> {
        let drawn = |bytes| Face::parse(bytes).ok().map(DrawnFace::new);
        Faces {
            own: self.own.as_ref().and_then(|bytes| Face::parse(bytes).ok()).map(DrawnFace::new),
            regular: drawn(text_width::REGULAR),
            bold: drawn(text_width::BOLD),
        }
    }
}

/// A font with what is needed to draw with it.
pub(crate) struct DrawnFace<'a> {
    face: Face<'a>,
    outlines: OutlineGlyphCollection<'a>,
    kerning: Option<Kern<'a>>,
}

impl<'a> DrawnFace<'a> {
    fn new(face: Face<'a>) -> Self {
        let (outlines, kerning) = (face.font.outline_glyphs(), face.font.kern().ok());
        DrawnFace { face, outlines, kerning }
    }

    /// How many units of its outlines there are in an em.
    #[cfg(feature = "png")]
    pub fn units_per_em(&self) -> f64 {
        self.face.units_per_em
    }

    /// Draws the outline of a glyph, in units with y up. If it is damaged, draws what can be drawn.
    pub fn outline(&self, glyph: GlyphId, pen: &mut impl OutlinePen) {
        if let Some(outline) = self.outlines.get(glyph) {
            let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
            let _ = outline.draw(settings, pen);
        }
    }

    /// Whether there is anything to draw with. A font for one script may lack all Latin letters.
    fn has_letters(&self) -> bool {
        let letter = |code| char::from_u32(code).is_some_and(char::is_alphanumeric);
        let mut letters = self.face.characters.mappings().filter(|&(code, _)| letter(code));
        letters.any(|(_, glyph)| self.has_outline(glyph))
    }

    fn has_outline(&self, glyph: GlyphId) -> bool {
        let mut seen = InkPen(false);
        self.outline(glyph, &mut seen);
        seen.0
    }

    fn kerning(&self, left: GlyphId, right: GlyphId) -> f64 {
        let tables = self.kerning.iter().flat_map(Kern::subtables).filter_map(Result::ok);
        let units: i32 = tables
            .filter(|table| {
                table.is_horizontal() && !table.is_variable() && !table.is_cross_stream()
            })
            .filter_map(|table| match table.kind().ok()? {
                SubtableKind::Format0(pairs) => pairs.kerning(left, right),
                SubtableKind::Format2(classes) => classes.kerning(left, right),
                SubtableKind::Format3(classes) => classes.kerning(left, right),
                // This format is a state machine that works on whole lines.
                SubtableKind::Format1(_) => None,
            })
            .sum();
        f64::from(units) / self.face.units_per_em
    }
}

/// A pen that only records whether it is moved.
struct InkPen(bool);

impl OutlinePen for InkPen {
    fn move_to(&mut self, _: f32, _: f32) {
        self.0 = true;
    }
    fn line_to(&mut self, _: f32, _: f32) {}
    fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {}
    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {}
    fn close(&mut self) {}
}

/// Which font a glyph is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Own,
    Bundled(FontWeight),
}

/// The faces of some [`Fonts`], parsed.
pub(crate) struct Faces<'a> {
    own: Option<DrawnFace<'a>>,
    regular: Option<DrawnFace<'static>>,
    bold: Option<DrawnFace<'static>>,
}

impl Faces<'_> {
    pub fn face(&self, which: Which) -> Option<&DrawnFace<'_>> {
        match which {
            Which::Own => self.own.as_ref(),
            Which::Bundled(FontWeight::Regular) => self.regular.as_ref(),
            Which::Bundled(FontWeight::Bold) => self.bold.as_ref(),
        }
    }

    /// The glyph of a character in the first font that has it; the bold font has few characters, so
    /// the regular one is used for the others.
    pub fn glyph(&self, c: char, weight: FontWeight) -> Option<(Which, GlyphId)> {
        let order = [Which::Own, Which::Bundled(weight), Which::Bundled(FontWeight::Regular)];
        order.into_iter().find_map(|which| {
            let face = self.face(which)?;
            let glyph = face.face.glyph(c)?;
            let drawn = which != Which::Own || c.is_whitespace() || face.has_outline(glyph);
            drawn.then_some((which, glyph))
        })
    }

    /// How far a glyph moves the pen, in ems.
    pub fn advance(&self, which: Which, glyph: GlyphId) -> f64 {
        self.face(which).and_then(|face| face.face.advance(glyph)).unwrap_or(0.0)
    }

    /// The correction of the distance between two glyphs, in ems; negative if they are closer than
    /// their advances say.
    pub fn kerning(&self, which: Which, left: GlyphId, right: GlyphId) -> f64 {
        self.face(which).map_or(0.0, |face| face.kerning(left, right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kerning_is_applied() {
        let fonts = Fonts::default();
        let faces = fonts.faces();
        let glyph = |c| faces.glyph(c, FontWeight::Regular).unwrap().1;
        let regular = Which::Bundled(FontWeight::Regular);
        assert!(faces.kerning(regular, glyph('T'), glyph('o')) < 0.0);
        assert_eq!(faces.kerning(regular, glyph('o'), glyph('o')), 0.0);
    }
}
