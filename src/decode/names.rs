//! The names of bands as they are in a file, numbered, and found again without hashing.
//!
//! A run-time system names the bands of every sample in a similar order. So each name remembers
//! which one followed it last time, and the text is compared with that one first. In profiles with
//! few bands that is right two times out of three, in those of GHC compiling a module one time out
//! of three; it then costs a comparison of some thirty bytes. Only when it is wrong is the name's
//! end sought and the name hashed.
//!
//! This is a cache before the profile's own bands: it holds no more than [`MOST_BYTES`], and does
//! not go on where too many names fall on one place. What it does not take has to be found there.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::error::Error;
use crate::profile::{BandId, BandKeyRef, ProfileBuilder};

/// How many bytes of names are held.
const MOST_BYTES: usize = 16 << 20;

/// How many occupied slots a search passes: names that somebody made to fall on one place are not
/// worth more.
const MOST_PROBES: usize = 32;

const NONE: u32 = u32::MAX;

/// Names, numbered from 0 by first appearance. Each is held with what ends it in the file, so that
/// no name is the beginning of another.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    names: Vec<Name>,
    /// Open addressing, a power of two long: the upper half of a name's hash, and its number.
    slots: Vec<(u32, u32)>,
    /// The name that was met last.
    last: u32,
}

#[derive(Clone, Copy, Debug)]
struct Name {
    start: u32,
    end: u32,
    /// The name that followed it last time.
    next: u32,
}

impl Names {
    /// The number and length of the expected name, if `text` begins with it.
    #[inline(always)]
    pub fn expected(&mut self, text: &[u8]) -> Option<(u32, usize)> {
        let expected = self.names.get(self.last as usize)?.next;
        let name = self.names.get(expected as usize)?;
        let bytes = &self.bytes[name.start as usize..name.end as usize];
        if !text.starts_with(bytes) {
            return None;
        }
        self.last = expected;
        Some((expected, bytes.len()))
    }

    /// The number of a name given with its end.
    pub fn find(&mut self, name: &[u8]) -> Option<u32> {
        let (tag, mut slot) = self.place(name);
        for _ in 0..MOST_PROBES {
            let (known, number) = *self.slots.get(slot)?;
            if number == NONE {
                return None;
            }
            if known == tag && self.bytes_of(number) == name {
                self.met(number);
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
        if 2 * (self.names.len() + 1) > self.slots.len() {
            self.grow();
        }
        let number = self.names.len() as u32;
        let slot = self.vacancy(name)?;
        self.slots[slot] = (self.place(name).0, number);
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(name);
        self.names.push(Name { start, end: self.bytes.len() as u32, next: number + 1 });
        self.met(number);
        Some(number)
    }

    /// A name with its end, by its number.
    pub fn bytes_of(&self, number: u32) -> &[u8] {
        let name = self.names[number as usize];
        &self.bytes[name.start as usize..name.end as usize]
    }

    fn met(&mut self, number: u32) {
        if let Some(last) = self.names.get_mut(self.last as usize) {
            last.next = number;
        }
        self.last = number;
    }

    /// What is kept of a name's hash, and the slot in which the search for it begins.
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

    /// Makes room for twice as many. A name that finds no slot any more is as good as not held.
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

/// The bands that names stand for, by the numbers of the names.
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

    /// The band of a name that is met for the first time.
    ///
    /// # Errors
    /// [`Error::OverLimit`] and [`Error::OverLimit`] beyond the profile's limits.
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

    fn number(names: &mut Names, name: &[u8]) -> (u32, bool) {
        match names.expected(name) {
            Some((number, length)) => {
                assert_eq!(length, name.len());
                (number, true)
            }
            None => {
                let known = names.find(name);
                (known.or_else(|| names.add(name)).unwrap(), false)
            }
        }
    }

    #[test]
    fn names_are_numbered_by_first_appearance_and_expected_in_the_order_of_last_time() {
        let mut names = Names::default();
        let mut meet = |name: &[u8]| number(&mut names, name);
        assert_eq!(
            [meet(b"a\t"), meet(b"ab\t"), meet(b"c\t")],
            [(0, false), (1, false), (2, false)]
        );
        assert_eq!([meet(b"a\t"), meet(b"ab\t"), meet(b"c\t")], [(0, false), (1, true), (2, true)]);
        assert_eq!([meet(b"a\t"), meet(b"c\t"), meet(b"a\t")], [(0, true), (2, false), (0, true)]);
        assert_eq!([meet(b"c\t"), meet(b"\t"), meet(b"ab\t")], [(2, true), (3, false), (1, false)]);
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
