//! The formats of a comparison.

use clap::ValueEnum;

use crate::cli::target::TextFormat;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Txt,
    /// Markdown, for pull requests
    Md,
    /// The comparison as data
    Json,
    /// A picture: before above after, and the change of each band
    Svg,
    /// The same for chat and issues
    Png,
    /// The same for papers
    Pdf,
    /// The same for LaTeX with dvips
    Eps,
    /// A page for exploring both runs, with the change of each band
    Html,
}

impl TextFormat for Format {}

impl Format {
    /// Whether it has the picture of two runs.
    pub fn is_picture(self) -> bool {
        !matches!(self, Format::Txt | Format::Md | Format::Json | Format::Html)
    }
}
