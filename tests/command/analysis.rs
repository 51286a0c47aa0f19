//! `stats`, `check` and `diff`: their output, their files, and their exit status.

use std::fmt::Write;
use std::fs;

use crate::common::command::{Folder, HP, sample};

/// A text profile of 60 samples: one band is level, and `Leaky` grows by `growth`.
fn profile(growth: u64) -> String {
    let mut text = String::from(
        "JOB \"prog +RTS -hy\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n",
    );
    for i in 0..60u64 {
        let time = i as f64 / 10.0;
        let _ = write!(
            text,
            "BEGIN_SAMPLE {time:.6}\nLevel\t{}\nLeaky\t{}\nEND_SAMPLE {time:.6}\n",
            200_000 + (i * 7919) % 900,
            100_000 + i * growth + (i * 104_729) % 700
        );
    }
    text
}

fn folder() -> Folder {
    Folder::new().with("leak.hp", profile(10_000)).with("sound.hp", profile(0)).with("short.hp", HP)
}

/// For a run with too few samples, the advice suggests a smaller interval than the run had.
#[test]
fn too_few_samples_give_advice_that_would_help() {
    let log = crate::common::command::sample("words-lazy.eventlog.gz").display().to_string();
    let text = Folder::new().run(&["stats", "--to", "400ms", &log]).drawn().wrote();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, advice) = words.split_once("try +RTS -i").expect("advice");
    let seconds = advice.split([',', ' ']).next().expect("a word");
    let seconds: f64 = seconds.parse().expect("a number");
    assert!(seconds > 0.0 && seconds < 0.04 / 4.0, "the run had -i0.04: {text}");
}

/// An event log of a profiled run with a collection of 3 ms, which ended before its first sample: one was wanted
/// every 100 ms.
fn log_without_samples() -> Vec<u8> {
    let mut log = b"hdrbhetb".to_vec();
    let (begin, gc_start, gc_stats, gc_end) = (160u16, 9u16, 53u16, 10u16);
    for (tag, size) in [(begin, 0xFFFFu16), (gc_start, 0), (gc_stats, 50), (gc_end, 0)] {
        log.extend(b"etb\0");
        log.extend([tag.to_be_bytes(), size.to_be_bytes()].concat());
        log.extend([0; 8]);
        log.extend(b"ete\0");
    }
    log.extend(b"hetehdredatb");
    let payload = [&[0][..], &100_000_000u64.to_be_bytes(), &4u32.to_be_bytes(), &[0; 7]].concat();
    let events = [
        (begin, 0u64, &payload[..]),
        (gc_start, 5_000_000, &[]),
        (gc_stats, 6_000_000, &[0; 50]),
        (gc_end, 8_000_000, &[]),
    ];
    for (tag, time, payload) in events {
        log.extend(tag.to_be_bytes());
        log.extend(time.to_be_bytes());
        if tag == begin {
            log.extend((payload.len() as u16).to_be_bytes());
        }
        log.extend(payload);
    }
    log.extend([0xFF; 2]);
    log
}

/// A run without a sample gets the same advice wherever it is shown: the interval was 0.1 s.
#[test]
fn a_run_without_samples_gets_one_advice() {
    let folder = Folder::new().with("none.eventlog", log_without_samples());
    let advice = "try +RTS -i0.002, or let it run longer";
    let budget = ["--fail-if", "peak > 1"];
    for words in [
        &["stats", "-f", "md"][..],
        &["stats", "-f", "json"],
        &["stats"],
        &["check"],
        &["check", "-f", "md"],
        &["-f", "svg", "-o", "-"],
    ] {
        let more = if words[0] == "check" { &budget[..] } else { &[] };
        let run = folder.run(&[words, more, &["none.eventlog"][..]].concat());
        let all = run.wrote() + &run.said();
        let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(all.contains(advice), "{words:?}: {all}");
        assert!(words.last() != Some(&"md") || run.wrote().contains(advice) || words[0] == "check");
        let others: Vec<&str> =
            all.split("-i").skip(1).filter(|rest| !rest.starts_with("0.002")).collect();
        assert!(others.is_empty(), "{words:?}: {others:?}");
    }
}

#[test]
fn stats_names_growing_bands_and_the_limits_of_the_verdict() {
    let folder = folder();
    let text = folder.run(&["stats", "leak.hp"]).drawn().wrote();
    assert!(text.starts_with("leak.hp: likely leak\n") && text.contains("KiB/s of CPU"), "{text}");
    assert!(text.contains("A cache that is meant to grow would look like this, too"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let text = folder.run(&["stats", "sound.hp"]).drawn().wrote();
    assert!(text.starts_with("sound.hp: no leak\nthe heap stays near 294 KiB\n"), "{text}");
    let text = folder.run(&["stats", "short.hp"]).drawn().wrote();
    assert!(text.contains("cannot tell") && text.contains("15 are needed"), "{text}");
    let both = folder.run(&["stats", "-f", "json", "leak.hp", "sound.hp"]).drawn().wrote();
    let leaks: Vec<String> = both
        .lines()
        .map(|line| {
            let json: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert!(json["times_ns"].is_null() && json["bands"][0]["residency"].is_null());
            json["verdict"]["leak"].as_str().expect("a grade").to_owned()
        })
        .collect();
    assert_eq!(leaks, ["likely", "none"]);
}

#[test]
fn stats_and_check_write_several_outputs_from_one_reading() {
    let folder = Folder::new();
    let budget = ["--fail-if", "peak > 1MiB"];
    for (verb, more) in [("stats", &[][..]), ("check", &budget[..])] {
        let words = [&[verb, "-", "-o", "README.md", "-o", "a.json", "-o", "-"][..], more].concat();
        let run = folder.run_with_input(&words, profile(0).as_bytes()).drawn();
        assert!(run.wrote().starts_with("standard input"), "{}", run.wrote());
        assert!(
            folder.read("README.md").starts_with("### ") && folder.read("a.json").starts_with('{')
        );
        let twice = [&[verb, "-", "-o", "README.md", "-o", "README.md"][..], more].concat();
        assert_eq!(folder.run(&twice).status(), 2);
        let unknown = [&[verb, "-", "-o", "a.gif"][..], more].concat();
        let said = folder.run(&unknown).said();
        assert!(said.contains(".txt, .md, .json"), "{said}");
    }
}

#[test]
fn suspects_are_marked_in_the_key_and_the_mark_is_explained() {
    let folder = folder();
    folder.run(&["leak.hp"]).drawn();
    let marks = |svg: String| svg.matches("class=\"suspect\"").count();
    // One next to its name, one next to the statement under the title.
    assert_eq!(marks(folder.read("leak.svg")), 2);
    folder.run(&["leak.hp", "--no-verdict"]).drawn();
    assert_eq!(marks(folder.read("leak.svg")), 0);
    folder.run(&["sound.hp"]).drawn();
    assert_eq!(marks(folder.read("sound.svg")), 0);
}

#[test]
fn drawing_reports_growth_unless_it_is_switched_off() {
    let folder = folder();
    let said = folder.run(&["leak.hp"]).drawn().said();
    assert!(said.contains("note: leak.hp: likely leak: Leaky grew by"), "{said}");
    assert!(folder.read("leak.svg").contains("still growing at the end"));
    let said = folder.run(&["--no-verdict", "leak.hp"]).drawn().said();
    assert!(!said.contains("leak:"), "{said}");
    assert!(!folder.read("leak.svg").contains("still growing"));
    assert!(!folder.run(&["sound.hp"]).drawn().said().contains("leak:"));
}

#[test]
fn check_exits_with_3_when_a_budget_is_exceeded() {
    let folder = folder();
    let exit = |words: &[&str]| folder.run(&[&["check"], words].concat()).status();
    assert_eq!(exit(&["leak.hp", "--fail-if", "leak == likely"]), 3);
    assert_eq!(exit(&["sound.hp", "--fail-if", "leak != none", "--fail-if", "peak > 1MiB"]), 0);
    assert_eq!(exit(&["leak.hp", "--accept", "^Leaky$", "--fail-if", "leak != none"]), 0);
    assert_eq!(exit(&["leak.hp", "nosuch.hp", "--fail-if", "leak == likely"]), 1);
    assert_eq!(exit(&["leak.hp", "--fail-if", "pek > 1"]), 2);
    assert_eq!(exit(&["leak.hp"]), 2);
    // It has too few samples for a verdict.
    let unknown = folder.run(&["check", "short.hp", "--fail-if", "leak == likely"]);
    assert_eq!(unknown.status(), 0, "{}", unknown.said());
    assert!(unknown.said().contains("cannot be checked: cannot tell: "), "{}", unknown.said());
    assert_eq!(exit(&["--fail-if-unknown", "short.hp", "--fail-if", "leak == likely"]), 3);
    // A band that the run does not have is within every budget; a misspelled one would be, too.
    let misspelled = folder.run(&["check", "leak.hp", "--fail-if", "band(\"^Laeky$\").peak > 1"]);
    assert_eq!(misspelled.status(), 0, "{}", misspelled.said());
    assert!(misspelled.said().contains("no band matches `^Laeky$`"), "{}", misspelled.said());
    let budget = "band(\"^Laeky$\").peak > 1";
    for (format, says) in [
        ("txt", "ok (no such band)"),
        ("md", "ok (no such band)"),
        ("json", "\"no_such_band\":true"),
    ] {
        let words = ["check", "-q", "--fail-if-unknown", "leak.hp", "-f", format];
        let run = folder.run(&[&words[..], &["--fail-if", budget]].concat());
        assert_eq!(run.status(), 3, "{}", run.said());
        assert!(run.wrote().contains(says), "{}", run.wrote());
    }
    // Only what exceeds its budget is annotated.
    let annotated = ["check", "leak.hp", "sound.hp", "--annotate", "github"];
    let run = folder.run(&[&annotated[..], &["--fail-if", "leak == likely"]].concat());
    let lines: Vec<String> =
        run.wrote().lines().filter(|line| line.starts_with("::error")).map(str::to_owned).collect();
    assert!(lines.len() == 1 && lines[0].contains("likely leak"), "{lines:?}");
}

#[test]
fn a_baseline_limits_later_runs() {
    let folder = folder();
    let grows = folder.run(&["check", "leak.hp", "--write-baseline", "grows.json"]).drawn();
    assert!(grows.said().contains("its growth is the measure"), "{}", grows.said());
    let two = folder.run(&["check", "sound.hp", "short.hp", "--write-baseline", "two.json"]);
    assert_eq!(two.status(), 2, "{}", two.said());
    let [hp, log] =
        ["leak-hy.hp", "leak-hy.eventlog"].map(|name| sample(name).display().to_string());
    let of_hp = ["check", &hp, "--accept", ".", "--write-baseline", "hp.json"];
    folder.run(&of_hp).drawn();
    let other = ["check", &log, "--baseline", "hp.json", "--fail-if", "peak > baseline * 9"];
    folder.run(&other).failed(&["clock"]);
    folder.run(&["check", "sound.hp", "--write-baseline", "heap.json"]).drawn();
    let first = folder.read("heap.json");
    folder.run(&["check", "sound.hp", "--write-baseline", "heap.json"]).drawn();
    assert_eq!(folder.read("heap.json"), first);
    let held = |input: &str| {
        let words = ["check", input, "--baseline", "heap.json", "-f", "md"];
        folder.run(&[&words[..], &["--fail-if", "p99 > baseline * 1.1"]].concat())
    };
    assert_eq!(held("sound.hp").status(), 0);
    let leak = held("leak.hp");
    assert_eq!(leak.status(), 3);
    assert!(leak.wrote().starts_with("### `leak.hp`: the budget is exceeded"), "{}", leak.wrote());
    assert!(leak.wrote().contains("over baseline"));
}

#[test]
fn a_minute_of_cpu_is_not_a_minute() {
    let folder = folder();
    let log = sample("words-lazy.eventlog.gz");
    let log = log.to_str().expect("a path");
    for (input, rate, way) in [
        ("leak.hp", "growth > 1kB/min", "write 'growth > 1kB/cpu-min'"),
        ("leak.hp", "band(\"Leaky\").growth > 1kB/sample", "growth > 1kB/cpu-min'"),
        (log, "growth > 1MB/cpu-h", "write 'growth > 1MB/min'"),
    ] {
        let run = folder.run(&["check", input, "--fail-if", rate]);
        assert_eq!(run.status(), 1, "{rate}");
        assert!(run.said().contains(way), "{rate}: {}", run.said());
    }
    for (input, rate) in [("leak.hp", "growth > 1kB/cpu-min"), (log, "growth > 1MB/h")] {
        assert_eq!(folder.run(&["check", input, "--fail-if", rate]).status(), 3, "{rate}");
    }
}

#[test]
fn a_wrong_call_is_told_the_way_that_there_is() {
    let folder = folder();
    for (words, way) in [
        (&["check", "leak.hp", "--max-peak", "10M"][..], "--fail-if 'peak > 10M'"),
        (&["check", "leak.hp", "--growth", "1M"], "--fail-if 'growth > 1M/min'"),
        (&["check", "leak.hp", "--fail-if", "peek > 1M"], "did you mean `peak`?"),
        (&["hunt", "-o", "x.svg"], "`hunt --cabal`"),
    ] {
        let run = folder.run(words);
        assert_eq!(run.status(), 2, "{words:?}");
        assert!(run.said().contains(way), "{words:?}: {}", run.said());
        assert!(!run.said().contains("'-- --"), "no flag is a file: {}", run.said());
    }
}

#[test]
fn a_picture_of_two_runs_shows_the_floor_where_one_of_them_leaks_under_a_sawtooth() {
    let saw = |leak: u64| {
        let mut text = String::from(
            "JOB \"prog\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n",
        );
        for sample in 0..3000 {
            let (time, saw) = (sample as f64 * 0.01, 100_000 + sample % 30 * 90_000);
            let leak = 1_000 + leak * sample;
            text += &format!(
                "BEGIN_SAMPLE {time:.2}\nBuffer\t{saw}\nLeaky\t{leak}\nEND_SAMPLE {time:.2}\n"
            );
        }
        text
    };
    let folder = Folder::new().with("leak.hp", saw(600)).with("sound.hp", saw(0));
    for (names, floors) in
        [(["leak.hp", "sound.hp"], 2), (["sound.hp", "leak.hp"], 2), (["sound.hp"; 2], 0)]
    {
        folder.run(&[&["diff"], &names[..], &["-o", "x.svg"]].concat()).drawn();
        let picture = folder.read("x.svg");
        assert_eq!(picture.matches("least total").count(), floors, "{names:?}");
        std::fs::remove_file(folder.path().join("x.svg")).expect("a picture");
    }
}

#[test]
fn every_document_counts_samples_without_the_empty_ones_of_a_hp() {
    let folder = folder().with("prog.hp", crate::common::command::HP);
    assert!(folder.run(&["prog.hp", "-o", "x.svg"]).drawn().said().contains("2 samples, "));
    assert!(folder.read("x.svg").contains("2 samples"), "of four");
    assert!(folder.run(&["stats", "prog.hp"]).wrote().contains("2 samples"));
    let check = folder.run(&["check", "prog.hp", "--fail-if", "samples > 2"]);
    assert_eq!(check.status(), 0, "{}", check.said());
    let json = folder.run(&["stats", "-f", "json", "prog.hp"]).wrote();
    assert!(json.contains("\"samples\": 2") || json.contains("\"samples\":2"), "{json}");
    folder.run(&["diff", "prog.hp", "prog.hp", "-o", "y.svg"]).drawn();
    assert!(folder.read("y.svg").contains("2 samples in"));
}

#[test]
fn diff_compares_the_bands_of_two_runs() {
    let folder = folder();
    let text = folder.run(&["diff", "leak.hp", "sound.hp"]).drawn().wrote();
    assert!(text.starts_with("Heap: repaired: Leaky no longer grows: 576 KiB -> 0 B\n"), "{text}");
    assert!(text.contains("all bytes are in bands that both runs have"), "{text}");
    let same = folder.run(&["diff", "sound.hp", "sound.hp"]).drawn().wrote();
    let marks = same.lines().filter(|line| line.trim_end().ends_with("≈ same")).count();
    assert!(marks >= 5, "{same}");
    let usage = folder.run(&["diff", "leak.hp"]);
    assert_eq!(usage.status(), 2);
    let four = ["sound.hp"; 4];
    let words = [&["diff"], &four[..], &["--"], &["leak.hp"; 4][..]].concat();
    assert!(folder.run(&words).drawn().wrote().contains("(p 0.029)"));
    let json = folder.run(&["diff", "-f", "json", "leak.hp", "sound.hp"]).drawn().wrote();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["bands"][0]["label"], "Leaky");
    assert_eq!(json["bands"][0]["growth"], "gone");
    assert!(text.contains("no longer grows"), "{text}");
}

/// In texts, and in the hover texts of pictures, which PNG cannot have.
#[test]
fn lines_of_source_are_beside_what_they_make() {
    let lines: String = (1..=70).map(|line| format!("line <{line}> of Leak\n")).collect();
    let log = sample("leak-hc.eventlog");
    let log = log.to_str().unwrap();
    let folder = Folder::new().with("Leak.hs", lines);
    let source = ["--to", "1.2s", "--source", "."];
    let of_one = |words: &[&str]| folder.run(&[&source, words].concat()).drawn();
    let of_two = |words: &[&str]| {
        folder.run(&[&["diff", log, log], &source[..], words].concat()).drawn().wrote()
    };
    of_one(&[log, "-o", "heap.svg"]);
    let hover = "Leak.hs:32:30: line &lt;32&gt; of Leak";
    assert!(folder.read("heap.svg").contains(hover));
    assert!(of_two(&["-f", "svg"]).matches(hover).count() >= 2);
    let text = of_two(&[]);
    assert!(text.contains("Leak.hs:32:30\n      32 | line <32> of Leak"), "{text}");
    let text = of_two(&["-f", "md"]);
    assert!(
        text.contains("made at `Leak.hs:32:30`\n- `Leak.hs:32:30`: `line <32> of Leak`"),
        "{text}"
    );
    let stats = folder.run(&[&["stats", log], &source[..]].concat()).drawn().wrote();
    assert!(stats.contains("      32 | line <32> of Leak"), "{stats}");
    let said = of_one(&[log, "-o", "heap.png"]).said();
    assert!(
        said.contains("--source has no effect: it is for text, pages and SVG of bands"),
        "{said}"
    );
    // Without the source, there is no line.
    fs::remove_file(folder.path().join("Leak.hs")).unwrap();
    of_one(&[log, "-o", "heap.svg"]);
    assert!(!folder.read("heap.svg").contains("Leak.hs:32:30: "));
}

#[test]
fn diff_draws_before_above_after_in_every_picture_format() {
    let folder = folder();
    let words = ["diff", "leak.hp", "sound.hp", "-o", "a.svg", "-o", "a.html", "-o", "a.json"];
    folder.run(&words).drawn();
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
    for file in ["a.png", "a.pdf"] {
        folder.run(&["diff", "leak.hp", "sound.hp", "-o", file]).drawn();
    }
    let four = [&["diff", "-f", "svg"], &["leak.hp"; 3][..], &["--"], &["sound.hp"][..]].concat();
    let several = folder.run(&four).drawn().wrote();
    assert!(several.contains("of 3 runs, the one with the median mean"), "{several}");
}

#[test]
fn diff_refuses_misleading_pictures_with_a_hint() {
    let folder = folder();
    let log = crate::common::command::sample("leak-hy.eventlog").display().to_string();
    let hp = crate::common::command::sample("leak-hy.hp").display().to_string();
    let clocks = folder.run(&["diff", &hp, &log, "-o", "a.svg"]);
    clocks.failed(&["counts CPU time", "counts elapsed time", "hint: compare their figures"]);
    assert!(folder.run(&["diff", &hp, &log]).drawn().wrote().contains("the clocks differ"));
    let small = folder.run(&["diff", "leak.hp", "sound.hp", "-o", "a.svg", "--height", "300"]);
    assert_eq!(small.status(), 2);
    assert!(small.said().contains("at least 560 x 480 pixels"), "{}", small.said());
    assert_eq!(folder.files(), ["leak.hp", "short.hp", "sound.hp"]);
}

/// A batch program that frees its thunks at the end has no leak, but a budget can ask for their share of the peak.
#[test]
fn the_share_of_thunks_in_a_peak_is_a_budget() {
    let mut text = String::from("JOB \"prog\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n");
    for i in 0..60u64 {
        let thunks = if i < 50 { 100_000 * i } else { 0 };
        let _ = write!(
            text,
            "BEGIN_SAMPLE {i}.0\nTHUNK_1_0\t{thunks}\nTHUNK\t{thunks}\nARR_WORDS\t3000000\nEND_SAMPLE {i}.0\n"
        );
    }
    let folder = Folder::new().with("batch.hp", text);
    let said = folder.run(&["stats", "batch.hp"]).drawn().wrote();
    assert!(said.starts_with("batch.hp") && said.contains("built up, then freed"), "{said}");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("(THUNK_1_0, THUNK), nothing of it left at the end"), "{words}");
    let status = |budget: &str| folder.run(&["check", "batch.hp", "--fail-if", budget]).status();
    assert_eq!(status("leak != none"), 0);
    assert_eq!(status("band(\"^THUNK\").peak > 70% of peak"), 3);
    assert_eq!(status("band(\"^THUNK\").peak > 80% of peak"), 0);
}

/// A name is code wherever Markdown has it: it could be an image of a stranger's server, or a mention.
#[test]
fn a_name_in_markdown_is_code() {
    let name = "<img src=\"x\"> @octocat **bold**";
    let mut text = String::from("JOB \"p\"\nDATE \"d\"\nSAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\n");
    for i in 0..40u64 {
        let _ = write!(
            text,
            "BEGIN_SAMPLE {i}.0\n{name}\t{}\nother\t1000000\nEND_SAMPLE {i}.0\n",
            100_000 * (i + 1)
        );
    }
    let level = text.replace("00000\nother", "\nother");
    let folder = Folder::new().with("a.hp", text).with("b.hp", level);
    for words in [
        &["stats", "a.hp", "-f", "md"][..],
        &["check", "a.hp", "--fail-if", "peak > 1", "-f", "md"],
        &["diff", "a.hp", "b.hp", "-f", "md"],
    ] {
        let said = folder.run(words).wrote();
        assert!(said.contains(name), "{said}");
        let outside: String = said.split('`').step_by(2).collect();
        assert!(!outside.contains("octocat"), "{words:?}: {said}");
    }
}
