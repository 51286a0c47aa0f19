//! Reads bands ahead of the decoder, on a thread that would otherwise wait.
//!
//! A digest contains the plain stretches of a piece of the input: rows of a `.hp`, or bands and scheduler
//! events of a log. It depends only on the bytes of the piece, so it has to guess where the first row or
//! event begins. A decoder that arrives exactly at the start of a stretch, in a state in which it would
//! read the same there, takes its points at once; everything else it reads itself. That is why the
//! profile does not depend on which pieces were digested.

use std::ops::Range;

use foldhash::HashMap;

use super::names::{KnownBands, Names, PointColumns};
use crate::incident::error::Error;
use crate::profile::{BandId, ProfileBuilder};

/// A stretch ends after this many bytes. A decoder enters a piece somewhere in its first kilobytes, after
/// the bytes it carried over, and can only begin with a complete stretch.
pub const STRETCH: usize = 2048;

/// The plain contents of a piece of the input.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    /// The stretches, in the order of the piece.
    stretches: Vec<Stretch>,
    points: PointColumns,
    /// The names that first occurred in this piece, and the number of the first of them.
    names: Vec<Box<[u8]>>,
    first_name: u32,
    /// The digester of its decoder that made it: each numbers names independently.
    digester: usize,
}

/// Plain bytes of a piece.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    /// Positions in the piece.
    pub bytes: Range<usize>,
    /// The range of the digest's points that they contain.
    pub points: Range<usize>,
    /// The data about their events; empty for rows.
    pub events: Events,
}

/// The data about the events of a stretch that a decoder needs in order to take them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Events {
    /// Where the last one begins.
    pub last_start: usize,
    /// The earliest, the latest and the last time.
    pub earliest: u64,
    /// See `earliest`.
    pub latest: u64,
    /// See `earliest`.
    pub last: u64,
    /// The bytes of events about threads and collections.
    pub scheduling: u64,
}

impl Events {
    /// The data of a stretch without events.
    pub const fn none() -> Self {
        Events { last_start: 0, earliest: u64::MAX, latest: 0, last: 0, scheduling: 0 }
    }

    /// Adds the event at a position.
    #[inline(always)]
    pub fn note(&mut self, start: usize, time: u64) {
        self.last_start = start;
        self.earliest = self.earliest.min(time);
        self.latest = self.latest.max(time);
        self.last = time;
    }
}

impl Digest {
    /// Begins the digest of the next piece.
    pub fn clear(&mut self) {
        self.stretches.clear();
        self.points.clear();
        self.names.clear();
    }

    /// The points, for a reader to add to.
    pub fn points(&mut self) -> &mut PointColumns {
        &mut self.points
    }

    /// Adds a stretch that contains the points since the last stretch.
    pub fn push(&mut self, bytes: Range<usize>, events: Events) {
        let from = self.stretches.last().map_or(0, |stretch| stretch.points.end);
        self.stretches.push(Stretch { bytes, points: from..self.points.len(), events });
    }

    /// Takes over the names of a digester, from a number on.
    pub fn take_names(&mut self, names: &Names, first: u32, digester: usize) {
        self.digester = digester;
        self.first_name = first;
        self.names.extend((first..names.count()).map(|number| names.bytes_of(number).into()));
    }

    /// How many bytes each stretch has.
    #[cfg(test)]
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        self.stretches.iter().map(|stretch| stretch.bytes.len())
    }

    fn name(&self, number: u32) -> Option<&[u8]> {
        let at = number.checked_sub(self.first_name)?;
        self.names.get(at as usize).map(|name| &**name)
    }
}

/// The stretches of a piece, as a decoder reaches them.
#[derive(Debug)]
pub struct Stretches<'a> {
    digest: Option<&'a Digest>,
    /// The first stretch that begins no earlier than the last requested position.
    next: usize,
}

/// What is at a position.
#[derive(Debug)]
pub enum Ahead<'a> {
    /// The start of a stretch.
    Stretch(&'a Stretch),
    /// Something else, and where the next stretch begins.
    Until(usize),
}

impl<'a> Stretches<'a> {
    /// For bytes that were not read ahead.
    pub fn none() -> Self {
        Stretches { digest: None, next: 0 }
    }

    /// For a piece with its digest.
    pub fn of(digest: &'a Digest) -> Self {
        Stretches { digest: Some(digest), next: 0 }
    }

    /// What is at a position of the piece, which must not be before the last requested one.
    #[inline]
    pub fn at(&mut self, at: usize) -> Ahead<'a> {
        let Some(digest) = self.digest else { return Ahead::Until(usize::MAX) };
        loop {
            match digest.stretches.get(self.next) {
                Some(stretch) if stretch.bytes.start < at => self.next += 1,
                Some(stretch) if stretch.bytes.start == at => return Ahead::Stretch(stretch),
                Some(stretch) => return Ahead::Until(stretch.bytes.start),
                None => return Ahead::Until(usize::MAX),
            }
        }
    }

    /// The start of the stretch after the one at the last requested position.
    pub fn after(&self) -> usize {
        let next = self.digest.and_then(|digest| digest.stretches.get(self.next + 1));
        next.map_or(usize::MAX, |stretch| stretch.bytes.start)
    }
}

/// The bands for the names of all digesters.
#[derive(Clone, Debug, Default)]
pub struct DigestedBands {
    /// Indexed by the digesters' numbers. `None` after bands were renumbered: then this digester's digests
    /// cannot be used any more.
    digesters: Vec<Option<OfDigester>>,
}

/// The bands for the names of one digester.
#[derive(Clone, Debug, Default)]
struct OfDigester {
    bands: KnownBands,
    /// Names that were not used in the piece in which they first occurred.
    unmet: HashMap<u32, Box<[u8]>>,
}

impl DigestedBands {
    /// Adds a digester, and returns its number.
    pub fn begin(&mut self) -> usize {
        self.digesters.push(Some(OfDigester::default()));
        self.digesters.len() - 1
    }

    /// Bands have other numbers from here on.
    pub fn forget_bands(&mut self) {
        self.digesters.fill(None);
    }

    /// Whether stretches can be taken.
    pub fn can_take(&self, stretches: &Stretches<'_>) -> bool {
        let digester = stretches.digest.and_then(|digest| self.digesters.get(digest.digester));
        digester.is_some_and(Option::is_some)
    }

    /// Adds the points of a stretch. `meet` creates the band of a new name.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    pub fn take<F>(
        &mut self,
        stretch: &Stretch,
        stretches: &Stretches<'_>,
        profile: &mut ProfileBuilder,
        mut meet: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&mut KnownBands, u32, &[u8], &mut ProfileBuilder) -> Result<BandId, Error>,
    {
        let Some(digest) = stretches.digest else { return Ok(()) };
        let Some(Some(digester)) = self.digesters.get_mut(digest.digester) else { return Ok(()) };
        let OfDigester { bands, unmet } = digester;
        let points = stretch.points.clone();
        let columns = (&digest.points.names[points.clone()], &digest.points.sizes[points]);
        bands.add(columns, profile, |bands, name, profile| {
            let kept = || unmet.get(&name).map(|name| &**name);
            let text = digest.name(name).or_else(kept);
            let text = text.expect("a name comes with the digest that has it first");
            meet(bands, name, text, profile)
        })
    }

    /// Keeps the unused names of a digest for later pieces.
    pub fn keep_unmet(&mut self, digest: &Digest) {
        let Some(Some(OfDigester { bands, unmet })) = self.digesters.get_mut(digest.digester)
        else {
            return;
        };
        for (number, name) in (digest.first_name..).zip(&digest.names) {
            if bands.get(number).is_none() {
                unmet.insert(number, name.clone());
            }
        }
    }
}
