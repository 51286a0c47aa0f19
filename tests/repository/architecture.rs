//! `docs/architecture.md` is accurate: each folder imports what its row in the table says, and only
//! folders above it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;

use crate::{root, text, texts};

/// The folders and files in `src`, each with those that it may use, as the document's table has them.
fn table() -> Vec<(String, Vec<String>)> {
    let document = text("docs/architecture.md");
    let names = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let (_, after) = document.split_once("| folder | owns | may use |").expect("the table");
    let rows = after.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').collect::<Vec<_>>());
    cells.map(|cells| (names(cells[1]).pop().expect("a module"), names(cells[3]))).collect()
}

/// Each source file with its module (its top folder, or its own name) and its code, without comments and without tests,
/// which are at the end of a file or in their own files.
fn sources() -> Vec<(String, String, String)> {
    let of_tests = Regex::new("/(tests|testing)[/.]").expect("a pattern");
    let sources = texts("src").into_iter().filter(|(file, _)| file.ends_with(".rs"));
    let source = |(file, text): (String, String)| {
        let module = file.split(['/', '.']).nth(1).expect("a name").to_owned();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code = if of_tests.is_match(&file) { "" } else { code };
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n");
        (file, module, code)
    };
    sources.map(source).filter(|(_, module, _)| module != "lib" && module != "main").collect()
}

#[test]
fn modules_are_those_of_the_document_and_import_what_it_allows_and_nothing_else() {
    let import = Regex::new(r"crate::(\w+)").expect("a pattern");
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, module, code) in sources() {
        let others = import.captures_iter(&code).map(|found| found[1].to_owned());
        let others = others.filter(|other| *other != module).collect::<Vec<_>>();
        used.entry(module).or_default().extend(others);
    }
    let allowed = table().into_iter().map(|(module, may)| (module, may.into_iter().collect()));
    assert_eq!(used, allowed.collect(), "what src uses, and what docs/architecture.md allows");
}

#[test]
fn modules_import_only_those_above_them() {
    let mut above = Vec::new();
    for (module, may) in table() {
        // Else they import each other, directly or not, or the rows are in the wrong order.
        let below: Vec<_> = may.iter().filter(|other| !above.contains(*other)).collect();
        assert!(below.is_empty(), "{below:?} are not above {module} in docs/architecture.md");
        above.push(module);
    }
}

#[test]
fn hunt_and_watch_have_one_door() {
    // `check` runs a program as a hunt does.
    let hunt = [("src/verbs/check.rs", "RunArgs"), ("src/verbs/mod.rs", "Hunt")];
    for (room, doors) in [("hunt", &hunt[..]), ("watch", &[("src/verbs/mod.rs", "Watch")])] {
        let path = format!("crate::{room}");
        let outside = sources().into_iter().filter(|(_, module, _)| module != room);
        let entered: Vec<(String, String)> = outside
            .flat_map(|(file, _, code)| {
                let lines = code.lines().filter(|line| line.contains(&path));
                lines.map(|line| (file.clone(), line.trim().to_owned())).collect::<Vec<_>>()
            })
            .collect();
        let doors =
            doors.iter().map(|&(file, door)| (file.into(), format!("use crate::{room}::{door};")));
        assert_eq!(entered, doors.collect::<Vec<_>>());
    }
}

#[test]
fn no_source_file_is_longer_than_1000_lines() {
    for (file, text) in ["src", "templates"].map(texts).concat() {
        let lines = text.lines().count();
        assert!(lines <= 1000, "{file} has {lines} lines");
    }
}

#[test]
fn every_file_that_the_document_names_is_there() {
    for row in text("docs/architecture.md").lines().filter(|line| line.starts_with("| ")) {
        // A bare name is that of a file in a folder that was named before it.
        let mut folders = vec![root().to_path_buf()];
        for name in row.split('`').skip(1).step_by(2) {
            let path = folders.iter().map(|folder| folder.join(name)).rfind(|path| path.exists());
            let is_source = name.ends_with(".rs") || name.ends_with(".css");
            assert!(path.is_some() || !is_source, "docs/architecture.md names {name}: {row}");
            let Some(path) = path else { continue };
            folders.extend(path.ancestors().find(|path| path.is_dir()).map(Path::to_path_buf));
        }
    }
}
