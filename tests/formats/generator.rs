//! The generator of the benchmarks makes what it was asked for, in formats that others can read.

use std::collections::BTreeSet;

use heapviz::incident::Condition;
use heapviz::input::{InputOptions, read};
use heapviz::profile::{Breakdown as Read, HeapSeriesKind};

use crate::common::generator::{Breakdown, LogShape, Shape, write_eventlog, write_hp};

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
fn a_log_has_the_samples_bands_and_events_asked_for() {
    let kinds = [Read::ClosureType, Read::Type, Read::CostCentre, Read::InfoTable];
    for (breakdown, kind) in BREAKDOWNS.into_iter().zip(kinds) {
        let bytes = log(&small(breakdown), &crowded());
        let profile = read(&bytes[..], &InputOptions::default()).expect("a profile");
        assert_eq!((profile.warnings(), profile.condition()), (vec![], Condition::Whole));
        assert_eq!((profile.samples().len(), profile.bands().len()), (40, 70), "{breakdown:?}");
        assert_eq!(profile.breakdown(), kind);
        assert_eq!(profile.markers().len(), 7 + 9);
        assert_eq!(profile.heap()[HeapSeriesKind::Size].points.len(), 50);
        let labels: BTreeSet<&str> = profile.bands().labels().collect();
        assert_eq!(labels.len(), 70, "labels are distinct");
    }
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
