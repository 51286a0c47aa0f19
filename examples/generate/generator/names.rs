//! Names of bands, cost centres and info tables: distinct, and of the requested lengths.

use super::shape::{Breakdown, LogShape, Shape};
use super::testing::Random;

/// Letters, and separators for names with parts. There is no `_`, because an underscore and a number make
/// a name distinct.
const LETTERS: &[u8] = b"etaoinshrdlcumwfgypbvk";

/// The labels of all bands, by number.
pub fn labels(shape: &Shape) -> Vec<Vec<u8>> {
    let mut random = Random::new(shape.seed, "labels");
    let bands = 0..shape.bands;
    match shape.breakdown {
        Breakdown::InfoTable => bands.map(|band| format!("{:#x}", address(band)).into()).collect(),
        _ => bands.map(|band| name(&mut random, shape, band)).collect(),
    }
}

/// One name: a word of a length within the shape's limits, ending in the number of the named thing.
pub fn name(random: &mut Random, shape: &Shape, number: u32) -> Vec<u8> {
    let longest = shape.label_max.max(shape.label_min);
    let length = shape.label_min + random.index(longest - shape.label_min + 1);
    let number = base36(number);
    let letters = length.saturating_sub(number.len() + 1);
    let mut name: Vec<u8> = (0..letters).map(|_| LETTERS[random.index(LETTERS.len())]).collect();
    if shape.breakdown == Breakdown::ClosureType && letters >= 6 {
        for (place, mark) in [(letters / 3, b':'), (2 * letters / 3, b'.')] {
            name[place] = mark;
            name[place + 1].make_ascii_uppercase();
        }
    } else if let Some(first) = name.first_mut() {
        first.make_ascii_uppercase();
    }
    name.push(b'_');
    name.extend(number);
    name
}

/// The address of the info table of a band.
pub fn address(band: u32) -> u64 {
    0x40_0000 + u64::from(band) * 56
}

fn base36(mut number: u32) -> Vec<u8> {
    let mut digits = Vec::new();
    loop {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize]);
        number /= 36;
        if number == 0 {
            digits.reverse();
            return digits;
        }
    }
}

/// The stacks of cost centres for the bands: ids from 1, innermost first, all different.
///
/// A stack has an outer path of random length, which is the same for all stacks, followed by the band's
/// number written with the other centres as digits. No digit occurs on the path, so no two stacks are the
/// same.
pub struct Stacks {
    random: Random,
    depth: u32,
    path: u32,
    centres: u32,
}

impl Stacks {
    pub fn new(shape: &Shape, log: &LogShape) -> Self {
        let depth = u32::from(log.depth);
        let centres = log.definitions.unwrap_or(shape.bands.saturating_mul(2)).max(3);
        let path = depth.min(centres / 3);
        Stacks { random: Random::new(shape.seed, "stacks"), depth, path, centres }
    }

    /// The number of cost centres; their ids start at 1.
    pub fn centres(&self) -> u32 {
        self.centres
    }

    /// The stack of the next band. It is deeper than requested if there are too few centres to distinguish
    /// the bands at that depth.
    pub fn next(&mut self, band: u32) -> Vec<u32> {
        let digits = self.centres - self.path;
        let mut stack = Vec::new();
        let mut number = band + 1;
        while number > 0 {
            number -= 1;
            stack.push(self.path + 1 + number % digits);
            number /= digits;
        }
        let room = self.depth.saturating_sub(stack.len() as u32).min(self.path);
        let outer = self.random.below(u64::from(room) + 1) as u32;
        stack.extend((1..=outer).rev());
        stack
    }
}
