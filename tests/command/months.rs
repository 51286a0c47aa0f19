//! The queries of docs/fleet.md about months of runs, run in DuckDB and ClickHouse on lines that heapviz
//! wrote. Each answer is compared with a plain computation on the same lines.
//!
//! The databases come from PyPI: `HEAPVIZ_PYTHON` is a Python that has `duckdb` and `chdb` (default
//! `python3`). `HEAPVIZ_LINES` is how many lines there are (default 400).

use std::collections::{BTreeMap, BTreeSet};
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

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn day(line: &Value) -> i64 {
    line["started_unix_ns"].as_i64().expect("a time").div_euclid(86_400_000_000_000)
}

/// The date of a day since 1970, by counting.
fn date(day: i64) -> String {
    let (mut year, mut rest) = (1970, day);
    let is_leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    while rest >= 365 + i64::from(is_leap(year)) {
        rest -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + i64::from(is_leap(year));
    for (month, length) in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].iter().enumerate()
    {
        if rest < *length {
            return format!("{year}-{:02}-{:02}", month + 1, rest + 1);
        }
        rest -= length;
    }
    unreachable!("a day of a year is in one of its months")
}

fn program(line: &Value) -> String {
    text(&line["labels"]["program"])
}

fn commit(line: &Value) -> String {
    text(&line["labels"]["commit"])
}

fn grade(line: &Value) -> String {
    text(&line["verdict"]["leak"])
}

/// What a query must answer, computed from the lines, which are in the order of time.
fn expected(title: &str, lines: &[Value], curves: &[[String; 4]]) -> Vec<Value> {
    match title.split([':', ',', ';']).next().expect("a title") {
        "The first commit at which a program leaks" => {
            let mut first = BTreeMap::new();
            for line in lines.iter().filter(|line| grade(line) == "likely") {
                first.entry(program(line)).or_insert((commit(line), date(day(line))));
            }
            first
                .into_iter()
                .map(|(program, (commit, day))| json!([program, commit, day]))
                .collect()
        }
        "Where a leak began that was not there at the commit before" => {
            let mut before: BTreeMap<String, String> = BTreeMap::new();
            let mut found = Vec::new();
            for line in lines {
                let last = before.insert(program(line), grade(line));
                if let Some(last) = last.filter(|last| grade(line) == "likely" && last != "likely")
                {
                    found.push(json!([program(line), commit(line), last]));
                }
            }
            found.into_iter().rev().take(20).collect()
        }
        "The fastest growth at each commit" => {
            let mut fastest: BTreeMap<(String, String), (f64, String)> = BTreeMap::new();
            for line in lines {
                let growth = line["metrics"]["growth_bytes_per_s"].as_f64().expect("a number");
                let per = text(&line["metrics"]["per"]);
                let here = (growth, program(line));
                let most = fastest.entry((commit(line), per)).or_insert(here.clone());
                if here > *most {
                    *most = here;
                }
            }
            let mut rows: Vec<_> = fastest.into_iter().collect();
            rows.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
            let row = |((commit, per), (growth, program))| json!([commit, per, growth, program]);
            rows.into_iter().map(row).collect()
        }
        "The 99th percentile of the heap by week" => {
            let mut weeks: BTreeMap<i64, Vec<u64>> = BTreeMap::new();
            for line in lines {
                // 1970 began on a Thursday.
                let monday = day(line) - (day(line) + 3).rem_euclid(7);
                weeks
                    .entry(monday)
                    .or_default()
                    .push(line["metrics"]["p99"].as_u64().expect("bytes"));
            }
            let row = |(monday, mut sizes): (i64, Vec<u64>)| {
                sizes.sort_unstable();
                let n = sizes.len();
                let usual = (sizes[(n - 1) / 2] as f64 + sizes[n / 2] as f64) / 2.0;
                json!([date(monday), usual, sizes[n - 1]])
            };
            weeks.into_iter().map(row).collect()
        }
        "Which bands are suspects" => {
            let mut bands: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            for suspect in lines
                .iter()
                .flat_map(|line| line["verdict"]["suspects"].as_array().expect("a list"))
            {
                let (runs, most) = bands.entry(text(&suspect["label"])).or_default();
                *runs += 1;
                *most = suspect["grew"].as_u64().expect("bytes").max(*most);
            }
            let mut rows: Vec<_> = bands.into_iter().collect();
            rows.sort_by_key(|(_, (runs, _))| std::cmp::Reverse(*runs));
            rows.into_iter()
                .take(10)
                .map(|(band, (runs, most))| json!([band, runs, most]))
                .collect()
        }
        "How many runs of each grade the Parquet file has" => {
            let mut grades: BTreeMap<String, u64> = BTreeMap::new();
            lines.iter().for_each(|line| *grades.entry(grade(line)).or_default() += 1);
            grades.into_iter().map(|(grade, runs)| json!([grade, runs])).collect()
        }
        "The peak of each band in each run" | "The same of tables with a column for each band" => {
            let mut peaks: BTreeMap<(String, String), u64> = BTreeMap::new();
            for [run, _, band, bytes] in curves {
                let peak = peaks.entry((run.clone(), band.clone())).or_default();
                *peak = bytes.parse::<u64>().expect("bytes").max(*peak);
            }
            let mut rows: Vec<_> = peaks.into_iter().collect();
            rows.sort_by(|a, b| (&a.0.0, b.1, &a.0.1).cmp(&(&b.0.0, a.1, &b.0.1)));
            rows.into_iter().map(|((run, band), peak)| json!([run, band, peak])).collect()
        }
        other => panic!("docs/fleet.md has the query `{other}`, which nothing checks"),
    }
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

/// A folder with the lines, and the curves of two runs as long and as wide tables.
fn archive() -> (Folder, Vec<Value>, Vec<[String; 4]>) {
    let folder = Folder::new();
    let lines = lines(&folder);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (first, second) = text.split_at(text[..text.len() / 2].rfind('\n').expect("lines") + 1);
    let folder = folder.with("runs-1.jsonl", first).with("runs-2.jsonl", second);
    let mut curves = Vec::new();
    for (run, input) in [("run1", "leak-hT.eventlog"), ("run2", "leak-hy.eventlog")] {
        let input = sample(input).display().to_string();
        let words = ["-q", "--label", &format!("run={run}"), &input];
        let [long, wide] = ["tidy", "wide"].map(|kind| format!("{run}.{kind}.csv"));
        folder.run(&[&words[..], &["-f", "tidy", "-o", &long]].concat()).drawn();
        folder.run(&[&words[..], &["-f", "csv", "-o", &wide]].concat()).drawn();
        // The independent reading: the JSON of the same chart.
        let chart = folder.run(&[&words[..], &["-f", "json", "-o", "-"]].concat()).drawn().wrote();
        let chart: Value = serde_json::from_str(&chart).expect("JSON");
        let wide = folder.read(&wide);
        let names: Vec<&str> = wide.lines().next().expect("a header").split(',').skip(1).collect();
        let bands = chart["bands"].as_array().expect("bands");
        assert_eq!(names.len(), bands.len(), "no name of these has a comma");
        for (band, name) in bands.iter().zip(names) {
            for (at, bytes) in band["residency"].as_array().expect("bytes").iter().enumerate() {
                curves.push([run.into(), at.to_string(), name.into(), bytes.to_string()]);
            }
        }
    }
    (folder, lines, curves)
}

fn every_query_answers_what_the_lines_say(engine: &str, package: &str, least: usize) {
    let Some(python) = python_with(package) else { return };
    let (folder, lines, curves) = archive();
    let leaks: BTreeSet<String> = lines.iter().map(grade).collect();
    assert!(leaks.len() > 2, "{leaks:?}");
    let statements = queries(engine);
    let answers = answers(&python, package, &statements, &folder);
    let mut checked = 0;
    for (statement, answer) in statements.iter().zip(&answers) {
        let Some(title) = title(statement) else { continue };
        let expected = expected(title, &lines, &curves);
        assert!(!expected.is_empty(), "{title}: nothing to compare");
        let (answer, expected) = (Value::from(answer.clone()), Value::from(expected));
        assert!(same(&answer, &expected), "{engine}, {title}:\n{answer}\n{expected}");
        checked += 1;
    }
    assert!(checked >= least, "{engine}: {checked} queries");
}

#[test]
fn every_query_in_duckdb_answers_what_the_lines_say() {
    every_query_answers_what_the_lines_say("DuckDB", "duckdb", 8);
}

#[test]
fn every_query_in_clickhouse_answers_what_the_lines_say() {
    every_query_answers_what_the_lines_say("ClickHouse", "chdb", 5);
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
