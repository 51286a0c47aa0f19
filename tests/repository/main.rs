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
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file or a folder of the project with all texts in it, without build products and downloads: the name of each from
/// the root, and what is in it.
fn texts(place: &str) -> Vec<(String, String)> {
    let path = root().join(place);
    if !path.is_dir() {
        return fs::read_to_string(path).map(|text| (place.to_owned(), text)).into_iter().collect();
    }
    let entries = fs::read_dir(path).expect("a folder of the project");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a name")).collect();
    names.sort();
    names.retain(|name| {
        !["target", ".git", "node_modules", "corpus", "artifacts", "coverage"].contains(&&**name)
    });
    let below = |name| if place.is_empty() { name } else { format!("{place}/{name}") };
    names.into_iter().flat_map(|name| texts(&below(name))).collect()
}

/// The text of a file of the project.
fn text(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}
