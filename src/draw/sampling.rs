//! The numbers that a picture draws of a chart: every sample or columns of samples, the range of their
//! totals, the lines over them, and how high the vertical axis must be to show them.
//!
//! Each is computed once, when it is first asked for: nothing here depends on where the parts of the
//! picture are placed.

use std::cell::OnceCell;

use super::options::{DrawOptions, HeapLines, KeyPlace, PanelKind, Scale, View};
use super::outline::PlotPoint;
use super::time_axis::{self, TimeAxis};
use crate::base::units::{Bytes, Nanos, UnitSystem};
use crate::chart::columns::{self, Columns, Gap, Place, Raster};
use crate::chart::{Chart, HeapSeriesKind};
use crate::picture::{Role, Stroke};

/// What is drawn of a chart.
pub struct Sampling<'a> {
    pub chart: &'a Chart,
    pub options: &'a DrawOptions,
    /// The horizontal axis, without ticks.
    pub time: TimeAxis,
    raster: OnceCell<Raster>,
    columns: OnceCell<Columns<'a>>,
    overlays: OnceCell<Overlays>,
}

/// A tooth is drawn as a tooth if it is at least so many columns wide; otherwise a column has so many teeth, and its
/// mean is nearly that of whole teeth.
const COLUMNS_OF_A_TOOTH: usize = 4;
const TEETH_OF_A_MEAN: usize = 8;
/// Of fewer samples in a column than this, each is drawn if they are teeth: means of many teeth would hide how high they
/// are.
const FEW_OF_A_COLUMN: usize = 4;
/// The range of the total in some columns that follow each other must be this share of its highest value, in percent,
/// to be one of teeth.
const LEAST_TOOTH: u128 = 10;

/// How many times the total falls by half of what it usually ranges over in as many columns as are the widest tooth
/// that is not drawn.
fn teeth(total: &[u128], columns: usize) -> usize {
    let piece = (total.len() * COLUMNS_OF_A_TOOTH).div_ceil(columns.max(1)).max(1);
    let ends = |part: &[u128]| Some((*part.iter().min()?, *part.iter().max()?));
    let mut ranges: Vec<u128> =
        total.chunks(piece).filter_map(ends).map(|(low, high)| high - low).collect();
    let middle = ranges.len() / 2;
    let highest = total.iter().copied().max().unwrap_or(0);
    let Some((_, &mut usual, _)) = (!ranges.is_empty()).then(|| ranges.select_nth_unstable(middle))
    else {
        return 0;
    };
    if usual * 100 < highest * LEAST_TOOTH {
        return 0;
    }
    let (mut is_rising, mut turn, mut falls) = (true, 0, 0);
    for &bytes in total {
        turn = if is_rising { turn.max(bytes) } else { turn.min(bytes) };
        if turn.abs_diff(bytes) > usual / 2 {
            falls += usize::from(is_rising);
            (is_rising, turn) = (!is_rising, bytes);
        }
    }
    falls
}

/// The total of a sample in the view of shares.
pub const WHOLE: u128 = 1_000_000_000;

/// A part of a total as a fraction of [`WHOLE`]; 0 if the total is 0.
pub fn share(part: u128, total: u128) -> u128 {
    (part * WHOLE).checked_div(total).unwrap_or(0)
}

/// How wide a column is, in pixels, on a plot of the usual share of a picture.
const COLUMN: f64 = 3.5;

/// The share of a picture without a key that its plot takes.
const ALONE: f64 = 0.92;

/// The width of a picture without a key in which a plot has so many columns.
#[cfg(feature = "tui")]
pub(crate) fn width_of(columns: usize) -> f64 {
    (columns as f64 + 0.5) * COLUMN / ALONE
}

/// The stack lacks much if it lacks one part in this many of all bands.
const MUCH: u128 = 20;

impl<'a> Sampling<'a> {
    pub fn new(chart: &'a Chart, options: &'a DrawOptions) -> Self {
        let time = TimeAxis::new(chart, options);
        let (raster, columns, overlays) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Sampling { chart, options, time, raster, columns, overlays }
    }

    /// The axis in columns, 3 to 5 pixels wide. It does not depend on the width of names and numbers
    /// next to the plot, so that charts of the same size and scale have the same columns. If a saw has
    /// teeth that are too narrow for that, columns are wider: the few teeth that a narrow column meets would look like
    /// others.
    pub fn raster(&self) -> Raster {
        *self.raster.get_or_init(|| self.raster_for_teeth())
    }

    fn raster_for_teeth(&self) -> Raster {
        let usual = self.usual_raster();
        if self.chart.total.len() < 2 * usual.count {
            return usual;
        }
        // Another run may have made the axis longer than this one.
        let share = self.sampled_share();
        let columns = ((share * usual.count as f64) as usize).max(1);
        let teeth = teeth(&self.chart.total, columns);
        match teeth * COLUMNS_OF_A_TOOTH > columns {
            true if self.chart.total.len() < FEW_OF_A_COLUMN * usual.count => {
                self.time.raster(self.chart.total.len())
            }
            true => {
                let wanted = (teeth / TEETH_OF_A_MEAN) as f64 / share;
                self.time.raster((wanted.round() as usize).clamp(1, usual.count))
            }
            false => usual,
        }
    }

    /// The share of the axis that has samples.
    fn sampled_share(&self) -> f64 {
        let place = |sample: usize| self.time.of_sample(self.chart, sample) as f64;
        let censuses = &self.chart.censuses;
        let sampled = place(censuses.end - 1) - place(censuses.start);
        (sampled / (self.time.high as f64 - self.time.low as f64)).clamp(0.01, 1.0)
    }

    fn usual_raster(&self) -> Raster {
        let share = match self.options.key_place() {
            KeyPlace::Auto | KeyPlace::Right => 0.68,
            KeyPlace::Below | KeyPlace::None => ALONE,
        };
        self.time.raster(((share * self.options.width / COLUMN) as usize).max(1))
    }

    /// What is drawn of the bands.
    pub fn columns(&self) -> &Columns<'a> {
        self.columns.get_or_init(|| {
            let (chart, time) = (self.chart, &self.time);
            let places = chart.censuses.clone().map(|sample| time.of_sample(chart, sample));
            Columns::new(chart, places.collect(), self.raster(), time.weighing())
        })
    }

    pub fn overlays(&self) -> &Overlays {
        self.overlays.get_or_init(|| Overlays::new(self))
    }

    /// Whether a line of the highest samples of columns is seen: where the axis is cut, all of it may be above.
    pub fn shows_highest(&self) -> bool {
        let (columns, top) = (self.columns(), self.shown_top());
        has_range(columns, self.options.view) && columns.range.iter().any(|span| span.high.1 <= top)
    }

    /// The note about parts of the axis without samples.
    pub fn about_gaps(&self) -> Option<String> {
        let times = &self.chart.times[self.chart.censuses.clone()];
        let length = |gap: &Gap| {
            Nanos::from_nanos(times[gap.next].as_nanos() - times[gap.next - 1].as_nanos())
        };
        let longest = self.columns().gaps.iter().map(length).max()?;
        Some(match self.columns().gaps.len() {
            1 => format!("no samples for {longest} (paler)"),
            n => format!("no samples in {n} parts (paler), the longest {longest}"),
        })
    }

    /// The highest value that the view shows of the bands, including the range of their total.
    fn highest_of_bands(&self) -> u128 {
        match self.options.view {
            View::Stacked => self.chart.total.iter().copied().max().unwrap_or(0),
            View::Lines => {
                let residencies = self.columns().layers.iter().flat_map(|layer| layer.iter());
                residencies.map(|size| u128::from(size.get())).max().unwrap_or(0)
            }
            View::Percent => WHOLE,
        }
    }

    /// The highest value that is drawn.
    fn highest(&self) -> u128 {
        self.highest_of_bands().max(self.overlays().highest())
    }

    /// The value at the top of an axis that shows all of the chart.
    fn top(&self) -> u128 {
        match self.options.view {
            View::Percent => WHOLE,
            View::Stacked | View::Lines => with_air(self.highest()),
        }
    }

    /// The value at the top of the axis of the picture: the one that was asked for, else the chart's
    /// own.
    pub fn shown_top(&self) -> u128 {
        let asked = self.options.scale.heap_max.map(|max| u128::from(max.get()).max(1));
        let asked = asked.filter(|_| self.options.view != View::Percent);
        asked.unwrap_or_else(|| self.top())
    }

    /// The note about a vertical axis that ends below the highest value.
    pub fn about_cut(&self) -> Option<String> {
        let (own, top) = (self.highest(), self.shown_top());
        let text = |bytes: u128| self.options.units.text(bytes);
        (own > top).then(|| format!("cut at {}, the highest is {}", text(top), text(own)))
    }
}

/// Whether the line of all bands is drawn: only if the stack is lower than the heap. In percent it
/// would be a flat line at 100 %; next to single lines it would set the scale. Over columns there is
/// already the range of all bands, so the line is drawn only if the stack lacks much.
pub fn has_total(chart: &Chart, columns: &Columns<'_>, view: View) -> bool {
    let hidden = chart.trace.total.saturating_add(chart.excluded.total);
    let least = match columns.are_dense() {
        true => chart.trace.grand_total / MUCH,
        false => 0,
    };
    view == View::Stacked && hidden > least
}

/// Whether the range of the total is drawn. Over shares and single lines it would not refer to
/// anything that is drawn.
pub fn has_range(columns: &Columns<'_>, view: View) -> bool {
    view == View::Stacked && columns.are_dense()
}

/// Adds a little, so that the peak does not touch the frame.
fn with_air(highest: u128) -> u128 {
    highest.saturating_add(highest / 24).max(1)
}

/// The lines over the bands of a picture of a chart.
pub fn heap_lines(chart: &Chart, options: &DrawOptions) -> Vec<HeapSeriesKind> {
    let lines = Overlays::new(&Sampling::new(chart, options)).lines;
    lines.iter().map(|line| line.figure).collect()
}

/// The scale that shows several charts completely when they are drawn with `options`, so that they can
/// be compared by eye. Ends that the options set are kept.
pub fn common_scale<'a>(
    charts: impl IntoIterator<Item = &'a Chart>,
    options: &DrawOptions,
) -> Scale {
    let mut common = Scale::default();
    for chart in charts {
        let top = u64::try_from(Sampling::new(chart, options).top()).unwrap_or(u64::MAX);
        let heap_max = Some(Bytes::new(top));
        common = common.joined(Scale { heap_max, ..time_axis::scale(chart, options) });
    }
    let asked = options.scale;
    Scale {
        time_min: asked.time_min.or(common.time_min),
        time_max: asked.time_max.or(common.time_max),
        sample_max: asked.sample_max.or(common.sample_max),
        heap_max: asked.heap_max.or(common.heap_max),
    }
}

impl Scale {
    /// The scale that shows what either of the two shows.
    pub(super) fn joined(self, other: Scale) -> Scale {
        Scale {
            time_min: self.time_min.into_iter().chain(other.time_min).min(),
            time_max: self.time_max.max(other.time_max),
            sample_max: self.sample_max.max(other.sample_max),
            heap_max: self.heap_max.max(other.heap_max),
        }
    }
}

/// With the default choice a line is at most as high as this share of what is drawn of the bands:
/// with the air above, they and their range then have three quarters of the plot's height.
const MOST_PERCENT: u128 = 128;

/// A line that differs from the bands by this share of them, on average, adds something to them.
const OFF: f64 = 0.05;

/// A line with this share of its points within the range of columns adds nothing to the range.
const WITHIN: f64 = 0.85;

/// Whether a line with this highest value would leave too little of the height to the bands.
fn dwarfs(highest: u128, bands: u128) -> bool {
    highest.saturating_mul(100) > bands.saturating_mul(MOST_PERCENT)
}

/// The lines over the bands: the run-time system's own figures, and a note about those that are not.
pub struct Overlays {
    /// The lines, highest first.
    pub lines: Vec<Overlay>,
    /// That lines that were asked for are not drawn, and why.
    pub note: Option<&'static str>,
}

pub struct Overlay {
    pub figure: HeapSeriesKind,
    /// From left to right: every value, or columns.
    pub points: Vec<PlotPoint>,
    /// The highest value, and when it was first reached.
    pub peak: (Nanos, Bytes),
    /// What it grew by, if it is accused.
    pub grew: Option<Bytes>,
    /// What it is then, if the key has that of the layers.
    pub at_end: Option<Bytes>,
}

/// A line with its points; `None` if the log does not have that figure.
pub fn overlay(figure: HeapSeriesKind, sampling: &Sampling<'_>) -> Option<Overlay> {
    if !figure.is_of_the_heap_axis() {
        return None;
    }
    let Sampling { chart, time, .. } = sampling;
    let series = &chart.heap[figure];
    let peak = series.peak()?;
    let points = series.points.iter().filter_map(|&(instant, bytes)| {
        Some((time.of_time(chart, instant)?, u128::from(bytes.get())))
    });
    let points: Vec<PlotPoint> = points.collect();
    let dense = columns::series(&points, sampling.raster(), time.weighing());
    let grew = chart.outside.filter(|one| one.figure == figure).map(|one| one.grew);
    let end = chart.end_sample().filter(|_| grew.is_some());
    let at_end = end.and_then(|sample| {
        let before = |point: &&(Nanos, Bytes)| point.0 <= chart.times[sample];
        series.points.iter().rfind(before).map(|point| point.1)
    });
    Some(Overlay { figure, points: dense.unwrap_or(points), peak, grew, at_end })
}

impl Overlay {
    /// How it is drawn: lines differ by dashes, because colours belong to bands.
    pub fn stroke(&self) -> Stroke {
        if self.grew.is_some() {
            return Stroke::new(Role::Alarm, 2.0);
        }
        let (dash, width) = self.figure.row().line;
        Stroke { paint: Role::Heap.into(), width, dash: Some(dash) }
    }

    /// Whether it only repeats the upper edge of the bands, or is within the range of columns.
    fn repeats(&self, columns: &Columns<'_>) -> bool {
        let totals = columns.places.iter().zip(columns.total.iter());
        let totals = totals.map(|(&place, &total)| (place, total));
        let pairs = totals
            .filter_map(|(place, total)| Some((height_at(&self.points, place)?, total as f64)));
        if columns.are_dense() && self.is_within_range(columns) {
            return true;
        }
        let (off, all) = pairs.fold((0.0, 0.0), |(off, all), (line, total)| {
            (off + (line - total).abs(), all + total)
        });
        all > 0.0 && off <= OFF * all
    }

    /// Whether nearly all of it is between the lowest and the highest totals of columns.
    fn is_within_range(&self, columns: &Columns<'_>) -> bool {
        let lows: Vec<_> = columns.range.iter().map(|span| span.low).collect();
        let highs: Vec<_> = columns.range.iter().map(|span| span.high).collect();
        let is_within = |&&(place, value): &&PlotPoint| {
            let ends = (height_at(&lows, place), height_at(&highs, place));
            matches!(ends, (Some(low), Some(high)) if (low..=high).contains(&(value as f64)))
        };
        let within = self.points.iter().filter(is_within).count();
        within as f64 >= WITHIN * self.points.len() as f64
    }

    /// The highest value that is drawn.
    pub fn highest(&self) -> u128 {
        self.points.iter().map(|point| point.1).max().unwrap_or(0)
    }

    pub fn title(&self, units: UnitSystem) -> String {
        let (time, highest) = self.peak;
        format!("{}\npeak {} at {time}", self.figure.name(), units.bytes(highest))
    }
}

/// The height of a line at a place, if it has one there.
fn height_at(line: &[PlotPoint], place: Place) -> Option<f64> {
    let right = line.partition_point(|point| point.0 < place);
    let (a, b) = (line.get(right.checked_sub(1)?)?, line.get(right)?);
    let share = (place - a.0) as f64 / (b.0 - a.0) as f64;
    Some(a.1 as f64 + (b.1 as f64 - a.1 as f64) * share)
}

impl Overlays {
    /// The lines that the options ask for.
    pub fn new(sampling: &Sampling<'_>) -> Self {
        let options = sampling.options;
        let accused = sampling.chart.outside.map(|one| one.figure);
        let is_accused = |figure: HeapSeriesKind| accused == Some(figure);
        let asked = |figure: &HeapSeriesKind| match &options.heap_lines {
            // Without samples there are only panels.
            _ if sampling.chart.times.is_empty() => false,
            HeapLines::Auto if is_accused(*figure) => true,
            HeapLines::Auto => {
                figure.row().by_default && !options.panels.contains(&PanelKind::Memory)
            }
            HeapLines::All => true,
            HeapLines::None => false,
            HeapLines::List(list) => list.contains(figure),
        };
        let known = HeapSeriesKind::on_the_heap_axis()
            .filter(asked)
            .filter(|figure| sampling.chart.heap[*figure].peak().is_some());
        let auto = options.heap_lines == HeapLines::Auto;
        if options.view == View::Percent {
            let is_lost = known.count() > 0 && !auto;
            let note = is_lost.then_some("heap lines are not drawn in a view of shares");
            return Overlays { lines: Vec::new(), note };
        }
        let drawn = |figure: HeapSeriesKind| overlay(figure, sampling);
        if !auto {
            return Overlays::of(known.filter_map(drawn).collect());
        }
        let accused = accused.and_then(drawn).map_or(0, |line| line.highest());
        let bands = sampling.highest_of_bands().max(accused);
        let is_far_above = |highest: u128| bands > 0 && dwarfs(highest, bands);
        // Where even the lowest value is too high, no column is computed.
        let may_fit = |figure: &HeapSeriesKind| {
            let points = sampling.chart.heap[*figure].points.iter();
            !is_far_above(points.map(|point| u128::from(point.1.get())).min().unwrap_or(0))
        };
        let fits = |line: &Overlay| {
            let adds = || bands == 0 || line.grew.is_some() || !line.repeats(sampling.columns());
            !is_far_above(line.highest()) && adds()
        };
        Overlays::of(known.filter(may_fit).filter_map(drawn).filter(fits).collect())
    }

    fn of(mut lines: Vec<Overlay>) -> Self {
        lines.sort_by_key(|line| std::cmp::Reverse(line.peak.1));
        Overlays { lines, note: None }
    }

    /// The highest value of all lines.
    pub fn highest(&self) -> u128 {
        self.lines.iter().map(Overlay::highest).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::testing::Recipe;

    #[test]
    fn a_common_scale_fits_every_chart_unless_ends_were_given() {
        let chart = |count: usize, size: u64| Recipe::of(1, count).chart(|_, _| size);
        let charts = [chart(50, 2400), chart(10, 4800)];
        let mut options = DrawOptions::default();
        let both = common_scale(&charts, &options);
        assert_eq!(both.heap_max, Some(Bytes::new(5000)));
        let second = Nanos::from_nanos(1_000_000_000);
        assert_eq!((both.time_min, both.time_max), (Some(Nanos::ZERO), Some(second)));
        options.scale.heap_max = Some(Bytes::new(7));
        let asked = common_scale(&charts, &options);
        assert_eq!((asked.heap_max, asked.time_max), (Some(Bytes::new(7)), Some(second)));
    }

    #[test]
    fn teeth_that_columns_cannot_show_are_not_drawn_as_teeth() {
        let recipe = Recipe::of(2, 6000);
        let of = |period: usize, height: u64| {
            let chart = recipe.chart(|band, sample| match band {
                0 => 1000 + sample as u64,
                _ => 10_000 + height * (sample % period) as u64 / period as u64,
            });
            let options = DrawOptions::default();
            let sampling = Sampling::new(&chart, &options);
            let total: Vec<u128> = sampling.columns().total.to_vec();
            let falls = total.windows(2).filter(|pair| pair[0] > pair[1] + 1000).count();
            (sampling.raster().count, falls)
        };
        let (usual, _) = of(37, 0);
        // 162 teeth, each a little wider than a column, and 6 with 31 columns each.
        assert_eq!(of(37, 100_000), (20, 0));
        assert_eq!(of(1000, 100_000), (usual, 5));
        assert_eq!(of(37, 1000).0, usual, "small teeth");
        assert_eq!(teeth(&[], 10), 0);
    }

    #[test]
    fn a_run_on_a_longer_axis_keeps_its_columns() {
        let recipe = Recipe::of(1, 6000);
        let chart = recipe.chart(|_, sample| 10_000 + 3000 * (sample as u64 % 37));
        let most = |times: i64| {
            let end = chart.times[5999].as_nanos() * times;
            let scale = Scale { time_max: Some(Nanos::from_nanos(end)), ..Scale::default() };
            let options = DrawOptions { scale, ..DrawOptions::default() };
            Sampling::new(&chart, &options).columns().most
        };
        assert_eq!([most(1), most(3)], [301, 300]);
        assert!(most(60) > 1000, "no column is narrower than a few pixels");
    }
}
