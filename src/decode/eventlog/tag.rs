//! Event types by number.

use std::fmt;

/// The number of an event type. Numbers that this version does not know are allowed and can be
/// printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(pub u16);

macro_rules! tags {
    (
        $(#[$of_collections:meta])*
        is_of_collections { $($(#[$doc:meta])* $name:ident = $number:literal;)* }
        others { $($(#[$other_doc:meta])* $other:ident = $other_number:literal;)* }
    ) => {
        impl Tag {
            $($(#[$doc])* pub const $name: Tag = Tag($number);)*
            $($(#[$other_doc])* pub const $other: Tag = Tag($other_number);)*

            $(#[$of_collections])*
            pub fn is_of_collections(self) -> bool {
                matches!(self, $(Tag::$name)|*)
            }

            /// Whether it is about threads, sparks, capabilities or the steps of a collection: GHC's types below
            /// 100, except those that are read for what they say of the heap.
            pub fn is_scheduling(self) -> bool {
                self.0 < 100 && !self.is_of_collections() && !matches!(self, $(Tag::$other)|*)
            }
        }

        impl fmt::Display for Tag {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    $(Tag::$name => f.write_str(stringify!($name)),)*
                    $(Tag::$other => f.write_str(stringify!($other)),)*
                    Tag(number) => write!(f, "event type {number}"),
                }
            }
        }

        #[cfg(test)]
        const TYPES: &[Tag] = &[$(Tag::$name,)* $(Tag::$other),*];
    };
}

// Only the types whose payload is read; `docs/format/eventlog.md#events` has them all.
tags! {
    /// Whether it is about a collection or the size of the heap, of which every collection writes several.
    is_of_collections {
        /// A capability begins a collection.
        GC_START = 9;
        /// A capability ends a collection; its time is earlier than that of the event before it.
        GC_END = 10;
        /// Bytes that a capability has ever allocated.
        HEAP_ALLOCATED = 49;
        /// Memory held from the operating system.
        HEAP_SIZE = 50;
        HEAP_LIVE = 51;
        /// What a collection did, from the capability that led it.
        GC_STATS = 53;
        /// Memory was given back to the operating system.
        MEM_RETURN = 90;
        BLOCKS_SIZE = 91;
    }
    others {
        /// Opens a block of one buffer's events.
        BLOCK_MARKER = 18;
        /// `traceEvent`.
        USER_MSG = 19;
        /// Version and way of the run-time system.
        RTS_IDENTIFIER = 29;
        PROGRAM_ARGS = 30;
        OSPROCESS_PID = 32;
        WALL_CLOCK_TIME = 43;
        /// What the heap is made of: the size of an allocation area.
        HEAP_INFO = 52;
        /// `traceMarker`.
        USER_MARKER = 58;
        /// What is profiled, and how.
        HEAP_PROF_BEGIN = 160;
        HEAP_PROF_COST_CENTRE = 161;
        HEAP_PROF_SAMPLE_BEGIN = 162;
        /// A cost-centre stack's share of the sample.
        HEAP_PROF_SAMPLE_COST_CENTRE = 163;
        /// A name's share of the sample.
        HEAP_PROF_SAMPLE_STRING = 164;
        HEAP_PROF_SAMPLE_END = 165;
        HEAP_BIO_PROF_SAMPLE_BEGIN = 166;
        /// The stack of a capability at a tick.
        PROF_SAMPLE_COST_CENTRE = 167;
        /// States the length of a tick.
        PROF_BEGIN = 168;
        /// Defines an info table (IPE: info provenance entry).
        IPE = 169;
        /// The non-moving collector begins to mark.
        CONC_MARK_BEGIN = 200;
        /// The non-moving collector has marked so many objects.
        CONC_MARK_END = 201;
        /// All capabilities stop for the non-moving collector.
        CONC_SYNC_BEGIN = 202;
        CONC_SYNC_END = 203;
        CONC_SWEEP_BEGIN = 204;
        CONC_SWEEP_END = 205;
        /// How full its segments for one size of blocks are.
        NONMOVING_HEAP_CENSUS = 207;
        TICKY_COUNTER_DEF = 210;
        /// What a ticky counter counted since the batch before.
        TICKY_COUNTER_SAMPLE = 211;
        /// A batch of ticky counts begins.
        TICKY_COUNTER_BEGIN_SAMPLE = 212;
        /// Not an event: ends the log.
        END_MARK = 0xFFFF;
    }
}

/// Those of threads, of which only labels and ends are read.
impl Tag {
    pub const STOP_THREAD: Tag = Tag(2);
    pub const THREAD_LABEL: Tag = Tag(44);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_the_format_have_every_type() {
        let document = include_str!("../../../docs/format/eventlog.md");
        let rows = document.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
        let numbers: Vec<(u16, u16)> = rows
            .flat_map(|cell| cell.split(", "))
            .filter_map(|numbers| {
                let (first, last) = numbers.split_once(" to ").unwrap_or((numbers, numbers));
                Some((first.parse().ok()?, last.parse().ok()?))
            })
            .collect();
        for &tag in TYPES.iter().filter(|&&tag| tag != Tag::END_MARK) {
            let is_there = numbers.iter().any(|&(first, last)| (first..=last).contains(&tag.0));
            assert!(is_there, "{tag} ({}) is in no table of docs/format/eventlog.md", tag.0);
        }
    }
}
