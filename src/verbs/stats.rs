//! `heapviz stats`: what leaks, the figures of every band and of the run-time system, as text.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::analysis::runtime::{RunTimeFigures, TickyFigures, sum_of_times};
use crate::analysis::{BandFigures, Leak, Phase, Rise, Rows, place_text, rate_text};
use crate::base::text::visible;
use crate::base::units::{UnitSystem, count, percent_text};
use crate::chart::{KeyFigure, LayerRole};
use crate::export::csv;
use crate::export::json::{self, Detail};
use crate::kit::args::output::{FigureArgs, LabelArgs, SourceLineArgs};
use crate::kit::flags::{Given, Uses};
use crate::kit::formats::{Format, Kind};
use crate::kit::look::Look;
use crate::kit::output;
use crate::kit::read::{Instead, Reader, runs};
use crate::kit::source::{SourceLine, Sources};
use crate::kit::table::{Side, Table, WIDTH, code, cut, shortened, wrapped};
use crate::kit::target::{Input, Job, with_reports};
use crate::kit::verb::{Stop, Verb};
use crate::kit::write::{Document, Made, write_each};
use crate::profile::Clock;
use crate::run::{Measure, Run, RunOptions};
use crate::slice::RowId;

const EXAMPLES: &str = "\
Examples:
  heapviz stats prog.eventlog               what grows, since when, and the biggest bands
  heapviz stats --sort growth prog.hp       the bands that grow fastest first
  heapviz stats --phases prog.eventlog      and the run from marker to marker
  heapviz stats --ticky prog.eventlog       how often each closure was entered (-ticky, -lT)
  heapviz stats -f md prog.eventlog         for a pull request
  heapviz stats *.eventlog                  a line for each, then each in detail
";

const ENDING: &str = "\
Exit status: see `heapviz --help`. It does not depend on what is found; to fail when
something grows, use `heapviz check`.";

/// Reports what leaks, since when, and how certain that is, with figures for the bands
#[derive(Debug, Parser)]
#[command(before_help = EXAMPLES, after_long_help = ENDING)]
pub struct Stats {
    /// Profiles; `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    inputs: Vec<PathBuf>,

    /// Format, if the extension of FILE does not determine it [default: txt]
    #[arg(short, long, value_name = "FORMAT", value_parser = Format::parser(&[Kind::Figures]))]
    format: Option<Format>,

    /// How to order the bands; the first ones are shown
    #[arg(long, value_name = "KEY", default_value = "mean")]
    sort: Measure,

    /// Show at most this many bands; 0 shows all
    #[arg(short = 'm', long, value_name = "N", default_value_t = MOST_BANDS)]
    bands: usize,

    /// Also show the run from marker to marker
    #[arg(long)]
    phases: bool,

    /// Show the ticky counters, too (a program built with -ticky, run with +RTS -lT)
    #[arg(long)]
    ticky: bool,

    #[command(flatten)]
    labels: LabelArgs,

    #[command(flatten)]
    source: SourceLineArgs,

    #[command(flatten)]
    figures: FigureArgs,
}

/// How many bands the figures of a run have, unless another number is given.
pub const MOST_BANDS: usize = 10;

impl Verb for Stats {
    fn run(self, given: &Given) -> Result<ExitCode, Stop> {
        let targets = self.figures.targets(self.format, Format::Txt, &[Kind::Figures])?;
        let jobs = with_reports(&self.inputs);
        let sources = self.source.sources(self.figures.slice().privacy, &self.inputs)?;
        output::protect(jobs.iter().flat_map(Job::inputs));
        output::refuse_protected(targets.iter().map(|target| &target.output))?;
        let reader = Reader { instead: &[Instead::Runtime], ..self.figures.reader() };
        let readings = reader.read_all(&jobs);
        let reasons = readings.iter().filter_map(|reading| reader.why_no_samples(reading));
        reasons.for_each(|message| reader.voice.say(&message));
        let options = RunOptions::for_table(self.figures.slice(), self.sort, self.bands);
        let runs = runs(&readings, &options, reader.voice)
            .into_iter()
            .map(|(input, run)| {
                run.prepare_figures();
                Shown { input, run }
            })
            .collect();
        let figures = Figures { runs, phases: self.phases, ticky: self.ticky };
        if !figures.runs.is_empty() {
            let mut look = Look::default();
            look.draw.units = self.figures.units();
            look.sources = sources;
            look.labels = self.labels.labels(self.figures.slice().privacy);
            let mut uses = Uses::new(given, None, self.format);
            write_each(&figures, &targets, &look, &mut uses, reader.voice)?;
            uses.notes().iter().for_each(|note| reader.voice.say(note));
        }
        let all = figures.runs.len() == jobs.len();
        Ok(if all { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

/// The figures of runs, and which of them are shown.
pub struct Figures<'a> {
    runs: Vec<Shown<'a>>,
    /// Whether to list the phases.
    phases: bool,
    /// Whether to list the ticky counters.
    ticky: bool,
}

/// A run, and the input that it was read from.
struct Shown<'a> {
    input: &'a Input,
    run: Run<'a>,
}

impl Document for Figures<'_> {
    fn kind(&self) -> Kind {
        Kind::Figures
    }

    /// A line for each run: the document of a chart without the samples.
    fn json(&self, look: &Look) -> Option<Made<'_>> {
        let identities: Vec<_> = self.runs.iter().map(|one| look.identity(&one.run)).collect();
        Some(Made::pieces(move |mut out| {
            self.runs.iter().zip(&identities).try_for_each(|(Shown { run, .. }, identity)| {
                json::write_to(run, identity, Detail::Figures(&[]), &mut out)
            })
        }))
    }

    fn csv(&self) -> Option<Made<'_>> {
        Some(Made::text(csv(&self.runs)))
    }

    fn plain(&self, look: &Look) -> Option<String> {
        Some(plain(&self.runs, &self.options(look)))
    }

    fn markdown(&self, look: &Look) -> Option<String> {
        Some(markdown(&self.runs, &self.options(look)))
    }
}

impl Figures<'_> {
    fn options<'l>(&self, look: &'l Look) -> Options<'l> {
        let (units, sources) = (look.draw.units, &look.sources);
        Options { units, sources, phases: self.phases, ticky: self.ticky }
    }
}

struct Options<'a> {
    units: UnitSystem,
    /// Where lines of source are.
    sources: &'a Sources,
    phases: bool,
    ticky: bool,
}

fn plain(found: &[Shown<'_>], options: &Options<'_>) -> String {
    let mut out = String::new();
    if found.len() > 1 {
        let mut table = Table::new(&[
            ("input", Side::Left),
            ("peak", Side::Right),
            ("growth", Side::Right),
            ("verdict", Side::Left),
        ]);
        for one in found {
            let verdict = &one.run.analysis().verdict;
            table.row(vec![
                one.input.shown(one.run.slice().privacy()),
                options.units.text(one.run.analysis().figures.heap.peak),
                match verdict.leak {
                    Leak::Unknown => "?".to_owned(),
                    Leak::None => "0".to_owned(),
                    Leak::Possible | Leak::Likely => {
                        rate_text(verdict.rate, verdict.clock, options.units)
                    }
                },
                verdict.grade().to_owned(),
            ]);
        }
        out.push_str(&table.text());
    }
    for one in found {
        if !out.is_empty() {
            out.push('\n');
        }
        detail(&mut out, one, options);
    }
    out
}

/// The heading of an input: `prog.hp  -hy, 67 samples in 2.51 s, peak 6.66 MiB`.
fn heading(one: &Shown<'_>, units: UnitSystem) -> String {
    if one.run.slice().is_empty() {
        return "no heap samples".to_owned();
    }
    let verdict = &one.run.analysis().verdict;
    let flag = verdict.breakdown.flag().map_or(String::new(), |flag| format!("{flag}, "));
    let observed = verdict.observed.map_or(String::new(), |time| match verdict.clock {
        Clock::Mutator => format!(" in {time} of CPU"),
        Clock::Elapsed | Clock::Sample => format!(" in {time}"),
    });
    let peak = units.text(one.run.analysis().figures.heap.peak);
    format!("{flag}{}{observed}, peak {peak}", count(verdict.samples, "sample"))
}

fn detail(out: &mut String, one: &Shown<'_>, options: &Options<'_>) {
    let (verdict, units) = (&one.run.analysis().verdict, options.units);
    let _ = writeln!(
        out,
        "{}  {}",
        visible(&one.input.shown(one.run.slice().privacy())),
        heading(one, units)
    );
    if one.run.slice().is_empty() {
        return run_time(out, one, options);
    }
    let grade = verdict.grade();
    let grade = if verdict.leak == Leak::Likely { grade.to_uppercase() } else { grade.to_owned() };
    let name = |row| one.run.name_of(row);
    let headline = format!("{grade}: {}", verdict.fact(units, &name));
    let movements = verdict.movements.iter().filter(|_| verdict.movements.len() > 1);
    let movements = movements.map(|movement| movement.text(units, &name));
    out.push_str(&wrapped("", &visible(&headline)));
    for line in verdict.details(units).into_iter().chain(movements) {
        out.push_str(&wrapped("  ", &visible(&line)));
    }
    if !verdict.suspects.is_empty() {
        let _ = write!(out, "\n{}", suspects(one, units).text());
        for suspect in &verdict.suspects {
            if let Some(remark) = about(suspect) {
                let _ = writeln!(out, "  {}", visible(&remark));
            }
            if let Some(line) = source_of(suspect, options.sources) {
                let _ = writeln!(out, "{}", cut(&line.shown(), WIDTH));
            }
        }
    }
    for remark in &verdict.remarks {
        let _ = write!(out, "\n{}", wrapped("", &visible(&remark.text(units, &str::to_owned))));
    }
    if let Some(step) = verdict.next_step() {
        let _ = write!(out, "\n{}", wrapped("", &step));
    }
    let _ = write!(out, "\n{}", bands(one, units).text());
    about_bands(out, one);
    if options.phases {
        let _ = match phases(one, units) {
            None => write!(out, "\n{NO_PHASES}\n"),
            Some(table) => write!(out, "\n{}", table.text()),
        };
    }
    run_time(out, one, options);
}

/// What the run-time system did, for a terminal.
fn run_time(out: &mut String, one: &Shown<'_>, options: &Options<'_>) {
    write_run_time(out, one.run.runtime(), options.units);
    if one.run.slice().is_empty()
        && let Some(table) = generations(one.run.runtime())
    {
        let _ = write!(out, "\n{}", table.text());
    }
    if options.ticky {
        let _ = match ticky_table(one.run.runtime(), options.units) {
            Some(table) => write!(out, "\n{}\n{}", wrapped("", TICKY_NOTE), table.text()),
            None => write!(out, "\n{}", wrapped("", &no_ticky(one))),
        };
    }
}

/// What is known about a suspect beyond its numbers: `THUNK_1_1: unevaluated, made at Main.hs:3:5`.
fn about(suspect: &Rise) -> Option<String> {
    let kind = suspect.kind.map(|kind| kind.words().to_owned());
    let objects = suspect.objects.map(|objects| format!("about {} at the end", rounded(objects)));
    let place = suspect.place.as_ref().map(|place| format!("made at {place}"));
    let parts: Vec<String> = kind.into_iter().chain(objects).chain(place).collect();
    (!parts.is_empty()).then(|| format!("{}: {}", suspect.label, parts.join(", ")))
}

/// A number with two digits that count, in groups of three: `430 000`.
fn rounded(number: u64) -> String {
    let unit = 10u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    let digits = (number / unit * unit).to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| str::from_utf8(g).unwrap_or("")).collect();
    groups.join(" ")
}

/// The line of source that makes a suspect.
fn source_of(suspect: &Rise, sources: &Sources) -> Option<SourceLine> {
    suspect.place.as_ref().and_then(|place| sources.line(place))
}

fn suspects(one: &Shown<'_>, units: UnitSystem) -> Table {
    let (verdict, rows) = (one.run.verdict(), Rows::of(one.run.slice()));
    let mut table = Table::new(&[
        ("suspect", Side::Left),
        ("grew by", Side::Right),
        ("of growth", Side::Right),
        (per(verdict.clock), Side::Right),
        ("since", Side::Right),
        ("at the end", Side::Right),
    ]);
    let size = |bytes: u64| units.text(u128::from(bytes));
    let rate = |rate: f64| units.text(rate.max(0.0).round() as u128);
    const MOST: usize = 8;
    for suspect in verdict.suspects.iter().take(MOST) {
        let cells = vec![
            size(suspect.grew),
            format!("{:.0} %", suspect.share_percent),
            rate(suspect.rate),
            suspect.since_text(),
            size(suspect.at_end),
        ];
        match suspect.row {
            Some(row) => table.named_row(one.run.names(rows.id(row)), cells),
            None => table.named_row(std::slice::from_ref(&suspect.label), cells),
        }
    }
    let named: u64 = verdict.suspects.iter().take(MOST).map(|suspect| suspect.grew).sum();
    let others = verdict.growing.saturating_sub(verdict.suspects.len().min(MOST));
    if others > 0 && verdict.grew > named {
        let share = 100.0 * (verdict.grew - named) as f64 / verdict.grew as f64;
        table.rest(
            &format!("{others} more"),
            vec![
                size(verdict.grew - named),
                format!("{share:.0} %"),
                String::new(),
                String::new(),
                String::new(),
            ],
        );
    }
    table
}

/// The shown bands with their figures and their growth, the first on top.
fn bands(one: &Shown<'_>, units: UnitSystem) -> Table {
    let has_deviation = one.run.chart().figure == KeyFigure::Deviation;
    let mut heads = vec![
        ("band", Side::Left),
        ("mean", Side::Right),
        ("share", Side::Right),
        ("peak", Side::Right),
        ("at", Side::Right),
        ("last", Side::Right),
        (per(one.run.analysis().verdict.clock), Side::Right),
    ];
    heads.extend(has_deviation.then_some(("deviation", Side::Right)));
    let mut table = Table::new(&heads);
    let size = |bytes: u64| units.text(u128::from(bytes));
    for (row, figures, rate) in rows(one) {
        let mut cells = vec![
            units.text(figures.mean.round() as u128),
            percent_text(one.run.analysis().figures.share_percent(row.index())),
            size(figures.peak),
            place_text(
                one.run.slice().when(figures.peak_sample),
                one.run.slice().number(figures.peak_sample) - 1,
            ),
            size(figures.last),
            rate_cell(rate, units),
        ];
        if has_deviation {
            let chart = one.run.chart();
            let deviation = chart.layer_of(row).and_then(|layer| chart.layers[layer].figure);
            cells.push(units.text(deviation.unwrap_or(0.0).round() as u128));
        }
        table.named_row(one.run.names(row), cells);
    }
    let others: usize = one
        .run
        .chart()
        .layers
        .iter()
        .filter(|layer| layer.role == LayerRole::Other)
        .map(|layer| layer.members)
        .sum();
    if others > 0 {
        table.rest(&format!("{others} more"), vec![String::new(); heads.len() - 1]);
    }
    table
}

/// What is known about the shown bands besides their figures: their retainer sets, the bands of a
/// group.
fn about_bands(out: &mut String, one: &Shown<'_>) {
    let known: Vec<_> =
        one.run.chart().layers.iter().rev().filter(|layer| !layer.about.is_empty()).collect();
    out.push_str(if known.is_empty() { "" } else { "\n" });
    for layer in known {
        let text = visible(&format!("{}: {}", layer.full_name, layer.about.join("; ")));
        let _ = write!(out, "{}", wrapped("", &text));
    }
}

/// The heading of a column of rates.
fn per(clock: Clock) -> &'static str {
    match clock {
        Clock::Elapsed => "a second",
        Clock::Mutator => "a CPU second",
        Clock::Sample => "a sample",
    }
}

fn rate_cell(rate: f64, units: UnitSystem) -> String {
    let sign = if rate < 0.0 { "-" } else { "" };
    format!("{sign}{}", units.text(rate.abs().round() as u128))
}

/// The shown rows, the first on top, with their figures and rates.
fn rows<'a>(one: &'a Shown<'_>) -> impl Iterator<Item = (RowId, &'a BandFigures, f64)> {
    let kept: Vec<_> = one.run.chart().ranking.kept.iter().rev().copied().collect();
    let figures = &one.run.analysis().figures;
    let rates = one.run.growth(&kept);
    kept.into_iter().zip(rates).map(|(row, rate)| (row, &figures.bands[row.index()], rate))
}

const NO_PHASES: &str = "no markers, so no phases";

/// The phases of a run; `None` without any.
fn phases(one: &Shown<'_>, units: UnitSystem) -> Option<Table> {
    if one.run.analysis().phases.is_empty() {
        return None;
    }
    let mut table = Table::new(&[
        ("phase", Side::Left),
        ("from", Side::Right),
        ("to", Side::Right),
        ("samples", Side::Right),
        ("mean", Side::Right),
        ("peak", Side::Right),
        ("gained most", Side::Left),
    ]);
    for Phase { label, from, to, samples, mean, peak, gained, .. } in &one.run.analysis().phases {
        table.row(vec![
            label.clone().unwrap_or_else(|| "(start)".to_owned()),
            from.to_string(),
            to.to_string(),
            samples.to_string(),
            units.text(*mean),
            units.text(*peak),
            gained.as_ref().map_or(String::new(), |gain| {
                let label = shortened(&gain.label, 20);
                format!("{label} +{}", units.text(u128::from(gain.bytes)))
            }),
        ]);
    }
    Some(table)
}

/// For a pull request: the verdict first, then the tables.
fn markdown(found: &[Shown<'_>], options: &Options<'_>) -> String {
    let units = options.units;
    let mut out = String::new();
    for (i, one) in found.iter().enumerate() {
        let verdict = &one.run.analysis().verdict;
        out.push_str(if i > 0 { "\n" } else { "" });
        if one.run.slice().is_empty() {
            let _ = writeln!(
                out,
                "### {}: no heap samples",
                code(&visible(&one.input.shown(one.run.slice().privacy())))
            );
            if let Some(advice) = verdict.sampling() {
                let _ = writeln!(out, "\n{advice}");
            }
            run_time_markdown(&mut out, one, options);
            continue;
        }
        let _ = writeln!(
            out,
            "### {}: {}\n",
            code(&visible(&one.input.shown(one.run.slice().privacy()))),
            verdict.grade()
        );
        // In Markdown a name is code: it may contain anything.
        let quote = |name: &str| code(&visible(name));
        let name = |row| one.run.name_of(row).map(|name| quote(&name));
        let facts = [vec![verdict.fact(units, &name)], verdict.details(units)].concat();
        let _ = writeln!(out, "{}; {}.", heading(one, units), facts.join("; "));
        if verdict.movements.len() > 1 {
            out.push('\n');
            for movement in &verdict.movements {
                let _ = writeln!(out, "- {}", visible(&movement.text(units, &name)));
            }
        }
        if !verdict.suspects.is_empty() {
            let _ = write!(out, "\n{}", suspects(one, units).markdown());
            let line = |suspect| Some((suspect, source_of(suspect, options.sources)?));
            for (at, (suspect, line)) in verdict.suspects.iter().filter_map(line).enumerate() {
                let place = suspect.place.as_deref().unwrap_or_default();
                let begin = if at == 0 { "\n" } else { "" };
                let _ = writeln!(out, "{begin}- {}: {}", code(place), code(&line.text));
            }
        }
        for remark in &verdict.remarks {
            let _ = writeln!(out, "\n{}", visible(&remark.text(units, &quote)));
        }
        if let Some(step) = verdict.next_step() {
            let _ = writeln!(out, "\n{step}");
        }
        let _ = write!(out, "\n{}", bands(one, units).markdown());
        if options.phases {
            let _ = match phases(one, units) {
                None => write!(out, "\n{NO_PHASES}\n"),
                Some(table) => write!(out, "\n{}", table.markdown()),
            };
        }
        run_time_markdown(&mut out, one, options);
    }
    out
}

/// What the run-time system did, as Markdown.
fn run_time_markdown(out: &mut String, one: &Shown<'_>, options: &Options<'_>) {
    let lines = one.run.runtime().lines(options.units);
    out.push_str(if lines.is_empty() { "" } else { "\n" });
    for (word, line) in lines {
        let word = if word.is_empty() { String::new() } else { format!("{word}: ") };
        let _ = writeln!(out, "- {word}{line}");
    }
    if options.ticky {
        let _ = match ticky_table(one.run.runtime(), options.units) {
            Some(table) => write!(out, "\n{}\n{}", wrapped("", TICKY_NOTE), table.markdown()),
            None => write!(out, "\n{}", wrapped("", &no_ticky(one))),
        };
    }
}

/// A row for each shown band of each input, in bytes, seconds and bytes a second.
fn csv(found: &[Shown<'_>]) -> String {
    let mut out = String::from(
        "input,band,peak,peak_sample,mean,last,share_percent,growth,suspect,grew,since_s\r\n",
    );
    for one in found {
        for ((row, figures, rate), layer) in rows(one).zip(one.run.chart().layers.iter().rev()) {
            let suspects = &one.run.analysis().verdict.suspects;
            let suspect = suspects.iter().find(|suspect| suspect.row == Some(row.index()));
            let since = suspect.and_then(|suspect| suspect.since);
            let _ = writeln!(
                out,
                "{},{},{},{},{:.0},{},{:.3},{:.0},{},{},{}\r",
                csv::field(&one.input.shown(one.run.slice().privacy())),
                csv::field(&layer.full_name),
                figures.peak,
                one.run.slice().number(figures.peak_sample),
                figures.mean,
                figures.last,
                one.run.analysis().figures.share_percent(row.index()),
                rate,
                if suspect.is_some() { "yes" } else { "no" },
                suspect.map_or(0, |suspect| suspect.grew),
                since.map_or(String::new(), |time| time.as_seconds().to_string()),
            );
        }
    }
    out
}

/// The collections by generation; `None` without any.
fn generations(figures: &RunTimeFigures) -> Option<Table> {
    let gc = figures.gc.as_ref()?;
    let mut table = Table::new(&[
        ("generation", Side::Left),
        ("collections", Side::Right),
        ("paused", Side::Right),
        ("longest", Side::Right),
    ]);
    for generation in &gc.generations {
        table.row(vec![
            generation.number.to_string(),
            generation.collections.to_string(),
            sum_of_times(generation.pause_ns).to_string(),
            generation.longest.to_string(),
        ]);
    }
    Some(table)
}

/// The ticky counters, most entries first; `None` without any.
fn ticky_table(figures: &RunTimeFigures, units: UnitSystem) -> Option<Table> {
    if figures.ticky.is_empty() {
        return None;
    }
    // GHC fills the last column only when the program was compiled to count bytes.
    let has_others = figures.ticky.iter().any(|one| one.counts.allocated > 0);
    let has_curves = figures.ticky.iter().any(|one| !one.curve.is_empty());
    let has_places = figures.ticky.iter().any(|one| one.place.is_some());
    let mut head = vec![
        ("closure", Side::Left),
        ("kind", Side::Left),
        ("args", Side::Left),
        ("entries", Side::Right),
        ("allocated by it", Side::Right),
    ];
    head.extend(has_others.then_some(("of it", Side::Right)));
    head.extend(has_curves.then_some(("entries over time", Side::Left)));
    head.extend(has_places.then_some(("place", Side::Left)));
    let mut table = Table::new(&head);
    for TickyFigures { counter, counts, curve: over_time, place, .. } in &figures.ticky {
        let mut row = vec![
            counter.label(),
            counter.kind.clone(),
            counter.arguments.clone(),
            counts.entries.to_string(),
            units.text(counts.allocations.into()),
        ];
        row.extend(has_others.then(|| units.text(counts.allocated.into())));
        row.extend(has_curves.then(|| curve(over_time)));
        row.extend(has_places.then(|| place.clone().unwrap_or_default()));
        table.row(row);
    }
    Some(table)
}

/// Numbers as a row of blocks, the highest for the greatest.
fn curve(numbers: &[u64]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let greatest = u128::from(numbers.iter().copied().max().unwrap_or(0).max(1));
    let block = |&number: &u64| match number {
        0 => ' ',
        _ => BLOCKS[(u128::from(number) * 8).div_ceil(greatest) as usize - 1],
    };
    numbers.iter().map(block).collect()
}

/// The text above the ticky counters.
const TICKY_NOTE: &str =
    "ticky counters up to the last batch: what the program did after it is not counted";

/// Explains why no counters have counts.
fn no_ticky(one: &Shown<'_>) -> String {
    match one.run.slice().profile().runtime.ticky.counters().len() {
        0 => "no ticky counters: build with -ticky, and run with +RTS -lT; GHC 9.0 writes them only as \
              text, with -r"
            .to_owned(),
        counters => format!(
            "{}, but no counts: these are written after a collection, once in each interval of \
             -i; let the program run longer, or give a shorter -i",
            count(counters, "ticky counter")
        ),
    }
}

/// Adds the lines, and a blank line before them.
fn write_run_time(out: &mut String, figures: &RunTimeFigures, units: UnitSystem) {
    let lines = figures.lines(units);
    if !lines.is_empty() {
        out.push('\n');
    }
    for (word, line) in lines {
        let _ = writeln!(out, "{word:<15}{line}");
    }
}
