//! The plot of the bands: the grid, the stack or the lines, what is drawn over it, and the titles of the
//! axes.
//!
//! Layers are painted from the top of the stack down, each as the outline of everything below its
//! upper edge. The part that stays visible is the layer. So there is no hairline between
//! neighbours, and only one edge per layer is stored.

use super::heading::WORDS_SIZE;
use super::labels;
use super::layout::Layout;
use super::options::View;
use super::outline::PlotPoint;
use super::parts::PictureParts;
use super::plotters::{AXIS_SIZE, Plot, PlotArea, TICK_GAP};
use super::sampling::{WHOLE, has_range, has_total, share};
use crate::analysis::rate;
use crate::base::sentence::say;
use crate::base::units::Nanos;
use crate::chart::Chart;
use crate::chart::columns::Columns;
use crate::picture::text_width::{FontWeight, elide, width};
use crate::picture::{
    Anchor, Group, Item, Paint, Point, Rectangle, Role, Stroke, Text, Theme, Tone,
};

pub fn draw(parts: &PictureParts<'_>, layout: &Layout) -> Vec<Item> {
    let area = PlotArea {
        picture: layout.picture,
        frame: layout.plot,
        time: &layout.time,
        values: &layout.values,
        has_time_labels: layout.panels.is_empty(),
    };
    area.draw(|plot| {
        let mut axes = plot.grid("grid", "axis");
        let heap = Text::new(
            layout.plot.left - TICK_GAP,
            layout.plot.top - 8.0,
            AXIS_SIZE,
            Role::Muted,
            &*layout.values.title,
        );
        axes.items.push(heap.anchored(Anchor::End).into());
        if area.has_time_labels {
            axes.items.push(layout.time_title(layout.plot.bottom).into());
        }
        plot.extend(nothing_drawn(parts.sampling.chart).map(|words| in_the_middle(words, layout)));
        draw_bands(parts, layout, plot);
        for mark in &layout.marks.marks {
            let at = plot.pixels(mark.time, 0);
            plot.push(mark.group(layout.plot, at.x));
        }
        line_of_lows(parts, layout, plot);
        plot.push(axes);
    })
}

/// The line of the lows of what is accused, with its slope in words where it ends.
fn line_of_lows(parts: &PictureParts<'_>, layout: &Layout, plot: &mut Plot<'_>) {
    let (chart, options) = (parts.sampling.chart, parts.sampling.options);
    if options.view != View::Stacked {
        return;
    }
    let lows = chart.lows();
    let [first, .., last] = &lows[..] else { return };
    let place = |&(time, bytes): &(Nanos, f64)| {
        Some((layout.time.of_marker(chart, time)?, bytes.max(0.0) as u128))
    };
    let points: Vec<PlotPoint> = lows.iter().filter_map(place).collect();
    let slope = (last.1 - first.1) / last.0.since(first.0).as_seconds().max(f64::MIN_POSITIVE);
    let words = say!["lows rise by ", rate(slope, chart.clock)].text(options.units);
    for (role, width, dash) in [(Role::Background, 3.5, None), (Role::Text, 1.5, Some((1.5, 3.0)))]
    {
        let group = Group { title: Some(words.clone()), ..Group::new("lows") };
        plot.lines(group, vec![points.clone()], Stroke { dash, ..Stroke::new(role, width) });
    }
    let Some(&(place, bytes)) = points.last() else { return };
    let (end, long) = (plot.pixels(place, bytes), width(&words, AXIS_SIZE, FontWeight::Regular));
    let at = Point { x: end.x - long - 10.0, y: end.y + 6.0 };
    let (height, fill) = (AXIS_SIZE + 6.0, Role::Background.into());
    let text = Text::new(at.x + 4.0, at.y + AXIS_SIZE + 1.0, AXIS_SIZE, Role::Text, words);
    let mut group = Group::new("lows");
    group.items.push(Rectangle { at, width: long + 8.0, height, radius: 2.0, fill }.into());
    group.items.push(text.into());
    plot.push(group);
}

fn in_the_middle(words: &str, layout: &Layout) -> Text {
    let plot = layout.plot;
    let (x, y) = ((plot.left + plot.right) / 2.0, (plot.top + plot.bottom) / 2.0);
    let size = WORDS_SIZE + 1.0;
    let words = elide(words, size, FontWeight::Regular, plot.right - plot.left);
    Text::new(x, y, size, Role::Muted, words).anchored(Anchor::Middle)
}

/// The words in a plot without layers.
fn nothing_drawn(chart: &Chart) -> Option<&'static str> {
    if !chart.layers.is_empty() {
        None
    } else if chart.times.is_empty() {
        Some("no samples")
    } else if chart.trace.bands > 0 {
        Some("every band is below the trace threshold")
    } else if chart.excluded.bands > 0 {
        Some("every band is excluded")
    } else {
        Some("nothing was live")
    }
}

/// Draws the bands, and lines over them: of all bands, of the highest samples of columns, and of the run-time system.
fn draw_bands(parts: &PictureParts<'_>, layout: &Layout, plot: &mut Plot<'_>) {
    let (chart, options) = (parts.sampling.chart, parts.sampling.options);
    let columns = layout.columns(parts);
    // What is accused is an area behind the bands, as high as what the bands do not explain.
    for accused in parts.sampling.overlays().lines.iter().filter(|line| line.grew.is_some()) {
        let fill = Paint::Pale(Role::Alarm.rgb(Theme::Light));
        plot.area(Group::new("accused"), columns.pieces(accused.points.clone()), fill, None);
    }
    let total = has_total(chart, columns, options.view).then(|| {
        let total = columns.places.iter().copied().zip(columns.total.iter().copied());
        let total: Vec<PlotPoint> = total.collect();
        (columns.bridges(&total), columns.pieces(total))
    });
    if let Some((bridges, total)) = total.clone() {
        let title = Some(labels::undrawn_title(chart));
        let group = Group { title, ..Group::new("undrawn") };
        plot.area(across(group.clone()), bridges, Tone(12).into(), None);
        plot.area(group, total, Tone(25).into(), None);
    }
    let separators = separators(columns, options.view, layout);
    for (i, edge) in Edges::new(columns, options.view) {
        let look = &parts.looks[i];
        let group = Group {
            id: Some(format!("band-{}", look.id)),
            label: Some(look.name.clone()),
            title: Some(look.title.clone()),
            ..Group::new("band")
        };
        let edge: Vec<PlotPoint> = columns.places.iter().copied().zip(edge).collect();
        let (bridges, edges) = (columns.bridges(&edge), columns.pieces(edge));
        match options.view {
            View::Lines => plot.lines(group, edges, Stroke::new(look.paint, 1.8)),
            View::Stacked | View::Percent => {
                let stroke = |width| Stroke::new(Role::Separator, width);
                plot.area(across(group.clone()), bridges, look.paint.pale(), None);
                plot.area(group, edges, look.paint, separators[i].map(stroke));
            }
        }
    }
    if let Some((bridges, total)) = total {
        let title = Some(labels::total_title(chart, options.units));
        let group = Group { title, ..Group::new("total") };
        let stroke = Stroke::new(Role::Total, 1.0);
        plot.lines(across(group.clone()), bridges, Stroke { dash: Some((1.5, 3.0)), ..stroke });
        plot.lines(group, total, stroke);
    }
    if has_range(columns, options.view) {
        range_edge(columns, plot);
    }
    for overlay in &parts.sampling.overlays().lines {
        let group = Group {
            id: Some(format!("heap-{}", overlay.figure.id())),
            label: Some(overlay.figure.name().to_owned()),
            title: Some(overlay.title(options.units)),
            ..Group::new("heap-line")
        };
        plot.lines(group, columns.pieces(overlay.points.clone()), overlay.stroke());
    }
}

/// The line of the highest sample of each column.
fn range_edge(columns: &Columns<'_>, plot: &mut Plot<'_>) {
    let stroke = Stroke::new(Role::RangeEdge, 0.7);
    // The highest samples of the first and the last column are rarely at its ends.
    let mut highs: Vec<PlotPoint> = columns.range.iter().map(|span| span.high).collect();
    let ends = columns.places.first().zip(columns.places.last());
    if let (Some((&from, &to)), [first, .., last]) = (ends, &highs[..]) {
        let (first, last) = ((from.min(first.0), first.1), (to.max(last.0), last.1));
        highs.insert(0, first);
        highs.push(last);
        highs.dedup();
    }
    plot.lines(Group::new("range-edge"), columns.pieces(highs), stroke);
}

/// The part of a band or a line in parts of the run without samples: it goes straight through them.
fn across(group: Group) -> Group {
    Group { class: "gap", id: None, ..group }
}

/// The upper edges of the layers, from the top of the stack down. Each is computed when it is asked
/// for, because the edges of many samples take much memory.
pub struct Edges<'a> {
    columns: &'a Columns<'a>,
    view: View,
    heights: Vec<u128>,
    next: usize,
}

impl<'a> Edges<'a> {
    /// The edges of what is shown of a chart.
    pub fn new(columns: &'a Columns<'a>, view: View) -> Self {
        let layers = &columns.layers;
        let height = |i: usize| layers.iter().map(|layer| u128::from(layer[i].get())).sum();
        let heights = (0..columns.places.len()).map(height).collect();
        Edges { columns, view, heights, next: layers.len() }
    }
}

impl Iterator for Edges<'_> {
    /// The index of a layer, and its edge at each place.
    type Item = (usize, Vec<u128>);

    fn next(&mut self) -> Option<Self::Item> {
        self.next = self.next.checked_sub(1)?;
        let residency = &self.columns.layers[self.next];
        let edge = match self.view {
            View::Stacked => self.heights.clone(),
            View::Lines => residency.iter().map(|size| u128::from(size.get())).collect(),
            View::Percent => {
                // Means are rounded one by one, so their sum may be a byte over the total's.
                let totals = self.columns.total.iter();
                let shares = self.heights.iter().zip(totals);
                shares.map(|(&h, &total)| share(h, total).min(WHOLE)).collect()
            }
        };
        for (height, size) in self.heights.iter_mut().zip(residency.iter()) {
            *height -= u128::from(size.get());
        }
        Some((self.next, edge))
    }
}

/// The widths that a line between two layers can have, in pixels, widest first.
const SEPARATORS: [f64; 2] = [0.6, 0.3];

/// The greatest share that such a line may cover of each of the layers that it separates.
const MOST_INK: f64 = 0.03;

/// The width of the line along the upper edge of each layer, bottom first. `None` if a line would
/// cover more than that share of a layer that it touches, which happens to thin and to rough
/// layers.
fn separators(columns: &Columns<'_>, view: View, layout: &Layout) -> Vec<Option<f64>> {
    let count = columns.layers.len();
    if view == View::Lines {
        return vec![None; count];
    }
    let (plot, time) = (layout.plot, &layout.time);
    let across = (plot.right - plot.left) / (time.high as f64 - time.low as f64);
    let up = plot.height() / layout.values.top as f64;
    // The ink of a layer and the length of its upper edge, in square pixels and pixels.
    let mut ink = vec![0.0; count];
    let mut length = vec![0.0; count];
    let mut above: Option<(usize, f64)> = None;
    for (layer, edge) in Edges::new(columns, view) {
        let mut under = 0.0;
        let is_gap = |i: &usize| columns.gaps.iter().any(|gap| gap.to == columns.places[*i]);
        for i in (1..edge.len()).filter(|i| !is_gap(i)) {
            let dx = (columns.places[i] as f64 - columns.places[i - 1] as f64) * across;
            let (a, b) = (edge[i - 1] as f64 * up, edge[i] as f64 * up);
            under += dx * f64::midpoint(a, b);
            length[layer] += libm::hypot(dx, b - a);
        }
        if let Some((above, area)) = above.replace((layer, under)) {
            ink[above] = area - under;
        }
    }
    if let Some((lowest, area)) = above {
        ink[lowest] = area;
    }
    let width = |layer: usize| {
        let least = ink.get(layer + 1).map_or(ink[layer], |above| ink[layer].min(*above));
        SEPARATORS.into_iter().find(|width| width * length[layer] <= MOST_INK * least)
    };
    (0..count).map(width).collect()
}
