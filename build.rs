//! Builds the part that is the same in every page: the shell around its data. Deflating the scripts took
//! longer than everything else in a small page.

use std::path::Path;
use std::{env, fs};

#[path = "src/report/island.rs"]
mod island;
#[path = "src/report/shell.rs"]
mod shell;

use shell::{Shell, Use};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=templates/report");
    if env::var_os("CARGO_FEATURE_REPORT").is_none() {
        return;
    }
    let shells = [("FILE", Use::File), ("LIVE", Use::Live)].map(|(name, purpose)| {
        let Shell { before, after, policy, script_digests } = Shell::new(purpose);
        format!(
            "static {name}: PageShell = PageShell {{ before: {before:?}, after: {after:?}, \
             policy: {policy:?}, script_digests: {script_digests:?} }};\n"
        )
    });
    let folder = env::var_os("OUT_DIR").expect("cargo names a folder");
    fs::write(Path::new(&folder).join("shells.rs"), shells.concat()).expect("cargo's folder");
}
