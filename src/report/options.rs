//! What a caller says about a report.

use crate::analysis::Analysis;
use crate::chart::Chart;
use crate::chart::columns::ColumnKind;
use crate::draw::{HeapLines, MarkerChoice, Palette, Scale, TitleOptions, View, XAxis};
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
    /// What the horizontal axis counts. Default time.
    pub x: XAxis,
    /// Ends of the axes that are not the chart's own; each cuts or enlarges its axis. Default none.
    pub scale: Scale,
    /// What is drawn of samples that are closer than some pixels. Default their mean.
    pub columns: ColumnKind,
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
    /// What is said about a better run or file; ask for it before a profile is narrowed. Default
    /// none.
    pub advice: Vec<Advice>,
    /// What the page is called, and what stands below it. Default the chart's title and facts.
    pub heading: TitleOptions,
    /// Whether it says what grows. Default it does.
    pub verdict: VerdictChoice,
    /// Where sources are read: an address with `{file}` and `{line}` in it. Places in the page
    /// become links to it. Default none.
    pub source_url: Option<String>,
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
