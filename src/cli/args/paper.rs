//! The flags that say how big a picture is, and in which colours and letters it is drawn: the same for
//! every kind of picture.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapviz::draw::{DrawOptions, Palette};
use heapviz::length::{Length, LengthError};
use heapviz::render::PngOptions;
use heapviz::scene::Theme;

/// The size of a picture, and what it is painted with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PaperArgs {
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

    /// How to paint bands
    #[arg(long, value_name = "PALETTE", default_value = "vivid")]
    palette: PaletteChoice,

    /// For PNG: image pixels for each pixel of the picture, 0.25 to 8; 2 suits high-resolution
    /// screens [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = scale)]
    pub scale: Option<f64>,

    /// For PNG and PDF: a .ttf or .otf font to draw text with
    #[arg(long, value_name = "FILE")]
    pub font: Option<PathBuf>,
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

impl PaperArgs {
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

    /// The height that was asked for, in pixels.
    pub fn height(&self) -> Option<f64> {
        self.height.map(Length::as_pixels)
    }

    /// The options of a scene, with the flags applied.
    pub fn of(&self, options: DrawOptions) -> DrawOptions {
        let palette = match self.palette {
            PaletteChoice::Vivid => Palette::Vivid,
            PaletteChoice::Safe => Palette::Safe,
            PaletteChoice::Grey => Palette::Grey,
            PaletteChoice::Patterns => Palette::Patterns,
        };
        let (width, height, most) = (options.width, options.height, options.max_height);
        options
            .with_width(self.width.map_or(width, Length::as_pixels))
            .with_height(self.height().unwrap_or(height))
            // A given height is never exceeded.
            .with_max_height(self.height().unwrap_or(most))
            .with_palette(palette)
    }
}
