//! Builds a program for profiling, with the tool that usually builds it and beside its usual build.
//!
//! Everything that is made is in the folder `dist-heapviz`; the user's files and the other builds stay as
//! they are. The tools' own output shows the progress.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicUsize;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::tool::{FAILED, FOLDER, How, NO_INTERPRETER, NotBuilt, own_folder, run};
use super::{Built, cabal};
use crate::base::text::visible;
use crate::cli::{Message, Voice};
use crate::program::ghc_program::{cannot_start, version};

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

    /// Build a program (Main.hs) with GHC alone, and hunt in it
    #[arg(long, value_name = "FILE")]
    ghc: Option<PathBuf>,
}

impl BuildArgs {
    pub fn is_asked(&self) -> bool {
        self.cabal.is_some() || self.stack.is_some() || self.ghc.is_some()
    }

    /// Builds the program, if that was asked for: for profiling, or else with the places of closures, which
    /// needs no other libraries than a usual build.
    ///
    /// # Errors
    /// A tool that fails, a name that means no program, or several of which none was named.
    pub fn build(&self, signal: &AtomicUsize, voice: Voice) -> Result<Option<Built>, Message> {
        let mut how = How::default();
        loop {
            match self.build_with(&how, signal) {
                Ok(built) => {
                    if let Some(libraries) = &how.lacks {
                        voice.say(&Message::note(format_args!(
                            "the program is built with info tables, which show what grows and where it is made, but \
                             not who holds it: for more, install {libraries}"
                        )));
                    }
                    return Ok(built.map(|built| Built { lacks: how.lacks, ..built }));
                }
                Err(NotBuilt::NoProfilingLibraries(libraries)) if how.is_profiled() => {
                    how = How { lacks: Some(libraries), interpreter: false };
                }
                Err(NotBuilt::NeedsInterpreter) if !how.interpreter => {
                    voice.say(&Message::note(
                        "the program runs code of its own while it is compiled (Template Haskell, a plugin), so it is \
                         built with -fexternal-interpreter",
                    ));
                    how.interpreter = true;
                }
                Err(NotBuilt::Failed(failure)) => return Err(failure),
                Err(NotBuilt::NoProfilingLibraries(libraries)) => {
                    return Err(Message::error(format!("{FAILED} without {libraries}")));
                }
                Err(NotBuilt::NeedsInterpreter) => {
                    return Err(Message::error(FAILED).hint(NO_INTERPRETER));
                }
            }
        }
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
    let programs = own_folder(Path::new(""), Path::new("stack/bin"))?;
    // Those of an earlier build must not be taken for programs that are still built.
    for entry in fs::read_dir(&programs).into_iter().flatten().flatten() {
        let _ = fs::remove_file(entry.path());
    }
    let command = || {
        let mut command = Command::new("stack");
        // Each of several packages has its own, so stack takes no absolute path.
        command.arg("--work-dir").arg(Path::new(FOLDER).join("stack"));
        command
    };
    let version = answer(command().args(["ghc", "--", "--numeric-version"]))?;
    let mut command = command();
    command.arg("build").args((!target.is_empty()).then_some(target));
    command.args(how.is_profiled().then_some("--profile"));
    command.args(["--copy-bins", "--local-bin-path"]).arg(&programs);
    command.arg("--ghc-options").arg(how.flags(version)?.join(" "));
    run(&mut command, signal)?;
    let name = target.rsplit(':').next().unwrap_or_default();
    let entries = fs::read_dir(&programs).into_iter().flatten().flatten();
    let mut found: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    found.sort();
    let name_of = |one: &OsString| {
        let one = one.to_string_lossy();
        one.strip_suffix(".exe").unwrap_or(&one).to_owned()
    };
    // The name of a package stands for all its programs.
    if found.iter().any(|one| name_of(one) == name) {
        found.retain(|one| name_of(one) == name);
    }
    let [chosen] = &found[..] else {
        let names: Vec<String> = found.iter().map(|one| visible(&one.to_string_lossy())).collect();
        let text = match names.is_empty() {
            true => "stack builds no executable here".to_owned(),
            false => format!("stack builds several programs here: {}", names.join(", ")),
        };
        let failure = Message::error(text);
        return Err(failure.hint("name one: heapviz hunt --stack NAME -- ARGS").into());
    };
    let (program, sources) = (programs.join(chosen), vec![".".into()]);
    Ok(Built { program, sources, data: Vec::new(), lacks: None })
}

fn ghc(file: &Path, how: &How, signal: &AtomicUsize) -> Result<Built, NotBuilt> {
    // Every program has a module Main, of which GHC takes any object that is new enough.
    let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let name: PathBuf = file.with_extension("").components().filter(is_name).collect();
    let folder = own_folder(Path::new(""), &Path::new("ghc").join(name))?;
    let program = folder.join(file.file_stem().unwrap_or_else(|| OsStr::new("Main")));
    let version = answer(Command::new("ghc").arg("--numeric-version"))?;
    let mut command = Command::new("ghc");
    command.arg("-O").args(how.is_profiled().then_some("-prof")).args(how.flags(version)?);
    command.arg("-outputdir").arg(&folder).arg("-o").arg(&program).arg(file);
    // GHC makes none of a module that is not Main, and reports success.
    let _ = fs::remove_file(&program);
    run(&mut command, signal)?;
    match program.exists() {
        true => {
            let sources = vec![".".into()];
            Ok(Built { program, sources, data: Vec::new(), lacks: None })
        }
        false => Err(Message::error(format!("ghc made no program of {}", file.display()))
            .hint("name the file with the module Main and its main")
            .into()),
    }
}

/// The version of GHC that a command prints. What it says besides is for the user.
fn answer(command: &mut Command) -> Result<(u32, u32), Message> {
    let answer = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let answer = answer.map_err(|error| cannot_start(command.get_program(), &error))?;
    Ok(version(&String::from_utf8_lossy(&answer.stdout)))
}
