//! The flags that say what a picture shows and what it looks like.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::base::length::{Length, LengthError};
use crate::base::units::{Bytes, Nanos, UnitSystem};
use crate::chart::columns::ColumnKind;
use crate::draw::{
    DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages, Palette,
    PanelChoice, SameScale, Scale, TitleOptions, View, XAxis,
};
use crate::kit::look::{Look, fonts};
use crate::kit::verb::Failure;
use crate::picture::PngOptions;
use crate::picture::Theme;
use crate::run::{ActivityChoice, VerdictChoice};

/// The units of amounts of memory.
#[derive(Debug, Args)]
pub struct UnitArgs {
    /// Units of memory
    #[arg(long, value_name = "UNITS", default_value = "binary", hide_short_help = true)]
    units: UnitSystem,
}

impl UnitArgs {
    pub fn units(&self) -> UnitSystem {
        self.units
    }
}

/// The size and the ground of a picture.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct SizeArgs {
    /// Width in pixels, or on paper: 16cm, 120mm, 6in, 300pt [default: 960]
    #[arg(long, value_name = "LENGTH", value_parser = width)]
    width: Option<Length>,

    /// Height, as --width; the key of a low picture has fewer names [default: 540, or more for a
    /// long key]
    #[arg(long, value_name = "LENGTH", value_parser = height)]
    height: Option<Length>,

    /// Colours for a light or a dark page; auto lets an SVG follow the reader's preference, and is
    /// light in other formats
    #[arg(long, value_name = "THEME", default_value = "auto")]
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
    view: Option<ViewChoice>,

    #[command(flatten)]
    units: UnitArgs,

    #[command(flatten)]
    size: SizeArgs,
}

/// Everything else that a picture shows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PictureArgs {
    #[command(flatten)]
    paint: PaintArgs,

    /// What the horizontal axis shows
    #[arg(long, value_name = "WHAT", default_value = "time", hide_short_help = true)]
    x: XAxis,

    /// How to draw samples that are closer together than pixels
    #[arg(long, value_name = "KIND", default_value = "mean", hide_short_help = true)]
    columns: ColumnKind,

    /// Where to put the key (the legend)
    #[arg(long, value_name = "PLACE", default_value = "auto", hide_short_help = true)]
    key: KeyPlace,

    /// Draw the run-time system's own figures as lines, when the log has them: auto, all, none, or a
    /// list of size,live,blocks
    #[arg(long, value_name = "LINES", default_value = "auto", hide_short_help = true)]
    heap_lines: HeapLines,

    /// Small charts of the run-time system below the bands: none, auto (all that the log has), or
    /// some of gc,memory,alloc; a log without samples is drawn as these alone
    #[arg(long, value_name = "PANELS", default_value = "none", hide_short_help = true)]
    panels: PanelChoice,

    /// Which markers to draw: all, none, or those whose text matches a regular expression
    #[arg(long, value_name = "REGEX", default_value = "all", hide_short_help = true)]
    markers: MarkerPattern,

    /// Draw messages (traceEvent) as markers too
    #[arg(long, hide_short_help = true)]
    messages: bool,

    /// Right end of the time axis: 90s, 2min
    #[arg(long, value_name = "TIME", value_parser = time_end, hide_short_help = true)]
    x_max: Option<Nanos>,

    /// Upper end of the memory axis: 80M, 1.5GiB
    #[arg(long, value_name = "BYTES", value_parser = heap_end, hide_short_help = true)]
    y_max: Option<Bytes>,

    /// Draw all charts of this call on one scale, to compare them
    #[arg(long, value_name = "AXES", hide_short_help = true)]
    same_scale: Option<SameScale>,

    /// Title, in place of the profiled command line
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
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

/// What a picture shows.
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

fn width(text: &str) -> Result<Length, String> {
    length(text, DrawOptions::WIDTHS)
}

fn height(text: &str) -> Result<Length, String> {
    length(text, DrawOptions::HEIGHTS)
}

fn length(text: &str, bounds: RangeInclusive<f64>) -> Result<Length, String> {
    let length: Length =
        text.parse().map_err(|error: LengthError| format!("{error}; {}", error.hint()))?;
    match bounds.contains(&length.as_pixels()) {
        true => Ok(length),
        false => Err(format!(
            "{:.0} pixels are not between {} and {}",
            length.as_pixels(),
            bounds.start(),
            bounds.end()
        )),
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

fn time_end(text: &str) -> Result<Nanos, String> {
    let end: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    if end <= Nanos::from_nanos(0) {
        return Err("an axis that ends at 0 shows nothing: expected a time above 0".to_owned());
    }
    Ok(end)
}

fn heap_end(text: &str) -> Result<Bytes, String> {
    let end: Bytes = text.parse().map_err(|error| format!("{error}"))?;
    if end == Bytes::new(0) {
        return Err("an axis that ends at 0 shows nothing: expected an amount above 0".to_owned());
    }
    Ok(end)
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
    /// Applies the size to the options of a chart.
    pub fn of(&self, mut options: DrawOptions) -> DrawOptions {
        options.width = self.width.map_or(options.width, Length::as_pixels);
        if let Some(height) = self.height {
            // A given height is never exceeded.
            (options.height, options.max_height) = (height.as_pixels(), height.as_pixels());
        }
        options
    }

    /// Applies the theme to a look.
    pub fn on(&self, look: &mut Look) {
        look.theme = match self.theme {
            ThemeChoice::Auto => None,
            ThemeChoice::Light => Some(Theme::Light),
            ThemeChoice::Dark => Some(Theme::Dark),
        };
    }
}

impl PaintArgs {
    /// Applies the palette to the options of a chart.
    pub fn of(&self, options: DrawOptions) -> DrawOptions {
        options.with_palette(self.palette)
    }

    /// Applies the rest to a look.
    ///
    /// # Errors
    /// A font file that cannot be read, is too large, or is not a font.
    pub fn on(&self, look: &mut Look) -> Result<(), Failure> {
        look.scale = self.scale.unwrap_or(PngOptions::default().scale);
        look.fonts = fonts(self.font.as_deref())?;
        Ok(())
    }
}

impl ViewArgs {
    /// The view that was asked for; `None` for the one that suits the input.
    pub fn view(&self) -> Option<ViewChoice> {
        self.view
    }

    /// The units of amounts of memory.
    pub fn units(&self) -> UnitSystem {
        self.units.units()
    }

    pub fn options(&self) -> DrawOptions {
        let view = match self.view {
            Some(ViewChoice::Stacked | ViewChoice::Flame) | None => View::Stacked,
            Some(ViewChoice::Lines) => View::Lines,
            Some(ViewChoice::Percent) => View::Percent,
        };
        let default = DrawOptions::default().with_view(view).with_units(self.units());
        self.size.of(default)
    }

    /// Applies the theme to a look.
    pub fn on(&self, look: &mut Look) {
        self.size.on(look);
    }
}

impl PictureArgs {
    /// Applies the flags to the options of a chart.
    pub fn of(&self, options: DrawOptions) -> DrawOptions {
        let heading = |text: &Option<String>| match text {
            _ if self.no_title => Heading::None,
            Some(text) => Heading::Text(text.clone()),
            None => Heading::Auto,
        };
        let markers = MarkerChoice::default()
            .with_pattern(self.markers.clone())
            .with_messages(if self.messages { Messages::Show } else { Messages::Hide });
        let titles = TitleOptions::default()
            .with_title(heading(&self.title))
            .with_subtitle(heading(&self.subtitle));
        self.paint
            .of(options)
            .with_x(self.x)
            .with_columns(self.columns)
            .with_scale(Scale::default().with_time_max(self.x_max).with_heap_max(self.y_max))
            .with_key(self.key)
            .with_heap_lines(self.heap_lines.clone())
            .with_panels(self.panels.clone())
            .with_markers(markers)
            .with_heading(titles)
    }

    /// Applies the rest to a look.
    ///
    /// # Errors
    /// A font file that cannot be read, is too large, or is not a font.
    pub fn on(&self, look: &mut Look) -> Result<(), Failure> {
        look.page.source_url.clone_from(&self.source_url);
        self.paint.on(look)
    }

    /// Which axes all charts have in common.
    pub fn same_scale(&self) -> Option<SameScale> {
        self.same_scale
    }

    pub fn verdict(&self) -> VerdictChoice {
        if self.no_verdict { VerdictChoice::Hide } else { VerdictChoice::Show }
    }
}

/// Whether charts with these options show what the run-time system did.
pub fn activity(options: &DrawOptions) -> ActivityChoice {
    match options.panels == PanelChoice::None && options.x != XAxis::Mutator {
        true => ActivityChoice::LeaveOut,
        false => ActivityChoice::Include,
    }
}
