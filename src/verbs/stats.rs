//! `heapviz stats`: what leaks, the figures of every band and of the run-time system, as text.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::analysis::runtime::{RunTimeFigures, TickyFigures, sum_of_times};
use crate::analysis::{BandFigures, Finding, Leak, Rise, of_cpu, place_of, rate};
use crate::base::sentence::{Sentence, joined, name, rounded, say, size};
use crate::base::text::visible;
use crate::base::units::{count, percent_text, whole_percent};
use crate::chart::{Known, LayerRole, NextSteps};
use crate::cli::args::{FigureArgs, LabelArgs, SourceLineArgs};
use crate::cli::read::runs;
use crate::cli::target::with_reports;
use crate::cli::write::write_each;
use crate::cli::{
    Blocks, Content, Document, DocumentKind, FlagUses, Format, GivenFlags, Input, InputReader,
    Instead, Job, Sources, Stop, Style, Table, Verb, output, targets,
};
use crate::export::json::{self, Detail};
use crate::profile::glossary::called;
use crate::profile::{Breakdown, Clock, HeapSeriesKind};
use crate::profile_view::{Measure, ProfileView, ViewOptions};
use crate::slice::{RowId, Slice};

const EXAMPLES: &str = "\
Examples:
  heapviz stats prog.eventlog               what grows, since when, and what to do
  heapviz stats --all prog.eventlog         and all figures of bands and of the run-time system
  heapviz stats --sort growth prog.hp       the bands that grow fastest first
  heapviz stats --from 'phase 2' --to 'phase 3' prog.eventlog      between two markers
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
    #[arg(short, long, value_name = "FORMAT", value_parser = Format::parser(&[DocumentKind::Figures]))]
    format: Option<Format>,

    /// Also show all that is known: every suspect, the figures of the bands, the run-time system
    #[arg(long)]
    all: bool,

    /// How to order the bands [default: mean]; with their table
    #[arg(long, value_name = "KEY")]
    sort: Option<Measure>,

    /// Show at most this many bands [default: 10], 0 for all; with their table
    #[arg(short = 'm', long, value_name = "N")]
    bands: Option<usize>,

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
    fn run(self, given: &GivenFlags) -> Result<ExitCode, Stop> {
        let targets =
            targets(&self.figures.output, self.format, Format::Txt, &[DocumentKind::Figures])?;
        let jobs = with_reports(&self.inputs);
        let sources = self.source.sources(self.figures.slice.privacy(), &self.inputs)?;
        output::protect(jobs.iter().flat_map(Job::inputs));
        output::refuse_protected(targets.iter().map(|target| &target.output))?;
        let reader = InputReader { instead: &[Instead::Runtime], ..self.figures.reader() };
        let readings = reader.read_all(&jobs);
        let reasons = readings.iter().filter_map(|reading| reader.why_no_samples(reading));
        reasons.for_each(|message| reader.voice.say(&message));
        let (sort, bands) = (self.sort.unwrap_or(Measure::Mean), self.bands.unwrap_or(MOST_BANDS));
        let options = ViewOptions::for_table(self.figures.slice.options(), sort, bands);
        let runs = runs(&readings, &options, reader.voice)
            .into_iter()
            .map(|(input, run)| {
                run.analysis();
                StatsRun { input, run }
            })
            .collect();
        let shown = match (self.all, self.sort.is_some() || self.bands.is_some()) {
            (true, _) => Shown::All,
            (false, true) => Shown::Bands,
            (false, false) => Shown::Screen,
        };
        let figures = StatsDocument { runs, shown, ticky: self.ticky };
        if !figures.runs.is_empty() {
            let mut style = Style::default();
            style.draw.units = self.figures.units.units;
            style.sources = sources;
            style.labels = self.labels.labels(self.figures.slice.privacy());
            let uses = FlagUses::new(given, None, self.format);
            write_each(&figures, &targets, &style, uses, reader.voice)?;
        }
        let all = figures.runs.len() == jobs.len();
        Ok(if all { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

/// The figures of runs, and which of them are shown.
pub struct StatsDocument<'a> {
    runs: Vec<StatsRun<'a>>,
    shown: Shown,
    /// Whether to list the ticky counters.
    ticky: bool,
}

/// How much is told of a run.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    /// What fits a screen of 24 lines.
    Screen,
    /// And the table of the bands.
    Bands,
    All,
}

/// A run, and the input that it was read from.
struct StatsRun<'a> {
    input: &'a Input,
    run: ProfileView<'a>,
}

impl Document for StatsDocument<'_> {
    fn kind(&self) -> DocumentKind {
        DocumentKind::Figures
    }

    /// A line for each run: the document of a chart without the samples.
    fn json(&self, style: &Style) -> Option<Content<'_>> {
        let identities: Vec<_> = self.runs.iter().map(|one| style.identity(&one.run)).collect();
        Some(Content::pieces(move |mut out| {
            self.runs.iter().zip(&identities).try_for_each(|(StatsRun { run, .. }, identity)| {
                json::write_to(run, identity, Detail::Figures(&[]), &mut out)
            })
        }))
    }

    fn blocks(&self, style: &Style) -> Option<Blocks> {
        let mut blocks = Blocks::default();
        if self.runs.len() > 1 {
            blocks.table(overview(&self.runs));
        }
        self.runs.iter().for_each(|one| self.detail(one, &style.sources, &mut blocks));
        Some(blocks)
    }
}

fn overview(runs: &[StatsRun<'_>]) -> Table {
    let mut table = Table::new(&["input", ">peak", ">growth", "verdict"]);
    for one in runs {
        let account = one.run.account();
        table.row(vec![
            one.name(),
            size(one.run.analysis().figures.heap.peak),
            match account.leak {
                Leak::Unknown => "?".into(),
                Leak::None => "0".into(),
                Leak::Possible | Leak::Likely => rate(account.rate(), account.clock),
            },
            account.grade().into(),
        ]);
    }
    table
}

impl StatsDocument<'_> {
    fn detail(&self, one: &StatsRun<'_>, sources: &Sources, blocks: &mut Blocks) {
        let account = one.run.account();
        if one.run.slice().is_empty() {
            blocks.heading(say![one.name(), ": no heap samples"]);
            let advice = account.sampling().map(|advice| advice.to_string().into());
            blocks.list(advice.into_iter().chain(live_bytes(one.run.slice())));
        } else {
            self.run_with_samples(one, sources, blocks);
        }
        for (word, line) in self.runtime_lines(one) {
            blocks.beside(word, line);
        }
        let steps = NextSteps::new(one.run.slice(), account, Known::Nothing);
        let next = steps.command().map(|command| say!["next: ", name(command)]);
        next.into_iter().for_each(|next| blocks.paragraph(next));
        if one.run.slice().is_empty() {
            generations(one.run.runtime()).into_iter().for_each(|table| blocks.table(table));
        }
        if self.ticky {
            match ticky_table(one.run.runtime()) {
                Some(table) => {
                    blocks.paragraph(TICKY_NOTE);
                    blocks.table(table);
                }
                None => blocks.paragraph(no_ticky(one)),
            }
        }
    }

    fn run_with_samples(&self, one: &StatsRun<'_>, sources: &Sources, blocks: &mut Blocks) {
        let account = one.run.account();
        blocks.heading(say![one.name(), ": ", one.run.headline()]);
        blocks.list([samples(one)].into_iter().chain(account.kept()));
        let most = if self.shown == Shown::All { usize::MAX } else { FEW };
        match (scattered(one), self.shown, account.suspects.is_empty()) {
            (Some(words), Shown::Screen, _) => blocks.paragraph(words),
            (None, Shown::Screen, true) => blocks.table(largest(one)),
            (_, Shown::Bands | Shown::All, true) => {}
            (_, _, false) => blocks.table(suspects(one, most)),
        }
        for suspect in account.suspects.iter().take(if most == FEW { 1 } else { most }) {
            blocks.list(about(account.breakdown, suspect));
            let place = suspect.place.as_deref();
            if let Some((place, line)) = place.and_then(|at| Some((at, sources.line(at)?))) {
                blocks.source(place, line);
            }
        }
        let remarks = account.remarks.iter().take(if most == FEW { 1 } else { most });
        remarks.for_each(|remark| blocks.paragraph(remark.words()));
        account.cure().into_iter().for_each(|cure| blocks.paragraph(cure.words()));
        if self.shown != Shown::Screen {
            blocks.table(bands(one));
            blocks.list(about_bands(one));
        }
    }

    /// What the run-time system did; on one screen only a collector that takes a fair part of the time, and memory that is
    /// held beyond what is live.
    fn runtime_lines(&self, one: &StatsRun<'_>) -> Vec<(&'static str, Sentence)> {
        /// Above this productivity, a collector is no news, and up to so many times the live data, memory that is held.
        const PRODUCTIVE: f64 = 80.0;
        const HELD: f64 = 4.0;
        let runtime = one.run.runtime();
        let pauses = runtime.gc.as_ref().is_some_and(|gc| gc.productivity_percent < PRODUCTIVE);
        let memory = runtime.memory.as_ref().and_then(|memory| memory.held_by_live);
        let is_held = memory.is_some_and(|times| times > HELD);
        let all = self.shown == Shown::All || one.run.slice().is_empty();
        let is_news = |line: &(&'static str, Sentence)| {
            all || line.0 == "collector" && pauses || line.0 == "memory" && is_held
        };
        runtime.lines().into_iter().filter(is_news).collect()
    }
}

/// So many suspects or bands fit a screen.
const FEW: usize = 3;

/// Where the largest few bands make less than this, none is named: none says what the program holds.
const FAIR_PERCENT: f64 = 10.0;

/// How many bands the heap, or what it gained, is spread over, if none has a fair part of it, and what combines them.
fn scattered(one: &StatsRun<'_>) -> Option<Sentence> {
    let (slice, suspects) = (one.run.slice(), &one.run.account().suspects);
    let heap = one.run.analysis().figures.heap.peak as f64;
    let (bands, share, whole) = if suspects.is_empty() {
        let peaks = rows(one).take(FEW).map(|(_, figures, _)| figures.peak as f64);
        (slice.rows().len(), 100.0 * peaks.sum::<f64>() / heap, "the heap")
    } else {
        let shares = suspects.iter().take(FEW).map(|suspect| suspect.share_percent);
        (suspects.len(), shares.sum(), "the growth")
    };
    if share >= FAIR_PERCENT {
        return None;
    }
    let single = slice.rows().filter(|row| slice.key(*row).is_some());
    let module = |row| {
        slice.with_band(slice.members(row)[0], |band| Some(band.frames().next()?.module.clone()))
    };
    let modules: HashSet<_> = single.map(module).collect();
    let is_known = modules.len() > 1 && modules.len() <= bands / 2;
    let way_out = if is_known { "; --group module combines them" } else { "" };
    let share = percent_text(share);
    Some(format!("{bands} bands: the largest {FEW} are {share} of {whole}{way_out}").into())
}

fn largest(one: &StatsRun<'_>) -> Table {
    let mut table = Table::new(&["band", ">peak", ">at", ">at the end"]);
    let slice = one.run.slice();
    for (row, figures, _) in rows(one).take(FEW) {
        let peak = figures.peak_sample;
        let at = place_of(slice.when(peak), slice.number(peak));
        let cells = vec![size(figures.peak), at.into(), size(figures.last)];
        table.named_row(one.run.names(row), cells);
    }
    table
}

impl StatsRun<'_> {
    fn name(&self) -> Sentence {
        name(self.input.title(self.run.slice().privacy()))
    }
}

/// What the log knows of the heap without a sample: the first live bytes, the most and the last.
fn live_bytes(slice: &Slice<'_>) -> Option<Sentence> {
    let heap = slice.heap();
    let live = &heap[HeapSeriesKind::Live];
    let mut points = vec![*live.points.first()?, live.peak()?, *live.points.last()?];
    points.dedup();
    let points = points.into_iter().map(|(time, bytes)| say![bytes, format!(" at {time}")]);
    Some(say!["live bytes: ", joined(points, ", "), "; draw shows them"])
}

/// What was measured: `-hy, 67 samples in 2.51 s, peak of 6.66 MiB`.
fn samples(one: &StatsRun<'_>) -> Sentence {
    let account = one.run.account();
    let flag = account.breakdown.flag().map_or(String::new(), |flag| format!("{flag}, "));
    let observed = account
        .observed
        .map_or(String::new(), |time| format!(" in {time}{}", of_cpu(account.clock)));
    let samples = count(one.run.slice().with_data(), "sample");
    let peak = size(one.run.analysis().figures.heap.peak);
    let is_told = matches!(account.finding, Finding::Peak { .. });
    let peak = if is_told { Sentence::default() } else { say![", peak of ", peak] };
    say![format!("{flag}{samples}{observed}"), peak]
}

/// What is known about a suspect beyond its numbers: `THUNK_1_1: unevaluated, made at Main.hs:3:5`.
fn about(breakdown: Breakdown, suspect: &Rise) -> Option<Sentence> {
    let sentence = breakdown.traits().sentence_of(&suspect.label);
    let kind = sentence.or(suspect.kind.map(|kind| kind.words())).map(Sentence::from);
    let objects =
        suspect.objects.map(|objects| format!("about {} at the end", two_digits(objects)));
    let place = suspect.place.as_ref().map(|place| say!["made at ", name(place)]);
    let parts: Vec<Sentence> =
        kind.into_iter().chain(objects.map(Sentence::from)).chain(place).collect();
    (!parts.is_empty()).then(|| say![name(called(&suspect.label)), ": ", joined(parts, ", ")])
}

/// A number with two digits that count, in groups of three: `430 000`.
fn two_digits(number: u64) -> String {
    let unit = 10u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    let digits = (number / unit * unit).to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| str::from_utf8(g).unwrap_or("")).collect();
    groups.join(" ")
}

fn suspects(one: &StatsRun<'_>, most: usize) -> Table {
    let account = one.run.account();
    let rate = per(account.clock);
    let heads = ["suspect", ">grew by", ">of growth", rate, ">since", ">at the end"];
    let mut table = Table::new(&heads);
    for suspect in account.suspects.iter().take(most) {
        let cells = vec![
            size(suspect.grew()),
            whole_percent(suspect.share_percent).into(),
            rounded(suspect.rate.max(0.0)),
            suspect.since_text().into(),
            size(suspect.at_end),
        ];
        match suspect.row() {
            Some(row) => table.named_row(one.run.names(row), cells),
            None => table.named_row(std::slice::from_ref(&suspect.label), cells),
        }
    }
    let others = account.suspects.get(most..).unwrap_or_default();
    let grew = others.iter().map(|suspect| suspect.grew()).fold(0, u64::saturating_add);
    if grew > 0 {
        let share = whole_percent(others.iter().map(|suspect| suspect.share_percent).sum());
        let more = format!("{} more", others.len());
        table.row(vec![more.into(), size(grew), share.into()]);
    }
    table
}

/// The shown bands with their figures and their growth, the first on top.
fn bands(one: &StatsRun<'_>) -> Table {
    let heads = ["band", ">mean", ">share", ">peak", ">at", ">last", per(one.run.account().clock)];
    let mut table = Table::new(&heads);
    for (row, figures, rate) in rows(one) {
        let (peak, slice) = (figures.peak_sample, one.run.slice());
        let cells = vec![
            rounded(figures.mean),
            percent_text(one.run.analysis().figures.share_percent(row)).into(),
            size(figures.peak),
            place_of(slice.when(peak), slice.number(peak)).into(),
            size(figures.last),
            rounded(rate),
        ];
        table.named_row(one.run.names(row), cells);
    }
    let others = one.run.chart().layers.iter().filter(|layer| layer.role == LayerRole::Other);
    let others: usize = others.map(|layer| layer.members).sum();
    if others > 0 {
        table.row(vec![format!("{others} more").into()]);
    }
    table
}

/// What is known about the shown bands besides their figures: their retainer sets, the bands of a
/// group.
fn about_bands<'a>(one: &'a StatsRun<'_>) -> impl Iterator<Item = Sentence> + 'a {
    let known = one.run.chart().layers.iter().rev().filter(|layer| !layer.about.is_empty());
    known.map(|layer| say![name(called(&layer.full_name)), ": ", visible(&layer.about.join("; "))])
}

/// The heading of a column of rates, as [`Table::new`] takes it.
fn per(clock: Clock) -> &'static str {
    match clock {
        Clock::Elapsed => ">a second",
        Clock::Mutator => ">a CPU second",
        Clock::Sample => ">a sample",
    }
}

/// The shown rows, the first on top, with their figures and rates.
fn rows<'a>(one: &'a StatsRun<'_>) -> impl Iterator<Item = (RowId, &'a BandFigures, f64)> {
    let kept: Vec<_> = one.run.chart().ranking.kept.iter().rev().copied().collect();
    let figures = &one.run.analysis().figures;
    let rates = one.run.growth(&kept);
    kept.into_iter().zip(rates).map(|(row, rate)| (row, &figures.bands[row.index()], rate))
}

/// The collections by generation; `None` without any.
fn generations(figures: &RunTimeFigures) -> Option<Table> {
    let gc = figures.gc.as_ref()?;
    let mut table = Table::new(&["generation", ">collections", ">paused", ">longest"]);
    for generation in &gc.generations {
        table.row(vec![
            generation.number.to_string().into(),
            generation.collections.to_string().into(),
            sum_of_times(generation.pause_ns).to_string().into(),
            generation.longest.to_string().into(),
        ]);
    }
    Some(table)
}

/// The ticky counters, most entries first; `None` without any.
fn ticky_table(figures: &RunTimeFigures) -> Option<Table> {
    if figures.ticky.is_empty() {
        return None;
    }
    // GHC fills the last column only when the program was compiled to count bytes.
    let has_others = figures.ticky.iter().any(|one| one.counts.allocated > 0);
    let has_places = figures.ticky.iter().any(|one| one.place.is_some());
    let mut head = vec!["closure", "kind", "args", ">entries", ">allocated by it"];
    head.extend(has_others.then_some(">of it"));
    head.extend(has_places.then_some("place"));
    let mut table = Table::new(&head);
    for TickyFigures { counter, counts, place, .. } in &figures.ticky {
        let mut row = vec![
            name(counter.label()),
            visible(&counter.kind).into(),
            visible(&counter.arguments).into(),
            counts.entries.to_string().into(),
            size(counts.allocations),
        ];
        row.extend(has_others.then(|| size(counts.allocated)));
        row.extend(has_places.then(|| place.as_ref().map(name).unwrap_or_default()));
        table.row(row);
    }
    Some(table)
}

/// The text above the ticky counters.
const TICKY_NOTE: &str =
    "ticky counters up to the last batch: what the program did after it is not counted";

/// Explains why no counters have counts.
fn no_ticky(one: &StatsRun<'_>) -> String {
    match one.run.slice().profile().runtime.ticky.counters.len() {
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
