//! Garbage collections: when they happened, how long they took, and what they did.

use serde::Serialize;

use crate::base::units::{Bytes, Nanos};

/// One collection, by the capability that led it.
///
/// Its two times are those that `-s` uses, so the sums agree to the microsecond. The union over all
/// capabilities would be up to twice as long, because it includes waiting for all of them to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collection {
    pub start: Nanos,
    pub end: Nanos,
    /// The oldest generation that it collected.
    pub generation: u16,
    pub copied: Bytes,
    /// Bytes lost in blocks that are not full.
    pub slop: Bytes,
    /// Bytes of free blocks in the megablocks that are held.
    pub fragmentation: Bytes,
    pub threads: u32,
    /// Bytes copied by the busiest thread; 0 if only one thread collects.
    pub most_by_one: Bytes,
    /// Whether a heap census was taken in it, which makes it longer.
    pub census: bool,
}

impl Collection {
    /// How long the program was stopped for it, without the time that the capabilities took to stop.
    pub fn pause(&self) -> Nanos {
        self.end.since(self.start)
    }
}

/// How the run-time system gave memory back (GHC 9.2 and newer), in megablocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryReturn {
    pub time: Nanos,
    /// How many megablocks were held before.
    pub held: u32,
    /// Megablocks needed from then on, which can be more than are held.
    pub needed: u32,
    /// Megablocks given back: fewer than those not needed if some of these are in use.
    pub returned: u32,
}

/// The collections of one generation together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Generation {
    /// The number of the generation; 0 is the youngest.
    #[serde(rename = "generation")]
    pub number: u16,
    pub collections: usize,
    /// The pauses of the collections together, in nanoseconds.
    pub pause_ns: i128,
    #[serde(rename = "longest_ns")]
    pub longest: Nanos,
}

/// Garbage collections and the memory around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collections {
    /// The collections, in order of time.
    pub all: Vec<Collection>,
    /// When memory was given back, in order of time.
    pub returns: Vec<MemoryReturn>,
    /// The bytes that each capability ever allocated, until they are added up.
    pub(super) by_capability: Vec<(Nanos, u16, Bytes)>,
    pub(super) capabilities: u32,
    /// The memory in which each capability allocates until the next collection (`-A`), if the log says it.
    pub area: Option<Bytes>,
}

impl Collections {
    /// How many capabilities allocated, at least 1.
    pub fn capabilities(&self) -> u32 {
        self.capabilities.max(1)
    }

    /// The areas in which all capabilities together allocate, if the log says how large they are.
    pub fn areas(&self) -> Option<Bytes> {
        Some(Bytes::new(self.area?.get().saturating_mul(self.capabilities().into())))
    }

    /// The collections in which a heap census was taken: their number, and the sum of their pauses
    /// in nanoseconds.
    pub fn with_census(&self) -> (usize, i128) {
        let with = self.all.iter().filter(|gc| gc.census);
        with.fold((0, 0), |(count, ns), gc| (count + 1, ns + i128::from(gc.pause().as_nanos())))
    }

    /// Whether there is no collection and no return of memory.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.returns.is_empty()
    }

    pub fn pause_ns(&self) -> i128 {
        self.all.iter().map(|gc| i128::from(gc.pause().as_nanos())).sum()
    }

    pub fn longest(&self) -> Nanos {
        self.all.iter().map(Collection::pause).max().unwrap_or_default()
    }

    pub fn copied(&self) -> u128 {
        self.all.iter().map(|gc| u128::from(gc.copied.get())).sum()
    }

    /// The generations that were collected, the youngest first.
    pub fn generations(&self) -> Vec<Generation> {
        let mut found: Vec<Generation> = Vec::new();
        for gc in &self.all {
            let at = match found.iter().position(|known| known.number == gc.generation) {
                Some(at) => at,
                None => {
                    found.push(Generation { number: gc.generation, ..Generation::default() });
                    found.len() - 1
                }
            };
            let known = &mut found[at];
            known.collections += 1;
            known.pause_ns += i128::from(gc.pause().as_nanos());
            known.longest = known.longest.max(gc.pause());
        }
        found.sort_by_key(|generation| generation.number);
        found
    }

    pub(crate) fn sort(&mut self) {
        self.all.sort_by_key(|gc| gc.start);
    }

    /// Sorts everything by time, and marks the collections in which a census was taken. The times
    /// of censuses, which must be sorted, are in another buffer of the log and so in another part
    /// of the file. Returns what all capabilities together have allocated.
    pub(super) fn finish(&mut self, censuses: &[Nanos]) -> Vec<(Nanos, Bytes)> {
        self.sort();
        let mut censuses = censuses.iter().copied().peekable();
        for gc in &mut self.all {
            while censuses.next_if(|&census| census < gc.start).is_some() {}
            gc.census = censuses.peek().is_some_and(|&census| census <= gc.end);
        }
        self.returns.sort_by_key(|given| given.time);
        let (allocated, capabilities) = added_up(std::mem::take(&mut self.by_capability));
        self.capabilities = capabilities;
        allocated
    }
}

/// The sum of all capabilities after each of the points, in order of time, and how many capabilities
/// there are. A value that the next one of its capability contradicts is ignored.
fn added_up(mut points: Vec<(Nanos, u16, Bytes)>) -> (Vec<(Nanos, Bytes)>, u32) {
    points.sort_by_key(|&(time, ..)| time);
    let greatest = points.iter().map(|&(_, capability, _)| capability).max();
    // By capability; their numbers are small, except in a damaged log.
    let mut known: Vec<Option<Bytes>> =
        vec![None; greatest.map_or(0, |most| 1 + usize::from(most))];
    let is_sound: Vec<bool> = points
        .iter()
        .rev()
        .map(|&(_, capability, bytes)| {
            let after = known[usize::from(capability)].replace(bytes);
            after.is_none_or(|after| bytes <= after)
        })
        .collect();
    known.fill(None);
    let mut sum = 0_u64;
    let mut sums = Vec::with_capacity(points.len());
    for (&(time, capability, bytes), _) in
        points.iter().zip(is_sound.iter().rev()).filter(|&(_, &is_sound)| is_sound)
    {
        let known = known[usize::from(capability)].get_or_insert_default();
        // The value after a damaged one may be lower, too.
        let more = bytes.get().saturating_sub(known.get());
        *known = bytes.max(*known);
        sum = sum.saturating_add(more);
        sums.push((time, Bytes::new(sum)));
    }
    (sums, known.iter().flatten().count() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_add_up_to_all() {
        let gc = |generation, start, end| Collection {
            copied: Bytes::new(5),
            ..Collection::between(generation, Nanos::from_nanos(start), Nanos::from_nanos(end))
        };
        let collections = Collections {
            all: vec![gc(1, 10, 40), gc(0, 50, 55), gc(1, 60, 61)],
            ..Default::default()
        };
        assert!(!collections.is_empty() && Collections::default().is_empty());
        let [young, old] = collections.generations()[..] else { panic!("two generations") };
        assert_eq!((young.number, young.collections, young.pause_ns), (0, 1, 5));
        assert_eq!((old.collections, old.pause_ns, old.longest.as_nanos()), (2, 31, 30));
        assert_eq!((collections.pause_ns(), collections.copied()), (36, 15));
        assert_eq!(collections.with_census(), (0, 0));
        let census = |gc| Collection { census: true, ..gc };
        let all = vec![census(gc(1, 10, 40)), gc(0, 50, 55), census(gc(1, 60, 61))];
        assert_eq!(Collections { all, ..Default::default() }.with_census(), (2, 31));
    }

    fn sums(points: &[(i64, u16, u64)]) -> Vec<(i64, u64)> {
        let points = points.iter().map(|&(time, capability, bytes)| {
            (Nanos::from_nanos(time), capability, Bytes::new(bytes))
        });
        let (sums, _) = added_up(points.collect());
        sums.iter().map(|&(time, bytes)| (time.as_nanos(), bytes.get())).collect()
    }

    #[test]
    fn a_value_contradicted_by_the_next_is_ignored() {
        assert_eq!(sums(&[(1, 0, 10), (2, 0, u64::MAX), (3, 0, 30)]), [(1, 10), (3, 30)]);
        assert_eq!(sums(&[(1, 0, 10), (2, 0, 10)]), [(1, 10), (2, 10)]);
    }

    #[test]
    fn a_census_is_in_the_collection_whose_times_are_around_it() {
        let gc =
            |start, end| Collection::between(1, Nanos::from_nanos(start), Nanos::from_nanos(end));
        let with = |censuses: &[i64]| {
            let all = vec![gc(30, 35), gc(10, 20), gc(40, 50)];
            let mut collections = Collections { all, ..Default::default() };
            let censuses: Vec<Nanos> = censuses.iter().map(|&at| Nanos::from_nanos(at)).collect();
            collections.finish(&censuses);
            collections.all.iter().map(|gc| gc.census).collect::<Vec<_>>()
        };
        assert_eq!(with(&[5, 10, 50]), [true, false, true]);
        assert_eq!(with(&[20, 29, 36]), [true, false, false]);
        assert_eq!(Collections::default().capabilities(), 1);
    }
}
