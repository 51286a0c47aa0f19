//! The part of the builder that takes what the run-time system says of the heap.

use super::ProfileBuilder;
use crate::limit::Limit;
use crate::units::{Bytes, Nanos};

impl ProfileBuilder {
    /// Adds to the series of memory held from the operating system.
    pub fn heap_size(&mut self, time: Nanos, bytes: Bytes) {
        if self.has_room_for_point(self.heap.size.points.len(), "heap sizes") {
            self.heap.size.push(time, bytes);
        }
    }

    /// Adds to the series of live data.
    pub fn heap_live(&mut self, time: Nanos, bytes: Bytes) {
        if self.has_room_for_point(self.heap.live.points.len(), "figures of live data") {
            self.heap.live.push(time, bytes);
        }
    }

    /// Adds to the series of blocks in use.
    pub fn blocks_size(&mut self, time: Nanos, bytes: Bytes) {
        if self.has_room_for_point(self.heap.blocks.points.len(), "figures of blocks in use") {
            self.heap.blocks.push(time, bytes);
        }
    }

    /// Whether a series with `have` points has room for one more; notes it when it has not.
    fn has_room_for_point(&mut self, have: usize, what: &'static str) -> bool {
        let most = self.limits().heap_points;
        let fits = have < most;
        if !fits {
            self.over_limit(Limit::HeapPoints, most, what);
        }
        fits
    }
}
