//! Helpers for several integration tests.

#![allow(dead_code, reason = "not every test binary needs all of it")]

pub mod browser;
#[path = "../../benches/whole/child.rs"]
pub mod child;
pub mod command;
#[path = "../../examples/generate/generator/mod.rs"]
pub mod generator;
pub mod schema;
#[cfg(unix)]
pub mod served;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

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

/// The folder of real profiles and oracles that is not part of the package: `HEAPVIZ_SHARED`, or `shared`
/// next to the package. If it does not exist, the test is counted as skipped.
pub fn shared_data() -> Option<PathBuf> {
    let data = shared_folder();
    if data.is_none() {
        skipped("no shared data (HEAPVIZ_SHARED)");
    }
    data
}

pub fn shared_folder() -> Option<PathBuf> {
    let shared = match std::env::var_os("HEAPVIZ_SHARED") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
    };
    Some(shared.join("data")).filter(|data| data.is_dir())
}

/// A folder of real profiles: all of the shared data, or else those of this package, which are the most
/// telling of them. `tests/data/README.md` says what is in it.
pub fn real_data() -> PathBuf {
    shared_folder().unwrap_or_else(packaged_data)
}

/// A folder of those of this package.
pub fn packaged_data() -> PathBuf {
    static UNPACKED: OnceLock<PathBuf> = OnceLock::new();
    UNPACKED.get_or_init(unpacked).clone()
}

/// The files of `tests/data/real.tar.zst`, which are unpacked once for all test binaries.
fn unpacked() -> PathBuf {
    let archive = std::fs::read(data("real.tar.zst")).expect("the archive");
    let sum = archive.iter().fold(0_u64, |sum, &byte| sum.wrapping_mul(31) + u64::from(byte));
    let all = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = all.join(format!("real-{sum:016x}"));
    if folder.is_dir() {
        return folder;
    }
    let fresh = tempfile::tempdir_in(all).expect("a folder");
    let mut tar = Command::new("tar");
    tar.args(["-xf", "-"]).current_dir(&fresh).stdin(Stdio::piped());
    let mut tar = tar.spawn().expect("tar");
    let mut decoder = structured_zstd::decoding::StreamingDecoder::new(&archive[..]);
    io::copy(&mut decoder, &mut tar.stdin.take().expect("a pipe")).expect("zstd");
    assert!(tar.wait().expect("tar").success());
    // Another test binary may have been faster.
    let moved = std::fs::rename(fresh.path(), &folder);
    assert!(moved.is_ok() || folder.is_dir(), "{moved:?}");
    folder
}

/// Counts a check that is skipped, and why. When the test binary ends, one line lists all of them.
///
/// The harness neither says when the last test has ended nor shows what a passing test prints. So the
/// reasons go to a process of their own, which sees the end of its input when this one ends.
pub fn skipped(why: &str) {
    static COUNT: LazyLock<Mutex<Option<ChildStdin>>> = LazyLock::new(|| Mutex::new(counter()));
    let mut count = COUNT.lock().unwrap_or_else(PoisonError::into_inner);
    if count.as_mut().is_none_or(|count| writeln!(count, "{why}").is_err()) {
        let _ = writeln!(std::io::stderr(), "1 check skipped: {why}");
    }
}

fn counter() -> Option<ChildStdin> {
    const PROGRAM: &str = r#"sort | uniq -c | awk '
        { n = $1; sub(/^ *[0-9]+ /, ""); all += n; why = why (why == "" ? "" : ", ") $0 " (" n ")" }
        END { print "\n" all (all == 1 ? " check" : " checks") " skipped: " why }' >&2"#;
    let shell = Command::new("sh").args(["-c", PROGRAM]).stdin(Stdio::piped()).spawn();
    shell.ok()?.stdin
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
