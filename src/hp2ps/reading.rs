//! What is read, and from where: text by hp2ps's rules, event logs as everywhere else
//! (`docs/format/hp.md#files`).

use std::io::{self, Read, Write};

use thiserror::Error as ThisError;

use crate::base::text::visible;
use crate::base::units::count;
use crate::decode::hp::{HpDecoder, StrictReading};
use crate::export::hp;
use crate::incident::WarningCode;
use crate::incident::error::Error;
use crate::input::{InputOptions, Opened, ReadError, drawable};
use crate::profile::{Profile, ProfileBuilder, Source};
use crate::slice::Slice;

#[derive(Debug)]
pub struct Hp2psInput {
    pub profile: Profile,
    pub reading: StrictReading,
    /// What was read although hp2ps fails on it, one line each.
    pub notes: Vec<String>,
}

/// Reads a `.hp` as hp2ps does, or an event log; whatever is not an event log is read as a `.hp`.
///
/// # Errors
/// [`Hp2psError::Input`].
pub fn read(source: impl Read + Send) -> Result<Hp2psInput, Hp2psError> {
    let options = InputOptions::default();
    let mut source = Opened::new(source)?;
    let format = source.format();
    if format == Ok(Source::Eventlog) {
        let profile = source.read(&options, |_| {}).and_then(drawable)?;
        let mut notes: Vec<String> = profile.loss_summary().into_iter().collect();
        let cut = hp::cut_names(&Slice::whole(&profile));
        if cut > 0 {
            notes.push(format!("{} cut to the 4999 bytes that hp2ps takes", count(cut, "name")));
        }
        let (profile, reading) = as_hp(&profile).map_err(ReadError::from)?;
        return Ok(Hp2psInput { profile, reading, notes });
    }
    let mut profile = ProfileBuilder::with_limits(Source::Hp, options.limits);
    let mut decoder = HpDecoder::strict();
    source.feed(|piece| decoder.feed(piece, &mut profile))?;
    // If it does not even look like a profile, that is the better reason.
    let reading = decoder.finish_strict(&mut profile);
    let reading = reading.map_err(|error| ReadError::from(format.err().unwrap_or(error)))?;
    source.note_damage(&mut profile);
    let profile = profile.finish();
    let notes = notes(&profile, &reading);
    Ok(Hp2psInput { profile, reading, notes })
}

/// Turns an event log into the `.hp` that hp2ps could read, and reads that by hp2ps's rules.
fn as_hp(profile: &Profile) -> Result<(Profile, StrictReading), Error> {
    let mut text = ReadBack {
        builder: ProfileBuilder::new(Source::Hp),
        decoder: HpDecoder::strict(),
        failed: None,
    };
    let written = hp::write(&Slice::whole(profile), &mut text);
    if let Some(error) = text.failed {
        return Err(error);
    }
    let ReadBack { mut builder, decoder, .. } = text;
    // The text was written for these rules.
    written.map_err(|error| Error::Statement { line: 0, what: error.to_string() })?;
    let reading = decoder.finish_strict(&mut builder)?;
    Ok((builder.finish(), reading))
}

/// A writer that reads the text that is written to it.
struct ReadBack {
    builder: ProfileBuilder,
    decoder: HpDecoder,
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
fn notes(profile: &Profile, reading: &StrictReading) -> Vec<String> {
    // hp2ps adds sizes up as floating-point numbers, without an upper bound, and draws by time even where there is none.
    let is_told = |code| !matches!(code, WarningCode::ClampedValue | WarningCode::NoTimes);
    let warnings = profile.warnings().into_iter();
    let mut notes: Vec<String> = warnings
        .filter(|warning| is_told(warning.code))
        .map(|warning| visible(&warning.message))
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

/// The names of a run's files, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNames {
    pub input: Vec<u8>,
    /// The file that is written, in the current folder.
    pub postscript: Vec<u8>,
    /// The file in the current folder that is read with `-p` and written at the end.
    pub aux: Vec<u8>,
}

/// hp2ps's names for an input argument, which may lack the ending `.hp`.
pub fn files(argument: &[u8]) -> FileNames {
    let stem = without_ending(argument, b"hp");
    names([stem, b".hp"].concat(), stem)
}

/// The names for an event log or a compressed file, which hp2ps cannot read: the argument itself is
/// the input. `None` for any other ending.
pub fn newer_files(argument: &[u8]) -> Option<FileNames> {
    let plain = without_ending(without_ending(argument, b"gz"), b"zst");
    let stem = without_ending(without_ending(plain, b"eventlog"), b"hp");
    let newer = plain.len() < argument.len() || plain.ends_with(b".eventlog");
    newer.then(|| names(argument.to_vec(), stem))
}

fn names(input: Vec<u8>, stem: &[u8]) -> FileNames {
    let base = &stem[stem.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..];
    FileNames { input, postscript: [base, b".ps"].concat(), aux: [base, b".aux"].concat() }
}

fn without_ending<'a>(path: &'a [u8], ending: &[u8]) -> &'a [u8] {
    path.strip_suffix(ending).and_then(|stem| stem.strip_suffix(b".")).unwrap_or(path)
}

/// Why there is no picture. hp2ps refuses the same files, in other words (`docs/format/hp.md#messages`).
#[derive(Debug, ThisError)]
pub enum Hp2psError {
    /// The input cannot be read, or hp2ps's language does not allow what is in it.
    #[error(transparent)]
    Input(#[from] ReadError),
    #[error("line {line}: {what}")]
    Aux { line: u64, what: String },
}
