//! Tests of the decoder on complete files.

mod strictness;

use super::*;
use crate::incident::{Condition, WarningCode};
use crate::profile::{Profile, Source};

const HEADERS: &str = "JOB \"j\"\nDATE \"d\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n";

/// The profile of `bytes` fed in chunks of `size`.
fn chunked(bytes: &[u8], size: usize) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Hp);
    let mut decoder = HpDecoder::new();
    for chunk in bytes.chunks(size) {
        decoder.feed(chunk, &mut builder).unwrap();
    }
    decoder.finish(&mut builder).unwrap();
    builder.finish()
}

/// All that the decoder decides, as text: state, headers, samples, markers, warnings.
fn facts(profile: &Profile) -> String {
    let metadata = &profile.metadata;
    let mut text = format!("{:?} {:?}", profile.condition(), [&metadata.job, &metadata.date]);
    for (i, time) in profile.samples.times().iter().enumerate() {
        text += &format!("\n{}:", time.to_decimal_seconds());
        for (band, size) in profile.samples.points(i) {
            text += &format!(" {:?}={}", profile.bands.label(band), size.get());
        }
    }
    for marker in &profile.markers {
        text += &format!("\nmark {}", marker.time.to_decimal_seconds());
    }
    for warning in &profile.warnings() {
        text += &format!("\n{:?} {}", warning.code, warning.message);
    }
    text
}

/// The profile of a text, which must not depend on the chunks.
fn decode(bytes: impl AsRef<[u8]>) -> Profile {
    let bytes = bytes.as_ref();
    let whole = chunked(bytes, bytes.len());
    for size in [1, 2, 7, 64, 100] {
        assert_eq!(facts(&chunked(bytes, size)), facts(&whole), "in chunks of {size}");
    }
    whole
}

/// Samples as `time name=size ...`, joined by `; `, of a body after good headers.
fn body(body: &str) -> (String, Condition, Vec<String>) {
    let profile = decode(format!("{HEADERS}{body}"));
    let samples: Vec<String> = (0..profile.samples.len())
        .map(|i| {
            let time = profile.samples.times()[i].as_seconds().to_string();
            let points = profile.samples.points(i);
            let points = points.map(|(b, s)| format!(" {}={}", profile.bands.label(b), s.get()));
            time + &points.collect::<String>()
        })
        .collect();
    let warnings = profile.warnings().iter().map(|warning| warning.message.clone()).collect();
    (samples.join("; "), profile.condition(), warnings)
}

#[test]
fn of_two_times_of_a_sample_that_between_its_neighbours_is_used() {
    let file = |times: [(&str, &str); 4]| {
        let sample =
            |(begin, end): (&str, &str)| format!("BEGIN_SAMPLE {begin}\na\t1\nEND_SAMPLE {end}\n");
        let text = format!("{HEADERS}{}", times.map(sample).concat());
        let profile = chunked(text.as_bytes(), text.len());
        let times = profile.samples.times().iter().map(|time| time.as_nanos() / 100_000_000);
        (times.collect::<Vec<_>>(), profile.condition() == Condition::Damaged)
    };
    let as_it_is = [("1.0", "1.0"), ("2.0", "2.0"), ("3.0", "3.0"), ("4.0", "4.0")];
    let with = |at: usize, begin, end| {
        let mut times = as_it_is;
        times[at] = (begin, end);
        file(times)
    };
    assert_eq!(file(as_it_is), (vec![10, 20, 30, 40], false));
    for (at, (own, _)) in as_it_is.into_iter().enumerate() {
        assert_eq!(with(at, "90000.0", own), (vec![10, 20, 30, 40], true), "{at}");
        assert_eq!(with(at, own, "90000.0"), (vec![10, 20, 30, 40], false), "{at}");
    }
    assert_eq!(with(2, "0.5", "3.0"), (vec![10, 20, 30, 40], true));
    // Both are between them: that of the beginning, as in hp2ps.
    assert_eq!(with(2, "2.2", "2.4"), (vec![10, 20, 22, 40], false));
}

#[test]
fn each_statement_has_its_samples_and_its_warnings() {
    use Condition::{Cut, Open, Whole};
    for (text, samples, condition, warnings) in [
        // As the run-time system writes.
        (
            "BEGIN_SAMPLE 0.000000\nEND_SAMPLE 0.000000\nBEGIN_SAMPLE 0.5\n(1)a/b\t10\n0x40\t5\n\
             END_SAMPLE 0.5\nBEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n",
            "0; 0.5 (1)a/b=10 0x40=5; 1",
            Whole,
            &[][..],
        ),
        // Line ends are white space between tokens, and carriage returns end rows, too.
        ("BEGIN_SAMPLE\r\n0.0\x0b a\x0b\n\n10 b\x0c3 END_SAMPLE 0.0", "0 a=10 b=3", Whole, &[]),
        ("BEGIN_SAMPLE 1.0\r\na\t10\r\nEND_SAMPLE 1.0\r\n", "1 a=10", Whole, &[]),
        // Rows outside of samples belong to the next.
        (
            "a 3\nBEGIN_SAMPLE 0.0\na 5\nEND_SAMPLE 9.0\na 7\nBEGIN_SAMPLE 1.0\nEND_SAMPLE 1.0\n",
            "0 a=3 a=5; 1 a=7",
            Whole,
            &[],
        ),
        // A statement may precede a row on its line.
        (
            "BEGIN_SAMPLE 0.0 a\t1\nEND_SAMPLE 0.0\nDATE \"e\" a\t2\nBEGIN_SAMPLE 1.0 END_SAMPLE 1.0",
            "0 a=1; 1 a=2",
            Whole,
            &[],
        ),
        // A name may first appear outside of rows.
        (
            "BEGIN_SAMPLE 1.0\nlate\t1.5\nb\t1\nlate\t2\nb\t3\nEND_SAMPLE 1.0\nBEGIN_SAMPLE 2.0\n\
             b\t12345678\nlate\t7\nEND_SAMPLE 2.0\n",
            "1 late=1 b=1 late=2 b=3; 2 b=12345678 late=7",
            Whole,
            &["line 6: a value with a point; its decimals are dropped"],
        ),
        // A line with blanks before its value is a row, unless it is a statement.
        (
            "BEGIN_SAMPLE 0.0\n a b  7 \nDATE Mon Jan 5 2026\nBEGIN_SAMPLE x 5\nEND_SAMPLE 0.0\n",
            "0 a b=7",
            Whole,
            &[
                "line 6: the whole line is taken as one row, named `a b`",
                "line 7: `DATE` is not followed by a string in quotes; skipped",
                "line 8: `BEGIN_SAMPLE` is not followed by a time; skipped",
            ],
        ),
        (
            "BEGIN_SAMPLE 0.0\n\t5\n\ta\t6\nEND_SAMPLE 0.0\n",
            "0 a=6",
            Whole,
            &["line 6: a row without a name; left out"],
        ),
        // Unknown text is skipped to the next keyword or line.
        (
            "-- a comment\noops BEGIN_SAMPLE 0.0 COMMENT \"x\" END_SAMPLE 0.0\n\"a\nb\" c\n\
             BEGIN_SAMPLE 1.0\nb 2\nEND_SAMPLE 1.0\n",
            "0; 1 b=2",
            Open,
            &[
                "line 5: `--` is not followed by a whole number; skipped",
                "line 6: `oops` is not followed by a whole number; skipped",
                "line 6: `COMMENT` is not followed by a whole number; skipped",
                "line 7: a string where a statement should begin; skipped",
            ],
        ),
        // What the end cuts off.
        (
            "BEGIN_SAMPLE 0.0\na 1\nEND_SAMPLE 0.0\nBEGIN_SAMPLE 2.0\n",
            "0 a=1",
            Cut,
            &["the sample at 2 s is unfinished and left out with its 0 bands"],
        ),
        (
            "BEGIN_SAMPLE 0.0\nEND_SAMPLE 0.0\nBEGIN",
            "0",
            Cut,
            &["the file ends inside a statement, in line 7"],
        ),
        (
            "BEGIN_SAMPLE 0.0\na 1\nEND_SAMPLE 0.0\na 7\n",
            "0 a=1",
            Cut,
            &["1 row after the last END_SAMPLE; left out"],
        ),
        // Without an empty last sample, the program was killed or is running.
        ("BEGIN_SAMPLE 0.0\nEND_SAMPLE 0.0\n", "0", Open, &[]),
        (
            "BEGIN_SAMPLE 0.0\nEND_SAMPLE 0.0\nBEGIN_SAMPLE 1.0\na\t1\nEND_SAMPLE 1.0\n",
            "0; 1 a=1",
            Open,
            &[],
        ),
        (
            "BEGIN_SAMPLE 0.0\na 3.5\nb -5\nc 18446744073709551616\nd\t9007199254740993\n\
             e -0\nf 000000000000000000000000000007\nEND_SAMPLE 0.0\n",
            "0 a=3 b=0 c=18446744073709551615 d=9007199254740993 e=0 f=7",
            Whole,
            &[
                "line 6: a value with a point; its decimals are dropped",
                "line 7: a value below zero, taken as 0",
                "line 8: a value beyond 64 bits, taken as 18446744073709551615",
            ],
        ),
        (
            "MARK 5\nBEGIN_SAMPLE 1\nMARK 1.25\na 1\nEND_SAMPLE 1.5.9\n",
            "1 a=1",
            Whole,
            &[
                "line 5: a time without a decimal point",
                "line 6: a time without a decimal point",
                "line 7: a MARK inside a sample",
            ],
        ),
        (
            "BEGIN_SAMPLE -1.5\na 1\nEND_SAMPLE -1.5\n",
            "-1.5 a=1",
            Whole,
            &[
                "the sample times run backwards, as the mutator clock does with --nonmoving-gc; samples are drawn by number in the order of the file (the event log has the elapsed times)",
            ],
        ),
        (
            "BEGIN_SAMPLE 1e3\na 1\nEND_SAMPLE 1.0\n",
            "1 a=1",
            Whole,
            &[
                "line 5: a time without a decimal point",
                "line 5: `e3` is not followed by a whole number; skipped",
            ],
        ),
        ("BEGIN_SAMPLE 1.0\ra\t1\rEND_SAMPLE 1.0\r", "1 a=1", Whole, &[]),
        // A nested begin only sets the time; an end without one dates its sample.
        (
            "BEGIN_SAMPLE 0.0\na 1\nBEGIN_SAMPLE 2.0\na 4\nEND_SAMPLE 2.0\n",
            "2 a=1 a=4",
            Whole,
            &[
                "line 7: BEGIN_SAMPLE inside a sample; the rows of both are one sample, of the later begin",
            ],
        ),
        (
            "a 1\nEND_SAMPLE 1.0\nEND_SAMPLE 2.0\n",
            "1 a=1; 2",
            Whole,
            &[
                "line 6: END_SAMPLE without BEGIN_SAMPLE; the sample is dated by its end, 1.000000",
                "line 7: END_SAMPLE without BEGIN_SAMPLE; the sample is dated by its end, 2.000000",
            ],
        ),
        (
            "BEGIN_SAMPLE 1.0\na 1\nEND_SAMPLE\nBEGIN_SAMPLE 2.0\nEND_SAMPLE 2.0\n",
            "1 a=1; 2",
            Whole,
            &["line 7: END_SAMPLE without a time"],
        ),
    ] {
        let found = body(text);
        let found = (found.0.as_str(), found.1, found.2.iter().map(String::as_str).collect());
        assert_eq!(found, (samples, condition, warnings.to_vec()), "{text}");
    }
}

#[test]
fn header_strings_may_contain_quotes_and_line_ends() {
    let profile = decode("JOB \"a \"\"b\"\"\nc\"DATE \"d\" JOB \"e\nf\" \"stray");
    assert_eq!(profile.metadata.job.as_deref(), Some("e\nf"));
    assert_eq!(profile.metadata.date.as_deref(), Some("d"));
    let messages: Vec<_> = profile.warnings().into_iter().map(|w| w.message).collect();
    assert_eq!(
        messages,
        [
            "line 3: a string where a statement should begin; skipped",
            "there is no VALUE_UNIT line",
            "there is no SAMPLE_UNIT line",
        ]
    );
}

#[test]
fn hostile_lengths_take_linear_time() {
    let quotes = "\"".repeat(1 << 20) + "\n";
    let job = "JOB \"".repeat(100_000);
    let wide = " ".repeat(1 << 20);
    let name = "x".repeat(1 << 20);
    let digits = format!("a\t{}", "1".repeat(1 << 20));
    let oops = "oops ".repeat(100_000);
    let keywords = "BEGIN_SAMPLE ".repeat(100_000);
    let jobs = "JOB \"x\" z z\"z ".repeat(100_000);
    let quoted = format!("JOB {}", "\"".repeat(1 << 20));
    let rows = format!("JOB \"x\" {}", "a 5 ".repeat(100_000));
    for text in [quotes, job, wide, name, digits, oops, keywords, jobs, quoted, rows] {
        let started = crate::testing::Stopwatch::start();
        let bytewise = chunked(text.as_bytes(), 1);
        assert_eq!(facts(&bytewise), facts(&chunked(text.as_bytes(), text.len())));
        // Quadratic time would be half an hour.
        assert!(started.elapsed().as_secs() < 60, "{:?}...", &text[..10]);
    }
}

/// The job line that a header gives, and how many statements were odd; what follows must be
/// complete.
fn job(header: &str) -> (String, usize) {
    let rest = "SAMPLE_UNIT \"s\"\nVALUE_UNIT \"b\"\nBEGIN_SAMPLE 1.0\na\t5\nEND_SAMPLE 1.0\n";
    let profile = decode(format!("{header}\nDATE \"d\"\n{rest}"));
    let odd = profile.warnings().iter().filter(|w| w.code == WarningCode::OddStatement).count();
    assert_eq!(profile.metadata.date.as_deref(), Some("d"), "{header}");
    assert_eq!(profile.samples.len(), 1, "{header}");
    (profile.metadata.job.clone().unwrap_or_default(), odd)
}

#[test]
fn a_job_line_may_contain_quotes_that_are_not_doubled() {
    for (header, text) in [
        (r#"JOB "prog "a b" c""#, r#"prog "a b" c"#),
        (r#"JOB "prog "a b"""#, r#"prog "a b""#),
        (r#"JOB ""a b" c""#, r#""a b" c"#),
        (r#"JOB "prog "a b"#, r#"prog "#),
        (r#"JOB "5" disk""#, r#"5" disk"#),
        // There is a row in between, but then no statement.
        (r#"JOB "prog "a 5" c""#, r#"prog "a 5" c"#),
        ("JOB \"prog \"a b\" c\"\r", r#"prog "a b" c"#),
        (r#"JOB "prog "a b" c" MARK 1.0 VALUE_UNIT "b""#, r#"prog "a b" c"#),
        (r#"JOB "a "DATE b" c""#, r#"a "DATE b" c"#),
        (r#"JOB "a "x DATE b" c""#, r#"a "x DATE b" c"#),
    ] {
        let (job, odd) = job(header);
        assert_eq!((job.as_str(), odd), (text, 1), "{header}");
    }
}

/// A compressed file has a thousand million of them in a few megabytes.
#[test]
fn blank_lines_are_passed_at_once_and_counted() {
    let mut interpreter = Interpreter::new(Rules::Strict);
    let mut profile = ProfileBuilder::new(Source::Hp);
    let blank = [b'\n'; 1000];
    let text = Unread { bytes: &blank, is_final: false };
    assert_eq!(interpreter.run(text, 1, &mut FastRows::default(), &mut profile), Ok(1000));
    let (_, _, said) = body("\n\n \n\nBEGIN_SAMPLE 1.0\nx y z\nEND_SAMPLE 1.0\n");
    assert_eq!(said, ["line 10: `x` is not followed by a whole number; skipped"]);
}

#[test]
fn times_may_have_a_decimal_comma() {
    let (samples, _, said) = body("BEGIN_SAMPLE 0,25\nx\t5\nEND_SAMPLE 0,25\nMARK 1,5\n");
    assert_eq!(samples, "0.25 x=5");
    assert_eq!(said[0], "line 5: a time without a decimal point");
    assert_eq!(said.len(), 3, "{said:?}");
}

#[test]
fn a_file_without_line_ends_is_refused_if_they_are_needed() {
    let finish = |text: &str| {
        let mut builder = ProfileBuilder::new(Source::Hp);
        let mut decoder = HpDecoder::new();
        decoder.feed(text.as_bytes(), &mut builder).unwrap();
        decoder.finish(&mut builder)
    };
    let lines = format!("{HEADERS}BEGIN_SAMPLE 1.0\nmy name\t5\nEND_SAMPLE 1.0\n");
    assert_eq!(finish(&lines), Ok(()));
    let refused = Err(Error::NotAProfile(Lookalike::OneLine));
    for (end, last) in [(" ", ""), ("", ""), (" ", "\n")] {
        let text = lines.replace('\n', end) + last;
        assert_eq!(finish(&text), refused, "{text}");
        assert_eq!(finish(&text.replace("my name", "name")), Ok(()), "{text}");
    }
    // Two lines are not one, and half a file may be.
    assert_eq!(finish(&lines.replace('\n', " ").replace(" BEGIN", "\nBEGIN")), Ok(()));
    assert_eq!(finish("JOB \"j\" x"), Ok(()));
}

#[test]
fn a_name_of_a_mebibyte_is_no_row_and_the_row_after_it_is_read() {
    let row = |length: usize, rest: &str| "x".repeat(length) + rest;
    let mebibyte = 1 << 20;
    for (length, sizes) in [(mebibyte - 16, &[7, 5][..]), (mebibyte, &[5]), (3 * mebibyte, &[5])] {
        let text =
            format!("{HEADERS}BEGIN_SAMPLE 1.0\n{}\na\t5\nEND_SAMPLE 1.0\n", row(length, "\t7"));
        let whole = chunked(text.as_bytes(), text.len());
        let found: Vec<u64> = whole.samples.points(0).map(|(_, size)| size.get()).collect();
        assert_eq!(found, sizes, "{length}");
        assert_eq!(whole.losses().statements, 2 - sizes.len(), "{length}");
        for size in [1000, 65_536, mebibyte + 5] {
            let same = facts(&chunked(text.as_bytes(), size)) == facts(&whole);
            assert!(same, "{length} in chunks of {size}");
        }
    }
    for rest in ["\tq\n", "\n", "\t7x\n", ""] {
        let name = row(2 * mebibyte, rest);
        let text = format!("{HEADERS}BEGIN_SAMPLE 1.0\nb\t1\nEND_SAMPLE 1.0\n{name}");
        let whole = chunked(text.as_bytes(), text.len());
        assert_eq!((whole.samples.len(), whole.bands.len()), (1, 1), "{rest:?}");
        assert!(!whole.losses().is_empty(), "{rest:?}");
        assert!(facts(&chunked(text.as_bytes(), 65_536)) == facts(&whole), "{rest:?}");
    }
}
