//! Shows the progress while a large input is read: one line on the terminal, which is redrawn, and
//! erased at the end.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::base::units::{Bytes, count};
use crate::input::Progress;

/// A reading that takes less time shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const EVERY: Duration = Duration::from_millis(200);
/// Returns to the start of the line and erases it.
const WIPE: &str = "\r\x1b[K";

/// The line of one reading. It is erased when this is dropped.
pub struct ProgressLine {
    size: Option<Bytes>,
    began: Instant,
    shown: Option<Instant>,
}

impl ProgressLine {
    /// A line for an input of that many bytes, if the size is known. `None` if nobody would see the
    /// line.
    pub fn on_terminal(size: Option<Bytes>) -> Option<Self> {
        let line = ProgressLine { size, began: Instant::now(), shown: None };
        io::stderr().is_terminal().then_some(line)
    }

    /// Shows the progress, if it is time to.
    pub fn update(&mut self, progress: Progress) {
        let now = Instant::now();
        if self.is_due(now) {
            self.shown = Some(now);
            let line = line(progress, self.size, now - self.began);
            let _ = write!(io::stderr(), "{WIPE}{line}");
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        match self.shown {
            None => now - self.began >= PATIENCE,
            Some(shown) => now - shown >= EVERY,
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "{WIPE}");
        }
    }
}

/// `512 MiB of 2 GiB (25 %), 410 MiB/s, 2031 samples`.
fn line(progress: Progress, size: Option<Bytes>, elapsed: Duration) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_line_shows_bytes_rate_and_samples() {
        let mut progress = Progress::default();
        (progress.bytes, progress.samples) = (512 << 20, 2031);
        let shown =
            |size: Option<u64>| line(progress, size.map(Bytes::new), Duration::from_secs(2));
        assert_eq!(shown(Some(2 << 30)), "512 MiB of 2 GiB (25 %), 256 MiB/s, 2031 samples");
        assert_eq!(shown(None), "512 MiB, 256 MiB/s, 2031 samples");
        assert_eq!(shown(Some(1)), "512 MiB, 256 MiB/s, 2031 samples");
    }

    #[test]
    fn progress_is_shown_only_for_long_inputs_and_not_constantly() {
        let began = Instant::now();
        let mut line = ProgressLine { size: None, began, shown: None };
        assert!(!line.is_due(began));
        assert!(line.is_due(began + PATIENCE));
        line.shown = Some(began + PATIENCE);
        assert!(!line.is_due(began + PATIENCE + EVERY / 2));
        assert!(line.is_due(began + PATIENCE + EVERY));
        // It was never drawn, so there is nothing to erase.
        line.shown = None;
    }
}
