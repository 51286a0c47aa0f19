//! The page's facts about the run, as the JSON document at the start of its data.

use serde::Serialize;

use super::LeadLine;
use super::bands::PageBands;
use super::calls::CallFacts;
use super::columns;
use super::compared::{Compared, ComparedFacts};
use super::findings::{self, PhaseFacts, VerdictFacts};
use super::parts::{self, PartsLeftOut};
use super::run;
use super::{ReportOptions, ReportRun};
use crate::base::units::{Nanos, UnitSystem};
use crate::chart::columns::ColumnKind;
use crate::chart::{Breakdown, Chart, Clock, Condition, HeapFigure, LayerRole, Source};
use crate::draw::colour::{layer_paints, preferred};
use crate::draw::{
    DrawOptions, Heading, HeapLines, MarkerPattern, Messages, Palette, View, XAxis, floor_cut,
};
use crate::export::runtime::RunTimeJson;
use crate::incident::error::visible;
use crate::picture::{Paint, Theme};
use crate::run::VerdictChoice;
use crate::tree::{Direction, Weight};

/// Everything about the run that is not a column. All texts are [`visible`].
#[derive(Serialize)]
pub struct PageFacts {
    pub heapviz: &'static str,
    /// The label of its tab, if there are several runs.
    pub run: String,
    /// The title of the window, even without a heading.
    pub title: String,
    pub heading: bool,
    pub facts: Vec<String>,
    pub notes: Vec<String>,
    pub job: Option<String>,
    pub arguments: Vec<String>,
    pub date: Option<String>,
    pub rts: Option<String>,
    pub flags: Vec<String>,
    pub period_ns: Option<u64>,
    pub filters: Vec<(&'static str, String)>,
    pub source: Source,
    pub state: Condition,
    pub breakdown: Breakdown,
    pub breakdown_words: &'static str,
    pub clock: Clock,
    pub first_sample: usize,
    pub samples: usize,
    pub excluded: usize,
    pub warnings: Vec<String>,
    pub losses: Option<String>,
    pub advice: Vec<String>,
    pub area: Option<String>,
    pub view: &'static str,
    /// The unit of the horizontal axis: `time` or `sample`.
    pub x: &'static str,
    pub scale: ScaleFacts,
    /// The value that columns show: `mean`, `floor`, `peak` or `every`.
    pub columns: &'static str,
    /// Where a picture of least totals cuts their range.
    pub floor: Option<FloorFacts>,
    pub units: &'static str,
    /// Heap lines by id; `None` leaves the choice to the page.
    pub lines: Option<Vec<&'static str>>,
    pub messages: bool,
    pub theme: Option<&'static str>,
    /// Colours of the drawn bands, bottom first.
    pub colours: Vec<String>,
    /// Colours of the other bands: by name if it is in this list, otherwise by the hash of the name.
    pub named: Vec<(&'static str, String)>,
    pub by_hash: Vec<String>,
    /// The numbers of all bands, of bands in OTHER, and of trace elements.
    pub counts: [usize; 3],
    /// What the frames of bands are: `stack`, `set` or `one`.
    pub parts: &'static str,
    pub verdict: Option<VerdictFacts>,
    pub phases: Vec<PhaseFacts>,
    pub compared: Option<ComparedFacts>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lead: Vec<LeadLine>,
    pub calls: Option<CallFacts>,
    pub runtime: RunTimeJson,
    /// An address with `{file}` and `{line}` in it.
    pub source_url: Option<String>,
    pub tree: TreeFacts,
    pub left_out: LeftOut,
}

/// The initial view of the tree of stacks, if it was asked for.
#[derive(Serialize)]
pub struct TreeFacts {
    pub weight: Option<&'static str>,
    /// From the innermost cost centres to their callers.
    pub callers: bool,
    pub search: Option<String>,
}

/// The number of columns in a picture, and the value at the top of its axis, below the highest total.
#[derive(Serialize)]
pub struct FloorFacts {
    pub columns: usize,
    pub top: u64,
}

/// The ends of the axes, if they were given.
#[derive(Serialize)]
pub struct ScaleFacts {
    pub from: Option<Nanos>,
    pub to: Option<Nanos>,
    pub samples: Option<usize>,
    pub top: Option<u64>,
}

/// Data that did not fit, or that JavaScript's numbers cannot express.
#[derive(Serialize)]
pub struct LeftOut {
    /// The bands that are not in the page, and their total.
    pub bands: (usize, f64),
    pub markers: usize,
    pub heap_points: usize,
    pub parts: PartsLeftOut,
    /// How many bands have a total over all samples that exceeds JavaScript's exact integers; such totals
    /// are set to the greatest of these.
    pub held: usize,
}

/// The facts of a run, together with the parts that were left out, its comparison to another run, and
/// its call tree.
pub fn facts(
    run: &ReportRun<'_>,
    bands: &PageBands,
    parts: PartsLeftOut,
    (compared, calls): (Option<&Compared<'_>>, Option<CallFacts>),
) -> PageFacts {
    let ReportRun { name, slice, chart, analysis, options } = *run;
    let (profile, metadata) = (slice.profile(), slice.metadata());
    let seen = |text: &Option<String>| text.as_deref().map(|text| visible(text.trim()));
    // Patterns are for areas on paper; a screen also shows lines and swatches.
    let palette = match options.palette {
        Palette::Patterns => Palette::Grey,
        palette => palette,
    };
    let theme = options.theme.unwrap_or_default();
    let layers = chart.layers.iter().zip(layer_paints(chart, palette));
    let band = |(layer, paint): (&crate::chart::Layer, Paint)| {
        (layer.role == LayerRole::Band).then(|| paint.rgb(theme).to_string())
    };
    let preferred = preferred(chart.breakdown, palette);
    PageFacts {
        heapviz: env!("CARGO_PKG_VERSION"),
        run: visible(name),
        title: visible(match &options.heading.title {
            Heading::Text(title) => title,
            Heading::Auto | Heading::None => &chart.title,
        }),
        heading: options.heading.title != Heading::None,
        facts: match &options.heading.subtitle {
            Heading::Auto => chart.facts.iter().map(|fact| visible(fact)).collect(),
            Heading::Text(text) => vec![visible(text)],
            Heading::None => Vec::new(),
        },
        notes: chart.notes.iter().map(|note| visible(note)).collect(),
        job: seen(&metadata.job),
        arguments: metadata.arguments.iter().map(|word| visible(word)).collect(),
        date: seen(&metadata.date),
        rts: seen(&metadata.rts),
        flags: metadata.rts_flags().into_iter().map(visible).collect(),
        period_ns: metadata.period_ns,
        filters: metadata.filters.set().map(|(name, text)| (name, visible(text))).collect(),
        source: profile.source,
        state: chart.condition,
        breakdown: profile.breakdown,
        breakdown_words: profile.breakdown.words(),
        clock: chart.clock,
        first_sample: chart.number(0),
        samples: chart.times.len(),
        excluded: chart.excluded.bands,
        warnings: chart.warnings.iter().map(|warning| visible(&warning.message)).collect(),
        losses: profile.losses().summary(slice.len()),
        advice: options.advice.iter().map(ToString::to_string).collect(),
        area: chart.area().map(|area| format!("{}·s", options.units.text(area))),
        view: match options.view {
            View::Stacked => "stacked",
            View::Lines => "lines",
            View::Percent => "percent",
        },
        x: match options.x {
            XAxis::Time => "time",
            XAxis::Sample => "sample",
            XAxis::Mutator => "mutator",
        },
        scale: ScaleFacts {
            from: options.scale.time_min,
            to: options.scale.time_max,
            samples: options.scale.sample_max,
            top: options.scale.heap_max.map(|top| top.get().min(columns::MOST)),
        },
        columns: ColumnKind::name(options.columns),
        floor: floor(chart, options),
        units: match options.units {
            UnitSystem::Binary => "binary",
            UnitSystem::Si => "si",
        },
        lines: match &options.heap_lines {
            HeapLines::Auto => None,
            HeapLines::All => Some(HeapFigure::on_the_heap_axis().map(HeapFigure::id).collect()),
            HeapLines::None => Some(Vec::new()),
            HeapLines::List(list) => Some(list.iter().map(|figure| figure.id()).collect()),
        },
        messages: options.markers.messages == Messages::Show,
        theme: options.theme.map(|theme| match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }),
        colours: layers.filter_map(band).collect(),
        named: preferred.named.iter().map(|(name, rgb)| (*name, rgb.to_string())).collect(),
        by_hash: preferred.by_hash.iter().map(ToString::to_string).collect(),
        counts: [
            chart.ranking.kept.len() + chart.ranking.other.len() + chart.ranking.trace.len(),
            chart.ranking.other.len(),
            chart.ranking.trace.len(),
        ],
        parts: parts::kind(slice),
        verdict: (options.verdict == VerdictChoice::Show)
            .then(|| findings::verdict(analysis, bands, options.units)),
        // Phases reach from marker to marker, so hidden markers would change them.
        phases: match &options.markers.pattern {
            MarkerPattern::All => findings::phases(analysis, bands, |row| {
                slice.rows().nth(row).map_or(String::new(), |row| slice.label(row).to_owned())
            }),
            _ => Vec::new(),
        },
        compared: compared.map(|compared| compared.facts(bands)),
        lead: options.lead.clone(),
        calls,
        runtime: RunTimeJson::of(slice).for_page(),
        source_url: options.source_url.clone(),
        tree: TreeFacts {
            weight: options.tree.weight.map(Weight::name),
            callers: options.tree.direction == Direction::Callers,
            search: options.tree.search.clone(),
        },
        left_out: LeftOut {
            bands: (bands.left_out.0, bands.left_out.1 as f64),
            markers: run::markers_left_out(chart, options),
            heap_points: run::heap_points_left_out(chart),
            parts,
            held: (chart.ranking.totals.iter())
                .filter(|&&total| total > u128::from(columns::MOST))
                .count(),
        },
    }
}

/// The value at which the picture of a chart cuts the range of its least totals.
fn floor(chart: &Chart, options: &ReportOptions) -> Option<FloorFacts> {
    if options.columns != ColumnKind::Floor || chart.times.is_empty() {
        return None;
    }
    let picture = DrawOptions::default()
        .with_view(View::Stacked)
        .with_x(options.x)
        .with_scale(options.scale)
        .with_columns(options.columns);
    let cut = floor_cut(chart, &picture)?;
    Some(FloorFacts { columns: cut.columns, top: cut.top.get().min(columns::MOST) })
}
