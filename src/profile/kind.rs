//! What the names of GHC's own say about a band: the kind of its closures.

use serde::Serialize;

/// What a band, or what grows in a heap, is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClosureKind {
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
    /// Weak pointers whose keys have died.
    DeadWeak,
    /// What a transaction has read and written.
    Transactions,
}

impl ClosureKind {
    pub(super) fn of_closure_type(label: &str) -> Option<Self> {
        match label {
            "COMPACT_NFDATA" => Some(ClosureKind::CompactRegion),
            "WEAK" => Some(ClosureKind::Weak),
            "DEAD_WEAK" => Some(ClosureKind::DeadWeak),
            "TREC_CHUNK" => Some(ClosureKind::Transactions),
            "BLACKHOLE" | "AP" | "AP_STACK" | "AP_UPD" | "AP_NOUPD" => {
                Some(ClosureKind::Unevaluated)
            }
            label if label.starts_with("THUNK") => Some(ClosureKind::Unevaluated),
            label => ClosureKind::of_any_closure(label),
        }
    }

    pub(super) fn of_type(label: &str) -> Option<Self> {
        if label == "*" {
            Some(ClosureKind::ThunksOrFunctions)
        } else {
            ClosureKind::of_any_closure(label)
        }
    }

    pub(super) fn of_description(label: &str) -> Option<Self> {
        // GHC writes a thunk's or function's description in angle brackets.
        match label.starts_with('<') && label.ends_with('>') {
            true => Some(ClosureKind::ThunksOrFunctions),
            false => ClosureKind::of_any_closure(label),
        }
    }

    /// The kind of a closure that every break-down by closures or types gives the same name.
    fn of_any_closure(label: &str) -> Option<Self> {
        match label {
            "STACK" | "TSO" => Some(ClosureKind::Stacks),
            "ARR_WORDS" => Some(ClosureKind::Bytes),
            _ => None,
        }
    }

    pub(super) fn of_stack(label: &str) -> Option<Self> {
        (label == "PINNED").then_some(ClosureKind::Pinned)
    }

    /// How an info table is named whose closures are thunks.
    pub(super) fn of_info_table(label: &str) -> Option<Self> {
        label.starts_with("THUNK").then_some(ClosureKind::Unevaluated)
    }

    /// Whether the break-down says nothing about who holds it.
    pub(crate) fn has_no_owner(self) -> bool {
        match self {
            ClosureKind::Pinned | ClosureKind::Bytes => true,
            ClosureKind::Unevaluated
            | ClosureKind::ThunksOrFunctions
            | ClosureKind::Stacks
            | ClosureKind::DoublingArray
            | ClosureKind::CompactRegion
            | ClosureKind::WholeHeap
            | ClosureKind::OutsideBands
            | ClosureKind::Held
            | ClosureKind::OffHeap
            | ClosureKind::Weak
            | ClosureKind::DeadWeak
            | ClosureKind::Transactions => false,
        }
    }

    /// Whether these are weak pointers, whatever became of their keys.
    pub(crate) fn is_weak(self) -> bool {
        matches!(self, ClosureKind::Weak | ClosureKind::DeadWeak)
    }

    /// The words that follow a band's name.
    pub fn words(self) -> &'static str {
        match self {
            ClosureKind::Unevaluated => "unevaluated",
            ClosureKind::ThunksOrFunctions => "unevaluated, or functions: -hT tells which",
            ClosureKind::Stacks => "stacks of threads",
            ClosureKind::Pinned => "pinned bytes: the profiler does not know their owner",
            ClosureKind::Bytes => "bytes of strings and arrays",
            ClosureKind::DoublingArray => "an array that doubles",
            ClosureKind::CompactRegion => "a compact region, filled on purpose",
            ClosureKind::WholeHeap => "no single band",
            ClosureKind::OutsideBands => "in no band",
            ClosureKind::Held => "held, but not live",
            ClosureKind::OffHeap => "outside of GHC's heap",
            ClosureKind::Weak => "weak pointers, whose finalisers have not run",
            ClosureKind::DeadWeak => "weak pointers that are kept after their keys have died",
            ClosureKind::Transactions => {
                "what transactions have read and written, which threads that wait keep"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Breakdown;

    #[test]
    fn kinds_are_recognised_by_label() {
        use Breakdown::{ClosureDescription, ClosureType, CostCentre, Type};
        for (breakdown, label, expected) in [
            (ClosureType, "THUNK_1_1", Some(ClosureKind::Unevaluated)),
            (ClosureType, "AP", Some(ClosureKind::Unevaluated)),
            (ClosureType, "ghc-prim:GHC.Types.:", None),
            (ClosureType, "TREC_CHUNK", Some(ClosureKind::Transactions)),
            (ClosureType, "DEAD_WEAK", Some(ClosureKind::DeadWeak)),
            (Type, "*", Some(ClosureKind::ThunksOrFunctions)),
            (Type, "STACK", Some(ClosureKind::Stacks)),
            (Type, "[]", None),
            (ClosureDescription, "<Main.sat_s577>", Some(ClosureKind::ThunksOrFunctions)),
            (ClosureDescription, "<Main.sat", None),
            (ClosureDescription, "->", None),
            (CostCentre, "PINNED", Some(ClosureKind::Pinned)),
            (CostCentre, "STACK", None),
        ] {
            assert_eq!((breakdown.traits().kind_of)(label), expected, "{label}");
        }
    }
}
