//! The drawing itself, by plotters: its coordinate system places every sample and tick, its mesh
//! walks the ticks, its series draw our elements, and the recorder writes down what comes out.
//!
//! Layers are painted from the top of the stack down, each as the outline of everything below its
//! upper edge. What is visible of it is the layer; neighbours leave no hairline between them, and
//! only one edge per layer is stored.

use std::cell::RefCell;
use std::rc::Rc;

use plotters::coord::cartesian::MeshLine;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::{ChartBuilder, DrawingArea};
use plotters_backend::{BackendCoord, DrawingErrorKind};

use super::axis::{HeapAxis, TimeAxis, sample_place};
use super::backend::{FINENESS, NotRecorded, Recorder, pixels, point};
use super::layout::{
    AXIS_SIZE, FACTS_SIZE, HEAP_TITLE, Layout, MARGIN, NOTES_LINE, NOTES_SIZE, TICK_GAP, TITLE_SIZE,
};
use super::marks::{self, Mark};
use super::outline::thin;
use super::{Anchor, Area, Group, Item, Line, Point, Rectangle, Role, Stroke, Text};
use super::{Paint, key, text, words};
use crate::chart::Chart;

/// A place on the two axes.
type Place = (i64, u128);
type Failure = DrawingAreaErrorKind<NotRecorded>;
type Drawn = Result<(), DrawingErrorKind<NotRecorded>>;

/// Half the width of the bar that stands for a single sample, in canvas units.
const HALF_BAR: i32 = 32 * FINENESS;

/// Records the picture of a chart.
pub fn record(chart: &Chart, layout: &Layout) -> Vec<Item> {
    let mut recorder = Recorder::new(layout.width, layout.height);
    record_heading(&mut recorder, layout);
    let recorder = Rc::new(RefCell::new(recorder));
    // The recorder refuses plotters' own elements, and there are none among these.
    let drawn = draw_plot(chart, layout, &recorder);
    debug_assert!(drawn.is_ok(), "{drawn:?}");
    let mut recorder = recorder.borrow_mut();
    layout.key.0.record(&mut recorder, layout.key.1);
    recorder.take()
}

/// Everything around the plot but the key.
fn record_heading(recorder: &mut Recorder, layout: &Layout) {
    recorder.push(Rectangle {
        at: Point { x: 0.0, y: 0.0 },
        width: layout.width,
        height: layout.height,
        radius: 0.0,
        fill: Role::Background.into(),
    });
    recorder.group(Group::new("heading"), |recorder| {
        let (title, baseline) = &layout.title;
        recorder.push(Text::new(MARGIN, *baseline, TITLE_SIZE, Role::Text, &**title).bold());
        let (facts, baseline) = &layout.facts;
        recorder.push(Text::new(MARGIN, *baseline, FACTS_SIZE, Role::Muted, &**facts));
    });
    let (notes, baseline) = &layout.notes;
    if !notes.is_empty() {
        recorder.group(Group::new("notes"), |recorder| {
            for (i, note) in notes.iter().enumerate() {
                let y = baseline + i as f64 * NOTES_LINE;
                recorder.push(Text::new(MARGIN, y, NOTES_SIZE, Role::Muted, &**note));
            }
        });
    }
}

fn draw_plot(
    chart: &Chart,
    layout: &Layout,
    recorder: &Rc<RefCell<Recorder>>,
) -> Result<(), Failure> {
    let plot = layout.plot;
    let fine = |pixels: f64| (pixels * f64::from(FINENESS)).round() as u32;
    let root = DrawingArea::from(recorder);
    // plotters leaves the last unit of an area unused.
    let mut context = ChartBuilder::on(&root)
        .margin_left(fine(plot.left))
        .margin_top(fine(plot.top))
        .margin_right(fine(layout.width - plot.right) - 1)
        .margin_bottom(fine(layout.height - plot.bottom) - 1)
        .build_cartesian_2d(layout.time.clone(), layout.heap.clone())?;

    let mut grid = Group::new("grid");
    let mut ticks = Group::new("axis");
    let area = context.plotting_area();
    area.draw_mesh(
        |_, line| {
            mesh_line(layout, &line, &mut grid, &mut ticks);
            Ok(())
        },
        layout.heap.ticks.len(),
        layout.time.ticks.len(),
    )?;
    axis_titles(layout, &mut ticks);
    recorder.borrow_mut().push(grid);

    let edge = Edge::of(chart);
    if let Some(message) = nothing_drawn(chart) {
        let middle = Point { x: (plot.left + plot.right) / 2.0, y: (plot.top + plot.bottom) / 2.0 };
        let size = FACTS_SIZE + 1.0;
        let message = text::elide(message, size, text::Weight::Regular, plot.right - plot.left);
        let message = Text::new(middle.x, middle.y, size, Role::Muted, message);
        recorder.borrow_mut().push(message.anchored(Anchor::Middle));
    }
    context.draw_series(stack(chart, layout, &edge))?;
    if key::has_total(chart) {
        let total = |sample: usize| chart.total[sample];
        let places = edge.places(chart, total);
        context.draw_series([TotalLine {
            places,
            bar: edge.bar,
            title: words::total_title(chart),
        }])?;
    }
    context.draw_series(layout.marks.marks.iter().map(|mark| MarkLine { mark, layout }))?;
    recorder.borrow_mut().push(ticks);
    Ok(())
}

/// What stands in a plot without layers.
fn nothing_drawn(chart: &Chart) -> Option<&'static str> {
    if !chart.layers.is_empty() {
        None
    } else if chart.times.is_empty() {
        Some("no samples")
    } else if chart.trace.bands > 0 {
        Some("every band is below the trace threshold")
    } else {
        Some("nothing was live")
    }
}

/// A tick's grid line and label.
fn mesh_line(
    layout: &Layout,
    line: &MeshLine<'_, TimeAxis, HeapAxis>,
    grid: &mut Group,
    ticks: &mut Group,
) {
    let mut rule = |from: Point, to: Point| {
        let stroke = Stroke { paint: Role::Grid.into(), width: 1.0 };
        grid.items.push(Line { points: vec![from, to], stroke }.into());
    };
    let label = |x: f64, y: f64, label: &str| Text::new(x, y, AXIS_SIZE, Role::Muted, label);
    match line {
        MeshLine::XMesh(bottom, top, at) => {
            let x = crisp(pixels(bottom.0));
            rule(Point { x, y: pixels(bottom.1) }, Point { x, y: pixels(top.1) });
            let Some(tick) = layout.time.ticks.iter().find(|tick| tick.at == **at) else { return };
            let half = text::width(&tick.label, AXIS_SIZE, text::Weight::Regular) / 2.0;
            let x = pixels(bottom.0).clamp(half + 2.0, layout.width - half - 2.0);
            let text = label(x, layout.plot.bottom + 17.0, &tick.label);
            ticks.items.push(text.anchored(Anchor::Middle).into());
        }
        MeshLine::YMesh(left, right, at) => {
            let y = crisp(pixels(left.1));
            rule(Point { x: pixels(left.0), y }, Point { x: pixels(right.0), y });
            let Some(tick) = layout.heap.ticks.iter().find(|tick| tick.at == **at) else { return };
            let y = pixels(left.1) + 0.36 * AXIS_SIZE;
            let text = label(layout.plot.left - TICK_GAP, y, &tick.label);
            ticks.items.push(text.anchored(Anchor::End).into());
        }
    }
}

/// The middle of the pixel at `place`: a line one pixel wide that lies there is not blurred.
fn crisp(place: f64) -> f64 {
    place.floor() + 0.5
}

/// The base line, and what the axes count.
fn axis_titles(layout: &Layout, ticks: &mut Group) {
    let plot = layout.plot;
    ticks.items.push(
        Line {
            points: [plot.left, plot.right].map(|x| Point { x, y: crisp(plot.bottom) }).to_vec(),
            stroke: Stroke { paint: Role::Axis.into(), width: 1.0 },
        }
        .into(),
    );
    let heap = Text::new(plot.left - TICK_GAP, plot.top - 12.0, AXIS_SIZE, Role::Muted, HEAP_TITLE);
    ticks.items.push(heap.anchored(Anchor::End).into());
    let middle = (plot.left + plot.right) / 2.0;
    let time = Text::new(middle, plot.bottom + 34.0, AXIS_SIZE, Role::Muted, layout.time.title);
    ticks.items.push(time.anchored(Anchor::Middle).into());
}

/// Which samples an upper edge runs through.
struct Edge {
    /// All samples stand at one place: only the highest is drawn, as a bar.
    bar: bool,
    samples: std::ops::Range<usize>,
}

impl Edge {
    fn of(chart: &Chart) -> Self {
        match chart.peak() {
            Some(peak) if TimeAxis::is_single(chart) => {
                Edge { bar: true, samples: peak.sample..peak.sample + 1 }
            }
            _ => Edge { bar: false, samples: 0..chart.times.len() },
        }
    }

    fn places(&self, chart: &Chart, height: impl Fn(usize) -> u128) -> Vec<Place> {
        self.samples.clone().map(|sample| (sample_place(chart, sample), height(sample))).collect()
    }
}

/// The layers from the top down, each made only when it is drawn: the edges of many samples are
/// big.
fn stack<'a>(
    chart: &'a Chart,
    layout: &'a Layout,
    edge: &'a Edge,
) -> impl Iterator<Item = LayerArea> + 'a {
    let mut height: Vec<u128> = edge.samples.clone().map(|sample| chart.drawn(sample)).collect();
    let layers = chart.layers.len();
    (0..chart.layers.len()).rev().map(move |i| {
        let layer = &chart.layers[i];
        let first = edge.samples.start;
        let places = edge.places(chart, |sample| height[sample - first]);
        for (height, sample) in height.iter_mut().zip(edge.samples.clone()) {
            *height -= u128::from(layer.residency[sample].get());
        }
        let mut group = Group::new("band");
        group.id = Some(format!("band-{}", layout.ids[i]));
        group.label = Some(words::name(layer));
        group.title = Some(words::layer_title(chart, layer));
        let fill = layout.paints[i];
        LayerArea { places, bar: edge.bar, group, fill, separator: separator(layers, fill) }
    })
}

/// The line between layers. Where many layers share the height, a line as wide as they are high
/// would hide them.
fn separator(layers: usize, fill: Paint) -> Option<Stroke> {
    let width = match layers {
        0..=30 => 0.6,
        31..=80 => 0.3,
        _ => return None,
    };
    Some(Stroke { paint: fill.separator().into(), width })
}

/// The upper edge as drawn: thinned, or a bar's.
fn edge_points(points: impl Iterator<Item = BackendCoord>, bar: bool) -> Vec<BackendCoord> {
    if bar {
        return points.flat_map(|(x, y)| [(x - HALF_BAR, y), (x + HALF_BAR, y)]).collect();
    }
    thin(points, FINENESS)
}

/// A layer of the stack and all below it.
struct LayerArea {
    places: Vec<Place>,
    bar: bool,
    group: Group,
    fill: Paint,
    separator: Option<Stroke>,
}

impl<'a> PointCollection<'a, Place> for &'a LayerArea {
    type Point = Place;
    type IntoIter = Box<dyn Iterator<Item = Place> + 'a>;

    /// A place on the base line first, then the upper edge.
    fn point_iter(self) -> Self::IntoIter {
        let foot = self.places.first().map(|&(time, _)| (time, 0));
        Box::new(foot.into_iter().chain(self.places.iter().copied()))
    }
}

impl Drawable<Recorder> for LayerArea {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut pos: I,
        recorder: &mut Recorder,
        _: (u32, u32),
    ) -> Drawn {
        let Some((_, base)) = pos.next() else { return Ok(()) };
        let mut outline = edge_points(pos, self.bar);
        let ends = (outline.first().copied(), outline.last().copied());
        if let (Some((left, _)), Some((right, _))) = ends {
            outline.extend([(right, base), (left, base)]);
        }
        // Along an edge that goes up and down in every pixel the line would be a surface.
        let columns = ends.0.zip(ends.1).map_or(0, |(left, right)| (right.0 - left.0) / FINENESS);
        let busy = outline.len() as f64 > 1.2 * f64::from(columns) && columns > 100;
        let edge = if busy { None } else { self.separator };
        let points = outline.into_iter().map(point).collect();
        recorder.group(self.group.clone(), |recorder| {
            recorder.push(Area { points, fill: self.fill, edge });
        });
        Ok(())
    }
}

/// The residency of all bands, drawn or not.
struct TotalLine {
    places: Vec<Place>,
    bar: bool,
    title: String,
}

impl<'a> PointCollection<'a, Place> for &'a TotalLine {
    type Point = &'a Place;
    type IntoIter = &'a [Place];

    fn point_iter(self) -> Self::IntoIter {
        &self.places
    }
}

impl Drawable<Recorder> for TotalLine {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        pos: I,
        recorder: &mut Recorder,
        _: (u32, u32),
    ) -> Drawn {
        let points = edge_points(pos, self.bar).into_iter().map(point).collect();
        let mut group = Group::new("total");
        group.title = Some(self.title.clone());
        let stroke = Stroke { paint: Role::Total.into(), width: 1.0 };
        recorder.group(group, |recorder| recorder.push(Line { points, stroke }));
        Ok(())
    }
}

/// A marker's line and name.
struct MarkLine<'a> {
    mark: &'a Mark,
    layout: &'a Layout,
}

impl<'a> PointCollection<'a, Place> for &'a MarkLine<'_> {
    type Point = Place;
    type IntoIter = [Place; 1];

    fn point_iter(self) -> Self::IntoIter {
        [(self.mark.time, 0)]
    }
}

impl Drawable<Recorder> for MarkLine<'_> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut pos: I,
        recorder: &mut Recorder,
        _: (u32, u32),
    ) -> Drawn {
        let Some((x, base)) = pos.next() else { return Ok(()) };
        let plot = self.layout.plot;
        let x = pixels(x);
        let baseline = |row: usize| plot.top - 8.0 - row as f64 * marks::ROW;
        let name = self.mark.name.as_ref();
        let top = name.map_or(plot.top, |name| match plot.left + name.x > x {
            true => baseline(name.row) - 0.75 * marks::SIZE,
            false => baseline(name.row) + 3.0,
        });
        let mut group = Group::new("marker");
        group.title = Some(self.mark.title.clone());
        recorder.group(group, |recorder| {
            recorder.push(Line {
                points: vec![Point { x, y: top }, Point { x, y: pixels(base) }],
                stroke: Stroke { paint: Role::Marker.into(), width: 0.8 },
            });
            if let Some(name) = name {
                let x = plot.left + name.x;
                let y = baseline(name.row);
                recorder.push(Text::new(x, y, marks::SIZE, Role::Muted, &*name.text));
            }
        });
        Ok(())
    }
}
