//! Helpers for the fuzz targets: they cut the input into chunks that the input itself determines,
//! and compare two profiles.
//!
//! The corpus consists of plain profiles: no part of the input is reserved for the fuzzer's own
//! choices, so every crash file can be given to the command as it is.

use std::io::{self, Read};

use heapviz::decode::eventlog::EventlogDecoder;
use heapviz::decode::hp::HpDecoder;
use heapviz::incident::error::Error;
use heapviz::profile::{Profile, ProfileBuilder, Source};

/// Choices that depend on nothing but the input.
pub struct Choices(u64);

impl Choices {
    /// The choices of an input.
    pub fn of(data: &[u8]) -> Self {
        // FNV-1a; any hash would do.
        let hash = data.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Choices(hash | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    /// How long the next chunk is: mostly short, so that they end inside everything.
    pub fn chunk(&mut self) -> usize {
        1 + match self.below(4) {
            0 => 0,
            1 => self.below(16),
            2 => self.below(256),
            _ => self.below(8192),
        }
    }
}

/// A `.hp` of 1 to 500 bands, all of one to three kinds of curve: bands that are equal, zero, seen once, that grow alike
/// or up and down. Changes of single bytes hardly ever make such a heap.
pub fn shape(seed: u32, most: usize) -> Vec<u8> {
    let mut choices = Choices::of(&seed.to_le_bytes());
    let kinds: Vec<usize> = (0..1 + choices.below(3)).map(|_| choices.below(10)).collect();
    let unit = [1, 8_000, 1 << 20, 1 << 40, 1 << 58][choices.below(5)];
    let (bands, samples) = (1 + choices.below(500), 1 + choices.below(60));
    // Equal times, a clock that stands still for some samples, one that goes back; and a first time and steps of all
    // lengths, up to beyond the last time that is read.
    let pace = choices.below(5);
    let [first, second] =
        [0, 1].map(|_| [0, 1, 1_000, 1_000_000_000, 2_305_843_009][choices.below(5)]);
    let (jump, step) = (choices.below(samples + 1), 1 + choices.below(3) * second);
    let mut text =
        b"JOB \"p\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n".to_vec();
    for at in 0..samples {
        let beats = [at, at / 2, at / 10, 0, samples - at][pace];
        let jumped = if at >= jump { second } else { 0 };
        let time = first + jumped + beats.saturating_mul(step);
        let mut sample = format!("BEGIN_SAMPLE {time}\n");
        for band in 0..bands {
            let times = match kinds[band % kinds.len()] {
                0 => 5,
                1 => at as u64 + 1,
                2 => (samples - at) as u64,
                3 => u64::from(at == band % samples),
                4 => 0,
                5 => [3, 9, 1][(at + band) % 3],
                6 => (at as u64 + 1) * (band as u64 % 7 + 1),
                7 => u64::from(at > samples / 2) * 7,
                8 => (at % 8) as u64,
                _ => choices.below(16) as u64,
            };
            let size = u64::saturating_mul(unit, times);
            sample += &format!("b{band}\t{size}\n");
        }
        sample += &format!("END_SAMPLE {time}\n");
        if text.len() + sample.len() > most {
            break;
        }
        text.extend_from_slice(sample.as_bytes());
    }
    text.truncate(most);
    text
}

/// Changes an input as the fuzzer does, or replaces it by a [`shape`].
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    if seed % 8 > 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, most);
    }
    let text = shape(seed, most);
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

/// Gives bytes in pieces of any length.
pub struct Pieces<'a> {
    rest: &'a [u8],
    choices: Choices,
}

impl<'a> Pieces<'a> {
    /// All of `data`, in pieces.
    pub fn of(data: &'a [u8]) -> Self {
        Pieces { rest: data, choices: Choices::of(data) }
    }
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.choices.chunk().min(buffer.len()).min(self.rest.len());
        let (piece, rest) = self.rest.split_at(length);
        buffer[..length].copy_from_slice(piece);
        self.rest = rest;
        Ok(length)
    }
}

/// Decodes a text or a log in the chunks that `chunk` says.
pub fn decode(
    data: &[u8],
    source: Source,
    mut chunk: impl FnMut() -> usize,
) -> Result<Profile, Error> {
    let mut builder = ProfileBuilder::new(source);
    let mut rest = data;
    let mut next = || {
        let (piece, left) = rest.split_at(chunk().min(rest.len()));
        rest = left;
        (!piece.is_empty()).then_some(piece)
    };
    match source {
        Source::Eventlog => {
            let mut decoder = EventlogDecoder::new();
            while let Some(piece) = next() {
                decoder.feed(piece, &mut builder)?;
            }
            decoder.finish(&mut builder)?
        }
        Source::Hp => {
            let mut decoder = HpDecoder::new();
            while let Some(piece) = next() {
                decoder.feed(piece, &mut builder)?;
            }
            decoder.finish(&mut builder)?
        }
        other => panic!("no target decodes {other:?}"),
    };
    Ok(builder.finish())
}

/// Decodes whole and in chunks, and holds the two against each other.
pub fn decode_both_ways(data: &[u8], source: Source) -> Option<Profile> {
    let whole = decode(data, source, || data.len().max(1));
    let mut choices = Choices::of(data);
    let chunked = decode(data, source, || choices.chunk());
    match (whole, chunked) {
        (Ok(whole), Ok(chunked)) => {
            assert_same(&whole, &chunked);
            Some(whole)
        }
        (Err(whole), Err(chunked)) => {
            // A header's error tells what was found, of which a chunk may hold less.
            let kind = std::mem::discriminant::<Error>;
            assert_eq!(kind(&whole), kind(&chunked), "{whole} / {chunked}");
            None
        }
        (whole, chunked) => panic!("whole {whole:?}\nchunked {chunked:?}"),
    }
}

/// Panics unless two profiles are equal in everything.
pub fn assert_same(a: &Profile, b: &Profile) {
    assert_eq!(
        (a.condition(), a.breakdown(), a.clock()),
        (b.condition(), b.breakdown(), b.clock())
    );
    assert_eq!(a.metadata(), b.metadata());
    assert_eq!(a.warnings(), b.warnings());
    assert_eq!(a.samples().times(), b.samples().times());
    assert!(a.samples().all_points().eq(b.samples().all_points()));
    for i in 0..a.samples().len() {
        assert_eq!(a.samples().points(i).len(), b.samples().points(i).len());
    }
    assert_eq!(a.bands().len(), b.bands().len());
    for (a_band, b_band) in a.bands().ids().zip(b.bands().ids()) {
        assert_eq!(a.bands().key(a_band), b.bands().key(b_band));
        assert_eq!(a.bands().label(a_band), b.bands().label(b_band));
    }
    assert_eq!(a.markers(), b.markers());
    assert_eq!(a.heap(), b.heap());
    assert!(a.info_tables().iter().eq(b.info_tables().iter()));
}
