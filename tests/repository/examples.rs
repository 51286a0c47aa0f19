//! Every example in the README and the documents runs.
//!
//! An example is a line of a `sh` code block that runs heapviz. Each runs in its own folder next to the
//! samples, and must succeed and write the file that its `-o` names. Lines that need a shell (pipes,
//! redirections) run only if there is one.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{common, root};

/// The lines of the `sh` blocks of a document.
fn commands(text: &str) -> Vec<&str> {
    let blocks = text.split("```sh\n").skip(1);
    blocks
        .flat_map(|block| block.split("```").next().unwrap_or_default().lines())
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// The words of a line; `None` if it contains characters that only a shell interprets.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            (None, '|' | '&' | '>' | '<' | '$' | ';') => return None,
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    Some(words)
}

/// The output of an example; empty if it needs a shell that is not installed.
fn run(example: &str, folder: &Path) -> String {
    let binary = env!("CARGO_BIN_EXE_heapviz");
    let line = example.replacen("cargo run -- ", "heapviz ", 1);
    let mut command = match words(&line) {
        Some(words) => {
            let mut command = Command::new(if words[0] == "heapviz" { binary } else { &words[0] });
            command.args(&words[1..]);
            command
        }
        None if cfg!(windows) => {
            common::skipped(&format!("`{example}` needs a shell"));
            return String::new();
        }
        None => {
            let words = line.split(' ').map(|word| if word == "heapviz" { binary } else { word });
            let mut command = Command::new("sh");
            command.arg("-c").arg(words.collect::<Vec<_>>().join(" "));
            command
        }
    };
    let output = command.current_dir(folder).output().expect("the command");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{example}` failed: {said}");
    if let Some(target) = example.split(" -o ").nth(1).and_then(|rest| rest.split(' ').next())
        && target != "-"
    {
        assert!(folder.join(target).exists(), "`{example}` did not write {target}");
    }
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder with the samples in it.
fn folder_with_samples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("samples")).expect("a folder");
    for sample in fs::read_dir(root().join("samples")).expect("the samples") {
        let sample = sample.expect("an entry");
        if sample.path().is_dir() {
            continue;
        }
        let copy = folder.path().join("samples").join(sample.file_name());
        fs::copy(sample.path(), copy).expect("a copy");
    }
    folder
}

#[test]
fn every_example_in_the_documents_runs() {
    let root = root();
    let mut documents = vec![root.join("README.md")];
    for entry in fs::read_dir(root.join("docs")).expect("the documents") {
        documents.push(entry.expect("an entry").path());
    }
    let mut ran = 0;
    for document in documents.iter().filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(document).expect("a document");
        for command in commands(&text) {
            // The test command itself, which is already running.
            if command == "cargo test" {
                continue;
            }
            let folder = folder_with_samples();
            run(command, folder.path());
            ran += 1;
        }
    }
    assert!(ran >= 10, "only {ran} examples were found");
}

#[test]
fn the_answer_in_the_readme_is_the_real_output() {
    let text = fs::read_to_string(root().join("README.md")).expect("the README");
    let (before, after) = text.split_once("```text\n").expect("an answer");
    let answer = after.split("```").next().expect("its end");
    let command = *commands(before).last().expect("a command before the answer");
    let printed = run(command, folder_with_samples().path());
    assert!(printed.contains(answer), "`{command}` prints:\n{printed}");
}

/// The numbers of the judgement stand in one file, with their reasons; `HEAPVIZ_BLESS=1` writes them into the document.
#[test]
fn the_numbers_in_the_diagnosis_are_those_of_the_code() {
    const ENDS: [&str; 2] = ["<!-- constants -->\n", "<!-- end of constants -->"];
    let code = fs::read_to_string(root().join("src/analysis/constants.rs")).expect("the code");
    let (mut table, mut reason) =
        ("| number | what it is |\n|---|---|\n".to_owned(), String::new());
    for line in code.lines() {
        if let Some(words) = line.strip_prefix("/// ") {
            reason = format!("{reason} {words}");
        } else if let Some((_, value)) =
            line.strip_prefix("pub const ").and_then(|l| l.split_once(" = "))
        {
            let value = value
                .trim_end_matches(';')
                .trim_matches(['[', ']'])
                .replace("(8 << 20) as f64", "8 MiB");
            table += &format!(
                "| {} |{} |\n",
                value
                    .split(", ")
                    .map(|number| number.trim_end_matches(".0"))
                    .collect::<Vec<_>>()
                    .join(", "),
                reason.trim_end_matches('.')
            );
            reason.clear();
        }
    }
    let path = root().join("docs/diagnosis.md");
    let text = fs::read_to_string(&path).expect("the document");
    let (before, rest) = text.split_once(ENDS[0]).expect("the table");
    let (_, after) = rest.split_once(ENDS[1]).expect("its end");
    let right = format!("{before}{}{table}{}{after}", ENDS[0], ENDS[1]);
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        fs::write(&path, &right).expect("written");
    }
    assert!(table.lines().count() > 30 && text == right, "HEAPVIZ_BLESS=1 writes:\n{table}");
}
