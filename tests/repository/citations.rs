//! Everything that sources and documents cite exists.

use regex::Regex;

use crate::{root, text, texts};

/// The anchors of a document's headings, as documentation viewers make them.
fn anchors(text: &str) -> Vec<String> {
    let outside_code = text.split("```").step_by(2);
    let headings = outside_code.flat_map(str::lines).filter(|line| line.starts_with('#'));
    let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let anchor = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        heading.chars().filter(is_kept).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Fails unless the file exists and has the heading.
fn resolve(citation: &str, folder: &str, at: &str) {
    let (file, heading) = citation.split_once('#').unwrap_or((citation, ""));
    let document = if file.is_empty() { at.to_owned() } else { format!("{folder}{file}") };
    assert!(root().join(&document).exists(), "{at} cites {citation}, which is not there");
    let is_there = heading.is_empty() || anchors(&text(&document)).iter().any(|it| it == heading);
    assert!(is_there, "{at} cites {citation}, but there is no such heading");
}

#[test]
fn every_cited_document_and_every_link_leads_somewhere() {
    assert_eq!(anchors("a\n## The `.aux` file\n"), ["the-aux-file"]);
    let link = Regex::new(r"\]\(([^)]*)\)").expect("a pattern");
    let cited = Regex::new(r"(?:^|[^\w./#-])(\w[\w./-]*\.md(?:#[\w-]+)?)").expect("a pattern");
    let (mut links, mut to_formats) = (0, 0);
    for (file, text) in texts("") {
        match file.rsplit('.').next() {
            Some("md") => {
                let folder = file.rfind('/').map_or("", |end| &file[..=end]);
                let targets = link.captures_iter(&text).map(|found| found.extract::<1>().1[0]);
                for target in targets.filter(|target| !target.contains("://")) {
                    links += 1;
                    resolve(target, folder, &file);
                }
            }
            Some("css" | "html" | "js" | "rs" | "sh" | "toml" | "yml") => {
                for [citation] in cited.captures_iter(&text).map(|found| found.extract().1) {
                    to_formats += usize::from(citation.starts_with("docs/format/"));
                    resolve(citation, "", &file);
                }
            }
            _ => {}
        }
    }
    assert!(links > 50 && to_formats > 40, "{links} links, {to_formats} citations of formats");
}

/// The paths below `src/` and `tests/` in a text; several in braces share what is before and after them.
fn sources(text: &str) -> Vec<String> {
    let path = Regex::new(r"\b(?:src|tests)/[\w./{},-]*[\w/}]").expect("a pattern");
    let spread = |path: &str| match path.split_once('{').zip(path.split_once('}')) {
        Some(((before, _), (inner, after))) => {
            let names = inner.rsplit('{').next().unwrap_or_default().split(',');
            names.map(|name| format!("{before}{name}{after}")).collect()
        }
        None => vec![path.to_owned()],
    };
    path.find_iter(text).flat_map(|path| spread(path.as_str())).collect()
}

#[test]
fn every_cited_source_exists() {
    assert_eq!(sources("a `src/b/{c,d}.rs`, src/e/."), ["src/b/c.rs", "src/b/d.rs", "src/e/"]);
    let mut cited = 0;
    // What the history names need not be there, nor the examples of messages.
    for (file, text) in ["docs", "src", "SECURITY.md"].map(texts).concat() {
        let is_document = file.ends_with(".md");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_ours =
            |path: &&String| path.ends_with(".rs") || (is_document && path.ends_with('/'));
        for path in sources(code).iter().filter(is_ours) {
            cited += 1;
            assert!(root().join(path).exists(), "{file} cites {path}");
        }
    }
    assert!(cited > 40, "only {cited} citations of sources were found");
}
