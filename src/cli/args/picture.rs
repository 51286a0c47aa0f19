//! The flags that say what a picture looks like.

use std::str::FromStr;

use clap::Args;
use heapviz::draw::{
    ColumnKind, DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages,
    SameScale, Scale, TitleOptions, View, XAxis,
};
use heapviz::units::{Bytes, Nanos};

use super::paper::PaperArgs;
use super::units::UnitArgs;

/// What a picture looks like.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PictureArgs {
    /// How bands are drawn: stacked, lines (each from zero) or percent (of each sample's total); or
    /// flame, the stacks of one instant or of a time profile [default: stacked, and flame for an
    /// input without heap samples]
    #[arg(long, value_name = "VIEW")]
    pub view: Option<ViewChoice>,

    /// What the horizontal axis counts: time or sample
    #[arg(long, value_name = "WHAT", default_value = "time")]
    x: XAxis,

    /// What is drawn of samples that are closer than some pixels: mean (of columns), floor (of each
    /// column the sample with the least total: what survives), peak (with the greatest) or every
    /// (sample)
    #[arg(long, value_name = "KIND", default_value = "mean")]
    columns: ColumnKind,

    /// Where the key stands: right, below or none
    #[arg(long, value_name = "PLACE", default_value = "right")]
    key: KeyPlace,

    /// The run-time system's own figures as lines, when the log has them: auto, all, none, or some
    /// of size,live,blocks
    #[arg(long, value_name = "LINES", default_value = "auto")]
    heap_lines: HeapLines,

    /// Which markers are drawn: all, none, or those whose text matches a regular expression
    #[arg(long, value_name = "REGEX", default_value = "all")]
    markers: MarkerPattern,

    /// Draw messages (traceEvent) as markers too
    #[arg(long)]
    messages: bool,

    #[command(flatten)]
    units: UnitArgs,

    /// The right end of the axis of time, as 90s or 2min
    #[arg(long, value_name = "TIME", value_parser = time_end)]
    x_max: Option<Nanos>,

    /// The upper end of the axis of memory, as 80M or 1.5GiB
    #[arg(long, value_name = "BYTES", value_parser = heap_end)]
    y_max: Option<Bytes>,

    /// Give all charts of this call one scale: x, y or both
    #[arg(long, value_name = "AXES")]
    pub same_scale: Option<SameScale>,

    /// The title, in place of the profiled command line
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    title: Option<String>,

    /// The line under the title, in place of facts about the run
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    subtitle: Option<String>,

    /// No lines above the plot
    #[arg(long)]
    no_title: bool,

    #[command(flatten)]
    pub paper: PaperArgs,
}

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewChoice {
    /// Bands over time.
    Chart(View),
    /// Stacks.
    Flame,
}

impl FromStr for ViewChoice {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "flame" => Ok(ViewChoice::Flame),
            word => {
                let view: Result<View, _> = word.parse();
                view.map(ViewChoice::Chart)
                    .map_err(|_| format!("`{word}` is none of stacked, lines, percent, flame"))
            }
        }
    }
}

fn time_end(text: &str) -> Result<Nanos, String> {
    let end: Nanos = text.parse().map_err(|error| format!("{error}"))?;
    if end <= Nanos::from_nanos(0) {
        return Err("an axis that ends at 0 shows nothing: expected a time above 0".to_owned());
    }
    Ok(end)
}

fn heap_end(text: &str) -> Result<Bytes, String> {
    let end: Bytes = text.parse().map_err(|error| format!("{error}"))?;
    if end == Bytes::new(0) {
        return Err("an axis that ends at 0 shows nothing: expected an amount above 0".to_owned());
    }
    Ok(end)
}

impl PictureArgs {
    /// The options of the scene.
    pub fn options(&self) -> DrawOptions {
        let default = DrawOptions::default();
        let heading = |text: &Option<String>| match text {
            _ if self.no_title => Heading::None,
            Some(text) => Heading::Text(text.clone()),
            None => Heading::Auto,
        };
        let markers = MarkerChoice::default()
            .with_pattern(self.markers.clone())
            .with_messages(if self.messages { Messages::Show } else { Messages::Hide });
        let titles = TitleOptions::default()
            .with_title(heading(&self.title))
            .with_subtitle(heading(&self.subtitle));
        let view = match self.view {
            Some(ViewChoice::Chart(view)) => view,
            Some(ViewChoice::Flame) | None => View::default(),
        };
        self.paper
            .of(default)
            .with_view(view)
            .with_x(self.x)
            .with_columns(self.columns)
            .with_scale(Scale::default().with_time_max(self.x_max).with_heap_max(self.y_max))
            .with_units(self.units.units())
            .with_key(self.key)
            .with_heap_lines(self.heap_lines.clone())
            .with_markers(markers)
            .with_heading(titles)
    }
}
