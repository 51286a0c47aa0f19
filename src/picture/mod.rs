//! Pictures: the [`Scene`], which does not know what it shows, and the formats in which it is
//! written.
//!
//! `draw` makes a scene; each format is one short walk over its items, where only the notation of
//! the format is decided. No system font is needed: texts are measured with a bundled one.

use std::collections::BTreeSet;
use std::fmt;

mod area;
#[cfg(any(feature = "png", feature = "pdf"))]
pub mod fonts;
#[cfg(feature = "png")]
mod ink;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "png")]
mod png;
mod scene;
mod shape;
mod svg;
pub mod text_width;
pub mod theme;
#[cfg(any(feature = "pdf", feature = "png"))]
mod typeset;

pub use area::{AreaOptions, paint};
#[cfg(any(feature = "pdf", feature = "png"))]
pub use fonts::{FontError, Fonts};
#[cfg(feature = "pdf")]
pub use pdf::{PdfError, PdfOptions, pdf};
#[cfg(feature = "png")]
pub use png::{PngError, PngOptions, png};
pub use scene::{Anchor, Area, Group, Item, Line, Rectangle, Scene, Stroke, Text};
pub use shape::Point;
pub use svg::{SvgOptions, page, svg, svg_to};
pub use text_width::FontWeight;
pub use theme::{Paint, Rgb, Role, Theme, Tone};

/// The program that a file names as its creator.
const SOFTWARE: &str = concat!("heapviz ", env!("CARGO_PKG_VERSION"));

/// A file, and what a caller must report about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rendered {
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// Characters that are shown as boxes or question marks; the caller reports them.
    pub missing: MissingCharacters,
}

impl From<Vec<u8>> for Rendered {
    /// A file in a format that draws no text, or leaves that to its reader.
    fn from(bytes: Vec<u8>) -> Self {
        Rendered { bytes, missing: MissingCharacters::default() }
    }
}

/// Characters that no font has and that a picture shows as boxes, in the order of their codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingCharacters {
    chars: BTreeSet<char>,
}

impl MissingCharacters {
    /// Whether every character was drawn.
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    pub(super) fn insert(&mut self, c: char) {
        self.chars.insert(c);
    }

    /// The characters that no font has, each once.
    pub fn chars(&self) -> impl Iterator<Item = char> + '_ {
        self.chars.iter().copied()
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        "give a font that has them, or write an SVG, whose viewer chooses the font"
    }
}

impl fmt::Display for MissingCharacters {
    /// `3 characters are missing from the font: 東京都`; at most eight are named.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        let count = self.chars.len();
        let are = if count == 1 {
            "1 character is".to_owned()
        } else {
            format!("{count} characters are")
        };
        write!(f, "{are} missing from the font: ")?;
        for c in self.chars().take(MOST) {
            // Private, unassigned and invisible characters would not be visible in a message.
            match c.is_alphanumeric() {
                true => write!(f, "{c}")?,
                false => write!(f, "{}", c.escape_unicode())?,
            }
        }
        if count > MOST { write!(f, "…") } else { Ok(()) }
    }
}

/// Whether a character only controls how others are drawn.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}
