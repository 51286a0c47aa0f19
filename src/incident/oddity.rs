//! Every statement of a `.hp` that hp2ps would refuse or read differently.

use super::error::{Error, beginning};
use super::{Loss, WarningCode};
use crate::base::units::Nanos;

/// Something in a `.hp` that hp2ps reads otherwise, or refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// A line read as one row although its tokens mean something else.
    WholeLine,
    /// A row that begins with its TAB.
    NoName,
    /// A first token without the second token that it needs.
    NotFollowed(Expected),
    StrayString,
    /// The string after this word has no closing quote.
    Unterminated(&'static str),
    /// The string after this word contains quotes that are not doubled, as old versions of GHC
    /// wrote it.
    BareQuotes(&'static str),
    FractionalValue,
    NegativeValue,
    HugeValue,
    IntegerTime,
    NegativeTime,
    HugeTime,
    /// A sample earlier than the one before.
    BackwardTime,
    MarkInSample,
    /// BEGIN_SAMPLE inside a sample. hp2ps uses the second time, without a message.
    NestedBegin,
    EndWithoutBegin {
        /// The time that the sample gets.
        time: Nanos,
    },
    EndWithoutTime,
}

/// What should have followed a first token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    String,
    /// The time of a sample or mark.
    Time,
    Value,
}

impl Oddity {
    /// The kind of its warning, and what it takes from the profile. `None` for those that real profiles can have
    /// in every sample, which are summed up in one sentence.
    pub(super) fn costs(self) -> Option<(WarningCode, Loss)> {
        use WarningCode::{ClampedValue, OddStatement, UnfinishedSample};
        Some(match self {
            Oddity::NegativeTime | Oddity::BackwardTime => return None,
            Oddity::NoName => (OddStatement, Loss::Values(1)),
            Oddity::NotFollowed(_) | Oddity::StrayString => (OddStatement, Loss::Statement),
            Oddity::NegativeValue | Oddity::HugeValue | Oddity::HugeTime => {
                (ClampedValue, Loss::Nothing)
            }
            Oddity::NestedBegin | Oddity::EndWithoutBegin { .. } | Oddity::EndWithoutTime => {
                (UnfinishedSample, Loss::Nothing)
            }
            Oddity::WholeLine
            | Oddity::Unterminated(_)
            | Oddity::BareQuotes(_)
            | Oddity::FractionalValue
            | Oddity::IntegerTime
            | Oddity::MarkInSample => (OddStatement, Loss::Nothing),
        })
    }

    /// What was seen and what was done about it; `seen` is the name of the row, or the word.
    pub(super) fn text(self, seen: &str) -> String {
        let fault = self.fault(seen);
        let done = match self {
            Oddity::WholeLine => return format!("{fault} is taken as one row, named `{seen}`"),
            Oddity::EndWithoutBegin { time } => {
                let end = time.to_decimal_seconds();
                return format!("{fault}; the sample is dated by its end, {end}");
            }
            Oddity::NoName => "; left out",
            Oddity::NotFollowed(_) | Oddity::StrayString => "; skipped",
            Oddity::Unterminated(_) => "; it is taken to end with its line",
            Oddity::BareQuotes(_) => "; it ends with the last one of its line",
            Oddity::FractionalValue => "; its decimals are dropped",
            Oddity::NegativeValue => ", taken as 0",
            Oddity::HugeValue => ", taken as 18446744073709551615",
            Oddity::HugeTime => ", taken as the latest possible one",
            Oddity::NestedBegin => "; the rows of both are one sample, of the later begin",
            Oddity::IntegerTime
            | Oddity::MarkInSample
            | Oddity::NegativeTime
            | Oddity::BackwardTime
            | Oddity::EndWithoutTime => "",
        };
        format!("{fault}{done}")
    }

    /// What was seen, for a reader that refuses it.
    pub(crate) fn refused(self, line: u64, seen: &[u8]) -> Error {
        Error::Statement { line, what: self.fault(&beginning(seen)) }
    }

    /// What was seen, without what was done about it.
    fn fault(self, seen: &str) -> String {
        match self {
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
            Oddity::HugeTime => "a time beyond 73 years",
            Oddity::BackwardTime => "a sample earlier than the one before",
            Oddity::MarkInSample => "a MARK inside a sample",
            Oddity::NestedBegin => "BEGIN_SAMPLE inside a sample",
            Oddity::EndWithoutBegin { .. } => "END_SAMPLE without BEGIN_SAMPLE",
            Oddity::EndWithoutTime => "END_SAMPLE without a time",
        }
        .to_owned()
    }
}
