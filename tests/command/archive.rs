//! What JSON lines, tables and pictures contain about the time and place of a run: labels and the
//! wall clock.

use serde_json::{Value, json};

use crate::common::command::{Folder, HP, Run, sample};

fn stats(folder: &Folder, words: &[&str]) -> Value {
    let run = folder.run(&[&["stats", "-q", "-f", "json"], words].concat()).drawn();
    serde_json::from_str(&run.wrote()).expect("JSON")
}

#[test]
fn a_line_says_which_run_it_is() {
    let log = std::fs::read(sample("leak-hT.eventlog")).expect("a sample");
    let folder = Folder::new().with("a.hp", HP).with("b.eventlog", log);
    std::fs::create_dir(folder.path().join("deep")).expect("a folder");
    std::fs::copy(folder.path().join("a.hp"), folder.path().join("deep/a.hp")).expect("a copy");
    let line = stats(&folder, &["--label", "commit=1a2b", "--label", "x=y=z", "deep/a.hp"]);
    assert_eq!(line["file"], "deep/a.hp");
    assert_eq!(line["labels"], json!({"commit": "1a2b", "x": "y=z"}));
    assert_eq!(line["started_unix_ns"], Value::Null, "a .hp has no exact date");
    assert_eq!(line["heapviz"], env!("CARGO_PKG_VERSION"));
    let line = stats(&folder, &["--redact", "deep/a.hp"]);
    assert_eq!((&line["file"], &line["labels"]), (&json!("a.hp"), &json!({})));
    let line = stats(&folder, &["b.eventlog"]);
    // The log states 2026-11-20 23:55:32.9... UTC.
    let started = line["started_unix_ns"].as_i64().expect("a time");
    assert_eq!(started / 1_000_000_000, 1_795_218_932);
    assert_eq!(stats(&folder, &["--redact", "b.eventlog"])["started_unix_ns"], Value::Null);
    // check and draw write the same.
    let words = ["-q", "-f", "json", "-o", "-", "b.eventlog", "--label", "a=b"];
    let chart: Value = serde_json::from_str(&folder.run(&words).drawn().wrote()).expect("JSON");
    let checked = folder.run(&[&["check", "--fail-if", "peak > 1TiB"], &words[..]].concat());
    let checked: Value = serde_json::from_str(&checked.drawn().wrote()).expect("JSON");
    let stated = stats(&folder, &words[3..]);
    for field in ["file", "labels", "started_unix_ns", "heapviz"] {
        assert_eq!((&chart[field], &checked[field]), (&stated[field], &stated[field]), "{field}");
    }
    let piped = folder.run_with_input(&["stats", "-q", "-f", "json", "-"], HP.as_bytes());
    let piped: Value = serde_json::from_str(&piped.drawn().wrote()).expect("JSON");
    assert_eq!(piped["file"], Value::Null);
}

#[test]
fn the_labels_of_github_actions_are_there_without_being_given() {
    let folder = Folder::new().with("a.hp", HP);
    let labels = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_heapviz"));
        command.args(["stats", "-q", "-f", "json", "a.hp"]).args(words);
        command.env("GITHUB_ACTIONS", "true").env("GITHUB_SHA", "1a2b");
        command.env("GITHUB_REF", "refs/heads/x").env("GITHUB_RUN_ID", "7");
        let line = folder.run_command(&mut command, b"").drawn().wrote();
        serde_json::from_str::<Value>(&line).expect("JSON")["labels"].take()
    };
    let all = json!({"commit": "1a2b", "ref": "refs/heads/x", "run_id": "7"});
    assert_eq!(labels(&[]), all);
    let given = ["--label", "ref=mine"];
    assert_eq!(labels(&given), json!({"commit": "1a2b", "ref": "mine", "run_id": "7"}));
    assert_eq!(labels(&["--redact"]), json!({}));
}

#[test]
fn a_tidy_table_has_the_numbers_of_the_json() {
    let log = sample("leak-hT.eventlog").display().to_string();
    let folder = Folder::new();
    for flags in [
        &[][..],
        &["--from", "0.5", "--to", "1", "--bands", "3"],
        &["--group", "module", "--include", "a"],
    ] {
        let words = [&["-q", "-o", "a.tidy.csv", "-o", "a.json", "-o", "a.csv", &log], flags];
        folder.run(&words.concat()).drawn();
        let json: Value = serde_json::from_str(&folder.read("a.json")).expect("JSON");
        let (tidy, wide) = (folder.read("a.tidy.csv"), folder.read("a.csv"));
        let mut rows = tidy.split("\r\n").skip(1);
        let times = json["times_ns"].as_array().expect("times");
        let names: Vec<&str> =
            wide.split("\r\n").next().expect("a header").split(',').skip(1).collect();
        for (sample, time) in times.iter().enumerate() {
            for (band, name) in json["bands"].as_array().expect("bands").iter().zip(&names) {
                let id = band["id"].as_u64().map_or(String::new(), |id| id.to_string());
                let bytes = &band["residency"][sample];
                let row = format!("{log},{time},{id},{name},{bytes}");
                assert_eq!(rows.next(), Some(&*row), "{flags:?}");
            }
        }
        assert_eq!((rows.next(), rows.next()), (Some(""), None), "{flags:?}");
    }
}

#[test]
fn times_on_the_wall_clock_are_those_of_the_log() {
    let log = sample("leak-hT.eventlog").display().to_string();
    let folder = Folder::new();
    let times = |words: &[&str]| -> Vec<i64> {
        let words = [&["-q", "-f", "json", "-o", "-", &log], words].concat();
        let json: Value = serde_json::from_str(&folder.run(&words).drawn().wrote()).expect("JSON");
        let times = json["times_ns"].as_array().expect("times").iter();
        times.map(|time| time.as_i64().expect("a time")).collect()
    };
    let started = stats(&folder, &[&log])["started_unix_ns"].as_i64().expect("a time");
    let (from, to) = (1_795_218_933_500_000_000, 1_795_218_934_000_000_000);
    let expected: Vec<i64> =
        times(&[]).into_iter().filter(|time| (from..=to).contains(&(started + time))).collect();
    assert!(expected.len() > 5 && expected.len() < times(&[]).len());
    let day = "2026-11-20T23:55:33.5Z";
    assert_eq!(times(&["--from", day, "--to", "23:55:34"]), expected);
    assert_eq!(times(&["--from", "00:55:33.5+01:00", "--to", "18:55:34-05:00"]), expected);
    let svg = folder.run(&["-q", "--x", "clock", "-o", "-", &log]).drawn().wrote();
    for text in ["clock time in UTC, 2026-11-20", ">23:55:33.0<", ">23:55:35.5<"] {
        assert!(svg.contains(text), "{text}");
    }
    let page = folder.run(&["-q", "--x", "clock", "-f", "html", "-o", "-", &log]).drawn().wrote();
    assert!(page.contains("<html"), "{page}");
    let refused = |words: &[&str], says: &[&str]| -> Run {
        folder.run(&[&["-o", "-"], words].concat()).failed(says)
    };
    let hp = sample("leak-hy.hp").display().to_string();
    let said = folder.run(&["--x", "clock", "-o", "heap.svg", &hp]).drawn().said();
    assert!(said.contains("--x clock has no effect") && said.contains("no date"), "{said}");
    assert!(folder.read("heap.svg").contains("mutator CPU time"), "drawn as `time`");
    refused(&["--x", "clock", "--redact", &log], &["--redact has to leave out"]);
    refused(&["--from", "03:10", &hp], &["`03:10`", "wall clock"]);
    let said = refused(&["--from", "03:10", &log], &["no sample from 03:10 on"]).said();
    assert!(said.contains("2026-11-20 23:55:32 to 2026-11-20 23:55:35 UTC"), "{said}");
    let log = sample("leak-hc.eventlog").display().to_string();
    let flame = ["-q", "-f", "folded", "-o", "-", &log];
    let at = |when: &str| folder.run(&[&flame[..], &["--at", when]].concat()).drawn().wrote();
    let started = stats(&folder, &[&log])["started_unix_ns"].as_i64().expect("a time");
    let after = |nanos: i64| {
        heapviz::base::date::to_the_second(i128::from(started + nanos)).expect("a date")
    };
    // The second in which the run began is before its first sample.
    assert_eq!(at(&after(0)), at("0s"));
    refused(&["--view", "flame", "--at", &after(86_400_000_000_000), &log], &["no sample at 24 h"]);
}
