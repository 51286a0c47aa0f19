//! Draws the heap profiles of GHC-compiled programs.
//!
//! One call makes a picture of a profile, an event log or a `.hp`, which is found by content:
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
//! The longer way has options at every step: a profile is read, one [slice](mod@slice) of it is looked at,
//! the bands of that are [ranked](rank) by the rules of hp2ps, and their [chart] is
//! [drawn](draw) or [exported](export), and the drawing [rendered](render) in some format. Options
//! can grow, so they are no literals: take the default and set fields, or chain setters.
//!
//! ```
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
//! let beginning = Window::default().with_to("1s".parse::<Bound>()?);
//! let slice = Slice::of(&profile, &SliceOptions::default().with_window(beginning))?;
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
//! The library reads from any [`std::io::Read`], opens no file, prints nothing and keeps no global
//! state. `docs/architecture.md` maps its rooms, `docs/numbers.md` explains its numbers.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `cli` (default) | the command `heapviz`, and all that follows |
//! | `png` | `render::png` |
//! | `pdf` | `render::pdf` |
//! | `report` | the module `report`: the interactive page |
//!
//! Without any the library reads profiles, ranks bands, and writes SVG, EPS, JSON, CSV and `.hp`.
//! It builds for `wasm32-unknown-unknown`.
//!
//! What the formats are, and what GHC writes and hp2ps does, is in `docs/format/eventlog.md` and
//! `docs/format/hp.md`, whose headings the documentation cites.

#[macro_use]
mod setters;

pub mod analysis;
pub mod chart;
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
pub mod scene;
pub mod slice;
#[cfg(test)]
mod testing;
pub mod tree;
pub mod units;

/// The chart of a profile as an SVG document: the biggest bands of the whole run, as hp2ps would
/// choose and order them.
///
/// # Errors
/// What [`input::read_drawable`] says: the source fails, it is no profile, or there is nothing in it
/// to draw.
pub fn svg(source: impl std::io::Read) -> Result<String, input::ReadError> {
    let profile = input::read_drawable(source, &input::InputOptions::default())?;
    let chart = chart::Chart::of_profile(&profile, &rank::RankOptions::default());
    let scene = draw::chart(&chart, &draw::DrawOptions::default());
    Ok(render::svg(&scene, &render::SvgOptions::default()))
}
