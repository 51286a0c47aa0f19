//! The engine of `heapviz watch` compared with an independent decoder, on recordings of running programs.
//!
//! Each recording is fed in its recorded pieces. After some of them the samples are compared with a plain
//! reading of the bytes so far, and at the end with the oracle. With `HEAPVIZ_LIVE=1` both comparisons are
//! made after every piece, and every recording is also fed byte by byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common;
use crate::common::generator::Random;
use crate::oracle::{ask, facts_of_oracle, known_facts, tool};
use heapviz::input::{InputOptions, read};
use heapviz::live::{Engine, LiveOptions};
use heapviz::profile::Profile;
use serde_json::Value;

/// A recording: its bytes, and the length of each piece.
struct Recording {
    name: String,
    bytes: Vec<u8>,
    pieces: Vec<usize>,
}

fn recordings(data: &Path) -> Vec<Recording> {
    let folder = data.join("live");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).expect("the recordings") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let index = match path.extension().and_then(|ending| ending.to_str()) {
            Some("stream") => path.with_extension("json"),
            Some("eventlog" | "hp") => folder.join(format!("{name}.json")),
            _ => continue,
        };
        let index: Value = serde_json::from_slice(&fs::read(index).expect("an index")).unwrap();
        let pieces = index["chunks"].as_array().unwrap().iter();
        let pieces = pieces.map(|piece| piece[2].as_u64().unwrap() as usize).collect();
        found.push(Recording { name, bytes: fs::read(&path).unwrap(), pieces });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

type Sample = (i64, BTreeMap<String, u64>);

fn samples(profile: &Profile) -> Vec<Sample> {
    let of = |sample| {
        let mut points = BTreeMap::new();
        for (band, size) in profile.samples().points(sample) {
            *points.entry(profile.bands().label(band).to_owned()).or_insert(0) += size.get();
        }
        points
    };
    let times = profile.samples().times().iter().enumerate();
    times.map(|(sample, time)| (time.as_nanos(), of(sample))).collect()
}

/// The number of complete samples that the oracle finds, and their bytes together.
fn oracle(tool: &Path, bytes: &[u8], folder: &Path) -> (usize, u128) {
    let path = folder.join("part.eventlog");
    fs::write(&path, bytes).unwrap();
    let facts = facts_of_oracle(&ask(tool, &path));
    (facts.samples.len(), facts.total.into())
}

fn found(engine: &Engine) -> (usize, u128) {
    let Some(profile) = engine.profile() else { return (0, 0) };
    let count = profile.samples().len();
    (count, (0..count).map(|sample| profile.samples().total(sample)).sum())
}

#[test]
fn any_pieces_give_the_profile_of_the_bytes_so_far() {
    let data = common::real_data();
    let thorough = std::env::var_os("HEAPVIZ_LIVE").is_some();
    let tool = if thorough { tool() } else { None };
    let known = known_facts();
    let folder = tempfile::tempdir().unwrap();
    let all = recordings(&data);
    assert!(all.len() >= 40, "only {} recordings were found", all.len());
    for Recording { name, bytes, pieces } in all {
        let is_log = !name.ends_with(".hp");
        let mut engine = Engine::new(LiveOptions::default());
        engine.connect();
        let mut fed = 0;
        // Reading all the bytes so far is the slow part.
        let every = if thorough { 1 } else { pieces.len() / 8 + 1 };
        for (i, piece) in pieces.into_iter().enumerate() {
            engine.feed(&bytes[fed..fed + piece]).unwrap();
            fed += piece;
            if i % every > 0 {
                continue;
            }
            let now = engine.profile().map(|profile| samples(&profile)).unwrap_or_default();
            if let Ok(plain) = read(&bytes[..fed], &InputOptions::default()) {
                assert_eq!(now, samples(&plain), "{name} at {fed}");
            }
            if let Some(tool) = &tool
                && is_log
            {
                let theirs = oracle(tool, &bytes[..fed], folder.path());
                assert_eq!(theirs, found(&engine), "{name} at {fed}");
            }
        }
        engine.feed(&bytes[fed..]).unwrap();
        if let Some(theirs) = known.get(&format!("live/{name}")) {
            let theirs = (theirs.samples.len(), theirs.total.into());
            assert_eq!(theirs, found(&engine), "{name}");
        } else {
            assert!(!is_log || tool.is_some() || name.starts_with("g-910-t-full"), "{name}");
        }
        if thorough {
            let mut by_byte = Engine::new(LiveOptions::default());
            by_byte.connect();
            bytes.chunks(1).for_each(|byte| by_byte.feed(byte).unwrap());
            assert_eq!(found(&by_byte), found(&engine), "{name}");
            assert_eq!(by_byte.progress(), engine.progress(), "{name}");
        }
    }
}

/// The recordings of the connections to each program, in order.
const CONNECTIONS: &[&[&str]] = &[
    &["c-reconnect-1", "c-reconnect-2", "c-reconnect-3"],
    &["c-cmain-1", "c-cmain-2"],
    &["h-first", "h-second"],
    &["f-kill9", "b-late-hs"],
];

/// A connection can break anywhere. Live, its end is known; in a recording of several, the next header
/// follows at once and must be found.
#[test]
fn recordings_of_broken_connections_equal_the_live_profile() {
    let data = common::real_data();
    let cuts = if std::env::var_os("HEAPVIZ_LIVE").is_some() { 400 } else { 40 };
    let mut random = Random::new(14, "cuts");
    for names in CONNECTIONS {
        let streams: Vec<Vec<u8>> = names
            .iter()
            .map(|name| fs::read(data.join(format!("live/{name}.stream"))).unwrap())
            .collect();
        for _ in 0..cuts {
            let mut engine = Engine::new(LiveOptions::default());
            let mut recorded = Vec::new();
            for (i, stream) in streams.iter().enumerate() {
                let is_last = i + 1 == streams.len();
                let end = if is_last { stream.len() } else { 8 + random.index(stream.len() - 8) };
                engine.connect();
                engine.feed(&stream[..end]).unwrap();
                let _ = engine.disconnect();
                recorded.extend_from_slice(&stream[..end]);
            }
            let seen = engine.profile().expect("a profile");
            let whole = read(&recorded[..], &InputOptions::default()).unwrap();
            let place = format!("{names:?}, {} bytes", recorded.len());
            assert_eq!(samples(&whole), samples(&seen), "{place}");
            assert_eq!(whole.markers(), seen.markers(), "{place}");
            assert_eq!(whole.heap(), seen.heap(), "{place}");
            assert_eq!(
                (whole.run().number, whole.run().of),
                (seen.run().number, seen.run().of),
                "{place}"
            );
            let mut again = Engine::new(LiveOptions::default());
            again.connect();
            recorded.chunks(1 + random.index(2000)).for_each(|piece| again.feed(piece).unwrap());
            // A cut event can seem to go on for 64 kB.
            let _ = again.disconnect();
            assert_eq!(samples(&again.profile().unwrap()), samples(&whole), "{place}");
        }
    }
}
