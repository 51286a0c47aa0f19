//! The measures of the page: ranges, area, ticks, sizes, widths of text
//! (`docs/format/hp.md#the-picture`). Lengths are in points from the lower left corner of the
//! frame.

use super::command_line::{BandLimit, POINTS_PER_MM, TitleBox};
use super::layer_stack::StackLayer;
use super::{Aux, Options, c_numbers};
use crate::decode::hp::StrictReading;

/// The width of the outer frame.
pub const FRAME_WIDTH: f64 = 648.0;
pub const FRAME_HEIGHT: f64 = 432.0;
/// The distance between the frame and its contents.
pub const MARGIN: f64 = 5.0;
/// The distance from the frame's left edge to the graph.
pub const LEFT: f64 = 45.0;
/// The distance from the frame's lower edge to the graph.
pub const BOTTOM: f64 = 20.0;
/// The side of a key's box.
const KEY_BOX: f64 = 14.0;

#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// How much time the x axis shows.
    pub x_range: f64,
    /// How much memory the y axis shows.
    pub y_range: f64,
    pub area: f64,
    /// Whether the title takes two lines.
    pub title: TitleBox,
    pub width: f64,
    pub height: f64,
}

impl Graph {
    /// Measures the graph of a stack.
    pub fn new(
        layers: &[StackLayer],
        reading: &StrictReading,
        aux: &Aux,
        options: &Options,
    ) -> Self {
        let times = &reading.times;
        let heights = heights(layers, times.len());
        let title = match options.title {
            TitleBox::Auto if reading.job.len() > 35 => TitleBox::Big,
            TitleBox::Auto => TitleBox::Small,
            TitleBox::Big | TitleBox::Small => options.title,
        };
        let key = match options.many_pages || options.limit == BandLimit::None {
            true => 0.0,
            false => {
                let widest = layers.iter().map(|layer| text_width(&layer.name)).fold(0.0, f64::max);
                widest + 15.0 + KEY_BOX
            }
        };
        let run = times.last().zip(times.first()).map_or(0.0, |(last, first)| last - first);
        let highest = heights.iter().copied().fold(0.0, f64::max);
        Graph {
            x_range: range(run, aux.x_range),
            y_range: range(highest, aux.y_range),
            area: area(times, &heights),
            title,
            width: FRAME_WIDTH - LEFT - 2.0 * MARGIN - key,
            height: FRAME_HEIGHT - title_height(title) - 30.0,
        }
    }

    /// The distance from the page's origin to a time, when the first sample is at `first`.
    pub fn x(&self, time: f64, first: f64) -> f64 {
        LEFT + ((time - first) / self.x_range) * self.width
    }
}

/// The height of a title's box.
pub fn title_height(title: TitleBox) -> f64 {
    if title == TitleBox::Big { 40.0 } else { 20.0 }
}

/// The range that the data need, or that of a previous run if it is larger; never 0.
fn range(own: f64, previous: f64) -> f64 {
    let range = if own > previous { own } else { previous };
    if range == 0.0 { 1.0 } else { range }
}

fn heights(layers: &[StackLayer], samples: usize) -> Vec<f64> {
    let mut heights = vec![0.0; samples];
    for (sample, value) in layers.iter().flat_map(|layer| &layer.points) {
        heights[*sample] += value;
    }
    heights
}

fn area(times: &[f64], heights: &[f64]) -> f64 {
    let steps = times.windows(2).zip(heights.windows(2));
    steps
        .map(|(times, heights)| {
            let d = times[1] - times[0];
            let (a, b) = (heights[0], heights[1]);
            if b > a { d * a + (d * (b - a)) / 2.0 } else { d * b + (d * (a - b)) / 2.0 }
        })
        .fold(0.0, |area, step| area + step)
}

/// The distance between an axis's ticks: 1, 2 or 5 times a power of ten, about a seventh of the
/// range. `docs/format/hp.md#axes` says which of these never occur.
fn step(seventh: f64) -> f64 {
    let (mut scaled, mut powers) = (seventh, 0i32);
    while scaled > 10.0 {
        scaled /= 10.0;
        powers += 1;
    }
    while scaled < 1.0 && scaled > 0.0 && powers <= 0 {
        scaled *= 10.0;
        powers -= 1;
    }
    let mut step = match scaled {
        scaled if scaled > 4.0 => 5.0,
        scaled if scaled > 1.0 => 2.0,
        _ => 1.0,
    };
    for _ in 0..powers.abs() {
        if powers > 0 { step *= 10.0 } else { step /= 10.0 }
    }
    step
}

/// A tick: where it is along its axis, and its label.
#[derive(Clone, Debug, PartialEq)]
pub struct PageTick {
    /// The distance from the page's origin.
    pub at: f64,
    /// The text that is printed at it.
    pub label: Vec<u8>,
}

/// The ticks of the x axis: from the first sample on, up to the last.
pub fn x_ticks(graph: &Graph, reading: &StrictReading) -> Vec<PageTick> {
    let (Some(&first), Some(&last)) = (reading.times.first(), reading.times.last()) else {
        return Vec::new();
    };
    let step = step(graph.x_range / 7.0);
    let free = graph.width - (text_width(&reading.sample_unit) + 15.0);
    let mut ticks = Vec::new();
    let mut value = first;
    while value < last {
        let offset = (value - first) * (graph.width / graph.x_range);
        if offset < free {
            let mut label = Vec::new();
            c_numbers::print_fixed(value, 1, &mut label);
            ticks.push(PageTick { at: LEFT + offset, label });
        }
        let next = value + step;
        // A step below the resolution of the times makes no progress; hp2ps loops for ever.
        if next <= value {
            break;
        }
        value = next;
    }
    ticks
}

/// The ticks of the y axis.
pub fn y_ticks(graph: &Graph, reading: &StrictReading) -> Vec<PageTick> {
    let step = step((graph.y_range / 7.0).max(1.0));
    let (divisor, letter) = match step {
        step if step >= 1e6 => (1e6, &b"M"[..]),
        step if step >= 1e3 => (1e3, &b"k"[..]),
        _ => (1.0, &b""[..]),
    };
    let free = graph.height - (text_width(&reading.value_unit) + 15.0);
    let mut ticks = Vec::new();
    let mut value = 0.0;
    while value <= graph.y_range {
        let offset = value * (graph.height / graph.y_range);
        if offset < free {
            let mut label = Vec::new();
            c_numbers::print_grouped(c_numbers::to_i64(value / divisor + 0.5), &mut label);
            label.extend_from_slice(letter);
            ticks.push(PageTick { at: BOTTOM + offset, label });
        }
        value += step;
    }
    ticks
}

/// The approximate width of a text. Only printable ASCII has a width. For other bytes hp2ps reads
/// beyond the end of its table; in the build that was measured, it finds zeros there for the bytes
/// of UTF-8.
pub fn text_width(text: &[u8]) -> f64 {
    let units = |byte: &u8| match byte {
        b'!' | b'"' | b'\'' | b',' | b'.' | b':' | b';' | b'I' | b'^' | b'i' | b'l' | b'`'
        | b'|' => 1,
        b'*' | b'?' | b'[' | b']' | b'j' | b'r' | b't' | b'{' | b'}' | b'~' => 2,
        b'0'..=b'9' => 4,
        b'm' | b'A'..=b'Z' => 5,
        b' '..=b'~' => 3,
        _ => 0,
    };
    text.iter().map(units).sum::<u32>() as f64 * (POINTS_PER_MM * 0.6)
}
