//! What hp2ps's rules refuse, with its line; `tests/hp2ps` has what they read.

use super::*;

const HEADERS: &str = "JOB \"j\" DATE \"d\" SAMPLE_UNIT \"s\" VALUE_UNIT \"b\"\n";

/// The result of reading `bytes` in chunks of `size`.
fn chunked(bytes: &[u8], size: usize) -> Result<(Profile, StrictReading), Error> {
    let mut builder = ProfileBuilder::new(Source::Hp);
    let mut decoder = HpDecoder::strict();
    for chunk in bytes.chunks(size) {
        decoder.feed(chunk, &mut builder).unwrap();
    }
    let reading = decoder.finish_strict(&mut builder)?;
    Ok((builder.finish(), reading))
}

fn read(text: &str) -> Result<(Profile, StrictReading), Error> {
    chunked((HEADERS.to_owned() + text).as_bytes(), 1 << 20)
}

fn message(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn what_hp2ps_refuses_is_an_error_with_its_line() {
    for (text, expected) in [
        ("BEGIN_SAMPLE 1 ", "line 2: a time without a decimal point"),
        ("BEGIN_SAMPLE 1.0 END_SAMPLE\n\nx", "line 2: `END_SAMPLE` is not followed by a time"),
        ("MARK 1 ", "line 2: a time without a decimal point"),
        ("MARK x ", "line 2: `MARK` is not followed by a time"),
        ("MARK -1.5 ", "line 2: a time below zero"),
        ("BEGIN_SAMPLE 1.0 MARK 1.0", "line 2: a MARK inside a sample"),
        ("BEGIN_SAMPLE 1.0\nBEGIN_SAMPLE 0.5 ", "line 3: a sample earlier than the one before"),
        ("a -5", "line 2: a value below zero"),
        ("a -0", "line 2: a value below zero"),
        ("a 5.0", "line 2: a value with a point"),
        ("a\nb 5", "line 2: `a` is not followed by a whole number"),
        ("JOB 5 ", "line 2: `JOB` is not followed by a string in quotes"),
        ("MARK\0x\t5\n", "line 2: a time without a decimal point"),
        ("JOB \"a\nb\"\n\"stray\" 5", "line 4: a string where a statement should begin"),
        ("\n\nJOB \"a\nb", "line 4: the string after JOB has no closing quote"),
        ("", "a .hp header without a single complete sample"),
        ("a 5", "no sample is complete: the file ends inside the first one"),
    ] {
        assert_eq!(message(text), expected, "{text}");
    }
    let missing = chunked(b"JOB \"j\" SAMPLE_UNIT \"s\" DATE \"d\"", 7).unwrap_err();
    assert_eq!(missing.to_string(), "there is no VALUE_UNIT line");
    assert_eq!(chunked(b"", 1).unwrap_err(), Error::Empty);
}
