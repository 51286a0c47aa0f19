//! Chooses the paint of each layer.
//!
//! A fixed hash of a band's name picks the colour that it prefers, so that a band mostly has
//! the same one in all pictures. It gets the nearest one that can be told apart from its neighbours
//! and, if possible, from all others. The same colours serve the light and the dark theme: none is so light
//! or so dark that it would be lost on white or on near-black. The palettes are tables (`tables`).
//!
//! In two break-downs, colours have a meaning instead: the phases of a biography have fixed
//! colours, and eras have a scale from old to new.

mod tables;
mod vision;

use std::cell::OnceCell;

use self::tables::{Apart, HueSteps, PHASES, Scheme, phase_paints, scheme};
#[cfg(feature = "internals")]
pub use self::tables::{BACKGROUND_CONTRAST, GREY_BACKGROUND_CONTRAST};
pub use self::tables::{
    BIGGEST, BIGGEST_DISTANCE, GREY_NEIGHBOUR_DISTANCE, NEIGHBOUR_DISTANCE, Palette,
    SAFE_NEIGHBOUR_DISTANCE,
};
pub use self::vision::oklch;
use self::vision::{SeenColour, Vision};
use crate::chart::{Breakdown, Chart, Layer, LayerRole};
use crate::picture::{Paint, Rgb, Role, Theme, Tone};
use crate::profile::Tells;

/// How many of the next bigger bands a band must differ from, in [`Palette::Vivid`].
const NEXT_BIGGER: usize = 6;

/// How many bands get their own colours, in [`Palette::Vivid`]. Smaller ones are never drawn together
/// with this many others.
const MOST: usize = 4096;

/// OTHER where all but the suspects is pale.
const PALE_OTHER: Tone = Tone(18);

/// The paint of every layer, in their order. Where suspects lead, all else is pale, unless colours have a meaning.
pub fn layer_paints(chart: &Chart, palette: Palette) -> Vec<Paint> {
    let with_meaning = match chart.breakdown.traits().tells {
        Tells::Phase => biography(chart, palette),
        Tells::Age => eras(chart, palette),
        Tells::Maker | Tells::Place | Tells::Content | Tells::Holder | Tells::Unknown => None,
    };
    with_meaning.unwrap_or_else(|| {
        let paints = match palette {
            Palette::Vivid => by_size(chart, scheme(palette)),
            Palette::Safe | Palette::Grey => by_neighbour(chart, scheme(palette)),
        };
        let layers = chart.layers.iter().zip(paints);
        let shown = |(layer, paint): (&Layer, Paint)| match paint {
            _ if !chart.suspects_lead || layer.suspect.is_some() => paint,
            Paint::Band(rgb) => Paint::Pale(rgb),
            Paint::Role(_) => Paint::Tone(PALE_OTHER),
            Paint::Pale(_) | Paint::Tone(_) => paint,
        };
        layers.map(shown).collect()
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

/// The preferred colours of a break-down's bands.
pub fn preferred(breakdown: Breakdown, palette: Palette) -> PreferredColours {
    let scheme = scheme(palette);
    let hues = |above| scheme.hues.iter().map(move |hue| (hue, hue.darkest + above));
    let by_hash = (0..scheme.preferred).flat_map(hues);
    let phases = PHASES.into_iter().zip(phase_paints(palette).map(|p| p.rgb(Theme::Light)));
    PreferredColours {
        named: phases.filter(|_| breakdown.traits().tells == Tells::Phase).collect(),
        by_hash: by_hash
            .map(|(hue, level)| oklch(scheme.levels[level], scheme.chroma, hue.degrees))
            .collect(),
    }
}

/// The colour that a name with this hash prefers.
pub fn preferred_by(hash: u64, palette: Palette) -> Rgb {
    let scheme = scheme(palette);
    let Wanted { hue, level } = Wanted::new(hash, scheme);
    oklch(scheme.levels[level], scheme.chroma, scheme.hues[hue].degrees)
}

/// For each of these colours, the place of the one among others that looks most like it and is not taken yet.
#[cfg(feature = "tui")]
pub(crate) fn nearest(colours: &[Rgb], among: &[Rgb]) -> Vec<usize> {
    let seen = |rgb: &Rgb| SeenColour::new(*rgb, Vision::FULL);
    let among: Vec<SeenColour> = among.iter().map(seen).collect();
    let mut taken: Vec<usize> = Vec::new();
    for colour in colours.iter().map(seen) {
        let free = (0..among.len()).filter(|place| !taken.contains(place));
        let distance = |place: &usize| colour.distance(&among[*place]);
        let best = free.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        taken.push(best.unwrap_or(0));
    }
    taken
}

/// The colour of dark text on a colour.
pub const INK: Rgb = Rgb::hex(0x1b1f24);

/// Dark or white, whichever reads better on a colour.
pub fn ink_on(rgb: Rgb) -> Rgb {
    let linear = |byte: u8| libm::pow(f64::from(byte) / 255.0, 2.2);
    let light = 0.2126 * linear(rgb.r) + 0.7152 * linear(rgb.g) + 0.0722 * linear(rgb.b);
    if light > 0.2 { INK } else { Rgb::hex(0xffffff) }
}

/// The colour that a name prefers, as indices into its scheme.
struct Wanted {
    hue: usize,
    level: usize,
}

impl Wanted {
    fn new(hash: u64, scheme: &Scheme) -> Self {
        let hues = scheme.hues.len() as u64;
        let hue = (hash % hues) as usize;
        let above = (hash / hues % scheme.preferred as u64) as usize;
        Wanted { hue, level: scheme.hues[hue].darkest + above }
    }
}

struct Colour {
    rgb: Rgb,
    seen: SeenColour,
    /// As all visions of the scheme see it: few candidates are ever compared so.
    by_all: OnceCell<SeenColour>,
    hue: usize,
    level: usize,
    /// The distance to the nearest of the colours chosen so far that are compared.
    nearest: f32,
}

/// Chooses the colours of names, one after the other.
struct ColourChooser {
    scheme: &'static Scheme,
    /// Hue by hue, from dark to light.
    candidates: Vec<Colour>,
    chosen: usize,
    /// OTHER, if these colours are chosen without knowing which of them is next to it.
    other: Vec<SeenColour>,
}

impl ColourChooser {
    fn new(scheme: &'static Scheme) -> Self {
        let colour = |hue: usize, level: usize| {
            let rgb = match scheme.stored {
                Some(stored) => Rgb::hex(stored[hue][level]),
                None => oklch(scheme.levels[level], scheme.chroma, scheme.hues[hue].degrees),
            };
            let (seen, by_all) = (SeenColour::new(rgb, Vision::FULL), OnceCell::new());
            Colour { rgb, seen, by_all, hue, level, nearest: f32::INFINITY }
        };
        let hues = 0..scheme.hues.len();
        let candidates = hues.flat_map(|hue| (0..scheme.levels.len()).map(move |l| colour(hue, l)));
        ColourChooser { scheme, candidates: candidates.collect(), chosen: 0, other: Vec::new() }
    }

    /// The colour of the name with this hash next to these neighbours: of those that can be told apart
    /// from them, the least disliked one whose distance to others is as wished, or else the one
    /// furthest from others.
    fn choose(&mut self, hash: u64, neighbours: &[SeenColour]) -> (Rgb, SeenColour) {
        let scheme = self.scheme;
        let wanted = Wanted::new(hash, scheme);
        let candidates = match scheme.changes_hue {
            true => &self.candidates[..],
            false => &self.candidates[wanted.hue * scheme.levels.len()..][..scheme.levels.len()],
        };
        let dislike = |colour: &Colour| {
            let steps = colour.hue.abs_diff(wanted.hue);
            (scheme.dislike)(HueSteps {
                hue: steps.min(scheme.hues.len() - steps),
                level: colour.level as isize - wanted.level as isize,
                lightness: scheme.levels[colour.level] - scheme.levels[wanted.level],
            })
        };
        let seen_by_all = |colour: &Colour| {
            *colour.by_all.get_or_init(|| SeenColour::new(colour.rgb, scheme.visions))
        };
        let is_apart = |colour: &Colour, apart: &Apart| {
            let by_all = || seen_by_all(colour);
            let mut next = neighbours.iter().rev().take(apart.next);
            neighbours.iter().all(|seen| colour.seen.distance(seen) >= scheme.apart)
                && next.all(|seen| by_all().distance(seen) >= apart.least)
                && self.other.iter().all(|seen| by_all().distance(seen) >= apart.of_other)
        };
        let is_big = self.chosen < BIGGEST;
        let wished = if is_big { scheme.wished_of_biggest } else { scheme.wished };
        // To compare with the neighbours takes most of the time, so the first that passes is taken.
        let mut by_liking: Vec<(f32, &Colour)> =
            candidates.iter().map(|colour| (dislike(colour), colour)).collect();
        by_liking.sort_by(|a, b| a.0.total_cmp(&b.0));
        let liked = |wished: f32, apart: &Apart| {
            let mut free = by_liking.iter().map(|(_, c)| *c).filter(|c| c.nearest >= wished);
            free.find(|colour| is_apart(colour, apart))
        };
        let chosen = scheme.by_all.iter().find_map(|apart| {
            [1.0, 0.85].into_iter().find_map(|share| liked(share * wished, apart))
        });
        // Of those equally far from others, few other names like the one that this name dislikes.
        let furthest = || {
            let apart = scheme.by_all.last()?;
            let apart = candidates.iter().filter(|colour| is_apart(colour, apart));
            apart.max_by(|a, b| {
                let furthest = a.nearest.total_cmp(&b.nearest);
                furthest.then_with(|| dislike(a).total_cmp(&dislike(b)))
            })
        };
        let chosen = chosen.or_else(furthest).unwrap_or(&candidates[0]);
        let (rgb, seen) = (chosen.rgb, seen_by_all(chosen));
        if self.chosen < scheme.compared {
            for candidate in &mut self.candidates {
                candidate.nearest = candidate.nearest.min(candidate.seen.distance(&seen));
            }
        }
        self.chosen += 1;
        (rgb, seen)
    }
}

/// The colour of OTHER in both themes.
fn other(scheme: &Scheme) -> [SeenColour; 2] {
    [Theme::Light, Theme::Dark].map(|theme| SeenColour::new(Role::Other.rgb(theme), scheme.visions))
}

/// Gives each band of the run its own colour, the biggest first: each differs from the next bigger
/// ones and from OTHER.
fn by_size(chart: &Chart, scheme: &'static Scheme) -> Vec<Paint> {
    let hashes: Vec<u64> = chart.biggest.iter().map(|label| hash(label)).collect();
    let colours = colours_by_size(&hashes, scheme);
    let paint = |layer: &Layer| match layer.standing.filter(|_| layer.role == LayerRole::Band) {
        Some(rank) if !colours.is_empty() => Paint::Band(colours[rank % colours.len()]),
        Some(_) | None => Paint::Role(Role::Other),
    };
    chart.layers.iter().map(paint).collect()
}

/// The colours of bands, biggest first, given the hashes of their names.
fn colours_by_size(hashes: &[u64], scheme: &'static Scheme) -> Vec<Rgb> {
    let mut colours = ColourChooser::new(scheme);
    let other = other(scheme);
    let is_apart =
        |seen: &SeenColour| other.iter().all(|other| seen.distance(other) >= scheme.apart);
    colours.candidates.retain(|colour| is_apart(&colour.seen));
    colours.other = other.to_vec();
    let mut seen: Vec<SeenColour> = Vec::new();
    let choice = |&hash: &u64| {
        let (rgb, own) = colours.choose(hash, &seen[seen.len().saturating_sub(NEXT_BIGGER)..]);
        seen.push(own);
        rgb
    };
    hashes.iter().take(MOST).map(choice).collect()
}

/// Gives each layer, from the bottom up, a colour that differs from the layer below. Only one neighbour
/// counts, so the difference can be greater than if layers chose in another order.
fn by_neighbour(chart: &Chart, scheme: &'static Scheme) -> Vec<Paint> {
    let mut colours = ColourChooser::new(scheme);
    let mut below: Vec<SeenColour> = Vec::new();
    let paint = |layer: &Layer| match layer.role {
        LayerRole::Other => {
            below = other(scheme).to_vec();
            Paint::Role(Role::Other)
        }
        LayerRole::Band => {
            let (rgb, seen) = colours.choose(hash(&layer.label), &below);
            below = vec![seen];
            Paint::Band(rgb)
        }
    };
    chart.layers.iter().map(paint).collect()
}

/// The fixed paints of the phases of life. `None` if a label is not a phase of life.
fn biography(chart: &Chart, palette: Palette) -> Option<Vec<Paint>> {
    let paints = phase_paints(palette);
    let paint = |layer: &Layer| match layer.role {
        LayerRole::Other => Some(Paint::Role(Role::Other)),
        LayerRole::Band => Some(paints[PHASES.iter().position(|phase| **phase == *layer.label)?]),
    };
    chart.layers.iter().map(paint).collect()
}

/// From dark violet (old) to yellow (new), or from dark to light, spread evenly over the eras in
/// the chart. `None` if a label is not a number.
fn eras(chart: &Chart, palette: Palette) -> Option<Vec<Paint>> {
    let number = |layer: &Layer| match layer.role {
        LayerRole::Other => Some(None),
        LayerRole::Band => layer.label.parse::<u64>().ok().map(Some),
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
        }
    };
    Some(numbers.into_iter().map(paint).collect())
}

/// FNV-1a over the bytes, then a finaliser, because the low bits of FNV alone are uneven. It must
/// never change: another hash would give every name another colour.
pub fn hash(name: &str) -> u64 {
    let fnv = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (fnv ^ (fnv >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use super::tables::{GREY, SAFE, VIVID};
    use super::vision::{Vision, lightness};
    use super::*;
    use crate::chart::testing;
    use crate::testing::Random;

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

    fn colours(scheme: &'static Scheme) -> Vec<Rgb> {
        ColourChooser::new(scheme).candidates.into_iter().map(|colour| colour.rgb).collect()
    }

    /// Tries every colour below against every hue, so this proves it for all names.
    fn assert_always_a_level(scheme: &'static Scheme) {
        let seen = |rgb: Rgb| SeenColour::new(rgb, scheme.visions);
        let all: Vec<SeenColour> = colours(scheme).into_iter().map(seen).collect();
        let levels = scheme.levels.len();
        let other = [Theme::Light, Theme::Dark].map(|theme| seen(Role::Other.rgb(theme)));
        // For each colour, which levels of a hue are far enough from it, as bits.
        let far = |from: &SeenColour, hue: usize| {
            (0..levels)
                .filter(|level| all[hue * levels + level].distance(from) >= scheme.apart)
                .fold(0_u32, |bits, level| bits | 1 << level)
        };
        for hue in 0..scheme.hues.len() {
            let mut free: Vec<u32> = all.iter().map(|from| far(from, hue)).collect();
            free.push(far(&other[0], hue) & far(&other[1], hue));
            assert!(free.iter().all(|&bits| bits != 0), "{} degrees", scheme.hues[hue].degrees);
        }
    }

    #[test]
    fn there_is_a_level_for_every_name_above_any_other() {
        assert_always_a_level(&SAFE);
        assert_always_a_level(&GREY);
    }

    #[test]
    fn every_colour_is_visible_on_both_backgrounds() {
        for colour in colours(&SAFE).into_iter().chain(colours(&VIVID)) {
            assert_visible(colour, BACKGROUND_CONTRAST);
        }
        for grey in colours(&GREY) {
            assert_visible(grey, GREY_BACKGROUND_CONTRAST);
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
        let mut colours = ColourChooser::new(&SAFE);
        let (alone, near) = colours.choose(hash("Map"), &[]);
        let (pushed, _) = colours.choose(hash("Map"), &[near]);
        assert_ne!(alone, pushed);
        assert!((hue(alone) - hue(pushed)).abs() < 3.0);
    }

    #[test]
    fn a_band_has_its_colour_in_every_window_and_at_every_limit() {
        use crate::slice::rank::{RankOptions, rank};
        use crate::slice::{Bound, Slice, SliceOptions, Window};
        let recipe = testing::Recipe::of(30, 50);
        // Which bands are big changes in the course of the run.
        let profile = recipe.profile(|band, sample| (1 + (band * 7 + sample * 11) % 97) as u64);
        let colours = |from: Option<&str>, limit: usize| {
            let bound = from.map(|from| from.parse::<Bound>().unwrap());
            let window = Window { from: bound, to: None };
            let slice = Slice::new(&profile, &SliceOptions { window, ..Default::default() });
            let slice = slice.unwrap();
            let limit = std::num::NonZeroUsize::new(limit);
            let options = RankOptions { band_limit: limit, ..RankOptions::default() };
            let chart = Chart::new(&slice, rank(&slice, &options));
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
                    let [a, b] =
                        [a, b].map(|paint| SeenColour::new(paint.rgb(Theme::Light), visions));
                    assert!(a.distance(&b) >= least, "{palette:?} {}", a.distance(&b));
                }
            }
        }
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

    /// The least distance between any two of the first `first` colours.
    fn least(colours: &[Rgb], first: usize) -> f32 {
        let seen: Vec<SeenColour> =
            colours.iter().map(|&rgb| SeenColour::new(rgb, Vision::FULL)).collect();
        let first = &seen[..first.min(seen.len())];
        let pairs = first.iter().enumerate();
        let pairs = pairs.flat_map(|(i, a)| first[i + 1..].iter().map(move |b| a.distance(b)));
        pairs.fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn big_bands_and_neighbours_have_clearly_different_colours() {
        let mut random = Random::new(11, "colours of a run");
        let mut worst = [f32::INFINITY; 2];
        for round in 0..60 {
            let spread = [u64::MAX, 72, 10][round % 3];
            let hashes: Vec<u64> = (0..60).map(|_| random.below(spread)).collect();
            let colours = colours_by_size(&hashes, &VIVID);
            worst[0] = worst[0].min(least(&colours, BIGGEST));
            worst[1] = worst[1].min(least(&colours, 2 * BIGGEST));
            for next in colours.windows(NEXT_BIGGER) {
                assert!(least(next, NEXT_BIGGER) >= NEIGHBOUR_DISTANCE, "round {round}");
            }
            let seen: Vec<SeenColour> =
                colours.iter().map(|&c| SeenColour::new(c, Vision::ALL)).collect();
            for next in seen.windows(2) {
                let nearest = next[0].distance(&next[1]);
                assert!(nearest >= SAFE_NEIGHBOUR_DISTANCE, "round {round} {nearest}");
            }
        }
        assert!(worst[0] >= BIGGEST_DISTANCE, "{worst:?}");
        assert!(worst[1] >= 0.055, "{worst:?}");
    }

    #[test]
    fn a_colour_depends_on_bigger_bands_only() {
        let mut random = Random::new(3, "colours of two runs");
        let hashes: Vec<u64> = (0..40).map(|_| random.below(u64::MAX)).collect();
        let all = colours_by_size(&hashes, &VIVID);
        for count in 0..40 {
            assert_eq!(colours_by_size(&hashes[..count], &VIVID), all[..count]);
        }
    }
}
