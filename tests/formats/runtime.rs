//! The data of the run-time system, compared with the results of an independent reader and with what `-s`
//! printed for the same run (`.stats`). Reference: `docs/format/eventlog.md`.

use std::path::Path;

use heapviz::profile::{HeapSeriesKind, Profile, blocks_in_segment};
use serde_json::{Value, json};

use crate::reports::{expected, profile};

/// The numbers of a `-t --machine-readable` file.
fn statistics(path: &Path) -> impl Fn(&str) -> f64 {
    let text = std::fs::read_to_string(path).unwrap();
    move |key: &str| {
        let after =
            text.split(&format!("(\"{key}\", \"")).nth(1).unwrap_or_else(|| panic!("no {key}"));
        after.split('"').next().unwrap().parse().unwrap()
    }
}

#[test]
fn pauses_agree_with_the_run_time_system_to_the_microsecond() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for name in expected.keys().filter(|name| name.ends_with(".eventlog")) {
        let path = folder.join(name);
        let stats = path.with_extension("stats");
        if !stats.exists() {
            continue;
        }
        let stats = statistics(&stats);
        let profile = profile(&path);
        let gc = &profile.runtime().collections;
        let near = |ns: i128, seconds: f64, what: &str| {
            let found = ns as f64 / 1e9;
            assert!((found - seconds).abs() < 1.1e-6, "{name}: {what}: {found} for {seconds}");
        };
        // In a profiled program `-s` subtracts the census from its sum, but not from its generations.
        if !profile.metadata().is_profiled() {
            near(gc.pause_ns(), stats("GC_wall_seconds"), "all");
        }
        for generation in gc.generations() {
            let of = |what: &str| stats(&format!("gen_{}_{what}", generation.number));
            assert_eq!(generation.collections as f64, of("collections"), "{name}");
            near(generation.pause_ns, of("wall_seconds"), "sum");
            near(generation.longest.as_nanos().into(), of("max_pause_seconds"), "longest");
        }
        assert_eq!(gc.copied() as f64, stats("copied_bytes"), "{name}");
        // The log has the size at the end of each collection.
        let held =
            profile.heap()[HeapSeriesKind::Size].points.iter().map(|&(_, bytes)| bytes.get()).max();
        let unseen = stats("max_mem_in_use_bytes") - held.unwrap_or(0) as f64;
        assert!((0.0..=f64::from(2 << 20)).contains(&unseen), "{name}: {unseen}");
        let allocated = profile.heap()[HeapSeriesKind::Allocated]
            .points
            .last()
            .map_or(0, |&(_, bytes)| bytes.get());
        assert_eq!(allocated as f64, stats("allocated_bytes"), "{name}");
        seen += 1;
    }
    assert!(seen >= 14, "only {seen} runs");
}

#[test]
fn censuses_lie_in_the_collections_that_took_them() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for name in expected.keys().filter(|name| name.contains("-hT-gc") || name.contains("-hc-gc")) {
        let profile = profile(&folder.join(name));
        let with_census = profile.runtime().collections.all.iter().filter(|gc| gc.census).count();
        assert_eq!(with_census, profile.samples().len(), "{name}");
        seen += 1;
    }
    assert!(seen >= 6);
}

#[test]
fn segment_censuses_agree_and_follow_the_rules() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for (name, wanted) in &expected {
        let Some(wanted) = wanted.get("census") else { continue };
        let profile = profile(&folder.join(name));
        let nonmoving = &profile.runtime().nonmoving;
        assert_eq!(nonmoving.censuses.len() as u64, wanted["censuses"].as_u64().unwrap(), "{name}");
        let last: serde_json::Map<String, Value> = nonmoving
            .censuses
            .last()
            .unwrap()
            .blocks
            .iter()
            .filter(|block| block.active + block.filled + block.live > 0)
            .map(|block| (block.size.to_string(), json!([block.active, block.filled, block.live])))
            .collect();
        assert_eq!(&Value::Object(last), &wanted["last"], "{name}");
        let capabilities = if name.contains("-N2") { 2 } else { 1 };
        for census in &nonmoving.censuses {
            for block in &census.blocks {
                let per = blocks_in_segment(block.size);
                let segments = u64::from(block.active + block.filled + capabilities);
                assert!(u64::from(block.live) <= per * segments, "{name}");
                assert!(u64::from(block.live) >= per * u64::from(block.filled), "{name}");
            }
            assert!(census.live() <= census.capacity(capabilities), "{name}");
        }
        counted(name, &profile, &expected[name]["counts"]);
        seen += 1;
    }
    assert!(seen >= 6);
}

/// Every event is in a table; duplicated events are there once.
fn counted(name: &str, profile: &Profile, counts: &Value) {
    let nonmoving = &profile.runtime().nonmoving;
    let of = |tag: &str| counts[tag].as_u64().unwrap_or(0) as usize;
    assert_eq!(nonmoving.marks.len(), of("200"), "{name}");
    assert_eq!(2 * nonmoving.syncs.len(), of("202"), "{name}");
    assert_eq!(nonmoving.sweeps.len(), of("204"), "{name}");
}

#[test]
fn ticky_sums_agree_with_the_independent_reader() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for (name, wanted) in &expected {
        let Some(wanted) = wanted.get("ticky") else { continue };
        let profile = profile(&folder.join(name));
        let ticky = &profile.runtime().ticky;
        let of = |key: &str| wanted[key].as_u64().unwrap() as usize;
        assert_eq!(ticky.batches.len(), of("batches"), "{name}");
        assert_eq!(ticky.counters.len(), of("defined"), "{name}");
        let sums = ticky.sums();
        assert_eq!(sums.len(), of("sampled"), "{name}");
        for (counter, counts) in wanted["top"].as_object().unwrap() {
            let (_, sum) = sums.iter().find(|(known, _)| &known.name == counter).unwrap();
            let found = json!([sum.entries, sum.allocations, sum.allocated]);
            assert_eq!(&found, counts, "{name}: {counter}");
        }
        assert!(sums.iter().all(|(counter, _)| counter.kind == "fun"), "{name}");
        seen += 1;
    }
    assert!(seen >= 4);
}
