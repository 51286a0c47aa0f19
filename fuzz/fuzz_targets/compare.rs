//! Any bytes as two runs, of which the second is a part of the same bytes, with any grouping,
//! redacted or not: no panic, all figures are numbers, the picture is well-formed, and a run
//! compared with itself has no difference.
#![no_main]

use heapviz::chart::pair::{ChangeWords, Pair, PairSide, charts};
use heapviz::compare::{Change, Comparison, compare};
use heapviz::draw::{self, DrawOptions};
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::render::{SvgOptions, svg};
use heapviz::slice::{Grouping, Part, Privacy, Slice, SliceOptions};
use heapviz_fuzz::Choices;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fn options(choices: &mut Choices) -> SliceOptions {
    let groupings = [
        Grouping::Auto,
        Grouping::None,
        Grouping::By(Part::Package),
        Grouping::By(Part::Module),
        Grouping::By(Part::CostCentre),
    ];
    let mut options = SliceOptions::default();
    options.grouping = groupings[choices.below(groupings.len())].clone();
    options.privacy = [Privacy::Show, Privacy::Redact][choices.below(2)];
    options
}

fn assert_picture(slices: [&Slice<'_>; 2], comparison: &Comparison) {
    let bands: Vec<String> = comparison.bands.rows.iter().map(|row| row.identity.clone()).collect();
    let sides =
        charts(slices, &bands).map(|chart| PairSide { words: vec!["run".to_owned()], chart });
    let pair = Pair {
        title: String::new(),
        headline: "".into(),
        mark: None,
        facts: Vec::new(),
        notes: Vec::new(),
        changes: sides[0].chart.layers.iter().map(|_| ChangeWords::default()).collect(),
        sides,
    };
    let scene = draw::pair(&pair, &DrawOptions::default());
    if let Err(error) = roxmltree::Document::parse(&svg(&scene, &SvgOptions::default())) {
        panic!("{error}");
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    heapviz_fuzz::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let input = InputOptions::default();
    let Ok(before) = read_drawable(data, &input) else { return };
    let mut choices = Choices::of(data);
    let mut run_options = ViewOptions::default();
    run_options.slice = options(&mut choices);
    let before = ProfileView::new(&before, &run_options).unwrap();
    let same = compare(&[&before], &[&before]).expect("one break-down");
    assert!(same.bands.rows.iter().all(|row| row.before == row.after));
    assert!(same.figures.iter().all(|row| matches!(row.change, Change::Same | Change::Open)));
    assert!(same.bands.matched_percent > 99.0, "{}", same.bands.matched_percent);
    let Ok(after) = read_drawable(&data[..choices.below(data.len())], &input) else { return };
    let after = ProfileView::new(&after, &run_options).unwrap();
    let Ok(comparison) = compare(&[&before], &[&after]) else { return };
    for row in &comparison.bands.rows {
        assert!(row.before.is_finite() && row.after.is_finite(), "{row:?}");
    }
    serde_json::to_string(&comparison).unwrap();
    if before.slice().clock() == after.slice().clock() {
        assert_picture([before.slice(), after.slice()], &comparison);
    }
});
