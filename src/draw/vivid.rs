//! Colours of the vivid palette: one for each band of a profile, the biggest first.
//!
//! A fixed hash of its name says which hue and lightness a band prefers. It gets them if they
//! differ clearly from the colours of all bands that are bigger in the whole run, or else the
//! nearest colour that does. So the colour depends only on the run's bands: window, limit, columns
//! and format do not change it.

use super::vision::{Seen, Vision};
use crate::picture::{Rgb, Role, Theme};

/// How many of the biggest bands have colours that all differ clearly.
pub const BIGGEST: usize = 10;

/// The least distance in Oklab between any two of the [`BIGGEST`] bands of a run.
pub const BIGGEST_DISTANCE: f32 = 0.12;

/// The least distance in Oklab of a band to those next to it in size (a just noticeable difference
/// is about 0.02).
pub const NEIGHBOUR_DISTANCE: f32 = 0.095;

/// How many of the next bigger bands a band must differ from by [`NEIGHBOUR_DISTANCE`].
const NEXT_BIGGER: usize = 6;

/// How many bands get their own colours. Smaller ones are never drawn together with this many others.
const MOST: usize = 4096;

/// Hues in degrees of Oklch. None is between mustard and leaf green, where dark colours look muddy.
pub const HUES: [f32; 24] = [
    131.0, 145.0, 159.0, 173.0, 187.0, 201.0, 215.0, 229.0, 243.0, 257.0, 271.0, 285.0, 299.0,
    313.0, 327.0, 341.0, 355.0, 9.0, 23.0, 37.0, 51.0, 65.0, 79.0, 92.0,
];

/// Lightness steps, dark to light.
pub const LEVELS: [f32; 7] = [0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.75];

/// The levels that names prefer: the index of the darkest, and how many levels.
pub const LIKED: (usize, usize) = (3, 3);

/// The chroma of all colours.
pub const CHROMA: f32 = 0.125;

/// A step of hue counts as much as this many steps of lightness.
const HUE_STEP: f32 = 0.6;

/// `oklch` of each hue at each level. To compute them was a twentieth of the instructions of a small
/// picture.
const COLOURS: [[u32; LEVELS.len()]; HUES.len()] = [
    [0x3d6205, 0x497116, 0x578028, 0x658f39, 0x749e48, 0x83ae58, 0x92be67],
    [0x196623, 0x2b7532, 0x3b8440, 0x4b934f, 0x5aa35e, 0x69b36c, 0x79c37c],
    [0x0a6640, 0x10764c, 0x068756, 0x269664, 0x3aa673, 0x4db682, 0x5ec691],
    [0x056451, 0x04745e, 0x03856c, 0x01967a, 0x1aa688, 0x2ab797, 0x41c7a6],
    [0x0d625c, 0x0a736b, 0x06837b, 0x18938a, 0x16a49a, 0x12b6ab, 0x25c7bb],
    [0x066166, 0x007177, 0x128187, 0x0d9299, 0x04a3ab, 0x1bb3bc, 0x16c5ce],
    [0x0f5f6f, 0x0e6f81, 0x0b7f94, 0x068fa7, 0x1aa0b9, 0x18b1cd, 0x29c1df],
    [0x0b5e7b, 0x0d6d8e, 0x0f7ca2, 0x108cb7, 0x129dcb, 0x30acdc, 0x45bced],
    [0x095a8a, 0x0369a1, 0x1778b4, 0x2d87c4, 0x3f97d5, 0x50a6e6, 0x60b6f7],
    [0x215499, 0x3063a9, 0x3e72b9, 0x4d81ca, 0x5b90da, 0x6aa0eb, 0x79b0fc],
    [0x3d4e9a, 0x4a5caa, 0x576bba, 0x657acb, 0x738adb, 0x8299ec, 0x91a9fd],
    [0x504897, 0x5d56a7, 0x6b65b7, 0x7974c7, 0x8883d8, 0x9792e9, 0xa6a2fa],
    [0x604290, 0x6e50a0, 0x7c5fb0, 0x8b6ec0, 0x9a7dd0, 0xa98ce1, 0xb99cf2],
    [0x6d3d86, 0x7c4b95, 0x8b59a5, 0x9a68b5, 0xaa77c5, 0xb986d6, 0xca96e6],
    [0x783879, 0x874688, 0x975597, 0xa763a7, 0xb772b7, 0xc782c7, 0xd891d7],
    [0x81346a, 0x914378, 0xa15187, 0xb16096, 0xc26fa6, 0xd27eb5, 0xe38dc5],
    [0x883159, 0x984067, 0xa84f75, 0xb95e84, 0xca6d93, 0xda7ca2, 0xec8bb2],
    [0x8c3147, 0x9c3f54, 0xad4e62, 0xbe5d70, 0xcf6c7f, 0xe07b8e, 0xf18b9d],
    [0x8e3233, 0x9e4140, 0xaf504e, 0xbf5f5c, 0xd06e6b, 0xe27d79, 0xf38d88],
    [0x8d361b, 0x9d442a, 0xae5339, 0xbe6248, 0xcf7156, 0xe08165, 0xf19074],
    [0x853e04, 0x994a0c, 0xa95921, 0xba6832, 0xcb7742, 0xdb8652, 0xec9661],
    [0x7a4702, 0x8d5406, 0xa0600b, 0xb26e1b, 0xc37d2f, 0xd38d41, 0xe49c51],
    [0x704e08, 0x815b0b, 0x94690e, 0xa67611, 0xb88520, 0xc89435, 0xd8a447],
    [0x675305, 0x786107, 0x896f09, 0x9a7d0b, 0xab8c1c, 0xba9b32, 0xcaab45],
];

struct Candidate {
    rgb: Rgb,
    seen: Seen,
    hue: usize,
    level: usize,
    /// Its distance to the nearest of the colours chosen so far, of the first [`HELD_APART`].
    nearest: f32,
}

/// How many of the biggest bands every other band must differ from.
const HELD_APART: usize = 3 * BIGGEST;

/// The colours of bands, biggest first, given the hashes of their names.
pub fn colours(hashes: &[u64]) -> Vec<Rgb> {
    let mut candidates = candidates();
    let mut chosen: Vec<Seen> = Vec::new();
    let mut colours = Vec::new();
    for &hash in hashes.iter().take(MOST) {
        let Candidate { rgb, seen, .. } = *choose(hash, &candidates, &chosen);
        if chosen.len() < HELD_APART {
            for candidate in &mut candidates {
                candidate.nearest = candidate.nearest.min(candidate.seen.distance(&seen));
            }
        }
        chosen.push(seen);
        colours.push(rgb);
    }
    colours
}

/// Every possible colour, except those that look like OTHER's.
fn candidates() -> Vec<Candidate> {
    let seen = |rgb| Seen::new(rgb, Vision::FULL);
    let other = [Theme::Light, Theme::Dark].map(|theme| seen(Role::Other.rgb(theme)));
    let mut candidates = Vec::new();
    for (hue, levels) in COLOURS.into_iter().enumerate() {
        for (level, rgb) in levels.into_iter().enumerate() {
            let rgb = Rgb::hex(rgb);
            let seen = seen(rgb);
            if other.iter().all(|other| seen.distance(other) >= NEIGHBOUR_DISTANCE) {
                let nearest = f32::INFINITY;
                candidates.push(Candidate { rgb, seen, hue, level, nearest });
            }
        }
    }
    candidates
}

fn choose<'a>(hash: u64, candidates: &'a [Candidate], chosen: &[Seen]) -> &'a Candidate {
    let hues = HUES.len() as u64;
    let hue = (hash % hues) as usize;
    let level = LIKED.0 + (hash / hues % LIKED.1 as u64) as usize;
    let dislike = |candidate: &Candidate| {
        let steps = candidate.hue.abs_diff(hue);
        let steps = steps.min(HUES.len() - steps) as f32;
        HUE_STEP * steps + candidate.level.abs_diff(level) as f32
    };
    let next_bigger = &chosen[chosen.len().saturating_sub(NEXT_BIGGER)..];
    let least = if chosen.len() < BIGGEST { BIGGEST_DISTANCE } else { NEIGHBOUR_DISTANCE };
    let apart = |candidate: &&Candidate| {
        next_bigger.iter().all(|seen| candidate.seen.distance(seen) >= NEIGHBOUR_DISTANCE)
    };
    let free = candidates.iter().filter(|candidate| candidate.nearest >= least).filter(apart);
    let liked = free.min_by(|a, b| dislike(a).total_cmp(&dislike(b)));
    let furthest =
        || candidates.iter().filter(apart).max_by(|a, b| a.nearest.total_cmp(&b.nearest));
    liked.or_else(furthest).unwrap_or(&candidates[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::palette::oklch;
    use crate::testing::Random;

    #[test]
    fn the_stored_colours_equal_the_computed_ones() {
        let hex = |rgb: Rgb| u32::from_be_bytes([0, rgb.r, rgb.g, rgb.b]);
        let computed = HUES.map(|hue| LEVELS.map(|level| hex(oklch(level, CHROMA, hue))));
        assert_eq!(COLOURS, computed, "{computed:#08x?}");
    }

    /// The least distance between any two of the first `first` colours.
    fn least(colours: &[Rgb], first: usize) -> f32 {
        let seen: Vec<Seen> = colours.iter().map(|&rgb| Seen::new(rgb, Vision::FULL)).collect();
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
            let colours = colours(&hashes);
            worst[0] = worst[0].min(least(&colours, BIGGEST));
            worst[1] = worst[1].min(least(&colours, 2 * BIGGEST));
            for next in colours.windows(NEXT_BIGGER) {
                assert!(least(next, NEXT_BIGGER) >= NEIGHBOUR_DISTANCE, "round {round}");
            }
        }
        assert!(worst[0] >= BIGGEST_DISTANCE, "{worst:?}");
        assert!(worst[1] >= 0.06, "{worst:?}");
    }

    #[test]
    fn a_colour_depends_on_bigger_bands_only() {
        let mut random = Random::new(3, "colours of two runs");
        let hashes: Vec<u64> = (0..40).map(|_| random.below(u64::MAX)).collect();
        let all = colours(&hashes);
        for count in 0..40 {
            assert_eq!(colours(&hashes[..count]), all[..count]);
        }
    }
}
