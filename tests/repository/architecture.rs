//! `docs/architecture.md` is true: no room imports what its row of the table does not allow.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Room and the rooms it may use, from the document's table.
fn allowed() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("the document");
    let names = |cell: &str| -> Vec<String> {
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let after = text.split("| room | owns | may use |").nth(1).expect("the table of rooms");
    let rows = after.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let room = names(cells[1]).pop().expect("a room's name");
        (room, names(cells[3]))
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

/// The room of a file below `src`: its top folder, or its own name.
fn room(file: &Path) -> String {
    let below = file.strip_prefix(root().join("src")).expect("a file below src");
    let first = below.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The code without its tests: test modules stand at the end of a file or in files of their own.
fn code(file: &Path) -> String {
    let name = file.file_stem().expect("a name").to_string_lossy();
    if name == "tests" || name == "testing" || name == "readback" {
        return String::new();
    }
    let text = fs::read_to_string(file).expect("a source file");
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// The rooms that a piece of code names: what follows `crate::`.
fn used(code: &str) -> Vec<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines
        .flat_map(|line| line.split("crate::").skip(1).map(str::to_owned).collect::<Vec<_>>())
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn rooms_import_only_what_the_document_allows() {
    let allowed = allowed();
    let mut imports = 0;
    for file in sources(&root().join("src")) {
        let room = room(&file);
        if room == "lib" || room == "main" || room == "cli" {
            continue;
        }
        let may = allowed.get(&room).unwrap_or_else(|| panic!("{room} is not in the document"));
        for other in used(&code(&file)) {
            imports += 1;
            assert!(
                other == room || may.contains(&other),
                "{} uses {other}, which docs/architecture.md does not allow",
                file.display()
            );
        }
    }
    assert!(imports > 50, "only {imports} imports were found: is the test still reading them?");
}

#[test]
fn the_document_names_every_room_and_no_other() {
    let mut rooms: Vec<String> = sources(&root().join("src")).iter().map(|f| room(f)).collect();
    rooms.retain(|room| room != "lib" && room != "main");
    rooms.sort();
    rooms.dedup();
    let documented: Vec<String> = allowed().into_keys().collect();
    assert_eq!(documented, rooms);
}

#[test]
fn no_source_file_is_longer_than_600_lines() {
    for file in sources(&root().join("src")) {
        let lines = fs::read_to_string(&file).expect("a source file").lines().count();
        assert!(lines <= 600, "{} has {lines} lines", file.display());
    }
}

/// All files of the project below a folder, without what is built or fetched.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if ["target", ".git", "node_modules"].contains(&&*name) {
            continue;
        }
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Whether Windows cannot hold a file or folder of this name.
fn is_refused_by_windows(name: &str) -> bool {
    const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let port = ["com", "lpt"].iter().find_map(|port| stem.strip_prefix(port));
    let is_port = port.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'9']));
    DEVICES.contains(&&*stem)
        || is_port
        || name.ends_with(['.', ' '])
        || name.contains(['<', '>', ':', '"', '|', '?', '*', '\\'])
}

#[test]
fn every_file_can_be_checked_out_on_windows_and_where_case_does_not_count() {
    assert!(is_refused_by_windows("aux.rs") && is_refused_by_windows("Com1"));
    assert!(!is_refused_by_windows("auxiliary.rs") && !is_refused_by_windows("common"));
    let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
    for file in files(root()) {
        let path = file.strip_prefix(root()).expect("a file of the project");
        for part in path {
            let name = part.to_string_lossy();
            assert!(!is_refused_by_windows(&name), "Windows has no file {}", path.display());
        }
        let folded = path.to_string_lossy().to_lowercase();
        if let Some(other) = seen.insert(folded, path.to_owned()) {
            panic!("{} and {} differ in case only", other.display(), path.display());
        }
    }
    assert!(seen.len() > 100, "only {} files were found", seen.len());
}

/// The anchor of a heading, as it is made where the documents are shown.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of a document's headings.
fn anchors(text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        if line.starts_with('#') && !in_code {
            found.push(anchor(line.trim_start_matches('#')));
        }
    }
    found
}

/// What stands in a text as `FILE.md` or `FILE.md#HEADING`.
fn citations(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./#".contains(c);
    text.split(|c| !is_part(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.split('#').next().is_some_and(|file| file.ends_with(".md")))
        .collect()
}

/// Fails unless the file is there, and the heading in it.
fn resolve(citation: &str, folder: &Path, at: &Path) {
    let (file, heading) = citation.split_once('#').unwrap_or((citation, ""));
    let document = if file.is_empty() { at.to_owned() } else { folder.join(file) };
    let text = fs::read_to_string(&document)
        .unwrap_or_else(|_| panic!("{} cites {citation}, which is no file", at.display()));
    assert!(
        heading.is_empty() || anchors(&text).iter().any(|anchor| anchor == heading),
        "{} cites {citation}, but there is no such heading",
        at.display()
    );
}

#[test]
fn every_document_and_heading_that_a_source_cites_is_there() {
    assert_eq!(anchor(" The `.aux` file"), "the-aux-file");
    let mut to_formats = 0;
    for file in files(root()) {
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        if !["css", "html", "js", "rs", "sh", "toml", "yml"].contains(&&*ending) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        for citation in citations(&text) {
            // This test's own patterns.
            if citation.starts_with('.') || citation.starts_with("FILE") {
                continue;
            }
            to_formats += usize::from(citation.starts_with("docs/format/"));
            resolve(citation, root(), &file);
        }
    }
    assert!(to_formats > 40, "only {to_formats} citations of the formats were found");
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut links = 0;
    for file in files(root()) {
        if file.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a document");
        let folder = file.parent().expect("a folder");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            links += 1;
            let path = target.split('#').next().unwrap_or_default();
            match target.contains('#') || path.ends_with(".md") {
                true => resolve(target, folder, &file),
                false => assert!(
                    folder.join(target).exists(),
                    "{} links to {target}, which is not there",
                    file.display()
                ),
            }
        }
    }
    assert!(links > 50, "only {links} links were found");
}
