//! Decides whether a curve rises to the end of its samples, by one statistic:
//!
//! ```text
//! score = gain / (deepest fall on the way + mean step)
//! ```
//!
//! The number of a sample is the clock. Samples are taken only while the program runs, so that clock is
//! the program's own: it does not depend on how busy the machine is, and it is the same in an event log
//! and in the `.hp` of the same run. A heap without drift gains `score` times its deepest fall with
//! probability exp(-score), in any rhythm.

use super::robust::{highest, lowest, median_of};
use super::verdict::RunEnd;

/// The least score of one band among many: by chance, one in 1 100.
pub const BAND_SCORE: f64 = 7.0;
/// The least score of all bands together, which are one curve: by chance, one in 150.
pub const HEAP_SCORE: f64 = 5.0;
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
/// What moves by less than this share of a mean step stands still.
const STILL: f64 = 0.5;
/// Falls by this share of its range make a sawtooth, if there are so many of them.
pub const TOOTH: f64 = 0.3;
const FEWEST_TEETH: usize = 5;
/// The samples at the end in which a program may let go of what it built: an eighth of them.
const EXIT: usize = 8;
/// How many points a curve is condensed to, and how many floors a sawtooth has at most.
const POINTS: usize = 120;
const FLOORS: usize = 48;

/// The way in which a curve rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Manner {
    /// Hardly ever falling back.
    Steady,
    /// Its low points rise; what it does between them does not matter.
    Floors,
    /// By doubling, as an array does that grows.
    Doubling,
}

/// A rise that goes on to the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rise {
    pub manner: Manner,
    /// The number of bytes that it gains.
    pub gain: f64,
    /// The sample with which it begins, and the number of samples up to its end: what the program lets go
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

impl Rise {
    fn is_one(&self, score: f64) -> bool {
        self.score >= score && self.largest_step <= LARGEST_STEP && LATE.contains(&self.late)
    }
}

/// How a curve rises to its end, with at least this score; `None` if it does not. Only before its exit does a
/// program let go of what it built.
pub fn rise(values: &[f64], score: f64, run_end: RunEnd) -> Option<Rise> {
    let n = values.len();
    if n < FEWEST_SAMPLES || highest(values) <= lowest(values) {
        return None;
    }
    if let Some(doubling) = doubling(values) {
        return Some(doubling);
    }
    let half = 0.5 * highest(values);
    let held = values.iter().rposition(|&value| value >= half).map_or(n, |last| last + 1);
    let is_exit = run_end == RunEnd::Exit;
    let end = if is_exit && n - held <= exit_room(n) { held } else { n };
    if let Some(found) = steady(&values[..end]) {
        // One or two samples in which a program sums what it built must not hide that it had stopped.
        let curve = &values[found.since..end];
        if (0..3).any(|out| stands_still(&curve[..curve.len() - out], found.gain)) {
            return None;
        }
        if found.is_one(score) || !is_exit {
            return Some(found).filter(|found| found.is_one(score));
        }
    }
    // The last samples may be those of the exit.
    let before = end.min(n - exit_room(2 * n) / 2);
    steady(&values[..before]).filter(|found| before < end && found.is_one(score))
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
    teeth(values) >= FEWEST_TEETH
}

fn teeth(values: &[f64]) -> usize {
    falls(values, TOOTH * (highest(values) - lowest(values)))
}

/// How often a curve falls by this much from a high, and rises again in between.
pub fn falls(values: &[f64], height: f64) -> usize {
    let Some(&first) = values.first() else { return 0 };
    let (mut count, mut extreme, mut is_down) = (0, first, false);
    for &value in values {
        if is_down {
            extreme = extreme.min(value);
            if value > extreme + height {
                (is_down, extreme) = (false, value);
            }
        } else {
            extreme = extreme.max(value);
            if value < extreme - height {
                (is_down, extreme) = (true, value);
                count += 1;
            }
        }
    }
    count
}

/// Some points of a curve: the numbers of samples, and values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    pub at: Vec<usize>,
    pub values: Vec<f64>,
}

/// A curve in so many points at most, each the median of its neighbours.
pub fn condensed(values: &[f64], most: usize) -> Points {
    let parts = values.len().min(most);
    let part = |part: usize| {
        let (from, to) = bounds(part, parts, values.len());
        ((from + to - 1) / 2, median_of(values[from..to].iter().copied()))
    };
    let (at, values) = (0..parts).map(part).unzip();
    Points { at, values }
}

/// The floor of a sawtooth, the lowest sample of each stretch: as many stretches as there are teeth, at least 6
/// and at most 48. `None` if the curve is no sawtooth.
pub fn floor(values: &[f64]) -> Option<Points> {
    let teeth = teeth(values);
    if teeth < FEWEST_TEETH {
        return None;
    }
    let parts = (teeth / 2 * 2).clamp(6, FLOORS);
    let lowest = |part: usize| {
        let (from, to) = bounds(part, parts, values.len());
        let lowest = (from..to).min_by(|&a, &b| values[a].total_cmp(&values[b]));
        lowest.map_or((from, 0.0), |at| (at, values[at]))
    };
    let (at, values) = (0..parts).map(lowest).unzip();
    Some(Points { at, values })
}

/// Where a part of so many samples begins and ends.
fn bounds(part: usize, parts: usize, samples: usize) -> (usize, usize) {
    (part * samples / parts, (part + 1) * samples / parts)
}

/// The stretch up to the end with the best score.
fn steady(values: &[f64]) -> Option<Rise> {
    let floor = floor(values);
    let manner = if floor.is_some() { Manner::Floors } else { Manner::Steady };
    let Points { at, values } = floor.unwrap_or_else(|| condensed(values, POINTS));
    let n = at.len();
    if n < 6 {
        return None;
    }
    let length = (at[n - 1] - at[0]).max(1) as f64;
    let place = |i: usize| (at[i] - at[0]) as f64 / length;
    let median = |part: &[f64]| median_of(part.iter().copied());
    let tails = tails(&values);
    let mut best: Option<(f64, usize, f64)> = None;
    for since in (0..n - 4).take_while(|&since| 1.0 - place(since) >= LASTS) {
        let ends = (n - since) / 12;
        let gain = median(&values[n - ends.max(2)..]) - median(&values[since..since + ends.max(1)]);
        let step = tails[since].path / (n - 1 - since) as f64;
        let score = gain / (tails[since].fall + step);
        // A later start has to be clearly better.
        if gain > 0.0 && best.is_none_or(|(best, ..)| score > 1.05 * best) {
            best = Some((score, since, gain));
        }
    }
    let (score, since, gain) = best?;
    if highest(&values[..=since]) > values[since] + (1.0 - ABOVE) * gain {
        return None;
    }
    let lasts = 1.0 - place(since);
    let quarter = (0..n).find(|&i| place(i) >= 1.0 - 0.25 * lasts).unwrap_or(n).min(n - 3);
    let late = median(&values[n - 2..]) - median(&values[quarter..quarter + 2]);
    let steps = values[since..].windows(2).map(|pair| pair[1] - pair[0]);
    Some(Rise {
        manner,
        gain,
        since: at[since],
        end: at[n - 1] + 1,
        score,
        late: late / (1.0 - place(quarter)) / (gain / lasts),
        lasts,
        largest_step: steps.fold(0.0, f64::max) / gain,
    })
}

/// What a curve does from a point on: its deepest fall, and all of its steps together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tail {
    fall: f64,
    path: f64,
}

fn tails(values: &[f64]) -> Vec<Tail> {
    let mut tails = vec![Tail::default(); values.len()];
    let mut low = f64::INFINITY;
    for i in (0..values.len()).rev() {
        let value = values[i];
        if let (Some(&next), Some(&tail)) = (values.get(i + 1), tails.get(i + 1)) {
            let fall = tail.fall.max(value - low);
            tails[i] = Tail { fall, path: tail.path + (next - value).abs() };
        }
        low = low.min(value);
    }
    tails
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

/// A level of a staircase: its height, its first sample and how many samples it has.
#[derive(Clone, Copy)]
struct Level {
    height: f64,
    from: usize,
    samples: usize,
}

/// An array that doubles: at its end a staircase of three steps or more by a factor of two, each level held
/// longer than the one before, and the last not much longer than is due.
fn doubling(values: &[f64]) -> Option<Rise> {
    let levels = levels(values);
    let mut first = levels.len().checked_sub(1)?;
    let held = |level: usize| match levels.get(level + 1) {
        Some(next) => next.from - levels[level].from,
        None => values.len() - levels[level].from,
    };
    while first > 0 {
        let (low, high) = (first - 1, first);
        let doubles = (1.7..=2.3).contains(&(levels[high].height / levels[low].height));
        let is_last = high + 1 == levels.len();
        if !doubles || !is_last && (held(high) as f64) < 1.2 * held(low) as f64 {
            break;
        }
        first = low;
    }
    let last = levels.len() - 1;
    if last < first + 3 || held(last) > 3 * held(last - 1) {
        return None;
    }
    Some(Rise {
        manner: Manner::Doubling,
        gain: levels[last].height - levels[first].height,
        since: levels[first].from,
        end: values.len(),
        score: f64::INFINITY,
        late: 1.0,
        lasts: 1.0 - levels[first].from as f64 / values.len() as f64,
        largest_step: 0.5,
    })
}

/// The levels of a curve. While an array is copied there are two of it for one sample, which is no level.
fn levels(values: &[f64]) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    let mut from = 0;
    while from < values.len() {
        let same = |value: &&f64| (**value - values[from]).abs() <= 0.05 * values[from];
        let samples = values[from..].iter().take_while(same).count().max(1);
        let height = median_of(values[from..from + samples].iter().copied());
        if levels.last().is_some_and(|last| last.samples == 1 && last.height > height) {
            levels.pop();
        }
        levels.push(Level { height, from, samples });
        from += samples;
    }
    levels
}
