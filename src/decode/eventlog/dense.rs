//! The events of which there are millions, read in one go: those about threads and collections,
//! which are passed over, and the bands of samples.
//!
//! Each is taken only where nothing about it can be in doubt: it lies in the window, its time in
//! its block's, its fields end where it says. In front of everything else the reading stops, and
//! the slow way ([`Framer::at`](super::frame::Framer::at), [`Facts::take`]) goes on; what it makes
//! of an event that this one takes is the same, and the tests hold the two against each other.

use super::block::Block;
use super::header::{Size, Sizes};
use super::tag::Tag;
use super::window::Window;
use crate::decode::cursor::Cursor;
use crate::decode::names::{KnownBands, Names};
use crate::error::Error;
use crate::profile::{BandId, BandKeyRef, ProfileBuilder};
use crate::units::Bytes;

/// Bytes before the payload of an event of variable length.
const HEAD: usize = 12;
/// Bytes before the name or stack in a band's payload: a profile's number and the size.
const BEFORE_NAME: usize = 9;

/// How far each type of event is passed over, for those below 256 of a fixed size that say nothing
/// about the profile; 0 for all others. One look-up an event is what the walk costs.
#[derive(Clone, Debug)]
pub struct Steps(Box<[u32; 256]>);

impl Steps {
    /// The steps of a log with these declarations.
    pub fn of(sizes: &Sizes) -> Self {
        Steps(Box::new(std::array::from_fn(|number| {
            let tag = Tag(number as u16);
            match sizes.of(tag) {
                Size::Fixed(n) if tag.is_scheduling() => 10 + u32::from(n),
                _ => 0,
            }
        })))
    }
}

/// How far a reading came.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// Position of the first event that was not read.
    pub at: usize,
    /// The time of the last one that was.
    pub time: Option<u64>,
    /// Bytes of the events about threads and collections among them.
    pub scheduling: u64,
}

/// The names of bands that were met, and their bands.
#[derive(Clone, Debug, Default)]
struct NamesSeen {
    names: Names,
    bands: KnownBands,
}

/// Between which times events lie up to a place in the window.
struct Bounds {
    before: usize,
    earliest: u64,
    span: u64,
}

impl Bounds {
    fn of(window: Window<'_>, at: usize, block: Block) -> Self {
        let all = window.bytes.len();
        match block.end.checked_sub(window.base) {
            Some(end) if end > at as u64 => {
                let (earliest, latest) = block.times();
                let before = usize::try_from(end).map_or(all, |end| end.min(all));
                Bounds { before, earliest, span: latest - earliest }
            }
            _ => Bounds { before: all, earliest: 0, span: block.horizon() },
        }
    }

    #[inline(always)]
    fn admit(&self, time: u64) -> bool {
        time.wrapping_sub(self.earliest) <= self.span
    }
}

/// Passes over events that say nothing about the profile; gives how many bytes they are.
fn skip(window: Window<'_>, bounds: &Bounds, steps: &Steps, reached: &mut Reached) -> u64 {
    let (start, mut at) = (reached.at, reached.at);
    let mut last = None;
    // Where the next event is depends on the type of this one: two loads that wait for each other,
    // some ten cycles. All else in this loop runs beside them.
    while at < bounds.before {
        let Some(head) = window.bytes[at..].first_chunk::<10>() else { break };
        let [high, low, time @ ..] = *head;
        let step = steps.0[usize::from(low)] as usize;
        let time = u64::from_be_bytes(time);
        if high != 0 || step == 0 || !bounds.admit(time) || window.bytes.len() - at < step {
            break;
        }
        at += step;
        last = Some(time);
    }
    (reached.at, reached.time) = (at, last.or(reached.time));
    (at - start) as u64
}

/// The payload of a band at a position, when nothing about its frame is in doubt, and its time.
#[inline(always)]
fn band<'a>(window: Window<'a>, bounds: &Bounds, at: usize, tag: Tag) -> Option<(&'a [u8], u64)> {
    let rest = window.bytes.get(at..)?;
    let mut cursor = Cursor::new(rest);
    if at >= bounds.before || cursor.u16()? != tag.0 {
        return None;
    }
    let time = cursor.u64()?;
    let length = usize::from(cursor.u16()?);
    let payload = rest.get(HEAD..HEAD + length)?;
    (bounds.admit(time) && length > BEFORE_NAME && payload[0] == 0).then_some((payload, time))
}

/// The size of a payload's band; `None` for one below zero, which must be reported.
#[inline(always)]
fn size(payload: &[u8]) -> Option<Bytes> {
    let size = u64::from_be_bytes(*payload[1..].first_chunk()?);
    (size <= i64::MAX as u64).then_some(Bytes::new(size))
}

/// Reads the events of which there are many, and knows the bands that they name.
#[derive(Clone, Debug, Default)]
pub struct Dense {
    strings: Strings,
    stacks: Stacks,
}

impl Dense {
    /// Takes in the events at a position of which there are many; bands only in an open sample.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    #[inline]
    pub fn take(
        &mut self,
        (window, at, block): (Window<'_>, usize, Block),
        (sizes, steps): (&Sizes, &Steps),
        in_sample: bool,
        profile: &mut ProfileBuilder,
    ) -> Result<Reached, Error> {
        let bounds = Bounds::of(window, at, block);
        let mut reached = Reached { at, time: None, scheduling: 0 };
        reached.scheduling = skip(window, &bounds, steps, &mut reached);
        if !in_sample {
            return Ok(reached);
        }
        let next = match window.bytes.get(reached.at..reached.at + 2) {
            Some(&[0, low]) => Tag(low.into()),
            _ => return Ok(reached),
        };
        if sizes.of(next) == Size::Variable {
            match next {
                Tag::HEAP_PROF_SAMPLE_STRING => {
                    self.strings.take(window, &bounds, &mut reached, profile)?;
                }
                Tag::HEAP_PROF_SAMPLE_COST_CENTRE => {
                    self.stacks.take(window, &bounds, &mut reached, profile)?;
                }
                _ => {}
            }
        }
        Ok(reached)
    }
}

/// Bands by their text.
#[derive(Clone, Debug, Default)]
struct Strings(Box<NamesSeen>);

impl Strings {
    fn take(
        &mut self,
        window: Window<'_>,
        bounds: &Bounds,
        reached: &mut Reached,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        let NamesSeen { names, bands } = &mut *self.0;
        while let Some((payload, time)) =
            band(window, bounds, reached.at, Tag::HEAP_PROF_SAMPLE_STRING)
        {
            let text = &payload[BEFORE_NAME..];
            let number = match names.expected(text) {
                Some((number, length)) if length == text.len() => number,
                // Its NUL must be its last byte.
                _ => match memchr::memchr(0, text) {
                    Some(end) if end + 1 == text.len() => match known(names, text) {
                        Some(number) => number,
                        None => return Ok(()),
                    },
                    _ => return Ok(()),
                },
            };
            let Some(size) = size(payload) else { return Ok(()) };
            let band = match bands.get(number) {
                Some(band) => band,
                None => {
                    let name = &text[..text.len() - 1];
                    bands.meet(number, BandKeyRef::Name(name), profile)?
                }
            };
            profile.point(band, size);
            (reached.at, reached.time) = (reached.at + HEAD + payload.len(), Some(time));
        }
        Ok(())
    }
}

/// Bands by their cost-centre stack.
#[derive(Clone, Debug, Default)]
struct Stacks(Box<NamesSeen>);

impl Stacks {
    fn take(
        &mut self,
        window: Window<'_>,
        bounds: &Bounds,
        reached: &mut Reached,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        let NamesSeen { names, bands } = &mut *self.0;
        while let Some((payload, time)) =
            band(window, bounds, reached.at, Tag::HEAP_PROF_SAMPLE_COST_CENTRE)
        {
            let text = &payload[BEFORE_NAME..];
            let number = match names.expected(text) {
                Some((number, _)) => number,
                None => {
                    let stack = text.get(..1 + 4 * usize::from(text[0]));
                    match stack.and_then(|stack| known(names, stack)) {
                        Some(number) => number,
                        None => return Ok(()),
                    }
                }
            };
            let Some(size) = size(payload) else { return Ok(()) };
            let band = match bands.get(number) {
                Some(band) => band,
                None => meet_stack(bands, number, names.bytes_of(number), profile)?,
            };
            profile.point(band, size);
            (reached.at, reached.time) = (reached.at + HEAD + payload.len(), Some(time));
        }
        Ok(())
    }
}

#[cold]
fn meet_stack(
    bands: &mut KnownBands,
    number: u32,
    stack: &[u8],
    profile: &mut ProfileBuilder,
) -> Result<BandId, Error> {
    let (ids, _) = stack[1..].as_chunks::<4>();
    let ids: Vec<u32> = ids.iter().map(|id| u32::from_be_bytes(*id)).collect();
    bands.meet(number, BandKeyRef::Stack(&ids), profile)
}

#[cold]
fn known(names: &mut Names, name: &[u8]) -> Option<u32> {
    names.find(name).or_else(|| names.add(name))
}

#[cfg(test)]
mod tests {
    use super::super::facts::Facts;
    use super::super::frame::{FieldLimit, Found, Framer};
    use super::super::header::{HeaderReader, HeaderStep};
    use super::super::samples::LogEnd;
    use super::super::window::Lookahead;
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
            let window = Window { bytes: &log[at..], base: at as u64, last: true };
            match reader.step(window, &mut profile).unwrap() {
                Lookahead::Known(HeaderStep::Took(n)) => at += n,
                Lookahead::Known(HeaderStep::Done(n, sizes)) => return (sizes, at + n),
                Lookahead::Needs(_) => panic!("a cut header"),
            }
        }
    }

    /// Everything that the events say, up to the first bytes that are not an event, and where those are.
    fn read(sizes: &Sizes, bytes: &[u8], way: Way) -> String {
        let window = Window { bytes, base: 4096, last: true };
        let steps = Steps::of(sizes);
        let mut facts = Facts::default();
        facts.start_log(sizes);
        let mut profile = ProfileBuilder::new(Source::Eventlog);
        let mut framer = Framer { window, sizes, block: Block::NONE, reach: FieldLimit::Far };
        let (mut at, mut time, mut many) = (0, None, 0);
        loop {
            if way == Way::Fast {
                let log = (sizes, &steps);
                let reached =
                    facts.take_many((window, at, framer.block), log, &mut profile).unwrap();
                many += reached.at - at;
                (at, time) = (reached.at, reached.time.or(time));
            }
            let Lookahead::Known(Found::Event(event)) = framer.at(at) else { break };
            if event.tag == Tag::BLOCK_MARKER {
                framer.block = framer.block.next(event.offset, event.time, event.payload);
            } else {
                facts.take(&event, &mut profile).unwrap();
            }
            (at, time) = (event.end, Some(event.time));
        }
        assert_eq!(many > 0, way == Way::Fast && at > 0, "{at}");
        facts.end_log(LogEnd::Complete, &mut profile);
        let scheduling = facts.scheduling();
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
    fn the_fast_way_reads_what_the_slow_way_reads() {
        for log in logs() {
            let (sizes, start) = header(&log);
            let events = &log[start..];
            assert_eq!(read(&sizes, events, Way::Fast), read(&sizes, events, Way::Slow));
        }
    }

    #[test]
    fn damage_is_read_alike() {
        let mut random = Random::new(1, "damage");
        for log in logs() {
            let (sizes, start) = header(&log);
            let events = &log[start..];
            for _ in 0..60 {
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
