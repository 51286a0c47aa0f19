//! `docs/architecture.md` is accurate: each folder imports what its row in the table says, and only
//! folders above it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::{files, root};

/// The folders and files in `src`, each with those that it may use, as the document's table has them.
fn table() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("the document");
    let names = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let after = text.split("| folder | owns | may use |").nth(1).expect("the table of folders");
    let rows = after.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let module = names(cells[1]).pop().expect("a module's name");
        (module, names(cells[3]))
    })
    .collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The module of a file in `src`: its top folder, or its own name.
fn module(file: &Path) -> String {
    let below = file.strip_prefix(root().join("src")).expect("a file below src");
    let first = below.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The code without its tests: test modules are at the end of a file or in their own files.
fn code(file: &Path) -> String {
    let parts = file.strip_prefix(root()).expect("a file of ours").with_extension("");
    if parts.iter().any(|part| part == "tests" || part == "testing") {
        return String::new();
    }
    let text = fs::read_to_string(file).expect("a source file");
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// The modules that a piece of code names after `crate::`.
fn used(code: &str) -> Vec<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines
        .flat_map(|line| line.split("crate::").skip(1).map(str::to_owned).collect::<Vec<_>>())
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn modules_import_what_the_document_allows_and_nothing_else() {
    let allowed: BTreeMap<_, _> = table().into_iter().collect();
    let mut seen = BTreeSet::new();
    for file in sources(&root().join("src")) {
        let module = module(&file);
        if module == "lib" || module == "main" {
            continue;
        }
        let may = allowed.get(&module).unwrap_or_else(|| panic!("{module} is not in the document"));
        for other in used(&code(&file)) {
            assert!(
                other == module || may.contains(&other),
                "{} uses {other}, which docs/architecture.md does not allow",
                file.display()
            );
            seen.insert((module.clone(), other));
        }
    }
    for (module, may) in allowed {
        for other in may {
            assert!(
                seen.contains(&(module.clone(), other.clone())),
                "{module} may use {other} by docs/architecture.md, and does not"
            );
        }
    }
}

#[test]
fn modules_import_only_those_above_them() {
    let mut above = Vec::new();
    for (module, may) in table() {
        for other in may {
            assert!(
                above.contains(&other),
                "{module} uses {other}, which is not above it in the table of docs/architecture.md: \
                 either they import each other, directly or not, or the rows are in the wrong order"
            );
        }
        above.push(module);
    }
}

#[test]
fn hunt_and_watch_have_one_door() {
    // `check` runs a program as a hunt does.
    let hunt = [("src/verbs/check.rs", "RunArgs"), ("src/verbs/mod.rs", "Hunt")];
    for (room, doors) in [("hunt", &hunt[..]), ("watch", &[("src/verbs/mod.rs", "Watch")])] {
        let path = format!("crate::{room}");
        let mut entered = Vec::new();
        for file in sources(&root().join("src")) {
            let code = code(&file);
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in lines.filter(|line| line.contains(&path)) {
                if module(&file) != room {
                    entered.push((file.clone(), line.trim().to_owned()));
                }
            }
        }
        entered.sort();
        let doors = doors
            .iter()
            .map(|(file, door)| (root().join(file), format!("use crate::{room}::{door};")));
        assert_eq!(entered, doors.collect::<Vec<_>>());
    }
}

#[test]
fn the_document_names_every_module_and_no_other() {
    let mut modules: Vec<String> = sources(&root().join("src")).iter().map(|f| module(f)).collect();
    modules.retain(|module| module != "lib" && module != "main");
    modules.sort();
    modules.dedup();
    let mut documented: Vec<String> = table().into_iter().map(|(module, _)| module).collect();
    documented.sort();
    assert_eq!(documented, modules);
}

#[test]
fn no_source_file_is_longer_than_1000_lines() {
    let scripts = files(&root().join("templates"));
    let is_text = |file: &PathBuf| file.extension().is_none_or(|ending| ending != "ttf");
    for file in sources(&root().join("src")).into_iter().chain(scripts.into_iter().filter(is_text))
    {
        let lines = fs::read_to_string(&file).expect("a source file").lines().count();
        assert!(lines <= 1000, "{} has {lines} lines", file.display());
    }
}

#[test]
fn every_file_that_the_document_names_is_there() {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("the document");
    for row in text.lines().filter(|line| line.starts_with("| ")) {
        // A bare name is that of a file in a folder that was named before it.
        let mut folders = vec![root().to_path_buf()];
        for name in row.split('`').skip(1).step_by(2) {
            let is_source = name.ends_with(".rs") || name.ends_with(".css");
            let path = folders.iter().map(|folder| folder.join(name)).rfind(|path| path.exists());
            assert!(path.is_some() || !is_source, "docs/architecture.md names {name}: {row}");
            let Some(path) = path else { continue };
            folders.push(if path.is_dir() {
                path
            } else {
                path.parent().expect("a folder").into()
            });
        }
    }
}
