//! The names of the limits on what is kept of an input.
//!
//! Errors and warnings name the limit that was reached; the binary knows the flag that raises it.

/// One of the limits of [`Limits`](crate::profile::Limits), whose fields say what each bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// How many bands.
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
    /// Every limit.
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
