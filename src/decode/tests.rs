//! Tests that a profile does not depend on how its input is cut into pieces.

use std::path::Path;

use super::Decoder;
use crate::profile::{ProfileBuilder, Source};
use crate::testing::Random;

/// A text without the children of calls: they are in a hash map, whose order is random. Each call also
/// names its parent.
fn without_maps(text: &str) -> String {
    const CHILDREN: &str = "children: {";
    let parts = text.split(CHILDREN).enumerate();
    parts
        .map(|(i, part)| if i == 0 { part } else { part.split_once('}').map_or("", |p| p.1) })
        .collect()
}

/// Everything that is read of an input in these pieces, or what the decoder did not like.
fn read<'a>(source: Source, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let (mut profile, mut decoder) = (ProfileBuilder::new(source), Decoder::new(source));
    let fed = pieces.into_iter().try_for_each(|piece| decoder.feed(piece, &mut profile));
    match fed.and_then(|()| decoder.finish(&mut profile)) {
        Ok(()) => without_maps(&format!("{:?}", profile.finish())),
        Err(error) => format!("{error:?}"),
    }
}

/// An input in pieces of random lengths up to `most`.
fn pieces<'a>(mut rest: &'a [u8], most: u64, random: &mut Random) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(1 + random.below(most.min(rest.len() as u64)) as usize);
        pieces.push(piece);
        rest = after;
    }
    pieces
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
            let whole = read(source, [&bytes[..]]);
            for most in [300, 9_000, 70_000] {
                let pieces = pieces(&bytes, most, &mut random);
                assert!(read(source, pieces) == whole, "pieces up to {most}");
            }
        }
    }
}
