//! The state that the reading thread and the main thread share.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::incident::Losses;
use crate::incident::error::{Error, Lookalike};
use crate::live::{Engine, LiveOptions, LogProgress};

use super::{Arrivals, Recorder};
use crate::cli::Message;
use crate::profile::{Clock, Profile, ProfileBuilder};
use crate::program::child;
use crate::program::residency::{Residency, nanos};

/// Whether there is something to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// There is nothing to read from yet, for this reason.
    Waiting(String),
    Open,
    Closed,
}

pub struct WatchState {
    created: Instant,
    pub engine: Engine,
    pub source: SourceState,
    /// The time since when it does that.
    pub since: Instant,
    pub heard: Option<Instant>,
    pub sampled: Option<Instant>,
    /// How many samples there were when the last arrived, and in which generation of the engine.
    samples: (usize, u64),
    pub arrivals: Arrivals,
    /// The program that was started here: when that was, and its resident memory since then.
    pub memory: Option<Residency>,
    pub news: Vec<Message>,
    /// The error that was reported of it, if what is read is no profile at all.
    pub refused: Option<Message>,
    pub done: bool,
    /// An error occurred that makes the command fail, even if a picture can be drawn.
    pub failed: bool,
    /// The kinds of losses that were reported.
    lost: u8,
    recorder: Option<Recorder>,
    /// How often anything has changed so far.
    pub changes: u64,
}

/// A state that two threads share.
pub struct Shared {
    state: Mutex<WatchState>,
    changed: Condvar,
    stop: Arc<AtomicBool>,
    /// The signal that the user ended the watch with; 0 for none.
    signal: Arc<AtomicUsize>,
}

impl Shared {
    pub fn new(options: LiveOptions, recorder: Option<Recorder>) -> Self {
        let state = WatchState {
            created: Instant::now(),
            engine: Engine::new(options),
            source: SourceState::Waiting("starting".to_owned()),
            since: Instant::now(),
            heard: None,
            sampled: None,
            samples: (0, 0),
            arrivals: Arrivals::default(),
            memory: None,
            news: Vec::new(),
            refused: None,
            done: false,
            failed: false,
            lost: 0,
            recorder,
            changes: 0,
        };
        let (stop, signal) = Default::default();
        Shared { state: Mutex::new(state), changed: Condvar::new(), stop, signal }
    }

    /// Makes the signals that end programs end this one in order; a second signal ends it at once.
    pub fn stop_on_signals(&self) {
        child::stop_on_signals(&self.stop);
        child::note_signals(&self.signal);
    }

    /// The exit status for the signal that ended the watch, if one did.
    pub fn signal_code(&self) -> Option<u8> {
        let signal = i32::try_from(self.signal.load(Ordering::Relaxed)).ok();
        signal.filter(|signal| *signal > 0).map(child::signal_code)
    }

    /// Whether the user has ended the watch.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The state, for as long as the guard lives.
    pub fn state(&self) -> MutexGuard<'_, WatchState> {
        locked(&self.state)
    }

    fn change(&self, change: impl FnOnce(&mut WatchState)) {
        let mut state = self.state();
        change(&mut state);
        state.changes += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until something has changed since `seen`, or the time is over. Returns the value of
    /// `seen` for the next call.
    pub fn wait(&self, seen: u64, most: Duration) -> u64 {
        let state = self.state();
        let waited = self.changed.wait_timeout_while(state, most, |state| state.changes == seen);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.changes
    }

    /// Records that there is nothing to read from yet.
    pub fn wait_for(&self, reason: String) {
        let source = SourceState::Waiting(reason);
        if self.state().source != source {
            self.change(|state| state.set_source(source));
        }
    }

    /// Records that a connection begins, or that a file is read from its start.
    pub fn connected(&self) {
        self.change(|state| {
            state.engine.connect();
            state.set_source(SourceState::Open);
            state.heard = None;
            state.refused = None;
        });
    }

    /// Ends the recording. The reading thread may continue.
    pub fn end_recording(&self) {
        self.state().recorder = None;
    }

    /// The next bytes are another recording of the same run.
    pub fn other_file(&self) {
        self.state().record(Recorder::begin_anew);
    }

    pub fn bytes(&self, bytes: &[u8]) {
        self.change(|state| state.take(bytes));
    }

    /// What was read from has closed.
    pub fn closed(&self) {
        self.change(|state| {
            if let Err(error) = state.engine.disconnect() {
                state.refuse(error, false);
            }
            state.note_samples();
            state.set_source(SourceState::Closed);
        });
    }

    pub fn say(&self, message: Message) {
        self.change(|state| state.news.push(message));
    }

    /// Reports an error that makes the command fail.
    pub fn fail(&self, failure: Message) {
        self.change(|state| state.fail(failure));
    }

    /// Reports a file that cannot be read.
    pub fn cannot_read(&self, path: &Path, error: &io::Error) {
        self.fail(Message::error(format!("cannot read {}: {error}", path.display())));
    }

    /// Notes that nothing more will be read.
    pub fn finish(&self) {
        self.change(|state| state.done = true);
    }

    /// Whether the log that is read has ended.
    pub fn has_ended(&self) -> bool {
        self.state().engine.progress() == LogProgress::Ended
    }
}

/// Does something that must not end the watch, whatever fault heapviz has. A panic says its place itself.
pub fn surviving<T>(what: &str, work: impl FnOnce() -> T) -> Option<T> {
    let done = panic::catch_unwind(AssertUnwindSafe(work)).ok();
    if done.is_none() {
        Message::error(format_args!("{what}: heapviz failed; the watch goes on without"))
            .hint("this is a fault of heapviz: please report it, with the log if you can")
            .say();
    }
    done
}

/// What a lock guards, also if a thread has panicked while it held it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl WatchState {
    /// Whether it is connected to a program that runs.
    #[cfg(feature = "web")]
    pub fn is_read(&self) -> bool {
        self.source == SourceState::Open && self.engine.progress() != LogProgress::Ended
    }

    fn set_source(&mut self, source: SourceState) {
        self.source = source;
        self.since = Instant::now();
    }

    fn take(&mut self, bytes: &[u8]) {
        self.heard = Some(Instant::now());
        let before = self.engine.bytes();
        if let Err(error) = self.engine.feed(bytes) {
            let is_middle = before == 0 && bytes.starts_with(&[0, 18]);
            self.refuse(error, is_middle);
        }
        self.note_samples();
        self.note_losses();
        self.record(|recorder| recorder.take(bytes));
    }

    /// Reports the first loss of each kind at once; all of them are counted at the end.
    fn note_losses(&mut self) {
        let kinds = self.engine.losses().map_or(0, Losses::kinds);
        if kinds & !self.lost != 0 {
            self.lost |= kinds;
            let words = self.damage().unwrap_or_default();
            self.news.push(Message::warning(format_args!("the log is damaged so far: {words}")));
        }
    }

    /// What was lost so far, in words without names.
    pub fn damage(&self) -> Option<String> {
        self.engine.losses()?.so_far()
    }

    /// Reports what is wrong with the bytes that arrived.
    fn refuse(&mut self, error: Error, is_middle: bool) {
        let is_no_profile = matches!(error, Error::NotAProfile(_)) || self.engine.is_no_profile();
        let failure = if is_middle {
            Message::error("the beginning of the log is missing: another reader has taken it")
                .hint("start the program again")
        } else if error == Error::NotAProfile(Lookalike::CompressedTwice) {
            Message::error("it is compressed, and a compressed log does not grow")
                .hint("`heapviz FILE` draws it")
        } else {
            Message::from(crate::input::ReadError::Decode(error))
        };
        if is_no_profile {
            self.refused = Some(failure.clone());
        }
        self.fail(failure);
    }

    fn note_samples(&mut self) {
        let samples = self.engine.version();
        if samples != self.samples && samples.0 > 0 {
            let now = Instant::now();
            self.sampled = Some(now);
            let since = self.memory.as_ref().map_or(self.created, |memory| memory.began);
            if let Some(own) = self.engine.run().and_then(ProfileBuilder::newest_time) {
                self.arrivals.note(own, nanos(now.saturating_duration_since(since)));
            }
        }
        self.samples = samples;
    }

    /// Begins to measure a program that is started now.
    pub fn begin_program(&mut self) {
        self.memory = Some(Residency::default());
        self.arrivals = Arrivals::of_program();
    }

    /// What was read so far. Of a program that was started here all times are elapsed times since then, and its
    /// resident memory is known; a file that was found keeps its own clock.
    pub fn profile(&self) -> Option<Profile> {
        let mut profile = self.engine.profile()?;
        if let Some(memory) = &self.memory {
            self.arrivals.stamp(&mut profile);
            if profile.clock() == Clock::Elapsed {
                profile.set_resident(memory.points.clone());
            }
        }
        Some(profile)
    }

    fn record(&mut self, write: impl FnOnce(&mut Recorder) -> Result<(), Message>) {
        if let Some(Err(failure)) = self.recorder.as_mut().map(write) {
            self.recorder = None;
            self.fail(failure);
        }
    }

    fn fail(&mut self, failure: Message) {
        self.failed = true;
        self.news.push(failure);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_does_not_end_the_watch() {
        assert_eq!(surviving("a test", || 1), Some(1));
        assert_eq!(surviving("a test", || panic!("on purpose")), None::<u8>);
        let shared = Shared::new(LiveOptions::default(), None);
        surviving("a test", || {
            let _state = shared.state();
            panic!("on purpose, with the lock")
        });
        assert!(!shared.state().done);
        // In a release, too.
        assert!(!include_str!("../../Cargo.toml").contains("panic = \"abort\""));
    }
}
