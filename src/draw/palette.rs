//! The palettes, and colours by lightness, chroma and hue.

use ::palette::convert::FromColorUnclamped;
use ::palette::{Oklch, Srgb};

use crate::picture::Rgb;

/// What bands are painted with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Palette {
    /// Many hues, as far apart as possible.
    #[default]
    Vivid,
    /// Fewer hues; colour-blind readers can distinguish neighbours too.
    Safe,
    /// Greys, dark beside light.
    Grey,
    /// Hatches, for print in black and white.
    Patterns,
}

impl Palette {
    /// All of them, the default first.
    pub const ALL: [Palette; 4] = [Palette::Vivid, Palette::Safe, Palette::Grey, Palette::Patterns];

    /// Its name: lower case, stable.
    pub const fn name(self) -> &'static str {
        match self {
            Palette::Vivid => "vivid",
            Palette::Safe => "safe",
            Palette::Grey => "grey",
            Palette::Patterns => "patterns",
        }
    }
}

/// The colour in sRGB. Chroma is reduced to what sRGB has at that lightness and hue, because
/// clipping the channels would change the hue.
pub fn oklch(lightness: f32, chroma: f32, hue: f32) -> Rgb {
    let mut chroma = chroma;
    loop {
        let rgb = Srgb::from_color_unclamped(Oklch::new(lightness, chroma, hue));
        let inside = [rgb.red, rgb.green, rgb.blue].iter().all(|c| (-1e-4..=1.0001).contains(c));
        if inside || chroma <= 0.0 {
            let byte = |channel: f32| (channel.clamp(0.0, 1.0) * 255.0).round() as u8;
            return Rgb { r: byte(rgb.red), g: byte(rgb.green), b: byte(rgb.blue) };
        }
        chroma -= 0.005;
    }
}
