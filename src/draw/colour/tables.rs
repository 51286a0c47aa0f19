//! The data of the palettes: which colours names choose from, and the fixed paints of the
//! phases of life.

use super::vision::{Vision, oklch};
use crate::picture::Paint;

/// What bands are painted with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Palette {
    /// Many hues; colour-blind readers can distinguish bands of similar size too.
    #[default]
    Vivid,
    /// Fewer hues; colour-blind readers can distinguish neighbours in any order of the stack.
    Safe,
    /// Greys, dark next to light.
    Grey,
}

impl Palette {
    /// All of them, the default first.
    pub const ALL: [Palette; 3] = [Palette::Vivid, Palette::Safe, Palette::Grey];

    /// The name of the palette in options and data: lower case, stable.
    pub const fn name(self) -> &'static str {
        match self {
            Palette::Vivid => "vivid",
            Palette::Safe => "safe",
            Palette::Grey => "grey",
        }
    }
}

/// How many of the biggest bands have colours that all differ clearly, in [`Palette::Vivid`].
pub const BIGGEST: usize = 10;

/// The least distance in Oklab between any two of the [`BIGGEST`] bands of a run (a just noticeable
/// difference is about 0.02), in [`Palette::Vivid`].
pub const BIGGEST_DISTANCE: f32 = 0.1;

/// The least distance in Oklab of a band to those next to it in size, in [`Palette::Vivid`].
pub const NEIGHBOUR_DISTANCE: f32 = 0.095;

/// The least distance in Oklab between two neighbours of the stack, in [`Palette::Safe`], and of a band
/// to the two next bigger ones, in [`Palette::Vivid`], to full vision and to each kind of colour-blind
/// vision.
pub const SAFE_NEIGHBOUR_DISTANCE: f32 = 0.1;

/// The least distance between neighbours in [`Palette::Grey`].
pub const GREY_NEIGHBOUR_DISTANCE: f32 = 0.14;

#[cfg(feature = "internals")]
/// The least WCAG contrast of a band's colour to either background.
pub const BACKGROUND_CONTRAST: f64 = 2.1;

#[cfg(feature = "internals")]
/// The least contrast of [`Palette::Grey`], which has nothing but lightness to tell bands apart by.
pub const GREY_BACKGROUND_CONTRAST: f64 = 1.85;

/// The colours of a palette: every hue at every lightness.
pub struct Scheme {
    pub hues: &'static [Hue],
    /// Lightness steps, dark to light.
    pub levels: &'static [f32],
    /// How many levels of a hue names prefer.
    pub preferred: usize,
    pub chroma: f32,
    /// The colours of each hue at each level, if they are stored.
    pub stored: Option<&'static [[u32; 7]]>,
    /// Whether a name can get another hue than the one that it prefers.
    pub changes_hue: bool,
    /// How much a name dislikes a colour at these steps from the one that it prefers.
    pub dislike: fn(HueSteps) -> f32,
    /// The least distance of neighbours in Oklab, to full vision.
    pub apart: f32,
    /// The kinds of vision that must be able to tell the next neighbours apart.
    pub visions: &'static [Vision],
    /// How far apart these must be to all of these visions: the first that a colour can satisfy counts.
    pub by_all: &'static [Apart],
    /// The distance to all other colours that is kept if possible.
    pub wished: f32,
    /// The distance that is wished between the first [`BIGGEST`] colours.
    pub wished_of_biggest: f32,
    /// How many colours, from the first, others are held apart from by the wished distance: more
    /// than a reader can tell apart.
    pub compared: usize,
}

/// How far a colour must be from others, to all kinds of vision of its scheme.
pub struct Apart {
    /// How many neighbours count, the next one first.
    pub next: usize,
    /// The least distance to them.
    pub least: f32,
    /// The least distance to OTHER.
    pub of_other: f32,
}

const fn apart(next: usize, least: f32, of_other: f32) -> Apart {
    Apart { next, least, of_other }
}

pub struct Hue {
    pub degrees: f32,
    /// The index of the darkest level that names prefer.
    pub darkest: usize,
}

/// How far a colour is from the one that a name prefers.
pub struct HueSteps {
    /// Steps of hue, either way round.
    pub hue: usize,
    /// Steps of lightness; negative if it is darker.
    pub level: isize,
    pub lightness: f32,
}

const fn hue(degrees: f32, darkest: usize) -> Hue {
    Hue { degrees, darkest }
}

pub fn scheme(palette: Palette) -> &'static Scheme {
    match palette {
        Palette::Vivid => &VIVID,
        Palette::Safe => &SAFE,
        Palette::Grey => &GREY,
    }
}

/// Bands choose in the order of their size in the whole run, so that window, limit, columns and
/// format do not change a colour. No hue is between mustard and leaf green, where dark colours look
/// muddy.
pub static VIVID: Scheme = Scheme {
    hues: &[
        hue(131.0, 3),
        hue(145.0, 3),
        hue(159.0, 3),
        hue(173.0, 3),
        hue(187.0, 3),
        hue(201.0, 3),
        hue(215.0, 3),
        hue(229.0, 3),
        hue(243.0, 3),
        hue(257.0, 3),
        hue(271.0, 3),
        hue(285.0, 3),
        hue(299.0, 3),
        hue(313.0, 3),
        hue(327.0, 3),
        hue(341.0, 3),
        hue(355.0, 3),
        hue(9.0, 3),
        hue(23.0, 3),
        hue(37.0, 3),
        hue(51.0, 3),
        hue(65.0, 3),
        hue(79.0, 3),
        hue(92.0, 3),
    ],
    levels: &[0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.75],
    preferred: 3,
    chroma: 0.125,
    stored: Some(&VIVID_COLOURS),
    changes_hue: true,
    dislike: |steps| 0.6 * steps.hue as f32 + steps.level.unsigned_abs() as f32,
    apart: NEIGHBOUR_DISTANCE,
    visions: Vision::ALL,
    by_all: &[
        apart(3, 0.11, 0.08),
        apart(2, 0.11, 0.08),
        apart(2, 0.105, 0.06),
        apart(2, SAFE_NEIGHBOUR_DISTANCE, 0.04),
    ],
    wished: NEIGHBOUR_DISTANCE,
    wished_of_biggest: 1.2 * BIGGEST_DISTANCE,
    compared: 3 * BIGGEST,
};

/// Yellow is light and blue is dark, so that hues that look alike to some readers differ in
/// lightness. A name never changes its hue; there is always a level that differs from the layer
/// below.
pub static SAFE: Scheme = Scheme {
    hues: &[
        hue(40.0, 2),
        hue(68.0, 4),
        hue(90.0, 6),
        hue(165.0, 4),
        hue(205.0, 5),
        hue(235.0, 3),
        hue(265.0, 1),
        hue(300.0, 3),
        hue(345.0, 4),
    ],
    levels: &[0.425, 0.46, 0.50, 0.54, 0.58, 0.62, 0.66, 0.70, 0.75],
    preferred: 3,
    chroma: 0.125,
    stored: None,
    changes_hue: false,
    // Of two levels that are equally near, the darker one is dull.
    dislike: |steps| steps.level.unsigned_abs() as f32 + if steps.level < 0 { 0.5 } else { 0.0 },
    apart: SAFE_NEIGHBOUR_DISTANCE,
    visions: Vision::ALL,
    by_all: &[apart(2, SAFE_NEIGHBOUR_DISTANCE, 0.0)],
    wished: 0.045,
    wished_of_biggest: 0.045,
    compared: 64,
};

pub static GREY: Scheme = Scheme {
    hues: &[hue(0.0, 0)],
    levels: &[0.38, 0.43, 0.48, 0.53, 0.58, 0.63, 0.68, 0.73, 0.78],
    preferred: 9,
    chroma: 0.0,
    stored: None,
    changes_hue: false,
    dislike: |steps| steps.lightness.abs(),
    apart: GREY_NEIGHBOUR_DISTANCE,
    visions: Vision::FULL,
    by_all: &[apart(0, 0.0, 0.0)],
    wished: 0.0,
    wished_of_biggest: 0.0,
    compared: 0,
};

/// The colours of [`VIVID`]. To compute them was a twentieth of the instructions of a small picture.
static VIVID_COLOURS: [[u32; 7]; 24] = [
    [0x3d6205, 0x497116, 0x578028, 0x658f39, 0x749e48, 0x83ae58, 0x92be67],
    [0x196623, 0x2b7532, 0x3b8440, 0x4b934f, 0x5aa35e, 0x69b36c, 0x79c37c],
    [0x0a6640, 0x10764c, 0x068756, 0x269664, 0x3aa673, 0x4db682, 0x5ec691],
    [0x056451, 0x04745e, 0x03856c, 0x01967a, 0x1aa688, 0x2ab797, 0x41c7a6],
    [0x0d625c, 0x0a736b, 0x06837b, 0x18938a, 0x16a49a, 0x12b6ab, 0x25c7bb],
    [0x066166, 0x007177, 0x128187, 0x0d9299, 0x04a3ab, 0x1bb3bc, 0x16c5ce],
    [0x0f5f6f, 0x0e6f81, 0x0b7f94, 0x068fa7, 0x1aa0b9, 0x18b1cd, 0x29c1df],
    [0x0b5e7b, 0x0d6d8e, 0x0f7ca2, 0x108cb7, 0x129dcb, 0x30acdc, 0x45bced],
    [0x095a8a, 0x0369a1, 0x1778b4, 0x2d87c4, 0x3f97d5, 0x50a6e6, 0x60b6f7],
    [0x215499, 0x3063a9, 0x3e72b9, 0x4d81ca, 0x5b90da, 0x6aa0eb, 0x79b0fc],
    [0x3d4e9a, 0x4a5caa, 0x576bba, 0x657acb, 0x738adb, 0x8299ec, 0x91a9fd],
    [0x504897, 0x5d56a7, 0x6b65b7, 0x7974c7, 0x8883d8, 0x9792e9, 0xa6a2fa],
    [0x604290, 0x6e50a0, 0x7c5fb0, 0x8b6ec0, 0x9a7dd0, 0xa98ce1, 0xb99cf2],
    [0x6d3d86, 0x7c4b95, 0x8b59a5, 0x9a68b5, 0xaa77c5, 0xb986d6, 0xca96e6],
    [0x783879, 0x874688, 0x975597, 0xa763a7, 0xb772b7, 0xc782c7, 0xd891d7],
    [0x81346a, 0x914378, 0xa15187, 0xb16096, 0xc26fa6, 0xd27eb5, 0xe38dc5],
    [0x883159, 0x984067, 0xa84f75, 0xb95e84, 0xca6d93, 0xda7ca2, 0xec8bb2],
    [0x8c3147, 0x9c3f54, 0xad4e62, 0xbe5d70, 0xcf6c7f, 0xe07b8e, 0xf18b9d],
    [0x8e3233, 0x9e4140, 0xaf504e, 0xbf5f5c, 0xd06e6b, 0xe27d79, 0xf38d88],
    [0x8d361b, 0x9d442a, 0xae5339, 0xbe6248, 0xcf7156, 0xe08165, 0xf19074],
    [0x853e04, 0x994a0c, 0xa95921, 0xba6832, 0xcb7742, 0xdb8652, 0xec9661],
    [0x7a4702, 0x8d5406, 0xa0600b, 0xb26e1b, 0xc37d2f, 0xd38d41, 0xe49c51],
    [0x704e08, 0x815b0b, 0x94690e, 0xa67611, 0xb88520, 0xc89435, 0xd8a447],
    [0x675305, 0x786107, 0x896f09, 0x9a7d0b, 0xab8c1c, 0xba9b32, 0xcaab45],
];

/// The phases of a life in the order of their paints.
pub const PHASES: [&str; 5] = ["VOID", "DRAG", "USE", "INHERENT_USE", "LAG"];

/// The paints of the phases: waste is warm (or dark), use is cool (or light).
pub fn phase_paints(palette: Palette) -> [Paint; 5] {
    let colours = |colours: [[f32; 3]; 5]| colours.map(|[l, c, h]| Paint::Band(oklch(l, c, h)));
    match palette {
        Palette::Vivid | Palette::Safe => colours([
            [0.46, 0.15, 35.0],
            [0.75, 0.13, 80.0],
            [0.60, 0.10, 175.0],
            [0.44, 0.12, 270.0],
            [0.74, 0.10, 225.0],
        ]),
        Palette::Grey => [0.38, 0.48, 0.78, 0.58, 0.68].map(|l| Paint::Band(oklch(l, 0.0, 0.0))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::Rgb;

    #[test]
    fn the_stored_colours_equal_the_computed_ones() {
        let hex = |rgb: Rgb| u32::from_be_bytes([0, rgb.r, rgb.g, rgb.b]);
        let colour = |hue: &Hue, level: &f32| hex(oklch(*level, VIVID.chroma, hue.degrees));
        let levels = |hue: &Hue| VIVID.levels.iter().map(|level| colour(hue, level)).collect();
        let computed: Vec<Vec<u32>> = VIVID.hues.iter().map(levels).collect();
        assert_eq!(VIVID_COLOURS.map(Vec::from).to_vec(), computed, "{computed:#08x?}");
    }
}
