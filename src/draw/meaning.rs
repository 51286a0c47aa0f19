//! Colours with a meaning: the phases of a biography, and eras.

use super::hatches;
use super::palette::{Palette, oklch};
use crate::chart::{self, Chart, Layer};
use crate::picture::{Paint, Role, Tone};

/// The phases of a life in the order of their paints.
pub const PHASES: [&str; 5] = ["VOID", "DRAG", "USE", "INHERENT_USE", "LAG"];

/// Waste is warm (or dark), use is cool (or light). `None` if a label is not a phase of life.
pub fn biography(chart: &Chart, palette: Palette) -> Option<Vec<Paint>> {
    let paints = phase_paints(palette);
    let paint = |layer: &Layer| match layer.role {
        chart::LayerRole::Other => Some(Paint::Role(Role::Other)),
        chart::LayerRole::Band => {
            Some(paints[PHASES.iter().position(|phase| **phase == *layer.label)?])
        }
    };
    chart.layers.iter().map(paint).collect()
}

/// The paints of the phases.
pub fn phase_paints(palette: Palette) -> [Paint; 5] {
    let colours = |colours: [[f32; 3]; 5]| colours.map(|[l, c, h]| Paint::Band(oklch(l, c, h)));
    match palette {
        Palette::Vivid => colours([
            [0.59, 0.16, 25.0],
            [0.72, 0.14, 62.0],
            [0.66, 0.12, 155.0],
            [0.56, 0.10, 195.0],
            [0.64, 0.11, 250.0],
        ]),
        Palette::Safe => colours([
            [0.46, 0.15, 35.0],
            [0.75, 0.13, 80.0],
            [0.60, 0.10, 175.0],
            [0.44, 0.12, 270.0],
            [0.74, 0.10, 225.0],
        ]),
        Palette::Grey => [0.38, 0.48, 0.78, 0.58, 0.68].map(|l| Paint::Band(oklch(l, 0.0, 0.0))),
        Palette::Patterns => hatches::PHASES,
    }
}

/// From dark violet (old) to yellow (new), or from dark to light, spread evenly over the eras in
/// the chart. `None` if a label is not a number.
pub fn eras(chart: &Chart, palette: Palette) -> Option<Vec<Paint>> {
    let number = |layer: &Layer| match layer.role {
        chart::LayerRole::Other => Some(None),
        chart::LayerRole::Band => layer.label.parse::<u64>().ok().map(Some),
    };
    let numbers: Vec<Option<u64>> = chart.layers.iter().map(number).collect::<Option<_>>()?;
    let mut sorted: Vec<u64> = numbers.iter().copied().flatten().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let last = sorted.len().saturating_sub(1).max(1) as f32;
    let paint = |number: Option<u64>| {
        let Some(number) = number else { return Paint::Role(Role::Other) };
        let t = sorted.binary_search(&number).unwrap_or(0) as f32 / last;
        match palette {
            Palette::Vivid | Palette::Safe => {
                Paint::Band(oklch(0.45 + 0.29 * t, 0.13, 305.0 - 215.0 * t))
            }
            Palette::Grey => Paint::Band(oklch(0.40 + 0.36 * t, 0.0, 0.0)),
            Palette::Patterns => Paint::Tone(Tone((90.0 - 85.0 * t).round() as u8)),
        }
    };
    Some(numbers.into_iter().map(paint).collect())
}
