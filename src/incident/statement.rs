//! Statements of a `.hp` that hp2ps would refuse or read differently, and that the decoder accepts.

use super::WarningCode;
use super::what::{Loss, Row, Say};
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
    /// What follows from it; `seen` is the name of the row, or the word.
    pub(super) fn row(self, seen: &str, say: Say<'_>) -> Row {
        use WarningCode::{ClampedValue, OddStatement, UnfinishedSample};
        match self {
            Oddity::WholeLine => Row::of(
                OddStatement,
                say(format_args!("the whole line is taken as one row, named `{seen}`")),
            ),
            Oddity::NoName => {
                Row::of(OddStatement, say(format_args!("a row without a name; left out")))
                    .loses(Loss::Values(1))
            }
            Oddity::NotFollowed(expected) => {
                let what = match expected {
                    Expected::Value => "a whole number",
                    Expected::String => "a string in quotes",
                    Expected::Time => "a time",
                };
                let text = say(format_args!("`{seen}` is not followed by {what}; skipped"));
                Row::of(OddStatement, text).loses(Loss::Statement)
            }
            Oddity::StrayString => Row::of(
                OddStatement,
                say(format_args!("a string where a statement should begin; skipped")),
            )
            .loses(Loss::Statement),
            Oddity::Unterminated(word) => Row::of(
                OddStatement,
                say(format_args!(
                    "the string after {word} has no closing quote; it is taken to end with its line"
                )),
            ),
            Oddity::BareQuotes(word) => Row::of(
                OddStatement,
                say(format_args!(
                    "the string after {word} contains quotes that are not doubled; it ends with the \
                     last one of its line"
                )),
            ),
            Oddity::FractionalValue => Row::of(
                OddStatement,
                say(format_args!("a value with a point; its decimals are dropped")),
            ),
            Oddity::NegativeValue => {
                Row::of(ClampedValue, say(format_args!("a value below zero, taken as 0")))
            }
            Oddity::HugeValue => Row::of(
                ClampedValue,
                say(format_args!("a value beyond 64 bits, taken as {}", u64::MAX)),
            ),
            Oddity::IntegerTime => {
                Row::of(OddStatement, say(format_args!("a time without a decimal point")))
            }
            Oddity::NegativeTime => {
                Row::of(OddStatement, say(format_args!("a time below zero"))).without_warning()
            }
            Oddity::HugeTime => Row::of(
                ClampedValue,
                say(format_args!("a time beyond 292 years, taken as the latest possible one")),
            ),
            Oddity::BackwardTime => {
                Row::of(OddStatement, say(format_args!("a sample earlier than the one before")))
                    .without_warning()
            }
            Oddity::MarkInSample => {
                Row::of(OddStatement, say(format_args!("a MARK inside a sample")))
            }
            Oddity::NestedBegin => Row::of(
                UnfinishedSample,
                say(format_args!(
                    "BEGIN_SAMPLE inside a sample; the rows of both are one sample, of the later begin"
                )),
            ),
            Oddity::EndWithoutBegin { time } => Row::of(
                UnfinishedSample,
                say(format_args!(
                    "END_SAMPLE without BEGIN_SAMPLE; the sample is dated by its end, {}",
                    time.to_decimal_seconds()
                )),
            ),
            Oddity::EndWithoutTime => {
                Row::of(UnfinishedSample, say(format_args!("END_SAMPLE without a time")))
            }
        }
    }
}
