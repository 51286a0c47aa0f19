//! Climbs: bands that rose steadily for a fifth of the run or more and then fell or stayed level.
//! They are not leaks at the end, but readers want to know about them. They are reported, and no
//! check fails because of them.

use super::curve::{Curve, blocks};
use super::growth::{climbs_by_chance, drift};
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
    /// Its highest sample.
    pub until: usize,
    /// What happened after it.
    pub after: After,
}

/// How much a band has to rise to be reported, in bytes.
fn least_rise(peak: f64) -> f64 {
    0.15 * peak
}

/// The climbs of some bands over a run, most bytes first. `axis` is the time of each sample, and
/// `peak` is the highest residency of the heap.
pub fn climbs(axis: &[f64], peak: f64, candidates: &[Candidate]) -> Vec<Rise> {
    let mut found: Vec<Rise> =
        candidates.iter().filter_map(|candidate| climb(axis, peak, candidate)).collect();
    found.sort_by(|a, b| super::robust::ascending(&b.bytes, &a.bytes));
    found
}

fn climb(axis: &[f64], peak: f64, candidate: &Candidate) -> Option<Rise> {
    let values = &candidate.values[..axis.len()];
    // A band that never held this much cannot have risen by it; this rules out most bands.
    if values.iter().copied().fold(0.0, f64::max) < least_rise(peak) {
        return None;
    }
    let until = (0..values.len()).rev().max_by(|&a, &b| values[a].total_cmp(&values[b]))?;
    let low = values[..=until].iter().copied().fold(f64::INFINITY, f64::min);
    let bytes = values[until] - low;
    if bytes < least_rise(peak) || until < 8 {
        return None;
    }
    let since = values[..=until].iter().rposition(|&value| value <= low + 0.05 * bytes)?;
    let run = axis[axis.len() - 1] - axis[0];
    if axis[until] - axis[since] < 0.2 * run || until - since < 8 {
        return None;
    }
    let curve = Curve::new(&axis[since..=until], &values[since..=until]);
    let (strength, _) = drift(&blocks(&curve.times, &curve.values, 8))?;
    if strength < 3.0 || climbs_by_chance(&curve.values) > 0.02 {
        return None;
    }
    let lowest = values[until..].iter().copied().fold(f64::INFINITY, f64::min);
    let after = if lowest < low + 0.3 * bytes { After::GivenBack } else { After::Level };
    Some(Rise { row: candidate.row, bytes, since, until, after })
}
