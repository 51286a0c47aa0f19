//! What a growing band is made of, where the break-down shows it.

use super::growth::Manner;
use crate::profile::Breakdown;

/// What a suspect is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// Closures that are not evaluated yet: thunks, suspended applications, black holes.
    Unevaluated,
    /// Stacks of threads, and the threads themselves.
    Stacks,
    /// Pinned bytes, whose owner the profiler does not know.
    Pinned,
    /// An array that doubles its size.
    DoublingArray,
    /// A compact region, which the program fills on purpose.
    CompactRegion,
    /// All bands together, because no single band shows it.
    WholeHeap,
    /// Live bytes in no band.
    OutsideBands,
}

impl Kind {
    /// The kind of a band, from its label and the way it grows.
    pub fn of(breakdown: Breakdown, label: &str, manner: Manner) -> Option<Self> {
        if manner == Manner::Doubling {
            return Some(Kind::DoublingArray);
        }
        let by_closure = matches!(
            breakdown,
            Breakdown::ClosureType | Breakdown::Type | Breakdown::ClosureDescription
        );
        if by_closure && matches!(label, "STACK" | "TSO") {
            return Some(Kind::Stacks);
        }
        match breakdown {
            Breakdown::ClosureType => match label {
                "COMPACT_NFDATA" => Some(Kind::CompactRegion),
                "BLACKHOLE" | "AP" | "AP_STACK" | "AP_UPD" | "AP_NOUPD" => Some(Kind::Unevaluated),
                label if label.starts_with("THUNK") => Some(Kind::Unevaluated),
                _ => None,
            },
            Breakdown::Type => (label == "*").then_some(Kind::Unevaluated),
            // GHC writes a thunk's or function's description in angle brackets.
            Breakdown::ClosureDescription => {
                (label.starts_with('<') && label.ends_with('>')).then_some(Kind::Unevaluated)
            }
            Breakdown::CostCentre => (label == "PINNED").then_some(Kind::Pinned),
            _ => None,
        }
    }

    /// The words that follow a band's name.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Unevaluated => "unevaluated",
            Kind::Stacks => "stacks of threads",
            Kind::Pinned => "pinned bytes: the profiler does not know their owner",
            Kind::DoublingArray => "an array that doubles",
            Kind::CompactRegion => "a compact region, filled on purpose",
            Kind::WholeHeap => "no single band",
            Kind::OutsideBands => "in no band",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_recognised_by_label() {
        use Breakdown::{ClosureDescription, ClosureType, CostCentre, Type};
        let kind = |breakdown, label| Kind::of(breakdown, label, Manner::Steady);
        for (breakdown, label, expected) in [
            (ClosureType, "THUNK_1_1", Some(Kind::Unevaluated)),
            (ClosureType, "AP", Some(Kind::Unevaluated)),
            (ClosureType, "ghc-prim:GHC.Types.:", None),
            (Type, "*", Some(Kind::Unevaluated)),
            (Type, "STACK", Some(Kind::Stacks)),
            (Type, "[]", None),
            (ClosureDescription, "<Main.sat_s577>", Some(Kind::Unevaluated)),
            (CostCentre, "PINNED", Some(Kind::Pinned)),
            (CostCentre, "STACK", None),
        ] {
            assert_eq!(kind(breakdown, label), expected, "{label}");
        }
        let doubling = Kind::of(ClosureType, "ARR_WORDS", Manner::Doubling);
        assert_eq!(doubling, Some(Kind::DoublingArray));
    }
}
