//! Sentences in which amounts of memory and names are not words yet: each output writes them as it needs them.
//!
//! So that a sentence is made once for all outputs, in whichever units they are, and a name from a program, which may
//! contain anything, cannot become markup or be cut.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::text::{code, made_visible, visible};
use super::units::{Bytes, UnitSystem};

/// Words of ours, and between them amounts and names.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sentence {
    say: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Piece {
    /// Words that the input cannot change.
    Words(Cow<'static, str>),
    Bytes {
        bytes: u128,
    },
    /// A part of a unit: one of the second power is `1 MiB` or `1 MB`.
    Part {
        part: f64,
        power: u32,
    },
    /// A name, a place or a command; in Markdown code.
    Name {
        #[serde(serialize_with = "serialize_visible")]
        name: String,
        /// The row with this name, which has another one in each picture.
        #[serde(skip)]
        row: Option<usize>,
    },
}

fn serialize_visible<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&made_visible(text))
}

/// What an output calls a row; `None` where it has no other name than its own.
pub type NameOf<'a> = &'a dyn Fn(usize) -> Option<String>;

/// A sentence of pieces: texts, amounts, names, other sentences.
macro_rules! say {
    ($($piece:expr),* $(,)?) => {{
        #[allow(unused_mut, reason = "there may be no piece")]
        let mut sentence = $crate::base::sentence::Sentence::default();
        $(sentence.push($piece);)*
        sentence
    }};
}
pub(crate) use say;

/// An amount of memory in bytes.
pub fn size(bytes: impl Into<u128>) -> Sentence {
    Piece::Bytes { bytes: bytes.into() }.into()
}

/// An amount of memory that was computed, rounded to bytes.
pub fn rounded(bytes: f64) -> Sentence {
    size(bytes.round() as u128)
}

/// A part of a unit of memory: `part_of_unit(0.5, 2)` is half a MiB or MB.
pub fn part_of_unit(part: f64, power: u32) -> Sentence {
    Piece::Part { part, power }.into()
}

/// A name from the program, a place in its source, or a command.
pub fn name(text: impl AsRef<str>) -> Sentence {
    Piece::Name { name: text.as_ref().to_owned(), row: None }.into()
}

/// A sentence that is nothing but the name of a row.
pub fn row_name(row: Option<usize>, label: &str) -> Sentence {
    Piece::Name { name: label.to_owned(), row }.into()
}

impl Sentence {
    /// Adds a piece at the end.
    pub(crate) fn push(&mut self, piece: impl Into<Sentence>) {
        for span in piece.into().say {
            match (self.say.last_mut(), span) {
                (_, Piece::Words(words)) if words.is_empty() => {}
                (Some(Piece::Words(before)), Piece::Words(words)) => {
                    before.to_mut().push_str(&words)
                }
                (_, span) => self.say.push(span),
            }
        }
    }

    /// Whether the sentence has no words.
    pub fn is_empty(&self) -> bool {
        self.say.iter().all(|span| match span {
            Piece::Words(words) => words.is_empty(),
            Piece::Bytes { .. } | Piece::Part { .. } | Piece::Name { .. } => false,
        })
    }

    /// With the arrows of a picture or a page, where every font has them. A name that is an arrow stays as it is.
    #[must_use]
    pub(crate) fn with_arrows(mut self) -> Self {
        for span in &mut self.say {
            if let Piece::Words(words) = span
                && words.contains("->")
            {
                *words = words.replace("->", "→").into();
            }
        }
        self
    }

    /// With the names that an output has for rows.
    #[must_use]
    pub fn with_names(mut self, name_of: NameOf<'_>) -> Self {
        for span in &mut self.say {
            if let Piece::Name { name, row: Some(row) } = span
                && let Some(other) = name_of(*row)
            {
                *name = other;
            }
        }
        self
    }

    /// As a text, in which every character of a name is visible.
    pub fn text(&self, units: UnitSystem) -> String {
        self.render(units, &str::to_owned, &visible)
    }

    /// As Markdown, in which names are code.
    pub fn markdown(&self, units: UnitSystem) -> String {
        let escaped = |words: &str| words.replace('\\', "\\\\").replace('<', "\\<");
        self.render(units, &escaped, &|name| code(&visible(name)))
    }

    fn render(
        &self,
        units: UnitSystem,
        plain: &dyn Fn(&str) -> String,
        quoted: &dyn Fn(&str) -> String,
    ) -> String {
        let piece = |span: &Piece| match span {
            Piece::Words(words) => plain(words),
            Piece::Bytes { bytes } => units.text(*bytes),
            Piece::Part { part, power } => {
                units.text((part * (units.base() as f64).powi(*power as i32)).round() as u128)
            }
            Piece::Name { name, .. } => quoted(name),
        };
        self.say.iter().map(piece).collect()
    }
}

impl fmt::Display for Sentence {
    /// As a text in binary units.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(UnitSystem::Binary))
    }
}

impl From<Piece> for Sentence {
    fn from(span: Piece) -> Self {
        Sentence { say: vec![span] }
    }
}

impl From<&'static str> for Sentence {
    fn from(words: &'static str) -> Self {
        Piece::Words(words.into()).into()
    }
}

impl From<String> for Sentence {
    /// Words that were computed, such as a time; never a name.
    fn from(words: String) -> Self {
        Piece::Words(words.into()).into()
    }
}

impl From<Bytes> for Sentence {
    fn from(bytes: Bytes) -> Self {
        size(bytes.get())
    }
}

/// The sentences with a mark between each two.
pub fn joined(sentences: impl IntoIterator<Item = Sentence>, mark: &'static str) -> Sentence {
    let mut all = Sentence::default();
    for (i, sentence) in sentences.into_iter().enumerate() {
        all.push(if i == 0 { "" } else { mark });
        all.push(sentence);
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn leak() -> Sentence {
        say![
            "likely leak: ",
            row_name(Some(3), "Map; (x, y)"),
            " grew by ",
            size(4096_u32),
            " since 2 s (",
            rounded(10.4),
            "/s); 4 bands (all) more"
        ]
    }

    #[test]
    fn each_output_has_its_own_units_and_names() {
        let text = leak().text(UnitSystem::Binary);
        assert_eq!(
            text,
            "likely leak: Map; (x, y) grew by 4 KiB since 2 s (10 B/s); 4 bands (all) more"
        );
        let named = leak().with_names(&|row| Some(format!("a|`b{row}")));
        assert_eq!(
            named.markdown(UnitSystem::Si),
            "likely leak: `` a|`b3 `` grew by 4.1 kB since 2 s (10 B/s); 4 bands (all) more"
        );
        let parts = say![part_of_unit(1.0, 2), " ", part_of_unit(0.5, 1)];
        assert_eq!(parts.text(UnitSystem::Binary), "1 MiB 512 B");
        assert_eq!(parts.text(UnitSystem::Si), "1 MB 500 B");
        assert_eq!(say![name("a\u{202e}")].text(UnitSystem::Si), "a\\u{202e}");
    }

    #[test]
    fn arrows_are_those_of_words_and_not_of_names() {
        let text = say![name("->"), " no longer grows: ", size(5_u8), " -> ", size(0_u8)];
        assert_eq!(text.with_arrows().text(UnitSystem::Binary), "-> no longer grows: 5 B → 0 B");
    }

    #[test]
    fn data_have_no_words_for_amounts() {
        let data = serde_json::to_value(say!["+", size(5_u8), " ", name("n\u{202e}")]).unwrap();
        let say = ["+".into(), json!({"bytes": 5}), " ".into(), json!({"name": "n\\u{202e}"})];
        assert_eq!(data, json!({ "say": say }));
    }
}
