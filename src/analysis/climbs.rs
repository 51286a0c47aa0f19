//! Climbs: bands that rose steadily for a fifth of the run or more and then fell or stayed level, as
//! later samples show. They are not leaks at the end, but readers want to know about them. They are
//! reported, and no check fails because of them. Bands that rise in this way to the end are reported,
//! too, where the verdict does not accuse them.

use super::curve::{Curve, blocks};
use super::growth::{climbs_by_chance, drift};
use super::robust::{ascending, median_of};
use super::verdict::Candidate;

/// What happened after a climb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum After {
    /// It fell by most of the amount that it had risen.
    GivenBack,
    /// It stayed level.
    Level,
}

/// A rise that ended before the run did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rise {
    /// The row.
    pub row: usize,
    /// The number of bytes that it rose by.
    pub bytes: f64,
    /// The sample it began with.
    pub since: usize,
    /// Its highest sample, or the first one near that if the band stayed there.
    pub until: usize,
    /// What happened after it.
    pub after: After,
}

/// How much a band has to rise to be reported, in bytes.
fn least_rise(peak: f64) -> f64 {
    0.15 * peak
}

/// What bands that rose steadily did then, most bytes first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rises {
    /// Those that ended before the run did, as later samples show.
    pub ended: Vec<Rise>,
    /// The rows that still rise at the end, and by how many bytes they did.
    pub going_on: Vec<(usize, f64)>,
}

/// The rises of some bands over a run. `axis` is the time of each sample, of which the first `judged`
/// are before the exit, and `peak` is the highest residency of the heap.
pub fn rises(axis: &[f64], judged: usize, peak: f64, candidates: &[Candidate]) -> Rises {
    let mut found = Rises::default();
    for candidate in candidates {
        match rise(axis, judged, peak, candidate) {
            Some((rise, true)) => found.ended.push(rise),
            Some((rise, false)) => found.going_on.push((rise.row, rise.bytes)),
            None => {}
        }
    }
    found.ended.sort_by(|a, b| ascending(&b.bytes, &a.bytes));
    found.going_on.sort_by(|a, b| ascending(&b.1, &a.1));
    found
}

/// How a band rises, and whether that has ended.
fn rise(axis: &[f64], judged: usize, peak: f64, candidate: &Candidate) -> Option<(Rise, bool)> {
    let values = &candidate.values[..judged];
    // A band that never held this much cannot have risen by it; this rules out most bands.
    if values.iter().copied().fold(0.0, f64::max) < least_rise(peak) {
        return None;
    }
    let highest = (0..values.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    let low = values[..=highest].iter().copied().fold(f64::INFINITY, f64::min);
    let bytes = values[highest] - low;
    if bytes < least_rise(peak) || highest < 8 {
        return None;
    }
    let since = values[..=highest].iter().rposition(|&value| value <= low + 0.05 * bytes)?;
    let (end, run) = (axis[axis.len() - 1], axis[axis.len() - 1] - axis[0]);
    if axis[highest] - axis[since] < 0.2 * run || highest - since < 8 {
        return None;
    }
    let curve = Curve::new(&axis[since..=highest], &values[since..=highest]);
    let (strength, _) = drift(&blocks(&curve.times, &curve.values, 8))?;
    if strength < 3.0 || climbs_by_chance(&curve.values) > 0.02 {
        return None;
    }
    // The highest sample of a level band can be its last one; then what follows the first one near it
    // counts, without the exit.
    let shown = |until: usize, samples: usize, end: f64| {
        samples - until >= 4 && end - axis[until] >= run / 16.0
    };
    let near = values[since..].iter().position(|&value| value >= low + 0.95 * bytes)? + since;
    let (until, later, is_shown) = match shown(highest, axis.len(), end) {
        true => (highest, &candidate.values[highest..axis.len()], true),
        false => (near, &values[near..], shown(near, judged, axis[judged - 1])),
    };
    let lowest = later.iter().copied().fold(f64::INFINITY, f64::min);
    let after = if lowest < low + 0.3 * bytes { After::GivenBack } else { After::Level };
    let (first, second) = later.split_at(later.len() / 2);
    let gained = median_of(second.iter().copied()) - median_of(first.iter().copied());
    let ended = is_shown && (after == After::GivenBack || gained < 0.015 * bytes);
    Some((Rise { row: candidate.row, bytes, since, until, after }, ended))
}
