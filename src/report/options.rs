//! The options of a report.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::sentence::Sentence;
use crate::base::units::UnitSystem;
use crate::chart::columns::ColumnKind;
use crate::draw::{HeapLines, MarkerChoice, Palette, Scale, TitleOptions, View, XAxis};
use crate::picture::Theme;
use crate::profile::Advice;
use crate::run::{Run, VerdictChoice};
use crate::tree::{Direction, Weight};

/// The initial view of a report; its reader can change all of it except the colours of the bands.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReportOptions {
    /// How bands are drawn. Default stacked.
    pub view: View,
    /// The unit of the horizontal axis. Default time.
    pub x: XAxis,
    /// Ends of the axes, if they differ from the chart's own; each cuts or enlarges its axis.
    /// Default none.
    pub scale: Scale,
    /// How samples that are closer than a few pixels are drawn. Default: their mean.
    pub columns: ColumnKind,
    /// The units of amounts of memory. Default binary.
    pub units: UnitSystem,
    /// The palette of bands. Default vivid.
    pub palette: Palette,
    /// The theme of the page; `None` follows the reader's preference. Default `None`.
    pub theme: Option<Theme>,
    /// Which of the run-time system's own figures are drawn. Default auto, as in the pictures.
    pub heap_lines: HeapLines,
    /// Which markers it has, and whether its messages are drawn at first. Default: all markers, and
    /// no messages.
    pub markers: MarkerChoice,
    /// Advice about a better run or file; compute it before a profile is narrowed. Default none.
    pub advice: Vec<Advice>,
    /// The title of the page, and the line below it. Default: the chart's title and facts.
    pub heading: TitleOptions,
    /// Whether it shows the verdict. Default it does.
    pub verdict: VerdictChoice,
    /// The address of sources, with `{file}` and `{line}` in it. Places in the page become links to
    /// it. Default none.
    pub source_url: Option<String>,
    /// The initial view of its tree of stacks, if it has one. Default: chosen by the page.
    pub tree: TreeStart,
    /// What stands before everything else. Default nothing.
    #[doc(hidden)]
    pub lead: Vec<LeadLine>,
    /// Lines of source by their places, `file:line:column`. Default none.
    #[doc(hidden)]
    pub source_lines: BTreeMap<String, String>,
    /// The name of the file that it shows, without its folders: a command for a view names it.
    /// Default none.
    #[doc(hidden)]
    pub file: Option<String>,
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
    with_lead(lead: Vec<LeadLine>),
    with_source_lines(source_lines: BTreeMap<String, String>),
    with_file(file: Option<String>),
});

/// A line before everything else on a page: a step from what leaks to who holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[doc(hidden)]
pub struct LeadLine {
    pub words: Sentence,
    /// Where that is in the source, `file:line:column`, if that is known.
    pub place: Option<String>,
    /// Its share of what grew, in percent.
    pub share_percent: Option<f64>,
    /// The line of source there, with its number.
    pub source: Option<String>,
}

/// The initial view of a report's tree of stacks; its reader can change all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeStart {
    /// Its weight: live bytes, time or allocation. Default: the first of these that the input has.
    pub weight: Option<Weight>,
    /// Its direction. Default: from the callers.
    pub direction: Direction,
    /// A regular expression to search for among the cost centres. Default none.
    pub search: Option<String>,
}

setters!(TreeStart {
    with_weight(weight: Option<Weight>),
    with_direction(direction: Direction),
    with_search(search: Option<String>),
});

/// One run of a report.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ReportRun<'a> {
    /// The label of its tab, if a report has several.
    pub name: &'a str,
    /// What it shows.
    pub run: &'a Run<'a>,
    /// The initial view.
    pub options: &'a ReportOptions,
}

impl<'a> ReportRun<'a> {
    /// The label of its tab, the run, and the initial view.
    pub fn new(name: &'a str, run: &'a Run<'a>, options: &'a ReportOptions) -> Self {
        ReportRun { name, run, options }
    }
}
