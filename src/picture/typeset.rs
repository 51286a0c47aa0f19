//! A line of text as glyphs in their places, for formats that draw or embed fonts themselves.
//!
//! There is no shaping beyond kerning: the bundled font covers no script that needs it.

use std::ops::Range;

use skrifa::GlyphId;

use super::{MissingCharacters, is_joiner};
use crate::picture::fonts::{Faces, Which};
use crate::picture::text_width::{advance, is_zero_width, width};
use crate::picture::{Anchor, Text};

/// A glyph, or the box of a character without a glyph.
pub struct Placed {
    /// The glyph and its font; `None` for a box.
    pub glyph: Option<(Which, GlyphId)>,
    /// The distance from the beginning of the line to the pen, in pixels.
    pub x: f64,
    /// The distance to the next pen position, in pixels.
    pub advance: f64,
    /// The bytes of the text it stands for.
    #[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "a PDF alone keeps its text"))]
    pub range: Range<usize>,
}

pub struct TypesetLine {
    /// The glyphs of the line from left to right.
    pub glyphs: Vec<Placed>,
    /// Where it begins, in pixels.
    pub left: f64,
    /// The factor by which the line must be narrowed to fit into the measured width; at most 1.
    pub narrowing: f64,
}

/// The box of a missing character, in ems from its pen position: sides, height, line width.
pub const BOX_MARGIN: f64 = 0.09;
/// The height of the box above the base line, in ems.
pub const BOX_HEIGHT: f64 = 0.73;
/// The width of its lines, in ems.
pub const BOX_LINE: f64 = 0.06;

/// Sets a text, and notes the characters that are missing.
pub fn set(text: &Text, faces: &Faces<'_>, missing: &mut MissingCharacters) -> TypesetLine {
    let mut glyphs: Vec<Placed> = Vec::new();
    let mut pen = 0.0;
    for (start, c) in text.content.char_indices() {
        let glyph = faces.glyph(c, text.weight);
        let ems = match glyph {
            Some((which, id)) => {
                if let Some(before) = glyphs.last_mut()
                    && let Some((other, left)) = before.glyph
                    && other == which
                {
                    let nearer = faces.kerning(which, left, id) * text.size;
                    before.advance += nearer;
                    pen += nearer;
                }
                faces.advance(which, id)
            }
            None => {
                if is_joiner(c) {
                    continue;
                }
                missing.insert(c);
                // A mark on another character has no space for a box.
                if is_zero_width(c) {
                    continue;
                }
                advance(c, text.weight)
            }
        };
        let advance = ems * text.size;
        glyphs.push(Placed { glyph, x: pen, advance, range: start..start + c.len_utf8() });
        pen += advance;
    }
    let room = width(&text.content, text.size, text.weight);
    let narrowing = if pen > room && room > 0.0 { room / pen } else { 1.0 };
    let left = match text.anchor {
        Anchor::Start => text.at.x,
        Anchor::Middle => text.at.x - pen * narrowing / 2.0,
        Anchor::End => text.at.x - pen * narrowing,
    };
    TypesetLine { glyphs, left, narrowing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{FontWeight, Fonts, Paint, Point, Role};

    fn text(content: &str, anchor: Anchor) -> Text {
        Text {
            at: Point { x: 100.0, y: 20.0 },
            anchor,
            size: 10.0,
            weight: FontWeight::Regular,
            paint: Paint::Role(Role::Text),
            content: content.to_owned(),
        }
    }

    #[test]
    fn a_line_is_no_wider_than_it_was_measured_in_any_font() {
        let wide = Fonts::with_font(crate::picture::text_width::BOLD.to_vec()).unwrap();
        for fonts in [Fonts::default(), wide] {
            let faces = fonts.faces();
            for content in ["Data.Map.Strict", "WAVE Tower To", "λx → y", "漢字 a"] {
                let text = text(content, Anchor::End);
                let line = set(&text, &faces, &mut MissingCharacters::default());
                let end = line.glyphs.last().map(|glyph| glyph.x + glyph.advance).unwrap();
                assert!((line.left + end * line.narrowing - 100.0).abs() < 1e-9);
                assert!(line.left >= text.extent().0 - 1e-9, "{content}");
            }
        }
    }

    #[test]
    fn missing_characters_are_boxes_and_reported_once() {
        let fonts = Fonts::default();
        let mut missing = MissingCharacters::default();
        let line = set(&text("東a京東\u{200d}", Anchor::Start), &fonts.faces(), &mut missing);
        let boxes = line.glyphs.iter().filter(|placed| placed.glyph.is_none()).count();
        assert_eq!((line.glyphs.len(), boxes), (4, 3));
        assert_eq!(missing.to_string(), "2 characters are missing from the font: 京東");
        assert!(missing.hint().contains("font"));
    }
}
