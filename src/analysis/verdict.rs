//! The verdict over a heap: which of its bands grow to the end of the run, if any.
//!
//! Each band that changes enough to matter is judged on its own (`growth.rs`). Then the heap as a
//! whole is considered, because another band may lose what one band gains. This file works only on
//! numbers: the caller adds which band is which, and what is known about it.

use super::growth::{
    Curve, Demands, FEWEST_RISES, Growth, KnownShapes, Manner, Stretch, blocks, climbs_by_chance,
    growth_among, levels_off, stretches,
};
use super::robust::{Slope, ascending, highest, kendall, lowest, mean, median_of, slope};

/// A band that changes enough to be judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub row: usize,
    pub values: Vec<f64>,
}

/// The numbers that a verdict is made of.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The time of every sample in seconds, or its number where samples have no times.
    pub times: &'a [f64],
    /// The bytes that the program had allocated until every sample, if the log says it.
    pub allocated: Option<&'a [f64]>,
    /// The seconds that it had run outside of collections until then, if the log says it.
    pub running: Option<&'a [f64]>,
    /// All bands together, in bytes.
    pub total: &'a [f64],
    /// The bands that change enough, by [`least_change`].
    pub candidates: &'a [Candidate],
    pub judged: Judged,
    /// What comes after the last sample.
    pub end: RunEnd,
}

impl<'a> Evidence<'a> {
    /// A second clock, which no other program and no collection bends.
    fn work(&self) -> Option<&'a [f64]> {
        self.allocated.or(self.running)
    }

    /// The values of a row; of all bands together without one.
    fn values(&self, row: Option<usize>) -> Option<&'a [f64]> {
        let Some(row) = row else { return Some(self.total) };
        let candidate = self.candidates.iter().find(|candidate| candidate.row == row);
        candidate.map(|candidate| &candidate.values[..])
    }
}

/// What comes after the last sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The program's end.
    Exit,
    /// More of the run, which is outside the window.
    Cut,
    /// The program is still running.
    Running,
}

/// Which curves a verdict is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// Each band; all bands together only when no single one is a suspect.
    Bands,
    /// All bands together only: a band of an era stops growing when its era ends.
    Total,
}

/// How certain the verdict is, in words: it is not a calibrated probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leak {
    /// Too few samples to say anything.
    Unknown,
    /// No band grows to the end of the run.
    None,
    /// Something grows, for too short a time, too little or too unevenly to be sure.
    Possible,
    /// Something grows steadily, for long, and by much.
    Likely,
}

/// A curve that grows to the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grower {
    /// The row of the profile; `None` for all bands together.
    pub row: Option<usize>,
    pub manner: Manner,
    /// The number of bytes that it grew by.
    pub bytes: f64,
    /// Bytes a second, or a sample where samples have no times.
    pub rate: Slope,
    /// Bytes a second of running time without collections, if the log has it.
    pub running_rate: Option<f64>,
    /// Bytes of each byte that the program allocated meanwhile, if the log has it.
    pub kept: Option<f64>,
    /// The sample with which it begins.
    pub since: usize,
    /// Its residency at the end of the judged part: the median of the last samples.
    pub at_end: f64,
}

/// What [`judge`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub leak: Leak,
    /// The curves that grow, most bytes first; those with less than 2 % of the growth are left out.
    /// Without a leak there can be some, if there is an excuse.
    pub growers: Vec<Grower>,
    /// The growth of everything that grows, including curves that are too small to be named.
    pub bytes: f64,
    pub rate: f64,
    /// The sums of [`Grower::running_rate`] and [`Grower::kept`].
    pub running_rate: Option<f64>,
    pub kept: Option<f64>,
    /// How many curves grow, named or not.
    pub growing: usize,
    /// Why bands that grow to the end do not make a leak, if there are any.
    pub excuse: Option<Excuse>,
}

/// Why bands that grow to the end of the run do not make a leak: the heap as a whole does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Excuse {
    /// Other bands fell by this many bytes.
    OthersFell(f64),
    /// Most of what grew has stopped.
    MostHasStopped,
}

impl Finding {
    /// A grade without anything that grows.
    pub fn of(leak: Leak) -> Self {
        Finding {
            leak,
            growers: Vec::new(),
            bytes: 0.0,
            rate: 0.0,
            running_rate: None,
            kept: None,
            growing: 0,
            excuse: None,
        }
    }
}

/// The fewest samples that are not empty for which a verdict is given. If something rises in every
/// one of them, [`FEWEST_RISES`] are enough.
pub const FEWEST_SAMPLES: usize = 15;

/// How much a band must change to be judged, in bytes: a 500th of the mean heap.
pub fn least_change(mean_heap: f64) -> f64 {
    (0.002 * mean_heap).max(8192.0)
}

/// How many samples rates are computed from. Before it ends, a program forces, sums and releases
/// what it built: so a fall at the very end ends the run, and so does the empty sample at the end
/// of a `.hp`. If the run continues after the last sample, a fall at the end is like any other.
///
/// The very end is the last 15 % of the time. On a busy machine it can seem to be more, so up to 30 % are the
/// end, too, if no more than 15 % of all bytes were `allocated` in them.
pub fn judged_samples(
    times: &[f64],
    allocated: Option<&[f64]>,
    total: &[f64],
    end: RunEnd,
) -> usize {
    if end != RunEnd::Exit {
        return total.len();
    }
    // The first of the highest samples.
    let higher = |best: (usize, f64), now: (usize, f64)| if now.1 > best.1 { now } else { best };
    let (highest, peak) = total.iter().copied().enumerate().fold((0, 0.0), higher);
    let mut n = total.len();
    while n > 3 && total[n - 1] < 0.01 * peak {
        n -= 1;
    }
    if n == 0 {
        return 0;
    }
    let is_after =
        |share: f64, clock: &[f64]| clock[highest] >= clock[0] + share * (clock[n - 1] - clock[0]);
    let allocated = allocated.filter(|bytes| bytes[n - 1] > bytes[0]);
    let is_late = is_after(0.85, times)
        || is_after(0.7, times) && allocated.is_some_and(|bytes| is_after(0.85, bytes));
    if is_late && total[n - 1] < 0.8 * peak { highest + 1 } else { n }
}

/// How many samples the verdict judges: the same, but neither does the fall of a sawtooth end the
/// run, if it has fallen as far before, nor do one or two samples after it hide that a heap with
/// teeth was released.
pub fn samples_to_exit(
    times: &[f64],
    allocated: Option<&[f64]>,
    total: &[f64],
    end: RunEnd,
) -> usize {
    if end != RunEnd::Exit {
        return total.len();
    }
    let peak = total.iter().copied().fold(0.0, f64::max);
    let n = total.iter().rposition(|&bytes| bytes >= 0.01 * peak).map_or(0, |last| last + 1);
    // One or two samples far below all of the quarter before them.
    let out = (1..=2.min(n / 12)).rev().find(|&out| {
        let (run, exit) = total[..n].split_at(n - out);
        let least = 0.5 * lowest(&run[run.len() - run.len() / 4..]);
        exit.iter().all(|&bytes| bytes < least)
    });
    let judged = judged_samples(times, allocated, &total[..n], end);
    let left = n - out.unwrap_or(0);
    let is_tooth = |last: f64| peak - last <= 1.25 * deepest_fall(&total[..judged]);
    if judged < left && !is_tooth(total[left - 1]) { judged } else { left }
}

/// How far a curve falls below its last high at most.
pub(super) fn deepest_fall(values: &[f64]) -> f64 {
    let (mut high, mut fall) = (0.0f64, 0.0f64);
    for &value in values {
        high = high.max(value);
        fall = fall.max(high - value);
    }
    fall
}

/// The axis that curves are judged on: time, except that a gap counts as at most three usual
/// distances between samples. While a program gets no processor it takes no samples, but it does
/// not grow either.
pub fn busy_time(times: &[f64]) -> Vec<f64> {
    let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
    let most = 3.0 * median_of(gaps.clone());
    let mut at = 0.0;
    std::iter::once(0.0)
        .chain(gaps.map(|gap| {
            at += if most > 0.0 { gap.min(most) } else { gap };
            at
        }))
        .take(times.len())
        .collect()
}

pub fn judge(evidence: &Evidence<'_>) -> Finding {
    let full = evidence.total.iter().filter(|&&bytes| bytes > 0.0).count();
    let Evidence { times, allocated, total, end, .. } = *evidence;
    let n = samples_to_exit(times, allocated, total, end);
    if full < FEWEST_RISES || n < 10 || evidence.times[n - 1] <= evidence.times[0] {
        return Finding::of(Leak::Unknown);
    }
    let mut finding = by_its_clocks(evidence, n);
    if finding.excuse.is_some() && stands_still(evidence, &finding, n) {
        finding = Finding::of(Leak::None);
    }
    if full >= FEWEST_SAMPLES {
        return finding;
    }
    // So few samples show nothing but growth in every one of them.
    let rises = |grower: &Grower| {
        let values = evidence.values(grower.row).unwrap_or_default();
        values.iter().take(n).is_sorted_by(|before, after| before < after)
    };
    match finding.leak >= Leak::Possible && finding.growers.first().is_some_and(rises) {
        true => Finding { leak: Leak::Possible, ..finding },
        false => Finding::of(Leak::Unknown),
    }
}

/// The stronger of the grades in time and by the work of the program, if that is known: a program
/// that is paced by timers or requests leaks by the second, and one that computes leaks by the
/// amount of its work, however long that takes on a machine that is busy with other things.
fn by_its_clocks(evidence: &Evidence<'_>, n: usize) -> Finding {
    let work = evidence.work().filter(|work| work[n - 1] > work[0]);
    let clocks = 1 + usize::from(work.is_some());
    let changing = match evidence.judged {
        Judged::Total => Vec::new(),
        Judged::Bands => changing(evidence, n),
    };
    let on = |axis: &[f64], again: bool| {
        let heap = Heap {
            times: &evidence.times[..n],
            axis: &axis[..n],
            total: &evidence.total[..n],
            allocated: evidence.allocated.map(|bytes| &bytes[..n]),
            running: evidence.running.map(|seconds| &seconds[..n]),
            run: axis[n - 1],
            exit: evidence.times[evidence.times.len() - 1],
            cut: evidence.times.len() - n,
            clocks,
            again,
            shapes: KnownShapes::default(),
        };
        match evidence.judged {
            Judged::Total => heap.judge_total(),
            Judged::Bands => heap.judge_bands(&changing),
        }
    };
    let in_time = on(&busy_time(evidence.times), false);
    let Some(work) = work else { return in_time };
    let work = busy_time(work);
    let in_time = match is_bounded(evidence, &in_time, &work[..n]) {
        true => Finding::of(Leak::None),
        false => in_time,
    };
    if in_time.leak == Leak::Likely {
        return in_time;
    }
    let by_work = on(&work, true);
    let stronger = by_work.leak > in_time.leak
        || by_work.leak == in_time.leak && by_work.growing > in_time.growing;
    match stronger && !stands_still(evidence, &by_work, n) {
        true => by_work,
        false => in_time,
    }
}

/// Whether what grows in time levels off by the work of the program: on a machine that gets slower,
/// a cache seems to fill more slowly and to have no bound.
fn is_bounded(evidence: &Evidence<'_>, finding: &Finding, work: &[f64]) -> bool {
    let Some(first) = finding.growers.first().filter(|first| first.manner == Manner::Steady) else {
        return false;
    };
    let Some(values) = evidence.values(first.row) else { return false };
    let levels_off_from = |since: usize| {
        let curve = Curve::new(&work[since..], &values[since..work.len()]);
        levels_off(&curve.times, &curve.values)
    };
    levels_off_from(0) || first.since > 0 && levels_off_from(first.since)
}

/// Whether what grows stands still in the last eighth of the time: by the work of the program, a
/// cache that is full seems to grow to the end if the program allocates little afterwards. It has to
/// stand still without collections, too, if the log has them: with their censuses, on a busy machine, the
/// few moments in which a program gives back what it built can be an eighth of the run.
fn stands_still(evidence: &Evidence<'_>, finding: &Finding, n: usize) -> bool {
    let mut sum = vec![0.0; n];
    for values in finding.growers.iter().filter_map(|grower| evidence.values(grower.row)) {
        sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    // How much noise bends a line from sample to sample.
    let bends = sum[n - (n / 4).max(4)..].windows(3).map(|v| (v[2] - 2.0 * v[1] + v[0]).abs());
    let (bend, all) = (median_of(bends), range(&sum));
    let is_still = |times: &[f64]| {
        let times = &times[..n];
        let cut = times[n - 1] - 0.125 * (times[n - 1] - times[0]);
        let late = &sum[times.partition_point(|time| *time < cut).min(n.saturating_sub(4))..];
        let (first, second) = late.split_at(late.len() / 2);
        let gained = median_of(second.iter().copied()) - median_of(first.iter().copied());
        // How far noise moves a median. A third of the growth that is due is more than noise.
        let moved = (4.0 * bend / (late.len() as f64).sqrt()).min(0.02 * all);
        gained <= 0.002 * all
            || gained <= 0.002 * all + moved && range(late) <= 0.01 * all + 4.0 * bend
    };
    is_still(evidence.times) && evidence.running.is_none_or(is_still)
}

/// A band that changes enough in the part of the run that is judged.
struct Changing<'a> {
    row: usize,
    values: &'a [f64],
    /// Whether it can grow to the end, by [`ends_high`].
    ends_high: bool,
}

/// The bands that change enough, whichever clock they are judged on.
fn changing<'a>(evidence: &Evidence<'a>, n: usize) -> Vec<Changing<'a>> {
    let least = least_change(mean(&evidence.total[..n]));
    let candidates = evidence.candidates.iter();
    let judged = candidates.map(|candidate| (candidate.row, &candidate.values[..n]));
    judged
        .filter(|(_, values)| range(values) >= least)
        .map(|(row, values)| Changing { row, values, ends_high: ends_high(values) })
        .collect()
}

/// The part of a run that is judged.
struct Heap<'a> {
    times: &'a [f64],
    axis: &'a [f64],
    total: &'a [f64],
    allocated: Option<&'a [f64]>,
    running: Option<&'a [f64]>,
    /// How long it is on the axis.
    run: f64,
    /// When the program ended: after the last judged sample, if memory was given back there.
    exit: f64,
    /// How many samples after it are left out.
    cut: usize,
    /// How many clocks it is judged on; each is a chance to be wrong.
    clocks: usize,
    /// Whether this is the second of them.
    again: bool,
    shapes: KnownShapes,
}

/// A curve that grows, before the heap as a whole is considered.
#[derive(Clone, Copy)]
struct Rise {
    grower: Grower,
    growth: Growth,
}

impl Heap<'_> {
    fn mean(&self) -> f64 {
        mean(self.total)
    }

    /// How one curve grows to the end of the run, by at least so many bytes.
    fn rise(
        &self,
        row: Option<usize>,
        values: &[f64],
        demands: &Demands,
        least: f64,
    ) -> Option<Rise> {
        let curve = Curve::new(self.axis, values);
        let growth = growth_among(&curve, self.run, demands, &self.shapes)
            .filter(|growth| growth.bytes >= least)?;
        let since = curve.first_sample(growth.since);
        if has_stopped(&self.times[since..], &values[since..], growth.bytes, self.exit) {
            return None;
        }
        let end = &values[values.len() - (values.len() / 20).max(1)..];
        // The rate is on the clock that people read, not on the one that is used for judging.
        let clock = slope(&self.times[since..], &values[since..]);
        let judged = slope(&self.axis[since..], &values[since..]).middle;
        let rate = match judged > 0.0 && clock.middle > 0.0 {
            true => clock.scaled(growth.rate / judged),
            // The lows of a sawtooth rise, and its samples may not.
            false => Slope::exactly(growth.rate),
        };
        // The samples of a sawtooth do not rise like its lows.
        let per = |axis: &[f64]| {
            let (axis, values) = (&axis[since..], &values[since..]);
            let steady = slope(axis, values).middle;
            let passed = axis[axis.len() - 1] - axis[0];
            match growth.manner == Manner::Steady && steady > 0.0 {
                true => Some(steady),
                false => (passed > 0.0).then(|| growth.bytes / passed),
            }
        };
        let grower = Grower {
            row,
            manner: growth.manner,
            bytes: growth.bytes,
            rate,
            running_rate: self.running.and_then(per),
            kept: self.allocated.and_then(per),
            since,
            at_end: median_of(end.iter().copied()),
        };
        Some(Rise { grower, growth })
    }

    fn judge_bands(&self, changing: &[Changing<'_>]) -> Finding {
        let least = least_change(self.mean());
        let demands = Demands { curves: self.clocks * (changing.len() + 1), ..Demands::default() };
        let mut rises = Vec::new();
        let mut others = Vec::new();
        for &Changing { row, values, ends_high } in changing {
            let rise = (ends_high && (!self.again || may_rise(values)))
                .then(|| self.rise(Some(row), values, &demands, least))
                .flatten();
            match rise {
                Some(rise) => rises.push(rise),
                None => others.push(values),
            }
        }
        if rises.is_empty() {
            // Growth that is spread over many bands, each too small or too irregular to be judged.
            // It is not looked for in a heap that fell at the end.
            let kept = self.cut <= self.total.len() / 20 + 1;
            return if kept { self.judge_total() } else { Finding::of(Leak::None) };
        }
        let bytes: f64 = rises.iter().map(|rise| rise.growth.bytes).sum();
        let stretches = stretches(self.axis, 8);
        let falls: f64 = others.iter().map(|values| steady_fall(&stretches, values)).sum();
        let fell = falls.max(self.fall_of_the_rest(&rises, changing));
        let excuse = if fell >= 0.6 * bytes {
            Some(Excuse::OthersFell(fell))
        } else if self.most_has_stopped(&rises, bytes) {
            Some(Excuse::MostHasStopped)
        } else {
            None
        };
        let finding = self.finding(rises);
        match excuse {
            Some(_) => Finding { leak: Leak::None, excuse, ..finding },
            None => finding,
        }
    }

    fn judge_total(&self) -> Finding {
        let demands = Demands { curves: self.clocks, ..Demands::default() };
        match self.rise(None, self.total, &demands, least_change(self.mean())) {
            Some(rise) => self.finding(vec![rise]),
            None => Finding::of(Leak::None),
        }
    }

    /// How far all bands that do not rise fall together, if their sum falls more often than it
    /// rises.
    fn fall_of_the_rest(&self, rises: &[Rise], changing: &[Changing<'_>]) -> f64 {
        let since = rises.iter().map(|rise| rise.grower.since).min().unwrap_or(0);
        let mut rest = self.total[since..].to_vec();
        for Changing { row, values, .. } in changing {
            if rises.iter().any(|rise| rise.grower.row == Some(*row)) {
                rest.iter_mut().zip(&values[since..]).for_each(|(rest, value)| *rest -= value);
            }
        }
        let levels: Vec<f64> =
            blocks(&self.axis[since..], &rest, 8).iter().map(|block| block.value).collect();
        match levels.len() >= 5 && kendall(&levels) <= -0.55 {
            true => levels[0] - levels[levels.len() - 1],
            false => 0.0,
        }
    }

    /// Whether most of the heap's growth is in bands that no longer grow.
    fn most_has_stopped(&self, rises: &[Rise], bytes: f64) -> bool {
        let since = rises.iter().map(|rise| rise.grower.since).min().unwrap_or(0);
        let trend = slope(&self.axis[since..], &self.total[since..]).middle;
        // What falls back by more than half of its range comes and goes; it has not stopped.
        bytes < 0.15 * trend * (self.run - self.axis[since])
            && deepest_fall(&self.total[since..]) < 0.5 * range(&self.total[since..])
    }

    fn finding(&self, mut rises: Vec<Rise>) -> Finding {
        rises.sort_by(|a, b| ascending(&b.growth.bytes, &a.growth.bytes));
        let bytes: f64 = rises.iter().map(|rise| rise.growth.bytes).sum();
        let rate = rises.iter().map(|rise| rise.grower.rate.middle).sum();
        let running_rate = rises.iter().map(|rise| rise.grower.running_rate).sum();
        let kept = rises.iter().map(|rise| rise.grower.kept).sum();
        let leak = if self.is_likely(&rises[0], bytes) { Leak::Likely } else { Leak::Possible };
        let growing = rises.len();
        rises.retain(|rise| rise.growth.bytes >= 0.02 * bytes);
        let growers = rises.iter().map(|rise| rise.grower).collect();
        Finding { leak, growers, bytes, rate, running_rate, kept, growing, excuse: None }
    }

    fn is_likely(&self, first: &Rise, bytes: f64) -> bool {
        let since = first.grower.since;
        first.growth.manner == Manner::Steady
            && first.growth.strength >= 5.0
            && first.growth.chance <= 2.5e-8
            && first.growth.late >= 0.4
            && self.times.len() >= 30
            && self.times.len() - since >= 20
            && self.run - self.axis[since] >= 0.4 * self.run
            && bytes >= 0.2 * self.mean()
    }
}

fn range(values: &[f64]) -> f64 {
    highest(values) - lowest(values)
}

/// How far a band falls, if it falls steadily.
fn steady_fall(stretches: &[Stretch], values: &[f64]) -> f64 {
    let levels: Vec<f64> = stretches.iter().map(|stretch| stretch.block(values).value).collect();
    match levels.len() >= 5 && kendall(&levels) <= -0.7 {
        true => levels[0] - levels[levels.len() - 1],
        false => 0.0,
    }
}

/// Whether the last fifth of the samples comes near the highest of all: a curve that grows to the
/// end does, and this is cheap to test.
fn ends_high(values: &[f64]) -> bool {
    highest(&values[values.len() - (values.len() / 5).max(1)..]) >= 0.7 * highest(values)
}

/// Whether a band may pass the test of the falls, which hardly depends on the clock: for most bands
/// this saves a second judgement.
fn may_rise(values: &[f64]) -> bool {
    let cells = values.chunks(values.len().div_ceil(24).max(1));
    let medians: Vec<f64> = cells.map(|cell| median_of(cell.iter().copied())).collect();
    climbs_by_chance(&medians).min(climbs_by_chance(values)) <= 0.2
}

/// Whether growth has stopped exactly, for an eighth of the time since it began: a curve that grew
/// with nearly every sample no longer changes.
fn has_stopped(t: &[f64], v: &[f64], bytes: f64, exit: f64) -> bool {
    let end = v[v.len() - 1];
    let same = |value: &f64| (value - end).abs() <= 1e-3 * bytes;
    let level = v.iter().rev().take_while(|value| same(value)).count();
    let from = v.len() - level;
    let still = v[..=from.min(v.len() - 1)]
        .windows(2)
        .filter(|pair| (pair[1] - pair[0]).abs() <= 1e-3 * bytes)
        .count();
    level >= 4 && still * 5 <= from && exit - t[from] >= 0.12 * (exit - t[0])
}

#[cfg(test)]
mod tests;
