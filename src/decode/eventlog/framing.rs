//! Finds where one event ends and the next begins.
//!
//! Sizes come from the log's header or from the event itself, and in two known cases the event is
//! wrong: GHC 9.6.5 and newer declare `IPE` events a byte too long, and every GHC writes only the
//! low 16 bits of a length (`docs/format/eventlog.md#wrong-lengths`). Then the fields themselves
//! show the true length, and the bytes after the event decide between the two: see
//! [`Framer::extent`]. They also show that a length is damaged, before it swallows what follows.

use std::ops::Range;

use super::block::MARKER_LENGTH;
use super::header::{HEADER_BEGIN, PayloadSize};
use super::{Ahead, BEGIN, Block, ByteWindow, FRONT, More, Sizes, Tag};
use crate::base::units::Nanos;
use crate::decode::cursor::Cursor;
use crate::incident::{Incident, WarningCode};

/// How far past its declared length the fields of an event are followed. Only a text of that
/// length in the program itself reaches it.
const MAX_EXTENT: usize = 16 << 20;

/// The largest block that is accepted after damage. Buffers have 2 MiB in every GHC so far.
const MAX_BLOCK: usize = 16 << 20;

/// The latest time that is accepted after damage: 36 years of running.
const MAX_TIME: u64 = 1 << 60;

/// How many plausible events in a row are needed to continue after damage.
const CHAIN: usize = 4;

/// How many are needed if their times are not in their block's.
const LONG_CHAIN: usize = 24;

/// GHC's types from here on are about profiles. Of those before, only texts have lengths of their own.
const FIRST_OF_PROFILES: u16 = 100;

/// A type that is not read: the environment.
const PROGRAM_ENV: Tag = Tag(31);

#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    pub tag: Tag,
    /// Nanoseconds since the run-time system started.
    pub time: u64,
    /// The capability whose buffer it was in; 0xFFFF for none.
    pub capability: u16,
    /// The payload, with its true length.
    pub payload: &'a [u8],
    /// Offset of its first byte in the input.
    pub offset: u64,
    /// Position in the window of the first byte after it.
    pub end: usize,
    /// How many bytes of the log it takes, from its type to the end of its payload.
    pub length: usize,
    /// Whether the payload is longer than the 16 bits of its length can express.
    pub wrapped: bool,
}

impl Event<'_> {
    /// Notes something odd about the event.
    #[cold]
    pub fn incident(&self, code: WarningCode) -> Incident {
        Incident::new(code).at_byte(self.offset).when(Nanos::from_unsigned_nanos(self.time))
    }
}

/// What the bytes at a position are.
#[derive(Clone, Copy, Debug)]
pub enum Framed<'a> {
    Event(Event<'a>),
    /// The end mark, followed by what may follow one: nothing, or another log.
    EndMark,
    /// The header of another log: this one ends without its mark.
    NextLog,
    /// An event whose length is damaged: no event begins where it says that it ends, or one begins before.
    WrongLength,
    /// The bytes of the end mark although something follows and no block says that the log continues.
    LooseEndMark,
    /// Nothing that can be an event here: a type that the header does not declare, a time outside
    /// the block's, or an end mark in the middle of a block.
    NoEvent,
}

/// Reads frames. It is `Copy`, so that looking ahead can use a copy.
#[derive(Clone, Copy, Debug)]
pub struct Framer<'a> {
    pub window: ByteWindow<'a>,
    pub sizes: &'a Sizes,
    /// The block around the position that is read.
    pub block: Block,
    /// Whether a length is believed that the fields contradict, where it is the length of something about a profile,
    /// except for the byte that IPE events declare too many. For trying every byte after damage: in a crafted log each
    /// would lead to the same long text, and to the same events after it. Otherwise the fields are followed, and the
    /// bytes after them decide.
    pub believes_lengths: bool,
}

/// Whether events in a row begin at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lookahead {
    /// As many as were asked for, or some and then the end mark.
    Complete,
    /// Fewer, because the input or the log ends.
    Short,
    Broken,
}

impl<'a> Framer<'a> {
    /// What is at position `at`. With a window that is the last, [`More`] says that the log is
    /// cut inside this event.
    #[inline]
    pub fn at(&self, at: usize) -> Ahead<Framed<'a>> {
        let mut cursor = self.window.cursor(at);
        let Some(tag) = cursor.u16().map(Tag) else { return Err(More(at + 2)) };
        if tag == Tag::END_MARK {
            return self.end_mark(at);
        }
        let size = self.sizes.of(tag);
        if size == PayloadSize::Undeclared {
            return self.undeclared(at);
        }
        let Some(time) = cursor.u64() else { return Err(More(at + 10)) };
        let offset = self.window.offset(at);
        if !self.block.admits(offset, tag, time) {
            return Ok(Framed::NoEvent);
        }
        let (body, end, wrapped) = match size {
            PayloadSize::Fixed(n) => (at + 10, at + 10 + usize::from(n), false),
            PayloadSize::Undeclared | PayloadSize::Variable => {
                let Some(declared) = cursor.u16().map(usize::from) else {
                    return Err(More(at + 12));
                };
                let body = at + 12;
                let Some(length) = self.extent(tag, body, declared)? else {
                    return Ok(Framed::WrongLength);
                };
                (body, body + length, length > 0xFFFF)
            }
        };
        let Some(payload) = self.window.bytes.get(body..end) else { return Err(More(end)) };
        let capability = self.block.capability_at(offset);
        let event =
            Event { tag, time, capability, payload, offset, end, length: end - at, wrapped };
        // Blocks never overlap: a marker inside one is damage, or the block's size is.
        if tag == Tag::BLOCK_MARKER && offset < self.block.end && !self.believes(&event) {
            return Ok(Framed::NoEvent);
        }
        Ok(Framed::Event(event))
    }

    /// What is at a place where no declared event begins.
    #[cold]
    fn undeclared(&self, at: usize) -> Ahead<Framed<'a>> {
        Ok(if interrupted_at(self.window, at)? { Framed::NextLog } else { Framed::NoEvent })
    }

    /// The true payload length of a variable event; `None` if the declared one is damaged.
    #[inline]
    fn extent(&self, tag: Tag, body: usize, declared: usize) -> Ahead<Option<usize>> {
        let there = self.window.cursor(body).rest();
        let Some(payload) = there.get(..declared) else {
            return self.unfinished_extent(tag, body, declared, there);
        };
        if fields_length(tag, payload) == Some(declared) || is_text(tag, payload) {
            return Ok(Some(declared));
        }
        self.disputed_extent(tag, body, declared, there)
    }

    /// The length of an event that says it ends beyond the window.
    #[cold]
    fn unfinished_extent(
        &self,
        tag: Tag,
        body: usize,
        declared: usize,
        there: &[u8],
    ) -> Ahead<Option<usize>> {
        let needs = Err(More(body + declared));
        if !self.window.last {
            return needs;
        }
        // The missing byte may be the one that IPE declares too many.
        let fields = fields_length(tag, there);
        if fields.is_some_and(|length| ends_a_byte_early(tag, length, declared)) {
            return Ok(fields);
        }
        // The event is cut, or its length is damaged and it swallows what follows.
        let mut swallowed = body..self.window.bytes.len();
        let begin = |at| self.chain_of(CHAIN, at) == Ok(Lookahead::Complete);
        if !self.believes_lengths && swallowed.any(begin) { Ok(None) } else { needs }
    }

    /// The length of an event whose fields do not end where it says, or do not show where they end
    /// (`docs/format/eventlog.md#wrong-lengths`).
    #[cold]
    fn disputed_extent(
        &self,
        tag: Tag,
        body: usize,
        declared: usize,
        there: &[u8],
    ) -> Ahead<Option<usize>> {
        let within = match self.believes_lengths {
            false => &there[..there.len().min(MAX_EXTENT)],
            true => &there[..declared],
        };
        let fields = fields_length(tag, within);
        let early = fields.filter(|&length| ends_a_byte_early(tag, length, declared));
        if self.believes_lengths {
            return Ok(match tag.0 {
                ..FIRST_OF_PROFILES => None,
                _ => early.or(Some(declared)),
            });
        }
        if has_fields(tag) && fields.is_none() && within.len() < MAX_EXTENT && !self.window.last {
            // The length of the text is not known. Asking for twice as much keeps the scans linear
            // for a log that arrives byte by byte.
            return Err(More(body + 2 * there.len().max(64)));
        }
        let plausible = |length: usize| self.may_start_at(body, body + length);
        if let Some(length) = fields
            && length < declared
        {
            // Where several events begin, there are no fields of a future version.
            let followed = match early {
                Some(_) => plausible(length),
                None => self.events_begin_in(body + length..body + declared),
            };
            if followed? {
                return Ok(early);
            }
        }
        // Longer than its fields: fields of a future version. Shorter: a cut text.
        if plausible(declared)? {
            return Ok(Some(declared));
        }
        Ok(match fields {
            Some(length) if length > declared && (length - declared).is_multiple_of(1 << 16) => {
                plausible(length)?.then_some(length)
            }
            // The damage is after it.
            _ => early,
        })
    }

    /// Whether several events in a row begin at one of these positions.
    #[cold]
    pub fn events_begin_in(&self, places: Range<usize>) -> Ahead<bool> {
        for at in places {
            if self.chain_at(at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether an event can start at position `at`, after one whose payload starts at `body`.
    fn may_start_at(&self, body: usize, at: usize) -> Ahead<bool> {
        let offset = self.window.offset(at);
        // No event extends beyond the end of its block.
        if self.window.offset(body) < self.block.end && offset > self.block.end {
            return Ok(false);
        }
        if self.window.ends_at(at) {
            return Ok(true);
        }
        let mut cursor = self.window.cursor(at);
        match (cursor.u16().map(Tag), cursor.u64()) {
            (Some(Tag::END_MARK), _) => {
                self.end_mark(at).map(|found| matches!(found, Framed::EndMark))
            }
            (Some(tag), _) if self.sizes.of(tag) == PayloadSize::Undeclared => {
                interrupted_at(self.window, at)
            }
            (Some(tag), Some(time)) => Ok(self.block.admits(offset, tag, time)),
            // The event is cut inside its first bytes, which do not contradict it.
            _ if self.window.last => Ok(at < self.window.bytes.len()),
            _ => Err(More(at + 10)),
        }
    }

    /// What the bytes FF FF at position `at` mean.
    fn end_mark(&self, at: usize) -> Ahead<Framed<'a>> {
        let after = at + 2;
        if self.window.ends_at(after) {
            return Ok(Framed::EndMark);
        }
        if log_begins_at(self.window, after)?.is_some() {
            return Ok(Framed::EndMark);
        }
        // The last block's size may count the mark or not
        // (`docs/format/eventlog.md#how-a-log-ends`).
        let inside_block = self.window.offset(after) < self.block.end;
        Ok(match inside_block || self.events_begin_near(after)? {
            true => Framed::NoEvent,
            false => Framed::LooseEndMark,
        })
    }

    /// Whether the log continues close to `at`, where it seems to have ended. What was written after a log may
    /// be NULs, which are events at time 0.
    #[cold]
    fn events_begin_near(&self, at: usize) -> Ahead<bool> {
        const NEAR: usize = 32;
        let there = self.window.cursor(at).rest();
        if there.len() < NEAR && !self.window.last {
            return Err(More(at + NEAR));
        }
        match !self.believes_lengths && there.iter().take(NEAR).any(|&byte| byte != 0) {
            true => self.events_begin_in(at..at + NEAR),
            false => Ok(false),
        }
    }

    /// Whether several events in a row can be read from position `at` on
    /// (`docs/format/eventlog.md#damage-inside-a-log`).
    pub fn chain_at(&self, at: usize) -> Ahead<bool> {
        self.chain_of(CHAIN, at).map(|chain| chain != Lookahead::Broken)
    }

    /// The block with which reading can continue at position `at` after damage; `None` if it cannot. The times
    /// of the block may be what is damaged: then so many events must follow that the times are not needed.
    pub fn continues_at(&self, at: usize) -> Ahead<Option<Block>> {
        if self.chain_at(at)? {
            return Ok(Some(self.block));
        }
        let untimed = Framer { block: self.block.untimed(), ..*self };
        let chain = untimed.chain_of(LONG_CHAIN, at)?;
        Ok((chain != Lookahead::Broken).then_some(untimed.block))
    }

    fn chain_of(&self, events: usize, mut at: usize) -> Ahead<Lookahead> {
        let mut ahead = Framer { believes_lengths: true, ..*self };
        for read in 0..events {
            if read > 0 && self.window.ends_at(at) {
                return Ok(Lookahead::Short);
            }
            match ahead.at(at) {
                Ok(Framed::Event(event)) => {
                    if event.tag == Tag::BLOCK_MARKER {
                        if !ahead.believes(&event) {
                            return Ok(Lookahead::Broken);
                        }
                        ahead.block = ahead.block.next(event.offset, event.time, event.payload);
                    }
                    at = event.end;
                }
                Ok(Framed::EndMark) if read > 0 => break,
                Ok(Framed::EndMark) => return Ok(Lookahead::Short),
                Ok(_) => return Ok(Lookahead::Broken),
                Err(_) if self.window.last => return Ok(Lookahead::Broken),
                Err(more) => return Err(more),
            }
        }
        Ok(Lookahead::Complete)
    }

    /// Whether a block marker in a stretch of doubtful bytes is accepted. Any time is allowed in
    /// it, so its own fields must make sense, especially if the block around it has not ended: the
    /// bytes 00 12 are also the length of many events.
    fn believes(&self, marker: &Event<'_>) -> bool {
        let mut cursor = Cursor::new(marker.payload);
        let (Some(size), Some(closed)) = (cursor.u32(), cursor.u64()) else { return false };
        let in_its_place = marker.offset >= self.block.end;
        let size_fits = (MARKER_LENGTH..=MAX_BLOCK).contains(&(size as usize));
        let times_fit = marker.time <= closed && closed < MAX_TIME;
        size_fits && (times_fit || (in_its_place && closed == 0))
    }
}

/// Whether a log begins at position `at`, and how many bytes to skip to its header: 0, or the 24 of
/// the stray block marker in front of a restarted log of GHC 8.10 and 9.0
/// (`docs/format/eventlog.md#several-logs-in-one-stream`).
pub fn log_begins_at(window: ByteWindow<'_>, at: usize) -> Ahead<Option<usize>> {
    let there = window.cursor(at).rest();
    let header_after = |skip: usize| match there.get(skip..).unwrap_or_default() {
        rest if rest.starts_with(HEADER_BEGIN) => Ok(Some(skip)),
        rest if rest.len() < 4 && HEADER_BEGIN.starts_with(rest) && !window.last => {
            Err(More(at + skip + 4))
        }
        _ => Ok(None),
    };
    match there {
        [0, 18, ..] => header_after(MARKER_LENGTH),
        [0] if !window.last => Err(More(at + 2)),
        _ => header_after(0),
    }
}

/// Where the first header of a stream is that begins with other bytes: what a wrapper printed.
pub fn first_header(window: ByteWindow<'_>) -> Ahead<Option<usize>> {
    let front = &window.bytes[..window.bytes.len().min(FRONT)];
    match memchr::memmem::find(front, BEGIN) {
        // Not all at once: while a program runs, its log should be shown as soon as it begins.
        None if front.len() < FRONT && !window.last => {
            Err(More(FRONT.min(2 * front.len().max(64))))
        }
        found => Ok(found),
    }
}

/// Whether the header of another log is at position `at`, before this log has ended. Real headers
/// begin with eight bytes that no event begins with.
pub fn interrupted_at(window: ByteWindow<'_>, at: usize) -> Ahead<bool> {
    let there = window.cursor(at).rest();
    let there = &there[..there.len().min(BEGIN.len())];
    match BEGIN.starts_with(there) {
        true if there.len() < BEGIN.len() && !window.last => Err(More(at + BEGIN.len())),
        begun => Ok(begun && there.len() == BEGIN.len()),
    }
}

/// Whether the layout of a type shows where its fields end.
fn has_fields(tag: Tag) -> bool {
    tag == Tag::HEAP_PROF_SAMPLE_COST_CENTRE || layout(tag).is_some()
}

/// Where the text begins in the payload of a type that has one text up to its end.
fn text_begins(tag: Tag) -> Option<usize> {
    match tag {
        Tag::USER_MSG | Tag::USER_MARKER => Some(0),
        // After the number of a thread or of a set of capabilities.
        Tag::THREAD_LABEL | Tag::RTS_IDENTIFIER | Tag::PROGRAM_ARGS | PROGRAM_ENV => Some(8),
        _ => None,
    }
}

/// The longest text that is searched. After damage every byte is tried, and in a crafted log each could begin a
/// text.
const MAX_TEXT: usize = 512;

/// Whether a payload is text, in which no other event begins. The type of every event and the time of each
/// in the first 78 hours begin with NULs; between arguments there is one NUL.
fn is_text(tag: Tag, payload: &[u8]) -> bool {
    if payload.len() > MAX_TEXT {
        return false;
    }
    let Some(text) = text_begins(tag).and_then(|at| payload.get(at..)) else { return false };
    memchr::memchr_iter(0, text)
        .all(|at| text.get(at + 2..at + 4).is_none_or(|time| time != [0, 0]))
}

/// Whether an event ends a byte before it says, as IPE events do.
fn ends_a_byte_early(tag: Tag, length: usize, declared: usize) -> bool {
    tag == Tag::IPE && length + 1 == declared
}

/// Bytes before the depth of a stack: a profile's number and the size.
const STACK_DEPTH: usize = 9;

/// Bytes before the texts, number of texts, bytes after them.
fn layout(tag: Tag) -> Option<(usize, usize, usize)> {
    Some(match tag {
        Tag::HEAP_PROF_BEGIN => (13, 7, 0),
        Tag::HEAP_PROF_COST_CENTRE => (4, 3, 1),
        Tag::HEAP_PROF_SAMPLE_STRING => (9, 1, 0),
        Tag::IPE => (8, 6, 0),
        _ => return None,
    })
}

/// The length of the fields of an event whose body starts with `body`; `None` if `body` ends inside
/// them.
#[inline]
fn fields_length(tag: Tag, body: &[u8]) -> Option<usize> {
    let mut cursor = Cursor::new(body);
    if tag == Tag::HEAP_PROF_SAMPLE_COST_CENTRE {
        cursor.take(STACK_DEPTH)?;
        let depth = cursor.u8()?;
        return Some(STACK_DEPTH + 1 + 4 * usize::from(depth));
    }
    let (before, texts, after) = layout(tag)?;
    cursor.take(before)?;
    for _ in 0..texts {
        cursor.c_string()?;
    }
    cursor.take(after)?;
    Some(body.len() - cursor.rest().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_arrives_slowly_is_shown_as_soon_as_it_begins() {
        for (length, needs) in [(0, 128), (3, 128), (100, 200), (FRONT - 1, FRONT)] {
            let window = ByteWindow { bytes: &vec![b'x'; length], base: 0, last: false };
            assert!(matches!(first_header(window), Err(More(n)) if n == needs), "{length}");
        }
    }

    /// After damage a marker must make sense by itself; one that was never closed, by its place.
    #[test]
    fn a_marker_is_believed_if_its_size_and_times_fit() {
        let sizes = Sizes::new();
        let window = ByteWindow { bytes: &[], base: 0, last: true };
        let believed = |end: u64, size: u32, time: u64, closed: u64| {
            let mut block = Block::NONE;
            block.end = end;
            let framer = Framer { window, sizes: &sizes, block, believes_lengths: false };
            let payload = [&size.to_be_bytes()[..], &closed.to_be_bytes(), &[0, 0]].concat();
            framer.believes(&Event {
                tag: Tag::BLOCK_MARKER,
                time,
                capability: 0,
                payload: &payload,
                offset: 100,
                end: 124,
                length: 24,
                wrapped: false,
            })
        };
        assert!(believed(100, 24, 5, 5) && believed(101, 24, 5, 5) && believed(0, 16 << 20, 5, 6));
        assert!(!believed(0, 23, 5, 5) && !believed(0, (16 << 20) + 1, 5, 5));
        assert!(!believed(0, 24, 5, 4) && !believed(0, 24, 5, MAX_TIME));
        assert!(believed(100, 24, 5, 0) && !believed(101, 24, 5, 0));
    }
}
