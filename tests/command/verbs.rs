//! The verbs, and command lines without one.

use std::fs;

use crate::common::command::{Folder, HP, sample};

#[test]
fn a_command_line_without_a_verb_draws() {
    let folder = Folder::new().with("prog.hp", HP).with("draw", HP);
    let same = |lines: &[&str]| {
        let all: Vec<String> = lines.iter().map(|line| folder.line(line).drawn().wrote()).collect();
        assert!(all.iter().all(|one| *one == all[0] && !one.is_empty()), "{lines:?}");
    };
    // Only the first word can be a verb, and a path is never one.
    same(&[
        "-o - -q prog.hp",
        "draw prog.hp -q -o -",
        "./draw -q -o -",
        "-q -o - draw",
        "draw draw -q -o -",
    ]);
    // Flags of every verb may be before it.
    same(&[
        "stats prog.hp",
        "-q stats prog.hp",
        "--color never stats prog.hp",
        "--color=never --quiet stats prog.hp",
    ]);
}

#[test]
fn a_misspelt_verb_is_noticed() {
    let folder = Folder::new().with("prog.hp", HP).with("drew", HP);
    for (line, status, says) in [
        ("drow prog.hp", 2, "did you mean `heapviz draw`?"),
        ("hp2p -c", 2, "did you mean `heapviz hp2ps`?"),
        ("draw", 2, "Usage: heapviz draw"),
        ("diff prog.hp drew --align end", 2, "--from and --to compare a part"),
        ("draw prog.hp ./prog.hp", 2, "Usage: heapviz draw"),
        ("watch prog.hp --alert 'THUNK > 5'", 2, "; of a band: band(\"NAME\").peak"),
        ("drew", 0, ""),
        ("prog", 1, "error: prog: "),
    ] {
        folder.line(line).says(status, says);
    }
    assert!(folder.files() == ["drew", "drew.svg", "prog.hp"], "{:?}", folder.files());
}

#[test]
fn a_message_names_what_was_meant() {
    let log = fs::read(sample("leak-hy.eventlog")).expect("a sample");
    let folder = Folder::new().with("prog.hp", HP).with("leak.eventlog", log);
    for (line, says) in [
        ("leak.evntlog", "error: leak.evntlog: |did you mean leak.eventlog?"),
        (".", "it is a folder|name the profiles in it"),
        ("prog.hp -o no/x.svg", "cannot write no/x.svg: there is no folder no\n"),
        ("leak.eventlog --at 99s -f folded", "no sample at 99 s; the samples run from"),
        ("- -o x.svg", "the file is empty|the command before the pipe printed nothing"),
    ] {
        let run = folder.line(line).says(1, says);
        assert!(!run.said().contains(".heapviz-"), "{}", run.said());
    }
}

#[test]
fn a_command_without_arguments_says_how_to_start() {
    let run = Folder::new().run(&[] as &[&str]);
    assert_eq!(run.status(), 2);
    assert_eq!(run.said().lines().count(), 11, "{}", run.said());
    assert!(run.said().contains("heapviz --help"));
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]).drawn().wrote();
        for word in ["hp2ps", "source-url"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    assert_eq!(folder.run(&["completions", "tcsh"]).status(), 2);
    assert!(folder.run(&["man"]).drawn().wrote().contains(".TH heapviz 1"));
    let draw = folder.run(&["man", "draw"]).drawn().wrote();
    assert!(draw.contains(".TH heapviz-draw 1") && draw.contains("source\\-url"), "{draw}");
    assert_eq!(folder.run(&["man", "dance"]).status(), 2);
}

#[test]
fn messages_have_colours_on_request() {
    let folder = Folder::new();
    let coloured = |words: &[&str]| folder.run(words).said().contains("\u{1b}[");
    for words in [&["none.hp"][..], &["--bandz", "none.hp"], &["draw", "none.hp"]] {
        let with = |flag: &str| coloured(&[words, &[flag]].concat());
        assert!(with("--color=always"), "{words:?}");
        assert!(!with("--color=never") && !coloured(words), "{words:?}");
    }
    assert_eq!(folder.run(&["--color=pink", "none.hp"]).status(), 2);
}

#[test]
fn the_long_version_lists_features_and_target() {
    let folder = Folder::new();
    let version = format!("heapviz {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(folder.run(&["-V"]).drawn().wrote().trim_end(), version);
    let long = folder.run(&["--version"]).drawn().wrote();
    let mut lines = long.lines();
    assert_eq!(lines.next(), Some(version.as_str()));
    assert!(lines.next().is_some_and(|line| line.starts_with("features: cli")), "{long}");
    assert!(lines.next().is_some_and(|line| line.contains(std::env::consts::ARCH)), "{long}");
}
