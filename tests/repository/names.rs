//! Every file is checked out with the bytes that were committed.

use std::fs;

use crate::{files, root};

/// The patterns of `.gitattributes` whose files Git must not change: `binary` and `-text`.
fn kept_as_they_are() -> Vec<(String, bool)> {
    let text = fs::read_to_string(root().join(".gitattributes")).expect("the attributes");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| match line.split_once(' ')? {
            (pattern, "binary") => Some((pattern.to_owned(), true)),
            (pattern, "-text") => Some((pattern.to_owned(), false)),
            _ => None,
        })
        .collect()
}

/// Whether a pattern of `.gitattributes` matches a path. A pattern has at most one `*`, which matches no `/`;
/// a pattern without `/` matches file names.
fn names(pattern: &str, path: &str) -> bool {
    let path = if pattern.contains('/') { path } else { path.rsplit('/').next().unwrap_or(path) };
    let (front, back) = pattern.split_once('*').unwrap_or((pattern, ""));
    let middle = path.strip_prefix(front).and_then(|rest| rest.strip_suffix(back));
    middle.is_some_and(|middle| !middle.contains('/'))
}

#[test]
fn git_changes_no_bytes_of_binary_files() {
    assert!(names("*.gz", "a/b.gz") && names("a/*.b", "a/c.b") && !names("a/*", "a/b/c"));
    let kept = kept_as_they_are();
    let (mut binary, mut odd) = (0, 0);
    for file in files(root()) {
        let path = file.strip_prefix(root()).expect("a file of the project");
        let path = path.to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&file).expect("a file");
        let rules: Vec<bool> =
            kept.iter().filter(|rule| names(&rule.0, &path)).map(|rule| rule.1).collect();
        if bytes.contains(&0) || std::str::from_utf8(&bytes).is_err() {
            binary += 1;
            assert!(rules.contains(&true), "{path} is not text: name it in .gitattributes");
        } else if bytes.contains(&b'\r') {
            odd += 1;
            assert!(!rules.is_empty(), "{path} has a carriage return that Git may change");
        }
    }
    assert!(binary > 20, "only {binary} binary files were found ({odd} with odd line ends)");
}
