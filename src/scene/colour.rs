//! Which colour a layer has.
//!
//! A name has the same hue in every chart of every run: a fixed hash of its bytes picks one of 24
//! hues and a lightness. What lies next to it in the stack may push its *lightness* away from the
//! one the name prefers, never its hue, so that neighbours are always told apart and a band is
//! still found again in the next chart. Lightness stays within bounds that keep every colour
//! visible on white and on near-black, so the two themes share it.
//!
//! Two break-downs have colours with a meaning instead: the phases of a biography, and eras,
//! which are a scale from old to new.

use palette::convert::FromColorUnclamped;
use palette::{Oklab, Oklch, Srgb};

use super::theme::{Paint, Rgb, Role, Theme};
use crate::chart::{self, Breakdown, Chart};

/// The least distance in Oklab between two neighbours of the stack (a just noticeable difference
/// is about 0.02).
pub const NEIGHBOUR_DISTANCE: f32 = 0.095;

/// The least WCAG contrast of a band's colour to either background.
pub const BACKGROUND_CONTRAST: f64 = 2.1;

/// What colours that are not neighbours should differ by, where there is room for it.
const WISHED_DISTANCE: f32 = 0.08;

/// Lightness steps. Neighbours of one hue must be two steps apart, and each of two neighbours then
/// rules out at most three of the seven.
const LEVELS: [f32; 7] = [0.44, 0.49, 0.54, 0.59, 0.64, 0.69, 0.74];

const HUES: u64 = 24;
const CHROMA: f32 = 0.125;

/// How many colours a new one is held against, neighbours apart: more than a reader can tell.
const COMPARED: usize = 64;

/// The paint of every layer, in their order.
pub fn layer_paints(chart: &Chart) -> Vec<Paint> {
    let role_or = |layer: &chart::Layer, colour: Rgb| match layer.role {
        chart::Role::Other => Paint::Role(Role::Other),
        chart::Role::Band => Paint::Band(colour),
    };
    let colours = match chart.breakdown {
        Breakdown::Biography => biography(chart),
        Breakdown::Era => eras(chart),
        _ => None,
    };
    let colours = colours.unwrap_or_else(|| by_name(chart));
    chart.layers.iter().zip(colours).map(|(layer, colour)| role_or(layer, colour)).collect()
}

/// Waste is warm, use is cool. `None` if a label is no phase of life.
fn biography(chart: &Chart) -> Option<Vec<Rgb>> {
    let colour = |label: &str| {
        Some(match label {
            "VOID" => oklch(0.59, 0.16, 25.0),
            "DRAG" => oklch(0.72, 0.14, 62.0),
            "USE" => oklch(0.66, 0.12, 155.0),
            "INHERENT_USE" => oklch(0.56, 0.10, 195.0),
            "LAG" => oklch(0.64, 0.11, 250.0),
            _ => return None,
        })
    };
    chart
        .layers
        .iter()
        .map(|layer| match layer.role {
            chart::Role::Other => Some(other()),
            chart::Role::Band => colour(&layer.label),
        })
        .collect()
}

/// From dark violet (old) to yellow (new), spread evenly over the eras that are there. `None` if
/// a label is no number.
fn eras(chart: &Chart) -> Option<Vec<Rgb>> {
    let number = |layer: &chart::Layer| match layer.role {
        chart::Role::Other => Some(0),
        chart::Role::Band => layer.label.parse::<u64>().ok(),
    };
    let numbers: Vec<u64> = chart.layers.iter().map(number).collect::<Option<_>>()?;
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let last = sorted.len().saturating_sub(1).max(1) as f32;
    let place = |number| sorted.binary_search(&number).unwrap_or(0) as f32 / last;
    Some(
        numbers
            .into_iter()
            .map(|number| {
                let t = place(number);
                oklch(0.45 + 0.29 * t, 0.13, 305.0 - 215.0 * t)
            })
            .collect(),
    )
}

/// Layers are settled from the biggest down, so that the colours most looked at move least.
fn by_name(chart: &Chart) -> Vec<Rgb> {
    let layers = &chart.layers;
    let mut order: Vec<usize> = (0..layers.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse((layers[i].total, i)));
    let mut settled: Vec<Option<Rgb>> =
        layers.iter().map(|layer| (layer.role == chart::Role::Other).then(other)).collect();
    let mut compared: Vec<Oklab> = Vec::new();
    for i in order {
        if settled[i].is_some() {
            continue;
        }
        let beside = [i.checked_sub(1), Some(i + 1)];
        let neighbours: Vec<Oklab> = beside
            .into_iter()
            .filter_map(|at| settled.get(at?).copied().flatten())
            .map(oklab)
            .collect();
        let colour = settle(&layers[i].label, &neighbours, &compared);
        settled[i] = Some(colour);
        if compared.len() < COMPARED {
            compared.push(oklab(colour));
        }
    }
    settled.into_iter().flatten().collect()
}

/// The colour of a name's hue whose lightness is nearest to the one it prefers and far enough
/// from its neighbours, and if possible from all others.
fn settle(name: &str, neighbours: &[Oklab], others: &[Oklab]) -> Rgb {
    let hash = hash(name);
    let hue = 15.0 * (hash % HUES) as f32;
    let wanted = 3 + (hash / HUES % 3) as usize;
    let mut levels: Vec<usize> = (0..LEVELS.len()).collect();
    levels.sort_by_key(|level| level.abs_diff(wanted));
    let colours = levels.into_iter().map(|level| oklch(LEVELS[level], CHROMA, hue));
    let nearest = |colour: &Rgb, to: &[Oklab]| {
        to.iter().map(|other| distance(oklab(*colour), *other)).fold(f32::INFINITY, f32::min)
    };
    let apart: Vec<Rgb> =
        colours.filter(|colour| nearest(colour, neighbours) >= NEIGHBOUR_DISTANCE).collect();
    let free = apart.iter().find(|colour| nearest(colour, others) >= WISHED_DISTANCE);
    let fallback = || apart.iter().max_by(|a, b| nearest(a, others).total_cmp(&nearest(b, others)));
    free.or_else(fallback).copied().unwrap_or_else(|| oklch(LEVELS[wanted], CHROMA, hue))
}

/// FNV-1a over the bytes, then a finaliser, because the low bits of FNV alone are uneven. Fixed
/// for good: another hash would give every name another colour.
pub(crate) fn hash(name: &str) -> u64 {
    let fnv = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

/// The colour in sRGB, with only as much chroma as sRGB has at that lightness and hue: clipping
/// the channels would turn the hue.
fn oklch(lightness: f32, chroma: f32, hue: f32) -> Rgb {
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

fn oklab(rgb: Rgb) -> Oklab {
    let channel = |byte: u8| f32::from(byte) / 255.0;
    Oklab::from_color_unclamped(Srgb::new(channel(rgb.r), channel(rgb.g), channel(rgb.b)))
}

fn distance(a: Oklab, b: Oklab) -> f32 {
    ((a.l - b.l).powi(2) + (a.a - b.a).powi(2) + (a.b - b.b).powi(2)).sqrt()
}

fn other() -> Rgb {
    Role::Other.rgb(Theme::Light)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::testing;

    fn luminance(rgb: Rgb) -> f64 {
        let linear = |byte: u8| {
            let c = f64::from(byte) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(rgb.r) + 0.7152 * linear(rgb.g) + 0.0722 * linear(rgb.b)
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        (a / b).max(b / a)
    }

    fn assert_visible(colour: Rgb) {
        for theme in [Theme::Light, Theme::Dark] {
            let ratio = contrast(colour, Role::Background.rgb(theme));
            assert!(ratio >= BACKGROUND_CONTRAST, "{colour} {theme:?} {ratio}");
        }
    }

    #[test]
    fn neighbours_are_told_apart_whatever_the_names() {
        let mut random = testing::Random::new(7);
        for round in 0..300 {
            let count = 2 + random.below(40) as usize;
            let names: Vec<String> = (0..count)
                .map(|_| format!("{}{}", random.below(60), "x".repeat(random.below(3) as usize)))
                .collect();
            let chart = testing::chart_of_names(&names);
            let paints = layer_paints(&chart);
            assert_eq!(paints.len(), chart.layers.len());
            for pair in paints.windows(2) {
                let [a, b] = [pair[0], pair[1]].map(|paint| oklab(paint.rgb(Theme::Light)));
                assert!(distance(a, b) >= NEIGHBOUR_DISTANCE, "round {round}: {names:?}");
            }
        }
    }

    #[test]
    fn every_colour_is_visible_on_both_backgrounds() {
        for hue in 0..HUES {
            for lightness in LEVELS {
                assert_visible(oklch(lightness, CHROMA, 15.0 * hue as f32));
            }
        }
        for role in [Role::Other] {
            for theme in [Theme::Light, Theme::Dark] {
                let ratio = contrast(role.rgb(theme), Role::Background.rgb(theme));
                assert!(ratio >= BACKGROUND_CONTRAST);
            }
        }
    }

    #[test]
    fn a_name_keeps_its_hue_whatever_is_beside_it() {
        let hue = |rgb: Rgb| Oklch::from_color_unclamped(oklab(rgb)).hue.into_positive_degrees();
        let alone = settle("Map", &[], &[]);
        let near = oklab(alone);
        let pushed = settle("Map", &[near], &[near]);
        assert_ne!(alone, pushed);
        assert!((hue(alone) - hue(pushed)).abs() < 3.0);
    }

    #[test]
    fn the_hash_is_fixed_for_good() {
        assert_eq!(hash(""), 0xefd0_1f60_ba99_2926);
    }

    #[test]
    fn waste_is_warm_and_use_is_cool() {
        let chart = testing::biography();
        let paints = layer_paints(&chart);
        for (layer, paint) in chart.layers.iter().zip(&paints) {
            let rgb = paint.rgb(Theme::Light);
            assert_visible(rgb);
            let warm = rgb.r > rgb.b;
            assert_eq!(warm, matches!(layer.label.as_str(), "VOID" | "DRAG"), "{}", layer.label);
        }
    }

    #[test]
    fn eras_run_from_dark_to_light() {
        let mut chart = testing::chart_of_names(&["1", "2", "10", "3"]);
        chart.breakdown = Breakdown::Era;
        let light: Vec<f32> =
            layer_paints(&chart).iter().map(|paint| oklab(paint.rgb(Theme::Light)).l).collect();
        let by_label = |label: &str| {
            light[chart.layers.iter().position(|layer| layer.label == label).unwrap()]
        };
        assert!(by_label("1") < by_label("2") && by_label("3") < by_label("10"));
        layer_paints(&chart).iter().for_each(|paint| assert_visible(paint.rgb(Theme::Light)));
    }
}
