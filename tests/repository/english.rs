//! What a user reads is English: help, manual pages, documents and messages name nothing that only the code
//! knows, and say nothing twice.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use regex::Regex;

use crate::{text, texts};

/// A sentence of fewer words may stand in several places.
const FEWEST_WORDS: usize = 7;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// The names in the code: those with `_`, and types of several words.
fn names_of_the_code() -> BTreeSet<String> {
    let name = pattern(
        r"\b(?:([a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)+)|(?:struct|enum|trait|type) ([A-Z][a-z0-9]+[A-Z]\w*))\b",
    );
    let mut names = BTreeSet::new();
    for (_, text) in texts("src") {
        let found = name.captures_iter(&text).filter_map(|found| found.get(1).or(found.get(2)));
        names.extend(found.map(|name| name.as_str().to_owned()));
    }
    assert!(names.len() > 1000, "only {} names: does the test still read them?", names.len());
    names
}

/// The names of the code in a text, but for what is marked as code: fences, spans, the addresses of links.
fn known(text: &str, names: &BTreeSet<String>) -> Vec<String> {
    let code = pattern(r"(?s)```.*?```|`[^`]*`|\]\([^)]*\)");
    let prose = code.replace_all(text, " CODE ");
    let words = prose.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| names.contains(*word)).map(str::to_owned).collect()
}

/// The sentences of a text in which paragraphs, items and cells are apart, without fences.
fn sentences(text: &str) -> Vec<String> {
    let text = pattern("(?s)```.*?```").replace_all(text, "\n\n");
    let mut found = Vec::new();
    for part in pattern(r"\n\s*(?:\n\s*|- |\* |#+ )+|\|").split(&text) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let sentences = words.split_inclusive(|word| word.ends_with(['.', ':', ';']));
        found.extend(sentences.filter(|it| it.len() >= FEWEST_WORDS).map(|it| it.join(" ")));
    }
    found
}

/// Fails if one of some texts names something of the code, or if they have a sentence twice.
fn check(texts: &[(String, String)], names: &BTreeSet<String>) {
    let mut seen = BTreeMap::new();
    for (name, text) in texts {
        assert_eq!(known(text, names), [""; 0], "{name}: these are names of the code");
        for sentence in sentences(text) {
            let other = seen.insert(sentence.clone(), name);
            assert_eq!(other, None, "{name} and another say: {sentence}");
        }
    }
}

fn printed(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_heapviz")).args(words).output().expect("heapviz");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn help_and_manual_pages_name_nothing_of_the_code_and_say_nothing_twice() {
    let all = printed(&["--help"]);
    let list = all.split_once("Verbs:\n").expect("the list of verbs").1.split("\n\n").next();
    let verbs = list.into_iter().flat_map(str::lines).filter_map(|line| line.split(' ').nth(2));
    let verbs: Vec<&str> = verbs.filter(|verb| !["", "help"].contains(verb)).collect();
    assert!(verbs.len() >= 8, "{verbs:?}");
    let of_verb = |verb: &&str| [printed(&["help", verb]), printed(&["man", verb])];
    let names = names_of_the_code();
    for text in verbs.iter().flat_map(of_verb).chain([all.clone(), printed(&["man"])]) {
        let flag = text.split(".TP\n").find(|flag| flag.trim_end().lines().count() == 1);
        assert!(text.len() > 100 && (!text.contains(".TP") || flag.is_none()), "{flag:?}: {text}");
        let examples = pattern("(?m)^  heapviz .*$");
        let name = text.lines().next().unwrap_or_default().to_owned();
        check(&[(name, examples.replace_all(&text, "").into_owned())], &names);
    }
}

#[test]
fn documents_name_nothing_of_the_code_and_say_nothing_twice() {
    let others = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
    let mut documents: Vec<(String, String)> =
        others.map(|file| (file.to_owned(), text(file))).to_vec();
    documents.extend(texts("docs").into_iter().filter(|(file, _)| file.ends_with(".md")));
    assert!(documents.len() > 15);
    check(&documents, &names_of_the_code());
}

#[test]
fn messages_name_nothing_of_the_code() {
    let names = names_of_the_code();
    let (literal, no_code) =
        (pattern(r#"(?s)"((?:[^"\\]|\\.)*)""#), pattern(r#"'\\?"'|(?m)^\s*//.*$"#));
    let placeholder = pattern(r"\{[^{}]*\}");
    let mut count = 0;
    for (file, source) in texts("src") {
        let source = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        if !file.ends_with(".rs") || file.ends_with("tests.rs") {
            continue;
        }
        let code = no_code.replace_all(source, "");
        for [literal] in literal.captures_iter(&code).map(|found| found.extract().1) {
            // A script for a shell has its variables.
            if literal.split_whitespace().count() >= 4 && !literal.contains('$') {
                count += 1;
                let message = placeholder.replace_all(literal, " ").replace("\\n", "\n");
                assert_eq!(known(&message, &names), [""; 0], "{file}: {literal}");
            }
        }
    }
    assert!(count > 500, "only {count} messages: does the test still read them?");
}
