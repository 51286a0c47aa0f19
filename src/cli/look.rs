//! What a chart looks like, whatever file it goes to, and the bytes of that file.

use std::fs;
use std::path::Path;

use heapviz::chart::Chart;
use heapviz::draw::{DrawOptions, Heading};
use heapviz::input::ReadError;
use heapviz::profile::Advice;
use heapviz::render::{EpsOptions, PdfOptions, PngOptions, Purpose, Rendered, SvgOptions};
use heapviz::report::ReportOptions;
use heapviz::scene::{Fonts, Theme};
use heapviz::slice::Slice;
use heapviz::{draw, export, render, report as html};

use super::failure::Failure;
use super::target::Format;

/// What all charts of a call look like.
#[derive(Clone, Debug)]
pub struct Look {
    /// What is drawn, and how.
    pub scene: DrawOptions,
    /// Its colours; `None` leaves them to the reader where the format can.
    pub theme: Option<Theme>,
    /// Image pixels for each pixel of a picture.
    pub scale: f64,
    /// What text is drawn with.
    pub fonts: Fonts,
}

/// A profile on its way to a file.
#[derive(Clone, Copy)]
pub struct Drawn<'a> {
    /// What is looked at.
    pub slice: &'a Slice<'a>,
    /// Its chart.
    pub chart: &'a Chart,
    /// What would show more.
    pub advice: &'a [Advice],
}

/// The fonts of a call, with the file that was named.
///
/// # Errors
/// A file that cannot be read, or is no font.
pub fn fonts(font: Option<&Path>) -> Result<Fonts, Failure> {
    let Some(path) = font else { return Ok(Fonts::default()) };
    let named = |error: String| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| Failure::new(named(error.to_string())))?;
    Fonts::with_font(bytes)
        .map_err(|error| Failure::new(named(error.to_string())).hint(error.hint()))
}

impl Look {
    /// The bytes of a file of this format.
    ///
    /// # Errors
    /// Pictures too big for their format.
    pub fn render(&self, drawn: Drawn<'_>, format: Format) -> Result<Rendered, Failure> {
        let Drawn { slice, chart, .. } = drawn;
        let theme = self.theme;
        let fonts = self.fonts.clone();
        let scene = || draw::chart(chart, &self.scene);
        Ok(match format {
            Format::Svg => {
                render::svg(&scene(), &SvgOptions::default().with_theme(theme)).into_bytes().into()
            }
            Format::Png => {
                let options = PngOptions::default().with_scale(self.scale);
                let theme = theme.unwrap_or_default();
                render::png(&scene(), &options.with_theme(theme).with_fonts(fonts))?
            }
            Format::Pdf => {
                let options = PdfOptions::default().with_theme(theme.unwrap_or_default());
                render::pdf(&scene(), &options.with_fonts(fonts))?
            }
            Format::Eps | Format::Ps => {
                let purpose = match format {
                    Format::Ps => Purpose::Page,
                    _ => Purpose::Figure,
                };
                let options = EpsOptions::default().with_theme(theme.unwrap_or_default());
                render::eps(&scene(), &options.with_purpose(purpose))
            }
            Format::Html => self.report(drawn).into_bytes().into(),
            Format::Json => export::json::write(chart).into_bytes().into(),
            Format::Csv => export::csv::write(chart).into_bytes().into(),
            Format::Hp => {
                let mut text = Vec::new();
                export::hp::write(slice, &mut text).map_err(ReadError::Io)?;
                text.into()
            }
        })
    }

    fn report(&self, drawn: Drawn<'_>) -> String {
        let title = match &self.scene.heading.title {
            Heading::Text(text) => Some(text.clone()),
            Heading::Auto | Heading::None => None,
        };
        let DrawOptions { view, units, palette, .. } = self.scene;
        let options = ReportOptions::default()
            .with_view(view)
            .with_units(units)
            .with_palette(palette)
            .with_theme(self.theme)
            .with_heap_lines(self.scene.heap_lines.clone())
            .with_markers(self.scene.markers.clone())
            .with_advice(drawn.advice.to_vec())
            .with_title(title);
        html::write(drawn.slice, drawn.chart, &options)
    }
}
