//! The non-moving collector: how full its segments are after each sweep, and when it marks.

use super::collections::nanos;
use super::panel::{Curve, Look, Panel, PanelInput};
use super::value_axis;
use crate::chart::HeapFigure;
use crate::chart::runtime::NonMovingFigures;
use crate::chart::runtime::SegmentCensus;
use crate::draw::axis::TimeAxis;
use crate::draw::clip::Place;
use crate::draw::overlay::overlay;
use crate::scene::{Paint, Tone};
use crate::units::{Bytes, Nanos, count, percent};

/// How wide the column of the last census is, as a part of the axis.
const LAST: i64 = 48;

/// How close two columns can be, as a part of the axis: about a pixel.
const CLOSEST: i64 = 700;

/// The panel of the non-moving collector.
pub fn panels(source: &PanelInput<'_>) -> (Vec<Panel>, Vec<String>) {
    let activity = &source.chart.activity;
    let Some(figures) = NonMovingFigures::of(activity) else { return (Vec::new(), Vec::new()) };
    let PanelInput { chart, time, options, .. } = *source;
    let size = overlay(HeapFigure::Size, chart, time, options);
    let columns = columns(source);
    let top_of = |column: &Census| column.parts[2];
    let highest = columns.iter().map(top_of).max().unwrap_or(0);
    let highest = highest.max(size.as_ref().map_or(0, |line| line.highest()));
    // A strip above all columns shows what has a time but no amount.
    let top = highest.saturating_add(highest / 3).max(8);
    let strip = |from: u128, to: u128| (top / 100 * from, top / 100 * to);

    let mut curves = stack(&columns, &figures, source);
    curves.extend(size.map(|line| Curve {
        name: line.figure.name().to_owned(),
        figure: format!("peak {}", options.units.bytes(line.peak.1)),
        look: Look::Line(line.stroke()),
        pieces: vec![line.places],
    }));
    let nonmoving = &activity.runtime.nonmoving;
    let marks = nonmoving.marks().iter().map(|&(interval, _)| interval);
    let mut shapes = |name: &str, figure: String, tone, pieces: Vec<Vec<Place>>| {
        if !pieces.is_empty() {
            let look = Look::Shape(Paint::Tone(tone));
            curves.push(Curve { name: name.to_owned(), figure, look, pieces });
        }
    };
    let marking = format!("{} in {}", nanos(figures.marking_ns), count(figures.sweeps, "cycle"));
    shapes("marking", marking, Tone(45), source.boxes(marks, strip(84, 92)));
    let (syncs, ns) = figures.syncs;
    let stops =
        format!("{}, {}, longest {}", count(syncs, "pause"), nanos(ns), figures.longest_sync);
    let pauses = nonmoving.syncs().iter().copied();
    shapes("all stopped", stops, Tone::INK, source.boxes(pauses, strip(92, 100)));
    if curves.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let panel = Panel {
        id: "nonmoving",
        title: "non-moving heap after each sweep",
        axis: value_axis::bytes(top, options.units),
        curves,
    };
    let note = (syncs > 0)
        .then(|| "the pauses at the end of marking are not counted as collections".to_owned());
    (vec![panel], note.into_iter().collect())
}

/// What a census found, drawn as a stack: live blocks, all blocks, free segments.
struct Census {
    from: i64,
    to: i64,
    parts: [u128; 3],
}

fn columns(source: &PanelInput<'_>) -> Vec<Census> {
    let runtime = &source.chart.activity.runtime;
    let capabilities = runtime.collections.capabilities();
    let pruned = runtime.nonmoving.pruned();
    let kept = |census: &SegmentCensus| -> Bytes {
        // The log has it with the sweep, just before the census.
        let next = pruned.partition_point(|pruned| pruned.time <= census.time);
        next.checked_sub(1).map_or(Bytes::ZERO, |last| pruned[last].kept_bytes())
    };
    let censuses = runtime.nonmoving.censuses();
    let place = |time: Nanos| source.place(time);
    let width = source.time.high.saturating_sub(source.time.low) / LAST;
    let all = censuses.iter().enumerate().filter_map(|(i, census)| {
        let from = place(census.time)?;
        let next = censuses.get(i + 1).and_then(|next| place(next.time));
        let to = next.unwrap_or(from.saturating_add(width)).max(from);
        let (live, capacity) = (census.live(), census.capacity(capabilities));
        let [live, capacity, kept] =
            [live, capacity, kept(census)].map(|bytes| u128::from(bytes.get()));
        let capacity = capacity.max(live);
        Some(Census { from, to, parts: [live, capacity, capacity + kept] })
    });
    thinned(all, source.time)
}

/// Of censuses too close together to be told apart, keeps the one with the most.
fn thinned(all: impl Iterator<Item = Census>, time: &TimeAxis) -> Vec<Census> {
    let least = time.high.saturating_sub(time.low) / CLOSEST;
    let mut kept: Vec<Census> = Vec::new();
    for census in all {
        match kept.last_mut() {
            Some(last) if last.to.saturating_sub(last.from) < least => {
                last.to = census.to;
                if census.parts[2] > last.parts[2] {
                    last.parts = census.parts;
                }
            }
            _ => kept.push(census),
        }
    }
    kept
}

/// The stacked areas, highest first.
fn stack(columns: &[Census], figures: &NonMovingFigures, source: &PanelInput<'_>) -> Vec<Curve> {
    if columns.is_empty() {
        return Vec::new();
    }
    let units = source.options.units;
    let area = |part: usize| {
        let corners = columns.iter().flat_map(|c| [(c.from, c.parts[part]), (c.to, c.parts[part])]);
        vec![corners.collect::<Vec<Place>>()]
    };
    let (live, capacity) = (figures.live.get(), figures.capacity.get());
    let curve = |name: &str, figure: String, tone, part| Curve {
        name: name.to_owned(),
        figure,
        look: Look::Stairs(Paint::Tone(Tone(tone))),
        pieces: area(part),
    };
    let mut curves = Vec::new();
    if let Some(kept) = figures.kept.filter(|kept| kept.get() > 0) {
        curves.push(curve("free segments", units.bytes(kept), 12, 2));
    }
    let free = capacity.saturating_sub(live);
    let share = percent(free.into(), capacity.max(1).into());
    let fragmented = format!("{} ({share}) at the end", units.text(free.into()));
    curves.push(curve("free in segments", fragmented, 30, 1));
    curves.push(curve("live", format!("{} at the end", units.text(live.into())), 62, 0));
    curves
}
