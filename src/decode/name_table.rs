//! Gives a number to each name of a band in a file.
//!
//! A name is looked up for every row, so this table does nothing else: one hash, one slot, one comparison.
//! (Guessing the next name from the order of the previous sample was faster if two of three guesses were
//! right, but slower in profiles of large programs, in which only one of three is.)
//!
//! Two things cost more than the work itself and are avoided. Names have different lengths, and a loop over
//! the bytes of each would have a branch that is often mispredicted: so names of up to 64 bytes are hashed
//! as four or eight words, and compared as four vectors. And with many bands the slots and names
//! are not in the nearest caches: so [`Names::number_all`] looks up many slots in a short loop, in which
//! the processor waits for several of them at once.
//!
//! This is a cache before the profile's own bands: it has at most [`MOST_BYTES`], and gives up if too many
//! names have the same slot. Names that it does not accept must be looked up in the
//! profile.

use wide::u8x16;

use crate::base::units::Bytes;
use crate::incident::error::Error;
use crate::profile::{BandId, BandKeyRef, ProfileBuilder};

/// Points as they are read, in columns of equal length.
#[derive(Clone, Debug, Default)]
pub struct PointColumns {
    /// The number of each point's name.
    pub names: Vec<u32>,
    /// The size of each point, in bytes.
    pub sizes: Vec<u64>,
}

impl PointColumns {
    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn clear(&mut self) {
        self.names.clear();
        self.sizes.clear();
    }
}

/// A name in a text, to be looked up.
#[derive(Clone, Copy, Debug, Default)]
pub struct WantedName {
    start: u32,
    len: u32,
    hash: u64,
}

/// How many names are found before they are looked up.
pub const BATCH: usize = 64;

/// The points that are being read: their names, and their sizes in bytes. Arrays need no test for more
/// space.
#[derive(Clone, Debug)]
pub struct Batch {
    pub names: Box<[WantedName; BATCH]>,
    pub sizes: Box<[u64; BATCH]>,
}

impl Default for Batch {
    fn default() -> Self {
        Batch { names: Box::new([WantedName::default(); BATCH]), sizes: Box::new([0; BATCH]) }
    }
}

/// The length up to which a name is hashed and compared at once, in bytes.
pub const WIDE: usize = 64;

/// The length up to which half of them are enough. There are no more such steps, because each is a branch that
/// is mispredicted wherever lengths vary.
const HALF: usize = WIDE / 2;

/// The words of the first `len` of [`WIDE`] bytes, which are more than [`HALF`]: from the front, and as many up
/// to the end, so that those in the middle may overlap and none needs a mask.
#[inline(always)]
fn words(bytes: &[u8; WIDE], len: usize) -> [u64; 8] {
    let last = &bytes[..len][len - HALF..];
    std::array::from_fn(|i| if i < 4 { word(bytes, 8 * i) } else { word(last, 8 * (i - 4)) })
}

/// The words of the first `len` bytes, at most [`HALF`] of them; bytes after `len` are zero.
#[inline(always)]
fn few_words(bytes: &[u8; WIDE], len: usize) -> [u64; 4] {
    /// From `HALF - n` on, `n` bytes that keep are followed by as many that clear.
    const KEEP: [u8; 2 * HALF] = {
        let mut keep = [0; 2 * HALF];
        let mut i = 0;
        while i < HALF {
            keep[i] = 0xFF;
            i += 1;
        }
        keep
    };
    let keep = &KEEP[HALF - len..][..HALF];
    std::array::from_fn(|i| word(bytes, 8 * i) & word(keep, 8 * i))
}

/// The [`WIDE`] bytes from a position on, if a text has so many.
#[inline(always)]
pub fn wide_at(text: &[u8], start: usize) -> Option<&[u8; WIDE]> {
    // One comparison; with `first_chunk` of the rest, they are two.
    text.get(start..start + WIDE)?.first_chunk()
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("the caller has so many"))
}

/// [`WIDE`] bytes at the end of a text, of which only the first are given.
#[cold]
fn padded(text: &[u8]) -> [u8; WIDE] {
    let mut bytes = [0; WIDE];
    bytes[..text.len()].copy_from_slice(text);
    bytes
}

#[inline(always)]
fn hash_of(text: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    match wide_at(text, start) {
        Some(bytes) if len <= WIDE => hash_wide(bytes, len),
        _ => hash_slowly(&text[start..end]),
    }
}

/// The product of two numbers with its halves combined, so that every bit depends on all of theirs.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Digits of pi, so that zeros do not result in zeros.
const SEEDS: [u64; HALF / 8] =
    [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344, 0xA409_3822_299F_31D0, 0x082E_FA98_EC4E_6C89];

#[inline(always)]
fn hash_wide(bytes: &[u8; WIDE], len: usize) -> u64 {
    let length = len as u64;
    if len <= HALF {
        let [a, b, c, d] = few_words(bytes, len);
        return fold(a ^ SEEDS[0], b ^ SEEDS[1] ^ length)
            ^ fold(c ^ SEEDS[2], d ^ SEEDS[3] ^ length);
    }
    // Rotated by no multiple of a byte: otherwise similar words would cancel each other out.
    let words = words(bytes, len);
    let [a, b, c, d] = std::array::from_fn(|i| words[i] ^ words[i + 4].rotate_left(29));
    fold(a ^ SEEDS[0] ^ length, b ^ SEEDS[1]) ^ fold(c ^ SEEDS[2], d ^ SEEDS[3])
}

/// Whether the first `len` bytes are equal, which are at least one.
#[inline(always)]
fn equal_wide(a: &[u8; WIDE], b: &[u8; WIDE], len: usize) -> bool {
    let pairs = a.as_chunks().0.iter().zip(b.as_chunks().0);
    let equal = bits(pairs.map(|(&a, &b)| u8x16::new(a).simd_eq(u8x16::new(b))));
    (!equal).wrapping_shl((WIDE - len) as u32) == 0
}

/// A bit for each byte up to 0x20.
#[inline(always)]
pub fn separators(text: &[u8; WIDE]) -> u64 {
    let last = u8x16::splat(0x20);
    bits(text.as_chunks().0.iter().map(|&bytes| u8x16::new(bytes).max(last).simd_eq(last)))
}

/// A bit for each byte of some vectors, which are ones or zeros.
#[inline(always)]
fn bits(vectors: impl DoubleEndedIterator<Item = u8x16>) -> u64 {
    vectors.rev().fold(0, |bits, vector| bits << 16 | u64::from(vector.to_bitmask()))
}

/// The hash of a name that is long or at the end of a text.
#[inline(never)]
fn hash_slowly(name: &[u8]) -> u64 {
    let (first, rest) = name.split_at(name.len().min(WIDE));
    let hash = hash_wide(&padded(first), first.len());
    rest.chunks(WIDE).fold(hash, |hash, part| {
        fold(hash ^ SEEDS[1], hash_wide(&padded(part), part.len()) ^ SEEDS[2])
    })
}

impl WantedName {
    /// The name between two positions of a text, the first of which is below 4 GiB.
    #[inline(always)]
    pub fn new(text: &[u8], start: usize, end: usize) -> Self {
        let len = (end - start) as u32;
        WantedName { start: start as u32, len, hash: hash_of(text, start, end) }
    }

    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// The bytes of the name, in the text in which it was found.
    pub fn of<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..][..self.len as usize]
    }
}

/// The most bytes of names that are kept.
const MOST_BYTES: usize = 16 << 20;

/// The most occupied slots that a search visits; names crafted to have the same slot do not deserve
/// more.
const MOST_PROBES: usize = 32;

const NONE: u32 = u32::MAX;

/// Names, numbered from 0 by first appearance. Each is stored with its terminator from the file, so
/// that no name is the beginning of another.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    names: Vec<NameBytes>,
    /// Open addressing, a power of two long: the upper half of a name's hash, and its number.
    slots: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct NameBytes {
    start: u32,
    len: u32,
}

impl Names {
    /// The number of a name, given with its terminator.
    #[cfg(test)]
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.find_wanted(name, &WantedName::new(name, 0, name.len()))
    }

    /// The number of a name in a text.
    pub fn find_wanted(&self, text: &[u8], wanted: &WantedName) -> Option<u32> {
        let tag = tag_of(wanted.hash);
        let mut slot = self.first_slot(wanted.hash);
        for _ in 0..MOST_PROBES {
            let (known, number) = *self.slots.get(slot)?;
            if number == NONE {
                return None;
            }
            if known == tag && self.is(number, text, wanted) {
                return Some(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// Adds the numbers of some names of a text to a column. `new` numbers an unknown name; if it does not,
    /// this ends. Returns how many numbers were added.
    #[inline(always)]
    pub fn number_all(
        &mut self,
        text: &[u8],
        wanted: &[WantedName],
        numbers: &mut Vec<u32>,
        mut new: impl FnMut(&mut Names, usize) -> Option<u32>,
    ) -> usize {
        let first = numbers.len();
        numbers.extend(wanted.iter().map(|wanted| self.candidate(wanted.hash)));
        let mut at = 0;
        loop {
            // Nearly all candidates are right. With the table unchanged, the loop keeps its addresses.
            let known = &*self;
            let pairs = wanted[at..].iter().zip(&numbers[first + at..]);
            let right = |(wanted, &number): (&WantedName, &u32)| known.is(number, text, wanted);
            at += match pairs.into_iter().position(|pair| !right(pair)) {
                Some(wrong) => wrong,
                None => return wanted.len(),
            };
            // It may have been added since its slot was looked at, or share its tag with another.
            match self.find_wanted(text, &wanted[at]).or_else(|| new(self, at)) {
                Some(number) => numbers[first + at] = number,
                None => {
                    numbers.truncate(first + at);
                    return at;
                }
            }
            at += 1;
        }
    }

    /// The number that a name with a hash most probably has; [`NONE`] if there is no candidate.
    #[inline(always)]
    fn candidate(&self, hash: u64) -> u32 {
        let mut slot = self.first_slot(hash);
        for _ in 0..MOST_PROBES {
            match self.slots.get(slot) {
                Some(&(tag, number)) if tag == tag_of(hash) || number == NONE => return number,
                Some(_) => slot = (slot + 1) & (self.slots.len() - 1),
                None => return NONE,
            }
        }
        NONE
    }

    /// Whether a name has this number, which may be [`NONE`].
    #[inline(always)]
    fn is(&self, number: u32, text: &[u8], wanted: &WantedName) -> bool {
        let Some(&NameBytes { start, len }) = self.names.get(number as usize) else { return false };
        if len != wanted.len {
            return false;
        }
        let len = len as usize;

        match (wide_at(&self.bytes, start as usize), wide_at(text, wanted.start())) {
            (Some(known), Some(given)) if len <= WIDE => equal_wide(known, given, len),
            _ => self.bytes_of(number) == wanted.of(text),
        }
    }

    /// Adds an unknown name, if there is space.
    pub fn add(&mut self, name: &[u8]) -> Option<u32> {
        if self.bytes.len() + name.len() > MOST_BYTES {
            return None;
        }
        // A search that continues to another slot costs more than memory.
        if 4 * (self.names.len() + 1) > self.slots.len() {
            self.grow();
        }
        let number = self.names.len() as u32;
        let hash = hash_of(name, 0, name.len());
        let slot = self.vacancy(hash)?;
        self.slots[slot] = (tag_of(hash), number);
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(name);
        self.names.push(NameBytes { start, len: name.len() as u32 });
        Some(number)
    }

    /// A name with its terminator, by its number.
    pub fn bytes_of(&self, number: u32) -> &[u8] {
        let name = self.names[number as usize];
        &self.bytes[name.start as usize..][..name.len as usize]
    }

    /// The slot in which the search for a name begins.
    #[inline(always)]
    fn first_slot(&self, hash: u64) -> usize {
        hash as usize & self.slots.len().wrapping_sub(1)
    }

    fn vacancy(&self, hash: u64) -> Option<usize> {
        let start = self.first_slot(hash);
        let places = (start..start + MOST_PROBES).map(|slot| slot & (self.slots.len() - 1));
        places.into_iter().find(|&slot| self.slots[slot].1 == NONE)
    }

    /// Doubles the table. A name that no longer finds a slot is treated as unknown.
    fn grow(&mut self) {
        self.slots = vec![(0, NONE); (2 * self.slots.len()).max(64)];
        for number in 0..self.names.len() as u32 {
            let name = self.names[number as usize];
            let hash = hash_of(&self.bytes, name.start as usize, (name.start + name.len) as usize);
            if let Some(slot) = self.vacancy(hash) {
                self.slots[slot] = (tag_of(hash), number);
            }
        }
    }
}

/// The part of a hash that a slot keeps.
#[inline(always)]
fn tag_of(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The bands of names, indexed by the numbers of the names.
#[derive(Clone, Debug, Default)]
pub struct KnownBands {
    /// The bands, or [`UNKNOWN`].
    bands: Vec<BandId>,
    /// Scratch: the band of each point that is being added.
    found: Vec<BandId>,
}

const UNKNOWN: BandId = BandId::of(u32::MAX);

impl KnownBands {
    #[inline(always)]
    pub fn get(&self, number: u32) -> Option<BandId> {
        self.bands.get(number as usize).copied().filter(|&band| band != UNKNOWN)
    }

    /// Adds points. `resolve` creates the band of a name that has none yet.
    ///
    /// # Errors
    /// Those of `resolve`.
    #[inline]
    pub fn add<F>(
        &mut self,
        PointColumns { names, sizes }: &PointColumns,
        profile: &mut ProfileBuilder,
        mut resolve: F,
    ) -> Result<(), Error>
    where
        F: FnMut(&mut KnownBands, u32, &mut ProfileBuilder) -> Result<BandId, Error>,
    {
        let bands = &self.bands;
        self.found.clear();
        let band_of = |&name: &u32| bands.get(name as usize).copied().unwrap_or(UNKNOWN);
        self.found.extend(names.iter().map(band_of));
        // Nearly always all are known, and then the points are added as whole columns.
        if self.found.iter().fold(true, |known, &band| known & (band != UNKNOWN)) {
            profile.points(&self.found, sizes);
            return Ok(());
        }
        for (&name, &size) in names.iter().zip(sizes) {
            let band = match self.get(name) {
                Some(band) => band,
                None => resolve(self, name, profile)?,
            };
            profile.point(band, Bytes::new(size));
        }
        Ok(())
    }

    /// The band of a new name.
    ///
    /// # Errors [`Error::OverLimit`] beyond the profile's limits.
    #[cold]
    pub fn resolve(
        &mut self,
        number: u32,
        key: BandKeyRef<'_>,
        profile: &mut ProfileBuilder,
    ) -> Result<BandId, Error> {
        let band = profile.band(key)?;
        // A cut name is reported every time.
        let is_whole = !matches!(key, BandKeyRef::Name(name) if name.len() > profile.limits.text);
        if is_whole {
            let at = number as usize;
            self.bands.resize(self.bands.len().max(at + 1), UNKNOWN);
            self.bands[at] = band;
        }
        Ok(band)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_only_if_all_their_bytes_are() {
        for length in 1..200 {
            let name = vec![b'x'; length];
            let mut names = Names::default();
            // The name that is known is followed by others, and so is the one that is given.
            assert_eq!([names.add(&name), names.add(b"yyy")], [Some(0), Some(1)]);
            let find = |name: &[u8]| {
                let text = [b"before", name, b"xxxx after"].concat();
                names.find_wanted(&text, &WantedName::new(&text, 6, 6 + name.len()))
            };
            assert_eq!([find(&name), names.find(&name)], [Some(0); 2], "{length}");
            assert_eq!(find(&vec![b'x'; length + 1]), None);
            assert_eq!(find(&name[1..]), None);
            for at in 0..length {
                let mut other = name.clone();
                other[at] = b'y';
                assert_eq!(names.find(&other), None, "{at} of {length}");
                let wanted = WantedName {
                    hash: hash_of(&name, 0, length),
                    ..WantedName::new(&other, 0, length)
                };
                assert!(!names.is(0, &other, &wanted), "{at} of {length}");
            }
        }
    }

    #[test]
    fn the_table_never_exceeds_its_capacity() {
        let mut names = Names::default();
        let long = vec![b'x'; MOST_BYTES / 2];
        assert_eq!(
            [names.add(&long), names.add(b"y\t"), names.add(&long)],
            [Some(0), Some(1), None]
        );
        assert_eq!(names.find(b"y\t"), Some(1));
    }
}
