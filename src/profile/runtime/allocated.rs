//! Adds up the bytes ever allocated by all capabilities from the numbers of each.
//!
//! A capability writes its own sum after each collection, into its own buffer: buffers follow each
//! other in the log in any order, so the sums are added up only when all are known.

use foldhash::HashMap;

use crate::base::units::{Bytes, Nanos};

/// The sum of all capabilities after each of the points, in order of time, and how many capabilities
/// there are. A value that the next one of its capability contradicts is ignored.
pub fn added_up(mut points: Vec<(Nanos, u16, Bytes)>) -> (Vec<(Nanos, Bytes)>, u32) {
    points.sort_by_key(|&(time, ..)| time);
    let mut next: HashMap<u16, Bytes> = HashMap::default();
    let is_sound: Vec<bool> = points
        .iter()
        .rev()
        .map(|&(_, capability, bytes)| {
            let after = next.insert(capability, bytes);
            after.is_none_or(|after| bytes <= after)
        })
        .collect();
    let mut last: HashMap<u16, Bytes> = HashMap::default();
    let mut sum = 0_u64;
    let mut sums = Vec::with_capacity(points.len());
    for (&(time, capability, bytes), _) in
        points.iter().zip(is_sound.iter().rev()).filter(|&(_, &is_sound)| is_sound)
    {
        let known = last.entry(capability).or_default();
        // The value after a damaged one may be lower, too.
        let more = bytes.get().saturating_sub(known.get());
        *known = bytes.max(*known);
        sum = sum.saturating_add(more);
        sums.push((time, Bytes::new(sum)));
    }
    (sums, u32::try_from(last.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(points: &[(i64, u16, u64)]) -> Vec<(i64, u64)> {
        let points = points.iter().map(|&(time, capability, bytes)| {
            (Nanos::from_nanos(time), capability, Bytes::new(bytes))
        });
        let (sums, _) = added_up(points.collect());
        sums.iter().map(|&(time, bytes)| (time.as_nanos(), bytes.get())).collect()
    }

    #[test]
    fn capabilities_add_up_in_order_of_time_whatever_the_order_of_the_file() {
        let points = [(10, 0, 100), (20, 0, 300), (11, 1, 5), (21, 1, 9)];
        assert_eq!(sums(&points), [(10, 100), (11, 105), (20, 305), (21, 309)]);
    }

    #[test]
    fn a_value_contradicted_by_the_next_is_ignored() {
        assert_eq!(sums(&[(1, 0, 10), (2, 0, u64::MAX), (3, 0, 30)]), [(1, 10), (3, 30)]);
    }
}
