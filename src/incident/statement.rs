//! Statements of a `.hp` that hp2ps would refuse or read differently, and that the decoder accepts.

use super::{Losses, WarningCode};
use crate::base::units::Nanos;

/// One departure from hp2ps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oddity {
    /// A line read as one row although its tokens mean something else.
    WholeLine,
    /// A row that begins with its TAB.
    NoName,
    /// A first token without the second token that it needs.
    NotFollowed(Expected),
    /// A string in first position.
    StrayString,
    /// The string after this word has no closing quote.
    Unterminated(&'static str),
    /// The string after this word contains quotes that are not doubled, as old versions of GHC
    /// wrote it.
    BareQuotes(&'static str),
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
    /// BEGIN_SAMPLE inside a sample. hp2ps uses the second time, without a message.
    NestedBegin,
    /// END_SAMPLE outside a sample.
    EndWithoutBegin {
        /// The time that the sample gets.
        time: Nanos,
    },
    /// END_SAMPLE without a time.
    EndWithoutTime,
}

/// What should have followed a first token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// The string of a header.
    String,
    /// The time of a sample or mark.
    Time,
    /// The value of a row.
    Value,
}

impl Oddity {
    /// The kind of warning that it makes. `None` for times that run backwards: real profiles can
    /// have them in every sample, and they are summed up in one sentence.
    pub(super) fn code(self) -> Option<WarningCode> {
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

    /// Counts what it loses.
    pub(super) fn lose(self, losses: &mut Losses) {
        match self {
            Oddity::NoName => losses.values += 1,
            Oddity::NotFollowed(_) | Oddity::StrayString => losses.statements += 1,
            _ => {}
        }
    }

    /// What was seen and what was done about it; `seen` is the name of the row, or the word.
    pub(super) fn text(self, seen: &str) -> String {
        match self {
            Oddity::WholeLine => {
                format!("the whole line is taken as one row, named `{seen}`")
            }
            Oddity::NoName => "a row without a name; left out".to_owned(),
            Oddity::NotFollowed(expected) => {
                let what = match expected {
                    Expected::Value => "a whole number",
                    Expected::String => "a string in quotes",
                    Expected::Time => "a time",
                };
                format!("`{seen}` is not followed by {what}; skipped")
            }
            Oddity::StrayString => "a string where a statement should begin; skipped".to_owned(),
            Oddity::Unterminated(word) => {
                format!(
                    "the string after {word} has no closing quote; it is taken to end with its line"
                )
            }
            Oddity::BareQuotes(word) => format!(
                "the string after {word} contains quotes that are not doubled; it ends with the last \
                 one of its line"
            ),
            Oddity::FractionalValue => "a value with a point; its decimals are dropped".to_owned(),
            Oddity::NegativeValue => "a value below zero, taken as 0".to_owned(),
            Oddity::HugeValue => format!("a value beyond 64 bits, taken as {}", u64::MAX),
            Oddity::IntegerTime => "a time without a decimal point".to_owned(),
            Oddity::NegativeTime => "a time below zero".to_owned(),
            Oddity::HugeTime => {
                "a time beyond 292 years, taken as the latest possible one".to_owned()
            }
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
