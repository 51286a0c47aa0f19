//! The interactive report: one HTML file that shows everything the chart shows, and lets a reader
//! explore it. It loads nothing, works from a disk, and allows only its own script.
//!
//! The page is a fixed shell (`templates/report.html`, its style and scripts) around an *island* of
//! data for each run: a JSON document, deflated, in Base 64. So a name can never be parsed as HTML: the page contains
//! no text of a profile as plain text.
//!
//! The page shows what the library computed. `data.rs` is the document, and says how much of a run is in it.

mod band_table;
mod call_data;
mod data;
mod facts;
mod island;
mod numbers;
mod page;
mod page_options;
mod run_data;
#[cfg(test)]
mod shell;
mod stack_data;

#[doc(hidden)]
pub use page::{Island, live_policy, script_digests, shell};
pub use page_options::{LeadLine, ReportOptions, ReportRun};
#[doc(hidden)]
pub use stack_data::has_stacks;

use crate::base::parallel;
use crate::compare::Comparison;
use crate::draw::{self, DrawOptions};
use crate::picture::Scene;
use crate::profile_view::ProfileView;
use facts::ComparedSide;

/// The most rows of a run of which data and picture are made at the same time.
const FEW_ROWS: usize = 5_000;

/// The report of a run as one complete HTML file.
///
/// Of the rows that do not take part, the page contains only what the chart's notes say. Amounts beyond
/// 2^53 - 1 bytes, which JavaScript cannot represent exactly, are rounded; sums beyond 2^64 - 1 are set to that
/// value, and the page says so.
pub fn write(run: &ProfileView<'_>, options: &ReportOptions) -> String {
    write_runs(&[ReportRun { name: "", run, options }])
}

#[doc(hidden)]
/// Only the data of that report, for a served page that receives new data while a program runs.
pub fn island(run: &ProfileView<'_>, options: &ReportOptions) -> Island {
    data::island(&ReportRun { name: "", run, options }, 1, None)
}

/// What a page shows of a run before its script has drawn.
pub fn first_paint(run: &ProfileView<'_>, options: &ReportOptions) -> String {
    let DrawOptions { width, height, key, panels, .. } = DrawOptions::default();
    let draw = DrawOptions { width, height, key, panels, ..options.draw.clone() };
    page::first_paint(&draw::chart(run.picture(), &draw), options.theme)
}

/// The report of several runs as one complete HTML file, with a tab for each. Before its script has run, it shows the
/// picture of the last one.
pub fn write_runs(runs: &[ReportRun<'_>]) -> String {
    let islands = || runs.iter().map(|run| data::island(run, runs.len(), None)).collect();
    let picture =
        || runs.last().map_or_else(String::new, |last| first_paint(last.run, last.options));
    page(runs, islands, picture)
}

/// The report of two runs, before and after, as one complete HTML file: a report of several runs together
/// with their comparison. The runs must be those of `comparison`. Before its script has run, it shows `picture`, if it has one.
pub fn write_comparison(
    runs: [ReportRun<'_>; 2],
    comparison: &Comparison,
    picture: Option<&Scene>,
) -> String {
    let names = runs.map(|run| run.name);
    let island = |run: ReportRun<'_>| {
        let compared = ComparedSide::new(comparison, names, run.run.slice());
        data::island(&run, 2, Some(&compared))
    };
    let theme = runs[1].options.theme;
    page(
        &runs,
        || runs.map(island).to_vec(),
        || picture.map_or_else(String::new, |picture| page::first_paint(picture, theme)),
    )
}

/// The page of some runs. Its data and its picture are made at the same time, if that takes little memory.
fn page(
    runs: &[ReportRun<'_>],
    islands: impl FnOnce() -> Vec<Island>,
    picture: impl Fn() -> String + Sync,
) -> String {
    let is_small = runs.iter().all(|it| it.run.slice().rows().len() <= FEW_ROWS);
    let (islands, picture) = parallel::join(is_small, islands, picture);
    page::of_runs(&picture, &islands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing::Recipe;
    use crate::draw::MarkerPattern;
    use crate::profile::Profile;
    use crate::profile_view::ViewOptions;
    use crate::slice::rank::RankOptions;

    fn written(profile: &Profile, rank: &RankOptions, options: &ReportOptions) -> String {
        let run_options = ViewOptions { rank: rank.clone(), ..ViewOptions::default() };
        write(&ProfileView::new(profile, &run_options).expect("all of it"), options)
    }

    fn page(recipe: &Recipe<'_>, options: &ReportOptions) -> String {
        let profile = recipe.profile(|band, sample| (1000 * (band + 1) + 8 * sample) as u64);
        written(&profile, &recipe.rank, options)
    }

    #[test]
    fn the_page_contains_no_text_of_a_profile() {
        let hostile = [
            "</script><script>alert(1)</script>",
            "<!-- <script>",
            "\u{2028}\u{2029}",
            "' onerror='x",
            "]]>",
        ];
        let recipe = Recipe {
            job: "</title><script>alert(2)</script> &amp;",
            names: hostile.map(str::to_owned).to_vec(),
            markers: &[(30_000_000, "</script>")],
            ..Recipe::of(0, 4)
        };
        let with = page(&recipe, &ReportOptions::default());
        assert!(!with.contains("alert(") && !with.contains("onerror"), "a label is in the page");
        let plain = Recipe { job: "prog", names: vec!["a".into()], markers: &[], ..recipe };
        let plain = page(&plain, &ReportOptions::default());
        let count = |page: &str, what: &str| page.matches(what).count();
        for mark in ["<script", "</script", "<!--", "<style", "\u{2028}", "<title"] {
            assert_eq!(count(&with, mark), count(&plain, mark), "{mark}");
        }
    }

    #[test]
    fn unselected_markers_are_not_in_the_page() {
        let with = |markers: &[(i64, &str)], pattern: MarkerPattern| {
            let mut options = ReportOptions::default();
            options.draw.markers.pattern = pattern;
            page(&Recipe { markers, ..Recipe::of(1, 3) }, &options)
        };
        let both = [(1, "begin"), (2, "end")];
        assert_eq!(with(&both, MarkerPattern::None), with(&[], MarkerPattern::All));
        let some: MarkerPattern = "beg".parse().expect("a pattern");
        assert_eq!(with(&both, some.clone()), with(&both[..1], some));
        assert_ne!(with(&both, MarkerPattern::All), with(&[], MarkerPattern::All));
    }
}
