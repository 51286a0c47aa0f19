//! Every list of all values of a type has them all.

use std::collections::BTreeSet;

use crate::texts;

/// The names of the variants in the text that follows `enum Name {`: each begins a line of the first depth.
fn variants(body: &str) -> Vec<&str> {
    let end = body.find("\n}").unwrap_or(body.len());
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for line in body[..end].lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        let name = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if depth == 0 && name.starts_with(|c: char| c.is_ascii_uppercase()) {
            found.push(name);
        }
        depth += line.matches(['{', '(', '[']).count();
        depth -= line.matches(['}', ')', ']']).count();
    }
    found
}

/// `Type::ALL` is written by hand, and what it lacks is missing wherever it is asked: in help, documents, tests.
#[test]
fn a_list_of_all_values_lacks_none() {
    let texts: Vec<String> = texts("src").into_iter().map(|(_, text)| text).collect();
    let mut lists = 0;
    for text in &texts {
        for list in text.split("const ALL: ").skip(1) {
            let (kind, values) = list.split_once(" =").expect("a value");
            // One may be read from a table, which is as long.
            let length = kind.rsplit("; ").next().unwrap_or_default();
            let table = length.strip_suffix(".len()]").map(|table| format!("const {table}: "));
            let values = match table {
                Some(head) => text.split_once(&head).and_then(|(_, table)| table.split_once(" = ")),
                None => Some(("", values)),
            };
            let values =
                values.and_then(|(_, values)| values.split(';').next()).unwrap_or_default();
            let mut words = kind.split(|c: char| !c.is_alphanumeric());
            let Some(name) = words.find(|word| word.starts_with(char::is_uppercase)) else {
                continue;
            };
            let head = format!("enum {name} {{\n");
            let body = texts.iter().find_map(|text| Some(text.split_once(&head)?.1));
            let Some(body) = body else { panic!("there is no enum {name}") };
            let listed: BTreeSet<&str> = values
                .split(&format!("{name}::"))
                .skip(1)
                .filter_map(|value| value.split(|c: char| !c.is_alphanumeric()).next())
                .collect();
            let all: BTreeSet<&str> = variants(body).into_iter().collect();
            assert_eq!(listed, all, "{name}::ALL");
            lists += 1;
        }
    }
    assert!(lists >= 10, "only {lists} lists: does the test still read them?");
}
