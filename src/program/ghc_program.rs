//! Programs compiled by GHC: what they are and which flags they accept, as their own run-time
//! system reports it.
//!
//! `PROG +RTS FLAGS --info` checks FLAGS, prints facts about the run-time system, and does not run
//! the program. It works unless the program was linked with `-rtsopts=none` or `=ignoreAll`.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::child::Started;
use crate::cli::{Input, Message, output};

/// How long a program may take to answer: what does not know the question just runs.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most text of an answer that is read.
const MOST_TEXT: u64 = 1 << 16;

const NOT_A_SCRIPT: &str = "name the program itself, not what starts it; `heapviz hunt --cabal` and \
                            `--stack` build it for profiling";

/// What is known about a program.
#[derive(Clone, Debug)]
pub struct GhcProgram {
    /// The word that starts it.
    pub name: OsString,
    /// The arguments of the program, without any of ours.
    pub arguments: Vec<OsString>,
    /// The GHC that compiled it: 9.0.2 is `(9, 0)`.
    pub ghc: (u32, u32),
    /// Whether it was built for profiling.
    pub profiled: bool,
    /// Whether it was linked with -threaded.
    pub threaded: bool,
    /// Whether it can write event logs.
    pub logs: bool,
    /// The libraries without which it could not be built for profiling.
    pub lacks: Option<String>,
    /// The variables that it gets besides those of the user.
    pub variables: Vec<(String, PathBuf)>,
    /// Whether `-po` names its files; otherwise its `.hp` is in the current folder.
    names_hp: bool,
}

struct GhcOutput {
    out: String,
    error: String,
}

impl GhcOutput {
    /// The value of a key in the list that `--info` prints.
    fn value(&self, key: &str) -> Option<&str> {
        let after = self
            .out
            .split_once(&format!("(\"{key}\",\""))
            .or_else(|| self.out.split_once(&format!("(\"{key}\", \"")))?;
        after.1.split('"').next()
    }
}

impl GhcProgram {
    /// Asks a program what it is.
    ///
    /// # Errors
    /// A program that cannot be started, is not GHC's, or does not take flags.
    pub fn ask(words: &[OsString]) -> Result<GhcProgram, Message> {
        let Some((name, arguments)) = words.split_first() else {
            return Err(Message::error("there is no program to run"));
        };
        refuse_own_flags(arguments)?;
        refuse_variable()?;
        refuse_build_tool(name)?;
        protect_program(name);
        let shown = name.to_string_lossy();
        let answer = ask(name, &[])?;
        if answer.value("GHC RTS") != Some("YES") {
            return Err(match answer.error.contains("RTS options are disabled") {
                true => no_rtsopts(&shown),
                false => Message::error(format!(
                    "{shown} does not answer `+RTS --info`, so it was not compiled by GHC, or it \
                     was linked with -rtsopts=ignoreAll"
                ))
                .hint(NOT_A_SCRIPT),
            });
        }
        let ghc = version(answer.value("GHC version").unwrap_or_default());
        let way = answer.value("RTS way").unwrap_or_default();
        let has = |wanted: &str| way.split('_').any(|part| part == wanted);
        let (profiled, threaded) = (has("p"), has("thr"));
        // A harmless flag that is not among the few that work without -rtsopts.
        if ask(name, &["-i1".into()])?.value("GHC RTS").is_none() {
            return Err(no_rtsopts(&shown));
        }
        let logs = ask(name, &["-l-agu".into()])?.error.is_empty();
        let names_hp = profiled && ghc >= (9, 2);
        let arguments = arguments.to_vec();
        Ok(GhcProgram {
            name: name.clone(),
            arguments,
            ghc,
            profiled,
            threaded,
            logs,
            lacks: None,
            variables: Vec::new(),
            names_hp,
        })
    }

    /// Asks a program what it is, if it is one that surely knows the question: a script, or a program of
    /// another compiler, would run.
    pub fn ask_if_sure(words: &[OsString]) -> Option<GhcProgram> {
        let has_runtime =
            words.first().and_then(|name| executable_of(name)).is_some_and(|path| has_ghc(&path));
        has_runtime.then(|| GhcProgram::ask(words).ok()).flatten()
    }

    pub fn takes(&self, flag: &str) -> bool {
        ask(&self.name, &[flag.into()]).is_ok_and(|answer| answer.error.is_empty())
    }

    /// Makes sure that it takes these flags beside those that it was linked with: otherwise it would print its usage and
    /// do nothing.
    ///
    /// # Errors
    /// What its run-time system says against them.
    pub fn check(&self, flags: &[OsString]) -> Result<(), Message> {
        let answer = ask(&self.name, flags)?;
        let Some(words) = answer.error.lines().find(|line| !line.trim().is_empty()) else {
            return Ok(());
        };
        let (name, flag) = (self.name.to_string_lossy(), flags[0].to_string_lossy());
        // `prog: multiple heap profile options`
        let words = words.split_once(": ").map_or(words, |(_, words)| words);
        let failure = Message::error(format!("{name} does not take {flag}: {words}"));
        let linked = answer.value("Flag -with-rtsopts").unwrap_or_default();
        Err(match linked.split(' ').find(|flag| flag.starts_with("-h")) {
            Some(built_in) => failure.hint(format!(
                "it was linked with -with-rtsopts={linked}: leave {built_in} out there, because a program takes one \
                 break-down only"
            )),
            None => failure,
        })
    }

    /// The name of the program for readers. The folders of a build tool are many and say nothing.
    pub fn title(&self) -> String {
        const MOST_FOLDERS: usize = 4;
        match Path::new(&self.name).components().count() > MOST_FOLDERS {
            true => self.stem().to_string_lossy().into_owned(),
            false => self.name.to_string_lossy().into_owned(),
        }
    }

    /// The program and its arguments as the user wrote them.
    pub fn command_line(&self) -> String {
        let arguments = self.arguments.iter().map(|word| word.to_string_lossy().into_owned());
        std::iter::once(self.title()).chain(arguments).collect::<Vec<_>>().join(" ")
    }

    /// The place of its `.hp`, if no flag names that.
    ///
    /// # Errors
    /// Those of [`HpPlace::take`].
    pub fn hp_place(&self) -> Result<Option<HpPlace>, Message> {
        if self.names_hp { Ok(None) } else { HpPlace::take(self.stem()).map(Some) }
    }

    pub fn file(&self) -> PathBuf {
        executable_of(&self.name).unwrap_or_else(|| PathBuf::from(&self.name))
    }

    /// The name of the program without folders, from which GHC makes the names of its files.
    pub fn stem(&self) -> &OsStr {
        Path::new(&self.name).file_name().unwrap_or(&self.name)
    }

    /// The command that starts it with these flags of the run-time system. They stand before those of the
    /// user, which win, and before a `--`, after which the run-time system reads nothing.
    pub fn command(&self, flags: &[OsString]) -> Command {
        let is_end = |word: &OsString| ["+RTS", "--RTS", "--"].iter().any(|end| word == end);
        let place = self.arguments.iter().position(is_end).unwrap_or(self.arguments.len());
        let (before, after) = self.arguments.split_at(place);
        let mut command = Command::new(&self.name);
        command.args(before).arg("+RTS").args(flags).arg("-RTS").args(after);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// How to hunt in it when it is built for profiling, by the build tool whose files are in the folder.
    pub fn profiling_build(&self) -> String {
        let tool = match Path::new("stack.yaml").exists() {
            true => "--stack",
            false if has_file("hs") && !has_file("cabal") && !has_file("project") => {
                let own = PathBuf::from(self.stem()).with_extension("hs");
                let source = if own.exists() { own } else { "Main.hs".into() };
                &format!("--ghc {}", source.display())
            }
            false => "--cabal",
        };
        let mut words = vec![format!("heapviz hunt {tool}")];
        if !self.arguments.is_empty() {
            words.push("--".to_owned());
            words.extend(self.arguments.iter().map(|word| word.to_string_lossy().into_owned()));
        }
        words.join(" ")
    }
}

/// A flag with a path: `-olprog.eventlog`.
pub fn flag_with(flag: &str, path: &Path) -> OsString {
    let mut word = OsString::from(flag);
    word.push(path);
    word
}

/// The file that a word starts, as a shell finds it.
fn executable_of(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file())
}

/// Makes sure that no output replaces a program that is run.
pub fn protect_program(name: &OsStr) {
    output::protect(&executable_of(name).map(Input::File));
}

/// Whether a file contains GHC's run-time system, or is linked to it.
fn has_ghc(path: &Path) -> bool {
    const MARKS: [&[u8]; 2] = [b"Flag -with-rtsopts", b"libHSrts"];
    let Ok(mut file) = File::open(path) else { return false };
    let (mut piece, mut kept) = (vec![0; 1 << 20], 0);
    while let Ok(read @ 1..) = file.read(&mut piece[kept..]) {
        let bytes = &piece[..kept + read];
        if bytes.starts_with(b"#!") {
            return false;
        }
        if MARKS.iter().any(|mark| memchr::memmem::find(bytes, mark).is_some()) {
            return true;
        }
        // A mark may lie across two pieces.
        let end = bytes.len();
        kept = end.min(32);
        piece.copy_within(end - kept..end, 0);
    }
    false
}

/// Whether a file in the current folder has this ending.
fn has_file(ending: &str) -> bool {
    let entries = fs::read_dir(".").into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| path.extension() == Some(OsStr::new(ending)))
}

fn no_rtsopts(name: &str) -> Message {
    Message::error(format!("{name} accepts no flags of the run-time system"))
        .hint("link it with -rtsopts (and -eventlog, if GHC is older than 9.4)")
}

/// The arguments of a program that are flags of its run-time system.
pub fn runtime_flags(arguments: &[OsString]) -> Vec<Cow<'_, str>> {
    let mut flags = Vec::new();
    let mut is_of_runtime = false;
    for word in arguments.iter().map(|word| word.to_string_lossy()) {
        match &*word {
            "+RTS" => is_of_runtime = true,
            "-RTS" => is_of_runtime = false,
            "--RTS" | "--" => break,
            _ if is_of_runtime => flags.push(word),
            _ => {}
        }
    }
    flags
}

/// The flags in `GHCRTS` come before all others, and a program accepts one break-down only.
fn refuse_variable() -> Result<(), Message> {
    let flags = std::env::var("GHCRTS").unwrap_or_default();
    match flags.split_whitespace().find(|flag| flag.starts_with("-h")) {
        Some(flag) => Err(Message::error(format!("the variable GHCRTS has {flag}"))
            .hint("unset it: the break-down of each run is chosen here")),
        None => Ok(()),
    }
}

/// Refuses tools that start a program, and are compiled by GHC themselves.
fn refuse_build_tool(name: &OsStr) -> Result<(), Message> {
    let tool = Path::new(name).file_stem().unwrap_or(name).to_string_lossy();
    match ["cabal", "stack"].contains(&&*tool) {
        true => Err(Message::error(format!("{tool} would be run, not the program that it starts"))
            .hint(NOT_A_SCRIPT)),
        false => Ok(()),
    }
}

/// Refuses flags that hunt must choose itself.
fn refuse_own_flags(arguments: &[OsString]) -> Result<(), Message> {
    let is_own =
        |flag: &&Cow<str>| ["-h", "-p", "-P", "-ol", "-l"].iter().any(|own| flag.starts_with(own));
    match runtime_flags(arguments).iter().find(is_own) {
        None => Ok(()),
        Some(flag) => Err(Message::error(format!("hunt chooses {flag} itself"))
            .hint("leave it out; `heapviz stats` reads the log of a run of your own")),
    }
}

/// `(9, 0)` of `9.0.2`.
pub fn version(text: &str) -> (u32, u32) {
    let mut parts = text.trim().split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// Asks a program what it thinks of flags. Nothing of it runs, if it is GHC's.
fn ask(name: &OsStr, flags: &[OsString]) -> Result<GhcOutput, Message> {
    let mut command = Command::new(name);
    command.arg("+RTS").args(flags).arg("--info");
    // Flags of the variable would be reported, too.
    command.env_remove("GHCRTS");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Started::apart(&mut command).map_err(|error| cannot_start(name, &error))?;
    let (out, error) = child.pipes();
    let out = thread::spawn(move || text_of(out));
    let error = thread::spawn(move || text_of(error));
    let began = Instant::now();
    while !child.has_ended() && began.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.end();
    child.clean_up();
    let [out, error] = [out, error].map(|reader| reader.join().unwrap_or_default());
    Ok(GhcOutput { out, error })
}

pub fn cannot_start(name: &OsStr, error: &io::Error) -> Message {
    Message::error(format!("cannot start {}: {error}", name.to_string_lossy()))
        .hint("give its path, as ./prog")
}

/// What comes out of a pipe. What is beyond the limit is read, too, so that the program can go on.
fn text_of(pipe: Option<impl Read>) -> String {
    let Some(mut pipe) = pipe else { return String::new() };
    let mut bytes = Vec::new();
    let _ = pipe.by_ref().take(MOST_TEXT).read_to_end(&mut bytes);
    let _ = io::copy(&mut pipe, &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The place in the current folder where GHC writes `PROG.hp`, if no flag names another. A file of the
/// user's that is there is moved aside, and put back when this is dropped.
pub struct HpPlace {
    path: PathBuf,
    /// Where the file of the user is, locked so that others know that it will be put back.
    aside: Option<(PathBuf, File)>,
    /// The file that holds the place, locked so that another hunt finds it taken. The program writes into it: whatever
    /// else has its name is not the program's.
    held: RefCell<Option<same_file::Handle>>,
}

impl HpPlace {
    /// Takes the place.
    ///
    /// # Errors
    /// A folder in which nothing can be written, or another hunt uses the place, or a file has the name to which that of the
    /// user is to be moved: whose that is, nobody knows.
    fn take(stem: &OsStr) -> Result<HpPlace, Message> {
        let named = |ending: &str| PathBuf::from([stem, OsStr::new(ending)].join(OsStr::new("")));
        let (path, aside) = (named(".hp"), named(".hp.before-hunt"));
        let cannot = |error: io::Error| {
            Message::error(format!("cannot write {} in this folder: {error}", path.display())).hint(
                "GHC writes it to the current folder: start the hunt in one where you may write",
            )
        };
        let new = || OpenOptions::new().write(true).create_new(true).open(&path);
        let (file, aside) = match new() {
            Ok(file) => (file, None),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let lock = lock_of(&path).map_err(cannot)?.ok_or_else(|| {
                    Message::error(format!("another hunt uses {} in this folder", path.display()))
                        .hint("start it again when that has ended, or in another folder")
                })?;
                if fs::symlink_metadata(&aside).is_ok() {
                    let (path, aside) = (path.display(), aside.display());
                    return Err(Message::error(format!(
                        "{path} cannot be moved aside: {aside} is there"
                    ))
                    .hint(format!("a killed hunt leaves your {path} as that: rename it")));
                }
                fs::rename(&path, &aside).map_err(cannot)?;
                (new().map_err(cannot)?, Some((aside, lock)))
            }
            Err(error) => return Err(cannot(error)),
        };
        let held = RefCell::new(locked_file(file));
        Ok(HpPlace { path, aside, held })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the program will write into the file that was made for it.
    ///
    /// # Errors
    /// Another file in its place, or none.
    pub fn check(&self) -> Result<(), Message> {
        match self.is_held() {
            true => Ok(()),
            false => Err(Message::error(format!(
                "{} in this folder is no longer the file of the hunt",
                self.path.display()
            ))
            .hint("the program would overwrite it: leave that name alone while a hunt runs")),
        }
    }

    /// Whether the place has the file that was made for the program.
    fn is_held(&self) -> bool {
        let is_file = fs::symlink_metadata(&self.path).is_ok_and(|about| about.is_file());
        let held = self.held.borrow();
        is_file && same_file::Handle::from_path(&self.path).ok() == *held && held.is_some()
    }

    /// Moves the file of the program to its own place.
    pub fn move_to(&self, path: &Path) {
        if !self.is_held() {
            return;
        }
        let is_moved = fs::rename(&self.path, path).is_ok()
            || (fs::copy(&self.path, path).is_ok() && fs::remove_file(&self.path).is_ok());
        if !is_moved {
            // Somebody removed the folder: what stays here is still the file of the hunt.
            return;
        }
        // The program writes a new one.
        let file = OpenOptions::new().write(true).create_new(true).open(&self.path).ok();
        self.held.replace(file.and_then(locked_file));
    }
}

/// The file that holds a place, locked until it is closed or the command ends. `None` on systems on
/// which a lock would keep others from writing.
fn locked_file(file: File) -> Option<same_file::Handle> {
    if cfg!(unix) {
        let _ = file.try_lock();
    }
    same_file::Handle::from_file(file).ok()
}

/// A file of the user's, locked; `None` if another hunt has locked it.
fn lock_of(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true);
    // A pipe is not waited for.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

impl Drop for HpPlace {
    fn drop(&mut self) {
        if self.is_held() {
            let _ = fs::remove_file(&self.path);
        }
        let Some((aside, _)) = &self.aside else { return };
        if fs::symlink_metadata(&self.path).is_err() {
            let _ = fs::rename(aside, &self.path);
        } else if fs::symlink_metadata(aside).is_ok() {
            let (path, aside) = (self.path.display(), aside.display());
            let text = format!("{path} is not the file of the hunt and stays; yours is {aside}");
            Message::warning(text).say();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_folder_for_its_file_leaves_that_of_the_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let hp = folder.path().join("prog.hp");
        fs::write(&hp, "mine").expect("a file");
        let place = HpPlace::take(folder.path().join("prog").as_os_str()).expect("a place");
        fs::write(&hp, "of the program").expect("a file");
        place.move_to(&folder.path().join("removed/prog.hp"));
        drop(place);
        assert_eq!(fs::read_to_string(&hp).expect("a file"), "mine");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    fn program(arguments: &[&str]) -> GhcProgram {
        GhcProgram {
            name: "./prog".into(),
            arguments: arguments.iter().map(OsString::from).collect(),
            ghc: (9, 0),
            profiled: true,
            threaded: false,
            logs: true,
            lacks: None,
            variables: Vec::new(),
            names_hp: false,
        }
    }

    #[test]
    fn flags_stand_where_the_run_time_system_reads_them_and_those_of_the_user_win() {
        let words = |arguments: &[&str]| {
            let command = program(arguments).command(&["-hc".into()]);
            let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(&["a", "b"]), "a b +RTS -hc -RTS");
        assert_eq!(words(&["a", "--", "b"]), "a +RTS -hc -RTS -- b");
        assert_eq!(words(&["a", "+RTS", "-i1", "-RTS"]), "a +RTS -hc -RTS +RTS -i1 -RTS");
    }

    #[test]
    fn flags_that_hunt_chooses_are_refused() {
        let refused = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            refuse_own_flags(&words).is_err()
        };
        assert!(refused(&["+RTS", "-hy"]) && refused(&["x", "+RTS", "-N2", "-olx.log"]));
        assert!(!refused(&["-h", "+RTS", "-N2", "-i0.1", "-RTS", "-l"]));
        assert!(!refused(&["--", "+RTS", "-hy"]));
    }

    #[test]
    fn the_answer_of_a_run_time_system_is_read() {
        let out = " [(\"GHC RTS\", \"YES\")\n ,(\"GHC version\", \"9.0.2\")\n ]\n".to_owned();
        let answer = GhcOutput { out, error: String::new() };
        assert_eq!(answer.value("GHC RTS"), Some("YES"));
        assert_eq!(version(answer.value("GHC version").unwrap()), (9, 0));
        assert_eq!((answer.value("RTS way"), version("9.10.3")), (None, (9, 10)));
    }
}
