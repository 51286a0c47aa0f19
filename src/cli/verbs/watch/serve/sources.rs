//! Finds the sources that are watched together, on the command line and in folders whose programs
//! come and go, and watches them.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::fleet::{Fleet, Member};
use crate::base::units::Bytes;
use crate::cli::message::{Message, Voice};
use crate::cli::verbs::watch::alerts::Alerts;
use crate::cli::verbs::watch::origin::{Ended, Origin};
use crate::cli::verbs::watch::plain::{About, LOOK, Lines};
use crate::cli::verbs::watch::shared::{Link, Shared};
use crate::cli::verbs::watch::source;
use crate::live::{LiveOptions, Progress};
use crate::slice::Privacy;

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
pub enum Word {
    Source(String, Origin),
    Folder(PathBuf),
}

impl Word {
    /// What a word means: a folder, or a source with or without `NAME=` before it.
    ///
    /// # Errors
    /// A folder with a name.
    pub fn of(word: &OsStr, privacy: Privacy) -> Result<Word, String> {
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
                None => Ok(Word::Folder(PathBuf::from(rest))),
                Some(_) => Err(format!(
                    "{} is a folder: its sources have the names of their files",
                    rest.display()
                )),
            };
        }
        let origin = Origin::of(rest)?;
        let name = name.map_or_else(|| name_of(&origin, privacy), str::to_owned);
        Ok(Word::Source(name, origin))
    }
}

/// The name of a source that was given none.
fn name_of(origin: &Origin, privacy: Privacy) -> String {
    match (origin, privacy) {
        (Origin::Stdin, _) => "stdin".to_owned(),
        (Origin::Path(path), _) => stem(path),
        (Origin::Tcp(address), Privacy::Show) => address.clone(),
        (Origin::Tcp(address), Privacy::Redact) => {
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

/// Two sources have one name, or there are too many.
///
/// # Errors
/// Why the words do not fit together.
pub fn check(words: &[Word]) -> Result<(), String> {
    let mut known: HashMap<&str, &Origin> = HashMap::new();
    for word in words {
        let Word::Source(name, origin) = word else { continue };
        if let Some(other) = known.insert(name, origin) {
            let (one, two) = (other.name(), origin.name());
            return Err(format!(
                "{one} and {two} are both called `{name}`: name them, as in one={one} two={two}"
            ));
        }
    }
    match words.len() > MOST {
        true => Err(format!("at most {MOST} sources can be watched together")),
        false => Ok(()),
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
    /// Where they are served from.
    pub fleet: &'a Fleet,
    /// What is kept of each.
    pub options: LiveOptions,
    pub alerts: &'a dyn Fn() -> Alerts,
    /// How much is reported.
    pub voice: Voice,
    /// Set when the user ends the watch.
    pub stop: &'a AtomicBool,
}

/// A source with what the main thread knows of it.
struct Attended {
    source: Arc<Member>,
    lines: Lines,
    alerts: Alerts,
    /// Its path, if it was found in a folder.
    found: Option<PathBuf>,
    /// Since when there is nothing to expect of it.
    idle: Option<Instant>,
}

impl Several<'_> {
    /// Watches them.
    pub fn run(&self, words: Vec<Word>) -> Ended {
        let mut attended = Vec::new();
        let mut folders = Vec::new();
        for word in words {
            match word {
                Word::Source(name, origin) => self.begin(name, origin, None, &mut attended),
                Word::Folder(folder) => folders.push(folder),
            }
        }
        let mut folders_due = Instant::now();
        let mut turn = 0;
        let mut was_full = false;
        loop {
            if !folders.is_empty() && Instant::now() >= folders_due {
                folders_due = Instant::now() + FOLDER_LOOK;
                attended.retain_mut(|one: &mut Attended| match one.is_over() {
                    true => {
                        one.source.shared.stop();
                        self.fleet.remove(&one.source.name);
                        self.voice.summarise(&format!("{}: no longer served", one.source.name));
                        false
                    }
                    false => true,
                });
                for folder in &folders {
                    let is_full = !self.take_in(folder, &mut attended);
                    if is_full && !std::mem::replace(&mut was_full, is_full) {
                        let text = format!("only {MOST} sources are watched together");
                        self.voice.say(&Message::warning(text));
                    }
                }
            }
            let mut done = folders.is_empty();
            for one in &mut attended {
                done &= one.lines.say_news(&one.source.shared, self.voice, About::OneOfSeveral);
            }
            let stopped = self.stop.load(Ordering::Relaxed);
            if self.check_alerts(&mut attended, &mut turn, stopped || done) {
                return self.end(&attended, Ended::Alert);
            }
            if stopped {
                return self.end(&attended, Ended::User);
            }
            if done {
                return Ended::Run;
            }
            thread::sleep(LOOK);
        }
    }

    fn end(&self, attended: &[Attended], ended: Ended) -> Ended {
        attended.iter().for_each(|one| one.source.shared.stop());
        ended
    }

    fn begin(
        &self,
        name: String,
        origin: Origin,
        found: Option<PathBuf>,
        attended: &mut Vec<Attended>,
    ) {
        let shared = Arc::new(Shared::new(self.options.clone(), None));
        let source = self.fleet.add(name.clone(), Arc::clone(&shared));
        source::spawn(origin, shared, true, None);
        let (lines, alerts) = (Lines::of(&name), (self.alerts)());
        attended.push(Attended { source, lines, alerts, found, idle: None });
    }

    /// Begins with the sources that are new in a folder. Returns whether there was room for all.
    fn take_in(&self, folder: &Path, attended: &mut Vec<Attended>) -> bool {
        let Ok(entries) = fs::read_dir(folder) else { return true };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if attended.iter().any(|one| one.found.as_ref() == Some(&path)) || !is_source(&path) {
                continue;
            }
            if attended.len() >= MOST {
                return false;
            }
            let is_taken = |name: &str| attended.iter().any(|one| one.source.name == name);
            // Two folders can have files of one name, and a path is nothing for strangers.
            let whole = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let numbered = (2..=MOST + 1).map(|number| format!("{whole} #{number}"));
            let mut names = [stem(&path), whole.clone()].into_iter().chain(numbered);
            if let Some(name) = names.find(|name| !is_taken(name)) {
                self.begin(name, Origin::Path(path.clone()), Some(path), attended);
            }
        }
        true
    }

    /// Checks alerts of the sources in turn, each time for a short while only unless it is the `last`.
    /// Returns whether one ends the watch.
    fn check_alerts(&self, attended: &mut [Attended], turn: &mut usize, last: bool) -> bool {
        let began = Instant::now();
        for _ in 0..attended.len() {
            *turn = (*turn + 1) % attended.len();
            let Attended { source, alerts, .. } = &mut attended[*turn];
            let raised = if last {
                alerts.check_now(&source.shared)
            } else {
                alerts.check_when_due(&source.shared)
            };
            raised.into_iter().for_each(|raised| raised.message.named(&source.name).say());
            alerts.waiting().into_iter().for_each(|note| self.voice.say(&note.named(&source.name)));
            if alerts.end_the_watch() {
                return true;
            }
            if !last && began.elapsed() >= ALERTS {
                break;
            }
        }
        false
    }
}

impl Attended {
    /// Whether the program of a source in a folder ended long ago.
    fn is_over(&mut self) -> bool {
        let Some(path) = &self.found else { return false };
        let (is_read, silent) = {
            let state = self.source.shared.state();
            let is_read = state.link == Link::Open && state.engine.progress() != Progress::Ended;
            (is_read, state.heard.unwrap_or(state.since).elapsed())
        };
        // At a socket, the next run may begin, and a program may sleep.
        let is_there = path.exists();
        if is_there && is_socket(path) {
            self.idle = None;
            return false;
        }
        if is_there && is_read {
            self.idle = None;
            return silent > KEPT_SILENT;
        }
        self.idle.get_or_insert_with(Instant::now).elapsed() > KEPT
    }
}

/// Whether a file in a folder is a socket, or a log that a program has just written to.
fn is_source(path: &Path) -> bool {
    let Ok(about) = fs::metadata(path) else { return false };
    if is_socket(path) {
        return true;
    }
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_log = match ending {
        "eventlog" => true,
        // The log of the same run says more, and is given up for the .hp if it has no sample.
        "hp" => !path.with_extension("eventlog").exists(),
        _ => false,
    };
    let age = about.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    is_log && about.is_file() && age.is_none_or(|age| age < RECENT)
}

#[cfg(unix)]
fn is_socket(path: &Path) -> bool {
    let is = |about: fs::Metadata| std::os::unix::fs::FileTypeExt::is_socket(&about.file_type());
    fs::metadata(path).is_ok_and(is)
}

#[cfg(not(unix))]
fn is_socket(_: &Path) -> bool {
    false
}

/// The words of a command line.
///
/// # Errors
/// Words that mean nothing, or do not fit together.
pub fn words(origins: &[OsString], privacy: Privacy) -> Result<Vec<Word>, String> {
    let words: Vec<Word> =
        origins.iter().map(|word| Word::of(word, privacy)).collect::<Result<_, String>>()?;
    check(&words)?;
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_given_names_or_those_of_their_files() {
        let of = |word: &str, privacy| match Word::of(OsStr::new(word), privacy).unwrap() {
            Word::Source(name, origin) => (name, origin.name()),
            Word::Folder(folder) => ("folder".to_owned(), folder.display().to_string()),
        };
        for (word, name, origin) in [
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
            assert_eq!(of(word, Privacy::Show), (name.to_owned(), origin.to_owned()), "{word}");
        }
        assert_eq!(of("host:4242", Privacy::Redact).0, "4242");
        assert_eq!(of(env!("CARGO_MANIFEST_DIR"), Privacy::Show).0, "folder");
        let named = format!("a={}", env!("CARGO_MANIFEST_DIR"));
        assert!(Word::of(OsStr::new(&named), Privacy::Show).unwrap_err().contains("folder"));
        let twice = words(&["a/x.hp".into(), "b/x.hp".into()], Privacy::Show).unwrap_err();
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
