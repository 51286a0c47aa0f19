//! The points of all samples, in columns as narrow as their values allow.
//!
//! A profile of 8 000 samples of 1 000 bands has eight million points, and apart from reading the
//! bytes, most of the time goes into filling the pages of memory for them. Nearly always there are
//! fewer than 65 536 bands and all are below 4 GiB: then a point takes 6 bytes. The first point
//! that does not fit widens all points to 12 bytes; no value is ever rounded.

use std::ops::Range;

use super::bands::BandId;
use crate::base::units::Bytes;

/// A growing list of bands and sizes.
#[derive(Clone, Debug)]
pub struct Points {
    columns: Columns,
}

#[derive(Clone, Debug)]
enum Columns {
    Narrow(Vec<u16>, Vec<u32>),
    Wide(Vec<u32>, Vec<u64>),
}

impl Default for Points {
    fn default() -> Self {
        Points { columns: Columns::Narrow(Vec::new(), Vec::new()) }
    }
}

impl Points {
    /// The number of points.
    pub fn len(&self) -> usize {
        match &self.columns {
            Columns::Narrow(_, sizes) => sizes.len(),
            Columns::Wide(_, sizes) => sizes.len(),
        }
    }

    /// Bytes of memory that the points take.
    pub fn bytes(&self) -> usize {
        let point = match &self.columns {
            Columns::Narrow(..) => 6,
            Columns::Wide(..) => 12,
        };
        point * self.len()
    }

    /// Adds a point.
    #[inline]
    pub fn push(&mut self, band: BandId, size: Bytes) {
        match &mut self.columns {
            Columns::Narrow(bands, sizes) => match narrow(band, size) {
                Some((band, size)) => {
                    bands.push(band);
                    sizes.push(size);
                }
                None => self.push_wide(band, size),
            },
            Columns::Wide(bands, sizes) => {
                bands.push(band.number());
                sizes.push(size.get());
            }
        }
    }

    /// Adds several points, given as two columns of equal length: one column after the other, which takes a
    /// third of the time of adding them one by one.
    #[inline]
    pub fn extend(&mut self, added: &[BandId], bytes: &[u64]) {
        match &mut self.columns {
            Columns::Narrow(bands, sizes) => {
                let all_bands = added.iter().fold(0, |bits, band| bits | band.number());
                let all_bytes = bytes.iter().fold(0, |bits, bytes| bits | bytes);
                if all_bands > u16::MAX.into() || all_bytes > u32::MAX.into() {
                    let points = added.iter().zip(bytes);
                    return points.for_each(|(&band, &size)| self.push(band, Bytes::new(size)));
                }
                bands.extend(added.iter().map(|band| band.number() as u16));
                sizes.extend(bytes.iter().map(|&size| size as u32));
            }
            Columns::Wide(bands, sizes) => {
                bands.extend(added.iter().map(|band| band.number()));
                sizes.extend_from_slice(bytes);
            }
        }
    }

    #[cold]
    fn push_wide(&mut self, band: BandId, size: Bytes) {
        self.widen();
        self.push(band, size);
    }

    fn widen(&mut self) {
        if let Columns::Narrow(bands, sizes) = &mut self.columns {
            // One column after the other, so that both of one kind are in memory only for a moment.
            let bands = std::mem::take(bands).iter().map(|&band| band.into()).collect();
            let sizes = std::mem::take(sizes).iter().map(|&size| size.into()).collect();
            self.columns = Columns::Wide(bands, sizes);
        }
    }

    /// Replaces a point.
    pub fn set(&mut self, at: usize, band: BandId, size: Bytes) {
        if let Columns::Narrow(bands, sizes) = &mut self.columns {
            match narrow(band, size) {
                Some(point) => return (bands[at], sizes[at]) = point,
                None => self.widen(),
            }
        }
        if let Columns::Wide(bands, sizes) = &mut self.columns {
            (bands[at], sizes[at]) = (band.number(), size.get());
        }
    }

    /// The point at a place.
    pub fn get(&self, at: usize) -> (BandId, Bytes) {
        match &self.columns {
            Columns::Narrow(bands, sizes) => wide(&bands[at], &sizes[at]),
            Columns::Wide(bands, sizes) => wide(&bands[at], &sizes[at]),
        }
    }

    /// Whether all sizes are below 4 GiB, so that no sum of them can exceed 64 bits.
    pub fn are_small(&self) -> bool {
        matches!(self.columns, Columns::Narrow(..))
    }

    /// Moves some points to an earlier place, over those that are there.
    pub fn move_down(&mut self, from: Range<usize>, to: usize) {
        if from.start == to {
            return;
        }
        match &mut self.columns {
            Columns::Narrow(bands, sizes) => {
                bands.copy_within(from.clone(), to);
                sizes.copy_within(from, to);
            }
            Columns::Wide(bands, sizes) => {
                bands.copy_within(from.clone(), to);
                sizes.copy_within(from, to);
            }
        }
    }

    /// Makes the columns as narrow as they can be: what needed wide ones may have been removed.
    pub fn narrow(&mut self) {
        let Columns::Wide(bands, sizes) = &mut self.columns else { return };
        let bits = |bits: u64, next: u64| bits | next;
        let all_bands = bands.iter().map(|&band| band.into()).fold(0, bits);
        let all_sizes = sizes.iter().copied().fold(0, bits);
        if all_bands <= u16::MAX.into() && all_sizes <= u32::MAX.into() {
            let bands = std::mem::take(bands).into_iter().map(|band| band as u16).collect();
            let sizes = std::mem::take(sizes).into_iter().map(|size| size as u32).collect();
            self.columns = Columns::Narrow(bands, sizes);
        }
    }

    /// Removes the points from a place on.
    pub fn truncate(&mut self, len: usize) {
        match &mut self.columns {
            Columns::Narrow(bands, sizes) => {
                bands.truncate(len);
                sizes.truncate(len);
            }
            Columns::Wide(bands, sizes) => {
                bands.truncate(len);
                sizes.truncate(len);
            }
        }
    }

    /// The points between two places.
    pub fn between(&self, start: usize, end: usize) -> Iter<'_> {
        match &self.columns {
            Columns::Narrow(bands, sizes) => {
                Iter::Narrow(bands[start..end].iter(), sizes[start..end].iter())
            }
            Columns::Wide(bands, sizes) => {
                Iter::Wide(bands[start..end].iter(), sizes[start..end].iter())
            }
        }
    }
}

fn narrow(band: BandId, size: Bytes) -> Option<(u16, u32)> {
    Some((u16::try_from(band.number()).ok()?, u32::try_from(size.get()).ok()?))
}

fn wide<B: Copy + Into<u32>, S: Copy + Into<u64>>(band: &B, size: &S) -> (BandId, Bytes) {
    (BandId::of((*band).into()), Bytes::new((*size).into()))
}

/// Iterates over points. `for_each` and everything else based on `fold` checks only once how wide
/// they are.
#[derive(Clone, Debug)]
pub enum Iter<'a> {
    /// Over narrow columns.
    Narrow(std::slice::Iter<'a, u16>, std::slice::Iter<'a, u32>),
    /// Over wide columns.
    Wide(std::slice::Iter<'a, u32>, std::slice::Iter<'a, u64>),
}

impl Iterator for Iter<'_> {
    type Item = (BandId, Bytes);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Iter::Narrow(bands, sizes) => Some(wide(bands.next()?, sizes.next()?)),
            Iter::Wide(bands, sizes) => Some(wide(bands.next()?, sizes.next()?)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Iter::Narrow(bands, _) => bands.size_hint(),
            Iter::Wide(bands, _) => bands.size_hint(),
        }
    }

    #[inline]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        match self {
            Iter::Narrow(bands, sizes) => {
                bands.zip(sizes).fold(init, |folded, (band, size)| f(folded, wide(band, size)))
            }
            Iter::Wide(bands, sizes) => {
                bands.zip(sizes).fold(init, |folded, (band, size)| f(folded, wide(band, size)))
            }
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_any_width_are_stored() {
        const FOUR_GIB: u64 = 1 << 32;
        for (band, size, is_narrow) in [
            (65_535, FOUR_GIB - 1, true),
            (65_536, 1, false),
            (1, FOUR_GIB, false),
            (u32::MAX - 1, u64::MAX, false),
        ] {
            let point = |band, size| (BandId::of(band), Bytes::new(size));
            let mut all = vec![point(0, 5), point(band, size), point(7, 9)];
            let mut points = Points::default();
            all.iter().for_each(|&(band, size)| points.push(band, size));
            let mut at_once = Points::default();
            let (bands, sizes): (Vec<BandId>, Vec<u64>) =
                all.iter().map(|(band, size)| (*band, size.get())).unzip();
            at_once.extend(&bands, &sizes);
            assert_eq!(matches!(points.columns, Columns::Narrow(..)), is_narrow);
            let check = |points: &Points, all: &[_]| {
                assert_eq!(points.between(0, points.len()).collect::<Vec<_>>(), all);
                let mut folded = Vec::new();
                points.between(1, 3).for_each(|point| folded.push(point));
                assert_eq!((&folded[..], points.get(2)), (&all[1..3], all[2]));
                assert_eq!(points.between(1, 3).len(), 2);
            };
            check(&points, &all);
            check(&at_once, &all);

            let mut points = Points::default();
            (0..4).for_each(|band| points.push(BandId::of(band), Bytes::ZERO));
            all.iter().enumerate().for_each(|(i, &(band, size))| points.set(i, band, size));
            points.truncate(3);
            check(&points, &all);
            points.truncate(1);
            all.truncate(1);
            assert_eq!(points.between(0, 1).collect::<Vec<_>>(), all);
        }
    }
}
