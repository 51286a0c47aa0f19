//! The flags that say what a picture shows and what it looks like.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::base::units::UnitSystem;
use crate::cli::style::fonts;
use crate::cli::{Message, Style};
use crate::draw::{DrawOptions, Heading, Palette, TitleOptions, View};
use crate::picture::{PngOptions, Theme};
use crate::profile_view::{ActivityChoice, VerdictChoice};

/// The units of amounts of memory.
#[derive(Debug, Args)]
pub struct UnitArgs {
    /// Units of memory
    #[arg(long, value_name = "UNITS", default_value = "binary", hide_short_help = true)]
    pub units: UnitSystem,
}

/// The size and the ground of a picture.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct SizeArgs {
    /// Width in pixels, or on paper: 16cm, 120mm, 6in, 300pt [default: 960]
    #[arg(long, value_name = "LENGTH", value_parser = width)]
    width: Option<f64>,

    /// Height, as --width; the key of a low picture has fewer names [default: 540, or more for a
    /// long key]
    #[arg(long, value_name = "LENGTH", value_parser = height, hide_short_help = true)]
    height: Option<f64>,

    /// Colours for a light or a dark page; auto lets an SVG follow the reader's preference, and is
    /// light in other formats
    #[arg(long, value_name = "THEME", default_value = "auto", hide_short_help = true)]
    theme: ThemeChoice,
}

/// What a picture is painted with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PaintArgs {
    /// How to paint bands
    #[arg(long, value_name = "PALETTE", default_value = "vivid", hide_short_help = true)]
    palette: Palette,

    /// For PNG: image pixels for each pixel of the picture, 0.25 to 8; 2 suits high-resolution
    /// screens [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = scale, hide_short_help = true)]
    scale: Option<f64>,

    /// For PNG and PDF: a .ttf or .otf font to draw text with
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    font: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct ViewArgs {
    /// What to draw [default: stacked; flame for an input without heap samples]
    #[arg(long, value_name = "VIEW")]
    pub view: Option<ViewChoice>,

    #[command(flatten)]
    pub units: UnitArgs,

    #[command(flatten)]
    size: SizeArgs,
}

/// Everything else that a picture shows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PictureArgs {
    #[command(flatten)]
    paint: PaintArgs,

    #[command(flatten)]
    draw: DrawOptions,

    /// Title, in place of the profiled command line
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title", hide_short_help = true)]
    title: Option<String>,

    /// Line under the title, in place of facts about the run
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title", hide_short_help = true)]
    subtitle: Option<String>,

    /// Leave out the title and the line under it
    #[arg(long, hide_short_help = true)]
    no_title: bool,

    /// For HTML: the address at which the source can be read, with {file} and {line} in it, such as
    /// 'https://example.org/app/{file}#L{line}'; places in the page become links
    #[arg(long, value_name = "ADDRESS", value_parser = source_url, hide_short_help = true)]
    source_url: Option<String>,

    /// Do not report what grows, neither on the chart nor after drawing
    #[arg(long, hide_short_help = true)]
    no_verdict: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ThemeChoice {
    Auto,
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ViewChoice {
    /// Bands, one on top of the other
    Stacked,
    /// Each band as a line from zero
    Lines,
    /// Bands as shares of the total of each sample
    Percent,
    /// Call stacks at one instant, or of a time profile
    Flame,
}

fn width(text: &str) -> Result<f64, String> {
    length(text, DrawOptions::WIDTHS)
}

fn height(text: &str) -> Result<f64, String> {
    length(text, DrawOptions::HEIGHTS)
}

fn length(text: &str, bounds: RangeInclusive<f64>) -> Result<f64, String> {
    let pixels = pixels(text).map_err(|error| {
        error + "; give pixels (960) or a length on paper (12cm, 120mm, 8in, 300pt)"
    })?;
    match bounds.contains(&pixels) {
        true => Ok(pixels),
        false => Err(format!(
            "{pixels:.0} pixels are not between {} and {}",
            bounds.start(),
            bounds.end()
        )),
    }
}

/// A length in pixels of CSS, of which 96 are an inch on paper: `960`, `960px`, `12cm`, `120mm`, `8in` or `300pt`.
/// Blanks may be before the unit.
fn pixels(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let in_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-');
    let end = text.find(|c| !in_number(c)).unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let number: f64 =
        number.parse().map_err(|_| format!("`{text}` does not begin with a number"))?;
    let pixels = number
        * match unit.to_ascii_lowercase().as_str() {
            "" | "px" => 1.0,
            "in" => 96.0,
            "cm" => 96.0 / 2.54,
            "mm" => 96.0 / 25.4,
            "pt" => 96.0 / 72.0,
            _ => return Err(format!("`{unit}` is not a unit of length")),
        };
    match pixels > 0.0 && pixels.is_finite() {
        true => Ok(pixels),
        false => Err(format!("`{text}` is not a length above zero")),
    }
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if PngOptions::SCALES.contains(&scale) => Ok(scale),
        _ => Err(format!(
            "expected a number from {} to {}",
            PngOptions::SCALES.start(),
            PngOptions::SCALES.end()
        )),
    }
}

fn source_url(text: &str) -> Result<String, String> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    match is_web && text.contains("{file}") {
        true => Ok(text.to_owned()),
        false => {
            Err("expected an address that begins with https:// and has {file} in it".to_owned())
        }
    }
}

impl SizeArgs {
    pub fn on(&self, style: &mut Style) {
        let draw = &mut style.draw;
        draw.width = self.width.unwrap_or(draw.width);
        if let Some(height) = self.height {
            // A given height is never exceeded.
            (draw.height, draw.max_height) = (height, height);
        }
        style.theme = match self.theme {
            ThemeChoice::Auto => None,
            ThemeChoice::Light => Some(Theme::Light),
            ThemeChoice::Dark => Some(Theme::Dark),
        };
    }
}

impl PaintArgs {
    /// # Errors
    /// A font file that cannot be read, is too large, or is not a font.
    pub fn on(&self, style: &mut Style) -> Result<(), Message> {
        style.draw.palette = self.palette;
        style.png.scale = self.scale.unwrap_or(style.png.scale);
        style.png.fonts = fonts(self.font.as_deref())?;
        Ok(())
    }
}

impl ViewArgs {
    pub fn on(&self, style: &mut Style) {
        style.draw.view = match self.view {
            Some(ViewChoice::Stacked | ViewChoice::Flame) | None => View::Stacked,
            Some(ViewChoice::Lines) => View::Lines,
            Some(ViewChoice::Percent) => View::Percent,
        };
        style.draw.units = self.units.units;
        self.size.on(style);
    }
}

impl PictureArgs {
    /// Applies the flags to a style without other flags.
    ///
    /// # Errors
    /// A font file that cannot be read, is too large, or is not a font.
    pub fn on(&self, style: &mut Style) -> Result<(), Message> {
        let heading = |text: &Option<String>| match text {
            _ if self.no_title => Heading::None,
            Some(text) => Heading::Text(text.clone()),
            None => Heading::Auto,
        };
        style.draw = self.draw.clone();
        style.draw.heading =
            TitleOptions { title: heading(&self.title), subtitle: heading(&self.subtitle) };
        style.page.source_url.clone_from(&self.source_url);
        self.paint.on(style)
    }

    pub fn verdict(&self) -> VerdictChoice {
        if self.no_verdict { VerdictChoice::Hide } else { VerdictChoice::Show }
    }
}

/// Whether charts with these options show what the run-time system did.
pub fn activity(options: &DrawOptions) -> ActivityChoice {
    match options.panels.is_empty() {
        true => ActivityChoice::LeaveOut,
        false => ActivityChoice::Include,
    }
}
