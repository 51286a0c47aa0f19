//! The horizontal axis: a range that cannot be degenerate, round ticks, and labels in the units
//! people use. Values are whole nanoseconds, or millionths of a sample, so ticks and labels are
//! exact at any size.

use std::borrow::Cow;

use super::options::{DrawOptions, Scale, XAxis};
use crate::base::date;
use crate::base::units::Nanos;
use crate::chart::columns::{Raster, Weighing};
use crate::chart::{Chart, Clock};
use crate::picture::text_width::{FontWeight, width};

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tick<V> {
    pub at: V,
    pub label: String,
}

/// Units per sample on an axis of samples. Markers can be between two samples.
const SAMPLE: i64 = 1_000_000;

/// The horizontal axis: nanoseconds, or sample numbers from 1 in units of [`SAMPLE`].
#[derive(Clone, Debug)]
pub struct TimeAxis {
    /// The value at the left edge.
    pub low: i64,
    /// The value at the right edge, greater than `low`.
    pub high: i64,
    /// The ticks, ascending and within the range, with distinct labels.
    pub ticks: Vec<Tick<i64>>,
    pub title: Cow<'static, str>,
    places: TimePlaces,
    /// The place of all samples, if they share one.
    only: Option<i64>,
}

/// How far the axis extends to each side when all samples share one place.
const AROUND: i64 = 1 << 20;

/// Half the width of the bar that stands for a single sample, in pixels.
const HALF_BAR: f64 = 32.0;

/// What the axis of a chart counts. It counts samples if they have no times, even if time was asked
/// for.
pub fn kind(chart: &Chart, asked: XAxis) -> XAxis {
    match asked {
        _ if chart.clock == Clock::Sample => XAxis::Sample,
        XAxis::Clock if chart.started_unix_ns.is_none() || chart.clock != Clock::Elapsed => {
            XAxis::Time
        }
        XAxis::Time | XAxis::Sample | XAxis::Clock => asked,
    }
}

/// The place of the sample with this number.
fn numbered(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(SAMPLE)
}

/// How samples and times get their places on an axis.
#[derive(Clone, Debug)]
struct TimePlaces {
    kind: XAxis,
    /// The instant at the place 0 of an axis of clock time, in nanoseconds since 1970.
    zero: i64,
}

impl TimePlaces {
    fn new(chart: &Chart, options: &DrawOptions) -> Self {
        let kind = kind(chart, options.x);
        let started = chart.started_unix_ns.filter(|_| kind == XAxis::Clock);
        TimePlaces { kind, zero: started.unwrap_or(0) }
    }

    fn of_sample(&self, chart: &Chart, sample: usize) -> i64 {
        match self.kind {
            XAxis::Sample => numbered(chart.number(sample).get()),
            XAxis::Time | XAxis::Clock => chart.times[sample].as_nanos(),
        }
    }
}

/// The ends of a chart's own axis, which may be equal.
fn ends(chart: &Chart, places: &TimePlaces) -> (i64, i64) {
    let place = |sample| places.of_sample(chart, sample);
    let (first, last) = match &chart.censuses {
        none if none.is_empty() => (0, 0),
        some => (place(some.start), place(some.end - 1)),
    };
    if places.kind == XAxis::Sample {
        return (first, last);
    }
    let run_end = chart.end.map_or(last, Nanos::as_nanos);
    let (low, high) = (first.min(0), last.max(run_end));
    let end = |bound: Option<Nanos>, own| bound.map_or(own, Nanos::as_nanos);
    (end(chart.extent.from, low), end(chart.extent.to, high))
}

/// The scale of a chart's own axis.
pub fn scale(chart: &Chart, options: &DrawOptions) -> Scale {
    let places = TimePlaces::new(chart, options);
    let (low, high) = ends(chart, &places);
    match places.kind {
        XAxis::Time | XAxis::Clock => Scale {
            time_min: Some(Nanos::from_nanos(low)),
            time_max: Some(Nanos::from_nanos(high)),
            ..Scale::default()
        },
        XAxis::Sample => {
            Scale { sample_max: usize::try_from(high / SAMPLE).ok(), ..Scale::default() }
        }
    }
}

impl TimeAxis {
    /// The axis of a chart, without ticks.
    pub fn new(chart: &Chart, options: &DrawOptions) -> Self {
        let places = TimePlaces::new(chart, options);
        let (mut low, mut high) = ends(chart, &places);
        let scale = &options.scale;
        match places.kind {
            XAxis::Time | XAxis::Clock => {
                low = scale.time_min.map_or(low, Nanos::as_nanos);
                high = scale.time_max.map_or(high, Nanos::as_nanos);
            }
            XAxis::Sample => high = scale.sample_max.map_or(high, numbered),
        }
        let place = low;
        let is_one_place = high <= low;
        if is_one_place {
            (low, high) = (place.saturating_sub(AROUND), place.saturating_add(AROUND));
        }
        let only = is_one_place.then_some(place);
        let title = match (places.kind, chart.clock) {
            (XAxis::Time, Clock::Elapsed) => "elapsed time".into(),
            (XAxis::Time, _) => "mutator CPU time".into(),
            (XAxis::Sample, _) => "sample number".into(),
            (XAxis::Clock, _) => clock_title(places.zero, low, high).into(),
        };
        TimeAxis { low, high, ticks: Vec::new(), title, places, only }
    }

    /// The axis with ticks for a plot that is `pixels` wide, and labels in `size` pixels.
    pub fn with_ticks(mut self, chart: &Chart, pixels: f64, size: f64) -> Self {
        self.ticks = match self.only {
            Some(_) if chart.times.is_empty() => Vec::new(),
            Some(at) => {
                let label = match self.places.kind {
                    XAxis::Sample => (at / SAMPLE).to_string(),
                    XAxis::Time => Nanos::from_nanos(at).to_string(),
                    XAxis::Clock => {
                        date::time_of(i128::from(self.places.zero) + i128::from(at), SECOND / 1000)
                    }
                };
                vec![Tick { at, label }]
            }
            None => time_ticks(self.low, self.high, &self.places, pixels, size),
        };
        self
    }

    /// The axis with its unit once, in its title, if all of its ticks have the same.
    pub fn with_unit_in_title(mut self) -> Self {
        let parts = |tick: &Tick<i64>| {
            let (number, unit) = tick.label.split_once(' ')?;
            Some((number.to_owned(), unit.to_owned()))
        };
        let labelled = || self.ticks.iter().filter(|tick| tick.label != "0");
        let Some((_, unit)) = labelled().next().and_then(parts) else { return self };
        let has_it = |tick: &Tick<i64>| parts(tick).is_some_and(|other| other.1 == unit);
        if labelled().all(has_it) && self.places.kind != XAxis::Clock {
            self.title = format!("{} in {unit}", self.title).into();
            for tick in &mut self.ticks {
                tick.label = parts(tick).map_or_else(|| "0".to_owned(), |(number, _)| number);
            }
        }
        self
    }

    pub fn kind(&self) -> XAxis {
        self.places.kind
    }

    pub fn raster(&self, count: usize) -> Raster {
        Raster { low: self.low, high: self.high, count }
    }

    /// How samples are weighted in a column's mean.
    pub fn weighing(&self) -> Weighing {
        match self.places.kind {
            XAxis::Time | XAxis::Clock => Weighing::Time,
            XAxis::Sample => Weighing::Equal,
        }
    }

    pub fn of_sample(&self, chart: &Chart, sample: usize) -> i64 {
        self.places.of_sample(chart, sample)
    }

    /// The place of an instant, which may be outside the axis. On an axis of samples it is between
    /// the two nearest samples, and `None` before the first or after the last.
    pub fn of_time(&self, chart: &Chart, time: Nanos) -> Option<i64> {
        if self.places.kind != XAxis::Sample {
            return Some(time.as_nanos());
        }
        let right = chart.times.partition_point(|&sample| sample < time);
        let &at = chart.times.get(right)?;
        let place = self.of_sample(chart, right);
        if at == time {
            return Some(place);
        }
        let before = chart.times[right.checked_sub(1)?];
        let distance = |from: Nanos, to: Nanos| to.as_nanos() as f64 - from.as_nanos() as f64;
        let share = distance(before, time) / distance(before, at);
        Some(place - SAMPLE + (share * SAMPLE as f64) as i64)
    }

    /// The place of a marker. On an axis of samples, markers before the first or after the last
    /// sample are at the ends.
    pub fn of_marker(&self, chart: &Chart, time: Nanos) -> Option<i64> {
        if self.places.kind != XAxis::Sample {
            return self.of_time(chart, time);
        }
        let times = &chart.times[chart.censuses.clone()];
        let (first, last) = (times.first()?, times.last()?);
        self.of_time(chart, time.max(*first).min(*last))
    }

    /// The distance in pixels from the left edge to a place, on a plot `width` pixels wide.
    pub fn pixels(&self, place: i64, width: f64) -> f64 {
        self.share(place) * width
    }

    /// The share of the axis to the left of a place.
    pub fn share(&self, place: i64) -> f64 {
        let from_low = i128::from(place) - i128::from(self.low);
        let span = i128::from(self.high) - i128::from(self.low);
        from_low as f64 / span as f64
    }

    /// The ends of the bar that stands for a single sample on a plot that is `width` pixels wide.
    pub fn bar(&self, place: i64, width: f64) -> [i64; 2] {
        let span = self.high as f64 - self.low as f64;
        let half = (HALF_BAR.min(width / 2.0) / width * span) as i64;
        // At an end of the axis, the bar is to one side of the place.
        let (low, high) = (self.low.saturating_add(half), self.high.saturating_sub(half));
        let middle = place.max(low).min(high.max(low));
        [middle.saturating_sub(half).max(self.low), middle.saturating_add(half).min(self.high)]
    }

    /// Whether what has data is at one place, so that an area would have no width or only seem to have one.
    pub fn is_single(&self, chart: &Chart) -> bool {
        let samples = &chart.censuses;
        let place = |sample| self.of_sample(chart, sample);
        let is_narrow = || place(samples.start) == place(samples.end - 1);
        !samples.is_empty() && (chart.with_data() == 1 || is_narrow())
    }
}

const SECOND: i128 = 1_000_000_000;
const MINUTE: i128 = 60 * SECOND;
const UNITS: [(&str, i128); 4] = [("ns", 1), ("µs", 1_000), ("ms", 1_000_000), ("s", SECOND)];

/// Ticks are at least this many pixels apart, however short their labels are, unless the whole axis
/// is short.
const LEAST_TICK_DISTANCE: f64 = 100.0;

/// The title of an axis of clock time, with the days that it shows.
fn clock_title(zero: i64, low: i64, high: i64) -> String {
    let day = |place: i64| date::day(i128::from(zero) + i128::from(place)).unwrap_or_default();
    match (day(low), day(high)) {
        (first, last) if first == last => format!("clock time in UTC, {first}"),
        (first, last) => format!("clock time in UTC, {first} to {last}"),
    }
}

/// Places ticks as close together as their labels allow. Ticks of clock time are at round times of the day.
fn time_ticks(low: i64, high: i64, places: &TimePlaces, pixels: f64, size: f64) -> Vec<Tick<i64>> {
    let (kind, zero) = (places.kind, i128::from(places.zero));
    let (low, high) = (i128::from(low) + zero, i128::from(high) + zero);
    let span = (high - low) as f64;
    let most = low.abs().max(high.abs());
    let is_long = most >= 120 * SECOND;
    // Texts have no seconds from an hour on, and no fractions.
    let is_exact =
        |step: i128| step % (if most < 3570 * SECOND { SECOND } else { 60 * SECOND }) == 0;
    for step in steps(kind) {
        let distance = step as f64 / span * pixels;
        if distance < LEAST_TICK_DISTANCE.min(pixels / 3.0) {
            continue;
        }
        let unit = match kind {
            XAxis::Sample | XAxis::Clock => None,
            XAxis::Time => Some(unit_of(most)),
        };
        let first = low.div_euclid(step) * step + if low.rem_euclid(step) == 0 { 0 } else { step };
        let places = (0..).map(|i| first + i * step).take_while(|&at| at <= high);
        let label = |at: i128| match kind {
            XAxis::Clock if at % i128::from(date::DAY) == 0 => date::day(at).unwrap_or_default(),
            XAxis::Clock => date::time_of(at, step),
            // From two minutes on as in all texts, so that an instant has one form. These have 90 s, which would stand
            // before 2 min.
            XAxis::Time if is_long && is_exact(step) => match at {
                0 => "0".to_owned(),
                MINUTE => "1 min".to_owned(),
                _ if (MINUTE..2 * MINUTE).contains(&at) => {
                    format!("1 min {} s", (at - MINUTE) / SECOND)
                }
                _ => Nanos::from_nanos(at as i64).to_string(),
            },
            XAxis::Time | XAxis::Sample => label_of(at, unit),
        };
        let ticks: Vec<Tick<i64>> =
            places.map(|at| Tick { at: (at - zero) as i64, label: label(at) }).collect();
        let widest = ticks
            .iter()
            .map(|tick| width(&tick.label, size, FontWeight::Regular))
            .fold(0.0, f64::max);
        if distance >= widest + 24.0 {
            return ticks;
        }
    }
    Vec::new()
}

/// Round distances in ascending order.
fn steps(kind: XAxis) -> impl Iterator<Item = i128> {
    let decimal = |from: i128, most: i128| {
        (0..19)
            .flat_map(move |k| [1, 2, 5].map(|digit| digit * from * 10_i128.pow(k)))
            .take_while(move |&step| step < most)
    };
    let (minute, hour, day) = (MINUTE, 3600 * SECOND, 86_400 * SECOND);
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
    let numbers = decimal(i128::from(SAMPLE), i128::from(i64::MAX));
    let (times, numbers) = match kind {
        XAxis::Sample => (None, Some(numbers)),
        XAxis::Time | XAxis::Clock => (Some(times), None),
    };
    times.into_iter().flatten().chain(numbers.into_iter().flatten())
}

/// The unit for the labels of a short axis that ends at `most`.
fn unit_of(most: i128) -> (&'static str, i128) {
    // "0.2 s" is easier than "200 ms".
    let reached = UNITS.iter().rev().find(|&&(name, unit)| {
        let enough = match name {
            "ns" => 0,
            "µs" | "ms" => unit,
            _ => unit / 10,
        };
        most >= enough
    });
    reached.copied().unwrap_or(UNITS[0])
}

fn label_of(at: i128, unit: Option<(&'static str, i128)>) -> String {
    match unit {
        _ if at == 0 => "0".to_owned(),
        None => (at / i128::from(SAMPLE)).to_string(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing::{self, Recipe};

    fn labels<V>(ticks: &[Tick<V>]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    fn assert_axis<V: PartialOrd>(ticks: &[Tick<V>], round: usize) {
        assert!(ticks.windows(2).all(|pair| pair[0].at < pair[1].at), "round {round}");
        let mut all = labels(ticks);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), ticks.len(), "round {round}");
    }

    fn places(kind: XAxis, zero: i64) -> TimePlaces {
        TimePlaces { kind, zero }
    }

    fn time(low: i64, high: i64) -> Vec<Tick<i64>> {
        time_ticks(low, high, &places(XAxis::Time, 0), 640.0, 11.0)
    }

    #[test]
    fn ticks_of_clock_time_are_round_times_of_the_day() {
        let (second, minute) = (1_000_000_000, 60_000_000_000);
        // 2026-11-20 23:59:57.5 UTC.
        let zero = 1_795_219_197_500_000_000;
        for (length, wanted) in [
            (second / 10, "23:59:57.50 23:59:57.52"),
            (9 * second, "23:59:58 2026-11-21 00:00:02"),
            (2 * minute, "2026-11-21 00:00:20 00:00:40 00:01:00"),
            (30 * minute, "2026-11-21 00:05 00:10"),
            (9 * 60 * minute, "2026-11-21 02:00 04:00"),
            (3 * 1440 * minute, "2026-11-21 12:00 2026-11-22"),
            (40 * 1440 * minute, "2026-11-2"),
        ] {
            let ticks = time_ticks(0, length, &places(XAxis::Clock, zero), 640.0, 11.0);
            assert!(labels(&ticks).join(" ").starts_with(wanted), "{:?}", labels(&ticks));
            assert!((3..=10).contains(&ticks.len()), "{:?}", labels(&ticks));
            assert!(ticks.iter().all(|tick| (0..=length).contains(&tick.at)));
        }
        assert_eq!(clock_title(zero, 0, second), "clock time in UTC, 2026-11-20");
        let days = "clock time in UTC, 2026-11-20 to 2026-11-21";
        assert_eq!(clock_title(zero, 0, minute), days);
    }

    fn single_band(times: &[i64]) -> Chart {
        Recipe { times: times.to_vec(), ..Recipe::of(1, 0) }.chart(|_, _| 10)
    }

    #[test]
    fn time_ticks_are_round_in_the_units_of_a_clock() {
        let second = 1_000_000_000;
        for (low, high, first, last) in [
            (0, 840_000_000, "0", "0.8 s"),
            (0, 40 * second, "0", "40 s"),
            (0, 100 * second, "0", "100 s"),
            (0, 900 * second, "0", "15 min"),
            (0, 7 * 3600 * second, "0", "6 h"),
            (0, 30_000, "0", "30 µs"),
            (0, 30, "0", "30 ns"),
            (0, 5400 * second, "0", "1 h 20 min"),
            (0, 9 * 86_400 * second, "0", "192 h"),
            (-second, second, "-1 s", "1 s"),
        ] {
            let ticks = time(low, high);
            assert_eq!(ticks[0].label, first);
            assert_eq!(ticks.last().unwrap().label, last);
            assert!((4..=14).contains(&ticks.len()), "{:?}", labels(&ticks));
        }
        assert_eq!(time(0, 150 * second)[1].label, "30 s");
        assert_eq!(time(0, 150 * second)[3].label, "1 min 30 s");
        assert_eq!(time(0, 240 * second)[1].label, "1 min");
    }

    #[test]
    fn time_ticks_never_overlap_and_stay_within_the_range() {
        let mut random = crate::testing::Random::new(1, "ticks");
        for round in 0..4000 {
            let low = (random.below(1 << 62) >> random.below(62)) as i64;
            let high = low + 1 + (random.below(1 << 62) >> random.below(62)) as i64;
            let pixels = 100.0 + random.below(2000) as f64;
            let kind = if round % 5 == 0 { XAxis::Sample } else { XAxis::Time };
            let ticks = time_ticks(low, high, &places(kind, 0), pixels, 11.0);
            assert_axis(&ticks, round);
            assert!(ticks.iter().all(|tick| (low..=high).contains(&tick.at)));
            let place = |tick: &Tick<i64>| (tick.at - low) as f64 / (high - low) as f64 * pixels;
            for pair in ticks.windows(2) {
                let half = |tick: &Tick<i64>| width(&tick.label, 11.0, FontWeight::Regular) / 2.0;
                assert!(place(&pair[1]) - half(&pair[1]) > place(&pair[0]) + half(&pair[0]) + 8.0);
            }
        }
    }

    #[test]
    fn an_empty_range_is_widened() {
        let single = |times: &[i64]| {
            let chart = single_band(times);
            let axis = TimeAxis::new(&chart, &DrawOptions::default());
            (axis.with_ticks(&chart, 600.0, 11.0), chart)
        };
        let (axis, chart) = single(&[0, 0]);
        assert!(axis.is_single(&chart));
        assert_eq!(axis.share(0), 0.5);
        assert_eq!(labels(&axis.ticks), ["0 s"]);
        for times in [[i64::MAX; 2], [i64::MIN; 2], [i64::MIN, i64::MAX]] {
            let (axis, _) = single(&times);
            assert!(axis.low < axis.high);
        }
    }

    #[test]
    fn an_axis_of_time_goes_from_zero_to_the_end_of_the_run() {
        let (times, markers) =
            (vec![5_000_000_000, 6_000_000_000], [(9_000_000_000, "after the last sample")]);
        let chart = Recipe { times, markers: &markers, ..Recipe::of(1, 0) }.chart(|_, _| 10);
        let axis = TimeAxis::new(&chart, &DrawOptions::default());
        assert_eq!((axis.low, axis.high), (0, 9_000_000_000));
        let options = DrawOptions { x: XAxis::Sample, ..DrawOptions::default() };
        let axis = TimeAxis::new(&chart, &options);
        let place = axis.of_marker(&chart, Nanos::from_nanos(9_000_000_000));
        assert_eq!(place, Some(2 * SAMPLE), "at the end of an axis of samples");
    }

    #[test]
    fn the_bar_of_a_single_sample_lies_on_the_axis() {
        let chart = single_band(&[42_000_000_000]);
        let axis = TimeAxis::new(&chart, &DrawOptions::default());
        assert_eq!((axis.low, axis.high), (0, 42_000_000_000));
        let [left, right] = axis.bar(42_000_000_000, 640.0);
        assert_eq!((left, right), (42_000_000_000 / 10 * 9, 42_000_000_000));
    }

    #[test]
    fn without_times_samples_are_numbered_from_one() {
        let mut chart = testing::wavy(2, 30);
        chart.clock = Clock::Sample;
        let axis = TimeAxis::new(&chart, &DrawOptions::default()).with_ticks(&chart, 600.0, 11.0);
        assert_eq!((axis.low, axis.high), (SAMPLE, 30 * SAMPLE));
        assert_eq!(labels(&axis.ticks)[..2], ["5", "10"]);
        assert_eq!(axis.title, "sample number");
    }

    #[test]
    fn instants_lie_between_samples_and_never_beyond_them() {
        let chart = testing::wavy(2, 30);
        let options = DrawOptions { x: XAxis::Sample, ..DrawOptions::default() };
        let axis = TimeAxis::new(&chart, &options).with_ticks(&chart, 600.0, 11.0);
        let place = |ms: i64| axis.of_time(&chart, Nanos::from_nanos(ms * 1_000_000));
        assert_eq!([20, 40, 600].map(place), [1, 2, 30].map(|n| Some(n * SAMPLE)));
        assert_eq!(place(25), Some(SAMPLE + SAMPLE / 4));
        assert_eq!((place(19), place(601)), (None, None));
    }

    #[test]
    fn ends_can_be_asked_for() {
        let mut chart = testing::wavy(2, 30);
        let mut options = DrawOptions::default();
        options.scale.time_max = Some(Nanos::from_nanos(77));
        chart.extent.from = Some(Nanos::from_nanos(7));
        let axis = TimeAxis::new(&chart, &options).with_ticks(&chart, 600.0, 11.0);
        assert_eq!((axis.low, axis.high), (7, 77));
        options.scale.time_max = Some(Nanos::ZERO);
        let axis = TimeAxis::new(&chart, &options).with_ticks(&chart, 600.0, 11.0);
        assert_eq!((axis.low + AROUND, axis.high - AROUND), (7, 7));
    }

    #[test]
    fn one_sample_with_data_has_no_width() {
        let is_single = |full: &[usize]| {
            let chart = Recipe::of(1, 3).chart(|_, sample| u64::from(full.contains(&sample)) * 100);
            let with_data = crate::base::units::count(full.len(), "sample");
            assert!(chart.facts.contains(&with_data), "{:?}", chart.facts);
            TimeAxis::new(&chart, &DrawOptions::default()).is_single(&chart)
        };
        assert!(is_single(&[1]));
        assert!(!is_single(&[1, 2]));
    }
}
