//! Follows a file that grows.
//!
//! The file is checked ten times a second: programs write at most a few times a second, and checking
//! works in every kind of folder. A program that is started again writes its file from the start;
//! this shows in the file's identity, its length, or its first bytes, which contain the time of the
//! run.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{LOOK, Shared, WatchedProgram, identity};
use crate::cli::{Input, Message, output};
use crate::input::Buffer;

/// How many bytes at the start are compared: enough to reach beyond the header of an event log into
/// the first block.
const FRONT: usize = 4096;
const PIECE: usize = 256 << 10;
/// How long an event log may have no sample before the `.hp` next to it is considered.
const PATIENCE: Duration = Duration::from_secs(3);
/// A file that was written longer ago belongs to another run.
const RECENT: Duration = Duration::from_secs(10);

/// Reads a file from its start and continues as it grows, until the run has ended.
pub fn follow(path: &Path, shared: &Shared, forever: bool, program: Option<&WatchedProgram>) {
    let mut path = path.to_owned();
    let mut reading: Option<FollowedFile> = None;
    let mut began = Instant::now();
    let mut hp = Hp::beside(&path);
    let mut ended = false;
    while !shared.stopped() {
        // What the program wrote before it ended is still read below.
        let last_look = program.is_some_and(WatchedProgram::has_ended);
        match look(&path, &mut reading, shared) {
            Ok(is_restarted) if is_restarted => (ended, began) = (false, Instant::now()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let name = path.display();
                shared.wait_for(format!("waiting for {name}, which no longer exists"));
            }
            Err(error) => return shared.cannot_read(&path, &error),
        }
        // What is no profile does not become one, except for text that is still being written.
        let is_no_profile = || shared.state().engine.is_no_profile() && rests(&path);
        let ends = shared.has_ended() || !forever && (last_look || is_no_profile());
        if ends && !ended {
            ended = true;
            shared.closed();
        }
        if ended && !forever {
            return;
        }
        let silent = shared.state().engine.samples().0 == 0;
        let is_late = silent && began.elapsed() > PATIENCE;
        // It is given only once.
        if is_late && let Some(advice) = program.and_then(WatchedProgram::advice) {
            shared.say(advice);
        }
        if let Some(next) = hp.take_if(|hp| is_late && !ended && hp.is_written()) {
            let (old, new) = (path.display(), next.path.display());
            shared.say(Message::note(format_args!(
                "{old} has no sample yet and {new} is growing; following {new}"
            )));
            shared.other_file();
            (path, reading, began) = (next.path, None, Instant::now());
            continue;
        }
        thread::sleep(LOOK);
    }
}

/// Whether nothing was written to a file lately.
fn rests(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| age(&about).is_some_and(|age| age > PATIENCE))
}

/// How long ago a file was written; `None` if that is in the future, or not known.
fn age(about: &fs::Metadata) -> Option<Duration> {
    about.modified().ok()?.elapsed().ok()
}

struct FollowedFile {
    file: File,
    identity: (u64, u64),
    front: Vec<u8>,
    read: u64,
    /// Whether its name is gone, which was said.
    is_gone: bool,
}

/// Reads new data. Returns whether the file is read from its start.
fn look(path: &Path, reading: &mut Option<FollowedFile>, shared: &Shared) -> io::Result<bool> {
    let about = match (fs::metadata(path), &mut *reading) {
        // It was renamed or removed, perhaps to make room for an empty one. Its program still writes to it.
        (Ok(about), Some(known)) if known.identity != identity(&about) => {
            known.read_on(shared)?;
            if about.len() == 0 {
                return Ok(false);
            }
            about
        }
        (Err(error), Some(known)) if error.kind() == io::ErrorKind::NotFound => {
            known.read_on(shared)?;
            if !std::mem::replace(&mut known.is_gone, true) {
                let text =
                    format!("{} was removed; a new file of this name is followed", path.display());
                shared.say(Message::note(text));
            }
            return Ok(false);
        }
        (about, _) => about?,
    };
    let same = match reading {
        Some(known) if known.identity == identity(&about) && about.len() >= known.read => {
            about.len() == known.read || known.has_same_front()?
        }
        _ => false,
    };
    if !same {
        output::protect([&Input::File(path.to_owned())]);
        let file = File::open(path)?;
        let identity = identity(&file.metadata()?);
        *reading =
            Some(FollowedFile { file, identity, front: Vec::new(), read: 0, is_gone: false });
        shared.connected();
    }
    if let Some(reading) = reading {
        reading.read_on(shared)?;
    }
    Ok(!same)
}

impl FollowedFile {
    fn has_same_front(&mut self) -> io::Result<bool> {
        let mut front = vec![0; self.front.len()];
        self.file.seek(SeekFrom::Start(0))?;
        match self.file.read_exact(&mut front) {
            Ok(()) => Ok(front == self.front),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn read_on(&mut self, shared: &Shared) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.read))?;
        let mut piece = Buffer::new(PIECE);
        while !shared.stopped() {
            let read = match self.file.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let wanted = FRONT.saturating_sub(self.front.len()).min(read);
            self.front.extend_from_slice(&piece[..wanted]);
            self.read += read as u64;
            shared.bytes(&piece[..read]);
        }
        Ok(())
    }
}

/// The `.hp` next to an event log, which every GHC writes after every sample.
struct Hp {
    path: PathBuf,
    /// The length of the file when it was last looked at.
    length: Option<u64>,
}

impl Hp {
    fn beside(path: &Path) -> Option<Hp> {
        let is_log = path.extension().is_some_and(|ending| ending == "eventlog");
        is_log.then(|| Hp { path: path.with_extension("hp"), length: None })
    }

    /// Whether a program that runs writes it.
    fn is_written(&mut self) -> bool {
        let Ok(about) = fs::metadata(&self.path) else { return false };
        let grows = self.length.replace(about.len()).is_some_and(|before| about.len() > before);
        grows || about.len() > 0 && age(&about).is_some_and(|age| age < RECENT)
    }
}
