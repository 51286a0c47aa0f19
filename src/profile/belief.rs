//! Recognises impossible samples by the rest of the log.
//!
//! A damaged byte inside a sound event changes only a residency. So each sample is compared with
//! bounds that hold in every run: the address space of its heap, the heap figures of the collection
//! that took the census, and the size of a word, of which every residency is a multiple. An
//! impossible sample is left out completely, because without one of its bands it would look like a
//! fall. The bounds were measured on logs of GHC 8.2 to 9.10, in which no sample violates them.

use super::samples::Samples;
use super::series::Series;
use super::tally::Tally;
use super::{Breakdown, HeapFigure, ProfileBuilder, Source};
use crate::base::units::{Bytes, Nanos};
use crate::incident::{Impossible, Incident, What};

/// How many bytes a process can address on any machine that GHC compiles for.
const ADDRESS_SPACE: u64 = 1 << 47;

/// How much of it the run-time system reserves for the heap, unless it is given -xr.
const RESERVED: u64 = 1 << 40;

/// How much more than the live data a census may have in a heap of any size. At most 11 kB were seen in
/// 175 logs.
const CENSUS_SLACK: u64 = 1 << 16;

/// A megablock, the unit in which GHC takes memory from the system.
const MEGABLOCK: u64 = 1 << 20;

/// How long after a census its collection may end and log its figures. Less than 10 ms were seen.
const COLLECTION: Nanos = Nanos::from_nanos(10_000_000_000);

impl ProfileBuilder {
    /// Leaves out impossible heap figures and samples.
    pub(super) fn leave_out_the_impossible(&mut self) {
        if self.source != Source::Eventlog {
            return;
        }
        let heap = &mut self.heap;
        heap.of_mut(HeapFigure::Size).leave_out_spikes();
        let size = heap[HeapFigure::Size].clone();
        // In real logs, live data can be a few percent more than the heap's size at the same
        // collection.
        let most = |time| size.around(time).map_or(u64::MAX, a_quarter_more);
        for figure in [HeapFigure::Live, HeapFigure::Blocks] {
            heap.of_mut(figure).leave_out(|time, value| value > most(time));
        }
        let word = self.word();
        let space = self.address_space();
        let reasons: Vec<Option<Impossible>> = (0..self.samples.len())
            .map(|sample| {
                let Tally { sum, bits } = self.tallies.sealed[sample];
                if sum >= space {
                    Some(Impossible::AddressSpace)
                } else if bits % word != 0 {
                    Some(Impossible::Word)
                } else if sum > self.most_at(self.samples.times()[sample]) {
                    Some(Impossible::HeapFigures)
                } else {
                    None
                }
            })
            .collect();
        if reasons.iter().all(Option::is_none) {
            return;
        }
        for (sample, reason) in reasons.iter().enumerate() {
            if let &Some(why) = reason {
                let what = What::ImpossibleSample { total: self.tallies.sealed[sample].sum, why };
                self.incidents.note(Incident::new(what).when(self.samples.times()[sample]));
            }
        }
        self.samples.retain(|sample| reasons[sample].is_none());
    }

    /// The address space that the heap of the program could use.
    fn address_space(&self) -> u64 {
        let is_set = self.metadata.rts_flags().iter().any(|flag| flag.starts_with("-xr"));
        let size = self.heap[HeapFigure::Size].points.iter().map(|&(_, size)| size.get()).max();
        if is_set || size.is_some_and(|size| size >= RESERVED) { ADDRESS_SPACE } else { RESERVED }
    }

    /// The word size of which residencies are multiples, if the log shows it; 1 otherwise. Damage
    /// affects few samples, and a sample of few points may be a multiple by chance.
    fn word(&self) -> u64 {
        let samples = self.tallies.sealed.len();
        let points = self.samples.pushed();
        let holds = |word: u64| {
            let odd = self.tallies.sealed.iter().filter(|tally| tally.bits % word != 0).count();
            odd * 4 < samples && points >= 32
        };
        [8, 4].into_iter().find(|&word| holds(word)).unwrap_or(1)
    }

    /// The most that can be live in a census at this time, according to the log's own figures. The
    /// figures of the non-moving collector belong to another moment than its census.
    fn most_at(&self, time: Nanos) -> u64 {
        // A profile with a filter by biography has no times (`docs/format/eventlog.md#biography`).
        if self.metadata.filters.by_biography() && self.breakdown != Some(Breakdown::Biography) {
            return u64::MAX;
        }
        let nonmoving = self.metadata.rts_flags();
        let nonmoving = nonmoving.iter().any(|flag| matches!(*flag, "-xn" | "--nonmoving-gc"));
        if nonmoving || !self.runtime.nonmoving.is_empty() {
            return u64::MAX;
        }
        let live = self.heap[HeapFigure::Live].first_from(time);
        let live = live.filter(|&(at, _)| at.since(time) <= COLLECTION);
        // Old versions count complete pinned blocks in a census: up to a fifth more was seen.
        let by_live = live.map_or(u64::MAX, |(_, live)| a_quarter_more(live.get() + CENSUS_SLACK));
        by_live.min(self.heap[HeapFigure::Size].around(time).unwrap_or(u64::MAX))
    }

    /// Removes the bands that no sample names any more because their samples were left out.
    pub(super) fn forget_unused_bands(&mut self) {
        let mut used = vec![false; self.bands.len()];
        self.samples.all_points().for_each(|(band, _)| used[band.index()] = true);
        if self.samples.is_empty() || used.iter().all(|&used| used) {
            return;
        }
        let renumbered = self.bands.retain(|band| used[band.index()]);
        let mut samples = Samples::default();
        for sample in 0..self.samples.len() {
            for (band, size) in self.samples.points(sample) {
                if let Some(band) = renumbered[band.index()] {
                    samples.push_point(band, size);
                }
            }
            samples.seal(self.samples.times()[sample]);
        }
        self.samples = samples;
    }
}

fn a_quarter_more(bytes: u64) -> u64 {
    bytes.saturating_add(bytes / 4)
}

impl Series {
    /// The first point at or after a time.
    fn first_from(&self, time: Nanos) -> Option<(Nanos, Bytes)> {
        let at = self.points.partition_point(|&(point, _)| point < time);
        self.points.get(at).copied()
    }

    /// The greatest of the values around a time, plus a megablock. `None` if the log has no figure
    /// of the collection at that time, for example because a killed program lost the end of one
    /// buffer.
    fn around(&self, time: Nanos) -> Option<u64> {
        let at = self.points.partition_point(|&(point, _)| point < time);
        let &(next, _) = self.points.get(at)?;
        let near = &self.points[at.saturating_sub(1)..self.points.len().min(at + 2)];
        let most = near.iter().map(|&(_, value)| value.get()).max()?;
        (next.since(time) <= COLLECTION).then(|| most.saturating_add(MEGABLOCK))
    }

    /// Leaves out values beyond the address space and those for which `refuses` is true.
    fn leave_out(&mut self, refuses: impl Fn(Nanos, u64) -> bool) {
        self.points
            .retain(|&(time, value)| value.get() < ADDRESS_SPACE && !refuses(time, value.get()));
    }

    /// Leaves out single values that stand out from both their neighbours. Memory is given back to
    /// the system bit by bit, so the heap's size never falls like that.
    fn leave_out_spikes(&mut self) {
        self.leave_out(|_, _| false);
        let values: Vec<u64> = self.points.iter().map(|&(_, value)| value.get()).collect();
        let mut at = 0;
        self.points.retain(|_| {
            let value = values[at];
            let before = at.checked_sub(1).map(|before| values[before]);
            let after = values.get(at + 1).copied();
            at += 1;
            let most = before.into_iter().chain(after).max();
            most.is_none_or(|most| value / 4 <= most.max(MEGABLOCK))
        });
    }
}
