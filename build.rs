//! Builds the part that is the same in every page: the shell around its data. Deflating the scripts took
//! longer than everything else in a small page.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

#[path = "src/report/island.rs"]
mod island;
#[path = "src/report/shell.rs"]
mod shell;

use shell::{Shell, Use};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=templates/report");
    name_commit();
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

/// Tells `--version` the commit of a release that is built in a checkout of this repository; who makes a package sets the
/// variable. Other builds would be made again after each commit.
fn name_commit() {
    let git = |words: &[&str]| {
        let told =
            Command::new("git").args(words).output().ok().filter(|told| told.status.success())?;
        Some(String::from_utf8(told.stdout).ok()?.trim().to_owned())
    };
    let own = env::var_os("CARGO_MANIFEST_DIR").and_then(|own| fs::canonicalize(own).ok());
    let top = || git(&["rev-parse", "--show-toplevel"]).and_then(|top| fs::canonicalize(top).ok());
    let is_asked = env::var_os("HEAPVIZ_COMMIT").is_none()
        && env::var_os("PROFILE").is_some_and(|profile| profile == "release");
    if !is_asked || own.is_none() || top() != own {
        return;
    }
    if let (Some(commit), Some(log)) =
        (git(&["rev-parse", "HEAD"]), git(&["rev-parse", "--git-path", "logs/HEAD"]))
    {
        println!("cargo::rerun-if-changed={log}");
        println!("cargo::rustc-env=HEAPVIZ_COMMIT={commit}");
    }
}
