//! The options of a picture. A field that is also a flag of the command has its help as documentation, so that it
//! is described once.

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

use super::colour::Palette;
use crate::base::pattern::Pattern;
use crate::base::units::{Bytes, Nanos, UnitSystem};
use crate::chart::HeapSeriesKind;

/// How a picture is laid out and what it shows. The default of a choice is its first variant.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(next_help_heading = "Picture"))]
pub struct DrawOptions {
    /// Width in pixels, within [`DrawOptions::WIDTHS`]. Default 960.
    #[cfg_attr(feature = "cli", arg(skip = DrawOptions::default().width))]
    pub width: f64,
    /// Height in pixels, within [`DrawOptions::HEIGHTS`]. Default 540.
    #[cfg_attr(feature = "cli", arg(skip = DrawOptions::default().height))]
    pub height: f64,
    /// The height, in pixels, up to which a picture grows if its key needs more room than `height`.
    /// Default 1200; no effect below `height`.
    #[cfg_attr(feature = "cli", arg(skip = DrawOptions::default().max_height))]
    pub max_height: f64,
    /// How bands are drawn. Default stacked.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub view: View,
    /// What the horizontal axis shows.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "WHAT", value_enum, default_value_t, hide_short_help = true)
    )]
    pub x: XAxis,
    /// The units of amounts of memory. Default binary.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub units: UnitSystem,
    /// Where to put the key (the legend).
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "PLACE", value_enum, default_value_t, hide_short_help = true)
    )]
    pub key: KeyPlace,
    /// Which of the run-time system's own figures are drawn as lines, when the log has them. Default auto.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "LINES", default_value = "auto", hide_short_help = true,
            help = format!("Draw the run-time system's own figures as lines, when the log has them: {}", heap_lines()))
    )]
    pub heap_lines: HeapLines,
    /// Draw small charts of the run-time system below the bands, in this order; a log without samples is
    /// drawn as these alone.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "PANELS",
            value_enum,
            value_delimiter = ',',
            hide_short_help = true
        )
    )]
    pub panels: Vec<PanelKind>,
    /// Which named instants are drawn. Default all markers and no messages.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub markers: MarkerChoice,
    /// Ends of the axes, if they differ from the chart's own. Default: none.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub scale: Scale,
    /// The lines above the plot. Default as the chart has them.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub heading: TitleOptions,
    /// What bands are painted with. Default vivid.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub palette: Palette,
}

impl Default for DrawOptions {
    fn default() -> Self {
        DrawOptions {
            width: 960.0,
            height: 540.0,
            max_height: 1200.0,
            view: View::default(),
            x: XAxis::default(),
            scale: Scale::default(),
            units: UnitSystem::default(),
            key: KeyPlace::default(),
            heap_lines: HeapLines::default(),
            panels: Vec::new(),
            markers: MarkerChoice::default(),
            heading: TitleOptions::default(),
            palette: Palette::default(),
        }
    }
}

/// How bands are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum View {
    /// One on top of the other.
    #[default]
    Stacked,
    /// Each as a line from zero.
    Lines,
    /// Stacked, as shares of each sample's true total.
    Percent,
}

/// What the horizontal axis counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum XAxis {
    /// The profile's clock, if its samples have times.
    #[default]
    Time,
    /// Samples at equal distances. Markers and heap lines are placed between the samples around
    /// them.
    Sample,
    /// Time on the wall clock in UTC, if the log says when its run began; otherwise as `time`.
    Clock,
}

/// Ends of the axes that differ from the chart's own. The axis is extended to them or cut at them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Scale {
    /// The left end of an axis of time. Default the chart's.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub time_min: Option<Nanos>,
    /// Right end of the time axis: 90s, 2min.
    #[cfg_attr(feature = "cli", arg(id = "x_max", long = "x-max", value_name = "TIME", value_parser = end::<Nanos>,
                                    hide_short_help = true))]
    pub time_max: Option<Nanos>,
    /// The right end of an axis of samples. Default the chart's.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub sample_max: Option<usize>,
    /// Upper end of the memory axis: 80M, 1.5GiB.
    #[cfg_attr(feature = "cli", arg(id = "y_max", long = "y-max", value_name = "BYTES", value_parser = end::<Bytes>,
                                    hide_short_help = true))]
    pub heap_max: Option<Bytes>,
}

#[cfg(feature = "cli")]
fn end<T: FromStr<Err: ToString> + Default + PartialOrd>(text: &str) -> Result<T, String> {
    let end = text.parse().map_err(|error: T::Err| error.to_string())?;
    let is_seen = end > T::default();
    is_seen.then_some(end).ok_or("an axis that ends at 0 shows nothing: expected more".to_owned())
}

/// Where the key is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum KeyPlace {
    /// Right of the plot, or below it if names would have to be cut next to it.
    #[default]
    Auto,
    /// Right of the plot; below it in a picture narrower than 480 pixels, which is too narrow for
    /// names next to its plot.
    Right,
    /// Below the plot, in columns; the picture grows.
    Below,
    /// There is no key.
    None,
}

impl DrawOptions {
    /// The widths a picture can have, in pixels; other values are clamped to this range.
    pub const WIDTHS: RangeInclusive<f64> = 320.0..=20_000.0;
    /// The heights a picture can have, in pixels; other values are clamped to this range.
    pub const HEIGHTS: RangeInclusive<f64> = 200.0..=20_000.0;

    /// Below this width, in pixels, a key next to the plot would show only ellipses.
    const NARROW: f64 = 480.0;

    /// Where the key is in a picture of this width, as long as its names fit.
    pub(super) fn key_place(&self) -> KeyPlace {
        match self.key {
            KeyPlace::Auto | KeyPlace::Right if self.width < Self::NARROW => KeyPlace::Below,
            KeyPlace::Auto => KeyPlace::Right,
            place @ (KeyPlace::Right | KeyPlace::Below | KeyPlace::None) => place,
        }
    }
}

/// A group of small charts of what the run-time system did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum PanelKind {
    /// Pauses of collections, and how much of the time the program ran
    Gc,
    /// The memory that the program holds, with live data and bands
    Memory,
    /// How fast the program allocates
    Alloc,
}

/// Which of the run-time system's own figures are drawn, of those that the log has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeapLines {
    /// Heap size and live bytes, if they leave the bands three quarters of the height and add
    /// something to the bands; a note names a line that is left out for its height. No lines in the
    /// view of shares, or above a panel of memory, which shows them.
    #[default]
    Auto,
    /// All.
    All,
    /// None.
    None,
    /// The lines of these series.
    List(Vec<HeapSeriesKind>),
}

/// Which named instants are drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct MarkerChoice {
    /// Which markers to draw: all, none, or those whose text matches a regular expression.
    #[cfg_attr(
        feature = "cli",
        arg(
            id = "markers",
            long = "markers",
            value_name = "REGEX",
            default_value = "all",
            hide_short_help = true
        )
    )]
    pub pattern: MarkerPattern,
    /// Draw messages (traceEvent) as markers too.
    #[cfg_attr(feature = "cli", arg(long, action = clap::ArgAction::SetTrue, value_parser = messages,
                                    hide_short_help = true))]
    pub messages: Messages,
}

#[cfg(feature = "cli")]
fn messages(word: &str) -> Result<Messages, std::str::ParseBoolError> {
    Ok(if word.parse()? { Messages::Show } else { Messages::Hide })
}

/// Which markers are drawn, by text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkerPattern {
    /// All.
    #[default]
    All,
    /// None.
    None,
    /// Markers whose text matches.
    Matching(Pattern),
}

/// Whether messages (`traceEvent`) are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Messages {
    /// They are not drawn.
    #[default]
    Hide,
    /// They are drawn like markers.
    Show,
}

/// The lines above the plot. Without them the plot is higher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TitleOptions {
    /// The title. Default the profiled command line.
    pub title: Heading,
    /// The line below the title. Default: facts about the run.
    pub subtitle: Heading,
}

/// The text of one line of the heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Heading {
    /// The chart's own text.
    #[default]
    Auto,
    /// A text in its place.
    Text(String),
    /// Nothing.
    None,
}

/// A word that an option does not know.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{word}` is not one of {known}")]
pub struct UnknownWord {
    word: String,
    known: Cow<'static, str>,
}

/// The figure that an option names by its id.
fn heap_figure(word: &str) -> Result<HeapSeriesKind, UnknownWord> {
    let figure = HeapSeriesKind::on_the_heap_axis().find(|figure| figure.id() == word);
    figure.ok_or_else(|| UnknownWord { word: word.to_owned(), known: heap_lines().into() })
}

/// What `--heap-lines` takes, in words.
fn heap_lines() -> String {
    let ids: Vec<&str> = HeapSeriesKind::on_the_heap_axis().map(HeapSeriesKind::id).collect();
    format!("auto, all, none, or a list of {}", ids.join(", "))
}

fn list_of<T>(
    list: &str,
    one: impl Fn(&str) -> Result<T, UnknownWord>,
) -> Result<Vec<T>, UnknownWord> {
    list.split(',').map(|word| one(word.trim())).collect()
}

impl FromStr for HeapLines {
    type Err = UnknownWord;

    /// `auto`, `all`, `none`, or a comma-separated list of figures, such as `size,live`.
    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        match text {
            "auto" => Ok(HeapLines::Auto),
            "all" => Ok(HeapLines::All),
            "none" => Ok(HeapLines::None),
            list => list_of(list, heap_figure).map(HeapLines::List),
        }
    }
}

impl MarkerPattern {
    /// Whether a marker with that text is drawn.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            MarkerPattern::All => true,
            MarkerPattern::None => false,
            MarkerPattern::Matching(pattern) => pattern.matches(text),
        }
    }
}

impl FromStr for MarkerPattern {
    type Err = crate::base::pattern::PatternError;

    /// `all`, `none`, or a regular expression.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(MarkerPattern::All),
            "none" => Ok(MarkerPattern::None),
            _ => text.parse().map(MarkerPattern::Matching),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parsed_as_options_and_unknown_ones_are_errors() {
        assert_eq!("none".parse(), Ok(HeapLines::None));
        let list = HeapLines::List(vec![HeapSeriesKind::Size, HeapSeriesKind::Live]);
        assert_eq!("size, live".parse(), Ok(list));
        let error = "allocated".parse::<HeapLines>().unwrap_err().to_string();
        assert!(error.ends_with("a list of size, live, blocks, resident"), "{error}");
        for wrong in ["", "size,", "Size", "size;live", "auto,size"] {
            assert!(wrong.parse::<HeapLines>().is_err(), "{wrong}");
        }
        assert_eq!("all".parse(), Ok(MarkerPattern::All));
        assert!("(".parse::<MarkerPattern>().is_err());
    }
}
