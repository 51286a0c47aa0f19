//! Everything that can be odd about an input: its kind, its loss, its words.

use std::fmt;

use super::{Condition, Losses, Oddity, WarningCode};
use crate::base::units::{Bytes, Nanos, count};
use crate::incident::limit::Limit;

/// What an [`Incident`](super::Incident) is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// Bytes that are not events, which are skipped up to where the log can be read again.
    DamagedBytes {
        /// How many.
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
    /// Samples of the older part of a long run, to save memory.
    Thinned {
        /// How many were left out.
        samples: usize,
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
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Impossible::AddressSpace => "more than a heap can have without +RTS -xr",
            Impossible::HeapFigures => "more than the heap had then by the log's own figures",
            Impossible::Word => "not a multiple of a word, as all other samples are",
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

impl What {
    /// The kind of warning that it makes. `None` if it makes no separate warning: real profiles can
    /// have times that run backwards in every sample, which is summed up in one sentence.
    pub fn code(self) -> Option<WarningCode> {
        Some(match self {
            What::DamagedBytes { .. } | What::DamagedEnd { .. } | What::UnreadableLog { .. } => {
                WarningCode::DamagedBytes
            }
            What::LeadingBytes { .. } => WarningCode::LeadingBytes,
            What::TrailingBytes { .. } => WarningCode::TrailingBytes,
            What::DeclaredTwice(_) | What::RedefinedCostCentre(_) => WarningCode::OddDeclaration,
            What::ShortEvent { .. }
            | What::ShortValue { .. }
            | What::UnendedText(_)
            | What::WrappedLength(_)
            | What::DeepStack { .. }
            | What::UnknownBreakdown(_) => WarningCode::OddEvent,
            What::NegativeSize(_) | What::HugeSum { .. } => WarningCode::ClampedValue,
            What::StrayPoints | What::RowsAfterLastSample { .. } => WarningCode::StrayPoints,
            What::EndWithoutBegin | What::LateEnd | What::UnendedSample { .. } => {
                WarningCode::UnfinishedSample
            }
            What::DamagedSample { .. } | What::ImpossibleSample { .. } => {
                WarningCode::DamagedSample
            }
            What::MissingHeader(_) => WarningCode::MissingHeader,
            What::Statement(oddity) => return oddity.code(),
            What::TornRow => WarningCode::OddStatement,
            What::OutOfOrder { .. } => WarningCode::SamplesOutOfOrder,
            What::NoTimes(_) => WarningCode::NoTimes,
            What::UndefinedCostCentres { .. } => WarningCode::UndefinedCostCentre,
            What::BreakdownInferred { .. } => WarningCode::BreakdownInferred,
            What::OverLimit { .. }
            | What::Thinned { .. }
            | What::LongText { .. }
            | What::LongLabels { .. } => WarningCode::OverLimit,
        })
    }

    /// The limit that was met, when it is about one.
    pub fn limit(self) -> Option<Limit> {
        match self {
            What::OverLimit { limit, .. } => Some(limit),
            What::LongText { .. } | What::LongLabels { .. } => Some(Limit::Text),
            _ => None,
        }
    }

    /// The condition of an input that has only this incident.
    pub(super) fn condition(self) -> Condition {
        match self {
            What::DamagedBytes { .. }
            | What::DamagedEnd { .. }
            | What::UnreadableLog { .. }
            | What::DamagedSample { .. }
            | What::ImpossibleSample { .. }
            | What::TornRow => Condition::Damaged,
            What::RowsAfterLastSample { .. } => Condition::Cut,
            _ => Condition::Whole,
        }
    }

    /// Counts what it loses; `time` is that of the last event before skipped bytes.
    pub(super) fn lose(self, byte: Option<u64>, time: Option<Nanos>, losses: &mut Losses) {
        match self {
            What::DamagedBytes { bytes }
            | What::DamagedEnd { bytes }
            | What::UnreadableLog { bytes } => losses.skip(byte.unwrap_or_default(), bytes, time),
            What::ShortValue { .. } | What::DeepStack { .. } => losses.values += 1,
            What::RowsAfterLastSample { rows } => losses.values += rows,
            What::EndWithoutBegin
            | What::UnendedSample { .. }
            | What::StrayPoints
            | What::DamagedSample { .. }
            | What::ImpossibleSample { .. } => losses.samples += 1,
            What::Statement(oddity) => oddity.lose(losses),
            What::TornRow => losses.statements += 1,
            What::OverLimit { .. } => losses.over_limits += 1,
            _ => {}
        }
    }

    /// Whether [`Losses::summary`] reports everything important about it.
    pub(super) fn in_summary(self) -> bool {
        matches!(
            self,
            What::DamagedBytes { .. }
                | What::DamagedEnd { .. }
                | What::DamagedSample { .. }
                | What::RowsAfterLastSample { .. }
        )
    }

    /// What was seen and what was done about it; `seen` is the beginning of what was there.
    pub(super) fn text(self, time: Option<Nanos>, seen: &str) -> String {
        let at = time.map(|time| format!(" at {time}")).unwrap_or_default();
        match self {
            What::DamagedBytes { bytes } => {
                format!("{bytes} damaged bytes skipped; their content is lost")
            }
            What::DamagedEnd { bytes } => {
                format!("the last {bytes} bytes are damaged and cannot be read")
            }
            What::UnreadableLog { .. } => {
                "a further log begins here, but cannot be read".to_owned()
            }
            What::LeadingBytes { bytes } => format!(
                "{bytes} bytes before the log are not a part of it: another program may have written \
                 to the same stream"
            ),
            What::TrailingBytes { bytes } => format!("{bytes} bytes after the end of the log"),
            What::DeclaredTwice(event) => {
                format!("{event} is declared twice with different sizes; the last one is used")
            }
            What::ShortEvent { event, length } | What::ShortValue { event, length } => {
                format!("{event} of {length} bytes is too short")
            }
            What::UnendedText(event) => format!("a text in {event} has no end"),
            What::WrappedLength(event) => {
                format!(
                    "{event} is longer than its 16-bit length can express; it is read by its fields"
                )
            }
            What::DeepStack { depth, held } => format!(
                "a stack of {depth} cost centres in an event with room for {held}; it is left out"
            ),
            What::UnknownBreakdown(number) => format!("unknown break-down number {number}"),
            What::NegativeSize(size) => format!("a size of {size} bytes is taken as 0"),
            What::HugeSum { sample } => {
                let most = u64::MAX;
                format!("sample {sample} has a band of 2^64 bytes or more, taken as {most}")
            }
            What::StrayPoints => {
                format!(
                    "bands{at} without the beginning of their sample; left out, because others may be missing"
                )
            }
            What::EndWithoutBegin | What::LateEnd => {
                format!("the end of a sample{at} without its beginning")
            }
            What::UnendedSample { points } => {
                let bands = count(points, "band");
                format!("the sample{at} never ends and is left out with its {bands}")
            }
            What::DamagedSample { points } => {
                format!("the sample{at} is damaged and left out with its {}", count(points, "band"))
            }
            What::ImpossibleSample { total, why } => {
                format!("the sample{at} is left out: {} is {why}", Bytes::new(total))
            }
            What::RowsAfterLastSample { rows } => {
                format!("{} after the last END_SAMPLE; left out", count(rows, "row"))
            }
            What::MissingHeader(word) => format!("there is no {word} line"),
            What::Statement(oddity) => oddity.text(seen),
            What::TornRow => format!("not a row of a report, left out: `{seen}`"),
            What::OutOfOrder { steps } => {
                let times = if steps == 1 { "once".to_owned() } else { format!("{steps} times") };
                format!("sample times step back {times}; the samples have been sorted by time")
            }
            What::NoTimes(clock) => clock.text().to_owned(),
            What::RedefinedCostCentre(id) => {
                format!("cost centre {id} is defined twice, differently; the last one is used")
            }
            What::UndefinedCostCentres { first, count: 1 } => {
                format!("cost centre {first} is used but never defined; it shows as ?{first}")
            }
            What::UndefinedCostCentres { first, count } => format!(
                "{count} cost centres are used but never defined; they show as ?{first} and so on"
            ),
            What::BreakdownInferred { words } => {
                let guess = words.unwrap_or("nor to be seen from its labels");
                format!("the break-down is not in the log (logging began late?): {guess}")
            }
            What::Thinned { samples } => format!(
                "{} of the older part are left out to save memory: the lower one of each two neighbours",
                count(samples, "sample")
            ),
            What::OverLimit { most, things, .. } => {
                format!("more than {most} {things}; the rest is left out")
            }
            What::LongText { thing, length } => format!("{thing} of {length} bytes is cut"),
            What::LongLabels { count: labels } => {
                format!("{} cut because of their length", count(labels, "label"))
            }
        }
    }
}

impl NoClock {
    fn text(self) -> &'static str {
        match self {
            NoClock::Biography => {
                "a profile with a filter by biography (-hb...) has no sample times in the event log; \
                 samples are drawn by number (the .hp file has the times)"
            }
            NoClock::Backwards => {
                "the sample times run backwards, as the mutator clock does with --nonmoving-gc; \
                 samples are drawn by number in the order of the file (the event log has the \
                 elapsed times)"
            }
        }
    }
}
