//! Ticky counters: how often each closure of the program was entered, and what it allocated.
//!
//! Batches are written after collections, but not at exit, so every sum covers the run only until
//! the last batch: a lower bound, down to a quarter of the true number.

use serde::Serialize;

use crate::base::units::Nanos;

/// One counter as the program defined it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TickyCounter {
    /// The address of the counter, by which batches refer to it.
    #[serde(skip)]
    pub id: u64,
    /// The name with its unique, kind and parent: `go9{v s53z} (Main) (fun) in r52n`.
    pub name: String,
    /// What it counts: `fun`, `thk`, `con` and so on; empty if the log does not state it.
    pub kind: String,
    /// How many arguments the closure takes.
    pub arity: u16,
    /// One letter for each argument.
    pub arguments: String,
    /// One letter for each free variable; empty if the log does not state them.
    pub free_variables: String,
    /// The address of its info table, if it has one.
    #[serde(skip)]
    pub info_table: Option<u64>,
}

impl TickyCounter {
    /// The name without the parts that change with every build: `go9{v s53z} (Main) (fun) in r52n`
    /// becomes `go9 (Main)`, and `Parse.Eval.simplify{v r141} (fun)` becomes `Parse.Eval.simplify`.
    pub fn label(&self) -> String {
        let Some((name, rest)) = self.name.split_once('{') else { return self.name.clone() };
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        // An exported name begins with its module; another has its module in the first of two
        // brackets.
        let mut brackets = after.split('(').skip(1).filter_map(|part| part.split(')').next());
        match (brackets.next(), brackets.next()) {
            (Some(module), Some(_)) => format!("{name} ({module})"),
            _ => name.to_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TickyCounts {
    /// How often it was entered; for a constructor, how many were built.
    pub entries: u64,
    /// Bytes that the code of the closure allocated.
    pub allocations: u64,
    /// Bytes of closures of this name that other code allocated. GHC's releases so far do not count
    /// them.
    pub allocated: u64,
}

impl TickyCounts {
    /// The sum of both; on overflow, the greatest number.
    #[must_use]
    pub fn plus(self, other: TickyCounts) -> TickyCounts {
        TickyCounts {
            entries: self.entries.saturating_add(other.entries),
            allocations: self.allocations.saturating_add(other.allocations),
            allocated: self.allocated.saturating_add(other.allocated),
        }
    }
}

/// What all counters counted since the previous batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TickyBatch {
    /// When it was written: after a collection.
    pub time: Nanos,
    /// Counts by the counter's id, in order of the file; counters that counted nothing are absent.
    pub counts: Vec<(u64, TickyCounts)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ticky {
    /// The counters, in order of their definition.
    pub counters: Vec<TickyCounter>,
    pub batches: Vec<TickyBatch>,
    pub(super) points: usize,
}

impl Ticky {
    /// The addresses of the info tables that counters name.
    pub(crate) fn tables(&self) -> impl Iterator<Item = u64> + '_ {
        self.counters.iter().filter_map(|counter| counter.info_table)
    }

    /// Whether there are neither counters nor batches.
    pub fn is_empty(&self) -> bool {
        self.counters.is_empty() && self.batches.is_empty()
    }

    /// Each counter that counted anything, with its sums until the last batch, in order of first
    /// appearance; a counter that was never defined has only its id.
    pub fn sums(&self) -> Vec<(TickyCounter, TickyCounts)> {
        let mut sums: indexmap::IndexMap<u64, TickyCounts> = indexmap::IndexMap::new();
        for &(id, counts) in self.batches.iter().flat_map(|batch| &batch.counts) {
            let sum = sums.entry(id).or_default();
            *sum = sum.plus(counts);
        }
        let defined: foldhash::HashMap<u64, &TickyCounter> =
            self.counters.iter().map(|counter| (counter.id, counter)).collect();
        let counter = |id| match defined.get(&id) {
            Some(&counter) => counter.clone(),
            None => TickyCounter { id, name: format!("?{id:#x}"), ..TickyCounter::default() },
        };
        sums.into_iter().map(|(id, counts)| (counter(id), counts)).collect()
    }
}
