//! What the page says about the run, in words: the JSON at the front of the data.

use serde::Serialize;

use super::ReportOptions;
use crate::chart::{Breakdown, Chart, Clock, Condition, Marker, Role, Source};
use crate::draw::colour::{layer_paints, usual};
use crate::draw::{HeapLine, HeapLines, Messages, Palette, View};
use crate::error::visible;
use crate::scene::{Paint, Theme};
use crate::slice::Slice;
use crate::units::UnitSystem;

/// Everything about the run that is no column. All texts are [`visible`].
#[derive(Serialize)]
pub struct Facts {
    pub heapviz: &'static str,
    pub title: String,
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
    pub units: &'static str,
    /// Heap lines by id; `None` leaves the choice to the page.
    pub lines: Option<Vec<&'static str>>,
    pub messages: bool,
    pub theme: Option<&'static str>,
    /// Colours of the drawn bands, bottom first.
    pub colours: Vec<String>,
    /// Colours of the others: by name first, else by the hash of the name.
    pub named: Vec<(&'static str, String)>,
    pub by_hash: Vec<String>,
    /// How many of the markers and heap points there is no room for.
    pub markers_left_out: usize,
    pub heap_points_left_out: usize,
}

/// The most markers and messages that a page shows; markers come first.
pub const MOST_MARKERS: usize = 4000;

/// The markers and messages that the options ask for, in order of time.
pub fn wanted_markers<'a>(
    chart: &'a Chart,
    options: &'a ReportOptions,
) -> impl Iterator<Item = &'a Marker> {
    chart.markers.iter().filter(|marker| options.markers.pattern.matches(&marker.label))
}

/// The facts of a profile.
pub fn facts(slice: &Slice<'_>, chart: &Chart, options: &ReportOptions) -> Facts {
    let (profile, metadata) = (slice.profile(), slice.metadata());
    let seen = |text: &Option<String>| text.as_deref().map(|text| visible(text.trim()));
    // A pattern is for areas on paper; a screen has lines and swatches, too.
    let palette = match options.palette {
        Palette::Patterns => Palette::Grey,
        palette => palette,
    };
    let theme = options.theme.unwrap_or_default();
    let layers = chart.layers.iter().zip(layer_paints(chart, palette));
    let band = |(layer, paint): (&crate::chart::Layer, Paint)| {
        (layer.role == Role::Band).then(|| paint.rgb(theme).to_string())
    };
    let usual = usual(chart.breakdown, palette);
    Facts {
        heapviz: env!("CARGO_PKG_VERSION"),
        title: visible(options.title.as_deref().unwrap_or(&chart.title)),
        facts: chart.facts.iter().map(|fact| visible(fact)).collect(),
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
        units: match options.units {
            UnitSystem::Binary => "binary",
            UnitSystem::Si => "si",
        },
        lines: match &options.heap_lines {
            HeapLines::Auto => None,
            HeapLines::All => {
                Some([HeapLine::Size, HeapLine::Blocks, HeapLine::Live].map(HeapLine::id).to_vec())
            }
            HeapLines::None => Some(Vec::new()),
            HeapLines::List(list) => Some(list.iter().map(|line| line.id()).collect()),
        },
        messages: options.markers.messages == Messages::Show,
        theme: options.theme.map(|theme| match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }),
        colours: layers.filter_map(band).collect(),
        named: usual.named.iter().map(|(name, rgb)| (*name, rgb.to_string())).collect(),
        by_hash: usual.by_hash.iter().map(ToString::to_string).collect(),
        markers_left_out: wanted_markers(chart, options).count().saturating_sub(MOST_MARKERS),
        heap_points_left_out: super::budget::heap_points_left_out(chart),
    }
}
