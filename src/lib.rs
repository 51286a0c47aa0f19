//! Draws the heap profiles of GHC-compiled programs.
//!
//! A profile is read from bytes (an event log or a `.hp`, found by content), its bands are ranked
//! by the rules of hp2ps, and the chart of them is drawn or exported:
//!
//! ```
//! use heapviz::chart::Chart;
//! use heapviz::input::{InputOptions, read_drawable};
//! use heapviz::rank::{RankOptions, rank};
//! use heapviz::render::{SvgOptions, svg};
//! use heapviz::draw::{self, DrawOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::File::open("samples/leak-hy.eventlog")?;
//! let profile = read_drawable(file, &InputOptions::default())?;
//! let slice = Slice::of(&profile, &SliceOptions::default())?;
//! let ranking = rank(&slice, &RankOptions::default());
//! let chart = Chart::of(&slice, ranking);
//! let scene = draw::chart(&chart, &DrawOptions::default());
//! let picture = svg(&scene, &SvgOptions::default());
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
pub mod pattern;
pub mod profile;
pub mod rank;
pub mod render;
#[cfg(feature = "report")]
pub mod report;
pub mod scene;
pub mod slice;
pub mod units;
