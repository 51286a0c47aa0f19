//! Lengths as users give them for a picture: in pixels or in units of paper.

use std::str::FromStr;

use thiserror::Error;

/// A length of a picture. As in CSS, 96 pixels are an inch on paper.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Length(f64);

/// Why a text is not a [`Length`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LengthError {
    /// The length does not begin with a number.
    #[error("`{0}` does not begin with a number")]
    Number(String),
    /// What follows the number is not a unit.
    #[error("`{0}` is not a unit of length")]
    Unit(String),
    /// Zero, negative, or too big for a number.
    #[error("`{0}` is not a length above zero")]
    Sign(String),
}

impl LengthError {
    pub fn hint(&self) -> &'static str {
        "give pixels (960) or a length on paper (12cm, 120mm, 8in, 300pt)"
    }
}

impl Length {
    #[cfg(feature = "internals")]
    /// A length of this many pixels.
    pub const fn from_pixels(pixels: f64) -> Self {
        Length(pixels)
    }

    /// The length in pixels of CSS.
    pub const fn as_pixels(self) -> f64 {
        self.0
    }
}

impl FromStr for Length {
    type Err = LengthError;

    /// `960`, `960px`, `12cm`, `120mm`, `8in` or `300pt`; blanks may be before the unit.
    fn from_str(text: &str) -> Result<Self, LengthError> {
        let text = text.trim();
        let in_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-');
        let end = text.find(|c| !in_number(c)).unwrap_or(text.len());
        let (number, unit) = (&text[..end], text[end..].trim_start());
        let number: f64 = number.parse().map_err(|_| LengthError::Number(text.to_owned()))?;
        let pixels = number
            * match unit.to_ascii_lowercase().as_str() {
                "" | "px" => 1.0,
                "in" => 96.0,
                "cm" => 96.0 / 2.54,
                "mm" => 96.0 / 25.4,
                "pt" => 96.0 / 72.0,
                _ => return Err(LengthError::Unit(unit.to_owned())),
            };
        match pixels > 0.0 && pixels.is_finite() {
            true => Ok(Length(pixels)),
            false => Err(LengthError::Sign(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_on_screen_and_on_paper_are_pixels() {
        for (text, pixels) in [
            ("960", 960.0),
            ("960px", 960.0),
            ("2.54cm", 96.0),
            ("25.4 mm", 96.0),
            ("8in", 768.0),
            (" 300pt ", 400.0),
            ("1.5IN", 144.0),
        ] {
            let length: Length = text.parse().unwrap();
            assert!((length.as_pixels() - pixels).abs() < 1e-9, "{text}");
        }
    }

    #[test]
    fn invalid_lengths_are_explained() {
        for (text, error) in [
            ("", "`` does not begin with a number"),
            ("wide", "`wide` does not begin with a number"),
            ("1-2", "`1-2` does not begin with a number"),
            ("12em", "`em` is not a unit of length"),
            ("1e3", "`e3` is not a unit of length"),
            ("12µ", "`µ` is not a unit of length"),
            ("0cm", "`0cm` is not a length above zero"),
            ("-5", "`-5` is not a length above zero"),
        ] {
            let found = text.parse::<Length>().unwrap_err();
            assert_eq!(found.to_string(), error);
            assert!(found.hint().contains("12cm"));
        }
    }
}
