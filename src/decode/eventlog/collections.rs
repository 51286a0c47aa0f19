//! Finds the collections: turns the events of all capabilities into one pause for each collection.
//!
//! Source: `docs/format/eventlog.md#events`. A pause is the stretch from `GC_START` to `GC_END` **of
//! the capability that writes `GC_STATS_GHC`**: those two times are the ones that `-s` counts with.
//! `GC_END` is after the statistics and has an earlier time. Events about single threads inside a
//! collection (types 20 to 22, 54) add nothing about its length and are skipped.

use foldhash::HashMap;

use super::frame::Event;
use super::tag::Tag;
use crate::base::units::{Bytes, Nanos};
use crate::decode::cursor::Cursor;
use crate::profile::{Collection, MemoryReturn, ProfileBuilder};

/// The most capabilities that are distinguished; no machine has as many.
const MOST_CAPABILITIES: usize = 1 << 12;

/// The collections that have begun and not ended.
#[derive(Clone, Debug, Default)]
pub struct CollectionReader {
    capabilities: HashMap<u16, Capability>,
}

/// What is known of a capability.
#[derive(Clone, Debug, Default)]
struct Capability {
    start: Option<Nanos>,
    /// The collection that it leads, up to its end.
    leads: Option<Collection>,
}

impl CollectionReader {
    /// Begins a new log: collections that were open in the previous one never end.
    pub fn start_log(&mut self) {
        *self = Self::default();
    }

    /// Takes an event about collections; `None` if its payload is too short.
    pub fn take(&mut self, event: &Event<'_>, profile: &mut ProfileBuilder) -> Option<()> {
        let time = Nanos::from_unsigned_nanos(event.time);
        let cursor = Cursor::new(event.payload);
        let seen = self.capabilities.len();
        let capability = match self.capabilities.get_mut(&event.capability) {
            Some(capability) => capability,
            None if seen >= MOST_CAPABILITIES => return Some(()),
            None => self.capabilities.entry(event.capability).or_default(),
        };
        match event.tag {
            Tag::GC_START => capability.start = Some(time),
            Tag::GC_STATS => capability.leads = Some(statistics(cursor, capability.start?)?),
            Tag::GC_END => {
                if let (Some(mut led), Some(start)) =
                    (capability.leads.take(), capability.start.take())
                {
                    led.end = time.max(start);
                    profile.collection(led);
                }
            }
            Tag::HEAP_ALLOCATED => profile.allocated(time, event.capability, allocated(cursor)?),
            Tag::MEM_RETURN => profile.memory_return(memory_return(cursor, time)?),
            _ => {}
        }
        Some(())
    }
}

fn statistics(mut cursor: Cursor<'_>, start: Nanos) -> Option<Collection> {
    let _capability_set = cursor.u32()?;
    let generation = cursor.u16()?;
    let [copied, slop, fragmentation] = [cursor.u64()?, cursor.u64()?, cursor.u64()?];
    let threads = cursor.u32()?;
    let most_by_one = cursor.u64()?;
    Some(Collection {
        start,
        end: start,
        generation,
        copied: Bytes::new(copied),
        slop: Bytes::new(slop),
        fragmentation: Bytes::new(fragmentation),
        threads,
        most_by_one: Bytes::new(most_by_one),
        census: false,
    })
}

fn allocated(mut cursor: Cursor<'_>) -> Option<Bytes> {
    let _capability_set = cursor.u32()?;
    cursor.u64().map(Bytes::new)
}

fn memory_return(mut cursor: Cursor<'_>, time: Nanos) -> Option<MemoryReturn> {
    let _capability_set = cursor.u32()?;
    let [held, needed, returned] = [cursor.u32()?, cursor.u32()?, cursor.u32()?];
    Some(MemoryReturn { time, held, needed, returned })
}
