//! The account of a heap: what rose in it, how each rise ended, and last of all, whether that is a leak.
//!
//! What the user accepts and what a program fills on purpose is taken out first. Then each band that changes
//! enough is judged on its own (`growth.rs`), by the clock of `clock.rs`. What rises to the end is accused if it
//! makes a fair part of what the whole heap gained meanwhile, and if the program still holds it in the last
//! sample. Otherwise the headline tells the greatest rise of the heap, and how it ended. `docs/diagnosis.md` has
//! the rules and their constants.

use super::Kind;
use super::account::{Headline, Leak, Shape, Verdict};
use super::clock::{Steps, level_since, stands_still};
use super::figures::{self, Totals};
use super::growth::{self, Manner, Trend, before_exit, falls, lows, trend};
use super::movements::{JudgedHeap, Moved, Movement, changes};
use super::outside::outside;
use super::remarks::{of_sampling, remarks};
use super::rise::{Ends, Rate, Rise, Span, objects, rate_of};
use super::robust::{Slope, ascending, highest, lowest, mean, slope};
use super::sampling;
use crate::base::pattern::Pattern;
use crate::profile::Tells;
use crate::slice::{Merger, RowId, RunEnd, Slice, Work};

/// The fewest samples that are not empty for which a verdict is given. If something rises in every one of
/// them, [`growth::FEWEST_SAMPLES`] are enough.
pub const FEWEST_SAMPLES: usize = 15;
/// The fewest samples for `likely`, and for accusing the whole heap without a band.
const MANY_SAMPLES: usize = 30;
/// A band is judged if it changes by this share of the mean heap, and by so many bytes.
const LEAST_SHARE: f64 = 0.001;
const LEAST_BYTES: f64 = 8192.0;
/// What grows has to make this share of what the heap gained; the heap has to gain that share of it, or other
/// bands fell by as much. As much is what was freed, and what a program has to hold in its last sample.
const HALF: f64 = 0.5;
const HEAP_GAINS: f64 = 0.4;
/// `likely`: it gains this share of the mean heap, lasts for this share of the run, and its last quarter is this
/// much as fast as all of it.
const LIKELY_GAIN: f64 = 0.2;
const LIKELY_LASTS: f64 = 0.4;
const LIKELY_LATE: f64 = 0.6;
/// What is a small part of what the heap gained, or gains less than this share of the mean heap, grows slowly. It
/// is `possible` if it scores so high and is straight: its last quarter is at most so much faster than all of it.
const SLOW_GAIN: f64 = 0.02;
const SLOW_SCORE: f64 = 20.0;
const SLOW_LATE: std::ops::RangeInclusive<f64> = 0.6..=1.7;
/// A heap climbs at the end if it gains this share of its highest value in the last two fifths of the samples, and
/// ends this near to the highest of them.
const CLIMB: f64 = 0.1;
const CLIMB_PART: f64 = 0.4;
const CLIMB_ENDS: f64 = 0.9;
/// A rise of the heap is told if it is this share of its highest value.
const TOLD: f64 = 0.25;
/// A rise that makes less than this share of all of them is not named.
const NAMED: f64 = 0.02;

/// A curve that grows to the end of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grower {
    /// The row of the profile; `None` for all bands together.
    row: Option<RowId>,
    trend: Trend,
    /// Its samples, from its first to its last one.
    span: (usize, usize),
    rate: Rate,
    /// What it holds in the last sample, in bytes.
    at_end: f64,
}

/// What is known before anything is told.
struct Judgement {
    leak: Leak,
    headline: Headline,
    /// What is accused or grows slowly, most bytes first.
    growers: Vec<Grower>,
    /// The number of bytes that all bands together gained meanwhile.
    heap_gain: f64,
}

/// What is judged of a run: its samples that are not empty, and the bands that change.
pub(super) struct Judged<'a, 'r> {
    slice: &'a Slice<'r>,
    /// Without what is excused.
    heap: JudgedHeap,
    axis: Vec<f64>,
    work: Work,
    /// The steps of the samples before the exit.
    steps: Steps,
    /// How many samples there are before the exit.
    judged: usize,
    /// How many bytes a band has to gain at least.
    least: f64,
    candidates: Vec<Candidate>,
    excused: Vec<Candidate>,
    end: RunEnd,
}

/// A band that changes enough to be judged.
#[derive(Clone, Debug, PartialEq)]
struct Candidate {
    row: RowId,
    values: Vec<f64>,
}

/// The most samples that are judged: every n-th of them when there are more, up to the last one.
const MOST_SAMPLES: usize = 8192;
/// The most samples that are searched for bands that change: growth to the end of a run shows in a few
/// samples, and most bands of a heap hardly change.
const MOST_ASKED: usize = 64;
/// The most numbers that all judged bands have together: 32 MiB of them. If bands must be left out, those that
/// change least are.
const MOST_NUMBERS: usize = 1 << 22;

/// The heap in the samples that are judged.
pub(super) fn heap(totals: &Totals) -> JudgedHeap {
    let full = |&sample: &usize| totals.selected[sample] > 0;
    let all: Vec<usize> = (0..totals.selected.len()).filter(full).collect();
    let samples: Vec<usize> =
        picks(all.len(), MOST_SAMPLES).into_iter().map(|at| all[at]).collect();
    let total = samples.iter().map(|&sample| totals.selected[sample] as f64).collect();
    JudgedHeap { samples, total, excused: Vec::new() }
}

/// At most about this many of the samples, evenly spread, with the first and the last.
fn picks(samples: usize, most: usize) -> Vec<usize> {
    let step = samples.div_ceil(most).max(1);
    let mut picks: Vec<usize> = (0..samples).rev().step_by(step).collect();
    if picks.last().is_some_and(|&first| first > 0) {
        picks.push(0);
    }
    picks.reverse();
    picks
}

/// How fast a curve grows to the end of the run, or until the program ended: bytes a second, or a sample where samples
/// have no times. 0 if it does not. It has a value for each sample.
pub(super) fn growth_of(slice: &Slice<'_>, total: &[u128]) -> f64 {
    let totals = Totals { all: Vec::new(), selected: total.to_vec() };
    let heap = heap(&totals);
    let judged = Judged::with(slice, &heap, Vec::new(), &[]);
    let grower = judged.grower(None, &judged.heap.total);
    grower.map_or(0.0, |grower| grower.rate.shown.middle)
}

/// The account of the rows of a slice. `accepted` are bands that may grow.
pub(super) fn account(slice: &Slice<'_>, totals: &Totals, accepted: &[Pattern]) -> Verdict {
    let all = heap(totals);
    Judged::new(slice, &all, accepted).account(&all, totals)
}

impl<'a, 'r> Judged<'a, 'r> {
    fn new(slice: &'a Slice<'r>, all: &JudgedHeap, accepted: &[Pattern]) -> Self {
        let candidates = candidates(slice, all, MOST_NUMBERS);
        Self::with(slice, all, candidates, accepted)
    }

    fn with(
        slice: &'a Slice<'r>,
        all: &JudgedHeap,
        candidates: Vec<Candidate>,
        accepted: &[Pattern],
    ) -> Self {
        let is_excused = |candidate: &Candidate| {
            let label = slice.label(candidate.row);
            slice.kind(label) == Some(Kind::CompactRegion)
                || accepted.iter().any(|pattern| pattern.matches(label))
        };
        let (excused, candidates): (Vec<Candidate>, Vec<Candidate>) =
            candidates.into_iter().partition(is_excused);
        let mut heap = all.clone();
        for one in &excused {
            heap.total.iter_mut().zip(&one.values).for_each(|(total, bytes)| *total -= bytes);
            heap.excused.push(one.row);
        }
        let axis = slice.axis();
        let picked =
            |all: Vec<f64>| -> Vec<f64> { heap.samples.iter().map(|&at| all[at]).collect() };
        let Work { allocated, running } = slice.work();
        let work = Work { allocated: allocated.map(picked), running: running.map(picked) };
        let axis = picked(axis);
        let end = slice.end();
        let judged = match end {
            RunEnd::Exit => before_exit(&heap.total),
            RunEnd::Cut | RunEnd::Running => heap.total.len(),
        };
        let steps = Steps::new(work.allocated.as_deref().map(|all| &all[..judged]));
        let least = (LEAST_SHARE * mean(&heap.total[..judged])).max(LEAST_BYTES);
        Judged { slice, heap, axis, work, steps, judged, least, candidates, excused, end }
    }

    /// All clocks of the input, by which a curve has to be level.
    fn clocks(&self) -> Vec<&[f64]> {
        let others = [&self.work.allocated, &self.work.running];
        let others = others.into_iter().flatten().map(Vec::as_slice);
        std::iter::once(&self.axis[..]).chain(others).collect()
    }

    fn account(&self, all: &JudgedHeap, totals: &Totals) -> Verdict {
        let slice = self.slice;
        let outside = outside(slice, totals);
        let live = outside.iter().find(|rise| rise.kind == Some(Kind::OutsideBands));
        let judgement = self.judgement();
        // What no band contains is accused if nothing else is.
        let live = live.filter(|_| judgement.leak < Leak::Possible && self.is_judged());
        let judgement = match live {
            Some(live) => Judgement {
                heap_gain: live.grew as f64,
                ..Judgement::new(Leak::Possible, Headline::Leak)
            },
            None => judgement,
        };
        let Judgement { leak, headline, growers, heap_gain } = judgement;
        let leak = match self.end {
            // Most young heaps grow.
            RunEnd::Running => leak.min(Leak::Possible),
            // So does one that was mostly counted, and whose end nobody saw.
            _ if slice.is_killed() && sampling::is_mostly_census(slice) => leak.min(Leak::Possible),
            RunEnd::Exit | RunEnd::Cut => leak,
        };
        let gain: f64 = growers.iter().map(|grower| grower.trend.gain).sum();
        let is_part = headline == Headline::GrowsSlowly;
        let mut suspects = self.named(&growers, if is_part { heap_gain } else { gain });
        suspects.extend(live.cloned());
        let rate = match (live, &headline) {
            (Some(live), _) => Rate { shown: live.interval, ..Rate::default() },
            (None, Headline::Rose { ends: Ends::UntilTheProgramEnded, rise, .. }) => {
                self.rate_of_movement(rise)
            }
            (None, _) => self.rate_of_all(&growers),
        };
        let since = growers.iter().map(|grower| grower.span.0).min().unwrap_or(0);
        let growing = &self.heap.samples[since.min(self.judged)..self.judged];
        let remarks = match self.is_judged() {
            true => remarks(slice, totals, (&suspects, &outside), growing),
            false => Vec::new(),
        };
        let first = slice.when(0);
        let last = slice.when(slice.len().saturating_sub(1));
        Verdict {
            leak,
            shape: shape(leak, &headline),
            headline,
            growing: growers.len(),
            growers: growers
                .iter()
                .filter_map(|grower| Some((grower.row?, grower.trend.gain as u64)))
                .collect(),
            grew: live.map_or(gain as u64, |live| live.grew),
            rate: rate.shown.middle,
            running_rate: rate.running,
            kept_percent: rate.kept.map(|kept| 100.0 * kept),
            heap_grew: heap_gain as i64,
            others_fell: self.others_fell(&growers),
            greatest_rise: Span::greatest(&self.heap.total).gain as u64,
            rises: self.rises(&growers),
            excused: self.excused.iter().filter_map(|one| self.rise(one)).collect(),
            movements: all.movements(slice),
            by_allocation: self.steps.count_allocation(),
            samples: self.heap.samples.len(),
            observed: first.zip(last).map(|(first, last)| last.since(first)),
            until: last,
            clock: slice.clock(),
            breakdown: slice.breakdown(),
            profiled: slice.metadata().is_profiled(),
            end: slice.end(),
            outside,
            remarks: remarks
                .into_iter()
                .chain(of_sampling(slice, self.heap.samples.len()))
                .collect(),
            suspects,
        }
    }

    /// Whether there are samples enough to say anything.
    fn is_judged(&self) -> bool {
        self.heap.total.len() >= growth::FEWEST_SAMPLES
    }

    fn judgement(&self) -> Judgement {
        let samples = self.heap.total.len();
        if self.slice.metadata().interleaved {
            return Judgement::new(Leak::Unknown, Headline::TwoProcesses);
        }
        if !self.is_judged() {
            return Judgement::new(Leak::Unknown, Headline::TooFew);
        }
        let growers = self.growers();
        if samples < FEWEST_SAMPLES && growers.is_empty() {
            return Judgement::new(Leak::Unknown, Headline::TooFew);
        }
        let gain: f64 = growers.iter().map(|grower| grower.trend.gain).sum();
        let heap_gain = self.heap_gain(&growers);
        if growers.is_empty() || heap_gain > HEAP_GAINS * gain && gain < HALF * heap_gain {
            // Growth that is spread over many bands, or that no single band shows.
            if let Some(whole) = self.whole() {
                return self.accused(vec![whole], whole.trend.gain, Leak::Possible);
            }
        }
        let Some(&first) = growers.first() else { return self.rose() };
        if heap_gain <= HEAP_GAINS * gain {
            return self.moved(&first);
        }
        let mean = mean(&self.heap.total[..self.judged]);
        let (is_fair, is_much) = (gain >= HALF * heap_gain, gain >= SLOW_GAIN * mean);
        if !is_fair || !is_much {
            let is_clear = (is_fair || is_much)
                && samples >= MANY_SAMPLES
                && first.trend.score >= SLOW_SCORE
                && first.trend.lasts >= LIKELY_LASTS
                && SLOW_LATE.contains(&first.trend.late);
            let leak = if is_clear { Leak::Possible } else { Leak::None };
            return self.slow(self.accused(growers, heap_gain, leak));
        }
        let lasts = growers.iter().map(|grower| grower.trend.lasts).fold(0.0, f64::max);
        let is_likely = samples >= MANY_SAMPLES
            && gain >= LIKELY_GAIN * mean
            && lasts >= LIKELY_LASTS
            && first.trend.late >= LIKELY_LATE
            && first.trend.manner == Manner::Steady;
        let leak = if is_likely { Leak::Likely } else { Leak::Possible };
        self.accused(growers, heap_gain, leak)
    }

    /// The bands that grow to the end, most bytes first.
    fn growers(&self) -> Vec<Grower> {
        if self.slice.breakdown().traits().tells == Tells::Age {
            // A band of an era stops growing when its era ends.
            return Vec::new();
        }
        let few = self.heap.total.len() < FEWEST_SAMPLES;
        let one = |candidate: &Candidate| {
            // So few samples show only growth in every one of them.
            let rises = || candidate.values[..self.judged].is_sorted_by(|a, b| a < b);
            let is_asked = !few || rises();
            is_asked.then(|| self.grower(Some(candidate.row), &candidate.values)).flatten()
        };
        let mut growers: Vec<Grower> = self.candidates.iter().filter_map(one).collect();
        growers.sort_by(|a, b| ascending(&b.trend.gain, &a.trend.gain));
        growers
    }

    /// All bands together, if they grow to the end.
    fn whole(&self) -> Option<Grower> {
        let is_wanted = self.heap.total.len() >= MANY_SAMPLES;
        is_wanted.then(|| self.grower(None, &self.heap.total)).flatten()
    }

    /// A curve, if it grows to the end.
    fn grower(&self, row: Option<RowId>, values: &[f64]) -> Option<Grower> {
        let judged = &values[..self.judged];
        if highest(judged) - lowest(judged) < self.least {
            return None;
        }
        let (trend, span) = self.to_the_end(judged)?;
        if trend.manner != Manner::Doubling && self.has_stopped(judged) {
            return None;
        }
        let rate = rate_of((&self.axis, &self.work), values, span, (trend.manner, trend.gain));
        Some(Grower { row, trend, span, rate, at_end: values[values.len() - 1] })
    }

    /// How a curve rises to its end, and from which sample to which: a batch leaks by the byte of work, and a program
    /// that is paced by a clock by the second.
    fn to_the_end(&self, values: &[f64]) -> Option<(Trend, (usize, usize))> {
        let is_enough = |risen: &Trend| risen.gain >= self.least;
        let by_work = || {
            let risen = trend(&self.steps.of(values), self.end).filter(is_enough)?;
            Some((risen, [risen.since, risen.end - 1].map(|step| self.steps.sample(step)).into()))
        };
        let by_number = || {
            let risen = trend(values, self.end).filter(is_enough)?;
            Some((risen, (risen.since, risen.end - 1)))
        };
        match self.steps.count_allocation() {
            true => by_work().or_else(by_number),
            false => by_number(),
        }
    }

    /// Whether a curve is level at its end, or stands still in the last eighth of the time.
    fn has_stopped(&self, values: &[f64]) -> bool {
        level_since(values, &self.clocks_judged()).is_some()
            || stands_still(values, &self.axis[..values.len()])
    }

    fn clocks_judged(&self) -> Vec<&[f64]> {
        self.clocks().into_iter().map(|clock| &clock[..self.judged]).collect()
    }

    /// What all bands together gained while some of them grew: of a heap that falls and rises again, what its floor
    /// gained.
    fn heap_gain(&self, growers: &[Grower]) -> f64 {
        let since = growers.iter().map(|grower| grower.span.0).min().unwrap_or(0);
        let end = growers.iter().map(|grower| grower.span.1 + 1).min().unwrap_or(self.judged);
        let total = &self.heap.total[since.min(end - 1)..end];
        let n = total.len();
        if falls(total, growth::TOOTH * (highest(total) - lowest(total))) >= 2 {
            return lowest(&total[n - n.div_ceil(3)..]) - lowest(&total[..n.div_ceil(3)]);
        }
        growth::gain(total, 20)
    }

    /// Accuses what grows, unless the program freed it.
    fn accused(&self, growers: Vec<Grower>, heap_gain: f64, leak: Leak) -> Judgement {
        let is_held = |grower: &Grower| grower.at_end >= HALF * highest(self.values(grower.row));
        let gained =
            |growers: &[Grower]| growers.iter().map(|grower| grower.trend.gain).sum::<f64>();
        let growers = match self.end {
            RunEnd::Exit => {
                let (held, let_go): (Vec<_>, Vec<_>) = growers.into_iter().partition(is_held);
                if gained(&held) < gained(&let_go) {
                    // Other bands may have taken over what these had.
                    let is_held = self.heap.last() >= CLIMB_ENDS * self.heap.peak();
                    let whole = self.whole().filter(|_| is_held);
                    return match whole.filter(|whole| is_held_at_end(whole, &self.heap.total)) {
                        Some(whole) => Judgement {
                            leak: Leak::Possible,
                            headline: Headline::Leak,
                            heap_gain: whole.trend.gain,
                            growers: vec![whole],
                        },
                        None => self.freed_at_exit(&let_go).unwrap_or_else(|| self.rose()),
                    };
                }
                held
            }
            RunEnd::Cut | RunEnd::Running => growers,
        };
        Judgement { leak, headline: Headline::Leak, growers, heap_gain }
    }

    /// What grew until the program ended, which freed it: if the heap was highest then.
    fn freed_at_exit(&self, growers: &[Grower]) -> Option<Judgement> {
        let total = &self.heap.total;
        let from = growers.iter().map(|grower| grower.span.0).min()?;
        let to = growers.iter().map(|grower| grower.span.1).max()?;
        let span = Span { from, to, gain: total[to] - total[from] };
        // What grows to there has not settled, however small a part of the heap it is.
        let is_last = span.lasts_to_the_exit(total, self.end);
        let gained: f64 = growers.iter().map(|grower| grower.trend.gain).sum();
        let is_told =
            is_last && span.gain >= HALF * gained && total[to] >= CLIMB_ENDS * self.heap.peak();
        let headline = || Headline::Rose {
            rise: self.heap.movement(self.slice, (from, to)),
            ends: Ends::UntilTheProgramEnded,
            left: (self.heap.last() - total[from]).max(0.0) as u64,
            range: range(&total[to..]),
            earlier: None,
        };
        is_told.then(|| Judgement::new(Leak::None, headline()))
    }

    /// What grows is a small part of what the heap did: it is told if the heap did nothing greater, or if it is
    /// accused.
    fn slow(&self, judgement: Judgement) -> Judgement {
        if judgement.headline != Headline::Leak {
            return judgement;
        }
        if judgement.leak >= Leak::Possible {
            return Judgement { headline: Headline::GrowsSlowly, ..judgement };
        }
        match self.rose() {
            quiet if quiet.is_quiet() => Judgement { headline: Headline::GrowsSlowly, ..judgement },
            louder => louder,
        }
    }

    /// A band grows, and others fall by as much.
    fn moved(&self, first: &Grower) -> Judgement {
        let mut moved = self.heap.movement(self.slice, first.span);
        match self.rose() {
            quiet if quiet.is_quiet() && moved.bands.len() >= 2 => {
                moved.bands.truncate(2);
                Judgement::new(Leak::None, Headline::Moved { bands: moved.bands })
            }
            louder => louder,
        }
    }

    /// What a heap did in which nothing is accused: its greatest rise, and how that ended.
    fn rose(&self) -> Judgement {
        let total = &self.heap.total;
        let (n, peak, last) = (total.len(), self.heap.peak(), self.heap.last());
        let greatest = Span::greatest(total);
        let headline = |span: Span, ends: Ends| {
            let to = match ends {
                Ends::LevelSince => {
                    let settled = span.settles_at(total, &self.clocks());
                    level_since(total, &self.clocks()).or(settled).unwrap_or(span.to)
                }
                Ends::ToTheEnd => n - 1,
                Ends::Freed | Ends::UntilTheProgramEnded => span.until_reached(total).to,
            };
            let to = to.max(span.from);
            let mut rise = self.heap.movement(self.slice, (span.from, to));
            if ends == Ends::UntilTheProgramEnded {
                let built = span.before_exit(total);
                rise.bands = self.heap.movement(self.slice, (built.from, built.to)).bands;
            }
            let left = (last - total[span.from]).max(0.0) as u64;
            let range = range(&total[to..self.judged.max(to + 1)]);
            let is_earlier = greatest.gain > span.gain && greatest.to <= span.from;
            let earlier =
                is_earlier.then(|| self.heap.movement(self.slice, (greatest.from, greatest.to)));
            Headline::Rose { rise, ends, left, range, earlier }
        };
        let from = n - ((CLIMB_PART * n as f64) as usize).clamp(3.min(n), n);
        let start = (from..n).rev().min_by(|&a, &b| total[a].total_cmp(&total[b])).unwrap_or(from);
        let climb = Span { from: start, to: n - 1, gain: last - total[start] };
        let before = &total[..n - (n / 10).max(2).min(n)];
        let climbs = climb.gain >= (CLIMB * peak).max(1.0)
            && last >= CLIMB_ENDS * highest(&total[from..])
            && falls(before, HALF * climb.gain) < 2;
        let level = level_since(total, &self.clocks());
        let leak = if climbs && level.is_none() { Leak::Unknown } else { Leak::None };
        if climbs && climb.gain >= HALF * greatest.gain {
            let ends = if level.is_some() { Ends::LevelSince } else { Ends::ToTheEnd };
            return Judgement::new(leak, headline(climb, ends));
        }
        let lows = lows(total, HALF * greatest.gain);
        let is_told = greatest.gain >= (TOLD * peak).max(1.0);
        if let (true, &[_, .., low]) = (is_told, &lows[..]) {
            let rise = self.heap.movement(self.slice, (greatest.from, greatest.to));
            let left = (last - total[low]) as u64;
            return Judgement::new(leak, Headline::Rounds { times: lows.len(), rise, left });
        }
        if is_told {
            let ends = self.ends(greatest, total);
            let leak = if ends == Ends::ToTheEnd { Leak::Unknown } else { leak };
            return Judgement::new(leak, headline(greatest, ends));
        }
        if self.excused.iter().any(|one| self.rise(one).is_some()) {
            return Judgement::new(leak, Headline::Excused);
        }
        let judged = &total[..self.judged];
        let (low, high) = range(judged);
        let end = judged[judged.len() - 1];
        let fell = judged[0] - end;
        let headline = match fell >= (TOLD * peak).max(1.0) && fell >= HALF * (high - low) as f64 {
            true => Headline::Fell { from: judged[0] as u64, to: end as u64 },
            false => Headline::Level { low, high },
        };
        Judgement::new(leak, headline)
    }

    /// How a rise of a curve ended. An array that doubles is level for half of any run, and that does not mean that it
    /// has stopped.
    fn ends(&self, span: Span, values: &[f64]) -> Ends {
        let ends = span.ends(values, &self.clocks(), self.end);
        let doubles = || growth::doubling(&values[..self.judged]).is_some();
        let is_held = || values[values.len() - 1] >= HALF * highest(values);
        match ends {
            Ends::LevelSince if doubles() && is_held() => Ends::ToTheEnd,
            Ends::LevelSince if doubles() => Ends::UntilTheProgramEnded,
            ends => ends,
        }
    }

    fn values(&self, row: Option<RowId>) -> &[f64] {
        let of = |row| self.candidates.iter().find(|candidate| candidate.row == row);
        row.and_then(of).map_or(&self.heap.total, |candidate| &candidate.values)
    }

    /// How fast the heap rose in a movement.
    fn rate_of_movement(&self, rise: &Movement) -> Rate {
        let place = |number: usize| {
            self.heap.samples.partition_point(|&sample| self.slice.number(sample) < number)
        };
        let span = (place(rise.from_sample), place(rise.to_sample));
        let axes = (&self.axis[..], &self.work);
        rate_of(axes, &self.heap.total, span, (Manner::Steady, rise.change() as f64))
    }

    /// How fast the growers grow together.
    fn rate_of_all(&self, growers: &[Grower]) -> Rate {
        let sum = |of: &dyn Fn(&Rate) -> Option<f64>| -> Option<f64> {
            growers.iter().map(|grower| of(&grower.rate)).sum()
        };
        // The sum of no numbers is a negative zero.
        let together = || growers.iter().map(|grower| grower.rate.shown.middle).sum::<f64>() + 0.0;
        Rate {
            shown: Slope::exactly(together()),
            running: sum(&|rate| rate.running).filter(|_| !growers.is_empty()),
            kept: sum(&|rate| rate.kept).filter(|_| !growers.is_empty()),
        }
    }

    /// The growers as readers see them: the largest, however small it is, and those that make a fair part of what all
    /// of them gained; if that is the whole heap, those that gained most in it.
    fn named(&self, growers: &[Grower], gain: f64) -> Vec<Rise> {
        let [first, others @ ..] = growers else { return Vec::new() };
        let named = others.iter().filter(|grower| grower.trend.gain >= NAMED * gain);
        let mut rises: Vec<Rise> =
            std::iter::once(first).chain(named).map(|grower| self.rise_of(grower, gain)).collect();
        if first.row.is_none() && self.slice.breakdown().traits().tells != Tells::Age {
            rises.extend(self.gainers(first, &rises[0]));
        }
        rises
    }

    fn rise_of(&self, grower: &Grower, gain: f64) -> Rise {
        let row = grower.row;
        let label = row.map_or("all bands together", |row| self.slice.label(row));
        let values = self.values(row);
        let (from, to) = grower.span;
        let (steps, count) = Manner::of_steps(&values[from..=to]);
        let manner = match grower.trend.manner {
            Manner::Steady => steps,
            other => other,
        };
        let span = Span { from, to, gain: grower.trend.gain };
        Rise {
            share_percent: 100.0 * grower.trend.gain / gain.max(1.0),
            ends: Ends::ToTheEnd,
            rises_at_end: rises_at_end(&values[..self.judged]),
            manner,
            steps: (manner == Manner::Steps).then_some(count),
            kind: match row {
                Some(_) if manner == Manner::Doubling => Some(Kind::DoublingArray),
                Some(_) => self.slice.kind(label),
                None => Some(Kind::WholeHeap),
            },
            ..self.shown(row, label, span, grower.rate, grower.at_end)
        }
    }

    /// A rise whose manner and end are not known yet.
    fn shown(&self, row: Option<RowId>, label: &str, span: Span, rate: Rate, at_end: f64) -> Rise {
        let slice = self.slice;
        let [since, until] = [span.from, span.to].map(|at| self.heap.samples[at]);
        Rise {
            row,
            label: label.to_owned(),
            grew: span.gain as u64,
            share_percent: 100.0,
            rate: rate.shown.middle,
            interval: rate.shown,
            running_rate: rate.running,
            kept_percent: rate.kept.map(|kept| 100.0 * kept),
            since: slice.when(since),
            since_sample: slice.number(since),
            from_start: span.from == 0,
            until: slice.when(until),
            until_sample: slice.number(until),
            manner: Manner::Steady,
            steps: None,
            ends: Ends::ToTheEnd,
            rises_at_end: false,
            at_end: at_end as u64,
            objects: objects(slice.breakdown(), label, at_end as u64),
            kind: slice.kind(label),
            place: row.and_then(|row| slice.place(row)),
        }
    }

    /// The greatest rise of a band.
    fn rise(&self, candidate: &Candidate) -> Option<Rise> {
        let Candidate { row, values } = candidate;
        let span = Span::greatest(values);
        if span.gain < self.least {
            return None;
        }
        let (manner, count) = Manner::of_steps(&values[span.from..=span.to]);
        let ends = self.ends(span, values);
        // What has ended has a mean rate; the slopes between its samples would take as long as all else.
        let axes = (&self.axis[..], &self.work);
        let rate = rate_of(axes, values, (span.from, span.to), (Manner::Floors, span.gain));
        let at_end = values[values.len() - 1];
        let shown = self.shown(Some(*row), self.slice.label(*row), span, rate, at_end);
        let steps = (manner == Manner::Steps).then_some(count);
        Some(Rise { manner, steps, ends, ..shown })
    }

    /// The greatest rise of each band, largest first. That of a band that grows to the end has not ended.
    fn rises(&self, growers: &[Grower]) -> Vec<Rise> {
        let grower = |row: RowId| growers.iter().find(|grower| grower.row == Some(row));
        let spans: Vec<f64> =
            self.candidates.iter().map(|one| Span::greatest(&one.values).gain).collect();
        let least = NAMED * highest(&spans);
        let wanted = self.candidates.iter().zip(&spans).filter(|(_, gain)| **gain >= least);
        let one = |(candidate, _): (&Candidate, &f64)| match grower(candidate.row) {
            Some(grower) => Some(self.rise_of(grower, 0.0)),
            None => self.rise(candidate),
        };
        let mut rises: Vec<Rise> = wanted.filter_map(one).collect();
        let all: u128 = rises.iter().map(|rise| u128::from(rise.grew)).sum();
        rises.iter_mut().for_each(|rise| {
            rise.share_percent = 100.0 * rise.grew as f64 / all.max(1) as f64;
        });
        rises.sort_by_key(|rise| (std::cmp::Reverse(rise.grew), rise.row));
        rises
    }

    /// The bands that gained most while the whole heap grew, each at least a tenth of it, and that still hold half of
    /// what they gained.
    fn gainers(&self, whole: &Grower, shown: &Rise) -> Vec<Rise> {
        let (slice, movement) = (self.slice, self.heap.movement(self.slice, whole.span));
        let mut at_end = vec![0; slice.rows().len()];
        if let Some(&last) = self.heap.samples.last() {
            for (row, size) in Merger::new(slice).sample(last) {
                at_end[row.index()] = size.get();
            }
        }
        let one = |moved: &Moved| {
            let share = moved.change as f64 / shown.grew.max(1) as f64;
            Rise {
                row: Some(moved.row),
                label: moved.label.clone(),
                grew: moved.change.unsigned_abs(),
                share_percent: 100.0 * share,
                rate: shown.rate * share,
                interval: shown.interval.scaled(share),
                running_rate: shown.running_rate.map(|rate| rate * share),
                kept_percent: shown.kept_percent.map(|kept| kept * share),
                at_end: at_end[moved.row.index()],
                objects: objects(slice.breakdown(), &moved.label, at_end[moved.row.index()]),
                kind: slice.kind(&moved.label),
                place: slice.place(moved.row),
                ..shown.clone()
            }
        };
        let is_wanted = |moved: &&Moved| {
            moved.change >= (shown.grew / 10) as i64
                && at_end[moved.row.index()] >= moved.change as u64 / 2
        };
        movement.bands.iter().filter(is_wanted).map(one).collect()
    }

    /// The number of bytes that all bands together lost that lost some while the growers grew.
    fn others_fell(&self, growers: &[Grower]) -> u64 {
        let Some(since) = growers.iter().map(|grower| grower.span.0).min() else { return 0 };
        let end = growers.iter().map(|grower| grower.span.1).min().unwrap_or(since).max(since);
        let changes = changes(self.slice, self.heap.samples[since], self.heap.samples[end]);
        let fell = changes.iter().map(|(_, change)| change.min(&0).unsigned_abs());
        fell.fold(0, u64::saturating_add)
    }
}

/// Whether the last tenth of a curve rises, and ends near its highest value.
fn rises_at_end(values: &[f64]) -> bool {
    let n = values.len();
    let part = &values[n - (n / 10).max(3).min(n)..];
    let numbers: Vec<f64> = (0..part.len()).map(|i| i as f64).collect();
    slope(&numbers, part).middle > 0.0 && values[n - 1] >= CLIMB_ENDS * highest(values)
}

/// The lowest and the highest of some bytes.
fn range(values: &[f64]) -> (u64, u64) {
    (lowest(values) as u64, highest(values) as u64)
}

fn is_held_at_end(grower: &Grower, values: &[f64]) -> bool {
    grower.at_end >= HALF * highest(values)
}

/// What a heap did, of which so much is known.
fn shape(leak: Leak, headline: &Headline) -> Option<Shape> {
    match headline {
        Headline::TooFew | Headline::TwoProcesses => None,
        Headline::Leak => Some(Shape::Grows),
        Headline::GrowsSlowly if leak >= Leak::Possible => Some(Shape::Grows),
        Headline::Rose { ends, .. } => Some(match ends {
            Ends::ToTheEnd => Shape::Grows,
            Ends::UntilTheProgramEnded => Shape::GrewToExit,
            Ends::Freed => Shape::BuiltUp,
            Ends::LevelSince => Shape::Level,
        }),
        Headline::Rounds { .. } => Some(Shape::BuiltUp),
        Headline::GrowsSlowly
        | Headline::Excused
        | Headline::Moved { .. }
        | Headline::Fell { .. }
        | Headline::Level { .. } => Some(Shape::Level),
    }
}

impl Judgement {
    /// Whether nothing rose that is worth telling.
    fn is_quiet(&self) -> bool {
        let is_still = matches!(self.headline, Headline::Level { .. } | Headline::Fell { .. });
        is_still && self.leak == Leak::None
    }

    fn new(leak: Leak, headline: Headline) -> Self {
        Judgement { leak, headline, growers: Vec::new(), heap_gain: 0.0 }
    }
}

/// The bands that change enough to be judged, as dense rows of the judged samples, and some more that change
/// about as much; at most so many `numbers` together.
fn candidates(slice: &Slice<'_>, heap: &JudgedHeap, numbers: usize) -> Vec<Candidate> {
    let picks = &heap.samples;
    let least = ((LEAST_SHARE * mean(&heap.total)).max(LEAST_BYTES) / 2.0) as u64;
    let asked: Vec<(usize, f64)> =
        self::picks(picks.len(), MOST_ASKED).into_iter().map(|pick| (picks[pick], 0.0)).collect();
    let bands = figures::bands(slice, asked.into_iter());
    let change = |row: RowId| {
        let band = &bands[row.index()];
        band.peak - band.least.min(band.peak)
    };
    let is_wanted = |row: &RowId| change(*row) >= least && slice.is_selected(*row);
    let mut wanted: Vec<RowId> = slice.rows().filter(is_wanted).collect();
    let most = numbers / picks.len().max(1);
    if wanted.len() > most {
        wanted.sort_by_key(|&row| (std::cmp::Reverse(change(row)), row));
        wanted.truncate(most);
        wanted.sort_unstable();
    }
    // One column for each of them and one for all others, so that the loop over points needs no test.
    let width = wanted.len() + 1;
    let mut column_of = vec![width - 1; slice.rows().len()];
    wanted.iter().enumerate().for_each(|(i, &row)| column_of[row.index()] = i);
    let mut line = vec![0u64; width];
    let mut candidates: Vec<Candidate> =
        wanted.into_iter().map(|row| Candidate { row, values: vec![0.0; picks.len()] }).collect();
    for (pick, &sample) in picks.iter().enumerate() {
        slice.each_point(sample, |row, size| {
            let bytes = &mut line[column_of[row.index()]];
            *bytes = bytes.saturating_add(size.get());
        });
        for (candidate, bytes) in candidates.iter_mut().zip(&mut line) {
            candidate.values[pick] = std::mem::take(bytes) as f64;
        }
    }
    candidates
}
