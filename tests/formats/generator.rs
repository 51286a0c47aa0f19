//! The generator of the benchmarks makes what it was asked for, in formats that others can read.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Command;

use crate::common;
use heapviz::incident::Condition;
use heapviz::input::{InputOptions, read};
use heapviz::profile::{BandKey, Breakdown as Read, HeapSeriesKind, Profile};

use crate::common::generator::{Breakdown, LogShape, Shape, write_eventlog, write_hp, write_prof};

const BREAKDOWNS: [Breakdown; 4] =
    [Breakdown::ClosureType, Breakdown::Type, Breakdown::CostCentre, Breakdown::InfoTable];

fn hp(shape: &Shape) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_hp(shape, &mut bytes).expect("memory takes all");
    bytes
}

fn log(shape: &Shape, log: &LogShape) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_eventlog(shape, log, &mut bytes).expect("memory takes all");
    bytes
}

/// Logs for the independent decoder, by name.
pub fn logs_to_read() -> Vec<(String, Vec<u8>)> {
    let of = |breakdown| (format!("generated {breakdown:?}"), log(&small(breakdown), &crowded()));
    BREAKDOWNS.map(of).to_vec()
}

/// A profile that was read without any message.
fn whole(bytes: &[u8]) -> Profile {
    let profile = read(bytes, &InputOptions::default()).expect("a profile");
    assert_eq!(profile.warnings(), []);
    assert_eq!(profile.loss_summary(), None);
    assert_eq!(profile.condition(), Condition::Whole);
    profile
}

fn small(breakdown: Breakdown) -> Shape {
    Shape { breakdown, samples: 40, bands: 70, presence: 40.0, ..Shape::default() }
}

/// Small blocks, so that samples and collections straddle them.
fn crowded() -> LogShape {
    LogShape {
        scheduler: 3_000,
        collections: 50,
        markers: 7,
        messages: 9,
        capabilities: 3,
        block: 600,
        ..LogShape::default()
    }
}

#[test]
fn a_hp_file_has_the_samples_and_bands_asked_for() {
    for breakdown in BREAKDOWNS {
        let profile = whole(&hp(&small(breakdown)));
        // GHC writes an empty sample at each end; these are not counted here.
        let full = (0..profile.samples().len()).filter(|&i| profile.samples().total(i) > 0).count();
        assert_eq!((full, profile.bands().len()), (40, 70), "{breakdown:?}");
    }
}

#[test]
fn a_log_has_the_samples_bands_and_events_asked_for() {
    let kinds = [Read::ClosureType, Read::Type, Read::CostCentre, Read::InfoTable];
    for (breakdown, kind) in BREAKDOWNS.into_iter().zip(kinds) {
        let profile = whole(&log(&small(breakdown), &crowded()));
        assert_eq!((profile.samples().len(), profile.bands().len()), (40, 70), "{breakdown:?}");
        assert_eq!(profile.breakdown(), kind);
        assert_eq!(profile.markers().len(), 7 + 9);
        assert_eq!(profile.heap()[HeapSeriesKind::Size].points.len(), 50);
        let labels: BTreeSet<&str> = profile.bands().labels().collect();
        assert_eq!(labels.len(), 70, "labels are distinct");
    }
}

#[test]
fn every_info_table_and_cost_centre_of_a_band_is_defined() {
    let profile = whole(&log(&small(Breakdown::InfoTable), &crowded()));
    assert!(profile.bands().labels().all(|label| !label.starts_with("0x")));
    let profile = whole(&log(&small(Breakdown::CostCentre), &crowded()));
    let mut depths = BTreeSet::new();
    for band in profile.bands().ids() {
        let BandKey::Stack(ids) = profile.bands().key(band) else { panic!("not a stack") };
        assert!(ids.iter().all(|&id| profile.cost_centres().get(id).is_some()));
        depths.insert(ids.len());
    }
    assert!(depths.len() > 5, "stacks of many depths: {depths:?}");
}

#[test]
fn extreme_shapes_are_complete_too() {
    let one = Shape { samples: 1, bands: 1, ..Shape::default() };
    let none = Shape { samples: 0, ..Shape::default() };
    let wide = Shape { samples: 3, bands: 5_000, presence: 0.0, ..Shape::default() };
    let short = Shape { label_min: 0, label_max: 0, ..small(Breakdown::ClosureType) };
    let still = Shape { interval: 0, ..small(Breakdown::Type) };
    for (shape, samples, bands) in
        [(one, 1, 1), (none, 0, 0), (wide, 3, 5_000), (short, 40, 70), (still, 40, 70)]
    {
        let profile = whole(&log(&shape, &LogShape { capabilities: 1, ..LogShape::default() }));
        assert_eq!((profile.samples().len(), profile.bands().len()), (samples, bands));
    }
    let few = LogShape { definitions: Some(3), depth: 1, ..LogShape::default() };
    assert_eq!(whole(&log(&small(Breakdown::CostCentre), &few)).bands().len(), 70);
}

#[test]
fn both_formats_have_the_same_residency() {
    let shape = small(Breakdown::Type);
    let (text, binary) = (whole(&hp(&shape)), whole(&log(&shape, &crowded())));
    let totals = |profile: &Profile| -> Vec<u128> {
        let all = (0..profile.samples().len()).map(|i| profile.samples().total(i));
        all.filter(|&total| total > 0).collect()
    };
    assert_eq!(totals(&text), totals(&binary));
}

/// The inputs that the instruction counts were recorded on. If this changes on purpose, record the
/// counts again.
#[test]
fn the_bytes_are_the_same_on_every_machine() {
    let fnv = |bytes: &[u8]| {
        bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        })
    };
    let sums = BREAKDOWNS.map(|breakdown| fnv(&log(&small(breakdown), &crowded())));
    let known = [
        622_340_430_864_141_876,
        1_904_306_161_499_124_188,
        17_481_917_682_855_584_475,
        14_347_108_689_978_004_905,
    ];
    assert_eq!(sums, known);
    assert_eq!(fnv(&hp(&small(Breakdown::Type))), 1_119_856_110_031_967_782);
}

/// How often a band is followed by the same band as last time, in per cent.
fn followed_again(profile: &Profile) -> usize {
    let mut followers = vec![None; profile.bands().len()];
    let (mut right, mut all) = (0, 0);
    for sample in 0..profile.samples().len() {
        let bands: Vec<usize> = profile.samples().points(sample).map(|p| p.0.index()).collect();
        for pair in bands.windows(2) {
            right += usize::from(followers[pair[0]] == Some(pair[1]));
            all += 1;
            followers[pair[0]] = Some(pair[1]);
        }
    }
    100 * right / all
}

/// Small profiles keep the order of their few bands better than the large ones for which speed
/// matters. GHC 9.0, 9.6 and 9.10 compiling a module gave 36 to 39 %.
#[test]
fn the_next_band_is_as_predictable_as_in_a_large_real_profile() {
    let shape = Shape { bands: 1_000, samples: 50, ..Shape::default() };
    let generated = followed_again(&whole(&log(&shape, &LogShape::default())));
    assert!((36..=40).contains(&generated), "{generated} %");
    let Some(data) = common::shared_data() else { return };
    let real = std::fs::read(data.join("dense/ghc-on-itself.hp.gz")).expect("the real profile");
    let real = read(&real[..], &InputOptions::default()).expect("a profile");
    let real = followed_again(&real);
    assert!(real.abs_diff(generated) <= 10, "{real} % in a real profile, {generated} % here");
}

#[test]
fn the_independent_decoder_reads_the_same() {
    let Some(tool) = crate::oracle::tool() else { return };
    for breakdown in BREAKDOWNS {
        let bytes = log(&small(breakdown), &crowded());
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(&bytes).expect("a written file");
        let output = Command::new("python3").arg(&tool).arg(file.path()).output().unwrap();
        assert!(output.status.success());
        let oracle: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(oracle["errors"].as_array().map(Vec::len), Some(0), "{}", oracle["errors"]);
        let length = |key: &str| oracle[key].as_array().map(Vec::len);
        assert_eq!(length("streams"), Some(1));
        assert_eq!(oracle["streams"][0]["state"], "clean");
        assert_eq!(oracle["streams"][0]["times_backwards"], 50, "at the end of each collection");
        let counts = ["samples", "markers", "messages", "heap_size", "heap_live", "gc_stats"];
        assert_eq!(counts.map(|key| length(key).unwrap_or(0)), [40, 7, 9, 50, 50, 50]);
        let profile = whole(&bytes);
        for (i, sample) in oracle["samples"].as_array().unwrap().iter().enumerate() {
            let theirs = sample[1].as_object().unwrap();
            let total: u128 = theirs.values().map(|size| u128::from(size.as_u64().unwrap())).sum();
            assert_eq!(sample[0].as_i64(), Some(profile.samples().times()[i].as_nanos()));
            assert_eq!(total, profile.samples().total(i));
            assert_eq!(theirs.len(), profile.samples().points(i).len());
        }
    }
}

#[test]
fn a_report_has_the_stacks_asked_for() {
    let mut bytes = Vec::new();
    let depth = LogShape { depth: 30, ..LogShape::default() };
    write_prof(&Shape { bands: 700, ..Shape::default() }, &depth, &mut bytes).unwrap();
    let profile = whole(&bytes);
    let calls = &profile.calls();
    assert_eq!((calls.nodes.len(), calls.torn_rows), (700, 0));
    assert_eq!(Some(calls.sum_of_alloc()), calls.total_alloc.map(u128::from));
    assert_eq!(Some(calls.sum_of_ticks()), calls.total_ticks.map(u128::from));
    let deepest = calls.ids().map(|id| calls.path(id).len()).max();
    assert_eq!(deepest, Some(30));
}
