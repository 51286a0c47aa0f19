//! What the run-time system did, in lines and tables.

use std::fmt::Write;

use heapviz::chart::runtime::{
    GcFigures, MemoryFigures, NonMovingFigures, RunTimeFigures, TickyFigures,
};
use heapviz::slice::Slice;
use heapviz::units::{Nanos, UnitSystem, count, percent};

use crate::cli::table::{Side, Table};

/// The lines, each with a word and its text.
pub fn lines(figures: &RunTimeFigures, units: UnitSystem) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(gc) = &figures.gc {
        lines.push(("collector", collector(gc)));
        lines.extend(census(gc).map(|line| ("", line)));
    }
    lines.extend(figures.memory.as_ref().and_then(|held| Some(("memory", memory(held, units)?))));
    if let Some(figures) = figures.allocation {
        let (all, rate) = (units.text(figures.bytes.into()), figures.bytes_per_second());
        lines.push(("allocation", format!("{all}, {} a second in the program", units.text(rate))));
    }
    if let Some(found) = &figures.nonmoving {
        lines.push(("non-moving", nonmoving(found)));
        lines.extend(segments(found, units).map(|line| ("", line)));
    }
    lines
}

fn collector(gc: &GcFigures) -> String {
    format!(
        "{}, {} of {}; longest {}; productivity {:.1} %",
        count(gc.collections, "pause"),
        nanos(gc.pause_ns),
        gc.elapsed,
        gc.longest,
        gc.productivity_percent()
    )
}

fn census(gc: &GcFigures) -> Option<String> {
    let (with, ns) = gc.census;
    let [part, whole] = [ns, gc.pause_ns].map(|ns| ns.max(0) as u128);
    let share = percent(part, whole);
    let verb = if with == 1 { "includes" } else { "include" };
    (with > 0).then(|| {
        format!("{with} of them {verb} a heap census, which prolongs them ({share} of all pauses)")
    })
}

fn memory(figures: &MemoryFigures, units: UnitSystem) -> Option<String> {
    let (_, held) = figures.held?;
    let mut line = format!("{} held at most", units.bytes(held));
    if let (Some((_, live)), Some(times)) = (figures.live, figures.held_by_live()) {
        line += &format!(", {times:.1} times the live data ({})", units.bytes(live));
    }
    if let Some(last) = figures.held_last.filter(|&last| last != held) {
        line += &format!("; {} at the end", units.bytes(last));
    }
    Some(line)
}

fn nonmoving(figures: &NonMovingFigures) -> String {
    let cycles = count(figures.sweeps, "cycle");
    let mut line = format!("{cycles}, marking {}", nanos(figures.marking_ns));
    let (stops, ns) = figures.syncs;
    if stops > 0 {
        let stops = count(stops, "further pause");
        line += &format!("; {stops}, {}, longest {}", nanos(ns), figures.longest_sync);
    }
    line
}

fn segments(figures: &NonMovingFigures, units: UnitSystem) -> Option<String> {
    let (live, capacity) = (figures.live.get(), figures.capacity.get());
    let share = percent(capacity.saturating_sub(live).into(), capacity.into());
    let all = units.text(capacity.into());
    (capacity > 0).then(|| format!("segments of {all} at the end, {share} of it free"))
}

fn nanos(sum: i128) -> Nanos {
    Nanos::from_nanos(i64::try_from(sum).unwrap_or(i64::MAX))
}

/// The collections by generation; `None` without any.
pub fn generations(figures: &RunTimeFigures) -> Option<Table> {
    let gc = figures.gc.as_ref()?;
    let mut table = Table::new(&[
        ("generation", Side::Left),
        ("collections", Side::Right),
        ("paused", Side::Right),
        ("longest", Side::Right),
    ]);
    for generation in &gc.generations {
        table.row(vec![
            generation.number.to_string(),
            generation.collections.to_string(),
            nanos(generation.pause_ns).to_string(),
            generation.longest.to_string(),
        ]);
    }
    Some(table)
}

/// The ticky counters, most entries first; `None` without any.
pub fn ticky(figures: &RunTimeFigures, slice: &Slice<'_>, units: UnitSystem) -> Option<Table> {
    if figures.ticky.is_empty() {
        return None;
    }
    // GHC fills the last column only when the program was compiled to count bytes.
    let has_others = figures.ticky.iter().any(|one| one.counts.allocated > 0);
    let has_curves = figures.ticky.iter().any(|one| !one.curve.is_empty());
    let places: Vec<Option<String>> =
        figures.ticky.iter().map(|one| slice.place_of_counter(&one.counter)).collect();
    let has_places = places.iter().any(Option::is_some);
    let mut head = vec![
        ("closure", Side::Left),
        ("kind", Side::Left),
        ("args", Side::Left),
        ("entries", Side::Right),
        ("allocated by it", Side::Right),
    ];
    head.extend(has_others.then_some(("of it", Side::Right)));
    head.extend(has_curves.then_some(("entries over time", Side::Left)));
    head.extend(has_places.then_some(("place", Side::Left)));
    let mut table = Table::new(&head);
    for (TickyFigures { counter, counts, curve: over_time, .. }, place) in
        figures.ticky.iter().zip(places)
    {
        let mut row = vec![
            counter.label(),
            counter.kind.clone(),
            counter.arguments.clone(),
            counts.entries.to_string(),
            units.text(counts.allocations.into()),
        ];
        row.extend(has_others.then(|| units.text(counts.allocated.into())));
        row.extend(has_curves.then(|| curve(over_time)));
        row.extend(has_places.then(|| place.unwrap_or_default()));
        table.row(row);
    }
    Some(table)
}

/// Numbers as a row of blocks, the highest for the greatest.
fn curve(numbers: &[u64]) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let greatest = u128::from(numbers.iter().copied().max().unwrap_or(0).max(1));
    let block = |&number: &u64| match number {
        0 => ' ',
        _ => BLOCKS[(u128::from(number) * 8).div_ceil(greatest) as usize - 1],
    };
    numbers.iter().map(block).collect()
}

/// The text above the ticky counters.
pub const TICKY_NOTE: &str =
    "ticky counters until the last batch: what the program did after it is not counted";

/// Explains why this many defined counters have no counts.
pub fn no_ticky(counters: usize) -> String {
    match counters {
        0 => "no ticky counters: build with -ticky, and run with +RTS -lT; GHC 9.0 writes them only as \
              text, with -r"
            .to_owned(),
        _ => format!(
            "{}, and no counts: they are written after a collection, once in each interval of -i; let the \
             program run longer, or give a shorter -i",
            count(counters, "ticky counter")
        ),
    }
}

/// Adds the lines, and a blank line before them.
pub fn write(out: &mut String, figures: &RunTimeFigures, units: UnitSystem) {
    let lines = lines(figures, units);
    if !lines.is_empty() {
        out.push('\n');
    }
    for (word, line) in lines {
        let _ = writeln!(out, "{word:<15}{line}");
    }
}
