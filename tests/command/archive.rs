//! What JSON lines, tables and pictures contain about the time and place of a run: labels and the
//! wall clock.

use serde_json::{Value, json};

use crate::common::command::{Folder, HP, sample};

fn stats(folder: &Folder, words: &str) -> Value {
    folder.line(&format!("stats -q -f json {words}")).drawn().json()
}

#[test]
fn a_line_says_which_run_it_is() {
    let log = std::fs::read(sample("leak-hT.eventlog")).expect("a sample");
    let folder = Folder::new().with("b.eventlog", log);
    std::fs::create_dir(folder.path().join("deep")).expect("a folder");
    let folder = folder.with("deep/a.hp", HP);
    let line = stats(&folder, "--label commit=1a2b --label x=y=z deep/a.hp");
    assert_eq!(line["file"], "deep/a.hp");
    assert_eq!(line["labels"], json!({"commit": "1a2b", "x": "y=z"}));
    assert_eq!(line["started_unix_ns"], Value::Null, "a .hp has no exact date");
    assert_eq!(line["heapviz"], env!("CARGO_PKG_VERSION"));
    let line = stats(&folder, "--redact deep/a.hp");
    assert_eq!((&line["file"], &line["labels"]), (&json!("a.hp"), &json!({})));
    let stated = stats(&folder, "b.eventlog --label a=b");
    // The log states 2026-11-20 23:55:32.9... UTC.
    let started = stated["started_unix_ns"].as_i64().expect("a time");
    assert_eq!(started / 1_000_000_000, 1_795_218_932);
    assert_eq!(stats(&folder, "--redact b.eventlog")["started_unix_ns"], Value::Null);
    // check and draw write the same.
    for verb in ["", "check --fail-if 'peak > 1TiB'"] {
        let line = format!("{verb} -q -f json -o - b.eventlog --label a=b");
        let written = folder.line(&line).drawn().json();
        for field in ["file", "labels", "started_unix_ns", "heapviz"] {
            assert_eq!(written[field], stated[field], "{verb}: {field}");
        }
    }
    let piped = folder.run_with_input(&["stats", "-q", "-f", "json", "-"], HP.as_bytes());
    assert_eq!(piped.drawn().json()["file"], Value::Null);
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
    for flags in ["", "--from 0.5 --to 1 --bands 3", "--group module --include a"] {
        folder.line(&format!("-q -o a.tidy.csv -o a.json -o a.csv {log} {flags}")).drawn();
        let json = folder.json("a.json");
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
    let folder = Folder::new();
    let wrote = |line: &str| folder.line(line).drawn();
    let times = |words: &str| -> Vec<i64> {
        let json = wrote(&format!("-q -f json -o - @leak-hT.eventlog {words}")).json();
        let times = json["times_ns"].as_array().expect("times").iter();
        times.map(|time| time.as_i64().expect("a time")).collect()
    };
    let started = |log: &str| stats(&folder, log)["started_unix_ns"].as_i64().expect("a time");
    let (from, to) = (1_795_218_933_500_000_000, 1_795_218_934_000_000_000);
    let begun = started("@leak-hT.eventlog");
    let expected: Vec<i64> =
        times("").into_iter().filter(|time| (from..=to).contains(&(begun + time))).collect();
    assert!(expected.len() > 5 && expected.len() < times("").len());
    assert_eq!(times("--from 2026-11-20T23:55:33.5Z --to 23:55:34"), expected);
    assert_eq!(times("--from 00:55:33.5+01:00 --to 18:55:34-05:00"), expected);
    let svg = wrote("-q --x clock -o - @leak-hT.eventlog").wrote();
    for text in ["clock time in UTC, 2026-11-20", ">23:55:33.0<", ">23:55:35.5<"] {
        assert!(svg.contains(text), "{text}");
    }
    wrote("-q --x clock -f html -o - @leak-hT.eventlog").says(0, "<html");
    let said = wrote("--x clock -o heap.svg @leak-hy.hp").said();
    assert!(said.contains("--x clock has no effect") && said.contains("no date"), "{said}");
    assert!(folder.read("heap.svg").contains("mutator CPU time"), "drawn as `time`");
    // The second in which the run began is before its first sample.
    let flame = "-q -f folded -o - @leak-hc.eventlog --at";
    let begun = i128::from(started("@leak-hc.eventlog"));
    let at = |nanos| heapviz::base::date::to_the_second(begun + nanos).expect("a date");
    let [near, first] =
        [at(0), "0s".to_owned()].map(|when| wrote(&format!("{flame} '{when}'")).wrote());
    assert_eq!(near, first);
    for (line, says) in [
        ("-o - --x clock --redact @leak-hT.eventlog", "--redact has to leave out"),
        ("-o - --from 03:10 @leak-hy.hp", "`03:10`|wall clock"),
        (
            "-o - --from 03:10 @leak-hT.eventlog",
            "no sample from 03:10 on|2026-11-20 23:55:32 to 2026-11-20 23:55:35 UTC",
        ),
        (&format!("{flame} '{}'", at(86_400_000_000_000)), "no sample at 24 h"),
    ] {
        let says: Vec<&str> = says.split('|').collect();
        folder.line(line).failed(&says);
    }
}
