//! What must hold of every picture: the numbers can be read back from it, nothing is clipped or
//! printed over something else, and no input breaks the document.

mod readback;

use super::{DrawOptions, HeapLines, KeyPlace, Messages, Scale, View, XAxis};
use crate::base::units::{Bytes, Nanos};
use crate::chart::testing::{Recipe, names, wavy};
use crate::chart::{Chart, Clock, HeapSeriesKind};
use crate::draw;
use crate::picture::{Item, Scene, Text};
use crate::picture::{SvgOptions, svg};
use crate::slice::rank::{RankOptions, rank};
use crate::slice::{Slice, SliceOptions};

fn picture(chart: &Chart) -> String {
    picture_with(chart, &DrawOptions::default())
}

pub fn picture_with(chart: &Chart, options: &DrawOptions) -> String {
    svg(&draw::chart(chart, options), &SvgOptions::default())
}

/// The corners of a path as the emitter writes it: M, l, h, v, z.
pub fn corners(data: &str) -> Vec<(f64, f64)> {
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

#[test]
fn hostile_names_are_only_text() {
    let hostile = [
        "</text><script>alert(1)</script>",
        "]]> <!-- & &amp; \" ' `",
        "\u{1b}[31mred\u{7f}\u{85}",
        "\u{202e}reversed\u{2066}",
        "nul\u{0}\u{ffff}\u{fffe}\u{fffd}\t\r\n",
        "漢字 λ → \u{1f980}",
    ];
    let markers = [(30_000_000, "</g><x\u{0}"), (50_000_000, "\u{202e}b")];
    let recipe = Recipe {
        job: "</title><script>\u{1}",
        names: hostile.map(str::to_owned).to_vec(),
        markers: &markers,
        ..Recipe::of(0, 5)
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

fn texts(scene: &Scene) -> Vec<&Text> {
    fn find<'a>(items: &'a [Item], found: &mut Vec<&'a Text>) {
        for item in items {
            match item {
                Item::Group(group) => find(&group.items, found),
                Item::Text(text) => found.push(text),
                Item::Area(_) | Item::Line(_) | Item::Rectangle(_) => {}
            }
        }
    }
    let mut found = Vec::new();
    find(&scene.items, &mut found);
    found
}

/// No text leaves the picture or touches another one.
fn assert_legible(scene: &Scene, what: &str) {
    let all = texts(scene);
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

/// Options that put as much as possible on a picture.
fn messages() -> DrawOptions {
    let mut options = DrawOptions { heap_lines: HeapLines::All, ..DrawOptions::default() };
    options.markers.messages = Messages::Show;
    options
}

#[test]
fn nothing_is_clipped_or_printed_over_something_else() {
    let long: Vec<String> = (0..12).map(|i| format!("{i}{}", "Long.Name/".repeat(30))).collect();
    let wide: Vec<String> = (0..12).map(|i| format!("{i}漢字仮名交じり文").repeat(4)).collect();
    let labels: Vec<String> = (0..40).map(|i| format!("phase {i} of the program")).collect();
    let markers: Vec<(i64, &str)> =
        labels.iter().enumerate().map(|(i, label)| (i as i64 * 29_000_000, &**label)).collect();
    let recipe = |names, markers| Recipe { names, markers, ..Recipe::of(0, 60) };
    let mut fewer = recipe(names(6), &markers);
    fewer.rank = RankOptions::default();
    let charts = [
        ("few", wavy(5, 50)),
        ("twenty", wavy(20, 50)),
        ("sixty", wavy(60, 50)),
        ("three hundred", wavy(300, 10)),
        ("one", wavy(1, 1)),
        ("long", recipe(long, &[]).chart(|_, _| 123_456_789)),
        ("wide", recipe(wide, &markers).chart(|_, _| 1 << 40)),
        ("markers", recipe(names(6), &markers).chart(|_, _| 1023)),
        ("trace", fewer.chart(|band, _| if band == 0 { 1 } else { 1 << 20 })),
    ];
    for (what, chart) in &charts {
        for (width, height) in
            [(320.0, 200.0), (960.0, 540.0), (800.0, 450.0), (480.0, 300.0), (1600.0, 1000.0)]
        {
            for (view, key) in [
                (View::Stacked, KeyPlace::Right),
                (View::Lines, KeyPlace::Below),
                (View::Percent, KeyPlace::None),
            ] {
                let options = DrawOptions { width, height, view, key, ..messages() };
                let scene = draw::chart(chart, &options);
                assert_legible(&scene, &format!("{what} {width} {view:?}"));
                assert!(scene.height <= 1200.0);
            }
        }
    }
}

#[test]
fn the_key_goes_below_where_names_would_be_cut_beside_the_plot() {
    let names = (0..6).map(|i| format!("{}{i}", "a_long_name_".repeat(7))).collect();
    let chart = Recipe { names, ..Recipe::of(0, 30) }
        .chart(|band, sample| 1000 * (band as u64 + 1) + sample as u64);
    let elided = |options: &DrawOptions| {
        let scene = draw::chart(&chart, options);
        let all = texts(&scene);
        let cut = all.iter().filter(|t| t.content.starts_with("a_long") && t.content.contains('…'));
        (cut.count(), scene.height)
    };
    let auto = DrawOptions::default();
    let right = DrawOptions { key: KeyPlace::Right, ..auto.clone() };
    let below = DrawOptions { key: KeyPlace::Below, ..auto.clone() };
    assert_eq!(elided(&right).0, 6);
    assert_eq!((elided(&auto).0, elided(&auto)), (0, elided(&below)));
    // A given height is kept; if too little of the plot would be left, names are cut.
    for height in [540.0, 300.0] {
        let sized = DrawOptions { height, max_height: height, ..auto.clone() };
        assert_eq!(elided(&sized).1, height);
    }
}

#[test]
fn a_small_key_has_names_alone_before_it_leaves_bands_out() {
    let names = (0..8).map(|i| format!("Con{i}")).collect();
    let chart = Recipe { names, ..Recipe::of(0, 30) }
        .chart(|band, sample| 1000 * (band as u64 + 1) + sample as u64);
    let options =
        DrawOptions { width: 400.0, height: 250.0, max_height: 250.0, ..DrawOptions::default() };
    let scene = draw::chart(&chart, &options);
    let named = texts(&scene).into_iter().filter(|text| text.content.contains("Con")).count();
    assert!(named >= 7 && scene.height == 250.0, "{named} {}", scene.height);
    assert_legible(&scene, "small");
}

#[test]
fn the_last_line_of_a_cut_key_fits_its_column() {
    let recipe = Recipe { names: (0..19).map(|i| format!("b{i}")).collect(), ..Recipe::of(0, 20) };
    let mut chart = recipe.chart(|band, sample| 1000 * (band + sample) as u64);
    for layer in &mut chart.layers {
        layer.suspect = Some(crate::analysis::Leak::Possible);
    }
    let (width, height) = (320.0, 300.0);
    let options = DrawOptions { width, height, max_height: height, ..DrawOptions::default() };
    let scene = draw::chart(&chart, &options);
    let found = texts(&scene);
    let last = found.iter().find(|text| text.content.ends_with(" more")).expect("a last line");
    let (_, right) = last.extent();
    assert!(right <= scene.width - super::heading::MARGIN, "{right}");
}

#[test]
fn many_bands_make_the_picture_taller_up_to_a_limit() {
    let options = DrawOptions::default();
    let sixty = draw::chart(&wavy(60, 10), &options);
    assert!(sixty.height > 540.0 && sixty.height < 1200.0);
    let said = |scene: &Scene| {
        texts(scene).iter().filter(|text| text.content.starts_with("… and ")).count()
    };
    assert_eq!(said(&sixty), 0);
    let many = draw::chart(&wavy(300, 10), &options);
    assert_eq!((many.height, said(&many)), (1200.0, 1));
}

/// Checks that no number of the document is NaN or far outside the picture, in every view.
fn assert_sound(chart: &Chart, what: &str) {
    for (view, x, key) in [
        (View::Stacked, XAxis::Time, KeyPlace::Right),
        (View::Lines, XAxis::Sample, KeyPlace::Below),
        (View::Percent, XAxis::Time, KeyPlace::None),
    ] {
        let options = DrawOptions { view, x, key, ..DrawOptions::default() };
        assert_sound_with(chart, &options, what);
        let scale = Scale {
            time_min: Some(Nanos::from_nanos(2)),
            time_max: Some(Nanos::from_nanos(1_000_000)),
            sample_max: Some(2),
            heap_max: Some(Bytes::new(3)),
        };
        assert_sound_with(chart, &DrawOptions { scale, ..options }, what);
    }
}

fn assert_sound_with(chart: &Chart, options: &DrawOptions, what: &str) {
    let text = picture_with(chart, options);
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
    assert_legible(&draw::chart(chart, options), what);
}

#[test]
fn degenerate_charts_are_drawn() {
    let of = |times: &[i64], size: u64| {
        Recipe { times: times.to_vec(), ..Recipe::of(3, 0) }.chart(|_, _| size)
    };
    assert_sound(&of(&[], 0), "no samples");
    assert_sound(&of(&[0], 5), "one sample at zero");
    assert_sound(&of(&[5_000_000_000; 4], 5), "samples at one time");
    assert_sound(&of(&[1, 2, 3], 0), "nothing live");
    assert_sound(&of(&[1, 2, 3], u64::MAX), "everything live");
    assert_sound(&of(&[i64::MIN, 0, i64::MAX], 7), "all of time");
    assert_sound(&of(&[-3_000_000_000, 1_000_000], 7), "time before the beginning");
    let last: Vec<i64> = (0..20).chain([i64::MAX]).collect();
    assert_sound(&of(&last, 7), "a sample alone at the end of time");
    assert_sound(&Recipe::of(0, 2).chart(|_, _| 0), "no bands");
    let mut trace = of(&[1, 2], 7);
    trace.layers.clear();
    trace.trace.bands = 3;
    trace.trace.total = 42;
    trace.trace.grand_total = 42;
    assert_sound(&trace, "all trace");
    let mut numbered = wavy(3, 9);
    numbered.clock = Clock::Sample;
    assert_sound(&numbered, "numbered samples");
    let mut random = crate::testing::Random::new(1, "shapes");
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
fn twenty_bands_are_at_most_150_kilobytes_however_many_and_noisy_the_samples() {
    for (count, noise) in [(1_400, 900), (2_000, 900), (20_000, 30), (100_000, 900)] {
        let mut random = crate::testing::Random::new(count as u64, "noise");
        let noise: Vec<u64> = (0..20 * count).map(|_| random.below(noise)).collect();
        let chart = Recipe::of(20, count).chart(|band, sample| {
            let wave = 1.1 + libm::sin(sample as f64 / count as f64 * 20.0 + band as f64);
            (300.0 * wave) as u64 + noise[band * count + sample]
        });
        let text = picture(&chart);
        assert!(text.len() <= 150_000, "{count} {}", text.len());
    }
}

#[test]
fn a_heap_line_of_many_points_stays_small_and_is_in_the_key() {
    let recipe = Recipe::of(2, 50);
    let mut profile = recipe.profile(|_, _| 1 << 20);
    let bare = picture(&Chart::of_profile(&profile, &recipe.rank)).len();
    let mut builder = crate::profile::ProfileBuilder::new(crate::profile::Source::Eventlog);
    for i in 0..200_000_i64 {
        let bytes = Bytes::new((1 << 20) + (i as u64 * 7919) % (1 << 20));
        builder.heap_point(HeapSeriesKind::Live, Nanos::from_nanos(i * 5_000), bytes);
        let size = Bytes::new(9 << 20);
        builder.heap_point(HeapSeriesKind::Size, Nanos::from_nanos(i * 5_000), size);
    }
    profile.heap = builder.finish().heap;
    let chart = Chart::of_profile(&profile, &recipe.rank);
    let text = picture(&chart);
    assert!(text.len() < bare + 40_000, "{} {bare}", text.len());
    assert!(text.contains("id=\"heap-live\"") && text.contains("id=\"key-heap-live\""));
    assert!(!text.contains("id=\"heap-size\""));
    assert_legible(&draw::chart(&chart, &DrawOptions::default()), "heap line");
    let all = DrawOptions { heap_lines: HeapLines::All, ..DrawOptions::default() };
    assert!(picture_with(&chart, &all).contains("id=\"heap-size\""));
    let none = DrawOptions { heap_lines: HeapLines::None, ..DrawOptions::default() };
    assert!(!picture_with(&chart, &none).contains("class=\"heap-line\""));
}

#[test]
fn bands_that_are_left_out_are_counted_and_sums_are_right() {
    let mut recipe = Recipe::of(12, 30);
    recipe.rank = RankOptions { trace_percent: 5.0, ..RankOptions::default() };
    let profile = recipe.profile(|band, sample| (1 << band) * (sample as u64 + 1));
    let mut options = SliceOptions::default();
    options.selection.exclude.push("function1".parse().unwrap());
    let slice = Slice::new(&profile, &options).unwrap();
    let chart = Chart::new(&slice, rank(&slice, &recipe.rank));
    assert_eq!((chart.excluded.bands, chart.bands), (3, 12));
    let drawn: u128 = chart.layers.iter().map(|layer| layer.total).sum();
    let members: usize = chart.layers.iter().map(|layer| layer.members).sum();
    assert_eq!(drawn + chart.trace.total + chart.excluded.total, chart.trace.grand_total);
    assert_eq!(members + chart.trace.bands + chart.excluded.bands, chart.bands);
    assert_eq!(chart.total.iter().sum::<u128>(), chart.trace.grand_total);
    assert!(chart.layers.iter().all(|layer| !layer.label.contains("function1")));
    let text = picture(&chart);
    assert!(text.contains("3 bands excluded (75.1 % of the total)"), "{:?}", chart.notes);
    assert!(text.contains("id=\"key-total\""));
}

#[test]
fn what_is_drawn_goes_on_paler_in_a_gap() {
    let mut recipe = Recipe::of(3, 20);
    recipe.times[12..].iter_mut().for_each(|time| *time += 2_000_000_000);
    let chart = recipe.chart(|_, _| 1000);
    for view in [View::Stacked, View::Lines, View::Percent] {
        let text = picture_with(&chart, &DrawOptions { view, ..DrawOptions::default() });
        let document = roxmltree::Document::parse(&text).unwrap();
        let of =
            |class| document.descendants().filter(move |n| n.attribute("class") == Some(class));
        for band in of("band") {
            let paths = band.children().filter(|node| node.has_tag_name("path"));
            assert_eq!(paths.count(), 2, "{view:?}");
        }
        // Areas go straight through it, paler.
        let across = of("gap").count();
        assert_eq!(across > 0, view != View::Lines, "{view:?}");
        assert!(text.contains("no samples for 2.02 s (paler)"), "{text}");
    }
}
