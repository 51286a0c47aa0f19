//! Two programs, or one before and after a change, compared.
//!
//! The account accuses, and figures compare: whether a leak is new, repaired or as before is asked only where a side accuses
//! somebody, and by how much what is accused grows on both sides. Otherwise the figure is told that changed most, beyond
//! what two runs of one program differ by. What a heap did is not compared: whether a sample was taken while a table was
//! filled decides what is told of it, and is chance.
//!
//! Nothing is compared sample by sample, because two runs never sample alike. Bands are matched by
//! their identities, never by their numbers.

mod bands;
mod chance;
mod comparison_words;

use std::collections::HashSet;

use serde::Serialize;
use thiserror::Error;

pub use self::bands::{BandRow, Clocks, ComparedBands};
use self::bands::{Sides, compared_bands};
use self::chance::tested;
pub use self::chance::{Change, MEAN_NOISE};
#[cfg(feature = "cli")]
pub(crate) use self::comparison_words::times;
use crate::analysis::constants::{CHANCE, FIFTH, REPAIR, WORTH};
use crate::analysis::median::{mean, median_of};
use crate::analysis::{Account, Leak, Metric, Rise, Who};
use crate::base::sentence::Sentence;
use crate::profile::{Breakdown, Clock};
use crate::profile_view::ProfileView;
use crate::slice::Slice;

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

/// What a comparison shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The figures.
    pub figures: Vec<FigureRow>,
    /// Which run of each side is shown, as a place among its runs: the median by peak.
    #[serde(skip)]
    pub shown: [usize; 2],
    /// The grade of that run.
    pub leak: [Leak; 2],
    /// Whether it has samples enough to say anything.
    #[serde(skip)]
    pub is_judged: [bool; 2],
    /// Who is accused on each side, by name, most bytes first.
    pub accused: [Vec<String>; 2],
    /// The number of bytes that they gained; 0 if nobody is accused.
    pub grew: [f64; 2],
    /// How fast, in bytes a second, or a sample where samples have no times.
    pub rate: [f64; 2],
    /// How the leak changed; without a leak, how a figure changed.
    pub change: Change,
    /// The figure that changed most, if it is told.
    pub told: Option<Metric>,
    /// What the allocation areas are, where they are a fair part of the memory that a side holds.
    #[serde(skip)]
    pub areas: [Option<Sentence>; 2],
    /// The bands.
    #[serde(flatten)]
    pub bands: ComparedBands,
    /// Whether the sides have times that can be compared.
    pub clocks: Clocks,
    /// What a band stands for.
    pub breakdown: Breakdown,
    /// What the times of the first side count.
    #[serde(skip)]
    pub clock: Clock,
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
    let sides = [before, after];
    let shown = sides.map(median_run);
    let runs = [0, 1].map(|side| sides[side][shown[side]]);
    let accounts = runs.map(ProfileView::account);
    let is_judged = accounts.map(Account::is_judged);
    let is_accused = accounts.map(|account| account.leak >= Leak::Possible);
    let figures = figures(sides, clocks, is_accused.contains(&true));
    let leak = match is_accused {
        [false, false] => Change::Same,
        _ => leak_change(runs, is_accused, clocks),
    };
    let (change, told) = match leak {
        Change::Gone | Change::Less | Change::More | Change::New => (leak, None),
        Change::Same | Change::Open => {
            let told = told(sides, &figures, is_judged == [true; 2]);
            let is_open = is_accused == [false; 2] && is_judged != [true; 2];
            let other = if is_open { Change::Open } else { leak };
            told.map_or((other, None), |row| (row.change, Some(row.figure)))
        }
    };
    let growing = match leak {
        Change::Gone | Change::New => runs.map(accused),
        // Which samples were taken decides who else is accused of the same leak.
        Change::Less | Change::Same | Change::More => [(); 2].map(|()| runs.map(accused).concat()),
        Change::Open => Default::default(),
    };
    Ok(Comparison {
        figures,
        leak: accounts.map(|account| account.leak),
        shown,
        is_judged,
        accused: runs.map(names_of_accused),
        grew: accounts.map(|account| account.grew as f64),
        rate: accounts.map(Account::rate),
        change,
        told,
        areas: runs.map(|run| run.runtime().memory.and_then(|memory| memory.areas_words())),
        bands: compared_bands(sides, clocks, &growing),
        clocks,
        breakdown,
        clock,
    })
}

/// The run of a side that has the median peak; of those with the same, by its mean.
fn median_run(side: &[&ProfileView<'_>]) -> usize {
    let mut runs: Vec<usize> = (0..side.len()).collect();
    let heap = |at: usize| &side[at].analysis().figures.heap;
    runs.sort_by_key(|&at| (heap(at).peak, heap(at).mean));
    runs[(runs.len() - 1) / 2]
}

/// The identities of the bands that are accused.
fn accused(run: &ProfileView<'_>) -> Vec<String> {
    let rows = run.account().suspects.iter().filter_map(Rise::row);
    rows.map(|row| run.slice().identity(row)).collect()
}

fn names_of_accused(run: &ProfileView<'_>) -> Vec<String> {
    let called = |rise: &Rise| rise.row().and_then(|row| run.names(row).first().cloned());
    let suspects = run.account().suspects.iter();
    suspects.map(|rise| called(rise).unwrap_or_else(|| rise.label.clone())).collect()
}

/// How the leak changed that at least one of two runs has: how what either accuses grows in both.
fn leak_change(runs: [&ProfileView<'_>; 2], is_accused: [bool; 2], clocks: Clocks) -> Change {
    let bands = runs.map(accused).concat();
    let is_suspect = |who: Who| {
        let mut all = runs.iter().flat_map(|run| &run.account().suspects);
        all.any(|suspect| suspect.who == who)
    };
    // Where a name is missing, it may be another one's there.
    let has_all = |run: &ProfileView<'_>| {
        let slice = run.slice();
        let known: HashSet<String> = slice.rows().map(|row| slice.identity(row)).collect();
        bands.iter().all(|band| known.contains(band))
    };
    let is_all = is_suspect(Who::Heap) || !runs.into_iter().all(has_all);
    let gained = runs.map(|run| {
        let slice = run.slice();
        let is_one = |row| is_all || bands.contains(&slice.identity(row));
        let wanted: Vec<bool> = slice.rows().map(is_one).collect();
        let outside = run.account().outside.iter();
        let outside = outside.filter(|rise| rise.end.reaches_the_end() && is_suspect(rise.who));
        // Of an even rise, as much is between the means of two fifths.
        let outside = outside.map(|rise| (1.0 - FIFTH) * rise.gain).sum::<f64>();
        outside + rises(slice, |sample| slice.bytes(sample, |row| wanted[row.index()]))
    });
    let peak = median_of(runs.map(|run| run.analysis().figures.heap.peak as f64));
    // By each byte that is allocated, and by each second of a common clock; or else in all.
    let spans =
        |of: &dyn Fn(&Slice<'_>) -> Option<f64>| Some([of(runs[0].slice())?, of(runs[1].slice())?]);
    let allocated =
        spans(&|slice| slice.work().allocated.map(|work| rises(slice, |sample| work[sample])));
    let time = |slice: &Slice<'_>| Some(rises(slice, |sample| slice.axis()[sample]));
    let time = spans(&time).filter(|_| clocks == Clocks::Same);
    let mut measures: Vec<[f64; 2]> = allocated.into_iter().chain(time).collect();
    if measures.is_empty() {
        measures.push([1.0; 2]);
    }
    let is_more = |more: usize, factor: f64, part: f64, spans: &[f64; 2]| {
        let [was, is] = [more, 1 - more].map(|side| gained[side].max(0.0));
        // What the other would have gained meanwhile.
        let is = is * spans[more] / spans[1 - more].max(f64::MIN_POSITIVE);
        was > factor * is && was - is > part * peak
    };
    // That only one side is accused does not suffice: half of the samples can change that.
    let only = |more| measures.iter().any(|spans| is_more(more, CHANCE * CHANCE, 0.0, spans));
    // All of them must say so: a program that waits, or works twice as fast, does not leak less, or more.
    let all = |more, factor, part| measures.iter().all(|it| is_more(more, factor, part, it));
    let [knows_before, knows_after] = runs.map(|run| run.account().is_judged());
    match is_accused {
        [true, false] if !knows_after => Change::Open,
        [false, true] if !knows_before => Change::Open,
        [true, false] if only(0) => Change::Gone,
        [false, true] if only(1) => Change::New,
        [true, true] if all(0, REPAIR, 0.0) => Change::Gone,
        _ if all(0, CHANCE, WORTH) => Change::Less,
        _ if all(1, CHANCE, WORTH) => Change::More,
        _ => Change::Same,
    }
}

/// How much more something is in the last fifth of the samples that have anything than in the first. The last sample is no
/// part of it: the exit may have freed what it has.
fn rises(slice: &Slice<'_>, of: impl Fn(usize) -> f64) -> f64 {
    let full: Vec<usize> = (0..slice.len()).filter(|&sample| slice.total(sample) > 0).collect();
    let last = full.len().saturating_sub(1);
    let fifth = (full.len() / 5).max(1);
    let mean_of = |samples: &[usize]| mean(&samples.iter().map(|&at| of(at)).collect::<Vec<_>>());
    mean_of(&full[last.saturating_sub(fifth)..last]) - mean_of(&full[..fifth.min(last)])
}

/// The figure that is told where no leak changed: the first of these that differs beyond what two runs of one program do.
fn told<'f>(
    sides: Sides<'_, '_>,
    figures: &'f [FigureRow],
    is_judged: bool,
) -> Option<&'f FigureRow> {
    let peak = if is_judged { 1.0 } else { CHANCE * CHANCE };
    // A peak alone depends on when a sample was taken, and a mean over time on a long part without samples.
    let told = [
        (Metric::Peak, peak, Some(Clocks::Same)),
        (Metric::Mean, CHANCE, Some(Clocks::Different)),
        (Metric::HeapSize, CHANCE, None),
        (Metric::Pauses, 1.0, None),
        (Metric::LongestPause, 1.0, None),
        (Metric::Productivity, CHANCE, None),
    ];
    told[..if is_judged { told.len() } else { 1 }].iter().find_map(|&(figure, factor, also)| {
        let row = figures.iter().find(|row| row.figure == figure)?;
        let is_far = row.before.max(row.after) > factor * row.before.min(row.after);
        let agrees = |clocks| {
            figure_row(Metric::Mean, sides, clocks).is_some_and(|mean| mean.change == row.change)
        };
        let is_told = matches!(row.change, Change::Less | Change::More if is_far);
        (is_told && also.is_none_or(agrees)).then_some(row)
    })
}

impl Comparison {
    /// Whether the second side is worse.
    pub(crate) fn is_worse(&self) -> bool {
        match self.change {
            Change::New => true,
            Change::More => self.told != Some(Metric::Productivity),
            Change::Less => self.told == Some(Metric::Productivity),
            Change::Gone | Change::Same | Change::Open => false,
        }
    }
}

/// The figures that both sides have, and by a common clock those of a clock; growth only if one of them is accused.
fn figures(sides: Sides<'_, '_>, clocks: Clocks, is_accused: bool) -> Vec<FigureRow> {
    let is_shown = |figure: &Metric| {
        (is_accused || !matches!(figure, Metric::Growth | Metric::Keep))
            && (clocks == Clocks::Same || !figure.is_by_clock())
    };
    let all = Metric::ALL.into_iter().filter(is_shown);
    all.filter_map(|figure| figure_row(figure, sides, clocks)).collect()
}

/// `None` if a side does not have it, or if it is not shown.
fn figure_row(figure: Metric, sides: Sides<'_, '_>, clocks: Clocks) -> Option<FigureRow> {
    // By how much two runs of one program differ (measured: `docs/diagnosis.md`).
    let noise = match figure {
        Metric::Peak | Metric::P99 | Metric::Duration => Some(0.1),
        Metric::HeapSize | Metric::Live | Metric::Allocated => Some(0.1),
        Metric::Mean | Metric::Productivity => Some(MEAN_NOISE),
        Metric::Growth | Metric::Keep => Some(0.25),
        // Twice as much, and five times as much, on a busy machine.
        Metric::Pauses => Some(0.5),
        Metric::LongestPause => Some(0.8),
        Metric::Final | Metric::Samples => None,
        Metric::Leak | Metric::Shape => return None,
    };
    let value = |run: &&ProfileView<'_>| match (figure, clocks) {
        (Metric::Mean, Clocks::Different) => {
            let full = run.analysis().figures.total.iter().filter(|&&bytes| bytes > 0);
            Some(mean(&full.map(|&bytes| bytes as f64).collect::<Vec<_>>()))
        }
        (figure, _) => figure.of_heap(run.slice(), run.analysis()),
    };
    let values = |side: &[&ProfileView<'_>]| side.iter().map(value).collect::<Option<Vec<f64>>>();
    let values = [values(sides[0])?, values(sides[1])?];
    let [before, after] = values.each_ref().map(|values| median_of(values.iter().copied()));
    let p = tested(&values);
    let change = noise.map_or(Change::Open, |noise| Change::of_figure(before, after, noise, p));
    Some(FigureRow { figure, before, after, change, p })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::profile;
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
            .rows
            .iter()
            .map(|row| (row.label.as_str(), row.before, row.after))
            .collect();
        assert_eq!(rows, [("goes", 500.0, 0.0), ("comes", 0.0, 300.0), ("stays", 1000.0, 1100.0)]);
        assert_eq!(found.bands.small, 1);
        assert!((found.bands.matched_percent - 100.0 * 2100.0 / 2900.5).abs() < 1e-6);
        let judged = |figure| found.figures.iter().find(|row| row.figure == figure).unwrap().change;
        assert_eq!(judged(Metric::Peak), Change::Same);
        assert_eq!(judged(Metric::Final), Change::Open);
    }

    #[test]
    fn the_test_of_mann_and_whitney_is_nearly_exact_for_few_runs() {
        let found = |a: &[f64], b: &[f64]| tested(&[a.to_vec(), b.to_vec()]).expect("four or more");
        // All runs of one side are above all of the other: 2 of the 70 ways to share out 8 ranks; of 126, for 9.
        for (p, exact) in [
            (found(&[5.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 4.0]), 2.0 / 70.0),
            (found(&[4.0, 6.0, 7.0, 8.0], &[1.0, 2.0, 3.0, 5.0]), 4.0 / 70.0),
            (found(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0, 9.0]), 2.0 / 126.0),
            (found(&[1.0, 2.0, 3.0, 5.0], &[4.0, 6.0, 7.0, 8.0, 9.0]), 4.0 / 126.0),
            (found(&[1.0, 2.0, 4.0, 5.0], &[3.0, 6.0, 7.0, 8.0, 9.0]), 8.0 / 126.0),
        ] {
            assert!((p - exact).abs() < 0.01 && (p > 0.05) == (exact > 0.05), "{p} {exact}");
        }
        let p = found(&[1.0, 4.0, 6.0, 7.0], &[2.0, 3.0, 5.0, 8.0]);
        assert!(p > 0.8, "{p}");
        assert_eq!(found(&[1.0; 4], &[1.0; 4]), 1.0);
        assert_eq!(tested(&[vec![1.0; 3], vec![2.0; 9]]), None);
    }
}
