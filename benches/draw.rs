//! How long the steps from a profile to a picture take: `cargo bench --bench draw`.
//!
//! Times mean little on a shared machine; compare the rows of one run.

use std::fs::File;
use std::path::Path;

use divan::Bencher;
use heapviz::chart::Chart;
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile::Profile;
use heapviz::rank::{RankOptions, rank};
use heapviz::render::{PdfOptions, PngOptions, SvgOptions, pdf, png, svg};
use heapviz::scene::{SceneOptions, draw};

const SAMPLES: [&str; 3] = ["leak-hy.eventlog", "leak-hT.eventlog", "bands-hy.hp"];

fn main() {
    divan::main();
}

fn profile(sample: &str) -> Profile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    read_drawable(File::open(path).expect("a sample"), &InputOptions::default()).expect("a profile")
}

fn chart(sample: &str) -> Chart {
    let profile = profile(sample);
    Chart::new(&profile, &rank(&profile, &RankOptions::default()))
}

#[divan::bench(args = SAMPLES)]
fn read_sample(bencher: Bencher<'_, '_>, sample: &str) {
    bencher.bench(|| profile(sample));
}

#[divan::bench(args = SAMPLES)]
fn rank_and_chart(bencher: Bencher<'_, '_>, sample: &str) {
    let profile = profile(sample);
    bencher.bench(|| Chart::new(&profile, &rank(&profile, &RankOptions::default())));
}

/// The goal is under 10 ms.
#[divan::bench(args = SAMPLES)]
fn draw_svg(bencher: Bencher<'_, '_>, sample: &str) {
    let chart = chart(sample);
    bencher.bench(|| svg(&draw(&chart, &SceneOptions::default()), &SvgOptions::default()));
}

/// The goal is well under 150 ms.
#[divan::bench(args = SAMPLES)]
fn draw_png_1600x1000(bencher: Bencher<'_, '_>, sample: &str) {
    let chart = chart(sample);
    let options = SceneOptions { width: 1600.0, height: 1000.0, ..SceneOptions::default() };
    bencher.bench(|| png(&draw(&chart, &options), &PngOptions::default()));
}

#[divan::bench(args = SAMPLES)]
fn draw_pdf(bencher: Bencher<'_, '_>, sample: &str) {
    let chart = chart(sample);
    bencher.bench(|| pdf(&draw(&chart, &SceneOptions::default()), &PdfOptions::default()));
}
