//! What things are painted with. A scene says *what* a thing is; one table here has the colours of
//! each purpose in light and in dark pictures, so that an emitter can choose late, or leave the
//! choice to the reader.

use std::fmt;

/// A colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb {
    /// The red channel, from 0 to 255.
    pub r: u8,
    /// The green channel, from 0 to 255.
    pub g: u8,
    /// The blue channel, from 0 to 255.
    pub b: u8,
}

impl Rgb {
    /// The colour `0xrrggbb`.
    pub const fn hex(hex: u32) -> Self {
        Rgb { r: (hex >> 16) as u8, g: (hex >> 8) as u8, b: hex as u8 }
    }
}

impl fmt::Display for Rgb {
    /// As CSS writes it: `#rrggbb`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

/// Which background a picture is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on near-black.
    Dark,
}

/// The purpose of a colour that belongs to no band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// What is behind everything.
    Background,
    /// Text that is read first.
    Text,
    /// The headline of a likely leak.
    Alarm,
    /// The headline of what is repaired.
    Good,
    /// Text that is read second: axis labels, facts, notes.
    Muted,
    /// The lines of the grid.
    Grid,
    /// The base line of the plot.
    Axis,
    /// The line of all bands together.
    Total,
    /// The lines of the run-time system's own figures.
    Heap,
    /// The lines of named instants.
    Marker,
    /// The layer of the bands over the limit.
    Other,
    /// The thin line between two layers.
    Separator,
    /// The line along the highest value.
    RangeEdge,
}

impl Role {
    /// The colour of the role in a theme.
    pub const fn rgb(self, theme: Theme) -> Rgb {
        let (light, dark) = match self {
            Role::Background | Role::Separator => (0xffffff, 0x0d1117),
            Role::Text => (0x1f2328, 0xe6edf3),
            Role::Alarm => (0xb3261e, 0xff8a80),
            Role::Good => (0x1a7f37, 0x3fb950),
            Role::Muted => (0x59636e, 0x9198a1),
            Role::Grid => (0xe3e6ea, 0x272d37),
            Role::Axis => (0x818b98, 0x656c76),
            Role::Total => (0x1f2328, 0xe6edf3),
            Role::Heap => (0x30363d, 0xd0d7de),
            Role::Marker => (0x6e7781, 0xa0a8b2),
            Role::Other => (0x9aa1a9, 0x767d86),
            Role::RangeEdge => (0x6e7781, 0x9198a1),
        };
        Rgb::hex(match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        })
    }

    /// The name of the role in the style sheet of a picture: lower case, stable.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Background => "background",
            Role::Text => "text",
            Role::Alarm => "alarm",
            Role::Good => "good",
            Role::Muted => "muted",
            Role::Grid => "grid",
            Role::Axis => "axis",
            Role::Total => "total",
            Role::Heap => "heap",
            Role::Marker => "marker",
            Role::Other => "other",
            Role::Separator => "separator",
            Role::RangeEdge => "range-edge",
        }
    }
}

/// A tone on the way from the background, 0, to the colour of text, 100. In tones, a dark picture
/// is the negative of a light one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tone(pub u8);

impl Tone {
    /// The tone of the background.
    pub const PAPER: Tone = Tone(0);
    /// The colour of text.
    pub const INK: Tone = Tone(100);

    /// The grey of the tone in a theme.
    pub fn rgb(self, theme: Theme) -> Rgb {
        on_background(Role::Text.rgb(theme), self.0, theme)
    }
}

/// This share of a colour, in percent, on the background.
fn on_background(colour: Rgb, percent: u8, theme: Theme) -> Rgb {
    let from = Role::Background.rgb(theme);
    let share = u32::from(percent.min(100));
    let mix = |from: u8, to: u8| {
        ((u32::from(from) * (100 - share) + u32::from(to) * share + 50) / 100) as u8
    };
    Rgb { r: mix(from.r, colour.r), g: mix(from.g, colour.g), b: mix(from.b, colour.b) }
}

/// How much of its colour a band has that is behind others, in percent.
const PALE: u8 = 35;

/// What a thing is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Paint {
    /// A colour by purpose, which differs between themes.
    Role(Role),
    /// A band's own colour, the same on both backgrounds.
    Band(Rgb),
    /// The colour of a band that is not the point of the picture: it is close to the background.
    Pale(Rgb),
    /// A tone between background and text.
    Tone(Tone),
}

impl Paint {
    /// The paint of a part of which less is known.
    pub fn pale(self) -> Self {
        match self {
            Paint::Band(rgb) => Paint::Pale(rgb),
            Paint::Tone(tone) => Paint::Tone(Tone(tone.0 / 2)),
            Paint::Pale(_) | Paint::Role(_) => self,
        }
    }

    /// The paint where nothing is in front of it.
    pub fn at_full(self) -> Self {
        match self {
            Paint::Pale(rgb) => Paint::Band(rgb),
            Paint::Band(_) | Paint::Role(_) | Paint::Tone(_) => self,
        }
    }

    /// The colour of the paint in a theme.
    pub fn rgb(self, theme: Theme) -> Rgb {
        match self {
            Paint::Role(role) => role.rgb(theme),
            Paint::Band(rgb) => rgb,
            Paint::Pale(rgb) => on_background(rgb, PALE, theme),
            Paint::Tone(tone) => tone.rgb(theme),
        }
    }

    /// Whether the two themes show it in the same colour.
    pub(crate) const fn is_fixed(self) -> bool {
        match self {
            Paint::Band(_) => true,
            Paint::Role(_) | Paint::Pale(_) | Paint::Tone(_) => false,
        }
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
