//! Decides which bands are drawn, and in what order, exactly by the rules of hp2ps.
//!
//! Source: `docs/format/hp.md#ranking`. The steps always happen in this order, each starting from
//! the order that the previous step left, bottom of the stack first:
//!
//! 0. select the rows that take part (in hp2ps all rows do);
//! 1. every row's total, the plain sum of its points; sort ascending (2.2);
//! 2. set the *trace elements* apart: the smallest bands as long as their cumulative share stays
//!    below the threshold (2.2);
//! 3. sort by the chosen key (2.3, 2.4);
//! 4. fold the bands at the bottom into OTHER when there are more than the limit.
//!
//! Even ties are hp2ps's: its starting order comes from a name hash and its sort is not stable,
//! see `order.rs`. The one departure is arithmetic: totals are exact here, where hp2ps rounds them
//! beyond 2^53 and wraps beyond 2^63.

mod order;

use std::num::NonZeroUsize;

use crate::profile::BandNames;
use crate::slice::{RowId, Slice};

/// How to rank. The defaults are hp2ps's.
#[derive(Clone, Debug, PartialEq)]
pub struct RankOptions {
    /// Trace threshold in percent of the grand total, 0 to 100; 0 keeps every band. Default 1.
    pub trace_percent: f64,
    /// The most layers, including OTHER; `None` for as many as the size of the input allows, see
    /// [`Ranking::no_room`]. Default 20.
    pub band_limit: Option<NonZeroUsize>,
    /// What the stack is sorted by. Default: total.
    pub sort: SortKey,
    /// Rows that are kept however small they are, the most important first: all that the limit has room for next to
    /// OTHER, and always the first. Default: none.
    pub named: Vec<RowId>,
}

impl Default for RankOptions {
    fn default() -> Self {
        RankOptions {
            trace_percent: 1.0,
            band_limit: NonZeroUsize::new(20),
            sort: SortKey::Total,
            named: Vec::new(),
        }
    }
}

impl RankOptions {
    /// The named rows that have room.
    fn kept_by_name(&self) -> &[RowId] {
        let places = self.band_limit.map_or(usize::MAX, |limit| limit.get() - 1);
        &self.named[..self.named.len().min(places.max(1))]
    }
}

/// What the bands are sorted by, ascending from the bottom of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SortKey {
    /// The sum of a band's points: the biggest on top.
    Total,
    /// hp2ps's standard deviation: the greatest on top.
    Deviation,
    /// The name's bytes: the last in the alphabet on top. Eras by number.
    Name,
    /// The name's bytes: the first in the alphabet on top. Eras by number.
    NameDescending,
}

/// The result: four lists, in which each row of the slice occurs exactly once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// Rows with a layer of their own, bottom of the stack first, above OTHER.
    pub kept: Vec<RowId>,
    /// The rows that OTHER stands for. If it is empty, there is no OTHER.
    pub other: Vec<RowId>,
    /// How many of these are in OTHER only because separate rows would take more memory than an
    /// input of this size may use.
    pub no_room: usize,
    /// The trace elements that are not drawn, smallest first.
    pub trace: Vec<RowId>,
    /// The rows that do not take part, in order of first appearance.
    pub excluded: Vec<RowId>,
    /// The total of every row, by [`RowId::index`]: bytes summed over samples.
    pub totals: Vec<u128>,
}

impl Ranking {
    /// The total of some rows together.
    pub fn total_of(&self, rows: &[RowId]) -> u128 {
        rows.iter().map(|row| self.totals[row.index()]).sum()
    }

    /// The total of all rows, including trace elements and excluded rows.
    pub fn grand_total(&self) -> u128 {
        self.totals.iter().sum()
    }
}

/// Figures to rank by, instead of the slice's own, by [`RowId::index`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankFigures {
    pub totals: Vec<f64>,
    /// The place of a row in the stack; 0 for a row without one. The stack is sorted by it last, so
    /// that rows with equal places keep the order of the other keys.
    pub places: Vec<i32>,
}

/// Ranks the rows of a slice.
pub fn rank(slice: &Slice<'_>, options: &RankOptions) -> Ranking {
    let totals = totals(slice);
    let mut rows = order::starting_order(slice);
    order::sort_by_key(&mut rows, |row| totals[row.index()]);
    let dropped = set_apart(&mut rows, &totals, options);
    finish(slice, totals, rows, dropped, options, None)
}

/// Ranks the rows of a slice by figures from the caller.
pub fn rank_given(slice: &Slice<'_>, options: &RankOptions, given: &RankFigures) -> Ranking {
    let total = |row: RowId| given.totals[row.index()];
    let mut rows = order::starting_order(slice);
    order::sort_by_key(&mut rows, total);
    let dropped = trace_count(&rows, total, options.trace_percent);
    finish(slice, totals(slice), rows, dropped, options, Some(&given.places))
}

/// Ranks the rows of a slice in the order of some keys, the greatest on top. They choose and order: what is set
/// apart as trace elements is as few bytes as in [`rank`].
pub fn rank_by(slice: &Slice<'_>, options: &RankOptions, keys: &[f64]) -> Ranking {
    let mut rows = order::starting_order(slice);
    let totals = totals(slice);
    order::sort_by_key(&mut rows, |row| totals[row.index()]);
    let dropped = set_apart(&mut rows, &totals, options);
    order::sort_by_key(&mut rows[dropped..], |row| keys[row.index()]);
    finish(slice, totals, rows, dropped, options, None)
}

/// The steps after the first: separates the trace elements, orders the rest, and folds the rows
/// over the limit. `rows` are in ascending order, the first `dropped` of them are trace elements.
fn finish(
    slice: &Slice<'_>,
    totals: Vec<u128>,
    mut rows: Vec<RowId>,
    dropped: usize,
    options: &RankOptions,
    places: Option<&[i32]>,
) -> Ranking {
    let mut kept = rows.split_off(dropped);
    let trace = rows;

    // hp2ps, which gives places, does not know eras.
    let has_numbers = places.is_none() && slice.breakdown().traits().names == BandNames::Numbers;
    let name = |row| {
        let name = slice.name(row);
        (if has_numbers { order::number(name) } else { None }, name)
    };
    match options.sort {
        SortKey::Total => {}
        SortKey::Deviation => {
            let deviations = deviations(slice);
            order::sort_by_key(&mut kept, |row| deviations[row.index()]);
        }
        SortKey::Name => order::sort_by_key(&mut kept, name),
        SortKey::NameDescending => {
            order::sort_by_key(&mut kept, |row| std::cmp::Reverse(name(row)));
        }
    }
    if let Some(places) = places {
        order::sort_by_key(&mut kept, |row| places.get(row.index()).copied().unwrap_or(0));
    }

    let layers = kept.len();
    let over = |limit: usize| if layers > limit { layers + 1 - limit } else { 0 };
    let wanted = over(options.band_limit.map_or(usize::MAX, NonZeroUsize::get));
    let bottom = wanted.max(over(most_layers(slice.len(), slice.points())));
    let no_room = bottom - wanted;
    let (named, mut left) = (options.kept_by_name(), bottom);
    let is_folded = |row: &mut RowId| {
        let folds = left > 0 && !named.contains(row);
        left -= usize::from(folds);
        folds
    };
    let other = kept.extract_if(.., is_folded).collect();
    let excluded = slice.rows().filter(|&row| !slice.is_selected(row)).collect();
    Ranking { kept, other, no_room, trace, excluded, totals }
}

/// Puts the trace elements before all other rows, which stay in order, and returns how many there are.
fn set_apart(rows: &mut [RowId], totals: &[u128], options: &RankOptions) -> usize {
    let dropped = trace_count(rows, |row| totals[row.index()] as f64, options.trace_percent);
    let named = options.kept_by_name();
    rows[..dropped].sort_by_key(|row| named.contains(row));
    rows[..dropped].partition_point(|row| !named.contains(row))
}

/// How many of the ascending rows are trace elements. All of them if the grand total is zero,
/// because the shares are then not numbers, and hp2ps drops all rows.
fn trace_count(ascending: &[RowId], total: impl Fn(RowId) -> f64, percent: f64) -> usize {
    let grand: f64 = ascending.iter().map(|&row| total(row)).sum();
    let mut cumulative = 0.0;
    ascending
        .iter()
        .position(|&row| {
            cumulative += (100.0 * total(row)) / grand;
            cumulative >= percent
        })
        .unwrap_or(ascending.len())
}

// How much memory the rows of a chart may take: the bound on every output that has a number for
// each band in each sample.
//
// A profile is sparse. A file of a megabyte can name 60 000 bands over 3 000 samples, each band
// once; a table of them has 180 million numbers. So the rows of all layers together may have a few
// numbers for every point of the input, and some more so that small inputs never reach the bound.
// `docs/reference.md` states what this means for memory, and `tests/command/matrix` checks it.

/// How many numbers are allowed for any input: 12 MiB of rows.
const ALWAYS: usize = 3 << 19;

/// How many more are allowed for each point. A point takes at least 14 bytes of an input, and a
/// number 8 bytes of memory.
const FOR_A_POINT: usize = 2;

/// What a layer costs in addition to its row (names, its place in a picture and in its key), in
/// numbers.
const FOR_A_LAYER: usize = 128;

/// The default number of layers is allowed for any number of samples, because a sample takes space
/// in the input, too.
const AT_LEAST: usize = 20;

/// The most layers of a chart of this many samples with this many points.
fn most_layers(samples: usize, points: usize) -> usize {
    let numbers = ALWAYS.saturating_add(FOR_A_POINT.saturating_mul(points));
    (numbers / samples.saturating_add(FOR_A_LAYER)).max(AT_LEAST)
}

/// The plain sum of each row's points, by row index (`docs/format/hp.md#trace-elements`): not an area,
/// not weighted by time.
fn totals(slice: &Slice<'_>) -> Vec<u128> {
    let mut totals = vec![0u128; slice.rows().len()];
    slice.each_point_of_all(|row, size| totals[row.index()] += u128::from(size.get()));
    totals
}

/// hp2ps's standard deviation of each row, by row index (`docs/format/hp.md#deviation`).
///
/// The mean counts a sample without the row as zero, but the squares leave it out; a row named
/// twice in a sample has two points. With one sample, the divisor is zero and the result is not a
/// number, or infinite. heapviz keeps all of this, because users compare its pictures with hp2ps's.
pub fn deviations(slice: &Slice<'_>) -> Vec<f64> {
    let mut sums = vec![0.0f64; slice.rows().len()];
    slice.each_point_of_all(|row, size| sums[row.index()] += size.get() as f64);
    let samples = slice.len() as f64;
    let means: Vec<f64> = sums.into_iter().map(|sum| sum / samples).collect();
    let mut squares = vec![0.0f64; slice.rows().len()];
    slice.each_point_of_all(|row, size| {
        let distance = size.get() as f64 - means[row.index()];
        squares[row.index()] += distance * distance;
    });
    squares.into_iter().map(|sum| (sum / (samples - 1.0)).sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Profile, ProfileBuilder, Source};
    use crate::slice::SliceOptions;

    fn profile(points: &[(&str, u64)]) -> Profile {
        let mut builder = ProfileBuilder::new(Source::Hp);
        builder.sample(0, points.iter().copied());
        builder.finish()
    }

    fn limit(n: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(n)
    }

    #[test]
    fn every_band_is_in_exactly_one_of_the_four_lists() {
        let points: Vec<(String, u64)> =
            (0..60).map(|i| (format!("b{i}"), (i * i * i) as u64)).collect();
        let points: Vec<(&str, u64)> = points.iter().map(|(n, s)| (n.as_str(), *s)).collect();
        let profile = profile(&points);
        for band_limit in [None, limit(1), limit(2), limit(20), limit(60), limit(61)] {
            let mut slice = SliceOptions::default();
            slice.selection.exclude.push("3".parse().unwrap());
            let slice = Slice::new(&profile, &slice).unwrap();
            let options = RankOptions { band_limit, ..RankOptions::default() };
            let ranking = super::rank(&slice, &options);
            assert_eq!(ranking.excluded.len(), 15);
            let layers = ranking.kept.len() + usize::from(!ranking.other.is_empty());
            let lists = [ranking.kept, ranking.other, ranking.trace, ranking.excluded];
            let mut all = lists.concat();
            all.sort();
            assert_eq!(all, slice.rows().collect::<Vec<_>>());
            if let Some(limit) = band_limit {
                assert!(layers <= limit.get(), "{layers} layers, {limit} allowed");
            }
        }
    }
}
