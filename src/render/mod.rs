//! From a [`Scene`](crate::scene::Scene) to bytes: one short walk for every format. Nothing is
//! decided here but how the format says it.

mod pdf;
mod png;
mod shape;
mod svg;
mod typeset;

pub use pdf::{PdfError, PdfOptions, pdf};
pub use png::{PngError, PngOptions, png};
pub use svg::{SvgOptions, svg};
pub use typeset::MissingCharacters;

/// What a file says made it.
const SOFTWARE: &str = concat!("heapviz ", env!("CARGO_PKG_VERSION"));

/// A picture in a format that draws its text itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The file.
    pub bytes: Vec<u8>,
    /// Characters that show as boxes; the caller says so.
    pub missing: MissingCharacters,
}
