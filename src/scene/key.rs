//! The key beside the plot: one row for every layer, top of the stack first, with its peak.

use super::text::{Weight, elide, width};
use super::theme::{Paint, Role};
use super::{Anchor, Group, Line, Point, Rectangle, Stroke, Text, backend::Recorder, words};
use crate::chart::Chart;

/// The most and least height of a row, and the font sizes that go with them, in pixels.
const ROW: (f64, f64) = (19.0, 11.5);
const SIZE: (f64, f64) = (12.0, 8.5);

const SWATCH: f64 = 11.0;
const AFTER_SWATCH: f64 = 7.0;
const BEFORE_VALUE: f64 = 14.0;

/// The key's contents and the size that they need.
pub struct Key {
    /// Its width in pixels; 0 when there is nothing to explain.
    pub width: f64,
    entries: Vec<Entry>,
    /// How many layers have no row.
    left_out: usize,
    row: f64,
    size: f64,
}

struct Entry {
    name: String,
    value: String,
    swatch: Swatch,
    group: Group,
}

#[derive(Clone, Copy)]
enum Swatch {
    Box(Paint),
    Line,
}

/// The height below which `rows` do not fit.
pub fn least_height(chart: &Chart) -> f64 {
    (row_count(chart) + 1) as f64 * ROW.1
}

fn row_count(chart: &Chart) -> usize {
    chart.layers.len() + usize::from(has_total(chart))
}

/// Whether the line of all bands is drawn.
pub fn has_total(chart: &Chart) -> bool {
    chart.total_differs() && chart.trace.grand_total > 0
}

impl Key {
    /// The key of a chart in a room of that many pixels.
    pub fn new(chart: &Chart, paints: &[Paint], ids: &[String], room: (f64, f64)) -> Self {
        let (most_width, height) = room;
        let rows = row_count(chart);
        // One row is the heading.
        let row = (height / (rows + 1) as f64).clamp(ROW.1, ROW.0);
        let size = (row * 0.68).clamp(SIZE.1, SIZE.0);
        let fitting = ((height / row + 1e-6) as usize).saturating_sub(1);
        let shown = if rows <= fitting { rows } else { fitting.saturating_sub(1) };

        let total = has_total(chart).then(|| total_entry(chart));
        let layers = (0..chart.layers.len()).rev().map(|i| {
            let layer = &chart.layers[i];
            let mut group = Group::new("key-entry");
            group.id = Some(format!("key-{}", ids[i]));
            group.target = Some(format!("band-{}", ids[i]));
            group.label = Some(words::name(layer));
            group.title = Some(words::layer_title(chart, layer));
            let value = words::peak(layer).0.to_string();
            Entry { name: words::name(layer), value, swatch: Swatch::Box(paints[i]), group }
        });
        let mut entries: Vec<Entry> = total.into_iter().chain(layers).take(shown).collect();
        let left_out = rows - entries.len();

        let widest = |text: fn(&Entry) -> &str| {
            entries
                .iter()
                .map(|entry| width(text(entry), size, Weight::Regular))
                .fold(0.0, f64::max)
        };
        let values = widest(|entry| &entry.value).max(width("peak", size, Weight::Regular));
        let around = SWATCH + AFTER_SWATCH + BEFORE_VALUE + values;
        let names = widest(|entry| &entry.name).min((most_width - around).max(0.0));
        for entry in &mut entries {
            entry.name = elide(&entry.name, size, Weight::Regular, names);
        }
        let more = match left_out {
            0 => 0.0,
            _ => SWATCH + AFTER_SWATCH + width(&more_text(left_out), size, Weight::Regular),
        };
        let width = if rows == 0 { 0.0 } else { (around + names).max(more).ceil() };
        Key { width, entries, left_out, row, size }
    }

    /// Records it with its upper left corner at `at`.
    pub fn record(&self, recorder: &mut Recorder, at: Point) {
        if self.width == 0.0 {
            return;
        }
        recorder.group(Group::new("key"), |recorder| {
            let right = at.x + self.width;
            let baseline = |row: usize| at.y + (row as f64 + 0.5) * self.row + 0.36 * self.size;
            let heading = Text::new(right, baseline(0), self.size, Role::Muted, "peak");
            recorder.push(heading.anchored(Anchor::End));
            for (i, entry) in self.entries.iter().enumerate() {
                self.record_entry(recorder, entry, at, baseline(i + 1));
            }
            if self.left_out > 0 {
                let x = at.x + SWATCH + AFTER_SWATCH;
                let y = baseline(self.entries.len() + 1);
                let text = more_text(self.left_out);
                recorder.push(Text::new(x, y, self.size, Role::Muted, text));
            }
        });
    }

    fn record_entry(&self, recorder: &mut Recorder, entry: &Entry, at: Point, baseline: f64) {
        recorder.group(entry.group.clone(), |recorder| {
            let middle = baseline - 0.36 * self.size;
            match entry.swatch {
                Swatch::Box(fill) => {
                    let side = SWATCH.min(self.row - 2.5);
                    let mut square = |side: f64, radius, fill| {
                        let at = Point { x: at.x + (SWATCH - side) / 2.0, y: middle - side / 2.0 };
                        recorder.push(Rectangle { at, width: side, height: side, radius, fill });
                    };
                    match fill {
                        // Where the ground is paper, only a frame shows where the square ends.
                        Paint::Hatch(_) | Paint::Tone(_) => {
                            square(side, 0.0, Role::Text.into());
                            square(side - 1.4, 0.0, fill);
                        }
                        Paint::Role(_) | Paint::Band(_) => square(side, 2.0, fill),
                    }
                }
                Swatch::Line => recorder.push(Line {
                    points: [0.0, SWATCH].map(|x| Point { x: at.x + x, y: middle }).to_vec(),
                    stroke: Stroke { paint: Role::Total.into(), width: 1.5 },
                }),
            }
            let x = at.x + SWATCH + AFTER_SWATCH;
            recorder.push(Text::new(x, baseline, self.size, Role::Text, &*entry.name));
            let x = at.x + self.width;
            let value = Text::new(x, baseline, self.size, Role::Muted, &*entry.value);
            recorder.push(value.anchored(Anchor::End));
        });
    }
}

fn more_text(left_out: usize) -> String {
    format!("… and {left_out} more")
}

fn total_entry(chart: &Chart) -> Entry {
    let mut group = Group::new("key-entry");
    group.id = Some("key-total".to_owned());
    group.title = Some(words::total_title(chart));
    Entry {
        name: "all bands".to_owned(),
        value: words::bytes(chart.peak().map_or(0, |peak| peak.total)),
        swatch: Swatch::Line,
        group,
    }
}
