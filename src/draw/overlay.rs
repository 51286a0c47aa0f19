//! The run-time system's own figures as thin lines over the bands.

use super::options::{HeapLines, PanelKind, View};
use super::outline::PlotPoint;
use super::sampling::Sampling;
use crate::base::units::{Bytes, Nanos, UnitSystem};
use crate::chart::HeapFigure;
use crate::chart::columns::{self, Columns, Place};
use crate::picture::Stroke;
use crate::picture::theme::Role;

/// With the default choice a line is at most as high as this share of what is drawn of the bands:
/// with the air above, they and their range then have three quarters of the plot's height.
const MOST_PERCENT: u128 = 128;

/// A line that differs from the bands by this share of them, on average, adds something to them.
const OFF: f64 = 0.05;

/// A line with this share of its points within the range of columns adds nothing to the range.
const WITHIN: f64 = 0.85;

/// The lines that are drawn, and a note about those that are not.
pub struct Overlays {
    /// The lines, highest first.
    pub lines: Vec<Overlay>,
    /// Which lines were left out, and why.
    pub note: Option<String>,
}

pub struct Overlay {
    pub figure: HeapFigure,
    /// From left to right: every value, or columns.
    pub points: Vec<PlotPoint>,
    /// The highest value, and when it was first reached.
    pub peak: (Nanos, Bytes),
}

/// A line with its points; `None` if the log does not have that figure.
pub fn overlay(figure: HeapFigure, sampling: &Sampling<'_>) -> Option<Overlay> {
    if !figure.is_of_the_heap_axis() {
        return None;
    }
    let Sampling { chart, options, time, .. } = sampling;
    let series = &chart.heap[figure];
    let peak = series.peak()?;
    let points = series.points().iter().filter_map(|&(instant, bytes)| {
        Some((time.of_time(chart, instant)?, u128::from(bytes.get())))
    });
    let points: Vec<PlotPoint> = points.collect();
    let dense = columns::series(&points, sampling.raster(), options.columns, time.weighing());
    Some(Overlay { figure, points: dense.unwrap_or(points), peak })
}

impl Overlay {
    /// How it is drawn: lines differ by dashes, because colours belong to bands.
    pub fn stroke(&self) -> Stroke {
        let (dash, width) = match self.figure {
            HeapFigure::Live => ((1.5, 2.5), 1.6),
            HeapFigure::Blocks => ((4.0, 3.0), 1.2),
            HeapFigure::Size => ((10.0, 3.0), 1.2),
            HeapFigure::Allocated => ((10.0, 10.0), 1.2),
        };
        Stroke { paint: Role::Heap.into(), width, dash: Some(dash) }
    }

    /// Whether it would leave too little of the height to the bands.
    fn dwarfs(&self, bands: u128) -> bool {
        self.highest().saturating_mul(100) > bands.saturating_mul(MOST_PERCENT)
    }

    /// Whether it only repeats the upper edge of the bands, or is within the range of columns.
    fn repeats(&self, columns: &Columns<'_>) -> bool {
        let totals = columns.places.iter().zip(columns.total.iter());
        let totals = totals.map(|(&place, &total)| (place, total));
        let pairs = totals
            .filter_map(|(place, total)| Some((height_at(&self.points, place)?, total as f64)));
        if columns.are_dense() && self.is_within_range(columns) {
            return true;
        }
        let (off, all) = pairs.fold((0.0, 0.0), |(off, all), (line, total)| {
            (off + (line - total).abs(), all + total)
        });
        all > 0.0 && off <= OFF * all
    }

    /// Whether nearly all of it is between the lowest and the highest totals of columns.
    fn is_within_range(&self, columns: &Columns<'_>) -> bool {
        let lows: Vec<_> = columns.range.iter().map(|span| span.low).collect();
        let highs: Vec<_> = columns.range.iter().map(|span| span.high).collect();
        let is_within = |&&(place, value): &&PlotPoint| {
            let ends = (height_at(&lows, place), height_at(&highs, place));
            matches!(ends, (Some(low), Some(high)) if (low..=high).contains(&(value as f64)))
        };
        let within = self.points.iter().filter(is_within).count();
        within as f64 >= WITHIN * self.points.len() as f64
    }

    /// The highest value that is drawn.
    pub fn highest(&self) -> u128 {
        self.points.iter().map(|point| point.1).max().unwrap_or(0)
    }

    pub fn title(&self, units: UnitSystem) -> String {
        let (time, highest) = self.peak;
        format!("{}\npeak {} at {time}", self.figure.name(), units.bytes(highest))
    }
}

/// The height of a line at a place, if it has one there.
fn height_at(line: &[PlotPoint], place: Place) -> Option<f64> {
    let right = line.partition_point(|point| point.0 < place);
    let (a, b) = (line.get(right.checked_sub(1)?)?, line.get(right)?);
    let share = (place - a.0) as f64 / (b.0 - a.0) as f64;
    Some(a.1 as f64 + (b.1 as f64 - a.1 as f64) * share)
}

impl Overlays {
    /// The lines that the options ask for.
    pub fn new(sampling: &Sampling<'_>) -> Self {
        let options = sampling.options;
        let asked = |figure: &HeapFigure| match &options.heap_lines {
            // Blocks are between the other two, and jump with every collection.
            HeapLines::Auto => {
                *figure != HeapFigure::Blocks && !options.panels.asks_for(PanelKind::Memory)
            }
            HeapLines::All => true,
            HeapLines::None => false,
            HeapLines::List(list) => list.contains(figure),
        };
        let known = HeapFigure::on_the_heap_axis().filter(asked);
        let known = known.filter_map(|figure| overlay(figure, sampling));
        let auto = options.heap_lines == HeapLines::Auto;
        if options.view == View::Percent {
            let lost = known.count() > 0 && !auto;
            let note = lost.then(|| "heap lines are not drawn in a view of shares".to_owned());
            return Overlays { lines: Vec::new(), note };
        }
        let why_not = |line: &Overlay| {
            let bands = if auto { sampling.own_highest_of_bands() } else { 0 };
            if bands == 0 {
                None
            } else if line.dwarfs(bands) {
                Some("far above the bands")
            } else {
                line.repeats(sampling.columns()).then_some("as high as the bands")
            }
        };
        let mut lines = Vec::new();
        let mut left_out = Vec::new();
        for line in known {
            match why_not(&line) {
                Some(why) => {
                    let peak = options.units.bytes(line.peak.1);
                    left_out.push(format!("{} not drawn: {why}, peak {peak}", line.figure.name()));
                }
                None => lines.push(line),
            }
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.peak.1));
        let note = (!left_out.is_empty()).then(|| left_out.join(" · "));
        Overlays { lines, note }
    }

    /// The highest value of all lines.
    pub fn highest(&self) -> u128 {
        self.lines.iter().map(Overlay::highest).max().unwrap_or(0)
    }
}
