//! The formats of all verbs: what each is called, and which documents it can show.
//!
//! To add a format, write its file in `src/export/` or `src/render/`, add a variant to [`Format`], and
//! answer the compiler's question in [`Format::spec`]. Which verbs offer it, what help and messages say
//! about it, and which flags have an effect on it follow from that row.

use std::io::{self, Write};
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::failure::Failure;
use super::look::Look;
use super::output;
use super::stacks::Trees;
use super::target::Target;
use super::verbs::check::Checks;
use super::verbs::diff::Compared;
use super::verbs::stats::Figures;
use crate::draw;
use crate::export::{self, json};
#[cfg(feature = "pdf")]
use crate::render::PdfOptions;
use crate::render::{
    self, EpsOptions, MissingCharacters, PngOptions, Rendered, SvgOptions, svg_to,
};
use crate::report;
use crate::run::Run;
use crate::scene::Scene;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Svg,
    Png,
    Pdf,
    Eps,
    Html,
    Json,
    Csv,
    Hp,
    Speedscope,
    Pprof,
    Folded,
    Txt,
    Md,
}

/// What is shown, independently of the format.
#[derive(Clone, Copy)]
pub enum Document<'a> {
    /// The bands of a run over time.
    Chart(&'a Run<'a>),
    /// Several runs, each with the name of its tab.
    Runs(&'a [(String, &'a Run<'a>)]),
    /// Stacks of a run, or what changed in them between two.
    Stacks(&'a Trees<'a>),
    /// The verdicts and figures of runs.
    Figures(&'a Figures<'a>),
    /// The results of budgets.
    Checks(&'a Checks<'a>),
    /// What changed between two sides.
    Comparison(&'a Compared<'a>),
}

/// The kinds of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Chart,
    Runs,
    Stacks,
    Figures,
    Checks,
    Comparison,
}

/// What is known about a format.
pub struct Spec {
    /// Its name for `-f`.
    pub name: &'static str,
    /// The ending of its files.
    pub ending: &'static str,
    /// What it is for.
    purpose: &'static str,
    /// The documents that it can show.
    shows: &'static [Kind],
    make: for<'d> fn(Document<'d>, &'d Look) -> Result<Option<Made<'d>>, Failure>,
}

/// A document in a format.
enum Made<'d> {
    /// Complete, because the format cannot be written otherwise.
    Whole(Rendered),
    /// To be written piece by piece.
    Pieces(Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'd>),
}

const PICTURES: &[Kind] = &[Kind::Chart, Kind::Stacks, Kind::Comparison];

impl Format {
    /// Every format, in the order of the help.
    pub const ALL: [Format; 13] = [
        Format::Txt,
        Format::Md,
        Format::Svg,
        Format::Png,
        Format::Pdf,
        Format::Eps,
        Format::Html,
        Format::Json,
        Format::Csv,
        Format::Hp,
        Format::Speedscope,
        Format::Pprof,
        Format::Folded,
    ];

    /// What is known about it.
    pub fn spec(self) -> Spec {
        let spec = |name, ending, purpose, shows, make| Spec { name, ending, purpose, shows, make };
        use Kind::{Chart, Checks, Comparison, Figures, Runs, Stacks};
        match self {
            Format::Svg => spec("svg", "svg", "Picture for web pages and READMEs", PICTURES, svg),
            Format::Png => spec("png", "png", "Picture for chat and issues", PICTURES, png),
            Format::Pdf => spec("pdf", "pdf", "Picture for papers", PICTURES, pdf),
            Format::Eps => {
                spec("eps", "eps", "Picture for LaTeX with dvips, and for journals", PICTURES, eps)
            }
            Format::Html => spec(
                "html",
                "html",
                "Page in one file, to explore",
                &[Chart, Runs, Stacks, Comparison],
                html,
            ),
            Format::Json => spec(
                "json",
                "json",
                "The numbers, for programs; of several inputs, a line each",
                &[Chart, Stacks, Figures, Checks, Comparison],
                json,
            ),
            Format::Csv => spec("csv", "csv", "The numbers as a table", &[Chart, Figures], csv),
            Format::Hp => {
                spec("hp", "hp", "All bands as a text profile, for older tools", &[Chart], hp)
            }
            Format::Speedscope => spec(
                "speedscope",
                "speedscope.json",
                "Stacks for speedscope",
                &[Stacks],
                speedscope,
            ),
            Format::Pprof => spec("pprof", "pb.gz", "Stacks for pprof", &[Stacks], pprof),
            Format::Folded => spec(
                "folded",
                "folded",
                "Stacks, one on each line, for flamegraph.pl and inferno",
                &[Stacks],
                folded,
            ),
            Format::Txt => {
                spec("txt", "txt", "For a terminal", &[Figures, Checks, Comparison], txt)
            }
            Format::Md => {
                spec("md", "md", "Markdown, for pull requests", &[Figures, Checks, Comparison], md)
            }
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

    /// Whether it is a picture, of whatever.
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

    /// Why a kind of document has no such form.
    fn refusal(self, kind: Kind) -> Failure {
        let kinds = kind.alone();
        let others: Vec<&str> = Format::of(kinds).map(|format| format.spec().name).collect();
        let (what, name) = (kind.words(), self.spec().name);
        Failure::new(format!("{what} cannot be written as {name}"))
            .hint(format!("use {}", others.join(", ")))
    }
}

impl Kind {
    /// Its name in messages.
    fn words(self) -> &'static str {
        match self {
            Kind::Chart => "a chart",
            Kind::Runs => "several runs",
            Kind::Stacks => "a flame graph",
            Kind::Figures => "figures",
            Kind::Checks => "the results of budgets",
            Kind::Comparison => "a comparison",
        }
    }

    /// A list of only this kind.
    fn alone(self) -> &'static [Kind] {
        match self {
            Kind::Chart => &[Kind::Chart],
            Kind::Runs => &[Kind::Runs],
            Kind::Stacks => &[Kind::Stacks],
            Kind::Figures => &[Kind::Figures],
            Kind::Checks => &[Kind::Checks],
            Kind::Comparison => &[Kind::Comparison],
        }
    }
}

impl Document<'_> {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Document::Chart(_) => Kind::Chart,
            Document::Runs(_) => Kind::Runs,
            Document::Stacks(_) => Kind::Stacks,
            Document::Figures(_) => Kind::Figures,
            Document::Checks(_) => Kind::Checks,
            Document::Comparison(_) => Kind::Comparison,
        }
    }

    /// Its picture, if it has one.
    fn scene(&self, look: &Look) -> Option<Scene> {
        match self {
            Document::Chart(run) => Some(draw::chart(run.chart(), &look.draw)),
            Document::Stacks(trees) => Some(trees.scene(&look.flame)),
            Document::Comparison(compared) => compared.scene(look),
            Document::Runs(_) | Document::Figures(_) | Document::Checks(_) => None,
        }
    }
}

/// Writes a document to its target, and returns which characters it could not show.
///
/// # Errors
/// A format that cannot show it, a picture too big for its format, and the system's errors.
pub fn write(
    document: Document<'_>,
    target: &Target,
    look: &Look,
) -> Result<MissingCharacters, Failure> {
    match (target.format.spec().make)(document, look)? {
        Some(Made::Whole(Rendered { bytes, missing, .. })) => {
            output::write(&target.output, &bytes)?;
            Ok(missing)
        }
        Some(Made::Pieces(fill)) => {
            output::write_with(&target.output, fill)?;
            Ok(MissingCharacters::default())
        }
        None => Err(target.format.refusal(document.kind())),
    }
}

impl<'d> Made<'d> {
    fn text(text: String) -> Option<Self> {
        Some(Made::Whole(text.into_bytes().into()))
    }

    fn pieces(fill: impl FnOnce(&mut dyn Write) -> io::Result<()> + 'd) -> Option<Self> {
        Some(Made::Pieces(Box::new(fill)))
    }
}

fn svg<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let Some(scene) = document.scene(look) else { return Ok(None) };
    let options = SvgOptions::default().with_theme(look.theme);
    Ok(Made::pieces(move |out| svg_to(&scene, &options, out)))
}

fn png<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let Some(scene) = document.scene(look) else { return Ok(None) };
    let options = PngOptions::default()
        .with_scale(look.scale)
        .with_theme(look.theme.unwrap_or_default())
        .with_fonts(look.fonts.clone());
    Ok(Some(Made::Whole(render::png(&scene, &options)?)))
}

#[cfg(feature = "pdf")]
fn pdf<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let Some(scene) = document.scene(look) else { return Ok(None) };
    let options = PdfOptions::default()
        .with_theme(look.theme.unwrap_or_default())
        .with_fonts(look.fonts.clone());
    Ok(Some(Made::Whole(render::pdf(&scene, &options)?)))
}

#[cfg(not(feature = "pdf"))]
fn pdf<'d>(_: Document<'d>, _: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    Err(Failure::new("this heapviz was built without its feature `pdf`")
        .hint("write an SVG or EPS, or build heapviz with `--features pdf`"))
}

fn eps<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let Some(scene) = document.scene(look) else { return Ok(None) };
    let options = EpsOptions::default().with_theme(look.theme.unwrap_or_default());
    Ok(Some(Made::Whole(render::eps(&scene, &options))))
}

fn html<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let page = match document {
        Document::Chart(run) if run.has_report() => {
            run.prepare_figures();
            let (slice, chart) = (run.slice(), run.chart());
            report::write(slice, chart, run.analysis(), &look.report(run))
        }
        Document::Runs(runs) => look.page_of_runs(runs),
        Document::Comparison(compared) => compared.page(look),
        // Without samples, a page shows what else the input has as a picture.
        Document::Chart(_) | Document::Stacks(_) => {
            let Some(scene) = document.scene(look) else { return Ok(None) };
            render::page(&scene, &SvgOptions::default().with_theme(look.theme))
        }
        Document::Figures(_) | Document::Checks(_) => return Ok(None),
    };
    Ok(Made::text(page))
}

fn json<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    Ok(match document {
        Document::Chart(run) => {
            run.prepare_figures();
            Made::pieces(|out| json::write_to(run.chart(), run.slice(), run.analysis(), out))
        }
        Document::Stacks(trees) => Made::text(export::tree::write(&trees.tree())),
        Document::Figures(figures) => Made::pieces(|out| figures.json(out)),
        Document::Checks(checks) => Made::pieces(|out| checks.json(out)),
        Document::Comparison(compared) => Made::text(compared.words(look).json()),
        Document::Runs(_) => None,
    })
}

fn csv<'d>(document: Document<'d>, _: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    Ok(match document {
        Document::Chart(run) => Made::pieces(|out| export::csv::write_to(run.chart(), out)),
        Document::Figures(figures) => Made::text(figures.csv()),
        Document::Runs(_) | Document::Stacks(_) | Document::Checks(_) | Document::Comparison(_) => {
            None
        }
    })
}

fn hp<'d>(document: Document<'d>, _: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    Ok(match document {
        Document::Chart(run) => {
            Made::pieces(|mut out| run.as_written(|slice| export::hp::write(slice, &mut out)))
        }
        Document::Runs(_)
        | Document::Stacks(_)
        | Document::Figures(_)
        | Document::Checks(_)
        | Document::Comparison(_) => None,
    })
}

/// The stacks of a document that has nothing else.
fn stacks<'d>(document: Document<'d>) -> Option<&'d Trees<'d>> {
    match document {
        Document::Stacks(trees) => Some(trees),
        Document::Chart(_)
        | Document::Runs(_)
        | Document::Figures(_)
        | Document::Checks(_)
        | Document::Comparison(_) => None,
    }
}

fn speedscope<'d>(document: Document<'d>, _: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let text = |trees: &Trees<'_>| export::speedscope::write(&trees.name(), trees.instants());
    Ok(stacks(document).and_then(|trees| Made::text(text(trees))))
}

fn pprof<'d>(document: Document<'d>, _: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let bytes = |trees: &Trees<'_>| export::pprof::write(trees.paths());
    Ok(stacks(document).map(|trees| Made::Whole(bytes(trees).into())))
}

fn folded<'d>(document: Document<'d>, _: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    let text = |trees: &Trees<'_>| export::folded::write(trees.paths());
    Ok(stacks(document).and_then(|trees| Made::text(text(trees))))
}

fn txt<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    Ok(match document {
        Document::Figures(figures) => Made::text(figures.plain(look.draw.units)),
        Document::Checks(checks) => Made::text(checks.plain(look.draw.units)),
        Document::Comparison(compared) => Made::text(compared.words(look).plain()),
        Document::Chart(_) | Document::Runs(_) | Document::Stacks(_) => None,
    })
}

fn md<'d>(document: Document<'d>, look: &'d Look) -> Result<Option<Made<'d>>, Failure> {
    Ok(match document {
        Document::Figures(figures) => Made::text(figures.markdown(look.draw.units)),
        Document::Checks(checks) => Made::text(checks.markdown(look.draw.units)),
        Document::Comparison(compared) => Made::text(compared.words(look).markdown()),
        Document::Chart(_) | Document::Runs(_) | Document::Stacks(_) => None,
    })
}
