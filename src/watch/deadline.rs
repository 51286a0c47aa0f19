//! When a leak reaches the memory that the program may use: a rate says little, a time says when to act.

use crate::analysis::{Leak, of_cpu};
use crate::base::sentence::{Sentence, say, size};
use crate::base::units::{Bytes, Nanos};
use crate::profile::{Clock, HeapFigure};
use crate::run::Run;

/// How much memory a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The user says so.
    Given(Bytes),
    /// That of its control group, which ends a program that needs more.
    OfContainer(Bytes),
}

/// `reaches 512 MiB (the limit of its container) in 4 min 13 s`; `None` where nothing grows, or
/// samples have no times.
///
/// Live data takes more memory than it is long, because a collection copies it. So the whole memory is taken to grow
/// as the live data does.
pub fn deadline(run: &Run<'_>, limit: MemoryLimit) -> Option<Sentence> {
    let (verdict, slice) = (run.verdict(), run.slice());
    let (bytes, whose) = match limit {
        MemoryLimit::Given(bytes) => (bytes.get(), ""),
        MemoryLimit::OfContainer(bytes) => (bytes.get(), " (the limit of its container)"),
    };
    let is_leak = verdict.leak >= Leak::Possible && verdict.rate > 0.0;
    if !is_leak || slice.clock() == Clock::Sample {
        return None;
    }
    let at = (0..slice.len()).rposition(|at| slice.total(at) > 0)?;
    let live = slice.total(at) as f64;
    let time = slice.when(at)?;
    let heap = slice.heap();
    // What it held then: at its end, a program gives its memory back.
    let held = [HeapFigure::Resident, HeapFigure::Size].into_iter().find_map(|figure| {
        let points = heap[figure].points();
        let until = points.partition_point(|point| point.0 <= time);
        Some(points[until.checked_sub(1)?].1.get() as f64)
    });
    let held = held.map_or(live, |held| held.max(live));
    let seconds = (bytes as f64 - held) / (verdict.rate * held / live);
    Some(match seconds > 0.0 {
        true => {
            let of_cpu = of_cpu(slice.clock());
            let after = Nanos::from_nanos((1e9 * seconds).min(9e18) as i64);
            say!["reaches ", size(bytes), format!("{whose} in {after}{of_cpu} at this rate")]
        }
        false => say!["uses more than ", size(bytes), whose.to_owned()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BandKeyRef, ProfileBuilder, Source};
    use crate::run::RunOptions;

    fn words(limit: u64, held: u64, grows: u64) -> Option<String> {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        let band = builder.band(BandKeyRef::Name(b"Map")).expect("a band");
        for second in 0..=60 {
            let time = Nanos::from_nanos(second * 1_000_000_000);
            let live = (100 + grows * second as u64) << 20;
            builder.point(band, Bytes::new(live));
            builder.heap_point(HeapFigure::Size, time, Bytes::new(held * live));
            builder.seal_sample(time);
        }
        let (profile, options) = (builder.finish(), RunOptions::default());
        let run = Run::new(&profile, &options).expect("all of it");
        let limit = MemoryLimit::OfContainer(Bytes::new(limit << 20));
        deadline(&run, limit).map(|words| words.to_string())
    }

    #[test]
    fn a_leak_has_a_deadline() {
        // 160 MiB live at 1 MiB/s.
        let says = |words: &str| Some(words.to_owned());
        assert_eq!(
            words(200, 1, 1),
            says("reaches 200 MiB (the limit of its container) in 40 s at this rate")
        );
        // Twice as much is held, and grows twice as fast.
        assert_eq!(
            words(400, 2, 1),
            says("reaches 400 MiB (the limit of its container) in 40 s at this rate")
        );
        assert_eq!(words(300, 2, 1), says("uses more than 300 MiB (the limit of its container)"));
        assert_eq!(words(200, 1, 0), None);
    }
}
