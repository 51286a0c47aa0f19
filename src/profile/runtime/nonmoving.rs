//! The non-moving collector (`-xn`): when it marked and swept, and how full its segments are.

use crate::base::units::{Bytes, Nanos};

/// The size of a segment in bytes.
const SEGMENT: u64 = 32 << 10;

/// The bytes at the front of a segment that are not part of blocks.
const SEGMENT_HEADER: u64 = 24;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectorPhase {
    pub start: Nanos,
    pub end: Nanos,
}

impl CollectorPhase {
    pub fn length(&self) -> Nanos {
        self.end.since(self.start)
    }
}

/// The blocks of one size in a [`SegmentCensus`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockCensus {
    pub size: u32,
    /// Segments that are partly filled, to be allocated into next.
    pub active: u32,
    /// Segments that are full; all of their blocks count as live.
    pub filled: u32,
    /// Live blocks, including those of the segments now in use.
    pub live: u32,
}

/// How full the segments are, after a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SegmentCensus {
    pub time: Nanos,
    /// One entry for each size of blocks, the smallest first.
    pub blocks: Vec<BlockCensus>,
}

/// How many blocks a segment has: each needs a byte for its mark.
pub fn blocks_in_segment(size: u32) -> u64 {
    (SEGMENT - SEGMENT_HEADER) / (u64::from(size) + 1)
}

impl SegmentCensus {
    /// Bytes of live blocks: an upper bound of the live data, because an object may be smaller than
    /// its block.
    pub fn live(&self) -> Bytes {
        let bytes = |block: &BlockCensus| u64::from(block.live) * u64::from(block.size);
        Bytes::new(self.blocks.iter().map(bytes).fold(0, u64::saturating_add))
    }

    /// Bytes of all blocks, live and free, including `capabilities` segments of each size that are
    /// in use, which no other number counts.
    pub fn capacity(&self, capabilities: u32) -> Bytes {
        let bytes = |block: &BlockCensus| {
            let segments =
                u64::from(block.active) + u64::from(block.filled) + u64::from(capabilities);
            (blocks_in_segment(block.size) * u64::from(block.size)).saturating_mul(segments)
        };
        Bytes::new(self.blocks.iter().map(bytes).fold(0, u64::saturating_add))
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NonMoving {
    /// When it marked. This happens several times in each cycle, because the queue of objects to mark is emptied
    /// repeatedly. In the threaded run-time system it is concurrent with the program, otherwise it is part of the pause.
    pub marks: Vec<CollectorPhase>,
    /// When all capabilities stopped to end the marking; these pauses are not part of collections.
    pub syncs: Vec<CollectorPhase>,
    pub sweeps: Vec<CollectorPhase>,
    /// How full the segments were after each sweep.
    pub censuses: Vec<SegmentCensus>,
}

impl NonMoving {
    /// Whether the log has no events of it.
    pub fn is_empty(&self) -> bool {
        *self == NonMoving::default()
    }

    pub(super) fn sort(&mut self) {
        self.marks.sort_by_key(|interval| interval.start);
        self.syncs.sort_by_key(|interval| interval.start);
        self.sweeps.sort_by_key(|interval| interval.start);
        self.censuses.sort_by_key(|census| census.time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ProfileBuilder, Source};

    #[test]
    fn a_size_that_is_not_larger_begins_a_new_census() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for (time, size) in [(1, 8), (2, 16), (3, 32), (4, 32), (5, 64), (6, 8)] {
            let block = BlockCensus { size, ..BlockCensus::default() };
            builder.block_census(Nanos::from_nanos(time), block);
        }
        let profile = builder.finish();
        let censuses = profile.runtime.nonmoving.censuses.iter();
        let sizes = |census: &SegmentCensus| {
            let sizes = census.blocks.iter().map(|block| block.size).collect::<Vec<_>>();
            (census.time.as_nanos(), sizes)
        };
        let expected = [(1, vec![8, 16, 32]), (4, vec![32, 64]), (6, vec![8])];
        assert_eq!(censuses.map(sizes).collect::<Vec<_>>(), expected);
    }
}
