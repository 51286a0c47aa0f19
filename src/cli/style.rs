//! What all documents of one command line look like.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use super::{Message, Sources, user_file};
use crate::base::text::visible;
use crate::draw::{DrawOptions, RootPlace};
use crate::export::json::RunLabels;
use crate::picture::{Fonts, MissingCharacters, PngOptions, Theme};
use crate::profile_view::ProfileView;
use crate::report::{ReportOptions, ReportRun};

/// What all documents of one command line look like.
#[derive(Clone, Debug, Default)]
pub struct Style {
    pub draw: DrawOptions,
    /// Where the root of flame graphs is.
    pub root: RootPlace,
    /// What pages have that charts do not.
    pub page: ReportOptions,
    /// The colours; `None` leaves them to the reader where the format can.
    pub theme: Option<Theme>,
    /// PNG images. Its fonts are those of PDF, too.
    pub png: PngOptions,
    /// Where the lines of source are that texts show.
    pub sources: Sources,
    /// Whether pictures and pages are opened when they are written.
    pub opens: bool,
    /// What the user says about the runs.
    pub labels: BTreeMap<String, String>,
}

/// How many places are looked up at most: there can be any number of bands, and every place may be in another
/// file.
const MOST_PLACES: usize = 500;

/// Fonts with all Chinese characters have 20 to 30 MB.
const MOST_FONT_MIB: u64 = 64;

/// The fonts of a command line, including the file that it names.
///
/// # Errors
/// A file that cannot be read, is too large, or is not a font.
pub fn fonts(font: Option<&Path>) -> Result<Fonts, Message> {
    let Some(path) = font else { return Ok(Fonts::default()) };
    let named = |error: String| format!("{}: {error}", path.display());
    let bytes = user_file::bytes(path, MOST_FONT_MIB).map_err(|error| {
        let failure = Message::error(named(error.to_string()));
        if error.kind() == io::ErrorKind::FileTooLarge {
            failure.hint("give one font, a .ttf or .otf file")
        } else if error.kind() == io::ErrorKind::NotFound {
            failure.hint("--font takes the path of a .ttf or .otf file, not the name of a font")
        } else {
            failure
        }
    })?;
    Fonts::with_font(bytes)
        .map_err(|error| Message::error(named(error.to_string())).hint(error.hint()))
}

/// A message that a picture lacks characters, and what to do; `None` if it has all.
pub fn missing(missing: &MissingCharacters) -> Option<Message> {
    let hint = format!("{} (--font FILE)", missing.hint());
    (!missing.is_empty()).then(|| Message::warning(missing).hint(hint))
}

impl Style {
    /// What distinguishes a run from others.
    pub fn identity(&self, run: &ProfileView<'_>) -> RunLabels {
        RunLabels { file: run.file().map(str::to_owned), labels: self.labels.clone() }
    }

    /// How the page of a run begins.
    pub fn report(&self, run: &ProfileView<'_>) -> ReportOptions {
        ReportOptions {
            draw: self.draw.clone(),
            theme: self.theme,
            source_lines: self.source_lines(run),
            ..self.page.clone()
        }
    }

    /// The lines of source of the suspects and the bands that are drawn, by their places.
    fn source_lines(&self, run: &ProfileView<'_>) -> BTreeMap<String, String> {
        if self.sources.is_empty() {
            return BTreeMap::new();
        }
        let slice = run.slice();
        let suspects = run.account().suspects.iter().filter_map(|suspect| suspect.place.clone());
        let mut places: BTreeSet<String> = suspects.collect();
        // Here, too, the top comes first.
        'enough: for &row in run.ranking().kept.iter().rev() {
            for &band in slice.members(row).iter() {
                if places.len() >= MOST_PLACES {
                    break 'enough;
                }
                places.extend(slice.band(band).frames().map(|frame| frame.place.clone()));
            }
        }
        let line = |place: String| Some((visible(&place), self.sources.line(&place)?.text));
        places.into_iter().filter_map(line).collect()
    }

    /// Hands several runs to a writer of pages.
    pub fn with_runs(
        &self,
        runs: &[(String, &ProfileView<'_>)],
        write: impl FnOnce(&[ReportRun<'_>]) -> String,
    ) -> String {
        // Whoever asks for the verdict alone would find it once more.
        for (_, run) in runs {
            run.analysis();
        }
        let options: Vec<_> = runs.iter().map(|(_, run)| self.report(run)).collect();
        let runs: Vec<ReportRun<'_>> = runs
            .iter()
            .zip(&options)
            .map(|((name, run), options)| ReportRun::new(name, run, options))
            .collect();
        write(&runs)
    }
}
