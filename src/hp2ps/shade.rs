//! hp2ps's greys and colours, and which band gets which (`docs/format/hp.md#shades`).

use foldhash::HashMap;

use super::{auxiliary, c_numbers};

/// 0 is black.
const GREYS: [f64; 10] = [0.0, 0.2, 0.6, 0.3, 0.9, 0.4, 1.0, 0.7, 0.5, 0.8];

/// Colours as hp2ps encodes them: two decimal digits each for red, green and blue, where 10 is full
/// and 05 is half. The first eight have only full parts, the others at least one half.
const COLOURS: [f64; 27] = [
    0.000000, 0.000010, 0.001000, 0.001010, 0.100000, 0.100010, 0.101000, 0.101010, 0.000005,
    0.000500, 0.000510, 0.001005, 0.050000, 0.050010, 0.051000, 0.051010, 0.100005, 0.100500,
    0.100510, 0.101005, 0.000505, 0.050005, 0.050500, 0.050510, 0.051005, 0.100505, 0.050505,
];

#[derive(Clone, Debug)]
pub struct Shades {
    in_colour: bool,
    known: HashMap<Vec<u8>, f64>,
    /// How many shades of the built-in list have been given out.
    given: usize,
}

impl Shades {
    /// The shades of a previous run.
    pub fn new(in_colour: bool, previous: &[(Vec<u8>, f64)]) -> Self {
        let mut known = HashMap::default();
        for (name, shade) in previous {
            known.entry(name.clone()).or_insert(*shade);
        }
        Shades { in_colour, known, given: 0 }
    }

    /// Gives a band its shade if it has none. To be called in the order of the stack from the
    /// bottom: the list is given out from its beginning, and starts again when it ends.
    pub fn give(&mut self, name: &[u8]) {
        let name = auxiliary::word(name);
        if self.known.contains_key(&*name) {
            return;
        }
        let shade = match self.in_colour {
            false => GREYS[self.given % GREYS.len()],
            true => COLOURS[self.given % COLOURS.len()],
        };
        self.given += 1;
        self.known.insert(name.into_owned(), shade);
    }

    /// The shade of a band that was given one.
    pub fn of(&self, name: &[u8]) -> f64 {
        self.known.get(&*auxiliary::word(name)).copied().unwrap_or_default()
    }

    /// The operator that paints with a band's shade.
    pub fn operator(&self, name: &[u8]) -> Vec<u8> {
        let shade = self.of(name);
        let mut out = Vec::new();
        match self.in_colour {
            false => {
                c_numbers::print_fixed(shade, 6, &mut out);
                out.extend_from_slice(b" setgray\n");
            }
            true => {
                for factor in [100.0, 10_000.0, 1_000_000.0] {
                    let digits = c_numbers::to_i32(shade * factor);
                    c_numbers::print_fixed(f64::from(digits % 100) / 10.0, 6, &mut out);
                    out.push(b' ');
                }
                out.extend_from_slice(b"setrgbcolor\n");
            }
        }
        out
    }
}
