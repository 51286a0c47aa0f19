//! Memory outside of the bands: live bytes that no band contains, memory that the run-time system holds beyond what its
//! live data explain, and memory of the process beyond GHC's heap. Each is a curve like that of a band.

use super::constants::{BEYOND, LATE, MUCH_MEMORY, SLOW, WORTH};
use super::figures::Totals;
use super::median::{lowest, mean};
use super::rise::{Rise, RiseEnd, Who};
use super::timeline::Timeline;
use crate::profile::{ClosureKind, HeapSeriesKind};
use crate::slice::Slice;

/// What rises to the end, and no band contains it.
pub(super) fn outside(slice: &Slice<'_>, timeline: &Timeline, totals: &Totals) -> Vec<Rise> {
    let figure = |figure| timeline.figure(slice, figure);
    let live = figure(HeapSeriesKind::Live).filter(|_| !slice.is_filtered());
    let (size, resident) = (figure(HeapSeriesKind::Size), figure(HeapSeriesKind::Resident));
    let all = timeline.values(&totals.all);
    let live_rises = live.as_ref().and_then(|live| {
        let rise = timeline.to_the_end(live)?;
        let bands = (all[rise.to] - all[rise.from]).max(0.0);
        let is_much = rise.gain >= SLOW * mean(&all) && rise.gain >= BEYOND * bands;
        is_much.then_some(Rise { who: Who::Live, end: RiseEnd::Open, ..rise })
    });
    let held = live.as_ref().zip(size.as_ref()).and_then(|(live, size)| {
        much(timeline, &beyond(size, live, BEYOND), size, ClosureKind::Held)
    });
    // What is resident and not GHC's was allocated by somebody else. Pages that GHC gives back stay resident until
    // somebody needs them, so its part is the most that it has held so far.
    let off_heap = resident.as_ref().and_then(|resident| {
        let (reserved, times) = size.as_ref().map_or((&all, BEYOND), |size| (size, 1.0));
        let rise =
            much(timeline, &beyond(resident, reserved, times), resident, ClosureKind::OffHeap)?;
        let own = reserved[rise.to] - reserved[rise.from];
        (rise.late >= LATE && rise.gain > own).then_some(rise)
    });
    [live_rises, held, off_heap].into_iter().flatten().collect()
}

/// How much more memory there is at each sample than so many times the most of something so far explains, counted from
/// where that is least.
fn beyond(memory: &[f64], explained: &[f64], times: f64) -> Vec<f64> {
    let mut most = 0.0f64;
    let one = |(memory, explained): (&f64, &f64)| {
        most = most.max(*explained);
        memory - times * most
    };
    let mut beyond: Vec<f64> = memory.iter().zip(explained).map(one).collect();
    let least = lowest(&beyond);
    beyond.iter_mut().for_each(|bytes| *bytes -= least);
    beyond
}

/// The rise of memory beyond what is explained, if it is a large part of the memory at the end.
fn much(timeline: &Timeline, beyond: &[f64], memory: &[f64], kind: ClosureKind) -> Option<Rise> {
    let now = *memory.last()?;
    let rise = timeline.to_the_end(beyond)?;
    let is_much = rise.gain >= MUCH_MEMORY && rise.gain >= WORTH * (now - rise.gain);
    let (at_end, kind) = (now as u64, Some(kind));
    is_much.then_some(Rise { who: Who::Memory, kind, at_end, end: RiseEnd::Open, ..rise })
}
