//! The panel of the memory that the program holds, with live data and bands.

use std::cmp::Reverse;

use super::panel::{Curve, Look, Panel, PanelInput};
use super::value_axis;
use crate::analysis::runtime::MemoryFigures;
use crate::chart::HeapFigure;
use crate::draw::overlay::overlay;
use crate::picture::Tone;

/// The panel of memory, and a note on why the program holds more than its live data.
pub fn panels(source: &PanelInput<'_>) -> (Vec<Panel>, Vec<String>) {
    let PanelInput { chart, columns, time, options } = *source;
    let lines = HeapFigure::on_the_heap_axis();
    let mut lines: Vec<_> =
        lines.filter_map(|figure| overlay(figure, chart, time, options)).collect();
    lines.sort_by_key(|line| Reverse(line.peak.1));
    if lines.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let bands = columns.total.iter().copied().max().unwrap_or(0);
    let highest = lines.iter().map(|line| line.highest()).max().unwrap_or(0).max(bands);
    let mut curves = Vec::new();
    if bands > 0 {
        let places = columns.places.iter().copied().zip(columns.total.iter().copied());
        curves.push(Curve {
            name: "all bands".to_owned(),
            figure: peak(options.units.text(chart.peak().map_or(0, |peak| peak.total))),
            look: Look::Area(Tone(22).into()),
            pieces: vec![places.collect()],
        });
    }
    curves.extend(lines.into_iter().map(|line| Curve {
        name: line.figure.name().to_owned(),
        figure: peak(options.units.bytes(line.peak.1)),
        look: Look::Line(line.stroke()),
        pieces: vec![line.places],
    }));
    let panel = Panel {
        id: "memory",
        title: "memory",
        axis: value_axis::bytes(value_axis::with_air(highest), options.units),
        curves,
    };
    // The non-moving collector copies nothing, and its figure for live data is an estimate.
    let copies = chart.activity.runtime.nonmoving.is_empty();
    let why = copies.then(|| MemoryFigures::of(&chart.heap).copies_note()).flatten();
    (vec![panel], why.into_iter().collect())
}

fn peak(amount: String) -> String {
    format!("peak {amount}")
}
