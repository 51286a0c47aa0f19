//! The text by hp2ps's own rules, to the letter (`docs/format/hp.md#the-language`): what it accepts
//! means what it means there, and what it refuses is refused in its words, with its count of lines.
//!
//! Kept apart from the generous reading of [`HpDecoder`](super::HpDecoder), because the two differ
//! on text that both accept: `a 3 b TAB 5` are two rows for hp2ps and one row of a name with blanks
//! for everybody else. Four things are read although hp2ps fails on them, because that is no fault
//! of the file: an end inside a sample, names with blanks where hp2ps could only refuse, an
//! END_SAMPLE that it would date by stray memory, and a name that its hash crashes on. They are
//! counted in [`Reading`], and telling them is the caller's part.

#[cfg(test)]
mod tests;

use std::fmt;

use memchr::{memchr, memchr_iter, memrchr};

use super::number::Number;
use super::pieces::Pieces;
use super::statement::{self, Place, Statement};
use super::token::{Header, Keyword, MAX_WORD, Tail, Text, is_white};
use crate::error::Error;
use crate::profile::{BandId, BandKeyRef, ProfileBuilder};
use crate::units::Nanos;

/// Reads a `.hp` file that comes in pieces, as hp2ps does.
///
/// Bands and samples go to the [`ProfileBuilder`]; what a profile holds less exactly than hp2ps
/// does (the headers' bytes, times and values as doubles, the order of marks) is in the [`Reading`].
#[derive(Clone, Debug, Default)]
pub struct StrictDecoder {
    pieces: Pieces,
    machine: Machine,
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
        let machine = &mut self.machine;
        self.pieces.feed(bytes, |text, stop| machine.run(text, stop, profile))
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
        self.machine.run(text, text.bytes.len(), profile)?;
        Ok(self.machine.finish(profile))
    }
}

/// What hp2ps reads from a file besides bands and samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The JOB string: its bytes up to a NUL.
    pub job: Vec<u8>,
    /// The DATE string.
    pub date: Vec<u8>,
    /// The SAMPLE_UNIT string.
    pub sample_unit: Vec<u8>,
    /// The VALUE_UNIT string.
    pub value_unit: Vec<u8>,
    /// The times of the samples, ascending.
    pub times: Vec<f64>,
    /// The times of the marks, in the order of the file.
    pub marks: Vec<f64>,
    /// Values beyond 64 bits, which the profile holds at its greatest: the number of the point in
    /// the file, from 0, and the value.
    pub huge: Vec<(usize, f64)>,
    /// How many points were read, those of an unfinished sample included.
    pub points: usize,
    /// The points after the last END_SAMPLE.
    pub strays: Vec<(BandId, f64)>,
    /// Where the file ends inside a statement, as a line of it; hp2ps refuses such a file.
    pub cut: Option<u64>,
    /// Rows whose name has blanks; hp2ps refuses a file with any.
    pub blank_names: u64,
    /// What hp2ps says to the first thing that it refuses and this does not.
    pub pardoned: Option<Refusal>,
    /// Samples that END_SAMPLE ends without a BEGIN_SAMPLE; hp2ps crashes or guesses.
    pub undated: u64,
}

/// Why hp2ps does not read a file. Shows as its message behind the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A statement is none.
    Statement {
        /// hp2ps's count of lines, which forgets those in strings.
        line: u64,
        /// What is wrong.
        fault: Fault,
    },
    /// A header line is missing.
    Missing(&'static str),
    /// No sample ended.
    NoSamples,
}

/// What is wrong with a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A header's keyword without its string.
    NoString(&'static str),
    /// A sample's or mark's keyword without its time.
    NoTime(&'static str),
    /// A mark between BEGIN_SAMPLE and END_SAMPLE.
    MarkInSample,
    /// A sample earlier than the one before.
    OutOfSequence,
    /// A name without its value.
    NoValue,
    /// A string in first position.
    StrayString,
    /// A string that the file's end leaves open.
    OpenString,
}

impl fmt::Display for Refusal {
    /// With hp2ps's mixture of colons and commas (`docs/format/hp.md#messages`).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, fault) = match self {
            Refusal::Missing(word) => return write!(f, ": {word} missing"),
            Refusal::NoSamples => return f.write_str(": contains no samples"),
            Refusal::Statement { line, fault } => (line, fault),
        };
        write!(f, ", line {line}")?;
        match fault {
            Fault::NoString(word) => write!(f, ": string must follow {word}"),
            Fault::NoTime(word @ "END_SAMPLE") => {
                write!(f, ": floating point number must follow {word}")
            }
            Fault::NoTime(word) => write!(f, ", floating point number must follow {word}"),
            Fault::MarkInSample => f.write_str(", MARK occurs within sample"),
            Fault::OutOfSequence => f.write_str(", samples out of sequence"),
            Fault::NoValue => f.write_str(": integer must follow identifier"),
            Fault::StrayString => f.write_str(": string unexpected"),
            Fault::OpenString => f.write_str(": EOF when expecting \""),
        }
    }
}

/// Whether a fault may come from nothing but the file's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    /// The faulty token touches the end, or is missing there.
    End,
    /// More bytes would not help.
    Inner,
}

/// A token in second position.
enum Second<'a> {
    Number(Number<'a>),
    Text(Vec<u8>),
    Word,
    /// The file ends before it.
    Missing,
    /// A string that the file's end leaves open.
    Open,
}

/// The two tokens of a statement.
struct Pair<'a> {
    first: &'a [u8],
    keyword: Option<Keyword>,
    second: Second<'a>,
    /// Where the second begins.
    at: usize,
    /// Where it ends.
    end: usize,
    touch: Touch,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sample {
    #[default]
    Closed,
    Open,
}

/// Where the file stands between two statements.
#[derive(Clone, Debug)]
struct Machine {
    /// One more than the line feeds passed as white space.
    line: u64,
    place: Place,
    /// Whether hp2ps thinks itself in a sample.
    sample: Sample,
    /// The time that the next END_SAMPLE ends, once there was a BEGIN_SAMPLE for it.
    begun: Option<(f64, Nanos)>,
    /// The time of the last BEGIN_SAMPLE.
    last: f64,
    /// The time of the last sample, which is later only if that had none of its own.
    ended: (f64, Nanos),
    headers: [Option<Vec<u8>>; 4],
    reading: Reading,
    refused: Option<(Refusal, Touch)>,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            line: 1,
            place: Place::LineStart,
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

impl Machine {
    fn run(
        &mut self,
        text: Text<'_>,
        stop: usize,
        profile: &mut ProfileBuilder,
    ) -> Result<usize, Error> {
        let mut at = 0;
        while at < stop {
            if self.refused.is_some() {
                return Ok(stop);
            }
            match self.step(text.from(at), profile)? {
                Some(len) => at += len,
                None => break,
            }
        }
        Ok(at)
    }

    /// Reads one thing at the front of a text that is not empty, and gives its length.
    fn step(
        &mut self,
        text: Text<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<Option<usize>, Error> {
        if is_white(text.bytes[0]) {
            return Ok(Some(self.white_space(text)));
        }
        if self.place != Place::Inside {
            match statement::row(text) {
                None => return Ok(None),
                Some(Some((Statement::Row(name, value, None), len))) => {
                    self.row(name, value, profile)?;
                    // The line end is left to be passed as white space.
                    self.place = Place::Inside;
                    let end = text.bytes[..len].iter().rposition(|&byte| !is_white(byte));
                    return Ok(Some(end.map_or(len, |last| last + 1)));
                }
                Some(_) => {}
            }
            match blank_row(text) {
                None => return Ok(None),
                Some(Some((name, value, len))) => {
                    self.reading.blank_names += 1;
                    let refusal = Refusal::Statement { line: self.line, fault: Fault::NoValue };
                    self.reading.pardoned.get_or_insert(refusal);
                    self.row(name, value, profile)?;
                    self.place = Place::Inside;
                    return Ok(Some(len));
                }
                Some(None) => {}
            }
        }
        self.place = Place::Inside;
        if text.bytes[0] == b'"' {
            let Some((_, closed)) = quoted(text) else { return Ok(None) };
            let fault = if closed.is_some() { Fault::StrayString } else { Fault::OpenString };
            self.refuse(self.line, fault, Touch::Inner);
            return Ok(Some(text.bytes.len()));
        }
        let Some(pair) = pair(text) else { return Ok(None) };
        let end = pair.end;
        self.statement(pair, text, profile)?;
        Ok(Some(end))
    }

    fn white_space(&mut self, text: Text<'_>) -> usize {
        let len = text.bytes.iter().position(|&byte| !is_white(byte)).unwrap_or(text.bytes.len());
        let feeds = memchr_iter(b'\n', &text.bytes[..len]).count() as u64;
        if feeds > 0 {
            self.line += feeds;
            self.place = Place::LineStart;
        } else if self.place == Place::LineStart {
            self.place = Place::Indented;
        }
        len
    }

    fn statement(
        &mut self,
        pair: Pair<'_>,
        text: Text<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        let between = &text.bytes[pair.first.len().min(pair.at)..pair.at];
        self.line += memchr_iter(b'\n', between).count() as u64;
        let line = self.line;
        if let Second::Open = pair.second {
            self.refuse(line, Fault::OpenString, Touch::Inner);
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
                Sample::Open => self.refuse(line, Fault::MarkInSample, Touch::Inner),
                Sample::Closed => self.reading.marks.push(time.as_double()),
            },
            (Some(Keyword::Begin), Second::Number(time)) if time.has_point() => {
                let double = time.as_double();
                if double < self.last {
                    self.refuse(line, Fault::OutOfSequence, pair.touch);
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
                // A time that lost its decimals is cut, and so is a row of a sample without its
                // value. A value with decimals never was whole.
                let touch = match (keyword, second, self.sample) {
                    (None, Second::Number(_), _) => Touch::Inner,
                    (None, _, Sample::Closed) if !begins_keyword(pair.first) => Touch::Inner,
                    _ => pair.touch,
                };
                self.refuse(line, fault, touch);
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
        let (size, fit) = value.bytes();
        if fit == super::Fit::Clamped {
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

    fn refuse(&mut self, line: u64, fault: Fault, touch: Touch) {
        self.refused = Some((Refusal::Statement { line, fault }, touch));
    }

    fn finish(mut self, profile: &mut ProfileBuilder) -> Result<Reading, Refusal> {
        let missing = self.headers.iter().zip(Header::ALL).find(|(text, _)| text.is_none());
        let missing = missing.map(|(_, header)| Refusal::Missing(header.word()));
        let incomplete =
            missing.or_else(|| self.reading.times.is_empty().then_some(Refusal::NoSamples));
        match (self.refused.take(), incomplete) {
            (Some((refusal @ Refusal::Statement { line, .. }, Touch::End)), None) => {
                self.reading.cut = Some(line);
                self.reading.pardoned.get_or_insert(refusal);
            }
            (Some((refusal, _)), _) | (None, Some(refusal)) => {
                return Err(self.reading.pardoned.take().unwrap_or(refusal));
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

/// The tokens of the statement at the front, which begins with neither white space nor a quote.
fn pair(text: Text<'_>) -> Option<Pair<'_>> {
    let first_end = text.word_end()?;
    let first = &text.bytes[..first_end];
    if text.ends_at(first_end) {
        // A word that touches the end is a name that matches nothing (1.3).
        let touch = Touch::End;
        let (at, end) = (first_end, first_end);
        return Some(Pair { first, keyword: None, second: Second::Missing, at, end, touch });
    }
    let keyword = Keyword::of(until_nul(first));
    let rest = &text.bytes[first_end..];
    let Some(white) = rest.iter().position(|&byte| !is_white(byte)) else {
        let end = text.bytes.len();
        let pair =
            Pair { first, keyword, second: Second::Missing, at: end, end, touch: Touch::End };
        return (text.tail == Tail::Final).then_some(pair);
    };
    let at = first_end + white;
    let here = text.from(at);
    let (second, len) = match here.bytes[0] {
        b'"' => match quoted(here)? {
            (string, Some(len)) => (Second::Text(string), len),
            (_, None) => (Second::Open, here.bytes.len()),
        },
        b'0'..=b'9' => {
            let (number, len) = Number::read(here)??;
            (Second::Number(number), len)
        }
        _ => (Second::Word, here.word_end()?),
    };
    let end = at + len;
    let touch = if text.ends_at(end) { Touch::End } else { Touch::Inner };
    Some(Pair { first, keyword, second, at, end, touch })
}

/// The text of the string at the front, and its length with the quotes; no length when the file
/// ends before its closing quote. However long: only the file's end can tell that there is none.
fn quoted(text: Text<'_>) -> Option<(Vec<u8>, Option<usize>)> {
    let mut string = Vec::new();
    let mut at = 1;
    loop {
        let rest = text.bytes.get(at..).unwrap_or_default();
        let Some(quote) = memchr(b'"', rest) else {
            return (text.tail == Tail::Final).then_some((string, None));
        };
        string.extend_from_slice(&rest[..quote]);
        match rest.get(quote + 1) {
            Some(b'"') => {
                string.push(b'"');
                at += quote + 2;
            }
            // The last byte so far may be the first half of a doubled quote.
            None if text.tail == Tail::Open => return None,
            _ => {
                string.truncate(until_nul(&string).len());
                return Some((string, Some(at + quote + 1)));
            }
        }
    }
}

/// Whether a word may be a keyword of which the end is missing.
fn begins_keyword(word: &[u8]) -> bool {
    let keywords =
        ["MARK", "BEGIN_SAMPLE", "END_SAMPLE", "JOB", "DATE", "SAMPLE_UNIT", "VALUE_UNIT"];
    keywords.iter().any(|keyword| keyword.as_bytes().starts_with(word))
}

/// What C sees of a text.
fn until_nul(text: &[u8]) -> &[u8] {
    &text[..memchr(0, text).unwrap_or(text.len())]
}

/// The line at the front as a row of a name with blanks: name, value, and its length without the
/// line end. Only where the line's tokens make hp2ps refuse the file whatever comes after it.
fn blank_row(text: Text<'_>) -> Option<Option<(&[u8], Number<'_>, usize)>> {
    let end = text.line_end()?;
    let whole = text.ends_at(end) || text.bytes.get(end) == Some(&b'\n');
    let line = &text.bytes[..end];
    // Most lines are told apart by their last byte.
    let last = line.iter().rposition(|&byte| !is_white(byte));
    if !whole || !last.is_some_and(|last| line[last].is_ascii_digit()) {
        return Some(None);
    }
    let row = statement::spaced_row(line).filter(|(name, _)| {
        name.iter().any(|&byte| is_white(byte)) && memrchr(b'"', name).is_none() && is_refused(line)
    });
    Some(row.map(|(name, value)| (name, value, end)))
}

/// Whether hp2ps refuses the line for a name in it that no value follows. A line with a keyword
/// where a name could be is none of names, and is left to its tokens.
fn is_refused(line: &[u8]) -> bool {
    let line = Text { bytes: line, tail: Tail::Final };
    let skip = |at: usize| {
        let rest = &line.bytes[at..];
        rest.iter().position(|&byte| !is_white(byte)).map(|white| at + white)
    };
    let mut at = 0;
    loop {
        let Some(first) = skip(at) else { return false };
        let rest = &line.bytes[first..];
        let Some(len) = rest.iter().position(|&byte| is_white(byte)) else { return false };
        if len >= MAX_WORD || rest[0] == b'"' || Keyword::of(&rest[..len]).is_some() {
            return false;
        }
        let Some(second) = skip(first + len) else { return false };
        match (line.bytes[second], Number::read(line.from(second))) {
            (b'0'..=b'9', Some(Some((number, len)))) if !number.has_point() => at = second + len,
            _ => return true,
        }
    }
}
