//! Real `.hp` files, written by GHC 9.0 to 9.10: read in any chunks, written again, and read again.

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::common;
use heapviz::export;
use heapviz::incident::{Condition, WarningCode};
use heapviz::profile::{Clock, Profile, ProfileBuilder, Source};
use heapviz::slice::Slice;

/// The real `.hp` files.
fn files() -> Vec<PathBuf> {
    let data = common::real_data();
    let files = ["ghc-9.0", "ghc-9.6", "ghc-9.10", "odd"]
        .map(|folder| common::files_with_ending(&data.join(folder), "hp"))
        .concat();
    assert!(files.len() >= 32, "only {} files", files.len());
    files
}

fn decode(bytes: &[u8], chunk: usize) -> Profile {
    crate::properties::decode(bytes, Source::Hp, &[chunk]).unwrap()
}

fn exported(profile: &Profile) -> Vec<u8> {
    let mut out = Vec::new();
    export::hp::write(&Slice::whole(profile), &mut out).unwrap();
    out
}

/// Every sample: its time in nanoseconds and its points.
fn samples(profile: &Profile) -> Vec<(i64, Vec<(usize, u64)>)> {
    let times = profile.samples().times().iter().enumerate();
    times
        .map(|(i, time)| {
            let points = profile.samples().points(i).map(|(b, s)| (b.index(), s.get())).collect();
            (time.as_nanos(), points)
        })
        .collect()
}

fn names(profile: &Profile) -> Vec<&[u8]> {
    profile.bands().ids().map(|id| profile.bands().name(id)).collect()
}

/// The rows of a file, read by splitting lines at the TAB: the oracle for files of the run-time system,
/// which contain nothing else.
fn rows_by_line(bytes: &[u8]) -> Vec<(Vec<u8>, u64)> {
    let lines = bytes.split(|&byte| byte == b'\n');
    lines
        .filter_map(|line| {
            let tab = line.iter().position(|&byte| byte == b'\t')?;
            let size = std::str::from_utf8(&line[tab + 1..]).unwrap().parse().unwrap();
            Some((line[..tab].to_vec(), size))
        })
        .collect()
}

#[test]
fn every_row_is_read_exactly_and_what_is_written_has_them() {
    for path in files() {
        let (bytes, at) = (std::fs::read(&path).unwrap(), path.display());
        let profile = decode(&bytes, bytes.len());
        let rows: Vec<(Vec<u8>, u64)> = profile
            .samples()
            .all_points()
            .map(|(band, size)| (profile.bands().name(band).to_vec(), size.get()))
            .collect();
        assert_eq!(rows, rows_by_line(&bytes), "{at}");
        // Only the non-moving collector's clock is warned about.
        let codes: Vec<_> = profile.warnings().iter().map(|warning| warning.code).collect();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_nonmoving = name == "leak-nonmoving";
        assert_eq!(codes == [WarningCode::NoTimes], is_nonmoving, "{at}: {codes:?}");
        assert!(is_nonmoving || codes.is_empty(), "{at}: {codes:?}");
        let state = if name == "leak-hb-crashed" { Condition::Open } else { Condition::Whole };
        assert_eq!(profile.condition(), state, "{at}");
        // What is written of it has the same samples.
        let text = exported(&profile);
        let second = decode(&text, 4096);
        assert_eq!(names(&second), names(&profile), "{at}");
        let mut expected = samples(&profile);
        if profile.clock() == Clock::Sample {
            for (number, sample) in (1..).zip(&mut expected) {
                sample.0 = number * 1_000_000_000;
            }
        }
        assert_eq!((samples(&second), second.warnings().len()), (expected, 0), "{at}");
        if let Some(run) = hp2ps(&text) {
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success() && said.is_empty(), "{at}: {said}");
        }
    }
}

/// Runs the real hp2ps on a text. If it is not installed, says so on stderr and returns `None`.
fn hp2ps(text: &[u8]) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.hp"), text).unwrap();
    let run = Command::new("hp2ps").args(["-t0", "t.hp"]).current_dir(folder.path()).output();
    if run.is_err() {
        common::skipped("no hp2ps");
    }
    run.ok()
}

#[test]
fn bands_whose_names_are_not_tokens_stay_apart() {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.metadata.job = Some("a \"b\nc \\".to_owned());
    let long = [b'x'; 6000];
    let names: [&[u8]; 13] = [
        b"",
        b"_",
        b" ",
        b"\t",
        b"a b",
        b"a_b",
        b"\"q\" r",
        b"MARK",
        b"MARK_",
        b"1 2",
        b"x\0y",
        &long,
        &long[..5500],
    ];
    builder.sample(0, names.iter().zip(1000..));
    let profile = builder.finish();
    let text = exported(&profile);
    let again = decode(&text, 7);
    assert_eq!(samples(&again), samples(&profile));
    assert_eq!(again.warnings(), []);
    if let Some(run) = hp2ps(&text) {
        assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
    }
}
