//! One job after the other: read, rank, draw, write.

use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use heapviz::chart::Chart;
use heapviz::input::{ReadError, drawable, read_watched};
use heapviz::profile::{Advice, Profile, Window, advice};
use heapviz::rank::{Ranking, rank};
use heapviz::render::{
    EpsOptions, PdfError, PdfOptions, PngError, PngOptions, Purpose, Rendered, SvgOptions,
};
use heapviz::report::ReportOptions;
use heapviz::scene::{Fonts, Heading, SceneOptions, common_scale};
use heapviz::units::Bytes;
use heapviz::{export, render, report as html, scene};

use super::args::{Command, LossPolicy, Privacy, Voice};
use super::limits;
use super::output::{self, Delivery};
use super::progress::ProgressLine;
use super::report;
use super::target::{Format, Input, Job, Output};

/// Does every job; a failed one does not keep the others from being done.
pub fn run(command: &Command) -> ExitCode {
    let fonts = match fonts(command.font.as_deref()) {
        Ok(fonts) => fonts,
        Err(failure) => {
            failure.report(None);
            return ExitCode::from(1);
        }
    };
    let mut session = Session { command, fonts, scene: command.scene.clone(), failed: false };
    if let Some(which) = command.same_scale {
        // All charts are needed before the first is drawn.
        let drawings: Vec<_> = command.jobs.iter().filter_map(|job| session.read(job)).collect();
        let charts = drawings.iter().map(|drawing| &drawing.chart);
        session.scene.scale = common_scale(charts, which, &session.scene);
        let _ = drawings.iter().try_for_each(|drawing| session.draw(drawing));
    } else {
        let _ = command.jobs.iter().try_for_each(|job| match session.read(job) {
            Some(drawing) => session.draw(&drawing),
            None => Ok(()),
        });
    }
    if session.failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// The font files of a run, read before anything is drawn.
fn fonts(font: Option<&Path>) -> Result<Fonts, Failure> {
    let Some(path) = font else { return Ok(Fonts::default()) };
    let named = |error: String| format!("{}: {error}", path.display());
    let bytes =
        fs::read(path).map_err(|error| Failure { error: named(error.to_string()), hint: None })?;
    Fonts::with_font(bytes)
        .map_err(|error| Failure { error: named(error.to_string()), hint: Some(error.hint()) })
}

/// A chart on its way from its input to its output.
struct Drawing<'a> {
    job: &'a Job,
    profile: Profile,
    ranking: Ranking,
    chart: Chart,
    /// What of the input is lost, in one line.
    losses: Option<String>,
    advice: Vec<Advice>,
}

/// Nobody reads any more; what is left to do is not done.
struct ReaderGone;

/// What all jobs of a run share.
struct Session<'a> {
    command: &'a Command,
    fonts: Fonts,
    scene: SceneOptions,
    failed: bool,
}

impl Session<'_> {
    /// The drawing of a job; `None` when it failed, which is told.
    fn read<'a>(&mut self, job: &'a Job) -> Option<Drawing<'a>> {
        let drawing = read(job, self.command);
        drawing.map_err(|failure| self.fail(job, failure)).ok()
    }

    fn draw(&mut self, drawing: &Drawing<'_>) -> Result<(), ReaderGone> {
        match self.write(drawing) {
            Ok(Delivery::Taken) => Ok(()),
            Ok(Delivery::ReaderGone) => Err(ReaderGone),
            Err(failure) => {
                self.fail(drawing.job, failure);
                Ok(())
            }
        }
    }

    fn fail(&mut self, job: &Job, failure: Failure) {
        self.failed = true;
        failure.report(Some(&job.input));
    }

    fn write(&self, drawing: &Drawing<'_>) -> Result<Delivery, Failure> {
        let job = drawing.job;
        let rendered = self.render(drawing)?;
        let delivery = output::write(&job.output, &rendered.bytes)?;
        if self.command.voice == Voice::Normal {
            report::warn(&job.input, drawing.losses.as_deref(), &drawing.profile.incidents);
            report::advise(&job.input, &drawing.advice);
            // This format has all bands, whatever is drawn.
            if job.format != Format::Hp {
                report::bare(&job.input, &drawing.chart);
            }
            report::missing(&job.input, &rendered.missing);
            report::say(report::summary(&job.input, &job.output, &drawing.chart));
        }
        Ok(delivery)
    }

    fn render(&self, drawing: &Drawing<'_>) -> Result<Rendered, Failure> {
        let theme = self.command.theme;
        let fonts = self.fonts.clone();
        let scene = || scene::draw(&drawing.chart, &self.scene);
        Ok(match drawing.job.format {
            Format::Svg => render::svg(&scene(), &SvgOptions { theme }).into_bytes().into(),
            Format::Png => {
                let theme = theme.unwrap_or_default();
                render::png(&scene(), &PngOptions { scale: self.command.scale, theme, fonts })?
            }
            Format::Pdf => {
                let theme = theme.unwrap_or_default();
                render::pdf(&scene(), &PdfOptions { theme, fonts })?
            }
            Format::Eps | Format::Ps => {
                let purpose = match drawing.job.format {
                    Format::Ps => Purpose::Page,
                    _ => Purpose::Figure,
                };
                render::eps(&scene(), &EpsOptions { theme: theme.unwrap_or_default(), purpose })
            }
            Format::Html => {
                let title = match &self.scene.heading.title {
                    Heading::Text(text) => Some(text.clone()),
                    Heading::Auto | Heading::None => None,
                };
                let SceneOptions { view, units, palette, .. } = self.scene;
                let heap_lines = self.scene.heap_lines.clone();
                let markers = self.scene.markers.clone();
                let Drawing { profile, ranking, chart, advice, .. } = drawing;
                let advice = advice.clone();
                let options = ReportOptions {
                    view,
                    units,
                    palette,
                    theme,
                    heap_lines,
                    markers,
                    advice,
                    title,
                };
                html::write(profile, ranking, chart, &options).into_bytes().into()
            }
            Format::Json => export::json::write(&drawing.chart).into_bytes().into(),
            Format::Csv => export::csv::write(&drawing.chart).into_bytes().into(),
            Format::Hp => {
                let mut text = Vec::new();
                export::hp::write(&drawing.profile, &mut text).map_err(ReadError::Io)?;
                text.into()
            }
        })
    }
}

fn read<'a>(job: &'a Job, command: &Command) -> Result<Drawing<'a>, Failure> {
    output::refuse_inputs(&job.output, command.jobs.iter().map(|job| &job.input))?;
    if job.output == Output::Stdout && job.input == Input::Stdin && io::stdout().is_terminal() {
        let error = "the chart would go to the terminal".to_owned();
        return Err(Failure { error, hint: Some("name a file: heapviz - -o heap.svg") });
    }
    let profile = match &job.input {
        Input::Stdin => read_telling(io::stdin().lock(), None, command)?,
        Input::File(path) => {
            let file = open(path)?;
            let size =
                file.metadata().ok().filter(|about| about.is_file()).map(|about| about.len());
            read_telling(file, size.map(Bytes::new), command)?
        }
    };
    let (losses, advice) = (profile.loss_summary(), advice(&profile));
    if let (Some(losses), LossPolicy::Refuse) = (&losses, command.losses) {
        let error = format!("not whole: {losses}");
        return Err(Failure { error, hint: Some("without --strict the rest of it is drawn") });
    }
    let profile = match command.privacy {
        Privacy::Show => profile,
        Privacy::Redact => profile.redacted(),
    };
    let profile = match command.window == Window::default() {
        true => profile,
        false => profile.narrowed(&command.window).map_err(ReadError::Decode)?,
    };
    let ranking = rank(&profile, &command.rank);
    let chart = Chart::new(&profile, &ranking);
    Ok(Drawing { job, profile, ranking, chart, losses, advice })
}

/// Reads a profile that can be drawn, telling on a terminal how far it is.
fn read_telling(
    source: impl io::Read,
    size: Option<Bytes>,
    command: &Command,
) -> Result<Profile, ReadError> {
    let mut line = match command.voice {
        Voice::Normal => ProgressLine::on_terminal(size),
        Voice::Quiet => None,
    };
    let profile = read_watched(source, &command.input, |progress| {
        if let Some(line) = &mut line {
            line.update(progress);
        }
    })?;
    drawable(profile).map_err(|error| match command.privacy {
        Privacy::Show => error,
        Privacy::Redact => error.redacted(),
    })
}

fn open(path: &Path) -> Result<File, ReadError> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder").into());
    }
    Ok(File::open(path)?)
}

/// Why a job was not done.
struct Failure {
    error: String,
    hint: Option<&'static str>,
}

impl Failure {
    fn report(&self, input: Option<&Input>) {
        report::fail(input, &self.error, self.hint);
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let hint = error.hint().or_else(|| error.limit().map(limits::hint));
        Failure { error: error.to_string(), hint }
    }
}

impl From<PngError> for Failure {
    fn from(error: PngError) -> Self {
        Failure { error: error.to_string(), hint: error.hint() }
    }
}

impl From<PdfError> for Failure {
    fn from(error: PdfError) -> Self {
        Failure { error: error.to_string(), hint: None }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        let system = error.downcast_ref::<io::Error>().map(io::Error::kind);
        let hint = system.and_then(|kind| match kind {
            io::ErrorKind::NotFound => Some("make the folder first, or name another with -o FILE"),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Some("name a place where you may write with -o FILE")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some("make room, or name a place on another disk with -o FILE")
            }
            _ => None,
        });
        Failure { error: format!("{error:#}"), hint }
    }
}
