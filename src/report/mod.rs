//! The interactive report: one HTML file that shows everything the chart shows, and lets a reader
//! look closer. It loads nothing, runs from a disk, and allows no script but its own.
//!
//! The page is a fixed shell (`templates/report.html`, its style and scripts) around two *islands*
//! of data: columns of variable-length integers, deflated, and written in 85 harmless characters.
//! That is what keeps 25 000 bands below a megabyte, and it is also why a name can never be read
//! as HTML: no text of a profile is in the page as text.
//!
//! What is exact and what is not is decided in `budget.rs`: the drawn layers, the total and every
//! figure of every band are; the curve of a small band may be thinned, which the page then says.

mod bands;
mod budget;
mod columns;
mod facts;
mod figures;
mod island;
mod page;
mod provenance;
mod sha256;
mod thinned;

pub use island::Islands;
pub use page::{live_policy, shell};

use crate::chart::Chart;
use crate::draw::{HeapLines, MarkerChoice, Palette, View};
use crate::profile::Advice;
use crate::scene::Theme;
use crate::slice::Slice;
use crate::units::UnitSystem;

/// How a report begins; its reader can change all of it but the colours of the bands.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReportOptions {
    /// How bands are drawn. Default stacked.
    pub view: View,
    /// The units of amounts of memory. Default binary.
    pub units: UnitSystem,
    /// What bands are painted with. Default vivid; a screen has no need of patterns, which give
    /// greys here.
    pub palette: Palette,
    /// The colours of the page; `None` leaves them to the reader's preference. Default `None`.
    pub theme: Option<Theme>,
    /// Which of the run-time system's own figures are drawn. Default auto, as in pictures.
    pub heap_lines: HeapLines,
    /// Which markers there are in it, and whether its messages are drawn at first. Default all, and
    /// not.
    pub markers: MarkerChoice,
    /// Advice on a better run or file; ask for it before a profile is narrowed. Default
    /// none.
    pub advice: Vec<Advice>,
    /// What the page is called. Default the chart's title.
    pub title: Option<String>,
}

setters!(ReportOptions {
    with_view(view: View),
    with_units(units: UnitSystem),
    with_palette(palette: Palette),
    with_theme(theme: Option<Theme>),
    with_heap_lines(heap_lines: HeapLines),
    with_markers(markers: MarkerChoice),
    with_advice(advice: Vec<Advice>),
    with_title(title: Option<String>),
});

/// The report of a slice as a whole HTML file.
///
/// `chart` is the chart of the same slice. Nothing of the rows that do not take part is in the page
/// but what the chart's notes say. Amounts beyond 2^53 - 1 bytes, which JavaScript cannot hold, are
/// held there.
pub fn write(slice: &Slice<'_>, chart: &Chart, options: &ReportOptions) -> String {
    islands(slice, chart, options).page()
}

/// The data of that report alone, for a page that is served and gets new data while a program runs.
pub fn islands(slice: &Slice<'_>, chart: &Chart, options: &ReportOptions) -> Islands {
    let facts = facts::facts(slice, chart, options);
    budget::islands(slice, chart, &facts, options)
}

/// The digest of the one script of a report, as content security policies write it:
/// `'sha256-...'`. A page that shows reports in a frame must allow this script, because a frame
/// without an address of its own is under the policy of the page around it.
pub fn script_digest() -> &'static str {
    page::script_digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing::{Recipe, names, times};
    use crate::draw::MarkerPattern;
    use crate::profile::Breakdown;
    use crate::rank::{RankOptions, rank};

    fn page(recipe: &Recipe<'_>, options: &ReportOptions) -> String {
        let profile = recipe.profile(|band, sample| (1000 * (band + 1) + 8 * sample) as u64);
        let slice = Slice::whole(&profile);
        let chart = Chart::of(&slice, rank(&slice, &recipe.rank));
        write(&slice, &chart, options)
    }

    #[test]
    fn nothing_of_a_profile_stands_in_the_page_as_text() {
        let hostile = [
            "</script><script>alert(1)</script>",
            "<!-- <script>",
            "\u{2028}\u{2029}",
            "' onerror='x",
            "]]>",
        ];
        let names: Vec<String> = hostile.iter().map(|name| name.to_string()).collect();
        let recipe = Recipe {
            job: "</title><script>alert(2)</script> &amp;",
            names: &names,
            times: &times(4),
            markers: &[(30_000_000, "</script>")],
            ..Recipe::default()
        };
        let with = page(&recipe, &ReportOptions::default());
        assert!(!with.contains("alert(") && !with.contains("onerror"), "a label is in the page");
        let plain = Recipe { job: "prog", names: &["a".into()], markers: &[], ..recipe };
        let plain = page(&plain, &ReportOptions::default());
        let count = |page: &str, what: &str| page.matches(what).count();
        for mark in ["<script", "</script", "<!--", "<style", "\u{2028}", "<title"] {
            assert_eq!(count(&with, mark), count(&plain, mark), "{mark}");
        }
    }

    #[test]
    fn the_same_profile_gives_the_same_bytes() {
        let (names, times) = (names(40), times(300));
        let recipe = Recipe { names: &names, times: &times, ..Recipe::default() };
        let options = ReportOptions::default();
        assert_eq!(page(&recipe, &options), page(&recipe, &options));
    }

    #[test]
    fn odd_profiles_have_reports() {
        let few = names(2);
        for (names, times) in [(&few[..], vec![]), (&few[..], vec![5]), (&few[..0], times(3))] {
            for breakdown in [Breakdown::CostCentre, Breakdown::InfoTable, Breakdown::Retainer] {
                let rank = RankOptions::default();
                let recipe = Recipe { names, times: &times, breakdown, rank, ..Recipe::default() };
                assert!(page(&recipe, &ReportOptions::default()).ends_with("</html>\n"));
            }
        }
        let recipe = Recipe { names: &few, times: &[i64::MIN, 0, i64::MAX], ..Recipe::default() };
        let profile = recipe.profile(|_, _| u64::MAX);
        let slice = Slice::whole(&profile);
        let chart = Chart::of(&slice, rank(&slice, &RankOptions::default()));
        let page = write(&slice, &chart, &ReportOptions::default());
        assert!(page.ends_with("</html>\n"));
    }

    #[test]
    fn markers_that_are_not_wanted_are_not_in_the_page() {
        let (names, times) = (["a".to_owned()], times(3));
        let with = |markers: &[(i64, &str)], pattern: MarkerPattern| {
            let mut options = ReportOptions::default();
            options.markers.pattern = pattern;
            page(&Recipe { names: &names, times: &times, markers, ..Recipe::default() }, &options)
        };
        let both = [(1, "begin"), (2, "end")];
        assert_eq!(with(&both, MarkerPattern::None), with(&[], MarkerPattern::All));
        let some: MarkerPattern = "beg".parse().expect("a pattern");
        assert_eq!(with(&both, some), with(&both[..1], MarkerPattern::All));
        assert_ne!(with(&both, MarkerPattern::All), with(&[], MarkerPattern::All));
    }
}
