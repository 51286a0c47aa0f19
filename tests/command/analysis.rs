//! `stats`, `check` and `diff`: their output, their files, and their exit status.

use std::fs;

use crate::common::command::{self, Folder, HP};
use crate::common::generator::testing::Log;

/// A text profile of so many samples, a tenth of a second apart.
fn hp(samples: u64, rows: impl Fn(u64) -> String) -> String {
    command::hp((0..samples).map(|i| (i as f64 / 10.0, rows(i))))
}

/// One band is level, and `Leaky` grows by `growth`.
fn profile(growth: u64) -> String {
    hp(60, |i| {
        let (level, leaky) = (200_000 + i * 7919 % 900, 100_000 + i * growth + i * 104_729 % 700);
        format!("Level\t{level}\nLeaky\t{leaky}\n")
    })
}

fn folder() -> Folder {
    Folder::new().with("leak.hp", profile(10_000)).with("sound.hp", profile(0)).with("short.hp", HP)
}

/// An event log of a profiled run with a collection of 3 ms, which ended before its first sample: one was wanted
/// every 100 ms.
fn log_without_samples() -> Vec<u8> {
    let mut log = Log::new();
    log.profile_begins(0, 4, 100_000_000).event(9, 5_000_000, &[]);
    log.event(53, 6_000_000, &[0; 58]).event(10, 8_000_000, &[]);
    log.ended()
}

/// A run without a sample gets the same advice wherever it is shown: the interval was 0.1 s.
#[test]
fn a_run_without_samples_gets_one_advice() {
    let folder = Folder::new().with("none.eventlog", log_without_samples());
    let advice = "try +RTS -i0.002, or let it run longer";
    for line in [
        "stats -f md",
        "stats -f json",
        "stats",
        "check --fail-if 'peak > 1'",
        "check -f md --fail-if 'peak > 1'",
        "-f svg -o -",
    ] {
        let run = folder.line(&format!("{line} none.eventlog"));
        let all = run.wrote() + &run.said();
        let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(all.contains(advice), "{line}: {all}");
        assert!(
            !line.starts_with("stats") || line.ends_with("json") || all.contains("No samples: try"),
            "{all}"
        );
        assert!(line != "stats -f md" || run.wrote().contains(advice), "{all}");
        assert!(all.split("-i").skip(1).all(|rest| rest.starts_with("0.002")), "{line}: {all}");
    }
}

#[test]
fn check_exits_with_3_when_a_budget_is_exceeded() {
    let folder = folder();
    let likely = "--fail-if 'leak == likely'";
    let misspelled = "--fail-if 'band(\"^Laeky$\").peak > 1'";
    let unknown = "-q --fail-if-unknown leak.hp";
    for (line, status, says) in [
        (format!("leak.hp {likely}"), 3, ""),
        ("sound.hp --fail-if 'leak != none' --fail-if 'peak > 1MiB'".into(), 0, ""),
        ("leak.hp --accept ^Leaky$ --fail-if 'leak != none'".into(), 0, ""),
        (format!("leak.hp nosuch.hp {likely}"), 1, ""),
        ("leak.hp --fail-if 'pek > 1'".into(), 2, ""),
        ("leak.hp".into(), 2, ""),
        // It has too few samples for a verdict.
        (format!("short.hp {likely}"), 0, "cannot be checked: "),
        (format!("--fail-if-unknown short.hp {likely}"), 3, ""),
        // A misspelled band would be within every budget.
        (format!("leak.hp {misspelled}"), 0, "cannot be checked: no band matches it"),
        (format!("{unknown} {misspelled}"), 3, "cannot tell: no band matches it"),
    ] {
        folder.line(&format!("check {line}")).says(status, says);
    }
    // Only what exceeds its budget is annotated.
    let wrote = folder.line(&format!("check leak.hp sound.hp --annotate github {likely}")).wrote();
    let lines: Vec<&str> = wrote.lines().filter(|line| line.starts_with("::error")).collect();
    assert!(lines.len() == 1 && lines[0].contains("likely leak"), "{lines:?}");
}

#[test]
fn a_baseline_limits_later_runs() {
    let folder = folder();
    folder.line("check leak.hp --write-baseline grows.json").says(0, "its growth is the measure");
    folder.line("check sound.hp short.hp --write-baseline two.json").says(2, "");
    folder.line("check @leak-hy.hp --accept . --write-baseline hp.json").drawn();
    let other = "check @leak-hy.eventlog --baseline hp.json --fail-if 'peak > baseline * 9'";
    folder.line(other).failed(&["clock"]);
    let other = "check @leak-hy.hp --baseline hp.json --fail-if 'peak > baseline * 9'";
    folder.line(other).failed(&["had the view `--accept .`, this run has `the complete run`"]);
    let write = || {
        folder.line("check sound.hp --write-baseline heap.json").drawn();
        folder.read("heap.json")
    };
    assert_eq!(write(), write());
    let held = "--baseline heap.json -f md --fail-if 'p99 > baseline * 1.1'";
    folder.line(&format!("check sound.hp {held}")).says(0, "");
    let leak = folder.line(&format!("check leak.hp {held}")).says(3, "");
    assert!(leak.wrote().starts_with("### `leak.hp`: the budget is exceeded"), "{}", leak.wrote());
}

/// A minute of a `.hp` is one of CPU time, and the answer says so.
#[test]
fn a_rate_is_by_the_clock_of_the_input() {
    for (input, rate, status, says) in [
        ("leak.hp", "growth > 1kB/min", 3, "17 B/s of CPU"),
        ("@words-lazy.eventlog.gz", "growth > 1MB/h", 3, "278 B/s"),
        ("leak.hp", "growth > 1kB/cpu-min", 2, "write /s, /min or /h"),
        ("leak.hp", "growth > 1kB/sample", 2, "write /s, /min or /h"),
    ] {
        folder().line(&format!("check {input} --fail-if '{rate}'")).says(status, says);
    }
}

#[test]
fn a_wrong_call_is_told_the_way_that_there_is() {
    for (line, way) in [
        ("check leak.hp --max-peak 10M", "--fail-if 'peak > 10M'"),
        ("check leak.hp --growth 1M", "--fail-if 'growth > 1M/min'"),
        ("check leak.hp --fail-if 'peek > 1M'", "did you mean `peak`?"),
        ("hunt -o x.svg", "`hunt --cabal`"),
    ] {
        let run = folder().line(line).says(2, way);
        assert!(!run.said().contains("'-- --"), "no flag is a file: {}", run.said());
    }
}

#[test]
fn diff_compares_the_bands_of_two_runs() {
    let folder = folder();
    let run = folder.line("diff leak.hp sound.hp").drawn();
    let headline = "Heap: repaired: Leaky grew by 576 KiB before\n";
    assert!(run.wrote().starts_with(headline), "{}", run.wrote());
    let same = folder.line("diff sound.hp sound.hp").drawn().wrote();
    let marks = same.lines().filter(|line| line.trim_end().ends_with("≈ same")).count();
    assert!(marks >= 5, "{same}");
    folder.line("diff leak.hp").says(2, "");
    let four = |name: &str| [name; 4].join(" ");
    let line = format!("diff {} -- {}", four("sound.hp"), four("leak.hp"));
    folder.line(&line).says(0, "(p 0.030)");
    let json = folder.line("diff -f json leak.hp sound.hp").drawn().json();
    assert!(json["bands"][0]["label"] == "Leaky" && json["bands"][0]["grows"][0] == true, "{json}");
}

#[test]
fn lines_of_source_are_beside_what_they_make() {
    let lines: String = (1..=70).map(|line| format!("line <{line}> of Leak\n")).collect();
    let folder = Folder::new().with("Leak.hs", lines);
    let log = "@leak-hc.eventlog --to 1.2s --source .";
    let diff = format!("diff @leak-hc.eventlog {log}");
    folder.line(&diff).says(0, "Leak.hs:32:30\n|line <32> of Leak");
    let text = folder.line(&format!("{diff} -f md")).wrote();
    let made = "made at `Leak.hs:32:30`\n- `Leak.hs:32:30`: `line <32> of Leak`";
    assert!(text.contains(made), "{text}");
    let stats = folder.line(&format!("stats {log}")).wrote();
    assert!(stats.contains("   32 | line <32> of Leak"), "{stats}");
    let none = "--source has no effect: it is for text and pages";
    folder.line(&format!("{log} -o heap.png")).says(0, none);
    // Without the source, there is no line.
    fs::remove_file(folder.path().join("Leak.hs")).unwrap();
    assert!(!folder.line(&format!("stats {log}")).wrote().contains("   32 | "));
}

#[test]
fn diff_draws_before_above_after_in_every_picture_format() {
    let folder = folder();
    let outputs = "-o a.svg -o a.html -o a.json -o a.png -o a.pdf";
    folder.line(&format!("diff leak.hp sound.hp {outputs}")).drawn();
    let svg = folder.read("a.svg");
    let at = |text: &str| svg.find(text).unwrap_or_else(|| panic!("{text}: {svg}"));
    assert!(at("before: leak.hp") < at("after: sound.hp"), "{svg}");
    for side in ["before", "after"] {
        assert_eq!(svg.matches(&format!("id=\"band-{side}-leaky-")).count(), 1, "{side}");
    }
    // The mean of Leaky fell by 288 KiB; Level did not change.
    assert!(svg.contains(">change<") && svg.contains(">−288 KiB<") && svg.contains(">~<"), "{svg}");
    let html = folder.read("a.html");
    assert_eq!(html.matches("class=\"island\"").count(), 2, "a page of two runs");
    assert!(!html.contains("leak.hp"), "names are only in its data");
    // The headline has a mark if the run after leaks, even if it did before.
    for (pair, is_marked) in [("leak.hp sound.hp", false), ("leak.hp leak.hp", true)] {
        folder.line(&format!("diff {pair} -o b.svg")).drawn();
        let svg = folder.read("b.svg");
        let heading = svg.split("<g class=\"before\">").next().expect("a heading");
        assert_eq!(heading.contains("class=\"f-alarm"), is_marked, "{heading}");
    }
    let several = "of 3 runs, the one with the median peak";
    folder.line("diff -f svg leak.hp leak.hp leak.hp -- sound.hp").says(0, several);
}

#[test]
fn diff_refuses_misleading_pictures_with_a_hint() {
    let folder = folder();
    let clocks = ["counts CPU time", "counts elapsed time", "hint: compare their figures"];
    folder.line("diff @leak-hy.hp @leak-hy.eventlog -o a.svg").failed(&clocks);
    folder.line("diff @leak-hy.hp @leak-hy.eventlog").says(0, "no common clock");
    let small = "diff leak.hp sound.hp -o a.svg --height 300";
    folder.line(small).says(2, "at least 560 x 480 pixels");
    assert_eq!(folder.files(), ["leak.hp", "short.hp", "sound.hp"]);
}

/// Of 400 bands alike, the first three say nothing.
#[test]
fn bands_are_counted_where_none_has_a_fair_part() {
    let alike = |step: u64| {
        let row = |band, i| format!("Mod{}.f{band}\t{}\n", band % 9, 9000 + i * step);
        hp(60, |i| (0..400).map(|band| row(band, i)).collect()).replace("-hy", "-hT")
    };
    let folder = Folder::new().with("level.hp", alike(0)).with("leak.hp", alike(800));
    for (name, whole) in [("level.hp", "the heap"), ("leak.hp", "the growth")] {
        let said = folder.line(&format!("stats {name}")).drawn().wrote();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let counted = format!("400 bands: the largest 3 are 0.75 % of {whole}; --group module");
        assert!(said.contains(&counted) && !said.contains("Mod1.f"), "{said}");
    }
    let grouped = folder.line("stats --group module leak.hp").drawn().wrote();
    assert!(grouped.contains("Mod1") && grouped.contains("6 more"), "{grouped}");
}

/// A name is code wherever Markdown has it: it could be an image of a stranger's server, or a mention.
#[test]
fn a_name_in_markdown_is_code() {
    let name = "<img src=\"x\"> @octocat **bold**";
    let named = |step: u64| hp(40, |i| format!("{name}\t{}\nother\t1000000\n", 100_000 + step * i));
    let folder = Folder::new().with("a.hp", named(100_000)).with("b.hp", named(1));
    for line in
        ["stats a.hp -f md", "check a.hp --fail-if 'peak > 1' -f md", "diff a.hp b.hp -f md"]
    {
        let said = folder.line(line).wrote();
        assert!(said.contains(name), "{said}");
        let outside: String = said.split('`').step_by(2).collect();
        assert!(!outside.contains("octocat"), "{line}: {said}");
    }
}
