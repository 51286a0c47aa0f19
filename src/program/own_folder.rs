//! Folders for the files of one run of a program, and proof that a folder is one of them.
//!
//! All are in one folder of heapviz's own, in the folder for temporary files. (Not in `$XDG_RUNTIME_DIR`: it is memory,
//! and its specification keeps it free of large files, as logs are.) A run that was killed leaves its folder, and the
//! next run removes it. Names prove nothing, because users give names, too: a folder is removed only if it has a lock
//! that heapviz wrote and that nobody holds, and only the files are removed whose names are given here.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::cli::Message;

/// The file that is locked as long as the command lives, which no kill can prevent.
const LOCK: &str = "lock";
const MARK: &[u8] = b"heapviz: the folder of one run, which is removed after it\n";
/// The socket of an event log.
pub const SOCKET: &str = "eventlog.sock";
/// How the names of the other files end: what GHC writes.
const ENDINGS: [&str; 3] = ["eventlog", "hp", "prof"];

/// A folder for the files of a program, which only this user can enter. It is removed with this, or, if the command
/// is killed, by the next one that makes such a folder.
#[derive(Debug)]
pub struct OwnFolder {
    path: PathBuf,
    _lock: File,
}

impl OwnFolder {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Makes one.
///
/// # Errors
/// A folder for temporary files in which nothing can be written, and one in which heapviz's name is taken.
pub fn own_folder() -> Result<OwnFolder, Message> {
    let all = folder_of_all()?;
    remove_left(&all);
    let make = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix("run-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let path = builder.tempdir_in(&all)?.keep();
        // The lock has its name when it is locked.
        let new = path.join("new");
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut lock = options.open(&new)?;
        lock.write_all(MARK)?;
        lock.lock()?;
        fs::rename(new, path.join(LOCK))?;
        Ok(OwnFolder { path, _lock: lock })
    };
    make().map_err(|error: io::Error| {
        Message::error(format!("cannot make a folder in {}: {error}", all.display()))
            .hint("set TMPDIR to a folder with room in which you may write")
    })
}

/// The folder of heapviz in which all others are.
fn folder_of_all() -> Result<PathBuf, Message> {
    #[cfg(unix)]
    let name = format!("heapviz-{}", rustix::process::geteuid().as_raw());
    #[cfg(not(unix))]
    let name = "heapviz";
    let path = std::env::temp_dir().join(name);
    #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes of folders"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(&path);
    match is_own_folder(&path) {
        Ok(true) => Ok(path),
        Ok(false) => Err(Message::error(format!(
            "{} is not a folder that only you can enter",
            path.display()
        ))
        .hint("heapviz keeps the files of its runs there: set TMPDIR to a folder of your own")),
        Err(error) => {
            let error = made.err().unwrap_or(error);
            Err(Message::error(format!("cannot make a folder: {}: {error}", path.display()))
                .hint("set TMPDIR to a folder in which you may write"))
        }
    }
}

/// Whether a path is a folder, not a link to one, that belongs to this user, and that nobody else can enter.
fn is_own_folder(path: &Path) -> io::Result<bool> {
    // Of the entry itself: links are not followed.
    let about = fs::symlink_metadata(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if about.uid() != rustix::process::geteuid().as_raw() || about.mode() & 0o077 != 0 {
            return Ok(false);
        }
    }
    Ok(about.is_dir())
}

/// Removes the folders of commands that were killed.
fn remove_left(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let path = entry.path();
        if !is_own_folder(&path).is_ok_and(|is_own| is_own) {
            continue;
        }
        if let Some(lock) = marked(&path.join(LOCK), MARK)
            && lock.try_lock().is_ok()
        {
            remove(&path);
        }
    }
}

/// A file, if it contains exactly this mark. A link is not followed, and a pipe or whatever else has that name is not
/// waited for.
pub fn marked(path: &Path, mark: &[u8]) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    let file = options.open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = Vec::new();
    (&file).take(mark.len() as u64 + 1).read_to_end(&mut text).ok()?;
    (text == mark).then_some(file)
}

/// Whether a folder has no room left for a log.
pub fn is_full(folder: &Path) -> bool {
    const LEAST: u64 = 1 << 16;
    #[cfg(unix)]
    return rustix::fs::statvfs(folder)
        .is_ok_and(|about| about.f_bavail.saturating_mul(about.f_frsize) < LEAST);
    #[cfg(not(unix))]
    {
        let _ = (folder, LEAST);
        false
    }
}

/// Removes the files of a run, and its folder if nothing else is in it.
fn remove(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let has_ending = ENDINGS.iter().any(|ending| path.extension() == Some(OsStr::new(ending)));
        if has_ending || entry.file_name() == SOCKET {
            let _ = fs::remove_file(path);
        }
    }
    // Without its lock, a folder with other files is nobody's but the user's.
    let _ = fs::remove_file(folder.join(LOCK));
    let _ = fs::remove_dir(folder);
}
