//! The table of `docs/format/eventlog.md#how-heapviz-treats-defects`: the result for each of the crafted
//! logs in `tests/data/hostile/`.
//!
//! The crafted logs are one good log of two samples, each with one defect. The expected result is
//! written out for each file.

use std::collections::BTreeMap;

use crate::common;
use crate::common::generator::testing::Log;
use heapviz::incident::Condition;
use heapviz::input::{InputOptions, ReadError, read};
use heapviz::profile::Profile;

/// The crafted logs, in the order of the table's rows: name, samples as `time: label=bytes ...`, state with the kinds of
/// warnings, and the line about losses; or name and a part of the error.
const TABLE: &str = "
# The good log that all others are derived from.
00good | 20: A=8 B=16; 30: A=24 | Whole |
# A string without NUL ends at the payload's end, reported.
01noNUL | 20: ABC=8 B=16 | Whole OddEvent |
# A stack deeper than the payload is dropped, reported.
02depth |  | Damaged OddEvent DamagedSample | drew 0 of 1 sample; left out 1 value
# An undeclared tag is damage.
03undeclared | 20: A=8 B=16; 30: A=24; 50: | Damaged DamagedBytes | drew 3 samples; skipped 10 bytes at 33 ns (damaged events)
03undeclaredBig | 20: A=8 B=16; 30: A=24; 50: | Damaged DamagedBytes | drew 3 samples; skipped 10 bytes at 33 ns (damaged events)
# A tag declared twice: the later wins, reported where the sizes differ.
04dupdecl | 20: A=8 B=16 | Damaged OddDeclaration DamagedBytes | drew 1 sample; skipped 63 bytes at 23 ns (damaged events)
# Declared smaller than known: the fields that fit are read.
05small162 | 20: A=8 | Whole |
# Declared larger: the extra bytes are skipped.
06big162 | 20: A=8 | Whole |
# A fixed event declared variable, and the reverse: read by content.
07var162 | 20: A=8 | Whole |
08fixed164 | 20: A=8 | Whole |
# Bytes that are not UTF-8 are replaced.
09badutf8 | 20: ��=8 | Whole |
# Huge lengths in the header are checked before anything is read.
10hugedesc ! byte 16: damaged event-log header: a description of 4294967295 bytes
10hugeextra ! byte 21: damaged event-log header: an extra field of 4294967280 bytes
# After the end mark another log may follow; other bytes are counted.
11concat | 20: A=8 B=16; 30: A=24 | Whole |
11trailing | 20: A=8 B=16; 30: A=24 | Whole TrailingBytes |
# Without declarations every event is undeclared.
12notypes |  | Whole |
12notypesEvents |  | Damaged DamagedBytes | drew 0 samples; skipped 173 bytes (damaged events)
# A description that is not UTF-8 does not matter.
13descutf8 | 20: A=8 B=16; 30: A=24 | Whole |
# An empty file is reported as empty.
14empty ! the file is empty
# A time going back, outside any block, is sorted.
15backwards | 3: A=8; 200: A=8 | Whole SamplesOutOfOrder |
# An unknown break-down number remains unknown.
16breakdown | 20: A=8 | Whole OddEvent |
# Only payloads shorter than their fields are lost.
17beginshort | 20: A=8 | Whole OddEvent BreakdownInferred |
17rtsidempty | 20: A=8 B=16; 30: A=24 | Whole OddEvent |
17rtsidshort | 20: A=8 B=16; 30: A=24 | Whole OddEvent |
# A payload longer than its fields: the extra bytes are skipped.
18extrafield164 | 20: A=8 | Whole |
# An event cut by the end of the file.
19cut | 20: A=8 B=16 | Cut LogCut | drew 1 of 2 samples; last sample unfinished; the log ends inside an event, at byte 527
# A block of size 0, or beyond the file, sets no bounds.
20block0 | 20: A=8 B=16; 30: A=24 | Whole |
20blockbig | 20: A=8 B=16; 30: A=24 | Whole |
# End without begin, bands without begin, begin within a sample.
21endnobegin |  | Whole UnfinishedSample StrayPoints | drew 0 of 2 samples
22nobegin160 | 20: A=8 | Whole BreakdownInferred |
23nested | 22: B=8 | Whole UnfinishedSample UnfinishedSample | drew 1 of 2 samples
# An unknown thread status is ignored.
24stopstatus | 20: A=8 B=16; 30: A=24 | Whole |
# An undefined cost centre is shown as ?id.
25undefcc | 20: ?4242=8 | Whole UndefinedCostCentre |
# A size of 2^63 or more is negative, and read as 0.
26negsize | 20: LAG=0 | Whole ClampedValue |
# Another magic number: the error says so.
27magic ! not a heap profile: it begins with neither `hdrb` (event log) nor `JOB` (.hp)
# The IPE length that is one too large, and a closure kind that is not a number.
28ipe+1 | 20: A=8 B=16; 30: A=24 | Whole |
29ipebadnum | 20: A=8 B=16; 30: A=24 | Whole |
";

fn samples(profile: &Profile) -> String {
    let sample = |i: usize| {
        let time = profile.samples().times()[i].as_nanos();
        let points = profile.samples().points(i);
        let points = points.map(|(b, s)| format!(" {}={}", profile.bands().label(b), s.get()));
        format!("{time}:{}", points.collect::<String>())
    };
    (0..profile.samples().len()).map(sample).collect::<Vec<_>>().join("; ")
}

/// What is found in a log, as a row of the table has it.
fn found(name: &str, bytes: &[u8]) -> String {
    let profile = match read(bytes, &InputOptions::default()) {
        Ok(profile) => profile,
        Err(ReadError::Decode(error)) => return format!("{name} ! {error}"),
        Err(error) => panic!("{name} is refused: {error}"),
    };
    let codes = profile.warnings().into_iter().map(|warning| format!(" {:?}", warning.code));
    let state = format!("{:?}{}", profile.condition(), codes.collect::<String>());
    let losses = profile.loss_summary().unwrap_or_default();
    format!("{name} | {} | {state} | {losses}", samples(&profile)).trim_end().to_owned()
}

#[test]
fn every_row_of_the_table_is_handled_as_stated() {
    let folder = common::data("hostile");
    let rows = TABLE.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let known: BTreeMap<&str, &str> =
        rows.map(|row| (row.split(' ').next().unwrap_or_default(), row)).collect();
    let logs = common::files_with_ending(&folder, "eventlog");
    assert_eq!(logs.len(), known.len());
    for path in logs {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let found = found(name, &std::fs::read(&path).expect("a log"));
        let expected = known.get(name).unwrap_or_else(|| panic!("{name} is not in the table"));
        let is_error = expected.contains(" ! ");
        assert!(found == **expected || is_error && found.starts_with(expected), "{found}");
    }
}

/// Eden, a parallel Haskell, has its own events (60 to 69) and writes some outside of any block, with
/// their own times.
#[test]
fn a_log_of_eden_is_complete_and_has_no_profile() {
    let tags = [2, 18, 23, 60, 61, 62, 63, 64, 65, 66, 67, 68];
    let sizes = [6, 14, 0xFFFF, 0, 0, 4, 4, 8, 10, 2, 19, 23];
    let types: Vec<(u16, u16)> = tags.into_iter().zip(sizes).collect();
    let mut log = Log::declaring(&types);
    let event = |log: &mut Log, tag: u16, time: u64| {
        let size = types.iter().find(|(known, _)| *known == tag).map_or(0, |&(_, size)| size);
        let size = if size == 0xFFFF { 0 } else { size };
        log.event(tag, time, &vec![0; size.into()]);
    };
    [(23, 5), (65, 0), (62, 10)].iter().for_each(|&(tag, time)| event(&mut log, tag, time));
    for block in 0..20u64 {
        let start = 1000 * block;
        log.open(start, 1);
        let inside = [2, 60, 61, 64, 67, 68, 63].into_iter();
        inside.zip(start..).for_each(|(tag, time)| event(&mut log, tag, time));
        log.close(start + 9);
        // Between blocks, and with a time before that of the block.
        [(67, start / 2), (60, start / 3)]
            .iter()
            .for_each(|&(tag, time)| event(&mut log, tag, time));
    }
    event(&mut log, 66, 20_000);
    let log = log.ended();
    let profile = read(&log[..], &InputOptions::default()).expect("a log");
    assert_eq!((profile.condition(), profile.loss_summary()), (Condition::Whole, None));
    let error = heapviz::input::drawable(profile).expect_err("no samples").to_string();
    assert!(error.contains("no heap profile in this event log"), "{error}");
}
