//! Lines cut at the edges of a plot, and thinned to what a picture can show.
//!
//! In a column of pixels, only the lowest and the highest point of a line can be seen, however many
//! samples fall into it. So these two are kept: peaks survive, and nothing moves by more than half
//! a pixel. Where the line goes up and down faster than a reader can follow, whole pixels are exact
//! enough. They keep an SVG small, because most of its bytes are digits.

use plotters_backend::BackendCoord;

/// A place on the two axes.
pub type PlotPoint = (i64, u128);

/// The range of values that the plot shows on both axes.
#[derive(Clone, Copy, Debug)]
pub struct PlotRange {
    /// The left end of the axis.
    pub low: i64,
    /// The right end of the axis.
    pub high: i64,
    /// The upper end of the value axis.
    pub top: u128,
}

impl PlotRange {
    /// Clips the upper edge of an area: above the plot, it runs along the top.
    pub fn edge(&self, places: Vec<PlotPoint>) -> Vec<PlotPoint> {
        let places = self.between_ends(places);
        if places.iter().all(|place| place.1 <= self.top) {
            return places;
        }
        let mut edge: Vec<PlotPoint> = Vec::with_capacity(places.len());
        for (i, &place) in places.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).map(|i| places[i]) {
                edge.extend(self.crossing(before, place));
            }
            edge.push((place.0, place.1.min(self.top)));
        }
        edge
    }

    /// The parts of a line that are in the plot.
    pub fn pieces(&self, places: Vec<PlotPoint>) -> Vec<Vec<PlotPoint>> {
        let places = self.between_ends(places);
        let mut pieces: Vec<Vec<PlotPoint>> = vec![Vec::new()];
        for (i, &place) in places.iter().enumerate() {
            let crossing = i.checked_sub(1).and_then(|i| self.crossing(places[i], place));
            if let Some(piece) = pieces.last_mut() {
                piece.extend(crossing);
                if place.1 <= self.top {
                    piece.push(place);
                } else if !piece.is_empty() {
                    pieces.push(Vec::new());
                }
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    /// Where the line between two places crosses the top.
    fn crossing(&self, a: PlotPoint, b: PlotPoint) -> Option<PlotPoint> {
        if (a.1 <= self.top) == (b.1 <= self.top) {
            return None;
        }
        let share = (self.top as f64 - a.1 as f64) / (b.1 as f64 - a.1 as f64);
        let step = (b.0 as f64 - a.0 as f64) * share.clamp(0.0, 1.0);
        Some((a.0.saturating_add(step.round() as i64).clamp(a.0, b.0), self.top))
    }

    /// The part of a line, which runs from left to right, between the ends of the axis.
    fn between_ends(&self, places: Vec<PlotPoint>) -> Vec<PlotPoint> {
        let inside = |place: &PlotPoint| (self.low..=self.high).contains(&place.0);
        if places.iter().all(inside) {
            return places;
        }
        let start = places.partition_point(|place| place.0 < self.low);
        let end = places.partition_point(|place| place.0 <= self.high);
        let at = |right: usize, end: i64| {
            let (a, b) = (*places.get(right.checked_sub(1)?)?, *places.get(right)?);
            (a.0 < end && end < b.0).then(|| {
                let share = (end as f64 - a.0 as f64) / (b.0 as f64 - a.0 as f64);
                let height = a.1 as f64 + (b.1 as f64 - a.1 as f64) * share;
                (end, height.round() as u128)
            })
        };
        let (before, after) = (at(start, self.low), at(end, self.high));
        before.into_iter().chain(places[start..end].iter().copied()).chain(after).collect()
    }
}

/// If a line reaches at least this many columns up and down, its extremes are rounded to whole
/// pixels.
const ROUGH: u32 = 2;

/// The points of a line that runs from left to right, where several lie in a column of `column`
/// units (a pixel) reduced to the lowest and highest, without points that lie straight between
/// others. The columns at its ends keep their first and last points, too.
pub fn thin(points: impl Iterator<Item = BackendCoord>, column: i32) -> Vec<BackendCoord> {
    let mut line = Straight::default();
    let mut open: Option<PixelColumn> = None;
    for (place, point) in points.enumerate() {
        match &mut open {
            Some(known) if known.index == point.0.div_euclid(column) => known.take(place, point),
            _ => {
                let index = point.0.div_euclid(column);
                if let Some(done) = open.replace(PixelColumn::new(place, point, index)) {
                    match done.count > 1 && !line.points.is_empty() {
                        true => done.flush_extremes(&mut line, column),
                        false => done.flush(&mut line),
                    }
                }
            }
        }
    }
    if let Some(done) = open {
        done.flush(&mut line);
    }
    line.points
}

/// The points that are kept in one column, each with its place in the line.
struct PixelColumn {
    index: i32,
    count: usize,
    kept: [(usize, BackendCoord); 4],
}

impl PixelColumn {
    fn new(place: usize, point: BackendCoord, index: i32) -> Self {
        PixelColumn { index, count: 1, kept: [(place, point); 4] }
    }

    fn take(&mut self, place: usize, point: BackendCoord) {
        self.count += 1;
        let [_, low, high, last] = &mut self.kept;
        if point.1 < low.1.1 {
            *low = (place, point);
        }
        if point.1 > high.1.1 {
            *high = (place, point);
        }
        *last = (place, point);
    }

    /// The extremes in the middle of the column, the one nearer to the line so far first.
    fn flush_extremes(self, line: &mut Straight, column: i32) {
        let x = self.index * column + column / 2;
        let [_, (_, (_, low)), (_, (_, high)), _] = self.kept;
        let before = line.points.last().map_or(low, |point| point.1);
        let down = before.abs_diff(low) <= before.abs_diff(high);
        let order = if down { [low, high] } else { [high, low] };
        match high.abs_diff(low) {
            reach if reach <= column.unsigned_abs() / 2 => line.push((x, low.midpoint(high))),
            reach if reach < ROUGH * column.unsigned_abs() => {
                order.into_iter().for_each(|y| line.push((x, y)));
            }
            _ => {
                // The canvas has already rounded once; rounding a half again would increase the
                // error.
                let whole = |y: i32| match y.rem_euclid(column) == column / 2 {
                    true => y,
                    false => (y + column / 2).div_euclid(column) * column,
                };
                order.into_iter().for_each(|y| line.push((x, whole(y))));
            }
        }
    }

    fn flush(mut self, line: &mut Straight) {
        self.kept.sort_unstable_by_key(|&(place, _)| place);
        self.kept.iter().for_each(|&(_, point)| line.push(point));
    }
}

/// A line without repeated points and without points on the straight way between their neighbours.
#[derive(Default)]
struct Straight {
    points: Vec<BackendCoord>,
}

impl Straight {
    fn push(&mut self, point: BackendCoord) {
        if self.points.last() == Some(&point) {
            return;
        }
        if let [.., before, last] = self.points[..]
            && is_between(before, last, point)
        {
            self.points.pop();
        }
        self.points.push(point);
    }
}

/// Whether `b` is on the straight way from `a` to `c`.
fn is_between(a: BackendCoord, b: BackendCoord, c: BackendCoord) -> bool {
    let step = |from: BackendCoord, to: BackendCoord| {
        (i64::from(to.0) - i64::from(from.0), i64::from(to.1) - i64::from(from.1))
    };
    let ((x1, y1), (x2, y2)) = (step(a, b), step(b, c));
    x1 * y2 == x2 * y1 && x1 * x2 + y1 * y2 > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: PlotRange = PlotRange { low: 0, high: 100, top: 50 };

    #[test]
    fn shapes_inside_are_unchanged() {
        let line = vec![(0, 0), (50, 50), (100, 3)];
        assert_eq!(PLOT.edge(line.clone()), line);
        assert_eq!(PLOT.pieces(line.clone()), [line]);
    }

    #[test]
    fn clipped_edges_follow_the_top_and_clipped_lines_are_split() {
        let line = vec![(0, 0), (20, 100), (40, 100), (60, 0), (80, 50), (90, 60)];
        let edge =
            [(0, 0), (10, 50), (20, 50), (40, 50), (50, 50), (60, 0), (80, 50), (80, 50), (90, 50)];
        assert_eq!(PLOT.edge(line.clone()), edge);
        let pieces = [vec![(0, 0), (10, 50)], vec![(50, 50), (60, 0), (80, 50), (80, 50)]];
        assert_eq!(PLOT.pieces(line), pieces);
    }

    #[test]
    fn ends_are_cut_between_samples() {
        assert_eq!(
            PLOT.edge(vec![(-10, 0), (10, 20), (90, 20), (110, 40)]),
            [(0, 10), (10, 20), (90, 20), (100, 30)]
        );
        assert_eq!(PLOT.edge(vec![(-50, 0), (150, 40)]), [(0, 10), (100, 30)]);
        assert_eq!(PLOT.edge(vec![(-50, 0), (-1, 40)]), []);
        assert_eq!(PLOT.pieces(vec![(101, 7)]), Vec::<Vec<PlotPoint>>::new());
    }

    #[test]
    fn a_column_keeps_its_ends_and_extremes_and_no_points_between() {
        for (points, room, kept) in [
            (
                &[(0, 5), (1, 9), (2, 1), (3, 6), (4, 4), (12, 4)][..],
                10,
                &[(0, 5), (1, 9), (2, 1), (4, 4), (12, 4)][..],
            ),
            // On a straight line, and a spike.
            (
                &[(0, 0), (10, 10), (20, 20), (20, 20), (30, 20), (40, 20)],
                1,
                &[(0, 0), (20, 20), (40, 20)],
            ),
            (&[(0, 0), (0, 50), (0, 0), (90, 0)], 10, &[(0, 0), (0, 50), (0, 0), (90, 0)]),
        ] {
            assert_eq!(thin(points.iter().copied(), room), kept);
        }
    }

    #[test]
    fn many_samples_become_a_few_points_per_column() {
        let points = (0..100_000).map(|i| (i / 100, (i * 7919) % 4001));
        let thinned = thin(points, 10);
        assert!(thinned.len() <= 204, "{}", thinned.len());
        assert_eq!(thinned.iter().map(|point| point.1).max(), Some(4000));
    }

    #[test]
    fn every_column_reaches_as_far_as_before_and_the_ends_stay() {
        let points: Vec<(i32, i32)> =
            (0..9_000).map(|i| (i / 9, (i * 7919 + i / 31) % 997)).collect();
        let thinned = thin(points.iter().copied(), 10);
        assert_eq!((thinned.first(), thinned.last()), (points.first(), points.last()));
        assert!(thinned.is_sorted_by_key(|point| point.0));
        let reach = |points: &[(i32, i32)], column: i32| {
            let inside = points.iter().filter(|point| point.0.div_euclid(10) == column);
            let heights: Vec<i32> = inside.map(|point| point.1).collect();
            (heights.iter().min().copied(), heights.iter().max().copied())
        };
        for column in 0..100 {
            let ((low, high), (lowest, highest)) =
                (reach(&points, column), reach(&thinned, column));
            let near = |a: Option<i32>, b: Option<i32>| a.unwrap().abs_diff(b.unwrap()) <= 5;
            assert!(near(low, lowest) && near(high, highest), "{column}");
        }
    }
}
