//! What areas, lines and texts are painted with: colours, and patterns that can be distinguished
//! without colour, in print or in a photocopy.
//!
//! A hatch is one square tile that repeats from the picture's origin, so that every format draws
//! the same pattern from the same few lines and dots, and the key shows the same pattern as the
//! band.

use super::shape::Point;
use super::theme::{Rgb, Role, Theme, Tone};

/// What a thing is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Paint {
    /// A colour by purpose, which differs between themes.
    Role(Role),
    /// A band's own colour, the same on both backgrounds.
    Band(Rgb),
    /// A tone between background and text.
    Tone(Tone),
    /// Ink drawn in a pattern, for pictures without colour.
    Hatch(Hatch),
}

impl Paint {
    /// The colour. For a hatch it is that of its ink, with which lines are drawn, because a pattern
    /// can only be seen in areas.
    pub fn rgb(self, theme: Theme) -> Rgb {
        match self {
            Paint::Role(role) => role.rgb(theme),
            Paint::Band(rgb) => rgb,
            Paint::Tone(tone) => tone.rgb(theme),
            Paint::Hatch(hatch) => hatch.ink.rgb(theme),
        }
    }

    /// How much of it covers what is below, from 0 to 1.
    pub(crate) fn opacity(self) -> f64 {
        match self {
            Paint::Role(role) => role.opacity(),
            Paint::Band(_) | Paint::Tone(_) | Paint::Hatch(_) => 1.0,
        }
    }

    /// The thin line around an area painted with it. It must be different from a pattern's own
    /// lines, so that these are not mistaken for the end of the area.
    pub(crate) const fn separator(self) -> Role {
        match self {
            Paint::Role(_) | Paint::Band(_) => Role::Separator,
            Paint::Tone(_) | Paint::Hatch(_) => Role::Text,
        }
    }

    /// Whether the two themes show it in the same colour.
    pub(crate) const fn is_fixed(self) -> bool {
        matches!(self, Paint::Band(_))
    }
}

impl From<Role> for Paint {
    fn from(role: Role) -> Self {
        Paint::Role(role)
    }
}

impl From<Hatch> for Paint {
    fn from(hatch: Hatch) -> Self {
        Paint::Hatch(hatch)
    }
}

impl From<Tone> for Paint {
    fn from(tone: Tone) -> Self {
        Paint::Tone(tone)
    }
}

/// Ink on a ground, in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Hatch {
    /// The shape that is drawn.
    pub kind: HatchKind,
    /// The tone between the shapes.
    pub ground: Tone,
    /// The tone of the shapes.
    pub ink: Tone,
    /// The side of a tile, in pixels.
    pub spacing: u8,
    /// The width of a line or the diameter of a dot, in tenths of a pixel.
    pub width: u8,
}

/// The shape of a [`Hatch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HatchKind {
    /// Nothing: the plain ground.
    Solid,
    /// Lines from the lower left to the upper right.
    Rising,
    /// Lines from the upper left to the lower right.
    Falling,
    /// Both of these.
    Crossed,
    /// Level lines.
    Horizontal,
    /// Upright lines.
    Vertical,
    /// Both of these.
    Grid,
    /// Dots in rows, every other row shifted.
    Dots,
}

impl HatchKind {
    /// Its name: lower case, stable.
    pub const fn name(self) -> &'static str {
        match self {
            HatchKind::Solid => "solid",
            HatchKind::Rising => "rising",
            HatchKind::Falling => "falling",
            HatchKind::Crossed => "crossed",
            HatchKind::Horizontal => "horizontal",
            HatchKind::Vertical => "vertical",
            HatchKind::Grid => "grid",
            HatchKind::Dots => "dots",
        }
    }
}

/// The lines and dots of one tile of a hatch; the rest is ground. They extend beyond the tile if
/// that is needed to continue them in the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Its sides, in pixels.
    pub side: f64,
    /// Lines from here to there, [`Tile::width`] wide.
    pub lines: Vec<[Point; 2]>,
    /// Middles of dots, [`Tile::width`] across.
    pub dots: Vec<Point>,
    /// In pixels.
    pub width: f64,
}

impl Hatch {
    /// A name that depends only on its look: ASCII letters, digits and `-`.
    pub fn id(&self) -> String {
        let Hatch { kind, ground, ink, spacing, width } = self;
        format!("hatch-{}-{spacing}-{width}-{}-{}", kind.name(), ground.0, ink.0)
    }

    /// What is drawn in a tile.
    pub fn tile(&self) -> Tile {
        let side = f64::from(self.spacing);
        let half = side / 2.0;
        let width = f64::from(self.width) / 10.0;
        let line = |x0, y0, x1, y1| [Point { x: x0, y: y0 }, Point { x: x1, y: y1 }];
        // Diagonals of the neighbouring tiles cross the corners.
        let over = side / 4.0;
        let rising = |x: f64| line(x - over, side + over, x + side + over, -over);
        let falling = |x: f64| line(x - over, -over, x + side + over, side + over);
        let all = |line: &dyn Fn(f64) -> [Point; 2]| [-side, 0.0, side].map(line);
        let level = line(-over, half, side + over, half);
        let upright = line(half, -over, half, side + over);
        let (lines, dots) = match self.kind {
            HatchKind::Solid => (vec![], vec![]),
            HatchKind::Rising => (all(&rising).to_vec(), vec![]),
            HatchKind::Falling => (all(&falling).to_vec(), vec![]),
            HatchKind::Crossed => ([all(&rising), all(&falling)].concat(), vec![]),
            HatchKind::Horizontal => (vec![level], vec![]),
            HatchKind::Vertical => (vec![upright], vec![]),
            HatchKind::Grid => (vec![level, upright], vec![]),
            HatchKind::Dots => {
                let quarter = side / 4.0;
                let three = 3.0 * quarter;
                (vec![], vec![Point { x: quarter, y: quarter }, Point { x: three, y: three }])
            }
        };
        Tile { side, lines, dots, width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_stay_inside_their_tile() {
        let hatch = Hatch {
            kind: HatchKind::Dots,
            ground: Tone::PAPER,
            ink: Tone::INK,
            spacing: 8,
            width: 30,
        };
        let tile = hatch.tile();
        for dot in tile.dots {
            for place in [dot.x, dot.y] {
                assert!(place >= tile.width / 2.0 && place <= tile.side - tile.width / 2.0);
            }
        }
        assert_eq!(hatch.id(), "hatch-dots-8-30-0-100");
    }
}
