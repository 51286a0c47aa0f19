//! The text format `.hp`, read as hp2ps reads it and further (`docs/format/hp.md#the-language`).
//!
//! What hp2ps accepts has the same meaning here, down to rows outside samples. What it refuses
//! although the meaning is plain (a cut last sample, names with blanks, whole or negative times) is
//! read with a warning; what has no meaning is skipped up to the next keyword or line end.
//!
//! The input is pushed in chunks of any size.

mod fast;
mod long_name;
mod rows;
mod statement;

#[cfg(test)]
mod tests;

use memchr::memchr_iter;

use crate::base::units::{Bytes, Nanos};
use crate::decode::digest::Digest;
use crate::decode::hp_text::line::nameless_row;
use crate::decode::hp_text::unread::REACH;
use crate::decode::hp_text::{
    Close, Header, Keyword, Number, Pieces, Quoted, Rounding, Tail, Unread, is_white,
};
use crate::incident::error::Error;
use crate::incident::{End, Expected, Incident, Oddity, What};
use crate::profile::{BandKeyRef, MarkerKind, ProfileBuilder, cut};
pub(crate) use fast::{FastRows, Place, RowDigester};
use long_name::{LongName, Step};
use statement::{LinePosition, Statement};

/// Reads a `.hp` file that comes in pieces.
#[derive(Clone, Debug)]
pub struct HpDecoder {
    pieces: Pieces,
    rows: FastRows,
    /// Whether there has been any byte.
    input: Input,
    interpreter: Interpreter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Empty,
    Some,
}

impl Default for HpDecoder {
    fn default() -> Self {
        HpDecoder::new()
    }
}

impl HpDecoder {
    /// A decoder at the start of a file.
    pub fn new() -> Self {
        HpDecoder {
            pieces: Pieces::default(),
            rows: FastRows::default(),
            input: Input::Empty,
            interpreter: Interpreter::new(),
        }
    }

    /// Takes the next bytes of the file, any number of them.
    ///
    /// # Errors
    /// [`Error::OverLimit`].
    pub fn feed(&mut self, bytes: &[u8], profile: &mut ProfileBuilder) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.input = Input::Some;
        let (interpreter, rows) = (&mut self.interpreter, &mut self.rows);
        self.pieces.feed(bytes, |text, stop, _| {
            interpreter.run((text, Place::nowhere()), stop, rows, profile)
        })
    }

    /// A reader ahead of the following bytes, whose digests [`HpDecoder::feed_digested`] takes.
    pub(crate) fn digester(&mut self) -> RowDigester {
        self.rows.digester()
    }

    /// Like [`HpDecoder::feed`], for bytes that have been read ahead.
    ///
    /// # Errors
    /// As [`HpDecoder::feed`].
    pub(crate) fn feed_digested(
        &mut self,
        bytes: &[u8],
        digest: &Digest,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.input = Input::Some;
        let (interpreter, rows) = (&mut self.interpreter, &mut self.rows);
        self.pieces.feed(bytes, |text, stop, start| {
            interpreter.run((text, Place::of(digest, start)), stop, rows, profile)
        })?;
        rows.end_piece(digest);
        Ok(())
    }

    /// Reads everything that can be decided now of the bytes so far.
    ///
    /// # Errors
    /// As [`HpDecoder::feed`].
    pub fn catch_up(&mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        let (interpreter, rows) = (&mut self.interpreter, &mut self.rows);
        self.pieces
            .catch_up(|text, stop| interpreter.run((text, Place::nowhere()), stop, rows, profile))
    }

    /// Whether the empty sample that the run-time system writes last has been read. It also begins
    /// its files with one.
    pub fn has_ended(&self) -> bool {
        let state = &self.interpreter;
        state.first_is_empty && state.last_is_empty && state.sealed > 1 && state.open.is_none()
    }

    /// Forgets the numbers of bands, which change here.
    pub fn forget_bands(&mut self) {
        self.rows.forget_bands();
    }

    /// Ends the file: reads what is carried, leaves out a sample that never ended, and records how
    /// the file ended.
    ///
    /// # Errors
    /// [`Error::Empty`] when there was not a byte, [`Error::OverLimit`].
    pub fn finish(mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        if self.input == Input::Empty {
            return Err(Error::Empty);
        }
        let text = self.pieces.rest();
        let stop = text.bytes.len();
        self.interpreter.run((text, Place::nowhere()), stop, &mut self.rows, profile)?;
        self.interpreter.finish(profile);
        Ok(())
    }
}

/// What is done with the next token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// It begins a statement.
    Read,
    /// It is skipped unless it is a keyword.
    Skip,
    /// It is the rest of a word that is skipped.
    SkipWord,
}

/// Whether the file ends inside a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Clean,
    Inside { line: u64 },
}

/// The state between two statements of the file.
#[derive(Clone, Debug)]
struct Interpreter {
    /// How many runs of the file have ended.
    run: usize,
    /// The line of the next byte, from 1. Counts every line feed; hp2ps forgets those in strings.
    line: u64,
    position: LinePosition,
    mode: Mode,
    /// The time of the last BEGIN_SAMPLE without an end.
    open: Option<Nanos>,
    /// The time of the last BEGIN_SAMPLE.
    begun: Nanos,
    /// Whether the first and the last complete sample are empty.
    first_is_empty: bool,
    last_is_empty: bool,
    /// How many samples of the run are complete.
    sealed: usize,
    /// The headers seen, in the order of [`Header::ALL`].
    headers: [bool; 4],
    /// The name that is being skipped, if it is too long to be read with its row.
    long_name: Option<LongName>,
    ending: Ending,
}

impl Interpreter {
    fn new() -> Self {
        Interpreter {
            run: 0,
            line: 1,
            position: LinePosition::LineStart,
            mode: Mode::Read,
            open: None,
            begun: Nanos::ZERO,
            first_is_empty: false,
            last_is_empty: false,
            sealed: 0,
            headers: [false; 4],
            long_name: None,
            ending: Ending::Clean,
        }
    }

    /// Reads what begins before `stop`, and returns how far it came: beyond `stop`, or to something
    /// that only more bytes can decide.
    fn run(
        &mut self,
        (text, mut place): (Unread<'_>, Place<'_>),
        stop: usize,
        rows: &mut FastRows,
        profile: &mut ProfileBuilder,
    ) -> Result<usize, Error> {
        let mut at = 0;
        while at < stop {
            if self.position == LinePosition::LineStart && self.mode == Mode::Read {
                rows.begin_run(self.run);
                let read = rows.take((text.bytes, at), &mut place, |name| name, profile)?;
                self.line += read.rows as u64;
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
        if let Some(name) = self.long_name.take() {
            return self.long_name(name, text, profile);
        }
        if is_white(text.bytes[0]) {
            return Ok(self.white_space(text, profile));
        }
        if self.mode != Mode::Read {
            return Ok(self.skip(text));
        }
        if self.position != LinePosition::Inside && LongName::begins(text) {
            self.long_name = Some(LongName::default());
            self.position = LinePosition::Inside;
            return Ok(Some(0));
        }
        let Some((statement, len)) = statement::read(text, self.position) else { return Ok(None) };
        self.apply(statement, profile)?;
        let read = &text.bytes[..len];
        self.line += memchr_iter(b'\n', read).count() as u64;
        self.position =
            if read.ends_with(b"\n") { LinePosition::LineStart } else { LinePosition::Inside };
        Ok(Some(len))
    }

    /// Passes a name that is too long to be read with its row, and reads the row after it.
    fn long_name(
        &mut self,
        mut name: LongName,
        text: Unread<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<Option<usize>, Error> {
        let Some(step) = name.step(text) else {
            self.long_name = Some(name);
            return Ok(None);
        };
        Ok(Some(match step {
            Step::Name(len) => {
                self.long_name = Some(name);
                len
            }
            Step::Row(value, len) => {
                let most = profile.limits().text.min(REACH);
                let (kept, length) = (cut(name.kept(), most), name.length);
                self.apply(Statement::Row(kept, value, Some(Oddity::WholeLine)), profile)?;
                if kept.len() < length {
                    let what = What::LongText { thing: "a band's name", length };
                    profile.incidents.note(Incident::new(what));
                }
                self.line += 1;
                self.position = LinePosition::LineStart;
                len
            }
            Step::NoRow => {
                let oddity = Oddity::NotFollowed(Expected::Value);
                self.apply(Statement::Odd(oddity, name.kept()), profile)?;
                0
            }
        }))
    }

    /// Passes white space, no further than the line's end.
    fn white_space(&mut self, text: Unread<'_>, profile: &mut ProfileBuilder) -> Option<usize> {
        if self.position == LinePosition::LineStart
            && let Some(len) = nameless_row(text)?
        {
            self.odd(Oddity::NoName, profile);
            self.line += 1;
            return Some(len);
        }
        let end = text.bytes.iter().position(|&byte| byte == b'\n' || !is_white(byte));
        if end.is_some_and(|end| text.bytes[end] == b'\n') {
            self.line += 1;
            self.position = LinePosition::LineStart;
            self.mode = Mode::Read;
            return end.map(|end| end + 1);
        }
        if self.position == LinePosition::LineStart {
            self.position = LinePosition::Indented;
        }
        if self.mode == Mode::SkipWord {
            self.mode = Mode::Skip;
        }
        Some(end.unwrap_or(text.bytes.len()))
    }

    /// Passes a word, or stops before it when it is a keyword.
    fn skip(&mut self, text: Unread<'_>) -> Option<usize> {
        // More than any keyword has.
        const ENOUGH: usize = 16;
        let window = match self.mode {
            Mode::SkipWord => text.bytes,
            _ => &text.bytes[..text.bytes.len().min(ENOUGH)],
        };
        match window.iter().position(|&byte| is_white(byte)) {
            Some(end) if self.mode == Mode::Skip && Keyword::of(&window[..end]).is_some() => {
                self.mode = Mode::Read;
                Some(0)
            }
            Some(end) => Some(end),
            None if self.mode == Mode::SkipWord || window.len() == ENOUGH => {
                self.mode = Mode::SkipWord;
                Some(window.len())
            }
            None => (text.tail == Tail::Final).then_some(window.len()),
        }
    }

    fn apply(
        &mut self,
        statement: Statement<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<(), Error> {
        match statement {
            Statement::Row(name, value, oddity) => {
                if let Some(oddity) = oddity {
                    self.odd_seen(oddity, name, profile);
                }
                let size = self.size(value, profile);
                let band = profile.band(BandKeyRef::Name(name))?;
                profile.point(band, size);
            }
            Statement::Begin(number) => self.begin(number, profile),
            Statement::End(number) => self.end(number, profile),
            Statement::Mark(number) => {
                if self.open.is_some() {
                    self.odd(Oddity::MarkInSample, profile);
                }
                let time = self.time(number, profile);
                profile.marker(time, String::new(), MarkerKind::Marker);
            }
            Statement::Header(header, text) => self.header(header, text, profile),
            Statement::Odd(oddity, word) => {
                self.odd_seen(oddity, word, profile);
                self.mode = Mode::Skip;
            }
            Statement::Cut => self.ending = Ending::Inside { line: self.line },
        }
        Ok(())
    }

    fn begin(&mut self, number: Number<'_>, profile: &mut ProfileBuilder) {
        let time = self.time(number, profile);
        if self.open.is_some() {
            self.odd(Oddity::NestedBegin, profile);
        }
        if time < self.begun {
            self.odd(Oddity::BackwardTime, profile);
        }
        self.begun = time;
        self.open = Some(time);
    }

    fn end(&mut self, number: Option<Number<'_>>, profile: &mut ProfileBuilder) {
        let own = number.map(|number| self.time(number, profile));
        if own.is_none() {
            self.odd(Oddity::EndWithoutTime, profile);
        }
        let time = match self.open.take() {
            Some(time) => time,
            None => {
                let time = own.unwrap_or(self.begun);
                self.odd(Oddity::EndWithoutBegin { time }, profile);
                time
            }
        };
        self.last_is_empty = profile.open_points() == 0;
        if self.sealed == 0 {
            self.first_is_empty = self.last_is_empty;
        }
        self.sealed += 1;
        profile.seal_sample(time);
    }

    fn header(&mut self, header: Header, text: Quoted<'_>, profile: &mut ProfileBuilder) {
        if header == Header::Job && profile.sample_count() > 0 {
            self.next_run(profile);
        }
        if text.close == Close::LastQuote {
            self.odd(Oddity::BareQuotes(header.word()), profile);
        } else if text.close != Close::Quote {
            self.odd(Oddity::Unterminated(header.word()), profile);
        }
        if text.close == Close::Input {
            self.ending = Ending::Inside { line: self.line };
        }
        let metadata = &mut profile.metadata;
        let field = match header {
            Header::Job => &mut metadata.job,
            Header::Date => &mut metadata.date,
            Header::SampleUnit => &mut metadata.sample_unit,
            Header::ValueUnit => &mut metadata.value_unit,
        };
        *field = Some(text.text());
        for (seen, known) in self.headers.iter_mut().zip(Header::ALL) {
            *seen |= known == header;
        }
    }

    /// A file begins with its job line, so a job line after samples belongs to another run.
    fn next_run(&mut self, profile: &mut ProfileBuilder) {
        let (run, line, position, mode) = (self.run + 1, self.line, self.position, self.mode);
        let fresh = Interpreter { run, line, position, mode, ..Interpreter::new() };
        std::mem::replace(self, fresh).finish(profile);
        profile.begin_log();
    }

    fn time(&mut self, number: Number<'_>, profile: &mut ProfileBuilder) -> Nanos {
        let (time, rounding) = number.seconds();
        if !number.has_point() {
            self.odd(Oddity::IntegerTime, profile);
        }
        if number.is_negative() {
            self.odd(Oddity::NegativeTime, profile);
        }
        if rounding == Rounding::Clamped {
            self.odd(Oddity::HugeTime, profile);
        }
        time
    }

    fn size(&mut self, number: Number<'_>, profile: &mut ProfileBuilder) -> Bytes {
        let (size, rounding) = number.bytes();
        if number.has_point() {
            self.odd(Oddity::FractionalValue, profile);
        }
        if rounding == Rounding::Clamped {
            let negative = number.is_negative();
            self.odd(if negative { Oddity::NegativeValue } else { Oddity::HugeValue }, profile);
        }
        size
    }

    /// Records a departure from hp2ps on the current line.
    fn odd(&mut self, oddity: Oddity, profile: &mut ProfileBuilder) {
        profile.incidents.note(Incident::on_line(self.line, What::Statement(oddity)));
    }

    /// The same, with the text that is there.
    fn odd_seen(&mut self, oddity: Oddity, seen: &[u8], profile: &mut ProfileBuilder) {
        let incident = Incident::on_line(self.line, What::Statement(oddity));
        profile.incidents.note_seen(incident, seen);
    }

    fn finish(mut self, profile: &mut ProfileBuilder) {
        if self.long_name.is_some() {
            self.ending = Ending::Inside { line: self.line };
        }
        let rows = profile.open_points();
        profile.discard_open_sample();
        let lacks_last_sample = self.lacks_last_sample(profile.sample_count());
        let incidents = &mut profile.incidents;
        match self.open {
            Some(time) => incidents.unfinished_sample(time, rows),
            None if rows > 0 => {
                incidents.note(Incident::new(What::RowsAfterLastSample { rows }));
            }
            None => {}
        }
        incidents.end(match (self.ending, self.open) {
            (Ending::Inside { line }, _) => End::InsideStatement(line),
            (Ending::Clean, Some(_)) => End::InsideSample,
            (Ending::Clean, None) if lacks_last_sample => End::NoLastSample,
            (Ending::Clean, None) => End::Clean,
        });
        for (seen, header) in self.headers.into_iter().zip(Header::ALL) {
            if !seen {
                profile.incidents.note(Incident::new(What::MissingHeader(header.word())));
            }
        }
    }

    /// Whether this is the run-time system's file, which begins with an empty sample, without the
    /// empty sample that it writes last.
    fn lacks_last_sample(&self, samples: usize) -> bool {
        self.first_is_empty && (samples == 1 || !self.last_is_empty)
    }
}
