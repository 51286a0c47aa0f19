//! Builds a program for profiling, with the tool that usually builds it and beside its usual build.
//!
//! Everything that is made is in the folder `dist-heapviz`; the user's files and the other builds stay as
//! they are. The tools' own output shows the progress.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Args;
use serde::Deserialize;

use super::execute::LOOK;
use crate::cli::verb::Failure;
use crate::incident::error::visible;
use crate::program::child::Started;
use crate::program::ghc_program::{cannot_start, flag_with, profiling_flags, version};

/// Where builds for profiling are, in the current folder.
const FOLDER: &str = "dist-heapviz";

/// Which tool builds the program.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct BuildArgs {
    /// Build an executable of the cabal package here for profiling, beside its usual build, and hunt
    /// in it
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "")]
    cabal: Option<String>,

    /// The same with stack
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "")]
    stack: Option<String>,

    /// The same with GHC alone, for a program such as Main.hs
    #[arg(long, value_name = "FILE")]
    ghc: Option<PathBuf>,
}

/// A program that was built.
pub struct Built {
    pub program: PathBuf,
    /// The folder to which the places of its cost centres refer.
    pub sources: PathBuf,
}

impl BuildArgs {
    /// Builds the program, if that was asked for.
    ///
    /// # Errors
    /// A tool that fails, and several programs of which none was named.
    pub fn build(&self, signal: &AtomicUsize) -> Result<Option<Built>, Failure> {
        match (&self.cabal, &self.stack, &self.ghc) {
            (Some(target), ..) => cabal(target, signal).map(Some),
            (_, Some(target), _) => stack(target, signal).map(Some),
            (.., Some(file)) => ghc(file, signal).map(Some),
            (None, None, None) => Ok(None),
        }
    }
}

/// What cabal is going to build, as it notes in `plan.json`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Plan {
    compiler_id: String,
    install_plan: Vec<Unit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Unit {
    #[serde(default)]
    pkg_name: String,
    component_name: Option<String>,
    bin_file: Option<PathBuf>,
    pkg_src: Option<PackageSource>,
}

#[derive(Deserialize)]
struct PackageSource {
    path: Option<PathBuf>,
}

impl Unit {
    /// If it is an executable of the packages in the folder, its name for cabal, `server:exe:server`, and
    /// where it will be.
    fn executable(self) -> Option<(String, Built)> {
        let component = self.component_name.filter(|name| name.starts_with("exe:"))?;
        // `folder/.`
        let sources = self.pkg_src?.path?.components().collect();
        Some((format!("{}:{component}", self.pkg_name), Built { program: self.bin_file?, sources }))
    }
}

fn cabal(target: &str, signal: &AtomicUsize) -> Result<Built, Failure> {
    let folder = own_folder(Path::new(""))?;
    let command = |target: &str| {
        let mut command = Command::new("cabal");
        command.args(["build", "--enable-profiling"]).args((!target.is_empty()).then_some(target));
        command.arg(flag_with("--builddir=", &folder));
        command
    };
    // Without a target, the plan lists the programs of which one has to be named.
    run(command(target).arg("--dry-run").args((target.is_empty()).then_some("all")), signal)?;
    let plan = folder.join("cache/plan.json");
    let unknown = |error: &dyn std::fmt::Display| {
        Failure::new(format!("cannot read {}: {error}", plan.display()))
            .hint("hunt needs cabal 2.4 or newer")
    };
    let text = fs::read(&plan).map_err(|error| unknown(&error))?;
    let plan: Plan = serde_json::from_slice(&text).map_err(|error| unknown(&error))?;
    let version = version(plan.compiler_id.trim_start_matches("ghc-"));
    let executables = plan.install_plan.into_iter().filter_map(Unit::executable);
    // Those that it needs for the build may be in the plan, too.
    let is_named =
        |(name, _): &(String, Built)| name == target || name.ends_with(&format!(":{target}"));
    let (name, built) = only(executables.collect(), is_named, "cabal", |(name, _)| name)?;
    let mut command = command(&name);
    // Its own levels of detail depend on its version.
    command.arg("--profiling-detail=none");
    command.args(profiling_flags(version).map(|flag| format!("--ghc-options={flag}")));
    run(&mut command, signal)?;
    Ok(built)
}

fn stack(target: &str, signal: &AtomicUsize) -> Result<Built, Failure> {
    let folder = own_folder(Path::new("stack"))?;
    let programs = folder.join("bin");
    // Those of an earlier build must not be taken for programs that are still built.
    let _ = fs::remove_dir_all(&programs);
    let command = || {
        let mut command = Command::new("stack");
        // Each of several packages has its own, so stack takes no absolute path.
        command.arg("--work-dir").arg(Path::new(FOLDER).join("stack"));
        command
    };
    let flags = profiling_flags(answer(command().args(["ghc", "--", "--numeric-version"]))?);
    let mut command = command();
    command.arg("build").args((!target.is_empty()).then_some(target));
    command.args(["--profile", "--copy-bins", "--local-bin-path"]).arg(&programs);
    command.arg("--ghc-options").arg(flags.collect::<Vec<_>>().join(" "));
    run(&mut command, signal)?;
    let name = target.rsplit(':').next().unwrap_or_default();
    let entries = fs::read_dir(&programs).into_iter().flatten().flatten();
    let mut found: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    let is_named = |one: &String| one.strip_suffix(".exe").unwrap_or(one) == name;
    let chosen = only(found, is_named, "stack", |one| one)?;
    Ok(Built { program: programs.join(chosen), sources: ".".into() })
}

fn ghc(file: &Path, signal: &AtomicUsize) -> Result<Built, Failure> {
    // Every program has a module Main, of which GHC takes any object that is new enough.
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let name: PathBuf = file.with_extension("").components().filter(is_name).collect();
    let folder = own_folder(&Path::new("ghc").join(name))?;
    let program = folder.join(file.file_stem().unwrap_or_else(|| OsStr::new("Main")));
    let flags = profiling_flags(answer(Command::new("ghc").arg("--numeric-version"))?);
    let mut command = Command::new("ghc");
    command.args(["-O", "-prof"]).args(flags);
    command.arg("-outputdir").arg(&folder).arg("-o").arg(&program).arg(file);
    // GHC makes none of a module that is not Main, and reports success.
    let _ = fs::remove_file(&program);
    run(&mut command, signal)?;
    match program.exists() {
        true => Ok(Built { program, sources: ".".into() }),
        false => Err(Failure::new(format!("ghc made no program of {}", file.display()))
            .hint("name the file with the module Main and its main")),
    }
}

/// The program that was named, or the only one.
fn only<T>(
    mut found: Vec<T>,
    is_named: impl Fn(&T) -> bool,
    tool: &str,
    name: impl Fn(&T) -> &str,
) -> Result<T, Failure> {
    if found.iter().any(&is_named) {
        found.retain(is_named);
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Failure::new(format!("{tool} builds no such executable here"))
            .hint(format!("name one: heapviz hunt --{tool} NAME -- ARGS"))),
        _ => {
            let names: Vec<String> = found.iter().map(|one| visible(name(one))).collect();
            let text = format!("{tool} builds several executables here: {}", names.join(", "));
            Err(Failure::new(text)
                .hint(format!("name one: heapviz hunt --{tool} {} -- ARGS", names[0])))
        }
    }
}

/// A folder among those of our builds, which no version control sees.
fn own_folder(name: &Path) -> Result<PathBuf, Failure> {
    let made = || {
        let folder = Path::new(FOLDER).join(name);
        fs::create_dir_all(&folder)?;
        fs::write(Path::new(FOLDER).join(".gitignore"), "*\n")?;
        fs::canonicalize(folder)
    };
    made().map_err(|error| Failure::new(format!("cannot write {FOLDER} in this folder: {error}")))
}

/// The version of GHC that a command prints. What it says besides is for the user.
fn answer(command: &mut Command) -> Result<(u32, u32), Failure> {
    let answer = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let answer = answer.map_err(|error| cannot_start(command.get_program(), &error))?;
    Ok(version(&String::from_utf8_lossy(&answer.stdout)))
}

/// Runs a tool to its end. Standard output is for the result of the hunt.
fn run(command: &mut Command, signal: &AtomicUsize) -> Result<(), Failure> {
    let tool = command.get_program().to_owned();
    command.stdout(io::stderr());
    let mut child = Started::apart(command).map_err(|error| cannot_start(&tool, &error))?;
    let status = loop {
        match child.ended() {
            Some(status) => break Ok(status),
            None if signal.load(Ordering::Relaxed) != 0 => break child.end(),
            None => thread::sleep(LOOK),
        }
    };
    child.clean_up();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => {
            let words = std::iter::once(&*tool).chain(command.get_args());
            let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
            Err(Failure::new("the build for profiling failed")
                .hint(format!("this was run: {}", words.join(" "))))
        }
    }
}
