//! The bands in each sample, with their order and their bytes.
//!
//! The order of a real sample is that of a hash table: mostly that of the previous sample, with some bands
//! removed, some added and some moved. A decoder that guesses the next band depends on this, so it is
//! modelled instead of shuffling each time. The work depends on the bands of a sample, not on all bands.

use std::collections::VecDeque;

use super::shape::Shape;
use super::testing::Random;

/// Generates one sample after another.
pub struct Census {
    random: Random,
    /// The bands of the previous sample, in its order.
    present: Vec<u32>,
    /// The other bands, those never shown first.
    absent: VecDeque<u32>,
    never_shown: usize,
    /// The number of samples still to come.
    left: u64,
    replaced: usize,
    moved: usize,
    bases: Vec<u64>,
    sizes: Vec<u64>,
    sample: Vec<(u32, u64)>,
}

impl Census {
    pub fn new(shape: &Shape) -> Self {
        let mut random = Random::new(shape.seed, "census");
        let bands = shape.bands as usize;
        let part =
            |of: usize, percent: f64| ((of as f64 * percent / 100.0).round() as usize).min(of);
        let present = shape.present();
        let mut order: Vec<u32> = (0..shape.bands).collect();
        for last in (1..bands).rev() {
            order.swap(last, random.index(last + 1));
        }
        let absent: VecDeque<u32> = order.split_off(present).into();
        let bases: Vec<u64> = (0..bands).map(|_| base(&mut random)).collect();
        Census {
            never_shown: absent.len(),
            left: shape.samples,
            replaced: part(present, shape.turnover),
            moved: part(present, shape.churn),
            sizes: bases.clone(),
            sample: Vec::with_capacity(present),
            present: order,
            absent,
            bases,
            random,
        }
    }

    /// The next sample: bands by number, and bytes. `None` after the last.
    pub fn next(&mut self) -> Option<&[(u32, u64)]> {
        self.left = self.left.checked_sub(1)?;
        if !self.sample.is_empty() {
            self.replace();
            self.reorder();
        }
        self.sample.clear();
        for &band in &self.present {
            let (size, base) = (&mut self.sizes[band as usize], self.bases[band as usize]);
            self.sample.push((band, *size));
            let step = (*size / 8).max(16);
            let drifted = (*size + self.random.below(2 * step)).saturating_sub(step);
            *size = drifted.clamp(8, base * 8) & !7;
        }
        Some(&self.sample)
    }

    /// Replaces some neighbours by the bands that have waited longest; as many as are needed to show every
    /// band in the remaining samples.
    fn replace(&mut self) {
        let needed = (self.never_shown as u64).div_ceil(self.left + 1) as usize;
        let count = self.replaced.max(needed).min(self.absent.len()).min(self.present.len());
        let first = self.random.index(self.present.len());
        for place in first..first + count {
            let place = place % self.present.len();
            let Some(comes) = self.absent.pop_front() else { break };
            let goes = std::mem::replace(&mut self.present[place], comes);
            self.absent.push_back(goes);
        }
        self.never_shown = self.never_shown.saturating_sub(count);
    }

    fn reorder(&mut self) {
        for _ in 0..self.moved / 2 {
            let (a, b) =
                (self.random.index(self.present.len()), self.random.index(self.present.len()));
            self.present.swap(a, b);
        }
    }
}

/// The initial bytes of a band: mostly three digits, and hundreds of times more for a few bands, as in real
/// profiles.
fn base(random: &mut Random) -> u64 {
    let large = if random.below(32) == 0 { 9 } else { 0 };
    let scale = 16u64 << (random.below(13) + large);
    (scale + random.below(scale)) & !7
}
