//! Any bytes as hp2ps reads them: no panic, the same files however the source gives the bytes, and
//! what is drawn is whole.
#![no_main]

use heapviz::hp2ps::options::parse;
use heapviz::hp2ps::{Names, draw};
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
    let names = Names { program: b"hp2ps", input: b"stdin", aux: b"t.aux" };
    let whole = draw(data, None, &options, &names);
    assert_eq!(draw(Pieces::of(data), None, &options, &names), whole);
    let Ok(drawing) = whole else { return };
    assert!(drawing.postscript.ends_with(b"showpage\n"));
    // Its own file is read back, or refused in words.
    if let Err(failure) = draw(data, Some(&drawing.aux), &options, &names) {
        assert!(!failure.message().is_empty());
    }
});
