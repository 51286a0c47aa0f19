//! One font file: its characters and their widths.

use skrifa::charmap::Charmap;
use skrifa::metrics::GlyphMetrics;
use skrifa::prelude::{LocationRef, Size};
use skrifa::raw::{ReadError, TableProvider};
use skrifa::{FontRef, GlyphId, MetadataProvider};

/// A font that can be read (the first one of a collection), at its default variation.
pub struct Face<'a> {
    #[cfg_attr(not(any(feature = "pdf", feature = "png")), expect(dead_code, reason = "outlines"))]
    pub(super) font: FontRef<'a>,
    pub(super) characters: Charmap<'a>,
    metrics: GlyphMetrics<'a>,
    /// How many glyphs there are. The character table of a damaged font can refer to others.
    glyphs: u32,
    pub(super) units_per_em: f64,
}

impl<'a> Face<'a> {
    /// Reads the tables that every font must have.
    ///
    /// # Errors
    /// Which table is missing or damaged.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let font = FontRef::from_index(bytes, 0)?;
        let units_per_em = f64::from(font.head()?.units_per_em());
        let glyphs = font.maxp()?.num_glyphs().into();
        font.cmap()?;
        font.hmtx()?;
        if units_per_em <= 0.0 {
            return Err(ReadError::MalformedData("no units per em"));
        }
        Ok(Face {
            characters: font.charmap(),
            metrics: font.glyph_metrics(Size::unscaled(), LocationRef::default()),
            glyphs,
            units_per_em,
            font,
        })
    }

    /// The glyph of a character, if the font has it.
    pub fn glyph(&self, c: char) -> Option<GlyphId> {
        let is_there = |glyph: &GlyphId| *glyph != GlyphId::NOTDEF && glyph.to_u32() < self.glyphs;
        self.characters.map(c).filter(is_there)
    }

    /// How far a glyph moves the pen, in ems.
    pub fn advance(&self, glyph: GlyphId) -> Option<f64> {
        Some(f64::from(self.metrics.advance_width(glyph)?) / self.units_per_em)
    }
}
