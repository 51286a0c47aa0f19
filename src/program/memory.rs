//! How much memory a running program occupies, as the system sees it: GHC knows nothing of what C
//! libraries allocate.

use std::time::{Duration, Instant};

use crate::base::units::{Bytes, Nanos};

/// The least time between two readings.
const EVERY: Duration = Duration::from_millis(100);

/// The resident memory of a process over time.
#[derive(Clone, Debug)]
pub struct Residency {
    began: Instant,
    /// Since the start of the process.
    pub points: Vec<(Nanos, Bytes)>,
}

impl Residency {
    /// Begins with the process.
    pub fn begin() -> Self {
        Residency { began: Instant::now(), points: Vec::new() }
    }

    /// Reads it, if it is time to.
    pub fn look(&mut self, process: u32) {
        let elapsed = self.began.elapsed();
        let now = Nanos::from_nanos(i64::try_from(elapsed.as_nanos()).unwrap_or(i64::MAX));
        let every = i64::try_from(EVERY.as_nanos()).unwrap_or(i64::MAX);
        let is_time = |last: &(Nanos, Bytes)| now.as_nanos() - last.0.as_nanos() >= every;
        if self.points.last().is_none_or(is_time)
            && let Some(bytes) = resident(process)
        {
            self.points.push((now, bytes));
        }
    }
}

/// What a process has in memory, without what belongs to files. `None` if it has ended.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> Option<Bytes> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let mut pages = text.split(' ').skip(1).map(|pages| pages.parse::<u64>().ok());
    let (all, of_files) = (pages.next()??, pages.next()??);
    let own = all.saturating_sub(of_files);
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    (own > 0).then(|| Bytes::new(own.saturating_mul(page)))
}

/// Other systems have other ways, which are not known here.
#[cfg(not(target_os = "linux"))]
fn resident(_: u32) -> Option<Bytes> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_written_is_resident() {
        let before = resident(std::process::id()).unwrap().get();
        let filled = vec![1u8; 64 << 20];
        let after = resident(std::process::id()).unwrap().get();
        assert!(after > before + (60 << 20), "{before} {after} {}", filled[1 << 20]);
        assert_eq!(resident(u32::MAX), None);
    }
}
