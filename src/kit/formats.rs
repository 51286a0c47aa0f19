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
pub enum Kind {
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
    /// Its name for `-f`.
    pub name: &'static str,
    /// The ending of its files.
    pub ending: &'static str,
    purpose: &'static str,
    /// The documents that it can show.
    shows: &'static [Kind],
}

const PICTURES: &[Kind] = &[Kind::Chart, Kind::Stacks, Kind::Comparison, Kind::Hunt];

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
        let spec = |name, ending, purpose, shows| Spec { name, ending, purpose, shows };
        use Kind::{Chart, Checks, Comparison, Figures, Hunt, Runs, Stacks};
        match self {
            Format::Svg => spec("svg", "svg", "Picture for web pages and READMEs", PICTURES),
            Format::Png => spec("png", "png", "Picture for chat and issues", PICTURES),
            Format::Pdf => spec("pdf", "pdf", "Picture for papers", PICTURES),
            Format::Html => spec(
                "html",
                "html",
                "Page in one file, to explore",
                &[Chart, Runs, Stacks, Comparison, Hunt],
            ),
            Format::Json => spec(
                "json",
                "json",
                "The numbers, for programs; of several inputs, a line each",
                &[Chart, Stacks, Figures, Checks, Comparison, Hunt],
            ),
            Format::Csv => spec("csv", "csv", "The numbers as a table", &[Chart, Figures]),
            Format::Tidy => spec(
                "tidy",
                "tidy.csv",
                "The numbers as a long table, for DuckDB, ClickHouse, pandas, R",
                &[Chart],
            ),
            Format::Hp => {
                spec("hp", "hp", "All bands as a text profile, for older tools", &[Chart])
            }
            Format::Speedscope => {
                spec("speedscope", "speedscope.json", "Stacks for speedscope", &[Stacks])
            }
            Format::Pprof => spec("pprof", "pb.gz", "Stacks for pprof", &[Stacks]),
            Format::Folded => spec(
                "folded",
                "folded",
                "Stacks, one on each line, for flamegraph.pl and inferno",
                &[Stacks],
            ),
            Format::Txt => {
                spec("txt", "txt", "For a terminal", &[Figures, Checks, Comparison, Hunt])
            }
            Format::Md => spec(
                "md",
                "md",
                "Markdown, for pull requests",
                &[Figures, Checks, Comparison, Hunt],
            ),
        }
    }

    /// Whether it can show a kind of document.
    pub fn shows(self, kind: Kind) -> bool {
        self.spec().shows.contains(&kind)
    }

    /// Whether it can show nothing but stacks.
    pub fn is_of_stacks(self) -> bool {
        self.spec().shows == [Kind::Stacks]
    }

    /// Whether it is a picture, whatever it shows.
    pub fn is_picture(self) -> bool {
        self.spec().shows == PICTURES
    }

    /// The formats that can show one of these.
    pub fn of(kinds: &'static [Kind]) -> impl Iterator<Item = Format> {
        Format::ALL.into_iter().filter(|format| kinds.iter().any(|&kind| format.shows(kind)))
    }

    /// The format of a file by its ending, if the verb writes it.
    pub fn of_ending(path: &Path, kinds: &'static [Kind]) -> Option<Format> {
        // The ending is readable even if the name is not UTF-8.
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let has_ending = |format: &Format| {
            name.strip_suffix(format.spec().ending).is_some_and(|front| front.ends_with('.'))
        };
        // If `.speedscope.json` and `.json` both match, the longer one is meant.
        Format::of(kinds).filter(has_ending).max_by_key(|format| format.spec().ending.len())
    }

    /// Reads the value of `-f`.
    pub fn parser(kinds: &'static [Kind]) -> impl TypedValueParser<Value = Format> {
        let value =
            |format: Format| PossibleValue::new(format.spec().name).help(format.spec().purpose);
        let named = |name: String| {
            Format::ALL.into_iter().find(|format| format.spec().name == name).unwrap_or(Format::Svg)
        };
        PossibleValuesParser::new(Format::of(kinds).map(value)).map(named)
    }
}

impl Kind {
    pub fn words(self) -> &'static str {
        match self {
            Kind::Chart => "a chart",
            Kind::Runs => "several runs",
            Kind::Stacks => "a flame graph",
            Kind::Figures => "figures",
            Kind::Checks => "the results of budgets",
            Kind::Comparison => "a comparison",
            Kind::Hunt => "a hunt",
        }
    }

    /// A list of only this kind.
    pub fn alone(self) -> &'static [Kind] {
        match self {
            Kind::Chart => &[Kind::Chart],
            Kind::Runs => &[Kind::Runs],
            Kind::Stacks => &[Kind::Stacks],
            Kind::Figures => &[Kind::Figures],
            Kind::Checks => &[Kind::Checks],
            Kind::Comparison => &[Kind::Comparison],
            Kind::Hunt => &[Kind::Hunt],
        }
    }
}
