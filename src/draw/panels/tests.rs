//! Reads panels back: they must show what the run-time system did.

use crate::analysis::runtime::Activity;
use crate::base::units::{Bytes, Nanos};
use crate::chart::{Additions, Chart};
use crate::draw::layout::Layout;
use crate::draw::parts::PictureParts;
use crate::draw::plotters::PixelFrame;
use crate::draw::{self, DrawOptions, PanelKind};
use crate::picture::{Group, Item, Scene};
use crate::profile::{
    BlockCensus, Breakdown, CollectorPhase, HeapSeriesKind, ProfileBuilder, Source,
};
use crate::slice::Slice;
use crate::slice::rank::RankOptions;

const MS: i64 = 1_000_000;

fn at(ms: i64) -> Nanos {
    Nanos::from_nanos(ms * MS)
}

/// A run of a second with pauses of 10, 40 and 20 ms, and a major one of 100 ms at 0.5 s.
fn chart(samples: usize) -> Chart {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    builder.declare_breakdown(Breakdown::Type);
    for sample in 0..samples {
        builder.sample(at(100 * sample as i64 + 100).as_nanos(), [("T", 1 << 20)]);
    }
    for (generation, start, end) in [(0, 100, 110), (0, 300, 340), (1, 500, 600), (0, 900, 920)] {
        let gc = crate::analysis::runtime::testing::gc(generation, start * MS, end * MS);
        builder.runtime_entries(|runtime| &mut runtime.collections.all, [gc]);
        builder.allocated(at(end), 0, Bytes::new(u64::try_from(end).unwrap() << 20));
        builder.heap_point(HeapSeriesKind::Size, at(end), Bytes::new(5 << 20));
    }
    let marked = CollectorPhase { start: at(610), end: at(700) };
    builder.runtime_entries(|runtime| &mut runtime.nonmoving.marks, [marked]);
    let swept = CollectorPhase { start: at(700), end: at(710) };
    builder.runtime_entries(|runtime| &mut runtime.nonmoving.sweeps, [swept]);
    builder.block_census(at(710), BlockCensus { size: 16, active: 1, filled: 1, live: 1926 });
    let profile = builder.finish();
    let activity = Activity::new(&Slice::whole(&profile));
    let chart = Chart::of_profile(&profile, &RankOptions::default());
    chart.with(Additions { activity, ..Additions::default() })
}

fn options(panels: &[PanelKind]) -> DrawOptions {
    DrawOptions { panels: panels.to_vec(), ..DrawOptions::default() }
}

fn groups<'a>(items: &'a [Item], class: &str, found: &mut Vec<&'a Group>) {
    for item in items {
        if let Item::Group(group) = item {
            if group.class == class {
                found.push(group);
            }
            groups(&group.items, class, found);
        }
    }
}

fn curve<'a>(scene: &'a Scene, id: &str) -> &'a Group {
    let mut found = Vec::new();
    groups(&scene.items, "panel", &mut found);
    found.into_iter().find(|group| group.id.as_deref() == Some(id)).expect(id)
}

/// The highest place of a group's areas, as a part of a frame's height.
fn height(group: &Group, frame: PixelFrame) -> f64 {
    let tops = group.items.iter().filter_map(|item| match item {
        Item::Area(area) => area.points.iter().map(|point| point.y).reduce(f64::min),
        _ => None,
    });
    let top = tops.reduce(f64::min).expect("an area");
    (frame.bottom - top) / (frame.bottom - frame.top)
}

#[test]
fn the_height_of_a_pause_is_its_duration() {
    let (chart, options) = (chart(9), options(&[PanelKind::Gc]));
    let parts = PictureParts::new(&chart, &options);
    let frame = Layout::new(&parts).panels[0];
    let top = parts.panels.panels[0].axis.top as f64;
    let scene = draw::chart(&chart, &options);
    for (id, longest) in [("panel-pauses-0", 40), ("panel-pauses-1", 100)] {
        let found = height(curve(&scene, id), frame) * top;
        assert!((found / (longest * MS) as f64 - 1.0).abs() < 0.01, "{id}: {found}");
    }
    let said = curve(&scene, "panel-pauses-0").title.clone().unwrap();
    assert!(said.contains("3 collections, 70 ms, longest 40 ms"), "{said}");
}

#[test]
fn panels_are_drawn_alone_if_there_are_no_samples() {
    let (chart, options) = (chart(0), options(&[]));
    let layout = Layout::new(&PictureParts::new(&chart, &options));
    assert!(!layout.plot_is_shown() && !layout.panels.is_empty());
    let scene = draw::chart(&chart, &options);
    assert!(scene.height < 700.0, "{}", scene.height);
}

#[test]
fn missing_data_is_reported() {
    let options = options(&[PanelKind::Gc]);
    let bare = crate::chart::testing::wavy(3, 10);
    let layout = Layout::new(&PictureParts::new(&bare, &options));
    assert!(layout.panels.is_empty() && layout.notes[0].contains("-l-agu"));
}
