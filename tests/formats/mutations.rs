//! Thousands of damaged logs: none causes a panic, and every sample that an independent decoder finds is
//! drawn or counted as left out. (That decoder keeps a sample in which bytes are lost.)
//!
//! Runs only on request, because it takes minutes:
//!
//! ```text
//! HEAPVIZ_MUTATIONS=100000 cargo test --release --test formats mutations -- --nocapture
//! ```
//!
//! Every 50th log is also given to the oracle (`evdump.py --resync`) of the shared data, if it is present.
//! Logs in which it finds more samples are counted by kind of damage; `HEAPVIZ_MUTATIONS_KEEP=folder` keeps
//! them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::common;
use crate::common::generator::Random;
use crate::common::generator::testing::Stopwatch;
use heapviz::input::{InputOptions, read};

/// Every fiftieth log is compared with the oracle.
const ORACLE_EVERY: usize = 50;

/// Small logs, so that damage often hits something important.
const LOGS: [&str; 3] = ["uni-hc.eventlog", "leak-he.eventlog", "leak-hb.eventlog"];

/// The start of the events in a log. With damage in the header nothing can be read, which is another matter.
fn events_begin(log: &[u8]) -> usize {
    log.windows(4).position(|word| word == b"datb").map_or(0, |at| at + 4)
}

/// Damages a log, and returns a description of the damage.
fn damage(log: &mut Vec<u8>, random: &mut Random) -> &'static str {
    let start = events_begin(log);
    let at = start + random.index(log.len() - start);
    let length = 1 + random.index(64).min(log.len() - at - 1);
    match random.index(7) {
        0 => {
            log[at] ^= 1 << random.index(8);
            "one bit"
        }
        1 => {
            log[at] = random.index(256) as u8;
            "one byte"
        }
        2 => {
            log[at..at + length].fill(0);
            "zeros"
        }
        3 => {
            let noise: Vec<u8> = (0..length).map(|_| random.index(256) as u8).collect();
            log.splice(at..at, noise);
            "noise put in"
        }
        4 => {
            log.drain(at..at + length);
            "bytes taken out"
        }
        5 => {
            // As the unlocked buffer of the run-time system does
            // (`docs/format/eventlog.md#damage-inside-a-log`).
            let from = start + random.index(log.len() - start - length);
            let copy = log[from..from + length].to_vec();
            log.splice(at..at, copy);
            "another event put in"
        }
        _ => {
            log.truncate(at);
            "cut"
        }
    }
}

/// The number of complete samples that the oracle finds in each file of a folder, by name.
fn oracle(tools: &Path, folder: &Path) -> BTreeMap<String, usize> {
    const PROGRAM: &str = "
import os, sys
sys.path.insert(0, sys.argv[1])
import evdump
for name in sorted(os.listdir(sys.argv[2])):
    with open(os.path.join(sys.argv[2], name), 'rb') as f:
        doc = evdump.summarise(f.read(), None, False, True)
    print(name, sum(1 for info in doc['sample_info'] if info['complete']))
";
    let output = Command::new("python3")
        .args(["-B", "-c", PROGRAM])
        .args([tools, folder])
        .output()
        .expect("python3 to run the oracle with");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs.map(|(name, count)| (name.to_owned(), count.parse().expect("a number"))).collect()
}

#[test]
fn damaged_logs_give_as_many_samples_as_the_oracle_finds() {
    let Some(runs) = std::env::var("HEAPVIZ_MUTATIONS").ok().and_then(|n| n.parse().ok()) else {
        return common::skipped("mutations on request (HEAPVIZ_MUTATIONS)");
    };
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let logs = LOGS.map(|name| std::fs::read(samples.join(name)).expect("a sample"));
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = Random::new(1, "damage");
    let mut checked = BTreeMap::new();
    let mut slowest = Duration::ZERO;
    for run in 0..runs {
        let mut log = logs[run % logs.len()].clone();
        let mut how = damage(&mut log, &mut random);
        if random.index(4) == 0 {
            damage(&mut log, &mut random);
            how = "two things";
        }
        let start = Stopwatch::start();
        let found = match read(&log[..], &InputOptions::default()) {
            Ok(profile) => [profile.samples().len(), profile.losses().samples],
            Err(_) => [0; 2],
        };
        slowest = slowest.max(start.elapsed());
        if run.is_multiple_of(ORACLE_EVERY) {
            let name = format!("{run:07}.eventlog");
            std::fs::write(folder.path().join(&name), &log).expect("a file");
            checked.insert(name, (how, found));
        }
    }
    println!("{runs} damaged logs, the slowest took {slowest:?}");
    assert!(slowest < Duration::from_secs(2), "a log of a few kilobytes took {slowest:?}");
    if let Some(data) = common::shared_data() {
        compare(&checked, &oracle(&data.join("../tools"), folder.path()), folder.path());
    }
}

/// Prints how often either finds more, by kind of damage; fails if the oracle often does.
fn compare(
    ours: &BTreeMap<String, (&'static str, [usize; 2])>,
    theirs: &BTreeMap<String, usize>,
    folder: &Path,
) {
    let keep = std::env::var_os("HEAPVIZ_MUTATIONS_KEEP").map(PathBuf::from);
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut fewer = 0;
    for (name, &(how, [drawn, left_out])) in ours {
        let order = (drawn + left_out).cmp(&theirs[name]);
        kinds.entry(how).or_default()[(order as i8 + 1) as usize] += 1;
        if order.is_lt() {
            fewer += 1;
            let theirs = theirs[name];
            println!(
                "{name} ({how}): {drawn} samples and {left_out} left out, the oracle finds {theirs}"
            );
            if let Some(keep) = &keep {
                std::fs::copy(folder.join(name), keep.join(name)).expect("a copy");
            }
        }
    }
    println!("damage: fewer, as many, more samples than the oracle");
    for (how, [fewer, same, more]) in kinds {
        println!("{how}: {fewer}, {same}, {more}");
    }
    assert!(fewer * 50 <= ours.len(), "fewer samples in {fewer} of {}", ours.len());
}
