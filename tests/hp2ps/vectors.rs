//! Decoder, ranking and chart compared with the real hp2ps (`docs/format/hp.md#test-inputs`): 194 small
//! inputs with flags, and every number read back from its PostScript.

use std::num::NonZeroUsize;

use crate::common;
use heapviz::chart::Chart;
use heapviz::decode::hp::HpDecoder;
use heapviz::profile::{ProfileBuilder, Source};
use heapviz::slice::rank::{RankOptions, SortKey};
use serde_json::Value;

/// Vectors that cannot match, with the reason.
const EXCLUDED: &[(&str, &str)] = &[(
    "value-35-digits-then-int",
    "a value of 32 digits: hp2ps's total overflows and makes the greatest band the smallest, here \
     the value is held at 2^64 - 1 and the band stays the greatest",
)];

/// The tolerance for a height read back from the PostScript, in points: twice its last decimal, for the
/// two edges.
const POINTS: f64 = 2.1e-6;

/// The ranking that hp2ps's flags select (`docs/format/hp.md#options`); `-i` overrides `-d`.
fn options(flags: &Value) -> RankOptions {
    let mut options = RankOptions::default();
    let mut name = None;
    for flag in flags.as_array().unwrap() {
        let letters = flag.as_str().unwrap().strip_prefix('-').unwrap().trim_start_matches('p');
        let (letter, rest) = letters.split_at(letters.len().min(1));
        match letter {
            "d" => options.sort = SortKey::Deviation,
            "i" if rest.starts_with('-') => name = Some(SortKey::NameDescending),
            "i" => name = Some(SortKey::Name),
            "m" => options.band_limit = NonZeroUsize::new(leading(rest).unwrap_or(0)),
            "t" => options.trace_percent = leading(rest).unwrap_or(0.0),
            _ => {}
        }
    }
    let sort = name.unwrap_or(options.sort);
    RankOptions { sort, ..options }
}

/// C's `atoi` and `atof`: the longest prefix that is a number.
fn leading<T: std::str::FromStr>(text: &str) -> Option<T> {
    (0..=text.len()).rev().find_map(|end| text[..end].parse().ok())
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

/// Compares a chart with that of hp2ps.
fn compare(vector: &Value) {
    let name = vector["name"].as_str().unwrap();
    let mut builder = ProfileBuilder::new(Source::Hp);
    let mut decoder = HpDecoder::new();
    decoder.feed(vector["hp"].as_str().unwrap().as_bytes(), &mut builder).unwrap();
    decoder.finish(&mut builder).unwrap();
    let profile = builder.finish();
    let chart = Chart::of_profile(&profile, &options(&vector["flags"]));
    let top_down: Vec<&str> = chart.layers.iter().rev().map(|layer| &*layer.label).collect();
    assert_eq!(top_down, names(&vector["bands_top_to_bottom"]), "{name}: bands");

    let height = |sample: usize| -> u128 {
        chart.layers.iter().map(|layer| u128::from(layer.residency[sample].get())).sum()
    };
    let highest = (0..chart.times.len()).map(height).max().unwrap_or(0);
    let y_range = highest.max(1) as f64;
    let points = vector["graph_height"].as_f64().unwrap() / y_range;
    let polygons = vector["polygons_bottom_to_top"].as_array().unwrap();
    assert_eq!(polygons.len(), chart.layers.len(), "{name}: polygons");
    let mut edge = vec![0u128; chart.times.len()];
    for (layer, polygon) in chart.layers.iter().zip(polygons) {
        assert_eq!(*layer.label, *polygon["name"].as_str().unwrap(), "{name}");
        let sizes: Vec<u64> = layer.residency.iter().map(|size| size.get()).collect();
        let [values, lower, upper] =
            ["value", "lower_y", "upper_y"].map(|field| numbers(&polygon[field]));
        assert_eq!(values.len(), sizes.len(), "{name}: samples");
        for (sample, &size) in sizes.iter().enumerate() {
            let place = format!("{name}: {} in sample {sample}", layer.label);
            let off = (values[sample] - size as f64).abs();
            assert!(off <= POINTS / points, "{place}: {size}, not {}", values[sample]);
            let below = 20.0 + edge[sample] as f64 * points;
            edge[sample] += u128::from(size);
            let above = 20.0 + edge[sample] as f64 * points;
            assert!((below - lower[sample]).abs() <= POINTS, "{place}: lower edge {below}");
            assert!((above - upper[sample]).abs() <= POINTS, "{place}: upper edge {above}");
        }
    }
}

#[test]
fn charts_agree_with_hp2ps() {
    let (mut ran, mut with_aux, mut excluded) = (0, 0, 0);
    for vector in &common::hp2ps_vectors() {
        let name = vector["name"].as_str().unwrap();
        let drawn = vector["exit"] == 0 && vector["ps_file"] == "written";
        if !drawn || vector["undefined"] == true {
            continue;
        }
        if vector.get("aux_in").is_some() {
            // The .aux file determines the order of the bands, which this test does not cover.
            with_aux += 1;
        } else if EXCLUDED.iter().any(|(excluded, _)| *excluded == name) {
            excluded += 1;
        } else {
            compare(vector);
            ran += 1;
        }
    }
    eprintln!("{ran} vectors compared, {excluded} excluded, {with_aux} with .aux left out");
    assert_eq!((ran, with_aux, excluded), (119 - EXCLUDED.len(), 8, EXCLUDED.len()));
}
