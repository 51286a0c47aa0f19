//! The text format `.hp` (`docs/format/hp.md#the-language`), read by one of two rules.
//!
//! By the *lenient* rules, for charts, what hp2ps accepts has the same meaning, down to rows outside
//! samples. What it refuses although the meaning is plain (a cut last sample, names with blanks, whole or
//! negative times) is read with a warning; what has no meaning is skipped up to the next keyword or line
//! end. By the *strict* rules, for the [drop-in](crate::hp2ps), text has the meaning that hp2ps gives it,
//! and what it refuses is an error. The rules differ on text that both accept: `a 3 b TAB 5` is two rows
//! for hp2ps, and one row with blanks in its name for everybody else. Three things are read although hp2ps
//! fails on them, because the file is not at fault: an end inside a sample, names with blanks where hp2ps
//! could only refuse, and an END_SAMPLE that it would date by stray memory. They are counted in
//! [`StrictReading`].
//!
//! The input is pushed in chunks of any size. Plain rows are read by `rows`; everything else passes `text` (pieces, words, lines), `token`, `statement` and `interpreter`.

mod interpreter;
mod sample_rows;
mod statement;
mod strict;
mod token;
mod unread;

#[cfg(test)]
mod tests;

use crate::incident::error::{Error, Lookalike};
use crate::profile::ProfileBuilder;
use interpreter::Interpreter;
use sample_rows::FastRows;
use unread::{Pieces, Rules};

pub(crate) use strict::StrictReading;
pub(crate) use token::{Keyword, Number};
pub(crate) use unread::{MAX_WORD, Unread, is_white, until_nul};

/// Reads a `.hp` file that comes in pieces.
#[derive(Clone, Debug)]
pub struct HpDecoder {
    pieces: Pieces,
    rows: FastRows,
    /// Whether there has been any byte.
    has_begun: bool,
    interpreter: Interpreter,
}

impl Default for HpDecoder {
    fn default() -> Self {
        HpDecoder::new()
    }
}

impl HpDecoder {
    /// A decoder at the start of a file, with the lenient rules.
    pub fn new() -> Self {
        HpDecoder::with(Rules::Lenient)
    }

    /// A decoder with hp2ps's rules, which [`HpDecoder::finish_strict`] ends.
    pub(crate) fn strict() -> Self {
        HpDecoder::with(Rules::Strict)
    }

    fn with(rules: Rules) -> Self {
        HpDecoder {
            pieces: Pieces::default(),
            rows: FastRows::default(),
            has_begun: false,
            interpreter: Interpreter::new(rules),
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
        self.has_begun = true;
        let (interpreter, rows) = (&mut self.interpreter, &mut self.rows);
        self.pieces.feed(bytes, |text, stop| interpreter.run(text, stop, rows, profile))
    }

    /// Reads everything that can be decided now of the bytes so far.
    ///
    /// # Errors
    /// As [`HpDecoder::feed`].
    pub fn catch_up(&mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        let (interpreter, rows) = (&mut self.interpreter, &mut self.rows);
        self.pieces.catch_up(|text, stop| interpreter.run(text, stop, rows, profile))
    }

    /// Whether the empty sample that the run-time system writes last has been read. It also begins
    /// its files with one.
    pub fn has_ended(&self) -> bool {
        self.interpreter.has_ended()
    }

    /// Forgets the numbers of bands, which change here.
    pub fn forget_bands(&mut self) {
        self.rows.forget_bands();
    }

    /// Ends the file: reads what is carried, leaves out a sample that never ended, and records how
    /// the file ended.
    ///
    /// # Errors
    /// [`Error::Empty`] when there was not a byte, [`Error::OverLimit`], and [`Error::NotAProfile`] for
    /// a file without line ends that cannot be read without them.
    pub fn finish(mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        self.read_rest(profile)?;
        // What has no blanks in its names can be.
        if self.interpreter.is_one_line() && profile.incidents.losses().statements > 0 {
            return Err(Error::NotAProfile(Lookalike::OneLine));
        }
        self.interpreter.finish(profile);
        Ok(())
    }

    /// Ends the file by hp2ps's rules. The points of a sample that never ended are left in the
    /// builder.
    ///
    /// # Errors
    /// As [`HpDecoder::finish`]; [`Error::Statement`], [`Error::MissingHeader`] or
    /// [`Error::NoSamples`] for what hp2ps refuses.
    pub(crate) fn finish_strict(
        mut self,
        profile: &mut ProfileBuilder,
    ) -> Result<StrictReading, Error> {
        self.read_rest(profile)?;
        self.interpreter.finish_strict(profile)
    }

    fn read_rest(&mut self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        if !self.has_begun {
            return Err(Error::Empty);
        }
        let text = self.pieces.rest();
        let stop = text.bytes.len();
        self.interpreter.run(text, stop, &mut self.rows, profile)?;
        Ok(())
    }
}
