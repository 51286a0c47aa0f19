//! What must hold of every picture: the numbers can be read back from it, nothing is clipped or
//! printed over something else, and no input breaks the document.

use super::layout::Layout;
use super::testing::{self, Recipe, names, times, wavy};
use super::{Item, Scene, SceneOptions, Text, draw};
use crate::chart::{Chart, Clock};
use crate::rank::RankOptions;
use crate::render::{SvgOptions, svg};

fn picture(chart: &Chart) -> String {
    svg(&draw(chart, &SceneOptions::default()), &SvgOptions::default())
}

/// The corners of a path as the emitter writes it: M, l, h, v, z.
fn corners(data: &str) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    let mut at = (0.0, 0.0);
    for step in commands(data.trim_end_matches('z')) {
        let (command, numbers) = step;
        match (command, &numbers[..]) {
            ('M', [x, y]) => at = (*x, *y),
            ('l', [x, y]) => at = (at.0 + x, at.1 + y),
            ('h', [x]) => at.0 += x,
            ('v', [y]) => at.1 += y,
            other => panic!("{other:?}"),
        }
        at = ((at.0 * 100.0).round() / 100.0, (at.1 * 100.0).round() / 100.0);
        corners.push(at);
    }
    corners
}

fn commands(data: &str) -> Vec<(char, Vec<f64>)> {
    let mut commands: Vec<(char, String)> = Vec::new();
    for c in data.chars() {
        match commands.last_mut() {
            _ if c.is_ascii_alphabetic() => commands.push((c, String::new())),
            Some((_, text)) => {
                text.push_str(&if c == '-' { " -".to_owned() } else { c.to_string() });
            }
            None => panic!("{data}"),
        }
    }
    let numbers = |text: String| text.split_whitespace().map(|n| n.parse().unwrap()).collect();
    commands.into_iter().map(|(command, text)| (command, numbers(text))).collect()
}

/// The height of a line through `corners` at `x`.
fn height_at(corners: &[(f64, f64)], x: f64) -> f64 {
    let segment = corners.windows(2).find(|pair| (pair[0].0..=pair[1].0).contains(&x));
    let [(x0, y0), (x1, y1)] = segment.unwrap() else { unreachable!() };
    if x1 == x0 { *y1 } else { y0 + (y1 - y0) * (x - x0) / (x1 - x0) }
}

#[test]
fn heights_read_back_from_the_paths_are_the_numbers() {
    let chart = wavy(14, 60);
    let layout = Layout::new(&chart, &SceneOptions::default());
    let text = picture(&chart);
    let document = roxmltree::Document::parse(&text).unwrap();
    let edges: Vec<Vec<(f64, f64)>> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("band"))
        .map(|band| {
            let path = band.children().find(|node| node.has_tag_name("path")).unwrap();
            let mut corners = corners(path.attribute("d").unwrap());
            corners.truncate(corners.len() - 2);
            corners
        })
        .collect();
    assert_eq!(edges.len(), chart.layers.len());
    let plot = layout.plot;
    let (low, high) = (layout.time.low as f64, layout.time.high as f64);
    for (sample, time) in chart.times.iter().enumerate() {
        let share = (time.as_nanos() as f64 - low) / (high - low);
        let x = plot.left + (plot.right - plot.left) * share;
        // The ends of an edge are rounded to tenths of a pixel.
        let ends = (edges[0][0].0, edges[0].last().unwrap().0);
        let x = x.clamp(ends.0, ends.1);
        for (i, layer) in chart.layers.iter().rev().enumerate() {
            let below = edges.get(i + 1).map_or(plot.bottom, |edge| height_at(edge, x));
            let pixels = below - height_at(&edges[i], x);
            let bytes = pixels / (plot.bottom - plot.top) * layout.heap.top as f64;
            let half_a_pixel = 0.5 / (plot.bottom - plot.top) * layout.heap.top as f64;
            let expected = layer.residency[sample].get() as f64;
            assert!((bytes - expected).abs() < half_a_pixel, "{sample} {} {bytes}", layer.label);
        }
    }
}

#[test]
fn hostile_names_stay_names() {
    let hostile = [
        "</text><script>alert(1)</script>",
        "]]> <!-- & &amp; \" ' `",
        "\u{1b}[31mred\u{7f}\u{85}",
        "\u{202e}reversed\u{2066}",
        "nul\u{0}\u{ffff}\u{fffe}\u{fffd}\t\r\n",
        "漢字 λ → \u{1f980}",
    ];
    let hostile: Vec<String> = hostile.iter().map(|&name| name.to_owned()).collect();
    let markers = [(30_000_000, "</g><x\u{0}"), (50_000_000, "\u{202e}b")];
    let times = times(5);
    let recipe = Recipe {
        job: "</title><script>\u{1}",
        names: &hostile,
        times: &times,
        markers: &markers,
        ..Recipe::default()
    };
    let text = picture(&recipe.chart(|_, _| 1000));
    let document = roxmltree::Document::parse(&text).unwrap();
    let known = ["svg", "g", "a", "path", "rect", "text", "title", "desc", "style"];
    for node in document.descendants().filter(|node| node.is_element()) {
        assert!(known.contains(&node.tag_name().name()), "{node:?}");
        assert!(node.attributes().all(|attribute| !attribute.name().starts_with("on")));
    }
    let inert = |c: char| c == '\n' || !(c.is_control() || matches!(c, '\u{202a}'..='\u{202e}'));
    assert!(text.chars().all(inert));
    let labels: Vec<&str> = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("band"))
        .filter_map(|node| node.attribute("data-label"))
        .collect();
    assert!(labels.contains(&"</text><script>alert(1)</script>"), "{labels:?}");
    assert!(labels.contains(&"漢字 λ → \u{1f980}"));
    assert!(!text.contains("http://") || text.matches("http").count() == 1);
}

fn texts<'a>(items: &'a [Item], found: &mut Vec<&'a Text>) {
    for item in items {
        match item {
            Item::Group(group) => texts(&group.items, found),
            Item::Text(text) => found.push(text),
            _ => {}
        }
    }
}

/// No text leaves the picture or touches another one.
fn assert_legible(scene: &Scene, what: &str) {
    let mut all = Vec::new();
    texts(&scene.items, &mut all);
    for (i, text) in all.iter().enumerate() {
        let (left, right) = text.extent();
        let inside = left >= 0.0 && right <= scene.width;
        assert!(inside, "{what}: {:?} {left} {right}", text.content);
        assert!(text.at.y <= scene.height - 0.2 * text.size && text.at.y >= text.size, "{what}");
        for other in &all[i + 1..] {
            let (from, to) = other.extent();
            let beside = right <= from || to <= left;
            let apart = (text.at.y - other.at.y).abs() >= 0.95 * text.size.max(other.size);
            assert!(beside || apart, "{what}: {:?} and {:?}", text.content, other.content);
        }
    }
}

#[test]
fn nothing_is_clipped_or_printed_over_something_else() {
    let long: Vec<String> = (0..12).map(|i| format!("{i}{}", "Long.Name/".repeat(30))).collect();
    let wide: Vec<String> = (0..12).map(|i| format!("{i}漢字仮名交じり文").repeat(4)).collect();
    let labels: Vec<String> = (0..40).map(|i| format!("phase {i} of the program")).collect();
    let markers: Vec<(i64, &str)> =
        labels.iter().enumerate().map(|(i, label)| (i as i64 * 29_000_000, &**label)).collect();
    let (few, times) = (names(6), times(60));
    let recipe = |names, markers| Recipe { names, times: &times, markers, ..Recipe::default() };
    let mut fewer = recipe(&few, &markers);
    fewer.rank = RankOptions::default();
    let charts = [
        ("few", wavy(5, 50)),
        ("twenty", wavy(20, 50)),
        ("sixty", wavy(60, 50)),
        ("three hundred", wavy(300, 10)),
        ("one", wavy(1, 1)),
        ("long", recipe(&long, &[]).chart(|_, _| 123_456_789)),
        ("wide", recipe(&wide, &markers).chart(|_, _| 1 << 40)),
        ("markers", recipe(&few, &markers).chart(|_, _| 1023)),
        ("trace", fewer.chart(|band, _| if band == 0 { 1 } else { 1 << 20 })),
    ];
    for (what, chart) in &charts {
        for (width, height) in
            [(320.0, 200.0), (960.0, 540.0), (800.0, 450.0), (480.0, 300.0), (1600.0, 1000.0)]
        {
            let scene = draw(chart, &SceneOptions { width, height, ..SceneOptions::default() });
            assert_legible(&scene, &format!("{what} {width}"));
            assert!(scene.height <= 1200.0);
        }
    }
}

#[test]
fn many_bands_make_the_picture_taller_and_then_end_in_a_count() {
    let options = SceneOptions::default();
    let sixty = draw(&wavy(60, 10), &options);
    assert!(sixty.height > 540.0 && sixty.height < 1200.0);
    let said = |scene: &Scene| {
        let mut all = Vec::new();
        texts(&scene.items, &mut all);
        all.iter().filter(|text| text.content.starts_with("… and ")).count()
    };
    assert_eq!(said(&sixty), 0);
    let many = draw(&wavy(300, 10), &options);
    assert_eq!((many.height, said(&many)), (1200.0, 1));
}

/// Every number of the document, to be sure that none is NaN or far outside.
fn assert_sound(chart: &Chart, what: &str) {
    let text = picture(chart);
    let document = roxmltree::Document::parse(&text).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{what}");
    let mut ids: Vec<&str> =
        document.descendants().filter_map(|node| node.attribute("id")).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "{what}: ids repeat");
    for path in document.descendants().filter_map(|node| node.attribute("d")) {
        for (x, y) in corners(path) {
            assert!((0.0..=960.0).contains(&x) && (0.0..=1200.0).contains(&y), "{what}: {path}");
        }
    }
    assert_legible(&draw(chart, &SceneOptions::default()), what);
}

#[test]
fn degenerate_charts_are_drawn() {
    let few = names(3);
    let of = |times: &[i64], size: u64| {
        Recipe { names: &few, times, ..Recipe::default() }.chart(|_, _| size)
    };
    assert_sound(&of(&[], 0), "no samples");
    assert_sound(&of(&[0], 5), "one sample at zero");
    assert_sound(&of(&[5_000_000_000; 4], 5), "samples at one time");
    assert_sound(&of(&[1, 2, 3], 0), "nothing live");
    assert_sound(&of(&[1, 2, 3], u64::MAX), "everything live");
    assert_sound(&of(&[i64::MIN, 0, i64::MAX], 7), "all of time");
    assert_sound(&of(&[-3_000_000_000, 1_000_000], 7), "time before the beginning");
    let none = Recipe { times: &[1, 2], ..Recipe::default() }.chart(|_, _| 0);
    assert_sound(&none, "no bands");
    let mut trace = of(&[1, 2], 7);
    trace.layers.clear();
    trace.trace.bands = 3;
    trace.trace.total = 42;
    trace.trace.grand_total = 42;
    assert_sound(&trace, "all trace");
    let mut numbered = wavy(3, 9);
    numbered.clock = Clock::Sample;
    assert_sound(&numbered, "numbered samples");
    let mut random = testing::Random::new(23);
    for round in 0..60 {
        let mut times: Vec<i64> = (0..random.below(30))
            .map(|_| (random.below(1 << 62) >> random.below(62)) as i64)
            .collect();
        times.sort_unstable();
        let shift = random.below(64);
        assert_sound(&of(&times, u64::MAX >> shift), &format!("round {round}"));
    }
}

#[test]
fn entries_of_the_key_lead_to_their_bands() {
    let chart = wavy(12, 9);
    let text = picture(&chart);
    let document = roxmltree::Document::parse(&text).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let links = || document.descendants().filter(|node| node.has_tag_name("a"));
    assert_eq!(links().count(), chart.layers.len());
    for link in links() {
        let target = link.attribute("href").unwrap().strip_prefix('#').unwrap();
        assert!(ids.contains(&target), "{target}");
        assert!(link.children().any(|node| node.has_tag_name("title")));
    }
}

#[test]
fn the_same_chart_gives_the_same_bytes() {
    let chart = wavy(25, 40);
    assert_eq!(picture(&chart), picture(&chart));
}

#[test]
fn a_hundred_thousand_samples_make_a_small_picture_with_the_peak_in_it() {
    let (names, times) = (names(5), times(100_000));
    let recipe = Recipe { names: &names, times: &times, ..Recipe::default() };
    let chart = recipe.chart(|band, sample| match (band, sample) {
        (0, 77_777) => 9_000_000,
        _ => 1_000 + (sample as u64 * 7919) % 997,
    });
    let text = picture(&chart);
    assert!(text.len() < 200_000, "{}", text.len());
    let layout = Layout::new(&chart, &SceneOptions::default());
    let peak = chart.peak().unwrap().total as f64 / layout.heap.top as f64;
    let expected = layout.plot.bottom - (layout.plot.bottom - layout.plot.top) * peak;
    let document = roxmltree::Document::parse(&text).unwrap();
    let band = document.descendants().find(|node| node.attribute("class") == Some("band")).unwrap();
    let path = band.children().find_map(|node| node.attribute("d")).unwrap();
    let highest = corners(path).iter().map(|corner| corner.1).fold(f64::INFINITY, f64::min);
    assert!((highest - expected).abs() <= 0.5, "{highest} {expected}");
}

#[test]
fn twenty_bands_are_at_most_150_kilobytes_however_many_and_noisy_the_samples() {
    let names = names(20);
    for (count, noise) in [(1_400, 900), (2_000, 900), (20_000, 900), (100_000, 30), (100_000, 900)]
    {
        let times = times(count);
        let recipe = Recipe { names: &names, times: &times, ..Recipe::default() };
        let mut random = testing::Random::new(count as u64);
        let noise: Vec<u64> = (0..20 * count).map(|_| random.below(noise)).collect();
        let chart = recipe.chart(|band, sample| {
            let wave = 1.1 + (sample as f64 / count as f64 * 20.0 + band as f64).sin();
            (300.0 * wave) as u64 + noise[band * count + sample]
        });
        let text = picture(&chart);
        assert!(text.len() <= 150_000, "{count} {}", text.len());
    }
}
