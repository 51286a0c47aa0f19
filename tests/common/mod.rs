//! Helpers for several integration tests.

#![allow(dead_code, reason = "not every test binary needs all of it")]

pub mod browser;
#[path = "../../benches/whole/child.rs"]
pub mod child;
pub mod command;
#[path = "../../benches/generator/mod.rs"]
pub mod generator;
pub mod schema;
#[cfg(unix)]
pub mod served;
pub mod synthetic;

use std::io::Write;
use std::path::{Path, PathBuf};

/// A file or folder of the repository's own test data.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The output of hp2ps for 194 small inputs; `tests/data/README.md` explains the fields.
pub fn hp2ps_vectors() -> Vec<serde_json::Value> {
    let file = std::fs::File::open(data("hp2ps-vectors.json.gz")).expect("the vectors");
    let json: serde_json::Value =
        serde_json::from_reader(flate2::read::GzDecoder::new(file)).expect("JSON");
    json["vectors"].as_array().expect("a list of vectors").clone()
}

/// The folder of further real profiles and oracles, which is not part of the package: `HEAPVIZ_SHARED`,
/// or `shared` next to the package. If it does not exist, says on stderr that the test is skipped.
pub fn shared_data() -> Option<PathBuf> {
    let shared = match std::env::var_os("HEAPVIZ_SHARED") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
    };
    let data = shared.join("data");
    if data.is_dir() {
        return Some(data);
    }
    skipped(&format!("no {} (set HEAPVIZ_SHARED)", data.display()));
    None
}

/// Prints that a test is skipped, and why. It writes directly to stderr, because the harness hides what
/// the printing macros of a passing test write.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// The files in a folder and its subfolders whose name ends in `.ending`, sorted.
pub fn files_with_ending(root: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
