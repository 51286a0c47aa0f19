//! What the bands of a profile stand for.
//!
//! An event log usually states it (`HEAP_PROF_BEGIN`), a `.hp` file never does; then it is inferred
//! from the flags of the program, or else from the labels. Source:
//! `docs/format/eventlog.md#the-break-down`, `docs/format/eventlog.md#labels`, and in a `.hp`
//! `docs/format/hp.md#what-ghc-writes`.

use serde::Serialize;

use super::ClosureKind;
use super::glossary::{self, Glossary};

/// What one band of the profile stands for, with its number in `HEAP_PROF_BEGIN`
/// (`docs/format/eventlog.md#the-break-down`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Breakdown {
    /// Cost-centre stacks, `-hc`.
    CostCentre = 1,
    /// Modules, `-hm`.
    Module = 2,
    /// Closure descriptions, `-hd`.
    ClosureDescription = 3,
    /// Types, `-hy`.
    Type = 4,
    /// Retainer sets, `-hr`.
    Retainer = 5,
    /// Phases of life, `-hb`.
    Biography = 6,
    /// Closure types and constructors, `-hT`.
    ClosureType = 7,
    /// Info tables (places in the source), `-hi`.
    InfoTable = 8,
    /// Eras, `-he`.
    Era = 9,
    /// Neither stated in the file nor visible from the labels.
    #[default]
    Unknown = 0,
}

/// What distinguishes a break-down from others. What its bands are made of is in `band.rs`. A page of the
/// report is sent what it uses of this.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Traits {
    /// The run-time flags that ask for it, the usual one first.
    #[serde(skip)]
    flags: &'static [&'static str],
    #[serde(skip)]
    words: &'static str,
    /// What a band is, in a sentence or two.
    meaning: &'static str,
    /// A sentence about the band whose name replaces `{}`; empty where a band has more than a name.
    sentence: &'static str,
    /// The tables that explain the special names among its bands.
    #[serde(skip)]
    pub glossary: &'static [Glossary],
    /// What the names of its bands are.
    pub names: BandNames,
    #[serde(skip)]
    pub tells: Tells,
    /// The kind of closures that a band of this name has, if the name tells.
    #[serde(skip)]
    pub kind_of: fn(&str) -> Option<ClosureKind>,
    /// Whether a band of this name has functions of the program as values.
    #[serde(skip)]
    pub is_function: fn(&str) -> bool,
    /// Whether the names of GHC's own closures state their sizes.
    #[serde(skip)]
    pub states_sizes: bool,
    /// Whether functions of the program are in the names, which a change of its source renames.
    #[serde(skip)]
    pub names_functions: bool,
    /// Whether a name has another number at every census, so that equal texts are one row.
    pub is_renumbered: bool,
    /// Whether logs lack the bands of the break-down.
    #[serde(skip)]
    pub is_missing_in_logs: bool,
}

/// What the names of bands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BandNames {
    /// Something that is the same in every run.
    Texts,
    /// Stacks, in a `.hp` with a number, by which a report of the same run completes them.
    Stacks,
    /// Retainer sets, which a report of the same run completes.
    RetainerSets,
    Addresses,
    Numbers,
}

/// What the bands tell about the data, so that others have to tell the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    /// Which code made the data.
    Maker,
    /// Which line of the source made it, of programs that are not built for profiling, too.
    Place,
    /// What the closures are.
    Content,
    /// What keeps the data alive.
    Holder,
    /// When it was made. Such a band grows for a part of the run only.
    Age,
    /// In which phase of its life it is.
    Phase,
    Unknown,
}

impl Traits {
    /// What a name of GHC's own means, in a sentence without a full stop; `None` of other names.
    pub(crate) fn sentence_of(&self, label: &str) -> Option<&'static str> {
        let (_, sentence) = glossary::meaning(self.glossary, &[label])?;
        Some(sentence.trim_end_matches('.'))
    }
}

/// The traits that most break-downs have.
const USUAL: Traits = Traits {
    flags: &[],
    words: "by label",
    meaning: "The file does not say what its bands are.",
    sentence: "",
    glossary: &[glossary::CLOSURES, glossary::TYPES],
    names: BandNames::Texts,
    tells: Tells::Unknown,
    kind_of: |_| None,
    is_function: |_| false,
    states_sizes: false,
    names_functions: false,
    is_renumbered: false,
    is_missing_in_logs: false,
};

impl Breakdown {
    pub(crate) const ALL: [Breakdown; 10] = [
        Breakdown::CostCentre,
        Breakdown::Module,
        Breakdown::ClosureDescription,
        Breakdown::Type,
        Breakdown::Retainer,
        Breakdown::Biography,
        Breakdown::ClosureType,
        Breakdown::InfoTable,
        Breakdown::Era,
        Breakdown::Unknown,
    ];

    pub(crate) const fn traits(self) -> &'static Traits {
        match self {
            Breakdown::CostCentre => &Traits {
                flags: &["-hc", "-hC"],
                words: "by cost-centre stack",
                meaning: "A band is a cost-centre stack: the code that allocated the closures, and what \
                          called it. It says who made the data, not who keeps it.",
                glossary: &[glossary::CENTRES],
                names: BandNames::Stacks,
                tells: Tells::Maker,
                kind_of: ClosureKind::of_stack,
                names_functions: true,
                ..USUAL
            },
            Breakdown::Module => &Traits {
                flags: &["-hm"],
                words: "by module",
                meaning: "A band is a module: the code of that module allocated the closures. It says \
                          who made the data, not who keeps it.",
                glossary: &[glossary::CENTRES],
                tells: Tells::Maker,
                ..USUAL
            },
            Breakdown::ClosureDescription => &Traits {
                flags: &["-hd"],
                words: "by closure description",
                meaning: "A band is a closure description: the constructor's name, or the function that \
                          a thunk or closure belongs to.",
                tells: Tells::Content,
                kind_of: ClosureKind::of_description,
                ..USUAL
            },
            Breakdown::Type => &Traits {
                flags: &["-hy"],
                words: "by type",
                meaning: "A band is a type: * stands for types that are not known at run time, a name \
                          with -> for functions, BLACKHOLE for thunks that are being evaluated.",
                tells: Tells::Content,
                kind_of: ClosureKind::of_type,
                is_function: |label| label == "->",
                ..USUAL
            },
            Breakdown::Retainer => &Traits {
                flags: &["-hr"],
                words: "by retainer set",
                meaning: "A band is a set of retainers: what keeps the closures alive, such as threads, \
                          thunks and mutable variables, named by their cost centres.",
                glossary: &[glossary::CENTRES],
                names: BandNames::RetainerSets,
                tells: Tells::Holder,
                is_renumbered: true,
                is_missing_in_logs: true,
                ..USUAL
            },
            Breakdown::Biography => &Traits {
                flags: &["-hb"],
                words: "by biography",
                meaning: "A band is a phase of life. VOID was never used, DRAG was used for the last time \
                          but is still alive: both are waste. LAG is not used yet, USE is in use.",
                glossary: &[glossary::PHASES],
                tells: Tells::Phase,
                is_missing_in_logs: true,
                ..USUAL
            },
            Breakdown::ClosureType => &Traits {
                flags: &["-hT"],
                words: "by closure type",
                meaning: "A band is a constructor, or a kind of closure that the run-time system knows. \
                          Many thunks mean work that was postponed.",
                tells: Tells::Content,
                kind_of: ClosureKind::of_closure_type,
                is_function: |label| label.starts_with("FUN"),
                states_sizes: true,
                ..USUAL
            },
            Breakdown::InfoTable => &Traits {
                flags: &["-hi"],
                words: "by info table",
                meaning: "A band is an info table: one place in the source that makes closures. Places \
                          are known for code that was compiled with -finfo-table-map.",
                names: BandNames::Addresses,
                tells: Tells::Place,
                kind_of: ClosureKind::of_info_table,
                names_functions: true,
                ..USUAL
            },
            Breakdown::Era => &Traits {
                flags: &["-he"],
                words: "by era",
                meaning: "A band is an era, a stretch of the run: the closures that were created in it. \
                          Whatever remains of an early era is old data that is still alive.",
                sentence: "Closures that were created in era {}.",
                glossary: &[],
                names: BandNames::Numbers,
                tells: Tells::Age,
                ..USUAL
            },
            Breakdown::Unknown => &USUAL,
        }
    }

    /// The break-down of a `HEAP_PROF_BEGIN` number; `None` for numbers that no released GHC writes.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|&breakdown| number != 0 && breakdown as u32 == number)
    }

    /// The run-time flag that asks for it, `None` when unknown.
    pub fn flag(self) -> Option<&'static str> {
        self.traits().flags.first().copied()
    }

    /// In words, as on the chart: `by type`.
    pub fn words(self) -> &'static str {
        self.traits().words
    }

    /// The break-down that run-time flags ask for: the first `-h` flag whose letter is known and
    /// that has nothing after it (with something after it, it is a filter). `profiled` decides what
    /// `-h` without a letter means.
    pub(crate) fn from_flags<'a>(
        flags: impl IntoIterator<Item = &'a str>,
        profiled: bool,
    ) -> Option<Self> {
        flags.into_iter().find_map(|flag| match flag {
            "-h" if profiled => Some(Breakdown::CostCentre),
            "-h" => Some(Breakdown::ClosureType),
            flag => Self::ALL.into_iter().find(|asked| asked.traits().flags.contains(&flag)),
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
