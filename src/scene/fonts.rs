//! The fonts of pictures that hold their text as shapes (PNG) or carry their fonts (PDF).
//!
//! Layout measures on the bundled font whichever font draws, so that a picture has its parts in
//! the same places in every format; an emitter narrows a line that another font sets wider. An
//! SVG leaves missing characters to its reader's fonts.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;
use ttf_parser::{Face, FaceParsingError, GlyphId, OutlineBuilder};

use super::text::{self, Weight};

/// The bundled font, and perhaps one that is asked first. Cheap to clone.
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

/// Why bytes are no font that can be drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FontError {
    /// The bytes cannot be read as TrueType or OpenType.
    #[error("not a TrueType or OpenType font: {0}")]
    Unreadable(FaceParsingError),
    /// Its characters are pictures of fixed size, or there are none.
    #[error("the font has no outlines for any letter or digit")]
    NoOutlines,
}

impl FontError {
    /// The way out.
    pub fn hint(&self) -> &'static str {
        "give a .ttf or .otf file with outlines; web fonts (.woff) and type-1 fonts cannot be read"
    }
}

impl Fonts {
    /// Draws with a TrueType or OpenType font (the first one of a collection), in both weights,
    /// and with the bundled one what it lacks.
    pub fn with_font(bytes: Vec<u8>) -> Result<Self, FontError> {
        let face = Face::parse(&bytes, 0).map_err(FontError::Unreadable)?;
        if !has_outlines(&face) {
            return Err(FontError::NoOutlines);
        }
        Ok(Fonts { own: Some(Arc::new(bytes)) })
    }

    /// The font that is asked first, if there is one.
    #[cfg(feature = "pdf")]
    pub(crate) fn own(&self) -> Option<&Arc<Vec<u8>>> {
        self.own.as_ref()
    }

    /// The fonts, ready to be drawn with.
    pub(crate) fn faces(&self) -> Faces<'_> {
        Faces {
            own: self.own.as_ref().and_then(|bytes| Face::parse(bytes, 0).ok()),
            regular: Face::parse(text::REGULAR, 0).ok(),
            bold: Face::parse(text::BOLD, 0).ok(),
        }
    }
}

/// Whether there is anything to draw with. A font for one script may lack all Latin letters.
fn has_outlines(face: &Face<'_>) -> bool {
    let mut found = false;
    for table in face.tables().cmap.iter().flat_map(|cmap| cmap.subtables) {
        table.codepoints(|code| {
            if !found && let Some(c) = char::from_u32(code).filter(|c| c.is_alphanumeric()) {
                found = face.glyph_index(c).is_some_and(|glyph| outlined(face, glyph));
            }
        });
    }
    found
}

fn outlined(face: &Face<'_>, glyph: GlyphId) -> bool {
    struct Nowhere;
    impl OutlineBuilder for Nowhere {
        fn move_to(&mut self, _: f32, _: f32) {}
        fn line_to(&mut self, _: f32, _: f32) {}
        fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {}
        fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {}
        fn close(&mut self) {}
    }
    face.outline_glyph(glyph, &mut Nowhere).is_some()
}

/// Which font a glyph is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Own,
    Bundled(Weight),
}

/// Parsed [`Fonts`].
pub(crate) struct Faces<'a> {
    own: Option<Face<'a>>,
    regular: Option<Face<'static>>,
    bold: Option<Face<'static>>,
}

impl Faces<'_> {
    /// A font by its place.
    pub fn face(&self, which: Which) -> Option<&Face<'_>> {
        match which {
            Which::Own => self.own.as_ref(),
            Which::Bundled(Weight::Regular) => self.regular.as_ref(),
            Which::Bundled(Weight::Bold) => self.bold.as_ref(),
        }
    }

    /// The glyph of a character in the first font that has it; the bold font has few, and the
    /// regular one steps in.
    pub fn glyph(&self, c: char, weight: Weight) -> Option<(Which, GlyphId)> {
        let order = [Which::Own, Which::Bundled(weight), Which::Bundled(Weight::Regular)];
        order.into_iter().find_map(|which| {
            let face = self.face(which)?;
            let glyph = face.glyph_index(c)?;
            let drawn = which != Which::Own || c.is_whitespace() || outlined(face, glyph);
            drawn.then_some((which, glyph))
        })
    }

    /// How far a glyph moves the pen, in ems.
    pub fn advance(&self, which: Which, glyph: GlyphId) -> f64 {
        let face = self.face(which);
        face.map_or(0.0, |face| {
            let units = face.glyph_hor_advance(glyph).unwrap_or(0);
            f64::from(units) / f64::from(face.units_per_em())
        })
    }

    /// By how much two glyphs stand nearer to each other than their advances say, in ems; negative
    /// when nearer.
    pub fn kerning(&self, which: Which, left: GlyphId, right: GlyphId) -> f64 {
        let Some(face) = self.face(which) else { return 0.0 };
        let tables = face.tables().kern.iter().flat_map(|kern| kern.subtables);
        let units: i32 = tables
            .filter(|table| table.horizontal && !table.variable && !table.has_cross_stream)
            .filter_map(|table| table.glyphs_kerning(left, right))
            .map(i32::from)
            .sum();
        f64::from(units) / f64::from(face.units_per_em())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_font_are_refused() {
        let error = Fonts::with_font(b"wOFF but not really".to_vec()).unwrap_err();
        assert!(error.to_string().starts_with("not a TrueType"), "{error}");
        assert!(error.hint().contains(".ttf"));
        let cut = text::REGULAR[..4000].to_vec();
        assert!(Fonts::with_font(cut).is_err());
    }

    #[test]
    fn a_given_font_is_asked_before_the_bundled_ones() {
        let fonts = Fonts::with_font(text::BOLD.to_vec()).unwrap();
        let faces = fonts.faces();
        assert_eq!(faces.glyph('A', Weight::Regular).unwrap().0, Which::Own);
        assert_eq!(faces.glyph('⇐', Weight::Bold).unwrap().0, Which::Bundled(Weight::Regular));
        assert_eq!(faces.glyph('漢', Weight::Regular), None);
        assert_ne!(fonts, Fonts::default());
    }

    #[test]
    fn some_letters_stand_closer() {
        let fonts = Fonts::default();
        let faces = fonts.faces();
        let glyph = |c| faces.glyph(c, Weight::Regular).unwrap().1;
        let regular = Which::Bundled(Weight::Regular);
        assert!(faces.kerning(regular, glyph('T'), glyph('o')) < 0.0);
        assert_eq!(faces.kerning(regular, glyph('o'), glyph('o')), 0.0);
    }
}
