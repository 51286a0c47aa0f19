//! Reads the heap profiles of programs compiled by GHC, draws them, and finds space leaks in them.
//!
//! One call draws a profile. The format, an event log or a `.hp` file, is recognised by content:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::File::open("samples/leak-hy.eventlog")?;
//! let picture = heapviz::svg(file)?;
//! assert!(picture.starts_with("<svg"));
//! # Ok(())
//! # }
//! ```
//!
//! Each step of that call has its own options, whose fields are public and have defaults:
//!
//! ```
//! use heapviz::input::{InputOptions, read_drawable};
//! use heapviz::render::{SvgOptions, svg};
//! use heapviz::{DrawOptions, Leak, Palette, ProfileView, ViewOptions, Theme, View, draw_chart};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::File::open("samples/leak-hy.eventlog")?;
//! let profile = read_drawable(file, &InputOptions::default())?;
//! let mut options = ViewOptions::default();
//! options.slice.window.to = Some("phase 2".parse()?);
//! options.rank.trace_percent = 0.5;
//! let run = ProfileView::new(&profile, &options)?;
//!
//! let account = run.account();
//! assert!(account.leak >= Leak::Possible);
//! assert_eq!(account.suspects[0].label, "*");
//!
//! let drawing = DrawOptions { view: View::Lines, palette: Palette::Safe, ..Default::default() };
//! let scene = draw_chart(run.picture(), &drawing);
//! assert!(svg(&scene, &SvgOptions { theme: Some(Theme::Dark) }).starts_with("<svg"));
//! # Ok(())
//! # }
//! ```
//!
//! The library reads from any [`std::io::Read`]. It opens no files, prints nothing, keeps no global
//! state and contains no unsafe code.
//!
//! # Where things are
//!
//! | what | where |
//! |---|---|
//! | reads a profile of any format, compressed or not | [`input`] |
//! | the profile, and a part of it: window, selection, grouping, redaction | [`Profile`], [`Slice`] |
//! | everything that is derived from it, each computed once | [`ProfileView`] |
//! | the verdict on leaks, figures, budgets, the comparison of runs | [`Analysis`], [`Budget`], [`compare_runs`] |
//! | a chart as numbers, and its layout as a list of items | [`Chart`], [`draw_chart`], [`Scene`] |
//! | pictures: SVG, PNG, PDF, any drawing area of plotters | [`render`] |
//! | the interactive HTML page | [`report`] |
//! | JSON, CSV, `.hp` | [`export`] |
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `cli` (default) | the command `heapviz`, with `png` and `report` |
//! | `pdf` (default) | `render::pdf`, and PDF in the command; the only one that needs Rust 1.92, the rest needs 1.91 |
//! | `tui` (default) | the terminal view of `heapviz watch` |
//! | `web` (default) | the page that `heapviz watch` serves |
//! | `png` | `render::png` |
//! | `report` | the module [`report`]: the interactive page |
//!
//! Without any feature the library reads profiles, analyses them, and writes SVG, JSON, CSV and
//! `.hp`. It builds for `wasm32-unknown-unknown`.
//!
//! The file formats, and what GHC and hp2ps do with them, are described in `docs/format/eventlog.md` and
//! `docs/format/hp.md`; the documentation cites their headings. `docs/reference.md` explains the numbers.

// A new variant has to be thought about wherever its enum is matched; tests may match what they expect.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
// Modules re-export what tests and benchmarks need from their files.
#![cfg_attr(not(feature = "internals"), allow(unused_imports))]
// Inside the crate a name should say it; what other crates see has its documentation.
#![cfg_attr(feature = "internals", allow(missing_docs, unnameable_types))]
// Only the complete command uses all of it: budgets, live views, hp2ps.
#![cfg_attr(not(all(feature = "cli", feature = "tui", feature = "web")), allow(dead_code))]

#[cfg(feature = "cli")]
mod cli;
pub mod export;
#[cfg(feature = "cli")]
mod hunt;
pub mod input;
#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "report")]
pub mod report;
#[cfg(test)]
mod testing;
#[cfg(feature = "cli")]
mod verbs;
#[cfg(feature = "cli")]
mod watch;

// Tests, benchmarks and fuzzing see these modules by the feature `internals`, which promises nothing.
#[cfg(not(feature = "internals"))]
mod analysis;
#[cfg(feature = "internals")]
pub mod analysis;
#[cfg(not(feature = "internals"))]
mod base;
#[cfg(feature = "internals")]
pub mod base;
#[cfg(not(feature = "internals"))]
mod chart;
#[cfg(feature = "internals")]
pub mod chart;
#[cfg(not(feature = "internals"))]
mod compare;
#[cfg(feature = "internals")]
pub mod compare;
#[cfg(not(feature = "internals"))]
mod decode;
#[cfg(feature = "internals")]
pub mod decode;
#[cfg(not(feature = "internals"))]
mod draw;
#[cfg(feature = "internals")]
pub mod draw;
#[cfg(not(feature = "internals"))]
mod hp2ps;
#[cfg(feature = "internals")]
pub mod hp2ps;
#[cfg(not(feature = "internals"))]
mod incident;
#[cfg(feature = "internals")]
pub mod incident;
#[cfg(not(feature = "internals"))]
mod live;
#[cfg(feature = "internals")]
pub mod live;
#[cfg(not(feature = "internals"))]
mod picture;
#[cfg(feature = "internals")]
pub mod picture;
#[cfg(not(feature = "internals"))]
mod profile;
#[cfg(feature = "internals")]
pub mod profile;
#[cfg(not(feature = "internals"))]
mod profile_view;
#[cfg(feature = "internals")]
pub mod profile_view;
#[cfg(not(feature = "internals"))]
mod slice;
#[cfg(feature = "internals")]
pub mod slice;
#[cfg(not(feature = "internals"))]
mod tree;
#[cfg(feature = "internals")]
pub mod tree;

pub use analysis::budget::{Budget, BudgetState, Outcome};
pub use analysis::{
    Account, Analysis, BandChange, BandFigures, Figures, Finding, HeapFigures, Leak, Metric, Move,
    MoveKind, Rise, RiseEnd, Shape, Unjudged, Who,
};
pub use base::date::WallTime;
pub use base::pattern::Pattern;
pub use base::sentence::Sentence;
pub use base::units::{Bytes, Nanos, UnitSystem};
pub use chart::{Chart, Layer, LayerRole, LeftOut, Peak};
pub use compare::{CompareError, Comparison, compare as compare_runs};
pub use draw::{
    DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages, Palette,
    PanelKind, Scale, TitleOptions, View, XAxis, chart as draw_chart,
};
pub use incident::error::{Error, WindowError};
pub use incident::{Condition, Losses, Warning};
#[cfg(any(feature = "png", feature = "pdf"))]
pub use picture::{FontError, Fonts};
pub use picture::{Item, Paint, Rgb, Scene, Theme};
pub use profile::{
    Breakdown, Clock, Filters, HeapSeries, HeapSeriesKind, KeptMessages, KeptSamples, Limits,
    Marker, MarkerKind, Metadata, Process, Profile, RetainerSet, RunChoice, Series, Source,
};
pub use profile_view::{
    ActivityChoice, Measure, Notice, ProfileView, Severity, VerdictChoice, ViewOptions, WayOut,
};
pub use slice::rank::{RankOptions, Ranking, SortKey};
pub use slice::{
    Bound, Grouping, Part, Privacy, RowId, SampleNumber, Selection, Slice, SliceOptions, Window,
};

/// What words of options and texts are refused for.
pub mod refused {
    pub use crate::analysis::budget::BudgetError;
    pub use crate::base::date::NotWallTime;
    pub use crate::base::pattern::PatternError;
    pub use crate::base::units::parse::{BytesError, TimeError};
    pub use crate::draw::UnknownWord;
}

/// What is odd, damaged or missing in an input, as an error or an incident names it.
pub mod oddities {
    pub use crate::incident::error::{Lookalike, NoSamples};
    pub use crate::incident::{End, LastSample, SkippedBytes, WarningCode};
    pub use crate::profile::{Joined, OtherRun};
}

/// What a verdict rests on, and the rows of a comparison.
pub mod figures {
    pub use crate::analysis::metric::Unit;
    pub use crate::analysis::{ClosureKind, InStep, Interval, Manner, Remark, SamplingAdvice};
    pub use crate::compare::{BandRow, Change, Clocks, ComparedBands, FigureRow};
}

/// The items of a scene, for whoever writes another emitter.
pub mod items {
    pub use crate::picture::{
        Anchor, Area, FontWeight, Group, Line, Point, Rectangle, Role, Stroke, Text, Tone,
    };
}

/// Weighted stacks of cost centres as trees, for [`export`] and for the start of a [`report`].
pub mod stacks {
    pub use crate::profile::Pseudo;
    pub use crate::tree::{
        FrameKind, Node, NodeId, Path, Paths, Roots, StackMeasure, StackTree, Stacks, TreeError,
        TreeFrame, TreeSize, Weight,
    };
}

/// Pictures: SVG, PNG, PDF, and any drawing area of plotters.
pub mod render {
    pub use crate::picture::text_width::{BOLD as BOLD_FONT, REGULAR as REGULAR_FONT};
    pub use crate::picture::{
        AreaOptions, MissingCharacters, Rendered, SvgOptions, page, paint, svg, svg_to,
    };
    #[cfg(feature = "pdf")]
    pub use crate::picture::{PdfError, PdfOptions, pdf};
    #[cfg(feature = "png")]
    pub use crate::picture::{PngError, PngOptions, png};
}

/// The chart of a profile as an SVG document: the biggest bands of the whole run, chosen and ordered
/// by the rules of hp2ps.
///
/// # Errors
/// Those of [`input::read_drawable`]: the source fails, is not a profile, or has nothing to draw.
pub fn svg(source: impl std::io::Read + Send) -> Result<String, input::ReadError> {
    let profile = input::read_drawable(source, &input::InputOptions::default())?;
    let chart = Chart::of_profile(&profile, &RankOptions::default());
    let scene = draw::chart(&chart, &DrawOptions::default());
    Ok(render::svg(&scene, &render::SvgOptions::default()))
}

/// The heapviz command: does what the words of the command line ask for.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub fn main() -> std::process::ExitCode {
    verbs::run(std::env::args_os().collect())
}
