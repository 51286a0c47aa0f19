//! The programs of cabal packages: which of them a target means, as cabal says, and how one is built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicUsize;

use serde::Deserialize;

use super::Built;
use super::tool::{How, NotBuilt, own_folder, run};
use crate::base::text::visible;
use crate::cli::Message;
use crate::program::ghc_program::{cannot_start, flag_with, version};

/// What cabal is going to build, as it notes in `plan.json`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Plan {
    compiler_id: String,
    install_plan: Vec<PlanUnit>,
}

/// A component, or a package with all its components.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PlanUnit {
    #[serde(default)]
    pkg_name: String,
    pkg_src: Option<PackageSource>,
}

/// Where a package comes from; one of the project has a folder.
#[derive(Deserialize)]
struct PackageSource {
    path: Option<PathBuf>,
}

impl PlanUnit {
    /// What `cabal run` sets for a package of the project: the variable in which its programs look for their data files,
    /// and where these are.
    fn data(&self) -> Option<(String, PathBuf)> {
        let folder = self.folder()?;
        let file = folder.join(format!("{}.cabal", self.pkg_name));
        let text = fs::read_to_string(file).unwrap_or_default();
        let value = text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.trim_end().eq_ignore_ascii_case("data-dir").then(|| value.trim())
        });
        let name = format!("{}_datadir", self.pkg_name.replace('-', "_"));
        Some((name, folder.join(value.unwrap_or_default().trim_matches('"'))))
    }

    /// The folder of a package of the project.
    fn folder(&self) -> Option<PathBuf> {
        // `folder/.`
        Some(self.pkg_src.as_ref()?.path.as_ref()?.components().collect())
    }
}

/// The folder of the project to which the current folder belongs, as cabal finds it.
pub fn project() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let above = here.ancestors().take_while(|folder| home.as_deref() != Some(*folder));
    let mut projects = above.filter(|folder| folder.join("cabal.project").is_file());
    projects.next().map_or_else(PathBuf::new, Path::to_owned)
}

/// Builds a program of the packages here.
///
/// # Errors
/// A build that fails, and a target that means none or several programs.
pub fn build(target: &str, how: &How, signal: &AtomicUsize) -> Result<Built, NotBuilt> {
    // One way of building must not replace the results of the other.
    let name = if how.is_profiled() { "" } else { "info-tables" };
    let folder = own_folder(&project(), Path::new(name))?;
    // Without a target, cabal means all components of the package here, and elsewhere none.
    let target = match (target, is_package_here()) {
        ("", true) => "exes",
        ("", false) => "all:exes",
        (target, _) => target,
    };
    let command = |verb: &str, target: &str| {
        let mut command = Command::new("cabal");
        command.arg(verb).args(how.is_profiled().then_some("--enable-profiling"));
        command.arg(target).arg(flag_with("--builddir=", &folder));
        command
    };
    run(command("build", "all").args(["--dry-run", "-v0"]), signal)?;
    let program = program(&mut command("list-bin", target))?;
    let plan = folder.join("cache/plan.json");
    let unknown = |error: &dyn std::fmt::Display| {
        Message::error(format!("cannot read {}: {error}", plan.display()))
    };
    let text = fs::read(&plan).map_err(|error| unknown(&error))?;
    let plan: Plan = serde_json::from_slice(&text).map_err(|error| unknown(&error))?;
    let version = version(plan.compiler_id.trim_start_matches("ghc-"));
    let mut sources: Vec<PathBuf> = plan.install_plan.iter().filter_map(PlanUnit::folder).collect();
    let mut command = command("build", target);
    if how.is_profiled() {
        // Its own levels of detail depend on its version.
        command.arg("--profiling-detail=none");
        // Otherwise a library is also compiled for programs that are not profiled.
        command.args(["--disable-library-vanilla", "--disable-shared"]);
        command.arg("--disable-executable-dynamic");
    }
    command.args(how.flags(version)?.iter().map(|flag| format!("--ghc-option={flag}")));
    run(&mut command, signal)?;
    // Places are looked for in the program's own package first.
    let is_own = |unit: &&PlanUnit| {
        let start = format!("{}-", unit.pkg_name);
        program.iter().any(|part| part.to_string_lossy().starts_with(&start))
    };
    let own = plan.install_plan.iter().filter(is_own).find_map(PlanUnit::folder);
    sources.splice(..0, own);
    let data = plan.install_plan.iter().filter_map(PlanUnit::data).collect();
    Ok(Built { program, sources, data, lacks: None })
}

/// Where cabal puts the only program that a target means.
fn program(list_bin: &mut Command) -> Result<PathBuf, Message> {
    let answer = list_bin.output().map_err(|error| cannot_start("cabal".as_ref(), &error))?;
    let text = String::from_utf8_lossy(&answer.stdout);
    if let Some(path) = text.lines().last().filter(|_| answer.status.success()) {
        return Ok(path.into());
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    Err(Message::error(visible(&said)).hint(
        "name one program of the project: heapviz hunt --cabal NAME -- ARGS; this needs cabal 3.4 or newer",
    ))
}

fn is_package_here() -> bool {
    let mut files = fs::read_dir(".").into_iter().flatten().flatten();
    files.any(|file| file.path().extension().is_some_and(|ending| ending == "cabal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_finds_the_data_files_of_its_package_as_with_cabal_run() {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            r#"{{"pkg-name": "a-b", "component-name": "exe:a", "pkg-src": {{"path": "{}/."}}}}"#,
            folder.path().display()
        );
        let unit: PlanUnit = serde_json::from_str(&text).unwrap();
        for (field, expected) in [("", ""), ("Data-Dir :  files/data", "files/data")] {
            let text = format!("name: a-b\n{field}\nexecutable a\n  main-is: Main.hs\n");
            fs::write(folder.path().join("a-b.cabal"), text).unwrap();
            assert_eq!(unit.data(), Some(("a_b_datadir".to_owned(), folder.path().join(expected))));
        }
    }
}
