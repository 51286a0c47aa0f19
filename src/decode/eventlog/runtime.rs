//! What the run-time system does: collections, the non-moving collector (types 200 to 208), ticky
//! counters (types 210 to 212).
//!
//! Source: `docs/format/eventlog.md#events`. The pause of a collection is the stretch from `GC_START` to
//! `GC_END` **of the capability that writes `GC_STATS_GHC`**: those two times are the ones that `-s` counts
//! with. `GC_END` is after the statistics and has an earlier time. Events about single threads inside a
//! collection (types 20 to 22, 54) add nothing about its length and are skipped.
//!
//! In every GHC so far, the begin and the end of a synchronisation of the non-moving collector occur twice in
//! a row with the same time; the second is redundant. The definitions of ticky counters come at exit, after
//! all counts.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde::Deserialize;

use super::Tag;
use super::framing::Event;
use crate::base::units::{Bytes, Nanos};
use crate::decode::cursor::Cursor;
use crate::profile::{
    BlockCensus, Collection, CollectorPhase, MemoryReturn, ProfileBuilder, TickyCounter,
    TickyCounts,
};

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
                    let led = Collection { end: time.max(start), ..*led };
                    profile.runtime_entries(|runtime| &mut runtime.collections.all, [led]);
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

/// The value in place of an info table's address for a closure without one.
const NO_TABLE: u64 = u64::MAX - 15;

/// The additional data of newer versions about a ticky counter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CounterData {
    #[serde(rename = "subTy")]
    kind: String,
    #[serde(rename = "fvs")]
    free_variables: String,
    #[serde(rename = "args")]
    arguments: String,
}

/// Takes an event about ticky counters; `None` if its payload is too short.
pub fn ticky(event: &Event<'_>, profile: &mut ProfileBuilder) -> Option<()> {
    let time = Nanos::from_unsigned_nanos(event.time);
    let mut cursor = Cursor::new(event.payload);
    match event.tag {
        Tag::TICKY_COUNTER_DEF => {
            profile.runtime_entries(|runtime| &mut runtime.ticky.counters, [counter(cursor)?]);
        }
        Tag::TICKY_COUNTER_BEGIN_SAMPLE => profile.ticky_batch(time),
        Tag::TICKY_COUNTER_SAMPLE => {
            let id = cursor.u64()?;
            let [entries, allocations, allocated] = [cursor.u64()?, cursor.u64()?, cursor.u64()?];
            profile.ticky_counts(time, id, TickyCounts { entries, allocations, allocated });
        }
        _ => {}
    }
    Some(())
}

fn counter(mut cursor: Cursor<'_>) -> Option<TickyCounter> {
    let (id, arity) = (cursor.u64()?, cursor.u16()?);
    let mut text = || cursor.c_string_or_rest().0;
    let (arguments, name) = (text(), text());
    let info_table = cursor.u64();
    let json = cursor.c_string_or_rest().0;
    // GHC 9.3 and 9.4 had the JSON in place of the arguments' letters.
    let json = if arguments.starts_with(b"{") { arguments } else { json };
    let about: CounterData = serde_json::from_slice(json).unwrap_or_default();
    let letters = match arguments.starts_with(b"{") {
        true => about.arguments,
        false => String::from_utf8_lossy(arguments).into_owned(),
    };
    Some(TickyCounter {
        id,
        arity,
        arguments: letters,
        name: String::from_utf8_lossy(name).into_owned(),
        kind: about.kind,
        free_variables: about.free_variables,
        info_table: info_table.filter(|&table| table != 0 && table != NO_TABLE),
    })
}

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
    /// Takes an event of the non-moving collector; `None` if its payload is too short.
    pub fn take(&mut self, event: &Event<'_>, profile: &mut ProfileBuilder) -> Option<()> {
        let time = Nanos::from_unsigned_nanos(event.time);
        let mut cursor = Cursor::new(event.payload);
        let until = |open: &mut Option<Nanos>| {
            let start = open.take()?;
            Some(CollectorPhase { start, end: time.max(start) })
        };
        match event.tag {
            Tag::CONC_MARK_BEGIN => self.mark = Some(time),
            Tag::CONC_MARK_END => {
                let interval = until(&mut self.mark);
                profile.runtime_entries(|runtime| &mut runtime.nonmoving.marks, interval);
            }
            Tag::CONC_SYNC_BEGIN => self.sync = Some(time),
            Tag::CONC_SYNC_END => {
                let interval = until(&mut self.sync);
                profile.runtime_entries(|runtime| &mut runtime.nonmoving.syncs, interval);
            }
            Tag::CONC_SWEEP_BEGIN => self.sweep = Some(time),
            Tag::CONC_SWEEP_END => {
                let interval = until(&mut self.sweep);
                profile.runtime_entries(|runtime| &mut runtime.nonmoving.sweeps, interval);
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
            _ => {}
        }
        Some(())
    }
}
