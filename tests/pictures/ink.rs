//! What readers see in dense profiles, counted in pixels: every layer has its share, and nothing else takes
//! space inside the stack.

use heapviz::chart::Chart;
use heapviz::draw::{self, DrawOptions};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::picture::{Group, Item, Rgb, Scene};
use heapviz::render::{PngOptions, png};
use heapviz::slice::rank::RankOptions;

use crate::common::{shared_data, skipped};
use crate::rasters::{Image, decode};

/// Half a percentage point.
const SLACK: f64 = 0.005;
/// The largest share of the stack's pixels that may show neither a layer nor a transition between two.
const MOST_STRAY: f64 = 0.02;
/// Layers lower than this on average, in pixels, consist only of edges.
const LEAST_HEIGHT: f64 = 3.0;
/// The scale at which the picture is rendered.
const SCALE: usize = 3;

/// A server as `.hp`: a sawtooth of requests over three bands that grow.
fn server(samples: usize) -> String {
    let mut text = String::from(
        "JOB \"server\"\nDATE \"today\"\nSAMPLE_UNIT \"seconds\"\nVALUE_UNIT \"bytes\"\n",
    );
    for i in 0..samples {
        let tooth = (i * 37) % 400;
        let noise = (i * 7919) % 97;
        let time = i as f64 / 100.0;
        text += &format!("BEGIN_SAMPLE {time:.2}\n");
        for (name, size) in [
            ("Request", 1000 * tooth + 700 * noise),
            ("Response", 300 * tooth + 900 * noise + 20_000),
            ("Cache", 100_000 + 40 * i),
            ("Log", 10 * i),
        ] {
            text += &format!("{name}\t{size}\n");
        }
        text += &format!("END_SAMPLE {time:.2}\n");
    }
    text
}

fn groups<'a>(scene: &'a Scene, class: &str) -> Vec<&'a Group> {
    let groups = scene.items.iter().filter_map(|item| match item {
        Item::Group(group) if group.class == class => Some(group),
        _ => None,
    });
    groups.collect()
}

/// The colours of the layers from the top down, and the frame of the area they are painted in.
fn layers(scene: &Scene) -> (Vec<Rgb>, [f64; 4]) {
    let mut frame = [f64::MAX, f64::MAX, 0.0_f64, 0.0_f64];
    let colours = groups(scene, "band").into_iter().map(|group| {
        let Item::Area(area) = &group.items[0] else { panic!("an area") };
        for point in &area.points {
            frame = [
                frame[0].min(point.x),
                frame[1].min(point.y),
                frame[2].max(point.x),
                frame[3].max(point.y),
            ];
        }
        area.fill.rgb(heapviz::picture::Theme::Light)
    });
    (colours.collect(), frame)
}

/// Counts the pixels of each layer, and the pixels inside the stack that show no layer. Pixels in a
/// transition from one layer to the next are split between both.
fn count(image: &Image, colours: &[Rgb], frame: [f64; 4]) -> (Vec<f64>, usize) {
    let mut counts = vec![0.0; colours.len()];
    let mut strays = 0;
    let scaled = frame.map(|side| (side * SCALE as f64) as usize);
    for x in scaled[0]..scaled[2] {
        let mut above: Option<(usize, usize)> = None;
        // In the transition from above the stack to its first layer.
        let mut first = 0.0;
        for y in scaled[1]..scaled[3] {
            let at = 3 * (y * image.width + x);
            let [r, g, b] = [image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]];
            let Some(layer) = colours.iter().position(|colour| *colour == Rgb { r, g, b }) else {
                // Grey: neither a layer nor a transition.
                let grey = r.abs_diff(g) < 12 && g.abs_diff(b) < 12;
                strays += usize::from(above.is_some() && grey);
                first += f64::from(u8::from(above.is_none() && !grey));
                continue;
            };
            counts[layer] += 1.0 + first / 2.0;
            first = 0.0;
            let (before, last) = above.replace((layer, y)).unwrap_or((layer, y - 1));
            let between = (y - last - 1) as f64;
            counts[before] += between / 2.0;
            counts[layer] += between / 2.0;
        }
    }
    (counts, strays)
}

fn assert_ink(name: &str, bytes: &[u8]) {
    let profile = read_drawable(bytes, &InputOptions::default()).expect("a profile");
    let chart = Chart::of_profile(&profile, &RankOptions::default());
    let scene = draw::chart(&chart, &DrawOptions::default());
    assert!(!groups(&scene, "range-edge").is_empty(), "{name} is not dense");
    let (colours, frame) = layers(&scene);
    let options = PngOptions { scale: SCALE as f64, ..PngOptions::default() };
    let image = decode(&png(&scene, &options).expect("a PNG").bytes);
    let (counts, strays) = count(&image, &colours, frame);
    let all: f64 = counts.iter().sum();
    let share = strays as f64 / all;
    assert!(share < MOST_STRAY, "{name}: {share} of the stack shows no layer");
    let width = frame[2] - frame[0];
    let weights: Vec<f64> =
        chart.layers.iter().rev().map(|layer| mean(&chart, &layer.residency)).collect();
    let total: f64 = weights.iter().sum();
    for ((layer, count), weight) in chart.layers.iter().rev().zip(&counts).zip(&weights) {
        let height = count / (SCALE * SCALE) as f64 / width;
        if height < LEAST_HEIGHT {
            continue;
        }
        let (drawn, meant) = (count / all, weight / total);
        assert!(
            (drawn - meant).abs() <= SLACK,
            "{name}: {} has {drawn:.4} of the pixels, not {meant:.4}",
            layer.label
        );
    }
}

/// The mean by the trapezoid rule, computed in the plainest way.
fn mean(chart: &Chart, sizes: &[heapviz::base::units::Bytes]) -> f64 {
    let times: Vec<f64> = chart.times.iter().map(|time| time.as_nanos() as f64).collect();
    let pairs = times.windows(2).zip(sizes.windows(2));
    pairs.map(|(t, s)| (t[1] - t[0]) * (s[0].get() as f64 + s[1].get() as f64) / 2.0).sum()
}

#[test]
fn every_layer_of_a_dense_profile_has_its_share_of_the_ink() {
    assert_ink("made", server(6000).as_bytes());
    let Some(data) = shared_data() else { return };
    let mut seen = 0;
    for name in ["server-hT-dense.hp.gz", "ghc-on-itself.hp.gz"] {
        match std::fs::read(data.join("dense").join(name)) {
            Ok(bytes) => {
                assert_ink(name, &bytes);
                seen += 1;
            }
            Err(_) => skipped(&format!("no {name}")),
        }
    }
    assert!(seen > 0 || !data.join("dense").is_dir());
}
