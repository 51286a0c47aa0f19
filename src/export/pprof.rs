//! pprof's `profile.proto`, gzipped: for `go tool pprof` and other tools that read it.
//!
//! The format has ten fields that matter here, so they are written by hand: a field is its number and
//! wire type, then a varint or a length and bytes. One file holds one instant.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;

use crate::base::text::file_and_line;
use crate::tree::{Paths, TreeFrame, Weight};

/// A message of the wire format.
#[derive(Default)]
struct ProtoMessage(Vec<u8>);

impl ProtoMessage {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A number; negative ones as two's complement.
    fn number(&mut self, field: u64, value: i64) {
        self.varint(field << 3);
        self.varint(value.cast_unsigned());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn message(&mut self, field: u64, message: ProtoMessage) {
        self.bytes(field, &message.0);
    }

    fn packed(&mut self, field: u64, values: impl IntoIterator<Item = u64>) {
        let mut inner = ProtoMessage::default();
        values.into_iter().for_each(|value| inner.varint(value));
        self.message(field, inner);
    }
}

/// The texts of a profile; the first is empty.
struct Strings(IndexSet<String>);

impl Strings {
    fn at(&mut self, text: &str) -> i64 {
        match self.0.get_index_of(text) {
            Some(at) => at as i64,
            None => self.0.insert_full(text.to_owned()).0 as i64,
        }
    }
}

/// The stacks as a gzipped profile. In a difference, growth is positive and shrinkage is negative.
/// `taken` is when that was, in nanoseconds of Unix time, if it may be said.
pub fn write(paths: &Paths, taken: Option<u64>) -> Vec<u8> {
    let subject = &paths.subject;
    let mut strings = Strings(IndexSet::from([String::new()]));
    let mut profile = ProtoMessage::default();
    let (kind, unit) = match subject.weight {
        Weight::Live => ("inuse_space", "bytes"),
        Weight::Alloc => ("alloc_space", "bytes"),
        Weight::Time => ("samples", "count"),
        Weight::Entries => ("entries", "count"),
    };
    profile.message(1, value_type(&mut strings, kind, unit));
    if subject.tick_ns.is_some() {
        profile.message(1, value_type(&mut strings, "cpu", "nanoseconds"));
    }
    let mut locations: IndexSet<usize> = IndexSet::new();
    for path in paths.by_amount() {
        let value = signed(path.amount);
        if value == 0 {
            continue;
        }
        // Ids are not zero; the innermost comes first.
        let ids: Vec<u64> =
            path.steps().rev().map(|step| locations.insert_full(step).0 as u64 + 1).collect();
        let mut sample = ProtoMessage::default();
        sample.packed(1, ids);
        let time = subject.tick_ns.map(|tick| value.saturating_mul(signed(tick.into())));
        sample.packed(2, [Some(value), time].into_iter().flatten().map(i64::cast_unsigned));
        profile.message(2, sample);
    }
    for (at, &step) in locations.iter().enumerate() {
        let [location, function] = place(at as i64 + 1, &paths.frames()[step], &mut strings);
        profile.message(4, location);
        profile.message(5, function);
    }
    if let Some(taken) = taken {
        profile.number(9, signed(taken.into()));
    }
    let (of, per, length) = match subject.tick_ns {
        Some(tick) => ("cpu", "nanoseconds", signed(tick.into())),
        None => (if subject.weight.is_bytes() { "space" } else { kind }, unit, 1),
    };
    let period = value_type(&mut strings, of, per);
    profile.message(11, period);
    profile.number(12, length);
    let comment = strings.at(&subject.words);
    profile.number(13, comment);
    let default = strings.at(if subject.tick_ns.is_some() { "cpu" } else { kind });
    profile.number(14, default);
    for text in &strings.0 {
        profile.bytes(6, text.as_bytes());
    }
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&profile.0).and_then(|()| gzip.finish()).expect("memory takes every byte")
}

/// The location and the function of a frame, which share their id.
fn place(id: i64, frame: &TreeFrame, strings: &mut Strings) -> [ProtoMessage; 2] {
    let (file, line) = file_and_line(&frame.place).unwrap_or((&frame.place, 0));
    let mut place = ProtoMessage::default();
    place.number(1, id);
    place.number(2, line as i64);
    let mut location = ProtoMessage::default();
    location.number(1, id);
    location.message(4, place);
    let mut function = ProtoMessage::default();
    function.number(1, id);
    // The system name is left out: if it equals the name, pprof takes it for C++ and removes
    // everything in angle brackets.
    function.number(2, strings.at(&frame.qualified()));
    function.number(4, strings.at(file));
    function.number(5, line as i64);
    [location, function]
}

fn value_type(strings: &mut Strings, kind: &str, unit: &str) -> ProtoMessage {
    let mut value = ProtoMessage::default();
    value.number(1, strings.at(kind));
    value.number(2, strings.at(unit));
    value
}

fn signed(amount: u128) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::profile::{KeptSamples, Limits, ProfileBuilder, Source};
    use crate::slice::Slice;
    use crate::tree::{Instant, Roots, of_heap};

    fn varint(bytes: &mut &[u8]) -> u64 {
        let length = bytes.iter().position(|&byte| byte < 0x80).expect("an end") + 1;
        let (number, rest) = bytes.split_at(length);
        *bytes = rest;
        number.iter().rev().fold(0, |sum, &byte| sum << 7 | u64::from(byte & 0x7F))
    }

    /// The fields of a message that are messages or packed numbers.
    fn fields(mut bytes: &[u8]) -> Vec<(u64, &[u8])> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes);
            if tag & 7 == 0 {
                varint(&mut bytes);
                continue;
            }
            let length = varint(&mut bytes) as usize;
            found.push((tag >> 3, &bytes[..length]));
            bytes = &bytes[length..];
        }
        found
    }

    /// How many frames the sample of a stack has, and its amount.
    fn written(stack: &[u32], bytes: u64) -> (usize, i64) {
        let limits = Limits { samples: KeptSamples::All, ..Limits::default() };
        let mut builder = ProfileBuilder::with_limits(Source::Eventlog, limits);
        builder.stack_sample(0, [(stack, bytes)]);
        let profile = builder.finish();
        let slice = Slice::whole(&profile);
        let stacks = of_heap(&slice, &Instant::Last.find(&slice).unwrap()).unwrap();
        let packed = write(&Paths::new(&stacks, Roots::default()).unwrap(), None);
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut plain).unwrap();
        let all = fields(&plain);
        let (_, sample) = all.iter().find(|(field, _)| *field == 2).expect("a sample");
        let [(1, mut ids), (2, mut values)] = fields(sample)[..] else { panic!("{sample:?}") };
        let mut frames = 0;
        while !ids.is_empty() {
            varint(&mut ids);
            frames += 1;
        }
        (frames, varint(&mut values).cast_signed())
    }

    #[test]
    fn deep_stacks_and_large_amounts_are_written_as_they_are() {
        let deep: Vec<u32> = (1..=200).collect();
        // And the root.
        assert_eq!(written(&deep, 4096), (201, 4096));
        assert_eq!(written(&[1], i64::MAX as u64), (2, i64::MAX));
        assert_eq!(written(&[1], u64::MAX), (2, i64::MAX));
    }
}
