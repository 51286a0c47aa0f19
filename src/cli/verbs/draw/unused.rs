//! Finds flags that were given but that no output uses. Each gets a note rather than an error, so
//! that a script can give the same flags for every format.

use heapviz::chart::{Chart, MarkerKind};
use heapviz::draw::{DrawOptions, HeapLines, MarkerPattern, Messages};
use heapviz::report::has_stacks;
use heapviz::slice::Slice;
use heapviz::tree::Weight;

use crate::cli::args::given::Given;
use crate::cli::message::Message;
use crate::cli::target::Format;

/// Something that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// Bands over time.
    Chart(Format),
    /// Stacks.
    Stacks(Format),
    /// The tree of stacks that a page of bands has.
    TreeOfPage,
}

impl Written {
    fn format(self) -> Format {
        match self {
            Written::Chart(format) | Written::Stacks(format) => format,
            Written::TreeOfPage => Format::Html,
        }
    }

    /// A picture, of bands or of stacks.
    fn is_picture(self) -> bool {
        use Format::{Eps, Pdf, Png, Ps, Svg};
        let format = self.format();
        matches!(format, Svg | Png | Pdf | Eps | Ps)
            || (matches!(self, Written::Stacks(_)) && format == Format::Html)
    }

    fn is_picture_of_bands(self) -> bool {
        matches!(self, Written::Chart(_)) && self.is_picture()
    }

    /// A picture or a page.
    fn is_seen(self) -> bool {
        self.is_picture() || self.format() == Format::Html
    }

    fn is_page(self) -> bool {
        matches!(self, Written::Chart(Format::Html))
    }

    fn is_seen_with_bands(self) -> bool {
        matches!(self, Written::Chart(_)) && self.is_seen()
    }

    fn has_chosen_bands(self) -> bool {
        matches!(self, Written::Chart(format) if format != Format::Hp)
    }

    fn is_of_stacks(self) -> bool {
        matches!(self, Written::Stacks(_))
    }

    fn has_tree(self) -> bool {
        matches!(self, Written::Stacks(_) | Written::TreeOfPage)
    }
}

/// Which outputs use a flag.
struct Use {
    /// Its name in clap.
    id: &'static str,
    /// Its name on the command line.
    flag: &'static str,
    /// Its purpose in words.
    for_what: &'static str,
    by: fn(Written) -> bool,
}

/// The uses of several flags with the same purpose.
macro_rules! uses {
    ($($for_what:literal, $by:expr => $($id:literal $flag:literal),*;)*) => {
        &[$($(Use { id: $id, flag: $flag, for_what: $for_what, by: $by }),*),*]
    };
}

const USES: &[Use] = uses! {
    "PNG", |written| written.format() == Format::Png => "scale" "--scale";
    "PNG and PDF", |written| matches!(written.format(), Format::Png | Format::Pdf) =>
        "font" "--font";
    "pages", Written::is_page => "source_url" "--source-url";
    "pictures", Written::is_picture => "width" "--width";
    "pictures and pages", Written::is_seen =>
        "theme" "--theme", "palette" "--palette", "title" "--title", "no_title" "--no-title",
        "subtitle" "--subtitle";
    "pictures of bands", Written::is_picture_of_bands =>
        "height" "--height", "key" "--key", "panels" "--panels";
    "pictures and pages of bands", Written::is_seen_with_bands =>
        "x" "--x", "columns" "--columns", "x_max" "--x-max", "y_max" "--y-max",
        "same_scale" "--same-scale",
        "heap_lines" "--heap-lines", "markers" "--markers", "messages" "--messages";
    "charts of chosen bands", Written::has_chosen_bands =>
        "trace" "--trace", "bands" "--bands", "sort" "--sort",
        "trace_elements" "--trace-elements";
    "flame graphs, exports of stacks and pages with stacks", Written::has_tree =>
        "weight" "--weight", "callers" "--callers", "focus" "--focus";
    "flame graphs and exports of stacks", Written::is_of_stacks =>
        "at" "--at", "merge_names" "--merge-names", "rts_stacks" "--rts-stacks";
};

/// Collects what is written, and finds at the end which flags had no effect.
pub struct Unused<'a> {
    given: &'a Given,
    /// What `--weight` names, if it was given.
    weight: Option<Weight>,
    written: Vec<Written>,
    /// How many charts of bands there are.
    charts: usize,
    /// Charts that a flag found something in.
    lines: Found,
    markers: Found,
    messages: Found,
}

/// Whether something that was asked for is in a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No chart was examined.
    NotAsked,
    Nowhere,
    Somewhere,
}

impl Found {
    fn add(&mut self, is_there: bool) {
        *self = match (is_there, *self) {
            (true, _) | (_, Found::Somewhere) => Found::Somewhere,
            _ => Found::Nowhere,
        };
    }
}

impl<'a> Unused<'a> {
    /// Starts with the flags of a command line, and the weight that they name.
    pub fn new(given: &'a Given, weight: Option<Weight>) -> Self {
        let none = Found::NotAsked;
        let (written, charts) = (Vec::new(), 0);
        Unused { given, weight, written, charts, lines: none, markers: none, messages: none }
    }

    /// Records that a chart of a slice is written, drawn with these options.
    pub fn chart(
        &mut self,
        format: Format,
        slice: &Slice<'_>,
        chart: &Chart,
        options: &DrawOptions,
    ) {
        let written = Written::Chart(format);
        self.written.push(written);
        if format == Format::Html && has_stacks(slice) {
            self.written.push(Written::TreeOfPage);
        }
        if !written.is_seen_with_bands() {
            return;
        }
        self.charts += 1;
        if let HeapLines::List(lines) = &options.heap_lines {
            self.lines.add(lines.iter().any(|line| !chart.heap[*line].points().is_empty()));
        }
        let of_kind = |kind| chart.markers.iter().filter(move |marker| marker.kind == kind);
        let messages = of_kind(MarkerKind::Message).count();
        if let MarkerPattern::Matching(pattern) = &options.markers.pattern {
            let shows_messages = options.markers.messages == Messages::Show;
            let candidates = chart
                .markers
                .iter()
                .filter(|marker| shows_messages || marker.kind != MarkerKind::Message);
            self.markers.add(candidates.into_iter().any(|marker| pattern.matches(&marker.label)));
        }
        if options.markers.messages == Messages::Show {
            self.messages.add(messages > 0);
        }
    }

    /// Records that a flame graph or an export of stacks is written.
    pub fn stacks(&mut self, format: Format) {
        self.written.push(Written::Stacks(format));
    }

    /// The notes, in the order of the help.
    pub fn notes(&self) -> Vec<Message> {
        if self.written.is_empty() {
            return Vec::new();
        }
        let useless = |one: &&Use| {
            self.given.has(one.id) && !self.written.iter().any(|written| (one.by)(*written))
        };
        let mut notes: Vec<Message> = USES
            .iter()
            .filter(useless)
            .map(|Use { flag, for_what, .. }| {
                Message::note(format_args!("{flag} is for {for_what}, and this call writes none"))
            })
            .collect();
        let mut add = |is_so: bool, text: &str| notes.extend(is_so.then(|| Message::note(text)));
        add(self.lines == Found::Nowhere, "--heap-lines: the input has no such figures");
        add(self.markers == Found::Nowhere, "--markers matches no marker");
        add(self.messages == Found::Nowhere, "--messages: the input has no messages");
        let has = |is: fn(Written) -> bool| self.written.iter().any(|&written| is(written));
        let only_page = has(Written::has_tree) && !has(Written::is_of_stacks);
        let entries = self.weight == Some(Weight::Entries);
        add(
            only_page && entries,
            "--weight entries: a page has live bytes, time and allocation only",
        );
        let alone = self.given.has("same_scale") && self.charts == 1;
        add(alone, "--same-scale is for several charts, and this call draws one");
        notes
    }
}
