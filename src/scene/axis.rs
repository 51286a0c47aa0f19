//! The two axes: ranges that cannot be degenerate, round ticks, and labels in the units people
//! use. Values are whole nanoseconds and bytes, so ticks and labels are exact at any size.
//!
//! plotters maps values through [`Ranged`]; its own axes are not used, because they know neither
//! binary units nor minutes, and misplace or loop on empty and infinite ranges.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged};

use super::text::{Weight, width};
use crate::chart::{Chart, Clock};
use crate::units::Nanos;

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick<V> {
    /// Where.
    pub at: V,
    /// What it says.
    pub label: String,
}

/// The horizontal axis: nanoseconds, or sample numbers from 1.
#[derive(Clone, Debug)]
pub struct TimeAxis {
    /// The value at the left edge.
    pub low: i64,
    /// The value at the right edge, greater than `low`.
    pub high: i64,
    /// Ascending, within the range, with distinct labels.
    pub ticks: Vec<Tick<i64>>,
    /// What it counts.
    pub title: &'static str,
}

/// The vertical axis: bytes from 0.
#[derive(Clone, Debug)]
pub struct HeapAxis {
    /// The value at the top edge, at least 1.
    pub top: u128,
    /// Ascending from 0, with distinct labels.
    pub ticks: Vec<Tick<u128>>,
}

/// The place of a sample on the time axis.
pub fn sample_place(chart: &Chart, sample: usize) -> i64 {
    match chart.clock {
        Clock::Sample => i64::try_from(sample).unwrap_or(i64::MAX - 1) + 1,
        Clock::Elapsed | Clock::Mutator => chart.times[sample].as_nanos(),
    }
}

impl TimeAxis {
    /// The axis of a chart that is `pixels` wide, with tick labels in `size` pixels.
    pub fn new(chart: &Chart, pixels: f64, size: f64) -> Self {
        let title = match chart.clock {
            Clock::Elapsed => "elapsed time",
            Clock::Mutator => "mutator CPU time (without GC)",
            Clock::Sample => "sample number",
        };
        let samples = chart.times.len();
        let (first, last) = match samples {
            0 => (0, 0),
            n => (sample_place(chart, 0), sample_place(chart, n - 1)),
        };
        let counted = chart.clock == Clock::Sample;
        if first == last {
            let label = match counted {
                true => first.to_string(),
                false => Nanos::from_nanos(first).to_string(),
            };
            let ticks = if samples == 0 { vec![] } else { vec![Tick { at: first, label }] };
            let (low, high) = (first.saturating_sub(1), first.saturating_add(1));
            return TimeAxis { low, high, ticks, title };
        }
        let (low, high) = if counted { (first, last) } else { widened(chart, first, last) };
        let ticks = time_ticks(low, high, counted, pixels, size);
        TimeAxis { low, high, ticks, title }
    }

    /// Whether all samples stand at one place, so that an area would have no width.
    pub fn is_single(chart: &Chart) -> bool {
        let samples = chart.times.len();
        samples > 0 && sample_place(chart, 0) == sample_place(chart, samples - 1)
    }
}

/// The range of the samples, begun at zero when that is near, and reaching to markers just past
/// the end.
fn widened(chart: &Chart, first: i64, last: i64) -> (i64, i64) {
    let span = i128::from(last) - i128::from(first);
    let low = if first > 0 && i128::from(first) * 8 <= i128::from(last) { 0 } else { first };
    let reach = i128::from(last) + span / 16;
    let markers = chart.markers.iter().map(|marker| marker.time.as_nanos());
    let high = markers.filter(|&time| i128::from(time) <= reach).fold(last, i64::max);
    (low, high)
}

const SECOND: i128 = 1_000_000_000;
const UNITS: [(&str, i128); 7] = [
    ("ns", 1),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("min", 60 * SECOND),
    ("h", 3600 * SECOND),
    ("d", 86_400 * SECOND),
];

/// However short the labels, ticks are not closer than this many pixels, unless the whole axis is
/// short.
const LEAST_TICK_DISTANCE: f64 = 60.0;

/// Ticks as close together as their labels allow.
fn time_ticks(low: i64, high: i64, counted: bool, pixels: f64, size: f64) -> Vec<Tick<i64>> {
    let (low, high) = (i128::from(low), i128::from(high));
    let span = (high - low) as f64;
    for step in steps(counted) {
        let distance = step as f64 / span * pixels;
        if distance < LEAST_TICK_DISTANCE.min(pixels / 3.0) {
            continue;
        }
        let unit = match counted {
            true => None,
            false => Some(unit_of(low.abs().max(high.abs()), step)),
        };
        let first = low.div_euclid(step) * step + if low.rem_euclid(step) == 0 { 0 } else { step };
        let places = (0..).map(|i| first + i * step).take_while(|&at| at <= high);
        let ticks: Vec<Tick<i64>> =
            places.map(|at| Tick { at: at as i64, label: label_of(at, unit) }).collect();
        let widest =
            ticks.iter().map(|tick| width(&tick.label, size, Weight::Regular)).fold(0.0, f64::max);
        if distance >= widest + 24.0 {
            return ticks;
        }
    }
    Vec::new()
}

/// Round distances in ascending order: in nanoseconds, or plain numbers.
fn steps(counted: bool) -> impl Iterator<Item = i128> {
    let decimal = |from: i128, most: i128| {
        (0..19)
            .flat_map(move |k| [1, 2, 5].map(|digit| digit * from * 10_i128.pow(k)))
            .take_while(move |&step| step < most)
    };
    let (minute, hour, day) = (60 * SECOND, 3600 * SECOND, 86_400 * SECOND);
    let clock = [
        10 * SECOND,
        20 * SECOND,
        30 * SECOND,
        minute,
        2 * minute,
        5 * minute,
        10 * minute,
        20 * minute,
        30 * minute,
        hour,
        2 * hour,
        3 * hour,
        6 * hour,
        12 * hour,
    ];
    let times = decimal(1, 10 * SECOND).chain(clock).chain(decimal(day, i128::from(i64::MAX)));
    let numbers = decimal(1, i128::from(i64::MAX));
    let (times, numbers) = if counted { (None, Some(numbers)) } else { (Some(times), None) };
    times.into_iter().flatten().chain(numbers.into_iter().flatten())
}

/// The unit for labels of an axis that reaches to `most`: the largest in which they read as short
/// decimals.
fn unit_of(most: i128, step: i128) -> (&'static str, i128) {
    // "0.2 s" is easier than "200 ms", "90 s" easier than "1.5 min".
    let reached = UNITS.iter().rev().find(|&&(name, unit)| {
        let enough = match name {
            "ns" => 0,
            "µs" | "ms" => unit,
            "s" => unit / 10,
            _ => 2 * unit,
        };
        let short = unit <= SECOND || (step * 10) % unit == 0;
        most >= enough && short
    });
    reached.copied().unwrap_or(UNITS[0])
}

fn label_of(at: i128, unit: Option<(&'static str, i128)>) -> String {
    match unit {
        _ if at == 0 => "0".to_owned(),
        None => at.to_string(),
        Some((name, unit)) => format!("{} {name}", decimal(at, unit)),
    }
}

/// `value / unit` in decimals, exact where the decimals end, and cut after nine.
fn decimal(value: i128, unit: i128) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let value = value.abs();
    let mut rest = value % unit;
    let mut digits = String::new();
    while rest > 0 && digits.len() < 9 {
        rest *= 10;
        digits.push(char::from(b'0' + (rest / unit) as u8));
        rest %= unit;
    }
    let whole = value / unit;
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{digits}")
}

impl HeapAxis {
    /// The axis of a chart that is `pixels` high.
    pub fn new(chart: &Chart, pixels: f64) -> Self {
        let highest = chart.total.iter().copied().max().unwrap_or(0);
        let most = (pixels / 48.0).clamp(2.0, 7.0) as u128;
        Self::up_to(highest, most)
    }

    /// An axis for values up to `highest`, with at most `most` ticks above 0.
    fn up_to(highest: u128, most: u128) -> Self {
        // A little air, so that the peak does not touch the frame.
        let top = highest.saturating_add(highest / 24).max(1);
        let names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"];
        let power = (top.ilog2() / 10).min(8);
        let unit = 1_u128 << (10 * power);
        let name = names[power as usize];
        let decades = (0..37).map(|k| 10_u128.pow(k));
        let whole = decades.flat_map(|ten| [1, 2, 5].map(|digit| unit.saturating_mul(digit * ten)));
        let parts = [unit / 4, unit / 2].into_iter().filter(|&part| part > 0);
        let step = parts.chain(whole).find(|step| top / step <= most).unwrap_or(u128::MAX);
        let ticks = (0..=top / step)
            .map(|i| {
                let at = i * step;
                let label = match at {
                    0 => "0".to_owned(),
                    _ => format!("{} {name}", quarters(at, unit)),
                };
                Tick { at, label }
            })
            .collect();
        HeapAxis { top, ticks }
    }
}

/// `value / unit` for multiples of a quarter.
fn quarters(value: u128, unit: u128) -> String {
    let part = match 4 * (value % unit) / unit {
        0 => "",
        1 => ".25",
        2 => ".5",
        _ => ".75",
    };
    format!("{}{part}", value / unit)
}

/// `share` of the way between two pixels.
fn between((from, to): (i32, i32), share: f64) -> i32 {
    from + (f64::from(to - from) * share.clamp(0.0, 1.0)).round() as i32
}

impl Ranged for TimeAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = i64;

    fn map(&self, value: &i64, limit: (i32, i32)) -> i32 {
        let from_low = i128::from(*value) - i128::from(self.low);
        let span = i128::from(self.high) - i128::from(self.low);
        between(limit, from_low as f64 / span as f64)
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<i64> {
        self.ticks.iter().map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<i64> {
        self.low..self.high
    }
}

impl Ranged for HeapAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = u128;

    fn map(&self, value: &u128, limit: (i32, i32)) -> i32 {
        between(limit, *value as f64 / self.top as f64)
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<u128> {
        self.ticks.iter().map(|tick| tick.at).collect()
    }

    fn range(&self) -> Range<u128> {
        0..self.top
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::testing;

    fn labels<V>(ticks: &[Tick<V>]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    fn heap(highest: u128) -> HeapAxis {
        HeapAxis::up_to(highest, 7)
    }

    #[test]
    fn heap_ticks_are_round_in_binary_units() {
        let mib = 1 << 20;
        for (highest, expected) in [
            (14 * mib, "0,2 MiB,4 MiB,6 MiB,8 MiB,10 MiB,12 MiB,14 MiB"),
            (5 * mib, "0,1 MiB,2 MiB,3 MiB,4 MiB,5 MiB"),
            (mib, "0,0.25 MiB,0.5 MiB,0.75 MiB,1 MiB"),
            (300 * 1024, "0,50 KiB,100 KiB,150 KiB,200 KiB,250 KiB,300 KiB"),
            (3, "0,1 B,2 B,3 B"),
            (0, "0,1 B"),
        ] {
            assert_eq!(labels(&heap(highest).ticks).join(","), expected);
        }
    }

    #[test]
    fn heap_ticks_ascend_within_the_range_at_any_size() {
        let mut random = testing::Random::new(3);
        for round in 0..4000 {
            let highest = (u128::from(random.below(u64::MAX)) << 32) >> random.below(96);
            let axis = heap(highest);
            assert_axis(&axis.ticks, round);
            assert!(axis.ticks.len() <= 8 && axis.ticks.len() >= 2, "{highest}");
            assert!(axis.ticks.len() >= 4 || highest < 5, "{highest} {:?}", axis.ticks);
            assert!(axis.ticks.last().unwrap().at <= axis.top && axis.top >= highest);
        }
        assert!(heap(u128::MAX).ticks.len() <= 8);
    }

    fn assert_axis<V: PartialOrd>(ticks: &[Tick<V>], round: usize) {
        assert!(ticks.windows(2).all(|pair| pair[0].at < pair[1].at), "round {round}");
        let mut all = labels(ticks);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), ticks.len(), "round {round}");
    }

    fn time(low: i64, high: i64) -> Vec<Tick<i64>> {
        time_ticks(low, high, false, 640.0, 11.0)
    }

    #[test]
    fn time_ticks_are_round_in_the_units_of_a_clock() {
        let second = 1_000_000_000;
        for (low, high, first, last) in [
            (0, 840_000_000, "0", "0.8 s"),
            (0, 40 * second, "0", "40 s"),
            (0, 100 * second, "0", "100 s"),
            (0, 900 * second, "0", "14 min"),
            (0, 7 * 3600 * second, "0", "7 h"),
            (0, 30_000, "0", "30 µs"),
            (0, 30, "0", "30 ns"),
            (0, 9 * 86_400 * second, "0", "9 d"),
            (-second, second, "-1 s", "1 s"),
        ] {
            let ticks = time(low, high);
            assert_eq!(ticks[0].label, first);
            assert_eq!(ticks.last().unwrap().label, last);
            assert!((4..=14).contains(&ticks.len()), "{:?}", labels(&ticks));
        }
        assert_eq!(time(0, 200 * second)[1].label, "20 s");
        assert_eq!(time(0, 240 * second)[1].label, "0.5 min");
    }

    #[test]
    fn time_ticks_never_overlap_and_stay_within_the_range() {
        let mut random = testing::Random::new(5);
        for round in 0..4000 {
            let low = (random.below(1 << 62) >> random.below(62)) as i64;
            let high = low + 1 + (random.below(1 << 62) >> random.below(62)) as i64;
            let pixels = 100.0 + random.below(2000) as f64;
            let ticks = time_ticks(low, high, round % 5 == 0, pixels, 11.0);
            assert_axis(&ticks, round);
            assert!(ticks.iter().all(|tick| (low..=high).contains(&tick.at)));
            let place = |tick: &Tick<i64>| (tick.at - low) as f64 / (high - low) as f64 * pixels;
            for pair in ticks.windows(2) {
                let half = |tick: &Tick<i64>| width(&tick.label, 11.0, Weight::Regular) / 2.0;
                assert!(place(&pair[1]) - half(&pair[1]) > place(&pair[0]) + half(&pair[0]) + 8.0);
            }
        }
    }

    #[test]
    fn a_range_without_extent_is_widened() {
        let times = [42_000_000_000, 42_000_000_000];
        let names = testing::names(2);
        let recipe = testing::Recipe { names: &names, times: &times, ..Default::default() };
        let chart = recipe.chart(|_, _| 10);
        assert!(TimeAxis::is_single(&chart));
        let axis = TimeAxis::new(&chart, 600.0, 11.0);
        assert_eq!(axis.map(&42_000_000_000, (100, 301)), 201);
        assert_eq!(labels(&axis.ticks), ["42 s"]);
        for times in [[i64::MAX; 2], [i64::MIN; 2], [i64::MIN, i64::MAX]] {
            let recipe = testing::Recipe { names: &names, times: &times, ..Default::default() };
            let axis = TimeAxis::new(&recipe.chart(|_, _| u64::MAX), 600.0, 11.0);
            assert!(axis.low < axis.high);
        }
    }

    #[test]
    fn without_times_samples_are_numbered_from_one() {
        let mut chart = testing::wavy(2, 30);
        chart.clock = Clock::Sample;
        let axis = TimeAxis::new(&chart, 600.0, 11.0);
        assert_eq!((axis.low, axis.high), (1, 30));
        assert_eq!(labels(&axis.ticks)[..2], ["5", "10"]);
        assert_eq!(axis.title, "sample number");
    }
}
