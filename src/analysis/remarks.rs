//! What a reader must know to understand a verdict: what its figures do not say, and what else the samples know.

use serde::{Serialize, Serializer};

use super::Kind;
use super::figures::Totals;
use super::rise::{InStep, Rise, in_step};
use super::sampling::{self, SamplingAdvice};
use crate::base::units::UnitSystem;
use crate::profile::{BandNames, HeapFigure, Tells};
use crate::slice::Slice;

/// What a reader must know to understand a verdict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// The run-time system's live bytes grow, and no band contains what grows.
    OutsideBands {
        /// The number of bytes that they grew by.
        live: u64,
    },
    /// A census counts more than the heap can hold: the non-moving collector counts large objects
    /// several times, so rates and budgets are wrong.
    MoreThanTheHeap {
        /// All bands of one sample together.
        bands: u64,
        /// The heap at that time.
        heap: u64,
    },
    /// The first suspect is only an address; this is the first suspect that has a name.
    NamedSuspect {
        /// Its label.
        label: String,
    },
    /// The next run should be sampled differently.
    Sampling(SamplingAdvice),
    /// Only all bands together were judged: a band of an era stops growing when its era ends.
    ErasEnd,
    /// All that grows is charged to a cost centre of the run-time system.
    WithoutCostCentres {
        /// Its name.
        label: String,
    },
    /// The profiler does not know who holds a suspect.
    WithoutOwner {
        /// Its label.
        label: String,
        /// The number of bytes that it grew by.
        grew: u64,
        /// The bands that grow in proportion to it, most bytes first.
        in_step: Vec<InStep>,
    },
    /// There is one closure of a suspect for each closure of another band.
    OneForEach {
        /// Its label.
        label: String,
        /// That of the other band, which holds it.
        holder: String,
    },
}

/// Its sentences, with sizes in binary units.
impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text(UnitSystem::Binary, &str::to_owned))
    }
}

/// The remarks about a heap in which these grow, in these samples.
pub(super) fn remarks(
    rows: &Slice<'_>,
    totals: &Totals,
    (suspects, outside): (&[Rise], &[Rise]),
    growing: &[usize],
) -> Vec<Remark> {
    let live = outside.iter().find(|rise| rise.kind == Some(Kind::OutsideBands));
    let addresses = || {
        let first = suspects.first().filter(|first| rows.is_bare(&first.label))?;
        let named = suspects.iter().find(|suspect| !rows.is_bare(&suspect.label))?;
        (named.label != first.label).then(|| Remark::NamedSuspect { label: named.label.clone() })
    };
    let uncharged = suspects.first().filter(|first| {
        rows.breakdown().traits().names == BandNames::Stacks
            && matches!(&*first.label, "MAIN" | "SYSTEM")
    });
    [
        without_owner(rows, suspects, growing),
        one_for_each(rows, suspects, growing),
        uncharged.map(|first| Remark::WithoutCostCentres { label: first.label.clone() }),
        live.map(|rise| Remark::OutsideBands { live: rise.grew }),
        (rows.breakdown().traits().tells == Tells::Age).then_some(Remark::ErasEnd),
        addresses(),
        more_than_the_heap(rows, totals),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The remark about how the next run should be sampled.
pub(super) fn of_sampling(rows: &Slice<'_>, samples: usize) -> Option<Remark> {
    sampling::advice(rows, samples).map(Remark::Sampling)
}

/// What grows in step with a suspect that has no owner.
fn without_owner(rows: &Slice<'_>, suspects: &[Rise], growing: &[usize]) -> Option<Remark> {
    let suspect = suspects.iter().find(|one| one.kind.is_some_and(Kind::has_no_owner))?;
    let in_step = in_step(rows, growing, suspect.row?);
    Some(Remark::WithoutOwner { label: suspect.label.clone(), grew: suspect.grew, in_step })
}

/// A band that has a closure for each thunk that piles up: one of its fields is never evaluated.
fn one_for_each(rows: &Slice<'_>, suspects: &[Rise], growing: &[usize]) -> Option<Remark> {
    const WORD: f64 = 8.0;
    let suspect = suspects.iter().find(|one| one.kind == Some(Kind::Unevaluated))?;
    let closure = suspect.at_end.checked_div(suspect.objects?)? as f64;
    let words = |other: &InStep| WORD.recip() * closure * other.grew as f64 / suspect.grew as f64;
    // A header and one to eight fields; a closure that is known to be of another size would be a coincidence.
    let is_one = |other: &&InStep| {
        let words = words(other);
        (2.0..9.0).contains(&words.round()) && (words - words.round()).abs() < 0.02
    };
    let in_step = in_step(rows, growing, suspect.row?);
    let own = in_step.iter().filter(|other| other.label.starts_with("main:"));
    let holder = own.filter(is_one).max_by_key(|other| other.grew)?.label.clone();
    Some(Remark::OneForEach { label: suspect.label.clone(), holder })
}

fn more_than_the_heap(rows: &Slice<'_>, totals: &Totals) -> Option<Remark> {
    let heap = rows.heap();
    let size = heap[HeapFigure::Size].points();
    let over = totals.all.iter().zip(rows.axis()).filter_map(|(&bands, time)| {
        let next = size.partition_point(|(at, _)| at.as_seconds() < time);
        // The heap may be measured shortly before the census or after it.
        let near = size[next.saturating_sub(1)..(next + 2).min(size.len())].iter();
        let heap = near.map(|(_, bytes)| bytes.get()).max()?;
        (bands > u128::from(heap) + u128::from(heap / 20)).then_some((bands, heap))
    });
    let (bands, heap) = over.max()?;
    Some(Remark::MoreThanTheHeap { bands: u64::try_from(bands).unwrap_or(u64::MAX), heap })
}

impl Remark {
    /// The remark in a sentence or two. `quote` writes a name as the output needs it.
    pub fn text(&self, units: UnitSystem, quote: &dyn Fn(&str) -> String) -> String {
        let size = |bytes: u64| units.text(u128::from(bytes));
        match self {
            Remark::OutsideBands { live } => format!(
                "The run-time system's live bytes grew by {}, and no band contains what grows. Before GHC \
                 9.10 it can be the stacks of threads; -hT shows them as STACK.",
                size(*live),
            ),
            Remark::MoreThanTheHeap { bands, heap } => format!(
                "The bands of one sample add up to {}, in a heap of {}. The non-moving collector \
                 counts large objects several times, so sizes and rates are too high.",
                size(*bands),
                size(*heap)
            ),
            Remark::NamedSuspect { label } => format!(
                "The first suspect is an address without a place in the source; the first with a \
                 place is {}.",
                quote(label)
            ),
            Remark::WithoutCostCentres { label } => format!(
                "{} is what no cost centre is charged for: the program was built without cost \
                 centres. Build it with -fprof-auto.",
                quote(label)
            ),
            Remark::WithoutOwner { label, grew, in_step } => {
                without_owner_text(label, *grew, in_step, (units, quote))
            }
            Remark::OneForEach { label, holder } => format!(
                "There is one {} for each {}: a field of it that nobody evaluates keeps all that it needs.",
                quote(label),
                quote(holder)
            ),
            Remark::Sampling(advice) => advice.to_string(),
            Remark::ErasEnd => {
                "A band stops growing when its era ends, so only all bands together were judged."
                    .to_owned()
            }
        }
    }
}

/// What grows in step with bytes whose owner the profiler does not know, and what that says about the owner.
fn without_owner_text(
    label: &str,
    grew: u64,
    in_step: &[InStep],
    (units, quote): (UnitSystem, &dyn Fn(&str) -> String),
) -> String {
    let one = |band: &InStep| {
        let place =
            band.place.as_ref().map_or(String::new(), |at| format!(", made at {}", quote(at)));
        format!("{} (+{}{place})", quote(&band.label), units.text(band.grew.into()))
    };
    let bands: Vec<String> = in_step.iter().map(one).collect();
    let bands = match bands.is_empty() {
        true => String::new(),
        false => format!(" These bands grow in step with it: {}.", bands.join(", ")),
    };
    let advice = owner(in_step, grew).map_or(String::new(), |(owner, bytes)| {
        let each = units.text(bytes.into());
        let name = owner.rsplit(['.', ':']).next().unwrap_or(owner);
        format!(" That is {each} for each {}{}.", quote(name), payload(owner, bytes))
    });
    format!("The profiler does not know who holds {}.{bands}{advice}", quote(label))
}

/// The string or text that points to bytes, and how many bytes there are for each of them.
fn owner(in_step: &[InStep], grew: u64) -> Option<(&str, u64)> {
    let is_string = |band: &&InStep| {
        ["Data.ByteString.", "Data.Text."].iter().any(|module| band.label.contains(module))
    };
    let owner =
        in_step.iter().find(|band| is_string(band) && band.objects.is_some_and(|n| n > 0))?;
    Some((&owner.label, grew / owner.objects?))
}

/// What so many bytes for each string mean, where that is clear.
fn payload(owner: &str, bytes: u64) -> &'static str {
    match bytes {
        3800..=4400 if owner.contains("ByteString") => {
            ": each is alone in a block of 4 KiB; Data.ByteString.Short needs no block"
        }
        16_384.. if owner.ends_with(".Chunk") => ": lazy ByteStrings are kept whole",
        1024.. => {
            ": more than most strings are long; a slice keeps its whole buffer, and copy keeps only the slice"
        }
        _ => ", which is about their own length",
    }
}
