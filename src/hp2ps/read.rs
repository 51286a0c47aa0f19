//! Reading for the drop-in: text by hp2ps's rules, event logs as everywhere else.

use std::io::{self, Read, Write};

use super::failure::Failure;
use super::grammar::StrictDecoder;
use super::reading::Reading;
use crate::base::units::count;
use crate::export::hp;
use crate::incident::What;
use crate::incident::error::{Error, visible};
use crate::input::{InputOptions, Opened, ReadError, drawable};
use crate::profile::{Profile, ProfileBuilder, Source};
use crate::slice::Slice;

/// What is drawn.
#[derive(Debug)]
pub struct Input {
    /// Bands and samples.
    pub profile: Profile,
    /// What else hp2ps reads.
    pub reading: Reading,
    /// What was read although hp2ps fails on it, one line each.
    pub notes: Vec<String>,
}

/// Reads a `.hp` as hp2ps does, or an event log; whatever is not an event log is read as a `.hp`.
///
/// # Errors
/// hp2ps's own, in its words, and in ours what it cannot meet.
pub fn read(source: impl Read + Send, name: &[u8]) -> Result<Input, Failure> {
    let failed = |error: ReadError| {
        let hint = error.hint().map_or_else(String::new, |hint| format!(" ({hint})"));
        let text = visible(&error.to_string()) + &hint;
        Failure::new([name, b": ", text.as_bytes()].concat())
    };
    let options = InputOptions::default();
    let mut source = Opened::new(source).map_err(failed)?;
    if source.is_eventlog() {
        let profile = source.read(&options).and_then(drawable).map_err(failed)?;
        let mut notes: Vec<String> = profile.loss_summary().into_iter().collect();
        let cut = hp::cut_names(&Slice::whole(&profile));
        if cut > 0 {
            notes.push(format!("{} cut to the 4999 bytes that hp2ps takes", count(cut, "name")));
        }
        let (profile, reading) = as_hp(&profile).map_err(|error| failed(error.into()))?;
        return Ok(Input { profile, reading, notes });
    }
    let mut profile = ProfileBuilder::with_limits(Source::Hp, options.limits);
    let mut decoder = StrictDecoder::new();
    source.feed(&mut decoder, &mut profile).map_err(failed)?;
    let read = decoder.finish(&mut profile).map_err(|error| failed(error.into()))?;
    let reading = read.map_err(|refusal| Failure::refusal(name, &refusal))?;
    source.note_damage(&mut profile);
    let profile = profile.finish();
    let notes = notes(&profile, &reading);
    Ok(Input { profile, reading, notes })
}

/// Turns an event log into the `.hp` that hp2ps could read, and reads that by hp2ps's rules.
fn as_hp(profile: &Profile) -> Result<(Profile, Reading), Error> {
    let mut text = ReadBack {
        builder: ProfileBuilder::new(Source::Hp),
        decoder: StrictDecoder::new(),
        failed: None,
    };
    let written = hp::write(&Slice::whole(profile), &mut text);
    if let Some(error) = text.failed {
        return Err(error);
    }
    let ReadBack { mut builder, decoder, .. } = text;
    let line = 0;
    match (written, decoder.finish(&mut builder)?) {
        (Ok(()), Ok(reading)) => Ok((builder.finish(), reading)),
        // The text was written for this grammar.
        (Err(error), _) => Err(Error::Statement { line, what: error.to_string() }),
        (_, Err(refusal)) => Err(Error::Statement { line, what: refusal.to_string() }),
    }
}

/// A writer that reads the text that is written to it.
struct ReadBack {
    builder: ProfileBuilder,
    decoder: StrictDecoder,
    failed: Option<Error>,
}

impl Write for ReadBack {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.decoder.feed(bytes, &mut self.builder) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                self.failed = Some(error);
                Err(io::ErrorKind::Other.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The notes on what was read in a `.hp` although hp2ps fails on it.
fn notes(profile: &Profile, reading: &Reading) -> Vec<String> {
    // hp2ps adds sizes up as floating-point numbers, without an upper bound.
    let kept = profile.incidents.kept().iter();
    let huge = kept.filter(|incident| matches!(incident.what, What::HugeSum { .. }));
    let huge: Vec<String> = huge.map(|incident| incident.message()).collect();
    let warnings = profile.warnings().into_iter().map(|warning| warning.message);
    let mut notes: Vec<String> = warnings
        .filter(|message| !huge.contains(message))
        .map(|message| visible(&message))
        .collect();
    if let Some(line) = reading.cut {
        notes.push(format!("the file is cut off in line {line}; the samples before are drawn"));
    }
    if reading.blank_names > 0 {
        let rows = count(usize::try_from(reading.blank_names).unwrap_or(usize::MAX), "row");
        notes.push(format!("names with blanks ({rows})"));
    }
    if reading.undated > 0 {
        let samples = count(usize::try_from(reading.undated).unwrap_or(usize::MAX), "sample");
        notes.push(format!("END_SAMPLE without BEGIN_SAMPLE ({samples}); dated by its own time"));
    }
    notes
}
