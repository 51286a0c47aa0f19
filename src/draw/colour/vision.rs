//! Colours by lightness, chroma and hue, and how far apart two of them look, to full and to
//! colour-blind vision.
//!
//! The three simulations are those of Machado, Oliveira and Fernandes (2009) at full severity:
//! matrices on linear RGB.

use palette::convert::FromColorUnclamped;
use palette::{LinSrgb, Oklab, Oklch, Srgb};

use crate::picture::theme::Rgb;

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

/// A way of seeing colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vision {
    /// All three kinds of cones.
    Full,
    /// Without the cones for long waves: red is dark.
    Protanopia,
    /// Without the cones for middle waves.
    Deuteranopia,
    /// Without the cones for short waves: blue and green look alike.
    Tritanopia,
}

impl Vision {
    pub const FULL: &[Vision] = &[Vision::Full];
    pub const ALL: &[Vision] =
        &[Vision::Full, Vision::Protanopia, Vision::Deuteranopia, Vision::Tritanopia];

    fn sees(self, rgb: Rgb) -> Oklab {
        let channel = |byte: u8| f32::from(byte) / 255.0;
        let colour = Srgb::new(channel(rgb.r), channel(rgb.g), channel(rgb.b));
        let matrix = match self {
            Vision::Full => return Oklab::from_color_unclamped(colour),
            Vision::Protanopia => [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
            Vision::Deuteranopia => [
                [0.367_322, 0.860_646, -0.227_968],
                [0.280_085, 0.672_501, 0.047_413],
                [-0.011_820, 0.042_940, 0.968_881],
            ],
            Vision::Tritanopia => [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        };
        let linear: LinSrgb<f32> = colour.into_linear();
        let [r, g, b] = matrix.map(|row| {
            let sum: f32 = row[0] * linear.red + row[1] * linear.green + row[2] * linear.blue;
            sum.clamp(0.0, 1.0)
        });
        Oklab::from_color_unclamped(LinSrgb::new(r, g, b))
    }
}

/// A colour as each of several visions sees it.
#[derive(Clone, Copy, Debug)]
pub struct SeenColour {
    by: [Oklab; 4],
    visions: usize,
}

impl SeenColour {
    /// A colour as each of at most four visions sees it.
    pub fn new(rgb: Rgb, visions: &[Vision]) -> Self {
        let mut by = [Oklab::default(); 4];
        by.iter_mut().zip(visions).for_each(|(seen, vision)| *seen = vision.sees(rgb));
        SeenColour { by, visions: visions.len().min(4) }
    }

    /// The distance in Oklab (a just noticeable difference is about 0.02) for the vision to which
    /// the two colours look most alike.
    pub fn distance(&self, other: &SeenColour) -> f32 {
        let pairs = self.by.iter().zip(&other.by).take(self.visions.min(other.visions));
        pairs
            .map(|(x, y)| ((x.l - y.l).powi(2) + (x.a - y.a).powi(2) + (x.b - y.b).powi(2)).sqrt())
            .fold(f32::INFINITY, f32::min)
    }
}

/// The lightness of a colour in Oklab.
#[cfg(test)]
pub fn lightness(rgb: Rgb) -> f32 {
    Vision::Full.sees(rgb).l
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn red_and_green_look_alike_with_simulated_colour_blindness() {
        let (red, green) = (Rgb::hex(0xa8503c), Rgb::hex(0x6b6b30));
        let between = |vision| {
            let seen = |rgb| SeenColour::new(rgb, std::slice::from_ref(vision));
            seen(red).distance(&seen(green))
        };
        assert!(between(&Vision::Full) > 0.12);
        assert!(between(&Vision::Deuteranopia) < 0.05, "{}", between(&Vision::Deuteranopia));
    }

    #[test]
    fn greys_are_unchanged() {
        for vision in Vision::ALL {
            let seen = vision.sees(Rgb::hex(0x808080));
            assert!(seen.a.abs() < 0.01 && seen.b.abs() < 0.01, "{vision:?} {seen:?}");
        }
    }
}
