//! The bands that findings are about. *Suspects* grow to the end of the run. *Climbs* rose steadily
//! for a fifth of the run or more and then fell or stayed level, as later samples show: they are
//! not leaks, but readers want to know about them, so they are reported, and no check fails because
//! of them. Bands that rise in this way to the end are also reported if the verdict does not accuse
//! them.

use serde::Serialize;

use super::figures::Totals;
use super::growth::{Curve, blocks};
use super::growth::{Manner, climbs_by_chance, drift};
use super::robust::{self, Slope, ascending, median_of};
use super::rows::{Rows, Sums};
use super::verdict::{Candidate, Finding, Grower};
use crate::base::units::Nanos;
use crate::profile::Breakdown;

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

/// A band that rose steadily and then fell back or stayed level.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Climb {
    /// Its number among the bands of the profile.
    #[serde(rename = "id")]
    pub row: usize,
    /// Its label.
    pub label: String,
    /// The number of bytes that it rose by.
    pub rose: u64,
    /// When it began; `None` where samples have no times.
    #[serde(rename = "from_ns")]
    pub from: Option<Nanos>,
    /// When it was highest; `None` where samples have no times.
    #[serde(rename = "to_ns")]
    pub to: Option<Nanos>,
    /// The number in the run of the sample it began with, from 1.
    pub from_sample: usize,
    /// The number of its highest sample.
    pub to_sample: usize,
    /// What happened after it.
    pub after: After,
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

/// What a finding accuses, as readers see it.
pub(super) fn suspects(rows: &Rows<'_>, totals: &Totals, finding: &Finding) -> Vec<Suspect> {
    let one = |grower: &Grower| {
        let label = grower.row.map_or("all bands together", |row| rows.label(row));
        let kind = match grower.row {
            Some(_) => Kind::of(rows.breakdown(), label, grower.manner),
            None => Some(Kind::WholeHeap),
        };
        Suspect {
            row: grower.row,
            label: label.to_owned(),
            grew: grower.bytes as u64,
            share_percent: 100.0 * grower.bytes / finding.bytes,
            rate: grower.rate.middle,
            interval: grower.rate,
            running_rate: grower.running_rate,
            kept_percent: grower.kept.map(|kept| 100.0 * kept),
            since: rows.when(grower.since),
            since_sample: rows.number(grower.since),
            from_start: grower.since == 0,
            at_end: grower.at_end as u64,
            objects: objects(rows.breakdown(), label, grower.at_end as u64),
            kind,
            place: grower.row.and_then(|row| rows.place(row)),
        }
    };
    let mut suspects: Vec<Suspect> = finding.growers.iter().map(one).collect();
    // The heap grows, but no single band does: the bands that gained most show where to look.
    if let [Suspect { row: None, .. }] = suspects[..]
        && rows.breakdown() != Breakdown::Era
    {
        let since = finding.growers[0].since;
        suspects.extend(gainers(rows, totals, &suspects[0], since));
    }
    suspects
}

/// The bands that gained most since a sample, each at least a tenth of the heap's growth.
fn gainers(rows: &Rows<'_>, totals: &Totals, whole: &Suspect, since: usize) -> Vec<Suspect> {
    let mut gained = vec![0i128; rows.count()];
    let mut at_end = vec![0; rows.count()];
    let last = totals.all.iter().rposition(|&bytes| bytes > 0).unwrap_or(0);
    let mut sums = Sums::new(rows);
    sums.of(since, |row, size| gained[row] -= i128::from(size));
    sums.of(last, |row, size| {
        gained[row] += i128::from(size);
        at_end[row] = size;
    });
    let mut order: Vec<usize> = (0..rows.count())
        .filter(|&row| {
            rows.takes_part(row) && gained[row] > 0 && gained[row] >= i128::from(whole.grew / 10)
        })
        .collect();
    order.sort_by_key(|&row| (std::cmp::Reverse(gained[row]), row));
    let one = |row: usize| {
        let grew = u64::try_from(gained[row]).unwrap_or(u64::MAX);
        let share = grew as f64 / whole.grew.max(1) as f64;
        Suspect {
            row: Some(row),
            label: rows.label(row).to_owned(),
            grew,
            share_percent: 100.0 * share,
            rate: whole.rate * share,
            interval: whole.interval.scaled(share),
            running_rate: whole.running_rate.map(|rate| rate * share),
            kept_percent: whole.kept_percent.map(|kept| kept * share),
            at_end: at_end[row],
            objects: objects(rows.breakdown(), rows.label(row), at_end[row]),
            kind: Kind::of(rows.breakdown(), rows.label(row), Manner::Steady),
            place: rows.place(row),
            ..whole.clone()
        }
    };
    order.into_iter().take(8).map(one).collect()
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

/// A rise over the samples that were judged, as readers see it.
pub(super) fn climb(rows: &Rows<'_>, rise: &Rise, picks: &[usize]) -> Climb {
    let (since, until) = (picks[rise.since], picks[rise.until]);
    Climb {
        row: rise.row,
        label: rows.label(rise.row).to_owned(),
        rose: rise.bytes as u64,
        from: rows.when(since),
        to: rows.when(until),
        from_sample: rows.number(since),
        to_sample: rows.number(until),
        after: rise.after,
    }
}

/// What happened after a climb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum After {
    /// It fell by most of the amount that it had risen.
    GivenBack,
    /// It stayed level.
    Level,
}

/// A rise that ended before the run did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rise {
    pub row: usize,
    /// The number of bytes that it rose by.
    pub bytes: f64,
    /// The sample it began with.
    pub since: usize,
    /// Its highest sample, or the first one near that if the band stayed there.
    pub until: usize,
    /// What happened after it.
    pub after: After,
}

/// How much a band has to rise to be reported, in bytes.
fn least_rise(peak: f64) -> f64 {
    0.15 * peak
}

/// What bands that rose steadily did then, most bytes first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rises {
    /// Those that ended before the run did, as later samples show.
    pub ended: Vec<Rise>,
    /// The rows that still rise at the end, and by how many bytes they did.
    pub going_on: Vec<(usize, f64)>,
}

/// The rises of some bands over a run. `axis` is the time of each sample, of which the first `judged`
/// are before the exit, and `peak` is the highest residency of the heap.
pub(super) fn rises(axis: &[f64], judged: usize, peak: f64, candidates: &[Candidate]) -> Rises {
    let mut found = Rises::default();
    for candidate in candidates {
        match rise(axis, judged, peak, candidate) {
            Some((rise, true)) => found.ended.push(rise),
            Some((rise, false)) => found.going_on.push((rise.row, rise.bytes)),
            None => {}
        }
    }
    found.ended.sort_by(|a, b| ascending(&b.bytes, &a.bytes));
    found.going_on.sort_by(|a, b| ascending(&b.1, &a.1));
    found
}

/// How a band rises, and whether that has ended.
fn rise(axis: &[f64], judged: usize, peak: f64, candidate: &Candidate) -> Option<(Rise, bool)> {
    let values = &candidate.values[..judged];
    // A band that never held this much cannot have risen by it; this rules out most bands.
    if robust::highest(values) < least_rise(peak) {
        return None;
    }
    let highest = (0..values.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    let low = robust::lowest(&values[..=highest]);
    let bytes = values[highest] - low;
    if bytes < least_rise(peak) {
        return None;
    }
    let since = values[..=highest].iter().rposition(|&value| value <= low + 0.05 * bytes)?;
    let (end, run) = (axis[axis.len() - 1], axis[axis.len() - 1] - axis[0]);
    if axis[highest] - axis[since] < 0.2 * run || highest - since < 8 {
        return None;
    }
    let curve = Curve::new(&axis[since..=highest], &values[since..=highest]);
    let (strength, _) = drift(&blocks(&curve.times, &curve.values, 8))?;
    if strength < 3.0 || climbs_by_chance(&curve.values) > 0.02 {
        return None;
    }
    // The highest sample of a level band can be its last one; then what follows the first one near it
    // counts, without the exit.
    let shown = |until: usize, samples: usize, end: f64| {
        samples - until >= 4 && end - axis[until] >= run / 16.0
    };
    let near = values[since..].iter().position(|&value| value >= low + 0.95 * bytes)? + since;
    let (until, later, is_shown) = match shown(highest, axis.len(), end) {
        true => (highest, &candidate.values[highest..axis.len()], true),
        false => (near, &values[near..], shown(near, judged, axis[judged - 1])),
    };
    let after =
        if robust::lowest(later) < low + 0.3 * bytes { After::GivenBack } else { After::Level };
    let (first, second) = later.split_at(later.len() / 2);
    let gained = median_of(second.iter().copied()) - median_of(first.iter().copied());
    let ended = is_shown && (after == After::GivenBack || gained < 0.015 * bytes);
    Some((Rise { row: candidate.row, bytes, since, until, after }, ended))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{growing, grown};
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

    /// What a band of so many samples, one a second, does in a heap with this peak; the samples before the
    /// exit are judged. How much it rises, between which samples, what comes after, and whether it has ended.
    fn risen(
        (samples, judged): (usize, usize),
        peak: f64,
        of: &dyn Fn(usize) -> f64,
    ) -> Option<(f64, usize, usize, After, bool)> {
        let axis: Vec<f64> = (0..samples).map(|i| 1000.0 + i as f64).collect();
        let candidate = Candidate { row: 3, values: (0..samples).map(of).collect() };
        let (rise, ended) = rise(&axis, judged, peak, &candidate)?;
        assert_eq!(rise.row, 3);
        Some((rise.bytes, rise.since, rise.until, rise.after, ended))
    }

    /// From 100 to 1100 between two samples, then by so much lower or higher.
    fn ramp(from: usize, to: usize, then: f64) -> impl Fn(usize) -> f64 {
        move |i| match i {
            i if i < from => 100.0,
            i if i <= to => 100.0 + 1000.0 * (i - from) as f64 / (to - from) as f64,
            _ => 1100.0 + then,
        }
    }

    #[test]
    fn a_rise_has_ended_if_later_samples_show_it() {
        use After::{GivenBack, Level};
        let whole = (101, 101);
        for (run, then, found) in [
            (whole, ramp(20, 60, -1.0), Some((1000.0, 22, 60, Level, true))),
            // It gives back seven tenths, or a little less.
            (whole, ramp(20, 60, -701.0), Some((1000.0, 22, 60, GivenBack, true))),
            (whole, ramp(20, 60, -699.0), Some((1000.0, 22, 60, Level, true))),
            // A sixteenth of the run and four samples show the end; fewer do not.
            (whole, ramp(20, 93, -701.0), Some((1000.0, 23, 93, GivenBack, true))),
            (whole, ramp(20, 94, -701.0), Some((1000.0, 23, 91, GivenBack, true))),
            ((40, 40), ramp(10, 35, -701.0), Some((1000.0, 11, 35, GivenBack, true))),
            (whole, ramp(20, 98, -701.0), Some((1000.0, 23, 95, GivenBack, false))),
            ((30, 30), ramp(8, 27, -701.0), Some((1000.0, 8, 27, GivenBack, false))),
            (whole, ramp(20, 100, 0.0), Some((1000.0, 24, 96, Level, false))),
        ] {
            assert_eq!(risen(run, 1100.0, &then), found);
        }
        // What was given back may rise again, and what stayed level may not.
        let then = |left: f64, slope: f64| {
            let rises = ramp(20, 60, 0.0);
            risen(whole, 1100.0, &|i| {
                if i > 60 { left + slope * (i - 60) as f64 } else { rises(i) }
            })
            .map(|(.., after, ended)| (after, ended))
        };
        assert_eq!(then(200.0, 20.0), Some((GivenBack, true)));
        assert_eq!(
            [0.76, 0.78].map(|s| then(900.0, s)),
            [true, false].map(|end| Some((Level, end)))
        );
    }

    #[test]
    fn a_rise_is_reported_if_it_is_large_and_lasts() {
        let whole = (101, 101);
        let is_found = |run, peak, of: &dyn Fn(usize) -> f64| risen(run, peak, of).is_some();
        // A seventh of the highest heap or more, above what it had before.
        assert!(is_found(whole, 6600.0, &ramp(20, 60, -1.0)));
        assert!(!is_found(whole, 6700.0, &ramp(20, 60, -1.0)));
        // A fifth of the run, and eight samples.
        assert!(is_found(whole, 1100.0, &ramp(20, 42, -1.0)));
        assert!(!is_found(whole, 1100.0, &ramp(20, 40, -1.0)));
        assert!(is_found((21, 21), 1100.0, &ramp(3, 11, -1.0)));
        assert!(!is_found((21, 21), 1100.0, &ramp(3, 10, -1.0)));
        // A sawtooth rises, too.
        let saw = |i: usize| 100.0 + 10.0 * i.min(60) as f64 + 400.0 * (i % 9) as f64 / 9.0;
        assert!(!is_found(whole, 1100.0, &saw));
        // What comes after the exit is no rise.
        assert!(!is_found((101, 50), 1100.0, &ramp(50, 90, -1.0)));
    }

    #[test]
    fn rises_are_reported_by_size() {
        let axis: Vec<f64> = (0..101).map(f64::from).collect();
        let scaled = |row: usize, to: usize, scale: f64| {
            let of = ramp(20, to, -1.0);
            Candidate { row, values: (0..101).map(|i| scale * of(i)).collect() }
        };
        let bands =
            [scaled(0, 60, 1.0), scaled(1, 60, 2.0), scaled(2, 100, 1.0), scaled(3, 100, 2.0)];
        let found = rises(&axis, 101, 2200.0, &bands);
        assert_eq!(found.ended.iter().map(|rise| rise.row).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(found.going_on, [(3, 2000.0), (2, 1000.0)]);
    }

    /// The heap as a whole grew since its second sample, by 950 bytes.
    fn whole() -> Finding {
        let whole = Grower {
            row: None,
            manner: Manner::Steady,
            bytes: 950.0,
            rate: Slope::exactly(19.0),
            running_rate: Some(38.0),
            kept: Some(0.5),
            since: 1,
            at_end: 3.0,
        };
        let from_start = Grower { since: 0, ..whole };
        let growers = vec![whole, from_start];
        Finding { growers, bytes: 1900.0, ..Finding::of(crate::analysis::Leak::Likely) }
    }

    #[test]
    fn where_no_band_shows_it_those_that_gained_a_tenth_are_named() {
        let mut finding = whole();
        let bands: [(&str, &[f64]); 5] = [
            ("a", &[0.0, 100.0, 200.0, 700.0, 0.0]),
            ("b", &[500.0, 500.0, 600.0, 900.0, 0.0]),
            ("falls", &[900.0, 900.0, 900.0, 800.0, 0.0]),
            ("few", &[0.0, 0.0, 0.0, 94.0, 0.0]),
            ("some", &[0.0, 0.0, 0.0, 95.0, 0.0]),
        ];
        let found = |finding: &Finding, breakdown, without: usize| {
            let mut builder = growing(&bands, 1.0);
            builder.declare_breakdown(breakdown);
            let profile = builder.finish();
            let slice = Slice::selecting(&profile, |band| band.index() != without);
            let rows = Rows::of(&slice);
            suspects(&rows, &Totals::of(&rows), finding)
        };
        let two = found(&finding, Breakdown::Type, 9);
        let starts: Vec<_> = two.iter().map(|one| (one.since_sample, one.from_start)).collect();
        assert_eq!(starts, [(2, false), (1, true)]);
        assert_eq!((two[0].share_percent, two[0].kept_percent), (50.0, Some(50.0)));

        finding.growers.pop();
        let named = |breakdown, without| {
            let all = found(&finding, breakdown, without);
            all.iter().map(|one| (one.label.clone(), one.grew)).collect::<Vec<_>>()
        };
        let expected = |all: &[(&str, u64)]| -> Vec<(String, u64)> {
            all.iter().map(|(label, grew)| ((*label).to_owned(), *grew)).collect()
        };
        let all = [("all bands together", 950), ("a", 600), ("b", 400), ("some", 95)];
        assert_eq!(named(Breakdown::Type, 9), expected(&all));
        assert_eq!(named(Breakdown::Type, 1), expected(&[all[0], all[1], all[3]]));
        assert_eq!(named(Breakdown::Era, 9), expected(&all[..1]));
        let a = &found(&finding, Breakdown::Type, 9)[1];
        let share = 600.0 / 950.0;
        assert_eq!((a.share_percent, a.rate, a.at_end), (100.0 * share, 19.0 * share, 700));
        assert_eq!((a.running_rate, a.kept_percent), (Some(38.0 * share), Some(50.0 * share)));
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
