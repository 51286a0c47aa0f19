//! Blocks: which part of the log one buffer wrote, and the range of its times.
//!
//! Source: `docs/format/eventlog.md#blocks`. Events have the capability of the buffer that they are in;
//! the range of times helps to distinguish them from other bytes.

use super::Tag;
use crate::decode::cursor::Cursor;

/// Bytes of a block marker: type, time and payload.
pub const MARKER_LENGTH: usize = 24;

/// The number that stands for no capability: the global buffer.
pub const NO_CAPABILITY: u16 = 0xFFFF;

/// How far an event's time may be before its block's. The collector's end is logged with a time up
/// to a millisecond too early.
const SLACK_NS: u64 = 1_000_000_000;

/// How far after the end of the latest block a time outside any block may be: an hour.
const BEYOND_NS: u64 = 3_600_000_000_000;

/// The block around the current position.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Offset of the first byte after it.
    pub end: u64,
    capability: u16,
    earliest: u64,
    latest: u64,
    /// The latest time that is believed outside any block.
    pub horizon: u64,
}

impl Block {
    /// Before the first marker: no bounds.
    pub const NONE: Block = Block {
        end: 0,
        capability: NO_CAPABILITY,
        earliest: 0,
        latest: u64::MAX,
        horizon: u64::MAX,
    };

    /// The block after this one, which a marker at `offset` with this time and payload opens. A
    /// size that cannot hold the marker itself bounds nothing.
    ///
    /// GHC writes every event into a block, so in a log with blocks an event is outside only
    /// because a marker is damaged. It is still read, unless its time is far beyond all blocks so
    /// far, as that of random bytes nearly always is.
    pub fn next(self, offset: u64, time: u64, payload: &[u8]) -> Block {
        let outside = self.untimed();
        let mut cursor = Cursor::new(payload);
        let (Some(size), Some(closed)) = (cursor.u32(), cursor.u64()) else { return outside };
        if (size as usize) < MARKER_LENGTH {
            return outside;
        }
        let end = offset.saturating_add(u64::from(size));
        let capability = cursor.u16().unwrap_or(NO_CAPABILITY);
        let begun = time.saturating_sub(SLACK_NS);
        if closed < time {
            // A marker that was never closed (because the writer died) has end time 0.
            let earliest = if closed == 0 { begun } else { 0 };
            return Block { end, capability, earliest, ..outside };
        }
        let beyond = closed.saturating_add(BEYOND_NS);
        let horizon = if self.horizon == u64::MAX { beyond } else { self.horizon.max(beyond) };
        Block { end, capability, earliest: begun, latest: closed, horizon }
    }

    /// A place that is in no block: this one has damaged times.
    pub fn untimed(self) -> Block {
        Block { horizon: self.horizon, ..Block::NONE }
    }

    /// The capability whose buffer an event at `offset` was in; [`NO_CAPABILITY`] for the global
    /// buffer, and past the block.
    #[inline]
    pub fn capability_at(&self, offset: u64) -> u16 {
        if offset < self.end { self.capability } else { NO_CAPABILITY }
    }

    /// The earliest and latest time in it, the first not after the second.
    pub fn times(&self) -> (u64, u64) {
        (self.earliest, self.latest)
    }

    /// Whether an event of this type and time may be at `offset`. Markers may have any time:
    /// they open another buffer's block.
    pub fn admits(&self, offset: u64, tag: Tag, time: u64) -> bool {
        tag == Tag::BLOCK_MARKER
            || match offset >= self.end {
                true => time <= self.horizon,
                false => self.earliest <= time && time <= self.latest,
            }
    }
}
