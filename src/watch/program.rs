//! Starts a program in order to watch it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::flags::Flags;
use super::source::{Ended, LiveSource};
use crate::cli::message::Message;
use crate::cli::verb::Failure;
use crate::program::child::{Started, exit_code, own_folder};
use crate::program::ghc_program::{GhcProgram, HpPlace, cannot_start, flag_with, protect_program};

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
    /// The place of its `.hp` in the current folder, if its flags were chosen here.
    _place: Option<HpPlace>,
    /// The advice on its flags; taken when it is given.
    advice: Mutex<Option<Message>>,
}

/// The flags of a program for which the user chose none.
struct Chosen {
    program: GhcProgram,
    flags: Vec<OsString>,
    /// Its files without their ending.
    stem: PathBuf,
    place: Option<HpPlace>,
    /// Whether it writes an event log while it runs.
    is_live: bool,
}

impl Chosen {
    /// Flags that show the heap while the program runs: an event log if it can write one meanwhile,
    /// otherwise the `.hp`. Its files are in `folder`, as far as it lets them be named.
    fn of(program: GhcProgram, folder: &Path) -> Result<Self, Failure> {
        let mut flags: Vec<OsString> = vec![if program.profiled { "-hc" } else { "-hT" }.into()];
        let own = folder.join(program.stem());
        let is_live = program.logs && program.threaded && program.ghc >= (9, 2);
        if is_live {
            let log = flag_with("-ol", &named(&own, "eventlog"));
            flags.extend(["-l-agu".into(), "--eventlog-flush-interval=1".into(), log]);
        }
        if program.profiled {
            flags.extend(["-L100".into(), flag_with("-po", &own)]);
        }
        let place = match program.names_hp {
            true => None,
            false => Some(HpPlace::take(&program.stem())?),
        };
        let stem = if is_live || program.names_hp { own } else { program.stem().into() };
        Ok(Chosen { program, flags, stem, place, is_live })
    }

    fn command(&self) -> Command {
        self.program.command(&self.flags)
    }

    fn note(&self) -> Message {
        let flag = if self.program.profiled { "-hc" } else { "-hT" };
        let text = format!("no sample yet, although the program was started with +RTS {flag}");
        Message::note(text).hint(match self.is_live {
            true => "samples are taken while a program runs, not while it waits",
            false => {
                "following its .hp, whose clock is the CPU time of the program; with GHC 9.2 or \
                 newer and -threaded, it can write an event log while it runs"
            }
        })
    }
}

/// What to read instead of a socket that does not appear.
pub struct OtherSource {
    pub path: PathBuf,
    pub why: String,
}

impl Program {
    /// Starts a program, and returns where to look for its log first. Its output goes to a file if
    /// the terminal is `taken`.
    pub fn start(words: &[OsString], taken: bool) -> Result<(LiveSource, Program), Failure> {
        let Some((name, arguments)) = words.split_first() else {
            return Err(Failure::new("there is no program to start"));
        };
        protect_program(name);
        let folder = own_folder()?;
        let socket = folder.path().join("eventlog.sock");
        let stem = PathBuf::from(Path::new(name).file_name().unwrap_or(name));
        let flags = Flags::of(arguments, std::env::var_os("GHCRTS").as_deref());
        let asked = flags.are_missing().then(|| GhcProgram::ask_if_sure(words)).flatten();
        let chosen = asked.map(|program| Chosen::of(program, folder.path())).transpose()?;
        let mut command = match &chosen {
            Some(chosen) => chosen.command(),
            None => {
                let mut command = Command::new(name);
                command.args(arguments);
                command
            }
        };
        command.env("GHC_EVENTLOG_UNIX_PATH", &socket).env("GHC_EVENTLOG_WAIT", "1");
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
        let child = Started::beside(&mut command).map_err(|error| cannot_start(name, &error))?;
        let advice = match &chosen {
            Some(chosen) => Some(chosen.note()),
            None => flags.advice(),
        };
        let (stem, place) = match chosen {
            Some(chosen) => (chosen.stem, chosen.place),
            None => (stem, None),
        };
        let program = Program {
            child: Mutex::new(child),
            stem,
            started,
            _folder: folder,
            printed,
            advice: Mutex::new(advice),
            _place: place,
        };
        Ok((LiveSource::Path(socket), program))
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Started> {
        self.child.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Advice on flags that its command line lacks to show its heap; only the first time.
    pub fn advice(&self) -> Option<Message> {
        self.advice.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child().id()
    }

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
        let clock = match path.extension().is_some_and(|ending| ending == "hp") {
            true => ", whose clock is the CPU time of the program",
            false => "",
        };
        let name = path.display();
        let why = format!("the program serves no event log; following {name}{clock}");
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
