//! Writes a file that appears complete under its name, or not at all.
//!
//! The bytes are written to a temporary file in the same folder, which is moved to its name when all bytes
//! are on the disk. So a full disk or a kill leaves the old file. On Linux the temporary file has no name
//! until then (`O_TMPFILE`), and a kill leaves nothing of it. To replace a file, the new one needs a
//! name for a moment; signals that would end the program are held back for that moment. A file
//! `.heapviz-…` can remain after a SIGKILL or a power cut in that moment, and, on systems without unnamed
//! files, after a kill while the bytes are written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file on its way to its place.
#[derive(Debug)]
pub struct WholeFile {
    place: PathBuf,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    #[cfg(target_os = "linux")]
    Unnamed(unnamed::Unnamed),
    Named(NamedTempFile),
}

impl WholeFile {
    /// An empty file for a place, which is as readable and belongs to the same user as the one that
    /// it will replace, as far as the system allows.
    ///
    /// # Errors
    /// The error of the system: for example, a folder is missing or cannot be written.
    pub fn for_place(place: &Path) -> io::Result<Self> {
        let file = WholeFile { place: place.to_owned(), bytes: Bytes::in_folder(folder(place))? };
        if let Ok(replaced) = fs::metadata(place) {
            file.resemble(&replaced)?;
        }
        Ok(file)
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// The error of the system; the destination is unchanged.
    pub fn commit(self) -> io::Result<()> {
        self.commit_with(|| {})
    }

    /// As [`WholeFile::commit`]; `between` is done when a file that replaces another has a name that
    /// is not its own.
    fn commit_with(self, between: impl FnOnce()) -> io::Result<()> {
        self.file().sync_all()?;
        match self.bytes {
            #[cfg(target_os = "linux")]
            Bytes::Unnamed(file) => {
                if file.link(&self.place).is_ok() {
                    return Ok(());
                }
                let _held = held::Held::signals();
                let named = builder().make_in(folder(&self.place), |path| file.link(path))?;
                between();
                named.persist(&self.place)?;
            }
            Bytes::Named(file) => {
                between();
                file.persist(&self.place)?;
            }
        }
        Ok(())
    }

    fn file(&self) -> &File {
        match &self.bytes {
            #[cfg(target_os = "linux")]
            Bytes::Unnamed(file) => file.file(),
            Bytes::Named(file) => file.as_file(),
        }
    }

    /// That the owner cannot be kept is not an error: only root can give files away.
    fn resemble(&self, replaced: &fs::Metadata) -> io::Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let now = self.file().metadata()?;
            if (now.uid(), now.gid()) != (replaced.uid(), replaced.gid()) {
                let _ = fchown(self.file(), Some(replaced.uid()), Some(replaced.gid()));
            }
        }
        self.file().set_permissions(replaced.permissions())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Bytes {
    fn in_folder(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::Unnamed::in_folder(folder) {
            return Ok(Bytes::Unnamed(file));
        }
        Ok(Bytes::Named(builder().tempfile_in(folder)?))
    }
}

/// Names of files that are not in their place yet.
fn builder() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".heapviz-");
    // What the user's umask leaves of it, as for any new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// The folder that a place is in.
fn folder(place: &Path) -> &Path {
    match place.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    /// A file without a name.
    #[derive(Debug)]
    pub struct Unnamed {
        file: File,
        /// What the system calls it.
        path: PathBuf,
    }

    impl Unnamed {
        /// `None` where the file system has none, and where they could get no name later.
        pub fn in_folder(folder: &Path) -> Option<Self> {
            let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
            let file = File::from(openat(CWD, folder, flags, Mode::from_raw_mode(0o666)).ok()?);
            let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            path.exists().then_some(Unnamed { file, path })
        }

        pub fn file(&self) -> &File {
            &self.file
        }

        /// Names it; a name that is taken is an error.
        pub fn link(&self, name: &Path) -> io::Result<()> {
            Ok(linkat(CWD, &self.path, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
        }
    }
}

#[cfg(target_os = "linux")]
mod held {
    use nix::sys::signal::{SigSet, SigmaskHow, Signal};

    /// Signals that would end the program wait until this is dropped. It holds them from the thread
    /// that writes, which is the only one then, or has companions that handle them otherwise
    /// (`heapviz watch`).
    pub struct Held(Option<SigSet>);

    impl Held {
        pub fn signals() -> Self {
            let ending = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT];
            let ending: SigSet = ending.into_iter().collect();
            // That they cannot be held leaves what was before: a moment in which a file can remain.
            Held(ending.thread_swap_mask(SigmaskHow::SIG_BLOCK).ok())
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            if let Some(before) = self.0 {
                let _ = before.thread_set_mask();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const PLACE: &str = "HEAPVIZ_TEST_DIE_WHILE_WRITING";

    fn written(place: &Path) -> WholeFile {
        let mut file = WholeFile::for_place(place).expect("a file");
        file.write_all(b"new").expect("room for three bytes");
        file
    }

    /// Runs one of the tests that end their process.
    fn run_child(name: &str, place: &Path) -> std::process::ExitStatus {
        Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", &format!("cli::whole_file::tests::{name}"), "--test-threads=1"])
            .env(PLACE, place)
            .output()
            .expect("a child")
            .status
    }

    #[test]
    fn child_killed_before_the_rename() {
        if let Some(place) = std::env::var_os(PLACE) {
            let _file = written(Path::new(&place));
            std::process::abort();
        }
    }

    #[test]
    fn a_kill_before_the_rename_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("heap.svg");
        fs::write(&place, "old").expect("a file");
        let status = run_child("child_killed_before_the_rename", &place);
        assert_eq!(status.code(), None, "the child was to die");
        assert_eq!(fs::read(&place).expect("a file"), b"old");
        // Elsewhere the file has a name before it is complete, and remains.
        #[cfg(target_os = "linux")]
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        written(&place).commit().expect("a name");
        assert_eq!(fs::read(&place).expect("a file"), b"new");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn child_ended_during_the_rename() {
        use nix::sys::signal::{Signal, raise};
        if let Some(place) = std::env::var_os(PLACE) {
            // To this thread: the test has another one, which the command has not when it writes.
            let end = || raise(Signal::SIGTERM).expect("a signal");
            written(Path::new(&place)).commit_with(end).expect("a name");
            // The signal that waited ends the process before this is reached.
            std::process::exit(3);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_signal_during_the_rename_leaves_only_the_new_file() {
        use std::os::unix::process::ExitStatusExt;
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("heap.svg");
        fs::write(&place, "old").expect("a file");
        let status = run_child("child_ended_during_the_rename", &place);
        assert_eq!(status.signal(), Some(15), "{status}");
        assert_eq!(fs::read(&place).expect("a file"), b"new");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_keeps_the_permissions_of_the_one_it_replaces() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("heap.svg");
        let mode = |place: &Path| fs::metadata(place).expect("a file").permissions().mode() & 0o777;
        written(&place).commit().expect("a name");
        assert_eq!(mode(&place) & 0o111, 0, "nobody runs a picture");
        for wanted in [0o600, 0o644] {
            fs::set_permissions(&place, fs::Permissions::from_mode(wanted)).expect("a mode");
            written(&place).commit().expect("a name");
            assert_eq!(mode(&place), wanted);
        }
    }
}
