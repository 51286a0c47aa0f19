//! Starts a program in order to watch it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::flags::Flags;
use super::origin::{Ended, Origin};
use crate::cli::child::{Started, exit_code};
use crate::cli::failure::Failure;
use crate::cli::message::Message;

/// How long the program may take to serve its event log before its files are followed instead.
const PATIENCE: Duration = Duration::from_secs(2);

/// A program that was started.
pub struct Program {
    child: Mutex<Started>,
    /// The name of its files without their ending.
    stem: PathBuf,
    started: SystemTime,
    /// The folder of its socket, which is removed with this.
    _folder: tempfile::TempDir,
    /// Where its output goes while the terminal is in use.
    printed: Option<PathBuf>,
    /// The advice on its flags; taken when it is given.
    advice: Mutex<Option<Message>>,
}

/// What to read instead of a socket that does not appear.
pub struct OtherSource {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl Program {
    /// Starts a program, and returns where to look for its log first. Its output goes to a file if
    /// the terminal is `taken`.
    ///
    /// # Errors
    /// A program that cannot be started.
    pub fn start(words: &[OsString], taken: bool) -> Result<(Origin, Program), Failure> {
        let Some((name, arguments)) = words.split_first() else {
            return Err(Failure::new("there is no program to start"));
        };
        // Only this user can enter the folder.
        let folder = tempfile::Builder::new().prefix("heapviz-").tempdir();
        let folder =
            folder.map_err(|error| Failure::new(format!("cannot make a folder: {error}")))?;
        let socket = folder.path().join("eventlog.sock");
        let stem = PathBuf::from(Path::new(name).file_name().unwrap_or(name));
        let mut command = Command::new(name);
        command
            .args(arguments)
            .env("GHC_EVENTLOG_UNIX_PATH", &socket)
            .env("GHC_EVENTLOG_WAIT", "1");
        let mut printed = None;
        if taken {
            let path = named(&stem, "out");
            let file = File::create(&path);
            let file = file.map_err(|error| {
                Failure::new(format!("cannot write {}: {error}", path.display()))
            })?;
            let copy = file.try_clone().map_err(|error| Failure::new(error.to_string()))?;
            command.stdin(Stdio::null()).stdout(file).stderr(copy);
            printed = Some(path);
        }
        let started = SystemTime::now();
        let child = Started::beside(&mut command).map_err(|error| {
            Failure::new(format!("cannot start {}: {error}", name.to_string_lossy()))
                .hint("give its path, as ./prog")
        })?;
        let flags = Flags::of(arguments, std::env::var_os("GHCRTS").as_deref());
        let program = Program {
            child: Mutex::new(child),
            stem,
            started,
            _folder: folder,
            printed,
            advice: Mutex::new(flags.advice()),
        };
        Ok((Origin::Path(socket), program))
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Started> {
        self.child.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Advice on flags that its command line lacks to show its heap; only the first time.
    pub fn advice(&self) -> Option<Message> {
        self.advice.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.child().has_ended()
    }

    /// A file that it writes, once it has had time to serve its log, or has ended.
    pub fn other_source(&self, waited: Duration) -> Option<OtherSource> {
        if waited < PATIENCE && !self.has_ended() {
            return None;
        }
        let written = |path: &PathBuf| {
            let written = fs::metadata(path).and_then(|about| about.modified());
            // The times of a file system are coarse.
            written.is_ok_and(|at| at + Duration::from_secs(2) >= self.started)
        };
        let path = ["eventlog", "hp"].map(|ending| named(&self.stem, ending));
        let path = path.into_iter().find(written)?;
        let why = format!("the program serves no event log; following {}", path.display());
        Some(OtherSource { path, why })
    }

    /// Waits for its end. If the watch was ended earlier, the program is ended, too. Returns its
    /// exit status.
    pub fn wait(&self, ended: Ended) -> u8 {
        let mut child = self.child();
        let status = if ended == Ended::Run { child.wait() } else { child.end() };
        drop(child);
        if let Some(path) = &self.printed {
            Message::note(format_args!("what the program printed is in {}", path.display())).say();
        }
        status.map_or(1, exit_code)
    }
}

/// A file of the program: its name with an ending, in the folder in which it runs.
fn named(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
