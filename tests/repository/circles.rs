//! No file imports another that imports it, directly or indirectly.
//!
//! Two files that need each other should be one, or some of their content belongs in a third. Only
//! names used in code count: `mod` lines, re-exports and imports for the modules below do not use a
//! file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::{files, root};

/// A module's path below the crate: its file.
type Name = Vec<String>;

/// A file and the names it uses.
#[derive(Debug)]
struct Module {
    imports: Vec<Import>,
    /// The code without imports, strings, comments and tests.
    code: String,
}

/// One name of a `use`.
#[derive(Debug)]
struct Import {
    path: Vec<String>,
    /// Its name in this file.
    alias: String,
}

/// A pattern, which is compiled once: in a test's build that takes longer than a search.
macro_rules! pattern {
    ($text:literal) => {{
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("a pattern"));
        &*PATTERN
    }};
}

/// The module of a source file; `None` for crate roots and for test modules.
fn name(file: &Path) -> Option<Name> {
    let below = file.strip_prefix(root().join("src")).ok()?.with_extension("");
    let mut name: Name = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let last = name.last()?.clone();
    if last == "mod" {
        name.pop();
    }
    let is_left_out = ["lib", "main"].contains(&&*last)
        || below.iter().any(|part| part == "testing" || part == "tests");
    (!is_left_out && file.extension().is_some_and(|ending| ending == "rs")).then_some(name)
}

fn module(text: &str) -> Module {
    // Comments and strings together, because each may contain what looks like the other.
    let silent = pattern!(r##"(?s)//[^\n]*|r#+".*?"#+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'"##);
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let text = silent.replace_all(text, "_");
    let for_tests = pattern!(r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?(?:use|mod)[^;]*;");
    let text = for_tests.replace_all(&text, "");
    let text = pattern!(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+;").replace_all(&text, "");
    let uses = pattern!(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);");
    let mut imports = Vec::new();
    for found in uses.captures_iter(&text) {
        add_imports(&mut imports, Vec::new(), &found[1]);
    }
    Module { imports, code: uses.replace_all(&text, "").into_owned() }
}

/// Adds the names of a `use` tree.
fn add_imports(imports: &mut Vec<Import>, mut front: Vec<String>, tree: &str) {
    let tree = tree.trim();
    let (path, group) = match tree.split_once('{') {
        Some((path, rest)) => (path, rest.rsplit_once('}').map(|(group, _)| group)),
        None => (tree, None),
    };
    let (path, alias) = path.split_once(" as ").map_or((path, None), |(p, a)| (p, Some(a.trim())));
    front
        .extend(path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    if let Some(group) = group {
        let mut depth = 0;
        let parts = group.split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        parts.for_each(|part| add_imports(imports, front.clone(), part));
        return;
    }
    front.pop_if(|last| last == "self");
    if let Some(last) = front.last() {
        let alias = alias.unwrap_or(last).to_owned();
        imports.push(Import { path: front, alias });
    }
}

/// The module that a path leads to from another module, and the rest of the path.
fn resolve(
    modules: &BTreeMap<Name, Module>,
    from: &Name,
    path: &[String],
) -> Option<(Name, Vec<String>)> {
    let mut at = from.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => at.clear(),
        "self" => {}
        "super" => {
            while rest.get(1).is_some_and(|part| part == "super") {
                at.pop();
                rest = &rest[1..];
            }
            at.pop();
        }
        first => {
            let child: Name = from.iter().cloned().chain([first.to_owned()]).collect();
            modules.get(&child)?;
            return descend(modules, at, rest);
        }
    }
    descend(modules, at, &rest[1..])
}

/// Follows a path down from a module, through re-exports and imports.
fn descend(
    modules: &BTreeMap<Name, Module>,
    mut at: Name,
    mut path: &[String],
) -> Option<(Name, Vec<String>)> {
    while let Some((first, rest)) = path.split_first() {
        let below: Name = at.iter().cloned().chain([first.clone()]).collect();
        if !modules.contains_key(&below) {
            break;
        }
        (at, path) = (below, rest);
    }
    if let (Some(first), Some(module)) = (path.first(), modules.get(&at))
        && let Some(import) = module.imports.iter().find(|i| i.alias == *first)
        && let Some((file, left)) = resolve(modules, &at, &import.path)
        && file != at
    {
        return descend(modules, file, &[left, path[1..].to_vec()].concat());
    }
    Some((at, path.to_vec()))
}

/// The files that a file uses.
fn named(modules: &BTreeMap<Name, Module>, name: &Name) -> BTreeSet<Name> {
    let module = &modules[name];
    let paths: Vec<Vec<String>> = pattern!(r"(?:^|[^\w:])((?:\w+::)+\w+)")
        .captures_iter(&module.code)
        .map(|found| found[1].split("::").map(str::to_owned).collect())
        .collect();
    let words: BTreeSet<&str> =
        module.code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    // Files without modules below them use all that they import: traits may not be named.
    let is_leaf = !modules.keys().any(|other| other.len() > name.len() && other.starts_with(name));
    let mut found = BTreeSet::new();
    let mut add = |path: &[String]| {
        found.extend(resolve(modules, name, path).map(|(file, _)| file));
    };
    paths.iter().for_each(|path| add(path));
    for import in &module.imports {
        let is_module =
            resolve(modules, name, &import.path).is_some_and(|(_, left)| left.is_empty());
        if is_module {
            // Only names used through the import count.
            for path in paths.iter().filter(|path| path[0] == import.alias) {
                add(&[&import.path[..], &path[1..]].concat());
            }
        } else if is_leaf || words.contains(&*import.alias) {
            add(&import.path);
        }
    }
    found.retain(|file| file != name && modules.contains_key(file));
    found
}

/// All files that can be reached from each file.
fn reached(edges: &BTreeMap<Name, BTreeSet<Name>>) -> BTreeMap<&Name, BTreeSet<&Name>> {
    edges
        .keys()
        .map(|start| {
            let mut seen = BTreeSet::new();
            let mut open = vec![start];
            while let Some(file) = open.pop() {
                open.extend(edges[file].iter().filter(|next| seen.insert(*next)));
            }
            (start, seen)
        })
        .collect()
}

#[test]
fn no_two_files_import_each_other() {
    let modules: BTreeMap<Name, Module> = files(&root().join("src"))
        .iter()
        .filter_map(|file| {
            Some((name(file)?, module(&fs::read_to_string(file).expect("a source"))))
        })
        .collect();
    let edges: BTreeMap<Name, BTreeSet<Name>> =
        modules.keys().map(|name| (name.clone(), named(&modules, name))).collect();
    let count: usize = edges.values().map(BTreeSet::len).sum();
    assert!(count > 300, "only {count} imports were found: is the test still reading them?");
    let reached = reached(&edges);
    let mut circles = BTreeSet::new();
    for (file, far) in &reached {
        if far.contains(file) {
            let circle = far.iter().filter(|other| reached[**other].contains(file));
            circles.insert(circle.map(|file| file.join("/")).collect::<Vec<_>>());
        }
    }
    for circle in &circles {
        for file in circle {
            let to = edges[&file.split('/').map(str::to_owned).collect::<Name>()].iter();
            let to = to.map(|file| file.join("/")).filter(|file| circle.contains(file));
            eprintln!("{file} names {}", to.collect::<Vec<_>>().join(", "));
        }
    }
    assert!(circles.is_empty(), "files import each other: {circles:#?}");
}
