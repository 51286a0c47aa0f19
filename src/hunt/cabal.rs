//! The programs of cabal packages: which there are, which of them a target means, and how one is built.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicUsize;

use serde::Deserialize;

use super::Built;
use super::tool::{How, NotBuilt, only, own_folder, run};
use crate::base::text::visible;
use crate::cli::Message;
use crate::program::ghc_program::{flag_with, version};

/// What cabal is going to build, as it notes in `plan.json`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Plan {
    compiler_id: String,
    install_plan: Vec<PlanUnit>,
}

/// A component, or a package with a `Setup.hs` of its own and all its components.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PlanUnit {
    #[serde(default)]
    pkg_name: String,
    component_name: Option<String>,
    bin_file: Option<PathBuf>,
    #[serde(default)]
    components: BTreeMap<String, Component>,
    pkg_src: Option<PackageSource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Component {
    bin_file: Option<PathBuf>,
}

#[derive(Deserialize)]
struct PackageSource {
    /// Only of packages of the project.
    path: Option<PathBuf>,
}

struct Executable {
    package: String,
    /// `exe`, `test` or `bench`.
    kind: String,
    name: String,
    file: PathBuf,
    /// The folder of the package that has it.
    folder: PathBuf,
    /// `server:exe:server`.
    full: String,
}

impl Executable {
    /// Whether a target of cabal means it, perhaps among others.
    fn is_meant_by(&self, target: &str) -> bool {
        let Executable { package, kind, name, .. } = self;
        let is_kind = |word: &str| match word {
            "exes" | "executables" => kind == "exe",
            "tst" | "tests" | "test-suite" => kind == "test",
            "bch" | "benches" | "benchmark" | "benchmarks" => kind == "bench",
            word => word == kind,
        };
        match target.split(':').collect::<Vec<_>>()[..] {
            ["all"] => kind == "exe",
            [one] => one == name || one == package && kind == "exe",
            ["pkg", one] => one == package && kind == "exe",
            [one, two] if is_kind(one) => two == name,
            [one, two] => one == package && (two == name || is_kind(two)),
            [one, two, three] => one == package && is_kind(two) && three == name,
            _ => false,
        }
    }
}

impl Plan {
    fn programs(&self) -> Vec<Executable> {
        let mut programs = Vec::new();
        for unit in &self.install_plan {
            // Those that it needs for the build may be in the plan, too.
            let Some(folder) = unit.folder() else { continue };
            let own = unit.component_name.as_ref().map(|name| (name, &unit.bin_file));
            let others = unit.components.iter().map(|(name, one)| (name, &one.bin_file));
            for (component, file) in own.into_iter().chain(others) {
                let (Some((kind, name)), Some(file)) = (component.split_once(':'), file) else {
                    continue;
                };
                programs.push(Executable {
                    package: unit.pkg_name.clone(),
                    kind: kind.to_owned(),
                    name: name.to_owned(),
                    file: file.clone(),
                    folder: folder.clone(),
                    full: format!("{}:{component}", unit.pkg_name),
                });
            }
        }
        programs
    }
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
    let name = if how.way.is_profiled() { "" } else { "info-tables" };
    let folder = own_folder(&project(), Path::new(name))?;
    let command = |target: &str| {
        let mut command = Command::new("cabal");
        command.arg("build").args(how.way.is_profiled().then_some("--enable-profiling"));
        command.arg(target).arg(flag_with("--builddir=", &folder));
        command
    };
    // The plan has all programs of the project, whatever is to be built.
    run(command("all").args(["--dry-run", "-v0"]), (0, 0), signal)?;
    let plan = folder.join("cache/plan.json");
    let unknown = |error: &dyn std::fmt::Display| {
        Message::error(format!("cannot read {}: {error}", plan.display()))
            .hint("hunt needs cabal 2.4 or newer")
    };
    let text = fs::read(&plan).map_err(|error| unknown(&error))?;
    let plan: Plan = serde_json::from_slice(&text).map_err(|error| unknown(&error))?;
    let version = version(plan.compiler_id.trim_start_matches("ghc-"));
    let program = chosen(plan.programs(), target)?;
    let mut sources: Vec<PathBuf> = plan.install_plan.iter().filter_map(PlanUnit::folder).collect();
    let mut command = command(&program.full);
    if how.way.is_profiled() {
        // Its own levels of detail depend on its version.
        command.arg("--profiling-detail=none");
        if how.interpreter || !sources.iter().any(|folder| runs_code_at_compile_time(folder)) {
            // Otherwise a library is also compiled for programs that are not profiled.
            command.args(["--disable-library-vanilla", "--disable-shared"]);
            command.arg("--disable-executable-dynamic");
        }
    }
    command.args(how.flags(version).iter().map(|flag| format!("--ghc-option={flag}")));
    run(&mut command, version, signal)?;
    sources.insert(0, program.folder);
    let data = plan.install_plan.iter().filter_map(PlanUnit::data).collect();
    Ok(Built { program: program.file, sources, data, lacks: None })
}

/// The program that a target means; without one, that of the package here, as cabal understands it.
fn chosen(programs: Vec<Executable>, target: &str) -> Result<Executable, Message> {
    let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    let is_here =
        |one: &Executable| fs::canonicalize(&one.folder).is_ok_and(|folder| folder == here);
    let is_package_here = programs.iter().any(is_here);
    let is_meant = |one: &Executable| match target {
        "" => one.kind == "exe" && (!is_package_here || is_here(one)),
        target => one.is_meant_by(target),
    };
    if !target.is_empty() && !programs.is_empty() && !programs.iter().any(is_meant) {
        let names: Vec<String> = programs.iter().map(|one| visible(&one.full)).collect();
        let text = format!("{} is no program that cabal can build here", visible(target));
        return Err(Message::error(text).hint(format!("these are: {}", names.join(", "))));
    }
    let (meant, others): (Vec<_>, Vec<_>) = programs.into_iter().partition(is_meant);
    match others.first() {
        Some(other) if meant.is_empty() => {
            let text = "cabal builds no executable of the package in this folder";
            let names: Vec<String> = others.iter().map(|one| visible(&one.full)).collect();
            let example = visible(&other.full);
            Err(Message::error(format!("{text}, but {}", names.join(", ")))
                .hint(format!("name one: heapviz hunt --cabal {example} -- ARGS")))
        }
        _ => only(meant, "cabal", target, |one| one.full.as_str().into()),
    }
}

/// Whether a module of a package may run code of the package while it is compiled (Template Haskell, a
/// plugin). GHC needs its usual libraries for that, and cabal notices only what the package file declares.
fn runs_code_at_compile_time(folder: &Path) -> bool {
    const MARKS: [&str; 4] = ["TemplateHaskell", "QuasiQuotes", "-fplugin", "{-# ANN"];
    const ENDINGS: [&str; 7] = ["hs", "lhs", "hsc", "chs", "x", "y", "cabal"];
    const MOST_BYTES: u64 = 1 << 22;
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return !name.starts_with('.')
                && !name.starts_with("dist")
                && runs_code_at_compile_time(&path);
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let mut text = Vec::new();
        let file = fs::File::open(&path).ok().filter(|_| ENDINGS.contains(&&*ending));
        let is_read = file.is_some_and(|file| file.take(MOST_BYTES).read_to_end(&mut text).is_ok());
        is_read && MARKS.iter().any(|mark| memchr::memmem::find(&text, mark.as_bytes()).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let text = r#"{"compiler-id": "ghc-9.6.6", "install-plan": [
            {"pkg-name": "base"},
            {"pkg-name": "happy", "component-name": "exe:happy", "bin-file": "/s/happy",
             "pkg-src": {"type": "repo-tar"}},
            {"pkg-name": "pa", "component-name": "lib", "pkg-src": {"path": "/p/pa/."}},
            {"pkg-name": "pa", "component-name": "exe:server", "bin-file": "/d/server",
             "pkg-src": {"path": "/p/pa/."}},
            {"pkg-name": "pa", "component-name": "test:spec", "bin-file": "/d/spec",
             "pkg-src": {"path": "/p/pa/."}},
            {"pkg-name": "pb", "pkg-src": {"path": "/p/pb"}, "components": {
                "lib": {}, "exe:server": {"bin-file": "/d/pb/server"},
                "bench:speed": {"bin-file": "/d/speed"}}}]}"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_target_means_what_it_means_to_cabal() {
        let meant = |target: &str| {
            let programs = plan().programs();
            let meant = programs.into_iter().filter(|one| one.is_meant_by(target));
            meant.map(|one| one.full).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(meant("server"), "pa:exe:server pb:exe:server");
        assert_eq!(meant("pa:server"), "pa:exe:server");
        assert_eq!(meant("pb:exe:server"), "pb:exe:server");
        assert_eq!(
            (meant("pa"), meant("pkg:pb")),
            ("pa:exe:server".into(), "pb:exe:server".into())
        );
        assert_eq!(
            (meant("test:spec"), meant("pa:tests")),
            ("pa:test:spec".into(), "pa:test:spec".into())
        );
        assert_eq!(
            (meant("spec"), meant("bench:speed")),
            ("pa:test:spec".into(), "pb:bench:speed".into())
        );
        assert_eq!((meant("exe:spec"), meant("happy"), meant("serve")), Default::default());
    }

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

    #[test]
    fn a_target_that_means_no_program_is_refused_with_the_list() {
        let failure = chosen(plan().programs(), "serve").err().expect("no program");
        let words = failure.to_string();
        assert!(
            words.contains("serve is no program") && words.contains("pb:bench:speed"),
            "{words}"
        );
        let failure = chosen(plan().programs(), "").err().expect("two programs");
        let words = failure.to_string();
        assert!(words.contains("several programs here: pa:exe:server, pb:exe:server"), "{words}");
    }
}
