//! What a caller says about a report.

use crate::analysis::Analysis;
use crate::chart::Chart;
use crate::chart::columns::ColumnKind;
use crate::draw::{HeapLines, MarkerChoice, Palette, Scale, TitleOptions, View, XAxis};
use crate::profile::Advice;
use crate::scene::Theme;
use crate::slice::Slice;
use crate::tree::{Direction, Weight};
use crate::units::UnitSystem;

/// The initial view of a report; its reader can change all of it except the colours of the bands.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReportOptions {
    /// How bands are drawn. Default stacked.
    pub view: View,
    /// What the horizontal axis counts. Default time.
    pub x: XAxis,
    /// Ends of the axes, if they differ from the chart's own; each cuts or enlarges its axis.
    /// Default none.
    pub scale: Scale,
    /// How samples that are closer than a few pixels are drawn. Default: their mean.
    pub columns: ColumnKind,
    /// The units of amounts of memory. Default binary.
    pub units: UnitSystem,
    /// The palette of bands. Default vivid; patterns become greys, because a screen does not need
    /// patterns.
    pub palette: Palette,
    /// The theme of the page; `None` follows the reader's preference. Default `None`.
    pub theme: Option<Theme>,
    /// Which of the run-time system's own figures are drawn. Default auto, as in pictures.
    pub heap_lines: HeapLines,
    /// Which markers it has, and whether its messages are drawn at first. Default: all markers, and
    /// no messages.
    pub markers: MarkerChoice,
    /// Advice about a better run or file; compute it before a profile is narrowed. Default none.
    pub advice: Vec<Advice>,
    /// The title of the page, and the line below it. Default: the chart's title and facts.
    pub heading: TitleOptions,
    /// Whether it says what grows. Default it does.
    pub verdict: VerdictChoice,
    /// The address of sources, with `{file}` and `{line}` in it. Places in the page become links to
    /// it. Default none.
    pub source_url: Option<String>,
    /// How its tree of stacks begins, where it has one. Default: as the page sees fit.
    pub tree: TreeStart,
}

setters!(ReportOptions {
    with_view(view: View),
    with_x(x: XAxis),
    with_scale(scale: Scale),
    with_columns(columns: ColumnKind),
    with_units(units: UnitSystem),
    with_palette(palette: Palette),
    with_theme(theme: Option<Theme>),
    with_heap_lines(heap_lines: HeapLines),
    with_markers(markers: MarkerChoice),
    with_advice(advice: Vec<Advice>),
    with_heading(heading: TitleOptions),
    with_verdict(verdict: VerdictChoice),
    with_source_url(source_url: Option<String>),
    with_tree(tree: TreeStart),
});

/// How the tree of stacks of a report begins; its reader can change all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeStart {
    /// What it counts: live bytes, time or allocation. Default: the first of these that the input has.
    pub weight: Option<Weight>,
    /// Where it begins. Default: from the callers.
    pub direction: Direction,
    /// A regular expression that cost centres are searched for. Default none.
    pub search: Option<String>,
}

setters!(TreeStart {
    with_weight(weight: Option<Weight>),
    with_direction(direction: Direction),
    with_search(search: Option<String>),
});

/// Whether a report says what grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerdictChoice {
    /// On top of the page.
    #[default]
    Show,
    /// Nowhere.
    Hide,
}

/// One run of a report.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReportRun<'a> {
    /// What its tab is called, where a report has several.
    pub name: &'a str,
    /// What is looked at.
    pub slice: &'a Slice<'a>,
    /// The chart of the slice.
    pub chart: &'a Chart,
    /// The analysis of the slice.
    pub analysis: &'a Analysis,
    /// How it begins.
    pub options: &'a ReportOptions,
}

impl<'a> ReportRun<'a> {
    /// A run: what its tab is called, what is looked at, its chart and its analysis, and how the
    /// report begins.
    pub fn new(
        name: &'a str,
        slice: &'a Slice<'a>,
        chart: &'a Chart,
        analysis: &'a Analysis,
        options: &'a ReportOptions,
    ) -> Self {
        ReportRun { name, slice, chart, analysis, options }
    }
}
