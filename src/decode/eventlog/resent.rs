//! Finds the headers that follow where a log was cut.
//!
//! A connection can break inside an event, and the next recording begins with a header. Read by its
//! length, the cut event would swallow that header, and everything after it would be misread. So an
//! event is accepted only if no header begins among its bytes. A text of the program can contain
//! such bytes, too, so a header counts only if its records can be read, and not if the event around
//! it ends where it says and the log continues there.
//!
//! Events whose payload is not used are skipped unchecked, because there are millions of them. If
//! one of them was cut, the bytes after it are not an event, and the header is searched for among
//! the bytes just read ([`LOOK_BACK`]).

use super::byte_window::{begins_in, may_begin_in};
use super::header::{HeaderPart, PayloadSize, part_at};
use super::{Ahead, BEGIN, ByteWindow, Framed, Framer, Halt, Headerless, More, Tag};

/// How many of the bytes just read are kept: a header may begin among them.
pub const LOOK_BACK: usize = 256;

/// The longest payload that is skipped unchecked.
pub const PASSED_OVER: u16 = 200;

/// Bytes of an event before its payload, or before the length of it.
const HEAD: usize = 10;

/// The longest header that is looked for among bytes that were read already. Real ones have 4 KiB.
const LONGEST: usize = 32 << 10;

/// The most records of a header that are read before it is accepted.
const MOST_RECORDS: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderEnd {
    /// With its end marks, before this position.
    Complete(usize),
    /// At this position it is itself cut, by another header or by the end of the input.
    Cut(usize),
}

/// The end of the header that begins at `at`, if there is one.
pub fn header_at(window: ByteWindow<'_>, at: usize) -> Ahead<Option<HeaderEnd>> {
    header_within(window, at, usize::MAX)
}

/// The end of the header that begins at `at`, if there is one that is read without bytes from `limit` on.
/// Whether the input goes on that far makes no difference.
fn header_within(window: ByteWindow<'_>, at: usize, limit: usize) -> Ahead<Option<HeaderEnd>> {
    if begins_in(window, at, at + 1)?.is_none() {
        return Ok(None);
    }
    let mut next = at + BEGIN.len();
    for _ in 0..MOST_RECORDS {
        let bytes = window.bytes.get(next..).unwrap_or_default();
        let end = match part_at(ByteWindow { bytes, base: window.offset(next), ..window }) {
            Ok(HeaderPart::Record { length, .. }) => {
                next += length;
                continue;
            }
            Ok(HeaderPart::End { length }) => Some(HeaderEnd::Complete(next + length)),
            Ok(HeaderPart::CutBy { at }) => Some(HeaderEnd::Cut(next + at)),
            Err(Halt::Needs(More(needs))) if next + needs > limit => None,
            Err(Halt::Needs(_)) if window.last => {
                let has_records = next > at + BEGIN.len();
                has_records.then_some(HeaderEnd::Cut(window.bytes.len()))
            }
            Err(Halt::Needs(More(needs))) => return Err(More(next + needs)),
            Err(Halt::Wrong(_)) => None,
        };
        return Ok(end);
    }
    Ok(None)
}

/// Where an event ends by its length.
#[derive(Clone, Copy, Debug)]
pub enum EventEnd {
    /// Before this position.
    At(usize),
    Beyond,
    /// Nowhere: its length is damaged.
    Unknown,
}

impl EventEnd {
    /// The end of what was found; `None` if that is not an event.
    #[inline]
    pub fn new(found: &Ahead<Framed<'_>>) -> Option<Self> {
        match found {
            Ok(Framed::Event(event)) => Some(EventEnd::At(event.end)),
            Ok(Framed::WrongLength) => Some(EventEnd::Unknown),
            Ok(_) => None,
            Err(_) => Some(EventEnd::Beyond),
        }
    }
}

/// The position in the event at position `at` where the header of another log begins, if the event was cut
/// there. `headerless` is the result of earlier calls on the same input.
#[inline]
pub fn cut_at(
    framer: &Framer<'_>,
    at: usize,
    end: EventEnd,
    headerless: &mut Headerless,
) -> Ahead<Option<usize>> {
    let Some((mut from, least_end)) = doubtful(framer, at) else { return Ok(None) };
    if headerless.covers(framer.window, from, least_end) {
        return Ok(None);
    }
    while let Some(place) = begins_in(framer.window, from, least_end)? {
        if cuts(framer, place, least_end, end)? {
            // Events before the header show that the event was not cut: its length is damaged.
            let begin = framer.events_begin_in(at + 1..place)?;
            return Ok((!begin).then_some(place));
        }
        from = place + 1;
    }
    Ok(None)
}

/// The positions between which a header would change the meaning of the event at `at`: at most up to its
/// earliest possible end.
#[inline]
fn doubtful(framer: &Framer<'_>, at: usize) -> Option<(usize, usize)> {
    let mut cursor = framer.window.cursor(at);
    let tag = cursor.u16().map(Tag)?;
    let end = match framer.sizes.of(tag) {
        PayloadSize::Fixed(n) if n <= PASSED_OVER && tag.is_scheduling() => return None,
        PayloadSize::Fixed(n) => at + HEAD + usize::from(n),
        PayloadSize::Variable => {
            cursor.u64()?;
            // An IPE event may be declared a byte too long.
            let too_long = usize::from(tag == Tag::IPE);
            at + HEAD + 2 + usize::from(cursor.u16()?).saturating_sub(too_long)
        }
        PayloadSize::Undeclared => return None,
    };
    Some((at + 1, end))
}

/// Whether what looks like a header at `place` is one and cuts the surrounding event.
#[cold]
fn cuts(framer: &Framer<'_>, place: usize, least_end: usize, end: EventEnd) -> Ahead<bool> {
    match header_at(framer.window, place)? {
        Some(HeaderEnd::Complete(end)) if least_end < end => return Ok(true),
        Some(_) => {}
        None => return Ok(false),
    }
    match end {
        EventEnd::At(end) => Ok(!goes_on_at(framer, end)?),
        EventEnd::Unknown => Ok(true),
        EventEnd::Beyond if framer.window.last => Ok(true),
        EventEnd::Beyond => Err(More(framer.window.bytes.len() + 1)),
    }
}

/// Whether the log continues or ends where the event ends by its length.
fn goes_on_at(framer: &Framer<'_>, end: usize) -> Ahead<bool> {
    if framer.window.ends_at(end) {
        return Ok(true);
    }
    let inside_block = framer.window.offset(end) < framer.block.end;
    match framer.window.cursor(end).u16().map(Tag) {
        Some(Tag::BLOCK_MARKER) if inside_block => Ok(false),
        Some(_) => framer.chain_at(end),
        None if framer.window.last => Ok(false),
        None => Err(More(end + 2)),
    }
}

/// The place of a header: after some bytes that were read already, or in the window.
#[derive(Debug)]
pub struct HeaderPlace {
    /// The bytes of the header that are before the window.
    pub swallowed: Vec<u8>,
    /// The position in the window of its first byte there.
    pub at: usize,
}

/// Looks for a header around position `at`, where no event begins: among the bytes before it (of which
/// `before` are those just before the window) and those that an event at `at` would begin with. Position
/// `at` is inside the header, or before it.
pub fn header_around(
    before: &[u8],
    window: ByteWindow<'_>,
    at: usize,
) -> Ahead<Option<HeaderPlace>> {
    const AHEAD: usize = HEAD + 2;
    if window.bytes.len() < at + AHEAD && !window.last {
        return Err(More(at + AHEAD));
    }
    let from = at.saturating_sub(LOOK_BACK);
    let before = if from == 0 { before } else { &[] };
    let until = (at + LONGEST).min(window.bytes.len());
    let near = until.min(at + AHEAD + BEGIN.len());
    if !may_begin_in(&[before, &window.bytes[from..near]].concat()) {
        return Ok(None);
    }
    let bytes = [before, &window.bytes[from..until]].concat();
    let both = ByteWindow {
        bytes: &bytes,
        base: window.offset(from) - before.len() as u64,
        last: window.last && until == window.bytes.len(),
    };
    let in_window = |place: usize| (place + from).saturating_sub(before.len());
    let more_in_window = |More(needs)| More(in_window(needs));
    let inside = at - from + before.len();
    let mut next = 0;
    while let Some(place) = begins_in(both, next, inside + AHEAD).map_err(more_in_window)? {
        match header_within(both, place, inside + LONGEST).map_err(more_in_window)? {
            Some(HeaderEnd::Complete(end) | HeaderEnd::Cut(end)) if end > inside => {
                let swallowed = before.get(place..).unwrap_or_default().to_vec();
                return Ok(Some(HeaderPlace { swallowed, at: in_window(place) }));
            }
            _ => next = place + 1,
        }
    }
    Ok(None)
}
