//! Checks of the repository itself: its documents, its architecture, its lists.

mod architecture;
mod citations;
#[path = "../common/mod.rs"]
mod common;
mod english;
mod examples;
mod lists;
mod outside;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files of the project in a folder, without build products and downloads.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if ["target", ".git", "node_modules", "corpus", "artifacts", "coverage"].contains(&&*name) {
            continue;
        }
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}
