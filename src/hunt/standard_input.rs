//! Standard input from a pipe, which only one run could read: it is copied to a file before the first run.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::execute::LOOK;
use crate::base::units::{Bytes, Nanos};
use crate::cli::{Message, Voice};
use crate::program::own_folder::{OwnFolder, own_folder};

/// After this time without an end, the user learns what is waited for.
const SAY_AFTER: Duration = Duration::from_secs(2);

/// Copies standard input into a folder of its own, so that each run can read all of it; `None` if it is no pipe, is empty,
/// or gives nothing for so long. Some servers never end their pipe, and a program there reads nothing from it.
///
/// # Errors
/// A disk that is full, and a signal.
pub fn copy(
    patience: Nanos,
    signal: &AtomicUsize,
    voice: Voice,
) -> Result<Option<OwnFolder>, Message> {
    if !is_pipe() {
        return Ok(None);
    }
    let folder = own_folder()?;
    let cannot = |error: io::Error| Message::error(format!("cannot copy standard input: {error}"));
    let mut file = File::create(path_in(&folder)).map_err(cannot)?;
    let patience = Duration::from_nanos(patience.as_nanos().unsigned_abs());
    let (began, mut has_said, mut bytes) = (Instant::now(), false, 0);
    let mut piece = vec![0; 1 << 16];
    while let Some(read) = read_soon(&mut piece).map_err(cannot)? {
        file.write_all(&piece[..read]).map_err(cannot)?;
        bytes += read as u64;
        if signal.load(Ordering::Relaxed) != 0 {
            return Err(Message::error("the hunt was interrupted"));
        }
        if began.elapsed() >= SAY_AFTER && !std::mem::replace(&mut has_said, true) {
            let text = "standard input is a pipe, which is copied to its end first, so that each run can read it";
            let hint = "if the program reads nothing, add `< /dev/null`";
            voice.say(&Message::note(text).hint(hint));
        }
        if bytes == 0 && began.elapsed() >= patience {
            let text = "nothing came from standard input, so it is not copied";
            voice.say(&Message::warning(text));
            return Ok(None);
        }
    }
    if bytes > 0 {
        let bytes = Bytes::new(bytes);
        let text = format_args!("standard input is a pipe: each run reads a copy of its {bytes}");
        voice.say(&Message::note(text));
    }
    Ok((bytes > 0).then_some(folder))
}

pub fn path_in(folder: &OwnFolder) -> PathBuf {
    Path::join(folder.path(), "stdin")
}

#[cfg(unix)]
fn is_pipe() -> bool {
    use std::os::unix::fs::FileTypeExt;
    std::fs::metadata("/dev/stdin").is_ok_and(|about| about.file_type().is_fifo())
}

/// Reads what is there, or nothing after a short time; `None` at the end.
#[cfg(unix)]
fn read_soon(piece: &mut [u8]) -> io::Result<Option<usize>> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    let input = io::stdin();
    let soon = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    match poll(&mut [PollFd::new(&input, PollFlags::IN)], Some(&soon)) {
        Ok(0) | Err(Errno::INTR) => return Ok(Some(0)),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    match rustix::io::read(&input, piece) {
        Ok(0) => Ok(None),
        Ok(read) => Ok(Some(read)),
        Err(Errno::INTR | Errno::AGAIN) => Ok(Some(0)),
        Err(error) => Err(error.into()),
    }
}

/// Elsewhere every run gets the same pipe.
#[cfg(not(unix))]
fn is_pipe() -> bool {
    false
}

#[cfg(not(unix))]
fn read_soon(_: &mut [u8]) -> io::Result<Option<usize>> {
    let _ = LOOK;
    Ok(None)
}
