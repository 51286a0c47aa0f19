//! Any bytes as hp2ps reads them: no panic, the same files however the source delivers the bytes,
//! and complete pictures.
#![no_main]

use heapviz::hp2ps::command_line::parse;
use heapviz::hp2ps::draw;
use heapviz_fuzz::{Choices, Pieces};
use libfuzzer_sys::fuzz_target;

const FLAGS: [&str; 16] = [
    "-d", "-i-", "-c", "-b", "-s", "-g", "-e300", "-M", "-m0", "-m2", "-m25", "-m-1", "-t0", "-t5",
    "-p", "-y",
];

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices::of(data);
    let flags: Vec<&[u8]> =
        (0..choices.below(4)).map(|_| FLAGS[choices.below(FLAGS.len())].as_bytes()).collect();
    let options = parse(flags).unwrap();
    let drawn = |previous: Option<&[u8]>| {
        draw(data, previous, &options, b"hp2ps").map_err(|failure| failure.to_string())
    };
    let whole = drawn(None);
    let pieces = draw(Pieces::of(data), None, &options, b"hp2ps");
    assert_eq!(pieces.map_err(|failure| failure.to_string()), whole);
    let Ok(drawing) = whole else { return };
    assert!(drawing.postscript.ends_with(b"showpage\n"));
    // Its own file is read back, or refused in words.
    if let Err(failure) = drawn(Some(&drawing.aux)) {
        assert!(!failure.is_empty());
    }
});
