//! Incidents as sentences for people, and the stable names of their kinds.

use serde::Serialize;

/// Something odd about an input that was still drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// Which kind of oddity.
    pub code: WarningCode,
    /// What was seen, where, and what was done about it.
    pub message: String,
}

/// The kinds of [`Warning`]: stable names for programs that read the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningCode {
    /// A sample that never ended, or whose begin or end is missing.
    UnfinishedSample,
    /// A sample that is damaged: it is left out.
    DamagedSample,
    /// A sample that only a damaged byte can have made: it is left out.
    ImpossibleSample,
    /// Points that belong to no sample.
    StrayPoints,
    /// Samples were out of order and have been sorted.
    SamplesOutOfOrder,
    /// The log has no usable time for its samples; they are drawn by number.
    NoTimes,
    /// A header line of a `.hp` is missing.
    MissingHeader,
    /// A `.hp` statement was read differently from hp2ps, or skipped.
    OddStatement,
    /// A value out of range was replaced by the nearest possible one.
    ClampedValue,
    /// Declarations of an event log contradict each other.
    OddDeclaration,
    /// An event whose payload does not have what it should.
    OddEvent,
    /// Bytes that are not events were skipped.
    DamagedBytes,
    /// The log ends inside an event, or without its end mark.
    LogCut,
    /// The compressed stream around the profile is cut or broken.
    CompressionDamaged,
    /// Bytes before the beginning of the log were ignored.
    LeadingBytes,
    /// Bytes after the end of the log were ignored.
    TrailingBytes,
    /// A cost centre that is used was never defined.
    UndefinedCostCentre,
    /// The break-down was inferred or is unknown.
    BreakdownInferred,
    /// More than the limits allow: the rest is left out, or a text is cut.
    OverLimit,
}
