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
//! Each step of that call is a module with its own options. Options structs can grow, so take the
//! default and set fields, or chain setters:
//!
//! ```
//! use heapviz::analysis::{Analysis, Leak};
//! use heapviz::chart::Chart;
//! use heapviz::draw::{self, DrawOptions, Palette, View};
//! use heapviz::input::{InputOptions, read_drawable};
//! use heapviz::rank::{RankOptions, rank};
//! use heapviz::render::{SvgOptions, svg};
//! use heapviz::scene::Theme;
//! use heapviz::slice::{Bound, Slice, SliceOptions, Window};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::File::open("samples/leak-hy.eventlog")?;
//! let profile = read_drawable(file, &InputOptions::default())?;
//! let beginning = Window::default().with_to("phase 2".parse::<Bound>()?);
//! let slice = Slice::of(&profile, &SliceOptions::default().with_window(beginning))?;
//!
//! let verdict = Analysis::of(&slice).verdict;
//! assert_eq!(verdict.leak, Leak::Likely);
//! assert_eq!(verdict.suspects[0].label, "*");
//!
//! let ranking = rank(&slice, &RankOptions::default().with_trace_percent(0.5));
//! let chart = Chart::of(&slice, ranking);
//! let drawing = DrawOptions::default().with_view(View::Lines).with_palette(Palette::Safe);
//! let scene = draw::chart(&chart, &drawing);
//! let picture = svg(&scene, &SvgOptions::default().with_theme(Theme::Dark));
//! assert!(picture.starts_with("<svg"));
//! # Ok(())
//! # }
//! ```
//!
//! The library reads from any [`std::io::Read`]. It opens no files, prints nothing, keeps no global
//! state and contains no unsafe code.
//!
//! # Modules
//!
//! | module | what it does |
//! |---|---|
//! | [`input`] | reads a profile of any format, compressed or not |
//! | [`decode`] | the decoders of the formats, which take bytes in any pieces |
//! | [`profile`] | the model: bands, samples, markers, figures of the run-time system |
//! | [`incident`], [`error`] | what was odd about an input, and why one could not be read |
//! | [`live`] | follows a running program |
//! | [`slice`](mod@slice) | a part of a run, some of its bands, grouped or redacted |
//! | [`rank`] | chooses and orders bands by the rules of hp2ps |
//! | [`analysis`] | figures, phases, the verdict on leaks, budgets, comparison of runs |
//! | [`tree`] | call stacks as trees, for flame graphs and exports |
//! | [`chart`] | what one picture shows, as numbers |
//! | [`draw`] | lays out a picture: axes, key, colours |
//! | [`scene`], [`render`] | a picture as a list of items, and its output as SVG, PNG, PDF, EPS |
//! | [`report`] | the interactive HTML page |
//! | [`export`] | JSON, CSV, `.hp`, pprof, speedscope, folded stacks |
//! | [`hp2ps`] | the replacement for hp2ps, byte for byte |
//! | [`units`], [`length`], [`limit`], [`pattern`] | amounts, lengths, limits on inputs, regular expressions |
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
//! Without any feature the library reads profiles, analyses them, and writes SVG, EPS, JSON, CSV and
//! `.hp`. It builds for `wasm32-unknown-unknown`.
//!
//! The file formats, and what GHC and hp2ps do with them, are described in `docs/format/eventlog.md` and
//! `docs/format/hp.md`; the documentation cites their headings. `docs/numbers.md` explains the numbers.

#[macro_use]
mod setters;

pub mod analysis;
#[doc(hidden)]
pub mod at_once;
pub mod chart;
#[cfg(feature = "cli")]
mod cli;
pub mod decode;
pub mod draw;
pub mod error;
pub mod export;
pub mod hp2ps;
mod hp_text;
pub mod incident;
pub mod input;
pub mod length;
pub mod limit;
pub mod live;
pub mod pattern;
pub mod profile;
pub mod rank;
pub mod render;
#[cfg(feature = "report")]
pub mod report;
pub mod run;
pub mod scene;
pub mod slice;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod units;

/// The chart of a profile as an SVG document: the biggest bands of the whole run, chosen and ordered
/// by the rules of hp2ps.
///
/// # Errors
/// Those of [`input::read_drawable`]: the source fails, is not a profile, or has nothing to draw.
pub fn svg(source: impl std::io::Read + Send) -> Result<String, input::ReadError> {
    let profile = input::read_drawable(source, &input::InputOptions::default())?;
    let chart = chart::Chart::of_profile(&profile, &rank::RankOptions::default());
    let scene = draw::chart(&chart, &draw::DrawOptions::default());
    Ok(render::svg(&scene, &render::SvgOptions::default()))
}

/// The heapviz command: does what the words of the command line ask for.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub fn main() -> std::process::ExitCode {
    cli::verbs::run(std::env::args_os().collect())
}
