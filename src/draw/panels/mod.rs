//! Panels: small charts of what the run-time system did, below the bands and on their axis of time.
//!
//! A panel is a list of curves. Each has an entry in the legend above the panel, so that everything
//! that is drawn is explained. Colours belong to bands, so areas are painted in greys, and lines
//! look like the same lines over the bands.

mod collections;
mod memory;
mod panel;
mod place;
mod rate;
mod record;
mod value_axis;

use super::frame::Frame;
use super::options::{PanelChoice, PanelKind};
pub use panel::{Panel, PanelInput};
pub use record::record;

#[cfg(test)]
mod tests;

/// The height of a panel's title and legend, in pixels.
pub const HEAD: f64 = 20.0;
/// The distance from a panel to what is above it, in pixels.
pub const GAP: f64 = 14.0;
/// The greatest and the least height of a panel's plot, in pixels.
const HEIGHT: (f64, f64) = (66.0, 34.0);
/// The greatest share of a picture's height that panels take, unless they need more for their least
/// height.
const SHARE: f64 = 0.6;

/// The panels of a chart, from top to bottom, and the notes about them.
pub struct Panels {
    /// The panels.
    pub panels: Vec<Panel>,
    /// The notes.
    pub notes: Vec<String>,
}

impl Panels {
    /// The panels that the options ask for and that the chart has data for.
    pub fn new(source: &PanelInput<'_>) -> Panels {
        const ALL: [PanelKind; 3] = [PanelKind::Gc, PanelKind::Memory, PanelKind::Alloc];
        let choice = &source.options.panels;
        let kinds = match choice {
            PanelChoice::None => Vec::new(),
            PanelChoice::Auto => ALL.to_vec(),
            PanelChoice::List(list) => list.clone(),
        };
        let mut all = Panels { panels: Vec::new(), notes: Vec::new() };
        for kind in kinds {
            let (panels, notes) = match kind {
                PanelKind::Gc => collections::panels(source),
                PanelKind::Memory => memory::panels(source),
                PanelKind::Alloc => rate::panels(source),
            };
            if panels.is_empty() && matches!(choice, PanelChoice::List(_)) {
                all.notes.push(missing(kind).to_owned());
            }
            all.panels.extend(panels);
            all.notes.extend(notes);
        }
        all
    }

    /// The height of a panel's plot in a picture of this height.
    pub fn height_of_one(&self, picture: f64) -> f64 {
        let room = SHARE * picture / self.panels.len().max(1) as f64 - HEAD - GAP;
        room.clamp(HEIGHT.1, HEIGHT.0).floor()
    }

    /// The height of all panels, each with a plot of this height.
    pub fn height(&self, one: f64) -> f64 {
        self.panels.len() as f64 * (GAP + HEAD + one)
    }
}

/// Where the panels are below a plot, or in its place.
pub fn frames(count: usize, plot: Frame, one: f64) -> Vec<Frame> {
    let top = |i: usize| plot.bottom + i as f64 * (GAP + HEAD + one) + GAP + HEAD;
    (0..count).map(|i| Frame { top: top(i), bottom: top(i) + one, ..plot }).collect()
}

fn missing(kind: PanelKind) -> &'static str {
    match kind {
        PanelKind::Gc => "no panel of collections: the input has none (+RTS -l-agu logs them)",
        PanelKind::Memory => "no panel of memory: the input has no heap figures (+RTS -l-agu)",
        PanelKind::Alloc => "no panel of allocation: the input does not have it (+RTS -l-agu)",
    }
}
