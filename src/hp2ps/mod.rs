//! hp2ps itself: its flags, its PostScript and its `.aux`, byte for byte.
//!
//! Makefiles and course notes call `hp2ps`; put in its place, heapviz draws what it drew. The rules
//! are those of `docs/format/hp.md`, slips included, because users compare pictures. Bands are
//! chosen by [`rank`](mod@crate::rank), as for every other chart; the geometry, which is of the
//! 1990s, stays in this room. Where hp2ps fails for no fault of the file, this draws, and says so
//! in [`Drawing::notes`].
//!
//! A run is [`options::parse`], then [`draw`]; which files it reads and writes says [`files`].

mod auxiliary;
mod c;
pub mod files;
mod graph;
pub mod options;
mod postscript;
mod shade;
mod stack;

use std::io::{self, Read, Write};

use crate::decode::hp::strict::{Reading, Refusal, StrictDecoder};
use crate::error::{Error, visible};
use crate::export::hp;
use crate::input::{InputOptions, ReadError, Strict, drawable, read_strict};
use crate::profile::{Profile, ProfileBuilder, Source, State};
use crate::slice::Slice;
use crate::units::count;
use auxiliary::Aux;
use graph::Graph;
use options::{Options, Previous};
use postscript::Picture;
use shade::Shades;
use stack::Strays;

/// What goes by name in messages and in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The program, as it was called.
    pub program: &'a [u8],
    /// The input.
    pub input: &'a [u8],
    /// The previous run's file.
    pub aux: &'a [u8],
}

/// A run's files, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The picture.
    pub postscript: Vec<u8>,
    /// Scale, order and shades, for a next run with `-p`.
    pub aux: Vec<u8>,
    /// What was read although hp2ps fails on it, a line each; often none.
    pub notes: Vec<String>,
}

/// Why there is no picture: hp2ps's message, without the program's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: Vec<u8>,
}

impl Failure {
    fn new(message: Vec<u8>) -> Self {
        Failure { message }
    }

    /// A message of the caller's.
    pub fn told(message: &str) -> Self {
        Failure::new(visible(message).into_bytes())
    }

    /// Why hp2ps does not read a file.
    fn refusal(name: &[u8], refusal: &Refusal) -> Self {
        Failure::new([name, refusal.to_string().as_bytes()].concat())
    }

    /// hp2ps's way out of what it does not expect.
    fn disaster(what: &str) -> Self {
        Failure::new(format!(" Disaster! ({what})").into_bytes())
    }

    /// A file that cannot be opened.
    pub fn cannot_open(name: &[u8]) -> Self {
        Failure::new([b"cannot open ", name].concat())
    }

    /// The message, to be put behind the program's name, a colon and a blank.
    pub fn message(&self) -> Vec<u8> {
        self.message.clone()
    }
}

/// Draws what `source` holds: a `.hp` as hp2ps reads it, or an event log, also compressed.
/// `previous` is the `.aux` file of a previous run, which counts with `-p`.
///
/// # Errors
/// hp2ps's own, in its words, and in ours what it cannot meet: an event log that holds nothing to
/// draw, a source that fails, or more bands than there may be.
pub fn draw(
    source: impl Read,
    previous: Option<&[u8]>,
    options: &Options,
    names: &Names<'_>,
) -> Result<Drawing, Failure> {
    let (profile, reading, notes) = read(source, names)?;
    // What is wrong further on does not matter to hp2ps, which never gets there.
    let pardoned = reading.pardoned.clone();
    draw_read(&profile, &reading, notes, previous, options, names).map_err(|failure| {
        pardoned.map_or(failure, |refusal| Failure::refusal(names.input, &refusal))
    })
}

fn draw_read(
    profile: &Profile,
    reading: &Reading,
    mut notes: Vec<String>,
    previous: Option<&[u8]>,
    options: &Options,
    names: &Names<'_>,
) -> Result<Drawing, Failure> {
    let room = auxiliary::room(stack::band_count(profile, reading), options.limit.number());
    let aux = match (previous, options.previous) {
        (Some(text), Previous::Used) => auxiliary::read(text, names.aux, room)?,
        _ => Aux::default(),
    };
    let stack = stack::stack(profile, reading, &aux, options);
    if stack.strays == Strays::LeftOut {
        notes.push(format!(
            "the last sample has no END_SAMPLE; it is left out ({})",
            count(reading.strays.len(), "row")
        ));
    }
    let graph = Graph::new(&stack.layers, reading, &aux, options);
    let mut shades = Shades::new(options.shading, &aux.shades, room);
    let given = stack.layers.iter().try_for_each(|layer| shades.give(&layer.name));
    given.map_err(|failure| match stack.strays {
        Strays::Harmless => failure,
        Strays::LeftOut => Failure::disaster("bucket out of range"),
    })?;
    let picture = Picture {
        program: names.program,
        reading,
        layers: &stack.layers,
        graph: &graph,
        shades: &shades,
        options,
    };
    let bands: Vec<&[u8]> = stack.layers.iter().map(|layer| &*layer.name).collect();
    let aux = auxiliary::write(&graph, &bands, &shades);
    Ok(Drawing { postscript: picture.write(), aux, notes })
}

/// What hp2ps reads, and what is to be said about it.
fn read(source: impl Read, names: &Names<'_>) -> Result<(Profile, Reading, Vec<String>), Failure> {
    let told = |text: String| Failure::new([names.input, b": ", text.as_bytes()].concat());
    let failed = |error: ReadError| {
        let hint = error.hint().map_or_else(String::new, |hint| format!(" ({hint})"));
        told(visible(&error.to_string()) + &hint)
    };
    let (profile, reading) = match read_strict(source, &InputOptions::default()).map_err(failed)? {
        Strict::Refused(refusal) => {
            return Err(Failure::refusal(names.input, &refusal));
        }
        Strict::Hp(profile, reading) => (*profile, *reading),
        Strict::Eventlog(profile) => {
            let profile = drawable(*profile).map_err(failed)?;
            let notes = profile.loss_summary().into_iter().collect();
            let (profile, reading) = as_hp(&profile).map_err(|error| failed(error.into()))?;
            return Ok((profile, reading, notes));
        }
    };
    let notes = notes(&profile, &reading);
    Ok((profile, reading, notes))
}

/// An event log as the `.hp` that hp2ps could read, and as what it would read from that.
fn as_hp(profile: &Profile) -> Result<(Profile, Reading), Error> {
    let mut text = Text {
        builder: ProfileBuilder::new(Source::Hp),
        decoder: StrictDecoder::new(),
        failed: None,
    };
    let written = hp::write(&Slice::whole(profile), &mut text);
    if let Some(error) = text.failed {
        return Err(error);
    }
    let Text { mut builder, decoder, .. } = text;
    let line = 0;
    match (written, decoder.finish(&mut builder)?) {
        (Ok(()), Ok(reading)) => Ok((builder.finish(State::Whole), reading)),
        // The text is written for this very grammar.
        (Err(error), _) => Err(Error::Statement { line, what: error.to_string() }),
        (_, Err(refusal)) => Err(Error::Statement { line, what: refusal.to_string() }),
    }
}

/// Reads what is written to it.
struct Text {
    builder: ProfileBuilder,
    decoder: StrictDecoder,
    failed: Option<Error>,
}

impl Write for Text {
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

/// What of a `.hp` was read although hp2ps fails on it.
fn notes(profile: &Profile, reading: &Reading) -> Vec<String> {
    let mut notes: Vec<String> =
        profile.warnings.iter().map(|warning| visible(&warning.message)).collect();
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
