//! What a chart looks like in any format, and the bytes of its file.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use heapviz::analysis::Analysis;
use heapviz::analysis::compare::Comparison;
use heapviz::chart::Chart;
use heapviz::draw::DrawOptions;
use heapviz::input::ReadError;
use heapviz::profile::Advice;
use heapviz::render::{MissingCharacters, Rendered, SvgOptions, svg_to};
use heapviz::report::{ReportOptions, ReportRun, TreeStart, VerdictChoice};
use heapviz::scene::{Fonts, Theme};
use heapviz::slice::Slice;
use heapviz::{draw, export, report as html};

use super::args::paper::PaperArgs;
use super::failure::Failure;
use super::given;
use super::message::Message;
use super::output::{self, Delivery};
use super::picture;
use super::target::{Format, Target};

/// What all charts of one command line look like.
#[derive(Clone, Debug)]
pub struct Look {
    /// What is drawn, and how.
    pub scene: DrawOptions,
    /// Its colours; `None` leaves them to the reader where the format can.
    pub theme: Option<Theme>,
    /// Image pixels for each pixel of a picture.
    pub scale: f64,
    /// The fonts of texts.
    pub fonts: Fonts,
    /// The address that places in a report link to.
    pub source_url: Option<String>,
    /// Whether a report shows the verdict.
    pub verdict: VerdictChoice,
    /// How the tree of a report begins.
    pub tree: TreeStart,
}

/// A profile on its way to a file.
#[derive(Clone, Copy)]
pub struct Drawn<'a> {
    /// The view of the profile.
    pub slice: &'a Slice<'a>,
    /// Its chart.
    pub chart: &'a Chart,
    /// What would show more.
    pub advice: &'a [Advice],
    /// Its analysis, if there is one already.
    pub analysis: Option<&'a Analysis>,
}

/// Fonts with all Chinese characters have 20 to 30 MB.
const MOST_FONT_MIB: u64 = 64;

/// The fonts of a command line, including the file that it names.
///
/// # Errors
/// A file that cannot be read, is too large, or is not a font.
pub fn fonts(font: Option<&Path>) -> Result<Fonts, Failure> {
    let Some(path) = font else { return Ok(Fonts::default()) };
    let named = |error: String| format!("{}: {error}", path.display());
    let bytes = given::bytes(path, MOST_FONT_MIB).map_err(|error| {
        let failure = Failure::new(named(error.to_string()));
        match error.kind() {
            io::ErrorKind::FileTooLarge => failure.hint("give one font, a .ttf or .otf file"),
            io::ErrorKind::NotFound => {
                failure.hint("--font takes the path of a .ttf or .otf file, not the name of a font")
            }
            _ => failure,
        }
    })?;
    Fonts::with_font(bytes)
        .map_err(|error| Failure::new(named(error.to_string())).hint(error.hint()))
}

/// A message that a picture lacks characters, and what to do; `None` if it has all.
pub fn missing(missing: &MissingCharacters) -> Option<Message> {
    let flag = if missing.would_a_font_help() { " (--font FILE)" } else { "" };
    let hint = format!("{}{flag}", missing.hint());
    (!missing.is_empty()).then(|| Message::warning(missing).hint(hint))
}

impl Look {
    /// The look for a command line, including the font file that it names.
    ///
    /// # Errors
    /// A font file that cannot be read, is too large, or is not a font.
    pub fn new(scene: DrawOptions, paper: &PaperArgs) -> Result<Self, Failure> {
        let (fonts, source_url) = (fonts(paper.font.as_deref())?, None);
        let (theme, scale, verdict) = (paper.theme(), paper.scale(), VerdictChoice::Show);
        Ok(Look { scene, theme, scale, fonts, source_url, verdict, tree: TreeStart::default() })
    }

    /// Writes a target, and returns which characters it could not show. Formats that need not be
    /// complete in memory are written piece by piece.
    ///
    /// # Errors Pictures too big for their format, and the system's errors.
    pub fn write(
        &self,
        drawn: Drawn<'_>,
        target: &Target,
    ) -> Result<(Delivery, MissingCharacters), Failure> {
        let Drawn { slice, chart, .. } = drawn;
        let streamed = match target.format {
            Format::Hp => {
                output::write_with(&target.output, |mut out| export::hp::write(slice, &mut out))?
            }
            Format::Json => {
                let analysis = drawn.analysis();
                output::write_with(&target.output, |out| {
                    export::json::write_to(chart, slice, &analysis, out)
                })?
            }
            Format::Csv => {
                output::write_with(&target.output, |out| export::csv::write_to(chart, out))?
            }
            Format::Svg => {
                let scene = draw::chart(chart, &self.scene);
                let options = SvgOptions::default().with_theme(self.theme);
                output::write_with(&target.output, |out| svg_to(&scene, &options, out))?
            }
            _ => {
                let rendered = self.render(drawn, target.format)?;
                return Ok((output::write(&target.output, &rendered.bytes)?, rendered.missing));
            }
        };
        Ok((streamed, MissingCharacters::default()))
    }

    /// The bytes of a file of this format.
    ///
    /// # Errors
    /// Pictures too big for their format.
    pub fn render(&self, drawn: Drawn<'_>, format: Format) -> Result<Rendered, Failure> {
        let Drawn { slice, chart, .. } = drawn;
        Ok(match format {
            // A page shows samples; without samples, a picture shows what else the input has.
            Format::Html if Self::has_report(slice) => self.report(drawn).into_bytes().into(),
            Format::Json => {
                export::json::write(chart, slice, &drawn.analysis()).into_bytes().into()
            }
            Format::Csv => export::csv::write(chart).into_bytes().into(),
            Format::Hp => {
                let mut text = Vec::new();
                export::hp::write(slice, &mut text).map_err(ReadError::Io)?;
                text.into()
            }
            format => {
                let scene = draw::chart(chart, &self.scene);
                picture::render(&scene, format, &self.picture())?
            }
        })
    }

    /// The part that applies to any picture.
    pub fn picture(&self) -> picture::Look<'_> {
        picture::Look { theme: self.theme, scale: self.scale, fonts: &self.fonts }
    }

    /// The data of a report, for a page that is served.
    #[cfg(feature = "web")]
    pub fn islands(&self, drawn: Drawn<'_>) -> html::Islands {
        let options = self.report_options(drawn.advice);
        html::islands(drawn.slice, drawn.chart, &drawn.analysis(), &options)
    }

    /// Whether its page is a report: without samples and without a call tree it is a picture.
    pub fn has_report(slice: &Slice<'_>) -> bool {
        !slice.is_empty() || !slice.profile().calls.is_empty()
    }

    /// How a report begins.
    fn report_options(&self, advice: &[Advice]) -> ReportOptions {
        let DrawOptions { view, x, columns, scale, units, palette, .. } = self.scene;
        ReportOptions::default()
            .with_view(view)
            .with_x(x)
            .with_scale(scale)
            .with_columns(columns)
            .with_units(units)
            .with_palette(palette)
            .with_theme(self.theme)
            .with_heap_lines(self.scene.heap_lines.clone())
            .with_markers(self.scene.markers.clone())
            .with_advice(advice.to_vec())
            .with_heading(self.scene.heading.clone())
            .with_verdict(self.verdict)
            .with_source_url(self.source_url.clone())
            .with_tree(self.tree.clone())
    }

    fn report(&self, drawn: Drawn<'_>) -> String {
        let options = self.report_options(drawn.advice);
        html::write(drawn.slice, drawn.chart, &drawn.analysis(), &options)
    }

    /// One page of several runs, with their names.
    pub fn report_of_runs(&self, runs: &[Drawn<'_>], names: &[String]) -> String {
        self.with_runs(runs, names, html::write_runs)
    }

    /// One page of a run before and a run after, with their names and their comparison.
    pub fn comparison(
        &self,
        runs: &[Drawn<'_>; 2],
        names: &[String],
        comparison: &Comparison,
    ) -> String {
        self.with_runs(runs, names, |runs| html::write_comparison([runs[0], runs[1]], comparison))
    }

    fn with_runs(
        &self,
        runs: &[Drawn<'_>],
        names: &[String],
        write: impl FnOnce(&[ReportRun<'_>]) -> String,
    ) -> String {
        let analyses: Vec<_> = runs.iter().map(Drawn::analysis).collect();
        let options: Vec<_> = runs.iter().map(|run| self.report_options(run.advice)).collect();
        let runs: Vec<ReportRun<'_>> = runs
            .iter()
            .zip(names)
            .zip(analyses.iter().zip(&options))
            .map(|((run, name), (analysis, options))| {
                let Drawn { slice, chart, .. } = *run;
                ReportRun::new(name, slice, chart, analysis, options)
            })
            .collect();
        write(&runs)
    }
}

impl Drawn<'_> {
    fn analysis(&self) -> Cow<'_, Analysis> {
        match self.analysis {
            Some(analysis) => Cow::Borrowed(analysis),
            None => Cow::Owned(Analysis::of(self.slice)),
        }
    }
}
