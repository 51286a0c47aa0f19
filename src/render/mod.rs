//! Turns a [`Scene`](crate::scene::Scene) into bytes, or paints it into any plotters drawing area,
//! each in one short walk. Only the notation of the format is decided here.

mod area;
mod eps;
mod missing;
mod page;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "png")]
mod png;
mod shape;
mod svg;
#[cfg(any(feature = "pdf", feature = "png"))]
mod typeset;

pub use area::{AreaOptions, paint};
pub use eps::{EpsOptions, eps};
pub use missing::MissingCharacters;
pub use page::page;
#[cfg(feature = "pdf")]
pub use pdf::{PdfError, PdfOptions, pdf};
#[cfg(feature = "png")]
pub use png::{PngError, PngOptions, png};
pub use svg::{SvgOptions, svg, svg_to};

/// The program that a file names as its creator.
const SOFTWARE: &str = concat!("heapviz ", env!("CARGO_PKG_VERSION"));

/// A file, and what a caller must report about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rendered {
    /// The file.
    pub bytes: Vec<u8>,
    /// Characters that are shown as boxes or question marks; the caller reports them.
    pub missing: MissingCharacters,
}

impl From<Vec<u8>> for Rendered {
    /// A file in a format that draws no text, or leaves that to its reader.
    fn from(bytes: Vec<u8>) -> Self {
        Rendered { bytes, missing: MissingCharacters::default() }
    }
}
