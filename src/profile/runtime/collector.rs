//! How decoders fill the tables of the run-time system, within the limits.

use super::{BlockCensus, MemoryReturn, RunTime, SegmentCensus, TickyBatch, TickyCounts};
use crate::base::units::{Bytes, Nanos};
use crate::profile::{HeapSeriesKind, ProfileBuilder};

impl ProfileBuilder {
    /// Whether a table with `have` entries may have one more. Records an incident the first time it
    /// may not.
    pub(super) fn has_room(&mut self, have: usize) -> bool {
        let most = self.limits.runtime_events;
        let fits = have < most;
        if !fits {
            self.over_limit(most, "events of the run-time system");
        }
        fits
    }

    /// Adds entries to one of the tables.
    pub fn runtime_entries<T>(
        &mut self,
        table: impl Fn(&mut RunTime) -> &mut Vec<T>,
        entries: impl IntoIterator<Item = T>,
    ) {
        for entry in entries {
            let have = table(&mut self.runtime).len();
            if self.has_room(have) {
                table(&mut self.runtime).push(entry);
            }
        }
    }

    /// Adds the bytes that a capability ever allocated, as counted after a collection.
    pub fn allocated(&mut self, time: Nanos, capability: u16, bytes: Bytes) {
        let point = (time, capability, bytes);
        self.runtime_entries(|runtime| &mut runtime.collections.by_capability, [point]);
    }

    /// The log says how large the allocation area of a capability is.
    pub fn allocation_area(&mut self, area: Bytes) {
        self.runtime.collections.area.get_or_insert(area);
    }

    pub fn memory_return(&mut self, given: MemoryReturn) {
        if self.has_room(self.runtime.collections.returns.len()) {
            self.runtime.collections.returns.push(given);
        } else if let Some(last) = self.runtime.collections.returns.last_mut() {
            // The newest says what a program that still runs holds.
            *last = given;
        }
    }

    /// Adds the census of one size of blocks. A size that is not larger than the previous one
    /// begins a new census.
    pub fn block_census(&mut self, time: Nanos, block: BlockCensus) {
        let censuses = &mut self.runtime.nonmoving.censuses;
        let last = censuses
            .last_mut()
            .filter(|census| census.blocks.last().is_some_and(|before| before.size < block.size));
        match last {
            Some(census) => census.blocks.push(block),
            None => {
                let census = SegmentCensus { time, blocks: vec![block] };
                self.runtime_entries(|runtime| &mut runtime.nonmoving.censuses, [census]);
            }
        }
    }

    /// Begins a batch of ticky counts.
    pub fn ticky_batch(&mut self, time: Nanos) {
        let batch = TickyBatch { time, counts: Vec::new() };
        self.runtime_entries(|runtime| &mut runtime.ticky.batches, [batch]);
    }

    /// Adds the counts of a counter. The first development versions of GHC 9.2 did not mark the
    /// beginning of a batch.
    pub fn ticky_counts(&mut self, time: Nanos, id: u64, counts: TickyCounts) {
        if self.runtime.ticky.batches.is_empty() {
            self.ticky_batch(time);
        }
        if self.has_room(self.runtime.ticky.points)
            && let Some(batch) = self.runtime.ticky.batches.last_mut()
        {
            batch.counts.push((id, counts));
            self.runtime.ticky.points += 1;
        }
    }

    /// Puts every table in order of time, with the sorted times of the heap censuses.
    pub(in crate::profile) fn finish_runtime(&mut self, censuses: &[Nanos]) {
        let allocated = self.runtime.collections.finish(censuses);
        self.heap.of_mut(HeapSeriesKind::Allocated).points = allocated;
        self.runtime.nonmoving.sort();
        self.runtime.ticky.batches.sort_by_key(|batch| batch.time);
    }
}
