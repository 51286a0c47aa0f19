//! Whether a curve rises to its end, by one statistic:
//!
//! ```text
//! score = gain / (deepest fall on the way + typical step)
//! ```
//!
//! The typical step is that of a byte which moves (Σd² / Σ|d|): three equal steps score 3, and the n steps of a straight
//! line score n. A heap without drift gains `score` times as much as it falls with probability exp(-score), in any
//! rhythm. The lows of a sawtooth are judged in the same way; the highs between them are a second witness, and as the
//! evidence of both is a logarithm, their scores add up. Curves are judged by the number of the sample, so an event log
//! and its `.hp` have the same rises.

use std::iter::{once, once_with};

use super::constants::{
    BEGINS, BOUND, DOUBLES, ENDS, FEW, FIFTH, HALF, IN_STEPS, LASTS, MANY, NEAR, PACES, PART,
    POINTS, POWERS, SAMPLES_A_TOOTH, SCORE, STEPS, TAUS, TOLD, TOOTH, WORTH,
};
use super::median::{highest, lowest, mean, median_of};
use super::rise::{Manner, Rise};

/// Some points of a curve: their samples and values; of a sawtooth its lows, and the highs between them.
struct CurvePoints {
    at: Vec<usize>,
    values: Vec<f64>,
    highs: Option<Vec<f64>>,
}

/// Where a curve is lowest after it fell by so much, and before it rises by as much.
pub fn lows(values: &[f64], height: f64) -> Vec<usize> {
    let mut lows = Vec::new();
    let (mut is_down, mut turn, mut low) = (false, f64::NEG_INFINITY, 0);
    for (at, &value) in values.iter().enumerate() {
        if is_down {
            if value < turn {
                (turn, low) = (value, at);
            } else if value > turn + height {
                lows.push(low);
                (is_down, turn) = (false, value);
            }
        } else if value > turn {
            turn = value;
        } else if value < turn - height {
            (is_down, turn, low) = (true, value, at);
        }
    }
    lows.extend(is_down.then_some(low));
    lows
}

/// The lows of a sawtooth, at most [`POINTS`] of them; `None` if the curve is no sawtooth.
pub fn floor(values: &[f64]) -> Option<Vec<usize>> {
    let lows = lows(values, TOOTH * (highest(values) - lowest(values)));
    // With fewer samples a tooth, its lows are wherever the samples happen to be.
    (lows.len() > 3 && lows.len() * SAMPLES_A_TOOTH <= values.len()).then(|| {
        let by_value = |&a: &usize, &b: &usize| values[a].total_cmp(&values[b]);
        parts(lows.len(), POINTS)
            .filter_map(|(a, b)| lows[a..b].iter().copied().min_by(by_value))
            .collect()
    })
}

/// The beginnings and ends of the parts to which so many values are condensed.
fn parts(values: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let parts = values.min(most);
    (0..parts).map(move |part| (part * values / parts, (part + 1) * values / parts))
}

/// The medians of a curve, in which its highs do not show.
fn medians(values: &[f64], most: usize) -> CurvePoints {
    let part = |(a, b): (usize, usize)| ((a + b - 1) / 2, median_of(values[a..b].iter().copied()));
    let (at, values) = parts(values.len(), most).map(part).unzip();
    CurvePoints { at, values, highs: None }
}

/// The lows of a sawtooth, and the highs between them.
fn teeth(values: &[f64]) -> Option<CurvePoints> {
    let at = floor(values)?;
    let highs = at.windows(2).map(|pair| highest(&values[pair[0]..pair[1]])).collect();
    Some(CurvePoints {
        values: at.iter().map(|&low| values[low]).collect(),
        at,
        highs: Some(highs),
    })
}

/// The score of some points.
fn score(points: &[f64]) -> f64 {
    let n = points.len();
    let few = (n / PART).max(2).min(n);
    let median = |part: &[f64]| median_of(part.iter().copied());
    let gain = (median(&points[n - few..]) - median(&points[..few])) * (n - 1) as f64
        / (n - few).max(1) as f64;
    let (mut fall, mut path, mut squares, mut high) = (0.0f64, 0.0, 0.0, points[0]);
    for pair in points.windows(2) {
        let step = pair[1] - pair[0];
        (path, squares) = (path + step.abs(), squares + step * step);
        high = high.max(pair[1]);
        fall = fall.max(high - pair[1]);
    }
    let step = if path > 0.0 { squares / path } else { 0.0 };
    if gain > 0.0 { gain / (fall + step) } else { 0.0 }
}

/// Where two straight lines fit the points from one on best.
fn bend(points: &[f64], since: usize) -> Option<usize> {
    let scale = highest(points).max(1.0);
    let mut sums = vec![[0.0; 5]];
    for (i, &y) in points.iter().enumerate() {
        let (x, y) = (i as f64, y / scale);
        let terms = [x, y, x * x, x * y, y * y];
        let last = sums[i];
        sums.push(std::array::from_fn(|k| last[k] + terms[k]));
    }
    // The squares that a line through the points from one to another leaves.
    let left = |from: usize, to: usize| {
        let n = (to + 1 - from) as f64;
        let [x, y, xx, xy, yy]: [f64; 5] = std::array::from_fn(|k| sums[to + 1][k] - sums[from][k]);
        let (dx, dy, dxy) = (xx - x * x / n, yy - y * y / n, xy - x * y / n);
        (dy - if dx > 0.0 { dxy * dxy / dx } else { 0.0 }).max(0.0)
    };
    let both = |at: usize| left(since, at) + left(at, points.len() - 1);
    let bends = since + 3..points.len().saturating_sub(3);
    let best = bends.map(|at| (at, both(at))).min_by(|a, b| a.1.total_cmp(&b.1));
    best.map(|(at, _)| at)
}

/// Whether a curve with a bound fits the points, which are at these times, better than any without, beyond chance.
fn levels_off(points: &[f64], times: impl Iterator<Item = f64>) -> bool {
    let (n, times) = (points.len(), times.collect::<Vec<f64>>());
    let passed = times[n - 1] - times[0];
    if passed <= 0.0 {
        return true;
    }
    let fit = |shape: &dyn Fn(f64) -> f64| -> Vec<f64> {
        let shape: Vec<f64> = times.iter().map(|time| shape((time - times[0]) / passed)).collect();
        let (middle, height) = (mean(&shape), mean(points));
        let from_means = || shape.iter().zip(points).map(|(s, p)| (s - middle, p - height));
        let slope = from_means().map(|(s, p)| s * p).sum::<f64>()
            / from_means().map(|(s, _)| s * s).sum::<f64>();
        from_means().map(|(s, p)| p - slope * s).collect()
    };
    let squares = |left: &Vec<f64>| left.iter().map(|r| r * r).sum::<f64>();
    let by_squares = |a: &Vec<f64>, b: &Vec<f64>| squares(a).total_cmp(&squares(b));
    let free = POWERS.map(|power| fit(&|x| libm::pow(x, power)));
    let slowing = PACES.map(|pace| fit(&|x| libm::log1p(pace * x)));
    let free = free.into_iter().chain(slowing).min_by(by_squares).expect("several powers");
    let curved = TAUS.map(|tau| fit(&|x| -libm::exp(-x / tau)));
    let broken = ENDS.map(|end| fit(&|x| x.min(end)));
    let bound = curved.into_iter().chain(broken).min_by(by_squares).expect("several bounds");
    let (with, without) = (squares(&bound), squares(&free));
    if with >= without || with <= 0.0 {
        return with < without;
    }
    // Neighbours that are alike say less: so many points say as much as if they were independent.
    let alike = bound.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / with;
    let alike = alike.clamp(0.0, 0.99);
    let independent = (n as f64 * (1.0 - alike) / (1.0 + alike)).max(5.0);
    0.5 * independent * libm::log(without / with) > BOUND
}

/// Whether a curve stands still at its end, for longer than ever before. One or two samples in which a program sums up
/// what it built must not hide that.
fn stands_still(values: &[f64], gain: f64) -> bool {
    let most = HALF * gain / values.len() as f64;
    let still = |values: &mut dyn Iterator<Item = f64>| {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let is_near = |value: &f64| {
            (low, high) = (low.min(*value), high.max(*value));
            high - low <= most
        };
        values.take_while(is_near).count()
    };
    let n = values.len();
    (n - 2..=n).any(|end| {
        let last = still(&mut values[..end].iter().rev().copied());
        let earlier = |from: usize| still(&mut values[from..end - last].iter().copied()) >= last;
        last >= end.div_ceil(PART).max(4) && !(0..end - last).any(earlier)
    })
}

/// Whether the last fifth of a rise gains less than a tenth of what it would at the pace of all of it, be there noise.
fn has_stopped(points: &[f64], gain: f64) -> bool {
    let (n, last) = (points.len(), points.len() / 5);
    let few = (last / 8).max(2);
    let median = |part: &[f64]| median_of(part.iter().copied());
    let gained = || median(&points[n - few..]) - median(&points[n - last..n - last + few]);
    last > 3 && gained() < WORTH * gain * (last - few) as f64 / n as f64
}

/// How a curve rises to its end, if it does: from its lowest point, or, if that was a warm-up, from where it bends. Its values
/// are at these times.
pub fn rise_to_the_end(values: &[f64], clock: &[f64]) -> Option<Rise> {
    if values.len() < FEW || highest(values) <= lowest(values) {
        return None;
    }
    // Medians of more samples see through noise, but not through four times as much as finer ones.
    let coarse = |most: f64| {
        let is_worth_it = values.len() > 2 * MANY && 4.0 * most >= SCORE;
        is_worth_it.then(|| medians(values, MANY))
    };
    let witnesses: [&dyn Fn(f64) -> Option<CurvePoints>; 3] =
        [&|_| Some(medians(values, POINTS)), &coarse, &|_| teeth(values)];
    let mut most = 0.0f64;
    for witness in witnesses {
        let Some(CurvePoints { at, values: points, highs }) = witness(most) else { continue };
        let (n, last) = (points.len(), points[points.len() - 1]);
        let also = highs.as_ref().map_or(0.0, |highs| score(highs));
        let low = leaves_its_low(&points);
        let starts = once(Some(low)).chain(once_with(|| bend(&points, low)));
        for start in starts.map_while(|start| start.filter(|start| start + 4 <= n)) {
            let found = score(&points[start..]);
            let found = found + if found > 2.0 { also } else { 0.0 };
            most = most.max(found);
            let lasts = (at[n - 1] - at[start]) as f64 / (at[n - 1] - at[0]) as f64;
            // What is shorter must be straighter.
            let is_brief = lasts < LASTS;
            let is_straight = found >= if is_brief { 2.0 * SCORE } else { SCORE };
            if lasts >= FIFTH && is_straight {
                let (curve, gain) = (&values[at[start]..], last - points[start]);
                // A bound shows in the most points, whichever showed the rise, and on every clock.
                let fine = highs.is_none().then(|| medians(curve, POINTS));
                let (shown, places) = match &fine {
                    Some(fine) => (&fine.values[..], &fine.at[..]),
                    None => (&points[start..], &at[start..]),
                };
                let since = if fine.is_some() { at[start] } else { 0 };
                let is_bound = levels_off(shown, places.iter().map(|&at| at as f64))
                    && levels_off(shown, places.iter().map(|&at| clock[since + at]));
                let manner = if highs.is_some() { Manner::Floors } else { manner(curve) };
                // A staircase, and an array that doubles, are level between their steps.
                let is_even = matches!(manner, Manner::Steady | Manner::Floors);
                let has_stopped = is_even && has_stopped(shown, gain);
                if stands_still(curve, gain) || is_bound || has_stopped {
                    return None;
                }
                // What is level for long before it rises is no part of it.
                let begins = curve.iter().position(|v| v - curve[0] > BEGINS * gain).unwrap_or(0);
                let is_idle = 3 * begins > curve.len() || manner == Manner::Steps;
                let idle = if is_idle { begins.saturating_sub(1) } else { 0 };
                return Some(Rise {
                    from: at[start] + idle,
                    to: at[n - 1],
                    gain: gain - (curve[idle] - curve[0]),
                    score: found,
                    is_brief,
                    late: (last - points[(start + n) / 2]) / gain,
                    manner,
                    ..Rise::default()
                });
            }
        }
    }
    None
}

/// Where a curve leaves its lowest point, and a little before that.
fn leaves_its_low(points: &[f64]) -> usize {
    let n = points.len();
    let low = (0..n).min_by(|&a, &b| points[a].total_cmp(&points[b])).unwrap_or(0);
    let near = points[low] + NEAR * (points[n - 1] - points[low]);
    let leaves = (low..n).rev().find(|&i| points[i] <= near).unwrap_or(low);
    low.max(leaves.saturating_sub((NEAR * (n - leaves) as f64).ceil() as usize))
}

/// In which way a curve rises: in few steps, by doubling, or steadily.
pub fn manner(values: &[f64]) -> Manner {
    let gain = values[values.len() - 1] - values[0];
    let large: Vec<usize> =
        (1..values.len()).filter(|&at| values[at] - values[at - 1] >= WORTH * gain).collect();
    let doubles =
        |&at: &usize| (DOUBLES[0]..=DOUBLES[1]).contains(&(values[at] / values[at - 1].max(1.0)));
    // Between them it rests.
    let rests = large.chunk_by(|a, b| a + 1 == *b).count();
    if gain > 0.0 && rests > 2 && large.iter().all(doubles) {
        return Manner::Doubling;
    }
    let mut ups: Vec<usize> = (1..values.len()).collect();
    // A step has a rise and a rest.
    let most = (ups.len() / (2 * SAMPLES_A_TOOTH)).clamp(1, STEPS);
    let step = |at: usize| values[at] - values[at - 1];
    let descending = |a: &usize, b: &usize| step(*b).total_cmp(&step(*a)).then(a.cmp(b));
    if ups.len() > most {
        ups.select_nth_unstable_by(most, descending);
        ups.truncate(most);
    }
    ups.sort_by(descending);
    let mut covered = 0.0;
    let reached = |at: &usize| {
        covered += step(*at);
        covered >= IN_STEPS * gain
    };
    // Noise has steps in both directions.
    let falls = || values.windows(2).map(|pair| (pair[0] - pair[1]).max(0.0)).sum::<f64>();
    match gain > 0.0 && ups.iter().any(reached) && falls() <= TOLD * gain {
        true => Manner::Steps,
        false => Manner::Steady,
    }
}

/// The highest value of a stretch of a curve after the lowest one before it, or the other way round of a fall: what it
/// gains or loses, and from where to where.
pub fn greatest(values: &[f64], (from, to): (usize, usize), sign: f64) -> (f64, usize, usize) {
    let (mut best, mut low, mut height) = ((0.0, from, from), from, f64::INFINITY);
    for (at, value) in values[from..=to].iter().enumerate() {
        let value = sign * value;
        if value < height {
            (low, height) = (from + at, value);
        } else if value - height > best.0 {
            best = (value - height, low, from + at);
        }
    }
    best
}

/// A move of a curve without what is as good as its ends, if that lasts for longer than such a share of the move takes.
pub fn without_levels(values: &[f64], start: usize, end: usize) -> (usize, usize) {
    let size = (values[end] - values[start]).abs();
    let near = |a: usize, b: usize| (values[a] - values[b]).abs() <= NEAR * size;
    let is_long = |part: usize| part as f64 > 2.0 * NEAR * (end - start) as f64;
    let leaves = (start..end).rev().find(|&at| near(at, start)).unwrap_or(start);
    let first = if is_long(leaves - start) { leaves } else { start };
    let reaches = (first + 1..=end).find(|&at| near(at, end)).unwrap_or(end);
    (first, if is_long(end - reaches) { reaches } else { end })
}

/// The greatest rise of a curve before the exit, if it gains as much as is asked: from where to where.
pub fn greatest_rise(values: &[f64], cut: usize, least: f64) -> Option<(usize, usize)> {
    let (gain, from, to) = greatest(values, (0, cut.checked_sub(1)?), 1.0);
    (gain > 0.0 && gain >= least).then(|| without_levels(values, from, to))
}
