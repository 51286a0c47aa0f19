//! The queries of docs/fleet.md about months of runs, run in DuckDB and ClickHouse on lines that heapviz
//! wrote: each finds something, and both engines find the same.
//!
//! The databases come from PyPI: `HEAPVIZ_PYTHON` is a Python that has `duckdb` and `chdb` (default
//! `python3`). `HEAPVIZ_LINES` is how many lines there are (default 400).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::common::command::{Folder, sample};
use crate::common::{data, files_with_ending, shared_folder, skipped};

/// A code block of the section about months of runs.
struct Block {
    /// The heading above it.
    heading: String,
    language: String,
    text: String,
}

fn blocks() -> Vec<Block> {
    let document = include_str!("../../docs/fleet.md");
    let (_, section) = document.split_once("\n## Months of runs\n").expect("the section");
    let section = section.split("\n## ").next().expect("its end");
    let (mut heading, mut found) = (String::new(), Vec::<Block>::new());
    let mut open = false;
    for line in section.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                let language = language.to_owned();
                found.push(Block { heading: heading.clone(), language, text: String::new() });
                open = true;
            }
            None if open => {
                let block = found.last_mut().expect("the block that is open");
                block.text.push_str(line);
                block.text.push('\n');
            }
            // A sentence such as "In DuckDB:" names the engine of the block below.
            None if line.starts_with("### ") || line.starts_with("In ") => {
                heading = line.to_owned()
            }
            None => {}
        }
    }
    found
}

/// The title of a query: the comment at its start.
fn title(query: &str) -> Option<&str> {
    query.strip_prefix("-- ")?.lines().next()
}

/// The queries of an engine, in the order of the document.
fn queries(engine: &str) -> Vec<String> {
    let is_its = |block: &Block| block.language == "sql" && block.heading.contains(engine);
    blocks().into_iter().filter(is_its).map(|block| block.text).collect()
}

/// Python with a package, or `None` if it lacks it, which is counted as skipped.
fn python_with(package: &str) -> Option<PathBuf> {
    let python = std::env::var_os("HEAPVIZ_PYTHON").map_or("python3".into(), PathBuf::from);
    let works = Command::new(&python).args(["-c", &format!("import {package}")]).output();
    let is_there = works.is_ok_and(|output| output.status.success());
    if !is_there {
        skipped(&format!("no {package} in Python (HEAPVIZ_PYTHON)"));
    }
    is_there.then_some(python)
}

/// Runs statements one after the other, and prints the rows of each as JSON.
const PROGRAM: &str = r#"
import datetime, json, sys
engine, statements = sys.argv[1], json.load(sys.stdin)
if engine == "duckdb":
    import duckdb
    connection = duckdb.connect()
    def rows(statement):
        return connection.execute(statement).fetchall()
else:
    from chdb import session
    connection = session.Session()
    connection.query("CREATE DATABASE heap")
    connection.query("USE heap")
    def rows(statement):
        answer = str(connection.query(statement.strip().rstrip(";"), "JSONCompactEachRow"))
        return [json.loads(line) for line in answer.splitlines()]
def plain(value):
    return value.isoformat() if isinstance(value, datetime.date) else value
print(json.dumps([[[plain(value) for value in row] for row in rows(one)] for one in statements]))
"#;

fn answers(python: &Path, engine: &str, statements: &[String], folder: &Folder) -> Vec<Vec<Value>> {
    let mut command = Command::new(python);
    command.args(["-c", PROGRAM, engine]);
    let input = serde_json::to_vec(statements).expect("texts");
    let run = folder.run_command(&mut command, &input).drawn();
    let text = run.wrote();
    let lists: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
    lists.into_iter().map(|rows| rows.as_array().expect("rows").clone()).collect()
}

/// Lines of months: of each program a run at each commit, with the figures of real profiles.
fn lines(folder: &Folder) -> Vec<Value> {
    let wanted: usize =
        std::env::var("HEAPVIZ_LINES").map_or(400, |n| n.parse().expect("a number"));
    let leaks = shared_folder().filter(|_| wanted > 1000).map(|shared| shared.join("leaks/dev"));
    let mut inputs = files_with_ending(&leaks.unwrap_or_else(|| data("leaks")), "gz");
    inputs.retain(|path| fs::metadata(path).is_ok_and(|about| about.len() < 20_000));
    inputs.push(sample("leak-hT.eventlog"));
    let labels = ["--label", "commit=@commit@", "--label", "program=@program@"];
    let words = ["stats", "-q", "-f", "json"].map(str::to_owned).into_iter();
    let words = words.chain(labels.map(str::to_owned));
    let words: Vec<String> =
        words.chain(inputs.iter().map(|path| path.display().to_string())).collect();
    let made = folder.run(&words).drawn().wrote();
    let made: Vec<&str> = made.lines().collect();
    assert_eq!(made.len(), inputs.len());
    let programs = 40;
    // 2026-01-01, a Thursday, and two commits a day.
    let first = 1_767_225_600_000_000_000_i64;
    let line = |at: usize| {
        let (commit, program) = (at / programs, at % programs);
        let started = first + (commit as i64 * 12 * 3600 + program as i64) * 1_000_000_000;
        let text = made[(program * 7 + commit * 13 + commit / 5) % made.len()];
        let text = text.replace("@commit@", &format!("c{commit:04}"));
        let text = text.replace("@program@", &format!("program {program}"));
        let mut line: Value = serde_json::from_str(&text).expect("JSON");
        line["started_unix_ns"] = started.into();
        line
    };
    (0..wanted).map(line).collect()
}

/// Whether two values are the same, a number perhaps as a float.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            // Engines write 64-bit numbers as texts for JavaScript.
            (None, Some(b)) => a.as_str().and_then(|a| a.parse().ok()) == Some(b),
            _ => a == b,
        },
    }
}

/// A folder with the lines, and the curves of two runs.
fn archive() -> Folder {
    let folder = Folder::new();
    let text: String = lines(&folder).iter().map(|line| format!("{line}\n")).collect();
    let (first, second) = text.split_at(text[..text.len() / 2].rfind('\n').expect("lines") + 1);
    let folder = folder.with("runs-1.jsonl", first).with("runs-2.jsonl", second);
    for (run, input) in [("run1", "leak-hT.eventlog"), ("run2", "leak-hy.eventlog")] {
        let input = sample(input).display().to_string();
        let (label, file) = (format!("run={run}"), format!("{run}.tidy.csv"));
        folder.run(&["-q", "--label", &label, &input, "-f", "tidy", "-o", &file]).drawn();
    }
    folder
}

#[test]
fn every_query_finds_something_and_both_engines_the_same() {
    let mut by_title: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (engine, package, least) in [("DuckDB", "duckdb", 6), ("ClickHouse", "chdb", 3)] {
        let Some(python) = python_with(package) else { continue };
        let statements = queries(engine);
        let answers = answers(&python, package, &statements, &archive());
        let titled =
            statements.iter().zip(answers).filter_map(|(it, rows)| Some((title(it)?, rows)));
        let mut checked = 0;
        for (title, rows) in titled {
            assert!(!rows.is_empty(), "{engine}, {title}: nothing");
            by_title.entry(title.to_owned()).or_default().push(rows.into());
            checked += 1;
        }
        assert!(checked >= least, "{engine}: {checked} queries");
    }
    for (title, answers) in &by_title {
        assert!(same(&answers[0], &answers[answers.len() - 1]), "{title}: {answers:#?}");
    }
}

#[test]
#[cfg(unix)]
fn jq_makes_benchmarks_of_the_lines() {
    let is_there = Command::new("jq").arg("--version").output().is_ok();
    if !is_there {
        return skipped("no jq");
    }
    let blocks = blocks();
    let filter = blocks.iter().find(|block| block.language == "bash").expect("the line with jq");
    let line =
        |program: &str, p99: u64| json!({"labels": {"program": program}, "metrics": {"p99": p99}});
    let folder = Folder::new().with("runs.jsonl", format!("{}\n{}\n", line("a", 7), line("b", 8)));
    folder.run_command(Command::new("sh").args(["-c", &filter.text]), b"").drawn();
    let made: Value = serde_json::from_str(&folder.read("benchmark.json")).expect("JSON");
    let figure = |name: &str, value: u64| json!({"name": name, "unit": "bytes", "value": value});
    assert_eq!(made, json!([figure("a: p99", 7), figure("b: p99", 8)]));
}

#[test]
#[cfg(unix)]
fn the_step_of_spark_writes_a_line_for_each_log() {
    let blocks = blocks();
    let step = blocks.iter().find(|block| block.language == "python").expect("the step");
    let command = step.text.split("pipe(\"").nth(1).and_then(|rest| rest.split('"').next());
    let command = command.expect("its command").replace("heapviz", env!("CARGO_BIN_EXE_heapviz"));
    let logs = ["leak-hT.eventlog", "leak-hy.hp"].map(|name| sample(name).display().to_string());
    let mut shell = Command::new("sh");
    let run = Folder::new().run_command(shell.args(["-c", &command]), logs.join("\n").as_bytes());
    let wrote = run.drawn().wrote();
    let files: Vec<Value> = wrote
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["file"].take())
        .collect();
    assert_eq!(files, logs.map(Value::from));
}
