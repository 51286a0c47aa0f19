//! Tests the decoder on logs built byte by byte: one boundary for each test. The numbered tests are
//! the surprises of `docs/format/eventlog.md#surprises`.

use super::*;
use crate::base::units::Bytes;
use crate::incident::{Condition, WarningCode};
use crate::profile::{Breakdown, HeapSeriesKind, Profile, Source};
use crate::testing::{Log, Stopwatch, event};

mod resending;
mod several_runs;

/// Words for what these tests write again and again.
impl Log {
    fn prof_begin(&mut self, breakdown: u32, biography: &str) -> &mut Self {
        let mut payload = vec![0];
        payload.extend(100_000_000u64.to_be_bytes());
        payload.extend(breakdown.to_be_bytes());
        payload.extend([0; 6]);
        payload.extend(biography.as_bytes());
        payload.push(0);
        self.event(160, 1, &payload)
    }

    fn centre(&mut self, id: u32, label: &str, flags: u8) -> &mut Self {
        self.cost_centre(2, id, [label.as_bytes(), b"Main", b"Main.hs:1"], flags)
    }

    fn ipe(&mut self, address: u64, label: &str, declared_too_much: u16) -> &mut Self {
        let texts: [&[u8]; 6] = [b"t_info", b"21", b"T", label.as_bytes(), b"Main", b"a:1"];
        event::info_table(&mut self.bytes, 3, declared_too_much, address, texts);
        self
    }

    fn decode(&self) -> Profile {
        let whole = decode(&self.bytes, usize::MAX).expect("a log");
        for chunk in [1, 7, 64] {
            let chunked = decode(&self.bytes, chunk).expect("a log");
            assert_eq!(summary(&chunked), summary(&whole), "in chunks of {chunk}");
        }
        whole
    }
}

fn decode(bytes: &[u8], chunk: usize) -> Result<Profile, Error> {
    let mut profile = ProfileBuilder::new(Source::Eventlog);
    let mut decoder = EventlogDecoder::new();
    for piece in bytes.chunks(chunk.min(bytes.len().max(1))) {
        decoder.feed(piece, &mut profile)?;
    }
    decoder.finish(&mut profile)?;
    Ok(profile.finish())
}

/// Time and (label, bytes) of every sample.
fn samples(profile: &Profile) -> Vec<(i64, Vec<(&str, u64)>)> {
    let points = |i| {
        let named = |(band, size): (_, Bytes)| (profile.bands.label(band), size.get());
        profile.samples.points(i).map(named).collect()
    };
    let times = profile.samples.times().iter();
    times.enumerate().map(|(i, time)| (time.as_nanos(), points(i))).collect()
}

fn summary(profile: &Profile) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?}",
        profile.condition(),
        profile.breakdown,
        samples(profile),
        profile.markers,
        profile.heap,
        profile.warnings()
    )
}

fn codes(profile: &Profile) -> Vec<WarningCode> {
    profile.warnings().iter().map(|warning| warning.code).collect()
}

fn heap(bytes: u64) -> Vec<u8> {
    [&[0; 4][..], &bytes.to_be_bytes()].concat()
}

#[test]
fn an_event_is_taken_with_its_last_byte() {
    let mut log = Log::new();
    log.open(1, 0);
    let start = log.bytes.len();
    log.event(50, 2, &heap(7));
    for cut in start..log.bytes.len() {
        let mut profile = ProfileBuilder::new(Source::Eventlog);
        let mut decoder = EventlogDecoder::new();
        for piece in [&log.bytes[..cut], &log.bytes[cut..]] {
            assert_eq!(profile.clone().finish().heap[HeapSeriesKind::Size].points.len(), 0);
            decoder.feed(piece, &mut profile).expect("a log");
        }
        let taken = profile.finish().heap[HeapSeriesKind::Size].points.len();
        assert_eq!(taken, 1, "cut after {} bytes", cut - start);
    }
}

#[test]
fn an_event_that_was_taken_early_is_not_taken_again() {
    let mut log = Log::new();
    // Its last byte may be the first of another log's header.
    log.open(1, 0).event(50, 2, &heap(u64::from(b'h')));
    let taken = log.bytes.len();
    log.event(50, 3, &heap(5)).close(4);
    let mut profile = ProfileBuilder::new(Source::Eventlog);
    let mut decoder = EventlogDecoder::new();
    let sizes = |profile: &ProfileBuilder| {
        let points = profile.clone().finish().heap[HeapSeriesKind::Size].points.to_vec();
        points.iter().map(|(time, size)| (time.as_nanos(), size.get())).collect::<Vec<_>>()
    };
    decoder.feed(&log.bytes[..taken], &mut profile).expect("a log");
    assert_eq!(sizes(&profile), []);
    for _ in 0..2 {
        decoder.catch_up(&mut profile).expect("a log");
        assert_eq!(sizes(&profile), [(2, b'h'.into())]);
    }
    decoder.feed(&log.bytes[taken..], &mut profile).expect("a log");
    decoder.finish(&mut profile).expect("a log");
    assert_eq!(sizes(&profile), [(2, b'h'.into()), (3, 5)]);
}

#[test]
fn thing_7_the_breakdown_is_inferred_when_its_event_is_missing() {
    let args = |flags: &str| [&[0; 4][..], b"p\0+RTS\0", flags.as_bytes(), b"\0"].concat();
    let mut log = Log::new();
    log.event(30, 0, &args("-hy")).sample(1, "a", 1).mark_end();
    let profile = log.decode();
    assert_eq!(profile.breakdown, Breakdown::Type);
    assert_eq!(codes(&profile), [WarningCode::BreakdownInferred]);
    let inferred = |fill: &dyn Fn(&mut Log)| {
        let mut log = Log::new();
        fill(&mut log);
        log.mark_end().decode().breakdown
    };
    assert_eq!(
        inferred(&|log| {
            log.begin(1).stack(1, &[1], 1).end(1);
        }),
        Breakdown::CostCentre
    );
    assert_eq!(
        inferred(&|log| {
            log.event(166, 9, &[0; 16]).string(9, "x", 1).end(9);
        }),
        Breakdown::Biography
    );
    assert_eq!(
        inferred(&|log| {
            log.sample(1, "0x40bea0", 1);
        }),
        Breakdown::InfoTable
    );
    assert_eq!(
        inferred(&|log| {
            log.event(29, 0, b"\0\0\0\0GHC-9.0.2 rts_p").event(30, 0, &args("-h"));
            log.sample(1, "x", 1);
        }),
        Breakdown::CostCentre
    );
}

#[test]
fn thing_16_the_environment_is_never_read() {
    let mut log = Log::new();
    log.event(31, 0, b"\0\0\0\0SECRET=hunter2\0").prof_begin(4, "").sample(1, "a", 1);
    let profile = log.mark_end().decode();
    assert!(!format!("{profile:?}").contains("hunter2"));
}

#[test]
fn bytes_after_the_end_mark_are_counted() {
    let mut log = Log::new();
    log.prof_begin(4, "").sample(1, "a", 1).mark_end();
    log.bytes.extend(b"twelve bytes");
    let profile = log.decode();
    assert_eq!(
        (profile.condition(), codes(&profile)),
        (Condition::Whole, vec![WarningCode::TrailingBytes])
    );
    assert!(profile.warnings()[0].message.ends_with("12 bytes after the end of the log"));
    // The same if the last block ends with its mark, or after it.
    for inside in [0, 3] {
        let mut log = Log::new();
        log.open(0, 0xFFFF).prof_begin(4, "").sample(1, "a", 1).mark_end();
        log.bytes.extend(vec![b'x'; inside]);
        log.close(2).bytes.extend(b"twelve bytes");
        let profile = log.decode();
        let found = (profile.condition(), codes(&profile));
        assert_eq!(found, (Condition::Whole, vec![WarningCode::TrailingBytes]), "{inside}");
    }
    // Whatever they are.
    let mut log = Log::new();
    log.open(0, 0xFFFF).prof_begin(4, "").sample(1, "a", 1).mark_end().close(2);
    log.bytes.extend([b'x'; 60]);
    log.sample(3, "a", 1).sample(4, "a", 1);
    assert_eq!(samples(&log.decode()).len(), 1);
    // Without a mark they are damage.
    let mut log = Log::new();
    log.open(0, 0xFFFF).prof_begin(4, "").sample(1, "a", 1);
    log.bytes.extend(b"twelve bytes");
    assert_eq!(log.close(2).decode().condition(), Condition::Damaged);
}

#[test]
fn bytes_before_the_header_are_skipped_in_any_pieces() {
    let mut log = Log::new();
    log.prof_begin(4, "").sample(1, "a", 1).mark_end();
    let printed = b"Starting the program...\n\xFFhdrb\0";
    let bytes = [&printed[..], &log.bytes].concat();
    for piece in [1, 7, usize::MAX] {
        let profile = decode(&bytes, piece).unwrap();
        assert_eq!(profile.samples.len(), 1);
        assert_eq!(codes(&profile), [WarningCode::LeadingBytes]);
        assert!(profile.warnings()[0].message.contains("30 bytes before the log"));
    }
}

#[test]
fn the_bytes_of_thread_and_collection_events_are_counted() {
    // 0 and 2 have a fixed size, 46 says its own.
    let mut log = Log::declaring(&[(0, 4), (2, 8), (18, 14), (46, 0xFFFF)]);
    let header = log.bytes.len();
    log.open(0, 0xFFFF);
    let marker = log.bytes.len() - header;
    for time in 1..200 {
        log.event(0, time, &[0; 4]).event(2, time, &[0; 8]).event(46, time, b"cap");
    }
    log.close(200);
    let events = log.bytes.len() - header - marker;
    for chunk in [1, 7, 64, usize::MAX] {
        let size = decode(&log.bytes, chunk).expect("a log").log_size;
        assert_eq!(size.bytes, log.bytes.len() as u64);
        assert_eq!(size.scheduler, events as u64, "in chunks of {chunk}");
    }
}

#[test]
fn threads_are_known_by_their_labels_until_they_end() {
    let thread = |number: u32| number.to_be_bytes().to_vec();
    let label = |number, label: &[u8]| [&thread(number), label].concat();
    let stop = |number, reason: u16| [thread(number), vec![0, reason as u8, 0, 0, 0, 0]].concat();
    let mut log = Log::declaring(&[(2, 10), (18, 14), (44, 0xFFFF)]);
    // The buffer of the second processor is written first.
    log.open(1, 1).event(2, 7, &stop(3, 5)).event(2, 8, &stop(4, 3)).close(9);
    log.open(1, 0);
    for (number, name) in [(1, b"request 1".as_slice()), (2, b"request 2"), (3, b"request 33")] {
        log.event(44, 2, &label(number, name));
    }
    log.event(44, 3, &label(4, b"timer")).event(44, 3, b"\0\0").event(44, 4, &label(5, b"request"));
    log.event(2, 5, &stop(1, 5)).event(2, 6, &stop(2, 4)).close(10);
    let profile = log.decode();
    let at = |time| profile.runtime.threads.most_alive(Nanos::from_nanos(time));
    assert_eq!([1, 2, 4].map(at), [None, Some(("request", 3, 3)), Some(("request", 4, 4))]);
    assert_eq!([5, 9].map(at), [Some(("request", 3, 4)), Some(("request", 2, 4))]);
}

/// Writes another length into the last event, which has a payload of `payload` bytes.
fn declare(log: &mut Log, payload: usize, length: u16) {
    let at = log.bytes.len() - payload - 2;
    log.bytes[at..at + 2].copy_from_slice(&length.to_be_bytes());
}

#[test]
fn many_damaged_lengths_take_linear_time() {
    // Events whose lengths lead to each other, and in the end to other bytes. Their times, which have no NULs,
    // are not in their block.
    const LATEST: u64 = 0x0707_0707_0707_0707;
    for (tag, length) in [(19, 65_532), (19, 480), (30, 480), (164, 65_532)] {
        let mut log = Log::new();
        log.open(1, 0xFFFF).prof_begin(4, "").close(LATEST).open(2, 0xFFFF);
        for _ in 0..60_000 {
            log.event(tag, LATEST - 1, b"");
            declare(&mut log, 0, length);
        }
        log.bytes.extend([0xEE; 70_000]);
        log.close(3);
        let begin = Stopwatch::start();
        decode(&log.bytes, usize::MAX).expect("a log");
        let taken = begin.elapsed();
        println!("{tag} {length}: {taken:?}");
        assert!(taken.as_secs() < 10, "{tag} {length}: {taken:?}");
    }
}
