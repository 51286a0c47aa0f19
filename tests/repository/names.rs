//! Every file is checked out with the bytes that were committed, every class of the page has one owner, and every list of
//! all values of a type has them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::{files, root};

/// A rule such as `.swatch { … }` holds wherever a script uses the class. A class of one view that another takes by
/// chance looks wrong there, and no compiler says so.
#[test]
fn a_class_of_the_style_sheet_belongs_to_one_view_or_is_listed_as_shared() {
    let folder = root().join("templates");
    let style = fs::read_to_string(folder.join("report.css")).expect("the style sheet");
    let shared = style.split_once("/* Shared by several views: ").expect("the list").1;
    let shared: Vec<&str> = shared.split(". */").next().unwrap_or_default().split(", ").collect();
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let selectors =
        style.lines().filter_map(|line| line.split_once(" {")).flat_map(|rule| rule.0.split(','));
    let alone: BTreeSet<&str> = selectors
        .filter_map(|selector| selector.trim().strip_prefix('.'))
        .filter(|class| class.chars().all(is_name))
        .collect();
    assert!(alone.len() > 40, "{alone:?}");
    // Each class is used, and its rules stand together; those for paper and for narrow windows come last.
    let markup = files(&folder).into_iter().filter(|file| !file.ends_with("report.css"));
    let markup: String = markup.filter_map(|file| fs::read_to_string(file).ok()).collect();
    let used: BTreeSet<&str> = markup.split(|c| !is_name(c)).collect();
    let rules = style.split_once("@media").expect("the end of the rules").0;
    let (mut before, mut begun) = ("", BTreeSet::new());
    for selector in rules.split('}').filter_map(|rule| rule.split('{').next()) {
        let selector = selector.rsplit("*/").next().unwrap_or_default().trim();
        for class in
            selector.split('.').skip(1).filter_map(|part| part.split(|c| !is_name(c)).next())
        {
            assert!(class.is_empty() || used.contains(class), "nothing has the class `{class}`");
        }
        let class = selector.strip_prefix('.').filter(|_| !selector.contains(", "));
        let class = class.and_then(|rest| rest.split(|c| !is_name(c)).next()).unwrap_or_default();
        let is_new = class.is_empty() || class == before || begun.insert(class);
        assert!(is_new, "`{class}` is styled in two places: {selector}");
        before = class;
    }
    let mut views: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for file in files(&folder.join("report")) {
        let script = fs::read_to_string(&file).expect("a script");
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let makes = |line: &&str| {
            ["element(", "wrap(", "classList", "className", "factList("]
                .iter()
                .any(|call| line.contains(call))
        };
        for line in script.lines().filter(makes) {
            // The texts of a line are every second piece between quotes.
            let texts = line.split(['"', '`']).skip(1).step_by(2);
            // Longer ones are sentences.
            let texts = texts.filter(|text| text.split(' ').count() < 4);
            for word in texts.flat_map(|text| text.split(|c| !is_name(c))) {
                if let Some(class) = alone.get(word) {
                    views.entry(class).or_default().insert(name.clone());
                }
            }
        }
    }
    for (class, views) in &views {
        let is_shared = shared.contains(class);
        assert!(views.len() == 1 || is_shared, "`{class}` is a class of {views:?}");
    }
    for class in shared {
        let uses = views.get(class).map_or(0, BTreeSet::len);
        assert!(uses > 1, "`{class}` is listed as shared and has {uses} views");
    }
}

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
    let sources = files(&root().join("src")).into_iter().filter(|file| file.extension().is_some());
    let texts: Vec<String> = sources.filter_map(|file| fs::read_to_string(file).ok()).collect();
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
