//! Builds a program for profiling, with the tool that usually builds it and beside its usual build.
//!
//! Everything that is made is in the folder `dist-heapviz`; the user's files and the other builds stay as
//! they are. The tools' own output shows the progress.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::cabal;
use super::execute::LOOK;
use crate::cli::message::{Message, Voice};
use crate::cli::verb::Failure;
use crate::incident::error::visible;
use crate::program::child::Started;
use crate::program::ghc_program::{cannot_start, linked_without_break_down, version};

/// Where builds for profiling are: beside `cabal.project`, or in the current folder.
const FOLDER: &str = "dist-heapviz";

/// Which tool builds the program.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[group(multiple = false)]
pub struct BuildArgs {
    /// Build an executable, a test suite or a benchmark of the cabal package here for profiling, beside
    /// its usual build, and hunt in it: NAME, test:NAME, PACKAGE:exe:NAME
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "")]
    cabal: Option<String>,

    /// Build an executable of the stack package here for profiling, and hunt in it
    #[arg(long, value_name = "TARGET", num_args = 0..=1, default_missing_value = "")]
    stack: Option<String>,

    /// The same with GHC alone, for a program such as Main.hs
    #[arg(long, value_name = "FILE")]
    ghc: Option<PathBuf>,
}

/// A program that was built.
pub struct Built {
    pub program: PathBuf,
    /// The folders to which the places in its profiles refer.
    pub sources: Vec<PathBuf>,
    pub way: Way,
}

/// What a build is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All functions: a cost centre for each, which the optimiser leaves in place.
    Every,
    /// The functions that are left by the optimiser, which works as without profiling.
    Late,
    /// The places of all closures, without profiling.
    InfoTables,
}

/// How a program is built.
#[derive(Clone, Debug)]
pub struct How {
    pub way: Way,
    /// What its run-time system is linked with, in place of the program's own choice.
    linked: Option<String>,
}

impl How {
    /// The flags of a GHC besides `-prof`.
    ///
    /// # Errors
    /// A GHC that is too old.
    pub fn flags(&self, ghc: (u32, u32)) -> Result<Vec<String>, Failure> {
        let linked = self.linked.iter().map(|flags| format!("-with-rtsopts={flags}"));
        Ok(self.way.flags(ghc)?.into_iter().map(str::to_owned).chain(linked).collect())
    }
}

impl Way {
    pub fn is_profiled(self) -> bool {
        self != Way::InfoTables
    }

    fn flags(self, ghc: (u32, u32)) -> Result<Vec<&'static str>, Failure> {
        const FIRST_LATE: (u32, u32) = (9, 4);
        let mut flags = match self {
            Way::Every => vec!["-fprof-auto"],
            Way::Late if ghc < FIRST_LATE => {
                let text = format!("GHC {}.{} has no late cost centres", ghc.0, ghc.1);
                return Err(Failure::new(text).hint("leave --late out, or use GHC 9.4 or newer"));
            }
            Way::Late => vec!["-fprof-late"],
            Way::InfoTables => vec!["-finfo-table-map", "-fdistinct-constructor-tables"],
        };
        flags.push("-rtsopts");
        flags.extend((ghc < (9, 4)).then_some("-eventlog"));
        Ok(flags)
    }
}

/// Why a tool made no program.
pub enum NotBuilt {
    Failed(Failure),
    /// A package was installed without what `-prof` needs.
    NoProfilingLibraries((u32, u32)),
}

impl From<Failure> for NotBuilt {
    fn from(failure: Failure) -> Self {
        NotBuilt::Failed(failure)
    }
}

impl BuildArgs {
    /// Whether a tool is named.
    pub fn is_asked(&self) -> bool {
        self.cabal.is_some() || self.stack.is_some() || self.ghc.is_some()
    }

    /// Builds the program, if that was asked for: for profiling, or else with the places of closures, which
    /// needs no other libraries than a usual build.
    ///
    /// # Errors
    /// A tool that fails, a name that means no program, or several of which none was named.
    pub fn build(
        &self,
        late: bool,
        signal: &AtomicUsize,
        voice: Voice,
    ) -> Result<Option<Built>, Failure> {
        const FIRST_INFO_TABLES: (u32, u32) = (9, 2);
        let mut how = How { way: if late { Way::Late } else { Way::Every }, linked: None };
        let mut built = match self.build_with(&how, signal) {
            Err(NotBuilt::NoProfilingLibraries(ghc)) if ghc >= FIRST_INFO_TABLES => {
                voice.say(&Message::note(
                    "profiling libraries are missing, so the program is built with info tables, which \
                     show what grows and where it is made, but not who holds it",
                ));
                how.way = Way::InfoTables;
                self.build_with(&how, signal)
            }
            built => built,
        };
        // A program takes one break-down only.
        if let Ok(Some(Built { program, .. })) = &built
            && let Some(flags) = linked_without_break_down(program)
        {
            how.linked = Some(flags);
            built = self.build_with(&how, signal);
        }
        built.map_err(|why| match why {
            NotBuilt::Failed(failure) => failure,
            NotBuilt::NoProfilingLibraries(_) => Failure::new("profiling libraries are missing")
                .hint(
                    "install them (of Debian's GHC: apt install ghc-prof), or use GHC 9.2 or newer",
                ),
        })
    }

    fn build_with(&self, how: &How, signal: &AtomicUsize) -> Result<Option<Built>, NotBuilt> {
        match (&self.cabal, &self.stack, &self.ghc) {
            (Some(target), ..) => cabal::build(target, how, signal).map(Some),
            (_, Some(target), _) => stack(target, how, signal).map(Some),
            (.., Some(file)) => ghc(file, how, signal).map(Some),
            (None, None, None) => Ok(None),
        }
    }
}

fn stack(target: &str, how: &How, signal: &AtomicUsize) -> Result<Built, NotBuilt> {
    let folder = own_folder(Path::new(""), Path::new("stack"))?;
    let programs = folder.join("bin");
    // Those of an earlier build must not be taken for programs that are still built.
    let _ = fs::remove_dir_all(&programs);
    let command = || {
        let mut command = Command::new("stack");
        // Each of several packages has its own, so stack takes no absolute path.
        command.arg("--work-dir").arg(Path::new(FOLDER).join("stack"));
        command
    };
    let version = answer(command().args(["ghc", "--", "--numeric-version"]))?;
    let mut command = command();
    command.arg("build").args((!target.is_empty()).then_some(target));
    command.args(how.way.is_profiled().then_some("--profile"));
    command.args(["--copy-bins", "--local-bin-path"]).arg(&programs);
    let flags = how.flags(version)?.into_iter();
    let flags = flags.map(|flag| if flag.contains(' ') { format!("\"{flag}\"") } else { flag });
    command.arg("--ghc-options").arg(flags.collect::<Vec<_>>().join(" "));
    run(&mut command, version, signal)?;
    let name = target.rsplit(':').next().unwrap_or_default();
    let entries = fs::read_dir(&programs).into_iter().flatten().flatten();
    let mut found: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    let name_of = |one: &String| one.strip_suffix(".exe").unwrap_or(one).to_owned();
    // The name of a package stands for all its programs.
    if found.iter().any(|one| name_of(one) == name) {
        found.retain(|one| name_of(one) == name);
    }
    let chosen = only(found, "stack", target, String::as_str)?;
    Ok(Built { program: programs.join(chosen), sources: vec![".".into()], way: how.way })
}

fn ghc(file: &Path, how: &How, signal: &AtomicUsize) -> Result<Built, NotBuilt> {
    // Every program has a module Main, of which GHC takes any object that is new enough.
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let name: PathBuf = file.with_extension("").components().filter(is_name).collect();
    let folder = own_folder(Path::new(""), &Path::new("ghc").join(name))?;
    let program = folder.join(file.file_stem().unwrap_or_else(|| OsStr::new("Main")));
    let version = answer(Command::new("ghc").arg("--numeric-version"))?;
    let mut command = Command::new("ghc");
    command.arg("-O").args(how.way.is_profiled().then_some("-prof")).args(how.flags(version)?);
    command.arg("-outputdir").arg(&folder).arg("-o").arg(&program).arg(file);
    // GHC makes none of a module that is not Main, and reports success.
    let _ = fs::remove_file(&program);
    run(&mut command, version, signal)?;
    match program.exists() {
        true => Ok(Built { program, sources: vec![".".into()], way: how.way }),
        false => Err(Failure::new(format!("ghc made no program of {}", file.display()))
            .hint("name the file with the module Main and its main")
            .into()),
    }
}

/// The only program of those that a target names.
pub fn only<T>(
    mut found: Vec<T>,
    tool: &str,
    target: &str,
    name: impl Fn(&T) -> &str,
) -> Result<T, Failure> {
    let names: Vec<String> = found.iter().map(|one| visible(name(one))).collect();
    let several = match target {
        "" => format!("{tool} builds several programs here"),
        target => format!("{} names several programs", visible(target)),
    };
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Failure::new(format!("{tool} builds no executable here"))
            .hint(format!("name a program: heapviz hunt --{tool} NAME -- ARGS"))),
        _ => Err(Failure::new(format!("{several}: {}", names.join(", ")))
            .hint(format!("name one: heapviz hunt --{tool} {} -- ARGS", names[0]))),
    }
}

/// A folder among those of our builds in a folder, which no version control sees.
pub fn own_folder(base: &Path, name: &Path) -> Result<PathBuf, Failure> {
    let ours = base.join(FOLDER);
    let made = || {
        let folder = ours.join(name);
        fs::create_dir_all(&folder)?;
        fs::write(ours.join(".gitignore"), "*\n")?;
        fs::canonicalize(folder)
    };
    made().map_err(|error| Failure::new(format!("cannot write {}: {error}", ours.display())))
}

/// The version of GHC that a command prints. What it says besides is for the user.
fn answer(command: &mut Command) -> Result<(u32, u32), Failure> {
    let answer = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let answer = answer.map_err(|error| cannot_start(command.get_program(), &error))?;
    Ok(version(&String::from_utf8_lossy(&answer.stdout)))
}

/// Runs a tool to its end.
///
/// # Errors
/// A tool that cannot be started or fails.
pub fn run(command: &mut Command, ghc: (u32, u32), signal: &AtomicUsize) -> Result<(), NotBuilt> {
    let tool = command.get_program().to_owned();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Started::apart(command).map_err(|error| cannot_start(&tool, &error))?;
    let (out, error) = child.pipes();
    let are_missing = Arc::new(AtomicBool::new(false));
    let shown =
        [out.map(|pipe| shown(pipe, &are_missing)), error.map(|pipe| shown(pipe, &are_missing))];
    let status = loop {
        match child.ended() {
            Some(status) => break Ok(status),
            // GHC would say the same of each import of each module.
            None if are_missing.load(Ordering::Relaxed) => break child.end(),
            None if signal.load(Ordering::Relaxed) != 0 => break child.end(),
            None => thread::sleep(LOOK),
        }
    };
    child.clean_up();
    for shown in shown.into_iter().flatten() {
        let _ = shown.join();
    }
    match status.is_ok_and(|status| status.success()) {
        _ if are_missing.load(Ordering::Relaxed) => Err(NotBuilt::NoProfilingLibraries(ghc)),
        true => Ok(()),
        false => {
            let words = std::iter::once(&*tool).chain(command.get_args());
            let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
            Err(Failure::new("the build failed")
                .hint(format!("this was run: {}", words.join(" ")))
                .into())
        }
    }
}

/// Shows what a tool prints, on standard error: standard output is for the result of the hunt. Ends when GHC says
/// that profiling libraries are missing.
fn shown(pipe: impl Read + Send + 'static, are_missing: &Arc<AtomicBool>) -> JoinHandle<()> {
    const MISSING: &[u8] = b"haven't installed the profiling libraries";
    let are_missing = Arc::clone(are_missing);
    thread::spawn(move || {
        let (mut pipe, mut line) = (BufReader::new(pipe), Vec::new());
        while pipe.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if memchr::memmem::find(&line, MISSING).is_some() {
                are_missing.store(true, Ordering::Relaxed);
            }
            if !are_missing.load(Ordering::Relaxed) {
                let _ = io::stderr().write_all(&line);
            }
            line.clear();
        }
    })
}
