//! Every example in the README and the documents runs.
//!
//! An example is a line of a `sh` code block. Each runs in its own folder next to the samples, and must succeed and
//! write the file that its `-o` names.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{common, root, text, texts};

/// The lines of the `sh` blocks of a document.
fn commands(text: &str) -> Vec<&str> {
    let blocks = text.split("```sh\n").skip(1);
    blocks
        .flat_map(|block| block.split("```").next().unwrap_or_default().lines())
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// The output of an example; empty if there is no shell.
fn run(example: &str, folder: &Path) -> String {
    let line = example.replacen("cargo run -- ", "heapviz ", 1);
    let ours = Path::new(env!("CARGO_BIN_EXE_heapviz")).parent().expect("a folder").to_owned();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::join_paths([ours].into_iter().chain(std::env::split_paths(&paths)));
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder).env("PATH", paths.expect("paths"));
    let Ok(output) = shell.output() else {
        common::skipped(&format!("`{example}` needs a shell"));
        return String::new();
    };
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
    let documents = ["README.md", "docs"].map(texts).concat();
    let documents = documents.iter().filter(|(file, _)| file.ends_with(".md"));
    // The test command itself is already running.
    let examples = documents.flat_map(|(_, text)| commands(text)).filter(|it| *it != "cargo test");
    let examples: Vec<&str> = examples.collect();
    examples.iter().for_each(|example| drop(run(example, folder_with_samples().path())));
    assert!(examples.len() >= 10, "only {} examples were found", examples.len());
}

#[test]
fn the_answer_in_the_readme_is_the_real_output() {
    let text = text("README.md");
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
    let (mut table, mut reason) =
        ("| number | what it is |\n|---|---|\n".to_owned(), String::new());
    for line in text("src/analysis/constants.rs").lines() {
        if let Some(words) = line.strip_prefix("/// ") {
            reason = format!("{reason} {words}");
        } else if let Some(value) =
            line.strip_prefix("pub const ").and_then(|line| line.split(" = ").nth(1))
        {
            let value = value.replace("(8 << 20) as f64", "8 MiB");
            let numbers = value.trim_matches(['[', ']', ';']).split(", ");
            let numbers: Vec<&str> = numbers.map(|it| it.trim_end_matches(".0")).collect();
            let reason = std::mem::take(&mut reason);
            table += &format!("| {} |{} |\n", numbers.join(", "), reason.trim_end_matches('.'));
        }
    }
    let path = root().join("docs/diagnosis.md");
    let text = text("docs/diagnosis.md");
    let (before, rest) = text.split_once(ENDS[0]).expect("the table");
    let (_, after) = rest.split_once(ENDS[1]).expect("its end");
    let right = format!("{before}{}{table}{}{after}", ENDS[0], ENDS[1]);
    if std::env::var_os("HEAPVIZ_BLESS").is_some() {
        fs::write(&path, &right).expect("written");
    }
    assert!(table.lines().count() > 30 && text == right, "HEAPVIZ_BLESS=1 writes:\n{table}");
}
