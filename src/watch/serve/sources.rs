//! Finds the sources that are watched together, on the command line and in folders whose programs
//! come and go, and watches them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::fleet::{Fleet, ServedSource};
use crate::base::names;
use crate::base::units::Bytes;
use crate::cli::message::{Message, Voice};
use crate::cli::target::Input;
use crate::live::LiveOptions;
use crate::slice::Privacy;
use crate::watch::alerts::Alerts;
use crate::watch::follow::age;
use crate::watch::plain::{LOOK, Lines};
use crate::watch::reader;
use crate::watch::shared::Shared;
use crate::watch::source::{self, Ended, LiveSource};

/// The most sources: each has a thread and some memory.
const MOST: usize = 1000;
/// The most memory for the samples of each of several sources; older ones are thinned.
const MEMORY: Bytes = Bytes::new(2 << 20);
/// The most events of each kind from the run-time system that are kept of each of several sources.
const MOST_EVENTS: usize = 10_000;
/// The most bytes of names and definitions of each of several sources.
const MOST_TEXTS: usize = 64 << 20;
/// How often a folder is looked at.
const FOLDER_LOOK: Duration = Duration::from_secs(1);
/// A log in a folder that was written longer ago belongs to a program that has ended.
const RECENT: Duration = Duration::from_secs(60);
/// How long a source of a folder is kept when its program has ended: engines ask every few seconds, or
/// every minute.
const KEPT: Duration = Duration::from_secs(300);
/// How long one without an end is kept when nothing arrives.
const KEPT_SILENT: Duration = Duration::from_secs(3600);
/// How long alerts are checked in each round, so that this takes a twentieth of the time.
const ALERTS: Duration = Duration::from_millis(10);

/// A word of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    Source(String, LiveSource),
    Folder(PathBuf),
}

impl Argument {
    /// What a word means: a folder, or a source with or without `NAME=` before it.
    ///
    /// # Errors
    /// A folder with a name.
    pub fn of(word: &OsStr, privacy: Privacy) -> Result<Argument, String> {
        let (name, rest) = match word.to_str().and_then(|text| text.split_once('=')) {
            Some((name, rest))
                if !name.is_empty() && !name.contains('/') && !Path::new(word).exists() =>
            {
                (Some(name), OsStr::new(rest))
            }
            _ => (None, word),
        };
        if Path::new(rest).is_dir() {
            return match name {
                None => Ok(Argument::Folder(PathBuf::from(rest))),
                Some(_) => Err(format!(
                    "{} is a folder: its sources have the names of their files",
                    rest.display()
                )),
            };
        }
        let source = LiveSource::of(rest)?;
        let name = name.map_or_else(|| name_of(&source, privacy), str::to_owned);
        Ok(Argument::Source(name, source))
    }
}

/// The name of a source that was given none.
fn name_of(source: &LiveSource, privacy: Privacy) -> String {
    match (source, privacy) {
        (LiveSource::Input(Input::Stdin), _) => "stdin".to_owned(),
        (LiveSource::Input(Input::File(path)), _) => stem(path),
        (LiveSource::Tcp(address), Privacy::Show) => address.clone(),
        (LiveSource::Tcp(address), Privacy::Redact) => {
            address.rsplit(':').next().unwrap_or_default().to_owned()
        }
    }
}

/// The name of a file without an ending of sockets and logs.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let ending =
        [".sock", ".socket", ".eventlog", ".hp"].into_iter().find(|end| name.ends_with(end));
    match name.strip_suffix(ending.unwrap_or_default()) {
        Some("") | None => name.into_owned(),
        Some(stem) => stem.to_owned(),
    }
}

/// What the words of a command line mean.
///
/// # Errors
/// Two sources have one name, or there are too many.
pub fn arguments(sources: &[OsString], privacy: Privacy) -> Result<Vec<Argument>, String> {
    let arguments: Vec<Argument> =
        sources.iter().map(|word| Argument::of(word, privacy)).collect::<Result<_, String>>()?;
    let mut known: HashMap<&str, &LiveSource> = HashMap::new();
    for argument in &arguments {
        let Argument::Source(name, source) = argument else { continue };
        if let Some(other) = known.insert(name, source) {
            let (one, two) = (other.name(), source.name());
            return Err(format!(
                "{one} and {two} are both called `{name}`: name them, as in one={one} two={two}"
            ));
        }
    }
    match arguments.len() > MOST {
        true => Err(format!("at most {MOST} sources can be watched together")),
        false => Ok(arguments),
    }
}

/// What is kept of each of several sources: together they must fit into the memory of one service.
pub fn of_several(mut options: LiveOptions) -> LiveOptions {
    options.memory = MEMORY;
    let limits = &mut options.limits;
    limits.runtime_events = limits.runtime_events.min(MOST_EVENTS);
    limits.ticks = limits.ticks.min(MOST_EVENTS);
    limits.all_texts = limits.all_texts.min(MOST_TEXTS);
    options
}

/// Watches several sources until they are all done, or the user or an alert ends it.
pub struct Several<'a> {
    pub fleet: &'a Fleet,
    /// What is kept of each.
    pub options: LiveOptions,
    pub alerts: &'a dyn Fn() -> Alerts,
    pub voice: Voice,
    /// Set when the user ends the watch.
    pub stop: &'a AtomicBool,
}

/// A source with what the main thread knows of it.
struct WatchedSource {
    source: Arc<ServedSource>,
    lines: Lines,
    alerts: Alerts,
    /// Its path, if it was found in a folder.
    found: Option<PathBuf>,
    /// Since when there is nothing to expect of it.
    idle: Option<Instant>,
}

impl Several<'_> {
    pub fn run(&self, arguments: Vec<Argument>) -> Ended {
        let mut watched = Vec::new();
        let mut folders = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Source(name, source) => self.begin(name, source, None, &mut watched),
                Argument::Folder(folder) => folders.push(folder),
            }
        }
        let mut folders_due = Instant::now();
        let mut turn = 0;
        let mut was_full = false;
        loop {
            if !folders.is_empty() && Instant::now() >= folders_due {
                folders_due = Instant::now() + FOLDER_LOOK;
                watched.retain_mut(|one: &mut WatchedSource| match one.is_over() {
                    true => {
                        one.source.shared.stop();
                        self.fleet.remove(&one.source.name);
                        self.voice.summarise(&format!("{}: no longer served", one.source.name));
                        false
                    }
                    false => true,
                });
                for folder in &folders {
                    let is_full = !self.take_in(folder, &mut watched);
                    if is_full && !std::mem::replace(&mut was_full, is_full) {
                        let text = format!("only {MOST} sources are watched together");
                        self.voice.say(&Message::warning(text));
                    }
                }
            }
            let mut done = folders.is_empty();
            for one in &mut watched {
                done &= one.lines.say_news(&one.source.shared, self.voice);
            }
            let stopped = self.stop.load(Ordering::Relaxed);
            if self.check_alerts(&mut watched, &mut turn, stopped || done) {
                return self.end(&watched, Ended::Alert);
            }
            if stopped {
                return self.end(&watched, Ended::User);
            }
            if done {
                return Ended::Run;
            }
            thread::sleep(LOOK);
        }
    }

    fn end(&self, watched: &[WatchedSource], ended: Ended) -> Ended {
        watched.iter().for_each(|one| one.source.shared.stop());
        ended
    }

    fn begin(
        &self,
        name: String,
        source: LiveSource,
        found: Option<PathBuf>,
        watched: &mut Vec<WatchedSource>,
    ) {
        let shared = Arc::new(Shared::new(self.options.clone(), None));
        let served = self.fleet.add(name.clone(), Arc::clone(&shared));
        reader::spawn(source, shared, true, None);
        let (lines, alerts) = (Lines::of(&name, true), (self.alerts)());
        watched.push(WatchedSource { source: served, lines, alerts, found, idle: None });
    }

    /// Begins with the sources that are new in a folder. Returns whether there was room for all.
    fn take_in(&self, folder: &Path, watched: &mut Vec<WatchedSource>) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return true };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if watched.iter().any(|one| one.found.as_ref() == Some(&path)) || !is_source(&path) {
                continue;
            }
            if watched.len() >= MOST {
                return false;
            }
            let is_taken = |name: &str| watched.iter().any(|one| one.source.name == name);
            // Two folders can have files of one name, and a path is nothing for strangers.
            let whole = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let own = Some(stem(&path)).filter(|stem| !is_taken(stem));
            let name = own.unwrap_or_else(|| names::free(|end| format!("{whole}{end}"), is_taken));
            let source = LiveSource::Input(Input::File(path.clone()));
            self.begin(name, source, Some(path), watched);
        }
        true
    }

    /// Checks alerts of the sources in turn, each time for a short while only unless it is the `last`.
    /// Returns whether one ends the watch.
    fn check_alerts(&self, watched: &mut [WatchedSource], turn: &mut usize, last: bool) -> bool {
        let began = Instant::now();
        for _ in 0..watched.len() {
            *turn = (*turn + 1) % watched.len();
            let WatchedSource { source, lines, alerts, .. } = &mut watched[*turn];
            if lines.say_alerts(alerts, &source.shared, self.voice, last) {
                return true;
            }
            if !last && began.elapsed() >= ALERTS {
                break;
            }
        }
        false
    }
}

impl WatchedSource {
    /// Whether the program of a source in a folder ended long ago.
    fn is_over(&mut self) -> bool {
        let Some(path) = &self.found else { return false };
        let (is_read, silent) = {
            let state = self.source.shared.state();
            (state.is_read(), state.heard.unwrap_or(state.since).elapsed())
        };
        // At a socket, the next run may begin, and a program may sleep.
        if is_socket(path) {
            self.idle = None;
            return false;
        }
        if is_read && path.exists() {
            self.idle = None;
            return silent > KEPT_SILENT;
        }
        self.idle.get_or_insert_with(Instant::now).elapsed() > KEPT
    }
}

/// Whether a file in a folder is a socket, or a log that a program has just written to.
fn is_source(path: &Path) -> bool {
    let Ok(about) = fs::metadata(path) else { return false };
    if source::is_socket(&about) {
        return true;
    }
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_log = match ending {
        "eventlog" => true,
        // The log of the same run says more, and is given up for the .hp if it has no sample.
        "hp" => !path.with_extension("eventlog").exists(),
        _ => false,
    };
    is_log && about.is_file() && age(&about).is_none_or(|age| age < RECENT)
}

fn is_socket(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| source::is_socket(&about))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn sources_have_given_names_or_those_of_their_files() {
        let of = |word: &str, privacy| match Argument::of(OsStr::new(word), privacy).unwrap() {
            Argument::Source(name, source) => (name, source.name()),
            Argument::Folder(folder) => ("folder".to_owned(), folder.display().to_string()),
        };
        for (word, name, source) in [
            ("api=/tmp/x.sock", "api", "/tmp/x.sock"),
            ("/tmp/x.sock", "x", "/tmp/x.sock"),
            ("/run/api.v2", "api.v2", "/run/api.v2"),
            ("dir/a=b.hp", "a=b", "dir/a=b.hp"),
            ("prog.eventlog", "prog", "prog.eventlog"),
            (".hp", ".hp", ".hp"),
            ("db=host:4242", "db", "host:4242"),
            ("host:4242", "host:4242", "host:4242"),
            ("-", "stdin", "standard input"),
        ] {
            assert_eq!(of(word, Privacy::Show), (name.to_owned(), source.to_owned()), "{word}");
        }
        assert_eq!(of("host:4242", Privacy::Redact).0, "4242");
        assert_eq!(of(env!("CARGO_MANIFEST_DIR"), Privacy::Show).0, "folder");
        let named = format!("a={}", env!("CARGO_MANIFEST_DIR"));
        assert!(Argument::of(OsStr::new(&named), Privacy::Show).unwrap_err().contains("folder"));
        let twice = arguments(&["a/x.hp".into(), "b/x.hp".into()], Privacy::Show).unwrap_err();
        assert!(twice.contains("one=a/x.hp two=b/x.hp"), "{twice}");
    }

    #[test]
    fn a_folder_has_sockets_and_fresh_logs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a.hp", "b.hp", "b.eventlog", "c.txt", "old.hp"] {
            fs::write(path(name), "").unwrap();
        }
        let hour = SystemTime::now() - Duration::from_secs(3600);
        fs::File::options().write(true).open(path("old.hp")).unwrap().set_modified(hour).unwrap();
        let mut taken = vec!["a.hp", "b.eventlog"];
        #[cfg(unix)]
        let _socket = {
            taken.push("s");
            std::os::unix::net::UnixListener::bind(path("s")).unwrap()
        };
        for name in ["a.hp", "b.hp", "b.eventlog", "c.txt", "old.hp", "s", "none.hp"] {
            assert_eq!(is_source(&path(name)), taken.contains(&name), "{name}");
        }
    }
}
