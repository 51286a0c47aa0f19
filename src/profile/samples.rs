//! The samples of a profile, sparse and in order of time.

use super::bands::BandId;
use super::points::Points;
use crate::base::units::{Bytes, Nanos};

/// The census results, as columns: sample `i` owns the points `ends[i - 1]..ends[i]`.
///
/// A point is the content of one line or event. A band may have several in one sample (they are
/// disjoint pieces of heap, to be added) and points may be zero; both are kept as in the file,
/// because hp2ps's deviation counts points, not samples. A point takes 6 bytes, or 12 if one point
/// needs them.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    times: Vec<Nanos>,
    ends: Vec<usize>,
    points: Points,
    /// The first sample in which points that were added up exceeded 64 bits.
    held: Option<usize>,
}

impl Samples {
    #[inline]
    pub(super) fn push_point(&mut self, band: BandId, size: Bytes) {
        self.points.push(band, size);
    }

    #[inline]
    pub(super) fn push_points(&mut self, bands: &[BandId], sizes: &[u64]) {
        self.points.extend(bands, sizes);
    }

    /// Makes a sample of the points since the last sample.
    pub(super) fn seal(&mut self, time: Nanos) {
        self.times.push(time);
        self.ends.push(self.points.len());
    }

    /// Bytes of memory that the points take.
    pub(super) fn points_bytes(&self) -> usize {
        self.points.bytes()
    }

    /// How many points there are, sealed or not.
    #[inline]
    pub(super) fn pushed(&self) -> usize {
        self.points.len()
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
        let start = self.ends.last().copied().unwrap_or(0);
        const NONE: usize = usize::MAX;
        let mut place_of = vec![NONE; bands];
        let mut end = start;
        for from in start..self.points.len() {
            let (band, size) = self.points.get(from);
            match place_of[band.index()] {
                NONE => {
                    place_of[band.index()] = end;
                    self.points.set(end, band, size);
                    end += 1;
                }
                place => {
                    let sum = self.points.get(place).1;
                    if sum.get().checked_add(size.get()).is_none() {
                        self.held.get_or_insert(self.ends.len());
                    }
                    self.points.set(place, band, sum.plus(size));
                }
            }
        }
        self.points.truncate(end);
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

    /// Leaves out the samples for which `keep` is false.
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let (mut samples, mut points, mut start) = (0, 0, 0);
        for i in 0..self.len() {
            let end = self.ends[i];
            if keep(i) {
                // A copy of all would take as much memory again.
                self.points.move_down(start..end, points);
                points += end - start;
                (self.times[samples], self.ends[samples]) = (self.times[i], points);
                samples += 1;
            }
            start = end;
        }
        self.times.truncate(samples);
        self.ends.truncate(samples);
        self.points.truncate(points);
        self.points.narrow();
        self.held = None;
    }

    /// Gives every band another number, in place: a copy would take as much memory again.
    pub(super) fn renumber(&mut self, number: impl Fn(BandId) -> BandId) {
        for at in 0..self.points.len() {
            let (band, size) = self.points.get(at);
            self.points.set(at, number(band), size);
        }
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
            self.points(i).for_each(|(band, size)| sorted.push_point(band, size));
            sorted.seal(self.times[i]);
        }
        *self = sorted;
    }

    fn range(&self, sample: usize) -> (usize, usize) {
        let start = if sample == 0 { 0 } else { self.ends[sample - 1] };
        (start, self.ends[sample])
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The time of every sample.
    pub fn times(&self) -> &[Nanos] {
        &self.times
    }

    /// The points of one sample, in the order of the file.
    pub fn points(&self, sample: usize) -> impl ExactSizeIterator<Item = (BandId, Bytes)> + '_ {
        let (start, end) = self.range(sample);
        self.points.between(start, end)
    }

    /// The points of some samples, in order.
    pub fn points_of(
        &self,
        samples: std::ops::Range<usize>,
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

#[cfg(test)]
mod tests {
    use super::super::bands::{BandKeyRef, Bands};
    use super::*;

    #[test]
    fn merging_adds_up_the_open_sample_only() {
        let mut bands = Bands::default();
        let [a, b] = [b"a", b"b"].map(|name| bands.intern(BandKeyRef::Name(name)));
        let mut samples = Samples::default();
        let push = |samples: &mut Samples, points: &[_]| {
            points.iter().for_each(|&(band, size)| samples.push_point(band, Bytes::new(size)));
        };
        push(&mut samples, &[(a, 1), (a, 2)]);
        samples.seal(Nanos::ZERO);
        push(&mut samples, &[(b, 4), (a, 8), (b, 16), (b, 32)]);
        samples.merge_unsealed(2);
        samples.seal(Nanos::ZERO);
        let points: Vec<_> = samples.all_points().map(|(band, size)| (band, size.get())).collect();
        assert_eq!(points, [(a, 1), (a, 2), (b, 52), (a, 8)]);
    }

    #[test]
    fn sorting_keeps_points_with_their_sample_and_ties_in_file_order() {
        let mut bands = Bands::default();
        let band = bands.intern(BandKeyRef::Name(b"a"));
        let mut samples = Samples::default();
        for (time, size) in [(5, 1), (1, 2), (5, 3), (0, 4)] {
            samples.push_point(band, Bytes::new(size));
            samples.seal(Nanos::from_nanos(time));
        }
        samples.push_point(band, Bytes::new(99));
        assert_eq!((samples.unsealed(), samples.backward_steps()), (1, 2));
        samples.discard_unsealed();
        samples.sort();
        let sizes: Vec<u64> = samples.all_points().map(|(_, size)| size.get()).collect();
        assert_eq!(sizes, [4, 2, 1, 3]);
        assert_eq!(samples.total(1), 2);
    }
}
