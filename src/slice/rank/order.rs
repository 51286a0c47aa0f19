//! hp2ps's starting order and sort, which together decide every tie (`docs/format/hp.md#ties`).

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::slice::{RowId, Slice};

/// The number of slots in hp2ps's name table.
const SLOTS: u32 = 513;

/// The order in which hp2ps meets the rows that take part when it walks its name table: by slot, and
/// within a slot the latest name first.
pub fn starting_order(slice: &Slice<'_>) -> Vec<RowId> {
    let mut order: Vec<RowId> = slice.rows().filter(|&row| slice.is_selected(row)).collect();
    order.sort_by_cached_key(|&row| (slot(slice.name(row)), Reverse(row)));
    order
}

/// hp2ps's hash of a name. Its own negation overflows for one value in 2^32 and crashes it; here
/// that value gets the slot that arithmetic without overflow gives.
fn slot(name: &[u8]) -> u32 {
    let hash = name
        .iter()
        .fold(0i32, |hash, &byte| hash.wrapping_mul(3).wrapping_add(i32::from(byte.cast_signed())));
    hash.unsigned_abs() % SLOTS
}

/// The number that a name spells, if any.
pub fn number(name: &[u8]) -> Option<u64> {
    std::str::from_utf8(name).ok()?.trim().parse().ok()
}

/// Sorts ascending exactly as hp2ps's selection sort does, in O(n log n).
///
/// For each place from the front it takes the first of the smallest keys from there on and *swaps*:
/// the row at that place moves to where the smallest was. So equal keys do not keep their order. A
/// key that is not a number is never smaller than another, and no key is smaller than it, so it
/// stays where it is when its turn comes.
pub fn sort_by_key<K: PartialOrd>(rows: &mut [RowId], key: impl Fn(RowId) -> K) {
    // The ranks by place, and a heap of (rank, place) in which a moved row is entered again: an
    // entry of the heap counts only if a row of that rank is still at its place. Ranks are used
    // rather than keys because they are smaller: with a million rows, access to memory takes most
    // of the time.
    let mut places: Vec<(u32, RowId)> =
        ranks(rows, key).into_iter().zip(rows.iter().copied()).collect();
    let mut heap: BinaryHeap<Reverse<(u32, u32)>> = places
        .iter()
        .zip(0..)
        .filter(|((rank, _), _)| *rank != UNORDERED)
        .map(|((rank, _), place)| Reverse((*rank, place)))
        .collect();

    for at in 0..places.len() {
        if places[at].0 == UNORDERED {
            continue;
        }
        let smallest = loop {
            match heap.pop() {
                Some(Reverse((rank, place))) => {
                    let place = place as usize;
                    if place >= at && places[place].0 == rank {
                        break place;
                    }
                }
                None => break at,
            }
        };
        if smallest != at {
            places.swap(at, smallest);
            heap.push(Reverse((places[smallest].0, smallest as u32)));
        }
    }
    for (row, (_, sorted)) in rows.iter_mut().zip(places) {
        *row = sorted;
    }
}

/// The rank of a key that is not a number.
const UNORDERED: u32 = u32::MAX;

/// The rank of each row's key among all keys, equal for equal keys.
fn ranks<K: PartialOrd>(rows: &[RowId], key: impl Fn(RowId) -> K) -> Vec<u32> {
    let keys = rows.iter().map(|&row| key(row)).zip(0usize..);
    let mut ordered: Vec<(K, usize)> = keys.filter(|(key, _)| is_ordered(key)).collect();
    // Only keys that compare with themselves are left, so that two of them always compare.
    ordered.sort_unstable_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
    let mut ranks = vec![UNORDERED; rows.len()];
    let mut rank = 0;
    for (i, (key, place)) in ordered.iter().enumerate() {
        if i > 0 && ordered[i - 1].0 < *key {
            rank += 1;
        }
        ranks[*place] = rank;
    }
    ranks
}

fn is_ordered<K: PartialOrd>(key: &K) -> bool {
    key.partial_cmp(key).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{BandKeyRef, ProfileBuilder, Source};

    fn ids(n: usize) -> Vec<RowId> {
        let mut builder = ProfileBuilder::new(Source::Hp);
        for i in 0..n as u32 {
            builder.band(BandKeyRef::Stack(&[i])).unwrap();
        }
        Slice::whole(&builder.finish()).rows().collect()
    }

    /// hp2ps's sort in its plain form, as the oracle for the fast one.
    fn selection_sort(rows: &mut [RowId], keys: &[f64]) {
        for i in 0..rows.len().saturating_sub(1) {
            let mut m = i;
            for j in i + 1..rows.len() {
                if keys[rows[j].index()] < keys[rows[m].index()] {
                    m = j;
                }
            }
            rows.swap(i, m);
        }
    }

    #[test]
    fn the_fast_sort_agrees_with_the_plain_one() {
        let mut random = crate::testing::Random::new(1, "keys");
        let mut next = |below: u64| random.below(below);
        for round in 0..2000 {
            let n = next(24) as usize;
            let kinds = 1 + next(8);
            let keys: Vec<f64> = (0..n)
                .map(|_| match next(kinds) {
                    6 => f64::NAN,
                    7 => f64::INFINITY,
                    key => key as f64,
                })
                .collect();
            let mut plain = ids(n);
            let mut fast = plain.clone();
            selection_sort(&mut plain, &keys);
            sort_by_key(&mut fast, |row| keys[row.index()]);
            assert_eq!(fast, plain, "round {round}, keys {keys:?}");
        }
    }
}
