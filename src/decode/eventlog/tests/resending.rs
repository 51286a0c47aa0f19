//! Logs that were cut, each followed by the header of the next.

use super::several_runs::process;
use super::{Log, decode, heap, samples, summary};
use crate::incident::Condition;
use crate::profile::{HeapSeriesKind, Profile};

/// What a log says, without how it ends.
fn says(profile: &Profile) -> String {
    format!("{:?} {:?} {:?}", samples(profile), profile.markers, profile.heap)
}

/// A log of one process with an event of every kind after `time`.
fn connection(time: u64) -> Log {
    let mut log = Log::new();
    process(&mut log, time, 7, 100);
    log.centre(1, "main", 0).ipe(0x40, "go", 1).event(19, time, b"a message that ends in h");
    log.event(50, time, &heap(0x6868)).event(58, time + 1, b"marker").event(
        1,
        time + 1,
        &[0x68; 4],
    );
    log.begin(time + 2).string(time + 2, "Map", 5).stack(time + 2, &[1, 0x68], 6);
    log.string(time + 2, "path", 7).event(165, time + 2, &0x68u64.to_be_bytes());
    log.event(1, time + 2, &[0x68; 4]).event(1, time + 3, &[0; 4]).close(time + 9);
    log.open(time, 0x68).event(51, time + 3, &heap(0x68)).event(1, time + 4, &[0x68; 4]);
    log.close(time + 9);
    log
}

fn events_begin(log: &Log) -> usize {
    memchr::memmem::find(&log.bytes, b"datb").expect("the end of the header") + 4
}

/// The sizes of pieces that a log is read in.
const CHUNKS: [usize; 4] = [1, 7, 61, 300];

/// A whole connection, one that is cut, one that follows, read at once and in pieces.
fn check(first: &[u8], cut: &[u8], next: &[u8], expected: &str, chunks: &[usize]) {
    let bytes = [first, cut, next].concat();
    let whole = decode(&bytes, usize::MAX).expect("a log");
    assert_eq!(says(&whole), expected, "cut after {} bytes", cut.len());
    assert_eq!((whole.run.number, whole.run.of), (1, 1), "cut after {} bytes", cut.len());
    for &chunk in chunks {
        let chunked = decode(&bytes, chunk).expect("a log");
        let place = format!("cut after {} bytes, in chunks of {chunk}", cut.len());
        assert_eq!(summary(&chunked), summary(&whole), "{place}");
    }
}

#[test]
fn a_log_cut_anywhere_consumes_nothing_of_the_next_log() {
    let (first, cut, mut next) = (connection(10), connection(50), connection(90));
    next.mark_end();
    for end in 0..=cut.bytes.len() {
        let part = &cut.bytes[..end];
        let mut both = decode(&[&first.bytes, part].concat(), usize::MAX).expect("a log");
        let is_cut = both.condition() >= Condition::Cut;
        // Of a definition, the first byte alone is not told, and the last may be that of the next header.
        let is_open = [end.wrapping_sub(1), end + 1].into_iter().any(|near| {
            let near = cut.bytes.get(..near).map(|near| [&first.bytes, near].concat());
            let near = near.map(|near| decode(&near, usize::MAX).expect("a log").condition());
            near.is_some_and(|near| is_cut && near < Condition::Cut)
        });
        let then = decode(&next.bytes, usize::MAX).expect("a log");
        both.markers.extend(then.markers.iter().cloned());
        let expected = [&samples(&both)[..], &samples(&then)].concat();
        let points = |figure| [&both.heap[figure].points[..], &then.heap[figure].points].concat();
        let bytes = [&first.bytes, part, &next.bytes].concat();
        let whole = decode(&bytes, usize::MAX).expect("a log");
        assert_eq!(samples(&whole), expected, "cut after {end} bytes");
        let condition = if is_cut { Condition::Cut } else { Condition::Whole };
        assert!(is_open || whole.condition() == condition, "cut after {end} bytes");
        assert_eq!(whole.markers, both.markers, "cut after {end} bytes");
        for figure in [HeapSeriesKind::Size, HeapSeriesKind::Live] {
            assert_eq!(whole.heap[figure].points, points(figure), "cut after {end} bytes");
        }
        // All sizes would take four times as long; what is cut a byte later is read in another.
        check(&first.bytes, part, &next.bytes, &says(&whole), &[CHUNKS[end % CHUNKS.len()]]);
    }
}

/// A log with a message between two samples, and one after them in a block of its own.
fn with_message(message: &[u8]) -> Log {
    let mut log = Log::new();
    log.open(0, 0xFFFF).prof_begin(4, "").sample(1, "a", 1);
    log.event(19, 2, message).sample(3, "b", 2).close(4);
    log.open(4, 0).event(19, 5, message).close(6).open(6, 0xFFFF).sample(7, "c", 3);
    log.event(19, 8, message).close(9).mark_end();
    log
}

#[test]
fn a_message_may_contain_a_header_or_a_complete_log() {
    let header = Log::new().bytes;
    let whole = connection(0).bytes;
    for message in [
        &b"hdrb"[..],
        b"hdrbhetb",
        b"it begins with hdrbhetb, then etb",
        b"ends with h",
        b"ends with hdrbhe",
        &header,
        &header[..100],
        &[&b"a header: "[..], &header, b" and more"].concat(),
        &[&b"a log: "[..], &whole].concat(),
    ] {
        let profile = with_message(message).decode();
        let expected = [(1, vec![("a", 1)]), (3, vec![("b", 2)]), (7, vec![("c", 3)])];
        let text = String::from_utf8_lossy(message);
        assert_eq!(samples(&profile), expected, "{text}");
        assert_eq!(profile.markers.len(), 3, "{text}: {:?}", profile.warnings());
        assert_eq!((profile.condition(), profile.run.of), (Condition::Whole, 1));
    }
}

#[test]
fn another_program_s_log_may_follow_one_that_is_cut() {
    let first = connection(10);
    let mut next = Log::new();
    process(&mut next, 5, 8, 900);
    next.sample(6, "other", 1).close(9).mark_end();
    for end in events_begin(&first)..first.bytes.len() {
        let mut log = Log::new();
        log.bytes = [&first.bytes[..end], &next.bytes].concat();
        assert_eq!(samples(&log.decode()), [(6, vec![("other", 1)])], "cut after {end} bytes");
    }
}
