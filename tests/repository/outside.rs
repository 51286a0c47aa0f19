//! The public API, as another crate sees it: every type that an option or an answer has can be named. The manifest denies `unnameable_types`, which only a build without the feature
//! `internals` can see; this is one.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::root;

/// Another crate, which names what it is given.
const CRATE: &str = include_str!("outside_crate.rs");

#[test]
fn every_type_of_the_public_api_has_a_name_for_another_crate() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
    fs::create_dir_all(folder.join("src/bin")).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies.heapviz]\npath = {:?}\ndefault-features = false\n\
         features = [\"pdf\", \"png\", \"report\"]\n\n\
         [dependencies.plotters]\nversion = \"0.3\"\ndefault-features = false\n\
         features = [\"ab_glyph\", \"bitmap_backend\"]\n\n[workspace]\n",
        root()
    );
    // With our profiles and in our target folder, so that dependencies that were checked are not checked again.
    let ours = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let at = ours.find("[profile.dev]").expect("the profile of tests");
    fs::write(folder.join("Cargo.toml"), manifest + &ours[at..]).expect("a manifest");
    fs::write(folder.join("src/main.rs"), CRATE).expect("a source file");
    // The example of a drawing area must be what a user can write.
    let example = root().join("examples/bitmap.rs");
    fs::copy(example, folder.join("src/bin/bitmap.rs")).expect("the example");
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("the locked versions");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("../.."))
        .output()
        .expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
