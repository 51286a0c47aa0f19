//! Tests of what hp2ps's rules read and refuse, and that cutting the input into pieces changes neither.

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

fn rows(text: &str) -> String {
    let (profile, reading) = read(text).unwrap();
    let mut rows = String::new();
    for (i, time) in reading.times.iter().enumerate() {
        rows += &format!("{time}:");
        for (band, size) in profile.samples.points(i) {
            rows += &format!(" {}={}", profile.bands.label(band), size.get());
        }
        rows += ";";
    }
    rows
}

fn message(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn a_name_with_blanks_is_accepted_only_where_hp2ps_refuses_it() {
    let text = "BEGIN_SAMPLE 0.0\nmy name\t5\na 3\t4\n7\nb\nc\t8\nEND_SAMPLE 0.0\n";
    assert_eq!(message(text), "line 6: `b` is not followed by a whole number");
    let text = "BEGIN_SAMPLE 0.0\nmy name\t5\na 3\t4\n7\nEND_SAMPLE 0.0\n";
    assert_eq!(rows(text), "0: my name=5 a=3 4=7;");
    let (_, reading) = read(text).unwrap();
    assert_eq!(reading.blank_names, 1);
    // The first word of another fills hp2ps's buffer.
    let is_read = |first: usize| {
        read(&format!("BEGIN_SAMPLE 0.0\n{} b\t5\nEND_SAMPLE 0.0\n", "a".repeat(first))).is_ok()
    };
    assert!(is_read(MAX_WORD - 1) && !is_read(MAX_WORD));
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

#[test]
fn numbers_keep_their_digits_where_a_profile_rounds_them() {
    let huge = "9".repeat(32);
    let text = format!(
        "MARK 2.0 MARK 1.0 BEGIN_SAMPLE 0.12345678901 a 1 b {huge} END_SAMPLE 0.2 \
         BEGIN_SAMPLE 1.0 b {huge} a 2 "
    );
    let (_, reading) = read(&text).unwrap();
    assert_eq!(reading.times, [0.123_456_789_01]);
    assert_eq!(reading.marks, [2.0, 1.0]);
    assert_eq!((reading.huge, reading.points), (vec![(1, 1e32), (2, 1e32)], 4));
    let strays: Vec<_> = reading.strays.iter().map(|(_, value)| *value).collect();
    assert_eq!(strays, [1e32, 2.0]);
    let nul = chunked(
        b"JOB \"a\0b\" DATE \"\"\"\" SAMPLE_UNIT \"\" VALUE_UNIT \"\xff\" a\0b 5 \
        BEGIN_SAMPLE 0.0 END_SAMPLE 0.0",
        1 << 20,
    );
    let (profile, reading) = nul.unwrap();
    assert_eq!(
        (&*reading.job, &*reading.date, &*reading.value_unit),
        (&b"a"[..], &b"\""[..], &b"\xff"[..])
    );
    assert_eq!(profile.bands.labels().collect::<Vec<_>>(), ["a"]);
}
