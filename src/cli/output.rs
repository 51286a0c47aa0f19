//! Writes an output completely or not at all.
//!
//! The bytes are written to a temporary file in the same folder, which gets its name when all bytes are on the disk.
//! So a full disk or a signal leaves the old file. On Linux the temporary file has no name before (`O_TMPFILE`), so
//! that nothing remains of it however the command ends. To replace a file, the new one needs a name for a
//! moment; signals wait for that moment, and a SIGKILL in it leaves a file `.heapviz-…`. On other systems, and on
//! file systems that have no unnamed files, any signal does that while the file is written.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use tempfile::{Builder, NamedTempFile};

use super::target::{folder, place};
use super::{Input, Output};
use crate::base::text::visible;

/// How many bytes of a stream are written at once.
const PIECE: usize = 1 << 16;

/// Whether the output was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Taken,
    /// The reader of standard output went away, as `head` does. This is not an error, and nothing
    /// remains to be done.
    ReaderGone,
}

/// Everything that this call reads: profiles, baselines, fonts, sources, a program.
static READ: Mutex<Vec<Input>> = Mutex::new(Vec::new());

/// Notes what this call reads, now or later, so that no output replaces it.
pub fn protect<'a>(inputs: impl IntoIterator<Item = &'a Input>) {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    for input in inputs {
        if !read.contains(input) {
            read.push(input.clone());
        }
    }
}

/// How the files begin that are written here. Others may be sources, or say how a program is built: a list of those would
/// never end.
const BEGINNINGS: [&[u8]; 10] = [
    b"<svg",
    b"<!doctype html",
    b"\x89PNG",
    b"%PDF",
    b"%!PS",
    b"JOB \"",
    b"{\"format\":\"heapviz",
    b"{\n  \"format\": \"heapviz",
    b"{\"$schema\":\"https://www.speedscope.app",
    // A gzip header without a time and a system: pprof.
    b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
];
/// The endings of texts, which have no beginning of their own. People edit the `.aux` of hp2ps.
const TEXTS: [&str; 5] = ["txt", "md", "csv", "folded", "aux"];

/// Whether it may be a file that was written here. Other programs begin a picture as XML.
fn may_be_ours(place: &Path) -> bool {
    let mut begins = Vec::new();
    let read = fs::File::open(place).and_then(|file| file.take(1024).read_to_end(&mut begins));
    let ending = place.extension().unwrap_or_default().to_ascii_lowercase();
    let is_svg = begins.starts_with(b"<?xml") && begins.windows(4).any(|part| part == b"<svg");
    // What cannot be read is refused where it is written.
    read.is_err()
        || begins.is_empty()
        || is_svg
        || TEXTS.iter().any(|text| ending == *text)
        || BEGINNINGS.iter().any(|beginning| begins.starts_with(beginning))
}

/// Refuses outputs that are also read, even through links or as standard output, and files that are not written here. Every
/// file is checked again when it is written; asking before saves the work.
pub fn refuse_protected<'a>(outputs: impl IntoIterator<Item = &'a Output>) -> Result<()> {
    outputs.into_iter().try_for_each(refuse_one)
}

fn refuse_one(output: &Output) -> Result<()> {
    let (name, target) = match output {
        Output::Stdout => ("standard output".to_owned(), same_file::Handle::stdout()),
        // The comparison opens the file, and opening a named pipe would wait for its other end or take
        // its data.
        Output::File(path) if !path.is_file() => return Ok(()),
        Output::File(path) => (path.display().to_string(), same_file::Handle::from_path(path)),
    };
    let Ok(target) = target else { return Ok(()) };
    if !target.as_file().metadata().is_ok_and(|about| about.is_file()) {
        return Ok(());
    }
    for input in READ.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let same = match input {
            Input::Stdin => same_file::Handle::stdin(),
            Input::File(input) if !input.is_file() => continue,
            Input::File(input) => same_file::Handle::from_path(input),
        };
        if same.is_ok_and(|input| input == target) {
            bail!("{name} is an input and is not overwritten; name another file");
        }
    }
    match output {
        Output::File(path) if !may_be_ours(&place(path)) => bail!(
            "{name} is no file that heapviz writes, and is not overwritten; remove it, or name another file"
        ),
        Output::File(_) | Output::Stdout => Ok(()),
    }
}

/// Writes `bytes` to the output, see [`write_with`].
pub fn write(output: &Output, bytes: &[u8]) -> Result<Delivery> {
    write_with(output, |out| out.write_all(bytes))
}

/// Writes the output piece by piece, as `fill` produces it.
///
/// A regular file is written next to its place and moved there when it is complete, see
/// [`WholeFile`]. If the path is a link, the file that it names is replaced and the link stays. A
/// read-only file is left as it is. Pipes and devices are written directly.
pub fn write_with(
    output: &Output,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Delivery> {
    refuse_one(output)?;
    match output {
        Output::Stdout if io::stdout().is_terminal() => {
            let mut bytes = Vec::new();
            let filled = fill(&mut bytes);
            let shown = for_terminal(&String::from_utf8_lossy(&bytes));
            delivery(filled.and_then(|()| io::stdout().write_all(shown.as_bytes())))
        }
        Output::Stdout => delivery(fill_up(io::stdout().lock(), fill).map(drop)),
        Output::File(path) => {
            write_file(path, fill).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(Delivery::Taken)
        }
    }
}

/// A text in which names cannot control the terminal that shows it.
fn for_terminal(text: &str) -> String {
    let ends = ['\n', '\r', '\t'];
    let shown = |piece: &str| {
        let name = piece.trim_end_matches(ends);
        visible(name) + &piece[name.len()..]
    };
    text.split_inclusive(ends).map(shown).collect()
}

/// Lets `fill` write in large pieces, and makes sure that the last one is written, too.
fn fill_up<W: Write>(out: W, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<W> {
    let mut buffer = BufWriter::with_capacity(PIECE, out);
    fill(&mut buffer)?;
    buffer.flush()?;
    buffer.into_inner().map_err(io::IntoInnerError::into_error)
}

/// The outcome of writing to standard output.
///
/// # Errors The errors of writing, except for a reader that went away.
pub fn delivery(written: io::Result<()>) -> Result<Delivery> {
    match written {
        Ok(()) => Ok(Delivery::Taken),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Delivery::ReaderGone),
        Err(error) => Err(error).context("cannot write to standard output"),
    }
}

fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
    if is_special {
        return fill_up(fs::OpenOptions::new().write(true).open(path)?, fill).map(drop);
    }
    let place = place(path);
    if place.is_symlink() {
        // A cycle of links does not name a file; here the system reports that.
        fs::metadata(&place)?;
    }
    refuse_read_only(&place)?;
    let file =
        WholeFile::for_place(&place).map_err(|error| without_temporary_name(&place, &error))?;
    fill_up(file, fill)?.commit()
}

/// The error of a new file without the name of the temporary file.
fn without_temporary_name(place: &Path, error: &io::Error) -> io::Error {
    let folder = place.parent().filter(|folder| *folder != Path::new(""));
    match folder {
        Some(folder) if !folder.exists() => {
            let text = format!("there is no folder {}", folder.display());
            io::Error::new(io::ErrorKind::NotFound, text)
        }
        // Such as /proc.
        Some(folder) if error.kind() == io::ErrorKind::NotFound => {
            let text = format!("no file can be created in {}", folder.display());
            io::Error::new(io::ErrorKind::ReadOnlyFilesystem, text)
        }
        _ => {
            let text = error.to_string();
            let system = text.split(" at path ").next().unwrap_or(&text);
            io::Error::new(error.kind(), system.to_owned())
        }
    }
}

/// Replacing a file needs only permission to write its folder, so the file's own mode is checked.
/// This holds for root, too, who may write every file but made this one read-only for a reason.
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

/// A file on its way to its place.
#[derive(Debug)]
pub struct WholeFile {
    place: PathBuf,
    file: NewFile,
}

#[derive(Debug)]
enum NewFile {
    #[cfg(target_os = "linux")]
    Unnamed(fs::File),
    Named(NamedTempFile),
}

impl WholeFile {
    /// An empty file for a place, which is as readable and belongs to the same user as the one that
    /// it will replace, as far as the system allows.
    ///
    /// # Errors
    /// The error of the system: for example, a folder is missing or cannot be written.
    pub fn for_place(place: &Path) -> io::Result<Self> {
        let file = WholeFile { place: place.to_owned(), file: NewFile::in_folder(folder(place))? };
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
        self.file().sync_all()?;
        match self.file {
            #[cfg(target_os = "linux")]
            NewFile::Unnamed(file) => {
                if unnamed::link(&file, &self.place).is_err() {
                    let _held = unnamed::Held::signals();
                    let link = |path: &Path| unnamed::link(&file, path);
                    temporary_names().make_in(folder(&self.place), link)?.persist(&self.place)?;
                }
            }
            NewFile::Named(file) => drop(file.persist(&self.place)?),
        }
        Ok(())
    }

    fn file(&self) -> &fs::File {
        match &self.file {
            #[cfg(target_os = "linux")]
            NewFile::Unnamed(file) => file,
            NewFile::Named(file) => file.as_file(),
        }
    }

    /// Gives the file the mode, and if possible the owner, of the one that it replaces: only root can give files away.
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

impl NewFile {
    fn in_folder(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unnamed::file_in(folder) {
            return Ok(NewFile::Unnamed(file));
        }
        Ok(NewFile::Named(temporary_names().tempfile_in(folder)?))
    }
}

fn temporary_names() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".heapviz-");
    // What the user's umask leaves of it, as for any new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use nix::sys::signal::{SigSet, SigmaskHow};
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, openat};

    /// `None` where the file system has none, and where they could get no name later.
    pub fn file_in(folder: &Path) -> Option<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(openat(CWD, folder, flags, Mode::from_raw_mode(0o666)).ok()?);
        name_of(&file).exists().then_some(file)
    }

    /// Names it; a name that is taken is an error.
    pub fn link(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, name_of(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// The path that leads to a file without a name.
    fn name_of(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }

    /// Signals to this thread wait until this is dropped. The command has no others when it writes, or handles those
    /// that end it (`watch`, `hunt`).
    pub struct Held(Option<SigSet>);

    impl Held {
        pub fn signals() -> Self {
            // That they cannot be held leaves what was before: a moment in which a file can remain.
            Held(SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK).ok())
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
    use super::*;

    fn written(place: &Path) -> WholeFile {
        let mut file = WholeFile::for_place(place).expect("a file");
        file.write_all(b"new").expect("room for three bytes");
        file
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
