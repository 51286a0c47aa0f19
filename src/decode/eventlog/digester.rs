//! Reads the frequent events ahead of the decoder.
//!
//! A piece of a log does not show where its first event begins. The digester takes the first
//! position from which several events with times close together can be read. If that is wrong, the
//! decoder never arrives at its stretches, and reads the piece itself.

use super::block::Block;
use super::dense::{BandReader, Bounds, Steps, is_of_bands, pass};
use super::frame::{Event, Found, Framer, Lengths};
use super::header::Sizes;
use super::tag::Tag;
use super::window::{Lookahead, Window};
use crate::decode::digest::{Digest, Events, STRETCH};

/// How many events with close times must follow a position to begin there.
const CHAIN: usize = 8;

/// How far apart close times may be: an hour.
const CLOSE_NS: u64 = 3_600_000_000_000;

/// The shortest stretch of events without bands, in bytes: the decoder passes shorter ones as fast itself.
const WORTH: usize = 256;

/// How many positions are tried to find the first event. Longer events are rare.
const FRONT: usize = 8 << 10;

/// Reads ahead in the log from whose header it was made.
#[derive(Clone, Debug)]
pub struct EventDigester {
    /// Its number among the digesters of its decoder.
    number: usize,
    sizes: Sizes,
    steps: Steps,
    /// The type of the bands in this log. There is never more than one.
    bands: Option<Tag>,
    names: BandReader,
}

impl EventDigester {
    /// A digester for a log with these declarations; the number distinguishes it from the decoder's other
    /// digesters.
    pub fn new(number: usize, sizes: Sizes, steps: Steps) -> Self {
        EventDigester { number, sizes, steps, bands: None, names: BandReader::default() }
    }

    /// Reads a piece, from the first place at which an event seems to begin.
    pub fn digest(&mut self, piece: &[u8], digest: &mut Digest) {
        let window = Window { bytes: piece, base: 0, last: false };
        self.names.begin_input();
        let first = self.names.names().count();
        let mut next = (0..piece.len().min(FRONT)).find(|&at| begins_at(self.framer(window), at));
        while let Some(at) = next {
            let end = self.stretch(window, at, digest);
            next = match end > at {
                true => Some(end),
                false => self
                    .steps
                    .past_collections(window, at)
                    .or_else(|| event_at(self.framer(window), at).map(|event| event.end)),
            };
        }
        digest.take_names(self.names.names(), first, self.number);
    }

    fn framer<'a>(&'a self, window: Window<'a>) -> Framer<'a> {
        Framer { window, sizes: &self.sizes, block: Block::NONE, lengths: Lengths::Believed }
    }

    /// Adds the stretch at a position, if there is one, and returns its end.
    fn stretch(&mut self, window: Window<'_>, at: usize, digest: &mut Digest) -> usize {
        let (end, events, least) = match window.bytes.get(at..at + 2) {
            Some(&[0, low]) if is_of_bands(Tag(low.into()), &self.sizes) => {
                let tag = *self.bands.get_or_insert(Tag(low.into()));
                let (end, events) = self.take_bands(window, at, tag, digest);
                (end, events, 1)
            }
            _ => {
                let (end, events) = pass(window, at, STRETCH, &self.steps);
                (end, events, WORTH)
            }
        };
        if end - at >= least {
            digest.push(at..end, events);
        }
        end
    }

    fn take_bands(
        &mut self,
        window: Window<'_>,
        start: usize,
        tag: Tag,
        digest: &mut Digest,
    ) -> (usize, Events) {
        let bounds = Bounds::none(start.saturating_add(STRETCH));
        let (mut at, mut events) = (start, Events::none());
        loop {
            let read = self.names.read(window, &bounds, at, tag, events, digest.points());
            (at, events) = (read.end, read.events);
            if !read.more {
                return (at, events);
            }
        }
    }
}

fn event_at(framer: Framer<'_>, at: usize) -> Option<Event<'_>> {
    match framer.at(at) {
        Lookahead::Known(Found::Event(event)) => Some(event),
        _ => None,
    }
}

/// Whether several events in a row with about the same time can be read from a position on.
fn begins_at(framer: Framer<'_>, at: usize) -> bool {
    let Some(first) = event_at(framer, at) else { return false };
    let mut end = first.end;
    (1..CHAIN).all(|_| match event_at(framer, end) {
        Some(event) if event.time.abs_diff(first.time) <= CLOSE_NS => {
            end = event.end;
            true
        }
        _ => false,
    })
}
