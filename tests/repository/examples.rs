//! Every example in the README and the documents runs.
//!
//! An example is a line of a `sh` code block that runs heapviz. It runs in a folder of its own,
//! with the samples beside it, and must succeed and write what its `-o` names.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The lines of the `sh` blocks of a document.
fn commands(text: &str) -> Vec<&str> {
    let blocks = text.split("```sh\n").skip(1);
    blocks
        .flat_map(|block| block.split("```").next().unwrap_or_default().lines())
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

fn run(command: &str, folder: &Path) {
    let binary = env!("CARGO_BIN_EXE_heapviz");
    let line = command
        .replacen("cargo run --release --", binary, 1)
        .split(' ')
        .map(|word| if word == "heapviz" { binary } else { word })
        .collect::<Vec<_>>()
        .join(" ");
    let output = Command::new("sh").arg("-c").arg(&line).current_dir(folder).output();
    let output = output.expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{command}` failed: {said}");
    if let Some(target) = command.split(" -o ").nth(1).and_then(|rest| rest.split(' ').next())
        && target != "-"
    {
        assert!(folder.join(target).exists(), "`{command}` did not write {target}");
    }
}

#[test]
fn every_example_in_the_documents_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = vec![root.join("README.md")];
    for entry in fs::read_dir(root.join("docs")).expect("the documents") {
        documents.push(entry.expect("an entry").path());
    }
    let mut ran = 0;
    for document in documents.iter().filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let text = fs::read_to_string(document).expect("a document");
        for command in commands(&text) {
            // The test command itself, which is running.
            if command == "cargo test" {
                continue;
            }
            let folder = tempfile::tempdir().expect("a folder");
            fs::create_dir(folder.path().join("samples")).expect("a folder");
            for sample in fs::read_dir(root.join("samples")).expect("the samples") {
                let sample = sample.expect("an entry");
                let copy = folder.path().join("samples").join(sample.file_name());
                fs::copy(sample.path(), copy).expect("a copy");
            }
            run(command, folder.path());
            ran += 1;
        }
    }
    assert!(ran >= 10, "only {ran} examples were found");
}
