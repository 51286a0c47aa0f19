//! Finds the collections: turns the events of all capabilities into one pause for each collection.
//!
//! Source: `docs/format/eventlog.md#events`. A pause is the stretch from `GC_START` to `GC_END` **of
//! the capability that writes `GC_STATS_GHC`**: those two times are the ones that `-s` counts with.
//! `GC_END` is after the statistics and has an earlier time. Events about single threads inside a
//! collection (types 20 to 22, 54) add nothing about its length and are skipped.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

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
    capabilities: IndexMap<u16, Capability, RandomState>,
    /// The place of the one whose event was the last: a buffer has many events of one capability.
    latest: usize,
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

    /// What is known of a capability; `None` if there are too many.
    #[inline]
    fn capability(&mut self, number: u16) -> Option<&mut Capability> {
        let is_latest = |(&latest, _): (&u16, &Capability)| latest == number;
        if !self.capabilities.get_index(self.latest).is_some_and(is_latest) {
            let seen = self.capabilities.len();
            self.latest = match self.capabilities.get_index_of(&number) {
                Some(place) => place,
                None if seen >= MOST_CAPABILITIES => return None,
                None => self.capabilities.insert_full(number, Capability::default()).0,
            };
        }
        self.capabilities.get_index_mut(self.latest).map(|(_, capability)| capability)
    }

    /// Takes an event about collections; `None` if its payload is too short.
    pub fn take(&mut self, event: &Event<'_>, profile: &mut ProfileBuilder) -> Option<()> {
        let time = Nanos::from_unsigned_nanos(event.time);
        let cursor = Cursor::new(event.payload);
        let Some(capability) = self.capability(event.capability) else { return Some(()) };
        match event.tag {
            Tag::GC_START => capability.start = Some(time),
            Tag::GC_STATS => capability.leads = Some(statistics(cursor, capability.start?)?),
            Tag::GC_END => {
                let start = capability.start.take();
                if let (Some(led), Some(start)) = (&capability.leads, start) {
                    profile.collection(Collection { end: time.max(start), ..*led });
                }
                capability.leads = None;
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
