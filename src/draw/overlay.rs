//! The run-time system's own figures as thin lines over the bands.

use super::heights;
use super::options::{DrawOptions, HeapLine, HeapLines, View};
use crate::chart::{Chart, Series};
use crate::scene::Stroke;
use crate::scene::theme::Role;
use crate::units::{Bytes, Nanos, UnitSystem};

/// With the default choice a line is at most this many times as high as what is drawn of the
/// bands: beyond, they would have less than a third of the plot.
const MOST_TIMES: u128 = 3;

/// The lines that are drawn, highest first, and what must be said about others.
pub struct Overlays<'a> {
    /// Highest first.
    pub lines: Vec<Overlay<'a>>,
    /// Which were left out, and why.
    pub note: Option<String>,
}

/// One line.
pub struct Overlay<'a> {
    /// Which figure.
    pub kind: HeapLine,
    /// Its values over time; at least one.
    pub points: &'a [(Nanos, Bytes)],
    /// The highest, and when it was first reached.
    pub peak: (Nanos, Bytes),
}

impl HeapLine {
    /// Its name in the key.
    pub const fn name(self) -> &'static str {
        match self {
            HeapLine::Live => "live bytes",
            HeapLine::Blocks => "blocks size",
            HeapLine::Size => "heap size",
        }
    }

    /// Its name for ids: ASCII.
    pub const fn id(self) -> &'static str {
        match self {
            HeapLine::Live => "live",
            HeapLine::Blocks => "blocks",
            HeapLine::Size => "size",
        }
    }

    /// How it is drawn: by dashes, since colours belong to bands.
    pub fn stroke(self) -> Stroke {
        let (dash, width) = match self {
            HeapLine::Live => ((1.5, 2.5), 1.6),
            HeapLine::Blocks => ((4.0, 3.0), 1.2),
            HeapLine::Size => ((10.0, 3.0), 1.2),
        };
        Stroke { paint: Role::Heap.into(), width, dash: Some(dash) }
    }

    fn series(self, chart: &Chart) -> &Series {
        match self {
            HeapLine::Live => &chart.heap.live,
            HeapLine::Blocks => &chart.heap.blocks,
            HeapLine::Size => &chart.heap.size,
        }
    }
}

impl Overlay<'_> {
    /// What hovering over it says.
    pub fn title(&self, units: UnitSystem) -> String {
        let (time, highest) = self.peak;
        format!("{}\npeak {} at {time}", self.kind.name(), units.bytes(highest))
    }
}

impl<'a> Overlays<'a> {
    /// The lines of a chart that the options ask for.
    pub fn new(chart: &'a Chart, options: &DrawOptions) -> Self {
        let asked = |line: &HeapLine| match &options.heap_lines {
            // Blocks lie between the other two, and jump with every collection.
            HeapLines::Auto => *line != HeapLine::Blocks,
            HeapLines::All => true,
            HeapLines::None => false,
            HeapLines::List(list) => list.contains(line),
        };
        let known = [HeapLine::Size, HeapLine::Blocks, HeapLine::Live].into_iter();
        let known = known.filter(asked).filter_map(|kind| {
            let points = kind.series(chart).points();
            let highest = points.iter().map(|point| point.1).max()?;
            let peak = *points.iter().find(|point| point.1 == highest)?;
            Some(Overlay { kind, points, peak })
        });
        let auto = options.heap_lines == HeapLines::Auto;
        if options.view == View::Percent {
            let lost = known.count() > 0 && !auto;
            let note = lost.then(|| "heap lines are not drawn beside shares".to_owned());
            return Overlays { lines: Vec::new(), note };
        }
        let most = heights::highest(chart, options.view).saturating_mul(MOST_TIMES);
        let fits = |line: &Overlay<'_>| !auto || u128::from(line.peak.1.get()) <= most;
        let (mut lines, dwarfing): (Vec<_>, Vec<_>) = known.partition(fits);
        lines.sort_by_key(|line| std::cmp::Reverse(line.peak.1));
        let note = (!dwarfing.is_empty()).then(|| {
            let named = dwarfing.iter().map(|line| {
                let peak = options.units.bytes(line.peak.1);
                format!("{} ({peak})", line.kind.name())
            });
            let named = named.collect::<Vec<_>>().join(" and ");
            format!("{named} not drawn: more than {MOST_TIMES} times the bands")
        });
        Overlays { lines, note }
    }

    /// The highest value of all lines.
    pub fn highest(&self) -> u128 {
        self.lines.iter().map(|line| u128::from(line.peak.1.get())).max().unwrap_or(0)
    }
}
