//! The points of all samples, in columns as narrow as their values allow.
//!
//! A profile of 8 000 samples of 1 000 bands has eight million points, and apart from reading the
//! bytes, most of the time goes into filling the pages of memory for them. Nearly always there are
//! fewer than 65 536 bands and nearly all sizes are below 4 GiB: then a point takes 6 bytes. The few larger
//! sizes are set aside, so that one damaged byte does not double what the others take. Only with more bands,
//! or many large sizes, points take 12 bytes; no value is ever rounded.

use std::iter::{Peekable, Zip};
use std::ops::Range;
use std::slice;

use super::BandId;
use crate::base::units::Bytes;

/// A growing list of bands and sizes.
#[derive(Clone, Debug)]
pub enum Points {
    /// Bands, sizes, and the sizes from 4 GiB on with their places, in order.
    Narrow(Vec<u16>, Vec<u32>, Vec<(usize, u64)>),
    Wide(Vec<u32>, Vec<u64>),
}

/// As many large sizes are set aside in any case: no sample of narrow columns has more bands, so no single
/// damaged sample widens them. They take a megabyte.
const FEW: usize = 1 << 16;

/// Of so many points, one may be large: then those set aside take a sixth of what all others do.
const SELDOM: usize = 16;

impl Default for Points {
    fn default() -> Self {
        Points::Narrow(Vec::new(), Vec::new(), Vec::new())
    }
}

impl Points {
    pub fn len(&self) -> usize {
        match self {
            Points::Narrow(_, sizes, _) => sizes.len(),
            Points::Wide(_, sizes) => sizes.len(),
        }
    }

    /// Bytes of memory that the points take.
    pub fn bytes(&self) -> usize {
        match self {
            Points::Narrow(bands, _, large) => 6 * bands.len() + size_of_val(&large[..]),
            Points::Wide(bands, _) => 12 * bands.len(),
        }
    }

    #[inline]
    pub fn push(&mut self, band: BandId, size: Bytes) {
        match self {
            Points::Narrow(bands, sizes, _) => match narrow(band, size) {
                Some((band, size)) => {
                    bands.push(band);
                    sizes.push(size);
                }
                None => self.push_large(band, size),
            },
            Points::Wide(bands, sizes) => {
                bands.push(band.number());
                sizes.push(size.get());
            }
        }
    }

    /// Adds several points, given as two columns of equal length: one column after the other, which takes a
    /// third of the time of adding them one by one.
    #[inline]
    pub fn extend(&mut self, added: &[BandId], bytes: &[u64]) {
        match self {
            Points::Narrow(bands, sizes, _) => {
                let all_bands = added.iter().fold(0, |bits, band| bits | band.number());
                let all_bytes = bytes.iter().fold(0, |bits, bytes| bits | bytes);
                if all_bands > u16::MAX.into() || all_bytes > u32::MAX.into() {
                    let points = added.iter().zip(bytes);
                    return points.for_each(|(&band, &size)| self.push(band, Bytes::new(size)));
                }
                bands.extend(added.iter().map(|band| band.number() as u16));
                sizes.extend(bytes.iter().map(|&size| size as u32));
            }
            Points::Wide(bands, sizes) => {
                bands.extend(added.iter().map(|band| band.number()));
                sizes.extend_from_slice(bytes);
            }
        }
    }

    /// Sets a large size aside if there are few; widens the columns otherwise.
    #[cold]
    fn push_large(&mut self, band: BandId, size: Bytes) {
        match (&mut *self, u16::try_from(band.number())) {
            (Points::Narrow(bands, sizes, large), Ok(band))
                if large.len() < FEW.max(sizes.len() / SELDOM) =>
            {
                large.push((sizes.len(), size.get()));
                bands.push(band);
                sizes.push(u32::MAX);
            }
            _ => {
                self.widen();
                self.push(band, size);
            }
        }
    }

    fn widen(&mut self) {
        if let Points::Narrow(bands, sizes, large) = self {
            // One column after the other, so that both of one kind are in memory only for a moment.
            let bands = std::mem::take(bands).iter().map(|&band| band.into()).collect();
            let mut sizes: Vec<u64> =
                std::mem::take(sizes).iter().map(|&size| size.into()).collect();
            large.iter().for_each(|&(at, size)| sizes[at] = size);
            *self = Points::Wide(bands, sizes);
        }
    }

    /// Whether all sizes are below 4 GiB, so that no sum of them can exceed 64 bits.
    pub fn are_small(&self) -> bool {
        matches!(self, Points::Narrow(_, _, large) if large.is_empty())
    }

    /// Gives every band another number, which is not higher.
    pub fn renumber(&mut self, number: impl Fn(BandId) -> BandId) {
        let number = |band: u32| number(BandId::of(band)).number();
        let lower = |band: u16| u16::try_from(number(band.into())).expect("not higher");
        match self {
            Points::Narrow(bands, ..) => bands.iter_mut().for_each(|band| *band = lower(*band)),
            Points::Wide(bands, _) => bands.iter_mut().for_each(|band| *band = number(*band)),
        }
    }

    /// Keeps only the points of some ranges, which are in order. They move in place: a copy would take as much
    /// memory again.
    pub fn keep(&mut self, ranges: impl Iterator<Item = Range<usize>> + Clone) {
        match self {
            Points::Narrow(bands, sizes, large) => {
                keep_in(bands, ranges.clone());
                keep_in(sizes, ranges.clone());
                keep_large(large, ranges);
            }
            Points::Wide(bands, sizes) => {
                keep_in(bands, ranges.clone());
                keep_in(sizes, ranges);
            }
        }
    }

    /// Removes the points from a place on.
    pub fn truncate(&mut self, len: usize) {
        match self {
            Points::Narrow(bands, sizes, large) => {
                bands.truncate(len);
                sizes.truncate(len);
                large.truncate(first_from(large, len));
            }
            Points::Wide(bands, sizes) => {
                bands.truncate(len);
                sizes.truncate(len);
            }
        }
    }

    pub fn between(&self, start: usize, end: usize) -> Iter<'_> {
        match self {
            Points::Narrow(bands, sizes, large) => {
                let (bands, sizes) = (bands[start..end].iter(), sizes[start..end].iter());
                match &large[first_from(large, start)..first_from(large, end)] {
                    [] => Iter::Narrow(bands, sizes),
                    large => {
                        Iter::Mixed((start..end).zip(bands.zip(sizes)), large.iter().peekable())
                    }
                }
            }
            Points::Wide(bands, sizes) => {
                Iter::Wide(bands[start..end].iter(), sizes[start..end].iter())
            }
        }
    }
}

fn keep_in<T: Copy>(column: &mut Vec<T>, ranges: impl Iterator<Item = Range<usize>>) {
    let mut len = 0;
    for range in ranges {
        let kept = range.len();
        if range.start > len {
            column.copy_within(range, len);
        }
        len += kept;
    }
    column.truncate(len);
}

fn keep_large(large: &mut Vec<(usize, u64)>, ranges: impl Iterator<Item = Range<usize>>) {
    let all = std::mem::take(large);
    let mut len = 0;
    for range in ranges {
        let kept = &all[first_from(&all, range.start)..first_from(&all, range.end)];
        large.extend(kept.iter().map(|&(at, size)| (at - range.start + len, size)));
        len += range.len();
    }
}

/// Which of the large sizes is the first from a place on.
fn first_from(large: &[(usize, u64)], place: usize) -> usize {
    large.partition_point(|&(at, _)| at < place)
}

fn narrow(band: BandId, size: Bytes) -> Option<(u16, u32)> {
    Some((u16::try_from(band.number()).ok()?, u32::try_from(size.get()).ok()?))
}

fn wide<B: Copy + Into<u32>, S: Copy + Into<u64>>((band, size): (&B, &S)) -> (BandId, Bytes) {
    (BandId::of((*band).into()), Bytes::new((*size).into()))
}

type Places<'a> = Zip<Range<usize>, Zip<slice::Iter<'a, u16>, slice::Iter<'a, u32>>>;
type Large<'a> = Peekable<slice::Iter<'a, (usize, u64)>>;

/// A point of narrow columns, whose size may be the next large one.
fn mixed((at, (band, size)): (usize, (&u16, &u32)), large: &mut Large<'_>) -> (BandId, Bytes) {
    match large.next_if(|large| large.0 == at) {
        Some((_, size)) => wide((band, size)),
        None => wide((band, size)),
    }
}

/// Iterates over points. `for_each` and everything else based on `fold` checks only once how wide
/// they are.
#[derive(Clone, Debug)]
pub enum Iter<'a> {
    Narrow(slice::Iter<'a, u16>, slice::Iter<'a, u32>),
    /// Over places in narrow columns, and the large sizes among them.
    Mixed(Places<'a>, Large<'a>),
    Wide(slice::Iter<'a, u32>, slice::Iter<'a, u64>),
}

impl Iterator for Iter<'_> {
    type Item = (BandId, Bytes);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Iter::Narrow(bands, sizes) => Some(wide((bands.next()?, sizes.next()?))),
            Iter::Mixed(points, large) => Some(mixed(points.next()?, large)),
            Iter::Wide(bands, sizes) => Some(wide((bands.next()?, sizes.next()?))),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Iter::Narrow(bands, _) => bands.size_hint(),
            Iter::Mixed(points, _) => points.size_hint(),
            Iter::Wide(bands, _) => bands.size_hint(),
        }
    }

    #[inline]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        match self {
            Iter::Narrow(bands, sizes) => {
                bands.zip(sizes).fold(init, |folded, point| f(folded, wide(point)))
            }
            Iter::Mixed(points, mut large) => {
                points.fold(init, |folded, point| f(folded, mixed(point, &mut large)))
            }
            Iter::Wide(bands, sizes) => {
                bands.zip(sizes).fold(init, |folded, point| f(folded, wide(point)))
            }
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    const BANDS: [u32; 6] = [0, 1, 7, 300, 65_534, 65_535];
    const SIZES: [u64; 5] = [0, 5, 1 << 31, u32::MAX as u64 - 1, u32::MAX as u64];
    const LARGE: [u64; 4] = [1 << 32, (1 << 32) + 1, (1 << 40) + 5, u64::MAX];

    type Point = (BandId, Bytes);

    fn point(band: u32, size: u64) -> Point {
        (BandId::of(band), Bytes::new(size))
    }

    fn add_all(points: &mut Points, added: &[Point]) {
        let (bands, sizes): (Vec<_>, Vec<_>) =
            added.iter().map(|(band, size)| (*band, size.get())).unzip();
        points.extend(&bands, &sizes);
    }

    /// Checks some points by each way of iterating over them.
    fn check_range(points: &Points, model: &[Point], range: Range<usize>) {
        let mut all = points.between(range.start, range.end);
        assert_eq!(all.len(), range.len());
        let mut folded = Vec::new();
        all.clone().for_each(|point| folded.push(point));
        assert!(folded == model[range.clone()], "{range:?}");
        assert!(
            model[range].iter().all(|&point| all.next() == Some(point)) && all.next().is_none()
        );
    }

    fn check(points: &Points, model: &[Point], random: &mut Random) {
        assert_eq!(points.len(), model.len());
        check_range(points, model, 0..model.len());
        let start = random.index(model.len() + 1);
        check_range(points, model, start..start + random.index(model.len() + 1 - start));
        if let Points::Narrow(.., large) = &points {
            let is_large = |(_, size): &&Point| size.get() > u32::MAX.into();
            assert_eq!(large.len(), model.iter().filter(is_large).count(), "a trace is left");
        }
    }

    #[test]
    fn points_are_as_in_a_plain_list() {
        for seed in 0..60 {
            let mut random = Random::new(seed, "points");
            let (large, wide) = (1 + 7 * (seed % 5), seed % 3 == 2);
            let mut points = Points::default();
            let mut model: Vec<Point> = Vec::new();
            for _ in 0..60 {
                let mut any = || {
                    let is_large = random.one_in(large);
                    let sizes = if is_large { &LARGE[..] } else { &SIZES };
                    let more = if wide && random.one_in(500) { 65_536 } else { 0 };
                    point(more + BANDS[random.index(BANDS.len())], sizes[random.index(sizes.len())])
                };
                let added: Vec<Point> = (0..64).map(|_| any()).collect();
                match random.below(6) {
                    0 => added.iter().for_each(|&(band, size)| {
                        points.push(band, size);
                        model.push((band, size));
                    }),
                    1 | 2 => {
                        add_all(&mut points, &added);
                        model.extend(&added);
                    }
                    3 => {
                        let len = model.len() - random.index(model.len().min(50) + 1);
                        points.truncate(len);
                        model.truncate(len);
                    }
                    4 => {
                        points.renumber(|band| BandId::of(band.number() / 2));
                        model
                            .iter_mut()
                            .for_each(|(band, _)| *band = BandId::of(band.number() / 2));
                    }
                    _ => {
                        let kept: Vec<_> = (0..model.len())
                            .step_by(9)
                            .map(|start| start..model.len().min(start + 9))
                            .filter(|_| !random.one_in(4))
                            .collect();
                        points.keep(kept.iter().cloned());
                        model = kept.into_iter().flat_map(|range| model[range].to_vec()).collect();
                    }
                }
                check(&points, &model, &mut random);
            }
        }
    }
}
