//! The movements of a heap: the few straight pieces that fit it best, and which bands moved in each.
//!
//! The pieces are found by dynamic programming over the condensed heap, or over its floor if it is a
//! sawtooth: as many pieces as pay for themselves (the Bayesian information criterion). Who moved is
//! subtraction: what a band has at the end of a movement, less what it had at the beginning. The number of a
//! sample is the clock, so an event log and its `.hp` have the same movements.

use serde::Serialize;

use super::growth::{self, CurvePoints, before_exit, condensed};
use super::robust::{Fits, highest, lowest};
use crate::base::units::Nanos;
use crate::slice::{Merger, RowId, Slice};

/// How many points the heap is condensed to, how many pieces are tried, and how many points each has at least.
const POINTS: usize = 160;
const MOST_PIECES: usize = 7;
const FEWEST_POINTS: usize = 3;
/// What is less than this share of the height is not worth a piece.
const WORTH: f64 = 0.015;
/// What moves by less than this share of the highest heap is level.
const LEVEL: f64 = 0.05;
/// Two rises, or two falls, are one if neither is this many times as steep as the other.
const STEEPER: f64 = 3.0;
/// Bands are named until they make this share of a movement, and so many at most.
const NAMED: f64 = 0.8;
const MOST_NAMED: usize = 8;

/// What a heap does in a part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MovementKind {
    /// It gains bytes.
    Rise,
    /// It loses bytes.
    Fall,
    /// Both ends differ by less than a twentieth of the highest heap.
    Level,
}

/// A part of a run in which the heap, or its floor, rises, falls or stays level.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Movement {
    /// What it does.
    pub kind: MovementKind,
    /// When it begins; `None` where samples have no times.
    #[serde(rename = "from_ns")]
    pub from: Option<Nanos>,
    /// When it ends; `None` where samples have no times.
    #[serde(rename = "to_ns")]
    pub to: Option<Nanos>,
    /// The number in the run of its first sample, from 1.
    pub from_sample: usize,
    /// The number of its last sample.
    pub to_sample: usize,
    /// All bands together in its first sample, in bytes.
    pub from_bytes: u64,
    /// The same in its last sample.
    pub to_bytes: u64,
    /// Whether it is one of the floor of a sawtooth; its bytes are then the lowest nearby.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub floor: bool,
    /// The bands that moved most in its direction, most bytes first, until they make four fifths of it. Of a level
    /// part, those that gained or lost a tenth of the highest heap.
    pub bands: Vec<Moved>,
}

/// What a band did in a movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Moved {
    /// Its number among the bands of the profile.
    #[serde(rename = "id")]
    pub row: RowId,
    /// Its label.
    pub label: String,
    /// The number of bytes that it gained; below zero if it lost some.
    pub change: i64,
}

impl Movement {
    /// The number of bytes that the heap gained; below zero if it lost some.
    pub fn change(&self) -> i64 {
        difference(self.to_bytes, self.from_bytes)
    }
}

/// The heap in the samples that are not empty.
#[derive(Clone, Debug)]
pub(super) struct JudgedHeap {
    pub samples: Vec<usize>,
    /// All bands together that take part and are not excused, in bytes.
    pub total: Vec<f64>,
    /// The rows that are excused.
    pub excused: Vec<RowId>,
}

impl JudgedHeap {
    pub fn peak(&self) -> f64 {
        highest(&self.total)
    }

    /// What it has at the end.
    pub fn last(&self) -> f64 {
        self.total.last().copied().unwrap_or(0.0)
    }

    /// The movement between two of its samples, with the bands that moved in its direction.
    pub fn movement(&self, slice: &Slice<'_>, (from, to): (usize, usize)) -> Movement {
        let kind = direction(self.total[to] - self.total[from], self.peak());
        self.shown(slice, &Piece { kind, from, to, floor: None }, self.changes(slice, from, to))
    }

    /// How much each row gained between two of its samples.
    fn changes(&self, slice: &Slice<'_>, from: usize, to: usize) -> Vec<(RowId, i64)> {
        let mut changes = changes(slice, self.samples[from], self.samples[to]);
        changes.retain(|(row, _)| !self.excused.contains(row));
        changes
    }

    /// All movements of the run, in their order.
    pub fn movements(&self, slice: &Slice<'_>) -> Vec<Movement> {
        if self.samples.is_empty() {
            return Vec::new();
        }
        let one = |piece: &Piece| {
            let PieceEnds { from, to } =
                piece.floor.map_or(PieceEnds { from: piece.from, to: piece.to }, |ends| ends);
            self.shown(slice, piece, self.changes(slice, from, to))
        };
        pieces(&self.total).iter().map(one).collect()
    }

    fn shown(&self, slice: &Slice<'_>, piece: &Piece, changes: Vec<(RowId, i64)>) -> Movement {
        let (from, to) = (self.samples[piece.from], self.samples[piece.to]);
        let ends = piece.floor.unwrap_or(PieceEnds { from: piece.from, to: piece.to });
        let (from_bytes, to_bytes) = (self.total[ends.from] as u64, self.total[ends.to] as u64);
        let named = match piece.kind {
            MovementKind::Rise => named(changes, difference(to_bytes, from_bytes)),
            MovementKind::Fall => {
                let losses = changes
                    .into_iter()
                    .map(|(row, change)| (row, change.saturating_neg()))
                    .collect();
                let lost = named(losses, difference(from_bytes, to_bytes));
                lost.into_iter().map(|(row, change)| (row, change.saturating_neg())).collect()
            }
            MovementKind::Level => {
                let least = 2.0 * LEVEL * self.peak();
                let mut moved = changes;
                moved.retain(|(_, change)| change.unsigned_abs() as f64 >= least);
                moved.sort_by_key(|&(row, change)| (std::cmp::Reverse(change.unsigned_abs()), row));
                moved.truncate(MOST_NAMED);
                moved
            }
        };
        let moved = |(row, change)| Moved { row, label: slice.label(row).to_owned(), change };
        Movement {
            kind: piece.kind,
            from: slice.when(from),
            to: slice.when(to),
            from_sample: slice.number(from),
            to_sample: slice.number(to),
            from_bytes,
            to_bytes,
            floor: piece.floor.is_some(),
            bands: named.into_iter().map(moved).collect(),
        }
    }
}

/// How many more bytes one number is than another, as far as that can be written.
fn difference(to: u64, from: u64) -> i64 {
    let most = i128::from(i64::MAX);
    (i128::from(to) - i128::from(from)).clamp(-most, most) as i64
}

/// How much each row gained between two samples, if it takes part.
pub(super) fn changes(slice: &Slice<'_>, from: usize, to: usize) -> Vec<(RowId, i64)> {
    let mut gained = vec![0i64; slice.rows().len()];
    let mut merger = Merger::new(slice);
    for (row, size) in merger.sample(from) {
        let gained = &mut gained[row.index()];
        *gained = gained.saturating_sub_unsigned(size.get());
    }
    for (row, size) in merger.sample(to) {
        let gained = &mut gained[row.index()];
        *gained = gained.saturating_add_unsigned(size.get());
    }
    let changed = slice.rows().zip(gained).filter(|(_, change)| *change != 0);
    changed.filter(|(row, _)| slice.is_selected(*row)).collect()
}

/// Those that gained most, until they make most of a gain.
fn named(mut gains: Vec<(RowId, i64)>, gain: i64) -> Vec<(RowId, i64)> {
    gains.retain(|(_, change)| *change > 0);
    gains.sort_by_key(|&(row, change)| (std::cmp::Reverse(change), row));
    let mut covered = 0.0;
    let is_wanted = |(_, change): &(RowId, i64)| {
        let wanted = covered < NAMED * gain as f64;
        covered += *change as f64;
        wanted
    };
    gains.into_iter().take_while(is_wanted).take(MOST_NAMED).collect()
}

/// Two samples, by their places in a [`JudgedHeap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PieceEnds {
    from: usize,
    to: usize,
}

/// A straight piece of a curve, by places of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    kind: MovementKind,
    from: usize,
    to: usize,
    /// Where the curve has the lowest values at its ends, if it is a sawtooth.
    floor: Option<PieceEnds>,
}

fn direction(change: f64, highest: f64) -> MovementKind {
    match change {
        change if change.abs() < LEVEL * highest => MovementKind::Level,
        change if change > 0.0 => MovementKind::Rise,
        _ => MovementKind::Fall,
    }
}

/// The pieces of a curve, in their order: each begins where the one before it ends.
fn pieces(total: &[f64]) -> Vec<Piece> {
    if let Some(floor) = growth::floor(total) {
        return of_floor(total, &floor);
    }
    let judged = before_exit(total);
    let curve = &total[..judged];
    let points = condensed(curve, POINTS);
    let mut ends = vec![0];
    for at in breaks(&points.values) {
        let (end, next) = (points.at[at], points.at[at + 1]);
        // A step is a movement of its own, between two samples.
        let steps = end..next;
        let step = steps.max_by(|&a, &b| jump(curve, a).total_cmp(&jump(curve, b))).unwrap_or(end);
        match jump(curve, step) >= LEVEL * highest(curve) {
            true => ends.extend([step, step + 1]),
            false => ends.push(end),
        }
    }
    ends.push(judged.saturating_sub(1));
    turn(curve, &mut ends);
    // What the program lets go of at its exit is a movement, however short.
    if judged < total.len() {
        ends.push(total.len() - 1);
    }
    ends.dedup();
    joined(total, &ends)
}

/// The same of a sawtooth. Its first and last floor stand for the whole stretch in which they are the lowest.
fn of_floor(total: &[f64], floor: &CurvePoints) -> Vec<Piece> {
    let mut ends = vec![0];
    ends.extend(breaks(&floor.values));
    ends.push(floor.at.len() - 1);
    ends.dedup();
    let shown = |end: usize| match end {
        0 => 0,
        end if end + 1 == floor.at.len() => total.len() - 1,
        end => floor.at[end],
    };
    let piece = |piece: Piece| Piece {
        kind: piece.kind,
        from: shown(piece.from),
        to: shown(piece.to),
        floor: Some(PieceEnds { from: floor.at[piece.from], to: floor.at[piece.to] }),
    };
    joined(&floor.values, &ends).into_iter().map(piece).collect()
}

/// The pieces between some places of a curve; two in one direction are one if they are about as steep.
fn joined(curve: &[f64], ends: &[usize]) -> Vec<Piece> {
    let highest = highest(curve);
    let steep =
        |piece: &Piece| (curve[piece.to] - curve[piece.from]) / (piece.to - piece.from) as f64;
    let mut pieces: Vec<Piece> = Vec::new();
    for pair in ends.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let kind = direction(curve[to] - curve[from], highest);
        let next = Piece { kind, from, to, floor: None };
        match pieces.last_mut() {
            Some(last) if last.kind == kind && are_alike(kind, steep(last), steep(&next)) => {
                let joined = direction(curve[to] - curve[last.from], highest);
                (last.to, last.kind) = (to, joined);
            }
            _ => pieces.push(next),
        }
    }
    if pieces.is_empty() {
        let to = curve.len().saturating_sub(1);
        pieces.push(Piece { kind: MovementKind::Level, from: 0, to, floor: None });
    }
    pieces
}

fn are_alike(kind: MovementKind, a: f64, b: f64) -> bool {
    let (flat, steep) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
    kind == MovementKind::Level || steep < STEEPER * flat
}

fn jump(curve: &[f64], at: usize) -> f64 {
    (curve[at + 1] - curve[at]).abs()
}

/// Moves each inner end to the sample where the curve turns. Between a rise and a fall, that is the highest nearby,
/// and between a fall and a rise the lowest: half of the piece on either side is near. Beside a level piece, it is
/// the last sample of that level.
fn turn(curve: &[f64], ends: &mut [usize]) {
    use MovementKind::{Fall, Level, Rise};
    let highest = highest(curve);
    for i in 1..ends.len().saturating_sub(1) {
        let (before, at, after) = (ends[i - 1], ends[i], ends[i + 1]);
        let kind = |from: usize, to: usize| direction(curve[to] - curve[from], highest);
        let near = at - (at - before) / 2..=at + (after - at) / 2;
        let by = |a: &usize, b: &usize| curve[*a].total_cmp(&curve[*b]);
        let is_level = |&to: &usize| (curve[to] - curve[at]).abs() < WORTH * highest;
        ends[i] = match (kind(before, at), kind(at, after)) {
            (Rise, Fall) => near.max_by(by).unwrap_or(at),
            (Fall, Rise) => near.min_by(by).unwrap_or(at),
            (Level, Rise | Fall) => (at..after).take_while(is_level).last().unwrap_or(at),
            (Rise | Fall, Level) => {
                (before + 1..=at).rev().take_while(is_level).last().unwrap_or(at)
            }
            (Rise, Rise) | (Fall, Fall) | (Level, Level) => at,
        };
    }
}

/// Where the straight pieces that fit some values best end, without the last one.
fn breaks(values: &[f64]) -> Vec<usize> {
    let n = values.len();
    let most = MOST_PIECES.min(n / FEWEST_POINTS);
    if most < 2 {
        return Vec::new();
    }
    let fits = Fits::new(values);
    // The least squares that are left by so many pieces up to each point, and where the last of them begins.
    let mut left = vec![vec![f64::INFINITY; n]; most + 1];
    let mut begins = vec![vec![0; n]; most + 1];
    for (to, left) in left[1].iter_mut().enumerate().skip(FEWEST_POINTS - 1) {
        *left = fits.left(0, to);
    }
    for pieces in 2..=most {
        for to in pieces * FEWEST_POINTS - 1..n {
            for begin in (pieces - 1) * FEWEST_POINTS..=to + 1 - FEWEST_POINTS {
                let squares = left[pieces - 1][begin - 1] + fits.left(begin, to);
                if squares < left[pieces][to] {
                    (left[pieces][to], begins[pieces][to]) = (squares, begin);
                }
            }
        }
    }
    let height = (highest(values) - lowest(values)) / highest(values).max(1.0);
    let floor = n as f64 * (WORTH * height) * (WORTH * height);
    let cost = |pieces: &usize| {
        let mean = (left[*pieces][n - 1] + floor) / n as f64;
        n as f64 * libm::log(mean.max(f64::MIN_POSITIVE))
            + 4.0 * *pieces as f64 * libm::log(n as f64)
    };
    let best = (1..=most).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(1);
    let (mut found, mut to) = (Vec::new(), n - 1);
    for pieces in (2..=best).rev() {
        to = begins[pieces][to] - 1;
        found.push(to);
    }
    found.reverse();
    found
}
