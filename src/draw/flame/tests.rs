//! Flame graphs, their bars read back from the scene.

use super::*;
use crate::base::units::{Bytes, Nanos};
use crate::profile::{BandKeyRef, CostCentre, Profile, ProfileBuilder, Source};
use crate::slice::Slice;
use crate::tree::{Instant, Paths, Roots, Stacks, of_heap};

/// `levels` nested cost centres, each with a share, at one instant; at a second instant the deepest
/// has nothing.
fn profile(levels: u32) -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for id in 1..=levels {
        builder.define_cost_centre(id, CostCentre::new(format!("f{id}"), "Main", ""));
    }
    for deepest in [levels, levels - 1] {
        for end in 1..=deepest {
            let stack: Vec<u32> = (1..=end).rev().collect();
            let band = builder.band(BandKeyRef::Stack(&stack)).unwrap();
            builder.point(band, Bytes::new(1000));
        }
        builder.seal_sample(Nanos::from_nanos(i64::from(levels - deepest) * 1_000_000_000));
    }
    builder.finish()
}

fn stacks(slice: &Slice<'_>, instant: &Instant) -> Stacks {
    of_heap(slice, &instant.find(slice).unwrap()).unwrap()
}

fn chart(profile: &Profile) -> FlameChart {
    let slice = Slice::whole(profile);
    let tree = StackTree::new(&stacks(&slice, &Instant::Peak), Roots::default()).unwrap();
    FlameChart::new(&slice, tree)
}

/// Label and rectangle of every bar.
fn bars(scene: &Scene) -> Vec<(String, Rectangle)> {
    let Some(Item::Group(flame)) = scene
        .items
        .iter()
        .find(|item| matches!(item, Item::Group(group) if group.class == "flame"))
    else {
        panic!("no flame");
    };
    let bar = |item: &Item| match item {
        Item::Group(group) => match group.items[0] {
            Item::Rectangle(rectangle) => (group.label.clone().unwrap(), rectangle),
            _ => panic!("a bar begins with its rectangle"),
        },
        _ => panic!("bars are groups"),
    };
    flame.items.iter().map(bar).collect()
}

#[test]
fn widths_are_amounts_and_levels_are_depths() {
    let chart = chart(&profile(10));
    let scene = flame(&chart, &DrawOptions::default(), RootPlace::Bottom);
    let bars = bars(&scene);
    assert_eq!(bars.len(), 11);
    let whole = DrawOptions::default().width - 2.0 * MARGIN;
    for (i, (label, bar)) in bars.iter().enumerate() {
        let share = if i == 0 { 1.0 } else { (11 - i) as f64 / 10.0 };
        assert!((bar.width + GAP - whole * share).abs() < 1e-6, "{label}");
        assert!((bar.at.y - (bars[0].1.at.y - i as f64 * ROW)).abs() < 1e-6, "{label}");
    }
    let down = flame(&chart, &DrawOptions::default(), RootPlace::Top);
    assert_eq!(down.height, scene.height);
    let first = self::bars(&down)[0].1.at.y;
    assert!(self::bars(&down).iter().all(|(_, bar)| bar.at.y >= first));
}

#[test]
fn every_level_of_a_deep_stack_has_its_row() {
    let scene = flame(&chart(&profile(254)), &DrawOptions::default(), RootPlace::Bottom);
    assert_eq!(bars(&scene).len(), 255);
    assert!(scene.height > 255.0 * ROW);
    for (_, bar) in bars(&scene) {
        assert!(bar.at.y > 0.0 && bar.at.y + bar.height < scene.height);
        assert!(bar.at.x >= MARGIN - 1.0 && bar.at.x + bar.width <= scene.width - MARGIN + 1.0);
    }
}

#[test]
fn bars_too_narrow_to_see_are_reported_as_missing() {
    let mut builder = ProfileBuilder::new(Source::Hp);
    builder.sample(0, [(&b"big"[..], 1_000_000), (b"small", 20)]);
    let scene = flame(&chart(&builder.finish()), &DrawOptions::default(), RootPlace::Bottom);
    assert_eq!(bars(&scene).len(), 2);
    assert!(format!("{:?}", scene.items).contains("too narrow to draw: 20 B"));
}

#[test]
fn texts_stay_in_their_bars() {
    let options = DrawOptions { width: 400.0, ..DrawOptions::default() };
    let scene = flame(&chart(&profile(60)), &options, RootPlace::Bottom);
    let Some(Item::Group(flame)) = scene
        .items
        .iter()
        .rev()
        .find(|item| matches!(item, Item::Group(group) if group.class == "flame"))
    else {
        panic!("no flame")
    };
    for item in &flame.items {
        let Item::Group(group) = item else { continue };
        if let [Item::Rectangle(bar), Item::Text(text)] = &group.items[..] {
            let (left, right) = text.extent();
            assert!(left >= bar.at.x && right <= bar.at.x + bar.width, "{}", text.content);
        }
    }
}

#[test]
fn if_there_are_too_many_bars_the_widest_and_lowest_are_drawn() {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for id in 0..200 * 100 {
        builder.define_cost_centre(id, CostCentre::new(format!("f{id}"), "Main", ""));
    }
    for stack in 0..200 {
        let ids: Vec<u32> = (100 * stack..100 * (stack + 1)).rev().collect();
        let band = builder.band(BandKeyRef::Stack(&ids)).unwrap();
        builder.point(band, Bytes::new(1000));
    }
    builder.seal_sample(Nanos::ZERO);
    let profile = builder.finish();
    let chart = chart(&profile);
    let scene = flame(&chart, &DrawOptions::default(), RootPlace::Bottom);
    let bars = bars(&scene);
    assert_eq!(bars.len(), MOST_BARS);
    let said = format!("{:?}", scene.items.last());
    assert!(said.contains("too many to draw: "), "{said}");
    // A tree of only what can be drawn gives the same picture.
    let (slice, mut chart) = (Slice::whole(&profile), chart);
    let paths = Paths::new(&stacks(&slice, &Instant::Peak), Roots::default()).unwrap();
    chart.tree = StackTree::of_paths(&paths, tree_size(DrawOptions::default().width));
    assert_eq!(chart.tree.nodes.len(), MOST_BARS);
    assert_eq!(flame(&chart, &DrawOptions::default(), RootPlace::Bottom), scene);
}

#[test]
fn a_frame_has_the_colour_that_a_page_gives_its_name() {
    use crate::draw::colour::preferred;
    use crate::profile::Breakdown;
    let scene = flame(&chart(&profile(10)), &DrawOptions::default(), RootPlace::Bottom);
    let page = preferred(Breakdown::CostCentre, Palette::Vivid).by_hash;
    for (label, rectangle) in bars(&scene).into_iter().filter(|bar| bar.0.starts_with("Main.")) {
        let name = label.trim_start_matches("Main.");
        let colour = page[(hash(name) % page.len() as u64) as usize];
        assert_eq!(rectangle.fill, Paint::Band(colour), "{label}");
    }
}

#[test]
fn what_grows_in_a_live_heap_is_marked_where_its_stack_ends() {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(crate::profile::Breakdown::CostCentre);
    for id in 1..=3 {
        builder.define_cost_centre(id, CostCentre::new(format!("f{id}"), "Main", ""));
    }
    for sample in 0..60 {
        builder.stack_sample(
            100_000_000 * sample as i64,
            [(&[2, 1][..], 5_000_000), (&[3, 2, 1], 200_000 * sample)],
        );
    }
    let profile = builder.finish();
    let options = crate::profile_view::ViewOptions::default();
    let view = crate::profile_view::ProfileView::new(&profile, &options).unwrap();
    let (slice, rows) = (view.slice(), view.rows_growing());
    let growth = || (view.account().leak, &rows[..]);
    let chart = chart(&profile).with_growth(slice, view.headline(), growth());
    let names = |id| chart.tree.path(id).into_iter().map(|frame| &*frame.name).collect::<Vec<_>>();
    let marked: Vec<Vec<&str>> = chart.grew.iter().map(|(id, _)| names(*id)).collect();
    assert_eq!(marked, [["MAIN", "f1", "f2", "f3"]]);
    let text = format!("{:?}", flame(&chart, &DrawOptions::default(), RootPlace::Bottom).items);
    assert!(
        text.contains("Main.f3  grew by 11.3 MiB") && text.contains("likely leak: f3"),
        "{text}"
    );
}
