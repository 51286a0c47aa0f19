//! Documents, messages, help and comments must be in plain English. These phrases kept coming back in
//! texts that had to be read twice; each has a plain replacement.

use std::fs;
use std::path::Path;

use crate::{files, root};

/// A phrase, and what to write instead.
const PUZZLES: [(&str, &str); 9] = [
    ("anew", "again"),
    ("is said", "is reported, or who says it"),
    ("are said", "are reported, or who says it"),
    ("is told", "is reported, or who reports it"),
    ("are told", "are reported, or who reports it"),
    ("held against", "compared with"),
    ("holds it against", "compares it with"),
    ("so wide and high", "of this width and height"),
    ("stands beside", "is beside"),
];

/// Whether a line contains the phrase as separate words.
fn has(line: &str, phrase: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(phrase).any(|(at, _)| {
        !line[..at].ends_with(is_letter) && !line[at + phrase.len()..].starts_with(is_letter)
    })
}

#[test]
fn texts_contain_no_forbidden_phrases() {
    assert!(has("it is told so", "is told") && !has("this told", "is told"));
    assert!(!has("a japanewer", "anew"));
    let mut found = Vec::new();
    let mut read = 0;
    for file in files(root()) {
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        let is_text = ["css", "html", "js", "md", "rs", "sh", "toml", "yml"].contains(&&*ending);
        // Skip this file itself, and the data of the tests.
        let inside = file.strip_prefix(root()).expect("a file of the project");
        let is_exempt = inside == Path::new(file!()) || inside.starts_with("tests/data");
        if !is_text || is_exempt {
            continue;
        }
        let Ok(text) = fs::read_to_string(&file) else { continue };
        read += 1;
        for (number, line) in text.lines().enumerate() {
            for (phrase, instead) in PUZZLES.iter().filter(|(phrase, _)| has(line, phrase)) {
                let place = format!("{}:{}", file.display(), number + 1);
                found.push(format!("{place}: `{phrase}`; write `{instead}`"));
            }
        }
    }
    assert!(read > 200, "only {read} files were found");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
