//! Columns: what a picture shows of samples that are closer together than its pixels.
//!
//! Drawn one by one, such samples would turn a chart black: every pixel would get a line up and one
//! down. So the axis is divided into columns of a few pixels, and each column shows one number for
//! each layer: its mean. The lowest and highest total of each column are also kept, so no peak is lost.
//! `docs/reference.md` has the rules for readers.

use std::borrow::Cow;

use super::Chart;
use crate::analysis::median::median_of;
use crate::base::units::Bytes;

/// A place on the horizontal axis, in the axis' units.
pub type Place = i64;

/// Two successive samples so far apart that nothing is known about the time between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    pub from: Place,
    pub to: Place,
    /// The index of the sample at its end, among those that have places.
    pub next: usize,
}

impl Gap {
    /// Whether most of it lies between these places: figures of the run-time system may begin or end
    /// a little inside it.
    fn is_between(self, from: Place, to: Place) -> bool {
        let both = self.to.min(to) as f64 - self.from.max(from) as f64;
        both > (self.to as f64 - self.from as f64) / 2.0
    }
}

/// An axis cut into columns of equal width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raster {
    /// The left end of the axis.
    pub low: Place,
    /// The right end, greater than `low`.
    pub high: Place,
    pub count: usize,
}

/// How the samples of a column are weighted in its mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// By time, by the trapezoid rule: each piece of the straight line between two samples counts
    /// by its length.
    Time,
    /// All samples count the same.
    Equal,
}

/// Samples are dense if a column has this many or more on average.
const DENSE: f64 = 2.0;

/// Fewer samples than this are always drawn one by one.
const FEW: usize = 100;

/// A gap is at least this many columns wide, so that it is visible as one.
const GAP_COLUMNS: f64 = 4.0;
/// A part of a run without samples is longer than so many intervals of usual length.
const GAP: f64 = 10.0;

/// Fewer samples than this do not show which length is usual.
const USUAL: usize = 8;
/// So many intervals on each side of a gap show which length is usual there.
const BESIDE: usize = USUAL / 2;

impl Raster {
    fn holds(&self, place: Place) -> bool {
        (self.low..=self.high).contains(&place)
    }

    fn width(&self) -> f64 {
        (self.high as f64 - self.low as f64) / self.count as f64
    }

    /// The column of a place on the axis.
    fn column(&self, place: Place) -> usize {
        let from_low = place as f64 - self.low as f64;
        ((from_low / self.width()) as usize).min(self.count - 1)
    }

    /// The place where a column ends.
    fn end(&self, column: usize) -> f64 {
        self.low as f64 + self.width() * (column + 1) as f64
    }

    /// Whether places, in ascending order, are so close that they are shown in columns.
    pub fn is_dense(&self, places: &[Place]) -> bool {
        let inside = &places[places.partition_point(|&place| place < self.low)
            ..places.partition_point(|&place| place <= self.high)];
        let (Some(&first), Some(&last)) = (inside.first(), inside.last()) else { return false };
        let spanned = (last as f64 - first as f64) / self.width();
        inside.len() >= FEW && inside.len() as f64 >= DENSE * spanned.max(1.0)
    }

    /// The gaps between these places, which are in ascending order: much longer than usual, in all and beside them.
    pub fn gaps(&self, places: &[Place]) -> Vec<Gap> {
        let interval = |gap: &Gap| gap.to as f64 - gap.from as f64;
        let gap = |(i, pair): (usize, &[Place])| Gap { from: pair[0], to: pair[1], next: i + 1 };
        let pairs = || places.windows(2).enumerate().map(gap);
        let is_wide = |gap: &Gap| interval(gap) >= GAP_COLUMNS * self.width();
        let mut wide: Vec<Gap> = pairs().filter(is_wide).collect();
        if wide.is_empty() || places.len() < USUAL {
            return Vec::new();
        }
        let usual = |places: &[Place]| {
            let lengths = places.windows(2).map(|pair| pair[1] as f64 - pair[0] as f64);
            median_of(lengths.filter(|length| *length > 0.0))
        };
        let anywhere = usual(places);
        wide.retain(|gap| {
            let (before, after) = places.split_at(gap.next);
            let before = usual(&before[before.len().saturating_sub(BESIDE + 1)..]);
            let beside = before.max(usual(&after[..after.len().min(BESIDE + 1)]));
            interval(gap) > GAP * anywhere.max(beside)
        });
        wide
    }
}

/// The lowest and the highest total of one column, each with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TotalRange {
    /// The first of the lowest.
    pub low: (Place, u128),
    /// The first of the highest.
    pub high: (Place, u128),
}

/// The numbers that a picture shows of a chart, from left to right.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    pub places: Vec<Place>,
    /// The residency of each layer, bottom first.
    pub layers: Vec<Cow<'a, [Bytes]>>,
    /// The residency of all bands together, drawn or not.
    pub total: Cow<'a, [u128]>,
    /// The range of the total in each column that has a sample; empty when every sample is shown.
    pub range: Vec<TotalRange>,
    /// How many samples the fullest column has; 0 when every sample is shown.
    pub most: usize,
    /// Where lines and areas are interrupted.
    pub gaps: Vec<Gap>,
}

/// The samples that one column is made of, with weights that add up to 1.
struct Mixture {
    /// The left and the right end of the samples in the column.
    ends: (f64, f64),
    parts: Vec<(usize, f64)>,
}

impl Mixture {
    fn of(&self, value: impl Fn(usize) -> f64) -> f64 {
        self.parts.iter().map(|&(sample, weight)| weight * value(sample)).sum()
    }
}

impl Columns<'static> {
    /// One sample, drawn from one place to another.
    pub fn bar(chart: &Chart, sample: usize, ends: [Place; 2]) -> Self {
        let twice = |layer: &super::Layer| Cow::Owned(vec![layer.residency[sample]; 2]);
        Columns {
            places: ends.to_vec(),
            layers: chart.layers.iter().map(twice).collect(),
            total: Cow::Owned(vec![chart.total[sample]; 2]),
            range: Vec::new(),
            most: 0,
            gaps: Vec::new(),
        }
    }
}

impl<'a> Columns<'a> {
    fn every(chart: &'a Chart, places: Vec<Place>, raster: Raster) -> Self {
        let censuses = &chart.censuses;
        let sizes = chart.layers.iter().map(|layer| &layer.residency[censuses.clone()]);
        Columns {
            layers: sizes.map(Cow::Borrowed).collect(),
            total: Cow::Borrowed(&chart.total[censuses.clone()]),
            range: Vec::new(),
            most: 0,
            gaps: raster.gaps(&places),
            places,
        }
    }

    /// The columns of a chart whose [censuses](Chart::censuses) have these places, in ascending order; every one if
    /// they are not dense.
    pub fn new(chart: &'a Chart, places: Vec<Place>, raster: Raster, weighing: Weighing) -> Self {
        if !raster.is_dense(&places) {
            return Columns::every(chart, places, raster);
        }
        let gaps = raster.gaps(&places);
        let total = &chart.total[chart.censuses.clone()];
        let ranges = ranges(&places, raster, |sample| total[sample]);
        let mixtures = mixtures(&places, raster, weighing, &gaps);
        let shown = extended_places(&mixtures, &gaps);
        let layers = chart.layers.iter().map(|layer| {
            let sizes = &layer.residency[chart.censuses.clone()];
            let value = |sample: usize| sizes[sample].get() as f64;
            shown.iter().map(|&(_, i)| Bytes::new(mixtures[i].of(value).round() as u64)).collect()
        });
        let totals = shown
            .iter()
            .map(|&(_, i)| mixtures[i].of(|sample| total[sample] as f64).round() as u128);
        let span = |range: &Range| TotalRange {
            low: (places[range.low], total[range.low]),
            high: (places[range.high], total[range.high]),
        };
        Columns {
            layers: layers.map(Cow::Owned).collect(),
            total: Cow::Owned(totals.collect()),
            range: ranges.iter().map(span).collect(),
            most: ranges.iter().map(|range| range.samples).max().unwrap_or(0),
            places: shown.into_iter().map(|(place, _)| place).collect(),
            gaps,
        }
    }

    /// A line in pieces between the gaps.
    pub fn pieces(&self, line: Vec<(Place, u128)>) -> Vec<Vec<(Place, u128)>> {
        if self.gaps.is_empty() {
            return vec![line];
        }
        let is_joined = |a: &(Place, u128), b: &(Place, u128)| !self.is_interrupted(a.0, b.0);
        line.chunk_by(is_joined).map(<[_]>::to_vec).collect()
    }

    /// The straight parts of a line across the gaps; those that meet are one.
    pub fn bridges(&self, line: &[(Place, u128)]) -> Vec<Vec<(Place, u128)>> {
        let mut bridges: Vec<Vec<(Place, u128)>> = Vec::new();
        for ends in line.windows(2).filter(|ends| self.is_interrupted(ends[0].0, ends[1].0)) {
            match bridges.last_mut().filter(|last| last.last() == Some(&ends[0])) {
                Some(last) => last.push(ends[1]),
                None => bridges.push(ends.to_vec()),
            }
        }
        bridges
    }

    /// Whether there is a gap between two places.
    pub fn is_interrupted(&self, from: Place, to: Place) -> bool {
        self.gaps.iter().any(|gap| gap.is_between(from, to))
    }

    /// Whether samples are shown in columns.
    pub fn are_dense(&self) -> bool {
        self.most > 0
    }
}

/// A series in columns: the means of its points. `None` if the points are not
/// dense. They must be in order of place.
pub fn series(
    points: &[(Place, u128)],
    raster: Raster,
    weighing: Weighing,
) -> Option<Vec<(Place, u128)>> {
    let places: Vec<Place> = points.iter().map(|point| point.0).collect();
    if !raster.is_dense(&places) {
        return None;
    }
    let gaps = raster.gaps(&places);
    let mixtures = mixtures(&places, raster, weighing, &gaps);
    let shown = extended_places(&mixtures, &gaps).into_iter();
    let value = |i: usize| mixtures[i].of(|point| points[point].1 as f64).round() as u128;
    Some(shown.map(|(place, i)| (place, value(i))).collect())
}

/// The place of each mixture. The first and the last before a gap or an end extend to the ends of the
/// samples.
fn extended_places(mixtures: &[Mixture], gaps: &[Gap]) -> Vec<(Place, usize)> {
    let place = |mixture: &Mixture| f64::midpoint(mixture.ends.0, mixture.ends.1).round() as Place;
    let is_apart = |a: &Mixture, b: &Mixture| {
        let (from, to) = (a.ends.1 as Place, b.ends.0 as Place);
        gaps.iter().any(|gap| gap.is_between(from, to))
    };
    let mut shown: Vec<(Place, usize)> = Vec::new();
    for (i, mixture) in mixtures.iter().enumerate() {
        if i == 0 || is_apart(&mixtures[i - 1], mixture) {
            shown.push((mixture.ends.0.round() as Place, i));
        }
        shown.push((place(mixture), i));
        if mixtures.get(i + 1).is_none_or(|next| is_apart(mixture, next)) {
            shown.push((mixture.ends.1.round() as Place, i));
        }
    }
    shown
}

/// Which samples of a column have the lowest and highest value.
struct Range {
    column: usize,
    low: usize,
    high: usize,
    samples: usize,
    ends: (f64, f64),
}

/// The ranges of the samples at these places.
fn ranges(places: &[Place], raster: Raster, value: impl Fn(usize) -> u128) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    let samples = places.iter().copied().enumerate();
    for (sample, place) in samples.filter(|(_, place)| raster.holds(*place)) {
        let column = raster.column(place);
        match ranges.last_mut().filter(|range| range.column == column) {
            Some(range) => {
                range.samples += 1;
                range.ends.1 = place as f64;
                if value(sample) < value(range.low) {
                    range.low = sample;
                }
                if value(sample) > value(range.high) {
                    range.high = sample;
                }
            }
            None => ranges.push(Range {
                column,
                low: sample,
                high: sample,
                samples: 1,
                ends: (place as f64, place as f64),
            }),
        }
    }
    ranges
}

/// What each column shows.
fn mixtures(places: &[Place], raster: Raster, weighing: Weighing, gaps: &[Gap]) -> Vec<Mixture> {
    match weighing {
        Weighing::Equal => ranges_of_equals(places, raster),
        Weighing::Time => trapezoids(places, raster, gaps),
    }
}

fn ranges_of_equals(places: &[Place], raster: Raster) -> Vec<Mixture> {
    // The values do not matter here, only which samples share a column.
    let columns = ranges(places, raster, |_| 0);
    let mixture = |range: &Range| {
        let weight = 1.0 / range.samples as f64;
        let samples = range.low..range.low + range.samples;
        Mixture { ends: range.ends, parts: samples.map(|sample| (sample, weight)).collect() }
    };
    columns.iter().map(mixture).collect()
}

/// The straight lines between samples, cut at the edges of columns: in each piece, the share of
/// either sample is the distance from the middle of the piece to the other sample.
fn trapezoids(places: &[Place], raster: Raster, gaps: &[Gap]) -> Vec<Mixture> {
    let mut mixtures: Vec<Mixture> = Vec::new();
    // The column of the last mixture, and where that ends: nearly every piece is in it, too.
    let (mut column, mut edge) = (usize::MAX, f64::NEG_INFINITY);
    let mut missing = gaps.iter().peekable();
    let mut is_alone = false;
    for (i, pair) in places.windows(2).enumerate() {
        let (a, b) = (pair[0] as f64, pair[1] as f64);
        if missing.next_if(|gap| gap.next == i + 1).is_some() {
            if i == 0 || is_alone {
                mixtures.push(Mixture { ends: (a, a), parts: vec![(i, 1.0)] });
            }
            (column, is_alone) = (usize::MAX, true);
            continue;
        }
        is_alone = false;
        let (mut from, to) = (a.max(raster.low as f64), b.min(raster.high as f64));
        while from < to {
            let mut next = raster.column(from as Place);
            if next != column || edge <= from {
                // Rounding may have put an edge into the column before it.
                while raster.end(next) <= from && next + 1 < raster.count {
                    next += 1;
                }
            }
            if next != column {
                let is_last = next + 1 == raster.count;
                (column, edge) = (next, if is_last { f64::INFINITY } else { raster.end(next) });
                mixtures.push(Mixture { ends: (from, from), parts: Vec::new() });
            }
            let Some(Mixture { ends, parts }) = mixtures.last_mut() else { break };
            let end = edge.min(to);
            let (width, middle) = (end - from, f64::midpoint(from, end));
            let second = (middle - a) / (b - a);
            let first = width * (1.0 - second);
            match parts.last_mut() {
                Some(part) if part.0 == i => part.1 += first,
                _ => parts.push((i, first)),
            }
            parts.push((i + 1, width * second));
            ends.1 = end;
            from = end;
        }
    }
    if is_alone && let Some(&last) = places.last() {
        let ends = (last as f64, last as f64);
        mixtures.push(Mixture { ends, parts: vec![(places.len() - 1, 1.0)] });
    }
    for mixture in &mut mixtures {
        let all: f64 = mixture.parts.iter().map(|part| part.1).sum();
        mixture.parts.iter_mut().for_each(|part| part.1 /= all);
    }
    mixtures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Nanos;
    use crate::chart::testing::Recipe;
    use crate::profile::{ProfileBuilder, Source};
    use crate::slice::rank::{RankOptions, rank};
    use crate::slice::{Bound, Slice, SliceOptions, Window};

    const RASTER: Raster = Raster { low: 0, high: 1000, count: 10 };

    fn chart(samples: usize, size: impl Fn(usize, usize) -> u64) -> Chart {
        Recipe { times: (0..samples as i64).collect(), ..Recipe::of(3, 0) }.chart(size)
    }

    fn saw(band: usize, sample: usize) -> u64 {
        1000 * (band as u64 + 1) + (sample as u64 * 7919) % 997
    }

    #[test]
    fn few_or_sparse_samples_are_all_drawn() {
        let places = |step: i64, count: i64| (0..count).map(|i| i * step).collect::<Vec<i64>>();
        assert!(RASTER.is_dense(&places(1, 1000)));
        assert!(RASTER.is_dense(&places(1, 100)), "the left tenth of the axis is dense");
        assert!(!RASTER.is_dense(&places(1, 99)));
        assert!(!Raster { count: 100, ..RASTER }.is_dense(&places(10, 100)));
        assert!(!RASTER.is_dense(&[]));
        let chart = chart(50, saw);
        let places = places(20, 50);
        let columns = Columns::new(&chart, places.clone(), RASTER, Weighing::Time);
        assert_eq!((columns.places, columns.most), (places, 0));
    }

    #[test]
    fn means_are_weighted_by_time_and_add_up() {
        // 300 samples in the first half of a column, 1 at its end: weighted by time, the halves
        // count the same.
        let mut places: Vec<i64> = (0..300).map(|i| i / 6).collect();
        places.push(100);
        let chart =
            chart(301, |band, sample| if sample == 300 { 3000 } else { 1000 + band as u64 });
        let raster = Raster { low: 0, high: 100, count: 1 };
        let columns = Columns::new(&chart, places.clone(), raster, Weighing::Time);
        // 49 of 1000, then 51 on the way from 1000 to 3000.
        let mean = (49.0 * 1000.0 + 51.0 * 2000.0) / 100.0;
        let lowest = columns.layers.iter().map(|layer| layer[0].get()).min().unwrap();
        assert_eq!(lowest, mean as u64);
        let sum: u64 = columns.layers.iter().map(|layer| layer[0].get()).sum();
        assert!(columns.total[0].abs_diff(u128::from(sum)) <= 3);
        let columns = Columns::new(&chart, places, raster, Weighing::Equal);
        let lowest = columns.layers.iter().map(|layer| layer[0].get()).min().unwrap();
        assert_eq!(lowest, ((300.0 * 1000.0 + 3000.0) / 301.0_f64).round() as u64);
    }

    #[test]
    fn columns_of_means_have_the_same_area_as_the_samples() {
        let chart = chart(1001, saw);
        let places: Vec<i64> = (0..=1000).collect();
        let columns = Columns::new(&chart, places, RASTER, Weighing::Time);
        assert_eq!(columns.places.len(), 12, "ten columns, and both ends");
        let area: f64 =
            (0..1000).map(|i| (chart.total[i] as f64 + chart.total[i + 1] as f64) / 2.0).sum();
        let drawn: f64 = columns.total[1..11].iter().map(|&mean| mean as f64 * 100.0).sum();
        assert!((drawn / area - 1.0).abs() < 1e-4, "{drawn} {area}");
    }

    /// The run-time system writes an empty sample at either end of a `.hp`, which is no census.
    #[test]
    fn the_empty_samples_at_the_ends_of_a_hp_are_not_drawn() {
        let drawn = |source: Source, window: (i64, i64)| {
            let mut builder = ProfileBuilder::new(source);
            for (time, bytes) in [0, 5, 7, 0, 9, 0].into_iter().enumerate() {
                builder.sample(time as i64, [("a", bytes)]);
            }
            let profile = builder.finish();
            let [from, to] = [window.0, window.1].map(|time| Bound::Time(Nanos::from_nanos(time)));
            let options = SliceOptions {
                window: Window { from: Some(from), to: Some(to) },
                ..SliceOptions::default()
            };
            let slice = Slice::new(&profile, &options).unwrap();
            let chart = Chart::new(&slice, rank(&slice, &RankOptions::default()));
            let places = (0..10).collect::<Vec<_>>()[chart.censuses.clone()].to_vec();
            let columns = Columns::new(&chart, places, RASTER, Weighing::Time);
            let layer = columns.layers[0].iter().map(|size| u128::from(size.get()));
            assert!(layer.eq(columns.total.iter().copied()));
            columns.total.to_vec()
        };
        assert_eq!(drawn(Source::Hp, (0, 9)), [5, 7, 0, 9]);
        assert_eq!(drawn(Source::Eventlog, (0, 9)), [0, 5, 7, 0, 9, 0]);
        // An empty sample at the end of a part is the run's.
        assert_eq!(drawn(Source::Hp, (0, 3)), [5, 7, 0]);
        assert_eq!(drawn(Source::Hp, (3, 9)), [0, 9]);
    }

    #[test]
    fn columns_between_samples_follow_the_straight_line() {
        let mut places: Vec<i64> = (0..200).collect();
        places.push(1000);
        let chart = chart(201, |_, sample| if sample == 200 { 9000 } else { 1000 });
        let columns = Columns::new(&chart, places, RASTER, Weighing::Time);
        assert!(columns.are_dense());
        assert!(columns.total.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", columns.total);
        assert_eq!(columns.places.last(), Some(&1000));
        assert_eq!(columns.range.len(), 3, "two full columns, and the one of the last sample");
    }

    #[test]
    fn a_gap_is_over_ten_times_as_long_as_usual_and_wide_enough_to_be_seen() {
        let raster = Raster { low: 0, high: 1000, count: 100 };
        let after = |length: i64| [0, 10, 20, 30, 40, 50, 60, 60 + length, 70 + length];
        assert_eq!(raster.gaps(&after(100)), []);
        assert_eq!(raster.gaps(&after(101)), [Gap { from: 60, to: 161, next: 7 }]);
        let narrow = Raster { high: 10_000, ..raster };
        assert_eq!(narrow.gaps(&after(399)), []);
        assert_eq!(narrow.gaps(&after(400)), [Gap { from: 60, to: 460, next: 7 }]);
        assert_eq!(raster.gaps(&after(300)[2..]), [], "too few to know what is usual");
        let sparse = (0..7).map(|n| n * 100).chain((0..100).map(|n| 600 + 4 * n));
        assert_eq!(raster.gaps(&sparse.collect::<Vec<_>>()), [], "as far apart as those beside");
    }

    #[test]
    fn lines_end_at_a_gap_and_bridges_cross_it() {
        let chart = chart(11, saw);
        let places = vec![0, 10, 20, 30, 40, 50, 60, 400, 404, 900, 910];
        let raster = Raster { low: 0, high: 1000, count: 100 };
        let columns = Columns::new(&chart, places, raster, Weighing::Time);
        assert_eq!(columns.gaps.iter().map(|gap| gap.next).collect::<Vec<_>>(), [7, 9]);
        let line: Vec<_> = columns.places.iter().map(|&place| (place, 7)).collect();
        let bridges = columns.bridges(&line);
        let pieces = columns.pieces(line);
        let ends: Vec<_> = pieces.iter().map(|p| (p[0].0, p[p.len() - 1].0)).collect();
        assert_eq!(ends, [(0, 60), (400, 404), (900, 910)]);
        assert_eq!(bridges, [[(60, 7), (400, 7)], [(404, 7), (900, 7)]]);
        // Figures of the run-time system may reach into a gap.
        let other = columns.pieces(vec![(0, 1), (70, 1), (390, 1), (900, 1)]);
        assert_eq!(other.len(), 3);
    }

    #[test]
    fn columns_mix_nothing_across_a_gap() {
        let mut places: Vec<i64> = (0..200).collect();
        places.extend([500, 900, 901, 902]);
        let chart = chart(204, |_, sample| if sample < 200 { 1000 } else { 9000 });
        for weighing in [Weighing::Time, Weighing::Equal] {
            let raster = Raster { count: 100, ..RASTER };
            let columns = Columns::new(&chart, places.clone(), raster, weighing);
            assert!(columns.are_dense());
            let at = |place: i64| columns.places.iter().position(|p| *p == place).unwrap();
            assert_eq!((columns.total[at(199)], columns.total[at(500)]), (3000, 27_000));
            let is_one = |total: &u128| [3000, 27_000].contains(total);
            assert!(columns.total.iter().all(is_one), "{weighing:?} {:?}", columns.total);
        }
    }
}
