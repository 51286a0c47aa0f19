//! Compares the engine with a plain reading of the bytes so far, on the samples of the package.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::incident::Condition;
use crate::input::{InputOptions, read};
use crate::testing::Log;

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    std::fs::read(path).expect("a sample")
}

/// Times and points by label.
fn samples(profile: &Profile) -> Vec<(i64, BTreeMap<String, u64>)> {
    let times = profile.samples.times().iter().enumerate();
    let of = |sample| {
        let mut points = BTreeMap::new();
        for (band, size) in profile.samples.points(sample) {
            *points.entry(profile.bands.label(band).to_owned()).or_insert(0) += size.get();
        }
        points
    };
    times.map(|(sample, time)| (time.as_nanos(), of(sample))).collect()
}

#[test]
fn a_log_that_continues_is_not_damaged() {
    let bytes = sample("leak-hy.eventlog");
    let mut engine = Engine::new(LiveOptions::default());
    assert_eq!(engine.progress(), LogProgress::Silent);
    engine.connect();
    engine.feed(&bytes[..1000]).unwrap();
    assert_eq!(engine.progress(), LogProgress::HeaderOnly);
    // Inside an event.
    engine.feed(&bytes[1000..bytes.len() - 100]).unwrap();
    assert_eq!(engine.progress(), LogProgress::Running);
    let profile = engine.profile().unwrap();
    assert_eq!((profile.condition(), profile.warnings().len()), (Condition::Running, 0));
    assert!(profile.losses().summary(1).is_none());
}

/// The length of a cut event can be read from the header that follows it, and end beyond all bytes.
#[test]
fn a_closed_connection_loses_nothing_that_waited_for_more_bytes() {
    let log = |times: [u64; 2]| {
        let mut log = Log::new();
        log.profile_begins(1, 7, 1);
        for time in times {
            log.sample(time, b"a", 8 * time);
        }
        log.ended()
    };
    let (mut bytes, next) = (log([10, 20]), log([30, 40]));
    bytes.truncate(bytes.len() - 2);
    // All of a sample's event but the last byte of its time.
    bytes.extend([0, 164, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend(next);
    let whole = samples(&read(&bytes[..], &InputOptions::default()).unwrap());
    let mut engine = Engine::new(LiveOptions::default());
    engine.connect();
    engine.feed(&bytes).unwrap();
    assert_ne!(samples(&engine.profile().unwrap()), whole);
    engine.disconnect().unwrap();
    assert_eq!(samples(&engine.profile().unwrap()), whole);
}

#[test]
fn a_restarted_program_is_shown_once_it_has_a_sample() {
    let bytes = sample("leak-hy.eventlog");
    let whole = read(&bytes[..], &InputOptions::default()).unwrap();
    let mut engine = Engine::new(LiveOptions::default());
    engine.connect();
    engine.feed(&bytes).unwrap();
    engine.connect();
    engine.feed(&bytes[..2000]).unwrap();
    assert_eq!(engine.profile().unwrap().samples.len(), whole.samples.len());
    assert_eq!(engine.progress(), LogProgress::HeaderOnly);
    engine.feed(&bytes[2000..bytes.len() / 2]).unwrap();
    let profile = engine.profile().unwrap();
    assert!(profile.samples.len() < whole.samples.len());
    assert_eq!((profile.run.number, profile.run.of), (2, 2));
}

#[test]
fn memory_is_bounded_and_what_was_thinned_is_reported() {
    let options = LiveOptions { samples: 100, ..LiveOptions::default() };
    let mut engine = Engine::new(options);
    engine.connect();
    let mut text = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n".to_owned();
    for i in 0..1000 {
        text.push_str(&format!("BEGIN_SAMPLE {i}.0\na\t{}\nEND_SAMPLE {i}.0\n", i % 7));
    }
    for piece in text.as_bytes().chunks(300) {
        engine.feed(piece).unwrap();
        assert!(engine.samples().0 <= 100);
    }
    let (left, thinned) = engine.samples();
    assert_eq!(left + thinned, 1000);
    let profile = engine.profile().unwrap();
    assert!(profile.warnings()[0].message.starts_with(&format!("{thinned} samples of the older")));
    assert_eq!(profile.samples.times()[left - 1].as_nanos(), 999_000_000_000);
}

#[test]
fn messages_are_those_of_the_released_protocol() {
    let census = Command::Census.message();
    let hex: String = census.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "f09e978c000f6576656e746c6f672d736f636b657405");
    let last = |command: Command| command.message().last().copied();
    assert_eq!([Command::Start, Command::Stop].map(last), [Some(3), Some(4)]);
}
