//! Records every byte, in the order in which they arrive. heapviz reads such a file, also with several connections or runs
//! in it, and if a kill cut it.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use crate::cli::{Input, Message, output};

/// Writes the bytes that arrive into a file.
pub struct Recorder {
    path: PathBuf,
    file: File,
}

impl Recorder {
    /// A recorder for a file that does not exist yet. No output replaces it.
    ///
    /// # Errors
    /// A file that exists, and one that cannot be created.
    pub fn new(path: &Path) -> Result<Self, Message> {
        let file = File::create_new(path).map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                Message::error(format!("{} already exists", path.display()))
                    .hint("a recording never overwrites a file: name another one")
            } else {
                Message::error(format!("cannot write {}: {error}", path.display()))
            }
        })?;
        output::protect([&Input::File(path.to_owned())]);
        Ok(Recorder { path: path.to_owned(), file })
    }

    pub fn take(&mut self, bytes: &[u8]) -> Result<(), Message> {
        self.file.write_all(bytes).map_err(|error| self.failure(&error))
    }

    /// Begins anew: what comes next is another recording of the same run.
    pub fn begin_anew(&mut self) -> Result<(), Message> {
        let begun = self.file.set_len(0).and_then(|()| self.file.rewind());
        begun.map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &io::Error) -> Message {
        Message::error(format!("cannot record to {}: {error}", self.path.display()))
            .hint("the recording ends here, but watching continues")
    }
}

impl Drop for Recorder {
    /// With nothing in it, as on a full disk, the file would only refuse the next recording.
    fn drop(&mut self) {
        if fs::metadata(&self.path).is_ok_and(|about| about.is_file() && about.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_has_what_came_since_it_began() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.eventlog");
        let mut recorder = Recorder::new(&path).unwrap();
        recorder.take(b"abc").unwrap();
        recorder.begin_anew().unwrap();
        recorder.take(b"d").unwrap();
        recorder.take(b"e").unwrap();
        drop(recorder);
        assert_eq!(fs::read(&path).unwrap(), b"de");
        assert!(Recorder::new(&path).is_err());
        let empty = folder.path().join("empty.eventlog");
        drop(Recorder::new(&empty).unwrap());
        assert!(!empty.exists());
    }
}
