//! Event logs: a push parser from bytes in any chunking to facts for the [`ProfileBuilder`].
//!
//! ```text
//! bytes -> header (sizes by type) -> frames (one event each) -> facts -> ProfileBuilder
//!                                       \-> resync after damage
//! ```
//!
//! Source: `docs/format/eventlog.md`. File order is not time order, but everything about the
//! profile is in the blocks of one buffer, which are in order; so events are taken in the order of
//! the file, and only the unfinished event is buffered. Markers and heap statistics are sorted at
//! the end.

mod apply;
mod block;
mod byte_window;
mod dense;
mod framing;
mod header;
mod resent;
mod runtime;
mod sample_events;
mod tag;
#[cfg(test)]
mod tests;

use crate::base::units::Nanos;
use crate::incident::error::Error;
use crate::incident::{End, Incident, WarningCode};
use crate::profile::{LogSize, ProfileBuilder};

use apply::Facts;
use block::Block;
use byte_window::{Ahead, ByteWindow, Headerless, More};
pub(crate) use byte_window::{BEGIN, FRONT};
use dense::{Declared, EventLengths, Start};
use framing::{Framed, Framer, first_header, log_begins_at};
use header::{Halt, HeaderReader, HeaderStep, Sizes};
use resent::{EventEnd, HeaderPlace, LOOK_BACK, cut_at, header_around, header_at};
use sample_events::LogEnd;
use tag::Tag;

/// Decodes an event log that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub struct EventlogDecoder {
    /// Bytes that were fed but not used: the beginning of an unfinished event.
    carry: Vec<u8>,
    /// Offset in the input of the first byte not used.
    base: u64,
    /// How many bytes the carry must have before it is worth looking at again.
    wanted: usize,
    phase: StreamState,
    facts: Facts,
    /// The last bytes that were used: a header may begin among them.
    recent: Vec<u8>,
    /// The start of an event that was taken early ([`EventlogDecoder::catch_up`]).
    early: Option<u64>,
    /// How many logs of the stream have ended, with their end mark or with another's header.
    logs_ended: usize,
}

/// Where in the grammar of a stream (`docs/format/eventlog.md#the-file`) the next byte is.
#[derive(Clone, Debug, Default)]
enum StreamState {
    /// Before a header, or at the end.
    #[default]
    Start,
    Header(HeaderReader),
    Events(Log),
    /// Looking for a place to continue, after bytes that are not events.
    Lost {
        log: Log,
        from: u64,
        /// Whether those bytes may have been the end mark after all.
        after_end_mark: bool,
    },
    Trailing {
        from: u64,
    },
    /// In a later header that cannot be read.
    Unreadable {
        from: u64,
    },
}

/// The log that is being read.
#[derive(Clone, Debug)]
struct Log {
    sizes: Sizes,
    steps: EventLengths,
    block: Block,
    /// The time of the last event: the approximate time of damage.
    time: Option<Nanos>,
    /// A part of the input without another log's header.
    headerless: Headerless,
}

enum NoEvent<'a> {
    Framed(Framed<'a>),
    /// The event was cut: at this position another log's header begins.
    Cut {
        header: usize,
    },
}

impl EventlogDecoder {
    /// A decoder at the start of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the stream, however many.
    ///
    /// # Errors
    /// [`Error::Header`] when the stream's first header is broken, [`Error::OverLimit`]. After
    /// an error the decoder is of no further use.
    pub fn feed(&mut self, bytes: &[u8], profile: &mut ProfileBuilder) -> Result<(), Error> {
        let Some(rest) = self.read_carry(bytes, profile)? else { return Ok(()) };
        let window = ByteWindow { bytes: rest, base: self.base, last: false };
        let used = self.run(window, profile)?;
        self.carry.extend_from_slice(&rest[used..]);
        Ok(())
    }

    /// Reads the carry with as few of the following bytes as necessary, because nearly all of a log
    /// is read without copying. Returns the remaining bytes once nothing is carried any more.
    fn read_carry<'a>(
        &mut self,
        mut bytes: &'a [u8],
        profile: &mut ProfileBuilder,
    ) -> Result<Option<&'a [u8]>, Error> {
        // The carry is at least doubled, so that long carries are rarely moved.
        const LEAST: usize = 1024;
        while !self.carry.is_empty() {
            let carried = self.carry.len();
            let more = self.wanted.saturating_sub(carried).max(carried).max(LEAST);
            let taken = bytes.len().min(more);
            self.carry.extend_from_slice(&bytes[..taken]);
            if self.carry.len() < self.wanted || taken == 0 {
                return Ok(None);
            }
            let mut carry = std::mem::take(&mut self.carry);
            let window = ByteWindow { bytes: &carry, base: self.base, last: false };
            let used = self.run(window, profile)?;
            match used.checked_sub(carried) {
                Some(beyond) => bytes = &bytes[beyond..],
                None => {
                    carry.drain(..used);
                    self.carry = carry;
                    bytes = &bytes[taken..];
                }
            }
        }
        Ok(Some(bytes))
    }

    /// Takes the last event of the bytes so far, even if its last bytes may turn out to be the first
    /// of another log's header. For a stream that may pause here.
    ///
    /// # Errors
    /// As [`EventlogDecoder::feed`].
    pub fn catch_up(&mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        let StreamState::Events(log) = &self.phase else { return Ok(()) };
        let window = ByteWindow { bytes: &self.carry, base: self.base, last: false };
        let framer =
            Framer { window, sizes: &log.sizes, block: log.block, believes_lengths: false };
        match framer.at(0) {
            Ok(Framed::Event(event))
                if event.end == self.carry.len()
                    && event.tag != Tag::BLOCK_MARKER
                    && self.early != Some(event.offset) =>
            {
                self.early = Some(event.offset);
                self.facts.take(&event, profile)
            }
            _ => Ok(()),
        }
    }

    /// Whether the bytes so far end with the end mark of a log. More may follow it.
    pub fn has_ended(&self) -> bool {
        match &self.phase {
            StreamState::Start | StreamState::Trailing { .. } => self.logs_ended > 0,
            StreamState::Events(_) => self.carry == Tag::END_MARK.0.to_be_bytes(),
            StreamState::Header(_) | StreamState::Lost { .. } | StreamState::Unreadable { .. } => {
                false
            }
        }
    }

    /// Forgets the numbers of bands, which change here because the log was joined to the run that
    /// it continues.
    pub fn forget_bands(&mut self) {
        self.facts.forget_bands();
    }

    /// Ends the stream, and records among the incidents how it ended.
    ///
    /// # Errors
    /// As [`EventlogDecoder::feed`]; [`Error::HeaderCut`] and [`Error::Empty`] when not even the
    /// first header is complete.
    pub fn finish(mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        let carry = std::mem::take(&mut self.carry);
        let window = ByteWindow { bytes: &carry, base: self.base, last: true };
        let used = self.run(window, profile)?;
        let left = carry.len() - used;
        let end = window.offset(carry.len());
        profile.log_size = LogSize { bytes: end, scheduler: self.facts.scheduling };
        let log_end = self.end(left, end, profile)?;
        if matches!(self.phase, StreamState::Events(_) | StreamState::Lost { .. }) {
            self.facts.end_log(log_end, profile);
        }
        Ok(())
    }

    /// Records how the stream ends: at `end`, `left` bytes after the last event.
    fn end(
        &mut self,
        left: usize,
        end: u64,
        profile: &mut ProfileBuilder,
    ) -> Result<LogEnd, Error> {
        let incidents = &mut profile.incidents;
        Ok(match &self.phase {
            StreamState::Start | StreamState::Header(_) if self.logs_ended == 0 => {
                return Err(if end == 0 { Error::Empty } else { Error::HeaderCut { at: end } });
            }
            StreamState::Start => LogEnd::Complete,
            StreamState::Header(_) => {
                incidents.end(End::InsideHeader(end));
                LogEnd::Early
            }
            StreamState::Events(_) => {
                incidents.end(match left {
                    0 => End::NoEndMark,
                    _ => End::InsideEvent(end - left as u64),
                });
                LogEnd::Early
            }
            StreamState::Lost { from, after_end_mark: true, .. }
            | StreamState::Trailing { from } => {
                let incident = Incident::new(WarningCode::TrailingBytes).at_byte(*from);
                incidents
                    .note(incident, || format!("{} bytes after the end of the log", end - from));
                LogEnd::Complete
            }
            StreamState::Lost { from, log, .. } => {
                let incident = Incident::damaged_bytes(end - from).at_byte(*from).when(log.time);
                incidents.note(incident, || {
                    format!("the last {} bytes are damaged and cannot be read", end - from)
                });
                LogEnd::Early
            }
            StreamState::Unreadable { from } => {
                let incident = Incident::damaged_bytes(end - from).at_byte(*from);
                incidents
                    .note(incident, || "a further log begins here, but cannot be read".to_owned());
                LogEnd::Early
            }
        })
    }

    /// Reads as far as the window allows, and returns how many bytes were used.
    fn run(
        &mut self,
        window: ByteWindow<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<usize, Error> {
        let mut at = 0;
        let wanted = loop {
            let rest = ByteWindow { bytes: &window.bytes[at..], base: window.offset(at), ..window };
            match self.step(rest, profile) {
                Ok(used) => {
                    self.remember(&rest.bytes[..used]);
                    at += used;
                    if at == window.bytes.len() && !window.last {
                        break 0;
                    }
                    if used == 0 && rest.bytes.is_empty() {
                        break 0;
                    }
                }
                Err(Halt::Needs(More(needs))) => break needs,
                Err(Halt::Wrong(error)) => return Err(error),
            }
        };
        self.base = window.offset(at);
        self.wanted = wanted;
        Ok(at)
    }

    /// Keeps the last bytes that were used.
    fn remember(&mut self, used: &[u8]) {
        let used = &used[used.len().saturating_sub(LOOK_BACK)..];
        let too_many = (self.recent.len() + used.len()).saturating_sub(LOOK_BACK);
        self.recent.drain(..too_many);
        self.recent.extend_from_slice(used);
    }

    /// Takes one unit from the window's start; returns the bytes used. 0: the phase changed, or the
    /// input is empty.
    fn step(
        &mut self,
        window: ByteWindow<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<usize, Halt> {
        match &mut self.phase {
            StreamState::Start => Ok(self.start(window, profile)?),
            StreamState::Header(reader) => match reader.step(window, profile) {
                Ok(HeaderStep::Took(used)) => Ok(used),
                Ok(HeaderStep::Done(used, sizes)) => {
                    self.facts.start_log(&sizes);
                    self.recent.clear();
                    let steps = EventLengths::of(&sizes);
                    self.phase = StreamState::Events(Log {
                        sizes,
                        steps,
                        block: Block::NONE,
                        time: None,
                        headerless: Headerless::default(),
                    });
                    Ok(used)
                }
                Ok(HeaderStep::CutBy(at, swallowed)) => {
                    let cut = window.offset(at) - swallowed.len() as u64;
                    self.begin_after_cut(End::InsideHeader(cut), swallowed, profile);
                    Ok(at)
                }
                Err(Halt::Wrong(_)) if self.logs_ended > 0 => {
                    self.phase = StreamState::Unreadable { from: window.base };
                    Ok(0)
                }
                Err(halt) => Err(halt),
            },
            StreamState::Events(_) => self.events(window, profile),
            StreamState::Lost { .. } => Ok(self.resync(window, profile)?),
            StreamState::Trailing { .. } | StreamState::Unreadable { .. } => Ok(window.bytes.len()),
        }
    }

    fn start(&mut self, window: ByteWindow<'_>, profile: &mut ProfileBuilder) -> Ahead<usize> {
        if window.bytes.is_empty() {
            return Ok(0);
        }
        match log_begins_at(window, 0)? {
            None if self.logs_ended > 0 => {
                self.phase = StreamState::Trailing { from: window.base };
                Ok(0)
            }
            None => {
                let found = first_header(window)?;
                if let Some(at) = found {
                    let incident = Incident::new(WarningCode::LeadingBytes).at_byte(window.base);
                    profile.incidents.note(incident, || {
                        format!(
                            "{at} bytes before the log are not a part of it: another program may \
                             have written to the same stream"
                        )
                    });
                }
                // Without a header the reader will say what it found instead.
                self.phase = StreamState::Header(HeaderReader::new());
                Ok(found.unwrap_or(0))
            }
            Some(skip) => {
                if self.logs_ended > 0 {
                    profile.begin_log();
                }
                self.phase = StreamState::Header(HeaderReader::new());
                Ok(skip)
            }
        }
    }

    /// Takes events until the window ends, the log ends, or something is not an event.
    fn events(
        &mut self,
        window: ByteWindow<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<usize, Halt> {
        let StreamState::Events(log) = &mut self.phase else { return Ok(0) };
        let mut framer =
            Framer { window, sizes: &log.sizes, block: log.block, believes_lengths: false };
        let mut at = 0;
        let mut time = None;
        let stop = loop {
            let declared = Declared { sizes: &log.sizes, steps: &log.steps };
            // What was taken early is not to be taken again.
            let is_early = self.early == Some(window.offset(at));
            if !is_early {
                let here = Start::new(window, at, framer.block);
                let headerless = &mut log.headerless;
                let reached = self.facts.take_many(here, declared, headerless, profile)?;
                at = reached.at;
                time = reached.time.or(time);
            }
            let found = framer.at(at);
            let Some(end) = EventEnd::new(&found) else { break found.map(NoEvent::Framed) };
            match cut_at(&framer, at, end, &mut log.headerless) {
                Ok(None) => {}
                Ok(Some(header)) => break Ok(NoEvent::Cut { header }),
                Err(more) => break Err(more),
            }
            let Ok(Framed::Event(event)) = found else { break found.map(NoEvent::Framed) };
            if event.tag == Tag::BLOCK_MARKER {
                framer.block = framer.block.next(event.offset, event.time, event.payload);
            } else if !is_early {
                self.facts.take(&event, profile)?;
            }
            time = Some(event.time);
            at = event.end;
        };
        log.block = framer.block;
        log.time = time.map(Nanos::from_unsigned_nanos).or(log.time);
        let reached = match stop {
            Ok(NoEvent::Framed(Framed::NextLog)) => {
                self.end_log_early(profile);
                Ok(at)
            }
            Ok(NoEvent::Framed(Framed::EndMark | Framed::LooseEndMark)) => {
                self.facts.end_log(LogEnd::Complete, profile);
                self.logs_ended += 1;
                self.phase = StreamState::Start;
                Ok(at + 2)
            }
            Ok(NoEvent::Framed(_)) => self.no_event(window, at, profile),
            Ok(NoEvent::Cut { header }) => {
                self.begin_after_cut(End::InsideEvent(window.offset(at)), Vec::new(), profile);
                Ok(header)
            }
            Err(more) => Err(more),
        };
        Ok(reached.or_else(|more| used_before(at, more))?)
    }

    /// Decides why no event begins at position `at`; returns where reading continues.
    fn no_event(
        &mut self,
        window: ByteWindow<'_>,
        at: usize,
        profile: &mut ProfileBuilder,
    ) -> Ahead<usize> {
        let Some(HeaderPlace { swallowed, at: header }) = header_around(&self.recent, window, at)?
        else {
            self.lose(at, window);
            return Ok(at);
        };
        let cut = window.offset(at.min(header)) - swallowed.len() as u64;
        self.begin_after_cut(End::InsideEvent(cut), swallowed, profile);
        Ok(header)
    }

    /// Begins another log whose header follows directly after this log, or its header, was cut.
    fn begin_after_cut(&mut self, end: End, swallowed: Vec<u8>, profile: &mut ProfileBuilder) {
        self.facts.end_log(LogEnd::Early, profile);
        profile.incidents.end(end);
        self.logs_ended += 1;
        profile.begin_log();
        self.phase = StreamState::Header(HeaderReader::after(swallowed));
    }

    /// Ends a log without an end mark because another begins: a program appended to a file, or a
    /// new connection began.
    fn end_log_early(&mut self, profile: &mut ProfileBuilder) {
        self.facts.end_log(LogEnd::Early, profile);
        profile.incidents.end(End::NoEndMark);
        self.logs_ended += 1;
        self.phase = StreamState::Start;
    }

    fn lose(&mut self, at: usize, window: ByteWindow<'_>) {
        let after_end_mark = window.cursor(at).u16() == Some(Tag::END_MARK.0);
        let from = window.offset(at);
        if let StreamState::Events(log) = std::mem::replace(&mut self.phase, StreamState::Start) {
            // Bytes after the end mark are not damage of what is before it.
            if !after_end_mark {
                self.facts.damage();
            }
            self.phase = StreamState::Lost { log, from, after_end_mark };
        }
    }

    /// Looks for the first position from which several events in a row can be read.
    fn resync(&mut self, window: ByteWindow<'_>, profile: &mut ProfileBuilder) -> Ahead<usize> {
        let StreamState::Lost { log, from, .. } = &self.phase else { return Ok(0) };
        let framer =
            Framer { window, sizes: &log.sizes, block: log.block, believes_lengths: false };
        let from = *from;
        for at in 0..window.bytes.len() {
            // The bytes at `from` itself have already been rejected.
            if window.offset(at) == from {
                continue;
            }
            match header_at(window, at) {
                Ok(Some(_)) => {
                    self.found_again(from, window.offset(at), framer.block, profile);
                    self.end_log_early(profile);
                    return Ok(at);
                }
                Ok(None) => {}
                Err(more) => return used_before(at, more),
            }
            match framer.continues_at(at) {
                Ok(Some(block)) => {
                    self.found_again(from, window.offset(at), block, profile);
                    return Ok(at);
                }
                Ok(None) => {}
                Err(more) => return used_before(at, more),
            }
        }
        Ok(window.bytes.len())
    }

    fn found_again(&mut self, from: u64, to: u64, block: Block, profile: &mut ProfileBuilder) {
        if let StreamState::Lost { mut log, .. } =
            std::mem::replace(&mut self.phase, StreamState::Start)
        {
            self.facts.damage();
            let incident = Incident::damaged_bytes(to - from).at_byte(from).when(log.time);
            profile.incidents.note(incident, || {
                format!("{} damaged bytes skipped; their content is lost", to - from)
            });
            log.block = block;
            self.phase = StreamState::Events(log);
        }
    }
}

/// Bytes before `at` are used first, if there are any; then more may be there.
fn used_before(at: usize, more: More) -> Ahead<usize> {
    if at == 0 { Err(more) } else { Ok(at) }
}
