//! How much memory a running program occupies, as the system sees it: GHC knows nothing of what C
//! libraries allocate.

use std::fs;
use std::time::{Duration, Instant};

use crate::base::units::{Bytes, Nanos};
use crate::cli::Message;

/// The most readings that are kept; then every other one is dropped, and half as many are taken from then on.
const MOST: usize = 1 << 14;

/// What a user of a system must know that does not say it.
pub fn cannot_be_read() -> Option<Message> {
    let text =
        "memory outside of GHC's heap is not seen: resident memory can be read only on Linux";
    (!cfg!(target_os = "linux")).then(|| Message::note(text))
}

/// The resident memory of a process over time.
#[derive(Clone, Debug)]
pub struct Residency {
    pub began: Instant,
    /// The least time between two readings.
    every: Duration,
    /// Since the start of the process.
    pub points: Vec<(Nanos, Bytes)>,
}

impl Default for Residency {
    /// That of a process that has just been started.
    fn default() -> Self {
        let every = Duration::from_millis(100);
        Residency { began: Instant::now(), every, points: Vec::new() }
    }
}

impl Residency {
    /// Reads it, if it is time to.
    pub fn look(&mut self, process: u32) {
        let now = nanos(self.began.elapsed());
        let is_time = self.points.last().is_none_or(|last| {
            u128::try_from(now.since(last.0).as_nanos())
                .is_ok_and(|age| age >= self.every.as_nanos())
        });
        if is_time && let Some(bytes) = resident(process) {
            self.points.push((now, bytes));
        }
        if self.points.len() > MOST {
            let mut at = 0..;
            self.points.retain(|_| at.next().is_none_or(|at| at % 2 == 0));
            self.every *= 2;
        }
    }
}

pub fn nanos(time: Duration) -> Nanos {
    Nanos::from_nanos(i64::try_from(time.as_nanos()).unwrap_or(i64::MAX))
}

/// What a process has in memory, without what belongs to files. `None` if it has ended.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> Option<Bytes> {
    let text = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let mut pages = text.split(' ').skip(1).map(|pages| pages.parse::<u64>().ok());
    let (all, of_files) = (pages.next()??, pages.next()??);
    let own = all.saturating_sub(of_files);
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    (own > 0).then(|| Bytes::new(own.saturating_mul(page)))
}

#[cfg(not(target_os = "linux"))]
fn resident(_: u32) -> Option<Bytes> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_is_written_is_resident() {
        let now = || resident(std::process::id()).unwrap().get();
        // Other tests free memory meanwhile, but not as much every time.
        let is_seen = |_| {
            let before = now();
            let filled = vec![1u8; 256 << 20];
            now() > before + (160 << 20) && filled[1 << 20] == 1
        };
        assert!((0..20).any(is_seen));
        assert_eq!(resident(u32::MAX), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_long_run_keeps_few_readings() {
        let mut residency = Residency { every: Duration::ZERO, ..Residency::default() };
        let began = residency.began;
        residency.look(u32::MAX);
        assert!(residency.points.is_empty(), "there is no such process");
        let mut looks = |times| (0..times).for_each(|_| residency.look(std::process::id()));
        looks(1);
        let early = nanos(began.elapsed());
        looks(2 * MOST);
        let late = nanos(began.elapsed());
        looks(4);
        assert!((MOST / 2..=MOST).contains(&residency.points.len()));
        let ends = [0, residency.points.len() - 1].map(|at| residency.points[at].0);
        assert!(ends[0] <= early && ends[1] >= late, "{ends:?} {early:?} {late:?}");
    }
}
