//! The flags that say what a picture looks like.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use heapviz::draw::{
    ColumnKind, DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages,
    Palette, PanelChoice, SameScale, Scale, TitleOptions, View, XAxis,
};
use heapviz::length::{Length, LengthError};
use heapviz::render::PngOptions;
use heapviz::scene::Theme;
use heapviz::units::{Bytes, Nanos, UnitSystem};

/// What a picture looks like.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PictureArgs {
    /// What to draw: stacked bands, lines (each band from zero), percent (of the total of each
    /// sample), or flame (call stacks at one instant, or of a time profile) [default: stacked; flame
    /// for an input without heap samples]
    #[arg(long, value_name = "VIEW")]
    pub view: Option<ViewChoice>,

    /// What the horizontal axis shows: time, mutator (elapsed time without collections) or sample
    #[arg(long, value_name = "WHAT", default_value = "time")]
    x: XAxis,

    /// How to draw samples that are closer together than pixels: as columns that show the mean, the
    /// floor (the sample with the smallest total: what survives) or the peak (the largest), or every
    /// sample
    #[arg(long, value_name = "KIND", default_value = "mean")]
    columns: ColumnKind,

    /// Width in pixels, or on paper: 16cm, 120mm, 6in, 300pt [default: 960]
    #[arg(long, value_name = "LENGTH", value_parser = width)]
    width: Option<Length>,

    /// Height, as --width; a low picture has fewer names in its key [default: 540, or more for a
    /// long key]
    #[arg(long, value_name = "LENGTH", value_parser = height)]
    height: Option<Length>,

    /// Colours for a light or a dark page; auto lets an SVG follow the reader's preference, and is
    /// light in other formats
    #[arg(long, value_name = "THEME", default_value = "auto")]
    theme: ThemeChoice,

    /// How to paint bands
    #[arg(long, value_name = "PALETTE", default_value = "vivid")]
    palette: PaletteChoice,

    /// Where to put the key: right, below or none
    #[arg(long, value_name = "PLACE", default_value = "right")]
    key: KeyPlace,

    /// Draw the run-time system's own figures as lines, when the log has them: auto, all, none, or a
    /// list of size,live,blocks
    #[arg(long, value_name = "LINES", default_value = "auto")]
    heap_lines: HeapLines,

    /// Small charts of the run-time system below the bands: none, auto (all that the log has), or
    /// some of gc,memory,alloc,nonmoving
    #[arg(long, value_name = "PANELS", default_value = "none")]
    panels: PanelChoice,

    /// Which markers to draw: all, none, or those whose text matches a regular expression
    #[arg(long, value_name = "REGEX", default_value = "all")]
    markers: MarkerPattern,

    /// Draw messages (traceEvent) as markers too
    #[arg(long)]
    messages: bool,

    /// Units of memory: binary (KiB, MiB) or si (kB, MB)
    #[arg(long, value_name = "UNITS", default_value = "binary")]
    units: Units,

    /// Right end of the time axis: 90s, 2min
    #[arg(long, value_name = "TIME", value_parser = time_end)]
    x_max: Option<Nanos>,

    /// Upper end of the memory axis: 80M, 1.5GiB
    #[arg(long, value_name = "BYTES", value_parser = heap_end)]
    y_max: Option<Bytes>,

    /// Draw all charts of this call to one scale, to compare them: x, y or both
    #[arg(long, value_name = "AXES")]
    pub same_scale: Option<SameScale>,

    /// Title, in place of the profiled command line
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    title: Option<String>,

    /// Line under the title, in place of facts about the run
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    subtitle: Option<String>,

    /// Leave out the title and the line under it
    #[arg(long)]
    no_title: bool,

    /// For HTML: where sources can be read, with {file} and {line} in it, such as
    /// 'https://example.org/app/{file}#L{line}'; places in the page become links
    #[arg(long, value_name = "ADDRESS", value_parser = source_url)]
    pub source_url: Option<String>,

    /// For PNG: image pixels for each pixel of the picture, 0.25 to 8; 2 suits high-resolution
    /// screens [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = scale)]
    pub scale: Option<f64>,

    /// For PNG and PDF: a .ttf or .otf font to draw text with
    #[arg(long, value_name = "FILE")]
    pub font: Option<PathBuf>,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewChoice {
    /// Bands over time.
    Chart(View),
    /// Stacks.
    Flame,
}

impl FromStr for ViewChoice {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "flame" => Ok(ViewChoice::Flame),
            word => {
                let view: Result<View, _> = word.parse();
                view.map(ViewChoice::Chart)
                    .map_err(|_| format!("`{word}` is not one of stacked, lines, percent, flame"))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ThemeChoice {
    Auto,
    Light,
    Dark,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PaletteChoice {
    /// Many colours
    Vivid,
    /// Colour-blind-safe colours
    Safe,
    /// Shades of grey
    Grey,
    /// Hatches, for black-and-white print
    Patterns,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Units {
    /// KiB, MiB, GiB
    Binary,
    /// kB, MB, GB
    Si,
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

impl PictureArgs {
    /// Image pixels for each pixel of a picture.
    pub fn scale(&self) -> f64 {
        self.scale.unwrap_or(PngOptions::default().scale)
    }

    /// The colours asked for; `None` leaves them to the reader.
    pub fn theme(&self) -> Option<Theme> {
        match self.theme {
            ThemeChoice::Auto => None,
            ThemeChoice::Light => Some(Theme::Light),
            ThemeChoice::Dark => Some(Theme::Dark),
        }
    }

    /// The options of the scene.
    pub fn options(&self) -> DrawOptions {
        let default = DrawOptions::default();
        let heading = |text: &Option<String>| match text {
            _ if self.no_title => Heading::None,
            Some(text) => Heading::Text(text.clone()),
            None => Heading::Auto,
        };
        let units = match self.units {
            Units::Binary => UnitSystem::Binary,
            Units::Si => UnitSystem::Si,
        };
        let palette = match self.palette {
            PaletteChoice::Vivid => Palette::Vivid,
            PaletteChoice::Safe => Palette::Safe,
            PaletteChoice::Grey => Palette::Grey,
            PaletteChoice::Patterns => Palette::Patterns,
        };
        let markers = MarkerChoice::default()
            .with_pattern(self.markers.clone())
            .with_messages(if self.messages { Messages::Show } else { Messages::Hide });
        let titles = TitleOptions::default()
            .with_title(heading(&self.title))
            .with_subtitle(heading(&self.subtitle));
        let view = match self.view {
            Some(ViewChoice::Chart(view)) => view,
            Some(ViewChoice::Flame) | None => View::default(),
        };
        let (width, height, max_height) = (default.width, default.height, default.max_height);
        default
            .with_width(self.width.map_or(width, Length::as_pixels))
            .with_height(self.height.map_or(height, Length::as_pixels))
            // A height that was asked for is the height that is made.
            .with_max_height(self.height.map_or(max_height, Length::as_pixels))
            .with_view(view)
            .with_x(self.x)
            .with_columns(self.columns)
            .with_scale(Scale::default().with_time_max(self.x_max).with_heap_max(self.y_max))
            .with_units(units)
            .with_key(self.key)
            .with_heap_lines(self.heap_lines.clone())
            .with_panels(self.panels.clone())
            .with_markers(markers)
            .with_heading(titles)
            .with_palette(palette)
    }
}
