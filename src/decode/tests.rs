//! Tests that a profile does not depend on how its input is cut into pieces, nor on which of them
//! are digested.

use std::path::Path;

use super::{Decoder, Digest};
use crate::profile::{ProfileBuilder, Source};
use crate::testing::Random;

/// Everything that is read from an input whose pieces have random lengths below `most`; one in
/// `plain` is not digested.
fn read(bytes: &[u8], source: Source, most: u64, plain: u64, random: &mut Random) -> String {
    let mut profile = ProfileBuilder::new(source);
    let mut decoder = Decoder::new(source);
    let (mut digester, mut digest) = (None, Digest::default());
    let mut rest = bytes;
    while !rest.is_empty() {
        let length = 1 + random.below(most.min(rest.len() as u64)) as usize;
        let (piece, after) = rest.split_at(length);
        rest = after;
        digester = digester.or_else(|| decoder.digester());
        digest.clear();
        if let Some(digester) = digester.as_mut().filter(|_| !random.one_in(plain)) {
            digester.digest(piece, &mut digest);
        }
        if let Err(error) = decoder.feed_digested(piece, &digest, &mut profile) {
            return format!("{error:?}");
        }
    }
    match decoder.finish(&mut profile) {
        Ok(()) => format!("{:?}", profile.finish()),
        Err(error) => format!("{error:?}"),
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

/// Checks that an input is read alike in every way.
fn check(bytes: &[u8], source: Source, random: &mut Random) {
    let plainly = read(bytes, source, u64::MAX, 1, random);
    for most in [300, 9_000, 70_000, u64::MAX] {
        for plain in [2, u64::MAX] {
            let ahead = read(bytes, source, most, plain, random);
            assert!(ahead == plainly, "pieces below {most}, one in {plain} plain");
        }
    }
}

#[test]
fn digested_pieces_are_read_as_others() {
    let mut random = Random::new(1, "pieces");
    for (source, bytes) in samples() {
        check(&bytes, source, &mut random);
        // A file of several runs.
        check(&[&bytes[..], &bytes].concat(), source, &mut random);
    }
}

#[test]
fn digested_pieces_of_damaged_inputs_are_read_as_others() {
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

#[test]
fn most_of_an_input_is_in_digests() {
    let (mut plain, mut all) = (0, 0);
    for (source, bytes) in samples() {
        let mut decoder = Decoder::new(source);
        let mut profile = ProfileBuilder::new(source);
        let (front, rest) = bytes.split_at(bytes.len() / 2);
        decoder.feed(front, &mut profile).unwrap();
        let mut digest = Digest::default();
        decoder.digester().unwrap().digest(rest, &mut digest);
        plain += digest.lengths().sum::<usize>();
        all += rest.len();
    }
    assert!(4 * plain > 3 * all, "{plain} of {all}");
}
