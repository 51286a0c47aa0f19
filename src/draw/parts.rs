//! The parts of a picture, without their places: they do not depend on the room that there is, so
//! they are determined once.

use std::ops::RangeInclusive;

use super::heading::{HeadingWords, MARGIN};
use super::options::DrawOptions;
use super::panels::Panels;
use super::sampling::Sampling;
use super::{colour, labels};
use crate::base::text::visible;
use crate::base::units::UnitSystem;
use crate::chart::Chart;
use crate::picture::Paint;

/// How a layer looks, and what is said about it, in the plot and in the key.
pub struct LayerLook {
    pub paint: Paint,
    /// The id of the layer without the prefix that says where it is.
    pub id: String,
    /// The full name of the layer, fit to be shown.
    pub name: String,
    pub title: String,
}

impl LayerLook {
    /// The looks of the layers of a chart, which have these paints and ids.
    pub fn all(chart: &Chart, units: UnitSystem, paints: &[Paint], ids: Vec<String>) -> Vec<Self> {
        let layers = chart.layers.iter().zip(paints).zip(ids);
        let look = |((layer, &paint), id)| LayerLook {
            paint,
            id,
            name: labels::name(layer),
            title: labels::layer_title(chart, layer, units),
        };
        layers.map(look).collect()
    }
}

/// What a picture is made of.
pub struct PictureParts<'a> {
    pub sampling: Sampling<'a>,
    pub looks: Vec<LayerLook>,
    pub panels: Panels,
    pub heading: HeadingWords,
    pub notes: Vec<String>,
    pub size: Size,
}

/// The size of a picture, in whole pixels.
pub struct Size {
    pub width: f64,
    /// The height that was asked for, with panels.
    pub height: f64,
    /// The greatest height of the picture.
    pub limit: f64,
    /// That height, not rounded down: a part of a pixel does not make a layout too high.
    pub too_high_above: f64,
    /// The height of the plot of each panel.
    pub panel: f64,
}

impl Size {
    fn new(options: &DrawOptions, panels: &Panels) -> Self {
        let whole = |wish: f64, bounds: RangeInclusive<f64>| match wish.is_finite() {
            true => wish.clamp(*bounds.start(), *bounds.end()).round(),
            false => *bounds.start(),
        };
        let height = whole(options.height, DrawOptions::HEIGHTS);
        let limit = whole(options.max_height, DrawOptions::HEIGHTS).max(height);
        let panel = panels.height_of_one(limit);
        let most = options.height.max(options.max_height).max(*DrawOptions::HEIGHTS.start());
        Size {
            width: whole(options.width, DrawOptions::WIDTHS),
            // Panels make the picture higher, unless the height was given.
            height: (height + panels.height(panel)).min(limit).round(),
            limit,
            too_high_above: most.ceil(),
            panel,
        }
    }

    /// The greatest length of a line of text.
    pub fn line(&self) -> f64 {
        self.width - 2.0 * MARGIN
    }
}

impl<'a> PictureParts<'a> {
    /// The parts of the picture of a chart.
    pub fn new(chart: &'a Chart, options: &'a DrawOptions) -> Self {
        let paints = colour::layer_paints(chart, options.palette);
        let ids = labels::ids(&chart.layers);
        let looks = LayerLook::all(chart, options.units, &paints, ids);
        let heading = HeadingWords::new(chart, &chart.facts, options);
        let sampling = Sampling::new(chart, options);
        PictureParts::of(sampling, looks, heading, &chart.footnotes())
    }

    /// The parts of a picture with these looks and words; the notes are in addition to those about the
    /// picture itself.
    pub fn of(
        sampling: Sampling<'a>,
        looks: Vec<LayerLook>,
        heading: HeadingWords,
        notes: &[String],
    ) -> Self {
        let panels = Panels::new(&sampling);
        let mut notes: Vec<String> = notes.iter().map(|note| visible(note)).collect();
        notes.extend(sampling.about_gaps());
        notes.extend(sampling.about_cut());
        notes.extend(sampling.overlays().note.map(str::to_owned));
        notes.extend(panels.notes.iter().cloned());
        let size = Size::new(sampling.options, &panels);
        PictureParts { sampling, looks, panels, heading, notes, size }
    }

    /// Gives the picture exactly this height.
    pub fn set_height(&mut self, height: f64) {
        let options = DrawOptions { height, max_height: height, ..self.sampling.options.clone() };
        self.size = Size::new(&options, &self.panels);
    }

    /// A chart without samples shows its panels alone.
    pub fn has_plot(&self) -> bool {
        !self.sampling.chart.times.is_empty() || self.panels.panels.is_empty()
    }
}
