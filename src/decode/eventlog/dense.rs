//! Reads the most frequent events in fast loops: those about threads and the steps of a collection, which
//! are skipped, the bands of samples, and what collections say of themselves.
//!
//! An event is taken only if nothing about it is doubtful: it is inside the window, its time is
//! inside that of its block, and its fields end where its length says. Before any other event the
//! fast path stops, and the slow path ([`Framer::at`](super::framing::Framer::at), [`Facts::take`])
//! continues. Both do the same with an event that the fast path takes; the tests compare them.

use std::ops::Range;

use super::apply::FINISHED;
use super::byte_window::may_begin_at_end;
use super::framing::Event;
use super::header::PayloadSize;
use super::resent::PASSED_OVER;
use super::{Block, ByteWindow, Headerless, Sizes, Tag};
use crate::decode::cursor::Cursor;
use crate::decode::name_table::{BATCH, Batch, KnownBands, Names, PointColumns, WantedName};
use crate::incident::error::Error;
use crate::profile::{BandId, BandKeyRef, ProfileBuilder};

/// Bytes before the payload of an event of variable length.
const HEAD: usize = 12;
/// Bytes before the name or stack in a band's payload: a profile's number and the size.
const BEFORE_NAME: usize = 9;

/// The lengths of frequent events with a fixed size, by types below 256; 0 for all others. So a loop needs a
/// single look-up for each event.
#[derive(Clone, Debug)]
pub struct EventLengths {
    /// Of those that say nothing about the profile, and are skipped.
    skipped: Box<[u32; 256]>,
    /// Of those about collections and the size of the heap.
    collections: Box<[u8; 256]>,
}

impl EventLengths {
    /// The steps of a log with these declarations.
    pub fn of(sizes: &Sizes) -> Self {
        let length = |number: usize, is_frequent: fn(Tag) -> bool| {
            let tag = Tag(number as u16);
            match sizes.of(tag) {
                PayloadSize::Fixed(n) if is_frequent(tag) && n <= PASSED_OVER => 10 + n as u8,
                PayloadSize::Undeclared | PayloadSize::Fixed(_) | PayloadSize::Variable => 0,
            }
        };
        EventLengths {
            skipped: Box::new(std::array::from_fn(|n| length(n, Tag::is_scheduling).into())),
            collections: Box::new(std::array::from_fn(|n| length(n, Tag::is_of_collections))),
        }
    }
}

/// How far the fast path came.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// Position of the first event that was not read.
    pub at: usize,
    /// The time of the last event that was read.
    pub time: Option<u64>,
    /// Bytes of the events about threads and collections among them.
    pub scheduling: u64,
}

/// Between which times events lie up to a place in the window.
#[derive(Clone, Copy)]
struct Bounds {
    before: usize,
    earliest: u64,
    span: u64,
}

impl Bounds {
    fn new(window: ByteWindow<'_>, at: usize, block: Block) -> Self {
        let all = window.bytes.len();
        match block.end.checked_sub(window.base) {
            Some(end) if end > at as u64 => {
                let (earliest, latest) = block.times();
                let before = usize::try_from(end).map_or(all, |end| end.min(all));
                Bounds { before, earliest, span: latest - earliest }
            }
            _ => Bounds { before: all, earliest: 0, span: block.horizon },
        }
    }

    #[inline(always)]
    fn admit(&self, time: u64) -> bool {
        time.wrapping_sub(self.earliest) <= self.span
    }
}

/// Skips events that say nothing about the profile, and returns how many bytes they have.
fn skip(
    window: ByteWindow<'_>,
    bounds: &Bounds,
    steps: &EventLengths,
    reached: &mut Reached,
) -> u64 {
    let (start, mut at) = (reached.at, reached.at);
    let mut last = None;
    // The place of the next event depends on the type of this one: two dependent loads, about ten
    // cycles. Everything else in this loop runs in parallel with them.
    while at < bounds.before {
        let Some(head) = window.bytes[at..].first_chunk::<10>() else { break };
        let [high, low, time @ ..] = *head;
        let step = steps.skipped[usize::from(low)] as usize;
        let time = u64::from_be_bytes(time);
        if high != 0 || step == 0 || !bounds.admit(time) || window.bytes.len() - at < step {
            break;
        }
        let ends = || window.bytes[at + 14..at + 16] == FINISHED.to_be_bytes();
        if u16::from(low) == Tag::STOP_THREAD.0 && step >= 16 && ends() {
            break;
        }
        at += step;
        last = Some(time);
    }
    (reached.at, reached.time) = (at, last.or(reached.time));
    (at - start) as u64
}

/// Whether events of a type are bands and state their own length.
fn is_of_bands(tag: Tag, sizes: &Sizes) -> bool {
    matches!(tag, Tag::HEAP_PROF_SAMPLE_STRING | Tag::HEAP_PROF_SAMPLE_COST_CENTRE)
        && sizes.of(tag) == PayloadSize::Variable
}

/// Bytes before the name or stack in the event of a band.
const BEFORE_TEXT: usize = HEAD + BEFORE_NAME;

struct BandEvent {
    time: u64,
    size: u64,
    /// Where its name or stack is in the window, up to the end of the event.
    name: Range<usize>,
}

/// The band at a position, if nothing about it is in doubt. One below zero bytes must be reported.
#[inline(always)]
fn band(window: ByteWindow<'_>, bounds: &Bounds, at: usize, tag: Tag) -> Option<BandEvent> {
    let name = at + BEFORE_TEXT;
    // With its length known, the fields need no checks.
    let head: &[u8; BEFORE_TEXT] = window.bytes.get(at..name)?.first_chunk()?;
    let mut fields = Cursor::new(head);
    let (number, time) = (fields.u16()?, fields.u64()?);
    let end = at + HEAD + usize::from(fields.u16()?);
    let (profile, size) = (fields.u8()?, fields.u64()?);
    let is_plain = at < bounds.before
        && number == tag.0
        && bounds.admit(time)
        && profile == 0
        && size <= i64::MAX as u64
        && name < end;
    let text = window.bytes.get(name..end).filter(|_| is_plain)?;
    let is_whole =
        tag != Tag::HEAP_PROF_SAMPLE_COST_CENTRE || text.len() == 1 + 4 * usize::from(text[0]);
    is_whole.then_some(BandEvent { time, size, name: name..end })
}

/// Reads bands by name or by stack, and knows those that it has read.
#[derive(Clone, Debug, Default)]
struct BandReader {
    names: Names,
    bands: KnownBands,
    headerless: Headerless,
    batch: Batch,
    /// The columns of a batch; kept to save their allocation.
    read: PointColumns,
}

impl BandReader {
    /// Takes the bands from the place that was reached on, as long as nothing about them is in doubt.
    // Outside of the loop over scheduler events, which calls it for none of them.
    #[inline(never)]
    fn take(
        &mut self,
        window: ByteWindow<'_>,
        bounds: &Bounds,
        tag: Tag,
        reached: &mut Reached,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        loop {
            self.read.clear();
            let more = self.read_batch(window, bounds, tag, reached);
            let BandReader { names, bands, read, .. } = self;
            bands.add(read, profile, |bands, number, profile| {
                resolve(tag, bands, number, names.bytes_of(number), profile)
            })?;
            if !more {
                return Ok(());
            }
        }
    }

    /// Reads at most [`BATCH`] bands, and returns whether there may be more.
    fn read_batch(
        &mut self,
        window: ByteWindow<'_>,
        bounds: &Bounds,
        tag: Tag,
        reached: &mut Reached,
    ) -> bool {
        let BandReader { names, headerless, batch, read, .. } = self;
        let start = reached.at;
        let place = (window, bounds, start, tag);
        let (count, mut end, mut time) = batch.walk(place, BATCH);
        let wanted = &batch.names[..count];
        // Names are looked up in what begins here.
        let text = &window.bytes[start..];
        let begin = |i: usize| wanted.get(i).map_or(end, |name| start + name.start() - BEFORE_TEXT);
        let new = |names: &mut Names, i: usize| {
            let event = begin(i)..begin(i + 1);
            may_be_known(tag, window, event, wanted[i].of(text), headerless)
                .then(|| names.add(wanted[i].of(text)))?
        };
        let numbered = names.number_all(text, wanted, &mut read.names, new);
        read.sizes.extend_from_slice(&batch.sizes[..numbered]);
        if numbered < count {
            (_, end, time) = batch.walk(place, numbered);
        }
        (reached.at, reached.time) = (end, time.or(reached.time));
        numbered == BATCH
    }
}

impl Batch {
    /// Finds at most `most` bands from a position on, with their sizes and where their names are. Returns how
    /// many there are, where they end, and the time of the last.
    #[inline(always)]
    fn walk(
        &mut self,
        (window, bounds, start, tag): (ByteWindow<'_>, &Bounds, usize, Tag),
        most: usize,
    ) -> (usize, usize, Option<u64>) {
        let text = &window.bytes[start..];
        let (mut count, mut at, mut last) = (0, start, None);
        for (wanted, bytes) in self.names.iter_mut().zip(self.sizes.iter_mut()).take(most) {
            let Some(BandEvent { time, size, name }) = band(window, bounds, at, tag) else { break };
            (*wanted, *bytes) = (WantedName::new(text, name.start - start, name.end - start), size);
            (at, last) = (name.end, Some(time));
            count += 1;
        }
        (count, at, last)
    }
}

/// Whether bands with this name can be recognised by the name alone, without any doubt.
#[cold]
fn may_be_known(
    tag: Tag,
    window: ByteWindow<'_>,
    event: Range<usize>,
    name: &[u8],
    headerless: &mut Headerless,
) -> bool {
    // The event may have been cut, with a header after it, which the slow way decides. So no known name
    // contains such bytes.
    let is_cut = !headerless.covers(window, event.start + HEAD, event.end)
        || may_begin_at_end(&window.bytes[event]);
    // The NUL of a text must be its last byte.
    let is_whole = tag == Tag::HEAP_PROF_SAMPLE_COST_CENTRE
        || memchr::memchr(0, name).is_some_and(|end| end + 1 == name.len());
    is_whole && !is_cut
}

/// Reads the frequent events, and knows the bands that they name.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    strings: Box<BandReader>,
    stacks: Box<BandReader>,
}

#[derive(Clone, Copy)]
pub struct Start<'a> {
    window: ByteWindow<'a>,
    pub at: usize,
    block: Block,
    bounds: Bounds,
}

impl<'a> Start<'a> {
    /// A position in a window, and the block around it.
    pub fn new(window: ByteWindow<'a>, at: usize, block: Block) -> Self {
        Start { window, at, block, bounds: Bounds::new(window, at, block) }
    }

    /// A later position in the same block, or after it.
    pub fn after(self, at: usize) -> Self {
        Start { at, ..self }
    }

    /// The event about a collection that begins here, if nothing about it is doubtful.
    #[inline(always)]
    pub fn of_collections(
        self,
        steps: &EventLengths,
        headerless: &mut Headerless,
    ) -> Option<Event<'a>> {
        let Start { window, at, block, bounds } = self;
        let [high, low, time @ ..] = *window.bytes.get(at..)?.first_chunk::<10>()?;
        let length = usize::from(steps.collections[usize::from(low)]);
        let time = u64::from_be_bytes(time);
        if high != 0 || length == 0 || at >= bounds.before || !bounds.admit(time) {
            return None;
        }
        let end = at + length;
        let payload = window.bytes.get(at + 10..end)?;
        let offset = window.offset(at);
        headerless.covers(window, at + 1, end).then(|| Event {
            tag: Tag(low.into()),
            time,
            capability: block.capability_at(offset),
            payload,
            offset,
            end,
            length,
            wrapped: false,
        })
    }
}

/// What the header of a log declares about its events.
#[derive(Clone, Copy)]
pub struct Declared<'a> {
    pub sizes: &'a Sizes,
    pub steps: &'a EventLengths,
}

impl Dense {
    /// Bands have other numbers from here on.
    pub fn forget_bands(&mut self) {
        *self = Dense::default();
    }

    /// Takes the frequent events at a position; bands only in an open sample.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    #[inline]
    pub fn take(
        &mut self,
        Start { window, at, bounds, .. }: Start<'_>,
        Declared { sizes, steps }: Declared<'_>,
        in_sample: bool,
        profile: &mut ProfileBuilder,
    ) -> Result<Reached, Error> {
        let mut reached = Reached { at, time: None, scheduling: 0 };
        reached.scheduling = skip(window, &bounds, steps, &mut reached);
        if in_sample && let Some(&[0, low]) = window.bytes.get(reached.at..reached.at + 2) {
            let tag = Tag(low.into());
            if is_of_bands(tag, sizes) {
                let bands = match tag {
                    Tag::HEAP_PROF_SAMPLE_STRING => &mut self.strings,
                    _ => &mut self.stacks,
                };
                bands.take(window, &bounds, tag, &mut reached, profile)?;
            }
        }
        Ok(reached)
    }
}

/// The band of a new name or stack, with the bytes of the log.
#[cold]
fn resolve(
    tag: Tag,
    bands: &mut KnownBands,
    number: u32,
    text: &[u8],
    profile: &mut ProfileBuilder,
) -> Result<BandId, Error> {
    if tag == Tag::HEAP_PROF_SAMPLE_STRING {
        return bands.resolve(number, BandKeyRef::Name(&text[..text.len() - 1]), profile);
    }
    let (ids, _) = text[1..].as_chunks::<4>();
    let ids: Vec<u32> = ids.iter().map(|id| u32::from_be_bytes(*id)).collect();
    bands.resolve(number, BandKeyRef::Stack(&ids), profile)
}

#[cfg(test)]
mod tests {
    use super::super::apply::Facts;
    use super::super::framing::{Framed, Framer};
    use super::super::header::{HeaderReader, HeaderStep};
    use super::super::sample_events::LogEnd;
    use super::*;
    use crate::profile::Source;
    use crate::testing::Random;

    #[derive(Clone, Copy, PartialEq)]
    enum Way {
        Slow,
        Fast,
    }

    fn header(log: &[u8]) -> (Sizes, usize) {
        let (mut reader, mut at) = (HeaderReader::new(), 0);
        let mut profile = ProfileBuilder::new(Source::Eventlog);
        loop {
            let window = ByteWindow { bytes: &log[at..], base: at as u64, last: true };
            match reader.step(window, &mut profile) {
                Ok(HeaderStep::Took(n)) => at += n,
                Ok(HeaderStep::Done(n, sizes)) => return (sizes, at + n),
                _ => panic!("a cut header"),
            }
        }
    }

    /// The data of all events, up to the first bytes that are not an event, and their position.
    fn read(sizes: &Sizes, bytes: &[u8], way: Way) -> String {
        let window = ByteWindow { bytes, base: 4096, last: true };
        let steps = EventLengths::of(sizes);
        let mut facts = Facts::default();
        facts.start_log(sizes);
        let mut profile = ProfileBuilder::new(Source::Eventlog);
        let mut framer = Framer { window, sizes, block: Block::NONE, believes_lengths: false };
        let (mut at, mut time, mut many) = (0, None, 0);
        let mut headerless = Headerless::default();
        loop {
            if way == Way::Fast {
                let declared = Declared { sizes, steps: &steps };
                let reached = facts
                    .take_many(
                        Start::new(window, at, framer.block),
                        declared,
                        &mut headerless,
                        &mut profile,
                    )
                    .unwrap();
                many += reached.at - at;
                (at, time) = (reached.at, reached.time.or(time));
            }
            let Ok(Framed::Event(event)) = framer.at(at) else { break };
            if event.tag == Tag::BLOCK_MARKER {
                framer.block = framer.block.next(event.offset, event.time, event.payload);
            } else {
                facts.take(&event, &mut profile).unwrap();
            }
            (at, time) = (event.end, Some(event.time));
        }
        assert_eq!(many > 0, way == Way::Fast && at > 0, "{at}");
        facts.end_log(LogEnd::Complete, &mut profile);
        let scheduling = facts.scheduling;
        let profile = profile.finish();
        format!("{at} {time:?} {scheduling} {profile:?}")
    }

    /// Logs of bands by name and by stack.
    fn logs() -> Vec<Vec<u8>> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/");
        let names = ["leak-hy", "leak-hc", "uni-hc", "leak-hT"];
        let path = |name| format!("{folder}{name}.eventlog");
        names.map(|name| std::fs::read(path(name)).expect("a sample")).to_vec()
    }

    #[test]
    fn damage_is_read_the_same_by_both_ways() {
        let mut random = Random::new(1, "damage");
        for log in logs() {
            let (sizes, start) = header(&log);
            let events = &log[start..];
            for _ in 0..20 {
                let mut events = events[..events.len().min(40_000)].to_vec();
                for _ in 0..1 + random.below(4) {
                    let at = 2000 + random.below(events.len() as u64 - 2000) as usize;
                    events[at] = [0, 1, 0xFF, random.below(256) as u8][random.below(4) as usize];
                }
                events.truncate(events.len() - random.below(40) as usize);
                assert_eq!(read(&sizes, &events, Way::Fast), read(&sizes, &events, Way::Slow));
            }
        }
    }
}
