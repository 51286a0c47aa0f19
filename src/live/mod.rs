//! The heap of a running program.
//!
//! An [`Engine`] takes the bytes of one connection after another as they arrive, from a socket, a
//! pipe or a growing file. Each connection has its own decoder, and its log is joined to the run
//! that it continues ([`ProfileBuilder`]), so there is a profile of the bytes so far at any moment.
//! A missing end of the log is not damage while the log may continue: its end is not reported
//! before the connection closes. No clock is read here, and nothing is opened: the caller knows how
//! long a silence has lasted.
//!
//! At any moment [`Engine::profile`] is a complete profile, made from a copy, for everything that shows or
//! exports one.

use crate::base::units::Bytes;
use crate::decode::Decoder;
use crate::incident::error::{Error, Lookalike};
use crate::incident::{End, Incident, Losses, WarningCode};
use crate::input::sniff;
use crate::profile::{Limits, Profile, ProfileBuilder, RunChoice, Source, Succession, Thinned};

/// The limits of what an [`Engine`] keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveOptions {
    /// How much of an input is kept. Default: that of [`Limits`], but 200 000 ticks and events of the run-time
    /// system.
    pub limits: Limits,
    /// The most memory: three quarters of it for samples, an eighth for heap figures, and an eighth for
    /// markers and messages. What takes more than its share is thinned. Names and definitions are kept in
    /// addition, because later samples need them. Default 128 MiB.
    pub memory: Bytes,
    /// The most samples. Default 100 000, nearly three hours at ten a second before anything is
    /// thinned. A picture takes about as much memory as the samples that it is made of.
    pub samples: usize,
}

impl Default for LiveOptions {
    fn default() -> Self {
        // There is one for every collection and every tick, and no live view shows them.
        const MOST: usize = 200_000;
        LiveOptions {
            limits: Limits { runtime_events: MOST, ticks: MOST, ..Limits::default() },
            memory: Bytes::new(128 << 20),
            samples: 100_000,
        }
    }
}

/// The progress of the watched program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogProgress {
    /// No byte has come through the connection.
    Silent,
    /// The log has begun, but nothing further was flushed, so that its run is not known yet.
    HeaderOnly,
    /// The log's run is known, and the log may continue.
    Running,
    /// The log is complete: it has its end mark.
    Ended,
}

/// Follows one program through its connections.
#[derive(Clone, Debug)]
pub struct Engine {
    options: LiveOptions,
    /// The runs so far; `None` before the format is known.
    builder: Option<(Source, ProfileBuilder)>,
    feed: Feed,
    /// How the log ended, once the connection has closed.
    closed: Option<Closed>,
    /// How much of the run was thinned away, by the number of the kind.
    thinned: [usize; Thinned::ALL.len()],
    /// Whether the run that is read has samples, so that it is the one to show.
    shows_current: bool,
    /// A number that changes when samples are removed or bands get other numbers.
    generation: u64,
}

#[derive(Clone, Debug, Default)]
struct Feed {
    bytes: u64,
    /// The first bytes, kept until they show the format.
    front: Vec<u8>,
    decoder: Option<Decoder>,
    /// Whether the connection is neither closed nor given up after an error.
    is_open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closed {
    /// The log had its end mark.
    Ended,
    /// The log had no end mark.
    Early,
}

impl Engine {
    pub fn new(options: LiveOptions) -> Self {
        Engine {
            options,
            builder: None,
            feed: Feed::default(),
            closed: None,
            thinned: Default::default(),
            shows_current: false,
            generation: 0,
        }
    }

    /// Begins a connection: a socket was connected, a file was opened or rewritten.
    pub fn connect(&mut self) {
        // Damage at the end of one connection does not affect the next.
        let _ = self.disconnect();
        if let (Some((_, builder)), Some(_)) = (&mut self.builder, self.closed.take()) {
            builder.begin_log();
            self.shows_current = false;
            self.generation += 1;
        }
        self.feed = Feed { is_open: true, ..Feed::default() };
    }

    /// Takes the next bytes of the connection, in pieces of any size.
    ///
    /// # Errors Bytes that are not a profile, and the errors of the decoders. The rest of the
    /// connection is then ignored; what was read before is kept.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.feed.bytes += bytes.len() as u64;
        if !self.feed.is_open {
            return Ok(());
        }
        let fed = self.take(bytes);
        if fed.is_err() {
            self.feed.is_open = false;
            self.closed = Some(Closed::Early);
        }
        fed
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self.feed.decoder {
            Some(_) => self.decode(bytes)?,
            None => {
                self.feed.front.extend_from_slice(bytes);
                // The words that begin a file are shorter than this, even with a block marker
                // before a header.
                const ENOUGH: usize = 64;
                if self.feed.front.len() < ENOUGH || self.is_unknown_text() {
                    return Ok(());
                }
                self.begin()?;
            }
        }
        self.update_runs();
        Ok(())
    }

    /// Whether the bytes so far are text of an unknown format: a `.hp` may have names before its
    /// first keyword, and a log may follow what a wrapper printed.
    fn is_unknown_text(&self) -> bool {
        const MOST: usize = 64 << 10;
        let front = &self.feed.front;
        let format = sniff(front);
        format == Err(Error::NotAProfile(Lookalike::Text)) && front.len() < MOST
    }

    /// Finds the format, and decodes the bytes so far.
    fn begin(&mut self) -> Result<(), Error> {
        let front = std::mem::take(&mut self.feed.front);
        let format = sniff(&front)?;
        if self.builder.as_ref().is_none_or(|(known, _)| *known != format) {
            let builder = ProfileBuilder::with_limits(format, self.options.limits.clone());
            self.builder = Some((format, builder));
            self.thinned = Default::default();
            self.generation += 1;
        }
        self.feed.decoder = Some(Decoder::new(format));
        self.decode(&front)
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match (&mut self.feed.decoder, &mut self.builder) {
            (Some(decoder), Some((_, builder))) => {
                let runs = builder.runs_before();
                let fed = decoder.feed(bytes, builder).and_then(|()| decoder.catch_up(builder));
                if builder.runs_before() != runs {
                    self.generation += 1;
                }
                fed
            }
            _ => Ok(()),
        }
    }

    /// Joins the log to its run as soon as that is known, and keeps the memory within its limit.
    fn update_runs(&mut self) {
        let Some((_, builder)) = &mut self.builder else { return };
        match builder.join_or_part() {
            Succession::SameRun => {
                if let Some(decoder) = &mut self.feed.decoder {
                    decoder.forget_bands();
                }
                self.generation += 1;
            }
            Succession::NewRun => {
                self.thinned = Default::default();
                self.generation += 1;
            }
            Succession::Unknown | Succession::First => {}
        }
        let has_samples = builder.sample_count() > 0;
        if std::mem::replace(&mut self.shows_current, has_samples) != has_samples {
            self.generation += 1;
        }
        let most = usize::try_from(self.options.memory.get()).unwrap_or(usize::MAX);
        while let Some((thing, dropped)) = builder.thin(most, self.options.samples) {
            self.thinned[thing as usize] += dropped;
            self.generation += 1;
        }
    }

    /// Ends a connection that was closed.
    ///
    /// # Errors The few bytes that arrived are not a profile.
    pub fn disconnect(&mut self) -> Result<(), Error> {
        if !std::mem::take(&mut self.feed.is_open) {
            return Ok(());
        }
        if !self.feed.front.is_empty() {
            self.begin()?;
        }
        if let (Some(decoder), Some((_, builder))) = (self.feed.decoder.take(), &mut self.builder) {
            let ended = decoder.has_ended();
            // What waits for more bytes is read as it is at the end of a file.
            let finished = decoder.finish(builder).is_ok();
            self.closed = Some(if ended && finished { Closed::Ended } else { Closed::Early });
            if !finished {
                builder.incidents.end(End::NoEndMark);
            }
        }
        self.update_runs();
        Ok(())
    }

    /// The progress of the program, as far as this connection shows it.
    pub fn progress(&self) -> LogProgress {
        match (&self.feed.decoder, &self.builder) {
            _ if self.closed == Some(Closed::Ended) => LogProgress::Ended,
            (Some(decoder), _) if decoder.has_ended() => LogProgress::Ended,
            (Some(_), Some((_, builder))) if builder.says_something() => LogProgress::Running,
            _ if self.feed.bytes > 0 => LogProgress::HeaderOnly,
            _ => LogProgress::Silent,
        }
    }

    /// Whether what this connection has brought so far is no profile, though text may still become one.
    pub fn is_no_profile(&self) -> bool {
        let refused = self.closed == Some(Closed::Early) && self.builder.is_none();
        let front = &self.feed.front;
        refused || (!front.is_empty() && sniff(front).is_err())
    }

    /// Bytes that came over this connection.
    pub fn bytes(&self) -> u64 {
        self.feed.bytes
    }

    /// Samples of the run that this connection belongs to, as far as that is known, and how many
    /// more there were before they were thinned.
    pub fn samples(&self) -> (usize, usize) {
        (
            self.run().map_or(0, ProfileBuilder::sample_count),
            self.thinned[Thinned::Samples as usize],
        )
    }

    /// What changes with new samples: their number, and the generation.
    pub fn version(&self) -> (usize, u64) {
        (self.samples().0, self.generation)
    }

    /// What was read of the run so far. Of several runs it is the last that has samples.
    pub fn run(&self) -> Option<&ProfileBuilder> {
        self.builder.as_ref().map(|(_, builder)| builder.last_with_samples())
    }

    /// What was lost of the log that is read.
    pub fn losses(&self) -> Option<&Losses> {
        self.builder.as_ref().map(|(_, builder)| builder.incidents.losses())
    }

    /// A number that changes whenever [`Engine::run`] has changed in other ways than by additions.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The profile of the bytes so far; `None` before the first byte. It is made from a copy of the
    /// data.
    ///
    /// Of several runs it is the last that has samples.
    pub fn profile(&self) -> Option<Profile> {
        let (_, builder) = self.builder.as_ref()?;
        let mut builder = builder.clone();
        builder.choose_run(RunChoice::Last);
        if self.closed.is_none() {
            let end = match self.progress() {
                LogProgress::Ended => End::Clean,
                LogProgress::Silent | LogProgress::HeaderOnly | LogProgress::Running => {
                    End::Running
                }
            };
            builder.incidents.end(end);
        }
        for (&things, &count) in
            Thinned::ALL.iter().zip(&self.thinned).filter(|(_, count)| **count > 0)
        {
            builder.incidents.note(Incident::new(WarningCode::OverLimit), || things.words(count));
        }
        Some(builder.finish())
    }
}

#[cfg(test)]
mod tests;
