//! What the names of GHC's own say about a band: the kind of its closures.

use serde::Serialize;

/// What the names of GHC's own closures stand for.
pub(super) const CLOSURES: [(&str, &str); 16] = [
    ("*", "thunks and functions, which this break-down does not tell apart"),
    ("AP", "an application that is not evaluated yet"),
    ("AP_STACK", "an evaluation that was interrupted, and is not finished yet"),
    ("ARR_WORDS", "bytes of strings, ByteString, Text, and arrays without pointers"),
    ("BLACKHOLE", "an expression that is being evaluated, or its value"),
    ("COMPACT_NFDATA", "a compact region, which the program fills on purpose"),
    ("FUN", "a function, with what it captured"),
    ("MVAR_CLEAN", "an MVar"),
    ("MVAR_DIRTY", "an MVar"),
    ("PAP", "a function that waits for more of its arguments"),
    ("STACK", "the stack of a thread: what waits for a value"),
    ("TREC_CHUNK", "what a transaction has read and written"),
    ("TSO", "a thread, without its stack"),
    ("TVAR", "a TVar"),
    ("WEAK", "a weak pointer, with its finaliser"),
    ("[]", "a list: each cell has an element, and the rest"),
];
/// Those whose names begin with this.
pub(super) const FAMILIES: [(&str, &str); 6] = [
    ("THUNK", "an expression that is not evaluated yet"),
    ("FUN_", "a function, with what it captured"),
    ("CONSTR", "a value of a data type"),
    ("MUT_ARR_PTRS", "an array of pointers, as of Data.Array and hash tables"),
    ("SMALL_MUT_ARR_PTRS", "a small array of pointers, as of unordered-containers"),
    ("MUT_VAR", "an IORef or STRef"),
];
/// What the names of GHC's own cost centres and modules stand for.
pub(super) const MAKERS: [(&str, &str); 9] = [
    ("CAF", "constants, which stay while any code can use them"),
    ("DONT_CARE", "what nobody is charged for"),
    ("GC", "the garbage collector"),
    ("IDLE", "the program waits"),
    ("MAIN", "what the program does outside of every cost centre"),
    ("OVERHEAD_of_PROFILING", "what profiling itself takes"),
    ("PINNED", "bytes that do not move, as of ByteString; GHC does not know who made them"),
    ("SYSTEM", "what the run-time system itself makes"),
    ("SYSTEM.SYSTEM", "what the run-time system itself makes"),
];
/// What the names of GHC's own retainers stand for.
pub(super) const HOLDERS: [(&str, &str); 2] = [
    ("MAIN", "what the program holds outside of every cost centre"),
    ("SYSTEM", "what the run-time system itself holds"),
];
/// What the phases of a life stand for.
pub(super) const PHASES: [(&str, &str); 5] = [
    ("DRAG", "used for the last time, and still held"),
    ("INHERENT_USE", "bytes that GHC cannot see the use of, such as arrays"),
    ("LAG", "made, and not used yet"),
    ("USE", "used, and to be used again"),
    ("VOID", "never used"),
];

/// What a band, or what grows in a heap, is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// Closures that are not evaluated yet: thunks, suspended applications, black holes.
    Unevaluated,
    /// Closures that are thunks or functions: the break-down does not tell them apart.
    ThunksOrFunctions,
    /// Stacks of threads, and the threads themselves.
    Stacks,
    /// Pinned bytes, whose owner the profiler does not know.
    Pinned,
    /// Bytes of strings and arrays without pointers: closures of one kind, whoever made them.
    Bytes,
    /// An array that doubles its size.
    DoublingArray,
    /// A compact region, which the program fills on purpose.
    CompactRegion,
    /// All bands together, because no single band shows it.
    WholeHeap,
    /// Live bytes in no band.
    OutsideBands,
    /// Memory that the run-time system holds beyond what live data explain.
    Held,
    /// Memory of the process beyond GHC's heap.
    OffHeap,
    /// Weak pointers: finalisers, and keys that may die.
    Weak,
    /// What a transaction has read and written.
    Transactions,
}

impl Kind {
    pub(super) fn of_closure_type(label: &str) -> Option<Self> {
        match label {
            "COMPACT_NFDATA" => Some(Kind::CompactRegion),
            "WEAK" | "DEAD_WEAK" => Some(Kind::Weak),
            "TREC_CHUNK" => Some(Kind::Transactions),
            "BLACKHOLE" | "AP" | "AP_STACK" | "AP_UPD" | "AP_NOUPD" => Some(Kind::Unevaluated),
            label if label.starts_with("THUNK") => Some(Kind::Unevaluated),
            label => Kind::of_any_closure(label),
        }
    }

    pub(super) fn of_type(label: &str) -> Option<Self> {
        if label == "*" { Some(Kind::ThunksOrFunctions) } else { Kind::of_any_closure(label) }
    }

    pub(super) fn of_description(label: &str) -> Option<Self> {
        // GHC writes a thunk's or function's description in angle brackets.
        match label.starts_with('<') && label.ends_with('>') {
            true => Some(Kind::ThunksOrFunctions),
            false => Kind::of_any_closure(label),
        }
    }

    /// The kind of a closure that every break-down by closures or types gives the same name.
    fn of_any_closure(label: &str) -> Option<Self> {
        match label {
            "STACK" | "TSO" => Some(Kind::Stacks),
            "ARR_WORDS" => Some(Kind::Bytes),
            _ => None,
        }
    }

    pub(super) fn of_stack(label: &str) -> Option<Self> {
        (label == "PINNED").then_some(Kind::Pinned)
    }

    /// How an info table is named whose closures are thunks.
    pub(super) fn of_info_table(label: &str) -> Option<Self> {
        label.starts_with("THUNK").then_some(Kind::Unevaluated)
    }

    /// Whether the break-down says nothing about who holds it.
    pub(crate) fn has_no_owner(self) -> bool {
        matches!(self, Kind::Pinned | Kind::Bytes)
    }

    /// The words that follow a band's name.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Unevaluated => "unevaluated",
            Kind::ThunksOrFunctions => "unevaluated, or functions: -hT tells which",
            Kind::Stacks => "stacks of threads",
            Kind::Pinned => "pinned bytes: the profiler does not know their owner",
            Kind::Bytes => "bytes of strings and arrays",
            Kind::DoublingArray => "an array that doubles",
            Kind::CompactRegion => "a compact region, filled on purpose",
            Kind::WholeHeap => "no single band",
            Kind::OutsideBands => "in no band",
            Kind::Held => "held, but not live",
            Kind::OffHeap => "outside of GHC's heap",
            Kind::Weak => "weak pointers, whose finalisers have not run",
            Kind::Transactions => {
                "what transactions have read and written, which threads that wait keep"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Breakdown, Tells};

    #[test]
    fn names_of_ghcs_own_are_explained_where_they_are_its_own() {
        for (tells, label, expected) in [
            (Tells::Content, "THUNK_1_0", Some("an expression that is not evaluated yet")),
            (
                Tells::Content,
                "ghc-prim:GHC.Types.:",
                Some("a cell of a list: an element, and the rest"),
            ),
            (Tells::Content, "SYSTEM", None),
            (Tells::Maker, "SYSTEM", Some("what the run-time system itself makes")),
            (Tells::Holder, "SYSTEM", Some("what the run-time system itself holds")),
            (Tells::Maker, "THUNK", None),
            (Tells::Phase, "VOID", Some("never used")),
        ] {
            assert_eq!(tells.sentence_of(label), expected, "{label}");
        }
    }

    #[test]
    fn kinds_are_recognised_by_label() {
        use Breakdown::{ClosureDescription, ClosureType, CostCentre, Type};
        for (breakdown, label, expected) in [
            (ClosureType, "THUNK_1_1", Some(Kind::Unevaluated)),
            (ClosureType, "AP", Some(Kind::Unevaluated)),
            (ClosureType, "ghc-prim:GHC.Types.:", None),
            (ClosureType, "TREC_CHUNK", Some(Kind::Transactions)),
            (ClosureType, "DEAD_WEAK", Some(Kind::Weak)),
            (Type, "*", Some(Kind::ThunksOrFunctions)),
            (Type, "STACK", Some(Kind::Stacks)),
            (Type, "[]", None),
            (ClosureDescription, "<Main.sat_s577>", Some(Kind::ThunksOrFunctions)),
            (ClosureDescription, "<Main.sat", None),
            (ClosureDescription, "->", None),
            (CostCentre, "PINNED", Some(Kind::Pinned)),
            (CostCentre, "STACK", None),
        ] {
            assert_eq!((breakdown.traits().kind_of)(label), expected, "{label}");
        }
    }
}
