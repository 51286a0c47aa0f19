//! The time that each part of reading takes: `cargo bench --bench decode`.
//!
//! The inputs are generated. Times mean little on a shared machine; compare the rows of one run.

#[path = "../examples/generate/generator/mod.rs"]
mod generator;

use divan::Bencher;
use divan::counter::BytesCount;
use heapviz::input::{InputOptions, read};

use generator::{Breakdown, LogShape, Shape, write_eventlog, write_hp};

fn main() {
    divan::main();
}

/// Only what every log begins with.
const QUIET: LogShape = LogShape {
    scheduler: 0,
    collections: 0,
    markers: 0,
    messages: 0,
    capabilities: 1,
    block: 2 << 20,
    definitions: None,
    depth: 12,
};

/// 180 000 values.
fn census(breakdown: Breakdown) -> Shape {
    Shape { breakdown, samples: 200, bands: 1_000, presence: 90.0, ..Shape::default() }
}

fn log(shape: &Shape, log: &LogShape) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_eventlog(shape, log, &mut bytes).expect("memory takes all");
    bytes
}

fn hp(shape: &Shape) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_hp(shape, &mut bytes).expect("memory takes all");
    bytes
}

fn reading(bencher: Bencher<'_, '_>, bytes: &[u8]) {
    bencher
        .counter(BytesCount::of_slice(bytes))
        .bench(|| read(divan::black_box(bytes), &InputOptions::default()).expect("a profile"));
}

/// A log that ends after its header.
#[divan::bench]
fn header(bencher: Bencher<'_, '_>) {
    let mut bytes = log(&Shape { samples: 0, ..Shape::default() }, &QUIET);
    let end = bytes.windows(4).position(|word| word == b"datb").expect("the end of the header") + 4;
    bytes.truncate(end);
    reading(bencher, &bytes);
}

/// Events that no picture needs, in blocks of various sizes.
#[divan::bench(args = [4 << 10, 64 << 10, 2 << 20])]
fn scheduler_events(bencher: Bencher<'_, '_>, block: u32) {
    let shape = Shape { samples: 2, bands: 1, ..Shape::default() };
    let threads = LogShape { scheduler: 300_000, capabilities: 4, block, ..QUIET };
    reading(bencher, &log(&shape, &threads));
}

/// Collections, each with three heap figures that are kept, and markers.
#[divan::bench]
fn heap_figures_and_markers(bencher: Bencher<'_, '_>) {
    let shape = Shape { samples: 2, bands: 1, ..Shape::default() };
    let events = LogShape { collections: 20_000, markers: 20_000, messages: 20_000, ..QUIET };
    reading(bencher, &log(&shape, &events));
}

/// Samples of named bands: in the order of the previous sample, reordered as in real files, and shuffled.
#[divan::bench(args = [0.0, 48.0, 100.0])]
fn string_samples(bencher: Bencher<'_, '_>, churn: f64) {
    reading(bencher, &log(&Shape { churn, ..census(Breakdown::Type) }, &QUIET));
}

#[divan::bench(args = [4, 12, 60])]
fn stack_samples(bencher: Bencher<'_, '_>, depth: u8) {
    let deep = LogShape { depth, ..QUIET };
    reading(bencher, &log(&census(Breakdown::CostCentre), &deep));
}

#[divan::bench]
fn info_tables(bencher: Bencher<'_, '_>) {
    let shape = Shape { samples: 1, bands: 10, ..census(Breakdown::InfoTable) };
    reading(bencher, &log(&shape, &LogShape { definitions: Some(50_000), ..QUIET }));
}

#[divan::bench(args = [0.0, 48.0, 100.0])]
fn hp_lines(bencher: Bencher<'_, '_>, churn: f64) {
    reading(bencher, &hp(&Shape { churn, ..census(Breakdown::Type) }));
}
