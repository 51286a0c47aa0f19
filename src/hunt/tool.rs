//! How a build tool is run: with which flags, where it builds, and why it may make no program.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::execute::LOOK;
use crate::base::text::visible;
use crate::cli::Message;
use crate::program::child::Started;
use crate::program::ghc_program::cannot_start;
use crate::program::own_folder::marked;

/// Where builds for profiling are: beside `cabal.project`, or in the current folder.
pub const FOLDER: &str = "dist-heapviz";
/// The mark in that folder by which heapviz, and programs that keep copies, know that all in it can be made again. Its
/// first line is that of <https://bford.info/cachedir/>.
const MARK: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# This folder was made by heapviz hunt.\n";

pub struct Built {
    pub program: PathBuf,
    /// The folders to which the places in its profiles refer.
    pub sources: Vec<PathBuf>,
    /// The variables by which it finds the data files of packages that are not installed.
    pub data: Vec<(String, PathBuf)>,
    /// The profiling libraries without which it could not be built for profiling.
    pub lacks: Option<String>,
}

/// The first GHC that knows the places of closures.
const FIRST_INFO_TABLES: (u32, u32) = (9, 2);

/// How a program is built.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// The profiling libraries that are missing, so that it has only the places of closures; otherwise it also has a cost
    /// centre for each function, which the optimiser leaves in place.
    pub lacks: Option<String>,
    /// Whether its own code that runs while it is compiled runs in a program beside GHC, which takes profiled objects.
    pub interpreter: bool,
}

impl How {
    pub fn is_profiled(&self) -> bool {
        self.lacks.is_none()
    }

    /// The flags of a GHC besides `-prof`.
    ///
    /// # Errors
    /// A GHC that can do neither.
    pub fn flags(&self, ghc: (u32, u32)) -> Result<Vec<&'static str>, Message> {
        let mut flags = Vec::new();
        match &self.lacks {
            Some(libraries) if ghc < FIRST_INFO_TABLES => {
                return Err(Message::error(format!("what is missing: {libraries}"))
                    .hint("install that, or use GHC 9.2 or newer, which can do with less"));
            }
            Some(_) => {}
            None => flags.push("-fprof-auto"),
        }
        if ghc >= FIRST_INFO_TABLES {
            flags.extend(["-finfo-table-map", "-fdistinct-constructor-tables"]);
        }
        flags.push("-rtsopts");
        flags.extend((ghc < (9, 4)).then_some("-eventlog"));
        flags.extend(self.interpreter.then_some("-fexternal-interpreter"));
        Ok(flags)
    }
}

/// Why a tool made no program.
#[derive(Debug)]
pub enum NotBuilt {
    Failed(Message),
    /// These were not installed, which `-prof` needs.
    NoProfilingLibraries(String),
    /// GHC cannot run its own code while it compiles it for profiling.
    NeedsInterpreter,
}

impl From<Message> for NotBuilt {
    fn from(failure: Message) -> Self {
        NotBuilt::Failed(failure)
    }
}

/// A folder among those of our builds in a folder, which no version control sees.
///
/// # Errors
/// A folder that heapviz did not make: builds replace what is in it.
pub fn own_folder(base: &Path, name: &Path) -> Result<PathBuf, Message> {
    let ours = base.join(FOLDER);
    let cannot =
        |error: io::Error| Message::error(format!("cannot write {}: {error}", ours.display()));
    let foreign = |path: &Path, why: &str| {
        Message::error(format!("{} {why}", path.display())).hint(
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

impl NotBuilt {
    /// What a line of a tool's output says against a build, if there is a way out of it.
    fn in_line(line: &str) -> Option<NotBuilt> {
        const MISSING: &str = "haven't installed the profiling libraries";
        const NEED_INTERPRETER: [&str; 2] =
            ["-prof objects when GHC is built with -dynamic", ".dyn_o"];
        const NO_SERVER: [&str; 2] =
            ["Couldn't establish HTTP connection", "Could not resolve host"];
        let says = |words: &str| line.contains(words);
        if says(MISSING) {
            let package = quoted_after(line, "for package ");
            return Some(NotBuilt::NoProfilingLibraries(libraries_of(package.as_deref())));
        }
        if says("Cannot load") && says(NEED_INTERPRETER[0])
            || says("cannot find object file") && says(NEED_INTERPRETER[1])
        {
            return Some(NotBuilt::NeedsInterpreter);
        }
        let has_no_index = says("package list for") && says("does not exist");
        let hint = match () {
            () if says("ghc-iserv") => NO_INTERPRETER,
            () if has_no_index || NO_SERVER.into_iter().any(says) => NO_INDEX,
            () => return None,
        };
        Some(Message::error(FAILED).hint(hint).into())
    }
}

/// What GHC quotes after some words: \u{2018}X\u{2019}, or `X' without Unicode.
fn quoted_after(line: &str, words: &str) -> Option<String> {
    let (_, after) = line.split_once(words)?;
    let inside = after.strip_prefix(['\u{2018}', '`'])?;
    let (name, _) = inside.split_once(['\u{2019}', '\''])?;
    Some(name.to_owned())
}

/// What has to be installed, so that a package can be used in a profiled build.
fn libraries_of(package: Option<&str>) -> String {
    let is_version = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match package {
        Some(package) => {
            let name = package.rsplit_once('-').filter(|(_, last)| is_version(last));
            let name = visible(name.map_or(package, |(name, _)| name));
            let debian = name.to_lowercase();
            format!(
                "the profiling library of {name} (Debian: libghc-{debian}-prof, or ghc-prof if it comes with GHC)"
            )
        }
        None => "GHC's profiling libraries (Debian: ghc-prof)".to_owned(),
    }
}

/// Runs a tool to its end.
///
/// # Errors
/// A tool that cannot be started or fails.
pub fn run(command: &mut Command, signal: &AtomicUsize) -> Result<(), NotBuilt> {
    let tool = command.get_program().to_owned();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Started::apart(command).map_err(|error| cannot_start(&tool, &error))?;
    let (out, error) = child.pipes();
    let met = Met::default();
    let shown =
        [out.map(|pipe| forward_output(pipe, &met)), error.map(|pipe| forward_output(pipe, &met))];
    let status = loop {
        match child.ended() {
            Some(status) => break Ok(status),
            None if ends_build(&met) || signal.load(Ordering::Relaxed) != 0 => break child.end(),
            None => thread::sleep(LOOK),
        }
    };
    child.clean_up();
    for shown in shown.into_iter().flatten() {
        let _ = shown.join();
    }
    if status.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    let words = std::iter::once(&*tool).chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    let met = met.lock().unwrap_or_else(PoisonError::into_inner).take();
    let other = || Message::error(FAILED).hint(format!("this was run: {}", words.join(" "))).into();
    Err(met.unwrap_or_else(other))
}

pub const FAILED: &str = "the build failed";

/// The ways out if cabal knows no packages.
const NO_INDEX: &str = "cabal has no index of packages and reaches no server: run `cabal update` where there is a network; \
     if all packages are installed, CABAL_CONFIG=FILE with the one line `remote-repo-cache: FOLDER` in FILE does without";

/// The ways out if GHC cannot run a program's own code while it compiles it for profiling.
pub const NO_INTERPRETER: &str = "GHC runs the program's Template Haskell in ghc-iserv-prof, which belongs to its profiling libraries (Debian: \
     ghc-prof): install it";

/// What was met in the output of a tool.
type Met = Arc<Mutex<Option<NotBuilt>>>;

/// Whether the tool can say nothing else of interest: GHC says the same of each import of each module.
fn ends_build(met: &Met) -> bool {
    let met = met.lock().unwrap_or_else(PoisonError::into_inner);
    matches!(*met, Some(NotBuilt::NoProfilingLibraries(_) | NotBuilt::NeedsInterpreter))
}

/// Shows what a tool prints, on standard error: standard output is for the result of the hunt. Shows nothing more if the
/// program is going to be built in another way.
fn forward_output(pipe: impl Read + Send + 'static, met: &Met) -> JoinHandle<()> {
    let met = Arc::clone(met);
    thread::spawn(move || {
        let (mut pipe, mut line) = (BufReader::new(pipe), Vec::new());
        while pipe.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if let Some(obstacle) = NotBuilt::in_line(&String::from_utf8_lossy(&line)) {
                met.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(obstacle);
            }
            if !ends_build(&met) {
                let _ = io::stderr().write_all(&line);
            }
            line.clear();
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stops_a_build_is_read_from_the_words_of_ghc_and_cabal() {
        let met = |text: &str| format!("{:?}", text.lines().find_map(NotBuilt::in_line));
        let said = "    Could not find module \u{2018}Data.Scientific\u{2019}\n    Perhaps you haven't installed the \
                    profiling libraries for package \u{2018}scientific-0.3.7.0\u{2019}?\n";
        let scientific = "Some(NoProfilingLibraries(\"the profiling library of scientific (Debian: libghc-scientific-prof, ";
        assert!(met(said).starts_with(scientific), "{}", met(said));
        let said = "Could not load module `Data.Scientific'\nPerhaps you haven't installed the profiling libraries\n";
        assert!(met(said).starts_with("Some(NoProfilingLibraries(\"GHC's profiling libraries"));
        for said in [
            "    Cannot load -prof objects when GHC is built with -dynamic",
            "    Cannot load with -prof objects when GHC is built with -dynamic",
            "    cannot find object file \u{2018}/d/thc-tmp/Gen.dyn_o\u{2019}",
        ] {
            assert_eq!(met(said), "Some(NeedsInterpreter)", "{said}");
        }
        let said = "ghc: could not execute: /usr/lib/ghc/bin/ghc-iserv-prof";
        assert!(met(said).contains(NO_INTERPRETER));
        let said = "curl: (6) Could not resolve host: hackage.haskell.org";
        assert!(met(said).contains("cabal has no index of packages"));
        assert_eq!(met("[1 of 2] Compiling Gen.dyn_o ( Gen.hs, Gen.p_o )"), "None");
    }
}
