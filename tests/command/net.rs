//! All verbs agree: `watch` writes of a finished file what `draw` writes, every flag has an effect
//! or is reported, and an output does not depend on what else a call writes.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use crate::common::command::{Folder, Run, endings, sample, words};

const INPUTS: [&str; 3] = ["leak-hc.eventlog", "leak-hT.eventlog", "bands-hy.hp"];

/// The bytes of an output; `None` if the command refuses to write it.
fn written(words: &[&str], input: &str, ending: &str) -> Option<Vec<u8>> {
    let folder = Folder::new();
    let input = sample(input).display().to_string();
    let output = format!("out.{ending}");
    let run = folder.run(&[words, &[&input, "-q", "-o", &output]].concat());
    match run.status() {
        0 => Some(folder.read_bytes(&output)),
        1 => {
            assert!(run.said().contains("error: "), "{}", run.said());
            None
        }
        status => panic!("{words:?} {ending}: {status}: {}", run.said()),
    }
}

fn watch_writes_what_draw_writes(flags: &[&str]) {
    for input in INPUTS {
        for ending in &endings() {
            let drawn = written(&[&["draw"], flags].concat(), input, ending);
            let watched = written(&[&["watch"], flags].concat(), input, ending);
            assert!(drawn == watched, "{flags:?} {input} -o out.{ending}");
        }
    }
}

#[test]
fn watch_writes_what_draw_writes_in_every_format_and_with_every_flag_that_it_has() {
    for flags in [
        &[][..],
        &["--sort", "growth", "--bands", "5"],
        &["--sort", "peak", "--trace", "5"],
        &["--sort", "last", "--units", "si", "--theme", "dark"],
        &["--sort", "name", "--from", "0.1", "--to", "1"],
        &["--view", "flame"],
        &["--view", "lines", "--width", "700", "--height", "400"],
        &["--view", "percent", "--redact", "--group", "module"],
        &["--include", "a", "--exclude", "b"],
    ] {
        watch_writes_what_draw_writes(flags);
    }
}

#[test]
fn an_output_does_not_depend_on_what_else_is_written() {
    for input in ["words-lazy.eventlog.gz", "leak-hr.hp", "leak-hc.eventlog"] {
        let endings = endings();
        let all: Vec<String> = endings.iter().map(|ending| format!("all.{ending}")).collect();
        let folder = Folder::new();
        let mut words = vec![sample(input).display().to_string(), "-q".to_owned()];
        words.extend(all.iter().flat_map(|output| ["-o".to_owned(), output.clone()]));
        let run = folder.run(&words);
        assert!([0, 1].contains(&run.status()), "{}", run.said());
        for (ending, output) in endings.iter().zip(&all) {
            let beside = folder.files().contains(output).then(|| folder.read_bytes(output));
            assert!(beside == written(&["draw"], input, ending), "{input} {ending}");
        }
    }
}

#[test]
fn a_call_without_flags_reports_none() {
    let log = sample("leak-hc.eventlog").display().to_string();
    for words in [
        &["draw", &log, "-o", "out.svg"][..],
        &["watch", &log, "-o", "out.svg"],
        &["stats", &log],
        &["check", &log],
        &["diff", &log, &log, "-o", "out.svg"],
    ] {
        let said = Folder::new().run(words).said();
        assert!(!said.contains("note: -"), "{words:?}: {said}");
    }
}

/// A value with which a flag changes something in the calls below.
const VALUES: &str = "--accept .|--all|--alert 'peak > 1'|--all-samples|--annotate github|--at last|--bands 2|\
    --baseline missing.json|--color always --heap-lines list|\
    --eventlog|--exclude a|--exit-on-alert --alert 'peak > 1'|--fail-if 'mean > 1'|--for 0.5s|\
    --fail-if-unknown --fail-if 'live > 1'|--font missing.ttf|--format json|\
    --from 0.3|--group module|--heap-lines all|--height 430|--hp|--include a|--keep logs|\
    --key none|--label commit=1a2b|--markers nothing|\
    --messages|--no-title|--no-verdict|--output other.json|--palette grey|\
    --panels gc|--quiet|--record kept.eventlog|--redact|--root top|\
    --run 7|--runs 1|--scale 2|--serve 0|--sort name|\
    --source missing|--source-url https://example.org/{file}|--strict|--subtitle another|\
    --theme dark|--ticky|--title another|--to 0.3|--trace 30|--tui|\
    --units si|--view flame|--weight time|--warmup 3s|--drive true|--width 700|\
    --write-baseline base.json|--x sample|--x-max 9s|--y-max 1GiB";

fn values() -> Vec<Vec<String>> {
    VALUES.split('|').map(words).collect()
}

/// Flags with which a watch goes on until it is interrupted (`web.rs` and `watch.rs` test them), one that starts
/// another program (`draw.rs`), one for inputs of no program (`stacks.rs`), and help.
const TESTED_ELSEWHERE: &str =
    "--web --port --forever --open --help --version --cabal --stack --ghc --again --no-limits";

/// Everything that can be seen of a call: exit status, both outputs, files.
type Seen = (i32, String, String, Vec<(String, Vec<u8>)>);

fn seen(folder: &Folder, run: &Run) -> Seen {
    // A folder is there, whatever is in it.
    let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap_or_default();
    let files = folder.files().into_iter().map(|name| (name.clone(), bytes(&name)));
    (run.status(), run.wrote(), run.said(), files.collect())
}

/// A log that ends in an event.
fn cut_log() -> Vec<u8> {
    let mut whole = std::fs::read(sample("leak-hc.eventlog")).expect("a sample");
    // A sample begins (event 162), and its first residency (event 163) becomes impossible.
    let begins =
        |at: &usize| whole[*at..*at + 2] == [0, 162] && whole[at + 18..at + 20] == [0, 163];
    let at = (0..whole.len() - 20).filter(begins).nth(9).expect("a sample with a residency");
    whole[at + 18 + 13] = 0x10;
    whole[..whole.len() - 700].to_vec()
}

/// Every flag in the help of a verb changes something in at least one of some calls.
fn every_flag_has_an_effect(verb: &str, calls: &[&[&str]]) {
    let help = Folder::new().run(&[verb, "--help"]).drawn().wrote();
    let flags: BTreeSet<&str> = help
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
        .filter_map(|line| line.split(' ').find(|word| word.starts_with("--")))
        .collect();
    assert!(flags.len() > 10, "{verb}: {flags:?}");
    // Only `-` reads these; a watch of a pipe ends with it, whatever is read from it.
    let pipes = [cut_log(), std::fs::read(sample("leak-hy.hp")).expect("a sample")];
    let result = |call: usize, more: &[&str]| {
        let read = |name: &str| std::fs::read(sample(name)).expect("a sample");
        let folder = Folder::new()
            .with("cut.eventlog", cut_log())
            .with("log.eventlog", read("leak-hc.eventlog"))
            .with("leak.eventlog", read("leak-hy.eventlog"))
            .with("leak.hp", read("leak-hy.hp"));
        #[cfg(unix)]
        let folder = folder.with_script("prog", super::hunt::SLOW);
        // What follows `--` is not for us.
        let place = calls[call].iter().position(|word| *word == "--");
        let (before, after) = calls[call].split_at(place.unwrap_or(calls[call].len()));
        let words = [&[verb], before, more, after].concat();
        let run = folder.run_with_input(&words, &pipes[call % pipes.len()]);
        seen(&folder, &run)
    };
    let plain: Vec<_> = (0..calls.len()).map(|call| result(call, &[])).collect();
    let values = values();
    let check = |flag: &str| {
        let value = values.iter().find(|words| words[0] == flag);
        let value = value.unwrap_or_else(|| panic!("{verb}: no value for {flag}"));
        let value: Vec<&str> = value.iter().map(String::as_str).collect();
        let is_seen = (0..calls.len()).any(|call| result(call, &value) != plain[call]);
        assert!(is_seen, "{verb}: {flag} changes nothing, and nothing says so");
    };
    let flags: Vec<&str> = flags
        .into_iter()
        .filter(|flag| !TESTED_ELSEWHERE.split(' ').any(|one| one == *flag))
        .collect();
    // Some calls mostly wait, for the program that they hunt in or for a second without news.
    const AT_ONCE: usize = 6;
    for some in flags.chunks(AT_ONCE) {
        thread::scope(|scope| some.iter().for_each(|flag| drop(scope.spawn(|| check(flag)))));
    }
}

/// A flag changes an output, or the command says that it has no effect on it: each output of pictures, pages and
/// flame graphs is asked alone, because a flag that changes one of them may be forgotten in another.
#[test]
fn a_flag_of_pictures_and_pages_changes_each_of_them_or_is_reported() {
    let log = sample("leak-hc.eventlog").display().to_string();
    let help = Folder::new().run(&["draw", "--help"]).drawn().wrote();
    let outputs: [&[&str]; 5] = [
        &["-o", "out.svg"],
        &["-o", "out.html"],
        &["-o", "out.svg", "--view", "flame"],
        &["-o", "out.csv"],
        &["-o", "out.folded"],
    ];
    let result = |output: &[&str], flag: &[&str]| {
        let folder = Folder::new();
        let run = folder.run(&[&["draw", &log], output, flag].concat());
        let said = run.said();
        (folder.files().contains(&output[1].to_owned()).then(|| folder.read_bytes(output[1])), said)
    };
    let plain = outputs.map(|output| result(output, &[]).0);
    assert!(plain.iter().all(Option::is_some));
    let check = |words: &Vec<String>| {
        let value: Vec<&str> = words.iter().map(String::as_str).collect();
        let flag = value[0];
        if !help.contains(&format!(" {flag}")) || flag == "--view" {
            return 0;
        }
        let results = outputs.map(|output| result(output, &value));
        let has_none = |said: &str| said.contains(&format!("{flag} has no effect: it is for"));
        // Others have an effect on what is read, or on messages.
        if !results.iter().any(|(_, said)| has_none(said)) {
            return 0;
        }
        for ((output, plain), (bytes, said)) in outputs.iter().zip(&plain).zip(&results) {
            let is_same = bytes == plain;
            assert!(said.contains(flag) || !is_same, "{value:?} changes nothing in {output:?}");
            assert!(!has_none(said) || is_same, "{value:?} changes {output:?}, and denies it");
        }
        1
    };
    let values = values();
    let checked = values.chunks(6).map(|some| {
        thread::scope(|scope| {
            let all: Vec<_> = some.iter().map(|flag| scope.spawn(|| check(flag))).collect();
            all.into_iter()
                .map(|one| one.join().expect("a flag that has its effect"))
                .sum::<usize>()
        })
    });
    let checked: usize = checked.sum();
    assert!(checked > 20, "only {checked} flags");
}

#[test]
fn every_flag_of_draw_has_an_effect() {
    let log = ["cut.eventlog", "-o", "a.svg", "-o", "a.html", "-o", "a.csv"];
    every_flag_has_an_effect("draw", &[&log, &["leak.hp"]]);
}

#[test]
fn every_flag_of_stats_has_an_effect() {
    every_flag_has_an_effect("stats", &[&["./cut.eventlog"], &["./leak.hp"]]);
}

#[test]
fn every_flag_of_check_has_an_effect() {
    let budgets = ["--fail-if", "leak != none", "--fail-if", "band(\"a\").mean > 1"];
    let calls: [&[&str]; 3] =
        [&["./cut.eventlog"], &["./leak.hp"], &["leak.eventlog", "--to", "phase 2"]];
    let calls = calls.map(|input| [input, &budgets].concat());
    // The flags about a run are refused without a program.
    every_flag_has_an_effect("check", &calls.each_ref().map(Vec::as_slice));
}

#[test]
fn every_flag_of_diff_has_an_effect() {
    let log = ["cut.eventlog", "log.eventlog", "-o", "a.txt", "-o", "a.html"];
    every_flag_has_an_effect("diff", &[&log, &["leak.hp", "leak.hp"]]);
}

#[test]
#[cfg(unix)]
fn every_flag_of_hunt_has_an_effect() {
    every_flag_has_an_effect("hunt", &[&["--", "./prog"]]);
}

#[test]
fn every_flag_of_watch_has_an_effect() {
    let piped: &[&str] = &["-", "-o", "a.svg", "-o", "a.json"];
    every_flag_has_an_effect("watch", &[piped, piped]);
}
