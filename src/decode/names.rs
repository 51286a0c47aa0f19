//! Numbers the names of bands as they are in a file.
//!
//! A name is looked up for every row, so this is optimised for that: one hash of few multiplications, one
//! slot, one comparison. (Guessing the next name from the order of the sample before was faster where two
//! of three guesses were right, and slower in profiles of large programs, where one of three is.)
//!
//! This is a cache before the profile's own bands: it has at most [`MOST_BYTES`], and gives up if
//! too many names have the same place. Names that it does not take must be looked up in the
//! profile.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::error::Error;
use crate::profile::{BandId, BandKeyRef, ProfileBuilder};
use crate::units::Bytes;

/// A point as it is read: the number of its name, and its size.
pub type Row = (u32, u64);

/// The most bytes of names that are kept.
const MOST_BYTES: usize = 16 << 20;

/// The most occupied slots that a search visits; names that were crafted to have the same place do
/// not deserve more.
const MOST_PROBES: usize = 32;

const NONE: u32 = u32::MAX;

/// Names, numbered from 0 by first appearance. Each is stored with its terminator from the file, so
/// that no name is the beginning of another.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    names: Vec<Name>,
    /// Open addressing, a power of two long: the upper half of a name's hash, and its number.
    slots: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Name {
    start: u32,
    end: u32,
}

impl Names {
    /// The number of a name given with its end.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let (tag, mut slot) = self.place(name);
        for _ in 0..MOST_PROBES {
            let (known, number) = *self.slots.get(slot)?;
            if number == NONE {
                return None;
            }
            if known == tag && same(self.bytes_of(number), name) {
                return Some(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// Adds a name that [`Names::find`] did not find, if there is room.
    pub fn add(&mut self, name: &[u8]) -> Option<u32> {
        if self.bytes.len() + name.len() > MOST_BYTES {
            return None;
        }
        // A search that continues to another slot costs more than memory.
        if 4 * (self.names.len() + 1) > self.slots.len() {
            self.grow();
        }
        let number = self.names.len() as u32;
        let slot = self.vacancy(name)?;
        self.slots[slot] = (self.place(name).0, number);
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(name);
        self.names.push(Name { start, end: self.bytes.len() as u32 });
        Some(number)
    }

    /// The number of names.
    pub fn count(&self) -> u32 {
        self.names.len() as u32
    }

    /// A name with its end, by its number.
    pub fn bytes_of(&self, number: u32) -> &[u8] {
        let name = self.names[number as usize];
        &self.bytes[name.start as usize..name.end as usize]
    }

    /// The part of a name's hash that is kept, and the slot in which the search for it begins.
    fn place(&self, name: &[u8]) -> (u32, usize) {
        let mut hasher = FxHasher::default();
        hasher.write(name);
        let hash = hasher.finish();
        ((hash >> 32) as u32, hash as usize & self.slots.len().wrapping_sub(1))
    }

    fn vacancy(&self, name: &[u8]) -> Option<usize> {
        let start = self.place(name).1;
        let places = (start..start + MOST_PROBES).map(|slot| slot & (self.slots.len() - 1));
        places.into_iter().find(|&slot| self.slots[slot].1 == NONE)
    }

    /// Doubles the table. A name that no longer finds a slot is treated as unknown.
    fn grow(&mut self) {
        self.slots = vec![(0, NONE); (2 * self.slots.len()).max(64)];
        for number in 0..self.names.len() as u32 {
            let name = self.names[number as usize];
            let bytes = &self.bytes[name.start as usize..name.end as usize];
            if let Some(slot) = self.vacancy(bytes) {
                self.slots[slot] = (self.place(bytes).0, number);
            }
        }
    }
}

/// Whether two texts are the same. Names have about thirty bytes, and comparing these inline takes half
/// as long as a call.
#[inline(always)]
fn same(a: &[u8], b: &[u8]) -> bool {
    const HALF: usize = 16;
    if a.len() != b.len() || !(HALF..=4 * HALF).contains(&a.len()) {
        return a == b;
    }
    let differ = |from: usize| -> u128 {
        let of =
            |text: &[u8]| text[from..].first_chunk().map_or(0, |part| u128::from_le_bytes(*part));
        of(a) ^ of(b)
    };
    let last = a.len() - HALF;
    let mut differing = differ(0) | differ(last);
    if last > HALF {
        differing |= differ(HALF) | differ(last - HALF);
    }
    differing == 0
}

/// The bands of names, by the numbers of the names.
#[derive(Clone, Debug, Default)]
pub struct KnownBands {
    bands: Vec<Option<BandId>>,
}

impl KnownBands {
    /// The band of a name.
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<BandId> {
        self.bands.get(number as usize).copied().flatten()
    }

    /// Adds the points of some rows. `meet` creates the band of a new name.
    ///
    /// # Errors
    /// Those of `meet`.
    #[inline]
    pub fn add<F>(
        &mut self,
        rows: &[Row],
        profile: &mut ProfileBuilder,
        mut meet: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&mut KnownBands, u32, &mut ProfileBuilder) -> Result<BandId, Error>,
    {
        let point = |&(name, size): &Row| Some((self.get(name)?, Bytes::new(size)));
        // Nearly always, all are known; then the points are added as whole columns.
        if rows.iter().all(|row| point(row).is_some()) {
            let known = |row| point(row).expect("all are known");
            profile.points(rows.iter().map(known));
            return Ok(());
        }
        for &(name, size) in rows {
            let band = match self.get(name) {
                Some(band) => band,
                None => meet(self, name, profile)?,
            };
            profile.point(band, Bytes::new(size));
        }
        Ok(())
    }

    /// The band of a new name.
    ///
    /// # Errors [`Error::OverLimit`] beyond the profile's limits.
    #[cold]
    pub fn meet(
        &mut self,
        number: u32,
        key: BandKeyRef<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<BandId, Error> {
        let band = profile.band(key)?;
        // A cut name is reported every time.
        let is_whole = !matches!(key, BandKeyRef::Name(name) if name.len() > profile.limits().text);
        if is_whole {
            let at = number as usize;
            self.bands.resize(self.bands.len().max(at + 1), None);
            self.bands[at] = Some(band);
        }
        Ok(band)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_by_first_appearance() {
        let mut names = Names::default();
        let mut meet = |name: &[u8]| names.find(name).or_else(|| names.add(name)).unwrap();
        assert_eq!([meet(b"a\t"), meet(b"ab\t"), meet(b"c\t")], [0, 1, 2]);
        assert_eq!([meet(b"c\t"), meet(b"\t"), meet(b"a\t")], [2, 3, 0]);
    }

    #[test]
    fn texts_are_the_same_only_if_all_their_bytes_are() {
        for length in 0..100 {
            let text = vec![b'x'; length];
            assert!(same(&text, &text.clone()));
            assert!(!same(&text, &vec![b'x'; length + 1]));
            for at in 0..length {
                let mut other = text.clone();
                other[at] = b'y';
                assert!(!same(&text, &other), "{at} of {length}");
            }
        }
    }

    #[test]
    fn many_names_are_found_again() {
        let mut names = Names::default();
        let all: Vec<Vec<u8>> = (0..20_000).map(|i| format!("{i}\t").into_bytes()).collect();
        for (i, name) in all.iter().enumerate() {
            assert_eq!(names.find(name), None);
            assert_eq!(names.add(name), Some(i as u32));
        }
        for (i, name) in all.iter().enumerate().rev() {
            assert_eq!((names.find(name), names.bytes_of(i as u32)), (Some(i as u32), &name[..]));
        }
    }

    #[test]
    fn no_more_is_held_than_there_is_room_for() {
        let mut names = Names::default();
        let long = vec![b'x'; MOST_BYTES / 2];
        assert_eq!(
            [names.add(&long), names.add(b"y\t"), names.add(&long)],
            [Some(0), Some(1), None]
        );
        assert_eq!(names.find(b"y\t"), Some(1));
    }
}
