//! When a leak reaches the memory that the program may use: a rate says little, a time says when to act.

use super::{Leak, Verdict, of_cpu};
use crate::base::sentence::{Sentence, rounded, say, size};
use crate::base::units::{Bytes, Nanos};
use crate::profile::{Clock, HeapFigure};
use crate::slice::Slice;

/// How much memory a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The user says so.
    Given(Bytes),
    /// That of its control group, which ends a program that needs more.
    OfContainer(Bytes),
}

/// `its memory reaches 512 MiB (the limit of its container) in 4 min 13 s at this rate`; of a heap that does not leak,
/// how much of a limit that the user gave it used; without a limit, when a leak has taken 1 GiB more.
///
/// Live data takes more memory than it is long, because a collection copies it. So the whole memory is taken to grow
/// as the live data does.
pub fn deadline(
    verdict: &Verdict,
    slice: &Slice<'_>,
    limit: Option<MemoryLimit>,
) -> Option<Sentence> {
    let is_leak = verdict.leak >= Leak::Possible && verdict.rate > 0.0;
    let is_leak = is_leak && slice.clock() != Clock::Sample;
    let of_cpu = of_cpu(slice.clock());
    let time = |seconds: f64| Nanos::from_nanos((1e9 * seconds).min(9e18) as i64);
    let Some(limit) = limit else {
        const GIBIBYTE: u64 = 1 << 30;
        let after = time(GIBIBYTE as f64 / verdict.rate);
        let more = format!(" more after {after}{of_cpu}");
        return is_leak.then(|| say!["at this rate, ", size(GIBIBYTE), more]);
    };
    let (bytes, whose) = match limit {
        MemoryLimit::Given(bytes) => (bytes, ""),
        MemoryLimit::OfContainer(bytes) => (bytes, " (the limit of its container)"),
    };
    let (what, held) = held(slice);
    let last = *held.last()?;
    let highest = held.iter().map(|memory| memory.1).fold(0.0, f64::max);
    let all = bytes.get() as f64;
    if highest > all {
        let more = say![rounded(highest), ", more than ", bytes, whose];
        Some(say![what, " was up to ", more])
    } else if is_leak {
        let (live, held) = last;
        let after = time((all - held) / (verdict.rate * held / live));
        Some(say![what, " reaches ", bytes, format!("{whose} in {after}{of_cpu} at this rate")])
    } else {
        let is_asked = matches!(limit, MemoryLimit::Given(_));
        is_asked.then(|| say![what, " was at most ", rounded(highest), " of ", bytes])
    }
}

/// What is known of the memory of a program, in words, and how much that was beside the live data of each sample that
/// is not empty: at its end, a program gives its memory back.
fn held(slice: &Slice<'_>) -> (&'static str, Vec<(f64, f64)>) {
    let heap = slice.heap();
    let known = [HeapFigure::Resident, HeapFigure::Size]
        .map(|figure| heap[figure].points())
        .into_iter()
        .find(|points| !points.is_empty());
    let at = |sample: usize| {
        let (live, time) = (slice.total(sample) as f64, slice.when(sample)?);
        let held = known.and_then(|points| {
            let until = points.partition_point(|point| point.0 <= time);
            Some(points[until.checked_sub(1)?].1.get() as f64)
        });
        (live > 0.0).then(|| (live, held.map_or(live, |held| held.max(live))))
    };
    let what = if known.is_some() { "its memory" } else { "its live data" };
    (what, (0..slice.len()).filter_map(at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::profile::{BandKeyRef, ProfileBuilder, Source};

    /// Of a heap that grows by `grows` MiB a second from 100 MiB, for a minute; it holds so many times as much, or it
    /// is not known how much.
    fn words(limit: impl Fn(Bytes) -> MemoryLimit, mib: u64, held: u64, grows: u64) -> String {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        let band = builder.band(BandKeyRef::Name(b"Map")).expect("a band");
        for second in 0..=60 {
            let time = Nanos::from_nanos(second * 1_000_000_000);
            let live = (100 + grows * second as u64) << 20;
            builder.point(band, Bytes::new(live));
            if held > 0 {
                builder.heap_point(HeapFigure::Size, time, Bytes::new(held * live));
            }
            builder.seal_sample(time);
        }
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        let verdict = Analysis::verdict_of(&slice, &[]);
        let words = deadline(&verdict, &slice, Some(limit(Bytes::new(mib << 20))));
        words.map(|words| words.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_leak_has_a_deadline() {
        use MemoryLimit::{Given, OfContainer};
        let container = " (the limit of its container)";
        // 160 MiB live at 1 MiB/s.
        assert_eq!(
            words(OfContainer, 200, 1, 1),
            format!("its memory reaches 200 MiB{container} in 40 s at this rate")
        );
        // Twice as much is held, and grows twice as fast.
        assert_eq!(words(Given, 400, 2, 1), "its memory reaches 400 MiB in 40 s at this rate");
        assert_eq!(
            words(OfContainer, 300, 2, 1),
            format!("its memory was up to 320 MiB, more than 300 MiB{container}")
        );
        assert_eq!(words(Given, 200, 0, 1), "its live data reaches 200 MiB in 40 s at this rate");
    }

    #[test]
    fn of_a_heap_without_a_leak_its_part_of_a_limit_is_said_if_somebody_asked() {
        assert_eq!(words(MemoryLimit::OfContainer, 200, 1, 0), "");
        assert_eq!(
            words(MemoryLimit::Given, 200, 1, 0),
            "its memory was at most 100 MiB of 200 MiB"
        );
    }
}
