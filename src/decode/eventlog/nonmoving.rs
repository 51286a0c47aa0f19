//! The events of the non-moving collector (types 200 to 208).
//!
//! Source: `docs/format/eventlog.md#events`. In every GHC so far, the begin and the end of a
//! synchronisation occur twice in a row with the same time; the second is redundant.

use super::frame::Event;
use super::tag::Tag;
use crate::base::units::Nanos;
use crate::decode::cursor::Cursor;
use crate::profile::{BlockCensus, Interval, ProfileBuilder, Pruned};

/// The length of a census event before GHC 9.10, which gives the block's size as a logarithm.
const LOGARITHMIC: usize = 13;

/// The stretches of time that are open.
#[derive(Clone, Debug, Default)]
pub struct NonMovingReader {
    mark: Option<Nanos>,
    sync: Option<Nanos>,
    sweep: Option<Nanos>,
}

impl NonMovingReader {
    /// Begins a new log: intervals that were open in the previous one never end.
    pub fn start_log(&mut self) {
        *self = Self::default();
    }

    /// Takes an event of the non-moving collector; `None` if its payload is too short.
    pub fn take(&mut self, event: &Event<'_>, profile: &mut ProfileBuilder) -> Option<()> {
        let time = Nanos::from_unsigned_nanos(event.time);
        let mut cursor = Cursor::new(event.payload);
        let until = |open: &mut Option<Nanos>| {
            let start = open.take()?;
            Some(Interval { start, end: time.max(start) })
        };
        match event.tag {
            Tag::CONC_MARK_BEGIN => self.mark = Some(time),
            Tag::CONC_MARK_END => {
                let objects = cursor.u32()?;
                if let Some(interval) = until(&mut self.mark) {
                    profile.marked(interval, objects);
                }
            }
            Tag::CONC_SYNC_BEGIN => self.sync = Some(time),
            Tag::CONC_SYNC_END => {
                if let Some(interval) = until(&mut self.sync) {
                    profile.synchronised(interval);
                }
            }
            Tag::CONC_SWEEP_BEGIN => self.sweep = Some(time),
            Tag::CONC_SWEEP_END => {
                if let Some(interval) = until(&mut self.sweep) {
                    profile.swept(interval);
                }
            }
            Tag::NONMOVING_HEAP_CENSUS => {
                let size = match event.payload.len() {
                    // Beyond 2^31 it is not a block's size, but damage.
                    LOGARITHMIC => 1_u32.checked_shl(cursor.u8()?.into())?,
                    _ => u32::from(cursor.u16()?),
                };
                let [active, filled, live] = [cursor.u32()?, cursor.u32()?, cursor.u32()?];
                profile.block_census(time, BlockCensus { size, active, filled, live });
            }
            Tag::NONMOVING_PRUNED_SEGMENTS => {
                let (pruned, kept) = (cursor.u32()?, cursor.u32()?);
                profile.pruned(Pruned { time, pruned, kept });
            }
            _ => {}
        }
        Some(())
    }
}
