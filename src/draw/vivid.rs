//! Colours of the vivid palette: one for each band of a profile, the biggest first.
//!
//! A fixed hash of its name says which hue and lightness a band prefers. It gets them if they
//! differ clearly from the colours of all bands that are bigger in the whole run, or else the
//! nearest colour that does. So the colour depends only on the run's bands: window, limit, columns
//! and format do not change it.

use super::palette::oklch;
use super::vision::{Seen, Vision};
use crate::scene::{Rgb, Role, Theme};

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
    for (hue, degrees) in HUES.into_iter().enumerate() {
        for (level, lightness) in LEVELS.into_iter().enumerate() {
            let rgb = oklch(lightness, CHROMA, degrees);
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
    use crate::testing::Random;

    /// The least distance between any two of the first `first` colours.
    fn least(colours: &[Rgb], first: usize) -> f32 {
        let seen: Vec<Seen> = colours.iter().map(|&rgb| Seen::new(rgb, Vision::FULL)).collect();
        let first = &seen[..first.min(seen.len())];
        let pairs = first.iter().enumerate();
        let pairs = pairs.flat_map(|(i, a)| first[i + 1..].iter().map(move |b| a.distance(b)));
        pairs.fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn the_biggest_are_clearly_apart_and_all_from_the_next_bigger() {
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
