//! Whether a program grows outside of GHC's heap, where no profile of GHC sees it.
//!
//! What the system says is resident and GHC has not reserved was allocated by somebody else: `malloc`,
//! a foreign library. GHC's part is the most that it has held so far, because the pages that it gives
//! back remain resident until somebody needs them.

use serde::Serialize;

use crate::base::units::{Nanos, UnitSystem};
use crate::profile::{HeapFigure, HeapSeries};

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
}

impl OffHeap {
    /// `None` if it does not grow, or if one of the two series is missing.
    pub fn of(heap: &HeapSeries) -> Option<OffHeap> {
        let outside = outside(heap);
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
        })
    }

    /// `grows off the heap: +40 MiB in 10 s (malloc, FFI, a C library)`.
    pub fn text(&self, units: UnitSystem) -> String {
        format!(
            "grows off the heap: +{} in {} (malloc, FFI, a C library)",
            units.text(u128::from(self.grew)),
            Nanos::from_nanos(self.to.as_nanos() - self.from.as_nanos()),
        )
    }
}

/// What is resident beyond the most that GHC has held so far.
fn outside(heap: &HeapSeries) -> Vec<(Nanos, u64)> {
    let mut sizes = heap[HeapFigure::Size].points().iter().peekable();
    let mut most = None;
    let resident = heap[HeapFigure::Resident].points().iter();
    resident
        .filter_map(|&(time, bytes)| {
            while let Some((_, size)) = sizes.next_if(|size| size.0 <= time) {
                most = most.max(Some(size.get()));
            }
            Some((time, bytes.get().saturating_sub(most?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::Bytes;
    use crate::profile::{ProfileBuilder, Source};

    /// What is found of a run of 10 s; both sizes in MiB, of the tenth of a second.
    fn found(resident: impl Fn(u64) -> u64, size: impl Fn(u64) -> u64) -> Option<u64> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        for tenth in 0..100 {
            let time = Nanos::from_nanos(tenth as i64 * 100_000_000);
            builder.heap_point(HeapFigure::Size, time, Bytes::new(size(tenth) << 20));
        }
        let mut profile = builder.finish();
        let points = (0..100).map(|tenth| {
            let time = Nanos::from_nanos(tenth as i64 * 100_000_000);
            (time, Bytes::new(resident(tenth) << 20))
        });
        profile.set_resident(points.collect());
        OffHeap::of(profile.heap()).map(|found| found.grew >> 20)
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
