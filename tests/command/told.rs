//! What is said of heaps about which it was once wrong: the right words were read from their samples.

use std::process::Command;

use crate::common::command::{Run, words};

const TOLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/told");

/// All that a verb says of heaps in that folder, in one line, and its exit status.
fn said(line: &str) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapviz"));
    let run = Run(command.args(words(line)).current_dir(TOLD).output().expect("the command"));
    (run.wrote().split_whitespace().collect::<Vec<_>>().join(" "), run.status())
}

/// Each line ends with a status, and what it says contains all parts, with `|` between them.
fn check(lines: &[(&str, i32, &str)]) {
    for (line, status, parts) in lines {
        let (text, found) = said(line);
        let missing: Vec<_> = parts.split('|').filter(|part| !text.contains(part)).collect();
        assert!(found == *status && missing.is_empty(), "{line}: {missing:?} in {text}");
    }
}

#[test]
fn a_rise_begins_where_it_begins_and_is_as_fast_as_it_is() {
    let until_exit = "grew until the program ended";
    check(&[
        // Quiet at first: the rate is that of the stretch that grows.
        ("stats late-hc.eventlog.gz", 0, "all bands together (parseDevNet) grew by"),
        ("stats idle-then-leak.eventlog.gz", 0, "climbs at the end: to 20.6 MiB"),
        ("stats midway.hp", 0, &format!("{until_exit}: to 2.47 MiB (Main.Q)")),
        // An array that doubles is level for half of any run, up to its exit, too.
        (
            "stats doubling-hy.hp.gz",
            0,
            "cannot tell: fills by 337 ms (ARR_WORDS), then level at 8.15 MiB; run it longer",
        ),
        ("stats convert.hp", 0, "grew until the program ended: to 3.09 MiB (Int, [])"),
        ("stats doubling.hp", 0, "climbs at the end: to 1.03 MiB (ARR_WORDS); run it longer"),
        ("stats lastspike.hp", 0, "no leak: level at 1.81 MiB, then up to 2.48 MiB"),
        ("stats teeth.hp", 0, "grew until the program ended: to 3.23 MiB (Main.Cache)"),
        (
            "stats bursts.hp",
            0,
            "no leak: bursts to 14.7 MiB (THUNK_1_0), back under 37 KiB between them|Thunks pile up",
        ),
        // Memory that no band contains leads where it grew most,
        ("stats threads-hc.eventlog.gz", 0, "live bytes grew by 154 MiB"),
        ("stats outside.eventlog", 0, "live bytes grew by 99 MiB"),
        (
            "stats limit.eventlog.gz",
            0,
            "The heap reached the limit of the command line, -M of 24 MiB.",
        ),
    ]);
}

#[test]
fn a_budget_measures_the_growth_that_everybody_tells() {
    check(&[
        ("check late-hc.eventlog.gz --fail-if 'growth > 1MiB/s'", 3, ""),
        ("check idle-then-leak.eventlog.gz --fail-if 'growth > 5MiB/s'", 3, ""),
        (
            "check grow-and-fall.hp --fail-if 'growth > 0.8MB/min' \
             --fail-if 'band(\".*\").growth > 1MB/min'",
            3,
            "684 KiB/s of CPU exceeded band|16.3 KiB/s of CPU 684 KiB/s",
        ),
        (
            "check midway.hp --fail-if 'leak >= possible'",
            0,
            "--fail-if 'shape >= grew-to-exit' would fail",
        ),
    ]);
}

#[test]
fn what_did_not_change_is_the_same_in_every_line() {
    for (line, begins, row) in [
        ("diff built.hp built.hp", "no leak before and after", "list 540 KiB 540 KiB +0 B ≈ same"),
        (
            "diff saw-before.hp saw-after.hp",
            "new leak: Sessions grew by 13.6 MiB",
            "Buffers 33 MiB 33 MiB +0 B ≈ same",
        ),
        ("diff late-hc.hp.gz late-hc.hp.gz", "still leaks as before", ""),
        ("diff midway.hp midway.hp", "no leak before and after", ""),
        // One sample more, taken while a table is filled.
        ("diff same-a.hp same-b.hp", "no leak before and after", "Table.Bin 2.22 MiB 2.2 MiB"),
        ("diff same-b.hp same-a.hp", "no leak before and after", "Table.Tip 1.32 MiB 1.33 MiB"),
    ] {
        let (text, _) = said(line);
        assert!(text.starts_with(&format!("Heap: {begins}")) && text.contains(row), "{text}");
        let grows = |text: &str| text.contains("grows") || text.contains("no longer");
        assert!(!line.contains("same") || !grows(&text), "{text}");
    }
}
