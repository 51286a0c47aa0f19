//! The page's facts about the run, as the JSON document at the start of its data: texts and options, what
//! was found, and the comparison with another run, with the numbers that bands have in the page.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;

use super::LeadLine;
use super::band_table::PageBands;
use super::stack_data;
use super::{ReportOptions, ReportRun, run_data};
use crate::analysis::{Analysis, CAUTION, Leak, Remark, Rise};
use crate::base::date::DAY;
use crate::base::sentence::{Sentence, say};
use crate::base::text::visible;
use crate::base::units::{Nanos, UnitSystem};
use crate::chart::{Chart, Clock, Condition, HeapSeriesKind, Known, LayerRole, NextSteps, Source};
use crate::compare::{BandRow, Change, Comparison, FigureRow};
use crate::draw::colour::{layer_paints, preferred};
use crate::draw::{
    DrawOptions, Heading, Messages, TitleOptions, View, XAxis, axis_title, heap_lines,
};
use crate::picture::Theme;
use crate::profile::Traits;
use crate::profile_view::{ProfileView, VerdictChoice};
use crate::slice::{Privacy, RowId, SampleNumber, Slice};
use crate::tree::Weight;

/// The most suspects that are described.
const MOST_SUSPECTS: usize = 8;

/// Everything about the run that is not a column. All texts are [`visible`].
#[derive(Serialize)]
pub struct PageFacts {
    /// The label of its tab, if there are several runs.
    run: String,
    #[serde(flatten)]
    heading: HeadingFacts,
    #[serde(flatten)]
    input: InputFacts,
    #[serde(flatten)]
    view: ViewFacts,
    /// The numbers of all bands, of bands in OTHER, and of trace elements.
    counts: [usize; 3],
    /// What the frames of bands are: `stack`, `set` or `one`.
    parts: &'static str,
    verdict: Option<VerdictFacts>,
    compared: Option<ComparedFacts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lead: Vec<LeadLine>,
    steps: NextSteps,
    runtime: Vec<Sentence>,
    /// An address with `{file}` and `{line}` in it.
    source_url: Option<String>,
    /// Lines of source by their places.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    source_lines: BTreeMap<String, String>,
    tree: TreeFacts,
    left_out: OmittedData,
}

/// The texts above and below the chart.
#[derive(Serialize)]
struct HeadingFacts {
    /// The title of the window, even without a heading.
    title: String,
    heading: bool,
    facts: Vec<String>,
    notes: Vec<String>,
}

/// What the input says about the run, and what is to be said about the input.
#[derive(Serialize)]
struct InputFacts {
    job: Option<String>,
    /// What only the page has room for: facts with their names.
    about: Vec<(String, String)>,
    source: Source,
    breakdown: &'static Traits,
    clock: Clock,
    first_sample: SampleNumber,
    samples: usize,
    /// The first and the last sample that are drawn, from 0.
    censuses: [usize; 2],
    /// How many of the samples are not empty.
    with_data: usize,
    /// The name of the file, without its folders.
    file: Option<String>,
    /// Whether it is only a part of the run.
    part: bool,
    /// See [`is_renamed`].
    renamed: bool,
    excluded: usize,
    warnings: Vec<String>,
    losses: Option<String>,
    advice: Vec<String>,
}

/// What the chart looks like at first.
#[derive(Serialize)]
struct ViewFacts {
    view: View,
    x: XAxis,
    /// The title of the axis.
    axis: String,
    /// On an axis of clock time, when the run began: days since 1970, and nanoseconds of that day (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<[i64; 2]>,
    scale: ScaleFacts,
    units: UnitSystem,
    /// The heap lines of the picture, by id.
    lines: Vec<&'static str>,
    messages: bool,
    /// The flags of the command that made the page, each followed by its values.
    flags: Vec<Vec<String>>,
    theme: Option<Theme>,
    /// Colours of the drawn bands, bottom first.
    colours: Vec<String>,
    /// Whether suspects are at the bottom, and all else is pale until the reader chooses bands.
    suspects_lead: bool,
    /// Colours of the other bands: by name if it is in this list, otherwise by the hash of the name.
    named: Vec<(&'static str, String)>,
    by_hash: Vec<String>,
}

/// The initial view of the tree of stacks, if it was asked for.
#[derive(Serialize)]
struct TreeFacts {
    weight: Option<&'static str>,
}

/// The ends of the axes, if they were given.
#[derive(Serialize)]
struct ScaleFacts {
    from: Option<Nanos>,
    to: Option<Nanos>,
    samples: Option<usize>,
    top: Option<u64>,
}

/// Data that did not fit, or that JavaScript's numbers cannot express.
#[derive(Serialize)]
struct OmittedData {
    /// The bands that are not in the page, and their total.
    bands: (usize, f64),
    markers: usize,
    heap_points: usize,
    /// The most frames of a stack that are shown; `None` if all are.
    depth: Option<usize>,
    /// How many bands have a total over all samples that exceeds JavaScript's exact integers; such totals
    /// are set to the greatest of these.
    held: usize,
}

/// The facts of a run, together with how many frames of a stack are shown, and its comparison to another run.
pub fn facts(
    report: &ReportRun<'_>,
    bands: &PageBands,
    depth: Option<usize>,
    compared: Option<&ComparedSide<'_>>,
) -> PageFacts {
    let ReportRun { name, run, options } = *report;
    let (slice, chart) = (run.slice(), run.picture());
    let ranking = &chart.ranking;
    PageFacts {
        run: visible(name),
        heading: heading_facts(chart, &options.draw.heading),
        input: input_facts(report),
        view: view_facts(chart, options),
        counts: [
            ranking.kept.len() + ranking.other.len() + ranking.trace.len(),
            ranking.other.len(),
            ranking.trace.len(),
        ],
        parts: stack_data::kind(slice),
        verdict: (run.options().verdict == VerdictChoice::Show)
            .then(|| verdict_facts(report, bands)),
        compared: compared.map(|compared| compared.facts(bands, chart.clock)),
        lead: options.lead.clone(),
        steps: NextSteps::new(
            slice,
            run.account(),
            match compared {
                _ if !options.lead.is_empty() => Known::Hunted,
                Some(compared) if compared.is_cured() => Known::Cured,
                Some(_) | None => Known::Nothing,
            },
        ),
        runtime: run.runtime().lines().into_iter().map(runtime_line).collect(),
        source_url: options.source_url.clone(),
        source_lines: options.source_lines.clone(),
        tree: TreeFacts { weight: options.weight.map(Weight::name) },
        left_out: OmittedData {
            bands: (bands.left_out.0, bands.left_out.1 as f64),
            markers: run_data::markers_left_out(chart, &options.draw.markers),
            heap_points: run_data::heap_points_left_out(chart),
            depth,
            held: (ranking.totals.iter()).filter(|&&total| total > u128::from(u64::MAX)).count(),
        },
    }
}

/// A line about the run-time system as a clause, with the word that it begins with.
fn runtime_line((word, line): (&'static str, Sentence)) -> Sentence {
    if word.is_empty() { line } else { say![word, ": ", line] }
}

fn heading_facts(chart: &Chart, heading: &TitleOptions) -> HeadingFacts {
    HeadingFacts {
        title: visible(match &heading.title {
            Heading::Text(title) => title,
            Heading::Auto | Heading::None => &chart.title,
        }),
        heading: heading.title != Heading::None,
        facts: match &heading.subtitle {
            Heading::Auto => chart.facts.iter().map(|fact| visible(fact)).collect(),
            Heading::Text(text) => vec![visible(text)],
            Heading::None => Vec::new(),
        },
        notes: chart.notes.iter().map(|note| visible(note)).collect(),
    }
}

fn input_facts(report: &ReportRun<'_>) -> InputFacts {
    let run = report.run;
    let (slice, chart) = (run.slice(), run.picture());
    let (profile, metadata) = (slice.profile(), slice.metadata());
    let seen = |text: &Option<String>| text.as_deref().map(|text| visible(text.trim()));
    InputFacts {
        job: seen(&metadata.job),
        about: about(run),
        source: profile.source,
        breakdown: profile.breakdown.traits(),
        clock: chart.clock,
        first_sample: chart.number(0),
        samples: chart.times.len(),
        censuses: [chart.censuses.start, chart.censuses.end.saturating_sub(1)],
        with_data: chart.with_data(),
        file: run.file().and_then(name_of).map(|name| visible(&name)),
        part: slice.len() < profile.samples.len(),
        renamed: is_renamed(slice),
        excluded: chart.excluded.bands,
        warnings: chart.warnings.iter().map(|warning| visible(&warning.message)).collect(),
        losses: profile.losses().summary(slice.len()),
        advice: run.advice().to_vec(),
    }
}

fn about(run: &ProfileView<'_>) -> Vec<(String, String)> {
    let (slice, chart) = (run.slice(), run.picture());
    let metadata = slice.metadata();
    let seen = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let period = metadata.period_ns.map(|period| match i64::try_from(period) {
        Ok(0) => "at every collection".to_owned(),
        period => Nanos::from_nanos(period.unwrap_or(i64::MAX)).to_string(),
    });
    let source = match slice.profile().source {
        Source::Eventlog => "event log",
        Source::Hp => "text profile (.hp)",
        Source::Prof => "time profile (.prof)",
    };
    let end = match chart.condition {
        Condition::Whole => "with its end mark",
        Condition::Open => "without its end mark: killed or still running",
        Condition::Cut => "cut off",
        Condition::Damaged => "damaged inside",
        Condition::Running => "",
    };
    let mut about = vec![
        ("program".to_owned(), seen(&metadata.job)),
        ("arguments".to_owned(), metadata.arguments.join(" ")),
        ("run-time system".to_owned(), seen(&metadata.rts)),
        ("run-time flags".to_owned(), metadata.rts_flags().join(" ")),
        ("began".to_owned(), seen(&metadata.date)),
        ("break-down".to_owned(), chart.breakdown.words().to_owned()),
    ];
    let filters = metadata.filters.set();
    about.extend(filters.map(|(name, text)| (format!("only {name}"), text.to_owned())));
    about.extend([
        ("requested sample interval".to_owned(), period.unwrap_or_default()),
        ("source".to_owned(), source.to_owned()),
        ("end of the file".to_owned(), end.to_owned()),
        ("made by".to_owned(), format!("heapviz {}", env!("CARGO_PKG_VERSION"))),
    ]);
    about.retain(|(_, text)| !text.is_empty());
    about.iter_mut().for_each(|(_, text)| *text = visible(text));
    about
}

/// The name of a file without its folders.
fn name_of(file: &str) -> Option<String> {
    Some(Path::new(file).file_name()?.to_string_lossy().into_owned())
}

/// Whether bands have other names than in the file: those of groups, or redacted ones.
fn is_renamed(slice: &Slice<'_>) -> bool {
    let profile = slice.profile();
    slice.rows().any(|row| {
        let members = slice.members(row);
        let is_group = members.len() > 1 && !profile.breakdown.traits().is_renumbered;
        let is_cut = || {
            members.first().is_some_and(|&band| slice.band(band).label != profile.band(band).label)
        };
        is_group || slice.privacy() == Privacy::Redact && is_cut()
    })
}

fn view_facts(chart: &Chart, options: &ReportOptions) -> ViewFacts {
    let draw = &options.draw;
    let palette = draw.palette;
    let theme = options.theme.unwrap_or_default();
    let layers = chart.layers.iter().zip(layer_paints(chart, palette));
    let bands = layers.filter(|(layer, _)| layer.role == LayerRole::Band);
    let preferred = preferred(chart.breakdown, palette);
    let started = chart.started_unix_ns.filter(|_| draw.x == XAxis::Clock);
    ViewFacts {
        started: started.map(|at| [at.div_euclid(DAY), at.rem_euclid(DAY)]),
        view: draw.view,
        x: draw.x,
        axis: axis_title(chart, draw),
        scale: ScaleFacts {
            from: draw.scale.time_min,
            to: draw.scale.time_max,
            samples: draw.scale.sample_max,
            top: draw.scale.heap_max.map(|top| top.get()),
        },
        units: draw.units,
        lines: heap_lines(chart, &picture(draw)).into_iter().map(HeapSeriesKind::id).collect(),
        messages: draw.markers.messages == Messages::Show,
        flags: options.flags.clone(),
        theme: options.theme,
        colours: bands.map(|(_, paint)| paint.at_full().rgb(theme).to_string()).collect(),
        suspects_lead: chart.suspects_lead,
        named: preferred.named.iter().map(|(name, rgb)| (*name, rgb.to_string())).collect(),
        by_hash: preferred.by_hash.iter().map(ToString::to_string).collect(),
    }
}

/// The picture that a page begins as.
fn picture(draw: &DrawOptions) -> DrawOptions {
    let DrawOptions { x, scale, .. } = *draw;
    DrawOptions { x, scale, heap_lines: draw.heap_lines.clone(), ..DrawOptions::default() }
}

#[derive(Serialize)]
struct VerdictFacts {
    leak: Leak,
    words: String,
    /// What is known of the heap.
    facts: Sentence,
    /// The cure, or a caution.
    next: Option<String>,
    /// What stays of all that is allocated: a clause without a full stop.
    kept: Option<Sentence>,
    growing: usize,
    /// The suspects that are bands of the page.
    suspects: Vec<SuspectFacts>,
    /// The bands that are marked: the suspects first, and then all others that the headline counts.
    marked: Vec<u32>,
    /// The heap figure that is accused, by id, and the number of bytes that it grew by, if no band contains what grows.
    outside: Option<(&'static str, u64)>,
    /// The last sample before the exit of the program, where the finding is about that.
    before_exit: Option<usize>,
    /// The lows of what is accused, each with its time and bytes; often empty.
    lows: Vec<(Nanos, u64)>,
    remarks: Vec<Sentence>,
}

#[derive(Serialize)]
struct SuspectFacts {
    band: u32,
    grew: u64,
    share: f64,
    rate: f64,
    since: usize,
    /// Since when, in words: `the start`, `1.5 s`.
    since_words: String,
    kind: Option<&'static str>,
    place: Option<String>,
}

fn verdict_facts(report: &ReportRun<'_>, bands: &PageBands) -> VerdictFacts {
    let account = report.run.account();
    let suspect = |suspect: &Rise| {
        Some(SuspectFacts {
            band: bands.place[suspect.row()?.index()]?,
            grew: suspect.grew(),
            share: suspect.share_percent,
            rate: suspect.rate,
            since: report.run.slice().sample(suspect.since_sample),
            since_words: suspect.since_text(),
            kind: suspect.kind.map(|kind| kind.words()),
            place: suspect.place.as_deref().map(visible),
        })
    };
    let chart = report.run.picture();
    let lows = chart.lows().into_iter().map(|(time, bytes)| (time, bytes as u64));
    VerdictFacts {
        leak: account.leak,
        words: report.options.badge.clone().unwrap_or_else(|| account.grade().to_owned()),
        facts: account.facts(),
        next: match account.cure() {
            Some(cause) => Some(cause.words().to_string()),
            None => (account.leak >= Leak::Possible).then(|| CAUTION.to_owned()),
        },
        kept: account.kept(),
        growing: account.suspects.len(),
        suspects: account.suspects.iter().filter_map(suspect).take(MOST_SUSPECTS).collect(),
        marked: report
            .run
            .rows_growing()
            .into_iter()
            .filter_map(|(row, _)| bands.place[row.index()])
            .collect(),
        outside: chart.outside.map(|one| (one.figure.id(), one.grew.get())),
        before_exit: chart.before_exit,
        lows: lows.collect(),
        remarks: account.remarks.iter().map(Remark::words).collect(),
    }
}

/// The rows that the findings name: a page contains all of them.
pub fn named_rows(analysis: &Analysis) -> impl Iterator<Item = RowId> {
    let suspects = analysis.account.suspects.iter().filter_map(|suspect| suspect.row());
    let movements = analysis.account.movements.iter();
    let moved = movements.flat_map(|movement| movement.bands.iter().map(|moved| moved.row));
    suspects.chain(moved)
}

/// A comparison, and the rows of one of the two runs that belong to its bands.
pub struct ComparedSide<'a> {
    comparison: &'a Comparison,
    names: [&'a str; 2],
    /// For each band its rows in this run; several rows with the same identity are one band.
    rows: Vec<Vec<RowId>>,
}

/// The comparison as the page shows it.
#[derive(Serialize)]
struct ComparedFacts {
    names: [String; 2],
    headline: Sentence,
    verdicts: [Sentence; 2],
    figures: Vec<FigureFacts>,
    bands: Vec<BandFacts>,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct FigureFacts {
    name: &'static str,
    before: Sentence,
    after: Sentence,
    change: String,
}

#[derive(Serialize)]
struct BandFacts {
    label: String,
    /// The bands in this run; empty if it has none.
    bands: Vec<u32>,
    before: Option<f64>,
    after: Option<f64>,
    became: String,
}

impl<'a> ComparedSide<'a> {
    /// A comparison from the side of one of its runs.
    pub fn new(comparison: &'a Comparison, names: [&'a str; 2], slice: &Slice<'_>) -> Self {
        let places: HashMap<&str, usize> = comparison
            .bands
            .rows
            .iter()
            .enumerate()
            .map(|(i, band)| (band.identity.as_str(), i))
            .collect();
        let mut rows = vec![Vec::new(); comparison.bands.rows.len()];
        for row in slice.rows().filter(|&row| slice.is_selected(row)) {
            if let Some(&place) = places.get(slice.identity(row).as_str()) {
                rows[place].push(row);
            }
        }
        ComparedSide { comparison, names, rows }
    }

    /// Whether the run before leaked, and the one after does not.
    fn is_cured(&self) -> bool {
        let Comparison { leak: [before, after], change, .. } = self.comparison;
        *before >= Leak::Possible && *after < Leak::Possible && *change == Change::Gone
    }

    /// The rows that the comparison names: a page contains all of them.
    pub fn rows(&self) -> impl Iterator<Item = RowId> {
        self.rows.iter().flatten().copied()
    }

    /// The comparison as data of the page.
    fn facts(&self, bands: &PageBands, clock: Clock) -> ComparedFacts {
        let ComparedSide { comparison, names, rows } = self;
        let figure = |row: &FigureRow| FigureFacts {
            name: comparison.name_of(row.figure),
            before: row.figure.unit().words(row.before, clock),
            after: row.figure.unit().words(row.after, clock),
            change: row.change(),
        };
        let band = |(row, rows): (&BandRow, &Vec<RowId>)| BandFacts {
            label: visible(&row.shown_names().swap_remove(0)),
            bands: rows.iter().filter_map(|row| bands.place[row.index()]).collect(),
            before: (row.before > 0.0).then_some(row.before),
            after: (row.after > 0.0).then_some(row.after),
            became: row.became(),
        };
        ComparedFacts {
            names: names.map(visible),
            headline: comparison.headline().with_arrows(),
            verdicts: [0, 1].map(|side| comparison.side(side)),
            figures: comparison.figures.iter().map(figure).collect(),
            bands: comparison.bands.rows.iter().zip(rows).map(band).collect(),
            remarks: comparison.remarks(usize::MAX),
        }
    }
}

#[cfg(test)]
mod tests;
