//! Rules for the default picture of every available profile: no two bands have the same text in the key,
//! bands and their range fill three quarters of the height, no marker is lost, a headline is read at a glance, and the
//! colours of the biggest bands and of neighbours are distinct.
//!
//! `cargo test --test pictures survey` lists the violations in the samples and all further profiles.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use heapviz::chart::{Breakdown, Chart, Condition};
use heapviz::draw::colour::{self, layer_paints};
use heapviz::draw::{self, DrawOptions, Palette};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::picture::{Group, Item, Point, Rgb, Scene, Theme};
use heapviz::profile_view::{Measure, ProfileView, ViewOptions};
use heapviz::slice::rank::RankOptions;
use palette::{FromColor, Oklab, Srgb};

use crate::common::{files_with_ending, shared_data};

/// The smallest share of the plot's height that bands and their range may fill.
const LEAST_HEIGHT: f64 = 0.75;
/// The most characters of a headline.
const GLANCE: usize = 120;

fn profiles() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let folders = [Some(samples), shared_data()].into_iter().flatten();
    let endings = ["hp", "eventlog", "gz"];
    folders
        .flat_map(|folder| endings.map(|ending| files_with_ending(&folder, ending)).concat())
        .collect()
}

fn groups<'a>(scene: &'a Scene, class: &str) -> Vec<&'a Group> {
    let mut found = Vec::new();
    for item in &scene.items {
        let Item::Group(group) = item else { continue };
        let inner = group.items.iter().filter_map(|item| match item {
            Item::Group(inner) => Some(inner),
            _ => None,
        });
        found.extend([group].into_iter().chain(inner).filter(|group| group.class == class));
    }
    found
}

fn points(group: &Group) -> Vec<Point> {
    let points = group.items.iter().filter_map(|item| match item {
        Item::Area(area) => Some(&area.points),
        Item::Line(line) => Some(&line.points),
        _ => None,
    });
    points.flatten().copied().collect()
}

/// The highest and the lowest point drawn by some groups.
fn reach(groups: &[&Group]) -> (f64, f64) {
    let places = groups.iter().flat_map(|group| points(group)).map(|point| point.y);
    places.fold((f64::INFINITY, f64::NEG_INFINITY), |(top, low), y| (top.min(y), low.max(y)))
}

fn text(group: &Group) -> Option<&str> {
    group.items.iter().find_map(|item| match item {
        Item::Text(text) => Some(text.content.as_str()),
        _ => None,
    })
}

/// The distance of two colours in Oklab.
fn distance(a: Rgb, b: Rgb) -> f32 {
    let lab = |rgb: Rgb| {
        let channel = |byte: u8| f32::from(byte) / 255.0;
        Oklab::from_color(Srgb::new(channel(rgb.r), channel(rgb.g), channel(rgb.b)))
    };
    let (a, b) = (lab(a), lab(b));
    ((a.l - b.l).powi(2) + (a.a - b.a).powi(2) + (a.b - b.b).powi(2)).sqrt()
}

/// Colours that are too similar.
fn alike(chart: &Chart) -> Vec<String> {
    // The colours of phases of life and eras have a meaning.
    if matches!(chart.breakdown, Breakdown::Biography | Breakdown::Era) {
        return Vec::new();
    }
    let paints = layer_paints(chart, Palette::Vivid);
    let colour = |i: usize| paints[i].rgb(Theme::Light);
    let far_enough = |i: usize, j: usize, least: f32| distance(colour(i), colour(j)) >= least;
    let standing = |i: usize| chart.layers[i].standing;
    let biggest = |i: usize| standing(i).is_some_and(|standing| standing < colour::BIGGEST);
    let mut faults = Vec::new();
    for i in 0..paints.len() {
        for j in i + 1..paints.len() {
            let least = match (biggest(i) && biggest(j), j == i + 1) {
                (true, _) => colour::BIGGEST_DISTANCE,
                // Of equal size, they are stacked by hp2ps's hash and coloured by their names.
                (false, true) if chart.layers[i].total == chart.layers[j].total => continue,
                (false, true) => colour::NEIGHBOUR_DISTANCE,
                (false, false) => continue,
            };
            if !far_enough(i, j, least) {
                faults.push(format!("layers {i} and {j} look alike"));
            }
        }
    }
    faults
}

/// The faults in the picture of a chart.
fn faults(chart: &Chart, scene: &Scene) -> Vec<String> {
    let mut faults = alike(chart);
    let mut names: Vec<&str> = groups(scene, "key-entry").into_iter().filter_map(text).collect();
    names.sort_unstable();
    for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
        faults.push(format!("two bands are `{}` in the key", pair[0]));
    }
    let classes = ["band", "range-edge", "total"];
    let stack: Vec<&Group> = classes.into_iter().flat_map(|class| groups(scene, class)).collect();
    let (top, _) = reach(&stack);
    let (plot_top, plot_bottom) = reach(&groups(scene, "grid"));
    let share = (plot_bottom - top) / (plot_bottom - plot_top);
    if chart.total.iter().any(|&total| total > 0) && !stack.is_empty() && share < LEAST_HEIGHT {
        faults.push(format!(
            "bands and their highest line have {:.0} % of the height",
            100.0 * share
        ));
    }
    let notes = groups(scene, "notes");
    let notes = notes.iter().flat_map(|group| &group.items).filter_map(|item| match item {
        Item::Text(text) => Some(text.content.as_str()),
        _ => None,
    });
    // A damaged time in a log must not decide the scale.
    let lost = notes.collect::<Vec<_>>().join(" ").contains("beyond the axis");
    if lost && chart.condition != Condition::Damaged {
        faults.push("a marker is beyond the axis".to_owned());
    }
    let headline = chart.headline.as_ref().map(ToString::to_string).unwrap_or_default();
    if headline.chars().count() > GLANCE {
        faults.push(format!("its headline has more than {GLANCE} characters: {headline}"));
    }
    faults
}

#[test]
fn a_survey_of_all_profiles_finds_no_fault() {
    let mut drawn = 0;
    let mut found = Vec::new();
    for path in profiles() {
        let Ok(file) = std::fs::File::open(&path) else { continue };
        // Files that cannot be read or drawn have their own errors, which other tests check.
        let Ok(profile) = read_drawable(file, &InputOptions::default()) else { continue };
        let chart = Chart::of_profile(&profile, &RankOptions::default());
        let scene = draw::chart(&chart, &DrawOptions::default());
        drawn += 1;
        found.extend(
            faults(&chart, &scene).into_iter().map(|fault| format!("{}: {fault}", path.display())),
        );
    }
    assert!(drawn >= 12, "only {drawn} profiles");
    assert!(found.is_empty(), "{} of {drawn} profiles:\n{}", found.len(), found.join("\n"));
}

#[test]
fn every_order_leaves_out_no_more_bytes_than_trace_elements() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let files = ["hp", "eventlog", "gz"].map(|ending| files_with_ending(&samples, ending)).concat();
    let mut drawn = 0;
    for path in files {
        let file = std::fs::File::open(&path).expect("a sample");
        let profile = read_drawable(file, &InputOptions::default()).expect("a profile");
        for &measure in Measure::value_variants() {
            let mut options = ViewOptions::default();
            options.measure = measure;
            let run = ProfileView::new(&profile, &options).expect("all of it");
            let left_out = run.chart().trace.share_percent();
            assert!(left_out <= 1.0, "{}: {measure:?} leaves out {left_out} %", path.display());
            assert!(!run.chart().layers.is_empty(), "{}: {measure:?}", path.display());
            drawn += 1;
        }
    }
    assert!(drawn >= 100, "{drawn}");
}
