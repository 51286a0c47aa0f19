//! The options of a report.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::sentence::Sentence;
use crate::draw::DrawOptions;
use crate::picture::Theme;
use crate::profile_view::ProfileView;
use crate::tree::Weight;

/// The initial view of a report; its reader can change all of it except the colours of the bands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportOptions {
    /// How its chart is drawn. Sizes, the place of the key and panels have no effect. Default as pictures are.
    pub draw: DrawOptions,
    /// The theme of the page; `None` follows the reader's preference. Default `None`.
    pub theme: Option<Theme>,
    /// The address of sources, with `{file}` and `{line}` in it. Places in the page become links to
    /// it. Default none.
    pub source_url: Option<String>,
    /// What its tree of stacks counts at first, if it has one. Default: chosen by the page.
    pub weight: Option<Weight>,
    /// The flags of the command that makes it, each followed by its values: the commands of its views have those that
    /// the reader does not change. Default none.
    #[doc(hidden)]
    pub flags: Vec<Vec<String>>,
    /// What stands before everything else. Default nothing.
    #[doc(hidden)]
    pub lead: Vec<LeadLine>,
    /// What its badge says in place of the grade. Default none.
    #[doc(hidden)]
    pub badge: Option<String>,
    /// Lines of source by their places, `file:line:column`. Default none.
    #[doc(hidden)]
    pub source_lines: BTreeMap<String, String>,
}

/// A line before everything else on a page: a step from what leaks to who holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[doc(hidden)]
pub struct LeadLine {
    pub words: Sentence,
    /// Where that is in the source, `file:line:column`, if that is known.
    pub place: Option<String>,
    /// The share of what grew, in percent.
    pub share_percent: Option<f64>,
    /// The line of source there, with its number.
    pub source: Option<String>,
}

/// One run of a report.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ReportRun<'a> {
    /// The label of its tab, if a report has several.
    pub name: &'a str,
    /// The run that the page shows.
    pub run: &'a ProfileView<'a>,
    /// The view with which the page begins.
    pub options: &'a ReportOptions,
}

impl<'a> ReportRun<'a> {
    /// The label of its tab, the run, and the initial view.
    pub fn new(name: &'a str, run: &'a ProfileView<'a>, options: &'a ReportOptions) -> Self {
        ReportRun { name, run, options }
    }
}
