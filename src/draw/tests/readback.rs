//! Reads numbers back from the pictures of every sample profile, in every view, to half a pixel.

use std::path::Path;

use super::{corners, picture_with};
use crate::base::units::Bytes;
use crate::chart::Chart;
use crate::chart::testing;
use crate::draw::layout::Layout;
use crate::draw::parts::PictureParts;
use crate::draw::{DrawOptions, HeapLines, Scale, View, XAxis};
use crate::input::{InputOptions, read_drawable};
use crate::slice::rank::RankOptions;

/// How far off a drawn edge may be, in pixels.
const HALF_PIXEL: f64 = 0.5;

fn samples() -> Vec<(String, Chart)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut charts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "md") {
            continue;
        }
        let file = std::fs::File::open(&path).unwrap();
        let profile = read_drawable(file, &InputOptions::default()).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let chart = Chart::of_profile(&profile, &RankOptions::default());
        // Dense charts are drawn in columns, which have their own test.
        if chart.times.len() < 400 {
            charts.push((name, chart));
        }
    }
    assert!(charts.len() >= 12);
    charts
}

/// The paths of the groups of a class, as lists of corners without the bottom corners of areas.
fn edges(text: &str, class: &str, view: View) -> Vec<Vec<(f64, f64)>> {
    let document = roxmltree::Document::parse(text).unwrap();
    let groups = document.descendants().filter(|node| node.attribute("class") == Some(class));
    groups
        .map(|group| {
            let path = group.children().find(|node| node.has_tag_name("path")).unwrap();
            let mut corners = corners(path.attribute("d").unwrap());
            if view != View::Lines && class == "band" {
                corners.truncate(corners.len() - 2);
            }
            corners
        })
        .collect()
}

/// How far the highest and lowest points of a line near `x` are from what they should be: a
/// thinned column shows these and no other. Points up to `reach` pixels to the side count.
fn distance(corners: &[(f64, f64)], x: f64, y: f64, reach: f64) -> f64 {
    // The ends of a line are rounded to tenths of a pixel.
    let x = x.clamp(corners[0].0, corners[corners.len() - 1].0);
    let near = corners.windows(2).filter(|pair| pair[0].0 - reach <= x && x <= pair[1].0 + reach);
    near.map(|pair| {
        let [(x0, y0), (x1, y1)] = pair else { unreachable!() };
        // On a steep line, a tenth of a pixel to the side makes a large difference in height.
        let at = |x: f64| {
            if x1 - x0 < 0.01 {
                *y1
            } else {
                y0 + (y1 - y0) * ((x - x0) / (x1 - x0)).clamp(0.0, 1.0)
            }
        };
        let (a, b) = (at(x - reach), at(x + reach));
        let (low, high) = (a.min(b), a.max(b));
        let (low, high) = if x1 - x0 < 0.01 { (y0.min(*y1), y0.max(*y1)) } else { (low, high) };
        (low - y).max(y - high).max(0.0)
    })
    .fold(f64::INFINITY, f64::min)
}

fn assert_read_back(name: &str, chart: &Chart, options: &DrawOptions) {
    let parts = PictureParts::new(chart, options);
    let layout = Layout::new(&parts);
    let text = picture_with(chart, options);
    let bands = edges(&text, "band", options.view);
    assert_eq!(bands.len(), chart.layers.len());
    let plot = layout.plot;
    let (low, high) = (layout.time.low as f64, layout.time.high as f64);
    let x_of =
        |place: i64| plot.left + (plot.right - plot.left) * (place as f64 - low) / (high - low);
    let y_of = |share: f64| plot.bottom - (plot.bottom - plot.top) * share;
    for sample in chart.censuses.clone() {
        let x = x_of(layout.time.of_sample(chart, sample));
        let sizes = chart.layers.iter().map(|layer| u128::from(layer.residency[sample].get()));
        let mut stack: u128 = sizes.sum();
        for (layer, edge) in chart.layers.iter().rev().zip(&bands) {
            let own = u128::from(layer.residency[sample].get());
            let share = match options.view {
                View::Stacked => stack as f64 / layout.values.top as f64,
                View::Lines => own as f64 / layout.values.top as f64,
                View::Percent if chart.total[sample] == 0 => 0.0,
                View::Percent => stack as f64 / chart.total[sample] as f64,
            };
            let off = distance(edge, x, y_of(share), 0.06);
            assert!(
                off <= HALF_PIXEL,
                "{name} {:?} sample {sample} {}: {off}",
                options.view,
                layer.label
            );
            stack -= own;
        }
    }
    let lines = parts.sampling.overlays().lines.iter();
    for (overlay, line) in lines.zip(edges(&text, "heap-line", View::Lines)) {
        for &(place, bytes) in &overlay.points {
            if !(layout.time.low..=layout.time.high).contains(&place) {
                continue;
            }
            let y = y_of(bytes as f64 / layout.values.top as f64);
            // Collections can be less than a pixel apart; within a pixel only the extremes are
            // drawn.
            let off = distance(&line, x_of(place), y, 1.0);
            assert!(off <= HALF_PIXEL, "{name} {}: {off}", overlay.figure.name());
        }
    }
}

#[test]
fn heights_read_back_from_the_paths_are_the_numbers_in_every_view() {
    let made = [("wavy".to_owned(), testing::wavy(14, 60))];
    for (name, chart) in samples().iter().chain(&made) {
        for view in [View::Stacked, View::Lines, View::Percent] {
            for x in [XAxis::Time, XAxis::Sample] {
                let heap_lines = HeapLines::All;
                let options = DrawOptions { view, x, heap_lines, ..DrawOptions::default() };
                assert_read_back(name, chart, &options);
            }
        }
    }
}

#[test]
fn range_edges_are_the_extremes_of_every_column_up_to_the_top() {
    let recipe = testing::Recipe::of(3, 5_000);
    let chart = recipe.chart(|band, sample| 1 + (sample as u64 * 7919 * (band as u64 + 1)) % 9973);
    let scale = Scale { heap_max: Some(Bytes::new(15_000)), ..Scale::default() };
    for options in [DrawOptions::default(), DrawOptions { scale, ..DrawOptions::default() }] {
        assert_columns(&chart, &options);
    }
}

/// Compares the line of the highest of a picture with the chart, up to the top of the axis.
fn assert_columns(chart: &Chart, options: &DrawOptions) {
    let parts = PictureParts::new(chart, options);
    let layout = Layout::new(&parts);
    let text = picture_with(chart, options);
    let plot = layout.plot;
    let is_shown = |total: u128| total <= layout.values.top;
    let y_of = |total: u128| {
        plot.bottom - (plot.bottom - plot.top) * total as f64 / layout.values.top as f64
    };
    let x_of = |sample: usize| {
        let place = layout.time.of_sample(chart, sample);
        plot.left + layout.time.pixels(place, plot.right - plot.left)
    };
    let highs = edges(&text, "range-edge", View::Lines).concat();
    let raster = parts.sampling.raster();
    let column = |sample: usize| {
        let place = layout.time.of_sample(chart, sample) - raster.low;
        let width = (raster.high - raster.low) as f64 / raster.count as f64;
        ((place as f64 / width) as usize).min(raster.count - 1)
    };
    let samples: Vec<usize> = (0..chart.times.len()).collect();
    let mut columns = 0;
    for samples in samples.chunk_by(|&a, &b| column(a) == column(b)) {
        columns += 1;
        let highest = samples.iter().map(|sample| chart.total[*sample]).max().unwrap();
        let high = *samples.iter().find(|sample| chart.total[**sample] == highest).unwrap();
        if is_shown(highest) {
            // Highs of two columns may share a pixel, too.
            let off = distance(&highs, x_of(high), y_of(highest), 1.0);
            assert!(off <= HALF_PIXEL, "{high}: {off}");
        }
    }
    assert!(columns > 100 && columns <= raster.count);
}
