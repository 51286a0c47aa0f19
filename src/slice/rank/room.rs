//! How much memory the rows of a chart may take: the bound on every output that has a number for
//! each band in each sample.
//!
//! A profile is sparse. A file of a megabyte can name 60 000 bands over 3 000 samples, each band
//! once; a table of them has 180 million numbers. So the rows of all layers together may have a few
//! numbers for every point of the input, and some more so that small inputs never reach the bound.
//! `docs/formats.md` states what this means for memory, and `tests/command/matrix` checks it.

/// How many numbers are allowed for any input: 12 MiB of rows.
const ALWAYS: usize = 3 << 19;

/// How many more are allowed for each point. A point takes at least 14 bytes of an input, and a
/// number 8 bytes of memory.
const FOR_A_POINT: usize = 2;

/// What a layer costs in addition to its row (names, its place in a picture and in its key), in
/// numbers.
const FOR_A_LAYER: usize = 128;

/// The default number of layers is allowed for any number of samples, because a sample takes space
/// in the input, too.
const AT_LEAST: usize = 20;

/// The most layers of a chart of this many samples with this many points.
pub fn layers(samples: usize, points: usize) -> usize {
    let numbers = ALWAYS.saturating_add(FOR_A_POINT.saturating_mul(points));
    (numbers / samples.saturating_add(FOR_A_LAYER)).max(AT_LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_profiles_fit_with_all_their_bands() {
        // GHC compiling a module, by closure type: 849 bands in 2 000 samples.
        assert!(layers(2_000, 2_000 * 300) >= 849);
        // 25 000 info tables, of which nine in ten are in each sample.
        assert!(layers(300, 300 * 22_500) >= 25_000);
    }

    #[test]
    fn sparse_bands_may_not_fit_and_the_default_always_does() {
        assert_eq!(layers(3_000, 60_000), 541);
        assert_eq!(layers(1_000_000, 1_000_000), 20);
        assert_eq!(layers(usize::MAX, usize::MAX), 20);
        assert_eq!(layers(0, 0), 12_288);
    }
}
