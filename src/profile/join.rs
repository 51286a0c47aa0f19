//! Joins two files of one run: adds the contents of a report (`.prof`) to a heap profile.
//!
//! A report spells out what the heap profile has only as numbers: the stack of `(12)f/main` in a
//! `.hp`, and the retainer sets of the last census. Nothing is taken from a report unless the two are
//! known to belong to one run: programs and arguments must agree, and so must every number that both
//! have.

use foldhash::HashMap;
use thiserror::Error;

use super::band::numbered;
use super::retainer_sets::whole_characters;
use super::{BandId, BandKey, BandNames, CallId, Calls, CostCentres, Metadata, Profile, Source};
use crate::base::units::count;
use crate::incident::Condition;

/// How many bytes of a stack's text are compared.
const LONGEST: usize = 1 << 16;

/// What a report adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Joined {
    /// Bands whose stack is known in full.
    pub stacks: usize,
    /// Retainer sets of the last census.
    pub sets: usize,
    /// Whether the report added time, allocation or entries by stack.
    pub calls: bool,
}

/// Why a report does not belong to the run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum OtherRun {
    #[error("it is not a report of a run (.prof)")]
    NoReport,
    #[error("its program is `{theirs}`, and that of the heap profile `{ours}`")]
    Program { ours: String, theirs: String },
    #[error("{wrong} of {of} stacks have other names in it")]
    Stacks { wrong: usize, of: usize },
    /// Too many of its cost centres are not in the log: the program was built again in between.
    #[error("{unknown} of its {of} cost centres are not in the log")]
    Centres { unknown: usize, of: usize },
    #[error("{} of the last sample {} not among its sets", count(*.wrong, "retainer set"), if *.wrong == 1 { "is" } else { "are" })]
    Sets { wrong: usize },
    #[error("it has {theirs} censuses, and the log {ours}")]
    Censuses { ours: usize, theirs: usize },
    #[error("it counts {theirs} ticks, and the log {ours}")]
    Ticks { ours: u64, theirs: u64 },
}

impl Profile {
    /// Adds the data that only a report of the same run contains.
    ///
    /// # Errors An error if the report belongs to another run; then nothing is taken.
    #[doc(hidden)]
    pub fn join_report(&mut self, report: Profile) -> Result<Joined, OtherRun> {
        if report.source != Source::Prof || self.source == Source::Prof {
            return Err(OtherRun::NoReport);
        }
        same_program(&self.metadata, &report.metadata)?;
        let stacks = self.stacks_in(&report)?;
        let sets = self.sets_in(&report)?;
        self.same_ticks(&report)?;
        self.same_centres(&report)?;
        let mut joined = Joined { sets, ..Joined::default() };
        if sets > 0 {
            self.retainers = report.retainers;
        }
        joined.calls = !report.calls.is_empty();
        if joined.calls && self.cost_centres.is_empty() && self.calls.is_empty() {
            joined.stacks = self.bands.expand(|band| stacks.get(&band).cloned());
            let Profile { calls, cost_centres, .. } = report;
            if joined.stacks > 0 {
                self.bands.relabel_stacks(|ids| cost_centres.stack_text(ids, LONGEST));
            }
            (self.calls, self.cost_centres) = (calls, cost_centres);
            self.anatomy = Default::default();
        } else if joined.calls {
            let here = self.cost_centres.adopt(report.cost_centres);
            self.calls.add_counts(report.calls, &here);
        }
        Ok(joined)
    }

    /// The stacks for the numbers in front of bands, innermost first.
    fn stacks_in(&self, report: &Profile) -> Result<HashMap<BandId, Box<[u32]>>, OtherRun> {
        let mut stacks = HashMap::default();
        if self.breakdown.traits().names != BandNames::Stacks || report.calls.is_empty() {
            return Ok(stacks);
        }
        let nodes = by_number(&report.calls);
        let (mut wrong, mut of) = (0, 0);
        for band in self.bands.ids() {
            let BandKey::Name(_) = self.bands.key(band) else { continue };
            let Some((number, text)) = numbered(self.bands.label(band)) else { continue };
            // Some stacks of the run-time system have no row in a report.
            let Some(&node) = nodes.get(&number) else { continue };
            let mut ids = report.calls.path(node);
            ids.reverse();
            of += 1;
            match is_text_of(text, &ids, &report.cost_centres) {
                true => _ = stacks.insert(band, ids.into()),
                false => wrong += 1,
            }
        }
        if wrong > 0 { Err(OtherRun::Stacks { wrong, of }) } else { Ok(stacks) }
    }

    /// How many sets of the report belong to the last sample; 0 if it has no sets.
    fn sets_in(&self, report: &Profile) -> Result<usize, OtherRun> {
        let sets = &report.retainers.sets;
        if self.breakdown.traits().names != BandNames::RetainerSets || sets.is_empty() {
            return Ok(0);
        }
        let (ours, theirs) = (self.samples.len(), report.retainers.censuses);
        // A `.hp` also has samples that are not a census, and in a cut log some are missing.
        let is_whole = self.source == Source::Eventlog && self.condition() == Condition::Whole;
        if is_whole && ours != theirs {
            return Err(OtherRun::Censuses { ours, theirs });
        }
        let is_empty = |&at: &usize| self.samples.points(at).next().is_none();
        let Some(last) = (0..self.samples.len()).rev().find(|at| !is_empty(at)) else {
            return Ok(0);
        };
        let wrong = self.samples.points(last).filter(|&(band, _)| {
            // MANY has no number and is never spelled out.
            let Some((number, text)) = numbered(self.bands.label(band)) else { return false };
            let set = sets.iter().find(|set| set.number == number);
            !set.is_some_and(|set| set.has_text(text))
        });
        match wrong.count() {
            0 => Ok(sets.len()),
            wrong => Err(OtherRun::Sets { wrong }),
        }
    }

    /// A log defines all cost centres of its program. A few rows of a report may be damaged.
    fn same_centres(&self, report: &Profile) -> Result<(), OtherRun> {
        let of = report.cost_centres.len();
        if self.cost_centres.is_empty() || self.condition() != Condition::Whole {
            return Ok(());
        }
        match self.cost_centres.unknown_of(&report.cost_centres) {
            unknown if unknown * 10 > of => Err(OtherRun::Centres { unknown, of }),
            _ => Ok(()),
        }
    }

    /// A log and the report of one run count the same ticks.
    fn same_ticks(&self, report: &Profile) -> Result<(), OtherRun> {
        let (ours, theirs) = (ticks_of_the_program(self), ticks_of_the_program(report));
        match self.calls.is_empty() || report.calls.total_ticks.is_none() || ours == theirs {
            true => Ok(()),
            false => Err(OtherRun::Ticks { ours, theirs }),
        }
    }
}

/// Ticks outside the stacks that `-p` leaves out. The header of a report that leaves them out states
/// this number; its rows may be rounded.
fn ticks_of_the_program(profile: &Profile) -> u64 {
    let calls = &profile.calls;
    let left_out: u64 = calls.left_out(&profile.cost_centres).map(|node| node.ticks).sum();
    let all = calls.total_ticks.map_or_else(|| calls.sum_of_ticks(), u128::from);
    u64::try_from(all).unwrap_or(u64::MAX).saturating_sub(left_out)
}

fn by_number(calls: &Calls) -> HashMap<u64, CallId> {
    let numbered = calls.ids().zip(&calls.nodes);
    numbered.filter_map(|(id, node)| Some((node.number?, id))).collect()
}

/// Whether a text is that of a stack. It may be cut, even inside a character.
fn is_text_of(text: &str, ids: &[u32], centres: &CostCentres) -> bool {
    let full = centres.stack_text(ids, text.len());
    match text.strip_suffix("...") {
        Some(start) => full.starts_with(whole_characters(start)),
        None => full == text,
    }
}

/// Checks that programs and their own arguments are the same. Flags of the run-time system are not
/// compared, because they can come from elsewhere. A file that does not name its program is
/// accepted.
fn same_program(ours: &Metadata, theirs: &Metadata) -> Result<(), OtherRun> {
    let (Some(our_job), Some(their_job)) = (&ours.job, &theirs.job) else { return Ok(()) };
    let (our_words, their_words) = (own_words(our_job), own_words(their_job));
    if our_words.is_empty() || their_words.is_empty() || our_words == their_words {
        return Ok(());
    }
    let (ours, theirs) = (our_words.join(" "), their_words.join(" "));
    Err(OtherRun::Program { ours, theirs })
}

/// The program's name without its folder, and the arguments that are not for the run-time system.
fn own_words(job: &str) -> Vec<&str> {
    let mut for_rts = false;
    let mut words = Vec::new();
    for (i, word) in job.split_whitespace().enumerate() {
        match word {
            "+RTS" => for_rts = true,
            "-RTS" => for_rts = false,
            // Nothing after this is for the run-time system.
            "--RTS" => {}
            _ if for_rts => {}
            word if i == 0 => words.extend(word.rsplit(['/', '\\']).next()),
            word => words.push(word),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Nanos;
    use crate::incident::End;
    use crate::profile::{Breakdown, CallNode, CostCentre, ProfileBuilder, RetainerSet};

    #[test]
    fn the_flags_of_the_run_time_system_are_not_compared() {
        assert_eq!(own_words("/opt/p 13 +RTS -hr -l -RTS x"), ["p", "13", "x"]);
        assert_eq!(own_words("p +RTS -P -hr -RTS 13 x"), ["p", "13", "x"]);
        let metadata = |job: &str| Metadata { job: Some(job.to_owned()), ..Metadata::default() };
        let same = |a: &str, b: &str| same_program(&metadata(a), &metadata(b)).is_ok();
        assert!(same("p 13 +RTS -hr", "p +RTS -hr -RTS 13"));
        assert!(!same("p 13 +RTS -hr", "p +RTS -hr -RTS 14"));
        assert!(!same("p +RTS -hr", "q +RTS -hr -RTS"));
        assert!(same_program(&metadata("p"), &Metadata::default()).is_ok());
        assert!(same("", "p") && same("p", " "));
    }

    #[test]
    fn only_bands_of_cost_centres_get_stacks_and_only_from_calls() {
        let named = |name: &str, breakdown, calls: bool| {
            let mut bands = ProfileBuilder::new(Source::Hp);
            bands.declare_breakdown(breakdown);
            bands.sample(0, [(name, 8)]);
            let mut report = ProfileBuilder::new(Source::Prof);
            report.define_cost_centre(1, CostCentre::new("f", "Main", ""));
            if calls {
                report.define_cost_centre(2, CostCentre::new("MAIN", "MAIN", ""));
                let root = report.call(None, 2, CallNode::default()).unwrap();
                let counts = CallNode { number: Some(12), ..CallNode::default() };
                report.call(Some(root), 1, counts).unwrap();
            }
            bands.finish().join_report(report.finish()).map(|joined| (joined.stacks, joined.calls))
        };
        let joined = |breakdown, calls| named("(12)f", breakdown, calls);
        let wrong = named("(12)g", Breakdown::CostCentre, true);
        assert_eq!(wrong, Err(OtherRun::Stacks { wrong: 1, of: 1 }));
        assert_eq!(joined(Breakdown::CostCentre, true).unwrap(), (1, true));
        assert_eq!(joined(Breakdown::ClosureType, true).unwrap(), (0, true));
        assert_eq!(joined(Breakdown::CostCentre, false).unwrap(), (0, false));
    }

    #[test]
    fn the_sets_of_a_report_are_those_of_the_last_sample() {
        let joined = |(source, end): (Source, End), bands: &[&str], censuses: usize| {
            let mut log = ProfileBuilder::new(source);
            log.declare_breakdown(Breakdown::Retainer);
            for band in bands {
                log.sample(0, [(band, 8)]);
            }
            log.seal_sample(Nanos::ZERO);
            log.incidents.end(end);
            let mut report = ProfileBuilder::new(Source::Prof);
            for (number, name) in [(1, "Main.f"), (2, "Main.g")] {
                let retainers = vec![vec![name.to_owned()]];
                report.retainer_set(RetainerSet { number, retainers });
            }
            (0..censuses).for_each(|_| report.retainers.censuses += 1);
            let mut log = log.finish();
            log.join_report(report.finish()).map(|joined| {
                assert_eq!(log.retainers.sets.len(), joined.sets);
                joined.sets
            })
        };
        let whole = (Source::Eventlog, End::Clean);
        assert_eq!(joined(whole, &["(1)g", "(2)g"], 3), Ok(2), "only the last counts");
        assert_eq!(joined(whole, &["MANY"], 2), Ok(2));
        assert_eq!(joined(whole, &["(1)g"], 2), Err(OtherRun::Sets { wrong: 1 }));
        assert_eq!(joined(whole, &["(3)f"], 2), Err(OtherRun::Sets { wrong: 1 }));
        assert_eq!(joined(whole, &["(1)f"], 3), Err(OtherRun::Censuses { ours: 2, theirs: 3 }));
        for cut in [(Source::Eventlog, End::NoEndMark), (Source::Hp, End::Clean)] {
            assert_eq!(joined(cut, &["(1)f"], 3), Ok(2));
        }
        assert_eq!(joined(whole, &[], 1), Ok(0));
    }
}
