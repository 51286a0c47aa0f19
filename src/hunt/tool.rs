//! How a build tool is run: with which flags, where it builds, and why it may make no program.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use super::execute::LOOK;
use crate::base::text::visible;
use crate::kit::verb::Failure;
use crate::program::child::Started;
use crate::program::ghc_program::cannot_start;
use crate::program::own_folder::marked;

/// Where builds for profiling are: beside `cabal.project`, or in the current folder.
pub const FOLDER: &str = "dist-heapviz";
/// The mark in that folder by which heapviz, and programs that keep copies, know that all in it can be made again. Its
/// first line is that of <https://bford.info/cachedir/>.
const MARK: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# This folder was made by heapviz hunt.\n";

/// A program that was built.
pub struct Built {
    pub program: PathBuf,
    /// The folders to which the places in its profiles refer.
    pub sources: Vec<PathBuf>,
    /// The variables by which it finds the data files of packages that are not installed.
    pub data: Vec<(String, PathBuf)>,
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
    pub linked: Option<String>,
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

/// The only program of those that a target names.
pub fn only<T>(
    mut found: Vec<T>,
    tool: &str,
    target: &str,
    name: impl Fn(&T) -> Cow<'_, str>,
) -> Result<T, Failure> {
    let names: Vec<String> = found.iter().map(|one| visible(&name(one))).collect();
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
///
/// # Errors
/// A folder that heapviz did not make: builds replace what is in it.
pub fn own_folder(base: &Path, name: &Path) -> Result<PathBuf, Failure> {
    let ours = base.join(FOLDER);
    let cannot =
        |error: io::Error| Failure::new(format!("cannot write {}: {error}", ours.display()));
    let foreign = |path: &Path, why: &str| {
        Failure::new(format!("{} {why}", path.display())).hint(
            "hunt builds there and replaces what is in it: rename it, or hunt in another folder",
        )
    };
    let mark = ours.join("CACHEDIR.TAG");
    let mut folder = ours.clone();
    for part in std::iter::once(None).chain(name.components().map(Some)) {
        folder.extend(part);
        // Of the entry itself: a link may lead to any folder of the user.
        match fs::symlink_metadata(&folder) {
            Ok(about) if about.is_dir() => {}
            Ok(about) if about.is_symlink() => return Err(foreign(&folder, "is a link")),
            Ok(_) => return Err(foreign(&folder, "is not a folder")),
            Err(_) => {
                fs::create_dir(&folder).map_err(cannot)?;
                if part.is_none() {
                    fs::write(ours.join(".gitignore"), "*\n").map_err(cannot)?;
                    fs::write(&mark, MARK).map_err(cannot)?;
                }
            }
        }
        if part.is_none() && marked(&mark, MARK.as_bytes()).is_none() {
            return Err(foreign(&ours, "was not made by heapviz"));
        }
    }
    fs::canonicalize(folder).map_err(cannot)
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
