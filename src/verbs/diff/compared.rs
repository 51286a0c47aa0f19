//! The result of a comparison as text, as data and as a page.

use serde::Serialize;

use super::pair_of_charts;
use crate::analysis::of_cpu;
use crate::base::sentence::{Sentence, name, rounded, say};
use crate::base::text::json;
use crate::base::units::{Nanos, count};
use crate::chart::pair::Pair;
use crate::cli::table::fitting;
use crate::cli::target::short_names;
use crate::cli::{
    Blocks, Content, Document, DocumentKind, Input, Message, SourceLine, Style, Table,
};
use crate::compare::{Comparison, compare};
use crate::draw::{self, DrawOptions, XAxis, common_scale};
use crate::picture::Scene;
use crate::profile::Clock;
use crate::profile_view::ProfileView;
use crate::report;
use crate::slice::Privacy;

/// The runs of one side, with their inputs.
type Runs<'a> = [(&'a Input, ProfileView<'a>)];

pub struct Compared<'a> {
    pub sides: [&'a Runs<'a>; 2],
    /// How the second side differs from the first.
    pub comparison: Comparison,
    /// The most bands that are listed or drawn; 0 for all.
    pub bands: usize,
    /// What pictures show, and their horizontal axis, if there are any.
    pub picture: Option<(Pair, XAxis)>,
}

impl<'a> Compared<'a> {
    /// Compares two sides.
    ///
    /// # Errors
    /// Sides with different break-downs.
    pub fn new(sides: [&'a Runs<'a>; 2], bands: usize) -> Result<Self, Message> {
        let runs = |side: &'a Runs<'a>| side.iter().map(|(_, run)| run).collect::<Vec<_>>();
        let comparison = compare(&runs(sides[0]), &runs(sides[1])).map_err(|error| {
            let hint = "profile both with the same break-down flag, such as -hy";
            Message::error(error).hint(hint)
        })?;
        Ok(Compared { sides, comparison, bands, picture: None })
    }

    /// What pictures and tables call the sides: files of the same name by the folders in which they differ.
    pub fn names(&self) -> [String; 2] {
        let names = self.sides.map(|side| match side {
            [(input, run)] => input.title(run.slice().privacy()),
            runs => format!("{} runs", runs.len()),
        });
        let ends = self.told_apart().filter(|_| names[0] == names[1]);
        ends.unwrap_or(names)
    }

    /// The ends of the paths of two files, as far as they differ; `None` for other sides.
    fn told_apart(&self) -> Option<[String; 2]> {
        match self.sides {
            [[(before @ Input::File(_), run)], [(after @ Input::File(_), _)]]
                if run.slice().privacy() == Privacy::Show && before != after =>
            {
                short_names([*before, *after].into_iter(), Privacy::Show).try_into().ok()
            }
            _ => None,
        }
    }

    /// The lines of source that make what grows, first after, then before: a sentence, the place and its line.
    fn source_lines(&self, style: &Style) -> Vec<(Sentence, String, SourceLine)> {
        let mut lines: Vec<(Sentence, String, SourceLine)> = Vec::new();
        for (side, when) in [(1, "growing after: "), (0, "growing before: ")] {
            let run = &self.sides[side][self.comparison.shown[side]].1;
            for suspect in &run.account().suspects {
                let Some(place) = &suspect.place else { continue };
                let Some(line) = style.sources.line(place) else { continue };
                if lines.iter().all(|(_, other, _)| other != place) {
                    let words = say![when, name(&suspect.label), ", made at ", name(place)];
                    lines.push((words, place.clone(), line));
                }
            }
        }
        lines
    }

    fn figures(&self) -> Table {
        let [mut before, mut after] = self.names().map(|name| short(&name));
        // The ending that both have, `.eventlog.gz`, tells nobody which is which.
        if let (Some((was, a)), Some((is, b))) = (before.split_once('.'), after.split_once('.'))
            && a == b
            && was != is
        {
            (before, after) = (was.to_owned(), is.to_owned());
        }
        let short = fitting([before, after].into_iter().map(|text| (vec![text], 20)));
        let [before, after] = [0, 1].map(|side| name(&short[side]));
        let mut table = Table::new(&["", ">", ">", ""]).headed(1, before).headed(2, after);
        let clock = self.sides[0][0].1.slice().clock();
        for row in self.comparison.figures.iter() {
            let unit = row.figure.unit();
            table.row(vec![
                self.comparison.name_of(row.figure).into(),
                unit.words(row.before, clock),
                unit.words(row.after, clock),
                row.change().into(),
            ]);
        }
        let sides = [0, 1].map(|side| self.comparison.side(side));
        table.row(std::iter::once("verdict".into()).chain(sides).collect());
        table
    }

    fn bands(&self, most: usize) -> Table {
        let mut table = Table::new(&["band (mean)", ">before", ">after", ">change", ""]);
        for row in self.comparison.bands.rows.iter().take(most) {
            let [before, after] = amounts([row.before, row.after]);
            let change = signed(row.after - row.before);
            table.named_row(&row.shown_names(), vec![before, after, change, row.became().into()]);
        }
        table
    }
}

impl Document for Compared<'_> {
    fn kind(&self) -> DocumentKind {
        DocumentKind::Comparison
    }

    /// Before above after, and the change of each band.
    fn scene(&self, style: &Style) -> Option<Scene> {
        let (pair, x) = self.picture.as_ref()?;
        Some(draw::pair(pair, &DrawOptions { x: *x, ..style.draw.clone() }))
    }

    /// One run of each side to explore, and the changes of figures and bands over all runs.
    fn page(&self, style: &Style) -> Option<String> {
        let chosen = [0, 1].map(|side| &self.sides[side][self.comparison.shown[side]].1);
        // None of runs whose clocks differ.
        let pair = pair_of_charts::pair(self, style).ok();
        let scene = |(pair, x)| draw::pair(&pair, &DrawOptions { x, ..style.draw.clone() });
        let picture = pair.map(scene);
        let mut style = style.clone();
        // On one scale, changing the tab shows which run is higher.
        let charts = chosen.iter().map(|run| run.chart());
        style.draw.scale.heap_max = common_scale(charts, &style.draw).heap_max;
        // Told apart by what differs: their folders, and the compilers.
        let ends = self.told_apart();
        let versions = chosen.map(|run| run.slice().metadata().ghc_version());
        let named = [0, 1].map(|side| {
            let of_side = || words(self.sides[side], self.comparison.shown[side]).swap_remove(0);
            let name = ends.as_ref().map_or_else(of_side, |ends| ends[side].clone());
            let version = versions[side].filter(|_| versions[0] != versions[1]);
            let version = version.map(|version| format!(", GHC {version}")).unwrap_or_default();
            (format!("{}: {name}{version}", ["before", "after"][side]), chosen[side])
        });
        let write = |runs: &[report::ReportRun<'_>]| {
            report::write_comparison([runs[0], runs[1]], &self.comparison, picture.as_ref())
        };
        Some(style.with_runs(&named, write))
    }

    /// One line, with all bands and plain numbers.
    fn json(&self, _: &Style) -> Option<Content<'_>> {
        let [before, after] = self.names();
        let (format, version, comparison) = ("heapviz-diff", 1, &self.comparison);
        let document = DiffDocument { format, version, before: &before, after: &after, comparison };
        Some(Content::text(json(&document)))
    }

    fn blocks(&self, style: &Style) -> Option<Blocks> {
        let most = if self.bands == 0 { usize::MAX } else { self.bands };
        let [before, after] = self.names();
        let mut blocks = Blocks::default();
        blocks.heading(say!["Heap: ", self.comparison.headline()]);
        blocks.paragraph(say![name(before), " → ", name(after)]);
        blocks.table(self.figures());
        blocks.table(self.bands(most));
        blocks.list(self.comparison.remarks(most).into_iter().map(Sentence::from));
        for (words, place, line) in self.source_lines(style) {
            blocks.list([words]);
            blocks.source(&place, line);
        }
        Some(blocks)
    }
}

/// A description of a side: `a.hp`, `60 samples in 5.9 s of CPU`.
pub fn words(runs: &Runs<'_>, chosen: usize) -> Vec<String> {
    let (input, run) = &runs[chosen];
    let of = match runs.len() {
        1 => String::new(),
        n => format!(" ({} of {n} runs, the one with the median peak)", chosen + 1),
    };
    let heap = &run.analysis().figures.heap;
    let duration = match run.slice().clock() {
        Clock::Sample => String::new(),
        clock @ (Clock::Elapsed | Clock::Mutator) => {
            let time = Nanos::from_nanos((heap.duration * 1e9).round() as i64);
            format!(" in {time}{}", of_cpu(clock))
        }
    };
    let samples = count(run.slice().with_data(), "sample");
    vec![format!("{}{of}", short(&input.name())), format!("{samples}{duration}")]
}

/// The last part of a path.
pub fn short(name: &str) -> String {
    name.rsplit('/').next().unwrap_or(name).to_owned()
}

#[derive(Serialize)]
struct DiffDocument<'a> {
    format: &'static str,
    version: u32,
    before: &'a str,
    after: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// What a band has before and after: nothing where it does not exist.
pub fn amounts(bytes: [f64; 2]) -> [Sentence; 2] {
    bytes.map(|bytes| if bytes > 0.0 { rounded(bytes) } else { say![] })
}

/// A change of an amount, with its sign.
pub fn signed(change: f64) -> Sentence {
    say![if change <= -0.5 { "-" } else { "+" }, rounded(change.abs())]
}
