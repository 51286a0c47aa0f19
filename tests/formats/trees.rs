//! Trees of stacks from real runs, and their exports read back by other readers.

use std::collections::BTreeMap;

use heapviz::export::{folded, speedscope};
use heapviz::profile::Profile;
use heapviz::slice::Slice;
use heapviz::tree::{Instant, Paths, Roots, StackTree, TreeSize, Weight, of_calls, of_heap};
use serde_json::Value;

use crate::reports::{expected, profile};

fn peak(profile: &Profile) -> (Paths, StackTree) {
    let slice = Slice::whole(profile);
    let moment = Instant::Peak.find(&slice).unwrap();
    let paths = Paths::new(&of_heap(&slice, &moment).unwrap(), Roots::AsWritten).unwrap();
    let tree = StackTree::of_paths(&paths, TreeSize::default());
    (paths, tree)
}

/// The lines of folded stacks: text and amount.
fn lines(text: &str) -> BTreeMap<String, u64> {
    let line = |line: &str| {
        let (stack, amount) = line.rsplit_once(' ').unwrap();
        (stack.to_owned(), amount.parse().unwrap())
    };
    text.lines().map(line).collect()
}

#[test]
fn the_peak_agrees_with_the_independent_reader() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for (name, wanted) in &expected {
        let Some(wanted) = wanted.get("peak") else { continue };
        let (paths, tree) = peak(&profile(&folder.join(name)));
        assert_eq!(tree.root().total, u128::from(wanted["bytes"].as_u64().unwrap()), "{name}");
        let stacks = tree.nodes.iter().filter(|node| node.own > 0).count();
        assert_eq!(stacks as u64, wanted["stacks"].as_u64().unwrap(), "{name}");
        let found = lines(&folded::write(&paths));
        for (stack, bytes) in wanted["folded"].as_object().unwrap() {
            assert_eq!(found.get(stack).copied(), bytes.as_u64(), "{name}: {stack}");
        }
        seen += 1;
    }
    assert!(seen >= 6, "only {seen} logs");
}

/// The numbers of samples, points, bands and texts of retainer sets in a log, and its peak sample.
#[test]
fn all_counts_agree_with_the_independent_reader() {
    let (folder, expected) = expected();
    let (mut logs, mut retainers) = (0, 0);
    for (name, wanted) in &expected {
        let Some(counts) = wanted.get("counts") else { continue };
        let profile = profile(&folder.join(name));
        let of = |tag: &str| counts[tag].as_u64().unwrap_or(0) as usize;
        assert_eq!(profile.samples().len(), of("162"), "{name}");
        assert_eq!(profile.samples().all_points().len(), of("163") + of("164"), "{name}");
        assert_eq!(profile.markers().len(), of("58"), "{name}");
        let slice = Slice::new(&profile, &Default::default()).unwrap();
        if let Some(wanted) = wanted.get("retainer") {
            let found = [profile.bands().len(), slice.rows().len()].map(|count| count as u64);
            let wanted = ["labels", "texts"].map(|key| wanted[key].as_u64().unwrap());
            assert_eq!(found, wanted, "{name}");
            retainers += 1;
        }
        if let Some(peak) = wanted.get("peak") {
            let highest = (0..slice.len()).rev().max_by_key(|&at| slice.total(at)).unwrap();
            assert_eq!(Some(highest as u64), peak["sample"].as_u64(), "{name}");
        }
        logs += 1;
    }
    assert!(logs >= 40 && retainers >= 7, "{logs} logs, {retainers} of retainers");
}

#[test]
fn every_level_adds_up() {
    let (folder, expected) = expected();
    for name in expected.keys().filter(|name| name.ends_with(".prof") && name.contains("-Pa")) {
        let profile = profile(&folder.join(name));
        let slice = Slice::whole(&profile);
        for weight in [Weight::Time, Weight::Alloc, Weight::Entries] {
            let Ok(stacks) = of_calls(&slice, weight) else { continue };
            for roots in [Roots::AsWritten, Roots::Grouped] {
                let tree = StackTree::new(&stacks, roots).unwrap();
                let own: u128 = tree.nodes.iter().map(|node| node.own).sum();
                assert_eq!(own, tree.root().total, "{name}");
                assert_eq!(own, stacks.total(), "{name}");
                for node in &tree.nodes {
                    let below: u128 =
                        node.children.iter().map(|&child| tree.node(child).total).sum();
                    assert_eq!(node.own + below, node.total, "{name}");
                }
            }
        }
    }
}

/// Own amounts by path, from the nodes.
fn from_nodes(tree: &StackTree) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for id in tree.ids().filter(|id| tree.node(*id).own > 0) {
        let names: Vec<String> = tree.path(id).iter().map(|frame| frame.qualified()).collect();
        *found.entry(names.join(";")).or_default() += tree.node(id).own as u64;
    }
    found
}

fn from_speedscope(text: &str) -> BTreeMap<String, u64> {
    let file: Value = serde_json::from_str(text).unwrap();
    let frames = file["shared"]["frames"].as_array().unwrap();
    let profile = &file["profiles"][0];
    let samples = profile["samples"].as_array().unwrap();
    let weights = profile["weights"].as_array().unwrap();
    let mut found = BTreeMap::new();
    for (sample, weight) in samples.iter().zip(weights) {
        let ids = sample.as_array().unwrap().iter();
        let names = ids.map(|id| frames[id.as_u64().unwrap() as usize]["name"].as_str().unwrap());
        let path = names.collect::<Vec<_>>().join(";");
        *found.entry(path).or_default() += weight.as_u64().unwrap();
    }
    assert_eq!(profile["endValue"].as_u64().unwrap(), found.values().sum::<u64>());
    found
}

#[test]
fn exports_contain_the_stacks_of_the_tree() {
    let (folder, expected) = expected();
    let mut seen = 0;
    for name in expected.keys().filter(|name| name.ends_with("parse-hc.eventlog")) {
        let (paths, tree) = peak(&profile(&folder.join(name)));
        let nodes = from_nodes(&tree);
        assert_eq!(nodes, lines(&folded::write(&paths)), "{name}");
        let file = speedscope::write("run", &paths);
        assert_eq!(nodes, from_speedscope(&file), "{name}");
        seen += 1;
    }
    assert!(seen >= 3);
}
