//! Everything that hp2ps would refuse or read otherwise, and this decoder takes.

use crate::error::{WarningCode, visible};
use crate::hp_text::Header;
use crate::units::Nanos;

/// One departure from hp2ps. They all pass through [`HpDecoder`](super::HpDecoder)'s one place that
/// makes warnings of them.
#[derive(Clone, Copy, Debug)]
pub enum Oddity<'a> {
    /// A line taken whole although its tokens say something else.
    WholeLine {
        /// The name it gave.
        name: &'a [u8],
    },
    /// A row that begins with its TAB.
    NoName,
    /// A first token without the second that it needs.
    NotFollowed {
        /// The first token.
        word: &'a [u8],
        /// What should stand after it.
        expected: Expected,
    },
    /// A string in first position.
    StrayString,
    /// A header string without its closing quote.
    Unterminated(Header),
    /// A header string with quotes inside that are not doubled, as old GHCs wrote it.
    BareQuotes(Header),
    /// A value with a point.
    FractionalValue,
    /// A value below zero.
    NegativeValue,
    /// A value beyond u64.
    HugeValue,
    /// A time without a point.
    IntegerTime,
    /// A time below zero.
    NegativeTime,
    /// A time beyond i64 nanoseconds.
    HugeTime,
    /// A sample earlier than the one before.
    BackwardTime,
    /// A mark between BEGIN_SAMPLE and END_SAMPLE.
    MarkInSample,
    /// BEGIN_SAMPLE where a sample is open. hp2ps takes the second time and says nothing.
    NestedBegin,
    /// END_SAMPLE where none is open.
    EndWithoutBegin {
        /// The time that the sample gets.
        time: Nanos,
    },
    /// END_SAMPLE without a time.
    EndWithoutTime,
}

/// What should have followed a first token.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// The string of a header.
    String,
    /// The time of a sample or mark.
    Time,
    /// The value of a row.
    Value,
}

impl Oddity<'_> {
    /// The kind of warning it gives. None for what real profiles hold in every sample and the
    /// builder sums up in one sentence: times that run backwards.
    pub fn code(self) -> Option<WarningCode> {
        Some(match self {
            Oddity::NegativeTime | Oddity::BackwardTime => return None,
            Oddity::NegativeValue | Oddity::HugeValue | Oddity::HugeTime => {
                WarningCode::ClampedValue
            }
            Oddity::NestedBegin | Oddity::EndWithoutBegin { .. } | Oddity::EndWithoutTime => {
                WarningCode::UnfinishedSample
            }
            _ => WarningCode::OddStatement,
        })
    }

    /// What was seen and what was done about it.
    pub fn message(self) -> String {
        match self {
            Oddity::WholeLine { name } => {
                format!("the whole line is taken as one row, named `{}`", shown(name))
            }
            Oddity::NoName => "a row without a name; left out".to_owned(),
            Oddity::NotFollowed { word, expected } => {
                let what = match expected {
                    Expected::Value => "a whole number",
                    Expected::String => "a string in quotes",
                    Expected::Time => "a time",
                };
                format!("`{}` is not followed by {what}; skipped", shown(word))
            }
            Oddity::StrayString => "a string where a statement should begin; skipped".to_owned(),
            Oddity::Unterminated(header) => {
                let word = header.word();
                format!("the string after {word} has no closing quote; it is ended with its line")
            }
            Oddity::BareQuotes(header) => {
                let word = header.word();
                format!(
                    "the string after {word} holds quotes that are not doubled; it ends with the \
                     last one of its line"
                )
            }
            Oddity::FractionalValue => "a value with a point; its decimals are dropped".to_owned(),
            Oddity::NegativeValue => "a value below zero, taken as 0".to_owned(),
            Oddity::HugeValue => format!("a value beyond 64 bits, taken as {}", u64::MAX),
            Oddity::IntegerTime => "a time without a decimal point".to_owned(),
            Oddity::NegativeTime => "a time below zero".to_owned(),
            Oddity::HugeTime => "a time beyond 292 years, taken as the last there is".to_owned(),
            Oddity::BackwardTime => "a sample earlier than the one before".to_owned(),
            Oddity::MarkInSample => "a MARK inside a sample".to_owned(),
            Oddity::NestedBegin => {
                "BEGIN_SAMPLE inside a sample; the rows of both are one sample, of the later begin"
                    .to_owned()
            }
            Oddity::EndWithoutBegin { time } => {
                let time = time.to_decimal_seconds();
                format!("END_SAMPLE without BEGIN_SAMPLE; the sample is dated by its end, {time}")
            }
            Oddity::EndWithoutTime => "END_SAMPLE without a time".to_owned(),
        }
    }
}

/// The beginning of a name, fit for a message.
fn shown(name: &[u8]) -> String {
    const MOST: usize = 60;
    let text = String::from_utf8_lossy(&name[..name.len().min(4 * MOST)]);
    let mut shown = visible(&text.chars().take(MOST).collect::<String>());
    if text.chars().nth(MOST).is_some() {
        shown.push_str("...");
    }
    shown
}
