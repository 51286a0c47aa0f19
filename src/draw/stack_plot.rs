//! The plot of the bands: the grid, the stack or the lines, what is drawn over it, and the titles of the
//! axes.
//!
//! Layers are painted from the top of the stack down, each as the outline of everything below its
//! upper edge. The part that stays visible is the layer. So there is no hairline between
//! neighbours, and only one edge per layer is stored.

use super::colour::ink_on;
use super::heading::FACTS_SIZE;
use super::labels;
use super::layout::Layout;
use super::options::View;
use super::outline::PlotPoint;
use super::parts::PictureParts;
use super::plotters::{AXIS_SIZE, PixelFrame, Plot, PlotArea, TICK_GAP};
use super::sampling::{WHOLE, has_range, has_total, share};
use crate::base::units::Nanos;
use crate::chart::columns::{ColumnKind, Columns};
use crate::chart::{Bracket, Chart};
use crate::picture::text_width::{self, FontWeight, elide, width};
use crate::picture::{
    Anchor, Group, Item, Line, Paint, Point, Rectangle, Role, Stroke, Text, Theme, Tone,
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
            layout.plot.top - 12.0,
            AXIS_SIZE,
            Role::Muted,
            layout.values.title,
        );
        axes.items.push(heap.anchored(Anchor::End).into());
        if area.has_time_labels {
            axes.items.push(layout.time_title(layout.plot.bottom).into());
        }
        plot.extend(nothing_drawn(parts.sampling.chart).map(|words| in_the_middle(words, layout)));
        draw_gaps(parts, layout, plot);
        draw_bands(parts, layout, plot);
        for mark in &layout.marks.marks {
            let at = plot.pixels(mark.time, 0);
            plot.push(mark.group(layout.plot, at));
        }
        plot.extend(names_in_bands(parts, layout));
        marked(parts, layout, plot);
        plot.push(axes);
    })
}

/// The parts of the plot without samples, shaded and named where the name has room.
fn draw_gaps(parts: &PictureParts<'_>, layout: &Layout, plot: &mut Plot<'_>) {
    const WORDS: &str = "no samples";
    let chart = parts.sampling.chart;
    for gap in &layout.columns(parts).gaps {
        let (from, to) = (plot.pixels(gap.from, 0), plot.pixels(gap.to, layout.values.top));
        let (width, height) = (to.x - from.x, from.y - to.y);
        let fill = Tone(8).into();
        let shade = Rectangle { at: Point { y: to.y, ..from }, width, height, radius: 0.0, fill };
        let [before, after] =
            [gap.next - 1, gap.next].map(|i| chart.times[chart.censuses.start + i]);
        let title = Some(format!("no samples from {before} to {after}"));
        let mut group = Group { title, ..Group::new("gap") };
        group.items.push(shade.into());
        if text_width::width(WORDS, FACTS_SIZE, FontWeight::Regular) + 2.0 * TICK_GAP <= width {
            let (x, y) = (from.x + width / 2.0, to.y + height / 2.0);
            let words = Text::new(x, y, FACTS_SIZE, Role::Muted, WORDS).anchored(Anchor::Middle);
            group.items.push(words.into());
        }
        plot.push(group);
    }
}

/// The font size of names in bands, and the room around them.
const NAME_SIZE: f64 = 11.0;
const AROUND_NAME: f64 = 6.0;
const LONGEST_NAME: f64 = 200.0;
/// The room between a name and a line over its band.
const AROUND_LINE: f64 = 2.0;
/// The least height of a band with a name.
const LEAST_HEIGHT: f64 = NAME_SIZE + 5.0;
/// How far apart the places are that are tried for a name.
const STEP: f64 = 12.0;

/// The names of bands, each as far to the right as its band is high enough for all of the name and nothing else is drawn
/// over it.
fn names_in_bands(parts: &PictureParts<'_>, layout: &Layout) -> Option<Group> {
    let (sampling, plot) = (&parts.sampling, layout.plot);
    let (chart, columns) = (sampling.chart, layout.columns(parts));
    let room = NameRoom::new(parts, layout)?;
    let count = room.places.len();
    let scale = |i: usize| match sampling.options.view {
        View::Stacked => layout.values.top as f64,
        View::Percent => columns.total[i].max(1) as f64,
        View::Lines => f64::INFINITY,
    };
    let y_of = |share: f64| (plot.bottom - share * plot.height()).max(plot.top);
    let mut group = Group::new("band-names");
    let mut heights = vec![0_u128; count];
    for (i, (layer, look)) in columns.layers.iter().zip(&parts.looks).enumerate() {
        let edge = |heights: &[u128]| -> Vec<f64> {
            heights.iter().enumerate().map(|(i, &height)| y_of(height as f64 / scale(i))).collect()
        };
        let under = edge(&heights);
        for (height, size) in heights.iter_mut().zip(layer.iter()) {
            *height += u128::from(size.get());
        }
        let ink = match look.paint {
            Paint::Band(rgb) => Paint::Band(ink_on(rgb)),
            Paint::Pale(_) => Role::Text.into(),
            Paint::Role(_) | Paint::Tone(_) => continue,
        };
        let upper = edge(&heights);
        let highest = under.iter().zip(&upper).map(|(under, upper)| under - upper);
        if highest.fold(0.0, f64::max) < LEAST_HEIGHT {
            continue;
        }
        let gain = chart.layers[i].grew.filter(|_| chart.suspects_lead);
        let gain = gain.map(|grew| format!("+{}", sampling.options.units.bytes(grew)));
        let labels = labels(&look.names, layout.key.name(&look.id), gain.as_deref());
        let found = labels.into_iter().find_map(|name| {
            let long = text_width::width(&name, NAME_SIZE, FontWeight::Regular);
            let place = room.place(&under, &upper, long).filter(|_| long <= LONGEST_NAME);
            place.map(|at| (name, at))
        });
        if let Some((name, at)) = found {
            let text = Text::new(at.x, at.y, NAME_SIZE, Role::Text, name);
            group.items.push(Text { paint: ink, ..text.anchored(Anchor::End) }.into());
        }
    }
    (!group.items.is_empty()).then_some(group)
}

/// Where names in bands can be.
struct NameRoom {
    /// The places of what is drawn of the bands, from left to right, up to the last that has something.
    places: Vec<f64>,
    /// From where to where something crosses the plot from top to bottom, and the points of the lines over the bands.
    crossing: Vec<(f64, f64)>,
    over: Vec<(f64, f64)>,
}

impl NameRoom {
    /// `None` where nothing is drawn.
    fn new(parts: &PictureParts<'_>, layout: &Layout) -> Option<Self> {
        let (plot, columns) = (layout.plot, layout.columns(parts));
        let x = |place: i64| plot.left + layout.time.pixels(place, plot.right - plot.left);
        // The last sample of a .hp is empty.
        let shown = |place: i64| (layout.time.low..=layout.time.high).contains(&place);
        let is_shown = |&i: &usize| columns.total[i] > 0 && shown(columns.places[i]);
        let end = (0..columns.places.len()).rfind(is_shown)?;
        let gaps = columns.gaps.iter().map(|gap| (gap.from, gap.to));
        let marks = layout.marks.marks.iter().map(|mark| (mark.time, mark.time));
        let lines = parts.sampling.overlays().lines.iter().flat_map(|line| &line.points);
        let y = |bytes: u128| plot.bottom - bytes as f64 / layout.values.top as f64 * plot.height();
        Some(NameRoom {
            places: columns.places[..=end].iter().map(|&place| x(place)).collect(),
            crossing: gaps.chain(marks).map(|(from, to)| (x(from), x(to))).collect(),
            over: lines.map(|&(place, bytes)| (x(place), y(bytes).max(plot.top))).collect(),
        })
    }

    /// The right end of a name of this length between two edges, with air around it if there is some; `None` if it has
    /// no room.
    fn place(&self, under: &[f64], upper: &[f64], long: f64) -> Option<Point> {
        let airy = self.place_of_height(under, upper, long, 3.0 * NAME_SIZE);
        airy.or_else(|| self.place_of_height(under, upper, long, LEAST_HEIGHT))
    }

    fn place_of_height(
        &self,
        under: &[f64],
        upper: &[f64],
        long: f64,
        least: f64,
    ) -> Option<Point> {
        let (begin, mut right) = (*self.places.first()?, *self.places.last()?);
        while right - long - 2.0 * AROUND_NAME >= begin {
            let left = right - long - 2.0 * AROUND_NAME;
            let first = self.places.partition_point(|x| *x <= left).saturating_sub(1);
            let last = self.places.partition_point(|x| *x < right).min(self.places.len() - 1);
            let top = upper[first..=last].iter().copied().fold(f64::MIN, f64::max);
            let foot = under[first..=last].iter().copied().fold(f64::MAX, f64::min);
            let is_under =
                |at: &&(f64, f64)| (left..=right).contains(&at.0) && (top..=foot).contains(&at.1);
            // A line over the bands leaves what is above it, or below.
            let lines = || self.over.iter().filter(is_under).map(|at| at.1);
            let (above, below) = (lines().fold(foot, f64::min), lines().fold(top, f64::max));
            let (top, foot) = match lines().next() {
                None => (top, foot),
                Some(_) if above - top >= foot - below => (top, above - AROUND_LINE),
                Some(_) => (below + AROUND_LINE, foot),
            };
            if foot - top >= least
                && !self.crossing.iter().any(|(from, to)| *from <= right && left <= *to)
            {
                let y = f64::midpoint(top, foot) + 0.36 * NAME_SIZE;
                return Some(Point { x: right - AROUND_NAME, y });
            }
            right -= STEP;
        }
        None
    }
}

/// What can stand in a band, best first: what its key calls it, or a shorter name, with its gain if it has one; then
/// without; and its gain alone.
fn labels(names: &[String], in_key: Option<&str>, gain: Option<&str>) -> Vec<String> {
    let first = names.iter().position(|name| Some(&**name) == in_key).unwrap_or(0);
    let length = |name: &String| name.chars().count();
    let most = names.get(first).map_or(0, length);
    // Two letters of a longer name say nothing, unless the key says no more.
    let tells =
        |name: &&String| Some(*name) == names.get(first) || (3..=most).contains(&length(name));
    let telling = || names[first..].iter().filter(tells);
    let with_gain = telling().filter_map(|name| Some(format!("{name} {}", gain?)));
    with_gain.chain(telling().cloned()).chain(gain.map(str::to_owned)).collect()
}

/// What is marked of the account: brackets with their words above the plot, and the floor of a sawtooth in it.
fn marked(parts: &PictureParts<'_>, layout: &Layout, plot: &mut Plot<'_>) {
    let marked = &parts.sampling.chart.marked;
    // What columns of floors draw is the floor.
    let is_drawn = parts.sampling.options.view != View::Percent
        && layout.columns(parts).kind != ColumnKind::Floor;
    let floor = marked.floor.as_ref().filter(|_| is_drawn);
    if let Some(floor) = floor {
        let place = |&(time, bytes): &(Nanos, u128)| {
            Some((layout.time.of_marker(parts.sampling.chart, time)?, bytes))
        };
        let lows: Vec<PlotPoint> = floor.lows.iter().filter_map(place).collect();
        let words = floor.bracket.words.first();
        let title = words.map(|words| words.text(parts.sampling.options.units));
        for (role, width) in [(Role::Background, 3.5), (Role::Text, 1.5)] {
            let group = Group { title: title.clone(), ..Group::new("lows") };
            plot.lines(group, vec![lows.clone()], Stroke::new(role, width));
        }
    }
    let over = marked.floor.as_ref().map(|floor| &floor.bracket);
    let mut brackets: Vec<(&str, &Bracket)> = over.map(|one| ("floor", one)).into_iter().collect();
    brackets.extend(marked.brackets.iter().map(|one| ("movement", one)));
    let ends = |bracket: &Bracket| {
        let room = layout.plot.right - layout.plot.left;
        let place = |time| layout.time.of_marker(parts.sampling.chart, time);
        let shown =
            |place: i64| layout.plot.left + layout.time.pixels(place, room).clamp(0.0, room);
        Some((shown(place(bracket.from)?), shown(place(bracket.to)?)))
    };
    let seen = brackets.into_iter().filter_map(|(class, one)| Some((class, one, ends(one)?)));
    let seen: Vec<_> = seen.filter(|(_, _, (left, right))| right - left >= 1.0).collect();
    let mut written: Vec<Stretch> = Vec::new();
    for (at, &bracket) in seen.iter().enumerate() {
        let others = seen.iter().enumerate().filter(|(other, _)| *other != at);
        let others = others.map(|(_, (_, other, ends))| around(other, *ends, parts)).collect();
        plot.extend(bracket_over(parts, layout, bracket, (others, &mut written)));
    }
}

/// The font size of the words of brackets, and the least distance between two of them, in pixels.
const WORDS_SIZE: f64 = 10.5;
const WORDS_APART: f64 = 6.0;
/// The dots of a bracket where there are no samples, and how far apart they are.
const DOTTED: (f64, f64) = (1.0, 4.0);

/// A stretch from left to right, in pixels.
type Stretch = (f64, f64);

/// What others leave to a bracket between two ends: as much as its shortest words with a name need.
fn around(bracket: &Bracket, (left, right): Stretch, parts: &PictureParts<'_>) -> Stretch {
    let words = bracket.words[bracket.words.len().saturating_sub(2)..].first();
    let words = words.map_or(String::new(), |words| words.text(parts.sampling.options.units));
    let half = width(&words, WORDS_SIZE, FontWeight::Regular) / 2.0;
    let middle = f64::midpoint(left, right);
    (left.min(middle - half), right.max(middle + half))
}

/// A bracket between two ends with its words; `None` if there is no room for the words between those that are written.
fn bracket_over(
    parts: &PictureParts<'_>,
    layout: &Layout,
    (class, bracket, ends): (&'static str, &Bracket, Stretch),
    (mut taken, written): (Vec<Stretch>, &mut Vec<Stretch>),
) -> Option<Group> {
    let (chart, plot) = (parts.sampling.chart, layout.plot);
    let all: Vec<String> =
        bracket.words.iter().map(|words| words.text(parts.sampling.options.units)).collect();
    let room = plot.right - plot.left;
    let marks = layout.marks.marks.iter().filter(|_| layout.marks.rows > 0);
    let crossing: Vec<f64> =
        marks.map(|mark| plot.left + layout.time.pixels(mark.time, room)).collect();
    taken.extend(&*written);
    // Words with a name that find no other place interrupt the lines of markers; an amount alone may be over brackets.
    let (named, amount) = all.split_at(all.len().saturating_sub(1));
    let places: [(&[String], &[Stretch], &[f64]); 4] = [
        (named, &taken, &crossing),
        (named, &taken, &[]),
        (amount, &taken, &crossing),
        (amount, &**written, &[]),
    ];
    let (words, x, long) = places
        .into_iter()
        .find_map(|(all, taken, crossing)| words_over(all, ends, plot, (taken, crossing)))?;
    written.push((x, x + long));
    let layer = bracket.row.and_then(|row| chart.layer_of(row));
    let other = if chart.outside.is_some() { Role::Alarm } else { Role::Muted };
    let paint = layer.map_or(other.into(), |at| parts.looks[at].paint.at_full());
    let mut group = Group { title: all.first().cloned(), ..Group::new(class) };
    group.items.extend(bracket_lines(parts, layout, ends, paint));
    if crossing.iter().any(|line| (x..=x + long).contains(line)) {
        let at = Point { x: x - 2.0, y: plot.top - 6.0 - WORDS_SIZE };
        let (width, height) = (long + 4.0, WORDS_SIZE + 2.5);
        let fill = Role::Background.into();
        group.items.push(Rectangle { at, width, height, radius: 0.0, fill }.into());
    }
    group.items.push(Text::new(x, plot.top - 6.0, WORDS_SIZE, Role::Muted, words).into());
    Some(group)
}

/// The lines of a bracket, which are dotted where there are no samples.
fn bracket_lines(
    parts: &PictureParts<'_>,
    layout: &Layout,
    (left, right): Stretch,
    paint: Paint,
) -> Vec<Item> {
    let plot = layout.plot;
    let (over, down) = (plot.top - 2.0, plot.top + 3.0);
    let line = |points: &[(f64, f64)], dash: Option<(f64, f64)>| -> Item {
        let points = points.iter().map(|&(x, y)| Point { x, y }).collect();
        Line { points, stroke: Stroke { dash, ..Stroke::new(paint, 2.0) } }.into()
    };
    let x_of = |place: i64| plot.left + layout.time.pixels(place, plot.right - plot.left);
    let (mut lines, mut points) = (Vec::new(), vec![(left, down), (left, over)]);
    for gap in &layout.columns(parts).gaps {
        let (from, to) = (x_of(gap.from).max(left), x_of(gap.to).min(right));
        if from < to {
            points.push((from, over));
            lines.extend([line(&points, None), line(&[(from, over), (to, over)], Some(DOTTED))]);
            points = vec![(to, over)];
        }
    }
    points.extend([(right, over), (right, down)]);
    lines.push(line(&points, None));
    lines
}

/// The longest of some words that fit over a bracket, with their place and length: in the middle, at the left or the
/// right end; and beyond the ends if nothing else is there.
fn words_over<'w>(
    all: &'w [String],
    (left, right): Stretch,
    plot: PixelFrame,
    (taken, crossing): (&[Stretch], &[f64]),
) -> Option<(&'w str, f64, f64)> {
    let long_of = |words: &str| width(words, WORDS_SIZE, FontWeight::Regular);
    let fits = |words: &'w String| {
        let long = long_of(words);
        let middle = f64::midpoint(left, right) - long / 2.0;
        let beginnings = [middle, left, right - long]
            .map(|x| x.clamp(plot.left, (plot.right - long).max(plot.left)));
        let is_free = |x: &f64| {
            *x + long <= plot.right + 1.0
                && !crossing.iter().any(|line| (x - 2.0..=x + long + 2.0).contains(line))
                && taken
                    .iter()
                    .all(|(from, to)| x + long + WORDS_APART <= *from || to + WORDS_APART <= *x)
        };
        let beside = taken.iter().copied().chain(crossing.iter().map(|&line| (line, line)));
        let beside = beside.flat_map(|(from, to)| [from - WORDS_APART - long, to + WORDS_APART]);
        let beside = beside.filter(|x| (left - long..=right).contains(x) && *x >= plot.left);
        let place = beginnings.into_iter().chain(beside).find(is_free);
        place.map(|x| (&**words, x, long))
    };
    all.iter().find_map(fits)
}

fn in_the_middle(words: &str, layout: &Layout) -> Text {
    let plot = layout.plot;
    let (x, y) = ((plot.left + plot.right) / 2.0, (plot.top + plot.bottom) / 2.0);
    let size = FACTS_SIZE + 1.0;
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
    let has_range = has_range(columns, options.view);
    // What is accused is an area behind the bands, as high as what the bands do not explain.
    for accused in parts.sampling.overlays().lines.iter().filter(|line| line.grew.is_some()) {
        let fill = Paint::Pale(Role::Alarm.rgb(Theme::Light));
        plot.area(Group::new("accused"), columns.pieces(accused.points.clone()), fill, None);
    }
    let total = has_total(chart, columns, options.view).then(|| {
        let total = columns.places.iter().copied().zip(columns.total.iter().copied());
        columns.pieces(total.collect())
    });
    if let Some(total) = total.clone() {
        let title = Some(labels::undrawn_title(chart));
        plot.area(Group { title, ..Group::new("undrawn") }, total, Tone(25).into(), None);
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
        let edges = columns.pieces(columns.places.iter().copied().zip(edge).collect());
        match options.view {
            View::Lines => plot.lines(group, edges, Stroke::new(look.paint, 1.8)),
            View::Stacked | View::Percent => {
                let stroke = |width| Stroke::new(Role::Separator, width);
                plot.area(group, edges, look.paint, separators[i].map(stroke));
            }
        }
    }
    if let Some(total) = total {
        let title = Some(labels::total_title(chart, options.units));
        plot.lines(Group { title, ..Group::new("total") }, total, Stroke::new(Role::Total, 1.0));
    }
    if has_range {
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
