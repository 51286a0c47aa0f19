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
    #[serde(serialize_with = "serialize_opened")]
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
    /// Words that are dropped when a sentence is too long, and the shorter ones that then take their place.
    #[serde(skip)]
    Aside {
        room: Room,
        aside: Sentence,
        instead: Sentence,
    },
}

/// What is dropped from a sentence that is too long: the first of these kinds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Heights, and by when something was freed.
    Detail,
    /// Names beside the first.
    Others,
    /// A clause about the rise that is told: when most of it was gained, or that it was freed.
    Part,
    /// Who made what is told.
    Aside,
    /// Other rises.
    Least,
}

fn serialize_visible<S: serde::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&made_visible(text))
}

/// Data are the same whether a piece can be left out or not.
fn serialize_opened<S: serde::Serializer>(say: &[Piece], serializer: S) -> Result<S::Ok, S::Error> {
    fn open(say: &[Piece], all: &mut Sentence) {
        for span in say {
            match span {
                Piece::Aside { aside, .. } => open(&aside.say, all),
                Piece::Words(_) | Piece::Bytes { .. } | Piece::Part { .. } | Piece::Name { .. } => {
                    all.push(span.clone());
                }
            }
        }
    }
    let mut all = Sentence::default();
    open(say, &mut all);
    all.say.serialize(serializer)
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

fn droppable(room: Room, aside: impl Into<Sentence>, instead: impl Into<Sentence>) -> Sentence {
    Piece::Aside { room, aside: aside.into(), instead: instead.into() }.into()
}

/// What is left out where there is no room, such as who made what is told: ` (THUNK)`.
pub(crate) fn aside(aside: impl Into<Sentence>) -> Sentence {
    droppable(Room::Aside, aside, "")
}

/// Names beside the first, and what takes their place where there is no room: `, Int and 2 more`, or `, …`.
pub(crate) fn others_or(names: impl Into<Sentence>, instead: impl Into<Sentence>) -> Sentence {
    droppable(Room::Others, names, instead)
}

/// A clause about the rise that is told, which is dropped before who made it: `, 2 MiB of it since 1 s`.
pub(crate) fn part(part: impl Into<Sentence>) -> Sentence {
    part_or(part, "")
}

/// A clause about the rise that is told, and the shorter one in its place.
pub(crate) fn part_or(part: impl Into<Sentence>, instead: impl Into<Sentence>) -> Sentence {
    droppable(Room::Part, part, instead)
}

/// What is left out before anything else.
pub(crate) fn detail(detail: impl Into<Sentence>) -> Sentence {
    detail_or(detail, "")
}

/// What is left out before anything else, and the shorter words in its place.
pub(crate) fn detail_or(detail: impl Into<Sentence>, instead: impl Into<Sentence>) -> Sentence {
    droppable(Room::Detail, detail, instead)
}

/// The least of several clauses, which is left out before the others.
pub(crate) fn least(clause: impl Into<Sentence>) -> Sentence {
    droppable(Room::Least, clause, "")
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
            Piece::Aside { aside, .. } => aside.is_empty(),
            Piece::Bytes { .. } | Piece::Part { .. } | Piece::Name { .. } => false,
        })
    }

    /// With the arrows of a picture or a page, where every font has them. A name that is an arrow stays as it is.
    #[must_use]
    pub(crate) fn with_arrows(mut self) -> Self {
        for span in &mut self.say {
            match span {
                Piece::Words(words) if words.contains("->") => {
                    *words = words.replace("->", "→").into();
                }
                Piece::Aside { aside, instead, .. } => {
                    *aside = std::mem::take(aside).with_arrows();
                    *instead = std::mem::take(instead).with_arrows();
                }
                Piece::Words(_) | Piece::Bytes { .. } | Piece::Part { .. } | Piece::Name { .. } => {
                }
            }
        }
        self
    }

    /// With the names that an output has for rows.
    #[must_use]
    pub fn with_names(mut self, name_of: NameOf<'_>) -> Self {
        for span in &mut self.say {
            match span {
                Piece::Name { name, row: Some(row) } => {
                    if let Some(other) = name_of(*row) {
                        *name = other;
                    }
                }
                Piece::Aside { aside, instead, .. } => {
                    *aside = std::mem::take(aside).with_names(name_of);
                    *instead = std::mem::take(instead).with_names(name_of);
                }
                Piece::Words(_) | Piece::Bytes { .. } | Piece::Part { .. } | Piece::Name { .. } => {
                }
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
            Piece::Aside { aside, .. } => aside.render(units, plain, quoted),
        };
        self.say.iter().map(piece).collect()
    }

    /// The sentence, and what it says without its details, from the last on, for lines in which it has no room.
    pub(crate) fn without_details(&self) -> Vec<Sentence> {
        self.without(Room::Detail)
    }

    /// The sentence without its details, then without second names, without its parts, and without its asides, from the last
    /// on; then without its least clauses, and then without its last ones.
    pub(crate) fn forms(&self) -> Vec<Sentence> {
        let mut forms = self.without_details();
        let rest = forms.pop().unwrap_or_default().without(Room::Part);
        // Without such a part there is room for second names again.
        forms.extend(rest.iter().flat_map(|rest| rest.without(Room::Others)));
        for room in [Room::Aside, Room::Least] {
            let rest = forms.pop().unwrap_or_default();
            forms.extend(rest.without(room));
        }
        let marks: [&[&str]; 2] = [&["; ", ", "], &[" since "]];
        for marks in marks {
            while let Some(shorter) = forms.last().and_then(|rest| rest.before_last(marks)) {
                forms.push(shorter);
            }
        }
        forms.dedup();
        forms
    }

    /// The sentence without its last piece of a kind, without the last two, and so on.
    fn without(&self, left_out: Room) -> Vec<Sentence> {
        let mut forms = vec![self.clone()];
        let mut rest = self.clone();
        while rest.leave_out_last(left_out) {
            forms.push(rest.clone());
        }
        forms
    }

    /// Leaves out the last piece of a kind; whether there was one.
    fn leave_out_last(&mut self, left_out: Room) -> bool {
        for at in (0..self.say.len()).rev() {
            let Piece::Aside { room, aside, instead } = &mut self.say[at] else { continue };
            if aside.leave_out_last(left_out) {
                return true;
            }
            if *room == left_out {
                let instead = std::mem::take(instead);
                let after = self.say.split_off(at);
                self.push(instead);
                after.into_iter().skip(1).for_each(|span| self.push(span));
                return true;
            }
        }
        false
    }

    /// The sentence up to the last of these marks in its own words, if one is after the first colon.
    fn before_last(&self, marks: &[&str]) -> Option<Sentence> {
        let words = self.say.iter().enumerate().filter_map(|(i, span)| {
            let Piece::Words(words) = span else { return None };
            Some((i, words))
        });
        let after = words.clone().find_map(|(i, words)| Some((i, words.find(": ")? + 2)));
        let last = |words: &str| marks.iter().filter_map(|mark| words.rfind(mark)).max();
        let (i, at, words) = words.rev().find_map(|(i, words)| Some((i, last(words)?, words)))?;
        ((i, at) > after.unwrap_or((0, 0))).then(|| {
            let mut kept = Sentence { say: self.say[..i].to_vec() };
            kept.push(words[..at].to_owned());
            kept
        })
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
    fn a_sentence_is_cut_in_its_own_words_only() {
        let text = |sentence: Sentence| sentence.text(UnitSystem::Binary);
        let short = leak().before_last(&["; ", ", "]).expect("a clause");
        assert_eq!(
            text(short.clone()),
            "likely leak: Map; (x, y) grew by 4 KiB since 2 s (10 B/s)"
        );
        assert_eq!(short.before_last(&["; ", ", "]), None, "the name is not cut");
        assert_eq!(short.before_last(&["likely"]), None, "nor what is before the colon");
    }

    #[test]
    fn details_give_way_and_then_asides_from_the_last_on_and_then_clauses() {
        let peak = |bytes: u32, by: &str| {
            let by = say![" (", name(by), others_or(", d and 1 more", ", …"), ")"];
            say![", +", size(bytes), aside(by), detail(" in steps")]
        };
        let freed = detail(say!["; freed", detail(" by 1 s")]);
        let since = part_or(", 1 B since 1 s (e)", part(", 1 B since 1 s"));
        let all = say!["freed: a", least(peak(1, "b")), peak(2, "c"), since, "; level", freed];
        let forms: Vec<String> =
            all.forms().iter().map(|form| form.text(UnitSystem::Binary)).collect();
        assert_eq!(
            forms,
            [
                "freed: a, +1 B (b, d and 1 more) in steps, +2 B (c, d and 1 more) in steps, 1 B since 1 s (e); level; freed by 1 s",
                "freed: a, +1 B (b, d and 1 more) in steps, +2 B (c, d and 1 more) in steps, 1 B since 1 s (e); level; freed",
                "freed: a, +1 B (b, d and 1 more) in steps, +2 B (c, d and 1 more) in steps, 1 B since 1 s (e); level",
                "freed: a, +1 B (b, d and 1 more) in steps, +2 B (c, d and 1 more), 1 B since 1 s (e); level",
                "freed: a, +1 B (b, d and 1 more), +2 B (c, d and 1 more), 1 B since 1 s (e); level",
                "freed: a, +1 B (b, d and 1 more), +2 B (c, …), 1 B since 1 s (e); level",
                "freed: a, +1 B (b, …), +2 B (c, …), 1 B since 1 s (e); level",
                "freed: a, +1 B (b, d and 1 more), +2 B (c, d and 1 more), 1 B since 1 s; level",
                "freed: a, +1 B (b, d and 1 more), +2 B (c, …), 1 B since 1 s; level",
                "freed: a, +1 B (b, …), +2 B (c, …), 1 B since 1 s; level",
                "freed: a, +1 B (b, d and 1 more), +2 B (c, d and 1 more); level",
                "freed: a, +1 B (b, d and 1 more), +2 B (c, …); level",
                "freed: a, +1 B (b, …), +2 B (c, …); level",
                "freed: a, +1 B (b, …), +2 B; level",
                "freed: a, +1 B, +2 B; level",
                "freed: a, +2 B; level",
                "freed: a, +2 B",
                "freed: a",
            ]
        );
        let named = aside(say![" (", row_name(Some(0), "b"), " -> c)"]);
        let either = others_or("", say![" -> ", row_name(Some(0), "b")]);
        let either = either.with_names(&|_| Some("d".to_owned())).with_arrows();
        assert_eq!(either.forms()[1].text(UnitSystem::Binary), " → d");
        let named = say!["a", named].with_names(&|_| Some("d".to_owned())).with_arrows();
        assert_eq!(named.text(UnitSystem::Binary), "a (d → c)");
        let data = serde_json::to_value(&named).unwrap();
        assert_eq!(data, json!({ "say": ["a (", {"name": "d"}, " → c)"] }));
        assert!(say![aside("")].is_empty() && !say![aside("a")].is_empty());
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
