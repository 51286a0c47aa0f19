//! The bands that grow to the end of the run, as readers see them.

use serde::Serialize;

use super::growth::{Manner, Rise};
use super::movements::{Heap, Moved, Movement};
use super::robust::{Slope, ascending};
use super::rows::{Rows, Sums};
use crate::base::units::Nanos;
use crate::profile::Breakdown;

/// A curve that grows to the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grower {
    /// The row of the profile; `None` for all bands together.
    pub row: Option<usize>,
    pub rise: Rise,
    /// Bytes a second, or a sample where samples have no times.
    pub rate: Slope,
    /// Bytes a second of running time without collections, if the log has it.
    pub running_rate: Option<f64>,
    /// Bytes of each byte that the program allocated meanwhile, if the log has it.
    pub kept: Option<f64>,
    /// What it holds in the last sample, in bytes.
    pub at_end: f64,
}

/// A band that grows to the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Suspect {
    /// Its number among the bands of the profile; `None` if it is not a band.
    #[serde(rename = "id")]
    pub row: Option<usize>,
    /// Its label.
    pub label: String,
    /// The number of bytes that it grew by.
    pub grew: u64,
    /// Its share of all that grew, in percent.
    pub share_percent: f64,
    /// Bytes a second, or a sample where samples have no times.
    #[serde(rename = "rate_bytes_per_s")]
    pub rate: f64,
    /// The same with a 95 % interval.
    #[serde(skip)]
    pub interval: Slope,
    /// Bytes a second of running time without collections, if the log has collections.
    #[serde(rename = "rate_bytes_per_mutator_s")]
    pub running_rate: Option<f64>,
    /// What it kept of all that was allocated meanwhile, in percent, if the log counts allocation.
    pub kept_percent: Option<f64>,
    /// When the growth begins; `None` where samples have no times.
    #[serde(rename = "since_ns")]
    pub since: Option<Nanos>,
    /// The number in the run of the sample with which it begins, from 1.
    pub since_sample: usize,
    /// Whether that is the first sample that is shown.
    #[serde(skip)]
    pub from_start: bool,
    /// What it holds at the end, in bytes.
    pub at_end: u64,
    /// How many closures that is, if its label says how large one is.
    pub objects: Option<u64>,
    /// What it is made of, if that can be seen.
    pub kind: Option<Kind>,
    /// Where in the source it is made, as `file:line:column`, if that is known.
    pub place: Option<String>,
}

/// What a suspect is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// Closures that are not evaluated yet: thunks, suspended applications, black holes.
    Unevaluated,
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
}

impl Kind {
    /// The kind of a band, from its label and the way it grows.
    pub(crate) fn of(breakdown: Breakdown, label: &str, manner: Manner) -> Option<Self> {
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
        if by_closure && label == "ARR_WORDS" {
            return Some(Kind::Bytes);
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
            // How an info table is named whose closures are thunks.
            Breakdown::InfoTable => label.starts_with("THUNK").then_some(Kind::Unevaluated),
            _ => None,
        }
    }

    /// Whether the break-down says nothing about who holds it.
    pub(super) fn has_no_owner(self) -> bool {
        matches!(self, Kind::Pinned | Kind::Bytes)
    }

    /// The words that follow a band's name.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Unevaluated => "unevaluated",
            Kind::Stacks => "stacks of threads",
            Kind::Pinned => "pinned bytes: the profiler does not know their owner",
            Kind::Bytes => "bytes of strings and arrays",
            Kind::DoublingArray => "an array that doubles",
            Kind::CompactRegion => "a compact region, filled on purpose",
            Kind::WholeHeap => "no single band",
            Kind::OutsideBands => "in no band",
        }
    }
}

impl Suspect {
    /// What grows, as readers see it: its share is of so many bytes.
    pub(super) fn of(rows: &Rows<'_>, heap: &Heap, grower: &Grower, gain: f64) -> Self {
        let label = grower.row.map_or("all bands together", |row| rows.label(row));
        let kind = match grower.row {
            Some(_) => Kind::of(rows.breakdown(), label, grower.rise.manner),
            None => Some(Kind::WholeHeap),
        };
        let since = heap.samples[grower.rise.since];
        Suspect {
            row: grower.row,
            label: label.to_owned(),
            grew: grower.rise.gain as u64,
            share_percent: 100.0 * grower.rise.gain / gain,
            rate: grower.rate.middle,
            interval: grower.rate,
            running_rate: grower.running_rate,
            kept_percent: grower.kept.map(|kept| 100.0 * kept),
            since: rows.when(since),
            since_sample: rows.number(since),
            from_start: grower.rise.since == 0,
            at_end: grower.at_end as u64,
            objects: objects(rows.breakdown(), label, grower.at_end as u64),
            kind,
            place: grower.row.and_then(|row| rows.place(row)),
        }
    }
}

/// The bands that gained most while the whole heap grew, each at least a tenth of it, and that still hold half of
/// what they gained.
pub(super) fn gainers(
    rows: &Rows<'_>,
    heap: &Heap,
    whole: &Suspect,
    change: &Movement,
) -> Vec<Suspect> {
    let mut at_end = vec![0; rows.count()];
    if let Some(&last) = heap.samples.last() {
        Sums::new(rows).of(last, |row, size| at_end[row] = size);
    }
    let one = |moved: &Moved| {
        let grew = moved.change.unsigned_abs();
        let share = grew as f64 / whole.grew.max(1) as f64;
        Suspect {
            row: Some(moved.row),
            label: moved.label.clone(),
            grew,
            share_percent: 100.0 * share,
            rate: whole.rate * share,
            interval: whole.interval.scaled(share),
            running_rate: whole.running_rate.map(|rate| rate * share),
            kept_percent: whole.kept_percent.map(|kept| kept * share),
            at_end: at_end[moved.row],
            objects: objects(rows.breakdown(), &moved.label, at_end[moved.row]),
            kind: Kind::of(rows.breakdown(), &moved.label, Manner::Steady),
            place: rows.place(moved.row),
            ..whole.clone()
        }
    };
    let is_wanted = |moved: &&Moved| {
        moved.change >= (whole.grew / 10) as i64 && at_end[moved.row] >= moved.change as u64 / 2
    };
    change.bands.iter().filter(is_wanted).map(one).collect()
}

/// How many closures have this size together, where the label of a profile by closure type says how large one
/// is: `THUNK_1_0` is a thunk with one pointer, and `:` has a head and a tail. A census does not count the words
/// that profiling adds.
fn objects(breakdown: Breakdown, label: &str, bytes: u64) -> Option<u64> {
    /// Of the 64-bit machines that GHC's programs run on.
    const WORD: u64 = 8;
    const CONSTRUCTORS: [(&str, u64); 7] = [
        ("GHC.Types.:", 2),
        ("GHC.Types.I#", 1),
        ("GHC.Types.D#", 1),
        ("GHC.Types.W#", 1),
        ("GHC.Maybe.Just", 1),
        ("GHC.Tuple.(,)", 2),
        ("GHC.Tuple.Prim.(,)", 2),
    ];
    if breakdown != Breakdown::ClosureType {
        return None;
    }
    let fields = |name: &str| -> Option<u64> {
        let (pointers, others) = label.strip_prefix(name)?.split_once('_')?;
        let fields = pointers.parse::<u64>().ok()?.checked_add(others.parse().ok()?)?;
        // GHC has names for up to two.
        (fields <= 2).then_some(fields)
    };
    // Before what it captured, a thunk has a word in which its value will be.
    let thunk = fields("THUNK_").map(|fields| 2 + fields);
    let function = fields("FUN_").map(|fields| 1 + fields);
    let constructor = || {
        let (package, name) = label.split_once(':')?;
        let is_base = ["base", "ghc-prim", "ghc-internal"].iter().any(|base| {
            package.strip_prefix(base).is_some_and(|v| v.is_empty() || v.starts_with('-'))
        });
        let name =
            name.strip_prefix("GHC.Internal.").map_or(name.to_owned(), |n| format!("GHC.{n}"));
        let (_, fields) = CONSTRUCTORS.iter().find(|(known, _)| *known == name)?;
        is_base.then_some(1 + fields)
    };
    let words = thunk.or(function).or_else(constructor)?;
    Some(bytes / (WORD * words))
}

/// A band that grows in proportion to a suspect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InStep {
    /// Its label.
    pub label: String,
    /// The number of bytes that it grew by.
    pub grew: u64,
    /// Where in the source it is made, as `file:line:column`, if that is known.
    pub place: Option<String>,
}

/// How closely two curves must agree to be in step: the correlation of their samples.
const IN_STEP: f64 = 0.97;
/// The samples that are compared, the least growth in bytes that is more than a few closures, and the
/// most bands that are listed.
const COMPARED: usize = 64;
const LEAST_IN_STEP: f64 = 1024.0;
const MOST_IN_STEP: usize = 5;

/// The bands that grow in proportion to a row over some samples, most bytes first. They may be a
/// thousand times smaller: a slice keeps a whole buffer.
pub(super) fn in_step(rows: &Rows<'_>, samples: &[usize], suspect: usize) -> Vec<InStep> {
    #[derive(Clone, Copy, Default)]
    struct Sums {
        y: f64,
        yy: f64,
        xy: f64,
        first: f64,
        last: f64,
    }
    let step = samples.len().div_ceil(COMPARED).max(1);
    let asked: Vec<usize> = samples.iter().rev().step_by(step).rev().copied().collect();
    let mut of_row = vec![Sums::default(); rows.count()];
    let (mut x_sum, mut xx_sum) = (0.0, 0.0);
    let (mut sums, mut sizes) = (super::rows::Sums::new(rows), Vec::new());
    for (at, &sample) in asked.iter().enumerate() {
        sizes.clear();
        sums.of(sample, |row, size| sizes.push((row, size as f64)));
        let x = sizes.iter().find(|(row, _)| *row == suspect).map_or(0.0, |(_, size)| *size);
        (x_sum, xx_sum) = (x_sum + x, xx_sum + x * x);
        for &(row, y) in &sizes {
            let of_row = &mut of_row[row];
            (of_row.y, of_row.yy, of_row.xy) = (of_row.y + y, of_row.yy + y * y, of_row.xy + x * y);
            of_row.first += if at == 0 { y } else { 0.0 };
            of_row.last += if at + 1 == asked.len() { y } else { 0.0 };
        }
    }
    let n = asked.len() as f64;
    let agrees = |sums: &Sums| {
        let (x_range, y_range) = (n * xx_sum - x_sum * x_sum, n * sums.yy - sums.y * sums.y);
        // Rounding can make the range of what is level negative, and its root no number.
        let ranges = x_range.sqrt() * y_range.sqrt();
        ranges > 0.0 && (n * sums.xy - x_sum * sums.y) / ranges >= IN_STEP
    };
    let grew = |row: usize| of_row[row].last - of_row[row].first;
    let mut found: Vec<usize> = (0..of_row.len())
        .filter(|&row| row != suspect && rows.takes_part(row))
        .filter(|&row| grew(row) >= LEAST_IN_STEP && agrees(&of_row[row]))
        .collect();
    found.sort_by(|&a, &b| ascending(&grew(b), &grew(a)).then(a.cmp(&b)));
    let one = |&row: &usize| InStep {
        label: rows.label(row).to_owned(),
        grew: grew(row) as u64,
        place: rows.place(row),
    };
    found.iter().take(MOST_IN_STEP).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::grown;
    use crate::slice::Slice;

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
            (ClosureDescription, "<Main.sat", None),
            (ClosureDescription, "->", None),
            (CostCentre, "PINNED", Some(Kind::Pinned)),
            (CostCentre, "STACK", None),
        ] {
            assert_eq!(kind(breakdown, label), expected, "{label}");
        }
        let doubling = Kind::of(ClosureType, "ARR_WORDS", Manner::Doubling);
        assert_eq!(doubling, Some(Kind::DoublingArray));
    }

    #[test]
    fn closures_are_counted_where_their_size_is_certain() {
        let counted = |label: &str| objects(Breakdown::ClosureType, label, 4800);
        assert_eq!(counted("THUNK_1_0"), Some(200));
        assert_eq!(counted("FUN_0_1"), Some(300));
        assert_eq!(counted("ghc-prim:GHC.Types.:"), Some(200));
        assert_eq!(counted("ghc-internal:GHC.Internal.Maybe.Just"), Some(300));
        assert_eq!(counted("base-4.15:GHC.Maybe.Just"), Some(300));
        for label in [
            "THUNK",
            "THUNK_",
            "FUN",
            "THUNK_18446744073709551615_0",
            "ARR_WORDS",
            "main:GHC.Types.:",
            "other:Map.Bin",
            ":",
        ] {
            assert_eq!(counted(label), None, "{label}");
        }
        assert_eq!(objects(Breakdown::Type, "THUNK_1_0", 4800), None);
    }

    #[test]
    fn what_grows_in_step_grows_in_proportion() {
        let band =
            |of: &dyn Fn(f64) -> f64| -> Vec<f64> { (0..101).map(|i| of(f64::from(i))).collect() };
        // In every other of the samples that are compared.
        let wave = |i: f64| if i as usize % 4 < 2 { 1.0 } else { 0.0 };
        let bands = [
            ("suspect", band(&|i| 10_000.0 + 1000.0 * i)),
            ("small", band(&|i| 50.0 + 11.0 * i)),
            ("half", band(&|i| 7.0 + 500.0 * i)),
            ("tiny", band(&|i| 5.0 + 10.0 * i)),
            ("near", band(&|i| 200.0 * i + 1500.0 * wave(i))),
            ("wave", band(&|i| 300.0 * i + 20_000.0 * wave(i))),
            ("falls", band(&|i| 100_000.0 - 500.0 * i)),
            ("level", band(&|_| 2000.0)),
            ("between", band(&|i| 400.0 * i + if i as usize % 2 == 1 { 1e6 } else { 0.0 })),
        ];
        let bands: Vec<(&str, &[f64])> =
            bands.iter().map(|(name, band)| (*name, &band[..])).collect();
        let profile = grown(&bands, 1.0);
        let slice = Slice::whole(&profile);
        let in_step = |row: usize| in_step(&Rows::of(&slice), &(0..101).collect::<Vec<_>>(), row);
        let found = in_step(0);
        let found: Vec<_> = found.iter().map(|one| (&*one.label, one.grew)).collect();
        // What happens between the samples that are compared does not matter.
        let all = [("half", 50_000), ("between", 40_000), ("near", 20_000), ("small", 1100)];
        assert_eq!(found, all);
        // Nothing falls with the one that does, and nothing is in step with what is level.
        assert_eq!((in_step(6), in_step(7)), (vec![], vec![]));
    }
}
