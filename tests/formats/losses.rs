//! Reports of losses, checked on complete files.

use std::io::Write;
use std::path::Path;

use crate::common;
use flate2::Compression;
use flate2::write::GzEncoder;
use heapviz::incident::{Condition, End, LastSample};
use heapviz::input::{InputOptions, read};
use heapviz::profile::Profile;

fn of(bytes: &[u8]) -> Profile {
    read(bytes, &InputOptions::default()).expect("a profile")
}

fn sample(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    std::fs::read(path).expect("a sample")
}

#[test]
fn complete_files_have_no_losses() {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.contains('.') && !name.ends_with(".md") {
            assert_eq!(of(&sample(&name)).loss_summary(), None, "{name}");
        }
    }
}

#[test]
fn a_log_that_only_lacks_its_end_has_no_losses() {
    let mut log = sample("leak-hy.eventlog");
    log.truncate(log.len() - 2);
    let profile = of(&log);
    assert_eq!((profile.condition(), profile.loss_summary()), (Condition::Open, None));
}

#[test]
fn a_cut_log_lost_its_last_sample() {
    let log = sample("leak-hy.eventlog");
    // The first cut after the middle that is inside an event of a sample.
    let profile = (log.len() / 2..)
        .map(|at| of(&log[..at]))
        .find(|profile| profile.condition() == Condition::Cut && profile.losses().samples > 0)
        .expect("a cut");
    let drawn = profile.samples().len();
    let End::InsideEvent(byte) = profile.losses().end else { panic!("{:?}", profile.losses()) };
    assert_eq!(profile.losses().last_sample, LastSample::Unfinished);
    assert_eq!(
        profile.loss_summary().unwrap(),
        format!(
            "drew {drawn} of {} samples; last sample unfinished; the log ends inside an event, at \
             byte {byte}",
            drawn + 1
        )
    );
}

#[test]
fn foreign_bytes_in_a_log_are_counted_and_dated() {
    let mut log = sample("leak-hy.eventlog");
    let whole = of(&log);
    let at = log.len() / 2;
    log.splice(at..at, [0xEE; 40]);
    let profile = of(&log);
    let losses = &profile.losses();
    assert_eq!((profile.condition(), losses.places, losses.gaps.len()), (Condition::Damaged, 1, 1));
    assert!(losses.bytes >= 40 && losses.bytes < 200, "{losses:?}");
    assert!(profile.samples().len() + 1 >= whole.samples().len());
    let time = losses.gaps[0].time_ns.expect("a time");
    let line = profile.loss_summary().unwrap();
    let skipped = format!("skipped {} bytes at {time} (damaged events)", losses.bytes);
    assert!(line.contains(&skipped), "{line}");
}

#[test]
fn meaningless_statements_in_a_hp_are_counted() {
    let text = "JOB \"j\"\nBEGIN_SAMPLE 1.0\na\t1\nwhat is this\n\t5\nEND_SAMPLE 1.0\nb\t7\n";
    assert_eq!(
        of(text.as_bytes()).loss_summary().unwrap(),
        "drew 1 sample; skipped 1 statement; left out 2 values"
    );
}

#[test]
fn a_cut_compressed_stream_is_reported() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&sample("leak-hy.hp")).unwrap();
    let whole = encoder.finish().unwrap();
    let profile = of(&whole[..whole.len() / 2]);
    assert_eq!(profile.losses().end, End::CompressedCut);
    let line = profile.loss_summary().unwrap();
    assert!(line.ends_with("; the compressed stream is cut off"), "{line}");
    let mut broken = whole.clone();
    let middle = broken.len() / 2;
    broken[middle..middle + 64].fill(0xFF);
    assert_eq!(of(&broken).losses().end, End::CompressedDamaged);
}

/// Logs that the run-time system itself damaged (`docs/format/eventlog.md#damage-inside-a-log`).
#[test]
fn interleaved_events_lose_at_most_one_sample_each() {
    let data = common::real_data();
    for name in ["race-race-2", "race-race-5"] {
        let bytes = std::fs::read(data.join("odd").join(name).with_added_extension("eventlog"));
        let profile = of(&bytes.unwrap());
        let losses = &profile.losses();
        assert!(losses.samples <= losses.places, "{name}: {losses:?}");
        assert!((15..100).contains(&losses.bytes), "{name}: {losses:?}");
        assert_eq!((losses.last_sample, losses.end), (LastSample::Complete, End::Clean), "{name}");
    }
}

#[test]
fn a_killed_program_loses_nothing_that_its_log_contains() {
    let data = common::real_data();
    for name in ["kill9", "killflush", "killint", "late", "long", "noauto", "restart"] {
        let bytes = std::fs::read(data.join("odd").join(name).with_added_extension("eventlog"));
        let summary = of(&bytes.unwrap()).loss_summary();
        assert_eq!(summary, None, "{name}");
    }
}
