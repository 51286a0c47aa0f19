//! How much a profile under construction holds, and how it is thinned when it becomes too large.
//!
//! A program that is watched for days has more samples than fit into memory. Of every two
//! neighbours in the older half, the lower sample is dropped, so that peaks stay. Repeated, this
//! keeps all of the recent past and makes the distant past coarser and coarser. Heap figures are
//! thinned in the same way, and the oldest half of the markers is dropped.

use super::{BandId, BandKey, Bands, Marker, ProfileBuilder, Samples, Series, parse_address};

/// How much a profile under construction holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Held {
    /// The number of samples.
    pub samples: usize,
    /// Bytes of samples, markers and heap figures.
    pub bytes: usize,
}

impl ProfileBuilder {
    /// How much the run that is being read holds.
    pub fn held(&self) -> Held {
        let figures: usize = self.heap.iter().map(|(_, series)| series.points.len()).sum();
        let figure = size_of::<(crate::base::units::Nanos, crate::base::units::Bytes)>();
        let markers = self.texts.markers + size_of_val(&self.markers[..]);
        Held {
            samples: self.samples.len(),
            bytes: self.samples.bytes() + figure * figures + markers,
        }
    }

    /// The bands of the run that is being read. Their labels are made at the end; see
    /// [`ProfileBuilder::label`].
    pub fn bands(&self) -> &Bands {
        &self.bands
    }

    /// The complete samples of the run that is being read, in the order of the input.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The markers of the run that is being read, in the order of the input.
    pub fn markers(&self) -> &[Marker] {
        &self.markers
    }

    /// The label of a band, made from the definitions so far.
    pub fn label(&self, band: BandId) -> String {
        let longest = self.limits.text;
        match self.bands.key(band) {
            BandKey::Stack(ids) => self.cost_centres.stack_text(ids, longest),
            BandKey::Name(name) => {
                let table = parse_address(name).and_then(|address| self.info_tables.get(address));
                let text = table.and_then(|table| table.text(longest));
                text.unwrap_or_else(|| String::from_utf8_lossy(name).into_owned())
            }
        }
    }

    /// Thins the older half, and returns how many samples were dropped.
    pub fn thin_older_half(&mut self) -> usize {
        let before = self.samples.len();
        let kept = self.samples.thin_older_half();
        self.tallies.sealed = kept.into_iter().map(|sample| self.tallies.sealed[sample]).collect();
        self.heap.each(Series::thin_older_half);
        if self.samples.bytes() < size_of_val(&self.markers[..]) {
            let gone = self.markers.drain(..self.markers.len() / 2);
            self.texts.markers -= gone.map(|marker| marker.label.len()).sum::<usize>();
        }
        self.update_most_points();
        before - self.samples.len()
    }
}

/// Which of `count` things in a row are kept: all of the newer half, and the higher of each two
/// neighbours in the older half.
fn staying(count: usize, height: impl Fn(usize) -> u128) -> impl Iterator<Item = usize> {
    let older = count / 4 * 2;
    let higher = move |pair: usize| {
        let (first, second) = (2 * pair, 2 * pair + 1);
        if height(first) >= height(second) { first } else { second }
    };
    (0..older / 2).map(higher).chain(older..count)
}

impl Samples {
    /// Bytes of memory that they take.
    fn bytes(&self) -> usize {
        self.points_bytes()
            + (size_of::<crate::base::units::Nanos>() + size_of::<usize>()) * self.len()
    }

    /// Returns which samples stay.
    fn thin_older_half(&mut self) -> Vec<usize> {
        let mut thinned = Samples::default();
        let totals: Vec<u128> = (0..self.len()).map(|sample| self.total(sample)).collect();
        let kept: Vec<usize> = staying(self.len(), |sample| totals[sample]).collect();
        for &sample in &kept {
            self.points(sample).for_each(|(band, size)| thinned.push_point(band, size));
            thinned.seal(self.times()[sample]);
        }
        self.unsealed_points().for_each(|(band, size)| thinned.push_point(band, size));
        *self = thinned;
        kept
    }
}

impl Series {
    fn thin_older_half(&mut self) {
        self.sort();
        let all = std::mem::take(&mut self.points);
        let kept = staying(all.len(), |i| u128::from(all[i].1.get()));
        self.points = kept.map(|i| all[i]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::units::{Bytes, Nanos};
    use crate::profile::{BandKeyRef, HeapFigure, Source};

    #[test]
    fn thinning_keeps_the_newer_half_and_the_higher_of_older_neighbours() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        let band = builder.band(BandKeyRef::Name(b"a")).unwrap();
        for (time, size) in [(0, 5), (1, 9), (2, 8), (3, 1), (4, 3), (5, 2), (6, 7), (7, 6)] {
            builder.point(band, Bytes::new(size));
            builder.seal_sample(Nanos::from_nanos(time));
            builder.heap_point(HeapFigure::Live, Nanos::from_nanos(time), Bytes::new(size));
        }
        builder.point(band, Bytes::new(99));
        let held = builder.held();
        assert_eq!(builder.thin_older_half(), 2);
        assert!(builder.held().bytes < held.bytes);
        builder.seal_sample(Nanos::from_nanos(8));
        let profile = builder.finish();
        let sizes: Vec<u64> = profile.samples.all_points().map(|(_, size)| size.get()).collect();
        assert_eq!(sizes, [9, 8, 3, 2, 7, 6, 99]);
        assert_eq!(profile.heap[HeapFigure::Live].points().len(), 6);
        assert_eq!(profile.samples.times().last(), Some(&Nanos::from_nanos(8)));
    }

    /// Each sample is judged by its own sum, not by that of one that was dropped.
    #[test]
    fn an_impossible_sample_is_found_after_thinning() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        let band = builder.band(BandKeyRef::Name(b"a")).unwrap();
        for (time, size) in [8, 16, 8, 8, 8, 8, 1 << 50, 8].into_iter().enumerate() {
            builder.point(band, Bytes::new(size));
            builder.seal_sample(Nanos::from_nanos(time as i64));
        }
        assert_eq!(builder.thin_older_half(), 2);
        let profile = builder.finish();
        let sizes: Vec<u64> = profile.samples.all_points().map(|(_, size)| size.get()).collect();
        assert_eq!(sizes, [16, 8, 8, 8, 8]);
    }
}
