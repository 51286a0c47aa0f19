//! Two programs, or one before and after a change, compared: figures, verdicts, and what each band
//! gained or lost.
//!
//! Nothing is compared sample by sample, because two runs never sample alike. Bands are matched by
//! their identities, never by their numbers.

mod words;

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::Serialize;
use thiserror::Error;

use crate::analysis::robust::{ascending, mean, median_of};
use crate::analysis::{Ends, Figure, Headline, Leak, Rise, Shape, Verdict};
use crate::profile::{Breakdown, Clock};
use crate::run::Run;
use crate::slice::{Merger, RowId, Slice};

/// Why two sides cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Their bands are of different kinds.
    #[error("one side is {0}, the other {1}: their bands have nothing in common")]
    Breakdown(&'static str, &'static str),
    /// A side has no run.
    #[error("one side has no run")]
    Empty,
}

/// Whether a difference is significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Two runs of the same program can differ as much.
    Same,
    /// The difference is greater than that.
    Differs,
    /// It cannot be decided whether the sides differ.
    Open,
}

/// A figure of both sides: the medians of their runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FigureRow {
    /// The figure that is compared.
    pub figure: Figure,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// Whether the difference is significant.
    pub judgement: Judgement,
    /// The probability that chance orders the runs like this (Mann and Whitney), with four or more
    /// runs on each side.
    pub p: Option<f64>,
}

/// Which sides have a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// Both sides have it.
    Both,
    /// Only the side after has it.
    New,
    /// Only the side before has it.
    Gone,
}

/// What the runs of one side did: that of its median run by growth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Side {
    /// The most serious grade of its runs.
    pub leak: Leak,
    /// What the heap did; `None` if there are too few samples to say.
    pub shape: Option<Shape>,
    /// The number of bytes that it grew by: 0 if it is level.
    pub grew: f64,
    /// How fast: bytes a second, or a sample where samples have no times.
    pub rate: f64,
}

/// How the growth of the second side differs from that of the first. Grades are not compared: the same leak is freed
/// before the last sample in one run, and not in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// A tenth of the growth is left, or less.
    Gone,
    /// It grows less, or its peak is lower.
    Less,
    /// Two runs of the same program can differ as much.
    Same,
    /// It grows more, or its peak is higher.
    More,
    /// It grows ten times as much or more.
    New,
    /// There are too few samples to say.
    Open,
}

/// What divides a growth by this is a repair, whatever is left; and less than that factor is chance.
const REPAIR: f64 = 10.0;
const CHANCE: f64 = 1.5;

/// Whether a band grows before and after, in the median run of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// It grows on neither side.
    Never,
    /// It grew before, and after by a tenth of that at most.
    Stopped,
    /// It grows on both sides.
    Stayed,
    /// It grows after, and before by a tenth of that at most.
    Began,
}

/// A band of both sides: the medians over their runs of its mean residency, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BandRow {
    /// What identifies the band in both runs.
    #[serde(skip)]
    pub identity: String,
    /// Its label, from the side after the change if it has the band.
    pub label: String,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// Where it is.
    pub presence: Presence,
    /// Whether the difference is significant.
    pub judgement: Judgement,
    /// Whether it grows.
    pub growth: Growth,
    /// The number of bytes that its greatest rise has before and after; 0 if it is level afterwards.
    pub grew: (f64, f64),
    /// For one that is gone: a new band that may be the same under another name.
    pub perhaps: Option<String>,
}

/// What a comparison shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The figures.
    pub figures: Vec<FigureRow>,
    /// What each side did.
    pub sides: (Side, Side),
    /// How the growth changed.
    pub change: Change,
    /// The bands, the greatest change first; those below 1 % of both means are left out.
    pub bands: Vec<BandRow>,
    /// How many bands are left out for that.
    pub small: usize,
    /// All bands of each side together, including those that are left out: mean residency in bytes.
    #[serde(skip)]
    pub sums: (f64, f64),
    /// The share of the bytes that is in bands of both sides, in percent.
    pub matched_percent: f64,
    /// Whether the sides have times that can be compared.
    pub clocks: Clocks,
    /// What a band stands for.
    pub breakdown: Breakdown,
}

/// Whether the times of two sides can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clocks {
    /// The sides have the same clock.
    Same,
    /// The clocks differ: means are over samples, and rates and durations are not judged.
    Different,
}

/// Compares two sides, each of one run or several.
///
/// # Errors
/// [`CompareError::Breakdown`] when their bands are of different kinds.
pub fn compare(before: &[&Run<'_>], after: &[&Run<'_>]) -> Result<Comparison, CompareError> {
    let (Some(first), Some(_)) = (before.first(), after.first()) else {
        return Err(CompareError::Empty);
    };
    let breakdown = first.slice().breakdown();
    let all = || before.iter().chain(after);
    if let Some(other) = all().find(|run| run.slice().breakdown() != breakdown) {
        return Err(CompareError::Breakdown(breakdown.words(), other.slice().breakdown().words()));
    }
    let clock = first.slice().clock();
    let is_one = clock != Clock::Sample && all().all(|run| run.slice().clock() == clock);
    let clocks = if is_one { Clocks::Same } else { Clocks::Different };
    let figures: Vec<FigureRow> = FIGURES
        .into_iter()
        .filter_map(|figure| figure_row(figure, before, after, clocks))
        .collect();
    let sides = (Side::new(before), Side::new(after));
    let Shown { rows: bands, small, sums, matched_percent, grew } = shown(before, after, clocks);
    let change = change(sides, grew, &figures);
    Ok(Comparison {
        figures,
        sides,
        change,
        bands,
        small,
        sums,
        matched_percent,
        clocks,
        breakdown,
    })
}

/// Whether the rise of a band is growth: not if the band or the heap is level afterwards.
fn is_growth(rise: &Rise, verdict: &Verdict) -> bool {
    match rise.ends {
        Ends::ToTheEnd | Ends::UntilTheProgramEnded => true,
        Ends::Freed => verdict.shape != Some(Shape::Level),
        Ends::LevelSince => false,
    }
}

/// The rows that the account of a run names.
fn named(verdict: &Verdict) -> Vec<RowId> {
    match &verdict.headline {
        Headline::Rose { rise, ends, .. } if *ends != Ends::LevelSince => {
            rise.bands.iter().map(|band| band.row).collect()
        }
        _ => verdict.suspects.iter().filter_map(|suspect| suspect.row).collect(),
    }
}

/// What a run grew by, in bytes: nothing if its heap is level at the end, and its greatest rise if there are too few
/// samples to say.
fn growth(verdict: &Verdict) -> f64 {
    match verdict.shape {
        Some(Shape::Level) => 0.0,
        Some(Shape::Grows) if verdict.grew > 0 => verdict.grew as f64,
        Some(Shape::Grows | Shape::GrewToExit | Shape::BuiltUp) | None => {
            verdict.greatest_rise as f64
        }
    }
}

impl Side {
    fn new(runs: &[&Run<'_>]) -> Self {
        let mut verdicts: Vec<&Verdict> = runs.iter().map(|run| run.verdict()).collect();
        let leak = verdicts.iter().map(|verdict| verdict.leak).max().unwrap_or(Leak::Unknown);
        verdicts.sort_by(|a, b| ascending(&growth(a), &growth(b)));
        let Some(middle) = verdicts.get((verdicts.len().max(1) - 1) / 2) else {
            return Side::default();
        };
        Side { leak, shape: middle.shape, grew: growth(middle), rate: middle.rate }
    }
}

impl Comparison {
    /// Whether the second side is worse.
    pub(crate) fn is_worse(&self) -> bool {
        matches!(self.change, Change::New | Change::More)
    }
}

/// Compares what the same bands grew by, and peaks where neither side grows.
fn change((before, after): (Side, Side), grew: (f64, f64), figures: &[FigureRow]) -> Change {
    if before.shape.is_none() && after.shape.is_none() {
        return Change::Open;
    }
    let peak = figures.iter().find(|row| row.figure == Figure::Peak);
    // Less than a fiftieth of the peak is no growth.
    let least = peak.map_or(0.0, |row| 0.02 * row.before.max(row.after));
    let [was, is] = [grew.0, grew.1].map(|grew| if grew >= least { grew } else { 0.0 });
    let slower = before.rate > 0.0 && after.rate > 0.0 && before.rate > CHANCE * after.rate;
    let faster = before.rate <= 0.0 || after.rate <= 0.0 || after.rate > before.rate / CHANCE;
    match (was, is) {
        _ if was > 0.0 && is <= was / REPAIR => Change::Gone,
        _ if was > CHANCE * is => Change::Less,
        _ if is > 0.0 && was <= is / REPAIR => Change::New,
        _ if is > CHANCE * was && faster => Change::More,
        _ if slower && is <= CHANCE * was => Change::Less,
        _ => match peak {
            Some(row) if row.judgement == Judgement::Differs && row.before > CHANCE * row.after => {
                Change::Less
            }
            Some(row) if row.judgement == Judgement::Differs && row.after > CHANCE * row.before => {
                Change::More
            }
            _ => Change::Same,
        },
    }
}

const FIGURES: [Figure; 9] = [
    Figure::Peak,
    Figure::P99,
    Figure::Mean,
    Figure::Final,
    Figure::Growth,
    Figure::Keep,
    Figure::Held,
    Figure::Duration,
    Figure::Samples,
];

/// `None` if the run does not have it.
fn value(figure: Figure, run: &Run<'_>, clocks: Clocks) -> Option<f64> {
    let analysis = run.analysis();
    match (figure, clocks) {
        (Figure::Mean, Clocks::Different) => {
            let full = analysis.figures.total.iter().filter(|&&bytes| bytes > 0);
            Some(mean(&full.map(|&bytes| bytes as f64).collect::<Vec<_>>()))
        }
        // A run that is too short to judge has no growth yet.
        (Figure::Growth, _) => Some(analysis.verdict.rate),
        (figure, _) => figure.of_heap(run.slice(), analysis),
    }
}

fn figure_row(
    figure: Figure,
    before: &[&Run<'_>],
    after: &[&Run<'_>],
    clocks: Clocks,
) -> Option<FigureRow> {
    let values = |side: &[&Run<'_>]| -> Option<Vec<f64>> {
        side.iter().map(|run| value(figure, run, clocks)).collect()
    };
    let (a, b) = (values(before)?, values(after)?);
    let (was, is) = (median_of(a.iter().copied()), median_of(b.iter().copied()));
    let by_clock = matches!(figure, Figure::Growth | Figure::Duration);
    let p = (a.len() >= 4 && b.len() >= 4).then(|| mann_whitney(&a, &b));
    let noise = match figure {
        Figure::Peak | Figure::P99 | Figure::Duration => PEAK_NOISE,
        Figure::Mean => MEAN_NOISE,
        Figure::Growth | Figure::Keep => 0.25,
        Figure::HeapSize | Figure::Live | Figure::Held => PEAK_NOISE,
        Figure::Final | Figure::Last | Figure::Samples | Figure::Leak | Figure::Shape => {
            f64::INFINITY
        }
    };
    let judgement = match noise.is_infinite() || (by_clock && clocks == Clocks::Different) {
        true => Judgement::Open,
        false => judgement(was, is, noise, p),
    };
    Some(FigureRow { figure, before: was, after: is, judgement, p })
}

/// How much the peaks of two runs of one program differ (measured: `docs/diagnosis.md`).
const PEAK_NOISE: f64 = 0.10;
pub const MEAN_NOISE: f64 = 0.15;

/// Whether two values differ by more than noise, or than chance where it could be tested.
fn judgement(was: f64, is: f64, noise: f64, p: Option<f64>) -> Judgement {
    let near = (is - was).abs() <= noise * was.abs().max(is.abs());
    if p.map_or(near, |p| p > 0.05) { Judgement::Same } else { Judgement::Differs }
}

/// The two-sided probability of the test of Mann and Whitney: exact, by counting all ways to share
/// out the ranks, where there are few; by the normal approximation otherwise.
fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let score: f64 = a
        .iter()
        .flat_map(|x| {
            b.iter().map(move |y| f64::from(u8::from(x > y)) + 0.5 * f64::from(u8::from(x == y)))
        })
        .sum();
    let (n, m) = (a.len(), b.len());
    let middle = (n * m) as f64 / 2.0;
    let far = (score - middle).abs();
    if n * m <= 400 {
        // ways[k][s]: how many ways to choose k of the ranks seen so far have the score s.
        let mut ways = vec![vec![0.0f64; n * m + 1]; n + 1];
        ways[0][0] = 1.0;
        for rank in 0..n + m {
            for k in (1..=n.min(rank + 1)).rev() {
                // The k-th chosen, at this rank, is above rank - (k - 1) of the others.
                let above = rank + 1 - k;
                for s in (above..=n * m).rev() {
                    if above <= m {
                        let more = ways[k - 1][s - above];
                        ways[k][s] += more;
                    }
                }
            }
        }
        let all: f64 = ways[n].iter().sum();
        let as_far: f64 = (0..=n * m)
            .filter(|&s| (s as f64 - middle).abs() >= far - 1e-9)
            .map(|s| ways[n][s])
            .sum();
        return (as_far / all).min(1.0);
    }
    let spread = ((n * m * (n + m + 1)) as f64 / 12.0).sqrt();
    let deviate = far / spread;
    libm::exp(-0.5 * deviate * deviate).min(1.0)
}

#[derive(Default)]
struct Matched {
    /// For each side, the first run that has it, and the row there.
    place: [Option<(usize, RowId)>; 2],
    /// For each side, what it grew by in each run in which it did.
    grew: [Vec<f64>; 2],
    /// Whether the account of a run names it: as a suspect, or as one of those that made the heap's greatest rise.
    is_named: bool,
    /// Where its means begin in [`Bands::means`].
    means_at: usize,
}

/// The bands of both sides by identity, in the order of the identities.
///
/// There can be a million bands, of which a hundred are shown. What only these need is looked up when
/// they are shown.
struct Bands<'s, 'a> {
    sides: [&'s [&'a Run<'a>]; 2],
    by_identity: IndexMap<String, Matched, RandomState>,
    /// The mean residency of each band, in order of first appearance, in each run: first the runs before,
    /// then those after.
    means: Vec<f64>,
}

impl<'s, 'a> Bands<'s, 'a> {
    fn new(before: &'s [&'a Run<'a>], after: &'s [&'a Run<'a>], clocks: Clocks) -> Self {
        let mut by_identity: IndexMap<String, Matched, RandomState> = IndexMap::default();
        let sides = [before, after];
        let runs = before.len() + after.len();
        let mut means: Vec<f64> = Vec::new();
        for (side, at, run) in each_run(sides) {
            let rows = run.slice();
            let by_sample = match clocks {
                Clocks::Same => None,
                Clocks::Different => Some(by_sample(rows)),
            };
            let verdict = run.verdict();
            let grew: HashMap<RowId, u64> = verdict
                .rises
                .iter()
                .filter(|rise| is_growth(rise, verdict))
                .filter_map(|rise| Some((rise.row?, rise.grew)))
                .collect();
            let named = named(verdict);
            let column = at + side * before.len();
            for row in rows.rows().filter(|&row| rows.is_selected(row)) {
                // Several bands with the same identity count as one.
                let new = Matched { means_at: means.len(), ..Matched::default() };
                let band = by_identity.entry(rows.identity(row)).or_insert(new);
                band.place[side].get_or_insert((at, row));
                band.grew[side].extend(grew.get(&row).map(|&bytes| bytes as f64));
                band.is_named |= named.contains(&row);
                if band.means_at == means.len() {
                    means.resize(means.len() + runs, 0.0);
                }
                means[band.means_at + column] += match &by_sample {
                    Some(means) => means[row.index()],
                    None => run.analysis().figures.bands[row.index()].mean,
                };
            }
        }
        by_identity.sort_unstable_keys();
        Bands { sides, by_identity, means }
    }

    /// The means of a band in the runs of a side.
    fn means(&self, band: usize, side: usize) -> &[f64] {
        let [before, after] = self.sides.map(<[&Run<'_>]>::len);
        let of_band = &self.means[self.by_identity[band].means_at..][..before + after];
        if side == 0 { &of_band[..before] } else { &of_band[before..] }
    }

    /// Their median; 0 if the side does not have the band.
    fn mean(&self, band: usize, side: usize) -> f64 {
        median_of(self.means(band, side).iter().copied())
    }

    fn is_in(&self, band: usize, side: usize) -> bool {
        self.by_identity[band].place[side].is_some()
    }

    /// The slice and the row where a side has a band first.
    fn row(&self, band: usize, side: usize) -> Option<(&'a Slice<'a>, RowId)> {
        let (run, row) = self.by_identity[band].place[side]?;
        Some((self.sides[side][run].slice(), row))
    }

    fn label(&self, band: usize, side: usize) -> Option<&'a str> {
        self.row(band, side).map(|(rows, row)| rows.label(row))
    }

    /// What it grew by in the median run of a side, in bytes: 0 if it did in half of them or fewer.
    fn grew(&self, band: usize, side: usize) -> f64 {
        let grew = &self.by_identity[band].grew[side];
        let level = self.sides[side].len().saturating_sub(grew.len());
        median_of(grew.iter().copied().chain(std::iter::repeat_n(0.0, level)))
    }

    /// A band that is on at least one side.
    fn compared(&self, band: usize) -> BandRow {
        let [before, after] = [0, 1].map(|side| self.mean(band, side));
        let tested = self.sides.iter().all(|runs| runs.len() >= 4);
        let p = tested.then(|| mann_whitney(self.means(band, 0), self.means(band, 1)));
        let grew = (self.grew(band, 0), self.grew(band, 1));
        let (identity, _) = self.by_identity.get_index(band).expect("a band of these");
        BandRow {
            identity: identity.clone(),
            label: self.label(band, 1).or(self.label(band, 0)).unwrap_or_default().to_owned(),
            before,
            after,
            presence: match (self.is_in(band, 0), self.is_in(band, 1)) {
                (_, false) => Presence::Gone,
                (false, true) => Presence::New,
                (true, true) => Presence::Both,
            },
            judgement: judgement(before, after, MEAN_NOISE, p),
            growth: match grew {
                (was, is) if was > 0.0 && is <= was / REPAIR => Growth::Stopped,
                (was, is) if is > 0.0 && was <= is / REPAIR => Growth::Began,
                (was, is) if was > 0.0 && is > 0.0 => Growth::Stayed,
                _ => Growth::Never,
            },
            grew,
            perhaps: None,
        }
    }
}

/// Each run, with its side and its place there.
fn each_run<'s, 'a>(
    sides: [&'s [&'a Run<'a>]; 2],
) -> impl Iterator<Item = (usize, usize, &'a Run<'a>)> {
    let runs = |(side, runs): (usize, &'s [&'a Run<'a>])| {
        runs.iter().enumerate().map(move |(at, &run)| (side, at, run))
    };
    sides.into_iter().enumerate().flat_map(runs)
}

/// The mean of each row over the samples that have anything in them.
fn by_sample(slice: &Slice<'_>) -> Vec<f64> {
    let mut sums = vec![0.0; slice.rows().len()];
    let mut merger = Merger::new(slice);
    let mut full = 0;
    for sample in 0..slice.len() {
        let mut any = false;
        for (row, size) in merger.sample(sample) {
            sums[row.index()] += size.get() as f64;
            any |= size.get() > 0;
        }
        full += usize::from(any);
    }
    sums.iter_mut().for_each(|sum| *sum /= full.max(1) as f64);
    sums
}

/// The bands that are shown, and what is known of all.
struct Shown {
    rows: Vec<BandRow>,
    small: usize,
    sums: (f64, f64),
    matched_percent: f64,
    /// What the bands grew by that the account of either side names.
    grew: (f64, f64),
}

fn shown(before: &[&Run<'_>], after: &[&Run<'_>], clocks: Clocks) -> Shown {
    let bands = Bands::new(before, after, clocks);
    let all = || 0..bands.by_identity.len();
    let sum = |side| all().map(|band| bands.mean(band, side)).sum::<f64>();
    let sums = (sum(0), sum(1));
    let named = || all().filter(|&band| bands.by_identity[band].is_named);
    let grew = [0, 1].map(|side| named().map(|band| bands.grew(band, side)).sum::<f64>()).into();
    // Smaller bands are not shown. So at most a hundred bands of each side are left, and a side far below the other
    // has its own.
    let least = (0.01 * sums.0, 0.01 * sums.1);
    let mut wanted: Vec<usize> = Vec::new();
    let mut matched = 0.0;
    for band in all() {
        let (was, is) = (bands.mean(band, 0), bands.mean(band, 1));
        if bands.is_in(band, 0) && bands.is_in(band, 1) {
            matched += was + is;
        }
        if (was >= least.0 || is >= least.1) && was.max(is) > 0.0 {
            wanted.push(band);
        }
    }
    let mut rows: Vec<BandRow> = wanted.iter().map(|&band| bands.compared(band)).collect();
    if before[0].slice().breakdown().traits().names_functions {
        let only = |side: usize| {
            let alone = wanted.iter().filter(|&&band| !bands.is_in(band, 1 - side));
            alone.filter_map(|&band| Alone::new(&bands, band, side)).collect()
        };
        let (gone, fresh): (Vec<Alone<'_>>, Vec<Alone<'_>>) = (only(0), only(1));
        for (old, new) in renamed(&gone, &fresh) {
            if let Some(at) = wanted.iter().position(|&band| band == old.band) {
                rows[at].perhaps = Some(new.label.to_owned());
            }
        }
    }
    let change = |row: &BandRow| (row.after - row.before).abs();
    let is_new = |row: &BandRow| row.presence == Presence::New;
    rows.sort_by(|a, b| {
        let by_change = ascending(&change(b), &change(a)).then_with(|| a.label.cmp(&b.label));
        by_change.then_with(|| is_new(a).cmp(&is_new(b)))
    });
    let all_bytes = sums.0 + sums.1;
    let matched_percent = if all_bytes > 0.0 { 100.0 * matched / all_bytes } else { 100.0 };
    let small = bands.by_identity.len() - rows.len();
    Shown { rows, small, sums, matched_percent, grew }
}

/// A band that only one side has.
struct Alone<'a> {
    band: usize,
    label: &'a str,
    module: String,
    mean: f64,
}

impl<'a> Alone<'a> {
    fn new(bands: &Bands<'_, 'a>, band: usize, side: usize) -> Option<Self> {
        let (rows, row) = bands.row(band, side)?;
        let mean = bands.mean(band, side);
        Some(Alone { band, label: rows.label(row), module: rows.module(row), mean })
    }
}

/// Bands that may be one under two names: the only ones of a module whose means agree within a tenth.
fn renamed<'s, 'a>(
    gone: &'s [Alone<'a>],
    fresh: &'s [Alone<'a>],
) -> Vec<(&'s Alone<'a>, &'s Alone<'a>)> {
    let alike = |a: &Alone<'_>, b: &Alone<'_>| {
        a.module == b.module
            && !a.module.is_empty()
            && (a.mean - b.mean).abs() <= 0.1 * a.mean.max(b.mean)
    };
    let only = |band: &Alone<'_>, others: &'s [Alone<'a>]| -> Option<&'s Alone<'a>> {
        let mut found = others.iter().filter(|other| alike(band, other));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    };
    gone.iter()
        .filter_map(|old| {
            let new = only(old, fresh)?;
            only(new, gone)?;
            Some((old, new))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::profile;
    use crate::profile::Profile;
    use crate::run::RunOptions;

    fn compared(before: &Profile, after: &Profile) -> Comparison {
        let options = RunOptions::default();
        let [before, after] = [before, after].map(|it| Run::new(it, &options).expect("all of it"));
        compare(&[&before], &[&after]).expect("one break-down")
    }

    #[test]
    fn bands_of_two_runs_are_matched_by_their_identity() {
        let before = profile(&[
            (0.0, &[("stays", 1000), ("goes", 500), ("tiny", 1)]),
            (1.0, &[("stays", 1000), ("goes", 500)]),
        ]);
        let after = profile(&[
            (0.0, &[("comes", 300), ("stays", 1100)]),
            (1.0, &[("comes", 300), ("stays", 1100)]),
        ]);
        let found = compared(&before, &after);
        let rows: Vec<_> = found
            .bands
            .iter()
            .map(|row| (row.label.as_str(), row.before, row.after, row.presence))
            .collect();
        assert_eq!(
            rows,
            [
                ("goes", 500.0, 0.0, Presence::Gone),
                ("comes", 0.0, 300.0, Presence::New),
                ("stays", 1000.0, 1100.0, Presence::Both),
            ]
        );
        assert_eq!(found.small, 1);
        assert!((found.matched_percent - 100.0 * 2100.0 / 2900.5).abs() < 1e-6);
        let judged =
            |figure| found.figures.iter().find(|row| row.figure == figure).unwrap().judgement;
        assert_eq!(judged(Figure::Peak), Judgement::Same);
        assert_eq!(judged(Figure::Final), Judgement::Open);
    }

    #[test]
    fn the_test_of_mann_and_whitney_is_exact_for_few_runs() {
        // All runs of one side are above all of the other: 2 of the 70 ways to share out 8 ranks.
        let p = mann_whitney(&[5.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 4.0]);
        assert!((p - 2.0 / 70.0).abs() < 1e-12, "{p}");
        let p = mann_whitney(&[1.0, 4.0, 6.0, 7.0], &[2.0, 3.0, 5.0, 8.0]);
        assert!(p > 0.8, "{p}");
    }
}
