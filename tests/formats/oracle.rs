//! The event-log decoder compared with an independent one: on every log of the shared data, and, by what the
//! other found once, on those of this package.
//!
//! The oracle (`evdump.py`) resynchronises after damage, so damaged logs are compared too. Logs for
//! which the two differ on purpose are listed here with the reason. `tests/data/oracle.json.gz` has its
//! results as digests; `HEAPVIZ_BLESS=1 cargo test --test formats oracle` asks it again, which needs the
//! shared data and Python.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::generator::{Breakdown, LogShape, Shape, write_eventlog};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use heapviz::incident::Condition;
use heapviz::input::{InputOptions, ReadError, read};
use heapviz::profile::{BandKey, HeapSeriesKind, Profile};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Logs on which the decoders differ, and why.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "one-byte-57000-times",
        "a damaged value: the oracle believes it, heapviz leaves its sample out",
    ),
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

/// What a reader found in a log: texts, or their digests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Of complete samples, by time: time and bands.
    pub samples: Vec<String>,
    /// The bytes of all complete samples together.
    pub total: u64,
    /// Everything else by its name.
    others: BTreeMap<String, String>,
}

impl Facts {
    fn new(samples: &[Sample], others: BTreeMap<String, String>) -> Self {
        Facts {
            samples: samples.iter().map(|sample| format!("{sample:?}")).collect(),
            total: samples.iter().flat_map(|(_, bands)| bands.values()).sum(),
            others,
        }
    }

    fn digests(&self) -> Facts {
        Facts {
            samples: self.samples.iter().map(|text| digest(text)).collect(),
            total: self.total,
            others: self.others.iter().map(|(key, text)| (key.clone(), digest(text))).collect(),
        }
    }
}

/// FNV-1a, folded to 32 bits.
fn digest(text: &str) -> String {
    let sum = text.bytes().fold(0xCBF2_9CE4_8422_2325, |sum: u64, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    format!("{:08x}", (sum >> 32) ^ (sum & 0xFFFF_FFFF))
}

/// The oracle; `None`, which is counted, where it cannot be run.
pub fn tool() -> Option<PathBuf> {
    let data = common::shared_data()?;
    if Command::new("python3").arg("--version").output().is_err() {
        common::skipped("no python3");
        return None;
    }
    Some(data.join("../tools/evdump.py"))
}

fn is_different(log: &Path) -> bool {
    let name = log.file_stem().unwrap().to_string_lossy();
    DIFFERENT.iter().any(|(different, _)| *different == name)
}

#[test]
fn every_log_decodes_like_the_oracle() {
    let Some(tool) = tool() else { return };
    let mut logs = common::files_with_ending(&common::real_data(), "eventlog");
    logs.retain(|log| !is_different(log));
    assert!(logs.len() >= 80, "only {} logs were found", logs.len());
    let compare = |log: &PathBuf| {
        let name = log.display().to_string();
        check(&name, &std::fs::read(log).unwrap(), facts_of_oracle(&ask(&tool, log)), |facts| {
            facts
        });
    };
    // The oracle takes most of the time, and it handles one log at a time, so two are run at once.
    std::thread::scope(|scope| {
        for half in [0, 1] {
            let logs = logs.iter().skip(half).step_by(2);
            scope.spawn(move || logs.for_each(compare));
        }
    });
}

/// Logs with small blocks, so that samples and collections straddle them.
fn generated_logs() -> Vec<(String, Vec<u8>)> {
    let (scheduler, collections, markers, messages, capabilities, block) =
        (3_000, 50, 7, 9, 3, 600);
    let crowded = LogShape {
        scheduler,
        collections,
        markers,
        messages,
        capabilities,
        block,
        ..LogShape::default()
    };
    let of = |breakdown| {
        let shape = Shape { breakdown, samples: 40, bands: 70, presence: 40.0, ..Shape::default() };
        let mut bytes = Vec::new();
        write_eventlog(&shape, &crowded, &mut bytes).expect("memory takes all");
        (format!("generated {breakdown:?}"), bytes)
    };
    let all =
        [Breakdown::ClosureType, Breakdown::Type, Breakdown::CostCentre, Breakdown::InfoTable];
    all.map(of).to_vec()
}

/// The logs of this package and generated ones, by name.
fn packaged_logs() -> Vec<(String, Vec<u8>)> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut logs = generated_logs();
    for folder in [common::packaged_data(), common::data("hostile"), package.join("samples")] {
        for ending in ["eventlog", "stream"] {
            for log in common::files_with_ending(&folder, ending) {
                if !is_different(&log) {
                    let name =
                        log.strip_prefix(&folder).expect("a path in it").display().to_string();
                    logs.push((name, std::fs::read(&log).expect("a log")));
                }
            }
        }
    }
    logs
}

/// What the oracle found in the logs of this package.
pub fn known_facts() -> BTreeMap<String, Facts> {
    let file = File::open(common::data("oracle.json.gz")).expect("the digests");
    serde_json::from_reader(GzDecoder::new(file)).expect("JSON")
}

#[test]
fn the_packaged_logs_decode_as_the_oracle_decoded_them() {
    let logs = packaged_logs();
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        bless(&logs);
    }
    let known = known_facts();
    assert_eq!(logs.len(), known.len());
    assert!(logs.len() >= 140, "only {} logs", logs.len());
    for (name, bytes) in logs {
        check(&name, &bytes, known[&name].clone(), |facts| facts.digests());
    }
}

/// Writes what the oracle finds now.
fn bless(logs: &[(String, Vec<u8>)]) {
    let tool = tool().expect("the oracle");
    let of = |(name, bytes): &(String, Vec<u8>)| {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(bytes).expect("a written file");
        (name.clone(), facts_of_oracle(&ask(&tool, file.path())).digests())
    };
    let facts: BTreeMap<String, Facts> = logs.iter().map(of).collect();
    let file = File::create(common::data("oracle.json.gz")).expect("a file");
    let mut out = GzEncoder::new(file, Compression::best());
    serde_json::to_writer(&mut out, &facts).expect("JSON");
    out.finish().expect("a written file");
}

pub fn ask(tool: &Path, log: &Path) -> Value {
    let output = Command::new("python3").arg(tool).arg("--resync").arg(log).output().unwrap();
    assert!(output.status.success(), "the oracle failed on {}", log.display());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Compares what heapviz finds in a log, in some form, with what the oracle found.
fn check(name: &str, log: &[u8], mut theirs: Facts, form: impl Fn(Facts) -> Facts) {
    let profile = match read(log, &InputOptions::default()) {
        Ok(profile) => profile,
        Err(ReadError::Decode(_)) => return assert_eq!(theirs, form(Facts::default()), "{name}"),
        Err(error) => panic!("{name}: {error}"),
    };
    let ours = form(facts_of(&profile, &theirs));
    // The oracle draws what remains of a damaged sample; heapviz leaves out the complete sample.
    if profile.condition() == Condition::Damaged {
        let before = theirs.samples.len();
        theirs.samples.retain(|sample| ours.samples.contains(sample));
        assert!(before - theirs.samples.len() <= profile.losses().samples, "{name}");
        theirs.total = ours.total;
    }
    for (i, (ours, theirs)) in ours.samples.iter().zip(&theirs.samples).enumerate() {
        assert_eq!(ours, theirs, "{name}: sample {i}");
    }
    for (fact, text) in &ours.others {
        assert_eq!(Some(text), theirs.others.get(fact), "{name}: {fact}");
    }
    let names = |facts: &Facts| facts.others.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&ours), names(&theirs), "{name}");
    assert_eq!((ours.samples.len(), ours.total), (theirs.samples.len(), theirs.total), "{name}");
}

/// What is in a profile, with the cost centres that the oracle knows.
fn facts_of(profile: &Profile, theirs: &Facts) -> Facts {
    let mut markers: Vec<(i64, &str)> =
        profile.markers().iter().map(|m| (m.time.as_nanos(), m.label.as_str())).collect();
    markers.sort_unstable();
    let mut others = BTreeMap::from([
        ("markers".to_owned(), format!("{markers:?}")),
        ("rts".to_owned(), format!("{:?}", profile.metadata().rts.as_deref())),
    ]);
    for (figure, key) in FIGURES {
        let points = profile.heap()[figure].points.iter();
        let points: Vec<(i64, u64)> = points.map(|&(t, b)| (t.as_nanos(), b.get())).collect();
        others.insert(key.to_owned(), format!("{points:?}"));
    }
    others.insert("cost centres".to_owned(), profile.cost_centres().len().to_string());
    for fact in theirs.others.keys() {
        let Some(id) = fact.strip_prefix("cost centre ") else { continue };
        if let Some(centre) = profile.cost_centres().get(id.parse().unwrap()) {
            let texts = [&centre.label, &centre.module, &centre.location];
            others.insert(fact.clone(), format!("{texts:?}"));
        }
    }
    for (address, table) in profile.info_tables().iter() {
        others.insert(format!("info table {address:#x}"), format!("{:?}", table.fields()));
    }
    Facts::new(&samples_of(profile), others)
}

const FIGURES: [(HeapSeriesKind, &str); 3] = [
    (HeapSeriesKind::Size, "heap_size"),
    (HeapSeriesKind::Live, "heap_live"),
    (HeapSeriesKind::Blocks, "blocks_size"),
];

pub fn facts_of_oracle(oracle: &Value) -> Facts {
    if oracle["streams"].as_array().unwrap().is_empty() {
        return Facts::default();
    }
    let marks = |kind: &str| oracle[kind].as_array().unwrap().iter();
    let mut markers: Vec<(i64, &str)> = marks("markers")
        .chain(marks("messages"))
        .map(|m| (m[0].as_i64().unwrap(), m[2].as_str().unwrap()))
        .collect();
    markers.sort_unstable();
    // An identifier too short for its own capability set is ignored; the oracle makes it empty.
    let rts = oracle["metadata"]["rts"].as_str().filter(|rts| !rts.is_empty());
    let mut others = BTreeMap::from([
        ("markers".to_owned(), format!("{markers:?}")),
        ("rts".to_owned(), format!("{rts:?}")),
    ]);
    for (_, key) in FIGURES {
        let points = oracle[key].as_array().unwrap().iter();
        let mut points: Vec<(i64, u64)> =
            points.map(|p| (p[0].as_i64().unwrap(), p[1].as_u64().unwrap())).collect();
        points.sort_by_key(|p| p.0);
        others.insert(key.to_owned(), format!("{points:?}"));
    }
    let centres = oracle["cost_centres"].as_object().unwrap();
    others.insert("cost centres".to_owned(), centres.len().to_string());
    for (id, centre) in centres {
        let texts = ["label", "module", "srcloc"].map(|key| centre[key].as_str().unwrap());
        others.insert(format!("cost centre {id}"), format!("{texts:?}"));
    }
    // heapviz keeps those of bands.
    let samples = theirs(oracle);
    let used = |address: &str| samples.iter().any(|(_, bands)| bands.contains_key(address));
    let tables = oracle["info_tables"].as_object().unwrap().iter();
    for (address, table) in tables.filter(|(address, _)| used(address)) {
        let texts: Vec<&str> = table.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        others.insert(format!("info table {address}"), format!("{texts:?}"));
    }
    Facts::new(&samples, others)
}

type Sample = (i64, BTreeMap<String, u64>);

/// Samples by text; stacks with the same text are added up, as in the oracle.
fn samples_of(profile: &Profile) -> Vec<Sample> {
    let text = |band| match profile.bands().key(band) {
        BandKey::Name(name) => String::from_utf8_lossy(name).into_owned(),
        BandKey::Stack(_) => profile.bands().label(band).to_owned(),
    };
    let sample = |i| {
        let mut bands = BTreeMap::new();
        for (band, size) in profile.samples().points(i) {
            *bands.entry(text(band)).or_insert(0) += size.get();
        }
        bands
    };
    let times = profile.samples().times().iter().map(|time| time.as_nanos());
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
