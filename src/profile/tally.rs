//! Sums over every sample, by which the samples are judged at the end.

use crate::base::units::Bytes;

/// What is computed about a sample while its points arrive, because there it costs almost nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// The sum of all residencies.
    pub(super) sum: u64,
    /// The bits that are set in any residency.
    pub(super) bits: u64,
}

/// The tallies of the samples, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    open: Tally,
    pub(super) sealed: Vec<Tally>,
}

impl Tallies {
    #[inline(always)]
    pub(super) fn add(&mut self, size: Bytes) {
        self.open.sum = self.open.sum.saturating_add(size.get());
        self.open.bits |= size.get();
    }

    #[inline]
    pub(super) fn add_all(&mut self, sizes: &[u64]) {
        let bits = sizes.iter().fold(0, |bits, size| bits | size);
        // Without a test in the loop, where the sum cannot exceed 64 bits.
        let sum = match bits <= u32::MAX.into() {
            true => sizes.iter().sum(),
            false => sizes.iter().fold(0, |sum: u64, &size| sum.saturating_add(size)),
        };
        self.open.sum = self.open.sum.saturating_add(sum);
        self.open.bits |= bits;
    }

    pub(super) fn seal(&mut self) {
        self.sealed.push(std::mem::take(&mut self.open));
    }

    pub(super) fn discard(&mut self) {
        self.open = Tally::default();
    }
}
