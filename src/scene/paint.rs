//! What areas, lines and texts are painted with.

use super::hatch::Hatch;
use super::theme::{Rgb, Role, Theme, Tone};

/// What a thing is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Paint {
    /// By purpose; differs between themes.
    Role(Role),
    /// A band's own colour, the same on both backgrounds.
    Band(Rgb),
    /// A tone between background and text.
    Tone(Tone),
    /// Ink drawn in a pattern, for pictures without colour.
    Hatch(Hatch),
}

impl Paint {
    /// The colour. Of a hatch that of its ink, in which lines are drawn: a pattern shows in areas
    /// only.
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

    /// The thin line around an area painted with it: none of a pattern's own lines may be taken
    /// for the end of it.
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
