//! What happens at each limit: each input has one more item than may be kept.

use std::time::Duration;

use heapviz::incident::WarningCode;
use heapviz::incident::error::Error;
use heapviz::input::{InputOptions, ReadError, read};
use heapviz::profile::{Limits, Profile};

use crate::common::generator::testing::{Log, Stopwatch};

fn read_with(bytes: &[u8], limit: impl FnOnce(&mut Limits)) -> Result<Profile, Error> {
    let mut options = InputOptions::default();
    limit(&mut options.limits);
    match read(bytes, &options) {
        Ok(profile) => Ok(profile),
        Err(ReadError::Decode(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

/// The warnings about limits, how many things were left out, and how many samples there are.
fn warnings_and_losses(profile: &Profile) -> (Vec<String>, usize, usize) {
    let warnings = profile.warnings().into_iter().filter(|w| w.code == WarningCode::OverLimit);
    let messages = warnings.map(|w| w.message).collect();
    (messages, profile.losses().over_limits, profile.samples().len())
}

#[test]
fn too_many_event_types_are_an_error() {
    let read = read_with(&Log::new().ended(), |limits| limits.header_records = 3);
    assert!(matches!(read, Err(Error::Header { what, .. }) if what == "more than 3 event types"));
}

#[test]
fn few_ids_cannot_produce_much_text() {
    let mut log = Log::new();
    log.profile_begins(1, 1, 1);
    log.cost_centre(1, 0, [&[b'x'; 60_000], b"Main", b"a:1"], 0);
    log.begin(2);
    for depth in 1..=255 {
        log.stack(2, &vec![0; depth], 1);
    }
    log.end(2);
    let profile = read_with(&log.ended(), |limits| limits.all_texts = 10 << 20).unwrap();
    let lengths: Vec<usize> = profile.bands().labels().map(str::len).collect();
    // 60 kB, 120 kB, ... up to a longest one of 1 MiB each, until 10 MiB are reached.
    assert_eq!((lengths[0], lengths[1]), (60_000, 120_001));
    assert_eq!(*lengths.iter().max().unwrap(), 1 << 20);
    assert_eq!(lengths[254], 256);
    assert!(lengths.iter().sum::<usize>() < 12 << 20);
    assert_eq!(warnings_and_losses(&profile).0.len(), 1);
}

#[test]
fn points_of_a_repeated_band_are_added_up() {
    let mut text = b"JOB \"j\"\nBEGIN_SAMPLE 1.0\n".to_vec();
    text.extend(b"a\t1\n".repeat(100_000));
    text.extend(b"END_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\na\t1\na\t2\nEND_SAMPLE 2.0\n");
    let profile = read_with(&text, |_| {}).unwrap();
    assert_eq!((profile.samples().total(0), profile.samples().total(1)), (100_000, 3));
    assert!(profile.samples().points(0).len() < 2000);
    assert_eq!(profile.samples().points(1).len(), 2, "a few are kept apart");
}

/// Addresses that a hash without a key (that of rustc-hash 2, which was used once) puts into the same
/// slot of a table: each would be compared with all before it, 5 000 000 000 times.
#[test]
fn addresses_made_to_collide_cost_no_more_than_others() {
    const FACTOR: u64 = 0xf135_7aea_2e62_a9c5;
    let inverse =
        (0..6).fold(FACTOR, |x, _| x.wrapping_mul(2u64.wrapping_sub(FACTOR.wrapping_mul(x))));
    assert_eq!(FACTOR.wrapping_mul(inverse), 1);
    let mut log = Log::new();
    log.profile_begins(1, 8, 1);
    for i in 0..100_000 {
        let address = inverse.wrapping_mul(i);
        log.info_table(1, address, [b"n", b"1", b"T", b"l", b"M", b"a"]);
    }
    let started = Stopwatch::start();
    read_with(&log.ended(), |_| {}).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
