//! What several integration tests need.

use std::path::PathBuf;

/// The folder of real profiles and oracles, which is not part of the package: `HEAPVIZ_SHARED`, or
/// `shared` beside the package. Says on stderr that the test is skipped when there is none.
pub fn shared_data() -> Option<PathBuf> {
    let shared = match std::env::var_os("HEAPVIZ_SHARED") {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
    };
    let data = shared.join("data");
    if data.is_dir() {
        return Some(data);
    }
    eprintln!("skipped: no {} (set HEAPVIZ_SHARED)", data.display());
    None
}
