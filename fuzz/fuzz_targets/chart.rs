//! Any bytes end to end: the picture is well-formed, the numbers are JSON, and nothing of the heap
//! is lost between the bands and the chart.
#![no_main]

use std::num::NonZeroUsize;

use heapviz::chart::Chart;
use heapviz::export;
use heapviz::input::{InputOptions, read_drawable};
use heapviz::pattern::Pattern;
use heapviz::profile::Profile;
use heapviz::rank::{Direction, RankOptions, Ranking, Selection, SortKey, TraceElements, rank};
use heapviz::render::{SvgOptions, svg};
use heapviz::report::{self, ReportOptions};
use heapviz::draw::{self, DrawOptions};
use heapviz_fuzz::{Choices, Pieces};
use libfuzzer_sys::fuzz_target;

/// A pattern, sometimes.
fn pattern(choices: &mut Choices, text: &str) -> Vec<Pattern> {
    if choices.below(4) > 0 {
        return Vec::new();
    }
    vec![text.parse().unwrap()]
}

fn options(choices: &mut Choices) -> RankOptions {
    let one_of = |choices: &mut Choices| choices.below(2) == 0;
    RankOptions {
        trace_percent: [1.0, 0.0, 0.1, 50.0, 100.0][choices.below(5)],
        band_limit: NonZeroUsize::new([20, 0, 1, 2, 5][choices.below(5)]),
        sort: [SortKey::Total, SortKey::Deviation, SortKey::Name, SortKey::NameDescending]
            [choices.below(4)],
        direction: if one_of(choices) { Direction::AsSorted } else { Direction::Reversed },
        trace_elements: if one_of(choices) { TraceElements::Drop } else { TraceElements::Fold },
        selection: Selection {
            include: pattern(choices, "[a-m]"),
            exclude: pattern(choices, "[e-h]$"),
        },
    }
}

fn assert_partition(profile: &Profile, ranking: &Ranking) {
    let lists = [&ranking.kept, &ranking.other, &ranking.trace, &ranking.excluded];
    let mut all: Vec<_> = lists.into_iter().flatten().copied().collect();
    all.sort_unstable();
    assert!(all.into_iter().eq(profile.bands.ids()), "not a partition of the bands");
}

/// Rows, trace elements and excluded bands together are the whole, in every sample. Rows end at 2^64 - 1.
fn assert_sums(profile: &Profile, ranking: &Ranking, chart: &Chart) {
    let mut is_left_out = vec![false; profile.bands.len()];
    let left_out = ranking.trace.iter().chain(&ranking.excluded);
    left_out.for_each(|band| is_left_out[band.index()] = true);
    for sample in 0..profile.samples.len() {
        let left_out: u128 = profile
            .samples
            .points(sample)
            .filter(|(band, _)| is_left_out[band.index()])
            .map(|(_, size)| u128::from(size.get()))
            .sum();
        let total = chart.total[sample];
        let sum = chart.drawn(sample) + left_out;
        assert!(sum == total || total > u128::from(u64::MAX), "{sum} of {total}");
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(profile) = read_drawable(Pieces::of(data), &InputOptions::default()) else { return };
    let ranking = rank(&profile, &options(&mut Choices::of(data)));
    assert_partition(&profile, &ranking);
    let chart = Chart::new(&profile, &ranking);
    assert_sums(&profile, &ranking, &chart);
    let picture = svg(&draw::chart(&chart, &DrawOptions::default()), &SvgOptions::default());
    if let Err(error) = roxmltree::Document::parse(&picture) {
        panic!("{error}");
    }
    let json: serde_json::Value = serde_json::from_str(&export::json::write(&chart)).unwrap();
    assert_eq!(json["times_ns"].as_array().unwrap().len(), profile.samples.len());
    // Compressing costs a hundred times what the rest does.
    if Choices::of(data).below(64) == 0 {
        let page = report::write(&profile, &ranking, &chart, &ReportOptions::default());
        assert!(page.ends_with("</html>\n"));
    }
    let csv = export::csv::write(&chart);
    assert!(csv.lines().count() > profile.samples.len());
});
