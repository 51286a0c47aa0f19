//! What docs/fleet.md does with the lines of months of runs, which databases read: its queries name fields that a line
//! has, and its other steps run.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::command::{Folder, sample};
use crate::common::skipped;

/// The code blocks of a language in the section about months of runs.
fn blocks(language: &str) -> Vec<String> {
    let document = include_str!("../../docs/fleet.md");
    let (_, section) = document.split_once("\n## Months of runs\n").expect("the section");
    let section = section.split("\n## ").next().expect("its end");
    let fence = format!("```{language}\n");
    let blocks = section.split(&fence).skip(1).filter_map(|block| block.split("```").next());
    blocks.map(str::to_owned).collect()
}

/// The names of all fields in a document.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    for (name, field) in value.as_object().into_iter().flatten() {
        found.insert(name.clone());
        fields(field, found);
    }
    value.as_array().into_iter().flatten().for_each(|one| fields(one, found));
}

#[test]
fn the_fields_that_queries_name_are_in_a_line() {
    let line = Folder::new().line("stats -q -f json @words-lazy.eventlog.gz").drawn().json();
    let mut known = BTreeSet::new();
    fields(&line, &mut known);
    // The schema of each database: names, each before its type, which has capitals.
    let schemas: Vec<String> = blocks("sql")
        .into_iter()
        .filter(|query| query.contains("verdict") && query.starts_with("CREATE"))
        .collect();
    assert_eq!(schemas.len(), 2);
    let field = regex::Regex::new(r"\b([a-z_0-9]+):? '?[A-Z]\w+").expect("a pattern");
    for schema in &schemas {
        let (_, listed) = schema.split_once("file").expect("fields");
        let named = field.captures_iter(listed).map(|found| found[1].to_owned());
        let named: Vec<String> = named.filter(|name| name != "started").collect();
        assert!(named.len() > 9, "{named:?}");
        named.iter().for_each(|name| assert!(known.contains(name), "{name} is not in {line}"));
    }
}

#[test]
#[cfg(unix)]
fn jq_makes_benchmarks_of_the_lines() {
    let is_there = Command::new("jq").arg("--version").output().is_ok();
    if !is_there {
        return skipped("no jq");
    }
    let filter = blocks("bash").remove(0);
    let line =
        |program: &str, p99: u64| json!({"labels": {"program": program}, "metrics": {"p99": p99}});
    let folder = Folder::new().with("runs.jsonl", format!("{}\n{}\n", line("a", 7), line("b", 8)));
    folder.run_command(Command::new("sh").args(["-c", &filter]), b"").drawn();
    let made: Value = serde_json::from_str(&folder.read("benchmark.json")).expect("JSON");
    let figure = |name: &str, value: u64| json!({"name": name, "unit": "bytes", "value": value});
    assert_eq!(made, json!([figure("a: p99", 7), figure("b: p99", 8)]));
}

#[test]
#[cfg(unix)]
fn the_step_of_spark_writes_a_line_for_each_log() {
    let step = blocks("python").remove(0);
    let command = step.split("pipe(\"").nth(1).and_then(|rest| rest.split('"').next());
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
