//! Starts a program in order to watch it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::{LiveSource, WatchEnd, identity, locked};
use crate::cli::{Input, Message, output};
use crate::program::child::{Started, exit_code};
use crate::program::ghc_program::{
    GhcProgram, HpPlace, cannot_start, flag_with, protect_program, runtime_flags,
};
use crate::program::own_folder::{OwnFolder, SOCKET, own_folder};

/// How long the program may take to serve its event log before its files are followed instead.
const PATIENCE: Duration = Duration::from_secs(2);

pub struct WatchedProgram {
    child: Mutex<Started>,
    /// The logs that it may write, each as it was before the program started.
    logs: [(PathBuf, Option<Stamp>); 2],
    /// What is removed when it has ended.
    remains: Mutex<Option<Remains>>,
    /// Where its output goes while the terminal is in use.
    printed: Option<PathBuf>,
    /// The advice on its flags; taken when it is given.
    advice: Mutex<Option<Message>>,
}

/// By what it is seen that a file was written: which file it is, when it was last written, and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp((u64, u64), Option<SystemTime>, u64);

impl Stamp {
    /// `None` if there is no such file.
    fn new(path: &Path) -> Option<Stamp> {
        let about = fs::metadata(path).ok()?;
        Some(Stamp(identity(&about), about.modified().ok(), about.len()))
    }
}

struct Remains {
    _folder: OwnFolder,
    /// The place of its `.hp` in the current folder, if its flags were chosen here.
    _place: Option<HpPlace>,
}

/// The flags that decide what can be seen of a running program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    /// A flag such as `-hT`: it takes samples.
    heap: bool,
    /// `-l`: it writes an event log.
    log: bool,
    /// `--eventlog-flush-interval`: it writes the log while it runs.
    flush: bool,
}

impl Flags {
    /// The flags of a command line and of the variable `GHCRTS`. A program can also have built-in
    /// flags, which are not visible from outside.
    fn new(arguments: &[OsString], variable: Option<&OsStr>) -> Flags {
        let mut flags = Flags::default();
        let variable = variable.unwrap_or_default().to_string_lossy();
        variable.split_whitespace().for_each(|word| flags.note(word));
        runtime_flags(arguments).iter().for_each(|word| flags.note(word));
        flags
    }

    fn note(&mut self, word: &str) {
        self.heap |= word.starts_with("-h");
        self.log |= word.starts_with("-l");
        self.flush |= word.starts_with("--eventlog-flush-interval");
    }

    /// The advice if no sample arrives; `None` if no flag is missing.
    fn advice(self) -> Option<Message> {
        let (missing, hint) = match self {
            Flags { heap: false, log: false, .. } => (
                "no -h flag and no -l, so there are no samples",
                "for a profile add +RTS -hT; for an event log, too: \
                 +RTS -hT -l --eventlog-flush-interval=1",
            ),
            Flags { heap: false, log: true, .. } => {
                ("no -h flag, so there are no samples", "add -hT to its flags: +RTS -l -hT")
            }
            Flags { heap: true, log: true, flush: false } => (
                "no --eventlog-flush-interval, so its event log is written when it ends",
                "GHC 9.2 and newer, with -threaded: +RTS -l -hT --eventlog-flush-interval=1",
            ),
            Flags { heap: true, .. } => return None,
        };
        Some(Message::note(format_args!("the program was started with {missing}")).hint(hint))
    }
}

/// A command, and what is known of what it will write.
struct Prepared {
    command: Command,
    /// The name of its files without their ending.
    stem: PathBuf,
    place: Option<HpPlace>,
    advice: Option<Message>,
}

impl Prepared {
    /// With flags that show the heap while the program runs, for a user who chose none: an event log if it
    /// can write one meanwhile, otherwise the `.hp`. Its files are in `folder`, as far as it lets them be
    /// named.
    fn for_heap(program: &GhcProgram, folder: &Path) -> Result<Prepared, Message> {
        let breakdown = if program.profiled { "-hc" } else { "-hT" };
        let mut flags: Vec<OsString> = vec![breakdown.into()];
        let own = folder.join(program.stem());
        let is_live = program.logs && program.threaded && program.ghc >= (9, 2);
        if is_live {
            let log = flag_with("-ol", &named(&own, "eventlog"));
            flags.extend(["-l-agu".into(), "--eventlog-flush-interval=1".into(), log]);
        }
        if program.profiled {
            flags.extend(["-L100".into(), flag_with("-po", &own)]);
        }
        let place = program.hp_place()?;
        let stem = if is_live || place.is_none() { own } else { program.stem().into() };
        let text = format!("no sample yet, although the program was started with +RTS {breakdown}");
        let advice = Message::note(text).hint(match is_live {
            true => "samples are taken while a program runs, not while it waits",
            false => {
                "following its .hp, to which samples are added only while the program computes; with GHC 9.2 \
                 or newer and -threaded, it can write an event log while it runs"
            }
        });
        Ok(Prepared { command: program.command(&flags), stem, place, advice: Some(advice) })
    }
}

impl WatchedProgram {
    /// Starts a program, and returns where to look for its log first. Its output goes to a file if
    /// the terminal is `taken`.
    pub fn start(words: &[OsString], taken: bool) -> Result<(LiveSource, WatchedProgram), Message> {
        let Some((name, arguments)) = words.split_first() else {
            return Err(Message::error("there is no program to start"));
        };
        protect_program(name);
        let folder = own_folder()?;
        let socket = folder.path().join(SOCKET);
        let flags = Flags::new(arguments, std::env::var_os("GHCRTS").as_deref());
        let asked = (flags == Flags::default()).then(|| GhcProgram::ask_if_sure(words)).flatten();
        let here = PathBuf::from(Path::new(name).file_name().unwrap_or(name));
        let Prepared { mut command, stem, place, advice } = match asked {
            Some(program) => Prepared::for_heap(&program, folder.path())?,
            None => {
                let mut command = Command::new(name);
                command.args(arguments);
                Prepared { command, stem: here.clone(), place: None, advice: flags.advice() }
            }
        };
        command.env("GHC_EVENTLOG_UNIX_PATH", &socket).env("GHC_EVENTLOG_WAIT", "1");
        let mut printed = None;
        if taken {
            let mut prefix = here.as_os_str().to_owned();
            prefix.push(".");
            let new = tempfile::Builder::new().prefix(&prefix).suffix(".out").tempfile_in(".");
            let (file, path) = new.and_then(|file| Ok(file.keep()?)).map_err(|error| {
                Message::error(format!("cannot write what the program prints: {error}"))
            })?;
            // No output replaces it.
            output::protect([&Input::File(path.clone())]);
            let copy = file.try_clone().map_err(Message::error)?;
            command.stdin(Stdio::null()).stdout(file).stderr(copy);
            printed = Some(path);
        }
        let logs = ["eventlog", "hp"].map(|ending| {
            let path = named(&stem, ending);
            let stamp = Stamp::new(&path);
            (path, stamp)
        });
        let child = Started::beside(&mut command).map_err(|error| cannot_start(name, &error))?;
        let program = WatchedProgram {
            child: Mutex::new(child),
            logs,
            remains: Mutex::new(Some(Remains { _folder: folder, _place: place })),
            printed,
            advice: Mutex::new(advice),
        };
        Ok((LiveSource::Input(Input::File(socket)), program))
    }

    /// Advice on flags that its command line lacks to show its heap; only the first time.
    pub fn advice(&self) -> Option<Message> {
        locked(&self.advice).take()
    }

    pub fn id(&self) -> u32 {
        locked(&self.child).id()
    }

    pub fn has_ended(&self) -> bool {
        locked(&self.child).has_ended()
    }

    /// A file that it writes, and why that is read instead of its socket, once it has had time to serve its
    /// log, or has ended.
    pub fn other_source(&self, waited: Duration) -> Option<(PathBuf, Message)> {
        if waited < PATIENCE && !self.has_ended() {
            return None;
        }
        let mut logs = self.logs.iter();
        let (path, _) =
            logs.find(|(path, before)| Stamp::new(path).is_some_and(|now| Some(now) != *before))?;
        let why = format!("the program serves no event log; following {}", path.display());
        Some((path.clone(), Message::note(why)))
    }

    /// Waits for its end. If the watch was ended earlier, the program is ended, too. Returns its
    /// exit status.
    pub fn wait(&self, ended: WatchEnd) -> u8 {
        let mut child = locked(&self.child);
        let status = if ended == WatchEnd::Run { child.wait() } else { child.end() };
        drop(child);
        // Not with this: when the watch ends first, the threads that read hold it to the end of the process.
        drop(locked(&self.remains).take());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rts_flags_are_read_from_the_command_line_and_ghcrts() {
        let of = |line: &str, variable: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            Flags::new(&words, Some(OsStr::new(variable)))
        };
        let all = Flags { heap: true, log: true, flush: true };
        assert_eq!(of("a +RTS -hT -l-au --eventlog-flush-interval=1 -RTS b", ""), all);
        assert_eq!(of("-hT -l", "-hc -l --eventlog-flush-interval=0.5"), all);
        assert_eq!(of("-l +RTS -N2 -RTS -hT -- +RTS -l", ""), Flags::default());
        assert!(all.advice().is_none());
    }
}
