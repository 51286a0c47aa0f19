//! What can be watched: a file, a pipe, a socket, or standard input.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::cli::Input;
use crate::slice::Privacy;

/// How often to check whether something is there, and whether to stop.
pub const LOOK: Duration = Duration::from_millis(100);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveSource {
    /// `-`, or a file, pipe or socket, whichever is found when it is opened.
    Input(Input),
    Tcp(String),
}

impl LiveSource {
    /// The source that a word of the command line means.
    ///
    /// # Errors
    /// Folders.
    pub fn new(word: &OsStr) -> Result<LiveSource, String> {
        let text = word.to_str().unwrap_or_default();
        let path = PathBuf::from(word);
        if text == "-" {
            return Ok(LiveSource::Input(Input::Stdin));
        }
        if let Some(address) = text.strip_prefix("tcp:") {
            return Ok(LiveSource::Tcp(address.to_owned()));
        }
        if path.is_dir() {
            return Err(format!("{} is a folder; name the log in it", path.display()));
        }
        let is_address = text.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok()
        });
        if is_address && !path.exists() {
            return Ok(LiveSource::Tcp(text.to_owned()));
        }
        let path = text.strip_prefix("unix:").map_or(path, PathBuf::from);
        Ok(LiveSource::Input(Input::File(path)))
    }

    /// The named pipe that it is.
    pub fn pipe(&self) -> Option<PathBuf> {
        let LiveSource::Input(Input::File(path)) = self else { return None };
        fs::metadata(path).is_ok_and(|about| is_pipe(&about)).then(|| path.clone())
    }

    /// The name of the source in documents.
    pub fn file(&self, privacy: Privacy) -> Option<String> {
        match (self, privacy) {
            (LiveSource::Input(input), _) => input.file(privacy),
            (LiveSource::Tcp(_), Privacy::Redact) => None,
            (LiveSource::Tcp(address), Privacy::Show) => Some(address.clone()),
        }
    }

    pub fn name(&self) -> String {
        match self {
            LiveSource::Input(input) => input.name(),
            LiveSource::Tcp(address) => address.clone(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// The run ended, or everything was read.
    Run,
    User,
    /// An alert was raised, and the user had asked to end then.
    Alert,
}

/// The identity of a file, independent of its name.
#[cfg(unix)]
pub fn identity(about: &fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (about.dev(), about.ino())
}

#[cfg(not(unix))]
pub fn identity(_: &fs::Metadata) -> (u64, u64) {
    (0, 0)
}

#[cfg(unix)]
fn is_pipe(about: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&about.file_type())
}

#[cfg(unix)]
pub fn is_socket(about: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&about.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}

#[cfg(not(unix))]
pub fn is_socket(_: &fs::Metadata) -> bool {
    false
}
