//! Turns a chart into its picture: decides the place, size and colour of everything.
//!
//! [`chart`] first determines what is drawn (`sampling`, `parts`). Then it gives each part its place
//! (`layout`). Finally, plotters draws the plots into a backend that records them (`plotters`). The
//! result is a [`Scene`](crate::picture::Scene), a plain list of items. Text is measured on a
//! bundled font, so the same chart gives the same scene on every machine.

pub mod colour;
mod flame;
mod heading;
mod key;
mod layout;
mod marks;
mod options;
mod outline;
mod pair;
mod panels;
mod parts;
mod plotters;
mod sampling;
mod single;
mod stack_plot;
mod time_axis;
mod value_axis;
mod words;

#[cfg(test)]
mod tests;

pub use crate::chart::columns::ColumnKind;
pub use colour::Palette;
pub use flame::{FlameOptions, RootPlace, flame};
pub use options::{
    DrawOptions, Heading, HeapLines, KeyPlace, MarkerChoice, MarkerPattern, Messages, PanelChoice,
    PanelKind, SameScale, Scale, TitleOptions, UnknownWord, View, XAxis,
};
pub use pair::{LEAST_PAIR, pair};
pub use sampling::common_scale;
pub(crate) use sampling::{floor_cut, heap_lines};
pub use single::chart;
