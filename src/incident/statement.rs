//! Statements of a `.hp` that hp2ps would refuse or read differently, and that the decoder accepts.

use super::error::{Error, beginning};
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
        let done = match self {
            Oddity::WholeLine => format!(" is taken as one row, named `{seen}`"),
            Oddity::NoName => "; left out".to_owned(),
            Oddity::NotFollowed(_) | Oddity::StrayString => "; skipped".to_owned(),
            Oddity::Unterminated(_) => "; it is taken to end with its line".to_owned(),
            Oddity::BareQuotes(_) => "; it ends with the last one of its line".to_owned(),
            Oddity::FractionalValue => "; its decimals are dropped".to_owned(),
            Oddity::NegativeValue => ", taken as 0".to_owned(),
            Oddity::HugeValue => format!(", taken as {}", u64::MAX),
            Oddity::HugeTime => ", taken as the latest possible one".to_owned(),
            Oddity::NestedBegin => {
                "; the rows of both are one sample, of the later begin".to_owned()
            }
            Oddity::EndWithoutBegin { time } => {
                format!("; the sample is dated by its end, {}", time.to_decimal_seconds())
            }
            Oddity::IntegerTime
            | Oddity::NegativeTime
            | Oddity::BackwardTime
            | Oddity::MarkInSample
            | Oddity::EndWithoutTime => String::new(),
        };
        self.fault(seen) + &done
    }

    /// What was seen, for a reader that refuses it.
    pub(crate) fn refused(self, line: u64, seen: &[u8]) -> Error {
        Error::Statement { line, what: self.fault(&beginning(seen)) }
    }

    fn fault(self, seen: &str) -> String {
        let fault = match self {
            Oddity::NotFollowed(expected) => {
                let what = match expected {
                    Expected::Value => "a whole number",
                    Expected::String => "a string in quotes",
                    Expected::Time => "a time",
                };
                return format!("`{seen}` is not followed by {what}");
            }
            Oddity::Unterminated(word) => {
                return format!("the string after {word} has no closing quote");
            }
            Oddity::BareQuotes(word) => {
                return format!("the string after {word} contains quotes that are not doubled");
            }
            Oddity::WholeLine => "the whole line",
            Oddity::NoName => "a row without a name",
            Oddity::StrayString => "a string where a statement should begin",
            Oddity::FractionalValue => "a value with a point",
            Oddity::NegativeValue => "a value below zero",
            Oddity::HugeValue => "a value beyond 64 bits",
            Oddity::IntegerTime => "a time without a decimal point",
            Oddity::NegativeTime => "a time below zero",
            Oddity::HugeTime => "a time beyond 292 years",
            Oddity::BackwardTime => "a sample earlier than the one before",
            Oddity::MarkInSample => "a MARK inside a sample",
            Oddity::NestedBegin => "BEGIN_SAMPLE inside a sample",
            Oddity::EndWithoutBegin { .. } => "END_SAMPLE without BEGIN_SAMPLE",
            Oddity::EndWithoutTime => "END_SAMPLE without a time",
        };
        fault.to_owned()
    }
}
