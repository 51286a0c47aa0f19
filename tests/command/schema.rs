//! Every JSON document matches the schema in the documentation.

use std::fs;

use serde_json::Value;

use crate::common;
use crate::common::command::{Folder, sample};
use crate::common::schema::errors;

fn check(text: &str, what: &str) {
    let schema = include_str!("../../docs/heapviz.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let document: Value = serde_json::from_str(text).unwrap();
    let errors = errors(&schema, &document, true);
    assert!(errors.is_empty(), "{what}: {}", errors.join("\n"));
}

#[test]
fn documents_match_the_schema() {
    let folder = Folder::new();
    for name in ["leak-hT.eventlog", "leak-hy.eventlog", "leak-hr.hp", "leak-hm.hp"] {
        let input = sample(name).display().to_string();
        let run = folder.run(&["stats", "-f", "json", "--bands", "3", &input]);
        check(&String::from_utf8(run.0.stdout).unwrap(), name);
        let run = folder.run(&[&input, "-o", "x.json"]);
        assert!(run.0.status.success(), "{name}");
        check(&fs::read_to_string(folder.path().join("x.json")).unwrap(), name);
    }
}

#[test]
fn the_json_agrees_with_the_independent_reader_about_the_run_time_system() {
    let (folder, stacks) = (Folder::new(), common::real_data().join("stacks"));
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(stacks.join("expected.json")).unwrap()).unwrap();
    let mut seen = 0;
    for (name, wanted) in expected.as_object().unwrap() {
        let (Some(gc), true) = (wanted.get("gc"), name.ends_with(".eventlog")) else { continue };
        let input = stacks.join(name).display().to_string();
        let run = folder.run(&["stats", "-f", "json", &input]);
        let text = String::from_utf8(run.0.stdout).unwrap();
        check(&text, name);
        let found = serde_json::from_str::<Value>(&text).unwrap()["runtime"].take();
        assert_eq!(found["gc"]["pause_ns"], gc["pause_ns"], "{name}");
        assert_eq!(found["gc"]["longest_ns"], gc["longest_ns"], "{name}");
        assert_eq!(found["memory"]["held_peak"], gc["max_heap_size"], "{name}");
        assert_eq!(found["allocation"]["bytes"], gc["allocated"], "{name}");
        let by_generation = found["gc"]["generations"].as_array().unwrap();
        for (number, collections) in gc["collections"].as_object().unwrap() {
            let wanted: Value = number.parse::<u64>().unwrap().into();
            let of = |one: &&Value| one["generation"] == wanted;
            let one = by_generation.iter().find(of).expect(number);
            assert_eq!(&one["collections"], collections, "{name}");
        }
        let productivity = found["gc"]["productivity_percent"].as_f64().unwrap();
        assert!((0.0..100.0).contains(&productivity), "{name}: {productivity}");
        seen += 1;
    }
    assert!(seen >= 20, "only {seen} logs");
}
