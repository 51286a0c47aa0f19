//! What areas, lines and texts are painted with.

use super::hatch::Hatch;
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
    pub fn opacity(self) -> f64 {
        match self {
            Paint::Role(role) => role.opacity(),
            Paint::Band(_) | Paint::Tone(_) | Paint::Hatch(_) => 1.0,
        }
    }

    /// The thin line around an area painted with it. It must be different from a pattern's own
    /// lines, so that these are not mistaken for the end of the area.
    pub const fn separator(self) -> Role {
        match self {
            Paint::Role(_) | Paint::Band(_) => Role::Separator,
            Paint::Tone(_) | Paint::Hatch(_) => Role::Text,
        }
    }

    /// Whether the two themes show it in the same colour.
    pub const fn is_fixed(self) -> bool {
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
