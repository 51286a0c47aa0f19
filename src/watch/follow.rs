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
use std::time::{Duration, Instant, SystemTime};

use super::program::Program;
use super::shared::Shared;
use super::source::LOOK;
use crate::cli::message::Message;
use crate::cli::output;
use crate::cli::target::Input;
use crate::cli::verb::Failure;
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
pub fn follow(path: &Path, shared: &Shared, forever: bool, program: Option<&Program>) {
    let mut path = path.to_owned();
    let mut reading: Option<Reading> = None;
    let mut began = Instant::now();
    let mut hp = Hp::beside(&path);
    let mut ended = false;
    while !shared.stopped() {
        // What the program wrote before it ended is still read below.
        let last_look = program.is_some_and(Program::has_ended);
        match look(&path, &mut reading, shared) {
            Ok(Look::Restarted) => (ended, began) = (false, Instant::now()),
            Ok(Look::Same) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let name = path.display();
                shared.wait_for(format!("waiting for {name}, which no longer exists"));
            }
            Err(error) => {
                let failure = Failure::new(format!("cannot read {}: {error}", path.display()));
                return shared.fail(&failure);
            }
        }
        if !ended && shared.has_ended() {
            ended = true;
            shared.closed();
        }
        if (ended || last_look) && !forever {
            if !ended {
                shared.closed();
            }
            return;
        }
        // What is no profile does not become one, except for text that is still being written.
        if !forever && shared.state().engine.is_no_profile() && rests(&path) {
            return shared.closed();
        }
        let silent = shared.state().engine.samples().0 == 0;
        let is_late = silent && began.elapsed() > PATIENCE;
        if let (true, Some(advice)) = (is_late, program.and_then(Program::advice)) {
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
    let written = fs::metadata(path).and_then(|about| about.modified());
    written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > PATIENCE))
}

struct Reading {
    file: File,
    identity: Identity,
    front: Vec<u8>,
    read: u64,
}

enum Look {
    /// The file is read from its start.
    Restarted,
    Same,
}

/// Reads new data.
fn look(path: &Path, reading: &mut Option<Reading>, shared: &Shared) -> io::Result<Look> {
    let about = fs::metadata(path)?;
    let same = match reading {
        Some(known) if known.identity == Identity::of(&about) && about.len() >= known.read => {
            about.len() == known.read || known.has_same_front()?
        }
        _ => false,
    };
    if !same {
        output::protect([&Input::File(path.to_owned())]);
        let file = File::open(path)?;
        let identity = Identity::of(&file.metadata()?);
        *reading = Some(Reading { file, identity, front: Vec::new(), read: 0 });
        shared.connected(None);
    }
    if let Some(reading) = reading {
        reading.read_on(shared)?;
    }
    Ok(if same { Look::Same } else { Look::Restarted })
}

impl Reading {
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

/// The identity of a file, independent of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    #[cfg(unix)]
    fn of(about: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Identity(about.dev(), about.ino())
    }

    #[cfg(not(unix))]
    fn of(_: &fs::Metadata) -> Self {
        Identity(0, 0)
    }
}

/// The `.hp` next to an event log, which every GHC writes after every sample.
struct Hp {
    path: PathBuf,
    /// Its length at the last check.
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
        let written = about.modified().ok();
        let age = written.and_then(|at| SystemTime::now().duration_since(at).ok());
        grows || about.len() > 0 && age.is_some_and(|age| age < RECENT)
    }
}
