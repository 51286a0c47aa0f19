//! hp2ps itself: its flags, its PostScript and its `.aux`, byte for byte.
//!
//! Makefiles and course notes call `hp2ps`; heapviz can be put in its place and draws the same picture. The
//! rules are those of `docs/format/hp.md`, including hp2ps's mistakes, because users compare pictures.
//! Bands are chosen by [`rank`](mod@crate::slice::rank), as for every other chart; the layout, which dates from
//! the 1990s, stays in this folder. If hp2ps fails on a file that is not at fault, this draws the file and
//! says so in [`Drawing::notes`].
//!
//! A run is [`options::parse`], then [`draw`]; [`files`] says which files it reads and writes.
//! Inside, the data pass through `read` (with the strict `grammar`), `stack`, `graph`, `shade`,
//! `postscript` and `auxiliary`, in this order.

mod auxiliary;
mod c;
mod failure;
pub mod files;
mod grammar;
mod graph;
pub mod options;
mod postscript;
mod read;
mod reading;
mod refusal;
mod shade;
mod stack;
mod statement;

use std::io::Read;

use crate::base::units::count;
use crate::profile::Profile;
use auxiliary::Aux;
pub use failure::Failure;
use graph::Graph;
use options::{Options, Previous};
use postscript::Picture;
use read::{Input, read};
use reading::Reading;
use shade::Shades;
use stack::Strays;

/// The names that appear in messages and in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The program, as it was called.
    pub program: &'a [u8],
    /// The input.
    pub input: &'a [u8],
    /// The previous run's file.
    pub aux: &'a [u8],
}

/// A run's files, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The picture.
    pub postscript: Vec<u8>,
    /// Scale, order and shades, for a next run with `-p`.
    pub aux: Vec<u8>,
    /// What was read although hp2ps fails on it, one line each; often empty.
    pub notes: Vec<String>,
}

/// Draws what `source` holds: a `.hp` as hp2ps reads it, or an event log, also compressed.
/// `previous` is the `.aux` file of a previous run, which is used with `-p`.
///
/// # Errors hp2ps's own errors, in its words, and ours for what hp2ps cannot encounter: an event
/// log with nothing to draw, a source that fails, or too many bands.
pub fn draw(
    source: impl Read + Send,
    previous: Option<&[u8]>,
    options: &Options,
    names: &Names<'_>,
) -> Result<Drawing, Failure> {
    let Input { profile, reading, notes } = read(source, names.input)?;
    draw_read(&profile, &reading, notes, previous, options, names).map_err(|failure| {
        // hp2ps never gets beyond the first thing that it refuses.
        let refusal = reading.tolerated.as_ref();
        refusal.map_or(failure, |refusal| Failure::refusal(names.input, refusal))
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
    let aux = Aux {
        x_range: graph.x_range,
        y_range: graph.y_range,
        order: bands.iter().zip(1..).map(|(name, place)| (name.to_vec(), place)).collect(),
        shades: bands.iter().map(|name| (name.to_vec(), shades.of(name))).collect(),
    };
    Ok(Drawing { postscript: picture.write(), aux: aux.write(), notes })
}
