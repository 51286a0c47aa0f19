//! How much a profile under construction holds, and how it is thinned when it becomes too large.
//!
//! A program that is watched for days has more samples than fit into memory. Of every two
//! neighbours in the older half, the lower sample is dropped, so that peaks stay. Repeated, this
//! keeps all of the recent past and makes the distant past coarser and coarser. Heap figures and markers
//! are thinned in the same way. Each has a share of the memory, so that a flood of messages costs no samples.

use super::{Marker, ProfileBuilder, Samples, Series};
use crate::base::units::{Bytes, Nanos, count};

/// What is left out of the older part of a long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinned {
    Samples,
    HeapFigures,
    Markers,
}

impl Thinned {
    /// All kinds, in the order of their numbers.
    pub(crate) const ALL: &'static [Thinned] =
        &[Thinned::Samples, Thinned::HeapFigures, Thinned::Markers];

    /// The sentence that says how many things were left out.
    pub(crate) fn words(self, left_out: usize) -> String {
        let (things, which) = match self {
            Thinned::Samples => (count(left_out, "sample"), "the lower one"),
            Thinned::HeapFigures => (count(left_out, "heap figure"), "the lower one"),
            Thinned::Markers => (format!("{left_out} markers and messages"), "one"),
        };
        format!(
            "{things} of the older part are left out to save memory: {which} of every two neighbours"
        )
    }
}

/// Fewer things than these are not thinned, however large they are.
const FEW: usize = 64;

/// What an allocator adds to a label.
const LABEL_OVERHEAD: usize = 16;

impl ProfileBuilder {
    /// How many things of a kind there are, and their bytes.
    pub(super) fn held_of(&self, thing: Thinned) -> (usize, usize) {
        match thing {
            Thinned::Samples => (self.samples.len(), self.samples.bytes()),
            Thinned::HeapFigures => {
                let count = self.heap.iter().map(|(_, series)| series.points.len()).sum();
                (count, count * size_of::<(Nanos, Bytes)>())
            }
            Thinned::Markers => {
                let count = self.markers.len();
                let bytes = count * (size_of::<Marker>() + LABEL_OVERHEAD) + self.texts.markers;
                (count, bytes)
            }
        }
    }

    /// Thins the older half of something that takes more than its share of `bytes`, or of the samples, if
    /// they are more than `samples`. Returns what was thinned, and how many were dropped; `None` if there was
    /// nothing to thin.
    pub fn thin(&mut self, bytes: usize, samples: usize) -> Option<(Thinned, usize)> {
        let is_too_much = |thing: Thinned| {
            let (count, held) = self.held_of(thing);
            let most = if thing == Thinned::Samples { samples } else { usize::MAX };
            count >= FEW && (held > share(thing, bytes) || count > most)
        };
        let thing = Thinned::ALL.iter().copied().find(|&thing| is_too_much(thing))?;
        let before = self.held_of(thing).0;
        match thing {
            Thinned::Samples => {
                let kept = self.samples.thin_older_half().into_iter();
                self.tallies.sealed = kept.map(|sample| self.tallies.sealed[sample]).collect();
                self.update_most_points();
            }
            Thinned::HeapFigures => self.heap.each(Series::thin_older_half),
            Thinned::Markers => self.thin_markers(),
        }
        Some((thing, before - self.held_of(thing).0))
    }

    fn thin_markers(&mut self) {
        let mut kept = staying(self.markers.len(), |_| 0).peekable();
        let mut at = 0;
        self.markers.retain(|marker| {
            let stays = kept.next_if_eq(&at).is_some();
            at += 1;
            if !stays {
                self.texts.markers -= marker.label.len();
            }
            stays
        });
    }
}

/// How much of the memory for all kinds one of them may take. Texts and figures take more when they are
/// shown than samples do, and are less often what a long run is watched for.
fn share(thing: Thinned, bytes: usize) -> usize {
    match thing {
        Thinned::Samples => bytes / 4 * 3,
        Thinned::HeapFigures | Thinned::Markers => bytes / 8,
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
        self.points.bytes() + (size_of::<Nanos>() + size_of::<usize>()) * self.len()
    }

    fn thin_older_half(&mut self) -> Vec<usize> {
        let totals: Vec<u128> = (0..self.len()).map(|sample| self.total(sample)).collect();
        let kept: Vec<usize> = staying(self.len(), |sample| totals[sample]).collect();
        self.retain(|sample| kept.binary_search(&sample).is_ok());
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
    use crate::profile::{BandKeyRef, HeapSeriesKind, MarkerKind, Source};

    /// Samples of one band, each with a figure of live data and a marker of the same time and size.
    fn builder(sizes: &[u64], label: usize) -> ProfileBuilder {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        let band = builder.band(BandKeyRef::Name(b"a")).unwrap();
        for (time, &size) in sizes.iter().enumerate() {
            let (time, size) = (Nanos::from_nanos(time as i64), Bytes::new(size));
            builder.point(band, size);
            builder.seal_sample(time);
            builder.heap_point(HeapSeriesKind::Live, time, size);
            builder.marker(time, "m".repeat(label), MarkerKind::Message);
        }
        builder
    }

    #[test]
    fn what_takes_more_than_its_share_is_thinned() {
        let sizes = vec![7; 128];
        let mut talkative = builder(&sizes, 1000);
        let text = |builder: &ProfileBuilder| {
            builder.markers.iter().map(|marker| marker.label.len()).sum::<usize>()
        };
        let bytes = 8 * 110_000;
        assert_eq!(talkative.thin(bytes, 128), Some((Thinned::Markers, 32)));
        assert_eq!((talkative.markers.len(), talkative.texts.markers), (96, text(&talkative)));
        assert_eq!(talkative.markers[31..33].iter().map(|m| m.time.as_nanos()).max(), Some(64));
        assert_eq!(talkative.thin(bytes, 128), None);
        let mut busy = builder(&sizes, 0);
        for time in 0..1000 {
            busy.heap_point(HeapSeriesKind::Size, Nanos::from_nanos(time), Bytes::new(8));
        }
        assert_eq!(busy.thin(8 * 16_000, 128), Some((Thinned::HeapFigures, 32 + 250)));
        // A few are kept, whatever they take.
        while let Some((_, dropped)) = busy.thin(0, 128) {
            assert!(dropped > 0);
        }
        assert!((48..64).contains(&busy.markers.len()), "{}", busy.markers.len());
        assert!((48..64).contains(&busy.samples.len()), "{}", busy.samples.len());
    }

    /// Each sample is judged by its own sum, not by that of one that was dropped.
    #[test]
    fn an_impossible_sample_is_found_after_thinning() {
        let mut builder = ProfileBuilder::new(Source::Eventlog);
        let band = builder.band(BandKeyRef::Name(b"a")).unwrap();
        let sizes = |i| if i == 1 { 16 } else { 8 };
        for time in 0..FEW {
            let size = if time + 2 == FEW { 1 << 50 } else { sizes(time) };
            builder.point(band, Bytes::new(size));
            builder.seal_sample(Nanos::from_nanos(time as i64));
        }
        assert_eq!(builder.thin(usize::MAX, FEW - 1), Some((Thinned::Samples, FEW / 4)));
        let profile = builder.finish();
        let sizes: Vec<u64> = profile.samples.all_points().map(|(_, size)| size.get()).collect();
        assert_eq!((sizes.len(), sizes[0], sizes.iter().max()), (FEW / 4 * 3 - 1, 16, Some(&16)));
    }
}
