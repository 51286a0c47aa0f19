//! Chooses the paint of each layer.
//!
//! A fixed hash of a band's name picks its hue and lightness, so that a band mostly has the same
//! colour in all pictures. In the vivid palette, a band gives way to bands that are bigger in the
//! run (`vivid`). In the safe palette, neighbours in the stack can change the *lightness* that a
//! band prefers, but never its hue. Lightness stays within bounds that keep every colour visible on
//! white and on near-black, so both themes use the same colours.
//!
//! In two break-downs, colours have a meaning instead: the phases of a biography have fixed
//! colours, and eras have a scale from old to new.

use super::hatches;
use super::meaning::{PHASES, biography, eras, phase_paints};
use super::palette::{Palette, oklch};
use super::vision::{Seen, Vision, lightness};
use super::vivid;
pub use super::vivid::{BIGGEST, BIGGEST_DISTANCE, NEIGHBOUR_DISTANCE};
use crate::chart::{self, Breakdown, Chart, Layer};
use crate::picture::Hatch;
use crate::picture::{Paint, Rgb, Role, Theme};

/// Colours that names choose from.
struct Scheme {
    /// Hues in degrees of Oklch, each with the darkest of the lightness levels that names prefer.
    hues: &'static [(f32, usize)],
    /// Lightness steps, dark to light.
    levels: &'static [f32],
    /// The order in which layers choose.
    order: ChoiceOrder,
    chroma: f32,
    /// How many levels names prefer.
    preferred: usize,
    /// The kinds of vision that must be able to tell neighbours apart.
    visions: &'static [Vision],
    /// The least distance of neighbours in Oklab. There is always a level that keeps it.
    apart: f32,
    /// The distance that colours of layers that are not neighbours should have, if possible.
    wished: f32,
}

/// The order in which layers choose their colours: a later layer gives way to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChoiceOrder {
    /// Big layers, which are looked at most, get the colour they prefer, but a small one may have
    /// to fit between two neighbours.
    BiggestFirst,
    /// A layer has to differ only from the one below it, so the difference can be greater.
    BottomUp,
}

/// Yellow is light and blue is dark, so that hues that look alike to some readers differ in
/// lightness.
static SAFE: Scheme = Scheme {
    hues: &[
        (40.0, 2),
        (68.0, 4),
        (90.0, 6),
        (165.0, 4),
        (205.0, 5),
        (235.0, 3),
        (265.0, 1),
        (300.0, 3),
        (345.0, 4),
    ],
    levels: &[0.425, 0.46, 0.50, 0.54, 0.58, 0.62, 0.66, 0.70, 0.75],
    order: ChoiceOrder::BottomUp,
    chroma: 0.125,
    preferred: 3,
    visions: Vision::ALL,
    apart: SAFE_NEIGHBOUR_DISTANCE,
    wished: 0.045,
};

/// The least distance in Oklab between two neighbours of the stack (a just noticeable difference is
/// about 0.02), in [`Palette::Safe`], to full vision and to each kind of colour-blind vision.
pub const SAFE_NEIGHBOUR_DISTANCE: f32 = 0.1;

/// The same for [`Palette::Grey`].
pub const GREY_NEIGHBOUR_DISTANCE: f32 = 0.14;

#[cfg(feature = "internals")]
/// The least WCAG contrast of a band's colour to either background.
pub const BACKGROUND_CONTRAST: f64 = 2.1;

#[cfg(feature = "internals")]
/// The same for [`Palette::Grey`], which has nothing but lightness to tell bands apart by.
pub const GREY_BACKGROUND_CONTRAST: f64 = 1.85;

const GREYS: [f32; 9] = [0.38, 0.43, 0.48, 0.53, 0.58, 0.63, 0.68, 0.73, 0.78];

/// How many colours a new one is compared with besides its neighbours: more than a reader can tell
/// apart.
const COMPARED: usize = 64;

/// The paint of every layer, in their order.
pub fn layer_paints(chart: &Chart, palette: Palette) -> Vec<Paint> {
    let with_meaning = match chart.breakdown {
        Breakdown::Biography => biography(chart, palette),
        Breakdown::Era => eras(chart, palette),
        _ => None,
    };
    with_meaning.unwrap_or_else(|| match palette {
        Palette::Vivid => vivid_paints(chart),
        Palette::Safe => by_name(chart, &SAFE),
        Palette::Grey => greys(chart),
        Palette::Patterns => patterns(chart),
    })
}

/// The colours of bands that are not layers of a chart: those that a chart would prefer for them.
#[non_exhaustive]
pub struct PreferredColours {
    /// Names whose colours have a meaning.
    pub named: Vec<(&'static str, Rgb)>,
    /// The colours of all other names, indexed by the remainder of the name's hash: the darkest of
    /// each hue first.
    pub by_hash: Vec<Rgb>,
}

/// The preferred colours of a break-down's bands. [`Palette::Patterns`] has no colours of its own.
pub fn preferred(breakdown: Breakdown, palette: Palette) -> PreferredColours {
    let by_hash = |scheme: &Scheme| {
        let level = |&(hue, darkest): &(f32, usize), above: usize| {
            oklch(scheme.levels[darkest + above], scheme.chroma, hue)
        };
        let hues = |above| scheme.hues.iter().map(move |hue| level(hue, above));
        (0..scheme.preferred).flat_map(hues).collect()
    };
    let rgb = |paint: Paint| paint.rgb(Theme::Light);
    let phases = PHASES.into_iter().zip(phase_paints(palette).map(rgb));
    PreferredColours {
        named: phases.filter(|_| breakdown == Breakdown::Biography).collect(),
        by_hash: match palette {
            Palette::Vivid => {
                let (darkest, count) = vivid::LIKED;
                let levels = vivid::LEVELS[darkest..darkest + count].iter();
                let of = |&level: &f32| vivid::HUES.map(|hue| oklch(level, vivid::CHROMA, hue));
                levels.flat_map(of).collect()
            }
            Palette::Safe => by_hash(&SAFE),
            Palette::Grey | Palette::Patterns => GREYS.map(|l| oklch(l, 0.0, 0.0)).to_vec(),
        },
    }
}

fn vivid_paints(chart: &Chart) -> Vec<Paint> {
    let hashes: Vec<u64> = chart.biggest.iter().map(|label| hash(label)).collect();
    let colours = vivid::colours(&hashes);
    let paint =
        |layer: &Layer| match layer.standing.filter(|_| layer.role == chart::LayerRole::Band) {
            Some(standing) if !colours.is_empty() => Paint::Band(colours[standing % colours.len()]),
            _ => Paint::Role(Role::Other),
        };
    chart.layers.iter().map(paint).collect()
}

/// The hue that a name prefers, in degrees of Oklch, and which of the preferred levels of
/// lightness; `None` for palettes without hues.
pub fn hue(name: &str, palette: Palette) -> Option<(f32, usize)> {
    let hash = hash(name);
    let pick = |count: usize| (hash % count as u64) as usize;
    let level = |hues: usize, levels: usize| (hash / hues as u64 % levels as u64) as usize;
    match palette {
        Palette::Vivid => {
            let hues = vivid::HUES.len();
            Some((vivid::HUES[pick(hues)], level(hues, vivid::LIKED.1)))
        }
        Palette::Safe => {
            let hues = SAFE.hues.len();
            Some((SAFE.hues[pick(hues)].0, level(hues, SAFE.preferred)))
        }
        Palette::Grey | Palette::Patterns => None,
    }
}

fn by_name(chart: &Chart, scheme: &Scheme) -> Vec<Paint> {
    let other = || [Theme::Light, Theme::Dark].map(|theme| Role::Other.rgb(theme)).to_vec();
    let seen = |colours: &[Rgb]| -> Vec<Seen> {
        colours.iter().map(|rgb| Seen::new(*rgb, scheme.visions)).collect()
    };
    let mut compared: Vec<Seen> = Vec::new();
    let colours = choose_all(&chart.layers, scheme.order, other(), |layer, beside| {
        let colour = colour_beside(&layer.label, &seen(&beside.concat()), &compared, scheme);
        if compared.len() < COMPARED {
            compared.push(Seen::new(colour, scheme.visions));
        }
        vec![colour]
    });
    with_other(chart, colours.into_iter().map(|colour| Paint::Band(colour[0])))
}

/// Chooses for each layer: `choose` gets the layer and the choices of its neighbours. OTHER has a
/// fixed choice, made before all others.
fn choose_all<T: Clone>(
    layers: &[Layer],
    choice: ChoiceOrder,
    other: T,
    mut choose: impl FnMut(&Layer, &[T]) -> T,
) -> Vec<T> {
    let mut order: Vec<usize> = (0..layers.len()).collect();
    if choice == ChoiceOrder::BiggestFirst {
        order.sort_by_key(|&i| std::cmp::Reverse((layers[i].total, i)));
    }
    let mut chosen: Vec<Option<T>> = layers
        .iter()
        .map(|layer| (layer.role == chart::LayerRole::Other).then(|| other.clone()))
        .collect();
    for i in order {
        if chosen[i].is_none() {
            let beside = [i.checked_sub(1), Some(i + 1)];
            let beside: Vec<T> =
                beside.into_iter().filter_map(|at| chosen.get(at?).cloned().flatten()).collect();
            chosen[i] = Some(choose(&layers[i], &beside));
        }
    }
    chosen.into_iter().flatten().collect()
}

fn with_other(chart: &Chart, paints: impl Iterator<Item = Paint>) -> Vec<Paint> {
    let paint = |(layer, paint): (&Layer, Paint)| match layer.role {
        chart::LayerRole::Other => Paint::Role(Role::Other),
        chart::LayerRole::Band => paint,
    };
    chart.layers.iter().zip(paints).map(paint).collect()
}

/// The colour of a name's hue whose lightness is nearest to the preferred one, but far enough from
/// its neighbours and, if possible, from all others.
fn colour_beside(name: &str, neighbours: &[Seen], others: &[Seen], scheme: &Scheme) -> Rgb {
    let hash = hash(name);
    let hues = scheme.hues.len() as u64;
    let (hue, darkest) = scheme.hues[(hash % hues) as usize];
    let wanted = darkest + (hash / hues % scheme.preferred as u64) as usize;
    let mut levels: Vec<usize> = (0..scheme.levels.len()).collect();
    // If two are equally near, takes the lighter one, because dark ones are dull.
    levels.sort_by_key(|&level| (level.abs_diff(wanted), level < wanted));
    let nearest = |colour: Rgb, to: &[Seen]| {
        let seen = Seen::new(colour, scheme.visions);
        to.iter().map(|other| seen.distance(other)).fold(f32::INFINITY, f32::min)
    };
    let colours = levels.iter().map(|&level| oklch(scheme.levels[level], scheme.chroma, hue));
    let apart: Vec<(Rgb, f32)> = colours
        .filter(|&colour| nearest(colour, neighbours) >= scheme.apart)
        .map(|colour| (colour, nearest(colour, others)))
        .collect();
    let free = apart.iter().find(|(_, distance)| *distance >= scheme.wished);
    let furthest = || apart.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    free.or_else(furthest)
        .map_or_else(|| oklch(scheme.levels[wanted], scheme.chroma, hue), |(colour, _)| *colour)
}

/// From the bottom up: then only the layer below excludes levels, so the distance can be greater.
fn greys(chart: &Chart) -> Vec<Paint> {
    let mut below: Vec<f32> = Vec::new();
    let paint = |layer: &Layer| {
        if layer.role == chart::LayerRole::Other {
            let levels = [Theme::Light, Theme::Dark].map(|theme| Role::Other.rgb(theme));
            below = levels.map(lightness).to_vec();
            return Paint::Role(Role::Other);
        }
        let wanted = (hash(&layer.label) % GREYS.len() as u64) as usize;
        let far = |level: &&f32| {
            below.iter().all(|other| (*level - other).abs() >= GREY_NEIGHBOUR_DISTANCE + 0.005)
        };
        let level = GREYS
            .iter()
            .filter(far)
            .min_by(|a, b| (*a - GREYS[wanted]).abs().total_cmp(&(*b - GREYS[wanted]).abs()));
        let level = *level.unwrap_or(&GREYS[wanted]);
        below = vec![level];
        Paint::Band(oklch(level, 0.0, 0.0))
    };
    chart.layers.iter().map(paint).collect()
}

/// The hash picks a hatch. If it is taken or looks like a neighbour's, the next one is tried.
fn patterns(chart: &Chart) -> Vec<Paint> {
    let hatches = &hatches::HATCHES;
    let count = hatches.len();
    let mut used: Vec<usize> = Vec::new();
    let order = ChoiceOrder::BiggestFirst;
    let chosen = choose_all(&chart.layers, order, None, |layer, beside: &[Option<Hatch>]| {
        let first = (hash(&layer.label) % count as u64) as usize;
        // Neighbours in the table look alike, so the step is wide; step and count have no common
        // divisor.
        let order: Vec<usize> = (0..count).map(|step| (first + 7 * step) % count).collect();
        let unlike = |at: &&usize| {
            beside.iter().flatten().all(|neighbour| !hatches::are_alike(&hatches[**at], neighbour))
        };
        let free = order.iter().filter(unlike).find(|at| !used.contains(at));
        let at = *free.or_else(|| order.iter().find(unlike)).unwrap_or(&first);
        used.push(at);
        Some(hatches[at])
    });
    with_other(
        chart,
        chosen.into_iter().map(|hatch| match hatch {
            Some(hatch) => Paint::Hatch(hatch),
            None => Paint::Role(Role::Other),
        }),
    )
}

/// FNV-1a over the bytes, then a finaliser, because the low bits of FNV alone are uneven. It must
/// never change: another hash would give every name another colour.
pub(crate) fn hash(name: &str) -> u64 {
    let fnv = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing;

    fn luminance(rgb: Rgb) -> f64 {
        let linear = |byte: u8| {
            let c = f64::from(byte) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(rgb.r) + 0.7152 * linear(rgb.g) + 0.0722 * linear(rgb.b)
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        (a / b).max(b / a)
    }

    fn assert_visible(colour: Rgb, least: f64) {
        for theme in [Theme::Light, Theme::Dark] {
            let ratio = contrast(colour, Role::Background.rgb(theme));
            assert!(ratio >= least, "{colour} {theme:?} {ratio}");
        }
    }

    fn colours(scheme: &Scheme) -> Vec<Rgb> {
        let of_hue = |hue: f32| scheme.levels.iter().map(move |l| oklch(*l, scheme.chroma, hue));
        scheme.hues.iter().flat_map(|(hue, _)| of_hue(*hue)).collect()
    }

    /// Tries every pair of neighbours against every hue, so this proves it for all names.
    fn assert_always_a_level(scheme: &Scheme) {
        let seen = |rgb: Rgb| Seen::new(rgb, scheme.visions);
        let all: Vec<Seen> = colours(scheme).into_iter().map(seen).collect();
        let levels = scheme.levels.len();
        let other = [Theme::Light, Theme::Dark].map(|theme| seen(Role::Other.rgb(theme)));
        // For each colour, which levels of a hue are far enough from it, as bits.
        let far = |from: &Seen, hue: usize| {
            (0..levels)
                .filter(|level| all[hue * levels + level].distance(from) >= scheme.apart)
                .fold(0_u32, |bits, level| bits | 1 << level)
        };
        for hue in 0..scheme.hues.len() {
            let mut free: Vec<u32> = all.iter().map(|from| far(from, hue)).collect();
            free.push(far(&other[0], hue) & far(&other[1], hue));
            for a in &free {
                for b in &free {
                    let b = if scheme.order == ChoiceOrder::BottomUp { a } else { b };
                    assert_ne!(a & b, 0, "no level of hue {:?}", scheme.hues[hue]);
                }
            }
        }
    }

    #[test]
    fn there_is_a_level_for_every_name_between_any_neighbours() {
        assert_always_a_level(&SAFE);
    }

    #[test]
    fn neighbours_have_distinct_colours_whatever_their_names() {
        let mut random = crate::testing::Random::new(1, "names");
        for round in 0..100 {
            let count = 2 + random.below(40) as usize;
            let names: Vec<String> = (0..count)
                .map(|_| format!("{}{}", random.below(60), "x".repeat(random.below(3) as usize)))
                .collect();
            let mut chart = testing::chart_of_names(&names);
            if round % 2 == 0 {
                chart.layers[0].role = chart::LayerRole::Other;
            }
            for (palette, visions, least) in [
                (Palette::Vivid, Vision::FULL, NEIGHBOUR_DISTANCE),
                (Palette::Safe, Vision::ALL, SAFE_NEIGHBOUR_DISTANCE),
                (Palette::Grey, Vision::ALL, GREY_NEIGHBOUR_DISTANCE),
            ] {
                let paints = layer_paints(&chart, palette);
                assert_eq!(paints.len(), chart.layers.len());
                for (pair, theme) in
                    paints.windows(2).zip([Theme::Light, Theme::Dark].iter().cycle())
                {
                    let [a, b] = [pair[0], pair[1]].map(|p| Seen::new(p.rgb(*theme), visions));
                    assert!(a.distance(&b) >= least, "round {round}: {palette:?} {names:?}");
                }
            }
            for pair in layer_paints(&chart, Palette::Patterns).windows(2) {
                if let [Paint::Hatch(a), Paint::Hatch(b)] = pair {
                    assert!(!hatches::are_alike(a, b), "round {round}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn every_colour_is_visible_on_both_backgrounds() {
        let vivid = vivid::HUES
            .into_iter()
            .flat_map(|hue| vivid::LEVELS.map(|level| oklch(level, vivid::CHROMA, hue)));
        for colour in colours(&SAFE).into_iter().chain(vivid) {
            assert_visible(colour, BACKGROUND_CONTRAST);
        }
        for level in GREYS {
            assert_visible(oklch(level, 0.0, 0.0), GREY_BACKGROUND_CONTRAST);
        }
        for theme in [Theme::Light, Theme::Dark] {
            let ratio = contrast(Role::Other.rgb(theme), Role::Background.rgb(theme));
            assert!(ratio >= BACKGROUND_CONTRAST);
        }
    }

    #[test]
    fn a_name_keeps_its_hue_whatever_its_neighbours() {
        use ::palette::{Oklch, Srgb, convert::FromColorUnclamped};
        let hue = |rgb: Rgb| {
            let channel = |byte: u8| f32::from(byte) / 255.0;
            let srgb = Srgb::new(channel(rgb.r), channel(rgb.g), channel(rgb.b));
            Oklch::from_color_unclamped(srgb).hue.into_positive_degrees()
        };
        let alone = colour_beside("Map", &[], &[], &SAFE);
        let near = Seen::new(alone, SAFE.visions);
        let pushed = colour_beside("Map", &[near], &[near], &SAFE);
        assert_ne!(alone, pushed);
        assert!((hue(alone) - hue(pushed)).abs() < 3.0);
    }

    #[test]
    fn a_band_has_its_colour_in_every_window_and_at_every_limit() {
        use crate::slice::rank::{RankOptions, rank};
        use crate::slice::{Bound, Slice, SliceOptions, Window};
        let (names, times) = (testing::names(30), testing::times(50));
        let recipe = testing::Recipe { names: &names, times: &times, ..Default::default() };
        // Which bands are big changes in the course of the run.
        let profile = recipe.profile(|band, sample| (1 + (band * 7 + sample * 11) % 97) as u64);
        let colours = |from: Option<&str>, limit: usize| {
            let bound = from.map(|from| from.parse::<Bound>().unwrap());
            let window = Window { from: bound, to: None };
            let slice = Slice::of(&profile, &SliceOptions { window, ..Default::default() });
            let slice = slice.unwrap();
            let limit = std::num::NonZeroUsize::new(limit);
            let options = RankOptions { band_limit: limit, ..RankOptions::default() };
            let chart = Chart::of(&slice, rank(&slice, &options));
            let paints = layer_paints(&chart, Palette::Vivid);
            let pairs = chart.layers.iter().zip(paints);
            pairs.map(|(layer, paint)| (layer.label.clone(), paint)).collect::<Vec<_>>()
        };
        let all = colours(None, 40);
        assert_eq!(all.len(), 30);
        for (from, limit) in [(None, 5), (Some("0.5s"), 40), (Some("0.9s"), 7)] {
            for (label, paint) in colours(from, limit) {
                let known = all.iter().find(|known| known.0 == label);
                assert!(&*label == "OTHER" || known == Some(&(label, paint)), "{from:?} {limit}");
            }
        }
    }

    #[test]
    fn the_hash_is_fixed_for_good() {
        assert_eq!(hash(""), 0xefd0_1f60_ba99_2926);
    }

    #[test]
    fn waste_is_warm_and_use_is_cool() {
        let chart = testing::biography();
        for palette in [Palette::Vivid, Palette::Safe] {
            let paints = layer_paints(&chart, palette);
            for (layer, paint) in chart.layers.iter().zip(&paints) {
                let rgb = paint.rgb(Theme::Light);
                assert_visible(rgb, BACKGROUND_CONTRAST);
                let warm = rgb.r > rgb.b;
                assert_eq!(warm, matches!(&*layer.label, "VOID" | "DRAG"), "{}", layer.label);
            }
        }
    }

    #[test]
    fn all_phases_of_life_have_distinct_colours() {
        let chart = testing::biography();
        for (palette, visions, least) in [
            (Palette::Vivid, Vision::FULL, NEIGHBOUR_DISTANCE),
            (Palette::Safe, Vision::ALL, SAFE_NEIGHBOUR_DISTANCE),
            (Palette::Grey, Vision::ALL, 0.09),
        ] {
            let paints = layer_paints(&chart, palette);
            for (i, a) in paints.iter().enumerate() {
                for b in &paints[i + 1..] {
                    let [a, b] = [a, b].map(|paint| Seen::new(paint.rgb(Theme::Light), visions));
                    assert!(a.distance(&b) >= least, "{palette:?} {}", a.distance(&b));
                }
            }
        }
        let mut hatches = layer_paints(&chart, Palette::Patterns);
        hatches.dedup();
        assert_eq!(hatches.len(), 5);
    }

    #[test]
    fn eras_run_from_dark_to_light() {
        let mut chart = testing::chart_of_names(&["1", "2", "10", "3"]);
        chart.breakdown = Breakdown::Era;
        for palette in Palette::ALL {
            let paints = layer_paints(&chart, palette);
            let light: Vec<f32> =
                paints.iter().map(|paint| lightness(paint.rgb(Theme::Light))).collect();
            let by_label = |label: &str| {
                light[chart.layers.iter().position(|layer| *layer.label == *label).unwrap()]
            };
            assert!(by_label("1") < by_label("2") && by_label("3") < by_label("10"));
        }
    }
}
