//! What the strict rules add: which oddities hp2ps accepts, and the data that it keeps more exactly
//! than a profile does.

use super::token::Header;
use super::{Keyword, Number, until_nul};
use crate::base::units::Nanos;
use crate::incident::error::{Error, NoSamples};
use crate::incident::{Expected, Oddity};
use crate::profile::{BandId, ProfileBuilder};

/// What hp2ps reads from a file besides bands and samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrictReading {
    /// The JOB string: its bytes up to a NUL.
    pub job: Vec<u8>,
    pub date: Vec<u8>,
    pub sample_unit: Vec<u8>,
    pub value_unit: Vec<u8>,
    /// The times of the samples, ascending.
    pub times: Vec<f64>,
    /// The times of the marks, in the order of the file.
    pub marks: Vec<f64>,
    /// Values beyond 64 bits, which the profile has as its greatest value: the index of the point
    /// in the file, and the value.
    pub huge: Vec<(usize, f64)>,
    /// How many points were read, including those of an unfinished sample.
    pub points: usize,
    /// The points after the last END_SAMPLE.
    pub strays: Vec<(BandId, f64)>,
    /// The line where the file ends inside a statement, if it does; hp2ps refuses such a file.
    pub cut: Option<u64>,
    /// Rows whose name has blanks; hp2ps refuses a file with any.
    pub blank_names: u64,
    /// Samples that END_SAMPLE ends without a BEGIN_SAMPLE; hp2ps crashes or guesses.
    pub undated: u64,
}

/// The part of the interpreter's state that only the strict rules need.
#[derive(Clone, Debug, Default)]
pub struct Strict {
    /// What was read so far, without the headers.
    pub reading: StrictReading,
    /// In the order of [`Header::ALL`].
    headers: [Option<Vec<u8>>; 4],
    /// The time of the last BEGIN_SAMPLE. hp2ps compares doubles, which can be equal where
    /// nanoseconds are not, and the other way round.
    begun: f64,
    /// The latest time that a sample had so far, as hp2ps keeps it and in nanoseconds.
    ended: (f64, Nanos),
    refused: Option<Refused>,
}

#[derive(Clone, Debug)]
struct Refused {
    error: Error,
    line: u64,
    /// Whether the end of the file alone may be the cause: the faulty token touches the end, or is missing there.
    perhaps_cut: bool,
}

impl Strict {
    pub fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Accepts, counts or refuses an oddity.
    pub fn odd(&mut self, oddity: Oddity, seen: &[u8], line: u64, perhaps_cut: bool) {
        let perhaps_cut = match oddity {
            Oddity::NestedBegin | Oddity::HugeTime | Oddity::HugeValue => return,
            Oddity::WholeLine => {
                self.reading.blank_names += 1;
                return;
            }
            Oddity::EndWithoutBegin { .. } => {
                self.reading.undated += 1;
                return;
            }
            // A time without its decimals may have been cut by the end of the file, and so may a row
            // without its value.
            Oddity::IntegerTime
            | Oddity::BackwardTime
            | Oddity::NegativeTime
            | Oddity::EndWithoutTime
            | Oddity::NotFollowed(_) => perhaps_cut,
            // These are wrong whatever comes after them.
            Oddity::FractionalValue
            | Oddity::NegativeValue
            | Oddity::MarkInSample
            | Oddity::StrayString
            | Oddity::Unterminated(_)
            | Oddity::BareQuotes(_)
            | Oddity::NoName => false,
        };
        self.refuse(oddity.refused(line, seen), line, perhaps_cut);
    }

    fn refuse(&mut self, error: Error, line: u64, perhaps_cut: bool) {
        self.refused.get_or_insert(Refused { error, line, perhaps_cut });
    }

    /// The file ends inside a statement that begins with `word`, inside the sample `open`, if any.
    pub fn cut(&mut self, word: &[u8], line: u64, open: Option<Nanos>) {
        let expected = match Keyword::new(word) {
            Some(Keyword::Header(_)) => Expected::String,
            Some(Keyword::Mark | Keyword::Begin | Keyword::End) => Expected::Time,
            None => Expected::Value,
        };
        // Outside samples there are no rows.
        let may_continue = open.is_some() || Keyword::may_begin_with(word);
        self.refuse(Oddity::NotFollowed(expected).refused(line, word), line, may_continue);
    }

    /// Keeps a header line; the last one counts.
    pub fn header(&mut self, header: Header, text: &[u8]) {
        for (kept, known) in self.headers.iter_mut().zip(Header::ALL) {
            if known == header {
                *kept = Some(until_nul(text).to_vec());
            }
        }
    }

    /// Begins a sample, and returns whether its time is below that of the one before.
    pub fn begin(&mut self, time: f64) -> bool {
        let is_earlier = time < self.begun;
        self.begun = time;
        is_earlier
    }

    /// Ends a sample that began at `begun`, or that is dated by its end. Returns its time, never
    /// below that of the one before.
    pub fn end(&mut self, begun: Option<Nanos>, time: Nanos, own: f64) -> Nanos {
        let double = if begun.is_some() { self.begun } else { own };
        self.ended = (double.max(self.ended.0), time.max(self.ended.1));
        self.reading.times.push(self.ended.0);
        self.ended.1
    }

    /// Counts a row, and keeps its value if a profile cannot.
    pub fn value(&mut self, number: Number<'_>, is_clamped: bool) {
        if is_clamped {
            self.reading.huge.push((self.reading.points, number.as_double()));
        }
        self.reading.points += 1;
    }

    /// Ends the file, which may be cut if there is a complete sample.
    ///
    /// # Errors
    /// What hp2ps refuses.
    pub fn finish(mut self, profile: &ProfileBuilder) -> Result<StrictReading, Error> {
        let missing = self.headers.iter().zip(Header::ALL).find(|(text, _)| text.is_none());
        let incomplete = match missing {
            Some((_, header)) => Some(Error::MissingHeader(header.word())),
            None if !self.reading.times.is_empty() => None,
            None if profile.open_points() > 0 => Some(Error::NoSamples(NoSamples::NoneComplete)),
            None => Some(Error::NoSamples(NoSamples::HeaderOnly)),
        };
        match (self.refused.take(), incomplete) {
            (Some(Refused { line, perhaps_cut: true, .. }), None) => {
                self.reading.cut = Some(line);
            }
            (Some(Refused { error, .. }), _) | (None, Some(error)) => return Err(error),
            (None, None) => {}
        }
        let [job, date, value_unit, sample_unit] = self.headers.map(Option::unwrap_or_default);
        let mut reading = StrictReading { job, date, sample_unit, value_unit, ..self.reading };
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
