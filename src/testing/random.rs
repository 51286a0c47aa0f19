//! Random numbers that are the same everywhere.
//!
//! The inputs of the benches and of the instruction counts are made from them.

/// SplitMix64: 64 bits of state, equidistributed, and short enough to be read at a with_band. Good for
/// shapes, not for secrets.
pub struct Random(u64);

impl Random {
    /// Each purpose has its own stream, so that one more random number for one thing (labels, say)
    /// changes nothing else in a file.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut random = Random(seed);
        for byte in purpose.bytes() {
            random.0 = random.next() ^ u64::from(byte);
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0. The high half of a product is biased by at most
    /// `bound` in 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// An index into something of this length, which must not be empty.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of these; there must be at least one.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.index(all.len())]
    }
}
