//! Turns plain rows into points, from the text or from a digest of it.

use std::ops::Range;

use memchr::memchr;

use super::rows::RowReader;
use crate::decode::digest::{Ahead, Digest, DigestedBands, Events, STRETCH, Stretches};
use crate::decode::names::{KnownBands, PointColumns};
use crate::incident::error::Error;
use crate::profile::{BandKeyRef, ProfileBuilder};

/// The state of a reader of plain rows.
#[derive(Clone, Debug, Default)]
pub struct FastRows {
    reader: RowReader,
    bands: KnownBands,
    digested: DigestedBands,
    /// The run of the file in which the bands have these numbers.
    run: usize,
    /// The rows at hand.
    read: PointColumns,
}

/// How much was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadRows {
    /// In bytes.
    pub bytes: usize,
    /// In rows, each of which is a line.
    pub rows: usize,
}

/// The piece that contains a text.
#[derive(Debug)]
pub struct Place<'a> {
    /// Its digest, if it was read ahead.
    stretches: Stretches<'a>,
    /// The position in the piece at which the text begins.
    start: usize,
}

impl<'a> Place<'a> {
    /// For a text without a digest.
    pub fn nowhere() -> Self {
        Place { stretches: Stretches::none(), start: 0 }
    }

    /// For a text that begins at a position of the digested piece; without a position, for another
    /// text.
    pub fn of(digest: &'a Digest, start: Option<usize>) -> Self {
        match start {
            Some(start) => Place { stretches: Stretches::of(digest), start },
            None => Place::nowhere(),
        }
    }
}

impl FastRows {
    /// Forgets the numbers of bands, which change here.
    pub fn forget_bands(&mut self) {
        self.bands = KnownBands::default();
        self.digested.forget_bands();
    }

    /// The run of the file that is read from here on.
    pub fn begin_run(&mut self, run: usize) {
        if self.run != run {
            self.forget_bands();
            self.run = run;
        }
    }

    /// A digester for the pieces that follow.
    pub fn digester(&mut self) -> RowDigester {
        RowDigester { number: self.digested.begin(), reader: RowReader::default() }
    }

    /// Ends a piece that came with a digest.
    pub fn end_piece(&mut self, digest: &Digest) {
        self.digested.keep_unmet(digest);
    }

    /// Adds the points of the plain rows of a text from a position on, which is the beginning of a line.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    pub fn take(
        &mut self,
        text: &[u8],
        start: usize,
        place: &mut Place<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<ReadRows, Error> {
        let meet =
            |bands: &mut KnownBands, number, with_tab: &[u8], profile: &mut ProfileBuilder| {
                let name = &with_tab[..with_tab.len() - 1];
                bands.meet(number, BandKeyRef::Name(name), profile)
            };
        let mut all = ReadRows::default();
        let mut at = start;
        loop {
            let until = match place.stretches.at(place.start + at) {
                Ahead::Stretch(stretch) if self.digested.can_take(&place.stretches) => {
                    self.digested.take(stretch, &place.stretches, profile, meet)?;
                    all.rows += stretch.points.len();
                    at += stretch.bytes.len();
                    all.bytes = at - start;
                    continue;
                }
                Ahead::Stretch(_) => place.stretches.after(),
                Ahead::Until(until) => until,
            };
            let stop = until.saturating_sub(place.start + at).min(STRETCH);
            self.read.clear();
            let len = self.reader.read(&text[at..], stop, &mut self.read);
            if len == 0 {
                return Ok(all);
            }
            let names = self.reader.names();
            self.bands.add(
                (&self.read.names, &self.read.sizes),
                profile,
                |bands, number, profile| meet(bands, number, names.bytes_of(number), profile),
            )?;
            all.rows += self.read.len();
            at += len;
            all.bytes = at - start;
        }
    }
}

/// Reads plain rows ahead of the decoder.
#[derive(Clone, Debug)]
pub struct RowDigester {
    /// Its number among the digesters of its decoder.
    number: usize,
    reader: RowReader,
}

impl RowDigester {
    /// Reads a piece, from its first complete line on.
    pub fn digest(&mut self, piece: &[u8], digest: &mut Digest) {
        let next_line = |at: usize| Some(at + memchr(b'\n', &piece[at..])? + 1);
        let first = self.reader.names().count();
        let mut line = next_line(0);
        while let Some(at) = line {
            let len = self.reader.read(&piece[at..], STRETCH, digest.points());
            let end = at + len;
            line = match len {
                0 => next_line(end),
                _ => {
                    digest.push(Range { start: at, end }, Events::default());
                    Some(end)
                }
            };
        }
        digest.take_names(self.reader.names(), first, self.number);
    }
}
