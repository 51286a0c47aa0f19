//! Everything that can be odd about an input, and every statement of a `.hp` that hp2ps would refuse or
//! read differently. One [`Row`] for each has everything that follows from it: the kind of its warning,
//! its words, the condition of the input, and what is lost.

use std::fmt;

use super::error::{Error, beginning};
use super::{Condition, WarningCode};
use crate::base::units::{Bytes, Nanos, count};
use crate::incident::limit::Limit;

/// What is left out of the older part of a long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thinned {
    /// Samples.
    Samples,
    /// The values of heap series.
    HeapFigures,
    /// Markers and messages.
    Markers,
}

impl Thinned {
    /// All kinds, in the order of their numbers.
    pub(crate) const ALL: &'static [Thinned] =
        &[Thinned::Samples, Thinned::HeapFigures, Thinned::Markers];
}

/// What an [`Incident`](super::Incident) is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// Bytes that are not events, which are skipped up to where the log can be read again.
    DamagedBytes {
        /// How many are skipped.
        bytes: u64,
    },
    /// Bytes that are not events, up to the end of the input.
    DamagedEnd {
        /// How many.
        bytes: u64,
    },
    /// A further log that cannot be read.
    UnreadableLog {
        /// How many bytes there are from its beginning on.
        bytes: u64,
    },
    /// Bytes before the first header.
    LeadingBytes {
        /// How many.
        bytes: u64,
    },
    /// Bytes after the end mark.
    TrailingBytes {
        /// How many.
        bytes: u64,
    },
    /// An event type that is declared twice, with different sizes.
    DeclaredTwice(EventType),
    /// An event with fewer bytes than its fields have.
    ShortEvent {
        /// Its type.
        event: EventType,
        /// How many bytes it has.
        length: usize,
    },
    /// The same, for an event with a band's value.
    ShortValue {
        /// Its type.
        event: EventType,
        /// How many bytes it has.
        length: usize,
    },
    /// An event with a text that does not end.
    UnendedText(EventType),
    /// An event longer than its length can say.
    WrappedLength(EventType),
    /// A stack with more cost centres than its event contains.
    DeepStack {
        /// The stated number.
        depth: u8,
        /// How many there are.
        held: usize,
    },
    /// A break-down that no known GHC has.
    UnknownBreakdown(u32),
    /// A residency below zero.
    NegativeSize(i64),
    /// A sample in which the sum of one band's bytes exceeds 64 bits.
    HugeSum {
        /// Its number in the run, from 1.
        sample: usize,
    },
    /// Bands without the beginning of their sample, of which others may be missing, too.
    StrayPoints,
    /// A sample's end without its begin.
    EndWithoutBegin,
    /// The same, for a sample that is already counted as lost.
    LateEnd,
    /// A sample that never ends: another begins.
    UnendedSample {
        /// How many points it has.
        points: usize,
    },
    /// A sample with damaged bytes.
    DamagedSample {
        /// How many points were read of it.
        points: usize,
    },
    /// A sample with impossible residencies.
    ImpossibleSample {
        /// Its residency of all bands together.
        total: u64,
        /// Why it is impossible.
        why: Impossible,
    },
    /// Rows of a `.hp` after its last sample.
    RowsAfterLastSample {
        /// How many.
        rows: usize,
    },
    /// A header line of a `.hp` that is missing.
    MissingHeader(&'static str),
    /// A statement of a `.hp` that hp2ps would refuse or read differently.
    Statement(Oddity),
    /// A row of a report (`.prof`) that makes no sense: several processes wrote one file.
    TornRow,
    /// Samples that were sorted.
    OutOfOrder {
        /// How often the time steps back.
        steps: usize,
    },
    /// Samples that are drawn by number.
    NoTimes(NoClock),
    /// Two different definitions of one cost centre.
    RedefinedCostCentre(u32),
    /// Cost centres that are used and never defined.
    UndefinedCostCentres {
        /// The lowest of them.
        first: u32,
        /// How many.
        count: usize,
    },
    /// A break-down that the log does not state.
    BreakdownInferred {
        /// The break-down, as far as it can be inferred.
        words: Option<&'static str>,
    },
    /// More things than a limit allows.
    OverLimit {
        /// The limit.
        limit: Limit,
        /// Its value.
        most: usize,
        /// The name of the things beyond the limit, as a plural.
        things: &'static str,
    },
    /// Things of the older part of a long run, to save memory.
    Thinned {
        /// What.
        things: Thinned,
        /// How many were left out.
        count: usize,
    },
    /// A text that was cut.
    LongText {
        /// What it was.
        thing: &'static str,
        /// Its length in bytes.
        length: usize,
    },
    /// Labels that were cut.
    LongLabels {
        /// How many.
        count: usize,
    },
}

/// Why a sample is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Impossible {
    /// It is larger than the address space of a heap.
    AddressSpace,
    /// It is larger than the heap was, by the log's own figures.
    HeapFigures,
    /// Its residencies are not multiples of a word, as all others are.
    Word,
    /// A single residency is many times what the samples before and after have together.
    Alone,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Impossible::AddressSpace => "more than a heap can have without +RTS -xr",
            Impossible::HeapFigures => "more than the heap had then by the log's own figures",
            Impossible::Word => "not a multiple of a word, as all other samples are",
            Impossible::Alone => {
                "many times what the samples before and after have, all in one band"
            }
        })
    }
}

/// Why samples have no usable times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoClock {
    /// An event log narrowed by biography has none.
    Biography,
    /// The clock runs backwards.
    Backwards,
}

/// A type of event, by number and, where this version knows it, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventType {
    /// Its number.
    pub number: u16,
    /// Its name in GHC's sources.
    pub name: Option<&'static str>,
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => f.write_str(name),
            None => write!(f, "event type {}", self.number),
        }
    }
}

/// All that follows from an incident.
pub(super) struct Row {
    /// The kind of warning that it makes; `None` if it makes none.
    pub code: Option<WarningCode>,
    /// What was seen and what was done about it.
    pub text: String,
    /// The condition of an input that has only this incident.
    pub condition: Condition,
    pub loss: Loss,
    /// Whether [`Losses::summary`](super::Losses::summary) reports everything important about it.
    pub in_summary: bool,
    /// The limit that was met, when it is about one.
    pub limit: Option<Limit>,
}

/// What an incident takes from the profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Nothing,
    Bytes(u64),
    Sample,
    Values(usize),
    Statement,
    /// One of the things beyond a limit.
    OverLimit,
}

impl Row {
    /// An incident that loses nothing.
    pub fn of(code: WarningCode, text: String) -> Row {
        Row {
            code: Some(code),
            text,
            condition: Condition::Whole,
            loss: Loss::Nothing,
            in_summary: false,
            limit: None,
        }
    }

    pub fn loses(self, loss: Loss) -> Row {
        Row { loss, ..self }
    }

    fn condition(self, condition: Condition) -> Row {
        Row { condition, ..self }
    }

    fn in_summary(self) -> Row {
        Row { in_summary: true, ..self }
    }

    fn limit(self, limit: Limit) -> Row {
        Row { limit: Some(limit), ..self }
    }

    /// One that real profiles can have in every sample, which is summed up in one sentence.
    pub fn without_warning(self) -> Row {
        Row { code: None, ..self }
    }
}

/// How the text of an incident is made: a crafted input has millions of incidents, of which only the few
/// that are kept are worth formatting.
pub(super) type Say<'a> = &'a dyn Fn(fmt::Arguments<'_>) -> String;

impl What {
    /// What follows from it, without the text.
    pub(super) fn row(self) -> Row {
        self.row_with(None, "", &|_| String::new())
    }

    /// What was seen and what was done about it; `time` is that of the incident, and `seen` the
    /// beginning of what was there.
    pub(super) fn text(self, time: Option<Nanos>, seen: &str) -> String {
        self.row_with(time, seen, &|text| text.to_string()).text
    }

    fn row_with(self, time: Option<Nanos>, seen: &str, say: Say<'_>) -> Row {
        use Condition::{Cut, Damaged};
        use WarningCode as Code;
        let at = time.map(|time| format!(" at {time}")).unwrap_or_default();
        match self {
            What::DamagedBytes { bytes } => Row::of(
                Code::DamagedBytes,
                say(format_args!("{bytes} damaged bytes skipped; their content is lost")),
            )
            .condition(Damaged)
            .loses(Loss::Bytes(bytes))
            .in_summary(),
            What::DamagedEnd { bytes } => Row::of(
                Code::DamagedBytes,
                say(format_args!("the last {bytes} bytes are damaged and cannot be read")),
            )
            .condition(Damaged)
            .loses(Loss::Bytes(bytes))
            .in_summary(),
            What::UnreadableLog { bytes } => Row::of(
                Code::DamagedBytes,
                say(format_args!("a further log begins here, but cannot be read")),
            )
            .condition(Damaged)
            .loses(Loss::Bytes(bytes)),
            What::LeadingBytes { bytes } => Row::of(
                Code::LeadingBytes,
                say(format_args!(
                    "{bytes} bytes before the log are not a part of it: another program may have \
                     written to the same stream"
                )),
            ),
            What::TrailingBytes { bytes } => Row::of(
                Code::TrailingBytes,
                say(format_args!("{bytes} bytes after the end of the log")),
            ),
            What::DeclaredTwice(event) => Row::of(
                Code::OddDeclaration,
                say(format_args!(
                    "{event} is declared twice with different sizes; the last one is used"
                )),
            ),
            What::ShortEvent { event, length } => Row::of(
                Code::OddEvent,
                say(format_args!("{event} of {length} bytes is too short")),
            ),
            What::ShortValue { event, length } => {
                What::ShortEvent { event, length }.row_with(time, seen, say).loses(Loss::Values(1))
            }
            What::UnendedText(event) => {
                Row::of(Code::OddEvent, say(format_args!("a text in {event} has no end")))
            }
            What::WrappedLength(event) => Row::of(
                Code::OddEvent,
                say(format_args!(
                    "{event} is longer than its 16-bit length can express; it is read by its fields"
                )),
            ),
            What::DeepStack { depth, held } => Row::of(
                Code::OddEvent,
                say(format_args!(
                    "a stack of {depth} cost centres in an event with room for {held}; it is left out"
                )),
            )
            .loses(Loss::Values(1)),
            What::UnknownBreakdown(number) => Row::of(
                Code::OddEvent,
                say(format_args!("unknown break-down number {number}")),
            ),
            What::NegativeSize(size) => Row::of(
                Code::ClampedValue,
                say(format_args!("a size of {size} bytes is taken as 0")),
            ),
            What::HugeSum { sample } => Row::of(
                Code::ClampedValue,
                say(format_args!(
                    "sample {sample} has a band of 2^64 bytes or more, taken as {}",
                    u64::MAX
                )),
            ),
            What::StrayPoints => Row::of(
                Code::StrayPoints,
                say(format_args!(
                    "bands{at} without the beginning of their sample; left out, because others may be \
                     missing"
                )),
            )
            .loses(Loss::Sample),
            What::EndWithoutBegin => {
                What::LateEnd.row_with(time, seen, say).loses(Loss::Sample)
            }
            What::LateEnd => Row::of(
                Code::UnfinishedSample,
                say(format_args!("the end of a sample{at} without its beginning")),
            ),
            What::UnendedSample { points } => Row::of(
                Code::UnfinishedSample,
                say(format_args!(
                    "the sample{at} never ends and is left out with its {}",
                    count(points, "band")
                )),
            )
            .loses(Loss::Sample),
            What::DamagedSample { points } => Row::of(
                Code::DamagedSample,
                say(format_args!(
                    "the sample{at} is damaged and left out with its {}",
                    count(points, "band")
                )),
            )
            .condition(Damaged)
            .loses(Loss::Sample)
            .in_summary(),
            What::ImpossibleSample { total, why } => Row::of(
                Code::ImpossibleSample,
                say(format_args!("the sample{at} is left out: {} is {why}", Bytes::new(total))),
            )
            .condition(Damaged)
            .loses(Loss::Sample),
            What::RowsAfterLastSample { rows } => Row::of(
                Code::StrayPoints,
                say(format_args!("{} after the last END_SAMPLE; left out", count(rows, "row"))),
            )
            .condition(Cut)
            .loses(Loss::Values(rows))
            .in_summary(),
            What::MissingHeader(word) => {
                Row::of(Code::MissingHeader, say(format_args!("there is no {word} line")))
            }
            What::Statement(oddity) => oddity.row(seen, say),
            What::TornRow => Row::of(
                Code::OddStatement,
                say(format_args!("left out, because it is not a row of a report: `{seen}`")),
            )
            .condition(Damaged)
            .loses(Loss::Statement),
            What::OutOfOrder { steps } => {
                let times = if steps == 1 { "once".to_owned() } else { format!("{steps} times") };
                Row::of(
                    Code::SamplesOutOfOrder,
                    say(format_args!(
                        "sample times step back {times}; the samples have been sorted by time"
                    )),
                )
            }
            What::NoTimes(NoClock::Biography) => Row::of(
                Code::NoTimes,
                say(format_args!(
                    "a profile with a filter by biography (-hb...) has no sample times in the event \
                     log; samples are drawn by number (the .hp file has the times)"
                )),
            ),
            What::NoTimes(NoClock::Backwards) => Row::of(
                Code::NoTimes,
                say(format_args!(
                    "the sample times run backwards, as the mutator clock does with --nonmoving-gc; \
                     samples are drawn by number in the order of the file (the event log has the \
                     elapsed times)"
                )),
            ),
            What::RedefinedCostCentre(id) => Row::of(
                Code::OddDeclaration,
                say(format_args!(
                    "cost centre {id} is defined twice, differently; the last one is used"
                )),
            ),
            What::UndefinedCostCentres { first, count: 1 } => Row::of(
                Code::UndefinedCostCentre,
                say(format_args!(
                    "cost centre {first} is used but never defined; it shows as ?{first}"
                )),
            ),
            What::UndefinedCostCentres { first, count } => Row::of(
                Code::UndefinedCostCentre,
                say(format_args!(
                    "{count} cost centres are used but never defined; they show as ?{first} and so on"
                )),
            ),
            What::BreakdownInferred { words } => Row::of(
                Code::BreakdownInferred,
                say(format_args!(
                    "the break-down is not in the log (logging began late?): {}",
                    words.unwrap_or("and its labels do not show it")
                )),
            ),
            What::OverLimit { limit, most, things } => Row::of(
                Code::OverLimit,
                say(format_args!("more than {most} {things}; the rest is left out")),
            )
            .loses(Loss::OverLimit)
            .limit(limit),
            What::Thinned { things, count: left_out } => {
                let (things, which) = match things {
                    Thinned::Samples => (count(left_out, "sample"), "the lower one"),
                    Thinned::HeapFigures => (count(left_out, "heap figure"), "the lower one"),
                    Thinned::Markers => (format!("{left_out} markers and messages"), "one"),
                };
                Row::of(
                    Code::OverLimit,
                    say(format_args!(
                        "{things} of the older part are left out to save memory: {which} of \
                         every two neighbours"
                    )),
                )
            }
            What::LongText { thing, length } => Row::of(
                Code::OverLimit,
                say(format_args!("{thing} of {length} bytes is cut")),
            )
            .limit(Limit::Text),
            What::LongLabels { count: labels } => Row::of(
                Code::OverLimit,
                say(format_args!("{} cut because of their length", count(labels, "label"))),
            )
            .limit(Limit::Text),
        }
    }
}

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
        let fault = Fault { oddity: self, seen };
        let odd = |done: &str| Row::of(OddStatement, say(format_args!("{fault}{done}")));
        let clamped = |to: &str| Row::of(ClampedValue, say(format_args!("{fault}, taken as {to}")));
        let unfinished = |done: &str| Row::of(UnfinishedSample, say(format_args!("{fault}{done}")));
        match self {
            Oddity::WholeLine => Row::of(
                OddStatement,
                say(format_args!("{fault} is taken as one row, named `{seen}`")),
            ),
            Oddity::NoName => odd("; left out").loses(Loss::Values(1)),
            Oddity::NotFollowed(_) | Oddity::StrayString => odd("; skipped").loses(Loss::Statement),
            Oddity::Unterminated(_) => odd("; it is taken to end with its line"),
            Oddity::BareQuotes(_) => odd("; it ends with the last one of its line"),
            Oddity::FractionalValue => odd("; its decimals are dropped"),
            Oddity::NegativeValue => clamped("0"),
            Oddity::HugeValue => clamped("18446744073709551615"),
            Oddity::HugeTime => clamped("the latest possible one"),
            Oddity::IntegerTime | Oddity::MarkInSample => odd(""),
            Oddity::NegativeTime | Oddity::BackwardTime => odd("").without_warning(),
            Oddity::NestedBegin => {
                unfinished("; the rows of both are one sample, of the later begin")
            }
            Oddity::EndWithoutBegin { time } => Row::of(
                UnfinishedSample,
                say(format_args!(
                    "{fault}; the sample is dated by its end, {}",
                    time.to_decimal_seconds()
                )),
            ),
            Oddity::EndWithoutTime => unfinished(""),
        }
    }

    /// What was seen, for a reader that refuses it.
    pub(crate) fn refused(self, line: u64, seen: &[u8]) -> Error {
        let fault = Fault { oddity: self, seen: &beginning(seen) };
        Error::Statement { line, what: fault.to_string() }
    }
}

/// What was seen, without what was done about it.
struct Fault<'a> {
    oddity: Oddity,
    /// The name of the row, or the word.
    seen: &'a str,
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.oddity {
            Oddity::NotFollowed(expected) => {
                let what = match expected {
                    Expected::Value => "a whole number",
                    Expected::String => "a string in quotes",
                    Expected::Time => "a time",
                };
                return write!(f, "`{}` is not followed by {what}", self.seen);
            }
            Oddity::Unterminated(word) => {
                return write!(f, "the string after {word} has no closing quote");
            }
            Oddity::BareQuotes(word) => {
                return write!(f, "the string after {word} contains quotes that are not doubled");
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
        })
    }
}
