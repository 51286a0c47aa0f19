//! Finds where one event ends and the next begins.
//!
//! Sizes come from the log's header or from the event itself, and in two known cases the event is
//! wrong: GHC 9.6.5 and newer declare `IPE` events a byte too long, and every GHC writes only the
//! low 16 bits of a length (`docs/format/eventlog.md#wrong-lengths`). Then the fields themselves
//! show the true length, and the bytes after the event decide between the two: see
//! [`Framer::extent`].

use super::beginning::{BEGIN, FRONT};
use super::block::{Block, MARKER_LENGTH};
use super::header::{HEADER_BEGIN, Size, Sizes};
use super::tag::Tag;
use super::window::{Lookahead, Window};
use crate::decode::cursor::Cursor;

/// How far past its declared length the fields of an event are followed. Only a text of that
/// length in the program itself reaches it.
const MAX_EXTENT: usize = 16 << 20;

/// The largest block that is accepted after damage. Buffers have 2 MiB in every GHC so far.
const MAX_BLOCK: usize = 16 << 20;

/// The latest time that is accepted after damage: 36 years of running.
const MAX_TIME: u64 = 1 << 60;

/// How many plausible events in a row are needed to continue after damage.
const CHAIN: usize = 4;

/// One event in the window.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Its type.
    pub tag: Tag,
    /// Its time in nanoseconds since the run-time system started.
    pub time: u64,
    /// The capability whose buffer it was in; 0xFFFF for none.
    pub capability: u16,
    /// Its payload, with its true length.
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

/// What is at a position.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// An event.
    Event(Event<'a>),
    /// The end mark, followed by what may follow one: nothing, or another log.
    EndMark,
    /// The header of another log: this one ends without its mark.
    NextLog,
    /// The bytes of the end mark although something follows and no block says that the log continues.
    LooseEndMark,
    /// Nothing that can be an event here: a type that the header does not declare, a time outside
    /// the block's, or an end mark in the middle of a block.
    NoEvent,
}

/// Reads frames. It is `Copy`, so that looking ahead can use a copy.
#[derive(Clone, Copy, Debug)]
pub struct Framer<'a> {
    /// The bytes.
    pub window: Window<'a>,
    /// The declared sizes.
    pub sizes: &'a Sizes,
    /// The block around the position that is read.
    pub block: Block,
    /// How far past its declared length the fields of an event are followed.
    pub reach: FieldLimit,
}

/// How far the fields of an event are followed.
#[derive(Clone, Copy, Debug)]
pub enum FieldLimit {
    /// As far as a length of 16 bits may be wrong about them.
    Far,
    /// Not past the greatest length that 16 bits can express. After damage every byte is tried, and in a
    /// crafted log each would lead to the same long text.
    Near,
}

impl FieldLimit {
    const fn bytes(self) -> usize {
        match self {
            FieldLimit::Far => MAX_EXTENT,
            FieldLimit::Near => 1 << 16,
        }
    }
}

impl<'a> Framer<'a> {
    /// What is at position `at`. With a window that is the last, `Needs` says that the log is
    /// cut inside this event.
    #[inline]
    pub fn at(&self, at: usize) -> Lookahead<Found<'a>> {
        let mut cursor = self.window.cursor(at);
        let Some(tag) = cursor.u16().map(Tag) else { return Lookahead::Needs(at + 2) };
        if tag == Tag::END_MARK {
            return self.end_mark(at);
        }
        let size = self.sizes.of(tag);
        if size == Size::Undeclared {
            return self.undeclared(at);
        }
        let Some(time) = cursor.u64() else { return Lookahead::Needs(at + 10) };
        let offset = self.window.offset(at);
        if !self.block.admits(offset, tag, time) {
            return Lookahead::Known(Found::NoEvent);
        }
        let (body, end, wrapped) = match size {
            Size::Fixed(n) => (at + 10, at + 10 + usize::from(n), false),
            _ => {
                let Some(declared) = cursor.u16().map(usize::from) else {
                    return Lookahead::Needs(at + 12);
                };
                let body = at + 12;
                match self.extent(tag, body, declared) {
                    Lookahead::Known(length) => (body, body + length, length > 0xFFFF),
                    Lookahead::Needs(needs) => return Lookahead::Needs(needs),
                }
            }
        };
        let Some(payload) = self.window.bytes.get(body..end) else { return Lookahead::Needs(end) };
        let capability = self.block.capability_at(offset);
        let event =
            Event { tag, time, capability, payload, offset, end, length: end - at, wrapped };
        // Blocks never overlap: a marker inside one is damage, or the block's size is.
        if tag == Tag::BLOCK_MARKER && offset < self.block.end && !self.believes(&event) {
            return Lookahead::Known(Found::NoEvent);
        }
        Lookahead::Known(Found::Event(event))
    }

    /// What is at a place where no declared event begins.
    #[cold]
    fn undeclared(&self, at: usize) -> Lookahead<Found<'a>> {
        match interrupted_at(self.window, at) {
            Lookahead::Known(true) => Lookahead::Known(Found::NextLog),
            Lookahead::Known(false) => Lookahead::Known(Found::NoEvent),
            Lookahead::Needs(needs) => Lookahead::Needs(needs),
        }
    }

    /// The true payload length of a variable event.
    #[inline]
    fn extent(&self, tag: Tag, body: usize, declared: usize) -> Lookahead<usize> {
        let there = self.window.cursor(body).rest();
        let Some(payload) = there.get(..declared) else {
            // The event is cut, unless the missing byte is the one that IPE declares too many and
            // the log ends here.
            return match fields_length(tag, there) {
                Some(length) if self.window.last && tag == Tag::IPE && length + 1 == declared => {
                    Lookahead::Known(length)
                }
                _ => Lookahead::Needs(body + declared),
            };
        };
        if !has_fields(tag) || fields_length(tag, payload) == Some(declared) {
            return Lookahead::Known(declared);
        }
        self.disputed_extent(tag, body, declared, there)
    }

    /// The length of an event whose fields do not end where it says
    /// (`docs/format/eventlog.md#wrong-lengths`).
    #[cold]
    fn disputed_extent(
        &self,
        tag: Tag,
        body: usize,
        declared: usize,
        there: &[u8],
    ) -> Lookahead<usize> {
        let reach = self.reach.bytes();
        let within = &there[..there.len().min(reach)];
        let fields = fields_length(tag, within);
        if fields.is_none() && within.len() < reach && !self.window.last {
            // The length of the text is not known. Asking for twice as much keeps the scans linear
            // for a log that arrives byte by byte.
            return Lookahead::Needs(body + 2 * there.len().max(64));
        }
        let plausible = |length: usize| self.may_start_at(body, body + length);
        if let Some(length) = fields
            && tag == Tag::IPE
            && length + 1 == declared
        {
            match plausible(length) {
                Lookahead::Known(true) => return Lookahead::Known(length),
                Lookahead::Known(false) => {}
                Lookahead::Needs(needs) => return Lookahead::Needs(needs),
            }
        }
        match plausible(declared) {
            // Longer than its fields: fields of a future version. Shorter: a cut text.
            Lookahead::Known(true) => return Lookahead::Known(declared),
            Lookahead::Known(false) => {}
            Lookahead::Needs(needs) => return Lookahead::Needs(needs),
        }
        match fields {
            Some(length) if length > declared && (length - declared).is_multiple_of(1 << 16) => {
                match plausible(length) {
                    Lookahead::Known(true) => Lookahead::Known(length),
                    Lookahead::Known(false) => Lookahead::Known(declared),
                    Lookahead::Needs(needs) => Lookahead::Needs(needs),
                }
            }
            _ => Lookahead::Known(declared),
        }
    }

    /// Whether an event can start at position `at`, after one whose payload starts at `body`.
    fn may_start_at(&self, body: usize, at: usize) -> Lookahead<bool> {
        let offset = self.window.offset(at);
        // No event extends beyond the end of its block.
        if self.window.offset(body) < self.block.end && offset > self.block.end {
            return Lookahead::Known(false);
        }
        if self.window.ends_at(at) {
            return Lookahead::Known(true);
        }
        let mut cursor = self.window.cursor(at);
        match (cursor.u16().map(Tag), cursor.u64()) {
            (Some(Tag::END_MARK), _) => match self.end_mark(at) {
                Lookahead::Known(found) => Lookahead::Known(matches!(found, Found::EndMark)),
                Lookahead::Needs(needs) => Lookahead::Needs(needs),
            },
            (Some(tag), _) if self.sizes.of(tag) == Size::Undeclared => {
                interrupted_at(self.window, at)
            }
            (Some(tag), Some(time)) => Lookahead::Known(self.block.admits(offset, tag, time)),
            // The event is cut inside its first bytes, which do not contradict it.
            _ if self.window.last => Lookahead::Known(at < self.window.bytes.len()),
            _ => Lookahead::Needs(at + 10),
        }
    }

    /// What the bytes FF FF at position `at` mean.
    fn end_mark(&self, at: usize) -> Lookahead<Found<'a>> {
        let after = at + 2;
        if self.window.ends_at(after) {
            return Lookahead::Known(Found::EndMark);
        }
        match log_begins_at(self.window, after) {
            Lookahead::Known(Some(_)) => Lookahead::Known(Found::EndMark),
            // The last block's size may count the mark or not
            // (`docs/format/eventlog.md#how-a-log-ends`).
            Lookahead::Known(None) if self.window.offset(after) < self.block.end => {
                Lookahead::Known(Found::NoEvent)
            }
            Lookahead::Known(None) => Lookahead::Known(Found::LooseEndMark),
            Lookahead::Needs(needs) => Lookahead::Needs(needs),
        }
    }

    /// Whether several events in a row can be read from position `at` on, so that reading can
    /// continue there after damage (`docs/format/eventlog.md#damage-inside-a-log`).
    pub fn chain_at(&self, mut at: usize) -> Lookahead<bool> {
        let mut ahead = Framer { reach: FieldLimit::Near, ..*self };
        for read in 0..CHAIN {
            if read > 0 && self.window.ends_at(at) {
                return Lookahead::Known(true);
            }
            match ahead.at(at) {
                Lookahead::Known(Found::Event(event)) => {
                    if event.tag == Tag::BLOCK_MARKER {
                        if !ahead.believes(&event) {
                            return Lookahead::Known(false);
                        }
                        ahead.block = ahead.block.next(event.offset, event.time, event.payload);
                    }
                    at = event.end;
                }
                Lookahead::Known(Found::EndMark) => return Lookahead::Known(true),
                Lookahead::Known(_) => return Lookahead::Known(false),
                Lookahead::Needs(_) if self.window.last => return Lookahead::Known(false),
                Lookahead::Needs(needs) => return Lookahead::Needs(needs),
            }
        }
        Lookahead::Known(true)
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
pub fn log_begins_at(window: Window<'_>, at: usize) -> Lookahead<Option<usize>> {
    let there = window.cursor(at).rest();
    let header_after = |skip: usize| match there.get(skip..).unwrap_or_default() {
        rest if rest.starts_with(HEADER_BEGIN) => Lookahead::Known(Some(skip)),
        rest if rest.len() < 4 && HEADER_BEGIN.starts_with(rest) && !window.last => {
            Lookahead::Needs(at + skip + 4)
        }
        _ => Lookahead::Known(None),
    };
    match there {
        [0, 18, ..] => header_after(MARKER_LENGTH),
        [0] if !window.last => Lookahead::Needs(at + 2),
        _ => header_after(0),
    }
}

/// Where the first header of a stream is that begins with other bytes: what a wrapper printed.
pub fn first_header(window: Window<'_>) -> Lookahead<Option<usize>> {
    let front = &window.bytes[..window.bytes.len().min(FRONT)];
    match memchr::memmem::find(front, BEGIN) {
        // Not all at once: while a program runs, its log should be shown as soon as it begins.
        None if front.len() < FRONT && !window.last => {
            Lookahead::Needs(FRONT.min(2 * front.len().max(64)))
        }
        found => Lookahead::Known(found),
    }
}

/// Whether the header of another log is at position `at`, before this log has ended. Real headers
/// begin with eight bytes that no event begins with.
pub fn interrupted_at(window: Window<'_>, at: usize) -> Lookahead<bool> {
    let there = window.cursor(at).rest();
    let there = &there[..there.len().min(BEGIN.len())];
    match BEGIN.starts_with(there) {
        true if there.len() < BEGIN.len() && !window.last => Lookahead::Needs(at + BEGIN.len()),
        begun => Lookahead::Known(begun && there.len() == BEGIN.len()),
    }
}

/// Whether the layout of a type shows where its fields end.
fn has_fields(tag: Tag) -> bool {
    layout(tag).is_some()
}

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
    let (before, texts, after) = layout(tag)?;
    let mut cursor = Cursor::new(body);
    cursor.take(before)?;
    for _ in 0..texts {
        cursor.c_string()?;
    }
    cursor.take(after)?;
    Some(body.len() - cursor.rest().len())
}
