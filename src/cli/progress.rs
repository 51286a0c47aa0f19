//! Shows the progress while something takes long, such as the reading of a large input: one line on the terminal, which
//! is redrawn, and erased at the end.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::base::units::{Bytes, count};
use crate::input::Progress;

/// What takes less time shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two lines about a reading.
pub const EVERY: Duration = Duration::from_millis(200);
/// Returns to the start of the line and erases it.
const WIPE: &str = "\r\x1b[K";

/// The line about one task. It is erased when this is dropped.
pub struct ProgressLine {
    every: Duration,
    began: Instant,
    shown: Option<Instant>,
}

impl ProgressLine {
    /// A line that is redrawn so often. `None` if nobody would see it.
    pub fn on_terminal(every: Duration) -> Option<Self> {
        let line = ProgressLine { every, began: Instant::now(), shown: None };
        io::stderr().is_terminal().then_some(line)
    }

    /// Shows the progress after the time that has passed, if it is time to. What is longer than the terminal is wide would
    /// leave a line behind.
    pub fn update(&mut self, line: impl FnOnce(Duration) -> String) {
        let now = Instant::now();
        if self.is_due(now) {
            self.shown = Some(now);
            let line: String = line(now - self.began).chars().take(columns()).collect();
            let _ = write!(io::stderr(), "{WIPE}{line}");
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        match self.shown {
            None => now - self.began >= PATIENCE,
            Some(shown) => now - shown >= self.every,
        }
    }
}

/// How many columns of the terminal a line may have.
fn columns() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stderr())
        && size.ws_col > 1
    {
        return usize::from(size.ws_col) - 1;
    }
    79
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "{WIPE}");
        }
    }
}

/// `512 MiB of 2 GiB (25 %), 410 MiB/s, 2031 samples`.
pub fn reading(progress: Progress, size: Option<Bytes>, elapsed: Duration) -> String {
    let read = Bytes::new(progress.bytes);
    let of = match size {
        // A file can grow while it is read.
        Some(size) if size >= read && size > Bytes::ZERO => {
            let share = u128::from(read.get()) * 100 / u128::from(size.get());
            format!(" of {size} ({share} %)")
        }
        _ => String::new(),
    };
    let rate = Bytes::new((progress.bytes as f64 / elapsed.as_secs_f64()) as u64);
    format!("{read}{of}, {rate}/s, {}", count(progress.samples, "sample"))
}
