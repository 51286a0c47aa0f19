//! Events with damaged lengths, markers with damaged times: what follows them is read.

use super::{Log, Stopwatch, decode, heap, samples, summary};
use crate::incident::{Condition, End};
use crate::profile::Profile;

/// Writes another length into the last event, which has a payload of `payload` bytes.
fn declare(log: &mut Log, payload: usize, length: u16) {
    let at = log.bytes.len() - payload - 2;
    log.bytes[at..at + 2].copy_from_slice(&length.to_be_bytes());
}

/// A log of samples at 10, 20 ... 90, in which `damage` does something at time 45.
fn with(damage: impl Fn(&mut Log)) -> Vec<u8> {
    let mut log = Log::new();
    log.open(0, 0xFFFF).prof_begin(4, "");
    for time in (10..100).step_by(10) {
        log.sample(time, "a", time);
        if time == 40 {
            damage(&mut log);
        }
    }
    log.close(100).mark_end();
    log.bytes
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

const ALL: [i64; 9] = [10, 20, 30, 40, 50, 60, 70, 80, 90];

/// A sample at 45 whose only event has a payload and says that it has another length.
fn sample_of(tag: u16, payload: &[u8], length: u16) -> Vec<u8> {
    with(|log| {
        log.begin(45).event(tag, 45, payload);
        declare(log, payload.len(), length);
        log.end(45);
    })
}

#[test]
fn a_length_that_is_too_long_loses_its_own_sample() {
    let string = [&[0; 9][..], b"Map\0"].concat();
    let stack = [&[0; 9][..], &[1, 0, 0, 0, 7]].concat();
    // Somewhere in an event, and beyond the end of the log.
    for length in [40, 99, 20_000] {
        for (tag, payload) in [(164, &string), (163, &stack)] {
            let profile = read(&sample_of(tag, payload, length));
            assert_eq!(times(&profile), ALL, "{tag} {length}");
            assert_eq!(profile.losses().samples, 1, "{tag} {length}");
            let skipped = 12 + payload.len() as u64;
            assert_eq!(
                (profile.losses().bytes, profile.losses().end),
                (skipped, End::Clean),
                "{tag} {length}"
            );
        }
    }
}

#[test]
fn a_length_that_ends_where_a_later_event_begins_is_wrong() {
    let string = [&[0; 9][..], b"Map\0"].concat();
    // The rest of its own sample, and the next one.
    let swallowed = 18 + (18 + 23 + 18);
    let profile = read(&sample_of(164, &string, 13 + swallowed));
    assert_eq!((times(&profile), profile.losses().samples), (ALL.to_vec(), 1));
}

#[test]
fn a_message_with_other_events_in_it_is_damaged() {
    // USER_MSG, PROGRAM_ARGS, USER_MARKER.
    for (tag, payload) in [(19, &b"text"[..]), (30, b"\0\0\0\0prog\0+RTS\0"), (58, b"text")] {
        for length in [70, 20_000] {
            let bytes = with(|log| {
                log.event(tag, 45, payload);
                declare(log, payload.len(), length);
            });
            let profile = read(&bytes);
            assert_eq!(times(&profile), ALL, "{tag} {length}");
            assert_eq!(profile.condition(), Condition::Damaged, "{tag} {length}");
        }
    }
}

#[test]
fn a_log_that_is_cut_is_not_damaged() {
    let string = [&[0; 9][..], b"Map\0"].concat();
    let bytes = sample_of(164, &string, 13);
    for end in bytes.len() - 200..bytes.len() - 2 {
        let profile = read(&bytes[..end]);
        assert_ne!(profile.condition(), Condition::Damaged, "{end}");
        assert_eq!(profile.losses().bytes, 0, "{end}");
    }
}

#[test]
fn a_header_after_an_event_with_a_damaged_length_does_not_end_the_log_there() {
    let mut bytes = sample_of(164, &[&[0; 9][..], b"Map\0"].concat(), 20_000);
    bytes.truncate(bytes.len() - 2);
    let mut next = Log::new();
    next.open(0, 0xFFFF).prof_begin(4, "").sample(100, "a", 1).close(110).mark_end();
    bytes.extend(&next.bytes);
    let profile = read(&bytes);
    assert_eq!(times(&profile), [&ALL[..], &[100]].concat());
    assert_eq!(profile.losses().samples, 1);
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
fn a_block_of_one_time_has_no_event_of_another() {
    for (time, condition) in [(10, Condition::Whole), (1 << 40, Condition::Damaged)] {
        let mut log = Log::new();
        log.open(10, 0xFFFF).prof_begin(10, "").sample(10, "a", 1);
        log.event(50, time, &heap(1)).close(10).mark_end();
        assert_eq!(read(&log.bytes).condition(), condition, "{time}");
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
fn nuls_after_the_end_of_a_log_are_not_events() {
    let mut log = Log::declaring(&[Log::TYPES, &[(0, 4)]].concat());
    log.open(0, 0xFFFF).prof_begin(4, "").sample(10, "a", 1).close(10).mark_end();
    log.bytes.extend([0; 500]);
    assert_eq!(read(&log.bytes).condition(), Condition::Whole);
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
