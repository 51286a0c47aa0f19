//! What the bands of a profile stand for.
//!
//! An event log usually states it (`HEAP_PROF_BEGIN`), a `.hp` file never does; then it is inferred
//! from the flags of the program, or else from the labels. Source:
//! `docs/format/eventlog.md#the-break-down`, `docs/format/eventlog.md#labels`, and in a `.hp`
//! `docs/format/hp.md#what-ghc-writes`.

use serde::Serialize;

/// What one band of the profile stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Breakdown {
    /// Cost-centre stacks, `-hc`.
    CostCentre,
    /// Modules, `-hm`.
    Module,
    /// Closure descriptions, `-hd`.
    ClosureDescription,
    /// Types, `-hy`.
    Type,
    /// Retainer sets, `-hr`.
    Retainer,
    /// Phases of life, `-hb`.
    Biography,
    /// Closure types and constructors, `-hT`.
    ClosureType,
    /// Info tables (places in the source), `-hi`.
    InfoTable,
    /// Eras, `-he`.
    Era,
    /// Neither stated in the file nor visible from the labels.
    #[default]
    Unknown,
}

impl Breakdown {
    /// The break-down of a `HEAP_PROF_BEGIN` number (`docs/format/eventlog.md#the-break-down`);
    /// `None` for numbers that no released GHC writes.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            1 => Breakdown::CostCentre,
            2 => Breakdown::Module,
            3 => Breakdown::ClosureDescription,
            4 => Breakdown::Type,
            5 => Breakdown::Retainer,
            6 => Breakdown::Biography,
            7 => Breakdown::ClosureType,
            8 => Breakdown::InfoTable,
            9 => Breakdown::Era,
            _ => return None,
        })
    }

    /// The run-time flag that asks for it, `None` when unknown.
    pub fn flag(self) -> Option<&'static str> {
        Some(match self {
            Breakdown::CostCentre => "-hc",
            Breakdown::Module => "-hm",
            Breakdown::ClosureDescription => "-hd",
            Breakdown::Type => "-hy",
            Breakdown::Retainer => "-hr",
            Breakdown::Biography => "-hb",
            Breakdown::ClosureType => "-hT",
            Breakdown::InfoTable => "-hi",
            Breakdown::Era => "-he",
            Breakdown::Unknown => return None,
        })
    }

    /// In words, as on the chart: `by type`.
    pub fn words(self) -> &'static str {
        match self {
            Breakdown::CostCentre => "by cost-centre stack",
            Breakdown::Module => "by module",
            Breakdown::ClosureDescription => "by closure description",
            Breakdown::Type => "by type",
            Breakdown::Retainer => "by retainer set",
            Breakdown::Biography => "by biography",
            Breakdown::ClosureType => "by closure type",
            Breakdown::InfoTable => "by info table",
            Breakdown::Era => "by era",
            Breakdown::Unknown => "by label",
        }
    }

    /// The break-down that run-time flags ask for: the first `-h` flag whose letter is known and
    /// that has nothing after it (with something after it, it is a filter). `profiled` decides what
    /// `-h` without a letter means.
    pub(crate) fn from_flags<'a>(
        flags: impl IntoIterator<Item = &'a str>,
        profiled: bool,
    ) -> Option<Self> {
        flags.into_iter().find_map(|flag| match flag.strip_prefix("-h")? {
            "" if profiled => Some(Breakdown::CostCentre),
            "" => Some(Breakdown::ClosureType),
            "c" | "C" => Some(Breakdown::CostCentre),
            "m" => Some(Breakdown::Module),
            "d" => Some(Breakdown::ClosureDescription),
            "y" => Some(Breakdown::Type),
            "r" => Some(Breakdown::Retainer),
            "b" => Some(Breakdown::Biography),
            "T" => Some(Breakdown::ClosureType),
            "i" => Some(Breakdown::InfoTable),
            "e" => Some(Breakdown::Era),
            _ => None,
        })
    }

    /// Whether nothing contradicts that the labels are those of cost-centre stacks.
    pub(crate) fn may_be_stacks<'a>(mut labels: impl Iterator<Item = &'a str>) -> bool {
        labels.all(|label| numbered(label).is_some() || label == "MAIN")
    }

    /// The break-down that the labels show; [`Breakdown::Unknown`] if they show none.
    pub(crate) fn from_labels<'a>(labels: impl Iterator<Item = &'a str> + Clone) -> Self {
        let all = |test: fn(&str) -> bool| labels.clone().all(test);
        let any = |test: fn(&str) -> bool| labels.clone().any(test);
        if labels.clone().next().is_none() {
            Breakdown::Unknown
        } else if all(|l| BIOGRAPHY.contains(&l)) {
            Breakdown::Biography
        } else if all(is_address) {
            Breakdown::InfoTable
        } else if all(|l| numbered(l).is_some() || l == "MAIN" || l == "MANY") {
            // Stacks and retainer sets are both "(n)names"; sets are joined by commas, and only
            // stacks have a MAIN without a number.
            match any(|l| l == "MANY" || numbered(l).is_some_and(|text| text.contains(',')))
                && !any(|l| l == "MAIN")
            {
                true => Breakdown::Retainer,
                false => Breakdown::CostCentre,
            }
        } else if all(|l| l.bytes().all(|b| b.is_ascii_digit()) && !l.is_empty()) {
            Breakdown::Era
        } else if any(is_closure_kind) {
            Breakdown::ClosureType
        } else {
            Breakdown::Unknown
        }
    }
}

/// The five bands of a biographical profile, in the order the run-time system writes them.
pub const BIOGRAPHY: [&str; 5] = ["VOID", "LAG", "USE", "INHERENT_USE", "DRAG"];

/// The text after the `(n)` of a stack or retainer-set label.
fn numbered(label: &str) -> Option<&str> {
    let (number, text) = label.strip_prefix('(')?.split_once(')')?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(text)
}

fn is_address(label: &str) -> bool {
    label.strip_prefix("0x").is_some_and(|hex| {
        !hex.is_empty() && hex.len() <= 16 && hex.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// Whether a label is a closure kind that only `-hT` prints. `-hd` and `-hy` share a few of the
/// run-time system's names (`ARR_WORDS`, `PAP`, `BLACKHOLE`, `STACK`, ...), so those prove nothing
/// and are left out.
fn is_closure_kind(label: &str) -> bool {
    const SHAPED: [&str; 3] = ["THUNK", "FUN", "CONSTR"];
    const SHAPES: [&str; 9] =
        ["", "_1_0", "_0_1", "_2_0", "_1_1", "_0_2", "_STATIC", "_NOCAF", "_SELECTOR"];
    SHAPED.iter().any(|kind| label.strip_prefix(kind).is_some_and(|shape| SHAPES.contains(&shape)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(labels: &[&str]) -> Breakdown {
        Breakdown::from_labels(labels.iter().copied())
    }

    #[test]
    fn flags_with_something_after_them_are_filters() {
        assert_eq!(Breakdown::from_flags(["-hcMain", "-hy"], true), Some(Breakdown::Type));
        assert_eq!(Breakdown::from_flags(["-hm{Main}"], true), None);
        assert_eq!(Breakdown::from_flags(["-i0.1", "-h"], true), Some(Breakdown::CostCentre));
        assert_eq!(Breakdown::from_flags(["-h"], false), Some(Breakdown::ClosureType));
        assert_eq!(Breakdown::from_flags(["-hz"], true), None);
    }

    #[test]
    fn an_address_has_one_to_sixteen_digits() {
        assert!(is_address("0x0") && is_address("0x0123456789abcdef"));
        assert!(!is_address("0x") && !is_address("0x00123456789abcdef") && !is_address("0xg"));
    }

    #[test]
    fn break_downs_are_recognised_by_their_labels() {
        assert_eq!(of(&["VOID", "USE", "DRAG"]), Breakdown::Biography);
        assert_eq!(of(&["0x40bea0", "0x7f00"]), Breakdown::InfoTable);
        assert_eq!(of(&["(12)main/CAF", "MAIN"]), Breakdown::CostCentre);
        assert_eq!(of(&["(12)main", "(3)PINNED"]), Breakdown::CostCentre);
        assert_eq!(of(&["(12)main,f", "(3)SYSTEM"]), Breakdown::Retainer);
        assert_eq!(of(&["MANY", "(3)SYSTEM"]), Breakdown::Retainer);
        assert_eq!(of(&["1", "2", "10"]), Breakdown::Era);
        assert_eq!(of(&["THUNK_1_0", "base:GHC.Maybe.Just"]), Breakdown::ClosureType);
        assert_eq!(of(&["Map", "[]", "ARR_WORDS"]), Breakdown::Unknown);
        assert_eq!(of(&[]), Breakdown::Unknown);
        assert_eq!(of(&[""]), Breakdown::Unknown);
        assert_eq!(of(&["VOID", "void"]), Breakdown::Unknown);
        assert_eq!(of(&["0x40bea0", "Map"]), Breakdown::Unknown);
        assert_eq!(of(&["0x40beag"]), Breakdown::Unknown);
        assert_eq!(of(&["(12)main", "Map"]), Breakdown::Unknown);
        assert_eq!(of(&["(1x)main"]), Breakdown::Unknown);
        assert_eq!(of(&["()main"]), Breakdown::Unknown);
        assert_eq!(of(&["1", "1a"]), Breakdown::Unknown);
        assert_eq!(of(&["(1)f,g", "MAIN"]), Breakdown::CostCentre);
    }
}
