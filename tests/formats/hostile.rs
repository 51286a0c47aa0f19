//! The table of `docs/format/eventlog.md#how-heapviz-treats-defects`: the result for each of the crafted
//! logs in `tests/data/hostile/`.
//!
//! The crafted logs are one good log of two samples, each with one defect. The expected result is
//! written out for each file: the samples that are drawn, how the log ended, and the warnings.

use crate::common;
use heapviz::incident::{Condition, WarningCode as W};
use heapviz::input::{InputOptions, ReadError, read};
use heapviz::profile::Profile;

/// The expected result of a log.
enum Expected {
    /// Samples as `time: label=bytes ...`, state, kinds of warnings, and the line about losses.
    Drawn(&'static str, Condition, &'static [W], &'static str),
    /// An error whose message contains this.
    Refused(&'static str),
}

use Expected::{Drawn, Refused};

const GOOD: &str = "20: A=8 B=16; 30: A=24";

/// The crafted logs, in the order of the table's rows.
const TABLE: &[(&str, Expected)] = &[
    // The good log that all others are derived from.
    ("00good", Drawn(GOOD, Condition::Whole, &[], "")),
    // A string without NUL ends at the payload's end, reported.
    ("01noNUL", Drawn("20: ABC=8 B=16", Condition::Whole, &[W::OddEvent], "")),
    // A stack deeper than the payload is dropped, reported.
    (
        "02depth",
        Drawn(
            "",
            Condition::Damaged,
            &[W::OddEvent, W::DamagedSample],
            "drew 0 of 1 sample; left out 1 value",
        ),
    ),
    // An undeclared tag is damage.
    (
        "03undeclared",
        Drawn(
            "20: A=8 B=16; 30: A=24; 50:",
            Condition::Damaged,
            &[W::DamagedBytes],
            "drew 3 samples; skipped 10 bytes at 33 ns (damaged events)",
        ),
    ),
    (
        "03undeclaredBig",
        Drawn(
            "20: A=8 B=16; 30: A=24; 50:",
            Condition::Damaged,
            &[W::DamagedBytes],
            "drew 3 samples; skipped 10 bytes at 33 ns (damaged events)",
        ),
    ),
    // A tag declared twice: the later wins, reported where the sizes differ.
    (
        "04dupdecl",
        Drawn(
            "20: A=8 B=16",
            Condition::Damaged,
            &[W::OddDeclaration, W::DamagedBytes],
            "drew 1 sample; skipped 63 bytes at 23 ns (damaged events)",
        ),
    ),
    // Declared smaller than known: the fields that fit are read.
    ("05small162", Drawn("20: A=8", Condition::Whole, &[], "")),
    // Declared larger: the extra bytes are skipped.
    ("06big162", Drawn("20: A=8", Condition::Whole, &[], "")),
    // A fixed event declared variable, and the reverse: read by content.
    ("07var162", Drawn("20: A=8", Condition::Whole, &[], "")),
    ("08fixed164", Drawn("20: A=8", Condition::Whole, &[], "")),
    // Bytes that are not UTF-8 are replaced.
    ("09badutf8", Drawn("20: ��=8", Condition::Whole, &[], "")),
    // Huge lengths in the header are checked before anything is read.
    ("10hugedesc", Refused("byte 16: damaged event-log header: a description of 4294967295 bytes")),
    (
        "10hugeextra",
        Refused("byte 21: damaged event-log header: an extra field of 4294967280 bytes"),
    ),
    // After the end mark another log may follow; other bytes are counted.
    (
        "11concat",
        // It belongs to another run, and only the last run is drawn.
        Drawn(GOOD, Condition::Whole, &[], ""),
    ),
    ("11trailing", Drawn(GOOD, Condition::Whole, &[W::TrailingBytes], "")),
    // Without declarations every event is undeclared.
    ("12notypes", Drawn("", Condition::Whole, &[], "")),
    (
        "12notypesEvents",
        Drawn(
            "",
            Condition::Damaged,
            &[W::DamagedBytes],
            "drew 0 samples; skipped 173 bytes (damaged events)",
        ),
    ),
    // A description that is not UTF-8 does not matter.
    ("13descutf8", Drawn(GOOD, Condition::Whole, &[], "")),
    // An empty file is reported as empty.
    ("14empty", Refused("the file is empty")),
    // A time going back, outside any block, is sorted.
    ("15backwards", Drawn("3: A=8; 200: A=8", Condition::Whole, &[W::SamplesOutOfOrder], "")),
    // An unknown break-down number remains unknown.
    ("16breakdown", Drawn("20: A=8", Condition::Whole, &[W::OddEvent], "")),
    // Only payloads shorter than their fields are lost.
    ("17beginshort", Drawn("20: A=8", Condition::Whole, &[W::OddEvent, W::BreakdownInferred], "")),
    ("17rtsidempty", Drawn(GOOD, Condition::Whole, &[W::OddEvent], "")),
    ("17rtsidshort", Drawn(GOOD, Condition::Whole, &[W::OddEvent], "")),
    // A payload longer than its fields: the extra bytes are skipped.
    ("18extrafield164", Drawn("20: A=8", Condition::Whole, &[], "")),
    // An event cut by the end of the file.
    (
        "19cut",
        Drawn(
            "20: A=8 B=16",
            Condition::Cut,
            &[W::LogCut],
            "drew 1 of 2 samples; last sample unfinished; the log ends inside an event, at byte 527",
        ),
    ),
    // A block of size 0, or beyond the file, sets no bounds.
    ("20block0", Drawn(GOOD, Condition::Whole, &[], "")),
    ("20blockbig", Drawn(GOOD, Condition::Whole, &[], "")),
    // End without begin, bands without begin, begin within a sample.
    (
        "21endnobegin",
        Drawn("", Condition::Whole, &[W::UnfinishedSample, W::StrayPoints], "drew 0 of 2 samples"),
    ),
    ("22nobegin160", Drawn("20: A=8", Condition::Whole, &[W::BreakdownInferred], "")),
    (
        "23nested",
        Drawn(
            "22: B=8",
            Condition::Whole,
            &[W::UnfinishedSample, W::UnfinishedSample],
            "drew 1 of 2 samples",
        ),
    ),
    // An unknown thread status is ignored.
    ("24stopstatus", Drawn(GOOD, Condition::Whole, &[], "")),
    // An undefined cost centre is shown as ?id.
    ("25undefcc", Drawn("20: ?4242=8", Condition::Whole, &[W::UndefinedCostCentre], "")),
    // A size of 2^63 or more is negative, and read as 0.
    ("26negsize", Drawn("20: LAG=0", Condition::Whole, &[W::ClampedValue], "")),
    // Another magic number: the error says so.
    (
        "27magic",
        Refused("not a heap profile: it begins with neither `hdrb` (event log) nor `JOB` (.hp)"),
    ),
    // The IPE length that is one too large, and a closure kind that is not a number.
    ("28ipe+1", Drawn(GOOD, Condition::Whole, &[], "")),
    ("29ipebadnum", Drawn(GOOD, Condition::Whole, &[], "")),
];

fn samples(profile: &Profile) -> String {
    let sample = |i: usize| {
        let time = profile.samples().times()[i].as_nanos();
        let points = profile.samples().points(i);
        let points = points.map(|(b, s)| format!(" {}={}", profile.bands().label(b), s.get()));
        format!("{time}:{}", points.collect::<String>())
    };
    (0..profile.samples().len()).map(sample).collect::<Vec<_>>().join("; ")
}

fn check(name: &str, bytes: &[u8], expected: &Expected) {
    let (result, expected) = match (read(bytes, &InputOptions::default()), expected) {
        (Err(ReadError::Decode(error)), Refused(what)) => {
            assert!(error.to_string().contains(what), "{name}: {error}");
            return;
        }
        (Ok(profile), &Drawn(samples, state, codes, losses)) => {
            (profile, (samples, state, codes, losses))
        }
        (Ok(profile), Refused(_)) => panic!("{name} is drawn: {}", samples(&profile)),
        (Err(error), _) => panic!("{name} is refused: {error}"),
    };
    let codes: Vec<W> = result.warnings().iter().map(|warning| warning.code).collect();
    let losses = result.loss_summary().unwrap_or_default();
    let found = (samples(&result), result.condition(), &codes[..], losses.as_str());
    assert_eq!(found, (expected.0.to_owned(), expected.1, expected.2, expected.3), "{name}");
}

#[test]
fn every_row_of_the_table_is_handled_as_stated() {
    let folder = common::data("hostile");
    let mut failed = Vec::new();
    for (name, expected) in TABLE {
        let path = folder.join(name).with_added_extension("eventlog");
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let checked = std::panic::catch_unwind(|| check(name, &bytes, expected));
        failed.extend(checked.is_err().then_some(*name));
    }
    assert_eq!(failed, [""; 0]);
    for path in common::files_with_ending(&folder, "eventlog") {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(TABLE.iter().any(|(known, _)| *known == name), "{name} is not in the table");
    }
}

/// Eden, a parallel Haskell, has its own events (60 to 69) and writes some outside of any block, with
/// their own times.
#[test]
fn a_log_of_eden_is_complete_and_has_no_profile() {
    let types: [(u16, u16); 12] = [
        (2, 6),
        (18, 14),
        (23, 0xFFFF),
        (60, 0),
        (61, 0),
        (62, 4),
        (63, 4),
        (64, 8),
        (65, 10),
        (66, 2),
        (67, 19),
        (68, 23),
    ];
    let mut log = b"hdrbhetb".to_vec();
    for (tag, size) in types {
        let (tag, size) = (tag.to_be_bytes(), size.to_be_bytes());
        log.extend(
            [b"etb\0", &tag[..], &size, &4u32.to_be_bytes(), b"type", &[0; 4], b"ete\0"].concat(),
        );
    }
    log.extend(b"hetehdredatb");
    let event = |tag: u16, time: u64| {
        let size = types.iter().find(|(known, _)| *known == tag).map_or(0, |&(_, size)| size);
        let size = if size == 0xFFFF { 2 } else { size };
        [&tag.to_be_bytes()[..], &time.to_be_bytes(), &vec![0; size.into()]].concat()
    };
    log.extend([event(23, 5), event(65, 0), event(62, 10)].concat());
    for block in 0..20u64 {
        let start = 1000 * block;
        let inside: Vec<u8> = [2, 60, 61, 64, 67, 68, 63]
            .iter()
            .enumerate()
            .flat_map(|(i, &tag)| event(tag, start + i as u64))
            .collect();
        let length = inside.len() as u32 + 24;
        log.extend([&18u16.to_be_bytes()[..], &start.to_be_bytes()].concat());
        log.extend([&length.to_be_bytes()[..], &(start + 9).to_be_bytes(), &[0, 1]].concat());
        log.extend(inside);
        // Between blocks, and with a time before that of the block.
        log.extend([event(67, start / 2), event(60, start / 3)].concat());
    }
    log.extend([&event(66, 20_000)[..], &[0xFF, 0xFF]].concat());
    let profile = read(&log[..], &InputOptions::default()).expect("a log");
    assert_eq!((profile.condition(), profile.loss_summary()), (Condition::Whole, None));
    let error = heapviz::input::drawable(profile).expect_err("no samples").to_string();
    assert!(error.contains("no heap profile in this event log"), "{error}");
}
