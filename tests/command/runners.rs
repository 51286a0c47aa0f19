//! What a job prints is no command to who runs it, whatever a profile calls its bands: only the lines that `check
//! --annotate github` was asked for are. The parsers are those of the runners' sources and documents.

use std::cell::RefCell;
use std::fmt::Write;

use crate::common::command::{Folder, endings, formats};
use crate::common::generator::Random;

/// The command that a runner finds in a line.
fn command_in(line: &str) -> Option<&str> {
    // actions/runner, ActionCommand.cs: `TryParseV2` reads a line that begins with `::` after blanks and has another,
    // `TryParse` one with `##[` anywhere and a `]` after it.
    let begin = line.trim_start();
    if begin.strip_prefix("::").is_some_and(|rest| rest.contains("::")) {
        return Some(line);
    }
    // microsoft/azure-pipelines-agent, Command.cs, and TeamCity's service messages: anywhere.
    let mut begins =
        ["##[", "##vso[", "##teamcity["].into_iter().filter_map(|sign| line.find(sign));
    begins.any(|at| line[at..].contains(']')).then_some(line)
}

/// The lines of a log, as .NET reads them.
fn commands(log: &str) -> Vec<&str> {
    log.split(['\n', '\r']).filter_map(command_in).collect()
}

/// Names of bands: those of the attack, and pieces of commands joined at random.
fn names(count: usize) -> Vec<String> {
    let attacks = "::stop-commands::x|##[add-mask]|::add-mask::MiB|##vso[task.complete]";
    let pieces = format!("::|:|##|#|[|]|error|vso[|teamcity[|\x20|\u{a0}|\r|{attacks}");
    let pieces: Vec<&str> = pieces.split('|').collect();
    let mut random = Random::new(72, "names");
    let mut names: Vec<String> = attacks.split('|').map(str::to_owned).collect();
    while names.len() < count {
        let count = 1 + random.below(5);
        let mut piece = || pieces[random.below(pieces.len() as u64) as usize];
        let name: String = (0..count).map(|_| piece()).collect();
        // A row of a `.hp` needs a name.
        if name.trim().len() > 1 && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A profile in which each of them grows by `step`, and whose command line, markers and warnings have one, too.
fn profile(names: &[String], step: usize) -> String {
    let first = &names[0];
    let mut text = format!(
        "JOB \"{first} ##[error]x\"\nDATE \"::notice::x\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n"
    );
    for sample in 0..40 {
        writeln!(text, "BEGIN_SAMPLE {sample}.0").unwrap();
        for (at, name) in names.iter().enumerate() {
            let name = name.replace('\r', "");
            writeln!(text, "{name}\t{}", (at + 1) * step * sample + 1_000).unwrap();
        }
        writeln!(text, "END_SAMPLE {sample}.0").unwrap();
    }
    text.push_str("::warning::what is not in the format ##[error]x\n");
    text
}

#[test]
fn nothing_that_a_job_prints_is_a_command_to_its_runner() {
    let names = names(96);
    let found = RefCell::new(Vec::new());
    for some in names.chunks(8) {
        let folder = Folder::new()
            .with("##[x]v1.hp", profile(some, 3_000))
            .with("##[x]v2.hp", profile(some, 9_000));
        let log = profile(some, 9_000);
        let job_prints = |log: &str, by: &str| {
            found.borrow_mut().extend(commands(log).iter().map(|line| format!("{by}: {line}")));
        };
        let job = |words: &[&str]| {
            let run = folder.run_with_input(words, log.as_bytes());
            [run.wrote(), run.said()].iter().for_each(|log| job_prints(log, &words.join(" ")));
            run.0.status.code()
        };
        for ending in endings() {
            let file = format!("out.{ending}");
            assert_eq!(job(&["##[x]v2.hp", "-o", &file]), Some(0), "{ending}");
            // Programs read a `.hp` back: its names are not changed. The others are not text.
            if !["hp", "png", "pdf", "pb.gz"].contains(&&*ending) {
                job_prints(&folder.read(&file), &ending);
            }
        }
        for words in [
            &["stats", "##[x]v2.hp"][..],
            &["check", "##[x]v2.hp", "--fail-if", "leak == likely"],
            &["diff", "##[x]v1.hp", "##[x]v2.hp"],
        ] {
            for format in formats(words[0]).iter().filter(|it| !["png", "pdf"].contains(&&***it)) {
                job(&[words, &["-f", format, "-o", "-"]].concat());
            }
        }
        job(&["watch", "-", "-o", "##[x]out.svg", "--alert", "leak == likely"]);
        job(&["::error::x", "##[x]missing.hp"]);
        job(&["stats", "##[x]v2.hp", "--::error::x"]);
    }
    assert_eq!(found.into_inner(), Vec::<String>::new());
    let folder = Folder::new().with("v.hp", profile(&names[..8], 9_000));
    let run = folder.run(&["check", "v.hp", "--fail-if", "leak == likely", "--annotate", "github"]);
    let log = run.wrote() + &run.said();
    assert!(commands(&log).iter().all(|line| line.starts_with("::error ")), "{log}");
    assert!(!commands(&log).is_empty(), "{log}");
}
