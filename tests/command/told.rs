//! What is said of heaps about which it was once wrong: the right words were read from their samples.

use std::path::Path;

use crate::common::command::Folder;

fn told(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/told");
    folder.join(name).display().to_string()
}

/// All that a verb says, in one line, and its exit status.
fn said(words: &[&str]) -> (String, i32) {
    let is_file =
        |word: &&&str| word.ends_with(".hp") || word.contains(".eventlog") || word.ends_with(".gz");
    let words: Vec<String> = words
        .iter()
        .map(|word| if is_file(&word) { told(word) } else { (*word).to_owned() })
        .collect();
    let run = Folder::new().run(&words);
    let text = run.wrote();
    (text.split_whitespace().collect::<Vec<_>>().join(" "), run.status())
}

#[test]
fn a_rise_begins_where_it_begins_and_is_as_fast_as_it_is() {
    for (words, parts) in [
        // Quiet at first: the rate is that of the stretch that grows.
        (
            &["stats", "late-hc.eventlog.gz"][..],
            &["all bands together grew by", "most of it parseDevNet"][..],
        ),
        (
            &["stats", "idle-then-leak.eventlog.gz"],
            &["climbs at the end", "+19.7 MiB since 6.27 s"],
        ),
        (&["stats", "midway.hp"], &["grew until the program ended", "from 1.35 s", "Main.Q"]),
        // What had stopped long before the exit did not grow until then.
        (
            &["stats", "doubling-hy.hp.gz"],
            &[
                "built up +7.97 MiB by doubling until 337 ms",
                "held until the program ended, which freed it",
            ],
        ),
        (&["stats", "convert.hp"], &["grew until the program ended", "[] +1.4", "Attempt +6"]),
        (&["stats", "doubling.hp"], &["by doubling"]),
        (
            &["stats", "lastspike.hp"],
            &["no leak", "until 100 ms", "climbs by 683 KiB as the program ends"],
        ),
        (&["stats", "teeth.hp"], &["lows rise from 439 KiB to 1 MiB (Main.Cache +"]),
        (
            &["stats", "bursts.hp"],
            &["7 times, by up to 14.7 MiB, mostly THUNK_1_0", "Thunks pile up"],
        ),
        // Memory that no band contains leads where it grew most, and deadlines are its own.
        (
            &["stats", "threads-hc.eventlog.gz"],
            &["live bytes grew by 154 MiB", "1 GiB more after 11.4 s"],
        ),
        (
            &["stats", "outside.eventlog", "--memory", "512MiB"],
            &["live bytes grew by 99 MiB", "in 2 min 33 s"],
        ),
        (&["stats", "limit.eventlog.gz"], &["it reached its -M of 24 MiB"]),
    ] {
        let (text, status) = said(words);
        let missing: Vec<_> = parts.iter().filter(|part| !text.contains(**part)).collect();
        assert!(status == 0 && missing.is_empty(), "{words:?}: {missing:?} in {text}");
    }
}

#[test]
fn a_budget_measures_the_growth_that_everybody_tells() {
    for (words, status, parts) in [
        (&["check", "late-hc.eventlog.gz", "--fail-if", "growth > 1MiB/s"][..], 3, &[][..]),
        (&["check", "idle-then-leak.eventlog.gz", "--fail-if", "growth > 5MiB/s"], 3, &[]),
        (
            &[
                "check",
                "grow-and-fall.hp",
                "--fail-if",
                "growth > 0.8MB/cpu-min",
                "--fail-if",
                "band(\".*\").growth > 1MB/cpu-min",
            ],
            3,
            &["684 KiB/s of CPU exceeded band", "16.3 KiB/s of CPU 684 KiB/s"],
        ),
        (
            &["check", "midway.hp", "--fail-if", "leak >= possible"],
            0,
            &["--fail-if 'shape >= grew-to-exit' would fail"],
        ),
    ] {
        let (text, found) = said(words);
        assert!(
            found == status && parts.iter().all(|part| text.contains(part)),
            "{words:?}: {text}"
        );
    }
    // A baseline has every figure that a budget of bands can ask for.
    let folder = Folder::new();
    folder.run(&["check", &told("level.hp"), "--write-baseline", "b.json"]).drawn();
    let budget = "band(\"B\").growth > baseline * 1.1";
    let words = ["check", &told("level-b.hp"), "--baseline", "b.json", "--fail-if", budget];
    assert_eq!(folder.run(&words).status(), 3);
}

#[test]
fn what_did_not_change_is_the_same_in_every_line() {
    for (before, after, begins, rows) in [
        (
            "built.hp",
            "built.hp",
            "Heap: builds up as before",
            &["list 540 KiB 540 KiB +0 B ≈ same"][..],
        ),
        (
            "saw-before.hp",
            "saw-after.hp",
            "Heap: new: Sessions grows",
            &["Buffers 33 MiB 33 MiB +0 B ≈ same"],
        ),
        ("late-hc.hp.gz", "late-hc.hp.gz", "Heap: still leaks as before", &[]),
        ("midway.hp", "midway.hp", "Heap: grows as before", &[]),
    ] {
        let (text, _) = said(&["diff", before, after]);
        assert!(text.starts_with(begins), "{before} {after}: {text}");
        assert!(rows.iter().all(|row| text.contains(row)), "{before} {after}: {text}");
    }
}
