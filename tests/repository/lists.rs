//! Every list of all values of a type has them all.

use std::collections::BTreeSet;

use regex::Regex;

use crate::texts;

/// What a pattern finds in a text.
fn found<'a>(pattern: &str, text: &'a str) -> BTreeSet<&'a str> {
    let pattern = Regex::new(pattern).expect("a pattern");
    pattern.captures_iter(text).map(|found| found.extract::<1>().1[0]).collect()
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
            let Some(name) = found(r"\b([A-Z]\w*)", kind).pop_first() else { continue };
            let head = format!("enum {name} {{\n");
            let body = texts.iter().find_map(|text| text.split_once(&head)?.1.split("\n}").next());
            let variants = found(r"(?m)^    ([A-Z]\w*)", body.expect(name));
            assert_eq!(found(&format!(r"\b{name}::(\w+)"), values), variants, "{name}::ALL");
            lists += 1;
        }
    }
    assert!(lists >= 10, "only {lists} lists: does the test still read them?");
}
