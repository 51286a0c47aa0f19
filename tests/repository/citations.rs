//! Everything that sources and documents cite exists.

use std::fs;
use std::path::Path;

use crate::{files, root};

/// The anchor of a heading, as documentation viewers make it.
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

/// The citations in a text: `FILE.md` or `FILE.md#HEADING`.
fn citations(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./#".contains(c);
    text.split(|c| !is_part(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.split('#').next().is_some_and(|file| file.ends_with(".md")))
        .collect()
}

/// Fails unless the file exists and has the heading.
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
fn every_cited_document_and_heading_exists() {
    assert_eq!(anchor(" The `.aux` file"), "the-aux-file");
    let mut to_formats = 0;
    for file in files(root()) {
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        if !["css", "html", "js", "rs", "sh", "toml", "yml"].contains(&&*ending) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        for citation in citations(&text) {
            // The patterns of this test itself.
            if citation.starts_with('.') || citation.starts_with("FILE") {
                continue;
            }
            to_formats += usize::from(citation.starts_with("docs/format/"));
            resolve(citation, root(), &file);
        }
    }
    assert!(to_formats > 40, "only {to_formats} citations of the formats were found");
}

/// The paths below `src/` and `tests/` in a text; several in braces share what is before and after them.
fn sources(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_-./{},".contains(c);
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_end_matches(['.', ',']));
    let paths = words.filter(|word| word.starts_with("src/") || word.starts_with("tests/"));
    let spread = |path: &str| match path.split_once('{').zip(path.split_once('}')) {
        Some(((before, _), (inner, after))) => {
            let names = inner.rsplit('{').next().unwrap_or_default().split(',');
            names.map(|name| format!("{before}{name}{after}")).collect()
        }
        None => vec![path.to_owned()],
    };
    paths.flat_map(spread).collect()
}

#[test]
fn every_cited_source_exists() {
    assert_eq!(sources("a `src/b/{c,d}.rs`, src/e/."), ["src/b/c.rs", "src/b/d.rs", "src/e/"]);
    let mut cited = 0;
    for file in files(root()) {
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        // What the history names need not be there, nor the examples of messages.
        let citing = ["docs", "src", "SECURITY.md"].map(|name| root().join(name));
        let is_citing = citing.iter().any(|place| file.starts_with(place));
        if !is_citing || !["md", "rs"].contains(&&*ending) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a text");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_ours =
            |path: &&String| path.ends_with(".rs") || (ending == "md" && path.ends_with('/'));
        for path in sources(code).iter().filter(is_ours) {
            cited += 1;
            assert!(root().join(path).exists(), "{} cites {path}", file.display());
        }
    }
    assert!(cited > 40, "only {cited} citations of sources were found");
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
