//! What a panel is made of.

use crate::chart::Chart;
use crate::chart::columns::Columns;
use crate::draw::axis::TimeAxis;
use crate::draw::clip::Place;
use crate::draw::heap_axis::HeapAxis;
use crate::draw::options::DrawOptions;
use crate::picture::{Paint, Stroke};

/// A small chart.
pub struct Panel {
    /// Its name in ids, in ASCII.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Its vertical axis.
    pub axis: HeapAxis,
    /// What is drawn, in painting order.
    pub curves: Vec<Curve>,
}

/// One quantity in a panel.
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its figure in the legend, shown if there is space.
    pub figure: String,
    /// How it is drawn.
    pub look: Look,
    /// Its places: each piece from left to right.
    pub pieces: Vec<Vec<Place>>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug)]
pub enum Look {
    /// Everything below a line, which may be thinned where it is dense.
    Area(Paint),
    /// Everything below stairs, every step of them.
    Stairs(Paint),
    /// The line.
    Line(Stroke),
}

/// The input from which the panels of a chart are made.
pub struct PanelInput<'a> {
    /// The chart.
    pub chart: &'a Chart,
    /// What is drawn of the bands.
    pub columns: &'a Columns<'a>,
    /// The axis of time.
    pub time: &'a TimeAxis,
    /// The options of the picture.
    pub options: &'a DrawOptions,
}
