//! Decides whether one curve grows to the end of the run, since when, and how certain that is.
//!
//! The null hypothesis is a heap without drift whose *changes* are random, as they are in heaps
//! without a leak. Samples of a heap depend on each other, so tests on the samples themselves would
//! accuse every other healthy run; the changes between blocks of time are much closer to
//! independent.

use std::cell::{LazyCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use super::robust::{
    ascending, bend, kendall, mean, median_of, quantile, residuals, slope, squares_left,
};

/// The way in which a curve grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Manner {
    /// Without falling back.
    Steady,
    /// Its low points rise; what it does between them does not matter.
    Floors,
    /// By doubling, as a growing array does.
    Doubling,
}

/// Growth that goes on to the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    pub manner: Manner,
    /// The point of the curve at which it begins.
    pub since: usize,
    /// The number of bytes that it grew by since then.
    pub bytes: f64,
    /// Bytes a second, or a sample where samples have no times.
    pub rate: f64,
    /// The mean change between blocks as a multiple of its standard error.
    pub strength: f64,
    /// A bound on the probability of such growth by chance, from both tests together.
    pub chance: f64,
    /// The rate of the last fifth of the run as a share of the mean rate.
    pub late: f64,
}

/// The conditions for growth. Around the defaults, the results of the benchmark hardly change: see
/// `docs/diagnosis.md`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demands {
    /// How many curves are judged; each is a chance to be wrong.
    pub curves: usize,
    /// The highest probability of chance that the two tests together may give for one curve: the
    /// product of their probabilities.
    pub chance: f64,
    /// The highest probability of chance that the test of the falls alone may give.
    pub falls_chance: f64,
    /// The least share of the run that it lasts.
    pub lasts: f64,
    /// The least rate of the last fifth of the run, as a share of the mean rate.
    pub late: f64,
}

impl Default for Demands {
    fn default() -> Self {
        Demands { curves: 1, chance: 5e-7, falls_chance: 0.02, lasts: 0.3, late: 0.4 }
    }
}

impl Demands {
    /// The highest probability of chance that the test of the steps alone may give with this many
    /// blocks: few blocks are weak evidence.
    fn steps_chance(&self, blocks: usize) -> f64 {
        if blocks < 9 { 0.06 } else { 0.01 }
    }
}

const BLOCKS: usize = 12;
const FEWEST_POINTS: usize = 10;

/// The fewest samples that show growth if the curve rises in every one of them.
pub const FEWEST_RISES: usize = 11;

/// Judges one curve over a run of `run` seconds (or samples). `None` when it does not grow to the
/// end.
pub fn growth(curve: &Curve<'_>, run: f64, demands: &Demands) -> Option<Growth> {
    growth_among(curve, run, demands, &KnownShapes::default())
}

/// The same for one of several curves at the same times.
pub fn growth_among(
    curve: &Curve<'_>,
    run: f64,
    demands: &Demands,
    known: &KnownShapes,
) -> Option<Growth> {
    steady(curve, run, demands, known)
        .or_else(|| floors(curve, run, demands))
        .or_else(|| doubling(curve))
}

/// Steady growth, from a bend or over the whole run.
fn steady(curve: &Curve<'_>, run: f64, demands: &Demands, known: &KnownShapes) -> Option<Growth> {
    let mut starts = vec![(0, Straight::Any)];
    if let Some(bend) = bend(&curve.times, &curve.values)
        && bend.after > 0.0
    {
        if bend.left < 0.65 && bend.before.abs() < 0.25 * bend.after {
            starts.insert(0, (bend.at, Straight::Any));
        } else if bend.left < 0.5
            && bend.before > bend.after
            && bend.left * squares_left(&curve.times, &curve.values)
                < known.from(&curve.times, 0).bounded_fit(&curve.values).left
        {
            // A warm-up and then a leak, unless a single curve with a bound fits better.
            starts.push((bend.at, Straight::Demanded));
        }
    }
    starts.into_iter().find_map(|(start, straight)| {
        from((&curve.times, &curve.values), start, straight, run, demands, known)
    })
}

/// Whether the growth has to be a straight line.
#[derive(Clone, Copy, PartialEq)]
enum Straight {
    Any,
    Demanded,
}

fn from(
    (times, values): (&[f64], &[f64]),
    start: usize,
    straight: Straight,
    run: f64,
    demands: &Demands,
    known: &KnownShapes,
) -> Option<Growth> {
    let (t, v) = (&times[start..], &values[start..]);
    let lasts = t.last()? - t[0];
    let least = if straight == Straight::Demanded { demands.lasts.max(0.4) } else { demands.lasts };
    if t.len() < FEWEST_POINTS || lasts < least * run {
        return None;
    }
    let parts = blocks(t, v, BLOCKS.min((t.len() / 2).max(5)));
    let (strength, by_steps) = drift(&parts)?;
    let by_falls =
        climbs_by_chance(v).min(climbs_by_chance(&medians(t, v))).min(returns_by_chance(t, v));
    let chance = by_steps * by_falls * demands.curves.max(1) as f64;
    let hardly_chance = by_steps <= demands.steps_chance(parts.len())
        && by_falls <= demands.falls_chance
        && chance <= demands.chance;
    // Few samples cannot pass the other tests if they fall only once or twice, but far.
    let by_rises = rises_by_chance(v) * demands.curves as f64;
    let nearly_always_rises = by_steps <= 0.06 && by_rises <= 0.01 && by_steps * by_rises <= 5e-5;
    if !hardly_chance && !nearly_always_rises {
        return None;
    }
    let (first, last) = (parts.first()?, parts.last()?);
    let bytes = last.value - first.value;
    let mean_rate = bytes / (last.time - first.time);

    let (late_rate, end) = tail(t, v, t.last()? - 0.2 * run)?;
    let late = late_rate / mean_rate;
    let bound = LazyCell::new(|| known.from(times, start).evidence_of_a_bound(v));
    // What slows down has to fit a curve without a bound much better than all curves with one.
    if late < 0.1 || late < demands.late && *bound >= -LEVEL_EVIDENCE {
        return None;
    }
    let before = values[..=start].iter().copied().fold(0.0, f64::max);
    if end < before + 0.25 * bytes {
        return None;
    }
    if straight == Straight::Demanded && (late < 0.7 || !is_straight(&parts)) {
        return None;
    }
    if *bound > LEVEL_EVIDENCE {
        return None;
    }
    let rate = slope(t, v).middle;
    (rate > 0.0).then_some(Growth {
        manner: Manner::Steady,
        since: start,
        bytes,
        rate,
        strength,
        chance,
        late,
    })
}

/// The mean rate between neighbouring blocks as a multiple of its standard error, and a bound on
/// the probability that chance makes it as large. `None` when it is not positive.
///
/// Noise around a trend makes neighbouring changes cancel, and a random walk does not: so the
/// covariance of neighbours is subtracted from the variance, but at most 70 % of it.
pub fn drift(parts: &[Block]) -> Option<(f64, f64)> {
    if parts.len() < 5 {
        return None;
    }
    let rates: Vec<f64> =
        parts.windows(2).map(|p| (p[1].value - p[0].value) / (p[1].time - p[0].time)).collect();
    mean_by_chance(&rates)
}

/// The mean of some rates as a multiple of its standard error, and the bound.
fn mean_by_chance(rates: &[f64]) -> Option<(f64, f64)> {
    let n = rates.len() as f64;
    let mean_rate = mean(rates);
    if mean_rate <= 0.0 {
        return None;
    }
    let variance = rates.iter().map(|r| (r - mean_rate) * (r - mean_rate)).sum::<f64>() / n;
    let neighbours =
        rates.windows(2).map(|r| (r[0] - mean_rate) * (r[1] - mean_rate)).sum::<f64>() / n;
    let variance = (variance + 2.0 * neighbours.min(0.0)).max(0.3 * variance);
    let error = (variance / (n - 1.0)).sqrt();
    let strength = (mean_rate / error).min(1e3);
    Some((strength, chance(strength, n - 1.0)))
}

/// A bound on the probability that a heap without drift climbs as much as a curve without falling
/// more.
///
/// A curve that moves without drift and without jumps gains g before it first falls by d below its
/// last high with probability exp(-g/d), in any rhythm. Samples miss a little of each fall: one
/// mean step is added; and n steps that all go up are never less likely than 2^-n.
pub fn climbs_by_chance(v: &[f64]) -> f64 {
    let (Some(&first), Some(&last)) = (v.first(), v.last()) else { return 1.0 };
    let (mut high, mut fall, mut path) = (first, 0.0f64, 0.0f64);
    let mut moves = 0;
    for pair in v.windows(2) {
        high = high.max(pair[1]);
        fall = fall.max(high - pair[1]);
        path += (pair[1] - pair[0]).abs();
        moves += i32::from(pair[1] != pair[0]);
    }
    if last <= first || moves == 0 {
        return 1.0;
    }
    let fall = fall + path / f64::from(moves);
    libm::exp(-(last - first) / fall).max(0.5f64.powi(moves))
}

/// The probability that a curve of few samples rises in so many of them by chance: one without
/// drift rises in every other sample. With many samples this would mistake a slow wave for growth.
fn rises_by_chance(v: &[f64]) -> f64 {
    if !(FEWEST_RISES..=30).contains(&v.len()) {
        return 1.0;
    }
    let moves = v.len() - 1;
    let others = v.windows(2).filter(|pair| pair[1] <= pair[0]).count();
    let mut ways = 1.0;
    let mut all = ways;
    for other in 1..=others {
        ways *= (moves + 1 - other) as f64 / other as f64;
        all += ways;
    }
    all * 0.5f64.powi(moves as i32)
}

/// A bound on the probability that a heap without drift returns to a straight line as fast as a
/// curve does.
///
/// A random walk has no line to return to: its distance from the line of least squares does not
/// predict its next step. Noise around a trend does return, even if it is wide. This is the test of
/// Dickey and Fuller with a trend; the probability is a straight line through their table, on the
/// safe side of it for few points, and never below 1 in 500: steps that are not independent fool
/// the test, so another one has to agree.
fn returns_by_chance(t: &[f64], v: &[f64]) -> f64 {
    let away = residuals(t, v);
    let n = away.len() as f64;
    if away.len() < 20 {
        return 1.0;
    }
    let (before, step): (Vec<f64>, Vec<f64>) =
        away.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).unzip();
    let all: f64 = before.iter().map(|x| x * x).sum();
    if all <= 0.0 {
        return 1.0;
    }
    let back = before.iter().zip(&step).map(|(x, y)| x * y).sum::<f64>() / all;
    let left: f64 = before.iter().zip(&step).map(|(x, y)| (y - back * x) * (y - back * x)).sum();
    let error = (left / (n - 4.0) / all).sqrt();
    let strength = if error > 0.0 { -back / error } else { 0.0 };
    let sure = 3.13 + 8.0 / n;
    libm::exp(-2.3 - 2.77 * (strength - sure)).clamp(2e-3, 1.0)
}

/// Medians of two dozen stretches contain hardly any noise around a trend.
fn medians(t: &[f64], v: &[f64]) -> Vec<f64> {
    blocks(t, v, 24).into_iter().map(|block| block.value).collect()
}

/// A bound on the probability that Student's t with this many degrees of freedom is as large: Wallace
/// turns it into a normal deviate z, whose tail is below exp(-z²/2)/2.
fn chance(strength: f64, degrees: f64) -> f64 {
    let scale = (8.0 * degrees + 1.0) / (8.0 * degrees + 3.0);
    let power = -0.5 * degrees * scale * scale;
    0.5 * libm::pow(1.0 + strength * strength / degrees, power)
}

/// The rate of the part from `cut` on, and the height of its last third.
fn tail(t: &[f64], v: &[f64], cut: f64) -> Option<(f64, f64)> {
    let from = t.partition_point(|&time| time < cut).min(t.len().saturating_sub(4));
    let (t, v) = (&t[from..], &v[from..]);
    let third = (t.len() / 3).max(1);
    (t.len() > 1).then(|| (slope(t, v).middle, median_of(v[t.len() - third..].iter().copied())))
}

fn is_straight(parts: &[Block]) -> bool {
    let middle = parts.len() / 2;
    let rate = |a: Block, b: Block| (b.value - a.value) / (b.time - a.time);
    let (first, half, last) = (parts[0], parts[middle], parts[parts.len() - 1]);
    rate(half, last) > 0.8 * rate(first, half)
}

/// Whether a curve approaches a bound: 1 - exp(-t/τ), with more than 60 % of the way to the bound
/// covered, fits it much better than every straight line or root, beyond chance.
///
/// How much better is measured by the difference of the two likelihoods for the number of
/// independent points, because the residuals of the better fit depend on their neighbours. Noise
/// adds to the residuals of both fits, so it hides a bound only where it also hides the growth.
pub fn levels_off(t: &[f64], v: &[f64]) -> bool {
    Shapes::over(t).evidence_of_a_bound(v) > LEVEL_EVIDENCE
}

/// What curves are compared with over some times: those without a bound, those that approach one and are 60 %
/// of the way there or more, and straight ones that have reached it.
struct Shapes {
    unbounded: [Vec<f64>; 7],
    curved: [Vec<f64>; 12],
    filled: [Vec<f64>; 6],
}

/// A shape that fits a curve best, and the sum of squares that it leaves.
struct FittedShape<'s> {
    shape: &'s [f64],
    left: f64,
}

impl Shapes {
    fn over(t: &[f64]) -> Self {
        let span = t[t.len() - 1] - t[0];
        let shape = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
            t.iter().map(|time| of((time - t[0]) / span)).collect()
        };
        let powers = [0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.5];
        let taus = [0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0];
        let ends = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
        Shapes {
            unbounded: powers.map(|power| shape(&|x| libm::pow(x, power))),
            curved: taus.map(|tau| shape(&|x| -libm::exp(-x / tau))),
            filled: ends.map(|end| shape(&|x| x.min(end))),
        }
    }

    /// The best of the curves with a bound.
    fn bounded_fit(&self, v: &[f64]) -> FittedShape<'_> {
        let (curved, filled) = (best_fit(&self.curved, v), best_fit(&self.filled, v));
        if curved.left <= filled.left { curved } else { filled }
    }

    fn evidence_of_a_bound(&self, v: &[f64]) -> f64 {
        let (unbounded, bounded) = (best_fit(&self.unbounded, v), self.bounded_fit(v));
        let better = if bounded.left < unbounded.left { &bounded } else { &unbounded };
        let points = independent(&residuals(better.shape, v));
        match (bounded.left > 0.0, unbounded.left > 0.0) {
            (true, true) => 0.5 * points * libm::log(unbounded.left / bounded.left),
            (true, false) => f64::NEG_INFINITY,
            (false, true) => f64::INFINITY,
            (false, false) => 0.0,
        }
    }
}

fn best_fit<'s>(shapes: &'s [Vec<f64>], v: &[f64]) -> FittedShape<'s> {
    let fits = shapes.iter().map(|shape| FittedShape { shape, left: squares_left(shape, v) });
    let best = fits.min_by(|a, b| ascending(&a.left, &b.left));
    best.unwrap_or(FittedShape { shape: &[], left: f64::INFINITY })
}

/// The shapes over the times from some points on, for all curves at the same times: they cost five times as
/// much as fitting them.
#[derive(Default)]
pub struct KnownShapes(RefCell<Vec<(usize, Rc<Shapes>)>>);

impl KnownShapes {
    /// How many are kept: 48 kB each.
    const MOST: usize = 32;

    fn from(&self, times: &[f64], start: usize) -> Rc<Shapes> {
        let mut known = self.0.borrow_mut();
        if let Some((_, shapes)) = known.iter().find(|(known, _)| *known == start) {
            return Rc::clone(shapes);
        }
        let shapes = Rc::new(Shapes::over(&times[start..]));
        if known.len() < Self::MOST {
            known.push((start, Rc::clone(&shapes)));
        }
        shapes
    }
}

/// How much more likely a curve with a bound has to be than one without, as a natural logarithm.
const LEVEL_EVIDENCE: f64 = 2.0;

/// How many independent points carry as much information as these, whose neighbours are correlated:
/// n (1 - r) / (1 + r) with their correlation r, and 5 at least.
fn independent(residuals: &[f64]) -> f64 {
    let all: f64 = residuals.iter().map(|r| r * r).sum();
    let neighbours: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let alike = if all > 0.0 { (neighbours / all).clamp(0.0, 0.99) } else { 0.0 };
    (residuals.len() as f64 * (1.0 - alike) / (1.0 + alike)).max(5.0)
}

/// A sawtooth on a rising floor: the lows of stretches of time rise as a steady curve does, at one
/// of three lengths of stretches, or so do the lows that it fell to and rose from.
fn floors(curve: &Curve<'_>, run: f64, demands: &Demands) -> Option<Growth> {
    let height = quantile(&curve.values, 0.95) - quantile(&curve.values, 0.05);
    let troughs = troughs(&curve.values, 0.3 * height);
    if troughs.len() < 3 {
        return None;
    }
    // Samples miss the lowest point of a tooth by up to one step, and the miss may increase or
    // decrease steadily.
    let missed = 2.0 * troughs.len() as f64 / curve.samples() as f64;
    let least = missed.clamp(0.1, 0.5) * height;
    let looks = Demands { curves: 4 * demands.curves, ..*demands };
    [48, 24, 12]
        .into_iter()
        .filter(|&count| curve.samples() >= 4 * count && troughs.len() >= count / 2)
        .find_map(|count| {
            let (times, lows) = curve.lows(count);
            let known = KnownShapes::default();
            let growth = from((&times, &lows), 0, Straight::Any, run, &looks, &known)?;
            Some(Growth { manner: Manner::Floors, since: curve.at(times[growth.since]), ..growth })
        })
        .or_else(|| ascending_floors(curve, &troughs, run, &looks))
        .filter(|growth| growth.bytes >= least)
}

/// The lows that a sawtooth falls to, if their order is hardly chance.
fn ascending_floors(
    curve: &Curve<'_>,
    troughs: &[usize],
    run: f64,
    demands: &Demands,
) -> Option<Growth> {
    if troughs.len() < 4 {
        return None;
    }
    let times: Vec<f64> = troughs.iter().map(|&i| curve.times[i]).collect();
    let values: Vec<f64> = troughs.iter().map(|&i| curve.values[i]).collect();
    // A few lows in order are not enough, unless they also rise evenly, below teeth: noise has lows,
    // too, but falls in every other sample.
    let teeth = &curve.values[troughs[0]..=troughs[troughs.len() - 1]];
    let rising = teeth.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let pairs = times.windows(2).zip(values.windows(2));
    let rates: Vec<f64> = pairs.map(|(t, v)| (v[1] - v[0]) / (t[1] - t[0])).collect();
    let in_order = rates.iter().all(|&rate| rate > 0.0 && rate.is_finite());
    let by_rates = match in_order && rising * 10 >= teeth.len() * 7 {
        true => mean_by_chance(&rates)?.1,
        false => 1.0,
    };
    let chance = in_order_by_chance(&values) * by_rates * demands.curves as f64;
    if chance > 0.001 {
        return None;
    }
    let rate = slope(&times, &values).middle;
    let lasts = times.last()? - times[0];
    let bytes = rate * lasts;
    let off = median_of(
        times.iter().zip(&values).map(|(t, v)| (v - values[0] - rate * (t - times[0])).abs()),
    );
    let (since, strength) = (troughs[0], if off > 0.0 { (bytes / off).min(1e3) } else { 1e3 });
    let late = tail(&times, &values, times.last()? - 0.4 * run)?.0 / rate;
    let grows = strength > 4.0 && lasts >= 0.45 * run && late >= demands.late;
    grows.then_some(Growth { manner: Manner::Floors, since, bytes, rate, strength, chance, late })
}

/// A bound on the probability that values in random order are ordered as well as this: 1/n! for
/// values that all ascend, else by the normal approximation of Kendall's statistic.
fn in_order_by_chance(values: &[f64]) -> f64 {
    let (order, n) = (kendall(values), values.len() as f64);
    if order >= 0.999 {
        return (1..=values.len().min(20)).map(|k| 1.0 / k as f64).product();
    }
    if order <= 0.0 {
        return 1.0;
    }
    let deviate = order * (9.0 * n * (n - 1.0) / (2.0 * (2.0 * n + 5.0))).sqrt();
    0.5 * libm::exp(-0.5 * deviate * deviate)
}

/// The places of the lows that a curve fell to, and rose from, by at least `need`.
fn troughs(v: &[f64], need: f64) -> Vec<usize> {
    let mut out = Vec::new();
    if need <= 0.0 || v.is_empty() {
        return out;
    }
    let mut high = v[0];
    let mut low: Option<usize> = None;
    for (i, &value) in v.iter().enumerate() {
        match low {
            None => {
                high = high.max(value);
                if high - value >= need {
                    low = Some(i);
                }
            }
            Some(at) if value < v[at] => low = Some(i),
            Some(at) if value - v[at] >= need => {
                out.push(at);
                (low, high) = (None, value);
            }
            Some(_) => {}
        }
    }
    out
}

/// An array that doubles its size: levels of which the last four double, each held longer than the
/// one before, and the last not so long that the next one is overdue.
fn doubling(curve: &Curve<'_>) -> Option<Growth> {
    let (t, v) = (&curve.times, &curve.values);
    let n = v.len();
    // While an array is copied, two copies exist; a median of three removes such a sample.
    let smooth = |i: usize| median_of(v[i.saturating_sub(1)..(i + 2).min(n)].iter().copied());
    let mut levels: Vec<(f64, f64)> = Vec::new();
    for (i, &time) in t.iter().enumerate() {
        let value = smooth(i);
        match levels.last() {
            Some(&(_, level)) if value < 0.85 * level => return None,
            Some(&(_, level)) if value <= 1.15 * level => {}
            _ => levels.push((time, value)),
        }
    }
    let [a, b, c, d] = *levels.last_chunk::<4>()?;
    let doubles = |x: (f64, f64), y: (f64, f64)| (1.6..=2.4).contains(&(y.1 / x.1));
    let (held, before) = (d.0 - c.0, c.0 - b.0);
    let end = *t.last()?;
    if !(doubles(a, b) && doubles(b, c) && doubles(c, d))
        || end - d.0 > 2.3 * held
        || held < 1.2 * before
    {
        return None;
    }
    let bytes = d.1 - levels[0].1;
    let rate = bytes / (end - t[0]);
    Some(Growth {
        manner: Manner::Doubling,
        since: 0,
        bytes,
        rate,
        strength: 4.0,
        chance: 1e-3,
        late: 1.0,
    })
}

/// A curve of at most [`Curve::MOST`] points in order of time, and the samples it was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve<'a> {
    /// The place of each point, in seconds or samples.
    pub times: Vec<f64>,
    /// The height at each point, in bytes.
    pub values: Vec<f64>,
    samples: (&'a [f64], &'a [f64]),
}

impl<'a> Curve<'a> {
    /// How many points a curve has at most. More samples are condensed, so that judging a band
    /// takes no longer for a run of a day than for one of a minute, and noise is averaged out
    /// first.
    pub const MOST: usize = 240;

    /// The curve of some samples. If there are too many, each point is the median of several
    /// neighbours.
    pub fn new(times: &'a [f64], values: &'a [f64]) -> Self {
        let samples = (times, values);
        if times.len() <= Self::MOST {
            return Curve { times: times.to_vec(), values: values.to_vec(), samples };
        }
        let (times, values) = cells(times, values, Self::MOST)
            .map(|(times, values)| (mean(times), median_of(values.iter().copied())))
            .unzip();
        Curve { times, values, samples }
    }

    /// How many samples it was made of.
    pub fn samples(&self) -> usize {
        self.samples.0.len()
    }

    /// The lows of `count` runs of neighbouring samples, with their mean times. A low is the
    /// smallest value of a run of neighbours, or for a long run the value that a tenth of them are
    /// below.
    pub fn lows(&self, count: usize) -> (Vec<f64>, Vec<f64>) {
        let (times, values) = self.samples;
        let share = |samples: usize| if samples < 20 { 0.0 } else { 0.1 };
        cells(times, values, count)
            .map(|(times, values)| (mean(times), quantile(values, share(values.len()))))
            .unzip()
    }

    /// The first of the samples that a point stands for.
    pub fn first_sample(&self, point: usize) -> usize {
        let samples = self.samples();
        if samples <= Self::MOST { point } else { point * samples / Self::MOST }
    }

    /// The first point at or after a time.
    pub fn at(&self, time: f64) -> usize {
        self.times.partition_point(|&t| t < time).min(self.times.len().saturating_sub(1))
    }
}

/// Divides samples into this many runs of neighbours of nearly equal length.
fn cells<'a>(
    times: &'a [f64],
    values: &'a [f64],
    count: usize,
) -> impl Iterator<Item = (&'a [f64], &'a [f64])> {
    let edge = move |cell: usize| cell * times.len() / count;
    (0..count).map(move |cell| {
        let range = edge(cell)..edge(cell + 1);
        (&times[range.clone()], &values[range])
    })
}

/// One of several equal stretches of time: the middle of its samples and their median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    pub time: f64,
    pub value: f64,
}

/// One of several equal stretches of time, and the samples in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    time: f64,
    samples: Range<usize>,
}

impl Stretch {
    /// The block of a curve's values in this stretch.
    pub fn block(&self, values: &[f64]) -> Block {
        let inside = values[self.samples.clone()].iter().copied();
        Block { time: self.time, value: median_of(inside) }
    }
}

/// Cuts samples into stretches of equal time; stretches without samples are left out.
pub fn stretches(times: &[f64], count: usize) -> Vec<Stretch> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Vec::new() };
    if last <= first {
        return Vec::new();
    }
    let place =
        |time: f64| (((time - first) / (last - first) * count as f64) as usize).min(count - 1);
    let mut out = Vec::with_capacity(count);
    let mut from = 0;
    while from < times.len() {
        let stretch = place(times[from]);
        let length = times[from..].iter().take_while(|&&time| place(time) == stretch).count();
        let samples = from..from + length.max(1);
        from = samples.end;
        out.push(Stretch { time: mean(&times[samples.clone()]), samples });
    }
    out
}

/// The blocks of a curve over stretches of equal time.
pub fn blocks(times: &[f64], values: &[f64], count: usize) -> Vec<Block> {
    stretches(times, count).iter().map(|stretch| stretch.block(values)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_samples_become_few_points_and_keep_their_middle() {
        let times: Vec<f64> = (0..1000).map(f64::from).collect();
        let values: Vec<f64> =
            times.iter().map(|t| if *t as u32 % 7 == 3 { 1e9 } else { *t }).collect();
        let curve = Curve::new(&times, &values);
        assert_eq!((curve.times.len(), curve.samples()), (Curve::MOST, 1000));
        assert!(curve.values.iter().zip(&curve.times).all(|(v, t)| (v - t).abs() < 4.0));
        assert_eq!(curve.first_sample(120), 500);
        assert_eq!(curve.lows(10).1[9], 911.0);
    }

    #[test]
    fn shapes_depend_on_how_long_a_run_is_and_not_on_when_it_begins() {
        let seconds = |begin: f64| (0..5).map(|i| begin + f64::from(i)).collect::<Vec<f64>>();
        let (early, late) = (Shapes::over(&seconds(0.0)), Shapes::over(&seconds(100.0)));
        assert_eq!(early.unbounded, late.unbounded);
        assert_eq!((late.unbounded[5][4], late.filled[5][4]), (1.0, 0.8));
    }

    #[test]
    fn blocks_are_equal_stretches_of_time() {
        let middle = |block: &Block| (block.time, block.value);
        let found = blocks(&[0.0, 1.0, 2.0, 9.0, 10.0], &[5.0, 7.0, 6.0, 1.0, 3.0], 5);
        let found: Vec<_> = found.iter().map(middle).collect();
        assert_eq!(found, [(0.5, 6.0), (2.0, 6.0), (9.5, 2.0)]);
        assert!(blocks(&[1.0, 1.0], &[5.0, 7.0], 5).is_empty());
    }

    #[test]
    fn lows_that_ascend_are_a_leak_only_if_they_are_near_a_line() {
        let is_found = |run: f64, low: fn(i32) -> f64| {
            let tooth = |i: i32| (0..8).map(move |j| low(i) + 5e3 * f64::from(j));
            let values: Vec<f64> = (0..12).flat_map(tooth).collect();
            let times: Vec<f64> = (0..values.len()).map(|i| i as f64).collect();
            let troughs: Vec<usize> = (0..12).map(|i| 8 * i).collect();
            let curve = Curve::new(&times, &values);
            ascending_floors(&curve, &troughs, run, &Demands::default()).is_some()
        };
        assert!(is_found(95.0, |i| 100.0 * f64::from(i)));
        assert!(!is_found(95.0, |i| 2f64.powi(i)));
        // The lows are 88 seconds apart, which has to be most of a half of the run.
        assert_eq!(
            [195.0, 196.0].map(|run| is_found(run, |i| 100.0 * f64::from(i))),
            [true, false]
        );
    }

    /// Each level of an array that doubles is held longer than the one before.
    #[test]
    fn levels_that_double_are_an_array_only_if_their_lengths_grow() {
        let by = |factor: f64| std::array::from_fn(|i| factor.powi(i as i32));
        let found = |levels: [f64; 5], lengths: [usize; 5]| {
            let level = |i: usize| std::iter::repeat_n(1e6 * levels[i], lengths[i]);
            let values: Vec<f64> = (0..5).flat_map(level).collect();
            let times: Vec<f64> = (0..values.len()).map(|i| i as f64).collect();
            doubling(&Curve::new(&times, &values)).map(|growth| (growth.bytes, growth.rate))
        };
        let is_found = |levels, lengths| found(levels, lengths).is_some();
        assert_eq!(found(by(2.0), [10, 14, 20, 28, 30]), Some((15e6, 15e6 / 101.0)));
        assert!(is_found([1.0, 3.0, 6.0, 12.0, 24.0], [10, 14, 20, 28, 30]));
        for once in [[1.0, 2.0, 6.0, 12.0, 24.0], [1.0, 2.0, 4.0, 12.0, 24.0]] {
            assert!(!is_found(once, [10, 14, 20, 28, 30]), "it triples once");
        }
        assert!(!is_found(by(3.0), [10, 14, 20, 28, 30]), "it triples");
        assert!(!is_found(by(2.0), [20, 20, 20, 20, 20]), "it doubles at equal times");
        assert!(!is_found(by(2.0), [10, 14, 20, 28, 80]), "the next level is overdue");
    }

    /// A thousand curves are a thousand chances for one to look like growth.
    #[test]
    fn more_curves_demand_more() {
        let times: Vec<f64> = (0..40).map(f64::from).collect();
        let is_found = |wave: f64, curves: usize| {
            let values: Vec<f64> = times.iter().map(|t| t + wave * libm::sin(1.7 * t)).collect();
            let demands = Demands { curves, ..Demands::default() };
            growth(&Curve::new(&times, &values), 39.0, &demands).is_some()
        };
        assert_eq!([1, 1000, 100_000].map(|curves| is_found(1.0, curves)), [true, true, true]);
        assert_eq!([1, 1000, 100_000].map(|curves| is_found(2.4, curves)), [true, true, false]);
        assert_eq!([1, 1000, 100_000].map(|curves| is_found(4.0, curves)), [true, false, false]);
    }

    #[test]
    fn known_shapes_are_those_of_their_times() {
        let times: Vec<f64> = (0..40).map(f64::from).collect();
        let values: Vec<f64> =
            times.iter().map(|t| (0.3 * t).sqrt() + libm::sin(1.7 * t)).collect();
        let evidence = |known: &KnownShapes, start: usize| {
            known.from(&times, start).evidence_of_a_bound(&values[start..])
        };
        let known = KnownShapes::default();
        for start in [0, 10, 0, 20, 10] {
            assert_eq!(
                evidence(&known, start),
                evidence(&KnownShapes::default(), start),
                "{start}"
            );
        }
    }

    /// They cannot return to a line often enough to show that they do.
    #[test]
    fn few_samples_grow_if_they_fall_once_but_far() {
        let times: Vec<f64> = (0..16).map(f64::from).collect();
        let is_found = |falls: &[usize]| {
            let mut values: Vec<f64> = times.iter().map(|t| 10.0 * t).collect();
            falls.iter().for_each(|&at| values[at] -= 60.0);
            growth(&Curve::new(&times, &values), 15.0, &Demands::default()).is_some()
        };
        assert!(is_found(&[8]));
        assert!(!is_found(&[8, 11]));
    }

    /// What a program builds when it starts may be higher than all that comes later.
    #[test]
    fn growth_ends_above_what_was_before() {
        let times: Vec<f64> = (0..40).map(f64::from).collect();
        let is_found = |first: f64| {
            let mut values: Vec<f64> =
                times.iter().map(|t| 27.0 + 0.64 * t + 0.5 * libm::sin(1.7 * t)).collect();
            values[0] = first;
            growth(&Curve::new(&times, &values), 39.0, &Demands::default()).is_some()
        };
        assert!(is_found(27.0) && is_found(40.0));
        assert!(!is_found(47.0) && !is_found(60.0));
    }

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-4 * expected.abs()
    }

    #[test]
    fn a_mean_of_rates_is_as_strong_as_they_agree() {
        for (rates, strength) in [
            (&[1.0, 2.0, 3.0][..], 3.464_102),
            // Neighbours that cancel count, but leave three tenths of the variance.
            (&[1.0, 1.0, 3.0, 3.0, 1.0, 3.0], 5.477_226),
            (&[1.0, 3.0, 1.0, 3.0], 6.324_555),
            // Neighbours that are alike do not.
            (&[1.0, 1.0, 3.0, 3.0], 3.464_102),
            (&[2.0, 2.0, 2.0], 1000.0),
        ] {
            let (found, by_chance) = mean_by_chance(rates).expect("it is positive");
            assert!(close(found, strength), "{rates:?} {found}");
            assert_eq!(by_chance, chance(found, rates.len() as f64 - 1.0));
        }
        assert_eq!(mean_by_chance(&[-1.0, 1.0]), None);
        let blocks = |count: usize| -> Vec<Block> {
            (0..count).map(|i| Block { time: 2.0 * i as f64, value: 5.0 * i as f64 }).collect()
        };
        assert_eq!(drift(&blocks(4)), None);
        assert_eq!(drift(&blocks(5)).map(|(strength, _)| strength), Some(1000.0));
    }

    #[test]
    fn the_bounds_on_chance_have_the_values_of_their_formulas() {
        // Student's t exceeds 2.228 with ten degrees of freedom in one of 40 cases.
        assert!(close(chance(2.228, 10.0), 0.073_350) && chance(0.0, 3.0) == 0.5);
        assert!(close(chance(12.706, 1.0), 0.090_997));
        for (values, expected) in [
            (&[0.0, 2.0, 1.0, 3.0][..], 0.324_652),
            (&[1.0, 2.0, 3.0, 4.0, 5.0], 0.0625),
            (&[0.0, 0.0, 1.0, 1.0, 2.0], 0.25),
            (&[3.0, 3.0], 1.0),
            (&[3.0, 4.0, 2.0], 1.0),
            (&[], 1.0),
        ] {
            let found = climbs_by_chance(values);
            assert!(close(found, expected), "{values:?} {found}");
        }
        for (values, expected) in [
            (&[1.0, 2.0, 3.0, 4.0][..], 1.0 / 24.0),
            (&[1.0, 2.0, 4.0, 3.0], 0.198_647),
            (&[1.0, 2.0, 2.0, 1.0], 1.0),
            (&[2.0, 1.0], 1.0),
        ] {
            let found = in_order_by_chance(values);
            assert!(close(found, expected), "{values:?} {found}");
        }
    }

    #[test]
    fn few_samples_rise_by_chance_as_often_as_coins_fall() {
        // So many values, of which the first few fall or stay.
        let found = |count: usize, others: usize| {
            let values: Vec<f64> = (0..count)
                .map(|i| if i <= others { -((i / 2) as f64) } else { i as f64 })
                .collect();
            rises_by_chance(&values)
        };
        assert_eq!(
            [0, 1, 2].map(|others| found(11, others)),
            [1.0, 11.0, 56.0].map(|n| n / 1024.0)
        );
        assert_eq!((found(10, 0), found(30, 0), found(31, 0)), (1.0, 0.5f64.powi(29), 1.0));
    }

    #[test]
    fn residuals_that_are_alike_are_fewer_points() {
        let found = |of: fn(usize) -> f64| independent(&(0..16).map(of).collect::<Vec<_>>());
        assert_eq!(found(|i| if i.is_multiple_of(2) { 1.0 } else { -1.0 }), 16.0);
        assert!(close(found(|i| if i % 4 < 2 { 1.0 } else { -1.0 }), 16.0 * 15.0 / 17.0));
        assert_eq!((found(|_| 0.0), found(|_| 1.0)), (16.0, 5.0));
    }

    #[test]
    fn what_returns_to_a_line_is_hardly_a_walk() {
        let found = |count: usize, of: &dyn Fn(usize) -> f64| {
            let times: Vec<f64> = (0..count).map(|i| i as f64).collect();
            let values: Vec<f64> = (0..count).map(|i| 3.0 * i as f64 + of(i)).collect();
            returns_by_chance(&times, &values)
        };
        let noise = |i: usize| ((i * 37) % 11) as f64;
        assert_eq!((found(20, &noise), found(19, &noise), found(20, &|_| 0.0)), (0.002, 1.0, 1.0));
        let slow = |i: usize| libm::sin(0.5 * i as f64) + 0.1 * noise(i);
        assert!(close(found(60, &slow), 0.104_912), "{}", found(60, &slow));
        assert_eq!(found(60, &|i| libm::sin(0.1 * i as f64)), 1.0);
    }

    #[test]
    fn the_tail_has_four_points_or_more() {
        let tail = |count: usize, cut: f64| {
            let times: Vec<f64> = (0..count).map(|i| i as f64).collect();
            let values: Vec<f64> = times.iter().map(|t| t * t).collect();
            tail(&times, &values, cut)
        };
        // Between 5 and 9 the median of the slopes is 14, and the last third is one point.
        assert_eq!(tail(10, 5.0), Some((14.0, 81.0)));
        assert_eq!((tail(10, 6.0), tail(10, 9.0)), (Some((15.0, 81.0)), Some((15.0, 81.0))));
        assert_eq!(tail(10, 1.0), Some((10.0, 64.0)));
        assert_eq!((tail(1, 0.0), tail(2, 0.0)), (None, Some((1.0, 1.0))));
    }

    #[test]
    fn what_slows_down_by_a_fifth_is_not_straight() {
        let straight = |last: f64| {
            let heights = [0.0, 5.0, 10.0, 10.0 + last / 2.0, 10.0 + last];
            let block = |(i, value): (usize, f64)| Block { time: 3.0 + 2.0 * i as f64, value };
            is_straight(&heights.into_iter().enumerate().map(block).collect::<Vec<_>>())
        };
        assert!(straight(8.1) && !straight(7.9));
    }

    #[test]
    fn a_trough_is_fallen_to_and_risen_from() {
        for (values, need, found) in [
            (&[5.0, 1.0, 5.0, 1.0, 5.0][..], 4.0, &[1, 3][..]),
            (&[5.0, 1.0, 5.0, 1.0, 5.0], 4.1, &[]),
            (&[5.0, 2.0, 3.0, 1.0, 4.0, 5.0, 2.0], 3.0, &[3]),
            (&[1.0, 5.0, 1.0], 1.0, &[]),
            (&[5.0, 1.0, 5.0], 0.0, &[]),
            (&[], 1.0, &[]),
        ] {
            assert_eq!(troughs(values, need), found, "{values:?} {need}");
        }
    }

    /// Stretches of samples have a low each if there are two at most for every tooth; else the lows between
    /// the teeth are judged, of which the first is after the first tooth.
    #[test]
    fn lows_of_stretches_need_a_tooth_for_every_two() {
        let since = |n: usize, tooth: usize| {
            let bytes = |i: usize| (50 * i + 20_000 * (i % tooth) / tooth) as f64;
            let values: Vec<f64> = (0..n).map(bytes).collect();
            let times: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let run = times[n - 1];
            floors(&Curve::new(&times, &values), run, &Demands::default()).map(|g| g.since)
        };
        assert_eq!([20, 48].map(|tooth| since(240, tooth)), [Some(10), Some(48)]);
        // And four samples in each stretch.
        assert_eq!([191, 192].map(|n| since(n, 2)), [Some(3), Some(2)]);
    }

    #[test]
    fn what_has_to_be_straight_lasts_two_fifths_of_the_run() {
        let times: Vec<f64> = (0..40).map(f64::from).collect();
        let is_found = |start: usize, straight: Straight| {
            let (demands, known) = (Demands::default(), KnownShapes::default());
            from((&times, &times), start, straight, 39.0, &demands, &known).is_some()
        };
        assert_eq!([23, 24].map(|start| is_found(start, Straight::Demanded)), [true, false]);
        assert_eq!([27, 28].map(|start| is_found(start, Straight::Any)), [true, false]);
    }

    /// After a warm-up the leak counts alone, if two lines are much better than one and the first is steeper.
    #[test]
    fn what_follows_a_warm_up_counts_alone() {
        let is_found = |n: usize, seed: u64, (warm_up, then, noise): (f64, f64, f64)| {
            let mut random = crate::testing::Random::new(seed, "bends");
            let times: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let values: Vec<f64> = (0..n)
                .map(|i| {
                    let bend = n / 4;
                    let line = warm_up * i.min(bend) as f64 + then * i.saturating_sub(bend) as f64;
                    100.0 + line + noise * (random.below(1000) as f64 / 1000.0 - 0.5)
                })
                .collect();
            growth(&Curve::new(&times, &values), (n - 1) as f64, &Demands::default()).is_some()
        };
        assert!(is_found(40, 0, (4.0, 1.0, 8.0)) && is_found(40, 0, (6.0, 1.0, 10.0)));
        for (n, seed) in [(40, 3), (40, 4), (60, 4)] {
            assert!(!is_found(n, seed, (0.4, 1.0, 8.0)), "{n} {seed}");
        }
    }
}
