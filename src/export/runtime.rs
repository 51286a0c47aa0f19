//! What the run-time system did, as the part `runtime` of the JSON document. Fields for which the
//! input has no data are absent.

use serde::Serialize;

use crate::analysis::runtime::{
    AllocationFigures, BlockFigures, GcFigures, MemoryFigures, NonMovingFigures, RunTimeFigures,
    TickyFigures,
};
use crate::base::units::{Bytes, Nanos};
use crate::slice::Slice;

/// The field `runtime`.
#[derive(Serialize)]
pub struct RunTimeJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    gc: Option<GcJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocation: Option<AllocationJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonmoving: Option<NonMovingJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ticky: Vec<TickyJson>,
}

#[derive(Serialize)]
struct GcJson {
    collections: usize,
    pause_ns: i128,
    longest_ns: Nanos,
    elapsed_ns: Nanos,
    productivity_percent: f64,
    copied: u128,
    census_collections: usize,
    census_pause_ns: i128,
    generations: Vec<GenerationJson>,
}

#[derive(Serialize)]
struct GenerationJson {
    generation: u16,
    collections: usize,
    pause_ns: i128,
    longest_ns: Nanos,
}

#[derive(Serialize)]
struct MemoryJson {
    held_peak: Option<Bytes>,
    held_peak_ns: Option<Nanos>,
    held_last: Option<Bytes>,
    blocks_peak: Option<Bytes>,
    live_peak: Option<Bytes>,
    held_by_live: Option<f64>,
}

#[derive(Serialize)]
struct AllocationJson {
    bytes: u64,
    bytes_per_mutator_s: u128,
}

#[derive(Serialize)]
struct NonMovingJson {
    sweeps: usize,
    marking_ns: i128,
    marked_objects: u64,
    stops: usize,
    stopped_ns: i128,
    longest_stop_ns: Nanos,
    live: Bytes,
    capacity: Bytes,
    free_segments: Option<Bytes>,
    blocks: Vec<BlockJson>,
}

#[derive(Serialize)]
struct BlockJson {
    size: u32,
    filled_segments: u32,
    active_segments: u32,
    live: u64,
    capacity: u64,
}

#[derive(Serialize)]
struct TickyJson {
    name: String,
    kind: String,
    arity: u16,
    arguments: String,
    free_variables: String,
    entries: u64,
    allocations: u64,
    allocated: u64,
    curve: Vec<u64>,
    place: Option<String>,
}

impl RunTimeJson {
    /// What the run-time system did in a slice.
    pub fn of(slice: &Slice<'_>) -> RunTimeJson {
        let figures = RunTimeFigures::of(slice);
        let ticky = figures.ticky.iter();
        RunTimeJson {
            gc: figures.gc.as_ref().map(gc),
            memory: figures.memory.map(memory),
            allocation: figures.allocation.map(allocation),
            nonmoving: figures.nonmoving.as_ref().map(nonmoving),
            ticky: ticky.map(|figures| one_counter(slice, figures)).collect(),
        }
    }

    /// The same without the counters, which a page does not show.
    pub fn for_page(self) -> Self {
        RunTimeJson { ticky: Vec::new(), ..self }
    }
}

fn gc(figures: &GcFigures) -> GcJson {
    GcJson {
        collections: figures.collections,
        pause_ns: figures.pause_ns,
        longest_ns: figures.longest,
        elapsed_ns: figures.elapsed,
        productivity_percent: figures.productivity_percent(),
        copied: figures.copied,
        census_collections: figures.census.0,
        census_pause_ns: figures.census.1,
        generations: figures
            .generations
            .iter()
            .map(|generation| GenerationJson {
                generation: generation.number,
                collections: generation.collections,
                pause_ns: generation.pause_ns,
                longest_ns: generation.longest,
            })
            .collect(),
    }
}

fn memory(figures: MemoryFigures) -> MemoryJson {
    MemoryJson {
        held_peak: figures.held.map(|peak| peak.1),
        held_peak_ns: figures.held.map(|peak| peak.0),
        held_last: figures.held_last,
        blocks_peak: figures.blocks.map(|peak| peak.1),
        live_peak: figures.live.map(|peak| peak.1),
        held_by_live: figures.held_by_live(),
    }
}

fn allocation(figures: AllocationFigures) -> AllocationJson {
    AllocationJson { bytes: figures.bytes, bytes_per_mutator_s: figures.bytes_per_second() }
}

fn nonmoving(figures: &NonMovingFigures) -> NonMovingJson {
    NonMovingJson {
        sweeps: figures.sweeps,
        marking_ns: figures.marking_ns,
        marked_objects: figures.marked,
        stops: figures.syncs.0,
        stopped_ns: figures.syncs.1,
        longest_stop_ns: figures.longest_sync,
        live: figures.live,
        capacity: figures.capacity,
        free_segments: figures.kept,
        blocks: figures.blocks.iter().map(block).collect(),
    }
}

fn block(figures: &BlockFigures) -> BlockJson {
    BlockJson {
        size: figures.size,
        filled_segments: figures.filled,
        active_segments: figures.active,
        live: figures.live,
        capacity: figures.capacity,
    }
}

fn one_counter(slice: &Slice<'_>, figures: &TickyFigures) -> TickyJson {
    let TickyFigures { counter, counts, curve, .. } = figures;
    TickyJson {
        name: counter.name.clone(),
        kind: counter.kind.clone(),
        arity: counter.arity,
        arguments: counter.arguments.clone(),
        free_variables: counter.free_variables.clone(),
        entries: counts.entries,
        allocations: counts.allocations,
        allocated: counts.allocated,
        curve: curve.clone(),
        place: slice.place_of_counter(counter),
    }
}
