//! The event-log decoder compared with an independent one, on every log of the shared data.
//!
//! The oracle (`evdump.py`) resynchronises after damage, so damaged logs are compared too. Logs for
//! which the two differ on purpose are listed here with the reason.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::common;
use heapviz::incident::Condition;
use heapviz::input::{InputOptions, ReadError, read};
use heapviz::profile::{BandKey, HeapFigure, Profile};
use serde_json::Value;

/// Logs on which the decoders differ, and why.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "01noNUL",
        "a text without NUL: the oracle drops the band, heapviz ends the text with its event",
    ),
    (
        "05small162",
        "a begin event without its number: the oracle drops it, heapviz needs no number",
    ),
    ("11concat", "two runs in one file: the oracle shows both, heapviz the last"),
    ("26negsize", "a size below zero: the oracle shows it unsigned, heapviz takes it as 0"),
];

#[test]
fn every_log_decodes_like_the_oracle() {
    let Some(data) = common::shared_data() else { return };
    let tool = data.join("../tools/evdump.py");
    if Command::new("python3").arg("--version").output().is_err() {
        common::skipped("no python3 to run the oracle with");
        return;
    }
    let logs = common::files_with_ending(&data, "eventlog");
    // The oracle takes most of the time, and it handles one log at a time, so two are run at once.
    let compared: usize = std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| {
            let logs = logs.iter().skip(half).step_by(2);
            let tool = &tool;
            scope.spawn(move || logs.filter(|log| is_as_the_oracle_says(tool, log)).count())
        });
        halves.into_iter().map(|half| half.join().expect("logs that decode the same")).sum()
    });
    assert!(compared >= 80, "only {compared} logs were found");
}

/// Compares a log with the oracle; `false` if it is known to differ.
fn is_as_the_oracle_says(tool: &Path, log: &Path) -> bool {
    let name = log.file_stem().unwrap().to_string_lossy().into_owned();
    if DIFFERENT.iter().any(|(different, _)| *different == name) {
        return false;
    }
    let oracle = oracle(tool, log);
    match read(&std::fs::read(log).unwrap()[..], &InputOptions::default()) {
        Ok(profile) => compare(&name, &profile, &oracle),
        Err(ReadError::Decode(_)) => {
            assert_eq!(oracle["streams"].as_array().unwrap().len(), 0, "{name}");
        }
        Err(error) => panic!("{name}: {error}"),
    }
    true
}

fn oracle(tool: &Path, log: &Path) -> Value {
    let output = Command::new("python3").arg(tool).arg("--resync").arg(log).output().unwrap();
    assert!(output.status.success(), "the oracle failed on {}", log.display());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn compare(name: &str, profile: &Profile, oracle: &Value) {
    let (ours, mut theirs) = (ours(profile), theirs(oracle));
    // The oracle draws what remains of a damaged sample; heapviz leaves out the complete sample.
    if profile.condition() == Condition::Damaged {
        let before = theirs.len();
        theirs.retain(|sample| ours.contains(sample));
        assert!(before - theirs.len() <= profile.losses().samples, "{name}");
    }
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(ours, theirs, "{name}: sample {i}");
    }
    assert_eq!(ours.len(), theirs.len(), "{name}: number of samples");
    let marks = |kind: &str| -> Vec<(i64, String)> {
        let pairs = oracle[kind].as_array().unwrap().iter();
        pairs.map(|m| (m[0].as_i64().unwrap(), m[2].as_str().unwrap().to_owned())).collect()
    };
    let mut marked = marks("markers");
    marked.extend(marks("messages"));
    marked.sort();
    let mut markers: Vec<(i64, String)> =
        profile.markers.iter().map(|m| (m.time.as_nanos(), m.label.clone())).collect();
    markers.sort();
    assert_eq!(markers, marked, "{name}: markers");
    for (figure, key) in [
        (HeapFigure::Size, "heap_size"),
        (HeapFigure::Live, "heap_live"),
        (HeapFigure::Blocks, "blocks_size"),
    ] {
        let ours: Vec<(i64, u64)> =
            profile.heap[figure].points().iter().map(|&(t, b)| (t.as_nanos(), b.get())).collect();
        let mut theirs: Vec<(i64, u64)> = oracle[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| (p[0].as_i64().unwrap(), p[1].as_u64().unwrap()))
            .collect();
        theirs.sort_by_key(|p| p.0);
        assert_eq!(ours, theirs, "{name}: {key}");
    }
    // An identifier too short for its own capability set is ignored; the oracle makes it empty.
    let rts = oracle["metadata"]["rts"].as_str().filter(|rts| !rts.is_empty());
    assert_eq!(profile.metadata.rts.as_deref(), rts, "{name}");
    let centres = oracle["cost_centres"].as_object().unwrap();
    assert_eq!(profile.cost_centres.len(), centres.len(), "{name}: cost centres");
    for (id, centre) in centres {
        let ours = profile.cost_centres.get(id.parse().unwrap()).unwrap();
        let theirs = ["label", "module", "srcloc"].map(|key| centre[key].as_str().unwrap());
        assert_eq!([&ours.label, &ours.module, &ours.location], theirs, "{name}: {id}");
    }
    for (address, table) in profile.info_tables.iter() {
        let theirs = &oracle["info_tables"][format!("{address:#x}")];
        for (i, text) in table.fields().into_iter().enumerate() {
            assert_eq!(Some(text), theirs[i].as_str(), "{name}: {address:#x}");
        }
    }
}

type Sample = (i64, BTreeMap<String, u64>);

/// Samples by text; stacks with the same text are added up, as in the oracle.
fn ours(profile: &Profile) -> Vec<Sample> {
    let text = |band| match profile.bands.key(band) {
        BandKey::Name(name) => String::from_utf8_lossy(name).into_owned(),
        BandKey::Stack(_) => profile.bands.label(band).to_owned(),
    };
    let sample = |i| {
        let mut bands = BTreeMap::new();
        for (band, size) in profile.samples.points(i) {
            *bands.entry(text(band)).or_insert(0) += size.get();
        }
        bands
    };
    let times = profile.samples.times().iter().map(|time| time.as_nanos());
    times.enumerate().map(|(i, time)| (time, sample(i))).collect()
}

/// The oracle's complete samples in order of time.
fn theirs(oracle: &Value) -> Vec<Sample> {
    let samples = oracle["samples"].as_array().unwrap().iter();
    let info = oracle["sample_info"].as_array().unwrap().iter();
    let mut complete: Vec<Sample> = samples
        .zip(info)
        .filter(|(_, info)| info["complete"] == true)
        .map(|(sample, _)| {
            let bands = sample[1].as_object().unwrap().iter();
            let bands = bands.map(|(label, size)| (label.clone(), size.as_u64().unwrap()));
            (sample[0].as_i64().unwrap(), bands.collect())
        })
        .collect();
    complete.sort_by_key(|sample| sample.0);
    complete
}
