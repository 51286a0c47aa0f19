//! hp2ps itself: its flags, its PostScript and its `.aux`, byte for byte.
//!
//! Makefiles and course notes call `hp2ps`; heapviz can be put in its place and draws the same picture. The
//! rules are those of `docs/format/hp.md`, including hp2ps's mistakes, because users compare pictures.
//! Bands are chosen by [`rank`](mod@crate::slice::rank), as for every other chart; the layout, which dates from
//! the 1990s, stays in this folder. If hp2ps fails on a file that is not at fault, this draws the file and
//! says so in [`Drawing::notes`].
//!
//! A run is [`command_line::parse`], then [`draw`]; [`reading::files`] says which files it reads and writes.
//! Inside, the data pass through `input` (by the strict rules of `decode::hp`), `stack`, `graph`, `shade`,
//! `postscript` and `auxiliary`, in this order.

mod auxiliary;
mod c_numbers;
pub mod command_line;
mod graph;
mod layer_stack;
mod postscript;
pub mod reading;
mod shade;

use std::io::Read;

use crate::base::units::count;
use auxiliary::Aux;
pub use command_line::FlagError;
use command_line::Options;
use graph::Graph;
use postscript::Picture;
pub use reading::Hp2psError;
use reading::{Hp2psInput, read};
use shade::Shades;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    pub postscript: Vec<u8>,
    /// Scale, order and shades, for a next run with `-p`.
    pub aux: Vec<u8>,
    /// What was read although hp2ps fails on it, one line each; often empty.
    pub notes: Vec<String>,
}

/// Draws what `source` holds: a `.hp` as hp2ps reads it, or an event log, also compressed.
/// `previous` is the `.aux` file of a previous run, which is used with `-p`. `program` is its name, as
/// it was called, which the picture contains.
///
/// # Errors
/// [`Hp2psError`], if hp2ps refuses the input or the `.aux`, too, and for what hp2ps cannot encounter: an
/// event log with nothing to draw, a source that fails, or too many bands.
pub fn draw(
    source: impl Read + Send,
    previous: Option<&[u8]>,
    options: &Options,
    program: &[u8],
) -> Result<Drawing, Hp2psError> {
    let Hp2psInput { profile, reading, mut notes } = read(source)?;
    let aux = match previous.filter(|_| options.uses_previous) {
        Some(text) => auxiliary::read(text)?,
        None => Aux::default(),
    };
    let stack = layer_stack::stack(&profile, &reading, &aux, options);
    if stack.lacks_strays {
        notes.push(format!(
            "the last sample has no END_SAMPLE; it is left out ({})",
            count(reading.strays.len(), "row")
        ));
    }
    let graph = Graph::new(&stack.layers, &reading, &aux, options);
    let mut shades = Shades::new(options.in_colour, &aux.shades);
    stack.layers.iter().for_each(|layer| shades.give(&layer.name));
    let picture = Picture {
        program,
        reading: &reading,
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
