//! Tests that a profile does not depend on how its input is cut into pieces.

use std::path::Path;

use super::Decoder;
use crate::profile::{ProfileBuilder, Source};
use crate::testing::Random;

#[derive(Clone)]
struct Reading {
    profile: ProfileBuilder,
    decoder: Decoder,
    /// What the decoder made of the input, if it did not like it.
    error: Option<String>,
}

impl Reading {
    fn new(source: Source) -> Self {
        Reading { profile: ProfileBuilder::new(source), decoder: Decoder::new(source), error: None }
    }

    fn feed(&mut self, piece: &[u8]) {
        if self.error.is_none() {
            let fed = self.decoder.feed(piece, &mut self.profile);
            self.error = fed.err().map(|error| format!("{error:?}"));
        }
    }

    fn finish(mut self) -> String {
        match self.error {
            Some(error) => error,
            None => match self.decoder.finish(&mut self.profile) {
                Ok(()) => without_maps(&format!("{:?}", self.profile.finish())),
                Err(error) => format!("{error:?}"),
            },
        }
    }
}

/// A text without the children of calls: they are in a hash map, whose order is random. Each call also
/// names its parent.
fn without_maps(text: &str) -> String {
    const CHILDREN: &str = "children: {";
    let parts = text.split(CHILDREN).enumerate();
    parts
        .map(|(i, part)| if i == 0 { part } else { part.split_once('}').map_or("", |p| p.1) })
        .collect()
}

/// Everything that is read of an input whose pieces have random lengths up to `most`.
fn read(bytes: &[u8], source: Source, most: u64, random: &mut Random) -> String {
    let mut reading = Reading::new(source);
    let mut rest = bytes;
    while !rest.is_empty() {
        let length = 1 + random.below(most.min(rest.len() as u64)) as usize;
        let (piece, after) = rest.split_at(length);
        rest = after;
        reading.feed(piece);
    }
    reading.finish()
}

fn read_at_once(bytes: &[u8], source: Source) -> String {
    let mut reading = Reading::new(source);
    reading.feed(bytes);
    reading.finish()
}

/// Checks that an input that is cut at a place is read as it is read at once.
fn check_split(name: &str, bytes: &[u8], source: Source, at: usize, whole: &str) {
    let (front, rest) = bytes.split_at(at);
    let mut reading = Reading::new(source);
    reading.feed(front);
    reading.feed(rest);
    let read = reading.finish();
    let differs = read.bytes().zip(whole.bytes()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| text.get(differs.saturating_sub(90)..differs + 90).map(str::to_owned);
    assert!(read == whole, "{name}: cut at {at}: {:?}, not {:?}", near(&read), near(whole));
}

/// Only the first bytes of an event came before the connection was cut and another log began.
#[test]
fn splitting_a_header_after_a_cut_event_makes_no_difference() {
    let (source, log) = samples().swap_remove(0);
    let no_declarations = &b"hdrbhetbhetehdredatb"[..];
    let begun_event = &[0, 160, 0, 0, 0, 0, 0, 0, 0, 10];
    for length in 1..=begun_event.len() {
        let bytes = [no_declarations, &begun_event[..length], &log[..10_000]].concat();
        let whole = read_at_once(&bytes, source);
        (0..60).for_each(|at| check_split("a cut log", &bytes, source, at, &whole));
    }
}

/// The header after a cut event has a record that is longer than headers are. After the bytes before the
/// first header, all of this short input may have arrived before the first of it is read.
#[test]
fn splitting_an_endless_header_makes_no_difference() {
    let no_declarations = &b"hdrbhetbhetehdredatb"[..];
    let record = &b"hdrbhetbetb\0\0\0\0\x04\0\0\0\x01a\0\0\0\0ete\0"[..];
    let endless = &b"etb\0\0\x01\0\x04\0\0\xEA\x60another"[..];
    for begun_event in [&[][..], &[0, 160], &[0, 160, 0, 0, 0, 0]] {
        let bytes = [b"Hello\n", no_declarations, begun_event, record, endless].concat();
        let whole = read_at_once(&bytes, Source::Eventlog);
        let splits = 0..bytes.len();
        splits.for_each(|at| check_split("a long header", &bytes, Source::Eventlog, at, &whole));
    }
}

/// Profiles of each kind, and in each format, not too long for tests.
fn samples() -> Vec<(Source, Vec<u8>)> {
    const LOGS: [&str; 4] = ["leak-hy", "leak-hc", "uni-hc", "leak-hb"];
    const TEXTS: [&str; 4] = ["leak-hd", "bands-hy", "leak-hr", "leak-hy"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let read = |source, name: &str, ending| {
        let path = folder.join(name).with_extension(ending);
        (source, std::fs::read(path).expect("a sample"))
    };
    let logs = LOGS.iter().map(|name| read(Source::Eventlog, name, "eventlog"));
    logs.chain(TEXTS.iter().map(|name| read(Source::Hp, name, "hp"))).collect()
}

/// Checks that an input is read alike in pieces of all lengths.
fn check(bytes: &[u8], source: Source, random: &mut Random) {
    let whole = read_at_once(bytes, source);
    for most in [300, 9_000, 70_000] {
        assert!(read(bytes, source, most, random) == whole, "pieces up to {most}");
    }
}

#[test]
fn pieces_of_damaged_inputs_give_the_same_result() {
    let mut random = Random::new(1, "damage");
    for (source, whole) in samples() {
        for _ in 0..8 {
            let mut bytes = whole[..whole.len().min(30_000)].to_vec();
            for _ in 0..1 + random.below(6) {
                let at = random.index(bytes.len());
                bytes[at] = *random.of(&[0, 1, 0xFF, b'\n', b'\t', b' ', b'"', b'9', b'B']);
            }
            bytes.truncate(bytes.len() - random.below(60) as usize);
            check(&bytes, source, &mut random);
        }
    }
}

/// An event whose time or length is damaged ends what the fast way may read.
#[test]
fn pieces_with_damaged_events_give_the_same_result() {
    const OF_BANDS: [[u8; 2]; 2] = [[0, 163], [0, 164]];
    let mut random = Random::new(1, "events");
    for (source, whole) in samples().into_iter().filter(|(source, _)| *source == Source::Eventlog) {
        let whole = &whole[..whole.len().min(30_000)];
        let starts =
            whole.windows(2).enumerate().filter(|(_, two)| OF_BANDS.iter().any(|b| b == two));
        let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
        for _ in 0..8 {
            let mut bytes = whole.to_vec();
            for _ in 0..1 + random.below(3) {
                // The type, the time and the length, or the residency.
                let at = random.of(&starts) + 1 + random.index(20);
                bytes[at.min(whole.len() - 1)] ^= 1 << random.below(8);
            }
            check(&bytes, source, &mut random);
        }
    }
}
