//! Two programs, or one before and after a change, compared: figures, verdicts, and what each band
//! gained or lost.
//!
//! Nothing is compared sample by sample, because two runs never sample alike. Bands are matched by
//! their identities, never by their numbers.

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

use super::robust::{ascending, mean, median_of};
use super::{Analysis, Leak, Rows};
use crate::profile::{Breakdown, Clock};
use crate::slice::Slice;

/// One run with what it means.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What is looked at.
    pub slice: &'a Slice<'a>,
    /// What it means.
    pub analysis: &'a Analysis,
}

/// Why two sides cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CompareError {
    /// They have other bands.
    #[error("one side is {0}, the other {1}: their bands have nothing in common")]
    Breakdown(&'static str, &'static str),
    /// A side has no run.
    #[error("one side has no run")]
    Empty,
}

/// A figure that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// The highest residency.
    Peak,
    /// What 99 % of the samples stay below.
    P99,
    /// The mean over time; over samples where the clocks differ.
    Mean,
    /// The median of the last samples. It is shown but never judged, because it depends on a single
    /// moment.
    Final,
    /// The rate of the verdict.
    Growth,
    /// From the first sample to the last, in seconds.
    Duration,
    /// How many samples.
    Samples,
}

/// Whether a difference says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Two runs of the same program can differ by as much.
    Same,
    /// They differ.
    Differs,
    /// Nothing can be said of it.
    Open,
}

/// A figure of both sides: the medians of their runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FigureRow {
    /// Which figure.
    pub figure: Figure,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// Whether the difference says anything.
    pub judgement: Judgement,
    /// The probability that chance orders the runs like this (Mann and Whitney), with four or more
    /// runs on each side.
    pub p: Option<f64>,
}

/// Where a band is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Presence {
    /// On both sides.
    Both,
    /// Only after.
    New,
    /// Only before.
    Gone,
}

/// Whether a band grows to the end of its run before and after, in most runs of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Growth {
    /// On neither side.
    Never,
    /// Only before.
    Stopped,
    /// On both sides.
    Stayed,
    /// Only after.
    Began,
}

/// A band of both sides: the medians over their runs of its mean residency, in bytes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BandRow {
    /// What identifies the band in both runs: [`Slice::identity`].
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
    /// Whether the difference says anything.
    pub judgement: Judgement,
    /// Whether it grows to the end.
    pub growth: Growth,
    /// For one that is gone: a new band that may be the same under another name.
    pub perhaps: Option<String>,
}

/// What a comparison shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The figures.
    pub figures: Vec<FigureRow>,
    /// The verdicts: the gravest of each side.
    pub verdicts: (Leak, Leak),
    /// The bands, the greatest change first; those below 1 % of the larger mean are left out.
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

/// Whether two sides have one clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clocks {
    /// They do.
    Same,
    /// They cannot: means are over samples, and rates and durations are not judged.
    Different,
}

/// Compares two sides, each of one run or several.
///
/// # Errors
/// [`CompareError::Breakdown`] when their bands are of different kinds.
pub fn compare(before: &[Run<'_>], after: &[Run<'_>]) -> Result<Comparison, CompareError> {
    let (Some(first), Some(_)) = (before.first(), after.first()) else {
        return Err(CompareError::Empty);
    };
    let breakdown = first.slice.breakdown();
    let all = || before.iter().chain(after);
    if let Some(other) = all().find(|run| run.slice.breakdown() != breakdown) {
        return Err(CompareError::Breakdown(breakdown.words(), other.slice.breakdown().words()));
    }
    let clock = first.slice.clock();
    let is_one = clock != Clock::Sample && all().all(|run| run.slice.clock() == clock);
    let clocks = if is_one { Clocks::Same } else { Clocks::Different };
    let figures =
        FIGURES.into_iter().map(|figure| figure_row(figure, before, after, clocks)).collect();
    let gravest = |side: &[Run<'_>]| {
        side.iter().map(|run| run.analysis.verdict.leak).max().unwrap_or(Leak::Unknown)
    };
    let Bands { rows: bands, small, sums, matched_percent } = bands(before, after, clocks);
    Ok(Comparison {
        figures,
        verdicts: (gravest(before), gravest(after)),
        bands,
        small,
        sums,
        matched_percent,
        clocks,
        breakdown,
    })
}

const FIGURES: [Figure; 7] = [
    Figure::Peak,
    Figure::P99,
    Figure::Mean,
    Figure::Final,
    Figure::Growth,
    Figure::Duration,
    Figure::Samples,
];

fn value(figure: Figure, run: &Run<'_>, clocks: Clocks) -> f64 {
    let heap = &run.analysis.figures.heap;
    match figure {
        Figure::Peak => heap.peak as f64,
        Figure::P99 => heap.p99 as f64,
        Figure::Mean => match clocks {
            Clocks::Same => heap.mean as f64,
            Clocks::Different => {
                let total = &run.analysis.figures.total;
                let full = total.iter().filter(|&&bytes| bytes > 0).map(|&bytes| bytes as f64);
                mean(&full.collect::<Vec<_>>())
            }
        },
        Figure::Final => heap.last as f64,
        Figure::Growth => run.analysis.verdict.rate,
        Figure::Duration => heap.duration,
        Figure::Samples => run.slice.len() as f64,
    }
}

fn figure_row(figure: Figure, before: &[Run<'_>], after: &[Run<'_>], clocks: Clocks) -> FigureRow {
    let values = |side: &[Run<'_>]| -> Vec<f64> {
        side.iter().map(|run| value(figure, run, clocks)).collect()
    };
    let (a, b) = (values(before), values(after));
    let (was, is) = (median_of(a.iter().copied()), median_of(b.iter().copied()));
    let by_clock = matches!(figure, Figure::Growth | Figure::Duration);
    let p = (a.len() >= 4 && b.len() >= 4).then(|| mann_whitney(&a, &b));
    let noise = match figure {
        Figure::Peak | Figure::P99 | Figure::Duration => PEAK_NOISE,
        Figure::Mean => MEAN_NOISE,
        Figure::Growth => 0.25,
        Figure::Final | Figure::Samples => f64::INFINITY,
    };
    let judgement = match noise.is_infinite() || (by_clock && clocks == Clocks::Different) {
        true => Judgement::Open,
        false => judgement(was, is, noise, p),
    };
    FigureRow { figure, before: was, after: is, judgement, p }
}

/// The differences between two runs of the same program; `docs/diagnosis.md` has the measurements.
const PEAK_NOISE: f64 = 0.10;
/// The same of means, as a share of the greater one.
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

/// A band of one side.
struct Side<'a> {
    label: &'a str,
    module: String,
    /// Of each run.
    means: Vec<f64>,
    /// Their median.
    mean: f64,
    /// In how many runs it grows to the end.
    growing: usize,
}

impl Side<'_> {
    fn grows(band: Option<&Side<'_>>) -> bool {
        band.is_some_and(|band| 2 * band.growing > band.means.len())
    }
}

/// The bands of a side by identity: medians over its runs of their mean residency.
fn side<'a>(runs: &[Run<'a>], clocks: Clocks) -> BTreeMap<String, Side<'a>> {
    let mut found: BTreeMap<String, Side<'a>> = BTreeMap::new();
    for (i, run) in runs.iter().enumerate() {
        let rows = Rows::of(run.slice);
        let means = match clocks {
            Clocks::Same => None,
            Clocks::Different => Some(by_sample(&rows)),
        };
        let verdict = &run.analysis.verdict;
        let suspects = verdict.suspects.iter().filter(|_| verdict.leak >= Leak::Possible);
        let growing: Vec<usize> = suspects.filter_map(|suspect| suspect.row).collect();
        for row in (0..rows.count()).filter(|&row| rows.takes_part(row)) {
            let mean = match &means {
                Some(means) => means[row],
                None => run.analysis.figures.bands[row].mean,
            };
            let (identity, module) = rows.identity(row);
            // Several bands of one identity are one.
            let band = found.entry(identity).or_insert_with(|| Side {
                label: rows.label(row),
                module,
                means: vec![0.0; runs.len()],
                mean: 0.0,
                growing: 0,
            });
            band.means[i] += mean;
            band.growing += usize::from(growing.contains(&row));
        }
    }
    found.values_mut().for_each(|band| band.mean = median_of(band.means.iter().copied()));
    found
}

/// A row for a band that is on one side at least.
fn band_row(
    identity: &str,
    was: Option<&Side<'_>>,
    is: Option<&Side<'_>>,
    runs: (usize, usize),
) -> BandRow {
    let label = is.or(was).map_or(String::new(), |band| band.label.to_owned());
    let mean = |band: Option<&Side<'_>>| band.map_or(0.0, |band| band.mean);
    let means = |band: Option<&Side<'_>>, runs| {
        band.map_or_else(|| vec![0.0; runs], |band| band.means.clone())
    };
    let tested = runs.0 >= 4 && runs.1 >= 4;
    let p = tested.then(|| mann_whitney(&means(was, runs.0), &means(is, runs.1)));
    BandRow {
        identity: identity.to_owned(),
        label,
        before: mean(was),
        after: mean(is),
        presence: match (was, is) {
            (_, None) => Presence::Gone,
            (None, _) => Presence::New,
            _ => Presence::Both,
        },
        judgement: judgement(mean(was), mean(is), MEAN_NOISE, p),
        growth: match (Side::grows(was), Side::grows(is)) {
            (false, false) => Growth::Never,
            (true, false) => Growth::Stopped,
            (true, true) => Growth::Stayed,
            (false, true) => Growth::Began,
        },
        perhaps: None,
    }
}

/// The mean of each row over the samples that have anything in them.
fn by_sample(rows: &Rows<'_>) -> Vec<f64> {
    let mut sums = vec![0.0; rows.count()];
    let mut merged = super::rows::Sums::new(rows);
    let mut full = 0;
    for sample in 0..rows.samples() {
        let mut any = false;
        merged.of(sample, |row, size| {
            sums[row] += size as f64;
            any |= size > 0;
        });
        full += usize::from(any);
    }
    sums.iter_mut().for_each(|sum| *sum /= full.max(1) as f64);
    sums
}

/// The bands of both sides.
struct Bands {
    rows: Vec<BandRow>,
    small: usize,
    sums: (f64, f64),
    matched_percent: f64,
}

fn bands(before: &[Run<'_>], after: &[Run<'_>], clocks: Clocks) -> Bands {
    let (was, is) = (side(before, clocks), side(after, clocks));
    let sum = |side: &BTreeMap<String, Side<'_>>| side.values().map(|band| band.mean).sum::<f64>();
    let (all_was, all_is) = (sum(&was), sum(&is));
    let runs = (before.len(), after.len());
    // Smaller bands are not shown. So at most a hundred bands of each side are left.
    let least = 0.01 * all_was.max(all_is);
    let is_shown = |mean: f64| mean >= least && mean > 0.0;
    let mut rows: Vec<BandRow> = Vec::new();
    let (mut matched, mut all) = (0.0, was.len());
    for (identity, band) in &was {
        let other = is.get(identity);
        matched += other.map_or(0.0, |other| band.mean + other.mean);
        if is_shown(other.map_or(band.mean, |other| band.mean.max(other.mean))) {
            rows.push(band_row(identity, Some(band), other, runs));
        }
    }
    let new = is.iter().filter(|(identity, _)| !was.contains_key(*identity));
    let new: Vec<(&String, &Side<'_>)> =
        new.inspect(|_| all += 1).filter(|(_, band)| is_shown(band.mean)).collect();
    let fresh: Vec<&Side<'_>> = new.iter().map(|(_, band)| *band).collect();
    let breakdown = before[0].slice.breakdown();
    if matches!(breakdown, Breakdown::CostCentre | Breakdown::InfoTable) {
        let gone = was.iter().filter(|(identity, _)| !is.contains_key(*identity));
        let gone = gone.map(|(_, band)| band).filter(|band| is_shown(band.mean));
        let gone: Vec<&Side<'_>> = gone.collect();
        for (old, new) in renamed(&gone, &fresh) {
            if let Some(row) =
                rows.iter_mut().find(|r| r.presence == Presence::Gone && r.label == old.label)
            {
                row.perhaps = Some(new.label.to_owned());
            }
        }
    }
    rows.extend(new.iter().map(|(identity, band)| band_row(identity, None, Some(band), runs)));
    let change = |row: &BandRow| (row.after - row.before).abs();
    rows.sort_by(|a, b| ascending(&change(b), &change(a)).then_with(|| a.label.cmp(&b.label)));
    let share = if all_was + all_is > 0.0 { 100.0 * matched / (all_was + all_is) } else { 100.0 };
    let small = all - rows.len();
    Bands { rows, small, sums: (all_was, all_is), matched_percent: share }
}

/// Bands that may be one under two names: the only ones of a module whose means agree within a tenth.
fn renamed<'s, 'a>(
    gone: &[&'s Side<'a>],
    fresh: &[&'s Side<'a>],
) -> Vec<(&'s Side<'a>, &'s Side<'a>)> {
    let alike = |a: &Side<'_>, b: &Side<'_>| {
        a.module == b.module
            && !a.module.is_empty()
            && (a.mean - b.mean).abs() <= 0.1 * a.mean.max(b.mean)
    };
    let only = |band: &Side<'_>, others: &[&'s Side<'a>]| -> Option<&'s Side<'a>> {
        let mut found = others.iter().filter(|other| alike(band, other));
        let first = found.next()?;
        found.next().is_none().then_some(*first)
    };
    gone.iter()
        .filter_map(|old| {
            let new = only(old, fresh)?;
            only(new, gone)?;
            Some((*old, new))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::profile;
    use crate::profile::Profile;

    fn compared(before: &Profile, after: &Profile) -> Comparison {
        let slices = [before, after].map(Slice::whole);
        let analyses = [&slices[0], &slices[1]].map(Analysis::of);
        let run = |i: usize| Run { slice: &slices[i], analysis: &analyses[i] };
        compare(&[run(0)], &[run(1)]).expect("one break-down")
    }

    #[test]
    fn bands_are_matched_by_what_stays_the_same_in_two_runs() {
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
        // All of one side above all of the other: 2 of the 70 ways to share out 8 ranks.
        let p = mann_whitney(&[5.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 4.0]);
        assert!((p - 2.0 / 70.0).abs() < 1e-12, "{p}");
        let p = mann_whitney(&[1.0, 4.0, 6.0, 7.0], &[2.0, 3.0, 5.0, 8.0]);
        assert!(p > 0.8, "{p}");
    }
}
