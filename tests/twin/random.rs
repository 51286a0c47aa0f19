//! Numbers that look random and are the same on every machine.

/// A generator (SplitMix64).
pub struct Random {
    state: u64,
}

impl Random {
    /// The generator of one case.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut random = Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number };
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Whether one of `n` cases has come.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
