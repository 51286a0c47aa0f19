//! How decoders fill the call tree and the facts about a run from a report.

use super::builder::ProfileBuilder;
use super::calls::{CallId, CallNode, Exactness, PseudoStacks};
use super::cost_centre::CostCentre;
use super::metadata::Metadata;
use super::retainer_sets::RetainerSet;
use crate::base::units::Nanos;
use crate::incident::error::Error;
use crate::incident::limit::Limit;

/// The counts of one node of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallCounts {
    /// The run-time system's number of the stack, if the report has it.
    pub number: Option<u64>,
    /// How often the cost centre was pushed here.
    pub entries: u64,
    /// The node's own ticks.
    pub ticks: u64,
    /// The node's own bytes.
    pub alloc: u64,
}

impl ProfileBuilder {
    /// Records the words of the command line, and when the run ended, as a report states them.
    pub fn report_run(&mut self, words: &[String], date: Option<String>) {
        self.metadata.job = Some(Metadata::job_of(words));
        self.metadata.arguments = words.to_vec();
        self.metadata.date = date;
    }

    /// Records the totals in the header of a report: ticks, the length of a tick in microseconds,
    /// how many capabilities ticked, and bytes allocated.
    pub fn report_totals(&mut self, ticks: u64, tick_us: u64, capabilities: u32, alloc: u64) {
        self.calls.total_ticks = Some(ticks);
        self.calls.total_alloc = Some(alloc);
        self.calls.capabilities = Some(capabilities);
        self.calls.tick = Some(Nanos::from_unsigned_nanos(tick_us.saturating_mul(1000)));
    }

    /// Adds a node of a report below `parent`; the first of all is the root.
    ///
    /// # Errors
    /// [`Error::OverLimit`] beyond [`Limits`](super::Limits).
    pub fn call(
        &mut self,
        parent: Option<CallId>,
        centre: u32,
        counts: CallCounts,
    ) -> Result<CallId, Error> {
        let limit = self.limits().call_nodes;
        if self.calls.nodes().len() >= limit {
            return Err(too_many_calls(limit));
        }
        let CallCounts { number, entries, ticks, alloc } = counts;
        let parent = parent.unwrap_or(CallId::MAIN);
        let node = CallNode { parent, centre: Some(centre), number, entries, ticks, alloc };
        Ok(self.calls.push(node))
    }

    /// Whether the tree has a pseudo stack that `-p` would have left out.
    pub fn has_left_out_pseudo_stack(&self) -> bool {
        self.calls.nodes().iter().skip(1).any(|node| {
            let centre = node.centre.and_then(|id| self.cost_centre(id));
            node.parent == CallId::MAIN
                && centre.and_then(CostCentre::pseudo).is_some_and(|pseudo| pseudo.is_left_out())
        })
    }

    /// Records the length of a tick, as an event log declares it.
    pub fn tick_length(&mut self, length: Nanos) {
        self.calls.tick = Some(length);
    }

    /// Records a tick that found a capability in this stack, innermost first.
    ///
    /// # Errors
    /// [`Error::OverLimit`] beyond [`Limits`](super::Limits).
    pub fn tick(&mut self, time: Nanos, capability: u32, stack: &[u32]) -> Result<(), Error> {
        let limit = self.limits().call_nodes;
        let calls = &mut self.calls;
        calls.time = Exactness::Exact;
        calls.pseudo = PseudoStacks::Counted;
        calls.capabilities = calls.capabilities.max(Some(capability.saturating_add(1)));
        let mut at = calls.root(None, None);
        for &centre in stack.iter().rev() {
            at = match calls.child(at, centre) {
                Some(child) => child,
                None if calls.nodes().len() >= limit => return Err(too_many_calls(limit)),
                None => calls.add_child(at, centre),
            };
        }
        calls.nodes[at.index()].ticks += 1;
        if calls.ticks.len() < self.limits().ticks {
            self.calls.ticks.push((time, at));
        } else {
            let ticks = self.limits().ticks;
            self.over_limit(Limit::Ticks, ticks, "ticks");
        }
        Ok(())
    }

    /// Records that a retainer census was taken.
    pub fn retainer_census(&mut self) {
        self.retainers.censuses += 1;
    }

    /// Records a retainer set of the last census.
    pub fn retainer_set(&mut self, set: RetainerSet) {
        let limit = self.limits().bands;
        if self.retainers.sets.len() >= limit {
            return self.over_limit(Limit::Bands, limit, "retainer sets");
        }
        self.retainers.sets.push(set);
    }
}

fn too_many_calls(most: usize) -> Error {
    Error::OverLimit {
        limit: Limit::CallNodes,
        most,
        things: "different stacks in the time profile",
    }
}
