//! Whether a program grows outside of GHC's heap, where no profile of GHC sees it.
//!
//! What the system says is resident and GHC has not reserved was allocated by somebody else: `malloc`,
//! a foreign library. GHC's part is the most that it has held so far, because the pages that it gives
//! back remain resident until somebody needs them.

use serde::Serialize;

use super::rows::Rows;
use crate::base::units::{Nanos, UnitSystem};
use crate::profile::{Clock, HeapFigure, HeapSeries};

/// What is less is the run-time system's own: buffers, tables of the profiler.
const LEAST_BYTES: u64 = 8 << 20;
/// The least share of what was resident before.
const LEAST_SHARE: f64 = 0.1;
/// The first part of a run is not judged: the program is loaded and starts up.
const START: f64 = 0.2;
const PARTS: usize = 4;
/// The least growth from one part to the next, as a share of that of all parts, of which an even growth has
/// a third each.
const LEAST_STEP: f64 = 0.1;
/// The fewest readings of a part.
const FEWEST: usize = 4;
/// Where the log does not say what GHC holds: a copying collector holds up to three times the live data, and what
/// is allocated before the next collection.
const MOST_HELD: u64 = 4;

/// Growth outside of GHC's heap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OffHeap {
    #[serde(rename = "grew_bytes")]
    pub grew: u64,
    #[serde(rename = "from_ns")]
    pub from: Nanos,
    #[serde(rename = "to_ns")]
    pub to: Nanos,
    /// What was resident at the end, without what belongs to files.
    #[serde(rename = "resident_bytes")]
    pub resident: u64,
    #[serde(skip)]
    clock: Clock,
}

impl OffHeap {
    /// `None` if it does not grow, or if nobody read what is resident.
    pub(super) fn of(rows: &Rows<'_>) -> Option<OffHeap> {
        let (heap, clock) = (rows.heap(), rows.clock());
        if heap[HeapFigure::Resident].points().is_empty() {
            return None;
        }
        let held = match heap[HeapFigure::Size].points() {
            [] => {
                let live = |at| u64::try_from(rows.total(at)).unwrap_or(u64::MAX);
                let held = |at| Some((rows.when(at)?, live(at).saturating_mul(MOST_HELD)));
                (0..rows.samples()).filter_map(held).collect()
            }
            sizes => sizes.iter().map(|(time, size)| (*time, size.get())).collect(),
        };
        Self::beyond(held, &heap, clock)
    }

    /// What is resident beyond what GHC holds.
    fn beyond(held: Vec<(Nanos, u64)>, heap: &HeapSeries, clock: Clock) -> Option<OffHeap> {
        let outside = outside(held, heap);
        let end = outside.last()?.0;
        let start = outside.first()?.0.as_nanos();
        let begin = start + ((end.as_nanos() - start) as f64 * START) as i64;
        let judged: Vec<_> =
            outside.into_iter().filter(|point| point.0.as_nanos() >= begin).collect();
        let length = judged.len() / PARTS;
        if length < FEWEST {
            return None;
        }
        let mean = |part: &[(Nanos, u64)]| {
            part.iter().map(|point| point.1 as f64).sum::<f64>() / part.len() as f64
        };
        let means: Vec<f64> = judged.chunks(length).take(PARTS).map(mean).collect();
        let grew = means[PARTS - 1] - means[0];
        let (first, last) = (judged[0], judged[judged.len() - 1]);
        let resident = heap[HeapFigure::Resident].points().last()?.1.get();
        let all = last.1.saturating_sub(first.1);
        let is_even = means.windows(2).all(|pair| pair[1] - pair[0] >= LEAST_STEP * grew);
        let before = resident.saturating_sub(all) as f64;
        let is_much = all >= LEAST_BYTES && all as f64 >= LEAST_SHARE * before;
        (grew > 0.0 && is_even && is_much).then_some(OffHeap {
            grew: all,
            from: first.0,
            to: last.0,
            resident,
            clock,
        })
    }

    /// `grows off the heap: +40 MiB in 10 s (malloc, FFI, a C library)`.
    pub fn text(&self, units: UnitSystem) -> String {
        let of_cpu = if self.clock == Clock::Mutator { " of CPU" } else { "" };
        format!(
            "grows off the heap: +{} in {}{of_cpu} (malloc, FFI, a C library)",
            units.text(u128::from(self.grew)),
            Nanos::from_nanos(self.to.as_nanos() - self.from.as_nanos()),
        )
    }
}

/// What is resident beyond the most that GHC has held so far.
fn outside(held: Vec<(Nanos, u64)>, heap: &HeapSeries) -> Vec<(Nanos, u64)> {
    let mut sizes = held.into_iter().peekable();
    let mut most = None;
    let resident = heap[HeapFigure::Resident].points().iter();
    resident
        .filter_map(|&(time, bytes)| {
            while let Some((_, size)) = sizes.next_if(|size| size.0 <= time) {
                most = most.max(Some(size));
            }
            Some((time, bytes.get().saturating_sub(most?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::profile::{Profile, ProfileBuilder, Source};
    use crate::slice::{Slice, SliceOptions};

    /// What is found of a run of 10 s; both sizes in MiB, of the tenth of a second.
    fn found(resident: impl Fn(u64) -> u64, size: impl Fn(u64) -> u64) -> Option<u64> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for tenth in 0..100 {
            let time = Nanos::from_nanos(tenth as i64 * 100_000_000);
            builder.heap_point(HeapFigure::Size, time, Bytes::new(size(tenth) << 20));
        }
        grew(builder.finish(), resident)
    }

    /// The same, if a sample says what is live, and nothing what GHC holds.
    fn found_in_hp(resident: impl Fn(u64) -> u64, live: impl Fn(u64) -> u64) -> Option<u64> {
        let mut text = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n".to_owned();
        for tenth in 0..100 {
            let (time, live) = (tenth as f64 / 10.0, live(tenth) << 20);
            text += &format!("BEGIN_SAMPLE {time}\na\t{live}\nEND_SAMPLE {time}\n");
        }
        let options = crate::input::InputOptions::default();
        grew(crate::input::read(text.as_bytes(), &options).expect("a profile"), resident)
    }

    fn grew(mut profile: Profile, resident: impl Fn(u64) -> u64) -> Option<u64> {
        let points = (0..100).map(|tenth| {
            let time = Nanos::from_nanos(tenth as i64 * 100_000_000);
            (time, Bytes::new(resident(tenth) << 20))
        });
        profile.set_resident(points.collect());
        let slice = Slice::of(&profile, &SliceOptions::default()).unwrap();
        OffHeap::of(&Rows::of(&slice)).map(|found| found.grew >> 20)
    }

    #[test]
    fn without_its_size_a_heap_is_taken_for_four_times_its_live_data() {
        assert_eq!(found_in_hp(|tenth| 20 + tenth, |_| 2), Some(79));
        assert_eq!(found_in_hp(|tenth| 20 + 3 * tenth, |tenth| 1 + tenth), None);
    }

    #[test]
    fn what_malloc_takes_is_told_apart_from_what_ghc_takes() {
        assert_eq!(found(|tenth| 20 + tenth, |_| 10), Some(79));
        assert_eq!(found(|tenth| 20 + tenth, |tenth| 10 + tenth), None, "GHC's own");
        assert_eq!(found(|tenth| 20 + tenth, |tenth| 10 + tenth / 2), Some(40), "both");
        assert_eq!(found(|tenth| 20 + 30 * (tenth / 90), |_| 10), None, "a step at the end");
        assert_eq!(found(|tenth| 20 + tenth.min(50), |_| 10), None, "a cache that is full");
        assert_eq!(found(|tenth| 20 + tenth / 20, |_| 10), None, "little");
        assert_eq!(found(|tenth| 20 + tenth, |_| 200), None, "pages of the heap are touched");
        // GHC gives memory back, of which the system takes nothing.
        assert_eq!(found(|_| 100, |tenth| 100 - tenth), None);
    }
}
