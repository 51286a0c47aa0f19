//! The flags that say what a picture looks like.

use std::str::FromStr;

use clap::Args;
use heapviz::draw::{
    ColumnKind, DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages,
    PanelChoice, SameScale, Scale, TitleOptions, View, XAxis,
};
use heapviz::units::{Bytes, Nanos};

use super::paper::PaperArgs;
use super::units::UnitArgs;

/// What a picture looks like.
#[derive(Debug, Args)]
#[command(next_help_heading = "Picture")]
pub struct PictureArgs {
    /// What to draw: stacked bands, lines (each band from zero), percent (of the total of each
    /// sample), or flame (call stacks at one instant, or of a time profile) [default: stacked; flame
    /// for an input without heap samples]
    #[arg(long, value_name = "VIEW")]
    pub view: Option<ViewChoice>,

    /// What the horizontal axis shows: time, mutator (elapsed time without collections) or sample
    #[arg(long, value_name = "WHAT", default_value = "time")]
    x: XAxis,

    /// How to draw samples that are closer together than pixels: as columns that show the mean, the
    /// floor (the sample with the smallest total: what survives) or the peak (the largest), or every
    /// sample
    #[arg(long, value_name = "KIND", default_value = "mean")]
    columns: ColumnKind,

    /// Where to put the key: right, below, none, or auto, which is right unless names would be cut
    /// there
    #[arg(long, value_name = "PLACE", default_value = "auto")]
    key: KeyPlace,

    /// Draw the run-time system's own figures as lines, when the log has them: auto, all, none, or a
    /// list of size,live,blocks
    #[arg(long, value_name = "LINES", default_value = "auto")]
    heap_lines: HeapLines,

    /// Small charts of the run-time system below the bands: none, auto (all that the log has), or
    /// some of gc,memory,alloc,nonmoving
    #[arg(long, value_name = "PANELS", default_value = "none")]
    panels: PanelChoice,

    /// Which markers to draw: all, none, or those whose text matches a regular expression
    #[arg(long, value_name = "REGEX", default_value = "all")]
    markers: MarkerPattern,

    /// Draw messages (traceEvent) as markers too
    #[arg(long)]
    messages: bool,

    #[command(flatten)]
    units: UnitArgs,

    /// Right end of the time axis: 90s, 2min
    #[arg(long, value_name = "TIME", value_parser = time_end)]
    x_max: Option<Nanos>,

    /// Upper end of the memory axis: 80M, 1.5GiB
    #[arg(long, value_name = "BYTES", value_parser = heap_end)]
    y_max: Option<Bytes>,

    /// Draw all charts of this call on one scale, to compare them: x, y or both
    #[arg(long, value_name = "AXES")]
    pub same_scale: Option<SameScale>,

    /// Title, in place of the profiled command line
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    title: Option<String>,

    /// Line under the title, in place of facts about the run
    #[arg(long, value_name = "TEXT", conflicts_with = "no_title")]
    subtitle: Option<String>,

    /// Leave out the title and the line under it
    #[arg(long)]
    no_title: bool,

    /// For HTML: where sources can be read, with {file} and {line} in it, such as
    /// 'https://example.org/app/{file}#L{line}'; places in the page become links
    #[arg(long, value_name = "ADDRESS", value_parser = source_url)]
    pub source_url: Option<String>,

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
                    .map_err(|_| format!("`{word}` is not one of stacked, lines, percent, flame"))
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

fn source_url(text: &str) -> Result<String, String> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    match is_web && text.contains("{file}") {
        true => Ok(text.to_owned()),
        false => {
            Err("expected an address that begins with https:// and has {file} in it".to_owned())
        }
    }
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
            .with_panels(self.panels.clone())
            .with_markers(markers)
            .with_heading(titles)
    }
}
