//! Incidents as sentences for people, and the stable names of their kinds and of the limits that were met: the
//! binary knows the flags that raise these.

use serde::Serialize;

/// Something odd about an input that was still drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// Which kind of oddity.
    pub code: WarningCode,
    /// What was seen, where, and what was done about it.
    pub message: String,
    /// The limit that was met, when it is about one.
    #[serde(skip)]
    pub limit: Option<Limit>,
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

/// One of the limits of [`Limits`](crate::profile::Limits), whose fields say what each bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// The number of different bands.
    Bands,
    /// How many cost centres.
    CostCentres,
    /// How many info tables.
    InfoTables,
    /// How many markers and messages.
    Markers,
    /// How many points of each heap series.
    HeapPoints,
    /// How many different stacks of a time profile.
    CallNodes,
    /// How many ticks of a time profile.
    Ticks,
    /// How many collections, and other events of the run-time system of each kind.
    RuntimeEvents,
    /// How long one text may be.
    Text,
    /// How long all texts of a kind may be together.
    AllTexts,
}

impl Limit {
    /// All limits, in the order of the documentation.
    pub const ALL: [Limit; 10] = [
        Limit::Bands,
        Limit::CostCentres,
        Limit::InfoTables,
        Limit::Markers,
        Limit::HeapPoints,
        Limit::CallNodes,
        Limit::Ticks,
        Limit::RuntimeEvents,
        Limit::Text,
        Limit::AllTexts,
    ];
}
