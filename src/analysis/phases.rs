//! The phases of a run: from one marker to the next.

use serde::Serialize;

use super::story::BandChange;
use super::story::changes;
use crate::base::units::Nanos;
use crate::slice::Slice;

/// A part of the run between two markers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Phase {
    /// The text of the marker that it begins with; `None` for what comes before the first.
    pub label: Option<String>,
    /// When it begins: at the marker, or with the first sample.
    #[serde(rename = "from_ns")]
    pub from: Nanos,
    /// When it ends: at the next marker, or with the last sample.
    #[serde(rename = "to_ns")]
    pub to: Nanos,
    /// How many samples it has. Phases without samples are left out.
    pub samples: usize,
    /// The mean heap over its samples, in bytes.
    pub mean: u128,
    /// The highest heap in it, in bytes.
    pub peak: u128,
    /// How fast the heap grew from its first sample to its last: bytes a second.
    #[serde(skip)]
    pub growth: f64,
    /// What gained most from its first sample to its last.
    pub gained: Option<BandChange>,
}

/// The most phases of a run: this many markers are not meant for people.
pub const MOST_PHASES: usize = 200;

/// The phases of a run; empty if it has no markers.
pub fn phases(slice: &Slice<'_>, total: &[u128]) -> Vec<Phase> {
    let mut edges: Vec<(Option<String>, Nanos)> =
        slice.phase_starts().take(MOST_PHASES).map(|m| (Some(m.label.clone()), m.time)).collect();
    let (Some(first), Some(last)) = (slice.when(0), slice.when(slice.len().wrapping_sub(1))) else {
        return Vec::new();
    };
    if edges.is_empty() {
        return Vec::new();
    }
    edges.insert(0, (None, first.min(edges[0].1)));
    let axis = slice.axis();
    let mut out = Vec::new();
    let mut sample = 0;
    for (i, (label, from)) in edges.iter().enumerate() {
        let to = edges.get(i + 1).map(|(_, time)| *time);
        let start = sample;
        let is_in = |time: Nanos| to.is_none_or(|to| time < to);
        while sample < slice.len() && slice.when(sample).is_some_and(is_in) {
            sample += 1;
        }
        let inside = &total[start..sample];
        if let Some(&peak) = inside.iter().max() {
            out.push(Phase {
                label: label.clone(),
                from: *from,
                to: to.unwrap_or(last).max(*from),
                samples: inside.len(),
                mean: inside.iter().sum::<u128>() / inside.len() as u128,
                peak,
                growth: growth(&axis[start..sample], inside),
                gained: gained(slice, start, sample - 1),
            });
        }
    }
    out
}

/// How fast the heap grew from the first to the last of some samples: bytes a second.
fn growth(axis: &[f64], total: &[u128]) -> f64 {
    let (Some((first, last)), n) = (axis.first().zip(axis.last()), total.len()) else { return 0.0 };
    let gain = total[n - 1] as f64 - total[0] as f64;
    if last > first { gain / (last - first) } else { 0.0 }
}

/// The row that gained most between two samples.
fn gained(slice: &Slice<'_>, from: usize, to: usize) -> Option<BandChange> {
    let gains = changes(slice, from, &[to]).into_iter().filter(|(_, change)| *change > 0);
    let (row, change) = gains.max_by_key(|&(row, change)| (change, std::cmp::Reverse(row)))?;
    Some(BandChange { row, label: slice.label(row).to_owned(), change })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{marked, profile};
    use crate::slice::Slice;

    #[test]
    fn a_phase_reaches_from_its_marker_to_the_next() {
        let run = marked(
            &[
                (0.5, &[("a", 10)]),
                (1.5, &[("a", 10), ("b", 20)]),
                (2.5, &[("a", 60), ("b", 10)]),
                (4.5, &[("b", 40)]),
            ],
            &[(1.0, "load"), (3.0, "idle"), (3.5, "solve")],
        );
        let slice = Slice::whole(&run);
        let total = crate::analysis::figures::Totals::new(&slice).all;
        let phases = phases(&slice, &total);
        let seen: Vec<_> = phases
            .iter()
            .map(|p| {
                (
                    p.label.as_deref(),
                    p.samples,
                    p.mean,
                    p.peak,
                    p.gained.as_ref().map(|gain| (&*gain.label, gain.change)),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                (None, 1, 10, 10, None),
                (Some("load"), 2, 50, 70, Some(("a", 50))),
                (Some("solve"), 1, 40, 40, None),
            ]
        );
        let courses: Vec<_> =
            phases.iter().map(|p| (p.from.as_seconds(), p.to.as_seconds(), p.growth)).collect();
        assert_eq!(courses, [(0.5, 1.0, 0.0), (1.0, 3.0, 40.0), (3.5, 4.5, 0.0)]);
    }

    #[test]
    fn a_run_without_markers_has_no_phases() {
        let run = profile(&[(0.5, &[("a", 10)])]);
        assert!(phases(&Slice::whole(&run), &[10]).is_empty());
    }
}
