//! Decides whether a curve rises to the end of its samples, by one statistic:
//!
//! ```text
//! score = gain / (deepest fall on the way + mean step)
//! ```
//!
//! The values are those of the steps of `clock.rs`. A heap without drift gains `score` times its deepest fall
//! with probability exp(-score), in any rhythm.

use serde::Serialize;

use super::robust::{Fits, highest, lowest, median_of, residuals};
use crate::slice::RunEnd;

/// The least score of a rise: by chance, one in 1 100.
const SCORE: f64 = 7.0;
/// The fewest samples that can show a rise.
pub const FEWEST_SAMPLES: usize = 11;
/// A rise lasts at least this share of the samples.
const LASTS: f64 = 0.3;
/// Its end is higher than all before it began by this share of the gain.
const ABOVE: f64 = 0.25;
/// No step makes more than this share of it.
const LARGEST_STEP: f64 = 0.36;
/// Its last quarter rises at least and at most so many times as fast as all of it: what has a bound slows
/// down, and three quarters of the gain in the last quarter are an event, not a trend.
const LATE: std::ops::RangeInclusive<f64> = 0.4..=3.0;
/// What follows a warm-up is a rise if its last quarter is this much as fast as all of it, and if it lasts for
/// this share of the samples.
const STRAIGHT: f64 = 0.8;
const LASTS_STRAIGHT: f64 = 0.4;
/// How much more likely a curve with a bound has to be than one without, as a natural logarithm.
const BOUND_EVIDENCE: f64 = 2.0;
/// What moves by less than this share of a mean step stands still.
const STILL: f64 = 0.5;
/// Falls by this share of its range make a sawtooth, if there are so many of them. A leak widens the range:
/// falls by half as much do, if the lows and the highs between them rise together.
pub const TOOTH: f64 = 0.3;
const FEWEST_TEETH: usize = 5;
/// How far the rank correlation with time (Kendall) has to be from what chance gives, in deviations.
const TOGETHER: f64 = 2.2;
/// The samples at the end in which a program may let go of what it built: an eighth of them.
const EXIT: usize = 8;
/// How many points a curve is condensed to, and how many floors a sawtooth has at most.
const POINTS: usize = 120;
const FLOORS: usize = 48;

/// The way in which a curve rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Manner {
    /// Hardly ever falling back.
    Steady,
    /// Its low points rise; what it does between them does not matter.
    Floors,
    /// In a few steps, and level between them.
    Steps,
    /// By doubling, as an array does that grows.
    Doubling,
}

impl Manner {
    /// Of what rises by most of its gain in few of its samples: in so many steps; otherwise steady.
    pub(super) fn of_steps(values: &[f64]) -> (Manner, usize) {
        let mut steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let gain: f64 = steps.iter().sum();
        let most = (steps.len() / STEPS_PART).min(MOST_STEPS);
        let descending = |a: &f64, b: &f64| b.total_cmp(a);
        if steps.len() > most + 1 {
            steps.select_nth_unstable_by(most + 1, descending);
            steps.truncate(most + 1);
        }
        steps.sort_by(descending);
        let mut covered = 0.0;
        let is_open = |step: &&f64| {
            let open = covered < MOST_OF_GAIN * gain;
            covered += **step;
            open
        };
        let count = steps.iter().take_while(is_open).count();
        if (2..=most).contains(&count) { (Manner::Steps, count) } else { (Manner::Steady, 0) }
    }
}

/// Most of a gain, the part of the samples in which a staircase makes it, a sixteenth, and the most steps that a
/// reader would count.
const MOST_OF_GAIN: f64 = 0.8;
const STEPS_PART: usize = 16;
const MOST_STEPS: usize = 12;

/// A rise that goes on to the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    pub manner: Manner,
    /// The number of bytes that it gains.
    pub gain: f64,
    /// The step with which it begins, and the number of steps up to its end: what the program lets go
    /// of in its last samples is left out.
    pub since: usize,
    pub end: usize,
    /// The gain as a multiple of the deepest fall and the mean step.
    pub score: f64,
    /// How many times as fast as all of it its last quarter rises.
    pub late: f64,
    /// The share of the samples that it lasts.
    pub lasts: f64,
    /// The share of the gain that its largest step makes.
    largest_step: f64,
}

impl Trend {
    fn is_one(&self) -> bool {
        self.score >= SCORE
            && self.lasts >= LASTS
            && self.largest_step <= LARGEST_STEP
            && LATE.contains(&self.late)
    }
}

/// How a curve rises to its end; `None` if it does not. Only before its exit does a
/// program let go of what it built.
pub fn trend(values: &[f64], run_end: RunEnd) -> Option<Trend> {
    let n = values.len();
    if n < FEWEST_SAMPLES || highest(values) <= lowest(values) {
        return None;
    }
    if let Some(doubling) = doubling(values) {
        return Some(doubling);
    }
    let half = 0.5 * highest(values);
    let held = values.iter().rposition(|&value| value >= half).map_or(n, |last| last + 1);
    let end = if run_end == RunEnd::Exit && n - held <= exit_room(n) { held } else { n };
    let (found, points) = steady(&values[..end]).filter(|(found, _)| found.is_one())?;
    // One or two samples in which a program sums what it built must not hide that it had stopped.
    let curve = &values[found.since..end];
    let stands_still = |out| stands_still(&curve[..curve.len() - out], found.gain);
    (!(0..3).any(stands_still) && !levels_off(&points)).then_some(found)
}

/// The samples before the exit: a program frees what it built before it ends, and that is no fall of the
/// run. A sawtooth falls without ending.
pub fn before_exit(total: &[f64]) -> usize {
    let peak = highest(total);
    let n =
        total.iter().rposition(|&bytes| bytes >= 0.01 * peak).map_or(total.len(), |last| last + 1);
    let top = total.iter().position(|&bytes| bytes >= peak).unwrap_or(0);
    let fell = total[..n].last().is_some_and(|&last| last < 0.8 * peak);
    match fell && n - top - 1 <= exit_room(n) && !is_sawtooth(&total[..n]) {
        true => top + 1,
        false => n,
    }
}

fn exit_room(n: usize) -> usize {
    (n / EXIT).max(2)
}

fn is_sawtooth(values: &[f64]) -> bool {
    falls(values, TOOTH * (highest(values) - lowest(values))) >= FEWEST_TEETH
}

/// How often a curve falls by this much from a high, and rises again in between.
pub fn falls(values: &[f64], height: f64) -> usize {
    lows(values, height).len()
}

/// The lows that a curve falls to, by this much from a high each; it rises by as much between them.
pub fn lows(values: &[f64], height: f64) -> Vec<usize> {
    let mut lows = Vec::new();
    let (mut extreme, mut is_down) = (f64::NEG_INFINITY, false);
    for (at, &value) in values.iter().enumerate() {
        match (lows.last_mut(), is_down) {
            (Some(low), true) if value < values[*low] => *low = at,
            (Some(low), true) if value > values[*low] + height => {
                (is_down, extreme) = (false, value)
            }
            (_, true) => {}
            (_, false) => extreme = extreme.max(value),
        }
        if !is_down && value < extreme - height {
            is_down = true;
            lows.push(at);
        }
    }
    lows
}

/// Some points of a curve: the numbers of samples, and values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurvePoints {
    pub at: Vec<usize>,
    pub values: Vec<f64>,
}

/// A curve in so many points at most, each the median of its neighbours.
pub fn condensed(values: &[f64], most: usize) -> CurvePoints {
    let parts = values.len().min(most);
    let part = |part: usize| {
        let (from, to) = bounds(part, parts, values.len());
        ((from + to - 1) / 2, median_of(values[from..to].iter().copied()))
    };
    let (at, values) = (0..parts).map(part).unzip();
    CurvePoints { at, values }
}

/// The floor of a sawtooth: the lows that it falls to, or the lowest of neighbours if there are very many.
/// `None` if the curve is no sawtooth.
pub fn floor(values: &[f64]) -> Option<CurvePoints> {
    floor_of(values, &lows(values, TOOTH * (highest(values) - lowest(values))))
}

/// The floor of smaller teeth whose lows and highs rise together.
fn rising_floor(values: &[f64]) -> Option<CurvePoints> {
    let lows = lows(values, 0.5 * TOOTH * (highest(values) - lowest(values)));
    let floor = floor_of(values, &lows)?;
    let highs: Vec<f64> =
        floor.at.windows(2).map(|pair| highest(&values[pair[0]..pair[1]])).collect();
    (kendall(&floor.values) >= TOGETHER && kendall(&highs) >= TOGETHER).then_some(floor)
}

/// How far the pairs of values that rise outnumber those that fall, in deviations of what chance gives (Mann and
/// Kendall).
fn kendall(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let sign = |a: f64, b: f64| f64::from(i8::from(b > a) - i8::from(b < a));
    let pairs = (1..values.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    let score: f64 = pairs.map(|(i, j)| sign(values[i], values[j])).sum();
    (score - 1.0) / (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt().max(1.0)
}

fn floor_of(values: &[f64], lows: &[usize]) -> Option<CurvePoints> {
    if lows.len() < FEWEST_TEETH {
        return None;
    }
    let parts = lows.len().min(FLOORS);
    let lowest = |part: usize| {
        let (from, to) = bounds(part, parts, lows.len());
        let lowest = lows[from..to].iter().min_by(|&&a, &&b| values[a].total_cmp(&values[b]));
        lowest.map_or((from, 0.0), |&at| (at, values[at]))
    };
    let (at, values) = (0..parts).map(lowest).unzip();
    Some(CurvePoints { at, values })
}

/// Where a part of so many samples begins and ends.
fn bounds(part: usize, parts: usize, samples: usize) -> (usize, usize) {
    (part * samples / parts, (part + 1) * samples / parts)
}

/// The stretch up to the end that rises with the best score, and its points.
fn steady(values: &[f64]) -> Option<(Trend, Vec<f64>)> {
    let floor = floor(values).or_else(|| rising_floor(values));
    let manner = if floor.is_some() { Manner::Floors } else { Manner::Steady };
    let CurvePoints { at, values } = floor.unwrap_or_else(|| condensed(values, POINTS));
    let n = at.len();
    if n < 6 {
        return None;
    }
    let length = (at[n - 1] - at[0]).max(1) as f64;
    let place = |i: usize| (at[i] - at[0]) as f64 / length;
    let median = |part: &[f64]| median_of(part.iter().copied());
    let tails = tails(&values);
    let before = highest_before(&values);
    let from = |since: usize| {
        let (lasts, steps) = (1.0 - place(since), (n - 1 - since) as f64);
        let gain = gain(&values[since..], 12);
        let quarter = (since..n).find(|&i| place(i) >= 1.0 - 0.25 * lasts).unwrap_or(n).min(n - 3);
        let late = median(&values[n - 2..]) - median(&values[quarter..quarter + 2]);
        let Tail { fall, path, step } = tails[since];
        Trend {
            manner,
            gain,
            since: at[since],
            end: at[n - 1] + 1,
            score: gain / (fall + path / steps),
            late: late / (1.0 - place(quarter)) / (gain / lasts),
            lasts,
            largest_step: step / gain,
        }
    };
    let (mut best, mut straight): (Option<(Trend, usize)>, _) = (None, None);
    // A gain is at most the height of the curve, and a little more from the middles of both ends to the ends.
    let most = 1.5 * (highest(&values) - lowest(&values));
    for since in (0..n - 4).take_while(|&since| 1.0 - place(since) >= LASTS) {
        let Tail { fall, path, .. } = tails[since];
        if most < SCORE * (fall + path / (n - 1 - since) as f64) {
            continue;
        }
        let found = from(since);
        if found.gain <= 0.0 || before[since] > values[since] + (1.0 - ABOVE) * found.gain {
            continue;
        }
        // A later start has to be clearly better.
        let is_better = |(best, _): (Trend, usize)| found.score > 1.05 * best.score;
        if best.is_none_or(is_better) {
            best = Some((found, since));
        }
        let is_straight = found.late >= STRAIGHT && found.lasts >= LASTS_STRAIGHT;
        if is_straight && found.is_one() && straight.is_none_or(is_better) {
            straight = Some((found, since));
        }
    }
    // After a warm-up, what follows may be a rise of its own, if it is straight.
    if best.is_some_and(|(best, _)| !best.is_one()) {
        best = straight.or(best);
    }
    let since = best?.1;
    // What is level before the curve bends is no part of the rise.
    let since = bend(&values, since).unwrap_or(since);
    let trend = Trend { gain: values[n - 1] - values[since], ..from(since) };
    Some((trend, values[since..].to_vec()))
}

/// What a curve gains between the medians of its first and last points, one part of so many each, and from
/// there to its ends.
pub fn gain(values: &[f64], parts: usize) -> f64 {
    let n = values.len();
    let few = (n / parts).max(2).min(n);
    let median = |part: &[f64]| median_of(part.iter().copied());
    let gained = median(&values[n - few..]) - median(&values[..few]);
    let steps = n as f64 - 1.0;
    if n > few { gained * steps / (steps - (few - 1) as f64) } else { 0.0 }
}

fn highest_before(values: &[f64]) -> Vec<f64> {
    let mut highest = f64::NEG_INFINITY;
    let before = values.iter().map(|&value| {
        highest = highest.max(value);
        highest
    });
    before.collect()
}

/// What a curve does from a point on: its deepest fall, all of its steps together, and the largest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tail {
    fall: f64,
    path: f64,
    step: f64,
}

fn tails(values: &[f64]) -> Vec<Tail> {
    let mut tails = vec![Tail::default(); values.len()];
    let mut low = f64::INFINITY;
    for i in (0..values.len()).rev() {
        let value = values[i];
        if let (Some(&next), Some(&tail)) = (values.get(i + 1), tails.get(i + 1)) {
            tails[i] = Tail {
                fall: tail.fall.max(value - low),
                path: tail.path + (next - value).abs(),
                step: tail.step.max(next - value),
            };
        }
        low = low.min(value);
    }
    tails
}

/// Where a curve bends from level to rising, if two straight lines fit much better than one.
fn bend(values: &[f64], since: usize) -> Option<usize> {
    let fits = Fits::new(values);
    let n = values.len();
    let left = |at: usize| fits.left(since, at) + fits.left(at, n - 1);
    let at = (since + 3..n - 3).min_by(|&a, &b| left(a).total_cmp(&left(b)))?;
    let slope = |from: usize, to: usize| fits.slope(from, to);
    let is_level = slope(since, at).abs() < 0.25 * slope(at, n - 1);
    (is_level && left(at) < 0.65 * fits.left(since, n - 1)).then_some(at)
}

/// Whether a curve approaches a bound: a curve with one fits it better than straight lines and powers, which
/// have none, beyond chance.
fn levels_off(values: &[f64]) -> bool {
    let n = values.len() as f64;
    let fit = |shape: &dyn Fn(f64) -> f64| {
        let shape: Vec<f64> = (0..values.len()).map(|i| shape(i as f64 / (n - 1.0))).collect();
        residuals(&shape, values)
    };
    let best =
        |fits: Vec<Vec<f64>>| fits.into_iter().min_by(|a, b| squares(a).total_cmp(&squares(b)));
    let powers = [0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.5];
    let unbounded = best(powers.map(|power| fit(&|x| libm::pow(x, power))).into());
    let taus = [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
    let ends = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
    let curved = taus.iter().map(|tau| fit(&|x| -libm::exp(-x / tau)));
    let bounded = best(curved.chain(ends.iter().map(|&end| fit(&|x| x.min(end)))).collect());
    let (Some(unbounded), Some(bounded)) = (unbounded, bounded) else { return false };
    let (with, without) = (squares(&bounded), squares(&unbounded));
    with < without && 0.5 * independent(&bounded) * libm::log(without / with) > BOUND_EVIDENCE
}

fn squares(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}

/// How many independent points carry as much information as these, whose neighbours are correlated:
/// n (1 - r) / (1 + r) with their correlation r, and 5 at least.
fn independent(residuals: &[f64]) -> f64 {
    let neighbours: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let alike = (neighbours / squares(residuals)).clamp(0.0, 0.99);
    (residuals.len() as f64 * (1.0 - alike) / (1.0 + alike)).max(5.0)
}

/// Whether a curve stands still at its end for longer than ever before: four samples at least.
fn stands_still(values: &[f64], gain: f64) -> bool {
    let most = STILL * gain / values.len() as f64;
    let last = still(values.iter().rev().copied(), most);
    let before = &values[..values.len() - last];
    last >= 4 && (0..before.len()).all(|from| still(before[from..].iter().copied(), most) < last)
}

/// How many of the first values are within so many bytes of each other.
fn still(values: impl Iterator<Item = f64>, most: f64) -> usize {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let is_near = |value: &f64| {
        (low, high) = (low.min(*value), high.max(*value));
        high - low <= most
    };
    values.take_while(is_near).count()
}

/// A level of a staircase: its height, and its first sample.
#[derive(Clone, Copy)]
struct Level {
    height: f64,
    from: usize,
}

/// An array that doubles: at its end a staircase of three steps or more by a factor of two, each level held
/// longer than the one before, and the last not much longer than is due.
pub fn doubling(values: &[f64]) -> Option<Trend> {
    // From the last level to the first.
    let mut levels: Vec<Level> = Vec::new();
    let mut end = values.len();
    while end > 0 {
        let near = |value: &&f64| (**value - values[end - 1]).abs() <= 0.05 * values[end - 1];
        let samples = values[..end].iter().rev().take_while(near).count().max(1);
        let from = end - samples;
        let level = Level { height: median_of(values[from..end].iter().copied()), from };
        end = from;
        if let Some(next) = levels.last() {
            // While an array is copied there are two of it for one sample, which is no level.
            if samples == 1 && level.height > next.height {
                continue;
            }
            let doubles = (1.7..=2.3).contains(&(next.height / level.height));
            let after = levels.len().checked_sub(2).map(|after| levels[after].from - next.from);
            let held = (next.from - level.from) as f64;
            if !doubles || after.is_some_and(|after| (after as f64) < 1.2 * held) {
                break;
            }
        }
        levels.push(level);
    }
    let (first, last) = (levels.last()?, levels[0]);
    if levels.len() < 4 || values.len() - last.from > 3 * (last.from - levels[1].from) {
        return None;
    }
    Some(Trend {
        manner: Manner::Doubling,
        gain: last.height - first.height,
        since: first.from,
        end: values.len(),
        score: f64::INFINITY,
        late: 1.0,
        lasts: 1.0 - first.from as f64 / values.len() as f64,
        largest_step: 0.5,
    })
}
