//! The formats of all verbs: what each is called, and which documents it can show.
//!
//! To add a format, write its file in `src/export/` or `src/picture/`, add a variant to [`Format`], and
//! answer the compiler's two questions: [`Format::spec`], and who writes it (`write.rs`). Which verbs offer
//! it, what help and messages say about it, and which flags have an effect on it follow from that.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Svg,
    Png,
    Pdf,
    Html,
    Json,
    Csv,
    Tidy,
    Hp,
    Speedscope,
    Pprof,
    Folded,
    Txt,
    Md,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    Chart,
    Runs,
    Stacks,
    Figures,
    Checks,
    Comparison,
    Hunt,
}

/// What is known about a format.
pub struct Spec {
    /// The name of the format for `-f`.
    pub name: &'static str,
    /// The ending of the format's files.
    pub ending: &'static str,
    purpose: &'static str,
    /// What it makes of a document.
    form: Form,
    /// Whether labels distinguish runs in the format.
    has_labels: bool,
    /// The documents that it can show.
    shows: &'static [DocumentKind],
}

/// What a format makes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Picture {
        /// Whether the glyphs of a font are in the file.
        has_glyphs: bool,
        has_pixels: bool,
    },
    Page,
    /// Everything that is known, as data.
    Data,
    /// Samples or figures, line by line.
    List {
        /// Whether every band of the input is in it, not only those that a chart shows.
        has_all_bands: bool,
    },
    Stacks,
    Text,
}

impl Format {
    /// Every format, in the order of the help.
    pub const ALL: [Format; 13] = [
        Format::Txt,
        Format::Md,
        Format::Svg,
        Format::Png,
        Format::Pdf,
        Format::Html,
        Format::Json,
        Format::Csv,
        Format::Tidy,
        Format::Hp,
        Format::Speedscope,
        Format::Pprof,
        Format::Folded,
    ];

    pub fn spec(self) -> Spec {
        use DocumentKind::{Chart, Checks, Comparison, Figures, Hunt, Runs, Stacks};
        use Form::{Data, Page, Text};
        let spec = |form, name, purpose, shows| {
            let has_labels = false;
            Spec { name, ending: name, purpose, form, has_labels, shows }
        };
        let picture = |has_glyphs, has_pixels, name, purpose| {
            let form = Form::Picture { has_glyphs, has_pixels };
            spec(form, name, purpose, &[Chart, Stacks, Comparison, Hunt])
        };
        let list = |has_all_bands, name, purpose, shows| {
            spec(Form::List { has_all_bands }, name, purpose, shows)
        };
        let stacks =
            |name, purpose, ending| Spec { ending, ..spec(Form::Stacks, name, purpose, &[Stacks]) };
        let text = |name, purpose| spec(Text, name, purpose, &[Figures, Checks, Comparison, Hunt]);
        match self {
            Format::Svg => picture(false, false, "svg", "Picture for web pages and READMEs"),
            Format::Png => picture(true, true, "png", "Picture for chat and issues"),
            Format::Pdf => picture(true, false, "pdf", "Picture for papers"),
            Format::Html => {
                let shows = &[Chart, Runs, Stacks, Comparison, Hunt];
                spec(Page, "html", "Page in one file, to explore", shows)
            }
            Format::Json => {
                let purpose = "The numbers, for programs; of several inputs, a line each";
                let shows = &[Chart, Figures, Checks, Comparison, Hunt];
                Spec { has_labels: true, ..spec(Data, "json", purpose, shows) }
            }
            Format::Csv => list(false, "csv", "The numbers as a table", &[Chart]),
            Format::Tidy => {
                let purpose = "The numbers as a long table, for DuckDB, ClickHouse, pandas, R";
                let table = list(false, "tidy", purpose, &[Chart]);
                Spec { ending: "tidy.csv", has_labels: true, ..table }
            }
            Format::Hp => {
                list(true, "hp", "All bands as a text profile, for older tools", &[Chart])
            }
            Format::Speedscope => stacks("speedscope", "Stacks for speedscope", "speedscope.json"),
            Format::Pprof => stacks("pprof", "Stacks for pprof", "pb.gz"),
            Format::Folded => {
                let purpose = "Stacks, one on each line, for flamegraph.pl and inferno";
                stacks("folded", purpose, "folded")
            }
            Format::Txt => text("txt", "For a terminal"),
            Format::Md => text("md", "Markdown, for pull requests"),
        }
    }

    /// Whether the format can show a kind of document.
    pub fn shows(self, kind: DocumentKind) -> bool {
        self.spec().shows.contains(&kind)
    }

    /// Whether the format can show nothing but stacks.
    pub fn is_of_stacks(self) -> bool {
        self.spec().form == Form::Stacks
    }

    /// Whether the output is a picture, whatever it shows.
    pub fn is_picture(self) -> bool {
        matches!(self.spec().form, Form::Picture { .. })
    }

    /// Whether a picture has the glyphs of a font in it.
    pub fn has_glyphs(self) -> bool {
        matches!(self.spec().form, Form::Picture { has_glyphs: true, .. })
    }

    /// Whether a picture is made of pixels.
    pub fn has_pixels(self) -> bool {
        matches!(self.spec().form, Form::Picture { has_pixels: true, .. })
    }

    /// Whether the output is a page, which is one of bands or has a picture of stacks.
    pub fn is_page(self) -> bool {
        self.spec().form == Form::Page
    }

    /// Whether everything that is known of a document is in the output, as data.
    pub fn is_data(self) -> bool {
        self.spec().form == Form::Data
    }

    /// Whether the output says in words what is known.
    pub fn is_text(self) -> bool {
        self.spec().form == Form::Text
    }

    /// Whether a chart in the format is nothing but samples, without a place for a verdict.
    pub fn lists_samples(self) -> bool {
        matches!(self.spec().form, Form::List { .. })
    }

    /// Whether a list has every band of the input, not only those that a chart shows.
    pub fn has_all_bands(self) -> bool {
        self.spec().form == Form::List { has_all_bands: true }
    }

    /// Whether a chart in the format has the figures of every band.
    pub fn has_figures(self) -> bool {
        match self.spec().form {
            Form::Page | Form::Data => true,
            Form::Picture { .. } | Form::List { .. } | Form::Stacks | Form::Text => false,
        }
    }

    /// Whether labels distinguish runs in the format.
    pub fn has_labels(self) -> bool {
        self.spec().has_labels
    }

    /// The formats that can show one of these.
    pub fn of(kinds: &[DocumentKind]) -> impl Iterator<Item = Format> {
        Format::ALL.into_iter().filter(|format| kinds.iter().any(|&kind| format.shows(kind)))
    }

    /// The format of a file by its ending, if the verb writes it.
    pub fn of_ending(path: &Path, kinds: &'static [DocumentKind]) -> Option<Format> {
        // The ending is readable even if the name is not UTF-8.
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let has_ending = |format: &Format| {
            name.strip_suffix(format.spec().ending).is_some_and(|front| front.ends_with('.'))
        };
        // If `.speedscope.json` and `.json` both match, the longer one is meant.
        Format::of(kinds).filter(has_ending).max_by_key(|format| format.spec().ending.len())
    }

    pub fn parser(kinds: &'static [DocumentKind]) -> impl TypedValueParser<Value = Format> {
        let value =
            |format: Format| PossibleValue::new(format.spec().name).help(format.spec().purpose);
        let named = |name: String| {
            Format::ALL.into_iter().find(|format| format.spec().name == name).unwrap_or(Format::Svg)
        };
        PossibleValuesParser::new(Format::of(kinds).map(value)).map(named)
    }
}

/// What distinguishes a kind of document from others.
pub struct KindTraits {
    pub words: &'static str,
    /// Whether it shows the bands of runs over time.
    pub has_bands: bool,
    /// Whether it is about one run, which labels can tell from others.
    pub is_of_one_run: bool,
    /// Whether it has amounts in words also where it is data: titles and the names of stacks.
    pub has_words: bool,
}

impl DocumentKind {
    pub fn traits(self) -> KindTraits {
        let (words, has_bands, is_of_one_run, has_words) = match self {
            DocumentKind::Chart => ("a chart", true, true, true),
            DocumentKind::Runs => ("several runs", true, false, false),
            DocumentKind::Stacks => ("a flame graph", false, false, true),
            DocumentKind::Figures => ("figures", false, true, false),
            DocumentKind::Checks => ("the results of budgets", false, true, false),
            DocumentKind::Comparison => ("a comparison", false, false, false),
            DocumentKind::Hunt => ("a hunt", false, false, false),
        };
        KindTraits { words, has_bands, is_of_one_run, has_words }
    }
}
