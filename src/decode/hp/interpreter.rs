//! Interprets the sequence of statements, by either of the two rules. An oddity is something that hp2ps
//! refuses or reads differently: by the lenient rules it is recorded as an incident and reading
//! continues; by the strict rules hp2ps's refusal ends the reading, see [`Strict`].

use memchr::memchr_iter;

use super::statement::{self, LinePosition, Statement, nameless_row};
use super::strict::Strict;
use super::token::{Close, Header, Quoted};
use super::{FastRows, Keyword, Number, Rules, StrictReading, Unread, is_white};
use crate::base::units::{Bytes, Nanos, count};
use crate::incident::error::Error;
use crate::incident::{Condition, End, Incident, Loss, Oddity, WarningCode};
use crate::profile::{BandKeyRef, MarkerKind, ProfileBuilder};

/// What is done with the next token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// The first of the file, which a byte-order mark may precede.
    #[default]
    First,
    Read,
    /// The token is skipped unless it is a keyword.
    Skip,
    /// The token is the rest of a word that is skipped.
    SkipWord,
}

/// Whether the file ends inside a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ending {
    #[default]
    Clean,
    Inside {
        line: u64,
    },
}

/// The state between two statements of the file.
#[derive(Clone, Debug, Default)]
pub struct Interpreter {
    /// What the strict rules add; `None` by the lenient ones.
    strict: Option<Box<Strict>>,
    /// Whether what is wrong in the statement that is being read may be so only because the file is cut.
    perhaps_cut: bool,
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
    /// The time of the last complete sample.
    sealed_at: Option<Nanos>,
    /// What its time was chosen from, if the file has two for it.
    doubt: Option<Doubt>,
    /// Whether the first and the last complete sample are empty.
    first_is_empty: bool,
    last_is_empty: bool,
    /// How many samples of the run are complete.
    sealed: usize,
    /// The headers seen, in the order of [`Header::ALL`].
    headers: [bool; 4],
    ending: Ending,
}

/// A sample with two times: damage, because the run-time system writes the same in both places. hp2ps uses the first.
#[derive(Clone, Copy, Debug)]
struct Doubt {
    /// The time of the sample before.
    before: Option<Nanos>,
    begin: Nanos,
    end: Nanos,
    line: u64,
}

impl Doubt {
    /// The time that lies between those of the samples around; without a next one, the end if the beginning is far
    /// beyond it.
    fn time(self, next: Option<Nanos>) -> Nanos {
        let Doubt { before, begin, end, .. } = self;
        let fits = |time: Nanos| {
            before.is_none_or(|before| before <= time) && next.is_none_or(|next| time <= next)
        };
        const FAR: i64 = 10;
        let is_far = |before: Nanos| {
            end > before && begin.since(before).as_nanos() / FAR > end.since(before).as_nanos()
        };
        match (fits(begin), fits(end)) {
            (false, true) => end,
            (true, true) if next.is_none() && before.is_some_and(is_far) => end,
            (true, true | false) | (false, false) => begin,
        }
    }
}

impl Interpreter {
    /// At the start of a file.
    pub fn new(rules: Rules) -> Self {
        Interpreter {
            strict: (rules == Rules::Strict).then(Box::default),
            line: 1,
            mode: if rules == Rules::Lenient { Mode::First } else { Mode::Read },
            ..Interpreter::default()
        }
    }

    fn rules(&self) -> Rules {
        if self.strict.is_some() { Rules::Strict } else { Rules::Lenient }
    }

    fn is_refused(&self) -> bool {
        self.strict.as_ref().is_some_and(|strict| strict.is_refused())
    }

    /// Whether the empty sample that the run-time system writes last has been read. It also begins
    /// its files with one.
    pub fn has_ended(&self) -> bool {
        self.first_is_empty && self.last_is_empty && self.sealed > 1 && self.open.is_none()
    }

    /// Whether the file so far is one line that has all headers.
    pub fn is_one_line(&self) -> bool {
        let ended = u64::from(self.position == LinePosition::LineStart);
        self.line == 1 + ended && self.headers == [true; 4]
    }

    /// Reads what begins before `stop`, and returns how far it came: beyond `stop`, or to something
    /// that only more bytes can decide.
    pub fn run(
        &mut self,
        text: Unread<'_>,
        stop: usize,
        rows: &mut FastRows,
        profile: &mut ProfileBuilder,
    ) -> Result<usize, Error> {
        let mut at = 0;
        while at < stop {
            if self.is_refused() {
                return Ok(stop);
            }
            if self.position == LinePosition::LineStart && self.mode == Mode::Read {
                rows.begin_run(self.run);
                let read = rows.take(&text.bytes[at..], profile)?;
                self.line += read.rows as u64;
                if let Some(strict) = &mut self.strict {
                    strict.reading.points += read.rows;
                }
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
        if self.mode == Mode::First {
            return Ok(self.byte_order_mark(text));
        }
        if is_white(text.bytes[0]) {
            return Ok(self.white_space(text, profile));
        }
        if self.mode != Mode::Read {
            return Ok(self.skip(text));
        }
        let rules = self.rules();
        let read = statement::read(text, self.position, rules);
        let Some((statement, len)) = read else { return Ok(None) };
        self.perhaps_cut = text.ends_at(len);
        self.apply(statement, profile)?;
        let read = &text.bytes[..len];
        self.line += memchr_iter(b'\n', read).count() as u64;
        self.position =
            if read.ends_with(b"\n") { LinePosition::LineStart } else { LinePosition::Inside };
        Ok(Some(len))
    }

    /// Passes the mark that some editors put before a text in UTF-8.
    fn byte_order_mark(&mut self, text: Unread<'_>) -> Option<usize> {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        if !text.is_final && text.bytes.len() < MARK.len() && MARK.starts_with(text.bytes) {
            return None;
        }
        self.mode = Mode::Read;
        Some(if text.bytes.starts_with(MARK) { MARK.len() } else { 0 })
    }

    /// Passes white space up to the next line, and blank lines.
    fn white_space(&mut self, text: Unread<'_>, profile: &mut ProfileBuilder) -> Option<usize> {
        if self.position == LinePosition::LineStart
            && self.rules() == Rules::Lenient
            && let Some(len) = nameless_row(text)?
        {
            self.odd(Oddity::NoName, profile);
            self.line += 1;
            return Some(len);
        }
        let end = text.bytes.iter().position(|&byte| byte == b'\n' || !is_white(byte));
        let end = end.unwrap_or(text.bytes.len());
        // All line ends at once: a compressed file can have a thousand million of them.
        let line_ends = text.bytes[end..].iter().take_while(|&&byte| byte == b'\n').count();
        if line_ends > 0 {
            self.line += line_ends as u64;
            self.position = LinePosition::LineStart;
            self.mode = Mode::Read;
            return Some(end + line_ends);
        }
        if self.position == LinePosition::LineStart {
            self.position = LinePosition::Indented;
        }
        if self.mode == Mode::SkipWord {
            self.mode = Mode::Skip;
        }
        Some(end)
    }

    /// Passes a word, or stops before it when it is a keyword.
    fn skip(&mut self, text: Unread<'_>) -> Option<usize> {
        // More than any keyword has.
        const ENOUGH: usize = 16;
        let window = match self.mode {
            Mode::SkipWord => text.bytes,
            Mode::First | Mode::Read | Mode::Skip => &text.bytes[..text.bytes.len().min(ENOUGH)],
        };
        match window.iter().position(|&byte| is_white(byte)) {
            Some(end) if self.mode == Mode::Skip && Keyword::new(&window[..end]).is_some() => {
                self.mode = Mode::Read;
                Some(0)
            }
            Some(end) => Some(end),
            None if self.mode == Mode::SkipWord || window.len() == ENOUGH => {
                self.mode = Mode::SkipWord;
                Some(window.len())
            }
            None => text.is_final.then_some(window.len()),
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
                let Some(size) = self.size(value, profile) else { return Ok(()) };
                let band = profile.band(BandKeyRef::Name(self.rules().word(name)))?;
                profile.point(band, size);
            }
            Statement::Begin(number) => self.begin(number, profile),
            Statement::End(number) => self.end(number, profile),
            Statement::Mark(number) => self.mark(number, profile),
            Statement::Header(header, text) => self.header(header, text, profile),
            Statement::Odd(oddity, word) => {
                self.odd_seen(oddity, word, profile);
                self.mode = Mode::Skip;
            }
            Statement::Cut(word) => match &mut self.strict {
                None => self.ending = Ending::Inside { line: self.line },
                Some(strict) => strict.cut(word, self.line, self.open),
            },
        }
        Ok(())
    }

    fn mark(&mut self, number: Number<'_>, profile: &mut ProfileBuilder) {
        if self.open.is_some() {
            self.odd(Oddity::MarkInSample, profile);
        }
        let Some(time) = self.time(number, profile) else { return };
        match &mut self.strict {
            None => profile.marker(time, String::new(), MarkerKind::Marker),
            Some(strict) => strict.reading.marks.push(number.as_double()),
        }
    }

    fn begin(&mut self, number: Number<'_>, profile: &mut ProfileBuilder) {
        let Some(time) = self.time(number, profile) else { return };
        if self.open.is_some() {
            self.odd(Oddity::NestedBegin, profile);
        }
        let is_earlier = match &mut self.strict {
            None => time < self.begun,
            Some(strict) => strict.begin(number.as_double()),
        };
        if is_earlier {
            self.odd(Oddity::BackwardTime, profile);
        }
        self.settle(Some(time), profile);
        self.begun = time;
        self.open = Some(time);
    }

    fn end(&mut self, number: Option<Number<'_>>, profile: &mut ProfileBuilder) {
        let own = number.map(|number| self.time(number, profile));
        if own.is_none() {
            self.odd(Oddity::EndWithoutTime, profile);
        }
        if self.is_refused() {
            return;
        }
        let begun = self.open.take();
        let time = begun.or(own.flatten()).unwrap_or(self.begun);
        if begun.is_none() {
            self.odd(Oddity::EndWithoutBegin { time }, profile);
        }
        let time = match (&mut self.strict, number) {
            (Some(strict), Some(number)) => strict.end(begun, time, number.as_double()),
            _ => time,
        };
        let time = match (&self.strict, begun, own.flatten()) {
            // The last number of a file that is cut may lack digits.
            (None, Some(begin), Some(end)) if begin != end && !self.perhaps_cut => {
                let doubt = Doubt { before: self.sealed_at, begin, end, line: self.line };
                self.doubt = Some(doubt);
                doubt.time(None)
            }
            _ => time,
        };
        self.sealed_at = Some(time);
        self.last_is_empty = profile.open_points() == 0;
        if self.sealed == 0 {
            self.first_is_empty = self.last_is_empty;
        }
        self.sealed += 1;
        profile.seal_sample(time);
    }

    /// Decides on the time of the last sample, of which the file has two, when the time of the next one is known, or the
    /// file has ended.
    fn settle(&mut self, next: Option<Nanos>, profile: &mut ProfileBuilder) {
        let Some(doubt) = self.doubt.take() else { return };
        let time = doubt.time(next);
        profile.set_last_time(time);
        self.sealed_at = Some(time);
        if time != doubt.begin {
            let Doubt { begin, line, .. } = doubt;
            let incident = Incident::new(WarningCode::OddStatement).condition(Condition::Damaged);
            profile.incidents.note(incident.on_line(line), || {
                format!(
                    "the sample begins at {begin} and ends at {time}, which is the one between its neighbours and \
                     is used"
                )
            });
        }
    }

    fn header(&mut self, header: Header, text: Quoted<'_>, profile: &mut ProfileBuilder) {
        if let Some(strict) = &mut self.strict {
            match text.close {
                Close::Quote => strict.header(header, &text.bytes()),
                Close::LastQuote | Close::Line | Close::Input => {
                    self.odd(Oddity::Unterminated(header.word()), profile);
                }
            }
            return;
        }
        if header == Header::Job && profile.sample_count() > 0 {
            self.next_run(profile);
        }
        match text.close {
            Close::Quote => {}
            Close::LastQuote => self.odd(Oddity::BareQuotes(header.word()), profile),
            Close::Line | Close::Input => self.odd(Oddity::Unterminated(header.word()), profile),
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
        let fresh = Interpreter { run, line, position, mode, ..Interpreter::new(Rules::Lenient) };
        std::mem::replace(self, fresh).finish(profile);
        profile.begin_log();
    }

    /// A time, unless it is refused.
    fn time(&mut self, number: Number<'_>, profile: &mut ProfileBuilder) -> Option<Nanos> {
        let (time, is_clamped) = number.seconds();
        if !number.has_point() {
            self.odd(Oddity::IntegerTime, profile);
        }
        if number.is_negative {
            self.odd(Oddity::NegativeTime, profile);
        }
        if is_clamped {
            self.odd(Oddity::HugeTime, profile);
        }
        (!self.is_refused()).then_some(time)
    }

    /// The value of a row, unless it is refused.
    fn size(&mut self, number: Number<'_>, profile: &mut ProfileBuilder) -> Option<Bytes> {
        let (size, is_clamped) = number.bytes();
        if number.has_point() {
            self.odd(Oddity::FractionalValue, profile);
        }
        match &mut self.strict {
            None if is_clamped => {
                let negative = number.is_negative;
                self.odd(if negative { Oddity::NegativeValue } else { Oddity::HugeValue }, profile);
            }
            None => {}
            Some(_) if number.is_negative => self.odd(Oddity::NegativeValue, profile),
            Some(strict) => strict.value(number, is_clamped),
        }
        (!self.is_refused()).then_some(size)
    }

    /// An oddity of the statement that is being read.
    fn odd(&mut self, oddity: Oddity, profile: &mut ProfileBuilder) {
        self.odd_seen(oddity, b"", profile);
    }

    /// Reports an oddity together with the text that is there.
    fn odd_seen(&mut self, oddity: Oddity, seen: &[u8], profile: &mut ProfileBuilder) {
        match &mut self.strict {
            None => profile.incidents.note_oddity(oddity, self.line, seen),
            Some(strict) => strict.odd(oddity, seen, self.line, self.perhaps_cut),
        }
    }

    /// Ends the file by the strict rules. The points of a sample that never ended are left in the
    /// builder.
    ///
    /// # Errors
    /// What hp2ps refuses.
    pub fn finish_strict(self, profile: &ProfileBuilder) -> Result<StrictReading, Error> {
        self.strict.map_or_else(|| Ok(StrictReading::default()), |strict| strict.finish(profile))
    }

    /// Ends the file by the lenient rules.
    pub fn finish(mut self, profile: &mut ProfileBuilder) {
        self.settle(None, profile);
        let rows = profile.open_points();
        profile.discard_open_sample();
        let lacks_last_sample = self.lacks_last_sample(profile.sample_count());
        let incidents = &mut profile.incidents;
        match self.open {
            Some(time) => incidents.unfinished_sample(time, rows),
            None if rows > 0 => {
                let incident = Incident::new(WarningCode::StrayPoints).loses(Loss::Values(rows));
                incidents.note(incident.condition(Condition::Cut), || {
                    format!("{} after the last END_SAMPLE; left out", count(rows, "row"))
                });
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
                profile.incidents.note(Incident::new(WarningCode::MissingHeader), || {
                    format!("there is no {} line", header.word())
                });
            }
        }
    }

    /// Whether this is the run-time system's file, which begins with an empty sample, without the
    /// empty sample that it writes last.
    fn lacks_last_sample(&self, samples: usize) -> bool {
        self.first_is_empty && (samples == 1 || !self.last_is_empty)
    }
}
