//! Time and allocation reports (`.prof`) as text (`-p`, `-P`, `-pa`), with the lines that a retainer profile
//! (`-hr`) puts before and after them. A report as JSON (`-pj`) is refused: the text has the same.
//!
//! ```text
//! bytes -> lines before the report -> text.rs -> ProfileBuilder::call…
//!      \-> retainers.rs: censuses and sets
//! ```
//!
//! A report is written at exit in one go and is small, so it is read completely, up to the limit on
//! texts.

mod retainers;
mod text_report;

use std::borrow::Cow;

use crate::incident::error::Error;
use crate::profile::ProfileBuilder;

use text_report::ReportLines;
pub use text_report::{CENSUS, SETS, TITLE};

/// Decodes a report that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub struct ProfDecoder {
    bytes: Vec<u8>,
}

impl ProfDecoder {
    /// A decoder at the start of a report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the report, however many.
    ///
    /// # Errors
    /// [`Error::OverLimit`] for a report longer than the limit on all texts.
    pub fn feed(&mut self, bytes: &[u8], profile: &mut ProfileBuilder) -> Result<(), Error> {
        let limit = profile.limits.all_texts;
        if self.bytes.len() + bytes.len() > limit {
            return Err(Error::OverLimit { most: limit, things: "bytes in the report" });
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the report, and reads it.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::Report`] when the report stops inside its header, [`Error::ReportJson`],
    /// [`Error::OverLimit`].
    pub fn finish(self, profile: &mut ProfileBuilder) -> Result<(), Error> {
        if self.bytes.is_empty() {
            return Err(Error::Empty);
        }
        // The search for bytes that are no text takes ten times as long.
        let text = std::str::from_utf8(&self.bytes);
        let text = text.map_or_else(|_| String::from_utf8_lossy(&self.bytes), Cow::Borrowed);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let lines = ReportLines::new(text);
        let is_body = |&at: &usize| lines.get(at).contains(TITLE) || lines.get(at).starts_with('{');
        if let Some(at) = (0..lines.len()).find(is_body) {
            if !lines.get(at).contains(TITLE) {
                return Err(Error::ReportJson { line: at as u64 + 1 });
            }
            text_report::read(&lines, at, profile)?;
        }
        retainers::read(&lines, profile);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
