//! The generator of the benchmarks makes what it was asked for, in formats that others can read.

use std::collections::BTreeSet;

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
