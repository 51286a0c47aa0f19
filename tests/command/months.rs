//! What docs/fleet.md does with the lines of months of runs, which databases read: its queries name fields that a line
//! has, and its other steps run.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::command::Folder;

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
