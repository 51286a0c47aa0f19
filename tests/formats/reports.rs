//! Time profiles: reports (`.prof`) and the ticks of event logs, compared with the results of an
//! independent reader, and with each other. Reference: `docs/format/prof.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heapviz::input::{InputOptions, read};
use heapviz::profile::{Exactness, Profile};
use serde_json::Value;

use crate::common;

/// The runs with stacks, and the expected results for each file by its path in the folder.
pub fn expected() -> (PathBuf, serde_json::Map<String, Value>) {
    let folder = common::real_data().join("stacks");
    let text = std::fs::read_to_string(folder.join("expected.json")).expect("the results");
    let Value::Object(expected) = serde_json::from_str(&text).unwrap() else { panic!("no object") };
    (folder, expected)
}

pub fn profile(path: &Path) -> Profile {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read(&bytes[..], &InputOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Ticks of the five stacks that `-p` leaves out, by label; and of all others together.
fn by_pseudo(profile: &Profile) -> (BTreeMap<String, u64>, u64) {
    let (mut pseudo, mut others) = (BTreeMap::new(), 0);
    for node in &profile.calls().nodes {
        let centre = node.centre.and_then(|id| profile.cost_centres().get(id));
        let alone = node.parent.index() == 0;
        match centre.filter(|c| alone && c.pseudo().is_some_and(|pseudo| pseudo.is_left_out())) {
            Some(centre) if node.ticks > 0 => {
                *pseudo.entry(centre.label.to_string()).or_default() += node.ticks;
            }
            _ => others += node.ticks,
        }
    }
    (pseudo, others)
}

/// The ticks of every stack below MAIN.
fn by_path(profile: &Profile) -> BTreeMap<String, u64> {
    let calls = &profile.calls();
    let mut ticks = BTreeMap::new();
    for (id, node) in calls.ids().zip(&calls.nodes).filter(|(_, node)| node.ticks > 0) {
        let centre =
            |&id: &u32| profile.cost_centres().get(id).map_or("?", |c| &c.label).to_owned();
        let path: Vec<String> = calls.path(id).iter().map(centre).collect();
        *ticks.entry(path.join("/")).or_default() += node.ticks;
    }
    ticks
}

fn depths(profile: &Profile) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::new();
    for node in &profile.calls().nodes {
        depths.push(match depths.is_empty() {
            true => 0,
            false => depths[node.parent.index()] + 1,
        });
    }
    depths
}

#[test]
fn every_report_agrees_with_the_independent_reader() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for (name, wanted) in expected.iter().filter(|(name, _)| name.ends_with(".prof")) {
        if name.contains("-pj") {
            let bytes = std::fs::read(folder.join(name)).expect("a report");
            let error = read(&bytes[..], &InputOptions::default()).expect_err("a report as JSON");
            assert!(error.to_string().contains("-pj"), "{name}: {error}");
            continue;
        }
        let profile = profile(&folder.join(name));
        let calls = &profile.calls();
        let is = |key: &str, found: u64| {
            if let Some(wanted) = wanted.get(key) {
                assert_eq!(wanted.as_u64(), Some(found), "{name}: {key}");
            }
        };
        is("censuses", profile.retainers().censuses as u64);
        is("sets", profile.retainers().sets.len() as u64);
        if wanted["kind"] == "sets only" {
            assert!(calls.is_empty(), "{name}");
        } else {
            assert_eq!(profile.losses().statements, 0, "{name}");
            is("alloc", calls.total_alloc.unwrap());
            is("ticks", calls.total_ticks.unwrap());
            is("tick_us", calls.tick.unwrap().as_nanos() as u64 / 1000);
            is("processors", u64::from(calls.capabilities.unwrap()));
            is("nodes", calls.nodes.len() as u64);
            is("cost_centres", profile.cost_centres().len() as u64);
            let deepest = depths(&profile).into_iter().max().unwrap() as u64;
            // The other reader took the two halves of a label with a line end for two labels.
            if !name.contains("newline") {
                is("max_indent", deepest);
            }
            is("max_depth", deepest + 1);
            adds_up(name, &profile);
        }
        seen += 1;
    }
    assert!(seen >= 42, "only {seen} reports");
}

/// The sums of the tree are the totals of the header, where the counts are printed.
fn adds_up(name: &str, profile: &Profile) {
    let calls = &profile.calls();
    if calls.time == Exactness::Exact {
        assert_eq!(calls.sum_of_ticks(), u128::from(calls.total_ticks.unwrap()), "{name}");
        assert_eq!(calls.sum_of_alloc(), u128::from(calls.total_alloc.unwrap()), "{name}");
    }
    assert_eq!(by_pseudo(profile).0.is_empty(), !name.contains("-Pa"), "{name}");
}

#[test]
fn the_ticks_of_a_log_agree_with_the_report_of_the_same_run() {
    let (folder, expected) = expected();
    let mut pairs = 0;
    for (name, wanted) in &expected {
        let Some(wanted) = wanted.get("time_profile") else { continue };
        let log = profile(&folder.join(name));
        let (pseudo, others) = by_pseudo(&log);
        let of = |key: &str| wanted[key].as_u64().unwrap();
        assert_eq!(log.calls().sum_of_ticks(), u128::from(of("ticks")), "{name}");
        assert_eq!(log.calls().ticks.len() as u64, of("ticks"), "{name}");
        assert_eq!(others, of("without_pseudo"), "{name}");
        assert_eq!(serde_json::to_value(&pseudo).unwrap(), wanted["pseudo"], "{name}");
        assert_eq!(log.calls().tick.unwrap().as_nanos() as u64, of("tick_ns"), "{name}");
        let stacks = log.calls().nodes.iter().filter(|node| node.ticks > 0).count();
        assert_eq!(stacks as u64, of("stacks"), "{name}");
        let report = profile(&folder.join(name).with_extension("prof"));
        let total = u128::from(report.calls().total_ticks.unwrap());
        match by_pseudo(&report).0.is_empty() {
            false => assert_eq!(log.calls().sum_of_ticks(), total, "{name}"),
            true => assert_eq!(u128::from(others), total, "{name}"),
        }
        // The run-time system reads the stack twice: once to count it and once to log it.
        if report.calls().time == Exactness::Exact {
            let (logged, counted) = (by_path(&log), by_path(&report));
            for path in logged.keys().chain(counted.keys()) {
                let [a, b] = [&logged, &counted].map(|ticks| ticks.get(path).copied().unwrap_or(0));
                assert!(a.abs_diff(b) <= 2, "{name}: {path}: {a} and {b}");
            }
        }
        pairs += 1;
    }
    assert!(pairs >= 9, "only {pairs} pairs");
}
