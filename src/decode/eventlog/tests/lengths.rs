//! Events with damaged lengths, markers with damaged times: what follows them is read.

use super::{Log, Stopwatch, decode, heap, samples, summary};
use crate::profile::Profile;

/// Writes another length into the last event, which has a payload of `payload` bytes.
fn declare(log: &mut Log, payload: usize, length: u16) {
    let at = log.bytes.len() - payload - 2;
    log.bytes[at..at + 2].copy_from_slice(&length.to_be_bytes());
}

/// What is read in one piece, and in others, of which each gives the same.
fn read(bytes: &[u8]) -> Profile {
    let whole = decode(bytes, usize::MAX).expect("a log");
    for chunk in [1, 7, 64] {
        let chunked = decode(bytes, chunk).expect("a log");
        assert_eq!(summary(&chunked), summary(&whole), "in chunks of {chunk}");
    }
    whole
}

fn times(profile: &Profile) -> Vec<i64> {
    samples(profile).iter().map(|(time, _)| *time).collect()
}

#[test]
fn a_block_marker_with_damaged_times_hides_nothing_of_its_block() {
    // Where the marker's time begins, its closing time, and what is written there: times after the
    // block's, and before.
    const SECOND: u64 = 1_000_000_000;
    let mut log = Log::new();
    log.open(10 * SECOND, 0xFFFF).prof_begin(4, "").close(11 * SECOND);
    let marker = log.bytes.len();
    log.open(12 * SECOND, 0xFFFF);
    for time in 12..30 {
        log.sample(time * SECOND, "a", time);
    }
    log.close(40 * SECOND).mark_end();
    let sound = times(&read(&log.bytes));
    for (time, closed) in [(100, 200), (12, 20), (1, 2), (u64::MAX / 4, u64::MAX / 2)] {
        let mut bytes = log.bytes.clone();
        for (at, seconds) in [(2, time), (14, closed)] {
            let time = u64::saturating_mul(seconds, SECOND);
            bytes[marker + at..marker + at + 8].copy_from_slice(&time.to_be_bytes());
        }
        let profile = read(&bytes);
        let lost = sound.len() - profile.samples.len();
        assert!(lost <= profile.losses().samples && lost <= 1, "{time} {closed}: {lost}");
    }
}

#[test]
fn an_end_mark_among_events_does_not_end_the_log() {
    let mut log = Log::new();
    log.open(0, 0xFFFF).prof_begin(4, "").sample(10, "a", 1).close(10);
    log.bytes.extend([0xFF, 0xFF]);
    log.open(10, 0xFFFF).sample(20, "a", 1).sample(30, "a", 1).event(50, 31, &heap(1)).close(40);
    let profile = read(&log.mark_end().bytes);
    assert_eq!((times(&profile), profile.losses().bytes), (vec![10, 20, 30], 2));
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
