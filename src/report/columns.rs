//! The binary layout inside an island: named sections, most of them columns of integers.
//!
//! An integer has seven bits per byte, lowest first; the eighth bit says that more bytes follow. A
//! signed integer is folded (0, -1, 1, -2 ...). A series is its greatest common divisor followed by the
//! differences of its values divided by that: closures are whole words, and most bands consist of
//! closures of one size. For values that JavaScript does not hold exactly, that unit is doubled until it does.
//! `templates/report/decode.js` is the counterpart.

/// The largest number that JavaScript holds exactly.
pub const MOST: u64 = (1 << 53) - 1;

/// Named sections, one after the other: length of the name, name, length, bytes.
#[derive(Clone, Default)]
pub struct Sections(Vec<u8>);

impl Sections {
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        self.add_parts(name, &[bytes]);
    }

    /// Adds a section that is made of several parts, of which no copy is made.
    pub fn add_parts(&mut self, name: &str, parts: &[&[u8]]) {
        unsigned(&mut self.0, name.len() as u64);
        self.0.extend_from_slice(name.as_bytes());
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        unsigned(&mut self.0, length as u64);
        self.0.reserve(length);
        parts.iter().for_each(|part| self.0.extend_from_slice(part));
    }

    pub fn append(&mut self, others: &Sections) {
        self.0.extend_from_slice(&others.0);
    }

    pub fn numbers(&mut self, name: &str, numbers: impl IntoIterator<Item = u64>) {
        let mut bytes = Vec::new();
        numbers.into_iter().for_each(|number| unsigned(&mut bytes, number));
        self.add(name, &bytes);
    }

    pub fn series(&mut self, name: &str, values: &[u64]) {
        self.add(name, &series(values));
    }

    /// Appends times in nanoseconds, which are mostly evenly spaced.
    pub fn times(&mut self, name: &str, times: impl IntoIterator<Item = i64>) {
        let mut bytes = Vec::new();
        let (mut before, mut step) = (0i64, 0i64);
        for time in times {
            let time = time.clamp(-(MOST as i64), MOST as i64);
            let next = time - before;
            signed(&mut bytes, next - step);
            (before, step) = (time, next);
        }
        self.add(name, &bytes);
    }

    /// Appends texts without control characters. Each is written without the beginning that it shares
    /// with the previous one.
    pub fn texts<'a>(&mut self, name: &str, texts: impl IntoIterator<Item = &'a str>) {
        let (mut shared, mut rests) = (Vec::new(), String::new());
        let mut before = "";
        for text in texts {
            let pairs = before.char_indices().zip(text.chars());
            let same = pairs.take_while(|((_, a), b)| a == b).count().min(MOST_SHARED);
            unsigned(&mut shared, same as u64);
            let from = text.char_indices().nth(same).map_or(text.len(), |(at, _)| at);
            rests.push_str(&text[from..]);
            rests.push('\n');
            before = text;
        }
        self.add(&format!("{name}.shared"), &shared);
        self.add(&format!("{name}.rest"), rests.as_bytes());
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Shared characters beyond this are repeated, so that one long text is not compared again and again.
const MOST_SHARED: usize = 4096;

pub fn unsigned(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends an integer that may be below zero.
pub fn signed(bytes: &mut Vec<u8>, number: i64) {
    unsigned(bytes, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

/// A series of numbers as bytes.
pub fn series(values: &[u64]) -> Vec<u8> {
    let mut unit = values.iter().fold(0, |unit, &value| divisor(unit, value)).max(1);
    // A step down is folded, which takes a bit.
    while values.iter().any(|value| value / unit > MOST / 2) {
        unit *= 2;
    }
    // Most steps take one byte.
    let mut bytes = Vec::with_capacity(values.len() + 8);
    unsigned(&mut bytes, unit);
    let mut before = 0;
    for &value in values {
        let value = (value / unit) as i64;
        signed(&mut bytes, value - before);
        before = value;
    }
    bytes
}

/// A sum as a number of a column, which ends at 2^64 - 1.
pub fn held(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// The greatest common divisor; that of 0 and a number is the number.
pub fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_seven_bits_a_byte() {
        let bytes = |number| {
            let mut bytes = Vec::new();
            unsigned(&mut bytes, number);
            bytes
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(127), [127]);
        assert_eq!(bytes(128), [0x80, 1]);
        assert_eq!(bytes(MOST), [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
        let mut folded = Vec::new();
        [0, -1, 1, -64, 64].iter().for_each(|&number| signed(&mut folded, number));
        assert_eq!(folded, [0, 1, 2, 127, 0x80, 1]);
    }

    #[test]
    fn a_series_is_divided_by_its_own_unit() {
        assert_eq!(series(&[24, 72, 48, 0]), [24, 2, 4, 1, 3]);
        assert_eq!(series(&[0, 0]), [1, 0, 0]);
        assert_eq!(series(&[]), [1]);
        // 2^64 - 1 is 2^52 - 1 times 2^12, and a rest; a folded step down is as exact as one up.
        assert_eq!(series(&[0, u64::MAX, 1]), {
            let (mut bytes, high) = (Vec::new(), (MOST / 2) as i64);
            unsigned(&mut bytes, 1 << 12);
            [0, high, -high].iter().for_each(|&step| signed(&mut bytes, step));
            bytes
        });
    }

    #[test]
    fn texts_share_their_beginnings_by_characters() {
        let mut sections = Sections::default();
        sections.texts("t", ["λab", "λac", "", "x"]);
        let mut expected = Sections::default();
        expected.add("t.shared", &[0, 2, 0, 0]);
        expected.add("t.rest", "λab\nc\n\nx\n".as_bytes());
        assert_eq!(sections.bytes(), expected.bytes());
    }

    #[test]
    fn even_times_are_zeros() {
        let mut sections = Sections::default();
        sections.times("t", [5, 15, 25, 35]);
        let mut expected = Sections::default();
        expected.add("t", &[10, 10, 0, 0]);
        assert_eq!(sections.bytes(), expected.bytes());
    }
}
