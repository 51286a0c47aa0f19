//! Text in pixels, measured on the bundled fonts, so that a picture is laid out the same on a
//! machine without fonts.
//!
//! Widths are sums of advances. Kerning is left out: it narrows a line by under one percent, and
//! a viewer that replaces the font differs by more.

use std::sync::OnceLock;

use skrifa::charmap::Charmap;
use skrifa::metrics::GlyphMetrics;
use skrifa::prelude::{LocationRef, Size};
use skrifa::raw::{ReadError, TableProvider};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use unicode_width::UnicodeWidthChar as _;

/// DejaVu Sans, subset; see `templates/fonts/README.md`.
pub const REGULAR: &[u8] = include_bytes!("../../templates/fonts/DejaVuSans.subset.ttf");

/// DejaVu Sans Bold, subset to fewer characters.
pub const BOLD: &[u8] = include_bytes!("../../templates/fonts/DejaVuSans-Bold.subset.ttf");

/// The weight of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FontWeight {
    /// Drawn with [`REGULAR`].
    Regular,
    /// Drawn with [`BOLD`].
    Bold,
}

/// The width of `text` in pixels at a font size in pixels.
pub fn width(text: &str, size: f64, weight: FontWeight) -> f64 {
    text.chars().map(|c| advance(c, weight)).sum::<f64>() * size
}

/// `text`, or as much of its two ends as fits into `limit` pixels with an ellipsis between them:
/// the ends of Haskell names are more informative than their middles.
pub fn elide(text: &str, size: f64, weight: FontWeight, limit: f64) -> String {
    if fits(text, size, weight, limit) {
        return text.to_owned();
    }
    let room = limit / size - advance('…', weight);
    let (mut head, mut tail) = (text.chars(), text.chars());
    let (mut start, mut end) = (0, text.len());
    let (mut left, mut right) = (0.0, 0.0);
    loop {
        // The two ends grow in turn, so that both get space.
        if left <= right {
            let Some(c) = head.next() else { break };
            left += advance(c, weight);
            if left + right > room {
                break;
            }
            start += c.len_utf8();
        } else {
            let Some(c) = tail.next_back() else { break };
            right += advance(c, weight);
            if left + right > room {
                break;
            }
            end -= c.len_utf8();
        }
        if start >= end {
            break;
        }
    }
    // A combining mark must not be placed on the ellipsis.
    let tail = text[end.max(start)..].trim_start_matches(is_zero_width);
    // Full stops next to the ellipsis would make it look longer.
    let (head, tail) = (text[..start].trim_end_matches('.'), tail.trim_start_matches('.'));
    format!("{head}…{tail}")
}

/// `text` in lines of at most `limit` pixels, broken at spaces; at most `lines`, of which the last
/// takes the rest and ends at a word, a number with its unit. Only a word that is longer than a line is cut.
pub fn wrap(text: &str, size: f64, limit: f64, lines: usize) -> Vec<String> {
    wrap_in(FontWeight::Regular, text, size, limit, lines)
}

/// `text` in another weight, in lines as of [`wrap`].
pub fn wrap_in(weight: FontWeight, text: &str, size: f64, limit: f64, lines: usize) -> Vec<String> {
    let measure = |text: &str| width(text, size, weight);
    let mut done: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let last = done.len() == lines;
        match done.last_mut() {
            Some(line) if last || measure(line) + measure(" ") + measure(word) <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => done.push(word.to_owned()),
        }
    }
    let first_word = |line: &str| -> usize { line.find(' ').unwrap_or(line.len()) };
    let cut = |line: &String| match fits(line, size, weight, limit) {
        true => line.clone(),
        false => whole_words(line, |shorter| fits(shorter, size, weight, limit))
            .unwrap_or_else(|| elide(&line[..first_word(line)], size, weight, limit)),
    };
    done.iter().map(cut).collect()
}

/// The first words of a text that fit with an ellipsis after them. A number is not parted from its unit.
fn whole_words(text: &str, fits: impl Fn(&str) -> bool) -> Option<String> {
    let is_number = |word: &str| {
        word.trim_start_matches(['+', '−', '-']).starts_with(|c: char| c.is_ascii_digit())
    };
    let spaces = text.match_indices(' ').rev().map(|(at, _)| &text[..at]);
    let whole = spaces.filter(|start| !is_number(start.rsplit(' ').next().unwrap_or(start)));
    let mut cut =
        whole.map(|start| format!("{} …", start.trim_end_matches([',', ';', ':', '·', ' '])));
    cut.find(|text| fits(text))
}

/// Whether `text` fits. It stops at the limit, because a label may be a megabyte long.
fn fits(text: &str, size: f64, weight: FontWeight, limit: f64) -> bool {
    let mut used = 0.0;
    text.chars().all(|c| {
        used += advance(c, weight) * size;
        used <= limit
    })
}

/// How far one character moves the pen, in ems, in a layout.
pub(crate) fn advance(c: char, weight: FontWeight) -> f64 {
    // Layouts are tried several times, and looking a character up in the tables of a font takes a hundred
    // times as long as this: it was a quarter of the instructions of a small picture.
    static ASCII: [OnceLock<[f64; 128]>; 2] = [const { OnceLock::new() }; 2];
    if !c.is_ascii() {
        return advance_in_font(c, weight);
    }
    let of = |code: usize| advance_in_font(char::from(code as u8), weight);
    ASCII[(weight == FontWeight::Bold) as usize].get_or_init(|| std::array::from_fn(of))[c as usize]
}

fn advance_in_font(c: char, weight: FontWeight) -> f64 {
    static FACES: OnceLock<[Option<Face<'static>>; 2]> = OnceLock::new();
    let faces = FACES.get_or_init(|| [Face::parse(REGULAR).ok(), Face::parse(BOLD).ok()]);
    let known = faces[(weight == FontWeight::Bold) as usize].as_ref();
    let known = known.and_then(|face| face.advance(face.glyph(c)?));
    known.unwrap_or_else(|| {
        if is_zero_width(c) {
            0.0
        } else if c.width() == Some(2) {
            1.0
        } else {
            // For scripts that the font lacks; most of their letters are narrower.
            0.75
        }
    })
}

/// Marks and joiners that are on the character before them.
pub(crate) fn is_zero_width(c: char) -> bool {
    c.width() == Some(0)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "Data.Map.Strict.Internal.insertWith.go.\u{3bb}x.worker/Main.CAF";

    #[test]
    fn digits_have_one_width_so_that_columns_line_up() {
        let one = advance('1', FontWeight::Regular);
        assert!(('0'..='9').all(|digit| advance(digit, FontWeight::Regular) == one));
    }

    #[test]
    fn an_elided_text_fits_and_keeps_both_ends() {
        let all = width(LONG, 12.0, FontWeight::Regular);
        assert_eq!(elide(LONG, 12.0, FontWeight::Regular, all + 1.0), LONG);
        for limit in [15.0, 60.0, 100.0, 200.0, all - 1.0] {
            let short = elide(LONG, 12.0, FontWeight::Regular, limit);
            assert!(width(&short, 12.0, FontWeight::Regular) <= limit + 1e-9, "{short}");
            let (head, tail) = short.split_once('…').unwrap();
            assert!(LONG.starts_with(head) && LONG.ends_with(tail));
            assert!(head.chars().count().abs_diff(tail.chars().count()) < 4 + limit as usize / 20);
        }
        assert_eq!(elide("ab", 12.0, FontWeight::Regular, 0.0), "…");
    }

    #[test]
    fn wrapped_lines_fit_and_the_last_has_the_rest() {
        let text = "one two three four five six seven eight nine ten";
        let lines = wrap(text, 10.0, 100.0, 9);
        assert_eq!(lines.join(" "), text);
        let two = wrap(text, 10.0, 100.0, 2);
        assert_eq!(two.len(), 2);
        assert!(two[1].contains('…'));
        for line in lines.iter().chain(&two) {
            assert!(width(line, 10.0, FontWeight::Regular) <= 100.0);
        }
    }
}
