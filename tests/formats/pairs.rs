//! An event log and the `.hp` of the same run agree.
//!
//! The event log is written as a `.hp` and compared with the run-time system's own: the same samples,
//! bands and bytes, in the same order. Differences that the reference explains are ignored: the clock,
//! the empty first and last sample, stack numbers, `-L` cuts, and MANY of `-hr`.

use std::path::Path;

use crate::common;
use heapviz::export;
use heapviz::incident::Condition;
use heapviz::input::{InputOptions, read};
use heapviz::profile::{Breakdown, Profile, Source};
use heapviz::slice::Slice;
use indexmap::IndexMap;

fn profile(bytes: &[u8]) -> Profile {
    read(bytes, &InputOptions::default()).expect("a profile")
}

fn load(path: &Path) -> Profile {
    profile(&std::fs::read(path).expect("a readable file"))
}

/// The rows of every non-empty sample, in the order of the file.
fn rows(profile: &Profile, label: impl Fn(&str) -> Option<String>) -> Vec<Vec<(String, u64)>> {
    (0..profile.samples().len())
        .map(|i| {
            let points = profile.samples().points(i);
            points
                .filter_map(|(band, size)| Some((label(profile.bands().label(band))?, size.get())))
                .collect()
        })
        .filter(|rows: &Vec<_>| !rows.is_empty())
        .collect()
}

/// The rows, with those of the same name added up in the first one's place.
fn added_up(rows: Vec<(String, u64)>) -> Vec<(String, u64)> {
    let mut sums: IndexMap<String, u64> = IndexMap::new();
    for (label, size) in rows {
        *sums.entry(label).or_default() += size;
    }
    sums.into_iter().collect()
}

/// The label without the `(n)` of a stack, because logs have no such number.
fn unnumbered(label: &str) -> &str {
    match label.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((number, text)) if number.bytes().all(|b| b.is_ascii_digit()) => text,
        _ => label,
    }
}

/// The label as the run-time system cuts it with `-L`.
fn cut(text: &str, length: usize) -> String {
    if text.len() <= length {
        return text.to_owned();
    }
    String::from_utf8_lossy(&text.as_bytes()[..length.saturating_sub(4)]).into_owned() + "..."
}

fn compare(name: &str, log: &Profile, theirs: &Profile) {
    if log.breakdown() == Breakdown::InfoTable {
        return compare_addresses(name, log, theirs);
    }
    let mut written = Vec::new();
    export::hp::write(&Slice::whole(log), &mut written).expect("writing to memory");
    let ours = profile(&written);
    assert_eq!(ours.source(), Source::Hp);
    let stacks = log.breakdown() == Breakdown::CostCentre;
    let flags = log.metadata().rts_flags();
    let length = flags.iter().find_map(|flag| flag.strip_prefix("-L")?.parse().ok()).unwrap_or(25);
    let ours = rows(&ours, |label| match stacks {
        true => Some(cut(unnumbered(label), length)),
        false => Some(label.to_owned()),
    });
    let theirs = rows(theirs, |label| match label {
        "MANY" if log.breakdown() == Breakdown::Retainer => None,
        _ if stacks => Some(unnumbered(label).to_owned()),
        _ => Some(label.to_owned()),
    });
    // The run-time system may name a band twice in a sample; heapviz writes one row.
    let theirs: Vec<_> = match stacks {
        true => theirs,
        false => theirs.into_iter().map(added_up).collect(),
    };
    // A killed program's log stops before its .hp does.
    let theirs = match log.condition() {
        Condition::Whole => &theirs[..],
        _ => &theirs[..ours.len()],
    };
    assert_eq!(ours.len(), theirs.len(), "{name}: number of samples");
    for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert_eq!(ours, theirs, "{name}: sample {i}");
    }
}

/// `-hi`: by address. The exported `.hp` has the facts about an info table instead.
fn compare_addresses(name: &str, log: &Profile, theirs: &Profile) {
    let named = |profile: &Profile| -> Vec<Vec<(String, u64)>> {
        let text = |band| String::from_utf8_lossy(profile.bands().name(band)).into_owned();
        (0..profile.samples().len())
            .map(|i| profile.samples().points(i).map(|(b, s)| (text(b), s.get())).collect())
            .filter(|rows: &Vec<_>| !rows.is_empty())
            .collect()
    };
    assert_eq!(named(log), named(theirs), "{name}");
}

#[test]
fn both_files_of_every_run_agree() {
    let mut logs = common::files_with_ending(&common::real_data(), "eventlog");
    logs.extend(common::files_with_ending(&common::data("real-runs"), "gz"));
    let mut versions = Vec::new();
    for log in logs {
        let name = log.display().to_string();
        let hp = name.replace(".eventlog", ".hp");
        if hp == name || !Path::new(&hp).exists() {
            continue;
        }
        let (decoded, theirs) = (load(&log), load(Path::new(&hp)));
        // Logging began in the middle of this run; damaged logs have lost samples.
        if name.contains("late") || decoded.condition() == Condition::Damaged {
            continue;
        }
        compare(&name, &decoded, &theirs);
        versions.push(decoded.metadata().ghc_version().unwrap_or_default().to_owned());
    }
    assert!(versions.len() >= 31, "only {} pairs were found", versions.len());
    // GHC 9.10 on x86-64, and GHC 9.12 and 9.14 with words of 32 bits, in WebAssembly.
    for version in ["9.10.3", "9.12.1", "9.14.1"] {
        assert!(versions.iter().any(|found| found.starts_with(version)), "{version}: {versions:?}");
    }
}
