//! What a picture marks of the rises of an account: brackets over the plot, and the floor of a sawtooth in it.
//!
//! A bracket begins where growth begins, ends higher, and contains no fall of more than a quarter of what it says was
//! gained; a rise with such a fall is several brackets. Of what rises under a sawtooth, a line through the lows is drawn
//! instead, with what they gained.

use crate::analysis::{Account, Manner, MoveKind, Rise, Who, lows};
use crate::base::sentence::{Sentence, say, size};
use crate::base::units::Nanos;
use crate::profile::ClosureKind;
use crate::slice::RowId;

/// A rise, as a bracket over the plot.
#[derive(Clone, Debug)]
pub(crate) struct Bracket {
    pub from: Nanos,
    pub to: Nanos,
    /// The band that rose, or that rose most; `None` if no band contains it.
    pub row: Option<RowId>,
    /// What it says, the longest form first: a picture shows the one that fits.
    pub words: Vec<Sentence>,
}

/// The lows of a sawtooth that rise, as a line in the plot with a bracket over it.
#[derive(Clone, Debug)]
pub(crate) struct Floor {
    /// Each low, in bytes.
    pub lows: Vec<(Nanos, u128)>,
    pub bracket: Bracket,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Marked {
    /// In the order of time.
    pub brackets: Vec<Bracket>,
    pub floor: Option<Floor>,
}

const MOST: usize = 5;
/// A smaller rise than this share of the first one has no bracket.
const WORTH: f64 = 0.25;
/// What falls by this share of a gain divides a rise; and by this share of its range, it is a tooth.
const FALL: f64 = 0.25;
const TOOTH: f64 = 0.3;
/// What gains less than this share has not begun to grow, unless it does so in this share of the time.
const BEGINS: f64 = 0.05;
const SOON: f64 = 0.2;

/// A curve that moves up and down more often has no brackets worth the time.
const DEPTH: usize = 64;

/// A curve by its times, or a part of it.
type Curve<'a> = &'a [(Nanos, f64)];

/// The lows of a sawtooth, what they gained, and the band that rose most.
type Lows = (Vec<(Nanos, f64)>, f64, Option<RowId>);

/// The curves by their times, empty ones of what is unknown.
type CurveOf<'a> = dyn Fn(Who, Option<ClosureKind>) -> Vec<(Nanos, f64)> + 'a;

/// Makes the bracket over a part of somebody's curve, with what was gained and the band that rose.
type MakeBracket<'a> = dyn Fn(Who, Curve<'_>, f64, Option<RowId>) -> Bracket + 'a;

fn gain(curve: Curve<'_>) -> f64 {
    curve.last().zip(curve.first()).map_or(0.0, |(last, first)| last.1 - first.1)
}

/// The greatest rise of a curve, or its greatest fall as a rise of what it lacks: its size, from where to where.
fn greatest(curve: Curve<'_>, sign: f64) -> (f64, usize, usize) {
    let (mut best, mut low) = ((0.0, 0, 0), 0);
    for (at, &(_, value)) in curve.iter().enumerate() {
        if sign * value < sign * curve[low].1 {
            low = at;
        }
        if sign * (value - curve[low].1) > best.0 {
            best = (sign * (value - curve[low].1), low, at);
        }
    }
    best
}

/// Whether a curve falls too deep on its way to be one rise.
fn is_divided(curve: Curve<'_>) -> bool {
    greatest(curve, -1.0).0 > FALL * gain(curve)
}

/// The parts of a curve that rise by so much without a fall that divides them, from where each begins to grow.
fn steady<'a>(curve: Curve<'a>, least: f64, depth: usize, found: &mut Vec<Curve<'a>>) {
    let (gain, from, to) = greatest(curve, 1.0);
    if gain < least || gain <= 0.0 || depth == 0 {
        return;
    }
    steady(&curve[..=from], least, depth - 1, found);
    let rise = &curve[from..=to];
    let (fall, top, low) = greatest(rise, -1.0);
    if fall > FALL * gain {
        for part in [&rise[..=top], &rise[top..=low], &rise[low..]] {
            steady(part, least, depth - 1, found);
        }
    } else {
        found.push(from_growth(rise));
    }
    steady(&curve[to..], least, depth - 1, found);
}

/// A rise from where it begins to grow: what is left of it may begin late, too.
fn from_growth(rise: Curve<'_>) -> Curve<'_> {
    let grows = rise.iter().position(|(_, bytes)| bytes - rise[0].1 > BEGINS * gain(rise));
    let begin = grows.unwrap_or(1).saturating_sub(1);
    let until = |at: usize| rise[at].0.since(rise[0].0).as_nanos() as f64;
    let is_soon = until(begin) <= SOON * until(rise.len() - 1);
    if is_soon { rise } else { from_growth(&rise[begin..]) }
}

impl Marked {
    /// What a picture marks of an account. `curve_of` has the curves by their times, empty ones of what is unknown, and
    /// `named` makes the words of what somebody gained, with the band that rose, the longest form first.
    pub fn new(
        account: &Account,
        curve_of: &CurveOf<'_>,
        named: &dyn Fn(Who, Option<RowId>, Sentence) -> Vec<Sentence>,
    ) -> Self {
        let told = account.told.as_ref().filter(|_| account.is_judged());
        // Lows that rise are drawn as a line, whoever makes them.
        let rose = account.floor.as_ref().filter(|one| one.kind == MoveKind::Rise);
        let under = account.grew_under_rounds().filter(|_| rose.is_none());
        let first = account.suspects.first().or(under).or(told);
        let times = first.and_then(|first| Some((first, first.since?, first.until?)));
        let Some((first, since, until)) = times else { return Marked::default() };
        let curve = curve_of(first.who, first.kind);
        let part = between(&curve, since, until);
        let bracket = |who: Who, part: Curve<'_>, gain: f64, row: Option<RowId>| {
            let amount = say!["+", size(gain.max(0.0) as u64)];
            let (from, to) = (part[0].0, part[part.len() - 1].0);
            Bracket { from, to, row, words: named(who, row, amount) }
        };
        let most = account.named.first().map(|band| band.row);
        let row = if first.who == Who::Heap { most } else { first.row() };
        // Of several that are accused, the words have what all of them gained, as the headline does.
        let (whose, amount) = match first.who {
            Who::Band(_) if account.suspects.len() > 1 => (Who::Heap, account.grew as f64),
            Who::Band(_) | Who::Heap | Who::Live | Who::Memory => (first.who, first.gain),
        };
        let least = WORTH * first.gain;
        let mut marked = Marked::default();
        let mut parts = Vec::new();
        // Of what has no deep fall, one part has nearly all.
        let is_one = !is_divided(part);
        steady(part, if is_one { gain(part) / 2.0 } else { least }, DEPTH, &mut parts);
        parts.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
        let lows = lows_in(account, first, curve_of, (part, amount, row), parts.len());
        if let Some((lows, gain, row)) = lows {
            let (from, to) = (lows[0].0, lows[lows.len() - 1].0);
            let words = named(whose, row, say!["lows +", size(gain as u64)]);
            let lows = lows.iter().map(|(at, bytes)| (*at, bytes.max(0.0) as u128)).collect();
            marked.floor = Some(Floor { lows, bracket: Bracket { from, to, row, words } });
        } else {
            let of = |part: &Curve<'_>| match is_one {
                true => bracket(whose, part, amount, row),
                false => bracket(first.who, part, gain(part), row),
            };
            let most = if is_one { 1 } else { MOST };
            marked.brackets.extend(parts.iter().take(most).map(of));
        }
        marked.add_others(account, &curve_of(Who::Heap, None), least, &bracket);
        marked
    }

    /// The brackets, that over the lows of a sawtooth first.
    pub fn all(&self) -> impl Iterator<Item = &Bracket> {
        self.floor.iter().map(|floor| &floor.bracket).chain(&self.brackets)
    }

    /// Adds the greatest other rises of the heap that lie beside what is marked.
    fn add_others(
        &mut self,
        account: &Account,
        all: Curve<'_>,
        least: f64,
        bracket: &MakeBracket<'_>,
    ) {
        let known: Vec<(Nanos, Nanos)> = self.all().map(|one| (one.from, one.to)).collect();
        let mut found: Vec<(f64, Bracket)> = Vec::new();
        for one in &account.movements {
            let (Some(since), Some(until)) = (one.since, one.until) else { continue };
            if one.kind != MoveKind::Rise || one.floor {
                continue;
            }
            let mut parts = Vec::new();
            steady(between(all, since, until), least, DEPTH, &mut parts);
            let row = one.bands.first().map(|band| band.row);
            let of = |part: &Curve<'_>| bracket(Who::Heap, part, gain(part), row);
            found.extend(parts.iter().map(|part| (gain(part), of(part))));
        }
        found.retain(|(_, one)| known.iter().all(|(from, to)| one.to <= *from || *to <= one.from));
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let room = MOST.saturating_sub(known.len());
        self.brackets.extend(found.into_iter().take(room).map(|(_, one)| one));
        self.brackets.sort_by_key(|one| one.from);
    }
}

/// The lows of what is told, if it is a sawtooth: of what is accused, or else of the floor, or of a heap that climbs with
/// more falls on its way than there may be brackets.
fn lows_in(
    account: &Account,
    first: &Rise,
    curve_of: &CurveOf<'_>,
    (part, amount, row): (Curve<'_>, f64, Option<RowId>),
    teeth: usize,
) -> Option<Lows> {
    let is_accused = !account.suspects.is_empty();
    let rose = account.floor.as_ref().filter(|one| one.kind == MoveKind::Rise && !is_accused);
    let curve = curve_of(first.who, first.kind);
    let (part, amount, row) = match rose {
        Some(floor) => {
            let row = floor.bands.first().map(|band| band.row);
            (between(&curve, floor.since?, floor.until?), floor.size() as f64, row)
        }
        None if is_accused && (first.manner == Manner::Floors || is_divided(part)) => {
            (part, amount, row)
        }
        None if first.who == Who::Heap && teeth > MOST => {
            let lows = floor_of(part);
            let (gained, from, to) = (gain(&lows), lows.first()?.0, lows.last()?.0);
            // Who made the teeth may have nothing of it.
            let of = |row| gain(between(&curve_of(Who::Band(row), None), from, to));
            let mut rows = account.named.iter().map(|band| band.row);
            let row = rows.find(|&row| of(row) >= gained / 2.0);
            return (gained >= WORTH * first.gain).then_some((lows, gained, row));
        }
        None => return None,
    };
    let lows = floor_of(part);
    (!lows.is_empty()).then_some((lows, amount, row))
}

/// The lows of a part of a curve, with its ends where they are lows.
fn floor_of(part: Curve<'_>) -> Vec<(Nanos, f64)> {
    let values: Vec<f64> = part.iter().map(|(_, bytes)| *bytes).collect();
    let ends = |of: fn(f64, f64) -> f64, from: f64| values.iter().copied().fold(from, of);
    let range = ends(f64::max, f64::MIN) - ends(f64::min, f64::MAX);
    let mut found = lows(&values, TOOTH * range);
    let last = values.len().saturating_sub(1);
    let near = |at: usize, low: usize| values[at] <= values[low] + TOOTH * range;
    if found.first().is_none_or(|&low| low > 0 && values[0] <= values[low]) && !values.is_empty() {
        found.insert(0, 0);
    }
    if found.last().is_some_and(|&low| low < last && near(last, low)) {
        found.push(last);
    }
    found.into_iter().map(|at| part[at]).collect()
}

/// The part of a curve between two times.
fn between(curve: Curve<'_>, from: Nanos, to: Nanos) -> Curve<'_> {
    let begin = curve.partition_point(|(time, _)| *time < from);
    let end = curve.partition_point(|(time, _)| *time <= to);
    &curve[begin.min(end)..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: &[f64]) -> Vec<(Nanos, f64)> {
        let time = |at: usize| Nanos::from_nanos(at as i64);
        values.iter().enumerate().map(|(at, &value)| (time(at), value)).collect()
    }

    #[test]
    fn a_bracket_begins_with_growth_and_contains_no_deep_fall() {
        for (values, expected) in [
            (&[0.0, 1.0, 2.0, 3.0][..], &[(0, 3)][..]),
            // Level at first.
            (&[5.0, 5.0, 5.0, 5.0, 9.0, 13.0], &[(3, 5)]),
            // A slow beginning, again and again.
            (&[0.0, 0.0, 0.9, 0.9, 1.8, 1.8, 19.0], &[(5, 6)]),
            // A fall of a quarter is in it; a deeper one divides it.
            (&[0.0, 6.0, 4.0, 8.0], &[(0, 3)]),
            (&[0.0, 6.0, 3.0, 8.0], &[(0, 1), (2, 3)]),
            // Two teeth, and one too small.
            (&[1.0, 9.0, 1.0, 3.5, 1.0, 9.0, 0.0], &[(0, 1), (4, 5)]),
            (&[4.0, 3.0, 2.0], &[]),
            (&[4.0], &[]),
        ] {
            let curve = curve(values);
            let mut found = Vec::new();
            steady(&curve, 3.0, DEPTH, &mut found);
            let ends = |part: &Curve<'_>| (part[0].0.as_nanos(), part[part.len() - 1].0.as_nanos());
            assert_eq!(found.iter().map(ends).collect::<Vec<_>>(), expected, "{values:?}");
        }
    }

    #[test]
    fn a_floor_goes_through_the_lows() {
        let teeth: Vec<f64> = (0..40).map(|i| f64::from(i % 10 * 10 + i / 10 * 4)).collect();
        let found = floor_of(&curve(&teeth));
        let found: Vec<(i64, f64)> = found.iter().map(|(at, low)| (at.as_nanos(), *low)).collect();
        assert_eq!(found, [(0, 0.0), (10, 4.0), (20, 8.0), (30, 12.0)]);
    }
}
