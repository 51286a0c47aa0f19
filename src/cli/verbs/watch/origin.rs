//! Where the bytes come from: a file, a pipe, a socket, or standard input.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::cli::target::Input;
use crate::slice::Privacy;

/// How often to check whether something is there, and whether to stop.
pub const LOOK: Duration = Duration::from_millis(100);

/// Where the bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `-`.
    Stdin,
    /// A file, pipe or socket, whichever is found when it is opened.
    Path(PathBuf),
    /// A host and port.
    Tcp(String),
}

impl Origin {
    /// The origin that a word of the command line means.
    ///
    /// # Errors
    /// Folders.
    pub fn of(word: &OsStr) -> Result<Origin, String> {
        let text = word.to_str().unwrap_or_default();
        let path = PathBuf::from(word);
        if text == "-" {
            return Ok(Origin::Stdin);
        }
        if let Some(address) = text.strip_prefix("tcp:") {
            return Ok(Origin::Tcp(address.to_owned()));
        }
        if path.is_dir() {
            return Err(format!("{} is a folder; name the log in it", path.display()));
        }
        let is_address = text.rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok()
        });
        if is_address && !path.exists() {
            return Ok(Origin::Tcp(text.to_owned()));
        }
        Ok(Origin::Path(text.strip_prefix("unix:").map_or(path, PathBuf::from)))
    }

    /// The named pipe that it is.
    pub fn pipe(&self) -> Option<PathBuf> {
        match self {
            Origin::Path(path) if fs::metadata(path).is_ok_and(|about| is_pipe(&about)) => {
                Some(path.clone())
            }
            _ => None,
        }
    }

    /// What documents call it.
    pub fn file(&self, privacy: Privacy) -> Option<String> {
        match (self, privacy) {
            (Origin::Stdin, _) | (Origin::Tcp(_), Privacy::Redact) => None,
            (Origin::Path(path), _) => Input::of(path).file(privacy),
            (Origin::Tcp(address), Privacy::Show) => Some(address.clone()),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Origin::Stdin => "standard input".to_owned(),
            Origin::Path(path) => path.display().to_string(),
            Origin::Tcp(address) => address.clone(),
        }
    }
}

/// How a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The run ended, or everything was read.
    Run,
    User,
    /// An alert was raised, and the user had asked to end then.
    Alert,
}

#[cfg(unix)]
fn is_pipe(about: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&about.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_source_is_recognised() {
        let of = |word: &str| Origin::of(OsStr::new(word)).unwrap();
        assert_eq!(of("-"), Origin::Stdin);
        assert_eq!(of("localhost:4242"), Origin::Tcp("localhost:4242".into()));
        assert_eq!(of("[::1]:4242"), Origin::Tcp("[::1]:4242".into()));
        assert_eq!(of("tcp:host:1"), Origin::Tcp("host:1".into()));
        assert_eq!(of("prog.eventlog"), Origin::Path("prog.eventlog".into()));
        assert_eq!(of("/tmp/a:1"), Origin::Path("/tmp/a:1".into()));
        assert_eq!(of("a:b"), Origin::Path("a:b".into()));
        assert!(Origin::of(OsStr::new(env!("CARGO_MANIFEST_DIR"))).is_err());
    }
}
