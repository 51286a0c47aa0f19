//! What areas, lines and texts are painted with.

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
}

impl Paint {
    /// The colour.
    pub fn rgb(self, theme: Theme) -> Rgb {
        match self {
            Paint::Role(role) => role.rgb(theme),
            Paint::Band(rgb) => rgb,
            Paint::Tone(tone) => tone.rgb(theme),
        }
    }

    /// How much of it covers what is below, from 0 to 1.
    pub(crate) fn opacity(self) -> f64 {
        match self {
            Paint::Role(role) => role.opacity(),
            Paint::Band(_) | Paint::Tone(_) => 1.0,
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

impl From<Tone> for Paint {
    fn from(tone: Tone) -> Self {
        Paint::Tone(tone)
    }
}
