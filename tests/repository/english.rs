//! Documents, messages, help and comments must be in plain English. These phrases kept coming back in
//! texts that had to be read twice; each has a plain replacement.

use std::fs;
use std::path::Path;

use crate::{files, root};

/// A phrase, and what to write instead.
const PUZZLES: [(&str, &str); 20] = [
    ("anew", "again"),
    ("are none", "there are no ..., or without them"),
    ("are said", "are reported, or who says it"),
    ("are told", "are reported, or who reports it"),
    ("as it likes", "any"),
    ("for want of", "because there is no"),
    ("held against", "compared with"),
    ("holds it against", "compares it with"),
    ("is none", "there is no ..., or without one"),
    ("is said", "is reported, or who says it"),
    ("is told", "is reported, or who reports it"),
    ("passed over", "skipped"),
    ("rightly", "correctly"),
    ("seldom", "rarely"),
    ("so wide and high", "of this width and height"),
    ("stands beside", "is beside"),
    ("the twin of", "the counterpart of"),
    ("what became of", "the change of, or the result for"),
    ("what of", "which part of"),
    ("what there is", "name it"),
];

/// Whether a line contains the phrase as separate words, in any case.
fn has(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(phrase).any(|(at, _)| {
        !line[..at].ends_with(is_letter) && !line[at + phrase.len()..].starts_with(is_letter)
    })
}

#[test]
fn texts_contain_no_forbidden_phrases() {
    assert!(has("it is told so", "is told") && !has("this told", "is told"));
    assert!(!has("a japanewer", "anew") && has("What of it", "what of"));
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
