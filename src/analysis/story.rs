//! The story of a heap: its greatest move, and the stories of what is before and after it. The moves join and cover the
//! run by construction; each begins and ends where the samples say.

use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use super::constants::{BEGINS, HALF, PART, SLOW, TOLD, WORTH};
use super::curve::{floor, greatest, without_levels};
use super::median::{highest, lowest};
use super::rise::Rise;
use crate::base::units::Nanos;
use crate::slice::{Merger, RowId, SampleNumber, Slice};

/// What a heap does in a part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum MoveKind {
    /// The heap gains bytes.
    Rise,
    /// The heap loses bytes.
    Fall,
    /// The heap gains and loses less than is worth a word.
    #[default]
    Level,
}

/// A part of a run in which the heap, or its floor, rises, falls or stays level.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Move {
    /// What it does.
    pub kind: MoveKind,
    /// The place of its first sample on the timeline.
    #[serde(skip)]
    pub(crate) from: usize,
    /// The place of its last sample on the timeline.
    #[serde(skip)]
    pub(crate) to: usize,
    /// When it begins; `None` where samples have no times.
    #[serde(rename = "from_ns")]
    pub since: Option<Nanos>,
    /// When it ends; `None` where samples have no times.
    #[serde(rename = "to_ns")]
    pub until: Option<Nanos>,
    /// The number in the run of its first sample, from 1.
    pub from_sample: SampleNumber,
    /// The number of its last sample.
    pub to_sample: SampleNumber,
    /// All bands together in its first sample, in bytes.
    pub from_bytes: u64,
    /// All bands together in its last sample, in bytes.
    pub to_bytes: u64,
    /// The lowest of its samples, in bytes.
    pub low_bytes: u64,
    /// The highest of its samples, in bytes.
    pub high_bytes: u64,
    /// Whether it is a move of the floor of a sawtooth: its bytes are those of lows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub floor: bool,
    /// The bands that moved most in its direction, most bytes first, but those that are large only in its last sample last; of
    /// a level part none.
    pub bands: Vec<BandChange>,
}

/// What a band gained between two samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BandChange {
    /// The number among the bands of the profile.
    #[serde(rename = "id")]
    pub row: RowId,
    /// The label of the band.
    pub label: String,
    /// The number of bytes that it gained; below zero if it lost some.
    pub change: i64,
}

impl Move {
    pub(super) fn new(kind: MoveKind, values: &[f64], (from, to): (usize, usize)) -> Self {
        let part = &values[from..=to];
        Move {
            kind,
            from,
            to,
            from_bytes: values[from] as u64,
            to_bytes: values[to] as u64,
            low_bytes: lowest(part) as u64,
            high_bytes: highest(part) as u64,
            ..Move::default()
        }
    }

    /// The number of bytes by which it rises or falls.
    pub fn size(&self) -> u64 {
        self.to_bytes.abs_diff(self.from_bytes)
    }
}

/// The moves of a curve between two samples, in their order; what moves by less than `least` is level. A move that is
/// half undone on its way (a fall: a quarter) is several, or level.
pub fn story(values: &[f64], (from, to): (usize, usize), least: f64) -> Vec<Move> {
    let mut moves = Vec::new();
    tell(values, (from, to), least, &mut moves);
    moves
}

fn tell(values: &[f64], (from, to): (usize, usize), least: f64, moves: &mut Vec<Move>) {
    if to <= from {
        return;
    }
    let (rise, fall) = (greatest(values, (from, to), 1.0), greatest(values, (from, to), -1.0));
    let (is_rise, (size, start, end)) = if rise.0 >= fall.0 { (true, rise) } else { (false, fall) };
    if size < least || size <= 0.0 {
        moves.push(Move::new(MoveKind::Level, values, (from, to)));
        return;
    }
    let sign = if is_rise { 1.0 } else { -1.0 };
    let (undone, turn, again) = greatest(values, (start, end), -sign);
    // What climbs again while a heap falls is a rise of its own sooner than what falls while it climbs.
    let most = if is_rise { HALF } else { TOLD };
    if undone >= most * size {
        for part in [(from, turn), (turn, again), (again, to)] {
            tell(values, part, least, moves);
        }
        return;
    }
    let (first, last) = without_levels(values, start, end);
    tell(values, (from, first), least, moves);
    let kind = match is_rise {
        _ if (values[last] - values[first]).abs() < least => MoveKind::Level,
        true => MoveKind::Rise,
        false => MoveKind::Fall,
    };
    moves.push(Move::new(kind, values, (first, last)));
    tell(values, (last, to), least, moves);
}

/// The most moves that a reader is told.
const MOST_MOVES: usize = 9;

/// The story of a heap as readers see it: of its floor, if it is a sawtooth, and otherwise in so few moves that they can
/// be read. `cut` is the number of samples before the exit, which is a move of its own.
pub fn readable(values: &[f64], axis: &[f64], cut: usize) -> Vec<Move> {
    let (n, judged) = (values.len(), &values[..cut]);
    if n == 0 {
        return Vec::new();
    }
    if let Some(floor) = floor(judged) {
        return of_floor(values, &floor);
    }
    let peak = highest(values);
    let mut least = WORTH * peak;
    let mut moves = story(judged, (0, cut - 1), least);
    while moves.len() > MOST_MOVES {
        least *= 1.5;
        moves = story(judged, (0, cut - 1), least);
    }
    moves = moves.into_iter().flat_map(|one| without_idle_time(values, axis, one)).collect();
    if cut < n {
        let kind = match values[n - 1] - values[cut - 1] {
            change if change >= WORTH * peak => MoveKind::Rise,
            change if change <= -WORTH * peak => MoveKind::Fall,
            _ => MoveKind::Level,
        };
        moves.push(Move::new(kind, values, (cut - 1, n - 1)));
    }
    if moves.is_empty() {
        moves.push(Move::new(MoveKind::Level, values, (0, n - 1)));
    }
    moves
}

/// A move, and before it a level for what gains next to nothing in the first third of its time.
fn without_idle_time(values: &[f64], axis: &[f64], one: Move) -> Vec<Move> {
    let begins = match one.kind {
        MoveKind::Rise => begins(values, axis, (one.from, one.to)),
        MoveKind::Fall | MoveKind::Level => one.from,
    };
    match begins > one.from {
        true => vec![
            Move::new(MoveKind::Level, values, (one.from, begins)),
            Move::new(MoveKind::Rise, values, (begins, one.to)),
        ],
        false => vec![one],
    }
}

/// Where a rise begins that gains next to nothing in the first third of its time, or is back at its beginning then, or in
/// the first third of what is left of that: samples are not evenly spread over it.
pub fn begins(values: &[f64], axis: &[f64], (from, to): (usize, usize)) -> usize {
    let gain = values[to] - values[from];
    let is_idle = |at: &usize| values[*at] - values[from] <= BEGINS * gain;
    let mut high = values[from];
    let is_back = |at: &usize| {
        high = high.max(values[*at]);
        values[*at] - values[from] <= WORTH * gain && high - values[*at] >= WORTH * gain
    };
    let idle = (from..to).take_while(is_idle).last();
    let last = idle.max((from..to).filter(is_back).last()).unwrap_or(from);
    let next = (last + 1).min(to);
    let is_long = 3.0 * (axis[next] - axis[from]) > axis[to] - axis[from];
    if is_long && last > from { begins(values, axis, (last, to)) } else { from }
}

/// The moves of the lows of a sawtooth. The first and the last low stand for all before and after them.
fn of_floor(values: &[f64], floor: &[usize]) -> Vec<Move> {
    let lows: Vec<f64> = floor.iter().map(|&low| values[low]).collect();
    let mut least = WORTH * highest(values);
    let mut moves = story(&lows, (0, lows.len() - 1), least);
    while moves.len() > MOST_MOVES {
        least *= 1.5;
        moves = story(&lows, (0, lows.len() - 1), least);
    }
    let last = floor.len() - 1;
    for one in &mut moves {
        let place = |low: usize| match low {
            0 => 0,
            low if low == last => values.len() - 1,
            low => floor[low],
        };
        (one.from, one.to, one.floor) = (place(one.from), place(one.to), true);
    }
    moves
}

/// The most bands that are named.
const MOST_NAMED: usize = 16;

/// How much each row that takes part gained from one sample to each of some others, added up.
pub fn changes(slice: &Slice<'_>, from: usize, to: &[usize]) -> Vec<(RowId, i64)> {
    let mut gained = vec![0i128; slice.rows().len()];
    let mut merger = Merger::new(slice);
    for (row, size) in merger.sample(from) {
        gained[row.index()] -= to.len() as i128 * i128::from(size.get());
    }
    for &to in to {
        for (row, size) in merger.sample(to) {
            gained[row.index()] += i128::from(size.get());
        }
    }
    let clamped = |sum: i128| sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    let changed = slice.rows().zip(gained.into_iter().map(clamped));
    changed.filter(|(row, change)| *change != 0 && slice.is_selected(*row)).collect()
}

/// How much each row gained from the first to the last of some samples, if that is a fair part of it, most bytes first. Who
/// held less than a tenth of it shortly before, as in a spike, counts half.
pub fn gainers(slice: &Slice<'_>, samples: &[usize], excused: &[Rise]) -> Vec<BandChange> {
    let [from, .., to] = *samples else { return Vec::new() };
    let mut gained = changes(slice, from, &[to]);
    let is_excused = |row: RowId| excused.iter().any(|rise| rise.row() == Some(row));
    gained.retain(|&(row, change)| change > 0 && !is_excused(row));
    let all: f64 = gained.iter().map(|&(_, change)| change as f64).sum();
    let largest = gained.iter().map(|&(_, change)| change).max().unwrap_or(0) as f64;
    gained.retain(|&(_, change)| change as f64 >= (SLOW * all).min(largest));
    let last = samples.len() - 1;
    let late = [1, 2, 3].map(|part| samples[last - (part * last / PART).max(1)]);
    let held: HashMap<RowId, i64> = changes(slice, from, &late).into_iter().collect();
    // What rises in few samples was not there before them; what falls was.
    let is_brief = |&(row, change): &(RowId, i64)| {
        from < to
            && 2 * last >= PART
            && held
                .get(&row)
                .is_none_or(|&sum| (sum as f64) < WORTH * late.len() as f64 * change as f64)
    };
    gained.sort_by_key(|one| (Reverse(if is_brief(one) { one.1 / 2 } else { one.1 }), one.0));
    named_of(slice, gained)
}

/// The first of some rows with their names.
fn named_of(slice: &Slice<'_>, mut gained: Vec<(RowId, i64)>) -> Vec<BandChange> {
    gained.truncate(MOST_NAMED);
    let one = |(row, change)| BandChange { row, label: slice.label(row).to_owned(), change };
    gained.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds of the moves of a curve through some heights, ten samples from one to the next.
    fn kinds(heights: &[f64], least: f64) -> Vec<(MoveKind, u64, u64)> {
        let part = |pair: &[f64]| {
            let (from, to) = (pair[0], pair[1]);
            (0..10).map(move |i| from + (to - from) * f64::from(i) / 10.0).collect::<Vec<_>>()
        };
        let mut values: Vec<f64> = heights.windows(2).flat_map(part).collect();
        values.extend(heights.last());
        let moves = story(&values, (0, values.len() - 1), least);
        assert!(moves.windows(2).all(|pair| pair[0].to == pair[1].from));
        moves.iter().map(|one| (one.kind, one.low_bytes, one.high_bytes)).collect()
    }

    #[test]
    fn a_level_contains_no_fall_and_levels_that_are_one_are_told_as_one() {
        use MoveKind::{Fall, Level, Rise};
        // What is half undone by less than a move, after a fall that is one.
        let found = kinds(&[0.0, 600.0, 70.0, 340.0, 70.0], 300.0);
        assert_eq!(found, [(Rise, 0, 600), (Fall, 70, 600), (Level, 70, 340)]);
        assert_eq!(kinds(&[100.0, 250.0, 110.0, 290.0, 100.0], 300.0), [(Level, 100, 290)]);
        // A heap that falls at first, and climbs for most of the time after that.
        let found = kinds(&[1780.0, 780.0, 900.0, 1050.0, 1215.0, 205.0], 178.0);
        assert_eq!(found, [(Fall, 780, 1780), (Rise, 780, 1215), (Fall, 205, 1215)]);
        let up = kinds(&[0.0, 250.0, 250.0, 500.0], 300.0);
        assert!(up.iter().all(|one| one.0 != Fall), "{up:?}");
    }
}
