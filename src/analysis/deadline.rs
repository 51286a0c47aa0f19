//! When the memory of a program reaches what it may use: a rate says little, a time says when to act.

use super::{Account, Leak, of_cpu};
use crate::base::sentence::{Sentence, name, rounded, say, size};
use crate::base::units::{Bytes, Nanos};
use crate::profile::{Clock, Metadata};
use crate::slice::Slice;

/// How much memory a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The user says so.
    Given(Bytes),
    /// That of its control group, which ends a program that needs more.
    OfContainer(Bytes),
    /// The `-M` of its command line, with which the run-time system ends it.
    OfCommandLine(Bytes),
}

impl MemoryLimit {
    /// The limit that a command line sets: `-M24m` is 24 MiB.
    fn of_command_line(metadata: &Metadata) -> Option<MemoryLimit> {
        let flags = metadata.rts_flags().into_iter().rev();
        let mut limits = flags.filter_map(|flag| flag.strip_prefix("-M"));
        // -Mgrace=SIZE is what a program may use after that.
        let text = limits.find(|text| !text.starts_with("grace"))?;
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let power = match text[digits..].chars().next()?.to_ascii_lowercase() {
            'k' => 10,
            'm' => 20,
            'g' => 30,
            _ => return None,
        };
        let bytes = text[..digits].parse::<u64>().ok()?.checked_mul(1 << power)?;
        (bytes > 0).then(|| MemoryLimit::OfCommandLine(Bytes::new(bytes)))
    }
}

/// `its memory reaches 512 MiB (the limit of its container) in 4 min 13 s at this rate`; of a heap that does not leak,
/// how much of a limit that the user gave it used; without a limit, when a leak has taken 1 GiB more.
///
/// Where the memory of the process is not known, it is taken to grow as the live data do.
pub fn deadline(
    account: &Account,
    slice: &Slice<'_>,
    limit: Option<MemoryLimit>,
) -> Option<Sentence> {
    let limit = limit.or_else(|| MemoryLimit::of_command_line(slice.metadata()));
    let heap = account.heights;
    let memory = account.memory.as_ref();
    let (what, last, most) = match memory {
        Some(memory) => ("its memory", memory.last.max(heap.settled), memory.most.max(heap.high)),
        None => ("its live data alone", heap.settled, heap.high),
    };
    if account.samples == 0 {
        return None;
    }
    let rises = memory.and_then(|memory| memory.rise.as_ref()).map(|rise| rise.rate);
    let rate = account.rate();
    let is_leak = account.leak >= Leak::Possible && slice.clock() != Clock::Sample && rate > 0.0;
    let of_cpu = of_cpu(slice.clock());
    let time = |seconds: f64| Nanos::from_nanos((1e9 * seconds).min(9e18) as i64);
    let Some(limit) = limit else {
        const GIBIBYTE: u64 = 1 << 30;
        let after = time(GIBIBYTE as f64 / rate);
        let more = format!(" more after {after}{of_cpu}");
        return is_leak.then(|| say!["at this rate, ", size(GIBIBYTE), more]);
    };
    if let MemoryLimit::OfCommandLine(bytes) = limit
        && most >= bytes.get() as f64
    {
        return Some(say!["it reached its ", name("-M"), " of ", bytes]);
    }
    let (bytes, whose) = match limit {
        MemoryLimit::Given(bytes) => (bytes, Sentence::default()),
        MemoryLimit::OfContainer(bytes) => (bytes, " (the limit of its container)".into()),
        MemoryLimit::OfCommandLine(bytes) => (bytes, say![" (its ", name("-M"), ")"]),
    };
    let all = bytes.get() as f64;
    if most >= all {
        return Some(say![what, " was up to ", rounded(most), ", more than ", bytes, whose]);
    }
    if is_leak {
        let rate = rises.unwrap_or(rate * last / heap.settled.max(1.0));
        let after = time((all - last).max(0.0) / rate);
        return Some(say![
            what,
            " reaches ",
            bytes,
            whose,
            format!(" in {after}{of_cpu} at this rate")
        ]);
    }
    let is_asked = matches!(limit, MemoryLimit::Given(_));
    is_asked.then(|| say![what, " was at most ", rounded(most), " of ", bytes])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::profile::{BandKeyRef, HeapSeriesKind, ProfileBuilder, Source};

    #[test]
    fn the_limit_of_a_command_line_is_its_last_one() {
        let limit = |words: &str| {
            let arguments = words.split(' ').map(str::to_owned).collect();
            MemoryLimit::of_command_line(&Metadata { arguments, ..Metadata::default() })
        };
        for (words, mib) in [
            ("p +RTS -M24m -RTS", Some(24)),
            ("p +RTS -M1G -hT -M2g", Some(2048)),
            ("p -M24m", None),
            ("p +RTS -M0m", None),
            ("p +RTS -M", None),
            ("p +RTS -M99999999999999999999g", None),
            ("p +RTS -Mgrace=2m", None),
        ] {
            let found = mib.map(|mib| MemoryLimit::OfCommandLine(Bytes::new(mib << 20)));
            assert_eq!(limit(words), found, "{words}");
        }
    }

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
                builder.heap_point(HeapSeriesKind::Size, time, Bytes::new(held * live));
            }
            builder.seal_sample(time);
        }
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        let verdict = Analysis::account_of(&slice, &[]);
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
        assert_eq!(
            words(Given, 200, 0, 1),
            "its live data alone reaches 200 MiB in 40 s at this rate"
        );
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
