//! Writing a chart: whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use atomic_write_file::AtomicWriteFile;

use super::target::{Input, Output, place};

/// Whether anybody took what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Everything was written.
    Taken,
    /// The reader of standard output went away, as `head` does: no error, and nothing more to do.
    ReaderGone,
}

/// Refuses an output that is one of the inputs, also through links. `-` reads what the shell
/// opened, which is checked like a file.
pub fn refuse_inputs<'a>(
    output: &Output,
    inputs: impl IntoIterator<Item = &'a Input>,
) -> Result<()> {
    let Output::File(path) = output else { return Ok(()) };
    // A handle is an open file, and to open a named pipe waits for its other end or takes its data.
    if !path.is_file() {
        return Ok(());
    }
    let Ok(target) = same_file::Handle::from_path(path) else { return Ok(()) };
    for input in inputs {
        let same = match input {
            Input::Stdin => same_file::Handle::stdin(),
            Input::File(input) if !input.is_file() => continue,
            Input::File(input) => same_file::Handle::from_path(input),
        };
        if same.is_ok_and(|input| input == target) {
            bail!("{} is an input, and is not written over; name another file", path.display());
        }
    }
    Ok(())
}

/// Writes `bytes` to the output.
///
/// A regular file is written beside its place and moved there when complete, so that a full disk
/// or a kill leaves what was there before. Where the path is a link, the file that it names is
/// replaced and the link stays. A file that is read-only is left as it is. A pipe or device is
/// written straight.
pub fn write(output: &Output, bytes: &[u8]) -> Result<Delivery> {
    match output {
        Output::Stdout => {
            let mut stdout = io::stdout().lock();
            match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
                Ok(()) => Ok(Delivery::Taken),
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Delivery::ReaderGone),
                Err(error) => Err(error).context("cannot write to standard output"),
            }
        }
        Output::File(path) => {
            write_file(path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(Delivery::Taken)
        }
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    if is_special {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let place = place(path);
    if place.is_symlink() {
        // A ring of links names no file; the system says so better.
        fs::metadata(&place)?;
    }
    refuse_read_only(&place)?;
    written_aside(&place, bytes)?.commit()
}

/// To replace a file takes only the right to write its folder, so the file's own mode is asked: also
/// for root, who may write every file but did not make this one read-only for nothing.
fn refuse_read_only(place: &Path) -> io::Result<()> {
    let Ok(about) = fs::metadata(place) else { return Ok(()) };
    let may_write = || match fs::OpenOptions::new().write(true).open(place) {
        Err(error) => error.kind() != io::ErrorKind::PermissionDenied,
        Ok(_) => true,
    };
    if about.permissions().readonly() || !may_write() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    Ok(())
}

/// All the bytes on the disk of their place, not yet under its name.
fn written_aside(place: &Path, bytes: &[u8]) -> io::Result<AtomicWriteFile> {
    let mut file = AtomicWriteFile::open(place)?;
    file.write_all(bytes)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const PLACE: &str = "HEAPVIZ_TEST_DIE_BEFORE_RENAME";

    /// Does its work in a process of its own, which [`a_kill_before_the_rename_leaves_the_old_file`]
    /// starts.
    #[test]
    fn child_that_dies_before_the_rename() {
        if let Some(place) = std::env::var_os(PLACE) {
            let _file = written_aside(Path::new(&place), b"new").expect("room for three bytes");
            std::process::abort();
        }
    }

    #[test]
    fn a_kill_before_the_rename_leaves_the_old_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("heap.svg");
        fs::write(&place, "old").expect("a file");
        let child = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "cli::output::tests::child_that_dies_before_the_rename"])
            .env(PLACE, &place)
            .output()
            .expect("a child");
        assert_eq!(child.status.code(), None, "the child was to die");
        assert_eq!(fs::read(&place).expect("a file"), b"old");
        // Elsewhere the file beside has a name before it is complete, and is left behind.
        #[cfg(target_os = "linux")]
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        written_aside(&place, b"new").and_then(AtomicWriteFile::commit).expect("a rename");
        assert_eq!(fs::read(&place).expect("a file"), b"new");
    }
}
