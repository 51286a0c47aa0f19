//! The verbs, and command lines without one.

use std::fs;

use crate::common::command::{Folder, HP, sample};

#[test]
fn a_command_line_without_a_verb_draws() {
    let folder = Folder::new().with("prog.hp", HP).with("draw", HP);
    let plain = folder.run(&["-o", "-", "-q", "prog.hp"]).drawn().wrote();
    assert_eq!(folder.run(&["draw", "prog.hp", "-q", "-o", "-"]).drawn().wrote(), plain);
    // Only the first word can be a verb, and a path is never one.
    assert_eq!(folder.run(&["./draw", "-q", "-o", "-"]).drawn().wrote(), plain);
    assert_eq!(folder.run(&["-q", "-o", "-", "draw"]).drawn().wrote(), plain);
    assert_eq!(folder.run(&["draw", "draw", "-q", "-o", "-"]).drawn().wrote(), plain);
}

#[test]
fn a_verb_that_is_misspelt_or_comes_late_is_noticed() {
    let folder = Folder::new().with("prog.hp", HP).with("drew", HP);
    for (words, says) in [
        (&["drow", "prog.hp"][..], "did you mean `heapviz draw prog.hp`?"),
        (&["hp2p", "-c"], "did you mean `heapviz hp2ps -c`?"),
        (&["-o", "x.svg", "draw", "prog.hp"], "a verb has to be the first word: heapviz draw"),
        (&["draw"], "Usage: heapviz draw"),
        (&["draw", "prog.hp", "./prog.hp"], "Usage: heapviz draw"),
    ] {
        let run = folder.run(words);
        assert_eq!(run.status(), 2, "{words:?}: {}", run.said());
        assert!(run.said().contains(says), "{words:?}: {}", run.said());
    }
    // Flags that every verb has may stand before it.
    folder.run(&["-q", "draw", "prog.hp"]).drawn();
    folder.run(&["--strict", "--color", "never", "stats", "prog.hp"]).drawn();
    // What people try, and what to write instead.
    for (words, says) in [
        (&["html", "prog.hp"][..], "did you mean `heapviz -f html prog.hp`?"),
        (&["page", "prog.hp"], "did you mean `heapviz -f html prog.hp`?"),
        (&["chart", "prog.hp"], "did you mean `heapviz prog.hp`?"),
        (&["version"], "did you mean `heapviz --version`?"),
        (&["check", "--max", "1MB", "prog.hp"], "write `heapviz check --fail-if 'peak > 64MB'`"),
        (&["stats", "--json", "prog.hp"], "--json is not a flag: write `-f json`"),
        (&["watch", "prog.hp", "--alert", "THUNK > 5"], "; of a band: band(\"NAME\").peak"),
        (&["prog.hp", "--limit-bands", "5"], "--limit-bands is now `--limit NAME=N`"),
        (&["watch", "prog.hp", "--until", "alert"], "--until is now `--exit-on-alert`"),
    ] {
        let run = folder.run(words);
        assert!(run.status() == 2 && run.said().contains(says), "{words:?}: {}", run.said());
    }
    folder.run(&["drew"]).drawn();
    folder.run(&["prog"]).failed(&["error: prog: "]);
    assert!(folder.files() == ["drew", "drew.svg", "prog.hp", "prog.svg"], "{:?}", folder.files());
}

#[test]
fn a_message_names_what_was_meant() {
    let log = fs::read(sample("leak-hy.eventlog")).expect("a sample");
    let folder = Folder::new().with("prog.hp", HP).with("leak.eventlog", log);
    for (words, says) in [
        (&["leak.evntlog"][..], &["error: leak.evntlog: ", "did you mean leak.eventlog?"][..]),
        (&["prog.hp", "-o", "no/x.svg"], &["cannot write no/x.svg: there is no folder no\n"]),
        (
            &["leak.eventlog", "--at", "99s", "-f", "folded"],
            &["no sample at 99 s; the samples run from"],
        ),
    ] {
        let run = folder.run(words).failed(says);
        assert!(!run.said().contains(".heapviz-"), "{}", run.said());
    }
    folder
        .run_with_input(&["-", "-o", "x.svg"], b"")
        .failed(&["the file is empty", "the command before the pipe printed nothing"]);
}

#[test]
fn a_command_without_arguments_says_how_to_start() {
    let run = Folder::new().run(&[] as &[&str]);
    assert_eq!(run.status(), 2);
    assert_eq!(run.said().lines().count(), 11, "{}", run.said());
    assert!(run.said().contains("heapviz --help"));
}

#[test]
fn every_verb_has_help() {
    let folder = Folder::new();
    let all = folder.run(&["--help"]).drawn().wrote();
    for verb in ["draw", "stats", "check", "diff", "watch", "hp2ps", "completions", "man"] {
        assert!(all.contains(&format!("\n  {verb} ")), "{verb}: {all}");
        let help = folder.run(&["help", verb]).drawn().wrote();
        assert!(help.contains(&format!("Usage: heapviz {verb}")), "{help}");
    }
    // Drawing is the default verb, so its flags are those of the command.
    let draw = folder.run(&["draw", "--help"]).drawn().wrote();
    let flags = |help: &str| -> Vec<String> {
        help.split_whitespace().filter(|word| word.starts_with("--")).map(str::to_owned).collect()
    };
    for flag in flags(&draw) {
        assert!(flags(&all).contains(&flag), "{flag}");
    }
}

#[test]
fn completions_and_manual_pages_are_written() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]).drawn().wrote();
        for word in ["hp2ps", "trace-elements"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    assert_eq!(folder.run(&["completions", "tcsh"]).status(), 2);
    assert!(folder.run(&["man"]).drawn().wrote().contains(".TH heapviz 1"));
    let draw = folder.run(&["man", "draw"]).drawn().wrote();
    assert!(draw.contains(".TH heapviz-draw 1") && draw.contains("trace\\-elements"), "{draw}");
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

#[test]
fn a_file_of_arguments_gives_every_verb_the_flags_that_it_has() {
    let args = "# our project\n\n--fail-if=peak > 1B\n--bands=1\n  --palette=grey  \n";
    let folder = Folder::new().with("prog.hp", HP).with("heapviz.args", args);
    let run = |words: &[&str], file: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_heapviz"));
        folder.run_command(command.args(words).env("HEAPVIZ_CONFIG_PATH", file), b"")
    };
    let with_args = |words: &[&str]| run(words, "heapviz.args");

    let checked = with_args(&["check", "prog.hp"]);
    assert_eq!(checked.status(), 3, "{}", checked.said());
    let drawn = with_args(&["-f", "csv", "-o", "-", "prog.hp"]).drawn();
    let same = folder.run(&["--bands", "1", "-f", "csv", "-o", "-", "prog.hp"]).drawn();
    assert_eq!(drawn.wrote(), same.wrote());
    // Only this call's own flags must have an effect: a CSV has no palette.
    assert!(!drawn.said().contains("--palette"), "{}", drawn.said());
    let typed = with_args(&["-f", "csv", "-o", "-", "--palette", "grey", "prog.hp"]).drawn();
    assert!(typed.said().contains("note: --palette"), "{}", typed.said());
    // What is typed counts; budgets add up.
    let all = with_args(&["draw", "--bands", "0", "-f", "csv", "-o", "-", "prog.hp"]).drawn();
    assert_eq!(
        all.wrote(),
        folder.run(&["-f", "csv", "-o", "-", "--bands", "0", "prog.hp"]).wrote()
    );
    let both = with_args(&["check", "--fail-if", "mean > 1B", "prog.hp"]).wrote();
    assert!(both.contains("peak") && both.contains("mean"), "{both}");
    run(&["prog.hp", "-o", "plain.svg"], "").drawn();

    for (file, text, says) in [
        (
            "unknown.args",
            "--title=x\n--bnads=3",
            "unknown.args:2: no verb has this flag: --bnads=3",
        ),
        ("word.args", "prog.hp", "word.args:1: not a flag: prog.hp"),
        ("wrong.args", "--bands=many", "wrong.args:1: invalid value 'many' for '--bands"),
        ("wrong.args", "--bands", "wrong.args:1: a flag without its value: --bands"),
    ] {
        fs::write(folder.path().join(file), text).unwrap();
        let refused = run(&["prog.hp"], file);
        assert_eq!(refused.status(), 2, "{file}: {}", refused.said());
        assert!(refused.said().contains(says), "{file}: {}", refused.said());
    }
    // What is asked about the command itself needs no file of flags, and no flag stands before its verb.
    for file in ["heapviz.args", "wrong.args", "missing.args"] {
        for words in
            [&["help", "stats"][..], &["--version"], &["stats", "--help"], &["man"], &["-h"]]
        {
            let asked = run(words, file);
            assert_eq!(asked.status(), 0, "{file}: {words:?}: {}", asked.said());
        }
    }
    let missing = run(&["prog.hp"], "missing.args");
    assert_eq!(missing.status(), 2);
    assert!(missing.said().contains("HEAPVIZ_CONFIG_PATH: missing.args: "), "{}", missing.said());
}
