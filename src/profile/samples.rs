//! The samples of a profile, sparse and in order of time.

use super::BandId;
use super::points::Points;
use crate::base::units::{Bytes, Nanos};
use std::ops::Range;

/// The census results, as columns: sample `i` owns the points `ends[i - 1]..ends[i]`.
///
/// A point is the content of one line or event. A band may have several in one sample (they are
/// disjoint pieces of heap, to be added) and points may be zero; both are kept as in the file,
/// because hp2ps's deviation counts points, not samples. A point takes 6 bytes, or 12 if many need
/// them.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    pub(super) times: Vec<Nanos>,
    ends: Vec<usize>,
    pub(super) points: Points,
    /// The first sample in which points that were added up exceeded 64 bits.
    held: Option<usize>,
}

impl Samples {
    /// Makes a sample of the points since the last sample.
    pub(super) fn seal(&mut self, time: Nanos) {
        self.times.push(time);
        self.ends.push(self.points.len());
    }

    /// How many points are after the last sample.
    pub(super) fn unsealed(&self) -> usize {
        self.points.len() - self.ends.last().copied().unwrap_or(0)
    }

    /// The points after the last sample.
    pub(super) fn unsealed_points(&self) -> impl ExactSizeIterator<Item = (BandId, Bytes)> + '_ {
        let start = self.ends.last().copied().unwrap_or(0);
        self.points.between(start, self.points.len())
    }

    /// Adds up the points of each band after the last sample, in order of first appearance.
    /// `bands` is how many bands there are.
    pub(super) fn merge_unsealed(&mut self, bands: usize) {
        const NONE: usize = usize::MAX;
        let mut place_of = vec![NONE; bands];
        let mut sums: Vec<(BandId, Bytes)> = Vec::new();
        let mut is_huge = false;
        for (band, size) in self.unsealed_points() {
            match sums.get_mut(place_of[band.index()]) {
                None => {
                    place_of[band.index()] = sums.len();
                    sums.push((band, size));
                }
                Some((_, sum)) => {
                    is_huge |= sum.get().checked_add(size.get()).is_none();
                    *sum = sum.plus(size);
                }
            }
        }
        if is_huge {
            self.held.get_or_insert(self.ends.len());
        }
        self.discard_unsealed();
        sums.into_iter().for_each(|(band, size)| self.points.push(band, size));
    }

    /// The first sample, from 0, in which the points of one band together exceed 64 bits.
    pub(super) fn first_huge_sum(&self) -> Option<usize> {
        if self.points.are_small() {
            return None;
        }
        let most = u128::from(u64::MAX);
        let sum = |points: &mut dyn Iterator<Item = (BandId, Bytes)>| {
            points.map(|(_, size)| u128::from(size.get())).sum::<u128>()
        };
        let is_huge = |&sample: &usize| {
            if self.held == Some(sample) {
                return true;
            }
            if sum(&mut self.points(sample)) <= most {
                return false;
            }
            let mut points: Vec<_> = self.points(sample).collect();
            points.sort_unstable_by_key(|(band, _)| band.index());
            let mut bands = points.chunk_by(|a, b| a.0 == b.0);
            bands.any(|points| sum(&mut points.iter().copied()) > most)
        };
        (0..self.len()).find(is_huge)
    }

    /// Discards the points after the last sample.
    pub(super) fn discard_unsealed(&mut self) {
        let keep = self.ends.last().copied().unwrap_or(0);
        self.points.truncate(keep);
    }

    /// Leaves out the samples for which `keep` is false. The points after the last sample stay.
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let ends = &self.ends;
        let kept = (0..ends.len()).filter(|&sample| keep(sample));
        let unsealed = self.points.len() - self.unsealed()..self.points.len();
        self.points.keep(kept.map(|sample| range(ends, sample)).chain([unsealed]));
        let (mut samples, mut start, mut end) = (0, 0, 0);
        for i in 0..self.len() {
            let len = self.ends[i] - start;
            start += len;
            if keep(i) {
                end += len;
                (self.times[samples], self.ends[samples]) = (self.times[i], end);
                samples += 1;
            }
        }
        self.times.truncate(samples);
        self.ends.truncate(samples);
        self.held = None;
    }

    /// How many samples are earlier than the one before them.
    pub(super) fn backward_steps(&self) -> usize {
        self.times.windows(2).filter(|pair| pair[1] < pair[0]).count()
    }

    /// Sorts by time. Samples with equal times keep the order of the file.
    pub(super) fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&i| self.times[i]);
        let mut sorted = Samples::default();
        for i in order {
            self.points(i).for_each(|(band, size)| sorted.points.push(band, size));
            sorted.seal(self.times[i]);
        }
        *self = sorted;
    }

    pub fn len(&self) -> usize {
        self.times.len()
    }

    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    pub fn times(&self) -> &[Nanos] {
        &self.times
    }

    /// The points of one sample, in the order of the file.
    pub fn points(&self, sample: usize) -> impl ExactSizeIterator<Item = (BandId, Bytes)> + '_ {
        let Range { start, end } = range(&self.ends, sample);
        self.points.between(start, end)
    }

    /// The points of some samples, in order.
    pub fn points_of(
        &self,
        samples: Range<usize>,
    ) -> impl ExactSizeIterator<Item = (BandId, Bytes)> + '_ {
        let end_of = |sample: usize| if sample == 0 { 0 } else { self.ends[sample - 1] };
        self.points.between(end_of(samples.start), end_of(samples.end))
    }

    /// Every point of every sample, in order.
    pub fn all_points(&self) -> impl ExactSizeIterator<Item = (BandId, Bytes)> + '_ {
        let end = self.ends.last().copied().unwrap_or(0);
        self.points.between(0, end)
    }

    /// The residency of all bands together in one sample.
    pub fn total(&self, sample: usize) -> u128 {
        self.points(sample).map(|(_, size)| u128::from(size.get())).sum()
    }
}

/// The places of the points of a sample.
fn range(ends: &[usize], sample: usize) -> Range<usize> {
    let start = if sample == 0 { 0 } else { ends[sample - 1] };
    start..ends[sample]
}

/// What is computed about a sample while its points arrive, because there it costs almost nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) sum: u64,
    /// The bits that are set in any residency.
    pub(super) bits: u64,
}

/// The tallies of the samples, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    open: Tally,
    pub(super) sealed: Vec<Tally>,
}

impl Tallies {
    #[inline(always)]
    pub(super) fn add(&mut self, size: Bytes) {
        self.open.sum = self.open.sum.saturating_add(size.get());
        self.open.bits |= size.get();
    }

    #[inline]
    pub(super) fn add_all(&mut self, sizes: &[u64]) {
        let bits = sizes.iter().fold(0, |bits, size| bits | size);
        // Without a test in the loop, where the sum cannot exceed 64 bits.
        let sum = match bits <= u32::MAX.into() {
            true => sizes.iter().sum(),
            false => sizes.iter().fold(0, |sum: u64, &size| sum.saturating_add(size)),
        };
        self.open.sum = self.open.sum.saturating_add(sum);
        self.open.bits |= bits;
    }

    pub(super) fn seal(&mut self) {
        self.sealed.push(std::mem::take(&mut self.open));
    }

    pub(super) fn discard(&mut self) {
        self.open = Tally::default();
    }
}

#[cfg(test)]
mod tests {
    use super::super::bands::{BandKeyRef, Bands};
    use super::*;

    #[test]
    fn the_points_of_some_samples_are_those_of_each() {
        let mut bands = Bands::default();
        let a = bands.intern(BandKeyRef::Name(b"a"));
        let mut samples = Samples::default();
        for sizes in [&[1][..], &[2, 3], &[4]] {
            sizes.iter().for_each(|&size| samples.points.push(a, Bytes::new(size)));
            samples.seal(Nanos::ZERO);
        }
        let of = |some| samples.points_of(some).map(|(_, size)| size.get()).collect::<Vec<_>>();
        assert_eq!((of(0..1), of(1..3), of(2..2)), (vec![1], vec![2, 3, 4], vec![]));
    }

    #[test]
    fn what_is_left_out_leaves_no_trace_and_open_points_stay() {
        let mut bands = Bands::default();
        let band = bands.intern(BandKeyRef::Name(b"a"));
        let mut samples = Samples::default();
        for size in [3, u64::MAX, 5, 1 << 32] {
            (0..2).for_each(|_| samples.points.push(band, Bytes::new(size)));
            samples.seal(Nanos::from_nanos(size as i64));
        }
        samples.points.push(band, Bytes::new(9));
        samples.retain(|sample| sample % 2 == 0);
        let sizes = samples.all_points().map(|(_, size)| size.get());
        assert_eq!(sizes.collect::<Vec<_>>(), [3, 3, 5, 5]);
        let open: Vec<_> = samples.unsealed_points().collect();
        assert_eq!((open, samples.points.bytes()), (vec![(band, Bytes::new(9))], 5 * 6));
        assert_eq!((samples.times()[1], samples.total(1)), (Nanos::from_nanos(5), 10));
    }

    #[test]
    fn sorting_keeps_points_with_their_sample_and_ties_in_file_order() {
        let mut bands = Bands::default();
        let band = bands.intern(BandKeyRef::Name(b"a"));
        let mut samples = Samples::default();
        for (time, size) in [(5, 1), (1, 2), (5, 3), (0, 4), (0, 5)] {
            samples.points.push(band, Bytes::new(size));
            samples.seal(Nanos::from_nanos(time));
        }
        samples.points.push(band, Bytes::new(99));
        assert_eq!((samples.unsealed(), samples.backward_steps()), (1, 2));
        samples.discard_unsealed();
        samples.sort();
        let sizes: Vec<u64> = samples.all_points().map(|(_, size)| size.get()).collect();
        assert_eq!(sizes, [4, 5, 2, 1, 3]);
        assert_eq!(samples.total(1), 5);
    }
}
