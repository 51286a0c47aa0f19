//! Several logs in one stream.

use super::{Log, samples};
use crate::incident::End;

/// Opens a block that says which process this is.
pub fn process(log: &mut Log, time: u64, id: u32, epoch_seconds: u64) {
    let clock = [&[0; 4][..], &epoch_seconds.to_be_bytes(), &(time as u32).to_be_bytes()].concat();
    log.open(time, 0xFFFF).event(43, time, &clock);
    log.event(32, time, &[[0; 4], id.to_be_bytes()].concat());
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
