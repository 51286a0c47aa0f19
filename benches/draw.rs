//! The time of each step from a profile to a picture: `cargo bench --bench draw`.
//!
//! Small profiles are the samples of the project; large ones are generated. Times mean little on a
//! shared machine; compare the rows of one run.

#[path = "../examples/generate/generator/mod.rs"]
mod generator;

use std::fs::File;
use std::path::Path;

use divan::Bencher;
use divan::counter::ItemsCount;
use heapviz::chart::Chart;
use heapviz::draw::{self, DrawOptions};
use heapviz::input::{InputOptions, read, read_drawable};
use heapviz::profile::Profile;
use heapviz::render::{PdfOptions, PngOptions, SvgOptions, pdf, png, svg};
use heapviz::slice::Slice;
use heapviz::slice::rank::{RankOptions, rank};

use generator::{Shape, write_hp};

const SAMPLES: [&str; 3] = ["leak-hy.eventlog", "leak-hT.eventlog", "bands-hy.hp"];

/// Samples, bands, and per cent of the bands in a sample: many of either, and many of both.
const SHAPES: [(u64, u32, f64); 3] =
    [(300, 25_000, 90.0), (100_000, 100, 30.0), (100_000, 100_000, 0.03)];

fn main() {
    divan::main();
}

fn profile(sample: &str) -> Profile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    read_drawable(File::open(path).expect("a sample"), &InputOptions::default()).expect("a profile")
}

fn chart(sample: &str) -> Chart {
    charted(&profile(sample))
}

fn charted(profile: &Profile) -> Chart {
    Chart::of_profile(profile, &RankOptions::default())
}

fn generated((samples, bands, presence): (u64, u32, f64)) -> Profile {
    let mut bytes = Vec::new();
    let shape = Shape { samples, bands, presence, ..Shape::default() };
    write_hp(&shape, &mut bytes).expect("memory takes all");
    read(&bytes[..], &InputOptions::default()).expect("a profile")
}

#[divan::bench(args = SAMPLES)]
fn read_sample(bencher: Bencher<'_, '_>, sample: &str) {
    bencher.bench(|| profile(sample));
}

#[divan::bench(args = SAMPLES)]
fn rank_and_chart(bencher: Bencher<'_, '_>, sample: &str) {
    let profile = profile(sample);
    bencher.bench(|| charted(&profile));
}

/// Millions of values: (samples, bands, per cent of the bands in a sample).
#[divan::bench(args = SHAPES, sample_count = 10)]
fn rank_large(bencher: Bencher<'_, '_>, shape: (u64, u32, f64)) {
    let profile = generated(shape);
    let points = ItemsCount::new(profile.samples().all_points().len());
    bencher.counter(points).bench(|| rank(&Slice::whole(&profile), &RankOptions::default()));
}

#[divan::bench(args = SHAPES, sample_count = 10)]
fn chart_large(bencher: Bencher<'_, '_>, shape: (u64, u32, f64)) {
    let profile = generated(shape);
    let slice = Slice::whole(&profile);
    let ranking = rank(&slice, &RankOptions::default());
    let points = ItemsCount::new(profile.samples().all_points().len());
    bencher.counter(points).bench(|| Chart::new(&slice, ranking.clone()));
}

/// Most of the work is thinning: more than a hundred samples of a layer fall into a column of pixels.
#[divan::bench(args = SHAPES, sample_count = 10)]
fn draw_large(bencher: Bencher<'_, '_>, shape: (u64, u32, f64)) {
    let chart = charted(&generated(shape));
    let heights = ItemsCount::new(chart.times.len() * chart.layers.len());
    bencher.counter(heights).bench(|| draw::chart(&chart, &DrawOptions::default()));
}

/// Writing alone.
#[divan::bench(args = SHAPES, sample_count = 10)]
fn svg_large(bencher: Bencher<'_, '_>, shape: (u64, u32, f64)) {
    let scene = draw::chart(&charted(&generated(shape)), &DrawOptions::default());
    bencher.bench(|| svg(&scene, &SvgOptions::default()));
}

/// The goal is under 10 ms.
#[divan::bench(args = SAMPLES)]
fn draw_svg(bencher: Bencher<'_, '_>, sample: &str) {
    let chart = chart(sample);
    bencher.bench(|| svg(&draw::chart(&chart, &DrawOptions::default()), &SvgOptions::default()));
}

/// The goal is well under 150 ms.
#[divan::bench(args = SAMPLES)]
fn draw_png_1600x1000(bencher: Bencher<'_, '_>, sample: &str) {
    let chart = chart(sample);
    let options = DrawOptions { width: 1600.0, height: 1000.0, ..DrawOptions::default() };
    bencher.bench(|| png(&draw::chart(&chart, &options), &PngOptions::default()));
}

#[divan::bench(args = SAMPLES)]
fn draw_pdf(bencher: Bencher<'_, '_>, sample: &str) {
    let chart = chart(sample);
    bencher.bench(|| pdf(&draw::chart(&chart, &DrawOptions::default()), &PdfOptions::default()));
}
