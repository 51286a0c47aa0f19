//! Any bytes as an input, compressed or not: no panic, and the same answer however the source
//! delivers the bytes.
#![no_main]

use heapviz::input::{InputOptions, read};
use heapviz_fuzz::{Pieces, assert_same};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let options = InputOptions::default();
    match (read(data, &options), read(Pieces::of(data), &options)) {
        (Ok(whole), Ok(pieces)) => assert_same(&whole, &pieces),
        (Err(whole), Err(pieces)) => assert_eq!(whole.to_string(), pieces.to_string()),
        (whole, pieces) => panic!("whole {whole:?}\npieces {pieces:?}"),
    }
});
