//! Which flags have an effect on which documents in which formats, for every verb.
//!
//! A flag that was given and that nothing written uses gets a note rather than an error, so that a script
//! can give the same flags for every format.

use std::collections::BTreeMap;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::{DocumentKind, Format, Message};
use crate::chart::{HeapSeriesKind, MarkerKind};
use crate::draw::{DrawOptions, HeapLines, MarkerPattern, Messages, XAxis, has_panels};
use crate::profile::Clock;
use crate::profile_view::ProfileView;
use crate::report::has_stacks;
use crate::slice::Privacy;
use crate::tree::Weight;

/// The arguments that were given: their names in clap, and the values of those that have any.
#[derive(Clone, Debug, Default)]
pub struct GivenFlags(Vec<(String, Vec<String>)>);

impl GivenFlags {
    pub fn new(matches: &ArgMatches) -> Self {
        let given =
            |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let of = |id: &clap::Id| {
            let is_set = matches.try_get_one::<bool>(id.as_str()).is_ok();
            let values = matches.get_raw(id.as_str()).filter(|_| !is_set).into_iter().flatten();
            let values = values.map(|value| value.to_string_lossy().into_owned());
            (id.to_string(), values.collect())
        };
        GivenFlags(matches.ids().filter(given).map(of).collect())
    }

    pub fn has(&self, id: &str) -> bool {
        self.0.iter().any(|(given, _)| given == id)
    }

    /// Some of the flags, with their values, as they were given; `None` if none of them was.
    pub fn as_written(&self, ids: &[&str]) -> Option<String> {
        let given = ids.iter().filter_map(|id| self.0.iter().find(|(given, _)| given == id));
        let words = given.map(|(id, values)| format!("--{id} {}", values.join(" ")));
        let words: Vec<String> = words.collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// The flags of a view that a picture and a page of bands have, each followed by its values. None where names are
    /// redacted: a value can be one.
    pub fn of_a_view(&self, view: &clap::Command, privacy: Privacy) -> Vec<Vec<String>> {
        match privacy {
            Privacy::Show => {}
            Privacy::Redact => return Vec::new(),
        }
        let is_of_both = |id: &str| {
            [Format::Svg, Format::Html].into_iter().all(|format| {
                let written = Written { kind: DocumentKind::Chart, format, has_tree: false };
                USES.iter().all(|one| one.id != id || (one.by)(written))
            })
        };
        let is_of_view = |id: &str| view.get_arguments().any(|one| one.get_id() == id);
        let given = self.0.iter().filter(|(id, _)| is_of_view(id) && is_of_both(id));
        let flag = |(id, values): &(String, Vec<String>)| {
            std::iter::once(id.replace('_', "-")).chain(values.iter().cloned()).collect()
        };
        given.map(flag).collect()
    }
}

/// Something that is written: a kind of document in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Written {
    kind: DocumentKind,
    format: Format,
    /// Whether it is the page of bands that have stacks.
    has_tree: bool,
}

impl Written {
    fn is_page(self) -> bool {
        self.format.is_page() && !self.is_of_stacks()
    }

    /// A picture, also on a page of its own.
    fn is_picture(self) -> bool {
        self.format.is_picture() || (self.format.is_page() && self.is_of_stacks())
    }

    fn is_seen(self) -> bool {
        self.is_picture() || self.is_page()
    }

    fn is_picture_of_bands(self) -> bool {
        self.kind != DocumentKind::Stacks && self.is_picture()
    }

    fn is_seen_with_bands(self) -> bool {
        self.kind.traits().has_bands && self.is_seen()
    }

    fn has_chosen_bands(self) -> bool {
        match self.kind {
            DocumentKind::Chart | DocumentKind::Runs => !self.format.has_all_bands(),
            // The document of a comparison has all bands.
            DocumentKind::Comparison => !self.format.is_data(),
            DocumentKind::Figures => true,
            DocumentKind::Stacks | DocumentKind::Checks | DocumentKind::Hunt => false,
        }
    }

    /// Whether it is kept beside those of other runs.
    fn has_labels(self) -> bool {
        self.format.has_labels() && self.kind.traits().is_of_one_run
    }

    fn is_of_stacks(self) -> bool {
        self.kind == DocumentKind::Stacks
    }

    fn is_flame_graph(self) -> bool {
        self.is_of_stacks() && self.is_picture()
    }

    fn has_stacks(self) -> bool {
        self.is_of_stacks() || self.has_tree
    }

    fn is_text(self) -> bool {
        self.format.is_text()
    }

    /// In pictures of bands they are hover texts, which only SVG has.
    fn has_source_lines(self) -> bool {
        self.is_text() || self.is_page()
    }

    /// Whether it shows amounts in words: data has plain numbers.
    fn has_words(self) -> bool {
        self.is_text() || self.is_seen() || self.kind.traits().has_words
    }
}

pub struct FlagUse {
    /// The name of the flag in clap.
    pub id: &'static str,
    /// The outputs that it is for, in words.
    for_what: &'static str,
    by: fn(Written) -> bool,
}

/// The uses of several flags with the same purpose.
macro_rules! uses {
    ($($for_what:literal, $by:expr => $($id:literal),*;)*) => {
        &[$($(FlagUse { id: $id, for_what: $for_what, by: $by }),*),*]
    };
}

/// The flags that do not have an effect on everything, in the order of the help.
pub const USES: &[FlagUse] = uses! {
    "PNG", |written| written.format.has_pixels() => "scale";
    "PNG and PDF", |written| written.format.has_glyphs() => "font";
    "pages", Written::is_page => "source_url";
    "pictures", Written::is_picture => "width";
    "pictures and pages", Written::is_seen =>
        "theme", "palette", "title", "no_title", "subtitle", "open";
    "pictures of bands", Written::is_picture_of_bands => "height", "key", "panels";
    "pictures and pages of bands", Written::is_seen_with_bands =>
        "x", "x_max", "y_max", "heap_lines", "markers", "messages";
    "charts of chosen bands", Written::has_chosen_bands =>
        "trace", "bands", "sort";
    "flame graphs, exports of stacks and pages with stacks", Written::has_stacks =>
        "weight";
    "flame graphs and exports of stacks", Written::is_of_stacks =>
        "at";
    "flame graphs", Written::is_flame_graph => "root";
    "JSON and tidy tables", Written::has_labels => "label";
    "text", Written::is_text => "ticky";
    "text and pages", Written::has_source_lines => "source";
    "text and pictures", Written::has_words => "units";
};

/// Collects what is written, and finds at the end which flags had no effect.
pub struct FlagUses<'a> {
    given: &'a GivenFlags,
    /// What `--weight` names, if it was given.
    weight: Option<Weight>,
    /// What `-f` names, if it was given.
    format: Option<Format>,
    written: Vec<Written>,
    /// Whether a chart has what a flag asked for.
    found: BTreeMap<&'static str, bool>,
}

/// The message for each flag that no chart can follow, in the order of the help.
const LACKING: [(&str, &str); 5] = [
    ("heap_lines", "--heap-lines has no effect: the input has no such figures"),
    ("panels", "--panels has no effect: the input has no such figures (+RTS -l-agu logs them)"),
    ("markers", "--markers matches no marker"),
    ("messages", "--messages has no effect: the input has no messages"),
    ("x", "--x clock has no effect: the input has no date, which only event logs have"),
];

impl<'a> FlagUses<'a> {
    /// Starts with the flags of a command line, and what two of them name.
    pub fn new(given: &'a GivenFlags, weight: Option<Weight>, format: Option<Format>) -> Self {
        let (written, found) = (Vec::new(), BTreeMap::new());
        FlagUses { given, weight, format, written, found }
    }

    fn found(&mut self, flag: &'static str, is_there: bool) {
        *self.found.entry(flag).or_default() |= is_there;
    }

    /// Records that a document is written that has no bands over time.
    pub fn document(&mut self, kind: DocumentKind, format: Format) {
        self.written.push(Written { kind, format, has_tree: false });
    }

    /// Records that a chart of a run is written, drawn with these options.
    pub fn chart(
        &mut self,
        kind: DocumentKind,
        format: Format,
        run: &ProfileView<'_>,
        options: &DrawOptions,
    ) {
        // Without samples, the page contains a picture of the panels.
        let format = if format.is_page() && !run.has_report() { Format::Svg } else { format };
        let has_tree = format.is_page() && has_stacks(run.slice());
        let written = Written { kind, format, has_tree };
        self.written.push(written);
        if !written.is_seen_with_bands() {
            return;
        }
        let chart = if written.is_picture_of_bands() { run.picture() } else { run.chart() };
        let is_there = |line: &HeapSeriesKind| !chart.heap[*line].points.is_empty();
        match &options.heap_lines {
            HeapLines::Auto | HeapLines::None => {}
            HeapLines::All => {
                self.found("heap_lines", HeapSeriesKind::on_the_heap_axis().any(|it| is_there(&it)))
            }
            HeapLines::List(lines) => self.found("heap_lines", lines.iter().any(is_there)),
        }
        if written.is_picture_of_bands() && !options.panels.is_empty() {
            self.found("panels", has_panels(chart, options));
        }
        match options.x {
            XAxis::Time | XAxis::Sample => {}
            XAxis::Clock => {
                let has_date = chart.started_unix_ns.is_some();
                self.found("x", has_date && chart.clock == Clock::Elapsed);
            }
        }
        let shows_messages = options.markers.messages == Messages::Show;
        let mut messages = chart.markers.iter().filter(|marker| marker.kind == MarkerKind::Message);
        if shows_messages {
            self.found("messages", messages.next().is_some());
        }
        if let MarkerPattern::Matching(pattern) = &options.markers.pattern {
            let mut candidates = chart
                .markers
                .iter()
                .filter(|marker| shows_messages || marker.kind != MarkerKind::Message);
            self.found("markers", candidates.any(|marker| pattern.matches(&marker.label)));
        }
    }

    /// The notes, in the order of the help.
    pub fn notes(&self) -> Vec<Message> {
        if self.written.is_empty() {
            return Vec::new();
        }
        let useless = |one: &&FlagUse| {
            self.given.has(one.id) && !self.written.iter().any(|written| (one.by)(*written))
        };
        let note = |FlagUse { id, for_what, .. }: &FlagUse| {
            let flag = id.replace('_', "-");
            Message::note(format_args!(
                "--{flag} has no effect: it is for {for_what}, and none \
                                        is written"
            ))
        };
        let mut notes: Vec<Message> = USES.iter().filter(useless).map(note).collect();
        let mut add = |is_so: bool, text: &str| notes.extend(is_so.then(|| Message::note(text)));
        let is_useless = |format| self.written.iter().all(|written| written.format != format);
        add(
            self.format.is_some_and(is_useless),
            "-f has no effect: the extension of every output determines its format",
        );
        for (flag, note) in LACKING {
            add(self.found.get(flag) == Some(&false), note);
        }
        let has = |is: fn(Written) -> bool| self.written.iter().any(|&written| is(written));
        let only_page = has(Written::has_stacks) && !has(Written::is_of_stacks);
        let entries = self.weight == Some(Weight::Entries);
        add(
            only_page && entries,
            "--weight entries has no effect: a page has only live bytes, time and allocation",
        );
        notes
    }
}
