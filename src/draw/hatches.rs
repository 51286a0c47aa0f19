//! The hatches that bands are painted with in pictures without colour.

use crate::picture::{Hatch, HatchKind};
use crate::picture::{Paint, Tone};

const fn on_paper(kind: HatchKind, spacing: u8, width: u8) -> Hatch {
    Hatch { kind, ground: Tone::PAPER, ink: Tone::INK, spacing, width }
}

const fn on_dark(kind: HatchKind, spacing: u8, width: u8) -> Hatch {
    Hatch { kind, ground: Tone(80), ink: Tone::PAPER, spacing, width }
}

const fn solid(tone: u8) -> Hatch {
    Hatch { kind: HatchKind::Solid, ground: Tone(tone), ink: Tone::INK, spacing: 8, width: 0 }
}

/// The hatches that names choose from. Tiles are small enough to be recognised in a key's swatch.
pub const HATCHES: [Hatch; 20] = [
    on_paper(HatchKind::Rising, 8, 10),
    on_paper(HatchKind::Rising, 4, 10),
    on_paper(HatchKind::Rising, 8, 30),
    solid(20),
    on_paper(HatchKind::Falling, 8, 10),
    on_paper(HatchKind::Falling, 4, 10),
    on_paper(HatchKind::Falling, 8, 30),
    solid(45),
    on_paper(HatchKind::Horizontal, 5, 10),
    on_paper(HatchKind::Horizontal, 6, 25),
    on_paper(HatchKind::Vertical, 5, 10),
    on_paper(HatchKind::Vertical, 6, 25),
    on_paper(HatchKind::Crossed, 8, 10),
    on_paper(HatchKind::Grid, 6, 10),
    solid(75),
    on_paper(HatchKind::Dots, 6, 16),
    on_paper(HatchKind::Dots, 8, 34),
    on_dark(HatchKind::Dots, 7, 22),
    on_dark(HatchKind::Rising, 8, 14),
    on_dark(HatchKind::Grid, 6, 11),
];

/// Those of the phases of life: void, drag, use, inherent use, lag. Waste is dark.
pub const PHASES: [Paint; 5] = [
    Paint::Hatch(solid(75)),
    Paint::Hatch(on_paper(HatchKind::Rising, 8, 30)),
    Paint::Hatch(on_paper(HatchKind::Dots, 6, 16)),
    Paint::Hatch(on_paper(HatchKind::Horizontal, 5, 10)),
    Paint::Hatch(solid(20)),
];

/// Whether a reader might confuse the two when they touch: they have the same shape and ground, or
/// both are plain tones.
pub fn are_alike(a: &Hatch, b: &Hatch) -> bool {
    let dark = |hatch: &Hatch| hatch.ground.0 >= 50;
    let plain = a.kind == HatchKind::Solid;
    a.kind == b.kind && (plain || dark(a) == dark(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatches_are_all_different() {
        for (i, hatch) in HATCHES.iter().enumerate() {
            assert!(!HATCHES[i + 1..].iter().any(|other| other.id() == hatch.id()));
            assert!(hatch.ground.0.abs_diff(hatch.ink.0) >= 25, "{hatch:?}");
        }
    }
}
