//! Two programs, or one before and after a change, compared: figures, verdicts, and what each band
//! gained or lost.
//!
//! Nothing is compared sample by sample, because two runs never sample alike. Bands are matched by
//! their identities, never by their numbers.

mod comparison_words;

use std::collections::HashMap;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::Serialize;
use thiserror::Error;

use crate::analysis::constants::{CHANCE, FIFTH, REPAIR, WORTH};
use crate::analysis::median::{ascending, mean, median_of};
use crate::analysis::{Account, Leak, Metric, Rise, RiseEnd, Shape, Who};
use crate::profile::{Breakdown, Clock};
use crate::profile_view::ProfileView;
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

/// How something differs after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// A tenth of it is left, or less: a leak is repaired.
    Gone,
    /// There is less of it.
    Less,
    /// Two runs of the same program can differ as much.
    #[default]
    Same,
    /// There is more of it.
    More,
    /// There is ten times as much, or more.
    New,
    /// The samples do not decide it.
    Open,
}

/// A figure of both sides: the medians of their runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FigureRow {
    /// The figure that is compared.
    pub figure: Metric,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// How it differs, beyond what chance makes of two runs.
    pub change: Change,
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

impl Change {
    /// How an amount of growth differs.
    fn of_growth(before: f64, after: f64) -> Change {
        match (before, after) {
            (was, is) if was <= 0.0 && is <= 0.0 => Change::Same,
            (was, is) if is <= was / REPAIR => Change::Gone,
            (was, is) if was <= is / REPAIR => Change::New,
            (was, is) if was > CHANCE * is => Change::Less,
            (was, is) if is > CHANCE * was => Change::More,
            _ => Change::Same,
        }
    }

    /// How a figure differs that noise changes by so much, or chance where it could be tested.
    fn of_figure(was: f64, is: f64, noise: f64, p: Option<f64>) -> Change {
        let near = (is - was).abs() <= noise * was.abs().max(is.abs());
        match p.map_or(near, |p| p > 0.05) {
            true => Change::Same,
            false if is > was => Change::More,
            false => Change::Less,
        }
    }
}

/// A band of both sides: the medians over their runs of its mean residency, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BandRow {
    /// What identifies the band in both runs.
    #[serde(skip)]
    pub identity: String,
    /// The label of the band, from the side after the change if it has the band.
    pub label: String,
    /// What it is called, best first, each shorter or longer than the one before; unlike a label, no two bands of a
    /// picture share one.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// Where it is.
    pub presence: Presence,
    /// How its mean differs, beyond what chance makes of two runs.
    pub change: Change,
    /// How its growth differs.
    pub growth: Change,
    /// The number of bytes that its rise gains before and after.
    pub grew: [f64; 2],
    /// For one that is gone: a new band that may be the same under another name.
    pub perhaps: Option<String>,
}

/// What a comparison shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The figures.
    pub figures: Vec<FigureRow>,
    /// The most serious grade of the runs of each side.
    pub leak: [Leak; 2],
    /// The median run of each side by what its heap gained, as a place among the runs: the one that is shown.
    #[serde(skip)]
    pub median: [usize; 2],
    /// What the heap did in the median run of each side; `None` if there are too few samples to say.
    pub shape: [Option<Shape>; 2],
    /// The number of bytes that the median run of each side gained, as its own account tells it.
    pub grew: [f64; 2],
    /// How the growth changed; that of the peak where nothing grows.
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
    /// What the times of the first side count.
    #[serde(skip)]
    pub clock: Clock,
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
pub fn compare(
    before: &[&ProfileView<'_>],
    after: &[&ProfileView<'_>],
) -> Result<Comparison, CompareError> {
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
    let ShownBands { rows: bands, small, sums, matched_percent } =
        shown_bands(before, after, clocks);
    let sides = [before, after];
    let median = sides.map(median_run);
    let middle = [0, 1].map(|side| sides[side][median[side]].account());
    let leak = sides.map(|side| {
        let grades = side.iter().map(|run| run.account().leak);
        grades.max().unwrap_or(Leak::Unknown)
    });
    let shape = middle.map(Account::shape);
    let grew = gained(middle);
    let change = change(shape, grew, &figures);
    Ok(Comparison {
        figures,
        leak,
        median,
        shape,
        grew,
        change,
        bands,
        small,
        sums,
        matched_percent,
        clocks,
        breakdown,
        clock,
    })
}

/// The run of a side that gained as much as its median run; of those that gained the same, by their mean heap.
fn median_run(side: &[&ProfileView<'_>]) -> usize {
    let gain = |run: &ProfileView<'_>| {
        let account = run.account();
        account.told.as_ref().map_or(account.grew as f64, |told| told.gain)
    };
    let mut runs: Vec<usize> = (0..side.len()).collect();
    let mean = |at: usize| side[at].analysis().figures.heap.mean;
    runs.sort_by(|&a, &b| {
        ascending(&gain(side[a]), &gain(side[b])).then_with(|| mean(a).cmp(&mean(b)))
    });
    runs[(runs.len() - 1) / 2]
}

/// What each of two runs gained by its own account: what it accuses, or else what it tells. Where one accuses, and the
/// other tells how its heap grew, that is compared with how the heap of the first did.
fn gained(accounts: [&Account; 2]) -> [f64; 2] {
    let grows = accounts.iter().any(|account| account.shape() >= Some(Shape::GrewToExit));
    let told = |account: &Account| {
        let is_told =
            account.suspects.is_empty() && !(grows && account.shape() == Some(Shape::Level));
        let told = account.told.as_ref().filter(|_| is_told);
        // What was built up again at the end grows, and not what was freed before it.
        let again = account.grew_again().filter(|_| grows).map(|again| again.size() as f64);
        told.map_or(0.0, |told| again.unwrap_or(gains(account, told)[usize::from(!grows)]))
    };
    let is_of_heap = |account: &&Account| {
        account.told.as_ref().is_some_and(|told| told.who == Who::Heap) && told(account) > 0.0
    };
    let are_heaps = accounts.iter().any(is_of_heap);
    accounts.map(|account| match account.suspects.is_empty() {
        true => told(account),
        false if are_heaps => account.heap_grew.max(account.grew as i64) as f64,
        false => account.grew as f64,
    })
}

/// What is gained in a rise: in one that reaches the end of the run or nearly, and in any rise. What was freed is compared
/// with what was freed, and what grows with what grows.
fn gains(account: &Account, rise: &Rise) -> [f64; 2] {
    let goes_on = match rise.end {
        RiseEnd::Freed => rise.to as f64 >= (1.0 - FIFTH) * account.samples as f64,
        RiseEnd::Open | RiseEnd::Climbs | RiseEnd::Exit | RiseEnd::Level => {
            rise.end.reaches_the_end()
        }
    };
    [if goes_on { rise.gain } else { 0.0 }, rise.gain]
}

impl Comparison {
    /// Whether the second side is worse.
    pub(crate) fn is_worse(&self) -> bool {
        match self.change {
            Change::New | Change::More => true,
            Change::Gone | Change::Less | Change::Same | Change::Open => false,
        }
    }
}

/// Compares what the runs gained, and peaks where that is next to nothing.
fn change(shape: [Option<Shape>; 2], grew: [f64; 2], figures: &[FigureRow]) -> Change {
    if shape == [None, None] {
        return Change::Open;
    }
    let peak = figures.iter().find(|row| row.figure == Metric::Peak);
    let [was, is] = peak.map_or([0.0; 2], |row| [row.before, row.after]);
    match Change::of_growth(grew[0], grew[1]) {
        Change::Same if grew[0].max(grew[1]) < WORTH * was.max(is) => {
            match Change::of_growth(was, is) {
                Change::Gone => Change::Less,
                Change::New => Change::More,
                other @ (Change::Less | Change::Same | Change::More | Change::Open) => other,
            }
        }
        other @ (Change::Gone
        | Change::Less
        | Change::Same
        | Change::More
        | Change::New
        | Change::Open) => other,
    }
}

const FIGURES: [Metric; 9] = [
    Metric::Peak,
    Metric::P99,
    Metric::Mean,
    Metric::Final,
    Metric::Growth,
    Metric::Keep,
    Metric::Held,
    Metric::Duration,
    Metric::Samples,
];

/// `None` if the run does not have it.
fn value(figure: Metric, run: &ProfileView<'_>, clocks: Clocks) -> Option<f64> {
    let analysis = run.analysis();
    match (figure, clocks) {
        (Metric::Mean, Clocks::Different) => {
            let full = analysis.figures.total.iter().filter(|&&bytes| bytes > 0);
            Some(mean(&full.map(|&bytes| bytes as f64).collect::<Vec<_>>()))
        }
        // A run that is too short to judge has no growth yet.
        (Metric::Growth, _) => Some(analysis.account.heap.as_ref().map_or(0.0, |rise| rise.rate)),
        (figure, _) => figure.of_heap(run.slice(), analysis),
    }
}

fn figure_row(
    figure: Metric,
    before: &[&ProfileView<'_>],
    after: &[&ProfileView<'_>],
    clocks: Clocks,
) -> Option<FigureRow> {
    let values = |side: &[&ProfileView<'_>]| -> Option<Vec<f64>> {
        side.iter().map(|run| value(figure, run, clocks)).collect()
    };
    let (a, b) = (values(before)?, values(after)?);
    let (was, is) = (median_of(a.iter().copied()), median_of(b.iter().copied()));
    let p = (a.len() >= 4 && b.len() >= 4).then(|| mann_whitney(&a, &b));
    let noise = match figure {
        Metric::Peak | Metric::P99 | Metric::Duration => PEAK_NOISE,
        Metric::Mean => MEAN_NOISE,
        Metric::Growth | Metric::MemoryGrowth | Metric::Keep => 0.25,
        Metric::HeapSize | Metric::Live | Metric::Held => PEAK_NOISE,
        Metric::Final | Metric::Last | Metric::Samples | Metric::Leak | Metric::Shape => {
            f64::INFINITY
        }
    };
    let change = match noise.is_infinite() || figure.is_by_clock() && clocks == Clocks::Different {
        true => Change::Open,
        false => Change::of_figure(was, is, noise, p),
    };
    Some(FigureRow { figure, before: was, after: is, change, p })
}

/// How much the peaks of two runs of one program differ (measured: `docs/diagnosis.md`).
const PEAK_NOISE: f64 = 0.10;
pub const MEAN_NOISE: f64 = 0.15;

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
    /// For each side, what it gained in each run in which it did, as [`gains`] has it.
    grew: [Vec<[f64; 2]>; 2],
    /// Where its means begin in [`MatchedBands::means`].
    means_at: usize,
}

/// The bands of both sides by identity, in the order of the identities.
///
/// There can be a million bands, of which a hundred are shown. What only these need is looked up when
/// they are shown.
struct MatchedBands<'s, 'a> {
    sides: [&'s [&'a ProfileView<'a>]; 2],
    by_identity: IndexMap<String, Matched, RandomState>,
    /// The mean residency of each band, in order of first appearance, in each run: first the runs before,
    /// then those after.
    means: Vec<f64>,
}

impl<'s, 'a> MatchedBands<'s, 'a> {
    fn new(
        before: &'s [&'a ProfileView<'a>],
        after: &'s [&'a ProfileView<'a>],
        clocks: Clocks,
    ) -> Self {
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
            let account = run.account();
            let rises = account.rises.iter();
            let grew: HashMap<RowId, [f64; 2]> =
                rises.filter_map(|rise| Some((rise.row()?, gains(account, rise)))).collect();
            let column = at + side * before.len();
            for row in rows.rows().filter(|&row| rows.is_selected(row)) {
                // Several bands with the same identity count as one.
                let new = Matched { means_at: means.len(), ..Matched::default() };
                let band = by_identity.entry(rows.identity(row)).or_insert(new);
                band.place[side].get_or_insert((at, row));
                band.grew[side].extend(grew.get(&row));
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
        MatchedBands { sides, by_identity, means }
    }

    /// The means of a band in the runs of a side.
    fn means(&self, band: usize, side: usize) -> &[f64] {
        let [before, after] = self.sides.map(<[&ProfileView<'_>]>::len);
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

    /// The run and the row where a side has a band first.
    fn row(&self, band: usize, side: usize) -> Option<(&'a ProfileView<'a>, RowId)> {
        let (run, row) = self.by_identity[band].place[side]?;
        Some((self.sides[side][run], row))
    }

    /// The median of what it gained in the runs of each side, in bytes: 0 if it did in half of them or fewer.
    fn grew(&self, band: usize) -> [f64; 2] {
        let of = |kind: usize| {
            [0, 1].map(|side| {
                let grew = &self.by_identity[band].grew[side];
                let level = self.sides[side].len().saturating_sub(grew.len());
                let gains = grew.iter().map(|gains| gains[kind]);
                median_of(gains.chain(std::iter::repeat_n(0.0, level)))
            })
        };
        match of(0) {
            [before, after] if before.max(after) <= 0.0 => of(1),
            goes_on => goes_on,
        }
    }

    /// A band that is on at least one side.
    fn compared(&self, band: usize) -> BandRow {
        let [before, after] = [0, 1].map(|side| self.mean(band, side));
        let tested = self.sides.iter().all(|runs| runs.len() >= 4);
        let p = tested.then(|| mann_whitney(self.means(band, 0), self.means(band, 1)));
        let grew = self.grew(band);
        let (identity, _) = self.by_identity.get_index(band).expect("a band of these");
        let (run, row) = self.row(band, 1).or(self.row(band, 0)).expect("a band of a side");
        let names = match run.names(row) {
            [] => run.name_of(row).into_iter().collect(),
            names => names.to_vec(),
        };
        BandRow {
            identity: identity.clone(),
            label: run.slice().label(row).to_owned(),
            names,
            before,
            after,
            presence: match (self.is_in(band, 0), self.is_in(band, 1)) {
                (_, false) => Presence::Gone,
                (false, true) => Presence::New,
                (true, true) => Presence::Both,
            },
            change: Change::of_figure(before, after, MEAN_NOISE, p),
            growth: Change::of_growth(grew[0], grew[1]),
            grew,
            perhaps: None,
        }
    }
}

/// Each run, with its side and its place there.
fn each_run<'s, 'a>(
    sides: [&'s [&'a ProfileView<'a>]; 2],
) -> impl Iterator<Item = (usize, usize, &'a ProfileView<'a>)> {
    let runs = |(side, runs): (usize, &'s [&'a ProfileView<'a>])| {
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
struct ShownBands {
    rows: Vec<BandRow>,
    small: usize,
    sums: (f64, f64),
    matched_percent: f64,
}

fn shown_bands(
    before: &[&ProfileView<'_>],
    after: &[&ProfileView<'_>],
    clocks: Clocks,
) -> ShownBands {
    let bands = MatchedBands::new(before, after, clocks);
    let all = || 0..bands.by_identity.len();
    let sum = |side| all().map(|band| bands.mean(band, side)).sum::<f64>();
    let sums = (sum(0), sum(1));
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
    ShownBands { rows, small, sums, matched_percent }
}

/// A band that only one side has.
struct Alone<'a> {
    band: usize,
    label: &'a str,
    module: String,
    mean: f64,
}

impl<'a> Alone<'a> {
    fn new(bands: &MatchedBands<'_, 'a>, band: usize, side: usize) -> Option<Self> {
        let (run, row) = bands.row(band, side)?;
        let rows = run.slice();
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
    use crate::analysis::testing::{curves, profile};
    use crate::profile::Profile;
    use crate::profile_view::ViewOptions;

    fn compared(before: &Profile, after: &Profile) -> Comparison {
        let options = ViewOptions::default();
        let [before, after] =
            [before, after].map(|it| ProfileView::new(it, &options).expect("all of it"));
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
        let judged = |figure| found.figures.iter().find(|row| row.figure == figure).unwrap().change;
        assert_eq!(judged(Metric::Peak), Change::Same);
        assert_eq!(judged(Metric::Final), Change::Open);
    }

    #[test]
    fn what_is_built_up_again_grows_by_what_it_gains_at_the_end() {
        let heap = |again: f64| {
            let size = move |i: f64| match i as usize {
                0..50 => 1e5 * i,
                50..90 => 1e5,
                _ => 1e5 + again * (i - 89.0),
            };
            curves(100, &[("a", &size)]).finish()
        };
        let (all, half) = (heap(4e5), heap(2e5));
        let same = compared(&all, &all).headline().to_string();
        assert_eq!(same, "grows as before: 3.81 MiB -> 3.81 MiB");
        // Less than half of what was freed: both are compared by that.
        let freed = compared(&half, &half).headline().to_string();
        assert_eq!(freed, "builds up as before: 4.58 MiB -> 4.58 MiB");
    }

    #[test]
    fn the_test_of_mann_and_whitney_is_exact_for_few_runs() {
        // All runs of one side are above all of the other: 2 of the 70 ways to share out 8 ranks.
        let p = mann_whitney(&[5.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 4.0]);
        assert!((p - 2.0 / 70.0).abs() < 1e-12, "{p}");
        let p = mann_whitney(&[1.0, 4.0, 6.0, 7.0], &[2.0, 3.0, 5.0, 8.0]);
        assert!(p > 0.8, "{p}");
    }

    #[test]
    fn a_tenth_of_a_growth_is_none_and_chance_changes_it_by_half() {
        for (was, is, change) in [
            (0.0, 0.0, Change::Same),
            (10.0, 0.0, Change::Gone),
            (10.0, 1.0, Change::Gone),
            (10.0, 2.0, Change::Less),
            (10.0, 7.0, Change::Same),
            (7.0, 10.0, Change::Same),
            (2.0, 10.0, Change::More),
            (1.0, 10.0, Change::New),
            (0.0, 10.0, Change::New),
        ] {
            assert_eq!(Change::of_growth(was, is), change, "{was} {is}");
        }
    }

    #[test]
    fn what_is_freed_shortly_before_the_end_goes_on() {
        for (falls, goes_on) in [(30.0, false), (52.0, true)] {
            let rises = |at: f64| if at < falls { 1e6 * at } else { 1e5 };
            let profile = curves(60, &[("a", &rises)]).finish();
            let options = ViewOptions::default();
            let view = ProfileView::new(&profile, &options).expect("all of it");
            let account = view.account();
            let rise = account.rises.iter().find(|rise| rise.end == RiseEnd::Freed);
            let [at_end, all] = gains(account, rise.expect("a rise that is freed"));
            assert!(
                all > 20e6 && at_end == if goes_on { all } else { 0.0 },
                "{falls}: {at_end} {all}"
            );
        }
    }
}
