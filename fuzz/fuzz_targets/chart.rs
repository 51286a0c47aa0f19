//! Any bytes, from input to output: the picture is well-formed, the numbers are JSON, and nothing
//! of the heap is lost between the bands and the chart.
#![no_main]

use std::num::NonZeroUsize;

use heapviz::base::pattern::Pattern;
use heapviz::chart::Chart;
use heapviz::draw::{self, DrawOptions};
use heapviz::export;
use heapviz::input::{InputOptions, read_drawable};
use heapviz::profile_view::{ProfileView, ViewOptions};
use heapviz::render::{SvgOptions, svg};
use heapviz::report::{self, ReportOptions};
use heapviz::slice::rank::{RankOptions, Ranking, SortKey};
use heapviz::slice::{Slice, SliceOptions};
use heapviz_fuzz::{Choices, Pieces};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

/// A pattern, sometimes.
fn pattern(choices: &mut Choices, text: &str) -> Vec<Pattern> {
    if choices.below(4) > 0 {
        return Vec::new();
    }
    vec![text.parse().unwrap()]
}

fn rank_options(choices: &mut Choices) -> RankOptions {
    let mut options = RankOptions::default();
    options.trace_percent = [1.0, 0.0, 0.1, 50.0, 100.0][choices.below(5)];
    options.band_limit = NonZeroUsize::new([20, 0, 1, 2, 5][choices.below(5)]);
    let keys = [SortKey::Total, SortKey::Deviation, SortKey::Name, SortKey::NameDescending];
    options.sort = keys[choices.below(4)];
    options
}

fn slice_options(choices: &mut Choices) -> SliceOptions {
    let mut options = SliceOptions::default();
    options.selection.include = pattern(choices, "[a-m]");
    options.selection.exclude = pattern(choices, "[e-h]$");
    options
}

fn assert_partition(slice: &Slice<'_>, ranking: &Ranking) {
    let lists = [&ranking.kept, &ranking.other, &ranking.trace, &ranking.excluded];
    let mut all: Vec<_> = lists.into_iter().flatten().copied().collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(slice.rows()), "not a partition of the rows");
}

/// Rows, trace elements and excluded bands together are the whole, in every sample. Rows end at 2^64 - 1.
fn assert_sums(slice: &Slice<'_>, ranking: &Ranking, chart: &Chart) {
    let mut is_left_out = vec![false; slice.rows().len()];
    let left_out = ranking.trace.iter().chain(&ranking.excluded);
    left_out.for_each(|row| is_left_out[row.index()] = true);
    for sample in 0..slice.len() {
        let mut left_out = 0u128;
        slice.each_point(sample, |row, size| {
            if is_left_out[row.index()] {
                left_out += u128::from(size.get());
            }
        });
        let total = chart.total[sample];
        let heights = chart.layers.iter().map(|layer| u128::from(layer.residency[sample].get()));
        let sum = heights.sum::<u128>() + left_out;
        assert!(sum == total || total > u128::from(u64::MAX), "{sum} of {total}");
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    heapviz_fuzz::mutate(data, size, max_size, seed)
});

fuzz_target!(|data: &[u8]| {
    let Ok(profile) = read_drawable(Pieces::of(data), &InputOptions::default()) else { return };
    let mut choices = Choices::of(data);
    let mut options = ViewOptions::default();
    options.rank = rank_options(&mut choices);
    options.slice = slice_options(&mut choices);
    let run = ProfileView::new(&profile, &options).unwrap();
    let (slice, ranking, chart) = (run.slice(), run.ranking(), run.chart());
    assert_partition(slice, ranking);
    assert_sums(slice, ranking, chart);
    let picture = svg(&draw::chart(chart, &DrawOptions::default()), &SvgOptions::default());
    if let Err(error) = roxmltree::Document::parse(&picture) {
        panic!("{error}");
    }
    let json = export::json::write(&run);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["times_ns"].as_array().unwrap().len(), profile.samples().len());
    // Compressing costs a hundred times what the rest does.
    if Choices::of(data).below(64) == 0 {
        let page = report::write(&run, &ReportOptions::default());
        assert!(page.ends_with("</html>\n"));
    }
    let csv = export::csv::write(chart);
    assert!(csv.lines().count() > profile.samples().len());
});
