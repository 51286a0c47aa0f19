//! Rises: what the heap, a band, or memory outside of the bands gained, how that ended, and what it is made of.

use serde::Serialize;

use super::median::ascending;
use crate::base::units::Nanos;
use crate::profile::{Breakdown, ClosureKind};
use crate::slice::{Merger, RowId, SampleNumber, Slice};

/// Whose curve it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Who {
    /// All bands together that take part and are not excused.
    #[default]
    Heap,
    /// A band.
    Band(RowId),
    /// The run-time system's own count of live bytes.
    Live,
    /// The memory that the run-time system or the process holds.
    Memory,
}

/// In which way a curve rises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    /// Hardly ever falling back.
    #[default]
    Steady,
    /// The low points rise; what it does between them does not matter.
    Floors,
    /// In a few steps, and level between them.
    Steps,
    /// By doubling, as an array does that grows.
    Doubling,
}

/// How a rise ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum RiseEnd {
    /// The rise goes on to the end, and the program still holds it.
    #[default]
    #[serde(rename = "to-the-end")]
    Open,
    /// The rise reaches the end, too short or too uneven to show that it goes on.
    Climbs,
    /// The rise lasted until the program ended: what follows is forced or freed at the exit.
    #[serde(rename = "until-the-program-ended")]
    Exit,
    /// What follows is level, by every clock of the input.
    #[serde(rename = "level-since")]
    Level,
    /// Some of it was freed.
    Freed,
}

impl RiseEnd {
    /// Whether the curve still rises at its end, or until the program ended.
    pub fn reaches_the_end(self) -> bool {
        match self {
            RiseEnd::Open | RiseEnd::Climbs | RiseEnd::Exit => true,
            RiseEnd::Level | RiseEnd::Freed => false,
        }
    }
}

/// A stretch in which a curve gains bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rise {
    /// Whose it is; a band by its number among the bands of the profile.
    #[serde(rename = "id", serialize_with = "row_of")]
    pub who: Who,
    /// The label of the band.
    pub label: String,
    /// The place of its first sample on the timeline.
    #[serde(skip)]
    pub(crate) from: usize,
    /// The place of its last sample on the timeline.
    #[serde(skip)]
    pub(crate) to: usize,
    /// The number of bytes that it gains.
    #[serde(rename = "grew", serialize_with = "whole")]
    pub gain: f64,
    /// The share of all that grew, in percent.
    pub share_percent: f64,
    /// Bytes a second, or a sample where samples have no times.
    #[serde(rename = "rate_bytes_per_s")]
    pub rate: f64,
    /// Bytes a second of running time without collections, if the log has collections.
    #[serde(rename = "rate_bytes_per_mutator_s")]
    pub running_rate: Option<f64>,
    /// What it kept of all that was allocated meanwhile, in percent, if the log counts allocation.
    pub kept_percent: Option<f64>,
    /// When it begins; `None` where samples have no times.
    #[serde(rename = "since_ns")]
    pub since: Option<Nanos>,
    /// The number in the run of the sample with which it begins, from 1.
    pub since_sample: SampleNumber,
    /// When it ends; `None` where samples have no times.
    #[serde(rename = "until_ns")]
    pub until: Option<Nanos>,
    /// The number in the run of its last sample.
    pub until_sample: SampleNumber,
    /// In which way it rises.
    pub manner: Manner,
    /// How it ended.
    #[serde(rename = "ends")]
    pub end: RiseEnd,
    /// The gain as a multiple of the deepest fall and the typical step; 0 if it does not rise to the end.
    #[serde(skip)]
    pub(crate) score: f64,
    /// Whether it lasts for so short a part of the run that it alone is an event.
    #[serde(skip)]
    pub(crate) is_brief: bool,
    /// Whether it begins with the run: what is before it is too short to be told, and gains less than half as much.
    #[serde(skip)]
    pub(crate) is_from_start: bool,
    /// The share of its gain in the second half of its samples.
    #[serde(skip)]
    pub(crate) late: f64,
    /// The share of its gain in the second half of its time.
    #[serde(skip)]
    pub(crate) second_half: f64,
    /// What it holds at the end, in bytes.
    pub at_end: u64,
    /// How many closures that is, if its label says how large one is.
    pub objects: Option<u64>,
    /// What it is made of, if that can be seen.
    pub kind: Option<ClosureKind>,
    /// Where in the source it is made, as `file:line:column`, if that is known.
    pub place: Option<String>,
}

impl Rise {
    /// The row, if a band rises.
    pub fn row(&self) -> Option<RowId> {
        match self.who {
            Who::Band(row) => Some(row),
            Who::Heap | Who::Live | Who::Memory => None,
        }
    }

    /// The number of bytes that it gains.
    pub fn grew(&self) -> u64 {
        self.gain.max(0.0) as u64
    }
}

fn row_of<S: serde::Serializer>(who: &Who, serializer: S) -> Result<S::Ok, S::Error> {
    match who {
        Who::Band(row) => row.serialize(serializer),
        Who::Heap | Who::Live | Who::Memory => serializer.serialize_none(),
    }
}

fn whole<S: serde::Serializer>(bytes: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(bytes.max(0.0) as u64)
}

/// How many closures have this size together, where the label of a profile by closure type says how large one
/// is: `THUNK_1_0` is a thunk with one pointer, and `:` has a head and a tail. A census does not count the words
/// that profiling adds.
pub(super) fn objects(breakdown: Breakdown, label: &str, bytes: u64) -> Option<u64> {
    /// Of the 64-bit machines that GHC's programs run on.
    const WORD: u64 = 8;
    const CONSTRUCTORS: [(&str, u64); 14] = [
        ("Data.ByteString.Internal.BS", 3),
        ("Data.ByteString.Internal.Type.BS", 3),
        ("Data.ByteString.Internal.PS", 4),
        ("Data.ByteString.Short.Internal.SBS", 1),
        ("Data.ByteString.Lazy.Internal.Chunk", 5),
        ("Data.Text.Internal.Text", 3),
        ("Data.Text.Internal.Lazy.Chunk", 4),
        ("GHC.Types.:", 2),
        ("GHC.Types.I#", 1),
        ("GHC.Types.D#", 1),
        ("GHC.Types.W#", 1),
        ("GHC.Maybe.Just", 1),
        ("GHC.Tuple.(,)", 2),
        ("GHC.Tuple.Prim.(,)", 2),
    ];
    if !breakdown.traits().states_sizes {
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
        let is_base =
            ["base", "ghc-prim", "ghc-internal", "bytestring", "text"].iter().any(|base| {
                package.strip_prefix(base).is_some_and(|v| v.is_empty() || v.starts_with('-'))
            });
        let name =
            name.strip_prefix("GHC.Internal.").map_or(name.to_owned(), |n| format!("GHC.{n}"));
        let (_, fields) = CONSTRUCTORS.iter().find(|(known, _)| *known == name)?;
        is_base.then_some(1 + fields)
    };
    // The state of a thread, without its stack.
    let thread = (label == "TSO").then_some(15);
    let words = thunk.or(function).or(thread).or_else(constructor)?;
    Some(bytes / (WORD * words))
}

/// A band that grows in proportion to a suspect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InStep {
    /// The label of the band.
    pub label: String,
    /// The number of bytes that it grew by.
    pub grew: u64,
    /// How many closures that is, if its label says how large one is.
    pub objects: Option<u64>,
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

/// Some of the samples, up to the last one: those in which curves are compared.
pub(super) fn compared(samples: &[usize]) -> Vec<usize> {
    let step = samples.len().div_ceil(COMPARED).max(1);
    samples.iter().rev().step_by(step).rev().copied().collect()
}

/// The bands that grow in proportion to a row over some samples, most bytes first. They may be a
/// thousand times smaller: a slice keeps a whole buffer.
pub(super) fn in_step(slice: &Slice<'_>, samples: &[usize], suspect: RowId) -> Vec<InStep> {
    #[derive(Clone, Copy, Default)]
    struct Sums {
        y: f64,
        yy: f64,
        xy: f64,
        first: f64,
        last: f64,
    }
    let asked = compared(samples);
    let mut of_row = vec![Sums::default(); slice.rows().len()];
    let (mut x_sum, mut xx_sum) = (0.0, 0.0);
    let mut merger = Merger::new(slice);
    for (at, &sample) in asked.iter().enumerate() {
        let sizes = merger.sample(sample);
        let x = sizes.iter().find(|(row, _)| *row == suspect);
        let x = x.map_or(0.0, |(_, size)| size.get() as f64);
        (x_sum, xx_sum) = (x_sum + x, xx_sum + x * x);
        for (row, size) in sizes {
            let (of_row, y) = (&mut of_row[row.index()], size.get() as f64);
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
    let grew = |row: RowId| of_row[row.index()].last - of_row[row.index()].first;
    let mut found: Vec<RowId> = slice
        .rows()
        .filter(|&row| row != suspect && slice.is_selected(row))
        .filter(|&row| grew(row) >= LEAST_IN_STEP && agrees(&of_row[row.index()]))
        .collect();
    found.sort_by(|&a, &b| ascending(&grew(b), &grew(a)).then(a.cmp(&b)));
    let one = |&row: &RowId| InStep {
        label: slice.label(row).to_owned(),
        grew: grew(row) as u64,
        objects: objects(slice.breakdown(), slice.label(row), grew(row) as u64),
        place: slice.place(row),
    };
    found.iter().take(MOST_IN_STEP).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Curve, curves};
    use crate::slice::Slice;

    #[test]
    fn closures_are_counted_where_their_size_is_certain() {
        let counted = |label: &str| objects(Breakdown::ClosureType, label, 4800);
        assert_eq!(counted("THUNK_1_0"), Some(200));
        assert_eq!(counted("FUN_0_1"), Some(300));
        assert_eq!(counted("ghc-prim:GHC.Types.:"), Some(200));
        assert_eq!(counted("ghc-internal:GHC.Internal.Maybe.Just"), Some(300));
        assert_eq!(counted("base-4.15:GHC.Maybe.Just"), Some(300));
        let uncertain = "THUNK THUNK_ FUN THUNK_18446744073709551615_0 ARR_WORDS \
            main:GHC.Types.: other:Map.Bin :";
        for label in uncertain.split(' ') {
            assert_eq!(counted(label), None, "{label}");
        }
        assert_eq!(objects(Breakdown::Type, "THUNK_1_0", 4800), None);
    }

    #[test]
    fn what_grows_in_step_grows_in_proportion() {
        // In every other of the samples that are compared.
        let wave = |i: f64| if i as usize % 4 < 2 { 1.0 } else { 0.0 };
        let bands: [(&str, Curve<'_>); 9] = [
            ("suspect", &|i| 10_000.0 + 1000.0 * i),
            ("small", &|i| 50.0 + 11.0 * i),
            ("half", &|i| 7.0 + 500.0 * i),
            ("tiny", &|i| 5.0 + 10.0 * i),
            ("near", &|i| 200.0 * i + 1500.0 * wave(i)),
            ("wave", &|i| 300.0 * i + 20_000.0 * wave(i)),
            ("falls", &|i| 100_000.0 - 500.0 * i),
            ("level", &|_| 2000.0),
            ("between", &|i| 400.0 * i + if i as usize % 2 == 1 { 1e6 } else { 0.0 }),
        ];
        let profile = curves(101, &bands).finish();
        let slice = Slice::whole(&profile);
        let rows: Vec<RowId> = slice.rows().collect();
        let in_step = |row: usize| in_step(&slice, &(0..101).collect::<Vec<_>>(), rows[row]);
        let found = in_step(0);
        let found: Vec<_> = found.iter().map(|one| (&*one.label, one.grew)).collect();
        // What happens between the samples that are compared does not matter.
        let all = [("half", 50_000), ("between", 40_000), ("near", 20_000), ("small", 1100)];
        assert_eq!(found, all);
        // Nothing falls with the one that does, and nothing is in step with what is level.
        assert_eq!((in_step(6), in_step(7)), (vec![], vec![]));
    }
}
