//! Several logs in one stream.

use super::{Log, samples};
use crate::incident::{Condition, End};

#[test]
fn another_log_may_begin_where_one_is_unfinished() {
    for too_much in [0, 1] {
        let mut log = Log::new();
        log.open(0, 0xFFFF).sample(5, "a", 1).ipe(0x40, "go", too_much).close(6);
        let first = log.bytes.len();
        let next = Log::new().bytes;
        log.bytes.extend(next);
        log.open(0, 0xFFFF).sample(3, "b", 2).close(4);
        let profile = log.decode();
        assert_eq!(samples(&profile), [(3, vec![("b", 2)])]);
        assert_eq!((profile.run.number, profile.run.of), (2, 2));
        assert!(profile.losses().is_empty());
        // Also after bytes that are not events.
        log.bytes.splice(first..first, [0xEE; 3]);
        assert_eq!(samples(&log.decode()), [(3, vec![("b", 2)])]);
    }
}

/// Opens a block that says which process this is.
pub fn process(log: &mut Log, time: u64, id: u32, epoch_seconds: u64) {
    let clock = [&[0; 4][..], &epoch_seconds.to_be_bytes(), &(time as u32).to_be_bytes()].concat();
    log.open(time, 0xFFFF).event(43, time, &clock);
    log.event(32, time, &[[0; 4], id.to_be_bytes()].concat());
}

#[test]
fn logs_of_one_process_are_one_run_and_samples_of_two_are_never_mixed() {
    // Time, process, epoch of the second log; how many runs.
    for (time, id, epoch, runs) in
        [(50, 7, 100, 1), (50, 8, 100, 2), (10, 7, 100, 2), (50, 7, 101, 2)]
    {
        let mut log = Log::new();
        process(&mut log, 1, 7, 100);
        log.sample(20, "a", 1).sample(30, "b", 2).begin(40).close(41);
        let next = Log::new().bytes;
        log.bytes.extend(next);
        process(&mut log, time, id, epoch);
        log.sample(60, "b", 3).sample(70, "a", 4).close(71).mark_end();
        let profile = log.decode();
        let second = [(60, vec![("b", 3)]), (70, vec![("a", 4)])];
        let both = [&[(20, vec![("a", 1)]), (30, vec![("b", 2)])][..], &second].concat();
        assert_eq!(samples(&profile), if runs == 1 { &both[..] } else { &second[..] });
        assert_eq!((profile.run.number, profile.run.of), (runs, runs));
        assert_eq!(profile.condition(), Condition::Whole);
    }
}

#[test]
fn a_run_without_an_end_mark_says_where_it_was_cut() {
    let mut log = Log::new();
    process(&mut log, 1, 7, 100);
    log.open(2, 0xFFFF).sample(20, "a", 1).sample(30, "b", 2);
    let event = log.bytes.len();
    log.event(19, 40, b"a message that is cut").close(41);
    let mut next = Log::new();
    process(&mut next, 50, 8, 100);
    next.close(51).mark_end();
    let inside = End::InsideEvent(event as u64);
    for (length, end) in [(20, inside), (5, inside), (0, End::NoEndMark)] {
        // The first run is drawn, as the next one has no samples.
        log.bytes.truncate(event + length);
        let mut both = Log::new();
        both.bytes = [&log.bytes[..], &next.bytes].concat();
        let profile = both.decode();
        assert_eq!(samples(&profile), [(20, vec![("a", 1)]), (30, vec![("b", 2)])]);
        assert_eq!((profile.run.number, profile.run.of), (1, 2));
        assert_eq!(profile.losses().end, end);
        // As the last one, too.
        assert_eq!(log.decode().losses().end, end);
    }
}
