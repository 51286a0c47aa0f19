//! What a user reads is English: help, manual pages, documents and messages name nothing that only the code
//! knows, and say nothing twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::{files, root};

/// A sentence of fewer words may stand in several places.
const FEWEST_WORDS: usize = 7;

/// The words in a text that are made of letters, digits and `_`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a word is `made_like_this`, as names of functions are.
fn is_identifier(word: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    word.contains('_') && word.split('_').all(is_part)
}

/// Whether a word is `MadeLikeThis`, as names of types are.
fn is_type(word: &str) -> bool {
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    capitals > 1 && 2 * capitals < word.len() && word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// A text without what is marked as code: fences, spans, the addresses of links.
fn prose(text: &str) -> String {
    let fences = text.split("```").step_by(2).collect::<Vec<_>>().join("\n\n");
    let spans = fences.split('`').step_by(2).collect::<Vec<_>>().join("CODE");
    let mut links = spans.split("](");
    let first = links.next().unwrap_or_default().to_owned();
    links.fold(first, |text, link| text + link.split_once(')').map_or(link, |(_, rest)| rest))
}

/// The sentences of a text in which paragraphs, items and cells are apart.
fn sentences(text: &str) -> Vec<String> {
    let starts_anew = |line: &str| {
        let line = line.trim_start();
        line.is_empty() || ["- ", "* ", "#", "|"].iter().any(|mark| line.starts_with(mark))
    };
    let mut parts = vec![String::new()];
    for line in text.lines() {
        if starts_anew(line) {
            parts.push(String::new());
        }
        *parts.last_mut().expect("a part") += &format!("{} ", line.trim());
    }
    let ends = |word: &str| word.ends_with(['.', ':', ';']);
    let cells = parts.iter().flat_map(|part| part.split('|'));
    let cells = cells.map(|cell| cell.split_whitespace().collect::<Vec<_>>());
    let sentences = cells.flat_map(|cell| {
        let of_cell = cell.split_inclusive(|word| ends(word));
        of_cell.map(|sentence| sentence.join(" ")).collect::<Vec<_>>()
    });
    sentences.filter(|sentence| sentence.split(' ').count() >= FEWEST_WORDS).collect()
}

/// Whether a word of a text is a name that only the code knows.
fn is_of_the_code(word: &str, names: &BTreeSet<String>) -> bool {
    is_identifier(word) || is_type(word) && names.contains(word)
}

fn printed(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_heapviz")).args(words).output().expect("heapviz");
    String::from_utf8(output.stdout).expect("text")
}

/// The names in the code: those with `_`, and types of several words.
fn names_of_the_code() -> BTreeSet<String> {
    let sources = files(&root().join("src"));
    let texts = sources.iter().map(|file| fs::read_to_string(file).unwrap_or_default());
    let is_defined = |(before, word): &(&str, &str)| {
        is_identifier(word) || is_type(word) && ["struct", "enum", "trait", "type"].contains(before)
    };
    let mut names = BTreeSet::new();
    for text in texts {
        let all: Vec<&str> = words(&text).collect();
        let pairs = all.windows(2).map(|pair| (pair[0], pair[1]));
        names.extend(pairs.filter(is_defined).map(|(_, word)| word.to_owned()));
    }
    assert!(names.len() > 1000, "only {} names: does the test still read them?", names.len());
    names
}

/// The literals of a source file outside its tests that are sentences or parts of one.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n").replace("'\"'", "' '").replace("'\\\"'", "' '");
    let mut found = Vec::new();
    let mut rest = &*code;
    while let Some((_, after)) = rest.split_once('"') {
        let mut is_escaped = false;
        let end = after.find(|c| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let Some(end) = end else { break };
        let literal = after[..end].replace("\\n", "\n");
        rest = &after[end + 1..];
        if literal.split_whitespace().count() >= 4 {
            found.push(literal);
        }
    }
    found
}

/// A message without its placeholders and the names that it quotes.
fn message(literal: &str) -> String {
    let mut depth = 0_u32;
    let outside = |c: char| {
        depth = (depth + u32::from(c == '{')).saturating_sub(u32::from(c == '}'));
        if depth > 0 { ' ' } else { c }
    };
    prose(literal).chars().map(outside).collect()
}

#[test]
fn help_and_manual_pages_name_nothing_of_the_code_and_say_nothing_twice() {
    let all = printed(&["--help"]);
    let list = all.split_once("Verbs:\n").expect("the list of verbs").1;
    let verbs: Vec<&str> = list
        .lines()
        .map_while(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|verb| !verb.is_empty() && *verb != "help")
        .collect();
    assert!(verbs.len() >= 8, "{verbs:?}");
    let mut texts = vec![("--help", all.clone()), ("man", printed(&["man"]))];
    for verb in verbs {
        texts.push((verb, printed(&["help", verb])));
        texts.push((verb, printed(&["man", verb])));
    }
    let names = names_of_the_code();
    for (verb, text) in texts {
        assert!(text.len() > 100, "{verb}");
        let flag = text.split(".TP\n").find(|flag| flag.trim_end().lines().count() == 1);
        assert!(!text.contains(".TP") || flag.is_none(), "{verb}: no help for {flag:?}");
        let is_example = |line: &&str| line.starts_with("  heapviz ");
        let text: Vec<&str> = text.lines().filter(|line| !is_example(line)).collect();
        let text = text.join("\n");
        for word in words(&prose(&text)) {
            assert!(!is_of_the_code(word, &names), "{verb}: `{word}` is no word");
        }
        let mut seen = BTreeSet::new();
        for sentence in sentences(&text) {
            assert!(seen.insert(sentence.clone()), "{verb} says twice: {sentence}");
        }
    }
}

#[test]
fn documents_name_nothing_of_the_code_and_say_nothing_twice() {
    let names = names_of_the_code();
    let mut seen = BTreeMap::new();
    let mut documents = files(&root().join("docs"));
    documents.extend(
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
            .map(|name| root().join(name)),
    );
    documents.retain(|file| file.extension().is_some_and(|ending| ending == "md"));
    assert!(documents.len() > 15);
    for file in documents {
        let text = fs::read_to_string(&file).expect("a document");
        let name = file.strip_prefix(root()).expect("a file of ours").display().to_string();
        let code = prose(&text);
        let known: Vec<&str> = words(&code).filter(|word| names.contains(*word)).collect();
        assert!(known.is_empty(), "{name}: these are names of the code: {known:?}");
        for sentence in sentences(&text.split("```").step_by(2).collect::<String>()) {
            if let Some(other) = seen.insert(sentence.clone(), name.clone()) {
                panic!("{name} and {other} say: {sentence}");
            }
        }
    }
}

#[test]
fn messages_name_nothing_of_the_code() {
    let names = names_of_the_code();
    let mut count = 0;
    for file in files(&root().join("src")) {
        let source = fs::read_to_string(&file).unwrap_or_default();
        if file.extension().is_none_or(|ending| ending != "rs") || file.ends_with("tests.rs") {
            continue;
        }
        // A script for a shell has its variables.
        for literal in literals(&source).iter().filter(|literal| !literal.contains('$')) {
            count += 1;
            for word in words(&message(literal)) {
                let is_one = is_of_the_code(word, &names);
                assert!(!is_one, "{}: `{word}` in: {literal}", file.display());
            }
        }
    }
    assert!(count > 500, "only {count} messages: does the test still read them?");
}
