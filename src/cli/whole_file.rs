//! Writes a file that appears complete under its name, or not at all.
//!
//! The bytes are written to a temporary file `.heapviz-…` in the same folder, which is moved to its name when
//! all bytes are on the disk. So a full disk or a kill leaves the old file; a kill also leaves the temporary
//! one.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A file on its way to its place.
#[derive(Debug)]
pub struct WholeFile {
    place: PathBuf,
    file: NamedTempFile,
}

impl WholeFile {
    /// An empty file for a place, which is as readable and belongs to the same user as the one that
    /// it will replace, as far as the system allows.
    ///
    /// # Errors
    /// The error of the system: for example, a folder is missing or cannot be written.
    pub fn for_place(place: &Path) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(".heapviz-");
        // What the user's umask leaves of it, as for any new file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let folder = place.parent().filter(|folder| *folder != Path::new(""));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        let file = WholeFile { place: place.to_owned(), file };
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
        self.file.as_file().sync_all()?;
        self.file.persist(&self.place)?;
        Ok(())
    }

    /// That the owner cannot be kept is not an error: only root can give files away.
    fn resemble(&self, replaced: &fs::Metadata) -> io::Result<()> {
        let file = self.file.as_file();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            let now = file.metadata()?;
            if (now.uid(), now.gid()) != (replaced.uid(), replaced.gid()) {
                let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
            }
        }
        file.set_permissions(replaced.permissions())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(place: &Path) -> WholeFile {
        let mut file = WholeFile::for_place(place).expect("a file");
        file.write_all(b"new").expect("room for three bytes");
        file
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("heap.svg");
        fs::write(&place, "old").expect("a file");
        drop(written(&place));
        let new = written(&place);
        assert_eq!(fs::read(&place).expect("a file"), b"old");
        new.commit().expect("a name");
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
