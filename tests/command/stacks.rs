//! Flame graphs and exports of stacks, asked for on the command line.

use std::fs;

use serde_json::Value;

use crate::common::command::{Folder, sample};
use crate::common::schema::errors;

#[test]
fn the_bars_of_a_flame_graph_are_as_wide_as_the_json_says() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    for output in ["x.svg", "x.json"] {
        let run = folder.run(&["--view", "flame", "--width", "1032", &log, "-o", output]);
        assert!(run.0.status.success(), "{output}");
    }
    let svg = fs::read_to_string(folder.path().join("x.svg")).unwrap();
    let json: Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("x.json")).unwrap()).unwrap();
    let (total, nodes) = (json["total"].as_f64().unwrap(), json["nodes"].as_array().unwrap());
    let document = roxmltree::Document::parse(&svg).unwrap();
    let mut widths: Vec<f64> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("frame"))
        .filter_map(|node| node.children().find(|child| child.has_tag_name("rect")))
        .map(|bar| bar.attribute("width").unwrap().parse().unwrap())
        .collect();
    // A thousand pixels for all; a gap of one between bars.
    let whole = |node: &Value| node["total"].as_f64().unwrap() / total * 1000.0;
    let mut wanted: Vec<f64> = nodes.iter().map(whole).filter(|&width| width >= 0.25).collect();
    widths.sort_by(f64::total_cmp);
    wanted.sort_by(f64::total_cmp);
    assert_eq!(widths.len(), wanted.len());
    for (found, wanted) in widths.iter().zip(&wanted) {
        let gap = 1.0_f64.min(wanted / 4.0);
        assert!((found + gap - wanted).abs() < 0.02, "{found} for {wanted}");
    }
}

#[test]
fn what_cannot_be_done_says_the_way_out() {
    let folder = Folder::new()
        .with("sets.prof", "\nRetainer sets created during profiling:\nSET 4 = {<>}\n")
        .with("empty.prof", "")
        .with("cut.hp", "BEGIN_SAMPLE 1.0\n(4)f/g/a_very_long_name...\t5\nEND_SAMPLE 1.0\n");
    for (words, said) in [
        (&["sets.prof"][..], "+RTS -P"),
        (&["empty.prof"], "until the program ends"),
        (&["--view", "flame", "cut.hp"], "-L500"),
        (&["--weight", "alloc", "--view", "flame", "cut.hp"], ".prof"),
    ] {
        let run = folder.run(words);
        let stderr = String::from_utf8_lossy(&run.0.stderr).into_owned();
        assert_eq!(run.0.status.code(), Some(1), "{words:?}: {stderr}");
        assert!(stderr.replace("\n", " ").contains(said), "{words:?}: {stderr}");
    }
    assert!(folder.files().iter().all(|file| !file.ends_with(".svg")));
}

#[test]
fn speedscope_files_are_what_its_schema_says() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    let words = ["--at", "peak", "--at", "last", "-f", "speedscope", &log, "-o", "x.json"];
    assert!(folder.run(&words).0.status.success());
    let schema = fs::read_to_string(crate::common::data("speedscope.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut document: Value = serde_json::from_str(&folder.read("x.json")).unwrap();
    assert_eq!(document["profiles"].as_array().unwrap().len(), 2);
    assert_eq!(errors(&schema, &document, false), Vec::<String>::new());
    document["profiles"][0]["unit"] = Value::from("kB");
    assert_ne!(errors(&schema, &document, false), Vec::<String>::new());
}

#[test]
fn two_runs_differ_in_a_flame_graph_and_a_run_not_from_itself() {
    let folder = Folder::new();
    let log = sample("leak-hc.eventlog").display().to_string();
    let words = ["diff", "--view", "flame", "--at", "0.5s..peak", &log, &log, "-o"];
    for output in ["x.svg", "x.json"] {
        let run = folder.run(&[&words[..], &[output]].concat());
        assert!(run.0.status.success(), "{}", String::from_utf8_lossy(&run.0.stderr));
    }
    let tree: Value = serde_json::from_str(&folder.read("x.json")).unwrap();
    let root = &tree["nodes"][0];
    assert!(root["total"].as_u64().unwrap() > root["total_before"].as_u64().unwrap());
    assert!(folder.read("x.svg").contains("of the run after, against"));
    let same = ["diff", "--view", "flame", &log, &log, "-o", "y.svg"];
    let run = folder.run(&same);
    let said = String::from_utf8_lossy(&run.0.stderr).into_owned();
    assert!(run.0.status.code() == Some(1) && said.contains("nothing changed"), "{said}");
    assert!(!folder.files().contains(&"y.svg".to_owned()));
}
