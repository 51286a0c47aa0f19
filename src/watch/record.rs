//! Records every byte, in one file for each run.
//!
//! A connection begins before it is known whether it belongs to the same run; until then its bytes
//! wait. The connections of one run are appended to its file in the order in which they arrive.
//! heapviz reads such a file as one run, even if a kill cut it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::Message;

/// The most bytes that wait until it is known which run they belong to.
const MOST_WAITING: usize = 4 << 20;

/// Writes the bytes that arrive into files.
pub struct Recorder {
    path: PathBuf,
    /// The file of a run, with the run's number. The first file is created before there is a run, so that
    /// any error is reported at once.
    file: Option<(File, Option<usize>)>,
    waiting: Vec<u8>,
    /// Whether the connection's run is known.
    settled: bool,
}

impl Recorder {
    /// A recorder for a file that does not exist yet.
    ///
    /// # Errors
    /// A file that exists, and one that cannot be created.
    pub fn new(path: &Path) -> Result<Self, Message> {
        let first = File::create_new(path).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                Message::error(format!("{} already exists", path.display()))
                    .hint("a recording never overwrites a file: name another one")
            } else {
                Message::error(format!("cannot write {}: {error}", path.display()))
            }
        })?;
        Ok(Recorder {
            path: path.to_owned(),
            file: Some((first, None)),
            waiting: Vec::new(),
            settled: false,
        })
    }

    pub fn connected(&mut self) {
        self.settled = false;
    }

    /// Begins another file, whatever run the next bytes belong to.
    pub fn separate(&mut self) -> Result<(), Message> {
        let settled = if self.waiting.is_empty() { Ok(()) } else { self.write_waiting(usize::MAX) };
        self.file.take_if(|(_, run)| run.is_some());
        self.settled = false;
        settled.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &io::Error) -> Message {
        Message::error(format!("cannot record to {}: {error}", self.path.display()))
            .hint("the recording ends here, but watching continues")
    }

    /// Takes bytes of the connection. `run` is the number of its run, once that is known.
    pub fn take(&mut self, bytes: &[u8], run: Option<usize>) -> Result<(), Message> {
        self.write(bytes, run).map_err(|error| self.failure(&error))
    }

    fn write(&mut self, bytes: &[u8], run: Option<usize>) -> io::Result<()> {
        if let (true, Some((file, _))) = (self.settled, &mut self.file) {
            return file.write_all(bytes);
        }
        self.waiting.extend_from_slice(bytes);
        let run = match run {
            Some(run) => run,
            None if self.waiting.len() > MOST_WAITING => usize::MAX,
            None => return Ok(()),
        };
        self.write_waiting(run)
    }

    /// Writes the waiting bytes into the file of their run.
    fn write_waiting(&mut self, run: usize) -> io::Result<()> {
        match &mut self.file {
            Some((_, known)) if known.is_none_or(|known| known == run) => *known = Some(run),
            _ => self.file = Some((new_file(&self.path)?.0, Some(run))),
        }
        self.settled = true;
        let waiting = std::mem::take(&mut self.waiting);
        match &mut self.file {
            Some((file, _)) => file.write_all(&waiting),
            None => Ok(()),
        }
    }
}

impl Drop for Recorder {
    /// The run of the waiting bytes never became known, but they are kept. A file with nothing in it is not.
    fn drop(&mut self) {
        if !self.waiting.is_empty() {
            let _ = self.write_waiting(usize::MAX);
        }
        // With nothing in it, as on a full disk, it would only refuse the next recording.
        if fs::metadata(&self.path).is_ok_and(|about| about.is_file() && about.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A file that did not exist, under the first free of the names `run.eventlog`, `run.2.eventlog` and so on. A link is
/// not followed: its name is taken.
pub fn new_file(path: &Path) -> io::Result<(File, PathBuf)> {
    let mut name = path.to_owned();
    for number in 2.. {
        match File::create_new(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                name = numbered(path, number);
            }
            file => return Ok((file?, name)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Turns `run.eventlog` into `run.2.eventlog`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_is_recorded_in_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.eventlog");
        let mut recorder = Recorder::new(&path).unwrap();
        for (bytes, run) in [("a", None), ("b", Some(1)), ("c", Some(1))] {
            recorder.take(bytes.as_bytes(), run).unwrap();
        }
        recorder.connected();
        recorder.take(b"d", None).unwrap();
        recorder.take(b"e", Some(1)).unwrap();
        recorder.connected();
        recorder.take(b"f", Some(2)).unwrap();
        recorder.connected();
        recorder.take(b"g", None).unwrap();
        drop(recorder);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("run.eventlog"), "abcde");
        assert_eq!((read("run.2.eventlog"), read("run.3.eventlog")), ("f".into(), "g".into()));
        assert!(Recorder::new(&path).is_err());
        // One in which nothing was written is gone.
        let empty = folder.path().join("empty.eventlog");
        drop(Recorder::new(&empty).unwrap());
        assert!(!empty.exists());
    }
}
