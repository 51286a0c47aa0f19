//! Characters that a picture could not show.

use std::collections::BTreeSet;
use std::fmt;

/// Characters that no font has and that a picture shows as boxes, in the order of their codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingCharacters(BTreeSet<char>);

impl MissingCharacters {
    /// Whether every character was drawn.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn insert(&mut self, c: char) {
        self.0.insert(c);
    }

    /// The characters.
    pub fn chars(&self) -> impl Iterator<Item = char> + '_ {
        self.0.iter().copied()
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
        let count = self.0.len();
        match count {
            1 => write!(f, "1 character is missing from the font: ")?,
            _ => write!(f, "{count} characters are missing from the font: ")?,
        }
        for c in self.chars().take(MOST) {
            // Private, unassigned and invisible ones would show as nothing.
            match c.is_alphanumeric() {
                true => write!(f, "{c}")?,
                false => write!(f, "{}", c.escape_unicode())?,
            }
        }
        if count > MOST { write!(f, "…") } else { Ok(()) }
    }
}

/// Characters that only say how others are drawn.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}
