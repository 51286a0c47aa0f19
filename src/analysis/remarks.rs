//! What a reader must know to understand a verdict: what its figures do not say, and what else the samples know.

use std::ops::{Range, RangeInclusive};

use serde::{Serialize, Serializer};

use super::constants::HALF;
use super::figures::Totals;
use super::median::ascending;
use super::rise::{InStep, Rise, compared, in_step, objects};
use super::sampling_advice::{self, SamplingAdvice};
use super::{Account, BandChange, ClosureKind};
use crate::base::sentence::{Sentence, joined, name, say, size};
use crate::base::units::{UnitSystem, percent_text};
use crate::profile::glossary::called;
use crate::profile::{BandNames, HeapSeriesKind, Metadata, Tells};
use crate::slice::{Privacy, Slice, without_folders};

/// What a reader must know to understand a verdict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remark {
    /// What these sentences say.
    Note(Sentence),
    /// The next run should be sampled differently.
    Sampling(SamplingAdvice),
    /// The profiler does not know who holds a suspect.
    WithoutOwner {
        /// The label of the band.
        label: String,
        /// The number of bytes that it grew by.
        grew: u64,
        /// The bands that grow in proportion to it, most bytes first.
        in_step: Vec<InStep>,
    },
    /// Stacks grow, and threads with them.
    Threads {
        /// How many, and what is known of them.
        words: Sentence,
        /// Whether most of them have ended.
        have_ended: bool,
    },
    /// There is one closure of a suspect for each closure of another band.
    OneForEach {
        /// The label of the band.
        label: String,
        /// That of the other band, which holds it.
        holder: String,
    },
}

/// The sentences of a remark, with sizes in binary units.
impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.words().text(UnitSystem::Binary))
    }
}

/// The remarks about a heap in which these grow, in these samples.
pub(super) fn remarks(
    slice: &Slice<'_>,
    totals: &Totals,
    account: &Account,
    growing: &[usize],
) -> Vec<Remark> {
    let suspects = &account.suspects;
    [
        without_owner(slice, suspects, growing),
        threads(slice, account.told(), growing),
        unevaluated(slice, suspects, growing).map(Remark::Note),
        one_for_each(slice, suspects, growing),
        without_cost_centres(slice, suspects).map(Remark::Note),
        outside_bands(slice, &account.outside).map(Remark::Note),
        (slice.breakdown().traits().tells == Tells::Age).then(|| Remark::Note(ERAS_END.into())),
        more_than_the_heap(slice, totals).map(Remark::Note),
        reached_limit(slice, totals).map(Remark::Note),
    ]
    .into_iter()
    .flatten()
    .collect()
}

const ERAS_END: &str =
    "A band stops growing when its era ends, so only all bands together were judged.";

/// The remark about how the next run should be sampled.
pub(super) fn of_sampling(slice: &Slice<'_>, samples: usize) -> Option<Remark> {
    sampling_advice::advice(slice, samples).map(Remark::Sampling)
}

/// What grows in step with a suspect that has no owner.
fn without_owner(slice: &Slice<'_>, suspects: &[Rise], growing: &[usize]) -> Option<Remark> {
    let suspect = suspects.iter().find(|one| one.kind.is_some_and(ClosureKind::has_no_owner))?;
    let in_step = in_step(slice, growing, suspect.row()?);
    Some(Remark::WithoutOwner { label: suspect.label.clone(), grew: suspect.grew(), in_step })
}

/// How many threads there are for stacks that grow: each has an object of its own besides its stack.
fn threads(slice: &Slice<'_>, told: &[BandChange], growing: &[usize]) -> Option<Remark> {
    let grew = |label: &str| {
        let band = told.iter().find(|band| band.label == label)?;
        Some((band.row, u64::try_from(band.change).ok()?))
    };
    let ((_, stacks), (row, states)) = (grew("STACK")?, grew("TSO")?);
    let count = objects(slice.breakdown(), "TSO", states).filter(|&count| count > 0)?;
    let bytes = |sample: usize| slice.bytes(sample, |one| one == row);
    let most = |a: &usize, b: &usize| ascending(&bytes(*a), &bytes(*b));
    let at = slice.when(compared(growing).into_iter().max_by(most)?);
    let labelled = at.and_then(|at| slice.profile().runtime.threads.most_alive(at));
    let labelled = labelled.filter(|(_, _, all)| 2 * all >= count);
    let have_ended = labelled.is_some_and(|(_, alive, _)| 2 * alive < count);
    let labelled = labelled.map(|(label, alive, all)| {
        let label = match slice.privacy() {
            Privacy::Show => label.into(),
            Privacy::Redact => without_folders(label),
        };
        let (part, have) =
            if have_ended { (all - alive, "have ended") } else { (alive, "have not ended") };
        say![format!("; {part} of {all} threads labelled "), name(label), format!(" {have}")]
    });
    let at = at.map_or("There".to_owned(), |at| format!("At {at} there"));
    let words = say![
        format!("{at} are {count} more threads, each with a stack of "),
        size(stacks / count),
        " on average",
        labelled.unwrap_or_default(),
        "."
    ];
    Some(Remark::Threads { words, have_ended })
}

/// All that grows is charged to a cost centre of the run-time system.
fn without_cost_centres(slice: &Slice<'_>, suspects: &[Rise]) -> Option<Sentence> {
    let is_by_stack = slice.breakdown().traits().names == BandNames::Stacks;
    let first = suspects.first().filter(|_| is_by_stack)?;
    matches!(&*first.label, "MAIN" | "SYSTEM").then(|| {
        say![
            name(&first.label),
            " is what no cost centre is charged for: the program was built without cost centres. Build it with -fprof-auto."
        ]
    })
}

/// The run-time system's live bytes grow, and no band contains what grows.
fn outside_bands(slice: &Slice<'_>, outside: &[Rise]) -> Option<Sentence> {
    /// When they are seen: `docs/format/eventlog.md#samples`.
    const STACKS: &str = " It can be the stacks of threads. -hT shows them as STACK; in a program built with -prof, GHC \
                          before 9.2 does only with -xt.";
    let live = outside.iter().find(|rise| rise.kind == Some(ClosureKind::OutsideBands))?;
    let has_stacks = slice.rows().any(|row| slice.label(row) == "STACK");
    let words = ", and no band contains what grows.";
    let stacks = if has_stacks { "" } else { STACKS };
    Some(say!["The run-time system's live bytes grew by ", size(live.grew()), words, stacks])
}

/// What nobody evaluates from the first sample to the last, in a heap that does not grow, if it is half of that or more.
fn unevaluated(slice: &Slice<'_>, suspects: &[Rise], samples: &[usize]) -> Option<Sentence> {
    const LARGE: f64 = (1 << 20) as f64;
    let is_thunk = |row| slice.kind(slice.label(row)) == Some(ClosureKind::Unevaluated);
    let thunks: Vec<bool> = slice.rows().map(is_thunk).collect();
    if !suspects.is_empty() || !thunks.contains(&true) {
        return None;
    }
    let share = |sample: usize| {
        let own = slice.bytes(sample, |row| thunks[row.index()]);
        let all = slice.total(sample) as f64;
        if own < LARGE { 0.0 } else { own / all }
    };
    let least = compared(samples).into_iter().map(share).min_by(ascending)?;
    let words = " of the heap or more is unevaluated in every sample. It keeps all that it needs: force it where it is made.";
    (least >= HALF).then(|| format!("{}{words}", percent_text(100.0 * least)).into())
}

/// Whether a closure type may be a record of the program: neither what containers are made of, nor a basic type. The
/// modules of an executable are in the package `main`, all others in one of their own.
pub(crate) fn is_record(label: &str) -> bool {
    const PARTS: [&str; 15] = [
        "array",
        "base",
        "bytestring",
        "containers",
        "ghc-bignum",
        "ghc-internal",
        "ghc-prim",
        "hashable",
        "integer-gmp",
        "primitive",
        "stm",
        "text",
        "transformers",
        "unordered-containers",
        "vector",
    ];
    let Some((unit, name)) = label.split_once(':') else { return false };
    let is_of = |part: &str| {
        let version = unit.strip_prefix(part).map(|rest| rest.trim_start_matches('-'));
        version
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    !name.is_empty() && !PARTS.iter().any(|part| is_of(part))
}

/// A band that has a closure for each thunk that piles up: one of its fields is never evaluated.
fn one_for_each(slice: &Slice<'_>, suspects: &[Rise], growing: &[usize]) -> Option<Remark> {
    let suspect = suspects.iter().find(|one| one.kind == Some(ClosureKind::Unevaluated))?;
    let row = suspect.row()?;
    // Between the same samples: a rise may begin and end elsewhere.
    let compared = compared(growing);
    let bytes = |sample: usize| slice.bytes(sample, |one| one == row);
    let grew = (bytes(*compared.last()?) - bytes(*compared.first()?)) as u64;
    let known = objects(slice.breakdown(), &suspect.label, grew)?;
    let thunk = InStep { label: suspect.label.clone(), grew, objects: Some(known), place: None };
    let in_step = in_step(slice, growing, row);
    let holder = record_for_each(&thunk, &in_step)?.label.clone();
    Some(Remark::OneForEach { label: thunk.label, holder })
}

/// The record of which there are as many as of some unevaluated expressions, among bands that grow with them: the sizes of
/// both are whole numbers of words.
pub(crate) fn record_for_each<'b>(thunk: &InStep, in_step: &'b [InStep]) -> Option<&'b InStep> {
    /// The words of an expression that keeps more than two things, with the two of its header, and those of a record: a
    /// header and one to eight fields.
    const THUNK: RangeInclusive<u32> = 5..=10;
    const RECORD: Range<f64> = 2.0..9.0;
    let words = |objects: u64| thunk.grew as f64 / 8.0 / objects as f64;
    let known = thunk.objects.filter(|&objects| objects > 0).map(words);
    let sizes = known.map_or(THUNK.map(f64::from).collect(), |known| vec![known]);
    in_step.iter().filter(|record| is_record(&record.label)).find(|record| {
        let of = |size: &f64| size * record.grew as f64 / thunk.grew as f64;
        let is_whole = |words: &f64| (words - words.round()).abs() < 0.01;
        sizes.iter().map(of).filter(is_whole).any(|words| RECORD.contains(&words.round()))
    })
}

/// A census that counts more than the heap can hold.
fn more_than_the_heap(slice: &Slice<'_>, totals: &Totals) -> Option<Sentence> {
    let heap = slice.heap();
    let held = &heap[HeapSeriesKind::Size].points;
    let over = totals.all.iter().zip(slice.axis()).filter_map(|(&bands, time)| {
        let next = held.partition_point(|(at, _)| at.as_seconds() < time);
        // The heap may be measured shortly before the census or after it.
        let near = held[next.saturating_sub(1)..(next + 2).min(held.len())].iter();
        let heap = near.map(|(_, bytes)| bytes.get()).max()?;
        (bands > u128::from(heap) + u128::from(heap / 20)).then_some((bands, heap))
    });
    let (bands, heap) = over.max()?;
    Some(say![
        "The bands of one sample add up to ",
        size(bands),
        ", in a heap of ",
        size(heap),
        ". The non-moving collector counts large objects several times, so sizes and rates are too high.",
    ])
}

/// The heap reached the `-M` of its command line, with which the run-time system ends a program.
fn reached_limit(slice: &Slice<'_>, totals: &Totals) -> Option<Sentence> {
    let limit = limit_of(slice.metadata())?;
    let heap = slice.heap();
    let sizes = heap[HeapSeriesKind::Size].points.iter().map(|point| point.1.get().into());
    let most = totals.all.iter().copied().chain(sizes).max()?;
    let words = "The heap reached the limit of the command line, ";
    (most >= u128::from(limit)).then(|| say![words, name("-M"), " of ", size(limit), "."])
}

/// The limit that a command line sets: `-M24m` is 24 MiB.
fn limit_of(metadata: &Metadata) -> Option<u64> {
    let flags = metadata.rts_flags().into_iter().rev();
    let mut limits = flags.filter_map(|flag| flag.strip_prefix("-M"));
    // -Mgrace=SIZE is what a program may use after that.
    let text = limits.find(|text| !text.starts_with("grace"))?;
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let power = match text[digits..].chars().next()?.to_ascii_lowercase() {
        'k' => 10,
        'm' => 20,
        'g' => 30,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(1 << power).filter(|&bytes| bytes > 0)
}

impl Remark {
    /// The remark in a sentence or two.
    pub fn words(&self) -> Sentence {
        match self {
            Remark::Note(words) | Remark::Threads { words, .. } => words.clone(),
            Remark::Sampling(advice) => advice.to_string().into(),
            Remark::WithoutOwner { label, grew, in_step } => {
                without_owner_words(label, *grew, in_step)
            }
            Remark::OneForEach { label, holder } => say![
                "There is one ",
                name(called(label)),
                " for each ",
                name(called(holder)),
                ": a field of it that nobody evaluates keeps all that it needs.",
            ],
        }
    }
}

/// What grows in step with bytes whose owner the profiler does not know, and what that says about the owner.
fn without_owner_words(label: &str, grew: u64, in_step: &[InStep]) -> Sentence {
    let one = |band: &InStep| {
        let place = band.place.as_ref().map(|at| say![", made at ", name(at)]).unwrap_or_default();
        say![name(called(&band.label)), " (+", size(band.grew), place, ")"]
    };
    let bands = match in_step.is_empty() {
        true => Sentence::default(),
        false => {
            let bands = joined(in_step.iter().map(one), ", ");
            say![" These bands grow in step with it: ", bands, "."]
        }
    };
    let advice = owner(in_step, grew).map(|(owner, bytes)| {
        let short = owner.rsplit(['.', ':']).next().unwrap_or(owner);
        say![" That is ", size(bytes), " for each ", name(short), payload(owner, bytes), "."]
    });
    say![
        "The profiler does not know who holds ",
        name(label),
        ".",
        bands,
        advice.unwrap_or_default()
    ]
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
            ": each keeps a block of 4 KiB, or a buffer that it is a slice of; Data.ByteString.Short keeps only the bytes"
        }
        16_384.. if owner.ends_with(".Chunk") => ": lazy ByteStrings are kept whole",
        1024.. => {
            ": more than most strings are long; a slice keeps its whole buffer, and copy keeps only the slice"
        }
        _ => ", which is about their own length",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_command_line_is_its_last_one() {
        for (words, mib) in [
            ("p +RTS -M24m -RTS", Some(24)),
            ("p +RTS -M1G -hT -M2g", Some(2048)),
            ("p -M24m", None),
            ("p +RTS -M0m", None),
            ("p +RTS -M", None),
            ("p +RTS -M99999999999999999999g", None),
            ("p +RTS -Mgrace=2m", None),
        ] {
            let arguments = words.split(' ').map(str::to_owned).collect();
            let found = limit_of(&Metadata { arguments, ..Metadata::default() });
            assert_eq!(found, mib.map(|mib: u64| mib << 20), "{words}");
        }
    }

    #[test]
    fn as_many_records_as_expressions_are_one_each() {
        let band = |label: &str, grew: u64, objects: Option<u64>| InStep {
            label: label.to_owned(),
            grew,
            objects,
            place: None,
        };
        let record = |words: u64, count: u64| band("main:Main.Result", 8 * words * count, None);
        let of = |thunk: InStep, record: InStep| record_for_each(&thunk, &[record]).is_some();
        let named = |label: &str| band(label, 24 * 1000, None);
        let thunk = || band("THUNK_1_0", 24 * 1000, Some(1000));
        assert!(of(band("THUNK", 64 * 1000, None), record(3, 1000)));
        assert!(of(thunk(), record(3, 1000)) && of(thunk(), record(5, 1001)));
        // One of a library of the program, and what a map is made of.
        assert!(of(thunk(), named("store-0.1-inplace:Store.Posting")));
        assert!(!of(thunk(), named("containers-0.6.4.1:Data.Map.Internal.Bin")));
        assert!(of(thunk(), named("text-icu-0.8:Data.Text.ICU.Text")));
        // A third more of them, those of a library, and too few.
        assert!(!of(thunk(), record(4, 1311)));
        assert!(!of(thunk(), band("base:GHC.Stable", 24 * 1000, None)));
        assert!(!of(thunk(), record(1, 1000)));
    }
}
