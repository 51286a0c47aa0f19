//! Reads the text of a `.hp` by hp2ps's own rules, to the letter
//! (`docs/format/hp.md#the-language`): what hp2ps accepts has the same meaning here, and what it
//! refuses is refused in its words, with its count of lines.
//!
//! The lenient reading of [`HpDecoder`](crate::decode::hp::HpDecoder) differs on text that both accept: `a
//! 3 b TAB 5` is two rows for hp2ps, and one row with blanks in its name for everybody else. Four things
//! are read although hp2ps fails on them, because the file is not at fault: an end inside a sample, names
//! with blanks where hp2ps could only refuse, an END_SAMPLE that it would date by stray memory, and a name
//! that its hash crashes on. They are counted in [`Reading`], and the caller reports them.

#[cfg(test)]
mod tests;

use memchr::memchr_iter;

use super::reading::Reading;
use super::refusal::{Fault, Refusal};
use super::statement::{Cause, Pair, Second, blank_row, pair};
use crate::base::units::Nanos;
use crate::decode::hp::{FastRows, Place};
use crate::decode::hp_text::line::LineRow;
use crate::decode::hp_text::{
    Close, Header, Keyword, Number, Pieces, QuoteLimit, Quoted, Rounding, Unread, is_white,
    until_nul,
};
use crate::decode::{Digest, Digester};
use crate::incident::error::Error;
use crate::input::Feed;
use crate::profile::{BandKeyRef, ProfileBuilder};

/// Reads a `.hp` file that comes in pieces, as hp2ps does.
///
/// Bands and samples go to the [`ProfileBuilder`]; what hp2ps keeps more exactly than a profile (the
/// headers' bytes, times and values as doubles, the order of marks) goes to the [`Reading`].
#[derive(Clone, Debug, Default)]
pub struct StrictDecoder {
    pieces: Pieces,
    rows: FastRows,
    interpreter: Interpreter,
}

impl StrictDecoder {
    /// A decoder at the start of a file.
    pub fn new() -> Self {
        StrictDecoder::default()
    }

    /// Takes the next bytes of the file, any number of them.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    pub fn feed(&mut self, bytes: &[u8], profile: &mut ProfileBuilder) -> Result<(), Error> {
        Feed::feed(self, bytes, &Digest::default(), profile)
    }

    /// Ends the file. The points of a sample that never ended are left in the builder.
    ///
    /// # Errors
    /// As [`StrictDecoder::feed`]; the inner result is hp2ps's refusal.
    pub fn finish(
        mut self,
        profile: &mut ProfileBuilder,
    ) -> Result<Result<Reading, Refusal>, Error> {
        let text = self.pieces.rest();
        let stop = text.bytes.len();
        self.interpreter.run((text, Place::nowhere()), stop, &mut self.rows, profile)?;
        Ok(self.interpreter.finish(profile))
    }
}

impl Feed for StrictDecoder {
    fn digester(&mut self) -> Option<Digester> {
        Some(Digester::Hp(self.rows.digester()))
    }

    fn feed(
        &mut self,
        piece: &[u8],
        digest: &Digest,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        let (interpreter, rows) = (&mut self.interpreter, &mut self.rows);
        self.pieces.feed(piece, |text, stop, start| {
            interpreter.run((text, Place::of(digest, start)), stop, rows, profile)
        })?;
        rows.end_piece(digest);
        Ok(())
    }
}

/// How much of the line has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinePosition {
    /// Nothing, or only white space.
    Start,
    /// A statement.
    Inside,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sample {
    #[default]
    Closed,
    Open,
}

/// The state between two statements of the file.
#[derive(Clone, Debug)]
struct Interpreter {
    /// One more than the line feeds passed as white space.
    line: u64,
    position: LinePosition,
    /// Whether hp2ps considers itself inside a sample.
    sample: Sample,
    /// The time of the sample that the next END_SAMPLE ends, if there was a BEGIN_SAMPLE for it.
    begun: Option<(f64, Nanos)>,
    /// The time of the last BEGIN_SAMPLE.
    last: f64,
    /// The latest time that a sample had so far, as hp2ps keeps it and in nanoseconds.
    ended: (f64, Nanos),
    headers: [Option<Vec<u8>>; 4],
    reading: Reading,
    refused: Option<(Refusal, Cause)>,
}

impl Default for Interpreter {
    fn default() -> Self {
        Interpreter {
            line: 1,
            position: LinePosition::Start,
            sample: Sample::Closed,
            begun: None,
            last: 0.0,
            ended: (0.0, Nanos::ZERO),
            headers: Default::default(),
            reading: Reading::default(),
            refused: None,
        }
    }
}

impl Interpreter {
    fn run(
        &mut self,
        (text, mut place): (Unread<'_>, Place<'_>),
        stop: usize,
        rows: &mut FastRows,
        profile: &mut ProfileBuilder,
    ) -> Result<usize, Error> {
        let mut at = 0;
        while at < stop {
            if self.refused.is_some() {
                return Ok(stop);
            }
            if self.position == LinePosition::Start {
                let read = rows.take((text.bytes, at), &mut place, until_nul, profile)?;
                self.line += read.rows as u64;
                self.reading.points += read.rows;
                at += read.bytes;
                if at >= stop {
                    break;
                }
            }
            match self.step(text.from(at), profile)? {
                Some(len) => at += len,
                None => break,
            }
        }
        Ok(at)
    }

    /// Reads one thing at the front of a text that is not empty, and returns its length.
    fn step(
        &mut self,
        text: Unread<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<Option<usize>, Error> {
        if is_white(text.bytes[0]) {
            return Ok(Some(self.white_space(text)));
        }
        if self.position != LinePosition::Inside {
            match LineRow::read(text) {
                None => return Ok(None),
                Some(Some(row)) if row.is_two_tokens() => {
                    self.row(row.name, row.value, profile)?;
                    // The line end is left in the text, to be skipped as white space.
                    self.position = LinePosition::Inside;
                    let end = text.bytes[..row.len].iter().rposition(|&byte| !is_white(byte));
                    return Ok(Some(end.map_or(row.len, |last| last + 1)));
                }
                Some(_) => {}
            }
            match blank_row(text) {
                None => return Ok(None),
                Some(Some((name, value, len))) => {
                    self.reading.blank_names += 1;
                    let refusal = Refusal::Statement { line: self.line, fault: Fault::NoValue };
                    self.reading.tolerated.get_or_insert(refusal);
                    self.row(name, value, profile)?;
                    self.position = LinePosition::Inside;
                    return Ok(Some(len));
                }
                Some(None) => {}
            }
        }
        self.position = LinePosition::Inside;
        if text.bytes[0] == b'"' {
            let Some((quoted, _)) = Quoted::read(text, QuoteLimit::File) else { return Ok(None) };
            let closed = quoted.close == Close::Quote;
            let fault = if closed { Fault::StrayString } else { Fault::OpenString };
            self.refuse(self.line, fault, Cause::Wrong);
            return Ok(Some(text.bytes.len()));
        }
        let Some(pair) = pair(text) else { return Ok(None) };
        let end = pair.end;
        self.statement(pair, text, profile)?;
        Ok(Some(end))
    }

    fn white_space(&mut self, text: Unread<'_>) -> usize {
        let len = text.bytes.iter().position(|&byte| !is_white(byte)).unwrap_or(text.bytes.len());
        let feeds = memchr_iter(b'\n', &text.bytes[..len]).count() as u64;
        if feeds > 0 {
            self.line += feeds;
            self.position = LinePosition::Start;
        }
        len
    }

    fn statement(
        &mut self,
        pair: Pair<'_>,
        text: Unread<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        let between = &text.bytes[pair.first.len().min(pair.at)..pair.at];
        self.line += memchr_iter(b'\n', between).count() as u64;
        let line = self.line;
        if let Second::Open = pair.second {
            self.refuse(line, Fault::OpenString, Cause::Wrong);
            return Ok(());
        }
        match (pair.keyword, pair.second) {
            (Some(Keyword::Header(header)), Second::Text(string)) => {
                for (place, known) in self.headers.iter_mut().zip(Header::ALL) {
                    if known == header {
                        *place = Some(string.clone());
                    }
                }
            }
            (Some(Keyword::Mark), Second::Number(time)) if time.has_point() => match self.sample {
                Sample::Open => self.refuse(line, Fault::MarkInSample, Cause::Wrong),
                Sample::Closed => self.reading.marks.push(time.as_double()),
            },
            (Some(Keyword::Begin), Second::Number(time)) if time.has_point() => {
                let double = time.as_double();
                if double < self.last {
                    self.refuse(line, Fault::OutOfSequence, pair.cause);
                } else {
                    self.last = double;
                    self.begun = Some((double, time.seconds().0));
                    self.sample = Sample::Open;
                }
            }
            (Some(Keyword::End), Second::Number(time)) if time.has_point() => {
                self.end(time, profile);
            }
            (None, Second::Number(value)) if !value.has_point() => {
                self.row(pair.first, value, profile)?;
            }
            (keyword, second) => {
                let fault = match keyword {
                    Some(Keyword::Header(header)) => Fault::NoString(header.word()),
                    Some(Keyword::Mark) => Fault::NoTime("MARK"),
                    Some(Keyword::Begin) => Fault::NoTime("BEGIN_SAMPLE"),
                    Some(Keyword::End) => Fault::NoTime("END_SAMPLE"),
                    None => Fault::NoValue,
                };
                // A time without its decimals may have been cut by the end of the file, and so may
                // a row without its value. A value with decimals was never a whole number.
                let cause = match (keyword, second, self.sample) {
                    (None, Second::Number(_), _) => Cause::Wrong,
                    (None, _, Sample::Closed) if !Keyword::may_begin_with(pair.first) => {
                        Cause::Wrong
                    }
                    _ => pair.cause,
                };
                self.refuse(line, fault, cause);
            }
        }
        Ok(())
    }

    fn row(
        &mut self,
        name: &[u8],
        value: Number<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        let band = profile.band(BandKeyRef::Name(until_nul(name)))?;
        let (size, rounding) = value.bytes();
        if rounding == Rounding::Clamped {
            self.reading.huge.push((self.reading.points, value.as_double()));
        }
        self.reading.points += 1;
        profile.point(band, size);
        Ok(())
    }

    fn end(&mut self, own: Number<'_>, profile: &mut ProfileBuilder) {
        let (double, time) = self.begun.take().unwrap_or_else(|| {
            self.reading.undated += 1;
            (own.as_double(), own.seconds().0)
        });
        self.ended = (double.max(self.ended.0), time.max(self.ended.1));
        self.sample = Sample::Closed;
        self.reading.times.push(self.ended.0);
        profile.seal_sample(self.ended.1);
    }

    fn refuse(&mut self, line: u64, fault: Fault, cause: Cause) {
        self.refused = Some((Refusal::Statement { line, fault }, cause));
    }

    fn finish(mut self, profile: &mut ProfileBuilder) -> Result<Reading, Refusal> {
        let missing = self.headers.iter().zip(Header::ALL).find(|(text, _)| text.is_none());
        let missing = missing.map(|(_, header)| Refusal::Missing(header.word()));
        let incomplete =
            missing.or_else(|| self.reading.times.is_empty().then_some(Refusal::NoSamples));
        match (self.refused.take(), incomplete) {
            (Some((refusal @ Refusal::Statement { line, .. }, Cause::PerhapsCut)), None) => {
                self.reading.cut = Some(line);
                self.reading.tolerated.get_or_insert(refusal);
            }
            (Some((refusal, _)), _) | (None, Some(refusal)) => {
                return Err(self.reading.tolerated.take().unwrap_or(refusal));
            }
            (None, None) => {}
        }
        let [job, date, value_unit, sample_unit] = self.headers.map(Option::unwrap_or_default);
        let mut reading = Reading { job, date, sample_unit, value_unit, ..self.reading };
        let first = reading.points - profile.open_points().min(reading.points);
        let mut huge = reading.huge.iter().filter(|(point, _)| *point >= first).peekable();
        let points = profile.open_sample().enumerate();
        reading.strays = points
            .map(|(i, (band, size))| {
                let huge = huge.next_if(|(point, _)| *point == first + i);
                (band, huge.map_or(size.get() as f64, |(_, value)| *value))
            })
            .collect();
        Ok(reading)
    }
}
