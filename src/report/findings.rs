//! The findings of the analysis, with the numbers that bands have in the page.

use serde::Serialize;

use super::bands::PageBands;
use crate::analysis::{After, Analysis, Climb, Leak, Phase, Suspect};
use crate::base::units::{Nanos, UnitSystem};
use crate::incident::error::visible;

/// The verdict.
#[derive(Serialize)]
pub struct VerdictFacts {
    leak: Leak,
    /// The grade in words.
    words: &'static str,
    /// Whether the program is still running.
    so_far: bool,
    /// The statement if it has no amount: that nothing grows, or that there are too few samples.
    fact: Option<String>,
    next: Option<String>,
    grew: u64,
    rate: f64,
    growing: usize,
    suspects: Vec<SuspectFacts>,
    climbs: Vec<ClimbFacts>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct SuspectFacts {
    /// `None` if it is not a band of the page.
    band: Option<u32>,
    label: String,
    grew: u64,
    share: f64,
    rate: f64,
    since: usize,
    at_end: u64,
    kind: Option<&'static str>,
    place: Option<String>,
}

#[derive(Serialize)]
struct ClimbFacts {
    band: Option<u32>,
    label: String,
    rose: u64,
    from: usize,
    to: usize,
    after: After,
}

/// A part of the run between two markers.
#[derive(Serialize)]
pub struct PhaseFacts {
    label: Option<String>,
    from: Nanos,
    to: Nanos,
    samples: usize,
    mean: f64,
    peak: f64,
    growth: f64,
    gained: Option<(Option<u32>, String, u64)>,
}

/// The verdict as data of the page.
pub fn verdict(analysis: &Analysis, bands: &PageBands, units: UnitSystem) -> VerdictFacts {
    let verdict = &analysis.verdict;
    VerdictFacts {
        leak: verdict.leak,
        words: verdict.grade(),
        so_far: verdict.is_so_far(),
        fact: (verdict.leak < Leak::Possible).then(|| verdict.fact(units)),
        next: verdict.next_step(),
        grew: verdict.grew,
        rate: verdict.rate,
        growing: verdict.growing,
        suspects: verdict.suspects.iter().map(|suspect| suspect_facts(suspect, bands)).collect(),
        climbs: verdict.climbs.iter().map(|climb| climb_facts(climb, bands)).collect(),
        remarks: verdict.remarks.iter().map(|remark| visible(&remark.text(units))).collect(),
    }
}

fn suspect_facts(suspect: &Suspect, bands: &PageBands) -> SuspectFacts {
    SuspectFacts {
        band: suspect.row.and_then(|row| bands.place[row]),
        label: visible(&suspect.label),
        grew: suspect.grew,
        share: suspect.share_percent,
        rate: suspect.rate,
        since: suspect.since_sample,
        at_end: suspect.at_end,
        kind: suspect.kind.map(|kind| kind.words()),
        place: suspect.place.as_deref().map(visible),
    }
}

fn climb_facts(climb: &Climb, bands: &PageBands) -> ClimbFacts {
    ClimbFacts {
        band: bands.place[climb.row],
        label: visible(&climb.label),
        rose: climb.rose,
        from: climb.samples.0,
        to: climb.samples.1,
        after: climb.after,
    }
}

/// The phases of the run; `label` returns the label of a row.
pub fn phases(
    analysis: &Analysis,
    bands: &PageBands,
    label: impl Fn(usize) -> String,
) -> Vec<PhaseFacts> {
    let one = |phase: &Phase| PhaseFacts {
        label: phase.label.as_deref().map(visible),
        from: phase.from,
        to: phase.to,
        samples: phase.samples,
        mean: phase.mean as f64,
        peak: phase.peak as f64,
        growth: phase.growth,
        gained: phase.gained.map(|(row, bytes)| (bands.place[row], visible(&label(row)), bytes)),
    };
    analysis.phases.iter().map(one).collect()
}

/// The rows that the findings name: a page contains all of them.
pub fn rows(analysis: &Analysis) -> impl Iterator<Item = usize> {
    let suspects = analysis.verdict.suspects.iter().filter_map(|suspect| suspect.row);
    let climbs = analysis.verdict.climbs.iter().map(|climb| climb.row);
    let gained = analysis.phases.iter().filter_map(|phase| phase.gained.map(|(row, _)| row));
    suspects.chain(climbs).chain(gained)
}
