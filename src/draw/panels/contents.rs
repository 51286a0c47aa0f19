//! What a panel is, and what each kind of panel shows: pauses by generation and how much of the time the program ran, the
//! memory that it holds, and how fast it allocates.

use std::cmp::Reverse;

use crate::analysis::runtime::{
    AllocationFigures, Collection, GcFigures, Generation, MemoryFigures, RateStep,
    WHOLE as ALL_THE_TIME, sum_of_times,
};
use crate::base::units::{Nanos, count, percent};
use crate::chart::HeapSeriesKind;
use crate::draw::options::PanelKind;
use crate::draw::outline::PlotPoint;
use crate::draw::sampling::{Sampling, WHOLE, overlay};
use crate::draw::value_axis::ValueAxis;
use crate::picture::{Paint, Stroke, Tone};

pub struct Panel {
    /// The name of the panel in ids, in ASCII.
    pub id: &'static str,
    pub title: &'static str,
    pub axis: ValueAxis,
    /// What is drawn, in painting order.
    pub curves: Vec<Curve>,
}

pub struct Curve {
    pub name: String,
    /// The figure in the legend, shown if there is space.
    pub figure: String,
    pub shape: CurveShape,
}

/// How a curve is drawn; its points are from left to right.
pub enum CurveShape {
    /// Everything below the pieces of a line, which may be thinned where it is dense.
    Area(Vec<Vec<PlotPoint>>, Paint),
    /// Everything below stairs, every step of them, perhaps in several pieces.
    Stairs(Vec<Vec<PlotPoint>>, Paint),
    Line(Vec<Vec<PlotPoint>>, Stroke),
}

/// The panels of a chart, from top to bottom, and the notes about them.
#[derive(Default)]
pub struct Panels {
    pub panels: Vec<Panel>,
    pub notes: Vec<String>,
}

/// The most stretches in which the share of time, or the rate of allocation, is shown.
const STRETCHES: usize = 160;

/// The panels of one kind with their notes; none if the input has no data for them.
pub fn panels(kind: PanelKind, sampling: &Sampling<'_>) -> Panels {
    match kind {
        PanelKind::Gc => collections(sampling),
        PanelKind::Memory => memory(sampling),
        PanelKind::Alloc => allocation(sampling),
    }
}

fn collections(sampling: &Sampling<'_>) -> Panels {
    let collections = &sampling.chart.activity.runtime.collections;
    if collections.all.is_empty() {
        return Panels::default();
    }
    let note = GcFigures::new(collections, sampling.chart.activity.elapsed());
    let note = note.and_then(|gc| gc.census_words());
    Panels { panels: vec![pauses(sampling), running(sampling)], notes: note.into_iter().collect() }
}

fn pauses(sampling: &Sampling<'_>) -> Panel {
    let collections = &sampling.chart.activity.runtime.collections;
    let pause = |gc: &Collection| gc.pause().as_nanos().max(0) as u128;
    let longest = collections.all.iter().map(pause).max().unwrap_or(0);
    let generations = collections.generations();
    let oldest = generations.len().saturating_sub(1);
    let curves = generations.iter().enumerate().map(|(i, generation)| {
        let own = collections.all.iter().filter(|gc| gc.generation == generation.number);
        // The youngest is the palest, the oldest black; both show at the same place.
        let tone = 35 + 65 * i / oldest.max(1);
        Curve {
            name: format!("generation {}", generation.number),
            figure: figure(generation),
            shape: CurveShape::Stairs(
                vec![skyline(
                    sampling,
                    own.map(|gc| RateStep { from: gc.start, to: gc.end, value: pause(gc) }),
                )],
                Tone(tone as u8).into(),
            ),
        }
    });
    Panel {
        id: "pauses",
        title: "longest pauses",
        axis: ValueAxis::time_of_panel(with_air(longest)),
        curves: curves.collect(),
    }
}

fn figure(generation: &Generation) -> String {
    let all = sum_of_times(generation.pause_ns);
    let longest = generation.longest;
    format!("{}, {all}, longest {longest}", count(generation.collections, "collection"))
}

fn running(sampling: &Sampling<'_>) -> Panel {
    let activity = &sampling.chart.activity;
    let steps = activity.productivity(STRETCHES);
    let height = |value: u128| value * WHOLE / ALL_THE_TIME;
    let elapsed = activity.elapsed().as_nanos().max(1) as u128;
    let paused = activity.runtime.collections.pause_ns().max(0) as u128;
    Panel {
        id: "running",
        title: "share of time in the program",
        axis: ValueAxis::shares_of_panel(),
        curves: vec![Curve {
            name: "productivity".to_owned(),
            figure: format!(
                "{} of {}",
                percent(elapsed.saturating_sub(paused), elapsed),
                activity.elapsed()
            ),
            shape: CurveShape::Stairs(stairs(sampling, &steps, height), Tone(35).into()),
        }],
    }
}

/// The panel of memory, and a note on why the program holds more than its live data.
fn memory(sampling: &Sampling<'_>) -> Panels {
    let (chart, options) = (sampling.chart, sampling.options);
    let lines = HeapSeriesKind::on_the_heap_axis();
    let mut lines: Vec<_> = lines.filter_map(|figure| overlay(figure, sampling)).collect();
    lines.sort_by_key(|line| Reverse(line.peak.1));
    if lines.is_empty() {
        return Panels::default();
    }
    let columns = sampling.columns();
    let bands = columns.total.iter().copied().max().unwrap_or(0);
    let highest = lines.iter().map(|line| line.highest()).max().unwrap_or(0).max(bands);
    let mut curves = Vec::new();
    if bands > 0 {
        let places = columns.places.iter().copied().zip(columns.total.iter().copied());
        curves.push(Curve {
            name: "all bands".to_owned(),
            figure: peak(options.units.text(chart.peak().map_or(0, |peak| peak.total))),
            shape: CurveShape::Area(columns.pieces(places.collect()), Tone(22).into()),
        });
    }
    curves.extend(lines.into_iter().map(|line| Curve {
        name: line.figure.name().to_owned(),
        figure: peak(options.units.bytes(line.peak.1)),
        shape: CurveShape::Line(columns.pieces(line.points.clone()), line.stroke()),
    }));
    let panel = Panel {
        id: "memory",
        title: "memory",
        axis: ValueAxis::bytes_of_panel(with_air(highest), options.units),
        curves,
    };
    // The non-moving collector copies nothing, and its figure for live data is an estimate.
    let copies = chart.activity.runtime.nonmoving.is_empty();
    let figures = MemoryFigures::new(&chart.heap, &chart.activity.runtime.collections);
    let why = figures.held_note(copies).map(|note| note.text(options.units));
    Panels { panels: vec![panel], notes: why.into_iter().collect() }
}

fn peak(amount: String) -> String {
    format!("peak {amount}")
}

fn allocation(sampling: &Sampling<'_>) -> Panels {
    let activity = &sampling.chart.activity;
    let units = sampling.options.units;
    let steps = activity.allocation_rate(STRETCHES);
    let Some(figures) = AllocationFigures::new(activity).filter(|_| !steps.is_empty()) else {
        return Panels::default();
    };
    let highest = steps.iter().map(|step| step.value).max().unwrap_or(0);
    let panel = Panel {
        id: "allocation",
        title: "allocation a second in the program",
        axis: ValueAxis::rate_of_panel(with_air(highest), units),
        curves: vec![Curve {
            name: "allocated".to_owned(),
            figure: format!(
                "{}, {}/s",
                units.text(figures.bytes.into()),
                units.text(figures.bytes_per_second)
            ),
            shape: CurveShape::Stairs(stairs(sampling, &steps, |value| value), Tone(35).into()),
        }],
    };
    Panels { panels: vec![panel], notes: Vec::new() }
}

/// Adds a little to the highest value, so that it does not touch the frame.
fn with_air(highest: u128) -> u128 {
    highest.saturating_add(highest / 12).max(1)
}

/// The place of an instant; `None` on an axis of samples if it is outside the samples.
fn place(sampling: &Sampling<'_>, time: Nanos) -> Option<i64> {
    sampling.time.of_time(sampling.chart, time)
}

/// A line that goes up and down in steps.
fn stairs(
    sampling: &Sampling<'_>,
    steps: &[RateStep],
    height: impl Fn(u128) -> u128,
) -> Vec<Vec<PlotPoint>> {
    let mut pieces: Vec<Vec<PlotPoint>> = Vec::new();
    let mut end = None;
    for step in steps {
        let (Some(from), Some(to)) = (place(sampling, step.from), place(sampling, step.to)) else {
            continue;
        };
        if end.replace(to) != Some(from) || pieces.is_empty() {
            pieces.push(Vec::new());
        }
        let height = height(step.value);
        if let Some(piece) = pieces.last_mut() {
            piece.extend([(from, height), (to, height)]);
        }
    }
    pieces
}

/// An outline of the greatest value in each column of the axis; it is on the base line in
/// columns without a value.
fn skyline(sampling: &Sampling<'_>, steps: impl Iterator<Item = RateStep>) -> Vec<PlotPoint> {
    let raster = sampling.raster();
    let mut highest = vec![0_u128; raster.count];
    let span = (raster.high as f64 - raster.low as f64).max(1.0);
    let column = |place: i64| {
        let share = (place as f64 - raster.low as f64) / span;
        (0.0..=1.0)
            .contains(&share)
            .then(|| ((share * raster.count as f64) as usize).min(raster.count - 1))
    };
    for RateStep { from, to, value } in steps {
        let (Some(from), Some(to)) = (place(sampling, from), place(sampling, to)) else { continue };
        let Some(first) = column(from) else { continue };
        // It extends into the next column only if it fills half of it.
        let last = column(to.saturating_sub((span / raster.count as f64 / 2.0) as i64));
        for height in &mut highest[first..=last.unwrap_or(first).max(first)] {
            *height = (*height).max(value);
        }
    }
    let edge = |i: usize| (raster.low as f64 + span * i as f64 / raster.count as f64) as i64;
    let mut outline: Vec<PlotPoint> = Vec::new();
    for (i, &height) in highest.iter().enumerate() {
        if outline.last().map(|place| place.1) != Some(height) {
            outline.extend([(edge(i), outline.last().map_or(0, |p| p.1)), (edge(i), height)]);
        }
        if i + 1 == highest.len() {
            outline.push((edge(i + 1), height));
        }
    }
    outline
}
