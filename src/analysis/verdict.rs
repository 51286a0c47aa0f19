//! The verdict over a heap: what grows to the end of the run, if anything does, and the headline that says
//! what the heap did.
//!
//! Each band that changes enough is judged on its own (`growth.rs`). What rises to the end is accused if it
//! makes a fair part of what the whole heap gained meanwhile, and if the program still holds it in the last
//! sample. `docs/diagnosis.md` has the rules and their constants.

use serde::Serialize;

use super::figures::{self, Totals};
use super::growth::{self, Manner, Rise, before_exit, falls, rise};
use super::movements::{Heap, Moved, Movement, MovementKind};
use super::robust::{Slope, ascending, highest, lowest, mean, slope};
use super::rows::{Rows, RunEnd, Work};
use super::suspect::{Grower, Kind, Suspect, gainers};
use crate::profile::Breakdown;

/// The fewest samples that are not empty for which a verdict is given. If something rises in every one of
/// them, [`growth::FEWEST_SAMPLES`] are enough.
pub const FEWEST_SAMPLES: usize = 15;
/// The fewest samples for `likely`, and for accusing the whole heap without a band.
const MANY_SAMPLES: usize = 30;
/// A band is judged if it changes by this share of the mean heap, and by so many bytes.
const LEAST_SHARE: f64 = 0.001;
const LEAST_BYTES: f64 = 8192.0;
/// What grows has to make this share of what the heap gained; the heap has to gain that share of it, or other
/// bands fell by as much.
const FAIR_SHARE: f64 = 0.5;
const HEAP_GAINS: f64 = 0.4;
/// It still holds this share of its highest value in the last sample, or it was freed.
const HELD: f64 = 0.5;
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
/// A climb is over if the heap then stays within a twentieth of it for this part of the samples, a sixteenth.
const LEVEL_PART: usize = 16;
/// What is built up is told if it is this share of the highest heap, and freed if half of it is.
const BUILT_UP: f64 = 0.25;
const FREED: f64 = 0.5;

/// How certain the verdict is, in words: it is not a calibrated probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leak {
    /// Too few samples to say anything, or the heap climbs at the end for too short a time.
    Unknown,
    /// Nothing that the program holds at the end grows up to it.
    None,
    /// Something grows, for too short a time, too little or too unevenly to be sure.
    Possible,
    /// Something grows steadily, for long, and by much.
    Likely,
}

/// What a heap did, as the first of these that holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Headline {
    /// Too few samples.
    TooFew,
    /// The suspects grow to the end.
    Leak,
    /// A suspect grows to the end, but is a small part of the heap's gain.
    GrowsSlowly,
    /// The first band that grows to the end is filled on purpose: a compact region.
    OnPurpose(Suspect),
    /// All that grows to the end is known to grow by design.
    Accepted(Vec<Suspect>),
    /// What was built up until the end of this movement was freed again.
    BuiltUp {
        /// The rise and the bands that made it.
        rise: Movement,
        /// The number of bytes that were built up: by the heap, or by these bands if others took their place.
        built: u64,
        /// The number of bytes of it that were freed.
        freed: u64,
    },
    /// The heap climbs to its last sample, for too short a time to judge.
    Climbs(Movement),
    /// A band grows as much as others fall.
    Moved {
        /// The bands that gained and lost most.
        bands: Vec<Moved>,
    },
    /// The heap rose and was freed again, several times.
    Rounds {
        /// How often.
        times: usize,
    },
    /// The heap rose, and then stayed level to the end.
    Levelled(Movement),
    /// The heap is about the same at both ends.
    Level,
    /// The heap ends below its highest value.
    EndsLower,
}

/// What is found in a run.
#[derive(Debug)]
pub(super) struct Finding {
    pub leak: Leak,
    pub headline: Headline,
    /// What is accused, most bytes first.
    pub suspects: Vec<Suspect>,
    /// How many bands grow, named or not, and by how many bytes together.
    pub growing: usize,
    pub gain: f64,
    pub rate: f64,
    pub running_rate: Option<f64>,
    pub kept: Option<f64>,
    /// The number of bytes that all bands together gained meanwhile.
    pub heap_gain: f64,
    /// The samples from which on and up to which it grew.
    pub grew_in: Option<(usize, usize)>,
}

/// What is judged of a run: its samples that are not empty, and the bands that change.
pub(super) struct Judged<'a, 'r> {
    pub rows: &'a Rows<'r>,
    pub heap: &'a Heap,
    axis: Vec<f64>,
    work: Work,
    candidates: Vec<Candidate>,
    end: RunEnd,
}

/// A band that changes enough to be judged.
#[derive(Clone, Debug, PartialEq)]
struct Candidate {
    row: usize,
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
pub(super) fn heap(totals: &Totals) -> Heap {
    let full = |&sample: &usize| totals.selected[sample] > 0;
    let all: Vec<usize> = (0..totals.selected.len()).filter(full).collect();
    let samples: Vec<usize> =
        picks(all.len(), MOST_SAMPLES).into_iter().map(|at| all[at]).collect();
    let total = samples.iter().map(|&sample| totals.selected[sample] as f64).collect();
    Heap { samples, total }
}

/// At most about this many of the samples, evenly spread, with the last.
fn picks(samples: usize, most: usize) -> Vec<usize> {
    let step = samples.div_ceil(most).max(1);
    let mut picks: Vec<usize> = (0..samples).rev().step_by(step).collect();
    picks.reverse();
    picks
}

impl<'a, 'r> Judged<'a, 'r> {
    pub fn of(rows: &'a Rows<'r>, heap: &'a Heap) -> Self {
        let all = rows.axis();
        let picked =
            |all: Vec<f64>| -> Vec<f64> { heap.samples.iter().map(|&at| all[at]).collect() };
        let Work { allocated, running } = rows.work();
        Judged {
            axis: picked(all),
            work: Work { allocated: allocated.map(picked), running: running.map(picked) },
            candidates: candidates(rows, heap, MOST_NUMBERS),
            rows,
            heap,
            end: rows.end(),
        }
    }

    pub fn finding(&self) -> Finding {
        let samples = self.heap.total.len();
        let judged = match self.end {
            RunEnd::Exit => before_exit(&self.heap.total),
            RunEnd::Cut | RunEnd::Running => samples,
        };
        if samples < growth::FEWEST_SAMPLES {
            return Finding::of(Leak::Unknown, Headline::TooFew);
        }
        let mean = mean(&self.heap.total[..judged]);
        let mut growers = self.growers(judged, self.least(judged));
        if samples < FEWEST_SAMPLES && growers.is_empty() {
            return Finding::of(Leak::Unknown, Headline::TooFew);
        }
        growers.sort_by(|a, b| ascending(&b.rise.gain, &a.rise.gain));
        let gain: f64 = growers.iter().map(|grower| grower.rise.gain).sum();
        let heap_gain = self.heap_gain(&growers, judged);
        if growers.is_empty() || heap_gain > HEAP_GAINS * gain && gain < FAIR_SHARE * heap_gain {
            // Growth that is spread over many bands, or that no single band shows.
            if let Some(whole) = self.whole(judged) {
                return self.accused(vec![whole], whole.rise.gain, Leak::Possible, judged);
            }
        }
        let Some(&first) = growers.first() else { return self.without_growth() };
        if heap_gain <= HEAP_GAINS * gain {
            return self.moved(&first);
        }
        let (is_fair, is_much) = (gain >= FAIR_SHARE * heap_gain, gain >= SLOW_GAIN * mean);
        if !is_fair || !is_much {
            let is_clear = (is_fair || is_much)
                && samples >= MANY_SAMPLES
                && first.rise.score >= SLOW_SCORE
                && first.rise.lasts >= LIKELY_LASTS
                && SLOW_LATE.contains(&first.rise.late);
            let leak = if is_clear { Leak::Possible } else { Leak::None };
            let found = self.accused(growers, heap_gain, leak, judged);
            return match found.headline {
                Headline::Leak => self.slow(found),
                _ => found,
            };
        }
        let lasts = growers.iter().map(|grower| grower.rise.lasts).fold(0.0, f64::max);
        let is_likely = samples >= MANY_SAMPLES
            && gain >= LIKELY_GAIN * mean
            && lasts >= LIKELY_LASTS
            && first.rise.late >= LIKELY_LATE
            && first.rise.manner == Manner::Steady;
        let leak = if is_likely { Leak::Likely } else { Leak::Possible };
        self.accused(growers, heap_gain, leak, judged)
    }

    /// The bands that grow to the end.
    fn growers(&self, judged: usize, least: f64) -> Vec<Grower> {
        if self.rows.breakdown() == Breakdown::Era {
            // A band of an era stops growing when its era ends.
            return Vec::new();
        }
        let few = self.heap.total.len() < FEWEST_SAMPLES;
        let one = |candidate: &Candidate| {
            let values = &candidate.values[..judged];
            if highest(values) - lowest(values) < least || few && !values.is_sorted_by(|a, b| a < b)
            {
                return None;
            }
            let found = rise(values, self.end).filter(|found| found.gain >= least)?;
            Some(self.grower(Some(candidate.row), found, &candidate.values))
        };
        self.candidates.iter().filter_map(one).collect()
    }

    /// All bands together, if they grow to the end.
    fn whole(&self, judged: usize) -> Option<Grower> {
        let total = &self.heap.total[..judged];
        let found = rise(total, self.end).filter(|found| found.gain >= self.least(judged))?;
        let is_wanted = self.heap.total.len() >= MANY_SAMPLES;
        is_wanted.then(|| self.grower(None, found, &self.heap.total))
    }

    /// How many bytes a band has to gain at least.
    fn least(&self, judged: usize) -> f64 {
        (LEAST_SHARE * mean(&self.heap.total[..judged])).max(LEAST_BYTES)
    }

    fn grower(&self, row: Option<usize>, rise: Rise, values: &[f64]) -> Grower {
        let grew = rise.since..rise.end;
        let per = |axis: &[f64]| {
            let (axis, values) = (&axis[grew.clone()], &values[grew.clone()]);
            let passed = axis[axis.len() - 1] - axis[0];
            let steady = slope(axis, values);
            match rise.manner {
                Manner::Steady if steady.middle > 0.0 => steady,
                // The samples of a sawtooth do not rise as its floor does.
                _ if passed > 0.0 => Slope::exactly(rise.gain / passed),
                _ => Slope::default(),
            }
        };
        Grower {
            row,
            rise,
            rate: per(&self.axis),
            running_rate: self.work.running.as_deref().map(|axis| per(axis).middle),
            kept: self.work.allocated.as_deref().map(|axis| per(axis).middle),
            at_end: values[values.len() - 1],
        }
    }

    /// What all bands together gained while some of them grew: of a heap that falls and rises again, what its floor
    /// gained.
    fn heap_gain(&self, growers: &[Grower], judged: usize) -> f64 {
        let since = growers.iter().map(|grower| grower.rise.since).min().unwrap_or(0);
        let end = growers.iter().map(|grower| grower.rise.end).min().unwrap_or(judged);
        let total = &self.heap.total[since.min(end - 1)..end];
        let n = total.len();
        if falls(total, growth::TOOTH * (highest(total) - lowest(total))) >= 2 {
            return lowest(&total[n - n.div_ceil(3)..]) - lowest(&total[..n.div_ceil(3)]);
        }
        growth::gain(total, 20)
    }

    /// Accuses what grows, unless the program freed it or fills it on purpose.
    fn accused(&self, growers: Vec<Grower>, heap_gain: f64, leak: Leak, judged: usize) -> Finding {
        let is_held = |grower: &Grower| grower.at_end >= HELD * highest(self.values(grower.row));
        let gained =
            |growers: &[Grower]| growers.iter().map(|grower| grower.rise.gain).sum::<f64>();
        let growers = match self.end {
            RunEnd::Exit => {
                let (held, let_go): (Vec<_>, Vec<_>) = growers.into_iter().partition(is_held);
                if gained(&held) < gained(&let_go) {
                    // Other bands may have taken over what these had.
                    let is_held = self.heap.last() >= CLIMB_ENDS * self.heap.peak();
                    return match self.whole(judged).filter(|_| is_held) {
                        Some(whole) => {
                            self.accused(vec![whole], whole.rise.gain, Leak::Possible, judged)
                        }
                        None => self.freed(&[held, let_go].concat()),
                    };
                }
                held
            }
            RunEnd::Cut | RunEnd::Running => growers,
        };
        let since = growers.iter().map(|grower| grower.rise.since).min().unwrap_or(0);
        let gain = gained(&growers);
        let growing = growers.len();
        // The largest is named, however small its share is.
        let is_named =
            |(at, grower): &(usize, &Grower)| *at == 0 || grower.rise.gain >= 0.02 * gain;
        let named = growers.iter().enumerate().filter(is_named);
        let mut suspects: Vec<Suspect> =
            named.map(|(_, grower)| Suspect::of(self.rows, self.heap, grower, gain)).collect();
        if suspects[0].kind == Some(Kind::CompactRegion) {
            let first = suspects.swap_remove(0);
            return Finding::of(Leak::None, Headline::OnPurpose(first));
        }
        if suspects[0].row.is_none() && self.rows.breakdown() != Breakdown::Era {
            let change = self.heap.movement(self.rows, (since, growers[0].rise.end - 1), None);
            suspects.extend(gainers(self.rows, self.heap, &suspects[0], &change));
        }
        let leak = match self.end {
            // Most young heaps grow.
            RunEnd::Running => leak.min(Leak::Possible),
            RunEnd::Exit | RunEnd::Cut => leak,
        };
        Finding {
            leak,
            headline: Headline::Leak,
            suspects,
            growing,
            gain,
            rate: growers.iter().map(|grower| grower.rate.middle).sum(),
            running_rate: growers.iter().map(|grower| grower.running_rate).sum(),
            kept: growers.iter().map(|grower| grower.kept).sum(),
            heap_gain,
            grew_in: Some((since, judged)),
        }
    }

    /// What grows is a small part of what the heap did.
    fn slow(&self, found: Finding) -> Finding {
        if found.leak >= Leak::Possible {
            return Finding { headline: Headline::GrowsSlowly, ..found };
        }
        match self.without_growth() {
            Finding {
                leak: Leak::None, headline: Headline::Level | Headline::EndsLower, ..
            } => Finding { headline: Headline::GrowsSlowly, ..found },
            louder => louder,
        }
    }

    fn values(&self, row: Option<usize>) -> &[f64] {
        let of = |row| self.candidates.iter().find(|candidate| candidate.row == row);
        row.and_then(of).map_or(&self.heap.total, |candidate| &candidate.values)
    }

    /// What grew was freed at the end.
    fn freed(&self, growers: &[Grower]) -> Finding {
        let since = growers.iter().map(|grower| grower.rise.since).min().unwrap_or(0);
        let end = growers.iter().map(|grower| grower.rise.end).max().unwrap_or(1) - 1;
        let wanted: Option<Vec<usize>> = growers.iter().map(|grower| grower.row).collect();
        let mut rise = self.heap.movement(self.rows, (since, end), wanted.as_deref());
        let (built, freed) = (rise.change(), (self.heap.total[end] - self.heap.last()) as i64);
        if rise.kind == MovementKind::Rise && freed as f64 >= FREED * built as f64 {
            let named: i64 = rise.bands.iter().map(|band| band.change).sum();
            if (named as f64) < FAIR_SHARE * built as f64 {
                // Others built up more than what rose steadily.
                rise = self.heap.movement(self.rows, (since, end), None);
            }
            let (built, freed) = (built.unsigned_abs(), freed.unsigned_abs());
            return Finding::of(Leak::None, Headline::BuiltUp { rise, built, freed });
        }
        // Others took their place: what they did comes first, if the heap climbs to its end.
        let told = self.without_growth();
        if matches!(told.headline, Headline::Climbs(_) | Headline::Levelled(_)) {
            return told;
        }
        let built = growers.iter().map(|grower| grower.rise.gain).sum::<f64>() as u64;
        let let_go = growers.iter().map(|one| highest(self.values(one.row)) - one.at_end);
        let freed = let_go.sum::<f64>() as u64;
        Finding::of(Leak::None, Headline::BuiltUp { rise, built, freed })
    }

    /// A band grows, and others fall by as much.
    fn moved(&self, first: &Grower) -> Finding {
        let Rise { since, end, .. } = first.rise;
        let mut moved = self.heap.movement(self.rows, (since, end - 1), None);
        let told = self.without_growth();
        match told.headline {
            Headline::Level | Headline::EndsLower if moved.bands.len() >= 2 => {
                moved.bands.truncate(2);
                Finding::of(Leak::None, Headline::Moved { bands: moved.bands })
            }
            _ => told,
        }
    }

    /// What a heap did in which nothing is accused.
    fn without_growth(&self) -> Finding {
        let total = &self.heap.total;
        let (n, peak, last) = (total.len(), self.heap.peak(), self.heap.last());
        let top = total.iter().position(|&bytes| bytes >= peak).unwrap_or(0);
        let low = (0..=top).rev().min_by(|&a, &b| total[a].total_cmp(&total[b])).unwrap_or(0);
        let built = peak - total[low];
        let from = n - ((CLIMB_PART * n as f64) as usize).clamp(3.min(n), n);
        let start = (from..n).rev().min_by(|&a, &b| total[a].total_cmp(&total[b])).unwrap_or(from);
        let climb = last - total[start];
        let before = &total[..n - (n / 10).max(2).min(n)];
        if climb >= CLIMB * peak
            && last >= CLIMB_ENDS * highest(&total[from..])
            && falls(before, 0.5 * climb) < 2
        {
            let is_over = self.levels_off_after(start);
            let rise = self.heap.movement(self.rows, (start, is_over.unwrap_or(n - 1)), None);
            return match is_over {
                Some(_) => Finding::of(Leak::None, Headline::Levelled(rise)),
                None => Finding::of(Leak::Unknown, Headline::Climbs(rise)),
            };
        }
        let freed = peak - last;
        let rounds = falls(total, FREED * built);
        if built >= BUILT_UP * peak && rounds >= 2 {
            return Finding::of(Leak::None, Headline::Rounds { times: rounds });
        }
        if built >= BUILT_UP * peak && freed >= FREED * built {
            let rise = self.heap.movement(self.rows, (low, top), None);
            let (built, freed) = (built as u64, freed as u64);
            return Finding::of(Leak::None, Headline::BuiltUp { rise, built, freed });
        }
        if freed >= CLIMB * peak {
            return Finding::of(Leak::None, Headline::EndsLower);
        }
        if built >= BUILT_UP * peak {
            // It filled up, and has been near its last value since.
            let near = |&bytes: &f64| bytes >= last - CLIMB * peak;
            let reached = low + total[low..].iter().position(near).unwrap_or(0);
            let end = self.levels_off_after(low).unwrap_or(reached);
            let rise = self.heap.movement(self.rows, (low, end), None);
            return Finding::of(Leak::None, Headline::Levelled(rise));
        }
        Finding::of(Leak::None, Headline::Level)
    }

    /// The sample with which a rise from one on ends, if the heap stays near its last value afterwards.
    fn levels_off_after(&self, start: usize) -> Option<usize> {
        let total = &self.heap.total;
        let last = self.heap.last();
        let near = 0.05 * (last - total[start]);
        let level = total.iter().rev().take_while(|bytes| (**bytes - last).abs() <= near).count();
        let reached = total.len() - level;
        (reached > start && level >= (total.len() / LEVEL_PART).max(4)).then_some(reached)
    }
}

impl Finding {
    fn of(leak: Leak, headline: Headline) -> Self {
        Finding {
            leak,
            headline,
            suspects: Vec::new(),
            growing: 0,
            gain: 0.0,
            rate: 0.0,
            running_rate: None,
            kept: None,
            heap_gain: 0.0,
            grew_in: None,
        }
    }
}

/// The bands that change enough to be judged, as dense rows of the judged samples, and some more that change
/// about as much; at most so many `numbers` together.
fn candidates(rows: &Rows<'_>, heap: &Heap, numbers: usize) -> Vec<Candidate> {
    let picks = &heap.samples;
    let least = ((LEAST_SHARE * mean(&heap.total)).max(LEAST_BYTES) / 2.0) as u64;
    let asked: Vec<(usize, f64)> =
        self::picks(picks.len(), MOST_ASKED).into_iter().map(|pick| (picks[pick], 0.0)).collect();
    let bands = figures::bands(rows, asked.into_iter());
    let change = |row: usize| bands[row].peak - bands[row].least.min(bands[row].peak);
    let mut wanted: Vec<usize> =
        (0..bands.len()).filter(|&row| change(row) >= least && rows.takes_part(row)).collect();
    let most = numbers / picks.len().max(1);
    if wanted.len() > most {
        wanted.sort_by_key(|&row| (std::cmp::Reverse(change(row)), row));
        wanted.truncate(most);
        wanted.sort_unstable();
    }
    // One column for each of them and one for all others, so that the loop over points needs no test.
    let width = wanted.len() + 1;
    let mut column_of = vec![width - 1; rows.count()];
    wanted.iter().enumerate().for_each(|(i, &row)| column_of[row] = i);
    let mut line = vec![0u64; width];
    let mut candidates: Vec<Candidate> =
        wanted.into_iter().map(|row| Candidate { row, values: vec![0.0; picks.len()] }).collect();
    for (pick, &sample) in picks.iter().enumerate() {
        rows.each_point(sample, |row, size| {
            let bytes = &mut line[column_of[row]];
            *bytes = bytes.saturating_add(size);
        });
        for (candidate, bytes) in candidates.iter_mut().zip(&mut line) {
            candidate.values[pick] = std::mem::take(bytes) as f64;
        }
    }
    candidates
}
